/* The main thread: the document, what the visitor does, the panels. The viewer itself runs in a Worker (worker.ts). */
import { moduleFrom } from "./core";
import { embed } from "./embedded";
import { GlPainter } from "./gl";
import { Input } from "./input";
import { Loading } from "./loading";
import { isForced, reasonOf, type Renderer, type Size, type Start, type ToMain, type ToWorker } from "./messages";
import { Menu } from "./menu";
import { Panels } from "./panels/panels";
import type { Actions, Message, Sections } from "./panels/view";
import { RasterPainter } from "./raster";
import { OwnServer } from "./own_server";
import { download, ShareMenu, type ShareWork } from "./share_menu";
import { packed } from "./world_link";
import { addressOf, fragmentOf, fragmentWith, optionsOf, takeFragment, withTheme } from "./start";

const MOST_RATIO = 2;
const CURSORS = ["default", "grab", "grabbing"];
const SETTINGS = "drover.settings", TOKEN = "drover.token";

function element<T extends HTMLElement>(id: string): T {
    const found = document.getElementById(id);
    if (found === null) {
        throw new Error(`the page has no element #${id}`);
    }
    return found as T;
}

/* A browser that keeps nothing (private windows, blocked cookies) throws. */
function stored(storage: "localStorage" | "sessionStorage", name: string): string {
    try {
        return window[storage].getItem(name) ?? "";
    } catch {
        return "";
    }
}
function store(storage: "localStorage" | "sessionStorage", name: string, text: string): void {
    try {
        window[storage].setItem(name, text);
    } catch {
        /* nothing is kept for the next visit */
    }
}

const NO_WEBASSEMBLY = "It is made of WebAssembly, which this browser lacks or blocks. Allow it for this page (a strict or lockdown mode " +
    "switches it off), or take another browser.";

/* Static seconds are played without the page's own server. */
const HAS_SERVER = IN_PAGE && !fragmentOf(location.hash, location.href, location.search).options.some(([name]) => name === "seconds");
const loading = new Loading(element("loading"), () => element("panels").classList.remove("waiting"));
let hasBegun = false; // the viewer runs

/** A sentence over the page: the viewer cannot go on. again: where the button leads; absent: here. */
function fail(words: string, again?: string): void {
    const box = element<HTMLElement>("failure");
    box.textContent = "";
    loading.end();
    const title = document.createElement("h1"), text = document.createElement("p"), button = document.createElement("button");
    title.id = "failure-title";
    title.textContent = hasBegun ? "The viewer has stopped" : "The viewer cannot start";
    text.textContent = words === "" ? "The connection to the server has ended." : words;
    button.textContent = again === undefined ? "Load the page again" : "Show another world";
    button.addEventListener("click", () => {
        if (again !== undefined) {
            history.replaceState(null, "", again);
        }
        location.reload();
    });
    box.append(title, text, button);
    box.hidden = false;
    button.focus();
}

/** Begins again with another token. A browser that keeps nothing has it in the address until the page is there again. */
function enter(token: string): void {
    store("sessionStorage", TOKEN, token);
    if (stored("sessionStorage", TOKEN) !== token) {
        history.replaceState(null, "", fragmentWith(location.hash, token));
    }
    location.reload();
}

/** Draws in the main thread what the Worker makes, where canvases cannot be handed over. */
class OwnCanvas {
    readonly gl: GlPainter | null;
    private readonly raster: RasterPainter | null;
    constructor(canvas: HTMLCanvasElement, renderer: Renderer, onRestored: () => void) {
        this.gl = renderer === "raster" ? null : GlPainter.create(canvas, isForced(renderer), onRestored);
        this.raster = this.gl === null ? RasterPainter.create(canvas) : null;
    }
    handle(message: ToMain): void {
        if (message.type === "mesh") {
            this.gl?.draw(message.mesh);
        } else if (message.type === "texture") {
            this.gl?.setTexture(message.slot, message.texture);
        } else if (message.type === "pixels") {
            this.raster?.draw(message.pixels);
        }
    }
}

