"""Environments in the shape of Gymnasium and of PettingZoo's ParallelEnv, over a server of their own in lock-step.

    import drover.env
    with drover.env.Env("driven", kind="drone", seconds=10) as env:
        observation, info = env.reset(seed=7)
        observation, reward, terminated, truncated, info = env.step([(40.0, 0.0)] * len(env.agent_ids))

The world stands still between two steps, and a step is one round trip: the vectors, the ticks and the frame go in one
piece. The same seed and the same actions give the same hashes. Neither gymnasium nor pettingzoo is needed; where they
are installed the classes are theirs and the spaces as well. Several learners, each with an environment of its own, share a world of one
server in seats: `Env("duel", kind="chaser", address="127.0.0.1:7717", seat="chaser", of=2)`.
"""

from __future__ import annotations

import array
import copy
import ctypes
import math
import os
import random
import re
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable, Collection, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple, Union, cast

from .columns import numpy_module
from .env_picture import picture_of
from .env_spaces import box, shape_of, space_like
from .env_worlds import FIELDS, LocalWorld, Seen, ServedWorld, SharedWorld, Vectors, has_same_agents
from .errors import DroverError, DroverWarning
from .ops import DEFAULT_TIMEOUT_S
from .sim import Near, Simulation, Turn, library

LIMIT = 1e9  # px/s or mass*px/s^2 of a vector, either way
SEED_BITS = 53
PAIRS_AT_ONCE = 1 << 18  # of agents whose distances are in memory at once

if TYPE_CHECKING:
    class _EnvBase:
        def reset(self, *, seed: Optional[int] = None) -> Any: ...

    class _ParallelBase:
        pass

    class _VectorBase:
        pass

    _mode_named: Callable[[str], Any] = str
