"""The asynchronous client: the same as `drover.connect` and `drover.serve`, with `async with`, `await` and `async for`."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Callable, Coroutine, Dict, List, Literal, Mapping, Optional, Sequence, Set, TypeVar, cast, overload

from . import runs
from .errors import DroverError
from .frames import AnyFrame, Density, Frame, Snapshot
from .link import Link, Watched, answer_of, answers_of, scenario_of, too_late, tune
from .methods import AsyncRequests
from .mqtt import open_socket
from .ops import DEFAULT_TIMEOUT_S, UNSET, check_options, split, warn_of_no_event
from .protocol import LOOK_S, Request
from .serving import START_S, ServerProcess


F = TypeVar("F")


class _Wire(asyncio.Protocol):
    """Bytes between a transport and the session."""

    def __init__(self, world: "Drover") -> None:
        self._world = world
        self.transport: Optional[asyncio.Transport] = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        made = transport.get_extra_info("socket")
        if made is not None:
            tune(made)
        self.transport = transport
        self._world._connected(self)

    def data_received(self, data: bytes) -> None:
        self._world._received(self, data)

    def connection_lost(self, error: Optional[Exception]) -> None:
        self._world._lost(self, f"the connection broke ({error})" if error else "the server closed the connection")


class Drover(Link, AsyncRequests):
    """A connection to a server; see `connect`. The methods are those of drover.Drover, to be awaited."""

    def __init__(self, address: Any = None, *, timeout: Optional[float] = DEFAULT_TIMEOUT_S, reconnect: bool = True,
                 numpy: Optional[bool] = None, server: Any = None, **hello: Any) -> None:
        super().__init__(address, timeout=timeout, reconnect=reconnect, numpy=numpy, server=server, **hello)
        self._wire: Optional[_Wire] = None
        self._waiters: Set["asyncio.Future[None]"] = set()  # for whatever comes
        self._connecting: Optional["asyncio.Task[None]"] = None
        self._tasks: Set["asyncio.Task[Any]"] = set()  # of callbacks

    async def __aenter__(self) -> "Drover":
        return await self.open()

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    # --- life

    async def open(self, timeout: Any = UNSET) -> "Drover":
        """Connects now, with one attempt. `async with` calls it."""
        if self.session.up:
            return self
        deadline = self._deadline(timeout)
        try:
            await self._attempt(deadline)
            while not self.session.up:
                if self._wire is None:
                    raise self._not_opened()
                await self._something(deadline, "no greeting from the server")
            if self.session.shows_token and not self.session.scenario:
                await self.ping()  # the description of the world comes before its answer
        except BaseException:
            await self.close()
            raise
        return self

    async def close(self) -> None:
        """Closes the connection, and ends a server that `serve` started."""
        self.session.close()
        if self._connecting is not None:
            self._connecting.cancel()
        self._drop()
        self._wake()
        await asyncio.sleep(0)
        if self.server is not None:
            self.server.end()

    # --- requests

    def _ask(self, op: str, fields: Mapping[str, Any], timeout: Any = UNSET, reply: bool = True,
             convert: Optional[Callable[[Dict[str, Any]], Any]] = None) -> Coroutine[Any, Any, Any]:
        return self._asked(op, fields, timeout, reply, convert)

    async def _asked(self, op: str, fields: Mapping[str, Any], timeout: Any, reply: bool,
                     convert: Optional[Callable[[Dict[str, Any]], Any]]) -> Any:
        deadline = self._deadline(timeout)
        self._must_be_alive()
        request = self.session.request(op, fields, reply)
        self._flush()
        await self._wait_for(request, deadline)
        if not reply:
            return None
        return answer_of(request, convert, 3)  # _asked is awaited, not called by the method

    async def _wait_for(self, request: Request, deadline: Optional[float]) -> None:
        if request.done:
            return
        loop = asyncio.get_running_loop()
        future: "asyncio.Future[None]" = loop.create_future()
        request.callback = lambda _: None if future.done() else future.set_result(None)
        try:
            left = None if deadline is None else max(0.0, deadline - loop.time())
            await asyncio.wait_for(future, left)
        except asyncio.TimeoutError:
            if request.start < 0:
                raise self._came_too_late() from None
            raise too_late(f"no answer to `{request.op}`") from None
        finally:
            self.session.abandon(request)

    async def pipeline(self, requests: Any, *, timeout: Any = UNSET) -> List[Any]:
        """Sends many requests ({"op": ..., ...} each) at once: replies in order, with a DroverError in the place of a
        refused one."""
        deadline = self._deadline(timeout)
        self._must_be_alive()
        asked = self._queue(requests)
        self._flush()
        try:
            for request in asked:
                await self._wait_for(request, deadline)
        finally:
            self._abandon(asked)
        return answers_of(asked)

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
        """`async for frame in world.watch(hz=20)`: the newest frame each time; see drover.Drover.watch."""
        return Watch(self, {"layout": layout, "hz": hz, "fields": split(fields), **more}, timeout)

    async def frame(self, timeout: Optional[float] = None) -> AnyFrame:
        """The next frame of a subscription that `subscribe` made."""
        return await self._next_frame(timeout)

    async def _next_frame(self, timeout: Optional[float], watch: "Optional[Watch[Any]]" = None) -> AnyFrame:
        deadline = self._deadline(timeout)
        while not self.session.has_frame:
            if watch is not None:
                watch._check()
            self._must_be_alive()
            await self._something(deadline, "no frame")
        return self._take_frame()

    async def events(self, *names: str, timeout: Optional[float] = None) -> AsyncIterator[Dict[str, Any]]:
        """Events as they come, those of these names or all; see drover.Drover.events."""
        warn_of_no_event(names)
        waiting, end = self._keep_events(names)
        try:
            if self.session.subscription is None:
                await self._ask("subscribe", {"layout": "events"})
            while True:
                deadline = self._deadline(timeout)
                while not waiting:
                    self._must_be_alive()
                    try:
                        await self._something(deadline, "no event")
                    except DroverError as error:
                        if error.code == "timeout":
                            return
                        raise
                yield waiting.popleft()
        finally:
            end()

    async def run(self, scenario: Optional[str] = None, **options: Any) -> List[runs.Run]:
        """Runs of the world's scenario, or of another one; see drover.run. The event loop goes on meanwhile."""
        server = getattr(self.server, "program", None)
        return await runs.run_async(scenario or scenario_of(self.scenario, options), server=server, **options)

    # --- bytes

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _must_be_alive(self) -> None:
        """Raises when no connection is there and none will come."""
        self._check_alive()
        if self._wire is None and self._connecting is None:
            if not self.reconnect:
                raise self._stays_lost()
            self._connecting = asyncio.ensure_future(self._connect_again())

    async def _attempt(self, deadline: Optional[float]) -> None:
        loop = asyncio.get_running_loop()
        left = None if deadline is None else max(0.001, deadline - loop.time())
        try:
            if self.address[1]:
                await asyncio.wait_for(loop.create_connection(lambda: _Wire(self), *self.address), left)
            else:
                made = await loop.run_in_executor(None, open_socket, self.address[0], left)
                await loop.create_connection(lambda: _Wire(self), sock=made)
        except (OSError, asyncio.TimeoutError) as error:
            raise self._no_server(error) from None

    async def _connect_again(self) -> None:
        """Until a connection is there, the waiting time between attempts growing from 0.25 to 5 s."""
        try:
            while self._wire is None and self.session.state != "closed" and self.session.fatal is None:
                if self.server is not None and self.server.why_ended():
                    self.session.fatal = DroverError("lost", self.server.why_ended())
                    self.session.close()
                    return
                await asyncio.sleep(self.session.retry_delay())
                try:
                    await self._attempt(asyncio.get_running_loop().time() + DEFAULT_TIMEOUT_S)
                except DroverError as error:
                    self._why_down = error.message
        finally:
            self._connecting = None
            self._wake()

    def _connected(self, wire: _Wire) -> None:
        self._drop()
        self._wire = wire
        self.session.connected()

    def _received(self, wire: _Wire, data: bytes) -> None:
        if wire is not self._wire:
            return
        try:
            self.session.receive(data)
        except DroverError as error:
            self._lose(error.message)
            if self.session.fatal is not None:
                self.session.close()
        else:
            self._keep_pace()
            self._flush()
        self._after()

    def _lost(self, wire: _Wire, reason: str) -> None:
        if wire is self._wire:
            self._lose(reason)
            self._after()

    def _lose(self, reason: str) -> None:
        """The connection is of no use; begin another one."""
        opening = self.session.connections == 0
        self._drop()
        self._why_down = self.session.lost(reason)
        if self.session.fatal is not None:
            self.session.close()
        elif self.reconnect and not opening and self.session.state != "closed" and self._connecting is None:
            self._connecting = asyncio.ensure_future(self._connect_again())
        elif not self.reconnect:
            self.session.close(reason)

    def _drop(self) -> None:
        wire, self._wire = self._wire, None
        if wire is not None and wire.transport is not None:
            wire.transport.abort()

    def _flush(self) -> None:
        wire, session = self._wire, self.session
        if wire is None or wire.transport is None or wire.transport.is_closing() or not session.has_output:
            return
        data = session.output()
        session.sent(len(data))
        wire.transport.write(data)

    def _after(self) -> None:
        if self.session.notices:
            self._listeners.dispatch(self._call)
        self._wake()

    def _call(self, callback: Callable[[Any], Any], payload: Any) -> None:
        result = callback(payload)
        if asyncio.iscoroutine(result):
            task = asyncio.ensure_future(result)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _wake(self) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()

    async def _something(self, deadline: Optional[float], what: str) -> None:
        """Waits until something came, the connection changed, or it is time to look at the pace of frames."""
        loop = asyncio.get_running_loop()
        waiter: "asyncio.Future[None]" = loop.create_future()
        self._waiters.add(waiter)
        left = None if deadline is None else deadline - loop.time()
        looks = self._watches_pace and (left is None or left > LOOK_S)
        try:
            if left is not None and left <= 0:
                raise asyncio.TimeoutError
            await asyncio.wait_for(waiter, LOOK_S if looks else left)
        except asyncio.TimeoutError:
            if looks:
                self._keep_pace()
                return
            raise DroverError("timeout", f"{what} in time") from None
        finally:
            self._waiters.discard(waiter)


