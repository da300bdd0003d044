#!/usr/bin/env python3
"""The viewer as a tool: zooming, selecting, the scenario picker, the timeline, saved files.

    viewer_tools.py DROVER_SERVER DROVER_VIEWER
"""

import json
import math
import os
import pathlib
import tempfile

import numpy

from drover_client import Server, wait_for
import viewer_support as support
from viewer_support import check, step

VIEWER = support.viewer_program(__doc__)
SIZE = (1100, 700)
SELECTED = (0xFF, 0xFF, 0xFF)
CLASSIC_PURSUE = (0xE6, 0x9F, 0x00)  # viewer/explain/behavior_colors.c
KINDS = {"lazy": (0xFF, 0xAC, 0x9F), "even": (0xB0, 0x77, 0xDD), "nervous": (0xB9, 0x8D, 0x02)}  # of wander; there as well
PANEL = (0x1B, 0x1F, 0x26)
POP = (0x1E, 0x23, 0x2B)  # of lists
BAD = (0xFF, 0x6B, 0x5E)
YARD = {"name": "Yard", "world": {"size": [400, 300]}, "targets": {"here": [290, 60]}, "kinds": {"cow": {"behaviors": [{"wander": {}}]}},
        "agents": [{"kind": "cow", "count": 3, "in": {"circle": [180, 190, 50]}}]}
FAKE_FFMPEG = "#!/bin/sh\nfor last; do :; done\ncat > \"${last#file:}\"\n"


def is_in_the_open(place):
    """Neither legend, caption, toast nor panel is drawn there."""
    return 220 < place[0] < 780 and 200 < place[1] < 560


def ring(picture, at):
    return picture.count(SELECTED, *at, 40)


def alone(snapshot, camera):
    """An agent with no other near it, where it is in the picture, and a bare place beside it, for a mouse that rests."""
    for agent in snapshot["agents"]:
        at = camera.to_window(agent["x"], agent["y"])
        others = [camera.to_window(o["x"], o["y"]) for o in snapshot["agents"] if o["id"] != agent["id"]]
        beside = at[0] + 90, at[1]
        if is_in_the_open(at) and is_in_the_open(beside) and min(math.dist(at, o) for o in others) > 60 and \
                min(math.dist(beside, o) for o in others) > 30:
            return agent, at, beside
    raise AssertionError("no agent stands alone")


def selects(viewer, client, camera):
    step("a click on an agent selects it: a ring, its reach, the inspector; beside it: nothing is selected")
    agent, at, beside = alone(client.snapshot(), camera)
    agent["color"] = KINDS[agent["kind"]]
    viewer.picture(lambda p: p.pixel(*at) == agent["color"] and ring(p, at) == 0, f"agent {agent} is seen, but not selected yet")
    viewer.move(int(at[0]), int(at[1]))
    viewer.click()
    viewer.move(int(beside[0]), int(beside[1]))
    viewer.picture(lambda p: ring(p, at) > 30, f"agent {agent} has a ring")
    viewer.picture(lambda p: p.count(support.ACCENT, 940, 52, 100) > 60, "the inspector names it")
    viewer.picture(lambda p: p.pixel(*at) == agent["color"], "it is still seen itself")
    viewer.key("Escape")
    viewer.picture(lambda p: ring(p, at) == 0, "Escape selects nothing")
    check(viewer.process.poll() is None, "and does not quit")
    return agent, at


def looks_closer(viewer, agent, at):
    step("the wheel zooms at the cursor: what is there stays there; Home shows the whole world")
    color = agent["color"]
    before = viewer.picture(lambda p: p.pixel(*at) == color, "the agent is there").count(color, *at, 45)
    viewer.move(int(at[0]), int(at[1]))
    for _ in range(6):
        viewer.click(4)
    viewer.picture(lambda p: p.pixel(*at) == color and p.count(color, *at, 45) > 2 * before, "it is larger, in its place")
    viewer.key("Home")
    viewer.picture(lambda p: p.count(color, *at, 45) < 1.5 * before, "it is as small as before")
    step("Ctrl + makes the text larger, Ctrl 0 as it was")
    bar = viewer.frames(1).count((0x1B, 0x1F, 0x26), 550, 36, 3)
    viewer.key("ctrl+equal")
    viewer.key("ctrl+equal")
    viewer.key("ctrl+equal")
    viewer.picture(lambda p: p.count((0x1B, 0x1F, 0x26), 550, 36, 3) > bar + 10, "the bar is higher")
    viewer.key("ctrl+0")
    viewer.picture(lambda p: p.count((0x1B, 0x1F, 0x26), 550, 36, 3) == bar, "the bar is as high as before")


