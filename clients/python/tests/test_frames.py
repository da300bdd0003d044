"""Frames: decoded as the end-to-end tests' reader decodes them, with numpy and without; the newest wins; no bytes hurt."""

import array
import base64
import json
import random
import time
import unittest

import support
from support import PATIENCE_S, SLOW, has_numpy

import drover
import packed
from drover import columns
from drover.columns import wire_fields
from drover.frames import Frame, Key, of_message, of_reply, parse
from drover.protocol import LineReader, Session
from scripted_server import HELLO, FakeServer, line_of, reply_to

BACKENDS = [False, True] if has_numpy() else [False]


def text(code, values):
    return base64.b64encode(array.array(code, values).tobytes()).decode()


def greeted(**options):
    """A session that is up and subscribed to packed frames."""
    session = Session(**options)
    session.connected()
    session.receive(line_of(HELLO))
    subscribe = session.request("subscribe", {"layout": "packed"})
    session.sent(len(session.output()))
    session.receive(line_of({"op": "reply", "to": "subscribe", "id": subscribe.id, "layout": "packed"}))
    return session


KEY = {"op": "key", "tick": 0, "key": 1, "n": 3, "scale": 100, "kinds": ["a", "b"], "states": ["rest", "run"], "id": text("I", [1, 2, 9]),
       "kind": text("B", [0, 1, 0]), "state": text("H", [0, 0, 1]), "x": text("i", [100, -200, 300]), "y": text("i", [0, 0, 0]),
       "heading": text("H", [35999, 0, 18000])}
DELTA = {"op": "delta", "tick": 5, "time": 0.25, "key": 1, "n": 3, "x": text("h", [1, 2, -3]), "x_far": text("i", [1, 123456]),
         "state_far": text("i", [0, 1]), "heading": text("h", [2, -1, 0]), "desired": text("i", [1, 2, 3, 4, 5, 6]),
         "targets": [{"name": "mouse", "x": 1.5, "y": 2}], "clock": 7.5, "speed": 0.5}


def frame_of(numpy, key=None, delta=None):
    made = Key(dict(KEY, **(key or {})), columns.backend(numpy))
    return Frame(dict(DELTA, **(delta or {})), made)


