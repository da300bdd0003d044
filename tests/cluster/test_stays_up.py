"""drover-cluster-run: a world that people change stays up. A rank, rank 0 or mpirun is killed at a random moment; the world is back by itself, has
all that was acknowledged, and says what was lost. In the end it has the hash of one server that was never interrupted. What it makes of hosts, exit
codes and tries is tried with a stand-in for mpirun that writes down its words."""

import contextlib
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import time
import unittest

from cluster import MPI_ENVIRONMENT, Cluster, Server, children_of, cluster_binary, rank_of, wait_for
from drover_client import PATIENCE_S, Client, Closed
from proxies import free_port
from test_journal import Kept, hash_now, read_lines

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients/python"))
import drover  # noqa: E402  pylint: disable=wrong-import-position

SLOW = bool(os.environ.get("DROVER_SLOW"))
KILLS = 20 if SLOW else 3
BACK_S = 15
RUN = cluster_binary() + "-run"


class KeptUp(Cluster):
    """A cluster under drover-cluster-run; a port of its own, since sessions find it there again."""

    def words(self):
        return [RUN, *super().words()]

    def launcher(self):
        return next((pid for pid in children_of(self.process.pid) if b"mpirun" in command_of(pid)), None)

    def ranks_now(self):
        """Rank -> process, of the run that is under way."""
        mpirun = self.launcher()
        return {} if mpirun is None else {rank_of(pid): pid for pid in children_of(mpirun) if rank_of(pid) is not None}

    def pids(self):
        return self.ranks_now()


