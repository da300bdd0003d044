"""Environments: resets are exact, ends kept apart, what is gone is listed, saved states are complete; no package is needed."""

import gc
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from support import PACKAGE, PATIENCE_S, has_numpy, torus

import drover
import drover.env
import drover.env_worlds
from drover.env import Env, Nearest, ParallelEnv, Rays
from drover.env_spaces import Box, shape_of

CAN_LOAD = bool(os.environ.get("DROVER_SIM_LIBRARY")) or not os.environ.get("DROVER_SERVER_PROGRAM")  # libdrover-sim, in this process
BACKENDS = [False, True] if has_numpy() else [False]
# A package of the name gymnasium, or pettingzoo, with what drover.env uses of the real ones.
FAKE_PACKAGES = """
import enum, sys, types
class Env:
    def reset(self, *, seed=None, options=None): self.was_reset_with = seed
class ParallelEnv: pass
class Box:
    def __init__(self, low, high, shape, dtype): self.shape = shape
class VectorEnv:
    closed = False
    def __del__(self):
        if not self.closed: self.close()
class AutoresetMode(enum.Enum):
    NEXT_STEP, SAME_STEP, DISABLED = "NextStep", "SameStep", "Disabled"
gymnasium, spaces, pettingzoo = types.ModuleType("gymnasium"), types.ModuleType("gymnasium.spaces"), types.ModuleType("pettingzoo")
gymnasium.Env, gymnasium.spaces, spaces.Box, pettingzoo.ParallelEnv = Env, spaces, Box, ParallelEnv
vector = gymnasium.vector = types.ModuleType("gymnasium.vector")
vector.VectorEnv, vector.AutoresetMode = VectorEnv, AutoresetMode
sys.modules.update({"gymnasium": gymnasium, "gymnasium.spaces": spaces, "gymnasium.vector": vector, "pettingzoo": pettingzoo})
import drover.columns, drover.env
with drover.env.Env("driven", "drone") as env:
    env.reset(seed=5)
    assert isinstance(env, Env) and env.was_reset_with == 5
    assert isinstance(env.action_space, Box if drover.columns.numpy_module() else drover.env_spaces.Box), env.action_space
    assert env.action_space.shape == (len(env.agent_ids), 2)
    env.step(None)
with drover.env.ParallelEnv("driven", "drone") as env:
    assert isinstance(env, ParallelEnv)
    observations, infos = env.reset(seed=5)
    assert list(observations) == list(infos) == env.agents and env.num_agents == env.max_num_agents > 0
    env.step({})
assert issubclass(drover.env.VectorEnv, VectorEnv)
if sys.argv[1] == "True":
    with drover.env.VectorEnv(2, "driven", "drone", autoreset="SameStep") as envs:
        assert isinstance(envs, VectorEnv) and envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
        envs.reset(seed=5)
        assert not envs.closed
    assert envs.closed
    try: drover.env.VectorEnv(0, "driven", "drone")
    except ValueError: pass
"""


def vectors(count, turn):
    return [(60 * math.cos(turn + i), 60 * math.sin(turn + i)) for i in range(count)]


def episode(env, steps=5, **reset):
    """The hashes of some steps, and the last observation."""
    _, info = env.reset(**reset)
    hashes = [info["hash"]]
    observation = None
    for step in range(steps):
        observation, *_, info = env.step(vectors(len(env.agent_ids), 0.3 * step))
        hashes.append(info["hash"])
    return hashes, lists(observation)


def lists(value):
    return value.tolist() if hasattr(value, "tolist") else value


def is_gone(world):
    return world.server.process.poll() is not None


