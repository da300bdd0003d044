"""protocol.schema.json against protocol.md and against the lines of a real server.

Needs python3-jsonschema (packages.txt); everything else is the standard library. Rules that a schema cannot express are checked
here: the lengths of columns, the key of a delta, that ticks do not go back.
"""

import base64
import json
import re
import socket
import unittest

import jsonschema

from drover_client import ROOT, Case, Client, Server
from schema_check import DEFS, OPS, SCHEMA, Validator, complaint, whole

PAGE = (ROOT / "protocol.md").read_text(encoding="utf-8")
ENTRY = {"id": 4, "kind": 1, "state": 2, "x": 4, "y": 4, "vx": 4, "vy": 4, "heading": 2, "stamina": 4}


def size(text):
    return len(base64.b64decode(text, validate=True))


class Rules:
    """Rules between the lines of one connection."""

    def __init__(self):
        self.tick, self.key = 0, None

    def complaint(self, m):
        if m["op"] in ("snapshot", "key", "delta", "density"):
            if m["tick"] < self.tick and m["op"] != "key":  # a key may be older than the deltas before it
                return f"tick {m['tick']} after {self.tick}"
            self.tick = max(self.tick, m["tick"])
        if m["op"] == "scenario":
            self.tick, self.key = 0, None
        if m["op"] == "snapshot":
            ids = [agent["id"] for agent in m["agents"]]
            if ids != sorted(set(ids)):
                return "ids do not ascend"
        if m["op"] == "key":
            self.key = m
            return next((f"{c} has {size(m[c])} bytes" for c, n in ENTRY.items() if c in m and size(m[c]) != n * m["n"]), None)
        if m["op"] == "delta":
            if self.key is None or (m["key"], m["n"]) != (self.key["key"], self.key["n"]):
                return "a delta without its key"
            for column in set(m) & (set(ENTRY) | {"desired", "steering"}):
                if size(m[column]) != m["n"] * (2 if column in ENTRY else 8):
                    return f"{column} has {size(m[column])} bytes"
            return next((f"{c} is no pairs" for c in m if c.endswith("_far") and size(m[c]) % 8), None)
        if m["op"] == "density":
            cells = m["grid"][0] * m["grid"][1]
            columns = {**{c: m[c] for c in ("count", "vx", "vy", "mean_speed") if c in m}, **m.get("by_kind", {})}
            return next((f"{c} has {size(text)} bytes" for c, text in columns.items() if size(text) != 4 * cells), None)
        return None