def command_of(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def connect_again(case, port, since, within_s=BACK_S):
    """A session of the world that is back."""
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            client = Client(port)
            if "resuming" not in client.hello:
                return client
            client.__exit__()
        except (OSError, Closed):
            pass
        case.assertLess(time.monotonic() - since, within_s)
        time.sleep(0.05)


class StaysUp(Kept):
    def disturb(self, client, dice, until):
        """Changes of somebody who watches. Returns what was acknowledged last: tick and seq."""
        reply = client.request("set_target", name="mouse", x=1, y=1)
        with contextlib.suppress(Closed, OSError):
            while time.monotonic() < until:
                reply = client.request("set_target", name="mouse", x=dice.uniform(0, 400), y=dice.uniform(0, 300))
                reply = client.request("set_param", kind="stray", param="max_speed", value=dice.uniform(30, 80))
                time.sleep(0.01)
        return reply

    def test_random_kills(self):
        dice = random.Random(11)
        mode = "stripes" if SLOW else "copy"
        slowest = 0.0
        with KeptUp(3, "--state", self.state, "--keep", "all", "--sync", "always", self.scenario, mode=mode, port=free_port()) as server, \
                drover.connect(f"127.0.0.1:{server.port}") as watcher:
            watcher.subscribe(hz=20)
            client = server.connect()
            acknowledged = []
            for _ in range(KILLS):
                client.request("hello", seq=True)
                self.disturb(client, dice, time.monotonic() + dice.uniform(0.05, 0.6))
                number = len(acknowledged)
                reply = client.request("add_target", name=f"kept-{number}", x=number, y=number)
                self.assert_reply(reply, "add_target")
                acknowledged.append(reply)
                victim = dice.choice([0, 1, 2, "mpirun"])
                processes = {**server.ranks_now(), "mpirun": server.launcher()}
                self.assertIn(victim, processes)
                os.kill(processes[victim], signal.SIGKILL)
                killed = time.monotonic()
                with contextlib.suppress(Closed, OSError):
                    client.until_closed()
                client.__exit__()
                client = connect_again(self, server.port, killed)
                slowest = max(slowest, time.monotonic() - killed)
                restarted = client.hello["restarted"]
                self.assertGreaterEqual(restarted["tick"], reply["tick"])
                self.assertGreaterEqual(client.request("stats")["tick"], restarted["tick"])
                if victim != "mpirun":
                    self.assertRegex(restarted["reason"], rf"^rank {victim} on \S+ \(process {processes[victim]}\) is lost$")
                names = {target["name"] for target in client.request("list", what="targets")["targets"]}
                self.assertLessEqual({f"kept-{i}" for i in range(number + 1)}, names)
            wait_for(lambda: watcher.frame(PATIENCE_S).tick >= restarted["tick"], "frames for the client that connects again by itself")
            client.request("pause")
            last = hash_now(client)
            client.__exit__()
        print(f"{KILLS} kills: the world was back after {slowest:.1f} s at most")
        with Server("--state", self.state, "--keep", "all", "--paused") as server, server.connect() as client:
            self.assertEqual(hash_now(client), last)
        self.assertGreaterEqual(self.play_uninterrupted(read_lines(self.state), self.scenario), KILLS)

    # --- with a stand-in for mpirun ---

    def stand_in(self, script):
        """mpirun is a script; it appends its words to `calls`, and finds a number in `count`."""
        path = pathlib.Path(self.folder, "mpirun")
        path.write_text(f'#!/bin/sh\ncd "{self.folder}"\nprintf "%s\\n" "$*" >>calls\n'
                        f'count=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $count >count\n{script}\n', encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def run_it(self, mpirun, *words, environment=None, own=()):
        done = subprocess.run([RUN, *own, mpirun, *words], capture_output=True, text=True, timeout=60, check=False, env={**os.environ, **(environment or {})})
        calls = pathlib.Path(self.folder, "calls")
        return done, calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []

    def test_what_was_lost_and_the_exit_code(self):
        """The words get --lost; exit code 2 ends it at once."""
        mpirun = self.stand_in('[ $count -gt 1 ] && exit 2; echo "x ERROR cluster rank 1 on far.away (process 7) is lost: the world ends" >&2; exit 137')
        done, calls = self.run_it(mpirun, "-n", "3", "drover-cluster", "--state", self.state, "boids")
        self.assertEqual(done.returncode, 2, done.stderr)
        words = f"-n 3 drover-cluster --state {self.state} boids"
        self.assertEqual(calls, [words, f"{words} --lost rank 1 on far.away (process 7) is lost"])
        self.assertIn("rank 1 on far.away (process 7) is lost; it is started again\n", done.stderr)

    def test_tries_have_an_end(self):
        done, calls = self.run_it(self.stand_in("exit 9"), "drover-cluster", f"--state={self.state}", own=("--tries", "3"))
        self.assertEqual((done.returncode, len(calls)), (9, 3), done.stderr)
        self.assertIn("after 1 s", done.stderr)
        self.assertIn("the world is not back after 3 starts", done.stderr)
        os.unlink(f"{self.folder}/count")
        script = '[ $count -gt 5 ] && exit 0; echo "INFO simulation caught up: x is at tick 3 again" >&2; exit 9'  # a world that was back does not count
        done, calls = self.run_it(self.stand_in(script), "drover-cluster", f"--state={self.state}", own=("--tries", "3"))
        self.assertEqual((done.returncode, len(calls)), (0, 9), done.stderr)

    def test_hosts(self):
        """One that does not answer is left out, and back in as soon as it does; -n is what the slots allow; a rank that hangs costs its host a start."""
        agent = pathlib.Path(self.folder, "agent")
        agent.write_text(f'#!/bin/sh\n[ "$1 $2" = "node2 true" ] && [ "$(cat {self.folder}/count)" = 1 ] && exit 255\nexit 0\n', encoding="utf-8")
        agent.chmod(0o755)
        hosts = pathlib.Path(self.folder, "hosts")
        hosts.write_text("# ours\nnode1 slots=2\nnode2 slots=2\nnode3\n", encoding="utf-8")
        mpirun = self.stand_in('for word; do [ "$previous" != --hostfile ] || { tr "\\n" " " <"$word"; echo; } >>calls; previous=$word; done\n'
                               'case $count in 1) exit 9 ;; 3) echo "rank 4 on node3.net (process 7) hangs: the world ends" >&2; exit 3 ;; 4) exit 4 ;; esac; exit 9')
        done, calls = self.run_it(mpirun, "--hostfile", str(hosts), "-n", "5", "--map-by", "node", "drover-cluster", "--state", self.state,
                                  environment={"OMPI_MCA_plm_rsh_agent": str(agent)})
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual([" ".join(line.split()) for line in calls[1::2]],
                         ["node1 slots=2 node2 slots=2 node3", "node1 slots=2 node3", "node1 slots=2 node2 slots=2 node3", "node1 slots=2 node2 slots=2"])
        self.assertEqual([line.split()[1] for line in calls[::2]], ["5", "3", "5", "4"])
        self.assertIn("node2 does not answer", done.stderr)

    def test_mistakes(self):
        for words, says in (((), "expected mpirun"), (("--tries", "0", "true", "x"), "--tries: expected 1 to 1000"), (("nothing-such", "x"), "no program"),
                            (("true", "drover-server"), "no drover-cluster among"), (("true", "drover-cluster"), "--state DIR"),
                            (("true", "--hostfile", "/none", "drover-cluster", "--state", "x"), "/none cannot be read")):
            done = subprocess.run([RUN, *words], capture_output=True, text=True, check=False, timeout=20)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    unittest.main()
