/* The equations of the selected agent: what each behavior wants and gets, its formula, the figure, the sum. What is pointed at
 * lights up in the picture, and the other way round. */
import { button, el, List, RowOf, setAttribute, setStyle, setText, setTip, setWhyNot, show, svg } from "./dom";
import { eye } from "./marks";
import type { Equations, Figure, FigureArrow, Line, Lit, Message, Term, Token } from "./view";

type Send = (message: Message) => void;
export const NOTHING_LIT: Lit = [0, -1, -1, -1];

/** Lights the arrow that belongs to the node while the pointer or the keyboard is at it. */
class Lighter {
    private lit: Lit | undefined;
    constructor(node: Element, send: Send) {
        const on = () => this.lit !== undefined && send({ do: "lit", lit: this.lit });
        const off = () => this.lit !== undefined && send({ do: "lit", lit: NOTHING_LIT });
        for (const name of ["pointerenter", "focus"]) {
            node.addEventListener(name, on);
        }
        for (const name of ["pointerleave", "blur"]) {
            node.addEventListener(name, off);
        }
    }
    set(lit: Lit | undefined): void {
        this.lit = lit;
    }
}

/* A piece of a line, between which it may be broken: a token, those without numbers at their spaces. spare: ch before it, so
 * that what follows a number keeps its place. */
interface Piece {
    token: Token;
    text: string;
    spare: number;
}

function pieceOf(send: Send): RowOf<Piece> {
    const words = el("span", "token"), end = el("wbr"), node = el("span", "", end, words), lighter = new Lighter(words, send);
    return {
        node,
        set({ token, text, spare }) {
            setText(words, text);
            setStyle(words, "color", token.color);
            setTip(words, token.tip ?? "");
            words.classList.toggle("on", token.on === true);
            words.classList.toggle("number", token.number !== undefined);
            setStyle(node, "padding-left", spare > 0 ? `${spare.toFixed(1)}ch` : "");
            show(end, !",;):".includes(text[0])); /* a closing sign begins no line */
            lighter.set(token.lit);
        },
    };
}

/** Letters that fit beside each other in a line: what is wider is broken, and has no columns. */
interface Room {
    letters: number;
}

function lineOf(send: Send, room: Room): RowOf<Line> {
    const node = el("div", "line"), list = new List<Piece>(node, () => pieceOf(send)), most: number[] = [];
    let spare = 0, signs = "", hasColumns = true;
    const pieces = (token: Token, i: number): Piece[] => {
        if (token.number === undefined && token.tip === undefined) {
            return token.text.split(/(?= )/).map((text) => {
                const before = text[0] === " " ? spare : 0;
                spare -= before;
                return { token, text, spare: before };
            });
        }
        const before = token.text[0] === " " ? spare : 0;
        spare -= before;
        if (token.number !== undefined) {
            spare += hasColumns ? 0.9 * (most[i] - token.text.length) : 0;
        }
        return [{ token, text: token.text, spare: before }];
    };
    return {
        node,
        set(line) {
            const signsNow = line.tokens.map(({ text, number }) => (number === undefined ? text : "#")).join("");
            spare = 0;
            if (signsNow !== signs) { /* another formula: its numbers have places of their own */
                signs = signsNow;
                most.length = 0;
            }
            let letters = 0;
            line.tokens.forEach(({ text, number }, i) => {
                most[i] = number === undefined ? text.length : Math.max(most[i] ?? 0, text.length, number === 2 ? 14 : 0);
                letters += most[i];
            });
            hasColumns = letters <= room.letters;
            node.classList.toggle("symbols", line.kind === 0);
            list.set(line.tokens.filter(({ text }) => text !== "").flatMap(pieces));
        },
    };
}

/** A pale bar for what is wanted, a full one in it for what is got. */
class Force {
    readonly node = el("div", "force");
    private readonly wants = el("i", "wants");
    private readonly gets = el("i", "gets");
    constructor() {
        this.node.setAttribute("aria-hidden", "true");
        this.node.append(this.wants, this.gets);
    }
    set(fill: string, wants: number, gets: number): void {
        setStyle(this.node, "color", fill);
        this.wants.style.width = `${(100 * wants).toFixed(1)}%`;
        this.gets.style.width = `${(100 * gets).toFixed(1)}%`;
    }
}

function eyeButton(mutes: () => void): HTMLButtonElement {
    const node = button("plain mute", "", mutes);
    node.append(eye());
    return node;
}

const MUTES = "Mutes this behavior for all agents of the kind: its weight becomes 0. Again: as before.";
const UNMUTES = "Gives this behavior the weight that it had, for all agents of the kind.";

function setEye(node: HTMLButtonElement, behavior: string, weight: number, isMuted: boolean, noTuning: string): void {
    setAttribute(node, "aria-pressed", String(isMuted));
    setAttribute(node, "aria-label", `Mute ${behavior}`);
    setWhyNot(node, weight < 0 ? "This behavior has no weight." : noTuning, isMuted ? UNMUTES : MUTES);
}

