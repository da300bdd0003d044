"""The synchronous client: a thin loop around protocol.Session. No thread: bytes move while a method waits."""

from __future__ import annotations

import select
import socket
import time
from typing import Any, Callable, Dict, Generic, Iterator, List, Literal, Mapping, Optional, TypeVar, cast, overload

from . import runs
from .errors import DroverError
from .frames import AnyFrame, Density, Frame, Snapshot
from .link import Link, Watched, answer_of, answers_of, scenario_of, too_late, tune
from .methods import LaterRequests, SyncRequests
from .mqtt import open_socket
from .ops import DEFAULT_TIMEOUT_S, UNSET, split, warn_of_no_event
from .protocol import LOOK_S, Request

READ_LEAST, READ_MOST = 1 << 14, 1 << 20
F = TypeVar("F")
DRAIN_S = 0.1  # how long one turn reads on while more comes


class Drover(Link, SyncRequests):
    """A connection to a server; see `drover.connect`.

    session    the state of the link (drover.protocol.Session): `greeting`, `scenario`, `subscription`
    server     the process that `drover.serve` started, or None
    """

    _socket: Optional[socket.socket] = None
    _poll: Any = None
    _read_size = READ_LEAST
    _moving_bytes = False  # True across a turn's moves: an exception there leaves the stream in doubt
    _next_attempt = 0.0

    def __enter__(self) -> "Drover":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # --- life

    def open(self, timeout: Any = UNSET) -> "Drover":
        """Connects now, rather than at the first request. One attempt; `drover.connect` calls it."""
        deadline = self._deadline(timeout)
        self._connect(deadline)
        while not self.session.up:
            if self._socket is None:
                raise self._not_opened()
            self._turn(deadline, "no greeting from the server")
        if self.session.shows_token and not self.session.scenario:
            self.ping()  # the description of the world comes before its answer
        return self

    def close(self) -> None:
        """Closes the connection, and ends a server that `drover.serve` started."""
        self.session.close()
        self._drop_socket()
        if self.server is not None:
            self.server.end()

    # --- requests

    def _ask(self, op: str, fields: Mapping[str, Any], timeout: Any = UNSET, reply: bool = True,
             convert: Optional[Callable[[Dict[str, Any]], Any]] = None) -> Any:
        deadline = self._deadline(timeout)
        if self._socket is not None:
            self._look()  # a connection that is known to be gone takes no request with it
        if not self.session.up:
            self._get_up(deadline)
        request = self.session.request(op, fields, reply)
        try:
            self._wait_for(request, deadline)
        except BaseException:
            self.session.abandon(request)
            raise
        if not reply:
            return None
        return answer_of(request, convert, 4)

    @property
    def later(self) -> "Later":
        """The same requests, which are sent now and not waited for: `reply = world.later.spawn("prey", at=600)`, a request
        for tick 600, and `reply.result()` when the world has that tick."""
        return Later(self)

    def pipeline(self, requests: Any, *, timeout: Any = UNSET) -> List[Any]:
        """Sends many requests ({"op": ..., ...} each) at once and waits for all answers: replies in order, with a
        DroverError in the place of a refused one."""
        deadline = self._deadline(timeout)
        self._look()
        if not self.session.up:
            self._get_up(deadline)
        asked = self._queue(requests)
        try:
            for request in asked:
                self._wait_for(request, deadline)
        except BaseException:
            self._abandon(asked)
            raise
        return answers_of(asked)

    def _wait_for(self, request: Request, deadline: Optional[float]) -> None:
        if not request.done or self.session.has_output:
            self._flush()
        while not request.done or (request.id is None and self.session.has_output):
            if self._socket is None:
                self._get_up(deadline)
            else:
                self._turn(deadline, f"no answer to `{request.op}`")

    def pump(self, seconds: float = 0.0) -> None:
        """Reads what comes for so long, for callbacks of a script that does nothing else."""
        end = time.monotonic() + seconds
        while self._socket is not None:
            left = end - time.monotonic()
            self._turn(max(left, 0.0) + time.monotonic(), None)
            if left <= 0:
                return

    # --- frames and events

    @overload
    def watch(self, hz: Optional[float] = ..., fields: Any = ..., *, layout: Literal["packed"] = ..., timeout: Optional[float] = ...,
              **more: Any) -> "Watch[Frame]": ...

    @overload
    def watch(self, hz: Optional[float] = ..., fields: Any = ..., *, layout: Literal["objects"], timeout: Optional[float] = ...,
              **more: Any) -> "Watch[Snapshot]": ...

    @overload
    def watch(self, hz: Optional[float] = ..., fields: Any = ..., *, layout: Literal["density"], timeout: Optional[float] = ...,
              **more: Any) -> "Watch[Density]": ...

    def watch(self, hz: Optional[float] = None, fields: Any = None, *, layout: str = "packed", timeout: Optional[float] = None,
              **more: Any) -> "Watch[Any]":
        """Subscribes, and gives the newest frame each time: `for frame in world.watch(hz=20, fields="pos state")`.

        Frames that came and were not asked for are left out; `frame.missed` counts them. Leaving the loop unsubscribes.
        timeout: s without a frame until DroverError `timeout`; None waits as long as it takes (a paused world has none).
        """
        return Watch(self, {"layout": layout, "hz": hz, "fields": split(fields), **more}, timeout)

    def frame(self, timeout: Optional[float] = None) -> AnyFrame:
        """The next frame of a subscription that `subscribe` made."""
        return self._next_frame(timeout)

    def _next_frame(self, timeout: Optional[float], watch: "Optional[Watch[Any]]" = None) -> AnyFrame:
        deadline = self._deadline(timeout)
        self._look()
        while not self.session.has_frame:
            if watch is not None:
                watch._check()
            if self._socket is None:
                self._get_up(deadline)
            elif not self.session.has_frame:
                self._turn(deadline, "no frame")
        return self._take_frame()

    def events(self, *names: str, timeout: Optional[float] = None) -> Iterator[Dict[str, Any]]:
        """Events as they come, those of these names or all; it subscribes to events when there is no subscription. Ends
        after timeout s without one."""
        warn_of_no_event(names)
        waiting, end = self._keep_events(names)
        try:
            if self.session.subscription is None:
                self.subscribe(layout="events")
            while True:
                deadline = self._deadline(timeout)
                while not waiting:
                    try:
                        if self._socket is None:
                            self._get_up(deadline)
                        else:
                            self._turn(deadline, "no event")
                    except DroverError as error:
                        if error.code == "timeout":
                            return
                        raise
                yield waiting.popleft()
        finally:
            end()

    def run(self, scenario: Optional[str] = None, **options: Any) -> Any:
        """Runs of the world's scenario, or of another one, by the program `drover run`; see drover.run."""
        server = getattr(self.server, "program", None)
        return runs.run(scenario or scenario_of(self.scenario, options), server=server, **options)

    # --- bytes

    def _now(self) -> float:
        return time.monotonic()

    def _connect(self, deadline: Optional[float]) -> None:
        """One attempt. Raises DroverError `unreachable`."""
        self._drop_socket()
        left = None if deadline is None else max(0.001, deadline - time.monotonic())
        try:
            made = socket.create_connection(self.address, left) if self.address[1] else open_socket(self.address[0], left)
        except OSError as error:
            raise self._no_server(error) from None
        tune(made)
        made.setblocking(False)
        self._socket = made
        self._poll = select.poll() if hasattr(select, "poll") else None
        if self._poll is not None:
            self._poll.register(made, select.POLLIN)
        self.session.connected()
        self._moving_bytes = False

    def _get_up(self, deadline: Optional[float]) -> None:
        """Connects again until the session is up, the waiting time between attempts growing from 0.25 to 5 s."""
        while not self.session.up:
            self._dispatch()
            self._check_alive()
            if self._socket is not None:
                self._turn(deadline, "no greeting from the server")
                continue
            if not self.reconnect:
                raise self._stays_lost()
            if self.server is not None and self.server.why_ended():
                raise DroverError("lost", self.server.why_ended())
            wait = max(0.0, self._next_attempt - time.monotonic())
            if deadline is not None and time.monotonic() + wait >= deadline:
                raise self._came_too_late()
            time.sleep(wait)
            try:
                self._connect(deadline)
            except DroverError as error:
                self._why_down = error.message
            self._next_attempt = time.monotonic() + self.session.retry_delay()

    def _lose(self, reason: str) -> None:
        self._drop_socket()
        self._why_down = self.session.lost(reason)
        self._next_attempt = time.monotonic() + self.session.retry_delay()

    def _drop_socket(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = self._poll = None

    def _flush(self) -> None:
        """Sends what the system takes now."""
        session = self.session
        if self._moving_bytes:
            self._lose("an exception came between two moves of bytes")
        if self._socket is None or not session.has_output:
            return
        self._moving_bytes = True
        try:
            session.sent(self._socket.send(session.output()))
        except (BlockingIOError, InterruptedError):
            pass
        except OSError as error:
            self._moving_bytes = False
            self._finish_reading(f"the connection broke ({error})")
            return
        self._moving_bytes = False

    def _finish_reading(self, reason: str) -> None:
        """The server takes no more bytes; what it said before is read all the same."""
        while self._socket is not None and self._read_once():
            pass
        if self._socket is not None:
            self._lose(reason)

    def _look(self) -> None:
        """Reads what is there, without waiting."""
        self._drain()
        if self.session.notices:
            self._dispatch()

    def _turn(self, deadline: Optional[float], what: Optional[str]) -> None:
        """Waits until bytes can be moved and moves them. At the deadline: DroverError `timeout` that says what is missing."""
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0 and what is not None:
            raise too_late(what)
        if self._watches_pace:
            self._keep_pace()
            left = LOOK_S if left is None else min(left, LOOK_S)
        if self._wait_ready(left):
            if self.session.has_output:
                self._flush()
            self._drain()
            self._keep_pace()
        if self.session.notices:
            self._dispatch()

    def _wait_ready(self, left: Optional[float]) -> bool:
        made = self._socket
        if made is None:
            return False
        if self._poll is None:
            ready = select.select([made], [made] if self.session.has_output else [], [], left)
            return bool(ready[0] or ready[1])
        if self.session.has_output:
            self._poll.modify(made, select.POLLIN | select.POLLOUT)
            ready = self._poll.poll(None if left is None else max(0.0, left) * 1000)
            self._poll.modify(made, select.POLLIN)
            return bool(ready)
        return bool(self._poll.poll(None if left is None else max(0.0, left) * 1000))

    def _drain(self) -> None:
        """Reads until nothing is there, for DRAIN_S at most."""
        if not self._read_once():
            return
        end = time.monotonic() + DRAIN_S
        while self._read_once() and time.monotonic() < end:
            pass

    def _read_once(self) -> bool:
        """Reads one piece; False when there is no more now, or the connection is gone."""
        made = self._socket
        if made is None:
            return False
        if self._moving_bytes:
            self._lose("an exception came between two moves of bytes")
            return False
        self._moving_bytes = True
        size = self._read_size
        try:
            data = made.recv(size)
            if data:
                self.session.receive(data)
        except (BlockingIOError, InterruptedError):
            self._moving_bytes = False
            return False
        except OSError as error:
            self._moving_bytes = False
            self._lose(f"the connection broke ({error})")
            return False
        except DroverError as error:
            self._moving_bytes = False
            self._lose(error.message)
            raise
        self._moving_bytes = False
        if not data:
            self._lose("the server closed the connection")
            return False
        full = len(data) == size
        self._read_size = min(size * 4, READ_MOST) if full else max(READ_LEAST, size // 2) if len(data) < size // 8 else size
        return full

    def _dispatch(self) -> None:
        self._listeners.dispatch()


class Pending(Generic[F]):
    """A request that was sent and is not waited for."""

    def __init__(self, world: Drover, request: Request, convert: Callable[[Dict[str, Any]], F]) -> None:
        self._world = world
        self._request = request
        self._convert = convert

    @property
    def done(self) -> bool:
        """Whether the answer is there."""
        if not self._request.done:
            self._world._look()
        return self._request.done

    def result(self, timeout: Any = UNSET) -> F:
        """Waits for the answer, and returns or raises it. After a timeout it can still be waited for."""
        self._world._wait_for(self._request, self._world._deadline(timeout))
        return self._convert(self._request.result())


class Later(LaterRequests):
    """See Drover.later."""

    def __init__(self, world: Drover) -> None:
        self._world = world
        self._numpy = world._numpy

    def _ask(self, op: str, fields: Mapping[str, Any], timeout: Any = UNSET, reply: bool = True,
             convert: Optional[Callable[[Dict[str, Any]], Any]] = None) -> Any:
        world = self._world
        world._look()
        if not world.session.up:
            world._get_up(world._deadline(timeout))
        request = world.session.request(op, fields)
        world._flush()
        return Pending(world, request, convert or (lambda answer: answer))


class Watch(Watched[F]):
    """The frames of a subscription, the newest each time. An iterator; `close()` unsubscribes."""

    def __init__(self, world: Drover, fields: Dict[str, Any], timeout: Optional[float]) -> None:
        super().__init__(world, timeout)
        self._world = world
        self.granted: Mapping[str, Any] = world.subscribe(**fields)
        self._begin()

    def __iter__(self) -> "Watch[F]":
        return self

    def __next__(self) -> F:
        if self._state == "closed":
            raise StopIteration
        self._check()
        return cast("F", self._world._next_frame(self._timeout, self))

    def __enter__(self) -> "Watch[F]":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def connect(address: Any = None, *, timeout: Optional[float] = DEFAULT_TIMEOUT_S, reconnect: bool = True,
            numpy: Optional[bool] = None, **hello: Any) -> Drover:
    """Connects to a server: `with drover.connect("127.0.0.1:7717") as world:`.

    address    host:port, a port or a pair, or mqtt://user:password@host:port/name, a world at a broker (with paho-mqtt); None: $DROVER_SERVER, otherwise 127.0.0.1:7717
    timeout    s that a request may take; DroverError `timeout` after that
    reconnect  connect again when the connection is lost (after 0.25 s, then longer, at most 5 s), and subscribe again.
               A request that was sent and has no answer is never sent again: it fails with `lost`
    numpy      columns in numpy (True), without (False), or with it where it is installed
    hello      members of the request hello: `name`, `token`, `seq`, `speed`; and fixed_hz=True: on a slow link frames come late rather
               than sparsely
    """
    world = Drover(address, timeout=timeout, reconnect=reconnect, numpy=numpy, **hello)
    try:
        return world.open()
    except BaseException:
        world.close()
        raise
