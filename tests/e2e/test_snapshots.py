"""The frames of subscribers: the same bytes for the same tick, at the granted rate, in the documented form."""

import json
import math
import pathlib
import re
import tempfile
import time
import unittest

from drover_client import PATIENCE_S, ROOT, Case, Server, wait_for

N = rb"-?(?:0|[1-9]\d*)\.\d\d"
V = rb"\[" + N + rb"," + N + rb"\]"
AGENT = rb'\{"id":[1-9]\d*,"kind":"[\w-]+","state":"[\w-]+","x":%b,"y":%b,"vx":%b,"vy":%b,"heading":%b' % ((N,) * 5)
FORCES = rb',"desired":%b,"steering":%b,"forces":\{(?:"\w+":%b(?:,"\w+":%b)*)?\}' % ((V,) * 4)
TARGET = rb'\{"name":"[\w-]+","x":%b,"y":%b\}' % (N, N)


def line_pattern(agent):
    return re.compile(
        rb'\{"op":"snapshot","tick":\d+,"time":\d+\.\d{6},"agents":\[(?:%b\}(?:,%b\})*)?\],"targets":\[(?:%b(?:,%b)*)?\],'
        rb'"clock":\d+\.\d{3}\}' % (agent, agent, TARGET, TARGET))


PLAIN, WITH_FORCES = line_pattern(AGENT), line_pattern(AGENT + FORCES)
SCENARIOS = ("seek", "seek_mass", "boids_target", "seek_and_flee", "arrive")


class SameForAll(Case):
    def test_two_viewers_and_a_script_see_the_same_ticks(self):
        with Server("seek") as server, server.connect() as one, server.connect() as two, server.connect() as script:
            for viewer, hz in ((one, 60), (two, 30), (script, 60)):
                viewer.request("subscribe", hz=hz)
            seen = [self.collect(viewer) for viewer in (one, two, script)]
            script.request("set_target", name="mouse", x=50, y=60)  # a script moves the same agents
            again = [self.collect(viewer) for viewer in (one, two, script)]
            for a, b in ((0, 1), (0, 2), (1, 2)):
                both = (seen[a].keys() | again[a].keys()) & (seen[b].keys() | again[b].keys())
                self.assertGreater(len(both), 20)
                for tick in both:
                    self.assertEqual({**seen[a], **again[a]}[tick], {**seen[b], **again[b]}[tick])
            moved = [line for line in again[1].values() if b'"targets":[{"name":"mouse","x":50.00,"y":60.00}]' in line]
            self.assertTrue(moved, "the script's target is seen by a viewer")

    def collect(self, viewer):
        """tick: line, until there are 40 snapshots. The first after subscribing is made for its session alone."""
        viewer.receive_op("snapshot")
        lines = {}
        while len(lines) < 40:
            tick = viewer.receive_op("snapshot")["tick"]
            self.assertNotIn(tick, lines)
            lines[tick] = viewer.last_line
        return lines

    def test_what_is_seen_does_not_depend_on_who_watches(self):
        with Server("--paused", "boids_target") as watched, Server("--paused", "boids_target") as alone:
            with watched.connect() as a, watched.connect() as b, alone.connect() as c:
                a.request("subscribe", forces=True, hz=60)
                b.request("subscribe", hz=1)
                for count in (1, 59, 240):
                    self.assertEqual(a.request("step", count=count)["hash"], c.request("step", count=count)["hash"])


