"""A client that reads gets all replies and is never closed as slow, at any pace; a script in lock-step is never held back;
a last line without an end counts; every refused client gets a reason."""

import json
import socket
import threading
import time
import unittest

from drover_client import MEASURED_MEMORY, Case, Server, parse_strict, wait_for

SIXTEEN = list(range(1, 17))
LONG = [("help", {}, 200), ("list", {}, 400), ("get_params", {}, 400), ("inspect", {"agents": SIXTEEN}, 400)]


def lines(op, fields, count):
    return "".join(json.dumps({"op": op, "id": i, **fields}) + "\n" for i in range(count))


class LongReplies(Case):
    """Thousands of kilobytes of replies, requested at once."""

    def answers(self, client, count):
        found = []
        while len(found) < count:
            message = client.receive()
            self.assertNotEqual(message["op"], "bye", f"after {len(found)} of {count} answers")
            found += [message] if "id" in message else []
        return found

    def test_all_are_answered_in_order(self):
        with Server("--paused", "hunters_and_prey") as server:
            for op, fields, count in LONG:
                with self.subTest(op=op), server.connect() as client:
                    writer = threading.Thread(target=client.send_raw, args=(lines(op, fields, count),))
                    writer.start()
                    answers = self.answers(client, count)
                    writer.join()
                    self.assertEqual([m["id"] for m in answers], list(range(count)))
                    self.assertEqual({m["op"] for m in answers}, {"reply"})

    def test_all_are_answered_in_a_world_that_runs(self):
        with Server("hunters_and_prey") as server, server.connect() as client:
            writer = threading.Thread(target=client.send_raw, args=(lines("get_params", {}, 150),))
            writer.start()
            self.assertEqual([m["id"] for m in self.answers(client, 150)], list(range(150)))
            writer.join()

    def test_all_are_answered_to_a_slow_reader_who_hangs_up_its_side(self):
        """Half a megabyte a second, a half close behind the last request: the replies take longer than the 1 s that a goodbye has
        when the client does not read."""
        with Server("--paused", "--rate", "0", "hunters_and_prey") as server:
            with server.connect(receive_buffer=8192) as client:
                client.socket.sendall(lines("help", {}, 150).encode())
                client.half_close()
                data, pause = b"", 16384 / 250_000
                while True:
                    more = client.socket.recv(16384)
                    if not more:
                        break
                    data += more
                    time.sleep(pause)
                messages = [parse_strict(line) for line in data.splitlines()]
                self.assertEqual([m["id"] for m in messages if m["op"] == "reply"], list(range(150)))
                self.assertEqual((messages[-1]["op"], messages[-1]["reason"]), ("bye", "client"))

    def test_a_stop_waits_for_no_slow_reader(self):
        with Server("--paused", "--rate", "0", "hunters_and_prey") as server:
            slow = server.connect(receive_buffer=4096)
            slow.socket.settimeout(1)
            try:
                slow.send_raw(lines("help", {}, 2000))
            except OSError:
                pass
            slow.half_close()
            reading = threading.Event()

            def read():
                try:
                    while slow.socket.recv(512):
                        reading.set()
                        time.sleep(0.05)
                except OSError:
                    pass

            reader = threading.Thread(target=read)
            reader.start()
            reading.wait(10)
            started = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - started, 8)
            reader.join()
            slow.socket.close()


class Events(Case):
    def test_a_burst_of_events_closes_no_session(self):
        """More events than a session's queue has room for, for a slow reader: the number left out is reported, with the world
        as it is now, and then events go on."""
        with Server("--paused", "--rate", "0", "seek", environment=MEASURED_MEMORY) as server:
            with server.connect() as actor, server.connect(receive_buffer=4096) as watcher:
                watcher.request("subscribe", hz=30)
                watcher.receive_op("snapshot")
                count = 0
                for _ in range(30):  # 3 MB of events
                    text = "".join(
                        json.dumps({"op": "add_obstacle", "polygon": [[10 + i % 700, 10], [20 + i % 700, 10], [20 + i % 700, 20]]}) + "\n"
                        + json.dumps({"op": "remove_obstacle", "obstacle": count + i + 1}) + "\n" for i in range(400))
                    actor.send_raw(text)
                    count += 400
                    actor.flush()
                    watcher.sip()
                actor.request("add_target", name="x" * 31, x=77, y=88)
                actor.request("load", scenario="arrive")
                actor.flush()
                behind, left_out, told = None, 0, 0
                while behind is None:
                    message = watcher.receive()
                    self.assertNotEqual(message["op"], "bye")
                    told += message.get("event") in ("obstacle_added", "obstacle_removed")
                    if message.get("event") == "lag" and "left_out" in message:
                        left_out += message["left_out"]
                        self.assertIn("skipped", message)
                        behind = watcher.receive()
                self.assertEqual(behind["op"], "scenario", "how the world is now")
                self.assertEqual(behind["name"], "arrive")
                self.assertGreater(left_out, 1000)
                self.assertGreater(told, 100)
                snapshot = watcher.receive_op("snapshot")
                self.assertEqual(snapshot["tick"], 0)
                actor.request("step", count=3)
                wait_for(lambda: watcher.receive_op("snapshot")["tick"] == 3, "frames go on")
                actor.request("set_param", kind="arriver", param="max_speed", value=99)
                actor.request("add_target", name="den", x=1, y=2)
                wait_for(lambda: watcher.receive().get("target") == "den", "events go on")
                self.assertLess(server.rss_bytes(), 64 << 20)


