"""The examples of README.md, run as they stand there against a real server.

Every block whose first line ends in test=NAME is executed (or, for a scenario, served); the check of that name below says
what must come out. A block without a check, and a check without a block, are failures.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from drover_client import ROOT, Case, Server, parse_strict

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = {m[2]: (m[1], m[3]) for m in re.finditer(r"^```(\w+) test=(\w+)\n(.*?)^```$", README, re.M | re.S)}


class Examples(Case):
    def run_block(self, name, server):
        language, text = BLOCKS[name]
        command = {"bash": ["bash", "-u", "-c"], "python": [sys.executable, "-W", "error::SyntaxWarning", "-c"]}
        result = subprocess.run([*command[language], text], capture_output=True, text=True, timeout=60,
                                env={**os.environ, "PORT": str(server.port)})
        self.assertEqual((result.returncode, result.stderr), (0, ""), f"README.md, {name}: {result.stdout}")
        return result.stdout.splitlines()

    def messages(self, name, server):
        return [parse_strict(line.encode()) for line in self.run_block(name, server)]

    def setUp(self):
        self.server = Server("seek")

    def tearDown(self):
        with self.server:
            pass

    def target(self):
        with self.server.connect() as client:
            target = client.request("list", what="targets")["targets"][0]
            return target["x"], target["y"]

    # --- bash and nc

    def test_bash_watch(self):
        messages = self.messages("bash_watch", self.server)
        self.assertEqual([m["op"] for m in messages], ["hello", "reply"] + ["snapshot"] * 3)
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

    def test_python(self):
        rows = [line.split(" ") for line in self.run_block("python", self.server)]
        self.assertEqual([row[0] for row in rows], ["watched"] * 3 + ["target", "stepped"])
        self.assertEqual(rows[3], ["target", "100" if rows[3][1] == "100" else "100.0"])
        paused, stepped = int(rows[4][1]), int(rows[4][2])
        self.assertEqual((stepped - paused, rows[4][3]), (60, "reply"))
        self.assertEqual(self.target(), (100, 50))
        self.check_runs()

    def test_python_takes_about_ten_lines(self):
        self.assertLessEqual(len(BLOCKS["python"][1].splitlines()), 11)

    # --- the scenario

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
    def test_the_scenario_of_the_reference_runs(self):
        page = (ROOT / "docs/scenarios.md").read_text(encoding="utf-8")
        text = re.search(r"^```json\n(.*?)^```$", page, re.M | re.S)[1]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "moths.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            with Server("--paused", path) as server, server.connect() as client:
                scenario = client.hello["scenario"]
                self.assertEqual((scenario["title"], scenario["seed"], scenario["edge"]), ("Moths", 7, "wrap"))
                self.assertEqual(scenario["targets"], ["mouse", "owl"])
                self.assertEqual([kind["count"] for kind in scenario["kinds"]], [61])
                self.assertEqual(client.request("step", count=60)["tick"], 60)


class Complete(Case):
    def test_every_block_has_its_test(self):
        tests = {name[len("test_"):] for name in dir(Examples) if name.startswith("test_")} - {"python_takes_about_ten_lines"}
        self.assertEqual(tests, set(BLOCKS))

    def test_the_readme_starts_with_the_two_commands(self):
        commands = re.findall(r"^(\./dev \w+)", README, re.M)
        self.assertEqual(commands[:2], ["./dev demo", "./dev test"])

    def test_links_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)#]+)\)", README):
            self.assertTrue((ROOT / target).exists(), target)


if __name__ == "__main__":
    unittest.main()
