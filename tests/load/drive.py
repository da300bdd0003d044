#!/usr/bin/env python3
"""What driving agents costs: 10 000 agents at 60 Hz from one client.

    DROVER_SERVER=build/release/bin/drover-server tests/load/drive.py [--agents N] [--seconds S]

Prints the server's processor time for each tick without and with a client that drives all agents in each tick (two columns in
base64, a line a tick), what a line costs beside that, and whether every vector was seen in the tick after it.
"""

import argparse
import base64
import json
import os
import pathlib
import struct
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from drover_client import Server  # noqa: E402

SCENARIO = {
    "name": "Driven crowd", "seed": 3, "world": {"size": [8000, 6000], "edge": "wrap"},
    "kinds": {"drone": {"radius": 2, "max_speed": 200, "max_force": 1000000, "states": [
        {"name": "led", "when": {"driven": True}, "behaviors": [{"external": {}}]}, {"name": "free", "behaviors": [{"wander": {}}]}]}},
}


def packed(values):
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode()


def cpu_s(server):
    fields = pathlib.Path(f"/proc/{server.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(server, client, seconds, lines):
    """Milliseconds of processor time a tick, and ticks a second, of a world that runs; a line before each tick when there are any."""
    begin_tick, begin_cpu, begin = client.request("ping")["tick"], cpu_s(server), time.monotonic()
    for k in range(int(seconds * 60)):
        if lines:
            client.send_raw(lines[k % len(lines)])
        time.sleep(max(0.0, begin + (k + 1) / 60 - time.monotonic()))
    ticks = client.request("ping")["tick"] - begin_tick
    return 1000 * (cpu_s(server) - begin_cpu) / ticks, ticks / (time.monotonic() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=10000)
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    count = options.agents
    vectors = [([float((i * 7 + k) % 300 - 150) for i in range(count)], [float((i * 3 - k) % 100) for i in range(count)]) for k in range(8)]
    lines = [f'{{"op":"drive","kind":"drone","vx":"{packed(x)}","vy":"{packed(y)}"}}\n'.encode() for x, y in vectors]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "crowd.json"
        path.write_text(json.dumps({**SCENARIO, "agents": [{"kind": "drone", "count": count, "in": {"rect": [0, 0, 8000, 6000]}}]}))
        with Server(str(path)) as server, server.connect() as client:
            free = run(server, client, options.seconds, [])
            led = run(server, client, options.seconds, lines)
            client.request("pause")
            begin, begin_cpu = time.monotonic(), cpu_s(server)
            for k in range(120):
                client.send_raw(lines[k % 8][:-2] + b',"id":1}\n')
                assert client.answer_to(1)["driven"] == count
            each, each_cpu = (time.monotonic() - begin) / 120, (cpu_s(server) - begin_cpu) / 120
            right = 0
            for k in range(30):
                client.send_raw(lines[k % 8])
                client.request("step")
                agent = client.request("inspect", agent=count)["agents"][0]
                right += (agent["vx"], agent["vy"]) == (vectors[k % 8][0][-1], vectors[k % 8][1][-1])
    print(f"{count} agents, a line of {len(lines[0])} bytes a tick, {60 * len(lines[0]) / 1e6:.1f} MB/s at 60 Hz")
    print(f"wandering: {free[0]:.2f} ms of processor a tick, {free[1]:.1f} ticks/s")
    print(f"driven:    {led[0]:.2f} ms of processor a tick, {led[1]:.1f} ticks/s")
    print(f"a line:    {1000 * each_cpu:.2f} ms of processor, {1000 * each:.2f} ms until its answer")
    print(f"seen in the tick after: {right} of 30")


if __name__ == "__main__":
    main()
