/* <drover-world>: a world in any page, one script to embed. The world has a document of its own in a frame, so its style, keys and
 * policies are its own.
 *
 *     <script src="drover-world.js"></script>
 *     <drover-world scenario="boids" seed="3"></drover-world>
 *
 * scenario, seed, paused   a world of the catalog; its server is in the page
 * replay                   where a recording is: it is played
 * src                      the page of a server, https://example.org:7718/: that server's world, live
 * view                     further members of the address: color=speed&overlays=forces
 * The scenario can also stand in the element: <script type="application/json">{...}</script>
 */
import { packed } from "./world_link";

const home = new URL(".", (document.currentScript as HTMLScriptElement | null)?.src ?? location.href);
const ATTRIBUTES = ["scenario", "seed", "paused", "replay", "src", "view"];

/* The address of a world's document. */
async function addressOf(element: HTMLElement): Promise<string> {
    const values = new URLSearchParams(element.getAttribute("view") ?? ""), src = element.getAttribute("src");
    if (src !== null) {
        const url = new URL(src, location.href);
        if (!/^https?:$/.test(url.protocol)) {
            throw new Error(`src is ${src.slice(0, 80)}; allowed: the address of a server's page, http: or https:`);
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
    private readonly frame = document.createElement("iframe");
    private made = 0;

    connectedCallback(): void {
        if (this.frame.parentNode === null) {
            const root = this.attachShadow({ mode: "open" }), style = document.createElement("style");
            style.textContent = ":host{display:block;aspect-ratio:10/7;min-height:240px}iframe{width:100%;height:100%;border:0;display:block}";
            this.frame.title = this.getAttribute("aria-label") ?? `A world of steering agents: ${this.getAttribute("scenario") ?? "flock"}`;
            this.frame.allow = "fullscreen; clipboard-write";
            root.append(style, this.frame);
        }
        this.show();
    }

    attributeChangedCallback(_name: string, before: string | null, now: string | null): void {
        if (this.isConnected && before !== now) {
            this.show();
        }
    }

    /** Shows the world that the attributes name, from its start. */
    show(): void {
        const turn = ++this.made;
        addressOf(this).then((address) => {
            if (turn === this.made) { // no other attribute came meanwhile
                const other = new URL(address), shown = this.frame.src === "" ? null : new URL(this.frame.src);
                const isSame = shown !== null && shown.origin + shown.pathname + shown.search === other.origin + other.pathname + other.search;
                this.frame.src = address;
                if (isSame) {
                    this.frame.contentWindow?.postMessage("drover-reload", "*"); // another fragment alone loads nothing
                }
            }
        }, (error) => {
            this.frame.srcdoc = "";
            console.error(`drover-world: ${error instanceof Error ? error.message : String(error)}`);
        });
    }
}

if (customElements.get("drover-world") === undefined) {
    customElements.define("drover-world", DroverWorld);
}
