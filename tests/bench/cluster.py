"""Ranks beside threads: how long ticks take when 1, 2 and more ranks share a world, beside 1, 2 and more threads of the same
program, on the same machine in turns.

    cluster.py BIN [--rounds 5] [--ticks 64] [--ranks 1,2] [--agents 1000000] [--mca NAME VALUE] [CASE ...]

CASE, all by default:
  million   a mere flock in stripes: ticks in place and ticks that sort, wait, ghosts, migrants
  clump     a flock with a third of its agents in a corner: the balance of the ranks, beside that of equal rows
  copies    20 000 pedestrians, and the crowd with ORCA (throng), as copies

BIN has drover-server and drover-cluster. Every program does its ticks in turns of --ticks, paused in between (paused ranks
take no core); the world is the same, and the hash after each turn must be. Medians are over the turns; a ratio is the
median of the ratios of one round. The first line says what else the machine does: with a load beside the benchmark's own,
no figure is worth anything, since a rank whose core is taken holds up all others.
"""
import argparse
import base64
import contextlib
import json
import math
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from stream import Client

PATIENCE_S = 600
CLUMP_AGENTS = 300_000


def cores():
    return len(os.sched_getaffinity(0))


def machine():
    with open("/proc/cpuinfo", encoding="ascii") as info:
        names = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
    return f"{cores()} cores ({names[0] if names else 'unknown'}), load {os.getloadavg()[0]:.1f} in the last minute before"


