/* Frames: the state of the world at a tick. Columns are base64 on the wire, decoded when they are read. */
import { DroverError, nonsense, type Line } from "./errors.js";

type Bytes = { readonly BYTES_PER_ELEMENT: number; new (buffer: ArrayBuffer): Column };
export type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array;

// Entries of the columns of a key (protocol.md, "key, delta").
const TYPES: Record<string, Bytes> = {
    id: Uint32Array, kind: Uint8Array, state: Uint16Array, x: Int32Array, y: Int32Array, vx: Int32Array, vy: Int32Array,
    heading: Uint16Array, stamina: Int32Array,
};
const MEASURES = ["x", "y", "vx", "vy", "heading", "stamina"] as const, PAIRS = ["desired", "steering", "twin"] as const;
const FIELD_OF: Record<string, string> = { x: "pos", y: "pos", vx: "vel", vy: "vel", steering: "force" };
const TURN = 36000; // hundredths of a degree

// --- base64

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Uint8Array(128).fill(64);
[...LETTERS].forEach((letter, value) => (VALUES[letter.charCodeAt(0)] = value));
VALUES["=".charCodeAt(0)] = 0;
const IS_BIG_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 0;

function swapped(bytes: Uint8Array, size: number): Uint8Array {
    for (let i = 0; IS_BIG_ENDIAN && i < bytes.length; i += size) {
        bytes.subarray(i, i + size).reverse();
    }
    return bytes;
}

/** The bytes of a column of entries of this size; refused unless they are count of them (without a count: any number). */
function decoded(text: unknown, size: number, count?: number): ArrayBuffer {
    if (typeof text !== "string") {
        throw nonsense("a column is no text");
    }
    const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0, first = text.indexOf("=");
    const bytes = new Uint8Array(Math.max(0, Math.floor(text.length / 4) * 3 - padding));
    let codes = 0, values = 0;
    for (let i = 0, at = 0; i + 3 < text.length; i += 4) {
        const a = text.charCodeAt(i), b = text.charCodeAt(i + 1), c = text.charCodeAt(i + 2), d = text.charCodeAt(i + 3);
        const p = VALUES[a & 127], q = VALUES[b & 127], r = VALUES[c & 127], s = VALUES[d & 127];
        codes |= a | b | c | d;
        values |= p | q | r | s;
        bytes[at++] = p << 2 | q >> 4; // what is beyond the end is not written
        bytes[at++] = q << 4 | r >> 2;
        bytes[at++] = r << 6 | s;
    }
    if (text.length % 4 !== 0 || codes > 127 || values > 63 || first >= 0 && first !== text.length - padding) {
        throw nonsense("a column is not base64");
    }
    if (bytes.length % size !== 0 || count !== undefined && bytes.length !== count * size) {
        throw nonsense(`a column has ${bytes.length} bytes, ${count ?? "whole"} entries of ${size} were expected`);
    }
    return swapped(bytes, size).buffer as ArrayBuffer;
}

/** A column of a request: ids as u32, all else as f32. */
function encoded(name: string, view: ArrayBufferView): string {
    const numbers = view as unknown as ArrayLike<number>;
    const column = name === "agents" ? Uint32Array.from(numbers) : Float32Array.from(numbers);
    const bytes = swapped(new Uint8Array(column.buffer), 4);
    let text = "";
    for (let i = 0; i < bytes.length; i += 8192) {
        text += String.fromCharCode(...bytes.subarray(i, i + 8192));
    }
    return btoa(text);
}

/** A request as a line. Typed arrays travel as base64; numbers that JSON does not have are refused. */
export function lineOf(members: Line): string {
    return JSON.stringify(members, (name, value) => {
        if (typeof value === "number" && !Number.isFinite(value)) {
            throw new TypeError(`${name} is ${value}; the protocol has finite numbers only`);
        }
        return ArrayBuffer.isView(value) ? encoded(name, value) : value;
    });
}

// --- keys

function countOf(line: Line): number {
    if (!Number.isInteger(line.n) || line.n < 0 || line.op === "key" && typeof line.id !== "string") {
        throw nonsense("a frame has no number of agents, or no column of ids");
    }
    return line.n;
}

