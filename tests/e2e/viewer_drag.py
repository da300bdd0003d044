#!/usr/bin/env python3
"""Dragging obstacles: each shape is dragged with the mouse, put back, and refused to a role that may only look.

    viewer_drag.py DROVER_SERVER DROVER_VIEWER
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
BAD = (0xFF, 0x6B, 0x5E)
FILL = (0x3B, 0x41, 0x50)  # viewer/explain/theme.c, THEME_OBSTACLE
CIRCLE, BOX, POLYGON = [200, 120, 40], [360, 80, 80, 50], [[200, 380], [280, 380], [240, 300]]
WORLD = {"name": "Furniture", "seed": 3,
         "world": {"size": [800, 480], "edge": "wrap",
                   "obstacles": [{"circle": CIRCLE}, {"box": BOX}, {"polygon": POLYGON}]},
         "kinds": {"runner": {"max_speed": 100, "max_force": 200, "radius": 6, "behaviors": [{"wander": {}}]}},
         "agents": [{"kind": "runner", "count": 1, "at": [700, 400]}]}


def obstacles(server, token=None):
    """Where a new client sees the obstacles: their first points."""
    with server.connect() as client:
        if token is None:
            rows = client.hello["scenario"]["obstacles"]
        else:
            client.request("hello", token=token)
            rows = client.receive_op("scenario")["obstacles"]
    shapes = [row.get("circle") or row.get("box") or row["polygon"][0] for row in rows]
    return [tuple(shape[:2]) for shape in shapes]


def near(point, wanted):
    return math.dist(point, wanted) < 0.02  # the wire has 1/100 px


class Hand:
    """The mouse at places of the world, and the place in the world of the pixel it is on."""

    def __init__(self, viewer, camera):
        self.viewer, self.camera = viewer, camera

    def go(self, x, y):
        at = [int(v) for v in self.camera.to_window(x, y)]
        self.viewer.move(*at)
        return self.camera.to_world(at[0] + 0.5, at[1] + 0.5)


def edges(picture, camera, x, y, reach=70):
    return picture.count(support.ACCENT, *camera.to_window(x, y), reach)


def drags(viewer, server, hand, camera, which, grip, to):
    """Takes obstacle number `which` at `grip` and lets it go at `to`."""
    before = obstacles(server)
    taken = hand.go(*grip)
    viewer.picture(lambda p: edges(p, camera, *grip) > 60, "the obstacle under the pointer has a bright edge")
    viewer.press()
    hand.go((grip[0] + to[0]) / 2, (grip[1] + to[1]) / 2 + 10)
    wait_until(lambda: obstacles(server), lambda now: not near(now[which], before[which]), "it moves while it is held")
    put = hand.go(*to)
    viewer.release()
    width, height = WORLD["world"]["size"]
    wanted = ((before[which][0] + put[0] - taken[0]) % width, (before[which][1] + put[1] - taken[1]) % height)
    after = wait_until(lambda: obstacles(server), lambda now: near(now[which], wanted), f"it is at {wanted}")
    check(all(a == b for i, (a, b) in enumerate(zip(after, before)) if i != which), f"the others stand: {after}")
    hand.go(60, 240)
    viewer.picture(lambda p: edges(p, camera, *to, 38) == 0 and p.pixel(*camera.to_window(*to)) == FILL,
                   "it is drawn where it was put, and the edge is gone")
    return after


def every_shape(viewer, server, hand, camera):
    step("a circle, a box and a polygon are dragged; the last place is the pointer's")
    drags(viewer, server, hand, camera, 0, (190, 110), (300, 200))
    drags(viewer, server, hand, camera, 1, (400, 100), (560, 320))
    drags(viewer, server, hand, camera, 2, (240, 350), (420, 400))
    step("over the edge of a wrapping world it comes in on the other side")
    after = drags(viewer, server, hand, camera, 1, (560, 320), (790, 240))
    check(700 < after[1][0] < 800, f"the box's corner is inside: {after}")
    viewer.picture(lambda p: p.pixel(*camera.to_window(5, 245)) == FILL, "its other half is at the left")
    after = drags(viewer, server, hand, camera, 1, (6, 245), (200, 245))
    check(after[1][0] < 200, f"taken there, it comes back: {after}")


def gives_up(viewer, server, hand, camera):
    step("Escape and the right button put it back where it was")
    before = obstacles(server)
    for give_up in (lambda: viewer.key("Escape"), lambda: viewer.click(3)):
        hand.go(300, 200)
        viewer.press()
        hand.go(380, 180)
        hand.go(420, 160)
        wait_until(lambda: obstacles(server), lambda now: not near(now[0], before[0]), "it moves")
        give_up()
        wait_until(lambda: obstacles(server), lambda now: near(now[0], before[0]), "it is back")
        hand.go(450, 200)
        viewer.frames()
        viewer.release()
        viewer.frames()
        check(near(obstacles(server)[0], before[0]), "it is out of the hand, though the button was still down")
    check(viewer.process.poll() is None, "Escape did not quit")
    step("a press without a motion is a click: nothing moves, and no forces are shown")
    hand.go(300, 200)
    viewer.click()
    viewer.picture(lambda p: p.count(support.VELOCITY, 60, 100, 80) == 0, "the legend does not name velocity")
    check(near(obstacles(server)[0], before[0]), "nothing moved")


def taken_away(viewer, server, client, hand):
    step("another client removes the dragged obstacle: the drag ends, and a toast says so")
    row = client.hello["scenario"]["obstacles"][2]
    before = obstacles(server)
    hand.go(420, 400)
    viewer.press()
    hand.go(460, 380)
    wait_until(lambda: obstacles(server), lambda now: not near(now[2], before[2]), "it is held")
    client.request("remove_obstacle", obstacle=row["id"])
    viewer.picture(lambda p: p.count(BAD, SIZE[0] / 2 - 150, SIZE[1] - 50, 160) > 60, "a toast")
    viewer.release()
    check(len(obstacles(server)) == 2, "two are left")


def a_door(display, folder):
    step("a click on a door opens it, and Ctrl+Z closes it again; it is drawn where it is, and so is what follows a path")
    path = pathlib.Path(folder) / "doors.json"
    world = {"size": [800, 480], "paths": {"rails": {"points": [[0, 0], [400, 0]], "radius": 2}},
             "obstacles": [{"box": [300, 200, 40, 80], "door": {"open": [0, 120], "time": 0.5, "closed": True}},
                           {"box": [100, 400, 60, 60], "move": {"path": "rails", "speed": 100}}]}
    path.write_text(json.dumps({**WORLD, "name": "Doors", "world": world}))
    with Server("--paused", path) as server, server.connect() as client:
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
            camera = support.Camera(world["size"], SIZE, panel=True)

            def filled(*places):
                return lambda p: [p.pixel(*camera.to_window(*place)) == FILL for place in places] == [True, False]

            viewer.picture(filled((320, 220), (320, 380)), "it is closed")
            Hand(viewer, camera).go(320, 240)
            viewer.click()
            wait_until(lambda: door_of(server), lambda door: "closed" not in door, "it opens")
            client.request("step", count=120)
            Hand(viewer, camera).go(60, 60)
            viewer.picture(filled((320, 380), (320, 220)), "it is open")
            viewer.picture(filled((330, 430), (130, 430)), "the other one is 200 px further")
            viewer.key("ctrl+z")
            wait_until(lambda: door_of(server), lambda door: door.get("closed"), "it closes")


def door_of(server):
    with server.connect() as client:
        return client.hello["scenario"]["obstacles"][0]["door"]


def may_not(display, path):
    step("a viewer's role sees why it may not")
    with tempfile.NamedTemporaryFile("w") as tokens:
        tokens.write("viewer look-only-1 Vera\nadmin all-of-it-1\n")
        tokens.flush()
        with Server("--token-file", tokens.name, "--paused", path) as server:
            with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE, "--token",
                                "look-only-1") as viewer:
                camera = support.Camera(WORLD["world"]["size"], SIZE, panel=True)
                hand = Hand(viewer, camera)
                hand.go(190, 110)
                check(edges(viewer.picture(lambda p: p.count(FILL) > 1000, "the obstacles"), camera, 190, 110) == 0,
                      "nothing offers itself to be dragged")
                viewer.press()
                hand.go(300, 200)
                viewer.picture(lambda p: p.count(BAD, SIZE[0] / 2 - 150, SIZE[1] - 50, 160) > 60, "the refusal")
                viewer.release()
                check(near(obstacles(server, "look-only-1")[0], CIRCLE[:2]), "it did not move")


def main():
    with support.Display() as display, tempfile.TemporaryDirectory(prefix="drover-drag-") as folder:
        path = pathlib.Path(folder) / "furniture.json"
        path.write_text(json.dumps(WORLD))
        with Server("--paused", path) as server, server.connect() as client:
            with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
                camera = support.Camera(WORLD["world"]["size"], SIZE, panel=True)
                hand = Hand(viewer, camera)
                every_shape(viewer, server, hand, camera)
                gives_up(viewer, server, hand, camera)
                taken_away(viewer, server, client, hand)
        a_door(display, folder)
        may_not(display, path)
    print("ok")


if __name__ == "__main__":
    main()
