"""The program `drover`: its commands on recordings that are made without a server, its exit codes, what it does with broken
files, and how it finds a fault that was planted."""

import base64
import csv
import io
import json
import math
import os
import pathlib
import pty
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from drover_client import ROOT, Client, Server, sealed, server_binary, wait_for

TOOL = os.environ.get("DROVER_TOOL", str(ROOT / "build/asan/bin/drover"))
PLANTED = os.environ.get("DROVER_PLANTED", str(ROOT / "build/asan/bin/drover_planted"))
MAKE = os.environ.get("DROVER_MAKE_RECORDING", str(ROOT / "build/asan/bin/make_recording"))
PATIENCE_S = 120
SLOW = "DROVER_SLOW" in os.environ
FULL = SLOW and os.environ.get("DROVER_FULL") == "1"
CORE = int(re.search(r"CORE_NUMBER = (\d+)", (ROOT / "server/sim/core.h").read_text(encoding="utf-8"))[1])
FAULT_TICK, FAULT_AGENT = 137, 17  # tests/e2e/CMakeLists.txt

INPUTS = """75 3 {"op":"set_param","kind":"bird","param":"max_speed","value":120}
100 4 {"op":"cursor","x":100,"y":100}
130 3 {"op":"spawn","kind":"bird","count":3,"x":50,"y":60}
"""


def drover(*arguments, program=TOOL, **options):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE_S, check=False, **options)


