/* The side panel: the selected agent, the overlays, the plots, the ranks, the network, the sliders; on a phone the sheet at the bottom. */
import { button, el, isOff, List, newId, RowOf, setAttribute, setStyle, setText, setTip, setWhyNot, show, svg } from "./dom";
import { EquationsPart } from "./equations";
import { Mark } from "./marks";
import { said } from "./fingers";
import type { Tip } from "./tip";
import type { Actions, Agent, Message, Network, Param, Params, Plot, Plots, Rank, Row, Setting, Side } from "./view";

type Send = (message: Message) => void;

/** A section of the panel, which can be folded: its names and values, and below them what a part puts there. */
export class Section {
    readonly node = el("section", "section");
    readonly body = el("div", "section-body");
    private readonly head: HTMLButtonElement;
    private readonly title = el("span");
    private readonly key = el("kbd");
    private readonly list = el("dl", "rows");
    private readonly rows = new List(this.list, valueRow);

    /** folds: does it, where the app keeps whether it is open; else the section does. */
    constructor(folds?: () => void) {
        this.head = button("section-head", "", () => (folds !== undefined ? folds() : this.setOpen(Boolean(this.body.hidden))));
        this.body.id = newId();
        this.body.append(this.list);
        this.head.setAttribute("aria-controls", this.body.id);
        this.head.append(this.title, this.key);
        this.node.append(el("h2", "", this.head), this.body);
        this.setOpen(true);
    }
    setSide(side: Side): void {
        setText(this.title, side.title);
        setText(this.key, side.key);
        show(this.node, side.shown);
        show(this.list, side.rows.length > 0);
        this.rows.set(side.rows);
    }
    setOpen(isOpen: boolean): void {
        setAttribute(this.head, "aria-expanded", String(isOpen));
        show(this.body, isOpen);
    }
}

function valueRow(): RowOf<Row> {
    const name = el("dt"), value = el("dd"), node = el("div", "pair", name, value);
    return {
        node,
        set(row) {
            setText(name, row.name);
            setText(value, row.value);
            setTip(node, row.tip);
        },
    };
}

export class AgentPart {
    readonly section = new Section();
    private readonly note = el("p", "dim note");
    readonly equations: EquationsPart;
    private readonly next: HTMLButtonElement;
    private readonly follow: HTMLButtonElement;
    private actions: Actions | null = null;

    constructor(send: Send) {
        const does = (name: "next_agent" | "follow") => () => this.actions !== null && send({ do: "shortcut", row: this.actions[name].row });
        this.next = button("", "Next agent", does("next_agent"));
        this.follow = button("", "Follow", does("follow"));
        this.equations = new EquationsPart(send);
        this.section.node.classList.add("agent");
        setTip(this.next, "Selects the next agent.");
        this.section.body.append(this.equations.node, this.note, el("div", "agent-buttons", this.next, this.follow));
    }

    setActions(actions: Actions): void {
        this.actions = actions;
        setTip(this.follow, `${actions.follow.key}: ${actions.follow.words}`);
    }

    set(agent: Agent): void {
        const hasOne = agent.title !== "";
        const note = hasOne ? agent.note : said("Click an agent to see what it does, and why.");
        setText(this.note, note);
        show(this.note, note !== "");
        show(this.follow, hasOne);
    }
}

/* ---- overlays ---- */

class SettingRow implements RowOf<Setting> {
    readonly node = el("label", "setting");
    private readonly words = el("span", "words");
    private readonly key = el("kbd");
    private readonly mark = new Mark();
    private readonly check = el("input");
    private readonly choice = el("select");
    private setting: Setting | null = null;

    constructor(send: Send) {
        this.check.type = "checkbox";
        this.check.addEventListener("change", () => this.setting !== null && send({ do: "shortcut", row: this.setting.row }));
        this.choice.addEventListener("change", () =>
            this.setting !== null && send({ do: "choose", row: this.setting.row, choice: this.choice.selectedIndex }));
    }

    /* One control alone: the label is of the first in it. */
    private arrange(isCheck: boolean): void {
        const parts = isCheck ? [this.check, this.words, this.key, this.mark.node] : [this.words, this.choice, this.key];
        if (this.node.firstElementChild !== parts[0]) {
            this.node.replaceChildren(...parts);
        }
        this.node.classList.toggle("choice", !isCheck);
    }

