"""A server that keeps its world in a folder (--state DIR), and what may happen to it: an end by SIGTERM, kill -9 at any
byte of its journal and under load, a full disk, a second server, another scenario. What the next start goes on with is
compared, hash by hash, with a server that plays the journal's requests and is never interrupted."""

import contextlib
import ctypes
import ctypes.util
import glob
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import threading
import unittest

from drover_client import PATIENCE_S, ROOT, Case, Closed, Server, run_server, sealed, server_binary, wait_for

TOOL = os.environ.get("DROVER_TOOL", str(ROOT / "build/asan/bin/drover"))
SLOW = bool(os.environ.get("DROVER_SLOW"))
FULL = SLOW and os.environ.get("DROVER_FULL") == "1"
NAMED = {"seeker": 3, "stray": 4}
SCENARIO = json.dumps({
    "name": "Small", "seed": 3, "world": {"size": [400, 300], "edge": "wrap"}, "targets": {"mouse": [60, 120]},
    "kinds": {"seeker": {"radius": 4, "max_speed": 90, "max_force": 200, "behaviors": [{"seek": {"target": "mouse"}}]},
              "stray": {"radius": 4, "max_speed": 50, "max_force": 99, "behaviors": [{"wander": {}}]}},
    "agents": [{"kind": kind, "count": count, "in": {"rect": [0, 0, 400, 300]}} for kind, count in NAMED.items()],
})
# What a script of a paused server does: requests that change the world, and steps.
SCRIPT = [
    ("set_target", {"name": "mouse", "x": 50.5, "y": 60}), ("step", {"count": 4}),
    ("set_param", {"kind": "stray", "param": "max_speed", "value": 71.3}),
    ("spawn", {"kind": "stray", "count": 2}), ("step", {"count": 2}),
    ("add_target", {"name": "flag", "x": 10, "y": 20}), ("set_target", {"agent": 2, "x": 200, "y": 33.3}),
    ("step", {"count": 3}), ("remove", {"agents": [1]}), ("step", {"count": 1}),
    ("batch", {"requests": [{"op": "spawn", "kind": "stray"}, {"op": "set_target", "agent": 3, "x": 7, "y": 8.5}, {"op": "remove", "agent": 4}]}),
    ("step", {"count": 1}),
]


def journals(folder):
    return sorted(glob.glob(f"{folder}/journal-*.drover"))


def whole_lines(text):
    """The lines of a file that may be torn at its end; an independent reader of docs/recording.md."""
    return [json.loads(line) for line in text.split(b"\n")[:-1] if line]


def read_lines(folder):
    """All lines of the journals, in order, and those of the checkpoints that tell what the world was."""
    lines = [line for path in journals(folder) for line in whole_lines(pathlib.Path(path).read_bytes())]
    for path in sorted(glob.glob(f"{folder}/checkpoint-*.drover")):
        lines += whole_lines(pathlib.Path(path).read_bytes())
    return lines


def hash_now(client):
    """The hash of the world, which changes nothing; and its tick."""
    reply = client.request("save", name="now", replace=True)
    return reply["tick"], reply["hash"]


def events_of(lines):
    """What is to be done and compared, in order: (tick, seq, 0, request) and (tick, seq, 1, hash)."""
    first = next(line for line in lines if line["op"] == "world")
    events = [(line["tick"], line["seq"], 0, line["request"]) for line in lines if line["op"] == "do"]
    events += [(line["tick"], line["seq"], 1, line["hash"]) for line in lines if line["op"] in ("hash", "checkpoint")]
    return first, sorted(events, key=lambda event: event[:3])


class Kept(Case):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="drover-journal-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.scenario = f"{self.folder}/small.json"
        pathlib.Path(self.scenario).write_text(SCENARIO, encoding="utf-8")
        self.state = f"{self.folder}/state"

    def play_uninterrupted(self, lines, *options):
        """Plays the requests of a journal in a server that keeps nothing; every recorded hash must come out. Returns how
        many there were."""
        first, events = events_of(lines)
        compared = 0
        with Server("--paused", *options) as server, server.connect() as client:
            self.assertEqual(client.request("list", what="targets")["op"], "reply")
            tick = 0
            self.assertEqual(hash_now(client)[1], first["hash"])
            for at, seq, is_check, what in events:
                if at > tick:
                    self.assert_reply(client.request("step", count=at - tick), "step", tick=at)
                    tick = at
                if is_check:
                    self.assertEqual(hash_now(client), (at, what), f"at tick {at}, seq {seq}")
                    compared += 1
                else:
                    self.assertEqual(client.request(**what)["op"], "reply", what)
        return compared


