#!/usr/bin/env python3
"""A golden picture of every scenario after some ticks.

    viewer_pictures.py DROVER_SERVER DROVER_VIEWER [--write] [SCENARIO ...]

--write replaces tests/golden/pictures/scenarios (all, or the named ones): look at them.

Every pixel may differ a little (another version of the font rasterizer, another libm), but no layer may be missing:
at most 0.5 % of the whole picture's pixels differ by more than 8 of 255 in some channel (a grid that is not drawn is 1 to
3 %), and of the world, where it is not under the bar or the legend, at most 0.03 % by more than 24 (one agent that is not
drawn is 0.05 %). On the machine the pictures were made on, files are equal byte for byte.
"""

import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

from PIL import Image

from drover_client import ROOT, Server
import viewer_support as support
from viewer_support import check, step

VIEWER = support.viewer_program(__doc__, takes_more=True)
WRITES = "--write" in sys.argv[3:]
ASKED = [name for name in sys.argv[3:] if name != "--write"]
GOLDEN = ROOT / "tests" / "golden" / "pictures" / "scenarios"
SIZE = (480, 300)
LIMIT_S = 90
MOST_BYTES = 3_300_000  # of all of them, in the repository
WHOLE, WORLD = (0.005, 8), (0.0003, 24)  # the share of pixels that may differ by more than this
# Ticks: enough to show the point of a scenario, few enough to wait for with all sanitizers on.
TICKS = {"seek": 50, "seek_mass": 60, "boids_target": 90, "seek_and_flee": 60, "doorway": 400, "corridor": 300, "labyrinth": 900,
         "murmuration_10k": 4, "murmuration_100k": 1, "million": 0, "throng": 1, "great_hunt": 4, "guard": 1540, "walk": 600, "station": 1800}
# The second reply counts a crowd in the picture's cells; it may be late on a busy machine.
FRAMES = {"murmuration_100k": 60, "million": 60, "throng": 60}
WHOLE_WORLDS = {"million", "throng", "great_hunt"}  # their views are near, where agents come one by one, some frames later
# Beside a world its twin, with another value of a parameter from tick 60 on.
TWINS = {"flock_twin": ("flock", {"kind": "bird", "param": "max_speed", "value": 70})}
FORCES = {"seek", "seek_mass", "arrive", "wander"}


def scenarios():
    names = sorted([path.stem for path in (ROOT / "scenarios").glob("*.json")] + list(TWINS))
    check(len(names) >= 39, f"scenarios: {names}")
    check(not set(ASKED) - set(names), f"no such scenario: {set(ASKED) - set(names)}")
    return ASKED or names


def take(name, path, *flags):
    scenario, twin = TWINS.get(name, (name, None))
    with Server(scenario, "--paused", "--log", "error") as server:
        ticks = TICKS.get(name, 150)
        if ticks > 0:
            with server.connect() as client:
                if twin is not None:
                    client.request("step", count=60)
                    client.request("compare", **twin)
                    ticks -= 60
                client.request("step", count=ticks)
        forces = ["--forces"] if name in FORCES and not flags else []
        forces += ["--own-view"] if name in WHOLE_WORLDS else []
        done = subprocess.run([VIEWER, f"127.0.0.1:{server.port}", "--headless", "--size", "%dx%d" % SIZE, "--fixed-dt", "16",
                               "--frames", str(FRAMES.get(name, 12)), "--screenshot", str(path), *forces, *flags],
                              env=support.viewer_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT_S)
        check(done.returncode == 0, f"{name}: exit {done.returncode}, {done.stderr}")


def share(mine, other, limit, skipped):
    """Of the pixels of the picture outside the skipped boxes: how many differ by more than limit."""
    check(mine.image.size == other.image.size, "pictures of one size")
    mask = Image.new("L", mine.image.size, 255)
    for box in skipped:
        mask.paste(0, box)
    return support.differing(mine, other, limit, mask) / mask.histogram()[255]


def differences(path, golden):
    """What is wrong, in words; "" for nothing."""
    if path.read_bytes() == golden.read_bytes():
        return ""
    mine, other = support.Picture(path), support.Picture(golden)
    words = []
    beside = ((0, 0, mine.width, support.BAR_PX), (0, 0, *support.LEGEND))
    for what, (most, limit), skipped in (("all", WHOLE, ()), ("the world", WORLD, beside)):
        found = share(mine, other, limit, skipped)
        if found > most:
            words.append(f"{100 * found:.3f} % of {what} differs by more than {limit} ({100 * most} % may)")
    return ", ".join(words)


def compare(name, folder):
    path, golden = folder / f"{name}.png", GOLDEN / f"{name}.png"
    take(name, path)
    if WRITES:
        golden.write_bytes(path.read_bytes())
        return ""
    if not golden.exists():
        return f"{name}: no golden picture; make it with --write {name} and look at it"
    found = differences(path, golden)
    if not found:
        return ""
    kept = pathlib.Path(tempfile.gettempdir()) / f"drover-golden-{name}.png"
    kept.write_bytes(path.read_bytes())
    return f"{name}: {found}; the new picture is kept as {kept}"


def tells_layers_apart(folder):
    step("a grid that is too much and vectors that are left out are noticed")
    for flags in (["--overlays", "velocity,desired,steering,grid"], ["--overlays", "grid"]):
        path = folder / "other.png"
        take("seek", path, *flags)
        check(differences(path, GOLDEN / "seek.png") != "", f"seek with {flags} passes for seek with all of it")


def main():
    names = scenarios()
    with tempfile.TemporaryDirectory(prefix="drover-pictures-") as place:
        folder = pathlib.Path(place)
        step(f"{len(names)} scenarios, {'written' if WRITES else 'compared'}")
        GOLDEN.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrong = [words for words in pool.map(lambda name: compare(name, folder), names) if words]
        check(not wrong, "\n".join(wrong))
        if not ASKED:
            unknown = {path.stem for path in GOLDEN.glob("*.png")} - set(names)
            check(not unknown, f"golden pictures of no scenario: {unknown}")
            tells_layers_apart(folder)
    size = sum(path.stat().st_size for path in GOLDEN.glob("*.png"))
    check(size <= MOST_BYTES, f"the golden pictures have {size} bytes, more than {MOST_BYTES}")
    print(f"ok, {size} bytes")


if __name__ == "__main__":
    main()
