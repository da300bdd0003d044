#!/usr/bin/env python3
"""What the viewer changes in the world, and what it shows of other clients: targets moved by mouse, agents added and removed, sliders,
cursors with names, roles, crowds too large to send.

    viewer_acting.py DROVER_SERVER DROVER_VIEWER
"""

import json
import math
import pathlib
import re
import socket
import tempfile
import threading
import time

from drover_client import Server
import viewer_support as support
from viewer_support import check, reaches, step, wait_until

VIEWER = support.viewer_program(__doc__)
SIZE = (1100, 700)
CAPTION_S = 10.0  # the words about a world are gone after this
SELECTED, WARN = (0xFF, 0xFF, 0xFF), (0xE3, 0xB3, 0x41)
WORLD = {"name": "Errands", "seed": 3, "world": {"size": [800, 480], "edge": "wrap"}, "targets": {"home": [300, 200]},
         "kinds": {"runner": {"max_speed": 100, "max_force": 200, "radius": 8,
                              "behaviors": [{"arrive": {"target": "home", "slowing_distance": 40}}]}},
         "agents": [{"kind": "runner", "count": 1, "at": [600, 300]}]}
CROWD = {"name": "Crowd", "seed": 3, "tick_hz": 10, "world": {"size": [16000, 9600], "edge": "wrap"},
         "kinds": {"walker": {"max_speed": 60, "max_force": 120, "radius": 5, "behaviors": [{"wander": {}}]}},
         "agents": [{"kind": "walker", "count": 40000, "in": {"rect": [0, 0, 16000, 9600]}}]}


def home(client):
    target = client.request("list", what="targets")["targets"][0]
    return target["x"], target["y"]


def runners(client):
    return client.request("list", what="kinds")["kinds"][0]["count"]


def value_of(client, param):
    return next(p["value"] for p in client.request("get_params")["params"] if p["param"] == param)


def max_speed(client):
    return value_of(client, "max_speed")


def drags_a_target(viewer, client, camera):
    step("a named target is dragged with the mouse")
    at = camera.to_window(300, 200)
    viewer.move(int(at[0]), int(at[1]))
    viewer.press()
    viewer.move(int(at[0]) + 60, int(at[1]) + 30)
    viewer.move(int(at[0]) + 120, int(at[1]) + 60)
    viewer.release()
    wanted = camera.to_world(int(at[0]) + 120.5, int(at[1]) + 60.5)
    wait_until(lambda: home(client), lambda p: math.dist(p, wanted) < 1.0, f"the target is at {wanted}")
    viewer.move(int(at[0]), int(at[1]))
    viewer.frames()
    check(math.dist(home(client), wanted) < 1.0, "let go, it stays")
    put = home(client)
    viewer.picture(lambda p: p.count(support.TARGET, *camera.to_window(*put), 20) > 20, "it is drawn where it was put")
    viewer.move(int(at[0]) + 120, int(at[1]) + 60)
    viewer.press()
    viewer.move(int(at[0]) + 20, int(at[1]) + 90)
    wait_until(lambda: home(client), lambda p: math.dist(p, put) > 20, "it is held again")
    viewer.key("Escape")
    wait_until(lambda: home(client), lambda p: math.dist(p, put) < 0.1, "Escape puts it back")
    viewer.release()


def adds_and_removes(viewer, client, camera):
    step("A and clicks add agents, X and clicks remove them, Esc ends it")
    at = camera.to_window(150, 400)
    viewer.move(int(at[0]), int(at[1]))
    viewer.key("a")
    viewer.picture(lambda p: p.count(support.ACCENT, SIZE[0] / 2, 55, 250) > 200, "what a click does is said")
    viewer.click()
    viewer.click()
    wait_until(lambda: runners(client), lambda n: n == 3, "two more agents")
    viewer.key("Escape")
    viewer.picture(lambda p: p.count(support.ACCENT, SIZE[0] / 2, 55, 250) < 50, "that is over")
    agent = client.snapshot()["agents"][0]
    at = camera.to_window(agent["x"], agent["y"])
    viewer.move(int(at[0]), int(at[1]))
    viewer.key("x")
    viewer.click()
    wait_until(lambda: runners(client), lambda n: n == 2, "one agent less")
    viewer.key("Escape")
    check(viewer.process.poll() is None, "Esc does not quit yet")


