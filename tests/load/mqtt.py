"""What a watcher costs at a server itself, and through drover-mqtt and mosquitto.

    mqtt.py BIN_DIRECTORY [--watchers 200] [--agents 250] [--seconds 10]

All watch all agents, 30 frames a second. Prints, for no watcher and for so many, the CPU of each program (percent of one core), its memory,
how many of the frames a watcher got, and how old they were. Frames and clock are of this machine: the watchers run on it as well, in this process.
"""
import argparse
import contextlib
import os
import pathlib
import re
import resource
import selectors
import shutil
import socket
import statistics
import struct
import subprocess
import tempfile
import time

HZ, TICKS = 30, os.sysconf("SC_CLK_TCK")
CLOCK = re.compile(rb'"clock":([0-9.]+)[,}]')


def packet(kind, body):
    return bytes([kind, len(body)]) + body  # all of ours are short


def text(value):
    return struct.pack(">H", len(value)) + value.encode()


def watch_server(port, _):
    made = socket.create_connection(("127.0.0.1", port), 30)
    made.sendall(b'{"op":"subscribe","layout":"packed","hz":%d}\n' % HZ)
    return made


def watch_broker(port, number):
    made = socket.create_connection(("127.0.0.1", port), 30)
    made.sendall(packet(0x10, text("MQTT") + b"\x04\x02\x00\x00" + text(f"watcher{number}")))
    made.sendall(packet(0x82, b"\x00\x01" + b"".join(text(f"drover/w/{kind}/all") + b"\x00" for kind in ("key", "delta"))))
    return made


class Used:
    """CPU seconds and memory of processes, by name."""

    def __init__(self, processes):
        self.cpu_s, self.memory = {}, {}
        for name, pid in processes.items():
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            self.cpu_s[name] = (int(fields[11]) + int(fields[12])) / TICKS
            self.memory[name] = int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(title, watch, port, count, seconds, processes):
    poll = selectors.DefaultSelector()
    ages, frames, ends = [], [0] * count, [b""] * count
    with contextlib.ExitStack() as stack:
        for number in range(count):
            made = stack.enter_context(watch(port, number))
            made.setblocking(False)
            poll.register(made, selectors.EVENT_READ, number)
        settled, end = time.monotonic() + 3, 0.0
        while time.monotonic() < (end or settled + 1):
            for key, _ in poll.select(0.1) if count else [time.sleep(0.1)] * 0:
                data = ends[key.data] + key.fileobj.recv(1 << 18)
                found = list(CLOCK.finditer(data))
                clocks = [match[1] for match in found]
                ends[key.data] = data[found[-1].end() if found else 0:][-40:]
                if end:
                    frames[key.data] += len(clocks)
                    ages += [time.monotonic() * 1000 - float(clock) for clock in clocks]
            if not end and time.monotonic() >= settled:
                before, end = Used(processes), time.monotonic() + seconds
                began = time.monotonic()
        after, took = Used(processes), time.monotonic() - began
    cells = [f"{name} {100 * (after.cpu_s[name] - before.cpu_s[name]) / took:.1f} % {after.memory[name]:.0f} MB" for name in processes]
    if count:
        ages.sort()
        got = [each / took for each in frames]
        cells.append(f"frames/s of a watcher {statistics.median(got):.1f}, of the slowest {min(got):.1f}")
        cells.append(f"age ms p50 {ages[len(ages) // 2]:.1f} p99 {ages[len(ages) * 99 // 100]:.1f}")
    print(f"{title:>7} {count:>5}: " + "; ".join(cells), flush=True)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--watchers", type=int, default=200)
    parser.add_argument("--agents", type=int, default=250)
    parser.add_argument("--seconds", type=float, default=10)
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    mosquitto = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        def start(*command, **more):
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **more)
            stack.callback(lambda: (process.terminate(), process.wait(20)))
            return process
        server = start(asked.bin / "drover-server", "boids", "--port", "0", "--log", "error", "--max-clients", "8000", stdout=subprocess.PIPE, text=True)
        port, broker_port = int(server.stdout.readline().rsplit(":", 1)[1]), free_port()
        with socket.create_connection(("127.0.0.1", port), 30) as control:
            control.sendall(b'{"op":"remove","kind":"boid"}\n{"op":"spawn","id":1,"kind":"boid","count":%d}\n' % asked.agents)
            while b'"spawn"' not in control.recv(1 << 16):
                pass
        configuration = pathlib.Path(folder) / "mosquitto.conf"
        configuration.write_text(f"listener {broker_port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 4\nset_tcp_nodelay true\n")
        alone = {"server": server.pid}
        print("load of the machine: " + ", ".join(f"{load:.1f}" for load in os.getloadavg()))
        for count in (0, asked.watchers):
            measure("direct", watch_server, port, count, asked.seconds, alone)
        broker = start(mosquitto, "-c", configuration)
        publisher = start(asked.bin / "drover-mqtt", "--server", f"127.0.0.1:{port}", "--broker", f"127.0.0.1:{broker_port}", "--name", "w")
        for count in (0, asked.watchers):
            measure("broker", watch_broker, broker_port, count, asked.seconds,
                    {**alone, "drover-mqtt": publisher.pid, "mosquitto": broker.pid})
        print("load of the machine: " + ", ".join(f"{load:.1f}" for load in os.getloadavg()))


if __name__ == "__main__":
    main()
