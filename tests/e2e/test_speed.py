"""The speed of a live world: how fast its ticks come, what is said of it, and that nothing else depends on it.

Ticks are compared with the time that has passed, with bounds that hold on a busy machine: above by the time up to the
answer, below by what a slow machine does in a long time.
"""

import json
import math
import pathlib
import tempfile
import time
import unittest

from drover_client import ROOT, Case, Server, wait_for


class Pace:
    """Ticks that a world does, and the time around them."""

    def __init__(self, client):
        self.client, self.begun = client, time.monotonic()
        self.first = client.request("ping")["tick"]

    def ticks(self):
        return self.client.request("ping")["tick"] - self.first

    def most(self, hz):
        """Ticks that may be done by now: those of the time up to now, and five of the clock that were made up at its
        begin and at its end; beyond 1000 Hz a tick of the clock is several of the world."""
        return (time.monotonic() - self.begun) * hz + 1 + 10 * max(1, math.ceil(hz / 1000))

    def reaches(self, ticks):
        wait_for(lambda: self.ticks() >= ticks, f"{ticks} ticks")


class Speed(Case):
    def check_pace(self, client, hz, ticks):
        """So many ticks come, and at no time more than this rate allows."""
        pace = Pace(client)
        while (done := pace.ticks()) < ticks:
            self.assertLessEqual(done, pace.most(hz))
            time.sleep(0.01)

    def test_ticks_come_at_the_speed(self):
        with Server("seek") as server, server.connect() as client:
            for factor, ticks in ((0.1, 3), (0.5, 10), (4, 100), (20, 400), (1, 20), (1000, 2000)):
                self.assert_reply(client.request("speed", factor=factor), "speed", factor=factor)
                self.assertEqual(client.request("stats")["speed"], factor)
                self.check_pace(client, 60 * factor, ticks)

    def test_as_fast_as_it_goes(self):
        with Server("seek") as server, server.connect() as client:
            self.assert_reply(client.request("speed", max=True), "speed", max=True)
            self.assertEqual(client.request("stats")["speed"], 0)
            pace = Pace(client)
            pace.reaches(5000)
            self.assertGreater(pace.ticks() / (time.monotonic() - pace.begun), 60)
            client.request("subscribe", hz=10)
            for _ in range(5):
                client.receive_op("snapshot")
            self.assert_reply(client.request("inspect", agent=1), "inspect")
            self.assert_reply(client.request("pause"), "pause")
            tick = client.request("ping")["tick"]
            self.assertEqual({client.request("ping")["tick"] for _ in range(100)}, {tick})
            stats = client.request("stats")
            self.assertEqual((stats["speed"], stats["paused"], stats["dropped_ticks"]), (0, True, 0))
            self.assertNotIn("keep up", server.stderr())
            client.request("resume")
            Pace(client).reaches(1000)

    def test_a_pause_keeps_the_speed_and_a_step_has_none(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            client.request("speed", factor=0.01)
            self.assert_reply(client.request("step", count=300), "step", tick=300)
            client.request("resume")
            self.assertEqual(client.request("stats")["speed"], 0.01)
            client.request("pause")
            self.assertEqual(client.request("stats")["speed"], 0.01)
            self.assertLess(client.request("ping")["tick"], 303)

    def test_nothing_waits_for_the_tick_of_a_slow_world(self):
        """At 0.6 ticks a second: replies, and what they changed, come before the next tick."""
        with Server("seek") as server, server.connect() as client:
            client.request("speed", factor=0.01)
            client.request("subscribe", hz=10)
            client.receive_op("snapshot")
            begun, tick = time.monotonic(), client.request("ping")["tick"]
            for i in range(10):
                self.assert_reply(client.request("set_target", name="mouse", x=100 + i, y=100), "set_target")
                frame = client.receive_op("snapshot")
                while frame["targets"][0]["x"] < 100 + i:
                    frame = client.receive_op("snapshot")
            self.assertLessEqual(client.request("ping")["tick"], tick + (time.monotonic() - begun) * 0.6 + 2)

    def test_a_speed_that_changes_all_the_time_holds_no_tick_back(self):
        with Server("seek") as server, server.connect() as client:
            tick, begun = client.request("ping")["tick"], time.monotonic()
            while client.request("ping")["tick"] < tick + 4:
                for factor in (0.05, 0.06):
                    client.request("speed", factor=factor)
                self.assertLess(time.monotonic() - begun, 30)

    def test_a_change_where_a_tick_is_due_holds_it_not_back(self):
        """At 2 ticks a second a request is applied when a tick is due: that tick comes, not one in 50 s."""
        with Server("--tick-hz", "2", "seek") as server, server.connect() as client:
            tick = client.request("ping")["tick"]
            client.request("speed", factor=0.01)
            wait_for(lambda: client.request("ping")["tick"] > tick, "the tick that was due", timeout=20)

    def test_the_speed_that_is_set_changes_nothing(self):
        """Each request waits for a tick that is due, which follows; other clients hear nothing of it."""
        with Server("--tick-hz", "10", "seek") as server, server.connect() as client, server.connect() as other:
            other.request("subscribe", layout="events")
            tick = client.request("ping")["tick"]
            for _ in range(20):
                self.assert_reply(client.request("speed", factor=1), "speed", factor=1)
            self.assertGreaterEqual(client.request("ping")["tick"], tick + 15)
            for speed in ({"max": True}, {"max": True}, {"factor": 1}, {"factor": 1}):
                client.request("speed", **speed)
            other.request("ping")
            events = [m["speed"] for m in other.flush() if m.get("event") == "speed"]
            self.assertEqual(events, [0, 1])

    def test_everything_is_the_same_at_any_speed(self):
        """The same requests at the same ticks: the same hash, whatever the speed was."""
        hashes = set()
        for speed in ({"factor": 1}, {"factor": 30}, {"max": True}):
            with Server("--paused", "flock") as server, server.connect() as client:
                client.request("speed", **speed)
                client.request("step", count=40)
                client.request("set_param", kind="bird", param="max_speed", value=70)
                client.request("resume")
                Pace(client).reaches(20)
                client.request("pause")
                tick = client.request("ping")["tick"]
                self.assertLess(tick, 100000)
                client.request("load", scenario="flock")
                hashes.add((client.request("step", count=60)["hash"]))
        self.assertEqual(len(hashes), 1)

    def test_frames_come_at_their_rate(self):
        """20 a second of the clock at most, at ten times the speed and as fast as it goes."""
        for speed in ({"factor": 10}, {"max": True}):
            with Server("seek") as server, server.connect() as client:
                client.request("speed", **speed)
                client.request("subscribe", hz=20)
                client.receive_op("snapshot")
                begun, last = time.monotonic(), -1
                for i in range(1, 15):
                    frame = client.receive_op("snapshot")
                    self.assertLessEqual(i, (time.monotonic() - begun) * 20 + 8)
                    self.assertGreater(frame["tick"], last)
                    last = frame["tick"]

    def test_a_slow_world_shows_each_tick(self):
        with Server("seek") as server, server.connect() as client:
            client.request("speed", factor=0.2)
            client.request("subscribe", hz=30)
            ticks = [client.receive_op("snapshot")["tick"] for _ in range(6)][1:]
            self.assertEqual(ticks, list(range(ticks[0], ticks[0] + 5)))

    def test_what_is_said(self):
        with Server("seek") as server, server.connect() as client, server.connect() as other:
            self.assertNotIn("speed", client.hello)
            other.request("hello", name="Ann")
            for each in (client, other):
                each.request("subscribe", layout="events")
            other.request("speed", factor=0.25)
            event = client.receive_op("event")
            self.assertEqual((event["event"], event["speed"], event["name"]), ("speed", 0.25, "Ann"))
            other.request("speed", max=True)
            self.assertEqual(client.receive_op("event")["speed"], 0)
            self.assert_logged(server, "as fast as ticks can be done")
            self.assertEqual(server.hello()["speed"], 0)
            other.request("speed", factor=3)
            self.assertEqual(server.hello()["speed"], 3)
            self.assert_logged(server, "speed 3, asked for by session 2")
            other.request("load", scenario="wander")
            self.assertEqual(client.receive_op("scenario")["speed"], 3)
            self.assertEqual(other.request("stats")["speed"], 3)
            self.check_pace(client, 180, 30)
            other.request("speed", factor=1)
            other.request("load", scenario="seek")
            self.assertNotIn("speed", client.receive_op("scenario"))
            self.assertNotIn("speed", server.hello())

    def test_frames_say_the_speed_when_hello_asked(self):
        with Server("flock") as server, server.connect() as client, server.connect() as plain:
            client.request("hello", speed=True)
            client.request("speed", factor=2.5)
            for layout, op in (("objects", "snapshot"), ("packed", "delta"), ("density", "density")):
                for each in (client, plain):
                    each.request("subscribe", layout=layout)
                self.assertEqual(client.receive_op(op)["speed"], 2.5)
                self.assertNotIn("speed", plain.receive_op(op))
                client.request("set_region", x=0, y=0, width=100, height=100)
                self.assertEqual(client.receive_op(op)["speed"], 2.5)
            client.request("speed", max=True)
            wait_for(lambda: client.receive_op("density")["speed"] == 0, "frames at the highest speed")

    def test_refusals(self):
        with Server("seek") as server, server.connect() as client:
            for fields in ({"factor": 0}, {"factor": 0.009}, {"factor": 1000.1}, {"factor": -1}, {"factor": "fast"}, {},
                           {"max": False}):
                self.assertIn(client.request("speed", **fields)["code"], ("out_of_range", "bad_param"), fields)
            self.assertEqual(client.request("stats")["speed"], 1)


class Warmup(Case):
    """A copy of the scenario flock with a warm-up, beside one without."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        flock = json.loads((ROOT / "scenarios/flock.json").read_text(encoding="utf-8"))
        self.paths = {}
        for name, seconds in (("short", 2), ("long", 600), ("cold", 0)):
            self.paths[name] = str(pathlib.Path(folder.name) / f"{name}.json")
            pathlib.Path(self.paths[name]).write_text(json.dumps({**flock, "warmup": seconds}), encoding="utf-8")

    def warming(self, client):
        return client.request("stats").get("warming")

    def test_it_ends_at_its_tick_and_the_world_is_the_same(self):
        with Server("--paused", self.paths["cold"]) as server, server.connect() as client:
            expected = client.request("step", count=150)["hash"]
        with Server(self.paths["short"]) as server, server.connect() as client:
            wait_for(lambda: self.warming(client) is None, "the end of the warm-up")
            tick = client.request("pause", id="p")["tick"]
            self.assertGreaterEqual(tick, 120)
            if tick < 150:  # otherwise the machine is a very slow one
                self.assertEqual(client.request("step", count=150 - tick)["hash"], expected)
            self.assertNotIn("keep up", server.stderr())

    def test_it_is_told_and_shown(self):
        with Server(self.paths["long"]) as server, server.connect() as client:
            self.assertIn("warming", client.hello)
            client.request("hello", speed=True)
            client.request("subscribe", hz=20)
            frames = [client.receive_op("snapshot") for _ in range(6)]
            self.assertTrue(all(frame["speed"] == 0 for frame in frames), [frame["speed"] for frame in frames])
            self.assertGreater(frames[-1]["tick"], frames[0]["tick"])
            shares = [self.warming(client) for _ in range(3)]
            self.assertEqual(shares, sorted(shares))
            self.assertTrue(0 <= shares[0] <= shares[-1] < 1)
            self.assertEqual(client.request("stats")["speed"], 1)
            client.flush()
            client.request("speed", factor=2)
            events = [m["event"] for m in client.flush() if m["op"] == "event"]
            self.assertEqual([e for e in events if e in ("warmed_up", "speed")], ["warmed_up", "speed"])
            self.assertIsNone(self.warming(client))
            self.assertEqual(client.request("stats")["speed"], 2)
            wait_for(lambda: client.receive_op("snapshot")["speed"] == 2, "frames at the speed")

    def test_what_ends_it(self):
        for op, fields, ends in (("pause", {}, True), ("set_param", {"kind": "bird", "param": "max_speed", "value": 70}, True),
                                 ("add_target", {"name": "a", "x": 1, "y": 1}, True), ("speed", {"factor": 1}, True),
                                 ("spawn", {"kind": "bird"}, True), ("cursor", {"x": 5, "y": 5}, False),
                                 ("inspect", {"agent": 1}, False), ("subscribe", {}, False), ("resume", {}, False),
                                 ("mouse", {"x": 5, "y": 5}, False), ("remove", {"agent": 1}, True),
                                 ("remove", {"agent": 999999}, False),
                                 ("set_param", {"kind": "bird", "param": "mass", "value": 1}, False),
                                 ("set_param", {"kind": "bird", "param": "mass", "value": 2}, True),
                                 ("set_param", {"kind": "bird", "param": "nothing", "value": 70}, False)):
            with Server(self.paths["long"]) as server, server.connect() as client:
                client.request(op, **fields)
                self.assertEqual(self.warming(client) is None, ends, op)

    def test_what_has_none(self):
        with Server("--paused", self.paths["long"]) as server, server.connect() as client:
            self.assertNotIn("warming", client.hello)
            self.assertEqual(client.hello["tick"], 0)
            client.request("save", name="a")
            client.request("resume")
            self.assertIsNone(self.warming(client))
            client.request("load", save="a")
            self.assertIsNone(self.warming(client))
            client.request("load", scenario="long", warmup=False)
            self.assertIsNone(self.warming(client))
            client.request("subscribe", layout="events")
            client.request("speed", factor=0.5)
            client.flush()
            client.request("load", scenario="long", warmup=True)
            scenario = client.receive_op("scenario")
            self.assertEqual((scenario["speed"], scenario["warming"]), (0.5, 0))
            self.assertIsNotNone(self.warming(client))
            client.request("load", scenario="seek")
            self.assertNotIn("warming", client.receive_op("scenario"))
            self.assertIsNone(self.warming(client))
            self.assertEqual(client.request("stats")["speed"], 0.5)
            client.request("pause")
            client.request("load", scenario="long")
            self.assertIsNone(self.warming(client))
            self.assertEqual(client.request("ping")["tick"], 0)

    def test_a_world_from_before_has_none(self):
        with tempfile.TemporaryDirectory() as state:
            with Server("--state", state, self.paths["long"]) as server, server.connect() as client:
                self.assertIsNotNone(self.warming(client))
            with Server("--state", state, self.paths["long"]) as server, server.connect() as client:
                wait_for(lambda: "resuming" not in client.request("stats"), "the world of before")
                self.assertIsNone(self.warming(client))

    def test_the_server_stops_in_it(self):
        with Server(self.paths["long"]) as server, server.connect() as client:
            client.request("load", scenario="long")
            begun = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - begun, 20)


if __name__ == "__main__":
    unittest.main()