class Starts(Kept):
    def test_it_goes_on_where_it_was_stopped(self):
        """The last line is a checkpoint; the next start has nothing to simulate again, and is paused as before."""
        options = ["--state", self.state, "--keep", "all"]
        with Server(*options, "--paused", self.scenario) as server, server.connect() as client:
            for op, fields in SCRIPT:
                self.assertEqual(client.request(op, **fields)["op"], "reply")
            before = hash_now(client)
        last = whole_lines(pathlib.Path(journals(self.state)[-1]).read_bytes())[-1]
        self.assertEqual((last["op"], last["tick"], last["hash"]), ("checkpoint", *before))
        with Server(*options, self.scenario) as server, server.connect() as client:
            self.assertTrue(client.hello["paused"])
            self.assertEqual(hash_now(client), before)
            self.assert_reply(client.request("step", count=5), "step", tick=before[0] + 5)
            after = hash_now(client)
        with Server(*options) as server, server.connect() as client:  # no scenario: the folder's
            self.assertEqual(hash_now(client), after)
        self.assertGreaterEqual(self.play_uninterrupted(read_lines(self.state), self.scenario), 3)

    def test_a_world_that_lost_its_past_says_so(self):
        """Its only journal is empty, or the last one is gone: how much was in it is not known."""
        with Server("--state", self.state, "--paused", self.scenario).doomed() as server, server.connect() as client:
            self.assertNotIn("left_out", client.hello)
            self.assert_reply(client.request("step", count=2), "step")
        pathlib.Path(journals(self.state)[0]).write_bytes(b"")
        with Server("--state", self.state, "--paused", self.scenario) as server, server.connect() as client:
            self.assertEqual(client.hello["left_out"], {"ticks": 0, "requests": 0})
            self.assertEqual(client.request("stats")["left_out"], {"ticks": 0, "requests": 0})
            self.assert_reply(client.request("step", count=2), "step", tick=2)
        with Server("--state", self.state, "--paused", self.scenario) as server, server.connect() as client:
            self.assertNotIn("left_out", client.hello)
            wait_for(lambda: os.path.exists(f"{self.state}/checkpoint-000002.drover"), "the checkpoint of the start")
        os.unlink(f"{self.state}/journal-000002.drover")
        with Server("--state", self.state) as server, server.connect() as client:
            wait_for(lambda: server.hello().get("left_out") == {"ticks": 0, "requests": 0}, "left_out")
            self.assertEqual(hash_now(client)[0], 2)

    def test_checkpoints_come_by_ticks_too(self):
        """A world at full speed has the ticks of many minutes in one; the next start has few of them to do again."""
        with Server("--state", self.state, self.scenario).doomed() as server, server.connect() as client:
            self.assert_reply(client.request("speed", max=True), "speed")
            wait_for(lambda: os.path.exists(f"{self.state}/checkpoint-000003.drover"), "two checkpoints long before a minute is over")

    def test_a_saved_world_that_was_being_put_in_is_left_out(self):
        """Its line is there, its checkpoint is not: the world before it goes on."""
        with Server("--state", self.state, "--paused", self.scenario).doomed() as server, server.connect() as client:
            client.request("step", count=2)
            client.request("save", name="one")
            self.assert_reply(client.request("set_target", name="mouse", x=50.5, y=60), "set_target")
            before = hash_now(client)
            self.assert_reply(client.request("load", save="one"), "load")
            wait_for(lambda: b'"checkpoint"' in pathlib.Path(journals(self.state)[-1]).read_bytes(), "the load in the journal")
        text = pathlib.Path(journals(self.state)[-1]).read_bytes()
        pathlib.Path(journals(self.state)[-1]).write_bytes(text[:text.index(b'{"op":"checkpoint"') + 9])
        with Server("--state", self.state) as server, server.connect() as client:
            self.assertEqual(hash_now(client), before)
            self.assertEqual(server.hello()["left_out"], {"ticks": 0, "requests": 1})

    def test_files_are_private(self):
        with Server("--state", self.state, "--paused", self.scenario) as server, server.connect() as client:
            hash_now(client)
        for folder, _, files in os.walk(self.state):
            self.assertEqual(os.stat(folder).st_mode & 0o777, 0o700, folder)
            for file in files:
                self.assertEqual(os.stat(f"{folder}/{file}").st_mode & 0o777, 0o600, file)

    def test_one_server_at_a_time(self):
        with Server("--state", self.state, "--paused", self.scenario) as server:
            second = run_server("--port", "0", "--state", self.state, self.scenario)
            self.assertEqual(second.returncode, 1)
            self.assertIn(f"process id {server.pid}", second.stderr)
            self.assertIn(self.state, second.stderr)
            with server.connect() as client:
                self.assert_reply(client.request("step", count=1), "step", tick=1)

    def test_a_world_is_on_disk_before_the_server_listens(self):
        """kill -9 right after the first start: the next start has the same scenario."""
        for i in range(3):
            state = f"{self.state}-{i}"
            with Server("--state", state, "--paused", "arrive").doomed() as server:
                server.kill()
            lines = whole_lines(pathlib.Path(journals(state)[0]).read_bytes())
            self.assertEqual([line["op"] for line in lines[:3]], ["drover", "world", "at"])
            with Server("--state", state, "--paused").doomed() as server, server.connect() as client:
                self.assertEqual(client.hello["scenario"]["name"], "arrive")

    def test_a_first_journal_that_cannot_be_read(self):
        """The scenario that the folder was begun with begins again, with a warning; never another one."""
        with Server("--state", self.state, "--paused", "arrive").doomed() as server, server.connect() as client:
            self.assert_reply(client.request("save", name="mine"), "save")
        text = pathlib.Path(journals(self.state)[0]).read_bytes()
        for i, left in enumerate((b"", text[:100])):
            pathlib.Path(f"{self.state}/journal-000001.drover").write_bytes(left)
            other = run_server("--port", "0", "--state", self.state, "seek")
            self.assertEqual(other.returncode, 2)
            self.assertIn("was begun with the scenario arrive, not with seek", other.stderr)
            with Server("--state", self.state, "--paused").doomed() as server, server.connect() as client:
                self.assertEqual(client.hello["scenario"]["name"], "arrive")
                self.assert_logged(server, "was begun, but no journal of it can be read: arrive begins from its start again\n")
            self.assertEqual(len(glob.glob(f"{self.state}/old-*/journal-000001.drover")), i + 1)
        pathlib.Path(f"{self.state}/journal-000001.drover").write_bytes(b"")
        os.unlink(f"{self.state}/scenario")
        nameless = run_server("--port", "0", "--state", self.state)
        self.assertEqual(nameless.returncode, 2)
        self.assertIn("name the scenario, or put all aside with --state-new", nameless.stderr)
        self.assertEqual(len(glob.glob(f"{self.state}/old-*")), 2)

    def test_a_start_that_fails_changes_nothing(self):
        with Server("--state", self.state, "--paused", "arrive") as server, server.connect() as client:
            self.assert_reply(client.request("step", count=2), "step")
            before = hash_now(client)
        def listing():
            return sorted((path, os.stat(path).st_size) for path in glob.glob(f"{self.state}/*") if not path.endswith("/lock"))
        files = listing()
        with Server("--paused", "seek") as other:
            for arguments in (["nosuch"], [f"{self.folder}/none.json"], ["--from", f"{self.folder}/none.drover"],
                              ["--from", "none"], ["arrive", "--port", str(other.port)], ["--seed", "x", "arrive"]):
                port = [] if "--port" in arguments else ["--port", "0"]
                result = run_server("--state", self.state, "--state-new", *port, *arguments)
                self.assertEqual(result.returncode, 1 if "--port" in arguments else 2, result.stderr)
                self.assertEqual(listing(), files, arguments)
            fresh = f"{self.folder}/fresh"
            self.assertEqual(run_server("--state", fresh, "--port", str(other.port)).returncode, 1)
            self.assertEqual(journals(fresh), [])
        with Server("--state", self.state) as server, server.connect() as client:
            self.assertEqual(hash_now(client), before)

    def test_another_scenario_is_refused(self):
        with Server("--state", self.state, "--paused", self.scenario):
            pass
        other = run_server("--port", "0", "--state", self.state, "seek")
        self.assertNotEqual(other.returncode, 0)
        self.assertIn("small", other.stderr)
        self.assertIn("seek", other.stderr)
        with Server("--state", self.state, "--state-new", "--paused", "seek") as server, server.connect() as client:
            self.assertEqual(client.hello["scenario"]["name"], "seek")
            self.assertEqual(client.hello["tick"], 0)
        self.assertEqual(len(glob.glob(f"{self.state}/old-*/journal-000001.drover")), 1)

    def test_the_first_scenario_goes_on_after_another_was_loaded(self):
        """A service unit that names a scenario comes back, whatever an admin has loaded meanwhile."""
        options = ["--state", self.state, "--sync", "always", "--paused"]
        with Server(*options, self.scenario).doomed() as server, server.connect() as client:
            self.assert_reply(client.request("load", scenario="arrive"), "load")
            client.request("step", count=3)
            before = hash_now(client)
        for named in ([self.scenario], ["arrive"], []):
            with Server(*options, *named).doomed() as server, server.connect() as client:
                self.assertEqual((client.hello["scenario"]["name"], hash_now(client)), ("arrive", before), named)
        other = run_server("--port", "0", *options, "seek")
        self.assertEqual(other.returncode, 2)
        for word in ("arrive", "small", "seek"):
            self.assertIn(word, other.stderr)
        with Server(*options, "--state-new", "seek") as server, server.connect() as client:
            self.assert_reply(client.request("load", scenario="arrive"), "load")
        with Server(*options, "seek") as server, server.connect() as client:
            self.assertEqual(client.hello["scenario"]["name"], "arrive")
        self.assertEqual(run_server("--port", "0", *options, self.scenario).returncode, 2)

    def test_the_log_says_what_a_start_does(self):
        options = ["--state", self.state, "--sync", "always"]
        with Server(*options, "--paused", self.scenario).doomed() as server, server.connect() as client:
            for op, fields in SCRIPT[:5]:
                self.assertEqual(client.request(op, **fields)["op"], "reply")
            self.assert_reply(client.request("save", name="kept"), "save")
        with open(journals(self.state)[-1], "ab") as journal:
            journal.write(b'{"op":"at","tick":7')  # torn
        with Server(*options) as server, server.connect() as client:
            wait_for(lambda: "caught up: " in server.stderr(), "the end of catching up")
            self.assert_logged(server, "continues small from tick 6 (checkpoint of tick 0), requests: 5, paused\n")
            self.assert_logged(server, "torn lines of the recording, which are left out: 1\n")
            self.assert_logged(server, "caught up: small is at tick 6 again, after 6 ticks in ")
        for option, words in [("--from", "begins with small from tick 6 (checkpoint of tick 6), requests: 5, paused"),
                              ("--replay", "plays small from tick 6 (checkpoint of tick 6), worlds: 1, requests: 0, running")]:
            with Server(option, f"{self.state}/saves/kept.drover") as server:
                wait_for(lambda words=words, server=server: words in server.stderr(), words)

    def test_how_far_a_running_world_got(self):
        """Every tick of 40 ms is in the journal: the next one would come more than 50 ms after the last line."""
        with Server("--state", self.state, "--tick-hz", "25", self.scenario) as server, server.connect() as client:
            wait_for(lambda: client.request("stats")["tick"] > 40, "some ticks")
            client.request("pause")
        ticks = [line["tick"] for line in read_lines(self.state) if line["op"] == "at"]
        gaps = sorted(b - a for a, b in zip(ticks, ticks[1:]) if b > a)
        self.assertEqual(gaps[len(gaps) // 2], 1, ticks)

    def test_a_paused_world_is_safe_after_its_steps(self):
        with Server("--state", self.state, "--sync", "0.1", "--paused", self.scenario) as server, server.connect() as client:
            for tick in (1, 2, 3):
                self.assert_reply(client.request("step", count=1), "step", tick=tick)
            wait_for(lambda: client.request("stats")["journal"]["synced_tick"] == 3, "the last step on disk", 10)

    def test_bad_folders_are_refused(self):
        for path, words in [(self.scenario, "Not a directory"), (f"{self.folder}/no/such", "No such file")]:
            result = run_server("--port", "0", "--state", path, self.scenario)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(f"{path}: {words}", result.stderr)

    def test_cursors_do_not_come_back(self):
        """The session that had one is gone; that is a command of its own, so that it is in the journal."""
        options = ["--state", self.state, "--sync", "always", "shepherds"]
        with Server(*options).doomed() as server, server.connect() as client:
            self.assert_reply(client.request("cursor", x=100, y=100), "cursor")
            names = [target["name"] for target in client.request("list", what="targets")["targets"]]
            self.assertIn("cursor-1", names)
            server.kill()
        with Server(*options) as server, server.connect() as client:
            names = [target["name"] for target in client.request("list", what="targets")["targets"]]
            self.assertNotIn("cursor-1", names)
        gone = [line for line in read_lines(self.state) if line["op"] == "do" and line["request"].get("gone")]
        self.assertEqual(len(gone), 1)

    def test_worlds_that_were_loaded(self):
        """A scenario, then a save of the world before it; each is there after kill -9."""
        options = ["--state", self.state, "--sync", "always", "--paused"]
        for op, fields in [("load", {"scenario": "arrive"}), ("load", {"save": "before"})]:
            first = [self.scenario] if "scenario" in fields else []
            with Server(*options, *first).doomed() as server, server.connect() as client:
                if "scenario" in fields:
                    client.request("step", count=7)
                    self.assert_reply(client.request("save", name="before"), "save", kept="disk")
                self.assertEqual(client.request(op, **fields)["op"], "reply")
                client.request("step", count=5)
                before = hash_now(client)
            with Server(*options).doomed() as server, server.connect() as client:
                self.assertEqual(hash_now(client), before)
                self.assertEqual(client.hello["scenario"]["name"], fields.get("scenario", "small"))
        self.assertEqual(before[0], 12)

    def test_the_log_says_what_is_missing(self):
        with Server("--state", self.state, "--paused", self.scenario) as server, server.connect() as client:
            client.request("step", count=4)
        with Server("--state", self.state).doomed() as server, server.connect() as client:
            client.request("step", count=4)
            wait_for(lambda: os.path.exists(f"{self.state}/checkpoint-000002.drover"), "a checkpoint")
            wait_for(lambda: client.request("stats")["journal"]["synced_tick"] == 8, "the journal on disk")
            server.kill()
        newest = pathlib.Path(f"{self.state}/journal-000002.drover")
        text = newest.read_bytes()
        for left, words in [(text[:-7], "bytes are no whole line, and are left out\n"), (b"", "/journal-000002.drover is empty: nothing of it reached the disk\n"),
                            (None, "/journal-000002.drover is missing, or no file: the world goes on from its checkpoint")]:
            copy = tempfile.mkdtemp(dir=self.folder)
            shutil.copytree(self.state, copy, dirs_exist_ok=True)
            if left is None:
                os.unlink(f"{copy}/journal-000002.drover")
            else:
                pathlib.Path(f"{copy}/journal-000002.drover").write_bytes(left)
            with Server("--state", copy).doomed() as server, server.connect() as client:
                hash_now(client)
                self.assert_logged(server, words)
                self.assertEqual(client.request("stats").get("left_out"), None if left else {"ticks": 0, "requests": 0})

    def test_a_refusal_says_what_is_left_to_do(self):
        os.mkdir(self.state, 0o700)
        pathlib.Path(f"{self.state}/journal-000001.drover").write_text('{"op":"drover","format":1,"core":1}\n{"op":"world"}\n', encoding="utf-8")
        result = run_server("--port", "0", "--state", self.state)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--state-new puts ", result.stderr)

    def test_clients_leave_the_journal_its_files(self):
        """More connections than there may be open files: those without a place are told so, and checkpoints go on."""
        for count in (64, 256):
            limited = type("Limited", (Server,), {"words": lambda _, count=count: ["prlimit", f"--nofile={count}", server_binary()]})
            server = limited("--state", f"{self.state}-{count}", "--checkpoint-every", "1", "--keep", "all", self.scenario)
            with server, contextlib.ExitStack() as stack:
                client = stack.enter_context(server.connect())
                limit = client.request("stats")["sessions"]["limit"]
                self.assertIn(f"at most {limit} clients, not the 1024 of --max-clients\n", server.stderr())
                firsts = [stack.enter_context(server.connect(hello=False)).receive() for _ in range(300)]
                self.assertEqual([first["op"] for first in firsts], ["hello"] * (limit - 1) + ["bye"] * (301 - limit))
                self.assertEqual({first["reason"] for first in firsts if first["op"] == "bye"}, {"full"})
                seen = len(journals(f"{self.state}-{count}"))
                wait_for(lambda: len(journals(f"{self.state}-{count}")) >= seen + 2, "checkpoints")  # pylint: disable=cell-var-from-loop
                self.assertNotIn("ended", client.request("stats")["journal"])
                self.assertNotIn("Too many open files", server.stderr())

    def test_a_folder_that_is_moved(self):
        """The journal ends with a reason, rather than in a folder of another server."""
        with Server("--state", self.state, "--checkpoint-every", "1", self.scenario, code=4) as server, server.connect() as client:
            os.rename(self.state, f"{self.state}-moved")
            os.mkdir(self.state, 0o700)
            wait_for(lambda: "was moved" in client.request("stats")["journal"].get("ended", ""), "the end of the journal")
        self.assertEqual(os.listdir(self.state), [])

    def test_empty_paths_are_refused(self):
        for arguments in (["--state", ""], ["--state="], ["--record", ""], ["--from", ""], ["--replay", ""]):
            result = run_server("--port", "0", *arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"{arguments[0].rstrip('=')}: expected a ", result.stderr)
            self.assertIn(", found nothing", result.stderr)

    def test_requests_that_are_left_out_are_kept(self):
        """A journal that gives another hash: the world goes on before it, and the journal is put aside."""
        options = ["--state", self.state, "--checkpoint-every", "1"]
        with Server(*options, "--sync", "always", "--paused", self.scenario).doomed() as server, server.connect() as client:
            client.request("step", count=5)
            self.assert_reply(client.request("add_target", name="precious", x=1, y=1), "add_target")
            client.request("step", count=100)
            wait_for(lambda: client.request("step", count=60) and b'"op":"hash"' in pathlib.Path(journals(self.state)[-1]).read_bytes(), "a hash")
        path = pathlib.Path(journals(self.state)[-1])
        text, count = re.subn(rb'("op":"hash",.*"hash":)"[0-9a-f]{16}"', rb'\1"0123456789abcdef"', path.read_bytes())
        self.assertGreater(count, 0)
        path.write_bytes(sealed(text))
        with Server(*options).doomed() as server, server.connect() as client:
            wait_for(lambda: "left_out" in client.request("stats"), "left_out")
            client.request("resume")
            wait_for(lambda: not os.path.exists(f"{self.state}/journal-000001.drover"), "pruning")
            self.assert_logged(server, "the journals of what is left out are kept in ")
        kept = glob.glob(f"{self.state}/old-*/journal-*.drover")
        self.assertTrue(any(b"precious" in pathlib.Path(path).read_bytes() for path in kept), kept)

    def test_a_damaged_checkpoint(self):
        """The one before it is taken, here the first journal; nothing is lost."""
        options = ["--state", self.state, "--sync", "always", "--paused", self.scenario]
        for _ in range(2):
            with Server(*options).doomed() as server, server.connect() as client:
                for op, fields in SCRIPT[:3]:
                    self.assertEqual(client.request(op, **fields)["op"], "reply")
                before = hash_now(client)
                if journals(self.state)[1:]:
                    wait_for(lambda: glob.glob(f"{self.state}/checkpoint-000002.drover"), "a checkpoint")
        self.assertEqual(before[0], 8)
        text = pathlib.Path(f"{self.state}/checkpoint-000002.drover").read_bytes()
        for damaged in (text[:-300] + b"A" * 30 + text[-270:], text[: len(text) // 2], text.replace(b'"n":', b'"m":')):
            with self.subTest(damaged=damaged):
                copy = f"{self.folder}/{hash(damaged)}"
                shutil.copytree(self.state, copy)
                pathlib.Path(f"{copy}/checkpoint-000002.drover").write_bytes(damaged)
                with Server("--state", copy).doomed() as server, server.connect() as client:
                    self.assertEqual(hash_now(client), before)


class Damage(Kept):
    """Bytes that are not as they were written."""

    def drover(self, *arguments):
        return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)

    def places(self, *options, count=6):
        """A journal after kill -9: five ticks, then `place` and `place` again, each acknowledged. Returns the moments behind
        each request: (tick, hash)."""
        moments = []
        with Server("--state", self.state, "--sync", "always", "--paused", *options, self.scenario).doomed() as server, server.connect() as client:
            client.request("step", count=5)
            for i in range(count):
                moments.append(hash_now(client))
                self.assert_reply(client.request("place", agent=1 + i, x=10 * i, y=33.5), "place")
            server.kill()
        return moments

    def damage(self, was, becomes, number=-1):
        path = pathlib.Path(journals(self.state)[number])
        text = path.read_bytes()
        self.assertEqual((text.count(was), len(was)), (1, len(becomes)))
        path.write_bytes(text.replace(was, becomes))
        return text[: text.index(was)].count(b"\n") + 1

    def test_a_destroyed_line_ends_the_world_before_it(self):
        """The exact prefix is kept, the rest is put aside whole, and clients are told."""
        moments = self.places()
        line = self.damage(b'"request":{"op":"place","agent":4,', b'"rexuest":{"op":"place","agent":4,')
        whole = pathlib.Path(journals(self.state)[0]).read_bytes()
        verified = self.drover("verify", self.state)
        self.assertEqual(verified.returncode, 1, verified.stdout)
        self.assertRegex(verified.stdout, rf"journal-000001.drover: line {line} \(byte \d+\) is damaged: .*; request 5 and what followed")
        self.assertRegex(self.drover("info", journals(self.state)[0]).stdout, rf"damaged +.*line {line} ")
        with Server("--state", self.state, "--sync", "always").doomed() as server, server.connect() as client:
            self.assertEqual(hash_now(client), moments[3])
            self.assertEqual(client.request("stats")["left_out"], {"ticks": 0, "requests": 3})
            self.assertEqual(server.hello()["left_out"], {"ticks": 0, "requests": 3})
            self.assert_logged(server, f"line {line} (byte ")
            self.assertEqual([pathlib.Path(path).read_bytes() for path in glob.glob(f"{self.state}/old-*/journal-*.drover")], [whole])
            client.request("place", agent=1, x=99, y=99)
            after = hash_now(client)
            server.kill()
        with Server("--state", self.state).doomed() as server, server.connect() as client:
            self.assertEqual(hash_now(client), after)
            self.assertNotIn("left_out", client.request("stats"))

    def test_a_flipped_digit_is_not_another_world(self):
        moments = self.places()
        self.damage(b'"agent":6,"x":50,', b'"agent":6,"x":58,')
        self.assertEqual(self.drover("verify", self.state).returncode, 1)
        with Server("--state", self.state).doomed() as server, server.connect() as client:
            self.assertEqual(hash_now(client), moments[5])
            self.assertEqual(client.request("stats")["left_out"], {"ticks": 0, "requests": 1})

    def test_back_to_the_last_hash_that_agreed(self):
        """A journal without sums, as earlier servers wrote it, in which a request was changed behind several hashes."""
        with Server("--state", self.state, "--sync", "always", "--paused", self.scenario).doomed() as server, server.connect() as client:
            def step(count):
                tick = client.request("step", count=count)["tick"]
                wait_for(lambda: b'"op":"hash","tick":%d,' % tick in pathlib.Path(journals(self.state)[0]).read_bytes(), "a hash")
            step(60)
            client.request("place", agent=1, x=1, y=1)
            step(60)
            agreed = hash_now(client)
            client.request("place", agent=2, x=20, y=20)
            step(60)
            server.kill()
        path = pathlib.Path(journals(self.state)[0])
        text = re.sub(rb',"sum":"[0-9a-f]{8}"}\n', b"}\n", path.read_bytes())
        path.write_bytes(text.replace(b'"agent":2,"x":20,', b'"agent":2,"x":28,'))
        self.assertIn("no sums in this file", self.drover("info", path).stdout)
        with Server("--state", self.state).doomed() as server, server.connect() as client:
            wait_for(lambda: "left_out" in client.request("stats"), "left_out")
            self.assertEqual(hash_now(client), agreed)
            self.assertEqual(client.request("stats")["left_out"]["ticks"], 60)

    def test_a_paused_world_has_a_hash_behind_its_requests(self):
        with Server("--state", self.state, "--sync", "always", "--paused", self.scenario).doomed() as server, server.connect() as client:
            client.request("step", count=5)
            client.request("place", agent=1, x=1, y=1)
            tick, expected = hash_now(client)
            path = pathlib.Path(journals(self.state)[0])
            wait_for(lambda: f'"tick":{tick},"seq":2,"hash":"{expected}"'.encode() in path.read_bytes(), "a hash of the paused world")
            server.kill()

    def test_repair(self):
        """It shows what a start would keep, and keeps it; a second time there is nothing to repair."""
        moments = self.places()
        said = self.drover("repair", self.state)
        self.assertEqual((said.returncode, "nothing is damaged" in said.stdout), (0, True), said)
        self.damage(b'"agent":5,"x":40,', b'"agent":5,"x":41,')
        before = {path: pathlib.Path(path).read_bytes() for path in journals(self.state)}
        said = self.drover("repair", self.state)
        tick, value = moments[4]
        self.assertEqual(said.returncode, 1, said)
        self.assertRegex(said.stdout, rf"can be kept up to tick {tick} and request \d+, hash {value}\n")
        self.assertEqual(before, {path: pathlib.Path(path).read_bytes() for path in journals(self.state)})
        said = self.drover("repair", self.state, "--write")
        self.assertEqual(said.returncode, 0, said)
        self.assertEqual([pathlib.Path(path).read_bytes() for path in glob.glob(f"{self.state}/old-*/journal-*.drover")], list(before.values()))
        self.assertIn("nothing is damaged", self.drover("repair", self.state).stdout)
        self.assertEqual(self.drover("verify", self.state).returncode, 0)
        with Server("--state", self.state).doomed() as server, server.connect() as client:
            self.assertIn("is used by the server", self.drover("repair", self.state, "--write").stderr)
            self.assertEqual(hash_now(client), moments[4])
            self.assertEqual(client.request("stats")["paused"], True)
            self.assertNotIn("left_out", client.request("stats"))

    def test_repair_where_a_journal_is_missing(self):
        """The server leaves it to people: what is before the gap can be kept."""
        ends = []
        for number in range(3):
            first = ["--paused", self.scenario] if number == 0 else []
            with Server("--state", self.state, "--sync", "always", "--keep", "all", *first).doomed() as server, server.connect() as client:
                client.request("step", count=4)
                ends.append(hash_now(client))
                if number > 0:
                    wait_for(lambda number=number: os.path.exists(f"{self.state}/checkpoint-{number + 1:06}.drover"), "a checkpoint")
                server.kill()
        for path in glob.glob(f"{self.state}/checkpoint-*.drover") + [f"{self.state}/journal-000002.drover"]:
            os.unlink(path)
        self.assertEqual(run_server("--port", "0", "--state", self.state).returncode, 2)
        self.assertEqual(self.drover("repair", self.state, "--write").returncode, 0)
        with Server("--state", self.state).doomed() as server, server.connect() as client:
            self.assertEqual(hash_now(client), ends[0])

    def test_journals_from_the_start_when_no_checkpoint_is_left(self):
        """--keep all, and each checkpoint is damaged: with sums and without."""
        options = ["--state", self.state, "--sync", "always", "--keep", "all"]
        for number in range(4):
            with Server(*options, *(["--paused", self.scenario] if number == 0 else [])).doomed() as server, server.connect() as client:
                for op, fields in SCRIPT[:3]:
                    self.assertEqual(client.request(op, **fields)["op"], "reply")
                before = hash_now(client)
                if number > 0:
                    wait_for(lambda number=number: os.path.exists(f"{self.state}/checkpoint-{number + 1:06}.drover"), "a checkpoint")
                server.kill()
        checkpoints = sorted(glob.glob(f"{self.state}/checkpoint-*.drover"))
        self.assertEqual(len(checkpoints), 3)
        for has_sums in (True, False):
            with self.subTest(has_sums=has_sums):
                copy = f"{self.folder}/copy-{has_sums}"
                shutil.copytree(self.state, copy)
                for path in map(pathlib.Path, glob.glob(f"{copy}/checkpoint-*.drover")):
                    text = path.read_bytes()
                    text = text if has_sums else re.sub(rb',"sum":"[0-9a-f]{8}"}\n', b"}\n", text)
                    path.write_bytes(text[:-300] + b"A" * 30 + text[-270:])
                with Server("--state", copy).doomed() as server, server.connect() as client:
                    self.assertEqual(hash_now(client), before)
                    self.assertNotIn("left_out", client.request("stats"))


class Cuts(Kept):
    def write_journal(self):
        """The bytes of a journal of the script, after kill -9."""
        options = ["--state", self.state, "--sync", "always", "--paused", self.scenario]
        with Server(*options).doomed() as server, server.connect() as client:
            for op, fields in SCRIPT:
                self.assertEqual(client.request(op, **fields)["op"], "reply")
        self.assertEqual(len(journals(self.state)), 1)
        return pathlib.Path(journals(self.state)[0]).read_bytes()

    def reference(self):
        """(tick, changes so far) -> the hash of a world that runs without interruption."""
        found = {}
        with Server("--paused", self.scenario) as server, server.connect() as client:
            changes = 0
            for op, fields in [("", {}), *SCRIPT]:
                for _ in range(fields["count"] if op == "step" else 1):
                    if op == "step":
                        client.request("step", count=1)
                    elif op:
                        client.request(op, **fields)
                        changes += 1
                    tick, found_hash = hash_now(client)
                    found[tick, changes] = found_hash
        return found

    def continued(self, text):
        """(tick, hash) of a server that starts with this journal."""
        state = f"{self.folder}/cut"
        os.mkdir(state, 0o700)
        pathlib.Path(f"{state}/journal-000001.drover").write_bytes(text)
        try:
            with Server("--state", state, "--paused", self.scenario).doomed() as server, server.connect() as client:
                return hash_now(client)
        finally:
            shutil.rmtree(state)

    def cuts(self, text):
        """Those around the ends of lines and one inside each line; slowly every seventh, or every byte."""
        if FULL:
            return range(len(text) + 1)
        ends = [i + 1 for i, byte in enumerate(text) if byte == 10]
        near = {end + by for end in ends for by in (-1, 0, 1)} | {(a + b) // 2 for a, b in zip([0] + ends, ends)}
        near |= set(range(0, len(text), 7)) if SLOW else set()
        return sorted(cut for cut in near | {0} if cut <= len(text))

    def test_a_journal_that_is_cut_anywhere(self):
        text = self.write_journal()
        reference = self.reference()
        expected = {}
        for cut in self.cuts(text):
            lines = [line for line in whole_lines(text[:cut]) if "tick" in line]
            key = (max([line["tick"] for line in lines], default=0), sum(line["op"] == "do" for line in lines))
            if key not in expected or SLOW or text[cut - 1 : cut] == b"\n":
                expected[key] = reference[key]
                self.assertEqual(self.continued(text[:cut]), (key[0], reference[key]), f"cut after byte {cut}")
        self.assertEqual(self.continued(text), (max(reference)[0], reference[max(reference)]))


class Crowd:
    """Clients that count: each moves its own target and remembers what was acknowledged."""

    COUNT = 4

    def __init__(self):
        self.sent = [0] * self.COUNT
        self.acknowledged = [0] * self.COUNT
        self.errors = []

    @staticmethod
    def place(number):
        return {"x": number % 350, "y": number // 350}

    @staticmethod
    def number(target):
        return round(target["y"]) * 350 + round(target["x"])

    def _run(self, index, port, until):
        from drover_client import Client  # pylint: disable=import-outside-toplevel
        try:
            with Client(port) as client:
                while not until.is_set():
                    self.sent[index] += 1
                    reply = client.request("set_target", name=f"mark-{index}", **self.place(self.sent[index]))
                    if reply["op"] == "error":
                        self.errors.append(reply)
                        return
                    self.acknowledged[index] = self.sent[index]
        except (Closed, OSError):
            pass  # the server was killed

    def press(self, port):
        """Starts; returns what ends it and waits for the threads."""
        until = threading.Event()
        threads = [threading.Thread(target=self._run, args=(i, port, until)) for i in range(self.COUNT)]
        for thread in threads:
            thread.start()

        def end():
            until.set()
            for thread in threads:
                thread.join()
        return end

    def check(self, case, targets):
        """Nothing that was acknowledged is lost, and nothing was made up."""
        found = {target["name"]: self.number(target) for target in targets}
        for i in range(self.COUNT):
            case.assertGreaterEqual(found[f"mark-{i}"], self.acknowledged[i], f"client {i}")
            case.assertLessEqual(found[f"mark-{i}"], self.sent[i], f"client {i}")
            self.sent[i] = self.acknowledged[i] = found[f"mark-{i}"]


class Kills(Kept):
    OPTIONS = ["--sync", "always", "--checkpoint-every", "1", "--keep", "all"]

    def add_marks(self, client, crowd):
        for i in range(crowd.COUNT):
            self.assert_reply(client.request("add_target", name=f"mark-{i}", **crowd.place(0)), "add_target")

    def test_kill_9_under_load(self):
        crowd = Crowd()
        rounds = 50 if FULL else 20 if SLOW else 4
        for i in range(rounds + 1):
            with Server("--state", self.state, *self.OPTIONS, self.scenario).doomed() as server:
                with server.connect() as client:
                    if i == 0:
                        self.add_marks(client, crowd)
                    crowd.check(self, client.request("list", what="targets")["targets"])
                wanted = sum(crowd.acknowledged) + 40 + 7 * i
                end = crowd.press(server.port)
                try:
                    wait_for(lambda: sum(crowd.acknowledged) >= wanted, "replies")  # pylint: disable=cell-var-from-loop
                finally:
                    if i < rounds:
                        server.kill()
                    end()
                if i == rounds:
                    self.assertEqual(server.stop(), 0)
            self.assertEqual(crowd.errors, [])
        lines = read_lines(self.state)
        self.assertGreaterEqual(sum(line["op"] == "do" for line in lines), sum(crowd.acknowledged))
        self.assertGreater(self.play_uninterrupted(lines, self.scenario), rounds)


class OddNumbers(Kept):
    """Numbers as programs write them by mistake, in every request that has some; killed after a few of them."""
    ODD = ("-0", "-0.0", "-0e7", "1e-320", "-1e-320", "5e-324", "-1e-45", "-7e-46", "1e-40", "-1.1754942e-38", "1e-400", "0.1", "90", "123.0", "12e0",
           "0." + "3" * 60, "16777217", "1.00000005960464477539", "99.99999999999999", "1000000", "-1000000", "-999999.9999999999")
    BITS = ("AAAAgA==", "AQAAgA==", "AQAAAA==", "AACAPw==", "//9/gA==")  # base64 of -0, denormals and 1
    FORMS = ('"op":"add_obstacle","circle":[#,#,9]', '"op":"add_obstacle","box":[#,#,30,20]', '"op":"add_obstacle","polygon":[[#,#],[60,10],[30,#]]',
             '"op":"move_obstacle","obstacle":1,"x":#,"y":#', '"op":"set_target","name":"mouse","x":#,"y":#', '"op":"set_target","agent":5,"x":#,"y":#',
             '"op":"set_target","kind":"seeker","x":#,"y":#', '"op":"place","agent":5,"x":#,"y":#,"vx":#,"vy":-0,"heading":0',
             '"op":"place","agents":[5,6],"x":[#,#],"y":[#,-0]', '"op":"place","agents":[5],"vx":"@","vy":"@","heading":"@"', '"op":"mouse","x":#,"y":#',
             '"op":"spawn","kind":"stray","x":#,"y":#,"vx":-0,"heading":-0.0', '"op":"set_param","kind":"stray","param":"max_speed","value":#',
             '"op":"set_param","agent":6,"param":"max_force","value":#', '"op":"cursor","x":#,"y":#', '"op":"drive","kind":"driven","vx":#,"vy":#',
             '"op":"batch","requests":[{"op":"add_obstacle","circle":[#,10,5]},{"op":"place","agent":5,"x":#,"y":3}]',
             '"op":"add_target","name":"flag?","x":#,"y":#', '"op":"remove_target","name":"flag?"', '"op":"remove_obstacle","obstacle":!',
             '"op":"set_obstacle","obstacle":!,"closed":true', '"op":"set_obstacle","obstacle":!,"closed":false',
             '"op":"edit","patch":{"targets":{"mouse":[#,#]}}', '"op":"remove","agents":[!]', '"op":"step","count":!', '"op":"load","scenario":"small","seed":!')
    INTEGERS = ("1", "2.0", "3e0", "40e-1", "0.02E+2")  # as "!": whole numbers, however they are written
    OTHERS = {"pause", "resume", "save", "remove_save", "record", "rewind", "mark", "seat", "go", "leave", "look", "compare", "seek", "speed"}  # they bring no number into a world

    def setUp(self):
        super().setUp()
        scenario = json.loads(SCENARIO)
        scenario["kinds"]["driven"] = {"behaviors": [{"external": {}}]}
        scenario["agents"].append({"kind": "driven", "at": [200, 100]})
        scenario["world"].setdefault("obstacles", []).insert(0, {"box": [300, 150, 40, 8], "door": {"open": [40, 0], "time": 1}})
        pathlib.Path(self.scenario).write_text(json.dumps(scenario), encoding="utf-8")
        scenario["targets"]["mouse"] = ["#", "#"]
        document = json.dumps(scenario).replace('"#"', "#")
        self.assertFalse(set(document) & set("@!?"))
        self.FORMS = (*self.FORMS, f'"op":"load","document":{document},"seed":!')  # pylint: disable=invalid-name

    def some_request(self, dice):
        marks = {"#": self.ODD, "@": self.BITS, "!": self.INTEGERS, "?": "abc"}
        text = "".join(dice.choice(marks[c]) if c in marks else c for c in dice.choice(self.FORMS))
        return f'{{"id":7,{text}}}'

    def test_every_request_that_changes_the_world_is_tried(self):
        with Server("--paused", self.scenario) as server, server.connect() as client:
            ops = {row["op"] for row in client.request("help")["ops"] if row["role"] not in ("none", "viewer")} | {"cursor"}
        self.assertEqual(ops - {form.split('"')[3] for form in self.FORMS}, self.OTHERS)

    def test_what_is_written_is_what_is_kept(self):
        dice = random.Random(27)
        hashes = None
        for _ in range(100 if FULL else 25 if SLOW else 6):
            done = 0
            with Server("--state", self.state, "--sync", "always", "--paused", "--scenarios", self.folder, self.scenario).doomed() as server, \
                    server.connect() as client:
                self.assertNotIn("left_out", client.hello)
                if hashes is not None:
                    self.assertEqual(hash_now(client), hashes)
                while done < 20:
                    text = self.some_request(dice)
                    client.send_raw(text.encode() + b"\n")
                    done += client.answer_to(7)["op"] == "reply"
                    if dice.random() < 0.2:
                        self.assert_reply(client.request("step", count=dice.randrange(1, 9)), "step")
                client.send_raw(b'{"op":"cursor","gone":true,"id":8}\n')  # or the server takes it away, at the next start
                client.answer_to(8)
                hashes = hash_now(client)
                server.kill()
            said = subprocess.run([TOOL, "verify", self.state], capture_output=True, text=True, check=False, timeout=PATIENCE_S)
            self.assertEqual(said.returncode, 0, said.stdout + said.stderr)


class FullDisk(Kept):
    def setUp(self):
        super().setUp()
        os.mkdir(self.state, 0o700)
        libc = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
        if libc.mount(b"none", self.state.encode(), b"tmpfs", 0, b"size=1m,mode=0700") != 0:
            self.skipTest(f"mounting a tmpfs is not allowed here: {os.strerror(ctypes.get_errno())}")
        self.addCleanup(libc.umount2, self.state.encode(), 2)

    def fill(self, leave):
        """Takes what the disk has, but for so many bytes."""
        with open(f"{self.state}/filler", "wb") as file:
            free = os.statvfs(self.state)
            file.write(b"\0" * max(0, free.f_bavail * free.f_bsize - leave))

    def test_the_world_runs_on_when_the_disk_is_full(self):
        crowd = Crowd()
        options = ["--state", self.state, "--sync", "always", self.scenario]
        with Server(*options, code=4) as server, server.connect() as client:
            for i in range(crowd.COUNT):
                self.assert_reply(client.request("add_target", name=f"mark-{i}", **crowd.place(0)), "add_target")
            client.request("subscribe", hz=5)
            end = crowd.press(server.port)
            self.fill(leave=8192)
            wait_for(lambda: len(crowd.errors) == crowd.COUNT, "errors")
            end()
            for error in crowd.errors:
                self.assert_error(error, "io")
                self.assertIn("No space left on device", error["message"])
            ended = client.receive_op("event")
            while ended["event"] != "recording_ended":
                ended = client.receive_op("event")
            self.assertIn("No space left on device", ended["reason"])
            self.assert_error(client.request("set_target", name="mouse", x=1, y=1), "io")
            self.assertGreater(client.request("stats")["journal"]["bytes"], 1000)  # those before the end
            tick = client.receive_op("snapshot")["tick"]
            wait_for(lambda: client.receive_op("snapshot")["tick"] > tick + 30, "ticks")
            self.assertEqual(client.request("list", what="targets")["op"], "reply")
        os.unlink(f"{self.state}/filler")
        with Server(*options) as server, server.connect() as client:
            crowd.check(self, client.request("list", what="targets")["targets"])
            self.assert_reply(client.request("set_target", name="mouse", x=1, y=1), "set_target")

    def lose_journal(self, client, is_paused=False):
        """Fills the disk; returns once the journal has ended. A paused world has nothing to write: it gets requests."""
        def has_ended():
            if is_paused:
                client.request("set_target", name="mouse", x=9, y=9)
            return client.request("stats")["journal"].get("ended")

        self.fill(leave=0)
        wait_for(has_ended, "the end of the journal")

    def test_the_journal_begins_again(self):
        """When the disk takes bytes again, without a restart; also of a paused world."""
        for i, options in enumerate(([], ["--sync", "always"])):
            state = f"{self.state}/{i}"
            with Server("--state", state, "--checkpoint-every", "1", *options, self.scenario).doomed() as server:
                with server.connect() as client, server.connect() as other:
                    other.request("subscribe", layout="events")
                    client.request("set_target", name="mouse", x=1, y=1)
                    self.lose_journal(client)
                    if not options:
                        self.assert_reply(client.request("add_target", name="unsaved", x=2, y=2), "add_target")
                        self.assert_reply(client.request("pause"), "pause")
                    os.unlink(f"{self.state}/filler")
                    wait_for(lambda: "ended" not in client.request("stats")["journal"] and "the journal goes on in" in server.stderr(), "a journal")  # pylint: disable=cell-var-from-loop
                    self.assert_reply(client.request("add_target", name="after", x=3, y=3), "add_target")
                    client.request("pause")
                    before = hash_now(client)
                    wait_for(lambda: client.request("stats")["journal"]["synced_tick"] == before[0], "the journal on disk")  # pylint: disable=cell-var-from-loop
                    events = [other.receive_op("event") for _ in range(4)]
                    kept = [(event["event"], event["file"]) for event in events if event["event"].startswith("recording_")]
                    self.assertEqual(kept[0][0], "recording_ended")
            with Server("--state", state).doomed() as server, server.connect() as client:
                self.assertEqual(hash_now(client), before)
                self.assertTrue(client.hello["paused"])
                names = {target["name"] for target in client.request("list", what="targets")["targets"]}
                self.assertEqual(names, {"mouse", "after"} | ({"unsaved"} if not options else set()))

    def test_sigterm_writes_what_a_full_disk_kept_back(self):
        with Server("--state", f"{self.state}/a", self.scenario) as server, server.connect() as client:
            self.lose_journal(client)
            self.assert_reply(client.request("add_target", name="after", x=3, y=3), "add_target")
            client.request("pause")
            step = client.request("step", count=1)
            before = step["tick"], step["hash"]
            os.unlink(f"{self.state}/filler")
        with Server("--state", f"{self.state}/a", code=4) as server, server.connect() as client:
            self.assertEqual(hash_now(client), before)
            self.assertTrue(client.hello["paused"])
            self.lose_journal(client, is_paused=True)
            self.assert_reply(client.request("step", count=9), "step")
            self.assertEqual(server.stop(), 4)
            self.assert_logged(server, f"the world is lost from tick {before[0]} on, to tick {before[0] + 9}: ")
            self.assert_logged(server, "No space left on device")

    def test_a_full_disk_refuses_the_start(self):
        self.fill(leave=0)
        result = run_server("--port", "0", "--state", self.state, self.scenario)
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left on device", result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
