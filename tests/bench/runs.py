"""What many runs of a scenario cost: `drover run` beside a script over the socket, which loads the scenario for each seed
and steps it, on the same machine in turns.

    runs.py BIN [--runs 200] [--ticks 1200] [--every 15] [--scenario doorway] [--turns 4]

BIN has drover and drover-server. Both get a row each `every` ticks (the script: the reply to its step), and the hash at the end of
each run; the hashes must be the same. One process of `drover run` at a time, then as many as there are processors. On a busy machine the seconds of
processor time, of all programs together, say more than those of the clock.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from stream import Client, Server


def over_the_socket(server, options, seeds):
    """(seconds, of them of processors, the hash by seed)"""
    client, hashes = Client(server.port), {}
    begun, used = time.monotonic(), time.process_time() + server.cpu_seconds()
    for seed in seeds:
        client.request(op="load", scenario=options.scenario, seed=seed)
        for tick in range(0, options.ticks, options.every):
            reply = client.request(op="step", count=min(options.every, options.ticks - tick))
        hashes[seed] = reply["hash"]
    return time.monotonic() - begun, time.process_time() + server.cpu_seconds() - used, hashes


def children_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def by_drover_run(program, options, seeds, jobs):
    with tempfile.TemporaryDirectory() as folder:
        begun, used = time.monotonic(), children_s()
        subprocess.run([program, "run", options.scenario, "--seed", f"{seeds[0]}..{seeds[-1]}", "--ticks", str(options.ticks), "--every", str(options.every),
                        "--measure", "count,speed,at_rest", "--jobs", str(jobs), "--out", f"{folder}/r"], check=True, stdout=subprocess.DEVNULL)
        seconds, processors = time.monotonic() - begun, children_s() - used
        lines = [json.loads(line) for part in pathlib.Path(folder, "r").glob("part-*.ndjson") for line in part.read_text(encoding="utf-8").splitlines()]
    return seconds, processors, {line["run"] + seeds[0] - 1: line["hash"] for line in lines if line["op"] == "done"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--ticks", type=int, default=1200)
    parser.add_argument("--every", type=int, default=15)
    parser.add_argument("--scenario", default="doorway")
    parser.add_argument("--turns", type=int, default=4)
    options = parser.parse_args()
    processors = os.cpu_count()
    sums = {name: [0.0, 0.0] for name in ("a script over the socket", "drover run, one process", f"drover run, {processors} processes")}
    server = Server(options.bin / "drover-server", options.scenario, "--paused", "--rate", "0")
    try:
        for turn in range(options.turns):
            seeds = range(1 + turn * options.runs // options.turns, 1 + (turn + 1) * options.runs // options.turns)
            results = [over_the_socket(server, options, seeds), by_drover_run(options.bin / "drover", options, seeds, 1),
                       by_drover_run(options.bin / "drover", options, seeds, processors)]
            for name, (seconds, used, hashes) in zip(sums, results):
                sums[name][0] += seconds
                sums[name][1] += used
                if hashes != results[0][2]:
                    sys.exit(f"{name} has other hashes than {next(iter(sums))}")
    finally:
        server.stop()
    print(f"{options.runs} runs of {options.scenario}, {options.ticks} ticks each, a row each {options.every} ticks")
    first = next(iter(sums.values()))
    ticks = options.runs * options.ticks
    for name, (seconds, used) in sums.items():
        print(f"{name:28} {seconds:6.1f} s  {ticks / seconds:8.0f} ticks/s  {first[0] / seconds:5.2f}    processors {used:6.1f} s  {ticks / used:8.0f} ticks/s  {first[1] / used:5.2f}")


if __name__ == "__main__":
    main()