class Columns(unittest.TestCase):
    def test_values(self):
        for numpy in BACKENDS:
            with self.subTest(numpy=numpy):
                frame = frame_of(numpy)
                self.assertEqual((frame.tick, frame.time, frame.clock, len(frame), frame.missed), (5, 0.25, 7.5, 3, 0))
                self.assertEqual(frame.id.tolist(), [1, 2, 9])
                self.assertEqual(frame.x.tolist(), [101, 123456, 297])
                self.assertEqual(frame.y.tolist(), [0, 0, 0])
                self.assertEqual(frame.heading.tolist(), [1, 35999, 18000])
                self.assertEqual(list(frame.kind), ["a", "b", "a"])
                self.assertEqual(list(frame.state), ["run", "rest", "run"])
                self.assertEqual(frame.kind[1], "b")
                self.assertEqual(list(frame.state == "run"), [True, False, True])
                self.assertEqual(list(frame.state == "absent"), [False] * 3)
                self.assertEqual([tuple(pair) for pair in frame.desired], [(1, 2), (3, 4), (5, 6)])
                self.assertEqual(frame.px.x.tolist(), [1.01, 1234.56, 2.97])
                self.assertEqual(frame.targets, {"mouse": (1.5, 2)})
                self.assertEqual(frame.message["speed"], 0.5)
                self.assertEqual(frame.agents()[1], {"id": 2, "kind": "b", "state": "rest", "x": 1234.56, "y": 0.0, "heading": 359.99,
                                                     "desired": [0.03, 0.04]})
                with self.assertRaisesRegex(AttributeError, "ask for it with the field 'vel'"):
                    frame.vx  # pylint: disable=pointless-statement
                self.assertFalse(hasattr(frame, "color"))
                with self.assertRaisesRegex(ImportError, "import pandas first"):
                    frame.to_pandas()

    def test_samples(self):
        frame = frame_of(False)
        self.assertEqual((frame.one_in, frame.of), (1, None))
        frame = frame_of(False, delta={"one_in": 8, "of": 24})
        self.assertEqual((frame.one_in, frame.of), (8, 24))
        with self.assertRaises(drover.DroverError):
            _ = frame_of(False, delta={"one_in": "8"}).one_in

    def test_sums_of_all_entries_at_once(self):
        rng = random.Random(2)
        base = array.array("i", [rng.randrange(-2 ** 31 + 2 ** 15, 2 ** 31 - 2 ** 15) for _ in range(3000)] + [0, 0, -1, 32768, -32768])
        difference = array.array("h", [rng.randrange(-2 ** 15, 2 ** 15) for _ in range(3000)] + [-1, 1, 1, -32768, 32767])
        sums = columns.Plain.plus(memoryview(base), memoryview(difference), None, False)
        self.assertEqual(sums.tolist(), [a + b for a, b in zip(base, difference)])
        self.assertEqual(columns.Plain.plus(memoryview(base)[:0], memoryview(difference)[:0], None, False).tolist(), [])

    def test_columns_cannot_be_written(self):
        for numpy in BACKENDS:
            frame = frame_of(numpy)
            for column in (frame.x, frame.y, frame.id):
                with self.subTest(numpy=numpy), self.assertRaises((TypeError, ValueError)):
                    column[0] = 1

    @unittest.skipUnless(has_numpy(), "numpy is not installed")
    def test_numpy_has_no_copies(self):
        import numpy  # pylint: disable=import-outside-toplevel
        frame = frame_of(True)
        self.assertIsInstance(frame.y.base, bytes)
        self.assertIs(frame.x, frame.x)
        self.assertEqual(frame.x[frame.kind == "a"].tolist(), [101, 297])
        plain = frame_of(False).x
        self.assertTrue(numpy.shares_memory(numpy.frombuffer(plain, "<i4"), numpy.asarray(plain)))
        self.assertIs(drover.columns.numpy_module(), numpy)

    def test_what_the_end_to_end_reader_reads(self):
        with drover.serve("hunters_and_prey", paused=True) as world:
            for numpy in BACKENDS:
                world.session._numpy, world.session._backend = numpy, None
                lines, end = packed.Stream(), []
                # A delta may be on its way from the subscription before.
                end.append(world.on("line", lambda line: (line[:10] == b'{"op":"key' or line[:10] == b'{"op":"del' and lines.key)
                                    and end.append(lines.feed(line))))
                watch = world.watch(hz=480, fields="pos vel heading state kind stamina")
                for count in (1, 30, 200, 1):
                    frame = next(watch)
                    expected = [value for value in end[1:] if value][-1]["agents"]
                    found = {}
                    for values in zip(*(getattr(frame, name).tolist() if hasattr(getattr(frame, name), "tolist") else list(getattr(frame, name))
                                        for name in frame.names)):
                        found[values[0]] = dict(zip(frame.names, values))
                    self.assertEqual(found, expected)
                    world.step(count)
                end[0]()
                watch.close()

    def test_layouts(self):
        with drover.serve("seek", paused=True) as world:
            snapshot = next(world.watch(layout="objects"))
            self.assertEqual((len(snapshot), snapshot.agents[0]["kind"]), (1, "seeker"))
            for numpy in BACKENDS:
                world.session._numpy, world.session._backend = numpy, None
                density = next(world.watch(layout="density", grid=[2, 2]))
                self.assertEqual((density.grid, density.count.tolist(), density.vx.tolist()), ((2, 2), [0, 0, 0, 1], [0] * 4))
                density = next(world.watch(layout="density", grid=[2, 2], by_kind=True, mean_speed=True))
                self.assertEqual({kind: column.tolist() for kind, column in density.by_kind.items()}, {"seeker": [0, 0, 0, 1]})
                self.assertEqual(density.mean_speed.tolist(), [0] * 4)


