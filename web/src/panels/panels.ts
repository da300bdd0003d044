/* Everything with words in the page: bar, legend, side panel, timeline, lists, questions, notices.
 *
 * Owns the nodes below its root. It keeps them: a section that comes changes texts and attributes, and nothing that a
 * hand holds moves. What is done in it goes out through `send` as a message (view.ts). */
import { BarPart, LegendPart, Notices } from "./around";
import { button, el, setAttribute, setStyle, setText, show } from "./dom";
import { CardPart, DialogPart, HelpPart, PickerPart } from "./lists";
import { hasFingers } from "./fingers";
import { icon } from "./marks";
import { AgentPart, NetworkPart, ParamsPart, PlotsPart, RanksPart, Section, SettingsPart } from "./side";
import { TimePart } from "./time";
import { Tip } from "./tip";
import type { Actions, Action, Agent, Bar, Legend, Message, Open, Sections, Side, Theme } from "./view";

export type Send = (message: Message) => void;

const NARROW = "(max-width: 700px)";
const RUNNING_MS = 66; /* between two pictures of numbers that run */

/* Rows of the sheet's menu, for hands without keys. */
const MENU: [keyof Actions, string][] = [
    ["picker", "Scenarios"], ["card", "About"], ["help", hasFingers() ? "Help" : "Keys"], ["fit", "Whole world"], ["follow", "Follow"], ["next_agent", "Next agent"],
    ["add", "Add"], ["remove", "Remove"], ["undo", "Undo"], ["redo", "Redo"], ["leave_out", "Leave out"], ["save", "Save"], ["forces", "Forces"], ["screenshot", "Picture"], ["full_screen", "Full screen"],
];

/** The panel of a wide window, the sheet of a narrow one. */
class Sheet {
    readonly node = el("aside", "side");
    readonly seen = el("div", "seen");
    private readonly handle: HTMLButtonElement;
    private readonly words = el("span", "words");
    private readonly menu = el("nav", "sheet-menu only-narrow");
    private readonly rows: { name: keyof Actions; node: HTMLButtonElement }[] = [];
    private actions: Actions | null = null;
    private agent = ""; /* its title */
    private state = "";
    isOpen = false;

    constructor(act: (action: Action) => void, share: (opener: HTMLElement) => void) {
        this.node.setAttribute("aria-label", "Agent, overlays and sliders");
        this.handle = button("handle only-narrow", "", () => {
            this.setOpen(!this.isOpen);
            this.seen.querySelector(this.agent !== "" ? ".agent" : "nav")?.scrollIntoView({ block: this.agent !== "" ? "start" : "end" });
        });
        this.handle.append(this.words, icon("up"));
        this.menu.setAttribute("aria-label", "Actions");
        for (const [name, words] of MENU) {
            const node = button("", words, () => {
                if (this.actions !== null) {
                    this.setOpen(false);
                    act(this.actions[name]);
                }
            });
            this.rows.push({ name, node });
            this.menu.append(node);
        }
        this.menu.append(button("", "Share", () => {
            this.setOpen(false);
            share(this.handle);
        }));
        this.seen.append(this.menu);
        this.node.append(this.handle, this.seen);
        this.setOpen(false);
    }

    setActions(actions: Actions): void {
        this.actions = actions;
        for (const { name, node } of this.rows) {
            setAttribute(node, "aria-disabled", actions[name].why !== undefined ? "true" : null);
            setAttribute(node, "title", actions[name].why ?? null);
        }
    }

    setOpen(isOpen: boolean): void {
        this.isOpen = isOpen;
        setAttribute(this.handle, "aria-expanded", String(isOpen));
        this.node.classList.toggle("sheet-open", isOpen);
    }

    /** What the sheet says while it is folded. */
    setAgent(agent: Agent | undefined, side: Side | undefined): void {
        this.agent = agent?.title ?? this.agent;
        this.state = side === undefined ? this.state : side.rows.find(({ name }) => name === "state")?.value ?? "";
        setText(this.words, this.agent === "" ? "Tap an agent" : this.state === "" ? this.agent : `${this.agent}: ${this.state}`);
    }

}

