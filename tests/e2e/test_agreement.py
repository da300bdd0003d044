"""The schema and the server agree about requests: both refuse, or both allow.

Random requests, made from the schema, from `help`, and by mutating such requests, are sent to a server. Each answer is either an error about the
form of the request, and then the schema refuses it too, or a reply or an error about the world, and then the schema allows it. Every
answer names the members its op does not know; every line is checked against the schema. A failure prints the seed.

DROVER_SLOW=1 in the environment, or --count N: more requests.
"""

import base64
import json
import math
import os
import random
import re
import struct
import sys
import tempfile
import unittest

from drover_client import Case, Server
from schema_check import DEFS, OPS, branch, complaint, inlined

COUNT = 20000 if os.environ.get("DROVER_SLOW") else 4000
SEED = int(os.environ.get("DROVER_SEED", "11"))
BATCH = 100

# Refusals because of the world or the session, not because of the form: (op, field, message).
ABOUT_THE_WORLD = [
    ("hello", "op", "hello was already sent"),
    ("measure", "names", "no gate or area .*"),
    ("set_param", "value", r".* is out of range: .*"),
    ("set_param", "value", r".* is not a whole number; .*"),
    ("add_obstacle", "polygon", "sides? .* of the polygon .*"),
    ("move_obstacle", "x", "the polygon would lose precision at this position"),
    ("set_obstacle", "obstacle", r"obstacle \d+ is no door; .*"),
    ("drive", r"kind|agent|agents\[\d+\]", ".* has no behavior external; .*"),
    ("drive", "vx", r"\d+ vectors; kind .* has \d+ agents, .*"),
    ("drive", "first", r"first \d+ and \d+ vectors; kind .*"),
    ("batch", r"requests\[\d+\]\.(kind|agent|agents\[\d+\])", ".* has no behavior external; .*"),
    ("batch", r"requests\[\d+\]\.obstacle", r"obstacle \d+ is no door; .*"),
    ("batch", r"requests\[\d+\]\.value", r".* is out of range: .*|.* is not a whole number; .*"),
    ("batch", r"requests\[\d+\]\.polygon", "sides? .* of the polygon .*"),
    ("batch", r"requests\[\d+\]\.x", "the polygon would lose precision at this position"),
    ("step", r"until\.tick", r"tick .* is not after the world's, .*"),
    ("step", r"until\.state\.name", r"kind .* has no state .*"),
    ("look", "seconds|ticks|tick|mark|branch", "no branch .*|no mark .*|not in memory; .*|no checkpoint is in memory; .*"),
    ("rewind", "seconds|ticks|tick|mark|branch|without", "no branch .*|no mark .*|not in memory; .*|no checkpoint is in memory; .*|the world is in branch .*|no request .*"),
    ("step", "count", "not in memory; .*"),
    ("compare", "branch|save|keep", "no branch .*|it begins with tick .*|there is no twin; .*|the world is in branch .*|not in memory; .*|no checkpoint is in memory; .*|it has other kinds .*"),
    ("compare", r"(requests\[\d+\]\.)?value", r".* is out of range: .*|.* is not a whole number; .*"),
    ("compare", r"requests\[\d+\]\.(kind|agent|agents\[\d+\])", ".* has no behavior external; .*"),
    ("compare", r"requests\[\d+\]\.obstacle", r"obstacle \d+ is no door; .*"),
    ("compare", r"requests\[\d+\]\.(polygon|x)", "sides? .* of the polygon .*|the polygon would lose precision at this position"),
    ("subscribe", r"kinds\[\d+\]", "too many names: .*"),  # more than 64 different ones are not all kinds
]
FORM_CODES = {"invalid", "bad_param", "out_of_range", "unknown_op", "parse", "too_long"}


def is_about_form(request, answer):
    if answer["op"] != "error" or answer["code"] not in FORM_CODES:
        return False
    return not any(request.get("op") == op and re.fullmatch(field, answer.get("field", "")) and re.fullmatch(message, answer["message"])
                   for op, field, message in ABOUT_THE_WORLD)


