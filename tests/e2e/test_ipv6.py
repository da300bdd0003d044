"""A server on the loopback address of IPv6, and every client with [::1]:PORT: drover (libdrover), drover raw, the Python package, the viewer,
the page's HTTP and WebSocket. $DROVER_TOOL is the program drover, $DROVER_VIEWER the viewer, where it is built."""

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.request

from drover_client import PATIENCE_S, ROOT, Case, Server
from web_client import WebClient, WebServer

sys.path.insert(0, str(ROOT / "clients/python"))
import drover  # noqa: E402  pylint: disable=wrong-import-position


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as one:
            one.bind(("::1", 0))
        return True
    except OSError:
        return False


@unittest.skipUnless(has_ipv6(), "this kernel has no ::1")
class Ipv6(Case):
    def setUp(self):
        self.server = self.enterContext(WebServer("--listen", "::1", "--paused", "boids", web="[::1]:0"))
        self.assertEqual(self.server.address, "[::1]")
        self.address = f"[::1]:{self.server.port}"

    def run_program(self, *words, stdin=""):
        return subprocess.run([*words], input=stdin, capture_output=True, text=True, check=True, timeout=2 * PATIENCE_S, cwd=ROOT).stdout

    def test_with_brackets(self):
        """As the first line says it, and as --web takes it."""
        with Server("--listen", "[::1]", "--paused", "boids") as server:
            self.assertEqual(server.address, "[::1]")

    def test_drover(self):
        self.assertIn('"ms"', self.run_program(os.environ["DROVER_TOOL"], "ping", "--server", self.address, "--count", "1"))
        said = self.run_program(os.environ["DROVER_TOOL"], "raw", "--server", self.address, stdin='{"op":"ping","id":5}\n')
        self.assertIn('"to":"ping","id":5', said)

    def test_python(self):
        with drover.connect(self.address) as world:
            self.assertEqual(world.step(count=3).tick, 3)

        async def step():
            async with drover.aio.connect(self.address) as world:
                return (await world.step(count=3)).tick
        self.assertEqual(asyncio.run(step()), 6)

    def test_viewer(self):
        if not os.environ.get("DROVER_VIEWER"):
            self.skipTest("the viewer is not built")
        with tempfile.TemporaryDirectory() as folder:
            self.run_program(os.environ["DROVER_VIEWER"], "--headless", "--frames", "3", "--screenshot", f"{folder}/world.png", self.address)
            self.assertGreater(os.path.getsize(f"{folder}/world.png"), 1000)

    def test_page(self):
        with urllib.request.urlopen(f"http://[::1]:{self.server.web}/", timeout=PATIENCE_S) as answer:
            self.assertEqual(answer.status, 200)
        with WebClient(("::1", self.server.web), Origin=f"http://[::1]:{self.server.web}") as client:
            self.assert_reply(client.request("ping"), "ping")


if __name__ == "__main__":
    unittest.main()
