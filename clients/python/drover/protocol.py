"""The client's side of the protocol without any input or output: bytes in, events out.

A Session lives as long as the client; connections come and go below it. Its user moves the bytes:

    session.connected()                      a connection is there
    session.receive(data)                    bytes came
    data = session.output()                  bytes to send; session.sent(count) says how many the system took
    session.lost(reason)                     the connection is gone

and asks with `session.request(op, fields)`, whose Request is done when the answer is there. What else came waits in
`session.notices`, the newest frame in `session.take_frame()`. Nothing in here blocks, waits or reads a clock.
"""

from __future__ import annotations

import json
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Mapping, Optional, Tuple, Union

from .columns import Backend, backend, wire_fields
from .errors import DroverError, nonsense
from .frames import AnyFrame, Key, of_message, parse
from .pace import Pace

PROTOCOL = 1
LINE_LIMIT = 1 << 30  # bytes; a longer line is refused instead of kept
RETRY_FIRST_S = 0.25
RETRY_MOST_S = 5.0
USUAL_HZ = 30.0  # of a subscription that names none
PING_MS, AWAY_MS = 250.0, 200.0
LOOK_S = 0.1  # at a ping that waits for its answer
NOTICE_LIMIT = 65536  # notices that wait; the oldest go first
FRAME_OPS = ("snapshot", "key", "delta", "density")
CHANGE_BYTES = 100  # of a key, within which it says from which one it is a change
FRAME_STARTS = {b'{"op":"%s",' % op.encode(): op for op in FRAME_OPS}
ANY_FRAME_START = tuple(FRAME_STARTS)
ENCODE = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
FINAL_REASONS = ("auth", "protocol")  # of bye: connecting again would end alike

Line = Union[bytes, Dict[str, Any]]
Notice = Tuple[str, Any]


