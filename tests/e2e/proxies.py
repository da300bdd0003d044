"""The configurations of docs/deploy, run: the page, metrics and WebSocket through nginx and Caddy, over TLS and a Unix socket.

What the files say of the machine (names of certificates, ports, the socket) is replaced; everything else runs as it stands.
"""

import contextlib
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
from unittest import mock

import metrics_parser
import web_client
from drover_client import PATIENCE_S, ROOT, Case, wait_for
from web_client import Handshake, WebClient, WebServer, ask

NAME = "sim.example.org"
READ_TIMEOUT_S = 30  # in place of a minute: one ping is due within it
IDLE_S = 40

NGINX = """
daemon off;
{user}
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {site}
}}
"""
CADDY = """
{{
    admin off
    auto_https off
}}
{site}
"""


def replaced(text, *pairs):
    for old, new in pairs:
        if old not in text:
            raise AssertionError(f"the configuration has no {old!r} any more")
        text = text.replace(old, new)
    return text


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(command, port, log, environment=None):
    """A proxy, until the end of the block."""
    with open(log, "wb") as output, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                                     env={**os.environ, **(environment or {})}) as process:
        def answers():
            if process.poll() is not None:
                raise AssertionError(f"{command[0]} ended: {pathlib.Path(log).read_text()}")
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), PATIENCE_S):
                return True
            return False

        try:
            wait_for(answers, f"{command[0]} listens")
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)


class Proxy(Case):
    """Common to both: a server on a Unix socket, a certificate, and a client that connects over TLS."""

    program = None

    @classmethod
    def setUpClass(cls):
        if cls.program is None:
            raise unittest.SkipTest("the tests are in the classes below")

    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.folder = stack.enter_context(tempfile.TemporaryDirectory())
        self.unix = f"{self.folder}/web.sock"
        self.certificate, self.key = f"{self.folder}/certificate.pem", f"{self.folder}/key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "2", "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME},IP:127.0.0.1",
                        "-keyout", self.key, "-out", self.certificate], check=True, capture_output=True, timeout=PATIENCE_S)
        self.tls = ssl.create_default_context(cafile=self.certificate)
        self.tls.set_alpn_protocols(["http/1.1"])
        self.port = free_port()
        self.host = f"{NAME}:{self.port}"
        self.source = "127.0.0.1"
        self.seconds = pathlib.Path(self.folder, "seconds")
        self.server = stack.enter_context(WebServer("--web-host", NAME, "--paused", "--seconds", str(self.seconds), "flock", web=f"unix:{self.unix}"))
        stack.enter_context(self.run_proxy())
        stack.enter_context(mock.patch.object(web_client, "connect_to", self.connect_to))

    def connect_to(self, where, timeout=PATIENCE_S, receive_buffer=None):
        del where, receive_buffer
        plain = socket.create_connection(("127.0.0.1", self.port), timeout, source_address=(self.source, 0))
        return self.tls.wrap_socket(plain, server_hostname=NAME)

    def ask(self, path, **headers):
        return ask(self.port, path, headers={"Host": self.host, "Connection": "close", **headers})

    def visit(self, **changes):
        return WebClient(self.port, **{"Host": self.host, "Origin": f"https://{self.host}", **changes})

    def run_proxy(self):
        raise NotImplementedError

    def test_the_page(self):
        status, headers, body = self.ask("/")
        self.assertEqual(status, 200)
        self.assertIn(b"Drover", body)
        self.assertIn("default-src 'none'", headers["content-security-policy"])
        self.assertEqual(self.ask("/healthz")[::2], (200, b"ok\n"))
        status, _, body = self.ask("/protocol.schema.json")
        self.assertEqual((status, body), (200, (ROOT / "protocol.schema.json").read_bytes()))

    def test_metrics_are_for_this_machine(self):
        status, _, body = self.ask("/metrics")
        self.assertEqual(status, 200)
        metrics_parser.parse(body.decode(), openmetrics=False)
        self.source = "127.0.0.2"
        self.assertEqual(self.ask("/metrics")[0], 403)
        self.assertEqual(self.ask("/metrics", **{"X-Forwarded-For": "127.0.0.1"})[0], 403)
        self.assertEqual(self.ask("/healthz")[0], 200)

    def test_a_socket(self):
        with self.visit() as client:
            client.request("subscribe", hz=20)
            client.request("step", count=50)
            self.assertEqual(client.receive_op("snapshot")["op"], "snapshot")
            self.assertEqual(client.request("ping", t0=1)["t0"], 1)

    def test_long_lines(self):
        with self.visit() as client:
            client.request("spawn", kind="bird", count=2000)
            reply = client.request("subscribe", hz=20)
            self.assertEqual(reply["op"], "reply")
            self.assertGreater(len(client.receive_op("snapshot")["agents"]), 2000)

    def test_addresses_are_those_of_visitors(self):
        self.source = "127.0.0.7"
        with self.visit():
            self.assert_logged(self.server, "connected from 127.0.0.7")
        with self.visit(**{"X-Forwarded-For": "203.0.113.9"}):
            wait_for(lambda: self.server.stderr().count("connected from 127.0.0.7") == 2, "the second visitor")
        self.assertNotIn("203.0.113.9", self.server.stderr())

    def test_other_sites_stay_outside(self):
        for origin in ("https://evil.example", f"http://{self.host}", f"https://{NAME}.evil.example", "null"):
            with self.assertRaises(Handshake) as refused:
                self.visit(Origin=origin)
            self.assertEqual(refused.exception.status, 403, origin)
        status, _, body = self.ask("/", Host="evil.example")
        self.assertTrue(status == 421 or not body, (status, body))

    def test_a_quiet_visitor_stays(self):
        with self.visit() as client:
            client.request("subscribe", hz=20)
            deadline = time.monotonic() + IDLE_S
            while time.monotonic() < deadline:
                with contextlib.suppress(TimeoutError):
                    client.pump(deadline - time.monotonic() if deadline > time.monotonic() else 0)
            self.assertGreaterEqual(len(client.pings), 1)
            self.assertEqual(client.request("ping", t0=2)["t0"], 2)

    def test_the_end_of_the_server_is_told(self):
        with self.visit() as client:
            self.assertEqual(self.server.stop(), 0)
            self.assertEqual(client.receive_op("bye")["reason"], "shutdown")
            client.until_closed()
            self.assertEqual(client.close_code, 1001)
        self.assertEqual(self.ask("/")[0], 502)