def double_clicks(viewer, is_right, what):
    """Two clicks that a busy machine takes apart are no double click: then twice again."""
    for _ in range(5):
        viewer._xdotool("click", "--repeat", "2", "--delay", "60", "1")
        time.sleep(0.5)  # the press itself is marked as well
        if is_right(viewer.frames()):
            return
    check(False, what)


def tunes(viewer, client):
    step("K shows sliders: drag, right click for the first value, double click to type")
    viewer.key("k")
    left, right, track = 856, 1070, 510  # max_speed, the third row; the first value is at a quarter
    quarter, half = left + (right - left) // 4, (left + right) // 2
    viewer.picture(lambda p: p.pixel(quarter, track) == (255, 255, 255), "max_speed has its knob at a quarter")
    viewer.move(quarter, track)
    viewer.press()
    viewer.move(quarter + 20, track)
    viewer.move(half, track)
    wait_until(lambda: max_speed(client), lambda v: abs(v - 200) < 3, "dragged to the middle: 200 px/s")
    viewer.release()
    viewer.picture(lambda p: p.pixel(half, track) == (255, 255, 255), "the knob is in the middle")
    viewer.click(3)
    wait_until(lambda: max_speed(client), lambda v: v == 100, "a right click: 100 px/s as it was")
    double_clicks(viewer, lambda p: p.count(support.ACCENT, half, track, 100) > 5, "the value can be typed")
    viewer.type("77")
    viewer.key("Escape")
    viewer.frames()
    check(max_speed(client) == 100, "Escape: nothing is typed")
    viewer.picture(lambda p: p.count(support.ACCENT, half, track, 100) == 0, "it is not typed any more")
    double_clicks(viewer, lambda p: p.count(support.ACCENT, half, track, 100) > 5, "the value can be typed")
    viewer.type("152.5")
    viewer.key("Return")
    wait_until(lambda: max_speed(client), lambda v: v == 152.5, "typed: 152.5 px/s")


def tunes_by_keyboard(viewer, client, camera):
    step("F6 gives the keyboard to the panel, Tab goes on, Space and arrows change a value, Esc gives it back")
    was_paused = client.request("stats")["paused"]
    viewer.key("F6")
    viewer.picture(lambda p: p.count(support.ACCENT, 966, 44, 118) > 150, "the first control is marked")
    before = viewer.frames(1).count(support.VELOCITY, 1065, 135, 20)
    viewer.key("Escape")
    reaches(viewer, ("F6", "Tab", "Tab"), lambda p: p.count(support.ACCENT, 856, 134, 14) > 30, "velocity")
    viewer.key("space")
    viewer.picture(lambda p: p.count(support.ACCENT, 856, 134, 9) > 10, "velocity is checked")
    check(before > 0 and client.request("stats")["paused"] == was_paused, "Space is the panel's")
    viewer.key("space")
    viewer.picture(lambda p: p.count(support.ACCENT, 856, 134, 6) == 0, "it is not checked")
    viewer.key("Escape")
    viewer.picture(lambda p: p.count(support.ACCENT, 856, 134, 9) == 0, "nor marked")
    viewer.key("Tab")
    agent = client.snapshot()["agents"][0]
    viewer.picture(lambda p: p.count(SELECTED, *camera.to_window(agent["x"], agent["y"]), 24) > 30,
                   "Tab in the world selects an agent")


