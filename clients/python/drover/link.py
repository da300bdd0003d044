"""What the synchronous and the asynchronous client are alike in: all but how bytes move and how one waits for them."""

from __future__ import annotations

import socket
from collections import deque
from typing import Any, Callable, Deque, Dict, Generic, List, Mapping, Optional, Tuple, TypeVar

from .address import parse_address, show_address
from .errors import DroverError
from .frames import AnyFrame
from .listeners import Listeners
from .ops import DEFAULT_TIMEOUT_S, NOTICES, UNSET, warn_of_no_event, warn_of_unknown
from .protocol import Request, Session

EVENTS_MOST = 65536  # that wait for a loop over events; the oldest go first
F = TypeVar("F")


class Link:
    """The state of a client's link. A client moves the bytes: `_now`, `_flush`, `_lose`."""

    def __init__(self, address: Any = None, *, timeout: Optional[float] = DEFAULT_TIMEOUT_S, reconnect: bool = True,
                 numpy: Optional[bool] = None, server: Any = None, fixed_hz: bool = False, **hello: Any) -> None:
        self.address: Tuple[str, int] = parse_address(address)
        self.timeout = timeout
        self.reconnect = reconnect
        self.server = server
        self.session = Session(hello, numpy)
        self.session.fixed_hz = fixed_hz or self.address[1] == 0  # a broker's frames have one rate
        self._numpy = numpy
        self._listeners = Listeners(self.session)
        self._watched: Any = None  # the mark of the Watch whose subscription it is; the Watch itself ends when its loop does
        self._why_down = "the connection is gone"

    def __repr__(self) -> str:
        return f"<Drover {show_address(self.address)} {self.session.state}>"

    @property
    def greeting(self) -> Dict[str, Any]:
        """The first line of the present connection."""
        return self.session.greeting

    @property
    def scenario(self) -> Dict[str, Any]:
        """The description of the world, the newest that came."""
        return self.session.scenario

    @property
    def paced_hz(self) -> Optional[float]:
        """Frames a second that are asked for in place of the subscription's, because the link is slow and they would come late; None: as many as it says."""
        return self.session.paced_hz

    def on(self, what: str, callback: Callable[[Any], Any]) -> Callable[[], None]:
        """Calls back with each `event` or event of a name ("caught"), `scenario`, `cursors`, `error` (of requests without
        an id), `bye`, `link` (the connection went or came back), `line` (all of them, as bytes). Callbacks come while a
        method waits, and may be coroutine functions for asyncio. Returns a function that ends it."""
        warn_of_no_event((what,), NOTICES)
        return self._listeners.add(what, callback)

    # --- what a client brings

    def _now(self) -> float:
        """The time of its clock, s."""
        raise NotImplementedError

    def _flush(self) -> None:
        """Sends what the system takes now."""
        raise NotImplementedError

    def _lose(self, reason: str) -> None:
        """The connection is of no use."""
        raise NotImplementedError

    @property
    def _watches_pace(self) -> bool:
        """Whether a loop over frames is there, whose pace is to be looked at every LOOK_S at least."""
        return self._watched is not None and self.session.watches_pace

    def _keep_pace(self) -> None:
        if self._watches_pace:
            self.session.keep_pace(1000.0 * self._now())
            if self.session.has_output:
                self._flush()

    # --- requests and answers

    def _deadline(self, timeout: Any) -> Optional[float]:
        seconds = self.timeout if timeout is UNSET else timeout
        return None if seconds is None else self._now() + seconds

    def _queue(self, requests: Any) -> List[Request]:
        """Requests of a pipeline, {"op": ..., ...} each."""
        asked = []
        for members in requests:
            fields = dict(members)
            asked.append(self.session.request(fields.pop("op"), fields))
        return asked

    def _abandon(self, requests: List[Request]) -> None:
        for request in requests:
            self.session.abandon(request)

    def _take_frame(self) -> AnyFrame:
        try:
            frame = self.session.take_frame()
        except DroverError as error:
            self._lose(error.message)
            raise
        assert frame is not None
        return frame

    def _keep_events(self, names: Tuple[str, ...]) -> Tuple[Deque[Dict[str, Any]], Callable[[], None]]:
        """Where events of these names, or all, wait from now on, and what ends it."""
        waiting: Deque[Dict[str, Any]] = deque(maxlen=EVENTS_MOST)
        return waiting, self._listeners.add("event", lambda event: waiting.append(event) if not names or event.get("event") in names else None)

    # --- why there is no connection

    def _check_alive(self) -> None:
        """Raises when no further connection will come."""
        if self.session.fatal is not None:
            raise self.session.fatal
        if self.session.state == "closed":
            raise DroverError("closed", "the client was closed")

    def _not_opened(self) -> DroverError:
        return self.session.fatal or self.session.refusal or DroverError("unreachable", self._why_down)

    def _no_server(self, error: BaseException) -> DroverError:
        """An attempt to connect ended with this error."""
        self.session.failed_to_connect()
        ended = "" if self.server is None else self.server.why_ended()
        return DroverError("unreachable", ended or f"no {'server' if self.address[1] else 'broker'} at {show_address(self.address)} ({error})")

    def _stays_lost(self) -> DroverError:
        return DroverError("lost", f"{self._why_down}; this client does not reconnect")

    def _came_too_late(self) -> DroverError:
        return DroverError("unreachable", f"{self._why_down}, and no server came back in time")


