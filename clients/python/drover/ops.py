"""The requests as methods with the wire's names, shared by the synchronous and the asynchronous client.

Which members a request has is the server's business: they are passed on as they are, and `fields()` asks the server
for them. methods.pyi, which tools/make_types.py prints from protocol.schema.json, has them for type checkers and editors.
"""

from __future__ import annotations

import difflib
import warnings
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple

from .columns import wire_fields
from .errors import DroverError, DroverWarning
from .frames import of_reply

# The requests of version 1, and the members that may be given by position.
POSITIONAL: Dict[str, Tuple[str, ...]] = {
    "subscribe": (), "unsubscribe": (), "set_region": ("region",), "resync": (), "set_target": (), "mouse": ("x", "y"), "spawn": ("kind",),
    "remove": ("agents",), "set_param": ("kind", "param", "value"), "get_params": ("kind",), "list": ("what",), "inspect": ("agents",),
    "pause": (), "resume": (), "step": ("count",), "load": ("scenario",), "save": ("name",), "remove_save": ("name",), "record": (),
    "rewind": ("seconds",), "mark": ("name",), "compare": (), "look": ("tick",), "seat": ("name",), "go": ("tick",), "leave": (), "seek": ("tick",), "speed": ("factor",), "ping": ("t0",), "bye": (), "hello": (), "cursor": ("x", "y"), "stats": (),
    "help": ("about",), "add_target": ("name", "x", "y"), "remove_target": ("name",), "add_obstacle": (),
    "move_obstacle": ("obstacle", "x", "y"), "set_obstacle": ("obstacle", "closed"), "remove_obstacle": ("obstacle",), "batch": ("requests",), "get": (), "measure": ("names",), "place": (), "drive": (), "export": ("what",), "edit": ("patch",),
}
OPS = tuple(POSITIONAL)
HELLO = ("name", "token", "seq", "speed")
EVENTS = ("aim", "caught", "compare_begun", "compare_ended", "crossed", "cursor", "cursor_gone", "differs", "diverged", "driven", "edited", "entered", "flow_field", "lag", "left", "loaded", "look_ended", "not_reloaded", "obstacle_added", "obstacle_moved", "obstacle_removed", "obstacle_set",
          "overload", "param", "paused", "placed", "reached", "recording_ended", "recording_started", "reloading", "removed", "restarted", "resumed", "resumed_from", "rewound",
          "save_removed", "saved", "seat_timeout", "spawned", "speed", "stepped", "stepping", "target", "target_added", "target_removed", "unheeded", "unknown",
          "waiting", "warmed_up", "withdrawn")
NOTICES = ("event", "scenario", "cursors", "error", "bye", "link", "line", "other")
DEFAULT_TIMEOUT_S = 10.0
UNSET: Any = object()


class Param(NamedTuple):
    """A number that can be tuned while the world runs."""

    kind: str
    param: str
    value: float
    min: float
    max: float
    unit: str
    help: str
    integer: bool


class Field(NamedTuple):
    """A member of a request, as the server describes it. more: what else it says."""

    name: str
    type: str
    required: bool
    help: str
    more: Mapping[str, Any]


class Step(NamedTuple):
    """What a step came to: `tick, hash_ = world.step(60)`. hash is None when the last tick was given up."""

    tick: int
    hash: Optional[str]


class StepResult(Step):
    """A Step with the whole `reply`, and the `frame` of a step with `return_`."""

    reply: Mapping[str, Any]
    frame: Any

    @property
    def stopped(self) -> Any:
        return self.reply.get("stopped", False)


def step_result(reply: Mapping[str, Any], numpy: Optional[bool] = None) -> StepResult:
    result = StepResult(reply["tick"], reply.get("hash"))
    result.reply = reply
    result.frame = of_reply(reply, numpy)
    return result