class Maker:
    """Makes requests. Knowledge of the world lets many of them get as far as the world."""

    NAMES = {"kind": ["seeker"], "name": ["mouse", "den"], "follow": ["mouse"], "scenario": ["seek", "arrive"], "kinds": ["seeker"],
             "param": ["max_speed", "mass", "seek.weight"], "about": OPS}
    ODD = [None, True, False, 0, 1, -1, 2, 0.5, 1.0, -0.0, 16, 17, 2**31, 2**32, 2**53, 1e6, 1e6 + 0.5, -1e6 - 1, 1e300, 5e-324, "", "a", "seeker",
           "mouse", "mouse\n", "a b", "x" * 31, "x" * 32, "x" * 63, "x" * 64, "x" * 65, "x" * 128, "x" * 129, "é" * 15, "é" * 16, "é" * 31,
           "é" * 64, "𝄞" * 64, "𝄞" * 65, "\u007f", "\n", "cursor-1", [], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4, 5], [0, 0], [0, 0, 0, 0],
           [1024, 16], [1024, 17], [128, 128], [129, 128], [2.5, 4], [[0, 0], [9, 0], [0, 9]], [[0, 0], [9, 0]], [[0, 0]] * 16, [[0, 0]] * 17,
           ["pos"], ["pos", "pos"], ["pos"] * 40, ["seeker"], ["seeker"] * 80, [f"k{i}" for i in range(80)], ["a b"], [None], [True], {}, {"x": 1},
           list(range(1, 17)), list(range(1, 18)), "objects", "packed", "density", "events"]

    def __init__(self, seed, ops):
        self.random = random.Random(seed)
        self.ops = {row["op"]: row for row in ops}
        self.members = sorted({field["name"] for row in ops for field in row["fields"]})

    def maybe(self, chance):
        return self.random.random() < chance

    def number(self, low, high, is_integer):
        edges = [low, high, low - 1, high + 1, low + 1, 0, 1, (low + high) / 2, low * 1.0000001, high * 1.0000001]
        value = self.random.choice(edges) if self.maybe(0.3) else self.random.uniform(max(low, -1000), min(high, 1000))
        return int(value) if is_integer and self.maybe(0.9) else value

    # --- from the schema

    def like(self, schema, name):
        """A value as the schema describes it, most of the time."""
        pick = self.random.choice
        if name in self.NAMES and schema.get("type") != "array" and self.maybe(0.7):
            return pick(self.NAMES[name])
        if "enum" in schema or "const" in schema:
            return pick(schema.get("enum", [schema.get("const")]))
        for key in ("anyOf", "allOf"):
            if key in schema:
                return self.like(pick(schema[key][:1] if key == "allOf" else schema[key]), name)
        kind = schema.get("type")
        if isinstance(kind, list):  # a number or a column, or a column
            kind = pick(kind[:1] * 3 + kind)
            if kind == "string":
                return self.packed(schema["packed"])
        if kind == "boolean":
            return self.maybe(0.7)
        if kind == "object":  # a member of a batch
            return {part: self.like(how, part) for part, how in schema.get("properties", {}).items() if part in schema.get("required", ()) or self.maybe(0.3)}
        if kind in ("integer", "number"):
            return self.number(schema.get("minimum", -1e5), schema.get("maximum", 1e5), kind == "integer")
        if kind == "array":
            least, most = schema.get("minItems", 0), min(schema.get("maxItems", 4), 18)
            count = pick([least, most, self.random.randint(least, most), most + 1] if self.maybe(0.4) else [self.random.randint(least, most)])
            parts = schema.get("prefixItems") or [schema["items"]]
            return [self.like(parts[min(i, len(parts) - 1)], name) for i in range(count)]
        most = schema.get("maxLength", 40)
        letters = self.random.choice(["abcXYZ09_-", "abcdef.,: ", "é𝄞a", "x"])
        return "".join(pick(letters) for _ in range(pick([0, 1, 5, most, most + 1]) if self.maybe(0.3) else self.random.randint(1, 9)))

    def packed(self, form):
        """Base64, most of the time good."""
        letter, is_integer = ("I", True) if form["type"] == "uint32" else ("f", False)
        odd = [0] if is_integer else [math.nan, math.inf, -math.inf, -0.0, 1e-45, 3e38]
        numbers = [self.random.choice(odd) if self.maybe(0.05) else self.number(form["minimum"], form["maximum"], is_integer)
                   for _ in range(self.random.randint(0, 4))]
        numbers = [min(max(int(n), 0), 2**32 - 1) if is_integer else n for n in numbers]
        text = base64.b64encode(struct.pack(f"<{len(numbers)}{letter}", *numbers)).decode()
        return text if self.maybe(0.9) else self.random.choice([text[:-1], text + "=", text.replace("A", "*"), "AAAA", "AACAPx=="])

    def even(self, request, schema):
        """Columns of one length: without this hardly any request had them."""
        rows = self.random.randint(0, 4)
        for name, part in schema["properties"].items():
            if name in request and "packed" in part and (name == "agents" or self.maybe(0.95)):
                items = [self.number(part["items"]["minimum"], part["items"]["maximum"], name == "agents") for _ in range(rows)]
                items = [max(1, int(n)) % 9 + 1 for n in items] if name == "agents" and self.maybe(0.9) else items
                as_text = self.maybe(0.5) and all(name != "agents" or (n == int(n) and 0 <= n < 2**32) for n in items)
                letter = "I" if name == "agents" else "f"
                request[name] = base64.b64encode(struct.pack(f"<{rows}{letter}", *(int(n) if name == "agents" else n for n in items))).decode() \
                    if as_text else items
        return request

    def from_schema(self, op):
        schema = inlined(DEFS[f"client_{op}"])
        fields = {name: part for name, part in schema["properties"].items() if name not in ("op", "id")}
        chosen = {name for name in fields if name in schema["required"] or self.maybe(0.4)}
        request = {"op": op, **{name: self.like(fields[name], name) for name in fields if name in chosen}}
        return self.even(request, schema) if "agents" in request and self.maybe(0.8) else request

    # --- from help

    def helped(self, row):
        pick, kind = self.random.choice, row["type"]
        if "choices" in row:
            return [pick(row["choices"]) for _ in range(self.random.randint(0, 3))] if kind == "array of names" else pick(row["choices"])
        if row["name"] in self.NAMES and kind in ("name", "text") and self.maybe(0.8):
            return pick(self.NAMES[row["name"]])
        shapes = {"[x, y]": 2, "[x, y, radius]": 3, "[x, y, width, height]": 4}
        if kind in shapes:
            low, high = row.get("min", 1), row.get("max", 2000)
            return [int(self.number(low, high, True)) for _ in range(shapes[kind])]
        if kind == "array of points":
            return [[self.random.randint(0, 99), self.random.randint(0, 99)] for _ in range(self.random.randint(2, 5))]
        if kind == "array of integers":
            return [self.random.randint(0, 20) for _ in range(pick([0, 1, 3, *([row["most"], row["most"] + 1] if row["most"] < 4000 else [])]))]
        if kind == "array of names":
            return pick([["seeker"], [], ["seeker", "seeker"], ["none"]])
        if kind == "bool":
            return self.maybe(0.7)
        if kind in ("number", "integer"):
            return self.number(row.get("min", -1e5), row.get("max", 1e5), kind == "integer")
        return pick(["a", "den", "x" * 31, "x" * 32, "a b"])

    def from_help(self, op):
        rows = [row for row in self.ops[op]["fields"] if row["required"] or self.maybe(0.4)]
        return {"op": op, **{row["name"]: self.helped(row) for row in rows}}

    # --- by changing one

    def changed(self, request):
        pick = self.random.choice
        for _ in range(self.random.randint(1, 2)):
            names = [name for name in request if name != "op"]
            what = self.random.randrange(5)
            if what == 0 and names:
                del request[pick(names)]
            elif what == 1 and names:
                request[pick(names)] = pick(self.ODD)
            elif what == 2:
                request[pick(self.members)] = pick(self.ODD)
            elif what == 3 and names:
                name = pick(names)
                request[name[:1] + name[2:] + "q"] = request.pop(name)
            elif what == 4 and self.maybe(0.1):
                request["op"] = pick(["fly", "", None, 7, ["ping"], "PING", "ping ", "stop"])
        return request

    def tamed(self, request):
        """Bounds the work to the time of a test; refused requests may be of any size."""
        op, count = request.get("op"), request.get("count")
        most = {"step": 5, "spawn": 20}.get(op) if isinstance(op, str) else None
        if most and isinstance(count, (int, float)) and most < count <= 100000:
            request["count"] = most
        at = request.get("at")
        if isinstance(at, (int, float)) and not isinstance(at, bool) and 0 <= at <= 2**53 - 1 and at == int(at):
            request["at"] = 0  # which is now, or late: no answer is waited for
        if op == "step" and "until" in request:
            request.setdefault("count", 5)  # a condition may never hold
        return request

    def make(self):
        op = self.random.choice([op for op in OPS if op != "bye"])
        request = self.from_schema(op) if self.maybe(0.5) else self.from_help(op)
        if self.maybe(0.5):
            request = self.changed(request)
        return self.tamed(request)

    def id_for(self, number):
        """A unique id for each line, and sometimes an invalid one (then an error names the line)."""
        if self.maybe(0.95):
            return number
        return self.random.choice([f"n{number}", f"{number}" + "𝄞" * (64 - len(str(number))), 2**53 - 1 - number, float(number), -number - 1,
                                   number + 0.5, 2**53 + number, None, True, [number], {}, "x" * 65 + str(number)])