/** The first control of a part that is shown; undefined for none. */
function firstControl(part: HTMLElement): HTMLElement | undefined {
    return [...part.querySelectorAll<HTMLElement>("button, input, select")].find((control) => control.getClientRects().length > 0);
}

/* The mouse drags it: the side panel is wider or narrower. */
function sideEdge(send: Send): HTMLElement {
    const node = el("div", "side-edge");
    node.addEventListener("pointerdown", (event) => node.setPointerCapture(event.pointerId));
    node.addEventListener("pointermove", (event) => {
        if (node.hasPointerCapture(event.pointerId)) {
            send({ do: "width", px: Math.round(innerWidth - event.clientX) });
        }
    });
    return node;
}

export class Panels {
    private actions: Actions | null = null;
    private open: Open | null = null;
    private legendRows: Legend | null = null;
    private state = ""; /* as it was announced */
    private running: Sections = {}; /* newest sections that wait for their turn */
    private timer = 0;
    private shownState = "";
    private shownPlay: boolean | null = null;
    private shownAgent: string | null = null;
    private readonly narrow = matchMedia(NARROW);
    private readonly tip: Tip;
    private readonly bar: BarPart;
    private readonly legend: LegendPart;
    private readonly notices: Notices;
    private readonly sheet: Sheet;
    private readonly agent: AgentPart;
    private readonly settings: SettingsPart;
    private readonly plots: PlotsPart;
    private readonly ranks = new RanksPart();
    private readonly network = new NetworkPart();
    private readonly params: ParamsPart;
    private readonly sections: Record<string, { setSide(side: Side): void }>; /* of the side panel, by their names */
    private readonly time: TimePart;
    private readonly picker: PickerPart;
    private readonly card: CardPart;
    private readonly help: HelpPart;
    private readonly dialog: DialogPart;

    /** root: an empty element over the canvas. send: takes a message for page_panels_take. enter: takes a token that was typed. */
    constructor(private readonly root: HTMLElement, private readonly send: Send, enter: (token: string) => void,
                share: (opener: HTMLElement) => void) {
        const act = (action: Action) => send({ do: "shortcut", row: action.row }), actions = () => this.actions;
        root.classList.add("panels");
        this.notices = new Notices(enter, () => this.actions !== null && act(this.actions.close));
        this.tip = new Tip(root);
        this.bar = new BarPart(act, () => this.sheet.setOpen(!this.sheet.isOpen), share);
        this.legend = new LegendPart(act, send);
        this.sheet = new Sheet(act, share);
        this.agent = new AgentPart(send);
        this.settings = new SettingsPart(send);
        this.plots = new PlotsPart(send, this.tip);
        this.params = new ParamsPart(send);
        this.time = new TimePart(send);
        this.picker = new PickerPart(send, actions);
        this.card = new CardPart(send, actions);
        this.help = new HelpPart(send, actions);
        this.dialog = new DialogPart(send, actions);
        this.sections = { agent: this.agent.section, settings: this.settings.section, plots: this.plots.section, ranks: this.ranks.section,
            network: this.network, params: this.params.section };
        this.sheet.seen.append(this.agent.section.node, this.settings.section.node, this.plots.section.node, this.ranks.section.node);
        this.sheet.node.append(this.params.section.node, sideEdge(send));
        root.prepend(this.notices.under, this.bar.node, this.legend.node, this.card.node, this.sheet.node, this.time.node, this.notices.over,
            this.picker.modal.node, this.help.modal.node, this.dialog.modal.node);
        this.arrange();
        this.narrow.addEventListener("change", () => {
            this.arrange();
            this.setOpen(this.open);
            this.cover();
            this.makeRoom();
        });
        new ResizeObserver(() => this.cover()).observe(this.legend.node);
        new ResizeObserver(() => this.makeRoom()).observe(this.sheet.node);
    }