class Episodes(unittest.TestCase):
    def test_a_seed_gives_the_same_hashes(self):
        with Env("driven", "drone") as env:
            first = episode(env, seed=3)
            self.assertEqual(episode(env, seed=3), first)
            self.assertNotEqual(episode(env, seed=4)[0], first[0])
            series = [episode(env, 1)[0] for _ in range(2)]
            self.assertNotEqual(series[0], series[1])
            env.reset(seed=4)
            self.assertEqual([episode(env, 1)[0] for _ in range(2)], series)
            self.assertEqual(len(set(first[0])), 6)
        for numpy in BACKENDS:
            with Env("driven", "drone", numpy=numpy) as env:
                hashes, observation = episode(env, seed=3)
                self.assertEqual(hashes, first[0])
                for row, wanted in zip(observation, first[1]):
                    for one, other in zip(row, wanted):
                        self.assertAlmostEqual(one, other, delta=0.001)

    def test_a_script_that_sends_the_same_comes_to_the_same(self):
        with Env("driven", "drone", ticks=4) as env, drover.serve("driven", seed=3, paused=True) as world:
            hashes, _ = episode(env, seed=3)
            for step, wanted in enumerate(hashes[1:]):
                vx, vy = zip(*vectors(len(env.agent_ids), 0.3 * step))
                world.drive(kind="drone", vx=vx, vy=vy)
                self.assertEqual(world.step(4).hash, wanted)

    def test_a_step_is_one_round_trip(self):
        with Env("driven", "drone") as env:
            env.reset(seed=1)
            with unittest.mock.patch.object(env.world, "pipeline", wraps=env.world.pipeline) as pipeline:
                env.step(vectors(len(env.agent_ids), 0))
            self.assertEqual([request["op"] for request in pipeline.call_args[0][0]], ["drive", "step"])
            pipeline.assert_called_once()

    def test_terminated_and_truncated_are_two_things(self):
        with Env("driven", "drone", ticks=12, seconds=0.5, terminated=lambda moment: moment.memory.get("end", False)) as env:
            self.assertRaisesRegex(RuntimeError, "reset", env.step, None)
            _, info = env.reset(seed=1)
            self.assertEqual((info["tick"], info["elapsed"], info["gone"], info["stopped"]), (0, 0, [], None))
            ends = [env.step(None)[2:] for _ in range(3)]
            self.assertEqual([(terminated, truncated, info["tick"]) for terminated, truncated, info in ends],
                             [(False, False, 12), (False, False, 24), (False, True, 30)])
            self.assertRaisesRegex(RuntimeError, "over; call reset", env.step, None)
            env.reset(seed=1)
            env.moment.memory["end"] = True
            self.assertEqual(env.step(None)[2:4], (True, False))
            env.reset(seed=1)
            self.assertEqual(env.step(None)[2:4], (False, False))

    def test_until(self):
        with Env("driven", "drone", ticks=10, until={"tick": 14}) as env:
            env.reset(seed=1)
            infos = [env.step(None)[4] for _ in range(2)]
            self.assertEqual([(info["tick"], info["stopped"]) for info in infos], [(10, None), (14, "tick")])

    def test_what_is_gone_is_listed_once(self):
        def requests(moment):
            return {6: [{"op": "remove", "agents": [2]}, {"op": "spawn", "kind": "glider", "x": 50, "y": 50}]}.get(moment.tick)

        with Env("driven", "drone", requests=requests) as env:
            env.reset(seed=1)
            self.assertEqual(env.agent_ids[:2], (1, 2))
            infos, rows = [], []
            for _ in range(3):
                observation, _, terminated, _, info = env.step(vectors(len(env.agent_ids), 0))
                infos.append((info["gone"], len(info["came"])))
                rows.append(any(observation[1]))
                self.assertFalse(terminated)
            self.assertEqual(infos, [([], 0), ([2], 1), ([], 0)])
            self.assertEqual(rows, [True, False, False])
            self.assertIn(2, env.agent_ids)

    def test_the_end_of_all_driven_agents(self):
        def requests(_):
            return [{"op": "remove", "kind": "drone"}]

        with Env("driven", "drone", requests=requests) as env:
            env.reset(seed=1)
            observation, reward, terminated, truncated, info = env.step(vectors(len(env.agent_ids), 0))
            self.assertEqual((reward, terminated, truncated, len(info["gone"])), (0.0, True, False, len(env.agent_ids)))
            self.assertEqual(shape_of(observation), env.observation_space.shape)

    def test_mistakes_change_nothing(self):
        with Env("driven", "drone") as env:
            count = len(env.agent_ids)
            wanted, _ = episode(env, seed=3)
            env.reset(seed=3)
            self.assertRaisesRegex(ValueError, r"shape \(1, 2\); expected the shape \(48, 2\)", env.step, [(0, 0)])
            self.assertRaisesRegex(ValueError, r"shape \(48, 2\)", env.step, [(0, 0, 0)] * count)
            self.assertRaisesRegex(ValueError, r"shape \(48, 2\)", env.step, [None] * count)
            for bad in (math.nan, math.inf, 2e9):
                self.assertRaisesRegex(ValueError, "vector of agent 1", env.step, [(bad, 0)] * count)
            hashes = [env.step(vectors(count, 0.3 * step))[4]["hash"] for step in range(5)]
            self.assertEqual(hashes, wanted[1:])
            self.assertRaisesRegex(ValueError, "save", env.reset, options={"sed": 7})
            with self.assertRaises(drover.DroverError) as caught:
                env.reset(options={"save": "none"})
            self.assertEqual(caught.exception.code, "no_save")
            self.assertRaises(RuntimeError, env.step, None)
            env.reset(seed=3)
        self.assertTrue(is_gone(env.world))
        self.assertRaisesRegex(RuntimeError, "closed; make another", env.step, None)
        self.assertRaisesRegex(RuntimeError, "closed; make another", env.reset, seed=3)

    def test_a_constructor_that_fails_leaves_no_server(self):
        started = []
        real = drover.env_worlds.ServerProcess

        def start(*arguments, **options):
            started.append(real(*arguments, **options))
            return started[-1]

        with unittest.mock.patch.object(drover.env_worlds, "ServerProcess", start):
            with self.assertRaises(drover.DroverError) as caught:
                Env("driven", "whale")
            self.assertEqual(caught.exception.code, "no_kind")
            with self.assertRaises(drover.DroverError) as caught:
                Env("seek", "seeker")
            self.assertEqual((caught.exception.code, caught.exception.field), ("bad_param", "kind"))
            self.assertRaises(ZeroDivisionError, Env, "driven", "drone", observe=lambda moment: 1 / 0)
        self.assertEqual([process.process.poll() is not None for process in started], [True] * 3)


    def test_a_step_beyond_the_hold_is_said(self):
        with self.assertWarnsRegex(drover.DroverWarning, "13 ticks.*for 12"):
            Env("driven", "drone", ticks=13).close()


