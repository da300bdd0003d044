/* The client: a session, the transport below it, and what waits for either. */
import { DroverError, type Line } from "./errors.js";
import { frameOfReply, type AnyFrame, type Density, type Frame, type Snapshot } from "./frames.js";
import { Session, type Request } from "./session.js";
import { dialOf, overPort, type Dial, type Port, type Transport } from "./transport.js";
import { POSITIONAL } from "./wire.js";
import type { Bye, CursorsLine, EventName, Events, Hello, Members, Replies, Requests, ScenarioLine } from "./wire.js";

const TIMEOUT_MS = 10000, SILENCE_MS = 30000, LOOKS = 6; // in the time of SILENCE_MS
const MAX_LINE = 1 << 28;
const EVENTS_MOST = 65536; // that wait for a loop over events; the oldest go first

/** How long to wait. */
export interface Limits {
    /** ms; Infinity: any time. What was sent may still take effect. */
    timeoutMs?: number;
    /** Ends the wait. What was sent may still take effect. */
    signal?: AbortSignal;
}

/** Of a request. */
export interface AskOptions extends Limits {
    /** false: sent without an id and not waited for; only errors are answered, as notices `error`. For sixty `mouse` a second. */
    reply?: boolean;
}

export interface ConnectOptions extends Omit<Members["hello"], "protocol">, Limits {
    /** Whether a connection that is lost is made again; true unless `where` is a transport, which cannot be. */
    reconnect?: boolean;
    /** After so long without a line, although one is due (a ping asks for it), the connection counts as lost; 30000, for ports Infinity. */
    silenceMs?: number;
    /** The longest line to be kept, in bytes; 268435456. */
    maxLine?: number;
}

/** Where a server is: an address, a port to one, a transport, or what makes a transport each time one is needed. */
export type Where = string | URL | Port | Transport | Dial;

/** A connection went, or came (back). */
export type LinkNotice =
    | { up: true; again: boolean; hello: Hello; subscribed: boolean; refused?: DroverError }
    | { up: false; reason: string; lost: number };

/** What `on` calls back with. */
export interface Notices extends Events {
    event: Events[EventName]; scenario: ScenarioLine; cursors: CursorsLine; error: DroverError; bye: Bye; link: LinkNotice; line: string; other: Line;
    warning: { op: string; unknown: string[]; hint?: string };
}

/** A number that can be tuned while the world runs. */
export type Param = Replies["get_params"]["params"][number];
/** A member of a request, as the server describes it. */
export type Field = Record<string, any> & { name: string; type: string; required?: boolean; help: string };
/** What a step came to. frame: with `return`. */
export type StepResult<F = AnyFrame | undefined> = Omit<Replies["step"], "frame" | "key"> & { readonly frame: F };

type FrameOf<M> = M extends { layout: "objects" } ? Snapshot : M extends { layout: "density" } ? Density : Frame;
type WatchMembers = Omit<Members["subscribe"], "layout"> & { layout?: "packed" | "objects" | "density" };

/* A promise that `start` settles, unless the time or the caller's patience ends before; then what start returned is called. */
function limited<T>({ timeoutMs = Infinity, signal }: Limits, late: () => DroverError,
                    start: (done: (value: T) => void, fail: (error: unknown) => void) => () => void): Promise<T> {
    return new Promise((resolve, reject) => {
        let cancel = (): void => {};
        const end = <V>(settle: (value: V) => void) => (value: V): void => {
            clearTimeout(timer);
            signal?.removeEventListener("abort", abort);
            settle(value);
        };
        const giveUp = (why: unknown): void => {
            cancel();
            end(reject)(why);
        };
        const abort = (): void => giveUp(signal!.reason);
        const timer = timeoutMs < 2 ** 31 ? setTimeout(() => giveUp(late()), timeoutMs) : undefined;
        signal?.addEventListener("abort", abort);
        if (signal?.aborted) {
            abort();
            return;
        }
        try {
            cancel = start(end(resolve), end(reject));
        } catch (error) {
            end(reject)(error);
        }
    });
}

declare global {
    interface SymbolConstructor { readonly asyncDispose: unique symbol } // as in the libraries of TypeScript 5.2
}

