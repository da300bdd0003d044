"""Many WebSockets at once, slow ones, and silent ones: each costs what a client over TCP costs.

Slow (DROVER_SLOW): 500 visitors instead of 60, and silent ones waited for.
"""

import contextlib
import os
import resource
import time
import unittest

from drover_client import MEASURED_MEMORY, Case, wait_for
from web_client import WebServer, frame

SLOW = bool(os.environ.get("DROVER_SLOW"))
VISITORS = 500 if SLOW else 60


def next_tick(reader):
    """The tick of the next frame."""
    while True:
        message = reader.receive()
        if message["op"] in ("snapshot", "delta"):
            return message["tick"]


class Crowd(Case):
    def test_visitors_with_a_cursor_each_up_to_the_limit(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        with WebServer("--max-clients", str(VISITORS), "--rate", "0", "seek") as server, contextlib.ExitStack() as stack:
            clients = [stack.enter_context(server.connect()) for _ in range(VISITORS)]
            for index, client in enumerate(clients):
                client.send_frames(frame(b'{"op":"cursor","x":%d,"y":%d}' % (index, index)))
            watcher = clients[0]
            watcher.request("subscribe", cursors=True, hz=10)
            seen = 0
            while seen < VISITORS - 1:  # its own is not among them
                message = watcher.receive_op("cursors")
                seen = max(seen, len(message["cursors"]))
            full = stack.enter_context(server.connect(hello=False))
            self.assertEqual([m["reason"] for m in full.until_closed()], ["full"])
            self.assertEqual(full.close_code, 1013)
            for client in clients[1:]:
                self.assert_reply(client.request("ping"), "ping")

    def test_a_slow_reader_gets_the_newest_frame_as_on_tcp(self):
        with WebServer("--threads", "1", "murmuration_10k", environment=MEASURED_MEMORY) as server, contextlib.ExitStack() as stack:
            readers = [stack.enter_context(connect(receive_buffer=4096)) for connect in (server.connect, server.connect_tcp)]
            for reader in readers:
                self.assert_reply(reader.request("subscribe", hz=60, layout="packed"), "subscribe")
                next_tick(reader)
            other = stack.enter_context(server.connect())
            before, first = server.rss_bytes(), other.request("ping")["tick"]
            wait_for(lambda: other.request("ping")["tick"] > first + 60, "frames that are not read")
            grown = server.rss_bytes() - before
            self.assertLess(grown, 64 << 20, "memory for readers that do not read")
            now = other.snapshot()["tick"]
            stale = []
            for reader in readers:
                ticks = []
                while not ticks or ticks[-1] < now:
                    ticks.append(next_tick(reader))
                stale.append(len(ticks))
            self.assertLess(stale[0], 12, stale)
            self.assertLessEqual(stale[0], stale[1] + 3, "old frames over WebSocket, and over TCP")

    def test_a_reader_that_never_reads_is_closed_as_on_tcp(self):
        if not SLOW:
            self.skipTest("slow: it waits for ten seconds without a byte")
        with WebServer("--threads", "1", "murmuration_10k") as server, contextlib.ExitStack() as stack:
            for connect in (server.connect, server.connect_tcp):
                reader = stack.enter_context(connect(receive_buffer=4096))
                reader.request("subscribe", hz=60, layout="packed")
            other = stack.enter_context(server.connect())
            wait_for(lambda: other.request("stats")["sessions"]["now"] == 1, "both closed", 40)
            self.assertIn("bye slow (no byte was accepted for 10 s)", server.stderr())

    def test_pings(self):
        if not SLOW:
            self.skipTest("slow: it waits for a ping, and for the end of one that is not answered")
        with WebServer("--paused", "seek") as server, server.connect() as client, server.connect() as silent:
            began = time.monotonic()
            while not client.pings:
                with contextlib.suppress(TimeoutError):
                    client.pump(1.0)
            self.assertGreater(time.monotonic() - began, 20.0)
            while "no answer to a ping" not in server.stderr():
                self.assertLess(time.monotonic() - began, 80.0)
                with contextlib.suppress(TimeoutError):
                    client.pump(1.0)
            messages = silent.until_closed()
            self.assertEqual((messages[-1]["reason"], silent.close_code), ("slow", 1008))
            self.assert_reply(client.request("ping"), "ping")


if __name__ == "__main__":
    unittest.main(verbosity=2)
