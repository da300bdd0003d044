"""A recording that is played: every tick has the hash it had, seeks, refused changes, speed, the end, going on live;
recordings that differ, that are cut, that are of another core."""

import json
import os
import pathlib
import random
import re
import tempfile
import time

from drover_client import PATIENCE_S, ROOT, Case, Server, run_server, sealed, wait_for

SLOW = bool(os.environ.get("DROVER_SLOW"))
FULL = SLOW and os.environ.get("DROVER_FULL") == "1"
NOT_RECORDED = ("step", "pause", "resume", "load")


class Tape:
    """Writes a recording by hand, as docs/recording.md has it, from what a paused server does; keeps its hashes.

    hashes   (world, tick) -> hash, as the replies to `step` gave it
    lines    of the recording, without newlines
    """

    def __init__(self, core):
        self.lines = [json.dumps({"op": "drover", "format": 1, "core": core, "server": "drover-server 0", "started": "2026-01-01T00:00:00Z",
                                  "build": "by hand"}, separators=(",", ":"))]
        self.hashes, self.last = {}, {}
        self.world = self.tick = self.seq = 0

    def add(self, op, **members):
        self.lines.append(json.dumps({"op": op, **members}, separators=(",", ":"), ensure_ascii=False))

    def load(self, client, scenario, by=0, name=""):
        reply = client.request("load", scenario=scenario)
        text = (ROOT / "scenarios" / f"{scenario}.json").read_text(encoding="utf-8")
        self.world, self.tick = self.world + 1, 0
        self.seq += 1
        world = client.request("stats")
        self.add("world", world=self.world, tick=0, seq=self.seq, by=by, **({"name": name} if name else {}), scenario=scenario,
                 seed=json.loads(text)["seed"], tick_hz=world["tick_hz"], hash=reply["hash"], text=text)
        self.hashes[self.world, 0] = reply["hash"]
        self.last[self.world] = 0

    def step(self, client, count):
        reply = client.request("step", count=count)
        self.seq += 1
        self.tick = reply["tick"]
        self.hashes[self.world, self.tick] = reply["hash"]
        self.last[self.world] = self.tick
        self.add("at", tick=self.tick, seq=self.seq, paused=True)

    def hash_line(self):
        self.add("hash", tick=self.tick, seq=self.seq, hash=self.hashes[self.world, self.tick])

    def do(self, client, op, name, **fields):
        reply = client.request(op, **fields)
        if reply["op"] != "reply":
            raise AssertionError(reply)
        self.seq += 1
        self.add("do", tick=self.tick, seq=self.seq, by=client.hello["session"], **({"name": name} if name else {}), request={"op": op, **fields})

    def text(self):
        return "\n".join(self.lines) + "\n"

    def write(self, path, lines=None):
        pathlib.Path(path).write_text(sealed("\n".join(self.lines if lines is None else lines) + "\n"), encoding="utf-8")
        return str(path)


def core_number():
    text = (ROOT / "server/sim/core.h").read_text()
    return int(text.split("CORE_NUMBER = ")[1].split()[0].rstrip(",;"))


def requests_of(ann, bob, chance):
    """One request of one of two sessions: (client, op, name, fields)."""
    x, y = chance.randrange(20, 900), chance.randrange(20, 560)
    return chance.choice([
        (ann, "set_param", "Ann", {"kind": "sheep", "param": "max_speed", "value": chance.randrange(40, 200)}),
        (bob, "spawn", "Bob", {"kind": "sheep", "count": chance.randrange(1, 4), "x": x, "y": y}),
        (ann, "cursor", "Ann", {"x": x, "y": y}), (bob, "cursor", "Bob", {"x": x, "y": y}),
        (bob, "add_obstacle", "Bob", {"circle": [x, y, 12]}),
        (ann, "set_target", "Ann", {"kind": "dog", "x": x, "y": y}),
        (ann, "place", "Ann", {"agent": 1, "x": x, "y": y, "vx": 10.25, "vy": -3}),
        (bob, "place", "Bob", {"agents": "AgAAAAMAAAA=", "x": [x, y], "y": [y, x], "heading": [33.3, -200]}),
        (ann, "set_target", "Ann", {"agents": [1, 2], "x": [x, 1], "y": [y, 2.5]}),
    ])


