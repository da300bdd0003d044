#!/usr/bin/env python3
"""The first look at a world: its scenario's view, its caption, its card, and the list of all the others.

    viewer_first.py DROVER_SERVER DROVER_VIEWER
"""

import json
import os
import pathlib
import shutil
import tempfile

from PIL import Image

from drover_client import Server
import viewer_support as support
from viewer_support import check, step, wait_until

VIEWER = support.viewer_program(__doc__)
SIZE = (1280, 800)
TEXT, POP, PANEL_FILL, WELL = (0xE6, 0xEA, 0xEF), (0x1E, 0x23, 0x2B), (0x1B, 0x1F, 0x26), (0x12, 0x15, 0x1A)
RED, ORANGE = (0xFF, 0x6B, 0x5E), (0xFF, 0x7A, 0x1A)  # of the recording's dot; of the preview that is made here

WORLD = {
    "description": "Two agents go round on their own. The word for the search is zeppelin.",
    "world": {"size": [800, 500], "edge": "wrap"},
    "kinds": {"rover": {"radius": 8, "max_speed": 100, "max_force": 300, "behaviors": [{"seek": {"target": "mouse"}}]}},
    "targets": {"mouse": [700, 250]},
    "agents": [{"kind": "rover", "at": [100, 100]}, {"kind": "rover", "at": [100, 400]}],
}
SEEN = {**WORLD, "name": "Seen",
        "about": {"group": "tutorials", "caption": "Two rovers seek the mouse.", "try": "Move the mouse.",
                  "look_for": "They overshoot. " * 40, "source": "A page."},
        "view": {"trails": True, "overlays": ["velocity", "halos"], "select": 2, "panel": False, "color": "nosuch"}}
PLAIN = {**WORLD, "name": "Plain"}


def make_scenarios(data):
    """A person's own data folder, where server and viewer look first."""
    folder = data / "drover" / "scenarios"
    (folder / "previews").mkdir(parents=True)
    for name, world in (("seen", SEEN), ("plain", PLAIN)):
        (folder / f"{name}.json").write_text(json.dumps(world))
    Image.new("RGB", (240, 150), ORANGE).save(folder / "previews" / "seen.png")
    (folder / "previews" / "plain.png").write_text("no picture")


def amount(picture, color, left, right, top, bottom):
    """How many points of this color are in the rectangle."""
    wanted = bytes(color)
    return sum(picture.rows[y][3 * x:3 * x + 3] == wanted
               for y in range(top, bottom) for x in range(left, right))


def has_panel(picture):
    return picture.pixel(1200, 790) == PANEL_FILL


def velocity(picture):
    return amount(picture, support.VELOCITY, 60, 1000, 140, 780)


def has_caption(picture):
    return amount(picture, TEXT, 450, 790, 46, 110) > 100


def has_card(picture):
    return picture.pixel(820, 50) == POP and amount(picture, TEXT, 810, 1260, 46, 200) > 300


def shows_the_view(viewer, client):
    step("the scenario's view: no panel, velocity, agent 2 is selected; what the viewer does not know is left out")
    viewer.picture(has_caption, "the caption")
    client.request("step", count=30)
    picture = viewer.picture(lambda p: velocity(p) > 20, "velocity is drawn")
    check(not has_panel(picture), "the panel is closed")
    check(amount(picture, (255, 255, 255), 60, 1000, 140, 780) > 60, "a ring around the selected agent")


def shows_the_card(viewer, client):
    step("I opens the card beside the world and closes it, and so does Esc")
    viewer.key("i")
    first = viewer.picture(has_card, "the card")
    check(not has_caption(first), "the caption gives way")
    viewer.key("space")
    wait_until(lambda: client.request("stats")["paused"], lambda is_on: not is_on, "Space means the world as ever")
    viewer.key("i")
    viewer.picture(lambda p: p.pixel(820, 50) != POP, "the card is closed")
    viewer.key("i")
    viewer.picture(has_card, "the card")
    viewer.key("Escape")
    viewer.picture(lambda p: p.pixel(820, 50) != POP, "Esc closes it as well")
    client.request("pause")


