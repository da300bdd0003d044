"""The worlds of drover.env: one of a server of its own, over the wire, one of a server that learners share, in seats, and one in process. All have
the same methods."""

from __future__ import annotations

import array
import math
import time
from pathlib import PurePath
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from . import sim
from .client import Drover
from .columns import Names, backend
from .errors import DroverError
from .frames import Frame, of_reply
from .serving import ServerProcess

FIELDS = ("pos", "vel", "kind")  # what every frame of an environment has
COLUMNS_OF = {"pos": "x y", "vel": "vx vy", "kind": "kind", "state": "state", "heading": "heading", "stamina": "stamina"}
FULL_TURN = 36000  # hundredths of a degree
JOIN_TICKS = 6  # of a go of a learner that waits for the next episode
LOOK_S = 0.005  # from one look at the seats to the next


class Seen(NamedTuple):
    """What a world came to."""

    frame: Any  # frames.Frame, or LocalFrame; None: the world was begun anew before the step was done
    hash: Optional[str]
    stopped: Any = None
    seats: Optional[Tuple[str, ...]] = None  # that are taken, of a world with seats


class Vectors(NamedTuple):
    """A vector for each of these agents: u32 and f32 columns, which this keeps; addresses: of ids, vx, vy."""

    ids: Any
    vx: Any
    vy: Any
    addresses: Tuple[int, int, int]

    @classmethod
    def of(cls, ids: Any, vx: Any, vy: Any) -> "Vectors":
        return cls(ids, vx, vy, (sim.address_of(ids), sim.address_of(vx), sim.address_of(vy)))


class ServedWorld:
    """A world of a server of its own."""

    def __init__(self, scenario: str, fields: Sequence[str], until: Optional[Mapping[str, Any]], numpy: Optional[bool], server: Optional[str],
                 arguments: Sequence[str], timeout: Optional[float]) -> None:
        process = ServerProcess(scenario, paused=True, server=server, arguments=arguments)
        try:
            process.wait_until_listening()
            self._open(Drover(process.port, timeout=timeout, reconnect=False, numpy=numpy, server=process), fields, until, numpy)
        except BaseException:
            process.end()
            raise

    def _open(self, world: Drover, fields: Sequence[str], until: Optional[Mapping[str, Any]], numpy: Optional[bool]) -> None:
        self._numpy, self._until = numpy, until
        self._view: Dict[str, Any] = {"fields": list(fields)}
        self._unwanted: List[str] = []  # saves
        self.world = world
        try:
            self.world.open()
        except BaseException:
            self.world.close()
            raise
        self.description: Mapping[str, Any] = self.world.scenario

    def watch(self, **view: Any) -> None:
        """Each frame is to have this beside it: `nearest`, `rays`, as `get` and `step` take them."""
        self._view.update(view)

    def rays(self, frame: Frame, ids: Sequence[int], view: Mapping[str, Any]) -> Any:
        """How far the rays of these agents go, in the world as it is now. frame: of now."""
        if frame.rays is None or self._view.get("rays") != view:
            there = set(frame.id.tolist())
            frame = self._frame(self._pipeline([{"op": "get", "layout": "packed", "fields": ["pos"], "agents": [id_ for id_ in ids if id_ in there],
                                                 "rays": view}])[0])
        number, found = view["number"], frame.rays
        assert found is not None
        numpy = getattr(frame.columns, "numpy", None)
        if numpy is None:
            rows = {id_: found[at * number:(at + 1) * number].tolist() for at, id_ in enumerate(frame.id.tolist())}
            return [rows.get(id_, [0.0] * number) for id_ in ids]
        made = numpy.zeros((len(ids), number), dtype="f4")
        lines = numpy.flatnonzero(numpy.isin(numpy.array(ids, dtype="u4"), frame.id))
        made[lines] = found.reshape(-1, number)[numpy.searchsorted(frame.id, numpy.array(ids, dtype="u4")[lines])]
        return made

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

    def _load(self, **load: Any) -> Seen:
        """What an episode begins with."""
        *loaded, seen = self._pipeline([{"op": "load", **load}, {"op": "get", "layout": "packed", **self._view}])
        return Seen(self._frame(seen), loaded[0]["hash"])

    def first(self) -> Seen:
        return Seen(self._frame(self._pipeline([{"op": "get", "layout": "packed", **self._view}])[0]), None)

    def begin(self, seed: int) -> Seen:
        return self._load(scenario=self.description["name"], warmup=False, seed=seed)

    def begin_saved(self, save: Any) -> Seen:
        return self._load(save=save)

    def step(self, requests: Sequence[Dict[str, Any]], vectors: Optional[Vectors], ticks: int) -> Seen:
        step: Dict[str, Any] = {"op": "step", "count": ticks, "return": "packed", **self._view}
        if self._until is not None:
            step["until"] = self._until
        drive = [{"op": "drive", "agents": vectors.ids, "vx": vectors.vx, "vy": vectors.vy}] if vectors is not None else []
        reply = self._pipeline([*requests, *drive, step])[-1]
        return Seen(self._frame(reply), reply.get("hash"), reply.get("stopped"))

    def keep(self, name: str) -> Tuple[Any, str]:
        unwanted, self._unwanted[:] = list(self._unwanted), []
        *_, reply = self._pipeline([{"op": "remove_save", "name": old} for old in unwanted] + [{"op": "save", "name": name, "replace": True}])
        return name, reply["hash"]

    def forget(self, save: Any) -> None:
        self._unwanted.append(save)

    def go_back(self, save: Any) -> Optional[str]:
        loaded, = self._pipeline([{"op": "load", "save": save}])
        found: Optional[str] = loaded["hash"]
        return found

    def close(self) -> None:
        self.world.close()


