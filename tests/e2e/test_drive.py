"""Agents that a client drives: `drive` in all its forms, what a client that is gone leaves behind, and whether saves, journals and
recordings keep it."""

import base64
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import time
import unittest

from drover_client import Case, Server, wait_for

SLOW = bool(os.environ.get("DROVER_SLOW"))
TOOL = os.environ.get("DROVER_TOOL", "")
DRONE = {"radius": 2, "max_speed": 200, "max_force": 100000,
         "states": [{"name": "led", "when": {"driven": True}, "behaviors": [{"external": {"hold": 3}}]},
                    {"name": "free", "behaviors": [{"wander": {}}]}]}
# The wanderer of a kind that cannot be driven has the highest id.
SMALL = {"name": "Small", "seed": 3, "world": {"size": [4000, 3000], "edge": "wrap"},
         "kinds": {"drone": DRONE, "stray": {"behaviors": [{"wander": {}}]}},
         "agents": [{"kind": "drone", "count": 5, "in": {"rect": [0, 0, 4000, 3000]}}, {"kind": "stray", "at": [9, 9]}]}
MANY = 10000


def packed(values):
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode()


def ids(values):
    return base64.b64encode(struct.pack(f"<{len(values)}I", *values)).decode()


class Driven(Case):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-drive-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def scenario(self, **changes):
        path = self.folder / "small.json"
        path.write_text(json.dumps({**SMALL, **changes}), encoding="utf-8")
        return str(path)

    def velocities(self, client, agents=(1, 2, 3, 4, 5)):
        reply = client.request("inspect", agents=list(agents))
        return [(agent["vx"], agent["vy"]) for agent in reply["agents"]]


