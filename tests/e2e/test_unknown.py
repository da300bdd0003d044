"""Mistakes without an error: members that an op does not know, and targets without effect."""

import unittest

from drover_client import Case, Server


class Unknown(Case):
    def setUp(self):
        self.server = Server("--paused", "flock")
        self.client = self.server.connect()

    def tearDown(self):
        self.client.socket.close()
        with self.server:
            pass

    def told(self, client=None):
        return [m for m in (client or self.client).flush() if m["op"] == "event" and m["event"] in ("unknown", "unheeded")]

    # --- members

    def test_a_reply_names_them_and_the_request_is_done(self):
        message = self.client.request("spawn", kind="bird", cuont=5, x=1, y=1)
        self.assert_reply(message, "spawn", count=1, unknown=["cuont"], hint='"cuont": did you mean "count"?')
        message = self.client.request("subscribe", rate=20, hz=60)
        self.assert_reply(message, "subscribe", hz=60, unknown=["rate"], hint='"rate": did you mean "hz"?')
        message = self.client.request("load", scenario="flock", count=3)
        self.assert_reply(message, "load", unknown=["count"])
        self.assertIn("spawn, step", message["hint"])
        self.assertNotIn("unknown", self.client.request("spawn", kind="bird", count=5))
        self.assertNotIn("unknown", self.client.request("ping"))

    def test_an_error_names_what_was_meant(self):
        message = self.client.request("spawn", knid="bird")
        self.assert_error(message, "bad_param", field="kind", unknown=["knid"], hint='"knid": did you mean "kind"?')
        message = self.client.request("spawn", kind="wolf", cuont=3)  # the world refuses it
        self.assert_error(message, "no_kind", unknown=["cuont"])
        self.client.send("set_target", target="mouse", x=1, y=1)
        self.assert_error(self.client.receive(), "bad_param", unknown=["target"], hint='"target": did you mean "name"?')

    def test_without_a_reply_an_event_once_for_each_op(self):
        with self.server.connect() as other:
            other.request("subscribe", layout="events")
            for _ in range(3):
                self.client.send("spawn", kind="bird", cuont=5)
                self.client.send("mouse", x=1, y=1, z=1)
                self.client.send("mouse", x=1, y=1, z=1)
            told = self.told()
            self.assertEqual([(m["to"], m["unknown"]) for m in told], [("spawn", ["cuont"]), ("mouse", ["z"])])
            self.assertEqual(told[0]["hint"], '"cuont": did you mean "count"?')
            self.assertEqual(self.told(other), [], "no other session gets the event")
        with self.server.connect() as fresh:
            fresh.send("spawn", kind="bird", cuont=5)
            self.assertEqual(len(self.told(fresh)), 1, "once for each session")

    def test_bye_says_it_too(self):
        self.client.send("bye", id=1, why="late")
        self.assertEqual([(m["op"], m.get("to")) for m in self.client.until_closed()], [("event", "bye"), ("reply", "bye"), ("bye", None)])

    def test_it_is_bounded(self):
        members = {("x" * i + "é" * 50): 0 for i in range(100)}
        message = self.client.request("ping", **members)
        self.assertLessEqual(len(message["unknown"]), 8)
        self.assertTrue(all(0 < len(name.encode()) <= 64 for name in message["unknown"]))
        self.assertLess(len(self.client.last_line), 1000)

    # --- targets

    def test_a_target_that_nothing_heeds(self):
        # The birds of a flock react to each other: no behavior in this world has a target.
        for fields in ({"agent": 1, "x": 5, "y": 6}, {"kind": "bird", "x": 5, "y": 6}, {"kind": "bird", "follow": "mouse"}):
            self.assert_reply(self.client.request("set_target", **fields), "set_target", heeded=False)
        self.client.request("add_target", name="den", x=1, y=1)
        self.assert_reply(self.client.request("set_target", name="den", x=5, y=6), "set_target", x=5, y=6, heeded=False)
        self.assertNotIn("heeded", self.client.request("set_target", kind="bird", clear=True))
        for _ in range(3):
            self.client.send("set_target", name="den", x=7, y=8)
            self.client.send("set_target", kind="bird", x=7, y=8)
        told = self.told()
        self.assertEqual([(m["event"], m["target"], m["x"], m["y"]) for m in told], [("unheeded", "den", 7, 8)])

    def test_a_heeded_target(self):
        self.client.request("load", scenario="seek")
        self.assertNotIn("heeded", self.client.request("set_target", name="mouse", x=5, y=6))
        self.assertNotIn("heeded", self.client.request("set_target", agent=1, x=5, y=6))
        self.client.request("set_target", agent=1, clear=True)
        self.client.request("add_target", name="den", x=1, y=1)
        self.assertIs(self.client.request("set_target", name="den", x=5, y=6)["heeded"], False)
        self.client.request("set_target", kind="seeker", follow="den")
        self.assertNotIn("heeded", self.client.request("set_target", name="den", x=5, y=7))
        self.assertIs(self.client.request("set_target", name="mouse", x=5, y=7)["heeded"], False)
        self.client.request("remove", kind="seeker")
        self.assertIs(self.client.request("set_target", name="den", x=5, y=6)["heeded"], False)
        self.assertEqual(self.told(), [])


if __name__ == "__main__":
    unittest.main()
