"""Saved worlds: save, load, list, remove_save; what they keep, what they refuse, and that nothing waits for them."""

import pathlib
import random
import re
import tempfile
import unittest

from drover_client import Case, Server, run_server, sealed, wait_for

HAS_STATE = "--state" in run_server("--help").stdout


def hash_at(scenario, *steps, environment=None):
    """Steps a world of the scenario; the hash at the end."""
    with Server("--paused", scenario, environment=environment) as server, server.connect() as client:
        return [client.request("step", count=count) for count in steps][-1]["hash"]


class Saves(Case):
    def names(self, client):
        return [row["name"] for row in client.request("list", what="saves")["saves"]]

    def test_the_future_of_a_saved_world_is_that_of_the_world(self):
        # After 20 s a guard remembers a thief.
        for scenario, ticks in {"seek": 37, "flock": 37, "hunters_and_prey": 37, "shepherds": 37, "guard": 1230}.items():
            with self.subTest(scenario=scenario), Server("--paused", scenario) as server, server.connect() as client:
                client.request("step", count=ticks)
                client.request("spawn", kind=client.hello["scenario"]["kinds"][0]["name"], count=5)
                saved = client.request("save", name="here")
                self.assert_reply(saved, "save", tick=ticks, kept="memory")
                future = client.request("step", count=100)
                client.request("load", scenario="arrive")
                loaded = client.request("load", save="here")
                self.assert_reply(loaded, "load", tick=ticks, scenario=scenario, save="here", hash=saved["hash"])
                again = client.request("step", count=100)
                self.assertEqual((again["tick"], again["hash"]), (future["tick"], future["hash"]))

    def test_a_concave_obstacle_is_one(self):
        horseshoe = [[300, 100], [500, 100], [500, 380], [460, 380], [460, 140], [340, 140], [340, 380], [300, 380]]
        with Server("--paused", "avoid_obstacles") as server, server.connect() as client:
            added = client.request("add_obstacle", polygon=horseshoe)
            self.assert_reply(added, "add_obstacle", obstacle=len(client.hello["scenario"]["obstacles"]) + 1)
            client.request("move_obstacle", obstacle=added["obstacle"], x=330, y=110.5)
            client.request("step", count=60)
            saved = client.request("save", name="here")
            future = client.request("step", count=200)
            client.request("load", scenario="arrive")
            self.assert_reply(client.request("load", save="here"), "load", hash=saved["hash"])
            with server.connect() as other:
                self.assertEqual(other.hello["scenario"]["obstacles"][-1],
                                 {"id": added["obstacle"], "polygon": [[x + 30, y + 10.5] for x, y in horseshoe]})
            self.assertEqual(client.request("step", count=200)["hash"], future["hash"])
            self.assert_reply(client.request("remove_obstacle", obstacle=added["obstacle"]), "remove_obstacle")
            crossed = client.request("add_obstacle", polygon=[horseshoe[0], horseshoe[2], horseshoe[1], horseshoe[3]])
            self.assertEqual((crossed["code"], crossed["field"]), ("bad_param", "polygon"))
            self.assertIn("sides 1 and 3 of the polygon cross", crossed["message"])

    def test_saving_changes_nothing(self):
        expected = hash_at("flock", 300)
        with Server("--paused", "flock") as server, server.connect() as client:
            for number in range(10):
                client.send("step", count=30)
                client.send("save", name="again", replace=True)
            self.assertEqual(client.request("step", count=1)["tick"], 301)
            client.request("load", save="again")
            self.assertEqual(client.request("ping")["tick"], 300)
            self.assertEqual(client.request("save", name="end")["hash"], expected)

    def test_a_running_world_is_saved_as_it_is_at_a_tick(self):
        with Server("flock") as server, server.connect() as client:
            saved = client.request("save", name="running")
            wait_for(lambda: client.request("ping")["tick"] > saved["tick"], "it runs on")
        self.assertEqual(saved["hash"], hash_at("flock", saved["tick"]) if saved["tick"] > 0 else saved["hash"])

    def test_the_list(self):
        with Server("--paused", "flock") as server, server.connect() as client:
            self.assertEqual(self.names(client), [])
            saved = client.request("save", name="a")
            client.request("load", scenario="seek")
            client.request("save", name="b")
            rows = {row["name"]: row for row in client.request("list", what="saves")["saves"]}
            self.assertEqual((rows["a"]["scenario"], rows["a"]["tick"], rows["a"]["hash"], rows["a"]["bytes"]),
                             ("flock", 0, saved["hash"], saved["bytes"]))
            self.assertEqual((rows["b"]["scenario"], rows["b"]["agents"]), ("seek", 1))
            self.assertRegex(rows["a"]["saved"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

    def test_names(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            for name in ("", "../a", "a/b", ".", "a.drover", "x" * 32, "a b", 5, None):
                with self.subTest(name=name):
                    self.assert_error(client.request("save", name=name), "bad_param", field="name")
                    self.assert_error(client.request("load", save=name), "bad_param", field="save")
            self.assert_reply(client.request("save", name="x" * 31), "save")
            first = client.request("save", name="a")
            client.request("step")
            self.assert_error(client.request("save", name="a"), "exists", field="name")
            self.assert_error(client.request("save", name="a", replace=False), "exists", field="name")
            self.assertNotEqual(client.request("save", name="a", replace=True)["hash"], first["hash"])
            self.assert_error(client.request("load", save="b"), "no_save", field="save")
            self.assert_error(client.request("remove_save", name="b"), "no_save", field="name")
            self.assert_reply(client.request("remove_save", name="a"), "remove_save", tick=1)
            self.assertEqual(self.names(client), ["x" * 31])

    def test_full(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            for number in range(256):
                client.send("save", id=number, name=f"s{number}")
            for number in range(256):
                self.assert_reply(client.answer_to(number), "save")
            self.assert_error(client.request("save", name="more"), "full")
            self.assert_reply(client.request("save", name="s7", replace=True), "save")
            client.request("remove_save", name="s8")
            self.assert_reply(client.request("save", name="more"), "save")

    def test_replies_keep_their_order_and_nobody_waits(self):
        with Server("--paused", "murmuration_100k") as server, server.connect() as client, server.connect() as other:
            client.send("step", id=1)
            client.send("save", id=2, name="large")
            client.send("step", id=3)
            client.send("remove_save", id=4, name="large")
            client.send("list", id=5, what="saves")
            wait_for(lambda: other.request("ping")["tick"] >= 1, "the step", 60)
            self.assert_reply(other.request("set_param", kind=other.hello["scenario"]["kinds"][0]["name"], param="mass", value=1), "set_param")
            answers = [client.receive(60) for _ in range(5)]
            self.assertEqual([answer["id"] for answer in answers], [1, 2, 3, 4, 5])
            self.assertEqual([answer["tick"] for answer in answers[:4]], [1, 1, 2, 2])
            self.assertEqual(answers[1]["hash"], answers[0]["hash"])
            self.assertEqual(answers[4]["saves"], [])

    def test_events(self):
        with Server("--paused", "seek") as server, server.connect() as client, server.connect() as other:
            other.request("subscribe", layout="events")
            client.request("hello", name="Ann")
            client.request("step", count=3)
            client.request("save", name="a")
            client.request("load", save="a")
            client.request("remove_save", name="a")
            seen = [line for line in other.flush() if line["op"] in ("event", "scenario")]
            self.assertEqual([line.get("event", "scenario") for line in seen], ["saved", "scenario", "save_removed"])
            self.assertEqual((seen[0]["save"], seen[0]["tick"], seen[0]["name"]), ("a", 3, "Ann"))

    def test_cursors_leave_a_loaded_world(self):
        with Server("--paused", "shepherds") as server, server.connect() as client, server.connect() as watcher:
            watcher.request("hello", seq=True)
            watcher.request("subscribe", layout="events")
            client.request("cursor", x=10, y=20)
            with server.connect() as gone:
                gone.request("cursor", x=30, y=40)
                client.request("save", name="both")
            wait_for(lambda: self.cursors(client) == ["cursor-1"], "it is gone")
            client.request("load", save="both")
            self.assertEqual(self.cursors(client), [])
            seen = [line for line in watcher.flush() if line.get("event") == "cursor_gone"]
            self.assertEqual([line["cursor"] for line in seen], ["cursor-2", "cursor-1", "cursor-2"])
            client.request("cursor", x=50, y=60)
            self.assertEqual(self.cursors(client), ["cursor-1"])

    @unittest.skipUnless(HAS_STATE, "--state")
    def test_a_save_of_another_core_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            state = pathlib.Path(folder, "state")
            with Server("--paused", "--state", str(state), "flock") as server, server.connect() as client:
                saved = client.request("save", name="mine")
                self.assertNotIn("core", client.request("load", save="mine"))
                text = (state / "saves/mine.drover").read_text()
                own = re.search(r'"format":1,("core":\d+)', text)[1]
                (state / "saves/other.drover").write_text(sealed(text.replace(own, '"core":77', 1)))
                loaded = client.request("load", save="other")
                self.assert_reply(loaded, "load", core=77, hash=saved["hash"], save="other")
                self.assert_logged(server, "core 77")
                (state / "saves/bits.drover").write_text(sealed(text.replace(own, '"core":77', 1).replace(saved["hash"], "0" * 16)))
                self.assert_error(client.request("load", save="bits"), "version")
                for core in ('"x"', "-1", "0", "1.5", "null", "99999999999"):
                    (state / "saves/bad.drover").write_text(sealed(text.replace(own, f'"core":{core}', 1)))
                    self.assert_error(client.request("load", save="bad"), "bad_save")

    @unittest.skipUnless(HAS_STATE, "--state")
    def test_cursors_of_a_save_attach_to_no_session_of_another_server(self):
        with tempfile.TemporaryDirectory() as folder:
            state = pathlib.Path(folder, "state")
            with Server("--paused", "--state", str(state), "shepherds") as server, server.connect() as one, server.connect() as two:
                one.request("cursor", x=10, y=20)
                two.request("cursor", x=30, y=40)
                one.request("save", name="both")
            with Server("--paused", "--state", str(state)) as server, server.connect() as one, server.connect():
                one.request("load", save="both")
                self.assertEqual(self.cursors(one), [])
                hash_then = one.request("step", count=60)["hash"]
            with Server("--paused", "--state", str(state)) as server, server.connect() as client:
                self.assertEqual(client.request("save", name="again")["hash"], hash_then)

    def cursors(self, client):
        return [row["name"] for row in client.request("list", what="targets")["targets"] if row["name"].startswith("cursor")]

    def test_a_stop_loses_no_answer(self):
        with Server("--paused", "murmuration_100k") as server, server.connect() as client:
            for number in range(6):
                client.send("save", id=number, name=f"s{number}")
            client.send("ping", id=6)
            client.answer_to(6)
            server.stop()
            ids = [line["id"] for line in client.until_closed() if line["op"] in ("reply", "error")]
            self.assertEqual(ids, list(range(6)))


@unittest.skipUnless(HAS_STATE, "this server keeps nothing on the disk")
class OnDisk(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "state"

    def server(self, *more):
        return Server("--paused", "--state", str(self.folder), *more)

    def test_they_outlive_the_server(self):
        with self.server("flock") as server, server.connect() as client:
            client.request("step", count=50)
            saved = client.request("save", name="a")
            self.assert_reply(saved, "save", kept="disk")
            future = client.request("step", count=50)["hash"]
            file = self.folder / "saves" / "a.drover"
            self.assertEqual((file.stat().st_size, file.stat().st_mode & 0o777), (saved["bytes"], 0o600))
        with self.server("--state-new", "seek") as server, server.connect() as client:
            self.assert_reply(client.request("load", save="a"), "load", tick=50, hash=saved["hash"], scenario="flock")
            self.assertEqual(client.request("step", count=50)["hash"], future)
            client.request("remove_save", name="a")
            self.assertFalse(file.exists())

    def test_a_load_of_a_save_is_in_the_journal(self):
        server = self.server("shepherds")
        self.addCleanup(server._stderr.close)
        self.addCleanup(server.kill)
        with server.connect() as client:
            client.request("cursor", x=10, y=20)
            client.request("step", count=50)
            client.request("save", name="a")
            client.request("load", scenario="flock")
            client.request("step", count=10)
            client.request("load", save="a")
            client.request("cursor", x=30, y=20)
            expected = client.request("step", count=20)
            seq = client.request("save", name="end")
            self.assertEqual(seq["hash"], expected["hash"])
            journal = self.folder / "journal-000001.drover"
            wait_for(lambda: '{"op":"at","tick":70,' in journal.read_text().splitlines()[-1], "the journal has it")
            server.kill()
        with self.server() as server, server.connect() as client:
            wait_for(lambda: "resuming" not in client.request("stats"), "the world is there again")
            self.assertEqual(client.request("ping")["tick"], expected["tick"])
            self.assertGreaterEqual(client.request("hello", seq=True)["seq"], 6, "numbers go on")
            wait_for(lambda: len(client.request("list", what="targets")["targets"]) == len(client.hello["scenario"]["targets"]),
                     "the cursor of the session is gone")
            self.assert_reply(client.request("load", save="end"), "load", hash=expected["hash"], tick=expected["tick"])

    def test_a_damaged_save_is_listed_and_can_be_removed(self):
        with self.server("flock") as server, server.connect() as client:
            client.request("save", name="good")
            self.assertNotIn("damaged", client.request("list", what="saves"))
            (self.folder / "saves" / "bad.drover").write_text("mine\n")
            listed = client.request("list", what="saves")
            self.assertEqual([row["name"] for row in listed["saves"]], ["good"])
            self.assertEqual([(row["name"], row["bytes"]) for row in listed["damaged"]], [("bad", 5)])
            self.assert_error(client.request("save", name="bad"), "exists")
            self.assert_reply(client.request("remove_save", name="bad"), "remove_save")
            self.assertNotIn("damaged", client.request("list", what="saves"))

    def test_a_damaged_save_is_refused_and_the_old_world_runs_on(self):
        dice = random.Random(4)
        with self.server("flock") as server, server.connect() as client:
            client.request("step", count=5)
            client.request("save", name="a")
            file = self.folder / "saves" / "a.drover"
            good = file.read_bytes()
            before = client.request("step", count=1)["hash"]
            for number in range(150):
                bad = bytearray(good)
                where = dice.randrange(len(bad))
                if number % 3 == 0:
                    bad[where] = bad[where] ^ (1 << dice.randrange(8))
                elif number % 3 == 1:
                    del bad[where:where + dice.choice([1, 4, 1000])]
                else:
                    del bad[where:]
                file.write_bytes(bad)
                answer = client.request("load", save="a")
                if answer["op"] == "error":
                    self.assertIn(answer["code"], ("bad_save", "version"), answer)
                    self.assertEqual(answer["field"], "save")
                    self.assertEqual(client.request("save", name="now", replace=True)["hash"], before)
                else:  # the byte meant nothing: a name of the program that wrote it, a member that is not known
                    self.assertEqual(answer["tick"], 5)
                    self.assertEqual(client.request("step", count=1)["hash"], before)
            file.write_bytes(good)
            self.assert_reply(client.request("load", save="a"), "load", tick=5)
            file.unlink()
            file.mkdir()
            self.assertIn(client.request("load", save="a")["code"], ("no_save", "bad_save", "io"))


if __name__ == "__main__":
    unittest.main()
