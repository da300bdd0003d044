"""Simulations in the script's own process, by libdrover-sim: no server, no socket.

    import drover.sim
    with drover.sim.Simulation("boids", seed=7) as world:
        world.set_param("boid", "max_speed", 120)
        agents = world.turn(60)
        print(world.tick, world.hash, agents.x[0])

A simulation takes the requests about the world as methods, as a connection does, and is in the same state, to the bit, as a
server's world with the same scenario, seed and requests. The library is called by ctypes: the package stays one for every
Python and machine, without a compiler, and a call gives Python's other threads their turn while the world is stepped.
"""

from __future__ import annotations

import array
import builtins
import ctypes
import ctypes.util
import json
import os
import pathlib
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from .columns import Column, backend, wire_fields
from .errors import DroverError
from .methods import SyncRequests
from .ops import UNSET

VARIABLE = "DROVER_SIM_LIBRARY"
FILE = "libdrover-sim.so.0"
COLUMNS = ("id", "x", "y", "vx", "vy", "heading", "radius", "stamina", "kind", "state")  # in the library's order, a bit each
CODES = {"id": "I", "kind": "H", "state": "H"}  # all else: "f"
USUAL = ("id", "x", "y", "vx", "vy", "kind")
EVENT_NAMES = ("reached", "caught")


class _Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_char * 32), ("field", ctypes.c_char * 128), ("message", ctypes.c_char * 384)]

    def raised(self) -> DroverError:
        code, field, message = (text.decode("utf-8", "replace") for text in (self.code, self.field, self.message))
        return DroverError(code, message, field or None)


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("seed", ctypes.POINTER(ctypes.c_uint64)), ("tick_hz", ctypes.c_double), ("name", ctypes.c_char_p),
                ("threads", ctypes.c_void_p), ("max_agents", ctypes.c_int32)]


class _Near(ctypes.Structure):
    _fields_ = [("ids", ctypes.c_void_p), ("count", ctypes.c_int32), ("most", ctypes.c_int32), ("kinds", ctypes.c_uint64), ("rows", ctypes.c_void_p),
                ("values", ctypes.c_void_p)]


class _RayFan(ctypes.Structure):
    _fields_ = [("ids", ctypes.c_void_p), ("count", ctypes.c_int32), ("number", ctypes.c_uint32), ("range", ctypes.c_float), ("spread", ctypes.c_float),
                ("distances", ctypes.c_void_p)]


class Turn(ctypes.Structure):
    """struct drover_sim_turn."""

    _fields_ = [("sim", ctypes.c_void_p), ("ids", ctypes.c_void_p), ("vx", ctypes.c_void_p), ("vy", ctypes.c_void_p), ("driven", ctypes.c_int32),
                ("ticks", ctypes.c_uint32), ("wanted", ctypes.c_uint), ("room", ctypes.c_int32), ("out", ctypes.c_void_p),
                ("near", ctypes.POINTER(_Near)), ("count", ctypes.c_int32), ("hash", ctypes.c_uint64)]


class _Event(ctypes.Structure):
    _fields_ = [("tick", ctypes.c_uint64), ("type", ctypes.c_int), ("agent", ctypes.c_uint32), ("quarry", ctypes.c_uint32), ("target", ctypes.c_int),
                ("x", ctypes.c_float), ("y", ctypes.c_float)]


_SIM, _TEXT, _INT, _UNSIGNED = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_uint64
# What is used of drover/sim.h: the result, and the arguments.
FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "create": (_SIM, [_TEXT, ctypes.c_size_t, ctypes.POINTER(_Options), ctypes.POINTER(_Error)]),
    "create_from_save": (_SIM, [_TEXT, ctypes.c_size_t, ctypes.POINTER(_Options), ctypes.POINTER(_Error)]),
    "destroy": (None, [_SIM]), "request": (_TEXT, [_SIM, _TEXT]), "last_error": (ctypes.c_int, [_SIM, ctypes.POINTER(_Error)]),
    "tick": (_UNSIGNED, [_SIM]), "tick_hz": (ctypes.c_double, [_SIM]), "hash": (_UNSIGNED, [_SIM]),
    "events": (_INT, [_SIM, ctypes.POINTER(ctypes.POINTER(_Event)), ctypes.POINTER(ctypes.c_uint32)]),
    "columns": (_INT, [_SIM, ctypes.c_uint, ctypes.c_void_p, _INT]), "agent_count": (_INT, [_SIM]), "scenario": (_TEXT, [_SIM]),
    "nearest": (ctypes.c_int, [_SIM, ctypes.POINTER(_Near)]), "turns": (ctypes.c_int, [ctypes.POINTER(Turn), _INT]),
    "rays": (ctypes.c_int, [_SIM, ctypes.POINTER(_RayFan)]), "kind": (_TEXT, [_SIM, ctypes.c_int]), "kind_count": (ctypes.c_int, [_SIM]), "state": (_TEXT, [_SIM, ctypes.c_int, ctypes.c_int]),
    "save": (ctypes.c_void_p, [_SIM, ctypes.POINTER(ctypes.c_size_t)]), "free": (None, [ctypes.c_void_p]),
    "clone": (_SIM, [_SIM]), "copy": (ctypes.c_int, [_SIM, _SIM]),
}


