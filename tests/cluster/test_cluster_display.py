"""An X server that breaks off, or does not answer, ends neither mpirun nor a rank: hwloc has a plugin that asks the displays :0 to
:9 for graphics cards, whatever DISPLAY says.

The test restarts itself in a network namespace of its own, where it is the X server :0. Skipped (exit code 77) where that is not
allowed.
"""

import os
import socket
import struct
import subprocess
import threading
import time
import unittest

from cluster import Case, MPI_ENVIRONMENT, ROOT, cluster_binary, run_ranks
from namespaces import check_inside, is_inside, main, run

NAMESPACES = ["unshare", "-U", "-r", "-n", "--kill-child"]


def accepted():
    """What an X server says to a new client: one screen of 640 x 480."""
    visual = struct.pack("<IBBHIII4x", 33, 4, 8, 256, 0xff0000, 0xff00, 0xff)
    screen = struct.pack("<IIIIIHHHHHHIBBBB", 100, 32, 0xffffff, 0, 0, 640, 480, 100, 100, 1, 1, 33, 0, 0, 24, 1)
    body = struct.pack("<IIIIHHBBBBBBBB4x", 1, 0x200000, 0x1fffff, 0, 4, 65535, 1, 1, 0, 0, 32, 32, 8, 255)
    body += b"fake" + struct.pack("<BBB5x", 24, 32, 32) + screen + struct.pack("<BxH4x", 24, 1) + visual
    return struct.pack("<BxHHH", 1, 11, 0, len(body) // 4) + body


class BrokenDisplay:
    """Display :0, whose server breaks off after its first words."""

    def __enter__(self):
        self.clients = 0
        self.door = socket.socket(socket.AF_UNIX)
        self.door.bind("\0/tmp/.X11-unix/X0")
        self.door.listen(8)
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()
        return self

    def serve(self):
        while True:
            try:
                client, _ = self.door.accept()
            except OSError:
                return
            with client:
                self.clients += 1
                client.recv(4096)
                client.sendall(accepted())
                time.sleep(0.05)

    def __exit__(self, *_):
        self.door.shutdown(socket.SHUT_RDWR)
        self.door.close()
        self.thread.join()


@unittest.skipUnless(is_inside(), "runs inside the namespace")
class Inside(Case):
    def setUp(self):
        run("ip", "link", "set", "lo", "up")

    def test_mpirun_and_its_ranks(self):
        with BrokenDisplay() as display:
            done = run_ranks(2, cluster_binary(), "--version")
            self.assertEqual((done.returncode, display.clients), (0, 0), done.stderr)

    def test_a_rank_without_mpirun(self):
        """Open MPI starts a daemon for it."""
        environment = {**os.environ, **MPI_ENVIRONMENT}
        environment.pop("HWLOC_COMPONENTS")
        with BrokenDisplay() as display:
            done = subprocess.run([cluster_binary(), "--mode", "copy", "--port", "0", "no_such_scenario"], capture_output=True, text=True,
                                  env=environment, cwd=ROOT, timeout=120)
            self.assertEqual(display.clients, 0)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("no_such_scenario", done.stderr)


class Told(unittest.TestCase):
    def test_who_starts_mpirun_is_told(self):
        """The program can speak for its ranks alone."""
        for path in ("docs/cluster.md", "packaging/systemd/drover-cluster.service.in", "dev"):
            self.assertIn("HWLOC_COMPONENTS=", (ROOT / path).read_text(encoding="utf-8"), path)


@unittest.skipIf(is_inside(), "inside")
class OwnNetwork(unittest.TestCase):
    def test_inside(self):
        check_inside(self, NAMESPACES, __file__, 400)


if __name__ == "__main__":
    main(("unshare", "ip"), NAMESPACES, "ip link set lo up")
