"""The requests as methods. Written by tools/make_types.py from protocol.schema.json."""

from typing import Any, Awaitable, Callable, Dict, List, Literal, Mapping, Optional, Sequence, Union, overload

from . import messages
from .client import Pending
from .frames import Frame, Snapshot
from .ops import Field, Param, StepResult

Columns = Any  # a sequence of numbers, or a buffer of them: a numpy array, an array.array

class SyncRequests:
    _numpy: Optional[bool]
    def ask(self, op: str, *, timeout: Optional[float] = ..., reply: bool = ..., **fields: Any) -> Dict[str, Any]: ...
    def fields(self, op: str, *, timeout: Optional[float] = ...) -> Dict[str, Field]: ...
    @overload
    def params(self, kind: str, *, timeout: Optional[float] = ...) -> Dict[str, Param]: ...
    @overload
    def params(self, kind: None = ..., *, timeout: Optional[float] = ...) -> Dict[str, Dict[str, Param]]: ...
    @overload
    def snapshot(self, fields: Union[str, Sequence[str], None] = ..., *, layout: Literal['packed'] = ..., timeout: Optional[float] = ..., **more: Any) -> Frame: ...
    @overload
    def snapshot(self, fields: Union[str, Sequence[str], None] = ..., *, layout: Literal['objects'], timeout: Optional[float] = ..., **more: Any) -> Snapshot: ...
    def subscribe(
        self,
        *,
        layout: Optional[Literal['objects', 'packed', 'density', 'events']] = ...,
        hz: Optional[float] = ...,
        forces: Optional[bool] = ...,
        parts: Optional[bool] = ...,
        fields: Optional[Union[str, Sequence[Literal['pos', 'vel', 'heading', 'state', 'kind', 'stamina', 'force', 'desired']]]] = ...,
        region: Optional[Sequence[float]] = ...,
        kinds: Optional[Sequence[str]] = ...,
        grid: Optional[Sequence[int]] = ...,
        cell: Optional[float] = ...,
        by_kind: Optional[bool] = ...,
        mean_speed: Optional[bool] = ...,
        cursors: Optional[bool] = ...,
        events: Optional[Sequence[Literal['paused', 'resumed', 'speed', 'warmed_up', 'resumed_from', 'diverged', 'spawned', 'removed', 'param', 'target', 'target_added', 'target_removed', 'obstacle_added', 'obstacle_moved', 'obstacle_removed', 'recording_started', 'recording_ended', 'saved', 'save_removed', 'withdrawn', 'stepped', 'aim', 'placed', 'driven', 'loaded', 'cursor', 'cursor_gone', 'reached', 'caught', 'overload']]] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.SubscribeReply: ...
    def unsubscribe(
        self,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.UnsubscribeReply: ...
    def set_region(
        self,
        region: Optional[Sequence[float]] = ...,
        *,
        clear: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.SetRegionReply: ...
    def resync(
        self,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.ResyncReply: ...
    def set_target(
        self,
        *,
        at: Optional[int] = ...,
        name: Optional[str] = ...,
        agent: Optional[int] = ...,
        agents: Optional[Any] = ...,
        kind: Optional[str] = ...,
        x: Optional[Any] = ...,
        y: Optional[Any] = ...,
        follow: Optional[str] = ...,
        clear: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.SetTargetReply: ...
    def mouse(
        self,
        x: float,
        y: float,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.MouseReply: ...
    def spawn(
        self,
        kind: str,
        *,
        at: Optional[int] = ...,
        count: Optional[int] = ...,
        x: Optional[float] = ...,
        y: Optional[float] = ...,
        radius: Optional[float] = ...,
        vx: Optional[float] = ...,
        vy: Optional[float] = ...,
        heading: Optional[float] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.SpawnReply: ...
    def remove(
        self,
        agents: Optional[Union[int, str, Sequence[int]]] = ...,
        *,
        at: Optional[int] = ...,
        agent: Optional[int] = ...,
        kind: Optional[str] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.RemoveReply: ...
    def set_param(
        self,
        kind: Optional[str] = ...,
        param: Optional[str] = ...,
        value: Optional[float] = ...,
        *,
        at: Optional[int] = ...,
        agent: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.SetParamReply: ...
    def get_params(
        self,
        kind: Optional[str] = ...,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.GetParamsReply: ...
    def list(
        self,
        what: Optional[Literal['scenarios', 'kinds', 'targets', 'behaviors', 'saves']] = ...,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.ListReply: ...
    def inspect(
        self,
        agents: Optional[Union[int, str, Sequence[int]]] = ...,
        *,
        agent: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.InspectReply: ...
    def pause(
        self,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.PauseReply: ...
    def resume(
        self,
        *,
        at: Optional[int] = ...,
        live: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.ResumeReply: ...
    def step(
        self,
        count: Optional[int] = ...,
        *,
        return_: Optional[Literal['objects', 'packed']] = ...,
        fields: Optional[Union[str, Sequence[Literal['pos', 'vel', 'heading', 'state', 'kind', 'stamina', 'force', 'desired']]]] = ...,
        region: Optional[Sequence[float]] = ...,
        kinds: Optional[Sequence[str]] = ...,
        nearest: Optional[int] = ...,
        until: Optional[Mapping[str, Any]] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> StepResult: ...
    def load(
        self,
        scenario: Optional[str] = ...,
        *,
        save: Optional[str] = ...,
        seed: Optional[int] = ...,
        warmup: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.LoadReply: ...
    def save(
        self,
        name: str,
        *,
        replace: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.SaveReply: ...
    def remove_save(
        self,
        name: str,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.RemoveSaveReply: ...
    def record(
        self,
        *,
        on: Optional[bool] = ...,
        last: Optional[float] = ...,
        name: Optional[str] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.RecordReply: ...
    def seek(
        self,
        tick: int,
        *,
        world: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.SeekReply: ...
    def speed(
        self,
        factor: Optional[float] = ...,
        *,
        max: Optional[Literal[True]] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.SpeedReply: ...
    def ping(
        self,
        t0: Optional[float] = ...,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.PingReply: ...
    def bye(
        self,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.ByeReply: ...
    def hello(
        self,
        *,
        protocol: Optional[int] = ...,
        name: Optional[str] = ...,
        token: Optional[str] = ...,
        seq: Optional[bool] = ...,
        speed: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.HelloReply: ...
    def cursor(
        self,
        x: Optional[float] = ...,
        y: Optional[float] = ...,
        *,
        gone: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.CursorReply: ...
    def stats(
        self,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.StatsReply: ...
    def help(
        self,
        about: Optional[Literal['subscribe', 'unsubscribe', 'set_region', 'resync', 'set_target', 'mouse', 'spawn', 'remove', 'set_param', 'get_params', 'list', 'inspect', 'pause', 'resume', 'step', 'load', 'ping', 'bye', 'hello', 'cursor', 'stats', 'help', 'add_target', 'remove_target', 'add_obstacle', 'move_obstacle', 'remove_obstacle', 'save', 'remove_save', 'record', 'seek', 'speed', 'place', 'batch', 'drive', 'get']] = ...,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.HelpReply: ...
    def add_target(
        self,
        name: Any,
        x: float,
        y: float,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.AddTargetReply: ...
    def remove_target(
        self,
        name: str,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.RemoveTargetReply: ...
    def add_obstacle(
        self,
        *,
        at: Optional[int] = ...,
        circle: Optional[Sequence[float]] = ...,
        box: Optional[Sequence[float]] = ...,
        polygon: Optional[Sequence[Sequence[float]]] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.AddObstacleReply: ...
    def move_obstacle(
        self,
        obstacle: int,
        x: float,
        y: float,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.MoveObstacleReply: ...
    def remove_obstacle(
        self,
        obstacle: int,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.RemoveObstacleReply: ...
    def batch(
        self,
        requests: Sequence[Mapping[str, Any]],
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.BatchReply: ...
    def get(
        self,
        *,
        layout: Optional[Literal['objects', 'packed']] = ...,
        fields: Optional[Union[str, Sequence[Literal['pos', 'vel', 'heading', 'state', 'kind', 'stamina', 'force', 'desired']]]] = ...,
        region: Optional[Sequence[float]] = ...,
        kinds: Optional[Sequence[str]] = ...,
        nearest: Optional[int] = ...,
        agents: Optional[Any] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.GetReply: ...
    def place(
        self,
        *,
        at: Optional[int] = ...,
        agent: Optional[int] = ...,
        agents: Optional[Any] = ...,
        x: Optional[Any] = ...,
        y: Optional[Any] = ...,
        vx: Optional[Any] = ...,
        vy: Optional[Any] = ...,
        heading: Optional[Any] = ...,
        stamina: Optional[Any] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.PlaceReply: ...
    def drive(
        self,
        *,
        at: Optional[int] = ...,
        agent: Optional[int] = ...,
        agents: Optional[Any] = ...,
        kind: Optional[str] = ...,
        first: Optional[int] = ...,
        vx: Any,
        vy: Any,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> messages.DriveReply: ...

class AsyncRequests:
    _numpy: Optional[bool]
    def ask(self, op: str, *, timeout: Optional[float] = ..., reply: bool = ..., **fields: Any) -> Awaitable[Dict[str, Any]]: ...
    def fields(self, op: str, *, timeout: Optional[float] = ...) -> Awaitable[Dict[str, Field]]: ...
    @overload
    def params(self, kind: str, *, timeout: Optional[float] = ...) -> Awaitable[Dict[str, Param]]: ...
    @overload
    def params(self, kind: None = ..., *, timeout: Optional[float] = ...) -> Awaitable[Dict[str, Dict[str, Param]]]: ...
    @overload
    def snapshot(self, fields: Union[str, Sequence[str], None] = ..., *, layout: Literal['packed'] = ..., timeout: Optional[float] = ..., **more: Any) -> Awaitable[Frame]: ...
    @overload
    def snapshot(self, fields: Union[str, Sequence[str], None] = ..., *, layout: Literal['objects'], timeout: Optional[float] = ..., **more: Any) -> Awaitable[Snapshot]: ...
    def subscribe(
        self,
        *,
        layout: Optional[Literal['objects', 'packed', 'density', 'events']] = ...,
        hz: Optional[float] = ...,
        forces: Optional[bool] = ...,
        parts: Optional[bool] = ...,
        fields: Optional[Union[str, Sequence[Literal['pos', 'vel', 'heading', 'state', 'kind', 'stamina', 'force', 'desired']]]] = ...,
        region: Optional[Sequence[float]] = ...,
        kinds: Optional[Sequence[str]] = ...,
        grid: Optional[Sequence[int]] = ...,
        cell: Optional[float] = ...,
        by_kind: Optional[bool] = ...,
        mean_speed: Optional[bool] = ...,
        cursors: Optional[bool] = ...,
        events: Optional[Sequence[Literal['paused', 'resumed', 'speed', 'warmed_up', 'resumed_from', 'diverged', 'spawned', 'removed', 'param', 'target', 'target_added', 'target_removed', 'obstacle_added', 'obstacle_moved', 'obstacle_removed', 'recording_started', 'recording_ended', 'saved', 'save_removed', 'withdrawn', 'stepped', 'aim', 'placed', 'driven', 'loaded', 'cursor', 'cursor_gone', 'reached', 'caught', 'overload']]] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.SubscribeReply]: ...
    def unsubscribe(
        self,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.UnsubscribeReply]: ...
    def set_region(
        self,
        region: Optional[Sequence[float]] = ...,
        *,
        clear: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.SetRegionReply]: ...
    def resync(
        self,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.ResyncReply]: ...
    def set_target(
        self,
        *,
        at: Optional[int] = ...,
        name: Optional[str] = ...,
        agent: Optional[int] = ...,
        agents: Optional[Any] = ...,
        kind: Optional[str] = ...,
        x: Optional[Any] = ...,
        y: Optional[Any] = ...,
        follow: Optional[str] = ...,
        clear: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.SetTargetReply]: ...
    def mouse(
        self,
        x: float,
        y: float,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.MouseReply]: ...
    def spawn(
        self,
        kind: str,
        *,
        at: Optional[int] = ...,
        count: Optional[int] = ...,
        x: Optional[float] = ...,
        y: Optional[float] = ...,
        radius: Optional[float] = ...,
        vx: Optional[float] = ...,
        vy: Optional[float] = ...,
        heading: Optional[float] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.SpawnReply]: ...
    def remove(
        self,
        agents: Optional[Union[int, str, Sequence[int]]] = ...,
        *,
        at: Optional[int] = ...,
        agent: Optional[int] = ...,
        kind: Optional[str] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.RemoveReply]: ...
    def set_param(
        self,
        kind: Optional[str] = ...,
        param: Optional[str] = ...,
        value: Optional[float] = ...,
        *,
        at: Optional[int] = ...,
        agent: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.SetParamReply]: ...
    def get_params(
        self,
        kind: Optional[str] = ...,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.GetParamsReply]: ...
    def list(
        self,
        what: Optional[Literal['scenarios', 'kinds', 'targets', 'behaviors', 'saves']] = ...,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.ListReply]: ...
    def inspect(
        self,
        agents: Optional[Union[int, str, Sequence[int]]] = ...,
        *,
        agent: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.InspectReply]: ...
    def pause(
        self,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.PauseReply]: ...
    def resume(
        self,
        *,
        at: Optional[int] = ...,
        live: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.ResumeReply]: ...
    def step(
        self,
        count: Optional[int] = ...,
        *,
        return_: Optional[Literal['objects', 'packed']] = ...,
        fields: Optional[Union[str, Sequence[Literal['pos', 'vel', 'heading', 'state', 'kind', 'stamina', 'force', 'desired']]]] = ...,
        region: Optional[Sequence[float]] = ...,
        kinds: Optional[Sequence[str]] = ...,
        nearest: Optional[int] = ...,
        until: Optional[Mapping[str, Any]] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[StepResult]: ...
    def load(
        self,
        scenario: Optional[str] = ...,
        *,
        save: Optional[str] = ...,
        seed: Optional[int] = ...,
        warmup: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.LoadReply]: ...
    def save(
        self,
        name: str,
        *,
        replace: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.SaveReply]: ...
    def remove_save(
        self,
        name: str,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.RemoveSaveReply]: ...
    def record(
        self,
        *,
        on: Optional[bool] = ...,
        last: Optional[float] = ...,
        name: Optional[str] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.RecordReply]: ...
    def seek(
        self,
        tick: int,
        *,
        world: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.SeekReply]: ...
    def speed(
        self,
        factor: Optional[float] = ...,
        *,
        max: Optional[Literal[True]] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.SpeedReply]: ...
    def ping(
        self,
        t0: Optional[float] = ...,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.PingReply]: ...
    def bye(
        self,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.ByeReply]: ...
    def hello(
        self,
        *,
        protocol: Optional[int] = ...,
        name: Optional[str] = ...,
        token: Optional[str] = ...,
        seq: Optional[bool] = ...,
        speed: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.HelloReply]: ...
    def cursor(
        self,
        x: Optional[float] = ...,
        y: Optional[float] = ...,
        *,
        gone: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.CursorReply]: ...
    def stats(
        self,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.StatsReply]: ...
    def help(
        self,
        about: Optional[Literal['subscribe', 'unsubscribe', 'set_region', 'resync', 'set_target', 'mouse', 'spawn', 'remove', 'set_param', 'get_params', 'list', 'inspect', 'pause', 'resume', 'step', 'load', 'ping', 'bye', 'hello', 'cursor', 'stats', 'help', 'add_target', 'remove_target', 'add_obstacle', 'move_obstacle', 'remove_obstacle', 'save', 'remove_save', 'record', 'seek', 'speed', 'place', 'batch', 'drive', 'get']] = ...,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.HelpReply]: ...
    def add_target(
        self,
        name: Any,
        x: float,
        y: float,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.AddTargetReply]: ...
    def remove_target(
        self,
        name: str,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.RemoveTargetReply]: ...
    def add_obstacle(
        self,
        *,
        at: Optional[int] = ...,
        circle: Optional[Sequence[float]] = ...,
        box: Optional[Sequence[float]] = ...,
        polygon: Optional[Sequence[Sequence[float]]] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.AddObstacleReply]: ...
    def move_obstacle(
        self,
        obstacle: int,
        x: float,
        y: float,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.MoveObstacleReply]: ...
    def remove_obstacle(
        self,
        obstacle: int,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.RemoveObstacleReply]: ...
    def batch(
        self,
        requests: Sequence[Mapping[str, Any]],
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.BatchReply]: ...
    def get(
        self,
        *,
        layout: Optional[Literal['objects', 'packed']] = ...,
        fields: Optional[Union[str, Sequence[Literal['pos', 'vel', 'heading', 'state', 'kind', 'stamina', 'force', 'desired']]]] = ...,
        region: Optional[Sequence[float]] = ...,
        kinds: Optional[Sequence[str]] = ...,
        nearest: Optional[int] = ...,
        agents: Optional[Any] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.GetReply]: ...
    def place(
        self,
        *,
        at: Optional[int] = ...,
        agent: Optional[int] = ...,
        agents: Optional[Any] = ...,
        x: Optional[Any] = ...,
        y: Optional[Any] = ...,
        vx: Optional[Any] = ...,
        vy: Optional[Any] = ...,
        heading: Optional[Any] = ...,
        stamina: Optional[Any] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.PlaceReply]: ...
    def drive(
        self,
        *,
        at: Optional[int] = ...,
        agent: Optional[int] = ...,
        agents: Optional[Any] = ...,
        kind: Optional[str] = ...,
        first: Optional[int] = ...,
        vx: Any,
        vy: Any,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Awaitable[messages.DriveReply]: ...

class LaterRequests:
    _numpy: Optional[bool]
    def ask(self, op: str, *, timeout: Optional[float] = ..., reply: bool = ..., **fields: Any) -> Pending[Dict[str, Any]]: ...
    def fields(self, op: str, *, timeout: Optional[float] = ...) -> Pending[Dict[str, Field]]: ...
    @overload
    def params(self, kind: str, *, timeout: Optional[float] = ...) -> Pending[Dict[str, Param]]: ...
    @overload
    def params(self, kind: None = ..., *, timeout: Optional[float] = ...) -> Pending[Dict[str, Dict[str, Param]]]: ...
    @overload
    def snapshot(self, fields: Union[str, Sequence[str], None] = ..., *, layout: Literal['packed'] = ..., timeout: Optional[float] = ..., **more: Any) -> Pending[Frame]: ...
    @overload
    def snapshot(self, fields: Union[str, Sequence[str], None] = ..., *, layout: Literal['objects'], timeout: Optional[float] = ..., **more: Any) -> Pending[Snapshot]: ...
    def subscribe(
        self,
        *,
        layout: Optional[Literal['objects', 'packed', 'density', 'events']] = ...,
        hz: Optional[float] = ...,
        forces: Optional[bool] = ...,
        parts: Optional[bool] = ...,
        fields: Optional[Union[str, Sequence[Literal['pos', 'vel', 'heading', 'state', 'kind', 'stamina', 'force', 'desired']]]] = ...,
        region: Optional[Sequence[float]] = ...,
        kinds: Optional[Sequence[str]] = ...,
        grid: Optional[Sequence[int]] = ...,
        cell: Optional[float] = ...,
        by_kind: Optional[bool] = ...,
        mean_speed: Optional[bool] = ...,
        cursors: Optional[bool] = ...,
        events: Optional[Sequence[Literal['paused', 'resumed', 'speed', 'warmed_up', 'resumed_from', 'diverged', 'spawned', 'removed', 'param', 'target', 'target_added', 'target_removed', 'obstacle_added', 'obstacle_moved', 'obstacle_removed', 'recording_started', 'recording_ended', 'saved', 'save_removed', 'withdrawn', 'stepped', 'aim', 'placed', 'driven', 'loaded', 'cursor', 'cursor_gone', 'reached', 'caught', 'overload']]] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.SubscribeReply]: ...
    def unsubscribe(
        self,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.UnsubscribeReply]: ...
    def set_region(
        self,
        region: Optional[Sequence[float]] = ...,
        *,
        clear: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.SetRegionReply]: ...
    def resync(
        self,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.ResyncReply]: ...
    def set_target(
        self,
        *,
        at: Optional[int] = ...,
        name: Optional[str] = ...,
        agent: Optional[int] = ...,
        agents: Optional[Any] = ...,
        kind: Optional[str] = ...,
        x: Optional[Any] = ...,
        y: Optional[Any] = ...,
        follow: Optional[str] = ...,
        clear: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.SetTargetReply]: ...
    def mouse(
        self,
        x: float,
        y: float,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.MouseReply]: ...
    def spawn(
        self,
        kind: str,
        *,
        at: Optional[int] = ...,
        count: Optional[int] = ...,
        x: Optional[float] = ...,
        y: Optional[float] = ...,
        radius: Optional[float] = ...,
        vx: Optional[float] = ...,
        vy: Optional[float] = ...,
        heading: Optional[float] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.SpawnReply]: ...
    def remove(
        self,
        agents: Optional[Union[int, str, Sequence[int]]] = ...,
        *,
        at: Optional[int] = ...,
        agent: Optional[int] = ...,
        kind: Optional[str] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.RemoveReply]: ...
    def set_param(
        self,
        kind: Optional[str] = ...,
        param: Optional[str] = ...,
        value: Optional[float] = ...,
        *,
        at: Optional[int] = ...,
        agent: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.SetParamReply]: ...
    def get_params(
        self,
        kind: Optional[str] = ...,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.GetParamsReply]: ...
    def list(
        self,
        what: Optional[Literal['scenarios', 'kinds', 'targets', 'behaviors', 'saves']] = ...,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.ListReply]: ...
    def inspect(
        self,
        agents: Optional[Union[int, str, Sequence[int]]] = ...,
        *,
        agent: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.InspectReply]: ...
    def pause(
        self,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.PauseReply]: ...
    def resume(
        self,
        *,
        at: Optional[int] = ...,
        live: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.ResumeReply]: ...
    def step(
        self,
        count: Optional[int] = ...,
        *,
        return_: Optional[Literal['objects', 'packed']] = ...,
        fields: Optional[Union[str, Sequence[Literal['pos', 'vel', 'heading', 'state', 'kind', 'stamina', 'force', 'desired']]]] = ...,
        region: Optional[Sequence[float]] = ...,
        kinds: Optional[Sequence[str]] = ...,
        nearest: Optional[int] = ...,
        until: Optional[Mapping[str, Any]] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[StepResult]: ...
    def load(
        self,
        scenario: Optional[str] = ...,
        *,
        save: Optional[str] = ...,
        seed: Optional[int] = ...,
        warmup: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.LoadReply]: ...
    def save(
        self,
        name: str,
        *,
        replace: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.SaveReply]: ...
    def remove_save(
        self,
        name: str,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.RemoveSaveReply]: ...
    def record(
        self,
        *,
        on: Optional[bool] = ...,
        last: Optional[float] = ...,
        name: Optional[str] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.RecordReply]: ...
    def seek(
        self,
        tick: int,
        *,
        world: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.SeekReply]: ...
    def speed(
        self,
        factor: Optional[float] = ...,
        *,
        max: Optional[Literal[True]] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.SpeedReply]: ...
    def ping(
        self,
        t0: Optional[float] = ...,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.PingReply]: ...
    def bye(
        self,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.ByeReply]: ...
    def hello(
        self,
        *,
        protocol: Optional[int] = ...,
        name: Optional[str] = ...,
        token: Optional[str] = ...,
        seq: Optional[bool] = ...,
        speed: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.HelloReply]: ...
    def cursor(
        self,
        x: Optional[float] = ...,
        y: Optional[float] = ...,
        *,
        gone: Optional[bool] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.CursorReply]: ...
    def stats(
        self,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.StatsReply]: ...
    def help(
        self,
        about: Optional[Literal['subscribe', 'unsubscribe', 'set_region', 'resync', 'set_target', 'mouse', 'spawn', 'remove', 'set_param', 'get_params', 'list', 'inspect', 'pause', 'resume', 'step', 'load', 'ping', 'bye', 'hello', 'cursor', 'stats', 'help', 'add_target', 'remove_target', 'add_obstacle', 'move_obstacle', 'remove_obstacle', 'save', 'remove_save', 'record', 'seek', 'speed', 'place', 'batch', 'drive', 'get']] = ...,
        *,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.HelpReply]: ...
    def add_target(
        self,
        name: Any,
        x: float,
        y: float,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.AddTargetReply]: ...
    def remove_target(
        self,
        name: str,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.RemoveTargetReply]: ...
    def add_obstacle(
        self,
        *,
        at: Optional[int] = ...,
        circle: Optional[Sequence[float]] = ...,
        box: Optional[Sequence[float]] = ...,
        polygon: Optional[Sequence[Sequence[float]]] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.AddObstacleReply]: ...
    def move_obstacle(
        self,
        obstacle: int,
        x: float,
        y: float,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.MoveObstacleReply]: ...
    def remove_obstacle(
        self,
        obstacle: int,
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.RemoveObstacleReply]: ...
    def batch(
        self,
        requests: Sequence[Mapping[str, Any]],
        *,
        at: Optional[int] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.BatchReply]: ...
    def get(
        self,
        *,
        layout: Optional[Literal['objects', 'packed']] = ...,
        fields: Optional[Union[str, Sequence[Literal['pos', 'vel', 'heading', 'state', 'kind', 'stamina', 'force', 'desired']]]] = ...,
        region: Optional[Sequence[float]] = ...,
        kinds: Optional[Sequence[str]] = ...,
        nearest: Optional[int] = ...,
        agents: Optional[Any] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.GetReply]: ...
    def place(
        self,
        *,
        at: Optional[int] = ...,
        agent: Optional[int] = ...,
        agents: Optional[Any] = ...,
        x: Optional[Any] = ...,
        y: Optional[Any] = ...,
        vx: Optional[Any] = ...,
        vy: Optional[Any] = ...,
        heading: Optional[Any] = ...,
        stamina: Optional[Any] = ...,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.PlaceReply]: ...
    def drive(
        self,
        *,
        at: Optional[int] = ...,
        agent: Optional[int] = ...,
        agents: Optional[Any] = ...,
        kind: Optional[str] = ...,
        first: Optional[int] = ...,
        vx: Any,
        vy: Any,
        id: Union[int, str] = ...,
        timeout: Optional[float] = ...,
        reply: bool = ...,
        **more: Any,
    ) -> Pending[messages.DriveReply]: ...

class Batch:
    requests: List[Dict[str, Any]]
    def __init__(self) -> None: ...
    def add(self, op: str, **fields: Any) -> Batch: ...
    def __len__(self) -> int: ...
    def __getitem__(self, at: int) -> Dict[str, Any]: ...
    def subscribe(self, *values: Any, **fields: Any) -> Batch: ...
    def unsubscribe(self, *values: Any, **fields: Any) -> Batch: ...
    def set_region(self, *values: Any, **fields: Any) -> Batch: ...
    def resync(self, *values: Any, **fields: Any) -> Batch: ...
    def set_target(self, *values: Any, **fields: Any) -> Batch: ...
    def mouse(self, *values: Any, **fields: Any) -> Batch: ...
    def spawn(self, *values: Any, **fields: Any) -> Batch: ...
    def remove(self, *values: Any, **fields: Any) -> Batch: ...
    def set_param(self, *values: Any, **fields: Any) -> Batch: ...
    def get_params(self, *values: Any, **fields: Any) -> Batch: ...
    def list(self, *values: Any, **fields: Any) -> Batch: ...
    def inspect(self, *values: Any, **fields: Any) -> Batch: ...
    def pause(self, *values: Any, **fields: Any) -> Batch: ...
    def resume(self, *values: Any, **fields: Any) -> Batch: ...
    def step(self, *values: Any, **fields: Any) -> Batch: ...
    def load(self, *values: Any, **fields: Any) -> Batch: ...
    def save(self, *values: Any, **fields: Any) -> Batch: ...
    def remove_save(self, *values: Any, **fields: Any) -> Batch: ...
    def record(self, *values: Any, **fields: Any) -> Batch: ...
    def seek(self, *values: Any, **fields: Any) -> Batch: ...
    def speed(self, *values: Any, **fields: Any) -> Batch: ...
    def ping(self, *values: Any, **fields: Any) -> Batch: ...
    def bye(self, *values: Any, **fields: Any) -> Batch: ...
    def hello(self, *values: Any, **fields: Any) -> Batch: ...
    def cursor(self, *values: Any, **fields: Any) -> Batch: ...
    def stats(self, *values: Any, **fields: Any) -> Batch: ...
    def help(self, *values: Any, **fields: Any) -> Batch: ...
    def add_target(self, *values: Any, **fields: Any) -> Batch: ...
    def remove_target(self, *values: Any, **fields: Any) -> Batch: ...
    def add_obstacle(self, *values: Any, **fields: Any) -> Batch: ...
    def move_obstacle(self, *values: Any, **fields: Any) -> Batch: ...
    def remove_obstacle(self, *values: Any, **fields: Any) -> Batch: ...
    def batch(self, *values: Any, **fields: Any) -> Batch: ...
    def get(self, *values: Any, **fields: Any) -> Batch: ...
    def place(self, *values: Any, **fields: Any) -> Batch: ...
    def drive(self, *values: Any, **fields: Any) -> Batch: ...
