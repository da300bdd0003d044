"""The lines of the server, for type checkers. Written by tools/make_types.py from protocol.schema.json.

A line may have members that are not here: they are kept.
"""

from typing import Any, Dict, List, Literal, TypedDict, Union


class LeftOut(TypedDict):
    ticks: int
    requests: int


class _ReplayAlways(TypedDict):
    world: int
    tick: int
    first: int
    last: int
    worlds: int
    speed: float
    diverged: bool
    spans: List[List[int]]


class Replay(_ReplayAlways, total=False):
    diverged_world: int
    diverged_tick: int
    seeking: float


class Kind(TypedDict):
    name: str
    radius: float
    max_speed: float
    max_force: float
    count: int


class _ObstacleAlways(TypedDict):
    id: int


class Obstacle(_ObstacleAlways, total=False):
    circle: List[float]
    box: List[float]
    polygon: List[List[float]]


class WorldPathsItem(TypedDict):
    name: str
    points: List[List[float]]
    radius: float
    loop: bool


class WorldFlowFieldsItem(TypedDict):
    name: str
    cells: List[int]
    vectors: List[List[float]]


class _WorldRegionsItemAlways(TypedDict):
    kind: str
    state: str


class WorldRegionsItem(_WorldRegionsItemAlways, total=False):
    circle: List[float]
    rect: List[float]


class View(TypedDict, total=False):
    trails: bool
    color: str
    overlays: List[str]
    select: int
    panel: bool
    zoom: float
    flag: str


About = TypedDict('About', {
    'group': str,
    'caption': str,
    'try': str,
    'look_for': str,
    'source': str,
}, total=False)


class _WorldAlways(TypedDict):
    name: str
    title: str
    description: str
    size: List[float]
    edge: Literal['open', 'wrap', 'bounce', 'contain']
    seed: int
    tick_hz: float
    kinds: List[Kind]
    targets: List[str]


class World(_WorldAlways, total=False):
    obstacles: List[Obstacle]
    walls: List[List[float]]
    paths: List[WorldPathsItem]
    flow_fields: List[WorldFlowFieldsItem]
    regions: List[WorldRegionsItem]
    view: View
    about: About


class _HelloAlways(TypedDict):
    op: Literal['hello']
    protocol: Literal[1]
    server: str
    session: int
    role: Literal['none', 'viewer', 'operator', 'admin']


class Hello(_HelloAlways, total=False):
    tick: int
    time: float
    paused: bool
    speed: float
    warming: float
    resuming: float
    left_out: LeftOut
    replay: Replay
    scenario: World


class ScenarioLinePathsItem(TypedDict):
    name: str
    points: List[List[float]]
    radius: float
    loop: bool


class ScenarioLineFlowFieldsItem(TypedDict):
    name: str
    cells: List[int]
    vectors: List[List[float]]


class _ScenarioLineRegionsItemAlways(TypedDict):
    kind: str
    state: str


class ScenarioLineRegionsItem(_ScenarioLineRegionsItemAlways, total=False):
    circle: List[float]
    rect: List[float]


class _ScenarioLineAlways(TypedDict):
    op: Literal['scenario']
    name: str
    title: str
    description: str
    size: List[float]
    edge: Literal['open', 'wrap', 'bounce', 'contain']
    seed: int
    tick_hz: float
    kinds: List[Kind]
    targets: List[str]


class ScenarioLine(_ScenarioLineAlways, total=False):
    speed: float
    warming: float
    obstacles: List[Obstacle]
    walls: List[List[float]]
    paths: List[ScenarioLinePathsItem]
    flow_fields: List[ScenarioLineFlowFieldsItem]
    regions: List[ScenarioLineRegionsItem]
    view: View
    about: About


class Parts(TypedDict):
    separation: List[float]
    alignment: List[float]
    cohesion: List[float]


class _SeenAgentAlways(TypedDict):
    id: int


class SeenAgent(_SeenAgentAlways, total=False):
    kind: str
    state: str
    x: float
    y: float
    vx: float
    vy: float
    heading: float
    stamina: float
    desired: List[float]
    steering: List[float]
    forces: Dict[str, List[float]]
    parts: Dict[str, Parts]


class Target(TypedDict):
    name: str
    x: float
    y: float


class _SnapshotLineAlways(TypedDict):
    op: Literal['snapshot']
    tick: int
    time: float
    agents: List[SeenAgent]
    targets: List[Target]
    clock: float


class SnapshotLine(_SnapshotLineAlways, total=False):
    speed: float


class _KeyLineAlways(TypedDict):
    op: Literal['key']
    tick: int
    key: int
    n: int
    scale: Literal[100]
    id: str