class Seat:
    """A seat in lock step, which `world.seat` takes: `with world.seat("left", of=2) as seat:`, and `seat.go()` in it. Its end leaves the seat.

    name, number   what it is called; which one it is, in the order of names, as it was taken
    reply          the reply to the request
    tick           the world's, as of the last `go`; after a DroverError `late` set it to `error.reply["tick"]`
    """

    def __init__(self, world: "Requests", reply: Mapping[str, Any]) -> None:
        self._world = world
        self.reply = reply
        self.name: str = reply["name"]
        self.number: int = reply["seat"]
        self.tick: int = reply["tick"]

    def __enter__(self) -> "Seat":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        try:
            self._world._ask("leave", {})
        except DroverError:  # the connection may be what failed, and the seat is free then
            if kind is None:
                raise

    async def __aenter__(self) -> "Seat":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self._world._ask("leave", {})

    def go(self, count: int = 1, *, timeout: Any = None, **fields: Any) -> Any:
        """Lets the world do ticks, with the requests that were sent since the last one, and waits until all other seats have gone for
        them: `tick, hash_ = seat.go()`, a StepResult. Send those requests by `world.later`, or with `reply=False`: they are answered
        only now. `hash=True` asks for the hash, `return_="packed"` for a frame. timeout, s: how long to wait; None: any time."""
        return self._world._ask("go", {"tick": self.tick, "count": count, **_split_fields(fields)}, timeout, True, self._gone)

    def _gone(self, reply: Mapping[str, Any]) -> StepResult:
        self.tick = reply["tick"]
        return step_result(reply, self._world._numpy)


def params_of(reply: Mapping[str, Any], kind: Optional[str]) -> Dict[str, Any]:
    """Params by name; without a kind, by kind and name."""
    by_kind: Dict[str, Dict[str, Param]] = {}
    for row in reply["params"]:
        param = Param(row["kind"], row["param"], row["value"], row["min"], row["max"], row["unit"], row["help"], bool(row.get("integer", False)))
        by_kind.setdefault(param.kind, {})[param.param] = param
    return dict(by_kind) if kind is None else dict(by_kind[kind]) if kind in by_kind else {}


def fields_of(reply: Mapping[str, Any]) -> Dict[str, Field]:
    """Fields by name, from a reply of help about one op."""
    rows = reply["ops"][0].get("fields", [])
    return {row["name"]: Field(row["name"], row.get("type", ""), bool(row.get("required")), row.get("help", ""), row) for row in rows}


def warn_of_unknown(op: str, reply: Mapping[str, Any], stacklevel: int) -> None:
    unknown = reply.get("unknown")
    if unknown and isinstance(unknown, list):
        hint = reply.get("hint")
        names = ", ".join(map(str, unknown))
        warnings.warn(f"{op} was done without {names}, which the server does not know" + (f"; {hint}" if hint else ""),
                      DroverWarning, stacklevel=stacklevel)


def nearest_hint(name: str, names: Iterable[str]) -> str:
    """`; did you mean "caught"?`, or nothing when no name is near."""
    near = difflib.get_close_matches(name, list(names), 1)
    return f'; did you mean "{near[0]}"?' if near else ""


def check_options(function: str, given: Mapping[str, Any], others: Tuple[str, ...]) -> None:
    """TypeError for an option that is neither one of the function's own nor a member of hello."""
    for name in given:
        if name not in HELLO:
            raise TypeError(f"{function} has no option {name}{nearest_hint(name, others + HELLO)}")


def warn_of_no_event(names: Iterable[str], others: Tuple[str, ...] = ()) -> None:
    """Warns of a name that no event has, where the caller of the calling method stands."""
    for name in names:
        if name not in EVENTS and name not in others:
            warnings.warn(f"no event has the name {name!r}{nearest_hint(name, EVENTS + others)}", DroverWarning, stacklevel=3)


def split(names: Any) -> Any:
    """Names in a list or, "pos vel", in a text."""
    return names.split() if isinstance(names, str) else names


