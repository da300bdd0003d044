"""Reads the packed and density layouts, from protocol.md alone: Python's standard library, no code shared with the C side.

Stream.feed(line) takes each frame line (bytes or str) and returns None for a key, else a dict with tick, time, clock, targets
and agents: id -> {"x": ..} with integers in hundredths, kind and state as names. It refuses frames that violate protocol.md.
"""

import array
import base64
import json

KEY = {"id": "I", "kind": "B", "state": "H", "x": "i", "y": "i", "vx": "i", "vy": "i", "heading": "H", "stamina": "i"}


def column(text, code):
    values = array.array(code, base64.b64decode(text, validate=True))
    assert values.itemsize == {"B": 1, "h": 2, "H": 2, "i": 4, "I": 4}[code]
    return values.tolist()


class Stream:
    def __init__(self):
        self.key, self.base, self.keys = None, {}, 0

    def feed(self, line):
        m = json.loads(line)
        if m["op"] == "key":
            before, self.key, self.keys = self.key, m, self.keys + 1
            if "from" in m:
                return self.change(before, m)
            self.base = {name: column(m[name], code) for name, code in KEY.items() if name in m}
            assert all(len(values) == m["n"] for values in self.base.values()), "a column's length is not n"
            return None
        return self.delta(m)

    def change(self, before, m):
        """The key before without those that are gone and with those that came."""
        assert before and m["from"] == before["key"], "a change of another key"
        gone = column(m.get("gone", ""), "I")
        assert gone == sorted(set(gone)) and all(index < before["n"] for index in gone)
        came = {name: column(m[name], code) for name, code in KEY.items() if name in m}
        assert came.keys() == self.base.keys() and all(len(values) == m["n"] for values in came.values())
        rows = [dict(zip(self.base, row)) for i, row in enumerate(zip(*self.base.values())) if i not in gone]
        rows += [dict(zip(came, row)) for row in zip(*came.values())]
        rows.sort(key=lambda row: row["id"])
        assert len({row["id"] for row in rows}) == len(rows), "an agent came that was there"
        self.base = {name: [row[name] for row in rows] for name in came}
        self.key = {**m, "n": len(rows)}

    def delta(self, m):
        assert m["op"] == "delta" and self.key, f"a {m['op']} without a key"
        assert (m["key"], m["n"]) == (self.key["key"], self.key["n"]), "a delta of another key"
        now = {name: values[:] for name, values in self.base.items()}
        for name in now:
            if name in m:
                differences = column(m[name], "h")
                assert len(differences) == m["n"]
                now[name] = [a + b for a, b in zip(now[name], differences)]
            far = column(m.get(name + "_far", ""), "i")
            for index, value in zip(far[::2], far[1::2]):
                now[name][index] = value
        if "heading" in now:
            now["heading"] = [heading % 36000 for heading in now["heading"]]
        for name in ("kind", "state"):
            if name in now:
                now[name] = [self.key[name + "s"][index] for index in now[name]]
        for name in ("desired", "steering"):
            if name in m:
                flat = column(m[name], "i")
                now[name] = list(zip(flat[::2], flat[1::2]))
        rows = [dict(zip(now, values)) for values in zip(*now.values())]
        return {**{k: m[k] for k in ("tick", "time", "clock", "targets")}, "agents": {row["id"]: row for row in rows}}


def density(line):
    """The message with its columns as lists."""
    m = json.loads(line)
    for name, code in (("count", "I"), ("vx", "i"), ("vy", "i"), ("mean_speed", "I")):
        if name in m:
            m[name] = column(m[name], code)
            assert len(m[name]) == m["grid"][0] * m["grid"][1]
    m["by_kind"] = {kind: column(text, "I") for kind, text in m.get("by_kind", {}).items()}
    return m


def of_objects(line):
    """The same shape from an objects line."""
    m = json.loads(line)
    hundredths = lambda value: [round(v * 100) for v in value] if isinstance(value, list) else round(value * 100)
    agents = {}
    for agent in m["agents"]:
        row = {name: value if name in ("id", "kind", "state") else hundredths(value)
               for name, value in agent.items() if name != "forces"}
        agents[row["id"]] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return {**{k: m[k] for k in ("tick", "time", "clock", "targets")}, "agents": agents}