class KeyLine(_KeyLineAlways, total=False):
    kinds: List[str]
    states: List[str]
    kind: str
    state: str
    x: str
    y: str
    vx: str
    vy: str
    heading: str
    stamina: str


class _DeltaLineAlways(TypedDict):
    op: Literal['delta']
    tick: int
    time: float
    key: int
    n: int
    targets: List[Target]
    clock: float


class DeltaLine(_DeltaLineAlways, total=False):
    x: str
    y: str
    vx: str
    vy: str
    heading: str
    stamina: str
    x_far: str
    y_far: str
    vx_far: str
    vy_far: str
    stamina_far: str
    state_far: str
    desired: str
    steering: str
    speed: float


class _DensityLineAlways(TypedDict):
    op: Literal['density']
    tick: int
    time: float
    grid: List[int]
    region: List[float]
    n: int
    outside: int
    count: str
    vx: str
    vy: str
    targets: List[Target]
    clock: float


class DensityLine(_DensityLineAlways, total=False):
    mean_speed: str
    by_kind: Dict[str, str]
    speed: float


class _EventAlways(TypedDict):
    event: Union[Literal['resumed_from'], Literal['paused', 'resumed', 'stepping', 'warmed_up'], Literal['speed'], Literal['diverged'], Literal['spawned'], Literal['aim'], Literal['driven'], Literal['placed'], Literal['cursor', 'cursor_gone'], Literal['withdrawn'], Literal['stepped'], Literal['loaded'], Literal['saved', 'save_removed'], Literal['recording_started', 'recording_ended'], Literal['removed'], Literal['param'], Literal['target', 'target_added', 'target_removed'], Literal['obstacle_added', 'obstacle_moved'], Literal['obstacle_removed'], Literal['reached'], Literal['caught'], Literal['unknown'], Literal['unheeded'], Literal['overload'], Literal['lag']]
    tick: int
    by: int


class Event(_EventAlways, total=False):
    seq: int
    ticks: int
    requests: int
    name: str
    speed: float
    reason: str
    count: int
    agents: List[int]
    kind: str
    first_id: int
    last_id: int
    x: float
    y: float
    radius: float
    vx: float
    vy: float
    heading: float
    agent: int
    follow: str
    cursor: str
    scenario: str
    save: str
    file: str
    param: str
    value: float
    target: str
    obstacle: int
    circle: List[float]
    box: List[float]
    polygon: List[List[float]]
    left_out: int
    quarry: int
    to: Literal['subscribe', 'unsubscribe', 'set_region', 'resync', 'set_target', 'mouse', 'spawn', 'remove', 'set_param', 'get_params', 'list', 'inspect', 'pause', 'resume', 'step', 'load', 'ping', 'bye', 'hello', 'cursor', 'stats', 'help', 'add_target', 'remove_target', 'add_obstacle', 'move_obstacle', 'remove_obstacle', 'save', 'remove_save', 'record', 'seek', 'speed', 'place', 'batch', 'drive', 'get']
    unknown: List[str]
    hint: str
    candidates: int
    skipped: int


class _CursorsLineCursorsItemAlways(TypedDict):
    session: int
    x: float
    y: float


class CursorsLineCursorsItem(_CursorsLineCursorsItemAlways, total=False):
    name: str


class CursorsLine(TypedDict):
    op: Literal['cursors']
    cursors: List[CursorsLineCursorsItem]


class _ErrorLineAlways(TypedDict):
    op: Literal['error']
    code: Literal['parse', 'invalid', 'too_long', 'unknown_op', 'bad_param', 'out_of_range', 'no_agent', 'no_kind', 'no_target', 'no_obstacle', 'exists', 'in_use', 'no_param', 'no_save', 'bad_save', 'no_scenario', 'bad_scenario', 'not_paused', 'not_replaying', 'not_recording', 'not_subscribed', 'full', 'busy', 'denied', 'late', 'withdrawn', 'rate', 'version', 'replaying', 'unsupported', 'io', 'internal']
    message: str


class ErrorLine(_ErrorLineAlways, total=False):
    id: Union[int, str]
    line: int
    field: str
    index: int
    unknown: List[str]
    hint: str


class _ByeAlways(TypedDict):
    op: Literal['bye']
    reason: Literal['client', 'shutdown', 'slow', 'full', 'protocol', 'rate', 'idle', 'auth']
    message: str


class Bye(_ByeAlways, total=False):
    retry_s: int


class _AddObstacleReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['add_obstacle', 'move_obstacle']
    tick: int
    obstacle: int
    pushed: int