def mutes(viewer, client):
    step("the eye beside a behavior mutes it at once; again: the weight that it had")
    viewer.key("k")
    client.request("set_param", kind="runner", param="arrive.weight", value=0.75)
    reaches(viewer, ("F6", "Tab"), lambda p: p.count(support.ACCENT, 858, 171, 14) > 30, "the eye, past the agent's heading")
    viewer.key("space")
    wait_until(lambda: value_of(client, "arrive.weight"), lambda v: v == 0, "the weight is 0")
    viewer.picture(lambda p: p.count(WARN, 858, 171, 9) > 10, "the eye is closed")
    viewer.key("space")
    wait_until(lambda: value_of(client, "arrive.weight"), lambda v: v == 0.75, "the weight is as before")
    viewer.picture(lambda p: p.count(WARN, 858, 171, 9) == 0, "the eye is open")
    for value, what in (0, "a click on it"), (0.75, "another click"):
        viewer.move(858, 171)
        viewer.click()
        wait_until(lambda: value_of(client, "arrive.weight"), lambda v, value=value: v == value, what)
    viewer.move(500, 600)
    viewer.key("Escape")
    viewer.key("Escape")
    viewer.key("k")


def loses_nothing(viewer, client):
    step("more clicks and presses than a slow frame has room for: each one counts")
    was_paused = client.request("stats")["paused"]
    client.request("pause")
    viewer.move(55, SIZE[1] - 19)
    viewer.frames()
    before = client.request("ping")["tick"]
    with viewer.stands_still():
        viewer._xdotool("click", "--repeat", "21", "--delay", "5", "1")
    wait_until(lambda: client.request("ping")["tick"], lambda tick: tick >= before + 21, "the button steps the world 21 times")
    check(client.request("ping")["tick"] == before + 21, "and no more")
    viewer.move(500, 600)
    reaches(viewer, ("F6", "Tab", "Tab"), lambda p: p.count(support.ACCENT, 856, 134, 14) > 30, "velocity")
    with viewer.stands_still():
        viewer._xdotool("key", "--repeat", "21", "--delay", "5", "space")
    viewer.picture(lambda p: p.count(support.ACCENT, 856, 134, 9) > 10, "velocity is checked by the last of 21 presses")
    check(client.request("stats")["paused"], "none of them was for the world")
    viewer.key("space")
    viewer.picture(lambda p: p.count(support.ACCENT, 856, 134, 6) == 0, "it is not checked")
    viewer.key("Escape")
    if not was_paused:
        client.request("resume")


def belongs_to_one(viewer, client):
    step("the pointer comes to the legend and clicks within one slow frame: the click is the legend's, not the world's as well")
    viewer.move(500, 600)
    viewer.key("a")
    viewer.picture(lambda p: p.count(support.ACCENT, SIZE[0] / 2, 55, 250) > 200, "what a click in the world does is said")
    before, places = runners(client), [(x, y) for x in range(20, 130) for y in range(75, 135)]
    shown = viewer.frames(1)
    with viewer.stands_still():
        viewer._xdotool("mousemove", "--window", viewer.window, "75", "57", "click", "1")
    viewer.picture(lambda p: sum(p.pixel(*at) != shown.pixel(*at) for at in places) > 300, "the legend is folded")
    check(runners(client) == before, "no agent was added below it")
    viewer.click()
    viewer.picture(lambda p: sum(p.pixel(*at) != shown.pixel(*at) for at in places) < 300, "it is there again")
    viewer.key("Escape")


def is_slow_itself(display, server, client):
    step("a click counts though each frame takes so long that the press and the release come in one, and no event follows")
    with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE, "--fixed-dt", "700") as viewer:
        viewer.picture(lambda p: p.tick is not None, "the world")
        viewer.move(55, SIZE[1] - 19)
        time.sleep(CAPTION_S + 1.5)  # nothing moves any more: only what happens is drawn
        before = client.request("ping")["tick"]
        viewer.click()
        wait_until(lambda: client.request("ping")["tick"], lambda tick: tick == before + 1, "the button steps the world")


