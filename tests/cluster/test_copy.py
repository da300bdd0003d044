"""drover-cluster --mode copy: the same world as drover-server's, at every tick, whatever is asked of it."""

import json
import pathlib
import random
import tempfile
import unittest

from cluster import ROOT, SHARED_MEMORY, TCP, Cluster, Server
from twins import ALL, FULL, LARGE, SLOW, TwinCase

# A pure flock, a crowd between walls, remembered quarries, formations, states and scenery.
HANDFUL = ("flock", "doorway", "hunters_and_prey", "formation", "capture_the_flag")


class Copy(TwinCase):
    def check_scenarios(self, ranks, mca, names, ticks):
        with self.twins(ranks, "flock", mca=mca) as twins:
            for name in names:
                with self.subTest(ranks=ranks, mca=mca, scenario=name):
                    self.assert_reply(twins.ask("load", scenario=name), "load")
                    twins.ask("pause")
                    twins.step(min(ticks, LARGE.get(name, ticks)))

    def test_hash_at_every_tick_on_shared_memory(self):
        self.check_scenarios(2, SHARED_MEMORY, HANDFUL, 25)

    def test_hash_at_every_tick_over_tcp(self):
        self.check_scenarios(3, TCP, HANDFUL, 15)

    @unittest.skipUnless(SLOW, "slow")
    def test_all_scenarios(self):
        self.check_scenarios(4, SHARED_MEMORY, ALL if FULL else HANDFUL, 120 if FULL else 20)
        for ranks, mca in ((2, SHARED_MEMORY), (3, TCP)):
            self.check_scenarios(ranks, mca, ALL, 120 if FULL else 12)

    def test_a_document(self):
        """The other ranks have no file of it."""
        with self.twins(3, "seek") as twins:
            document = json.loads((ROOT / "scenarios/guard.json").read_text(encoding="utf-8"))
            self.assert_reply(twins.ask("load", document=document, name="mine", seed=4), "load", scenario="mine")
            twins.ask("pause")
            twins.step(20)
            document["kinds"]["thief"]["mas"] = 1
            self.assert_error(twins.ask("load", document=document), "bad_scenario", field="document")
            twins.step(5)
            self.assertEqual(twins.ask("export")["scenario"], "mine")
            now = twins.ask("export", what="now")
            self.assertIn("the tick", now["lost"][0])
            self.assert_reply(twins.ask("load", again=True, seed=4), "load", scenario="mine")
            self.assert_reply(twins.ask("load", document=now["document"]), "load")
            twins.step(5)
            self.assert_reply(twins.ask("edit", patch={"kinds": {"thief": {"mass": 2, "radius": [5, 9]}}}), "edit")
            self.assert_error(twins.ask("edit", patch={"kinds": {"thief": {"mas": 1}}}), "bad_scenario", field="patch")
            twins.step(20)

    def test_requests(self):
        dice = random.Random(11)
        with self.twins(3, "seek") as twins:
            for name in ("flock", "doorway") + tuple(ALL if FULL else ALL[::6] if SLOW else ()):
                if name not in LARGE:
                    self.check_requests(twins, dice, name, 40 if FULL else 30)

    def test_requests_at_a_tick_of_a_world_that_runs(self):
        with self.twins(2, "pedestrians") as twins:
            kind = twins.ask("list", what="kinds")["kinds"][0]["name"]
            for client in twins.clients:
                for tick in range(20, 60, 10):
                    client.send("spawn", at=tick, kind=kind, count=5, x=100, y=100)
                client.send("pause", at=80, id="pause")
                client.request("resume")
            for client in twins.clients:
                self.assert_reply(client.answer_to("pause"), "pause", tick=80)
            twins.step(1)

    def test_rewinds(self):
        with self.twins(2, "capture_the_flag") as twins:
            twins.step(30)
            twins.ask("add_target", name="x", x=5, y=6)
            twins.step(10)
            for to in ({"tick": 12}, {"branch": "b1"}, {"ticks": 5}):
                self.assert_reply(twins.ask("rewind", **to), "rewind")
                twins.step(6)

    def test_speed_steps_and_saved_worlds(self):
        with self.twins(3, "capture_the_flag") as twins:
            twins.step(5)
            self.assert_reply(twins.ask("save", name="five"), "save")
            twins.ask("step", count=60)
            twins.ask("load", save="five")
            twins.ask("pause")
            twins.step(10)
            for client in twins.clients:
                client.request("speed", max=True)
                client.send("pause", at=200, id="pause")
                client.request("resume")
            for client in twins.clients:
                self.assert_reply(client.answer_to("pause"), "pause", tick=200)
            twins.step(1)

    def test_recordings_are_those_of_one_process(self):
        """A cluster plays what a server has recorded, and goes on from it."""
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder) / "run.drover")
            with Server("--paused", "--record", path, "hunters_and_prey") as server, server.connect() as client:
                client.request("step", count=30)
                client.request("spawn", kind="prey", count=5, x=50, y=50)
                last = client.request("step", count=30)
            with Cluster(2, "--paused", "--replay", path) as cluster, cluster.connect() as client:
                self.assert_reply(client.request("seek", tick=60), "seek", hash=last["hash"])
            with self.twins(2, "--from", path) as twins:
                twins.step(3)


if __name__ == "__main__":
    unittest.main()