class Library:
    """libdrover-sim, its functions under their names without `drover_sim_`."""

    def __init__(self, path: str) -> None:
        try:
            loaded = ctypes.CDLL(path)
        except OSError as error:
            raise DroverError("sim", f"{path} cannot be loaded ({error})") from None
        self.path = path
        for name, (result, arguments) in FUNCTIONS.items():
            try:
                function = getattr(loaded, "drover_sim_" + name)
            except AttributeError:
                raise DroverError("sim", f"{path} has no drover_sim_{name}; it is older than this package") from None
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    if TYPE_CHECKING:  # what the loop above sets
        def __getattr__(self, name: str) -> Any: ...


_library: Optional[Library] = None


def library() -> Library:
    """The library: that of $DROVER_SIM_LIBRARY, of a build of the source tree that the package lies in, or the installed one.
    DroverError `sim` where there is none."""
    global _library
    if _library is None:
        _library = Library(_find_library())
    return _library


def _find_library() -> str:
    named = os.environ.get(VARIABLE)
    if named:
        if not os.path.isfile(named):
            raise DroverError("sim", f"${VARIABLE} names {named}, which is no file; it is the path of {FILE}")
        return named
    root = pathlib.Path(__file__).resolve().parents[3]
    if (root / "protocol.md").is_file():
        for build in ("release", "relwithdebinfo", "debug"):
            path = root / "build" / build / "lib" / FILE
            if path.is_file():
                return str(path)
    try:
        ctypes.CDLL(FILE)
    except OSError:
        raise DroverError("sim", f"{FILE} was not found; install the Debian package libdrover-sim0, or name its file in ${VARIABLE}") from None
    return FILE


def find_scenario(scenario: str) -> pathlib.Path:
    """The file of a scenario: a path with a slash or .json, or a name, which is looked up where drover-server does, and in
    the source tree that the package lies in."""
    if "/" in scenario or scenario.endswith(".json"):
        return pathlib.Path(scenario)
    data = os.environ.get("XDG_DATA_HOME", "")
    own = pathlib.Path(data) if data.startswith("/") else pathlib.Path.home() / ".local/share"
    root = pathlib.Path(__file__).resolve().parents[3]
    places = [own / "drover/scenarios"] + ([root / "scenarios"] if (root / "protocol.md").is_file() else [])
    places += [pathlib.Path("/usr/local/share/drover/scenarios"), pathlib.Path("/usr/share/drover/scenarios")]
    for place in places:
        path = place / f"{scenario}.json"
        if path.is_file():
            return path
    raise DroverError("no_scenario", f"no scenario {scenario!r} in {', '.join(map(str, places))}", "scenario")


def _read(scenario: Union[str, Mapping[str, Any]]) -> Tuple[str, bytes]:
    if isinstance(scenario, Mapping):
        return "scenario", json.dumps(scenario).encode()
    path = find_scenario(str(scenario))
    try:
        return path.stem, path.read_bytes()
    except OSError as error:
        raise DroverError("no_scenario", f"{path} cannot be read ({error.strerror})", "scenario") from None


class Agents:
    """The agents of a moment, a column each, in ascending order of ids: `id`, `kind`, `state` (numbers), `x`, `y` (px), `vx`,
    `vy` (px/s), `heading` (radians), `radius`, `stamina`. Columns are numpy arrays, or memoryviews without numpy, of the
    memory that the library wrote them to, which is this object's: they stay as they are when the simulation goes on."""

    def __init__(self, memory: bytearray, count: int, room: int, wanted: int, numpy: Any) -> None:
        self.memory, self.count, self.room, self.wanted = memory, count, room, wanted
        self._numpy = numpy

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"<Agents {self.count}: {', '.join(name for at, name in enumerate(COLUMNS) if self.wanted >> at & 1)}>"

    def __getattr__(self, name: str) -> Column:
        if name not in COLUMNS:
            raise AttributeError(name)
        at = COLUMNS.index(name)
        if not self.wanted >> at & 1:
            raise AttributeError(f"there is no column {name} here; name it in `columns`")
        offset = _row_bytes(self.wanted & ((1 << at) - 1)) * self.room
        code = CODES.get(name, "f")
        if self._numpy is not None:
            column = self._numpy.frombuffer(self.memory, "u2" if code == "H" else "u4" if code == "I" else "f4", self.count, offset)
        else:
            column = memoryview(self.memory)[offset:offset + self.count * (2 if code == "H" else 4)].cast(code)
        setattr(self, name, column)
        return column


