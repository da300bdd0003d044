"""The layouts and subscriptions on the real server, read by an independent decoder (packed.py)."""

import json
import math
import time
import unittest

import packed
from drover_client import ROOT, Case, Server

FRAMES = ("snapshot", "key", "delta", "density")


class Layouts(Case):
    def frame(self, client, stream=None):
        """The next frame of a client as packed.py shapes it."""
        stream = stream if stream is not None else client.stream
        while True:
            op = client.receive()["op"]
            if op == "snapshot":
                return packed.of_objects(client.last_line)
            if op in ("key", "delta"):
                frame = stream.feed(client.last_line)
                if frame:
                    return frame

    def subscribe(self, client, **options):
        client.stream = packed.Stream()
        reply = client.request("subscribe", **options)
        self.assert_reply(reply, "subscribe")
        return reply

    def steps(self, server, readers, counts, change=None):
        """The readers' frames after each step of a paused world."""
        with server.connect() as hand:
            for number, count in enumerate(counts):
                if change:
                    change(hand, number)
                tick = hand.request("step", count=count)["tick"]
                frames = []
                for reader in readers:
                    frame = self.frame(reader)
                    while frame["tick"] < tick:
                        frame = self.frame(reader)
                    frames.append(frame)
                yield frames

    def assert_same_frame(self, one, other, names=("tick", "time", "targets", "clock")):
        for name in names:
            self.assertEqual(one[name], other[name])
        self.assertEqual(one["agents"], other["agents"])


