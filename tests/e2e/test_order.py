"""The order of changes as sessions see it: `seq` in replies and events, and the lines of the log."""

import base64
import random
import threading
import unittest

from drover_client import Case, Server, wait_for


def events(lines):
    return [line for line in lines if line["op"] == "event"]


class Order(Case):
    def watch(self, server):
        watcher = server.connect()
        watcher.request("hello", seq=True)
        watcher.request("subscribe", layout="events")
        return watcher

    def test_lines_without_it_have_no_seq(self):
        with Server("--paused", "seek") as server, server.connect() as client, self.watch(server) as watcher:
            client.request("subscribe", layout="events")
            for op, fields in (("mouse", {"x": 1, "y": 2}), ("step", {}), ("load", {"scenario": "seek"}), ("ping", {})):
                self.assertNotIn("seq", client.request(op, **fields))
            client.request("hello", name="late")
            self.assertNotIn("seq", client.request("pause"))
            self.assertFalse([line for line in client.flush() if "seq" in line])
            self.assertEqual([(e["event"], e["seq"]) for e in events(watcher.flush())], [("target", 1), ("stepped", 2), ("loaded", 3)])

    def test_every_change_has_an_event(self):
        changes = [
            ("set_target", {"name": "mouse", "x": 1, "y": 2}, {"event": "target", "target": "mouse", "x": 1, "y": 2}),
            ("set_target", {"agent": 1, "x": 1, "y": 2.5}, {"event": "aim", "agent": 1, "x": 1, "y": 2.5}),
            ("set_target", {"kind": "seeker", "follow": "mouse"}, {"event": "aim", "kind": "seeker", "follow": "mouse"}),
            ("set_target", {"agent": 1, "clear": True}, {"event": "aim", "agent": 1, "clear": True}),
            ("mouse", {"x": 3, "y": 4}, {"event": "target", "target": "mouse", "x": 3, "y": 4}),
            ("spawn", {"kind": "seeker", "x": 5, "y": 6, "radius": 7, "vx": 8, "vy": -9, "heading": 90},
             {"event": "spawned", "x": 5, "y": 6, "radius": 7, "vx": 8, "vy": -9, "count": 1, "first_id": 2}),
            ("set_target", {"agents": [1, 2], "x": [1, 2], "y": [3, 4]}, {"event": "aim", "count": 2}),
            ("place", {"agent": 1, "x": 1, "y": 2, "heading": 90}, {"event": "placed", "agent": 1, "x": 1, "y": 2, "heading": 90}),
            ("place", {"agents": [1, 2], "vx": [1, 2], "vy": [3, 4]}, {"event": "placed", "count": 2}),
            ("place", {"agents": [1] * 3000, "stamina": base64.b64encode(bytes(12000)).decode()}, {"event": "placed", "count": 3000}),
            ("set_param", {"agent": 2, "param": "mass", "value": 3}, {"event": "param", "agent": 2, "param": "mass", "value": 3}),
            ("remove", {"agent": 2}, {"event": "removed", "agent": 2, "count": 1}),
            ("add_target", {"name": "den", "x": 1, "y": 2}, {"event": "target_added", "target": "den"}),
            ("remove_target", {"name": "den"}, {"event": "target_removed", "target": "den"}),
            ("add_obstacle", {"circle": [9, 9, 9]}, {"event": "obstacle_added", "obstacle": 1}),
            ("move_obstacle", {"obstacle": 1, "x": 1, "y": 2}, {"event": "obstacle_moved", "obstacle": 1}),
            ("remove_obstacle", {"obstacle": 1}, {"event": "obstacle_removed", "obstacle": 1}),
            ("step", {"count": 3}, {"event": "stepped", "count": 3, "tick": 3}),
            ("resume", {}, {"event": "resumed"}),
            ("pause", {}, {"event": "paused"}),
            ("load", {"scenario": "shepherds"}, {"event": "loaded", "scenario": "shepherds", "tick": 0}),
            ("cursor", {"x": 5, "y": 6}, {"event": "cursor", "cursor": "cursor-1", "x": 5, "y": 6}),
            ("cursor", {"gone": True}, {"event": "cursor_gone", "cursor": "cursor-1"}),
        ]
        with Server("--paused", "seek") as server, server.connect() as client, self.watch(server) as watcher:
            client.request("hello", name="Ann", seq=True)
            for number, (op, fields, expected) in enumerate(changes, 1):
                with self.subTest(op=op, **fields):
                    self.assertEqual(client.request(op, **fields)["seq"], number)
                    seen = [e for e in events(watcher.flush()) if e["event"] not in ("caught", "reached")]
                    self.assertEqual(len(seen), 1, seen)
                    wanted = {**expected, "seq": number, "by": client.hello["session"], "name": "Ann"}
                    self.assertEqual({key: seen[0].get(key) for key in wanted}, wanted)
            self.assert_error(client.request("remove_target", name="none"), "no_target")
            self.assertNotIn("seq", client.request("fly"))
            self.assertEqual(client.request("ping")["seq"], len(changes))
            self.assertEqual(client.request("list", what="kinds")["seq"], len(changes))
            self.assertEqual(client.request("list")["seq"], len(changes))
            self.assertEqual(client.request("remove", agent=4000000)["seq"], len(changes) + 1)  # a number and no event
            self.assertEqual(events(watcher.flush()), [])
            wait_for(lambda: server.stderr().count(" change ") == len(changes) + 1, "a line of the log for each")
            self.assert_logged(server, f'change 6 at tick 0 by session {client.hello["session"]} (Ann): {{"op":"spawn","id":')

    def test_the_log_has_each_change_when_it_is_wanted(self):
        for level, least, most in (("info", 1, 30), ("debug", 60, 60)):
            with Server("--paused", "--log", level, "seek") as server, server.connect() as client:
                for number in range(60):
                    client.request("mouse", x=number, y=1)
                wait_for(lambda: least <= server.stderr().count(" change ") <= most, "lines of the log")

    def test_seq_is_the_order_of_effects(self):
        """Clients move one thing at once; by `seq`, replies and events tell the same story, and its end is the world's."""
        with Server("seek") as server, self.watch(server) as watcher, server.connect() as judge:
            replies, lock = {}, threading.Lock()

            def act(number):
                dice = random.Random(number)
                with server.connect() as client:
                    client.request("hello", seq=True)
                    for _ in range(60):
                        x, y = dice.randint(0, 700), dice.randint(0, 400)
                        answer = client.request("set_target", name="mouse", x=x, y=y)
                        with lock:
                            self.assertNotIn(answer["seq"], replies)
                            replies[answer["seq"]] = (client.hello["session"], x, y)

            threads = [threading.Thread(target=act, args=(number,)) for number in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(sorted(replies), list(range(1, 241)))
            told = [e for e in events(watcher.flush()) if e["event"] == "target"]
            self.assertEqual([e["seq"] for e in told], list(range(1, 241)))
            self.assertEqual({e["seq"]: (e["by"], e["x"], e["y"]) for e in told}, replies)
            mouse = judge.request("list", what="targets")["targets"][0]
            self.assertEqual((mouse["x"], mouse["y"]), replies[240][1:])
            self.assertLess(server.stderr().count('"op":"set_target"'), 60, "the log is thinned")

    def test_a_step_has_its_number_from_its_begin(self):
        with Server("--paused", "boids") as server, server.connect() as client, server.connect() as other, self.watch(server) as watcher:
            client.request("hello", seq=True)
            other.request("hello", seq=True)
            client.send("step", id=1, count=100000)
            wait_for(lambda: other.request("ping")["tick"] > 0, "the step is under way")
            self.assertEqual(other.request("set_param", kind="boid", param="mass", value=2)["seq"], 2)
            self.assertEqual(other.request("pause")["seq"], 3)
            self.assertEqual(client.answer_to(1)["seq"], 1)
            seen = [(e["event"], e["seq"]) for e in events(watcher.flush()) if e["event"] in ("stepped", "param")]
            self.assertEqual(seen, [("param", 2), ("stepped", 1)])


if __name__ == "__main__":
    unittest.main()
