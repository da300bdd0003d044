"""docs/runs.md, executed: its commands in order in an empty folder; its tables beside the program's help and measures."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = os.environ.get("DROVER_TOOL", str(ROOT / "build/asan/bin/drover"))
PAGE = (ROOT / "docs/runs.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)[^\n]*\n(.*?)^```$", PAGE, re.M | re.S)
PATIENCE_S = 120


def names(head):
    """What stands in backquotes in the first column of the table under a heading."""
    section = re.search(rf"^{head}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]
    return [name for row in re.findall(r"^\| (`.*?) \|", section, re.M) for name in re.findall(r"`([^`]+)`", row)]


class RunsDoc(unittest.TestCase):
    def test_every_example_runs_as_printed(self):
        environment = {**os.environ, "PATH": f"{pathlib.Path(TOOL).parent}:{os.environ['PATH']}"}
        said = ""
        with tempfile.TemporaryDirectory() as folder:
            for tag, text in BLOCKS:
                command = ["bash", "-euc", text] if tag == "sh" else [sys.executable, "-W", "ignore", "-c", text]
                done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), text)
                said += done.stdout
        for words in ("run,seed,bird.max_speed,tick,count,", "\n1,1,80,0,", "\n80 0.", "2,2,100,250,60,", "\n3,3,180,"):
            self.assertIn(words, said)

    def test_options_are_those_of_the_help(self):
        shown = subprocess.run([TOOL, "run", "--help"], capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout
        options = set(re.findall(r"^  (--[a-z-]+)", shown, re.M)) - {"--help", "--version", "--scenarios"}
        self.assertEqual({name.split()[0] for name in names("# Many runs")}, options)

    def test_measures_are_those_of_the_program(self):
        refused = subprocess.run([TOOL, "run", "flock", "--measure", "none", "--out", "none"], capture_output=True, text=True, check=False,
                                 timeout=PATIENCE_S).stderr
        self.assertEqual(names("## Measures"), re.search(r"there are ([a-z_, ]+), each", refused)[1].split(", "))


if __name__ == "__main__":
    unittest.main()
