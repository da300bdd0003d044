/* The server of a page that has its own: its Worker, and the world that the page's address asks for. */
import type { Loading } from "./loading";
import type { ServerSays, ToServer } from "./server_messages";
import { DEFAULT_SCENARIO, linesOf, wantedWorld, wordsOf, type WantedWorld } from "./world_link";

const REPLAY = "/replay.drover", OWN = "/own.json", MOST_REPLAY = 1 << 28;

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
    /** What becomes of errors of requests by ask. */
    onError: (words: string) => void = (words) => console.warn(words);
    private readonly worker = new Worker(SERVER_WORKER_URL);

    /** hash: the fragment of the page's address. fail: what to do when there is no world. */
    constructor(hash: string, loading: Loading, private readonly fail: (words: string, again?: string) => void) {
        const channel = new MessageChannel();
        this.port = channel.port2;
        this.worker.onmessage = ({ data }: MessageEvent<ServerSays>) => {
            if (data.type === "bytes") {
                loading.setBytes(data.done, data.all);
            } else if (data.type === "failure") {
                this.fail(data.words, `#scenario=${DEFAULT_SCENARIO}`);
            } else if (data.type === "asked") {
                data.errors.forEach((words) => this.onError(words));
            } else {
                void this.fetchCatalog();
            }
        };
        this.begin(hash, channel.port1).catch((error) =>
            this.fail(`The link cannot be followed: ${error instanceof Error ? error.message : String(error)}.`, `#scenario=${DEFAULT_SCENARIO}`));
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

    /** Has requests done, after the files are there. */
    ask(lines: string[], files: Record<string, string> = {}): void {
        this.post({ type: "ask", lines, files });
    }

    hide(isHidden: boolean): void {
        this.post({ type: "hide", isHidden });
    }
}