    /** Shows the sections that have changed: numbers that run 15 times a second, the rest at once. */
    update(sections: Sections): void {
        const { bar, legend, side, agent, timeline, plots, network, ...rest } = sections, next = this.running;
        const isNews = (bar !== undefined && bar.state !== this.shownState) || (timeline !== undefined && timeline.play !== this.shownPlay)
            || (agent !== undefined && agent.title !== this.shownAgent);
        next.bar = bar ?? next.bar;
        next.legend = legend ?? next.legend;
        next.side = side ?? next.side;
        next.agent = agent ?? next.agent;
        next.timeline = timeline ?? next.timeline;
        next.plots = plots === undefined ? next.plots : plots;
        next.network = network ?? next.network;
        if (isNews || this.timer === 0) {
            this.apply({ ...this.takeRunning(), ...rest });
        } else {
            this.apply(rest);
        }
    }

    private takeRunning(): Sections {
        const taken = this.running;
        this.running = {};
        window.clearTimeout(this.timer);
        this.timer = 0;
        if (Object.values(taken).some((section) => section !== undefined)) {
            this.timer = window.setTimeout(() => this.apply(this.takeRunning()), RUNNING_MS);
        }
        this.shownState = taken.bar?.state ?? this.shownState;
        this.shownPlay = taken.timeline?.play ?? this.shownPlay;
        this.shownAgent = taken.agent?.title ?? this.shownAgent;
        return taken;
    }

    private apply(sections: Sections): void {
        const { theme, actions, open, bar, legend, side, agent, timeline } = sections;
        if (theme !== undefined) { /* the app's panels are new, or have other colors: those that are new know no measures */
            this.setTheme(theme);
            this.measure();
            this.cover();
            this.params.sendFilter();
        }
        if (actions !== undefined) {
            this.actions = actions;
            for (const part of [this.bar, this.legend, this.sheet, this.agent, this.plots, this.params, this.time]) {
                part.setActions(actions);
            }
        }
        this.updateSide(sections);
        this.legendRows = legend ?? this.legendRows;
        if (legend !== undefined) {
            this.legend.set(legend);
        }
        if (bar !== undefined) {
            this.bar.set(bar);
            this.announce(bar);
        }
        if (agent !== undefined) {
            this.agent.set(agent);
        }
        this.sheet.setAgent(agent, side?.find(({ name }) => name === "agent"));
        if (timeline !== undefined) {
            this.bar.setTimeline(timeline);
            this.time.set(timeline);
            const isReplay = (open ?? this.open)?.replay === true;
            this.notices.setTimeline(timeline, isReplay);
            this.root.classList.toggle("has-past", timeline.past !== "" && !isReplay);
        }
        if (sections.past !== undefined) {
            this.time.setPast(sections.past);
            setStyle(document.documentElement, "--lanes", String(sections.past?.lanes.length ?? 0));
        }
        this.updateNotices(sections);
        this.updateLists(sections);
        if (open !== undefined) {
            this.setOpen(open);
        }
        this.tip.hideStray();
    }

    private updateSide({ side, equations, settings, plots, params, ranks, network, replay }: Sections): void {
        if (equations !== undefined) {
            this.agent.equations.set(equations);
        }
        if (settings !== undefined) {
            this.settings.set(settings);
        }
        if (plots !== undefined) {
            this.plots.set(plots);
        }
        if (params !== undefined) {
            this.params.set(params);
        }
        if (ranks !== undefined) {
            this.ranks.set(ranks);
        }
        if (network !== undefined) {
            this.network.set(network);
        }
        for (const section of side ?? []) {
            this.sectionOf(section.name).setSide(section);
        }
        if (replay !== undefined) {
            this.time.setReplay(replay);
        }
    }

    /* A list that no part knows stands below the others. */
    private sectionOf(name: string): { setSide(side: Side): void } {
        if (this.sections[name] === undefined) {
            const section = new Section();
            this.sections[name] = section;
            this.ranks.section.node.after(section.node);
        }
        return this.sections[name];
    }

    private updateNotices({ words, caption, toast, banner, tag, labels }: Sections): void {
        if (words !== undefined) {
            this.notices.setWords(words);
        }
        if (caption !== undefined) {
            this.notices.setCaption(caption);
        }
        if (toast !== undefined) {
            this.notices.setToast(toast);
            this.root.classList.toggle("has-toast", toast.words !== "" && toast.alpha > 0);
        }
        if (banner !== undefined) {
            this.notices.setBanner(banner);
        }
        if (tag !== undefined) {
            this.notices.setTag(tag);
        }
        if (labels !== undefined) {
            this.notices.setLabels(labels);
        }
    }

