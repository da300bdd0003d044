"""The request edit: a merge patch of the document that the world goes by, while its agents live on."""

import json
import os
import random
import subprocess
import tempfile
import unittest

from drover_client import ROOT, Case, Server, wait_for

TOOL = os.environ.get("DROVER_TOOL", str(ROOT / "build/asan/bin/drover"))
PLAIN = {"name": "Plain", "world": {"size": [600, 400], "edge": "wrap", "obstacles": [{"circle": [300, 200, 30]}, {"box": [20, 20, 40, 30]}],
                                    "paths": {"lane": {"points": [[50, 50], [550, 50]], "radius": 20}},
                                    "areas": {"yard": {"rect": [400, 250, 100, 100]}}},
         "targets": {"den": [500, 300], "well": {"at": [100, 300]}},
         "kinds": {"a": {"max_speed": [50, 90], "behaviors": [{"wander": {}}, {"seek": {"target": "den", "weight": 0.1}}, {"avoid_obstacles": {}}]},
                   "b": {"max_stamina": 40, "states": [
                       {"name": "rest", "when": {"exhausted": True}, "stamina_rate": 20, "behaviors": [{"wander": {}}]},
                       {"name": "run", "when": {"near": {"kind": "a", "within": 120, "remember": 1}}, "stamina_rate": -15, "behaviors": [{"evade": {"kind": "a"}}]},
                       {"name": "idle", "behaviors": [{"follow_path": {"path": "lane"}}, {"separation": {"radius": 30}}]}]}},
         "agents": [{"kind": "a", "count": 12, "in": {"rect": [0, 0, 600, 400]}}, {"kind": "b", "count": 20, "in": {"rect": [0, 0, 600, 400]}}]}


def merged(document, patch):
    """RFC 7396, as its pseudocode has it."""
    if not isinstance(patch, dict):
        return patch
    document = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            document.pop(key, None)
        else:
            document[key] = merged(document.get(key), value)
    return document


class Editing(Case):
    def hash_now(self, client):
        return client.request("save", name="now", replace=True)["hash"]

    def document_now(self, client):
        return client.request("export")["document"]

    def edit(self, client, patch, **members):
        before = self.document_now(client)
        reply = client.request("edit", patch=patch, **members)
        self.assert_reply(reply, "edit")
        self.assertEqual(self.document_now(client), merged(before, patch))
        return reply

    def refused(self, client, patch, *words, code="bad_scenario", **members):
        before = (self.hash_now(client), self.document_now(client))
        answer = client.request("edit", patch=patch, **members)
        self.assert_error(answer, code)
        for word in words:
            self.assertIn(word, answer["message"])
        self.assertEqual((self.hash_now(client), self.document_now(client)), before)

    def agents_now(self, client, **kinds):
        """Without the state of kind a, whose only one has the name of a behavior."""
        return {agent["id"]: {**agent, "state": None if agent["kind"] == "a" else agent["state"]} for agent in client.request("get", layout="objects", fields=["pos", "vel", "heading", "state", "kind", "stamina"], **kinds)["frame"]["agents"]}

    def load(self, client, document=None):
        self.assert_reply(client.request("load", document=document or PLAIN), "load")
        self.assert_reply(client.request("step", count=100), "step")


