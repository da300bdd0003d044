#!/usr/bin/env python3
"""Pictures without a display, and the viewer's messages when it cannot make one.

    viewer_headless.py DROVER_SERVER DROVER_VIEWER [--write]

--write replaces the golden pictures in tests/golden/pictures: look at them.
"""

import math
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

from drover_client import ROOT, Server, wait_for
import viewer_support as support
from viewer_support import check, step

VIEWER = support.viewer_program(__doc__, takes_more=True)
WRITES = sys.argv[3:] == ["--write"]
SIZE = (640, 480)
LIMIT_S = 90
LEGEND = (260, 300)  # where the legend may cover the world, from the top left: scales and many states
TUTORIALS = {"seek", "seek_mass", "boids_target", "seek_and_flee", "arrive"}


def run_viewer(*arguments):
    return subprocess.run([VIEWER, *arguments], env=support.viewer_environment(), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=LIMIT_S)


def take(port, path, *arguments):
    done = run_viewer(f"127.0.0.1:{port}", "--headless", "--screenshot", str(path), "--size", "%dx%d" % SIZE, "--own-view", *arguments)
    check(done.returncode == 0, f"a headless picture: exit {done.returncode}, {done.stderr}")
    return support.Picture(path)


def is_covered(agent, at, others, camera):
    """By the legend, or by what is drawn after it."""
    if at[0] < LEGEND[0] and at[1] < LEGEND[1]:
        return True
    if not (0 <= at[0] < SIZE[0] and support.BAR_PX < at[1] < SIZE[1]):
        return True
    return any(math.dist(at, camera.to_window(o["x"], o["y"])) < 30 for o in others if o["id"] != agent["id"])


def without_descriptors(folder):
    step("started without standard descriptors")
    path = pathlib.Path(folder, "closed.png")
    with Server("seek", "--paused") as server:
        for closed in ((0,), (2,), (0, 1, 2)):
            done = subprocess.run([VIEWER, f"127.0.0.1:{server.port}", "--headless", "--log", "debug", "--screenshot", str(path)],
                                  env=support.viewer_environment(), timeout=LIMIT_S,
                                  preexec_fn=lambda: [os.close(descriptor) for descriptor in closed])
            check(done.returncode == 0, f"closed {closed}: exit {done.returncode}")
            support.Picture(path)
            path.unlink()


def every_scenario(folder):
    giants = ("murmuration_100k", "million", "throng", "great_hunt")  # an agent of these scenarios is less than a pixel here
    names = sorted(path.stem for path in (ROOT / "scenarios").glob("*.json") if path.stem not in giants)
    check(len(names) >= 5, f"scenarios: {names}")
    for name in names:
        with Server(name, "--paused") as server, server.connect() as client:
            step(f"{name}: every agent is where the snapshot says")
            check(client.request("step", count=30)["op"] == "reply", "the world can be stepped")
            snapshot = client.snapshot()
            picture = take(server.port, folder / f"{name}.png", "--frames", "10")
            camera = support.Camera(client.hello["scenario"]["size"], SIZE)
            seen = 0
            for agent in snapshot["agents"]:
                at = camera.to_window(agent["x"], agent["y"])
                if not is_covered(agent, at, snapshot["agents"], camera):
                    check(max(picture.pixel(*at)) > 0x60, f"{name}: {agent} at {at} is {picture.pixel(*at)}, the ground")
                    seen += 1
            # In a crowd every agent may be covered by another; the tutorials have no crowds.
            check(seen > 0 or name not in TUTORIALS, f"{name}: no agent could be checked: {snapshot['agents']}")


