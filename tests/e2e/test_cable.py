"""Fault 18 for real: a cable is pulled between server and clients, so that nothing arrives any more, and no packet reports it.

The test restarts itself in network and user namespaces of its own (`unshare`); the cable is a pair of veth interfaces to a
second namespace, where the clients are. The machine's own network is not touched. Skipped (exit code 77) where that is not
allowed.
"""

import os
import re
import subprocess
import sys
import time
import unittest

from drover_client import Case, Client, Server, wait_for
from namespaces import check_inside, is_inside, main, run

NAMESPACES = ["unshare", "-U", "-r", "-n", "--kill-child"]
FAR_CLIENT = """
import socket, sys
client = socket.create_connection((sys.argv[1], int(sys.argv[2])), 10)
client.recv(1 << 16)
client.sendall(sys.argv[3].encode())
client.recv(1 << 16)
print("here", flush=True)
client.settimeout(None)
while client.recv(1 << 16):
    pass
"""


class FarEnd:
    """A network namespace with one end of a cable; the other end is here."""

    def __enter__(self):
        self.holder = subprocess.Popen(["unshare", "-n", "sleep", "300"])
        self.clients = []
        own = os.readlink("/proc/self/ns/net")
        wait_for(lambda: os.readlink(f"/proc/{self.holder.pid}/ns/net") != own, "a namespace for the clients")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "near", "type", "veth", "peer", "name", "far", "netns", str(self.holder.pid))
        run("ip", "addr", "add", "10.99.0.1/24", "dev", "near")
        run("ip", "link", "set", "near", "up")
        self.run("ip", "addr", "add", "10.99.0.2/24", "dev", "far")
        self.run("ip", "link", "set", "far", "up")
        return self

    def __exit__(self, *_):
        for process in (*self.clients, self.holder):
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()

    def command(self, *words):
        return ["nsenter", "-t", str(self.holder.pid), "-n", *words]

    def run(self, *words):
        run(*self.command(*words))

    def client(self, port, line):
        process = subprocess.Popen(self.command(sys.executable, "-c", FAR_CLIENT, "10.99.0.1", str(port), line + "\n"),
                                   stdout=subprocess.PIPE, text=True)
        self.clients.append(process)
        if process.stdout.readline() != "here\n":
            raise AssertionError("a client did not come through the cable")


class Near(Client):
    """A client beside the server: the server listens on the cable's address only."""

    def __init__(self, port):
        import socket
        plain = socket.socket.connect
        try:
            socket.socket.connect = lambda own, address: plain(own, ("10.99.0.1", address[1]))
            super().__init__(port)
        finally:
            socket.socket.connect = plain


@unittest.skipUnless(is_inside(), "runs inside the namespaces")
class Inside(Case):
    def seconds_until(self, server, pattern, since, limit):
        wait_for(lambda: re.search(pattern, server.stderr()), pattern, limit)
        return time.monotonic() - since

    def test_18_a_cable_is_pulled(self):
        with FarEnd() as far, Server("--listen", "10.99.0.1", "--insecure", "seek") as server, Near(server.port) as other:
            other.request("spawn", kind="seeker", count=600)
            first = other.hello["session"] + 1
            far.client(server.port, '{"op":"subscribe","hz":30}')  # much is pending
            far.client(server.port, '{"op":"subscribe","layout":"events"}')  # a few bytes are pending once the cable is out
            far.client(server.port, '{"op":"ping"}')  # nothing is pending
            self.assertEqual(other.request("stats")["sessions"]["now"], 4)
            far.run("ip", "link", "set", "far", "down")
            pulled = time.monotonic()
            other.request("set_param", kind="seeker", param="max_speed", value=100)  # an event
            # 10 s without an accepted byte, from when the socket's buffers are full.
            stalled = self.seconds_until(server, rf"session {first}: bye slow \(no byte was accepted for 10 s\)", pulled, 25)
            self.assertTrue(9 < stalled < 18, stalled)
            started = time.monotonic()
            self.assert_reply(other.request("ping"), "ping")
            self.assertLess(time.monotonic() - started, 1)
            for number, what in ((first + 1, "a few bytes are pending"), (first + 2, "nothing is pending")):
                gone = self.seconds_until(server, rf"session {number}: gone: ", pulled, 60)
                self.assertTrue(25 < gone < 52, (what, gone))
            wait_for(lambda: other.request("stats")["sessions"]["now"] == 1, "their sessions are gone")


@unittest.skipIf(is_inside(), "inside")
class Cable(unittest.TestCase):
    def test_18_a_cable_is_pulled(self):
        check_inside(self, NAMESPACES, __file__, 150)


if __name__ == "__main__":
    main(("unshare", "nsenter", "ip"), NAMESPACES, "ip link add near type veth peer name far && unshare -n true")
