"""Seats from Python; and examples/duel.py: two programs, delays at random, the same last hash every time."""

import asyncio
import os
import re
import subprocess
import sys
import threading
import time
import unittest

from support import PACKAGE, PATIENCE_S, ROOT, SLOW

import drover
import drover.aio

TURNS = 200 if SLOW else 30


def duel(delay):
    """What both sides say at the end."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    run = subprocess.run([sys.executable, str(ROOT / "examples/duel.py"), "--turns", str(TURNS), "--delay", str(delay)], capture_output=True,
                         text=True, timeout=4 * PATIENCE_S, check=False, env=environment)
    said = sorted(re.findall(r"(\w+): tick (\d+), hash (\w+), \d+ touched", run.stdout))
    return run.returncode, said, run.stdout + run.stderr


class Duel(unittest.TestCase):
    def test_delays_change_no_bit(self):
        runs = [duel(delay) for delay in (0, 0.01, 0.03)]
        code, said, text = runs[0]
        self.assertEqual((code, [(kind, tick) for kind, tick, _ in said]), (0, [("chaser", str(6 * TURNS)), ("runner", str(6 * TURNS))]), text)
        self.assertEqual(said[0][2], said[1][2])
        for other in runs[1:]:
            self.assertEqual(other[:2], runs[0][:2], other[2])


class Seat(unittest.TestCase):
    def test_two_in_threads(self):
        ends = {}

        def play(name, address):
            with drover.connect(address) as world, world.seat(name, of=2, wait_ms=60000) as seat:
                world.speed(max=True)
                world.resume()
                for turn in range(20):
                    answer = world.later.set_target(name="mouse", x=100 * turn, y=seat.number)
                    step = seat.go(2, hash=True, return_="packed", fields="pos")
                    answer.result()
                    assert step.frame.tick == seat.tick == 2 * turn + 2
                ends[name] = step

        with drover.serve("seek", paused=True) as world:
            threads = [threading.Thread(target=play, args=(name, world.address)) for name in ("left", "right")]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(set(ends), {"left", "right"})
            self.assertEqual(ends["left"].hash, ends["right"].hash)
            self.assertEqual(world.list("seats")["seats"], [])

    def test_late_and_lost(self):
        with drover.serve("seek", paused=True) as world:
            with world.seat("a", wait_ms=2000) as seat:
                world.resume()
                seat.go(3)
                self.assertEqual(seat.tick, 3)
                seat.tick = 1
                with self.assertRaises(drover.DroverError) as caught:
                    seat.go()
                self.assertEqual((caught.exception.code, caught.exception.reply["tick"]), ("late", 3))
                deadline = time.monotonic() + PATIENCE_S
                while not world.stats()["paused"] and time.monotonic() < deadline:
                    time.sleep(0.01)
                world.leave()
                with self.assertRaises(drover.DroverError) as caught:
                    seat.go()
                self.assertEqual(caught.exception.code, "no_seat")

    def test_asyncio(self):
        async def play():
            async with drover.aio.serve("seek", paused=True) as world:
                async with await world.seat("a", wait_ms=60000) as seat:
                    await world.resume()
                    step = await seat.go(2, hash=True)
                    self.assertEqual((step.tick, len(step.hash), seat.tick), (2, 16, 2))

        asyncio.run(play())


if __name__ == "__main__":
    unittest.main()
