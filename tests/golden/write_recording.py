#!/usr/bin/env python3
"""Writes a recording of this core, which is then kept in tests/golden/recordings: a server records every scenario but the
largest for a second and a half each, with requests of many kinds, steps, cursors, and saved worlds that are loaded.

    write_recording.py DROVER_SERVER FILE      FILE: tests/golden/recordings/core-N.drover, a new one
"""

import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TICKS, PACE = 90, 5
MOST_AGENTS, MOST_SAVED = 3000, 60  # agents of a scenario that takes part; of one that is saved and loaded again


def agents_of(path):
    return sum(placement.get("count", 1) for placement in json.loads(path.read_text(encoding="utf-8")).get("agents", []))


def requests_at(tick, kind):
    """What one session asks for and what the other does; some of it is refused, which is fine."""
    n = tick // PACE
    many = [
        {"op": "mouse", "x": 200.3 + 3 * tick, "y": 200.7},
        {"op": "spawn", "kind": kind, "count": 3, "x": 210, "y": 150.5, "radius": 40, "heading": 33.7 + n},
        {"op": "set_param", "kind": kind, "param": "max_speed", "value": 60.1 + tick},
        {"op": "add_obstacle", "circle": [150.5 + tick, 222.2, 21]},
        {"op": "set_target", "kind": kind, "x": 333.3, "y": 20.9 + tick},
        {"op": "add_target", "name": "added", "x": 30.5 + tick, "y": 20},
        {"op": "remove", "agents": [2, tick]},
        {"op": "remove_target", "name": "added"},
        {"op": "set_target", "agent": 1, "follow": "mouse"},
    ]
    return [many[n % len(many)]] + ([many[0]] if n % 2 else [])


def play(ann, bob, kind):
    for tick in range(0, TICKS, PACE):
        bob.request("cursor", x=100.25 + tick, y=300.1 - tick)
        for request in requests_at(tick, kind):
            ann.request(**request)
        ann.request("step", count=PACE)
    bob.request("cursor", gone=True)


def write(server, ann, bob):
    for path in sorted((ROOT / "scenarios").glob("*.json")):
        count = agents_of(path)
        if count > MOST_AGENTS:
            continue
        ann.request("load", scenario=path.stem)
        kinds = [row["name"] for row in ann.request("list", what="kinds")["kinds"]]
        play(ann, bob, kinds[0] if kinds else "none")
        if count <= MOST_SAVED:
            ann.request("save", name=path.stem)
            ann.request("step", count=PACE)
            ann.request("load", save=path.stem)
            ann.request("step", count=70)


def main():
    if len(sys.argv) != 3 or pathlib.Path(sys.argv[2]).exists():
        sys.exit(__doc__)
    os.environ["DROVER_SERVER"] = os.path.abspath(sys.argv[1])
    sys.path.insert(0, str(ROOT / "tests/e2e"))
    from drover_client import Server  # it reads DROVER_SERVER  # pylint: disable=import-outside-toplevel
    with Server("seek", "--paused", "--record", os.path.abspath(sys.argv[2])) as server:
        with server.connect() as ann, server.connect() as bob:
            ann.request("hello", name="Ann")
            write(server, ann, bob)


if __name__ == "__main__":
    main()
