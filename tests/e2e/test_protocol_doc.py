"""protocol.md, executed: its transcripts against a real server, its JSON parsed, its lists compared.

In a block ```transcript SCENARIO a line `> TEXT` is sent and `< JSON` must come next, value for value. Only what differs
from run to run may differ: server, session, clock, waited_ms and bytes anywhere, and the hash that the page calls HASH. A `message` that ends
in " ..." on the page stands for every message that begins so: a list of ops or names may grow without a change of the page.
"""

import json
import re
import unittest

from drover_client import ROOT, Case, Server, parse_strict

PAGE = (ROOT / "protocol.md").read_text(encoding="utf-8")
BLOCKS = [(m[1], m[2].split(), m[3], PAGE.count("\n", 0, m.start()) + 1)
          for m in re.finditer(r"^```(\w*)([^\n]*)\n(.*?)^```$", PAGE, re.M | re.S)]
TRANSCRIPTS = [(arguments[0], text, line) for tag, arguments, text, line in BLOCKS if tag == "transcript"]
REQUESTS = PAGE[PAGE.index("\n## Requests\n"):PAGE.index("\n## Changes\n")]
HEADINGS = {section.split("\n", 1)[0]: section for section in re.split(r"^### ", REQUESTS, flags=re.M)[1:]}
SECTIONS = {op: section for heading, section in HEADINGS.items() for op in heading.split(", ")}
VOLATILE = {"server", "session", "clock", "bytes", "waited_ms"}


def difference(expected, found, path="$"):
    """Where two JSON values differ, or None. 1 and 1.00 are the same number; true is no number."""
    if isinstance(expected, dict) and isinstance(found, dict):
        if expected.keys() != found.keys():
            return f"{path}: members {sorted(found)} instead of {sorted(expected)}"
        pairs = [(f"{path}.{key}", expected[key], found[key]) for key in expected if key not in VOLATILE]
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            return f"{path}: {len(found)} elements instead of {len(expected)}"
        pairs = [(f"{path}[{i}]", a, b) for i, (a, b) in enumerate(zip(expected, found))]
    else:
        if expected == "HASH":
            return None if isinstance(found, str) and re.fullmatch("[0-9a-f]{16}", found) else f"{path}: {found!r} is no hash"
        numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (expected, found))
        if path.endswith(".message") and isinstance(expected, str) and isinstance(found, str) and expected.endswith(" ..."):
            begins = found.startswith(expected.removesuffix(" ..."))
            return None if begins else f"{path}: {found!r} does not begin with {expected!r}"
        same = expected == found and (numbers or type(expected) is type(found))
        return None if same else f"{path}: {found!r} instead of {expected!r}"
    return next((d for d in (difference(a, b, p) for p, a, b in pairs) if d), None)


class Transcripts(Case):
    serve = Server  # what serves them; test_web_lines.py runs them over WebSocket

    def run_block(self, scenario, text, line):
        with self.serve("--paused", scenario) as server:
            with server.connect(hello=False) as client:
                started = text.startswith('< {"op":"hello"')
                if not started:
                    client.receive()
                for number, row in enumerate(text.splitlines(), line + 1):
                    if row.startswith("> "):
                        client.send_raw(row[2:] + "\n")
                        continue
                    self.assertTrue(row.startswith("< "), f"protocol.md:{number}: neither > nor <")
                    found = client.receive()
                    wrong = difference(parse_strict(row[2:].encode()), found)
                    self.assertIsNone(wrong, f"protocol.md:{number}: {wrong}\ncame: {client.last_line.decode()}")
                self.assertEqual(client.flush(), [], f"protocol.md:{line}: more came than the transcript shows")

    def test_the_contents_are_the_headings(self):
        """In their order, each with the anchor that readers of Markdown give it: the second of a name has -1."""
        head, rest = PAGE.split("\n## ", 1)
        names = re.findall(r"^###? (.*)$", re.sub(r"^```.*?^```$", "", "## " + rest, flags=re.M | re.S), re.M)
        anchors = [re.sub(r"[^a-z0-9_ -]", "", name.lower()).replace(" ", "-") for name in names]
        anchors = [anchor + (f"-{anchors[:i].count(anchor)}" if anchor in anchors[:i] else "") for i, anchor in enumerate(anchors)]
        self.assertEqual(re.findall(r"\[([^\]]*)\]\(#([^)]*)\)", head), list(zip(names, anchors)))

    def test_there_are_transcripts(self):
        self.assertGreaterEqual(len(TRANSCRIPTS), 9)

    def test_difference_finds_differences(self):
        for a, b in [({"a": 1}, {"a": 2}), ({"a": 1}, {"a": 1, "b": 2}), ([1], [1, 2]), (1, True), (0, False), (1, "1"),
                     ("HASH", "xyz"), ({"a": [{"b": 1.0}]}, {"a": [{"b": 1.01}]}), (None, False), ([], {})]:
            self.assertIsNotNone(difference(a, b), (a, b))
        self.assertIsNotNone(difference({"message": "known: a, ..."}, {"message": "known: b, c"}))
        self.assertIsNotNone(difference({"hint": "known: a, ..."}, {"hint": "known: a, b"}))
        self.assertIsNone(difference({"message": "known: a, ..."}, {"message": "known: a, b"}))
        self.assertIsNone(difference({"a": 1.0, "session": 1, "h": "HASH"}, {"a": 1, "session": 2, "h": "0123456789abcdef"}))


