"""Simulations in process: what libdrover-sim does, in Python, and environments that are the same, to the bit, as over the wire."""

import array
import gc
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

from support import PACKAGE, PATIENCE_S, has_numpy, torus

import drover
import drover.sim
from drover.env import Env, Nearest, ParallelEnv, VectorEnv
from drover.env_spaces import shape_of
from drover.sim import Simulation

BACKENDS = [False, True] if has_numpy() else [False]


def lists(value):
    return value.tolist() if hasattr(value, "tolist") else value


class Sim(unittest.TestCase):
    def test_it_is_the_world_of_a_server(self):
        with Simulation("driven", seed=7) as world, drover.serve("driven", seed=7, paused=True) as other:
            for one in (world, other):
                one.spawn("drone", count=2, x=100, y=100)
                one.set_param("drone", "max_speed", 100)
            self.assertEqual(world.step(30).hash, other.step(30).hash)
            self.assertEqual(world.tick, 30)
            self.assertEqual(world.params("drone")["max_speed"].unit, "px/s")
            self.assertEqual([kind["name"] for kind in world.scenario["kinds"]], world.kind_names())
            self.assertEqual(world.state_names(0), ["tired", "driven", "round"])

    def test_mistakes(self):
        with self.assertRaises(drover.DroverError) as caught:
            Simulation({"name": "x", "world": {"size": [100, 100]}, "kinds": {"a": {"max_sped": 1}}})
        self.assertEqual((caught.exception.code, caught.exception.field), ("bad_scenario", "kinds.a.max_sped"))
        with self.assertRaises(drover.DroverError) as caught:
            Simulation("no such scenario")
        self.assertEqual((caught.exception.code, caught.exception.field), ("no_scenario", "scenario"))
        self.assertRaises(drover.DroverError, Simulation, "./none.json")
        self.assertRaises(ValueError, Simulation, "seek", seed=-1)
        self.assertRaises(ValueError, Simulation, "seek", columns="id z")
        with Simulation("seek") as world:
            for op, code, field in (("spawn", "bad_param", "kind"), ("pause", "unknown_op", "op")):
                with self.assertRaises(drover.DroverError) as caught:
                    world.ask(op)
                self.assertEqual((caught.exception.code, caught.exception.field), (code, field))
            one = array.array("f", [1.0])
            with self.assertRaises(drover.DroverError) as caught:
                world.turn(6, array.array("I", [1]), one, one)
            self.assertEqual((caught.exception.code, world.tick), ("bad_param", 0))
            self.assertRaisesRegex(ValueError, "vy has the format 'd'", world.turn, 1, array.array("I", [1]), one, array.array("d", [1.0]))
            self.assertRaisesRegex(ValueError, r"vx has .*\(2,\); expected 'f' and \(1,\)", world.turn, 1, array.array("I", [1]), one * 2, one)
            self.assertRaises(ValueError, world.nearest, [1], 33)
            self.assertRaises(AttributeError, lambda: world.agents("x").y)
        with self.assertRaises(drover.DroverError) as caught:
            world.step()
        self.assertEqual(caught.exception.code, "closed")
        world.close()

    def test_a_turn_is_drive_and_step(self):
        for numpy in BACKENDS:
            with Simulation("driven", seed=3, numpy=numpy) as world, Simulation("driven", seed=3) as other:
                ids, vx, vy = array.array("I", [1, 3]), array.array("f", [50, 0]), array.array("f", [0, -60])
                agents = world.turn(6, ids, vx, vy)
                other.drive(agents=ids, vx=vx, vy=vy)
                self.assertEqual(other.step(6).hash, world.hash)
                frame = other.snapshot("pos vel kind")
                self.assertEqual([round(value * 100) for value in agents.x.tolist()], frame.x.tolist())
                self.assertEqual(lists(agents.id), frame.id.tolist())
                self.assertEqual(hasattr(agents.x, "dtype"), numpy)
                kept = lists(agents.x)
                world.turn(6)
                world.spawn("drone", count=200)
                self.assertEqual(len(world.turn(0)), len(agents) + 200)
                self.assertEqual(lists(agents.x), kept)
                gc.collect()
                all_of_it = world.agents(drover.sim.COLUMNS)
                self.assertEqual([len(getattr(all_of_it, name)) for name in drover.sim.COLUMNS], [len(agents) + 200] * 10)
                self.assertEqual(set(lists(all_of_it.radius)), {7.0, 10.0})

    def test_the_nearest_of_few(self):
        for numpy in BACKENDS:
            with Simulation("seek", numpy=numpy) as world:
                world.spawn("seeker", x=1, y=1)
                self.assertEqual(lists(world.nearest([1, 2, 9], 2)), [[1, -1], [0, -1], [-1, -1]])
                self.assertEqual(lists(world.nearest([1], 1, [])), [[-1]])
                with self.assertRaises(drover.DroverError) as caught:
                    world.nearest([1], 1, ["whale"])
                self.assertEqual(caught.exception.code, "no_kind")

    def test_copies_and_saves(self):
        with Simulation("driven", seed=3) as world:
            began = world.hash
            world.step(9)
            text, copy = world.save(), world.clone()
            after = world.step(9).hash
            self.assertEqual(copy.step(9).hash, after)
            self.assertEqual(Simulation("", save=text).step(9).hash, after)
            copy.restart(3)
            self.assertEqual((copy.tick, copy.hash), (0, began))
            world.copy_from(copy)
            self.assertEqual(world.hash, began)
            self.assertRaises(ValueError, world.copy_from, Simulation("seek"))

    def test_events(self):
        with Simulation("hunters_and_prey", seed=1) as world:
            for _ in range(60):
                world.turn(60)
                events = world.events()
                if events:
                    break
            self.assertEqual(events[0].name, "caught")
            self.assertTrue(events[0].agent and events[0].quarry and events[0].target is None)

    def test_a_library_that_is_not_there(self):
        done = subprocess.run([sys.executable, "-c", "import drover.sim; drover.sim.Simulation('seek')"], capture_output=True, text=True, check=False,
                              timeout=PATIENCE_S, env={**os.environ, "PYTHONPATH": str(PACKAGE), "DROVER_SIM_LIBRARY": "/none/lib.so"})
        self.assertIn("DroverError: sim: $DROVER_SIM_LIBRARY names /none/lib.so, which is no file", done.stderr)


