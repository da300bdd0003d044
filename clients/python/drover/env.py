"""Environments in the shape of Gymnasium and of PettingZoo's ParallelEnv, over a server of their own in lock-step.

    import drover.env
    with drover.env.Env("driven", kind="drone", seconds=10) as env:
        observation, info = env.reset(seed=7)
        observation, reward, terminated, truncated, info = env.step([(40.0, 0.0)] * len(env.agent_ids))

The world stands still between two steps, and a step is one round trip: the vectors, the ticks and the frame go in one
piece. The same seed and the same actions give the same hashes. Neither gymnasium nor pettingzoo is needed; where they
are installed the classes are theirs and the spaces as well.
"""

from __future__ import annotations

import array
import copy
import random
import weakref
from typing import TYPE_CHECKING, Any, Callable, Collection, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple, Union

from .client import Drover
from .env_spaces import box, space_like
from .errors import DroverError
from .frames import Frame, of_reply
from .ops import DEFAULT_TIMEOUT_S
from .serving import ServerProcess

LIMIT = 1e9  # px/s or mass*px/s^2 of a vector, either way
SEED_BITS = 53
PAIRS_AT_ONCE = 1 << 18  # of agents whose distances are in memory at once
FIELDS = ("pos", "vel", "kind")  # what every frame of an environment has

if TYPE_CHECKING:
    class _EnvBase:
        def reset(self, *, seed: Optional[int] = None) -> Any: ...

    class _ParallelBase:
        pass
else:
    try:
        from gymnasium import Env as _EnvBase
    except ImportError:
        _EnvBase = object
    try:
        from pettingzoo import ParallelEnv as _ParallelBase
    except ImportError:
        _ParallelBase = object


class Moment:
    """The world between two steps, as the functions of an environment get it.

    frame      the agents, in columns
    before     the frame of the moment before; None after a reset
    tick, hash   the world's
    elapsed    ticks since the reset
    agent_ids, agent_kinds   the driven agents of the reset and the names of their kinds, those that are gone included
    gone, came   ids of agents, of all kinds, that left the world since the moment before, and that entered it
    stopped    the condition of `until` that ended the step, or None
    memory     a dict for the functions: empty after a reset, kept by `save`
    scenario   the description of the world
    """

    def __init__(self, frame: Frame, hash_: Optional[str], scenario: Mapping[str, Any], memory: Dict[str, Any]) -> None:
        self.frame = frame
        self.tick = frame.tick
        self.hash = hash_
        self.scenario = scenario
        self.memory = memory
        self.before: Optional[Frame] = None
        self.elapsed = 0
        self.agent_ids: Tuple[int, ...] = ()
        self.agent_kinds: Tuple[str, ...] = ()
        self.gone: Tuple[int, ...] = ()
        self.came: Tuple[int, ...] = ()
        self.stopped: Optional[str] = None
        self._rows: Optional[Dict[int, int]] = None

    @property
    def rows(self) -> Dict[int, int]:
        """The row of the frame's columns that each agent has, by id."""
        if self._rows is None:
            self._rows = {id_: row for row, id_ in enumerate(self.frame.id.tolist())}
        return self._rows

    def of_kind(self, *kinds: str) -> List[int]:
        """The rows of the agents of some kinds, in ascending order of ids."""
        column = self.frame.kind
        wanted = {number for number, name in enumerate(column.names) if name in kinds}
        return [row for row, number in enumerate(column.index.tolist()) if number in wanted]

    def follow(self, before: "Moment", ticks: int) -> None:
        """This moment comes after another one of the same episode."""
        self.before, self.elapsed = before.frame, before.elapsed + ticks
        self.agent_ids, self.agent_kinds = before.agent_ids, before.agent_kinds
        if self.frame.key.message["id"] == before.frame.key.message["id"]:
            self._rows = before.rows
            return
        now, then = self.rows, before.rows
        self.gone = tuple(id_ for id_ in then if id_ not in now)
        self.came = tuple(id_ for id_ in now if id_ not in then)