class Newest(unittest.TestCase):
    def test_the_newest_wins_and_the_missed_are_counted(self):
        session = greeted(numpy=False)
        lag = {"op": "event", "event": "lag", "tick": 0, "by": 0, "skipped": 4}
        session.receive(line_of(KEY) + b"".join(line_of(dict(DELTA, tick=tick)) for tick in range(6)) + line_of(lag))
        frame = session.take_frame()
        self.assertEqual((frame.tick, frame.missed), (5, 9))
        self.assertIsNone(session.take_frame())
        session.receive(line_of(dict(DELTA, tick=6)))
        frame = session.take_frame()
        self.assertEqual((frame.tick, frame.missed, frame.x.tolist()), (6, 0, [101, 123456, 297]))

    def test_changes_of_a_key_count_though_their_frames_were_missed(self):
        first = {**KEY, "id": text("I", [4]), "n": 1, "from": 1, "key": 2, "gone": text("I", [1]), "tick": 6}
        first.update(kind=text("B", [1]), state=text("H", [1]), x=text("i", [7]), y=text("i", [8]), heading=text("H", [9]))
        second = {**first, "id": text("I", []), "n": 0, "from": 2, "key": 3, "gone": text("I", [0]), "tick": 7}
        second.update({name: text(code, []) for name, code in (("kind", "B"), ("state", "H"), ("x", "i"), ("y", "i"), ("heading", "H"))})
        still = {"op": "delta", "time": 0.25, "targets": [], "clock": 7.5}
        for numpy in BACKENDS:
            with self.subTest(numpy=numpy):
                session = greeted(numpy=numpy)
                for message in (KEY, {**still, "tick": 5, "key": 1, "n": 3}, first, {**still, "tick": 6, "key": 2, "n": 3},
                                second, {**still, "tick": 7, "key": 3, "n": 2}):
                    session.receive(line_of(message))
                frame = session.take_frame()
                self.assertEqual((frame.tick, len(frame), frame.id.tolist(), frame.x.tolist()), (7, 2, [4, 9], [7, 300]))
                self.assertEqual((list(frame.kind), list(frame.state)), (["b", "a"], ["run", "run"]))
                session.receive(line_of({**second, "key": 5, "from": 4}))
                session.receive(line_of({**still, "tick": 8, "key": 5, "n": 1}))
                with self.assertRaises(drover.DroverError):
                    session.take_frame()

    def test_frames_of_the_subscription_before_are_not_taken(self):
        session = greeted(numpy=False)
        session.receive(line_of(KEY) + line_of(DELTA))
        again = session.request("subscribe", {"layout": "objects"})
        session.receive(line_of(DELTA))
        self.assertFalse(session.has_frame)
        session.receive(line_of({"op": "reply", "to": "subscribe", "id": again.id, "layout": "objects"}))
        session.receive(line_of({"op": "snapshot", "tick": 8, "time": 0, "agents": [], "targets": [], "clock": 0}))
        self.assertEqual(session.take_frame().tick, 8)

    def test_a_slow_reader_of_a_real_server(self):
        with drover.serve("flock") as world:
            missed = []
            for frame in world.watch(hz=60, timeout=PATIENCE_S):
                missed.append(frame.missed)
                if len(missed) == 4:
                    break
                time.sleep(0.2)
            self.assertGreater(sum(missed), 3)
            ticks = world.ping()["tick"]
            self.assertLess(abs(ticks - frame.tick), 60)


