"""Mayhem: random clients attack a server whose world an admin steers; then the world must be exactly what
it would have been without them.

    DROVER_SERVER=PATH mayhem.py [--seconds 60] [--seed 1] [--clients 24] [--ranks N]

A seeded generator drives clients that send valid requests (of a viewer), invalid ones, half and huge lines, floods and
garbage, that read at once, slowly or never, and that leave with bye, a half close, or a reset. Meanwhile an
admin pauses the world now and then, steps it and moves its target at exact ticks. Afterwards: the server is alive, its
memory is flat, its descriptors are back to their number, the time that ran freely had its ticks, and the state hash is
that of a second server with the admin as its only client.
"""

import argparse
import os
import pathlib
import random
import select
import socket
import struct
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from drover_client import Server, server_binary, wait_for

READ_ONLY = [
    b'{"op":"ping","id":1,"t0":5}', b'{"op":"list"}', b'{"op":"list","what":"kinds"}', b'{"op":"get_params","id":"x"}',
    b'{"op":"subscribe","hz":60}', b'{"op":"subscribe","hz":1,"forces":true,"cursors":true}', b'{"op":"unsubscribe"}',
    b'{"op":"stats"}', b'{"op":"help"}', b'{"op":"cursor","x":5,"y":6}', b'{"op":"hello","name":"m"}', b'{"op":"bye"}',
]
DENIED = [  # a viewer may not
    b'{"op":"pause"}', b'{"op":"resume"}', b'{"op":"step","count":5}', b'{"op":"spawn","kind":"prey"}',
    b'{"op":"remove","kind":"prey"}', b'{"op":"mouse","x":1,"y":2}', b'{"op":"load","scenario":"seek"}',
    b'{"op":"set_param","kind":"prey","param":"mass","value":2}', b'{"op":"set_target","name":"mouse","x":1,"y":1}',
]
INVALID = [
    b"junk", b"{", b"[]", b'{"op":5}', b'{"op":"fly"}', b'{"op":"ping","op":"ping"}', b'{"op":"step","count":"x"}',
    b'{"op":"ping","a":"\xff"}', b'{"op":"ping","a":1e999}', b"[" * 5000, b"\0\0\0", b'{"op":"subscribe","hz":-1}',
]


class Bad:
    """One random client. Its actions may fail; the server must not."""

    def __init__(self, port, dice):
        self.dice = dice
        self.socket = socket.socket()
        if dice.random() < 0.3:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.reads = dice.choice(["all", "all", "some", "never"])
        self.socket.settimeout(5)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setblocking(False)
        if dice.random() < 0.8:
            self.say(b'{"op":"hello","token":"mayhem-viewer"}\n')

    def say(self, data):
        try:
            self.socket.send(data)
        except BlockingIOError:
            pass

    def act(self):
        """Returns False when the client is gone."""
        dice, what = self.dice, self.dice.random()
        if what < 0.45:
            self.say(dice.choice(READ_ONLY) + b"\n")
        elif what < 0.6:
            self.say(dice.choice(DENIED) + b"\n")
        elif what < 0.72:
            self.say(dice.choice(INVALID) + b"\n")
        elif what < 0.8:
            self.say(dice.choice(READ_ONLY)[: dice.randrange(1, 20)])  # half a line
        elif what < 0.84:
            self.say(b"x" * dice.randrange(1, 200000))
        elif what < 0.88:
            self.say(b"".join(dice.choice(READ_ONLY) + b"\n" for _ in range(300)))
        elif what < 0.91:
            self.say(bytes(dice.randrange(256) for _ in range(500)))
        elif what < 0.92:
            self.say(b"GET / HTTP/1.1\r\n\r\n")
        elif what < 0.95:
            self.socket.shutdown(socket.SHUT_WR)
        elif what < 0.975:
            return False
        else:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        return self.read()

    def read(self):
        if self.reads == "never" or not select.select([self.socket], [], [], 0)[0]:
            return True
        try:
            return bool(self.socket.recv(1000 if self.reads == "some" else 1 << 20))
        except BlockingIOError:
            return True


class Steerer:
    """The admin: all its requests take effect at ticks of its choice, so a second server can get the same ones."""

    def __init__(self, server):
        self.client = server.connect()
        assert self.client.request("hello", token="mayhem-admin")["op"] == "reply"
        self.log, self.tick = [], 0

    def turn(self, dice):
        count = dice.randrange(1, 12)
        point = (dice.randrange(0, 800), dice.randrange(0, 600))
        self.do(count, point)
        self.log.append((count, point))

    def do(self, count, point):
        self.must(self.client.request("set_target", name="mouse", x=point[0], y=point[1]))
        reply = self.must(self.client.request("step", count=count))
        self.tick += count
        assert reply["tick"] == self.tick, reply
        self.hash = reply["hash"]

    @staticmethod
    def must(reply):
        if reply["op"] != "reply":
            raise AssertionError(f"the admin is refused: {reply}")
        return reply


