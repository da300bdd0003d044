"""The rule of a slow link, on a link of numbers; and a session that follows it, without a socket and a clock."""

import json
import math
import unittest

import support  # noqa: F401  pylint: disable=unused-import  # finds the package
from drover.pace import LATE_HZ, Pace
from drover.protocol import Session
from scripted_server import HELLO

STEP_MS, AWAY_MS, PING_MS = 10, 20, 250


class Narrow:
    """Frames and pings queue before a link that carries so many frames a second."""

    def __init__(self, wish_hz, carries_hz):
        self.pace, self.wish_hz, self.carries_hz = Pace(), wish_hz, carries_hz
        self.now_ms, self.queued, self.part, self.came, self.worst_ms = 0, 1.0, 0.0, 0.0, 0.0
        self.ping_ms, self.before_ping = None, 0.0

    def run(self, seconds):
        for _ in range(round(1000 * seconds / STEP_MS)):
            self._move_ping()
            self._move_frames()
            self.now_ms += STEP_MS

    def _move_ping(self):
        if self.ping_ms is not None:
            trip_ms = self.now_ms - self.ping_ms
            is_back = self.before_ping <= 0 and trip_ms >= AWAY_MS
            self.pace.ping(self.wish_hz, self.now_ms, trip_ms, is_back)
            self.ping_ms = None if is_back else self.ping_ms
        elif self.now_ms % PING_MS == 0:
            self.ping_ms, self.before_ping = self.now_ms, self.queued

    def _move_frames(self):
        carried = self.carries_hz * STEP_MS / 1000
        moved = min(self.queued, carried)
        self.queued += self.pace.hz(self.wish_hz) * STEP_MS / 1000 - moved
        self.before_ping -= carried
        self.came += moved
        self.part += moved
        while self.part >= 1:
            self.part -= 1
            self.pace.frames += 1
        self.worst_ms = max(self.worst_ms, 1000 * self.queued / self.carries_hz)


class Rule(unittest.TestCase):
    def test_frames_are_sparse_not_old(self):
        for carries_hz in (3, 5, 8, 20, 28):
            with self.subTest(carries_hz=carries_hz):
                link = Narrow(30, carries_hz)
                link.run(10)
                link.worst_ms = link.came = 0
                link.run(120)
                self.assertLessEqual(link.worst_ms, 1000)
                self.assertGreaterEqual(link.came, 0.6 * 120 * carries_hz)

    def test_it_is_as_usual_again_on_a_fast_link(self):
        link = Narrow(30, 3)
        link.run(20)
        self.assertLess(link.pace.hz(30), 5)
        link.carries_hz = 1000
        link.run(120)
        self.assertEqual(link.pace.hz(30), 30)
        self.assertEqual(link.pace.limit_hz, math.inf)


class Followed(unittest.TestCase):
    def session(self, **fields):
        session = Session()
        session.connected()
        session.receive(HELLO if isinstance(HELLO, bytes) else json.dumps(HELLO).encode() + b"\n")
        request = session.request("subscribe", {"hz": 20, **fields})
        self.lines(session)
        self.answer(session, request.id, "subscribe")
        return session

    def lines(self, session):
        data = session.output()
        session.sent(len(data))
        return [json.loads(line) for line in data.splitlines()]

    def answer(self, session, id_, op):
        session.receive(json.dumps({"op": "reply", "to": op, "id": id_}).encode() + b"\n")

    def test_fewer_frames_and_more_again(self):
        session = self.session()
        session.keep_pace(1000.0)
        (ping,) = self.lines(session)
        self.assertEqual(ping["op"], "ping")
        self.answer(session, ping["id"], "ping")
        session.keep_pace(1005.0)
        session.keep_pace(1200.0)
        session.keep_pace(1300.0)
        self.assertEqual([line["op"] for line in self.lines(session)], ["ping"])
        for now_ms in range(1400, 1800, 100):
            session.keep_pace(float(now_ms))
        (fewer,) = self.lines(session)
        self.assertEqual((fewer["op"], fewer["hz"], session.paced_hz, session.subscription), ("subscribe", LATE_HZ, LATE_HZ, {"hz": 20}))
        self.assertEqual(session.connections, 1)

    def test_a_fixed_rate_stays(self):
        session = self.session()
        session.fixed_hz = True
        for now_ms in range(1000, 3000, 100):
            session.keep_pace(float(now_ms))
        self.assertEqual(self.lines(session), [])

    def test_without_frames_there_is_no_pace(self):
        session = self.session(layout="events")
        session.keep_pace(1000.0)
        self.assertEqual(self.lines(session), [])

    def test_an_absence_is_no_slow_link(self):
        session = self.session()
        session.keep_pace(1000.0)
        (ping,) = self.lines(session)
        session.keep_pace(4000.0)
        self.answer(session, ping["id"], "ping")
        session.keep_pace(4010.0)
        self.assertIsNone(session.paced_hz)


if __name__ == "__main__":
    unittest.main()
