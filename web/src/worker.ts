/* The Worker: the socket, the viewer in WebAssembly, the drawing. The main thread sends it what the visitor does. */
import { Core, Wish, type Host } from "./core";
import { GlPainter } from "./gl";
import { Link, LinkEvent, socketUrl } from "./link";
import { isForced, reasonOf, type Mesh, type Pixels, type Size, type Start, type Texture, type ToMain, type ToWorker } from "./messages";
import { PortSocket } from "./port_socket";
import { pngOf, RasterPainter } from "./raster";

const HAS_CARD = 1, REDUCES_MOTION = 2, TAKES_CROWD = 4, OWN_SERVER = 8;
const TEXTURES = 3;
const STILL_MS = 50;
const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;

interface Scope {
    postMessage(message: ToMain, transfer?: Transferable[]): void;
    onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
    requestAnimationFrame?: (draw: (ms: number) => void) => number;
    location: { protocol: string; host: string; origin: string };
}
const scope = self as unknown as Scope;

function tell(message: ToMain, transfer?: Transferable[]): void {
    scope.postMessage(message, transfer);
}

/** Where pictures go: the canvas in this Worker, or the main thread, which has it. */
interface Painter {
    mesh(mesh: Mesh): void;
    texture(slot: number, texture: Texture): void;
    pixels(pixels: Pixels): void;
    read(mesh: Mesh, width: number, height: number, into: Uint32Array): boolean;
}

class MainThreadPainter implements Painter {
    mesh(mesh: Mesh): void {
        const copy: Mesh = { ...mesh, vertices: mesh.vertices.slice(), indices: mesh.indices.slice(), batches: mesh.batches.slice() };
        tell({ type: "mesh", mesh: copy }, [copy.vertices.buffer, copy.indices.buffer, copy.batches.buffer]);
    }
    texture(slot: number, texture: Texture): void {
        tell({ type: "texture", slot, texture });
    }
    pixels(pixels: Pixels): void {
        const copy = pixels.pixels.slice();
        tell({ type: "pixels", pixels: { ...pixels, pixels: copy } }, [copy.buffer]);
    }
    read(): boolean {
        return false;
    }
}

class OwnPainter implements Painter {
    constructor(private readonly gl: GlPainter | null, private readonly raster: RasterPainter | null) {}
    mesh(mesh: Mesh): void {
        this.gl?.draw(mesh);
    }
    texture(slot: number, texture: Texture): void {
        this.gl?.setTexture(slot, texture);
    }
    pixels(pixels: Pixels): void {
        this.raster?.draw(pixels);
    }
    read(mesh: Mesh, width: number, height: number, into: Uint32Array): boolean {
        if (this.gl === null) {
            return false;
        }
        this.gl.draw(mesh);
        return this.gl.read(width, height, into);
    }
}

/* A picture of what takes time, for tests and benchmarks: sums since the page began. crowds: pictures with a crowd that the card
 * moves; rows: how often its rows changed. */
const figures = { frames: 0, frame_ms: 0, draw_ms: 0, messages: 0, message_ms: 0, bytes: 0, sockets: 0, crowds: 0, rows: 0 };

class Viewer {
    private readonly versions = new Array<number>(TEXTURES).fill(0);
    private isHidden: boolean;
    private isAsked = false; // a frame was asked of the browser
    private timer = 0;
    private hasEnded = false;
    private readonly link: Link;

    constructor(private readonly core: Core, private readonly painter: Painter, private readonly hasFrames: boolean, isHidden: boolean,
                private size: Size, server: MessagePort | null) {
        this.isHidden = isHidden;
        const make = server === null ? () => new WebSocket(socketUrl(scope.location), ["drover.v1"]) : () => new PortSocket(server);
        this.link = new Link(make, scope.location.origin, {
            onEvent: (event, code, reason) => this.guard(() => {
                figures.sockets += event === LinkEvent.Opened ? 1 : 0;
                core.take("page_link", reason, event, code);
                this.wake();
            }),
            onMessage: (text) => this.guard(() => {
                const start = performance.now();
                core.receive(text);
                figures.messages++;
                figures.bytes += text.length;
                figures.message_ms += performance.now() - start;
                this.wake();
            }),
        });
    }

    /** Runs a step of the viewer; when WebAssembly traps, the page says so, and nothing runs any more. */
    guard(step: () => void): void {
        if (this.hasEnded) {
            return;
        }
        try {
            step();
        } catch (error) {
            this.end(`The viewer broke: ${reasonOf(error)}.`);
        }
    }

    private end(words: string): void {
        this.hasEnded = true;
        this.link.close();
        tell({ type: "failure", words });
    }

