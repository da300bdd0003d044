#!/usr/bin/env python3
"""The window of an exhibition: worlds by turns, no way out but Ctrl+Q, what visitors changed is put back.

    viewer_kiosk.py DROVER_SERVER DROVER_VIEWER
"""

import json
import math
import os
import pathlib
import subprocess
import tempfile

from drover_client import PATIENCE_S, Server
import viewer_support as support
from viewer_support import check, step, wait_until

VIEWER = support.viewer_program(__doc__)
SIZE = (1360, 850)  # not the size that windows usually have
TEXT, BAR, GROUND = (0xE6, 0xEA, 0xEF), (0x1B, 0x1F, 0x26), (0x16, 0x19, 0x1F)
TOKENS = "viewer look-only-1 Vera\nadmin all-of-it-1\n"

WORLD = {
    "world": {"size": [1280, 800], "edge": "wrap"},
    "seed": 4, "kinds": {"rover": {"radius": 8, "max_speed": 100, "max_force": 300, "behaviors": [{"seek": {"target": "mouse"}}]}},
    "targets": {"mouse": [700, 250]},
    "agents": [{"kind": "rover", "at": [100, 100]}, {"kind": "rover", "at": [100, 400]}],
}


def make_scenarios(data):
    folder = data / "drover" / "scenarios"
    folder.mkdir(parents=True)
    for name in ("ada", "bob"):
        about = {"group": "behaviors", "caption": "Two rovers seek the mouse.", "try": "Move the mouse; press K."}
        (folder / f"{name}.json").write_text(json.dumps({**WORLD, "name": name.title(), "about": about}))
    (data / "two").write_text("ada 3\nbob 3  # and around again\n")
    (data / "long").write_text("ada 600\n")
    (data / "gaps").write_text("ada 2\nnosuch 600\nbob 600\n")
    (data / "wrong").write_text("ada\nbob soon\n")


def amount(screen, color, left, right, top, bottom):
    return sum(screen.pixel(x, y) == color for y in range(top, bottom) for x in range(left, right))


