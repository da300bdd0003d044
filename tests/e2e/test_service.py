"""The server as a service: a stand-in for systemd runs the command line of the unit files with NOTIFY_SOCKET, WATCHDOG_USEC and
STATE_DIRECTORY, and reads what the server sends. The units are also rated by systemd-analyze where that is installed."""

import contextlib
import glob
import json
import os
import pathlib
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from drover_client import Case, Client, PATIENCE_S, ROOT, Server, server_binary, wait_for

UNITS = pathlib.Path(os.environ.get("DROVER_UNITS") or ROOT / "build/release/packaging/systemd")
HOLD_THREAD = os.environ.get("DROVER_HOLD_THREAD")
WATCHDOG_S = 0.6
EXPOSURE = 1.5  # of systemd-analyze security: 0 safe, 10 unsafe
STATUS = r"(\S+)(, paused|, resuming \d+ %)?, (\d+) agents?, (\d+) sessions?, p99 \d+\.\d ms"


def read_unit(name):
    """The lists of values of each option."""
    options = {}
    for line in (UNITS / name).read_text(encoding="utf-8").splitlines():
        match = re.fullmatch(r"(\w+)=(.*)", line)
        if match:
            options.setdefault(match[1], []).append(match[2])
    return options


def command_of(unit, instance, environment):
    """The words of ExecStart, as systemd makes them: %i, ${NAME} in a word, $NAME as words. Drover's program is the build's."""
    words, own = [], {"drover-server": server_binary(), "drover-cluster": os.environ.get("DROVER_CLUSTER", ""),
                  "drover-cluster-run": os.environ.get("DROVER_CLUSTER", "") + "-run"}
    for word in shlex.split(unit["ExecStart"][0]):
        word = word.replace("%i", instance)
        if re.fullmatch(r"\$\w+", word):
            words += shlex.split(environment.get(word[1:], ""))
        else:
            word = re.sub(r"\$\{(\w+)\}", lambda name: environment.get(name[1], ""), word)
            words.append(own.get(os.path.basename(word), word))
    assert set(words) & set(own.values()), words
    return words


class Manager:
    """What systemd does for one service. Messages that the server sends are kept in order."""

    environment = {}

    def __init__(self, folder, unit="drover.service", instance="", is_abstract=False, watchdog_s=WATCHDOG_S):
        self.folder, self.unit, self.instance, self.watchdog_s = folder, read_unit(unit), instance, watchdog_s
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.name = f"@drover-notify-{os.getpid()}-{id(self)}" if is_abstract else f"{folder}/notify"
        if not is_abstract:
            pathlib.Path(self.name).unlink(missing_ok=True)
        self.socket.bind("\0" + self.name[1:] if is_abstract else self.name)
        self.messages, self.process, self.port = [], None, None

    def start(self, options=""):
        state = f"{self.folder}/" + self.unit["StateDirectory"][0].replace("%i", self.instance)
        os.makedirs(state, mode=0o700, exist_ok=True)
        own = {"NOTIFY_SOCKET": self.name, "WATCHDOG_USEC": str(int(self.watchdog_s * 1e6)), "STATE_DIRECTORY": state,
               "DROVER_OPTIONS": f"--port 0 {options}", **self.environment}
        self.process = subprocess.Popen(command_of(self.unit, self.instance, own), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, cwd=ROOT, env={**os.environ, **own})
        line = self.process.stdout.readline()
        assert line.startswith("drover-server listening on"), (line, self.process.poll())
        self.port = int(line.rsplit(":", 1)[1])
        return state

    def message(self, timeout):
        """The next datagram's fields, or None when none comes in time."""
        if not select.select([self.socket], [], [], timeout)[0]:
            return None
        fields = dict(line.split("=", 1) for line in self.socket.recv(65536).decode().split("\n"))
        self.messages.append(fields)
        return fields

    def wait_for(self, name, timeout=PATIENCE_S):
        """The next datagram with this field."""
        deadline = time.monotonic() + timeout
        while True:
            fields = self.message(max(0.0, deadline - time.monotonic()))
            if fields is None:
                raise AssertionError(f"no {name} within {timeout} s; there were {self.messages[-5:]}")
            if name in fields:
                return fields[name]

    def wait_for_food(self, count=3):
        """So many messages for the watchdog, from now on."""
        self.forget()
        for _ in range(count):
            self.wait_for("WATCHDOG")

    def feeds_within(self, seconds):
        """How often the watchdog is fed from now on."""
        count, deadline = 0, time.monotonic() + seconds
        while time.monotonic() < deadline:
            fields = self.message(max(0.0, deadline - time.monotonic()))
            count += fields is not None and "WATCHDOG" in fields
        return count

    def forget(self):
        while self.message(0.0):
            pass

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE_S)
        self.process.stdout.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.end(signal.SIGKILL)
        self.socket.close()


