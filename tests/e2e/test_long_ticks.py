"""A single tick that lasts for minutes blocks no session: it is given up for a load that is ready and for the server's end.

400 000 birds in one place are far more than a machine can move in the time that these tests wait. Durations are
printed; the checked ones are generous, since sanitizers and a busy machine are slow.
"""

import signal
import time
import unittest

from drover_client import PATIENCE_S, Case, Server, wait_for

CLUMP = {"kind": "bird", "count": 100000, "x": 100, "y": 100}
SOON_S = 10.0  # measured in milliseconds with a release build on an idle machine


class Clock:
    """with Clock("..."): prints how long it took; .s afterwards."""

    def __init__(self, what):
        self.what = what

    def __enter__(self):
        self.begin = time.monotonic()
        return self

    def __exit__(self, *_):
        self.s = time.monotonic() - self.begin
        print(f"{self.what}: {1000 * self.s:.1f} ms", flush=True)


def clumped(client, times=4):
    for _ in range(times):
        assert client.request("spawn", **CLUMP)["op"] == "reply"


def start_long_tick(client):
    """A step whose first tick does not end; returns its id."""
    client.send("step", id="long")
    client.request("ping")
    time.sleep(0.3)  # the tick has begun
    return "long"


def start_long_running(client):
    """A world whose next tick does not end."""
    assert client.request("resume")["op"] == "reply"
    time.sleep(0.3)  # the tick has begun