    set(setting: Setting): void {
        const isCheck = typeof setting.value === "boolean", choices = setting.choices ?? [];
        this.setting = setting;
        this.arrange(isCheck);
        setText(this.words, setting.label);
        setText(this.key, setting.key);
        setTip(this.node, setting.tip);
        this.mark.set(setting.mark, "", setting.mark_color);
        if (isCheck) {
            this.check.checked = setting.value === true;
            return;
        }
        if (this.choice.options.length !== choices.length) {
            this.choice.replaceChildren(...choices.map((name) => new Option(name)));
        }
        this.choice.selectedIndex = choices.indexOf(setting.value as string);
    }
}

export class SettingsPart {
    readonly section = new Section();
    private readonly rows: List<Setting>;
    constructor(send: Send) {
        this.rows = new List(this.section.body, () => new SettingRow(send));
    }
    set(settings: Setting[]): void {
        this.rows.set(settings);
    }
}

/* ---- plots ---- */

const PLOT_WIDE = 600, PLOT_HIGH = 46;

class PlotRow implements RowOf<Plot> {
    readonly node = el("div", "plot");
    private readonly title = el("span");
    private readonly value = el("span", "value");
    private readonly top = el("span", "number top");
    private readonly curves = svg("g");
    private readonly mark = svg("line", { y1: 0, y2: PLOT_HIGH, class: "moment" });
    private readonly pointer = svg("line", { y1: 0, y2: PLOT_HIGH, class: "pointer" });
    private readonly box: HTMLElement;
    private readonly head: HTMLElement;
    private plot: Plot | null = null;
    private all: Plots | null = null;

    constructor(private readonly tip: Tip) {
        const picture = svg("svg", { viewBox: `0 0 ${PLOT_WIDE} ${PLOT_HIGH}`, preserveAspectRatio: "none", role: "img" });
        picture.append(this.curves, this.mark, this.pointer);
        this.head = el("div", "pair", this.title, this.value);
        this.box = el("div", "plot-box", this.top, el("span", "number bottom", "0"));
        this.box.append(picture);
        this.node.append(this.head, this.box);
        this.box.addEventListener("pointermove", (event) => this.point(event));
        this.box.addEventListener("pointerleave", () => {
            show(this.pointer, false);
            this.tip.hide();
        });
        show(this.pointer, false);
    }

    private place(index: number): number {
        const all = this.all as Plots, step = PLOT_WIDE / (all.most - 1);
        return PLOT_WIDE - step * (all.times.length - 1 - index);
    }

    set(plot: Plot): void {
        this.plot = plot;
        setText(this.title, plot.title);
        setText(this.value, plot.value);
        setText(this.top, plot.top_words);
        setTip(this.head, plot.tip);
    }

    /** The curves; all: what they share. */
    draw(all: Plots): void {
        this.all = all;
        const plot = this.plot as Plot;
        while (this.curves.childElementCount < plot.series.length) {
            this.curves.append(svg("path", { fill: "none" }));
        }
        while (this.curves.childElementCount > plot.series.length) {
            this.curves.lastElementChild?.remove();
        }
        plot.series.forEach((series, s) => {
            setAttribute(this.curves.children[s], "stroke", series.fill);
            setAttribute(this.curves.children[s], "d", this.path(series.values, plot.top));
        });
        setAttribute(this.box.lastElementChild as Element, "aria-label", `${`${plot.title} ${plot.value}`.trim()}, the last minute`);
        show(this.mark, all.mark >= 0);
        this.stand(this.mark, all.mark);
    }

    private stand(line: SVGElement, index: number): void {
        const x = this.place(index).toFixed(1);
        setAttribute(line, "x1", x);
        setAttribute(line, "x2", x);
    }

    private path(values: (number | null)[], top: number): string {
        let path = "", isDown = false;
        values.forEach((value, i) => {
            if (value !== null) {
                const share = Math.min(Math.max(value / top, 0), 1), y = PLOT_HIGH - 3 - share * (PLOT_HIGH - 6);
                path += `${isDown ? "L" : "M"}${this.place(i).toFixed(1)} ${y.toFixed(1)}`;
            }
            isDown = value !== null;
        });
        return path;
    }

