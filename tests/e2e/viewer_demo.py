#!/usr/bin/env python3
"""`./dev demo`, with programs that are built already: its first picture, with a display and without one.

    viewer_demo.py DROVER_SERVER DROVER_VIEWER
"""

import contextlib
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

from drover_client import PATIENCE_S, ROOT, Client, server_binary, wait_for
import viewer_support as support
from viewer_support import check, step, wait_until

TEXT = (0xE6, 0xEA, 0xEF)
PROGRAMS = {"drover-viewer": support.viewer_program(__doc__), "drover-server": server_binary()}


@contextlib.contextmanager
def demo(folder, environment, *arguments):
    """Runs it; yields its process. cmake has nothing to build, missing packages are not installed, nothing is fetched."""
    tools, programs, cjson = (folder / path for path in ("tools", "build/release/bin", "build/sources/cjson"))
    for path in (tools, programs, cjson):
        path.mkdir(parents=True, exist_ok=True)
    (cjson / "cJSON.c").touch()
    (tools / "cmake").write_text("#!/bin/sh\n")
    (tools / "cmake").chmod(0o755)
    if not (folder / "scenarios").exists():
        (folder / "scenarios").symlink_to(ROOT / "scenarios")
    for name in ("dev", "packages.txt"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "packages.txt").write_text("")
    for name, path in PROGRAMS.items():
        if not (programs / name).exists():
            (programs / name).symlink_to(path)
    process = subprocess.Popen([folder / "dev", "demo", *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0,
                               env={**environment, "PATH": f"{tools}:{os.environ['PATH']}", "XDG_CONFIG_HOME": str(folder)})
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)  # ./dev stops the programs it started
        process.wait(PATIENCE_S)
        process.stdout.close()


def said_until(process, words):
    """What it has said when these words have come, and the rest of their line."""
    said, deadline = b"", time.monotonic() + PATIENCE_S
    while words not in said or not said.split(words, 1)[1].count(b"\n"):
        left = deadline - time.monotonic()
        check(left > 0 and select.select([process.stdout], [], [], left)[0], f"no {words!r}; so far {said!r}")
        data = os.read(process.stdout.fileno(), 4096)
        check(data, f"it ended; it said {said!r}")
        said += data
    return said


def port_of(said):
    """The port in "drover-server listening on 127.0.0.1:PORT"."""
    return int(said.split(b"listening on ", 1)[1].split(b"\n")[0].rsplit(b":", 1)[1])


def said_port(process):
    return port_of(said_until(process, b"listening on "))


def xdotool(display, *arguments):
    return subprocess.run(["xdotool", *arguments], env={**os.environ, "DISPLAY": display.name}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=PATIENCE_S).stdout


def trails(screen):
    """How many points between the agents are colored: trails are paler than agents, and have their colors."""
    points = [screen.pixel(x, y) for x in range(150, 1130, 6) for y in range(120, 740, 6)]
    return sum(max(p) - min(p) > 20 and max(p) < 0xB0 for p in points)


def words(screen, left, right, top, bottom):
    """How many points have the color of words."""
    return sum(screen.pixel(x, y) == TEXT for x in range(left, right) for y in range(top, bottom))


def with_display(folder):
    step("with a display: flock with its view, and a caption that says what it is")
    with support.Display() as display:
        with demo(folder, support.viewer_environment(display.name)) as process:
            with Client(said_port(process)) as client:
                check(client.hello["scenario"]["name"] == "flock", client.hello["scenario"]["name"])
            wait_for(lambda: xdotool(display, "search", "--onlyvisible", "--name", "^Drover"), "the window")
            wait_until(lambda: words(display.screen(), 200, 1000, 640, 796), lambda count: count > 300, "the caption")
            wait_until(lambda: trails(display.screen()), lambda count: count > 1200, "trails, and no panel")
            step("it goes after a while; I opens the card about the world, I closes it")
            wait_until(lambda: words(display.screen(), 200, 790, 640, 796), lambda count: count < 20, "no caption")
            for is_open in (True, False):
                xdotool(display, "key", "i")
                wait_until(lambda: words(display.screen(), 810, 1260, 44, 300),
                           lambda count, is_open=is_open: (count > 600) == is_open, f"the card, open: {is_open}")
    step("a scenario that is named is shown as ever")
    with support.Display() as display:
        with demo(folder, support.viewer_environment(display.name), "seek") as process:
            with Client(said_port(process)) as client:
                check(client.hello["scenario"]["name"] == "seek", client.hello["scenario"]["name"])


def without_display(folder):
    step("without a display: the server alone, with flock as well, and the page for browsers")
    environment = support.viewer_environment()
    with demo(folder, environment) as process:
        said = said_until(process, b"Ctrl-C")
        with Client(port_of(said)) as client:
            check(client.hello["scenario"]["name"] == "flock", client.hello["scenario"]["name"])
        page = re.search(rb"page at (http://127\.0\.0\.1:\d+/)\n", said)
        check(page, f"no page in {said!r}")
        check(b"look         " + page[1] + b" in a browser" in said, f"the page is not what is proposed: {said!r}")
        with urllib.request.urlopen(page[1].decode(), timeout=PATIENCE_S) as answer:
            check(b"<title>Drover" in answer.read(), "no page there")


def main():
    with tempfile.TemporaryDirectory(prefix="drover-demo-") as name:
        with_display(pathlib.Path(name))
        without_display(pathlib.Path(name))
    print("ok")


if __name__ == "__main__":
    main()