function partOf(send: Send): RowOf<Term["parts"][0]> {
    const name = el("span"), words = el("span", "value"), force = new Force();
    const node = el("div", "part", el("div", "pair", name, words), force.node), lighter = new Lighter(node, send);
    return {
        node,
        set(part) {
            setText(name, part.behavior);
            setText(words, part.words);
            force.set(part.fill, part.share, part.share);
            lighter.set(part.lit);
        },
    };
}

class TermRow implements RowOf<Term> {
    readonly node = el("div", "term");
    private readonly eye: HTMLButtonElement;
    private readonly head: HTMLButtonElement;
    private readonly name = el("span", "behavior");
    private readonly words = el("span", "value");
    private readonly force = new Force();
    private readonly partsNode = el("div", "parts");
    private readonly linesNode = el("div", "lines");
    private readonly parts: List<Term["parts"][0]>;
    private readonly lines: List<Line>;
    private readonly lighter: Lighter;
    private weight = -1;
    private isQuiet = false;
    private isOpen: [acting: boolean | null, quiet: boolean] = [null, false];

    constructor(send: Send, room: Room, private readonly isOpenAtFirst: () => boolean) {
        this.eye = eyeButton(() => send({ do: "mute", param: this.weight }));
        this.head = button("plain fold", "", () => this.fold(!this.isOpen[Number(this.isQuiet)]));
        this.head.append(this.name, this.words);
        this.parts = new List(this.partsNode, () => partOf(send));
        this.lines = new List(this.linesNode, () => lineOf(send, room));
        this.node.append(el("div", "term-head", this.eye, this.head), this.force.node, this.partsNode, this.linesNode);
        this.lighter = new Lighter(this.head, send);
        setTip(this.head, "What the behavior wants of the steering force, and what is left of it (mass × px/s²).");
    }

    private fold(isOpen: boolean): void {
        this.isOpen[Number(this.isQuiet)] = isOpen;
        setAttribute(this.head, "aria-expanded", String(isOpen));
        show(this.linesNode, isOpen);
    }

    set(term: Term): void {
        this.isQuiet = term.quiet; /* it asks for no force: a line, folded at first */
        const isOpen = this.isQuiet ? this.isOpen[1] : this.isOpen[0] ?? this.isOpenAtFirst();
        this.fold(isOpen);
        show(this.force.node, !term.quiet);
        show(this.partsNode, !term.quiet);
        this.weight = term.weight;
        setText(this.name, term.behavior);
        setStyle(this.name, "color", term.color);
        setText(this.words, term.words);
        this.head.classList.toggle("on", term.on);
        this.force.set(term.fill, term.wants, term.gets);
        this.lighter.set(term.lit);
        this.parts.set(term.parts);
        if (isOpen) {
            this.lines.set(term.lines);
        }
    }

    setTuning(term: Term, noTuning: string): void {
        setEye(this.eye, term.behavior, term.weight, term.muted, noTuning);
    }
}

/* ---- the figure ---- */

const FIGURE_WIDE = 240, FIGURE_HIGH = 124;

class FigurePart {
    readonly node = svg("svg", { class: "figure", viewBox: `0 0 ${FIGURE_WIDE} ${FIGURE_HIGH}`, role: "img" });
    private readonly title = svg("text", { x: 6, y: 16 });
    private readonly arrows = svg("g");
    private readonly keys = svg("g", { "text-anchor": "end" });
    private readonly bar = svg("rect", { x: 8, y: FIGURE_HIGH - 10, height: 1.5, class: "dim" });
    private readonly barWords = svg("text", { y: FIGURE_HIGH - 5, class: "dim" });

    constructor() {
        this.node.append(this.title, this.arrows, this.keys, this.bar, this.barWords);
    }

    set(figure: Figure): void {
        const names = Math.max(0, ...figure.arrows.map(({ label }) => label.length)) * 6.6;
        const left = 10, right = Math.max(FIGURE_WIDE - 18 - names, left + 60), top = 26, bottom = FIGURE_HIGH - 24;
        const wide = figure.high[0] - figure.low[0], high = figure.high[1] - figure.low[1];
        const scale = Math.min((right - left) / Math.max(wide, 1e-3), (bottom - top) / Math.max(high, 1e-3));
        const zero = [(left + right) / 2 - (figure.low[0] + figure.high[0]) / 2 * scale, (top + bottom) / 2 - (figure.low[1] + figure.high[1]) / 2 * scale];
        const place = ([x, y]: [number, number]): [number, number] => [zero[0] + x * scale, zero[1] + y * scale];
        setText(this.title, figure.title);
        setAttribute(this.title, "fill", figure.title_color);
        setTip(this.node, figure.tip);
        setAttribute(this.node, "aria-label", `${figure.title}: ${figure.arrows.map(({ label }) => label).join(", ")}`);
        this.setArrows(figure.arrows, place);
        setAttribute(this.bar, "width", String(Math.max(0, figure.bar_words === "" ? 0 : figure.bar * scale)));
        setText(this.barWords, figure.bar_words);
        const beside = 8 + figure.bar * scale + 5, hasRoom = beside + 6.6 * figure.bar_words.length < FIGURE_WIDE - 4;
        setAttribute(this.barWords, "x", String(hasRoom ? beside : 8)); /* else above the bar */
        setAttribute(this.barWords, "y", String(FIGURE_HIGH - (hasRoom ? 5 : 15)));
    }