class Saved:
    """A state of an environment, complete: of the world, which the environment's server keeps, and of the episode.
    The server forgets it after the object."""

    def __init__(self, name: str, moment: Moment, requests: List[Dict[str, Any]], over: Any) -> None:
        self.name = name
        self.tick = moment.tick
        self.hash = moment.hash
        self.moment = moment
        self.memory = copy.deepcopy(moment.memory)
        self.requests = list(requests)
        self.over = over
        self.agents: List[str] = []  # of a ParallelEnv


class Nearest:
    """The default observation: a row for each driven agent with its x, y, vx, vy, and dx, dy, dvx, dvy of the `count` nearest
    other agents (of the kinds in `kinds`, if given), the nearest first, on a torus the short way. px and px/s, float32 in
    numpy; lists without. Rows of agents that are gone, and of neighbors that do not exist, are 0."""

    def __init__(self, count: int = 4, kinds: Optional[Collection[str]] = None) -> None:
        self.count = count
        self.kinds = kinds

    def __call__(self, moment: Moment) -> Any:
        numpy = getattr(moment.frame.columns, "numpy", None)
        others = moment.of_kind(*self.kinds) if self.kinds is not None else range(len(moment.frame))
        wrap = moment.scenario["size"] if moment.scenario.get("edge") == "wrap" else None
        if numpy is not None:
            return self._in_numpy(numpy, moment, others, wrap)
        px = moment.frame.px
        table = list(zip(px.x.tolist(), px.y.tolist(), px.vx.tolist(), px.vy.tolist()))
        width = 4 + 4 * self.count
        return [[0.0] * width if row is None else self._row(table, row, others, wrap) for row in map(moment.rows.get, moment.agent_ids)]

    def _row(self, table: Sequence[Tuple[float, ...]], own: int, others: Iterable[int], wrap: Optional[Sequence[float]]) -> List[float]:
        x, y, vx, vy = table[own]
        if wrap is None:
            near = [((table[row][0] - x) ** 2 + (table[row][1] - y) ** 2, row) for row in others if row != own]
        else:
            near = [(_short(table[row][0] - x, wrap[0]) ** 2 + _short(table[row][1] - y, wrap[1]) ** 2, row) for row in others if row != own]
        near.sort()
        values = [x, y, vx, vy]
        for _, row in near[:self.count]:
            dx, dy = table[row][0] - x, table[row][1] - y
            if wrap is not None:
                dx, dy = _short(dx, wrap[0]), _short(dy, wrap[1])
            values += (dx, dy, table[row][2] - vx, table[row][3] - vy)
        return values + [0.0] * (4 + 4 * self.count - len(values))

    def _in_numpy(self, numpy: Any, moment: Moment, others: Iterable[int], wrap: Optional[Sequence[float]]) -> Any:
        px = moment.frame.px
        table = numpy.stack([px.x, px.y, px.vx, px.vy], axis=1)
        candidates = numpy.fromiter(others, dtype=numpy.intp)
        found = [(line, row) for line, row in enumerate(map(moment.rows.get, moment.agent_ids)) if row is not None]
        made = numpy.zeros((len(moment.agent_ids), 4 + 4 * self.count), dtype=numpy.float32)
        at_once = max(1, PAIRS_AT_ONCE // max(1, len(candidates)))
        for first in range(0, len(found), at_once):
            lines, own = numpy.array(found[first:first + at_once], dtype=numpy.intp).T
            offset = table[candidates, :2] - table[own, None, :2]
            if wrap is not None:
                offset -= numpy.asarray(wrap) * numpy.round(offset / numpy.asarray(wrap))
            square = (offset ** 2).sum(axis=2)
            square[candidates == own[:, None]] = numpy.inf
            order = numpy.argsort(square, axis=1, kind="stable")[:, :self.count]
            near = numpy.concatenate([numpy.take_along_axis(offset, order[:, :, None], 1), table[candidates[order], 2:] - table[own, None, 2:]], axis=2)
            near[numpy.isinf(numpy.take_along_axis(square, order, 1))] = 0.0
            made[lines, :4] = table[own]
            made[lines, 4:4 + 4 * order.shape[1]] = near.reshape(len(own), -1)
        return made


def _short(offset: float, size: float) -> float:
    """An offset the short way round."""
    return offset - size * round(offset / size)


Function = Callable[[Moment], Any]


class _Lockstep:
    """What both shapes have in common: the server, the episode and its moments."""

    metadata: Dict[str, Any] = {"render_modes": []}
    render_mode: Any = None
    spec: Any = None

    def __init__(self, scenario: str, kind: Union[str, Sequence[str]], *, ticks: int = 6, seconds: Optional[float] = None,
                 observe: Optional[Function] = None, reward: Optional[Function] = None, terminated: Optional[Function] = None,
                 requests: Optional[Function] = None, fields: Union[str, Sequence[str]] = (), until: Optional[Mapping[str, Any]] = None,
                 limit: Optional[float] = None, observation_space: Any = None, server: Optional[str] = None,
                 arguments: Sequence[str] = (), timeout: Optional[float] = DEFAULT_TIMEOUT_S, numpy: Optional[bool] = None) -> None:
        """Starts the server.

        scenario   a name or the path of a file
        kind       the kind that is driven, or several; the scenario gives them the behavior `external`
        ticks      of a step; not more than the behavior's `hold`, or the agents are on their own for the rest
        seconds    of the world, after which an episode is truncated; None: never
        observe    moment -> observation; Nearest() by default
        reward     moment -> number (ParallelEnv: or numbers by id); 0 by default
        terminated   moment -> whether the episode ends here (ParallelEnv: or the ids for which it does); by default when no driven agent is left
                   `observe` is called first, then `reward`, `terminated` and `requests`.
        requests   moment -> requests ({"op": ..., ...}) that are sent with the next step, before its vectors
        fields     what frames have besides pos, vel and kind: state, heading, stamina, force, desired
        until      a condition that ends a step before its ticks are done, as in the request step
        limit      of the action space, px/s or mass*px/s^2; the largest max_speed of the kinds by default
        """
        self.kinds: Tuple[str, ...] = (kind,) if isinstance(kind, str) else tuple(kind)
        self.ticks = ticks
        self._observe: Function = observe or Nearest()
        self._reward, self._terminated, self._requests = reward, terminated, requests
        wanted = fields.split() if isinstance(fields, str) else list(fields)
        self._frame_members: Dict[str, Any] = {"layout": "packed", "fields": list(FIELDS) + [name for name in wanted if name not in FIELDS]}
        self._until = until
        self._numpy = numpy
        self._seeds = random.Random()
        self._unwanted: List[str] = []
        self._saves = 0
        self._next: List[Dict[str, Any]] = []
        self._over: Any = "reset was not called yet"
        process = ServerProcess(scenario, paused=True, server=server, arguments=arguments)
        try:
            process.wait_until_listening()
            self.world = Drover(process.port, timeout=timeout, reconnect=False, numpy=numpy, server=process)
        except BaseException:
            process.end()
            raise
        try:
            self.world.open()
            self._start(seconds, limit, observation_space)
        except BaseException:
            self.world.close()
            raise

    def _start(self, seconds: Optional[float], limit: Optional[float], observation_space: Any) -> None:
        scenario = self.world.greeting["scenario"]
        self.scenario: str = scenario["name"]
        known = {kind["name"]: kind for kind in scenario["kinds"]}
        for name in self.kinds:
            if name not in known:
                raise DroverError("no_kind", f"no kind {name!r}; this scenario has {', '.join(known)}")
        speeds = [known[name].get("max_speed", 0) for name in self.kinds]
        self.limit = float(max(max(speed) if isinstance(speed, list) else speed for speed in speeds) if limit is None else limit)
        self.end_tick = None if seconds is None else max(1, round(seconds * scenario["tick_hz"]))
        self.moment = self._first([], scenario)
        self._observation_space = observation_space or space_like(self._observe(self.moment), self._numpy)

    # --- the world

    def _pipeline(self, requests: List[Dict[str, Any]]) -> List[Any]:
        replies = self.world.pipeline(requests)
        for reply in replies:
            if isinstance(reply, DroverError):
                raise reply
        return replies

    def _frame(self, reply: Mapping[str, Any]) -> Frame:
        frame = of_reply(reply, self._numpy)
        if not isinstance(frame, Frame):
            raise DroverError("full", "the world has grown so large that a reply has no room for its frame")
        return frame

    def _first(self, requests: List[Dict[str, Any]], scenario: Optional[Mapping[str, Any]] = None) -> Moment:
        """The moment after these requests, the last of which is the load of a world."""
        replies = self._pipeline(requests + [{"op": "get", **self._frame_members}])
        moment = Moment(self._frame(replies[-1]), replies[-2]["hash"] if requests else None, scenario or self.world.scenario, {})
        ids, kinds, rows = moment.frame.id, moment.frame.kind, moment.of_kind(*self.kinds)
        moment.agent_ids, moment.agent_kinds = tuple(int(ids[row]) for row in rows), tuple(kinds[row] for row in rows)
        return moment

    def _begin(self, seed: Optional[int], options: Optional[Mapping[str, Any]]) -> Moment:
        given = dict(options or {})
        save = given.pop("save", None)
        if given:
            raise ValueError(f"reset has no option {', '.join(map(repr, given))}; there is \"save\"")
        if seed is not None:
            self._seeds.seed(int(seed))
        if save is not None:
            load: Dict[str, Any] = {"op": "load", "save": save.name if isinstance(save, Saved) else str(save)}
        else:
            load = {"op": "load", "scenario": self.scenario, "warmup": False, "seed": self._seeds.getrandbits(SEED_BITS) if seed is None else int(seed)}
        self._over, self._next = "the reset failed", []
        self.moment = self._first([load], self.moment.scenario)
        self._over = None
        return self.moment

    def _advance(self, drive: Optional[Dict[str, Any]]) -> Moment:
        if self._over is not None:
            raise RuntimeError(f"{self._over}; call reset")
        before = self.moment
        count = self.ticks if self.end_tick is None else min(self.ticks, self.end_tick - before.elapsed)
        requests = self._next + ([drive] if drive else [])
        step: Dict[str, Any] = {"op": "step", "count": count, "return": "packed", "fields": self._frame_members["fields"]}
        if self._until is not None:
            step["until"] = self._until
        self._over = "the step failed"  # unless the end of this method is reached
        reply = self._pipeline(requests + [step])[-1]
        moment = Moment(self._frame(reply), reply.get("hash"), before.scenario, before.memory)
        moment.follow(before, moment.tick - before.tick)
        stopped = reply.get("stopped")
        moment.stopped = stopped if isinstance(stopped, str) else None
        self.moment = moment
        self._over = None
        return moment

    def _requests_after(self, moment: Moment) -> List[Dict[str, Any]]:
        return [dict(request) for request in self._requests(moment) or ()] if self._requests is not None else []

    def _drive(self, ids: Sequence[int], vectors: Sequence[Any]) -> Optional[Dict[str, Any]]:
        """The request that gives each of these agents its vector."""
        xs, ys = [], []
        for id_, vector in zip(ids, vectors):
            x, y = vector
            if not (-LIMIT <= x <= LIMIT and -LIMIT <= y <= LIMIT):
                raise ValueError(f"the vector of agent {id_} is ({x}, {y}); each number is from {-LIMIT:g} to {LIMIT:g}")
            xs.append(float(x))
            ys.append(float(y))
        return {"op": "drive", "agents": array.array("I", ids), "vx": array.array("f", xs), "vy": array.array("f", ys)} if xs else None

    def _is_truncated(self) -> bool:
        return self.end_tick is not None and self.moment.elapsed >= self.end_tick

    # --- what users call

    @property
    def agent_ids(self) -> Tuple[int, ...]:
        """The driven agents of the reset, in ascending order of ids: the rows of actions and of the default observation."""
        return self.moment.agent_ids

    def save(self) -> Saved:
        """Keeps the present state, complete, for `restore` and for `reset(options={"save": saved})`."""
        self._saves += 1
        name = f"env-{self._saves}"
        unwanted, self._unwanted[:] = list(self._unwanted), []
        *_, reply = self._pipeline([{"op": "remove_save", "name": old} for old in unwanted] + [{"op": "save", "name": name, "replace": True}])
        saved = Saved(name, self.moment, self._next, self._over)
        saved.hash = reply["hash"]
        weakref.finalize(saved, self._unwanted.append, name).atexit = False
        return saved

    def restore(self, saved: Saved) -> Any:
        """Goes back to a saved state, and on from there: the episode, its `memory` and the requests that were to be sent
        are what they were. Returns the observation."""
        self._over = "the restoring failed"
        loaded, = self._pipeline([{"op": "load", "save": saved.name}])
        if loaded["hash"] != saved.hash:
            raise DroverError("protocol", f"the saved world {saved.name} has another hash than it had")
        moment = copy.copy(saved.moment)
        moment.memory = copy.deepcopy(saved.memory)
        self.moment, self._next, self._over = moment, list(saved.requests), saved.over
        return self._observation()

    def _observation(self) -> Any:
        return self._observe(self.moment)

    def render(self) -> None:
        """Nothing; `drover-viewer` shows the world at `env.world.address`."""

    def close(self) -> None:
        """Ends the server."""
        self._over = "the environment is closed"
        self.world.close()

    @property
    def unwrapped(self) -> Any:
        return self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _info(self, moment: Moment) -> Dict[str, Any]:
        return {"tick": moment.tick, "hash": moment.hash, "elapsed": moment.elapsed, "gone": list(moment.gone), "came": list(moment.came),
                "stopped": moment.stopped}


class Env(_Lockstep, _EnvBase):
    """One controller for all driven agents, in the shape of gymnasium.Env. An action has a row (vx, vy) for each of
    `agent_ids`; rows of agents that are gone are passed over. None drives no agent."""

    @property
    def observation_space(self) -> Any:
        return self._observation_space

    @property
    def action_space(self) -> Any:
        if not hasattr(self, "_action_space"):
            self._action_space = box(-self.limit, self.limit, (len(self.agent_ids), 2), self._numpy)
        return self._action_space

    def reset(self, *, seed: Optional[int] = None, options: Optional[Mapping[str, Any]] = None) -> Tuple[Any, Dict[str, Any]]:
        """Begins an episode: the scenario with this seed; without one with the next of a series that the last seed began;
        or, by options={"save": saved}, a saved world."""
        if _EnvBase is not object:
            _EnvBase.reset(self, seed=seed)
        moment = self._begin(seed, options)
        observation = self._observation()
        self._next = self._requests_after(moment)
        return observation, self._info(moment)

    def step(self, action: Any) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        """Drives the agents and does the ticks: observation, reward, terminated, truncated, info."""
        ids = self.agent_ids
        drive = None
        if action is not None:
            rows = action.tolist() if hasattr(action, "tolist") else action
            if len(rows) != len(ids):
                raise ValueError(f"the action has {len(rows)} rows; there are {len(ids)} driven agents")
            drive = self._drive(ids, rows)
        moment = self._advance(drive)
        observation = self._observation()
        reward = 0.0 if self._reward is None else self._reward(moment)
        ends = not any(id_ in moment.rows for id_ in ids) if self._terminated is None else bool(self._terminated(moment))
        truncated = self._is_truncated()
        self._next = self._requests_after(moment)
        if ends or truncated:
            self._over = "the episode is over"
        return observation, reward, ends, truncated, self._info(moment)


class ParallelEnv(_Lockstep, _ParallelBase):
    """An agent for each driven one, in the shape of pettingzoo.ParallelEnv. Names are the kind's and the id, `drone_3`;
    what an agent does is (vx, vy). An agent that is gone from the world is terminated in the step that lost it, and listed
    in `info["gone"]`. `observe` gives a row for each of `agent_ids`."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.metadata = {**_Lockstep.metadata, "name": self.scenario}
        self.agents: List[str] = []
        self._spaces: Dict[str, Any] = {}
        self._action_spaces: Dict[str, Any] = {}
        self._name_agents()

    def _name_agents(self) -> None:
        self._ids = {f"{kind}_{id_}": id_ for kind, id_ in zip(self.moment.agent_kinds, self.agent_ids)}
        self.possible_agents = list(self._ids)

    def observation_space(self, agent: str) -> Any:
        if agent not in self._spaces:
            rows = self._observation()
            self._spaces[agent] = space_like(rows[self.agent_ids.index(self._ids[agent])], self._numpy)
        return self._spaces[agent]

    def action_space(self, agent: str) -> Any:
        if agent not in self._action_spaces:
            self._action_spaces[agent] = box(-self.limit, self.limit, (2,), self._numpy)
        return self._action_spaces[agent]

    def reset(self, seed: Optional[int] = None, options: Optional[Mapping[str, Any]] = None) -> Tuple[Dict[str, Any], Dict[str, Dict[str, Any]]]:
        """Begins an episode, as Env.reset: observations and infos by agent."""
        moment = self._begin(seed, options)
        self._name_agents()
        self.agents = list(self.possible_agents)
        observations = self._by_agent(self.agents)
        self._next = self._requests_after(moment)
        return observations, self._infos(self.agents)

    def step(self, actions: Mapping[str, Any]) -> Tuple[Dict[str, Any], Dict[str, float], Dict[str, bool], Dict[str, bool], Dict[str, Dict[str, Any]]]:
        """Drives the agents that have an action and does the ticks: observations, rewards, terminations, truncations and
        infos by agent, for those that were there before it."""
        unknown = [name for name in actions if name not in self._ids]
        if unknown:
            raise ValueError(f"no agent {unknown[0]!r}; there are {', '.join(self.agents)}")
        acting = [name for name in self.agents if actions.get(name) is not None]
        moment = self._advance(self._drive([self._ids[name] for name in acting], [actions[name] for name in acting]))
        agents = self.agents
        observations = self._by_agent(agents)
        ended = self._ended(moment)
        truncated = self._is_truncated()
        rewards = 0.0 if self._reward is None else self._reward(moment)
        results = (observations, {name: rewards.get(self._ids[name], 0.0) if isinstance(rewards, Mapping) else rewards for name in agents},
                   {name: self._ids[name] in ended for name in agents}, dict.fromkeys(agents, truncated), self._infos(agents))
        self._next = self._requests_after(moment)
        self.agents = [] if truncated else [name for name in agents if self._ids[name] not in ended]
        if not self.agents:
            self._over = "the episode is over"
        return results

    def _ended(self, moment: Moment) -> Set[int]:
        ended = {id_ for id_ in moment.agent_ids if id_ not in moment.rows}
        said = False if self._terminated is None else self._terminated(moment)
        if isinstance(said, (set, frozenset, list, tuple, dict)):
            return ended | set(said)
        return set(moment.agent_ids) if said else ended

    def save(self) -> Saved:
        saved = super().save()
        saved.agents = list(self.agents)
        return saved

    def restore(self, saved: Saved) -> Dict[str, Any]:
        """As Env.restore; the agents are those of the saved state."""
        super().restore(saved)
        self._name_agents()
        self.agents = list(saved.agents)
        return self._by_agent(self.agents)

    def _by_agent(self, agents: Sequence[str]) -> Dict[str, Any]:
        rows = self._observation()
        places = {id_: place for place, id_ in enumerate(self.agent_ids)}
        return {name: rows[places[self._ids[name]]] for name in agents}

    def _infos(self, agents: Sequence[str]) -> Dict[str, Dict[str, Any]]:
        return {name: {"id": self._ids[name], **self._info(self.moment)} for name in agents}

    @property
    def num_agents(self) -> int:
        return len(self.agents)

    @property
    def max_num_agents(self) -> int:
        return len(self.possible_agents)
