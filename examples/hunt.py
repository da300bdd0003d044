#!/usr/bin/env python3
"""A search for good hunters by the cross-entropy method, in the scenario `hunt`.

    PYTHONPATH=clients/python examples/hunt.py            search (some seventy seconds of processor), then compare on unseen seeds
    PYTHONPATH=clients/python examples/hunt.py --best     only compare the hunters that the search found

Four hunters are driven ten times a second by a rule with eight parameters. At the start each runs at full speed straight
at the prey next to it. The search draws settings of the parameters from a normal distribution, lets each hunt for a
minute of world time, and moves the distribution to those that caught most; and again. All seeds are fixed and worlds are
exact, so the search comes to the same numbers on every machine.
"""

import argparse
import json
import math
import os
import random
import sys
import time

import drover.env

TOUCH = 15.0  # px, the radius of a hunter and of a prey together
SPEED = 150.0  # px/s, the hunters' max_speed
FRESH = 10.0  # the prey's max_stamina
SECONDS = 60

# name: at the start, lowest, highest, deviation of the first draw
PARAMETERS = {
    "lead": (0.0, 0.0, 2.0, 0.5),  # how far ahead of the prey: 1 is where they would meet
    "look_ahead": (1.0, 0.0, 3.0, 0.7),  # s, the furthest
    "freshness": (0.0, -10.0, 60.0, 12.0),  # px of detour worth a prey with one second less to run
    "rest": (0.0, -100.0, 600.0, 120.0),  # px of detour worth a prey that is exhausted
    "keep": (0.0, 0.0, 200.0, 50.0),  # px by which another prey must be better than the one that is chased
    "share": (0.0, 0.0, 500.0, 120.0),  # px of detour rather than a prey that another hunter chases
    "spread": (0.0, -1.0, 1.0, 0.3),  # a part of the distance to the prey by which hunters pass to its sides, to meet it from two
    "walls": (0.0, -1.0, 2.0, 0.3),  # px of detour for each px that a prey is nearer to a wall
}
START = {name: values[0] for name, values in PARAMETERS.items()}
BEST = {"lead": 0.682, "look_ahead": 0.674, "freshness": 5.027, "rest": 112.215, "keep": 13.759, "share": 103.431, "spread": -0.037,
        "walls": 0.547}

TRAINING_SEEDS = (101, 102, 103, 104)
UNSEEN_SEEDS = (9001, 9002, 9003, 9004, 9005, 9006, 9007, 9008)
GENERATIONS, POPULATION, ELITE = 4, 18, 5


def hunt_env(seconds=SECONDS, **options):
    """The environment: a prey that a hunter touches is caught and leaves the world."""

    def observe(moment):
        """Hunters and prey, a tuple each, and the number of the state `rest`. Prey that a hunter touches are caught: they are left out."""
        px = moment.frame.px
        agents = list(zip(moment.frame.id.tolist(), px.x.tolist(), px.y.tolist(), px.vx.tolist(), px.vy.tolist(), px.stamina.tolist(),
                          moment.frame.state.index.tolist()))
        count = len(moment.agent_ids)  # hunters have the lowest ids
        hunters, prey = agents[:count], agents[count:]
        caught = {one[0] for one in prey for hunter in hunters
                  if abs(one[1] - hunter[1]) < TOUCH and (one[1] - hunter[1]) ** 2 + (one[2] - hunter[2]) ** 2 < TOUCH * TOUCH}
        moment.memory["caught"] = caught
        return hunters, [one for one in prey if one[0] not in caught], moment.frame.state.names.index("rest")

    def catches(moment):
        return float(len(moment.memory["caught"]))

    def remove(moment):
        """What the next step begins with: the caught leave the world."""
        caught = moment.memory["caught"]
        return [{"op": "remove", "agents": sorted(caught)}] if caught else []

    return drover.env.Env("hunt", kind="hunter", ticks=6, seconds=seconds, fields="state stamina", observe=observe, reward=catches, requests=remove,
                          terminated=lambda moment: len(moment.frame) <= len(moment.agent_ids), **options)