    private setArrows(arrows: FigureArrow[], place: (at: [number, number]) => [number, number]): void {
        while (this.arrows.childElementCount < arrows.length) {
            this.arrows.append(svg("g", {}, svg("line"), svg("polygon")));
            this.keys.append(svg("text", { x: FIGURE_WIDE - 6 }));
        }
        while (this.arrows.childElementCount > arrows.length) {
            this.arrows.lastElementChild?.remove();
            this.keys.lastElementChild?.remove();
        }
        arrows.forEach((arrow, i) => {
            this.setArrow(this.arrows.children[i], arrow, place(arrow.from), place(arrow.to));
            const key = this.keys.children[i], y = Math.min(36 + 15 * i, FIGURE_HIGH - 20);
            setText(key, arrow.label);
            setAttribute(key, "fill", arrow.color);
            setAttribute(key, "y", String(y));
        });
    }

    /* The head takes half of a short arrow at most. */
    private setArrow(node: Element, arrow: FigureArrow, from: [number, number], to: [number, number]): void {
        const dx = to[0] - from[0], dy = to[1] - from[1], size = Math.hypot(dx, dy), head = Math.min(8, size / 2);
        const [line, tip] = [node.children[0], node.children[1]];
        setAttribute(node, "opacity", size < 1 ? "0" : null);
        if (size < 1) {
            return;
        }
        const ux = dx / size, uy = dy / size, nx = to[0] - ux * head, ny = to[1] - uy * head, half = head / 2;
        const ends = { x1: from[0], y1: from[1], x2: nx, y2: ny };
        for (const [name, value] of Object.entries(ends)) {
            setAttribute(line, name, value.toFixed(1));
        }
        setAttribute(line, "stroke", arrow.color);
        setAttribute(line, "stroke-width", arrow.wide ? "4" : "2");
        setAttribute(tip, "fill", arrow.color);
        setAttribute(tip, "points", [[nx - uy * half, ny + ux * half], to, [nx + uy * half, ny - ux * half]]
            .map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "));
    }
}

export class EquationsPart {
    readonly node = el("div", "equations");
    private readonly terms = el("div");
    private readonly rows = new Map<string, TermRow>(); /* by behavior: those that act come first, and they change */
    private readonly muted: List<{ behavior: string; weight: number }>;
    private readonly sum: List<Line>;
    private readonly figure = new FigurePart();
    private readonly below = el("div", "sum");
    private count = 0;
    private kind = "";
    private noTuning = "";
    private readonly room: Room = { letters: 0 };

    constructor(private readonly send: Send) {
        const muted = el("div"), lines = el("div", "lines");
        this.muted = new List(muted, () => this.mutedRow());
        this.sum = new List(lines, () => lineOf(send, this.room));
        const copy = button("", "Copy", () => send({ do: "copy" }));
        setTip(copy, "Puts the equations and their numbers on the clipboard, as text.");
        this.below.append(this.figure.node, lines, copy);
        this.node.append(this.terms, muted, this.below);
    }

    private mutedRow(): RowOf<{ behavior: string; weight: number }> {
        let weight = -1;
        const name = el("span", "behavior"), eyes = eyeButton(() => this.send({ do: "mute", param: weight }));
        return {
            node: el("div", "term-head", eyes, el("div", "pair", name, el("span", "value", "muted"))),
            set: (row) => {
                weight = row.weight;
                setText(name, row.behavior);
                setEye(eyes, row.behavior, weight, true, this.noTuning);
            },
        };
    }

    private setTerms(terms: Term[]): void {
        terms.forEach((term, i) => {
            const row = this.rows.get(term.behavior) ?? new TermRow(this.send, this.room, () => this.count <= 2);
            this.rows.set(term.behavior, row);
            row.set(term);
            row.setTuning(term, this.noTuning);
            if (this.terms.children[i] !== row.node) {
                this.terms.insertBefore(row.node, this.terms.children[i] ?? null);
            }
        });
        while (this.terms.childElementCount > terms.length) {
            this.terms.lastElementChild?.remove();
        }
    }

    set(equations: Equations): void {
        show(this.node, equations.has);
        if (!equations.has) {
            return;
        }
        const terms = equations.terms ?? [];
        this.count = terms.length;
        this.noTuning = equations.no_tuning ?? "";
        if (this.kind !== equations.kind) { /* other behaviors: each is folded as it is at first */
            this.kind = equations.kind ?? "";
            this.terms.replaceChildren();
            this.rows.clear();
        }
        this.room.letters = 2 * this.node.clientWidth / parseFloat(getComputedStyle(this.node).fontSize);
        this.setTerms(terms);
        this.muted.set(equations.muted ?? []);
        show(this.below, equations.figure !== undefined);
        if (equations.figure !== undefined) {
            this.figure.set(equations.figure);
        }
        this.sum.set(equations.sum ?? []);
    }
}