class States(unittest.TestCase):
    def test_a_saved_state_is_complete(self):
        def reward(moment):
            moment.memory["steps"] = moment.memory.get("steps", 0) + 1
            return moment.memory["steps"]

        def requests(moment):
            return [{"op": "spawn", "kind": "glider", "x": 50, "y": 50}] if moment.tick == 12 else []

        with Env("driven", "drone", reward=reward, requests=requests, seconds=1) as env:
            def go_on():
                return [env.step(vectors(len(env.agent_ids), step))[1:] for step in range(8)]

            env.reset(seed=9)
            env.step(vectors(len(env.agent_ids), 1))
            at_save, *_ = env.step(vectors(len(env.agent_ids), 2))
            saved = env.save()
            self.assertEqual(saved.tick, 12)
            wanted = go_on()
            self.assertTrue(wanted[-1][2])
            for _ in range(2):
                self.assertEqual(lists(env.restore(saved)), lists(at_save))
                self.assertEqual(go_on(), wanted)
            _, info = env.reset(options={"save": saved})
            self.assertEqual((info["hash"], info["elapsed"], env.moment.memory), (saved.hash, 0, {}))

    def test_saved_states_that_are_not_wanted_leave_the_server(self):
        with Env("driven", "drone") as env:
            env.reset(seed=1)
            for _ in range(300):  # more than a server keeps
                saved = env.save()
            gc.collect()
            names = [row["save"] if "save" in row else row["name"] for row in env.world.list("saves")["saves"]]
            self.assertIn(saved.name, names)
            self.assertLessEqual(len(names), 2)


