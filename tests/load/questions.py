"""Viewers that send queries all the time: their cost to the ticks of the world, and the replies per second.

    DROVER_SERVER=PATH questions.py [--scenario hunters_and_prey] [--sessions 30] [--at-once 10] [--seconds 6] [--rate 0]

First sessions send `ping`, --at-once of them, wait for the replies and send the next ones; then the same with
`get_params`, then with `inspect` of 16 agents. --rate is the server's, 0 for no limit. Prints the figures of `stats` for the phase `commands`, lateness
and dropped ticks, and the longest wait of a session for its replies.
"""

import argparse
import json
import pathlib
import selectors
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from drover_client import Server

READ_BYTES = 1 << 20


class Asker:
    """One session: its request, the number of pending replies, the time of the slowest round (s)."""

    def __init__(self, port, lines, count):
        self.lines, self.count = lines, count
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.answers, self.slowest = -1, 0.0  # the hello
        self.ask()

    def ask(self):
        self.asked = time.monotonic()
        self.left = self.count
        self.socket.sendall(self.lines)

    def read(self):
        lines = self.socket.recv(READ_BYTES).count(b"\n")
        first = self.answers < 0
        self.answers += lines
        self.left -= lines - (1 if first else 0)
        if self.left <= 0:
            self.slowest = max(self.slowest, time.monotonic() - self.asked)
            self.ask()


def measure(server, request, sessions, at_once, seconds):
    """Queries to one world for some seconds -> (stats, replies per second, longest wait in s)."""
    lines = (json.dumps(request) + "\n").encode() * at_once
    with server.connect() as admin, selectors.DefaultSelector() as selector:
        askers = [Asker(server.port, lines, at_once) for _ in range(sessions)]
        for asker in askers:
            selector.register(asker.socket, selectors.EVENT_READ, asker)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for key, _ in selector.select(0.1):
                key.data.read()
        stats = admin.request("stats")
        for asker in askers:
            asker.socket.close()
    return stats, sum(a.answers for a in askers) / seconds, max(a.slowest for a in askers)


def report(name, stats, rate, slowest):
    commands, late = stats["phases_ms"]["commands"], stats["lateness_ms"]
    print(f"{name:22} {rate:8.0f} answers/s, slowest round {1e3 * slowest:5.0f} ms; commands p50 {commands['p50']:6.2f} "
          f"p99 {commands['p99']:6.2f} max {commands['max']:6.2f} ms; late p50 {late['p50']:6.2f} p99 {late['p99']:6.2f} ms; "
          f"{stats['dropped_ticks']} of {stats['ticks']} ticks dropped", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenario", default="hunters_and_prey")
    parser.add_argument("--sessions", type=int, default=30)
    parser.add_argument("--at-once", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--rate", default="200")
    arguments = parser.parse_args()
    requests = {"ping": {"op": "ping"}, "get_params": {"op": "get_params"},
                "inspect of 16": {"op": "inspect", "agents": list(range(1, 17))}}
    for name, request in requests.items():
        with Server("--log", "error", "--rate", arguments.rate, arguments.scenario) as server:
            report(name, *measure(server, request, arguments.sessions, arguments.at_once, arguments.seconds))


if __name__ == "__main__":
    main()
