"""drover-cluster --mode copy: the same world as drover-server's, at every tick, whatever is asked of it."""

import os
import pathlib
import random
import tempfile
import unittest

from cluster import ROOT, SHARED_MEMORY, TCP, Case, Cluster, Server

SLOW = bool(os.environ.get("DROVER_SLOW"))
FULL = SLOW and bool(os.environ.get("DROVER_FULL"))
# A pure flock, a crowd between walls, remembered quarries, formations, states and scenery.
HANDFUL = ("flock", "doorway", "hunters_and_prey", "formation", "capture_the_flag")
ALL = sorted(path.stem for path in (ROOT / "scenarios").glob("*.json"))
LARGE = {"million": 3, "murmuration_100k": 6, "throng": 12, "starlings": 30, "murmuration_10k": 40}  # ticks


class Twins:
    """A cluster and a server of one process that are asked the same, and have to answer the same."""

    def __init__(self, case, cluster, server):
        self.case, self.clients = case, (cluster.connect(), server.connect())

    def ask(self, op, **fields):
        first, second = (client.request(op, **fields) for client in self.clients)
        for answer in (first, second, first.get("frame", {}), second.get("frame", {})):
            answer.pop("clock", None)
        self.case.assertEqual(first, second, (op, fields))
        return first

    def step(self, ticks):
        for _ in range(ticks):
            self.case.assert_reply(self.ask("step"), "step")

    def close(self):
        for client in self.clients:
            client.socket.close()


def random_request(dice, kind):
    """A request that changes the world; most are accepted."""
    x, y, agent = dice.randrange(0, 700), dice.randrange(0, 500), dice.randrange(1, 60)
    requests = (
        ("spawn", {"kind": kind, "count": dice.randrange(1, 40), "x": x, "y": y}),
        ("spawn", {"kind": kind}),
        ("remove", {"agent": agent}),
        ("set_target", {"agent": agent, "x": x, "y": y}),
        ("set_target", {"kind": kind, "x": x, "y": y}),
        ("place", {"agent": agent, "x": x, "y": y, "vx": 10, "vy": -5}),
        ("drive", {"agent": agent, "vx": 30, "vy": -40}),
        ("set_param", {"kind": kind, "param": "max_speed", "value": dice.randrange(20, 140)}),
        ("set_param", {"agent": agent, "param": "max_force", "value": dice.randrange(20, 140)}),
        ("add_obstacle", {"circle": [x, y, dice.randrange(10, 50)]}),
        ("remove_obstacle", {"obstacle": dice.randrange(0, 4)}),
        ("mouse", {"x": x, "y": y}),
        ("cursor", {"x": x, "y": y}),
        ("nonsense", {"agent": agent}),
        ("batch", {"requests": [{"op": "spawn", "kind": kind, "x": x, "y": y}, {"op": "remove", "agent": agent}]}),
        ("batch", {"requests": [{"op": "spawn", "kind": kind, "count": 3, "unknown": 1}, {"op": "place", "agent": 1, "x": x, "y": y}]}),
    )
    return dice.choice(requests)


class Copy(Case):
    def twins(self, cluster, server):
        twins = Twins(self, cluster, server)
        self.addCleanup(twins.close)
        return twins

    def check_scenarios(self, ranks, mca, names, ticks):
        with Cluster(ranks, "--paused", "flock", mca=mca) as cluster, Server("--paused", "flock") as server:
            twins = self.twins(cluster, server)
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

    def test_requests(self):
        dice = random.Random(11)
        with Cluster(3, "--paused", "seek") as cluster, Server("--paused", "seek") as server:
            twins = self.twins(cluster, server)
            for name in ("flock", "doorway") + tuple(ALL if FULL else ALL[::6] if SLOW else ()):
                if name in LARGE:
                    continue
                twins.ask("load", scenario=name)
                twins.ask("pause")
                kind = dice.choice(twins.ask("list", what="kinds")["kinds"])["name"]
                for _ in range(40 if FULL else 30):
                    op, fields = random_request(dice, kind)
                    twins.ask(op, **fields)
                    twins.step(dice.randrange(0, 4))
                twins.ask("get")
                twins.ask("inspect", agent=1)

    def test_requests_at_a_tick_of_a_world_that_runs(self):
        with Cluster(2, "--paused", "pedestrians") as cluster, Server("--paused", "pedestrians") as server:
            twins = self.twins(cluster, server)
            kind = twins.ask("list", what="kinds")["kinds"][0]["name"]
            for client in twins.clients:
                for tick in range(20, 60, 10):
                    client.send("spawn", at=tick, kind=kind, count=5, x=100, y=100)
                client.send("pause", at=80, id="pause")
                client.request("resume")
            for client in twins.clients:
                self.assert_reply(client.answer_to("pause"), "pause", tick=80)
            twins.step(1)

    def test_speed_steps_and_saved_worlds(self):
        with Cluster(3, "--paused", "capture_the_flag") as cluster, Server("--paused", "capture_the_flag") as server:
            twins = self.twins(cluster, server)
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
            with Cluster(2, "--paused", "--from", path) as cluster, Server("--paused", "--from", path) as server:
                twins = self.twins(cluster, server)
                twins.step(3)


if __name__ == "__main__":
    unittest.main()
