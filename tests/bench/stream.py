"""The cost of serving snapshots, measured on the real server over loopback:

1. CPU of one core used by drover-server with 1 000 agents at 60 Hz and 10 subscribers at 30 Hz.
2. The age of the newest frame at a client that reads 600 KB/s of a 60 KB, 30 Hz stream.
3. The time of a ping while 100 000 agents tick at 60 Hz, and for comparison while one agent does: the machine and its
   other work add to both.

    stream.py SERVER [--runs 3] [--seconds 8]

Prints the median of the runs. Ages need no clock synchronization: a snapshot's `clock` is the machine's monotonic clock.
"""
import argparse
import json
import os
import select
import socket
import statistics
import subprocess
import sys
import time


class Server:
    def __init__(self, program, scenario="seek", *options):
        self.process = subprocess.Popen([program, scenario, *options, "--port", "0", "--log", "error"], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.terminate()
        self.process.wait(5)


class Client:
    def __init__(self, port, receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(("127.0.0.1", port))
        self.data = b""

    def send(self, **message):
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def request(self, **message):
        self.send(id=1, **message)
        while True:
            while b"\n" in self.data:
                line, self.data = self.data.split(b"\n", 1)
                answer = json.loads(line)
                if answer.get("id") == 1:
                    if answer["op"] == "error":
                        sys.exit(f"{message}: {answer['message']}")
                    return answer
            self.data += self.socket.recv(1 << 16)


def spawn(port, count):
    client = Client(port)
    client.request(op="spawn", kind="seeker", count=count)
    client.socket.close()


def cpu_share(program, seconds):
    server = Server(program)
    spawn(server.port, 999)
    clients = [Client(server.port) for _ in range(10)]
    for client in clients:
        client.request(op="subscribe", hz=30)
    received = drain(clients, 1.0)
    cpu, start = server.cpu_seconds(), time.monotonic()
    received = drain(clients, seconds)
    elapsed = time.monotonic() - start
    share = 100 * (server.cpu_seconds() - cpu) / elapsed
    server.stop()
    return share, received / elapsed / 10


def drain(clients, seconds):
    """Reads everything for a while; returns how many lines came."""
    deadline, lines = time.monotonic() + seconds, 0
    sockets = [client.socket for client in clients]
    while time.monotonic() < deadline:
        for ready in select.select(sockets, [], [], 0.1)[0]:
            lines += ready.recv(1 << 20).count(b"\n")
    return lines


def frame_ages(program, seconds, rate=600_000, agents=585):
    server = Server(program)
    spawn(server.port, agents - 1)
    client = Client(server.port)
    client.request(op="subscribe", hz=30)
    start, taken, pending, ages, sizes = time.monotonic(), 0, client.data, [], []
    while time.monotonic() < start + seconds:
        allowed = int((time.monotonic() - start) * rate) - taken
        if allowed < 4096:
            time.sleep(0.002)
            continue
        chunk = client.socket.recv(min(allowed, 16384))
        taken += len(chunk)
        pending += chunk
        while b"\n" in pending:
            line, pending = pending.split(b"\n", 1)
            if line.startswith(b'{"op":"snapshot"'):
                sizes.append(len(line))
                ages.append(time.monotonic() * 1000 - json.loads(line)["clock"])
    server.stop()
    settled = sorted(ages[len(ages) // 3:])
    return statistics.median(settled), settled[int(len(settled) * 0.99)], statistics.median(sizes), len(ages) / seconds


def ping_times(program, scenario, count=1500):
    """ms, sorted."""
    server = Server(program, scenario)
    client = Client(server.port)
    client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.request(op="ping")
    time.sleep(1)
    times = []
    for _ in range(count):
        start = time.perf_counter()
        client.request(op="ping")
        times.append(1000 * (time.perf_counter() - start))
        time.sleep(0.003)
    server.stop()
    return sorted(times)


def print_pings(program, runs):
    for scenario in ("murmuration_100k", "seek"):
        tables = [ping_times(program, scenario) for _ in range(runs)]
        share = lambda part: statistics.median(t[int(len(t) * part)] for t in tables)
        print(f"1500 pings while {scenario} ticks: p50 {share(0.5):.2f} ms, p99 {share(0.99):.2f} ms, most {share(0.9999):.1f} ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8)
    arguments = parser.parse_args()
    shares = [cpu_share(arguments.server, arguments.seconds) for _ in range(arguments.runs)]
    print(f"1000 agents, 60 Hz, 10 subscribers at 30 Hz: {statistics.median(s for s, _ in shares):.1f} % of one core"
          f" ({statistics.median(f for _, f in shares):.1f} frames/s each; median of {arguments.runs})")
    runs = [frame_ages(arguments.server, arguments.seconds) for _ in range(arguments.runs)]
    print(f"client reading 600 KB/s of a {statistics.median(r[2] for r in runs) / 1000:.0f} KB, 30 Hz stream:"
          f" age p50 {statistics.median(r[0] for r in runs):.0f} ms, p99 {statistics.median(r[1] for r in runs):.0f} ms,"
          f" {statistics.median(r[3] for r in runs):.1f} frames/s")
    print_pings(arguments.server, arguments.runs)


if __name__ == "__main__":
    main()
