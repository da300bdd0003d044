"""The program `drover` at a live server: each command, its exit codes, pipes, terminals, and servers that go or lie."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from drover_client import ROOT, Server, wait_for
from terminals import Terminal, shown

TOOL = os.environ.get("DROVER_TOOL", str(ROOT / "build/asan/bin/drover"))
PATIENCE_S = 60
IN_THE_BACKGROUND = """
import fcntl, os, signal, subprocess, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
ended = subprocess.run(sys.argv[1:], preexec_fn=os.setpgrp)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
fcntl.ioctl(0, termios.TIOCNOTTY)  # otherwise the terminal is hung up with its session
sys.exit(ended.returncode)
"""
HELLO = {"op": "hello", "protocol": 1, "server": "fake", "session": 1, "tick": 0, "time": 0, "paused": True, "role": "admin",
         "scenario": {"name": "s", "title": "S", "description": "", "size": [10, 10], "edge": "open", "seed": 1, "tick_hz": 60, "kinds": [],
                      "targets": []}}


def environment(port=None, **more):
    plain = {key: value for key, value in os.environ.items() if key not in ("DROVER_SERVER", "DROVER_TOKEN", "NO_COLOR")}
    return {**plain, **({"DROVER_SERVER": f"127.0.0.1:{port}"} if port else {}), **more}


def drover(port, *arguments, more=None, **options):
    return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                          env=environment(port, **(more or {})), **options)


def start(port, *arguments, **options):
    return subprocess.Popen([TOOL, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(port), **options)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Fake:
    """A server that says what the test wants: `answer` makes the lines that follow a request. requests: what was read."""

    def __init__(self, hello=HELLO, answer=lambda request: []):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.hello, self.answer = hello, answer
        self.requests, self.connections = [], []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            if self.hello is not None:
                connection.sendall(line_of(self.hello))
            for line in connection.makefile("rb"):
                self.requests.append(line)
                for answer in self.answer(json.loads(line)):
                    connection.sendall(line_of(answer))
        except (OSError, ValueError):
            pass

    def drop(self):
        """Closes the newest connection without a word."""
        self.connections[-1].shutdown(socket.SHUT_RDWR)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        for connection in self.connections:
            connection.close()


def line_of(message):
    return message if isinstance(message, bytes) else json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class Case(unittest.TestCase):
    maxDiff = None

    def expect(self, code, port, *arguments, **options):
        """Standard output of a command that ends with this code; a complaint is one line."""
        ended = drover(port, *arguments, **options)
        self.assertEqual(ended.returncode, code, f"{arguments}: {ended.stdout}{ended.stderr}")
        self.assertEqual(ended.stderr.count("\n"), 1 if code in (1, 2, 3) else 0, ended.stderr)
        return ended.stdout if code == 0 else ended.stderr

    def reply(self, port, *arguments, **options):
        lines = self.expect(0, port, *arguments, **options).splitlines()
        self.assertEqual(len(lines), 1, lines)
        return json.loads(lines[0])


class Commands(Case):
    """Every command, into a pipe."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.server = Server("seek", "--paused", "--state", cls.folder.name).__enter__()  # pylint: disable=unnecessary-dunder-call
        cls.port = cls.server.port

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None, None, None)
        cls.folder.cleanup()

    def test_requests(self):
        self.assertEqual(self.reply(self.port, "load", "seek")["scenario"], "seek")
        self.assertEqual(self.reply(self.port, "pause")["to"], "pause")
        self.assertEqual(self.reply(self.port, "set", "seeker.max_speed", 120)["value"], 120)
        self.assertEqual(self.reply(self.port, "set", "1.mass", 2)["value"], 2)
        self.assertEqual(self.reply(self.port, "target", "mouse", 100, 50), {"op": "reply", "to": "set_target", "id": 1, "tick": 0, "x": 100, "y": 50})
        self.assertEqual(self.reply(self.port, "target", 1, 10, "20.5")["y"], 20.5)
        self.assertEqual(self.reply(self.port, "target", "--kind", "seeker", "--follow", "mouse")["tick"], 0)
        self.assertEqual(self.reply(self.port, "spawn", "seeker", 3, 100, 100, "--heading", -90)["first_id"], 2)
        self.assertEqual(self.reply(self.port, "place", 2, 50, -60)["op"], "reply")
        self.assertEqual(self.reply(self.port, "remove", 3, 77)["missing"], [77])
        self.assertEqual(self.reply(self.port, "step", 60)["tick"], 60)
        self.assertRegex(self.reply(self.port, "save", "before", "--replace")["hash"], "^[0-9a-f]{16}$")
        self.assertIn("drover save --replace", self.expect(1, self.port, "save", "before"))
        self.assertEqual(self.reply(self.port, "load", "--save", "before")["tick"], 60)
        self.assertEqual(self.reply(self.port, "speed", "0.5")["factor"], 0.5)
        self.assertIs(self.reply(self.port, "speed", "--max")["max"], True)
        self.assertEqual(self.reply(self.port, "resume")["to"], "resume")
        self.assertEqual(self.reply(self.port, "pause")["to"], "pause")
        self.assertEqual(self.reply(self.port, "inspect", 1)["agents"][0]["id"], 1)
        self.assertIn("max_speed", [row["param"] for row in self.reply(self.port, "params", "seeker")["params"]])
        self.assertEqual(self.reply(self.port, "ask", "add_target", "name=7", "x=1", "y=2")["to"], "add_target")
        self.assertEqual(self.reply(self.port, "ask", "add_obstacle", "circle=[10,10,3]")["obstacle"], 1)
        self.assertEqual(self.reply(self.port, "help", "step")["ops"][0]["op"], "step")
        self.assertGreater(len(self.reply(self.port, "help", "--all")["ops"]), 30)

    def test_record(self):
        self.assertEqual(self.reply(self.port, "record", "first")["name"], "first")
        complaint = self.expect(1, self.port, "record", "second")
        self.assertIn("exists", complaint)
        self.assertIn("drover record --stop", complaint)
        self.assertEqual(self.reply(self.port, "record", "--stop")["name"], "first")
        self.assertEqual(self.reply(self.port, "record", "late", "--last", 60)["name"], "late")
        self.assertEqual(len(list(pathlib.Path(self.folder.name).rglob("first.drover*"))), 1)

    def test_list(self):
        self.assertIn("boids", [row["name"] for row in self.reply(self.port, "list")["scenarios"]])
        self.assertIn("seeker\n", self.expect(0, self.port, "list", "kinds", "--names"))
        self.assertIn("seeker.max_speed\n", self.expect(0, self.port, "list", "params", "--names"))
        self.assertIn("mouse\n", self.expect(0, self.port, "list", "targets", "--names"))
        self.assertIn("seek\n", self.expect(0, self.port, "list", "behaviors", "--names"))
        self.assertIn("did you mean \"kinds\"", self.expect(1, self.port, "list", "kind"))

    def test_get_is_what_a_client_sees(self):
        with self.server.connect() as client:
            snapshot = client.snapshot()
        got = self.reply(self.port, "get")
        self.assertEqual(got["agents"], snapshot["agents"])
        self.assertEqual(got["targets"], snapshot["targets"])
        self.assertEqual(list(self.reply(self.port, "get", "vx", "id,state", "--agents", "1,99")["agents"][0]), ["id", "vx", "state"])
        self.assertEqual(self.reply(self.port, "get", "--kinds", "seeker", "--region", "0,0,1,1")["agents"], [])

    def test_watch(self):
        drover(self.port, "resume")
        frames = [json.loads(line) for line in self.expect(0, self.port, "watch", "x", "--hz", 60, "--count", 3).splitlines()]
        self.assertEqual(len(frames), 3)
        self.assertLess(frames[0]["tick"], frames[2]["tick"])
        drover(self.port, "pause")

    def test_events(self):
        with start(self.port, "watch", "--events", "--count", 2) as watching:
            wait_for(lambda: self.subscribed() > 0, "a subscription")
            drover(self.port, "spawn", "seeker")
            drover(self.port, "ask", "cursor", "x=1", "y=2")
            drover(self.port, "spawn", "seeker", 2)
            lines = [json.loads(line) for line in watching.communicate(timeout=PATIENCE_S)[0].splitlines()]
        self.assertEqual([line["event"] for line in lines], ["spawned", "spawned"])

    def subscribed(self):
        with self.server.connect() as client:
            return client.request("stats")["sessions"]["subscribed"]

    def test_ping_and_top(self):
        lines = [json.loads(line) for line in self.expect(0, self.port, "ping", "--count", 3, "--every", "0.01").splitlines()]
        self.assertEqual(len(lines), 3)
        self.assertGreater(lines[0]["ms"], 0)
        lines = [json.loads(line) for line in self.expect(0, self.port, "top", "--count", 2, "--every", "0.05").splitlines()]
        self.assertEqual([line["to"] for line in lines], ["stats", "stats"])

    def test_refused(self):
        for arguments, words in [
            (["load", "nowhere"], "no_scenario"), (["load", "bods"], "boids"), (["set", "seeker.max_sped", 1], "max_speed"),
            (["set", "seeker.max_speed", -1], "out of range"), (["target", "mous", 1, 2], "mouse"), (["spawn", "bird"], "seeker"),
            (["step", 0], "out of range"), (["seek", 5], "not_replaying"), (["ask", "fly"], "unknown_op"), (["help", "stop"], "step"),
            (["watch", "--kinds", "bird", "--region", "0,0,0,1"], "width"), (["get", "--region", "1,2"], "region"),
            (["ask", "spawn", "cuont=3"], "kind"), (["target", "mouse"], ""),
        ]:
            with self.subTest(arguments=arguments):
                self.assertIn(words, self.expect(1, self.port, *arguments))

    def test_usage(self):
        for arguments, words in [
            (["watc"], "watch"), (["step", "many"], "number"), (["step", "1", "2"], "COUNT"), (["load", "2_arrive.json"], "by its name, without .json"), (["set", "speed", "1"], "KIND.PARAMETER"),
            (["watch", "headin"], "heading"), (["watch", "--hz", "fast"], "--hz"), (["get", "--agents", "one"], "--agents"),
            (["get", "--region", "a,b"], "--region"), (["ping", "now"], "now"), (["ask"], "OP"), (["ask", "spawn", "kind"], "MEMBER=VALUE"),
            (["spawn", "prey", "--sped", "1"], "--sped"), (["completion", "csh"], "bash"), (["top", "--every", "0"], "--every"),
            (["list", "--token-file", "/no/such/file"], "token-file"), (["raw", "x"], "x"),
            (["set"], "VALUE], found nothing"), (["remove"], "[AGENT...], found nothing"),
            (["speed"], "[FACTOR], found nothing"), (["target"], "[NAME] [X Y], found nothing"),
            (["target", "mouse", "10"], "X and Y go together"), (["list", "--server", ""], "HOST:PORT, found nothing"),
            (["list", "--server="], "HOST:PORT, found nothing"), (["list", "--server", "bad:port"], "expected HOST:PORT or mqtt://HOST/NAME, found \"bad:port\""),
            (["list", "--server", "127.0.0.1:0"], "HOST:PORT"), (["--jsn", "list"], "--jsn"),
        ]:
            with self.subTest(arguments=arguments):
                self.assertIn(words, self.expect(2, self.port, *arguments))

    def test_options_before_the_command(self):
        there = f"127.0.0.1:{self.port}"
        for arguments in (["--json", "list"], ["--server", there, "list"], [f"--server={there}", "--timeout", "9", "--json", "list"]):
            with self.subTest(arguments=arguments):
                self.assertEqual(json.loads(self.expect(0, self.port if arguments[0] == "--json" else 1, *arguments))["to"], "list")

    def test_help(self):
        page = self.expect(0, None, "help")
        self.assertEqual(page, self.expect(0, None, "--help"))
        for head in ("A live server", "Recordings and saved worlds", "Other"):
            self.assertIn(head, page)
        for name in re.findall(r"^  ([a-z]+) ", page, re.MULTILINE):
            said = self.expect(0, None, name, "--help")
            self.assertIn(f"Usage: drover {name}", said)
            self.assertLessEqual(max(map(len, said.splitlines())), 130)
        self.assertIn("Usage: drover verify", self.expect(0, None, "help", "verify"))

    def test_a_hint_of_the_server_is_shown(self):
        self.assertEqual(self.reply(self.port, "ask", "step", "cuont=2")["unknown"], ["cuont"])
        self.assertIn("did you mean \\\"count\\\"", self.expect(0, self.port, "ask", "step", "cuont=2"))


