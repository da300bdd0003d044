/* The gallery's Worker: it checks the texts of scenarios, and computes the hashes of worlds. Each has a core of its own. */
import { ServerCore } from "./server_core";

export type ToGallery =
    | { type: "check"; turn: number; text: string }
    | { type: "hashes"; name: string; text: string; ticks: number[] };
export type GallerySays =
    | { type: "mistakes"; turn: number; lines: string[] }
    | { type: "hash"; name: string; tick: number; hash: string }
    | { type: "done"; name: string; error: string };

interface Scope {
    postMessage(message: GallerySays): void;
    onmessage: ((event: MessageEvent<ToGallery>) => void) | null;
}
const scope = self as unknown as Scope;

const compiled = fetch(SERVER_URL, { credentials: "same-origin" }).then((response) => WebAssembly.compileStreaming(response));
const newCore = async () => new ServerCore(await compiled, () => undefined, () => performance.now());

/* What tests/golden/golden_commands.h does before the step that ends a tick, as requests. */
function commandAt(tick: number, kind: string, target: string): object | null {
    switch (tick) {
    case 30: return { op: "set_target", name: target, x: 123, y: 234.5 };
    case 40: return { op: "spawn", kind, count: 3, x: 200, y: 150, radius: 40 };
    case 50: return { op: "remove", agent: 2 };
    case 90: return { op: "set_param", kind, param: "max_speed", value: 133 };
    case 120: return { op: "set_target", name: target, x: 700, y: 20 };
    default: return null;
    }
}

/* Calls take with the hash of the world at each of the ticks. */
async function hashes(name: string, text: string, ticks: number[], take: (tick: number, hash: string) => void): Promise<void> {
    const core = await newCore(), world = JSON.parse(text) as { kinds?: object; targets?: object };
    const [kind] = Object.keys(world.kinds ?? {}), [target] = Object.keys(world.targets ?? {});
    core.files.put(`/scenarios/${name}.json`, text);
    core.start([`/scenarios/${name}.json`, "--paused"]);
    const stops = [...new Set([...ticks, 30, 40, 50, 90, 120])].sort((a, b) => a - b);
    let at = 0;
    for (const stop of stops.filter((tick) => tick <= Math.max(...ticks))) {
        const command = kind === undefined || target === undefined ? null : commandAt(stop, kind, target);
        const requests = [{ op: "step", id: 1, count: stop - at }, ...(command === null ? [] : [{ ...command, id: 2 }])];
        const answers = core.ask(requests.map((request) => JSON.stringify(request))).map((line) => JSON.parse(line) as Record<string, string>);
        const error = answers.find(({ op }) => op === "error");
        if (answers.length < requests.length || error !== undefined) {
            throw new Error(error?.message ?? "the server does not answer");
        }
        if (ticks.includes(stop)) {
            take(stop, answers[0].hash);
        }
        at = stop;
    }
}

scope.onmessage = async ({ data }) => {
    if (data.type === "check") {
        scope.postMessage({ type: "mistakes", turn: data.turn, lines: (await newCore()).check(data.text) });
        return;
    }
    const { name, text, ticks } = data;
    const error = await hashes(name, text, ticks, (tick, hash) => scope.postMessage({ type: "hash", name, tick, hash })).then(() => "", String);
    scope.postMessage({ type: "done", name, error });
};
