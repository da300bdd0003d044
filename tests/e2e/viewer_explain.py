#!/usr/bin/env python3
"""What the window explains of an agent, compared with what the server has: equations that add up, arrows and rows that belong together,
muted behaviors, the parts of a flock.

    viewer_explain.py DROVER_SERVER DROVER_VIEWER
"""

import json
import pathlib
import re
import tempfile
import time

from drover_client import PATIENCE_S, Server, wait_for
import viewer_support as support
from viewer_support import check, step, wait_until
import x_clipboard

VIEWER = support.viewer_program(__doc__)
SIZE = (1100, 1200)  # high enough for all equations of an agent
SELECTED = (0xFF, 0xFF, 0xFF)
BESIDE = (60, 1000)  # nothing is there
BUTTON = (37, 43, 52)
DIGIT = 0.1  # the last one that the panel shows of a force
LIT = (0x32, 0x3B, 0x47)  # the ground of a row whose arrow is pointed at
SEEK, FLEE = support.STATE_COLORS["seek"], support.STATE_COLORS["flee"]
PARTS = {"separation": (0x90, 0x60, 0xFC), "alignment": (0x3A, 0xAC, 0x76), "cohesion": (0x98, 0x9C, 0xFF)}
RUNNER, BIRD = 1, 3
WORLD = {"name": "Reasons", "seed": 3, "world": {"size": [800, 600], "edge": "open"},
         "targets": {"home": [660, 420], "fire": [300, 260]},
         "kinds": {"runner": {"max_speed": 100, "max_force": 200, "radius": 9,
                              "behaviors": [{"seek": {"target": "home"}}, {"flee": {"target": "fire", "weight": 0.5}}]},
                   "bird": {"max_speed": 60, "max_force": 100, "radius": 6,
                            "behaviors": [{"flock": {"separation_radius": 60, "alignment_radius": 90, "cohesion_radius": 90}}]}},
         "agents": [{"kind": "runner", "at": [400, 300], "velocity": [0, -60]},
                    {"kind": "bird", "at": [120, 460], "velocity": [30, 0]}, {"kind": "bird", "at": [160, 470], "velocity": [0, 30]},
                    {"kind": "bird", "at": [150, 510], "velocity": [-10, 40]}]}
VECTOR = re.compile(r"\((-?[\d\u202f\u00a0 ,.]+), (-?[\d\u202f\u00a0 ,.]+)\)")


def inspect(client, agent):
    return client.request("inspect", agent=agent)["agents"][0]


def value_of(client, kind, param):
    return next(p["value"] for p in client.request("get_params")["params"] if (p["kind"], p["param"]) == (kind, param))


def place(client, camera, agent):
    seen = inspect(client, agent)
    return camera.to_window(seen["x"], seen["y"])


def number(text):
    return float(re.sub(r"[\u202f\u00a0 ,]", "", text).replace("\u2212", "-"))


def end_of(line):
    """The last vector of a line."""
    return [number(part) for part in VECTOR.findall(line.replace("\u2212", "-"))[-1]]


def in_panel(picture, color, rows=(40, 1150)):
    """Rows of the panel in which this color is."""
    wanted, left = bytes(color), (SIZE[0] - support.PANEL[0]) * 3
    return [y for y in range(*rows) if wanted in bytes(picture.rows[y][left:])]


def row_of(picture, color):
    """The middle of the first line of the panel's words in this color."""
    rows = in_panel(picture, color)
    check(rows, f"nothing in the panel has the color {color}")
    return rows[0] + 5


def selects(viewer, client, camera, agent):
    at = place(client, camera, agent)
    click(viewer, *at)
    viewer.move(*BESIDE)
    return viewer.picture(lambda p: p.count(SELECTED, *at, 40) > 30, f"agent {agent} has a ring"), at


def point(viewer, x, y):
    """Moves the pointer there, and lets the viewer draw a picture in which it is there."""
    viewer.move(int(x), int(y))
    viewer.picture(lambda p: p.width == SIZE[0], "anything")


def click(viewer, x, y):
    """A click that no slow picture misses: the viewer sees the pointer, the button down and the button up one after the other."""
    point(viewer, x, y)
    viewer.press()
    viewer.picture(lambda p: p.width == SIZE[0], "anything")
    viewer.release()


def button_rows(picture):
    """The rows of pixels that have the beginning of a button, and words after it that end before the panel does."""
    left = SIZE[0] - support.PANEL[0] + 16
    return [y for y in range(300, 1100) if all(picture.pixel(left, y + more) == BUTTON for more in (0, 5, 10))
            and picture.pixel(left + 150, y) != BUTTON]


def copied(viewer, display):
    """The panel's text: its button is below the equations. A click on it counts though a picture takes seconds."""
    rows = button_rows(viewer.picture(button_rows, "the panel has its button"))
    left = SIZE[0] - support.PANEL[0] + 16
    point(viewer, left + 4, rows[0] + 8)
    with viewer.stands_still():
        viewer.press()
        time.sleep(2.0)  # longer than what is known of an agent is shown without an answer
    viewer.picture(lambda p: p.width == SIZE[0], "anything")
    viewer.release()
    found = []

    def has_text():
        found.append(x_clipboard.read(display.name, PATIENCE_S / 3))
        return found[-1] and "net force" in found[-1]

    wait_for(has_text, "the equations are on the clipboard")
    viewer.move(*BESIDE)
    return found[-1]