/** The whole values that deltas refer to. before: the key that this one changes, if it does. */
export class Key {
    readonly count: number;
    private readonly columns = new Map<string, Column>();

    constructor(readonly line: Line, before?: Key) {
        this.count = countOf(line);
        if (line.from !== undefined) {
            this.count = this.merge(before);
        }
    }

    has(name: string): boolean {
        return name in TYPES && name in this.line;
    }

    column(name: string): Column {
        let found = this.columns.get(name);
        if (found === undefined) {
            const type = TYPES[name];
            found = new type(decoded(this.line[name], type.BYTES_PER_ELEMENT, this.count));
            this.columns.set(name, found);
        }
        return found;
    }

    /** The names that a column of indexes stands for. */
    names(name: string): readonly string[] {
        const names: unknown = this.line[`${name}s`];
        if (!Array.isArray(names) || !names.every((one) => typeof one === "string")) {
            throw nonsense(`a key has no ${name}s`);
        }
        return names;
    }

    /* The agents of the key before but those that are gone, and those that came, by id. Returns how many they are. */
    private merge(before: Key | undefined): number {
        if (before === undefined || this.line.from !== before.line.key) {
            throw nonsense("a change does not belong to the key before it");
        }
        const gone = new Uint32Array(decoded(this.line.gone ?? "", 4)), old = before.column("id"), came = this.column("id");
        const names = Object.keys(TYPES).filter((name) => this.has(name)), left = new Uint8Array(old.length).fill(1);
        if (gone.some((row) => row >= old.length)) {
            throw nonsense("a change removes an agent that is not there");
        }
        gone.forEach((row) => (left[row] = 0));
        if (names.join() !== Object.keys(TYPES).filter((name) => before.has(name)).join()) {
            throw nonsense("a change has other columns than the key before it");
        }
        const rows = new Int32Array(left.reduce((sum, one) => sum + one, came.length)); // of the key before; -1 - row of those that came
        for (let at = 0, i = 0, j = 0; at < rows.length; at++) {
            while (i < old.length && left[i] === 0) {
                i++;
            }
            rows[at] = i < old.length && !(j < came.length && came[j] < old[i]) ? i++ : -1 - j++;
        }
        for (const name of names) {
            const from = before.column(name), to = this.column(name), type = TYPES[name];
            const merged = new type(new ArrayBuffer(rows.length * type.BYTES_PER_ELEMENT));
            rows.forEach((row, at) => (merged[at] = row < 0 ? to[-1 - row] : from[row]));
            this.columns.set(name, merged);
        }
        return rows.length;
    }
}

// --- frames

/** What every frame has. line: as it came; missed: frames that were left out since the one before, by the server and here. */
class Moment {
    readonly tick: number;
    /** s of the world */
    readonly time: number;
    /** ms of the server */
    readonly clock: number;
    /** Of so many agents of the view the frame has one (subscribe with `most`); 1: all. */
    readonly oneIn: number;
    /** How many agents the view has in all, where the frame says it (subscribe with `most`). */
    readonly of?: number;

    constructor(readonly line: Line, readonly missed: number) {
        const { tick, time, clock, one_in: oneIn = 1, of = 0 } = line;
        if ([tick, time, clock, oneIn, of].some((one) => typeof one !== "number") || !Array.isArray(line.targets)) {
            throw nonsense("a frame has no tick, time, clock or targets");
        }
        this.tick = tick;
        this.time = time;
        this.clock = clock;
        this.oneIn = oneIn;
        this.of = line.of;
    }

    /** px, by name */
    get targets(): Record<string, { x: number; y: number }> {
        return Object.fromEntries(this.line.targets.map((target: Line | null) => [target?.name, { x: target?.x, y: target?.y }]));
    }
}

/** A column of names: `index` (numbers) into `names`. */
export class Names implements Iterable<string> {
    constructor(readonly index: Uint8Array | Uint16Array, readonly names: readonly string[]) {}

