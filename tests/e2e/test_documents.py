"""Scenarios without files: `load` with a document, what it refuses, and what journals, recordings and rewind make of it."""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest

from drover_client import PATIENCE_S, ROOT, Case, Server, run_server, wait_for, worlds_to_try

TOOL = os.environ.get("DROVER_TOOL", str(ROOT / "build/asan/bin/drover"))
ADMIN_LINE_BYTES = 1048576
WORLDS = [("arrive", "1", ""), ("hunters_and_prey", "2", "sse2"), ("avoid_obstacles", "1", "plain"), ("guard", "1", ""), ("shepherds", "1", "")]
SMALL = {"name": "Small", "world": {"size": [400, 300], "edge": "wrap"}, "targets": {"mouse": [10, 20]},
         "kinds": {"a": {"max_speed": [50, 90], "behaviors": [{"wander": {}}, {"seek": {"target": "mouse", "weight": 0.1}}]}},
         "agents": [{"kind": "a", "count": 7, "in": {"rect": [0, 0, 400, 300]}}]}


def text_of(name):
    return (ROOT / "scenarios" / f"{name}.json").read_text(encoding="utf-8")


def changed(path, value, document=None):
    """The document with another value at a path; ... : without the member."""
    document = json.loads(json.dumps(document or SMALL))
    *way, last = path
    at = document
    for key in way:
        at = at[key]
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return document


class Documents(Case):
    def load(self, client, text, is_json=True, **members):
        """Loads a document by its text, as it stands there, or by its value. A line that is no JSON has no id."""
        text = text if isinstance(text, str) else json.dumps(text)
        rest = "".join(f",{json.dumps(key)}:{json.dumps(value)}" for key, value in members.items())
        client.send_raw(f'{{"op":"load","id":"load","document":{" ".join(text.split(chr(10)))}{rest}}}\n')
        return client.answer_to("load") if is_json else client.receive_op("error")

    def world_now(self, client):
        """What tells one world from another, without a change."""
        return (self.hash_now(client), client.request("ping")["tick"], client.request("list", what="kinds"))

    def hash_now(self, client):
        return client.request("save", name="now", replace=True)["hash"]

    def refused(self, client, text, words, code="bad_scenario", field="document", **members):
        before = self.world_now(client)
        answer = self.load(client, text, is_json=field is not None, **members)
        self.assert_error(answer, code, **({"field": field} if field else {}))
        self.assertIn(words, answer["message"])
        self.assertEqual(self.world_now(client)[:2], before[:2])
        return answer