class Kinds(Editing):
    def test_behaviors_change_and_agents_live_on(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.load(client)
            before, kinds = self.agents_now(client), client.request("list", what="kinds")["kinds"]
            reply = self.edit(client, {"kinds": {"a": {"behaviors": [{"flee": {"target": "den", "panic_distance": 900}}, {"wander": {"tier": 1, "weight": 0.5}}]}}})
            self.assertEqual((reply["agents"], reply["removed"], reply["tick"]), (32, 0, 100))
            self.assertEqual(self.agents_now(client), before)
            self.assertEqual([kind["count"] for kind in client.request("list", what="kinds")["kinds"]], [kind["count"] for kind in kinds])
            self.assertEqual([row["param"] for row in client.request("get_params", kind="a")["params"] if row["param"].endswith(".weight")],
                             ["flee.weight", "wander.weight"])
            self.assertEqual(server.hello()["scenario"]["name"], "document")
            client.request("step", count=200)

    def test_what_the_patch_does_not_name_stays_as_requests_made_it(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.load(client)
            client.request("set_param", kind="b", param="max_speed", value=77)
            client.request("set_param", kind="a", param="seek.weight", value=0.7)
            client.request("set_param", agent=3, param="radius", value=5)
            client.request("set_target", name="den", x=10, y=20)
            client.request("set_target", agent=4, target="well")
            client.request("add_target", name="mine", x=7, y=8)
            client.request("move_obstacle", obstacle=2, x=500, y=100)
            client.request("add_obstacle", circle=[200, 350, 10])
            before = self.agents_now(client)
            self.edit(client, {"kinds": {"a": {"mass": 2}, "b": {"radius": 9}}, "targets": {"well": {"jump_within": 5}}, "description": "Another one."})
            self.assertEqual(self.agents_now(client), before)
            params = {kind: {row["param"]: row["value"] for row in client.request("get_params", kind=kind)["params"]} for kind in "ab"}
            self.assertEqual((params["b"]["max_speed"], params["b"]["radius"], params["a"]["seek.weight"], params["a"]["mass"]), (77, 9, 0.7, 2))
            agent = client.request("inspect", agents=[3])["agents"][0]
            self.assertEqual((agent["radius"], agent["mass"]), (5, 2))
            targets = {row["name"]: (row["x"], row["y"]) for row in client.request("list", what="targets")["targets"]}
            self.assertEqual(targets, {"den": (10, 20), "well": (100, 300), "mine": (7, 8)})
            scenario = server.hello()["scenario"]
            self.assertEqual([row["id"] for row in scenario["obstacles"]], [1, 2, 3])
            self.assertEqual(scenario["description"], "Another one.")

    def test_states_come_and_go(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.load(client)
            states = PLAIN["kinds"]["b"]["states"]
            before = self.agents_now(client)
            self.edit(client, {"kinds": {"b": {"states": [states[0], {"name": "panic", "when": {"near": {"kind": "a", "within": 30}}, "behaviors": [{"flee": {"kind": "a"}}]}, *states[1:]]}}})
            self.assertEqual({id: (agent["x"], agent["vx"], agent["stamina"], agent["state"]) for id, agent in self.agents_now(client).items()},
                             {id: (agent["x"], agent["vx"], agent["stamina"], agent["state"]) for id, agent in before.items()})
            self.edit(client, {"kinds": {"b": {"states": [states[2]]}}})
            self.assertEqual({agent["state"] for agent in self.agents_now(client, kinds=["b"]).values()}, {"idle"})
            client.request("step", count=50)
            self.edit(client, {"kinds": {"b": {"states": None, "behaviors": [{"wander": {}}], "max_stamina": None}}})
            client.request("step", count=50)

    def test_kinds_come_and_go(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.load(client)
            agents = [*PLAIN["agents"], {"kind": "c", "count": 5, "at": [50, 60]}]
            before = self.agents_now(client)
            reply = self.edit(client, {"kinds": {"c": {"radius": 3, "behaviors": [{"pursue": {"kind": "a"}}]}}, "agents": agents})
            self.assertEqual(reply["agents"], 37)
            now = self.agents_now(client)
            self.assertEqual({id: now[id] for id in before}, before)
            self.assertEqual([now[id]["kind"] for id in sorted(now)[-5:]], ["c"] * 5)
            self.refused(client, {"kinds": {"a": None}, "agents": agents[1:]}, 'no kind "a"')
            plain = {"kinds": {"c": None}, "agents": agents[:2]}
            self.refused(client, plain, "kinds.c: 5 of its agents live", '"remove_agents":true')
            self.refused(client, {"agents": agents[1:]}, 'the agents of "a" that it placed live')
            reply = self.edit(client, plain, remove_agents=True)
            self.assertEqual((reply["agents"], reply["removed"]), (32, 5))
            self.assertEqual(self.agents_now(client), before)
            client.request("step", count=30)


class Things(Editing):
    def test_targets_paths_regions_walls_obstacles_flow_fields(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.load(client)
            before = self.agents_now(client)
            self.edit(client, {"targets": {"den": [40, 50], "well": None, "further": {"at": [1, 2], "jump_within": 9}},
                               "world": {"walls": [[0, 399, 250, 399]], "areas": {"yard": {"rect": [0, 0, 50, 60]}, "slow": {"rect": [90, 90, 10, 10], "speed": 0.5}},
                                         "flow_fields": {"wind": {"uniform": [3, 0]}},
                                         "obstacles": [{"box": [20, 20, 40, 30]}, {"circle": [100, 100, 25]}]}})
            now, scenario = self.agents_now(client), server.hello()["scenario"]
            self.assertEqual({id: agent["vx"] for id, agent in now.items()}, {id: agent["vx"] for id, agent in before.items()})
            for agent in now.values():
                self.assertGreater((agent["x"] - 100) ** 2 + (agent["y"] - 100) ** 2, 25 ** 2)
            self.assertEqual([row["id"] for row in scenario["obstacles"]], [2, 3])
            self.assertEqual(scenario["targets"], ["den", "further"])
            self.assertEqual(len(scenario["walls"]), 1)
            client.request("step", count=100)

    def test_what_cannot_change(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.load(client)
            for patch, place in [({"world": {"size": [600, 401]}}, "world.size"), ({"world": {"edge": "open"}}, "world.edge"), ({"seed": 3}, "seed"),
                                 ({"tick_hz": 30}, "tick_hz"), ({"sources": {"s": {"kind": "a", "area": "yard", "rate": 1}}}, "sources")]:
                self.refused(client, patch, place, "load")


class Hostile(Editing):
    def test_a_sentence_and_nothing_half_done(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.load(client)
            many = [{"wander": {}}] * 10000
            for patch, *words in [
                    ({"kinds": {"a": {"behaviors": many}}}, "kinds.a.behaviors", "16"),
                    ({"kinds": {"a": {"max_sped": 3}}}, 'did you mean "max_speed"?'),
                    ({"kinds": {"a": {"behaviors": [{"seek": {"target": "dn"}}]}}}, 'did you mean "den"?'),
                    ({"kinds": {"a": {"behaviors": "wander"}}}, "expected", "a string"),
                    ({"kinds": {"a": 7}}, "kinds.a", "a number"), ({"kinds": None}, ""), ({"world": None}, "world: missing"),
                    ({"kinds": {"a\u0007b": {"behaviors": []}}}, "is not a name"), ({"name": "a\u001bb"}, "U+001B"), ({"description": "a\u202eb"}, "U+202E"),
                    ({"targets": {"den": [1]}}, "targets.den"), ({"targets": {"den": None}}, 'no target "den"'),
                    ({"kinds": {f"k{i}": {} for i in range(70)}}, "64"), ({"extra": {str(i): i for i in range(2000)}}, "1024"),
                    ({"kinds": {"b": {"states": [{"name": "x", "when": {"cooldown": {"state": "y", "seconds": 1}}, "behaviors": []}]}}}, "kinds.b.states"),
                    ({"world": {"paths": {"lane": None}}}, "lane"), ({"world": {"obstacles": [{"circle": [1, 2]}]}}, "world.obstacles[0]"),
                    ({"kinds": {"c": {"behaviors": []}}, "agents": [*PLAIN["agents"], {"kind": "c", "count": 2000000}]}, "")]:
                with self.subTest(patch=str(patch)[:60]):
                    answer = client.request("edit", patch=patch)
                    self.assertIn(answer.get("code"), ("bad_scenario", "full", "out_of_range"), answer)
                    self.refused(client, patch, *words, code=answer["code"])
            self.refused(client, [1], "expected an object", code="bad_param")
            before = self.hash_now(client)
            client.send_raw('{"op":"edit","patch":' + '{"a":' * 16 + "1" + "}" * 16 + "}\n")
            self.assert_error(client.receive_op("error"), "parse")
            client.send_raw('{"op":"edit","patch":{"a":"' + "x" * 1000000 + '"}}\n')
            self.assert_error(client.receive_op("error"), "bad_scenario")
            self.assertEqual(self.hash_now(client), before)

    def test_random_damage(self):
        """A patch is taken when the document that comes of it can be loaded; otherwise it is refused with what load says."""
        dice = random.Random(35)
        values = [None, True, -1, 0, 1e30, 5e-324, "", "den", "a" * 5000, [], [1], {}, {"x": 1}, [[0, 0]] * 70, 2 ** 53, {"at": [5, 6]}, [3, 4]]

        def ways(value, way=()):
            for key, item in value.items() if isinstance(value, dict) else ():
                yield (*way, key)
                yield from ways(item, (*way, key))

        taken = 0
        with Server("--paused", "seek") as server, server.connect() as client, Server("--paused", "seek") as other, other.connect() as loads:
            self.load(client)
            for _ in range(600 if os.environ.get("DROVER_FULL") == "1" else 80):
                before, document = self.hash_now(client), self.document_now(client)
                way, patch = dice.choice(list(ways(document))), dice.choice(values)
                for key in reversed(way):
                    patch = {key: patch}
                answer, loaded = client.request("edit", patch=patch), loads.request("load", document=merged(document, patch))
                if answer["op"] == "reply":
                    taken += 1
                    self.assert_reply(loaded, "load")
                    self.assertEqual(self.document_now(client), merged(document, patch))
                    client.request("step", count=2)
                else:
                    self.assertEqual((answer["field"], self.hash_now(client), self.document_now(client)), ("patch", before, document))
                    if loaded["op"] == "error":
                        self.assertEqual(answer["message"], loaded["message"])
                    else:
                        self.assertRegex(answer["message"], "edit cannot change|live|removes|requests have added")
        self.assertGreater(taken, 1)


class Kept(Editing):
    """Journals, saves, undo, batches: an edit is a request as every other."""

    def patches(self, dice):
        """A patch that may be taken."""
        behaviors = [{"wander": {"weight": dice.randint(1, 9) / 10}}, {"seek": {"target": "den", "tier": dice.randint(0, 2)}}, {"avoid_obstacles": {}},
                     {"separation": {"radius": dice.randint(10, 60), "max_neighbors": dice.randint(0, 3)}}, {"flee": {"target": "well", "panic_distance": 80}}, {"pursue": {"kind": "b", "keep": True}}]
        states = [dict(state) for state in PLAIN["kinds"]["b"]["states"]]
        dice.shuffle(behaviors)
        dice.shuffle(states)
        point = [dice.randint(0, 600), dice.randint(0, 400)]
        return dice.choice([
            {"kinds": {"a": {"behaviors": behaviors[:dice.randint(0, 5)]}}}, {"kinds": {"a": {"max_speed": dice.choice([60, [30, 40], None]), "radius": dice.choice([None, 4, [3, 9]])}}},
            {"kinds": {"b": {"states": states[:dice.randint(1, 3)]}}}, {"kinds": {"b": {"max_stamina": dice.choice([None, 20, 100])}}},
            {"targets": {"den": point}}, {"targets": {f"t{dice.randint(1, 3)}": dice.choice([None, {"at": point, "jump_within": 40}])}},
            {"world": {"obstacles": dice.sample([{"circle": [300, 200, 30]}, {"box": [20, 20, 40, 30]}, {"circle": [*point, 12]}, {"polygon": [[400, 50], [450, 60], [420, 90]]}], dice.randint(0, 4))}},
            {"world": {"walls": dice.choice([None, [[*point, point[0] + 50, point[1]]]])}},
            {"world": {"paths": {"lane": {"points": [[50, 50], point], "radius": 20}}}}, {"description": str(dice.random()), "view": {"trails": dice.choice([True, None])}},
            {"kinds": {"c": {"radius": 3, "behaviors": [{"pursue": {"kind": "a"}}]}}, "agents": [*PLAIN["agents"], {"kind": "c", "count": dice.randint(1, 5), "at": point}]},
            {"kinds": {"c": None}, "agents": PLAIN["agents"]}])

    def walk(self, client, dice, count):
        """Requests among which are edits. Returns how many edits were taken."""
        taken = 0
        for _ in range(count):
            other = [("spawn", {"kind": "a", "count": 2}), ("set_target", {"name": "den", "x": 5, "y": dice.randint(0, 400)}), ("remove", {"agents": [dice.randint(1, 40)]}),
                     ("set_param", {"kind": "b", "param": "max_speed", "value": dice.randint(20, 90)}), ("add_obstacle", {"circle": [dice.randint(0, 600), 100, 8]}),
                     ("set_target", {"agent": dice.randint(1, 40), "target": "den"}), ("step", {"count": dice.randint(1, 12)}), ("add_target", {"name": "mine", "x": 4, "y": 4})]
            if dice.random() < 0.6:
                answer = client.request("edit", patch=self.patches(dice), remove_agents=dice.random() < 0.5)
                taken += answer["op"] == "reply"
                if answer["op"] == "error":
                    self.assertIn(answer["code"], ("bad_scenario", "full"), answer)
            else:
                name, members = dice.choice(other)
                client.request(name, **members)
        return taken

    def test_random_walks(self):
        """After any walk the saved world is the world, and so is its future; its document loads; the recording verifies; and the past leads there."""
        for seed in range(12 if os.environ.get("DROVER_FULL") == "1" else 3):
            dice = random.Random(seed)
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder, Server("--paused", "--state", folder, "seek") as server, server.connect() as client:
                self.load(client)
                self.assertGreater(self.walk(client, dice, 60), 15)
                client.request("save", name="end", replace=True)
                before, tick = self.hash_now(client), client.request("step", count=1)["tick"]
                future = client.request("step", count=30)["hash"]
                self.assert_reply(client.request("rewind", tick=tick + 10), "rewind")
                self.assertEqual(client.request("step", count=20)["hash"], future)
                document = self.document_now(client)
                self.assert_reply(client.request("load", save="end"), "load", hash=before)
                self.assertEqual(client.request("step", count=31)["hash"], future)
                self.walk(client, dice, 10)
                self.assert_reply(client.request("load", document=document), "load")
                self.walk(client, dice, 10)
                server.stop()
                said = subprocess.run([TOOL, "verify", folder], capture_output=True, text=True, timeout=300, check=False)
                self.assertEqual(said.returncode, 0, said)

    def test_a_server_that_starts_again(self):
        with tempfile.TemporaryDirectory() as folder:
            with Server("--paused", "--state", folder, "seek") as server, server.connect() as client:
                self.load(client)
                self.edit(client, {"kinds": {"a": {"behaviors": [{"wander": {}}]}}})
                client.request("step", count=20)
                before, document = self.hash_now(client), self.document_now(client)
            for _ in range(2):
                with Server("--paused", "--state", folder) as server, server.connect() as client:
                    self.assertEqual((self.hash_now(client), self.document_now(client)), (before, document))
                    self.edit(client, {"description": f"{_}"})
                    client.request("step", count=5)
                    before, document = self.hash_now(client), self.document_now(client)
            said = subprocess.run([TOOL, "verify", folder], capture_output=True, text=True, timeout=300, check=False)
            self.assertEqual(said.returncode, 0, said)

    def test_undo(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            client.request("hello", seq=True)
            self.load(client)
            before, document = self.hash_now(client), self.document_now(client)
            seq = self.edit(client, {"kinds": {"a": {"behaviors": [{"wander": {"weight": 3}}]}}})["seq"]
            self.assert_reply(client.request("spawn", kind="a", count=2), "spawn")
            self.assertEqual(client.request("list", what="changes")["changes"][1]["op"], "edit")
            self.assert_reply(client.request("rewind", without=seq), "rewind", left_out=0)
            self.assertEqual(self.document_now(client), document)
            client.request("remove", agents=[33, 34])
            self.assertNotEqual(self.hash_now(client), before)  # two ids are used
            self.assert_reply(client.request("rewind", branch="b1"), "rewind")
            self.assertNotEqual(self.document_now(client), document)

    def test_batches(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.load(client)
            before, document = self.hash_now(client), self.document_now(client)
            kind = {"op": "edit", "patch": {"kinds": {"c": {"behaviors": [{"wander": {}}]}}}}
            for wrong in ({"op": "edit", "patch": {"kinds": {"c": {"mas": 1}}}}, {"op": "remove_target", "name": "no"}):
                for edits in ([kind], [kind, {"op": "edit", "patch": {"name": "Other"}}]):
                    self.assert_error(client.request("batch", requests=[*edits, wrong]), wrong["op"] == "edit" and "bad_scenario" or "no_target")
                    self.assertEqual((self.hash_now(client), self.document_now(client)), (before, document))
            for name in ("c", "d", "e"):
                reply = client.request("batch", requests=[{"op": "edit", "patch": {"kinds": {name: {"behaviors": [{"wander": {}}]}}}}, {"op": "spawn", "kind": name, "count": 3},
                                                          {"op": "edit", "patch": {"description": name}}, {"op": "edit", "patch": {"description": name * 2}}])
                self.assert_reply(reply, "batch")
                self.assertEqual([part["to"] for part in reply["replies"]], ["edit", "spawn", "edit", "edit"])
            self.assertEqual((self.document_now(client)["description"], server.hello()["scenario"]["kinds"][2]["count"]), ("ee", 3))
            client.request("save", name="x")
            now = self.hash_now(client)
            self.assert_reply(client.request("load", save="x"), "load", hash=now)

    def test_at_a_tick_and_who_is_told(self):
        with Server("--paused", "seek") as server, server.connect() as client, server.connect() as watcher, server.connect() as detailed:
            detailed.request("hello", seq=True)
            self.load(client)
            watcher.request("subscribe", layout="packed", hz=60)
            detailed.request("subscribe", layout="events")
            self.assert_error(client.request("compare", requests=[{"op": "edit", "patch": {"kinds": {"c": {}}}}]), "bad_param", field="requests")
            client.request("compare")
            client.send("edit", id="later", at=110, patch={"kinds": {"b2": {"behaviors": []}}, "name": "Later"})
            client.request("step", count=20)
            self.assert_reply(client.answer_to("later"), "edit", tick=110)
            while (scenario := watcher.receive_op("scenario"))["title"] != "Later":
                pass
            self.assertEqual([kind["name"] for kind in scenario["kinds"]], ["a", "b", "b2"])
            events = {message["event"]: message for message in detailed.flush() if message["op"] == "event"}
            self.assertEqual((events["edited"]["tick"], events["edited"]["scenario"]), (110, "document"))
            self.assertEqual(events["compare_ended"]["tick"], 110)
            before = self.hash_now(client)
            self.assert_reply(client.request("edit", patch={}), "edit")
            client.request("step", count=1)
            self.assertNotEqual(self.hash_now(client), before)


    def test_every_scenario_lives_on(self):
        """Another description, and all that agents have is as it was. Where they keep their slots from tick to tick they are sorted anew, as by other requests."""
        keep_slots = {"alignment", "cohesion", "flock", "pursue_and_evade", "separation", "starlings"}  # at this tick
        large = {"million", "murmuration_100k", "ten_million"}
        with Server("--paused", "seek") as server, server.connect() as client:
            for name in [row["name"] for row in client.request("list")["scenarios"] if row["name"] not in large]:
                with self.subTest(name=name):
                    client.request("load", scenario=name)
                    client.request("step", count=25)
                    before, agents = self.hash_now(client), client.request("get", layout="objects", fields=["pos", "vel", "heading", "state", "kind", "stamina"])["frame"]["agents"]
                    self.edit(client, {"description": "Another one."})
                    self.assertEqual(client.request("get", layout="objects", fields=["pos", "vel", "heading", "state", "kind", "stamina"])["frame"]["agents"], agents)
                    after = self.hash_now(client)
                    self.assertEqual(after == before, name not in keep_slots)
                    future = client.request("step", count=10)["hash"]
                    self.assert_reply(client.request("load", save="now"), "load", hash=after)
                    self.assertEqual(client.request("step", count=10)["hash"], future)


class Tool(Editing):
    def test_edit_and_export(self):
        with tempfile.TemporaryDirectory() as folder, Server("--paused", "seek") as server, server.connect() as client:
            self.load(client)

            def edit(patch, *words, code=0):
                with open(f"{folder}/patch.json", "w", encoding="utf-8") as file:
                    file.write(patch if isinstance(patch, str) else json.dumps(patch, indent=2))
                run = subprocess.run([TOOL, "edit", f"{folder}/patch.json", *words], env={**os.environ, "DROVER_SERVER": f"127.0.0.1:{server.port}"}, capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(run.returncode, code, run)
                return run.stdout + run.stderr

            self.assertEqual(edit({"kinds": {"c": {"behaviors": []}}, "agents": [*PLAIN["agents"], {"kind": "c", "at": [1, 2]}]}), '{"op":"reply","to":"edit","id":1,"tick":100,"agents":33,"removed":0}\n')
            plain = {"kinds": {"c": None}, "agents": PLAIN["agents"]}
            self.assertIn("kinds.c: 1 of its agents live", edit(plain, code=1))
            self.assertIn('"agents":32,"removed":1', edit(plain, "--remove-agents"))
            self.assertEqual(self.document_now(client), PLAIN)
            self.assertIn("patch.json:1:2", edit("{]", code=2))
            self.assertIn("expected an object", edit("[]", code=1))


if __name__ == "__main__":
    unittest.main()