class Watch(Watched[F]):
    """The frames of a subscription, the newest each time. An asynchronous iterator; `close()` unsubscribes."""

    def __init__(self, world: Drover, fields: Dict[str, Any], timeout: Optional[float]) -> None:
        super().__init__(world, timeout)
        self._world = world
        self._fields = fields
        self.granted: Dict[str, Any] = {}

    def __aiter__(self) -> "Watch[F]":
        return self

    async def __anext__(self) -> F:
        world = self._world
        if self._state == "closed":
            raise StopAsyncIteration
        if self._state == "new":
            self.granted = await world._ask("subscribe", self._fields)
            self._begin()
        self._check()
        return cast("F", await world._next_frame(self._timeout, self))

    async def aclose(self) -> None:
        self.close()

    async def __aenter__(self) -> "Watch[F]":
        return self

    async def __aexit__(self, *_: Any) -> None:
        self.close()


def connect(address: Any = None, *, timeout: Optional[float] = DEFAULT_TIMEOUT_S, reconnect: bool = True,
            numpy: Optional[bool] = None, **hello: Any) -> Drover:
    """`async with drover.aio.connect("127.0.0.1:7717") as world:`; the options are those of drover.connect."""
    return Drover(address, timeout=timeout, reconnect=reconnect, numpy=numpy, **hello)