class Loading(Documents):
    def test_again(self):
        """The world begins again without a file, whether it came as a document, out of a save or from a journal."""
        folder = tempfile.mkdtemp(prefix="drover-documents-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        options = ["--paused", "--state", f"{folder}/state"]
        with Server(*options, "seek") as server, server.connect() as client:
            self.assert_error(client.request("load", again=True, scenario="seek"), "bad_param")
            self.assert_error(client.request("load", again=False), "bad_param", field="again")
            begins = self.load(client, SMALL, name="mine", seed=7)["hash"]
            client.request("set_param", kind="a", param="max_speed", value=10)
            client.request("step", count=30)
            client.request("save", name="here")
            again = client.request("load", again=True, seed=7)
            self.assert_reply(again, "load", tick=0, scenario="mine", hash=begins)
            self.assertNotEqual(client.request("load", again=True)["hash"], begins)
            self.assert_reply(client.request("load", save="here"), "load", tick=30)
            self.assert_reply(client.request("load", again=True, seed=7), "load", tick=0, hash=begins)
            after = client.request("step", count=5)["hash"]
        with Server(*options) as server, server.connect() as client:
            self.assertEqual((server.hello()["tick"], self.hash_now(client)), (5, after))
            self.assert_reply(client.request("load", again=True, seed=7), "load", tick=0, hash=begins)
        with Server("--paused", "seek") as server, server.connect() as client:
            of_file = client.request("load", scenario="seek")["hash"]
            self.assert_reply(client.request("load", again=True), "load", scenario="seek", hash=of_file)

    def test_a_document_is_its_file(self):
        for name, threads, simd in worlds_to_try(WORLDS):
            if name.startswith(("million", "murmuration")):
                continue
            with self.subTest(name=name), Server("--paused", "--threads", threads, "seek", environment={"DROVER_SIMD": simd} if simd else None) as server:
                with server.connect() as client:
                    of_file = client.request("load", scenario=name, seed=5)
                    after = client.request("step", count=50)
                    of_text = self.load(client, text_of(name), seed=5)
                    self.assert_reply(of_text, "load", tick=0, scenario="document", hash=of_file["hash"])
                    self.assertEqual(client.request("step", count=50)["hash"], after["hash"])
                    named = self.load(client, text_of(name), name=name)
                    self.assertEqual(named["scenario"], name)
                    self.assertEqual(server.hello()["scenario"]["name"], name)

    def test_everybody_learns_of_it(self):
        with Server("--paused", "seek") as server, server.connect() as client, server.connect() as watcher:
            watcher.request("subscribe")
            self.load(client, SMALL, name="mine")
            self.assertEqual(watcher.receive_op("scenario")["name"], "mine")
            told = server.hello()["scenario"]
            self.assertEqual((told["name"], told["title"], told["size"]), ("mine", "Small", [400, 300]))
            self.assert_error(client.request("load", scenario="mine"), "no_scenario", field="scenario")

    def test_mistakes_are_those_of_check(self):
        """The same sentence as --check has, without file, line and column."""
        broken = [
            changed(["kinds", "a", "max_speed"], -1), changed(["kinds", "a", "mas"], 1), changed(["world", "size"], [0, 5]),
            changed(["world", "edge"], "wrapp"), changed(["agents", 0, "kind"], "b"), changed(["agents", 0, "count"], 1.5),
            changed(["kinds", "a", "behaviors", 1, "seek", "target"], "mous"), changed(["name"], ...), changed(["world"], ...),
            changed(["kinds", "a", "behaviors"], "seek"), changed(["targets", "bad name"], [1, 2]), changed(["targets", "a\u0007b"], [1, 2]),
            changed(["kinds", "\u202eevil"], {}), changed(["name"], "a\u0007b"), changed(["description"], "\u202eabc"), changed(["import"], "plan.wkt"),
            changed(["world", "image"], "/etc/passwd"), changed(["agents"], {"file": "agents.csv"}), changed(["seed"], -1), changed(["warmup"], 1e9),
            changed(["agents", 0, "count"], 100000000), {}, {"name": 5}, changed(["kinds", "a", "states"], {"x": {"when": "x"}}),
        ]
        with tempfile.TemporaryDirectory() as folder, Server("--paused", "seek") as server, server.connect() as client:
            client.request("step", count=3)
            for number, document in enumerate(broken):
                path = pathlib.Path(folder) / "broken.json"
                path.write_text(json.dumps(document))
                said = run_server("--check", str(path))
                with self.subTest(number=number, document=document):
                    if said.returncode == 0:  # what only the building of a world notices
                        self.refused(client, document, "agents")
                        continue
                    sentence = said.stderr.splitlines()[0] if said.stderr else said.stdout.splitlines()[0]
                    answer = self.refused(client, document, "")
                    self.assertTrue(sentence.endswith(answer["message"]), (sentence, answer))

    def test_odd_numbers(self):
        """-0 and what is nearer to 0 than a number may be are 0; digits are read as those of a file."""
        with tempfile.TemporaryDirectory() as folder:
            text = json.dumps(SMALL).replace("[10, 20]", "[-0.0, 1e-310]").replace("0.1", "0.1000000000000000055511151231257827")
            (pathlib.Path(folder) / "odd.json").write_text(text)
            with Server("--paused", "--scenarios", folder, "odd") as server, server.connect() as client:
                of_file = client.request("load", scenario="odd")
                self.assert_reply(self.load(client, text), "load", hash=of_file["hash"])
                target = client.request("list", what="targets")["targets"][0]
                self.assertEqual((target["x"], target["y"], str(target["x"])[0]), (0, 0, "0"))
                for number in ("1e999", "01", "+1", "NaN", "1" * 65):
                    self.refused(client, text.replace("[-0.0, 1e-310]", f"[1,{number}]"), "", code="parse", field=None)

    def test_json_that_is_hostile(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            client.request("step", count=2)
            self.refused(client, json.dumps(SMALL)[:-1] + ',"name":"again"}', "duplicate key", code="invalid", field=None)
            self.refused(client, json.dumps(SMALL)[:-1] + ',"n\\u0061me":"again"}', "duplicate key", code="invalid", field=None)
            self.refused(client, '{"a":' * 16 + "1" + "}" * 16, "deep", code="parse", field=None)
            self.refused(client, changed(["agents"], [[[[[[[[[[[1]]]]]]]]]]]), "expected an object")
            self.refused(client, "[" + "1," * 200000 + "1]", "", code="parse", field=None)
            self.refused(client, "5", "expected an object", code="bad_param")
            self.refused(client, "null", "expected an object", code="bad_param")
            self.assert_error(client.request("load", document=SMALL, scenario="seek"), "bad_param", field="document")
            self.assert_error(client.request("load", document=SMALL, save="now"), "bad_param")
            self.assert_error(client.request("load", scenario="seek", name="x"), "bad_param", field="name")
            self.assert_error(client.request("load", document=SMALL, name="../x"), "bad_param", field="name")
            self.assert_error(client.request("load", document=SMALL, seed=-1), "out_of_range", field="seed")
            self.assert_error(client.request("batch", requests=[{"op": "load", "document": SMALL}]), "bad_param")
            self.assertEqual(client.request("ping")["tick"], 2)

    def test_random_damage_never_takes_half(self):
        """Values of a document replaced by others: it is refused, and the world is untouched, or it is loaded as a file would be."""
        chance = random.Random(20)
        values = [None, True, -1, 0, 1e30, -0.0, 5e-324, "", "mouse", "a" * 5000, [], [1], {}, {"x": 1}, [[0, 0]] * 70, 2 ** 53]

        def places(value, way=()):
            yield way
            items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            for key, item in items:
                yield from places(item, (*way, key))

        with tempfile.TemporaryDirectory() as folder, Server("--paused", "--scenarios", folder, "--max-agents", "5000", str(ROOT / "scenarios/seek.json")) as server:
            with server.connect() as client:
                taken = 0
                for number in range(600 if os.environ.get("DROVER_FULL") == "1" else 120):
                    document = json.loads(text_of(chance.choice(["arrive", "guard", "avoid_obstacles", "wander"])))
                    way = chance.choice([way for way in places(document) if way])
                    document = changed(way, chance.choice(values), document)
                    (pathlib.Path(folder) / "damaged.json").write_text(json.dumps(document))
                    before = self.hash_now(client)
                    answer = self.load(client, document)
                    if answer["op"] == "error":
                        self.assertEqual((answer["code"], answer["field"]), ("bad_scenario", "document"), (way, answer))
                        self.assertEqual(self.hash_now(client), before)
                    of_file = client.request("load", scenario="damaged")
                    self.assertEqual(of_file["op"], answer["op"], (number, way))
                    if answer["op"] == "reply":
                        taken += 1
                        self.assertEqual(of_file["hash"], answer["hash"])
                    else:
                        self.assertTrue(of_file["message"].endswith(answer["message"]), (of_file, answer))
                self.assertGreater(taken, 3)

    def test_as_much_as_a_line_takes(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            head, tail = '{"op":"load","id":1,"document":', "}"
            document = changed(["agents"], [{"kind": "a", "at": [i % 400, i // 400], "heading": i % 360} for i in range(4096)])
            text = json.dumps(document)
            for length, is_fine in [(ADMIN_LINE_BYTES, True), (ADMIN_LINE_BYTES + 1, False)]:
                pad = " " * (length - len(head) - len(text) - len(tail))
                client.send_raw(head + text + pad + tail + "\n")
                answer = client.receive_op("reply" if is_fine else "error")
                if is_fine:
                    self.assert_reply(answer, "load", tick=0)
                else:
                    self.assert_error(answer, "too_long")
            self.assertEqual(len(client.snapshot()["agents"]), 4096)

    def test_one_after_the_other(self):
        """Loads that are sent together take effect in their order, and each later request is about the newest world."""
        with Server("--paused", "seek") as server, server.connect() as client:
            for number in range(20):
                if number % 3 == 2:
                    client.send("load", id=number, scenario="arrive")
                else:
                    client.send("load", id=number, document=changed(["world", "size"], [400 + number, 300]), name=f"w{number}")
                client.send("step", id=f"s{number}", count=number)
            for number in range(20):
                self.assert_reply(client.answer_to(number), "load", tick=0, scenario="arrive" if number % 3 == 2 else f"w{number}")
                if number:
                    self.assert_reply(client.answer_to(f"s{number}"), "step", tick=number)
            self.assertEqual(server.hello()["scenario"]["size"], [419, 300])

    def test_many_at_once_while_a_large_world_is_built(self):
        with Server("seek") as server, server.connect() as client, server.connect() as other:
            client.send("load", id="large", scenario="murmuration_100k")
            others = [server.connect() for _ in range(8)]
            for number, one in enumerate(others):
                one.send("load", id=1, document=SMALL, name=f"n{number}")
            tick = other.request("ping")["tick"]
            self.assert_reply(client.answer_to("large", 4 * PATIENCE_S), "load", scenario="murmuration_100k")
            for number, one in enumerate(others):
                self.assert_reply(one.answer_to(1, 4 * PATIENCE_S), "load", scenario=f"n{number}")
                one.socket.close()
            self.assertGreaterEqual(tick, 0)
            self.assertRegex(server.hello()["scenario"]["name"], "^n[0-7]$")

    def test_roles(self):
        with tempfile.NamedTemporaryFile("w") as tokens:
            tokens.write("viewer secret-v\noperator secret-o\nadmin secret-a\n")
            tokens.flush()
            with Server("--paused", "--token-file", tokens.name, "seek") as server:
                for token, is_fine in [("secret-v", False), ("secret-o", False), ("secret-a", True)]:
                    with server.connect() as client:
                        client.request("hello", token=token)
                        answer = client.request("load", document=SMALL)
                        self.assertEqual(answer["op"] == "reply" or answer["code"], True if is_fine else "denied")


def tokens_of(text):
    """The text without white space between its tokens; by a rule of its own."""
    return "".join(re.findall(r'"(?:[^"\\]|\\.)*"|[^\s"]+', text))


class Exporting(Documents):
    def exported(self, client):
        """The document as the line has it, and the reply."""
        reply = client.request("export")
        self.assert_reply(reply, "export")
        line = client.last_line.decode()
        return line[line.index('"document":') + 11:-1], reply

    def test_every_scenario_of_the_tree(self):
        """Export as it started is the file up to layout, and a fixed point; the world that comes of it is that world."""
        large = {"million", "murmuration_100k", "ten_million"} if os.environ.get("DROVER_FULL") != "1" else set()
        with Server("--paused", "seek") as server, server.connect() as client:
            names = [row["name"] for row in client.request("list")["scenarios"] if row["name"] not in large]
            self.assertGreater(len(names), 40)
            for name in names:
                with self.subTest(name=name):
                    of_file = client.request("load", scenario=name)
                    document, reply = self.exported(client)
                    self.assertEqual(document, tokens_of(text_of(name)))
                    self.assertEqual((reply["scenario"], reply["tick"]), (name, 0))
                    if len(document) < ADMIN_LINE_BYTES - 100:
                        self.assert_reply(self.load(client, document, name=name), "load", hash=of_file["hash"])
                        self.assertEqual(self.exported(client)[0], document)

    def test_order_digits_and_escapes_stay(self):
        text = ('{"world":{"edge":"wrap","size":[4.0e2,300.000]},\t"$schema":"./x.json", "kinds":{"a" : {"mass":1.50,"behaviors":[{"wander":{}}]}},'
                r'"name":"\u0041 \"b\" \u00e9 ,: {}","seed":12,"targets":{"b":[-0,1E1],"a":[1,2]}, "agents":[{"at":[1,2],"kind":"a"}]}')
        with Server("--paused", "seek") as server, server.connect() as client:
            self.load(client, text, seed=99)
            document, reply = self.exported(client)
            self.assertEqual(document, tokens_of(text))
            self.assertEqual((reply["seed"], reply["tick_hz"], reply["scenario"]), (99, 60, "document"))

    def test_what_requests_change_is_not_in_it(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
            before = self.exported(client)[0]
            client.request("set_param", kind="prey", param="max_speed", value=11)
            client.request("spawn", kind="prey", count=5)
            client.request("add_obstacle", circle=[100, 100, 20])
            client.request("step", count=10)
            after, reply = self.exported(client)
            self.assertEqual((after, reply["tick"]), (before, 10))
            client.request("save", name="here")
            self.load(client, SMALL)
            self.assertNotEqual(self.exported(client)[0], before)
            client.request("load", save="here")
            self.assertEqual(self.exported(client)[0], before)
            client.request("rewind", tick=10)
            self.assertEqual(self.exported(client)[0], before)

    def test_a_large_one_and_who_may(self):
        """A scenario of nearly 4194304 bytes comes whole, while the world ticks; a viewer gets it as well."""
        digits = "0." + "1234567890" * 6 + "1"
        field = {"grid": {"cells": [128, 120], "vectors": "VECTORS"}}
        document = changed(["world", "flow_fields"], {"f": field, "g": field})
        text = json.dumps(document, separators=(",", ":")).replace('"VECTORS"', "[" + ",".join([f"[{digits},-{digits}]"] * 15360) + "]")
        self.assertLess(4000000, len(text) + 1)
        self.assertLess(len(text), 4194304)
        with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile("w") as tokens:
            (pathlib.Path(folder) / "large.json").write_text(text)
            tokens.write("viewer secret-v\n")
            tokens.flush()
            with Server("--scenarios", folder, "--token-file", tokens.name, "large") as server, server.connect() as client:
                self.assert_error(client.request("export"), "denied")
                client.request("hello", token="secret-v")
                for _ in range(3):
                    self.assertEqual(self.exported(client)[0], text)
                wait_for(lambda: client.request("ping")["tick"] > 5, "the world goes on")

    def test_the_tool(self):
        folder = tempfile.mkdtemp(prefix="drover-documents-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)

        def tool(*arguments, code=0):
            run = subprocess.run([TOOL, "export", "--scenario", *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(run.returncode, code, run.stderr)
            return run.stdout if code == 0 else run.stderr
        with Server("--paused", "--state", f"{folder}/state", "--record", f"{folder}/run.drover", "guard") as server, server.connect() as client:
            address = ["--server", f"127.0.0.1:{server.port}"]
            laid_out = tool(*address)
            self.assertEqual(tokens_of(laid_out), tokens_of(text_of("guard")))
            self.assertLessEqual(max(map(len, laid_out.splitlines())), max(120, max(map(len, text_of("guard").splitlines()))))
            path = pathlib.Path(folder) / "again.json"
            tool(*address, "-o", path)
            self.assertEqual(path.read_text(), laid_out)
            self.assertIn("again.json", tool(*address, "-o", path, code=1))
            self.assertEqual(run_server("--check", str(path)).returncode, 0)
            client.request("step", count=3)
            client.request("save", name="kept")
            self.load(client, SMALL)
            client.request("step", count=3)
            small = tool(*address)
            self.assertEqual(json.loads(small), SMALL)
            self.assertEqual(tool(*address, "-o", path, "--replace"), "")
            self.assertIn("\n", small[:-1])
        self.assertEqual(tool(f"{folder}/run.drover", "--world", 1), text_of("guard"))
        self.assertEqual(tool(f"{folder}/run.drover"), small)
        self.assertEqual(tool(f"{folder}/state/saves/kept.drover"), text_of("guard"))
        self.assertEqual(tool(f"{folder}/state"), small)
        self.assertIn("has no world 9", tool(f"{folder}/run.drover", "--world", 9, code=1))
        self.assertIn("refused", tool("--server", "127.0.0.1:1", code=3))
        run = subprocess.run([TOOL, "export"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((run.returncode, "--scenario" in run.stderr), (2, True))


class ExportingNow(Documents):
    """The world as it stands, as a scenario."""

    def exported(self, client, what="now", **more):
        """The document as the line has it, and the reply."""
        reply = client.request("export", what=what, **more)
        self.assert_reply(reply, "export")
        line = client.last_line.decode()
        return line[line.index('"document":') + 11:line.rindex(',"lost":')], reply

    def test_what_nobody_has_changed_is_the_document(self):
        large = {"million", "murmuration_100k", "ten_million"}
        with Server("--paused", "seek") as server, server.connect() as client:
            for name in [row["name"] for row in client.request("list")["scenarios"] if row["name"] not in large]:
                with self.subTest(name=name):
                    client.request("load", scenario=name)
                    for what in ("now", "tuned"):
                        document, reply = self.exported(client, what)
                        self.assertEqual((document, reply["lost"]), (tokens_of(text_of(name)), []))

    def test_what_is_tuned(self):
        text = ('{"world":{"obstacles":[{"box":[1.0,2,3,4]},{"circle":[300,300,20]}],"size":[4.0e2,300.000]},\t"kinds":{"a" : {"mass":1.50,'
                '"behaviors":[{"seek":{"target":"t"}}]},"b":{"states":[{"name":"one","when":{"exhausted":true}},{"name":"two","behaviors":[{"wander":{"rate":3}}]}]}},'
                r'"name":"\u0041 \u00e9","targets":{"t":{"jump_within":1,"at":[9,9.0]},"u":[1,1]},"agents":[{"count":3,"at":[200,200],"kind":"a","heading":9e1}]}')
        expected = tokens_of(text).replace('"mass":1.50,', '"mass":1.50,"max_speed":55.5,').replace(
            '{"rate":3}', '{"weight":2,"rate":4}').replace('"at":[9,9.0]', '"at":[30,40.1]').replace('"u":[1,1]', '"v":[5,6]').replace(
                '{"box":[1.0,2,3,4]}', '{"box":[7,8,3,4]}').replace(",{\"circle\":[300,300,20]}", ",{\"polygon\":[[100,0],[120,0],[110,20]]}")
        with Server("--paused", "seek") as server, server.connect() as client:
            self.load(client, text)
            for op, members in [("set_param", {"kind": "a", "param": "max_speed", "value": 55.5}), ("set_param", {"kind": "b", "param": "two/wander.rate", "value": 4}),
                                ("set_param", {"kind": "b", "param": "two/wander.weight", "value": 2}), ("set_target", {"name": "t", "x": 30, "y": 40.1}),
                                ("remove_target", {"name": "u"}), ("add_target", {"name": "v", "x": 5, "y": 6}), ("move_obstacle", {"obstacle": 1, "x": 7, "y": 8}),
                                ("remove_obstacle", {"obstacle": 2}), ("add_obstacle", {"polygon": [[100, 0], [120, 0], [110, 20]]})]:
                self.assert_reply(client.request(op, **members), op)
            document, reply = self.exported(client)
            self.assertEqual(document, expected)
            self.assertEqual(reply["lost"], ["the ids of obstacles: they count from 1 without gaps"])
            self.assertEqual(self.exported(client, "tuned")[0], document)

    def test_agents_where_they_are(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
            client.request("step", count=50)
            gone = client.request("get")["frame"]["agents"][2]["id"]
            client.request("remove", agent=gone)
            client.request("spawn", kind="prey", count=5, x=100, y=100, radius=30)
            before = client.request("get", fields=["pos", "vel", "kind"])["frame"]["agents"]
            document, reply = self.exported(client)
            self.assertIn("at 50", reply["lost"][0])
            self.assertIn("the ids of agents: they count from 1 without gaps", reply["lost"])
            self.assertTrue(all("count" not in entry for entry in reply["document"]["agents"]))
            tuned, reply = self.exported(client, "tuned")
            self.assertEqual(tuned, tokens_of(text_of("hunters_and_prey")))
            self.assert_reply(self.load(client, document), "load")
            after = client.request("get", fields=["pos", "vel", "kind"])["frame"]["agents"]
            self.assertEqual([{**row, "id": 0} for row in after], [{**row, "id": 0} for row in before])
            again, reply = self.exported(client)
            self.assertEqual((again, reply["lost"]), (document, []))

    def test_what_refers_to_agents_follows(self):
        document = changed(["kinds", "a", "behaviors"], [{"pursue": {"agent": 3}}])
        document["agents"] = [{"kind": "a", "at": [100, 100 * i]} for i in range(4)]
        document["view"] = {"select": 4}
        with Server("--paused", "seek") as server, server.connect() as client:
            self.assert_reply(self.load(client, document), "load")
            client.request("remove", agent=1)
            now = self.exported(client)[1]["document"]
            self.assertEqual((now["kinds"]["a"]["behaviors"], now["view"]), ([{"pursue": {"agent": 2}}], {"select": 3}))
            client.request("remove", agents=[3, 4])
            now = self.exported(client)[1]["document"]
            self.assertEqual((now["kinds"]["a"]["behaviors"], now["view"]), ([{"pursue": {"agent": 4294967295}}], {}))

    def test_the_same_world_comes_of_it(self):
        with Server("--paused", "boids") as server, server.connect() as client:
            client.request("load", scenario="boids", seed=77)
            kind = client.request("list", what="kinds")["kinds"][0]["name"]
            client.request("set_param", kind=kind, param="max_force", value=321.5)
            document, reply = self.exported(client)
            self.assertEqual((reply["lost"], reply["document"]["seed"]), ([], 77))
            client.request("save", name="here")
            saved = client.request("load", save="here")["hash"]
            self.assert_reply(self.load(client, document), "load", hash=saved)

    def test_too_many_to_write_one_by_one(self):
        document = {**SMALL, "agents": [{"kind": "a", "count": 5000, "in": {"rect": [0, 0, 300, 300]}}]}
        with Server("--paused", "seek") as server, server.connect() as client:
            self.assert_reply(self.load(client, document), "load")
            self.assertEqual(json.loads(self.exported(client)[0]), document)
            client.request("step", count=1)
            refused = client.request("export", what="now")
            self.assert_error(refused, "full", field="what")
            self.assertIn("5000 agents", refused["message"])
            self.assertIn("tuned", refused["message"])
            self.assertEqual(json.loads(self.exported(client, "tuned")[0]), document)
            self.assert_error(client.request("export", what="then"), "bad_param", field="what")

    def test_the_past_and_undone_requests(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
            client.request("step", count=10)
            first = self.exported(client)
            client.request("set_param", kind="prey", param="max_speed", value=11)
            client.request("step", count=10)
            self.assertEqual(self.exported(client)[1]["document"]["kinds"]["prey"]["max_speed"], 11)
            self.assert_reply(client.request("rewind", tick=10), "rewind", tick=10)
            self.assertEqual(self.exported(client, "tuned")[0], tokens_of(text_of("hunters_and_prey")))
            self.assertEqual(self.exported(client)[0], first[0])
            client.request("step", count=10)
            client.request("look", tick=10)
            document, reply = self.exported(client)
            self.assertEqual((document, reply["tick"]), (first[0], 10))

    def test_the_tool(self):
        folder = tempfile.mkdtemp(prefix="drover-documents-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)

        def tool(*arguments, code=0):
            run = subprocess.run([TOOL, "export", *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(run.returncode, code, run.stderr)
            return run.stdout, run.stderr
        with Server("--paused", "--state", f"{folder}/state", "--record", f"{folder}/run.drover", "guard") as server, server.connect() as client:
            address = ["--server", f"127.0.0.1:{server.port}"]
            kind = client.request("list", what="kinds")["kinds"][0]["name"]
            client.request("set_param", kind=kind, param="max_speed", value=12.25)
            client.request("step", count=30)
            now, lost = tool("--scenario", "--now", *address)
            self.assertIn("drover: not in the scenario: the tick", lost)
            self.assertEqual(json.loads(now), self.exported(client)[1]["document"])
            tuned, lost = tool("--scenario", "--tuned", *address)
            self.assertEqual((json.loads(tuned)["kinds"][kind]["max_speed"], lost), (12.25, ""))
            client.request("save", name="kept")
        self.assertEqual(tool("--scenario", "--now", f"{folder}/run.drover")[0], now)
        self.assertEqual(tool("--scenario", "--tuned", f"{folder}/run.drover")[0], tuned)
        self.assertEqual(tool("--scenario", "--now", f"{folder}/state/saves/kept.drover")[0], now)
        self.assertEqual(tool("--scenario", "--now", f"{folder}/state")[0], now)
        self.assertNotEqual(tool("--scenario", "--now", "--to", 20, f"{folder}/run.drover")[0], now)
        with Server("--replay", f"{folder}/run.drover", "--paused") as server, server.connect() as client:
            self.assert_reply(client.request("seek", world=1, tick=30), "seek")
            wait_for(lambda: client.request("stats")["tick"] == 30, "the last tick")
            self.assertEqual(json.loads(now), self.exported(client)[1]["document"])
        for wrong in (["--now"], ["--scenario", "--now", "--tuned"]):
            self.assertIn("go with --scenario", tool(*wrong, *address, f"{folder}/run.drover", code=2)[1])
        path = pathlib.Path(folder) / "now.json"
        path.write_text(now)
        self.assertEqual(run_server("--check", str(path)).returncode, 0)
        with Server("--paused", str(path)) as server:
            self.assertEqual(tool("--scenario", "--now", "--server", f"127.0.0.1:{server.port}"), (now, ""))


class Kept(Documents):
    """A document is in the journal, in recordings and in saved worlds, and nothing else is needed."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="drover-documents-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def test_a_journal(self):
        options = ["--state", f"{self.folder}/state", "--sync", "always", "--paused"]
        texts = [json.dumps(SMALL), text_of("guard")]
        before = None
        for number, text in enumerate([*texts, None]):
            with Server(*options, *(["seek"] if number == 0 else [])).doomed() as server, server.connect() as client:
                if number:
                    self.assertEqual((server.hello()["scenario"]["name"], self.hash_now(client)), before)
                if text is not None:
                    self.assert_reply(self.load(client, text, name=f"doc{number}", seed=9), "load")
                    client.request("spawn", kind=client.request("list", what="kinds")["kinds"][0]["name"], count=3)
                    client.request("step", count=40)
                    self.refused(client, changed(["kinds", "a", "mas"], 1), "mass")
                    before = (f"doc{number}", self.hash_now(client))

    def test_a_recording(self):
        file = f"{self.folder}/run.drover"
        with Server("--paused", "--record", file, "seek") as server, server.connect() as client:
            client.request("step", count=5)
            self.load(client, text_of("wander"), seed=3)
            client.request("step", count=70)
            self.load(client, SMALL)
            client.request("step", count=65)
            last = self.hash_now(client)
        worlds = [json.loads(line) for line in pathlib.Path(file).read_text().splitlines() if '"op":"world"' in line[:20]]
        self.assertEqual([world["scenario"] for world in worlds], ["seek", "document", "document"])
        self.assertEqual(json.loads(worlds[1]["text"]), json.loads(text_of("wander")))
        self.assertEqual(worlds[1]["seed"], 3)
        empty = tempfile.mkdtemp(dir=self.folder)
        run = subprocess.run([TOOL, "verify", file], capture_output=True, text=True, timeout=120, check=False, cwd=empty)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        with Server("--replay", file, "--scenarios", empty, "--paused") as server, server.connect() as client:
            self.assert_reply(client.request("seek", world=3, tick=65), "seek")
            wait_for(lambda: server.hello()["tick"] == 65 and server.hello()["scenario"]["title"] == "Small", "the last tick")
        self.assertRegex(last, "^[0-9a-f]{16}$")

    def test_a_save_and_going_back(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.load(client, SMALL, name="mine")
            hashes = [client.request("step", count=1)["hash"] for _ in range(30)]
            saved = client.request("save", name="here")
            client.request("set_param", kind="a", param="max_speed", value=10)
            client.request("step", count=20)
            went = client.request("rewind", tick=12)
            self.assert_reply(went, "rewind", tick=12, hash=hashes[11])
            self.assert_reply(client.request("rewind", branch="b1"), "rewind", tick=50)
            client.request("load", scenario="arrive")
            self.assert_reply(client.request("load", save="here"), "load", scenario="mine", hash=saved["hash"])
            self.assertEqual([row["scenario"] for row in client.request("list", what="saves")["saves"]], ["mine"])

    def test_the_tool(self):
        path = pathlib.Path(self.folder) / "my world.json"
        path.write_text(json.dumps(SMALL, indent=4))
        with Server("--paused", "seek") as server, server.connect() as client:
            def tool(*arguments):
                return subprocess.run([TOOL, *map(str, arguments), "--server", f"127.0.0.1:{server.port}"], capture_output=True, text=True,
                                      timeout=60, check=False)
            run = tool("load", path)
            self.assertEqual((run.returncode, "scenario my_world" in run.stdout or '"my_world"' in run.stdout), (0, True), run.stderr)
            of_tool = client.request("step", count=9)["hash"]
            self.load(client, SMALL)
            self.assertEqual(client.request("step", count=9)["hash"], of_tool)
            self.assertEqual(tool("load", path, "--name", "other", "--seed", 4).returncode, 0)
            self.assertEqual((server.hello()["scenario"]["name"], server.hello()["scenario"]["seed"]), ("other", 4))
            path.write_text(json.dumps(changed(["kinds", "a", "mas"], 1)))
            run = tool("load", path)
            self.assertEqual(run.returncode, 1)
            self.assertIn('did you mean "mass"', run.stderr)
            path.write_text('{\n "name": }')
            run = tool("load", path)
            self.assertEqual(run.returncode, 2)
            self.assertIn("my world.json:2:10: ", run.stderr)
            path.write_text(json.dumps(changed(["description"], "x" * 1100000)))
            self.assertIn("allowed: about 1048576", tool("load", path).stderr)
            path.unlink()
            self.assertIn("by its name, without .json", tool("load", path).stderr)


if __name__ == "__main__":
    unittest.main()