class InProcess(unittest.TestCase):
    def test_the_hashes_are_those_over_the_wire(self):
        """With the same seeds and actions, of one controller and of many, and after going back."""
        for shape, scenario, kind in ((Env, "driven", ["drone", "glider"]), (ParallelEnv, "driven", "drone")):
            hashes = []
            for in_process in (False, True):
                dice = random.Random(5)
                with shape(scenario, kind, in_process=in_process, seconds=1, requests=self.requests, numpy=False) as env:
                    hashes.append([])
                    for seed in (None, 4, None, 2 ** 53 - 1):
                        env.reset(seed=seed) if seed is not None or hashes[-1] else env.reset(seed=1)
                        for _ in range(2):
                            hashes[-1].append(self.step(env, dice))
                        saved = env.save()
                        for _ in range(3):
                            hashes[-1].append(self.step(env, dice))
                        env.restore(saved)
                        hashes[-1].append(self.step(env, dice))
                        env.reset(options={"save": saved})
                        hashes[-1].append(self.step(env, dice))
            self.assertEqual(hashes[0], hashes[1])
            self.assertEqual(len(set(map(str, hashes[0]))), len(hashes[0]))

    @staticmethod
    def requests(moment):
        if moment.elapsed == 6:
            return [{"op": "spawn", "kind": "drone", "x": 50, "y": 50, "count": 3}]
        return [{"op": "remove", "agents": [2]}] if moment.elapsed == 12 else None

    @staticmethod
    def step(env, dice):
        vectors = [(dice.uniform(-99, 99), dice.uniform(-99, 99)) for _ in env.agent_ids]
        if isinstance(env, Env):
            *_, info = env.step(vectors)
        else:
            *_, infos = env.step(dict(zip(env.agents, vectors)))
            info = infos["drone_1"]
        return info["hash"], info["tick"], info["gone"], info["came"]

    def test_the_nearest_are_those_of_a_search_of_all_pairs(self):
        """The library's, beside Nearest's own computation of the same frame: on a torus, in a box, where some are as near as others,
        and where none are left."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for scenario, kind, kinds in (("driven", "drone", None), ("driven", "drone", ["glider", "none"]), ("driven", "drone", []),
                                      (torus(folder.name), "hunter", None), (torus(folder.name), "hunter", ["prey"])):
            for numpy in BACKENDS:
                nearest = Nearest(3, kinds)
                with Env(scenario, kind, in_process=True, numpy=numpy, observe=nearest) as env:
                    env.reset(seed=2)
                    env.world.place(agents=list(range(1, 13)), x=[at % 4 * 100 for at in range(12)], y=[at // 4 * 100 for at in range(12)])
                    for turn in range(4):
                        observation, *_ = env.step([(30, turn)] * len(env.agent_ids))
                        found, env.moment.near = lists(observation), None
                        self.assertEqual(found, [[array.array("f", [value])[0] for value in row] for row in lists(nearest(env.moment))])
                    env.world.remove(agents=list(env.agent_ids[:2]))
                    observation, *_ = env.step(None)
                    self.assertEqual((any(lists(observation)[0]), any(lists(observation)[2])), (False, True))

    def test_frames_have_the_columns_of_a_server(self):
        for numpy in BACKENDS:
            frames = []
            for in_process in (False, True):
                with Env("driven", "drone", in_process=in_process, fields="heading state stamina", numpy=numpy) as env:
                    env.reset(seed=5)
                    env.step([(40, 9)] * len(env.agent_ids))
                    frame = env.moment.frame
                    frames.append({name: lists(getattr(frame, name)) for name in ("id", "x", "y", "vx", "vy", "heading", "stamina")})
                    frames[-1]["names"] = (list(frame.kind), list(frame.state), sum(frame.state == "driven"), frame.tick, frame.time)
                    self.assertAlmostEqual(frame.px.x[0], frame.x[0] / 100, delta=0.006)
                    self.assertAlmostEqual(frame.px.heading[0] % 360, frame.heading[0] / 100, delta=0.006)
            self.assertEqual(frames[0], frames[1])

    def test_until_and_mistakes(self):
        with Env("driven", "drone", ticks=10, until={"tick": 14}, in_process=True) as env:
            env.reset(seed=1)
            infos = [env.step([(1, 2)] * 48)[4] for _ in range(2)]
            self.assertEqual([(info["tick"], info["stopped"]) for info in infos], [(10, None), (14, "tick")])
            for bad in (math.nan, 2e9):
                self.assertRaisesRegex(ValueError, "vector of agent 1", env.step, [(bad, 0)] * 48)
            with self.assertRaises(drover.DroverError) as caught:
                env.reset(options={"save": "name"})
            self.assertEqual(caught.exception.code, "no_save")
        self.assertRaisesRegex(RuntimeError, "closed; make another", env.reset)
        self.assertRaisesRegex(ValueError, "server", Env, "driven", "drone", in_process=True, server="/bin/true")
        self.assertRaisesRegex(ValueError, "force", Env, "driven", "drone", in_process=True, fields="force")
        self.assertRaises(drover.DroverError, Env, "seek", "seeker", in_process=True)


class Vector(unittest.TestCase):
    def test_each_world_goes_as_an_env(self):
        """Whatever the number of threads: observations, rewards, ends and hashes, and each world begins again by itself."""
        for numpy, threads in [(backend, threads) for backend in BACKENDS for threads in (1, 2, 3)]:
            options = {"seconds": 0.4, "reward": lambda moment: moment.tick, "numpy": numpy}
            with VectorEnv(3, "driven", "drone", threads=threads, **options) as envs, Env("driven", "drone", in_process=True, **options) as env:
                begun, _ = envs.reset(seed=8)
                self.assertEqual(shape_of(begun), (3, 48, 20))
                self.assertEqual((envs.observation_space.shape, envs.action_space.shape), ((3, 48, 20), (3, 48, 2)))
                self.assertTrue(envs.observation_space.contains(begun))
                actions = [[[(10 * world + turn, turn)] * 48 for world in range(3)] for turn in range(9)]
                came = [envs.step(action) for action in actions]
                for world in range(3):
                    self.assertEqual(lists(env.reset(seed=8 + world)[0]), lists(begun[world]))
                    over = False
                    for turn in range(9):
                        if over:
                            (observation, info), reward, ends = env.reset(), 0.0, (False, False)
                        else:
                            observation, reward, *ends, info = env.step(actions[turn][world])
                        observations, rewards, terminations, truncations, infos = came[turn]
                        self.assertEqual(lists(observations[world]), lists(observation))
                        self.assertEqual((rewards[world], terminations[world], truncations[world]), (reward, *ends))
                        self.assertEqual((infos["hash"][world], infos["_hash"][world]), (info["hash"], True))
                        over = any(ends)
                    self.assertEqual([bool(truncations[world]) for _, _, _, truncations, _ in came], [turn == 3 or turn == 8 for turn in range(9)])

    def test_the_ways_to_begin_again(self):
        with VectorEnv(2, "driven", "drone", seconds=0.2, autoreset="SameStep", numpy=False) as envs:
            envs.reset(seed=[3, 4])
            envs.step([None, None])
            observations, _, _, truncations, infos = envs.step([None, None])
            self.assertEqual((truncations, infos["_final_obs"], infos["tick"]), ([True, True], [True, True], [0, 0]))
            self.assertEqual([info["tick"] for info in infos["final_info"]], [12, 12])
            self.assertNotEqual(observations, infos["final_obs"])
        with VectorEnv(2, "driven", "drone", seconds=0.1, autoreset="Disabled") as envs:
            envs.reset()
            envs.step([None, None])
            self.assertRaisesRegex(RuntimeError, "over; call reset", envs.step, [None, None])

    def test_mistakes(self):
        self.assertRaisesRegex(ValueError, "autoreset", VectorEnv, 2, "driven", "drone", autoreset="next")
        self.assertRaises(ValueError, VectorEnv, 0, "driven", "drone")
        self.assertRaises(drover.DroverError, VectorEnv, 2, "seek", "seeker")
        with VectorEnv(2, "driven", "drone") as envs:
            envs.reset(seed=1)
            before = [env.world.hash for env in envs.envs]
            self.assertRaisesRegex(ValueError, "expected 2", envs.step, [None])
            self.assertRaisesRegex(ValueError, "expected 2", envs.reset, seed=[1])
            self.assertRaisesRegex(ValueError, r"shape \(48, 2\)", envs.step, [[(1, 1)] * 48, [(1, 1)] * 47])
            self.assertEqual([env.world.hash for env in envs.envs], before)
            envs.step([None, None])


@unittest.skipUnless(has_numpy(), "numpy")
class Pictures(unittest.TestCase):
    def test_a_disc_for_each_agent(self):
        for in_process in (False, True):
            with Env("driven", "drone", in_process=in_process, render_mode="rgb_array") as env:
                env.reset(seed=1)
                picture = env.render()
                self.assertEqual((picture.shape, str(picture.dtype)), ((400, 600, 3), "uint8"))
                for row in range(len(env.moment.frame)):
                    x, y = int(env.moment.frame.px.x[row] / 2), int(env.moment.frame.px.y[row] / 2)
                    self.assertLess(picture[y, x].min(), 200)
                self.assertEqual(picture[0, 0].tolist(), [250, 250, 247])
        self.assertRaisesRegex(ValueError, "rgb_array", Env, "driven", "drone", in_process=True, render_mode="human")
        with Env("driven", "drone", in_process=True) as env:
            self.assertIsNone(env.render())


if __name__ == "__main__":
    unittest.main()
