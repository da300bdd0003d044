/* The sections of JSON that web/page_panels.c writes, and the messages that it takes: the words of the page.
 *
 * A section is sent when its text differs from the one before; what is absent has not changed, and null is not shown now. Colors are "#rrggbb" or
 * "#rrggbbaa". Lengths are CSS px. Names are those of viewer/panels/panels.h. */

export interface Theme {
    light: boolean;
    /** By the names of enum theme_part, as custom properties of CSS: "text-dim". */
    colors: Record<string, string>;
}

/** A row of viewer/model/shortcuts.c. */
export interface Action {
    row: number; /* what a message names it by */
    key: string; /* "Space" */
    words: string; /* what it does */
    why?: string; /* why it does nothing now: the control is disabled */
}

export type Actions = Record<"pause" | "step" | "restart" | "live" | "mark" | "what_if" | "panel" | "legend" | "params" | "picker" | "card" | "help" | "close" |
    "take_over" | "export" | "back" | "forward" | "add" | "remove" | "follow" | "next_agent" | "fit" | "undo" | "redo" | "leave_out" | "save" | "forces" |
    "full_screen" | "screenshot", Action>;

/** Which parts are shown. */
export interface Open {
    kiosk: boolean;
    legend: boolean; /* its rows; its head is shown in any case */
    panel: boolean; /* the side panel */
    panel_px: number; /* how wide it is to be */
    timeline: boolean;
    replay: boolean; /* the timeline is that of a recording */
    help: boolean;
    picker: boolean;
    card: boolean;
    question: number; /* 0: none */
    params: boolean;
}

export interface Bar {
    scenario: string;
    state: string;
    state_color: string;
    state_words: string; /* the color of the words */
    state_tip: string; /* what the state means, and what would help; "" where it says itself */
    tick: string;
    time: string;
    agents: string;
    role: string;
    ping: string;
    rate: string;
    clip: string;
    recording: string;
    address: string;
}

export interface Caption {
    lines: string[]; /* three; "" for none */
    alpha: number;
    high: boolean;
}

/** The card beside the selected agent. */
export interface Tag {
    x: number;
    y: number;
    wide: number;
    lines: string[]; /* three; the first one "": no card */
}

export interface LegendRow {
    words: string;
    mark: string; /* "agent", "color", "vector" ... */
    shape: string; /* of mark "agent": its corners around 0, 0, pointing right: "8,0 -6,5 ..." */
    count: number; /* -1: none */
    fill: string;
    lit?: boolean; /* of agents: whether they are lit */
}

export interface Scale {
    title: string;
    numbers: string[]; /* low, first quarter, middle, last quarter, high; "" for none */
    steps: string[];
}

export interface Legend {
    agents: number; /* the first rows are of agents */
    rows: LegendRow[];
    scale?: Scale;
}

export interface Row {
    name: string;
    value: string;
    tip: string;
}

/** A section of the side panel, as panel_sections of viewer/panels/panel_controls.c has it. */
export interface Side {
    name: string;
    title: string;
    key: string; /* in its head */
    shown: boolean;
    rows: Row[];
}

export interface Agent {
    title: string; /* "" for none */
    note: string;
}

/** What of the picture a word belongs to: [what, term, part, point] of struct lit. */
export type Lit = [number, number, number, number];

export interface Token {
    text: string;
    color: string;
    lit?: Lit;
    on?: boolean; /* pointed at, in the picture or here */
    number?: number; /* 1, 2: so many numbers, which keep their room */
    tip?: string;
}

export interface Line {
    kind: number; /* enum formula_line_kind */
    tokens: Token[];
}

export interface Term {
    behavior: string;
    color: string; /* of the words */
    fill: string; /* of the bar */
    words: string; /* "wants 14 400, gets 360" */
    wants: number; /* shares of the widest bar, 0 to 1 */
    gets: number;
    lit: Lit;
    on: boolean;
    weight: number; /* the parameter that mutes it; -1: none */
    muted: boolean;
    quiet: boolean;
    parts: { behavior: string; words: string; share: number; fill: string; lit: Lit }[];
    lines: Line[];
}

export interface FigureArrow {
    label: string;
    color: string;
    wide: boolean;
    from: [number, number];
    to: [number, number];
}

export interface Figure {
    kind: number; /* enum formula_figure_kind */
    title: string;
    title_color: string;
    tip: string;
    low: [number, number];
    high: [number, number];
    bar: number;
    bar_words: string;
    arrows: FigureArrow[];
}

export interface Equations {
    has: boolean; /* without: nothing else */
    kind?: string; /* of the agent: its terms' ids begin with it */
    terms?: Term[];
    muted?: { behavior: string; weight: number }[];
    no_tuning?: string;
    figure?: Figure;
    sum?: Line[];
}

export interface Setting {
    row: number;
    key: string;
    label: string;
    tip: string;
    value: boolean | string;
    choices?: string[];
    mark: string; /* "", "vector", "circle", "tie", "cross" */
    mark_color: string;
}

export interface Plot {
    title: string;
    value: string;
    tip: string;
    top: number;
    top_words: string;
    series: { name: string; fill: string; values: (number | null)[] }[];
}

export interface Plots {
    plots: Plot[];
    times: number[]; /* of the samples, simulated s; the newest last */
    most: number; /* samples in a whole minute */
    mark: number; /* -1: none */
    choices: { words: string; kind: string; name: string; on: boolean }[]; /* the first: nothing */
}

export interface Param {
    index: number;
    group: string; /* "flee: flock", "body" */
    first_of: boolean; /* it begins its group */
    now: boolean; /* the group is open at first */
    name: string;
    value: number;
    words: string; /* the value with its unit */
    first: number;
    least: number; /* of the track */
    most: number;
    help: string;
    range: string; /* "0 to 400 px/s; it was 240 px/s" */
}

