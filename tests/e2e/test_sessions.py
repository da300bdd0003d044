"""Connections: hello, every way to leave, not reading, too many. No client's trouble affects another client."""

import contextlib
import ctypes
import errno
import os
import re
import signal
import socket
import stat
import subprocess
import threading
import time
import unittest

from drover_client import MEASURED_MEMORY, PATIENCE_S, Case, Closed, Server, parse_strict, tool, wait_for


class Greeting(Case):
    def test_hello(self):
        with Server("--paused", "seek") as server, server.connect() as client, server.connect() as other:
            hello = client.hello
            self.assertEqual(list(hello)[:2], ["op", "protocol"])
            self.assertEqual(hello["protocol"], 1)
            self.assertRegex(hello["server"], r"^drover-server \d+\.\d+\.\d+$")
            self.assertNotEqual(hello["session"], other.hello["session"])
            self.assertEqual((hello["tick"], hello["time"], hello["paused"]), (0, 0, True))
            scenario = hello["scenario"]
            self.assertEqual((scenario["name"], scenario["size"], scenario["tick_hz"]), ("seek", [800, 480], 60))
            client.request("spawn", kind=scenario["kinds"][0]["name"], count=4)
            client.request("step", count=90)
            late = server.hello()
            self.assertEqual((late["tick"], late["time"], late["scenario"]["kinds"][0]["count"]), (90, 1.5, 5))

    def test_no_subscription_no_snapshots(self):
        with Server("seek") as server, server.connect() as client, server.connect() as watcher:
            watcher.request("subscribe", hz=60)
            for _ in range(20):
                watcher.receive_op("snapshot")
            self.assertEqual(client.flush(), [])

    def test_addresses(self):
        with Server("--paused", "seek") as server:
            self.assertEqual(server.address, "127.0.0.1")
            with socket.socket() as elsewhere:  # loopback only: another local address does not answer
                elsewhere.settimeout(5)
                with self.assertRaises(OSError):
                    elsewhere.connect(("127.0.0.2", server.port))


