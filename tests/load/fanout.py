"""The cost of showing one world to thousands of clients: drover-server, and beside it a bare epoll writer of the same bytes.

    fanout.py BIN_DIRECTORY [--seconds 10] [--case 1000x650 ...]
    fanout.py BIN_DIRECTORY --web [--seconds 10] [--rounds 5]    1000 readers over WebSocket, and over TCP, of one server in turn

A case is CLIENTS x AGENTS, 30 frames a second each. Prints CPU of one core, frames/s of the slowest client, ages, how
late the ticks began, and the ratio of the two programs' CPU for the same bytes.
"""
import argparse
import json
import pathlib
import resource
import signal
import socket
import statistics
import subprocess
import sys


def start(*command):
    raised = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=raised)
    return process, int(process.stdout.readline().rsplit(":", 1)[1])


def stop(process):
    process.send_signal(signal.SIGTERM)
    process.wait(20)


def swarm(bin_directory, process, port, clients, seconds, extra=()):
    command = [bin_directory / "drover-swarm", "--port", str(port), "--clients", str(clients), "--seconds", str(seconds),
               "--settle", "4", "--pid", str(process.pid), "--json", *extra]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def ours(bin_directory, clients, agents, seconds, extra=(), asked=()):
    process, port = start(bin_directory / "drover-server", "seek", "--port", "0", "--log", "error", "--max-clients", "8000", *extra)
    try:
        with socket.create_connection(("127.0.0.1", port), 10) as control:
            control.sendall(b'{"op":"spawn","kind":"seeker","count":%d,"id":1}\n' % (agents - 1))
            reader = control.makefile("rb")
            reader.readline()
            reply = json.loads(reader.readline())
            if reply["op"] != "reply":
                sys.exit(f"cannot spawn: {reply}")
        return swarm(bin_directory, process, port, clients, seconds, asked)
    finally:
        stop(process)


def bare(bin_directory, clients, frame_bytes, seconds):
    process, port = start(bin_directory / "drover-fanout-rival", "--bytes", str(round(frame_bytes)), "--hz", "30")
    try:
        return swarm(bin_directory, process, port, clients, seconds)
    finally:
        stop(process)


def start_with_page(*command):
    """The process, its TCP port and its port for browsers."""
    process, port = start(*command)
    return process, port, int(process.stdout.readline().rstrip("/\n").rsplit(":", 1)[1])


def beside_tcp(bin_directory, clients, agents, seconds, rounds, asked=()):
    """Rows (transport, CPU, frames/s, ...) of a server that is read over TCP and over WebSocket in turn, and the ratio of CPU."""
    process, port, web = start_with_page(bin_directory / "drover-server", "seek", "--port", "0", "--web", "0", "--log", "error",
                                         "--max-clients", "8000")
    try:
        with socket.create_connection(("127.0.0.1", port), 10) as control:
            control.sendall(b'{"op":"spawn","kind":"seeker","count":%d,"id":1}\n' % (agents - 1))
            control.makefile("rb").readline()
        costs = {"TCP": [], "WebSocket": []}
        for turn in range(2 * rounds):
            transport = ("TCP", "WebSocket")[(turn + turn // 2) % 2]  # TCP, web, web, TCP ...
            more = ["--web", str(web)] if transport == "WebSocket" else []
            found = swarm(bin_directory, process, port, clients, seconds, [*asked, *more])
            costs[transport].append(found["cpu"] / found["rate_p50"])
            print(f"{clients:7d} {agents:5d} {transport:9s} {found['frame_bytes']:9.0f} bytes | {found['cpu']:4.0f} % | {found['rate_min']:5.1f} "
                  f"frames/s least | age {found['age_p50']:5.1f} /{found['age_p99']:6.1f} ms", flush=True)
        ratio = statistics.median(costs["WebSocket"]) / statistics.median(costs["TCP"])
        print(f"WebSocket / TCP: {ratio:.2f} of the CPU for a frame", flush=True)
    finally:
        stop(process)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=14)
    parser.add_argument("--case", action="append", help="CLIENTSxAGENTS; an r behind it: the server started with --realtime, a p: layout packed")
    parser.add_argument("--web", action="store_true", help="WebSocket beside TCP")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    arguments.bin = arguments.bin.resolve()
    if arguments.web:
        beside_tcp(arguments.bin, 1000, 570, arguments.seconds, arguments.rounds)
        beside_tcp(arguments.bin, 1000, 1000, arguments.seconds, arguments.rounds, ["--packed"])
        return
    print("clients agents  bytes/frame |  CPU  frames/s least  age p50/p99 ms  tick late p50/p99/max ms   RSS |"
          " bare CPU  frames/s | ours/bare per byte")
    for case in arguments.case or ["1000x570", "2000x1000", "2000x1000r", "1000x1000p", "2000x1000p"]:
        letters = case.lstrip("0123456789x")
        clients, agents = map(int, case.rstrip("rp").split("x"))
        mine = ours(arguments.bin, clients, agents, arguments.seconds, ["--realtime"] if "r" in letters else [],
                    ["--packed"] if "p" in letters else [])
        rival = bare(arguments.bin, clients, mine["frame_bytes"], arguments.seconds)
        ratio = (mine["cpu"] / mine["rate_p50"]) / (rival["cpu"] / rival["rate_p50"]) if rival["cpu"] > 0 else float("nan")
        print(f"{clients:7d} {agents:5d}{letters:2s} {mine['frame_bytes']:11.0f} | {mine['cpu']:4.0f} % {mine['rate_min']:14.1f} "
              f"{mine['age_p50']:9.1f} /{mine['age_p99']:5.1f} {mine['late_p50']:12.2f} /{mine['late_p99']:5.2f} /{mine['late_max']:5.2f} "
              f"{mine['rss_mb']:6.0f} MB | {rival['cpu']:6.0f} % {rival['rate_min']:9.1f} | {ratio:8.2f}", flush=True)


if __name__ == "__main__":
    main()