def make(path, ticks=300, hash_every=60, checkpoint_every=120, fault=(), inputs=INPUTS, scenario="scenarios/flock.json"):
    with open(path, "wb") as out:
        subprocess.run([MAKE, str(ROOT / scenario), *map(str, (ticks, hash_every, checkpoint_every, *fault))], stdout=out,
                       input=inputs.encode(), timeout=PATIENCE_S, check=True)
    return path


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keeper = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.keeper.name)
        cls.good = make(cls.folder / "good.drover")

    @classmethod
    def tearDownClass(cls):
        cls.keeper.cleanup()

    def expect(self, code, *arguments, **options):
        """What the program prints when it ends with this code; a complaint is one line and nothing else."""
        result = drover(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1 if result.stderr else 0, result.stderr)
        return result.stdout + result.stderr

    def flipped(self, name, number=0, source=None):
        """The good recording with one bit of vx of agent 18 in one of its checkpoints turned round."""
        lines = list(map(json.loads, (source or self.good).read_text(encoding="utf-8").splitlines()))
        line = [line for line in lines if line["op"] == "checkpoint"][number]
        motion = bytearray(base64.b64decode(line["columns"]["motion"]))
        motion[17 * 16 + 8] ^= 1
        line["columns"]["motion"] = base64.b64encode(motion).decode()
        path = self.folder / name
        path.write_text(sealed("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)), encoding="utf-8")
        return path

    def save(self):
        """A saved world, of tick 130."""
        path = self.folder / "save.drover"
        if not path.exists():
            cut = self.expect(0, "cut", self.good, "-", "--from", 130)
            path.write_text("".join(cut.splitlines(True)[:3]), encoding="utf-8")
        return path


class CommandLine(Case):
    def test_help(self):
        page = self.expect(0, "--help")
        for name in re.findall(r"^  ([a-z]+) ", page, re.MULTILINE):
            with self.subTest(command=name):
                self.assertIn(f"Usage: drover {name}", self.expect(0, name, "--help"))
        self.assertLessEqual(max(map(len, page.splitlines())), 110)
        self.assertRegex(self.expect(0, "--version"), r"^drover \d+\.\d+\.\d+\n$")

    def test_a_folder_is_given_where_a_file_is_wanted(self):
        (self.folder / "kept").mkdir(exist_ok=True)
        ended = subprocess.run([server_binary(), "--port", "0", "--replay", str(self.folder / "kept")], capture_output=True, text=True,
                               timeout=PATIENCE_S, check=False)
        self.assertRegex(ended.stderr, "kept: a directory; allowed: a file .*journals or checkpoints")

    def test_mistakes(self):
        for arguments, words in [
            (["inf"], ["inf", "info"]), (["info"], ["FILE"]), (["info", "--jso", "x"], ["--jso"]),
            (["verify", "a", "--simd", "avx9"], ["avx9", "avx2"]),
            (["verify", "a", "--threads", "0"], ["threads", "64"]), (["verify", "a", "--every", "0"], ["every"]),
            (["export", "a", "--csv", "--ndjson"], ["--csv", "--ndjson"]), (["export", "a", "--fields", "x,yy"], ["yy", "vy"]),
            (["export", "a", "--fields", "x,x"], ["twice"]), (["export", "a", "--from", "5", "--to", "4"], ["--to"]),
            (["cut", "a"], ["OUT"]), (["cut", "a", "b", "--from", "-1"], ["from"]), (["diff", "a"], ["--with"]),
            (["diff", "-", "-"], ["standard input"]), (["diff", "a", "b", "--json", "--cut", "-"], ["--cut", "FILE"]), (["diff"], ["A"]),
        ]:
            with self.subTest(arguments=arguments):
                said = self.expect(2, *arguments)
                for word in words:
                    self.assertIn(word, said)
        self.assertEqual(drover().returncode, 2)

    def test_files_that_are_none(self):
        (self.folder / "folder").mkdir()
        os.mkfifo(self.folder / "pipe")
        (self.folder / "empty").write_bytes(b"")
        for name in ("none", "folder", "pipe", "empty", ROOT / "scenarios/flock.json", TOOL):
            for command in ("info", "verify", "export"):
                with self.subTest(file=name, command=command):
                    self.assertIn(pathlib.Path(name).name, self.expect(1, command, self.folder / name))

    def test_standard_input(self):
        for command in (["info", "-"], ["verify", "-"], ["export", "-"], ["cut", "-", "-"]):
            result = subprocess.run([TOOL, *command], input=self.good.read_bytes(), capture_output=True, timeout=PATIENCE_S, check=False)
            self.assertEqual((result.returncode, result.stderr), (0, b""), command)


class Info(Case):
    def test_a_recording(self):
        said = self.expect(0, "info", self.good)
        for words in (f"recording, format 1, core {CORE}", "flock, seed 4, 60 ticks a second: ticks 0 to 300, 5.0 s", "session 3 (Ann): 2",
                      "ticks 120, 240", "ended in order", "make_recording 1"):
            self.assertIn(words, said)

    def test_json(self):
        facts = json.loads(self.expect(0, "info", "--json", self.good))
        self.assertEqual(facts["ops"], {"set_param": 1, "cursor": 1, "spawn": 1})
        self.assertEqual([(row["by"], row["requests"]) for row in facts["sessions"]], [(3, 2), (4, 1)])
        self.assertEqual(facts["worlds"][0]["last_tick"], 300)
        self.assertTrue(facts["ended"])
        self.assertEqual([row["tick"] for row in facts["checkpoints"]], [120, 240])

    def test_a_saved_world(self):
        said = self.expect(0, "info", self.save())
        self.assertIn("saved world", said)
        self.assertIn("agents        250: bird 250", said)

    def test_several_files_of_which_one_is_none(self):
        result = drover("info", self.good, self.folder / "none", self.good)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.count("recording, format 1"), 2)

    def test_a_torn_end(self):
        torn = self.folder / "torn.drover"
        torn.write_bytes(self.good.read_bytes()[:-20])
        said = self.expect(0, "info", torn)
        self.assertIn("1 of them torn", said)
        self.assertIn("not ended in order", said)
        self.assertIn("all the same", self.expect(0, "verify", torn))

    def test_nothing_of_the_file_controls_the_terminal(self):
        evil = self.folder / "evil.drover"
        evil.write_bytes(self.good.read_bytes().replace(b"make_recording 1", b"\\u001b[31mred\\u0007"))
        self.assertNotIn("\x1b", self.expect(0, "info", evil))


class Verify(Case):
    def test_a_good_recording(self):
        for means in ([], ["--threads", 3], ["--simd", "plain"], ["--every", 2]):
            said = self.expect(0, "verify", self.good, *means)
            self.assertIn(f"core {CORE}: 300 ticks, {3 if means[:1] == ['--every'] else 6} hashes, all the same", said)

    def test_a_saved_world(self):
        self.assertIn("the world of tick 130, whose hash is right", self.expect(0, "verify", self.save()))

    def test_a_recording_without_hashes(self):
        bare = self.folder / "bare.drover"
        lines = make(bare, hash_every=0, checkpoint_every=0).read_text(encoding="utf-8").splitlines(True)
        bare.write_text("".join(lines).replace(re.search(r'"hash":"\w+",', lines[1])[0], "", 1), encoding="utf-8")
        result = drover("verify", bare)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)

    def test_several_worlds(self):
        twice = make(self.folder / "twice.drover", inputs=INPUTS + '150 3 {"op":"load"}\n200 3 {"op":"mouse","x":4,"y":5}\n'.replace(
            '{"op":"mouse","x":4,"y":5}', '{"op":"cursor","x":4,"y":5}'))
        self.assertIn("all the same", self.expect(0, "verify", twice))
        self.assertEqual(len(json.loads(self.expect(0, "info", "--json", twice))["worlds"]), 2)
        rows = list(csv.DictReader(io.StringIO(self.expect(0, "export", twice))))
        self.assertEqual({row["world"] for row in rows}, {"1", "2"})
        rows = list(csv.DictReader(io.StringIO(self.expect(0, "export", twice, "--world", 2))))
        self.assertNotIn("world", rows[0])
        part = self.folder / "part.drover"
        self.expect(0, "cut", twice, part, "--world", 1, "--from", 100, "--to", 140)
        self.assertIn("40 ticks", self.expect(0, "verify", part))

    def test_a_recording_that_is_torn_in_the_checkpoint_of_a_loaded_world(self):
        """The worlds before it are verified; a sentence says what is missing. What is behind a line that is damaged is left out."""
        whole = self.folder / "loads.drover"
        with Server("--record", str(whole), "--paused", "flock") as server, server.connect() as client:
            client.request("step", count=100)
            client.request("save", name="there")
            client.request("load", scenario="seek")
            client.request("step", count=70)
            client.request("load", save="there")
            client.request("step", count=60)
            client.request("load", scenario="seek")
            client.request("step", count=65)
        self.assertIn("295 ticks", self.expect(0, "verify", whole))
        lines = whole.read_text(encoding="utf-8").splitlines(True)
        at = next(number for number, line in enumerate(lines) if '"op":"checkpoint"' in line and '"tick":100' in line)
        torn = self.folder / "torn.drover"
        torn.write_text("".join(lines[:at]) + lines[at][:700], encoding="utf-8")
        said = self.expect(0, "verify", torn)
        self.assertRegex(said, r"world that begins at tick 100 lacks its checkpoint; so world 3 \(flock, ticks 100 to 100\) cannot")
        self.assertRegex(said, rf"core {CORE}: 170 ticks, \d+ hashes, all the same")
        torn.write_text("".join(lines[:at]) + lines[at][:700] + "\n" + "".join(lines[at + 1:]), encoding="utf-8")
        said = self.expect(1, "verify", torn)
        self.assertRegex(said, rf"line {at + 1} \(byte \d+\) is damaged: .*; request 5 and what followed is left out, after tick 100\n")
        self.assertIn(f"core {CORE}: 170 ticks", said)

    def test_files_that_do_not_continue_each_other(self):
        """Each is verified by itself; an export of them is refused."""
        other = make(self.folder / "other.drover", scenario="scenarios/seek.json", inputs="")
        bad = make(self.folder / "bad.drover", fault=(FAULT_TICK, FAULT_AGENT))
        said = self.expect(0, "verify", self.good, other, self.good).splitlines()
        self.assertEqual([pathlib.Path(line.split(":")[0]).name for line in said], ["good.drover", "other.drover", "good.drover"])
        self.assertTrue(all("300 ticks" in line and "all the same" in line for line in said), said)
        said = self.expect(1, "verify", bad, other)
        self.assertIn(f"other.drover: core {CORE}: 300 ticks", said)
        result = drover("verify", self.folder / "none", self.good)
        self.assertEqual(result.returncode, 1)
        self.assertIn("all the same", result.stdout)
        self.assertIn("other.drover does not continue", self.expect(2, "export", self.good, other))

    def test_a_desync_in_the_recorded_run(self):
        bad = make(self.folder / "bad.drover", fault=(FAULT_TICK, FAULT_AGENT))
        said = self.expect(1, "verify", bad)
        self.assertIn("the same to tick 120 (3 hashes), differs at tick 180", said)
        self.assertRegex(said, r"The request that came last before it: number 3, spawn at tick 130, of session 3( \(.*\))?\.\n")
        self.assertRegex(said, r"At the checkpoint of tick 240 \d+ of 253 agents differ")
        self.assertRegex(said, r"agent \d+: x: recording [-\d.]+ \(\w{8}\), here [-\d.]+ \(\w{8}\)")

    def test_a_desync_before_any_request(self):
        bad = make(self.folder / "early.drover", fault=(50, FAULT_AGENT))
        said = self.expect(1, "verify", bad)
        self.assertIn("differs at tick 60", said)
        self.assertIn("No request came before it in this world.\n", said)

    def test_a_desync_just_before_a_checkpoint_names_the_agent_and_the_field(self):
        bad = make(self.folder / "just.drover", fault=(240, FAULT_AGENT))
        said = self.expect(1, "verify", bad)
        self.assertIn("the same to tick 180 (4 hashes), differs at tick 240", said)
        self.assertRegex(said, r"number 3, spawn at tick 130, of session 3.*; behind it the hash of tick 180 was the same\.\n")
        self.assertIn("At the checkpoint of tick 240 1 of 253 agents differ", said)
        self.assertEqual(re.findall(r"agent (\d+): ([\w.]+): rec", said), [("17", "vx")])


    def test_a_checkpoint_that_was_changed_is_named(self):
        bad = self.flipped("flipped.drover", 1)
        self.assertRegex(self.expect(1, "verify", bad), "the checkpoint of tick 240 of world 1 differs from its hash: .*the world has")
        for first, second, name in ((self.good, bad, "B"), (bad, self.good, "A")):
            self.assertIn(f"{name} is damaged: its checkpoint of tick 240", self.expect(1, "diff", first, second))
        cut = self.folder / "first.drover"
        self.expect(0, "cut", self.good, cut, "--from", 120)
        text = cut.read_text(encoding="utf-8")
        broken = self.folder / "first_broken.drover"
        at = text.index('"motion":"') + 600
        broken.write_text(sealed(text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1:]), encoding="utf-8")
        self.expect(1, "verify", broken)
        self.assertIn("B is damaged: its checkpoint of tick 120", self.expect(1, "diff", cut, broken))

    def test_json(self):
        """The same facts for programs: an object for each recording, and the same exit codes."""
        bad = make(self.folder / "bad.drover", fault=(240, FAULT_AGENT))
        flipped = self.flipped("flipped.drover", 1)
        same, differs, damaged = map(json.loads, self.expect(1, "verify", "--json", self.good, bad, flipped).splitlines())
        self.assertEqual({key: same[key] for key in ("file", "verdict", "core", "ticks", "hashes", "checkpoints", "gaps", "not_verified")},
                         {"file": str(self.good), "verdict": "same", "core": CORE, "ticks": 300, "hashes": 6, "checkpoints": 2, "gaps": [],
                          "not_verified": []})
        self.assertEqual((differs["verdict"], differs["difference"]["tick"], differs["difference"]["same_to_tick"]), ("differs", 240, 180))
        self.assertNotEqual(differs["difference"]["recorded"], differs["difference"]["computed"])
        self.assertEqual((differs["difference"]["request"]["op"], differs["difference"]["request"]["seq"]), ("spawn", 3))
        self.assertEqual((differs["checkpoint"]["tick"], differs["checkpoint"]["agents_differ"]), (240, 1))
        agent = differs["checkpoint"]["agents"][0]
        self.assertEqual((agent["id"], [value["field"] for value in agent["values"]]), (FAULT_AGENT, ["vx"]))
        self.assertNotEqual(agent["values"][0]["recorded"], agent["values"][0]["computed"])
        self.assertEqual((damaged["verdict"], [row["tick"] for row in damaged["damaged_checkpoints"]]), ("differs", [240]))
        self.assertEqual(json.loads(self.expect(0, "verify", "--json", self.good))["verdict"], "same")
        result = drover("verify", "--json", self.folder / "none")
        self.assertEqual((result.returncode, result.stdout), (1, ""))

    def test_a_checkpoint_and_a_hash_line_that_contradict(self):
        bad = self.folder / "contradiction.drover"
        text = self.good.read_text(encoding="utf-8")
        line = next(line for line in text.splitlines(True) if '"op":"checkpoint"' in line)
        start = json.loads(line)
        hash_line = json.dumps({"op": "hash", "tick": start["tick"], "seq": start["seq"], "hash": "0123456789abcdef"}, separators=(",", ":"))
        bad.write_text(text.replace(line, line + hash_line + "\n"), encoding="utf-8")
        self.expect(1, "verify", bad)