class LineReader:
    """Bytes to lines, in time proportional to the bytes."""

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._parts: List[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> List[bytes]:
        """The lines that these bytes complete, without their newlines; empty lines are left out."""
        if b"\n" not in data:
            self._keep(data)
            return []
        first, *rest = data.split(b"\n")
        if self._parts:
            self._parts.append(first)
            first = b"".join(self._parts)
            self._parts, self._size = [], 0
        tail = rest.pop()
        if tail:
            self._keep(tail)
        return [line for line in (first, *rest) if line.strip()]

    def _keep(self, data: bytes) -> None:
        self._parts.append(data)
        self._size += len(data)
        if self._size > self._limit:
            raise nonsense(f"a line is longer than {self._limit} bytes")


class Request:
    """One request: `done` when its answer came or it failed; then `reply`, or `error`."""

    __slots__ = ("op", "fields", "id", "line", "start", "done", "reply", "error", "callback", "own")

    def __init__(self, op: str, fields: Mapping[str, Any], id_: Any, line: bytes, own: bool) -> None:
        self.op = op
        self.fields = fields
        self.id = id_
        self.line = line
        self.start = -1  # the first of its bytes on this connection; -1 before it is queued
        self.done = False
        self.reply: Optional[Dict[str, Any]] = None
        self.error: Optional[DroverError] = None
        self.callback: Optional[Callable[["Request"], None]] = None
        self.own = own  # the session's own: hello and subscribe after a reconnect, pings and subscribe on a slow link

    def finish(self, reply: Optional[Dict[str, Any]], error: Optional[DroverError] = None) -> None:
        self.done, self.reply, self.error = True, reply, error
        if self.callback is not None:
            self.callback(self)

    def result(self) -> Dict[str, Any]:
        if self.error is not None:
            raise self.error
        assert self.reply is not None
        return self.reply


class Session:
    """See the head of this file. state: `down`, `greeting`, `opening`, `up` or `closed`.

    hello_fields: members of the request hello that each connection begins with (name, token, ...); none: no hello.
    numpy: True, False, or None for numpy where it is installed.
    """

    def __init__(self, hello_fields: Optional[Mapping[str, Any]] = None, numpy: Optional[bool] = None) -> None:
        self.state = "down"
        self.greeting: Dict[str, Any] = {}  # the first line of the connection
        self.scenario: Dict[str, Any] = {}  # the world's description, the newest
        self.fatal: Optional[DroverError] = None  # why connecting again is useless
        self.refusal: Optional[DroverError] = None  # a bye in place of the greeting
        self.retry_s: Optional[float] = None  # the server's own wish
        self.notices: Deque[Notice] = deque(maxlen=NOTICE_LIMIT)
        self.tap = False  # every line as a notice `line`
        self.subscription: Optional[Dict[str, Any]] = None  # what a new connection subscribes with
        self.connections = 0
        self.fixed_hz = False  # fewer frames are never asked for
        self._numpy = numpy
        self._backend: Optional[Backend] = None
        self._hello_fields = dict(wire_fields(hello_fields or {}))
        self._next_id = 1
        self._failures = 0
        self._reset()

    @property
    def shows_token(self) -> bool:
        """Whether the server describes the world only after its answer to our hello."""
        return "token" in self._hello_fields

    def _reset(self) -> None:
        self._reader = LineReader()
        self._out = bytearray()
        self._sent = 0  # bytes that the system took on this connection
        self._queued = 0
        self._pending: Dict[Any, Request] = {}
        self._waiting: Deque[Request] = getattr(self, "_waiting", deque())  # for the connection to be up
        self._key: Optional[Key] = None
        self._key_lines: List[Line] = []  # a key and its changes, each of which counts on the one before
        self._frame: Optional[Tuple[str, Line, List[Line]]] = None  # op, delta or whole frame, its key
        self._frame_missed = 0
        self._missed = 0
        self._frames_wanted = False
        self._parting: Optional[str] = None
        self._pace = Pace()
        self._asked_hz: Optional[float] = None  # of the subscription, as the server was asked last; None: by the caller
        self._ping: Optional[Request] = None  # it waits for its answer
        self._ping_ms = self._ping_due_ms = self._looked_ms = self._away_ms = 0.0

    # --- the connection

    @property
    def up(self) -> bool:
        return self.state == "up"

    def connected(self) -> None:
        """A connection is there; the server speaks first."""
        self._reset()
        self.retry_s = self.refusal = None
        self.state = "greeting"

    def receive(self, data: bytes) -> None:
        """Bytes came. Raises DroverError `protocol` when they are not a server's; the connection is of no use then."""
        for line in self._reader.feed(data):
            self._line(line)

    def output(self) -> bytes:
        """The bytes that wait to be sent."""
        return bytes(self._out)

    @property
    def has_output(self) -> bool:
        return bool(self._out)

    def sent(self, count: int) -> None:
        """The system took so many of the bytes."""
        del self._out[:count]
        self._sent += count

    def lost(self, reason: str) -> str:
        """The connection is gone. What was sent and has no answer fails with `lost`; the rest waits for the next one.
        Returns the reason, in the server's words if it gave one."""
        if self.state in ("down", "closed"):
            return reason
        was_up = self.state == "up"
        self.state = "down"
        if self._parting is not None:
            reason = self._parting
        pending, sent = list(self._pending.values()), self._sent
        gone = [request for request in pending if not request.own and request.start < sent]
        unsent = [request for request in pending if not request.own and request.start >= sent]
        waiting = self._waiting
        self._reset()
        self._failures += 1
        if gone:
            # A request that follows a lost one may depend on it.
            gone, unsent = gone + unsent + list(waiting), []
            waiting.clear()
        for request in reversed(unsent):
            waiting.appendleft(request)
        for request in gone:
            request.finish(None, DroverError("lost", f"{reason}; `{request.op}` may or may not have taken effect"))
        if was_up or gone:
            self.notices.append(("link", {"up": False, "reason": reason, "lost": len(gone)}))
        return reason

    def retry_delay(self) -> float:
        """Seconds to wait before the next attempt to connect."""
        if self.retry_s is not None:
            return min(max(self.retry_s, RETRY_FIRST_S), 60.0)
        return min(RETRY_FIRST_S * 2.0 ** max(0, min(self._failures, 16) - 1), RETRY_MOST_S)

    def failed_to_connect(self) -> None:
        self._failures += 1

    def close(self, reason: str = "the client was closed") -> None:
        """No further connection; all that waits fails with `closed`."""
        if self.state == "closed":
            return
        self.state = "closed"
        left = list(self._pending.values()) + list(self._waiting)
        self._waiting.clear()
        self._reset()
        for request in left:
            request.finish(None, self.fatal or DroverError("closed", f"{reason}; `{request.op}` has no answer"))

    # --- requests

    def request(self, op: str, fields: Optional[Mapping[str, Any]] = None, reply: bool = True) -> Request:
        """Queues a request. With reply=False it has no id: only its errors are answered, as notices."""
        made = self._make(op, wire_fields(fields or {}), reply)
        if self.state == "closed":
            made.finish(None, self.fatal or DroverError("closed", "the client was closed"))
        elif self.state == "up":
            self._queue(made)
        else:
            self._waiting.append(made)
        return made

    def abandon(self, request: Request) -> None:
        """The answer is not awaited any more. A request that was not sent yet will not be."""
        if request in self._waiting:
            self._waiting.remove(request)
        elif self._pending.get(request.id) is request:
            del self._pending[request.id]

    def _make(self, op: str, fields: Mapping[str, Any], reply: bool, own: bool = False) -> Request:
        members: Dict[str, Any] = {"op": op, **fields}
        if reply and "id" not in members:
            members["id"] = self._next_id
            self._next_id += 1
        elif not reply:
            members.pop("id", None)
        line = ENCODE(members).encode() + b"\n"
        return Request(op, fields, members.get("id"), line, own)

    def _queue(self, request: Request) -> None:
        if request.op in ("subscribe", "unsubscribe") and not (request.own and self.up):
            self._frames_wanted = False  # until the reply: frames on the way are those of the subscription before
            self._drop_frames()
            if request.op == "unsubscribe":
                self.subscription = None
        request.start = self._queued
        self._queued += len(request.line)
        self._out += request.line
        if request.id is None:
            request.finish({})
        else:
            self._pending[request.id] = request

    # --- slow links

    @property
    def watches_pace(self) -> bool:
        """Whether `keep_pace` is to be called every LOOK_S at least."""
        return self.up and not self.fixed_hz and self._frames_wanted and self.subscription is not None and self.subscription.get("layout") != "events"

    @property
    def paced_hz(self) -> Optional[float]:
        """Frames a second that are asked for in place of the subscription's, because the link is slow; None: as many as the caller asked for."""
        return self._asked_hz

    def keep_pace(self, now_ms: float) -> None:
        """Looks at pings, and subscribes with fewer or more frames (pace.py). now_ms: of a clock that never falls."""
        if now_ms - self._looked_ms > AWAY_MS:
            self._away_ms = now_ms  # pings from before tell about the caller, not about the link
        self._looked_ms = now_ms
        if not self.watches_pace or self.subscription is None:
            return
        wish = float(self.subscription.get("hz") or USUAL_HZ)
        if self._ping is not None and self._ping_ms >= self._away_ms:
            self._pace.ping(wish, now_ms, now_ms - self._ping_ms, self._ping.done)
        if self._ping is not None and self._ping.done:
            self._ping = None
        if self._ping is None and now_ms >= self._ping_due_ms:
            self._ping, self._ping_ms, self._ping_due_ms = self._make("ping", {}, True, own=True), now_ms, now_ms + PING_MS
            self._queue(self._ping)
        self._pace_subscription(wish)

    def _pace_subscription(self, wish: float) -> None:
        hz = self._pace.hz(wish)
        if hz == (wish if self._asked_hz is None else self._asked_hz) or any(
                request.op in ("subscribe", "unsubscribe", "set_region") for request in self._pending.values()):
            return
        self._asked_hz = None if hz == wish else hz
        self._queue(self._make("subscribe", {**(self.subscription or {}), "hz": hz}, True, own=True))

    # --- lines

    def _line(self, line: bytes) -> None:
        if self.tap:
            self.notices.append(("line", line))
        if line.startswith(ANY_FRAME_START) and self.state in ("opening", "up"):
            self._frame_line(FRAME_STARTS[line[:line.index(b",") + 1]], line)
            return
        message = parse(line)
        op = message["op"]
        if self.state == "greeting":
            self._first_line(op, message)
        elif op in ("reply", "error"):
            self._answer(op, message)
        elif op in FRAME_OPS:
            self._frame_line(op, message)
        elif op == "event":
            self._event(message)
        elif op == "bye":
            self._bye(message)
        else:
            if op == "scenario":
                self.scenario = message
            self.notices.append((op if op in ("scenario", "cursors") else "other", message))

    def _first_line(self, op: str, message: Dict[str, Any]) -> None:
        if op == "bye":
            self._bye(message)
            self.refusal = DroverError(str(message.get("reason")), str(message.get("message", self._parting)), reply=message)
            return
        if op != "hello":
            raise nonsense("the first line is no hello")
        version = message.get("protocol")
        if version != PROTOCOL:
            self.fatal = DroverError("version", f"the server speaks version {version} of the protocol, this client version "
                                     f"{PROTOCOL}; install the drover-sim that came with the server")
            raise self.fatal
        self.greeting = message
        if isinstance(message.get("scenario"), dict):
            self.scenario = message["scenario"]
        self.state = "opening"
        if self._hello_fields:
            self._queue(self._make("hello", self._hello_fields, True, own=True))
        else:
            self._opened()

    def _opened(self) -> None:
        """The session has its role; subscribe again, or be up."""
        if self.subscription is not None:
            self._queue(self._make("subscribe", self.subscription, True, own=True))
        else:
            self._is_up()

    def _is_up(self, refused: Optional[DroverError] = None) -> None:
        self.state = "up"
        self._failures = 0
        self.connections += 1
        notice = {"up": True, "again": self.connections > 1, "hello": self.greeting, "subscribed": self.subscription is not None}
        if refused is not None:
            notice["refused"] = refused
        self.notices.append(("link", notice))
        while self._waiting:
            self._queue(self._waiting.popleft())

    def _answer(self, op: str, message: Dict[str, Any]) -> None:
        id_ = message.get("id")
        request = self._pending.pop(id_, None) if isinstance(id_, (int, str)) else None
        error = DroverError.from_line(message) if op == "error" else None
        if request is None:
            if error is not None and id_ is None:
                self.notices.append(("error", error))
            return
        if request.own:
            self._own_answer(request, message, error)
            return
        if error is None:
            self._remember(request, message)
        request.finish(None if error else message, error)

    def _own_answer(self, request: Request, message: Dict[str, Any], error: Optional[DroverError]) -> None:
        if request.op == "hello":
            if error is not None:
                self.fatal = error
                raise error
            self.greeting = {**self.greeting, **{name: message[name] for name in ("role", "tick", "time", "paused") if name in message}}
            self._opened()
            return
        request.finish(None if error else message, error)
        if self.up:
            return  # a ping, or the same subscription with fewer or more frames
        if error is not None:
            self.subscription = None
        else:
            self._frames_wanted = True
        self._is_up(error)

    def _remember(self, request: Request, message: Dict[str, Any]) -> None:
        """What a further connection has to ask for again."""
        if request.op == "subscribe":
            self.subscription = {name: value for name, value in request.fields.items() if name != "id"}
            self._asked_hz = None
            self._frames_wanted = True
        elif request.op == "set_region" and self.subscription is not None:
            self.subscription.pop("region", None)
            if "region" in request.fields:
                self.subscription["region"] = request.fields["region"]
        elif request.op == "hello":
            self._hello_fields = {name: value for name, value in request.fields.items() if name != "id"}

    def _event(self, message: Dict[str, Any]) -> None:
        if message.get("event") == "lag":
            skipped = message.get("skipped")
            if isinstance(skipped, int):
                self._missed += skipped
        self.notices.append(("event", message))

    def _bye(self, message: Dict[str, Any]) -> None:
        reason = str(message.get("reason", "no reason"))
        said = f"the server said bye ({reason}): {message.get('message', '')}".rstrip(": ")
        if reason in FINAL_REASONS:
            self.fatal = DroverError(reason, str(message.get("message", said)), reply=message)
        retry_s = message.get("retry_s")
        if isinstance(retry_s, (int, float)):
            self.retry_s = float(retry_s)
        self._parting = said
        self.notices.append(("bye", message))

    # --- frames

    def _frame_line(self, op: str, line: Line) -> None:
        if not self._frames_wanted:
            return
        if op == "key":
            is_change = b'"from":' in line[:CHANGE_BYTES] if isinstance(line, bytes) else "from" in line
            self._key_lines = (self._key_lines + [line]) if is_change and self._key_lines else [line]
            return
        self._pace.frames += 1
        if self._frame is not None:
            self._frame_missed += 1
        self._frame = (op, line, self._key_lines)

    def _drop_frames(self) -> None:
        self._frame = self._key = None
        self._key_lines = []
        self._frame_missed = self._missed = 0

    @property
    def has_frame(self) -> bool:
        return self._frame is not None

    def take_frame(self) -> Optional[AnyFrame]:
        """The newest frame, once; None when there is none."""
        if self._frame is None:
            return None
        op, line, key_lines = self._frame
        missed = self._frame_missed + self._missed
        self._frame, self._frame_missed, self._missed = None, 0, 0
        if self._backend is None:
            self._backend = backend(self._numpy)
        if op == "delta" and key_lines and (self._key is None or self._key_from is not key_lines[-1]):
            known = [i for i, key_line in enumerate(key_lines) if self._key is not None and self._key_from is key_line]
            for key_line in key_lines[known[0] + 1 if known else 0:]:
                message = parse(key_line) if isinstance(key_line, bytes) else key_line
                self._key, self._key_from = Key(message, self._backend, self._key), key_line
            if key_lines is self._key_lines:
                self._key_lines = [key_lines[-1]]
        return of_message(parse(line) if isinstance(line, bytes) else line, self._key, self._backend, missed)

    _key_from: Optional[Line] = None
