/* The world's document in a frame of another page, which leads it by messages (element.ts). The page may come from anywhere: what it
 * can do is no more than its link could, since the server is in this document and knows nothing else. */

/** What the page says to the frame, and what that answers. */
export type ToWorld =
    | { drover: "ask"; lines: string[] }             // requests, in their order
    | { drover: "load"; text: string }               // a scenario
    | { drover: "hide"; isHidden: boolean };         // the frame is out of view
export type FromWorld = { drover: "error"; words: string };

const OWN = "own"; // the name of a scenario that came as a text

export interface World {
    ask(lines: string[], files?: Record<string, string>): void;
    hide(isHidden: boolean): void;
}

/** Heeds the page that has this document in a frame. Returns what tells it of an error. */
export function embed(world: World): (words: string) => void {
    const page = window.parent;
    if (page === window) {
        return () => undefined;
    }
    window.addEventListener("message", ({ source, data }: MessageEvent<Partial<Record<string, unknown>> | null>) => {
        if (source !== page || typeof data !== "object" || data === null) {
            return;
        }
        if (data.drover === "ask" && Array.isArray(data.lines)) {
            world.ask(data.lines.filter((line) => typeof line === "string" && !line.includes("\n")));
        } else if (data.drover === "load" && typeof data.text === "string") {
            world.ask([JSON.stringify({ op: "load", scenario: OWN })], { [`/scenarios/${OWN}.json`]: data.text });
        } else if (data.drover === "hide") {
            world.hide(data.isHidden === true);
        }
    });
    return (words) => {
        const error: FromWorld = { drover: "error", words };
        page.postMessage(error, "*"); // it has nothing that the page did not say
    };
}
