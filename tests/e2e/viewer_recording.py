#!/usr/bin/env python3
"""Saved worlds and recordings in the viewer: Ctrl+S and the picker, the timeline of a recording, taking over, the viewer's own
server.

    viewer_recording.py DROVER_SERVER DROVER_VIEWER
"""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from drover_client import Client, Server, sealed, wait_for
import viewer_support as support
from viewer_support import check, step, wait_until

VIEWER = support.viewer_program(__doc__)
SIZE = (1100, 700)
ACCENT, AMBER, RED = (0x58, 0xA6, 0xFF), (0xE3, 0xB3, 0x41), (0xFF, 0x6B, 0x5E)
TEXT = (0xE6, 0xEA, 0xEF)
BUTTON, GRAVE = (0x2F, 0x6D, 0xB5), (0xA8, 0x43, 0x2F)  # of a question: usual; when agreeing loses something
LINE_Y = SIZE[1] - 19
LINE_LEFT = 182  # of the timeline of a recording
TICKS = (600, 300)  # of the two worlds


def record(folder):
    """A recording of two worlds, made by a server."""
    path = str(pathlib.Path(folder) / "two worlds.drover")
    with Server("--paused", "--record", path, "seek") as server, server.connect() as client:
        client.request("step", count=TICKS[0])
        client.request("load", scenario="wander")
        client.request("step", count=TICKS[1])
    return path


