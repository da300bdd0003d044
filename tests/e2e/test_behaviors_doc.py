"""docs/behaviors.md, In numbers: what the page says of each behavior is what `inspect` answers."""

import json
import pathlib
import re
import tempfile
import unittest

from drover_client import ROOT, Case, Server

PAGE = (ROOT / "docs/behaviors.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\{.*\})` \| ?(.*?) ?\| (.*?) \| (.*) \|$", PAGE, re.M)


def scenario(behavior):
    """The world that the page describes, with one behavior."""
    return {"name": "In numbers", "tick_hz": 60, "world": {"size": [800, 600]}, "targets": {"mouse": [440, 330]},
            "kinds": {"one": {"mass": 1, "max_speed": 100, "max_force": 300, "behaviors": [json.loads(behavior)]}, "other": {}},
            "agents": [{"kind": "one", "at": [400, 300], "velocity": [30, 40]}, {"kind": "other", "at": [440, 330], "velocity": [0, 20]}]}


def written(vector):
    return f"({vector[0]:.2f}, {vector[1]:.2f})"


class InNumbers(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for number, (behavior, *_) in enumerate(ROWS):
            pathlib.Path(self.folder.name, f"row_{number}.json").write_text(json.dumps(scenario(behavior)), encoding="utf-8")

    def test_the_numbers_of_the_page(self):
        self.assertGreater(len(ROWS), 8)
        with Server("--paused", "--scenarios", self.folder.name, "row_0") as server, server.connect() as client:
            for number, (behavior, desired, wants, how) in enumerate(ROWS):
                with self.subTest(behavior=behavior):
                    client.request("load", scenario=f"row_{number}")
                    term, = client.request("inspect", agent=1)["agents"][0]["terms"]
                    self.assertEqual(written(term["wants"]), wants)
                    values = term["values"]
                    if "rate" in values:
                        self.assertEqual((written(term["desired"]), values["rate"]), (desired, 60))
                        rule = [60 * (want - have) for want, have in zip(term["desired"], (30, 40))]
                    else:
                        self.assertEqual(desired, "")
                        rule = [300 * part for part in values["strength"]]
                    for part, want in zip(rule, term["wants"]):
                        self.assertAlmostEqual(part, want, delta=0.5)
                    for pace in re.findall(r"from ([\d.]+) px/s", how):
                        self.assertEqual(f"{values['stopping_speed']:.2f}", pace)

    def test_the_law_of_stopping(self):
        """(k + f)·a·dt stops within (k + 1)(k + 2f)/2 · a·dt², a the share of max_force that the page names."""
        share, = map(float, re.findall(r"a = ([\d.]+) · max_force / mass", PAGE))
        pace, = map(float, re.findall(r"from ([\d.]+) px/s", PAGE))
        acceleration, dt = share * 300, 1 / 60
        ticks, rest = divmod(pace / (acceleration * dt), 1)
        self.assertAlmostEqual((ticks + 1) * (ticks + 2 * rest) / 2 * acceleration * dt * dt, 50, 1)


if __name__ == "__main__":
    unittest.main()