def sees_the_others(viewer, server, camera):
    step("another one's cursor is seen; a slider follows what she sets")
    with server.connect() as other:
        other.request("hello", name="Ann")
        viewer.move(500, 600)
        at = camera.to_window(500, 100)
        before = viewer.frames(1)
        other.request("cursor", x=500, y=100)
        spot = (at[0] + 3, at[1] + 8)
        viewer.picture(lambda p: p.pixel(*spot) != before.pixel(*spot), "Ann's cursor")
        other.request("set_param", kind="runner", param="max_speed", value=300)
        viewer.picture(lambda p: p.pixel(856 + 214 * 3 // 4, 510) == (255, 255, 255), "Ann set max_speed to 300")


def asks_what_if(viewer, client):
    step("U: a twin goes on without what is changed from now on; U again ends it")
    viewer.key("u")
    wait_until(lambda: client.request("stats"), lambda stats: "compare" in stats, "a twin")
    client.request("spawn", kind=client.hello["scenario"]["kinds"][0]["name"], count=2)
    client.request("step", count=1)
    said = client.request("stats")["compare"]
    check(not said["follow"] and said["agents"][0] == said["agents"][1] + 2, f"the twin goes on without: {said}")
    viewer.key("u")
    wait_until(lambda: client.request("stats"), lambda stats: "compare" not in stats, "none")


def leaves_out(display, path):
    step("Ctrl+U: the present is as if the newest drag had not happened; and as if what Ctrl+Z undid had not either")
    with Server("--paused", path) as server, server.connect() as client, Server("--paused", path) as other, other.connect() as untouched:
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
            camera = support.Camera(client.hello["scenario"]["size"], SIZE, panel=True)

            def steps(count):
                untouched.request("step", count=count)
                client.request("step", count=count)

            def drags():
                before = at = home(client)
                viewer.move(*map(int, camera.to_window(*at)))
                viewer.picture(lambda p: p.count(support.TARGET, *camera.to_window(*at), 20) > 20, "the target")
                viewer.press()
                for number in range(1, 5):
                    viewer.move(*map(int, camera.to_window(at[0] + 20 * number, at[1] + 10 * number)))
                    time.sleep(0.05)  # else the server sees one motion
                viewer.release()
                wait_until(lambda: home(client), lambda p: math.dist(p, before) > 80, "it is dragged")

            def is_as_untouched(branches):
                wait_until(lambda: client.request("list", what="branches"), lambda reply: len(reply["branches"]) == branches, f"{branches} branches")
                wait_until(lambda: client.request("save", name="now", replace=True)["hash"],
                           lambda hash_now: hash_now == untouched.request("save", name="now", replace=True)["hash"], "the untouched world")

            steps(20)
            drags()
            steps(90)
            viewer.key("ctrl+u")
            is_as_untouched(2)
            steps(1)
            is_as_untouched(2)
            drags()
            steps(90)
            put = home(client)
            viewer.key("ctrl+z")
            wait_until(lambda: home(client), lambda p: math.dist(p, put) > 80, "it is undone, from now on")
            steps(5)
            viewer.key("ctrl+u")
            is_as_untouched(4)


def remembers_the_beginning(display, path):
    step("across a rewind, another's or Ctrl+T: the first value is that of the beginning, and what was done before can be undone")
    with Server("--paused", path) as server, server.connect() as client, \
            support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
        left, right, track = 856, 1070, 510  # of the slider, as in tunes
        quarter, half = left + (right - left) // 4, (left + right) // 2

        def has_knob(at):
            viewer.picture(lambda p: p.pixel(at, track) == (255, 255, 255), f"the knob is at {at}")

        def drags():
            viewer.move(quarter, track)
            viewer.press()
            viewer.move(quarter + 20, track)
            viewer.move(half, track)
            viewer.release()
            wait_until(lambda: max_speed(client), lambda v: abs(v - 200) < 3, "200 px/s")
            has_knob(half)

        def is_put_back(how):
            wait_until(lambda: max_speed(client), lambda v: v == 100, f"{how}: 100 px/s as it was")
            has_knob(quarter)

        viewer.key("k")
        has_knob(quarter)
        drags()
        for tick, how in (10, "a right click"), (5, "Ctrl+Z"):
            client.request("step", count=20)
            check(client.request("rewind", tick=tick)["op"] == "reply", f"tick {tick} is in memory")
            viewer.picture(lambda p, tick=tick: p.tick == tick and p.pixel(half, track) == (255, 255, 255), f"tick {tick}")
            if how == "Ctrl+Z":
                viewer.key("ctrl+z")
            else:
                viewer.click(3)
            is_put_back(how)
            drags()
        for _ in range(3):
            client.request("step")
            viewer.frames()
        end = client.request("ping")["tick"]
        viewer.key("Left")
        earlier = viewer.picture(lambda p: p.tick < end, "the past").tick
        viewer.key("ctrl+t")
        wait_until(lambda: client.request("ping")["tick"], lambda tick: tick == earlier, "the world is there")
        has_knob(half)
        viewer.key("ctrl+shift+r")
        wait_until(lambda: client.request("ping")["tick"], lambda tick: tick == 0, "again from tick 0")
        wait_until(lambda: max_speed(client), lambda v: abs(v - 200) < 3, "with the change")
        has_knob(half)
        viewer.click(3)
        is_put_back("a right click")


def may_not_act(display):
    step("a viewer's role may look: the cursor is sent, the target stays")
    with tempfile.NamedTemporaryFile("w") as tokens:
        tokens.write("viewer look-only-1 Vera\nadmin all-of-it-1\n")
        tokens.flush()
        with Server("--token-file", tokens.name, "seek") as server, server.connect() as client:
            client.request("hello", token="all-of-it-1")
            client.request("subscribe", hz=10, cursors=True)
            with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE, "--token", "look-only-1") as viewer:
                viewer.move(300, 300)  # a pointer at its place counts as a motion
                viewer.move(310, 310)
                wait_until(lambda: client.receive_op("cursors")["cursors"],
                           lambda rows: any(row.get("name") == "Vera" for row in rows), "Vera's cursor")
            check((600, 120) == home(client), "the target did not move")


class LateDensity:
    """A connection to the server that, once armed, delivers nothing for a while after a request for a density."""

    def __init__(self, port, late_s):
        self.server_port, self.late_s, self.is_armed = port, late_s, False
        self.due = []  # when the replies to these requests may arrive
        self.asked = []  # the frames a second of each
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        client = self.listener.accept()[0]
        server = socket.create_connection(("127.0.0.1", self.server_port))
        threading.Thread(target=self._pass, args=(server, client, self._wait), daemon=True).start()
        self._pass(client, server, self._look)

    def _pass(self, source, drain, hook):
        try:
            while data := source.recv(1 << 16):
                hook(data)
                drain.sendall(data)
        except OSError:
            pass
        for end in (source, drain):
            end.close()

    def _look(self, data):
        for line in data.splitlines() if self.is_armed else ():
            if b'"layout":"density"' in line:
                hz = re.search(rb'"hz":[^,}]*', line)
                self.asked.append(hz[0] if hz else b"")
                if self.asked[-1] == self.asked[0]:  # not once more at fewer frames a second: a late server is a slow link
                    self.due.append(time.monotonic() + self.late_s)

    def _wait(self, _):
        time.sleep(max(0.0, self.due[-1] - time.monotonic()) if self.due else 0.0)


def crowded(screen, place):
    """The share of the world's picture that is not empty."""
    empty = {(0x18, 0x1C, 0x22), (0x23, 0x28, 0x30)}
    points = [(x, y) for x in range(250, 850, 20) for y in range(150, 600, 20)]
    return sum(screen.pixel(place[0] + x, place[1] + y) not in empty for x, y in points) / len(points)


def comes_back(display, folder):
    step("back from near to far the crowd is there at once, though the server's counts are late")
    path = pathlib.Path(folder) / "crowd.json"
    walker = support.STATE_COLORS["wander"]
    with Server("--paused", path) as server:
        line = LateDensity(server.port, 3.0)
        with support.Viewer(VIEWER, display, line.port, "--size", "%dx%d" % SIZE, "--panel", "off") as viewer:
            place = viewer.place()
            wait_until(lambda: crowded(display.screen(), place), lambda share: share > 0.7, "heat")
            viewer.move(550, 370)
            for _ in range(14):
                viewer.click(4)
            viewer.picture(lambda p: p.count(walker) > 500, "agents")
            line.is_armed = True
            viewer.key("Home")
            wait_until(lambda: len(line.due), lambda count: count > 0, "counts are asked for")
            wait_until(lambda: crowded(display.screen(), place), lambda share: share > 0.7, "the crowd")
            check(time.monotonic() < line.due[0], "the crowd is there before the counts are")
            wait_until(time.monotonic, lambda now: now > line.due[0], "the counts come")
            viewer.frames()
            check(len(line.due) == 1, f"they are asked for once, not {len(line.due)} times")


def crowds(display, folder):
    step("a crowd is heat from afar and agents from near")
    path = pathlib.Path(folder) / "crowd.json"
    path.write_text(json.dumps(CROWD))
    walker = support.STATE_COLORS["wander"]
    with Server("--paused", path) as server:
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE, "--panel", "off") as viewer:
            far = viewer.picture(lambda p: p.count(walker) == 0 and len({p.pixel(x, 350) for x in range(200, 900)}) > 5,
                                 "heat")
            check(far.width == SIZE[0], "the picture has its size")
            viewer.move(550, 370)
            for _ in range(14):
                viewer.click(4)
            near = viewer.picture(lambda p: p.count(walker) > 500, "agents")
            with server.connect() as client:
                stats = client.request("stats")
            check(stats["agents"] == 40000, f"all of them are there: {stats['agents']}")
            before = near.pixel(550, 370)
            viewer._xdotool("mousedown", "3")
            viewer.move(250, 370)
            viewer._xdotool("mouseup", "3")
            viewer.picture(lambda p: p.pixel(250, 370) == before and p.count(walker, 1000, 370, 80) > 50,
                           "moved by 300 px: the crowd is there as well where it was not visible before")
            viewer.key("Home")
            viewer.picture(lambda p: p.count(walker) == 0, "heat again")


def main():
    with support.Display() as display, tempfile.TemporaryDirectory(prefix="drover-acting-") as folder:
        path = pathlib.Path(folder) / "errands.json"
        path.write_text(json.dumps(WORLD))
        with Server("--paused", path) as server, server.connect() as client:
            with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
                camera = support.Camera(client.hello["scenario"]["size"], SIZE, panel=True)
                viewer.picture(lambda p: p.count(support.TARGET, *camera.to_window(300, 200), 20) > 20, "the target")
                drags_a_target(viewer, client, camera)
                adds_and_removes(viewer, client, camera)
                tunes(viewer, client)
                tunes_by_keyboard(viewer, client, camera)
                mutes(viewer, client)
                loses_nothing(viewer, client)
                belongs_to_one(viewer, client)
                sees_the_others(viewer, server, camera)
                asks_what_if(viewer, client)
            is_slow_itself(display, server, client)
        leaves_out(display, path)
        remembers_the_beginning(display, path)
        may_not_act(display)
        crowds(display, folder)
        comes_back(display, folder)
    print("ok")


if __name__ == "__main__":
    main()