def plays(path):
    """The process numbers of servers that play this file."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if b"--replay" in words and str(path).encode() in words:
            found.append(int(entry.name))
    return found


def question(picture, color):
    """Pixels of the button that agrees."""
    return picture.count(color, SIZE[0] / 2 + 170, SIZE[1] / 2 - 20, 150)


def toast(picture, color):
    return picture.count(color, SIZE[0] / 2 - 260, SIZE[1] - 50, 255)


def is_replay(picture):
    """The word REPLAY."""
    return picture.count(ACCENT, SIZE[0] - 264 - 190, LINE_Y, 70) > 20


def own_client(viewer):
    """A client of the viewer's own server, whose port is in the viewer's log."""
    port = int(re.search(r"connected to 127\.0\.0\.1:(\d+)", viewer.said())[1])
    return Client(port)


def refused(folder):
    step("a file that is no recording: the server's words, exit 2, no window")
    path = pathlib.Path(folder) / "bad.drover"
    path.write_text("{\"op\":\"nothing\"}\n")
    notes = path.with_name("notes.txt")
    notes.write_text("no recording")
    for what in (str(path), str(path.with_name("missing.drover")), str(notes)):
        done = subprocess.run([VIEWER, what, "--headless"], env=support.viewer_environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)
        check(done.returncode == 2 and what in done.stderr, f"exit {done.returncode}: {done.stderr}")
        check(len(done.stderr) > len(what) + 20, f"the reason is said: {done.stderr}")
        check(done.stderr.count(what) == 1, f"the file is named once: {done.stderr}")


def headless(folder, path):
    step("a picture out of a recording, without a display; the server ends with the viewer")
    picture = pathlib.Path(folder) / "picture.png"
    done = subprocess.run([VIEWER, path, "--headless", "--frames", "20", "--screenshot", str(picture)],
                          env=support.viewer_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, done.stderr)
    check(support.Picture(picture).count(support.STATE_COLORS["seek"]) > 10, "an agent is in the picture")
    check(plays(path) == [], "the server is gone")


def killed(display, path):
    step("the server of a viewer that is killed ends as well")
    with support.Viewer(VIEWER, display, path, "--size", "%dx%d" % SIZE) as viewer:
        check(len(plays(path)) == 1, f"one server: {plays(path)}")
        viewer.process.send_signal(signal.SIGKILL)
        wait_for(lambda: plays(path) == [], "the server ends")


def ended(display, path):
    step("when the viewer's own server has ended, a question says so; the recording is opened again")
    with support.Viewer(VIEWER, display, path, "--size", "%dx%d" % SIZE) as viewer:
        viewer.picture(is_replay, "a replay")
        os.kill(plays(path)[0], signal.SIGKILL)
        viewer.picture(lambda p: question(p, BUTTON) > 300, "the question")
        viewer.key("Escape")
        viewer.picture(lambda p: question(p, BUTTON) == 0, "it is closed")
        viewer.key("ctrl+o")
        viewer.picture(lambda p: question(p, BUTTON) > 300, "it is asked again")
        viewer.key("Return")
        wait_for(lambda: len(plays(path)) == 1, "another server")
        viewer.picture(lambda p: is_replay(p) and p.tick is not None and question(p, BUTTON) == 0, "it is played again")


def small(display, path):
    step("a small window has the line as well, which can be dragged")
    for size, scale in (((640, 480), 1), ((640, 480), 2), ((1280, 800), 2)):
        with support.Viewer(VIEWER, display, path, "--size", "%dx%d" % size, "--ui-scale", str(scale)) as viewer:
            y, left = size[1] - 19 * scale, (LINE_LEFT if size[0] // scale > 340 else 88) * scale
            viewer.picture(lambda p: p.count((0xFF, 0xFF, 0xFF), left + 20, y, 40) > 60, "the handle")
            with own_client(viewer) as client:
                viewer.key("space")
                wait_until(lambda: client.request("stats")["paused"], bool, "Space pauses")
                viewer.move(left, y)
                viewer.press()
                wait_until(lambda: client.request("stats")["tick"], lambda tick: tick == 0, "the first tick")
                viewer.drop(left + 30 * scale, y)
                wait_until(lambda: client.request("stats")["tick"], lambda tick: tick > 30, "a later tick")
                viewer.key("ctrl+t")
                viewer.key("Return")
                wait_until(lambda: "replay" in client.request("stats"), lambda is_on: not is_on, "it is taken over")


def at_tick(client, world, tick, what):
    wait_until(lambda: client.request("stats"),
               lambda stats: stats["tick"] == tick and stats.get("replay", {}).get("world") == world, what)


def timeline(display, path):
    step("the timeline goes over the whole of the recording")
    with support.Viewer(VIEWER, display, path, "--size", "%dx%d" % SIZE) as viewer:
        viewer.picture(is_replay, "a replay")
        with own_client(viewer) as client:
            viewer.key("space")
            wait_until(lambda: client.request("stats")["paused"], bool, "Space pauses")
            viewer.key("End")
            at_tick(client, 2, TICKS[1], "End: the last tick of the last world")
            viewer.picture(lambda p: p.tick == TICKS[1], "the last tick")
            for keys, world, tick in (("Left", 2, TICKS[1] - 1), ("comma", 2, TICKS[1] - 2), ("Right", 2, TICKS[1] - 1),
                                      ("Home", 1, 0), ("Right", 1, 1), ("period", 1, 2)):
                viewer.key(keys)
                at_tick(client, world, tick, f"{keys}: tick {tick} of world {world}")
            viewer.picture(lambda p: p.tick == 2 and is_replay(p), "tick 2")
            step("the handle goes to any moment; while it is held seeks are few")
            viewer.move(LINE_LEFT, LINE_Y)
            viewer.press()
            for x in range(LINE_LEFT, LINE_LEFT + 120, 10):
                viewer.move(x, LINE_Y)
            viewer.release()
            stats = wait_until(lambda: client.request("stats"), lambda stats: stats["tick"] > 20, "a later tick")
            check(stats["replay"]["world"] == 1 and stats["tick"] < TICKS[0], f"in world 1: {stats['replay']}")
            viewer.picture(lambda p: p.tick == client.request("stats")["tick"], "the picture shows the server's tick")
            step("[ and ] change the speed, as - and = do; Ctrl+R goes to the beginning")
            viewer.key("bracketright")
            wait_until(lambda: client.request("stats")["replay"]["speed"], lambda speed: speed == 2, "twice as fast")
            viewer.key("bracketleft")
            wait_until(lambda: client.request("stats")["replay"]["speed"], lambda speed: speed == 1, "as it was")
            viewer.key("minus")
            wait_until(lambda: client.request("stats")["replay"]["speed"], lambda speed: speed == 0.5, "half as fast")
            viewer.key("0")
            wait_until(lambda: client.request("stats")["replay"]["speed"], lambda speed: speed == 1, "as it was")
            viewer.key("ctrl+r")
            at_tick(client, 1, 0, "the beginning")
            step("nothing can be changed, and a notice says why")
            viewer.move(400, 300)
            viewer.key("a")
            viewer.picture(lambda p: toast(p, RED) > 60, "the refusal")
            viewer.key("ctrl+o")
            check(client.request("list", what="kinds")["kinds"][0]["count"] == 1, "no agent more")
            step("taking over asks first; then the world is live")
            viewer.key("ctrl+t")
            viewer.picture(lambda p: question(p, BUTTON) > 300, "the question")
            viewer.key("Escape")
            check("replay" in client.request("stats"), "Esc leaves the recording alone")
            viewer.key("ctrl+t")
            viewer.key("Return")
            wait_until(lambda: "replay" in client.request("stats"), lambda is_on: not is_on, "the world is live")
            viewer.picture(lambda p: not is_replay(p), "the timeline of a live world")
            check(client.request("spawn", kind="seeker", x=10, y=10)["op"] == "reply", "requests are taken again")


def diverged(display, folder, path):
    step("from the first wrong hash on the timeline is amber")
    lines = pathlib.Path(path).read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith('{"op":"hash"') and '"tick":0,' not in line)
    lines[at] = re.sub(r'"hash":"[0-9a-f]{16}"', '"hash":"0123456789abcdef"', lines[at])
    bad = str(pathlib.Path(folder) / "diverged.drover")
    pathlib.Path(bad).write_text(sealed("\n".join(lines) + "\n"))
    with support.Viewer(VIEWER, display, bad, "--size", "%dx%d" % SIZE) as viewer:
        viewer.picture(lambda p: p.count(AMBER, LINE_LEFT + 120, LINE_Y, 120) > 30, "an amber mark")


def names(client):
    return [row["name"] for row in client.request("list", what="saves")["saves"]]


def saves(display):
    step("Ctrl+S saves under the proposed name; a name that is taken asks once")
    with Server("--paused", "seek") as server, server.connect() as client:
        client.request("step", count=120)
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
            viewer.picture(lambda p: p.tick == 120, "tick 120")
            viewer.key("ctrl+s")
            viewer.picture(lambda p: question(p, BUTTON) > 300, "the question for a name")
            viewer.key("Return")
            wait_until(lambda: names(client), lambda found: found == ["seek-120"], "it is saved")
            client.request("step", count=60)
            viewer.key("ctrl+s")
            viewer.key("BackSpace")  # the proposal is selected
            viewer.type("seek-120")
            viewer.key("Return")
            viewer.picture(lambda p: question(p, GRAVE) > 300, "replace it?")
            check(client.request("list", what="saves")["saves"][0]["tick"] == 120, "not before the user agrees")
            viewer.key("Return")
            wait_until(lambda: client.request("list", what="saves")["saves"][0]["tick"], lambda tick: tick == 180, "it is replaced")
            step("the picker loads saved worlds and removes them")
            client.request("step", count=60)
            viewer.key("ctrl+o")
            viewer.frames()
            viewer.type("seek120")
            viewer.picture(lambda p: p.count(TEXT, 400, 400, 200) == 0, "no other row")
            viewer.key("Return")
            wait_until(lambda: client.request("stats")["tick"], lambda tick: tick == 180, "the saved world")
            viewer.picture(lambda p: p.tick == 180, "it is shown")
            viewer.key("ctrl+o")
            viewer.frames()
            viewer.type("seek120")
            viewer.picture(lambda p: p.count(TEXT, 400, 400, 200) == 0, "no other row")
            viewer.key("Delete")
            viewer.picture(lambda p: question(p, GRAVE) > 300, "remove it?")
            check(names(client) == ["seek-120"], "not before the user agrees")
            viewer.key("Return")
            wait_until(lambda: names(client), lambda found: found == [], "it is removed")


def records(display, folder):
    step("F8 records and stops; a red dot meanwhile; Ctrl+L keeps the last minute")
    with Server("--recordings", str(folder), "seek") as server, server.connect() as client:
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE) as viewer:
            viewer.picture(lambda p: p.tick is not None, "a picture")
            viewer.key("F8")
            wait_until(lambda: client.request("stats"), lambda stats: "recording" in stats, "it records")
            viewer.picture(lambda p: p.count(RED, SIZE[0] - 150, 16, 150) > 40, "a red dot")
            viewer.key("F8")
            wait_until(lambda: client.request("stats"), lambda stats: "recording" not in stats, "it stops")
            viewer.picture(lambda p: p.count(RED, SIZE[0] - 150, 16, 150) == 0, "no dot")
            wait_for(lambda: len(list(pathlib.Path(folder).glob("*.drover*"))) == 1, "a file")
            time.sleep(support.TOAST_S)  # earlier toasts are gone
            viewer.key("ctrl+l")
            viewer.picture(lambda p: toast(p, ACCENT) > 60, "where the last minute is kept")
            wait_for(lambda: len(list(pathlib.Path(folder).glob("*.drover*"))) == 2, "a second file")


def main():
    with tempfile.TemporaryDirectory(prefix="drover-recording-") as folder, support.Display() as display:
        path = record(folder)
        refused(folder)
        headless(folder, path)
        killed(display, path)
        ended(display, path)
        small(display, path)
        timeline(display, path)
        diverged(display, folder, path)
        saves(display)
        with tempfile.TemporaryDirectory(prefix="drover-recordings-") as recordings:
            records(display, recordings)
    print("ok")


if __name__ == "__main__":
    main()