class Program:
    """A paused server with a world: of some threads, or of some ranks with a thread each."""

    def __init__(self, options, scenario, threads=1, ranks=0, mode="stripes"):
        self.name = f"{ranks} rank{'s' * (ranks > 1)}" if ranks else f"{threads} thread{'s' * (threads > 1)}"
        serve = ["--port", "0", "--paused", "--log", "error", "--threads", str(threads), str(scenario)]
        command = [str(options.bin / "drover-server"), *serve]
        if ranks:
            place = ["--bind-to", "core"] if ranks <= cores() else ["--oversubscribe", "--bind-to", "none"]
            own = ["--allow-run-as-root"] if os.geteuid() == 0 else []
            extra = [word for name, value in options.mca for word in ("--mca", name, value)]
            command = ["mpirun", "-n", str(ranks), *own, *place, *extra, str(options.bin / "drover-cluster"), "--mode", mode, *serve]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # pylint: disable=consider-using-with
        line = self.process.stdout.readline()
        if ":" not in line:
            sys.exit(f"{' '.join(command)} does not start")
        self.port = int(line.rsplit(":", 1)[1])
        self.client = Client(self.port)
        self.client.socket.settimeout(PATIENCE_S)
        self.turns_ms, self.hash = [], None

    def fill(self, crowd):
        """Adds agents, in equal parts of each kind, up to so many."""
        kinds = self.client.request(op="list", what="kinds")["kinds"]
        for kind in kinds:
            if crowd // len(kinds) > kind["count"]:
                self.client.request(op="spawn", kind=kind["name"], count=crowd // len(kinds) - kind["count"])

    def turn(self, ticks):
        begun = time.monotonic()
        self.hash = self.client.request(op="step", count=ticks)["hash"]
        self.turns_ms.append((time.monotonic() - begun) * 1000 / ticks)

    def stats(self):
        return self.client.request(op="stats")

    def cluster(self):
        """What the ranks reported at the end of the last step."""
        return self.stats()["cluster"]

    def close(self):
        self.client.socket.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def take_turns(programs, options):
    for program in programs:
        program.turn(options.ticks)  # the first one makes room, and finds where the agents are
        program.turns_ms.clear()
    for number in range(options.rounds):
        order = programs if number % 2 == 0 else programs[::-1]
        for program in order:
            program.turn(options.ticks)
        if len({program.hash for program in programs}) != 1:
            sys.exit("the hashes differ: " + ", ".join(f"{program.name} {program.hash}" for program in programs))


def against(program, base):
    return statistics.median(one / other for one, other in zip(base.turns_ms, program.turns_ms))


def print_turns(programs):
    print(f"  {'':12}{'ms a tick':>11}{'least':>9}{'most':>9}   median tick   99 %   times as fast")
    for program in programs:
        step = program.stats()["phases_ms"]["step"]
        print(f"  {program.name:12}{statistics.median(program.turns_ms):11.2f}{min(program.turns_ms):9.2f}{max(program.turns_ms):9.2f}"
              f"{step['p50']:14.2f}{step['p99']:7.2f}{against(program, programs[0]):16.2f}")


def print_ranks(program, before, ticks):
    now = program.cluster()
    sorts, migrants = now["sorts"] - before["sorts"], now["migrants"] - before["migrants"]
    work = max(rank["work_ms"]["mean"] for rank in now["ranks"])
    wait = min(rank["wait_ms"]["mean"] for rank in now["ranks"])
    print(f"  {program.name}: work {work:.2f} ms on the longest rank, wait {wait:.3f} ms on the one that waits least, balance {now['balance']:.2f}, "
          f"{now['ghosts']} ghosts", end="")
    if sorts:
        share, mean = sorts / ticks, statistics.mean(program.turns_ms)
        in_place = program.stats()["phases_ms"]["step"]["p50"]
        print(f", {100 * share:.0f} % of the ticks sort, {migrants / sorts:.0f} migrants a sort", end="")
        if share < 0.5:  # then the median is a tick in place, and the mean says the rest
            print(f"; a tick in place {in_place:.2f} ms, one that sorts {(mean - (1 - share) * in_place) / share:.2f} ms", end="")
    print(flush=True)


@contextlib.contextmanager
def running(options, scenario, mode):
    with contextlib.ExitStack() as stack:
        def start(**what):
            program = Program(options, scenario, mode=mode, **what)
            stack.callback(program.close)
            return program
        yield [start(threads=count) for count in sorted({1, *options.ranks})] + [start(ranks=count) for count in options.ranks]


def compare(options, scenario, mode, title, crowd=0):
    """crowd: so many agents in all, in equal parts of each kind."""
    print(f"{title}, {mode}: {options.rounds} turns of {options.ticks} ticks")
    with running(options, scenario, mode) as programs:
        ranked = [program for program in programs if "rank" in program.name]
        for program in programs:
            program.fill(crowd)
            program.turn(1)
        before = {program: program.cluster() for program in ranked}
        take_turns(programs, options)
        print_turns(programs)
        for program in ranked:
            print_ranks(program, before[program], options.ticks * (options.rounds + 1))


def write_scenario(folder, name, **parts):
    path = pathlib.Path(folder) / f"{name}.json"
    path.write_text(json.dumps({"name": name, "tick_hz": 60, "seed": 10, **parts}), encoding="utf-8")
    return path


def starlings():
    """The world and the kind of `million`, so slow that two of three ticks keep the order of agents."""
    given = json.loads((pathlib.Path(__file__).resolve().parents[2] / "scenarios/million.json").read_text(encoding="utf-8"))
    given["kinds"]["starling"]["max_speed"] = 60
    return given["world"]["size"], given["kinds"]


def million(options, folder):
    """As many agents as were asked for, in as much room for each as in `million`."""
    size, kinds = starlings()
    size = [round(side * math.sqrt(options.agents / 1_000_000)) for side in size]
    path = write_scenario(folder, "million", world={"size": size, "edge": "wrap"}, kinds=kinds,
                          agents=[{"kind": "starling", "count": options.agents, "in": {"rect": [0, 0, *size]}}])
    compare(options, path, "stripes", f"{options.agents} agents, a mere flock")


def equal_rows_balance(port, ranks):
    """The balance that as many rows for each rank would have: the agents of a density frame, by its rows."""
    client = Client(port)
    client.request(op="subscribe", layout="density", grid=[1, 64 * ranks])
    while b'{"op":"density"' not in client.data or not client.data.endswith(b"\n"):
        client.data += client.socket.recv(1 << 16)
    frame = json.loads(client.data[client.data.index(b'{"op":"density"'):].split(b"\n", 1)[0])
    client.socket.close()
    counts = struct.unpack(f"<{64 * ranks}I", base64.b64decode(frame["count"]))
    parts = [sum(counts[64 * rank:64 * (rank + 1)]) for rank in range(ranks)]
    return sum(parts) / ranks / max(parts)


def clump(options, folder):
    """A third of the agents in a corner, where each has far more neighbors: equal rows, and equal numbers, are unequal work."""
    _, kinds = starlings()
    size, corner = [12000, 18000], [0, 0, 3000, 3000]
    path = write_scenario(folder, "clump", world={"size": size, "edge": "wrap"}, kinds=kinds,
                          agents=[{"kind": "starling", "count": CLUMP_AGENTS // 3, "in": {"rect": corner}},
                                  {"kind": "starling", "count": CLUMP_AGENTS - CLUMP_AGENTS // 3, "in": {"rect": [0, 0, *size]}}])
    ranks = max(options.ranks)
    print(f"{CLUMP_AGENTS} agents, a third of them in a corner, {ranks} ranks, stripes")
    print("  tick   agents by equal rows   work as cut   longest rank, ms   agents, rows")
    with contextlib.closing(Program(options, path, ranks=ranks)) as program:
        for ticks in (4, 8, 12, 24, 48, 48):
            tick = program.client.request(op="step", count=ticks)["tick"]
            now = program.stats()["cluster"]
            longest = max(rank["work_ms"]["mean"] for rank in now["ranks"])
            rows = ", ".join(f"{rank['agents']} in {rank['rows'][0]}..{rank['rows'][1]}" for rank in now["ranks"])
            print(f"{tick:6}{equal_rows_balance(program.port, ranks):23.2f}{now['balance']:14.2f}{longest:19.2f}   {rows}", flush=True)


def copies(options, _):
    compare(options, "pedestrians", "copy", "20000 pedestrians", crowd=20_000)
    compare(options, "throng", "copy", "50000 walkers with ORCA (throng)")


CASES = {"million": million, "clump": clump, "copies": copies}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ticks", type=int, default=64)
    parser.add_argument("--ranks", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2])
    parser.add_argument("--agents", type=int, default=1_000_000, help="of the flock")
    parser.add_argument("--mca", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="for mpirun: --mca btl tcp,self")
    options = parser.parse_args()
    for case in options.cases:
        if case not in CASES:
            parser.error(f"no case {case}; there are {', '.join(CASES)}")
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for case in options.cases or CASES:
            CASES[case](options, folder)
    print(f"load {os.getloadavg()[0]:.1f} at the end, the benchmark's own included")


if __name__ == "__main__":
    main()