class LockStep(Case):
    """set_target, set_target, step, and a wait for one reply: a script on its own paused world."""

    def rounds(self, client, count, targets=2):
        text = '{"op":"set_target","name":"mouse","x":1,"y":1}\n' * targets
        started = time.monotonic()
        for i in range(count):
            client.send_raw(text + '{"op":"step","id":%d}\n' % i)
            self.assert_reply(client.answer_to(i), "step")
        return count / (time.monotonic() - started)

    def test_it_is_never_held_back(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            rate = self.rounds(client, 2000)
            self.assertEqual(client.flush(), [], "no rate error")
            self.assertGreater(rate, 200, "rounds a second: 67 at 200 requests a second")

    def test_many_lines_a_step(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.rounds(client, 1)
            self.rounds(client, 20, targets=1000)
            self.assertEqual(client.flush(), [])

    def test_a_step_that_is_refused_forgives_nothing(self):
        with Server("seek") as server, server.connect() as client:
            started = time.monotonic()
            client.send_raw("".join('{"op":"step","id":%d}\n' % i for i in range(900)))
            for i in range(900):
                self.assert_error(client.answer_to(i), "not_paused")
            self.assertGreater(time.monotonic() - started, 1.5, "900 at 200 a second after a burst of 400")


class LastLine(Case):
    def test_a_last_line_without_an_end_is_answered(self):
        with Server("--paused", "seek") as server:
            for text, op, code in [('{"op":"ping","id":1}', "reply", None), ('{"op":"ping","id":1}\r', "reply", None),
                                   ('{"op":"step","id":1,"count":7}', "reply", None), ('{"op":"pi', "error", "parse"),
                                   ('{"op":"fly","id":1}', "error", "unknown_op"), ("GE", "error", "parse")]:
                for before in ("", '{"op":"list","id":0}\n'):
                    with self.subTest(text=text, before=before), server.connect() as client:
                        client.send_raw(before + text)
                        client.half_close()
                        # A machine so busy that an answer takes long is told of by `stepping`.
                        messages = [m for m in client.until_closed() if m.get("event") != "stepping"]
                        answer = [m for m in messages if m.get("id") == 1 or m.get("code") == "parse"]
                        self.assertEqual([(m["op"], m.get("code")) for m in answer], [(op, code)], messages)
                        self.assertEqual((messages[-1]["op"], messages[-1]["reason"]), ("bye", "client"))
                        self.assertEqual(len(messages), 2 + bool(before), messages)

    def test_one_that_was_too_long_is_told_once(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            client.send_raw(b"x" * 1100000)
            client.half_close()
            self.assertEqual([m.get("code", m["op"]) for m in client.until_closed()], ["too_long", "bye"])

    def test_behind_many_lines(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            client.send_raw(lines("ping", {}, 1000) + '{"op":"step","id":"last"}')
            client.half_close()
            answers = [m["id"] for m in client.until_closed() if "id" in m]
            self.assertEqual(answers, [*range(1000), "last"])


class Refused(Case):
    def test_all_are_told(self):
        """Many more connections at once than the server has sessions for refusals; half of them send first."""
        with Server("--paused", "--max-clients", "50", "seek") as server:
            inside = [server.connect() for _ in range(50)]
            crowd = []
            for i in range(300):
                connection = socket.create_connection(("127.0.0.1", server.port), 20)
                if i % 2:
                    connection.sendall(b'{"op":"ping","id":1}\n')
                crowd.append(connection)
            told = 0
            for connection in crowd:
                data = b""
                while True:
                    try:
                        more = connection.recv(4096)
                    except ConnectionResetError:
                        break
                    if not more:
                        break
                    data += more
                connection.close()
                bye = parse_strict(data.rstrip(b"\n"))
                told += (bye["op"], bye["reason"], bye["retry_s"]) == ("bye", "full", 2)
            self.assertEqual(told, 300)
            for client in inside:
                self.assert_reply(client.request("ping"), "ping")
            self.assertEqual(inside[0].request("stats")["sessions"]["refused"], 300)
            for client in inside:
                client.socket.close()


if __name__ == "__main__":
    unittest.main()