class Nginx(Proxy):
    program = "nginx"

    @contextlib.contextmanager
    def run_proxy(self):
        site = replaced((ROOT / "docs/deploy/nginx.conf").read_text(),
                        ("listen 80;", f"listen 127.0.0.1:{free_port()};"), ("listen 443 ", f"listen 127.0.0.1:{self.port} "),
                        (f"/etc/letsencrypt/live/{NAME}/fullchain.pem", self.certificate),
                        (f"/etc/letsencrypt/live/{NAME}/privkey.pem", self.key), ("unix:/run/drover/web.sock", f"unix:{self.unix}"), ("/var/lib/drover/seconds", str(self.seconds)),
                        ("proxy_read_timeout 60s", f"proxy_read_timeout {READ_TIMEOUT_S}s"))
        configuration = pathlib.Path(self.folder, "nginx.conf")
        configuration.write_text(NGINX.format(folder=self.folder, site=site, user="user root;" if os.geteuid() == 0 else ""))
        with running([self.program, "-p", self.folder, "-c", str(configuration), "-e", f"{self.folder}/early.log"], self.port,
                     f"{self.folder}/nginx.out"):
            yield


    def watch(self, *options):
        return subprocess.run([os.environ["DROVER_VIEWER"], f"https://127.0.0.1:{self.port}/live/index.json", "--headless", "--frames", "60",
                               "--no-reconnect", "--log", "info", *options], capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    def test_static_seconds(self):
        with self.visit() as client:
            client.request("step", count=120)
        wait_for((self.seconds / "index.json").exists, "an index")
        index = json.loads((self.seconds / "index.json").read_text())
        for name, kept in (("index.json", "public, max-age=1"), (f"{index['latest']}.ndjson", "public, max-age=31536000, immutable"),
                           (f"scenario-{index['scenarios'][-1]}.json", "public, max-age=31536000, immutable")):
            status, headers, body = self.ask(f"/live/{name}")
            self.assertEqual((status, headers["cache-control"], headers["access-control-allow-origin"]), (200, kept, "*"), name)
            if name != "index.json":
                self.assertEqual(body, (self.seconds / name).read_bytes())

    @unittest.skipUnless("DROVER_VIEWER" in os.environ, "no viewer was built")
    def test_the_viewer_trusts_who_it_is_told_to(self):
        with self.visit() as client:
            client.request("step", count=120)
        wait_for((self.seconds / "index.json").exists, "an index")
        seen = self.watch("--ca", self.certificate)
        self.assertEqual(seen.returncode, 0, seen.stderr)
        self.assertIn(f"connected to https://127.0.0.1:{self.port}/live/index.json", seen.stderr)
        wrong = self.watch()
        self.assertEqual(wrong.returncode, 1, wrong.stderr)
        # as libcurl says it with OpenSSL, and with GnuTLS
        self.assertRegex(wrong.stderr, "cannot be read: (SSL certificate problem: self[- ]signed certificate|server certificate verification failed[^;]*); "
                         "expected one that this system trusts, or that --ca FILE has")
        self.assertIn("--ca takes a file of certificates", self.watch("--ca", f"{self.folder}/nothing.pem").stderr)


class Caddy(Proxy):
    program = "caddy"

    @contextlib.contextmanager
    def run_proxy(self):
        site = replaced((ROOT / "docs/deploy/Caddyfile").read_text(),
                        (f"\n{NAME} {{\n", f"\nhttps://{self.host} {{\n\tbind 127.0.0.1\n\ttls {self.certificate} {self.key}\n"),
                        ("unix//run/drover/web.sock", f"unix/{self.unix}"))
        configuration = pathlib.Path(self.folder, "Caddyfile")
        configuration.write_text(CADDY.format(site=site))
        with running([self.program, "run", "--adapter", "caddyfile", "--config", str(configuration)], self.port,
                     f"{self.folder}/caddy.out", {"HOME": self.folder, "XDG_DATA_HOME": self.folder, "XDG_CONFIG_HOME": self.folder}):
            yield


if __name__ == "__main__":
    unittest.main()
