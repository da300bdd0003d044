#!/usr/bin/env python3
"""Actions that the viewer's role may not do are refused at once, never shown as done. No token or a wrong one: a box that stays.

    viewer_roles.py DROVER_SERVER DROVER_VIEWER
"""

import contextlib
import subprocess
import tempfile
import time

from drover_client import Server
import viewer_support as support
from viewer_support import check, step, wait_until

VIEWER = support.viewer_program(__doc__)
SIZE = (1100, 700)
OK, WARN, BAD, FAINT = (0x3F, 0xB9, 0x50), (0xE3, 0xB3, 0x41), (0xFF, 0x6B, 0x5E), (0x92, 0x9C, 0xA9)
GRAY_KNOB = (0xA8, 0xAB, 0xAE)
TEXT, EDGE = (0xE6, 0xEA, 0xEF), (0x3D, 0x46, 0x53)  # of tooltips, toasts and boxes
AMBER_S = 120.0  # a busy machine, whose world is late, has the dot amber for so long at most
TOKENS = "viewer look-only-1 Vera\noperator move-them-1 Otto\nadmin all-of-it-1\n"


@contextlib.contextmanager
def guarded_server(scenario):
    with tempfile.NamedTemporaryFile("w") as tokens:
        tokens.write(TOKENS)
        tokens.flush()
        with Server("--token-file", tokens.name, scenario) as server:
            yield server


def dot(picture, color):
    """Pixels of the state's dot: in the bar, after the title."""
    return picture.count(color, 120, 16, 120)


def toast(picture, color):
    """Pixels of its stripe, at the bottom."""
    return picture.count(color, SIZE[0] / 2 - 240, SIZE[1] - 50, 240)


def buttons(picture, color):
    """Pixels of the pause and the step button."""
    return picture.count(color, 40, SIZE[1] - 19, 34)


def live(picture):
    return picture.count(OK, 804, SIZE[1] - 19, 14)


def is_paused(client):
    return client.request("stats")["paused"]


def is_refused(viewer):
    """Presses Space. The words are gone after seconds, which a picture may take, and those about the picture follow."""
    viewer.key("space")
    return toast(viewer.frames(1), BAD) > 60


def refused_pause(display):
    step("a viewer's Space is refused in words, at once; the world is shown as it is: running")
    with guarded_server("wander") as server, server.connect() as client:
        client.request("hello", token="all-of-it-1")
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE, "--token", "look-only-1") as viewer:
            viewer.picture(lambda p: dot(p, OK) > 30 and live(p) > 20, "a running world", timeout=AMBER_S)
            time.sleep(support.TOAST_S)  # earlier toasts are gone
            check(any(is_refused(viewer) for _ in range(10)), "the refusal")
            for _ in range(10):  # a viewer without the rule showed it as paused indefinitely
                viewer.picture(lambda p: dot(p, OK) > 30 and dot(p, WARN) == 0, "still running", timeout=AMBER_S)
            check(not is_paused(client), "the world runs")
            step("pause and step are gray, and their tooltip says why; sliders are gray")
            grey = viewer.picture(lambda p: buttons(p, FAINT) > 30, "gray buttons")
            check(buttons(grey, TEXT) == 0, "none of them is bright")
            viewer.move(24, SIZE[1] - 19)
            viewer.picture(lambda p: p.count(EDGE, 120, SIZE[1] - 85, 60) > 100, "the tooltip")
            viewer.key("k")
            viewer.picture(lambda p: p.count(GRAY_KNOB, 966, 560, 118) > 100 and p.count((255, 255, 255), 966, 560, 118) == 0,
                           "gray knobs")
            step("what others do is shown: an admin pauses")
            client.request("pause")
            viewer.picture(lambda p: dot(p, WARN) > 30, "paused")
            viewer.key("space")
            viewer.frames()
            check(is_paused(client), "a viewer does not resume it")
            viewer.picture(lambda p: dot(p, WARN) > 30 and dot(p, OK) == 0, "still paused")