class Parallel(unittest.TestCase):
    def test_agents(self):
        def requests(moment):
            return [{"op": "remove", "agents": [1]}] if moment.tick == 6 else []

        with ParallelEnv("driven", ["drone", "glider"], seconds=0.4, requests=requests, reward=lambda moment: {2: 1.5}) as env:
            observations, infos = env.reset(seed=2)
            self.assertEqual(env.agents[:2], ["drone_1", "drone_2"])
            self.assertTrue(env.agents[-1].startswith("glider_"))
            self.assertEqual(list(observations), env.agents)
            self.assertEqual(infos["drone_2"]["id"], 2)
            self.assertTrue(env.observation_space("drone_1").contains(observations["drone_1"]))
            self.assertRaisesRegex(ValueError, "whale_1", env.step, {"whale_1": (0, 0)})
            self.assertRaisesRegex(ValueError, r"drone_1 .*shape \(2,\)", env.step, {"drone_1": (0, 0, 0)})
            actions = {name: (10.0, 0.0) for name in env.agents}
            _, rewards, terminations, truncations, _ = env.step(actions)
            self.assertEqual((rewards["drone_1"], rewards["drone_2"]), (0.0, 1.5))
            self.assertFalse(any(terminations.values()) or any(truncations.values()))
            before = len(env.agents)
            _, _, terminations, _, infos = env.step(actions)
            self.assertEqual([name for name, ended in terminations.items() if ended], ["drone_1"])
            self.assertEqual(infos["drone_2"]["gone"], [1])
            self.assertEqual((len(terminations), len(env.agents)), (before, before - 1))
            saved = env.save()
            observations, *_ = env.step(actions)
            self.assertNotIn("drone_1", observations)
            _, _, terminations, truncations, infos = env.step({name: env.action_space(name).sample() for name in env.agents})
            self.assertTrue(all(truncations.values()) and not any(terminations.values()))
            self.assertEqual(env.agents, [])
            self.assertEqual(list(env.restore(saved)), env.agents)
            self.assertEqual((len(env.agents), env.moment.elapsed), (before - 1, 12))

    def test_it_goes_as_the_other_shape(self):
        with ParallelEnv("driven", "drone") as env, Env("driven", "drone") as other:
            hashes, _ = episode(other, seed=3)
            env.reset(seed=3)
            infos = [env.step(dict(zip(env.agents, vectors(len(env.agents), 0.3 * step))))[4] for step in range(5)]
            self.assertEqual([info["drone_1"]["hash"] for info in infos], hashes[1:])

    def test_some_end(self):
        with ParallelEnv("driven", "drone", terminated=lambda moment: {1, 3}) as env:
            env.reset(seed=2)
            *_, terminations, _, _ = env.step({})
            self.assertEqual([name for name, ended in terminations.items() if ended], ["drone_1", "drone_3"])
            self.assertNotIn("drone_3", env.agents)


