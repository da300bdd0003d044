#!/usr/bin/env python3
"""The real viewer in a real window: mouse and keys go in, a third client and the pixels show the result.

    viewer_window.py DROVER_SERVER DROVER_VIEWER
"""

import math
import time

from drover_client import PATIENCE_S, Server, wait_for
import viewer_support as support
from viewer_support import check, step

VIEWER = support.viewer_program(__doc__)
SIZE = (640, 480)
WARN = (0xE3, 0xB3, 0x41)


class Watcher:
    """The third client: sees the server's events."""

    def __init__(self, server):
        self.client = server.connect()
        self.world = self.client.hello["scenario"]["size"]
        check(self.client.request("subscribe", hz=60)["op"] == "reply", "the third client may subscribe")
        self.snapshot = self.client.receive_op("snapshot")

    def wait_snapshot(self, is_right, what):
        deadline = time.monotonic() + PATIENCE_S
        while not is_right(self.snapshot):
            check(time.monotonic() < deadline, f"not within {PATIENCE_S} s: {what}; last snapshot {self.snapshot}")
            self.snapshot = self.client.receive_op("snapshot")
        return self.snapshot

    def wait_event(self, name):
        while True:
            event = self.client.receive_op("event")
            if event["event"] == name:
                return event


def mouse_target(snapshot):
    return next((t["x"], t["y"]) for t in snapshot["targets"] if t["name"] == "mouse")


def first_agent(snapshot):
    return snapshot["agents"][0]


def distance_to_mouse(snapshot):
    agent = first_agent(snapshot)
    return math.dist((agent["x"], agent["y"]), mouse_target(snapshot))


def target_is_near(point, tolerance=1.0):
    return lambda snapshot: math.dist(mouse_target(snapshot), point) < tolerance


def move_and_see(viewer, watcher, camera, x, y):
    """The pointer goes to window pixel x, y; the third client sees the target go there. Repeated, because an X server
    that is just starting may swallow the first motion."""
    world = camera.to_world(x + 0.5, y + 0.5)
    deadline = time.monotonic() + PATIENCE_S
    while not target_is_near(world)(watcher.snapshot):
        check(time.monotonic() < deadline, f"the target does not follow the mouse to {world}: {watcher.snapshot}")
        viewer.move(x - 1, y)
        viewer.move(x, y)
        until = time.monotonic() + 1.0
        while time.monotonic() < until and not target_is_near(world)(watcher.snapshot):
            watcher.snapshot = watcher.client.receive_op("snapshot")
    return world


def shows_agent(camera, agent):
    x, y = camera.to_window(agent["x"], agent["y"])
    return lambda picture: picture.pixel(x, y) == support.STATE_COLORS[agent["state"]]


def mouse_and_pause(viewer, watcher, camera):
    step("the mouse moves the target; an agent comes to it")
    move_and_see(viewer, watcher, camera, 200, 330)
    watcher.wait_snapshot(lambda s: distance_to_mouse(s) < 40, "the agent comes to the target")
    move_and_see(viewer, watcher, camera, 500, 200)

    step("while the button is down the target stays; then it goes to the mouse")
    before = mouse_target(watcher.snapshot)
    viewer.press()
    viewer.move(300, 300)
    until = watcher.client.receive_op("snapshot")["time"] + 1
    while watcher.snapshot["time"] < until:
        check(mouse_target(watcher.snapshot) == before, f"the target has left {before}: {mouse_target(watcher.snapshot)}")
        watcher.snapshot = watcher.client.receive_op("snapshot")
    viewer.release()
    watcher.wait_snapshot(lambda s: math.dist(camera.to_window(*mouse_target(s)), (300.5, 300.5)) < 1.0, "it is at the mouse")
    move_and_see(viewer, watcher, camera, 500, 200)

    step("Space pauses; the picture shows the agent and the target where the snapshot says")
    viewer.key("space")
    watcher.wait_event("paused")
    watcher.client.flush()
    snapshot = watcher.snapshot = watcher.client.snapshot()
    watcher.client.request("subscribe", hz=60)
    agent = first_agent(snapshot)
    check(distance_to_mouse(snapshot) > 40, "the agent is still on its way when the world stops")
    target = camera.to_window(*mouse_target(snapshot))
    check(math.dist(target, (500.5, 200.5)) < 1.0, f"the target is at the cursor, not at {target}")
    is_right = shows_agent(camera, agent)
    picture = viewer.picture(lambda p: is_right(p) and p.pixel(500, 200) == support.TARGET,
                             f"agent {agent} has its state's color and the target marker is at the cursor")
    check((picture.width, picture.height) == SIZE, "the picture is as large as the window")
    return snapshot


def forces_and_help(viewer, camera, agent):
    x, y = camera.to_window(agent["x"], agent["y"])

    def vectors(picture):
        return picture.count(support.VELOCITY, x, y, 70), picture.count(support.DESIRED, x, y, 70)

    step("a click beside the agent shows no forces; F shows them and hides them")
    viewer.click()
    viewer.picture(lambda p: vectors(p) == (0, 0), "there are no force arrows")
    viewer.key("f")
    viewer.picture(lambda p: min(vectors(p)) > 5, "velocity and desired velocity are drawn at the agent")
    viewer.key("f")
    viewer.picture(lambda p: vectors(p) == (0, 0), "the force arrows are gone")

    step("F1 shows the keys; Esc closes them and does not quit")
    viewer.key("F1")
    viewer.picture(lambda p: p.count(support.ACCENT, SIZE[0] / 2, SIZE[1] / 2, 220) > 100, "the keys are shown")
    viewer.key("Escape")
    viewer.picture(lambda p: p.count(support.ACCENT, SIZE[0] / 2, 200, 150) == 0, "the keys are gone")
    check(viewer.process.poll() is None, "Esc with the help open does not quit")


