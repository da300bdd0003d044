/* The world's document in a frame of another page, which leads it by messages (element.ts). The page may come from anywhere: what it
 * can do is no more than its link could, since the server is in this document and knows nothing else. */
import { reasonOf } from "./messages";

/** What the page says to the frame, and what that answers. */
export type ToWorld =
    | { drover: "ask"; lines: string[] }             // requests, in their order
    | { drover: "load"; text: string }               // a scenario
    | { drover: "hide"; isHidden: boolean };         // the frame is out of view
export type FromWorld = { drover: "error"; words: string };

export interface World {
    request(lines: string[]): Promise<string[]>; // what was refused
    open(file: File): Promise<void>;
    hide(isHidden: boolean): void;
}

/** Heeds the page that has this document in a frame. */
export function embed(world: World): void {
    const page = window.parent;
    if (page === window) {
        return;
    }
    let isHidden = false;
    const say = (words: string) => {
        const error: FromWorld = { drover: "error", words };
        page.postMessage(error, "*"); // it has nothing that the page did not say
    };
    const fail = (error: unknown) => say(reasonOf(error));
    window.addEventListener("message", ({ source, data }: MessageEvent<Partial<Record<string, unknown>> | null>) => {
        if (source !== page || typeof data !== "object" || data === null) {
            return;
        }
        if (data.drover === "ask" && Array.isArray(data.lines)) {
            world.request(data.lines.filter((line) => typeof line === "string" && !line.includes("\n"))).then((errors) => errors.forEach(say), fail);
        } else if (data.drover === "load" && typeof data.text === "string") {
            world.open(new File([data.text], "own.json")).then(() => world.hide(isHidden), fail);
        } else if (data.drover === "hide") {
            isHidden = data.isHidden === true;
            world.hide(isHidden);
        }
    });
}
