"""examples/hunt.py: driven hunters that a search found catch at least 1.3 times what they caught at the start, on seeds that it never saw."""

import importlib.util
import unittest

from support import ROOT, SLOW

spec = importlib.util.spec_from_file_location("hunt", ROOT / "examples/hunt.py")
hunt = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hunt)

RATIO = 1.3


class Hunt(unittest.TestCase):
    def check_ratio(self, start, found):
        self.assertGreaterEqual(sum(found), RATIO * sum(start), f"start {start}, found {found}")
        self.assertGreater(sum(start), 0)

    def test_there_are_eight_parameters_and_unseen_seeds(self):
        self.assertEqual(len(hunt.PARAMETERS), 8)
        self.assertEqual(list(hunt.BEST), list(hunt.PARAMETERS))
        self.assertNotEqual(hunt.BEST, hunt.START)
        self.assertFalse(set(hunt.UNSEEN_SEEDS) & set(hunt.TRAINING_SEEDS))
        self.assertEqual((hunt.SECONDS, hunt.START["lead"]), (60, 0.0))

    def test_the_best_on_unseen_seeds(self):
        with hunt.hunt_env() as env:
            start, found = hunt.compare(env, hunt.BEST, hunt.UNSEEN_SEEDS[:2])
        self.check_ratio(start, found)

    def test_a_search_is_the_same_every_time(self):
        def search():
            said = []
            with hunt.hunt_env(seconds=2) as env:
                return hunt.search(env, generations=2, population=4, elite=2, say=said.append), said

        self.assertEqual(search(), search())

    @unittest.skipUnless(SLOW, "slow")
    def test_the_search(self):
        """All of it, as the example does it, and to the numbers that the example has."""
        with hunt.hunt_env() as env:
            best = hunt.search(env, say=print)
            self.assertEqual(best, hunt.BEST)
            self.check_ratio(*hunt.compare(env, best))


if __name__ == "__main__":
    unittest.main()