class Requests:
    """Methods for the requests. `_ask` of the client sends one and returns its reply (or an awaitable of it).

    Each takes the members of its request by name, and besides: `timeout`, s (None: any time), and `reply=False` for a
    request without an id, which is not waited for and of which only errors are answered.
    """

    _numpy: Optional[bool] = None

    def _ask(self, op: str, fields: Mapping[str, Any], timeout: Any = UNSET, reply: bool = True,
             convert: Optional[Callable[[Dict[str, Any]], Any]] = None) -> Any:
        raise NotImplementedError

    def ask(self, op: str, *, timeout: Any = UNSET, reply: bool = True, **fields: Any) -> Any:
        """Any request, also one that this version of the package does not know."""
        return self._ask(op, fields, timeout, reply)

    def step(self, count: Optional[int] = None, *, timeout: Any = UNSET, reply: bool = True, **fields: Any) -> Any:
        """Does ticks of a paused world: `tick, hash_ = world.step(60)`."""
        numpy = self._numpy
        return self._ask("step", {"count": count, **_split_fields(fields)}, timeout, reply, lambda answer: step_result(answer, numpy))

    def seat(self, name: str, *, timeout: Any = UNSET, reply: bool = True, **fields: Any) -> Any:
        """Takes a seat in lock step, a Seat: `with world.seat("left", of=2, wait_ms=1000) as seat:`."""
        return self._ask("seat", {"name": name, **fields}, timeout, reply, lambda answer: Seat(self, answer))

    def params(self, kind: Optional[str] = None, *, timeout: Any = UNSET) -> Any:
        """Params by name; without a kind, by kind and name."""
        return self._ask("get_params", {"kind": kind}, timeout, True, lambda answer: params_of(answer, kind))

    def fields(self, op: str, *, timeout: Any = UNSET) -> Any:
        """The members that a request takes, by name, in the server's words."""
        return self._ask("help", {"about": op}, timeout, True, fields_of)

    def snapshot(self, fields: Any = None, *, layout: str = "packed", timeout: Any = UNSET, **more: Any) -> Any:
        """A frame of the present tick, without a subscription."""
        numpy = self._numpy
        return self._ask("get", {"layout": layout, "fields": split(fields), **more}, timeout, True, lambda answer: of_reply(answer, numpy))


def _members(op: str, positional: Tuple[str, ...], values: Tuple[Any, ...], fields: Dict[str, Any]) -> Dict[str, Any]:
    """The members of a request, those that were given by position under their names."""
    if len(values) > len(positional):
        raise TypeError(f"{op} takes {len(positional)} members by position ({', '.join(positional) or 'none'}), {len(values)} were given")
    for name, value in zip(positional, values):
        if name == "agents" and not hasattr(value, "__len__"):
            name = "agent"
        elif name == "agents" and isinstance(value, str):
            name = "kind"
        if name in fields:
            raise TypeError(f"{op}: {name} was given twice")
        fields[name] = value
    return _split_fields(fields)


def _split_fields(fields: Dict[str, Any]) -> Dict[str, Any]:
    """The members of a request; `fields` may be a text, as in watch."""
    return {**fields, "fields": split(fields["fields"])} if "fields" in fields else fields


def _method(op: str, positional: Tuple[str, ...]) -> Callable[..., Any]:
    def method(self: Requests, *values: Any, timeout: Any = UNSET, reply: bool = True, **fields: Any) -> Any:
        return self._ask(op, _members(op, positional, values, fields), timeout, reply)

    method.__name__ = op
    method.__qualname__ = f"Requests.{op}"
    method.__doc__ = f"Sends the request `{op}`; world.fields({op!r}) asks the server for its members."
    return method


class Batch:
    """Collects requests for `world.batch(...)`: `requests = Batch(); requests.spawn(kind="prey"); world.batch(requests)`."""

    def __init__(self) -> None:
        self.requests: List[Dict[str, Any]] = []

    def add(self, op: str, **fields: Any) -> "Batch":
        self.requests.append({"op": op, **wire_fields(fields)})
        return self

    def __len__(self) -> int:
        return len(self.requests)

    def __iter__(self) -> Any:
        return iter(self.requests)

    def __getitem__(self, at: int) -> Dict[str, Any]:
        return self.requests[at]


def _batch_method(op: str, positional: Tuple[str, ...]) -> Callable[..., Any]:
    def method(self: Batch, *values: Any, **fields: Any) -> Batch:
        return self.add(op, **_members(op, positional, values, fields))

    method.__name__ = op
    method.__qualname__ = f"Batch.{op}"
    method.__doc__ = f"Adds the request `{op}`."
    return method


for _op, _positional in POSITIONAL.items():
    setattr(Batch, _op, _batch_method(_op, _positional))
    if _op not in Requests.__dict__:
        setattr(Requests, _op, _method(_op, _positional))
