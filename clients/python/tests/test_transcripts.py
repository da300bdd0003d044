"""Every line of protocol.md's transcripts, sent by the client's own method of that name; what comes is compared with what the
methods return, with the events that callbacks get, and with the frames."""

import asyncio
import json
import time
import unittest
import warnings

import support
from support import PATIENCE_S

import drover
from test_protocol_doc import TRANSCRIPTS, difference

FRAME_OPS = ("snapshot", "delta", "density")
NOTICES = ("event", "scenario", "cursors", "bye", "error")


def members_of(row):
    """A request of the page as op and keyword arguments; None when it is no JSON, which no client sends."""
    try:
        fields = json.loads(row)
    except ValueError:
        return None
    op = fields.pop("op")
    return op, {(name + "_" if name in ("return", "from", "try") else name): value for name, value in fields.items()}


class Page:
    """What the client made of the lines that came: each kind in its own order, as the page's lines are."""

    def __init__(self, world):
        self.world = world
        self.notices = []
        for what in NOTICES:
            world.on(what, lambda payload: self.notices.append(payload.reply if isinstance(payload, drover.DroverError) else payload))
        self.answers = []
        self.later = {}  # by id: what answers the requests for a tick
        self.frame = None
        self.missed = 0

    def take_frame(self):
        if self.world.session.has_frame:
            self.frame = self.world.session.take_frame()
            self.missed += self.frame.missed

    def next_of(self, op, about):
        """What came for a line of the page, or None."""
        if op in ("reply", "error") and self.answers:
            return self.answers.pop(0)
        if op in FRAME_OPS + ("key",):
            self.take_frame()
            if self.frame is None:
                return None
            if op == "key":
                return self.frame.key.message
            found, self.frame = self.frame.message, None
            return found
        return self.notices.pop(0) if self.notices else None


def as_reply(result):
    """What a method returned, as the line that it stands for."""
    if isinstance(result, drover.DroverError):
        return dict(result.reply)
    return dict(result.reply) if hasattr(result, "reply") else result


async def outcome(awaitable):
    try:
        return await awaitable
    except drover.DroverError as error:
        return error


class Transcripts(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        warnings.simplefilter("ignore", drover.DroverWarning)

    def check(self, expected, found, line):
        wrong = difference(expected, found)
        self.assertIsNone(wrong, f"protocol.md:{line}: {wrong}")

    def call(self, world, op, fields):
        method = getattr(world.later if "at" in fields and hasattr(world, "later") else world, op, None)
        reply = "id" in fields
        try:
            if method is None:
                return world.ask(op, reply=reply, **fields)
            return method(reply=reply, **fields)
        except drover.DroverError as error:
            return error

    def expected(self, page, row, number, pump):
        wanted = json.loads(row)
        deadline = time.monotonic() + PATIENCE_S
        while True:
            found = page.next_of(wanted["op"], wanted)
            if found is not None:
                self.check(wanted, found, number)
                return
            self.assertLess(time.monotonic(), deadline, f"protocol.md:{number}: it did not come")
            pump()

    def run_block(self, scenario, text, line):
        with drover.serve(scenario, paused=True, numpy=False) as world:
            page = Page(world)
            for number, row in enumerate(text.splitlines(), line + 1):
                if row.startswith('< {"op":"hello"'):
                    self.check(json.loads(row[2:]), world.greeting, number)
                elif row.startswith("> "):
                    asked = members_of(row[2:])
                    if asked is None:
                        break  # the lines after it count it
                    result = self.call(world, *asked)
                    if isinstance(result, drover.Pending):
                        page.later[asked[1]["id"]] = result
                    elif result is not None:
                        page.answers.append(as_reply(result))
                elif json.loads(row[2:]).get("id") in page.later:
                    try:
                        result = page.later.pop(json.loads(row[2:])["id"]).result()
                    except drover.DroverError as error:
                        result = error
                    self.check(json.loads(row[2:]), as_reply(result), number)
                else:
                    self.expected(page, row[2:], number, lambda: world.pump(0.02))
            self.assertEqual((page.answers, page.later, page.notices, page.missed), ([], {}, [], 0), f"protocol.md:{line}: more came")

    def run_block_async(self, scenario, text, line):
        asyncio.run(self.run_async(scenario, text, line))

    async def run_async(self, scenario, text, line):
        async with drover.aio.serve(scenario, paused=True, numpy=False) as world:
            page = Page(world)
            for number, row in enumerate(text.splitlines(), line + 1):
                if row.startswith('< {"op":"hello"'):
                    self.check(json.loads(row[2:]), world.greeting, number)
                elif row.startswith("> "):
                    asked = members_of(row[2:])
                    if asked is None:
                        break
                    result = asyncio.ensure_future(self.call(world, *asked))
                    if "at" in asked[1]:
                        page.later[asked[1]["id"]] = result
                        await asyncio.sleep(0)
                        continue
                    result = await outcome(result)
                    if result is not None:
                        page.answers.append(as_reply(result))
                elif json.loads(row[2:]).get("id") in page.later:
                    wanted = json.loads(row[2:])
                    self.check(wanted, as_reply(await outcome(page.later.pop(wanted["id"]))), number)
                else:
                    wanted = json.loads(row[2:])
                    deadline = time.monotonic() + PATIENCE_S
                    found = page.next_of(wanted["op"], wanted)
                    while found is None:
                        self.assertLess(time.monotonic(), deadline, f"protocol.md:{number}: it did not come")
                        await asyncio.sleep(0.01)
                        found = page.next_of(wanted["op"], wanted)
                    self.check(wanted, found, number)
            self.assertEqual((page.answers, page.later, page.notices, page.missed), ([], {}, [], 0), f"protocol.md:{line}: more came")

    def test_each_op_of_the_page_is_a_method(self):
        for _, text, line in TRANSCRIPTS:
            for row in text.splitlines():
                asked = members_of(row[2:]) if row.startswith("> ") else None
                if asked and asked[0] != "fly":
                    self.assertTrue(callable(getattr(drover.Drover, asked[0], None)), f"protocol.md:{line}: {asked[0]}")


for _scenario, _text, _line in TRANSCRIPTS:
    def _test(self, block=(_scenario, _text, _line)):
        self.run_block(*block)

    def _test_async(self, block=(_scenario, _text, _line)):
        self.run_block_async(*block)

    setattr(Transcripts, f"test_line_{_line}", _test)
    setattr(Transcripts, f"test_line_{_line}_async", _test_async)


if __name__ == "__main__":
    unittest.main()