class Pipes(Case):
    def test_a_reader_that_goes_ends_it_quietly(self):
        for scenario_options in ([], ["--paused"]):
            with Server("flock", *scenario_options) as server:
                for arguments in (["watch"], ["top", "--every", "0.05"], ["ping", "--count", 0, "--every", "0.01"], ["raw"]):
                    with self.subTest(arguments=arguments, options=scenario_options), \
                            start(server.port, *arguments, stdin=subprocess.PIPE) as running:
                        self.assertTrue(running.stdout.readline())
                        running.stdout.close()
                        self.assertEqual(running.wait(PATIENCE_S), 0)
                        self.assertEqual(running.stderr.read(), b"")

    def test_an_interrupt_ends_it_with_130(self):
        with Server("flock", "--paused") as server:
            for number in (signal.SIGINT, signal.SIGTERM):
                for arguments in (["watch"], ["top"], ["ping", "--count", 0], ["raw"]):
                    with self.subTest(arguments=arguments), start(server.port, *arguments, stdin=subprocess.PIPE) as running:
                        self.assertTrue(running.stdout.readline())
                        running.send_signal(number)
                        self.assertEqual(running.wait(PATIENCE_S), 130)
                        self.assertEqual(running.stderr.read(), b"")

    def test_an_interrupt_ends_a_wait_for_a_reply(self):
        with Fake() as fake, start(fake.port, "step", 100000) as running:
            wait_for(lambda: b"step" in b"".join(fake.requests), "the request")
            running.send_signal(signal.SIGINT)
            self.assertEqual(running.wait(PATIENCE_S), 130)

    def test_a_slow_reader_misses_frames_and_nothing_else(self):
        with Server("flock") as server, start(server.port, "watch", "--hz", 60) as running, server.connect() as other:
            first = json.loads(running.stdout.readline())["tick"]
            wait_for(lambda: other.request("ping")["tick"] > first + 60, "frames that are not read")
            ticks = [json.loads(running.stdout.readline())["tick"] for _ in range(20)]
            self.assertEqual(ticks, sorted(set(ticks)))
            running.kill()