class Packed(Layouts):
    def test_packed_is_objects_in_every_scenario(self):
        names = sorted(path.stem for path in (ROOT / "scenarios").glob("*.json"))
        with Server("--paused", "seek") as server, server.connect() as hand, server.connect() as a, server.connect() as b:
            for name in names:
                if "10k" in name or "100k" in name or name in ("million", "throng", "great_hunt"):
                    continue
                with self.subTest(scenario=name):
                    self.assert_reply(hand.request("load", scenario=name), "load")
                    a.flush(), b.flush()
                    fields = ["pos", "vel", "heading", "state", "kind", "stamina"]
                    self.subscribe(a, fields=fields)
                    self.subscribe(b, fields=fields, layout="packed")
                    self.assert_same_frame(self.frame(a), self.frame(b), ("tick", "time", "targets"))
                    for one, other in self.steps(server, (a, b), [1, 7, 60, 1, 200]):
                        self.assert_same_frame(one, other)
                    for client in (a, b):
                        client.request("unsubscribe")

    def test_forces(self):
        with Server("--paused", "boids_target") as server, server.connect() as a, server.connect() as b:
            self.subscribe(a, forces=True)
            reply = self.subscribe(b, forces=True, layout="packed")
            self.assertEqual(reply["fields"], ["pos", "vel", "heading", "state", "kind", "force", "desired"])
            for one, other in self.steps(server, (a, b), [1, 1, 20, 1]):
                self.assert_same_frame(one, other)
                self.assertIn("steering", next(iter(other["agents"].values())))

    def test_parts(self):
        """Sessions that ask for parts get them beside the forces, as inspect tells them; the others' frames are as before."""
        def at(client, tick):
            while (snapshot := client.receive_op("snapshot"))["tick"] < tick:
                pass
            return snapshot["agents"]

        with Server("--paused", "shepherds") as server, server.connect() as a, server.connect() as b, server.connect() as hand:
            self.assertIs(self.subscribe(a, forces=True, parts=True)["parts"], True)
            self.assertNotIn("parts", self.subscribe(b, forces=True))
            for count in (1, 1, 90, 1):
                tick = hand.request("step", count=count)["tick"]
                one, other, flocks = at(a, tick), at(b, tick), []
                for agent in one:
                    for label, rules in agent.get("parts", {}).items():
                        self.assertEqual((agent["kind"], list(rules)), ("sheep", ["separation", "alignment", "cohesion"]))
                        for axis in (0, 1):
                            self.assertEqual(sum(round(100 * rule[axis]) for rule in rules.values()), round(100 * agent["forces"][label][axis]))
                        flocks.append(agent["id"])
                self.assertGreater(len(flocks), 5)
                told = {agent["id"]: agent for agent in hand.request("inspect", agents=flocks[:16])["agents"]}
                for agent in one:
                    parts = agent.pop("parts", {})
                    if agent["id"] in told:
                        self.assertEqual(parts, {t["behavior"]: t["parts"] for t in told[agent["id"]]["terms"] if "parts" in t})
                self.assertEqual(one, other)
            self.assert_error(a.request("subscribe", parts=True), "bad_param", field="parts")
            for layout in ("packed", "density", "events"):
                self.assert_error(a.request("subscribe", layout=layout, parts=True), "bad_param", field="parts")
            self.assertNotIn("parts", self.subscribe(a, forces=True, parts=False))

    def test_roster_changes(self):
        """A key whenever an agent was added or removed, and only then; the same as objects throughout."""
        def change(hand, number):
            if number % 3 == 1:
                hand.request("spawn", kind="seeker", count=1 + number)
            elif number % 3 == 2:
                hand.request("remove", agents=[number, number + 1])

        with Server("--paused", "seek") as server, server.connect() as a, server.connect() as b:
            self.subscribe(a)
            self.subscribe(b, layout="packed")
            for one, other in self.steps(server, (a, b), [1] * 12, change):
                self.assert_same_frame(one, other)
            self.assertGreaterEqual(b.stream.keys, 8)
            keys = b.stream.keys
            for one, other in self.steps(server, (a, b), [1] * 12):
                self.assert_same_frame(one, other)
            self.assertEqual(b.stream.keys, keys)

    def test_every_key_is_followed_by_a_delta_of_it(self):
        with Server("seek") as server, server.connect() as client:
            client.request("spawn", kind="seeker", count=500)
            client.request("subscribe", layout="packed", hz=60)
            lines = [client.receive() for _ in range(400)]
            frames = [m for m in lines if m["op"] in FRAMES]
            for key, follower in zip(frames, frames[1:]):
                if key["op"] == "key":
                    self.assertEqual((follower["op"], follower["key"]), ("delta", key["key"]))
            ticks = [m["tick"] for m in frames if m["op"] == "delta"]
            self.assertEqual(ticks, sorted(set(ticks)))
            self.assertTrue(all(list(m)[:2] == ["op", "tick"] for m in frames))
            self.assertGreater(sum(m["op"] == "delta" for m in frames), 10 * sum(m["op"] == "key" for m in frames))

    def test_a_slow_reader_can_read_everything_it_gets(self):
        """It reads 400 KB/s while 3000 agents of a moving world need more and the roster changes; every frame decodes, and
        equals what another session saw as objects at that tick."""
        with Server("hunters_and_prey") as server, server.connect() as hand, \
                server.connect(receive_buffer=4096) as slow, server.connect() as fast:
            hand.request("spawn", kind="prey", count=3000)
            fast.request("subscribe", hz=60)
            slow.request("subscribe", layout="packed", hz=60)
            stream, text, got, seen = packed.Stream(), slow.unread(), [], {}
            start, taken, churn = time.monotonic(), 0, 0
            fast.socket.settimeout(0.001)
            while time.monotonic() < start + 6 or len(got) < 5:
                self.assertLess(time.monotonic(), start + 60)
                self.drain(fast, seen)
                if time.monotonic() > start + churn:
                    churn += 1
                    hand.request("spawn", kind="prey", count=1)
                if taken < (time.monotonic() - start) * 400_000:
                    data = slow.socket.recv(8192)
                    taken += len(data)
                    text += data
                    while b"\n" in text:
                        line, text = text.split(b"\n", 1)
                        if line.startswith((b'{"op":"key"', b'{"op":"delta"')):
                            frame = stream.feed(line)
                            got += [frame] if frame else []
            compared = 0
            for frame in got:
                if frame["tick"] in seen:
                    # A tick may be copied out twice, when one of its frames was left out for lack of time: another clock.
                    self.assert_same_frame(packed.of_objects(seen[frame["tick"]]), frame, ("tick", "time", "targets"))
                    compared += 1
            self.assertGreaterEqual(compared, 3, (len(got), len(seen), stream.keys))
            self.assertGreaterEqual(stream.keys, 2)

    def drain(self, fast, seen):
        try:
            while True:
                line = fast.read_line(0.001)
                if line.startswith(b'{"op":"snapshot"'):
                    seen[json.loads(line[:40].split(b',"time"')[0] + b"}")["tick"]] = line
        except TimeoutError:
            pass

    def test_resync(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.assert_error(client.request("resync"), "not_subscribed")
            self.assert_error(client.request("set_region", clear=True), "not_subscribed")
            self.subscribe(client, layout="packed")
            first = self.frame(client)
            client.stream = packed.Stream()  # lost
            self.assert_reply(client.request("resync"), "resync")
            self.assertEqual(self.frame(client)["agents"], first["agents"])
            self.assertEqual(client.stream.keys, 1)
            client.request("subscribe")
            client.receive_op("snapshot")
            client.request("resync")  # objects: the state once more
            self.assertEqual(client.receive_op("snapshot")["tick"], first["tick"])
            client.request("subscribe", layout="events")
            self.assert_error(client.request("resync"), "not_subscribed")

    def test_one_key_for_all(self):
        """Sessions with equal views share keys, whatever their rates."""
        with Server("--paused", "seek") as server, server.connect() as a, server.connect() as b, server.connect() as c:
            lines = []
            for client, options in ((a, {}), (b, {"hz": 7}), (c, {"fields": ["pos"]})):
                client.request("subscribe", layout="packed", **options)
                client.receive_op("key")
                lines.append(client.last_line)
            self.assertEqual(lines[0], lines[1])
            self.assertNotEqual(json.loads(lines[0])["key"], json.loads(lines[2])["key"])


class Subscriptions(Layouts):
    def inside(self, agent, region, size, wraps):
        x, y = agent["x"] - round(region[0] * 100), agent["y"] - round(region[1] * 100)
        if wraps:
            x, y = x % round(size[0] * 100), y % round(size[1] * 100)
        return 0 <= x <= round(region[2] * 100) and 0 <= y <= round(region[3] * 100)

    def test_fields(self):
        wants = {"pos": ["x", "y"], "vel": ["vx", "vy"], "heading": ["heading"], "state": ["state"], "kind": ["kind"],
                 "stamina": ["stamina"], "force": ["steering"], "desired": ["desired"]}
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
            for fields in (["pos"], ["vel", "pos"], ["kind"], ["heading", "state"], ["stamina"], ["force"], ["desired", "pos"], list(wants)):
                for layout in ("objects", "packed"):
                    reply = self.subscribe(client, fields=fields, layout=layout)
                    self.assertEqual(set(reply["fields"]), set(fields))
                    agent = next(iter(self.frame(client)["agents"].values()))
                    self.assertEqual(set(agent), {"id"} | {name for field in fields for name in wants[field]}, (layout, fields))
                    client.flush()
            self.assert_error(client.request("subscribe", fields=["speed"]), "bad_param", field="fields")
            self.assert_error(client.request("subscribe", layout="density", forces=True), "bad_param", field="forces")

    def test_region_and_kinds(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as all_, server.connect() as part, \
                server.connect() as dense:
            scenario = server.hello()["scenario"]
            wraps, size = scenario["edge"] == "wrap", scenario["size"]
            self.subscribe(all_)
            for region, kinds in (([100, 100, 300, 200], None), ([size[0] - 150, -50, 300, 400], ["prey"]), (None, ["hunter"])):
                options = {**({"region": region} if region else {}), **({"kinds": kinds} if kinds else {})}
                reply = self.subscribe(part, **options)
                self.assertEqual((reply.get("region"), reply.get("kinds")), (region, kinds))
                self.subscribe(dense, layout="packed", **options)
                for whole, some, more in self.steps(server, (all_, part, dense), [1, 30, 1, 60]):
                    expected = {i: a for i, a in whole["agents"].items() if (not kinds or a["kind"] in kinds)
                                and (not region or self.inside(a, region, size, wraps))}
                    self.assertEqual(some["agents"], expected)
                    self.assertEqual({i: more["agents"].get(i) for i in expected}, expected)
                    for i, agent in more["agents"].items():  # packed may have agents around the region
                        self.assertEqual(agent, whole["agents"][i])
                    if not region:
                        self.assertEqual(more["agents"], expected)
                part.flush(), dense.flush()
            self.assert_error(part.request("subscribe", kinds=["unicorn"]), "no_kind", field="kinds")
            self.assert_error(part.request("subscribe", kinds=[]), "bad_param", field="kinds")
            self.assertEqual(self.subscribe(part, kinds=["prey", "hunter"])["kinds"], ["prey", "hunter"])

    def test_a_moving_region(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
            self.subscribe(client, region=[0, 0, 100, 100])
            few = self.frame(client)["agents"]
            client.send("set_region", region=[0, 0, 100000, 100000])  # no id: no reply, but the frame
            all_agents = self.frame(client)["agents"]
            self.assertLess(len(few), len(all_agents))
            self.assert_reply(client.request("set_region", region=[0, 0, 100, 100]), "set_region")
            self.assertEqual(self.frame(client)["agents"], few)
            client.request("set_region", clear=True)
            self.assertEqual(self.frame(client)["agents"], all_agents)

    def test_a_region_does_not_ask_for_keys_all_the_time(self):
        with Server("--paused", "boids") as server, server.connect() as client:
            size = server.hello()["scenario"]["size"]
            self.subscribe(client, layout="packed", hz=60, region=[size[0] / 4, size[1] / 4, size[0] / 2, size[1] / 2])
            self.frame(client)
            for _ in self.steps(server, (client,), [2] * 60):
                pass
            self.assertLess(client.stream.keys, 20)

    def test_events_only(self):
        with Server("--paused", "seek") as server, server.connect() as watcher, server.connect() as hand:
            self.assertEqual({k: v for k, v in watcher.request("subscribe", layout="events").items() if k != "id"},
                             {"op": "reply", "to": "subscribe", "layout": "events"})
            hand.request("step", count=5)
            hand.request("resume")
            tick = hand.request("pause")["tick"]
            events = [watcher.receive() for _ in range(2)]
            self.assertEqual([m.get("event") for m in events], ["resumed", "paused"])
            self.assertEqual(events[1]["tick"], tick)
            self.assertEqual(watcher.flush(), [])

    def test_forms_are_bounded(self):
        """64 different views; further sessions may join those, and a session frees its own view when it changes."""
        with Server("--paused", "seek") as server:
            clients = [server.connect() for _ in range(66)]
            for number, client in enumerate(clients[:64]):
                self.assert_reply(client.request("subscribe", region=[number, 0, 10, 10]), "subscribe")
            self.assert_error(clients[64].request("subscribe", region=[64, 0, 10, 10]), "full")
            self.assert_reply(clients[64].request("subscribe", region=[5, 0, 10, 10]), "subscribe")
            self.assert_error(clients[64].request("set_region", region=[65, 0, 10, 10]), "full")
            self.assert_reply(clients[3].request("subscribe", region=[70, 0, 10, 10]), "subscribe")
            self.assert_reply(clients[65].request("subscribe", layout="events"), "subscribe")
            clients[0].request("unsubscribe")
            self.assert_reply(clients[64].request("subscribe", region=[64, 0, 10, 10]), "subscribe")
            clients[1].vanish()
            deadline = time.monotonic() + 20
            while clients[65].request("subscribe", region=[66, 0, 10, 10])["op"] == "error":
                self.assertLess(time.monotonic(), deadline)
            for client in clients:
                client.socket.close()

    def test_a_load_keeps_the_subscription(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client, server.connect() as hand:
            self.subscribe(client, layout="packed", kinds=["prey"])
            self.assertTrue(self.frame(client)["agents"])
            hand.request("load", scenario="seek")
            self.assertEqual(self.frame(client)["agents"], {})  # that world has no prey
            hand.request("load", scenario="hunters_and_prey")
            self.assertTrue(self.frame(client)["agents"])
            self.assertEqual(client.stream.keys, 3)


class Inspect(Case):
    def test_it_is_what_a_snapshot_with_forces_says(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as client:
            client.request("step", count=50)
            client.request("subscribe", forces=True, fields=["pos", "vel", "heading", "state", "kind", "stamina"])
            agents = client.receive_op("snapshot")["agents"]
            for first in (0, len(agents) - 16):
                some = agents[first:first + 16]
                reply = client.request("inspect", agents=[agent["id"] for agent in some])
                self.assert_reply(reply, "inspect", tick=50, missing=[])
                for told, seen in zip(reply["agents"], some):
                    self.assertEqual({name: told[name] for name in seen}, seen)
                    self.assertEqual(set(told) - set(seen), {"mass", "radius", "max_speed", "max_force", "neighbors", "points", "locomotion", "terms"})
                    self.assertEqual([(term["behavior"], term["wants"]) for term in told["terms"]], list(told["forces"].items()))
                    for axis in (0, 1):
                        self.assertEqual(round(sum(term["gets"][axis] for term in told["terms"]), 2), told["steering"][axis])
            reply = client.request("inspect", agents=[4000000, agents[0]["id"]])
            self.assertEqual((reply["missing"], [a["id"] for a in reply["agents"]]), ([4000000], [agents[0]["id"]]))
            self.assertEqual([m["op"] for m in client.flush()], [], "looking changes nothing")
            self.assert_error(client.request("inspect", agents=list(range(1, 18))), "out_of_range", field="agents")
            self.assert_error(client.request("inspect", agents=[0]), "out_of_range", field="agents[0]")
            self.assert_error(client.request("inspect"), "bad_param", field="agent")

    def test_the_places_follow_from_what_is_seen(self):
        """A quarry's predicted place, computed here from its own position and velocity."""
        seen = 0
        with Server("--paused", "pursue_and_evade") as server, server.connect() as client:
            for _ in range(20):
                client.request("step", count=25)
                agents = {agent["id"]: agent for agent in client.request("inspect", agents=[1, 2, 3, 4])["agents"]}
                for agent in agents.values():
                    chase = [p for p in agent["points"] if p["behavior"] in ("pursue", "evade")]
                    if not chase:
                        continue
                    self.assertEqual([p["what"] for p in chase], ["predicted"])
                    other = next(agents[n] for n in agent["neighbors"] if agents[n]["kind"] != agent["kind"])
                    offset = [(other[c] - agent[c] + size / 2) % size - size / 2 for c, size in (("x", 900), ("y", 600))]
                    ahead = min(math.hypot(*offset) / agent["max_speed"], 2.0)
                    for c, size in (("x", 900), ("y", 600)):
                        miss = (other[c] + other["v" + c] * ahead - chase[0][c] + size / 2) % size - size / 2
                        self.assertLess(abs(miss), 0.1, (agent, other))
                        self.assertTrue(0 <= chase[0][c] <= size)
                    seen += 1
        self.assertGreater(seen, 40)

    def test_the_neighbors_are_those_within_the_radius(self):
        with Server("--paused", "separation") as server, server.connect() as client:
            client.request("step", count=120)
            client.request("subscribe")
            agents = client.receive_op("snapshot")["agents"]
            told = client.request("inspect", agents=[agent["id"] for agent in agents[:16]])["agents"]
            for agent in told:
                near = sorted((math.hypot(o["x"] - agent["x"], o["y"] - agent["y"]), o["id"]) for o in agents if o["id"] != agent["id"])
                sure = [number for distance, number in near if distance < 49.98][:64]
                self.assertEqual(agent["neighbors"][:len(sure)][:1], sure[:1])
                self.assertLessEqual(set(sure) if len(sure) < 64 else set(), set(agent["neighbors"]))
                self.assertLessEqual(set(agent["neighbors"]), {number for distance, number in near if distance < 50.02})
                self.assertEqual([p["what"] for p in agent["points"]], ["circle", "goal"])
            self.assertTrue(any(len(agent["neighbors"]) > 3 for agent in told))


class Density(Layouts):
    def test_it_is_what_the_objects_add_up_to(self):
        with Server("--paused", "hunters_and_prey") as server, server.connect() as a, server.connect() as b:
            scenario = server.hello()["scenario"]
            size, wraps = scenario["size"], scenario["edge"] == "wrap"
            self.subscribe(a)
            for options in ({}, {"grid": [7, 5]}, {"cell": 33}, {"grid": [3, 4], "region": [size[0] - 50, 20, 100, 300]},
                            {"grid": [9, 6], "by_kind": True}, {"grid": [9, 6], "by_kind": True, "mean_speed": True},
                            {"kinds": ["prey"], "grid": [1, 1], "by_kind": True}, {"kinds": ["prey"], "grid": [1, 1]}, {"grid": [128, 128], "region": [-200, -200, 100, 100]}):
                reply = self.subscribe(b, layout="density", **options)
                for count in (1, 40):
                    with server.connect() as hand:
                        tick = hand.request("step", count=count)["tick"]
                    frame = self.frame(a)
                    while frame["tick"] < tick:
                        frame = self.frame(a)
                    b.receive_op("density")
                    while json.loads(b.last_line)["tick"] < tick:
                        b.receive_op("density")
                    found = packed.density(b.last_line)
                    self.assertEqual(found["grid"], reply["grid"])
                    self.check(frame, found, options, size, wraps)

    def check(self, frame, found, options, size, wraps):
        columns, rows = found["grid"]
        region = options.get("region", [0, 0, *size])
        x0, y0, width, height = (round(v * 100) for v in region)
        cells = [[] for _ in range(columns * rows)]
        outside = 0
        for agent in frame["agents"].values():
            if "kinds" in options and agent["kind"] not in options["kinds"]:
                continue
            x, y = agent["x"] - x0, agent["y"] - y0
            if wraps:
                x, y = x % round(size[0] * 100), y % round(size[1] * 100)
            if 0 <= x <= width and 0 <= y <= height:
                cells[min(y * rows // height, rows - 1) * columns + min(x * columns // width, columns - 1)].append(agent)
            else:
                outside += 1
        self.assertEqual(found["count"], [len(cell) for cell in cells])
        self.assertEqual((found["n"], found["outside"]), (sum(found["count"]), outside))
        for name in ("vx", "vy"):
            for cell, value in zip(cells, found[name]):
                total = sum(agent[name] for agent in cell)
                mean = math.floor(abs(total) / len(cell) + 0.5) * (1 if total > 0 else -1) if cell else 0
                self.assertEqual(value, mean)
        self.check_asked(cells, found, options)

    def check_asked(self, cells, found, options):
        self.assertEqual("mean_speed" in found, "mean_speed" in options)
        for cell, value in zip(cells, found.get("mean_speed", [])):
            speeds = [math.floor(math.hypot(agent["vx"], agent["vy"]) + 0.5) for agent in cell]
            self.assertEqual(value, math.floor(sum(speeds) / len(cell) + 0.5) if cell else 0)
        kinds = options.get("kinds", ["hunter", "prey"]) if "by_kind" in options else []
        self.assertEqual(sorted(found["by_kind"]), kinds)
        for kind in kinds:
            self.assertEqual(found["by_kind"][kind], [sum(agent["kind"] == kind for agent in cell) for cell in cells])

    def test_100000_agents_in_a_few_kilobytes(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            for _ in range(2):
                client.request("spawn", kind="seeker", count=50000)
            client.request("subscribe", layout="density", grid=[16, 9])
            message = client.receive_op("density")
            self.assertEqual(message["n"] + message["outside"], 100001)
            self.assertLess(len(client.last_line), 3000)

    def test_headings_come_on_demand(self):
        """A density needs none; the next subscriber gets them with the first frame."""
        with Server("--paused", "hunters_and_prey") as server, server.connect() as dense, server.connect() as a:
            dense.request("subscribe", layout="density")
            dense.receive_op("density")
            for layout in ("objects", "packed"):
                self.subscribe(a, layout=layout)
                agents = self.frame(a)["agents"]
                self.assertTrue(any(agent["heading"] for agent in agents.values()))
                a.request("unsubscribe")

    def test_wrong_grids(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            for options, code, field in (({"grid": [0, 5]}, "out_of_range", "grid"), ({"grid": [5]}, "bad_param", "grid"),
                                         ({"grid": [1025, 1]}, "out_of_range", "grid"), ({"cell": 0}, "out_of_range", "cell"),
                                         ({"grid": [200, 100]}, "out_of_range", "grid"), ({"cell": "x"}, "bad_param", "cell"),
                                         ({"grid": [2, 2], "cell": 2}, "bad_param", "cell")):
                self.assert_error(client.request("subscribe", layout="density", **options), code)
            self.assert_error(client.request("subscribe", grid=[2, 2]), "bad_param", field="grid")


class Samples(Layouts):
    """Views of more agents than a client wants: of a world that is copied out whole, and of one that is not."""

    @staticmethod
    def in_sample(agent, n):
        mix = (agent ^ agent >> 16) * 0x85EBCA6B & 0xFFFFFFFF
        mix = (mix ^ mix >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
        return (mix ^ mix >> 16) % n == 0

    def sample(self, client, of):
        """The next frame, and what it says of itself."""
        agents = list(self.frame(client)["agents"].values())
        line = json.loads(client.last_line)
        self.assertEqual(line["of"], of)
        return agents, line["one_in"]

    def check(self, count, most):
        with Server("--paused", "seek") as server, server.connect() as hand, server.connect() as client:
            for begin in range(1, count, 100000):
                some = min(100000, count - begin)
                self.assert_reply(hand.request("spawn", kind="seeker", count=some, x=400, y=240, radius=200), "spawn")
            self.subscribe(client, layout="packed", fields=["pos"])
            whole = list(self.frame(client)["agents"].values())
            self.assertEqual(len(whole), count)
            self.assertEqual(self.subscribe(client, layout="packed", fields=["pos"], most=most)["most"], most)
            agents, n = self.sample(client, count)
            self.assertEqual(n, 16)
            self.assertEqual(agents, [agent for agent in whole if self.in_sample(agent["id"], n)])
            self.subscribe(client, layout="objects", fields=["pos"], most=most, region=[380, 220, 40, 40])
            inside = [agent for agent in whole if 38000 <= agent["x"] <= 42000 and 22000 <= agent["y"] <= 26000]
            agents, n = self.sample(client, len(inside))
            self.assertEqual(agents, [agent for agent in inside if self.in_sample(agent["id"], n)])
            self.assertLess(len(agents), 1.1 * most)
            self.assert_reply(client.request("set_region", region=[0, 0, 800, 480]), "set_region")
            everywhere, n = self.sample(client, sum(agent["x"] >= 0 and agent["y"] >= 0 for agent in whole))
            self.assertEqual(n, 16)
            tick = hand.request("step", count=3)["tick"]
            later = self.frame(client)
            while later["tick"] < tick:
                later = self.frame(client)
            self.assertEqual(list(later["agents"]), [agent["id"] for agent in everywhere])

    def test_a_world_that_is_copied_out(self):
        self.check(5000, 400)

    def test_a_large_world(self):
        self.check(210000, 20000)

    def test_most_is_for_agents(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            self.assert_error(client.request("subscribe", layout="density", most=5), "bad_param", field="most")
            self.assert_error(client.request("subscribe", most=0), "out_of_range", field="most")


if __name__ == "__main__":
    unittest.main()