def finds(viewer, client):
    step("the list: a word of a text finds a scenario, its picture is shown, Return loads it")
    viewer.key("ctrl+o")
    viewer.picture(lambda p: amount(p, ORANGE, 760, 1040, 110, 300) > 20000, "the picture of the first row")
    viewer.type("zeppelin")
    viewer.picture(lambda p: amount(p, WELL, 340, 600, 84, 104) == 260 * 20, "what is typed is shorter than the hint")
    viewer.key("Down")
    viewer.picture(lambda p: amount(p, ORANGE, 760, 1040, 110, 300) == 0, "the second row, which has no picture")
    viewer.key("Return")
    check(client.receive_op("scenario")["name"] == "plain", "the other world")


def begins_with_ones_own(viewer, client):
    step("the next world begins with one's own settings; its paused state is said")
    picture = viewer.picture(lambda p: p.tick == 0 and has_panel(p) and velocity(p) == 0, "panel, no velocity")
    check(amount(picture, TEXT, 300, 720, 46, 68) > 60, "Paused: Space resumes")
    viewer.key("v")
    viewer.picture(lambda p: has_panel(p) and p.count(support.VELOCITY, 1253, 141, 14) > 5, "velocity is switched on here")
    viewer.key("space")
    wait_until(lambda: client.request("stats")["paused"], lambda is_on: not is_on, "it runs")
    client.request("load", scenario="seen")
    viewer.picture(lambda p: not has_panel(p), "the view of the first one again")


def names_folders(viewer):
    step("a red dot while a clip is recorded; figures of the network on demand")
    viewer.key("F2")
    viewer.picture(lambda p: amount(p, support.ACCENT, 1040, 1270, 46, 66) > 20, "the heading of the figures")
    viewer.key("F2")
    viewer.picture(lambda p: amount(p, support.ACCENT, 1040, 1270, 46, 66) == 0, "no figures")
    if shutil.which("ffmpeg") is not None:
        viewer.key("F9")
        viewer.picture(lambda p: amount(p, RED, 700, 1270, 8, 24) > 30, "the red dot")
        viewer.key("F9")


def keeps_nothing(folder):
    step("of the view nothing is kept, of what was switched on in the window all")
    kept = json.loads((folder / "drover" / "viewer.json").read_text())
    check("velocity" in kept["overlays"].split(","), kept)
    check("trails" not in kept["overlays"] and "panel" not in kept and "grid" in kept["overlays"], kept)


def small(display, server):
    step("in a small window the card is scrolled by keys")
    with support.Viewer(VIEWER, display, server.port, "--size", "640x480", has_view=True) as viewer:
        viewer.picture(lambda p: p.tick is not None, "a world")
        viewer.key("i")
        first = viewer.picture(lambda p: amount(p, TEXT, 180, 600, 46, 200) > 300, "the card")
        viewer.key("Next")
        viewer.picture(lambda p: p.rows[100][540:1800] != first.rows[100][540:1800], "it is scrolled")


def walk(data):
    os.environ["XDG_DATA_HOME"] = str(data)
    with support.Display("%dx%d" % SIZE) as display, Server("seen", "--paused") as server, server.connect() as client:
        client.request("subscribe", layout="events")
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE, has_view=True) as viewer:
            shows_the_view(viewer, client)
            shows_the_card(viewer, client)
            finds(viewer, client)
            begins_with_ones_own(viewer, client)
            names_folders(viewer)
            viewer.key("ctrl+q")
            check(viewer.ends() == 0, "Ctrl+Q ends it")
            keeps_nothing(pathlib.Path(viewer.folder.name))
        small(display, server)


def main():
    with tempfile.TemporaryDirectory(prefix="drover-first-") as name:
        make_scenarios(pathlib.Path(name))
        walk(pathlib.Path(name))
    print("ok")


if __name__ == "__main__":
    main()