    get length(): number {
        return this.index.length;
    }
    at(row: number): string {
        return this.names[this.index[row]];
    }
    *[Symbol.iterator](): Iterator<string> {
        for (const index of this.index) {
            yield this.names[index];
        }
    }
}

/** Columns in px, px/s and degrees: `frame.px.x`. Pairs as in the frame. */
export type Px = { readonly [name in (typeof MEASURES | typeof PAIRS)[number]]: Float64Array };

/** Agents in columns, in ascending order of their ids, an entry for each. Lengths, speeds and angles are integers, hundredths of px, px/s and
 *  degrees; `px` has them as floating point numbers. `desired`, `steering` and `twin` (-2147483648: none) are pairs: x, y, x, y. A column is decoded when it is
 *  read, and is the frame's own. One that was not asked for is a DroverError `no_column`. */
export interface Frame {
    readonly id: Uint32Array;
    readonly kind: Names;
    readonly state: Names;
    readonly x: Int32Array;
    readonly y: Int32Array;
    readonly vx: Int32Array;
    readonly vy: Int32Array;
    readonly heading: Int32Array;
    readonly stamina: Int32Array;
    readonly desired: Int32Array;
    readonly steering: Int32Array;
    readonly twin: Int32Array;
}
export class Frame extends Moment {
    readonly px = {} as Px;
    /** Of a reply to a request with `nearest`: rows, as protocol.md says under get; -1: none. */
    readonly nearest?: Int32Array;
    private readonly columns = new Map<string, Names | Column>();

    /** @internal */
    constructor(line: Line, private readonly key: Key, missed: number, nearest?: unknown) {
        super(line, missed);
        if (line.key !== key.line.key || countOf(line) !== key.count) {
            throw nonsense("a delta does not belong to the key before it");
        }
        if (nearest !== undefined) {
            this.nearest = new Int32Array(decoded(nearest, 4));
        }
        const scale: unknown = key.line.scale ?? 100;
        if (typeof scale !== "number" || !(scale >= 1)) {
            throw nonsense("the scale of a key is no number of units");
        }
        for (const name of [...MEASURES, ...PAIRS]) {
            Object.defineProperty(this.px, name, { get: () => Float64Array.from(this[name], (value) => value / scale) });
        }
    }

    /** How many agents. */
    get n(): number {
        return this.key.count;
    }

    /** The columns that this frame has. */
    get names(): string[] {
        return [...Object.keys(TYPES).filter((name) => this.key.has(name)), ...PAIRS.filter((name) => name in this.line)];
    }

    /** One object for each agent, as in the layout objects: px and degrees, names of kinds and states. */
    agents(): Record<string, any>[] {
        const columns = this.names.map((name) => {
            const pairs = (PAIRS as readonly string[]).includes(name);
            const column: ArrayLike<any> = name in this.px ? this.px[name as keyof Px] : name === "id" ? this.id : [...this[name as "kind"]];
            return [name, (row: number) => (pairs ? [column[2 * row], column[2 * row + 1]] : column[row])] as const;
        });
        return Array.from({ length: this.n }, (_, row) => Object.fromEntries(columns.map(([name, at]) => [name, at(row)])));
    }

    /** @internal A column, decoded once. */
    column(name: string): Names | Column {
        let found = this.columns.get(name);
        if (found === undefined) {
            found = this.decode(name);
            this.columns.set(name, found);
        }
        return found;
    }

    private decode(name: string): Names | Column {
        const isPair = (PAIRS as readonly string[]).includes(name);
        if (isPair ? !(name in this.line) : !this.key.has(name)) {
            throw new DroverError("no_column", `the frame has no column ${name}; ask for it with the field "${FIELD_OF[name] ?? name}"`);
        }
        if (isPair) {
            return new Int32Array(decoded(this.line[name], 4, 2 * this.n));
        }
        const base = this.key.column(name);
        if (name === "id") {
            return base.slice();
        }
        if (name !== "kind" && name !== "state") {
            const column = Int32Array.from(base);
            this.addDifferences(name, column);
            this.putFar(name, column);
            return column;
        }
        const column = base.slice() as Uint8Array | Uint16Array, names = this.key.names(name);
        this.putFar(name, column);
        if (column.some((index) => index >= names.length)) {
            throw nonsense(`the column ${name} refers to a name that is not there`);
        }
        return new Names(column, names);
    }

