/* The messages between the main thread, which has the document, and the Worker, which has the viewer. */

/** What went wrong, as words. */
export const reasonOf = (error: unknown) => error instanceof Error ? error.message : String(error);

/** mesh: as card, and large crowds are triangles as well: what their rows are compared with. */
export type Renderer = "auto" | "card" | "mesh" | "raster";

/** Whether WebGL2 draws even when the processor imitates the card. */
export function isForced(renderer: Renderer): boolean {
    return renderer === "card" || renderer === "mesh";
}

/** Numbers of web/page.h. */
export const enum PointerEventType { Move, Down, Up, Leave, Cancel }
export const enum Button { Left = 1, Right = 2, Middle = 4 }
export const enum Modifier { Shift = 1, Control = 2, Alt = 4 }

/** The canvas in pixels, and pixels per CSS px. */
export interface Size { width: number; height: number; ratio: number }

export interface Start extends Size {
    type: "start";
    canvas: FreeCanvas | null;      // null: the main thread draws what it gets
    hasCard: boolean;               // without a canvas: whether the main thread has WebGL2
    renderer: Renderer;
    options: string[];              // of the viewer's command line
    settings: string;               // of an earlier visit; "" for none
    reducesMotion: boolean;
    isHidden: boolean;
    server: MessagePort | null;     // to the Worker that has the server; null: it is where the page came from
}

export type ToWorker =
    | Start
    | { type: "program"; compiled: WebAssembly.Module } // page.wasm
    | { type: "pointer"; event: PointerEventType; id: number; x: number; y: number; buttons: number; clicks: number; time: number }
    | { type: "wheel"; x: number; y: number; notches: number }
    | { type: "gesture"; x: number; y: number; dx: number; dy: number; factor: number }
    | { type: "key"; code: number; isDown: boolean; isRepeat: boolean; modifiers: number }
    | { type: "typed"; text: string }
    | { type: "act"; row: number }
    | ({ type: "resize" } & Size)
    | { type: "hide"; isHidden: boolean }
    | { type: "panels"; text: string }
    | { type: "figures" }
    | { type: "frame" }; // the screen's refresh, for a Worker that has no requestAnimationFrame

/** One picture as triangles; see web/page.h. Plain copies or views. */
export interface Mesh {
    width: number;
    height: number;
    vertices: Uint8Array;
    indices: Int32Array;
    batches: Int32Array;
    crowd: Crowd | null;
}
/** Agents that the card moves by itself, drawn before a batch of the mesh; viewer/draw/agents_draw.h has rows and frame. */
export interface Crowd {
    batch: number;
    version: number; // counts up when the rows change
    count: number;
    rows: Uint8Array;
    frame: Float32Array; // struct agent_instances_frame
    numbers: Int32Array; // the same memory
}
export interface Texture { width: number; height: number; texels: Uint8Array; isSmooth: boolean }
/** Pixels as blue, green, red, 255. */
export interface Pixels { width: number; height: number; pixels: Uint32Array }

export type ToMain =
    | { type: "ready"; shortcuts: string; renderer: "card" | "raster" }
    | { type: "panels"; text: string }
    | { type: "cursor"; shape: number }
    | { type: "title"; words: string }
    | { type: "copy"; words: string }
    | { type: "full_screen" }
    | { type: "keep"; text: string }
    | { type: "save"; name: string; content: Blob }
    | { type: "failure"; words: string } // the viewer has ended
    | { type: "mesh"; mesh: Mesh }
    | { type: "texture"; slot: number; texture: Texture }
    | { type: "pixels"; pixels: Pixels }
    | { type: "figures"; figures: Record<string, number> };
