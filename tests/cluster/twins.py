"""A cluster beside a server of one process: asked the same, they have to answer the same. For test_copy and test_stripes."""

import contextlib
import os

from cluster import ROOT, SHARED_MEMORY, Case, Cluster, Server

SLOW = bool(os.environ.get("DROVER_SLOW"))
FULL = SLOW and bool(os.environ.get("DROVER_FULL"))
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


class TwinCase(Case):
    """Tests of a mode by twins."""

    mode = "copy"

    @contextlib.contextmanager
    def twins(self, ranks, *words, mca=SHARED_MEMORY):
        """Twins of a cluster and of a server that are started paused with these words."""
        with Cluster(ranks, "--paused", *words, mode=self.mode, mca=mca) as cluster, Server("--paused", *words) as server:
            twins = Twins(self, cluster, server)
            try:
                yield twins
            finally:
                twins.close()

    def check_requests(self, twins, dice, name, count):
        """Loads a scenario and asks so many random requests, with ticks between."""
        twins.ask("load", scenario=name)
        twins.ask("pause")
        kind = dice.choice(twins.ask("list", what="kinds")["kinds"])["name"]
        for _ in range(count):
            op, fields = random_request(dice, kind)
            twins.ask(op, **fields)
            twins.step(dice.randrange(0, 4))
        twins.ask("get")
        twins.ask("inspect", agent=1)


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
