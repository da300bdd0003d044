"""A long step: other sessions are served between its ticks, subscribers see it move, and it ends when it should."""

import socket
import time
import unittest

from drover_client import Case, Client, Server, wait_for

LONG = 100000  # ticks; minutes to hours of a heavy world
HEAVY = ("--paused", "murmuration_10k")
SMALL = {"layout": "density", "grid": [2, 2]}  # frames at no cost


class Busy(Case):
    """A heavy world in which one session's step is under way."""

    def setUp(self):
        self.server = Server(*HEAVY)
        self.addCleanup(lambda: self.server.__exit__(None, None, None))
        self.other = self.connect()

    def connect(self):
        client = self.server.connect()
        self.addCleanup(client.socket.close)
        return client

    def begin(self, **fields):
        """A session whose step is under way."""
        asker = self.connect()
        self.begin_of(asker, **fields)
        return asker

    def begin_of(self, asker, **fields):
        before = self.tick()
        asker.send("step", id="step", **{"count": LONG, **fields})
        wait_for(lambda: self.tick() > before, "the step is under way")

    def tick(self):
        return self.other.request("ping")["tick"]

    def assert_ended(self):
        """No step is under way any more: another one is done."""
        tick = self.other.request("step", count=1)
        self.assert_reply(tick, "step")
        self.assertNotIn("stopped", tick)
        self.assertEqual({self.tick() for _ in range(50)}, {tick["tick"]})

    def assert_stopped(self, asker, may_be_given_up=False):
        """may_be_given_up: its last tick, which can be slow with sanitizers; the hash is then not known."""
        reply = asker.answer_to("step")
        members = ["op", "to", "id", "tick", "hash", "stopped"]
        if may_be_given_up and "hash" not in reply:
            members.remove("hash")
        self.assertEqual(list(reply), members)
        self.assert_reply(reply, "step", stopped=True)
        self.assertLess(reply["tick"], LONG)
        return reply


class Served(Busy):
    def test_others_are_answered_meanwhile(self):
        self.begin()
        ticks = []
        for op, fields in [("get_params", {}), ("set_target", {"kind": "starling", "x": 5, "y": 5}), ("list", {"what": "targets"}),
                           ("add_target", {"name": "den", "x": 1, "y": 2}), ("inspect", {"agent": 1}), ("spawn", {"kind": "starling"}),
                           ("remove", {"agent": 2}), ("list", {})] * 3:
            reply = self.other.request(op, **fields)
            if op == "add_target" and ticks and reply["op"] == "error":
                reply = self.other.request("remove_target", name="den")
            self.assertEqual(reply["op"], "reply", reply)
            ticks.append(reply["tick"])
        self.assertEqual(ticks, sorted(ticks))
        self.assertGreater(ticks[-1], ticks[0], "the step goes on between the answers")
        first = self.other.request("stats")
        wait_for(lambda: self.tick() > first["tick"], "ticks go by")
        last = self.other.request("stats")
        self.assertGreater(last["tick"], first["tick"])
        self.assertTrue(last["paused"])
        self.assertEqual((last["dropped_ticks"], last["lateness_ms"]["max"]), (0, 0), "its ticks are not late")
        self.assertGreater(self.server.hello()["tick"], 0)

    def test_what_one_asks_behind_ones_own_step_waits(self):
        asker = self.begin(count=LONG)
        asker.send("list", id="behind", what="targets")
        asker.send("set_target", id="and", name="unknown", x=1, y=1)
        for _ in range(5):
            self.other.request("list", what="targets")
        with self.assertRaises(TimeoutError):
            asker.receive(timeout=0.5)
        self.other.request("pause")
        self.assertEqual([asker.receive().get("id") for _ in range(3)], ["step", "behind", "and"])

    def test_steps_take_turns(self):
        """A second step waits for the first, and keeps no other connection waiting."""
        asker = self.begin(count=40)
        second = self.connect()
        second.send("step", id=1, count=2)
        self.other.request("list", what="targets")
        first_tick = asker.answer_to("step")
        self.assertNotIn("stopped", first_tick)
        self.assertEqual(first_tick["tick"], 40)
        self.assertEqual(second.answer_to(1)["tick"], 42)


