"""--watch: the scenario's file, saved again, is loaded; one with a mistake is not, and the world goes on."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from drover_client import ROOT, Case, Server, run_server, wait_for

WORLD = {"name": "Yard", "world": {"size": [400, 300]}, "targets": {"gate": [50, 60]},
         "kinds": {"cow": {"behaviors": [{"seek": {"target": "gate"}}]}}, "agents": [{"kind": "cow", "count": 3, "in": {"circle": [200, 150, 50]}}]}


def write(path, text):
    path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")


def event_of(client, name):
    while True:
        event = client.receive_op("event")
        if event["event"] == name:
            return event


class Watch(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "yard.json"
        write(self.path, WORLD)

    def test_a_saved_file_is_loaded(self):
        with Server("--paused", "--watch", self.path) as server, server.connect() as client:
            client.request("hello", seq=True)
            client.request("subscribe", layout="events")
            hash_before = client.request("step", count=5)["hash"]
            write(self.path, {**WORLD, "agents": [{"kind": "cow", "count": 7, "in": {"circle": [200, 150, 50]}}]})
            self.assertEqual(event_of(client, "reloading")["scenario"], "yard")
            loaded = event_of(client, "loaded")
            self.assertEqual((loaded["by"], loaded["scenario"], loaded["tick"]), (0, "yard", 0))
            self.assertEqual(client.request("stats")["agents"], 7)
            other = self.path.with_suffix(".new")  # as editors save: another file of this name
            write(other, WORLD)
            os.replace(other, self.path)
            event_of(client, "loaded")
            self.assertEqual(client.request("step", count=5)["hash"], hash_before)

    def test_a_mistake_is_said_and_the_world_goes_on(self):
        with Server("--watch", self.path) as server, server.connect() as client:
            client.request("hello", seq=True)
            client.request("subscribe", layout="events")
            write(self.path, json.dumps(WORLD, indent=1).replace('"seek"', '"sek"'))
            event = event_of(client, "not_reloaded")
            self.assertEqual(event["scenario"], "yard")
            self.assertRegex(event["reason"], r'yard\.json:\d+:\d+: .*"sek".*seek')
            tick = client.request("stats")["tick"]
            wait_for(lambda: client.request("stats")["tick"] > tick + 5, "the old world goes on")
            self.assertEqual(client.request("stats")["agents"], 3)
            self.path.unlink()
            write(self.path, {**WORLD, "agents": []})
            event_of(client, "loaded")
            self.assertEqual(client.request("stats")["agents"], 0)
            self.assertIn("not loaded:", server.stderr())

    def test_a_recording_has_it(self):
        record = self.path.with_suffix(".drover")
        with Server("--paused", "--record", record, "--watch", self.path) as server, server.connect() as client:
            client.request("hello", seq=True)
            client.request("subscribe", layout="events")
            client.request("step", count=50)
            write(self.path, {**WORLD, "agents": [{"kind": "cow", "count": 9, "in": {"circle": [200, 150, 50]}}]})
            event_of(client, "loaded")
            client.request("step", count=120)
        verified = subprocess.run([os.environ.get("DROVER_TOOL", str(ROOT / "build/asan/bin/drover")), "verify", record], capture_output=True, text=True, check=False)
        self.assertEqual((verified.returncode, "all the same" in verified.stdout), (0, True), verified.stdout + verified.stderr)

    def test_it_needs_a_file(self):
        for words in (["--watch", "flock"], ["--watch"]):
            done = run_server(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn("there is no file to watch", done.stderr)


if __name__ == "__main__":
    unittest.main()
