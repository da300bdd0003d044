"""Frames: the state of the world at a tick, decoded when a column is read."""

from __future__ import annotations

import json
import struct
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Set, Tuple, Union

from .columns import Backend, Column, Names, backend, decoded
from .errors import nonsense

# Entries of the columns of a key (protocol.md, "key, delta").
KEY_CODES = {"id": "I", "kind": "B", "state": "H", "x": "i", "y": "i", "vx": "i", "vy": "i", "heading": "H", "stamina": "i"}
DIFFERENCES = ("x", "y", "vx", "vy", "heading", "stamina")
PAIRS = ("desired", "steering", "twin")
NO_TWIN = -2**31
FIELD_OF = {"x": "pos", "y": "pos", "vx": "vel", "vy": "vel", "steering": "force"}


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


DECODE = json.JSONDecoder(parse_constant=_no_constant).decode


def parse(line: Union[bytes, str]) -> Dict[str, Any]:
    """A line of the server as a dict; an error with the code `protocol` when it is none."""
    try:
        message = DECODE(line if isinstance(line, str) else line.decode())
    except (ValueError, RecursionError, MemoryError) as error:
        raise nonsense(f"a line is not JSON ({error})") from None
    if not isinstance(message, dict) or not isinstance(message.get("op"), str):
        raise nonsense("a line is no object with an op")
    return message



def _count(message: Mapping[str, Any]) -> int:
    count = message.get("n")
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= 1 << 32:
        raise nonsense("a frame has no number of agents")
    return count


class Key:
    """The whole values that deltas refer to. message: the line as it came; before: the key that it changes, if it does."""

    def __init__(self, message: Dict[str, Any], columns: Backend, before: Optional["Key"] = None) -> None:
        self.message = message
        self.columns = columns
        self.count = _count(message)
        self.number = message.get("key")
        self.checked: Set[str] = set()  # columns whose every index has a name
        self._columns: Dict[str, Column] = {}
        if "from" in message:
            self._change(before)

    def _change(self, before: Optional["Key"]) -> None:
        """The agents of the key before but those that are gone, and those that came, by id."""
        message, came = self.message, self.count
        if before is None or message["from"] != before.number:
            raise nonsense("a change does not belong to the key before it")
        gone = set(self.columns.column(decoded(message.get("gone", ""), "I"), "I").tolist())
        if gone and max(gone) >= before.count:
            raise nonsense("a change removes an agent that is not there")
        names = [name for name in KEY_CODES if name in message]
        if names != [name for name in KEY_CODES if name in before.message]:
            raise nonsense("a change has other columns than the key before it")
        new = {name: self.column(name).tolist() for name in names}
        old = {name: before.column(name).tolist() for name in names}
        rows = [(old["id"][i], old, i) for i in range(before.count) if i not in gone]
        rows += [(new["id"][i], new, i) for i in range(came)]
        rows.sort(key=lambda row: int(row[0]))
        for name in names:
            code = KEY_CODES[name]
            values = struct.pack(f"<{len(rows)}{code}", *(columns[name][i] for _, columns, i in rows))
            self._columns[name] = self.columns.column(values, code)
        self.count = len(rows)

    def column(self, name: str) -> Column:
        found = self._columns.get(name)
        if found is None:
            code = KEY_CODES[name]
            found = self.columns.column(decoded(self.message[name], code, self.count), code)
            self._columns[name] = found
        return found

    def names(self, name: str) -> Tuple[str, ...]:
        names = self.message.get(name + "s")
        if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
            raise nonsense(f"a key has no {name}s")
        return tuple(names)


class Px:
    """The columns of a frame in px, px/s and degrees, as floating point numbers: `frame.px.x`."""

    __slots__ = ("_frame",)

    def __init__(self, frame: "Frame") -> None:
        self._frame = frame

    def __getattr__(self, name: str) -> Column:
        frame = self._frame
        if name in DIFFERENCES:
            return frame.columns.scaled(getattr(frame, name), frame.scale)
        raise AttributeError(name)


class _Moment:
    """What every frame has. message: the line as it came, unknown members included."""

    def __init__(self, message: Dict[str, Any], missed: int = 0) -> None:
        self.message = message
        self.missed = missed  # frames that were left out since the frame before: by the server, and here

    @property
    def tick(self) -> int:
        return int(self._number("tick"))

    @property
    def time(self) -> float:
        return float(self._number("time"))

    @property
    def clock(self) -> float:
        return float(self._number("clock"))

    @property
    def one_in(self) -> int:
        """Of so many agents of the view the frame has one (subscribe with `most`): 1 when it has all."""
        return int(self._number("one_in", 1))

    @property
    def of(self) -> Optional[int]:
        """How many agents the view has in all, where the frame says it (subscribe with `most`)."""
        return int(self._number("of")) if "of" in self.message else None

    @property
    def targets(self) -> Dict[str, Tuple[float, float]]:
        try:
            return {target["name"]: (target["x"], target["y"]) for target in self.message.get("targets", ())}
        except (TypeError, KeyError):
            raise nonsense("the targets of a frame are none") from None

    def _number(self, name: str, otherwise: int = 0) -> float:
        value = self.message.get(name, otherwise)
        if not isinstance(value, (int, float)):
            raise nonsense(f"the {name} of a frame is no number")
        return value


