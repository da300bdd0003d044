"""How a cluster begins and ends: mistakes, signals, lost ranks; and that ranks which wait leave the cores to others."""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import time
import unittest

from cluster import Case, Cluster, cluster_binary, run_ranks, wait_for
from drover_client import Closed

SLOW = bool(os.environ.get("DROVER_SLOW"))
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def spent_s(pid):
    """Processor time, s."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND


class Alone(Cluster):
    """Without mpirun."""

    def words(self):
        return [cluster_binary(), "--mode", "copy"]

    @property
    def pid(self):
        return self.process.pid


class Ends(Case):
    def test_mistakes_are_said_once(self):
        for words, what in ((("flock",), "--mode: expected copy or stripes"), (("--mode", "half", "flock"), "--mode: expected copy or stripes"),
                            (("--mode", "copy", "--tick-hz", "x", "flock"), "--tick-hz"), (("--mode", "copy", "no_such_world"), "no_such_world")):
            done = run_ranks(2, cluster_binary(), *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(len(re.findall(rf"^drover-cluster: .*{re.escape(what)}", done.stderr, re.M)), 1, done.stderr)
            self.assertNotIn("drover-server:", done.stderr)

    def test_help_and_version(self):
        done = run_ranks(2, cluster_binary(), "--help")
        self.assertEqual((done.returncode, done.stdout.count("--mode copy|stripes")), (0, 1), done.stdout)
        done = run_ranks(2, cluster_binary(), "--version")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\Adrover-cluster \d+\.\d+\.\d+\n\Z")

    def test_without_mpirun(self):
        """There is one rank then, and the log says so: mpirun may have been forgotten."""
        with Alone(1, "--paused", "flock") as cluster:
            wait_for(lambda: "there is 1 rank, this one" in cluster.stderr(), "the line")

    def test_files_are_checked_for_so_many_ranks(self):
        """great_hunt keeps one of 9300 quarries, which no two ranks in stripes can."""
        files = [f"scenarios/{name}.json" for name in ("flock", "great_hunt", "boids")]
        done = run_ranks(2, cluster_binary(), "--mode", "stripes", "--check", *files)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stdout, r"\Ascenarios/great_hunt.json: kind hunter \(pursue\) keeps a quarry .* with 2 ranks, or --mode copy\n\Z")
        for ranks, words in ((1, ("--mode", "stripes", "--check", *files)), (2, ("--mode", "copy", "--check", *files)),
                             (2, ("--mode", "stripes", "--check", files[0]))):
            done = run_ranks(ranks, cluster_binary(), *words)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_memory_of_all_ranks_of_a_host(self):
        """A machine that has the memory for one rank's world, and not for those of three, refuses three."""
        with tempfile.TemporaryDirectory() as folder:
            scenario, meminfo = pathlib.Path(folder, "crowd.json"), pathlib.Path(folder, "meminfo")
            scenario.write_text(json.dumps({"name": "crowd", "seed": 1, "world": {"size": [20000, 20000], "edge": "wrap"}, "kinds": {"walker": {
                "radius": 2, "max_speed": 60, "max_force": 100, "behaviors": [{"wander": {}}]}}, "agents": [{"kind": "walker", "count": 120000, "in": {"rect": [0, 0, 20000, 20000]}}]}))
            meminfo.write_text("MemTotal: 60000 kB\nMemAvailable: 50000 kB\n")
            narrow = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c",
                      'mount --bind "$0" /proc/meminfo && exec "$@"', str(meminfo)]
            if subprocess.run([*narrow, "true"], capture_output=True, check=False).returncode != 0:
                self.skipTest("no namespace of its own, with another /proc/meminfo, is allowed here")
            done = run_ranks(3, cluster_binary(), "--mode", "copy", "--port", "0", "--paused", str(scenario), before=narrow)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            found = re.search(r"crowd: 120000 agents need (0\.\d+) GB of memory on (\S+), 3 ranks x (0\.\d+) GB, \d+ bytes an agent; 0\.05 GB are free there; "
                              r"allowed: fewer ranks on that host, at most ([12]) there \(slots=\4 in the hostfile\), or fewer agents", done.stderr)
            self.assertEqual(found[2], os.uname().nodename, done.stderr)
            self.assertAlmostEqual(float(found[1]), 3 * float(found[3]), delta=0.02)
            with Cluster(1, "--paused", str(scenario), before=narrow) as cluster:
                wait_for(lambda: f"world: {found[2]}: ranks: 1 x {found[3]} GB = {found[3]} GB of memory; 0.05 GB are free there" in cluster.stderr(), "a line for the host")
            with Cluster(1, "--paused", str(scenario), before=narrow) as cluster, cluster.connect() as client:
                self.assert_reply(client.request("step", count=1), "step", tick=1)

    def test_one_rank_alone(self):
        with Cluster(1, "--paused", "flock") as cluster, cluster.connect() as client:
            self.assert_reply(client.request("step", count=5), "step", tick=5)

    def test_a_paused_world_leaves_the_cores_alone(self):
        with Cluster(3, "--paused", "flock") as cluster, cluster.connect() as client:
            client.request("step", count=5)
            time.sleep(1)  # the ranks have come to rest
            before = {rank: spent_s(pid) for rank, pid in cluster.pids().items()}
            time.sleep(3)  # over which the time of the processor is measured
            spent = {rank: spent_s(pid) - before[rank] for rank, pid in cluster.pids().items()}
            self.assertLess(max(spent.values()), 0.45, spent)  # 15 % of a core: sanitizers make a nap dearer

    def lose(self, cluster, rank):
        """Kills a rank of a world that runs, and returns what the cluster did."""
        with cluster.doomed(), cluster.connect() as client:
            client.request("resume")
            pid = cluster.pids()[rank]
            started = time.monotonic()
            os.kill(pid, signal.SIGKILL)
            messages = client.until_closed() if rank != 0 else self.read_to_the_end(client)
            code = cluster.process.wait(30)
            self.assertLess(time.monotonic() - started, 10)
            self.assertNotEqual(code, 0)
            self.assertRegex(cluster.stderr(), rf"rank {rank} on \S+ \(process {pid}\) is lost")
            return messages

    @staticmethod
    def read_to_the_end(client):
        try:
            while True:
                client.read_line()
        except (Closed, AssertionError):
            return []

    def test_a_lost_rank_ends_all(self):
        messages = self.lose(Cluster(3, "--paused", "pedestrians"), 1)
        self.assertEqual((messages[-1]["op"], messages[-1]["reason"]), ("bye", "shutdown"))

    def test_rank_0_is_lost(self):
        self.lose(Cluster(2, "--paused", "pedestrians"), 0)

    @unittest.skipUnless(SLOW, "slow")
    def test_twenty_lost_ranks(self):
        dice = random.Random(5)
        for _ in range(20):
            ranks = dice.randrange(2, 5)
            self.lose(Cluster(ranks, "--paused", "hunters_and_prey"), dice.randrange(ranks))

    def test_mpirun_is_stopped(self):
        """Open MPI's mpirun exits with 1 after a signal, whatever its ranks did; these end in order."""
        cluster = Cluster(2, "--paused", "flock")
        with cluster.doomed(), cluster.connect() as client:
            os.kill(cluster.process.pid, signal.SIGTERM)
            self.assertEqual(client.until_closed()[-1]["reason"], "shutdown")
            cluster.process.wait(30)
            self.assertNotIn("is lost", cluster.stderr())

    def test_a_start_that_crowds_ranks_warns(self):
        ranks = os.cpu_count() + 1
        with Cluster(ranks, "--paused", "flock") as cluster:
            wait_for(lambda: "ranks without a core of their own hold up all others" in cluster.stderr(), "the warning")


if __name__ == "__main__":
    unittest.main()
