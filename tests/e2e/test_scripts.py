"""The examples of README.md, run unchanged against a real server.

Every block whose first line ends in test=NAME is executed (or, for a scenario, served); the check of that name below states
the expected result. A block without a check, and a check without a block, are failures. They run in a quiet world, in one that
sends long lines, and in one that sends events among the snapshots. The commands that docs/, protocol.md and ./dev suggest are tested here as well.
"""

import csv
import json
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile
import unittest

from drover_client import ROOT, Case, Server, parse_checked

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = {m[2]: (m[1], m[3]) for m in re.finditer(r"^```(\w+) test=(\w+)\n(.*?)^```$", README, re.M | re.S)}


class Examples(Case):
    WORLD = "flock"  # the scenario that README names; its snapshots are longer than the read-ahead of a file object

    def run_block(self, name, server, more=""):
        language, text = BLOCKS[name]
        text += more
        command = {"bash": ["bash", "-u", "-c"], "python": [sys.executable, "-W", "error::SyntaxWarning", "-c"]}
        tools = f"{pathlib.Path(os.environ['DROVER_TOOL']).parent}:{os.environ['PATH']}"
        environment = {**os.environ, "PORT": str(server.port), "DROVER_SERVER": f"127.0.0.1:{server.port}", "PATH": tools,
                       "PYTHONPATH": str(ROOT / "clients/python")}
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run([*command[language], text], capture_output=True, text=True, timeout=60, env=environment, cwd=folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""), f"README.md, {name}: {result.stdout}")
        return result.stdout.splitlines()

    def messages(self, name, server):
        return [parse_checked(line.encode()) for line in self.run_block(name, server)]

    def setUp(self):
        self.server = Server(self.WORLD)

    def tearDown(self):
        with self.server:
            pass

    def target(self):
        with self.server.connect() as client:
            target = client.request("list", what="targets")["targets"][0]
            return target["x"], target["y"]

    # --- the program for the shell

    def test_drover(self):
        rows = self.run_block("drover", self.server)
        self.assertEqual(len(json.loads(rows[0])), 3)
        replies = [parse_checked(row.encode()) for row in rows[1:]]
        self.assertEqual([reply["to"] for reply in replies], ["set_target", "pause", "step", "resume"])
        self.assertEqual(replies[2]["tick"] - replies[1]["tick"], 60)
        self.assertEqual(self.target(), (100, 50))
        self.check_runs()

    def test_drover_run(self):
        summary, *table = self.run_block("drover_run", self.server)
        self.assertIn("6 runs, 6 rows", summary)
        rows = list(csv.DictReader(table))
        self.assertEqual([(row["seed"], row["bird.max_speed"]) for row in rows],
                         [(seed, speed) for speed in ("80", "120") for seed in ("1", "2", "3")])
        self.assertTrue(all(0 < float(row["polarization"]) <= 1 for row in rows))

    # --- bash and nc

    def test_bash_watch(self):
        messages = self.messages("bash_watch", self.server)
        self.assertEqual([m["op"] for m in messages if m["op"] != "event"],
                         ["hello", "reply"] + ["snapshot"] * (3 - sum(m["op"] == "event" for m in messages)))
        self.assertEqual(len(messages), 5)
        self.assertLess(messages[2]["tick"], messages[4]["tick"])

    def test_bash_target(self):
        messages = self.messages("bash_target", self.server)
        self.assertEqual([m["op"] for m in messages], ["hello", "reply", "bye"])
        self.assertEqual((messages[1]["x"], messages[1]["y"]), (100, 50))
        self.assertEqual(self.target(), (100, 50))

    def test_bash_step(self):
        messages = self.messages("bash_step", self.server)
        replies = [m for m in messages if m.get("to") == "step"]
        self.assertEqual([m["id"] for m in replies], [1, 2])
        self.assertEqual(replies[1]["tick"] - replies[0]["tick"], 1)
        self.check_runs()

    def check_runs(self):
        with self.server.connect() as client:
            self.assertFalse(client.hello["paused"], "the example leaves the world running")

    # --- jq

    def test_jq_watch(self):
        rows = [json.loads(line) for line in self.run_block("jq_watch", self.server)]
        self.assertEqual(len(rows), 10)
        self.assertEqual([row[0] for row in rows], sorted({row[0] for row in rows}))
        self.assertTrue(all(len(row) == 3 for row in rows))
        self.assertNotEqual(rows[0][1:], rows[-1][1:], "the agent moves")

    def test_jq_target(self):
        before = self.target()
        self.assertEqual([json.loads(line) for line in self.run_block("jq_target", self.server)],
                         [{"x": before[0] + 10, "y": before[1]}])
        self.assertEqual(self.target(), (before[0] + 10, before[1]))

    def test_jq_step(self):
        rows = [line.split(" ") for line in self.run_block("jq_step", self.server)]
        self.assertEqual(int(rows[1][0]) - int(rows[0][0]), 1)
        self.assertTrue(all(re.fullmatch("[0-9a-f]{16}", row[1]) for row in rows))
        self.check_runs()

    # --- Python

    def test_python_package(self):
        rows = [row.split(" ") for row in self.run_block("python_package", self.server)]
        self.assertEqual([row[0] for row in rows], ["watched", "target", "stepped"])
        self.assertEqual(self.target(), (100, 50))
        self.check_runs()

    def test_python(self):
        rows = [line.split(" ") for line in self.run_block("python", self.server)]
        self.assertEqual([row[0] for row in rows], ["watched"] * 3 + ["target", "stepped"])
        self.assertEqual(rows[3], ["target", "100" if rows[3][1] == "100" else "100.0"])
        paused, stepped = int(rows[4][1]), int(rows[4][2])
        self.assertEqual((stepped - paused, rows[4][3]), (60, "reply"))
        self.assertEqual(self.target(), (100, 50))
        self.check_runs()

    def test_python_client_asks_while_snapshots_come(self):
        """No read-ahead is lost: three hundred replies among thirty snapshots a second, each in its turn."""
        more = """
ask(op="subscribe", hz=30)
for i in range(300):
    answer = ask(op="inspect", agent=1) if i % 2 else ask(op="ping", t0=i)
    assert answer["op"] == "reply" and answer.get("t0", i) == i, answer
print("asked", i + 1)
"""
        for _ in range(3):
            self.assertEqual(self.run_block("python", self.server, more)[-1], "asked 300")

    def test_python_takes_about_ten_lines(self):
        self.assertLessEqual(len(BLOCKS["python"][1].splitlines()), 12)