@contextlib.contextmanager
def held_simulation(pid):
    """While it lasts, the thread of the simulation stands still and no other one does."""
    with subprocess.Popen([HOLD_THREAD, str(pid), "simulation"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        line = holder.stdout.readline()
        if not line.startswith("held"):
            code = holder.wait(PATIENCE_S)
            if code == 77:
                raise unittest.SkipTest("threads cannot be traced here")
            raise AssertionError(f"hold_thread ended with {code}")
        yield
        holder.stdin.close()
        holder.wait(PATIENCE_S)


def last_written(state):
    """The last tick in the journals of this folder; 0 without one."""
    lines = [json.loads(line) for path in glob.glob(f"{state}/journal-*.drover")
             for line in pathlib.Path(path).read_bytes().split(b"\n")[:-1] if line]
    return max((line["tick"] for line in lines if "tick" in line), default=0)


class Service(Case):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="drover-service-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def test_it_says_what_it_does(self):
        for is_abstract in (False, True):
            with Manager(self.folder, is_abstract=is_abstract) as manager:
                state = manager.start("--state-new boids")
                fields = manager.message(PATIENCE_S)
                self.assertEqual(fields["READY"], "1")
                self.assertRegex(fields["STATUS"], rf"^{STATUS}$")
                environment = pathlib.Path(f"/proc/{manager.process.pid}/comm").read_text().strip()
                self.assertEqual(environment, "drover-server")
                with Client(manager.port) as client:
                    self.assertGreater(client.request("stats")["tick"], 0)  # READY came after the first tick
                    name, _, agents, _ = re.fullmatch(STATUS, fields["STATUS"]).groups()
                    self.assertEqual((name, int(agents)), ("boids", client.request("stats")["agents"]))
                    self.assertEqual(re.fullmatch(STATUS, manager.wait_for("STATUS"))[4], "1")
                    client.request("pause")
                    self.assertEqual(re.fullmatch(STATUS, manager.wait_for("STATUS"))[2], ", paused")
                self.assertEqual(manager.wait_for("WATCHDOG"), "1")
                self.assertEqual(manager.end(), 0)
                self.assertEqual(manager.wait_for("STOPPING", 1.0), "1")
                self.assertIsNone(manager.message(0.0))
                self.assertTrue(glob.glob(f"{state}/journal-*.drover"))

    def test_one_world_a_unit(self):
        with Manager(self.folder, "drover@.service", "seek") as manager:
            state = manager.start()
            self.assertTrue(state.endswith("/drover/worlds/seek"))
            self.assertTrue(manager.wait_for("STATUS").startswith("seek, "))
            self.assertEqual(manager.end(), 0)

    def test_the_watchdog_needs_both_threads(self):
        """A paused world moves, and so does one in a long step; one whose thread stands still does not."""
        with Manager(self.folder) as manager:
            manager.start("boids")
            manager.wait_for("READY")
            manager.wait_for_food()
            with Client(manager.port) as client:
                client.request("pause")
                manager.wait_for_food()
                client.send("step", count=100_000, id="long")
                manager.wait_for_food()
                client.request("ping")
                self.assertNotIn(b'"long"', client.unread(), "the step was over too soon to say anything")
            if not HOLD_THREAD:
                self.skipTest("DROVER_HOLD_THREAD is not set")
            for _ in range(2):
                with held_simulation(manager.process.pid):
                    manager.feeds_within(WATCHDOG_S)  # what was on its way
                    self.assertEqual(manager.feeds_within(2 * WATCHDOG_S), 0)
                self.assertEqual(manager.wait_for("WATCHDOG"), "1")
            manager.process.send_signal(signal.SIGSTOP)  # the loop as well
            manager.forget()
            self.assertEqual(manager.feeds_within(2 * WATCHDOG_S), 0)
            manager.process.send_signal(signal.SIGCONT)
            self.assertEqual(manager.wait_for("WATCHDOG"), "1")
            self.assertEqual(manager.end(), 0)

    def test_killed_and_started_again(self):
        """The world of a start after kill -9 has the hash of one that was never interrupted, at the tick that it reached."""
        with Manager(self.folder) as manager:
            state = manager.start("boids --seed 5")
            manager.wait_for("READY")
            wait_for(lambda: last_written(state) >= 30, "30 ticks are in the journal")
            self.assertEqual(manager.end(signal.SIGKILL), -signal.SIGKILL)
            written = last_written(state)
            manager.forget()
            manager.start("--paused")
            manager.wait_for("READY")
            with Client(manager.port) as client:
                client.request("list", what="targets", id="there")
                wait_for(lambda: "resuming" not in client.request("stats"), "the end of the journal")
                reply = client.request("save", name="now", replace=True)
            self.assertGreaterEqual(reply["tick"], written)
            self.assertEqual(manager.end(), 0)
        with Server("--paused", "--seed", "5", "boids") as server, server.connect() as client:
            self.assertEqual(client.request("step", count=reply["tick"])["hash"], reply["hash"])

    def test_no_start_follows_a_mistake(self):
        """Exit code 2, and the units know that a further start would not help."""
        for name in ("drover.service", "drover@.service"):
            self.assertEqual(read_unit(name)["RestartPreventExitStatus"], ["2"])
        with Manager(self.folder) as manager:
            with self.assertRaises(AssertionError):
                manager.start("no-such-scenario")
            self.assertEqual(manager.process.wait(PATIENCE_S), 2)
            self.assertIsNone(manager.message(0.0))
            manager.process.stdout.close()


def exposure_of(test, name):
    """What systemd-analyze rates the unit."""
    if not shutil.which("systemd-analyze"):
        test.skipTest("systemd-analyze is not installed")
    with tempfile.TemporaryDirectory() as folder:
        unit = shutil.copy(UNITS / name, f"{folder}/{name.replace('@', '@boids')}")
        said = subprocess.run(["systemd-analyze", "security", "--offline=true", unit], capture_output=True, text=True, check=False)
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", said.stdout)
    test.assertTrue(found, said.stdout + said.stderr)
    return float(found[1])


class Units(Case):
    def test_exposure(self):
        others = [name for name in ("drover-mqtt@.service",) if (UNITS / name).exists()]  # where the build has the program
        for name in ("drover.service", "drover@.service", *others):
            self.assertLessEqual(exposure_of(self, name), EXPOSURE)

    def test_units_differ_in_names_alone(self):
        """What protects one protects the other."""
        one, many = (read_unit(name) for name in ("drover.service", "drover@.service"))
        differing = {key for key in one.keys() | many.keys() if one.get(key) != many.get(key)}
        self.assertEqual(differing, {"Description", "EnvironmentFile", "ExecStart", "StateDirectory", "RuntimeDirectory"})


if __name__ == "__main__":
    unittest.main()