class Shown(Busy):
    def test_frames_come_by_the_clock(self):
        fast, slow, events = self.connect(), self.connect(), self.connect()
        events.request("subscribe", layout="events")
        for client, hz in ((fast, 10), (slow, 2)):
            self.assert_reply(client.request("subscribe", hz=hz, **SMALL), "subscribe")
            client.receive_op("density")
        began = time.monotonic()
        self.begin()
        counts = {fast: 0, slow: 0}
        last = 0
        while time.monotonic() - began < 4.0:
            for client in counts:
                try:
                    frame = client.receive(timeout=0.02)
                except TimeoutError:
                    continue
                if frame["op"] != "density":
                    continue  # with sanitizers the ticks are slow enough for the event overload
                if client is fast:
                    self.assertGreater(frame["tick"], last)
                    last = frame["tick"]
                counts[client] += 1
        self.assertGreater(counts[fast], 4)
        self.assertLess(counts[fast], 45)
        self.assertGreater(counts[slow], 2)
        self.assertLess(counts[slow], 13)
        self.other.request("pause")

    def test_the_end_of_a_step_is_seen(self):
        watcher = self.connect()
        watcher.request("subscribe", hz=1, **SMALL)
        watcher.receive_op("density")
        asker = self.begin()
        self.other.request("pause")
        end = self.assert_stopped(asker)["tick"]
        while watcher.receive_op("density")["tick"] != end:
            pass

    def test_a_short_step_has_one_frame(self):
        with Server("--paused", "seek") as server, server.connect() as client:
            client.request("subscribe", hz=60)
            client.receive_op("snapshot")
            self.assertEqual(client.request("step", count=60)["tick"], 60)
            self.assertEqual([m["tick"] for m in client.flush()], [60])

    def test_who_subscribes_during_a_step_gets_a_frame(self):
        self.begin()
        late = self.connect()
        late.request("subscribe", hz=0.01, **SMALL)
        self.assertGreater(late.receive_op("density")["tick"], 0)