/** A connection to a server; see `connect`. Every request of protocol.md is a method of its name. */
export interface Drover extends Requests {
    /** The same as `close`, for `await using`. */
    [Symbol.asyncDispose](): Promise<void>;
}
export class Drover {
    private readonly session: Session;
    private readonly dial: (options: { signal: AbortSignal; maxLine: number }) => Transport | Promise<Transport>;
    private readonly limits: Required<Pick<ConnectOptions, "timeoutMs" | "reconnect" | "silenceMs" | "maxLine">>;
    private readonly callbacks = new Map<string, Set<(payload: any) => void>>();
    private transport?: Transport;
    private opening?: { done(): void; fail(error: DroverError): void };
    private waiters = new Set<() => void>(); // for a frame, or a change of the connection
    private whyDown = "the connection is gone";
    private retryTimer?: ReturnType<typeof setTimeout>;
    private lookTimer?: ReturnType<typeof setInterval>;
    private silent = 0; // looks since the last line
    /** @internal */
    watched?: Watch<unknown>;

    /** @internal */
    constructor(where: Where, { timeoutMs = TIMEOUT_MS, signal: _, reconnect, silenceMs, maxLine = MAX_LINE, ...hello }: ConnectOptions) {
        const isAddress = typeof where === "string" || where instanceof URL, address = isAddress ? String(where) : "";
        const made = isAddress || typeof where === "function" ? undefined : "postMessage" in where ? overPort(where) : where;
        const dial = made !== undefined ? (): Transport => made : isAddress ? dialOf(address) : where as Dial;
        this.dial = (options) => dial(address, options);
        this.limits = {
            timeoutMs, maxLine, reconnect: made === undefined && reconnect !== false,
            silenceMs: silenceMs ?? (isAddress ? SILENCE_MS : Infinity),
        };
        this.session = new Session(hello, (what, payload) => this.notice(what, payload));
    }

    // --- life

    /** The first line of the present connection. */
    get greeting(): Hello {
        return this.session.greeting as Hello;
    }
    /** The description of the world, the newest that came. */
    get scenario(): ScenarioLine {
        return this.session.scenario as ScenarioLine;
    }
    /** Whether a connection is there. */
    get isUp(): boolean {
        return this.session.state === "up";
    }

    /** @internal Connects, with one attempt. */
    async open(limits: Limits): Promise<void> {
        try {
            await this.attempt({ timeoutMs: this.limits.timeoutMs, ...limits });
            if (this.session.state === "up" && this.session.scenario.name === undefined && this.session.greeting.role !== "none") {
                await this.ask("ping", {}, limits); // the description of the world comes before its answer
            }
        } catch (error) {
            await this.close();
            throw error;
        }
        if (this.limits.silenceMs < Infinity) {
            this.lookTimer = setInterval(() => this.examine(), this.limits.silenceMs / LOOKS);
            (this.lookTimer as { unref?(): void }).unref?.(); // alone it keeps no process of Node.js
        }
    }

    /** Closes the connection. What waits for an answer fails with `closed`. */
    async close(): Promise<void> {
        this.end();
    }

    private end(why?: DroverError): void {
        this.session.close(why);
        clearTimeout(this.retryTimer);
        clearInterval(this.lookTimer);
        const transport = this.transport;
        this.transport = undefined;
        transport?.close();
        this.opening?.fail(this.session.fatal!);
        this.wake();
    }

    private attempt(limits: Limits): Promise<void> {
        const given = new AbortController();
        const late = (): DroverError => new DroverError("timeout", "the server did not greet in time");
        return limited<void>(limits, late, (done, fail) => {
            const end = <V>(settle: (value: V) => void) => (value: V): void => {
                this.opening = undefined; // at once: the next line may be the connection's end
                settle(value);
            };
            this.opening = { done: end(done), fail: end(fail) };
            const failed = (error: Error): void => {
                if (!given.signal.aborted) {
                    this.session.lost(error.message);
                    this.opening?.fail(error as DroverError);
                }
            };
            void (async () => this.dial({ signal: given.signal, maxLine: this.limits.maxLine }))().then((transport) => {
                if (given.signal.aborted || this.session.state === "closed") {
                    transport.close();
                    return;
                }
                this.transport = transport;
                transport.onlines = (lines) => this.take(transport, lines);
                transport.onclose = (why) => this.lose(transport, why);
                this.session.connected((line) => transport.send(line));
            }, failed);
            return () => {
                const transport = this.transport;
                given.abort();
                this.opening = this.transport = undefined;
                transport?.close();
                this.session.lost(late().message);
            };
        });
    }

