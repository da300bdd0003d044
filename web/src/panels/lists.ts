/* What opens over the picture: the list of worlds, the card about this one, the help, a question. */
import { button, el, isOff, List, newId, RowOf, setAttribute, setText, show } from "./dom";
import { forFingers, gestureOf, gestures, hasFingers, said } from "./fingers";
import { icon } from "./marks";
import type { Actions, Card, Dialog, Help, Hit, Message, Picker } from "./view";

type Send = (message: Message) => void;
type Row = number | null;

/** A box over a shade; what is below it cannot be reached while it is open. */
class Modal {
    readonly node = el("dialog", "modal");
    readonly box = el("div", "box");
    readonly title = el("h2");
    private readonly close: HTMLButtonElement;

    constructor(className: string, send: Send, closeRow: () => Row) {
        this.title.id = newId();
        this.close = button("plain close", "", () => {
            const row = closeRow();
            if (row !== null) {
                send({ do: "shortcut", row });
            }
        });
        this.close.setAttribute("aria-label", "Close");
        this.close.append(icon("close"));
        this.node.setAttribute("aria-labelledby", this.title.id);
        this.node.classList.add(className);
        this.box.append(el("header", "box-head", this.title, this.close));
        this.node.append(this.box);
        this.node.addEventListener("cancel", (event) => event.preventDefault()); /* Esc goes to the app, which closes it */
    }

    setOpen(isOpen: boolean): void {
        if (isOpen && !this.node.open) {
            this.node.showModal();
        } else if (!isOpen && this.node.open) {
            this.node.close();
        }
    }
}

/* ---- scenarios and saved worlds ---- */

class HitRow implements RowOf<Hit> {
    readonly node = el("li", "hit-item");
    readonly option = el("div", "hit");
    private readonly group = el("div", "group");
    private readonly groupName = el("strong");
    private readonly groupCount = el("span", "dim");
    private readonly name = el("strong");
    private readonly other = el("span", "faint");
    private readonly words = el("p", "dim");
    hit: Hit | null = null;

    constructor(chooses: (row: HitRow) => void, takes: (hit: Hit) => void) {
        this.option.id = newId();
        this.option.setAttribute("role", "option");
        this.node.setAttribute("role", "presentation");
        this.group.setAttribute("role", "presentation");
        this.group.append(this.groupName, this.groupCount);
        this.option.append(el("div", "names", this.name, this.other), this.words);
        this.node.append(this.group, this.option);
        this.option.addEventListener("click", () => this.hit !== null && takes(this.hit));
        this.option.addEventListener("pointermove", (event) => event.pointerType === "mouse" && (event.movementX !== 0 || event.movementY !== 0) && chooses(this));
    }

    set(hit: Hit): void {
        this.hit = hit;
        show(this.group, hit.group !== "");
        setText(this.groupName, hit.group);
        setText(this.groupCount, hit.group !== "" ? String(hit.group_count) : "");
        setText(this.name, hit.save ? hit.name : hit.title);
        setText(this.other, hit.save ? hit.title : hit.name);
        setText(this.words, hit.caption !== "" ? hit.caption : hit.description);
    }
}

export class PickerPart {
    readonly modal: Modal;
    private readonly input = el("input", "wanted");
    private readonly count = el("span", "dim count");
    private readonly list = el("ul", "hits");
    private readonly rows: List<Hit>;
    private readonly nothing = el("p", "dim");
    private readonly detail = el("div", "detail");
    private readonly preview = el("img");
    private readonly detailTitle = el("strong");
    private readonly detailCaption = el("p");
    private readonly detailWords = el("p", "dim");
    private readonly remove: HTMLButtonElement;
    private hits: Hit[] = [];
    private chosen = 0;
    private shownWanted = ""; /* what the hits fit */
    private takesNext = false; /* Enter came with letters: it means the hits that fit them */

    constructor(private readonly send: Send, actions: () => Actions | null) {
        this.modal = new Modal("picker", send, () => actions()?.picker.row ?? null);
        setText(this.modal.title, "Scenarios and saved worlds");
        this.input.type = "search";
        this.input.placeholder = "a few letters of its name, or a word: predator, ORCA, tunnel";
        this.input.autocomplete = "off";
        this.input.spellcheck = false;
        this.list.id = newId();
        for (const [name, value] of [["role", "combobox"], ["aria-label", "Search"], ["aria-expanded", "true"], ["aria-controls", this.list.id],
            ["aria-autocomplete", "list"]]) {
            this.input.setAttribute(name, value);
        }
        this.list.setAttribute("role", "listbox");
        this.list.setAttribute("aria-label", "Worlds");
        this.rows = new List(this.list, () => new HitRow((row) => this.choose(this.rows.rows.indexOf(row), false), (hit) => this.pick(hit)));
        this.input.addEventListener("input", () => {
            this.chosen = 0;
            this.send({ do: "wanted", text: this.input.value });
        });
        this.input.addEventListener("keydown", (event) => this.onKey(event));
        this.preview.alt = "";
        this.preview.addEventListener("error", () => show(this.preview, false));
        this.remove = button("", "Remove ...", () => this.removeChosen());
        this.detail.append(this.preview, this.detailTitle, this.detailCaption, this.detailWords, this.remove);
        this.modal.box.append(this.input, this.count, el("div", "picker-body", el("div", "hits-box", this.list, this.nothing), this.detail));
    }

