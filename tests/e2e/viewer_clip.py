#!/usr/bin/env python3
"""Clips through the real ffmpeg: size, length, rate and one frame of an MP4 and a GIF, by --clip and by F9.

    viewer_clip.py DROVER_SERVER DROVER_VIEWER

The viewer's output to ffmpeg is tested without it as well (viewer_tools).
"""

import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time

from drover_client import Server, wait_for
import viewer_support as support
from viewer_support import check, step

VIEWER = support.viewer_program(__doc__)
SIZE = (481, 301)  # odd: an MP4 has even sizes
LIMIT_S = 90

# A state that has its behavior's name and color.
WALKERS = {
    "name": "Walkers", "world": {"size": [1000, 700], "edge": "wrap"},
    "kinds": {"walker": {"radius": 9, "max_speed": 110, "max_force": 220, "behaviors": [{"wander": {}}]}},
    "agents": [{"kind": "walker", "count": 36, "in": {"rect": [0, 0, 1000, 700]}}],
}


def probe(path):
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", str(path)],
                          capture_output=True, text=True, timeout=LIMIT_S)
    check(done.returncode == 0, f"ffprobe {path}: {done.stderr}")
    streams = json.loads(done.stdout)["streams"]
    check(len(streams) == 1, f"one stream: {streams}")
    return streams[0]


def frame(path, at_s, out):
    done = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-ss", str(at_s), "-i", str(path), "-frames:v", "1",
                           "-pix_fmt", "rgb24", str(out)], capture_output=True, text=True, timeout=LIMIT_S)
    check(done.returncode == 0, f"a frame of {path}: {done.stderr}")
    return support.Picture(out)


def share_off(a, b, limit):
    """The share of common pixels that differ by more than limit."""
    width, height = min(a.width, b.width), min(a.height, b.height)
    off = sum(any(abs(i - j) > limit for i, j in zip(a.pixel(x, y), b.pixel(x, y)))
              for y in range(height) for x in range(width))
    return off / (width * height)


def by_flag(folder):
    step("--clip: two seconds of a paused world, as MP4 and as GIF, the frame in it is the picture")
    with Server("avoid_obstacles", "--paused") as server, server.connect() as client:
        client.request("step", count=60)
        for name, size, rate, frames in (("clip.mp4", (480, 300), "30/1", 60), ("-odd:name.gif", SIZE, "15/1", 30)):
            done = subprocess.run([VIEWER, f"127.0.0.1:{server.port}", "--headless", "--size", "%dx%d" % SIZE, "--fixed-dt",
                                   "40", "--frames", "50", "--screenshot", "still.png", "--panels-in", "all",
                                   f"--clip={name}"], cwd=folder,
                                  env=support.viewer_environment(), stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=LIMIT_S)
            check(done.returncode == 0 and done.stderr == "", f"{name}: exit {done.returncode}, {done.stderr}")
            path = folder / name
            stream = probe(path)
            check((stream["width"], stream["height"]) == size, f"{name}: {stream['width']}x{stream['height']}, not {size}")
            check(stream["r_frame_rate"] == rate, f"{name}: {stream['r_frame_rate']}, not {rate}")
            check(abs(int(stream["nb_read_frames"]) - frames) <= 1, f"{name}: {stream['nb_read_frames']} frames, not {frames}")
            check(abs(float(stream["duration"]) - 2.0) < 0.1, f"{name}: {stream['duration']} s")
            # a still world from the first snapshot's frame on; compression rounds colors along edges
            off = share_off(frame(path, 1.5, folder / "frame.png"), support.Picture(folder / "still.png"), 60)
            check(off < 0.01, f"{name}: {100 * off:.2f} % of a frame's pixels are not the picture's")


def without_panels(folder):
    step("a clip has the world alone: neither bar nor panels, nor room for them")
    with Server("avoid_obstacles", "--paused") as server:
        done = subprocess.run([VIEWER, f"127.0.0.1:{server.port}", "--headless", "--size", "1200x700", "--fixed-dt", "40",
                               "--frames", "20", "--panel", "on", "--clip", "world.mp4"], cwd=folder,
                              env=support.viewer_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT_S)
        check(done.returncode == 0, done.stderr)
        stream, size = probe(folder / "world.mp4"), (1200 - support.PANEL[0], 700 - support.BAR_PX - support.PANEL[1])
        check((stream["width"], stream["height"]) == size, f"{stream['width']}x{stream['height']}, not {size}")
        picture = frame(folder / "world.mp4", 0.3, folder / "frame.png")
        bright = sum(min(picture.pixel(x, y)) > 200 for x in range(0, picture.width, 2) for y in range(16))
        check(bright == 0, f"{bright} bright pixels where the bar would be")


