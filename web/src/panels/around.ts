/* Around the picture: the bar, the legend, the caption, notices, names. */
import { button, el, List, type RowOf, setAttribute, setStyle, setText, setTip, setWhyNot, show } from "./dom";
import { hasFingers, said } from "./fingers";
import { icon, Mark, setIcon } from "./marks";
import type { Actions, Action, Banner, Bar, Caption, Label, Legend, LegendRow, Message, Scale, Tag, Timeline, Toast, Words } from "./view";

export type Act = (action: Action) => void;

/** A value of the bar with its name. */
class Item {
    readonly node = el("span", "item");
    private readonly value = el("span", "value");
    constructor(name: string, className: string) {
        this.node.classList.add(className);
        if (name !== "") {
            this.node.append(el("span", "name", name));
        }
        this.node.append(this.value);
        this.node.hidden = true;
    }
    set(value: string): void {
        setText(this.value, value);
        show(this.node, value !== "");
    }
}

const ITEMS: [keyof Bar, string, string][] = [
    ["tick", "tick", "numbers"], ["time", "t", "numbers rare"], ["agents", "agents", "numbers"], ["clip", "recording", "dot push"],
    ["recording", "", "dot push"], ["ping", "ping", "numbers rare push"], ["rate", "snapshots", "numbers rare push"], ["role", "role", "push"],
    ["address", "", "rare push"],
];

export class BarPart {
    readonly node = el("header", "bar");
    private readonly title = el("h1", "title");
    private readonly state = el("span", "state");
    private readonly items = new Map<keyof Bar, Item>();
    private readonly pauseIcon = icon("pause");
    private readonly pause: HTMLButtonElement;
    private readonly buttons: { name: keyof Actions; node: HTMLButtonElement }[] = [];
    private actions: Actions | null = null;

    constructor(private readonly act: Act, openMenu: () => void, share: (opener: HTMLElement) => void) {
        this.pause = button("plain only-narrow", "", () => this.actions !== null && this.act(this.actions.pause));
        this.pause.append(this.pauseIcon);
        this.node.append(this.pause, this.title, this.state);
        for (const [key, name, classes] of ITEMS) {
            const item = new Item(name, classes.split(" ")[0]);
            item.node.className = `item ${classes}`;
            this.items.set(key, item);
            this.node.append(item.node);
        }
        const group = el("nav", "buttons only-wide");
        group.setAttribute("aria-label", "Open");
        for (const [name, words] of [["picker", "Scenarios"], ["card", "About"], ["help", hasFingers() ? "Help" : "Keys"], ["screenshot", "Picture"], ["panel", "Panel"]] as const) {
            const node = button("plain", words, () => this.actions !== null && this.act(this.actions[name]));
            this.buttons.push({ name, node });
            group.append(node);
        }
        const shareButton = button("plain", "Share", () => share(shareButton));
        shareButton.title = "This world as a link, a file or a clip";
        group.insertBefore(shareButton, group.lastChild);
        const menu = button("plain only-narrow menu-button", "", openMenu);
        menu.setAttribute("aria-label", "Menu");
        menu.append(icon("menu"));
        this.node.append(group, menu);
    }

    setActions(actions: Actions): void {
        this.actions = actions;
        for (const { name, node } of this.buttons) {
            const action = actions[name];
            setWhyNot(node, action.why ?? "", `${action.key}: ${action.words}`);
        }
        setWhyNot(this.pause, actions.pause.why ?? "", "");
    }

    setOpen(open: Partial<Record<keyof Actions, boolean>>): void {
        for (const { name, node } of this.buttons) {
            setAttribute(node, "aria-expanded", open[name] === undefined ? null : String(open[name]));
        }
    }

    setTimeline(timeline: Timeline): void {
        setIcon(this.pauseIcon, timeline.play ? "play" : "pause");
        setAttribute(this.pause, "aria-label", timeline.play ? "Play" : "Pause");
    }

    set(bar: Bar): void {
        setText(this.title, bar.scenario);
        show(this.title, bar.scenario !== "");
        setText(this.state, bar.state);
        setStyle(this.state, "color", bar.state_words);
        setStyle(this.state, "--dot", bar.state_color);
        setTip(this.state, bar.state_tip);
        for (const [key, item] of this.items) {
            item.set(bar[key]);
        }
    }
}

/* ---- the legend ---- */