    private comeBack(): void {
        this.retryTimer = setTimeout(() => {
            this.attempt({ timeoutMs: TIMEOUT_MS }).catch((error: Error) => {
                this.whyDown = error.message;
                if (this.session.state !== "closed") {
                    this.comeBack();
                }
            });
        }, this.session.retryDelayMs);
    }

    private take(transport: Transport, lines: string[]): void {
        if (transport !== this.transport) {
            return;
        }
        this.silent = 0;
        try {
            this.session.receive(lines);
        } catch (error) {
            this.lose(transport, error as DroverError);
        }
        if (this.session.state === "up") {
            this.opening?.done();
        }
        this.wake();
    }

    private lose(transport: Transport, why: string | DroverError): void {
        if (transport !== this.transport) {
            return;
        }
        const wasOpening = this.opening, error = typeof why === "string" ? new DroverError("unreachable", why) : why;
        this.transport = undefined;
        transport.close();
        this.whyDown = this.session.lost(error.message);
        if (this.session.fatal !== undefined) {
            this.end();
        } else if (wasOpening !== undefined) {
            wasOpening.fail(this.session.refusal ?? (typeof why === "string" ? new DroverError("unreachable", this.whyDown) : error));
        } else if (this.limits.reconnect) {
            this.comeBack();
        } else {
            this.end(new DroverError("lost", `${this.whyDown}; this client does not reconnect`));
        }
        this.wake();
    }

    /* A connection that is gone without a word: nothing came, not even the answer to a ping. */
    private examine(): void {
        const { transport, session } = this;
        if (transport === undefined || !session.isExpecting) {
            this.silent = 0;
        } else if (++this.silent === LOOKS / 2) {
            session.ping();
        } else if (this.silent > LOOKS) {
            this.lose(transport, "the server is silent");
        }
    }

    // --- requests

    /** Any request, also one that this version of the package does not know. */
    ask<Op extends keyof Members>(op: Op, members?: Members[Op], options?: AskOptions): Promise<Replies[Op]>;
    ask(op: string, members?: Line, options?: AskOptions): Promise<Line>;
    ask(op: string, members: Line = {}, { reply = true, ...limits }: AskOptions = {}): Promise<Line> {
        let request: Request | undefined;
        const late = (): DroverError => request?.isSent === false
            ? new DroverError("unreachable", `${this.whyDown}, and no server came back in time`)
            : new DroverError("timeout", `no answer to \`${op}\` in time; what was sent may still take effect`);
        return limited<Line>({ timeoutMs: this.limits.timeoutMs, ...limits }, late, (done, fail) => {
            const made = request = this.session.request(op, members, reply, done, fail);
            return () => this.session.abandon(made);
        });
    }

    /** Does ticks of a paused world: `const { tick, hash } = await world.step(60)`. */
    step(count: number, members: Omit<Members["step"], "count"> & { return: "packed" }, options?: AskOptions): Promise<StepResult<Frame>>;
    step(count?: number, members?: Omit<Members["step"], "count">, options?: AskOptions): Promise<StepResult>;
    step(members: Members["step"], options?: AskOptions): Promise<StepResult>;
    async step(...values: any[]): Promise<any> {
        const reply = await this.ask(...call("step", values));
        return { ...reply, frame: frameOfReply(reply) };
    }

    /** Params by kind and name. */
    params(): Promise<Record<string, Record<string, Param>>>;
    /** Params of a kind by name. */
    params(kind: string, limits?: Limits): Promise<Record<string, Param>>;
    async params(kind?: string, limits?: Limits): Promise<any> {
        const rows = (await this.ask("get_params", { kind }, limits)).params;
        const of = (kind: string): object => Object.fromEntries(rows.filter((row) => row.kind === kind).map((row) => [row.param, row]));
        return kind === undefined ? Object.fromEntries(rows.map((row) => [row.kind, of(row.kind)])) : of(kind);
    }