def run_mayhem(server, steerer, seconds, dice, count):
    clients, joined, errors = [], 0, 0
    end = time.monotonic() + seconds
    rss = []
    while time.monotonic() < end:
        while len(clients) < count:
            clients.append(Bad(server.port, dice))
            joined += 1
        for bad in list(clients):
            try:
                alive = bad.act()
            except OSError:
                alive = False
            if not alive:
                bad.socket.close()
                clients.remove(bad)
        steerer.turn(dice)
        rss.append(server.rss_bytes())
        time.sleep(0.02)
    for bad in clients:
        bad.socket.close()
    return joined, rss


def check_free_run(admin, seconds=3.0):
    """The world runs by itself for a while: within 1 % of its ticks. A busy machine makes some late, which are made up for, or
    dropped, which are counted."""
    admin.request("resume")
    first = admin.request("stats")
    time.sleep(seconds)
    deadline = time.monotonic() + 30
    while True:
        last = admin.request("stats")
        dropped = last["dropped_ticks"] - first["dropped_ticks"]
        expected = (last["uptime"] - first["uptime"]) * last["tick_hz"] - dropped
        done = last["tick"] - first["tick"]
        if abs(done - expected) <= max(2.0, 0.01 * expected):
            break
        if time.monotonic() > deadline:
            raise AssertionError(f"{done} ticks instead of {expected:.1f}")
        time.sleep(0.2)
    return done, expected


def attacked(ranks, *options, environment):
    """The server that is attacked, or the cluster."""
    if ranks == 0:
        return Server(*options, environment=environment)
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cluster"))
    from cluster import Cluster  # which needs mpirun  # pylint: disable=import-outside-toplevel
    return Cluster(ranks, *options, environment=environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clients", type=int, default=24)
    parser.add_argument("--ranks", type=int, default=0, help="attack a cluster of so many ranks (DROVER_CLUSTER)")
    arguments = parser.parse_args()
    dice = random.Random(arguments.seed)
    with tempfile.NamedTemporaryFile("w") as tokens:
        tokens.write("viewer mayhem-viewer\nadmin mayhem-admin\n")
        tokens.flush()
        options = ["--paused", "--seed", "7", "--token-file", tokens.name, "--log", "error", "hunters_and_prey"]
        environment = {"ASAN_OPTIONS": "quarantine_size_mb=1", "MALLOC_ARENA_MAX": "2"}
        with attacked(arguments.ranks, "--selfcheck", "1", *options, environment=environment) as server:
            steerer = Steerer(server)
            run_mayhem(server, steerer, min(3.0, arguments.seconds / 4), dice, arguments.clients)  # caches fill
            wait_for(lambda: steerer.client.request("stats")["sessions"]["now"] == 1, "the first wave is gone")
            descriptors = server.descriptor_count()
            joined, rss = run_mayhem(server, steerer, arguments.seconds, dice, arguments.clients)
            wait_for(lambda: steerer.client.request("stats")["sessions"]["now"] == 1, "all are gone")
            wait_for(lambda: server.descriptor_count() <= descriptors, "descriptors are back")
            third = max(1, len(rss) // 3)
            first, last = max(rss[:third]), max(rss[-third:])
            print(f"{joined} clients, {len(steerer.log)} turns, {steerer.tick} ticks; RSS {first >> 20} MB in the first third, "
                  f"{last >> 20} MB in the last")
            # ThreadSanitizer keeps a history of every address ever used: it grows.
            traced = b"__tsan_init" in pathlib.Path(server_binary()).read_bytes()
            if last > first * 1.15 + (8 << 20) and not traced:
                raise AssertionError(f"memory grows: {first} -> {last}")
            with Server(*options) as quiet:
                again = Steerer(quiet)
                for count, point in steerer.log:
                    again.do(count, point)
                if again.hash != steerer.hash:
                    raise AssertionError(f"hash {steerer.hash} with the mayhem, {again.hash} without")
                print(f"hash {again.hash} with and without them")
                again.client.socket.close()
            done, expected = check_free_run(steerer.client)
            print(f"{done} ticks of {expected:.1f} when it runs freely")
            steerer.client.socket.close()
            if "selfcheck" in server.stderr():
                raise AssertionError(f"a second simulation of the same ticks differs: {server.stderr()}")


if __name__ == "__main__":
    os.chdir(pathlib.Path(__file__).resolve().parents[2])
    main()