class Leaving(Case):
    def setUp(self):
        self.server = Server("seek")

    def tearDown(self):
        with self.server:
            with self.server.connect() as client:
                self.assert_reply(client.request("ping"), "ping")

    def test_vanishing_clients_free_what_they_held(self):
        with self.server.connect() as client:
            client.request("ping")  # the server is intact
            before = self.server.descriptor_count() - 1  # without this client
        for round_number in range(60):
            client = self.server.connect(hello=round_number % 2 == 0)
            client.send("subscribe", hz=60)
            client.send("step", count=5)
            if round_number % 3 == 0:
                client.receive_op("snapshot") if round_number % 2 == 0 else client.read_line()
            client.vanish()
        wait_for(lambda: self.server.descriptor_count() <= before, "the descriptors of vanished clients are closed")

    def test_a_client_that_vanishes_during_a_step_and_a_load(self):
        with self.server.connect() as client:
            client.request("pause")
        for op, fields in [("step", {"count": 2000}), ("load", {"scenario": "arrive"})]:
            client = self.server.connect()
            client.send(op, id=1, **fields)
            client.vanish()
        with self.server.connect() as client:
            self.assertEqual(client.request("list", what="kinds")["op"], "reply")

    def test_half_close_gets_its_answers_and_goodbye(self):
        with self.server.connect() as client:
            client.send_raw('{"op":"pause"}\n{"op":"step","id":1,"count":500}\n{"op":"list","id":2,"what":"targets"}\n')
            client.half_close()
            messages = client.until_closed()
        self.assertEqual([m.get("id") for m in messages if m["op"] == "reply"], [1, 2], messages)
        self.assertEqual((messages[-1]["op"], messages[-1]["reason"]), ("bye", "client"))

    def test_half_close_of_a_subscriber_keeps_the_stream(self):
        with self.server.connect() as client:
            client.request("subscribe", hz=30)
            client.half_close()
            ticks = [client.receive_op("snapshot")["tick"] for _ in range(20)]
        self.assertEqual(ticks, sorted(set(ticks)))

    def test_half_close_behind_many_lines(self):
        with self.server.connect() as client:
            client.send_raw("".join('{"op":"ping","id":%d}\n' % i for i in range(1000)))
            client.half_close()
            messages = client.until_closed()
        answers = [m for m in messages[:-1] if m.get("code") != "rate"]  # this many at once are held back, and all answered
        self.assertEqual([m.get("id") for m in answers], list(range(1000)))
        self.assertEqual((messages[-1]["op"], messages[-1]["reason"]), ("bye", "client"))

    def test_a_reset_is_noticed_when_nothing_is_read_or_written_any_more(self):
        with Server("--paused", "seek") as server:
            with server.connect() as other:
                other.request("ping")
                before = server.descriptor_count()
                client = server.connect()
                client.request("subscribe")
                client.receive_op("snapshot")
                client.half_close()
                other.request("ping")
                time.sleep(0.3)  # the server has read the end
                client.vanish()
                wait_for(lambda: server.descriptor_count() <= before, "the descriptor is closed")

    def test_nc(self):
        requests = '{"op":"pause"}\n{"op":"step","id":1,"count":60}\n{"op":"ping","id":2}\n'
        for option in (["-q", "1"], ["-N"]):  # Debian's nc -q waits at the end of input; -N ends with the server's goodbye
            result = subprocess.run([tool("nc"), *option, "127.0.0.1", str(self.server.port)], input=requests.encode(),
                                    capture_output=True, timeout=30)
            messages = [parse_strict(line) for line in result.stdout.splitlines()]
            self.assertEqual(messages[0]["op"], "hello")
            self.assertEqual({m.get("id") for m in messages if m["op"] == "reply"}, {1, 2}, messages)
            self.assertEqual(messages[-1]["op"], "bye")

    def test_bye_to_all_at_the_end(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Server("seek") as server, server.connect() as idle, server.connect() as watcher, \
                    server.connect() as stepper:
                watcher.request("subscribe", hz=60)
                watcher.receive_op("snapshot")
                stepper.send_raw('{"op":"pi')  # half a line does not make the server wait
                self.assertEqual(server.stop(number), 0, server.stderr())
                for client in (idle, watcher, stepper):
                    last = client.until_closed()[-1]
                    self.assertEqual((last["op"], last["reason"]), ("bye", "shutdown"))

    def test_the_end_does_not_wait_for_those_who_do_not_read(self):
        with Server("seek") as server:
            deaf = server.connect(receive_buffer=4096)
            deaf.send("spawn", kind="seeker", count=3000)
            deaf.send("subscribe", hz=60)
            time.sleep(1.0)  # until the pipe is full
            started = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - started, 8)
            deaf.socket.close()

    def test_the_end_during_a_long_step(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            client.request("spawn", kind="seeker", count=500)  # with ticks short enough to be done first
            client.send("step", id=1, count=100000)
            client.send("set_target", id=2, name="mouse", x=1, y=1)
            wait_for(lambda: client.request("ping")["tick"] > 0, "the step is under way")
            started = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - started, 8)
            messages = client.until_closed()
            answers = [(m["op"], m["id"]) for m in messages if "id" in m and m.get("to") != "ping"]
            self.assertEqual(answers[-1:], [("error", 2)], messages)  # waiting requests are answered, too
            self.assertEqual([number for _, number in answers], [1, 2], messages)
            step = next(m for m in messages if m.get("id") == 1)  # and so is the step under way, with the tick it reached
            self.assert_reply(step, "step", stopped=True)
            self.assertRegex(step["hash"], "^[0-9a-f]{16}$")


