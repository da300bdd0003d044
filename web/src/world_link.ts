/* The world that a link asks for, when the server is in the page:
 *
 *     #scenario=boids&seed=3&paused        a scenario of the catalog
 *     #replay=run.drover                   a recording beside the page
 *     #w=...                               a shared world: JSON (struct SharedWorld), deflated, in base64 for URLs
 *
 * Everything in a link is untrusted. */

/** What a shared link holds. */
export interface SharedWorld {
    scenario: string;    // its name
    text?: string;       // of the scenario, when it is not one of the catalog
    seed?: number;
    tick?: number;       // the world goes on from there
    requests?: object[]; // before it, such as {"op":"set_param",...}
    view?: string;       // further members of the fragment: color=speed&overlays=forces
}

export interface WantedWorld extends SharedWorld {
    replay?: string;     // where the recording is
    isPaused: boolean;
}

export const DEFAULT_SCENARIO = "flock";
const MOST_LINK = 65536, MOST_BYTES = 4 << 20, MOST_REQUESTS = 1000, NAME = /^[\w-]{1,31}$/;

async function piped(bytes: Uint8Array, through: ByteTransform): Promise<Uint8Array> {
    const writer = through.writable.getWriter(), reader = through.readable.getReader(), parts: Uint8Array[] = [];
    writer.write(bytes).then(() => writer.close()).catch(() => undefined); // the reader gets the error
    let length = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
        parts.push(part.value);
        length += part.value.length;
        if (length > MOST_BYTES) {
            await reader.cancel();
            throw new Error("it holds more than 4 MiB");
        }
    }
    const whole = new Uint8Array(length);
    parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
    return whole;
}

/** The text as a word of a link. */
export async function packed(text: string): Promise<string> {
    const bytes = await piped(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** Its inverse; throws what is wrong with the word. */
export async function unpacked(word: string): Promise<string> {
    if (word.length > MOST_LINK) {
        throw new Error("it is longer than 64 kB");
    }
    let bytes: Uint8Array;
    try {
        bytes = Uint8Array.from(atob(word.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
    } catch {
        throw new Error("it is not base64");
    }
    try {
        return new TextDecoder("utf-8", { fatal: true }).decode(await piped(bytes, new DecompressionStream("deflate-raw")));
    } catch (error) {
        throw error instanceof Error && error.message.startsWith("it ") ? error : new Error("it is damaged, or was cut off");
    }
}

function wholeNumber(value: unknown, name: string): number | undefined {
    if (value !== undefined && !(typeof value === "number" && Number.isSafeInteger(value) && value >= 0)) {
        throw new Error(`its ${name} is not a whole number`);
    }
    return value;
}

/** Reads the text of a shared world; throws what is wrong with it. */
export function sharedWorldOf(text: string): SharedWorld {
    let json: unknown;
    try {
        json = JSON.parse(text);
    } catch {
        throw new Error("it holds no JSON");
    }
    const { scenario, text: own, seed, tick, requests, view } = (typeof json === "object" && json !== null ? json : {}) as Record<string, unknown>;
    if (typeof scenario !== "string" || !NAME.test(scenario)) {
        throw new Error("it names no scenario");
    }
    if ((own !== undefined && typeof own !== "string") || (view !== undefined && typeof view !== "string")) {
        throw new Error("its text or its view is no text");
    }
    if (requests !== undefined && !(Array.isArray(requests) && requests.length <= MOST_REQUESTS &&
            requests.every((request) => typeof request === "object" && request !== null))) {
        throw new Error(`its requests are not a list of at most ${MOST_REQUESTS} objects`);
    }
    return { scenario, text: own, seed: wholeNumber(seed, "seed"), tick: wholeNumber(tick, "tick"), requests: requests as object[] | undefined, view };
}

/** The world that a fragment asks for; throws what is wrong with it. */
export async function wantedWorld(hash: string): Promise<WantedWorld> {
    const values = new URLSearchParams(hash.replace(/^#/, "")), word = values.get("w"), isPaused = values.has("paused");
    if (word !== null) {
        return { ...sharedWorldOf(await unpacked(word)), isPaused };
    }
    const scenario = values.get("scenario") ?? DEFAULT_SCENARIO, seed = values.get("seed");
    if (!NAME.test(scenario)) {
        throw new Error("it names no scenario");
    }
    if (seed !== null && !/^\d{1,16}$/.test(seed)) {
        throw new Error("its seed is not a whole number");
    }
    return { scenario, seed: seed === null ? undefined : Number(seed), replay: values.get("replay") ?? undefined, isPaused };
}

/** The words of drover-server's command line for it. file: of the recording, or of the scenario's own text. */
export function wordsOf(world: WantedWorld, file: string | null): string[] {
    return [
        world.replay !== undefined ? `--replay=${file}` : file ?? world.scenario,
        ...(world.seed === undefined ? [] : [`--seed=${world.seed}`]),
        ...(world.isPaused || (world.tick ?? 0) > 0 || world.requests !== undefined ? ["--paused"] : []),
    ];
}

/** The requests that bring the world to where the link left it. */
export function linesOf(world: WantedWorld): string[] {
    const tick = world.tick ?? 0, requests = world.requests ?? [];
    const lines = [...requests, ...(tick > 0 ? [{ op: "step", count: tick }] : [])];
    return lines.length === 0 ? [] : [...lines, ...(world.isPaused ? [] : [{ op: "resume" }])].map((request) => JSON.stringify(request));
}
