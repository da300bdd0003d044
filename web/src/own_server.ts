/* The server of a page that has its own: its Worker, and the world that the page's address asks for. */
import { moduleFrom } from "./core";
import type { Loading } from "./loading";
import { reasonOf } from "./messages";
import type { Share } from "./share";
import type { ServerSays, ToServer } from "./server_messages";
import { DEFAULT_SCENARIO, linesOf, wantedWorld, wordsOf, type WantedWorld } from "./world_link";

const REPLAY = "/replay.drover", OWN = "/own.json", MOST_REPLAY = 1 << 28;

const ZSTD = "(\ufffd/\ufffd"; // how such a file begins, as UTF-8

function checkFile(text: string, name: string): void {
    if (text.startsWith(ZSTD)) {
        throw new Error(`${name} is compressed, and a page reads recordings as text; zstd -d ${name} makes one that it reads`);
    }
}

async function fetched(url: string, what: string): Promise<Response> {
    const response = await fetch(url).catch(() => null);
    if (response === null || !response.ok) {
        throw new Error(`${what} did not come from ${url}${response === null ? "" : `: ${response.status} ${response.statusText}`}`);
    }
    return response;
}

/* The files that the world needs, by their paths. */
async function filesOf(world: WantedWorld): Promise<Record<string, string>> {
    if (world.replay !== undefined) {
        const text = await (await fetched(world.replay, "the recording")).text();
        if (text.length > MOST_REPLAY) {
            throw new Error("the recording is larger than 256 MiB; drover-viewer plays it");
        }
        checkFile(text, world.replay);
        return { [REPLAY]: text };
    }
    if (world.text !== undefined) {
        return { [OWN]: world.text };
    }
    const response = await fetch(`${ASSETS}scenarios/${world.scenario}.json`).catch(() => null);
    // One that is not there: the server says which there are.
    return response !== null && response.ok ? { [`/scenarios/${world.scenario}.json`]: await response.text() } : {};
}

export class OwnServer {
    /** For the viewer's Worker. */
    readonly port: MessagePort;
    private readonly worker = new Worker(SERVER_WORKER_URL);
    private readonly asked: { done(answer: ServerSays | null): void; fail(error: Error): void }[] = []; // in order
    private hasCatalog = false;

    /** hash: the fragment of the page's address. fail: what to do when there is no world. */
    constructor(hash: string, loading: Loading, private readonly fail: (words: string, again?: string) => void) {
        const channel = new MessageChannel();
        this.port = channel.port2;
        this.worker.onmessage = ({ data }: MessageEvent<ServerSays>) => {
            if (data.type === "failure") {
                this.fail(data.words, `#scenario=${DEFAULT_SCENARIO}`);
            } else if (data.type === "ready") {
                if (!this.hasCatalog) {
                    this.hasCatalog = true;
                    this.fetchCatalog().catch((error) => console.warn(error));
                } else {
                    this.settle(null);
                }
            } else {
                this.settle(data);
            }
        };
        moduleFrom(SERVER_URL, (done) => loading.setBytes("server", done, SERVER_BYTES)).then(
            (compiled) => this.post({ type: "program", compiled }), (error) => this.fail(`The server of the page did not come: ${reasonOf(error)}.`));
        this.begin(hash, channel.port1).catch((error) =>
            this.fail(`The link cannot be followed: ${reasonOf(error)}.`, `#scenario=${DEFAULT_SCENARIO}`));
    }

    /* What was asked for has come, or was refused. */
    private settle(data: ServerSays | null): void {
        const { done, fail } = this.asked.shift() ?? {};
        if (data?.type === "refused") {
            fail?.(new Error(data.words));
        } else {
            done?.(data);
        }
    }

    private ask(message: ToServer): Promise<ServerSays | null> {
        this.post(message);
        return new Promise((done, fail) => this.asked.push({ done, fail }));
    }

    /** The world as a link and as files. */
    async share(): Promise<Share> {
        const answer = await this.ask({ type: "share" });
        return (answer as { share: Share }).share;
    }

    /** Has requests done, one after the other. Returns what the server refused. */
    async request(lines: string[]): Promise<string[]> {
        const answer = await this.ask({ type: "ask", lines });
        return (answer as { errors: string[] }).errors;
    }

    /** A recording or a scenario becomes the world; throws why it cannot, and then all stays as it was. */
    async open(file: File): Promise<void> {
        if (file.size > MOST_REPLAY) {
            throw new Error("the file is larger than 256 MiB; drover-viewer plays it");
        }
        const text = await file.text();
        checkFile(text, file.name);
        const path = `/${file.name.replace(/[^\w.-]/g, "_")}`;
        const words = path.endsWith(".json") ? [path] : [`--replay=${path}`];
        await this.ask({ type: "start", words, lines: [], files: { [path]: text }, isHidden: false });
    }

    private post(message: ToServer, transfer: Transferable[] = []): void {
        this.worker.postMessage(message, transfer);
    }

    private async begin(hash: string, port: MessagePort): Promise<void> {
        const world = await wantedWorld(hash), files = await filesOf(world);
        const file = world.replay !== undefined ? REPLAY : world.text !== undefined ? OWN : null;
        this.post({ type: "start", words: wordsOf(world, file), lines: linesOf(world), files, isHidden: document.hidden }, [port]);
    }

    /* The other scenarios, for the list of them; the world moves already. */
    private async fetchCatalog(): Promise<void> {
        const texts = await (await fetched(`${ASSETS}scenarios.json`, "the list of scenarios")).json() as Record<string, string>;
        this.post({ type: "files", files: Object.fromEntries(Object.entries(texts).map(([name, text]) => [`/scenarios/${name}.json`, text])) });
    }

    hide(isHidden: boolean): void {
        this.post({ type: "hide", isHidden });
    }
}
