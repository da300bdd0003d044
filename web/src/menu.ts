/* The menu of a long press: what keyboards have on A, X, L ... */
import type { Actions } from "./panels/view";

const ROWS: [keyof Actions, string][] = [
    ["add", "Add agents"], ["remove", "Remove agents"], ["follow", "Follow the agent"], ["forces", "Forces"], ["undo", "Undo"],
    ["redo", "Redo"], ["fit", "The whole world"], ["picker", "Scenarios"], ["help", "Help"],
];

export class Menu {
    private readonly box: HTMLElement;

    /** act: does the action of a row of the table of shortcuts. */
    constructor(parent: HTMLElement, private readonly act: (row: number) => void) {
        this.box = document.createElement("div");
        this.box.className = "menu";
        this.box.setAttribute("role", "menu");
        this.box.hidden = true;
        parent.append(this.box);
        document.addEventListener("pointerdown", (event) => {
            if (!this.box.contains(event.target as Node)) {
                this.close();
            }
        });
        this.box.addEventListener("keydown", (event) => this.onKey(event));
    }

    get isOpen(): boolean {
        return !this.box.hidden;
    }

    /** Opens beside a place, CSS px of the page. */
    open(x: number, y: number, actions: Actions): void {
        this.box.textContent = "";
        for (const [name, words] of ROWS) {
            const action = actions[name];
            if (action === undefined) {
                continue;
            }
            const button = document.createElement("button");
            button.setAttribute("role", "menuitem");
            button.textContent = words;
            button.disabled = action.why !== undefined;
            button.title = action.why ?? action.words;
            button.addEventListener("click", () => {
                this.close();
                this.act(action.row);
            });
            this.box.append(button);
        }
        this.box.hidden = false;
        const { width, height } = this.box.getBoundingClientRect();
        this.box.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`;
        this.box.style.top = `${Math.max(8, Math.min(y, innerHeight - height - 8))}px`;
        this.box.querySelector<HTMLElement>("button:enabled")?.focus();
    }

    close(): void {
        this.box.hidden = true;
    }

    private onKey(event: KeyboardEvent): void {
        const buttons = [...this.box.querySelectorAll<HTMLElement>("button:enabled")];
        const at = buttons.indexOf(document.activeElement as HTMLElement);
        const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
        if (event.key === "Escape") {
            this.close();
        } else if (step !== 0 && buttons.length > 0) {
            buttons[(at + step + buttons.length) % buttons.length].focus();
        } else if (event.key !== "Enter" && event.key !== " ") {
            return;
        }
        event.stopPropagation();
    }
}