    /** The members that a request takes, by name, in the server's words. */
    async fields(op: keyof Members, limits?: Limits): Promise<Record<string, Field>> {
        const reply: Line = await this.ask("help", { about: op }, limits);
        return Object.fromEntries((reply.ops[0].fields ?? []).map((field: Field) => [field.name, field]));
    }

    /** A frame of the present tick, without a subscription; packed unless it says otherwise. */
    async snapshot<M extends Members["get"] = {}>(members?: M, limits?: Limits): Promise<FrameOf<M>> {
        return frameOfReply(await this.ask("get", { layout: "packed", ...members }, limits)) as unknown as FrameOf<M>;
    }

    // --- frames and events

    /** `for await (const frame of world.watch({ hz: 20 }))`: subscribes, and gives the newest frame each time. Leaving the loop
     *  unsubscribes. Packed unless it says otherwise. */
    watch<M extends WatchMembers = {}>(members?: M, limits: Limits = {}): Watch<FrameOf<M>> {
        return new Watch<FrameOf<M>>(this, { layout: "packed", ...members }, limits);
    }

    /** Events of these names, or all, as they come; subscribes to events where there is no subscription. A time limit is one for each. */
    async *events<Name extends EventName = EventName>(names: Name | readonly Name[] = [], limits: Limits = {}): AsyncGenerator<Events[Name], void> {
        const wanted: readonly string[] = typeof names === "string" ? [names] : names;
        const waiting: Events[Name][] = [];
        const end = this.on("event", (event) => {
            if (wanted.length === 0 || wanted.includes(event.event)) {
                waiting.splice(0, waiting.length - EVENTS_MOST + 1);
                waiting.push(event as Events[Name]);
                this.wake();
            }
        });
        try {
            if (this.session.subscription === undefined) {
                await this.ask("subscribe", { layout: "events" }, { signal: limits.signal });
            }
            for (;;) {
                while (waiting.length === 0) {
                    await this.something(limits, "no event");
                }
                yield waiting.shift()!;
            }
        } finally {
            end();
        }
    }

    /** Calls back with each `event` or event of a name ("caught"), `scenario`, `cursors`, `error` (of requests without an id), `bye`, `link` (the
     *  connection went or came back), `warning` (a request was done without members that the server does not know) and `line` (every line).
     *  Returns a function that ends it; so does the signal. */
    on<What extends keyof Notices>(what: What, callback: (payload: Notices[What]) => void, { signal }: { signal?: AbortSignal } = {}): () => void {
        const callbacks = this.callbacks.get(what) ?? new Set(), one = (payload: any): void => callback(payload);
        const end = (): void => void callbacks.delete(one);
        this.callbacks.set(what, callbacks);
        if (!signal?.aborted) {
            callbacks.add(one);
            signal?.addEventListener("abort", end, { once: true });
        }
        return end;
    }

    private notice(what: string, payload: any): void {
        if (what === "warning" && !this.callbacks.get(what)?.size) {
            console.warn(`drover: ${payload.op} was done without ${payload.unknown.join(", ")}, which the server does not know` + (payload.hint ? `; ${payload.hint}` : ""));
        }
        for (const name of what === "event" ? [what, String(payload.event)] : [what]) {
            for (const callback of this.callbacks.get(name) ?? []) {
                queueMicrotask(() => callback(payload)); // what it throws is the caller's, and no line is lost by it
            }
        }
    }

    // --- waiting

    private wake(): void {
        const waiters = this.waiters;
        this.waiters = new Set();
        waiters.forEach((waiter) => waiter());
    }

    /** @internal Waits until something came or the connection changed. */
    something(limits: Limits, what: string): Promise<void> {
        if (this.session.state === "closed") {
            return Promise.reject(this.session.fatal);
        }
        return limited<void>(limits, () => new DroverError("timeout", `${what} in time`), (done) => {
            this.waiters.add(done);
            return () => this.waiters.delete(done);
        });
    }

