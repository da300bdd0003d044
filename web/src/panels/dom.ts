/* Nodes that are kept: makers, setters that touch only what changed, lists of rows. Styles are set through the object model
 * alone, which a strict content security policy allows. */

type Child = Node | string;

/** A node with its class and children. */
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, className = "", ...children: Child[]): HTMLElementTagNameMap[K] {
    const node = document.createElement(tag);
    if (className !== "") {
        node.className = className;
    }
    node.append(...children);
    return node;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag: string, attributes: Record<string, string | number> = {}, ...children: Node[]): SVGElement {
    const node = document.createElementNS(SVG, tag) as SVGElement;
    for (const [name, value] of Object.entries(attributes)) {
        node.setAttribute(name, String(value));
    }
    node.append(...children);
    return node;
}

export function setText(node: Element, text: string): void {
    if (node.textContent !== text) {
        node.textContent = text;
    }
}

/** null takes the attribute away. */
export function setAttribute(node: Element, name: string, value: string | null): void {
    if (node.getAttribute(name) !== value) {
        if (value === null) {
            node.removeAttribute(name);
        } else {
            node.setAttribute(name, value);
        }
    }
}

export function setStyle(node: HTMLElement | SVGElement, name: string, value: string): void {
    if (node.style.getPropertyValue(name) !== value) {
        node.style.setProperty(name, value);
    }
}

export function show(node: HTMLElement | SVGElement, isShown: boolean): void {
    if (node.hasAttribute("hidden") === isShown) {
        node.toggleAttribute("hidden", !isShown);
    }
}

let ids = 0;
/** A name for an element that another one points at. */
export function newId(): string {
    ids++;
    return `p${ids}`;
}

/** A row of a list: its node, and what it shows. */
export interface RowOf<T> {
    node: Element;
    set(item: T, index: number): void;
}

/** Rows that stay while their items change; those too many are hidden from the document. */
export class List<T> {
    readonly rows: RowOf<T>[] = [];
    private count = 0;
    constructor(private readonly parent: Element, private readonly make: () => RowOf<T>) {}

    set(items: readonly T[]): void {
        items.forEach((item, i) => {
            if (i === this.rows.length) {
                this.rows.push(this.make());
            }
            if (i >= this.count) {
                this.parent.append(this.rows[i].node);
            }
            this.rows[i].set(item, i);
        });
        for (let i = items.length; i < this.count; i++) {
            this.rows[i].node.remove();
        }
        this.count = items.length;
    }
}

/** A sentence that is shown while the pointer rests on the node, or the keyboard is at it. */
export function setTip(node: Element, words: string): void {
    setAttribute(node, "data-tip", words === "" ? null : words);
}

/** A control that says why it does nothing stays within reach of the keyboard: it is not disabled, it only does nothing. */
export function setWhyNot(node: Element, why: string, tip: string): void {
    setAttribute(node, "aria-disabled", why === "" ? null : "true");
    setTip(node, why === "" ? tip : why);
}

export function isOff(node: Element): boolean {
    return node.getAttribute("aria-disabled") === "true";
}

/** A button; what it does is done only while it may. */
export function button(className: string, words: string, does: () => void): HTMLButtonElement {
    const node = el("button", className, words);
    node.type = "button";
    node.addEventListener("click", () => {
        if (!isOff(node)) {
            does();
        }
    });
    return node;
}