    setOpen(isOpen: boolean): void {
        const begins = isOpen && !this.modal.node.open;
        this.modal.setOpen(isOpen);
        if (begins) {
            this.input.value = "";
            this.chosen = 0;
            this.takesNext = false;
            this.input.focus();
        }
    }

    private pick(hit: Hit): void {
        this.send({ do: "pick", name: hit.name, save: hit.save });
    }

    private removeChosen(): void {
        const hit = this.hits[this.chosen];
        if (hit !== undefined) {
            this.send({ do: "remove", name: hit.name, save: hit.save });
        }
    }

    private onKey(event: KeyboardEvent): void {
        const page = Math.max(1, Math.floor(this.list.parentElement!.clientHeight / 48) - 1);
        const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
        const step = steps[event.key];
        if (step !== undefined) {
            this.choose(this.chosen + step, true);
        } else if (event.key === "Enter") {
            this.takesNext = true;
            this.takeChosen();
        } else if (event.key === "Delete" && this.input.selectionStart === this.input.value.length) {
            this.removeChosen();
        } else {
            return;
        }
        event.preventDefault();
    }

    private takeChosen(): void {
        if (this.takesNext && this.shownWanted === this.input.value && this.hits.length > 0) {
            this.takesNext = false;
            this.pick(this.hits[this.chosen]);
        }
    }

    private choose(index: number, scrolls: boolean): void {
        this.chosen = Math.max(0, Math.min(index, this.hits.length - 1));
        this.hits.forEach((_, i) => setAttribute((this.rows.rows[i] as HitRow).option, "aria-selected", String(i === this.chosen)));
        const row = this.rows.rows[this.chosen] as HitRow | undefined, hit = this.hits[this.chosen];
        setAttribute(this.input, "aria-activedescendant", hit !== undefined ? row!.option.id : null);
        if (scrolls && hit !== undefined) {
            row!.option.scrollIntoView({ block: "nearest" });
        }
        show(this.detail, hit !== undefined);
        if (hit === undefined) {
            return;
        }
        const source = hit.save ? "" : `${ASSETS}previews/${encodeURIComponent(hit.name)}.png`;
        if (this.preview.getAttribute("src") !== source) {
            show(this.preview, source !== "");
            setAttribute(this.preview, "src", source === "" ? null : source);
        }
        setText(this.detailTitle, hit.save ? hit.name : hit.title);
        setText(this.detailCaption, hit.caption);
        setText(this.detailWords, hit.description);
        show(this.remove, hit.save);
    }

    set(picker: Picker | null): void {
        if (picker === null) {
            return;
        }
        this.hits = picker.hits;
        this.shownWanted = picker.wanted;
        setText(this.count, picker.count_words);
        this.rows.set(picker.hits);
        setText(this.nothing, picker.wanted !== "" ? "no scenario or saved world matches" : "asking the server ...");
        show(this.nothing, picker.hits.length === 0);
        this.choose(this.chosen, false);
        this.takeChosen();
    }

    /** How many there are, for ears. */
    get words(): string {
        return this.modal.node.open ? this.count.textContent ?? "" : "";
    }
}

/* ---- the card ---- */

export class CardPart {
    readonly node = el("section", "card");
    private readonly title = el("h2");
    private readonly parts: { head: HTMLElement; body: HTMLElement; name: keyof Card }[] = [];
    private readonly keysHead = el("h3", "", hasFingers() ? "For your fingers" : "Keys that matter here");
    private readonly keys: List<Card["keys"][0]>;
    private readonly keysNode = el("dl", "keys");

    constructor(send: Send, actions: () => Actions | null) {
        const close = button("plain close", "", () => {
            const all = actions();
            if (all !== null) {
                send({ do: "shortcut", row: all.card.row });
            }
        });
        close.setAttribute("aria-label", "Close");
        close.append(icon("close"));
        this.title.id = newId();
        this.node.tabIndex = -1;
        this.node.setAttribute("aria-labelledby", this.title.id);
        this.node.append(el("header", "box-head", this.title, close));
        const add = (name: keyof Card, words: string, className = "") => {
            const head = el("h3", "", words), body = el("p", className);
            this.parts.push({ head, body, name });
            this.node.append(head, body);
        };
        add("caption", "", "strong");
        add("description", "");
        add("look_for", "Look for");
        add("try", "Try");
        this.keys = new List(this.keysNode, () => {
            const key = el("dt"), words = el("dd");
            return {
                node: el("div", "", key, words),
                set(row: Card["keys"][0]) {
                    setText(key, row.key);
                    setText(words, row.words);
                },
            };
        });
        this.node.append(this.keysHead, this.keysNode);
        add("source", "From");
        this.node.hidden = true;
    }