def lights(viewer, client, agent, at):
    step("a row of the legend lights its agents while it is pointed at; a click keeps that, another lets go, and neither goes through")
    kinds = [kind["name"] for kind in client.hello["scenario"]["kinds"]]
    other = next(i for i, kind in enumerate(kinds) if kind != agent["kind"])
    row, away = (60, 81 + 22 * other), (500, 15)

    def title(picture):
        return picture.count(support.ACCENT, 940, 52, 100)
    nobody = title(viewer.picture(lambda p: p.pixel(*at) == agent["color"], "nothing is dimmed"))
    viewer.move(*row)
    viewer.picture(lambda p: p.pixel(*at) != agent["color"] and p.count(KINDS[kinds[other]]) > 40, "the other kinds are dimmed")
    viewer.move(*away)
    viewer.picture(lambda p: p.pixel(*at) == agent["color"], "nothing is dimmed")
    viewer.move(*row)
    viewer.click()
    viewer.move(*away)
    viewer.picture(lambda p: p.pixel(*at) != agent["color"] and title(p) == nobody, "that kind stays lit, nothing is selected")
    viewer.move(*row)
    viewer.click()
    viewer.move(*away)
    viewer.picture(lambda p: p.pixel(*at) == agent["color"], "nothing is dimmed any more")


def looks_back(viewer, client, camera, server):
    step("the timeline looks back while the world goes on; LIVE returns")
    client.request("resume")
    client.request("subscribe", hz=10)
    snapshot = client.receive_op("snapshot")
    start = snapshot["tick"]
    while snapshot["tick"] < start + 240:
        snapshot = client.receive_op("snapshot")
    client.request("subscribe", layout="events")  # from here on the client does not read for seconds
    live = viewer.picture(lambda p: p.count((0x3F, 0xB9, 0x50), 804, 681, 14) > 20, "LIVE is lit")
    check(live.width == SIZE[0], "the picture has its size")
    viewer.key("Left")
    viewer.key("Left")
    viewer.picture(lambda p: p.count((0x3F, 0xB9, 0x50), 804, 681, 14) == 0, "LIVE is dark two seconds back")
    with server.connect() as other:
        first = other.snapshot()["tick"]
        wait_for(lambda: other.snapshot()["tick"] > first, "the server runs on")
    viewer.key("End")
    viewer.picture(lambda p: p.count((0x3F, 0xB9, 0x50), 804, 681, 14) > 20, "End is live again")
    knob, y = 698, SIZE[1] - 19
    viewer.move(knob, y)
    viewer.press()
    viewer.move(knob - 12, y)
    viewer.move(knob - 24, y)
    viewer.picture(lambda p: p.count((0x3F, 0xB9, 0x50), 804, 681, 14) == 0, "dragging the knob looks back")
    viewer.release()
    viewer.move(804, y)
    viewer.click()
    viewer.picture(lambda p: p.count((0x3F, 0xB9, 0x50), 804, 681, 14) > 20, "a click on LIVE is live again")


def picks(viewer, client):
    step("Ctrl+O, a few letters, Return: the scenario is loaded for all clients")
    viewer.key("ctrl+o")
    viewer.picture(lambda p: p.pixel(SIZE[0] / 2, 100) == (0x12, 0x15, 0x1A), "the picker is open")
    viewer.type("hunpry")
    viewer.frames()
    viewer.key("Return")
    check(client.receive_op("scenario")["name"] == "hunters_and_prey", "hunters_and_prey is loaded")