export interface Params {
    kind: string;
    kinds: string[];
    rows: Param[];
    note: string;
    no_tuning: string;
}

export interface Timeline {
    play: boolean; /* the button lets the world run; else it pauses */
    live: boolean;
    has_live: boolean;
    beyond: boolean; /* the handle is at a moment that this page has not seen: the picture is of now */
    twin: boolean; /* a twin runs beside the world */
    at: number; /* places on the line, 0 to 1: of the handle, of now, of what this page and the server have first */
    now: number;
    seen: number;
    kept: number;
    bends: [number, number][]; /* ticks and their places; between two of them in proportion */
    moment: string; /* of the handle: "2.2 s ago, tick 120" */
    back: string; /* "-2.2 s" */
    past: string; /* "2.2 s ago"; "" when it is live */
    speed: number; /* 0: as fast as it goes */
    speed_words: string;
    speed_place: number; /* of the slider, 0 to 1 */
    speed_one: number; /* where 1 is */
    no_speed: string;
}

/** A mark, or what was done: on the line (lane -1), or on a lane. */
export interface Moment {
    tick: number;
    lane: number;
    words: string;
}

/** What the server keeps of a live world. Lanes: branches that were left. */
export interface Past {
    branch: string; /* "branch b2" */
    no_go_on: string; /* why the world cannot go on from a moment of it; "" when it can */
    lanes: { name: string; parent: number; from: number; to: number; words: string }[];
    marks: Moment[];
    changes: Moment[];
}

export interface Replay {
    share: number; /* of the line, 0 to 1 */
    time: string;
    worlds: string;
    marks: number[]; /* shares where worlds begin */
    wrong?: [number, number]; /* shares: from there to there it is not what was recorded */
    wrong_words: string;
    other: boolean;
    hint: string; /* of the place that is pointed at */
}

export interface Hit {
    name: string;
    title: string;
    description: string;
    caption: string;
    group: string; /* "" inside of a group */
    group_count: number;
    save: boolean;
}

export interface Picker {
    hits: Hit[];
    count_words: string;
    wanted: string; /* what the hits fit */
}

export interface Card {
    title: string;
    caption: string;
    description: string;
    try: string;
    look_for: string;
    source: string;
    keys: { key: string; words: string }[];
}

export interface Help {
    title: string;
    rows: { key: string; words: string; way: string; off: boolean }[]; /* way: what else does it, "" for none */
}

export interface Dialog {
    question: number;
    title: string;
    words: string;
    note: string;
    agree: string;
    grave: boolean;
    line: boolean;
    proposal: string;
    most: number; /* characters of the line */
}

export interface Toast {
    words: string;
    kind: "" | "error" | "warning";
    alpha: number;
}

export interface Banner {
    title: string;
    words: string;
    token: boolean; /* it asks for one */
}

export interface Label {
    x: number;
    y: number;
    fill: string;
    text: string;
}

export interface Network {
    bad: boolean;
    late_ms: number[];
}

/** A rank of a cluster: its work and its wait, in percent of the longest tick. */
export interface Rank {
    name: string;
    value: string;
    tip: string;
    work: number;
    wait: number;
    longest: boolean;
}

export interface Words {
    tool: string; /* what a click does */
    hint: string; /* what to do first */
}

export interface Sections {
    theme?: Theme;
    actions?: Actions;
    open?: Open;
    bar?: Bar;
    words?: Words;
    caption?: Caption;
    legend?: Legend;
    side?: Side[];
    agent?: Agent;
    equations?: Equations;
    settings?: Setting[];
    plots?: Plots | null;
    params?: Params | null;
    timeline?: Timeline;
    past?: Past | null;
    replay?: Replay | null;
    picker?: Picker | null;
    card?: Card | null;
    help?: Help;
    dialog?: Dialog | null;
    toast?: Toast;
    banner?: Banner;
    tag?: Tag;
    labels?: Label[];
    network?: Network;
    ranks?: Rank[];
}

/** What the page tells the app. */
export type Message =
    | { do: "shortcut"; row: number }
    | { do: "choose"; row: number; choice: number }
    | { do: "tune"; param: number; value: number; held: boolean }
    | { do: "first"; param: number } /* the value that it had at first */
    | { do: "mute"; param: number }
    | { do: "kind"; kind: number }
    | { do: "filter"; text: string }
    | { do: "own"; kind: string; name: string }
    | { do: "copy" }
    | { do: "lit"; lit: Lit } /* [0, -1, -1, -1]: nothing */
    | { do: "light"; row: number } /* of the legend, pointed at; -1: none */
    | { do: "width"; px: number } /* of the side panel */
    | { do: "keep_light"; row: number } /* or lets go */
    | { do: "scrub"; share: number; held: boolean }
    | { do: "branch"; name: string } /* the world is to go on where it was left */
    | { do: "seek"; share: number; held: boolean }
    | { do: "point"; share: number } /* at the line of a recording; -1: not */
    | { do: "speed"; place: number; held: boolean }
    | { do: "set_speed"; speed: number } /* as typed; 0: as fast as it goes */
    | { do: "wanted"; text: string }
    | { do: "pick"; name: string; save: boolean }
    | { do: "remove"; name: string; save: boolean }
    | { do: "entered"; text: string }
    | { do: "agree"; entered: string }
    | { do: "cover"; right: number; bottom: number; narrow: boolean } /* of the legend; whether a sheet stands for the panel */
    | { do: "font"; line: number; widths: number[] }; /* px of the characters from ' ' to '~' */