class Lines(unittest.TestCase):
    def test_lines_come_whole_whatever_the_pieces(self):
        rng = random.Random(1)
        data = b"".join(b"x" * rng.randrange(1, 40) + b"\n" for _ in range(200)) + b"rest"
        for size in (1, 2, 7, 64, 10000):
            reader, lines = LineReader(), []
            for at in range(0, len(data), size):
                lines += reader.feed(data[at:at + size])
            self.assertEqual(lines, data.split(b"\n")[:-1])
        self.assertEqual(LineReader().feed(b"\n \r\na\n"), [b"a"])

    def test_an_endless_line_is_refused(self):
        reader = LineReader(limit=1000)
        reader.feed(b"x" * 1000)
        self.assertRaises(drover.DroverError, reader.feed, b"x")

    def test_members_of_requests(self):
        self.assertEqual(wire_fields({"return_": "packed", "a": None, "b": (1, 2), "c": range(2), "d": {"e_": {3}}}),
                         {"return": "packed", "b": (1, 2), "c": [0, 1], "d": {"e": [3]}})
        one = base64.b64encode(b"\0\0\x80?\0\0\0@").decode()
        self.assertEqual(wire_fields({"x": array.array("d", [1, 2]), "y": array.array("f", [1, 2])}), {"x": one, "y": one})
        self.assertEqual(wire_fields({"agents": array.array("Q", [1])}), {"agents": "AQAAAA=="})
        self.assertRaises(TypeError, wire_fields, {"x": b"bytes"})
        if has_numpy():
            import numpy  # pylint: disable=import-outside-toplevel
            self.assertEqual(wire_fields({"x": numpy.array([1.0, 2.0]), "n": numpy.int64(3), "f": numpy.float32(0.5), "b": numpy.bool_(True)}),
                             {"x": one, "n": 3, "f": 0.5, "b": True})
            self.assertEqual(wire_fields({"agents": numpy.array([1])}), {"agents": "AQAAAA=="})
            self.assertEqual(wire_fields({"v": numpy.array([[1, 9], [2, 9]])[:, :1]}), {"v": one})
        self.assertRaises(ValueError, Session().request, "mouse", {"x": float("nan"), "y": 0})

    def test_frames_of_replies(self):
        self.assertIsNone(of_reply({"op": "reply", "to": "step", "tick": 1, "hash": "0"}))
        snapshot = of_reply({"op": "reply", "tick": 4, "frame": {"op": "snapshot", "tick": 4, "agents": [{"id": 1}]}})
        self.assertEqual((snapshot.tick, len(snapshot)), (4, 1))
        frame = of_reply({"op": "reply", "tick": 5, "key": KEY, "frame": DELTA}, numpy=False)
        self.assertEqual((frame.tick, frame.x.tolist()), (5, [101, 123456, 297]))
        for wrong in ({"frame": {}}, {"frame": DELTA}, {"frame": DELTA, "key": {}}):
            self.assertRaises(drover.DroverError, of_reply, wrong, False)

    def test_unknown_lines_and_members_are_kept(self):
        session = greeted(numpy=False)
        session.notices.clear()
        session.receive(line_of({"op": "tomorrow", "x": 1}) + line_of({"op": "event", "event": "new", "tick": 0, "by": 0, "more": [1]}))
        self.assertEqual(list(session.notices), [("other", {"op": "tomorrow", "x": 1}),
                                                 ("event", {"op": "event", "event": "new", "tick": 0, "by": 0, "more": [1]})])


