"""drover-cluster --mode stripes: the same world as drover-server's, at every tick, or a sentence that says why not."""

import json
import os
import pathlib
import random
import re
import shutil
import tempfile
import unittest

from cluster import ROOT, SHARED_MEMORY, TCP, Cluster, Server, cluster_binary, run_ranks
from twins import ALL, FULL, LARGE, SLOW, Twins, TwinCase

HANDFUL = ("flock", "boids", "doorway", "hunters_and_prey", "formation")
# Freed memory is given back at once in builds with sanitizers too.
FRUGAL = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"}


def peak_mb(pid):
    """The most memory that a process has had at any time."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def write_large(folder, agents):
    """A mere flock as dense as that of `million`, of so many."""
    scenario = json.loads((ROOT / "scenarios/million.json").read_text())
    scenario["world"]["size"] = size = [round(side * (agents / 1e6) ** 0.5) for side in scenario["world"]["size"]]
    scenario["agents"][0].update(count=agents, **{"in": {"rect": [0, 0, *size]}})
    (folder / "large.json").write_text(json.dumps(scenario))


class Stripes(TwinCase):
    mode = "stripes"

    def check_scenarios(self, ranks, mca, names, ticks):
        """Returns the scenarios that were refused."""
        refused = []
        with self.twins(ranks, "pedestrians", mca=mca) as twins:
            for name in names:
                with self.subTest(ranks=ranks, mca=mca, scenario=name):
                    answers = [client.request("load", scenario=name) for client in twins.clients]
                    if answers[0]["op"] == "error":
                        self.assert_error(answers[0], "unsupported", field="scenario")
                        refused.append(name)
                        continue
                    self.assertEqual(*answers)
                    twins.ask("pause")
                    twins.step(min(ticks, LARGE.get(name, ticks)))
        return refused

    def test_a_document(self):
        """As a scenario by its name: what stripes cannot run is refused, and the old world goes on."""
        with self.twins(3, "pedestrians") as twins:
            documents = {name: json.loads((ROOT / f"scenarios/{name}.json").read_text(encoding="utf-8")) for name in ("flock", "doorway", "seek_jumping")
                         if (ROOT / f"scenarios/{name}.json").exists()}
            for name, document in documents.items():
                by_name, by_text = twins.clients[1].request("load", id="a", scenario=name), twins.clients[1].request("load", id="b", document=document)
                self.assertEqual((by_name["op"], by_name.get("hash"), by_name.get("code")), (by_text["op"], by_text.get("hash"), by_text.get("code")))
            self.assert_reply(twins.ask("load", document=documents["flock"], name="mine"), "load", scenario="mine")
            twins.ask("pause")
            twins.step(15)

    def test_hash_at_every_tick_on_shared_memory(self):
        self.assertEqual(self.check_scenarios(2, SHARED_MEMORY, HANDFUL, 40), [])

    def test_hash_at_every_tick_over_tcp(self):
        self.assertEqual(self.check_scenarios(3, TCP, HANDFUL[:3], 30), [])

    @unittest.skipUnless(SLOW, "slow")
    def test_all_scenarios(self):
        for ranks, mca, ticks in ((2, SHARED_MEMORY, 15), (4, SHARED_MEMORY, 8), (3, TCP, 15)):
            refused = self.check_scenarios(ranks, mca, ALL, 200 if FULL else ticks)
            self.assertIn("murmuration_10k", refused)
            self.assertLess(len(refused), len(ALL) / 2, refused)

    def test_requests(self):
        dice = random.Random(12)
        with self.twins(3, "flock") as twins:
            for name in ("flock", "doorway"):
                self.check_requests(twins, dice, name, 60 if FULL else 30)

    def test_the_world_as_a_scenario(self):
        """Its agents come from all ranks."""
        with self.twins(2, "doorway") as twins:
            twins.step(20)
            twins.ask("set_param", kind=twins.ask("list", what="kinds")["kinds"][0]["name"], param="max_force", value=150)
            now = twins.ask("export", what="now")
            self.assertIn("the tick", now["lost"][0])
            self.assert_reply(twins.ask("load", document=now["document"]), "load")
            twins.step(5)
            self.assert_reply(twins.ask("load", again=True), "load")

    def test_a_world_without_agents(self):
        with self.twins(2, "flock") as twins:
            twins.ask("remove", kind="bird")
            for name in ("none", "again"):
                self.assert_reply(twins.ask("save", name=name), "save")
                twins.step(3)
                twins.ask("get")
            twins.ask("spawn", kind="bird")
            self.assert_reply(twins.ask("save", name="one"), "save")
            twins.step(3)
            self.assert_reply(twins.ask("load", save="none"), "load")
            twins.ask("list", what="kinds")

    def test_no_rank_ever_has_the_whole_world(self):
        """Neither while a world is made, nor while it moves: the peak of a rank grows by a part of what a single process needs."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copy(ROOT / "scenarios/flock.json", folder)
            write_large(folder, 3_200_000 if FULL else 400_000)
            words = ("--paused", "--threads", "1", "--max-agents", "4000000", "--scenarios", name, "flock")
            with Cluster(4, *words, mode="stripes", environment=FRUGAL) as cluster, Server(*words, environment=FRUGAL) as server:
                twins = Twins(self, cluster, server)
                pids = [server.pid, *cluster.pids().values()]
                before = [peak_mb(pid) for pid in pids]
                self.assert_reply(twins.ask("load", scenario="large"), "load")
                twins.ask("pause")
                twins.step(200 if FULL else 3)
                alone, *ranks = (peak_mb(pid) - base for pid, base in zip(pids, before))
                twins.close()
        self.assertEqual(len(ranks), 4)
        for grown in ranks:
            self.assertLess(grown, 0.5 * alone, (alone, ranks))

    def test_a_start_that_is_refused(self):
        for words, what in ((("murmuration_10k",), "looks for kind starling at any distance"), (("--selfcheck", "5", "flock"), "--selfcheck"),
                            (("--record", "/nowhere/run.drover", "flock"), "--record")):
            done = run_ranks(2, cluster_binary(), "--mode", "stripes", "--port", "0", *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(what, done.stderr)


if __name__ == "__main__":
    unittest.main()