/* Pointed at, a row of agents lights them in the world; a click keeps it so. */
function legendRow(send: (message: Message) => void): RowOf<LegendRow> {
    const mark = new Mark(), words = el("span", "words"), count = el("span", "count"), body = button("plain", "", () => send({ do: "keep_light", row: at }));
    const node = el("li", "", body);
    let at = -1;
    body.append(mark.node, words, count);
    for (const name of ["pointerenter", "focus"]) {
        body.addEventListener(name, () => send({ do: "light", row: at }));
    }
    for (const name of ["pointerleave", "blur"]) {
        body.addEventListener(name, () => send({ do: "light", row: -1 }));
    }
    return {
        node,
        set(row, index) {
            at = row.lit === undefined ? -1 : index;
            body.disabled = row.lit === undefined;
            setAttribute(body, "aria-pressed", row.lit === undefined ? null : String(row.lit));
            mark.set(row.mark, row.shape, row.fill);
            setText(words, row.words);
            setText(count, row.count >= 0 ? String(row.count) : "");
        },
    };
}

export class LegendPart {
    readonly node = el("section", "legend");
    private readonly head: HTMLButtonElement;
    private readonly key = el("kbd");
    private readonly body = el("div", "body");
    private readonly agents: List<LegendRow>;
    private readonly others: List<LegendRow>;
    private readonly othersNode = el("ul", "others");
    private readonly scale = el("div", "scale");
    private readonly scaleTitle = el("div", "scale-title");
    private readonly scaleBar = el("div", "scale-bar");
    private readonly scaleNumbers = el("div", "scale-numbers");
    private action: Action | null = null;

    constructor(act: Act, send: (message: Message) => void) {
        this.head = button("head", "Legend", () => this.action !== null && act(this.action));
        this.head.append(this.key);
        const agents = el("ul");
        this.agents = new List(agents, () => legendRow(send));
        this.others = new List(this.othersNode, () => legendRow(send));
        this.scale.append(this.scaleTitle, this.scaleBar, this.scaleNumbers);
        this.body.append(agents, this.othersNode, this.scale);
        this.node.setAttribute("aria-label", "Legend");
        this.node.append(this.head, this.body);
    }

    setActions(actions: Actions): void {
        this.action = actions.legend;
        setText(this.key, this.action.key);
        setTip(this.head, this.action.words);
    }

    setOpen(isOpen: boolean): void {
        show(this.body, isOpen);
        setAttribute(this.head, "aria-expanded", String(isOpen));
    }

    set(legend: Legend): void {
        show(this.node, legend.rows.length > 0 || legend.scale !== undefined);
        this.agents.set(legend.rows.slice(0, legend.agents));
        this.others.set(legend.rows.slice(legend.agents));
        show(this.othersNode, legend.rows.length > legend.agents);
        show(this.scale, legend.scale !== undefined);
        if (legend.scale !== undefined) {
            this.setScale(legend.scale);
        }
    }

    private setScale(scale: Scale): void {
        setText(this.scaleTitle, scale.title);
        setStyle(this.scaleBar, "background-image", `linear-gradient(to right, ${scale.steps.join(", ")})`);
        if (this.scaleNumbers.childElementCount !== 5) {
            this.scaleNumbers.replaceChildren(...scale.numbers.map(() => el("span")));
        }
        scale.numbers.forEach((number, i) => setText(this.scaleNumbers.children[i], number));
    }
}

/* ---- notices ---- */

const MOST_TOKEN = 128; /* LIMIT_TOKEN_CHARS */

/** A line for a token, of which nothing is kept here. */
class TokenField {
    readonly node = el("form", "token");
    private readonly line = el("input");

    constructor(enter: (token: string) => void) {
        this.line.type = "password";
        this.line.autocomplete = "off";
        this.line.maxLength = MOST_TOKEN;
        this.line.setAttribute("aria-label", "Token");
        this.node.append(this.line, button("", "Enter", () => this.node.requestSubmit()));
        this.node.hidden = true;
        this.node.addEventListener("submit", (event) => {
            event.preventDefault();
            const token = this.line.value;
            this.line.value = "";
            if (token !== "") {
                enter(token);
            }
        });
    }

    show(isShown: boolean): void {
        if (this.node.hidden === isShown) {
            this.node.hidden = !isShown;
            this.line.value = "";
            if (isShown) {
                this.line.focus();
            }
        }
    }
}

/** What lies over the picture: names, the caption, the tool's words, how long ago a moment was, the notice, the banner; and what
 * a screen reader is to say. */