class Requests(Driven):
    def test_what_is_driven_in_a_tick_is_seen_in_the_next(self):
        count = 2000 if SLOW else 100
        with Server("--paused", self.scenario()) as server, server.connect() as client:
            for tick in range(count):
                want = (float(tick % 90), -float(tick % 70))
                self.assert_reply(client.request("drive", agent=2, vx=want[0], vy=want[1]), "drive", tick=tick, driven=1, gone=0)
                self.assert_reply(client.request("step"), "step", tick=tick + 1)
                self.assertEqual(self.velocities(client, [2]), [want], f"tick {tick + 1}")

    def test_every_form_says_the_same(self):
        """Numbers and columns, arrays and base64, ids and a kind in parts: the same world."""
        x, y = [1.5, -20, 30, 0, 5], [0, 9, -8.25, 7, 100]
        forms = [
            [{"agent": i + 1, "vx": x[i], "vy": y[i]} for i in range(5)],
            [{"agents": [1, 2, 3, 4, 5], "vx": x, "vy": y}],
            [{"agents": [5, 3, 1, 2, 4], "vx": [x[i] for i in (4, 2, 0, 1, 3)], "vy": [y[i] for i in (4, 2, 0, 1, 3)]}],
            [{"agents": ids([1, 2, 3, 4, 5]), "vx": packed(x), "vy": packed(y)}],
            [{"kind": "drone", "vx": x, "vy": packed(y)}],
            [{"kind": "drone", "first": 2, "vx": x[2:], "vy": y[2:]}, {"kind": "drone", "first": 0, "vx": x[:2], "vy": y[:2]}],
            [{"agents": [1, 1, 2, 3, 4, 5], "vx": [99] + x, "vy": [99] + y}],
        ]
        hashes = []
        with Server("--paused", self.scenario()) as server, server.connect() as client:
            for form in forms:
                client.request("load", scenario="small")
                for fields in form:
                    self.assert_reply(client.request("drive", **fields), "drive", gone=0)
                hashes.append(client.request("step")["hash"])
                self.assertEqual(self.velocities(client), [(float(a), float(b)) for a, b in zip(x, y)])
            self.assertEqual(len(set(hashes)), 1, hashes)
            client.request("load", scenario="small")
            self.assert_reply(client.request("drive", kind="drone", vx=7, vy=8), "drive", driven=5)
            client.request("step")
            self.assertEqual(self.velocities(client), [(7.0, 8.0)] * 5)

    def test_agents_that_are_gone_are_counted(self):
        with Server("--paused", self.scenario()) as server, server.connect() as client:
            client.request("remove", agents=[3])
            self.assert_reply(client.request("drive", agents=[2, 3, 4, 88], vx=[1, 2, 3, 4], vy=[0] * 4), "drive", driven=2, gone=2)
            self.assert_reply(client.request("drive", agent=3, vx=1, vy=1), "drive", driven=0, gone=1)
            client.request("step")
            self.assertEqual(self.velocities(client, [2, 4]), [(1.0, 0.0), (3.0, 0.0)])

    def test_it_refuses_what_makes_no_sense_and_changes_nothing(self):
        refused = [
            ({"vx": 1, "vy": 1}, "bad_param", "agent"), ({"agent": 1, "vx": 1}, "bad_param", "vy"),
            ({"agent": 1, "kind": "drone", "vx": 1, "vy": 1}, "bad_param", "kind"),
            ({"agent": 1, "vx": 1, "vy": 1e10}, "out_of_range", "vy"), ({"agent": 1, "vx": [1], "vy": [1]}, "bad_param", "vx"),
            ({"agents": [1], "vx": 1, "vy": 1}, "bad_param", "vx"), ({"agents": [1, 2], "vx": [1], "vy": [1]}, "bad_param", "vx"),
            ({"agents": [1, 2], "vx": [1, "a"], "vy": [1, 2]}, "bad_param", "vx[1]"),
            ({"agents": [1, 0], "vx": [1, 1], "vy": [1, 2]}, "out_of_range", "agents[1]"),
            ({"agents": [1, 6], "vx": [1, 1], "vy": [1, 2]}, "bad_param", "agents[1]"), ({"agent": 6, "vx": 1, "vy": 1}, "bad_param", "agent"),
            ({"kind": "stray", "vx": 1, "vy": 1}, "bad_param", "kind"), ({"kind": "dron", "vx": 1, "vy": 1}, "no_kind", "kind"),
            ({"kind": "drone", "vx": [1], "vy": [1]}, "bad_param", "vx"), ({"kind": "drone", "vx": [1] * 5, "vy": 1}, "bad_param", "vy"),
            ({"kind": "drone", "first": 4, "vx": [1, 1], "vy": [1, 1]}, "out_of_range", "first"),
            ({"kind": "drone", "first": 1, "vx": 1, "vy": 1}, "bad_param", "first"),
            ({"kind": "drone", "vx": packed([1, 2, 3, 4, float("nan")]), "vy": packed([1] * 5)}, "out_of_range", "vx[4]"),
            ({"kind": "drone", "vx": packed([1] * 5)[:-1], "vy": packed([1] * 5)}, "bad_param", "vx"),
        ]
        with Server("--paused", self.scenario()) as server, server.connect() as client:
            before = client.request("save", name="a")["hash"]
            for fields, code, field in refused:
                with self.subTest(fields=fields):
                    self.assert_error(client.request("drive", **fields), code, field=field)
            self.assertEqual(client.request("save", name="b")["hash"], before)
            self.assertIn("\"drone\"", client.request("drive", kind="stray", vx=1, vy=1)["message"])

    def test_a_session_with_seq_hears_of_it(self):
        with Server("--paused", self.scenario()) as server, server.connect() as client, server.connect() as other:
            for session, seq in ((client, True), (other, False)):
                session.request("hello", seq=seq)
                session.request("subscribe", layout="events")
            reply = client.request("drive", kind="drone", vx=1, vy=2)
            self.assertEqual(reply["seq"], 1)
            self.assertEqual(client.receive_op("event"),
                             {"op": "event", "event": "driven", "tick": 0, "by": 1, "seq": 1, "kind": "drone", "count": 5})
            other.request("remove", agents=[1])
            self.assertEqual(other.receive_op("event")["event"], "removed")

    def test_forces_and_the_condition(self):
        kinds = {"drone": {**DRONE, "mass": 2, "states": [
            {"name": "led", "when": {"driven": True}, "behaviors": [{"external": {"mode": "force", "hold": 2, "limit": 240}}]},
            {"name": "still", "behaviors": []}]}}
        path = self.scenario(kinds=kinds, agents=[{"kind": "drone", "at": [100, 100]}])
        with Server("--paused", path) as server, server.connect() as client:
            for force, speed in ((120, 1.0), (-60, 0.5), (9999, 2.5)):
                client.request("drive", agent=1, vx=0, vy=force)
                client.request("step")
                agent = client.request("inspect", agent=1)["agents"][0]
                self.assertEqual((agent["vy"], agent["state"]), (speed, "led"))
            client.request("step", count=2)
            agent = client.request("inspect", agent=1)["agents"][0]
            self.assertEqual((agent["vy"], agent["state"]), (4.5, "still"))


class Gone(Driven):
    def test_a_client_that_dies_leaves_nothing_running(self):
        with Server(self.scenario()) as server, server.connect() as watcher:
            with server.connect() as client:
                client.request("drive", kind="drone", vx=150, vy=0)
                wait_for(lambda: (client.send("drive", kind="drone", vx=150, vy=0),
                                  self.velocities(watcher)[0] == (150.0, 0.0))[1], "the drones are driven")
                client.vanish()
            # Wanderers turn: no two keep one course.
            wait_for(lambda: len(set(self.velocities(watcher))) == 5, "the drones wander again")
            self.assertEqual(watcher.request("inspect", agent=1)["agents"][0]["state"], "free")


