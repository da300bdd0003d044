"""A world that ranks share, kept in a folder (--state DIR): everything is killed, or one rank is, and any number of ranks, or
one server alone, goes on. What comes out is compared, hash by hash, with a server that plays the journal's requests and is
never interrupted. $DROVER_CLUSTER is the program, mpirun starts it."""

import contextlib
import glob
import json
import os
import pathlib
import random
import shutil
import signal
import time
import unittest

from cluster import Cluster, Server, cluster_binary, run_ranks, wait_for
from drover_client import Closed
from test_journal import SCRIPT, Kept, hash_now, read_lines

SLOW = bool(os.environ.get("DROVER_SLOW"))
KILLS = 20 if SLOW else 2
ENDS_WITHIN_S = 20  # of a machine that has other work; a rank is missed within seconds


class Doomed(Cluster):
    """Ends by kill -9 of everything at once: nobody can tell anybody."""

    def kill(self):
        pids = [] if self.process.poll() is not None else [self.process.pid, *self.pids().values()]
        kill_all(pids)
        wait_for(lambda: all(is_gone(pid) for pid in pids), "the ranks are gone")
        super().kill()


def is_gone(pid):
    """Whether all that the process had is free again, its locks too."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def kill_all(pids):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class Restarts(Kept):
    def options(self, *more):
        return ["--state", self.state, "--keep", "all", "--sync", "always", *more]

    def start(self, ranks, *arguments, mode="copy"):
        """ranks: 0 is drover-server."""
        return Doomed(ranks, *arguments, mode=mode) if ranks > 0 else Server(*arguments)

    def go_on(self, turns):
        """All is killed after each part of the script. turns: (ranks, mode), the first of which begins the world."""
        script = [row for row in SCRIPT if row[0] != "batch" or turns[0][1] == "copy"]  # stripes take no batch back
        parts = [script, [("step", {"count": 3})], [("spawn", {"kind": "stray"}), ("step", {"count": 2})], [("step", {"count": 1})], []]
        before, named = None, ["--paused", self.scenario]
        for (ranks, mode), script in zip(turns, parts):
            with self.start(ranks, *self.options(*named), mode=mode).doomed() as server, server.connect() as client:
                if before:
                    self.assertEqual(hash_now(client), before, f"{ranks} ranks, {mode}")
                for op, fields in script:
                    self.assertEqual(client.request(op, **fields)["op"], "reply", op)
                before, named = hash_now(client), []
        self.assertGreaterEqual(self.play_uninterrupted(read_lines(self.state), self.scenario), 3)

    def test_copies(self):
        self.go_on([(2, "copy"), (1, "copy"), (3, "copy"), (4, "copy"), (0, "")])

    def test_stripes(self):
        self.go_on([(2, "stripes"), (3, "stripes"), (1, "stripes"), (0, ""), (4, "stripes")])

    def test_a_checkpoint_in_parts_is_damaged(self):
        """A part is cut off, missing, or of another checkpoint: the log says which, and the checkpoint before it is read."""
        with Doomed(3, *self.options("--paused", "boids"), mode="stripes").doomed() as server, server.connect() as client:
            for _ in range(4):
                self.assert_reply(client.request("step", count=20), "step")
            reached = client.request("step", count=1)
            server.stop()
        heads = sorted(glob.glob(f"{self.state}/checkpoint-*.drover"))
        parts = sorted(glob.glob(f"{heads[-1][:-7]}.part-*"))
        self.assertEqual(len(parts), 3)
        whole = pathlib.Path(parts[1]).read_bytes()
        for damage, says in ((whole[:-1], f"part 1: {len(whole) - 1} bytes"), (None, "there is no such file"),
                             (pathlib.Path(parts[2]).read_bytes(), "part 1: "), (whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:], "part 1: damaged")):
            if damage is None:
                os.unlink(parts[1])
            else:
                pathlib.Path(parts[1]).write_bytes(damage)
            copy = f"{self.folder}/copy"
            shutil.copytree(self.state, copy)
            with Server("--state", copy).doomed() as server, server.connect() as client:
                wait_for(lambda: client.request("stats")["tick"] == reached["tick"], "the world is where it was")
                self.assertIn(says, server.stderr())
                self.assertEqual(hash_now(client)[1], reached["hash"])
            shutil.rmtree(copy)

    def test_more_ranks_than_a_request_allowed(self):
        """Windows of more ranks are too low for a zone that was set: the start says so before it listens, as a mistake that a
        further start would make again, and leaves the folder as it is. In the journal, and then in a checkpoint."""
        flock = {"separation_radius": 10, "alignment_radius": 20, "cohesion_radius": 30}
        path = pathlib.Path(self.folder, "low.json")
        path.write_text(json.dumps({
            "name": "low", "seed": 1, "world": {"size": [6000, 1200], "edge": "wrap"},
            "kinds": {"bird": {"radius": 2, "max_speed": 60, "max_force": 100, "behaviors": [{"flock": flock}]}},
            "agents": [{"kind": "bird", "count": 4200, "in": {"rect": [0, 0, 6000, 1200]}}]}))
        with Doomed(2, *self.options("--paused", str(path)), mode="stripes").doomed() as server, server.connect() as client:
            self.assert_reply(client.request("set_param", kind="bird", param="flock.cohesion_radius", value=120), "set_param")
            self.assert_reply(client.request("step", count=3), "step")
            before = hash_now(client)
        self.assert_refused("drover-cluster: request 1 (set_param) took effect then, and is refused now: ")
        for ranks, mode in ((4, "copy"), (2, "stripes")):
            with Doomed(ranks, *self.options("--paused"), mode=mode).doomed() as server, server.connect() as client:
                wait_for(lambda: client.request("stats")["tick"] == before[0], "the world is where it was")
                self.assertEqual(hash_now(client), before)
                server.stop()  # which writes a checkpoint
        self.assert_refused("drover-cluster: ")

    def assert_refused(self, begins):
        done = run_ranks(4, cluster_binary(), "--mode", "stripes", "--port", "0", *self.options("--paused"))
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(f"{begins}kind bird (flock) sees neighbors within 120 px; allowed: zones of at most 75 px with 4 ranks, fewer ranks "
                      f"(at most 2), a world at least 1920 px high, or --mode copy; {self.state} stays as it is\n", done.stderr)
        for noise in ("diverged", "0000000000000000", "--state-new"):
            self.assertNotIn(noise, done.stderr)

    def disturb(self, client, seconds):
        """Requests to a world that runs. Returns when a connection is lost, or the time is over."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            client.request("set_target", name="mouse", x=random.uniform(0, 400), y=random.uniform(0, 300))
            client.request("set_param", kind="stray", param="max_speed", value=random.uniform(30, 80))
            time.sleep(0.02)

    def test_a_rank_that_is_killed(self):
        """The world ends within seconds, and goes on with another number of ranks as if nothing had happened."""
        dice = random.Random(7)
        reached = 0
        for i in range(KILLS):
            ranks, mode = dice.randint(2, 4), dice.choice(["copy", "stripes"])
            with Doomed(ranks, *self.options(self.scenario), mode=mode).doomed() as server:
                with server.connect() as client:
                    wait_for(lambda: client.request("stats")["tick"] >= reached, "the world is where it was")
                    self.disturb(client, dice.uniform(0.1, 0.8))
                    reached = client.request("set_target", name="mouse", x=i, y=i)["tick"]
                    victim = dice.randrange(ranks)
                    kill_all([server.pids()[victim]])
                    self.assertNotEqual(server.process.wait(ENDS_WITHIN_S), 0)
                    with self.assertRaises((Closed, OSError)):
                        for _ in range(100):
                            client.request("stats")
                self.assertIn(f"rank {victim} on ", server.stderr())
        with Server(*self.options("--paused")) as server, server.connect() as client:
            self.assertGreaterEqual(hash_now(client)[0], reached)
        self.assertGreaterEqual(self.play_uninterrupted(read_lines(self.state), self.scenario), KILLS)


if __name__ == "__main__":
    unittest.main()
