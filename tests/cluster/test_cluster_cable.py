"""Ranks on two machines: two network namespaces with a cable between them. The world is that of one process; a cable that is
pulled ends it within seconds.

The test restarts itself in namespaces of its own (`unshare`); the cable is a pair of veth interfaces. mpirun reaches the far
machine as it would with ssh, by a script that enters its namespaces. Skipped (exit code 77) where that is not allowed.
"""

import contextlib
import os
import pathlib
import re
import signal
import stat
import subprocess
import tempfile
import time
import unittest

from cluster import ROOT, Case, Cluster, Server, wait_for
from drover_client import Closed
from proxies import free_port
from test_stays_up import KeptUp, connect_again
from namespaces import check_inside, is_inside, main, run

NAMESPACES = ["unshare", "-U", "-r", "-n", "-u", "-m", "--kill-child"]


class FarMachine:
    """A machine with a name, a network and a /tmp of its own, at the other end of a cable."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.holder = subprocess.Popen(["unshare", "-n", "-u", "-m", "sleep", "600"], stdout=subprocess.DEVNULL)
        try:
            self.connect()
        except BaseException:
            self.__exit__()
            raise
        return self

    def connect(self):
        own = os.readlink("/proc/self/ns/uts")
        wait_for(lambda: os.readlink(f"/proc/{self.holder.pid}/ns/uts") != own, "namespaces for the far machine")
        run("hostname", "near")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", str(self.holder.pid))
        run("ip", "addr", "add", "10.98.0.1/24", "dev", "cable")
        run("ip", "link", "set", "cable", "up")
        self.run("hostname", "far")
        self.run("ip", "link", "set", "lo", "up")
        self.run("ip", "addr", "add", "10.98.0.2/24", "dev", "cable")
        self.run("ip", "link", "set", "cable", "up")
        path = pathlib.Path(self.folder.name)
        self.hosts = path / "hosts"
        self.hosts.write_text("10.98.0.1 slots=4\n10.98.0.2 slots=4\n")
        self.agent = path / "enter"
        # What mpirun gives it: the machine, then the words of a command for a shell.
        self.agent.write_text(f'#!/bin/sh\nshift\nexec nsenter -t {self.holder.pid} -n -u -m sh -c "$*"\n')
        self.agent.chmod(self.agent.stat().st_mode | stat.S_IXUSR)

    def processes(self):
        """Those that run there, but for the one that holds its namespaces."""
        own = os.readlink(f"/proc/{self.holder.pid}/ns/net")
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.readlink(entry / "ns/net") == own and int(entry.name) != self.holder.pid:
                    found.append(int(entry.name))
        return found

    def __exit__(self, *_):
        for pid in self.processes():  # Open MPI's daemon, which waits for the cable
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        subprocess.run(["ip", "link", "del", "cable"], capture_output=True, check=False)
        self.holder.kill()
        self.holder.wait()
        self.folder.cleanup()

    def run(self, *words):
        run("nsenter", "-t", str(self.holder.pid), "-n", "-u", "-m", *words)

    def pull(self):
        self.run("ip", "link", "set", "cable", "down")

    def plug(self):
        self.run("ip", "link", "set", "cable", "up")

    def words(self):
        """The options of mpirun: ranks in turns on both machines."""
        return ("-x", "LSAN_OPTIONS", "--hostfile", str(self.hosts), "--map-by", "node", "--mca", "plm_rsh_agent", str(self.agent), "--mca", "btl", "tcp,self",
                "--mca", "btl_tcp_if_include", "10.98.0.0/24", "--mca", "oob_tcp_if_include", "10.98.0.0/24")


@unittest.skipUnless(is_inside(), "runs inside the namespaces")
class Inside(Case):
    def check(self, mode, scenario, ranks, far):
        with Cluster(ranks, "--paused", scenario, mode=mode, mca=far.words()) as cluster, Server("--paused", scenario) as server, \
                cluster.connect() as first, server.connect() as second:
            for _ in range(40):
                self.assertEqual(first.request("step")["hash"], second.request("step")["hash"])
            self.assertEqual(len(cluster.pids()), (ranks + 1) // 2, "the other half is on the far machine")

    def test_two_machines(self):
        with FarMachine() as far:
            for mode, scenario, ranks in (("copy", "hunters_and_prey", 3), ("copy", "pedestrians", 2), ("stripes", "pedestrians", 2)):
                with self.subTest(mode=mode, scenario=scenario, ranks=ranks):
                    self.check(mode, scenario, ranks, far)

    def pull(self, far, mca):
        """Returns the exit code of mpirun, whose own end a unit waits for before it starts it again, and stderr."""
        cluster = Cluster(2, "--paused", "pedestrians", mca=mca)
        with cluster.doomed(), cluster.connect() as client:
            client.request("resume")
            far.pull()
            pulled = time.monotonic()
            self.assertEqual(client.until_closed()[-1]["reason"], "shutdown")
            self.assertLess(time.monotonic() - pulled, 15)
            code = cluster.process.wait(30)
            self.assertLess(time.monotonic() - pulled, 30)
            return code, cluster.stderr()

    def test_a_cable_is_pulled(self):
        with FarMachine() as far:
            code, said = self.pull(far, far.words())
            self.assertEqual(code, -signal.SIGKILL, said)
            self.assertRegex(said, r"rank 1 on far \(process \d+\) is lost")

    def test_a_cable_is_pulled_that_mpirun_watches(self):
        """The options of docs/cluster.md: nothing is left on either machine."""
        page = (ROOT / "docs/cluster.md").read_text()
        options = re.search(r"(--mca oob_tcp_keepalive_time \d+) (--mca oob_tcp_keepalive_intvl \d+) \\?\s*(--mca oob_tcp_keepalive_probes \d+)", page)
        with FarMachine() as far:
            code, said = self.pull(far, (*" ".join(options.groups()).split(), *far.words()))
            self.assertGreater(code, 0, said)
            wait_for(lambda: not far.processes(), "the end of all processes of the far machine")


    def test_the_world_stays_up_on_the_machine_that_is_left(self):
        """drover-cluster-run asks the machines, leaves the far one out, and has it in again once it answers."""
        with FarMachine() as far, tempfile.TemporaryDirectory() as folder:
            agent = pathlib.Path(folder, "agent")
            agent.write_text(f'#!/bin/sh\nip link show cable | grep -q LOWER_UP && exec {far.agent} "$@"\nexit 255\n')
            agent.chmod(0o755)
            words = ("--hostfile", str(far.hosts), "--map-by", "node", "-x", "LSAN_OPTIONS", "--mca", "btl", "tcp,self",
                     "--mca", "btl_tcp_if_include", "10.98.0.0/24", "--mca", "oob_tcp_if_include", "10.98.0.0/24")
            with KeptUp(2, "--state", f"{folder}/state", "--sync", "always", "pedestrians", mca=words, port=free_port(),
                        environment={"OMPI_MCA_plm_rsh_agent": str(agent)}) as cluster:
                client = cluster.connect()
                hosts = [rank["host"] for rank in client.request("stats")["cluster"]["ranks"]]
                self.assertEqual(hosts, ["near", "far"])
                reply = client.request("set_param", kind="east_1", param="max_speed", value=60)
                far.pull()
                pulled = time.monotonic()
                with contextlib.suppress(OSError, Closed):
                    client.until_closed()
                client = connect_again(self, cluster.port, pulled, 30)
                print(f"a cable was pulled: the world was back after {time.monotonic() - pulled:.1f} s")
                self.assertRegex(client.hello["restarted"]["reason"], r"^rank 1 on far \(process \d+\) is lost$")
                self.assertGreaterEqual(client.hello["restarted"]["tick"], reply["tick"])
                self.assertEqual({rank["host"] for rank in client.request("stats")["cluster"]["ranks"]}, {"near"})
                far.plug()
                os.kill(cluster.ranks_now()[1], signal.SIGKILL)
                killed = time.monotonic()
                with contextlib.suppress(OSError, Closed):
                    client.until_closed()
                client = connect_again(self, cluster.port, killed, 30)
                self.assertEqual([rank["host"] for rank in client.request("stats")["cluster"]["ranks"]], ["near", "far"])


@unittest.skipIf(is_inside(), "inside")
class TwoMachines(unittest.TestCase):
    def test_inside(self):
        check_inside(self, NAMESPACES, __file__, 400)


if __name__ == "__main__":
    main(("unshare", "nsenter", "ip", "hostname"), NAMESPACES,
         "ip link add near type veth peer name far && hostname near && unshare -n -u -m true")
