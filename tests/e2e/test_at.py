"""Requests that wait for a tick: at which, in which order, and what becomes of them when their session or world goes."""

import json
import pathlib
import shutil
import tempfile
import unittest

from drover_client import Case, Closed, Server


class At(Case):
    def test_it_takes_effect_at_its_tick(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            for at, name in ((30, "c"), (10, "a"), (30, "d"), (20, "b")):
                client.send("add_target", id=name, at=at, name=name, x=1, y=1)
            self.assertEqual(client.flush(), [])
            reply = client.request("step", count=40, id="step")
            for name, at in (("a", 10), ("b", 20), ("c", 30), ("d", 30)):
                self.assert_reply(client.receive(), "add_target", id=name, tick=at)
            self.assertEqual(reply["tick"], 40)
            names = [target["name"] for target in client.request("list", what="targets")["targets"]]
            self.assertEqual(names, ["mouse", "a", "b", "c", "d"])
            self.assert_reply(client.request("spawn", kind="seeker", at=40), "spawn", tick=40)
            self.assert_error(client.request("spawn", kind="seeker", at=39), "late", field="at")

    def test_the_same_world_as_with_steps(self):
        hashes = []
        for is_waiting in (True, False):
            with Server("--paused", "boids") as server, server.connect() as client:
                if is_waiting:
                    client.send("batch", id="b", at=25, requests=[{"op": "spawn", "kind": "boid", "count": 4}, {"op": "remove", "agent": 2}])
                    client.send("set_param", at=25, kind="boid", param="max_speed", value=80)
                    hashes.append(client.request("step", count=50)["hash"])
                    self.assertEqual(client.answer_to("b")["tick"], 25)
                else:
                    client.request("step", count=25)
                    client.request("batch", requests=[{"op": "spawn", "kind": "boid", "count": 4}, {"op": "remove", "agent": 2}])
                    client.request("set_param", kind="boid", param="max_speed", value=80)
                    hashes.append(client.request("step", count=25)["hash"])
        self.assertEqual(hashes[0], hashes[1])

    def test_a_running_world_pauses_at_its_tick(self):
        with Server("--paused", "seek") as server, server.connect() as client, server.connect() as watcher:
            watcher.request("subscribe", layout="events")
            client.send("pause", id="p", at=30)
            client.send("resume", id="r")
            self.assert_reply(client.answer_to("r"), "resume")
            self.assert_reply(client.answer_to("p"), "pause", tick=30)
            self.assertEqual(client.request("ping")["tick"], 30)
            self.assertEqual([(m["event"], m["tick"]) for m in watcher.flush()], [("resumed", 0), ("paused", 30)])
            client.send("speed", max=True)
            client.send("pause", id="p", at=3000)
            client.send("resume")
            self.assert_reply(client.answer_to("p"), "pause", tick=3000)
            self.assertEqual(client.request("ping")["tick"], 3000)

    def test_odd_ticks(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            for at, code in ((-1, "out_of_range"), (2**53, "out_of_range"), (1.5, "bad_param"), ("5", "bad_param"), (None, "bad_param")):
                self.assert_error(client.request("spawn", kind="seeker", at=at), code, field="at")
            self.assert_error(client.request("batch", requests=[{"op": "spawn", "kind": "seeker", "at": 5}]), "bad_param", field="requests[0].at")
            for op, fields in (("step", {}), ("ping", {}), ("mouse", {"x": 1, "y": 1}), ("load", {"scenario": "seek"})):
                self.assertEqual(client.request(op, at=0, **fields).get("unknown"), ["at"], op)
            client.send("spawn", id="far", kind="seeker", at=2**53 - 1)
            client.send("spawn", id="wrong", kind="seeekr", at=5)
            client.request("step", count=10)
            self.assert_error(client.answer_to("wrong"), "no_kind")

    def test_128_wait_and_the_session_is_served(self):
        with Server("--paused", "--rate", "0", "seek") as server, server.connect() as client:
            for number in range(128):
                client.send("spawn", id=f"n{number}", kind="seeker", at=50 - number % 7)
            self.assert_error(client.request("spawn", id="more", kind="seeker", at=50), "full", field="at")
            self.assert_reply(client.request("spawn", kind="seeker"), "spawn", first_id=2)
            self.assert_reply(client.request("step", count=50), "step")
            answers = [client.receive() for _ in range(128)]
            expected = sorted(range(128), key=lambda number: (50 - number % 7, number))
            self.assertEqual([m["id"] for m in answers], [f"n{number}" for number in expected])
            client.send("spawn", id="again", kind="seeker", at=51)
            client.request("step")
            self.assert_reply(client.answer_to("again"), "spawn", tick=51)

    def test_a_session_that_leaves_withdraws_them(self):
        with Server("--paused", "seek") as server, server.connect() as watcher:
            watcher.request("subscribe", layout="events")
            for how in ("bye", "vanish"):
                client = server.connect()
                for number in range(3):
                    client.send("spawn", id=f"n{number}", kind="seeker", at=5)
                client.request("ping")
                if how == "bye":
                    client.send("bye", id="end")
                    messages = client.until_closed()
                    self.assertEqual([m.get("code", m.get("to", m["op"])) for m in messages], ["withdrawn"] * 3 + ["bye", "bye"])
                else:
                    client.vanish()
                count = 0
                while count < 3:  # those that were on their way between the threads have an event of their own
                    event = watcher.receive_op("event")
                    self.assertEqual((event["event"], event["by"]), ("withdrawn", client.hello["session"]))
                    count += event["count"]
                self.assertEqual(count, 3)
                client.socket.close()
            watcher.request("step", count=10)
            self.assertEqual(watcher.request("list", what="kinds")["kinds"][0]["count"], 1)

    def test_behind_a_load_that_ends_all(self):
        with Server("--paused", "seek") as server, server.connect() as client, server.connect() as other:
            other.request("subscribe", layout="events")
            client.send("spawn", id="old", kind="seeker", at=5)
            client.send("load", id="load", scenario="boids")
            client.send("spawn", id="new", kind="boid", at=5)
            self.assert_error(client.answer_to("old"), "withdrawn", field="at")
            self.assert_reply(client.answer_to("load"), "load")
            client.request("step", count=5)
            self.assert_reply(client.answer_to("new"), "spawn", tick=5)
            self.assertIn(("withdrawn", 1), [(m.get("event"), m.get("count")) for m in other.flush()])
            client.send("spawn", id="late", kind="boid", at=500)
            client.send("load", scenario="seek")
            client.send("spawn", kind="seeker", at=500)
            client.socket.close()  # what is in the queue is done, what waits is withdrawn
            while True:
                event = other.receive_op("event")
                if event["event"] == "withdrawn" and other.request("list", what="kinds")["kinds"][0]["name"] == "seeker":
                    break

    def test_the_stop_answers_them(self):
        with Server("--paused", "seek") as server:
            client = server.connect()
            client.send("spawn", id="w", kind="seeker", at=5)
            client.request("ping")
            client.request("get_params")
            server.stop()
            try:
                self.assert_error(client.answer_to("w"), "busy")
            except Closed:
                self.fail("no answer")
            client.socket.close()

    def test_in_a_recording_and_a_journal(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-at-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        file, state = folder / "a.drover", folder / "state"
        with Server("--paused", "--record", str(file), "--state", str(state), "boids") as server, server.connect() as client:
            client.send("spawn", id="s", kind="boid", count=2, at=17)
            client.request("step", count=40)
            client.send("spawn", id="never", kind="boid", count=2, at=400)  # is in neither
            end = client.request("step", count=21)
        done = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        done = [(line["tick"], line["request"]) for line in done if line["op"] == "do"]
        self.assertEqual(done, [(17, {"op": "spawn", "kind": "boid", "count": 2})])
        with Server("--paused", "--state", str(state), "boids") as server, server.connect() as client:
            reply = client.request("save", name="now")
            self.assertEqual((reply["tick"], reply["hash"]), (end["tick"], end["hash"]))
        with Server("--replay", str(file), "--paused") as server, server.connect() as client:
            self.assert_error(client.request("pause", at=30), "replaying")
            client.request("seek", tick=end["tick"])
            self.assertFalse(client.request("stats")["replay"]["diverged"])


if __name__ == "__main__":
    unittest.main()