class Page {
    private readonly canvas = element<HTMLCanvasElement>("world");
    private readonly worker = new Worker(WORKER_URL);
    private readonly panels: Panels;
    private readonly menu: Menu;
    private actions: Actions | null = null;
    private own: OwnCanvas | null = null;
    private isOutOfView = false; // of the page that has this one in a frame
    private leads = true; // whether the role lets us lead the target named mouse
    private readonly server = HAS_SERVER ? new OwnServer(location.hash, loading, fail) : null;

    constructor() {
        const share = new ShareMenu(document.body, this.canvas, this.shareWork());
        this.panels = new Panels(element("panels"), (message: Message) => this.send({ type: "panels", text: JSON.stringify(message) }), enter,
            (opener) => share.toggle(opener));
        window.addEventListener("hashchange", () => {
            const { token } = takeFragment(location, history);
            if (token !== "") {
                enter(token);
            }
        });
        this.menu = new Menu(document.body, (row) => this.send({ type: "act", row }));
        this.worker.onmessage = (event: MessageEvent<ToMain>) => this.handle(event.data);
        this.worker.onerror = (event) => {
            event.preventDefault();
            fail(`The browser did not run its script: ${event.message || "it did not come"}.`);
        };
        this.start();
        new Input(this.canvas, (message) => this.send(message), {
            panelsOwn: (event) => this.panels.ownsKey(event),
            leavePanels: () => this.panels.leave(),
            leadsMouse: () => this.leads,
            openMenu: (x, y) => this.openMenu(x, y),
        });
        new ResizeObserver(() => this.send({ type: "resize", ...this.size() })).observe(this.canvas);
        document.addEventListener("visibilitychange", () => this.hide());
        if (this.server !== null) {
            const server = this.server;
            embed({
                request: (lines) => server.request(lines),
                open: (file) => server.open(file),
                hide: (isHidden) => {
                    this.isOutOfView = isHidden;
                    this.hide();
                },
            });
        }
        document.addEventListener("drover-figures", () => this.send({ type: "figures" })); // for tests and benchmarks
        this.watchRatio();
    }

    private hide(): void {
        const isHidden = document.hidden || this.isOutOfView;
        this.send({ type: "hide", isHidden });
        this.server?.hide(isHidden);
    }

    private send(message: ToWorker, transfer: Transferable[] = []): void {
        this.worker.postMessage(message, transfer);
    }

    private size(): Size {
        const ratio = Math.min(window.devicePixelRatio || 1, MOST_RATIO);
        return {
            width: Math.max(1, Math.round(this.canvas.clientWidth * ratio)),
            height: Math.max(1, Math.round(this.canvas.clientHeight * ratio)),
            ratio,
        };
    }

