"""Targets, obstacles and cursors that are added, moved and removed while the world runs; the events that clients get."""

import contextlib
import unittest

from drover_client import Case, Server


def distance(agent, x, y):
    return ((agent["x"] - x) ** 2 + (agent["y"] - y) ** 2) ** 0.5


class LiveChanges(Case):
    def test_an_obstacle_stands_where_it_was_put(self):
        """All sessions get the event, later ones see it in hello, and no agent is inside it then or later."""
        with Server("--paused", "hunters_and_prey") as server, server.connect() as one, server.connect() as other:
            other.request("subscribe", layout="events")
            reply = one.request("add_obstacle", circle=[400, 300, 90])
            self.assertEqual(reply["op"], "reply")
            self.assertGreater(reply["pushed"], 0)
            event = other.receive_op("event")
            self.assertEqual((event["event"], event["obstacle"], event["circle"], event["by"]),
                             ("obstacle_added", reply["obstacle"], [400, 300, 90], one.hello["session"]))
            with server.connect() as late:
                self.assertIn({"id": reply["obstacle"], "circle": [400, 300, 90]}, late.hello["scenario"]["obstacles"])
            one.request("subscribe")
            one.receive_op("snapshot")
            for _ in range(20):
                one.request("step", count=15)
                for agent in one.receive_op("snapshot")["agents"]:
                    self.assertGreaterEqual(distance(agent, 400, 300), 90, agent)

    def test_who_subscribes_late_is_told_once(self):
        with Server("--paused", "seek") as server, server.connect() as one, server.connect() as late:
            one.request("add_target", name="den", x=1, y=2)
            late.request("subscribe", layout="events")
            self.assertEqual(late.receive()["targets"], ["mouse", "den"])
            late.request("unsubscribe")
            late.request("subscribe", layout="events")
            self.assertEqual(late.flush(), [])
            one.request("remove_target", name="den")
            self.assertEqual(late.receive_op("event")["event"], "target_removed")
            late.request("unsubscribe")
            late.request("subscribe", layout="events")
            self.assertEqual(late.flush(), [])

    def test_a_way_is_shown_as_it_is(self):
        """A door that is closed, one that is opened again, and a target that moves: everybody sees the new way, at once and in hello."""
        def field(client):
            event = client.receive_op("event")
            while event["event"] != "flow_field":
                event = client.receive_op("event")
            return event["flow_field"]

        def middle(flow):  # of the labyrinth's first room
            columns, rows = flow["cells"]
            return flow["vectors"][rows // 2 * columns + columns * 100 // 920]

        with Server("--paused", "labyrinth") as server, server.connect() as one, server.connect() as other:
            other.request("subscribe", layout="events")
            first = one.hello["scenario"]["flow_fields"][0]
            self.assertNotEqual(middle(first), [0, 0])
            door = one.request("add_obstacle", box=[625, 150, 12, 60])["obstacle"]
            closed = field(other)
            self.assertEqual((closed["name"], middle(closed)), ("out", [0, 0]))
            with server.connect() as late:
                self.assertEqual(late.hello["scenario"]["flow_fields"], [closed])
            one.request("remove_obstacle", obstacle=door)
            self.assertEqual(field(other), first)
            one.request("set_target", name="exit", x=60, y=60)
            one.request("step", count=6)
            self.assertNotEqual(field(other), first)

    def test_a_door_closes(self):
        """Event, hello and the new way; it goes on in a saved world, half closed; no agent stands in a train."""
        with Server("--paused", "level_crossing") as server, server.connect() as one, server.connect() as other:
            other.request("subscribe", layout="events")
            train, door = (one.hello["scenario"]["obstacles"][i] for i in (0, 3))
            self.assertEqual((train["move"], door["door"]), ({"path": "rails", "speed": 210, "wait": 6}, {"open": [-80, 0], "time": 1}))
            one.request("step", count=7)
            self.assert_reply(one.request("set_obstacle", obstacle=4, closed=True), "set_obstacle", tick=7)
            shut = {"open": [-80, 0], "time": 1, "closed": True, "until": 67}
            happened = [other.receive_op("event") for _ in range(3)]
            event = next(e for e in happened if e["event"] == "obstacle_set")
            self.assertEqual((event["obstacle"], event["box"], event["door"]), (4, [440, 177, 80, 6], shut))
            self.assertIn("to_hall", [e["flow_field"]["name"] for e in happened if e["event"] == "flow_field"])
            with server.connect() as late:
                self.assertEqual(late.hello["scenario"]["obstacles"][3]["door"], shut)
            one.request("step", count=30)
            self.assert_reply(one.request("save", name="half"), "save")
            expected = [one.request("step", count=45)["hash"] for _ in range(2)]
            self.assert_reply(one.request("load", save="half"), "load")
            self.assertEqual([one.request("step", count=45)["hash"] for _ in range(2)], expected)
            one.request("load", save="half")
            one.request("set_obstacle", obstacle=4, closed=False)
            self.assertNotEqual(one.request("step", count=45)["hash"], expected[0])
            self.assert_error(one.request("set_obstacle", obstacle=1, closed=True), "bad_param", field="obstacle")
            self.assert_error(one.request("set_obstacle", obstacle=99, closed=True), "no_obstacle", field="obstacle")
            message = one.request("batch", requests=[{"op": "set_obstacle", "obstacle": 4, "closed": True}, {"op": "set_obstacle", "obstacle": 1, "closed": True}])
            self.assert_error(message, "bad_param", index=1)
            with server.connect() as late:
                self.assertNotIn("closed", late.hello["scenario"]["obstacles"][3]["door"])

    def test_many_changes_at_a_tick_rebuild_ways_once(self):
        """A door is closed and opened many times: one new way, and the hash of changes that come one after the other; in a batch as well."""
        changes = [{"obstacle": 4, "closed": turn % 2 == 0} for turn in range(31)]
        hashes = []
        for how in ("alone", "at", "batch"):
            with Server("--paused", "level_crossing") as server, server.connect() as one, server.connect() as other:
                other.request("subscribe", layout="events")
                one.request("step", count=5)
                if how == "at":
                    for change in changes:
                        one.send("set_obstacle", at=6, **change)
                one.request("step")
                if how == "alone":
                    for change in changes:
                        self.assert_reply(one.request("set_obstacle", **change), "set_obstacle")
                elif how == "batch":
                    self.assert_reply(one.request("batch", requests=[{"op": "set_obstacle", **change} for change in changes]), "batch")
                hashes.append(one.request("step", count=80)["hash"])
                events = [event["event"] for event in other.flush() if event["op"] == "event"]
                self.assertEqual(events.count("obstacle_set"), len(changes))
                ways = len(one.hello["scenario"]["flow_fields"])
                self.assertLessEqual(events.count("flow_field"), len(changes) * ways if how == "alone" else ways)
                self.assertGreater(events.count("flow_field"), 0)
        self.assertEqual(len(set(hashes)), 1, hashes)

    def test_the_same_changes_give_the_same_hash(self):
        def run():
            with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
                client.request("step", count=60)
                first = client.request("add_obstacle", box=[100, 100, 120, 80])["obstacle"]
                client.request("add_obstacle", polygon=[[500, 300], [600, 320], [540, 400]])
                client.request("step", count=60)
                client.request("move_obstacle", obstacle=first, x=300, y=220)
                client.request("add_target", name="den", x=10, y=20)
                client.request("step", count=60)
                client.request("remove_obstacle", obstacle=first)
                return client.request("step", count=60)["hash"]

        self.assertEqual(run(), run())

    def test_a_refused_change_changes_nothing(self):
        with Server("--paused", "seek") as server, server.connect() as one, server.connect() as other:
            for client in (one, other):
                client.request("load", scenario="seek")
            self.assert_error(one.request("add_obstacle"), "bad_param", field="circle")
            self.assert_error(one.request("add_obstacle", circle=[1, 1, 1], box=[1, 1, 1, 1]), "bad_param", field="box")
            self.assert_error(one.request("add_obstacle", circle=[1, 1, -1]), "out_of_range", field="circle")
            self.assert_error(one.request("move_obstacle", obstacle=9, x=1, y=1), "no_obstacle", field="obstacle")
            self.assert_error(one.request("remove_target", name="mous"), "no_target", field="name")
            self.assert_error(one.request("add_target", name="cursor-1", x=1, y=1), "bad_param", field="name")
            touched = one.request("step", count=30)["hash"]
            one.request("load", scenario="seek")
            self.assertEqual(one.request("step", count=30)["hash"], touched)

    def test_there_is_an_end_to_obstacles_and_targets(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            for i in range(256):
                self.assertEqual(client.request("add_obstacle", circle=[3 * i, 10, 1])["obstacle"], i + 1)
            self.assert_error(client.request("add_obstacle", circle=[1, 1, 1]), "full")
            client.request("remove_obstacle", obstacle=7)
            self.assertEqual(client.request("add_obstacle", circle=[1, 1, 1])["obstacle"], 257)
            for i in range(255):
                self.assertEqual(client.request("add_target", name=f"t{i}", x=i, y=1)["op"], "reply")
            self.assert_error(client.request("add_target", name="more", x=1, y=1), "full", field="name")


class Happenings(Case):
    def test_a_quarry_is_caught(self):
        with Server("--paused", "pursue_and_evade") as server, server.connect() as client:
            client.request("subscribe", layout="events")
            for kind in client.hello["scenario"]["kinds"]:
                client.request("set_param", kind=kind["name"], param="radius", value=2000)
            client.request("step", count=30)
            caught = [m for m in client.flush() if m.get("event") == "caught"]
            self.assertGreaterEqual(len(caught), 1)
            self.assertNotEqual(caught[0]["agent"], caught[0]["quarry"])
            self.assertEqual(caught[0]["by"], 0)

    def test_a_crowd_of_hunters_does_not_drown_its_watchers(self):
        with Server("--paused", "pursue_and_evade") as server, server.connect() as client:
            kinds = [kind["name"] for kind in client.hello["scenario"]["kinds"]]
            for kind in kinds:
                client.request("spawn", kind=kind, count=300, x=400, y=300, radius=40)
            client.request("subscribe", layout="events")
            client.request("step", count=3)
            events = [m for m in client.flush() if m.get("event") == "caught"]
            self.assertLessEqual(len(events), 20)
            self.assertGreater(len(events), 0)
            client.request("step", count=240)
            events = [m for m in client.flush() if m.get("event") == "caught"]
            self.assertGreater(sum(event.get("left_out", 0) for event in events), 0)


class Cursors(Case):
    def targets(self, client):
        return {t["name"]: (t["x"], t["y"]) for t in client.request("list", what="targets")["targets"]}

    def test_behaviors_aim_at_the_nearest_cursor(self):
        with Server("--paused", "shepherds") as server, server.connect() as one:
            with server.connect() as other:
                mine = one.request("cursor", x=100, y=500)
                self.assertEqual([mine.get(key) for key in ("tick", "x", "y", "cursor")], [0, 100, 500, "cursor-1"])
                its = other.request("mouse", x=900, y=560)["cursor"]
                mine = mine["cursor"]
                self.assertEqual(self.targets(one), {mine: (100, 500), its: (900, 560)})
                one.request("step", count=600)
                dog = one.request("inspect", agent=41)["agents"][0]
                self.assertLess(distance(dog, 100, 500), 20)
            while len(self.targets(one)) > 1:
                pass
            self.assertEqual(list(self.targets(one)), [mine])

    def test_the_hash_does_not_depend_on_who_else_is_connected(self):
        def run(idle):
            with Server("--paused", "shepherds") as server, contextlib.ExitStack() as stack:
                for _ in range(idle):
                    stack.enter_context(server.connect())
                with server.connect() as one, server.connect() as other:
                    one.request("mouse", x=100, y=100)
                    hashes = [one.request("step", count=100)["hash"]]
                    other.request("cursor", x=900, y=500)
                    hashes.append(one.request("step", count=100)["hash"])
                    # One leaves and a third joins: the smallest free number.
                    other.request("bye")
                    while len(self.targets(one)) > 1:
                        pass
                    with server.connect() as third:
                        self.assertEqual(third.request("mouse", x=500, y=20)["cursor"], "cursor-2")
                        hashes.append(one.request("step", count=100)["hash"])
                    one.request("load", scenario="shepherds")
                    self.assertEqual(one.request("cursor", x=1, y=1)["cursor"], "cursor-1", "a new world starts afresh")
                    return hashes

        self.assertEqual(run(0), run(3))

    def test_no_room_for_a_cursor_is_said(self):
        with Server("--paused", "shepherds") as server, server.connect() as one, server.connect() as other:
            self.assertEqual(one.request("cursor", x=1, y=1)["cursor"], "cursor-1")
            for number in range(255 - len([name for name in self.targets(one) if name != "cursor-1"])):
                self.assert_reply(one.request("add_target", name=f"t{number}", x=1, y=1), "add_target")
            self.assert_error(other.request("cursor", x=2, y=2), "full")
            self.assert_error(other.request("mouse", x=2, y=2), "full")  # shepherds has no target named mouse
            with server.connect() as third:
                for step in range(20):
                    third.send("cursor", x=step, y=2)
                    third.request("list", what="targets")
                errors = [m for m in third.flush() if m["op"] == "error"]
                self.assertEqual([m["code"] for m in errors], ["full"], "once")
            self.assertEqual(one.request("cursor", x=3, y=3)["x"], 3.0, "a session with a cursor keeps it")
            one.request("remove_target", name="t0")
            self.assertEqual(other.request("cursor", x=2, y=2)["cursor"], "cursor-2")

    def test_a_world_that_does_not_ask_is_left_alone(self):
        with Server("--paused", "seek") as server, server.connect() as one:
            before = one.request("step", count=1)["hash"]
            one.request("load", scenario="seek")
            self.assertEqual(set(one.request("cursor", x=5, y=5)), {"op", "to", "id"})
            self.assertNotIn("cursor", one.request("mouse", x=600, y=120))
            self.assertEqual(one.request("step", count=1)["hash"], before)
            self.assertEqual(list(self.targets(one)), ["mouse"])


if __name__ == "__main__":
    unittest.main()
