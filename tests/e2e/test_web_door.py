"""The door for browsers, played by its attackers: other sites' pages, other names for this address, tokens in addresses, heads and
bodies that never end, and more connections than there is room for. And what a page gets."""

import contextlib
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import tempfile
import time
import unittest
import zlib

from drover_client import PATIENCE_S, ROOT, Case, run_server, wait_for
from web_client import (Handshake, OneServer, WebClient, WebServer, ask, connect_to, frame, handshake_fields, parse_answer,
                        read_until_closed)

PATHS = ["/", "/ws", "/protocol.schema.json", "/previews/flock.png", "/nothing"]
HEADERS = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cross-origin-resource-policy": "same-origin",
           "connection": "close"}


class Web(Case):
    def refused(self, where, **changes):
        """The status of a handshake with these headers that is refused."""
        with self.assertRaises(Handshake) as raised:
            WebClient(where, **changes).socket.close()
        return raised.exception.status

    def assert_no_session(self, server):
        self.assertNotIn("connected from", server.stderr())


class Sites(Web):
    """DNS rebinding, and pages of other sites."""

    @classmethod
    def setUpClass(cls):
        cls.server = WebServer("--paused", "--web-host", "sim.example.org", "--web-host", "other.example:99",
                               "--web-origin", "https://sim.example.org", "--web-origin", "http://page.example:8080", "seek").__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None, None, None)

    def test_a_name_that_points_here_is_misdirected(self):
        port = self.server.web
        for host in ("evil.example", f"evil.example:{port}", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.2", "[::1]",
                     "sim.example.org.evil.example", "other.example", "127.0.0.1:0", "127.0.0.1:x", "127.0.0.1:99999", "a b", "", "@127.0.0.1"):
            for path in PATHS:
                status, headers, _ = ask(port, path, headers={"Host": host})
                self.assertEqual(status, 421, (host, path))
                self.assertIn("default-src 'none'", headers["content-security-policy"])
            self.assertEqual(self.refused(port, Host=host), 421, host)

    def test_our_own_names(self):
        for host in (f"127.0.0.1:{self.server.web}", "127.0.0.1", "localhost", f"LOCALHOST:{self.server.web}", "localhost:9000",
                     "sim.example.org", "SIM.example.org:443", "other.example:99"):
            self.assertEqual(ask(self.server.web, headers={"Host": host})[0], 200, host)

    def test_one_host(self):
        self.assertEqual(ask(self.server.web, headers={"Host": None})[0], 400)
        raw = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n"
        self.assertEqual(ask(self.server.web, raw=raw)[0], 400)

    def test_pages_of_other_sites(self):
        with WebServer("--paused", "--web-origin", "http://page.example:8080", "seek") as server:
            port = server.web
            for origin in ("null", "http://evil.example", f"http://127.0.0.1:{port}.evil.example", f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}",
                           f"http://localhost:{port}", "http://127.0.0.1", f"http://127.0.0.1:{port}/", f"http://x@127.0.0.1:{port}", "file://", "",
                           "http://page.example", "https://page.example:8080", "http://page.example:80800", f"http://127.0.0.1:{port} http://evil.example"):
                self.assertEqual(self.refused(port, Origin=origin), 403, origin)
            self.assert_no_session(server)

    def test_two_origins(self):
        own = f"http://127.0.0.1:{self.server.web}"
        fields = handshake_fields(self.server.web, Origin=own)
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        raw = f"GET /ws HTTP/1.1\r\n{lines}Origin: http://evil.example\r\n\r\n".encode()
        self.assertEqual(ask(self.server.web, raw=raw)[0], 400)

    def test_pages_that_may(self):
        port = self.server.web
        for changes in ({}, {"Origin": f"http://127.0.0.1:{port}"}, {"Origin": f"http://localhost:{port}", "Host": f"localhost:{port}"},
                        {"Origin": "https://sim.example.org"}, {"Origin": "https://sim.example.org:443"}, {"Origin": "http://page.example:8080"}):
            with self.server.connect(**changes) as client:
                self.assert_reply(client.request("ping"), "ping")

    def test_handshakes_that_are_none(self):
        port = self.server.web
        for status, changes in [(400, {"Sec_WebSocket_Protocol": None}), (400, {"Sec_WebSocket_Protocol": "chat, drover.v2, xdrover.v1"}),
                                (426, {"Sec_WebSocket_Version": "8"}), (426, {"Sec_WebSocket_Version": None}), (426, {"Upgrade": None}),
                                (426, {"Upgrade": "h2c"}), (426, {"Connection": "keep-alive"}), (400, {"Sec_WebSocket_Key": None}),
                                (400, {"Sec_WebSocket_Key": "short"}), (400, {"Sec_WebSocket_Key": "!" * 24})]:
            self.assertEqual(self.refused(port, **changes), status, changes)
        self.assertEqual(self.refused(port, path="/"), 200)  # an upgrade that the path does not know is a GET
        with self.server.connect(Sec_WebSocket_Protocol="other, drover.v1", Connection="keep-alive, Upgrade") as client:
            self.assert_reply(client.request("ping"), "ping")

    def test_lists_on_several_lines_are_one(self):
        for more in ("Connection: keep-alive\r\n", "Upgrade: h2c\r\n", "Sec-WebSocket-Protocol: chat\r\n"):
            self.assertEqual(self.shake(more), 101, more)

    def test_fields_that_come_twice(self):
        for more in ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "Sec-WebSocket-Version: 8\r\n", "Content-Length: 0\r\nContent-Length: 5\r\n"):
            self.assertEqual(self.shake(more), 400, more)

    def test_a_handshake_is_a_get(self):
        self.assertEqual(self.shake("", method="HEAD"), 426)

    def shake(self, more, method="GET"):
        """The status of a handshake that has these lines before its own."""
        fields = "".join(f"{name}: {value}\r\n" for name, value in handshake_fields(self.server.web).items())
        with connect_to(self.server.web) as connection:
            connection.sendall(f"{method} /ws HTTP/1.1\r\n{more}{fields}\r\n".encode())
            return int(connection.recv(4096).split()[1])

    def test_refusals_have_no_body_to_run(self):
        status, headers, body = ask(self.server.web, "/<script>alert(1)</script>")
        self.assertEqual((status, headers["content-type"]), (404, "text/plain; charset=utf-8"))
        self.assertNotIn(b"script", body)