class Hostile(unittest.TestCase):
    """Bytes that no server sends: a DroverError, whatever they are, and soon."""

    def touch(self, session):
        """Looks at all that came."""
        frame = session.take_frame()
        if frame is None:
            return
        for name in ("id", "kind", "state", "x", "y", "vx", "vy", "heading", "stamina", "desired", "steering", "count", "targets", "tick", "time", "clock"):
            try:
                value = getattr(frame, name)
                if name in ("kind", "state"):
                    list(value)
            except AttributeError:
                pass  # the frame has no such column
        repr(frame)

    def mutated(self, rng, line):
        data = bytearray(line)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(data))
            kind = rng.randrange(4)
            if kind == 0:
                data[at] = rng.randrange(256)
            elif kind == 1:
                del data[at:at + rng.randrange(1, 20)]
            elif kind == 2:
                data[at:at] = bytes(rng.choice(b'"{}[],:0123456789\\ntruefalsnu-.eE') for _ in range(rng.randrange(1, 6)))
            else:
                data[at:at] = data[at:at + rng.randrange(1, 30)]
            data = data or bytearray(b"{}")
        return bytes(data) + b"\n"

    def test_mutated_lines(self):
        rng = random.Random(5)
        seeds = [json.dumps(message, separators=(",", ":")).encode() for message in (
            HELLO, KEY, DELTA, {"op": "reply", "to": "ping", "id": 2, "tick": 4}, {"op": "error", "id": 3, "code": "rate", "message": "m", "line": 1},
            {"op": "event", "event": "lag", "tick": 1, "by": 0, "skipped": 3}, {"op": "bye", "reason": "slow", "message": "m", "retry_s": 1},
            {"op": "density", "tick": 1, "time": 0, "grid": [2, 1], "region": [0, 0, 1, 1], "n": 1, "outside": 0, "count": text("I", [1, 0]),
             "vx": text("i", [1, 0]), "vy": text("i", [1, 0]), "targets": [], "clock": 1})]
        session = greeted(numpy=BACKENDS[-1])
        began, refused = time.monotonic(), 0
        for round_ in range(4000 if not SLOW else 200000):
            if round_ % 50 == 0:
                session = greeted(numpy=BACKENDS[round_ // 50 % len(BACKENDS)])
                session.request("ping")
                session.receive(seeds[1] + b"\n")
            try:
                session.receive(self.mutated(rng, rng.choice(seeds)))
                self.touch(session)
            except drover.DroverError:
                refused += 1
        self.assertGreater(refused, 500)
        self.assertLess(time.monotonic() - began, 10 * PATIENCE_S)

    def test_random_bytes_from_a_socket(self):
        rng = random.Random(9)

        def noise():
            return bytes(rng.choice((rng.randrange(256), 10, 123, 34)) for _ in range(rng.randrange(2000)))

        for greet in (lambda _: noise(), lambda _: noise() + b"\n", lambda _: b"", lambda _: line_of(HELLO) + noise() + b"\n",
                      lambda _: (line_of(HELLO)[:20], "close"), lambda _: b"HTTP/1.1 400 Bad Request\r\n\r\n", lambda _: b"[" * 100000 + b"\n",
                      lambda _: b'{"op":"hello","protocol":1,"scenario":7}\n'):
            with self.subTest(greet), FakeServer(lambda _, line: noise() + b"\n", greet) as server:
                began = time.monotonic()
                try:
                    with drover.connect(server.port, timeout=0.5) as world:
                        world.ask("ping")
                    self.fail("an answer out of noise")
                except drover.DroverError as error:
                    self.assertIn(error.code, ("protocol", "timeout", "unreachable", "lost"))
                self.assertLess(time.monotonic() - began, PATIENCE_S)

    def test_huge_numbers_and_deep_nesting(self):
        for line in (b"[" * 100000, b'{"op":' * 50000, b'{"op":"x","n":NaN}', b'{"op":"x","n":' + b"9" * 5000 + b"}", b'{"op":"\xff"}', b"null", b"{}"):
            with self.subTest(line[:20]):
                try:
                    parse(line)
                except drover.DroverError as error:
                    self.assertEqual(error.code, "protocol")

    def test_columns_that_do_not_fit(self):
        for wrong in ({"x": text("h", [1])}, {"x_far": text("i", [3, 0])}, {"x_far": text("i", [-1, 0])}, {"x_far": text("i", [1])}, {"x": 7},
                      {"x": "A"}, {"state_far": text("i", [0, 2])}, {"heading": "="}, {"desired": text("i", [1])}):
            for numpy in BACKENDS:
                with self.subTest(wrong, numpy=numpy), self.assertRaises(drover.DroverError):
                    frame = frame_of(numpy, delta=wrong)
                    (frame.x, frame.state, frame.heading, frame.desired)  # pylint: disable=pointless-statement
        for wrong in ({"kinds": None}, {"kinds": [1, 2]}, {"kinds": []}, {"n": 4}, {"n": -1}, {"n": True}, {"n": "3"}, {"id": text("I", [1])}):
            with self.subTest(wrong), self.assertRaises(drover.DroverError):
                frame = frame_of(False, key=wrong, delta={"n": wrong["n"]} if "n" in wrong else None)
                (frame.id, frame.kind)  # pylint: disable=pointless-statement
        with self.assertRaises(drover.DroverError):
            of_message(dict(DELTA), None, columns.backend(False))


if __name__ == "__main__":
    unittest.main()
