"""Frames in replies: `get`, and `step` with `return` and `until`."""

import base64
import struct
import unittest

from drover_client import Case, Server


def ints(text, letter):
    return [n for (n,) in struct.iter_unpack("<" + letter, base64.b64decode(text))]


class Get(Case):
    def test_it_is_what_a_subscription_shows(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
            client.request("step", count=33)
            client.request("subscribe", fields=["pos", "vel", "state", "stamina"])
            shown = client.receive()
            self.assertEqual(shown["op"], "snapshot")
            got = client.request("get", fields=["pos", "vel", "state", "stamina"])["frame"]
            self.assertEqual({**got, "clock": 0}, {**shown, "clock": 0})
            packed = client.request("get", layout="packed", fields=["pos"])
            self.assertEqual(ints(packed["key"]["id"], "I"), [agent["id"] for agent in got["agents"]])
            self.assertEqual(ints(packed["key"]["x"], "i"), [round(agent["x"] * 100) for agent in got["agents"]])
            self.assertEqual((packed["frame"]["key"], packed["frame"]["n"]), (1, len(got["agents"])))
            self.assertEqual([m for m in client.flush() if m["op"] == "snapshot"], [], "the subscription is left alone")

    def test_filters(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
            every = client.request("get")["frame"]["agents"]
            kind = every[0]["kind"]
            self.assertEqual([a["id"] for a in client.request("get", kinds=[kind])["frame"]["agents"]],
                             [a["id"] for a in every if a["kind"] == kind])
            inside = client.request("get", region=[0, 0, 300, 300])["frame"]["agents"]
            self.assertEqual(inside, [a for a in every if a["x"] <= 300 and a["y"] <= 300])
            some = client.request("get", agents=[every[2]["id"], 99999, every[0]["id"], every[2]["id"]])
            self.assertEqual((some["frame"]["agents"], some["missing"]), ([every[0], every[2]], [99999]))
            self.assertEqual(client.request("get", agents=[])["frame"]["agents"], [])
            forced = client.request("get", fields=["force"], agents=[every[0]["id"]])["frame"]["agents"][0]
            self.assertIn("steering", forced)

    def test_a_frame_has_a_bound(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            client.request("spawn", kind="seeker", count=100000)
            client.request("spawn", kind="seeker", count=100000)
            self.assert_error(client.request("get"), "full")
            self.assert_error(client.request("step", **{"return": "objects"}), "full")
            self.assertEqual(client.request("ping")["tick"], 0, "no tick is done")
            self.assertEqual(client.request("get", layout="packed", fields=["pos"])["frame"]["n"], 200001)
            for number in range(20):  # one at a time, however many are asked for
                client.send("get", id=f"n{number}", layout="packed", fields=["pos"], region=[0, 0, 400, 400])
            for number in range(20):
                self.assertEqual(client.receive()["id"], f"n{number}")

    def test_long_frames_count_in_the_memory_for_frames(self):
        with Server("--paused", "--frame-memory", "64K", "seek") as server, server.connect() as client:
            client.request("spawn", kind="seeker", count=100000)
            self.assert_error(client.request("get", layout="packed"), "busy")
            self.assertEqual(client.request("get", agents=[1])["frame"]["agents"][0]["id"], 1)
            answer = client.request("step", **{"return": "packed"})
            self.assert_error(answer, "busy")
            self.assertIn("the ticks are done", answer["message"])
            self.assertEqual(client.request("ping")["tick"], 1)


class Step(Case):
    def test_until(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
            client.request("subscribe", layout="events")
            reply = client.request("step", count=6000, until={"caught": 2})
            self.assertEqual(reply["stopped"], "caught")
            caught = [m for m in client.flush() if m["op"] == "event" and m["event"] == "caught"]
            self.assertLessEqual(len(caught), reply["tick"])
            self.assertGreaterEqual(len(caught), 2)
            self.assertEqual(caught[-1]["tick"], reply["tick"])
            again = client.request("step", count=3, until={"tick": reply["tick"] + 100})
            self.assertEqual((again["tick"], "stopped" in again), (reply["tick"] + 3, False))
            self.assertEqual(client.request("step", until={"tick": again["tick"] + 7})["tick"], again["tick"] + 7)

    def test_until_hashes_are_those_of_plain_steps(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
            until = client.request("step", until={"caught": 1}, **{"return": "packed"})
            client.request("load", scenario="hunters_and_prey")
            plain = client.request("step", count=until["tick"])
            self.assertEqual(plain["hash"], until["hash"])
            self.assertEqual(until["frame"]["tick"], until["tick"])

    def test_a_state(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
            kinds = {}
            for agent in client.request("get", fields=["state", "kind"])["frame"]["agents"]:
                kinds.setdefault(agent["kind"], set()).add(agent["state"])
            kind, states = next(iter(kinds.items()))
            reply = client.request("step", until={"state": {"kind": kind, "name": next(iter(states))}})
            self.assertEqual(reply["stopped"], "state")
            self.assert_error(client.request("step", until={"state": {"kind": "whale", "name": "x"}}), "no_kind", field="until.state.kind")

    def test_one_that_never_holds_ends_at_its_count_or_with_a_pause(self):
        with Server("--paused", "seek") as server, server.connect() as client, server.connect() as other:
            reply = client.request("step", count=50, until={"caught": 1})
            self.assertEqual((reply["tick"], "stopped" in reply), (50, False))
            client.send("step", id="long", until={"caught": 1})
            other.request("pause")
            reply = client.receive()
            self.assertTrue(reply.get("stopped") is True or reply["tick"] == 100050, reply)


if __name__ == "__main__":
    unittest.main()