class Rules(unittest.TestCase):
    """What gymnasium's check_env and PettingZoo's parallel_api_test check, by their names for it; neither is needed for that."""

    def check_env(self, **options):
        with Env("driven", "drone", seconds=0.3, **options) as env:
            space, actions = env.observation_space, env.action_space
            self.assertEqual((space.dtype, actions.dtype), ("float32", "float32"))
            self.assertIn("render_modes", env.metadata)
            self.assertIs(env.unwrapped, env)
            # check_reset_return_type, check_obs, check_reset_seed
            observation, info = env.reset(seed=123)
            self.assertIsInstance(info, dict)
            self.assertIn(observation, space)
            if options["numpy"]:
                self.assertEqual((str(observation.dtype), observation.shape), ("float32", space.shape))
            again, _ = env.reset(seed=123)
            self.assertEqual(lists(again), lists(observation))
            self.assertNotEqual(lists(env.reset()[0]), lists(observation))
            # check_reset_options
            env.reset(options={})
            # env_step_passive_checker
            actions.seed(5)
            for _ in range(3):
                action = actions.sample()
                self.assertIn(action, actions)
                result = env.step(action)
                self.assertEqual(len(result), 5)
                observation, reward, terminated, truncated, info = result
                self.assertIn(observation, space)
                self.assertIsInstance(reward, float)
                self.assertEqual((type(terminated), type(truncated), type(info)), (bool, bool, dict))
            self.assertEqual((terminated, truncated), (False, True))
            # step determinism: the same seed and actions
            ends = []
            for _ in range(2):
                env.reset(seed=9)
                ends.append(lists(env.step(action)[0]))
            self.assertEqual(ends[0], ends[1])
        env.close()  # twice is no mistake

    def test_check_env(self):
        for numpy in BACKENDS:
            self.check_env(numpy=numpy)
            if CAN_LOAD:
                self.check_env(numpy=numpy, in_process=True)

    def parallel_api_test(self, **options):
        def requests(moment):
            return [{"op": "remove", "agents": [1]}] if moment.elapsed == 6 else []

        with ParallelEnv("driven", "drone", seconds=0.3, requests=requests, **options) as env:
            self.assertEqual(env.max_num_agents, len(env.possible_agents))
            for agent in env.possible_agents:
                self.assertIs(env.observation_space(agent), env.observation_space(agent))
                self.assertIs(env.action_space(agent), env.action_space(agent))
            observations, infos = env.reset(seed=1)
            self.assertEqual((set(observations), set(infos), env.num_agents), (set(env.agents), set(env.agents), len(env.agents)))
            gone = set()
            while env.agents:
                live = set(env.agents)
                results = env.step({agent: env.action_space(agent).sample() for agent in env.agents})
                self.assertEqual([set(result) for result in results], [live] * 5)
                observations, rewards, terminations, truncations, _ = results
                for agent in live:
                    self.assertIn(observations[agent], env.observation_space(agent))
                    self.assertIsInstance(rewards[agent], float)
                gone |= {agent for agent in live if terminations[agent] or truncations[agent]}
                self.assertFalse(gone & set(env.agents))
                self.assertLessEqual(set(env.agents), set(env.possible_agents))
            self.assertEqual(gone, set(env.possible_agents))

    def test_parallel_api(self):
        self.parallel_api_test()
        if CAN_LOAD:
            self.parallel_api_test(in_process=True)


