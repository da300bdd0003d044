"""Going back in a live world: rewind, mark, branches; what the others see of it; recordings and a state folder that follow;
and what may come in between."""

import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from drover_client import ROOT, Case, Server, wait_for, worlds_to_try

TOOL = os.environ.get("DROVER_TOOL", str(ROOT / "build/asan/bin/drover"))


class World:
    """A paused world, and the hash at each tick of each branch, as steps gave them."""

    def __init__(self, case, client):
        self.case, self.client, self.branch, self.tick = case, client, "b1", 0
        self.hashes = {"b1": {}}

    def step(self, count):
        for _ in range(count):
            reply = self.client.request("step", count=1)
            self.tick = reply["tick"]
            self.hashes[self.branch][self.tick] = reply["hash"]

    def rewind(self, **to):
        reply = self.client.request("rewind", **to)
        self.case.assert_reply(reply, "rewind")
        if reply["branch"] != to.get("branch", ""):  # a further branch has the past of the one that it comes from
            past = self.hashes[reply["from"]]
            self.hashes[reply["branch"]] = {tick: hash for tick, hash in past.items() if tick <= reply["tick"]}
        self.branch, self.tick = reply["branch"], reply["tick"]
        return reply

    def check(self, reply):
        wanted = self.hashes[reply["from"]].get(reply["tick"], reply["hash"])
        self.case.assertEqual(reply["hash"], wanted, f"tick {reply['tick']} of {reply['from']}")


