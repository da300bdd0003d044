"""The JSON Schema of scenario files: docs has the one that the server prints, and the loader agrees with it about random documents,
but for what only a whole world can say. `--write` brings docs up to date."""

import copy
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "docs" / "scenario.schema.json"
DOCUMENTS = 6_000 if os.environ.get("DROVER_SLOW") else 1_000
# What the loader refuses and a schema cannot say: names that are not there, places in the world, sums, texts by their bytes and characters.
ELSEWHERE = re.compile(r": (" + "|".join((
    r"no (target|kind|state|signal|area|path|flow field|formation|area or target|agent) \S", r"(second_)?target, (second_)?kind and (second_)?agent are mutually exclusive",
    r"missing; one of (second_)?target,", r"an obstacle follows a path \(move\) or is a door", r"an area (must lie|needs a|is called|and)",
    r"a gate needs a length", r"in a wrapping world ", r"it goes with the locomotion", r'"(at|behaviors|rect)" (is|and) ', r"invalid range \[",
    r"expected (two whole numbers whose|an array of \d+ vectors)", r"sides? \d+ (and \d+ )?of the polygon", r"the last state has a condition",
    r"\d+ x \d+ cells are too many", r"the condition has too many parts", r'"\w+" is in the state already', r"it ends before it begins",
    r"a kind keeps the places of one formation", r"too much: at most \d+ entries", r"it makes \d+ points", r"names that begin with cursor-", r"a text of \d+ bytes is too long",
    r"U\+[0-9A-F]{4} at byte", r"a (wall|path|circle|box|polygon|corner|point)s? ", r"\d+ (obstacles|conditions) ", r"the obstacles are cut")) + ")")


def printed():
    return subprocess.run([os.environ["DROVER_SERVER"], "--schema"], capture_output=True, text=True, check=True, timeout=60).stdout


class Maker:
    """Documents that the schema allows, mostly, and scenarios with a mistake."""

    def __init__(self, schema, seed):
        self.schema, self.random = schema, random.Random(seed)
        self.files = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "scenarios").glob("*.json"))
                      if path.stat().st_size < 20_000]
        self.kinds = [f["kinds"] for f in self.files if "kinds" in f]

    def number(self, form):
        low, high = form.get("minimum", -1000), form.get("maximum", 1000)
        value = self.random.choice([low, high, self.random.uniform(max(low, -50), min(high, 50)), (low + high) / 2])
        value = int(value) if form["type"] == "integer" else value
        return min(max(value, low), high)

    def value(self, form, depth=0):
        pick = self.random.choice
        if "$ref" in form:
            return self.value(self.schema["definitions"][form["$ref"].rsplit("/", 1)[1]], depth)
        if "enum" in form:
            return pick(form["enum"])
        if "anyOf" in form:
            return self.value(pick(form["anyOf"]), depth)
        if form["type"] == "object":
            return self.members(form, depth + 1)
        if form["type"] == "array":
            items = form["items"]
            if isinstance(items, list):
                return [self.value(item, depth) for item in items[:self.random.randint(form["minItems"], form["maxItems"])]]
            least = form.get("minItems", 0)
            most = min(form.get("maxItems", 3), max(least, 0 if depth > 9 else 3))
            return [self.value(items, depth + 1) for _ in range(self.random.randint(least, most))]
        if form["type"] == "string":
            return pick(["bird", "mouse", "a", "x-1"])
        return pick([True, False]) if form["type"] == "boolean" else self.number(form)

    def members(self, form, depth):
        if "properties" not in form:
            return {pick: self.value(form["additionalProperties"], depth) for pick in self.random.sample(["bird", "mouse", "a", "x-1"], self.random.randint(0, 2))}
        names = [name for name in form["properties"] if self.random.random() < 2.5 / len(form["properties"])]
        ones = [one["required"][0] for one in form.get("oneOf", [])]
        names = [name for name in names if name not in ones] + ([self.random.choice(ones)] if ones else [])
        least = form.get("minProperties", 0)
        names = self.random.sample(sorted(form["properties"]), least) if len(names) < least or form.get("maxProperties") else names
        names += [name for name in form.get("required", []) if name not in names]
        return {name: self.value(form["properties"][name], depth) for name in names}

    def places(self, value, path=()):
        yield path
        rows = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, item in rows:
            yield from self.places(item, (*path, key))

    def document(self):
        if self.random.random() < 0.3:
            return self.value(self.schema)
        document = copy.deepcopy(self.random.choice(self.files))
        path = self.random.choice(list(self.places(document))[1:])
        parent = document
        for key in path[:-1]:
            parent = parent[key]
        what = self.random.randrange(5)
        if what == 0:
            del parent[path[-1]]
        elif what == 1 and isinstance(parent, dict):
            parent[path[-1] + "_"] = parent.pop(path[-1])
        elif what == 2 and isinstance(parent, dict):
            parent[self.random.choice(["zzz", "in", "at", "$schema", "radius", "weight"])] = self.random.choice([1, "a", [1, 2], {}])
        else:
            parent[path[-1]] = self.random.choice([None, True, 0, 1, -1, 0.5, 1e9, -1e9, "", "a", "a b", [], [1, 2], [2, 1, 3], {}, {"seek": {}}])
        return document


class Schema(unittest.TestCase):
    def test_docs_have_what_the_server_prints(self):
        self.assertEqual(PUBLISHED.read_text(encoding="utf-8"), printed(), "test_scenario_schema.py --write")

    def test_it_agrees_with_the_loader(self):
        schema = json.loads(printed())
        jsonschema.Draft7Validator.check_schema(schema)
        validator, maker = jsonschema.Draft7Validator(schema), Maker(schema, 7)
        documents = [*maker.files, *(maker.document() for _ in range(DOCUMENTS))]
        with tempfile.TemporaryDirectory(prefix="drover-schema-") as folder:
            for index, document in enumerate(documents):
                pathlib.Path(folder, f"{index}.json").write_text(json.dumps(document), encoding="utf-8")
            names = [f"{index}.json" for index in range(len(documents))]
            done = subprocess.run([os.environ["DROVER_SERVER"], "--check", *names], cwd=folder, capture_output=True, text=True, timeout=600, check=False)
        self.assertIn(done.returncode, (0, 2), done.stderr)
        mistakes = {}
        for line in done.stdout.splitlines():
            mistakes.setdefault(int(line.split(".", 1)[0]), []).append(line)
        good, counts = len(maker.files), [0, 0, 0]
        for index, document in enumerate(documents):
            is_valid, said = validator.is_valid(document), mistakes.get(index, [])
            if not is_valid:
                self.assertTrue(said, f"the loader takes it, the schema does not: {next(validator.iter_errors(document)).message[:300]}: {json.dumps(document)[:600]}")
            elif index < good:
                self.assertFalse(said, said)
            else:
                for line in said:
                    self.assertTrue(ELSEWHERE.search(line), f"a schema could say it: {line}: {json.dumps(document)[:600]}")
            counts[0 if not is_valid else 1 if said else 2] += 1
        self.assertGreater(min(counts), DOCUMENTS // 50, f"refused by both, by the loader alone, taken by both: {counts}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PUBLISHED.write_text(printed(), encoding="utf-8")
    else:
        unittest.main()
