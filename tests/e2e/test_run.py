"""drover run: the same bytes whatever the jobs, the kills and the resumptions; hashes beside a server's; its refusals."""

import contextlib
import csv
import json
import os
import pathlib
import pty
import random
import re
import resource
import select
import signal
import subprocess
import tempfile
import time
import unittest

from drover_client import ROOT, Server

TOOL = os.environ.get("DROVER_TOOL", str(ROOT / "build/asan/bin/drover"))
PATIENCE_S = 120
SLOW = os.environ.get("DROVER_SLOW") == "1"
RESULTS = ("runs.csv", "runs.ndjson", "plan.ndjson")
BUSY = ("hunters_and_prey", "--seed", "1..4", "--set", "hunter.max_speed=90,110", "--ticks", "90", "--every", "30")


def start(*arguments, **options):
    return subprocess.Popen([TOOL, "run", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def end(process):
    """(exit code, standard output, standard error)"""
    with process:
        try:
            out, complaint = process.communicate(timeout=4 * PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return process.returncode, out, complaint


def children(process):
    """The processes of the runs that go on."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == process.pid and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def wait_until(condition, what):
    until = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > until:
            raise AssertionError(f"not within {PATIENCE_S} s: {what}")
        time.sleep(0.005)


def contents(folder):
    return {name: (folder / name).read_bytes() for name in RESULTS}


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def done_lines(folder):
    return {line["run"]: line for part in folder.glob("part-*.ndjson") for line in lines(part) if line["op"] == "done"}


class Case(unittest.TestCase):
    def setUp(self):
        keeper = tempfile.TemporaryDirectory()
        self.addCleanup(keeper.cleanup)
        self.folder = pathlib.Path(keeper.name)

    def run_well(self, *arguments):
        code, out, complaint = end(start(*arguments))
        self.assertEqual((code, complaint), (0, ""), out)
        return out

    def refuse(self, code, *arguments):
        """The complaint, which is one line; nothing was run."""
        found, out, complaint = end(start(*arguments))
        self.assertEqual((found, out), (code, ""), complaint)
        self.assertEqual(complaint.count("\n"), 1, complaint)
        self.assertTrue(complaint.startswith("drover: "), complaint)
        return complaint


class Results(Case):
    def test_the_number_of_jobs_changes_no_byte(self):
        for jobs in (1, 2, 5):
            self.run_well(*BUSY, "--agents", "--jobs", jobs, "--out", self.folder / str(jobs))
        one, others = self.folder / "1", [self.folder / "2", self.folder / "5"]
        for other in others:
            self.assertEqual(contents(one), contents(other))
            for run in range(1, 9):
                name = f"agents-{run}.csv"
                self.assertEqual((one / name).read_bytes(), (other / name).read_bytes(), name)
        self.assertEqual(len(list(others[0].glob("part-*.ndjson"))), 2)

    def test_rows_are_in_the_order_of_runs_and_the_same_in_both_files(self):
        out = self.run_well(*BUSY, "--out", self.folder / "r", "--measure", "count,speed,caught")
        self.assertRegex(out, r"r/runs\.csv, .*r/runs\.ndjson: 8 runs, 32 rows; [0-9.]+ s, [0-9]+ ticks/s\n$")
        with open(self.folder / "r/runs.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        expected = [(str(run), str((run - 1) % 4 + 1), str([90, 110][(run - 1) // 4]), str(tick))
                    for run in range(1, 9) for tick in (0, 30, 60, 90)]
        self.assertEqual([(row["run"], row["seed"], row["hunter.max_speed"], row["tick"]) for row in rows], expected)
        for row, line in zip(rows, lines(self.folder / "r/runs.ndjson"), strict=True):
            self.assertEqual(list(row), list(line))
            self.assertEqual([None if text == "" else float(text) for text in row.values()], list(line.values()))
        states = [name for name in rows[0] if name.startswith("count.prey.")]
        self.assertGreater(len(states), 1)
        for row in rows:
            self.assertEqual(int(row["count"]), int(row["count.prey"]) + int(row["count.hunter"]))
            self.assertEqual(sum(int(row[name]) for name in states), int(row["count.prey"]))
            self.assertEqual(row["caught"], row["caught.hunter"])

    def test_json(self):
        arguments = ["seek", "--seed", "1..2", "--ticks", 30, "--every", 10, "--out", self.folder / "r", "--json"]
        said = json.loads(self.run_well(*arguments))
        self.assertGreater(said.pop("seconds"), 0)
        self.assertEqual(said, {"out": str(self.folder / "r"), "runs": 2, "failed": 0, "rows": 8, "ran": 2, "ticks": 60})
        said = json.loads(self.run_well(*arguments, "--resume"))
        self.assertEqual((said["runs"], said["rows"], said["ran"], said["ticks"]), (2, 8, 0, 0))

    def test_no_wall_time_is_in_the_results(self):
        self.run_well("seek", "--ticks", 30, "--out", self.folder / "r")
        done = done_lines(self.folder / "r")
        self.assertEqual(list(done[1]), ["op", "run", "tick", "hash", "seconds"])
        for name in RESULTS:
            self.assertNotIn("seconds", (self.folder / "r" / name).read_text().replace('"text":', ""), name)

    def test_agents_are_where_a_recording_has_them(self):
        self.run_well("flock", "--seed", "7,8", "--ticks", 40, "--every", 20, "--agents", "--record", "--out", self.folder / "r")
        said = subprocess.run([TOOL, "verify", self.folder / "r/run-2.drover"], capture_output=True, text=True, check=True, timeout=PATIENCE_S)
        self.assertIn("all the same", said.stdout)
        exported = subprocess.run([TOOL, "export", self.folder / "r/run-2.drover", "--every", "20", "--fields", "tick,id,kind,state,x,y,vx,vy"],
                                  capture_output=True, text=True, check=True, timeout=PATIENCE_S)
        self.assertEqual((self.folder / "r/agents-2.csv").read_text(), exported.stdout)

    def test_a_design(self):
        design = self.folder / "design.csv"
        design.write_text("seed,hunter.max_speed,prey.max_speed\n7,90,\n,,80.5\n", encoding="utf-8")
        self.run_well("hunters_and_prey", "--design", design, "--ticks", 2, "--measure", "count", "--out", self.folder / "r")
        rows = lines(self.folder / "r/runs.ndjson")
        seed = json.loads((ROOT / "scenarios/hunters_and_prey.json").read_text())["seed"]
        self.assertEqual([(row["seed"], row["hunter.max_speed"], row["prey.max_speed"]) for row in rows], [(7, 90, None), (seed, None, 80.5)])

    def test_until(self):
        self.run_well("hunters_and_prey", "--seconds", 60, "--until", "caught>=1", "--measure", "caught", "--out", self.folder / "r")
        row = lines(self.folder / "r/runs.ndjson")[0]
        self.assertGreaterEqual(row["caught"], 1)
        self.assertLess(row["tick"], 3600)
        self.assertEqual(done_lines(self.folder / "r")[1]["tick"], row["tick"])

    def test_until_is_first_asked_after_the_first_tick(self):
        self.run_well("hunters_and_prey", "--ticks", 5, "--until", "count.hunter.rest<3", "--measure", "count", "--every", 1, "--out", self.folder / "r")
        self.assertEqual([row["tick"] for row in lines(self.folder / "r/runs.ndjson")], [0, 1])
        self.run_well("hunters_and_prey", "--ticks", 5, "--until", "count.hunter.rest>=3", "--measure", "count", "--out", self.folder / "s")
        self.assertEqual([row["tick"] for row in lines(self.folder / "s/runs.ndjson")], [5])


class Hashes(Case):
    def test_a_run_has_the_hashes_of_a_server(self):
        self.run_well("hunters_and_prey", "--seed", "5..6", "--set", "hunter.max_speed=95.5", "--ticks", 130, "--out", self.folder / "r")
        done = done_lines(self.folder / "r")
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
            for run, seed in ((1, 5), (2, 6)):
                client.request("load", scenario="hunters_and_prey", seed=seed)
                client.request("set_param", kind="hunter", param="max_speed", value=95.5)
                self.assertEqual(client.request("step", count=130)["hash"], done[run]["hash"])

    def test_a_run_goes_on_where_a_recording_ends(self):
        self.run_well("hunters_and_prey", "--seed", 5, "--ticks", 130, "--out", self.folder / "whole")
        self.run_well("hunters_and_prey", "--seed", 5, "--ticks", 70, "--record", "--out", self.folder / "half")
        saved = self.folder / "half/run-1.drover"
        self.run_well("hunters_and_prey", "--from", saved, "--ticks", 60, "--record", "--out", self.folder / "rest")
        self.assertEqual(done_lines(self.folder / "rest")[1]["hash"], done_lines(self.folder / "whole")[1]["hash"])
        self.run_well("--from", saved, "--seed", "5..7", "--set", "prey.max_speed=80,90", "--ticks", 60, "--record", "--out", self.folder / "many")
        done = done_lines(self.folder / "many")
        self.assertEqual(len({line["hash"] for line in done.values()}), 6)
        self.assertEqual({line["tick"] for line in done.values()}, {130})
        for place in ("rest/run-1", "many/run-1", "many/run-6"):
            said = subprocess.run([TOOL, "verify", self.folder / f"{place}.drover"], capture_output=True, text=True, check=False, timeout=PATIENCE_S)
            self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertIn("not of flock", self.refuse(2, "flock", "--from", saved, "--out", self.folder / "no"))


class Kills(Case):
    """A folder whose program was ended in the middle, again and again, has the bytes of one that was not."""

    def setUp(self):
        super().setUp()
        self.run_well(*BUSY, "--jobs", 2, "--agents", "--out", self.folder / "whole")
        self.expected = contents(self.folder / "whole")
        self.dice = random.Random(20261122)

    def resume(self):
        # At its end LeakSanitizer has a child of its own, which may be the one that is killed; its parent would wait for ever.
        environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        return start(*BUSY, "--jobs", self.dice.choice((1, 2, 3)), "--agents", "--out", self.folder / "torn", "--resume", env=environment)

    def finish(self):
        code, _, complaint = end(self.resume())
        self.assertEqual(code, 0, complaint)
        self.assertEqual(contents(self.folder / "torn"), self.expected)
        for run in range(1, 9):
            self.assertEqual((self.folder / f"torn/agents-{run}.csv").read_bytes(), (self.folder / f"whole/agents-{run}.csv").read_bytes())

    def done(self):
        """The done lines of runs that are whole; the program may be writing."""
        found = set()
        for part in (self.folder / "torn").glob("part-*.ndjson"):
            found |= {int(run) for run in re.findall(r'^\{"op":"done","run":(\d+),"tick".*\}$', part.read_text(), re.M)}
        return found

    def test_of_the_program(self):
        for _ in range(40 if SLOW else 4):
            process = self.resume()
            time.sleep(self.dice.uniform(0.05, 0.6))
            runs = children(process)
            process.kill()
            self.assertIn(end(process)[0], (0, -signal.SIGKILL))
            before = self.done()
            wait_until(lambda runs=runs: not any(map(self.is_run, runs)), "runs end with their program")
            self.assertLessEqual(before, self.done())
        self.finish()

    @staticmethod
    def is_run(process):
        try:
            return str(TOOL).encode() in pathlib.Path(f"/proc/{process}/cmdline").read_bytes() # a zombie has none
        except OSError:
            return False

    def test_of_a_run(self):
        failed, wanted = 0, 20 if SLOW else 2
        for _ in range(50 * wanted):
            failed += self.kill_a_run()
            if failed == wanted:
                break
        self.assertEqual(failed, wanted)
        self.finish()

    def kill_a_run(self):
        """Whether one was killed in time; all is to do afterwards."""
        process = self.resume()
        wait_until(lambda: children(process) or process.poll() is not None, "a run goes on")
        time.sleep(self.dice.uniform(0.0, 0.1))
        for run in children(process)[:1]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(run, signal.SIGKILL)
        code, _, complaint = end(process)
        self.assertEqual(code, 1 if complaint else 0, complaint)
        if code == 1:
            self.assertRegex(complaint, r"^drover: run \d: ended by signal 9 \(Killed\)\ndrover: 1 of 8 runs failed; --resume tries them again\n$")
            errors = [line["error"] for line in done_lines(self.folder / "torn").values() if "error" in line]
            self.assertEqual(errors, ["ended by signal 9 (Killed)"])
            self.assertEqual(len({row["run"] for row in lines(self.folder / "torn/runs.ndjson")}), 7)
        for part in (self.folder / "torn").glob("part-*.ndjson"):
            part.unlink()
        return code

    def test_by_interrupts(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.resume()
            wait_until(lambda process=process: (self.done() and children(process)) or process.poll() is not None, "a run is done, and others go on")
            process.send_signal(number)
            code, out, complaint = end(process)
            if code != 0: # otherwise the signal came too late
                self.assertEqual((code, out), (130, ""), complaint)
                self.assertRegex(complaint, r"^drover: interrupted; \d of 8 runs are done, --resume does the others\n$")
            self.assertGreater(len(self.done()), 0)
        self.finish()

    def test_of_the_whole_group_of_processes(self):
        """Ctrl-C on a terminal reaches the runs as well."""
        with start(*BUSY, "--jobs", 2, "--agents", "--out", self.folder / "torn", start_new_session=True) as process:
            wait_until(lambda: self.done() or process.poll() is not None, "a run is done")
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
            code, _, complaint = end(process)
        self.assertIn(code, (0, 130), complaint)
        self.assertFalse([line for line in done_lines(self.folder / "torn").values() if "error" in line])
        self.finish()

    def test_torn_parts(self):
        code, _, complaint = end(self.resume())
        self.assertEqual(code, 0, complaint)
        part = self.folder / "torn/part-1.ndjson"
        whole = part.read_bytes()
        for cut in self.dice.sample(range(len(whole)), 40 if SLOW else 4):
            part.write_bytes(whole[:cut] + self.dice.choice((b"", b"\0\0\0", b'{"op":"row","run":1,"tick":0,"values":[1]}\n', b"\xff\n")))
            self.finish()
            whole = part.read_bytes()


class Refusals(Case):
    def test_a_folder_with_results_stays(self):
        out = self.folder / "r"
        self.run_well("seek", "--ticks", 30, "--out", out)
        before = {path.name: path.read_bytes() for path in out.iterdir()}
        self.assertIn("has results already; --resume goes on", self.refuse(1, "seek", "--ticks", 30, "--out", out))
        said = self.refuse(1, "seek", "--ticks", 31, "--out", out, "--resume")
        self.assertRegex(said, r'plan\.ndjson:5 says ".*"ticks":30.*", the command line ".*"ticks":31.*"; allowed: the same experiment')
        self.assertIn('"seed":2', self.refuse(1, "seek", "--seed", 2, "--ticks", 30, "--out", out, "--resume"))
        self.assertIn(':3 says', self.refuse(1, "arrive", "--ticks", 30, "--out", out, "--resume"))
        self.assertEqual({path.name: path.read_bytes() for path in out.iterdir()}, before)
        self.run_well("seek", "--ticks", 30, "--out", out, "--resume")
        self.assertEqual({path.name: path.read_bytes() for path in out.iterdir()}, before)

    def test_a_folder_of_something_else_stays(self):
        (self.folder / "mine.txt").write_text("mine")
        for more in ((), ("--resume",)):
            self.assertIn("has files that are not of drover run", self.refuse(1, "seek", "--ticks", 3, "--out", self.folder, *more))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["mine.txt"])
        self.assertIn("mine.txt", self.refuse(1, "seek", "--ticks", 3, "--out", self.folder / "mine.txt"))
        self.assertIn("none/r", self.refuse(1, "seek", "--ticks", 3, "--out", self.folder / "none/r"))

    def test_a_folder_has_one_program_at_a_time(self):
        out = self.folder / "r"
        with start("seek", "--seconds", 1000000, "--jobs", 1, "--out", out) as process:
            try:
                wait_until((out / "part-1.ndjson").exists, "the program works in the folder")
                self.assertIn("another drover run works in", self.refuse(1, "seek", "--seconds", 1000000, "--out", out, "--resume"))
            finally:
                process.send_signal(signal.SIGINT)
                self.assertEqual(end(process)[0], 130)

    def test_mistakes_on_the_command_line(self):
        out = self.folder / "r"
        design = self.folder / "d.csv"
        design.write_text("bird.max_speed,bird.mas\n1,\n", encoding="utf-8")
        for arguments, words in (
                (("seek",), "no folder for the results; allowed: --out DIR"),
                (("--out", out), "no scenario; allowed: a name, a file, or --from FILE"),
                (("sek", "--out", out), 'no scenario "sek" (did you mean "seek"?)'),
                (("flock", "--set", "bird.max_sped=3", "--out", out), '--set bird.max_sped: no parameter "max_sped" (did you mean "max_speed"?)'),
                (("flock", "--set", "brd.max_speed=3", "--out", out), 'no kind "brd" (did you mean "bird"?)'),
                (("flock", "--set", "bird.max_speed=3,-4", "--out", out), "--set bird.max_speed: max_speed -4 is out of range: 0 to 20000 px/s"),
                (("flock", "--set", "bird.max_speed=3", "--set", "bird.max_speed=4", "--out", out), "is set twice; allowed: once"),
                (("flock", "--seed", "1..", "--out", out), '--seed: "1.." is not understood'),
                (("hunters_and_prey", "--set", "hunter.pursue.max_prediction=1", "--out", out), 'did you mean "pursue/pursue.max_prediction"?'),
                (("doorway", "--set", "world.walls[2][0]=3", "--out", out), "run 1: world.walls[2][0]: nothing there; allowed: the path"),
                (("doorway", "--set", "world.walls[0]=3", "--out", out), "run 1: world.walls[0]: no number; allowed: the path"),
                (("doorway", "--set", "agents[0].count=3,-1", "--out", out), "run 2: agents[0].count: -1 is out of range: 1 to"),
                (("doorway", "--set", "wolrd.size[0]=3", "--out", out), 'no kind "wolrd"'),
                (("flock", "--design", design, "--out", out), 'd.csv:1:16: bird.mas: no parameter "mas" (did you mean "mass"?)'),
                (("flock", "--design", self.folder / "none.csv", "--out", out), "none.csv"),
                (("flock", "--measure", "polarisation", "--out", out), 'did you mean "polarization"?'),
                (("flock", "--until", "caught>", "--out", out), "--until: "),
                (("flock", "--from", self.folder / "none.drover", "--out", out), "none.drover"),
                (("flock", "boids", "--out", out), "expected [SCENARIO]"),
        ):
            with self.subTest(arguments=arguments):
                self.assertIn(words, self.refuse(2, *arguments))
        self.assertFalse(out.exists())

    def test_numbers_of_the_scenario_go_by_their_path(self):
        """Runs are those of files with these numbers, and so are recordings; the plan has the numbers."""
        world = json.loads((ROOT / "scenarios/doorway.json").read_text(encoding="utf-8"))
        out, sizes = self.folder / "r", [(200, 25), (280, 180)]
        design = self.folder / "d.csv"
        design.write_text("world.walls[0][3],agents[0].count,visitor.max_force\n200,25,100\n280,,\n", encoding="utf-8")
        self.run_well("doorway", "--design", design, "--ticks", 30, "--record", "--measure", "count", "--out", out)
        plan = [line for line in lines(out / "plan.ndjson") if line["op"] == "run"]
        self.assertEqual(plan[0], {"op": "run", "run": 1, "seed": 14, "world.walls[0][3]": 200, "agents[0].count": 25, "visitor.max_force": 100})
        self.assertEqual(plan[1], {"op": "run", "run": 2, "seed": 14, "world.walls[0][3]": 280})
        for number, (end_y, count) in enumerate(sizes, 1):
            world["world"]["walls"][0][3], world["agents"][0]["count"] = end_y, count
            file = self.folder / f"doorway_{number}.json"
            file.write_text(json.dumps(world), encoding="utf-8")
            same = self.folder / f"same_{number}"
            self.run_well(file, *(["--set", "visitor.max_force=100"] if number == 1 else []), "--ticks", 30, "--measure", "count", "--out", same)
            self.assertEqual(done_lines(out)[number]["hash"], done_lines(same)[1]["hash"])
            verified = subprocess.run([TOOL, "verify", out / f"run-{number}.drover"], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
            self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        rows = lines(out / "runs.ndjson")
        self.assertEqual([(row["count"], row["tick"], row["time"]) for row in rows], [(25, 30, 0.5), (180, 30, 0.5)])
        self.assertIn("the world of a recording is built, so agents[0].count can no more be set",
                      self.refuse(2, "--from", out / "run-1.drover", "--set", "agents[0].count=3", "--out", self.folder / "n"))

    def test_a_kind_that_is_called_as_a_part_comes_first(self):
        file = self.folder / "odd.json"
        file.write_text(json.dumps({"name": "odd", "world": {"size": [100, 100]}, "kinds": {"agents": {"max_speed": 5}},
                                    "agents": [{"kind": "agents", "count": 2, "at": [1, 1]}]}), encoding="utf-8")
        self.run_well(file, "--set", "agents.max_speed=7", "--set", "agents[0].count=3", "--ticks", 1, "--out", self.folder / "r")
        self.assertEqual(lines(self.folder / "r/runs.ndjson")[0]["count"], 3)

    def test_a_run_that_fails_leaves_the_others(self):
        out = self.folder / "r"
        self.run_well("seek", "--seed", "1..3", "--ticks", 3, "--agents", "--out", out)
        expected = contents(out)
        for part in out.glob("part-*.ndjson"):
            part.unlink()
        (out / "agents-2.csv.part").mkdir()
        code, _, complaint = end(start("seek", "--seed", "1..3", "--ticks", 3, "--agents", "--out", out, "--resume"))
        self.assertEqual(code, 1, complaint)
        self.assertRegex(complaint, r"^drover: run 2: .*agents-2\.csv: Is a directory\ndrover: 1 of 3 runs failed; --resume tries them again\n$")
        self.assertEqual([row["run"] for row in lines(out / "runs.ndjson")], [1, 3])
        self.assertIn("Is a directory", done_lines(out)[2]["error"])
        (out / "agents-2.csv.part").rmdir()
        self.run_well("seek", "--seed", "1..3", "--ticks", 3, "--agents", "--out", out, "--resume")
        self.assertEqual(contents(out), expected)

    def test_a_file_that_reaches_the_limit_of_the_system(self):
        out = self.folder / "r"
        arguments = ("seek", "--seed", "1..20", "--ticks", 3, "--out", out)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        code, _, complaint = end(start(*arguments, preexec_fn=limit))
        self.assertEqual(code, 1, complaint)
        self.assertIn("File too large", complaint)
        self.run_well(*arguments, "--resume")
        self.assertEqual(len(lines(out / "runs.ndjson")), 20)


class Terminal(Case):
    def watch(self, *arguments):
        """What the program writes to a terminal until the time left stands there; then it is interrupted."""
        leader, follower = pty.openpty()
        seen = b""
        with subprocess.Popen([TOOL, "run", *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=follower) as process:
            os.close(follower)
            until = time.monotonic() + PATIENCE_S
            while b" left" not in seen and time.monotonic() < until and select.select([leader], [], [], 1)[0]:
                seen += os.read(leader, 4096)
            process.send_signal(signal.SIGINT)
            try:
                while piece := os.read(leader, 4096):
                    seen += piece
            except OSError: # the end of a terminal
                pass
            process.wait(PATIENCE_S)
        os.close(leader)
        return process.returncode, seen.decode()

    def test_a_bar_and_the_time_left(self):
        code, seen = self.watch("seek", "--seed", "1..9999", "--ticks", 30, "--measure", "count", "--out", self.folder / "r")
        self.assertEqual(code, 130)
        self.assertRegex(seen, r"\rrun \d+/9999 \[[#.]{30}\] +\d+ %  [0-9:]+ left\x1b\[K")
        self.assertRegex(seen, r"\r\x1b\[Kdrover: interrupted; \d+ of 9999 runs are done, --resume does the others\r\n$")

    def test_a_file_gets_no_bar(self):
        code, _, complaint = end(start("seek", "--ticks", 30, "--out", self.folder / "r"))
        self.assertEqual((code, complaint), (0, ""))


if __name__ == "__main__":
    unittest.main()