    private updateLists({ picker, card, help, dialog }: Sections): void {
        if (help !== undefined) {
            this.help.set(help);
        }
        if (card !== undefined) {
            this.card.set(card);
        }
        if (picker !== undefined) {
            this.picker.set(picker);
            this.notices.say(this.picker.words);
        }
        if (dialog !== undefined) {
            this.dialog.set(dialog);
        }
    }

    /** Whether the control that has the focus uses this key itself: then it is not for the world. */
    ownsKey(event: KeyboardEvent): boolean {
        const active = document.activeElement;
        if (event.key === "Escape") {
            if (this.narrow.matches && this.sheet.isOpen) {
                this.sheet.setOpen(false);
                return true;
            }
            const wasTip = this.tip.isShown, isIn = active !== null && this.root.contains(active);
            this.tip.hide();
            if (isIn && !wasTip && !this.hasOpened()) {
                document.getElementById("world")?.focus();
            }
            return isIn && (wasTip || !this.hasOpened());
        }
        if (event.key === "F6") {
            event.preventDefault(); /* the browser's address */
            this.nextPart();
            return true;
        }
        if (/^F\d+$/.test(event.key)) {
            return false;
        }
        return active !== null && this.root.contains(active) && ownsKeyAt(active, event);
    }

    /* Whether Esc closes something. */
    private hasOpened(): boolean {
        const open = this.open;
        return open !== null && (open.help || open.picker || open.card || open.question !== 0);
    }

    /* The keyboard goes from the world to the panel, the timeline, the bar, and back: to those that are there. */
    private nextPart(): void {
        const parts = this.narrow.matches ? [this.sheet.node, this.bar.node] : [this.sheet.node, this.time.node, this.bar.node];
        const from = parts.findIndex((part) => part.contains(document.activeElement)); /* -1: the world, or nothing */
        const next = parts.slice(from + 1).map(firstControl).find((control) => control !== undefined);
        if (this.narrow.matches && from < 0) {
            this.sheet.setOpen(true);
        }
        (next ?? document.getElementById("world"))?.focus();
    }

    /** Takes the focus from the panels: the world is pressed. */
    leave(): void {
        const active = document.activeElement;
        if (active instanceof HTMLElement && this.root.contains(active)) {
            active.blur();
        }
        if (this.narrow.matches) {
            this.sheet.setOpen(false);
        }
        this.tip.hide();
    }

    private setTheme(theme: Theme): void {
        const style = document.documentElement.style;
        for (const [name, color] of Object.entries(theme.colors)) {
            style.setProperty(`--${name}`, color);
        }
        style.setProperty("color-scheme", theme.light ? "light" : "dark");
    }

    /* On a phone the timeline is in the sheet, and the network's figures are in the panel. */
    private arrange(): void {
        if (this.narrow.matches) {
            this.sheet.seen.prepend(this.time.node);
        } else {
            this.sheet.node.after(this.time.node);
        }
        this.sheet.seen.append(this.network.node);
    }

    private setOpen(open: Open | null): void {
        if (open === null) {
            return;
        }
        const before = this.open, isNarrow = this.narrow.matches;
        this.open = open;
        this.root.classList.toggle("kiosk", open.kiosk);
        this.root.classList.toggle("has-panel", open.panel && !isNarrow);
        this.root.style.setProperty("--side-px", `max(264px, min(${open.panel_px}px, 50vw))`);
        const isOwn = hasFingers() && !open.timeline && !open.kiosk && !isNarrow; /* fingers have it without the panel too: the world ends above it */
        setStyle(document.documentElement, "--own-time", isOwn ? "calc(var(--time-px) + var(--safe-bottom))" : "0px");
        this.root.classList.toggle("has-timeline", (open.timeline || isOwn) && !isNarrow);
        this.bar.setOpen({ picker: open.picker, card: open.card, help: open.help, panel: open.panel });
        this.legend.setOpen(open.legend);
        this.params.setOpen(open.params);
        this.time.setReplaying(open.replay);
        show(this.sheet.node, !open.kiosk && (open.panel || isNarrow));
        show(this.time.node, !open.kiosk && (open.timeline || isOwn || isNarrow));
        if (!isNarrow) {
            (open.panel ? this.sheet.seen : this.notices.over).append(this.network.node); /* in the panel, else in a corner */
        }
        this.card.setOpen(open.card);
        this.help.modal.setOpen(open.help);
        this.picker.setOpen(open.picker);
        if (open.question === 0) {
            this.dialog.set(null);
        }
        if (isNarrow && open.panel && before?.panel !== true && this.actions !== null) { /* the sheet takes its place, and no room beside the world */
            this.sheet.setOpen(before !== null);
            this.send({ do: "shortcut", row: this.actions.panel.row });
        }
    }

