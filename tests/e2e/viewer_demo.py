#!/usr/bin/env python3
"""`./dev demo`, with programs that are built already: its first picture, with a display and without one.

    viewer_demo.py DROVER_SERVER DROVER_VIEWER
"""

import contextlib
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

if len(sys.argv) != 3:
    sys.exit(__doc__)
os.environ["DROVER_SERVER"] = os.path.abspath(sys.argv[1])

from drover_client import PATIENCE_S, ROOT, Client, wait_for  # noqa: E402  (it reads DROVER_SERVER)
import viewer_support as support  # noqa: E402
from viewer_support import check, step, wait_until  # noqa: E402

PROGRAMS = {"drover-server": os.path.abspath(sys.argv[1]), "drover-viewer": os.path.abspath(sys.argv[2])}


@contextlib.contextmanager
def demo(folder, environment, *arguments):
    """Runs it; yields its process. cmake has nothing to build, and missing packages are not installed."""
    tools, programs = folder / "tools", folder / "build" / "release" / "bin"
    for path in (tools, programs):
        path.mkdir(parents=True, exist_ok=True)
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


def said_port(process):
    """The port in "drover-server listening on 127.0.0.1:PORT"."""
    said, deadline = b"", time.monotonic() + PATIENCE_S
    while b"listening on " not in said or not said.split(b"listening on ", 1)[1].count(b"\n"):
        left = deadline - time.monotonic()
        check(left > 0 and select.select([process.stdout], [], [], left)[0], f"no address; so far {said!r}")
        data = os.read(process.stdout.fileno(), 4096)
        check(data, f"it ended; it said {said!r}")
        said += data
    return int(said.split(b"listening on ", 1)[1].split(b"\n")[0].rsplit(b":", 1)[1])


def xdotool(display, *arguments):
    return subprocess.run(["xdotool", *arguments], env={**os.environ, "DISPLAY": display.name}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=PATIENCE_S).stdout


def trails(screen):
    """How many points between the agents are colored: trails are paler than agents."""
    ground = {(0x18, 0x1C, 0x22), (0x15, 0x18, 0x1D), support.STATE_COLORS["flee"], (0x0A, 0x0C, 0x0F)}
    points = [screen.pixel(x, y) for x in range(30, 990, 6) for y in range(60, 740, 6)]
    return sum(p not in ground and p[2] > p[0] + 8 and max(p) < 0xB0 for p in points)


def with_display(folder):
    step("with a display: flock, with trails, and a hint about the other scenarios")
    with support.Display() as display:
        with demo(folder, support.viewer_environment(display.name)) as process:
            with Client(said_port(process)) as client:
                check(client.hello["scenario"]["name"] == "flock", client.hello["scenario"]["name"])
            wait_for(lambda: xdotool(display, "search", "--onlyvisible", "--name", "^Drover"), "the window")
            accent = (0x58, 0xA6, 0xFF)

            def hints():  # the toast's stripe
                screen = display.screen()
                return sum(screen.pixel(x, 748) == accent for x in range(200, 640))

            wait_until(hints, lambda count: count > 2, "the hint")
            wait_until(lambda: trails(display.screen()), lambda count: count > 2000, "trails")  # some 800 without
    step("a scenario that is named is shown as ever")
    with support.Display() as display:
        with demo(folder, support.viewer_environment(display.name), "seek") as process:
            with Client(said_port(process)) as client:
                check(client.hello["scenario"]["name"] == "seek", client.hello["scenario"]["name"])


def without_display(folder):
    step("without a display: the server alone, with flock as well")
    environment = support.viewer_environment()
    with demo(folder, environment) as process:
        with Client(said_port(process)) as client:
            check(client.hello["scenario"]["name"] == "flock", client.hello["scenario"]["name"])


def main():
    with tempfile.TemporaryDirectory(prefix="drover-demo-") as name:
        with_display(pathlib.Path(name))
        without_display(pathlib.Path(name))
    print("ok")


if __name__ == "__main__":
    main()