def bright(display, y):
    """Points of words in a box around this height."""
    return amount(display.screen(), TEXT, SIZE[0] // 2 - 250, SIZE[0] // 2 + 250, y - 90, y + 90)


def names(client, count, timeout=PATIENCE_S):
    """Of the worlds that begin from now on."""
    return [client.receive_op("scenario", timeout=timeout)["name"] for _ in range(count)]


def has_viewer(client):
    wait_until(lambda: client.request("stats")["sessions"]["subscribed"], lambda n: n >= 2, "the viewer is there")


def mouse(client):
    target = client.request("list", what="targets")["targets"][0]
    return round(target["x"]), round(target["y"])


def kiosk(display, port, data, playlist, *arguments):
    """Its folder has a file of settings, which stays as it is."""
    return support.Viewer(VIEWER, display, port, "--kiosk-list", str(data / playlist), *arguments, settings='{"panel":"on"}')


def goes_around(display, data):
    step("full screen; the worlds of the list by turns, and around again")
    with Server("bob") as server, server.connect() as client, kiosk(display, server.port, data, "two") as viewer:
        wait_until(viewer.area, lambda area: area == (0, 0) + SIZE, "it covers the screen")
        client.request("subscribe", hz=1)
        check(names(client, 3) in (["ada", "bob", "ada"], ["bob", "ada", "bob"]), "they take turns")
        step("a large caption; neither bar nor panel")
        wait_until(lambda: bright(display, SIZE[1] - 150), lambda n: n > 1500, "the caption")
        check(amount(display.screen(), BAR, 0, SIZE[0], 4, 8) == 0, "no bar")
        check(amount(display.screen(), BAR, SIZE[0] - 200, SIZE[0], 400, 410) == 0, "no side panel, though the settings say so")


def has_one_way_out(display, data):
    step("no key but Ctrl+Q does anything; the mouse leads its target")
    with Server("ada") as server, server.connect() as client, \
            kiosk(display, server.port, data, "long", "--kiosk-reset", "600") as viewer:
        client.request("subscribe", hz=1)
        has_viewer(client)
        for key in ("Escape", "Escape", "space", "F11", "F12", "F1", "ctrl+o", "Return", "v", "bracketright", "alt+F4"):
            viewer.key(key)
        viewer.move(640, 400)
        viewer.move(320, 200)
        there = 320 * 1280 / SIZE[0], 200 * 800 / SIZE[1]
        wait_until(lambda: mouse(client), lambda at: math.dist(at, there) < 4, "the target is led")
        check(not client.request("stats")["paused"], "Space paused nothing")
        check(viewer.process.poll() is None, "it runs")
        check(viewer.area() == (0, 0) + SIZE, "it covers the screen")
        check(not list(pathlib.Path(viewer.folder.name).glob("drover-*.png")), "no picture was saved")
        check(amount(display.screen(), BAR, 0, SIZE[0], 4, 8) == 0, "no bar")
        viewer.key("ctrl+q")
        check(viewer.ends() == 0, "Ctrl+Q ends it")
        kept = (pathlib.Path(viewer.folder.name) / "drover" / "viewer.json").read_text()
        check(kept == '{"panel":"on"}', "nothing is kept")


def puts_back(display, data):
    step("when hands rest the world begins again, once")
    with Server("ada") as server, server.connect() as client, \
            kiosk(display, server.port, data, "long", "--kiosk-reset", "2") as viewer:
        client.request("subscribe", hz=1)
        has_viewer(client)
        wait_until(lambda: client.request("stats")["tick"], lambda tick: tick > 60, "some time has passed")
        agent = bytes(reversed(support.STATE_COLORS["seek"]))
        wait_until(lambda: agent in display.screen().pixels, bool, "agents are drawn: a hand counts from then on")
        viewer.move(500, 300)
        viewer.move(505, 300)
        check(names(client, 1) == ["ada"], "the same world")
        wait_until(lambda: mouse(client), lambda at: at == (700, 250), "its target is where it was")


def leaves_out(display, data):
    step("a world that there is not is left out")
    with Server("ada") as server, server.connect() as client, kiosk(display, server.port, data, "gaps") as viewer:
        client.request("subscribe", hz=1)
        check(names(client, 1, 3 * PATIENCE_S) == ["bob"], "the one after it")
        wait_until(viewer.said, lambda said: "nosuch did not come" in said, "the log says which one")


def looks_only(display, data):
    step("without the role for it the world stays, and the log says so once")
    with tempfile.NamedTemporaryFile("w") as tokens:
        tokens.write(TOKENS)
        tokens.flush()
        with Server("--token-file", tokens.name, "ada") as server, server.connect() as client:
            client.request("hello", token="all-of-it-1")
            with kiosk(display, server.port, data, "two", "--token", "look-only-1", "--kiosk-reset", "1") as viewer:
                wait_until(lambda: viewer.said().count("the world that runs stays"), lambda n: n == 1, "the log says so")
                viewer.move(500, 300)
                viewer.move(505, 300)
                begun = client.request("stats")["tick"]
                wait_until(lambda: client.request("stats")["tick"], lambda tick: tick > begun + 300, "5 s pass")
                check(viewer.said().count("the world that runs stays") == 1, viewer.said())
                check(mouse(client) == (700, 250), "a viewer's role leads no target")
                check(viewer.process.poll() is None, "it runs")


def survives(display, data):
    step("a server that goes and comes back: kind words meanwhile, no address")
    with Server("ada") as server:
        port = server.port
        viewer = kiosk(display, port, data, "long")
        with viewer:
            wait_until(lambda: bright(display, SIZE[1] - 150), lambda n: n > 1500, "the caption")
            server.stop()
            wait_until(lambda: bright(display, SIZE[1] // 2), lambda n: n > 1500, "the words")
            with Server("bob", port=port) as again, again.connect() as client:
                wait_until(lambda: bright(display, SIZE[1] // 2), lambda n: n < 300, "the world")
                client.request("subscribe", hz=1)
                has_viewer(client)


def refuses_wrong_lists(data):
    step("a wrong list is refused at once, with its line")
    for name, words in (("wrong", "line 2: 'soon' is no time; expected seconds from 1 to 86400"), ("nosuch", "No such file")):
        done = subprocess.run([VIEWER, "127.0.0.1:1", "--headless", "--kiosk-list", str(data / name)], capture_output=True,
                              text=True, timeout=PATIENCE_S, env=support.viewer_environment(), stdin=subprocess.DEVNULL)
        check(done.returncode == 2 and words in done.stderr, (done.returncode, done.stderr))


def main():
    with tempfile.TemporaryDirectory(prefix="drover-kiosk-") as name:
        data = pathlib.Path(name)
        make_scenarios(data)
        os.environ["XDG_DATA_HOME"] = str(data)
        refuses_wrong_lists(data)
        with support.Display("%dx%d" % SIZE) as display:
            goes_around(display, data)
            has_one_way_out(display, data)
            puts_back(display, data)
            looks_only(display, data)
            survives(display, data)
            leaves_out(display, data)
    print("ok")


if __name__ == "__main__":
    main()