    /** @internal The newest frame of what this loop watches; nothing when none came yet. */
    frameFor(watch: Watch<unknown>): AnyFrame | undefined {
        const { session } = this;
        if (this.watched !== watch || session.state === "up" && session.subscription === undefined) {
            throw session.refusal ?? new DroverError("replaced", "another subscription, or the end of this one, took the place of what was watched");
        }
        try {
            return session.takeFrame();
        } catch (error) {
            if (this.transport !== undefined) {
                this.lose(this.transport, error as DroverError);
            }
            throw error;
        }
    }

    /** @internal Unsubscribes, without waiting for the reply. */
    unwatch(watch: Watch<unknown>): void {
        if (this.watched === watch) {
            this.watched = undefined;
            if (this.session.state === "up") {
                this.session.abandon(this.session.request("unsubscribe", {}, true, () => {}, () => {}));
            }
            this.session.subscription = undefined;
        }
    }
}

/* The members of a request: those that were given by position under their names, the others in an object. */
function call(op: string, values: any[]): [string, Line, AskOptions | undefined] {
    const positional: readonly string[] = POSITIONAL[op as keyof typeof POSITIONAL], members: Line = {};
    const count = values.findIndex((value) => typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype);
    const given = count < 0 ? values : values.slice(0, count);
    if (given.length > positional.length) {
        throw new TypeError(`${op} takes ${positional.length} members by position (${positional.join(", ") || "none"}), ${given.length} were given`);
    }
    given.forEach((value, i) => {
        const isOne = positional[i] === "agents" && (typeof value === "number" || typeof value === "string");
        members[isOne ? (typeof value === "number" ? "agent" : "kind") : positional[i]] = value;
    });
    return [op, { ...members, ...values[given.length] }, values[given.length + 1]];
}
for (const op of Object.keys(POSITIONAL)) {
    if (!Object.hasOwn(Drover.prototype, op)) {
        Object.defineProperty(Drover.prototype, op, {
            value(this: Drover, ...values: any[]) {
                return this.ask(...call(op, values));
            },
        });
    }
}
Object.defineProperty(Drover.prototype, Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose"), { value: Drover.prototype.close });

/** The frames of a subscription, the newest each time. */
export class Watch<F> implements AsyncIterableIterator<F> {
    /** What the server granted. */
    granted?: Replies["subscribe"];
    private state: "new" | "open" | "closed" = "new";

    /** @internal */
    constructor(private readonly world: Drover, private readonly members: WatchMembers, private readonly limits: Limits) {}

    [Symbol.asyncIterator](): this {
        return this;
    }

    async next(): Promise<IteratorResult<F, undefined>> {
        try {
            if (this.state === "new") {
                this.granted = await this.world.ask("subscribe", this.members, { signal: this.limits.signal });
                this.state = "open";
                this.world.watched = this;
            }
            while (this.state === "open") {
                const frame = this.world.frameFor(this);
                if (frame !== undefined) {
                    return { done: false, value: frame as unknown as F };
                }
                await this.world.something(this.limits, "no frame");
            }
        } catch (error) {
            if (this.limits.signal?.aborted) {
                this.world.watched = this; // the subscription may have been granted without us
            }
            await this.return();
            throw error;
        }
        return { done: true, value: undefined };
    }

    /** Ends the loop: unsubscribes. */
    async return(): Promise<IteratorResult<F, undefined>> {
        this.state = "closed";
        this.world.unwatch(this);
        return { done: true, value: undefined };
    }
}

/** Connects: `await connect("ws://127.0.0.1:7718/ws")`, in Node.js also `"tcp://127.0.0.1:7717"`. name, token, seq and speed are those of the
 *  request hello. Fails with a DroverError when there is no connection after one attempt; one that is lost later is made again. */
export async function connect(where: Where, options: ConnectOptions = {}): Promise<Drover> {
    const world = new Drover(where, options), { timeoutMs, signal } = options;
    await world.open(timeoutMs === undefined ? { signal } : { timeoutMs, signal });
    return world;
}