def by_key(folder):
    step("F9, two seconds of a running world, F9: a clip of as long")
    (folder / "walkers.json").write_text(json.dumps(WALKERS))
    with support.Display() as display, Server(folder / "walkers.json") as server, server.connect() as client:
        with support.Viewer(VIEWER, display, server.port, "--size", "640x400") as viewer:
            viewer.picture(lambda p: p.count(support.STATE_COLORS["wander"]) > 50, "agents")
            viewer.key("F9")
            begin, tick = time.monotonic(), client.request("ping")["tick"]
            wait_for(lambda: client.request("ping")["tick"] > tick + 120, "two seconds of the world")
            viewer.key("F9")
            lasted = time.monotonic() - begin
            made = pathlib.Path(viewer.folder.name)
            # ffmpeg has ended when the file can be read
            wait_for(lambda: b"moov" in b"".join(p.read_bytes() for p in made.glob("drover-*.mp4")), "the clip is whole")
            stream = probe(next(made.glob("drover-*.mp4")))
            check((stream["width"], stream["height"]) == (640, 368), f"{stream['width']}x{stream['height']}")
            check(stream["r_frame_rate"] == "30/1", stream["r_frame_rate"])
            # as long as the recording: a slow machine repeats frames
            check(abs(float(stream["duration"]) - lasted) < 0.7, f"{stream['duration']} s, not {lasted:.1f}")
            first = frame(next(made.glob("drover-*.mp4")), 0.1, folder / "first.png")
            last = frame(next(made.glob("drover-*.mp4")), float(stream["duration"]) - 0.3, folder / "last.png")
            check(share_off(first, last, 60) > 0.002, "the world moves in it")


def has_ended(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def is_not_held_up(folder):
    step("an ffmpeg that never reads holds up neither the picture nor the end of the viewer, and is killed")
    fake, started = folder / "ffmpeg", folder / "pid"
    fake.write_text(f"#!/bin/sh\necho $$ > '{started}.new'\nmv '{started}.new' '{started}'\nexec sleep 3600\n")
    fake.chmod(0o755)
    path = {"PATH": f"{folder}:{os.environ['PATH']}"}
    with support.Display() as display, Server("flock") as server:
        for by_hand in (False, True):
            with support.Viewer(VIEWER, display, server.port, "--size", "640x400", environment=path) as viewer:
                before = viewer.picture(lambda p: p.tick is not None, "a world")
                viewer.key("F9")
                wait_for(started.exists, "the stand-in runs")
                pid = int(started.read_text())
                started.unlink()
                after = viewer.picture(lambda p: p.tick > before.tick, "a later picture")
                viewer.picture(lambda p: p.tick > after.tick + 30, "and another one")
                if by_hand:
                    viewer.key("ctrl+q")
                    check(viewer.ends() == 1, f"no clip: exit 1, {viewer.said()}")
                wait_for(lambda pid=pid: has_ended(pid), "the stand-in is killed")
                check("took nothing of the clip" in viewer.said() or not by_hand, viewer.said())


def small_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


def is_missed(folder):
    step("--clip with an ffmpeg that ends at once, and without room for the file: the viewer says so and ends with 1")
    (folder / "ffmpeg").write_text("#!/bin/sh\nexit 3\n")
    (folder / "ffmpeg").chmod(0o755)
    with Server("avoid_obstacles", "--paused") as server:
        for path, prepare in ((f"{folder}:{os.environ['PATH']}", None), (os.environ["PATH"], small_files)):
            done = subprocess.run([VIEWER, f"127.0.0.1:{server.port}", "--headless", "--size", "480x300", "--fixed-dt", "40",
                                   "--frames", "30", "--clip", "lost.mp4"], cwd=folder, stdin=subprocess.DEVNULL,
                                  env={**support.viewer_environment(), "PATH": path}, capture_output=True, text=True,
                                  timeout=LIMIT_S, preexec_fn=prepare, check=False)
            check(done.returncode == 1 and "drover-viewer: ffmpeg" in done.stderr, f"{path}: exit {done.returncode}, {done.stderr!r}")


def main():
    with tempfile.TemporaryDirectory(prefix="drover-clip-") as place:
        by_flag(pathlib.Path(place))
        without_panels(pathlib.Path(place))
        by_key(pathlib.Path(place))
        is_not_held_up(pathlib.Path(place))
        is_missed(pathlib.Path(place))
    print("ok")


if __name__ == "__main__":
    main()
