/* A world as a link and as files, made of a recording of it. */
import type { SharedWorld } from "./world_link";

const MOST_REQUESTS = 400, MOST_BYTES = 16384;

interface Line { op: string; tick: number; scenario?: string; seed?: number; text?: string; request?: { op: string; [member: string]: unknown } }

/** What a recording of a world has to share. */
export interface Share {
    world: SharedWorld;
    scenario: string;  // its text
    recording: string;
    note: string;      // what the link leaves out; "" for nothing
}

/** recording: of the whole world, or of its last minutes. catalog: the text of the catalog's scenario of that name, or null. */
export function shareOf(recording: string, catalog: (name: string) => string | null): Share {
    const lines = recording.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Line);
    const first = lines.map((line) => line.op).lastIndexOf("world"), own = lines[first];
    const name = own.scenario ?? "own", text = own.text ?? "", seed = own.seed;
    const dos = lines.slice(first).filter((line) => line.op === "do" && line.request !== undefined && line.request.op !== "load");
    const tick = lines[lines.length - 1].tick;
    const begins = lines.slice(first + 1).find((line) => line.op === "checkpoint");
    const world: SharedWorld = { scenario: name, ...(catalog(name) === text ? {} : { text }), ...(seed === undefined ? {} : { seed }) };
    const requests = dos.map((line) => ({ ...line.request, ...(line.tick > 0 ? { at: line.tick } : {}) }));
    const isWhole = begins === undefined || begins.tick <= (dos.length > 0 ? dos[0].tick : tick);
    if (isWhole && requests.length <= MOST_REQUESTS && JSON.stringify(requests).length <= MOST_BYTES) {
        return { world: { ...world, tick, requests }, scenario: text, recording, note: "" };
    }
    const parameters = requests.filter((request) => request.op === "set_param").map(({ at: _, ...request }: { at?: number; op?: string }) => request);
    const note = "So much was done in this world that the link starts it from the beginning, with the parameters of now. The recording has all of it.";
    return { world: { ...world, requests: parameters.slice(-MOST_REQUESTS) }, scenario: text, recording, note };
}
