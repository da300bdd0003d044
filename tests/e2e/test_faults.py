"""The 25 faults a server on a network meets, each by its number (docs/testing.md has the table): the input,
the required answer, and no effect on other clients. Those that take 10 s and more are in test_faults_slow.py."""

import math
import os
import pathlib
import resource
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from drover_client import (MEASURED_MEMORY, ROOT, Case, Client, Server, parse_strict, run_server, server_binary,
                           text_so_far, wait_for)


def raw(port, data, timeout=10.0, half_close=False):
    """All messages of the server to a client that only sends these bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout) as connection:
        connection.sendall(data)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        got = b""
        while True:
            try:
                more = connection.recv(65536)
            except ConnectionResetError:
                return got
            if not more:
                return got
            got += more


class Bytes(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--paused", "seek", environment=MEASURED_MEMORY)

    @classmethod
    def tearDownClass(cls):
        with cls.server:
            pass

    def setUp(self):
        self.client = self.server.connect()
        self.addCleanup(self.client.socket.close)

    def targets(self):
        return self.client.request("list", what="targets")["targets"]

    def test_01_a_line_that_is_too_long(self):
        before = self.server.rss_bytes()
        self.client.send_raw(b"x" * 1048577)
        self.assert_error(self.client.receive(), "too_long", line=1)
        self.client.send_raw(b"x" * (8 << 20))
        self.client.send_raw(b'\n{"op":"ping","id":1}\n')
        self.assert_reply(self.client.receive(), "ping", id=1)
        self.assertLess(self.server.rss_bytes() - before, 4 << 20)
        self.client.send_raw((b"x" * 1048577 + b"\n") * 8)
        messages = self.client.until_closed()
        self.assertEqual([m.get("code") for m in messages[:-1]], ["too_long"] * 8)
        self.assertEqual((messages[-1]["op"], messages[-1]["reason"]), ("bye", "protocol"))

    def test_03_pieces_and_packets(self):
        line = b'{"op":"set_target","id":1,"name":"mouse","x":11,"y":22}\n'
        for i in range(0, len(line), 3):
            self.client.send_raw(line[i : i + 3])
            time.sleep(0.002)
        self.assert_reply(self.client.receive(), "set_target", id=1, x=11, y=22)
        self.client.send_raw(b"".join(b'{"op":"set_target","id":%d,"name":"mouse","x":%d,"y":1}\n' % (i, i) for i in range(50)))
        for i in range(50):
            self.assert_reply(self.client.receive(), "set_target", id=i, x=i)

    def test_04_not_json(self):
        before = self.targets()
        for line in [b'{"op":"mouse","x":NaN,"y":1}', b'{"op":"mouse","x":Infinity,"y":1}', b'{"op":"mouse","x":1e999,"y":1}',
                     b'{"op":"ping"}x', b'{"op":"ping","a":"\\ud800"}', b'{"op":"pi\0ng"}', b'\xef\xbb\xbf{"op":"ping"}',
                     b'{"op":"ping","a":"\xff"}', b"{"]:
            with self.subTest(line=line):
                self.client.send_raw(line + b"\n")
                message = self.client.receive()
                self.assert_error(message, "parse")
                self.assertRegex(message["message"], r"^byte \d+: ")
                self.assertGreater(message["line"], 0)
                self.assert_reply(self.client.request("ping"), "ping")
        self.assertEqual(self.targets(), before)

    def test_05_deep_nesting(self):
        for line in (b"[" * 65536, b"[" * 2000000, b'{"a":' * 13000):
            self.client.send_raw(line + b"\n")
            self.assertIn(self.client.receive()["code"], ("parse", "too_long"))
            self.assert_reply(self.client.request("ping"), "ping")

    def test_06_json_that_is_no_object(self):
        for line in ("[]", "5", "null", '"ping"', "true"):
            self.client.send_raw(line + "\n")
            self.assert_error(self.client.receive(), "invalid")
        self.client.send_raw("\n\r\n")
        self.assertEqual(self.client.flush(), [])

    def test_07_unknown_op_and_unknown_fields(self):
        message = self.client.request("puase")
        self.assert_error(message, "unknown_op", field="op")
        self.assertIn('did you mean "pause"?', message["message"])
        self.assert_reply(self.client.request("ping", color=[1, {"a": None}]), "ping")

    def test_08_wrong_types_and_ranges(self):
        hash_before = self.client.request("step", count=1)["hash"]
        for op, fields, code, field in [
            ("mouse", {"x": "a", "y": 1}, "bad_param", "x"), ("mouse", {"x": 1}, "bad_param", "y"),
            ("step", {"count": 0}, "out_of_range", "count"), ("step", {"count": 10**9}, "out_of_range", "count"),
            ("subscribe", {"hz": 0}, "out_of_range", "hz"), ("spawn", {"kind": "seeker", "count": 10**9}, "out_of_range", "count"),
            ("set_param", {"kind": "seeker", "param": "max_speed", "value": -1}, "out_of_range", "value"),
            ("spawn", {"kind": "seeker", "x": 1, "y": 2, "vx": 1e30}, "out_of_range", "vx"),
        ]:
            with self.subTest(op=op, fields=fields):
                message = self.client.request(op, **fields)
                self.assert_error(message, code, field=field)
                if code == "out_of_range":
                    self.assertRegex(message["message"], r"range: \S+ to \S+")
        with self.server.connect() as other:  # no request took effect: the next tick is the regular one
            self.assertEqual(sum(k["count"] for k in other.hello["scenario"]["kinds"]), 1)
        self.assertNotEqual(self.client.request("step", count=1)["hash"], hash_before)

    def test_09_a_key_twice(self):
        for line in ('{"op":"pause","op":"remove"}', '{"op":"ping","\\u006fp":"remove"}'):
            self.client.send_raw(line + "\n")
            self.assert_error(self.client.receive(), "invalid")

    def test_10_places_outside_the_world(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
            size, edge = client.hello["scenario"]["size"], client.hello["scenario"]["edge"]
            self.assertIn(edge, ("wrap", "bounce", "contain"))
            for x, y in [(-500000, 999999.99), (1e6, -1e6), (-0.0, -0.0)]:
                reply = client.request("set_target", name="mouse", x=x, y=y)
                self.assert_reply(reply, "set_target")
                self.assertTrue(0 <= reply["x"] <= size[0] and 0 <= reply["y"] <= size[1], reply)
                self.assertEqual(client.request("list", what="targets")["targets"][0]["x"], reply["x"])
            self.assertNotIn(b"-0.00", client.last_line)
            for x in (1e308, -1e308, 1000001):
                self.assert_error(client.request("set_target", name="mouse", x=x, y=1), "out_of_range", field="x")
            client.request("step", count=60)
            for agent in client.snapshot()["agents"]:
                self.assertTrue(all(math.isfinite(agent[k]) for k in ("x", "y", "vx", "vy")), agent)

    def test_11_agents_that_are_not_there(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.assert_error(client.request("set_target", agent=77, x=1, y=1), "no_agent", field="agent")
            self.assert_reply(client.request("remove", agents=[1, 77]), "remove", removed=1, missing=[77])
            self.assert_reply(client.request("remove", agents=[1, 77]), "remove", removed=0, missing=[1, 77])

    def test_12_spawn_until_full(self):
        with Server("--paused", "seek", environment=MEASURED_MEMORY) as server, server.connect() as client:
            agents = 1
            while agents + 100000 <= 1048576:
                self.assert_reply(client.request("spawn", kind="seeker", count=100000, x=1, y=1), "spawn")
                agents += 100000
            message = client.request("spawn", kind="seeker", count=100000, x=1, y=1)
            self.assert_error(message, "full")
            self.assertIn("1048576", message["message"])
            self.assertEqual(client.request("stats")["agents"], agents)
            self.assert_reply(client.request("spawn", kind="seeker", count=1048576 - agents, x=1, y=1), "spawn")
            self.assert_error(client.request("spawn", kind="seeker", x=1, y=1), "full")

    def test_21_versions_and_hello(self):
        self.assert_reply(self.client.request("subscribe"), "subscribe")  # before any hello
        message = self.client.request("hello", protocol=9)
        self.assert_error(message, "version", field="protocol")
        self.assertIn("[1,1]", message["message"])
        self.assert_reply(self.client.request("hello", protocol=1, name="Ann"), "hello", role="admin", name="Ann")
        self.assert_error(self.client.request("hello", protocol=1), "invalid")
        with self.server.connect() as other:
            self.assert_error(other.request("hello", name="a\tb"), "bad_param", field="name")
            self.assert_error(other.request("hello", name="x" * 32), "bad_param", field="name")

    def test_22_http_tls_and_websocket(self):
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(200))
        for data in [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", hello,
                     b'POST / HTTP/1.1\r\nContent-Length: 40\r\n\r\n{"op":"set_target","name":"mouse","x":7,"y":7}\n',
                     b"GET /chat HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n"]:
            with self.subTest(data=data[:20]):
                before = self.targets()
                got = raw(self.server.port, data)
                first, answer = got.split(b"\n", 1)
                self.assertEqual(parse_strict(first)["op"], "hello")
                self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), answer)
                head, body = answer.split(b"\r\n\r\n")
                self.assertIn(b"Content-Length: %d" % len(body), head)
                self.assertEqual(self.targets(), before)
        with socket.create_connection(("127.0.0.1", self.server.port), 10) as connection:  # byte by byte
            for byte in b"GET / HTTP":
                try:
                    connection.sendall(bytes([byte]))
                except OSError:
                    break
                time.sleep(0.005)
            self.assertIn(b"HTTP/1.1 400 ", b"".join(iter(lambda: connection.recv(4096), b"")))
        request = b'{"op":"set_target","name":"mouse","x":7,"y":7}\n'
        for head in [b"FOO / HTTP/1.1\r\n", b"patch / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                     b"FOO /" + b"a" * 1100000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"]:  # the first line is skipped
            with self.subTest(head=head[:20]):
                before = self.targets()
                self.assertIn(b"HTTP/1.1 400 ", raw(self.server.port, head + request))
                self.assertEqual(self.targets(), before)
        noise = bytes((i * 7919 + 13) % 256 for i in range(50000))
        raw(self.server.port, noise, half_close=True)
        self.assert_reply(self.client.request("ping"), "ping")


class Coming(Case):
    def test_02_a_slow_loris(self):
        with Server("seek", environment=MEASURED_MEMORY) as server, server.connect() as other:
            before = server.rss_bytes()
            lorises = [server.connect() for _ in range(50)]
            for byte in b'{"op":"p':
                for loris in lorises:
                    loris.send_raw(bytes([byte]))
                self.assert_reply(other.request("ping"), "ping")
            # Each costs its descriptor, a session and one small buffer.
            self.assertLess(server.rss_bytes() - before, 50 * (128 << 10))
            for loris in lorises:
                loris.send_raw('ing","id":5}\n')
                self.assert_reply(loris.receive(), "ping", id=5)
                loris.socket.close()

    def test_02_a_slow_loris_is_idle(self):
        with Server("--idle", "1", "seek") as server, server.connect() as watcher:
            watcher.request("subscribe", hz=5)
            with server.connect() as loris:
                started = time.monotonic()
                messages = []
                while not messages and time.monotonic() < started + 20:
                    loris.send_raw(b" ")  # bytes, never a line
                    try:
                        messages.append(loris.receive(timeout=0.2))
                    except TimeoutError:
                        pass
                self.assertEqual((messages[0]["op"], messages[0]["reason"]), ("bye", "idle"))
                self.assertGreater(time.monotonic() - started, 0.8)
            watcher.receive_op("snapshot")  # a subscriber may be silent

    def test_16_half_close(self):
        with Server("--paused", "seek") as server:
            with server.connect() as client:
                client.send_raw('{"op":"step","id":1,"count":100}\n{"op":"list","id":2}\n{"op":"ping","id":3')
                client.half_close()
                messages = client.until_closed()
            self.assertEqual(sorted(m["id"] for m in messages if m["op"] == "reply"), [1, 2])
            self.assertEqual(messages[-1]["reason"], "client")
            with server.connect() as control, server.connect() as client:
                client.request("subscribe", hz=60)
                client.half_close()
                control.request("step")
                client.receive_op("snapshot")
                control.request("step")
                client.receive_op("snapshot")

    def test_17_resets(self):
        with Server("seek") as server, server.connect() as control:
            control.request("spawn", kind="seeker", count=3000)
            wait_for(lambda: control.request("stats")["sessions"]["now"] == 1, "one session")
            before = server.descriptor_count()
            for _ in range(30):
                client = server.connect(receive_buffer=4096)
                client.send("subscribe", hz=60)
                client.read_line()
                client.vanish()
            wait_for(lambda: server.descriptor_count() <= before, "descriptors are back")
            stats = control.request("stats")
            self.assertEqual((stats["sessions"]["now"], stats["sessions"]["subscribed"], stats["sessions"]["admin"]), (1, 0, 1))

    def test_19_descriptors_run_out(self):
        stderr = tempfile.TemporaryFile()
        server = subprocess.Popen([server_binary(), "--port", "0", "seek"], stdout=subprocess.PIPE, stderr=stderr, cwd=ROOT)
        try:
            port = int(server.stdout.readline().rsplit(b":", 1)[1])
            with Client(port) as first:
                first.request("subscribe", hz=30)
                before = len(os.listdir(f"/proc/{server.pid}/fd"))
                resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (40, resource.prlimit(server.pid, resource.RLIMIT_NOFILE)[1]))
                crowd = [socket.create_connection(("127.0.0.1", port), 10) for _ in range(60)]
                wait_for(lambda: len(os.listdir(f"/proc/{server.pid}/fd")) >= 40, "all descriptors are used")
                cpu_before = self.cpu_seconds(server.pid)
                for _ in range(40):  # existing sessions are served
                    first.receive_op("snapshot")
                self.assertLess(self.cpu_seconds(server.pid) - cpu_before, 1.0, "no spinning")
                for connection in crowd:
                    connection.close()
                wait_for(lambda: len(os.listdir(f"/proc/{server.pid}/fd")) <= before, "back to the baseline")
                with Client(port) as late:
                    self.assert_reply(late.request("ping"), "ping")
            self.assertEqual(text_so_far(stderr).count("cannot accept"), 1, "said once")
        finally:
            server.terminate()
            self.assertEqual(server.wait(20), 0)
            server.stdout.close()
            stderr.close()

    @staticmethod
    def cpu_seconds(pid):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_20_too_many(self):
        for option, words in (("--max-clients", "too many sessions"), ("--max-per-address", "from your address")):
            with Server(option, "5", "seek") as server:
                clients = [server.connect() for _ in range(5)]
                for _ in range(20):  # the count is exact, however often it is tried
                    with server.connect(hello=False) as extra:
                        bye = extra.receive()
                        self.assertEqual((bye["op"], bye["reason"], bye["retry_s"]), ("bye", "full", 2))
                        self.assertIn(words, bye["message"])
                for leaver in range(5):
                    clients[leaver].vanish()

                    def seated():
                        client = server.connect(hello=False)
                        if client.receive()["op"] == "hello":
                            clients.append(client)
                            return True
                        client.socket.close()
                        return False

                    wait_for(seated, "a seat that was left")
                    with server.connect(hello=False) as extra:
                        self.assertEqual(extra.receive()["reason"], "full")
                stats = clients[-1].request("stats")["sessions"]
                self.assertEqual((stats["now"], stats["ever"]), (5, 10))
                self.assertGreaterEqual(stats["refused"], 25)
                for client in clients:
                    client.socket.close()


class Ending(Case):
    def test_24_the_world_cannot_keep_up(self):
        with Server("seek") as server, server.connect() as client:
            client.request("subscribe", hz=60)
            before = client.request("stats")
            server.process.send_signal(signal.SIGSTOP)
            time.sleep(5)  # more than can be made up
            server.process.send_signal(signal.SIGCONT)
            wait_for(lambda: client.request("stats")["overruns"] > 0, "the overrun is counted")
            after = client.request("stats")
            done = after["tick"] - before["tick"]
            gone_s = after["uptime"] - before["uptime"]
            dropped = after["dropped_ticks"] - before["dropped_ticks"]
            self.assertGreater(dropped, 200, "what cannot be made up is left out")
            self.assertLess(done, 60 * (gone_s - 5) + 25, "at most 5 are made up at once")
            self.assertAlmostEqual(done + dropped, 60 * gone_s, delta=12)
            client.flush()
            for _ in range(5):
                snapshot = client.receive_op("snapshot")
                self.assertAlmostEqual(snapshot["time"], snapshot["tick"] / 60, places=5)

    def test_25_told_to_stop(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Server("--paused", "seek") as server:
                clients = [server.connect() for _ in range(3)]
                clients[0].send("get_params", id=1)
                clients[0].answer_to(1)
                started = time.monotonic()
                self.assertEqual(server.stop(number), 0)
                self.assertLess(time.monotonic() - started, 5)
                for client in clients:
                    self.assertEqual(client.until_closed()[-1]["reason"], "shutdown")
                    client.socket.close()

    def test_25_stopping_does_not_wait_for_a_stuck_reader(self):
        with Server("seek") as server, server.connect(receive_buffer=4096) as deaf:
            deaf.request("spawn", kind="seeker", count=5000)
            deaf.send("subscribe", hz=60)
            time.sleep(1)  # until the pipe is full
            started = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - started, 4)

    def test_25_hangup_does_no_harm(self):
        with Server("seek") as server, server.connect() as client:
            server.process.send_signal(signal.SIGHUP)
            for _ in range(100):
                self.assert_reply(client.request("ping"), "ping")

    def test_25_a_port_in_use(self):
        with Server("--paused", "seek") as server:
            result = run_server("--port", str(server.port), "seek")
            self.assertEqual(result.returncode, 1)
            self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_25_damaged_scenarios(self):
        whole = (ROOT / "scenarios/seek.json").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "cut.json")
            path.write_bytes(whole)
            with Server("--paused", "--scenarios", folder, "cut") as server, server.connect() as client:
                good = client.request("step", count=1)["hash"]
                for length in range(0, len(whole) - 2, max(1, len(whole) // 40)):
                    path.write_bytes(whole[:length])
                    self.assert_error(client.request("load", scenario="cut"), "bad_scenario", field="scenario")
                self.assert_error(client.request("load", scenario="cot"), "no_scenario")
                self.assertEqual(client.request("stats")["tick"], 1, "the old world goes on")
                path.write_bytes(whole)
                self.assert_reply(client.request("load", scenario="cut"), "load")
                self.assertEqual(client.request("step", count=1)["hash"], good)

    def test_25_memory_runs_out(self):
        """No block of more than 8 MB: a sanitizer has an option for it; without one, less address space than a million agents need."""
        program = pathlib.Path(server_binary()).read_bytes()
        sanitizers = {"ASAN_OPTIONS": b"__asan_init", "TSAN_OPTIONS": b"__tsan_init"}
        limits = "allocator_may_return_null=1:max_allocation_size_mb=8"
        environment = {name: f"{os.environ.get(name, '')}:{limits}" for name, mark in sanitizers.items() if mark in program}
        with Server("--paused", "seek", environment=environment) as server, server.connect() as client:
            if not environment:
                resource.prlimit(server.pid, resource.RLIMIT_AS, (220 << 20, 220 << 20))
            codes = set()
            for _ in range(10):
                codes.add(client.request("spawn", kind="seeker", count=100000, x=1, y=1).get("code"))
            self.assertIn("busy", codes)
            agents = client.request("stats")["agents"]
            self.assertEqual(agents % 100000, 1, "all or none")
            self.assert_reply(client.request("step", count=1), "step")
            self.assert_reply(client.request("remove", kind="seeker"), "remove", removed=agents)


if __name__ == "__main__":
    unittest.main()
