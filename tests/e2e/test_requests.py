"""The effect and the reply of each request; a refused one changes nothing, to the last bit."""

import json
import math
import unittest

from drover_client import ROOT, Case, Server

FAR = 1000000  # the largest coordinate
SAFE = 2**53 - 1


class Requests(Case):
    """A new paused world (`seek`: one seeker at 400,240; the target mouse at 600,120) for each test."""

    def setUp(self):
        self.server = Server("--paused", "seek")
        self.client = self.server.connect()

    def tearDown(self):
        self.client.socket.close()
        with self.server:
            pass

    def ask(self, op, **fields):
        message = self.client.request(op, **fields)
        self.assertEqual(message["op"], "reply", message)
        return message

    def agents(self):
        return self.client.snapshot()["agents"]

    def target(self):
        target = self.ask("list", what="targets")["targets"][0]
        return target["x"], target["y"]

    def seeker_count(self):
        return self.ask("list", what="kinds")["kinds"][0]["count"]

    # --- ids

    def test_ids_come_back_as_they_were(self):
        for request_id in [0, 1, 17, SAFE, "a", "", " ", "x" * 64, 'quo"te\\', "ünï–𝄞" * 8, "0", "\t\n\x1f\x7f", "</"]:
            with self.subTest(id=request_id):
                if request_id == "":
                    message = self.client.request("ping", id=request_id)
                    self.assertIn(message["op"], ("reply", "error"))
                    continue
                for op, fields in [("ping", {}), ("set_target", {"name": "mouse", "x": 1, "y": 2})]:
                    message = self.client.request(op, id=request_id, **fields)
                    self.assert_reply(message, op)
                    self.assertIs(type(message["id"]), type(request_id))
                self.assert_error(self.client.request("fly", id=request_id), "unknown_op", id=request_id)
                self.assert_error(self.client.request("step", id=request_id, count=0), "out_of_range", id=request_id)
                self.assert_error(self.client.request("load", id=request_id, scenario="nowhere"), "no_scenario",
                                  id=request_id)

    def test_bad_ids_are_invalid(self):
        for text in ["-1", "1.5", str(SAFE + 1), "1e300", "true", "null", "{}", "[1]", json.dumps("x" * 65)]:
            with self.subTest(id=text):
                self.client.send_raw('{"op":"pause","id":%s}\n' % text)
                message = self.client.receive()
                self.assert_error(message, "invalid")
                self.assertNotIn("id", message)

    def test_exactly_one_answer_an_id(self):
        requests = []
        for i in range(40):
            requests += [
                {"op": "ping"}, {"op": "fly"}, {"op": "mouse", "x": i, "y": i}, {"op": "set_target", "name": "no", "x": 1, "y": 1},
                {"op": "step", "count": 2}, {"op": "step", "count": 0}, {"op": "spawn", "kind": "seeker"}, {"op": "pause"},
                {"op": "remove", "agent": 999}, {"op": "subscribe", "hz": 1}, {"op": "unsubscribe"}, {"op": "list"},
                {"op": "get_params"}, {"op": "set_param", "kind": "seeker", "param": "no", "value": 1},
            ]
        self.client.send_raw("".join(json.dumps({**r, "id": i}) + "\n" for i, r in enumerate(requests)))
        self.client.send("list", id="end")
        answers, message = [], self.client.receive()
        while message.get("id") != "end":
            if message["op"] in ("reply", "error") and message.get("code") != "rate":  # which has an event as well
                answers.append(message["id"])
            message = self.client.receive()
        self.assertEqual(sorted(answers), list(range(len(requests))))
        self.assertEqual([m for m in self.client.flush() if m["op"] in ("reply", "error")], [])

    def test_world_requests_are_answered_in_order(self):
        ids = [f"r{i}" for i in range(60)]
        ops = [{"op": "step"}, {"op": "list"}, {"op": "pause"}, {"op": "mouse", "x": 1, "y": 2}, {"op": "get_params"}]
        self.client.send_raw("".join(json.dumps({**ops[i % 5], "id": name}) + "\n" for i, name in enumerate(ids)))
        messages = [self.client.receive() for _ in ids]
        self.assertEqual([m["id"] for m in messages], ids)
        self.assertEqual([m["tick"] for m in messages], [i // 5 + 1 for i in range(60)])

    def test_without_an_id_only_questions_and_failures_are_answered(self):
        silent = [("set_target", {"name": "mouse", "x": 5, "y": 6}), ("mouse", {"x": 7, "y": 8}),
                  ("spawn", {"kind": "seeker"}), ("remove", {"agent": 1}), ("pause", {}),
                  ("set_param", {"kind": "seeker", "param": "mass", "value": 2})]
        for op, fields in silent:
            self.client.send(op, **fields)
        self.assertEqual(self.client.flush(), [])
        for op, fields in [("unsubscribe", {}), ("get_params", {}), ("list", {}), ("step", {}), ("ping", {}),
                           ("load", {"scenario": "seek"}), ("subscribe", {})]:
            self.client.send(op, **fields)
            message = self.client.receive()
            self.assert_reply(message, op)
            self.assertNotIn("id", message)
        self.client.send("unsubscribe")
        self.client.flush()
        for op, fields, code in [("mouse", {"x": 1}, "bad_param"), ("remove", {"kind": "x"}, "no_kind"),
                                 ("set_target", {"name": "x", "x": 1, "y": 1}, "no_target")]:
            self.client.send(op, **fields)
            message = self.client.receive()
            self.assert_error(message, code)
            self.assertNotIn("id", message)

    # --- set_target, mouse

    def test_set_target_moves_a_named_target(self):
        self.assertEqual(self.ask("set_target", name="mouse", x=100, y=50.25), {
            "op": "reply", "to": "set_target", "id": 1, "tick": 0, "x": 100.0, "y": 50.25})
        self.assertEqual(self.target(), (100.0, 50.25))
        self.assertEqual(self.client.snapshot()["targets"], [{"name": "mouse", "x": 100.0, "y": 50.25}])

    def test_the_seeker_goes_to_the_target(self):
        for x, y in [(700, 400), (100, 100)]:
            self.ask("set_target", name="mouse", x=x, y=y)
            nearest = math.inf
            for _ in range(60):
                self.ask("step", count=5)
                agent = self.agents()[0]
                nearest = min(nearest, math.hypot(agent["x"] - x, agent["y"] - y))
            self.assertLess(nearest, 25)

    def test_an_agents_own_target_stands_over_its_kinds(self):
        self.ask("spawn", kind="seeker", x=400, y=240)
        self.ask("set_target", kind="seeker", x=400, y=-5000)
        self.ask("set_target", agent=2, x=400, y=5000)
        self.ask("step", count=60)
        first, second = self.agents()
        self.assertLess(first["y"], 200)
        self.assertGreater(second["y"], 280)
        self.ask("set_target", agent=2, clear=True)
        self.ask("step", count=240)
        self.assertLess(self.agents()[1]["vy"], -100)
        # follow: back to a named target, wherever that is
        self.ask("set_target", name="mouse", x=400, y=50000)
        self.ask("set_target", kind="seeker", follow="mouse")
        self.ask("step", count=300)
        self.assertGreater(min(agent["vy"] for agent in self.agents()), 100)

    def test_set_target_refuses(self):
        for fields, code, field in [
            ({"x": 1, "y": 1}, "bad_param", None), ({"name": "mouse"}, "bad_param", None),
            ({"name": "mouse", "agent": 1, "x": 1, "y": 1}, "bad_param", None),
            ({"name": "mouse", "x": 1}, "bad_param", "y"), ({"name": "mouse", "y": 1}, "bad_param", "x"),
            ({"name": "mouse", "follow": "mouse"}, "bad_param", None), ({"name": "mouse", "clear": True}, "bad_param", None),
            ({"agent": 1, "x": 1, "y": 1, "follow": "mouse"}, "bad_param", None),
            ({"name": "moose", "x": 1, "y": 1}, "no_target", "name"), ({"kind": "wolf", "x": 1, "y": 1}, "no_kind", "kind"),
            ({"agent": 77, "x": 1, "y": 1}, "no_agent", "agent"), ({"kind": "seeker", "follow": "cat"}, "no_target", "follow"),
            ({"name": "mouse", "x": FAR + 1, "y": 1}, "out_of_range", "x"),
            ({"name": "mouse", "x": 1, "y": -1e308}, "out_of_range", "y"),
            ({"name": "x" * 32, "x": 1, "y": 1}, "bad_param", "name"), ({"name": "", "x": 1, "y": 1}, "bad_param", "name"),
        ]:
            with self.subTest(fields=fields):
                message = self.client.request("set_target", **fields)
                self.assert_error(message, code)
                if field:
                    self.assertEqual(message.get("field"), field, message)
        self.assertEqual(self.target(), (600.0, 120.0))

    def test_the_message_of_an_unknown_name_lists_the_known(self):
        self.assertIn('"mouse"', self.client.request("set_target", name="mous", x=1, y=1)["message"])
        self.assertIn("seeker", self.client.request("spawn", kind="seker")["message"])

    def test_mouse_moves_the_target_mouse(self):
        self.assert_reply(self.client.request("mouse", x=3, y=4), "mouse", tick=0)
        self.assertEqual(self.target(), (3.0, 4.0))
        self.ask("mouse", x=-0.0, y=-0.001)
        self.assertEqual(self.target(), (0.0, 0.0))
        self.client.request("list", what="targets")
        self.assertNotIn(b"-0.00", self.client.last_line)

    def test_of_several_mouse_moves_the_last_counts(self):
        self.client.send_raw("".join('{"op":"mouse","x":%d,"y":%d}\n' % (i, i + 1) for i in range(500)))
        self.client.flush()
        self.assertEqual(self.target(), (499.0, 500.0))

    def test_coordinates_reach_a_million_and_no_further(self):
        self.assert_reply(self.client.request("mouse", x=FAR, y=-FAR), "mouse")
        self.assertEqual(self.target(), (FAR, -FAR))
        for x in (FAR + 0.5, -FAR - 1, 1e300):
            self.assert_error(self.client.request("mouse", x=x, y=0), "out_of_range", field="x")

    # --- spawn, remove

    def test_spawn_at_a_point(self):
        self.assert_reply(self.client.request("spawn", kind="seeker", count=3, x=10, y=20, vx=1, vy=-2, heading=90),
                          "spawn", count=3, first_id=2, last_id=4, tick=0)
        agents = self.agents()
        self.assertEqual([a["id"] for a in agents], [1, 2, 3, 4])
        for agent in agents[1:]:
            self.assertEqual([agent[k] for k in ("kind", "x", "y", "vx", "vy", "heading")], ["seeker", 10, 20, 1, -2, 90])

    def test_spawn_within_a_radius_is_spread_evenly(self):
        self.ask("spawn", kind="seeker", count=2000, x=100, y=200, radius=50)
        distances = [math.hypot(a["x"] - 100, a["y"] - 200) for a in self.agents()[1:]]
        self.assertLessEqual(max(distances), 50.01)
        inner = sum(d < 50 / math.sqrt(2) for d in distances)  # half of the area
        self.assertTrue(850 < inner < 1150, inner)

    def test_spawn_anywhere_is_inside_the_world(self):
        self.ask("spawn", kind="seeker", count=1000)
        agents = self.agents()[1:]
        self.assertTrue(all(0 <= a["x"] <= 800 and 0 <= a["y"] <= 480 for a in agents))
        self.assertGreater(len({(a["x"], a["y"]) for a in agents}), 900)
        self.assertGreater(max(a["x"] for a in agents) - min(a["x"] for a in agents), 700)
        self.assertGreater(len({round(a["heading"]) for a in agents}), 200, "headings at rest are random")

    def test_spawn_heads_along_its_velocity(self):
        self.ask("spawn", kind="seeker", x=1, y=1, vx=0, vy=30)
        self.ask("spawn", kind="seeker", x=1, y=1, vx=-30, vy=0)
        self.assertEqual([a["heading"] for a in self.agents()[1:]], [90, 180])

    def test_spawn_refuses(self):
        for fields, code, field in [
            ({"kind": "wolf"}, "no_kind", "kind"), ({"kind": "seeker", "count": 0}, "out_of_range", "count"),
            ({"kind": "seeker", "count": 100001}, "out_of_range", "count"), ({"kind": "seeker", "count": -5}, "out_of_range", "count"),
            ({"kind": "seeker", "x": 5}, "bad_param", "y"), ({"kind": "seeker", "x": 5, "y": 5, "radius": -1}, "out_of_range", "radius"),
            ({"kind": "seeker", "vx": 20001}, "out_of_range", "vx"), ({"kind": "seeker", "heading": 361}, "out_of_range", "heading"),
        ]:
            with self.subTest(fields=fields):
                self.assert_error(self.client.request("spawn", **fields), code, field=field)
        self.assertEqual(self.seeker_count(), 1)

    def test_a_full_world_takes_all_or_none(self):
        for _ in range(10):
            self.ask("spawn", kind="seeker", count=100000)
        self.assert_error(self.client.request("spawn", kind="seeker", count=48576), "full")
        self.assertEqual(self.seeker_count(), 1000001)
        self.ask("spawn", kind="seeker", count=48575)
        message = self.client.request("spawn", kind="seeker")
        self.assert_error(message, "full")
        self.assertIn("1048576", message["message"])
        self.assertEqual(self.ask("remove", kind="seeker")["removed"], 1048576)
        self.assertEqual(self.ask("spawn", kind="seeker")["first_id"], 1048577)

    def test_remove(self):
        self.ask("spawn", kind="seeker", count=9, x=1, y=1)
        self.assert_reply(self.client.request("remove", agent=5), "remove", removed=1, missing=[])
        self.assert_reply(self.client.request("remove", agent=5), "remove", removed=0, missing=[5])
        self.assert_reply(self.client.request("remove", agents=[1, 5, 7, 7, 500]), "remove", removed=2)
        self.assertEqual([a["id"] for a in self.agents()], [2, 3, 4, 6, 8, 9, 10])
        self.assert_reply(self.client.request("remove", kind="seeker"), "remove", removed=7, missing=[])
        self.assertEqual(self.agents(), [])
        self.ask("step", count=3)
        self.assertEqual(self.ask("spawn", kind="seeker")["first_id"], 11, "an id is never used twice")

    def test_remove_refuses(self):
        for fields, code in [({}, "bad_param"), ({"agent": 1, "kind": "seeker"}, "bad_param"), ({"kind": "wolf"}, "no_kind"),
                             ({"agents": ["1"]}, "bad_param")]:
            with self.subTest(fields=fields):
                self.assert_error(self.client.request("remove", **fields), code)
        message = self.client.request("remove", agents=[1] + list(range(100, 2148)))  # 2049
        self.assertIn(message.get("code"), ("bad_param", "out_of_range"), message)
        self.assertEqual(self.seeker_count(), 1)
        self.assertEqual(len(self.ask("remove", agents=list(range(100, 2148)))["missing"]), 2048)

    # --- parameters

    def params(self, **fields):
        return {p["param"]: p for p in self.ask("get_params", **fields)["params"]}

    def test_every_parameter_can_be_set_within_its_range_and_not_beyond(self):
        for name, row in self.params(kind="seeker").items():
            with self.subTest(param=name):
                self.assertEqual(row["kind"], "seeker")
                self.assertTrue(row["help"].endswith("."))
                self.assertTrue(row["min"] <= row["value"] <= row["max"])
                for value in (row["min"], row["max"], (row["min"] + row["max"]) / 2, row["value"]):
                    self.assert_reply(self.client.request("set_param", kind="seeker", param=name, value=value), "set_param")
                    self.assertAlmostEqual(self.params()[name]["value"], value, delta=1e-5 * max(1.0, abs(value)))
                for value in (row["max"] * 1.01 + 1, row["min"] - 1, -1e300):
                    message = self.client.request("set_param", kind="seeker", param=name, value=value)
                    self.assert_error(message, "out_of_range", field="value")
                    self.assertIn(name, message["message"])

    def test_set_param_of_a_kind_and_of_one_agent(self):
        self.ask("spawn", kind="seeker", count=2, x=400, y=240)
        self.ask("mouse", x=100000, y=240)
        self.ask("set_param", kind="seeker", param="max_speed", value=50)
        self.ask("set_param", agent=2, param="max_speed", value=150)
        self.ask("step", count=300)
        speeds = [round(math.hypot(a["vx"], a["vy"])) for a in self.agents()]
        self.assertEqual(speeds, [50, 150, 50])
        self.ask("set_param", kind="seeker", param="max_speed", value=75)  # a kind's sets all of its agents
        self.ask("step", count=300)
        self.assertEqual([round(math.hypot(a["vx"], a["vy"])) for a in self.agents()], [75, 75, 75])

    def test_set_param_refuses(self):
        for fields, code, field in [
            ({"kind": "wolf", "param": "mass", "value": 1}, "no_kind", "kind"), ({"agent": 9, "param": "mass", "value": 1}, "no_agent", "agent"),
            ({"kind": "seeker", "param": "color", "value": 1}, "no_param", "param"),
            ({"kind": "seeker", "param": "seek2.weight", "value": 1}, "no_param", "param"),
            ({"kind": "seeker", "param": "mass"}, "bad_param", "value"), ({"kind": "seeker", "value": 1}, "bad_param", "param"),
            ({"kind": "seeker", "param": "mass", "value": "1"}, "bad_param", "value"),
            ({"param": "mass", "value": 1}, "bad_param", None), ({"kind": "seeker", "agent": 1, "param": "mass", "value": 1}, "bad_param", None),
        ]:
            with self.subTest(fields=fields):
                message = self.client.request("set_param", **fields)
                self.assert_error(message, code)
                if field:
                    self.assertEqual(message.get("field"), field, message)
        self.assert_error(self.client.request("get_params", kind="wolf"), "no_kind", field="kind")

    # --- list, ping

    def test_list(self):
        scenarios = self.ask("list", what="scenarios")["scenarios"]
        names = [row["name"] for row in scenarios]
        self.assertEqual(names, sorted(names))
        self.assertEqual(names, sorted(path.stem for path in (ROOT / "scenarios").glob("*.json")))
        self.assertTrue(all(row["title"] and row["description"] for row in scenarios))
        self.assertEqual(self.ask("list")["scenarios"], scenarios)
        self.assertEqual([b["name"] if isinstance(b, dict) else b for b in self.ask("list", what="behaviors")["behaviors"]][:3],
                         ["seek", "flee", "arrive"])

    def test_ping(self):
        first = self.client.request("ping", t0=555.25)
        self.assertEqual((first["t0"], first["tick"]), (555.25, 0))
        second = self.client.request("ping")
        self.assertNotIn("t0", second)
        self.assertGreaterEqual(second["clock"], first["clock"])
        self.assertLess(second["clock"] - first["clock"], 30000)

    # --- pause, resume, step

    def test_ticks_stop_and_go_on(self):
        self.assertTrue(self.client.hello["paused"])
        self.assertEqual(self.ask("resume")["tick"], 0)
        self.assertEqual(self.client.request("step")["code"], "not_paused")
        while self.client.request("ping")["tick"] < 10:
            pass
        tick = self.ask("pause")["tick"]
        self.assertGreaterEqual(tick, 10)
        self.assertEqual(self.ask("pause")["tick"], tick)
        for _ in range(50):
            self.assertEqual(self.client.request("ping")["tick"], tick)
        reply = self.ask("step", count=7)
        self.assertEqual(reply["tick"], tick + 7)
        self.assertRegex(reply["hash"], r"^[0-9a-f]{16}$")
        self.assertEqual(self.ask("step")["tick"], tick + 8)

    def test_step_refuses(self):
        for count, code in [(0, "out_of_range"), (100001, "out_of_range"), (-1, "out_of_range"), (1.5, "bad_param")]:
            self.assert_error(self.client.request("step", count=count), code, field="count")
        self.assertEqual(self.client.request("ping")["tick"], 0)

    def test_others_are_served_during_a_long_step(self):
        self.ask("spawn", kind="seeker", count=2000)
        self.client.send("step", id="long", count=3000)
        with self.server.connect() as other:
            tick = other.request("ping")["tick"]
        reply = self.client.answer_to("long", timeout=120)
        self.assertEqual(reply["tick"], 3000)
        self.assertLess(tick, 3000)

    # --- load, bye

    def test_load_replaces_the_world_for_all_clients(self):
        with self.server.connect() as watcher, self.server.connect() as idler:
            watcher.request("subscribe")
            watcher.receive_op("snapshot")
            self.ask("step", count=5)
            self.assertEqual(watcher.receive_op("snapshot")["tick"], 5)
            reply = self.ask("load", scenario="arrive")
            self.assertEqual((reply["scenario"], reply["tick"]), ("arrive", 0))
            self.assertRegex(reply["hash"], r"^[0-9a-f]{16}$")
            message = watcher.receive()
            self.assertEqual((message["op"], message["name"]), ("scenario", "arrive"))
            self.assertEqual({k: message[k] for k in message if k != "op"}, self.server.hello()["scenario"])
            self.assertEqual(watcher.receive_op("snapshot")["tick"], 0)
            self.assertEqual(idler.flush(), [])
        late = self.server.hello()
        self.assertEqual((late["scenario"]["name"], late["tick"], late["paused"]), ("arrive", 0, True))

    def test_load_keeps_a_running_world_running(self):
        self.ask("resume")
        self.ask("load", scenario="arrive")
        while self.client.request("ping")["tick"] < 5:
            pass

    def test_load_with_a_seed(self):
        self.ask("load", scenario="boids_target", seed=42)
        self.assertEqual(self.server.hello()["scenario"]["seed"], 42)
        first = self.ask("step", count=10)["hash"]
        self.ask("load", scenario="boids_target", seed=43)
        second = self.ask("step", count=10)["hash"]
        self.ask("load", scenario="boids_target", seed=42)
        self.assertEqual(self.ask("step", count=10)["hash"], first)
        self.assertNotEqual(first, second)
        self.assert_reply(self.client.request("load", scenario="seek", seed=SAFE), "load")
        for seed in (-1, SAFE + 1, 1e300):
            self.assert_error(self.client.request("load", scenario="seek", seed=seed), "out_of_range", field="seed")

    def test_load_refuses_and_the_old_world_goes_on(self):
        self.ask("step", count=4)
        self.assert_error(self.client.request("load", scenario="nowhere"), "no_scenario", field="scenario")
        for name in ("../CMakeLists", "/etc/passwd", "seek.json", "..", "a" * 32, "scenarios/seek"):
            self.assertIn(self.client.request("load", scenario=name)["code"], ("bad_param", "no_scenario"))
        self.assertEqual(self.client.request("ping")["tick"], 4)

    def test_bye_answers_first_and_then_closes(self):
        self.client.send_raw('{"op":"step","id":1,"count":100}\n{"op":"list","id":2}\n{"op":"bye"}\n{"op":"ping","id":3}\n')
        messages = self.client.until_closed()
        self.assertEqual([m.get("id") for m in messages if m["op"] == "reply" and "id" in m][:2], [1, 2])
        self.assertEqual((messages[-1]["op"], messages[-1]["reason"]), ("bye", "client"))


class Untouched(Case):
    """Two servers get the same good requests, one of them a hundred bad ones in between: their hashes stay equal."""

    BAD = [
        ("set_target", {"name": "mous", "x": 1, "y": 1}), ("set_target", {"name": "mouse", "x": 1}), ("mouse", {"x": 1e7, "y": 0}),
        ("set_target", {"agent": 999, "x": 1, "y": 1}), ("set_target", {"agent": 1, "follow": "nothing"}),
        ("spawn", {"kind": "ghost"}), ("spawn", {"kind": "seeker", "count": 0}), ("spawn", {"kind": "seeker", "x": 3}),
        ("spawn", {"kind": "seeker", "count": 2, "heading": 1000}), ("remove", {"kind": "ghost"}), ("remove", {"agent": 999}),
        ("set_param", {"kind": "seeker", "param": "max_speed", "value": -1}), ("set_param", {"kind": "seeker", "param": "x", "value": 1}),
        ("set_param", {"agent": 1, "param": "seek.weight", "value": 2000}), ("step", {"count": 0}), ("step", {"count": 1e9}),
        ("load", {"scenario": "nowhere"}), ("load", {"scenario": "arrive", "seed": -1}), ("list", {"what": "x"}),
        ("get_params", {"kind": "ghost"}), ("subscribe", {"hz": 0}), ("subscribe", {"hz": 481}), ("fly", {}),
    ]

    def test_refused_requests_leave_the_hash_alone(self):
        with Server("--paused", "seek") as a, Server("--paused", "seek") as b, a.connect() as one, b.connect() as two:
            for round_number in range(5):
                good = [("mouse", {"x": 100 * round_number, "y": 30}), ("spawn", {"kind": "seeker", "count": 3}),
                        ("set_param", {"kind": "seeker", "param": "max_force", "value": 200 + round_number}),
                        ("set_target", {"agent": 1, "x": 5, "y": round_number})]
                for op, fields in good:
                    self.assertEqual(one.request(op, **fields), two.request(op, **fields, id=one._next_id - 1))
                for op, fields in self.BAD:
                    message = two.request(op, **fields, id="bad")
                    self.assertTrue(message["op"] == "error" or message.get("removed") == 0, message)
                self.assertEqual(one.request("step", count=20)["hash"], two.request("step", count=20, id="s")["hash"])


if __name__ == "__main__":
    unittest.main()
