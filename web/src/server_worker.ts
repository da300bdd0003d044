/* The Worker that has a server: drover-server in WebAssembly, its clock, and the ports of its peers. */
import { reasonOf } from "./messages";
import { RECORDINGS, SCENARIOS, ServerCore } from "./server_core";
import { shareOf, type Share } from "./share";
import type { FromServer, ServerSays, ServerStart, ToServer } from "./server_messages";

interface Scope {
    postMessage(message: ServerSays): void;
    onmessage: ((event: MessageEvent<ToServer>) => void) | null;
}
const scope = self as unknown as Scope;

const LATEST_MS = 1000; // a turn at least so often
const LAST_S = 86400;

/** A peer's port. The next words go out when all earlier ones were taken. */
class Peer {
    private untaken = 0;
    private isTold = false;

    constructor(private readonly core: ServerCore, readonly number: number, private readonly port: MessagePort,
                onNews: (peer: Peer, isGone: boolean) => void) {
        port.onmessage = ({ data }: MessageEvent<string | number | null>) => {
            if (typeof data === "number") {
                this.untaken -= data;
            } else if (data !== null) {
                core.say(number, data);
            }
            onNews(this, data === null);
        };
        this.post({ isOpen: true, reason: "" });
    }

    private post(message: FromServer): void {
        this.port.postMessage(message);
    }

    end(): void {
        this.isTold = true;
        this.post({ isOpen: false, reason: "another world comes" });
    }

    /** Hands over what the server has said. Whether the connection goes on. */
    flush(): boolean {
        const words = this.untaken > 0 ? "" : this.core.hear(this.number);
        if (words !== "") {
            this.untaken += words.length;
            this.post(words);
        } else if (this.untaken === 0 && !this.isTold && !this.core.isConnected(this.number)) {
            this.isTold = true;
            this.post({ isOpen: false, reason: "the server closed the connection" });
        }
        return !this.isTold;
    }
}

class Server {
    private readonly peers = new Set<Peer>();
    private readonly now = new MessageChannel(); // wakes without the least delay of timers
    private timer = 0;
    private isWoken = false;
    private hiddenSince: number | null = null;
    private hiddenMs = 0;
    private shares = 0;
    private hasEnded = false;
    readonly core: ServerCore;

    constructor(compiled: WebAssembly.Module) {
        this.core = new ServerCore(compiled, (line) => console.debug(line), () => this.clock());
        this.now.port1.onmessage = () => this.turn();
    }

    /* Stands still while the page is hidden. */
    private clock(): number {
        return (this.hiddenSince ?? performance.now()) - this.hiddenMs;
    }

    start(start: ServerStart): void {
        this.put(start.files);
        this.core.start(start.words);
        if (start.lines.length > 0) {
            this.ask(start.lines).forEach((words) => console.warn(words));
        }
        this.hide(start.isHidden);
        this.wake();
    }

    /** Has requests done. Returns what the server refused. */
    ask(lines: string[]): string[] {
        const errors = this.core.ask(lines).filter((line) => line.startsWith('{"op":"error"'));
        this.wake();
        return errors.map((line) => (JSON.parse(line) as { message: string }).message);
    }

    /** The world as a recording of its last minutes, and what a link needs of it. */
    share(): Share {
        const name = `share-${++this.shares}`, path = `${RECORDINGS}/${name}.drover`;
        const [answer] = this.core.ask([JSON.stringify({ op: "record", last: LAST_S, name })]);
        const recording = this.text(path);
        this.core.files.remove(path);
        if (recording === null) {
            throw new Error(answer === undefined ? "the server does not answer" : (JSON.parse(answer) as { message?: string }).message);
        }
        return shareOf(recording, (scenario) => this.text(`${SCENARIOS}/${scenario}.json`));
    }

    private text(path: string): string | null {
        const bytes = this.core.files.get(path);
        return bytes === null ? null : new TextDecoder().decode(bytes);
    }

    put(files: Record<string, string>): void {
        Object.entries(files).forEach(([path, text]) => this.core.files.put(path, text));
    }

