"""Seats from Python, and environments of learners in seats; and examples/duel.py: two programs, delays at random, the same last hash every time."""

import asyncio
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from support import PACKAGE, PATIENCE_S, ROOT, SLOW, wait_for

import drover
import drover.aio
from drover.env import Env, ParallelEnv
from drover.serving import ServerProcess

TURNS = 200 if SLOW else 30


SCENARIO = str(ROOT / "examples/duel.json")
KINDS = ("chaser", "runner")
WAIT_MS = 120000  # for learners that are there
# A learner in a process of its own, which says where it is and steps until it is killed.
LEARNER = """
import sys
from drover.env import Env
with Env("duel", "runner", address=int(sys.argv[1]), seat="runner", of=2, wait_ms=600000) as env:
    env.reset()
    while True:
        info = env.step(None)[4]
        print(info["elapsed"], flush=True)
"""


def duel(delay, *more):
    """What both sides say at the end."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    run = subprocess.run([sys.executable, str(ROOT / "examples/duel.py"), "--turns", str(TURNS), "--delay", str(delay), *more], capture_output=True,
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

    def test_learners(self):
        runs = [duel(delay, "--learn", "3") for delay in (0, 0.02)]
        for code, said, text in runs:
            self.assertEqual((code, [(kind, tick) for kind, tick, _ in said]), (0, [(kind, str(6 * TURNS)) for kind in KINDS]), text)
        self.assertEqual(runs[0][1], runs[1][1])
        self.assertEqual(len({hash_ for _, _, hash_ in runs[0][1]}), 1, runs[0][2])


def vectors(kind, turn):
    """Of the four agents of a side."""
    return [((37 * at + 11 * turn + len(kind) * at) % 200 - 100.0, (91 * at + 7 * turn) % 200 - 100.0) for at in range(4)]


def act(env, turn):
    """A step with the vectors of all kinds that it drives."""
    return env.step([vector for kind in env.kinds for vector in vectors(kind, turn)])


def learner(kind, world, **options):
    return Env("duel", kind, **{"address": world.address, "seat": kind, "of": 2, "wait_ms": WAIT_MS, **options})


def together(*plays):
    """What functions return that run in threads side by side."""
    with ThreadPoolExecutor(len(plays)) as pool:
        return [play.result() for play in [pool.submit(play) for play in plays]]


class Learners(unittest.TestCase):
    def episodes(self, env, delay=0.0, seed=7, turns=5):
        """The hashes of three episodes."""
        found = []
        for number in range(3):
            _, info = env.reset(seed=seed if number == 0 else None)
            found.append(info["hash"])
            for turn in range(turns):
                time.sleep(random.uniform(0.0, delay))
                _, _, terminated, truncated, info = act(env, turn)
                self.assertEqual((terminated, truncated, info["tick"]), (False, turn == turns - 1, 6 * turn + 6))
                found.append(info["hash"])
            time.sleep(random.uniform(0.0, 3 * delay))
        return found

    def test_the_same_bits_as_one_program(self):
        with Env(SCENARIO, KINDS, seconds=0.5) as env:
            wanted = self.episodes(env)
        self.assertEqual(len(set(wanted)), len(wanted))

        def play(kind, world, delay, seed):
            with learner(kind, world, seconds=0.5) as env:
                return self.episodes(env, delay, seed)

        for delays in ((0.0, 0.0), (0.03, 0.0), (0.0, 0.03)):
            with drover.serve(SCENARIO, paused=True) as world:
                found = together(partial(play, "chaser", world, delays[0], 7), partial(play, "runner", world, delays[1], 99))
                self.assertEqual(found, [wanted, wanted])
                self.assertEqual(world.list("seats")["seats"], [])
                self.assertTrue(world.stats()["paused"])

    def test_one_whose_episode_is_over_waits_for_the_next(self):
        """Its agents go on without vectors, for as long as the first seat's episode lasts."""
        with ParallelEnv(SCENARIO, KINDS, seconds=1) as env:
            env.reset(seed=3)
            wanted = []
            for turn in range(10):
                driven = KINDS if turn < 4 else ("chaser",)
                actions = {f"{kind}_{at + (1 if kind == 'chaser' else 5)}": vector for kind in driven for at, vector in enumerate(vectors(kind, turn))}
                wanted.append(env.step(actions)[4][env.possible_agents[0]]["hash"])
            wanted.append(env.reset(seed=4)[1]["chaser_1"]["hash"])

        def chaser():
            with learner("chaser", world, seconds=1) as env:
                env.reset(seed=3)
                return [act(env, turn)[4]["hash"] for turn in range(10)] + [env.reset(seed=4)[1]["hash"]]

        def runner():
            with learner("runner", world, terminated=lambda moment: moment.elapsed == 24) as env:
                env.reset()
                found = [act(env, turn) for turn in range(4)]
                self.assertEqual([terminated for _, _, terminated, _, _ in found], [False, False, False, True])
                return [info["hash"] for *_, info in found] + [env.reset()[1]["hash"]]

        with drover.serve(SCENARIO, paused=True) as world:
            first, second = together(chaser, runner)
        self.assertEqual(first, wanted)
        self.assertEqual(second, wanted[:4] + wanted[-1:])

    def test_a_reset_of_the_first_ends_the_episode_of_all(self):
        def chaser():
            with learner("chaser", world) as env:
                env.reset(seed=3)
                hashes = [act(env, turn)[4]["hash"] for turn in range(2)]
                return hashes + [env.reset(seed=4)[1]["hash"], act(env, 0)[4]["hash"]]

        def runner():
            with ParallelEnv("duel", "runner", address=world.address, seat="runner", of=2, wait_ms=WAIT_MS, reward=lambda moment: 1.0) as env:
                env.reset()
                steps = [env.step(dict(zip(env.agents, vectors("runner", turn)))) for turn in range(3)]
                self.assertEqual([step[1]["runner_5"] for step in steps], [1.0, 1.0, 0.0])
                self.assertEqual([step[3]["runner_5"] for step in steps], [False, False, True])
                observations = [{name: list(row) for name, row in step[0].items()} for step in steps]
                self.assertEqual(observations[2], observations[1])
                self.assertEqual((steps[2][4]["runner_5"]["stopped"], steps[2][4]["runner_5"]["elapsed"], env.agents), ("reset", 12, []))
                self.assertRaisesRegex(RuntimeError, "begun anew by another learner's reset; call reset", env.step, {})
                hashes = [step[4]["runner_5"]["hash"] for step in steps[:2]] + [env.reset()[1]["runner_5"]["hash"]]
                self.assertEqual(env.moment.tick, 0)
                return hashes + [env.step(dict(zip(env.agents, vectors("runner", 0))))[4]["runner_5"]["hash"]]

        with drover.serve(SCENARIO, paused=True) as world:
            first, second = together(chaser, runner)
            self.assertEqual(first, second)

    def test_one_dies(self):
        """Its seat is free at once, the other one goes on and sees it; the next reset waits for another learner in its place."""
        with drover.serve(SCENARIO, paused=True) as world, learner("chaser", world) as env:
            def start():
                return subprocess.Popen([sys.executable, "-c", LEARNER, str(world.address[1])], stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "PYTHONPATH": str(PACKAGE)})

            with start() as other:
                env.reset(seed=3)
                self.assertEqual(act(env, 0)[4]["seats"], ["chaser", "runner"])
                self.assertEqual(other.stdout.readline(), "6\n")
                other.kill()
            wait_for(lambda: act(env, 1)[4]["seats"] == ["chaser"], "steps alone")
            env.close()
            with learner("chaser", world, wait_ms=100) as again:
                with self.assertRaisesRegex(drover.DroverError, "no episode within 100 ms: 1 of 2 seats are taken: chaser") as caught:
                    again.reset(seed=3)
                self.assertEqual(caught.exception.code, "timeout")
            with learner("chaser", world) as again, start() as other:
                hash_ = again.reset(seed=3)[1]["hash"]
                self.assertEqual(act(again, 0)[4]["seats"], ["chaser", "runner"])
                other.kill()
            with Env(SCENARIO, KINDS) as alone:
                self.assertEqual(alone.reset(seed=3)[1]["hash"], hash_)

    def test_one_that_thinks_for_too_long_loses_its_seat(self):
        with drover.serve(SCENARIO, paused=True) as world, learner("chaser", world) as first, learner("runner", world, wait_ms=300) as slow:
            together(lambda: first.reset(seed=3), lambda: wait_until_joined(slow))
            self.assertEqual(act(first, 0)[4]["seats"], ["chaser"])
            with self.assertRaises(drover.DroverError) as caught:
                slow.step(None)
            self.assertEqual(caught.exception.code, "no_seat")
            self.assertRaisesRegex(RuntimeError, "the step failed; call reset", slow.step, None)

    def test_an_admin_and_an_operator(self):
        """The roles that the first seat needs, and the others."""
        with tempfile.NamedTemporaryFile("w") as tokens:
            tokens.write("admin secret-a\noperator secret-o\nviewer secret-v\n")
            tokens.flush()
            server = ServerProcess(SCENARIO, paused=True, arguments=("--token-file", tokens.name))
            self.addCleanup(server.end)
            server.wait_until_listening()

            def play(kind, token):
                with Env("duel", kind, address=server.port, seat=kind, of=2, wait_ms=WAIT_MS, token=token) as env:
                    env.reset(seed=3)
                    return act(env, 0)[4]["hash"]

            found = together(partial(play, "chaser", "secret-a"), partial(play, "runner", "secret-o"))
            self.assertEqual(found[0], found[1])
            with self.assertRaises(drover.DroverError) as caught:
                play("chaser", "secret-v")
            self.assertEqual(caught.exception.code, "denied")

    def test_what_is_refused(self):
        self.assertRaisesRegex(ValueError, "in_process has no seats", Env, "duel", "chaser", in_process=True, seat="a")
        self.assertRaisesRegex(ValueError, "seat was given alone", Env, "duel", "chaser", seat="a")
        self.assertRaisesRegex(ValueError, "address was given alone", Env, "duel", "chaser", address=7717)
        with drover.serve(SCENARIO, paused=True) as world:
            self.assertRaisesRegex(ValueError, "leave out server, arguments and until", learner, "chaser", world, until={"tick": 5})
            with self.assertRaisesRegex(drover.DroverError, "of the scenario 'duel', not of 'driven'"):
                Env("driven", "drone", address=world.address, seat="a")
            with Env(SCENARIO, "chaser", address=world.address, seat="a", of=1) as env:  # alone
                env.reset(seed=5)
                self.assertEqual(env.step(None)[4]["seats"], ["a"])
                self.assertRaisesRegex(RuntimeError, "save is of an environment with a server of its own", env.save)
            self.assertEqual(world.list("seats")["seats"], [])


def wait_until_joined(env):
    """The reset of a learner with a wait so short that the seat may be gone before the others are there: again."""
    while True:
        try:
            return env.reset()
        except drover.DroverError as error:
            if error.code != "timeout":
                raise


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