    /* The values of the sample below the pointer, and how long ago that was. */
    private point(event: PointerEvent): void {
        const all = this.all, box = this.box.getBoundingClientRect();
        if (all === null || this.plot === null) {
            return;
        }
        const back = Math.round((box.right - event.clientX) / box.width * (all.most - 1)), index = all.times.length - 1 - back;
        show(this.pointer, index >= 0 && back >= 0);
        if (index < 0 || back < 0) {
            return;
        }
        this.stand(this.pointer, index);
        const ago = Math.round(10 * (all.times[all.times.length - 1] - all.times[index])) / 10;
        this.tip.show(this.box, [{ words: `${ago} s ago`, color: "" }].concat(this.plot.series.map(({ name, fill, values }) => {
            const value = values[index];
            return { words: `${name}${name === "" ? "" : " "}${value === null ? "not known" : value}`, color: fill };
        })));
    }
}

export class PlotsPart {
    readonly section = new Section();
    private readonly rows: List<Plot>;
    private readonly own = el("select", "own");
    private readonly exports: HTMLButtonElement;
    private choices: Plots["choices"] = [];
    private actions: Actions | null = null;

    constructor(send: Send, tip: Tip) {
        const plots = el("div");
        this.rows = new List(plots, () => new PlotRow(tip));
        this.own.setAttribute("aria-label", "Plot something else");
        setTip(this.own, "Plots overlapping bodies, the count of a state or a number of a kind, from now on.");
        this.own.addEventListener("change", () => {
            const choice = this.choices[this.own.selectedIndex - 1];
            if (choice !== undefined) {
                send({ do: "own", kind: choice.kind, name: choice.name });
            }
        });
        this.exports = button("", "Save as CSV", () => this.actions !== null && send({ do: "shortcut", row: this.actions.export.row }));
        this.section.body.append(plots, el("div", "pair faint", el("span", "", "60 s ago"), el("span", "", "now")), this.own, this.exports);
    }

    setActions(actions: Actions): void {
        this.actions = actions;
        setWhyNot(this.exports, actions.export.why ?? "", actions.export.words);
    }

    set(plots: Plots | null): void {
        if (plots === null) {
            return;
        }
        this.rows.set(plots.plots);
        plots.plots.forEach((_, i) => (this.rows.rows[i] as PlotRow).draw(plots));
        const isOther = plots.choices.length !== this.choices.length || plots.choices.some(({ words }, i) => words !== this.choices[i].words);
        this.choices = plots.choices;
        if (isOther) {
            this.own.replaceChildren(new Option("plot something else"), ...plots.choices.map(({ words }) => new Option(words)));
        }
        if (document.activeElement !== this.own) {
            const chosen = plots.choices.findIndex(({ on }) => on);
            this.own.selectedIndex = chosen === 0 ? 0 : 1 + chosen;
        }
    }
}

/* ---- the ranks of a cluster ---- */

function rankRow(): RowOf<Rank> {
    const name = el("dt"), work = el("span", "work"), wait = el("span", "wait"), value = el("dd");
    const node = el("div", "rank", name, el("dd", "rank-bar", work, wait), value);
    return {
        node,
        set(rank) {
            setText(name, rank.name);
            setText(value, rank.value);
            setTip(node, rank.tip);
            setStyle(work, "width", `${rank.work}%`);
            setStyle(wait, "width", `${rank.wait}%`);
            node.classList.toggle("longest", rank.longest);
        },
    };
}

export class RanksPart {
    readonly section = new Section();
    private readonly bars: List<Rank>;

    constructor() {
        const bars = el("dl", "ranks");
        this.bars = new List(bars, rankRow);
        this.section.body.append(el("div", "pair dim", el("span", "", "work and wait"), el("span", "", "in a tick")), bars);
    }

    set(ranks: Rank[]): void {
        this.bars.set(ranks);
    }
}

/* ---- the network ---- */

export class NetworkPart {
    readonly node = el("section", "network");
    private readonly head = el("h2", "plain-head");
    private readonly rows: List<Row>;
    private readonly bars = svg("g");

    constructor() {
        const list = el("dl", "rows"), picture = svg("svg", { viewBox: "0 0 240 26", preserveAspectRatio: "none", "aria-hidden": "true" });
        this.rows = new List(list, valueRow);
        picture.append(this.bars);
        this.node.append(this.head, list, picture);
    }

    setSide(side: Side): void {
        const wasShown = !this.node.hidden;
        setText(this.head, side.title);
        show(this.node, side.shown);
        this.rows.set(side.rows);
        if (!wasShown && !this.node.classList.contains("bad")) { /* it was asked for, and may be below what is seen of the panel */
            this.node.scrollIntoView({ block: "nearest" });
        }
    }