class Tokens(Web):
    def test_a_token_in_the_address_is_nothing(self):
        with tempfile.NamedTemporaryFile("w", suffix=".tokens") as tokens:
            tokens.write("operator secret-token Ann\n")
            tokens.flush()
            with WebServer("--paused", "--token-file", tokens.name, "seek") as server:
                for changes in ({"path": "/ws?token=secret-token"}, {"Cookie": "token=secret-token"}, {"Authorization": "Bearer secret-token"}):
                    with server.connect(**changes) as client:
                        self.assert_error(client.request("pause"), "denied")
                with server.connect() as client:
                    self.assert_reply(client.request("hello", token="secret-token"), "hello", role="operator")
                with server.connect() as client:
                    self.assert_error(client.request("hello", token="wrong"), "denied")

    def test_a_door_that_others_reach_needs_tokens(self):
        result = run_server("--port", "0", "--web", "0.0.0.0:0", "seek")
        self.assertEqual(result.returncode, 1 if result.returncode == 1 else 2)
        self.assertIn("is reachable from other hosts, which would be admin; give --token-file FILE or --insecure", result.stderr)

    def test_mistakes_of_the_options(self):
        for arguments, words in [(["--web", "x"], "--web: expected [ADDR:]PORT or unix:PATH, found"), (["--web", "70000"], "--web: expected"),
                                 (["--web", ":80"], "--web: expected"), (["--web-host", "a"], "--web-host: allowed only with --web"),
                                 (["--web", "0", "--web-host", "http://x"], "--web-host:"), (["--web", "0", "--web-origin", "x"], "--web-origin:"),
                                 (["--web", "unix:/nowhere/at/all"], "cannot listen on /nowhere/at/all")]:
            result = run_server("--port", "0", *arguments, "seek")
            self.assertIn(words, result.stderr, arguments)
            self.assertNotEqual(result.returncode, 0)


