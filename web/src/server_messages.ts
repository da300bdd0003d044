/* What the page and its Workers say to the Worker that has the server (server_worker.ts), and what it answers. */

import type { Share } from "./share";

/** How a server in the page begins. */
export interface ServerStart {
    type: "start";
    words: string[];                // of drover-server's command line
    files: Record<string, string>;  // by their paths, such as /scenarios/mine.json
    lines: string[];                // requests before anybody connects, with the world paused
    isHidden: boolean;              // of the first start; a further one puts another world in place of the one that is there
}

export type ToServer =
    | ServerStart
    | { type: "program"; compiled: WebAssembly.Module } // server.wasm; after the first start
    | { type: "connect" }                    // with a port: a peer
    | { type: "hide"; isHidden: boolean }    // the world stands still while it is hidden
    | { type: "files"; files: Record<string, string> }
    | { type: "share" }                      // answered by "shared"
    | { type: "ask"; lines: string[] };      // requests; answered by "asked"

/** What a peer's port gets: whole lines; the connection is there, or is not. It says lines without their ends, how many characters of
 * the server's it has taken, and null as it leaves. */
export type FromServer = string | { isOpen: boolean; reason: string };

/** What the Worker says to the page. */
export type ServerSays =
    | { type: "ready" }
    | { type: "shared"; share: Share }
    | { type: "asked"; errors: string[] }    // what the server refused
    | { type: "refused"; words: string }     // why there is nothing to share, or the other world is none; all is as it was
    | { type: "failure"; words: string };
