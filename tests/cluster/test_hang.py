"""A rank that hangs, or is another one than rank 0, is named, and the cluster ends: real ranks are stopped, a thread of one is, and
mpirun starts programs and options that differ."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from cluster import Case, Cluster, cluster_binary, run_unlike, wait_for

TIMEOUT = ("--rank-timeout", "2")
PATIENCE_S = 60
SOON_S = 8  # a stop takes 1 s, and what a busy machine adds; it waits neither for the 10 s of --rank-timeout nor for a long tick
# A process that holds one thread of another.
HELD = """
import ctypes, sys
ptrace = ctypes.CDLL(None, use_errno=True).ptrace
ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
for request in (0x4206, 0x4207):  # PTRACE_SEIZE, PTRACE_INTERRUPT
    if ptrace(request, int(sys.argv[1]), None, None) != 0:
        sys.exit(f"ptrace: {ctypes.get_errno()}")
print("held", flush=True)
sys.stdin.read()
"""


class Hang(Case):
    def check_named(self, cluster, rank, pid, what="does not answer"):
        code = cluster.process.wait(PATIENCE_S)
        self.assertEqual(code, 3, cluster.stderr())
        self.assertRegex(cluster.stderr(), rf"rank {rank} on \S+ \(process {pid}\) {what}")

    def stop(self, cluster, rank):
        pid = cluster.pids()[rank]
        os.kill(pid, signal.SIGSTOP)
        return pid

    def test_a_stopped_rank_is_named(self):
        for mode, rank in (("copy", 2), ("stripes", 1)):
            cluster = Cluster(3, *TIMEOUT, "--paused", "flock", mode=mode)
            with self.subTest(mode=mode), cluster.doomed(), cluster.connect() as client:
                client.request("resume")
                client.request("ping")
                pid = self.stop(cluster, rank)
                wait_for(lambda: client.request("stats")["cluster"]["age"] > 1.5, "figures that are old")
                self.assertEqual(client.until_closed()[-1]["reason"], "shutdown")
                self.check_named(cluster, rank, pid)

    def test_rank_0_is_stopped(self):
        cluster = Cluster(3, *TIMEOUT, "flock")
        with cluster.doomed():
            self.check_named(cluster, 0, self.stop(cluster, 0))

    def test_a_thread_that_hangs_is_found_though_its_process_lives(self):
        cluster = Cluster(3, *TIMEOUT, "flock")
        with cluster.doomed():
            pid = cluster.pids()[1]
            with subprocess.Popen(["python3", "-c", HELD, str(pid)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as holder:
                self.assertEqual(holder.stdout.readline(), b"held\n", holder.poll())
                code = cluster.process.wait(PATIENCE_S)
                holder.stdin.close()
            self.assertEqual(code, 3, cluster.stderr())
            self.assertRegex(cluster.stderr(), rf"rank 1 on \S+ \(process {pid}\) hangs")

    def test_a_rank_that_computes_for_long_does_not_hang(self):
        with Cluster(2, *TIMEOUT, "--threads", "1", "--paused", "million", mode="stripes") as cluster, cluster.connect() as client:
            self.assert_reply(client.request("step", count=3), "step", tick=3)

    def test_a_stop_in_the_tick_ends_within_a_second(self):
        for words in ((), ("--paused",)):
            cluster = Cluster(3, *words, "flock")
            with self.subTest(words=words), cluster.doomed():
                cluster.pids()
                pid = self.stop(cluster, 2)
                time.sleep(0.7)  # the others wait for the rank
                started = time.monotonic()
                os.kill(cluster.pid, signal.SIGTERM)
                wait_for(lambda: not alive(cluster.pid), "the end of rank 0")
                self.assertLess(time.monotonic() - started, SOON_S)
                cluster.process.wait(30)
                self.assertRegex(cluster.stderr(), rf"rank 2 on \S+ \(process {pid}\) does not answer")

    def test_a_stop_in_a_long_tick_ends_within_a_second(self):
        """Agents that all see each other: a tick of many seconds, in which no rank hangs."""
        cluster = Cluster(2, "--threads", "1", "--paused", "flock")
        with cluster.doomed(), cluster.connect() as client:
            self.assert_reply(client.request("spawn", kind="bird", count=60000, x=600, y=450), "spawn")
            client.send("step", count=9)
            wait_for(lambda: "a tick has taken" in cluster.stderr(), "a long tick")
            started = time.monotonic()
            os.kill(cluster.pid, signal.SIGTERM)
            wait_for(lambda: not alive(cluster.pid), "the end of rank 0")
            self.assertLess(time.monotonic() - started, SOON_S)
            self.assertEqual(client.until_closed()[-1]["reason"], "shutdown")

    def test_without_a_span_nothing_is_judged(self):
        with Cluster(2, "--rank-timeout", "0", "flock") as cluster, cluster.connect() as client:
            pid = self.stop(cluster, 1)
            time.sleep(3)  # longer than TIMEOUT
            os.kill(pid, signal.SIGCONT)
            before = client.request("stats")["ticks"]
            wait_for(lambda: client.request("stats")["ticks"] > before, "ticks")


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Alike(Case):
    def differ(self, first, second, *what):
        """Two ranks with different words: the second is named, and nothing listens."""
        done = run_unlike(first, second)
        self.assertEqual(done.returncode, 2, done.stderr)
        for part in what:
            self.assertRegex(done.stderr, rf"(?m)^drover-cluster: rank 1 on \S+ \(process \d+\) has another {part}; allowed: the same on all ranks")
        self.assertNotIn("listening", done.stdout)

    def words(self, *more, mode="copy", program=None):
        return (program or cluster_binary(), "--mode", mode, "--port", "0", *more)

    def test_modes(self):
        self.differ(self.words("flock"), self.words("flock", mode="stripes"), '--mode: "stripes", rank 0 has "copy"')
        self.differ(self.words("flock", mode="stripes"), self.words("flock"), '--mode: "copy", rank 0 has "stripes"')

    def test_options(self):
        self.differ(self.words("flock"), self.words("flock", "--max-agents", "1000", "--seed", "7"),
                    r'--max-agents: "1000", rank 0 has "\d+"', '--seed: "7", rank 0 has ""')
        self.differ(self.words("flock"), self.words("boids"), 'scenario: "boids", rank 0 has "flock"')
        self.differ(self.words("flock"), self.words("flock", *TIMEOUT), '--rank-timeout: "2", rank 0 has "10"')

    def test_a_mistake_of_another_rank(self):
        self.differ(self.words("flock"), self.words("flock", "--no-such-option"), 'command-line: "with a mistake", rank 0 has "understood"')

    def test_builds(self):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "drover-cluster"
            shutil.copy2(cluster_binary(), other)
            with other.open("ab") as file:
                file.write(b"another build")
            self.differ(self.words("flock"), self.words("flock", program=str(other)), 'build: "[0-9a-f]{16}", rank 0 has "[0-9a-f]{16}"')

    def test_what_may_differ(self):
        done = run_unlike(self.words("--threads", "1", "--listen", "256.0.0.1", "flock"), self.words("--threads", "2", "flock"))
        self.assertIn("256.0.0.1", done.stderr)
        self.assertNotIn("has another", done.stderr)

    def test_another_program(self):
        words, other = self.words("flock", "--rank-timeout", "1"), (os.environ["DROVER_SERVER"], "--port", "0", "flock")
        for rank, first, second in ((1, words, other), (0, other, words)):
            done = run_unlike(first, second)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("the ranks do not all begin, or end: one of them hangs, or is another program", done.stderr)
            self.assertIn(f"mpirun started drover-server as rank {rank} of 2; ", done.stderr)


if __name__ == "__main__":
    unittest.main()
