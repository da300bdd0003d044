"""drover export --hdf5, read with h5py: it has what --csv has, the seed, the units, and the hashes of the recording; its XDMF names the rows of each
frame. h5py may belong to another Python than the one that runs the tests."""

import csv
import io
import json
import os
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from drover_client import PATIENCE_S, python_with
from test_tool import TOOL, Case

READER = """
import h5py, json, sys
file = h5py.File(sys.argv[1], "r")
def plain(value):
    return value.decode() if isinstance(value, bytes) else plain(value.tolist()) if hasattr(value, "tolist") else [plain(one) for one in value] if isinstance(value, list) else value
attributes = lambda thing: {name: plain(value) for name, value in thing.attrs.items()}
print(json.dumps({"file": attributes(file), "columns": {f"{group}/{name}": [attributes(data), data.compression, list(data.chunks), data[:].tolist()]
                                                        for group in file for name, data in file[group].items()}}))
"""


class Hdf5(Case):
    def expect(self, code, *arguments):
        done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def export(self, *options):
        out = self.folder / "run.h5"
        self.expect(0, "export", "--hdf5", self.good, "-o", out, "--replace", *options)
        done = subprocess.run([PYTHON, "-c", READER, str(out)], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), xml.etree.ElementTree.parse(f"{out}.xdmf")

    def test_it_has_what_a_table_has(self):
        found, xdmf = self.export("--every", 30)
        rows = list(csv.DictReader(io.StringIO(self.expect(0, "export", self.good, "--every", 30))))
        columns = {name: data for name, (_, _, _, data) in found["columns"].items()}
        self.assertEqual(set(columns), {f"agents/{name}" for name in rows[0] if name != "tick"} | {f"frames/{name}" for name in "tick time hash first count".split()})
        for name in ("x", "y", "vx", "vy", "heading", "stamina"):
            self.assertEqual(len(columns[f"agents/{name}"]), len(rows))
            for own, row in zip(columns[f"agents/{name}"], rows):
                self.assertAlmostEqual(own, float(row[name]), delta=1e-6 * max(1, abs(own)))
        self.assertEqual([str(number) for number in columns["agents/id"]], [row["id"] for row in rows])
        kinds = found["columns"]["agents/kind"][0]["names"]
        self.assertEqual([kinds[number] for number in columns["agents/kind"]], [row["kind"] for row in rows])
        states = found["columns"]["agents/state"][0]
        self.assertEqual([states[f"states of {row['kind']}"][number] for number, row in zip(columns["agents/state"], rows)], [row["state"] for row in rows])
        ticks = [int(row["tick"]) for row in rows]
        self.assertEqual([tick for tick, count in zip(columns["frames/tick"], columns["frames/count"]) for _ in range(count)], ticks)
        self.assertEqual(columns["frames/first"], [ticks.index(tick) for tick in columns["frames/tick"]])
        self.check_xdmf(xdmf, columns)

    def check_xdmf(self, xdmf, columns):
        frames = xdmf.findall("./Domain/Grid/Grid")
        self.assertEqual([float(frame.find("Time").get("Value")) for frame in frames], [float(f"{time:.9g}") for time in columns["frames/time"]])
        for frame, first, count in zip(frames, columns["frames/first"], columns["frames/count"]):
            self.assertEqual(frame.find("Topology").get("NumberOfElements"), str(count))
            for slab, name in zip(frame.findall("Geometry/DataItem"), "xy"):
                span, source = slab.findall("DataItem")
                self.assertEqual((span.text, source.text), (f"{first} 1 {count}", f"run.h5:/agents/{name}"))
                self.assertEqual(source.get("Dimensions"), str(len(columns["agents/x"])))

    def test_seed_units_and_hashes(self):
        found, _ = self.export("--every", 60)
        info = json.loads(self.expect(0, "info", "--json", self.good))
        self.assertEqual((found["file"]["format"], found["file"]["scenario"]), ("drover agents 1", "flock"))
        self.assertEqual((str(found["file"]["seed"]), found["file"]["tick_hz"]), (str(info["worlds"][0]["seed"]), info["worlds"][0]["tick_hz"]))
        self.assertEqual({name: found["columns"][f"agents/{name}"][0].get("units") for name in ("x", "vy", "heading", "id")},
                         {"x": "px", "vy": "px/s", "heading": "degrees", "id": None})
        recorded = {}
        for line in self.good.read_bytes().splitlines():
            line = json.loads(line)
            if "hash" in line and "tick" in line:
                recorded[line["tick"]] = line["hash"]
        hashes = dict(zip(found["columns"]["frames/tick"][3], found["columns"]["frames/hash"][3]))
        common = set(recorded) & set(hashes)
        self.assertGreaterEqual(len(common), 3, recorded)
        for tick in common:
            self.assertEqual(f"{hashes[tick]:016x}", recorded[tick], tick)
        for _, compression, chunks, _ in found["columns"].values():
            self.assertEqual(compression, "gzip")
            self.assertLessEqual(chunks[0], 65536)

    def test_meters_and_fields(self):
        found, _ = self.export("--meters", "--scale", 20, "--fields", "id,y,x")
        self.assertEqual([name for name in found["columns"] if name.startswith("agents")], ["agents/id", "agents/x", "agents/y"])
        self.assertEqual(found["columns"]["agents/x"][0], {"units": "m"})
        row = next(csv.DictReader(io.StringIO(self.expect(0, "export", self.good))))
        self.assertAlmostEqual(found["columns"]["agents/x"][3][0], float(row["x"]) / 20, 5)

    def test_what_is_refused(self):
        out = self.folder / "never.h5"
        for words, says in ((["--hdf5"], "expected -o FILE"), (["--hdf5", "-o", "-"], "expected -o FILE"), (["--hdf5", "--csv", "-o", out], "only one"),
                            (["--hdf5", "-o", f"{out}.zst"], "expected -o FILE"), (["--hdf5", "-o", out, "--fields", "tick,x"], "by frame")):
            self.assertIn(says, self.expect(2, "export", self.good, *words))
        out.write_bytes(b"mine")
        self.assertIn("--replace", self.expect(1, "export", "--hdf5", self.good, "-o", out))
        self.assertEqual(out.read_bytes(), b"mine")
        full = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", TOOL, "export", "--hdf5", str(self.good), "--every", "1", "-o", str(out), "--replace"]
        done = subprocess.run(full, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertNotEqual(done.returncode, 0, "there is no room for it")
        self.assertEqual(out.read_bytes(), b"mine")


if __name__ == "__main__":
    PYTHON = python_with("h5py")
    if PYTHON is None:
        print("SKIP: not installed: python3-h5py", flush=True)
        sys.exit(77)
    unittest.main()