class SharedWorld(ServedWorld):
    """A world of a server that learners share, each in a seat of its own.

    The first of the seats, in the order of their names, begins episodes, while a `go` of every other one is under way: so each of
    them is answered that it was stopped, and has the new world.
    """

    def __init__(self, scenario: str, fields: Sequence[str], numpy: Optional[bool], address: Any, token: Optional[str], seat: str, of: int, wait_ms: int,
                 timeout: Optional[float]) -> None:
        self._seat, self._of, self._wait_ms = seat, of, wait_ms
        self._tick = 0
        self._is_seated = self._is_going = False
        self._begun: Optional[Seen] = None  # the world that ended a step
        hello: Dict[str, Any] = {} if token is None else {"token": token}
        self._open(Drover(address, timeout=timeout, reconnect=False, numpy=numpy, **hello), fields, None, numpy)
        if self.description["name"] != PurePath(scenario).name.replace(".json", ""):
            self.close()
            raise DroverError("no_scenario", f"the server's world is of the scenario {self.description['name']!r}, not of {scenario!r}", "scenario")

    def _go(self, requests: Sequence[Dict[str, Any]], ticks: int) -> Seen:
        go = {"op": "go", "tick": self._tick, "count": ticks, "hash": True, "return": "packed", **self._view}
        self._is_going = True
        *others, gone, seats = self.world.pipeline([*requests, go, {"op": "list", "what": "seats"}], timeout=None)
        self._is_going = False
        for reply in (gone, seats) if isinstance(gone, DroverError) or gone.get("stopped") else (*others, gone, seats):
            if isinstance(reply, DroverError):
                raise reply
        self._tick = gone["tick"]
        return Seen(self._frame(gone), gone["hash"], "reset" if gone.get("stopped") else None, tuple(row["name"] for row in seats["seats"]))

    def step(self, requests: Sequence[Dict[str, Any]], vectors: Optional[Vectors], ticks: int) -> Seen:
        drive = [{"op": "drive", "agents": vectors.ids, "vx": vectors.vx, "vy": vectors.vy}] if vectors is not None else []
        seen = self._go([*requests, *drive], ticks)
        if seen.stopped is None:
            return seen
        self._begun = seen._replace(stopped=None)
        return seen._replace(frame=None)

    def _load(self, **load: Any) -> Seen:
        """Begins an episode as the first seat; in another one joins the episode that the first seat begins."""
        deadline = time.monotonic() + self._wait_ms / 1000
        begun, self._begun = self._begun, None
        while True:
            reply = self.world.list("seats")
            self._tick = reply["tick"]
            rows = reply["seats"]
            names = tuple(row["name"] for row in rows)
            if not any(row["session"] == self.world.greeting["session"] for row in rows):
                self.world.seat(self._seat, of=self._of, wait_ms=self._wait_ms, on_timeout="leave")
                self._is_seated, begun = True, None
            elif begun is not None and names[0] != self._seat:
                return begun
            elif len(rows) < reply["of"]:
                self._wait(deadline, f"{len(rows)} of {reply['of']} seats are taken: {', '.join(names)}")
            elif names[0] != self._seat:
                if "save" in load:
                    raise ValueError(f"the first seat, {names[0]!r}, begins the episodes; leave out the option \"save\" in {self._seat!r}")
                joined = self._join()
                if joined is not None:
                    return joined
                deadline = time.monotonic() + self._wait_ms / 1000
            elif awaited := [row["name"] for row in rows[1:] if row["awaited"]]:
                self._wait(deadline, f"neither step nor reset of {', '.join(awaited)}")
            else:
                loaded, _, _, frame = self._pipeline([{"op": "load", **load}, {"op": "speed", "max": True}, {"op": "resume"},
                                                      {"op": "get", "layout": "packed", **self._view}])
                self._tick = loaded["tick"]
                return Seen(self._frame(frame), loaded["hash"], None, names)

    def _join(self) -> Optional[Seen]:
        """Lets the world go on; returns the world that the first seat has begun meanwhile."""
        try:
            seen = self._go([], JOIN_TICKS)
        except DroverError as error:
            if error.code in ("no_seat", "late"):  # since the look at the seats
                return None
            raise
        return None if seen.stopped is None else seen._replace(stopped=None)

    def _wait(self, deadline: float, what: str) -> None:
        if time.monotonic() >= deadline:
            raise DroverError("timeout", f"no episode within {self._wait_ms} ms: {what}")
        time.sleep(LOOK_S)

    def keep(self, name: str) -> Tuple[Any, str]:
        raise RuntimeError("a world that learners share is not saved by one of them; save is of an environment with a server of its own")

    def go_back(self, save: Any) -> Optional[str]:
        raise RuntimeError("a world that learners share goes back for none of them; restore is of an environment with a server of its own")

    def close(self) -> None:
        """Leaves the seat; the last one pauses the world. A go under way ends with the connection."""
        try:
            if self._is_seated and not self._is_going and self.world.session.up and self.world.leave()["seats"] == 0:
                self.world.pause()
        except DroverError:
            pass  # the connection may be what failed, and the seat is free then; or the role may not pause
        finally:
            self.world.close()