def takes_away(viewer, folder):
    step("Ctrl+E saves the plots, F9 a clip through ffmpeg")
    viewer.key("ctrl+e")
    wait_for(lambda: list(folder.glob("drover-*-plots.csv")), "the plots are saved")
    rows = list(folder.glob("drover-*-plots.csv"))[0].read_text().splitlines()
    check(rows[0].startswith("time_s,mean_speed,order") and all(r.count(",") == rows[0].count(",") for r in rows), rows[:3])
    viewer.key("F9")
    wait_for(lambda: list(folder.glob("drover-*.mp4")), "the clip")
    clip = list(folder.glob("drover-*.mp4"))[0]
    bar, (side, timeline) = support.BAR_PX, support.PANEL
    width, height = SIZE[0] - side, SIZE[1] - bar - timeline  # the world alone
    wait_for(lambda: clip.stat().st_size > 3 * width * height * 4, "it grows")
    viewer.key("F9")
    wait_for(lambda: clip.stat().st_size % (width * height * 4) == 0, "whole frames were given")
    data = clip.read_bytes()
    check(len(data) >= width * height * 4, "at least one")
    panel = bytes((0x26, 0x1F, 0x1B, 0xFF))  # of bar and side panel, blue first
    check(panel * 40 not in data[-width * height * 4:], "neither bar nor panel is in it")


def compares(viewer, client, folder):
    step("with a twin, order and states of both are plotted and saved")
    agents = client.request("stats")["agents"]
    viewer.key("u")
    wait_for(lambda: "compare" in client.request("stats"), "a twin")
    client.request("spawn", kind="prey", count=3)

    def newest():
        for old in folder.glob("drover-*-plots.csv"):
            old.unlink()
        viewer.key("ctrl+e")
        wait_for(lambda: list(folder.glob("drover-*-plots.csv")), "the plots are saved")
        head, *rows = [line.split(",") for line in list(folder.glob("drover-*-plots.csv"))[0].read_text().splitlines()]
        return dict(zip(head, rows[-1])) if rows and len(rows[-1]) == len(head) else {}

    def is_known():
        row = newest()
        twin = {name: value for name, value in row.items() if name.endswith("_of_twin") and name != "order_of_twin"}
        world = sum(int(row[name.removesuffix("_of_twin")]) for name in twin)
        return row.get("order_of_twin") and (world, sum(int(value or 0) for value in twin.values())) == (agents + 3, agents)

    client.request("resume")
    wait_for(is_known, "figures of the twin, which has no new prey")
    viewer.key("u")
    wait_for(lambda: "compare" not in client.request("stats"), "no twin")


def watches(display):
    step("the file of a watched scenario: a mistake is shown, with its place; what is right comes, and picture and selection stay")
    with tempfile.TemporaryDirectory(prefix="drover-watch-") as folder:
        path = pathlib.Path(folder, "yard.json")
        path.write_text(json.dumps(YARD))
        with Server("--paused", "--watch", path) as server, server.connect() as client, support.Viewer(VIEWER, display, server.port, "--panel", "off", "--select", "2") as viewer:
            def marks(picture):
                """Where a target is drawn, and whether an agent is selected."""
                return (numpy.asarray(picture.image)[:, :, :3] == support.TARGET).all(2).nonzero()[0].tolist(), picture.count(SELECTED) > 20

            viewer.picture(lambda p: all(marks(p)), "the target, and the selected agent")
            fitted = marks(viewer.frames())
            viewer.move(500, 300)
            viewer.click(4)
            viewer.move(20, 780)
            viewer.picture(lambda p: marks(p)[0] not in ([], fitted[0]), "the wheel zooms")
            near = marks(viewer.frames())
            while near != (now := marks(viewer.frames())):
                near = now
            path.write_text(json.dumps(YARD, indent=1).replace("wander", "wonder"))
            viewer.picture(lambda p: p.count(BAD) > 20, "the mistake")
            path.write_text(json.dumps({**YARD, "agents": YARD["agents"] * 2}))
            wait_for(lambda: client.request("stats")["agents"] == 6, "the file is loaded")
            viewer.picture(lambda p: marks(p) == near, "picture and selection stay")


