/* From the first paint to the first picture: what the page waits for, and a bar. index.html has its nodes, so that they are there
 * before any script is. */
import { setText } from "./panels/dom";
import type { Sections } from "./panels/view";

/* Shares of the bar: the program has come; the server has said which world it has. */
const PROGRAM = 0.8, WORLD = 0.95;

/** How much of a size has come: "120 of 540 kB". */
export function bytesWords(done: number, all: number): string {
    return `${Math.min(Math.floor(done / 1000), Math.round(all / 1000))} of ${Math.round(all / 1000)} kB`;
}

/** What is still awaited, as far as the sections tell. share: of the bar; 1: nothing any more. words "": a banner says it. */
export function awaited({ bar, banner }: Pick<Sections, "bar" | "banner">): { share: number; words: string } {
    if (bar !== undefined && bar.tick !== "") {
        return { share: 1, words: "" };
    }
    const hasWorld = bar !== undefined && bar.scenario !== "", words = hasWorld ? "Waiting for the first picture" : "Connecting";
    return { share: hasWorld ? WORLD : PROGRAM, words: banner !== undefined && banner.title !== "" ? "" : words };
}

export class Loading {
    private readonly title: HTMLElement;
    private readonly bar: HTMLProgressElement;
    private readonly words: HTMLElement;
    private readonly known: Pick<Sections, "bar" | "banner"> = {};
    private readonly come = new Map<string, [number, number]>();
    private isOver = false;

    /** node: the element of index.html. onOver: the first picture is there. */
    constructor(private readonly node: HTMLElement, private readonly onOver: () => void) {
        this.title = node.querySelector(".name")!;
        this.bar = node.querySelector("progress")!;
        this.words = node.querySelector("[role=status]")!;
    }

    /** So many bytes of a program have come: of the viewer, and of the server where the page has its own. */
    setBytes(what: string, done: number, all: number): void {
        this.come.set(what, [Math.min(done, all), all]);
        const [sum, whole] = [...this.come.values()].reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
        this.set(PROGRAM * sum / whole, `Loading the viewer: ${bytesWords(sum, whole)}`);
    }

    /** Sections that have changed. */
    update({ bar, banner }: Sections): void {
        if (this.isOver) {
            return;
        }
        this.known.bar = bar ?? this.known.bar;
        this.known.banner = banner ?? this.known.banner;
        if (this.known.bar !== undefined && this.known.bar.scenario !== "") {
            setText(this.title, this.known.bar.scenario);
        }
        const { share, words } = awaited(this.known);
        this.set(share, words);
        if (share === 1) {
            this.end();
            this.onOver();
        }
    }

    /** Nothing is awaited any more. */
    end(): void {
        this.isOver = true;
        this.node.hidden = true;
    }

    private set(share: number, words: string): void {
        this.bar.value = share;
        setText(this.words, words);
    }
}
