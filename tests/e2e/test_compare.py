"""A twin beside the live world: the same requests give the same hashes, another parameter gives those of a server that has it; what is said of
it; and what may come in between."""

import array
import base64
import random
import unittest

from drover_client import Case, Server, worlds_to_try


def kind_of(client):
    return client.hello["scenario"]["kinds"][0]["name"]


class Compare(Case):
    def step(self, client, count):
        """The hashes of the world and of its twin."""
        reply = client.request("step", count=count)
        both = client.request("compare", keep=True)
        self.assert_reply(both, "compare", tick=reply["tick"], hash=reply["hash"])
        return both["hash"], both["twin"]

    def change(self, client, chance):
        """A request that changes the world, of several sorts."""
        kind, what = kind_of(client), chance.randrange(6)
        if what == 0:
            client.request("spawn", kind=kind, count=3)
        elif what == 1:
            client.request("set_param", kind=kind, param="max_speed", value=chance.randint(20, 150))
        elif what == 2:
            client.request("cursor", x=chance.randint(0, 700), y=chance.randint(0, 500))
        elif what == 3:
            client.request("batch", requests=[{"op": "add_obstacle", "circle": [chance.randint(0, 700), 300, 9]},
                                              {"op": "spawn", "kind": kind, "x": 30, "y": chance.randint(0, 500)}])
        elif what == 4:
            client.request("remove", agents=[chance.randint(1, 40)])
        else:
            client.request("mouse", x=chance.randint(0, 700), y=chance.randint(0, 500))

    def test_property_a_twin_with_the_same_requests_stays_the_same(self):
        for scenario, threads, simd in worlds_to_try([("flock", "1", "plain"), ("hunters_and_prey", "3", "sse2"), ("guard", "2", ""), ("station", "1", "")]):
            chance = random.Random(scenario)
            environment = {"DROVER_SIMD": simd} if simd else None
            with self.subTest(scenario=scenario), Server("--paused", "--threads", threads, scenario, environment=environment) as server, \
                    server.connect() as client:
                if sum(kind["count"] for kind in client.hello["scenario"]["kinds"]) > 9000:
                    continue
                client.request("step", count=7)
                self.assert_reply(client.request("compare"), "compare", tick=7)
                for _ in range(20):
                    live, twin = self.step(client, 10)
                    self.assertEqual(live, twin)
                    self.change(client, chance)
                said = client.request("stats")["compare"]
                self.assertEqual((said["differ"], said["mean_px"], said["refused"]), (0, 0, 0))
                self.assertNotIn("since", said)

    def test_property_a_parameter_makes_the_world_of_a_server_that_has_it(self):
        for scenario, threads in (("flock", "2"), ("hunters_and_prey", "1")):
            with self.subTest(scenario=scenario), Server("--paused", "--threads", threads, scenario) as one, one.connect() as client, \
                    Server("--paused", scenario) as two, two.connect() as other:
                chance, kind = random.Random(1), kind_of(client)
                for each in (client, other):
                    each.request("step", count=20)
                client.request("compare", kind=kind, param="max_speed", value=50)
                other.request("set_param", kind=kind, param="max_speed", value=50)
                for _ in range(10):
                    live, twin = self.step(client, 10)
                    self.assertEqual(twin, other.request("step", count=10)["hash"])
                    self.assertNotEqual(live, twin)
                    state = chance.getstate()
                    self.change(client, chance)  # of both
                    chance.setstate(state)
                    self.change(other, chance)
                self.assertLessEqual(client.request("stats")["compare"]["refused"], 3)

    def test_requests_of_its_own_and_worlds_that_nobody_touches(self):
        with Server("--paused", "flock") as server, server.connect() as client, server.connect() as other:
            other.request("subscribe", layout="events", events=["compare_begun", "differs", "compare_ended"])
            client.request("step", count=10)
            client.request("compare", follow=False)
            client.request("spawn", kind=kind_of(client), count=5)
            live, twin = self.step(client, 1)
            self.assertNotEqual(live, twin)
            said = client.request("stats")["compare"]
            count = said["agents"][1]
            self.assertEqual((said["from"], said["follow"], said["agents"][0], said["differ"] >= 5), (10, False, count + 5, True))
            self.assertEqual((said["since"], said["agent_since"]), (11, 11))
            self.assertEqual([sum(row["agents"][i] for row in said["states"]) for i in (0, 1)], said["agents"])
            self.assert_reply(client.request("compare", keep=True, follow=True), "compare", twin=twin)
            client.request("compare", keep=True, requests=[{"op": "remove", "agents": [1]}, {"op": "add_obstacle", "circle": [100, 100, 9]}])
            self.assertEqual(client.request("stats")["compare"]["agents"], [count + 5, count - 1])
            client.request("set_param", agent=1, param="mass", value=2)  # which the twin has not
            self.assertEqual(client.request("stats")["compare"]["refused"], 0)  # as of the last tick
            self.step(client, 1)
            self.assertEqual(client.request("stats")["compare"]["refused"], 1)
            self.assert_reply(client.request("compare", off=True), "compare")
            self.assertNotIn("compare", client.request("stats"))
            events = [other.receive_op("event") for _ in range(3)]
            self.assertEqual([(event["event"], event["tick"]) for event in events],
                             [("compare_begun", 10), ("differs", 11), ("compare_ended", 12)])
            self.assertEqual((events[1]["agent"], events[2]["reason"]), (said["agent"], "ended by a request"))

    def test_branches_and_saved_worlds(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
            kind, hashes = kind_of(client), {}
            for _ in range(8):
                reply = client.request("step", count=10)
                hashes[reply["tick"]] = reply["hash"]
            client.request("save", name="late")
            client.request("rewind", tick=20)
            client.request("save", name="early")
            client.request("set_param", kind=kind, param="max_speed", value=50)
            for ticks in (20, 30, 30):  # up to 100; b1 ends at 80
                client.request("step", count=ticks)
                reply = client.request("compare", branch="b1")
                self.assertNotEqual(reply["hash"], reply["twin"])
                self.assertEqual(reply["twin"], hashes.get(reply["tick"], reply["twin"]))
                self.assert_reply(client.request("compare", save="early"), "compare", twin=reply["twin"])  # nothing was asked of it
            client.request("rewind", tick=60)
            self.assert_error(client.request("compare", save="late"), "out_of_range", field="save")
            for fields, code in (({"branch": "b9"}, "bad_param"), ({"branch": "x"}, "bad_param"), ({"save": "none"}, "no_save"),
                                 ({"save": "early", "branch": "b1"}, "bad_param"), ({"keep": True}, "bad_param"), ({"kind": kind}, "bad_param"),
                                 ({"kind": kind, "param": "max_sped", "value": 1}, "no_param"), ({"off": True, "follow": False}, "bad_param"),
                                 ({"requests": [{"op": "step"}]}, "bad_param"), ({"requests": []}, "bad_param")):
                self.assert_error(client.request("compare", **fields), code)
            client.request("load", scenario="seek")
            self.assert_error(client.request("compare", save="early"), "bad_param", field="save")

    def test_frames_have_twins_for_those_who_ask(self):
        """Both layouts: the twin with another value of a parameter is where a server has its agents that has the value."""
        with Server("--paused", "flock") as server, server.connect() as client, server.connect() as rows, server.connect() as columns, \
                server.connect() as others, Server("--paused", "flock") as two, two.connect() as other:
            kind = kind_of(client)
            self.assertTrue(rows.request("subscribe", hz=60, twins=True)["twins"])
            columns.request("subscribe", layout="packed", hz=60, twins=True)
            others.request("subscribe", hz=60)
            self.assertNotIn("twin", rows.receive_op("snapshot")["agents"][0])
            self.assertNotIn("twin", columns.receive_op("delta"))
            client.request("compare", kind=kind, param="max_speed", value=40)
            client.request("compare", keep=True, requests=[{"op": "remove", "agents": [2]}])
            client.request("step", count=40)
            for op, fields in (("set_param", {"kind": kind, "param": "max_speed", "value": 40}), ("remove", {"agents": [2]}), ("step", {"count": 40})):
                other.request(op, **fields, id=op)
            wanted = {agent["id"]: [agent["x"], agent["y"]] for agent in other.request("get")["frame"]["agents"]}
            frame = self.frame_of(rows, "snapshot", 40)
            self.assertEqual({agent["id"]: agent["twin"] for agent in frame["agents"] if "twin" in agent}, wanted)
            self.assertEqual([agent["id"] for agent in frame["agents"] if "twin" not in agent], [2])
            twin = array.array("i", base64.b64decode(self.frame_of(columns, "delta", 40)["twin"]))
            self.assertEqual([[twin[2 * i] / 100, twin[2 * i + 1] / 100] for i in (0, 2)], [wanted[1], wanted[3]])
            self.assertEqual((twin[2], twin[3]), (-2**31, -2**31))
            self.assertNotIn("twin", self.frame_of(others, "snapshot", 40)["agents"][0])
            client.request("compare", off=True)
            client.request("step", count=1)
            self.assertNotIn("twin", self.frame_of(columns, "delta", 41))
            self.assert_error(rows.request("subscribe", layout="density", twins=True), "bad_param", field="twins")

    def frame_of(self, client, op, tick):
        frame = client.receive_op(op)
        while frame["tick"] != tick:
            frame = client.receive_op(op)
        return frame

    def test_the_branch_of_a_world_that_runs(self):
        """The twin is made while the world goes on, as fast as it can."""
        with Server("seek") as server, server.connect() as client:
            client.request("speed", max=True)
            for _ in range(10):
                self.assert_reply(client.request("compare", branch="b1"), "compare")

    def test_seats(self):
        """What holders of seats ask for reaches the twin too, and a session that looks at another time may compare."""
        with Server("flock") as server, server.connect() as client, server.connect() as holder:
            tick = client.request("compare")["tick"]
            holder.request("seat", name="one", wait_ms=60000)
            tick = holder.request("list", what="seats")["tick"]
            for i in range(5):
                holder.send("spawn", kind=kind_of(client), count=2, id=f"spawn{i}")
                tick = holder.request("go", tick=tick, count=5)["tick"]
                self.assertEqual(holder.answer_to(f"spawn{i}")["op"], "reply")
            both = client.request("compare", keep=True)
            self.assertEqual((both["tick"], both["hash"]), (tick, both["twin"]))
            self.assertEqual(client.request("stats")["compare"]["agents"], [260, 260])
            client.request("look", tick=1)
            self.assert_reply(client.request("compare", kind=kind_of(client), param="max_speed", value=20), "compare", tick=tick)

    def test_too_many(self):
        with Server("--paused", "flock") as server, server.connect() as client:
            kind, many = kind_of(client), [{"op": "spawn", "kind": kind_of(client), "count": 20000}]
            self.assert_error(client.request("compare", requests=many), "full")
            client.request("compare")
            self.assert_error(client.request("compare", keep=True, requests=many), "full")
            self.assertNotIn("compare", client.request("stats"))
            client.request("compare")
            client.request("spawn", kind=kind, count=10000)
            self.assertNotIn("compare", client.request("stats"))  # before the next tick
            client.request("spawn", kind=kind, count=10000)
            client.request("save", name="many")
            client.request("load", scenario="flock")
            client.request("step", count=50)
            self.assertIn("the twin would have 20250 agents", client.request("compare", save="many")["message"])
            self.assertNotIn("compare", client.request("stats"))

    def test_hostile(self):
        """Comparisons in a row, of two admins, while worlds come and go; too many agents; without a past."""
        with Server("--rewind", "64M", "flock") as server, server.connect() as one, server.connect() as two, server.connect() as viewer:
            viewer.request("subscribe", layout="events", events=["compare_ended"])
            one.request("save", name="a")
            for i in range(30):
                one.send("compare", id=f"a{i}", **[{}, {"branch": "b1"}, {"save": "a"}, {"off": True}][i % 4])
                two.send("compare", id=f"b{i}", **[{"keep": True}, {}, {"branch": "b2"}][i % 3])
                two.send(["rewind", "step", "load"][i % 3], id=f"c{i}", **[{"ticks": 2}, {"count": 5}, {"scenario": "flock"}][i % 3])
                two.send("resume", id=f"d{i}")
            for i in range(30):
                for client, name in ((one, f"a{i}"), (two, f"b{i}"), (two, f"c{i}"), (two, f"d{i}")):
                    self.assertIn(client.answer_to(name)["op"], ("reply", "error"))
            two.request("load", scenario="flock")
            two.request("compare")
            two.request("rewind", ticks=0)
            self.assert_error(two.request("compare", keep=True), "bad_param")
            two.request("compare")
            self.assertEqual(two.request("spawn", kind=kind_of(two), count=19000)["op"], "reply")
            two.request("pause")
            two.request("step", count=1)
            self.assertNotIn("compare", two.request("stats"))
            error = two.request("compare")
            self.assert_error(error, "full")
            self.assertIn("at most 20000 are compared", error["message"])
            names = []
            while "there are more agents than can be compared" not in names:
                event = viewer.receive_op("event")
                names += [event["event"], event.get("reason")]
            self.assertIn("the world went back", names)
            self.assertIn("another world was loaded", names)


if __name__ == "__main__":
    unittest.main()