def adds_up(viewer, client, display, agent):
    step(f"agent {agent}: the forces in the panel's text add up to the steering force that inspect tells")
    seen = inspect(client, agent)
    text = copied(viewer, display)
    check(text.startswith(f"Agent {agent} ({seen['kind']})"), f"another agent: {text}")
    sums = text[text.index("\nsum\n"):].splitlines()
    gets = [end_of(line) for line in sums if re.search(r" gets ", line) and VECTOR.search(line)]
    net = end_of(next(line for line in sums if "net force =" in line))
    check(len(gets) == len(seen["terms"]), f"{len(seen['terms'])} behaviors, {len(gets)} lines: {text}")
    for axis in (0, 1):
        total = sum(vector[axis] for vector in gets)
        check(abs(total - net[axis]) < 1e-6, f"{gets} add up to {total}, and the panel says {net}")
        check(abs(net[axis] - seen["steering"][axis]) <= 0.5001 * DIGIT, f"{net} in the panel, {seen['steering']} in the server")
    for term, vector in zip(seen["terms"], gets):
        check(max(abs(a - b) for a, b in zip(vector, term["gets"])) <= 1.0001 * DIGIT, f"{term['behavior']}: {vector}, {term['gets']}")


def lights_up(viewer, at):
    step("a row that is pointed at lights its arrow, and an arrow its row")
    dark = viewer.picture(lambda p: p.count(FLEE, *at, 45) == 0, "no arrow of flee")
    row = row_of(dark, FLEE)
    viewer.move(SIZE[0] - 200, row)
    viewer.picture(lambda p: p.count(FLEE, *at, 70) > 60 and p.count(SEEK, *at, 70) < 200, "flee's arrow is bright")
    viewer.move(*BESIDE)
    viewer.picture(lambda p: p.count(FLEE, *at, 45) == 0 and not in_panel(p, LIT), "it is dark again")
    viewer.key("b")
    shown = viewer.picture(lambda p: p.count(FLEE, *at, 90) > 15 and p.count(SEEK, *at, 90) > 15, "both arrows")
    tips = [(x, y) for y in range(int(at[1]) - 60, int(at[1]) + 90) for x in range(int(at[0]) + 24, int(at[0]) + 90)
            if shown.pixel(x, y) == FLEE]
    viewer.move(*tips[len(tips) // 2])
    lit = viewer.picture(lambda p: in_panel(p, LIT), "a row of the panel is lit")
    check(abs(in_panel(lit, LIT)[0] - row) < 14, f"flee's row, at {row}: {in_panel(lit, LIT)[:3]}")
    viewer.key("b")
    viewer.move(*BESIDE)


def mutes(viewer, client):
    step("the eye gives a behavior the weight 0, again the weight that it had")
    row = row_of(viewer.picture(lambda p: in_panel(p, FLEE), "flee has a row"), FLEE)
    eye = SIZE[0] - support.PANEL[0] + 22
    click(viewer, eye, row)
    wait_until(lambda: value_of(client, "runner", "flee.weight"), lambda v: v == 0, "flee weighs nothing")
    wait_until(lambda: inspect(client, RUNNER)["forces"].get("flee", [0, 0]), lambda f: f == [0, 0], "it has no force")
    click(viewer, eye, row)
    wait_until(lambda: value_of(client, "runner", "flee.weight"), lambda v: v == 0.5, "as before")
    viewer.move(*BESIDE)


def tinted(picture, color, x, y, reach):
    """Pixels of about this color: a thin line has few of exactly it."""
    return sum(max(abs(a - b) for a, b in zip(picture.pixel(column, row), color)) <= 40
               for row in range(int(y - reach), int(y + reach)) for column in range(int(x - reach), int(x + reach)))


def flocks(viewer, client, camera):
    step("B: of the selected bird and of all birds three arrows, those of the three rules")
    viewer.key("b")
    told = inspect(client, BIRD)["terms"][0]["parts"]
    picture, at = selects(viewer, client, camera, BIRD)
    picture = viewer.picture(lambda p: all(tinted(p, PARTS[name], *at, 60) > 6 for name in PARTS), "three arrows")
    for name, (x, y) in told.items():
        length = (x * x + y * y) ** 0.5
        ahead = tinted(picture, PARTS[name], at[0] + x / length * 16, at[1] + y / length * 16, 9)
        behind = tinted(picture, PARTS[name], at[0] - x / length * 16, at[1] - y / length * 16, 9)
        check(ahead > behind, f"{name} points along {x}, {y}: {ahead} pixels ahead, {behind} behind")
    legend = [picture.count(color, 60, 120, 110) for color in PARTS.values()]
    check(min(legend) > 10, f"each has a row in the legend: {legend}")
    viewer.key("Escape")
    viewer.picture(lambda p: p.count(SELECTED, *at, 40) == 0 and all(tinted(p, PARTS[name], *at, 110) > 20 for name in PARTS),
                   "all birds have them")
    viewer.key("b")


def main():
    with support.Display("1280x1240") as display, tempfile.TemporaryDirectory(prefix="drover-explain-") as folder:
        path = pathlib.Path(folder) / "reasons.json"
        path.write_text(json.dumps(WORLD))
        with Server("--paused", path) as server, server.connect() as client:
            client.request("step", count=20)
            with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE, "--overlays", "") as viewer:
                camera = support.Camera(client.hello["scenario"]["size"], SIZE, panel=True)
                viewer.picture(lambda p: p.count(SEEK, *place(client, camera, RUNNER), 12) > 20, "the runner is there")
                step("a click selects an agent: the panel has its equations")
                _, at = selects(viewer, client, camera, RUNNER)
                viewer.picture(lambda p: in_panel(p, FLEE) and in_panel(p, support.VELOCITY), "its behaviors and its velocity")
                adds_up(viewer, client, display, RUNNER)
                lights_up(viewer, at)
                mutes(viewer, client)
                flocks(viewer, client, camera)
    print("ok")


if __name__ == "__main__":
    main()