def _row_bytes(wanted: int) -> int:
    return 4 * bin(wanted & 0xff).count("1") + 2 * bin(wanted >> 8).count("1")


def _bits(columns: Union[str, Sequence[str]]) -> int:
    names = columns.split() if isinstance(columns, str) else columns
    for name in names:
        if name not in COLUMNS:
            raise ValueError(f"no column {name!r}; there are {', '.join(COLUMNS)}")
    return sum(1 << at for at, name in enumerate(COLUMNS) if name in names)


def address_of(buffer: Any) -> int:
    """Where the memory of a writable buffer begins; 0 when it is empty."""
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer)) if len(buffer) else 0


class Event(NamedTuple):
    """name: "reached" or "caught"; quarry: an id, of "caught"; target: a number, and x, y: px, of "reached"."""

    tick: int
    name: str
    agent: int
    quarry: Optional[int]
    target: Optional[int]
    x: float
    y: float


class Simulation(SyncRequests):
    """A world. Requests about it are methods, as those of `drover.connect`, and take effect at once; what needs a server,
    its clock or its files is refused with `unknown_op`. Used by one thread at a time; different ones are independent.

    columns    what `agents` and `turn` give: a name or several of sim.COLUMNS
    """

    def __init__(self, scenario: Union[str, Mapping[str, Any]], *, seed: Optional[int] = None, tick_hz: float = 0.0, max_agents: int = 0,
                 columns: Union[str, Sequence[str]] = USUAL, numpy: Optional[bool] = None, save: Optional[bytes] = None) -> None:
        """scenario   a name, the path of a file, or what such a file says, as a dict
        seed, tick_hz   None, 0: the scenario's
        max_agents   that the world may have; 0: 1048576
        save       what `save` gave, here or in a file of a server: the world begins with it, and `scenario` is not read
        """
        self._library = library()
        self._handle: Optional[int] = None
        self._numpy = numpy
        self.numpy_module = getattr(backend(numpy), "numpy", None)
        self._wanted = _bits(columns)
        self._text = _read(scenario) if save is None else ("scenario", save)
        self._options = {"tick_hz": tick_hz, "max_agents": max_agents, "is_save": save is not None}
        self.own_turn = Turn()
        self._memory = bytearray()
        self.restart(seed)

    def restart(self, seed: Optional[int] = None) -> None:
        """Restarts the world, at its tick 0, with another seed perhaps; None: the scenario's."""
        name, text = self._text
        if seed is not None and not 0 <= seed < 1 << 64:
            raise ValueError(f"the seed is {seed}; allowed: 0 to {(1 << 64) - 1}")
        options = _Options(ctypes.sizeof(_Options), None if seed is None else ctypes.pointer(ctypes.c_uint64(seed)), self._options["tick_hz"],
                           name.encode(), None, self._options["max_agents"])
        error = _Error()
        create = self._library.create_from_save if self._options["is_save"] else self._library.create
        made = create(text, len(text), ctypes.byref(options), ctypes.byref(error))
        if not made:
            raise error.raised()
        self.close()
        self._handle = made

    # --- life

    def close(self) -> None:
        """Ends the simulation and gives its memory back. Columns of it stay."""
        if self._handle:
            self._library.destroy(self._handle)
        self._handle = None

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def handle(self) -> int:
        """The struct drover_sim, for functions of the library; DroverError `closed` after `close`."""
        if not self._handle:
            raise DroverError("closed", "the simulation was closed")
        return self._handle

    # --- requests

    def _ask(self, op: str, fields: Mapping[str, Any], timeout: Any = UNSET, reply: bool = True,
             convert: Optional[Callable[[Dict[str, Any]], Any]] = None) -> Any:
        line = json.dumps({**wire_fields(fields), "op": op, "id": 0}, separators=(",", ":"))
        answer = json.loads(self._library.request(self.handle, line.encode()))
        if answer["op"] == "error":
            raise DroverError.from_line(answer)
        return answer if convert is None else convert(answer)

    # --- what there is

    @property
    def tick(self) -> int:
        return int(self._library.tick(self.handle))

    @property
    def tick_hz(self) -> float:
        return float(self._library.tick_hz(self.handle))

    @property
    def hash(self) -> str:
        """Of the state, 16 digits as in replies of a server. Costs as much as a look at every agent."""
        return f"{self._library.hash(self.handle):016x}"

    @property
    def scenario(self) -> Dict[str, Any]:
        """The description of the world as it is now: the message `scenario` of protocol.md."""
        found: Dict[str, Any] = json.loads(self._library.scenario(self.handle))
        return found

    def kind_names(self) -> List[str]:
        return [self._library.kind(self.handle, kind).decode() for kind in range(self._library.kind_count(self.handle))]

    def state_names(self, kind: int) -> List[str]:
        """The states of the kind of this number."""
        names: List[str] = []
        while self._library.state(self.handle, kind, len(names)):
            names.append(self._library.state(self.handle, kind, len(names)).decode())
        return names

    def agents(self, columns: Optional[Union[str, Sequence[str]]] = None) -> Agents:
        """The agents as they are now."""
        return self._look(self._wanted if columns is None else _bits(columns))

    def _look(self, wanted: int) -> Agents:
        room = self._library.agent_count(self.handle)
        memory = bytearray(_row_bytes(wanted) * room)
        self._library.columns(self.handle, wanted, address_of(memory), room)
        return Agents(memory, room, room, wanted, self.numpy_module)

    def events(self) -> List[Event]:
        """What happened in the last turn or step."""
        first = ctypes.POINTER(_Event)()
        count = self._library.events(self.handle, ctypes.byref(first), None)
        return [Event(e.tick, EVENT_NAMES[e.type], e.agent, e.quarry or None, None if e.target < 0 else e.target, e.x, e.y) for e in first[:count]]

    # --- time

    def turn(self, ticks: int = 1, ids: Any = None, vx: Any = None, vy: Any = None) -> Agents:
        """Drives the agents of these ids, does the ticks, and looks: one call of the library.

        ids      u32, and vx, vy  f32: buffers of one length (array.array("I"), numpy.float32 ...), which are not copied here;
                 None: no agent is driven
        """
        if ids is None:
            self.prepare(ticks)
        else:
            given = [memoryview(column) for column in (ids, vx, vy)]
            for name, view, code in zip(("ids", "vx", "vy"), given, "Iff"):
                if view.format != code or view.ndim != 1 or not view.c_contiguous or len(view) != len(given[0]):
                    raise ValueError(f"{name} has the format {view.format!r} and the shape {view.shape}; expected {code!r} and ({len(given[0])},)")
            held = [(ctypes.c_char * view.nbytes).from_buffer(view) if not view.readonly else ctypes.create_string_buffer(view.tobytes(), view.nbytes)
                    for view in given]
            self.prepare(ticks, tuple(ctypes.addressof(one) for one in held), len(given[0]))
        self.take_turn()
        return self.finish()

    def take_turn(self) -> None:
        self._library.turns(ctypes.byref(self.own_turn), 1)

    def prepare(self, ticks: int, vectors: Optional[Tuple[int, ...]] = None, driven: int = 0, near: Optional["Near"] = None) -> None:
        """Fills `own_turn`, which the library's function `turns` takes, with many others perhaps. vectors: addresses of ids, vx, vy."""
        turn, handle = self.own_turn, self.handle
        room = self._library.agent_count(handle)
        self._memory = bytearray(_row_bytes(self._wanted) * room)
        turn.sim, turn.driven, turn.ticks, turn.wanted, turn.room, turn.out = handle, driven, ticks, self._wanted, room, address_of(self._memory)
        if vectors is not None:
            turn.ids, turn.vx, turn.vy = vectors
        turn.near = None if near is None else near.asked

    def finish(self) -> Agents:
        """The agents after the turn; DroverError when its vectors were refused."""
        turn = self.own_turn
        if turn.count < 0:
            error = _Error()
            self._library.last_error(self.handle, ctypes.byref(error))
            raise error.raised()
        if turn.count > turn.room:
            return self._look(self._wanted)
        memory, self._memory = self._memory, bytearray()
        return Agents(memory, turn.count, turn.room, self._wanted, self.numpy_module)

    def nearest(self, ids: Sequence[int], count: int = 4, kinds: Optional[Sequence[str]] = None) -> Any:
        """The rows of the nearest `count` (1 to 32) others of each of these agents, of these kinds or all: the nearest first, of
        two as near the lower row; -1 where there are no more. A row for each id: a table in numpy, or lists."""
        near = Near(self, ids, count, kinds)
        near.ask(self)
        return near.rows()

    def rays(self, ids: Sequence[int], number: int, range: float, spread: float = 360.0) -> Any:  # pylint: disable=redefined-builtin
        """How far `number` (1 to 64) rays of each of these agents go until they meet a solid, `range` px at most; 0 for an agent that is not there.
        They are spread evenly over `spread` degrees around its heading; with 360 the first one is ahead. A row for each id: a table in numpy (float32),
        or lists. The numbers are those of a server's `get` with `rays`."""
        asked = array.array("I", ids)
        distances = bytearray(4 * number * len(asked))
        fan = _RayFan(asked.buffer_info()[0], len(asked), number, range, spread, address_of(distances))
        if self._library.rays(self.handle, ctypes.byref(fan)) != 0:
            raise ValueError(f"{number} rays of {range:g} px over {spread:g} degrees; allowed: 1 to 64, 1 to 10000 px, 0 to 360 degrees")
        if self.numpy_module is not None:
            return self.numpy_module.frombuffer(distances, "f4").reshape(-1, number)
        numbers = memoryview(distances).cast("f")
        return [numbers[at:at + number].tolist() for at in builtins.range(0, len(numbers), number)]

    # --- keeping

    def save(self, *_: Any, **__: Any) -> bytes:  # type: ignore[override]
        """The whole world, for Simulation(..., save=...) and for the saves of a server."""
        length = ctypes.c_size_t()
        text = self._library.save(self.handle, ctypes.byref(length))
        if not text:
            raise DroverError("busy", "out of memory")
        try:
            return ctypes.string_at(text, length.value)
        finally:
            self._library.free(text)

    def clone(self) -> "Simulation":
        """A further simulation that is as this one."""
        made: Simulation = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._handle = self._library.clone(self.handle)
        made.own_turn, made._memory = Turn(), bytearray()
        if not made._handle:
            raise DroverError("busy", "out of memory")
        return made

    def copy_from(self, other: "Simulation") -> None:
        """Makes this simulation as the other one is, of which it is a clone, or the other way about: for going back. Quick."""
        if self._library.copy(self.handle, other.handle) != 0:
            raise ValueError("the two simulations are of different scenarios, or memory is short")