class Heads(OneServer, Web):
    """Requests that are too much, or never whole."""

    def assert_serves(self):
        self.assertEqual(ask(self.server.web)[0], 200)

    def test_methods(self):
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"):
            status, headers, _ = ask(self.server.web, method=method)
            self.assertEqual((status, headers.get("allow")), (405, "GET, HEAD"), method)

    def test_bodies(self):
        self.assertEqual(ask(self.server.web, headers={"Content-Length": "5"})[0], 413)
        self.assertEqual(ask(self.server.web, headers={"Transfer-Encoding": "chunked"})[0], 413)
        self.assertEqual(ask(self.server.web, method="POST", headers={"Content-Length": "1000000000"})[0], 405)

    def test_a_slow_body_is_not_waited_for(self):
        with connect_to(self.server.web) as connection:
            connection.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx")
            began = time.monotonic()
            self.assertEqual(parse_answer(read_until_closed(connection))[0], 405)
            self.assertLess(time.monotonic() - began, 9.0)

    def test_large_heads(self):
        self.assertEqual(ask(self.server.web, headers={"X-Long": "x" * 9000})[0], 431)
        self.assertEqual(ask(self.server.web, headers={f"X-{i}": "x" for i in range(40)})[0], 431)
        self.assertEqual(ask(self.server.web, headers={f"X-{i}": "x" for i in range(31)})[0], 200)
        self.assertIn(ask(self.server.web, headers={"X-Long": "x" * 1000000})[0], (0, 431))
        self.assertIn(ask(self.server.web, "/" + "x" * 1000000)[0], (0, 414, 431))
        self.assert_serves()

    def test_nonsense(self):
        for raw in (b"\r\n\r\n\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00" * 50, b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", b"\0" * 5000 + b"\r\n\r\n",
                    b'{"op":"ping"}\n' * 10 + b"\r\n\r\n"):
            with connect_to(self.server.web) as connection:
                connection.sendall(raw)
                connection.shutdown(1)
                self.assertIn(parse_answer(read_until_closed(connection))[0], (0, 400, 405, 431, 505), raw[:20])
        self.assert_serves()

    def test_fields_that_are_none(self):
        for field, status in ((b"Content-Length : 5", 400), (b"X\t: a", 400), (b"X(Y): a", 400), (b"X: a\rY: b", 400), (b"X: \x01", 400), (b"X: \x7f", 400),
                              (b"X\0Y: a", 400), (b"X: a\tb", 200), (b"X: \xc3\xa4", 200), (b"X:", 200), (b"!#$%&'*+-.^_`|~: a", 200)):
            raw = b"GET / HTTP/1.1\r\nHost: localhost\r\n" + field + b"\r\n\r\n"
            self.assertEqual(ask(self.server.web, raw=raw)[0], status, field)

    def test_slow_heads(self):
        with contextlib.ExitStack() as stack:
            silent, dripping, preconnected = (stack.enter_context(connect_to(self.server.web)) for _ in range(3))
            began = time.monotonic()
            silent.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
            for _ in range(4):
                try:
                    dripping.sendall(b"G" if _ == 0 else b"E")
                except OSError:
                    break
                time.sleep(1)  # a byte a second
            for connection in (silent, dripping, preconnected):
                read_until_closed(connection)
            self.assertGreater(time.monotonic() - began, 8.0)
        self.assert_serves()

    def test_there_is_room_for_so_many_connections(self):
        with contextlib.ExitStack() as stack:
            idle = [stack.enter_context(connect_to(self.server.web)) for _ in range(128)]
            wait_for(lambda: ask(self.server.web)[0] == 503, "a refusal")
            idle.pop().close()
            wait_for(lambda: ask(self.server.web)[0] == 200, "room again")
            with self.server.connect_tcp() as other:  # the other door goes on
                self.assert_reply(other.request("ping"), "ping")

    def test_peers_that_vanish(self):
        before = self.server.descriptor_count()
        for data in (b"", b"GET", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            for _ in range(20):
                connect_to(self.server.web).close()
                with connect_to(self.server.web) as connection:
                    connection.sendall(data)
        for _ in range(20):
            with self.server.connect() as client:
                client.send_frames(frame(b'{"op":"pi', final=False))
                client.vanish()
        wait_for(lambda: self.server.descriptor_count() <= before + 2, "all descriptors closed")
        self.assert_serves()


class Descriptors(Web):
    def test_a_handshake_without_a_descriptor_left(self):
        with WebServer("--paused", "seek") as server, contextlib.ExitStack() as stack:
            idle = server.descriptor_count()
            connection = stack.enter_context(connect_to(server.web))
            wait_for(lambda: server.descriptor_count() == idle + 1, "the connection is accepted")
            before = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (server.descriptor_count(), before[1]))
            fields = "".join(f"{name}: {value}\r\n" for name, value in handshake_fields(server.web).items())
            connection.sendall(f"GET /ws HTTP/1.1\r\n{fields}\r\n".encode())
            self.assertEqual(parse_answer(read_until_closed(connection))[0], 503)
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, before)
            with server.connect() as client:
                self.assert_reply(client.request("ping"), "ping")


