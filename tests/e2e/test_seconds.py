#!/usr/bin/env python3
"""Static seconds: what --seconds writes, read as any reader of protocol.md would, across pauses, loads, crashes and full disks."""

import json
import os
import pathlib
import signal
import tempfile
import unittest

from drover_client import Case, Server, run_server, wait_for
from packed import Stream


class Folder:
    """The folder of --seconds, as a web server hands it out."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def index(self):
        try:
            return json.loads((self.path / "index.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {"latest": 0, "first": 1, "paused": False, "ended": False, "scenarios": []}

    def second(self, number):
        return [json.loads(line) for line in (self.path / f"{number}.ndjson").read_text(encoding="utf-8").splitlines()]

    def frames(self, number):
        """The frames of one second, read without any other."""
        stream = Stream()
        frames = [stream.feed(json.dumps(line)) for line in self.second(number) if line["op"] in ("key", "delta")]
        return [frame for frame in frames if frame is not None]

    def numbers(self):
        return sorted(int(file.stem) for file in self.path.glob("*.ndjson"))

    def contents(self):
        return {file.name: file.read_bytes() for file in self.path.iterdir() if file.name != "index.json"}

    def wait(self, number):
        wait_for(lambda: self.index()["latest"] >= number, f"second {number}")


def add_seconds(client, count):
    """Seconds as short as they can be: each pause ends one."""
    for _ in range(count):
        client.request("resume")
        client.request("pause")


class Seconds(Case):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.folder = Folder(self.scratch / "seconds")
        self.options = ("--seconds", str(self.folder.path))

    def test_frames_are_those_of_a_subscriber(self):
        with Server(*self.options, "boids") as server, server.connect() as client:
            client.request("subscribe", layout="packed", hz=30)
            direct, stream = {}, Stream()
            self.folder.wait(1)
            first = self.folder.index()["latest"]
            while self.folder.index()["latest"] < first + 3:
                message = client.receive()
                if message["op"] in ("key", "delta"):
                    frame = stream.feed(json.dumps(message))
                    direct.update({frame["tick"]: frame} if frame else {})
            index = self.folder.index()
            scenario = json.loads((self.folder.path / f"scenario-{index['scenarios'][0]}.json").read_text(encoding="utf-8"))
            self.assertEqual((scenario["op"], scenario["role"], scenario["scenario"]["name"]), ("hello", "viewer", "boids"))
            ticks = []
            for number in range(index["first"], index["latest"] + 1):
                for frame in self.folder.frames(number):
                    ticks.append(frame["tick"])
                    if frame["tick"] in direct:
                        self.assertEqual(frame["agents"], direct[frame["tick"]]["agents"])
            self.assertEqual(ticks, sorted(set(ticks)))
            self.assertGreater(len(set(ticks) & direct.keys()), 10)
            self.assertGreater(client.request("stats")["sessions"]["viewer"], 0)
        self.assertTrue(self.folder.index()["ended"])
        self.assertEqual(self.folder.index()["latest"], self.folder.numbers()[-1])

    def test_pause_and_load(self):
        with Server(*self.options, "--paused", "seek") as server, server.connect() as client:
            wait_for(lambda: self.folder.index()["paused"], "the index says that the world is paused")
            before = self.folder.index()["latest"]
            client.request("step", count=30)
            self.folder.wait(before + 1)
            self.assertEqual(self.folder.frames(self.folder.index()["latest"])[-1]["tick"], 30)
            latest = self.folder.index()["latest"]
            client.request("load", scenario="wander")
            wait_for(lambda: len(self.folder.index()["scenarios"]) == 2, "another scenario")
            index = self.folder.index()
            began = index["scenarios"][1]
            self.assertGreater(began, latest)
            self.assertEqual(self.folder.second(began)[0]["op"], "scenario")
            self.assertEqual(self.folder.second(began)[0]["name"], "wander")
            self.assertIn('"name":"wander"', (self.folder.path / f"scenario-{began}.json").read_text(encoding="utf-8"))
            client.request("add_obstacle", circle=[100, 100, 20])
            wait_for(lambda: len(self.folder.index()["scenarios"]) == 3, "the scenario with the obstacle")
            newest = (self.folder.path / f"scenario-{self.folder.index()['scenarios'][2]}.json").read_text(encoding="utf-8")
            self.assertIn('"circle":[100,100,20]', newest)

    def test_old_seconds_go_and_no_number_comes_again(self):
        options = (*self.options, "--seconds-keep", "10", "seek")
        with Server(*options, code=-signal.SIGKILL) as server, server.connect() as client:
            add_seconds(client, 40)
            wait_for(lambda: self.folder.index()["latest"] - self.folder.index()["first"] == 9, "ten seconds")
            wait_for(lambda: len(self.folder.numbers()) <= 21, "old files are removed")
            wait_for(lambda: self.folder.index()["paused"], "the last second")
            server.kill()
        newest, kept = self.folder.numbers()[-1], self.folder.contents()
        (self.folder.path / "second.part").write_text("torn")
        with Server(*options) as server, server.connect() as client:
            self.folder.wait(newest + 2)
            for name, content in kept.items():
                if (self.folder.path / name).exists() and not name.endswith(".part"):
                    self.assertEqual((self.folder.path / name).read_bytes(), content, f"{name} was written again")
            new = self.folder.second(newest + 1)
            self.assertEqual(new[0]["op"], "scenario")
            self.assertIn("another server", run_server(*self.options, "seek").stderr)

    def test_disk_that_refuses(self):
        with Server(*self.options, "seek") as server, server.connect() as client:
            self.folder.wait(1)
            aside = self.scratch / "aside"
            os.rename(self.folder.path, aside)
            wait_for(lambda: "seconds are left out" in server.stderr(), "the log says so")
            tick = client.request("stats")["tick"]
            wait_for(lambda: client.request("stats")["tick"] > tick + 90, "the world goes on")
            os.rename(aside, self.folder.path)
            latest = self.folder.index()["latest"]
            self.folder.wait(latest + 2)
            self.assertEqual(server.stderr().count("seconds are left out"), 1)
            self.assertIn("can be written again", server.stderr())
            self.assertEqual(self.folder.numbers(), list(range(self.folder.index()["first"], self.folder.numbers()[-1] + 1)))

    def test_layouts(self):
        with Server(*self.options, "--seconds-layout", "density", "--paused", "boids") as server:
            self.folder.wait(1)
            index = self.folder.index()
            frame = next(line for line in self.folder.second(index["latest"]) if line["op"] == "density")
            self.assertEqual((index["layout"], frame["n"]), ("density", 200))
            self.assertIn("boid", frame["by_kind"])
        result = run_server("--seconds-keep", "20", "seek")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--seconds-keep: allowed only with --seconds", result.stderr)

    def test_tokens_make_no_difference(self):
        tokens = self.scratch / "tokens"
        tokens.write_text("admin only-for-this-test-1\n", encoding="utf-8")
        tokens.chmod(0o600)
        with Server(*self.options, "--token-file", str(tokens), "--max-clients", "1", "seek"):
            self.folder.wait(1)
            self.assertGreater(len(self.folder.frames(self.folder.index()["latest"])), 0)


if __name__ == "__main__":
    unittest.main()
