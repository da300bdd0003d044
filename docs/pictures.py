#!/usr/bin/env python3
"""Makes the pictures of docs/images: each scenario, paused and stepped to a tick that shows what it is about.

    docs/pictures.py BIN_DIRECTORY [demo | SCENARIO ...]
"""
import json
import pathlib
import socket
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# scenario: (tick, with forces)
TICKS = {"seek": (50, True), "seek_mass": (60, True), "boids_target": (90, True), "seek_and_flee": (60, True),
         "arrive": (150, True), "offset_pursuit": (400, False), "interpose": (200, True), "wander": (300, True),
         "pursue_and_evade": (200, True), "multiple_pursuit": (150, False), "hunters_and_prey": (160, False),
         "formation": (400, False), "boids": (2400, False), "crossing_crowds": (700, False),
         "follow_leader": (600, False), "queue": (1500, False), "circle_swap": (520, False), "corridor": (1500, False),
         "starlings": (2400, False), "containment": (500, False), "doorway": (3600, False), "pedestrians": (3600, False),
         "figure_of_eight": (2400, False), "murmuration_10k": (3600, False), "murmuration_100k": (3600, False),
         "labyrinth": (1320, False), "measured_door": (1200, False), "avoid_agents": (300, True), "guard": (1540, False), "million": (600, False),
         "low_speed_turn": (260, False), "herd": (1500, False), "walk": (900, False), "station": (2400, False), "level_crossing": (1620, False),
          "map_drive": (1000, False), "escort": (900, False)}
UNASKED = {"million", "throng", "great_hunt"}  # a minute and more; only when they are named


# Where a hand points while the world goes on.
CURSORS = {"shepherds": (640, 380)}


def step(connection, count, cursor):
    stream = connection.makefile("rwb")
    stream.readline()
    if cursor:
        stream.write(json.dumps({"op": "cursor", "x": cursor[0], "y": cursor[1]}).encode() + b"\n")
    stream.write(json.dumps({"op": "step", "id": 1, "count": count}).encode() + b"\n")
    stream.flush()
    return json.loads(stream.readline())


def picture(folder, scenario):
    tick, has_forces = TICKS.get(scenario, (600, False))
    server = subprocess.Popen([folder / "drover-server", scenario, "--paused", "--port", "0", "--log", "error"],
                              stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().split()[-1]
        host, port = address.rsplit(":", 1)
        target = HERE / "images" / f"{scenario}.png"
        with socket.create_connection((host, int(port)), timeout=300) as connection:
            step(connection, tick, CURSORS.get(scenario))
            subprocess.run([folder / "drover-viewer", address, "--headless", "--size", "800x540", "--fixed-dt", "16",
                            "--frames", "3", "--screenshot", target] + ["--forces"] * has_forces, check=True)
        print(f"{target.name}: tick {tick}, {target.stat().st_size} bytes")
    finally:
        server.terminate()
        server.wait(5)


def demo(folder):
    """What ./dev demo shows, ten seconds after it began: trails are left by what was seen."""
    server = subprocess.Popen([folder / "drover-server", "flock", "--port", "0", "--log", "error"],
                              stdout=subprocess.PIPE, text=True)
    try:
        target = HERE / "images" / "demo.png"
        subprocess.run([folder / "drover-viewer", server.stdout.readline().split()[-1], "--headless", "--size", "1000x620",
                        "--panel", "off", "--frames", "600", "--overlays", "trails", "--screenshot", target], check=True)
        print(f"{target.name}: {target.stat().st_size} bytes")
    finally:
        server.terminate()
        server.wait(5)


def main():
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.strip())
        return
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    if sys.argv[2:] == ["demo"]:
        return demo(folder)
    names = sys.argv[2:] or sorted(path.stem for path in (HERE.parent / "scenarios").glob("*.json")
                                   if path.stem not in UNASKED)
    for name in names:
        picture(folder, name)


if __name__ == "__main__":
    main()