    setOpen(isOpen: boolean): void {
        show(this.node, isOpen);
    }

    set(card: Card | null): void {
        if (card === null) {
            return;
        }
        setText(this.title, card.title);
        for (const { head, body, name } of this.parts) {
            const words = card[name] as string;
            setText(body, said(words));
            show(body, words !== "");
            show(head, words !== "" && head.textContent !== "");
        }
        this.keys.set(hasFingers() ? gestures(card.keys) : card.keys);
        show(this.keysHead, card.keys.length > 0);
    }
}

/* ---- the help ---- */

export class HelpPart {
    readonly modal: Modal;
    private readonly rows: List<Help["rows"][0]>;

    constructor(send: Send, actions: () => Actions | null) {
        this.modal = new Modal("help", send, () => actions()?.help.row ?? null);
        const list = el("dl", "keys help-keys");
        list.tabIndex = 0;
        this.rows = new List(list, () => {
            const key = el("dt"), words = el("span"), way = el("span", "way"), node = el("div", "", key, el("dd", "", words, way));
            return {
                node,
                set(row: Help["rows"][0]) {
                    const gesture = hasFingers() ? gestureOf(row.way) : "";
                    setText(key, gesture !== "" ? gesture : row.key);
                    setText(words, gesture !== "" ? forFingers(row.words) : row.words);
                    setText(way, row.way === "" || gesture !== "" ? "" : ` (${row.way})`);
                    node.classList.toggle("off", row.off);
                },
            };
        });
        this.modal.box.append(list);
    }

    set(help: Help): void {
        setText(this.modal.title, help.title);
        const hands = help.rows.filter(({ way }) => hasFingers() && gestureOf(way) !== ""); /* first what fingers do */
        this.rows.set([...hands, ...help.rows.filter((row) => !hands.includes(row))]);
    }
}

/* ---- a question ---- */

/* As save_name_letter. */
function nameOf(typed: string): string {
    return typed.replace(/ /g, "-").replace(/[^A-Za-z0-9_-]/g, "");
}

export class DialogPart {
    readonly modal: Modal;
    private readonly words = el("p", "dim");
    private readonly line = el("input", "wanted");
    private readonly refused = el("p", "refused");
    private readonly note = el("p", "warn");
    private readonly agree: HTMLButtonElement;
    private readonly form = el("form");
    private question = 0;
    private hasLine = false;

    constructor(private readonly send: Send, actions: () => Actions | null) {
        this.modal = new Modal("question", send, () => actions()?.close.row ?? null);
        this.agree = el("button", "agree");
        this.agree.type = "submit";
        this.line.autocomplete = "off";
        this.line.spellcheck = false;
        this.line.setAttribute("aria-label", "Name");
        this.refused.setAttribute("role", "alert");
        this.line.addEventListener("input", () => this.onInput());
        this.form.addEventListener("submit", (event) => {
            event.preventDefault();
            if (!isOff(this.agree)) {
                this.send({ do: "agree", entered: this.hasLine ? this.line.value : "" });
            }
        });
        this.form.append(this.words, this.line, this.refused, this.note, el("div", "answers", el("span", "dim", hasFingers() ? "" : "Esc goes back"), this.agree));
        this.modal.box.append(this.form);
    }

    private onInput(): void {
        const name = nameOf(this.line.value), wasOther = name.length !== this.line.value.length;
        const isLong = name.length > this.line.maxLength && this.line.maxLength > 0;
        setText(this.refused, wasOther ? "letters, digits, _ and - only" : isLong ? `at most ${this.line.maxLength} characters` : "");
        this.line.value = name;
        this.send({ do: "entered", text: name });
        this.setAgree();
    }

    private setAgree(): void {
        setAttribute(this.agree, "aria-disabled", this.hasLine && this.line.value === "" ? "true" : null);
    }

    set(dialog: Dialog | null): void {
        if (dialog === null) {
            this.question = 0;
            this.modal.setOpen(false);
            return;
        }
        this.hasLine = dialog.line;
        setText(this.modal.title, dialog.title);
        setText(this.words, dialog.words);
        setText(this.note, dialog.note);
        show(this.note, dialog.note !== "");
        show(this.line, dialog.line);
        this.line.maxLength = dialog.most;
        setText(this.agree, dialog.agree);
        this.agree.classList.toggle("grave", dialog.grave);
        this.agree.classList.toggle("caution", !dialog.grave && dialog.note !== "");
        if (dialog.question !== this.question) {
            this.question = dialog.question;
            setText(this.refused, "");
            this.line.value = dialog.proposal;
            this.modal.setOpen(true);
            if (dialog.line) {
                this.line.focus();
                this.line.select();
                this.send({ do: "entered", text: dialog.proposal });
            } else {
                this.agree.focus();
            }
        }
        this.setAgree();
    }
}
