/* The page that computes worlds on this machine and compares their hashes with those of the project. The table has a row a world
 * (data-name, data-agents), in it a cell a tick (data-tick) with the hash that is wanted. */
import { setText } from "./panels/dom";
import type { GallerySays, ToGallery } from "./gallery_worker";

const MOST_AGENTS = 1000, MOST_LARGE = 100000;

/* What the browser says of itself; enough to name the engine. */
function engine(): string {
    const agent = navigator.userAgent, [, name = "", version = ""] = /(Firefox|Edg|Chrome|Version)\/([\d.]+)/.exec(agent) ?? [];
    const names: Record<string, string> = { Firefox: "SpiderMonkey", Edg: "V8", Chrome: "V8", Version: "JavaScriptCore" };
    return name === "" ? agent : `${names[name]} (${name === "Version" ? "Safari" : name} ${version})`;
}

class Comparison {
    private worker: Worker | null = null;
    private equal = 0;
    private different = 0;
    private readonly rows: HTMLElement[];
    private readonly said: HTMLElement;
    private readonly button: HTMLElement;

    constructor(table: HTMLElement, page: HTMLElement) {
        this.rows = [...table.querySelectorAll<HTMLElement>("tr[data-name]")];
        this.said = page.querySelector<HTMLElement>("#verdict")!;
        this.button = page.querySelector<HTMLElement>("#compare")!;
        setText(page.querySelector("#engine")!, engine());
        this.button.addEventListener("click", () => this.worker === null ? this.begin(page.querySelector<HTMLInputElement>("#large")!.checked) : this.end("Stopped."));
    }

    begin(isLarge: boolean): void {
        const worker = new Worker(GALLERY_WORKER_URL), most = isLarge ? MOST_LARGE : MOST_AGENTS;
        const wanted = this.rows.filter((row) => Number(row.dataset.agents) <= most);
        this.worker = worker;
        this.equal = this.different = 0;
        this.rows.forEach((row) => row.querySelectorAll(".result").forEach((cell) => {
            cell.className = "result";
            setText(cell as HTMLElement, wanted.includes(row) ? "" : "left out");
        }));
        setText(this.button, "Stop");
        setText(this.said, `Computing ${wanted.length} worlds…`);
        const next = async () => {
            const row = wanted.shift();
            if (row === undefined) {
                const all = this.equal + this.different;
                this.end(this.different === 0 ? `All ${all} hashes are equal.` : `${this.different} of ${all} hashes are different.`);
                return;
            }
            const name = row.dataset.name!, text = await (await fetch(`scenarios/${name}.json`)).text();
            const ask: ToGallery = { type: "hashes", name, text, ticks: [...row.querySelectorAll<HTMLElement>("[data-tick]")].map((cell) => Number(cell.dataset.tick)) };
            worker.postMessage(ask);
        };
        worker.onmessage = ({ data }: MessageEvent<GallerySays>) => {
            if (data.type === "mistakes") {
                return;
            }
            const row = this.rows.find((one) => one.dataset.name === data.name)!;
            if (data.type === "hash") {
                this.take(row.querySelector<HTMLElement>(`[data-tick="${data.tick}"]`)!, data.hash);
                return;
            }
            if (data.error !== "") {
                row.querySelectorAll<HTMLElement>("[data-tick]").forEach((cell) => this.take(cell, data.error));
            }
            next().catch((error) => this.end(String(error)));
        };
        worker.onerror = (event) => this.end(`It does not run here: ${event.message}`);
        next().catch((error) => this.end(String(error)));
    }

    private take(cell: HTMLElement, hash: string): void {
        const isEqual = hash === cell.dataset.hash, result = cell.querySelector<HTMLElement>(".result")!;
        this.equal += isEqual ? 1 : 0;
        this.different += isEqual ? 0 : 1;
        result.classList.add(isEqual ? "equal" : "different");
        setText(result, isEqual ? "equal" : `different: ${hash}`);
    }

    private end(words: string): void {
        this.worker?.terminate();
        this.worker = null;
        setText(this.button, "Compare again");
        setText(this.said, words);
    }
}

export function compareHashes(table: HTMLElement): void {
    new Comparison(table, document.body).begin(false);
}
