#!/usr/bin/env python3
"""Two programs against one another in lock step: one drives four chasers, the other four runners.

    PYTHONPATH=clients/python examples/duel.py                      starts a server and both programs; 20 seconds of world time
    PYTHONPATH=clients/python examples/duel.py --play runner HOST:PORT    one program, for a world that you have started yourself
    PYTHONPATH=clients/python examples/duel.py --learn 20           both learn: 20 episodes, in environments in the shape of Gymnasium

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
import drover.env

SCENARIO = pathlib.Path(__file__).with_suffix(".json")
TICKS = 6  # of a turn
SIZE = (900.0, 600.0)  # px
TOUCH = 15.0  # px, the radius of a chaser and of a runner together
SPEED = {"chaser": 150.0, "runner": 160.0}  # px/s
MARGIN = 120.0  # px from a wall where runners turn away from it
LEARNED = {"chaser": (1.0, 0.3), "runner": (MARGIN, 40.0)}  # the number of each rule that is learned: at the start, and how far the next try is


def towards(x, y, length):
    size = math.sqrt(x * x + y * y)  # the same on every machine, unlike hypot
    return (x / size * length, y / size * length) if size > 0 else (0.0, 0.0)


def chase(own, others, lead=1.0):
    """Straight to where the nearest runner will be; with a lead of 0 to where it is."""
    nearest = min(others, key=lambda other: (other["x"] - own["x"]) ** 2 + (other["y"] - own["y"]) ** 2)
    ahead = lead * math.sqrt((nearest["x"] - own["x"]) ** 2 + (nearest["y"] - own["y"]) ** 2) / (2 * SPEED["chaser"])
    return towards(nearest["x"] + ahead * nearest["vx"] - own["x"], nearest["y"] + ahead * nearest["vy"] - own["y"], SPEED["chaser"])


def run(own, others, margin=MARGIN):
    """Away from all chasers, the near ones most, and from the walls."""
    x = y = 0.0
    for other in others:
        square = max(1.0, (own["x"] - other["x"]) ** 2 + (own["y"] - other["y"]) ** 2)
        x, y = x + (own["x"] - other["x"]) / square, y + (own["y"] - other["y"]) / square
    for near, sign in ((own["x"], 1.0), (SIZE[0] - own["x"], -1.0)):
        x += sign * max(0.0, margin - near) / 4000.0
    for near, sign in ((own["y"], 1.0), (SIZE[1] - own["y"], -1.0)):
        y += sign * max(0.0, margin - near) / 4000.0
    return towards(x, y, SPEED["runner"])


def sides(agents, kind):
    """Its own agents, and the others."""
    return [agent for agent in agents if agent["kind"] == kind], [agent for agent in agents if agent["kind"] != kind]


def count_touched(own, others):
    """How many of its own are touched."""
    return sum(any((a["x"] - b["x"]) ** 2 + (a["y"] - b["y"]) ** 2 <= TOUCH ** 2 for b in others) for a in own)


def play(kind, address, turns, delay):
    """One side. Returns the world's last tick and hash, and how many agents were touched, summed up over the turns."""
    rule, touched = chase if kind == "chaser" else run, 0
    with drover.connect(address, timeout=60) as world:
        with world.seat(kind, of=2, wait_ms=60000) as seat:
            world.speed(max=True)
            world.resume()  # the world was paused; it waits for both seats now
            frame, hash_ = world.snapshot(), None
            for _ in range(turns):
                own, others = sides(frame.agents(), kind)
                touched += count_touched(own, others)
                vectors = [rule(agent, others) for agent in own]
                time.sleep(random.uniform(0.0, delay))
                world.later.drive(agents=[agent["id"] for agent in own], vx=[x for x, _ in vectors], vy=[y for _, y in vectors])
                step = seat.go(TICKS, hash=True, return_="packed")
                frame, hash_ = step.frame, step.hash
        return seat.tick, hash_, touched


def learn(kind, address, episodes, turns, delay):
    """One side learns a number of its rule: each episode tries another one, and what brought more than all before is kept. Returns the world's last
    tick and hash, how many agents were touched in the best episode, and its number."""
    rule, sign = (chase, 1) if kind == "chaser" else (run, -1)
    draws, (kept, step), best = random.Random(kind), LEARNED[kind], -math.inf
    with drover.env.Env(str(SCENARIO), kind, ticks=TICKS, seconds=turns * TICKS / 60, observe=lambda moment: sides(moment.frame.agents(), kind),
                        reward=lambda moment: float(sign * count_touched(*sides(moment.frame.agents(), kind))),
                        address=address, seat=kind, of=2, wait_ms=60000) as env:
        for _ in range(episodes):
            tried = kept if best == -math.inf else max(0.0, kept + draws.uniform(-step, step))
            total, over = 0.0, False
            (own, others), info = env.reset(seed=5)  # the world has the seed of the first seat, the chasers'; the runners join
            while not over:
                time.sleep(random.uniform(0.0, delay))
                (own, others), reward, terminated, truncated, info = env.step([rule(agent, others, tried) for agent in own])
                total, over = total + reward, terminated or truncated
            if total > best:
                best, kept = total, tried
        return info["tick"], info["hash"], round(abs(best)), kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--play", nargs=2, metavar=("KIND", "HOST:PORT"), help="chaser or runner, in this world")
    parser.add_argument("--turns", type=int, default=200, help="of six ticks")
    parser.add_argument("--delay", type=float, default=0.0, help="think for up to so many seconds, at random")
    parser.add_argument("--learn", type=int, default=0, metavar="EPISODES", help="each side learns a number of its rule, in so many episodes")
    options = parser.parse_args()
    if options.play and options.learn:
        tick, hash_, touched, number = learn(*options.play, options.learn, options.turns, options.delay)
        print(f"{options.play[0]}: tick {tick}, hash {hash_}, {touched} touched at best, with {number:.3f}", flush=True)
        return 0
    if options.play:
        tick, hash_, touched = play(*options.play, options.turns, options.delay)
        print(f"{options.play[0]}: tick {tick}, hash {hash_}, {touched} touched", flush=True)
        return 0
    with drover.serve(str(SCENARIO), paused=True) as world:
        address = f"{world.address[0]}:{world.address[1]}"
        more = ["--turns", str(options.turns), "--delay", str(options.delay), "--learn", str(options.learn)]
        programs = [subprocess.Popen([sys.executable, __file__, "--play", kind, address, *more]) for kind in SPEED]
        return max(program.wait() for program in programs)


if __name__ == "__main__":
    sys.exit(main())
