"""Roles, names, cursors, events, stats, help: what each role may do, and what other sessions see of it."""

import contextlib
import json
import os
import re
import select
import signal
import tempfile
import time
import unittest

from drover_client import MEASURED_MEMORY, Case, Server, run_server, wait_for

OPS = {
    "viewer": [("subscribe", {}), ("unsubscribe", {}), ("get_params", {}), ("measure", {}), ("export", {}), ("list", {}), ("list", {"what": "saves"}), ("list", {"what": "branches"}), ("list", {"what": "seats"}), ("list", {"what": "changes"}), ("stats", {}),
               ("cursor", {"x": 1, "y": 2}), ("cursor", {"gone": True})],
    "operator": [("set_target", {"name": "mouse", "x": 1, "y": 2}), ("mouse", {"x": 3, "y": 4}), ("spawn", {"kind": "seeker"}),
                 ("remove", {"agent": 2}), ("set_param", {"kind": "seeker", "param": "mass", "value": 2}),
                 ("look", {"ticks": 0}), ("look", {"live": True}), ("seat", {"name": "a"}), ("leave", {})],
    "admin": [("pause", {}), ("step", {}), ("resume", {}), ("load", {"scenario": "seek"}), ("save", {"name": "a", "replace": True}),
              ("load", {"save": "a"}), ("remove_save", {"name": "a"}), ("mark", {"name": "a"}), ("rewind", {"mark": "a"}),
              ("compare", {}), ("compare", {"off": True}), ("edit", {"patch": {}})],
}


