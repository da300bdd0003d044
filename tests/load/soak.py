"""A server as people run it, under the load of a day; its memory, descriptors, threads and folder stay flat.

    DROVER_SERVER=PATH soak.py [--hours 24] [--seed 1]

Visitors watch in every layout over TCP and WebSocket, fast and slow ones, for a minute or for many, and leave with bye, a reset or
without reading. A script moves a target, an operator changes parameters, spawns, removes, saves, loads, records, pauses and hurries, and a
monitor reads /metrics. The world is kept (--state). Each minute a line says what the server has. When it is over and all have left,
the descriptors are those of the beginning, and of each figure the median of the last quarter is that of the second one.
"""

import argparse
import os
import pathlib
import random
import re
import select
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from drover_client import Client, wait_for
from web_client import WebClient, WebServer, ask

VISITORS = 8
WORLDS = ["flock", "hunters_and_prey", "doorway", "pedestrians", "avoid_obstacles", "shepherds"]
VIEWS = [{"layout": "objects"}, {"layout": "objects", "forces": True, "hz": 5}, {"layout": "packed", "hz": 60},
         {"layout": "packed", "parts": True}, {"layout": "density", "hz": 5, "grid": [32, 18]}, {"cursors": True, "hz": 10}]
SAMPLE_S = 60.0
GROWS = {"RSS": (1.03, 4 << 20), "threads": (1.0, 0), "descriptors": (1.0, 2 * VISITORS), "folder": (1.5, 64 << 20)}


class Visitor:
    """Reads as much as it likes, parses nothing, and is gone after a while."""

    def __init__(self, server, dice):
        self.reads = dice.choice([1.0, 1.0, 1.0, 0.3, 0.02])  # the share of its turns in which it reads
        self.ends = time.monotonic() + dice.choice([5, 60, 60, 600])
        self.dice = dice
        client = WebClient(server.web, hello=False) if dice.random() < 0.4 else Client(server.port, hello=False)
        client.send("subscribe", **dice.choice(VIEWS))
        self.socket = client.socket
        self.socket.setblocking(False)

    def turn(self):
        """Returns False when it has left, or was shown out."""
        try:
            if self.dice.random() < self.reads and select.select([self.socket], [], [], 0)[0] and not self.socket.recv(1 << 20):
                return False
        except BlockingIOError:
            pass
        except OSError:
            return False
        return time.monotonic() < self.ends


class Operator:
    """Each turn it asks for one thing, and expects an answer: refusals are fine, silence is not."""

    def __init__(self, server, dice):
        self.client, self.dice, self.turns, self.refused = server.connect_tcp(), dice, 0, 0
        self.client.request("hello", name="operator")
        self.world()

    def ask(self, op, **fields):
        reply = self.client.request(op, **fields)
        self.client.flush()
        self.refused += reply["op"] != "reply"
        return reply

    def world(self):
        listed = self.ask("list", what="kinds")["kinds"]
        self.kinds = [kind["name"] if isinstance(kind, dict) else kind for kind in listed]

    def turn(self):
        self.turns += 1
        dice, kind = self.dice, self.dice.choice(self.kinds)
        what = dice.randrange(12)
        if what == 0:
            self.ask("load", scenario=dice.choice(WORLDS))
            self.world()
        elif what == 1:
            self.ask("spawn", kind=kind, count=dice.randrange(1, 40))
        elif what == 2:
            self.ask("remove", agents=dice.sample(range(1, 60), 20))
        elif what == 3:
            self.ask("save", name=f"save-{dice.randrange(3)}", replace=True)
        elif what == 4:
            self.ask("record", name=f"run-{self.turns}", last=30)
        elif what == 5:
            self.ask("set_param", kind=kind, param="max_speed", value=dice.uniform(40, 200))
        elif what == 6:
            self.ask("pause")
            self.ask("step", count=20)
            self.ask("resume")
        elif what == 7:
            self.ask("speed", factor=dice.choice([0.5, 2, 8]))
        elif what == 8:
            self.ask("speed", factor=1)
        elif what == 9:
            self.ask("add_obstacle", circle=[dice.uniform(0, 600), dice.uniform(0, 400), 20])
        elif what == 10:
            self.ask("inspect", agents=[dice.randrange(1, 60)])
        else:
            self.ask("list")


