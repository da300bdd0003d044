#!/usr/bin/env python3
"""Time in the hand: the speed by slider, button and keys, restart, undo and redo. What the window did is read at the server.

    viewer_time.py DROVER_SERVER DROVER_VIEWER
"""

import json
import math
import pathlib
import tempfile

from drover_client import Server
import viewer_support as support
from viewer_support import check, step, wait_until

VIEWER = support.viewer_program(__doc__)
SIZE = (1100, 700)
LINE_Y = SIZE[1] - 19
SLIDER = (112, 216)  # of the speed, on the timeline
MAX_X, RESTART_X = 283, 88
AMBER, RED = (0xE3, 0xB3, 0x41), (0xFF, 0x6B, 0x5E)
WORLD = {"name": "Errands", "seed": 3,
         "world": {"size": [800, 480], "edge": "wrap", "obstacles": [{"circle": [150, 150, 40]}]},
         "targets": {"home": [300, 200]},
         "kinds": {"runner": {"max_speed": 100, "max_force": 200, "radius": 8, "behaviors": [{"wander": {}}]}},
         "agents": [{"kind": "runner", "count": 3, "in": {"rect": [500, 100, 200, 200]}}]}
CROWD = {"name": "Crowd", "seed": 3, "world": {"size": [8000, 4800], "edge": "wrap"},
         "kinds": {"walker": {"max_speed": 60, "max_force": 120, "radius": 5, "behaviors": [{"wander": {}}]}},
         "agents": [{"kind": "walker", "count": 40000, "in": {"rect": [0, 0, 8000, 4800]}}]}


def speed(client):
    return client.request("stats").get("speed", 1)  # 0: as fast as it goes


def state_hash(client):
    return client.request("save", name="here", replace=True)["hash"]


def agents(client):
    return {agent["id"]: agent for agent in client.snapshot()["agents"]}


def home(client):
    target = client.request("list", what="targets")["targets"][0]
    return target["x"], target["y"]


def max_speed(client):
    return next(p["value"] for p in client.request("get_params")["params"] if p["param"] == "max_speed")


def press(viewer, key):
    """A key, and a frame after it: two in one frame would be one to a control."""
    viewer.key(key)
    viewer.frames(1)