class Diff(Case):
    def test_the_same(self):
        said = self.expect(0, "diff", self.good, self.good)
        self.assertIn("Inputs: 3 requests and 1 world, the same.", said)

    def test_another_request(self):
        other = make(self.folder / "other.drover", inputs=INPUTS.replace("120}", "121}"))
        said = self.expect(1, "diff", self.good, other)
        self.assertIn('B: tick 75, request 1, session 3 (Ann): {"op":"set_param"', said)
        self.assertIn("parameter bird.max_speed: 120 in A, 121 in B", said)
        self.assertRegex(said, r"At tick 76 \d+ of 250 agents differ")
        self.assertRegex(said, r"Behaviors of agent \d+ whose force from tick 75 to 76 differs:\n  flock: A ")
        found = json.loads(self.expect(1, "diff", "--json", self.good, other))
        self.assertEqual([row["behavior"] for row in found["forces"]], found["behaviors"])
        line = re.search(r"flock: A (\S+), (\S+), B (\S+), (\S+)\n", said)
        for value, wanted in zip([*found["forces"][0]["A"], *found["forces"][0]["B"]], line.groups(), strict=True):
            self.assertAlmostEqual(value, float(wanted), delta=1e-5 * abs(value))

    def test_a_planted_bit_is_found_by_the_other_program(self):
        begun = time.monotonic()
        said = self.expect(1, "diff", self.good, "--with", PLANTED)
        print(f"\nfound in {time.monotonic() - begun:.2f} s")
        self.assertIn(f"the same to tick {FAULT_TICK - 1}, differ at tick {FAULT_TICK}.", said)
        self.assertIn(f"At tick {FAULT_TICK} 1 of 253 agents differs:", said)
        found = re.findall(r"  agent (\d+): ([\w.]+): A \S+ \((\w{8})\), B \S+ \((\w{8})\)", said)
        self.assertEqual([row[:2] for row in found], [(str(FAULT_AGENT), "vx")])
        self.assertEqual(int(found[0][2], 16) ^ int(found[0][3], 16), 1)
        self.assertIn("none of its", said)

    def test_the_cut_shows_the_same_fault(self):
        cut = self.folder / "cut.drover"
        self.assertIn("Wrote ticks 77 to 197", self.expect(1, "diff", self.good, "--with", PLANTED, "--cut", cut))
        self.assertIn("all the same", self.expect(0, "verify", cut))
        said = self.expect(1, "diff", cut, "--with", PLANTED)
        self.assertIn(f"differ at tick {FAULT_TICK}.", said)
        self.assertIn(f"agent {FAULT_AGENT}: vx", said)

    def test_a_desync_in_one_of_two_recorded_runs(self):
        bad = make(self.folder / "bad.drover", fault=(FAULT_TICK, FAULT_AGENT))
        cut = self.folder / "bad_cut.drover"
        said = self.expect(1, "diff", self.good, bad, "--cut", cut)
        self.assertIn("Recorded hashes: the same to tick 120, differ at tick 180", said)
        self.assertIn("good.drover: all 2 hashes are the same.", said)
        self.assertIn(f"bad.drover: core {CORE}: the same to tick 120", said)
        self.assertIn("not further, as the recorded hashes differ there", said)
        self.assertRegex(said, r"So the file \S+bad.drover is wrong there, not the simulation")
        self.assertIn("differs at tick 180", self.expect(1, "verify", cut))

    def test_states_have_their_names(self):
        one, other = self.folder / "hunters.drover", self.folder / "hunters_changed.drover"
        hunters = make(self.folder / "hunt.drover", scenario="scenarios/hunters_and_prey.json", inputs="")
        self.expect(0, "cut", hunters, one, "--from", 200, "--to", 200)
        lines = list(map(json.loads, one.read_text(encoding="utf-8").splitlines()))
        line = next(line for line in lines if line["op"] == "checkpoint")
        states = bytearray(base64.b64decode(line["columns"]["state"]))
        states[10] = 1 - min(states[10], 1)
        line["columns"]["state"] = base64.b64encode(states).decode()
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        other.write_text(sealed(text), encoding="utf-8")
        said = drover("verify", other)
        computed = re.search(r"the world has (\w{16}), not (\w{16})", said.stdout + said.stderr)
        other.write_text(sealed(text.replace(computed[2], computed[1])), encoding="utf-8")
        said = self.expect(1, "diff", one, other)
        names = {state["name"] for kind in json.loads((ROOT / "scenarios/hunters_and_prey.json").read_text(encoding="utf-8"))["kinds"].values()
                 for state in kind.get("states", [])}
        found = re.search(r"agent 11: state: A (\w+), B (\w+)\n", said)
        self.assertLessEqual({found[1], found[2]}, names, said)

    def test_json(self):
        """One object: what is recorded, where the runs part and by what, agents with both values, behaviors."""
        found = json.loads(self.expect(0, "diff", "--json", self.good, self.good))
        self.assertEqual((found["same"], found["inputs_differ"], found["same_inputs"], found["same_to_tick"]), (True, False, 4, 300))
        other = make(self.folder / "other.drover", inputs=INPUTS.replace("120}", "121}"))
        found = json.loads(self.expect(1, "diff", "--json", self.good, other))
        self.assertEqual((found["same"], found["inputs_differ"], found["same_inputs"]), (False, True, 1))
        self.assertEqual(found["parting"], {"by": "requests", "world": 1, "tick": 75})
        self.assertEqual(found["difference"]["others"], [{"what": "parameter bird.max_speed", "A": "120", "B": "121"}])
        self.assertEqual((found["first_agents"]["tick"], found["behaviors"]), (76, ["flock"]))
        found = json.loads(self.expect(1, "diff", "--json", self.good, "--with", PLANTED))
        self.assertEqual((found["parting"]["by"], found["parting"]["tick"]), ("tick", FAULT_TICK))
        agent = found["difference"]["agents"][0]
        self.assertEqual((agent["id"], agent["values"][0]["field"], found["behaviors"]), (FAULT_AGENT, "vx", []))
        bad = make(self.folder / "bad.drover", fault=(FAULT_TICK, FAULT_AGENT))
        found = json.loads(self.expect(1, "diff", "--json", self.good, bad, "--cut", self.folder / "cut_json.drover"))
        self.assertEqual((found["recorded"]["same_to_tick"], found["recorded"]["tick"]), (120, 180))
        self.assertEqual(["difference" in row for row in found["simulated_again"]], [False, True])
        self.assertEqual(found["simulated_again"][1]["difference"]["tick"], 180)
        other = make(self.folder / "seek.drover", scenario="scenarios/seek.json", inputs="")
        found = json.loads(self.expect(1, "diff", "--json", self.good, other))
        self.assertEqual((found["parting"]["by"], found["scenarios_differ"]), ("world", True))

    def test_programs_that_are_no_drover(self):
        for program in ("/bin/true", "/nowhere/drover"):
            self.assertIn(program, self.expect(1, "diff", self.good, "--with", program))

    def test_another_scenario(self):
        other = make(self.folder / "seek.drover", scenario="scenarios/seek.json", inputs="")
        said = self.expect(1, "diff", self.good, other)
        self.assertIn("The worlds differ from the start", said)
        self.assertIn("A: flock, seed 4, 60 ticks a second", said)
        self.assertIn("B: seek, seed", said)

    def test_two_saves_and_two_starts_of_which_one_bit_differs(self):
        for ticks in ((), ("--to", 170)):
            one = self.folder / "one.drover"
            self.expect(0, "cut", self.good, one, "--from", 130, "--replace", *ticks)
            if not ticks:
                one = self.save()
            other = self.flipped("another.drover", source=one)
            said = drover("verify", other)
            computed = re.search(r"the world has (\w{16}), not (\w{16})", said.stdout + said.stderr)
            other.write_text(sealed(other.read_text(encoding="utf-8").replace(computed[2], computed[1])), encoding="utf-8")
            cut = self.folder / "starts.drover"
            said = self.expect(1, "diff", one, other, "--cut", cut, "--replace")
            self.assertIn("At tick 130 1 of 250 agents differs:", said)
            found = re.findall(r"  agent (\d+): ([\w.]+): A \S+ \((\w{8})\), B \S+ \((\w{8})\)", said)
            self.assertEqual([row[:2] for row in found], [("18", "vx")])
            self.assertEqual(int(found[0][2], 16) ^ int(found[0][3], 16), 1)
            facts = json.loads(self.expect(0, "info", "--json", cut))
            wrote = re.search(r"Wrote ticks (\d+) to (\d+)", said)
            self.assertEqual((int(wrote[1]), int(wrote[2])), (facts["worlds"][0]["first_tick"], facts["last_tick"]))


