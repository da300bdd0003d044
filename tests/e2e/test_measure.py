"""Gates and areas: what `measure` says, the event `crossed`, `drover measure`, and the tables of `drover run`."""

import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from drover_client import ROOT, Case, Server

TOOL = os.environ.get("DROVER_TOOL", str(ROOT / "build/asan/bin/drover"))
PATIENCE_S = 120


def drover(*arguments, **more):
    environment = {key: value for key, value in os.environ.items() if key not in ("DROVER_SERVER", "DROVER_TOKEN")}
    return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE_S, check=True, env={**environment, **more})


def places(frame):
    return {agent["id"]: (agent["x"], agent["y"]) for agent in frame["agents"]}


class Measure(Case):
    def test_counters_are_what_is_seen(self):
        with Server("--paused", "measured_door") as server, server.connect() as client:
            before = places(client.request("get")["frame"])
            first = client.request("measure")
            self.assertEqual(first["since"], 0)
            self.assertEqual(first["gates"], [{"name": "upper_door", "forward": 0, "backward": 0}, {"name": "lower_door", "forward": 0, "backward": 0}])
            east = west = 0
            for _ in range(180):
                after = places(client.request("step", **{"return": "objects"})["frame"])
                for agent, (x, y) in after.items():
                    was = before[agent][0]
                    if abs(x - was) < 100 and (was >= 500) != (x >= 500):
                        self.assertTrue(165 < y < 235 or 365 < y < 435, (agent, x, y))  # elsewhere is a wall
                        east, west = east + (x >= 500), west + (x < 500)
                before = after
            gates = {gate["name"]: gate for gate in client.request("measure")["gates"]}
            self.assertGreater(east, 3)
            self.assertGreater(west, 3)
            self.assertEqual(gates["upper_door"]["forward"] + gates["lower_door"]["backward"], east)
            self.assertEqual(gates["upper_door"]["backward"] + gates["lower_door"]["forward"], west)
            areas = {area["name"]: area for area in client.request("measure", names=["hall", "stairs"])["areas"]}
            self.assertEqual(list(areas), ["hall", "stairs"])
            self.assertAlmostEqual(areas["hall"]["agents"], sum(x < 500 for x, _ in before.values()), delta=0)
            self.assertAlmostEqual(areas["hall"]["density"] * 500 * 600, areas["hall"]["agents"], places=3)
            self.assertLess(areas["stairs"]["mean_speed"], 45)  # half of 60 to 80 px/s
            self.assertEqual(client.request("measure", names=["lower_door"])["areas"], [])
            self.assert_error(client.request("measure", names=["uper_door"]), "bad_param", field="names")
            client.request("load", scenario="measured_door")
            self.assertEqual(client.request("measure")["gates"], first["gates"])

    def test_crossed_comes_to_those_who_ask(self):
        with Server("--paused", "measured_door") as server, server.connect() as client, server.connect() as usual:
            client.request("subscribe", layout="events", events=["crossed"])
            usual.request("subscribe", layout="events")
            for _ in range(119):
                client.request("step")
            seen = [message for message in client.flush() if message.get("event") == "crossed"]
            gates = {gate["name"]: gate for gate in client.request("measure")["gates"]}
            self.assertEqual([message for message in usual.flush() if message.get("event") == "crossed"], [])
            total = sum(gate["forward"] + gate["backward"] for gate in gates.values())
            self.assertGreater(total, 3)
            self.assertLessEqual(len(seen), 40)
            self.assertEqual(len(seen) + sum(message.get("left_out", 0) for message in seen), total)
            for message in seen:
                self.assertIn(message["direction"], (1, -1))
                self.assertIn(message["gate"], gates)

    def test_a_scale_gives_meters_beside_px(self):
        text = json.loads((ROOT / "scenarios/measured_door.json").read_text(encoding="utf-8"))
        text["world"]["meter"] = 25
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "meters.json"
            path.write_text(json.dumps(text), encoding="utf-8")
            with Server("--paused", str(path)) as server, server.connect() as client:
                client.request("step", count=60)
                self.assertEqual(client.hello["scenario"]["meter"], 25)
                for area in client.request("measure")["areas"]:
                    self.assertAlmostEqual(area["meters"]["density"], area["density"] * 625, places=5)
                    self.assertAlmostEqual(area["meters"]["mean_speed"], area["mean_speed"] / 25, places=4)
                agent = client.request("inspect", agents=[1])["agents"][0]
                self.assertAlmostEqual(agent["meters"]["x"], agent["x"] / 25, delta=0.011)
                self.assertAlmostEqual(agent["meters"]["speed"], (agent["vx"] ** 2 + agent["vy"] ** 2) ** 0.5 / 25, delta=0.011)

    def test_a_world_without_instruments(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.assertEqual([client.request("measure")[key] for key in ("gates", "areas")], [[], []])
            error = client.request("measure", names=["door"])
            self.assert_error(error, "bad_param", field="names")
            self.assertIn("this world has none", error["message"])

    def test_the_program_says_it_and_writes_it(self):
        with Server("--paused", "measured_door") as server:
            said = json.loads(drover("measure", "upper_door", "--json", DROVER_SERVER=f"127.0.0.1:{server.port}").stdout)
            self.assertEqual([gate["name"] for gate in said["gates"]], ["upper_door"])
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "r"
            drover("run", "measured_door", "--ticks", 240, "--every", 120, "--measure", "forward,backward.upper_door,inside.hall,inside_speed", "--crossings", "--out", out)
            rows = list(csv.DictReader((out / "runs.csv").read_text(encoding="utf-8").splitlines()))
            self.assertEqual(list(rows[0]), ["run", "seed", "tick", "forward.upper_door", "forward.lower_door", "backward.upper_door", "inside.hall",
                                             "inside_speed.hall", "inside_speed.platform", "inside_speed.stairs", "time"])
            crossings = list(csv.DictReader((out / "crossings-1.csv").read_text(encoding="utf-8").splitlines()))
            forward = [row for row in crossings if row["gate"] == "upper_door" and row["direction"] == "1"]
            self.assertEqual(len(forward), int(rows[-1]["forward.upper_door"]))
            self.assertEqual(sum(int(row["tick"]) <= 120 for row in forward), int(rows[1]["forward.upper_door"]))

    def test_a_run_of_the_validation_page_by_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "r"
            drover("run", ROOT / "scenarios/validation/iso_17.json", "--seed", 1, "--until", "count<=0", "--seconds", 600, "--measure", "forward,backward", "--out", out)
            (row,) = csv.DictReader((out / "runs.csv").read_text(encoding="utf-8").splitlines())
            known = next(csv.DictReader((ROOT / "docs/validation/iso_17.csv").read_text(encoding="utf-8").splitlines()))
            self.assertIn(known["hash"], (out / "part-1.ndjson").read_text(encoding="utf-8"))
            self.assertEqual(int(row["forward.short_way"]) + int(row["backward.short_way"]), int(known["short_way.walker"]))

    def test_runs_of_a_world_with_a_scale_are_in_meters_too(self):
        meter = json.loads((ROOT / "scenarios/walk.json").read_text(encoding="utf-8"))["world"]["meter"]
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "r"
            drover("run", "walk", "--ticks", 60, "--out", out)
            (row,) = csv.DictReader((out / "runs.csv").read_text(encoding="utf-8").splitlines())
            self.assertGreater(float(row["speed_m_s"]), 0.3)
            for name in ("speed", "nearest"):
                in_meters = next(column for column in row if column.startswith(name + "_m"))
                self.assertAlmostEqual(float(row[in_meters]) * meter, float(row[name]), delta=1e-4 * float(row[name]))


if __name__ == "__main__":
    unittest.main()