class LongTicks(Case):
    def assert_soon(self, clock):
        self.assertLess(clock.s, SOON_S, clock.what)

    def end(self, server, clients, number=signal.SIGTERM):
        """Ends the server while all clients read; returns the messages of each."""
        with Clock(f"{signal.Signals(number).name} to bye and exit") as clock:
            server.process.send_signal(number)
            messages = []
            for client in clients:
                messages.append(client.until_closed())
                client.socket.close()
            self.assertEqual(server.process.wait(PATIENCE_S), 0, server.stderr())
        self.assert_soon(clock)
        return messages

    def test_the_server_ends(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number=number), Server("--paused", "flock") as server:
                admin, other = server.connect(), server.connect()
                clumped(admin)
                start_long_tick(admin)
                other.send("get_params", id="waits")
                other.request("ping")
                of_admin, of_other = self.end(server, (admin, other), number)
                step = [m for m in of_admin if m.get("id") == "long"]
                self.assert_reply(step[0], "step", tick=0, stopped=True)
                self.assertNotIn("hash", step[0])  # a tick that was given up half way has no result
                self.assert_error([m for m in of_other if m.get("id") == "waits"][0], "busy")
                self.assertEqual((of_admin[-1]["op"], of_other[-1]["reason"]), ("bye", "shutdown"))

    def test_the_server_ends_in_a_running_world(self):
        with Server("--paused", "flock") as server:
            admin = server.connect()
            clumped(admin)
            start_long_running(admin)
            self.end(server, (admin,))

    def test_a_second_signal_ends_at_once(self):
        server = Server("--paused", "seek")
        try:
            with server.connect():  # does not read its goodbye: the server waits briefly for it
                server.process.send_signal(signal.SIGTERM)
                wait_for(lambda: "SIGTERM: stopping" in server.stderr(), "the first signal")
                with Clock("second SIGTERM to exit") as clock:
                    server.process.send_signal(signal.SIGTERM)
                    code = server.process.wait(PATIENCE_S)
            self.assert_soon(clock)
            self.assertEqual(code, 128 + signal.SIGTERM)
        finally:
            server.kill()
            server._stderr.close()

    def test_load_gives_the_tick_up(self):
        with Server("--paused", "flock") as server, server.connect() as stepper, server.connect() as admin:
            admin.request("subscribe", layout="events")
            clumped(stepper)
            start_long_tick(stepper)
            with Clock("load") as clock:
                reply = admin.request("load", scenario="seek")
            self.assert_soon(clock)
            self.assert_reply(reply, "load", tick=0, scenario="seek")
            stopped = stepper.answer_to("long")
            self.assert_reply(stopped, "step", tick=0, stopped=True)
            self.assertNotIn("hash", stopped)
            self.assertEqual(stepper.request("step", count=60)["hash"], self.hash_of("seek", 60))
            self.assertEqual(reply["hash"], self.hash_of("seek", 0))
            self.assertEqual(admin.receive_op("scenario")["name"], "seek")

    def test_load_gives_up_a_tick_of_a_running_world(self):
        with Server("--paused", "flock") as server, server.connect() as admin, server.connect() as other:
            clumped(admin)
            start_long_running(admin)
            other.send("get_params", id="waits")
            other.request("ping")
            with Clock("load") as clock:
                self.assert_reply(admin.request("load", scenario="seek"), "load")
            self.assert_soon(clock)
            # The request waited for the tick that was given up, and takes effect in the new world.
            params = other.answer_to("waits")
            self.assertEqual({row["kind"] for row in params["params"]}, {"seeker"}, params)
            wait_for(lambda: admin.request("ping")["tick"] > 10, "the new world runs")

    def hash_of(self, scenario, ticks):
        with Server("--paused", scenario) as server, server.connect() as client:
            return client.request("step", count=ticks)["hash"] if ticks else client.request("load", scenario=scenario)["hash"]

    def test_what_is_answered_during_a_long_tick(self):
        with Server("--paused", "flock") as server, server.connect() as admin, server.connect() as other:
            clumped(admin)
            start_long_tick(admin)
            with Clock("ping, stats, list, a load that fails") as clock:
                self.assert_reply(other.request("ping"), "ping", tick=0)
                self.assert_reply(other.request("stats"), "stats", tick=0)
                listed = other.request("list")
                self.assert_reply(listed, "list", tick=0)
                self.assertIn("flock", {row["name"] for row in listed["scenarios"]})
                self.assert_error(other.request("load", scenario="nowhere"), "no_scenario", field="scenario")
            self.assert_soon(clock)
            self.assertEqual(server.hello()["scenario"]["name"], "flock")
            self.end(server, (admin, other))

    def test_a_load_that_fails_gives_nothing_up(self):
        """The same step with and without failing loads and lists beside it ends with the same hash."""
        hashes = []
        for with_loads in (False, True):
            with Server("--paused", "flock") as server, server.connect() as admin, server.connect() as other:
                admin.request("spawn", kind="bird", count=1500, x=100, y=100)
                admin.send("step", id="s", count=15)
                for _ in range(20 if with_loads else 0):
                    self.assert_error(other.request("load", scenario="nowhere"), "no_scenario")
                    self.assert_reply(other.request("list"), "list")
                reply = admin.answer_to("s")
                self.assert_reply(reply, "step", tick=15)
                self.assertNotIn("stopped", reply)
                hashes.append(reply["hash"])
        self.assertEqual(hashes[0], hashes[1])

    def test_order_within_a_session(self):
        """A load waits for all earlier requests of its session; later ones see the new world."""
        with Server("--paused", "flock") as server, server.connect() as admin:
            admin.send("step", id=1, count=3)
            admin.send("load", id=2, scenario="nowhere")
            admin.send("set_param", id=3, kind="bird", param="max_speed", value=90)
            admin.send("list", id=4)
            admin.send("list", id=5, what="targets")
            admin.send("load", id=6, scenario="seek")
            admin.send("step", id=7, count=2)
            admin.send("load", id=8, scenario="arrive", seed=7)
            admin.send("list", id=9, what="targets")
            answers = []
            while len(answers) < 9:
                message = admin.receive()
                if message["op"] in ("reply", "error"):
                    answers.append(message)
            self.assertEqual([m["id"] for m in answers], list(range(1, 10)))
            self.assertEqual([m.get("tick") for m in answers], [3, None, 3, 3, 3, 0, 2, 0, 0])
            self.assertNotIn("stopped", answers[0])
            self.assert_error(answers[1], "no_scenario")

    def test_two_loads_at_once(self):
        with Server("--paused", "flock") as server, server.connect() as a, server.connect() as b, server.connect() as c:
            clumped(c)
            start_long_tick(c)
            a.send("load", id=1, scenario="seek")
            b.send("load", id=1, scenario="arrive")
            self.assert_reply(a.answer_to(1), "load", scenario="seek")
            self.assert_reply(b.answer_to(1), "load", scenario="arrive")
            self.assert_reply(c.answer_to("long"), "step", tick=0, stopped=True)
            self.assertIn(server.hello()["scenario"]["name"], ("seek", "arrive"))

    def test_a_session_that_loads_may_leave(self):
        with Server("--paused", "flock") as server, server.connect() as admin:
            clumped(admin)
            start_long_tick(admin)
            leaver = server.connect()
            leaver.send("load", scenario="seek")
            leaver.vanish()
            wait_for(lambda: server.hello()["scenario"]["name"] == "seek", "the load")
            self.assert_reply(admin.answer_to("long"), "step", stopped=True)

    def overload(self, client, timeout):
        deadline = time.monotonic() + timeout
        while True:
            event = client.receive_op("event", max(0.0, deadline - time.monotonic()))
            if event["event"] == "overload":
                return event

    def test_a_clump_is_told_while_its_tick_lasts(self):
        with Server("--paused", "flock") as server, server.connect() as admin, server.connect() as watcher:
            watcher.request("subscribe", layout="events")
            clumped(admin)
            start_long_tick(admin)
            event = self.overload(watcher, PATIENCE_S)
            self.assertEqual((event["kind"], event["by"]), ("bird", 0), event)
            self.assertLess(abs(event["x"] - 100) + abs(event["y"] - 100), 0.1, event)
            self.assertEqual(event["tick"], 0)
            self.assertGreaterEqual(event["candidates"], 400000)
            wait_for(lambda: "warn  simulation: a tick has taken " in server.stderr(), "a line in the log")
            self.assertIn("s: around (100, 100) each agent, mostly of kind bird, looks at 400", server.stderr())
            with self.assertRaises(TimeoutError):
                self.overload(watcher, 2.0)  # the next one is due after 10 s
            admin.vanish()

    def test_a_clump_is_told_when_its_ticks_are_slow(self):
        with Server("--paused", "flock") as server, server.connect() as admin, server.connect() as watcher:
            watcher.request("subscribe", layout="events")
            admin.request("step", count=30)
            admin.request("spawn", kind="bird", count=5000, x=300, y=200)
            stepped = admin.request("step")
            event = self.overload(watcher, PATIENCE_S)
            self.assertEqual(event["kind"], "bird")
            self.assertEqual(stepped["tick"], 31)
            self.assertIn(event["tick"], (30, 31))  # the event may have come during the tick
            self.assertGreater(event["candidates"], 2500)
            self.assertLess(abs(event["x"] - 300) + abs(event["y"] - 200), 60, event)

    def test_a_world_that_keeps_up_is_no_overload(self):
        with Server("--paused", "flock") as server, server.connect() as admin, server.connect() as watcher:
            watcher.request("subscribe", layout="events")
            admin.request("step", count=200)
            with self.assertRaises(TimeoutError):
                self.overload(watcher, 1.0)
            self.assertNotIn("a tick took", server.stderr())

    def test_looking_about_in_a_crowd(self):
        """Queries take long in a crowd as well, and are given up like a tick."""
        with Server("--paused", "flock") as server, server.connect() as asker, server.connect() as watcher:
            clumped(asker)
            watcher.request("subscribe", forces=True)  # the forces of all agents cost as much as a tick
            time.sleep(0.5)  # the forces are being copied
            asker.send("inspect", id="i", agents=[1, 2, 3])
            asker.request("ping")
            with server.connect() as loader, Clock("load while forces are copied") as clock:
                self.assert_reply(loader.request("load", scenario="seek"), "load")
            self.assert_soon(clock)
            inspected = asker.answer_to("i")
            self.assertEqual([agent["kind"] for agent in inspected["agents"]], ["seeker"])
            self.assertEqual(inspected["missing"], [2, 3])
            self.assertEqual(watcher.receive_op("scenario")["name"], "seek")
            self.assertEqual(len(watcher.receive_op("snapshot")["agents"]), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
