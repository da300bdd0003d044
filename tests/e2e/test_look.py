"""Another time for one session: look, what it shows and what it leaves alone; steps back; rewinds without a request."""

import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import time
import unittest

from drover_client import ROOT, Case, Server, wait_for

TOOL = os.environ.get("DROVER_TOOL", str(ROOT / "build/asan/bin/drover"))


class Look(Case):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="drover-look-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def steps(self, client, count):
        """The hash at each tick."""
        hashes = {}
        for _ in range(count):
            reply = client.request("step", count=1)
            hashes[reply["tick"]] = reply["hash"]
        return hashes

    def frame_at(self, client, op, tick):
        frame = client.receive_op(op)
        while frame["tick"] != tick:
            frame = client.receive_op(op)
        return frame

    def ended(self, client):
        event = client.receive_op("event")
        while event["event"] != "look_ended":
            event = client.receive_op("event")
        return event["reason"]

    def test_property_a_look_has_the_hash_that_the_world_had(self):
        """Random looks and rewinds in several scenarios, with several threads; the live world stays as it is."""
        amount = 100 if os.environ.get("DROVER_FULL") == "1" else 25
        for scenario, threads, simd in (("flock", "1", "plain"), ("hunters_and_prey", "3", "sse2"), ("guard", "2", "")):
            chance = random.Random(scenario)
            environment = {"DROVER_SIMD": simd} if simd else None
            with self.subTest(scenario=scenario), Server("--paused", "--threads", threads, scenario, environment=environment) as server, \
                    server.connect() as admin, server.connect() as viewer:
                kind = admin.hello["scenario"]["kinds"][0]["name"]
                hashes, branch = {"b1": {}}, "b1"
                for _ in range(4):
                    hashes[branch].update(self.steps(admin, 25))
                    admin.request("spawn", kind=kind, count=2)
                for i in range(amount):
                    if i % 10 == 9:
                        reply = admin.request("rewind", ticks=chance.randint(1, 60))
                        hashes[reply["branch"]] = {tick: hash for tick, hash in hashes[reply["from"]].items() if tick <= reply["tick"]}
                        branch = reply["branch"]
                        hashes[branch].update(self.steps(admin, 5))
                        admin.request("set_param", kind=kind, param="max_speed", value=chance.randint(20, 150))
                        hashes[branch].update(self.steps(admin, chance.randint(30, 60)))
                    now = admin.request("save", name="now", replace=True)["hash"]
                    row = chance.choice(admin.request("list", what="branches")["branches"])
                    tick = chance.choice([tick for tick in hashes[row["name"]] if row["first"] <= tick <= row["last"]])
                    reply = viewer.request("look", tick=tick, branch=row["name"])
                    self.assert_reply(reply, "look", tick=tick, hash=hashes[row["name"]][tick], first=row["first"], last=row["last"])
                    self.assertEqual(viewer.request("get")["tick"], tick)
                    self.assertEqual(admin.request("save", name="now", replace=True)["hash"], now)

    def test_what_the_session_sees(self):
        with Server("--paused", "flock") as server, server.connect() as admin, server.connect() as viewer, server.connect() as other:
            for client in (viewer, other):
                client.request("subscribe", layout="packed", hz=60)
                client.receive_op("delta")
            hashes = self.steps(admin, 60)
            admin.request("add_target", name="late", x=10, y=20)
            admin.request("spawn", kind="bird", count=4)
            admin.request("step", count=10)

            reply = viewer.request("look", tick=30)
            self.assert_reply(reply, "look", tick=30, hash=hashes[30], branch="b1", first=0, last=70)
            scenario = viewer.receive_op("scenario")
            self.assertNotIn("late", str(scenario["scenario"]["targets"] if "scenario" in scenario else scenario))
            self.assertEqual(viewer.receive_op("key")["tick"], 30)
            self.assertEqual(viewer.receive_op("delta")["tick"], 30)
            self.assertEqual(viewer.request("list", what="targets")["tick"], 30)
            self.assertEqual(viewer.request("inspect", agents=[1])["tick"], 30)
            self.assertEqual(viewer.request("ping")["tick"], 70)
            for op, fields in (("spawn", {"kind": "bird"}), ("mouse", {"x": 1, "y": 2}), ("batch", {"requests": [{"op": "spawn", "kind": "bird"}]})):
                self.assert_error(viewer.request(op, **fields), "looking", field="op")
            viewer.request("set_region", region=[0, 0, 100, 100])
            self.assertEqual(viewer.receive_op("key")["tick"], 30)
            reply = viewer.request("look", tick=40)  # on the way: no checkpoint is read, and the definition is the same
            self.assertEqual((reply["hash"], reply["simulated"]), (hashes[40], 10))
            viewer.request("step", count=1)  # of the live world
            self.assertEqual(self.frame_at(other, "delta", 71)["tick"], 71)
            self.assertNotIn("scenario", [message["op"] for message in viewer.flush()])
            viewer.send("look", id="live", live=True)
            self.assert_reply(viewer.answer_to("live"), "look", tick=71)
            self.assertEqual(self.ended(viewer), "live")
            self.assertIn("late", str(viewer.receive_op("scenario")))
            self.assertEqual(viewer.receive_op("key")["tick"], 71)
            self.assertEqual(viewer.request("get")["tick"], 71)
            self.assert_reply(viewer.request("look", live=True), "look", tick=71)  # nothing to end

    def test_a_look_that_has_ended_is_not_answered_as_if_it_were_shown(self):
        with Server("--paused", "flock") as server, server.connect() as client:
            client.request("step", count=60)
            for i in range(100):
                client.send("look", id="at", tick=i % 60)
                client.send("look", id="live", live=True)
                answers = {}
                while len(answers) < 2:
                    message = client.receive()
                    if message["op"] in ("reply", "error"):
                        answers[message["id"]] = message
                if list(answers) == ["live", "at"]:  # it went back before the moment was there
                    self.assert_error(answers["at"], "withdrawn")

    def test_following(self):
        with Server("flock") as server, server.connect() as admin, server.connect() as viewer:
            viewer.request("subscribe", layout="packed", hz=30)
            admin.request("pause")  # ends the warm-up, which is faster than the clock
            admin.request("resume")
            wait_for(lambda: admin.request("ping")["tick"] > 60, "some ticks")
            first = viewer.request("look", ticks=40, follow=True)["tick"]
            self.frame_at(viewer, "delta", first)
            ticks = [viewer.receive_op("delta")["tick"] for _ in range(10)]
            self.assertEqual(ticks, sorted(ticks))
            behind = admin.request("ping")["tick"] - viewer.request("get")["tick"]
            self.assertTrue(20 <= behind <= 70, behind)
            admin.request("pause")
            end = admin.request("ping")["tick"]
            self.assert_reply(admin.request("rewind", ticks=30), "rewind", branch="b2")
            admin.request("resume")
            wait_for(lambda: viewer.request("get")["tick"] == end, "it goes on to the end of its branch")
            wait_for(lambda: admin.request("ping")["tick"] > end + 30, "and stays there")
            self.assertEqual(viewer.request("get")["tick"], end)
            admin.request("load", scenario="seek")
            self.assertEqual(self.ended(viewer), "loaded")
            while viewer.receive_op("scenario")["name"] != "seek":
                pass  # the world before, when the look was told first

    def test_hostile(self):
        """Looks in a row, of two sessions, while loading, stepping and recording; each has one answer."""
        with Server("--paused", "--record", f"{self.folder}/a.drover", "--looks", "2", "flock") as server, server.connect() as admin, \
                server.connect() as one, server.connect() as two, server.connect() as three:
            hashes = self.steps(admin, 80)
            one.request("subscribe", layout="packed", hz=60)
            admin.send("step", id="step", count=8000)
            for i in range(60):
                one.send("look", id=f"a{i}", tick=80 - i)
                two.send("look", id=f"b{i}", tick=1 + i, follow=i % 2 == 1)
                two.send("get", id=f"c{i}")
            for client, name, tick in ((one, "a", lambda i: 80 - i), (two, "b", lambda i: 1 + i)):
                replies = [client.answer_to(f"{name}{i}") for i in range(60)]
                for i, reply in enumerate(replies):
                    if reply["op"] == "reply":
                        self.assertEqual((reply["tick"], reply["hash"]), (tick(i), hashes[tick(i)]))
                    else:
                        self.assert_error(reply, "withdrawn")
                self.assertEqual(replies[-1]["op"], "reply")
            self.assert_error(three.request("look", tick=1), "full")
            self.assertLess(max(self.ping_ms(three) for _ in range(20)), 1000)
            for i in range(10):
                one.send("look", id=f"d{i}", tick=50 + i)
                one.send("look", id=f"e{i}", live=True)
            for i in range(10):
                one.answer_to(f"d{i}")
                self.assert_reply(one.answer_to(f"e{i}"), "look")
            one.request("unsubscribe")  # it reads nothing while it waits
            two.send("look", id="f", tick=3)
            admin.send("load", id="load", scenario="seek")
            self.assertIn(two.answer_to("f").get("code", "withdrawn"), ("withdrawn", "out_of_range"))
            admin.answer_to("load")
            wait_for(lambda: two.request("get").get("tick") == admin.request("ping")["tick"], "the look has ended")
            two.request("look", tick=0)
            two.vanish()  # with a look
            wait_for(lambda: three.request("look", tick=0).get("code") != "full", "its look has ended")
            for fields, code in (({"tick": 99999999}, "out_of_range"), ({"mark": "x"}, "bad_param"), ({}, "bad_param"),
                                 ({"branch": "b1"}, "bad_param"), ({"tick": 1, "branch": "b9"}, "bad_param"),
                                 ({"live": False}, "bad_param"), ({"live": True, "follow": True}, "bad_param")):
                self.assert_error(one.request("look", **fields), code)
            self.assert_reply(one.request("spawn", kind="seeker"), "spawn")  # no look began
        for options in (("--looks", "0"), ("--rewind", "0"), ("--rewind", "20K")):
            with Server("--paused", *options, "flock") as server, server.connect() as client:
                self.assertIn(client.request("look", tick=0)["code"], ("full", "out_of_range"))

    def ping_ms(self, client):
        began = time.monotonic()
        client.request("ping")
        return (time.monotonic() - began) * 1000

    def test_a_step_back(self):
        with Server("--paused", "flock") as server, server.connect() as client:
            hashes = self.steps(client, 40)
            self.assert_reply(client.request("step", count=-1), "step", tick=39, hash=hashes[39])
            self.assert_reply(client.request("step", count=-9), "step", tick=30, hash=hashes[30])
            self.assertEqual(self.steps(client, 3)[33], hashes[33])
            self.assert_error(client.request("step", count=-100), "out_of_range", field="count")
            self.assert_error(client.request("step", count=0), "out_of_range", field="count")
            self.assert_error(client.request("step", count=-1, until={"reached": True}), "bad_param", field="until")
            client.request("resume")
            self.assert_error(client.request("step", count=-1), "not_paused")

    def without_a_drag(self, wanted, wanted_later):
        """Many requests, one row of the list of changes: with `row` they are left out together, whichever of them is named."""
        for named in (0, 7, 19):
            with Server("--paused", "flock") as server, server.connect() as client:
                client.request("hello", seq=True)
                client.request("step", count=50)
                drag = []
                for x in range(20):
                    drag.append(client.request("set_param", kind="bird", param="max_speed", value=60 + x)["seq"])
                    client.request("step", count=1)
                client.request("step", count=10)
                client.request("mouse", x=30, y=40)
                client.request("step", count=60)
                row = client.request("list", what="changes")["changes"][1]
                self.assertEqual((row["number"], row["count"]), (drag[-1], 20))
                self.assert_error(client.request("rewind", tick=60, row=True), "bad_param", field="row")
                self.assertNotEqual(client.request("rewind", without=drag[-1])["hash"], wanted)
                self.assert_error(client.request("rewind", without=drag[-1], row=True), "out_of_range", field="without")
                client.request("rewind", branch="b1")
                self.assert_reply(client.request("rewind", without=drag[named], row=True), "rewind", tick=140, hash=wanted, left_out=0)
                self.assertEqual(client.request("step", count=30)["hash"], wanted_later)

    def test_without_a_request(self):
        """The world is the one in which the request never came, and its past, its journal and its recording are."""
        file, state = f"{self.folder}/a.drover", f"{self.folder}/state"

        def play(client, with_spawn):
            client.request("hello", seq=True)
            client.request("step", count=50)
            seq = client.request("spawn", kind="bird", count=3)["seq"] if with_spawn else None
            client.request("step", count=30)
            client.request("mouse", x=30, y=40)
            client.request("step", count=40)
            if with_spawn:
                self.assert_reply(client.request("remove", agents=[252]), "remove")
                client.request("place", agent=253, x=5, y=5)
            client.request("step", count=20)
            return seq

        with Server("--paused", "flock") as server, server.connect() as client:
            play(client, False)
            wanted = client.request("save", name="now")["hash"]
            wanted_later = client.request("step", count=30)["hash"]
        with Server("--paused", "--record", file, "--state", state, "--sync", "always", "flock").doomed() as server, server.connect() as client:
            seq = play(client, True)
            for number in (seq + 1, 999999):  # a step has no effect of its own
                self.assert_error(client.request("rewind", without=number), "out_of_range", field="without")
            reply = client.request("rewind", without=seq)
            self.assert_reply(reply, "rewind", tick=140, branch="b2", hash=wanted, left_out=1)
            rows = {row["name"]: row for row in client.request("list", what="branches")["branches"]}
            self.assertEqual((rows["b2"]["from"], rows["b2"]["at"], rows["b2"]["last"]), ("b1", 50, 140))
            later = client.request("step", count=30)
            self.assertEqual(later["hash"], wanted_later)
            self.assert_reply(client.request("look", tick=140), "look", hash=wanted)
            self.assert_reply(client.request("look", tick=150, branch="b2"), "look", branch="b2")
            n = len(client.request("get")["frame"]["agents"])
            self.assert_reply(client.request("look", tick=60), "look", branch="b2")
            self.assertEqual(len(client.request("get")["frame"]["agents"]), n)  # it never came
            client.request("look", tick=60, branch="b1")
            self.assertEqual(len(client.request("get")["frame"]["agents"]), n + 3)
        with Server("--state", state) as server, server.connect() as client:
            self.assertEqual(client.request("save", name="now")["hash"], later["hash"])
        run = subprocess.run([TOOL, "verify", file], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.without_a_drag(wanted, wanted_later)
        with Server("flock") as server, server.connect() as client:  # a world that runs goes on
            client.request("hello", seq=True)
            wait_for(lambda: client.request("ping")["tick"] > 20, "some ticks")
            reply = client.request("rewind", without=client.request("spawn", kind="bird")["seq"])
            self.assert_reply(reply, "rewind", left_out=0)
            wait_for(lambda: client.request("ping")["tick"] > reply["tick"] + 20, "it goes on")
            client.request("speed", factor=8)  # the present is some ticks further each time that it is reached
            for _ in range(20):
                self.assert_reply(client.request("rewind", without=client.request("spawn", kind="bird")["seq"]), "rewind", left_out=0)
            self.assertEqual(client.request("list", what="kinds")["kinds"][0]["count"], 250)


if __name__ == "__main__":
    unittest.main()
