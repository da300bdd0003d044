/* The sentence beside the control that the pointer rests on, or that the keyboard is at; a finger has none. Esc takes it away. */
import { el, newId, setAttribute } from "./dom";
import { hasFingers } from "./fingers";

export class Tip {
    readonly node = el("div", "tip");
    private owner: Element | null = null;
    private under: EventTarget | null = null; /* the pointer */
    private isTouched = hasFingers(); /* what was used last is a finger */

    constructor(root: HTMLElement) {
        this.node.id = newId();
        this.node.setAttribute("role", "tooltip");
        this.node.hidden = true;
        root.append(this.node);
        root.addEventListener("pointermove", (event) => { /* what comes under a pointer that rests says nothing */
            if (event.pointerType !== "touch" && event.target !== this.under) {
                this.under = event.target;
                this.over(event.target as Element);
            }
        });
        root.addEventListener("pointerleave", () => {
            this.under = null;
            this.hide();
        });
        root.addEventListener("focusin", (event) => {
            const target = event.target as Element;
            if (!this.isTouched && target.matches(":focus-visible")) {
                this.over(target);
            }
        });
        root.addEventListener("focusout", () => this.hide());
        root.addEventListener("pointerdown", () => this.hide());
        root.addEventListener("scroll", () => this.hide(), true);
        window.addEventListener("pointerdown", ({ pointerType }) => (this.isTouched = pointerType === "touch"), true);
        window.addEventListener("keydown", ({ key }) => {
            this.isTouched = false;
            if (key !== "Escape") {
                this.hide();
            }
        }, true);
    }

    get isShown(): boolean {
        return !this.node.hidden;
    }

    private over(target: Element): void {
        const owner = target.closest("[data-tip]");
        if (owner === null) {
            this.hide();
        } else if (owner !== this.owner) {
            this.show(owner, [{ words: owner.getAttribute("data-tip") ?? "", color: "" }]);
        }
    }

    /** Lines beside a node. */
    show(owner: Element, lines: { words: string; color: string }[]): void {
        this.hide();
        this.owner = owner;
        for (const { words, color } of lines) {
            const line = el("div", "", words);
            line.style.color = color;
            this.node.append(line);
        }
        this.node.hidden = false;
        this.place(owner, owner.getBoundingClientRect());
        setAttribute(owner, "aria-describedby", this.node.id);
    }

    /** Nothing is said of a control that has gone. */
    hideStray(): void {
        if (this.owner !== null && this.owner.getClientRects().length === 0) {
            this.hide();
        }
    }

    /* Left of what is in the side panel, else below or above. */
    private place(owner: Element, box: DOMRect): void {
        const own = this.node.getBoundingClientRect(), side = owner.closest(".side") !== null && innerWidth > 700;
        const below = box.bottom + 6 + own.height < innerHeight - 4 ? box.bottom + 6 : box.top - own.height - 6;
        const left = side ? Math.min(box.left - 12, innerWidth - 270) - own.width : box.left;
        const top = side ? box.top : below;
        this.node.style.left = `${Math.round(Math.max(4, Math.min(left, innerWidth - own.width - 4)))}px`;
        this.node.style.top = `${Math.round(Math.max(4, Math.min(top, innerHeight - own.height - 4)))}px`;
    }

    hide(): void {
        if (this.owner !== null) {
            setAttribute(this.owner, "aria-describedby", null);
            this.owner = null;
        }
        this.node.hidden = true;
        this.node.textContent = "";
    }
}