    private addDifferences(name: string, column: Int32Array): void {
        if (this.line[name] === undefined) {
            return;
        }
        const differences = new Int16Array(decoded(this.line[name], 2, this.n));
        for (let i = 0; i < column.length; i++) {
            column[i] += differences[i];
        }
        if (name === "heading") {
            column.forEach((value, i) => (column[i] = (value % TURN + TURN) % TURN));
        }
    }

    private putFar(name: string, column: Int32Array | Uint8Array | Uint16Array): void {
        const far = new Int32Array(decoded(this.line[`${name}_far`] ?? "", 4));
        for (let i = 0; i < far.length; i += 2) {
            column[far[i]] = far[i + 1];
            if (i + 1 === far.length || !(far[i] >= 0 && far[i] < this.n) || column[far[i]] !== far[i + 1]) {
                throw nonsense(`${name}_far has no value, or names an agent that is not there`);
            }
        }
    }
}
for (const name of [...Object.keys(TYPES), ...PAIRS]) {
    Object.defineProperty(Frame.prototype, name, {
        get(this: Frame) {
            return this.column(name);
        },
    });
}

/** A frame of the layout objects: agents as they came. */
export class Snapshot extends Moment {
    readonly n: number;
    readonly agents: Record<string, any>[];

    /** @internal */
    constructor(line: Line, missed: number) {
        super(line, missed);
        if (!Array.isArray(line.agents)) {
            throw nonsense("a snapshot has no agents");
        }
        this.agents = line.agents;
        this.n = line.agents.length;
    }
}

/** A frame of the layout density: for each cell, row by row, the number of agents and their mean velocity in hundredths of px/s. With
 *  `by_kind` and `mean_speed` of the subscription the count of each kind, and the mean of the agents' speeds. */
export class Density extends Moment {
    /** Columns and rows. */
    readonly grid: readonly [number, number];
    readonly count: Uint32Array;
    readonly vx: Int32Array;
    readonly vy: Int32Array;
    readonly mean_speed?: Uint32Array;
    readonly by_kind?: Record<string, Uint32Array>;

    /** @internal */
    constructor(line: Line, missed: number) {
        super(line, missed);
        const { grid, mean_speed, by_kind } = line;
        if (!Array.isArray(grid) || grid.length !== 2 || !grid.every((size) => Number.isInteger(size) && size > 0)) {
            throw nonsense("a density has no grid");
        }
        const bytes = (text: unknown): ArrayBuffer => decoded(text, 4, grid[0] * grid[1]);
        this.grid = grid as [number, number];
        this.count = new Uint32Array(bytes(line.count));
        this.vx = new Int32Array(bytes(line.vx));
        this.vy = new Int32Array(bytes(line.vy));
        this.mean_speed = mean_speed === undefined ? undefined : new Uint32Array(bytes(mean_speed));
        this.by_kind = by_kind && Object.fromEntries(Object.entries(by_kind).map(([kind, text]) => [kind, new Uint32Array(bytes(text))]));
    }
}

export type AnyFrame = Frame | Snapshot | Density;

/** The frame of a line snapshot, delta or density. */
export function frameOf(line: Line, key: Key | undefined, missed: number, nearest?: unknown): AnyFrame {
    if (line.op === "snapshot") {
        return new Snapshot(line, missed);
    }
    if (line.op === "density") {
        return new Density(line, missed);
    }
    if (key === undefined) {
        throw nonsense("a delta came without its key");
    }
    return new Frame(line, key, missed, nearest);
}

/** The frame that a reply of `get` or `step` carries. */
export function frameOfReply(reply: Line): AnyFrame | undefined {
    const { frame, key, nearest } = reply;
    return typeof frame === "object" && frame !== null ? frameOf(frame, key instanceof Object ? new Key(key) : undefined, 0, nearest) : undefined;
}