class LocalWorld:
    """A world in process (drover.sim). `prepare` and `finish` are a step in two halves, between which the library does the ticks: by
    itself in `step`, of many worlds at once in a VectorEnv."""

    def __init__(self, scenario: str, fields: Sequence[str], until: Optional[Mapping[str, Any]], numpy: Optional[bool]) -> None:
        for field in fields:
            if field not in COLUMNS_OF:
                raise ValueError(f"in process there is no field {field!r}; there are {', '.join(COLUMNS_OF)}")
        self.world = sim.Simulation(scenario, columns="id " + " ".join(COLUMNS_OF[field] for field in fields), numpy=numpy)
        self.description: Mapping[str, Any] = self.world.scenario
        self._until = until
        self._stopped: Any = None
        self._tables = _Tables(self.world, numpy)
        self._near: Optional[sim.Near] = None

    def _seen(self, agents: sim.Agents, hash_: str, stopped: Any = None) -> Seen:
        return Seen(LocalFrame(agents, self.world, self._tables), hash_, stopped)

    def first(self) -> Seen:
        return self._seen(self.world.agents(), self.world.hash)

    def begin(self, seed: int) -> Seen:
        self.world.restart(seed)
        return self.first()

    def begin_saved(self, save: Any) -> Seen:
        self.go_back(save)
        return self.first()

    def watch(self, near: Optional[sim.Near]) -> None:
        """Each step is to find these."""
        self._near = near

    def rays(self, _frame: Any, ids: Sequence[int], view: Mapping[str, Any]) -> Any:
        """As ServedWorld.rays."""
        return self.world.rays(ids, **view)

    def prepare(self, requests: Sequence[Dict[str, Any]], vectors: Optional[Vectors], ticks: int) -> None:
        world = self.world
        for request in requests:
            members = dict(request)
            world.ask(members.pop("op"), **members)
        self._stopped = None
        if self._until is None:
            world.prepare(ticks, vectors.addresses if vectors else None, len(vectors.ids) if vectors else 0, self._near)
            return
        if vectors is not None:
            world.ask("drive", agents=vectors.ids, vx=vectors.vx, vy=vectors.vy)
        self._stopped = world.ask("step", count=ticks, until=self._until).get("stopped")
        world.prepare(0, near=self._near)

    def finish(self) -> Seen:
        agents = self.world.finish()
        return self._seen(agents, f"{self.world.own_turn.hash:016x}", self._stopped)

    def step(self, requests: Sequence[Dict[str, Any]], vectors: Optional[Vectors], ticks: int) -> Seen:
        self.prepare(requests, vectors, ticks)
        self.world.take_turn()
        return self.finish()

    def keep(self, name: str) -> Tuple[Any, str]:
        return self.world.clone(), self.world.hash

    def forget(self, save: Any) -> None:
        save.close()

    def go_back(self, save: Any) -> Optional[str]:
        if not isinstance(save, sim.Simulation):
            raise DroverError("no_save", f"no saved world {save!r}; in process a saved world is what `save` returned", "save")
        self.world.copy_from(save)
        return self.world.hash

    def close(self) -> None:
        self.world.close()