class NoServer(Case):
    def test_nothing_listens(self):
        port = free_port()
        for arguments in (["watch"], ["get"], ["list"], ["set", "a.b", 1], ["step"], ["top"], ["ping"], ["raw"], ["help", "step"], ["ask", "x"]):
            with self.subTest(arguments=arguments):
                self.assertIn(f"127.0.0.1:{port}", self.expect(3, port, *arguments))
        self.assertIn("1.2.3.4.5", self.expect(3, port, "list", "--server", "1.2.3.4.5:99"))

    def test_a_server_that_says_nothing(self):
        with Fake(hello=None) as fake:
            for arguments in (["list"], ["watch"]):
                self.assertIn("127.0.0.1", self.expect(3, fake.port, *arguments, "--timeout", "0.3"))

    def test_a_server_that_ends_during_a_command(self):
        for arguments in (["watch"], ["top", "--every", "0.05"], ["ping", "--count", 0, "--every", "0.05"]):
            with self.subTest(arguments=arguments), Server("flock") as server, start(server.port, *arguments) as running:
                self.assertTrue(running.stdout.readline())
                server.stop()
                self.assertEqual(running.wait(PATIENCE_S), 3)
                self.assertRegex(running.stderr.read(), rb"^drover: 127.0.0.1:\d+: .*\n$")

    def test_watch_waits_for_the_server_to_come_back(self):
        port = free_port()
        with Server("flock", port=port):
            running = start(port, "watch", "x", "--hz", 60, "--reconnect")
            self.assertTrue(running.stdout.readline())
        with Server("seek", port=port), running:  # which has one agent
            deadline = time.monotonic() + PATIENCE_S
            agents = json.loads(running.stdout.readline())["agents"]
            while len(agents) > 1 and time.monotonic() < deadline:
                agents = json.loads(running.stdout.readline())["agents"]
            self.assertEqual(len(agents), 1)
            running.send_signal(signal.SIGINT)
            running.stdout.close()
            self.assertIn(running.wait(PATIENCE_S), (0, 130))