class Rule:
    """Where the hunters run. Each takes the prey with the least cost, a distance in px, and runs to meet it."""

    def __init__(self, parameters, size=(1200.0, 800.0)):
        self.p = parameters
        self.size = size
        self.chased = {}  # hunter: prey

    def __call__(self, observation):
        hunters, prey, resting = observation
        p, (width, height) = self.p, self.size
        lead, look_ahead, keep, share, spread = p["lead"], p["look_ahead"], p["keep"], p["share"], p["spread"]
        # What a prey costs besides its distance, and which others do not change.
        worth = [p["freshness"] * stamina - (p["rest"] if state == resting else 0.0) + p["walls"] * min(x, y, width - x, height - y)
                 for _, x, y, _, _, stamina, state in prey]
        taken, vectors = {}, []
        for number, (hunter, hx, hy, _, _, _, _) in enumerate(hunters):
            chased, best, least = self.chased.get(hunter), None, math.inf
            for one, cost in zip(prey, worth):
                cost += math.sqrt((one[1] - hx) ** 2 + (one[2] - hy) ** 2)
                if one[0] == chased:
                    cost -= keep
                if one[0] in taken:
                    cost += share
                if cost < least:
                    best, least = one, cost
            if best is None:
                vectors.append((0.0, 0.0))
                continue
            id_, x, y, vx, vy, _, _ = best
            self.chased[hunter] = id_
            taken[id_] = True
            dx, dy = x - hx, y - hy
            ahead = min(math.sqrt(dx * dx + dy * dy) / SPEED, look_ahead) * lead
            aside = spread * (1 if number % 2 else -1)
            dx, dy = dx + vx * ahead, dy + vy * ahead
            dx, dy = dx - dy * aside, dy + dx * aside
            length = math.sqrt(dx * dx + dy * dy) or 1.0
            vectors.append((SPEED * dx / length, SPEED * dy / length))
        return vectors


def hunt(env, parameters, seed):
    """How many prey hunters with these parameters catch in an episode, and how many ticks it has: fewer when none is left."""
    observation, info = env.reset(seed=seed)
    rule, total, over = Rule(parameters), 0.0, False
    while not over:
        observation, reward, terminated, truncated, info = env.step(rule(observation))
        total += reward
        over = terminated or truncated
    return int(total), info["elapsed"]


def draw(generator, mean, deviation):
    """One setting of the parameters, within their bounds. It is rounded because the last bits of a logarithm differ between machines."""
    return {name: round(min(max(generator.gauss(mean[name], deviation[name]), low), high), 3) for name, (_, low, high, _) in PARAMETERS.items()}


def search(env, generations=GENERATIONS, population=POPULATION, elite=ELITE, seeds=TRAINING_SEEDS, say=lambda text: None):
    """The mean of the last generation. Each setting of a generation hunts the same seed; the next generation has the next one."""
    generator = random.Random(17)
    mean, deviation = dict(START), {name: values[3] for name, values in PARAMETERS.items()}
    for generation in range(generations):
        seed = seeds[generation % len(seeds)]
        settings = [draw(generator, mean, deviation) for _ in range(population)]
        scores = [hunt(env, setting, seed) for setting in settings]
        order = sorted(range(population), key=lambda i: (-scores[i][0], scores[i][1], i))  # of those that caught all, the quickest
        chosen = [settings[i] for i in order[:elite]]
        for name, (_, low, high, first) in PARAMETERS.items():
            values = [setting[name] for setting in chosen]
            mean[name] = math.fsum(values) / elite
            spread = math.sqrt(math.fsum((value - mean[name]) ** 2 for value in values) / elite)
            deviation[name] = spread + 0.3 * first / (generation + 1)  # the addition keeps it from settling too early
        say(f"generation {generation + 1}: {scores[order[-1]][0]} to {scores[order[0]][0]} catches; the elite: "
            + ", ".join(f"{scores[i][0]} in {scores[i][1] / 60:.1f} s" for i in order[:elite]))
    return {name: round(value, 3) for name, value in mean.items()}


def compare(env, best, seeds=UNSEEN_SEEDS):
    """The catches of the start and of the best, one for each seed."""
    return [[hunt(env, parameters, seed)[0] for seed in seeds] for parameters in (START, best)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--best", action="store_true", help="do not search")
    parser.add_argument("--seeds", type=int, default=len(UNSEEN_SEEDS), help="how many unseen seeds")
    parser.add_argument("--json", action="store_true", help="the result as one line of JSON")
    given = parser.parse_args()
    say = (lambda text: None) if given.json else print
    began = time.monotonic()
    with hunt_env() as env:
        best = BEST if given.best else search(env, say=say)
        start, found = compare(env, best, UNSEEN_SEEDS[:given.seeds])
    used = sum(os.times()[:4])  # the server's as well, now that it has ended
    result = {"best": best, "start": start, "found": found, "ratio": round(sum(found) / max(1, sum(start)), 3),
              "seconds": round(time.monotonic() - began, 1), "processor": round(used, 1)}
    if given.json:
        json.dump(result, sys.stdout)
        print()
        return
    print("best:", ", ".join(f"{name} {value:g}" for name, value in best.items()))
    print(f"catches in {SECONDS} s on unseen seeds: start {start}, best {found}; {result['ratio']} times as many; {result['seconds']} s, "
          f"{result['processor']} s of processor")


if __name__ == "__main__":
    main()