class Frame(_Moment):
    """Agents in columns, in ascending order of their ids.

    `id`, `kind`, `state`, `x`, `y`, `vx`, `vy`, `heading`, `stamina` have an entry for each agent; lengths, speeds and
    angles are integers, hundredths of px, px/s and degrees (`px` has them as floating point numbers). `desired` and
    `steering` are pairs, and so is `twin`: where the agents' twins are, -2147483648 for none (subscribe with twins=True). Columns are numpy arrays, or memoryviews where numpy is not installed. `kind` and `state` compare
    with a name: `frame.x[frame.kind == "prey"]`.
    """

    id: Column
    kind: Names
    state: Names
    x: Column
    y: Column
    vx: Column
    vy: Column
    heading: Column
    stamina: Column
    desired: Column
    steering: Column
    twin: Column
    nearest: Optional[Column] = None  # of a reply to a request with `nearest`: rows, as protocol.md says under get; -1: none
    rays: Optional[Column] = None  # of a reply to a request with `rays`: px, as many of each agent as were asked for

    def __init__(self, message: Dict[str, Any], key: Key, missed: int = 0) -> None:
        super().__init__(message, missed)
        if message is not key.message and (message.get("key") != key.number or _count(message) != key.count):
            raise nonsense("a delta does not belong to the key before it")
        self.key = key
        self.columns = key.columns
        self.px = Px(self)
        self._columns: Dict[str, Any] = {}

    def __len__(self) -> int:
        return self.key.count

    def __repr__(self) -> str:
        return f"<Frame tick {self.tick}, {len(self)} agents>"

    if not TYPE_CHECKING:  # which knows the columns from above
        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name not in KEY_CODES and name not in PAIRS:
                raise AttributeError(name)
            found = self._columns.get(name)
            if found is None:
                found = self._columns[name] = self._decode(name)
            return found

    @property
    def scale(self) -> int:
        """Units per px."""
        scale = self.key.message.get("scale", 100)
        if not isinstance(scale, int) or scale < 1:
            raise nonsense("the scale of a key is no number of units")
        return scale

    @property
    def names(self) -> Tuple[str, ...]:
        """The columns that this frame has."""
        message, key = self.message, self.key.message
        return tuple([name for name in KEY_CODES if name in key] + [name for name in PAIRS if name in message])

    def _decode(self, name: str) -> Any:
        message, key, count = self.message, self.key, self.key.count
        if name in PAIRS:
            if name not in message:
                raise self._without(name)
            return self.columns.pairs(self.columns.column(decoded(message[name], "i", 2 * count), "i"))
        if name not in key.message:
            raise self._without(name)
        base = key.column(name)
        if message is not key.message:
            base = self._changed(name, base)
        if name not in ("kind", "state"):
            return base
        if base is not key.column(name) or name not in key.checked:
            self._check(base, name)
        return Names(base, key.names(name), self.columns)

    def _changed(self, name: str, base: Column) -> Column:
        message, count = self.message, self.key.count
        text, far_text = message.get(name), message.get(name + "_far")
        if (text is None or name not in DIFFERENCES) and far_text is None:
            return base
        difference = far = None
        if text is not None and name in DIFFERENCES:
            difference = self.columns.column(decoded(text, "h", count), "h")
        if far_text is not None:
            far = self.columns.column(decoded(far_text, "i"), "i")
            indexes = far[::2]
            if len(far) % 2 or (len(far) and not 0 <= min_of(indexes) <= max_of(indexes) < count):
                raise nonsense(f"{name}_far names an agent that is not there")
        return self.columns.plus(base, difference, far, name == "heading")

    def _check(self, column: Column, name: str) -> None:
        """Refuses a column of indexes unless each has a name."""
        if len(column) and not 0 <= min_of(column) <= max_of(column) < len(self.key.names(name)):
            raise nonsense(f"the column {name} refers to a name that is not there")
        if column is self.key.column(name):
            self.key.checked.add(name)

    @staticmethod
    def _without(name: str) -> AttributeError:
        return AttributeError(f"the frame has no column {name}; ask for it with the field {FIELD_OF.get(name, name)!r}")

    def agents(self) -> List[Dict[str, Any]]:
        """One dict for each agent, as in the layout objects: px and degrees, names of kinds and states."""
        lists: Dict[str, List[Any]] = {}
        for name in self.names:
            values = getattr(self, name)
            if name in DIFFERENCES:
                lists[name] = [value / self.scale for value in values.tolist()]
            elif name in PAIRS:
                lists[name] = [[x / self.scale, y / self.scale] if x != NO_TWIN else None for x, y in _rows(values)]
            else:
                lists[name] = list(values) if isinstance(values, Names) else values.tolist()
        return [dict(zip(lists, row)) for row in zip(*lists.values())]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, one row for each agent. pandas must have been imported."""
        if "pandas" not in sys.modules:
            raise ImportError("import pandas first; this package does not need it")
        return sys.modules["pandas"].DataFrame.from_records(self.agents(), columns=self.names)


def _rows(values: Any) -> Any:
    return values.tolist() if hasattr(values, "tolist") else values


def min_of(column: Column) -> int:
    return int(column.min()) if hasattr(column, "min") else int(min(column))


def max_of(column: Column) -> int:
    return int(column.max()) if hasattr(column, "max") else int(max(column))


class Snapshot(_Moment):
    """A frame of the layout objects: agents as dicts, as they came."""

    @property
    def agents(self) -> List[Dict[str, Any]]:
        agents = self.message.get("agents", [])
        if not isinstance(agents, list):
            raise nonsense("a snapshot has no agents")
        return agents

    def __len__(self) -> int:
        return len(self.agents)

    def __repr__(self) -> str:
        return f"<Snapshot tick {self.tick}, {len(self)} agents>"


class Density(_Moment):
    """A frame of the layout density: for each cell, row by row, `count`, and `vx`, `vy` in hundredths of px/s. With by_kind=True
    `by_kind` has the count of each kind, with mean_speed=True `mean_speed` their mean speed in hundredths of px/s."""

    def __init__(self, message: Dict[str, Any], columns: Backend, missed: int = 0) -> None:
        super().__init__(message, missed)
        grid = message.get("grid")
        if not isinstance(grid, list) or len(grid) != 2 or not all(isinstance(size, int) for size in grid):
            raise nonsense("a density has no grid")
        self.columns = columns
        self.grid: Tuple[int, int] = (grid[0], grid[1])

    def __len__(self) -> int:
        return self.grid[0] * self.grid[1]

    def __repr__(self) -> str:
        return f"<Density tick {self.tick}, {self.grid[0]} x {self.grid[1]} cells>"

    def _column(self, name: str, code: str) -> Column:
        return self.columns.column(decoded(self.message.get(name), code, len(self)), code)

    @property
    def count(self) -> Column:
        return self._column("count", "I")

    @property
    def vx(self) -> Column:
        return self._column("vx", "i")

    @property
    def vy(self) -> Column:
        return self._column("vy", "i")

    @property
    def mean_speed(self) -> Column:
        return self._column("mean_speed", "I")

    @property
    def by_kind(self) -> Dict[str, Column]:
        kinds = self.message.get("by_kind")
        if not isinstance(kinds, dict):
            raise nonsense("a density has no by_kind")
        return {kind: self.columns.column(decoded(text, "I", len(self)), "I") for kind, text in kinds.items()}


AnyFrame = Union[Frame, Snapshot, Density]


def of_message(message: Dict[str, Any], key: Optional[Key], columns: Backend, missed: int = 0) -> AnyFrame:
    """The frame of a line snapshot, delta or density."""
    op = message["op"]
    if op == "snapshot":
        return Snapshot(message, missed)
    if op == "density":
        return Density(message, columns, missed)
    if key is None:
        raise nonsense("a delta came without its key")
    return Frame(message, key, missed)


def of_reply(reply: Mapping[str, Any], numpy: Optional[bool] = None) -> Optional[AnyFrame]:
    """The frame that a reply of `get` or `step` carries, which may have a key of its own; None when it has none."""
    message = reply.get("frame")
    if not isinstance(message, dict):
        return None
    if not isinstance(message.get("op"), str):
        raise nonsense("the frame of a reply has no op")
    columns, key = backend(numpy), reply.get("key")
    frame = of_message(message, Key(key, columns) if isinstance(key, dict) else None, columns)
    if isinstance(frame, Frame) and "nearest" in reply:
        frame.nearest = columns.column(decoded(reply["nearest"], "i"), "i")
    if isinstance(frame, Frame) and "rays" in reply:
        frame.rays = columns.column(decoded(reply["rays"], "f"), "f")
    return frame