export class Notices {
    readonly under = el("div", "under"); /* the panels lie over these */
    readonly over = el("div", "over");
    private readonly labels: List<Label>;
    private readonly caption = el("div", "caption");
    private readonly captionLines = [el("p", "what"), el("p"), el("p", "dim only-wide")];
    private readonly tag = el("div", "tag");
    private readonly tagLines = [el("p", "what"), el("p"), el("p", "dim")];
    private readonly tool: HTMLButtonElement; /* for fingers; others have Esc */
    private readonly past = el("div", "past-frame");
    private readonly pastWords = el("p", "ago");
    private readonly toast = el("p", "toast");
    private readonly banner = el("div", "banner");
    private readonly bannerTitle = el("h2");
    private readonly bannerWords = el("p");
    private readonly polite = el("div", "for-ears");
    private readonly assertive = el("div", "for-ears");
    private readonly token: TokenField;
    private said = "";

    /** enter: takes a token that was typed. close: ends what the tool does. */
    constructor(enter: (token: string) => void, close: () => void) {
        this.token = new TokenField(enter);
        this.tool = button("tool", "", close);
        const labels = el("div", "labels");
        labels.setAttribute("aria-hidden", "true");
        this.labels = new List(labels, () => {
            const node = el("span");
            return {
                node,
                set(label: Label) {
                    setText(node, label.text);
                    setStyle(node, "color", label.fill);
                    node.style.transform = `translate(${label.x}px, ${label.y}px)`;
                },
            };
        });
        this.caption.append(...this.captionLines);
        this.tag.append(...this.tagLines);
        this.past.append(this.pastWords);
        this.banner.append(this.bannerTitle, this.bannerWords, this.token.node);
        this.polite.setAttribute("role", "status");
        this.assertive.setAttribute("role", "alert");
        for (const node of [this.caption, this.tag, this.tool, this.past, this.toast, this.banner]) {
            node.hidden = true;
        }
        this.under.append(labels, this.past, this.caption, this.tag);
        this.over.append(this.banner, this.tool, this.toast, this.polite, this.assertive);
    }

    /** To be read to those who do not see it. */
    say(words: string, isUrgent = false): void {
        if (words !== "" && words !== this.said) {
            this.said = words;
            (isUrgent ? this.assertive : this.polite).textContent = words;
        }
    }

    setLabels(labels: Label[]): void {
        this.labels.set(labels);
    }

    setTag(tag: Tag): void {
        show(this.tag, tag.lines[0] !== "");
        tag.lines.forEach((line, i) => setText(this.tagLines[i], line));
        setStyle(this.tag, "width", `${tag.wide}px`);
        this.tag.style.transform = `translate(${tag.x}px, ${tag.y}px)`;
    }

    setCaption(caption: Caption): void {
        const isShown = caption.alpha > 0 && caption.lines.some((line) => line !== "");
        show(this.caption, isShown);
        this.caption.classList.toggle("high", caption.high);
        setStyle(this.caption, "--alpha", String(caption.alpha));
        caption.lines.forEach((line, i) => {
            setText(this.captionLines[i], said(line));
            show(this.captionLines[i], line !== "");
        });
        if (isShown) {
            this.say(said(caption.lines.slice(0, 2).join(" ").trim()));
        }
    }

    setWords(words: Words): void {
        const line = said(words.tool !== "" ? words.tool : words.hint), ends = hasFingers() && words.tool !== "";
        setText(this.tool, ends ? `${line}   Done` : line);
        this.tool.disabled = !ends;
        this.tool.classList.toggle("hint", words.tool === "");
        show(this.tool, line !== "");
        this.say(line);
    }

    setTimeline(timeline: Timeline, isReplay: boolean): void {
        const isPast = timeline.past !== "" && !isReplay;
        const keys = ["", ...(timeline.beyond ? [] : [timeline.play ? "Space: play" : "Space: hold"]), "End: now"].join("    ");
        show(this.past, isPast);
        this.past.classList.toggle("beyond", timeline.beyond);
        setText(this.pastWords, isPast ? timeline.past + (hasFingers() ? "" : keys) : "");
    }

    setToast(toast: Toast): void {
        const words = said(toast.words);
        show(this.toast, words !== "" && toast.alpha > 0);
        setText(this.toast, words);
        setStyle(this.toast, "--alpha", String(toast.alpha));
        this.toast.classList.toggle("error", toast.kind === "error");
        this.toast.classList.toggle("warning", toast.kind === "warning");
        this.say(words, toast.kind === "error");
    }

    setBanner(banner: Banner): void {
        show(this.banner, banner.title !== "");
        setText(this.bannerTitle, banner.title);
        setText(this.bannerWords, banner.words);
        this.token.show(banner.token);
        this.say(banner.title.replace(/ in \d+ s$/, ""), true);
        if (banner.title === "") { /* what was urgent is over */
            setText(this.assertive, "");
            this.said = "";
        }
    }
}