class Agreement(Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()  # of the recordings
        cls.addClassCleanup(folder.cleanup)
        cls.server = Server("--paused", "--rate", "0", "--log", "error", "--recordings", folder.name, "seek")
        with cls.server.connect() as client:
            cls.help = client.request("help")["ops"]

    @classmethod
    def tearDownClass(cls):
        with cls.server:
            pass

    def check_line(self, message):
        wrong = complaint("server", message)
        self.assertIsNone(wrong, f"{wrong}\n{json.dumps(message)[:600]}")

    def answers(self, client, requests):
        """The answer to each request. Line numbers continue from the earlier lines of the connection."""
        first = self.lines + 1
        self.lines += len(requests)
        by_id = {json.dumps(request["id"]): i for i, request in enumerate(requests)}
        found = {}
        client.send_raw("".join(json.dumps(request) + "\n" for request in requests))
        while len(found) < len(requests):
            message = client.receive()
            self.check_line(message)
            if message["op"] == "error":
                found[message["line"] - first] = message
            elif message["op"] == "reply":
                said = message["id"]
                found[by_id.get(json.dumps(said), by_id.get(json.dumps(float(said)) if isinstance(said, int) else "", -1))] = message
        self.assertEqual(sorted(found), list(range(len(requests))))
        return [found[i] for i in range(len(requests))]

    def unknown_of(self, request):
        fields = {field["name"] for row in self.help if row["op"] == request["op"] for field in row["fields"]}
        at = {"at"} if any(row["op"] == request["op"] and row.get("at") for row in self.help) else set()
        return [name for name in request if name not in fields | at | {"op", "id"}]

    def compare(self, request, answer):
        refused = complaint("client", request)
        where = f"{json.dumps(request)[:500]}\n{json.dumps(answer)[:500]}\nschema: {refused}"
        self.assertEqual(refused is not None, is_about_form(request, answer), where)
        if request.get("op") in OPS and not (answer["op"] == "error" and answer.get("field") == "id"):
            self.assertEqual(answer.get("unknown", []), self.unknown_of(request), where)
        return refused is None

    def test_random_requests(self):
        maker = Maker(SEED, self.help)
        allowed = refused = number = 0
        while number < COUNT:
            self.lines = 0
            with self.server.connect() as client:
                for _ in range(5):  # batches per connection
                    requests = []
                    for _ in range(BATCH):
                        number += 1
                        request = maker.make()
                        request.pop("id", None)
                        requests.append({**request, "id": maker.id_for(number)})
                        if request.get("op") == "seat":  # what its holder changes would wait for a go
                            number += 1
                            requests.append({"op": "leave", "id": number})
                    for request, answer in zip(requests, self.answers(client, requests)):
                        with self.subTest(seed=SEED, number=request["id"]):
                            if self.compare(request, answer):
                                allowed += 1
                            else:
                                refused += 1
                self.tidy(client)
        print(f"{number} requests, seed {SEED}: {allowed} allowed, {refused} refused by both", file=sys.stderr)
        self.assertGreater(min(allowed, refused), number // 4, "too few of one sort to find anything")

    def tidy(self, client):
        """Restores the start, so that the world does not grow."""
        for request in ({"op": "pause"}, {"op": "load", "scenario": "seek"}):
            self.lines += 1
            client.request(**request, id="tidy " + request["op"])

    def test_both_say_the_same_of_every_form(self):
        """Obvious attempts: each request about which schema and server once disagreed, and variants of it."""
        forms = [
            ("set_region", {}), ("set_region", {"clear": False}), ("set_region", {"clear": True, "region": [0, 0, 9, 9]}),
            ("set_region", {"clear": False, "region": [0, 0, 9, 9]}), ("set_target", {"agent": 1}), ("set_target", {"name": "mouse"}),
            ("set_target", {"name": "mouse", "x": 1, "y": 1, "follow": "mouse"}), ("set_target", {"name": "mouse", "follow": "mouse"}),
            ("set_target", {"agent": 1, "x": 1, "y": 1, "follow": "mouse"}), ("set_target", {"agent": 1, "x": 1, "y": 1, "clear": False}),
            ("set_target", {"agent": 1, "clear": False}), ("set_target", {"name": "mouse", "x": 1, "y": 1, "clear": True}),
            ("drive", {"agent": 1, "vx": 1, "vy": 1}), ("drive", {"agent": 1, "vx": 1}), ("drive", {"agent": 1, "vx": [1], "vy": [1]}),
            ("drive", {"agents": [1], "vx": 1, "vy": 1}), ("drive", {"agents": [1, 2], "vx": [1], "vy": [1]}), ("drive", {"agents": [], "vx": [], "vy": []}),
            ("drive", {"kind": "seeker", "vx": 1, "vy": [1]}), ("drive", {"kind": "seeker", "vx": [1], "vy": [1, 2]}), ("drive", {"vx": 1, "vy": 1}),
            ("drive", {"kind": "seeker", "vx": [1], "vy": "AACAPw=="}), ("drive", {"kind": "seeker", "vx": 1, "vy": 1, "first": 0}),
            ("drive", {"kind": "seeker", "agent": 1, "vx": 1, "vy": 1}), ("drive", {"agent": 1, "vx": 1e9, "vy": 1.0000001e9}),
            ("drive", {"agent": 1, "vx": 1, "vy": 1, "first": 0}), ("drive", {"kind": "seeker", "vx": [1], "vy": [1], "first": -1}),
            ("subscribe", {"fields": []}), ("subscribe", {"kinds": []}), ("subscribe", {"grid": [2, 2]}), ("subscribe", {"cell": 5}),
            ("subscribe", {"layout": "packed", "grid": [2, 2]}), ("subscribe", {"layout": "events", "cell": 5}),
            ("subscribe", {"layout": "events", "region": [0, 0, 9, 9]}), ("subscribe", {"layout": "density", "fields": ["pos"]}),
            ("subscribe", {"layout": "density", "grid": [1024, 16]}), ("subscribe", {"layout": "density", "grid": [1024, 17]}),
            ("subscribe", {"layout": "density", "grid": [2, 2], "cell": 4}), ("subscribe", {"fields": ["pos"] * 40}),
            ("subscribe", {"kinds": ["seeker"] * 100}), ("hello", {"name": "é" * 16}), ("hello", {"name": "é" * 15}), ("hello", {"name": "a\n"}),
            ("hello", {"token": "é" * 65}), ("help", {"about": "stop"}), ("help", {"about": "step"}), ("add_target", {"name": "cursor-1", "x": 1, "y": 1}),
            ("spawn", {"kind": "seeker\n"}), ("spawn", {"kind": "seeker", "count": 1.0}), ("set_param", {"kind": "seeker", "param": "é" * 32, "value": 1}),
            ("set_target", {"agents": [1], "x": [1], "y": [1]}), ("set_target", {"agents": [], "x": [], "y": ""}),
            ("set_target", {"agents": [1], "x": 1, "y": 1}), ("set_target", {"agent": 1, "x": [1], "y": [1]}),
            ("set_target", {"agents": [1], "x": [1, 2], "y": [1]}), ("set_target", {"agents": [1], "x": [1], "y": [1], "clear": True}),
            ("set_target", {"agents": [1], "x": [1], "y": [1], "follow": "mouse"}), ("set_target", {"agents": [1], "clear": True}),
            ("set_target", {"agents": "AQAAAA==", "x": "AACAPw==", "y": [1]}), ("set_target", {"agents": "AAAAAA==", "x": "AACAPw==", "y": [1]}),
            ("set_target", {"agents": [1], "x": "AADAfw==", "y": [1]}), ("set_target", {"agents": [1], "x": "AACAPx==", "y": [1]}),
            ("set_target", {"agents": [1, 1], "x": [1, 2], "y": [1, 1e6 + 1]}), ("mouse", {"x": [1], "y": [1]}),
            ("get", {}), ("get", {"layout": "density"}), ("get", {"agents": [1, 9]}), ("get", {"agents": 1}), ("get", {"fields": []}),
            ("get", {"fields": ["pos", "force"], "region": [0, 0, 9, 9]}), ("get", {"region": [0, 0]}), ("get", {"agents": "AAAAAA=="}),
            ("step", {"return": "packed", "fields": ["pos"]}), ("step", {"return": "density"}), ("step", {"fields": ["pos"]}),
            ("step", {"until": {}}), ("step", {"until": {"reached": False}}), ("step", {"until": {"reached": True}, "count": 2}),
            ("step", {"until": {"caught": 0}}), ("step", {"until": {"caught": 1, "tick": 4}}), ("step", {"until": {"never": 1}}),
            ("step", {"until": {"state": {"kind": "seeker"}}}), ("step", {"until": {"state": {"kind": "seeker", "name": "seek", "count": 0}}}),
            ("step", {"until": {"state": {"kind": "seeker", "name": "seek", "more": 1}}}), ("step", {"until": []}), ("step", {"count": 0}),
            ("step", {"until": {"state": {"kind": "seeker", "name": "seek"}}}), ("step", {"until": {"tick": 2**53}}),
            ("place", {"agent": 1}), ("place", {"agent": 1, "x": 1}), ("place", {"agent": 1, "vx": 1}), ("place", {"agent": 1, "heading": 400}),
            ("place", {"agent": 1, "stamina": -1}), ("place", {"agents": [1], "heading": [9], "stamina": [3]}), ("place", {"agents": [1]}),
            ("place", {"agent": 1, "agents": [1], "heading": [1]}), ("place", {"agent": 1, "heading": [1]}), ("place", {"heading": 1}),
            ("remove", {"agents": []}), ("inspect", {"agents": []}), ("ping", {"t0": -1e308}), ("ping", {"id": ""}),
        ]
        self.lines = 0
        verdicts = set()
        with self.server.connect() as client:
            requests = [{"id": f"form {i}", "op": op, **fields} for i, (op, fields) in enumerate(forms)]
            for request, answer in zip(requests, self.answers(client, requests)):
                with self.subTest(request=request):
                    verdicts.add(self.compare(request, answer))
            self.tidy(client)
        self.assertEqual(verdicts, {True, False})

    def test_both_say_the_same_of_names(self):
        """Each in a session of its own: a second hello is always refused."""
        verdicts = set()
        for name in ("", " ", " a ", "Ann", "\u202eevil", "\u200b", "\u00a0", "\u3000", "\u2003\u2003", "\u0085", "\u1680", "\ufeffa", "\u2060", "\u061c",
                     "\u180e", "\u00ad", "\u2800", "\u3164 a", "a\u034f", "\ufe0f", "\u2764\ufe0f", "\ufff0", "\U0001d173", "\U0001bca0", "é" * 15, "é" * 16, "\ufffb", "\U000e0041", "a\n", "\u007f", "𝄞" * 7, "𝄞" * 8):
            with self.subTest(name=ascii(name)), self.server.connect() as client:
                request = {"op": "hello", "id": 1, "name": name}
                verdicts.add(self.compare(request, client.request(**request)))
        self.assertEqual(verdicts, {True, False})

    def test_the_enums_of_the_schema_are_those_of_help(self):
        self.assertLessEqual({row["role"] for row in self.help}, set(DEFS["role"]["enum"]))
        choices = {field["name"]: field["choices"] for row in self.help if row["op"] == "subscribe" for field in row["fields"] if "choices" in field}
        self.assertEqual(choices["layout"], DEFS["layout"]["enum"])
        self.assertEqual(choices["fields"], DEFS["field"]["enum"])

    def test_every_op_has_its_parts_of_the_schema(self):
        """The request itself, its line in from_client, and the reply."""
        listed = [part["if"]["properties"]["op"]["const"] for part in DEFS["from_client"]["allOf"]]
        self.assertEqual(sorted(listed), sorted(OPS))
        for op in OPS:
            self.assertIsNotNone(branch("client", op, None), op)
            self.assertIsNotNone(branch("server", "reply", op), op)

    def test_help_has_what_the_schema_has(self):
        """Each op, each field, required or not, with the same bounds and the same choices; neither more nor fewer."""
        self.assertEqual([row["op"] for row in self.help], OPS)
        for row in self.help:
            schema = inlined(DEFS[f"client_{row['op']}"])
            fields = {field["name"]: field for field in row["fields"]}
            self.assertEqual(set(fields), set(schema["properties"]) - {"op", "id", "at"}, row["op"])
            self.assertEqual(row.get("at", False), "at" in schema["properties"], row["op"])
            self.assertEqual({name for name, field in fields.items() if field["required"]}, set(schema["required"]) - {"op"}, row["op"])
            for name, field in fields.items():
                part = schema["properties"][name]
                part = (part.get("prefixItems") or [part])[0] if field["type"] == "[x, y]" else part
                where = (row["op"], name, field, part)
                if "min" in field:
                    self.assertEqual((field["min"], field["max"]), (part["minimum"], part["maximum"]), where)
                if "most" in field:
                    self.assertEqual(field["most"], part["maxItems"], where)
                if "choices" in field:
                    self.assertEqual(field["choices"], part.get("items", part)["enum"], where)

    def test_the_comparison_finds_differences(self):
        ping = {"op": "ping", "id": 1}
        for request, answer in [(ping, {"op": "error", "code": "bad_param", "message": "x"}),
                                ({**ping, "t0": "now"}, {"op": "reply", "to": "ping", "id": 1}), ({**ping, "tO": 1}, {"op": "reply", "to": "ping"}),
                                (ping, {"op": "reply", "to": "ping", "unknown": ["t0"]})]:
            with self.assertRaises(AssertionError):
                self.compare(request, answer)
        self.assertTrue(self.compare(ping, {"op": "reply"}))


if __name__ == "__main__":
    if "--count" in sys.argv:
        COUNT = int(sys.argv.pop(sys.argv.index("--count") + 1))
        sys.argv.remove("--count")
    unittest.main()
