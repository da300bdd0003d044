#!/usr/bin/env python3
"""A server that does not keep up with its own rate: the viewer says so, also without the panel, and does not say so for a server that keeps up.

    viewer_slow.py DROVER_SERVER DROVER_VIEWER
"""

import json
import pathlib
import tempfile
import time

from drover_client import Server
import viewer_support as support
from viewer_support import check, step

VIEWER = support.viewer_program(__doc__)
SIZE = (640, 480)
OK, WARN = (0x3F, 0xB9, 0x50), (0xE3, 0xB3, 0x41)
# 16 million pairs a tick, 480 ticks a second: more than one thread does anywhere
HEAP = {"name": "A heap of birds with a title that is longer than the bar of a small window is wide", "seed": 3,
        "tick_hz": 480, "world": {"size": [400, 300], "edge": "wrap"},
        "kinds": {"bird": {"max_speed": 60, "max_force": 120, "radius": 2,
                           "behaviors": [{"flock": {"separation_radius": 10, "alignment_radius": 150, "cohesion_radius": 150}}]}},
        "agents": [{"kind": "bird", "count": 4000, "in": {"rect": [0, 0, 400, 300]}}]}


def dot(picture, color):
    return picture.count(color, SIZE[0] / 2, 16, SIZE[0] / 2)


def is_slow(display, folder):
    step("a world behind its rate: amber, though its title is longer than the bar; green again when it keeps up")
    path = pathlib.Path(folder) / "heap.json"
    path.write_text(json.dumps(HEAP))
    with Server("--threads", "1", path) as server, server.connect() as client:
        with support.Viewer(VIEWER, display, server.port, "--size", "%dx%d" % SIZE, "--panel", "off") as viewer:
            viewer.picture(lambda p: dot(p, WARN) > 30 and dot(p, OK) == 0, "behind")
            begin, start = client.request("stats"), time.monotonic()
            time.sleep(2.0)  # over which its rate is measured
            end = client.request("stats")
            factor = (end["tick"] - begin["tick"]) / 480 / (time.monotonic() - start)
            check(factor < 0.9, f"the world is behind: {factor:.2f}x")
            client.request("load", scenario="seek")
            viewer.picture(lambda p: dot(p, OK) > 30 and dot(p, WARN) == 0, "the next world keeps up", timeout=60.0)


def main():
    with support.Display() as display, tempfile.TemporaryDirectory(prefix="drover-slow-") as folder:
        is_slow(display, folder)
    print("ok")


if __name__ == "__main__":
    main()
