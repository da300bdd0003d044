#!/usr/bin/env python3
"""What watchers cost: connected to the server, or fetching its static seconds from nginx. Prints processor time, memory, and what came late
or not at all.

usage: seconds.py DROVER_SERVER [--watchers 1000] [--seconds 20] [--scenario flock]

Watchers read and throw away; one process has all of them, so a busy machine makes them late before the server does.
"""

import argparse
import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import tempfile
import time

PATIENCE_S = 30
NGINX = """
worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_rlimit_nofile 4096;
events {{ worker_connections 4000; }}
http {{ access_log off; sendfile on; tcp_nodelay on; keepalive_requests 100000;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{ listen 127.0.0.1:{port};
    location /live/ {{ alias {folder}/seconds/; types {{ }} default_type application/x-ndjson;
      add_header Cache-Control "public, max-age=31536000, immutable"; }}
    location = /live/index.json {{ alias {folder}/seconds/index.json; add_header Cache-Control "public, max-age=1"; }} }} }}
"""


def processor_s(pids):
    ticks = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def memory_mb(pids):
    return sum(int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) for pid in pids) / 1024


def children(pid):
    return [int(one) for one in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Direct:
    """A session that reads frames."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(b'{"op":"subscribe","layout":"packed","hz":30}\n')
        self.socket.setblocking(False)

    def take(self, data, _):
        return data.count(b'{"op":"delta"')

    def turn(self, _):
        pass


class Fetching:
    """A watcher: the index about once a second, each second once."""

    late = lost = 0
    named = {}  # when a second was first seen in an index, by anybody

    def __init__(self, port, offset_s):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setblocking(False)
        self.latest, self.asked, self.left, self.head = 0, None, 0, b""
        self.due = time.monotonic() + offset_s

    def get(self, name):
        self.asked, self.head, self.left = name, b"", -1
        self.socket.sendall(f"GET /live/{name} HTTP/1.1\r\nHost: x\r\n\r\n".encode())

    def turn(self, now):
        if self.asked is None and now >= self.due:
            self.get("index.json")

    def take(self, data, now):
        if self.left < 0:
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return 0
            self.left = int(re.search(rb"Content-Length: (\d+)", self.head)[1]) - (len(self.head) - end - 4)
            Fetching.lost += b" 200 " not in self.head[:20]
        else:
            self.left -= len(data)
            self.head += data if self.asked == "index.json" else b""
        return self.end(now) if self.left <= 0 else 0

    def end(self, now):
        asked, self.asked = self.asked, None
        if asked == "index.json":
            latest = int(re.search(rb'"latest":(\d+)', self.head)[1])
            Fetching.named.setdefault(latest, now)
            is_news = latest != self.latest
            self.due = now + (0.9 if is_news else 0.3)
            if is_news:
                Fetching.lost += max(latest - self.latest - 1, 0) if self.latest else 0
                self.latest = latest
                self.get(f"{latest}.ndjson")
            return 0
        Fetching.late += now - Fetching.named[self.latest] > 1.0
        return 1


def watch(watchers, seconds):
    """Reads for so long; how much came."""
    poll = select.epoll()
    by_file = {watcher.socket.fileno(): watcher for watcher in watchers}
    for number in by_file:
        poll.register(number, select.EPOLLIN)
    came = octets = 0
    end = time.monotonic() + seconds
    swept = 0.0
    while (now := time.monotonic()) < end:
        if now - swept > 0.05:
            swept = now
            for watcher in watchers:
                watcher.turn(now)
        for number, _ in poll.poll(0.05):
            data = by_file[number].socket.recv(1 << 18)
            octets += len(data)
            came += by_file[number].take(data, now)
    return came, octets


def stats_of(port):
    with socket.create_connection(("127.0.0.1", port)) as control:
        control.sendall(b'{"op":"stats","id":1}\n')
        for line in control.makefile():
            message = json.loads(line)
            if message.get("to") == "stats":
                return message


def say(name, cpu_s, others_s, args, memory, rest):
    per = 1e6 * cpu_s / args.seconds / max(args.watchers, 1)
    print(f"{name:22} server {100 * cpu_s / args.seconds:6.1f} % of a core ({per:6.1f} us/s a watcher), web server {100 * others_s / args.seconds:5.1f} %, "
          f"memory {memory}, {rest}; load {os.getloadavg()[0]:.0f}", flush=True)


def run(args, folder, how):
    options = [] if how == "direct" else ["--seconds", f"{folder}/seconds"]
    server = subprocess.Popen([args.server, args.scenario, "--port", "0", "--max-clients", "2000", "--log", "error", *options], stdout=subprocess.PIPE, text=True)
    web = None
    try:
        port = int(server.stdout.readline().rpartition(":")[2])
        time.sleep(4)  # a warm-up, and the first seconds
        if how == "direct":
            watchers = [Direct(port) for _ in range(args.watchers)]
            pids = []
        else:
            web_port = free_port()
            pathlib.Path(f"{folder}/nginx.conf").write_text(NGINX.format(folder=folder, port=web_port), encoding="utf-8")
            web = subprocess.Popen(["nginx", "-p", folder, "-c", f"{folder}/nginx.conf"], stderr=subprocess.DEVNULL)
            time.sleep(1)
            pids = [web.pid, *children(web.pid)]
            watchers = [Fetching(web_port, i / args.watchers) for i in range(args.watchers)]
        watch(watchers, 3)
        Fetching.late = Fetching.lost = 0
        before, cpu, other = stats_of(port), processor_s([server.pid]), processor_s(pids)
        came, octets = watch(watchers, args.seconds)
        after = stats_of(port)
        cpu, other = processor_s([server.pid]) - cpu, processor_s(pids) - other
        memory = f"{memory_mb([server.pid]):.0f} MB + {memory_mb(pids) if pids else 0:.0f} MB"
        megabytes = octets / args.seconds / 1e6
        skipped = after["frames_skipped"] - before["frames_skipped"]
        if how == "direct":
            rest = f"{came / args.seconds / max(args.watchers, 1):.1f} frames/s each, {skipped} skipped, {megabytes:.0f} MB/s"
        else:
            rest = f"{came} seconds came, {Fetching.late} later than 1 s, {Fetching.lost} lost; {skipped} frames skipped by the server, {megabytes:.0f} MB/s"
        say(f"{args.watchers} {how}", cpu, other, args, memory, rest)
        for watcher in watchers:
            watcher.socket.close()
    finally:
        for process in (web, server):
            if process is not None:
                process.send_signal(signal.SIGTERM)
                process.wait(PATIENCE_S)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("server")
    parser.add_argument("--watchers", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--scenario", default="flock")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for how in ("direct", "static"):
            run(args, folder, how)


if __name__ == "__main__":
    main()
