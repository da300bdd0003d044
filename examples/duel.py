#!/usr/bin/env python3
"""Two programs against one another in lock step: one drives four chasers, the other four runners.

    PYTHONPATH=clients/python examples/duel.py                      starts a server and both programs; 20 seconds of world time
    PYTHONPATH=clients/python examples/duel.py --play runner HOST:PORT    one program, for a world that you have started yourself

Each program takes a seat and says `go` ten times a second of world time: six ticks begin when both have. It makes no difference how
long a program thinks, which one is faster, or what the network does: the last hash is the same in every run, which --delay lets one see.
A program that dies loses its seat, and the world is paused when one does not answer for a minute.
"""

import argparse
import math
import pathlib
import random
import subprocess
import sys
import time

import drover

SCENARIO = pathlib.Path(__file__).with_suffix(".json")
TICKS = 6  # of a turn
SIZE = (900.0, 600.0)  # px
TOUCH = 15.0  # px, the radius of a chaser and of a runner together
SPEED = {"chaser": 150.0, "runner": 160.0}  # px/s
MARGIN = 120.0  # px from a wall where runners turn away from it


def towards(x, y, length):
    size = math.sqrt(x * x + y * y)  # the same on every machine, unlike hypot
    return (x / size * length, y / size * length) if size > 0 else (0.0, 0.0)


def chase(own, others):
    """Straight to where the nearest runner will be."""
    nearest = min(others, key=lambda other: (other["x"] - own["x"]) ** 2 + (other["y"] - own["y"]) ** 2)
    ahead = math.sqrt((nearest["x"] - own["x"]) ** 2 + (nearest["y"] - own["y"]) ** 2) / (2 * SPEED["chaser"])
    return towards(nearest["x"] + ahead * nearest["vx"] - own["x"], nearest["y"] + ahead * nearest["vy"] - own["y"], SPEED["chaser"])


def run(own, others):
    """Away from all chasers, the near ones most, and from the walls."""
    x = y = 0.0
    for other in others:
        square = max(1.0, (own["x"] - other["x"]) ** 2 + (own["y"] - other["y"]) ** 2)
        x, y = x + (own["x"] - other["x"]) / square, y + (own["y"] - other["y"]) / square
    for near, sign in ((own["x"], 1.0), (SIZE[0] - own["x"], -1.0)):
        x += sign * max(0.0, MARGIN - near) / 4000.0
    for near, sign in ((own["y"], 1.0), (SIZE[1] - own["y"], -1.0)):
        y += sign * max(0.0, MARGIN - near) / 4000.0
    return towards(x, y, SPEED["runner"])


def play(kind, address, turns, delay):
    """One side. Returns the world's last tick and hash, and how many agents were touched, summed up over the turns."""
    rule, touched = chase if kind == "chaser" else run, 0
    with drover.connect(address, timeout=60) as world:
        with world.seat(kind, of=2, wait_ms=60000) as seat:
            world.speed(max=True)
            world.resume()  # the world was paused; it waits for both seats now
            frame, hash_ = world.snapshot(), None
            for _ in range(turns):
                agents = frame.agents()
                own = [agent for agent in agents if agent["kind"] == kind]
                others = [agent for agent in agents if agent["kind"] != kind]
                touched += sum(any((a["x"] - b["x"]) ** 2 + (a["y"] - b["y"]) ** 2 <= TOUCH ** 2 for b in others) for a in own)
                vectors = [rule(agent, others) for agent in own]
                time.sleep(random.uniform(0.0, delay))
                world.later.drive(agents=[agent["id"] for agent in own], vx=[x for x, _ in vectors], vy=[y for _, y in vectors])
                step = seat.go(TICKS, hash=True, return_="packed")
                frame, hash_ = step.frame, step.hash
        return seat.tick, hash_, touched


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--play", nargs=2, metavar=("KIND", "HOST:PORT"), help="chaser or runner, in this world")
    parser.add_argument("--turns", type=int, default=200, help="of six ticks")
    parser.add_argument("--delay", type=float, default=0.0, help="think for up to so many seconds, at random")
    options = parser.parse_args()
    if options.play:
        tick, hash_, touched = play(*options.play, options.turns, options.delay)
        print(f"{options.play[0]}: tick {tick}, hash {hash_}, {touched} touched", flush=True)
        return 0
    with drover.serve(str(SCENARIO), paused=True) as world:
        address = f"{world.address[0]}:{world.address[1]}"
        more = ["--turns", str(options.turns), "--delay", str(options.delay)]
        sides = [subprocess.Popen([sys.executable, __file__, "--play", kind, address, *more]) for kind in SPEED]
        return max(side.wait() for side in sides)


if __name__ == "__main__":
    sys.exit(main())