    connect(port: MessagePort): void {
        const number = this.core.connect();
        if (number === 0) {
            const refusal: FromServer = { isOpen: false, reason: "the server in the page takes no further connection" };
            port.postMessage(refusal);
            return;
        }
        this.peers.add(new Peer(this.core, number, port, (peer, isGone) => {
            if (isGone) {
                this.core.disconnect(peer.number);
                this.peers.delete(peer);
            }
            this.wake();
        }));
        this.wake();
    }

    hide(isHidden: boolean): void {
        if (isHidden && this.hiddenSince === null) {
            this.hiddenSince = performance.now();
        } else if (!isHidden && this.hiddenSince !== null) {
            this.hiddenMs += performance.now() - this.hiddenSince;
            this.hiddenSince = null;
            this.wake();
        }
    }

    /** Says goodbye to all: another server comes in its place. */
    end(): void {
        this.hasEnded = true;
        clearTimeout(this.timer);
        this.peers.forEach((peer) => peer.end());
    }

    private wake(): void {
        if (!this.isWoken) {
            this.isWoken = true;
            clearTimeout(this.timer);
            this.now.port2.postMessage(null);
        }
    }

    private turn(): void {
        this.isWoken = false;
        if (this.hasEnded) {
            return;
        }
        try {
            const ms = this.core.turn();
            for (const peer of this.peers) {
                if (!peer.flush()) {
                    this.core.disconnect(peer.number);
                    this.peers.delete(peer);
                }
            }
            if (this.hiddenSince !== null) {
                return; // until a peer says something, or the page is seen again
            }
            if (ms === 0) {
                this.wake();
            } else {
                this.timer = setTimeout(() => this.wake(), ms < 0 ? LATEST_MS : Math.min(ms, LATEST_MS)) as unknown as number;
            }
        } catch (error) {
            scope.postMessage({ type: "failure", words: `The server in the page broke: ${reasonOf(error)}.` });
        }
    }
}

let takeProgram: (compiled: WebAssembly.Module) => void;
const program = new Promise<WebAssembly.Module>((done) => (takeProgram = done));

let server: Server | null = null;
const early: (() => void)[] = [];

let compiled: WebAssembly.Module | null = null;
const catalog: Record<string, string> = {}; // of all worlds that there were and will be

/* A further world. The one that is there goes on when the other is none. */
function change(start: ServerStart): void {
    const former = server!, next = new Server(compiled!);
    next.put(catalog);
    next.start(start);
    server = next;
    former.end();
    scope.postMessage({ type: "ready" });
}

function handle(data: ToServer, ports: readonly MessagePort[]): void {
    try {
        switch (data.type) {
        case "start":
            change(data);
            break;
        case "connect":
            server!.connect(ports[0]);
            break;
        case "hide":
            server!.hide(data.isHidden);
            break;
        case "files":
            Object.assign(catalog, data.files);
            server!.put(data.files);
            break;
        case "ask":
            scope.postMessage({ type: "asked", errors: server!.ask(data.lines) });
            break;
        case "share":
            scope.postMessage({ type: "shared", share: server!.share() });
            break;
        }
    } catch (error) {
        scope.postMessage({ type: "refused", words: reasonOf(error) });
    }
}

/* The first start. */
async function begin(start: ServerStart): Promise<void> {
    compiled = await program;
    const made = new Server(compiled);
    made.start(start);
    server = made;
    scope.postMessage({ type: "ready" });
    early.splice(0).forEach((act) => act());
}

const handleSoon = (data: ToServer, ports: readonly MessagePort[]) => {
    if (server === null) {
        early.push(() => handle(data, ports));
    } else {
        handle(data, ports);
    }
};

scope.onmessage = ({ data, ports }) => {
    if (data.type === "start" && ports.length > 0) {
        ports[0].onmessage = (event: MessageEvent<ToServer>) => handleSoon(event.data, event.ports);
        begin(data).catch((error) => scope.postMessage({ type: "failure", words: reasonOf(error) }));
    } else if (data.type === "program") {
        takeProgram(data.compiled);
    } else {
        handleSoon(data, ports);
    }
};