else:
    try:
        from gymnasium import Env as _EnvBase
    except ImportError:
        _EnvBase = object
    try:
        from gymnasium.vector import VectorEnv as _VectorBase
    except ImportError:
        _VectorBase = object
    try:
        from gymnasium.vector import AutoresetMode as _mode_named
    except ImportError:
        _mode_named = str
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
    stopped    the condition of `until` that ended the step, "reset" when another learner's reset did, or None
    seats      in a world that learners share: the names of the seats that are taken; None in others
    memory     a dict for the functions: empty after a reset, kept by `save`
    scenario   the description of the world
    """

    def __init__(self, frame: Any, hash_: Optional[str], scenario: Mapping[str, Any], memory: Dict[str, Any]) -> None:
        self.frame = frame
        self.tick = frame.tick
        self.hash = hash_
        self.scenario = scenario
        self.memory = memory
        self.before: Any = None
        self.near: Optional[Callable[["Moment", "Nearest"], Any]] = None  # in process: finds the nearest in the library
        self.cast: Optional[Callable[["Moment", "Rays"], Any]] = None  # finds how far rays go
        self.elapsed = 0
        self.agent_ids: Tuple[int, ...] = ()
        self.agent_kinds: Tuple[str, ...] = ()
        self.gone: Tuple[int, ...] = ()
        self.came: Tuple[int, ...] = ()
        self.stopped: Optional[str] = None
        self.seats: Optional[Tuple[str, ...]] = None
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
        if has_same_agents(self.frame, before.frame):
            self._rows = before.rows
            return
        now, then = self.rows, before.rows
        self.gone = tuple(id_ for id_ in then if id_ not in now)
        self.came = tuple(id_ for id_ in now if id_ not in then)


Function = Callable[[Moment], Any]


class Saved:
    """A state of an environment, complete: of the world, which the environment's server keeps, or this process, and of the
    episode. It is forgotten after the object."""

    def __init__(self, name: str, kept: Any, moment: Moment, requests: List[Dict[str, Any]], over: Any) -> None:
        self.name = name
        self.kept = kept  # what the world knows it by
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
        self._ids: Tuple[Tuple[int, ...], Any] = ((), None)  # of the episode, and the same as an array

    def __call__(self, moment: Moment) -> Any:
        if moment.near is not None:
            return moment.near(moment, self)
        numpy = getattr(moment.frame.columns, "numpy", None)
        rows = getattr(moment.frame, "nearest", None)
        if numpy is not None and rows is not None and self.kinds is None and len(rows) == self.count * len(moment.frame):
            return self._of_rows(numpy, moment, rows)
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

    def _of_rows(self, numpy: Any, moment: Moment, rows: Any) -> Any:
        """With the nearest that the server found."""
        px, count = moment.frame.px, len(moment.frame)
        if self._ids[0] is not moment.agent_ids or self._ids[1] is None:
            self._ids = (moment.agent_ids, numpy.array(moment.agent_ids, dtype="u4"))
        ids = self._ids[1]
        made = numpy.zeros((len(ids), 1 + self.count, 4), dtype="f4")
        if not count:
            return made.reshape(len(ids), -1)
        own = lines = slice(None)
        near = rows.reshape(count, self.count)
        if len(ids) != count or (moment.frame.id != ids).any():  # not all agents are driven, or some are gone
            places = numpy.minimum(numpy.searchsorted(moment.frame.id, ids), count - 1)
            lines = numpy.flatnonzero(moment.frame.id[places] == ids)
            own = places[lines]
            near = near[own]
        missing = near < 0 if (near < 0).any() else None
        size = moment.scenario["size"] if moment.scenario.get("edge") == "wrap" else None
        for at, column in enumerate((px.x, px.y, px.vx, px.vy)):  # column by column, whose numbers lie side by side
            beside = column.take(near) - column[own, None]
            if size is not None and at < 2:
                beside -= size[at] * numpy.round(beside / size[at])
            if missing is not None:
                beside[missing] = 0.0
            made[lines, 0, at], made[lines, 1:, at] = column[own], beside
        return made.reshape(len(ids), -1)

    def _in_numpy(self, numpy: Any, moment: Moment, others: Iterable[int], wrap: Optional[Sequence[float]]) -> Any:
        px = moment.frame.px
        table = numpy.stack([px.x, px.y, px.vx, px.vy], axis=1).astype("f8")
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


class Rays:
    """An observation: a row for each driven agent with how far each of `count` (1 to 64) rays goes until it meets a solid, as a lidar has it: an
    obstacle, a wall, what moves, a door; `range` (1 to 10000 px) where it meets none. The rays are spread evenly over `spread` degrees around the agent's
    heading, clockwise where y points down; with 360 the first one is ahead. Neither agents nor the borders of the world stop a ray. px, float32 in
    numpy; lists without. Rows of agents that are gone are 0. In process and over a server the numbers are the same."""

    def __init__(self, count: int = 16, range: float = 200.0, spread: float = 360.0) -> None:  # pylint: disable=redefined-builtin
        if not (1 <= count <= 64 and 1 <= range <= 10000 and 0 <= spread <= 360):
            raise ValueError(f"{count} rays of {range:g} px over {spread:g} degrees; allowed: 1 to 64, 1 to 10000 px, 0 to 360 degrees")
        self.view = {"number": count, "range": float(range), "spread": float(spread)}

    def __call__(self, moment: Moment) -> Any:
        if moment.cast is None:
            raise RuntimeError("the moment is of no environment")
        return moment.cast(moment, self)


class _Together:
    """Observations beside each other: each row has what each of them has of an agent, in their order."""

    def __init__(self, parts: Sequence[Function]) -> None:
        self.parts = parts

    def __call__(self, moment: Moment) -> Any:
        numpy = getattr(moment.frame.columns, "numpy", None)
        made = [part(moment) for part in self.parts]
        return [sum(map(list, rows), []) for rows in zip(*made)] if numpy is None else numpy.concatenate(made, axis=1)


def _short(offset: float, size: float) -> float:
    """An offset the short way round."""
    return offset - size * round(offset / size)


class _Lockstep:
    """What both shapes have in common: the server, the episode and its moments."""

    metadata: Dict[str, Any] = {"render_modes": ["rgb_array"]}
    render_mode: Any = None
    spec: Any = None

    def __init__(self, scenario: str, kind: Union[str, Sequence[str]], *, ticks: int = 6, seconds: Optional[float] = None,
                 observe: Union[Function, Sequence[Function], None] = None, reward: Optional[Function] = None, terminated: Optional[Function] = None,
                 requests: Optional[Function] = None, fields: Union[str, Sequence[str]] = (), until: Optional[Mapping[str, Any]] = None,
                 limit: Optional[float] = None, observation_space: Any = None, render_mode: Optional[str] = None, in_process: bool = False,
                 server: Optional[str] = None, arguments: Sequence[str] = (), timeout: Optional[float] = DEFAULT_TIMEOUT_S,
                 numpy: Optional[bool] = None, address: Any = None, seat: Optional[str] = None, of: int = 2, wait_ms: int = 60000,
                 token: Optional[str] = None) -> None:
        """Starts the server, connects to one that learners share, or makes the world in process.

        scenario   a name or the path of a file
        kind       the kind that is driven, or several; the scenario gives them the behavior `external`
        ticks      of a step; with more than the behavior's `hold`, of which a DroverWarning says so, agents are on their own for the rest
        seconds    of the world, after which an episode is truncated; None: never
        observe    moment -> observation; Nearest() by default. Several, (Nearest(4), Rays(16, 200)), stand beside each other in the rows
        reward     moment -> number (ParallelEnv: or numbers by id); 0 by default
        terminated   moment -> whether the episode ends here (ParallelEnv: or the ids for which it does); by default when no driven agent is left
                   `observe` is called first, then `reward`, `terminated` and `requests`.
        requests   moment -> requests ({"op": ..., ...}) that are sent with the next step, before its vectors
        fields     what frames have besides pos, vel and kind: state, heading, stamina; of a server also force, desired
        until      a condition that ends a step before its ticks are done, as in the request step
        limit      of the action space, px/s or mass*px/s^2; the largest max_speed of the kinds by default
        render_mode   None, or "rgb_array": render() draws the agents' places, with numpy
        in_process   the world is simulated in this process, by libdrover-sim (drover.sim), many times as fast; the hashes are the same
        server, arguments, timeout   of the server, as for drover.serve
        address, token   of a server that learners share, as for drover.connect; its world is of the scenario
        seat       the name of this learner's seat there, which its first reset takes
        of         how many learners the world waits for before its first tick
        wait_ms    how long a tick, or a reset, waits for a learner: then the seat is freed, and the others go on
        """
        self.kinds: Tuple[str, ...] = (kind,) if isinstance(kind, str) else tuple(kind)
        self.ticks = ticks
        parts: List[Function] = [Nearest()] if observe is None else [observe] if callable(observe) else list(observe)
        together: Function = _Together(parts)
        self._observe: Function = parts[0] if len(parts) == 1 else together
        self._nearest = next((part for part in parts if isinstance(part, Nearest)), None)
        self._reward, self._terminated, self._requests = reward, terminated, requests
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"the render_mode is {render_mode!r}; allowed: None, {', '.join(map(repr, self.metadata['render_modes']))}")
        if render_mode is not None and numpy_module() is None:
            raise ImportError("render_mode needs numpy, which is not installed")
        self.render_mode = render_mode
        wanted = fields.split() if isinstance(fields, str) else list(fields)
        wanted = list(FIELDS) + [name for name in wanted if name not in FIELDS]
        self._numpy = numpy
        self.numpy = None if numpy is False else numpy_module()
        self._seeds = random.Random()
        self._saves = 0
        self._next: List[Dict[str, Any]] = []
        self._near: Optional[Near] = None
        self._driven: Tuple[Sequence[int], Any] = ((), array.array("I"))  # the last ids that were driven, and the same as a column
        self._over: Any = "reset was not called yet"
        self._is_closed = False
        if in_process and (server is not None or arguments):
            raise ValueError("in_process has no server; leave out server and arguments")
        if in_process and (seat is not None or address is not None):
            raise ValueError("in_process has no seats, which are of a server that learners share; leave out seat and address")
        if (seat is None) != (address is None):
            raise ValueError(f"{'seat' if address is None else 'address'} was given alone; a learner in a world that others share has both, an "
                             "environment with a server of its own neither")
        if address is not None and (server is not None or arguments or until is not None):
            raise ValueError("a world that learners share has its server already, and steps end together; leave out server, arguments and until")
        self._world: Union[ServedWorld, LocalWorld] = (
            LocalWorld(scenario, wanted, until, numpy) if in_process else
            ServedWorld(scenario, wanted, until, numpy, server, arguments, timeout) if seat is None else
            SharedWorld(scenario, wanted, numpy, address, token, seat, of, wait_ms, timeout))
        self.world = self._world.world
        if isinstance(self._world, ServedWorld):
            if self._nearest is not None and self._nearest.kinds is None and self.numpy is not None:
                self._world.watch(nearest=self._nearest.count)
            for rays in [part for part in parts if isinstance(part, Rays)][:1]:
                self._world.watch(rays=rays.view)
        try:
            self._start(seconds, limit, observation_space)
        except BaseException:
            self._world.close()
            raise

    def _start(self, seconds: Optional[float], limit: Optional[float], observation_space: Any) -> None:
        scenario = self._world.description
        self.scenario: str = scenario["name"]
        known = {kind["name"]: kind for kind in scenario["kinds"]}
        for name in self.kinds:
            if name not in known:
                raise DroverError("no_kind", f"no kind {name!r}; this scenario has {', '.join(known)}")
            self._check_external(name)
        speeds = [known[name].get("max_speed", 0) for name in self.kinds]
        self.limit = float(max(max(speed) if isinstance(speed, list) else speed for speed in speeds) if limit is None else limit)
        self.end_tick = None if seconds is None else max(1, round(seconds * scenario["tick_hz"]))
        self.moment = self._moment_of(self._world.first(), scenario, {})
        self._episode(self.moment)
        self._observation_space = observation_space or space_like(self._observe(self.moment), self._numpy)

    def _check_external(self, kind: str) -> None:
        params = self.world.params(kind)
        holds = [param.value for name, param in params.items() if re.fullmatch(r"(.*/)?external\d*\.hold", name)]
        if not holds:
            raise DroverError("bad_param", f"kind {kind!r} has no behavior external, so it cannot be driven; docs/scenarios.md, From outside", "kind")
        if self.ticks > max(holds):
            warnings.warn(f"a step has {self.ticks} ticks, kind {kind!r} follows a vector for {max(holds):g} (external.hold): agents are on their own for "
                          "the rest of each step", DroverWarning, stacklevel=5)

    # --- the world

    def _moment_of(self, seen: Seen, scenario: Mapping[str, Any], memory: Dict[str, Any]) -> Moment:
        moment = Moment(seen.frame, seen.hash, scenario, memory)
        moment.stopped = seen.stopped if isinstance(seen.stopped, str) else None
        moment.seats = seen.seats
        if isinstance(self._world, LocalWorld):
            moment.near = self._find_near
        moment.cast = self._cast_rays
        return moment

    def _episode(self, moment: Moment) -> None:
        """An episode begins with this moment: the agents that it is about."""
        ids, kinds, rows = moment.frame.id, moment.frame.kind, moment.of_kind(*self.kinds)
        moment.agent_ids, moment.agent_kinds = tuple(int(ids[row]) for row in rows), tuple(kinds[row] for row in rows)
        self._set_near(moment)

    def _set_near(self, moment: Moment) -> None:
        """In process, what the steps are to find for the agents of the episode."""
        self._found_of: Optional[Moment] = None  # whose nearest a step has found
        if isinstance(self._world, LocalWorld):
            self._near = self._near_of(self._nearest, moment) if self._nearest is not None else None
            self._world.watch(self._near)

    def _near_of(self, nearest: "Nearest", moment: Moment) -> Near:
        known = {kind["name"] for kind in moment.scenario["kinds"]}
        kinds = None if nearest.kinds is None else [name for name in nearest.kinds if name in known]
        return Near(self._world.world, moment.agent_ids, nearest.count, kinds)  # type: ignore[arg-type]

    def _find_near(self, moment: Moment, nearest: "Nearest") -> Any:
        assert isinstance(self._world, LocalWorld)
        world = self._world.world
        self._check_present(moment, "the nearest")
        near = self._near if nearest is self._nearest and self._near is not None else self._near_of(nearest, moment)
        if near is not self._near or self._found_of is not moment:
            near.ask(world)
        return near.values()

    def _cast_rays(self, moment: Moment, rays: Rays) -> Any:
        self._check_present(moment, "rays")
        return self._world.rays(moment.frame, moment.agent_ids, rays.view)

    def _check_present(self, moment: Moment, what: str) -> None:
        if moment is not self.moment:
            raise RuntimeError(f"the world has gone on since this moment; ask for {what} while it is the present one")

    def _check_open(self) -> None:
        if self._is_closed:
            raise RuntimeError("the environment is closed; make another one")

    def _begin(self, seed: Optional[int], options: Optional[Mapping[str, Any]]) -> Moment:
        self._check_open()
        given = dict(options or {})
        save = given.pop("save", None)
        if given:
            raise ValueError(f"reset has no option {', '.join(map(repr, given))}; there is \"save\"")
        if seed is not None:
            self._seeds.seed(int(seed))
        self._over, self._next = "the reset failed", []
        if save is not None:
            seen = self._world.begin_saved(save.kept if isinstance(save, Saved) else save)
        else:
            seen = self._world.begin(self._seeds.getrandbits(SEED_BITS) if seed is None else int(seed))
        self.moment = self._moment_of(seen, self.moment.scenario, {})
        self._episode(self.moment)
        self._over = None
        return self.moment

    def _ticks_now(self) -> int:
        """Of the step that begins."""
        self._check_open()
        if self._over is not None:
            raise RuntimeError(f"{self._over}; call reset")
        left = self.ticks if self.end_tick is None else int(self.end_tick) - self.moment.elapsed
        return min(self.ticks, left)

    def _advance(self, vectors: Optional[Vectors]) -> Moment:
        ticks = self._ticks_now()
        self._over = "the step failed"  # unless the end of _arrive is reached
        return self._arrive(self._world.step(self._next, vectors, ticks))

    def _arrive(self, seen: Seen) -> Moment:
        before = self.moment
        if seen.frame is None:  # the world was begun anew: the episode has ended with the moment before
            self.moment = copy.copy(before)
            self.moment.gone, self.moment.came, self.moment.stopped, self.moment.seats = (), (), "reset", seen.seats
            self._over = "the world was begun anew by another learner's reset"
            return self.moment
        moment = self._moment_of(seen, before.scenario, before.memory)
        moment.follow(before, moment.tick - before.tick)
        self.moment = self._found_of = moment
        self._over = None
        return moment

    def _requests_after(self, moment: Moment) -> List[Dict[str, Any]]:
        return [dict(request) for request in self._requests(moment) or ()] if self._requests is not None else []

    def _vectors(self, ids: Sequence[int], action: Any) -> Optional[Vectors]:
        """A vector for each of these agents; ValueError for anything else."""
        if not len(ids):
            return None
        shape = shape_of(action)
        if shape != (len(ids), 2):
            found = "is no table of numbers" if shape is None else f"has the shape {shape}"
            raise ValueError(f"the action {found}; expected the shape ({len(ids)}, 2): vx, vy for each driven agent")
        if self.numpy is not None:
            table = self.numpy.asarray(action)
            fits = (abs(table) <= LIMIT).all()
            columns = self.numpy.ascontiguousarray(table.T, dtype="f4") if fits else table.T
            vx, vy = columns
        else:
            rows = action.tolist() if hasattr(action, "tolist") else action
            vx, vy = (array.array("f", [row[0] for row in rows]), array.array("f", [row[1] for row in rows]))
            fits = all(-LIMIT <= number <= LIMIT for column in (vx, vy) for number in column)
        if not fits:
            id_, x, y = next((id_, x, y) for id_, x, y in zip(ids, vx, vy) if not (-LIMIT <= x <= LIMIT and -LIMIT <= y <= LIMIT))
            raise ValueError(f"the vector of agent {id_} is ({x:g}, {y:g}); each number is from {-LIMIT:g} to {LIMIT:g}")
        if self._driven[0] is not ids:
            self._driven = (ids, array.array("I", ids))
        return Vectors.of(self._driven[1], vx, vy)

    def _is_cut(self) -> bool:
        """Whether the reset of another learner has ended the episode: nothing happened since the moment before."""
        return self.moment.stopped == "reset"

    def _is_truncated(self) -> bool:
        return self._is_cut() or (self.end_tick is not None and self.moment.elapsed >= self.end_tick)

    # --- what users call

    def begin_step(self, vectors: Optional[Vectors]) -> None:
        """The first half of a step in process; the library's `turns` comes after it, and then `end_step`."""
        assert isinstance(self._world, LocalWorld)
        ticks = self._ticks_now()
        self._over, self._held = "the step failed", vectors
        self._world.prepare(self._next, vectors, ticks)

    def end_step(self) -> None:
        assert isinstance(self._world, LocalWorld)
        self._arrive(self._world.finish())

    @property
    def agent_ids(self) -> Tuple[int, ...]:
        """The driven agents of the reset, in ascending order of ids: the rows of actions and of the default observation."""
        return self.moment.agent_ids

    def save(self) -> Saved:
        """Keeps the present state, complete, for `restore` and for `reset(options={"save": saved})`."""
        self._check_open()
        self._saves += 1
        name = f"env-{self._saves}"
        kept, hash_ = self._world.keep(name)
        saved = Saved(name, kept, self.moment, self._next, self._over)
        saved.hash = hash_
        weakref.finalize(saved, self._world.forget, kept).atexit = False
        return saved

    def restore(self, saved: Saved) -> Any:
        """Goes back to a saved state, and on from there: the episode, its `memory` and the requests that were to be sent
        are what they were. Returns the observation."""
        self._check_open()
        self._over = "the restoring failed"
        if self._world.go_back(saved.kept) != saved.hash:
            raise DroverError("protocol", f"the saved world {saved.name} has another hash than it had")
        moment = copy.copy(saved.moment)
        moment.memory = copy.deepcopy(saved.memory)
        self.moment, self._next, self._over = moment, list(saved.requests), saved.over
        self._set_near(moment)
        return self._observation()

    def _observation(self) -> Any:
        if not self._is_cut():
            self._observed = self._observe(self.moment)
        return self._observed

    def render(self) -> Any:
        """With render_mode "rgb_array" a picture of where the agents are, height x width x 3 in numpy: a disc for each, in a color for
        each kind, nothing else. Otherwise None; `drover-viewer` shows a server's world at `env.world.address`."""
        return picture_of(self.moment) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Ends the server, or the simulation; in a world that learners share leaves the seat, and the last one pauses the world."""
        self._is_closed = True
        self._world.close()

    @property
    def unwrapped(self) -> Any:
        return self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _info(self, moment: Moment) -> Dict[str, Any]:
        info = {"tick": moment.tick, "hash": moment.hash, "elapsed": moment.elapsed, "gone": list(moment.gone), "came": list(moment.came),
                "stopped": moment.stopped}
        return info if moment.seats is None else {**info, "seats": list(moment.seats)}


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
        or, by options={"save": saved}, a saved world. Of learners that share a world the one whose seat has the first name begins episodes, and
        its seed counts: its reset waits until each other one calls reset or step, whose episode ends there. The reset of another one waits
        for that episode; its agents get no vectors until then."""
        if _EnvBase is not object:
            _EnvBase.reset(self, seed=seed)
        moment = self._begin(seed, options)
        observation = self._observation()
        self._next = self._requests_after(moment)
        return observation, self._info(moment)

    def step(self, action: Any) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        """Drives the agents and does the ticks: observation, reward, terminated, truncated, info."""
        self._advance(self.vectors_of(action))
        return self.result()

    def vectors_of(self, action: Any) -> Optional[Vectors]:
        """The vectors of an action; ValueError when it is none."""
        return None if action is None else self._vectors(self.agent_ids, action)

    def result(self) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        moment, ids = self.moment, self.agent_ids
        observation = self._observation()
        if self._is_cut():
            return observation, 0.0, False, True, self._info(moment)
        reward = 0.0 if self._reward is None else self._reward(moment)
        ends = not any(id_ in moment.rows for id_ in ids) if self._terminated is None else bool(self._terminated(moment))
        truncated = self._is_truncated()
        self._next = self._requests_after(moment)
        if ends or truncated:
            self._over = "the episode is over"
        return observation, reward, ends, truncated, self._info(moment)