class Import(Case):
    """Floor plans in WKT."""
    HALL = "POLYGON ((-5 0, 20 0, 20 10, -5 10, -5 0), (2 4, 4 4, 4 6, 2 6, 2 4))"

    def plan(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_a_floor_with_a_pillar_and_an_exit(self):
        hall, door = self.plan("hall.wkt", self.HALL), self.plan("exit.wkt", "POLYGON ((19 4, 20 4, 20 6, 19 6, 19 4))")
        out = self.folder / "hall.json"
        self.expect(0, "import", hall, door, "--margin", 1, "-o", out)
        scenario = json.loads(out.read_text(encoding="utf-8"))
        world = scenario["world"]
        self.assertEqual((world["size"], world["meter"]), ([27 * 25, 12 * 25], 25))
        self.assertEqual(world["walls"][0], [25, 275, 650, 275], "y points down")
        self.assertEqual(len(world["walls"]), 4)
        self.assertEqual(sorted(world["obstacles"][0]["polygon"]), sorted([[200, 175], [250, 175], [250, 125], [200, 125]]))
        self.assertEqual(list(world["areas"]), ["exit"])
        scenario["agents"] = [{"kind": "walker", "at": [375, 150]}]
        out.write_text(json.dumps(scenario), encoding="utf-8")
        recording = make(self.folder / "hall.drover", ticks=60, inputs="", scenario=out)
        first = self.expect(0, "export", "--trajectory", recording, "--left", -6, "--bottom", -1).splitlines()[2]
        self.assertEqual(first, "1 0 9.0000 5.0000 0", "the place in the plan's own meters")

    def test_solid_shapes_and_lines(self):
        plan = self.plan("solid.wkt", "GEOMETRYCOLLECTION (MULTIPOLYGON (((1 1, 2 1, 2 2, 1 1))), LINESTRING (0 0, 5 0, 5 5))")
        world = json.loads(self.expect(0, "import", "--solid", plan))["world"]
        self.assertEqual((len(world["obstacles"]), len(world["walls"])), (1, 2))

    def test_what_is_wrong_is_said_and_nothing_is_written(self):
        hall, out = self.plan("hall.wkt", self.HALL), self.folder / "never.json"
        circle = ", ".join(f"{math.cos(i / 100) * 9:.3f} {math.sin(i / 100) * 9:.3f}" for i in range(620))
        for text, words in (("POLYGON ((0 0, 1", "no WKT"), ("POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))", "Self-intersection"),
                            ("POLYGON EMPTY", "empty"), ("", "no WKT"), ("POINT (1 2)", "no floor"),
                            (f"POLYGON (({circle}, 9 0))", "--simplify")):
            self.assertIn(words, self.expect(1, "import", self.plan("wrong.wkt", text), "-o", out), text)
        self.assertIn("no area", self.expect(1, "import", hall, hall, "-o", out))
        self.assertIn("No such file", self.expect(1, "import", self.folder / "none.wkt", "-o", out))
        self.assertFalse(out.exists())
        self.expect(0, "import", "--simplify", 0.1, self.plan("round.wkt", f"POLYGON (({circle}, 9 0))"), "-o", out)
        self.assertLess(len(json.loads(out.read_text(encoding="utf-8"))["world"]["walls"]), 60)


class Cut(Case):
    def test_a_name_that_ends_in_zst_is_compressed(self):
        packed, plain = self.folder / "part.drover.zst", self.folder / "plain.drover"
        self.expect(0, "cut", self.good, packed, "--from", 90)
        self.expect(0, "cut", self.good, plain, "--from", 90)
        self.assertEqual(packed.read_bytes()[:4], b"\x28\xb5\x2f\xfd")
        if shutil.which("zstd") is not None:
            self.assertEqual(subprocess.run(["zstd", "-dcq", str(packed)], capture_output=True, check=True).stdout, plain.read_bytes())
        self.assertIn("all the same", self.expect(0, "verify", packed))
        difference = self.folder / "difference.drover.zst"
        self.expect(1, "diff", self.good, "--with", PLANTED, "--cut", difference)
        self.assertEqual(difference.read_bytes()[:4], packed.read_bytes()[:4])

    def test_every_beginning_plays(self):
        part = self.folder / "part.drover"
        for first in (0, 1, 74, 75, 76, 119, 120, 121, 130, 299, 300):
            with self.subTest(first=first):
                self.expect(0, "cut", self.good, part, "--from", first, "--replace")
                self.expect(0, "verify", part)
                facts = json.loads(self.expect(0, "info", "--json", part))
                self.assertEqual((facts["worlds"][0]["first_tick"], facts["last_tick"]), (first, 300))
                self.assertEqual(facts["requests"], sum(tick >= first for tick in (75, 100, 130)))
                self.assertIn("where both recordings end", self.expect(0, "diff", part, part))

    def test_the_end_of_a_cut_has_the_hash_of_the_whole(self):
        part = self.folder / "end.drover"
        self.expect(0, "cut", self.good, part, "--from", 90, "--to", 180)
        self.assertIn("90 ticks, 3 hashes, all the same", self.expect(0, "verify", part))

    def test_files_are_not_lost(self):
        before = self.good.read_bytes()
        self.assertIn("--replace", self.expect(1, "cut", self.good, self.good))
        self.assertEqual(self.good.read_bytes(), before)
        self.expect(1, "cut", self.good, self.folder / "nowhere" / "x")
        self.expect(1, "cut", self.good, self.folder / "late", "--from", 1000)
        self.assertFalse((self.folder / "late").exists())


class Export(Case):
    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.expect(0, "export", self.good))))
        self.assertEqual(list(rows[0]), "tick id kind state x y vx vy heading stamina".split())
        self.assertEqual(sorted({int(row["tick"]) for row in rows}), [0, 60, 120, 180, 240, 300])
        self.assertEqual(sum(row["tick"] == "300" for row in rows), 253)

    def test_ndjson_says_the_same(self):
        arguments = (self.good, "--from", 140, "--every", 70)
        rows = list(csv.DictReader(io.StringIO(self.expect(0, "export", *arguments))))
        objects = [json.loads(line) for line in self.expect(0, "export", "--ndjson", *arguments).splitlines()]
        self.assertEqual([{key: str(value) for key, value in row.items()} for row in objects], rows)
        self.assertEqual({row["tick"] for row in objects}, {140, 210, 280})

    def test_some_fields_of_some_ticks_into_a_file(self):
        out = self.folder / "out.csv"
        self.expect(0, "export", self.good, "--from", 3, "--to", 5, "--every", 1, "--fields", "id,tick,vx", "-o", out)
        lines = out.read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0], "id,tick,vx")
        self.assertEqual(len(lines), 1 + 3 * 250)
        self.assertIn("--replace", self.expect(1, "export", self.good, "--output", out))
        self.expect(0, "export", self.good, "--output", out, "--replace")

    def test_a_trajectory_is_in_meters_with_y_upwards(self):
        self.assertIn("no scale", self.expect(1, "export", "--trajectory", self.good))
        px = list(csv.DictReader(io.StringIO(self.expect(0, "export", self.good, "--from", 60, "--every", 6))))
        height = json.loads((ROOT / "scenarios/flock.json").read_text(encoding="utf-8"))["world"]["size"][1]
        lines = self.expect(0, "export", "--trajectory", self.good, "--scale", 20, "--left", -5, "--bottom", 2.5, "--from", 60).splitlines()
        self.assertEqual(lines[:2], ["# framerate: 10.000000", "# id frame x/m y/m z/m"])
        self.assertEqual(len(lines) - 2, len(px))
        for row, line in zip(px, lines[2:]):
            number, frame, x, y, z = line.split()
            self.assertEqual((number, int(frame) * 6 + 60, z), (row["id"], int(row["tick"]), "0"))
            self.assertAlmostEqual(float(x), float(row["x"]) / 20 - 5, 3)
            self.assertAlmostEqual(float(y), (height - float(row["y"])) / 20 + 2.5, 3)

    def test_meters(self):
        px = next(csv.DictReader(io.StringIO(self.expect(0, "export", self.good))))
        meters = next(csv.DictReader(io.StringIO(self.expect(0, "export", "--meters", "--scale", 20, self.good))))
        self.assertEqual(list(meters), "tick id kind state x_m y_m vx_m_s vy_m_s heading stamina".split())
        self.assertAlmostEqual(float(meters["vx_m_s"]), float(px["vx"]) / 20, 5)
        for wrong in (["--scale", 20], ["--left", 1], ["--trajectory", "--csv"], ["--trajectory", "--fields", "x"]):
            self.expect(2, "export", self.good, *wrong)

    def test_a_saved_world_is_one_tick(self):
        rows = list(csv.DictReader(io.StringIO(self.expect(0, "export", self.save()))))
        self.assertEqual({row["tick"] for row in rows}, {"130"})
        self.assertEqual(len(rows), 250)

    def test_a_reader_that_goes_ends_it(self):
        with subprocess.Popen([TOOL, "export", str(self.good), "--every", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            child.stdout.readline()
            child.stdout.close()
            self.assertEqual((child.wait(PATIENCE_S), child.stderr.read()), (0, b""))

    def test_a_reader_that_was_never_there(self):
        """The exit code is 0 in all commands, whatever writes their output."""
        for arguments in (["export", self.good], ["export", "--ndjson", self.good], ["info", self.good], ["verify", self.good],
                          ["diff", self.good, self.good], ["cut", self.good, "-"], ["help"], ["--help"], ["--version"], ["verify", "--help"],
                          ["completion", "bash"]):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([TOOL, *map(str, arguments)], stdout=writer, stderr=subprocess.PIPE, timeout=PATIENCE_S, check=False)
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)

    def test_compressed(self):
        if shutil.which("zstd") is None:
            self.skipTest("no zstd")
        packed = self.folder / "packed.drover.zst"
        subprocess.run(["zstd", "-q", "-f", str(self.good), "-o", str(packed)], check=True)
        self.assertIn("all the same", self.expect(0, "verify", packed))


class OtherCores(Case):
    def test_a_recording_of_another_core_is_refused(self):
        other = self.folder / "core.drover"
        other.write_text(self.good.read_text(encoding="utf-8").replace(f'"format":1,"core":{CORE}', '"format":1,"core":99'), encoding="utf-8")
        self.assertIn("core 99", self.expect(0, "info", other))
        for command in (["verify", other], ["export", other], ["cut", other, "-"], ["diff", other, self.good]):
            said = self.expect(1, *command)
            self.assertIn("core 99", said)
            self.assertIn("--anyway", said)
        self.assertIn("all the same", self.expect(0, "verify", other, "--anyway"))
        self.assertIn("core 99", self.expect(1, "diff", other, "--with", PLANTED))
        self.assertIn(f"agent {FAULT_AGENT}: vx", self.expect(1, "diff", other, "--with", PLANTED, "--anyway"))


class Recorded(Case):
    """What the server records."""

    def test_a_run_of_the_server(self):
        for name in ("run.drover", "run.drover.zst"):
            path = self.folder / name
            with Server("--record", str(path), "flock") as server, server.connect() as client:
                client.request("hello", name="Ann")
                client.request("pause")
                client.request("set_param", kind="bird", param="max_speed", value=150)
                client.request("step", count=150)
                client.request("spawn", kind="bird", count=5)
                client.request("step", count=100)
                client.request("load", scenario="seek_and_flee")
                client.request("step", count=100)
            facts = json.loads(self.expect(0, "info", "--json", path))
            self.assertEqual(facts["ops"], {"set_param": 1, "spawn": 1})
            self.assertEqual([world["scenario"] for world in facts["worlds"]], ["flock", "seek_and_flee"])
            self.assertTrue(facts["ended"])
            self.assertIn("all the same", self.expect(0, "verify", path))
            said = self.expect(1, "diff", path, "--with", PLANTED)
            self.assertIn(f"agent {FAULT_AGENT}: vx", said)


    def test_the_journals_of_a_state_folder(self):
        folder = self.folder / "state"
        for _ in range(2):
            with Server("--state", str(folder), "--keep", "all", "--paused", "flock") as server, server.connect() as client:
                client.request("set_param", kind="bird", param="max_speed", value=150)
                client.request("spawn", kind="bird", count=5)
                client.request("step", count=130)
        journals = sorted(folder.glob("journal-*.drover"))
        self.assertGreaterEqual(len(journals), 2)
        for journal in (folder, journals[-1]):  # SIGTERM ends a journal with a checkpoint
            self.assertIn("; ended in order: with a checkpoint", self.expect(0, "info", journal))
            self.assertTrue(json.loads(self.expect(0, "info", "--json", journal))["ended"])
        self.assertIn("260 ticks", self.expect(0, "verify", *journals))
        pieces = self.expect(0, "verify", *journals, self.good).splitlines()
        self.assertEqual([" 260 ticks" in pieces[0], "good.drover" in pieces[1], len(pieces)], [True, True, 2])
        self.assertIn("all the same", self.expect(0, "verify", *journals))

    def test_a_folder_and_one_of_its_files(self):
        """A folder is the recording of all its files; of a file that begins in the middle, what follows its checkpoint."""
        folder = self.folder / "kept"
        options = ("--paused", "--state", str(folder), "--checkpoint-every", "1", "--keep", "all")
        for _ in range(3):
            with Server(*options, "flock") as server, server.connect() as client:
                for _ in range(3):
                    client.request("spawn", kind="bird", count=2)
                    client.request("step", count=80)
        self.assertRegex(self.expect(0, "verify", folder), r"kept: core \d+: 720 ticks, \d+ hashes, all the same")
        self.assertIn("ticks 0 to 720", self.expect(0, "info", f"{folder}/"))
        self.assertIn("requests      9: spawn 9", self.expect(0, "info", folder))
        self.assertIn("Simulated: the same to tick 720", self.expect(0, "diff", folder, "--with", TOOL))
        self.assertEqual(self.expect(0, "export", folder, "--every", 720, "--fields", "tick").split()[-1], "720")
        journals = sorted(folder.glob("journal-*.drover"))
        self.assertIn("requests", self.expect(0, "info", journals[-1]))
        self.assertIn("whose hash is right", self.expect(0, "verify", journals[-1]))  # its last line is a checkpoint
        for journal in journals[1:-1]:
            number = journal.name.split("-")[1]
            if not journal.read_text(encoding="utf-8").count('"op":"checkpoint"'):
                self.assertRegex(self.expect(1, "verify", journal), "begins in the middle of world 1, at tick [0-9]+, .* checkpoint")
            self.assertIn("all the same", self.expect(0, "verify", folder / f"checkpoint-{number}", *journals[journals.index(journal):]))
        journals[1].unlink()
        for command in ("verify", "info", "export"):
            self.assertIn(f"{journals[1].name} is missing", self.expect(1, command, folder))
        self.assertIn("no journal", self.expect(1, "verify", folder / "saves"))


    def test_a_gap(self):
        """A journal that ended and began again: what its world did meanwhile is not known, and nothing is said about it."""
        folder = self.folder / "gap"
        with Server("--state", str(folder), "--keep", "all", "--checkpoint-every", "1", "flock") as server, server.connect() as client:
            client.request("spawn", kind="bird", count=3)
            wait_for(lambda: client.request("stats")["journal"]["synced_tick"] > 30, "ticks on disk")
            unlimited = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (0, unlimited[1]))
            wait_for(lambda: "ended" in client.request("stats")["journal"], "the end of the journal")
            self.assertEqual(client.request("spawn", kind="bird", count=5)["op"], "reply")
            tick = client.request("ping")["tick"]
            wait_for(lambda: client.request("ping")["tick"] > tick + 90, "ticks in the gap")
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, unlimited)
            wait_for(lambda: "ended" not in client.request("stats")["journal"], "a journal")
            client.request("spawn", kind="bird", count=7)
            client.request("pause")
            last = client.request("step", count=60)
        facts = json.loads(self.expect(0, "info", "--json", folder))
        self.assertEqual([gap["requests"] for gap in facts["gaps"]], [1])
        before, after = facts["gaps"][0]["after_tick"], facts["gaps"][0]["tick"]
        self.assertTrue(30 <= before <= tick < after, (before, tick, after))
        self.assertIn(f"gap           ticks {before}..{after} of world 1: in no file\n", self.expect(0, "info", folder))
        said = self.expect(0, "verify", folder)
        self.assertIn(f"gap {before}..{after}: what happened between these ticks, request 2 to 2, is in no file", said)
        self.assertRegex(said, rf"{before + last['tick'] - after} ticks, \d+ hash(es)?, all the same")
        written = drover("export", folder, "--every", 1, "--fields", "tick")
        self.assertEqual(sorted(set(map(int, written.stdout.split()[1:]))),
                         [*range(before + 1), *range(after, last["tick"] + 1)])
        self.assertIn(f"gap {before}..{after}: ", written.stderr)
        self.assertIn("is in no file", self.expect(1, "cut", folder, "-", "--from", before - 10))
        self.assertIn("in a gap", self.expect(1, "cut", folder, "-", "--from", after - 5))
        part = self.folder / "behind.drover"
        self.expect(0, "cut", folder, part, "--from", after + 5)
        self.assertIn("all the same", self.expect(0, "verify", part))


