"""drover-cluster --mode stripes: the same world as drover-server's, at every tick, or a sentence that says why not."""

import random
import unittest

from cluster import SHARED_MEMORY, TCP, cluster_binary, run_ranks
from twins import ALL, FULL, LARGE, SLOW, TwinCase

HANDFUL = ("flock", "boids", "doorway", "hunters_and_prey", "formation")


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

    def test_a_start_that_is_refused(self):
        for words, what in ((("murmuration_10k",), "looks for kind starling at any distance"), (("--selfcheck", "5", "flock"), "--selfcheck"),
                            (("--record", "/nowhere/run.drover", "flock"), "--record")):
            done = run_ranks(2, cluster_binary(), "--mode", "stripes", "--port", "0", *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(what, done.stderr)


if __name__ == "__main__":
    unittest.main()