class Ended(Busy):
    def test_by_a_pause_of_another(self):
        asker = self.begin()
        asker.send("list", id="behind", what="targets")
        pause = self.other.request("pause")
        reply = self.assert_stopped(asker)
        self.assert_reply(pause, "pause", tick=reply["tick"])
        self.assert_reply(asker.answer_to("behind"), "list", tick=reply["tick"])
        self.assert_ended()

    def test_by_ones_own_pause(self):
        asker = self.begin()
        pause = asker.request("pause")
        self.assert_reply(pause, "pause", tick=self.assert_stopped(asker)["tick"])
        self.assert_ended()

    def test_by_a_resume_of_another(self):
        asker = self.begin()
        resume = self.other.request("resume")
        self.assert_reply(resume, "resume", tick=self.assert_stopped(asker)["tick"])
        while self.tick() <= resume["tick"]:  # the world runs
            time.sleep(0.01)
        self.other.request("pause")
        self.assert_ended()

    def test_ones_own_resume_waits(self):
        asker = self.begin(count=40)
        asker.send("resume", id="resume")
        self.assertEqual(asker.answer_to("step")["tick"], 40)
        self.assert_reply(asker.answer_to("resume"), "resume", tick=40)
        self.other.request("pause")

    def test_those_that_wait_are_ended_as_well(self):
        asker = self.begin()
        second = self.connect()
        second.send("step", id="step", count=LONG)
        second.request("ping")
        pause = self.other.request("pause")
        self.assertLessEqual(self.assert_stopped(asker)["tick"], self.assert_stopped(second)["tick"])
        self.assertEqual(pause["tick"], self.tick())
        self.assert_ended()

    def test_by_bye(self):
        asker = self.begin()
        asker.send("bye", id="bye")
        messages = asker.until_closed()
        self.assertEqual([m.get("id") for m in messages], ["step", "bye", None])
        self.assert_reply(messages[0], "step", stopped=True)
        self.assert_ended()

    def test_by_a_reset(self):
        self.begin().vanish()
        self.assert_ended()

    def test_by_a_reset_of_who_is_not_read_from(self):
        """More than 128 requests behind the step: the connection is not read, and its end is seen all the same."""
        for leave in (Client.vanish, lambda client: client.socket.close()):
            asker = self.begin()
            asker.send_raw('{"op":"spawn","kind":"starling"}\n' * 3000)
            time.sleep(0.3)  # the server has read all that it takes
            leave(asker)
            self.assert_ended()

    def test_by_closing(self):
        """Closed with nothing unread: the server sees the end of input, as with a half-closed connection."""
        self.begin().socket.close()
        self.assert_ended()

    def test_by_a_load(self):
        asker = self.begin()
        self.assert_reply(self.other.request("load", scenario="seek"), "load", tick=0)
        self.assert_stopped(asker, may_be_given_up=True)
        self.assertEqual(self.other.request("step")["tick"], 1)

    def test_a_refused_load_ends_nothing(self):
        self.begin()
        self.assert_error(self.other.request("load", scenario="nowhere"), "no_scenario")
        before = self.tick()
        wait_for(lambda: self.tick() > before, "the step goes on")

    def test_not_by_a_half_close(self):
        asker = self.connect()
        asker.send("step", id="step", count=40)
        asker.half_close()
        self.assert_reply(asker.answer_to("step"), "step", tick=40)
        self.assertEqual(asker.receive_op("bye")["reason"], "client")

    def test_a_half_closed_one_has_signs_of_life(self):
        asker = self.begin()
        asker.half_close()
        signs = [asker.receive(timeout=10) for _ in range(2)]
        self.assertEqual([(list(m), m["event"], m["by"]) for m in signs], [(["op", "event", "tick", "by"], "stepping", 0)] * 2)
        self.assertGreater(signs[1]["tick"], signs[0]["tick"])
        self.other.request("pause")
        self.assert_stopped(asker)

    def test_a_half_closed_one_that_vanishes(self):
        asker = self.begin()
        asker.half_close()
        asker.receive(timeout=10)
        asker.vanish()
        self.assert_ended()

    def test_short_steps_are_done_whole(self):
        """A script that sends all at once gets its steps completed, though a pause or a bye comes right behind them."""
        with Server("--paused", "seek") as server:
            with server.connect() as script:
                script.send_raw("".join('{"op":"step","count":2}\n{"op":"pause"}\n' for _ in range(40)) + '{"op":"bye"}\n')
                ticks = [m["tick"] for m in script.until_closed() if m.get("to") == "step" and "stopped" not in m]
                self.assertEqual(ticks, list(range(2, 82, 2)))
            with server.connect() as script:
                script.send_raw('{"op":"step","count":9}\n')
                script.socket.shutdown(socket.SHUT_WR)
                script.until_closed()
            with server.connect() as client:
                self.assertEqual(client.request("ping")["tick"], 89)


class Same(Case):
    def test_requests_between_the_ticks_of_a_step(self):
        """Requests take effect at the tick that their reply names: the same requests at the same ticks, sent between two
        steps, lead to the same hash."""
        with Server(*HEAVY) as server, server.connect() as stepper, server.connect() as other:
            stepper.send("step", id="step", count=LONG)
            log = []
            for i in range(12):
                for op, fields in [("set_target", {"kind": "starling", "x": 100 + 40 * i, "y": 300}),
                                   ("spawn", {"kind": "starling", "count": 3, "x": 50 * i, "y": 20})]:
                    log.append((other.request(op, **fields)["tick"], op, fields))
                other.request("get_params")
                time.sleep(0.03)
            other.request("pause")
            end = stepper.answer_to("step")
        self.assertGreater(len({tick for tick, _, _ in log if 0 < tick < end["tick"]}), 1, log)
        with Server(*HEAVY) as server, server.connect() as client:
            for tick, op, fields in log:
                now = client.request("ping")["tick"]
                if tick > now:
                    self.assertEqual(client.request("step", count=tick - now)["tick"], tick)
                self.assert_reply(client.request(op, **fields), op, tick=tick)
            now = client.request("ping")["tick"]
            self.assertEqual(client.request("step", count=end["tick"] - now)["hash"], end["hash"])


if __name__ == "__main__":
    unittest.main()