class Many(Driven):
    def vectors(self, tick):
        return ([float((i * 7 + tick) % 300 - 150) for i in range(MANY)], [float((i * 3 - tick) % 200 - 100) for i in range(MANY)])

    def test_ten_thousand_agents(self):
        """One line of an admin, lines of 65536 bytes by `first` and by `agents`: the same hash after each tick."""
        path = self.scenario(agents=[{"kind": "drone", "count": MANY, "in": {"rect": [0, 0, 4000, 3000]}}])
        part = 4000
        hashes = []
        for form in ("whole", "first", "agents"):
            with Server("--paused", "--rate", "0", path) as server, server.connect() as client:
                of_form = []
                for tick in range(4):
                    x, y = self.vectors(tick)
                    if form == "whole":
                        reply = client.request("drive", kind="drone", vx=packed(x), vy=packed(y))
                        self.assert_reply(reply, "drive", driven=MANY, gone=0)
                    for begin in range(0, MANY, part) if form != "whole" else ():
                        end = min(begin + part, MANY)
                        whose = {"kind": "drone", "first": begin} if form == "first" else {"agents": ids(range(begin + 1, end + 1))}
                        client.send("drive", **whose, vx=packed(x[begin:end]), vy=packed(y[begin:end]))
                    of_form.append(client.request("step")["hash"])
                self.assertEqual(self.velocities(client, [1, MANY]), [(x[0], y[0]), (x[-1], y[-1])])
                hashes.append(of_form)
        self.assertEqual(hashes[0], hashes[1])
        self.assertEqual(hashes[0], hashes[2])

    def test_sixty_times_a_second(self):
        """Within the default rate of requests: none is held back, and the session stays."""
        path = self.scenario(agents=[{"kind": "drone", "count": MANY, "in": {"rect": [0, 0, 4000, 3000]}}])
        with Server(path) as server, server.connect() as client:
            x, y = self.vectors(0)
            x, y = packed(x), packed(y)
            begin = time.monotonic()
            for tick in range(180 if SLOW else 60):
                client.send("drive", kind="drone", vx=x, vy=y)
                time.sleep(max(0.0, begin + (tick + 1) / 60 - time.monotonic()))
            self.assert_reply(client.request("drive", kind="drone", vx=x, vy=y), "drive", driven=MANY)
            self.assertEqual(client.unread(), b"")


class Kept(Driven):
    def drive(self, client, ticks, seed):
        """Drives some of the agents before each of some ticks; the last reply."""
        for tick in range(ticks):
            if tick % 3 == 0:
                client.request("drive", kind="drone", vx=[float(seed + i - tick) for i in range(5)], vy=[0.125 * tick] * 5)
            elif tick % 3 == 1:
                client.request("drive", agents=[4, 2, 77], vx=packed([1.1, -50, 3]), vy=packed([0, seed, 3]))
            reply = client.request("step")
        return reply

    def test_a_saved_world_keeps_vectors(self):
        with Server("--paused", self.scenario()) as server, server.connect() as client:
            self.drive(client, 7, 20)
            client.request("drive", agent=3, vx=33, vy=-44)
            saved = client.request("save", name="led")
            ahead = client.request("step", count=20)["hash"]
            client.request("load", save="led")
            self.assertEqual(client.request("save", name="again")["hash"], saved["hash"])
            self.assertEqual(client.request("step")["tick"], saved["tick"] + 1)
            self.assertEqual(self.velocities(client, [3]), [(33.0, -44.0)])
            self.assertEqual(client.request("step", count=19)["hash"], ahead)

    def test_a_journal_keeps_them_through_kill_9(self):
        path = self.scenario()
        options = ["--state", str(self.folder / "state"), "--sync", "always", "--paused"]
        with Server("--paused", path) as plain, plain.connect() as client:
            expected = [self.drive(client, 10, seed)["hash"] for seed in (30, 60)]
        with Server(*options, path).doomed() as server:
            with server.connect() as client:
                self.assertEqual(self.drive(client, 10, 30)["hash"], expected[0])
            server.kill()
        with Server(*options, path) as server, server.connect() as client:
            self.assertEqual(client.request("save", name="now")["hash"], expected[0])
            self.assertEqual(self.drive(client, 10, 60)["hash"], expected[1])

    def test_a_recording_is_verified(self):
        file = self.folder / "a.drover"
        with Server("--record", str(file), "--paused", self.scenario()) as server, server.connect() as client:
            self.drive(client, 90, 10)
        if not TOOL:
            self.skipTest("DROVER_TOOL is not set")
        run = subprocess.run([TOOL, "verify", str(file)], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("all the same", run.stdout)
        self.assertEqual(file.read_text().count('"op":"drive"'), 60)


if __name__ == "__main__":
    unittest.main()