for _scenario, _text, _line in TRANSCRIPTS:
    def _test(self, block=(_scenario, _text, _line)):
        self.run_block(*block)

    setattr(Transcripts, f"test_line_{_line}", _test)


class Page(Case):
    def test_every_json_block_parses(self):
        found = 0
        for tag, _, text, line in BLOCKS:
            self.assertIn(tag, ("json", "transcript", "python"), f"protocol.md:{line}: a block of another sort")
            for row in text.splitlines() if tag == "json" else []:
                json.loads(row)
                found += 1
        self.assertGreaterEqual(found, 2)

    def test_the_reader_of_packed_frames_reads_them(self):
        """The page's Python, unchanged, gives the values that a session with the layout objects gets."""
        code = next(text for tag, _, text, _ in BLOCKS if tag == "python")
        reader = {}
        exec(code, reader)  # pylint: disable=exec-used
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client, server.connect() as plain:
            client.request("subscribe", layout="packed", hz=480)
            plain.request("subscribe", hz=480)
            self.assertIsNone(reader["read"](client.receive_op("key") and client.last_line))
            client.receive_op("delta")
            plain.receive_op("snapshot")
            for count in (1, 30, 1, 90):
                client.request("step", count=count)
                columns = None
                while columns is None:
                    client.receive()
                    columns = reader["read"](client.last_line)
                agents = plain.receive_op("snapshot")["agents"]
                for name in ("x", "y", "vx", "vy", "heading"):
                    self.assertEqual(columns[name], [round(agent[name] * 100) for agent in agents])
                for name in ("kind", "state"):
                    self.assertEqual([reader["key"][name + "s"][i] for i in columns[name]], [agent[name] for agent in agents])

    def test_every_inline_message_parses(self):
        for match in re.finditer(r"`(\{\"op\"[^`]*\})`", PAGE):
            if "…" not in match[1]:
                parse_strict(match[1].encode())

    def test_the_ops_of_the_page_are_the_ops_of_the_server(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            rows = {row["op"]: row for row in client.request("help")["ops"]}
            self.assertEqual(sorted(SECTIONS), sorted(rows))
            for op in rows:
                self.assertNotEqual(client.request(op, id=op).get("code"), "unknown_op", op) if op != "bye" else None
            answered = re.search(r"that asks for something\s*\(([^)]*)\)", PAGE)[1]
            self.assertEqual(set(re.findall(r"`(\w+)`", answered)), {op for op, row in rows.items() if row["always_answers"]})

    def test_the_roles_of_the_page_are_the_roles_of_the_server(self):
        table = re.findall(r"^\| `(\w+)` \| (?:and )?([a-z_, ]+)", PAGE[PAGE.index("| role | may |"):PAGE.index("## Limits")], re.M)
        roles = {op.strip(): role for role, ops in table for op in ops.split(", ")}
        with Server("--paused", "seek") as server, server.connect() as client:
            self.assertEqual(roles, {row["op"]: row["role"] for row in client.request("help")["ops"]})

    def test_every_field_of_the_server_is_on_the_page(self):
        """In its op's section: in a table of fields, where the section has one for that op, or else in the text."""
        with Server("--paused", "seek") as server, server.connect() as client:
            for row in client.request("help")["ops"]:
                section = SECTIONS[row["op"]]
                for field in row["fields"]:
                    self.assertRegex(section, rf"`{field['name']}`|\"{field['name']}\"", row["op"])

    def test_every_field_of_a_table_is_one_of_the_server(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            fields = {row["op"]: {field["name"] for field in row["fields"]} for row in client.request("help")["ops"]}
        for heading, section in HEADINGS.items():
            known = set().union(*(fields[op] for op in heading.split(", ")))
            for names in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", section, re.M) if "| field | type |" in section else []:
                self.assertLessEqual(set(re.findall(r"`(\w+)`", names)), known, heading)

    def test_every_code_the_tests_provoke_is_on_the_page(self):
        codes = re.findall(r"^\| `(\w+)` \|", PAGE[PAGE.index("| code | when |"):PAGE.index("## Units")], re.M)
        self.assertEqual(len(codes), len(set(codes)))
        used = set()
        for path in (ROOT / "tests/e2e").glob("test_*.py"):
            used |= set(re.findall(r'"(parse|invalid|too_long|unknown_op|bad_param|out_of_range|no_\w+|bad_scenario|not_paused|not_subscribed|full|busy|denied|rate|version|internal)"', path.read_text()))
        self.assertEqual(used - set(codes) - {"no_tick"}, set())

    def test_the_fields_of_the_tables_are_read(self):
        """Each row | `name` | of a request's table: the wrong type is refused and names the field."""
        sections = re.split(r"^### ", PAGE, flags=re.M)
        with Server("--paused", "seek") as server, server.connect() as client:
            tried = 0
            for section in sections:
                op = section.split("\n", 1)[0].split(", ")[0]
                for row in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", section, re.M) if "| field | type |" in section else []:
                    for field in re.findall(r"`(\w+)`", row):
                        fields = {"kind": "seeker"} if op == "spawn" else {}
                        fields.update({"x": 1, "y": 1} if field in ("x", "y") else {}, **{field: [] if field in ("rays", "patch") else {}})
                        self.assert_error(client.request(op, **fields), "bad_param", field=field)
                        tried += 1
            self.assertGreaterEqual(tried, 11)


if __name__ == "__main__":
    unittest.main()