class Tokens(Case):
    def test_roles(self):
        with tempfile.TemporaryDirectory() as folder:
            tokens, secret, wrong = (pathlib.Path(folder) / name for name in ("tokens", "secret", "wrong"))
            tokens.write_text("admin swordfish-77\nviewer looker-1234\n", encoding="ascii")
            secret.write_text("swordfish-77\nmore\n", encoding="ascii")
            wrong.write_text("", encoding="ascii")
            tokens.chmod(0o600)
            with Server("seek", "--paused", "--token-file", str(tokens)) as server:
                port = server.port
                self.assertIn("token", self.expect(1, port, "step"))
                self.assertIn("token", self.expect(1, port, "watch"))
                self.assertEqual(self.reply(port, "step", "--token-file", secret)["tick"], 1)
                self.assertEqual(self.reply(port, "step", more={"DROVER_TOKEN": "swordfish-77"})["tick"], 2)
                self.assertEqual(self.reply(port, "step", "--token-file", "-", input="swordfish-77\n")["tick"], 3)
                self.assertIn("admin", self.expect(1, port, "step", more={"DROVER_TOKEN": "looker-1234"}))
                self.assertNotIn("looker", self.expect(1, port, "list", more={"DROVER_TOKEN": "looker-9999"}))
                self.assertIn("empty", self.expect(2, port, "list", "--token-file", wrong))
                ended = drover(port, "raw", "--token-file", secret, input='{"op":"step","id":9}\n')
                self.assertIn('"id":9', ended.stdout)
                self.assertNotIn("swordfish", ended.stdout + ended.stderr)