def scrape(server):
    status = ask(server.web, "/metrics")[0]
    if status != 200:
        raise AssertionError(f"/metrics answers {status}")


def figures(server, folder):
    status = pathlib.Path(f"/proc/{server.pid}/status").read_text(encoding="utf-8")
    return {"RSS": server.rss_bytes(), "threads": int(re.search(r"^Threads:\s+(\d+)", status, re.M)[1]),
            "descriptors": server.descriptor_count(), "folder": sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())}


def tidy(folder, keep=20):
    """As the one who runs an installation does: old recordings go."""
    for file in sorted((folder / "recordings").glob("*"), key=lambda path: path.stat().st_mtime)[:-keep]:
        file.unlink()


def run_day(server, folder, hours, dice):
    """The samples, a dict each."""
    begin = time.monotonic()
    operator, script, visitors, samples, joined, turns = Operator(server, dice), server.connect_tcp(), [], [], 0, 0
    script.request("hello", name="script")
    while time.monotonic() < begin + hours * 3600:
        while len(visitors) < VISITORS:
            visitors.append(Visitor(server, dice))
            joined += 1
        for visitor in [one for one in visitors if not one.turn()]:
            visitor.socket.close()
            visitors.remove(visitor)
        turns += 1
        if turns % 10 == 0:
            script.request("set_target", name="mouse", x=dice.uniform(0, 700), y=dice.uniform(0, 500))
        if turns % 50 == 0:
            operator.turn()
        if turns % 150 == 0:
            scrape(server)
        if time.monotonic() - begin > SAMPLE_S * len(samples):
            tidy(folder)
            samples.append(figures(server, folder))
            now = samples[-1]
            print(f"{(time.monotonic() - begin) / 3600:6.2f} h  RSS {now['RSS'] / 1e6:6.1f} MB  {now['threads']} threads  "
                  f"{now['descriptors']} descriptors  folder {now['folder'] / 1e6:.1f} MB  {joined} visitors", flush=True)
        time.sleep(0.1)
    for visitor in visitors:
        visitor.socket.close()
    script.socket.close()
    print(f"{joined} visitors, {operator.turns} turns of the operator, {operator.refused} requests refused")
    operator.client.socket.close()
    return samples


def check(samples):
    """Of each figure the last quarter against the second one."""
    quarter = len(samples) // 4
    if quarter == 0:
        print("too short to say whether it is flat")
        return
    for name, (factor, more) in GROWS.items():
        before, after = (statistics.median(sample[name] for sample in samples[part * quarter:(part + 1) * quarter]) for part in (1, 3))
        print(f"{name}: {before:.0f} in the second quarter, {after:.0f} in the last")
        if after > before * factor + more:
            raise AssertionError(f"{name} grows: {before} -> {after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=24)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as state:
        folder = pathlib.Path(state)
        with WebServer("--state", state, "--keep", "4M", "--memory", "8M", "--log", "error", "flock") as server:
            wait_for(lambda: (folder / "lock").exists(), "the folder is taken")
            quiet = server.descriptor_count()
            samples = run_day(server, folder, arguments.hours, random.Random(arguments.seed))
            with server.connect_tcp() as client:
                wait_for(lambda: client.request("stats")["sessions"]["now"] == 1, "all are gone")
            wait_for(lambda: server.descriptor_count() <= quiet, f"{quiet} descriptors as in the beginning")
            said = server.stderr()
            if said:
                print(f"the log:\n{said}")
            check(samples)


if __name__ == "__main__":
    os.chdir(pathlib.Path(__file__).resolve().parents[2])
    main()