def kept(viewer):
    """The settings after the viewer has ended; None when there are none."""
    path = pathlib.Path(viewer.folder.name) / "drover" / "viewer.json"
    viewer.key("ctrl+q")
    check(viewer.ends() == 0, f"the viewer ends with 0: {viewer.said()}")
    return json.loads(path.read_text()) if path.exists() else None


def keeps_settings(viewer):
    step("what was switched on is kept for the next time, and nothing else")
    viewer.key("t")
    found = kept(viewer)
    check(found == {"palette": "safe", "ui_scale": 0, "overlays": "radii,neighbors,places,trails,grid,instruments"}, found)


def forgets_flags(display, server):
    flags = ("--palette", "classic", "--forces", "--ui-scale", "1.5", "--size", "1000x700", "--panel", "on")
    step("flags are for one run: nothing of them is kept")
    with support.Viewer(VIEWER, display, server.port, *flags) as viewer:
        viewer.picture(lambda p: p.width == 1000, "a picture")
        check(kept(viewer) is None, "no file")
    step("what is changed beside them is: the palette, one overlay, the window's size")
    with support.Viewer(VIEWER, display, server.port, *flags) as viewer:
        viewer.picture(lambda p: p.width == 1000, "a picture")
        viewer.key("g")
        viewer.resize(1010, 690)
        viewer.picture(lambda p: p.width == 1010, "a wider picture")
        viewer.key("ctrl+p")
        found = kept(viewer)
        check(found == {"palette": "safe", "overlays": "radii,neighbors,places,instruments", "size": "1010x690"}, found)
    step("the side panel is as wide as its edge was dragged or its keys made it, and stays so")
    with support.Viewer(VIEWER, display, server.port, "--size", "1100x700") as viewer:
        viewer.picture(lambda p: p.pixel(830, 300) != PANEL, "the world is beside the panel")
        viewer.move(833, 300)
        viewer.press()
        viewer.move(760, 300)
        viewer.drop(700, 300)
        viewer.picture(lambda p: p.pixel(705, 500) == PANEL and p.pixel(695, 500) != PANEL, "the panel is 400 px wide")
        viewer.key("ctrl+Right")
        viewer.picture(lambda p: p.pixel(705, 500) != PANEL and p.pixel(745, 500) == PANEL, "the panel is 360 px wide")
        found = kept(viewer)
        check(found.get("panel_width") == 360, found)
    step("what the window shows is kept, whatever the flag had put in its place")
    with support.Viewer(VIEWER, display, server.port, "--overlays", "none") as viewer:
        viewer.picture(lambda p: p.width == 1280, "a picture")
        viewer.key("g")
        viewer.frames()
        found = kept(viewer)
        check(found == {"overlays": "radii,neighbors,places,grid,instruments"}, found)


def changes_the_palette(viewer):
    step("the list in the panel shows the colors of the tutorials, or those for all eyes")
    for color, row in (CLASSIC_PURSUE, 451), (support.STATE_COLORS["pursue"], 432):
        viewer.move(990, 406)
        viewer.click()
        viewer.picture(lambda p: p.pixel(964, 421) == POP, "the list is open")
        viewer.move(990, row)
        viewer.click()
        viewer.picture(lambda p: p.count(color, 31, 104, 60) > 20, f"pursue is {color} in the legend")


def main():
    with support.Display() as display, Server("--paused", "wander") as server, server.connect() as client:
        fake = pathlib.Path(display.folder) / "ffmpeg"
        fake.write_text(FAKE_FFMPEG)
        fake.chmod(0o755)
        os.environ["PATH"] = f"{display.folder}:{os.environ['PATH']}"
        client.request("step", count=40)
        camera = support.Camera(client.hello["scenario"]["size"], SIZE, panel=True)
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
            folder = pathlib.Path(viewer.folder.name)
            agent, at = selects(viewer, client, camera)
            looks_closer(viewer, agent, at)
            lights(viewer, client, agent, at)
            looks_back(viewer, client, camera, server)
            picks(viewer, client)
            takes_away(viewer, folder)
            compares(viewer, client, folder)
            changes_the_palette(viewer)
            keeps_settings(viewer)
        forgets_flags(display, server)
        watches(display)
    print("ok")


if __name__ == "__main__":
    main()
