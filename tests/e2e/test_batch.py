"""Batches: all or none, in one tick, with any operation in them, from any session, and in a recording."""

import json
import pathlib
import shutil
import tempfile
import unittest

from drover_client import PATIENCE_S, Case, Server

SPAWN = {"op": "spawn", "kind": "seeker"}
WRONG = {"op": "set_target", "agent": 4294967295, "x": 1, "y": 1}


def saved(client):
    """The hash of the world, which changes nothing, and its tick."""
    reply = client.request("save", name="now", replace=True)
    return reply["tick"], reply["hash"]


class Batch(Case):
    def test_a_refused_member_refuses_all(self):
        with Server("--paused", "seek") as server, server.connect() as client, server.connect() as watcher:
            client.request("hello", seq=True)
            watcher.request("hello", seq=True)
            watcher.request("subscribe", layout="events")
            before = saved(client)
            for place in (0, 1, 100, 255):
                requests = [SPAWN] * 256
                requests[place] = WRONG
                message = client.request("batch", requests=requests)
                self.assert_error(message, "no_agent", field=f"requests[{place}].agent", index=place)
                self.assertEqual(saved(client), before)
            self.assertEqual({message["event"] for message in watcher.flush()}, {"saved"})
            self.assertEqual(client.request("spawn", kind="seeker")["first_id"], 2)  # no id was used up
            self.assertEqual(client.request("ping")["seq"], 1)

    def test_more_agents_than_fit(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            before = saved(client)
            client.send("batch", id=1, requests=[{**SPAWN, "count": 10000}] * 256)
            message = client.answer_to(1, 8 * PATIENCE_S)  # a million agents, made and undone
            self.assert_error(message, "full", index=104)
            self.assertEqual(saved(client), before)
            self.assert_reply(client.request("batch", requests=[{**SPAWN, "count": 10}, {"op": "remove", "kind": "seeker"}]), "batch")
            self.assertEqual(client.request("list", what="kinds")["kinds"][0]["count"], 0)

    def test_what_cannot_stand_in_a_batch(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            before = saved(client)
            for op in {row["op"] for row in client.request("help")["ops"]} - {
                    "set_target", "spawn", "remove", "set_param", "add_target", "remove_target", "add_obstacle", "move_obstacle",
                    "set_obstacle", "remove_obstacle", "place", "drive", "edit"}:
                message = client.request("batch", requests=[SPAWN, {"op": op, "name": "x", "count": 1, "scenario": "arrive", "requests": [SPAWN]}])
                self.assert_error(message, "bad_param", field="requests[1].op", index=1)
            nested = SPAWN
            for _ in range(6):
                nested = {"op": "batch", "requests": [nested]}
            self.assert_error(client.request(**nested), "bad_param", field="requests[0].op")
            self.assertEqual(saved(client), before)
            self.assertEqual([entry["name"] for entry in client.request("list", what="saves")["saves"]], ["now"])

    def test_while_the_world_runs_it_is_in_one_tick(self):
        with Server("boids") as server, server.connect() as client:
            for _ in range(20):
                reply = client.request("batch", requests=[{"op": "spawn", "kind": "boid"}, {"op": "remove", "agent": 1},
                                                          {"op": "set_param", "kind": "boid", "param": "max_speed", "value": 77}] * 20)
                self.assert_reply(reply, "batch")
                self.assertEqual({part["tick"] for part in reply["replies"]}, {reply["tick"]})
                self.assertEqual(len(reply["replies"]), 60)

    def test_a_long_batch_and_its_log(self):
        with Server("--paused", "--log", "debug", "boids") as server, server.connect() as client:
            ids = list(range(1, 2049))
            reply = client.request("batch", requests=[{"op": "remove", "agents": ids}] + [{"op": "remove", "agents": ids}] * 40)
            self.assertEqual(len(reply["replies"]), 41)
            self.assertEqual(len(reply["replies"][40]["missing"]), 2048)

    def test_without_an_id_it_is_answered(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            client.send("batch", requests=[{**SPAWN, "cuont": 2}, {"op": "set_target", "agent": 1, "x": 5, "y": 5}], more=1)
            reply = client.receive()
            self.assert_reply(reply, "batch", unknown=["more"])
            self.assertEqual(reply["replies"][0]["unknown"], ["cuont"])
            client.send("batch", requests=[WRONG])
            self.assert_error(client.receive(), "no_agent", line=2, index=0)

    def test_roles_and_rates(self):
        with tempfile.NamedTemporaryFile("w") as tokens:
            tokens.write("viewer secret-v\noperator secret-o\nadmin secret-a\n")
            tokens.flush()
            with Server("--paused", "--token-file", tokens.name, "--rate", "200", "seek") as server:
                with server.connect() as viewer:
                    viewer.request("hello", token="secret-v")
                    self.assert_error(viewer.request("batch", requests=[SPAWN]), "denied", field="op")
                with server.connect() as client:
                    client.request("hello", token="secret-o")
                    for number in range(5):
                        client.send("batch", id=f"b{number}", requests=[SPAWN] * 256)
                    for number in range(5):
                        self.assert_reply(client.answer_to(f"b{number}"), "batch")
                    self.assertIn("rate", [message.get("code") for message in client.flush()])  # 1280 requests, of which 400 at once

    def test_in_a_recording(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-batch-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        file = folder / "a.drover"
        with Server("--paused", "--record", str(file), "boids") as server, server.connect() as client:
            client.request("hello", seq=True)
            for number in range(3):
                client.request("step", count=10)
                client.request("batch", requests=[{"op": "spawn", "kind": "boid", "count": 3}, {"op": "remove", "agents": [number + 1, 999]},
                                                  {"op": "set_param", "kind": "boid", "param": "max_speed", "value": 90 + number}])
                client.request("batch", requests=[SPAWN, SPAWN])  # refused: no such kind
            end = client.request("step", count=61)
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        done = [line["request"] for line in lines if line["op"] == "do"]
        self.assertEqual([request["op"] for request in done], ["batch"] * 3)
        self.assertEqual([len(request["requests"]) for request in done], [3] * 3)
        with Server("--replay", str(file), "--paused") as server, server.connect() as client:
            reply = client.request("seek", tick=end["tick"])
            self.assertEqual(client.request("stats")["replay"]["diverged"], False, reply)
            self.assert_error(client.request("batch", requests=[SPAWN]), "replaying")

    def test_a_flood_of_batches_costs_bounded_memory(self):
        with Server("--rate", "0", "seek") as server, server.connect() as client:
            line = json.dumps({"op": "batch", "requests": [WRONG] * 256}) + "\n"
            before = server.rss_bytes()
            client.send_raw(line * 200)
            for _ in range(200):
                self.assert_error(client.receive(), "no_agent", index=0)
            self.assertLess(server.rss_bytes() - before, 512 << 20)  # with what the sanitizers hold back


if __name__ == "__main__":
    unittest.main()
