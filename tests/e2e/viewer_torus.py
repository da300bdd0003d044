#!/usr/bin/env python3
"""Around a wrapping world are its copies: what is done there is done to the world. Forces of the past are those of then.

    viewer_torus.py DROVER_SERVER DROVER_VIEWER
"""

import math

from drover_client import Server
import viewer_support as support
from viewer_support import check, step, wait_until

VIEWER = support.viewer_program(__doc__)
SIZE = (1000, 520)
RIGHT = SIZE[0] - support.PANEL[0]  # where the side panel begins
SELECTED, STEERING = (0xFF, 0xFF, 0xFF), (0xFF, 0x7B, 0xD5)  # viewer/draw/canvas.h
AMBER = (0xE3, 0xB3, 0x41)


def at_seam(agents, camera, world):
    """An agent at the left border, alone there, whose copy is seen at the right one; and where that is in the window."""
    for agent in agents:
        copy = camera.to_window(agent["x"] + world[0], agent["y"])
        alone = all(math.dist((a["x"], a["y"]), (agent["x"], agent["y"])) > 16 for a in agents if a is not agent)
        if alone and camera.to_window(*world)[0] + 12 < copy[0] < RIGHT - 16 and 340 < copy[1] < 450:
            return agent, copy
    return None


def find_at_seam(client, camera, world):
    for _ in range(120):
        found = at_seam(client.snapshot()["agents"], camera, world)
        if found:
            return found
        client.request("step", count=10)
    raise AssertionError("no agent came to the left border")


def ring(picture, at):
    """White pixels of the ring around an agent."""
    return picture.count(SELECTED, *at, 16)


def selects_by_a_copy(viewer, client, camera, world):
    step("a click on a copy selects its agent")
    agent, copy = find_at_seam(client, camera, world)
    own = camera.to_window(agent["x"], agent["y"])
    tick = client.snapshot()["tick"]
    before = viewer.picture(lambda p: p.tick == tick, f"tick {tick}")
    check(ring(before, own) < 4, "no agent is selected yet")
    viewer.move(*(int(v) for v in copy))
    viewer.click()
    viewer.move(350, 480)
    viewer.picture(lambda p: ring(p, own) > 20, f"the ring is around agent {agent['id']} at its own place")
    return agent["id"]


def moves_the_target(viewer, client, camera, world):
    step("the target of a pointer at a copy is the place inside the world")
    spot = (RIGHT - 20, 330)
    viewer.move(*spot)
    x, y = camera.to_world(spot[0] + 0.5, spot[1] + 0.5)
    check(x > world[0], "the pointer is outside the world's own rectangle")
    wait_until(lambda: [t for t in client.snapshot()["targets"] if t["name"] == "mouse"][0],
               lambda t: math.dist((t["x"], t["y"]), (x - world[0], y)) < 2.0, f"the target at {x - world[0]:.0f}, {y:.0f}")


def borders(picture, camera, world):
    """The pixels of the right border that are seen."""
    x = int(camera.to_window(*world)[0])
    return max(sum(picture.pixel(x + dx, y) == (0x3A, 0x42, 0x4E) for y in range(200, 460)) for dx in (-1, 0, 1, 2))


def recalls_forces(viewer, client, agent):
    step("forces of the selected agent are there when one looks back")
    viewer.key("s")
    viewer.picture(lambda p: p.count(STEERING) > 20, "the force is drawn before the time begins that is looked back at")
    tick = client.request("stats")["tick"]
    client.request("resume")
    wait_until(lambda: client.request("stats")["tick"], lambda now: now > tick + 300, "five seconds; three of them are looked back")
    client.request("pause")
    drawn = {}
    for _ in range(4):  # it is small at some moments
        viewer.key("shift+Left")
        picture = viewer.picture(lambda p: p.pixel(1, 300) == AMBER and p.tick not in drawn, "the past has its frame")
        drawn[picture.tick] = picture.count(STEERING)
    check(max(drawn.values()) > 20, f"the force on agent {agent} is drawn: {drawn}")
    viewer.key("End")
    viewer.key("s")


def main():
    with support.Display() as display, Server("flock", "--paused") as server, server.connect() as client:
        world = client.hello["scenario"]["size"]
        camera = support.Camera(world, SIZE, panel=True, has_legend=False)
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE, "--panel", "on") as viewer:
            viewer.key("e")  # without the legend the world is in the middle, with copies at both sides
            viewer.picture(lambda p: borders(p, camera, world) > 200, "the border of the world is seen")
            agent = selects_by_a_copy(viewer, client, camera, world)
            recalls_forces(viewer, client, agent)
            moves_the_target(viewer, client, camera, world)
    print("ok")


if __name__ == "__main__":
    main()