class Readme(Case):
    """The commands of "Keep it" in README.md, in order, from an empty folder; a server runs for a second of its world."""

    def test_every_command_works_as_printed(self):
        section = re.search(r"^## Keep it\n(.*?)^## ", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)[1]
        commands = [line.split("#")[0].split() for line in re.findall(r"^    (drover.*)$", section, re.M)]
        self.assertEqual(len(commands), 8)
        place = self.folder / "keep"
        place.mkdir()
        for program, *arguments in commands:
            with self.subTest(program=program, arguments=arguments):
                if program == "drover-server":
                    self.serve(place, arguments)
                elif program == "drover":
                    result = drover(*arguments, cwd=place)
                    self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
                else:  # tested with the viewer's windows
                    self.assertTrue((place / arguments[0]).exists())
        self.assertGreater(len((place / "run.csv").read_text(encoding="utf-8").splitlines()), 250)
        self.assertIn("all the same", drover("verify", "world", cwd=place).stdout)

    def serve(self, place, arguments):
        with subprocess.Popen([server_binary(), *arguments, "--port", "0"], cwd=place, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as server:
            port = re.search(r"listening on .*:(\d+)$", server.stdout.readline())[1]
            with Client(int(port)) as client:
                wait_for(lambda: client.request("ping")["tick"] >= client.hello["tick"] + 60, "a second of the world")
            server.send_signal(signal.SIGINT)
            said = server.communicate(timeout=PATIENCE_S)[1]
            self.assertEqual(server.returncode, 0, said)


class Terminal(Case):
    def test_progress_and_interrupt(self):
        long = make(self.folder / "long.drover", ticks=200, inputs="", scenario="scenarios/flock.json")
        # An hour of ticks that nothing was recorded about: the recording says how far the world got.
        lines = long.read_text(encoding="utf-8").splitlines(True)
        lines[-2:] = [re.sub(r'"tick":\d+', '"tick":2000000', line) for line in lines[-2:]]
        long.write_text("".join(lines), encoding="utf-8")
        out = self.folder / "long.csv"
        master, slave = pty.openpty()
        with subprocess.Popen([TOOL, "export", str(long), "-o", str(out)], stderr=slave) as child:
            os.close(slave)
            said = b""
            while b"left" not in said:
                said += os.read(master, 1000)
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(PATIENCE_S), 130)
        os.close(master)
        self.assertRegex(said.decode(), r"export \[#*\.+\] +\d+ %  \d+:\d\d")
        self.assertEqual([path.name for path in self.folder.glob("long.csv*")], [])

    def test_no_progress_without_a_terminal(self):
        self.assertEqual(drover("verify", self.good).stderr, "")


