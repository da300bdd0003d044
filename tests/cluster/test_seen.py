"""What clients see of a world in stripes: frames and replies of three ranks are, but for clocks, those of one server, line by
line; what stripes do not do is answered with `unsupported`. $DROVER_CLUSTER is the program, mpirun starts it."""

import contextlib
import json
import pathlib
import re
import tempfile
import unittest

from cluster import ROOT, Case, Cluster, Server

MANY = {
    "name": "many", "world": {"size": [9000, 9000]},
    "kinds": {"grain": {"behaviors": [{"separation": {"radius": 20}}]}, "stone": {}},
    "agents": [{"kind": "grain", "count": 200001, "in": {"rect": [0, 0, 9000, 9000]}},
               {"kind": "stone", "count": 5, "in": {"rect": [0, 0, 9000, 9000]}}],
}
VIEWS = [
    {"layout": "objects"},
    {"layout": "packed"},
    {"layout": "density", "grid": [9, 7]},
    {"layout": "density", "grid": [9, 7], "by_kind": True, "mean_speed": True},
    {"layout": "objects", "region": [-120, 200, 500, 260], "forces": True, "parts": True},
    {"layout": "packed", "region": [300, 100, 300, 300], "fields": ["pos", "vel", "force", "desired"]},
    {"layout": "density", "region": [100, 50, 640, 480], "cell": 40},
]


def without_clock(line):
    return re.sub(rb'"clock":[0-9.]+', b'"clock":0', line)


class Seen(Case):
    def both(self, scenario):
        """A client of three ranks, and one of a server alone."""
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        servers = [stack.enter_context(server) for server in (Cluster(3, "--paused", scenario, mode="stripes"), Server("--paused", scenario))]
        return [stack.enter_context(server.connect()) for server in servers]

    def same_line(self, ranks, one, op, what):
        lines = []
        for client in (ranks, one):
            line = client.read_line()
            while json.loads(line)["op"] not in op:
                line = client.read_line()
            lines.append(without_clock(line))
        self.assertEqual(lines[0], lines[1], what)
        return json.loads(lines[0])

    def same_reply(self, ranks, one, op, **fields):
        """Also an error is one."""
        replies = [client.request(op, **fields) for client in (ranks, one)]
        for reply in replies:
            reply.pop("id")
            reply.pop("line", None)  # of the request: one of them has asked for less
            for frame in (reply.get("frame"), reply.get("key")):
                (frame or {}).pop("clock", None)
        self.assertEqual(replies[0], replies[1], (op, fields))
        return replies[0]

    def test_frames_and_replies(self):
        ranks, one = self.both(ROOT / "scenarios/boids.json")
        for view in VIEWS:
            for client in (ranks, one):
                self.assert_reply(client.request("subscribe", hz=60, events=["loaded"], **view), "subscribe")
            ops = {"objects": ["snapshot"], "packed": ["key", "delta"], "density": ["density"]}[view["layout"]]
            for _ in range(2 if view["layout"] == "packed" else 1):
                self.same_line(ranks, one, ops, view)
            for client in (ranks, one):
                client.request("unsubscribe")
            self.same_reply(ranks, one, "step", count=7)
        ids = [1, 40, 2, 77, 3, 1000000]
        self.same_reply(ranks, one, "inspect", agents=ids)
        self.same_reply(ranks, one, "get", region=[0, 0, 400, 300], layout="packed")
        self.same_reply(ranks, one, "get", agents=ids, fields=["pos", "force"])
        self.same_reply(ranks, one, "get_params")
        for what in ("kinds", "targets", "behaviors"):
            self.same_reply(ranks, one, "list", what=what)
        self.same_reply(ranks, one, "place", agent=5, x=700, y=10, vx=-4, vy=9)
        kind = one.request("list", what="kinds")["kinds"][0]["name"]
        self.same_reply(ranks, one, "spawn", kind=kind, count=30, x=200, y=200, radius=90)
        self.same_reply(ranks, one, "remove", agents=[1, 9, 12345])
        move, absent = {"op": "place", "agent": 5, "x": 9, "y": 700}, {"op": "remove_obstacle", "obstacle": 9}
        self.same_reply(ranks, one, "batch", requests=[move, {"op": "remove", "agent": 6}])
        self.same_reply(ranks, one, "batch", requests=[{"op": "remove", "agent": 7}, absent])  # taken back
        self.same_reply(ranks, one, "step", count=20, until={"tick": 60}, **{"return": "objects"})
        state = one.request("inspect", agents=[5])["agents"][0]["state"]
        self.same_reply(ranks, one, "step", count=20, until={"state": {"kind": kind, "name": state, "count": 3}})
        self.assert_reply(ranks.request("save", name="kept"), "save")
        before = one.request("save", name="kept")
        self.same_reply(ranks, one, "step", count=5)
        self.assertEqual(self.same_reply(ranks, one, "load", save="kept")["hash"], before["hash"])

    def test_unsupported(self):
        with Cluster(2, "--paused", ROOT / "scenarios/boids.json", mode="stripes") as server, server.connect() as client:
            self.assert_error(client.request("record", on=True), "unsupported")
            self.assert_error(client.request("seek", tick=3), "unsupported")
            self.assert_error(client.request("rewind", ticks=1), "unsupported")
            self.assert_error(client.request("mark", name="a"), "unsupported")

    def test_too_many_agents(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario = pathlib.Path(folder) / "many.json"
            scenario.write_text(json.dumps(MANY))
            with Cluster(2, "--paused", scenario, mode="stripes") as server, server.connect() as client:
                self.assert_error(client.request("subscribe", layout="packed", most=200001), "unsupported")
                self.assert_error(client.request("save", name="all"), "unsupported")
                self.assert_reply(client.request("subscribe", layout="density"), "subscribe")
                self.assertEqual(client.receive_op("density")["n"], 200006)
                self.assert_reply(client.request("subscribe", kinds=["stone"]), "subscribe")
                self.assertEqual(len(client.receive_op("snapshot")["agents"]), 5)
                self.assert_reply(client.request("subscribe", region=[0, 0, 9000, 9000], most=200001), "subscribe")
                told = client.receive_op("error")
                self.assertEqual((told["code"], told["line"]), ("unsupported", 5))
                client.send("set_region", region=[0, 0, 500, 500])
                self.assertGreater(len(client.receive_op("snapshot")["agents"]), 100)

    def test_of_too_many_agents_a_sample_is_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario = pathlib.Path(folder) / "many.json"
            scenario.write_text(json.dumps(MANY))
            with Cluster(2, "--paused", scenario, mode="stripes") as ranks, Server("--paused", scenario) as one:
                with ranks.connect() as of_ranks, one.connect() as of_one:
                    for view in ({"layout": "packed", "fields": ["pos"]},
                                 {"layout": "packed", "fields": ["pos"], "region": [-10, -10, 9500, 9100]},
                                 {"layout": "objects", "most": 3000, "region": [4000, 100, 3000, 8000]}):
                        self.assert_reply(of_ranks.request("subscribe", **view), "subscribe")
                        self.assert_reply(of_one.request("subscribe", **{"most": 200000, **view}), "subscribe")
                        op = "delta" if view["layout"] == "packed" else "snapshot"
                        said = self.same_line(of_ranks, of_one, (op,), view)
                        self.assertGreater(said["one_in"], 1)
                        self.assertEqual(said["of"] == 200006, view["layout"] == "packed")


if __name__ == "__main__":
    unittest.main(verbosity=2)
