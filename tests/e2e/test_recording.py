"""What a server writes of its world: recordings and journals, line by line; requests for them; a disk that is full."""

import base64
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess
import tempfile
import time
import unittest

from drover_client import PATIENCE_S, Case, Server, run_server, server_binary, tool, wait_for


def lines_of(path):
    """The lines of a recording; each ends with a newline."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    if not text.endswith("\n"):
        raise AssertionError(f"{path}: torn: {text[-100:]!r}")
    return [json.loads(line) for line in text.splitlines()]


def has_open(pid, path):
    """Whether the process has the file open."""
    try:
        return any(os.path.realpath(one) == os.path.realpath(path) for one in pathlib.Path(f"/proc/{pid}/fd").iterdir())
    except OSError:  # a descriptor that was closed meanwhile
        return False


def of(lines, op):
    return [line for line in lines if line["op"] == op]


class Recording(Case):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-recording-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.file = self.folder / "a.drover"

    def record(self, *arguments):
        return Server("--record", str(self.file), *arguments)

    def touch(self, client):
        """Changes of many kinds at known ticks of a paused world; the hashes at the end of each step."""
        hashes = {}

        def step(count):
            reply = client.request("step", count=count)
            hashes[reply["tick"]] = reply["hash"]

        client.request("hello", name="Ann")
        client.request("set_param", kind="bird", param="max_speed", value=120)
        step(60)
        client.request("spawn", kind="bird", count=3, x=100, y=50, vx=1, vy=2, heading=33.3)
        client.request("mouse", x=12.25, y=99)
        step(61)
        client.request("add_obstacle", circle=[300, 200, 40])
        client.request("remove", agents=[1, 2])
        client.request("place", agents=list(range(3, 103)), x=[n / 3 for n in range(100)], y=[n + 0.1 for n in range(100)])
        client.request("set_target", agents=[3, 4], x=[1.5, 2], y="AACAPwAAgD8=")
        self.assert_error(client.request("set_param", kind="bird", param="max_speed", value=-1), "out_of_range")
        client.request("inspect", agents=[3])
        step(120)
        return hashes


class Lines(Recording):
    def test_a_touched_world(self):
        with self.record("--paused", "flock") as server, server.connect() as client:
            hashes = self.touch(client)
            client.request("pause")  # it changes nothing, and a paused world has a hash behind each request
            wait_for(lambda: b'"op":"hash","tick":241,"seq":11' in self.file.read_bytes(), "a hash behind the last request")
        lines = lines_of(self.file)
        self.assertEqual([line["op"] for line in lines[:3]], ["drover", "world", "at"])
        self.assertEqual((lines[0]["format"], lines[1]["world"], lines[1]["scenario"]), (1, 1, "flock"))
        self.assertEqual(json.loads(lines[1]["text"])["name"], "Flock")
        self.assertEqual(lines[2]["paused"], True)
        do = of(lines, "do")
        self.assertEqual([line["request"]["op"] for line in do],
                         ["set_param", "spawn", "mouse", "add_obstacle", "remove", "place", "set_target"])
        self.assertEqual([line["tick"] for line in do], [0, 60, 60, 121, 121, 121, 121])
        self.assertEqual({(line["by"], line["name"]) for line in do}, {(1, "Ann")})
        self.assertEqual(do[2]["request"], {"op": "mouse", "x": 12.25, "y": 99})
        self.assertEqual(struct.unpack("<100I", base64.b64decode(do[5]["request"]["agents"])), tuple(range(3, 103)))
        self.assertEqual(do[6]["request"], {"op": "set_target", "agents": [3, 4], "x": [1.5, 2], "y": [1, 1]})
        ordered = [line["seq"] for line in lines if line["op"] in ("world", "do", "at")]
        self.assertEqual(ordered, sorted(ordered))
        self.assertEqual(ordered[-1], 11)  # seven changes, three steps and a pause
        self.assertEqual(lines[-1], {"op": "end", "tick": 241, "seq": 11, "sum": lines[-1]["sum"]})
        self.assertEqual(of(lines, "at")[-1]["tick"], 241)
        # A tick has as many states as requests that came at it: only tick and seq together name one.
        known = {(line["tick"], line["seq"]): line["hash"] for line in of(lines, "hash")}
        for moment in ((60, 2), (121, 5), (241, 10)):  # the ends of the steps; whether one has a hash is a matter of time
            self.assertIn(known.get(moment), (None, hashes[moment[0]]))
        self.assertEqual(known[241, 11], hashes[241])
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o600)

    def test_pause_load_and_cursors(self):
        with self.record("flock") as server, server.connect() as client:
            client.request("pause")
            client.request("resume")
            client.request("load", scenario="shepherds")
            with server.connect() as other:
                other.request("cursor", x=10, y=20)
            wait_for(lambda: b'"gone":true' in self.file.read_bytes(), "the cursor of a session that ended is a line")
            client.request("load", scenario="seek", seed=9)
        lines = lines_of(self.file)
        worlds = of(lines, "world")
        self.assertEqual([(line["world"], line["scenario"]) for line in worlds],
                         [(1, "flock"), (2, "shepherds"), (3, "seek")])
        self.assertEqual((worlds[2]["seed"], worlds[2]["tick"]), (9, 0))
        for world in worlds[1:]:
            self.assertEqual(lines[lines.index(world) - 1]["op"], "at")
        paused = [line["paused"] for line in of(lines, "at") if line.get("by") == 1]
        self.assertEqual(paused[:2], [True, False])
        do = [(line["by"], line["request"]) for line in of(lines, "do")]
        self.assertEqual(do, [(2, {"op": "cursor", "x": 10, "y": 20}), (2, {"op": "cursor", "gone": True})])

    def test_running_worlds_have_hashes_and_checkpoints(self):
        with self.record("--checkpoint-every", "1", "--tick-hz", "240", "flock"):
            wait_for(lambda: self.file.read_bytes().count(b'"op":"checkpoint"') >= 2, "two checkpoints")
        lines = lines_of(self.file)
        hashes, checkpoints = of(lines, "hash"), of(lines, "checkpoint")
        self.assertGreaterEqual(len(hashes), 2)
        ticks = [line["tick"] for line in hashes]
        self.assertEqual(ticks, sorted(set(ticks)))
        known = {line["tick"]: line["hash"] for line in hashes}
        for line in checkpoints:
            self.assertEqual(known[line["tick"]], line["hash"])

    def test_checkpoints_of_steps_that_go_faster_than_the_clock(self):
        """They are due after a minute of ticks, too; and never for nothing."""
        with self.record("--paused", "seek") as server, server.connect() as client:
            begun = time.monotonic()
            while (count := self.file.read_bytes().count(b'"op":"checkpoint"')) < 3 and time.monotonic() < begun + 50:
                client.request("step", count=3600)
                time.sleep(0.1)
            self.assertGreaterEqual(count, 3)
        ticks = [line["tick"] for line in of(lines_of(self.file), "checkpoint")]
        self.assertTrue(all(after - before >= 3600 for before, after in zip([0, *ticks], ticks)), ticks)

    def test_jq_reads_it(self):
        with self.record("--paused", "flock") as server, server.connect() as client:
            self.touch(client)
        said = subprocess.run([tool("jq"), "-c", "select(.op==\"do\") | [.tick, .request.op]", str(self.file)],
                              capture_output=True, text=True, check=True).stdout
        self.assertEqual(said.splitlines()[0], '[0,"set_param"]')

    def test_a_compressed_recording(self):
        self.file = self.folder / "a.drover.zst"
        with self.record("--paused", "flock") as server, server.connect() as client:
            self.touch(client)
        self.assertEqual(self.file.read_bytes()[:4], bytes.fromhex("28b52ffd"))

    def test_a_file_that_is_there_is_refused(self):
        self.file.write_text("mine")
        ended = run_server("--port", "0", "--record", str(self.file), "flock")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("a.drover", ended.stderr)
        self.assertEqual(self.file.read_text(), "mine")

    def test_further_files_stand_alone(self):
        with self.record("--record-max", "64K", "--checkpoint-every", "1", "--tick-hz", "240", "flock"):
            wait_for((self.folder / "a-3.drover").exists, "a third file")
        for path in sorted(self.folder.iterdir()):
            lines = lines_of(path)
            self.assertEqual([line["op"] for line in lines[:2]], ["drover", "world"], path)
            if path != self.file:
                self.assertTrue(of(lines, "checkpoint"), path)


    def test_a_size_below_that_of_a_checkpoint_makes_no_heap_of_files(self):
        """A file has one interval of checkpoints at least."""
        with self.record("--record-max", "64K", "--checkpoint-every", "2", "flock") as server, server.connect() as client:
            began = time.monotonic()
            client.request("spawn", kind="bird", count=2000)
            wait_for((self.folder / "a-2.drover").exists, "a second file")
            wait_for((self.folder / "a-3.drover").exists, "a third file")
            self.assertLessEqual(len(list(self.folder.iterdir())), 2 + (time.monotonic() - began) / 2)


class Selfcheck(Recording):
    def test_it_says_that_it_agrees(self):
        with Server("--selfcheck", "1", "--tick-hz", "240", "flock") as server, server.connect() as client:
            wait_for(lambda: client.request("stats").get("selfcheck", {}).get("checked", 0) >= 2, "two spans")
            self.assertGreater(client.request("stats")["selfcheck"]["tick"], 240)
            self.assert_logged(server, "selfcheck: agrees up to tick ")


class Options(Recording):
    def test_mistakes_are_named(self):
        for arguments, name in ((("--sync", "never"), "--sync"), (("--sync", "0"), "--sync"),
                                (("--keep", "some"), "--keep"), (("--record-max", "1G"), "--record-max"),
                                (("--record", "x", "--record-max", "10"), "--record-max"),
                                (("--state-new",), "--state-new"), (("--at", "5"), "--at"),
                                (("--checkpoint-every", "0"), "--checkpoint-every")):
            ended = run_server("--port", "0", *arguments, "flock")
            self.assertEqual(ended.returncode, 2, arguments)
            self.assertIn(name, ended.stderr)

    def test_an_address_in_use_leaves_everything_as_it_was(self):
        state = self.folder / "state"
        with Server("--state", str(state), "--paused", "flock"):
            pass
        before = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}
        with Server("--paused", "seek") as server:
            port = ["--port", str(server.port)]
            for arguments in (["--record", str(self.file), "flock"], ["--record", str(self.file), "--state", str(self.folder / "other"), "flock"],
                              ["--state", str(state)], ["--state", str(state), "--state-new", "flock"]):
                ended = run_server(*port, *arguments)
                self.assertEqual(ended.returncode, 1)
                self.assertIn("in use", ended.stderr)
        self.assertEqual(sorted(self.folder.iterdir()), [state])
        self.assertEqual({path: path.read_bytes() for path in state.rglob("*") if path.is_file()}, before)

    def test_a_start_that_fails_leaves_no_empty_recording(self):
        for arguments in (["nowhere"], ["--replay", str(self.folder / "none.drover")]):
            ended = run_server("--port", "0", "--record", str(self.file), *arguments)
            self.assertEqual(ended.returncode, 2)
            self.assertEqual(list(self.folder.iterdir()), [], arguments)

    def test_a_signal_while_a_long_journal_is_read(self):
        """SIGTERM before the server serves: the end, in order, at once."""
        state = self.folder / "state"
        with Server("--state", str(state), "--paused", "flock"):
            pass
        journal = state / "journal-000001.drover"
        lines = journal.read_text().splitlines(keepends=True)
        at = next(line for line in lines if '"op":"at"' in line)
        with journal.open("w") as file:
            file.writelines(lines[:2])
            for _ in range(60):
                file.write(at * 50000)
        process = subprocess.Popen([server_binary(), "--port", "0", "--state", str(state)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            wait_for(lambda: has_open(process.pid, journal), "the server reads the journal")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE_S), 0)
        finally:
            process.kill()
            said = process.communicate()[0]
        self.assertNotIn(b"listening", said)

    def test_a_folder_that_cannot_be_written(self):
        ended = run_server("--port", "0", "--record", str(self.folder / "none" / "a.drover"), "flock")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("none", ended.stderr)


class Requests(Recording):
    def start(self, *arguments):
        return Server("--recordings", str(self.folder), *arguments)

    def test_on_and_off(self):
        with self.start("--tick-hz", "240", "flock") as server, server.connect() as client:
            client.request("subscribe", layout="events")
            self.assert_error(client.request("record", on=False), "not_recording", field="on")
            on = client.request("record", on=True, name="first")
            self.assert_reply(on, "record", name="first")
            event = client.receive()
            self.assertEqual((event["event"], event["file"], event["by"]), ("recording_started", "first.drover", 1))
            self.assert_error(client.request("record", on=True, name="second"), "exists")
            self.assertEqual(client.request("stats")["recording"]["file"], "first.drover")
            client.request("set_param", kind="bird", param="max_speed", value=99)
            wait_for(lambda: b'"op":"checkpoint"' in (self.folder / "first.drover").read_bytes(), "a checkpoint")
            self.assert_reply(client.request("record", on=False), "record", name="first", **{"from": on["from"]})
            while event["event"] != "recording_ended":
                event = client.receive()
            self.assertEqual((event["file"], event.get("reason")), ("first.drover", None))
            self.assertNotIn("recording", client.request("stats"))
            self.assert_error(client.request("record", on=True, name="first"), "exists")
            names = set()
            for _ in range(5):  # several in a second
                begun = client.request("record", on=True)
                self.assert_reply(begun, "record")
                names.add(begun["name"])
                self.assert_reply(client.request("record", on=False), "record")
            self.assertEqual(len(names), 5)
            self.assert_reply(client.request("record", on=True), "record")
        lines = lines_of(self.folder / "first.drover")
        self.assertEqual(lines[-1]["op"], "end")
        self.assertGreaterEqual(of(lines, "checkpoint")[0]["tick"], on["from"])
        self.assertEqual(len(of(lines, "do")), 1)
        self.assertEqual(len(list(self.folder.iterdir())), 7)
        self.assertEqual(stat.S_IMODE(os.stat(self.folder / "first.drover").st_mode), 0o600)

    def test_errors_name_files_and_no_folders(self):
        with self.start("--paused", "flock") as server, server.connect() as client:
            client.request("record", on=True, name="first")
            again = client.request("record", on=True, name="second")
            self.assert_error(again, "exists", field="on")
            self.assertRegex(again["message"], r"^this server records to first\.drover already; ")
            client.request("record", on=False)
            taken = client.request("record", on=True, name="first")
            self.assert_error(taken, "exists", field="name")
            self.assertRegex(taken["message"], r"^a recording first\.drover is there already; ")
            self.assert_logged(server, str(self.folder / "first.drover"))
        self.file.write_text("no folder")
        with Server("--recordings", str(self.file), "--paused", "flock") as server, server.connect() as client:
            for fields in ({"on": True}, {"last": 5}):
                refused = client.request("record", name="x", **fields)
                self.assert_error(refused, "io")
                self.assertNotIn("/", refused["message"])
        state = self.folder / "state"
        with Server("--state", str(state), "--paused", "flock") as server, server.connect() as client:
            shutil.rmtree(state / "saves", ignore_errors=True)
            (state / "saves").write_text("no folder")
            for op, fields in (("save", {"name": "a"}), ("load", {"save": "a"}), ("list", {"what": "saves"}), ("remove_save", {"name": "a"})):
                refused = client.request(op, **fields)
                self.assert_error(refused, "io")
                self.assertNotIn("/", refused["message"].replace("Input/output", ""))

    def test_the_last_seconds(self):
        with self.start("flock") as server, server.connect() as client:
            client.request("set_param", kind="bird", param="max_speed", value=99)
            wait_for(lambda: client.request("ping")["tick"] > 30, "some ticks")
            client.request("pause")
            hash_then = client.request("step", count=1)
            wait_for(lambda: client.request("record", last=60, name="past").get("code") in (None, "exists"), "the past is in memory")
            self.assert_error(client.request("record", last=60, name="past"), "exists")
            self.assertNotIn("recording", client.request("stats"))
        lines = lines_of(self.folder / "past.drover")
        self.assertEqual([line["op"] for line in lines[:3]], ["drover", "world", "checkpoint"])
        self.assertEqual(len(of(lines, "do")), 1)
        self.assertEqual((lines[-1]["op"], lines[-1]["tick"]), ("end", hash_then["tick"]))
        with Server("--replay", str(self.folder / "past.drover"), "--paused") as server, server.connect() as client:
            sought = client.request("seek", tick=hash_then["tick"])
            self.assertEqual(sought["hash"], hash_then["hash"])

    def test_the_last_seconds_have_hashes(self):
        """Without them the recording could not be verified."""
        with self.start("--tick-hz", "240", "flock") as server, server.connect() as client:
            wait_for(lambda: client.request("ping")["tick"] > 1000, "some seconds of ticks")
            self.assert_reply(client.request("record", last=60, name="past"), "record")
        lines = lines_of(self.folder / "past.drover")
        self.assertGreaterEqual(len(of(lines, "hash")), 2)
        self.assertGreater(lines[-1]["tick"], 1000)
        self.assertEqual([line["op"] for line in lines[-2:]], ["at", "end"])

    def test_the_last_seconds_of_a_world_that_has_just_begun(self):
        """Paused or not: after a start, after a load, after a resume."""
        state = self.folder / "state"
        with self.start("--state", str(state), "--paused", "flock") as server, server.connect() as client:
            self.assert_reply(client.request("record", last=5, name="start"), "record", **{"from": 0})
            client.request("step", count=70)
            client.request("save", name="here")
            client.request("load", save="here")
            self.assert_reply(client.request("record", last=5, name="load"), "record", **{"from": 70})
        with self.start("--state", str(state)) as server, server.connect() as client:
            self.assert_reply(client.request("record", last=5, name="resume"), "record", **{"from": 70})
        for name, tick in (("start", 0), ("load", 70), ("resume", 70)):
            lines = lines_of(self.folder / f"{name}.drover")
            self.assertEqual(of(lines, "checkpoint")[0]["tick"], tick)
            self.assertEqual(lines[-1], {"op": "end", "tick": tick, "seq": lines[-1]["seq"], "sum": lines[-1]["sum"]})

    def test_a_recording_says_where_it_begins(self):
        """With a checkpoint of a world that is not as its scenario says, even where nothing has happened since it was put in."""
        state = self.folder / "state"
        with self.start("--state", str(state), "--paused", "seek") as server, server.connect() as client:
            client.request("spawn", kind="seeker", count=3, x=9, y=9)
            client.request("save", name="first")
            client.request("step", count=30)
            client.request("save", name="here")
            for name, tick, op, body in (("a", 0, "load", {"save": "first"}), ("b", 30, "load", {"save": "here"}), ("c", 33, "rewind", {"ticks": 2})):
                if op == "rewind":
                    client.request("step", count=5)
                self.assert_reply(client.request(op, **body), op, tick=tick)
                for request in ({"on": True, "name": name}, {"on": False}):
                    self.assert_reply(client.request("record", **request), "record", name=name, **{"from": tick})
        with self.start("--from", str(state / "saves/here.drover"), "--record", str(self.folder / "d.drover"), "--paused") as server:
            with server.connect() as client:
                self.assert_reply(client.request("record", on=False), "record", name="d", **{"from": 30})
        for name, tick in (("a", 0), ("b", 30), ("c", 33), ("d", 30)):
            lines = lines_of(self.folder / f"{name}.drover")
            self.assertEqual([line["op"] for line in lines[:3]], ["drover", "world", "checkpoint"], name)
            self.assertEqual(lines[2]["tick"], tick)

    def test_a_request_before_the_last_seconds_is_in_them(self):
        with self.start("--paused", "flock") as server, server.connect() as client:
            for value in range(60, 70):
                client.send("set_param", id=value, kind="bird", param="max_speed", value=value)
                client.send("record", id=1000 + value, last=5, name=f"r{value}")
            for _ in range(20):
                line = client.receive()
                self.assertEqual(line["op"], "reply", line)
        for value in range(60, 70):
            self.assertEqual(len(of(lines_of(self.folder / f"r{value}.drover"), "do")), value - 59)

    def test_memory_has_a_limit(self):
        with self.start("--memory", "1K", "flock") as server, server.connect() as client:
            self.assert_error(client.request("record", last=60), "full")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_folder_that_cannot_be_written(self):
        with Server("--recordings", str(self.folder / "no" / "such"), "seek") as server, server.connect() as client:
            error = client.request("record", on=True, name="first")
            self.assert_error(error, "io")
            self.assertEqual(error["message"], "such: No such file or directory")
            self.assert_logged(server, "no/such")
            client.request("pause")  # the session goes on


class Full(Recording):
    """A limit on the size of files stands for a disk that is full."""

    def fill(self, server):
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (8192, 8192))

    def test_the_world_runs_on_without_its_recording(self):
        with self.record("--tick-hz", "480", "flock") as server, server.connect() as client:
            client.request("subscribe", layout="events")
            self.fill(server)
            for value in range(60, 160):
                client.request("set_param", kind="bird", param="max_speed", value=value)
            event = client.receive()
            while event["event"] != "recording_ended":
                event = client.receive()
            self.assertEqual((event["file"], event["by"]), ("a.drover", 0))
            self.assertEqual(event["reason"], "File too large")
            self.assertEqual(client.request("stats")["recording"]["ended"], event["reason"])
            tick = client.request("ping")["tick"]
            wait_for(lambda: client.request("ping")["tick"] > tick, "the world runs on")
            self.assert_reply(client.request("set_param", kind="bird", param="max_speed", value=100), "set_param")

    def test_what_is_not_on_disk_is_no_recording(self):
        """The reply comes when the file is written; without a reply there is no file, and its name is free."""
        with Server("--recordings", str(self.folder), "--paused", "flock") as server, server.connect() as client:
            client.request("subscribe", layout="events")
            unlimited = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
            for fields in ({"last": 5}, {"on": True}):
                resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (0, unlimited[1]))
                for _ in range(2):
                    refused = client.request("record", name="first", **fields)
                    self.assert_error(refused, "io")
                    self.assertEqual(refused["message"], "first.drover: File too large")
                    self.assertEqual(list(self.folder.iterdir()), [])
                resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (8192, unlimited[1]))
                if "last" in fields:  # a part of it fits
                    self.assert_error(client.request("record", name="first", **fields), "io")
                    self.assertEqual(list(self.folder.iterdir()), [])
                resource.prlimit(server.pid, resource.RLIMIT_FSIZE, unlimited)
                self.assert_reply(client.request("record", name="first", **fields), "record", name="first")
                (self.folder / "first.drover").unlink()

    def test_with_sync_always_changes_are_refused(self):
        with Server("--state", str(self.folder / "state"), "--sync", "always", "flock", code=4) as server, \
                server.connect() as client:
            self.assert_reply(client.request("set_param", kind="bird", param="max_speed", value=99), "set_param")
            self.fill(server)
            answer = {"op": "reply"}
            for value in range(60, 260):
                answer = client.request("set_param", kind="bird", param="max_speed", value=value)
                if answer["op"] == "error":
                    break
            self.assert_error(answer, "io")
            self.assert_error(client.request("pause"), "io")
            self.assert_error(client.request("load", scenario="seek"), "io")
            self.assertTrue(client.request("stats")["journal"]["ended"])
            tick = client.request("ping")["tick"]
            wait_for(lambda: client.request("ping")["tick"] > tick, "the world runs on")


class Kept(Recording):
    """What the folder of --state has."""

    def setUp(self):
        super().setUp()
        self.state = self.folder / "state"

    def files(self, kind):
        return sorted(self.state.glob(f"{kind}-*.drover"))

    def test_an_answer_with_sync_always_is_on_disk(self):
        with Server("--state", str(self.state), "--sync", "always", "--paused", "flock") as server, \
                server.connect() as client:
            for value in range(60, 80):
                client.request("set_param", kind="bird", param="max_speed", value=value)
                self.assertIn(f'"value":{value}}}'.encode(), self.files("journal")[-1].read_bytes())
            tick = client.request("step", count=7)["tick"]
            self.assertIn(f'"tick":{tick},'.encode(), self.files("journal")[-1].read_bytes())
            client.request("load", scenario="seek")
            self.assertIn(b'"scenario":"seek"', self.files("journal")[-1].read_bytes())

    def test_answers_and_events_keep_their_order(self):
        with Server("--state", str(self.state), "--sync", "always", "flock") as server, server.connect() as client:
            client.request("hello", seq=True)
            client.request("subscribe", layout="events")
            for value in range(60, 90):
                client.send("set_param", id=value, kind="bird", param="max_speed", value=value)
                client.send("ping", id=1000 + value)
            client.send("load", id=500, scenario="seek")
            seen = []
            while not seen or seen[-1].get("id") != 500:
                seen.append(client.receive())
            changes = [line["id"] for line in seen if line.get("to") == "set_param"]
            self.assertEqual(changes, list(range(60, 90)))
            for value in range(60, 90):
                reply = next(i for i, line in enumerate(seen) if line.get("id") == value)
                event = next(i for i, line in enumerate(seen) if line.get("event") == "param" and line["value"] == value)
                self.assertLess(reply, event)
            numbers = [line["seq"] for line in seen if line.get("to") == "set_param"]
            self.assertEqual(numbers, sorted(numbers))

    def test_the_scenario_comes_before_its_frames(self):
        with Server("--state", str(self.state), "--sync", "always", "flock") as server, server.connect() as client:
            client.request("subscribe", layout="density", grid=[2, 2], hz=60)
            for name in ("seek", "flock", "seek", "flock"):
                client.request("load", scenario=name)
                line = client.receive()
                while line["op"] != "scenario":
                    line = client.receive()
                count = sum(kind["count"] for kind in line["kinds"])
                line = client.receive()
                while line["op"] != "density":
                    line = client.receive()
                self.assertEqual(line["n"], count)

    def test_old_files_go(self):
        with Server("--state", str(self.state), "--checkpoint-every", "1", "--tick-hz", "240", "flock"):
            wait_for(lambda: self.files("checkpoint") and self.files("checkpoint")[-1].name >= "checkpoint-000004",
                     "a fourth checkpoint")
            wait_for(lambda: len(self.files("checkpoint")) <= 3, "older ones are deleted")
        last = lines_of(self.files("journal")[-1])[-1]
        self.assertEqual(last["op"], "checkpoint")
        for path in self.files("journal") + self.files("checkpoint"):
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)

    def test_a_killed_server_leaves_whole_lines(self):
        server = Server("--state", str(self.state), "flock")
        with server.connect() as client:
            client.request("set_param", kind="bird", param="max_speed", value=99)
            wait_for(lambda: re.search(rb'"op":"do".*"op":"at","tick":[1-9]', self.files("journal")[-1].read_bytes(), re.DOTALL),
                     "the request and a tick in the journal")
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        server.kill()
        text = self.files("journal")[-1].read_bytes()
        lines = [json.loads(line) for line in text.split(b"\n")[:-1]]
        self.assertEqual(len(of(lines, "do")), 1)
        self.assertGreater(of(lines, "at")[-1]["tick"], 0)


if __name__ == "__main__":
    unittest.main()