    set(network: Network): void {
        this.node.classList.toggle("bad", network.bad);
        while (this.bars.childElementCount < network.late_ms.length) {
            this.bars.append(svg("rect", { x: 2 * this.bars.childElementCount, width: 1.6 }));
        }
        network.late_ms.forEach((late, i) => {
            const high = late <= 0 ? 5 : 8 + Math.min(late / 250, 1) * 17, bar = this.bars.children[i];
            setAttribute(bar, "y", (26 - high).toFixed(1));
            setAttribute(bar, "height", high.toFixed(1));
            setAttribute(bar, "class", late <= 0 ? "ok" : late < 100 ? "warn" : "bad");
        });
    }
}

/* ---- sliders ---- */

/* As fine as the track is: 237.4183 -> 237.4. The same as param_rounded. */
function stepOf(reach: number): number {
    return Math.pow(10, Math.floor(Math.log10(Math.max(reach, 1e-3))) - 2);
}

class ParamRow implements RowOf<Param> {
    readonly node = el("div", "param");
    private readonly name = el("label");
    private readonly words = el("button", "plain value");
    private readonly range = el("input");
    private readonly typed = el("input", "typed");
    private param: Param | null = null;
    private isHeld = false;

    constructor(private readonly send: Send) {
        this.range.type = "range";
        this.range.id = newId();
        this.name.htmlFor = this.range.id;
        this.words.type = "button";
        this.typed.inputMode = "decimal";
        this.typed.hidden = true;
        this.node.append(el("div", "pair", this.name, el("span", "", this.words, this.typed)), this.range);
        this.range.addEventListener("pointerdown", () => (this.isHeld = true));
        this.range.addEventListener("input", () => this.tune(this.isHeld));
        this.range.addEventListener("change", () => {
            this.isHeld = false;
            this.tune(false);
        });
        for (const end of ["pointerup", "pointercancel"]) {
            this.range.addEventListener(end, () => (this.isHeld = false));
        }
        this.range.addEventListener("dblclick", () => this.type());
        this.words.addEventListener("click", () => this.type());
        this.node.addEventListener("contextmenu", (event) => {
            event.preventDefault();
            this.first();
        });
        this.range.addEventListener("keydown", (event) => this.onKey(event));
        this.typed.addEventListener("keydown", (event) => this.onTyped(event));
        this.typed.addEventListener("blur", () => this.endTyping(true));
    }

    private tune(isHeld: boolean): void {
        if (this.param !== null && !isOff(this.node)) {
            this.send({ do: "tune", param: this.param.index, value: Number(this.range.value), held: isHeld });
        }
    }

    private first(): void {
        if (this.param !== null && !isOff(this.node)) {
            this.send({ do: "first", param: this.param.index });
        }
    }

    private onKey(event: KeyboardEvent): void {
        if (event.key === "Enter") {
            this.type();
        } else if (event.key === "Delete" || event.key === "Backspace") {
            this.first();
        } else {
            return;
        }
        event.preventDefault();
    }

    private type(): void {
        if (this.param === null || isOff(this.node)) {
            return;
        }
        this.typed.value = String(this.param.value);
        show(this.typed, true);
        show(this.words, false);
        this.typed.focus();
        this.typed.select();
    }

    private onTyped(event: KeyboardEvent): void {
        if (event.key === "Enter" || event.key === "Escape") {
            this.endTyping(event.key === "Enter");
            this.range.focus();
            event.preventDefault();
            event.stopPropagation();
        }
    }

    private endTyping(takes: boolean): void {
        const value = Number(this.typed.value.replace(",", "."));
        if (this.typed.hidden) {
            return;
        }
        show(this.typed, false);
        show(this.words, true);
        if (takes && this.param !== null && this.typed.value.trim() !== "" && Number.isFinite(value) && value !== this.param.value) {
            this.send({ do: "tune", param: this.param.index, value, held: false });
        }
    }

    set(param: Param): void {
        this.param = param;
        setText(this.name, param.name);
        setText(this.words, param.words);
        setAttribute(this.words, "aria-label", `${param.name} ${param.words}: type a value`);
        setAttribute(this.typed, "aria-label", param.name);
        this.words.classList.toggle("changed", param.value !== param.first);
        setTip(this.node, [param.help, param.range].filter((words) => words !== "").join("\n"));
        setAttribute(this.range, "aria-valuetext", param.words);
        if (!this.isHeld) { /* nothing moves away from a hand */
            setAttribute(this.range, "min", String(param.least));
            setAttribute(this.range, "max", String(param.most));
            setAttribute(this.range, "step", String(stepOf(param.most - param.least)));
            const value = String(param.value);
            if (Number(this.range.value) !== param.value) {
                this.range.value = value;
            }
        }
        const shown = this.isHeld ? Number(this.range.value) : param.value, reach = param.most - param.least;
        setStyle(this.range, "--share", (reach > 0 ? Math.min(Math.max((shown - param.least) / reach, 0), 1) : 0).toFixed(4));
    }

