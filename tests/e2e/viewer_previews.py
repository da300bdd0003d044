#!/usr/bin/env python3
"""The preview pictures of the scenarios, which the list of scenarios in the window shows: scenarios/previews/NAME.png.

    viewer_previews.py DROVER_SERVER DROVER_VIEWER [--write] [SCENARIO ...]

A preview is what the scenario's own view shows AT_S after its warm-up, with the trails of the TRAILS_S before, without bar and panels,
at half size. They are made again and compared; --write replaces them (all but those of UNASKED, or the named ones): look at them.
Those of UNASKED take minutes with sanitizers: without being named they must be there and of the right size.

At most 2 % of the pixels may differ by more than 32 of 255 in some channel (another version of libm or of a compiler); another
moment or another color differs by more.
"""

import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

from drover_client import ROOT, Server
import viewer_support as support
from viewer_support import check, step

VIEWER = support.viewer_program(__doc__, takes_more=True)
WRITES = "--write" in sys.argv[3:]
ASKED = [name for name in sys.argv[3:] if name != "--write"]
PREVIEWS = ROOT / "scenarios" / "previews"
SIZE, LIMIT_S = (240, 150), 300
AT_S, TRAILS_S = 5, 3
AT = {"seek": 2, "arrive": 1.9, "seek_mass": 2, "seek_and_flee": 3, "separation": 3, "doorway": 8, "corridor": 8, "labyrinth": 18, "map_drive": 9, "escort": 12, "avoid_agents": 6,
      "circle_swap": 3, "queue": 9, "follow_path": 8, "follow_wall": 8, "guard": 27, "figure_of_eight": 10, "shepherds": 20, "murmuration_100k": 0,
      "million": 2}
UNASKED = {"million", "murmuration_10k", "murmuration_100k", "throng", "great_hunt"}
FRAMES = {"million": 150, "murmuration_10k": 60, "murmuration_100k": 60, "throng": 60}  # frames of a crowd may be late on a busy machine
DIFFERENT, MOST = 32, 0.02


def take(name, path):
    scenario = json.loads((ROOT / "scenarios" / f"{name}.json").read_text())
    end_s = scenario.get("warmup", 0) + AT.get(name, AT_S)
    trails_s = min(TRAILS_S, end_s) if scenario.get("view", {}).get("trails") else 0
    with Server(name, "--paused", "--log", "error", "--scenarios", str(ROOT / "scenarios")) as server:
        begin = round((end_s - trails_s) * scenario.get("tick_hz", 60))
        if begin > 0:
            with server.connect() as client:
                client.send("step", id=1, count=begin)
                client.answer_to(1, LIMIT_S)
        done = subprocess.run([VIEWER, f"127.0.0.1:{server.port}", "--headless", "--bare", "--size", "%dx%d" % (2 * SIZE[0], 2 * SIZE[1]),
                               "--fixed-dt", "16", "--frames", str(FRAMES.get(name, 12)), "--advance", str(trails_s),
                               "--screenshot", str(path)],
                              env=support.viewer_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S)
        check(done.returncode == 0, f"{name}: exit {done.returncode}, {done.stderr}")


def compare(name, folder):
    """What is wrong, in words; "" for nothing."""
    path, kept = folder / f"{name}.png", PREVIEWS / f"{name}.png"
    if not WRITES and not kept.exists():
        return f"{name}: no preview; make it with --write {name} and look at it"
    if name in UNASKED and name not in ASKED:
        there = support.Picture(kept) if kept.exists() else None
        return "" if WRITES or (there.width, there.height) == SIZE else f"{name}: {there.width} x {there.height}"
    take(name, path)
    taken = support.Picture(path)
    taken.image = taken.image.reduce(2)
    if WRITES:
        taken.image.save(kept, optimize=True)
        return ""
    found = support.difference(taken, support.Picture(kept), DIFFERENT)
    return f"{name}: {100 * found:.2f} % of the preview differs; made before the last change?" if found > MOST else ""


def main():
    names = sorted(path.stem for path in (ROOT / "scenarios").glob("*.json"))
    check(not set(ASKED) - set(names), f"no such scenario: {set(ASKED) - set(names)}")
    asked = ASKED or names
    PREVIEWS.mkdir(exist_ok=True)
    step(f"{len(asked)} previews, {'written' if WRITES else 'compared'}")
    with tempfile.TemporaryDirectory(prefix="drover-previews-") as place:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrong = [words for words in pool.map(lambda name: compare(name, pathlib.Path(place)), asked) if words]
    check(not wrong, "\n".join(wrong))
    unknown = {path.stem for path in PREVIEWS.glob("*.png")} - set(names)
    check(not unknown, f"previews of no scenario: {unknown}")
    if not WRITES and not ASKED:
        step("another moment is noticed")
        check(support.difference(*(support.Picture(PREVIEWS / f"{name}.png") for name in ("flock", "boids")), DIFFERENT) > MOST, "the preview of boids passes for that of flock")
    print("ok")


if __name__ == "__main__":
    main()
