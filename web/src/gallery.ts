/* The pages of the gallery: which of a page's worlds is live, buttons that change it, the editor of its text, and the page of hashes.
 * The documents are made by gallery_pages.mjs; without scripts they show pictures. */
import "./element";
import { Editor } from "./gallery_editor";
import { compareHashes } from "./gallery_hashes";

interface LiveWorld extends HTMLElement {
    ask(...requests: object[]): void;
    load(text: string): void;
}

const SEEN = 0.6; // of a world, before it begins by itself
const ROOM_PX = 700; // for the panel beside the world

/** A world of the page: its picture, or itself while it is live. */
class Stage {
    private world: LiveWorld | null = null;
    private text: string | null = null; // its own, in place of the catalog's
    private readonly box: HTMLElement;
    private readonly said: HTMLElement;
    readonly begins: boolean; // by itself

    /** figure: the element of class world. onLive: it is live from now on, so others are not. */
    constructor(readonly figure: HTMLElement, private readonly onLive: (stage: Stage) => void) {
        this.box = figure.querySelector<HTMLElement>(".stage")!;
        this.said = figure.querySelector<HTMLElement>(".said")!;
        this.begins = figure.dataset.large === undefined && !matchMedia("(prefers-reduced-motion: reduce)").matches;
        figure.querySelector(".run")!.addEventListener("click", () => {
            this.begin();
            this.world!.focus();
        });
        figure.querySelector(".again")!.addEventListener("click", () => {
            this.end();
            this.begin();
            this.say("The world begins again.");
        });
    }

    begin(): void {
        if (this.world !== null) {
            return;
        }
        const world = document.createElement("drover-world") as LiveWorld, view = new URLSearchParams(this.figure.dataset.view);
        if (view.get("panel") === "on" && this.box.clientWidth < ROOM_PX) {
            view.delete("panel");
            view.delete("sliders");
        }
        world.setAttribute("scenario", this.figure.dataset.scenario!);
        world.setAttribute("view", view.toString());
        world.setAttribute("aria-label", `The world ${this.figure.dataset.title}`);
        world.addEventListener("drover-error", (event) => this.say((event as CustomEvent<string>).detail));
        if (this.text !== null) {
            world.load(this.text);
        }
        this.world = world;
        this.box.append(world);
        this.box.classList.add("live");
        this.onLive(this);
    }

    get isLive(): boolean {
        return this.world !== null;
    }

    /** Shows the picture again. */
    end(): void {
        this.world?.remove();
        this.world = null;
        this.box.classList.remove("live");
    }

    ask(requests: object[], words: string): void {
        this.begin();
        this.world!.ask(...requests);
        this.say(words);
    }

    load(text: string): void {
        this.text = text;
        this.begin();
        this.world!.load(text);
    }

    private say(words: string): void {
        this.said.textContent = words;
    }
}

function begin(): void {
    const stages: Stage[] = [], byFigure = new Map<Element, Stage>();
    for (const figure of document.querySelectorAll<HTMLElement>(".world")) {
        const stage = new Stage(figure, (live) => stages.forEach((other) => other !== live && other.end()));
        stages.push(stage);
        byFigure.set(figure.querySelector(".stage")!, stage);
    }
    // A world that comes mostly into view begins; it stays as it is, standing still, until another one does. A busy browser reports several
    // pictures in one call: what counts is what is in view after the last. One that waits in view begins when the live one has gone.
    const inView = new Set<Stage>();
    const observer = new IntersectionObserver((entries) => {
        const changed = entries.map(({ target }) => byFigure.get(target)!);
        entries.forEach(({ isIntersecting, intersectionRatio }, i) => inView[isIntersecting && intersectionRatio >= SEEN ? "add" : "delete"](changed[i]));
        const isLiveSeen = [...inView].some((stage) => stage.isLive);
        [...inView].find((stage) => stage.begins && (!isLiveSeen || changed.includes(stage)))?.begin();
    }, { threshold: SEEN });
    byFigure.forEach((_, box) => observer.observe(box));

    const stageOf = (node: Element) => byFigure.get(node.closest(".step")!.querySelector(".stage")!)!;
    for (const button of document.querySelectorAll<HTMLElement>("button.do")) {
        button.addEventListener("click", () => stageOf(button).ask([JSON.parse(button.dataset.do!)].flat(), `Done: ${button.textContent}.`));
    }
    for (const details of document.querySelectorAll<HTMLDetailsElement>("details.editor")) {
        details.addEventListener("toggle", () => new Editor(details, (text) => stageOf(details).load(text)), { once: true });
    }
    const table = document.querySelector<HTMLElement>("#hashes");
    if (table !== null) {
        compareHashes(table);
    }
}

begin();