class Schema(Case):
    def test_the_client_of_all_tests_checks_what_comes(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            with Client(listener.getsockname()[1], hello=False) as client, listener.accept()[0] as peer:
                for line, is_fine in (('{"op":"reply","to":"ping","clock":1,"tick":2}', True), ('{"op":"reply","to":"ping","tick":2}', False),
                                      ('{"op":"reply","to":"ping","clock":1,"tick":2,"more":3}', False), ('{"op":"huh"}', False)):
                    peer.sendall(line.encode() + b"\n")
                    if is_fine:
                        self.assertEqual(client.receive()["to"], "ping")
                    else:
                        self.assertRaises(AssertionError, client.receive)

    def test_it_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        for keyword in Validator.VALIDATORS.keys() - jsonschema.Draft202012Validator.VALIDATORS.keys():
            self.assertIn(keyword, SCHEMA["description"])  # it says what its own keywords mean

    def test_every_example_of_the_page(self):
        seen = {"server": set(), "client": set()}
        for tag, text in re.findall(r"^```(json|transcript)[^\n]*\n(.*?)^```$", PAGE, re.M | re.S):
            for row in text.splitlines():
                side = "client" if row.startswith("> ") else "server"
                try:
                    message = json.loads(row[2:] if tag == "transcript" else row)
                except json.JSONDecodeError:
                    self.assertEqual(side, "client", row)  # the page shows a line that is not JSON
                    continue
                if "op" not in message:
                    continue  # a part of a message
                message = json.loads(json.dumps(message).replace("HASH", "0123456789abcdef"))
                wrong = complaint(side, message)
                if side == "server":
                    self.assertIsNone(wrong, row)
                    seen[side].add(message["op"])
                elif wrong is None:
                    seen[side].add(message["op"])
        self.assertGreaterEqual(len(seen["server"]), 9)
        self.assertGreaterEqual(len(seen["client"]), 15)

    def test_it_knows_the_ops_and_the_codes(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            ops = {row["op"] for row in client.request("help")["ops"]}
        self.assertEqual(ops, set(OPS))
        codes = re.findall(r"^\| `(\w+)` \|", PAGE[PAGE.index("| code | when |"):PAGE.index("## Roles")], re.M)
        self.assertEqual(codes, DEFS["server_error"]["properties"]["code"]["enum"])

    def test_a_session(self):
        """Every line of a busy server."""
        ops, wrong = set(), []
        with Server("--paused", "hunters_and_prey") as server, server.connect(hello=False) as client:
            rules = Rules()

            def take(message):
                ops.add(message["op"] if message["op"] != "event" else "event " + message["event"])
                found = complaint("server", message) or rules.complaint(message)
                if found:
                    wrong.append((found, json.dumps(message)[:300]))

            def ask(op, **fields):
                self.assertIsNone(complaint("client", {"op": op, **fields}), (op, fields))
                take(client.request(op, **fields))
                for message in client.flush():
                    take(message)

            take(client.receive())
            ask("hello", protocol=1, name="Ann")
            for layout in ({"layout": "objects", "forces": True, "fields": ["pos", "stamina"], "cursors": True},
                           {"layout": "packed", "fields": ["pos", "vel", "heading", "state", "kind", "force", "desired", "stamina"]},
                           {"layout": "density", "grid": [5, 3], "region": [10, 10, 300, 200]},
                           {"layout": "density", "grid": [5, 3], "by_kind": True, "mean_speed": True}, {"layout": "objects", "hz": 480},
                           {"layout": "packed", "kinds": ["prey"]}):
                ask("subscribe", **layout)
                for count in (1, 30, 200):
                    ask("step", count=count)
                ask("mouse", x=5, y=6)
                ask("cursor", x=7, y=8)
                while "cursors" not in ops:
                    take(client.receive())
                ask("spawn", kind="prey", count=3, x=10, y=10)
                ask("remove", agents=[1, 2, 5000])
                ask("set_param", kind="prey", param="max_speed", value=90)
            for op, fields in (("add_target", {"name": "den", "x": 1, "y": 2}), ("remove_target", {"name": "den"}),
                               ("add_obstacle", {"circle": [100, 100, 20]}), ("move_obstacle", {"obstacle": 1, "x": 3, "y": 4}),
                               ("add_obstacle", {"polygon": [[0, 0], [20, 0], [0, 20]]}), ("remove_obstacle", {"obstacle": 1}),
                               ("set_target", {"kind": "prey", "follow": "mouse"}), ("set_target", {"agents": [3, 4], "x": [1, 2], "y": [1, 2]}),
                               ("place", {"agent": 3, "x": 1, "y": 2, "vx": 3, "vy": 4, "heading": 5, "stamina": 6}),
                               ("place", {"agents": "AwAAAA==", "heading": [5]}), ("batch", {"requests": [
                                   {"op": "add_obstacle", "circle": [100, 100, 20]}, {"op": "move_obstacle", "obstacle": 3, "x": 3, "y": 4},
                                   {"op": "remove_obstacle", "obstacle": 3}]}), ("inspect", {"agents": [3, 4, 5000]}),
                               ("get_params", {}), ("measure", {}), ("stats", {}), ("help", {}), ("ping", {"t0": 1.5}), ("resume", {}), ("pause", {}),
                               *(("list", {"what": what}) for what in ("scenarios", "kinds", "targets", "behaviors")),
                               ("set_region", {"clear": True}), ("resync", {}), ("load", {"scenario": "corridor"}),
                               ("load", {"scenario": "follow_flow"}), ("unsubscribe", {})):
                ask(op, **fields)
            for scenario in ("hide", "interpose", "follow_leader", "formation", "follow_path", "follow_wall", "avoid_obstacles", "flock",
                             "avoid_agents", "circle_swap", "queue", "wander"):
                ask("load", scenario=scenario)
                ask("step", count=90)
                ask("inspect", agents=list(range(1, 17)))
            client.send_raw('{"op":"fly"}\n{"op":\n{"op":"step","count":0,"id":"x"}\n{"op":"bye"}\n')
            while "bye" not in ops:
                take(client.receive())
        self.assertEqual(wrong, [])
        self.assertLessEqual({"hello", "reply", "error", "snapshot", "key", "delta", "density", "cursors", "scenario", "bye",
                              "event spawned", "event removed", "event param", "event target", "event target_added",
                              "event obstacle_added", "event obstacle_moved", "event obstacle_removed", "event paused",
                              "event resumed"}, ops)

    def test_what_is_wrong_is_found(self):
        snapshot = {"op": "snapshot", "tick": 1, "time": 0.1, "agents": [{"id": 1, "x": 1, "y": 2}], "targets": [], "clock": 1}
        key = {"op": "key", "tick": 1, "key": 1, "n": 1, "scale": 100, "kinds": ["a"], "kind": "AA==", "id": "AQAAAA=="}
        event = {"op": "event", "event": "caught", "tick": 1, "by": 0, "agent": 1, "quarry": 2}
        for good in (snapshot, key, event):
            self.assertIsNone(complaint("server", good))
            self.assertTrue(whole("server").is_valid(good))
        for bad in ({**snapshot, "tick": -1}, {**snapshot, "agents": [{"x": 1}]}, {**snapshot, "more": 1}, {**snapshot, "tick": "1"},
                    {**snapshot, "targets": [{"name": "a b", "x": 1, "y": 1}]}, {**snapshot, "agents": [{"id": 1, "heading": 360}]},
                    {**key, "scale": 10}, {**key, "states": []}, {k: v for k, v in key.items() if k != "kinds"}, {**key, "id": "AQ*A"}, {**event, "quarry": 0}, {**event, "event": "kaught"},
                    {k: v for k, v in event.items() if k != "by"}, {"op": "reply", "to": "step", "tick": 1, "hash": "12"},
                    {"op": "error", "code": "odd", "message": ""}, {"op": "bye", "reason": "tired", "message": ""}, {"op": "huh"}, [], 1):
            self.assertIsNotNone(complaint("server", bad), bad)
            self.assertFalse(whole("server").is_valid(bad), bad)
        with Server("--paused", "seek") as server, server.connect() as client:
            for bad in ({"op": "fly"}, {"op": "step", "count": 0}, {"op": "step", "count": 1.5}, {"op": "mouse", "x": 1}, {"op": "load"},
                        {"op": "spawn", "kind": "seeker", "x": 1}, {"op": "spawn", "kind": "a b"}, {"op": "remove"},
                        {"op": "remove", "agent": 1, "kind": "seeker"}, {"op": "set_param", "kind": "seeker", "param": "mass"},
                        {"op": "subscribe", "layout": "odd"}, {"op": "subscribe", "fields": ["odd"]}, {"op": "add_obstacle"},
                        {"op": "add_obstacle", "circle": [1, 2]}, {"op": "add_obstacle", "circle": [1, 2, -3]},
                        {"op": "add_obstacle", "circle": [1, 2, 3], "box": [1, 2, 3, 4]}, {"op": "move_obstacle", "obstacle": 0, "x": 1, "y": 1},
                        {"op": "add_target", "name": "x y", "x": 1, "y": 1}, {"op": "cursor", "x": 1e7, "y": 0}, {"op": "ping", "t0": "now"}):
                self.assertIsNotNone(complaint("client", bad), bad)
                self.assertFalse(whole("client").is_valid(bad), bad)
                self.assertEqual(client.request(**bad)["op"], "error", bad)  # the server agrees

    def test_the_rules_find_what_is_wrong(self):
        key = {"op": "key", "tick": 1, "key": 1, "n": 1, "id": "AQAAAA=="}
        delta = {"op": "delta", "tick": 5, "key": 1, "n": 1, "x": "AQA="}
        rules = Rules()
        self.assertEqual([rules.complaint(m) for m in (key, delta)], [None, None])
        for bad in ({**key, "x": "AQA="}, {**delta, "tick": 4}, {**delta, "key": 2}, {**delta, "x": "AQAAAA=="}, {**delta, "x_far": "AQA="},
                    {"op": "density", "tick": 9, "grid": [1, 2], "count": "", "vx": "", "vy": ""},
                    {"op": "snapshot", "tick": 9, "agents": [{"id": 2}, {"id": 2}]}):
            rules = Rules()
            for message in (key, delta):
                rules.complaint(message)
            self.assertIsNotNone(rules.complaint(bad), bad)


if __name__ == "__main__":
    unittest.main()
