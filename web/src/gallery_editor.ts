/* The text of a scenario, to be changed: with the numbers of its lines, and the loader's own messages beside them. The text is data: it
 * goes into a text field and into the loader, nowhere else. */
import { button, el, setText } from "./panels/dom";
import type { GallerySays, ToGallery } from "./gallery_worker";

const WAIT_MS = 400; // for the next key
const MISTAKE = /^(?:(\d+):(\d+): )?([^]*)$/;

let worker: Worker | null = null;
let turns = 0;

/* The mistakes of a text, one a line; the Worker stays for the next time. */
function check(text: string): Promise<string[]> {
    worker ??= new Worker(GALLERY_WORKER_URL);
    const turn = ++turns, checker = worker, ask: ToGallery = { type: "check", turn, text };
    return new Promise((resolve) => {
        const take = ({ data }: MessageEvent<GallerySays>) => {
            if (data.type === "mistakes" && data.turn === turn) {
                checker.removeEventListener("message", take);
                resolve(data.lines);
            }
        };
        checker.addEventListener("message", take);
        checker.postMessage(ask);
    });
}

export class Editor {
    private readonly field = el("textarea", "field");
    private readonly numbers = el("div", "numbers");
    private readonly list = el("ol", "mistakes");
    private readonly said = el("p", "said");
    private original = "";
    private timer = 0;
    private turn = 0;

    /** details: the element of class editor, which names its scenario. */
    constructor(details: HTMLElement, private readonly run: (text: string) => void) {
        const { scenario, title } = details.dataset, box = el("div", "text"), tools = el("div", "tools");
        const apply = button("apply", "Run this text", () => void this.apply());
        const back = button("", "Back to the original", () => {
            this.set(this.original);
            void this.apply();
        });
        apply.title = "Ctrl+Enter";
        this.field.spellcheck = false;
        this.field.wrap = "off";
        this.field.id = `text-${scenario}-${details.dataset.number}`;
        this.list.id = `${this.field.id}-mistakes`;
        this.field.setAttribute("aria-label", `The text of the scenario ${title}. Control and Enter run it.`);
        this.field.setAttribute("aria-describedby", this.list.id);
        this.list.setAttribute("aria-label", "What is wrong with the text");
        this.numbers.setAttribute("aria-hidden", "true");
        this.said.setAttribute("role", "status");
        box.append(this.numbers, this.field, this.list);
        tools.append(apply, back);
        details.append(box, tools, this.said);
        this.field.addEventListener("keydown", (event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                event.preventDefault();
                void this.apply();
            }
        });
        this.field.addEventListener("input", () => {
            this.resize();
            clearTimeout(this.timer);
            this.timer = setTimeout(() => void this.look(), WAIT_MS) as unknown as number;
        });
        fetch(`scenarios/${scenario}.json`).then((response) => response.text()).then((text) => {
            this.original = text;
            this.set(text);
        }, () => setText(this.said, "The text did not come. Load the page again."));
    }

    private set(text: string): void {
        this.field.value = text;
        this.resize();
        this.show([]);
    }

    private resize(): void {
        const count = this.field.value.split("\n").length;
        this.field.rows = count;
        while (this.numbers.childElementCount < count) {
            this.numbers.append(el("span", "", String(this.numbers.childElementCount + 1)));
        }
        while (this.numbers.childElementCount > count) {
            this.numbers.lastChild!.remove();
        }
    }

    /* Returns whether the text is right; null when a later one is looked at. */
    private async look(): Promise<boolean | null> {
        clearTimeout(this.timer);
        const turn = ++this.turn, lines = await check(this.field.value);
        if (turn !== this.turn) {
            return null;
        }
        this.show(lines);
        setText(this.said, lines.length === 0 ? "The text is right." : `${lines.length === 1 ? "One mistake" : `${lines.length} mistakes`}; the world goes on as it was.`);
        return lines.length === 0;
    }

    private async apply(): Promise<void> {
        const text = this.field.value;
        if (await this.look()) {
            this.run(text);
            setText(this.said, "The world begins with this text.");
        }
    }

    /* Each message stands at the height of its line, or below the one before it. */
    private show(lines: string[]): void {
        [...this.numbers.children].forEach((number) => number.classList.remove("wrong"));
        this.list.textContent = "";
        this.field.setAttribute("aria-invalid", String(lines.length > 0));
        let below = 0;
        for (const line of lines) {
            const [, row, column, words] = MISTAKE.exec(line)!, item = el("li", "mistake");
            const place = row === undefined ? "" : `Line ${row}, column ${column}: `;
            const jump = button("", "", () => this.go(Number(row ?? 1), Number(column ?? 1)));
            jump.append(el("b", "", place), words);
            item.append(jump);
            this.list.append(item);
            const number = this.numbers.children[Number(row ?? 1) - 1] as HTMLElement | undefined;
            number?.classList.add("wrong");
            const top = Math.max(below, number?.offsetTop ?? 0);
            item.style.setProperty("--top", `${top}px`);
            below = top + item.offsetHeight;
        }
        this.list.style.setProperty("--height", `${below}px`);
    }

    /* Puts the cursor there. */
    private go(row: number, column: number): void {
        const before = this.field.value.split("\n").slice(0, row - 1).join("\n"), at = before.length + (row > 1 ? 1 : 0) + column - 1;
        this.field.focus();
        this.field.setSelectionRange(at, at + 1);
    }
}
