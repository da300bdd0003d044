/* The client's side of the protocol without input or output: lines in, lines out. A session lives as long as the client; connections come
 * and go below it. Nothing in here waits or reads a clock. */
import { DroverError, nonsense, parse, type Line } from "./errors.js";
import { frameOf, Key, lineOf, type AnyFrame } from "./frames.js";

const PROTOCOL = 1;
const RETRY_FIRST_MS = 250, RETRY_MOST_MS = 5000, RETRY_WISH_MOST_MS = 60000;
const FRAME_START = /^\{"op":"(?:snapshot|delta|density)",/;
const FINAL_REASONS = ["auth", "protocol"]; // of bye: connecting again would end alike

/** A request. `done` or `fail` is called once, unless it is abandoned. */
export interface Request {
    op: string;
    members: Line;
    id: number | undefined;
    line: string;
    isOwn: boolean; // the session's own: hello and subscribe after a reconnect, pings
    isSent: boolean;
    done(reply: Line): void;
    fail(error: DroverError): void;
}

/** down: no connection; greeting: the server's first line is to come; opening: hello and subscribe wait for their answers. */
type State = "down" | "greeting" | "opening" | "up" | "closed";

export class Session {
    state: State = "down";
    greeting: Line = {};
    scenario: Line = {};
    /** Why connecting again is useless. */
    fatal?: DroverError;
    /** A bye in place of the greeting, or why the subscription was not granted again. */
    refusal?: DroverError;
    /** What a new connection subscribes with. */
    subscription?: Line;
    private send: (line: string) => void = () => {};
    private nextId = 1;
    private connections = 0;
    private failures = 0;
    private retryMs?: number; // the server's own wish
    private parting?: string;
    private readonly pending = new Map<unknown, Request>();
    private waiting: Request[] = []; // for the connection to be up
    private key?: Key;
    private frame?: { line: string; key: Key | undefined };
    private framesWanted = false;
    private missed = 0;

    /** hello: members of the request hello that each connection begins with; none: no hello. */
    constructor(private hello: Line, private readonly notify: (what: string, payload: unknown) => void) {}

    // --- the connection

    /** A connection is there; the server speaks first. */
    connected(send: (line: string) => void): void {
        this.reset();
        this.send = send;
        this.retryMs = this.refusal = undefined;
        this.state = "greeting";
    }

    /** Lines came. Throws a DroverError `protocol` when they are not a server's; the connection is of no use then. */
    receive(lines: string[]): void {
        for (const line of lines) {
            if (this.state !== "down" && this.state !== "closed") {
                this.take(line);
            }
        }
    }

    /** The connection is gone, or none came. What was sent and has no answer fails with `lost`; what was not sent waits for the next one. Returns
     *  the reason, in the server's words if it gave one. */
    lost(reason: string): string {
        const wasUp = this.state === "up", why = this.parting ?? reason;
        const gone = [...this.pending.values()].filter((request) => !request.isOwn);
        if (this.state === "closed") {
            return why;
        }
        this.reset();
        this.failures++;
        this.state = "down";
        for (const request of gone) {
            request.fail(new DroverError("lost", `${why}; \`${request.op}\` may or may not have taken effect`));
        }
        if (wasUp) {
            this.notify("link", { up: false, reason: why, lost: gone.length });
        }
        return why;
    }

    /** How long to wait before the next attempt to connect. */
    get retryDelayMs(): number {
        const growing = Math.min(RETRY_FIRST_MS * 2 ** (this.failures - 1), RETRY_MOST_MS);
        return this.retryMs === undefined ? growing : Math.min(Math.max(this.retryMs, RETRY_FIRST_MS), RETRY_WISH_MOST_MS);
    }

    /** No further connection; all that waits fails. */
    close(why = new DroverError("closed", "the client was closed")): void {
        if (this.state !== "closed") {
            this.fatal ??= why;
            const left = [...this.pending.values(), ...this.waiting.splice(0)].filter((request) => !request.isOwn);
            this.reset();
            this.state = "closed";
            left.forEach((request) => request.fail(this.fatal!));
        }
    }

    private reset(): void {
        this.send = () => {};
        this.pending.clear();
        this.parting = undefined;
        this.framesWanted = false;
        this.dropFrames();
    }

    // --- requests

    /** Sends a request, or keeps it until the connection is up. Without an answer it has no id, and is done when it is sent. */
    request(op: string, members: Line, isAnswered: boolean, done: (reply: Line) => void, fail: (error: DroverError) => void): Request {
        const request = this.make(op, members, isAnswered, false, done, fail);
        if (this.state === "closed") {
            request.fail(this.fatal!);
        } else if (this.state === "up") {
            this.queue(request);
        } else {
            this.waiting.push(request);
        }
        return request;
    }

    /** The answer is not awaited any more. A request that was not sent yet will not be. */
    abandon(request: Request): void {
        this.waiting = this.waiting.filter((one) => one !== request);
        if (this.pending.get(request.id) === request) {
            this.pending.delete(request.id);
        }
    }

    /** Whether something is to come: answers, frames, events. */
    get isExpecting(): boolean {
        return this.state === "up" && (this.pending.size > 0 || this.subscription !== undefined);
    }

    /** Asks for a sign of life. */
    ping(): void {
        this.queue(this.make("ping", {}, true, true));
    }

    private make(op: string, members: Line, isAnswered: boolean, isOwn: boolean, done = (_: Line): void => {}, fail = (_: DroverError): void => {}): Request {
        const id = isAnswered ? this.nextId++ : undefined;
        return { op, members, id, line: lineOf({ ...members, op, id }), isOwn, isSent: false, done, fail };
    }

    private queue(request: Request): void {
        if (request.op === "unsubscribe") {
            this.framesWanted = false;
            this.dropFrames();
            this.subscription = undefined;
        }
        if (request.id !== undefined) {
            this.pending.set(request.id, request);
        }
        request.isSent = true;
        this.send(request.line);
        if (request.id === undefined) {
            request.done({});
        }
    }

    // --- lines

    private take(text: string): void {
        this.notify("line", text);
        const isOpen = this.state !== "greeting";
        if (isOpen && FRAME_START.test(text)) {
            this.takeFrameLine(text);
            return;
        }
        const line = parse(text);
        if (line.op === "bye") {
            this.takeBye(line);
        } else if (!isOpen) {
            this.greet(line);
        } else if (line.op === "reply" || line.op === "error") {
            this.answer(line);
        } else if (line.op === "key") {
            this.key = this.framesWanted ? new Key(line, this.key) : undefined;
        } else if (line.op === "snapshot" || line.op === "delta" || line.op === "density") {
            this.takeFrameLine(text);
        } else {
            if (line.op === "scenario") {
                this.scenario = line;
            } else if (line.event === "lag" && Number.isInteger(line.skipped)) {
                this.missed += line.skipped;
            }
            this.notify(["event", "scenario", "cursors"].includes(line.op) ? line.op : "other", line);
        }
    }

    private greet(line: Line): void {
        if (line.op !== "hello") {
            throw nonsense("the first line is no hello");
        }
        if (line.protocol !== PROTOCOL) {
            this.fatal = new DroverError("version", `the server speaks version ${line.protocol} of the protocol, this client version ` +
                `${PROTOCOL}; install the @drover/client that came with the server`);
            throw this.fatal;
        }
        this.greeting = line;
        this.scenario = line.scenario ?? this.scenario;
        this.state = "opening";
        if (Object.keys(this.hello).length === 0) {
            this.subscribeAgain();
            return;
        }
        this.queue(this.make("hello", this.hello, true, true, (reply) => {
            const { role, tick, time, paused } = reply;
            this.greeting = { ...this.greeting, role, tick, time, paused };
            this.subscribeAgain();
        }, (error) => {
            this.fatal = error;
            throw error;
        }));
    }

    /** The session has its role; subscribe again, or be up. */
    private subscribeAgain(): void {
        if (this.subscription === undefined) {
            this.isUp();
            return;
        }
        this.queue(this.make("subscribe", this.subscription, true, true, () => {
            this.framesWanted = true;
            this.isUp();
        }, (error) => {
            this.subscription = undefined;
            this.refusal = error;
            this.isUp();
        }));
    }

    private isUp(): void {
        this.state = "up";
        this.failures = 0;
        this.connections++;
        this.notify("link", { up: true, again: this.connections > 1, hello: this.greeting, subscribed: this.subscription !== undefined, refused: this.refusal });
        this.waiting.splice(0).forEach((request) => this.queue(request));
    }

    private answer(line: Line): void {
        const request = this.pending.get(line.id), error = line.op === "error" ? DroverError.of(line) : undefined;
        if (request === undefined) {
            if (error !== undefined && line.id === undefined) {
                this.notify("error", error);
            }
            return;
        }
        this.pending.delete(line.id);
        if (error !== undefined) {
            request.fail(error);
            return;
        }
        if (!request.isOwn) {
            this.remember(request);
        }
        if (Array.isArray(line.unknown)) {
            this.notify("warning", { op: request.op, unknown: line.unknown, hint: line.hint });
        }
        request.done(line);
    }

    /** What a further connection has to ask for again. */
    private remember({ op, members }: Request): void {
        if (op === "subscribe") {
            this.dropFrames(); // those of the subscription before
            this.subscription = members;
            this.framesWanted = true;
            this.refusal = undefined;
        } else if (op === "set_region" && this.subscription !== undefined) {
            this.subscription = { ...this.subscription, region: members.region };
        } else if (op === "hello") {
            this.hello = members;
        }
    }

    private takeBye(line: Line): void {
        const error = new DroverError(String(line.reason), String(line.message ?? line.reason), undefined, line);
        this.parting = `the server said bye (${line.reason}): ${line.message ?? ""}`;
        this.refusal = this.state === "greeting" ? error : this.refusal;
        if (FINAL_REASONS.includes(line.reason)) {
            this.fatal = error;
        } else if (line.reason === "client") {
            this.fatal = new DroverError("closed", "bye was sent");
        }
        if (typeof line.retry_s === "number") {
            this.retryMs = 1000 * line.retry_s;
        }
        this.notify("bye", line);
    }

    // --- frames

    private takeFrameLine(line: string): void {
        if (this.framesWanted) {
            this.missed += this.frame === undefined ? 0 : 1;
            this.frame = { line, key: this.key };
        }
    }

    private dropFrames(): void {
        this.frame = this.key = undefined;
        this.missed = 0;
    }

    get hasFrame(): boolean {
        return this.frame !== undefined;
    }

    /** The newest frame, once. */
    takeFrame(): AnyFrame | undefined {
        const { frame, missed } = this;
        if (frame === undefined) {
            return undefined;
        }
        this.frame = undefined;
        this.missed = 0;
        return frameOf(parse(frame.line), frame.key, missed);
    }
}