class Tokens(Case):
    def setUp(self):
        self.tokens = tempfile.NamedTemporaryFile("w")
        self.addCleanup(self.tokens.close)
        self.write("viewer secret-v\noperator secret-o Olga\nadmin secret-a\n")

    def write(self, text):
        self.tokens.seek(0)
        self.tokens.truncate()
        self.tokens.write(text)
        self.tokens.flush()

    def server(self, *more):
        return Server("--paused", "--token-file", self.tokens.name, "--log", "debug", *more, "seek")

    def test_a_long_line_is_an_admins(self):
        with self.server() as server:
            long_line = json.dumps({"op": "ping", "id": 1, "pad": "x" * 900000}) + "\n"
            for token in (None, "secret-v", "secret-o"):
                with server.connect() as client:
                    if token:
                        client.request("hello", token=token)
                    client.send_raw(long_line)
                    message = client.receive_op("error")
                    self.assert_error(message, "too_long")
                    self.assertIn("longer than 65536 bytes", message["message"])
                    client.send_raw('{"op":"ping","id":2,"a":[' + "1," * 4096 + "1]}\n")
                    self.assert_error(client.receive(), "parse")
            with server.connect() as client:  # the hello and the line in one piece
                client.send_raw('{"op":"hello","id":0,"token":"secret-a"}\n' + long_line)
                self.assert_reply(client.answer_to(0), "hello", role="admin")
                self.assert_reply(client.answer_to(1), "ping")
                client.send_raw("x" * 1048577)
                self.assertIn("longer than 1048576 bytes", client.receive_op("error")["message"])

    def test_long_lines_cost_memory_only_while_they_come(self):
        with Server("--paused", "--token-file", self.tokens.name, "seek", environment=MEASURED_MEMORY) as server:
            clients = [server.connect() for _ in range(16)]
            for client in clients:
                client.request("hello", token="secret-a")
            before = server.rss_bytes()
            for _ in range(3):
                for client in clients:
                    client.send_raw('{"op":"ping","id":"long","pad":"' + "x" * 900000)
                for client in clients:
                    client.send_raw('"}\n')
                    self.assert_reply(client.answer_to("long"), "ping")
            self.assertLess(server.rss_bytes() - before, 8 << 20)
            for client in clients:
                client.socket.close()

    def test_23_each_role_may_what_it_may(self):
        with self.server() as server:
            for role, token in [("none", None), ("viewer", "secret-v"), ("operator", "secret-o"), ("admin", "secret-a")]:
                with server.connect() as client:
                    self.assertEqual(set(client.hello), {"op", "protocol", "server", "session", "role"})
                    self.assertEqual(client.hello["role"], "none")
                    for op in ("ping", "help"):
                        self.assert_reply(client.request(op), op)
                    self.assertNotIn("tick", client.request("ping"))
                    if token:
                        name = "Olga" if role == "operator" else "me"
                        self.assert_reply(client.request("hello", token=token, name="me"), "hello", role=role, name=name)
                    allowed = ["viewer", "operator", "admin"][: ["none", "viewer", "operator", "admin"].index(role)]
                    for needed, requests in OPS.items():
                        for op, fields in requests:
                            with self.subTest(role=role, op=op):
                                message = client.request(op, **fields)
                                if needed in allowed:
                                    self.assert_reply(message, op)
                                else:
                                    self.assert_error(message, "denied", field="op")
                                    self.assertIn(f"needs the role {needed}; you are {role}", message["message"])
                                    self.assert_error(client.request(op, **{**fields, "at": "soon"}), "denied", field="op")

    def test_the_nearest_and_rays_are_not_for_viewers(self):
        with self.server() as server:
            for token, is_allowed in (("secret-v", False), ("secret-o", True), ("secret-a", True)):
                with server.connect() as client:
                    client.request("hello", token=token)
                    for name, asked, answer in (("nearest", 1, "/////w=="), ("rays", {"number": 1, "range": 1}, "AACAPw==")):
                        message = client.request("get", layout="packed", **{name: asked})
                        if is_allowed:
                            self.assert_reply(message, "get", **{name: answer})
                        else:
                            self.assert_error(message, "denied", field=name)
                            self.assertIn("needs the role operator; you are viewer", message["message"])
                    self.assert_reply(client.request("get", layout="packed"), "get")

    def test_the_world_is_told_with_the_role(self):
        with self.server() as server, server.connect() as admin, server.connect() as client:
            admin.request("hello", token="secret-a")
            admin.request("step", count=6)
            reply = client.request("hello", token="secret-v")
            self.assertEqual((reply["tick"], reply["time"], reply["paused"]), (6, 0.1, True))
            scenario = client.receive()
            self.assertEqual((scenario["op"], scenario["name"], scenario["targets"]), ("scenario", "seek", ["mouse"]))
            self.assertEqual(client.request("ping")["tick"], 6)
            client.request("subscribe")
            self.assertEqual(client.receive()["op"], "snapshot", "one scenario line")
        with Server("--paused", "seek") as server, server.connect() as client:  # an open server: unchanged
            self.assertEqual(client.hello["scenario"]["name"], "seek")
            self.assertEqual(set(client.request("hello", name="x")), {"op", "to", "id", "protocol", "role", "name"})

    def test_wrong_tokens(self):
        with self.server() as server:
            with server.connect() as client:
                self.assert_error(client.request("hello", name="x"), "denied", field="token")
                for token in ("secret-", "secret-vv"):
                    self.assert_error(client.request("hello", token=token), "denied", field="token")
                self.assert_reply(client.request("hello", token="secret-v"), "hello", role="viewer")
            with server.connect() as client:
                for token in ("a", "b", "c"):
                    client.send("hello", token="wrong-" + token)
                messages = client.until_closed()
                self.assertEqual([m.get("code") for m in messages[:-1]], ["denied"] * 3)
                self.assertEqual(messages[-1]["reason"], "auth")
            server.stop()
            log = server.stderr()
            for secret in ("secret-", "wrong-"):
                self.assertNotIn(secret, log)

    def test_wrong_tokens_cost_time_and_right_ones_do_not(self):
        def guess(client, number):
            client.send("hello", id="guess", token=f"wrong-{number}")

        with self.server() as server, contextlib.ExitStack() as stack:
            for number in range(10):
                with server.connect() as client:
                    guess(client, number)
                    self.assert_error(client.answer_to("guess"), "denied", field="token")
            # Five sessions at once, in parallel: a second each, one after the other. Times are those since the first one was sent, and no
            # answer comes too soon: a busy machine delays what arrives, which two arrivals' distance would not bear.
            guessers = [stack.enter_context(server.connect()) for _ in range(5)]
            started = time.monotonic()
            for number, client in enumerate(guessers):
                guess(client, number)
                client.send("ping", id="after")
            with server.connect() as honest:
                self.assert_reply(honest.request("hello", token="secret-o"), "hello", role="operator", name="Olga")
                self.assert_reply(honest.request("list"), "list")
            answered = select.select([client.socket for client in guessers], [], [], 0)[0]
            self.assertLess(len(answered), len(guessers), "a right one goes before")
            took = []
            for client in guessers:
                self.assert_error(client.answer_to("guess"), "denied", field="token")
                took.append(time.monotonic() - started)
                self.assert_reply(client.answer_to("after"), "ping")
            for before, seconds in enumerate(took):
                self.assertGreater(seconds, before + 0.7, took)
            # A waiting session keeps its place, closed or not, and is answered when its turn comes.
            guess(guessers[0], 6)
            guess(guessers[1], 7)
            guessers[0].vanish()
            self.assert_error(guessers[1].answer_to("guess"), "denied")
            self.assertGreater(time.monotonic() - started, len(took) + 1.7)
            # The 10 s without a token end first: bye is the answer.
            others = [stack.enter_context(server.connect()) for _ in range(40)]
            with server.connect() as late:
                for number, client in enumerate([*others, late]):
                    guess(client, number)
                messages = late.until_closed()
                self.assertEqual([(m["op"], m.get("reason")) for m in messages], [("bye", "auth")])
            server.stop()
            counts = [int(n) for n in re.findall(r"net: wrong tokens: (\d+) more", server.stderr())]
            self.assertEqual(sum(counts), 10 + 5 + 2 + 41)
            self.assertLess(len(counts), 20, "said once a second, not once a token")

    def test_the_file_is_read_again(self):
        with self.server() as server, server.connect() as old:
            old.request("hello", token="secret-v")
            self.write("viewer other-vv\n")
            server.process.send_signal(signal.SIGHUP)
            wait_for(lambda: "SIGHUP: 1 tokens" in server.stderr(), "the file is read")
            with server.connect() as client:
                self.assert_error(client.request("hello", token="secret-v"), "denied")
                self.assert_reply(client.request("hello", token="other-vv"), "hello", role="viewer")
            self.write("nonsense\n")
            server.process.send_signal(signal.SIGHUP)
            wait_for(lambda: "stay as they were" in server.stderr(), "a bad file is refused")
            with server.connect() as client:
                self.assert_reply(client.request("hello", token="other-vv"), "hello", role="viewer")
            self.assert_reply(old.request("stats"), "stats")

    def test_files_that_are_refused(self):
        os.chmod(self.tokens.name, 0o640)
        result = run_server("--port", "0", "--token-file", self.tokens.name, "seek")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("chmod 600", result.stderr)
        os.chmod(self.tokens.name, 0o600)
        self.write("viewer secret-v\nadmin short\n")
        result = run_server("--port", "0", "--token-file", self.tokens.name, "seek")
        self.assertEqual(result.returncode, 2)
        self.assertIn(":2: a token has", result.stderr)
        self.assertNotIn("short", result.stderr.replace("too short", ""))

    def test_other_addresses(self):
        result = run_server("--port", "0", "--listen", "0.0.0.0", "seek")
        self.assertEqual((result.returncode, result.stdout, len(result.stderr.splitlines())), (2, "", 1))
        for word in ("--token-file", "--insecure", "0.0.0.0"):
            self.assertIn(word, result.stderr)
        with Server("--listen", "0.0.0.0", "--insecure", "seek") as server:
            self.assertEqual(server.hello()["role"], "admin")
        with self.server("--listen", "0.0.0.0") as server:
            self.assertEqual(server.hello()["role"], "none")


