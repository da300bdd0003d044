"""Subscriptions to some of the events."""

import json
import unittest

from drover_client import ROOT, Case, Server

DEFS = json.loads((ROOT / "protocol.schema.json").read_text(encoding="utf-8"))["$defs"]


class Filters(Case):
    def names(self, client):
        return [message.get("event", message["op"]) for message in client.flush()]

    def test_only_those_that_were_asked_for(self):
        with Server("--paused", "seek") as server, server.connect() as client, server.connect() as all_of_them, server.connect() as detailed:
            detailed.request("hello", seq=True)
            self.assertEqual(client.request("subscribe", layout="events", events=["spawned", "removed", "spawned"])["events"],
                             ["spawned", "removed"])
            self.assertNotIn("events", all_of_them.request("subscribe", layout="events"))
            detailed.request("subscribe", layout="events", events=["aim"])
            client.request("spawn", kind="seeker")
            client.request("set_target", agent=1, x=1, y=2)
            client.request("add_target", name="den", x=1, y=2)
            client.request("remove", agents=[2])
            client.request("resume")
            client.request("pause")
            self.assertEqual(self.names(all_of_them), ["spawned", "target_added", "removed", "resumed", "paused"])
            self.assertEqual(self.names(client), ["spawned", "removed"])
            self.assertEqual(self.names(detailed), ["aim"])
            client.send("mouse", x=1, y=1, z=1)  # what concerns the session alone comes in any case
            self.assertEqual(self.names(client), ["unknown"])
            self.assertNotIn("events", client.request("subscribe", layout="events"))
            client.request("resume")
            self.assertEqual(self.names(client), ["scenario", "resumed"])  # it did not learn of the new target

    def test_a_world_that_comes_is_told_all_the_same(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            client.request("subscribe", events=["caught"])
            client.flush()
            client.request("load", scenario="arrive")
            self.assertEqual(client.receive_op("scenario")["name"], "arrive")
            self.assertEqual(client.receive_op("snapshot")["tick"], 0)

    def test_names_that_are_none(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            choices = {field["name"]: field.get("choices") for field in client.request("help", about="subscribe")["ops"][0]["fields"]}["events"]
            described = {name for part in DEFS["server_event"]["oneOf"] for name in part["properties"]["event"]["enum"]}
            self.assertEqual(set(choices), described - {"unknown", "unheeded", "stepping", "lag", "look_ended"})
            self.assertEqual(choices, DEFS["event_name"]["enum"])
            self.assertEqual(client.request("subscribe", layout="events", events=choices)["events"], choices)
            message = client.request("subscribe", events=["caugth"])
            self.assert_error(message, "bad_param", field="events")
            self.assertIn('did you mean "caught"?', message["message"])
            for wrong in ([], ["lag"], ["caught", "a b"], "caught", [1], ["Caught"]):
                self.assert_error(client.request("subscribe", events=wrong), "bad_param")


if __name__ == "__main__":
    unittest.main()
