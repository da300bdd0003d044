#!/usr/bin/env python3
"""Measures the Python client: lock-step beside a raw socket, and a reader of many packed agents beside json.loads of objects.

usage: python_client.py [lockstep|reader]...
       python_client.py --check     both, and fails when lock-step has less than half of the socket's rate, or a frame takes more processor
                                    time than there is at 30 Hz; a noisy machine gets several tries
       DROVER_SERVER_PROGRAM names the server; the interpreter decides whether numpy is there.
"""

import json
import os
import pathlib
import socket
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "clients/python"))

import drover  # pylint: disable=wrong-import-position
from drover.columns import numpy_module  # pylint: disable=wrong-import-position

AGENTS = 100000
SECONDS = 4.0
TRIES = 5


ROUNDS, STEPS = 9, 1000


def raw_steps(port):
    """The shortest script: one socket, one reader of lines."""
    with socket.create_connection(("127.0.0.1", port)) as made:
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with made.makefile("rb") as lines:
            lines.readline()
            began, used = time.perf_counter(), time.process_time()
            for number in range(STEPS):
                made.sendall(json.dumps({"op": "step", "id": number}).encode() + b"\n")
                json.loads(lines.readline())
            return time.perf_counter() - began, time.process_time() - used


def client_steps(port):
    with drover.connect(port) as world:
        began, used = time.perf_counter(), time.process_time()
        for _ in range(STEPS):
            world.step()
        return time.perf_counter() - began, time.process_time() - used


def lockstep():
    """The least time of several rounds, which others on the machine disturb least."""
    for scenario in ("seek", "boids"):
        with drover.serve(scenario, paused=True) as world:
            raw, client = zip(*((raw_steps(world.address[1]), client_steps(world.address[1])) for _ in range(ROUNDS)))
        raw_wall, client_wall = min(wall for wall, _ in raw), min(wall for wall, _ in client)
        raw_used, client_used = min(used for _, used in raw), min(used for _, used in client)
        print(f"lock-step {scenario}: raw {STEPS / raw_wall:.0f}/s ({raw_used / STEPS * 1e6:.0f} us of processor a step), "
              f"client {STEPS / client_wall:.0f}/s ({client_used / STEPS * 1e6:.0f} us), ratio {raw_wall / client_wall:.2f}")
        yield raw_wall / client_wall >= 0.5


def crowd(folder):
    """A scenario of agents that do as little as possible, so that the server is not what is measured."""
    path = pathlib.Path(folder) / "crowd.json"
    path.write_text(json.dumps({"name": "Crowd", "description": "For the bench.", "world": {"size": [8000, 8000], "edge": "wrap"}, "tick_hz": 30,
                                "kinds": {"walker": {"max_speed": 60, "max_force": 60, "behaviors": [{"wander": {}}]}},
                                "agents": [{"kind": "walker", "count": AGENTS, "in": {"rect": [0, 0, 8000, 8000]}}]}))
    return str(path)


def reader():
    backends = [False] + ([True] if numpy_module() else [])
    with tempfile.TemporaryDirectory() as folder, drover.serve(crowd(folder)) as world:
        for numpy in backends:
            for names in (("x", "y"), ("x", "y", "vx", "vy", "heading", "state")):
                used = measure_reader(world.address[1], numpy, names)
                yield used < 1 / 30 or (not numpy and len(names) > 2)  # without numpy two columns, not all of them
        measure_objects(world.address[1])


def measure_reader(port, numpy, names):
    with drover.connect(port, numpy=numpy) as world:
        frames = missed = 0
        spent = time.process_time()
        watch = world.watch(hz=30, fields="pos vel heading state kind", timeout=30)
        next(watch)
        began = time.perf_counter()
        while time.perf_counter() - began < SECONDS:
            frame = next(watch)
            for name in names:
                column = getattr(frame, name)
                len(column)
            frames, missed = frames + 1, missed + frame.missed
        wall, spent = time.perf_counter() - began, time.process_time() - spent
        watch.close()
    print(f"reader of {AGENTS} packed agents, {'numpy' if numpy else 'no numpy'}, {' '.join(names)}: {frames / wall:.1f} Hz, "
          f"{missed} missed, {spent / max(frames, 1) * 1000:.1f} ms of processor a frame")
    return spent / max(frames, 1)


def measure_objects(port):
    with drover.connect(port) as world:
        taken = []
        world.on("line", lambda line: taken.append(line) if line.startswith(b'{"op":"snapshot"') else None)
        next(world.watch(layout="objects", hz=1, timeout=60))
        used = []
        for _ in range(3):
            began = time.process_time()
            json.loads(taken[0])
            used.append(time.process_time() - began)
        print(f"json.loads of the same as objects, {len(taken[0]) / 1e6:.1f} MB: {min(used) * 1000:.0f} ms of processor a frame")


def main(wanted):
    if {"-h", "--help"} & set(wanted):
        print(__doc__.strip())
        return
    if wanted != ["--check"] and set(wanted) - {"lockstep", "reader"}:
        raise SystemExit(__doc__)
    print(f"Python {sys.version.split()[0]}, load {os.getloadavg()[0]:.1f}")
    measures = {"lockstep": lockstep, "reader": reader}
    if wanted != ["--check"]:
        for name in wanted or measures:
            list(measures[name]())
        return
    for name, measure in measures.items():
        if not any(all(measure()) for _ in range(TRIES)):
            raise SystemExit(f"{name}: too slow in {TRIES} tries")


if __name__ == "__main__":
    main(sys.argv[1:])