class Leaving(Web):
    def test_an_end_that_comes_with_the_first_bytes(self):
        with WebServer("--paused", "seek") as server:
            before = server.descriptor_count()
            server.process.send_signal(signal.SIGSTOP)  # so that it finds both at once
            for _ in range(20):
                with connect_to(server.web) as connection:
                    connection.sendall(b"GET / HTTP/1.1\r\nHost: local")
            server.process.send_signal(signal.SIGCONT)
            began = time.monotonic()
            wait_for(lambda: ask(server.web)[0] == 200, "the server goes on")
            wait_for(lambda: server.descriptor_count() <= before, "all descriptors closed")
            self.assertLess(time.monotonic() - began, 9.0)  # before the time of a head is over


class Stopping(Web):
    def test_a_handshake_that_ends_while_the_server_stops(self):
        with WebServer("--paused", "seek").doomed() as server:
            client = server.connect(receive_buffer=4096)  # its frames wait, and the server waits for it
            client.request("spawn", kind="seeker", count=5000)
            for name in ("subscribe", "resume"):
                client.request(name)
            late = connect_to(server.web)
            fields = "".join(f"{name}: {value}\r\n" for name, value in handshake_fields(server.web).items())
            late.sendall(f"GET /ws HTTP/1.1\r\n{fields}".encode())
            time.sleep(0.5)  # the server has read the head so far
            server.process.send_signal(signal.SIGTERM)
            self.assert_logged(server, "SIGTERM: stopping")
            with client.socket, late:
                with contextlib.suppress(OSError):  # the server may have ended
                    late.sendall(b"\r\n")
                self.assertIn(parse_answer(read_until_closed(late))[0], (0, 503))
                self.assertEqual(server.process.wait(PATIENCE_S), 0)


class Pages(OneServer, Web):
    def test_every_answer_has_the_headers(self):
        for path in PATHS:
            for method in ("GET", "HEAD", "POST"):
                _, headers, _ = ask(self.server.web, path, method=method)
                for name, value in HEADERS.items():
                    self.assertEqual(headers.get(name), value, (path, method, name))
                policy = headers["content-security-policy"]
                self.assertIn("script-src 'self' 'wasm-unsafe-eval';", policy)
                self.assertIn("frame-ancestors 'none'", policy)
                self.assertNotIn("access-control-allow-origin", headers)

    def test_the_page(self):
        status, headers, body = ask(self.server.web)
        self.assertEqual((status, headers["content-type"], headers["cache-control"]), (200, "text/html; charset=utf-8", "no-cache"))
        self.assertIn(b"<title>Drover", body)
        status, again, nothing = ask(self.server.web, method="HEAD")
        self.assertEqual((status, again["content-length"], nothing), (200, str(len(body)), b""))
        self.assertEqual(ask(self.server.web, "/?token=x")[0], 200)

    def test_files_of_the_page(self):
        page = ask(self.server.web)[2].decode()
        for path in sorted(set(re.findall(r'(?:src|href)="(/?assets/[^"]+)"', page))):
            path = "/" + path.lstrip("/")
            status, headers, plain = ask(self.server.web, path)
            self.assertEqual(status, 200, path)
            status, zipped, body = ask(self.server.web, path, headers={"Accept-Encoding": "gzip"})
            if zipped.get("content-encoding") == "gzip":
                self.assertEqual(zlib.decompress(body, 31), plain, path)
                self.assertEqual(zipped.get("vary"), "Accept-Encoding")
            status, _, body = ask(self.server.web, path, headers={"If-None-Match": headers["etag"]})
            self.assertEqual((status, body), (304, b""), path)

    def test_the_schema(self):
        status, headers, body = ask(self.server.web, "/protocol.schema.json")
        self.assertEqual((status, headers["content-type"]), (200, "application/schema+json"))
        self.assertEqual(body, (ROOT / "protocol.schema.json").read_bytes())

    def test_pictures(self):
        status, headers, body = ask(self.server.web, "/previews/flock.png")
        self.assertEqual((status, headers["content-type"]), (200, "image/png"))
        self.assertEqual(body, (ROOT / "scenarios/previews/flock.png").read_bytes())
        for name in ("nothing.png", "../flock.json", "..%2fflock.json", "%2e%2e/flock.json", "flock", "flock.png/", ".png", "flock.png%00.json", "a" * 32 + ".png", ""):
            self.assertEqual(ask(self.server.web, "/previews/" + name)[0], 404, name)