    /* The window went to another screen, or the page was zoomed. */
    private watchRatio(): void {
        matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`).addEventListener("change", () => {
            this.send({ type: "resize", ...this.size() });
            this.watchRatio();
        }, { once: true });
    }

    private start(): void {
        const settings = stored("localStorage", SETTINGS), isLight = matchMedia("(prefers-color-scheme: light)").matches;
        const fragment = withTheme(takeFragment(location, history), settings === "", isLight);
        if (fragment.token !== "") {
            store("sessionStorage", TOKEN, fragment.token);
        }
        const element = this.canvas as unknown as { transferControlToOffscreen?: () => FreeCanvas };
        const hasOffscreen = element.transferControlToOffscreen !== undefined && !fragment.isOnMainThread;
        const size = this.size();
        this.own = hasOffscreen ? null : new OwnCanvas(this.canvas, fragment.renderer, () => this.send({ type: "resize", ...this.size() }));
        const canvas = hasOffscreen ? element.transferControlToOffscreen!() : null;
        const start: Start = {
            type: "start",
            ...size,
            canvas,
            hasCard: this.own !== null && this.own.gl !== null,
            renderer: fragment.renderer,
            options: optionsOf(fragment, fragment.token || stored("sessionStorage", TOKEN), HAS_SERVER ? "this-page:1" : addressOf(location)),
            settings,
            reducesMotion: matchMedia("(prefers-reduced-motion: reduce)").matches,
            isHidden: document.hidden,
            server: this.server?.port ?? null,
        };
        this.send(start, [...(canvas === null ? [] : [canvas as unknown as Transferable]), ...(start.server === null ? [] : [start.server])]);
        if (this.own !== null) {
            this.tick();
        }
        moduleFrom(WASM_URL, (done) => loading.setBytes("viewer", done, WASM_BYTES)).then(
            (compiled) => this.send({ type: "program", compiled }),
            (error) => fail(`Its program did not come or does not run: ${reasonOf(error)}.`));
    }

    /* The screen's refresh, for a Worker without a canvas. */
    private tick(): void {
        requestAnimationFrame(() => {
            this.send({ type: "frame" });
            this.tick();
        });
    }

    private handle(message: ToMain): void {
        switch (message.type) {
        case "ready":
            hasBegun = true;
            document.documentElement.dataset.renderer = message.renderer;
            this.send({ type: "resize", ...this.size() });
            break;
        case "panels":
            this.show(message.text);
            break;
        case "cursor":
            this.canvas.style.cursor = CURSORS[message.shape] ?? "default";
            break;
        case "title":
            document.title = message.words;
            break;
        case "copy":
            void navigator.clipboard?.writeText(message.words).catch((error) => console.warn(error));
            break;
        case "full_screen":
            void (document.fullscreenElement === null ? document.documentElement.requestFullscreen() : document.exitFullscreen())
                .catch((error) => console.warn(error));
            break;
        case "keep":
            store("localStorage", SETTINGS, message.text);
            break;
        case "save":
            download(message.name, message.content);
            break;
        case "failure":
            fail(message.words);
            break;
        case "figures":
            document.documentElement.dataset.figures = JSON.stringify(message.figures);
            break;
        default:
            this.own?.handle(message);
        }
    }

    /* With a server of its own, a page has the whole world to share; else its own address. */
    private shareWork(): ShareWork {
        const server = this.server, here = () => location.href.replace(/#.*/, "");
        if (server === null) {
            return { link: async () => ({ address: here() + location.hash, note: "It needs this server." }), files: [], opens: false,
                open: async ({ name }) => {
                    throw new Error(`this page shows the world of its server, which reads files of its own machine: drover-server ${name.endsWith(".json") ? "" : "--replay "}${name}`);
                } };
        }
        const text = async (kind: "scenario" | "recording", type: string) => {
            const share = await server.share();
            return { name: `${share.world.scenario}.${type}`, content: new Blob([share[kind]], { type: "text/plain" }) };
        };
        return {
            link: async () => {
                const { world, note } = await server.share(), values = new URLSearchParams(location.hash.slice(1));
                ["scenario", "seed", "replay", "w", "paused"].forEach((name) => values.delete(name));
                values.set("w", await packed(JSON.stringify(world)));
                return { address: `${here()}#${values}`, note };
            },
            files: [
                { words: "Save the scenario", make: () => text("scenario", "json") },
                { words: "Save the recording", make: () => text("recording", "drover") },
            ],
            opens: true,
            open: (file) => server.open(file),
        };
    }

    private openMenu(x: number, y: number): void {
        const box = this.canvas.getBoundingClientRect();
        if (this.actions !== null) {
            this.menu.open(box.left + x, box.top + y, this.actions);
        }
    }

    private show(text: string): void {
        const sections = JSON.parse(text) as Sections;
        this.actions = sections.actions ?? this.actions;
        if (sections.bar !== undefined) {
            this.leads = sections.bar.role !== "viewer";
            sections.bar.address = HAS_SERVER ? "in this page" : sections.bar.address;
        }
        this.panels.update(sections);
        loading.update(sections);
    }
}

try {
    if (typeof WebAssembly === "undefined") {
        throw new Error(NO_WEBASSEMBLY);
    }
    new Page();
} catch (error) {
    fail(reasonOf(error));
}