class Full(Case):
    def test_one_too_many(self):
        with Server("--max-clients", "3", "--paused", "seek") as server:
            clients = [server.connect() for _ in range(3)]
            extra = server.connect(hello=False)
            messages = extra.until_closed()
            extra.socket.close()
            self.assertEqual((messages[-1]["op"], messages[-1]["reason"]), ("bye", "full"), messages)
            self.assertNotIn("hello", [m["op"] for m in messages])
            for client in clients:
                self.assert_reply(client.request("ping"), "ping")
            clients.pop().socket.close()

            def admitted():
                with server.connect(hello=False) as client:
                    return client.receive()["op"] == "hello"

            wait_for(admitted, "a seat that was left is given away again")
            for client in clients:
                client.socket.close()

    def test_many_clients(self):
        with Server("--paused", "seek") as server:
            clients = [server.connect() for _ in range(100)]
            self.assertEqual(len({c.hello["session"] for c in clients}), 100)
            for client in clients:
                client.send("subscribe", id=1)
            for client in clients:
                self.assert_reply(client.answer_to(1), "subscribe")
                client.receive_op("snapshot")
            clients[50].request("step")
            lines = set()
            for client in clients:
                self.assertEqual(client.receive_op("snapshot")["tick"], 1)
                lines.add(client.last_line)
                client.socket.close()
            self.assertEqual(len(lines), 1)


class Sockets(Case):
    def test_options(self):
        """The server's own end of the connection, borrowed through pidfd_getfd."""
        pidfd_open, pidfd_getfd, tcp_notsent_lowat = 434, 438, 25
        call = ctypes.CDLL(None, use_errno=True).syscall
        with Server("seek") as server, server.connect() as client:
            client.request("ping")
            process = call(pidfd_open, server.pid, 0)
            if process < 0:
                self.skipTest("no pidfd_open")
            found = []
            for name in os.listdir(f"/proc/{server.pid}/fd"):
                descriptor = call(pidfd_getfd, process, int(name), 0)
                if descriptor < 0:
                    if ctypes.get_errno() in (errno.EPERM, errno.ENOSYS):
                        self.skipTest("no pidfd_getfd")
                    continue
                if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                    os.close(descriptor)
                    continue
                with socket.socket(fileno=descriptor) as end:
                    if end.family == socket.AF_INET and not end.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                        found.append((end.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY),
                                      end.getsockopt(socket.IPPROTO_TCP, tcp_notsent_lowat)))
            os.close(process)
            self.assertEqual(found, [(1, 16384)], "TCP_NODELAY, TCP_NOTSENT_LOWAT")


class Flooding(Case):
    def test_one_flood_does_not_fill_the_queue(self):
        with Server("--paused", "--rate", "0", "seek") as server, server.connect() as flood, server.connect() as other:
            other.request("spawn", kind="seeker", count=2000)
            flood.send("step", count=4000)  # the world is busy for a while
            count = 6000  # more than the command queue holds
            writer = threading.Thread(target=lambda: flood.send_raw(
                "".join('{"op":"pause","id":%d}\n' % i for i in range(count))))
            writer.start()
            other.send("pause", id="other")
            answers = [flood.answer_to(i) for i in range(count)]
            writer.join()
            self.assertEqual({m["op"] for m in answers}, {"reply"}, "no error says that the server is busy")
            self.assert_reply(other.answer_to("other"), "pause")