def legend_covers_nothing(folder):
    laptop = (1366, 768)
    for name, size in (("capture_the_flag", (960, 600)), ("hide", (960, 600)), ("offset_pursuit", (960, 600)), ("capture_the_flag", laptop)):
        with Server(name, "--paused") as server, server.connect() as client:
            step(f"{name}, {size[0]} px wide: the whole world is beside the legend")
            path = folder / f"{name}_beside.png"
            done = run_viewer(f"127.0.0.1:{server.port}", "--headless", "--screenshot", str(path), "--size", "%dx%d" % size, "--frames", "10",
                              "--panel", "on" if size == laptop else "off")
            check(done.returncode == 0, f"exit {done.returncode}, {done.stderr}")
            picture, camera = support.Picture(path), support.Camera(client.hello["scenario"]["size"], size, panel=size == laptop)
            ends = max(x for x in range(size[0] // 2) if picture.pixel(x, 60) == support.PANEL_COLOR)
            check(100 < ends < camera.x, f"{name}: the legend ends at {ends} px, the world begins at {camera.x:.0f} px")
            agents = client.snapshot()["agents"]
            seen = sum(max(picture.pixel(*camera.to_window(agent["x"], agent["y"]))) > 0x60 for agent in agents)
            check(seen >= 0.8 * len(agents), f"{name}: {seen} of {len(agents)} agents are where the snapshot says")  # names cover some


def pictures_repeat(folder):
    with Server("seek", "--paused") as server:
        step("--fixed-dt gives the same picture twice; --forces another")
        take(server.port, folder / "a.png", "--frames", "5", "--fixed-dt", "16")
        take(server.port, folder / "b.png", "--frames", "5", "--fixed-dt", "16")
        check((folder / "a.png").read_bytes() == (folder / "b.png").read_bytes(), "two pictures of one world are equal")
        plain = support.Picture(folder / "a.png")
        forced = take(server.port, folder / "c.png", "--frames", "60", "--fixed-dt", "16", "--forces")  # forces may come late on a busy machine
        check(plain.count(support.DESIRED) == 0 and forced.count(support.DESIRED) > 20, "--forces shows force arrows")


# The picture, to the pixel but for rounding: at most this share of pixels may differ by more than 24 of 255.
GOLDEN = ROOT / "tests" / "golden" / "pictures"
TOLERANCE = 0.0005
GOLDEN_PICTURES = {  # scenario: ticks, flags
    "seek": (50, ["--forces"]),
    "capture_the_flag": (240, ["--palette", "classic"]),
    "hunters_and_prey": (160, ["--select", "2", "--panel", "on", "--overlays", "velocity,steering,behaviors,radii,grid"]),
    # neighbors, zones, and the places that flock and wander aim at
    "flock": (400, ["--select", "50", "--overlays", "velocity,steering,radii,neighbors,places"]),
}


def compare(name, folder, taken, write):
    path = GOLDEN / f"{name}.png"
    if write:
        GOLDEN.mkdir(exist_ok=True)
        path.write_bytes((folder / f"golden-{name}.png").read_bytes())
        return
    share = support.difference(taken, support.Picture(path))
    if share > TOLERANCE:
        kept = pathlib.Path(tempfile.gettempdir()) / f"drover-golden-{name}.png"
        kept.write_bytes((folder / f"golden-{name}.png").read_bytes())
        raise AssertionError(f"{100 * share:.2f} % of the pixels differ from {path}; the new picture is kept as {kept}")


def golden_pictures(folder, write):
    for name, (ticks, flags) in GOLDEN_PICTURES.items():
        step(f"{name}: the golden picture")
        with Server(name, "--paused") as server, server.connect() as client:
            client.request("step", count=ticks)
            # frames until the replies about parameters and forces arrive
            taken = take(server.port, folder / f"golden-{name}.png", "--frames", "60", "--fixed-dt", "16", *flags)
        compare(name, folder, taken, write)


def past(client):
    """A minute and a half, marks, requests, and two branches that were left, one of them beyond now."""
    def rewind(ticks):
        wait_for(lambda: client.request("rewind", ticks=ticks)["op"] == "reply", "the checkpoints are made")
    client.request("step", count=900)
    client.request("mark", name="start")
    client.request("set_param", kind="prey", param="max_speed", value=120)
    client.request("step", count=4800)
    rewind(1500)
    client.request("step", count=300)
    client.request("set_param", kind="hunter", param="max_speed", value=170)
    client.request("mark", name="faster")
    client.request("step", count=500)
    rewind(300)
    client.request("step", count=100)


def timeline(folder, write):
    step("the timeline with marks, requests and branches: the golden picture")
    with Server("hunters_and_prey", "--paused") as server, server.connect() as client:
        past(client)
        picture = take(server.port, folder / "golden-timeline.png", "--frames", "12", "--fixed-dt", "16", "--panel", "on", "--size", "1000x520")
    compare("timeline", folder, picture, write)


def man_page():
    step("the man page has every flag of --help, and no other")
    flags = set(re.findall(r"^ +(--[a-z-]+)", run_viewer("--help").stdout, re.MULTILINE))
    page = (ROOT / "docs" / "drover-viewer.1").read_text().replace("\\-", "-")
    named = set(re.findall(r"^\.BR?I? (--[a-z-]+)", page, re.MULTILINE)) | {"--version"}
    check(len(flags) > 15 and flags | {"--help", "--version"} == named, f"--help and the man page differ: {flags ^ named}")


def ffmpeg_is_missing(folder):
    step("--clip without ffmpeg says what to install")
    with Server("seek") as server:
        environment = {**support.viewer_environment(), "PATH": str(folder)}
        done = subprocess.run([VIEWER, f"127.0.0.1:{server.port}", "--headless", "--clip", str(folder / "a.mp4")],
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S)
        check(done.returncode == 1 and "ffmpeg" in done.stderr and "install" in done.stderr, f"no ffmpeg: {done.stderr!r}")


def refusals(folder):
    step("no display, no server, a server that says nothing, a bad flag: one clear line each")
    with Server("seek") as server:
        done = run_viewer(f"127.0.0.1:{server.port}")
        check(done.returncode == 2 and "no display" in done.stderr and "--headless" in done.stderr,
              f"without a display: exit {done.returncode}, {done.stderr!r}")
        bad = folder / "no such folder" / "x.png"
        done = run_viewer(f"127.0.0.1:{server.port}", "--headless", "--frames", "2", "--screenshot", str(bad))
        check(done.returncode == 1 and str(bad) in done.stderr, f"a file that cannot be written: {done.stderr!r}")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        done = run_viewer(f"127.0.0.1:{port}", "--headless", "--frames", "2", "--no-reconnect")
        check(done.returncode == 1 and "refused" in done.stderr, f"no server: exit {done.returncode}, {done.stderr!r}")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        picture = folder / "silent.png"
        done = run_viewer(f"127.0.0.1:{silent.getsockname()[1]}", "--headless", "--frames", "2", "--screenshot",
                          str(picture))
        check(done.returncode == 1 and "no snapshot" in done.stderr and not picture.exists(),
              f"a silent server: exit {done.returncode}, {done.stderr!r}")
    done = run_viewer("--size", "5x5")
    check(done.returncode == 2 and "--size" in done.stderr, f"a bad size: exit {done.returncode}, {done.stderr!r}")


def main():
    with tempfile.TemporaryDirectory(prefix="drover-headless-") as name:
        folder = pathlib.Path(name)
        without_descriptors(folder)
        every_scenario(folder)
        legend_covers_nothing(folder)
        pictures_repeat(folder)
        golden_pictures(folder, WRITES)
        timeline(folder, WRITES)
        man_page()
        ffmpeg_is_missing(folder)
        refusals(folder)
    print("ok")


if __name__ == "__main__":
    main()