def drag(viewer, a, b):
    """With frames between, as a hand is slower than a busy machine's frames."""
    for act in (lambda: viewer.move(*a), viewer.press, lambda: viewer.move((a[0] + b[0]) // 2, (a[1] + b[1]) // 2),
                lambda: viewer.move(*b), viewer.release):
        act()
        viewer.frames(1)


def sets_the_speed(viewer, client):
    step("the slider, the button and the keys set the server's speed")
    low, high = SLIDER
    one = low + (high - low) * math.log(20) / math.log(320)
    drag(viewer, (int(one), LINE_Y), (low + 12, LINE_Y))
    wait_until(lambda: speed(client), lambda v: v < 0.4, "slower")
    drag(viewer, (low + 12, LINE_Y), (int(one) + 2, LINE_Y))
    wait_until(lambda: speed(client), lambda v: v == 1, "near its middle it is the usual one")
    viewer.move(MAX_X, LINE_Y)
    viewer.click()
    wait_until(lambda: speed(client), lambda v: v == 0, "as fast as it goes")
    for key, wanted in (("0", 1), ("minus", 0.5), ("minus", 0.25), ("equal", 0.5), ("0", 1), ("equal", 2)):
        viewer.key(key)
        wait_until(lambda: speed(client), lambda v: v == wanted, f"{key}: {wanted}")
    step("another client's speed is shown, and taken from there")
    client.request("speed", factor=8)
    press(viewer, "Home")
    viewer.key("minus")
    wait_until(lambda: speed(client), lambda v: v == 4, "slower than that client's")
    viewer.key("0")
    wait_until(lambda: speed(client), lambda v: v == 1, "as usual")


def tunes(viewer, client):
    """Drags the slider of max_speed to the middle of its track."""
    left, right, track = 856, 1070, 510
    drag(viewer, (left + (right - left) // 4, track), ((left + right) // 2, track))
    wait_until(lambda: max_speed(client), lambda v: v > 150, "dragged")
    return max_speed(client)


def undoes_a_slider(viewer, client):
    step("Ctrl+Z and Ctrl+Y: a slider, as one change")
    press(viewer, "k")
    put = tunes(viewer, client)
    viewer.key("ctrl+z")
    wait_until(lambda: max_speed(client), lambda v: v == 100, "undone")
    viewer.key("ctrl+y")
    wait_until(lambda: max_speed(client), lambda v: v == put, "redone")
    viewer.key("ctrl+z")
    wait_until(lambda: max_speed(client), lambda v: v == 100, "undone again")
    viewer.key("ctrl+shift+z")
    wait_until(lambda: max_speed(client), lambda v: v == put, "Ctrl+Shift+Z redoes as well")
    step("what another client changed since is overwritten the second time only")
    client.request("set_param", kind="runner", param="max_speed", value=60)
    press(viewer, "Home")
    viewer.key("ctrl+z")
    viewer.picture(lambda p: p.count(AMBER, SIZE[0] / 2 - 260, SIZE[1] - 60, 255) > 60, "an amber notice asks")
    check(max_speed(client) == 60, "the other client's value stands")
    viewer.key("ctrl+z")
    wait_until(lambda: max_speed(client), lambda v: v == 100, "the second time it is meant")
    return put


def undoes_drags(viewer, server, client, camera):
    step("a drag of a target and of an obstacle go back, and forth again")
    at, to = [tuple(int(v) for v in camera.to_window(*p)) for p in ((300, 200), (420, 300))]
    drag(viewer, at, to)
    wait_until(lambda: home(client), lambda p: math.dist(p, (420, 300)) < 3, "the target is dragged")
    there = home(client)
    viewer.key("ctrl+z")
    wait_until(lambda: home(client), lambda p: p == (300, 200), "it is back")
    viewer.key("ctrl+y")
    wait_until(lambda: home(client), lambda p: math.dist(p, there) < 0.02, "it is there again")

    def obstacle():
        return tuple(server.hello()["scenario"]["obstacles"][0]["circle"])
    at, to = [tuple(int(v) for v in camera.to_window(*p)) for p in ((140, 140), (200, 380))]
    drag(viewer, at, to)
    wait_until(obstacle, lambda c: c[1] > 350, "the obstacle is dragged")
    viewer.key("ctrl+z")
    wait_until(obstacle, lambda c: c == (150, 150, 40), "it is back")
    return there


def undoes_agents(viewer, client, camera):
    step("agents that were added go, agents that were removed come back where they were")
    press(viewer, "a")
    viewer.move(*(int(v) for v in camera.to_window(100, 400)))
    viewer.click()
    wait_until(lambda: len(agents(client)), lambda n: n == 4, "added")
    press(viewer, "Escape")
    viewer.key("ctrl+z")
    wait_until(lambda: len(agents(client)), lambda n: n == 3, "the add is undone")
    viewer.key("ctrl+y")
    wait_until(lambda: len(agents(client)), lambda n: n == 4, "and done again")
    press(viewer, "Home")
    viewer.key("ctrl+z")
    before = wait_until(lambda: agents(client), lambda all: len(all) == 3, "three as at first")
    gone = before[min(before)]
    viewer.move(*(int(v) for v in camera.to_window(gone["x"], gone["y"])))
    press(viewer, "x")
    viewer.click()
    after = wait_until(lambda: agents(client), lambda all: len(all) == 2, "one is removed")
    press(viewer, "Escape")
    viewer.key("ctrl+z")
    back = wait_until(lambda: agents(client), lambda all: len(all) == 3, "it is back")
    new = next(agent for number, agent in back.items() if number not in after)
    check(math.dist((new["x"], new["y"]), (gone["x"], gone["y"])) < 0.05 and
          math.dist((new["vx"], new["vy"]), (gone["vx"], gone["vy"])) < 0.05, f"{gone} came back as {new}")
    check(new["id"] not in before, "it has another number")


def restarts(viewer, client, start, put, there):
    step("Ctrl+R: the same world from tick 0, hash and all; the picture stays where it was")
    viewer.move(300, 400)
    for _ in range(3):
        viewer.click(4)
    client.request("step", count=50)
    check(state_hash(client) != start, "the world has moved on")
    viewer.key("ctrl+r")
    wait_until(lambda: client.request("stats")["tick"], lambda tick: tick == 0, "tick 0")
    check(state_hash(client) == start, "it is the world of tick 0")
    check(max_speed(client) == 100 and home(client) == (300, 200), "nothing is kept")
    near = viewer.picture(lambda p: p.tick == 0, "tick 0 is shown")
    press(viewer, "Home")
    far = viewer.picture(lambda p: p.tick == 0, "the whole world")
    check(sum(near.pixel(x, 16 + 32) != far.pixel(x, 16 + 32) for x in range(300, 800)) > 100,
          "it was still shown from near: the world's edge is elsewhere")
    step("Ctrl+Shift+R keeps sliders and drags; the button restarts as well")
    check(tunes(viewer, client) == put, "the slider again")
    press(viewer, "Home")  # the button is up, in a frame of its own
    camera = support.Camera(WORLD["world"]["size"], SIZE, panel=True)
    at, to = [tuple(int(v) for v in camera.to_window(*p)) for p in ((300, 200), (420, 300))]
    drag(viewer, at, to)
    wait_until(lambda: home(client), lambda p: math.dist(p, there) < 0.02, "the drag again")
    client.request("step", count=50)
    viewer.key("ctrl+shift+r")
    wait_until(lambda: (client.request("stats")["tick"], max_speed(client), home(client)),
               lambda now: now[0] == 0 and now[1] == put and math.dist(now[2], there) < 0.02, "both are kept at tick 0")
    press(viewer, "Home")
    viewer.key("ctrl+z")
    wait_until(lambda: home(client), lambda p: p == (300, 200), "what is kept can be undone")
    client.request("step", count=5)
    viewer.move(RESTART_X, LINE_Y)
    viewer.click()
    wait_until(lambda: client.request("stats")["tick"], lambda tick: tick == 0, "tick 0")
    check(state_hash(client) == start, "by the button")


def restarts_what_has_no_file(viewer, client):
    step("Ctrl+R: a world that came as a document begins again as well")
    client.request("load", name="sent", document={**WORLD, "name": "Sent", "seed": 8})
    start = state_hash(client)
    viewer.picture(lambda p: p.tick == 0, "the new world")
    client.request("step", count=50)
    viewer.picture(lambda p: p.tick == 50, "it has moved on")
    viewer.key("ctrl+r")
    wait_until(lambda: client.request("stats")["tick"], lambda tick: tick == 0, "tick 0")
    check(state_hash(client) == start, "it is the document's world")


def falls_behind(display, folder):
    step("a world that cannot go so fast says in amber how much of it is done")
    with Server("--scenarios", str(folder), "crowd") as server, server.connect() as client:
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
            viewer.picture(lambda p: p.tick is not None, "a picture")
            client.request("speed", factor=1000)
            viewer.picture(lambda p: p.count(AMBER, 130, 16, 90) > 30, "an amber state", timeout=60)


def may_not(display, folder):
    step("an operator may not: the slider is gray, a key says why, the speed stays")
    with tempfile.NamedTemporaryFile("w") as tokens:
        tokens.write("operator some-of-it-1 Olga\nadmin all-of-it-1\n")
        tokens.flush()
        with Server("--scenarios", str(folder), "--token-file", tokens.name, "errands") as server:
            with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE, "--token", "some-of-it-1") as viewer, \
                    server.connect() as client:
                client.request("hello", token="all-of-it-1")
                viewer.picture(lambda p: p.tick is not None, "a picture")
                drag(viewer, (170, LINE_Y), (200, LINE_Y))
                check(speed(client) == 1, "the slider does nothing")
                viewer.key("equal")
                viewer.picture(lambda p: p.count(RED, SIZE[0] / 2 - 260, SIZE[1] - 60, 255) > 60, "the refusal")
                viewer.key("ctrl+r")
                viewer.frames()
                stats = client.request("stats")
                check(stats.get("speed", 1) == 1 and stats["tick"] > 0, f"nothing has changed: {stats}")


def main():
    with support.Display() as display, tempfile.TemporaryDirectory(prefix="drover-time-") as folder:
        (pathlib.Path(folder) / "errands.json").write_text(json.dumps(WORLD))
        (pathlib.Path(folder) / "crowd.json").write_text(json.dumps(CROWD))
        camera = support.Camera(WORLD["world"]["size"], SIZE, panel=True)
        with Server("--scenarios", folder, "--paused", "errands") as server, server.connect() as client:
            start = state_hash(client)
            with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
                viewer.picture(lambda p: p.tick is not None, "a picture")
                sets_the_speed(viewer, client)
                put = undoes_a_slider(viewer, client)
                there = undoes_drags(viewer, server, client, camera)
                undoes_agents(viewer, client, camera)
                restarts(viewer, client, start, put, there)
                restarts_what_has_no_file(viewer, client)
        falls_behind(display, folder)
        may_not(display, folder)
    print("ok")


if __name__ == "__main__":
    main()