class UnixSocket(Web):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "web.sock")
        self.addCleanup(self.folder.cleanup)


class Proxy(UnixSocket):
    """A Unix socket, with a proxy in front."""

    def test_a_session(self):
        with WebServer("--paused", "--web-host", "sim.example.org", "seek", web="unix:" + self.path) as server:
            self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o660)
            self.assertEqual(ask(self.path, headers={"Host": "sim.example.org"})[0], 200)
            self.assertEqual(ask(self.path, headers={"Host": "evil.example"})[0], 421)
            for changes in ({"Origin": "https://sim.example.org"}, {"Origin": "https://sim.example.org", "X-Forwarded-Proto": "https"},
                            {"Origin": "http://sim.example.org", "X-Forwarded-Proto": "http"}):
                with WebClient(self.path, Host="sim.example.org", **changes) as client:
                    self.assert_reply(client.request("ping"), "ping")
                    client.request("subscribe")
                    client.receive_op("snapshot")
            self.assertEqual(self.refused(self.path, Host="sim.example.org", Origin="http://sim.example.org", X_Forwarded_Proto="https"), 403)
            with WebClient(self.path, X_Forwarded_For="10.9.8.7, 192.0.2.44"):
                self.assert_logged(server, "connected from 192.0.2.44")
            fields = handshake_fields(self.path, Host="sim.example.org")
            with connect_to(self.path) as proxied:  # a proxy that adds a line of its own behind the visitor's
                proxied.sendall(("GET /ws HTTP/1.1\r\nX-Forwarded-For: 10.9.8.7\r\n" + "".join(f"{n}: {v}\r\n" for n, v in fields.items()) +
                                 "X-Forwarded-For: 192.0.2.45\r\n\r\n").encode())
                self.assert_logged(server, "connected from 192.0.2.45")
            with WebClient(self.path, X_Forwarded_For="<nonsense>"):
                self.assert_logged(server, "connected from unix")
        self.assertFalse(os.path.exists(self.path))

    def test_a_proxy_that_does_not_read_the_answer_to_a_handshake(self):
        fields = "".join(f"{name}: {value}\r\n" for name, value in handshake_fields(self.path).items())
        with WebServer("--paused", "seek", web="unix:" + self.path) as server:  # the sanitizer sees what is not freed
            before = server.descriptor_count()
            for _ in range(20):
                server.process.send_signal(signal.SIGSTOP)
                with connect_to(self.path) as connection:
                    connection.sendall(f"GET /ws HTTP/1.1\r\n{fields}\r\n".encode())
                    connection.shutdown(socket.SHUT_RD)
                    server.process.send_signal(signal.SIGCONT)
                    read_until_closed(connection)
            wait_for(lambda: server.descriptor_count() <= before, "all descriptors closed")
            self.assertNotIn("connected from", server.stderr())

    def test_addresses_that_the_proxy_saw_count(self):
        with WebServer("--paused", "--max-per-address", "2", "seek", web="unix:" + self.path), contextlib.ExitStack() as stack:
            for _ in range(2):
                stack.enter_context(WebClient(self.path, X_Forwarded_For="192.0.2.1"))
            stack.enter_context(WebClient(self.path, X_Forwarded_For="192.0.2.2"))
            third = stack.enter_context(WebClient(self.path, hello=False, X_Forwarded_For="192.0.2.1"))
            self.assertEqual([m["reason"] for m in third.until_closed()], ["full"])
            self.assertEqual(third.close_code, 1013)

    def test_a_visitor_that_does_not_read_leaves_room_for_others(self):
        scenarios = pathlib.Path(self.folder.name, "scenarios")
        (scenarios / "previews").mkdir(parents=True)
        shutil.copy(ROOT / "scenarios/seek.json", scenarios)
        (scenarios / "previews/large.png").write_bytes(bytes(2_000_000))  # more than the kernel keeps
        with WebServer("--paused", "--scenarios", str(scenarios), "seek", web="unix:" + self.path) as server, contextlib.ExitStack() as stack:
            slow = [stack.enter_context(connect_to(self.path)) for _ in range(100)]
            for connection in slow:
                connection.sendall(b"GET /previews/large.png HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n")
            wait_for(lambda: server.descriptor_count() < 60, "those above the limit are answered")
            self.assertEqual(ask(self.path, headers={"X-Forwarded-For": "192.0.2.1"})[0], 503)
            for _ in range(3):
                self.assertEqual(ask(self.path, "/previews/large.png", headers={"X-Forwarded-For": "192.0.2.2"})[0], 200)
            self.assertEqual(sum(parse_answer(read_until_closed(connection))[0] == 200 for connection in slow), 32)

    def test_forwarded_addresses_are_not_believed_on_tcp(self):
        with WebServer("--paused", "seek") as server, server.connect(X_Forwarded_For="192.0.2.44"):
            self.assert_logged(server, "connected from 127.0.0.1")

    def test_what_lies_at_the_path(self):
        with WebServer("--paused", "seek", web="unix:" + self.path).doomed():
            result = run_server("--port", "0", "--web", "unix:" + self.path, "seek")
            self.assertIn("is in use, or is no socket; nothing was removed", result.stderr)
        self.assertTrue(os.path.exists(self.path))  # it was killed
        with WebServer("--paused", "seek", web="unix:" + self.path):
            self.assertEqual(ask(self.path)[0], 200)
        pathlib.Path(self.path).write_text("a file")
        self.assertIn("nothing was removed", run_server("--port", "0", "--web", "unix:" + self.path, "seek").stderr)
        self.assertEqual(pathlib.Path(self.path).read_text(), "a file")