class Told(Case):
    def test_events_say_who(self):
        with Server("--paused", "seek") as server, server.connect() as watcher, server.connect() as ann, server.connect() as bob:
            watcher.request("subscribe")
            ann.request("hello", name="Ann ä")
            a, b = ann.hello["session"], bob.hello["session"]
            ann.request("spawn", kind="seeker", count=3)
            bob.request("remove", agent=2)
            bob.request("remove", kind="seeker")
            bob.request("remove", kind="seeker")  # nothing left: no message
            ann.request("set_param", kind="seeker", param="max_speed", value=99)
            bob.request("resume")
            ann.request("pause")
            ann.request("set_target", name="mouse", x=5, y=6)
            events = [m for m in watcher.flush() if m["op"] == "event"]
            ticks = {m.pop("tick") for m in events}
            for event in events:
                del event["op"]
            self.assertGreaterEqual(min(ticks), 0)
            self.assertEqual(events, [
                {"event": "spawned", "by": a, "name": "Ann ä", "kind": "seeker", "count": 3, "first_id": 2, "last_id": 4,
                 "vx": 0, "vy": 0},
                {"event": "removed", "by": b, "agent": 2, "count": 1},
                {"event": "removed", "by": b, "kind": "seeker", "count": 3},
                {"event": "param", "by": a, "name": "Ann ä", "kind": "seeker", "param": "max_speed", "value": 99},
                {"event": "resumed", "by": b},
                {"event": "paused", "by": a, "name": "Ann ä"},
                {"event": "target", "by": a, "name": "Ann ä", "target": "mouse", "x": 5.0, "y": 6.0},
            ])

    def test_names_show_as_what_they_are(self):
        with Server("--paused", "seek") as server, server.connect() as client, server.connect() as other:
            for name in ("\u202eevil", " \u00a0 ", "a\u200bb", "a\u0085", "\ufeffAnn", "a\u2066b\u2069"):
                with self.subTest(name=name):
                    message = client.request("hello", name=name)
                    self.assert_error(message, "bad_param", field="name")
                    self.assertIn("a name has 1 to 31 bytes of UTF-8 that can be seen", message["message"])
            # A refused hello does not count: the session may send another. Two sessions may have the same name.
            self.assertEqual(client.request("hello", name="  Ann ä ")["name"], "Ann ä")
            self.assertEqual(other.request("hello", name="Ann ä")["name"], "Ann ä")

    def test_23_two_hands_on_one_target(self):
        with Server("seek") as server, server.connect() as watcher, server.connect() as ann, server.connect() as bob:
            watcher.request("subscribe", hz=1)
            hands = {ann.hello["session"]: ann, bob.hello["session"]: bob}
            started = time.monotonic()
            while time.monotonic() < started + 2:
                for number, hand in hands.items():
                    hand.send("mouse", x=number, y=number)
                time.sleep(0.01)
            bob.request("mouse", x=77, y=78)
            lasted = time.monotonic() - started
            target = ann.request("list", what="targets")["targets"][0]
            self.assertEqual((target["x"], target["y"]), (77, 78), "the last writer wins")
            events = [m for m in watcher.flush() if m.get("event") == "target"]
            self.assertEqual({m["by"] for m in events}, set(hands), "and each is named")
            self.assertLessEqual(len(events), 5 * lasted + 1)

    def test_cursors(self):
        with Server("--paused", "seek") as server, server.connect() as watcher, server.connect() as plain, server.connect() as ann:
            watcher.request("subscribe", cursors=True)
            plain.request("subscribe")
            ann.request("hello", name="Ann")
            ann.send("cursor", x=12.25, y=-6)
            cursors = []
            while not cursors:
                cursors = watcher.receive_op("cursors")["cursors"]
            self.assertEqual(cursors, [{"session": ann.hello["session"], "name": "Ann", "x": 12.25, "y": -6.0}])
            self.assertEqual(ann.request("list", what="targets")["targets"][0]["x"], 600, "a cursor moves no target")
            started, lines = time.monotonic(), 0
            while time.monotonic() < started + 1.0:
                plain.send("mouse", x=time.monotonic() % 100, y=1)
                time.sleep(0.005)
            lines = len([m for m in watcher.flush() if m["op"] == "cursors"])
            self.assertTrue(4 <= lines <= 13, lines)
            ann.vanish()
            wait_for(lambda: len(watcher.receive_op("cursors")["cursors"]) == 1, "a closed session has no cursor")
            self.assertEqual([m for m in plain.flush() if m["op"] == "cursors"], [])

    def test_stats(self):
        with Server("seek") as server, server.connect() as client, server.connect() as watcher:
            watcher.request("subscribe", hz=30)
            for _ in range(30):
                watcher.receive_op("snapshot")
            client.request("spawn", kind="seeker", count=9)
            stats = client.request("stats")
            self.assertEqual((stats["agents"], stats["tick_hz"], stats["paused"], stats["commands"]), (10, 60, False, 1))
            self.assertEqual((stats["sessions"]["now"], stats["sessions"]["subscribed"], stats["sessions"]["admin"]), (2, 1, 2))
            self.assertGreaterEqual(stats["frames_sent"], 29)
            self.assertGreater(stats["bytes_sent"], 29 * len(watcher.last_line))
            self.assertGreater(stats["bytes_received"], 50)
            for summary in [stats["lateness_ms"], *(stats["phases_ms"][p] for p in ("commands", "step", "copy", "broadcast"))]:
                self.assertTrue(0 <= summary["p50"] <= summary["p99"] <= summary["max"], stats)
            self.assertGreater(stats["phases_ms"]["step"]["max"], 0)
            self.assertAlmostEqual(stats["ticks"] + stats["dropped_ticks"], stats["uptime"] * 60, delta=20)

    def test_suggestions(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            for op, fields, meant in [
                ("subscibe", {}, "subscribe"), ("list", {"what": "kindz"}, "kinds"), ("spawn", {"kind": "seekr"}, "seeker"),
                ("set_target", {"name": "mose", "x": 1, "y": 1}, "mouse"), ("load", {"scenario": "arive"}, "arrive"),
                ("set_param", {"kind": "seeker", "param": "maxspeed", "value": 1}, "max_speed"), ("help", {"about": "pasue"}, "pause"),
            ]:
                with self.subTest(op=op, fields=fields):
                    self.assertIn(f'did you mean "{meant}"?', client.request(op, **fields)["message"])
            self.assertNotIn("did you mean", client.request("xyzzy")["message"])


if __name__ == "__main__":
    unittest.main()