def answer_of(request: Request, convert: Optional[Callable[[Dict[str, Any]], Any]], stacklevel: int) -> Any:
    """What a request that was waited for returns; so many calls above, warnings are of concern."""
    answer = request.result()
    if "unknown" in answer:
        warn_of_unknown(request.op, answer, stacklevel + 1)
    return answer if convert is None else convert(answer)


def answers_of(requests: List[Request]) -> List[Any]:
    """Replies in order, with a DroverError in the place of a refused one."""
    return [request.reply if request.error is None else request.error for request in requests]


def too_late(what: str) -> DroverError:
    return DroverError("timeout", f"{what} in time; what was sent may still take effect")


class Watched(Generic[F]):
    """The subscription behind a loop over frames."""

    def __init__(self, world: Link, timeout: Optional[float]) -> None:
        self._link = world
        self._timeout = timeout
        self._mark = object()
        self._state = "new"  # then `open`, `closed`

    def _begin(self) -> None:
        self._state, self._link._watched = "open", self._mark

    def _check(self) -> None:
        """Raises when no further frame will come: neither those of another subscription, nor without one, are what was watched."""
        if self._link._watched is not self._mark or self._link.session.up and self._link.session.subscription is None:
            self._state = "closed"
            raise DroverError("replaced", "another subscription, or the end of this one, took the place of what was watched")

    def close(self) -> None:
        """Unsubscribes, without waiting for the reply."""
        was, self._state = self._state, "closed"
        link = self._link
        if was != "open" or link._watched is not self._mark:
            return
        link._watched = None
        if link.session.up:
            link.session.abandon(link.session.request("unsubscribe"))
            link._flush()
        else:
            link.session.subscription = None

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # pylint: disable=broad-except  # the interpreter may be at its end, the loop closed
            pass


def scenario_of(scenario: Mapping[str, Any], options: Mapping[str, Any]) -> Optional[str]:
    """The name of the world's scenario, unless a saved world is what runs begin with."""
    return None if options.get("from_") else str(scenario.get("name"))


def tune(made: socket.socket) -> None:
    """Sends small requests at once, and finds out about a server that is gone without a word."""
    if made.family not in (socket.AF_INET, socket.AF_INET6):
        return  # between us and a thread of ours
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 15), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3), ("TCP_USER_TIMEOUT", 45000)):
        if hasattr(socket, name):
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