class _Tables:
    """The names of kinds and states, as columns refer to them."""

    def __init__(self, world: sim.Simulation, numpy: Optional[bool]) -> None:
        self.columns = backend(numpy)
        self.kinds = tuple(world.kind_names())
        of_kinds = [world.state_names(kind) for kind in range(len(self.kinds))]
        self.states = tuple(dict.fromkeys(name for names in of_kinds for name in names))
        most = max(map(len, of_kinds), default=0)
        self._most = most
        self._place = array.array("H", [self.states.index(names[at]) if at < len(names) else 0 for names in of_kinds for at in range(most)])

    def state_index(self, agents: sim.Agents) -> Any:
        """Numbers of `states`, which all kinds share."""
        numpy = getattr(self.columns, "numpy", None)
        if numpy is not None:
            return numpy.asarray(self._place)[agents.kind.astype("i4") * self._most + agents.state]
        return memoryview(array.array("H", [self._place[kind * self._most + state] for kind, state in zip(agents.kind, agents.state)]))


class LocalFrame:
    """The agents of a moment, with the columns of frames.Frame. `px` has the world's own numbers, as float32; the integers are
    those rounded to hundredths, as a server sends them."""

    def __init__(self, agents: sim.Agents, world: sim.Simulation, tables: _Tables) -> None:
        self.own = agents
        self.tick = world.tick
        self.columns = tables.columns
        self.px = _LocalPx(agents, tables.columns)
        self.scale = 100
        self._tables = tables
        self._hz = world.tick_hz

    def __len__(self) -> int:
        return self.own.count

    def __repr__(self) -> str:
        return f"<LocalFrame tick {self.tick}, {len(self)} agents>"

    @property
    def time(self) -> float:
        return self.tick / self._hz

    @property
    def id(self) -> Any:
        return self.own.id

    @property
    def kind(self) -> Names:
        return Names(self.own.kind, self._tables.kinds, self.columns)

    @property
    def state(self) -> Names:
        return Names(self._tables.state_index(self.own), self._tables.states, self.columns)

    def __getattr__(self, name: str) -> Any:
        if name not in ("x", "y", "vx", "vy", "heading", "stamina"):
            raise AttributeError(f"the frame has no column {name}")
        numpy = getattr(self.columns, "numpy", None)
        values = getattr(self.px, name)
        if numpy is not None:
            column = numpy.rint(values.astype("f8") * 100).astype("i4")
            return column % FULL_TURN if name == "heading" else column
        numbers = [round(value * 100) for value in values]
        return memoryview(array.array("i", [number % FULL_TURN for number in numbers] if name == "heading" else numbers))

    def has_same_agents(self, other: "LocalFrame") -> bool:
        size = 4 * self.own.count
        return size == 4 * other.own.count and self.own.memory[:size] == other.own.memory[:size]


class _LocalPx:
    """px, px/s and degrees."""

    def __init__(self, agents: sim.Agents, columns: Any) -> None:
        self._agents, self._columns = agents, columns

    def __getattr__(self, name: str) -> Any:
        column = getattr(self._agents, name)
        if name == "heading":
            column = self._columns.scaled(column, math.pi / 180)
        return column


def has_same_agents(one: Any, other: Any) -> bool:
    """Whether two frames have the same ids."""
    if isinstance(one, LocalFrame):
        return one.has_same_agents(other)
    return bool(one.key.message["id"] == other.key.message["id"])