class Spaces(unittest.TestCase):
    def test_box(self):
        space = Box(-2, 2, (3, 2))
        space.seed(1)
        sample = space.sample()
        self.assertEqual(shape_of(sample), (3, 2))
        self.assertTrue(space.contains(sample) and sample in space)
        self.assertFalse(space.contains([[0, 0]] * 2) or space.contains([[0, 3]] * 3) or space.contains(7) or space.contains(None))
        space.seed(1)
        self.assertEqual(space.sample(), sample)
        self.assertTrue(Box(-math.inf, math.inf, (2,)).contains([1e30, 0]))

    def test_the_spaces_hold_what_comes(self):
        for numpy in BACKENDS:
            with Env("driven", "drone", numpy=numpy) as env:
                observation, _ = env.reset(seed=1)
                self.assertEqual(shape_of(observation), (len(env.agent_ids), 20))
                self.assertEqual(hasattr(observation, "dtype"), numpy)
                self.assertTrue(env.observation_space.contains(observation))
                observation, *_ = env.step(env.action_space.sample())
                self.assertTrue(env.observation_space.contains(observation))
        with Env("driven", "drone", observe=lambda moment: {"any": moment.tick}) as env:
            self.assertTrue(env.observation_space.contains(env.reset(seed=1)[0]))

    def test_the_nearest(self):
        """Beside the plainest computation, in a world with an edge and in one without."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for scenario, kind in (("driven", "drone"), (torus(folder.name), "hunter")):
            for numpy in BACKENDS:
                with Env(scenario, kind, numpy=numpy, observe=Nearest(3, ["prey", "glider"])) as env:
                    observation, _ = env.reset(seed=1)
                    agents = {agent["id"]: agent for agent in env.moment.frame.agents()}
                    size, wraps = env.moment.scenario["size"], env.moment.scenario["edge"] == "wrap"
                    for id_, row in zip(env.agent_ids, lists(observation)):
                        own, near = agents[id_], []
                        for other in agents.values():
                            if other["id"] != id_ and other["kind"] in ("prey", "glider"):
                                offsets = [(other["x"] - own["x"] + i * size[0], other["y"] - own["y"] + j * size[1])
                                           for i in ((-1, 0, 1) if wraps else (0,)) for j in ((-1, 0, 1) if wraps else (0,))]
                                near.append((*min(offsets, key=lambda d: math.hypot(*d)), other["vx"] - own["vx"], other["vy"] - own["vy"]))
                        near.sort(key=lambda d: math.hypot(*d[:2]))
                        wanted = [own["x"], own["y"], own["vx"], own["vy"]] + [value for one in near[:3] for value in one]
                        for value, want in zip(row, wanted + [0.0] * (16 - len(wanted))):
                            self.assertAlmostEqual(value, want, delta=0.001)

    @unittest.skipUnless(has_numpy(), "numpy")
    def test_the_nearest_of_the_server(self):
        """Those beside a frame are those of a search of all pairs of it, to the bit: where some are as near as others, and when some are gone."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for scenario, kind in (("driven", "drone"), (torus(folder.name), "hunter")):
            nearest = Nearest(3)
            with Env(scenario, kind, observe=nearest) as env:
                env.reset(seed=2)
                env.world.place(agents=list(range(1, 13)), x=[at % 4 * 100 for at in range(12)], y=[at // 4 * 100 for at in range(12)])
                for turn in range(4):
                    observation, *_ = env.step([(30, turn)] * len(env.agent_ids))
                    self.assertEqual(len(env.moment.frame.nearest), 3 * len(env.moment.frame))
                    env.moment.frame.nearest = None
                    self.assertEqual(observation.tolist(), nearest(env.moment).tolist())
                    env.world.remove(agents=[env.agent_ids[turn]])

    def test_rays(self):
        """In process, over a server beside the frame and over a server by themselves the numbers are the same; those of a wall are what they are."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "walled.json")
        agents = [{"kind": "drone", "at": [100, 100], "heading": 0}, {"kind": "drone", "at": [30, 150], "heading": 90}]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"name": "Walled", "description": "For tests.", "world": {"size": [400, 300], "edge": "wrap", "walls": [[160, 50, 160, 150]],
                       "obstacles": [{"circle": [350, 100, 10]}, {"box": [200, 200, 40, 40], "door": {"open": [60, 0], "time": 1}}]},
                       "kinds": {"drone": {"radius": 4, "max_speed": 60, "max_force": 600, "behaviors": [{"external": {"hold": 12}}]}}, "agents": agents}, file)
        rays = Rays(4, 200)
        found = []
        for numpy in BACKENDS:
            for options in ({"in_process": True}, {}) if CAN_LOAD else ({},):
                for observe in (rays, lambda moment: rays(moment), (Nearest(1), rays)):
                    with Env(path, "drone", numpy=numpy, observe=observe, **options) as env:
                        first, _ = env.reset(seed=1)
                        rows = [row[-4:] for row in lists(first)]
                        for value, want in zip(rows[0], (60, 200, 140, 200)):  # the wall ahead; the circle behind, around the torus
                            self.assertAlmostEqual(value, want, delta=0.02)
                        more = [lists(env.step([(30, 5), (10, 40)])[0]) for _ in range(3)]
                        env.world.set_obstacle(obstacle=2, closed=True)
                        env.world.remove(agents=[2])
                        more.append(lists(env.step([(30, 5), (10, 40)])[0]))
                        self.assertEqual(more[-1][1][-4:], [0.0] * 4)
                        self.assertTrue(env.observation_space.contains(first))
                        found.append([rows] + [[row[-4:] for row in one] for one in more])
        for one in found[1:]:
            self.assertEqual(one, found[0])
        for wrong in ((0, 10), (65, 10), (1, 0.5), (1, 10001), (1, 10, 361)):
            self.assertRaises(ValueError, Rays, *wrong)

    def test_with_the_packages(self):
        """The classes are the packages' where these are installed; theirs are played by small ones here."""
        done = subprocess.run([sys.executable, "-W", "error", "-c", FAKE_PACKAGES, str(CAN_LOAD)], capture_output=True, text=True, timeout=4 * PATIENCE_S,
                              env={**os.environ, "PYTHONPATH": str(PACKAGE)}, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
