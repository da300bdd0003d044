#!/usr/bin/env python3
"""The viewer without a mouse: keys alone reach lists, questions, sliders, check boxes, choices and the timeline.

    viewer_keyboard.py DROVER_SERVER DROVER_VIEWER
"""

import json
import os
import pathlib
import tempfile
import time

from drover_client import Server
import viewer_support as support
from viewer_support import check, reaches, step, wait_until

VIEWER = support.viewer_program(__doc__)
SIZE = (1100, 700)
WARN, TEXT, POP = (0xE3, 0xB3, 0x41), (0xE6, 0xEA, 0xEF), (0x1E, 0x23, 0x2B)

WORLD = {
    "name": "Errands", "world": {"size": [800, 480], "edge": "wrap"}, "targets": {"home": [300, 200]},
    "kinds": {"runner": {"radius": 8, "max_speed": 100, "max_force": 300,
                         "behaviors": [{"arrive": {"target": "home", "slowing_distance": 40}}]}},
    "agents": [{"kind": "runner", "at": [100, 100]}, {"kind": "runner", "at": [100, 300]}],
}


def params(client):
    return {row["param"]: row["value"] for row in client.request("get_params")["params"]}


def keys(viewer, *names):
    """One a frame: a picture of its own says that the frame was drawn."""
    for name in names:
        viewer.key(name)
        viewer.frames(1)


def loads(viewer, client):
    step("Ctrl+O, letters, Return: another world; Ctrl+S, a name, Return: it is saved")
    client.request("subscribe", hz=1)
    viewer.key("ctrl+o")
    viewer.frames()
    viewer.type("second")
    viewer.frames()
    viewer.key("Return")
    check(client.receive_op("scenario")["name"] == "second", "the other world")
    client.request("unsubscribe")
    viewer.key("ctrl+s")
    viewer.frames()
    viewer.type("mine")
    viewer.frames()
    viewer.key("Return")
    wait_until(lambda: [row["name"] for row in client.request("list", what="saves")["saves"]],
               lambda names: len(names) == 1 and "mine" in names[0], "the world is saved")


def reads(viewer):
    step("I opens the card, F1 the keys, Esc closes them")
    viewer.key("i")
    viewer.picture(lambda p: sum(p.pixel(x, 60) == POP for x in range(640, 1080, 4)) > 30, "the card")
    viewer.key("Escape")
    viewer.key("F1")
    viewer.picture(lambda p: p.count(support.ACCENT, SIZE[0] / 2, 350, 340) > 600, "the column of keys")
    viewer.key("Escape")


def changes(client, first):
    """Whether a parameter changes within the seconds that a busy viewer takes to say so."""
    deadline = time.monotonic() + 3.0
    while params(client) == first and time.monotonic() < deadline:
        time.sleep(0.05)
    return params(client) != first


def slides(viewer, client):
    step("K, F6, Tab to a slider, Space, Right: the server has another value")
    first = params(client)
    keys(viewer, "k", "F6", *["Tab"] * 25)
    for _ in range(8):
        keys(viewer, "space", "Right", "Right", "space")
        if changes(client, first):
            break
        keys(viewer, "Tab")
    changed = [name for name, value in params(client).items() if value != first[name]]
    check(len(changed) == 1, f"one parameter alone: {changed}")
    keys(viewer, "Escape", "k")


def marks_velocity(picture):
    """The keyboard's frame around a check box, and the arrow of velocities in its row, wherever the panel is scrolled to."""
    edge = [y for y in range(SIZE[1]) if picture.pixel(845, y) == support.ACCENT]
    return bool(edge) and picture.count(support.VELOCITY, 1065, sum(edge) / len(edge), 14) > 3


def chooses(viewer):
    step("F6, Tab to a check box, Space: an overlay is on; back in the world C: other colors")
    reaches(viewer, ("F6", "Tab", "Tab"), marks_velocity, "Agent, Overlays, velocity")
    keys(viewer, "space", "Escape", "c")


def times(viewer, client):
    step("the speed by its keys; in the timeline a button pauses")
    keys(viewer, "minus")
    wait_until(lambda: client.request("stats")["speed"], lambda speed: 0 < speed < 1, "another speed")
    keys(viewer, "0")
    wait_until(lambda: client.request("stats")["speed"], lambda speed: speed == 1, "0: the usual speed")
    keys(viewer, "F6", "F6", "space")
    wait_until(lambda: client.request("stats")["paused"], lambda is_on: is_on, "the button has paused it")
    with viewer.held("space"):  # Esc leaves the panel while the button is down, too
        wait_until(lambda: client.request("stats")["paused"], lambda is_on: not is_on, "it runs again")
        keys(viewer, "Escape")


def looks_back(viewer):
    step("Left looks back, End comes back")
    viewer.key("Left")
    viewer.picture(lambda p: p.pixel(1, 300) == WARN, "the frame of the past")
    viewer.key("End")
    viewer.picture(lambda p: p.pixel(1, 300) != WARN, "now")


def keeps(viewer):
    step("what the keys chose is kept")
    viewer.key("ctrl+q")
    check(viewer.ends() == 0, "Ctrl+Q ends it")
    kept = json.loads((pathlib.Path(viewer.folder.name) / "drover" / "viewer.json").read_text())
    check("velocity" in kept.get("overlays", "").split(","), kept)
    check(kept.get("color", "state") != "state", kept)


def main():
    with tempfile.TemporaryDirectory(prefix="drover-keyboard-") as name:
        folder = pathlib.Path(name) / "drover" / "scenarios"
        folder.mkdir(parents=True)
        for scenario in ("first", "second"):
            (folder / f"{scenario}.json").write_text(json.dumps(WORLD))
        os.environ["XDG_DATA_HOME"] = name
        with support.Display("%dx%d" % SIZE) as display, Server("first") as server, server.connect() as client, \
                support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
            viewer.picture(lambda p: p.tick is not None and p.tick > 0, "the world")
            loads(viewer, client)
            reads(viewer)
            slides(viewer, client)
            chooses(viewer)
            times(viewer, client)
            looks_back(viewer)
            keeps(viewer)
    print("ok")


if __name__ == "__main__":
    main()
