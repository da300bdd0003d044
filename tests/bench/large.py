#!/usr/bin/env python3
"""One world of as many agents as memory holds, in one server: what an agent takes of memory, and a tick of time.

Birds that merely flock, each with about ten neighbors, on a torus of at most 100 000 px. The server is paused and does so
many ticks by one `step`.

usage: large.py SERVER [AGENTS [TICKS [THREADS]]]     10 000 000 agents, 100 ticks, 2 threads
"""

import json
import math
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

NEIGHBORS = 10.0
LARGEST = 100000.0  # px
SIGHT = 20.0  # px, as long as the world is large enough


def scenario(agents):
    side = min(LARGEST, SIGHT * math.sqrt(math.pi * agents / NEIGHBORS))
    sight = side * math.sqrt(NEIGHBORS / (math.pi * agents))
    flock = {
        "separation_radius": 0.3 * sight,
        "separation_weight": 1.2,
        "alignment_radius": 0.6 * sight,
        "alignment_weight": 0.6,
        "cohesion_radius": sight,
        "cohesion_weight": 0.25,
    }
    bird = {"radius": 0.05 * sight, "max_speed": 2.5 * sight, "max_force": 5.0 * sight, "behaviors": [{"flock": flock}]}
    return {
        "name": "Large",
        "tick_hz": 20,
        "world": {"size": [side, side], "edge": "wrap"},
        "kinds": {"bird": bird},
        "agents": [{"kind": "bird", "count": agents, "in": {"rect": [0, 0, side, side]}}],
    }


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.lines = self.socket.makefile("r", encoding="utf-8")

    def ask(self, op, **members):
        self.socket.sendall((json.dumps({"op": op, "id": op, **members}) + "\n").encode())
        while True:
            message = json.loads(self.lines.readline())
            if message.get("id") == op:
                return message


def status(pid, name):
    found = re.search(rf"^{name}:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8"), re.MULTILINE)
    return int(found[1]) * 1024


def measure(server, agents, ticks, threads, folder):
    path = pathlib.Path(folder, "large.json")
    path.write_text(json.dumps(scenario(agents)), encoding="utf-8")
    command = [server, "--port", "0", "--paused", "--threads", str(threads), "--max-agents", str(agents), str(path)]
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            if not line:
                return process.wait() or 1
            client = Client(int(re.search(r":(\d+)", line)[1]))
            print(f"{agents} agents, {threads} threads: built in {time.monotonic() - begin:.1f} s", flush=True)
            start = time.monotonic()
            answer = client.ask("step", count=ticks)
            if answer["op"] != "reply":
                raise SystemExit(answer)
            print(f"{ticks} ticks and a hash in {time.monotonic() - start:.1f} s; hash {answer['hash']}")
            step = client.ask("stats")["phases_ms"]["step"]
            middle = step["p50"] / 1000.0
            print(f"{middle:.3f} s a tick ({middle / agents * 1e9:.1f} ns an agent), the longest {step['max'] / 1000.0:.3f} s")
            most = status(process.pid, "VmHWM")
            print(f"{most / 1e9:.2f} GB resident at most, {most / agents:.1f} bytes an agent")
        finally:
            process.terminate()
    return 0


def main():
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.strip())
        return
    if not 2 <= len(sys.argv) <= 5 or sys.argv[1].startswith("-") or not all(w.isdecimal() for w in sys.argv[2:]):
        raise SystemExit(__doc__)
    agents, ticks, threads = (int(word) for word in (sys.argv[2:] + ["10000000", "100", "2"][len(sys.argv) - 2 :]))
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(measure(sys.argv[1], agents, ticks, threads, folder))


if __name__ == "__main__":
    main()
