#!/usr/bin/env python3
"""Measures steps of learning environments (drover.env), six ticks each with a vector for every agent, in seconds of processor of this
process: in process by libdrover-sim, and, in seconds of the wall, over a server of its own.

usage: python_env.py [--brief] [AGENTS]...     by default 1, 100 and 1000 agents; --brief: a tenth of the steps
       DROVER_SIM_LIBRARY names the library, DROVER_SERVER_PROGRAM the server; the interpreter decides whether numpy is there.
"""

import array
import json
import math
import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "clients/python"))

import drover.env  # pylint: disable=wrong-import-position
import drover.sim  # pylint: disable=wrong-import-position
from drover.columns import numpy_module  # pylint: disable=wrong-import-position

TICKS, ROUNDS, WORLDS = 6, 3, 8
SPEED = 30.0  # px/s, within the agents' max_speed


def crowd(agents):
    """A torus of agents that a client drives, 2500 px^2 for each."""
    side = max(400, math.ceil(math.sqrt(2500 * agents)))
    return {"name": "Driven crowd", "description": "For the bench.", "world": {"size": [side, side], "edge": "wrap"},
            "kinds": {"drone": {"max_speed": 60, "max_force": 600, "behaviors": [{"external": {"hold": 12}}]}},
            "agents": [{"kind": "drone", "count": agents, "in": {"rect": [0, 0, side, side]}}]}


def rate(step, steps, clock=time.process_time):
    """Steps a second of the best of some rounds, which others on the machine disturb least."""
    best = math.inf
    for _ in range(ROUNDS):
        began = clock()
        for _ in range(steps):
            step()
        best = min(best, clock() - began)
    return steps / best


def action_of(agents):
    numpy = numpy_module()
    return [(SPEED, 0.0)] * agents if numpy is None else numpy.full((agents, 2), (SPEED, 0.0), "f4")


def columns(moment):
    return moment.frame.px.x


def measure(agents, path, share):
    steps = max(20, round(min(20000, 800000 / agents) * share))
    ids, vx, vy = array.array("I", range(1, agents + 1)), array.array("f", [SPEED]) * agents, array.array("f", [0.0]) * agents
    with drover.sim.Simulation(path) as world:
        yield "sim.Simulation.turn", rate(lambda: world.turn(TICKS, ids, vx, vy), steps)
    action = action_of(agents)
    for name, observe in (("Env in process, columns", columns), ("Env in process, Nearest(4)", None)):
        with drover.env.Env(path, "drone", observe=observe, in_process=True) as env:
            env.reset(seed=1)
            yield name, rate(lambda env=env: env.step(action), steps)
    for threads in (1, 2):
        with drover.env.VectorEnv(WORLDS, path, "drone", threads=threads) as envs:
            envs.reset(seed=1)
            rows = [action] * WORLDS
            yield (f"VectorEnv, {WORLDS} worlds, {threads} thread{'s'[:threads - 1]}, Nearest(4), wall",
                   WORLDS * rate(lambda envs=envs: envs.step(rows), max(5, steps // WORLDS), time.perf_counter))
    for name, observe, count in (("Env over a server, columns, wall", columns, steps // 10), ("Env over a server, Nearest(4), wall", None, min(steps // 10, 20000 // agents))):
        with drover.env.Env(path, "drone", observe=observe) as env:
            env.reset(seed=1)
            yield name, rate(lambda env=env: env.step(action), max(5, count), time.perf_counter)


def main(arguments):
    if {"-h", "--help"} & set(arguments):
        print(__doc__.strip())
        return
    counts = [argument for argument in arguments if argument != "--brief"]
    if not all(count.isdigit() and int(count) > 0 for count in counts):
        raise SystemExit(__doc__)
    share = 0.1 if "--brief" in arguments else 1.0
    numpy = numpy_module()
    print(f"Python {sys.version.split()[0]}, numpy {numpy.__version__ if numpy else 'none'}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; steps/s")
    with tempfile.TemporaryDirectory() as folder:
        for agents in list(map(int, counts)) or [1, 100, 1000]:
            path = pathlib.Path(folder) / "crowd.json"
            path.write_text(json.dumps(crowd(agents)))
            for name, steps in measure(agents, str(path), share):
                print(f"{agents:6} agents  {name:48} {steps:10.0f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