    /* What a screen reader says of the run: a state without its changing numbers, and at a pause what there is. */
    private announce(bar: Bar): void {
        const state = bar.state.replace(/[\d.].*$/, "").trim();
        if (state === this.state) {
            return;
        }
        const isFirst = this.state === "";
        this.state = state;
        if (state === "paused" && this.legendRows !== null) {
            const counts = this.legendRows.rows.filter(({ count }) => count > 0).map(({ words, count }) => `${words} ${count}`);
            this.notices.say([`Paused at tick ${bar.tick}`, ...counts].join(", "));
        } else if (!isFirst) {
            this.notices.say(`The world is ${state}`);
        }
    }

    /* A phone's world is above the sheet, open or folded: the agent that the sheet is about is seen. */
    private makeRoom(): void {
        this.root.classList.toggle("has-sheet", this.narrow.matches && this.sheet.isOpen);
        setStyle(document.documentElement, "--sheet-px", this.narrow.matches ? `${this.sheet.node.offsetHeight}px` : "0px");
    }

    /* Names in the picture keep clear of the legend. */
    private cover(): void {
        const box = this.legend.node.getBoundingClientRect(), world = document.getElementById("world")?.getBoundingClientRect();
        this.send({
            do: "cover",
            right: Math.max(0, box.right - (world?.left ?? 0)),
            bottom: Math.max(0, box.bottom - (world?.top ?? 0)),
            narrow: this.narrow.matches,
        });
    }

    /* How wide the letters of names are, so that the app finds places for them. */
    private measure(): void {
        const pen = document.createElement("canvas").getContext("2d");
        if (pen === null) {
            return;
        }
        const style = getComputedStyle(this.root), widths: number[] = [];
        pen.font = `${style.fontSize} ${style.fontFamily}`;
        for (let code = 0x20; code <= 0x7e; code++) {
            widths.push(Math.round(pen.measureText(String.fromCharCode(code)).width * 100) / 100);
        }
        this.send({ do: "font", line: Math.round(parseFloat(style.fontSize) * 1.2), widths });
    }
}

/* Keys of a control: those that move, press and type in it. */
function ownsKeyAt(active: Element, event: KeyboardEvent): boolean {
    const hasControl = event.ctrlKey || event.metaKey;
    const isText = active instanceof HTMLInputElement && !["range", "checkbox"].includes(active.type);
    if (isText) {
        return !hasControl || /^[acvxyzACVXYZ]$|^Arrow|^Home$|^End$|^Backspace$|^Delete$/.test(event.key);
    }
    if (event.key === "Tab") {
        return true;
    }
    if (hasControl) {
        return false;
    }
    if (active.matches(".timeline input.track") && active.closest(".speed") === null) {
        return false; /* arrows, Home and End look back, as everywhere */
    }
    const moves = /^Arrow|^Home$|^End$|^Page/.test(event.key), presses = event.key === " " || event.key === "Enter";
    if (active instanceof HTMLInputElement && active.type === "range") {
        return moves || event.key === "Enter" || event.key === "Delete" || event.key === "Backspace";
    }
    if (active instanceof HTMLSelectElement) {
        return moves || presses || event.key.length === 1;
    }
    if (active.matches("button, input")) {
        return presses;
    }
    return moves; /* what scrolls */
}
