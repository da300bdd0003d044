"""What a scenario's file says and the server passes on (view, about), and targets that stroll: through hello, `list`, saves,
the folder of --state and recordings."""

import json
import pathlib
import shutil
import tempfile
import unittest

from drover_client import Case, Server

VIEW = {"trails": True, "color": "heading", "select": 2, "panel": False, "zoom": 1.5, "flag": "bench", "overlays": ["velocity", "radii"]}
ABOUT = {"group": "behaviors", "caption": "Two arrows – one mouse.", "try": "Move the mouse.", "look_for": "They meet.", "source": "Here."}
PARK = {
    "name": "Park", "description": "A walk.", "seed": 5, "world": {"size": [700, 500]},
    "targets": {"bench": [10, 20], "mouse": {"at": [400, 300], "strolls": {"after": 1}}},
    "kinds": {"dog": {"behaviors": [{"seek": {"target": "mouse"}}]}}, "agents": [{"kind": "dog", "at": [50, 60], "count": 2}],
    "view": VIEW, "about": ABOUT,
}


class Folder(Case):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="drover-park-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.park = f"{self.folder}/park.json"
        pathlib.Path(self.park).write_text(json.dumps(PARK), encoding="utf-8")

    def check(self, scenario):
        self.assertEqual((scenario["title"], scenario["view"], scenario["about"]), ("Park", VIEW, ABOUT))


class Words(Folder):
    def test_hello_list_and_scenario_lines_have_them(self):
        with Server("--paused", self.park) as server, server.connect() as client:
            self.check(client.hello["scenario"])
            row = next(row for row in client.request("list")["scenarios"] if row["name"] == "park")
            self.assertEqual((row["group"], row["caption"]), (ABOUT["group"], ABOUT["caption"]))
            client.request("subscribe", layout="events")
            client.request("save", name="walk")
            client.request("load", scenario="seek")
            self.assertEqual(client.receive_op("scenario")["title"], "Seek")
            client.request("load", save="walk")
            self.check(client.receive_op("scenario"))
            client.request("load", scenario="park")
            self.check(client.receive_op("scenario"))

    def test_the_next_server_and_a_replay_have_them(self):
        state, run = f"{self.folder}/state", f"{self.folder}/run.drover"
        with Server("--paused", "--state", state, "--record", run, self.park) as server, server.connect() as client:
            client.request("step", count=10)
        with Server("--state", state) as server, server.connect() as client:
            self.check(client.hello["scenario"])
        with Server("--paused", "--replay", run) as server, server.connect() as client:
            self.check(client.hello["scenario"])


class Strolls(Folder):
    @staticmethod
    def mouse(client):
        return next(row for row in client.request("list", what="targets")["targets"] if row["name"] == "mouse")

    def test_it_strolls_after_ticks_and_stops_for_a_request(self):
        with Server("--paused", self.park) as server, server.connect() as client:
            first = {"name": "mouse", "x": 400, "y": 300, "strolls": {"after": 1, "speed": 100, "now": False}}
            self.assertEqual(self.mouse(client), first)
            self.assertNotIn("strolls", client.request("list", what="targets")["targets"][0])
            client.request("step", count=60)
            self.assertEqual(self.mouse(client), first)
            client.request("step", count=120)
            now = self.mouse(client)
            self.assertTrue(now["strolls"]["now"])
            self.assertNotEqual((now["x"], now["y"]), (400, 300))
            for request in ({"op": "mouse"}, {"op": "set_target", "name": "mouse"}):
                client.request(**request, x=7, y=8)
                client.request("step", count=60)
                self.assertEqual(self.mouse(client), first | {"x": 7, "y": 8}, request)
                client.request("step", count=60)
                self.assertNotEqual(self.mouse(client)["x"], 7)
            client.request("set_target", agent=1, x=1, y=2)  # an aim sets no target
            self.assertTrue(self.mouse(client)["strolls"]["now"])

    def test_a_saved_stroll_goes_on(self):
        with Server("--paused", self.park) as server, server.connect() as client:
            for ticks in (30, 60, 200):
                client.request("step", count=ticks)
                client.request("save", name="here", replace=True)
                future = client.request("step", count=300)["hash"]
                client.request("load", save="here")
                self.assertEqual(client.request("step", count=300)["hash"], future, ticks)

    def test_a_recorded_stroll_plays(self):
        run = f"{self.folder}/run.drover"
        with Server("--paused", "--record", run, self.park) as server, server.connect() as client:
            client.request("step", count=200)
            client.request("mouse", x=5, y=6)
            last = client.request("step", count=200)
            place = self.mouse(client)
        with Server("--paused", "--replay", run) as server, server.connect() as client:
            client.request("seek", tick=last["tick"])
            self.assertEqual(self.mouse(client), place)
            self.assertFalse(client.request("stats")["replay"]["diverged"])

    def test_the_same_bits_with_any_number_of_threads(self):
        def hash_with(*options):
            with Server("--paused", *options, self.park) as server, server.connect() as client:
                return client.request("step", count=500)["hash"]
        self.assertEqual(hash_with("--threads", "1"), hash_with("--threads", "4"))


if __name__ == "__main__":
    unittest.main()
