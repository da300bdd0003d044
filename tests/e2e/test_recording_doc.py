"""docs/recording.md, executed: its lines parsed and compared with its table, its programs run on a recording."""

import base64
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

from drover_client import python_with

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = pathlib.Path(os.environ.get("DROVER_TOOL", ROOT / "build/asan/bin/drover"))
PAGE = (ROOT / "docs/recording.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)[^\n]*\n(.*?)^```$", PAGE, re.M | re.S)
RECORDING = ROOT / "tests/golden/recordings/core-1.drover"


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def sealed(text):
    """The recording, which is of a time without sums, with sums as the page has them."""
    total, out = 0, b""
    for line in text.splitlines():
        total = zlib.crc32(line[:-1], total)
        out += b'%s,"sum":"%08x"}\n' % (line[:-1], total)
    return out


class RecordingDoc(unittest.TestCase):
    def test_sums_of_the_example(self):
        text = next(text for tag, text in BLOCKS if tag == "json").encode()
        self.assertEqual(sealed(re.sub(rb',"sum":"[0-9a-f]{8}"}\n', b"}\n", text)), text)

    def test_lines_of_the_example_have_the_members_of_the_table(self):
        table = {row[0]: set(re.findall(r"`(\w+)`", row[1])) for row in re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.M)}
        ops = set()
        for line in map(json.loads, next(text for tag, text in BLOCKS if tag == "json").splitlines()):
            ops.add(line["op"])
            self.assertIn(line["op"], table)
            self.assertLessEqual(set(line) - {"op", "tick", "seq", "sum"}, table[line["op"]], line)
        self.assertEqual(set(table) - ops, {"checkpoint"})

    def test_lines_of_a_recording_have_the_members_of_the_table(self):
        table = {row[0]: set(re.findall(r"`(\w+)`", row[1])) for row in re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.M)}
        for line in lines_of(RECORDING):
            if line["op"] != "checkpoint":
                self.assertLessEqual(set(line) - {"op", "tick", "seq", "sum"}, table[line["op"]], line)

    def test_lines_stand_in_the_order_that_the_page_says(self):
        tick = seq = 0
        for line in lines_of(RECORDING):
            if line["op"] in ("do", "at", "world"):
                self.assertGreaterEqual(line["seq"], seq)
                self.assertTrue(line["op"] == "world" or line["tick"] >= tick, line)
                tick, seq = line["tick"], line["seq"]

    def test_programs_run(self):
        with_drover = {**os.environ, "PATH": f"{TOOL.parent}:{os.environ['PATH']}"}
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "run.drover").write_bytes(sealed(RECORDING.read_bytes()))
            subprocess.run([TOOL, "export", "run.drover", "--hdf5", "--world", "2", "-o", "run.h5"], cwd=folder, check=True, timeout=60)
            for tag, text in BLOCKS:
                if tag in ("sh", "python"):
                    python = python_with("h5py") if "h5py" in text else sys.executable
                    if python is None:
                        continue
                    command = ["bash", "-euc", text] if tag == "sh" else [python, "-c", text]
                    done = subprocess.run(command, cwd=folder, env=with_drover, capture_output=True, text=True, timeout=60, check=False)
                    self.assertEqual((done.returncode, done.stderr), (0, ""), text)
                    self.assertTrue(done.stdout or ">" in text, text)
            world = json.loads(pathlib.Path(folder, "scenario.json").read_text(encoding="utf-8"))
            self.assertIn("kinds", world)

    def test_motion_is_places_and_velocities(self):
        for line in lines_of(RECORDING):
            if line["op"] == "checkpoint" and line["n"] > 0:
                motion = list(struct.iter_unpack("<4f", base64.b64decode(line["columns"]["motion"])))
                self.assertEqual(len(motion), line["n"])
                self.assertTrue(all(abs(x) < 1e5 and abs(y) < 1e5 for x, y, _, _ in motion))


if __name__ == "__main__":
    unittest.main()
