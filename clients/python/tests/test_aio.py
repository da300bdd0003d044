"""The asynchronous client: what differs from the synchronous one."""

import asyncio
import gc
import json
import os
import unittest

import support
from support import PATIENCE_S

import drover
from scripted_server import FakeServer, line_of, refuses_again, reply_to


def snapshot(tick):
    return line_of({"op": "snapshot", "tick": tick, "time": 0, "agents": [], "targets": [], "clock": 0})


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def code_of(self, awaitable):
        with self.assertRaises(drover.DroverError) as caught:
            await awaitable
        return caught.exception.code

    async def until(self, condition, what):
        loop = asyncio.get_running_loop()
        deadline = loop.time() + PATIENCE_S
        while not condition():
            self.assertLess(loop.time(), deadline, what)
            await asyncio.sleep(0.01)

    async def test_requests_of_many_tasks(self):
        async with drover.aio.serve("seek", paused=True) as world:
            replies = await asyncio.gather(*(world.spawn("seeker", count=n) for n in range(1, 20)), return_exceptions=True)
            self.assertEqual([reply["count"] for reply in replies], list(range(1, 20)))
            tick, digest = await world.step(60)
            self.assertEqual((tick, len(digest)), (60, 16))
            self.assertEqual((await world.params("seeker"))["max_speed"].unit, "px/s")
            self.assertEqual(await self.code_of(world.set_param("seeker", "max_sped", 1)), "no_param")
            with self.assertWarns(drover.DroverWarning) as caught:
                await world.spawn("seeker", cuont=1)
            self.assertEqual(os.path.basename(caught.filename), "test_aio.py")
            answers = await world.pipeline([{"op": "step"}, {"op": "spawn", "kind": "x"}])
            self.assertEqual((answers[0]["tick"], answers[1].code), (61, "no_kind"))
            pid = world.server.process
        self.assertIsNotNone(pid.poll())

    async def test_the_newest_frame_and_what_was_missed(self):
        async with drover.aio.serve("flock") as world:
            missed = []
            async for frame in world.watch(hz=60, timeout=PATIENCE_S):
                missed.append(frame.missed)
                if len(missed) == 4:
                    break
                await asyncio.sleep(0.2)
            self.assertGreater(sum(missed), 3)

    async def test_leaving_the_loop_unsubscribes(self):
        with FakeServer(lambda _, line: reply_to(line) + (snapshot(1) if b'"subscribe"' in line else b"")) as server:
            async with drover.aio.connect(server.port, fixed_hz=True) as world:
                async for _ in world.watch(layout="objects"):
                    break
                gc.collect()
                await world.ask("ping")
                self.assertEqual([json.loads(line)["op"] for _, line in server.lines], ["subscribe", "unsubscribe", "ping"])
                async with world.watch(layout="objects") as watch:
                    await watch.__anext__()
                    self.assertEqual(watch.granted["to"], "subscribe")
                    await world.ask("unsubscribe")
                    self.assertEqual(await self.code_of(watch.__anext__()), "replaced")

    async def test_it_subscribes_again_and_says_so(self):
        with FakeServer(lambda number, line: reply_to(line) + (snapshot(number) if b'"subscribe"' in line else b"")) as server:
            async with drover.aio.connect(server.port) as world:
                links, ticks = [], []
                world.on("link", lambda link: links.append(link["up"]))
                async for frame in world.watch(layout="objects"):
                    ticks.append(frame.tick)
                    if frame.tick == 3:
                        break
                    server.hang_up_all()
                self.assertEqual((ticks, links), ([1, 2, 3], [False, True, False, True]))

    async def test_a_loop_ends_when_its_subscription_does(self):
        with FakeServer(refuses_again) as server:
            async with drover.aio.connect(server.port) as world:
                watch = world.watch(layout="objects", timeout=PATIENCE_S)
                await watch.__anext__()
                server.hang_up_all()
                self.assertEqual(await self.code_of(watch.__anext__()), "replaced")

    async def test_timeouts_and_cancelling(self):
        def answer(_, line):
            return b"" if b"step" in line else reply_to(line)

        with FakeServer(answer) as server:
            async with drover.aio.connect(server.port, timeout=0.1) as world:
                self.assertEqual(await self.code_of(world.step()), "timeout")
                task = asyncio.ensure_future(world.step(timeout=None))
                await asyncio.sleep(0.05)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                self.assertEqual((await world.ask("ping"))["to"], "ping")
                self.assertEqual(world.session._pending, {})
                await world.ask("subscribe")
                self.assertEqual(await self.code_of(world.frame(timeout=0.05)), "timeout")

    async def test_a_server_that_is_gone(self):
        with FakeServer() as server:
            async with drover.aio.connect(server.port, timeout=0.4) as world:
                self.assertEqual((await world.ask("ping"))["to"], "ping")
                server.close()
                await self.until(lambda: not world.session.up, "the end of the connection")
                self.assertEqual(await self.code_of(world.ask("ping")), "unreachable")
        with FakeServer() as server:
            async with drover.aio.connect(server.port, reconnect=False) as world:
                server.hang_up_all()
                await self.until(lambda: not world.session.up, "the end of the connection")
                self.assertIn(await self.code_of(world.ask("ping")), ("lost", "closed"))
        async with drover.aio.serve("seek") as world:
            world.server.process.kill()
            await self.until(lambda: not world.session.up, "the end of the connection")
            self.assertIn(await self.code_of(world.ask("ping")), ("lost", "closed"))

    async def test_events_and_callbacks(self):
        async with drover.aio.serve("seek", paused=True) as world:
            seen = []

            async def spawned(event):
                await world.ping()
                seen.append(event["count"])

            world.on("spawned", spawned)
            events = world.events("removed", timeout=PATIENCE_S)
            reading = asyncio.ensure_future(events.__anext__())
            await self.until(lambda: world.session.subscription, "the subscription")
            await world.spawn("seeker", count=2)
            await world.remove([1])
            self.assertEqual((await reading)["count"], 1)
            await events.aclose()
            await self.until(lambda: seen == [2], "the callback")

    async def test_a_server_that_does_not_start(self):
        self.assertEqual(await self.code_of(drover.aio.serve("nowhere").start()), "serve")


if __name__ == "__main__":
    unittest.main()
