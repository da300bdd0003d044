/* Servers of one's own: drover-server as WebAssembly in a Worker, from the folder that `./dev gallery` makes. */
import { DroverError } from "./errors.js";
import { register, unreachable, type Dial, type Transport } from "./transport.js";

/** A Worker, as far as it is used; Node.js has others. */
export interface ServerWorker {
    postMessage(message: unknown, transfer?: any[]): void;
    onmessage: ((event: any) => void) | null;
    terminate(): void;
}

/** How files of the folder are read, and a script of it becomes a Worker. */
export interface GalleryAccess {
    read(file: URL): Promise<Response>;
    start(script: URL): ServerWorker | Promise<ServerWorker>;
}

/* A server's port: whole lines come, and how much of them was taken is said, so that the server knows who is slow. */
function overServer(port: MessagePort, worker: ServerWorker, address: string): Promise<Transport> {
    return new Promise((done, fail) => {
        const end = (): void => {
            port.onmessage = worker.onmessage = null;
            worker.terminate();
        };
        const transport: Transport = { send: (line) => port.postMessage(line), close: end, onlines: () => {}, onclose: () => {} };
        const lose = (why: string): void => {
            end();
            fail(unreachable(address, why));
            transport.onclose(why);
        };
        port.onmessage = ({ data }) => {
            if (typeof data === "string") {
                transport.onlines(data.split("\n").filter((line) => line !== ""));
                port.postMessage(data.length);
            } else if (data.isOpen) {
                done(transport);
            } else {
                lose(data.reason);
            }
        };
        worker.onmessage = ({ data }) => data.type === "failure" && lose(data.words);
    });
}

/* wasm:NAME?seed=3&paused. The server gets all scenarios of the folder. */
const dialWith = (home: URL, access: GalleryAccess): Dial => async (address, { signal }) => {
    const file = async (name: string): Promise<Response> => {
        const answer = await access.read(new URL(name, home)).catch((error: Error) => {
            throw unreachable(address, `${home}${name} cannot be read: ${error.message}`);
        });
        if (!answer.ok) {
            throw unreachable(address, `${home}${name}: ${answer.status} ${answer.statusText}; ./dev gallery makes the folder`);
        }
        return answer;
    };
    const [, name, query] = /^wasm:([\w-]+)(?:\?(.*))?$/.exec(address) ?? [];
    const asked = new URLSearchParams(query);
    for (const key of asked.keys()) {
        if (key !== "seed" && key !== "paused") {
            throw new DroverError("unreachable", `${address}: there is no ${key}; allowed: seed, paused`);
        }
    }
    if (name === undefined) {
        throw new DroverError("unreachable", `${address}: no scenario is named; wasm:boids?seed=3&paused is an address`);
    }
    const { worker, server } = await (await file("server.json")).json() as { worker: string; server: string };
    const [compiled, texts] = await Promise.all([
        file(server).then((answer) => WebAssembly.compileStreaming(answer)),
        file("scenarios.json").then((answer) => answer.json() as Promise<Record<string, string>>),
    ]);
    const files = Object.fromEntries(Object.entries(texts).map(([one, text]) => [`/scenarios/${one}.json`, text]));
    const words = [name, ...(asked.has("seed") ? [`--seed=${asked.get("seed")}`] : []), ...(asked.has("paused") ? ["--paused"] : [])];
    const thread = await access.start(new URL(worker, home)), control = new MessageChannel(), peer = new MessageChannel();
    signal.addEventListener("abort", () => thread.terminate(), { once: true });
    thread.postMessage({ type: "start", words, files, lines: [], isHidden: false }, [control.port1]);
    thread.postMessage({ type: "program", compiled });
    control.port2.postMessage({ type: "connect" }, [peer.port1]);
    return overServer(peer.port2, thread, address);
};

/** Makes the address `wasm:NAME` known: a server of one's own in a Worker, with the world of the scenario NAME, as `wasm:boids?seed=3&paused`.
 *  folder: the address of the folder that `./dev gallery` makes. In a browser it is of the page's own origin, since Workers are. */
export function useGallery(folder: string | URL, access: GalleryAccess = { read: fetch.bind(globalThis), start: (script) => new Worker(script) }): void {
    const home = new URL(String(folder).replace(/\/?$/, "/"), typeof location === "undefined" ? undefined : location.href);
    register("wasm", dialWith(home, access));
}