class Broken(Case):
    def test_every_byte_replaced(self):
        """0 or 1, and a sentence when it is 1; the sanitizers of the build find the rest."""
        small = make(self.folder / "small.drover", ticks=6, hash_every=2, checkpoint_every=4, scenario="scenarios/seek.json",
                     inputs='3 3 {"op":"set_target","name":"mouse","x":10,"y":20}\n').read_bytes()
        rng = random.Random(7)
        broken = self.folder / "broken.drover"
        every = 1 if FULL else 7 if SLOW else 61
        for at in range(rng.randrange(every), len(small), every):
            broken.write_bytes(small[:at] + bytes([rng.randrange(256)]) + small[at + 1:])
            command = ("info", "verify", "export")[at % 3]
            result = drover(command, broken, errors="replace")
            self.assertIn(result.returncode, (0, 1), (at, result.stdout, result.stderr))
            if result.returncode == 1:
                self.assertTrue(result.stderr.startswith("drover: ") or re.search("differs|no hash|damaged", result.stdout),
                                (at, result.stdout, result.stderr))

    def test_a_cut_anywhere(self):
        whole = self.good.read_bytes()
        broken = self.folder / "short.drover"
        for at in random.Random(3).sample(range(len(whole)), 300 if FULL else 60 if SLOW else 10):
            broken.write_bytes(whole[:at])
            self.assertIn(drover("verify", broken).returncode, (0, 1), at)


if __name__ == "__main__":
    unittest.main()
