/* <drover-world>: a world in any page, one script to embed. The world has a document of its own in a frame, so its style, keys and
 * policies are its own.
 *
 *     <script src="drover-world.js"></script>
 *     <drover-world scenario="boids" seed="3"></drover-world>
 *
 * scenario, seed, paused   a world of the catalog; its server is in the page
 * replay                   where a recording is: it is played
 * src                      the page of a server, https://example.org:7718/: that server's world, live; or, ending in .json, the index of
 *                          static seconds, https://example.org/live/index.json
 * view                     further members of the address: color=speed&overlays=forces
 * The scenario can also stand in the element: <script type="application/json">{...}</script>
 *
 * With the server in the page:
 *
 *     world.ask({ op: "set_param", kind: "boid", param: "max_speed", value: 90 });    requests of protocol.md
 *     world.load(text);                                                              another scenario's text
 *     world.addEventListener("drover-error", (event) => console.log(event.detail));  what the server refuses
 *
 * A world that is out of view stands still.
 */
import type { FromWorld, ToWorld } from "./embedded";
import { reasonOf } from "./messages";
import { packed } from "./world_link";

const home = new URL(".", (document.currentScript as HTMLScriptElement | null)?.src ?? location.href);
const ATTRIBUTES = ["scenario", "seed", "paused", "replay", "src", "view"];

/* The address of a world's document. */
async function addressOf(element: HTMLElement): Promise<string> {
    const values = new URLSearchParams(element.getAttribute("view") ?? ""), src = element.getAttribute("src");
    if (src !== null) {
        const url = new URL(src, location.href);
        if (!/^https?:$/.test(url.protocol)) {
            throw new Error(`src is ${src.slice(0, 80)}; allowed: the address of a server's page or of an index.json, http: or https:`);
        }
        if (url.pathname.endsWith(".json")) {
            values.set("seconds", url.href);
            return `${new URL("world.html", home).href}#${values}`;
        }
        return `${url.href.replace(/#.*/, "")}#${values}`;
    }
    const text = element.querySelector('script[type="application/json"]')?.textContent ?? null, seed = element.getAttribute("seed");
    if (text !== null) {
        const world = { scenario: element.getAttribute("scenario") ?? "own", text, ...(seed === null ? {} : { seed: Number(seed) }) };
        values.set("w", await packed(JSON.stringify(world)));
    }
    for (const name of text === null ? ["scenario", "seed", "paused"] : ["paused"]) {
        if (element.hasAttribute(name)) {
            values.set(name, element.getAttribute(name)!);
        }
    }
    const replay = element.getAttribute("replay");
    if (replay !== null) {
        values.set("replay", new URL(replay, location.href).href);
    }
    return `${new URL("world.html", home).href}#${values}`;
}

class DroverWorld extends HTMLElement {
    static observedAttributes = ATTRIBUTES;
    private frame: HTMLIFrameElement | null = null;
    private made = 0;
    private isLoaded = false; // the frame takes messages
    private isHidden = false;
    private readonly early: ToWorld[] = [];
    private readonly seen = new IntersectionObserver((entries) => { // of a busy browser of several pictures, the last one last
        if (entries[entries.length - 1].isIntersecting === this.isHidden) {
            this.isHidden = !this.isHidden;
            this.say({ drover: "hide", isHidden: this.isHidden });
        }
    });
    private readonly heed = ({ source, data }: MessageEvent<FromWorld | null>) => {
        if (source !== null && source === this.frame?.contentWindow && data?.drover === "error") {
            this.dispatchEvent(new CustomEvent("drover-error", { detail: String(data.words) }));
        }
    };

    connectedCallback(): void {
        if (this.shadowRoot === null) {
            const sheet = new CSSStyleSheet(); // a page's policy may allow no style element
            sheet.replaceSync(":host{display:block;aspect-ratio:10/7;min-height:240px}iframe{width:100%;height:100%;border:0;display:block}");
            this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
        }
        window.addEventListener("message", this.heed);
        this.seen.observe(this);
        this.show();
    }

    disconnectedCallback(): void {
        window.removeEventListener("message", this.heed);
        this.seen.disconnect();
        this.isLoaded = this.isHidden = false;
        this.early.length = 0;
    }

    focus(): void {
        this.frame?.focus();
    }

    private say(message: ToWorld): void {
        if (this.hasAttribute("src")) {
            return; // the page of a server takes no messages
        }
        if (this.isLoaded) {
            this.frame!.contentWindow!.postMessage(message, home.origin === "null" ? "*" : home.origin);
        } else {
            this.early.push(message);
        }
    }

    /** Asks the world's server, which does one after the other. */
    ask(...requests: object[]): void {
        this.say({ drover: "ask", lines: requests.map((request) => JSON.stringify(request)) });
    }

    /** Goes on with the world that a scenario's text describes, from its start. */
    load(text: string): void {
        this.say({ drover: "load", text });
    }

    attributeChangedCallback(_name: string, before: string | null, now: string | null): void {
        if (this.isConnected && before !== now) {
            this.show();
        }
    }

    /** Shows the world that the attributes name, from its start. */
    show(): void {
        const turn = ++this.made, frame = document.createElement("iframe"); // a new one: another fragment alone loads nothing
        frame.title = this.getAttribute("aria-label") ?? `A world of steering agents: ${this.getAttribute("scenario") ?? "flock"}`;
        frame.allow = "fullscreen; clipboard-write";
        this.isLoaded = false;
        this.frame = frame;
        addressOf(this).then((address) => {
            if (turn === this.made) { // no other attribute came meanwhile
                frame.addEventListener("load", () => {
                    this.isLoaded = frame === this.frame;
                    this.early.splice(0, this.isLoaded ? this.early.length : 0).forEach((message) => this.say(message));
                });
                frame.src = address;
                this.shadowRoot!.replaceChildren(frame);
            }
        }, (error) => console.error(`drover-world: ${reasonOf(error)}`));
    }
}

if (customElements.get("drover-world") === undefined) {
    customElements.define("drover-world", DroverWorld);
}