def operators(display):
    step("an operator moves targets and adds agents, but does not pause or load")
    with guarded_server("seek") as server, server.connect() as client:
        client.request("hello", token="all-of-it-1")
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE, "--token", "move-them-1") as viewer:
            camera = support.Camera(client.hello.get("scenario", {}).get("size", (800, 480)), SIZE, panel=True)
            wanted = camera.to_world(300.5, 300.5)

            def target():
                viewer.move(299, 300)
                viewer.move(300, 300)
                found = client.request("list", what="targets")["targets"][0]
                return found["x"], found["y"]

            wait_until(target, lambda at: max(abs(at[0] - wanted[0]), abs(at[1] - wanted[1])) < 1.0, "the target follows")
            viewer.key("a")
            viewer.click()
            wait_until(lambda: client.request("list", what="kinds")["kinds"][0]["count"], lambda n: n == 2, "an agent more")
            viewer.key("Escape")
            viewer.key("space")
            viewer.key("bracketright")
            viewer.key("ctrl+o")
            viewer.frames()
            check(not is_paused(client), "it runs")
            shown = viewer.picture(lambda p: dot(p, OK) > 30, "running", timeout=AMBER_S)
            check(shown.pixel(SIZE[0] / 2, 100) != (0x12, 0x15, 0x1A), "the picker is not open")
            check(client.request("list", what="kinds")["kinds"][0]["name"] == "seeker", "the scenario is the same")


def quick_presses(display):
    step("an admin's two quick presses pause and resume: the second does not wait for the first one's answer")
    with Server("seek") as server, server.connect() as client:
        client.request("subscribe", layout="events")
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
            viewer.picture(lambda p: dot(p, OK) > 30, "running", timeout=AMBER_S)
            viewer._xdotool("key", "--delay", "10", "space", "space")  # at once would be an auto-repeat
            for wanted in ("paused", "resumed"):
                event = client.receive_op("event")["event"]
                while event == "target":  # the pointer may lie over the world
                    event = client.receive_op("event")["event"]
                check(event == wanted, f"{wanted}, not {event}")
            viewer.picture(lambda p: dot(p, OK) > 30 and dot(p, WARN) == 0, "running", timeout=AMBER_S)


def boxes():
    box = (SIZE[0] / 2, SIZE[1] / 2)
    with contextlib.ExitStack() as stack:
        viewers = []
        for arguments, what in ([], "no token"), (["--token", "wrong-wrong"], "a wrong token"):
            step(f"{what}: a box that stays; nothing is running or live")
            server, display = stack.enter_context(guarded_server("wander")), stack.enter_context(support.Display())
            viewers.append(stack.enter_context(support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE, *arguments)))
            viewers[-1].picture(lambda p: p.count(EDGE, *box, 120) > 200, "the box")
        time.sleep(12.0)  # longer than a toast, and than the server waits for a token
        for viewer in viewers:
            late = viewer.frames(1)
            check(late.count(EDGE, *box, 120) > 200, "the box is still there")
            check(dot(late, OK) == 0 and live(late) == 0, "nothing is running or live")
            check(dot(late, BAD) > 30, "the state is red")


def headless():
    for arguments, words in ([], "This server wants a token"), (["--token", "wrong-wrong"], "The token was refused"):
        step(f"headless: \"{words}\", at once, exit 1")
        with guarded_server("wander") as server:
            begin = time.monotonic()
            done = subprocess.run([VIEWER, f"127.0.0.1:{server.port}", "--headless", *arguments],
                                  env=support.viewer_environment(), stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=60)
            took = time.monotonic() - begin
            check(done.returncode == 1 and words in done.stderr and "--token SECRET" in done.stderr,
                  f"exit {done.returncode}, {done.stderr!r}")
            check("wrong-wrong" not in done.stderr, "a token is not printed")
            check(took < 8.0, f"at once, not after {took:.1f} s")


def main():
    headless()
    with support.Display() as display:
        refused_pause(display)
        operators(display)
        quick_presses(display)
    boxes()
    print("ok")


if __name__ == "__main__":
    main()
