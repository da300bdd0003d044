#!/usr/bin/env python3
"""Pictures of scenarios after some simulated seconds without a mouse, side by side, to be looked at: with the scenario's own
view, and with the trails of the TRAILS_S before.

    scenario_sheets.py DROVER_SERVER DROVER_VIEWER FOLDER [--seconds 0,5,20] [--size 480x300] [--rows 6]
                       [--scenarios DIR] [--flags "VIEWER FLAGS"] [SCENARIO ...]

FOLDER/NAME-SECONDS.png are the pictures, FOLDER/sheet-N.png the contact sheets: a row for each scenario, a column for each moment.
Without names: all scenarios but those in UNASKED, which take minutes.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess

from PIL import Image

from drover_client import ROOT, Server
import viewer_support as support

support.viewer_program(__doc__, takes_more=True)
UNASKED = {"million", "murmuration_100k", "throng"}
LIMIT_S = 120
TRAILS_S = 4
GAP_PX = 4


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("viewer", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", default="0,5,20")
    parser.add_argument("--size", default="480x300")
    parser.add_argument("--rows", type=int, default=6)
    parser.add_argument("--scenarios", type=pathlib.Path, default=ROOT / "scenarios")
    parser.add_argument("--flags", default="")
    parser.add_argument("names", nargs="*")
    return parser.parse_intermixed_args()


def take(asked, name):
    """A list of the files, in the order of the moments. Moments count from the end of the warm-up."""
    files = []
    warmup = json.loads((asked.scenarios / f"{name}.json").read_text()).get("warmup", 0)
    with Server(name, "--paused", "--log", "error", "--scenarios", str(asked.scenarios.resolve())) as server:
        tick = 0
        for second in [warmup + int(text) for text in asked.seconds.split(",")]:
            with server.connect() as client:
                hz = client.hello["scenario"]["tick_hz"]
                due, begin = round(second * hz), max(tick, round((second - TRAILS_S) * hz))
                if begin > tick:
                    client.send("step", id=1, count=begin - tick)
                    client.answer_to(1, LIMIT_S)
            files.append(asked.folder / f"{name}-{second - warmup}.png")
            subprocess.run([asked.viewer, f"127.0.0.1:{server.port}", "--headless", "--size", asked.size, "--fixed-dt", "16",
                            "--frames", "20", "--advance", str((due - begin) / hz), "--screenshot", files[-1],
                            *shlex.split(asked.flags)],
                           env=support.viewer_environment(), stdin=subprocess.DEVNULL, check=True, timeout=LIMIT_S)
            tick = due
    return files


def sheet(path, lines):
    """lines: for each scenario its files."""
    pictures = [[support.Picture(file).image for file in files] for files in lines]
    across, down = (size + GAP_PX for size in pictures[0][0].size)
    whole = Image.new("RGB", (across * max(map(len, pictures)) - GAP_PX, down * len(pictures)), (90, 90, 90))
    for row, band in enumerate(pictures):
        for column, picture in enumerate(band):
            whole.paste(picture, (across * column, down * row))
    whole.save(path)


def main():
    asked = arguments()
    asked.folder.mkdir(parents=True, exist_ok=True)
    names = asked.names or sorted({path.stem for path in asked.scenarios.glob("*.json")} - UNASKED)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        taken = list(pool.map(lambda name: take(asked, name), names))
    for number, first in enumerate(range(0, len(taken), asked.rows), 1):
        path = asked.folder / f"sheet-{number}.png"
        sheet(path, taken[first:first + asked.rows])
        print(path, *names[first:first + asked.rows])


if __name__ == "__main__":
    main()