class _Served:
    """What `serve` returns: `async with` starts the server."""

    def __init__(self, process: Callable[[], ServerProcess], options: Dict[str, Any]) -> None:
        self._process = process
        self._options = options
        self._world: Optional[Drover] = None

    async def start(self) -> Drover:
        process = self._process()
        try:
            await _listening(process)
            self._world = Drover(process.port, server=process, **self._options)
            return await self._world.open()
        except BaseException:
            process.end()
            raise

    async def __aenter__(self) -> Drover:
        return await self.start()

    async def __aexit__(self, *_: Any) -> None:
        if self._world is not None:
            await self._world.close()


async def _listening(process: ServerProcess) -> None:
    """Waits for the server's address without holding the event loop."""
    loop = asyncio.get_running_loop()
    assert process.process.stdout is not None
    descriptor = process.process.stdout.fileno()
    deadline = loop.time() + START_S
    while not process.port:
        readable: "asyncio.Future[None]" = loop.create_future()
        loop.add_reader(descriptor, lambda: None if readable.done() else readable.set_result(None))
        try:
            await asyncio.wait_for(readable, deadline - loop.time())
        except asyncio.TimeoutError:
            raise DroverError("serve", f"{process.program} printed no address within {START_S:g} s") from None
        finally:
            loop.remove_reader(descriptor)
        process.read_output()


def serve(scenario: Optional[str] = None, *, seed: Optional[int] = None, paused: bool = False, server: Optional[str] = None,
          arguments: Sequence[str] = (), timeout: Optional[float] = DEFAULT_TIMEOUT_S, numpy: Optional[bool] = None, **hello: Any) -> _Served:
    """`async with drover.aio.serve("boids", seed=7) as world:`; the options are those of drover.serve."""
    check_options("serve", hello, ("scenario", "seed", "paused", "server", "arguments", "timeout", "numpy"))
    return _Served(lambda: ServerProcess(scenario, seed=seed, paused=paused, server=server, arguments=arguments),
                   {"timeout": timeout, "numpy": numpy, **hello})