class ExamplesInAQuietWorld(Examples):
    WORLD = "seek"


class ExamplesAmongEvents(Examples):
    WORLD = "hunters_and_prey"


class Scenario(Case):
    def test_scenario(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "crowd.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(BLOCKS["scenario"][1])
            with Server("--paused", path) as server, server.connect() as client:
                kinds = {kind["name"]: kind["count"] for kind in client.hello["scenario"]["kinds"]}
                self.assertEqual(kinds, {"walker": 40, "shy": 3})
                self.assertEqual(client.request("step", count=600)["tick"], 600)
                snapshot = client.snapshot()
                for agent in snapshot["agents"]:
                    distance = ((agent["x"] - 400) ** 2 + (agent["y"] - 300) ** 2) ** 0.5
                    if agent["kind"] == "walker":
                        self.assertLess(distance, 20, "came to the target")
                    else:
                        self.assertGreater(distance, 150, "keeps away from it")


class Reference(Case):
    """The JSON of docs/scenarios.md: whole scenarios run unchanged, a part of one inside a scenario around it."""

    BLOCKS = re.findall(r"^```json\n(.*?)^```$", (ROOT / "docs/scenarios.md").read_text(encoding="utf-8"), re.M | re.S)

    def serve(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "page.json")
            path.write_text(text, encoding="utf-8")
            with Server("--paused", str(path)) as server, server.connect() as client:
                self.assertEqual(client.request("step", count=60)["tick"], 60)
                return client.hello["scenario"]

    def test_the_scenario_of_the_reference_runs(self):
        scenario = self.serve(self.BLOCKS[0])
        self.assertEqual((scenario["title"], scenario["seed"], scenario["edge"]), ("Moths", 7, "wrap"))
        self.assertEqual(scenario["targets"], ["mouse", "owl"])
        self.assertEqual([kind["count"] for kind in scenario["kinds"]], [61])

    def test_every_other_block_runs(self):
        self.assertGreaterEqual(len(self.BLOCKS), 3)
        for text in self.BLOCKS[1:]:
            with self.subTest(text=text[:60]):
                world = "" if '"world":' in text else '"world": {"size": [800, 500]}, "agents": [{"kind": "one", "at": [9, 9]}],'
                around = '{"name": "A page", "kinds": {"one": {}},' + world
                scenario = self.serve(text if text.startswith("{") else around + text + "}")
                self.assertGreaterEqual(len(scenario["kinds"]), 1)


class Typed(Case):
    """The commands that a page suggests, typed."""

    def test_the_hint_of_dev_demo(self):
        hint = re.search(r"^  connect      (exec .*)$", (ROOT / "dev").read_text(encoding="utf-8"), re.M)[1]
        for world in ("flock", "hunters_and_prey"):
            with Server(world) as server:
                result = subprocess.run(["bash", "-u", "-c", f"at=127.0.0.1:{server.port}; {hint}"], capture_output=True, text=True,
                                        timeout=60, check=True)
            hello, reply = (parse_checked(line.encode()) for line in result.stdout.splitlines())
            self.assertEqual((hello["op"], reply["to"]), ("hello", "list"))
            self.assertIn("flock", {row["name"] for row in reply["scenarios"]})

    def test_the_start_of_the_protocol_page(self):
        """nc with its input left open, as at a terminal: each line is answered when it is typed."""
        page = (ROOT / "protocol.md").read_text(encoding="utf-8")
        rows = re.search(r"^    \$ nc 127.0.0.1 7717\n((?:    .*\n)+)", page, re.M)[1].splitlines()
        expected = [json.loads(re.match(r"\{[^{}]*?(?=,\.\.\.\}|\})", row.strip())[0] + "}") for row in rows]
        self.assertEqual([m["op"] for m in expected], ["hello", "step", "reply"])
        with Server("seek", "--paused") as server:
            with subprocess.Popen(["nc", "127.0.0.1", str(server.port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as nc:
                hello = self.line_of(nc)
                nc.stdin.write(json.dumps(expected[1]).encode() + b"\n")
                nc.stdin.flush()
                reply = self.line_of(nc)
                nc.terminate()
        for shown, came in ((expected[0], hello), (expected[2], reply)):
            self.assertLessEqual(shown.items(), came.items())

    def line_of(self, process):
        self.assertTrue(select.select([process.stdout], [], [], 30)[0], "nc shows nothing")
        return parse_checked(process.stdout.readline().rstrip(b"\n"))


class Complete(Case):
    def test_every_block_has_its_test(self):
        tests = {name[len("test_"):] for name in (*dir(Examples), *dir(Scenario)) if name.startswith("test_")}
        tests -= {"python_takes_about_ten_lines", "python_client_asks_while_snapshots_come"}
        self.assertEqual(tests, set(BLOCKS))

    def test_the_readme_starts_with_the_two_commands(self):
        commands = re.findall(r"^(\./dev \w+)", README, re.M)
        self.assertEqual(commands[:2], ["./dev demo", "./dev test"])

    def test_links_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)#]+)\)", README):
            self.assertTrue((ROOT / target).exists(), target)


if __name__ == "__main__":
    unittest.main()