    /** A file of static seconds has come, or not. */
    fetched(bytes: Uint8Array, problem: string): void {
        this.guard(() => {
            figures.bytes += bytes.length;
            this.core.fetched(bytes, problem);
            this.wake();
        });
    }

    /** A frame soon: something happened. */
    wake(): void {
        if (this.timer !== 0) {
            clearTimeout(this.timer);
            this.timer = 0;
        }
        this.ask();
    }

    /* The next picture with the screen's refresh. A hidden tab gets none, and its socket no frames; what little comes is
     * handled at leisure. */
    private ask(): void {
        if (this.isAsked || this.hasEnded) {
            return;
        }
        this.isAsked = true;
        if (this.isHidden) {
            setTimeout(() => this.frame(), 4 * STILL_MS);
        } else if (this.hasFrames) {
            scope.requestAnimationFrame!(() => this.frame());
        }
    }

    /** Draws when a frame was asked for. */
    frame(): void {
        if (!this.isAsked) {
            return;
        }
        this.isAsked = false;
        this.guard(() => this.step());
    }

    private step(): void {
        const start = performance.now();
        const wish = this.core.call.page_frame();
        const drawn = performance.now();
        if ((wish & (Wish.Mesh | Wish.Pixels)) !== 0 && !this.isHidden) {
            this.draw(wish);
        }
        figures.frames++;
        figures.frame_ms += drawn - start;
        figures.draw_ms += performance.now() - drawn;
        if ((wish & Wish.Panels) !== 0) {
            tell({ type: "panels", text: this.core.give("page_panels") });
        }
        if ((wish & Wish.ClosesSocket) !== 0) {
            this.link.close();
        }
        if ((wish & Wish.WantsSocket) !== 0) {
            this.link.open();
        }
        if ((wish & Wish.Output) !== 0) {
            this.send();
        }
        if ((wish & Wish.HasEnded) !== 0) {
            this.end(this.core.give("page_failure"));
        } else if (!this.isHidden && (wish & Wish.IsStill) !== 0) {
            this.timer = setTimeout(() => this.wake(), STILL_MS) as unknown as number;
        } else if (!this.isHidden) {
            this.ask();
        }
    }

    private draw(wish: number): void {
        for (let slot = 0; (wish & Wish.Mesh) !== 0 && slot < TEXTURES; slot++) {
            const texture = this.core.texture(slot, this.versions[slot]);
            if (texture !== null) {
                this.versions[slot] = texture.version;
                this.painter.texture(slot, texture);
            }
        }
        const mesh = (wish & Wish.Mesh) !== 0 ? this.core.mesh() : null;
        const pixels = (wish & Wish.Pixels) !== 0 ? this.core.pixels() : null;
        if (mesh !== null) {
            this.painter.mesh(mesh);
            figures.crowds += mesh.crowd !== null ? 1 : 0;
            figures.rows = mesh.crowd?.version ?? figures.rows;
        }
        if (pixels !== null) {
            this.painter.pixels(pixels);
        }
    }

    private send(): void {
        for (const line of this.core.give("page_take_output").split("\n")) {
            if (line !== "") {
                this.link.send(line);
            }
        }
    }

    /** The canvas has this size; a picture of it is drawn even when nothing moves. */
    private resize({ width, height, ratio }: Size): void {
        this.size = { width, height, ratio };
        this.core.call.page_resize(width, height, ratio);
    }

    /** The canvas has lost its picture. */
    redraw(): void {
        this.guard(() => {
            this.resize(this.size);
            this.wake();
        });
    }

    hide(isHidden: boolean): void {
        this.isHidden = isHidden;
        this.core.call.page_hide(isHidden ? 1 : 0);
        this.isAsked = false; // a hidden tab's frame may never come
        this.wake();
    }

    handle(message: ToWorker): void {
        const call = this.core.call;
        switch (message.type) {
        case "pointer":
            call.page_pointer(message.event, message.id, message.x, message.y, message.buttons, message.clicks, performance.now());
            break;
        case "wheel":
            call.page_wheel(message.x, message.y, message.notches);
            break;
        case "gesture":
            call.page_gesture(message.x, message.y, message.dx, message.dy, message.factor);
            break;
        case "key":
            call.page_key(message.code, message.isDown ? 1 : 0, message.isRepeat ? 1 : 0, message.modifiers);
            break;
        case "typed":
            this.core.take("page_typed", message.text);
            break;
        case "act":
            call.page_act(message.row);
            break;
        case "resize":
            this.resize(message);
            break;
        case "hide":
            this.hide(message.isHidden);
            break;
        case "panels":
            this.core.take("page_panels_take", message.text);
            break;
        case "frame":
            this.frame();
            return;
        default:
            break;
        }
        this.wake();
    }
}