class Places(UnixSocket):
    """A Unix socket's path, and two servers."""

    def test_a_server_leaves_the_socket_of_another_one(self):
        with WebServer("--paused", "seek", web="unix:" + self.path) as first:
            os.unlink(self.path)
            with WebServer("--paused", "seek", web="unix:" + self.path):
                self.assertEqual(first.stop(), 0)
                self.assertEqual(ask(self.path)[0], 200)
        self.assertFalse(os.path.exists(self.path))

    def test_a_server_that_is_stuck_keeps_its_place(self):
        with WebServer("--paused", "seek", web="unix:" + self.path).doomed() as stuck, contextlib.ExitStack() as stack:
            stuck.process.send_signal(signal.SIGSTOP)
            with contextlib.suppress(BlockingIOError):  # there is no room for further connections
                while True:
                    waiting = stack.enter_context(socket.socket(socket.AF_UNIX))
                    waiting.setblocking(False)
                    waiting.connect(self.path)
            result = run_server("--port", "0", "--web", "unix:" + self.path, "seek")
            self.assertIn("is in use, or is no socket; nothing was removed", result.stderr)


class Full(Web):
    def test_one_too_many(self):
        with WebServer("--paused", "--max-clients", "3", "seek") as server, contextlib.ExitStack() as stack:
            for _ in range(3):
                stack.enter_context(server.connect())
            more = stack.enter_context(server.connect(hello=False))
            messages = more.until_closed()
            self.assertEqual([(m["op"], m["reason"], m["retry_s"]) for m in messages], [("bye", "full", 2)])
            self.assertEqual((more.close_code, more.close_reason), (1013, b"full"))
            tcp = stack.enter_context(server.connect_tcp(hello=False))  # both doors count the same sessions
            self.assertEqual([m["reason"] for m in tcp.until_closed()], ["full"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