class AddObstacleReply(_AddObstacleReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _AddTargetReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['mouse', 'add_target']
    tick: int


class AddTargetReply(_AddTargetReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
    x: float
    y: float
    cursor: str


class _PartAlways(TypedDict):
    to: Literal['set_target', 'spawn', 'remove', 'set_param', 'add_target', 'remove_target', 'add_obstacle', 'move_obstacle', 'remove_obstacle', 'place', 'drive']
    tick: int


class Part(_PartAlways, total=False):
    id: Union[int, str]
    unknown: List[str]
    hint: str
    x: float
    y: float
    vx: float
    vy: float
    stamina: float
    driven: int
    gone: int
    heeded: Literal[False]
    count: int
    first_id: int
    last_id: int
    removed: int
    missing: List[int]
    value: float
    obstacle: int
    pushed: int


class _BatchReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['batch']
    tick: int
    replies: List[Part]


class BatchReply(_BatchReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _ByeReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['unsubscribe', 'set_region', 'resync', 'bye']


class ByeReply(_ByeReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _CursorReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['cursor']
    id: Union[int, str]


class CursorReply(_CursorReplyAlways, total=False):
    seq: int
    unknown: List[str]
    hint: str
    tick: int
    x: float
    y: float
    cursor: str


class _DriveReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['drive']
    tick: int
    driven: int
    gone: int


class DriveReply(_DriveReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _ServerKeyAlways(TypedDict):
    op: Literal['key']
    tick: int
    key: int
    n: int
    scale: Literal[100]
    id: str


class ServerKey(_ServerKeyAlways, total=False):
    kinds: List[str]
    states: List[str]
    kind: str
    state: str
    x: str
    y: str
    vx: str
    vy: str
    heading: str
    stamina: str


class _ServerSnapshotAlways(TypedDict):
    op: Literal['snapshot']
    tick: int
    time: float
    agents: List[SeenAgent]
    targets: List[Target]
    clock: float


class ServerSnapshot(_ServerSnapshotAlways, total=False):
    speed: float


class _ServerDeltaAlways(TypedDict):
    op: Literal['delta']
    tick: int
    time: float
    key: int
    n: int
    targets: List[Target]
    clock: float


class ServerDelta(_ServerDeltaAlways, total=False):
    x: str
    y: str
    vx: str
    vy: str
    heading: str
    stamina: str
    x_far: str
    y_far: str
    vx_far: str
    vy_far: str
    stamina_far: str
    state_far: str
    desired: str
    steering: str
    speed: float


class _GetReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['get']
    tick: int
    frame: Union[ServerSnapshot, ServerDelta]


class GetReply(_GetReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
    key: ServerKey
    nearest: str
    missing: List[int]


class _GetParamsReplyParamsItemAlways(TypedDict):
    kind: str
    param: str
    value: float
    min: float
    max: float
    unit: str
    help: str


class GetParamsReplyParamsItem(_GetParamsReplyParamsItemAlways, total=False):
    integer: Literal[True]


class _GetParamsReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['get_params']
    tick: int
    params: List[GetParamsReplyParamsItem]


class GetParamsReply(_GetParamsReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _HelloReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['hello']
    protocol: Literal[1]
    role: Literal['none', 'viewer', 'operator', 'admin']
    name: str


class HelloReply(_HelloReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
    tick: int
    time: float
    paused: bool
    speed: float
    warming: float
    resuming: float
    left_out: LeftOut
    replay: Replay


class _HelpReplyOpsItemAlways(TypedDict):
    op: str
    role: Literal['none', 'viewer', 'operator', 'admin']
    always_answers: bool
    fields: List[Dict[str, Any]]


class HelpReplyOpsItem(_HelpReplyOpsItemAlways, total=False):
    at: Literal[True]


class _HelpReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['help']
    ops: List[HelpReplyOpsItem]


class HelpReply(_HelpReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _AimedPointAlways(TypedDict):
    behavior: str
    what: Literal['target', 'predicted', 'midpoint', 'place', 'circle', 'goal', 'future', 'probe', 'contact', 'surface', 'path_point', 'hiding_place', 'center']
    x: float
    y: float


class AimedPoint(_AimedPointAlways, total=False):
    radius: float


class _TermAlways(TypedDict):
    behavior: str
    type: str
    weight: float
    wants: List[float]
    gets: List[float]
    values: Dict[str, Union[float, List[float]]]


class Term(_TermAlways, total=False):
    way: Literal['lanes', 'alone']
    why: Literal['no_rule', 'mixed_flock', 'max_neighbors', 'dithered', 'several_filters', 'near_solids']
    tier: int
    desired: List[float]
    parts: Parts


class _InspectedAgentAlways(TypedDict):
    id: int
    kind: str
    state: str
    x: float
    y: float
    desired: List[float]
    steering: List[float]
    forces: Dict[str, List[float]]
    mass: float
    radius: float
    max_speed: float
    max_force: float
    neighbors: List[int]
    points: List[AimedPoint]
    locomotion: Literal['steered', 'direct', 'constant_speed']
    terms: List[Term]


class InspectedAgent(_InspectedAgentAlways, total=False):
    vx: float
    vy: float
    heading: float
    stamina: float


class _InspectReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['inspect']
    tick: int
    agents: List[InspectedAgent]
    missing: List[int]


class InspectReply(_InspectReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class ListedTargetStrolls(TypedDict):
    after: float
    speed: float
    now: bool


class _ListedTargetAlways(TypedDict):
    name: str
    x: float
    y: float


class ListedTarget(_ListedTargetAlways, total=False):
    strolls: ListedTargetStrolls


class _ListReplyScenariosItemAlways(TypedDict):
    name: str
    title: str
    description: str


class ListReplyScenariosItem(_ListReplyScenariosItemAlways, total=False):
    group: str
    caption: str


class ListReplySavesItem(TypedDict):
    name: str
    scenario: str
    tick: int
    agents: int
    bytes: int
    hash: str
    saved: str


class ListReplyDamagedItem(TypedDict):
    name: str
    bytes: int
    saved: str


class _ListReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['list']
    tick: int


class ListReply(_ListReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
    targets: List[ListedTarget]
    kinds: List[Kind]
    scenarios: List[ListReplyScenariosItem]
    behaviors: List[Dict[str, Any]]
    saves: List[ListReplySavesItem]
    damaged: List[ListReplyDamagedItem]


class _LoadReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['load']
    tick: int
    scenario: str
    hash: str


class LoadReply(_LoadReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
    save: str
    core: int


class _MouseReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['mouse', 'add_target']
    tick: int


class MouseReply(_MouseReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
    x: float
    y: float
    cursor: str


class _MoveObstacleReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['add_obstacle', 'move_obstacle']
    tick: int
    obstacle: int
    pushed: int


class MoveObstacleReply(_MoveObstacleReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _PauseReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['pause', 'resume', 'remove_target', 'remove_obstacle', 'remove_save']
    tick: int


class PauseReply(_PauseReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _PingReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['ping']
    clock: float


class PingReply(_PingReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
    tick: int
    t0: float


class _PlaceReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['place']
    tick: int


class PlaceReply(_PlaceReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
    x: float
    y: float
    vx: float
    vy: float
    stamina: float
    count: int


_RecordReplyAlways = TypedDict('_RecordReplyAlways', {
    'op': Literal['reply'],
    'to': Literal['record'],
    'name': str,
    'from': int,
})


class RecordReply(_RecordReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
    tick: int


class _RemoveReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['remove']
    tick: int
    removed: int
    missing: List[int]


class RemoveReply(_RemoveReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _RemoveObstacleReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['pause', 'resume', 'remove_target', 'remove_obstacle', 'remove_save']
    tick: int


class RemoveObstacleReply(_RemoveObstacleReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _RemoveSaveReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['pause', 'resume', 'remove_target', 'remove_obstacle', 'remove_save']
    tick: int


class RemoveSaveReply(_RemoveSaveReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _RemoveTargetReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['pause', 'resume', 'remove_target', 'remove_obstacle', 'remove_save']
    tick: int


class RemoveTargetReply(_RemoveTargetReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _ResumeReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['pause', 'resume', 'remove_target', 'remove_obstacle', 'remove_save']
    tick: int


class ResumeReply(_ResumeReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _ResyncReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['unsubscribe', 'set_region', 'resync', 'bye']


class ResyncReply(_ResyncReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _SaveReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['save']
    tick: int
    hash: str
    bytes: int
    kept: Literal['disk', 'memory']


class SaveReply(_SaveReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _SeekReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['seek']
    tick: int
    world: int
    hash: str


class SeekReply(_SeekReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _SetParamReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['set_param']
    tick: int
    value: float


class SetParamReply(_SetParamReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _SetRegionReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['unsubscribe', 'set_region', 'resync', 'bye']


class SetRegionReply(_SetRegionReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _SetTargetReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['set_target']
    tick: int


class SetTargetReply(_SetTargetReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
    x: float
    y: float
    count: int
    heeded: Literal[False]


class _SpawnReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['spawn']
    tick: int
    count: int
    first_id: int
    last_id: int


class SpawnReply(_SpawnReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str


class _SpeedReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['speed']


class SpeedReply(_SpeedReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
    tick: int
    factor: float
    max: Literal[True]


class StatsReplySelfcheck(TypedDict):
    checked: int
    tick: int


StatsReplyDiverged = TypedDict('StatsReplyDiverged', {
    'from': int,
    'tick': int,
    'count': int,
    'agents': List[int],
})


class StatsReplyWaysItem(TypedDict):
    kind: str
    behavior: str
    lanes: float


class RankMs(TypedDict):
    mean: float
    p99: float


class _StatsReplyClusterRanksItemAlways(TypedDict):
    rank: int
    host: str
    work_ms: RankMs
    wait_ms: RankMs
    agents: int
    ghosts: int
    migrants: int


class StatsReplyClusterRanksItem(_StatsReplyClusterRanksItemAlways, total=False):
    rows: List[int]


class StatsReplyCluster(TypedDict):
    mode: Literal['copy', 'stripes']
    count: int
    age: float
    longest: int
    balance: float
    agents: int
    ghosts: int
    migrants: int
    migrants_per_second: float
    sorts: int
    ranks: List[StatsReplyClusterRanksItem]


class _StatsReplyJournalAlways(TypedDict):
    bytes: int
    synced_tick: int


class StatsReplyJournal(_StatsReplyJournalAlways, total=False):
    ended: str


class _StatsReplyRecordingAlways(TypedDict):
    file: str
    bytes: int


class StatsReplyRecording(_StatsReplyRecordingAlways, total=False):
    ended: str


class StatsReplyFrameMemory(TypedDict):
    now: int
    most: int
    limit: int


class StatsReplyLatenessMs(TypedDict):
    p50: float
    p99: float
    max: float


class StatsReplyPhasesMsValue(TypedDict):
    p50: float
    p99: float
    max: float


class _StatsReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['stats']
    tick: int
    uptime: float
    tick_hz: float
    paused: bool
    agents: int
    candidates: float
    ticks: int
    overruns: int
    dropped_ticks: int
    commands: int
    commands_waiting: int
    bytes_received: int
    bytes_sent: int
    frames_sent: int
    frames_skipped: int
    frame_memory: StatsReplyFrameMemory
    lateness_ms: StatsReplyLatenessMs
    phases_ms: Dict[str, StatsReplyPhasesMsValue]
    sessions: Dict[str, int]


class StatsReply(_StatsReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
    speed: float
    warming: float
    resuming: float
    left_out: LeftOut
    replay: Replay
    selfcheck: StatsReplySelfcheck
    diverged: StatsReplyDiverged
    ways: List[StatsReplyWaysItem]
    cluster: StatsReplyCluster
    journal: StatsReplyJournal
    recording: StatsReplyRecording


class _StepReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['step']
    tick: int


class StepReply(_StepReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
    hash: str
    stopped: Literal[True, 'reached', 'caught', 'state', 'tick']
    key: ServerKey
    frame: Union[ServerSnapshot, ServerDelta, None]
    nearest: str


class _SubscribeReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['subscribe']
    layout: Literal['objects', 'packed', 'density', 'events']


class SubscribeReply(_SubscribeReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
    hz: float
    every: int
    forces: bool
    parts: Literal[True]
    fields: List[Literal['pos', 'vel', 'heading', 'state', 'kind', 'stamina', 'force', 'desired']]
    region: List[float]
    kinds: List[str]
    grid: List[int]
    cell: List[float]
    by_kind: Literal[True]
    mean_speed: Literal[True]
    cursors: bool
    events: List[Literal['paused', 'resumed', 'speed', 'warmed_up', 'resumed_from', 'diverged', 'spawned', 'removed', 'param', 'target', 'target_added', 'target_removed', 'obstacle_added', 'obstacle_moved', 'obstacle_removed', 'recording_started', 'recording_ended', 'saved', 'save_removed', 'withdrawn', 'stepped', 'aim', 'placed', 'driven', 'loaded', 'cursor', 'cursor_gone', 'reached', 'caught', 'overload']]


class _UnsubscribeReplyAlways(TypedDict):
    op: Literal['reply']
    to: Literal['unsubscribe', 'set_region', 'resync', 'bye']


class UnsubscribeReply(_UnsubscribeReplyAlways, total=False):
    seq: int
    id: Union[int, str]
    unknown: List[str]
    hint: str