def steps_and_scenarios(viewer, watcher, snapshot):
    step("'.' does one tick of the paused world")
    watcher.client.flush()
    viewer.key("period")
    after = watcher.client.receive_op("snapshot")
    while after["tick"] == snapshot["tick"]:
        after = watcher.client.receive_op("snapshot")
    check(after["tick"] == snapshot["tick"] + 1, f"one tick, from {snapshot['tick']} to {after['tick']}")

    step("']' and '[' change the scenario")
    names = [row["name"] for row in watcher.client.request("list", what="scenarios")["scenarios"]]
    check("seek" in names and len(names) >= 3, f"the server has scenarios: {names}")
    viewer.key("bracketright")
    loaded = watcher.client.receive_op("scenario")["name"]
    check(loaded == names[(names.index("seek") + 1) % len(names)], f"']' loads the next of {names}, not {loaded}")
    viewer.picture(lambda p: p.count(WARN, SIZE[0] / 2, 56, 130) > 100, "it is said that it is paused, as the one before was")
    viewer.key("bracketleft")
    loaded = watcher.client.receive_op("scenario")["name"]
    check(loaded == "seek", f"'[' goes back to seek, not {loaded}")


def wrong_on_screen(display, viewer, picture, box):
    """How many pixels of the box (of the window) the screen does not show as the picture has them."""
    screen, (left, top) = display.screen(), viewer.place()
    return sum(screen.pixel(left + x, top + y) != picture.pixel(x, y)
               for y in range(box[1], box[3]) for x in range(box[0], box[2]))


def shows_on_screen(display, viewer, what):
    """The world of a paused server; the bar's numbers and the toast go on changing."""
    def is_same():  # a new picture each time: the pointer's mark disappears after a second
        picture = viewer.frames(1)
        box = (0, support.BAR_PX, picture.width, picture.height - 90)
        return wrong_on_screen(display, viewer, picture, box) == 0

    wait_for(is_same, f"{what}: the screen shows the picture")


def is_seen(display, viewer):
    step("what F12 saves is what the screen shows: at once, after a change, uncovered again")
    shows_on_screen(display, viewer, "at once")
    viewer.key("g")
    shows_on_screen(display, viewer, "without the grid")
    viewer.key("g")
    viewer._xdotool("windowunmap", "--sync", viewer.window)
    viewer._xdotool("windowmap", "--sync", viewer.window)
    viewer._xdotool("windowfocus", "--sync", viewer.window)  # no window manager does
    shows_on_screen(display, viewer, "uncovered")


def resizes(viewer, watcher):
    step("the window can be resized")
    size = (700, 540)
    viewer.resize(*size)
    agent = first_agent(watcher.client.snapshot())
    camera = support.Camera(watcher.world, size)
    is_right = shows_agent(camera, agent)
    viewer.picture(lambda p: (p.width, p.height) == size and is_right(p), f"agent {agent} is where it is after resizing")
    return camera


def reconnects(viewer, server, camera):
    step("the server goes: the last picture is dimmed")
    with server.connect() as client:
        # Away from the middle, where the banner will be, wherever the pointer has led it.
        client.request("place", agent=first_agent(client.snapshot())["id"], x=100, y=400)
        agent = first_agent(client.snapshot())
    viewer.picture(shows_agent(camera, agent), f"agent {agent} is where it was put")
    x, y = camera.to_window(agent["x"], agent["y"])
    bright = support.STATE_COLORS[agent["state"]]
    check(server.stop() == 0, f"the server stops: {server.stderr()}")
    dimmed = viewer.picture(lambda p: p.pixel(x, y) != bright, "the agent is dimmed")
    check(dimmed.pixel(x, y)[1] > 60, f"the last picture is still there: {dimmed.pixel(x, y)}")

    step("the server returns on the same port: the viewer finds it")
    with Server("seek", port=server.port) as again:
        watcher = Watcher(again)
        move_and_see(viewer, watcher, camera, 350, 300)
        step("Space pauses and resumes the new server")
        viewer.key("space")
        watcher.wait_event("paused")
        viewer.key("space")
        watcher.wait_event("resumed")
        step("Esc with nothing to close says what quits, and does not; Ctrl+Q does")
        time.sleep(support.TOAST_S)  # earlier toasts are gone
        for _ in range(4):
            viewer.key("Escape")
        viewer.picture(lambda p: p.count(support.ACCENT, 350, 500, 120) > 30, "Esc says what quits")
        check(viewer.process.poll() is None, "Esc never ends the program")
        viewer.key("ctrl+q")
        check(viewer.ends() == 0, f"the viewer ends with 0: {viewer.said()}")
        watcher.client.socket.close()


def main():
    with support.Display() as display, Server("seek") as server:
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
            watcher = Watcher(server)
            camera = support.Camera(watcher.world, SIZE)
            snapshot = mouse_and_pause(viewer, watcher, camera)
            forces_and_help(viewer, camera, first_agent(snapshot))
            steps_and_scenarios(viewer, watcher, snapshot)
            is_seen(display, viewer)
            camera = resizes(viewer, watcher)
            shows_on_screen(display, viewer, "resized")
            watcher.client.socket.close()
            reconnects(viewer, server, camera)
    print("ok")


if __name__ == "__main__":
    main()