class Near:
    """What is asked of a turn, or of `ask`, about the nearest others of some agents; `rows` and `values` after it."""

    def __init__(self, world: Simulation, ids: Sequence[int], count: int, kinds: Optional[Sequence[str]]) -> None:
        if not 1 <= count <= 32:
            raise ValueError(f"the nearest {count} are asked for; allowed: 1 to 32")
        names = world.kind_names()
        for name in kinds or ():
            if name not in names:
                raise DroverError("no_kind", f"no kind {name!r}; this scenario has {', '.join(names)}", "kinds")
        self.count = count
        self.width = 4 + 4 * count
        self._ids = array.array("I", ids)
        self._rows = array.array("i", bytes(4 * count * len(self._ids)))
        self._values = bytearray(4 * self.width * len(self._ids))
        self._numpy = world.numpy_module
        mask = (1 << len(names)) - 1 if kinds is None else sum(1 << at for at, name in enumerate(names) if name in kinds)
        self._asked = _Near(self._ids.buffer_info()[0], len(self._ids), count, mask, self._rows.buffer_info()[0], address_of(self._values))
        self.asked = ctypes.pointer(self._asked)

    def ask(self, world: Simulation) -> None:
        """Of the world as it is now."""
        if library().nearest(world.handle, self.asked) != 0:
            raise DroverError("busy", "out of memory")

    def rows(self) -> Any:
        """A copy of the rows: a table in numpy, or lists."""
        if self._numpy is not None:
            return self._numpy.array(self._rows, dtype="i4").reshape(-1, self.count)
        return [self._rows[at:at + self.count].tolist() for at in range(0, len(self._rows), self.count)]

    def values(self) -> Any:
        """Of each agent x, y, vx, vy, and dx, dy, dvx, dvy of each of its nearest; 0 where there is none. A table in numpy, or lists."""
        if self._numpy is not None:
            return self._numpy.frombuffer(bytes(self._values), "f4").reshape(-1, self.width)
        numbers = memoryview(self._values).cast("f")
        return [numbers[at:at + self.width].tolist() for at in range(0, len(numbers), self.width)]