class Form(Case):
    def test_every_scenario_as_promised(self):
        with Server("--paused", "seek") as server, server.connect() as plain, server.connect() as full:
            for name in SCENARIOS:
                with self.subTest(scenario=name):
                    self.assertEqual(plain.request("load", scenario=name)["op"], "reply")
                    for client, forces, pattern in ((plain, False, PLAIN), (full, True, WITH_FORCES)):
                        client.request("step", count=37)
                        client.flush()
                        client.request("subscribe", forces=forces)
                        message = client.receive_op("snapshot")
                        self.assertTrue(pattern.fullmatch(client.last_line), client.last_line[:600])
                        self.check_values(message, server.hello()["scenario"], forces)
                        client.request("unsubscribe")
                        client.flush()

    def test_forces_of_a_view_that_moves(self):
        """Forces are computed for the agents that some view shows: a frame that a view gets has them for all of its agents."""
        regions = [0, 0, 400, 300], [400, 0, 400, 300], [100, 100, 600, 400]
        with Server("flock") as server, server.connect() as steady, server.connect() as moving:
            steady.request("subscribe", hz=480, forces=True, region=[0, 0, 50, 50])
            for turn in range(30):
                moving.request("subscribe", hz=480, forces=True, region=regions[turn % 3])
                for _ in range(2):
                    agents = moving.receive_op("snapshot")["agents"]
                    self.assertTrue(agents)
                    self.assertTrue(all(agent["forces"] for agent in agents), f"turn {turn}")

    def test_long_frames_while_everything_changes(self):
        """Long frames are encoded beside the loop: views, sessions and worlds come and go meanwhile."""
        many = {"name": "Many", "world": {"size": [9000, 9000], "edge": "wrap"},
                "kinds": {"bird": {"max_speed": 60, "max_force": 120, "behaviors": [{"wander": {}}]}},
                "agents": [{"kind": "bird", "count": 6000, "in": {"rect": [0, 0, 9000, 9000]}}]}
        views = {}, {"layout": "packed"}, {"fields": ["pos"]}, {"region": [0, 0, 5000, 9000]}, {"fields": ["pos", "vel"]}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "many.json"
            path.write_text(json.dumps(many))
            # So few ticks that a busy machine has time between them: a session that is not read for 10 s is closed.
            with Server(path, "--tick-hz", "5") as server, server.connect() as steady, server.connect() as moving:
                steady.request("subscribe", hz=30)
                for turn in range(8):
                    moving.request("subscribe", hz=60, **views[turn % len(views)])
                    with server.connect() as passing:
                        passing.request("subscribe", hz=60, fields=["pos", "heading"])
                    moving.request("ping")
                    self.assertEqual(len(steady.receive_op("snapshot")["agents"]), 6000)
                moving.request("load", scenario="seek")
                steady.receive_op("scenario")
                self.assertEqual(len(steady.receive_op("snapshot")["agents"]), 1)

    def check_values(self, message, scenario, forces):
        self.assertAlmostEqual(message["time"], message["tick"] / scenario["tick_hz"], places=5)
        kinds = {kind["name"]: kind for kind in scenario["kinds"]}
        ids = [agent["id"] for agent in message["agents"]]
        self.assertEqual(ids, sorted(set(ids)))
        self.assertEqual(len(ids), sum(kind["count"] for kind in kinds.values()))
        self.assertEqual([target["name"] for target in message["targets"]], scenario["targets"])
        for agent in message["agents"]:
            kind = kinds[agent["kind"]]
            self.assertLessEqual(math.hypot(agent["vx"], agent["vy"]), kind["max_speed"] + 0.02)
            self.assertTrue(0 <= agent["heading"] < 360, agent)
            if forces:
                self.assertLessEqual(math.hypot(*agent["steering"]), kind["max_force"] * 1.0001 + 0.02)

    def test_the_shares_make_up_the_steering(self):
        with Server("--paused", "seek_and_flee") as server, server.connect() as client:
            client.request("step", count=30)
            client.request("subscribe", forces=True)
            for _ in range(20):
                agents = client.receive_op("snapshot")["agents"]
                for agent in agents:
                    total = [sum(share[i] for share in agent["forces"].values()) for i in (0, 1)]
                    self.assertGreaterEqual(len(agent["forces"]), 1)
                    self.assert_same_direction(total, agent["steering"])
                client.request("step", count=7)

    def assert_same_direction(self, total, steering):
        """The steering is the total, shortened when it is longer than max_force."""
        length, shortened = math.hypot(*total), math.hypot(*steering)
        self.assertLessEqual(shortened, length + 0.05)
        if shortened > 1:
            for a, b in zip(total, steering):
                self.assertAlmostEqual(a / length, b / shortened, delta=0.02)

    def test_forces_are_what_moves_the_agent(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            mass = {p["param"]: p["value"] for p in client.request("get_params")["params"]}["mass"]
            client.request("subscribe", forces=True)
            before = client.receive_op("snapshot")["agents"][0]
            client.request("step")
            after = client.receive_op("snapshot")["agents"][0]
            for axis, velocity in ((0, "vx"), (1, "vy")):
                self.assertAlmostEqual(after[velocity] - before[velocity], before["steering"][axis] / mass / 60, delta=0.02)


class Rate(Case):
    def test_granted_rates(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            for hz in (480, 100, 60, 59.9, 30, 25, 20, 7, 1, 0.5, 0.01):
                reply = client.request("subscribe", hz=hz)
                every = max(1, math.ceil(60 / hz - 1e-9))
                self.assert_reply(reply, "subscribe", every=every, layout="objects", forces=False)
                self.assertAlmostEqual(reply["hz"], 60 / every, places=3)
                self.assertLessEqual(reply["hz"], max(hz, 0.01) + 1e-3)
            self.assertEqual(client.request("subscribe")["hz"], 30)
            for hz in (0, -1, 0.009, 480.5, 1e9):
                self.assert_error(client.request("subscribe", hz=hz), "out_of_range", field="hz")

    def test_25_at_60_comes_at_20(self):
        with Server("seek") as server, server.connect() as client, server.connect() as faster:
            faster.request("subscribe", hz=60)  # so that a snapshot of every tick exists
            self.assertEqual(client.request("subscribe", hz=25)["hz"], 20)
            client.receive_op("snapshot")  # at once, whatever the tick
            client.receive_op("snapshot")
            ticks, gaps, deadline = [client.receive_op("snapshot")["tick"]], [], time.monotonic() + PATIENCE_S
            # A busy machine may skip late ticks, so not every gap is 3; but most of thirty are, sooner or later.
            while (len(gaps) < 30 or gaps[-30:].count(3) <= 20) and time.monotonic() < deadline:
                ticks.append(client.receive_op("snapshot")["tick"])
                gaps.append(ticks[-1] - ticks[-2])
            self.assertGreater(gaps[-30:].count(3), 20, ticks)
            self.assertGreaterEqual(min(gaps), 1)

    def test_ticks_keep_to_the_clock(self):
        """A repeating 16 ms timer would be 3 % off. Single ticks of a busy machine are late, so the least late ones count; a
        machine that is away for longer than 5 ticks drops them, so there are three tries."""
        drifts = []
        with Server("seek") as server, server.connect() as client:
            client.request("subscribe", hz=60)
            client.receive_op("snapshot")
            while len(drifts) < 3 and not (drifts and abs(drifts[-1]) < 0.012):
                snapshots = [client.receive_op("snapshot") for _ in range(150)]
                late = [s["clock"] / 1000 - s["tick"] / 60 for s in snapshots]
                drifts.append((min(late[100:]) - min(late[:50])) / ((snapshots[125]["tick"] - snapshots[25]["tick"]) / 60))
        self.assertLess(abs(drifts[-1]), 0.012, f"drift of the ticks against the clock, as a fraction: {drifts}")

    def test_a_second_subscribe_replaces_the_first(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            client.request("subscribe", forces=True)
            self.assertIn("desired", client.receive_op("snapshot")["agents"][0])
            client.request("subscribe", forces=False)
            self.assertNotIn("desired", client.receive_op("snapshot")["agents"][0])
            client.request("step")
            self.assertNotIn("desired", client.receive_op("snapshot")["agents"][0])
            self.assertEqual([m["op"] for m in client.flush()], [])
            self.assert_reply(client.request("unsubscribe"), "unsubscribe")
            self.assert_reply(client.request("unsubscribe"), "unsubscribe")
            client.request("step")
            self.assertEqual(client.flush(), [])


class WhilePaused(Case):
    def test_a_change_shows_and_a_question_does_not(self):
        with Server("--paused", "seek") as server, server.connect() as watcher, server.connect() as hand:
            watcher.request("subscribe", hz=1)  # a slow subscriber sees each change all the same
            watcher.receive_op("snapshot")
            changes = [
                ("mouse", {"x": 9, "y": 8}, lambda s: s["targets"][0]["x"] == 9),
                ("spawn", {"kind": "seeker", "x": 1, "y": 1}, lambda s: len(s["agents"]) == 2),
                ("step", {}, lambda s: s["tick"] == 1),
                ("step", {"count": 500}, lambda s: s["tick"] == 501),
                ("remove", {"agent": 2}, lambda s: len(s["agents"]) == 1),
                ("set_target", {"name": "mouse", "x": 77, "y": 8}, lambda s: s["targets"][0]["x"] == 77),
            ]
            questions = [("ping", {}), ("get_params", {}), ("list", {}), ("fly", {}), ("step", {"count": 0}),
                         ("spawn", {"kind": "x"}), ("pause", {})]
            for op, fields, shows in changes:
                for question, more in questions:
                    hand.request(question, **more)
                self.assertEqual(hand.request(op, **fields)["op"], "reply")
                snapshot = watcher.receive_op("snapshot")
                self.assertTrue(shows(snapshot), (op, snapshot))  # the very next one: the queries made none
            self.assertEqual([m for m in watcher.flush() if m["op"] == "snapshot"], [])

    def test_a_slow_subscriber_sees_where_the_world_stopped(self):
        with Server("seek") as server, server.connect() as client:
            client.request("subscribe", hz=0.1)
            first = client.receive_op("snapshot")["tick"]
            wait_for(lambda: client.request("ping")["tick"] > first, "the world moves on")
            tick = client.request("pause")["tick"]
            self.assertEqual(client.receive_op("snapshot", 3)["tick"], tick)

    def test_a_slow_subscriber_sees_a_new_world_at_once(self):
        with Server("seek") as server, server.connect() as client:
            client.request("subscribe", hz=0.1)
            client.receive_op("snapshot")
            client.request("load", scenario="arrive")
            self.assertEqual(len(client.receive_op("snapshot", 3)["agents"]), 3)

    def test_a_load_brings_its_own_rate(self):
        seek = json.loads((ROOT / "scenarios/seek.json").read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            for hz in (5, 240):
                pathlib.Path(folder, f"at{hz}.json").write_text(json.dumps({**seek, "tick_hz": hz}), encoding="utf-8")
            with Server("--scenarios", folder, "at5") as server, server.connect() as client:
                client.request("load", scenario="at240")
                first = last = client.request("ping")
                while last["tick"] < first["tick"] + 200 and last["clock"] < first["clock"] + 3000:
                    last = client.request("ping")
                rate = (last["tick"] - first["tick"]) / (last["clock"] - first["clock"]) * 1000
                self.assertTrue(120 < rate < 260, f"{rate} ticks a second")

    def test_events(self):
        with Server("--paused", "seek") as server, server.connect() as watcher, server.connect() as hand:
            watcher.request("subscribe", hz=1)
            hand.request("resume")
            event = watcher.receive_op("event")
            self.assertEqual((event["event"], event["by"], event["tick"]), ("resumed", hand.hello["session"], 0))
            tick = watcher.request("pause")["tick"]
            event = watcher.receive_op("event")
            self.assertEqual((event["event"], event["by"], event["tick"]), ("paused", watcher.hello["session"], tick))
            self.assertEqual(hand.flush(), [], "events go to subscribed sessions")


if __name__ == "__main__":
    unittest.main()