class Rewind(Case):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="drover-rewind-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def verify(self, file):
        run = subprocess.run([TOOL, "verify", file], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def branches(self, client):
        return {row["name"]: row for row in client.request("list", what="branches")["branches"]}

    def change(self, client, chance):
        """A request that changes the world, of several sorts."""
        kind = chance.choice(client.hello["scenario"]["kinds"])["name"]
        what = chance.randrange(4)
        if what == 0:
            client.request("spawn", kind=kind, count=2)
        elif what == 1:
            client.request("set_param", kind=kind, param="max_speed", value=chance.randint(20, 150))
        elif what == 2:
            client.request("mouse", x=chance.randint(0, 700), y=chance.randint(0, 500))
        else:
            client.request("add_obstacle", circle=[chance.randint(0, 700), chance.randint(0, 500), 9])

    def test_property_every_tick_of_every_branch_comes_out_again(self):
        """Random requests, rewinds and returns; hashes are compared with those that steps gave."""
        for scenario, threads, simd in worlds_to_try([("flock", "1", "plain"), ("hunters_and_prey", "3", "sse2"), ("guard", "2", ""), ("boids", "1", "")]):
            chance = random.Random(scenario)
            environment = {"DROVER_SIMD": simd} if simd else None
            with self.subTest(scenario=scenario), Server("--paused", "--threads", threads, scenario, environment=environment) as server, \
                    server.connect() as client:
                if client.hello["scenario"].get("agents", 0) > 20000:
                    continue
                world, ends = World(self, client), {}
                for _ in range(12):
                    for _ in range(3):
                        world.step(chance.randint(1, 25))
                        self.change(client, chance)
                    ends[world.branch] = client.request("save", name="end", replace=True)["hash"]  # with its last request
                    rows = self.branches(client)
                    branch = chance.choice(list(rows))
                    if chance.random() < 0.3 and branch != world.branch:
                        reply = world.rewind(branch=branch)
                        self.assertEqual((reply["branch"], reply["tick"]), (branch, rows[branch]["last"]))
                        self.assertEqual(reply["hash"], ends.get(branch, reply["hash"]), f"the end of {branch}")
                    else:
                        world.check(world.rewind(branch=branch, tick=chance.randint(rows[branch]["first"], rows[branch]["last"])))

    def test_a_branch_goes_on_as_it_did(self):
        with Server("--paused", "flock") as server, server.connect() as client:
            world = World(self, client)
            world.step(130)
            before = dict(world.hashes["b1"])
            world.rewind(ticks=100)
            self.assertEqual((world.branch, world.tick), ("b2", 30))
            world.step(100)
            self.assertEqual(world.hashes["b2"], before)  # nothing was asked of it: the same future
            self.assert_reply(client.request("mark", name="here"), "mark", tick=130, name="here")
            client.request("spawn", kind="bird", count=5)
            client.request("step", count=20)
            reply = client.request("rewind", mark="here")
            self.assert_reply(reply, "rewind", tick=130, hash=before[130], branch="b3")
            self.assert_reply(client.request("rewind", seconds=1), "rewind", tick=70, hash=before[70])
            listed = client.request("list", what="branches")
            self.assertEqual(listed["marks"], [{"name": "here", "branch": "b2", "tick": 130}])
            self.assertEqual([row["name"] for row in listed["branches"] if row["current"]], ["b3"])  # moved: nothing was in it

    def test_what_the_others_see(self):
        with Server("flock") as server, server.connect() as client, server.connect() as other:
            other.request("hello", seq=True)
            other.request("subscribe", layout="packed", hz=60)
            wait_for(lambda: client.request("ping")["tick"] > 40, "some ticks")
            reply = client.request("rewind", tick=20)
            self.assert_reply(reply, "rewind", tick=20, branch="b2")
            event = other.receive_op("event")
            while event["event"] != "rewound":
                event = other.receive_op("event")
            self.assertEqual((event["tick"], event["branch"], event["from"]), (20, "b2", "b1"))
            key = other.receive_op("key")
            self.assertEqual(key["tick"], 20)
            self.assertTrue(server.hello()["paused"])
            client.request("resume")
            wait_for(lambda: client.request("ping")["tick"] > 25, "it goes on")

    def test_what_was_done_is_listed(self):
        with Server("--paused", "flock") as server, server.connect() as client:
            client.request("hello", name="Ann")
            client.request("step", count=30)
            client.request("spawn", kind="bird", count=2)
            client.request("step", count=90)
            for x in range(40):  # a target that is dragged: one change
                client.request("mouse", x=100 + x, y=50)
                client.request("step", count=1)
            client.request("rewind", tick=60)
            client.request("set_param", kind="bird", param="max_speed", value=90)
            rows = client.request("list", what="changes")["changes"]
            self.assertEqual([(row["tick"], row["branch"], row["op"], row["text"].split(",")[0], row.get("count", 1), row["name"]) for row in rows],
                             [(60, "b2", "set_param", "kind bird", 1, "Ann"), (159, "b1", "mouse", "x 139", 40, "Ann"),
                              (30, "b1", "spawn", "kind bird", 1, "Ann")])
            self.assertEqual(sorted((row["number"] for row in rows), reverse=True), [row["number"] for row in rows])
            for i in range(300):
                client.request("add_target", name=f"t{'abcdefghij'[i % 10]}{i}", x=i, y=1)
            self.assertEqual(len(client.request("list", what="changes")["changes"]), 256)

    def test_a_recording_of_three_branches_verifies(self):
        file = f"{self.folder}/a.drover"
        with Server("--paused", "--record", file, "flock") as server, server.connect() as client:
            world = World(self, client)
            world.step(70)
            client.request("spawn", kind="bird", count=3)
            world.step(20)
            world.rewind(tick=50)
            client.request("set_param", kind="bird", param="max_speed", value=50)
            world.step(30)
            world.rewind(ticks=10)
            client.request("mouse", x=3, y=4)
            world.step(40)
            world.rewind(branch="b1")
            world.step(10)
            self.assertEqual(sorted(self.branches(client)), ["b1", "b2", "b3"])
            end = client.request("save", name="end")["hash"]
        self.verify(file)
        lines = [line for line in pathlib.Path(file).read_text().splitlines() if line.startswith('{"op":"world"')]
        self.assertEqual(len(lines), 4)  # one for each time that a world was put in
        with Server("--paused", "--replay", file) as server, server.connect() as client:
            self.assert_error(client.request("rewind", tick=1), "replaying")
            self.assert_reply(client.request("seek", world=4, tick=100), "seek", hash=end)
            client.request("resume", live=True)
            wait_for(lambda: client.request("ping")["tick"] > 110, "it goes on")
            self.assert_reply(client.request("rewind", tick=105), "rewind", tick=105)

    def test_kill_after_a_rewind_comes_back_in_the_branch(self):
        state = f"{self.folder}/state"
        with Server("--state", state, "--paused", "--sync", "always", "flock").doomed() as server, server.connect() as client:
            client.request("step", count=100)
            client.request("rewind", tick=40)
            client.request("spawn", kind="bird", count=7)
            end = client.request("step", count=30)
        with Server("--state", state) as server, server.connect() as client:
            self.assertTrue(client.hello["paused"])
            saved = client.request("save", name="now")
            self.assertEqual((saved["tick"], saved["hash"]), (70, end["hash"]))
            self.assert_error(client.request("rewind", tick=30), "out_of_range", field="tick")  # memory begins with the start
            client.request("step", count=5)
            self.assert_reply(client.request("rewind", tick=70), "rewind", hash=end["hash"])

    def test_what_comes_in_between(self):
        """Rewinds in a row, of two admins, while loading, while stepping: each has one answer, and the world is whole."""
        with Server("--paused", "flock") as server, server.connect() as one, server.connect() as two:
            hashes = {tick: one.request("step", count=1)["hash"] for tick in range(1, 90)}
            for i in range(8):
                one.send("rewind", id=f"a{i}", tick=10 * i + 1)
                two.send("rewind", id=f"b{i}", tick=5 * i + 2, branch="b1")
            for i in range(8):
                self.assertIn(one.answer_to(f"a{i}").get("code", "out_of_range"), "out_of_range")
                self.assert_reply(two.answer_to(f"b{i}"), "rewind", tick=5 * i + 2, hash=hashes[5 * i + 2])
            one.request("rewind", branch="b1")
            one.send("step", id="step", count=100000)
            reply = two.request("rewind", tick=33)
            self.assert_reply(reply, "rewind", hash=hashes[33])
            self.assertIn(one.answer_to("step").get("stopped"), (None, True))
            one.send("load", id="load", scenario="seek")
            two.send("rewind", id="rewind", tick=5)
            self.assert_reply(one.answer_to("load"), "load")
            two.answer_to("rewind")
            self.assertEqual(one.hello["op"], "hello")
            one.request("load", scenario="seek")
            self.assertEqual(list(self.branches(one)), ["b1"])  # another world: its past begins
            for fields, code in (({"tick": 99}, "out_of_range"), ({"ticks": 1}, "out_of_range"), ({"mark": "x"}, "bad_param"),
                                 ({"branch": "b9"}, "bad_param"), ({"branch": "b1"}, "bad_param"), ({}, "bad_param"),
                                 ({"tick": 1, "ticks": 1}, "bad_param"), ({"seconds": -1}, "out_of_range")):
                self.assert_error(one.request("rewind", **fields), code)

    def test_what_is_left_out_is_what_nothing_hangs_on(self):
        with Server("--paused", "flock") as server, server.connect() as client:
            client.request("step", count=100)
            client.request("mark", name="good")
            hash_at_60 = client.request("rewind", tick=60)["hash"]
            for _ in range(70):  # again and again to where an empty branch begins
                reply = client.request("rewind", tick=60)
                self.assert_reply(reply, "rewind", branch="b2", hash=hash_at_60)
                self.assertEqual(reply["from"], "b1")
                self.assert_reply(client.request("rewind", ticks=0), "rewind", branch="b2")
            for _ in range(70):  # many tries from the same moment
                client.request("spawn", kind="bird", count=1)
                client.request("step", count=1)
                self.assertEqual(client.request("rewind", tick=60)["hash"], hash_at_60)
            listed = client.request("list", what="branches")
            self.assertEqual([mark["name"] for mark in listed["marks"]], ["good"])
            self.assertIn("b1", [row["name"] for row in listed["branches"]])
            self.assert_reply(client.request("rewind", tick=1), "rewind", tick=1)
            self.assert_reply(client.request("rewind", mark="good"), "rewind", tick=100)

    def test_memory(self):
        with Server("--paused", "--rewind", "0", "flock") as server, server.connect() as client:
            for op, fields in (("rewind", {"ticks": 1}), ("mark", {"name": "a"}), ("list", {"what": "branches"}), ("list", {"what": "changes"})):
                self.assert_error(client.request(op, **fields), "full")
        with Server("--paused", "--rewind", "20K", "flock") as server, server.connect() as client:  # not even a copy of the world
            client.request("step", count=90)
            client.request("spawn", kind="bird", count=1)
            self.assertIn("no checkpoint is in memory", client.request("rewind", ticks=1)["message"])
            self.assertEqual(client.request("list", what="branches")["bytes"], 0)
        with Server("--paused", "--rewind", "400K", "flock") as server, server.connect() as client:
            tick = 0
            for _ in range(40):
                tick = client.request("step", count=60)["tick"]
                client.request("rewind", ticks=3)
                self.assertLessEqual(client.request("list", what="branches")["bytes"], 400 * 1024)
            self.assertGreater(tick, 2000)
            self.assert_reply(client.request("rewind", seconds=1), "rewind")


if __name__ == "__main__":
    unittest.main()
