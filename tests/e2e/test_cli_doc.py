"""Executes the examples of docs/cli.md: its blocks marked `cli SCENARIO`, at a terminal and with a server of their own."""

import os
import pathlib
import re
import tempfile
import unittest

from drover_client import ROOT, Server
from terminals import shown

TOOL = pathlib.Path(os.environ.get("DROVER_TOOL", str(ROOT / "build/asan/bin/drover")))
PAGE = ROOT / "docs/cli.md"


def blocks():
    return re.findall(r"^```cli (\w+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def examples(text):
    """(command, what it shows) in order."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2]))


def pattern(expected):
    """A regular expression: ... stands for anything, as a line of its own for any number of lines."""
    def of_line(line):
        return re.escape(line).replace(re.escape("..."), ".*").replace("HASH", "[0-9a-f]{16}") + "\n"
    return "".join("(?:.*\n)*" if line == "..." else of_line(line) for line in expected.splitlines())


class Page(unittest.TestCase):
    maxDiff = None

    def test_examples(self):
        self.assertGreater(len(blocks()), 5)
        for scenario, text in blocks():
            with tempfile.TemporaryDirectory() as folder, Server(scenario, "--paused", "--recordings", folder) as server:
                environment = {"DROVER_SERVER": f"127.0.0.1:{server.port}", "PATH": f"{TOOL.parent}:{os.environ['PATH']}", "NO_COLOR": "1"}
                for command, expected in examples(text):
                    with self.subTest(command=command):
                        said = shown("bash", "-c", command + "; exit 0", environment=environment, size=(40, 110)).plain()
                        said = re.sub(r"\x1b\[[0-9;]*m", "", said)  # jq's
                        self.assertRegex(said, f"^(?:{pattern(expected)})\\Z", f"{command} shows:\n{said}")

    def test_each_command_has_an_example_or_is_mentioned(self):
        page = PAGE.read_text(encoding="utf-8")
        listed = shown(TOOL, "help").plain()
        live = listed[listed.index("A live server"):].split("\n\n")[0]
        for name in re.findall(r"^  ([a-z]+) ", live, re.MULTILINE):
            self.assertIn(f"drover {name}", page)


if __name__ == "__main__":
    unittest.main()