    setTuning(noTuning: string): void {
        setAttribute(this.node, "aria-disabled", noTuning === "" ? null : "true");
        this.range.disabled = noTuning !== "";
        setAttribute(this.words, "aria-disabled", noTuning === "" ? null : "true");
    }
}

class ParamGroup implements RowOf<Param[]> {
    readonly node = el("div", "param-group");
    private readonly head: HTMLButtonElement;
    private readonly body = el("div");
    readonly rows: List<Param>;
    private group = "";
    private isOpen: boolean | null = null;

    constructor(send: Send, private readonly isFiltered: () => boolean) {
        this.head = button("plain fold", "", () => this.fold(this.isOpen !== true));
        this.rows = new List(this.body, () => new ParamRow(send));
        this.node.append(this.head, this.body);
    }

    private fold(isOpen: boolean): void {
        this.isOpen = isOpen;
        setAttribute(this.head, "aria-expanded", String(isOpen));
        show(this.body, isOpen);
    }

    set(params: Param[]): void {
        if (this.group !== params[0].group || this.isOpen === null) {
            this.group = params[0].group;
            setText(this.head, this.group);
            this.fold(params[0].now);
        }
        if (this.isFiltered() && this.isOpen !== true) {
            this.fold(true);
        }
        this.rows.set(params);
    }
}

export class ParamsPart {
    readonly section: Section;
    private readonly kinds = el("select", "kinds");
    private readonly filter = el("input", "filter");
    private readonly groups: List<Param[]>;
    private readonly groupsNode = el("div");
    private readonly note = el("p", "dim note");
    private actions: Actions | null = null;

    constructor(private readonly send: Send) {
        this.section = new Section(() => this.actions !== null && send({ do: "shortcut", row: this.actions.params.row }));
        this.filter.type = "search";
        this.filter.placeholder = "filter";
        this.filter.setAttribute("aria-label", "Filter the sliders by their names");
        this.kinds.setAttribute("aria-label", "The kind of agent that the sliders are for");
        setTip(this.kinds, "The kind of agent that the sliders are for.");
        setTip(this.filter, "Shows the numbers whose names hold these words.");
        this.kinds.addEventListener("change", () => send({ do: "kind", kind: this.kinds.selectedIndex }));
        this.filter.addEventListener("input", () => send({ do: "filter", text: this.filter.value }));
        this.filter.addEventListener("keydown", (event) => {
            if (event.key === "Escape" && this.filter.value !== "") {
                this.filter.value = "";
                send({ do: "filter", text: "" });
                event.preventDefault();
                event.stopPropagation();
            }
        });
        this.groups = new List(this.groupsNode, () => new ParamGroup(send, () => this.filter.value !== ""));
        this.section.body.append(el("div", "kind-row", this.kinds, this.filter), this.groupsNode, this.note);
        this.section.node.classList.add("sliders");
    }

    setActions(actions: Actions): void {
        this.actions = actions;
    }

    sendFilter(): void {
        if (this.filter.value !== "") {
            this.send({ do: "filter", text: this.filter.value });
        }
    }

    setOpen(isOpen: boolean): void {
        this.section.setOpen(isOpen);
        this.section.node.classList.toggle("open", isOpen);
    }

    set(params: Params | null): void {
        if (params === null) {
            return;
        }
        if (this.kinds.options.length !== params.kinds.length || params.kinds.some((kind, i) => this.kinds.options[i].text !== kind)) {
            this.kinds.replaceChildren(...params.kinds.map((kind) => new Option(kind)));
        }
        this.kinds.selectedIndex = params.kinds.indexOf(params.kind);
        const groups: Param[][] = [];
        for (const row of params.rows) {
            if (row.first_of || groups.length === 0) {
                groups.push([]);
            }
            groups[groups.length - 1].push(row);
        }
        this.groups.set(groups);
        for (let i = 0; i < groups.length; i++) {
            (this.groups.rows[i] as ParamGroup).rows.rows.forEach((row) => (row as ParamRow).setTuning(params.no_tuning));
        }
        setText(this.note, params.note);
    }
}