AUTORESETS = ("NextStep", "SameStep", "Disabled")


class VectorEnv(_VectorBase):
    """Many worlds in process, in the shape of gymnasium.vector.VectorEnv: each is an Env, and one call steps them all, in several
    threads. Batches are numpy arrays, or lists without numpy.

    envs   the worlds, Env each
    """

    def __init__(self, num_envs: int, scenario: str, kind: Union[str, Sequence[str]], *, threads: Optional[int] = None,
                 autoreset: str = "NextStep", **options: Any) -> None:
        """threads     that step the worlds; by default as many as there are processors, and no more than worlds
        autoreset   what becomes of a world whose episode is over, in the names of gymnasium's AutoresetMode. NextStep: the next step
                    begins its next episode, whatever the action, with reward 0. SameStep: the same step does, and gives the last
                    observation as infos["final_obs"]. Disabled: the next step is refused until `reset`
        options     as of Env, but for those of a server
        """
        self.num_envs = num_envs
        self.envs: List[Env] = []
        self.closed = False
        self._pool: Optional[ThreadPoolExecutor] = None
        if autoreset not in AUTORESETS:
            raise ValueError(f"autoreset is {autoreset!r}; allowed: {', '.join(AUTORESETS)}")
        if num_envs < 1:
            raise ValueError(f"{num_envs} worlds; allowed: 1 or more")
        try:
            for _ in range(num_envs):
                self.envs.append(Env(scenario, kind, in_process=True, **options))
            first = self.envs[0]
            self._module = first.numpy
            self.autoreset = autoreset
            self.metadata = {**first.metadata, "autoreset_mode": _mode_named(autoreset)}
            self.spec, self.render_mode = first.spec, first.render_mode
            self.single_observation_space, self.single_action_space = first.observation_space, first.action_space
            self.observation_space = self._batched(first.observation_space, math.inf)
            self.action_space = self._batched(first.action_space, first.limit)
        except BaseException:
            self.close()
            raise
        self._turns = (Turn * num_envs)()
        self._worlds = [cast(Simulation, env.world) for env in self.envs]
        for world, turn in zip(self._worlds, self._turns):
            world.own_turn = turn
        count = max(1, min(num_envs, os.cpu_count() or 1 if threads is None else threads))
        self._shares = [(num_envs * at // count, num_envs * (at + 1) // count) for at in range(count)]
        self._pool = ThreadPoolExecutor(count - 1) if count > 1 else None
        self._ended = [False] * num_envs

    def _batched(self, space: Any, limit: float) -> Any:
        return space if space.shape is None else box(-limit, limit, (self.num_envs, *space.shape), self._module is not None)

    def reset(self, *, seed: Union[int, Sequence[Optional[int]], None] = None,
              options: Optional[Mapping[str, Any]] = None) -> Tuple[Any, Dict[str, Any]]:
        """Begins an episode of each world. seed: one for each; of a number s, the worlds get s, s + 1, ..."""
        seeds = [None if seed is None else seed + at for at in range(self.num_envs)] if seed is None or isinstance(seed, int) else list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"there are {len(seeds)} seeds; expected {self.num_envs}")
        begun = [env.reset(seed=one, options=options) for env, one in zip(self.envs, seeds)]
        self._ended = [False] * self.num_envs
        return self._batch([observation for observation, _ in begun]), self._infos([info for _, info in begun])

    def step(self, actions: Any) -> Tuple[Any, Any, Any, Any, Dict[str, Any]]:
        """One step of each world: observations, rewards, terminations, truncations, infos, a row each."""
        if len(actions) != self.num_envs:
            raise ValueError(f"there are {len(actions)} actions; expected {self.num_envs}, one for each world")
        begins = [ended and self.autoreset == "NextStep" for ended in self._ended]
        vectors = [None if begin else env.vectors_of(action) for env, begin, action in zip(self.envs, begins, actions)]
        begun = {at: self.envs[at].reset() for at, begin in enumerate(begins) if begin}
        for at, env in enumerate(self.envs):
            if begins[at]:
                self._worlds[at].prepare(0)
            else:
                env.begin_step(vectors[at])
        self._take_turns()
        results = [(begun[at][0], 0.0, False, False, begun[at][1]) if begins[at] else self._end_step(env) for at, env in enumerate(self.envs)]
        self._ended = [terminated or truncated for _, _, terminated, truncated, _ in results]
        observations, infos = [result[0] for result in results], [result[4] for result in results]
        if self.autoreset == "SameStep":
            self._begin_next(observations, infos)
        rewards, terminations, truncations = (self._batch([result[at] for result in results]) for at in (1, 2, 3))
        return self._batch(observations), rewards, terminations, truncations, self._infos(infos)

    @staticmethod
    def _end_step(env: Env) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        env.end_step()
        return env.result()

    def _begin_next(self, observations: List[Any], infos: List[Dict[str, Any]]) -> None:
        for at, ended in enumerate(self._ended):
            if ended:
                last = {"final_obs": observations[at], "final_info": infos[at]}
                observations[at], infos[at] = self.envs[at].reset()
                infos[at].update(last)

    def _take_turns(self) -> None:
        take, turns = library().turns, self._turns
        calls = [(ctypes.byref(turns[begin]), end - begin) for begin, end in self._shares]
        others = [self._pool.submit(take, *call) for call in calls[1:]] if self._pool is not None else []
        take(*calls[0])
        for other in others:
            other.result()

    def _batch(self, rows: List[Any]) -> Any:
        return rows if self._module is None or isinstance(rows[0], dict) else self._module.stack(rows)

    def _infos(self, infos: List[Dict[str, Any]]) -> Dict[str, Any]:
        """As gymnasium's: for each name the values of all worlds, and under _name which worlds have one."""
        together: Dict[str, Any] = {}
        for name in dict.fromkeys(name for info in infos for name in info):
            together[name] = [info.get(name) for info in infos]
            together["_" + name] = self._batch([name in info for info in infos])
        return together

    def render(self) -> Tuple[Any, ...]:
        return tuple(env.render() for env in self.envs)

    def close(self, **_: Any) -> None:
        """Ends the worlds and the threads."""
        self.closed = True
        if self._pool is not None:
            self._pool.shutdown()
        for env in self.envs:
            env.close()

    def __enter__(self) -> "VectorEnv":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


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
        for name in acting:
            if shape_of(actions[name]) != (2,):
                raise ValueError(f"the action of {name} has the shape {shape_of(actions[name])}; expected the shape (2,): vx, vy")
        moment = self._advance(self._vectors([self._ids[name] for name in acting], [list(actions[name]) for name in acting]))
        agents = self.agents
        observations = self._by_agent(agents)
        ended: Set[int] = set() if self._is_cut() else self._ended(moment)
        truncated = self._is_truncated()
        rewards = 0.0 if self._reward is None or self._is_cut() else self._reward(moment)
        results = (observations, {name: rewards.get(self._ids[name], 0.0) if isinstance(rewards, Mapping) else rewards for name in agents},
                   {name: self._ids[name] in ended for name in agents}, dict.fromkeys(agents, truncated), self._infos(agents))
        self._next = [] if self._is_cut() else self._requests_after(moment)
        self.agents = [] if truncated else [name for name in agents if self._ids[name] not in ended]
        if not self.agents:
            self._over = self._over or "the episode is over"
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
