"""A world that ranks share in stripes never lies whole in one of them: not while it begins, moves and is written to disk, nor when it comes
back, on another number of ranks. Each rank has a wall: a part of the memory that one process needs for the same world. The rank that
passes it at any moment is killed, and the test fails.

The wall is VmHWM of /proc, which keeps the peak, however short it was. RLIMIT_DATA would count the columns as well that have room for all
agents of the world and take no memory, since no agent here uses them; control groups need a machine that lets its users make some.

With DROVER_FULL=1 8 million agents and a lower wall, which is not held for 200 ticks yet (docs/cluster.md); otherwise a twentieth of them."""

import glob
import json
import os
import pathlib
import signal
import tempfile
import threading
import time
import unittest

from cluster import Case, Server, wait_for
import drover_client  # which cluster finds
from test_state import Doomed
from test_stripes import FRUGAL, peak_mb, write_large
from twins import FULL

AGENTS, BEFORE, AFTER = (8_000_000, 6, 2) if FULL else (400_000, 10, 2)  # ticks, before and after all is killed
TICKS = BEFORE + AFTER
MB_OF_WALL = 0.4 if FULL else 0.5  # of what one process needs for the world; of a small one it is less than the programs themselves
PATIENCE_S = 300 if FULL else 60
drover_client.PATIENCE_S = PATIENCE_S  # for a first line


def step(client):
    """The hash of the next tick."""
    client.send("step", id="step")
    return client.answer_to("step", PATIENCE_S)["hash"]


class Wall(threading.Thread):
    """Kills the process that has had more memory than its wall allows."""

    def __init__(self, walls):
        super().__init__()
        self.walls, self.over, self.most = walls, [], 0.0
        self._is_over = threading.Event()
        self.start()

    def run(self):
        while not self._is_over.wait(0.01):
            for pid, wall in self.walls.items():
                try:
                    peak = peak_mb(pid)
                except (OSError, TypeError):
                    continue  # it has ended
                self.most = max(self.most, peak / wall)
                if peak > wall:
                    self.over.append((pid, peak, wall))
                    os.kill(pid, signal.SIGKILL)
                    return

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._is_over.set()
        self.join()


def without_world(server_words, words):
    """MB of the programs themselves: of one process and of the largest rank."""
    with Server(*server_words, "flock", environment=FRUGAL) as server, Doomed(4, *words, "flock", mode="stripes", environment=FRUGAL) as cluster:
        return peak_mb(server.pid), max(peak_mb(pid) for pid in cluster.pids().values())


class Walls(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        path = pathlib.Path(self.folder.name)
        write_large(path, AGENTS)
        scenario = json.loads((path / "large.json").read_text())
        scenario["world"]["size"] = size = [min(side, most) for side, most in zip(scenario["world"]["size"], (100000, 75000))]
        scenario["agents"][0]["in"] = {"rect": [0, 0, *size]}
        self.scenario = path / "large.json"
        self.scenario.write_text(json.dumps(scenario))
        self.state = str(path / "state")

    def go(self, ranks, words, first, last, wall, is_kept=False):
        """Goes on at tick `first` and steps to `last` behind the wall, waits for a checkpoint of it, then kills all ranks at once."""
        with Doomed(ranks, *words, "--state", self.state, "--checkpoint-every", "1", "--sync", "always", mode="stripes", environment=FRUGAL).doomed() as cluster, \
                Wall({pid: wall for pid in cluster.pids().values()}) as walls, cluster.connect() as client:
            try:
                wait_for(lambda: client.request("stats")["tick"] == first, "the world is where it was", PATIENCE_S)
                for tick in range(first + 1, last + 1):
                    if tick == last and is_kept:
                        time.sleep(1.1)  # a checkpoint is due, one without parts that are still on their way
                    self.assertEqual(step(client), self.hashes[tick], f"{ranks} ranks, tick {tick}")
                if is_kept:
                    wait_for(lambda: glob.glob(f"{self.state}/checkpoint-*.drover"), "a checkpoint is whole", PATIENCE_S)
            finally:
                self.assertEqual(walls.over, [], f"{ranks} ranks")
                print(f"{ranks} ranks: {walls.most:.2f} of the wall, {wall:.0f} MB", flush=True)
            cluster.kill()

    def test_walls(self):
        words = ["--paused", "--threads", "1", "--max-agents", "8000000", "--rank-timeout", "0"]
        server_words = words[:-2]
        alone_mb, rank_mb = without_world(server_words, words)
        with Server(*server_words, str(self.scenario), environment=FRUGAL) as server, server.connect() as client:
            self.hashes = [None] + [step(client) for _ in range(TICKS)]
            world_mb = peak_mb(server.pid) - alone_mb
        wall = rank_mb + MB_OF_WALL * world_mb
        print(f"one process: {world_mb:.0f} MB beside {alone_mb:.0f} MB of its own; a rank has {rank_mb:.0f} MB of its own", flush=True)
        self.go(4, [*words, str(self.scenario)], 0, BEFORE, wall, is_kept=True)
        self.assertEqual(len(glob.glob(f"{self.state}/checkpoint-*.part-*")) % 4, 0)
        self.go(5, words, BEFORE, TICKS, wall)


if __name__ == "__main__":
    unittest.main()