class NotReading(Case):
    def test_a_client_that_never_reads(self):
        with Server("seek", environment=MEASURED_MEMORY) as server, server.connect() as other, Server("seek") as free, \
                free.connect() as alone:
            for client in (other, alone):
                client.request("spawn", kind="seeker", count=2000)  # 180 KB a snapshot
            watchers = [server.connect(), free.connect()]
            for watcher in watchers:
                watcher.request("subscribe", hz=60)
            deaf = [server.connect(receive_buffer=4096) for _ in range(5)]
            for client in deaf:
                client.send("subscribe", hz=60)
            self.ticks_beside(other, alone, watchers, 0.5)  # the pipes fill
            before = server.rss_bytes()
            # Both servers at the same time, on the same busy machine; it may hold up one of them for a while, but not again and again.
            shares = []
            while len(shares) < 4 and max(shares, default=0.0) < 0.5:
                shares.append(self.ticks_beside(other, alone, watchers, 1.5))
            grown = server.rss_bytes() - before
            self.assertGreater(max(shares), 0.5, f"ticks beside clients that do not read, as a share of those without: {shares}")
            self.assertLess(grown, 16 << 20, "what the server keeps for clients that do not read")
            for watcher in watchers:
                watcher.socket.close()
            # 10 s without a byte accepted: each gets bye and is closed, and its memory is released.
            with_deaf = server.descriptor_count()
            wait_for(lambda: server.descriptor_count() <= with_deaf - 5, "clients that do not read are closed", 40)
            for client in deaf:
                self.assert_told_slow(client)
            self.assert_reply(other.request("ping"), "ping")

    def assert_told_slow(self, client):
        # The goodbye arrives only as far as the pipe has room for it: a reset is an end, too.
        try:
            last = b""
            while True:
                last = client.read_line(10)
        except (Closed, AssertionError):
            if last.startswith(b'{"op":"bye"'):
                self.assertEqual(parse_strict(last)["reason"], "slow")
        finally:
            client.socket.close()

    def ticks_beside(self, client, alone, watchers, seconds):
        """Ticks of one server while another one has a tick; both are watched."""
        first = [one.request("ping")["tick"] for one in (client, alone)]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for watcher in watchers:
                watcher.receive_op("snapshot")
        last = [one.request("ping")["tick"] for one in (client, alone)]
        return (last[0] - first[0]) / max(1, last[1] - first[1])

    def test_frames_take_no_more_memory_than_is_allowed(self):
        """Nine clients that read nothing, each with a view of its own, and one that reads: the bound holds and the reader goes on."""
        limit = 1 << 20
        with Server("--frame-memory", "1M", "seek") as server, server.connect() as client, contextlib.ExitStack() as stack:
            client.request("spawn", kind="seeker", count=2000)
            for number in range(9):
                deaf = stack.enter_context(server.connect(receive_buffer=4096))
                deaf.request("subscribe", hz=60, region=[-1000 - number, -1000, 20000, 20000])
            client.request("subscribe", hz=60)
            started, frames, most, slow = time.monotonic(), 0, 0, 0
            while time.monotonic() < started + 6 or slow < 4:
                self.assertLess(time.monotonic(), started + PATIENCE_S)
                frames += client.receive()["op"] == "snapshot"
                if frames % 10 == 0:
                    memory = client.request("stats")["frame_memory"]
                    most = max(most, memory["now"])
                    self.assertEqual(memory["limit"], limit)
                    self.assertLessEqual(memory["most"], limit)
                    slow = 10 - client.request("stats")["sessions"]["now"]  # the log folds many lines of one cause
            self.assert_logged(server, "bye slow (the memory for frames is used up")
            self.assertGreater(most, limit // 2, "they hold what they do not read")
            self.assertGreater(frames, 5, "and the reading client gets frames")

    def test_a_view_too_large_for_the_memory_is_refused(self):
        with Server("--paused", "--frame-memory", "1M", "seek") as server, server.connect() as client:
            client.request("spawn", kind="seeker", count=13999)
            message = client.request("subscribe", forces=True)
            self.assert_error(message, "full")
            numbers = [int(number) for number in re.findall(r"\d+", message["message"])]
            self.assertEqual(numbers[1], 1 << 20)
            client.request("remove", kind="seeker")
            client.request("spawn", kind="seeker", count=1400)
            self.assert_reply(client.request("subscribe", forces=True), "subscribe")
            frame = client.receive_op("snapshot")
            self.assertTrue(0.5 < numbers[0] / 20 / len(client.last_line) < 2, "ten times the agents, two frames, about")
            self.assertEqual(len(frame["agents"]), 1400)
            client.request("spawn", kind="seeker", count=18600)
            self.assert_reply(client.request("subscribe", layout="density"), "subscribe")
            # Granted while the world was small: no frame comes, and a lag event says so; a region of it comes.
            with server.connect() as other:
                self.assert_reply(other.request("subscribe", region=[0, 0, 10, 10]), "subscribe")
                self.assertLess(len(other.receive_op("snapshot")["agents"]), 20000)

    def test_who_got_nothing_is_told_and_gets_it_when_there_is_room(self):
        with Server("--paused", "--frame-memory", "256K", "seek") as server, server.connect() as client:
            client.request("subscribe")
            client.receive_op("snapshot")
            client.request("spawn", kind="seeker", count=9000)
            self.assertGreater(client.receive_op("event")["count"], 0)
            lag = client.receive()
            self.assertEqual((lag["op"], lag.get("event")), ("event", "lag"), "no frame of 900 KB, but a lag event")
            client.request("remove", kind="seeker")
            self.assertEqual(client.receive_op("snapshot")["agents"], [])

    def test_replies_pile_up_to_a_limit(self):
        with Server("--paused", "seek", environment=MEASURED_MEMORY) as server, server.connect() as other:
            deaf = server.connect(receive_buffer=4096)
            deaf.socket.settimeout(10)
            before = server.rss_bytes()
            line = b'{"op":"get_params","id":"' + b"x" * 60 + b'"}\n'
            try:
                for _ in range(2000):  # asks for megabytes, reads none
                    deaf.send_raw(line * 50)
            except (ConnectionError, TimeoutError, socket.timeout):
                pass  # closed, or not read from any more: both are a bound
            wait_for(lambda: server.descriptor_count() < 1000, "descriptors")
            self.assertLess(server.rss_bytes() - before, 32 << 20)
            self.assert_reply(other.request("ping"), "ping")
            deaf.socket.close()

    def test_a_slow_reader_gets_the_newest(self):
        with Server("--paused", "seek", environment=MEASURED_MEMORY) as server, server.connect() as control:
            control.request("spawn", kind="seeker", count=2000)
            with server.connect(receive_buffer=4096) as slow:
                slow.send("subscribe", hz=60)
                control.request("resume")
                wait_for(lambda: control.request("ping")["tick"] > 150, "150 ticks pass unread")
                paused_at = control.request("pause")["tick"]
                ticks = []
                while not ticks or ticks[-1] < paused_at:
                    line = slow.read_line()
                    if line.startswith(b'{"op":"snapshot"'):
                        ticks.append(parse_strict(line)["tick"])
                self.assertEqual(ticks, sorted(set(ticks)), "never an old one late, never one twice")
                self.assertLess(len(ticks), 100, "those between were skipped")
                self.assertGreater(max(b - a for a, b in zip(ticks, ticks[1:])), 20)
                self.assertEqual(ticks[-1], paused_at, "the newest comes")

    def test_a_slow_reader_is_no_dead_one(self):
        with Server("--paused", "seek", environment=MEASURED_MEMORY) as server, server.connect() as control:
            control.request("spawn", kind="seeker", count=60000)  # 5 MB: more than the pipe takes
            with server.connect(receive_buffer=4096) as slow:
                slow.send("subscribe")
                end = time.monotonic() + 13.0  # longer than the 10 s that a dead client gets
                taken = b""
                while time.monotonic() < end:
                    taken += slow.socket.recv(16384)
                    time.sleep(0.2)
                self.assertLess(len(taken), 4 << 20, "slow enough")
                while not taken.endswith(b"\n"):
                    taken += slow.socket.recv(1 << 20)
                snapshot = parse_strict(taken.splitlines()[-1])
                self.assertEqual((snapshot["op"], len(snapshot["agents"])), ("snapshot", 60001))

    def test_a_slow_loris_costs_nothing(self):
        with Server("seek") as server, server.connect() as loris, server.connect() as other:
            for byte in b'{"op":"ping","id"':
                loris.send_raw(bytes([byte]))
                self.assert_reply(other.request("ping"), "ping")
            loris.send_raw(':5}\n')
            self.assert_reply(loris.receive(), "ping", id=5)


if __name__ == "__main__":
    unittest.main()
