"""The transcripts of protocol 1 as first published (`protocol_1/`), run as a client that was written from them.

A file is `NUMBER_SECTION.SCENARIO.txt`: `> TEXT` is sent, `< JSON` must come next. Such a client ignores members, list rows and lines that it
does not know, and reads `message` and `help` as texts for people: these may change; everything else must be as it was then. Files are added when
the page gets new examples worth a promise; none is edited or removed. An exception is listed in protocol.md, Changes, and in EXCEPTIONS with its reason.
"""

import pathlib
import re
import unittest

from drover_client import Case, Server, parse_strict

FOLDER = pathlib.Path(__file__).parent / "protocol_1"
FILES = sorted(FOLDER.glob("*.txt"))
VOLATILE = {"server", "session", "clock", "message", "help"}
KNOWN_EVENTS = {"paused", "resumed", "spawned", "removed", "param", "target", "target_added", "target_removed", "obstacle_added",
                "obstacle_moved", "obstacle_removed", "reached", "caught", "lag"}
KNOWN_OPS = {"hello", "scenario", "snapshot", "key", "delta", "density", "event", "cursors", "reply", "error", "bye"}
# (file stem, row number): the row that stands in its place, since protocol.md, Changes, has the exception
EXCEPTIONS = {
    # step takes a count below 0, which was refused
    ("19_help.seek", 2): '< {"op":"reply","to":"help","id":1,"ops":[{"op":"step","role":"admin","always_answers":true,"fields":[{"name":"count","type":"integer","required":false,"min":-100000,"max":100000,"default":1}]}]}',
    # a polygon need not be convex any more, but its sides must not cross
    ("09_add_obstacle_move_obstacle_remove_obstacle.seek", 14): '> {"op":"add_obstacle","id":6,"polygon":[[0,0],[9,0],[0,9],[9,9]]}',
    ("09_add_obstacle_move_obstacle_remove_obstacle.seek", 15): '< {"op":"error","id":6,"line":6,"code":"bad_param","field":"polygon"}',
}


def is_known(message):
    return message["op"] in KNOWN_OPS and (message["op"] != "event" or message["event"] in KNOWN_EVENTS)


def missing(expected, found, path="$"):
    """What a client that knows `expected` would miss in `found`, or None."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            if key not in found:
                return f"{path}: no member {key}"
            wrong = None if key in VOLATILE else missing(value, found[key], f"{path}.{key}")
            if wrong:
                return wrong
        return None
    if isinstance(expected, list) and isinstance(found, list):
        if expected and all(isinstance(row, dict) for row in expected):
            rest = iter(found)
            lost = next((i for i, row in enumerate(expected) if all(missing(row, other) for other in rest)), None)
            return None if lost is None else f"{path}[{lost}]: {expected[lost]} is not there (or out of order)"
        return None if expected == found else f"{path}: {found} instead of {expected}"
    if expected == "HASH":
        return None if isinstance(found, str) and re.fullmatch("[0-9a-f]{16}", found) else f"{path}: {found!r} is no hash"
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (expected, found))
    same = expected == found and (numbers or type(expected) is type(found))
    return None if same else f"{path}: {found!r} instead of {expected!r}"


class Protocol1(Case):
    serve = Server  # see test_protocol_doc.py

    def run_file(self, path):
        scenario = path.name.split(".")[1]
        with self.serve("--paused", scenario) as server, server.connect(hello=False) as client:
            rows = path.read_text(encoding="utf-8").splitlines()
            if not rows[0].startswith('< {"op":"hello"'):
                client.receive()
            for number, row in enumerate(rows, 1):
                row = EXCEPTIONS.get((path.stem, number), row)
                if row.startswith("> "):
                    client.send_raw(row[2:] + "\n")
                    continue
                found = client.receive()
                while not is_known(found):
                    found = client.receive()
                wrong = missing(parse_strict(row[2:].encode()), found)
                self.assertIsNone(wrong, f"{path.name}:{number}: {wrong}\ncame: {client.last_line.decode()}")
            self.assertEqual([line for line in client.flush() if is_known(line)], [], f"{path.name}: more came than then")

    def test_all_transcripts_are_here(self):
        self.assertGreaterEqual(len(FILES), 19)
        self.assertTrue(all((stem in {path.stem for path in FILES}) for stem, _ in EXCEPTIONS))

    def test_missing_finds_what_is_missing(self):
        for a, b in [({"a": 1}, {"a": 2}), ({"a": 1}, {"b": 1}), ([1], [1, 2]), (1, True), ("HASH", "xyz"), ([{"a": 1}], []),
                     ([{"a": 1}, {"a": 2}], [{"a": 2}, {"a": 1}]), ({"a": [{"b": 1}]}, {"a": [{"c": 1}]}), (None, False)]:
            self.assertIsNotNone(missing(a, b), (a, b))
        for a, b in [({"a": 1.0}, {"a": 1, "b": 2}), ([{"a": 1}], [{"z": 0}, {"a": 1, "b": 2}]), ({"message": "x"}, {"message": "y"})]:
            self.assertIsNone(missing(a, b), (a, b))


for _path in FILES:
    def _test(self, path=_path):
        self.run_file(path)

    setattr(Protocol1, f"test_{_path.stem.split('.')[0]}", _test)


if __name__ == "__main__":
    unittest.main()