/* ---- the start ---- */

/* A file of static seconds. */
async function fileAt(url: string, isFresh: boolean): Promise<Uint8Array> {
    const response = await fetch(url, { cache: isFresh ? "no-cache" : "default", credentials: "omit" });
    if (!response.ok) {
        throw new Error(`the web server answered ${response.status}${response.status === 404 ? " (not found)" : ""}`);
    }
    return new Uint8Array(await response.arrayBuffer());
}

function hostOf(painter: () => Painter, core: () => Core, fetched: (bytes: Uint8Array, problem: string) => void): Host {
    return {
        log: (line, level) => console[LOG_LEVELS[Math.min(level, 3)]](line),
        copy: (words) => tell({ type: "copy", words }),
        title: (words) => tell({ type: "title", words }),
        cursor: (shape) => tell({ type: "cursor", shape }),
        fullScreen: () => tell({ type: "full_screen" }),
        keep: (text) => tell({ type: "keep", text }),
        save: (name, text) => tell({ type: "save", name, content: new Blob([text], { type: "text/plain" }) }),
        savePicture: (name, pixels) =>
            void pngOf(pixels).then((content) => tell({ type: "save", name, content }), (error) => console.error(error)),
        fetchFile: (url, isFresh) => void fileAt(url, isFresh).then(
            (bytes) => fetched(bytes, ""), (error) => fetched(new Uint8Array(0), reasonOf(error))),
        read: (into, width, height) => {
            const mesh = core().mesh();
            return mesh !== null && painter().read(mesh, width, height, into);
        },
    };
}

/* The card where there is a real one, else the raster. */
function painterOf(start: Start, onRestored: () => void): { painter: Painter; hasCard: boolean } {
    if (start.canvas === null) {
        return { painter: new MainThreadPainter(), hasCard: start.hasCard };
    }
    const gl = start.renderer === "raster" ? null : GlPainter.create(start.canvas, isForced(start.renderer), onRestored);
    const raster = gl === null ? RasterPainter.create(start.canvas) : null;
    if (gl === null && raster === null) {
        throw new Error("this browser draws neither with WebGL2 nor with pixels");
    }
    return { painter: new OwnPainter(gl, raster), hasCard: gl !== null };
}

let takeProgram: (compiled: WebAssembly.Module) => void;
const program = new Promise<WebAssembly.Module>((done) => (takeProgram = done));

async function begin(start: Start): Promise<Viewer> {
    let viewer: Viewer | null = null;
    const { painter, hasCard } = painterOf(start, () => viewer?.redraw());
    const core: Core = await Core.create(await program, hostOf(() => painter, () => core, (bytes, problem) => viewer?.fetched(bytes, problem)));
    if (start.settings !== "") {
        core.take("page_settings", start.settings);
    }
    for (const option of start.options) {
        if (core.take("page_option", option) === 0) {
            console.warn(`the page takes no option ${option.replace(/=.*/, "")}`);
        }
    }
    // Copies for the main thread would cost more than the rows save.
    const takesCrowd = hasCard && start.canvas !== null && start.renderer !== "mesh";
    const flags = (hasCard ? HAS_CARD : 0) | (takesCrowd ? TAKES_CROWD : 0) | (start.reducesMotion ? REDUCES_MOTION : 0) |
        (start.server !== null ? OWN_SERVER : 0);
    if (core.call.page_create(start.width, start.height, start.ratio, flags) === 0) {
        throw new Error(core.give("page_failure") || "the viewer does not start");
    }
    const hasFrames = start.canvas !== null && scope.requestAnimationFrame !== undefined;
    viewer = new Viewer(core, painter, hasFrames, start.isHidden, start, start.server);
    if (start.isHidden) {
        viewer.hide(true);
    }
    tell({ type: "ready", shortcuts: core.give("page_shortcuts"), renderer: hasCard ? "card" : "raster" });
    viewer.wake();
    return viewer;
}

let viewer: Viewer | null = null;
const early: ToWorker[] = []; // messages that come while the module loads

scope.onmessage = ({ data }) => {
    if (data.type === "start") {
        begin(data).then(
            (made) => {
                viewer = made;
                early.splice(0).forEach((message) => made.guard(() => made.handle(message)));
            },
            (error) => tell({ type: "failure", words: `Its program did not come or does not run: ${reasonOf(error)}.` }),
        );
    } else if (data.type === "program") {
        takeProgram(data.compiled);
    } else if (data.type === "figures") {
        tell({ type: "figures", figures: { ...figures } });
    } else if (viewer === null) {
        early.push(data);
    } else {
        const made = viewer;
        made.guard(() => made.handle(data));
    }
};
