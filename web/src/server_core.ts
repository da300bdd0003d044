/* server.wasm: drover-server in a page. The functions are those of web/server/server_page.h. */
import { Files, importsOf } from "./files";

/** Where the server looks for scenarios, and where its recordings go. */
export const SCENARIOS = "/scenarios", RECORDINGS = "/recordings";

const MOST_TURNS = 100000;

/** server_start is left by it. */
class Serves {}

type Exports = Record<string, (...args: number[]) => number>;

export class ServerCore {
    readonly files: Files;
    private readonly memory: WebAssembly.Memory;
    private readonly call: Exports;
    private readonly encoder = new TextEncoder();
    private readonly decoder = new TextDecoder();
    private readonly words: string[] = []; // of the log, while the server starts

    /** log: gets the lines of the server's log. nowMs: its clock, which may stand still. */
    constructor(compiled: WebAssembly.Module, log: (line: string) => void, nowMs: () => number) {
        let hasStarted = false;
        this.files = new Files(() => this.memory.buffer, (line) => {
            if (!hasStarted) {
                this.words.push(line);
            }
            log(line);
        }, nowMs);
        const serves = () => {
            hasStarted = true;
            throw new Serves();
        };
        const instance = new WebAssembly.Instance(compiled, importsOf(compiled, { server_host_serves: serves }, this.files.functions()));
        this.memory = instance.exports.memory as WebAssembly.Memory;
        this.call = instance.exports as unknown as Exports;
        this.files.folder(SCENARIOS);
        this.files.folder(RECORDINGS);
        this.call._initialize();
    }

    private bytes(at: number, length: number): Uint8Array {
        return new Uint8Array(this.memory.buffer, at, length);
    }

    private argument(word: string): void {
        const bytes = this.encoder.encode(word), at = this.call.server_text(bytes.length);
        this.bytes(at, bytes.length).set(bytes);
        if (this.call.server_argument(bytes.length) === 0) {
            throw new Error("too many options for the server in the page");
        }
    }

    /** The mistakes of a scenario's text, one a line, as drover-server --check prints them after the file's name: LINE:COLUMN: PATH: WHAT.
     * Without a line where they are about no place. For a core that serves nothing. */
    check(text: string): string[] {
        const path = "/own.json";
        this.files.put(path, text);
        ["--check", path].forEach((word) => this.argument(word));
        this.call.server_start();
        return this.words.join("\n").split("\n").filter((line) => line.startsWith(path)).map((line) => line.slice(path.length).replace(/^: ?/, ""));
    }

    /** Serves the world that the words of a command line ask for; throws what the server says when it does not. */
    start(words: string[]): void {
        [...words, `--scenarios=${SCENARIOS}`, `--recordings=${RECORDINGS}`].forEach((word) => this.argument(word));
        try {
            this.call.server_start();
        } catch (error) {
            if (error instanceof Serves) {
                return;
            }
            throw error;
        }
        const said = this.words.filter((line) => line !== "").join("\n").replace(/^drover-server: /gm, "");
        throw new Error(said.replace(/^\/(?=[^:]+:)/gm, "").replace(` in ${SCENARIOS}`, "") || "the server does not start");
    }

    /** Does what is due; after so many ms it is to be called again, < 0: when something comes. */
    turn(): number {
        return this.call.server_turn();
    }

    /** A port for a peer; 0 for none. */
    connect(): number {
        return this.call.server_connect();
    }
    disconnect(port: number): void {
        this.call.server_disconnect(port);
    }
    isConnected(port: number): boolean {
        return this.call.server_is_connected(port) !== 0;
    }

    /** A line from the peer, without its end. */
    say(port: number, line: string): void {
        const bytes = this.encoder.encode(line + "\n"), at = this.call.server_reserve(port, bytes.length);
        if (at !== 0) {
            this.bytes(at, bytes.length).set(bytes);
            this.call.server_commit(port, bytes.length);
        }
    }

    /** Has the requests done, and nothing else meanwhile. Returns the answers, as lines; fewer when the server has none. */
    ask(lines: string[]): string[] {
        const port = this.connect(), answers: string[] = [];
        lines.forEach((line) => this.say(port, line));
        for (let turns = 0; answers.length < lines.length && turns < MOST_TURNS; turns++) {
            this.turn();
            answers.push(...this.hear(port).split("\n").filter((line) => /^\{"op":"(reply|error)"/.test(line)));
        }
        this.disconnect(port);
        return answers;
    }

    /** What the server has said since: whole lines, or "". */
    hear(port: number): string {
        const at = this.call.server_text(4), text = this.call.server_output(port, at);
        const length = new DataView(this.memory.buffer).getUint32(at, true);
        return length === 0 ? "" : this.decoder.decode(this.bytes(text, length));
    }
}
