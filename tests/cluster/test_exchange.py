"""struct exchange over MPI keeps what every exchange promises (tests/support/exchange_conformance.h)."""

import os
import unittest

from cluster import SHARED_MEMORY, TCP, run_ranks


class Exchange(unittest.TestCase):
    def check(self, ranks, mca):
        done = run_ranks(ranks, os.environ["DROVER_EXCHANGE"], mca=mca)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"{ranks} ranks keep all promises", done.stdout)

    def test_shared_memory(self):
        for ranks in (1, 2, 4):
            self.check(ranks, SHARED_MEMORY)

    def test_tcp(self):
        self.check(3, TCP)


if __name__ == "__main__":
    unittest.main()