class Terminals(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("boids", "--paused").__enter__()  # pylint: disable=unnecessary-dunder-call
        cls.environment = {"DROVER_SERVER": f"127.0.0.1:{cls.server.port}"}

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None, None, None)

    def shown(self, *arguments, **options):
        return shown(TOOL, *arguments, environment={**self.environment, **options.pop("environment", {})}, **options)

    def test_tables(self):
        self.assertRegex(self.shown("list", "kinds").plain(), r"^name +radius +max_speed +max_force +count\nboid +4 +72 +216 +200\n$")
        self.assertEqual(self.shown("pause").plain(), "pause: tick 0\n")
        said = self.shown("list").plain()
        self.assertRegex(said, r"^name +group +caption\n")
        self.assertLessEqual(max(map(len, said.splitlines())), 110)
        self.assertRegex(self.shown("get", "x", "y", "--agents", "1,2").plain(), r"^tick 0, 0.00 s, 2 agents\nid +x +y\n 1 +[\d.]+ +[\d.]+\n 2 ")
        self.assertIn("points:\n", self.shown("inspect", 1).plain())
        self.assertRegex(self.shown("help", "step").plain(), r"^step, for the role admin; always answered\nmember +type")
        self.assertRegex(self.shown("ping", "--count", 2, "--every", "0.01").plain(), r"tick 0\n2 answers: least ")
        json.loads(self.shown("list", "kinds", "--json").plain())

    def test_color(self):
        self.assertIn("\x1b[1m", self.shown("list", "kinds").seen)
        for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b", self.shown("list", "kinds", environment=more).seen)

    def test_watch(self):
        for key, code in (("q", 0), ("\x04", 0)):
            with Terminal(TOOL, "watch", environment=self.environment) as terminal:
                terminal.wait_for("agents 1 to 26;")
                terminal.press("n")
                terminal.wait_for("agents 27 to 52;")
                terminal.press(key)
                self.assertEqual(terminal.end(), code)
                self.assertTrue(terminal.is_as_before())
                self.assertTrue(terminal.seen.endswith("\x1b[?25h\x1b[?1049l"), terminal.seen[-80:])
                self.assertNotRegex(terminal.plain(), r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")

    def test_a_program_in_the_background_is_not_stopped(self):
        """As under timeout(1): the program's process group is not the one that the terminal belongs to."""
        with Terminal(sys.executable, "-c", IN_THE_BACKGROUND, TOOL, "watch", "--count", "1", environment=self.environment) as terminal:
            self.assertEqual(terminal.end(), 0)
            self.assertIn("agents 1 to 26;", terminal.seen)
            self.assertTrue(terminal.is_as_before())

    def test_top(self):
        with Terminal(TOOL, "top", "--every", "0.1", environment=self.environment, size=(40, 90)) as terminal:
            terminal.wait_for("sessions")
            terminal.wait_for("broadcast")
            terminal.wait_for("sent            ")
            terminal.press("q")
            self.assertEqual(terminal.end(), 0)
            self.assertTrue(terminal.is_as_before())
            self.assertLessEqual(max(map(len, terminal.plain().splitlines())), 90)

    def test_top_ends_in_order_when_the_server_goes(self):
        with Server("seek") as server, \
                Terminal(TOOL, "top", "--every", "0.1", environment={"DROVER_SERVER": f"127.0.0.1:{server.port}"}) as terminal:
            terminal.wait_for("sessions")
            server.stop()
            self.assertEqual(terminal.end(), 3)
            self.assertTrue(terminal.is_as_before())
            self.assertIn("\x1b[?1049l", terminal.seen)
            self.assertRegex(terminal.plain(), r"drover: 127.0.0.1:\d+: ")

    def test_ctrl_c(self):
        with Terminal(TOOL, "watch", environment=self.environment) as terminal:
            terminal.wait_for("agents 1 to")
            os.kill(terminal.process.pid, signal.SIGINT)
            self.assertEqual(terminal.end(), 130)
            self.assertTrue(terminal.is_as_before())


EVIL = "a\x1b[2Jb\x1b]0;owned\x07\x9b31m\u202e\r\n\x7f\U000e0041"


class Liars(Case):
    """Nothing that a server says reaches the terminal as a control."""

    name = "k"  # of kinds and states: libdrover refuses frames with names that are none

    def check(self, terminal):
        self.assertNotRegex(terminal.plain(), "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\U000e0041]")

    def answer(self, request):
        op, ticket = request["op"], request.get("id")
        if op == "subscribe":
            key = {"op": "key", "tick": 0, "key": 1, "n": 1, "scale": 100, "kinds": [self.name], "states": [self.name], "id": "AQAAAA==", "kind": "AA==",
                   "state": "AAA=", "x": "QJwAAA==", "y": "wF0AAA==", "vx": "AAAAAA==", "vy": "AAAAAA==", "heading": "AAA="}
            return [{"op": "reply", "to": op, "id": ticket, "layout": "packed", EVIL: EVIL},
                    {"op": "event", "event": EVIL, "tick": 1, EVIL: [EVIL]}, key,
                    b'{"op":"delta","tick":0,"time":0.000000,"key":1,"n":1,"targets":[{"name":"mouse","x":600.00,"y":120.00}],"clock":88123.412}\n']
        if op == "step":
            return [{"op": "error", "id": ticket, "line": 1, "code": EVIL, "message": EVIL, "hint": EVIL}]
        rows = [{"name": EVIL, EVIL: 1, "fields": [{"name": EVIL, "help": EVIL}], "op": EVIL, "role": EVIL}]
        return [{"op": "reply", "to": op, "id": ticket, "tick": 1, EVIL: EVIL, "scenarios": rows, "ops": rows, "phases_ms": {EVIL: {"p50": 1}},
                 "sessions": {EVIL: 1}, "recording": {"name": EVIL}}]

    def test_everything(self):
        hello = json.loads(json.dumps(HELLO))
        hello["server"] = hello["scenario"]["title"] = EVIL
        with Fake(hello, self.answer) as fake:
            where = {"DROVER_SERVER": f"127.0.0.1:{fake.port}"}
            for arguments in (["list"], ["list", "--names"], ["help", "x"], ["help", "--all"], ["pause"], ["pause", "--json"], ["ask", "x", "--json"],
                              ["watch", "--events", "--count", 1], ["watch", "--events", "--count", 1, "--json"], ["ping", "--count", 1],
                              ["top", "--count", 1], ["get"], ["get", "--json"]):
                with self.subTest(arguments=arguments):
                    terminal = shown(TOOL, *arguments, environment=where)
                    self.assertTrue(terminal.plain().strip())
                    self.check(terminal)
            self.check(shown(TOOL, "step", code=1, environment=where))

    def test_the_value_stays_in_json(self):
        with Fake(HELLO, self.answer) as fake:
            self.assertEqual(self.reply(fake.port, "pause")[EVIL], EVIL)

    def test_a_server_without_frames(self):
        with Fake(HELLO, lambda request: [{"op": "reply", "to": "subscribe", "id": request.get("id"), "layout": "packed"}]) as fake:
            self.assertIn("no frame", self.expect(3, fake.port, "get", "--timeout", "0.3"))

    def test_lines_that_are_none(self):
        for garbage in (b"\x1b[2J\n", b"\xff\xfe\x00\n", b"[]\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"{\"op\":\"hello\",\"protocol\":9}\n"):
            with self.subTest(garbage=garbage), Fake(garbage) as fake:
                terminal = Terminal(TOOL, "list", "--timeout", "0.5", environment={"DROVER_SERVER": f"127.0.0.1:{fake.port}"})
                with terminal:
                    self.assertIn(terminal.end(), (1, 3))
                    self.check(terminal)

    def test_raw_at_a_terminal(self):
        with Fake(b"{\"op\":\"hello\"}\n\x1b[2J\x9b31m\xc2\x9b\n\x07\n{\"op\":\"bye\",\"reason\":\"client\"}\n") as fake:
            with Terminal(TOOL, "raw", "--once", environment={"DROVER_SERVER": f"127.0.0.1:{fake.port}"}) as terminal:
                terminal.wait_for("client")
                fake.drop()
                self.assertEqual(terminal.end(), 0)
                self.check(terminal)


class Raw(Case):
    def test_it_is_like_nc(self):
        with Server("seek", "--paused") as server:
            ended = drover(server.port, "raw", input='{"op":"step","count":3,"id":1}\n{"op":"list","what":"kinds","id":"b"}')
            self.assertEqual(ended.returncode, 0, ended.stderr)
            lines = [json.loads(line) for line in ended.stdout.splitlines()]
            self.assertEqual([line["op"] for line in lines], ["hello", "reply", "reply", "bye"])
            self.assertEqual((lines[1]["tick"], lines[2]["id"]), (3, "b"))

    def test_it_says_bye(self):
        with Server("seek") as server, start(server.port, "raw", stdin=subprocess.PIPE) as running:
            running.stdin.write(b'{"op":"bye"}\n')
            running.stdin.flush()
            self.assertEqual(running.wait(PATIENCE_S), 0)

    def test_it_connects_again_and_sends_nothing_twice(self):
        with Fake() as fake, start(fake.port, "raw", stdin=subprocess.PIPE) as running:
            running.stdin.write(b'{"op":"one"}\n{"op":"tw')
            running.stdin.flush()
            wait_for(lambda: len(fake.requests) == 1, "the first line")
            time.sleep(0.2)  # drover has read the half line as well
            fake.drop()
            wait_for(lambda: len(fake.connections) == 2, "a second connection")
            running.stdin.write(b'o"}\n{"op":"three"}\n')
            running.stdin.close()
            wait_for(lambda: b'{"op":"three"}\n' in fake.requests, "the third line")
            fake.drop()
            self.assertEqual(running.wait(PATIENCE_S), 0)
            self.assertIn(b"connection is lost", running.stderr.read())
        whole = [line for line in fake.requests if line.endswith(b"}\n")]
        self.assertEqual(whole, [b'{"op":"one"}\n', b'{"op":"three"}\n'])

    def test_once(self):
        with Fake() as fake, start(fake.port, "raw", "--once", stdin=subprocess.PIPE) as running:
            self.assertTrue(running.stdout.readline())
            fake.drop()
            self.assertEqual(running.wait(PATIENCE_S), 3)


if __name__ == "__main__":
    unittest.main()