def make_tape(ticks=240):
    tape, chance = Tape(core_number()), random.Random(5)
    with Server("--paused", "seek") as server, server.connect() as ann, server.connect() as bob:
        ann.request("hello", name="Ann")
        bob.request("hello", name="Bob")
        tape.load(ann, "shepherds")
        while tape.tick < ticks:
            if chance.random() < 0.3:
                client, op, name, fields = requests_of(ann, bob, chance)
                tape.do(client, op, name, **fields)
            tape.step(ann, 1)
            if tape.tick % 20 == 0:
                tape.hash_line()
        tape.load(bob, "flock", by=2, name="Bob")
        for _ in range(60):
            tape.step(ann, 1)
        tape.hash_line()
        tape.do(ann, "set_param", "Ann", kind="bird", param="max_speed", value=50)
        for _ in range(20):
            tape.step(ann, 1)
        tape.hash_line()
    tape.add("end", tick=tape.tick, seq=tape.seq)
    return tape


class Replay(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.tape = make_tape()
        cls.path = cls.tape.write(pathlib.Path(cls.folder.name) / "run.drover")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def write(self, name, lines):
        return self.tape.write(pathlib.Path(self.folder.name) / name, lines)

    def wait_until_over(self, client, tick=None, timeout=120.0):
        tick = self.tape.last[2] if tick is None else tick
        wait_for(lambda: (stats := client.request("stats"))["paused"] and stats["tick"] == tick, "the end of the recording", timeout)
        return client.request("stats")["replay"]

    # --- playing

    def test_hello_and_stats_say_what_is_played(self):
        with Server("--paused", "--replay", self.path) as server, server.connect() as client:
            replay = client.hello["replay"]
            self.assertEqual(replay, {"world": 1, "tick": 0, "first": 0, "last": 240, "worlds": 2, "speed": 1, "diverged": False,
                                      "spans": [[0, 240], [0, 80]]})
            self.assertEqual(client.hello["scenario"]["name"], "shepherds")
            self.assertEqual(client.request("stats")["replay"], replay)

    def test_steps_have_the_recorded_hashes(self):
        with Server("--paused", "--replay", self.path) as server, server.connect() as client:
            for tick in range(1, 241):
                reply = client.request("step")
                self.assert_reply(reply, "step", tick=tick, hash=self.tape.hashes[1, tick])
            for tick in range(1, 81):
                self.assert_reply(client.request("step"), "step", tick=tick, hash=self.tape.hashes[2, tick])
            self.assertTrue(client.request("step", count=5)["stopped"], "nothing comes after the end")
            self.assertFalse(client.request("stats")["replay"]["diverged"])

    def test_events_name_the_sessions_of_the_recording(self):
        with Server("--paused", "--replay", self.path) as server, server.connect() as client:
            client.request("hello", name="Eve")  # is session 1, as Ann was
            client.request("subscribe", hz=60)
            client.request("step", count=240)
            client.request("step", count=1)
            messages = client.flush()
            names = {(m["event"], m.get("by"), m.get("name")) for m in messages if m["op"] == "event"}
            self.assertIn(("spawned", 2, "Bob"), names)
            self.assertIn(("param", 1, "Ann"), names)
            self.assertFalse([n for n in names if n[2] == "Eve"], names)
            self.assertTrue([m for m in messages if m["op"] == "scenario" and m["name"] == "flock"])

    def test_it_plays_by_itself_and_pauses_at_the_end(self):
        with Server("--replay", self.path) as server, server.connect() as client:
            client.request("subscribe", hz=60)
            self.assert_reply(client.request("speed", factor=40), "speed", factor=40)
            replay = self.wait_until_over(client)
            self.assertEqual((replay["world"], replay["diverged"], replay["speed"]), (2, False, 40))
            messages = client.flush()
            self.assertTrue([m for m in messages if m["op"] == "snapshot"])
            self.assertTrue([m for m in messages if m["op"] == "event" and m["event"] == "paused" and m["by"] == 0])
            client.request("resume")
            self.wait_until_over(client)
            self.assert_reply(client.request("seek", tick=80), "seek", tick=80, world=2, hash=self.tape.hashes[2, 80])

    def test_speed(self):
        with Server("--replay", self.path) as server, server.connect() as client:
            for factor in (0, 0.009, 1001, -1, "max"):
                self.assertIn(client.request("speed", factor=factor)["code"], ("out_of_range", "bad_param"))
            self.assert_reply(client.request("speed", factor=0.01), "speed", factor=0.01)
            begun, before = time.monotonic(), client.request("stats")["tick"]
            self.assertEqual(client.request("stats")["replay"]["speed"], 0.01)
            after = [client.request("stats")["tick"] for _ in range(100)][-1]
            self.assertLessEqual(after, before + 2 + 0.6 * (time.monotonic() - begun))
            self.assert_reply(client.request("speed", max=True), "speed", max=True)
            replay = self.wait_until_over(client)
            self.assertEqual((replay["speed"], replay["diverged"]), (0, False))

    # --- seeking

    def test_seeks_to_random_ticks(self):
        chance = random.Random(8)
        with Server("--paused", "--replay", self.path) as server, server.connect() as client:
            client.request("subscribe", hz=1)
            for _ in range(1000 if FULL else 300 if SLOW else 40):
                world, tick = chance.choice(list(self.tape.hashes))
                self.assert_reply(client.request("seek", tick=tick, world=world), "seek", tick=tick, world=world, hash=self.tape.hashes[world, tick])
                if tick < self.tape.last[world] and chance.random() < 0.3:
                    self.assert_reply(client.request("step"), "step", tick=tick + 1, hash=self.tape.hashes[world, tick + 1])
                self.assertTrue([m for m in client.flush() if m["op"] == "scenario"], "a seek is followed by the scenario")
            self.assertFalse(client.request("stats")["replay"]["diverged"])

    def test_a_seek_has_the_number_of_its_world(self):
        with Server("--paused", "--replay", self.path) as server, server.connect() as client:
            client.request("hello", seq=True)
            for world, tick in ((1, 100), (2, 70), (1, 3), (2, 20)):
                sought = client.request("seek", world=world, tick=tick)
                self.assertEqual((sought["tick"], sought["seq"]), (tick, client.request("ping")["seq"]))

    def test_stats_never_mix_worlds(self):
        spans = {1: (0, self.tape.last[1]), 2: (0, self.tape.last[2])}
        with Server("--replay", self.path) as server, server.connect() as client, server.connect() as other:
            client.request("speed", max=True)
            for number in range(20):
                other.send("seek", id=number, world=1, tick=230)
                other.send("resume", id=100 + number)
                for _ in range(20):
                    replay = client.request("stats")["replay"]
                    self.assertEqual((replay["first"], replay["last"]), spans[replay["world"]])
                    self.assertLessEqual(replay["tick"], replay["last"], replay)
                other.answer_to(100 + number)

    def test_a_seek_that_fails_leaves_everything_as_it_was(self):
        """The second world has a scenario that cannot be read: world, tick and the lines that follow stay."""
        lines = [json.loads(line) for line in self.tape.lines]
        lines = [{**line, "text": "{"} if line["op"] == "world" and line["world"] == 2 else line for line in lines]
        file = self.write("second.drover", [json.dumps(line) for line in lines])
        with Server("--replay", file, "--paused") as server, server.connect() as client:
            client.request("step", count=33)
            for _ in range(2):
                self.assert_error(client.request("seek", world=2, tick=10), "bad_save")
                now = client.request("stats")
                self.assertEqual((now["replay"]["world"], now["tick"], now["paused"]), (1, now["replay"]["tick"], True))
                stepped = client.request("step", count=5)
                self.assertEqual(stepped["hash"], self.tape.hashes[1, stepped["tick"]])
            self.assertEqual(stepped["tick"], 43)
            self.assert_error(client.request("seek", world=2, tick=10), "bad_save")
            client.request("resume")
            wait_for(lambda: client.request("ping")["tick"] > 43, "it plays on")

    def test_a_seek_out_of_the_recording_is_refused(self):
        with Server("--paused", "--replay", self.path) as server, server.connect() as client:
            self.assert_error(client.request("seek", tick=241), "out_of_range", field="tick")
            self.assert_error(client.request("seek", tick=81, world=2), "out_of_range", field="tick")
            self.assert_error(client.request("seek", tick=0, world=3), "out_of_range", field="world")
            self.assert_reply(client.request("step"), "step", tick=1, hash=self.tape.hashes[1, 1])

    def test_many_seeks_at_once_are_all_answered_and_the_last_holds(self):
        with Server("--paused", "--replay", self.path) as server, server.connect() as client, server.connect() as other:
            for number in range(60):
                (client if number % 2 else other).send("seek", id=f"s{number}", tick=230 - number % 7, world=1)
            answers = [(client if number % 2 else other).answer_to(f"s{number}") for number in range(60)]
            for answer in answers:
                if answer["op"] == "error":
                    self.assert_error(answer, "busy")
                else:
                    self.assertEqual(answer["hash"], self.tape.hashes[1, answer["tick"]])
            self.assertIn("reply", {answer["op"] for answer in answers})
            self.assert_reply(client.request("seek", tick=100, world=1), "seek", tick=100, hash=self.tape.hashes[1, 100])

    def test_begin_at_a_tick(self):
        with Server("--paused", "--replay", self.path, "--at", "117") as server, server.connect() as client:
            self.assert_reply(client.request("step"), "step", tick=118, hash=self.tape.hashes[1, 118])
        refused = run_server("--port", "0", "--replay", self.path, "--at", "5000")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("5000", refused.stderr)

    # --- changes

    def test_changes_are_refused(self):
        with Server("--paused", "--replay", self.path) as server, server.connect() as client:
            client.request("step", count=30)
            for op, fields in [("spawn", {"kind": "sheep"}), ("set_param", {"kind": "sheep", "param": "max_speed", "value": 3}),
                               ("mouse", {"x": 1, "y": 2}), ("remove", {"kind": "sheep"}), ("load", {"scenario": "seek"}),
                               ("add_target", {"name": "a", "x": 1, "y": 1}), ("add_obstacle", {"circle": [50, 50, 5]}),
                               ("set_target", {"kind": "dog", "x": 1, "y": 1})]:
                self.assert_error(client.request(op, **fields), "replaying")
            self.assert_reply(client.request("cursor", x=5, y=5), "cursor")
            self.assertEqual(client.request("list", what="targets")["op"], "reply")
            self.assertEqual(client.request("inspect", agent=1)["op"], "reply")
            self.assertEqual(client.request("get_params", kind="sheep")["op"], "reply")
            self.assert_reply(client.request("step"), "step", tick=31, hash=self.tape.hashes[1, 31])

    def test_requests_for_a_replay_need_one(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.assertNotIn("replay", client.hello)
            self.assert_error(client.request("seek", tick=1), "not_replaying")
            self.assertEqual(client.request("resume", live=True)["op"], "error")
            self.assertNotIn("replay", client.request("stats"))

    def test_going_on_live(self):
        with Server("--paused", "--replay", self.path) as server, server.connect() as client:
            client.request("seek", tick=200)
            targets = {row["name"] for row in client.request("list", what="targets")["targets"]}
            self.assertIn("cursor-1", targets)
            client.request("subscribe", hz=1)
            self.assert_reply(client.request("resume", live=True), "resume")
            self.assertNotIn("replay", client.request("stats"))
            client.request("pause")
            self.assertEqual(client.request("spawn", kind="sheep", count=3)["op"], "reply")
            targets = {row["name"] for row in client.request("list", what="targets")["targets"]}
            self.assertNotIn("cursor-1", targets, "the sessions of the recording are not here")
            self.assert_reply(client.request("cursor", x=100, y=100), "cursor", cursor="cursor-1")
            tick = client.request("stats")["tick"]
            self.assert_reply(client.request("step", count=300), "step", tick=tick + 300)
            self.assert_error(client.request("seek", tick=1), "not_replaying")

    def test_what_is_live_is_recorded(self):
        """--record begins when the replay goes live, with the world and its checkpoint; so does `record`."""
        folder = pathlib.Path(self.folder.name) / "live"
        folder.mkdir()
        for asks in (False, True):
            with self.subTest(asks=asks):
                path = folder / f"again-{asks}.drover"
                options = ["--recordings", str(folder)] if asks else ["--record", str(path)]
                with Server("--paused", *options, "--replay", self.path) as server, server.connect() as client:
                    client.request("seek", tick=200)
                    self.assert_error(client.request("record", on=True, name=path.stem), "replaying")
                    self.assert_error(client.request("record", last=5, name=path.stem), "replaying")
                    self.assertEqual(path.exists() and path.read_text(), "" if not asks else False)
                    client.request("resume", live=True)
                    client.request("pause")
                    if asks:
                        self.assert_reply(client.request("record", on=True, name=path.stem), "record")
                    self.assertEqual(client.request("spawn", kind="sheep", count=3)["op"], "reply")
                    last = client.request("step", count=30)
                lines = [json.loads(line) for line in path.read_text().splitlines()]
                ops = [line["op"] for line in lines]
                self.assertEqual(ops[:3], ["drover", "world", "checkpoint"], ops)
                self.assertEqual(ops[-1], "end")
                with Server("--paused", "--replay", str(path)) as server, server.connect() as client:
                    self.assert_reply(client.request("seek", tick=last["tick"]), "seek", hash=last["hash"])
                    self.assertFalse(client.request("stats")["replay"]["diverged"])

    # --- recordings that are not as they should be

    def diverging(self, name, lines):
        with Server("--paused", "--replay", self.write(name, lines)) as server, server.connect() as client:
            client.request("subscribe", hz=1)
            client.request("step", count=240)
            replay = client.request("stats")["replay"]
            events = [m for m in client.flush() if m["op"] == "event" and m["event"] == "diverged"]
            self.assertEqual((len(events), replay["diverged"], replay["diverged_tick"]), (1, True, events[0]["tick"]))
            self.assert_reply(client.request("step", count=10), "step", tick=10)
            self.assert_logged(server, "diverged")
            return replay["diverged_tick"]

    def test_a_hash_that_differs_is_told_once(self):
        lines = [line.replace('"hash":"', '"hash":"0').replace(line[line.rindex('"') - 1:], '"}', 1)
                 if line.startswith('{"op":"hash","tick":60,') else line for line in self.tape.lines]
        self.assertNotEqual(lines, self.tape.lines)
        self.assertEqual(self.diverging("hash.drover", lines), 60)

    def test_agents_that_differ_are_named_at_the_next_checkpoint(self):
        """The first event has the tick of the hash; a second one the agents that are not where the checkpoint has them."""
        path = pathlib.Path(self.folder.name) / "agents.drover"
        with Server("--paused", "--checkpoint-every", "2", "--record", str(path), "arrive") as server, server.connect() as client:
            ids = client.request("spawn", kind="exact", count=2, x=100, y=100, radius=0)
            client.request("step", count=120)
            time.sleep(2.1)  # a checkpoint is due with the next change
            client.request("set_param", kind="tutorial", param="max_speed", value=99)
            wait_for(lambda: '"op":"checkpoint"' in path.read_text(), "a checkpoint")
            client.request("step", count=5)
        text = path.read_text()
        bad = self.write("agents-bad.drover", re.sub(r'"x":100\b', '"x":101', text, count=1).splitlines())
        with Server("--paused", "--replay", bad) as server, server.connect() as client:
            client.request("subscribe", hz=1)
            client.request("step", count=125)
            events = [m for m in client.flush() if m["op"] == "event" and m["event"] == "diverged"]
            self.assertEqual(len(events), 2, events)
            self.assertIn("hash", events[0]["reason"])
            self.assertNotIn("agents", events[0])
            self.assertEqual((events[1]["tick"], events[1]["count"], events[1]["agents"]),
                             (120, 2, [ids["first_id"], ids["last_id"]]))
            self.assert_logged(server, "agents differ from the recorded checkpoint: 2")

    def test_a_request_that_is_refused_says_why(self):
        lines = [line.replace('"kind":"sheep","count"', '"kind":"goat","count"') if '"op":"spawn"' in line else line for line in self.tape.lines]
        self.assertNotEqual(lines, self.tape.lines)
        with Server("--paused", "--replay", self.write("refused.drover", lines)) as server, server.connect() as client:
            client.request("subscribe", hz=1)
            client.request("step", count=240)
            event = next(m for m in client.flush() if m["op"] == "event" and m["event"] == "diverged")
            self.assertRegex(event["reason"], r"request \d+ \(spawn\) took effect then, and is refused now: .*goat")

    def test_a_request_that_differs_is_noticed_at_the_next_hash(self):
        number = next(n for n, line in enumerate(self.tape.lines) if '"op":"spawn"' in line)
        edited = self.tape.lines[:]
        message = json.loads(edited[number])
        message["request"]["x"] += 1
        edited[number] = json.dumps(message, separators=(",", ":"))
        tick = self.diverging("do.drover", edited)
        self.assertEqual(tick, (message["tick"] // 20 + 1) * 20)

    def test_cut_anywhere_it_plays_as_far_as_it_goes(self):
        text, chance = self.tape.text().encode(), random.Random(3)
        start = text.index(b"\n", text.index(b"\n") + 1) + 1  # the first two lines are the least that is a recording
        for number in range(200 if FULL else 60 if SLOW else 12):
            path = pathlib.Path(self.folder.name) / f"cut{number}.drover"
            path.write_bytes(text[:chance.randrange(start, len(text))])
            with Server("--paused", "--replay", str(path)) as server, server.connect() as client:
                replay = client.hello["replay"]
                world, (_, last) = len(replay["spans"]), replay["spans"][-1]
                self.assert_reply(client.request("seek", tick=last, world=world), "seek", tick=last, hash=self.tape.hashes[world, last])
                client.request("speed", max=True)
                client.request("resume")
                self.assertFalse(self.wait_until_over(client, last)["diverged"])
            path.unlink()

    def test_what_is_no_recording_is_refused(self):
        for text in ("", "{}\n", "hello\n", '{"op":"drover","format":1,"core":1}\n', '{"op":"drover"'):
            path = pathlib.Path(self.folder.name) / "bad.drover"
            path.write_text(text)
            ended = run_server("--port", "0", "--replay", str(path))
            self.assertEqual((ended.returncode, ended.stderr.count("\n")), (2, 1), ended.stderr)
        ended = run_server("--port", "0", "--replay", str(pathlib.Path(self.folder.name) / "none.drover"))
        self.assertEqual(ended.returncode, 2, ended.stderr)
        ended = run_server("--port", "0", "--replay", self.path, "seek")
        self.assertEqual(ended.returncode, 2, ended.stderr)

    def test_worlds_with_odd_numbers_play(self):
        for numbers in ((1, 7), (5, 6), (3, 3), (9, 2)):
            lines = [line.replace('"world":1,', f'"world":{numbers[0]},', 1).replace('"world":2,', f'"world":{numbers[1]},', 1)
                     if line.startswith('{"op":"world"') else line for line in self.tape.lines]
            try:
                with Server("--paused", "--replay", self.write("numbers.drover", lines)) as server, server.connect() as client:
                    self.assert_reply(client.request("step", count=250), "step")
                    world = client.request("stats")["replay"]["world"]
                    client.request("seek", tick=3, world=world)
                    self.assertEqual(client.request("step")["op"], "reply")
            except AssertionError as error:
                self.assertIn("the server ended with 2", str(error))

    def test_a_recording_of_a_later_core_needs_a_word(self):
        lines = self.tape.lines[:]
        lines[0] = lines[0].replace(f'"core":{core_number()}', f'"core":{core_number() + 1}')
        path = self.write("core.drover", lines)
        ended = run_server("--port", "0", "--replay", path)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn("--anyway", ended.stderr)
        with Server("--paused", "--anyway", "--replay", path) as server, server.connect() as client:
            self.assert_reply(client.request("step", count=50), "step", tick=50, hash=self.tape.hashes[1, 50])

    # --- what the server itself records

    def recorded(self, path, *arguments):
        """A run of two sessions that a server records: (world, tick) -> hash."""
        chance, hashes = random.Random(12), {}
        with Server("--paused", "--record", str(path), *arguments, "shepherds") as server, server.connect() as ann, server.connect() as bob:
            ann.request("hello", name="Ann")
            for world, ticks, load in ((1, 400, {"save": "here"}), (2, 90, {"scenario": "flock"}), (3, 60, {"scenario": "seek"})):
                for _ in range(ticks):
                    if chance.random() < 0.2 and world < 3:
                        client, op, _, fields = requests_of(ann, bob, chance)
                        self.assertEqual(client.request(op, **fields)["op"], "reply")
                    reply = ann.request("step")
                    hashes[world, reply["tick"]] = reply["hash"]
                    if (world, reply["tick"]) == (1, 250):
                        self.assert_reply(ann.request("save", name="here"), "save", tick=250)
                self.assert_reply(ann.request("load", **load), "load")
        return hashes

    def test_a_recording_of_the_server_has_every_tick(self):
        for name in ("server.drover", "server.drover.zst"):
            path = pathlib.Path(self.folder.name) / name
            hashes, chance = self.recorded(path, "--checkpoint-every", "1"), random.Random(2)
            with Server("--paused", "--replay", str(path)) as server, server.connect() as client:
                for _ in range(200 if SLOW else 30):
                    world, tick = chance.choice(list(hashes))
                    self.assert_reply(client.request("seek", tick=tick, world=world), "seek", tick=tick, hash=hashes[world, tick])
                client.request("seek", tick=0, world=1)
                self.assert_reply(client.request("step", count=400), "step", tick=400, hash=hashes[1, 400])
                self.assertFalse(client.request("stats")["replay"]["diverged"])


class Resume(Case):
    """A server goes on where the one before it stopped; what is said and served meanwhile."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.state = str(pathlib.Path(self.folder.name) / "state")

    def journal(self):
        return max(pathlib.Path(self.state).glob("journal-*.drover"))

    def run_and_kill(self, *arguments, ticks=90):
        """A killed server's last tick and the hash of the next one."""
        with Server("--paused", "--state", self.state, *arguments) as server, server.connect() as client:
            client.request("cursor", x=200, y=200)
            client.request("step", count=ticks)
            self.kill_at_once(server, ticks)

    def kill_at_once(self, server, tick):
        """When this tick is in the file."""
        wait_for(lambda: f'{{"op":"at","tick":{tick},' in self.journal().read_text(), f"tick {tick} in the journal")
        server.process.kill()
        server.process.wait()
        server.stop = lambda: 0

    def wait_until_live(self, client):
        wait_for(lambda: "resuming" not in client.request("stats"), "the world is there again")

    def test_it_goes_on_after_a_kill(self):
        self.run_and_kill("shepherds")
        with Server("--paused", "shepherds") as server, server.connect() as client:
            client.request("cursor", x=200, y=200)
            client.request("step", count=90)
            client.request("cursor", gone=True)
            expected = client.request("step", count=10)["hash"]
        with Server("--state", self.state) as server, server.connect() as client:
            self.assert_reply(client.request("step", count=10), "step", tick=100, hash=expected)
            self.assertNotIn("resuming", client.request("stats"))
            self.assertNotIn("left_out", client.request("stats"))
        refused = run_server("--port", "0", "--state", self.state, "flock")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("shepherds", refused.stderr)
        self.assertIn("flock", refused.stderr)

    def test_a_long_start_is_seen_and_ended(self):
        self.run_and_kill("flock")
        last = json.loads(self.journal().read_text().splitlines()[-1])
        with self.journal().open("a", encoding="utf-8") as journal:
            journal.write(json.dumps({"op": "at", "tick": 9000000, "seq": last["seq"], "paused": False}, separators=(",", ":")) + "\n")
        self.journal().write_text(sealed(self.journal().read_text()))
        with Server("--state", self.state) as server, server.connect() as client:
            self.assertIn("resuming", client.hello)
            self.assertLess(client.hello["resuming"], 0.1)
            self.assert_reply(client.request("ping"), "ping")
            self.assert_reply(client.request("subscribe", hz=10), "subscribe")
            client.send("spawn", id="waits", kind="bird")
            first = client.receive_op("snapshot")["tick"]
            wait_for(lambda: client.receive_op("snapshot")["tick"] > first, "frames while it resumes")
            self.assertIn("resuming", client.request("stats"))
            self.assert_reply(client.request("help", about="seek"), "help")
            started = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - started, 20.0, "thousands of hours would be left")
            answers = [m for m in client.until_closed() if m["op"] == "error"]
            self.assertEqual([(m["id"], m["code"]) for m in answers], [("waits", "busy")])

    def test_a_hello_on_the_way_is_followed_by_the_world_that_it_becomes(self):
        """A parameter that was set at the end of the journal, thousands of ticks behind the hello."""
        with Server("--paused", "--state", self.state, "flock") as server, server.connect() as client:
            self.assert_reply(client.request("set_param", kind="bird", param="max_speed", value=77), "set_param")
            client.request("step", count=2)
            self.kill_at_once(server, 2)
        lines = [line for line in map(json.loads, self.journal().read_text().splitlines()) if line["op"] not in ("hash", "at", "end")]
        asked = next(line for line in lines if line["op"] == "do")
        asked["tick"] = 6000
        kept = [line for line in lines if line["op"] in ("drover", "world")] + [asked]
        self.journal().write_text(sealed("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in kept)))
        with Server("--state", self.state) as server, server.connect() as client:
            self.assertIn("resuming", client.hello)
            self.assertNotEqual(client.hello["scenario"]["kinds"][0]["max_speed"], 77)
            self.assertEqual(client.receive_op("scenario", 4 * PATIENCE_S)["kinds"][0]["max_speed"], 77)
            self.assertNotIn("resuming", client.request("stats"))
            self.assertEqual([m for m in client.flush() if m["op"] == "scenario"], [], "it is told once")
            with server.connect() as later:
                self.assertNotIn("resuming", later.hello)
                self.assertEqual(later.hello["scenario"]["kinds"][0]["max_speed"], 77)

    def test_a_journal_of_another_core_goes_on_from_its_checkpoint(self):
        self.run_and_kill("flock")
        for path in pathlib.Path(self.state).glob("journal-*.drover"):
            text = path.read_text().replace(f'"core":{core_number()},', f'"core":{core_number() + 1},', 1)
            path.write_text(sealed(text))
        with Server("--paused", "--state", self.state) as server, server.connect() as client:
            self.wait_until_live(client)
            left_out = client.request("stats")["left_out"]
            self.assertEqual(left_out["ticks"] + client.request("stats")["tick"], 90)
            self.assertEqual(left_out, server.hello()["left_out"])
            self.assert_logged(server, "leaves out")
            self.assertEqual(client.request("spawn", kind="bird")["op"], "reply")

    def test_from_a_tick_of_a_recording(self):
        tape = make_tape(60)
        path = tape.write(pathlib.Path(self.folder.name) / "run.drover")
        with Server("--paused", "--from", f"{path}@37") as server, server.connect() as client:
            self.wait_until_live(client)
            self.assertEqual(client.request("stats")["tick"], 37)
            self.assertNotIn("replay", client.hello)
            self.assertEqual(client.request("spawn", kind="sheep")["op"], "reply")

    def test_from_a_save(self):
        with Server("--paused", "--state", self.state, "shepherds") as server, server.connect() as client:
            client.request("cursor", x=200, y=200)
            client.request("step", count=40)
            saved = client.request("save", name="forty")
            self.assert_reply(saved, "save", tick=40)
        path = str(pathlib.Path(self.state) / "saves" / "forty.drover")
        with Server("--paused", "--from", path) as server, server.connect() as client:
            self.wait_until_live(client)
            self.assertEqual(client.request("stats")["tick"], 40)
            first = client.request("step", count=20)
        other = str(pathlib.Path(self.folder.name) / "other")
        with Server("--paused", "--state", other, "--from", path) as server, server.connect() as client:
            self.assert_reply(client.request("step", count=10), "step", tick=50)
        with Server("--state", other) as server, server.connect() as client:
            self.assert_reply(client.request("step", count=10), "step", tick=60, hash=first["hash"])
        refused = run_server("--port", "0", "--state", other, "--from", path)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        with Server("--paused", "--state", self.state, "--state-new", "--from", "forty") as server, server.connect() as client:
            self.assert_reply(client.request("step", count=20), "step", tick=60, hash=first["hash"])


if __name__ == "__main__":
    import unittest
    unittest.main()
