/* The timelines: of a live world, of a recording; the buttons and the speed that each begins with. */
import { List, button, el, isOff, newId, setAttribute, setStyle, setText, setTip, setWhyNot, show } from "./dom";
import { icon, setIcon } from "./marks";
import type { Actions, Message, Moment, Past, Replay, Timeline } from "./view";

type Send = (message: Message) => void;

/** A handle on a line: while it is held it stays under the hand. */
class Handle {
    readonly node = el("input", "track");
    isHeld = false;

    /** moves: it was moved, by a hand that holds it still or not. */
    constructor(label: string, least: number, most: number, step: string, moves: (value: number, isHeld: boolean) => void) {
        this.node.type = "range";
        this.node.min = String(least);
        this.node.max = String(most);
        this.node.step = step;
        this.node.setAttribute("aria-label", label);
        this.node.addEventListener("pointerdown", () => (this.isHeld = true));
        this.node.addEventListener("input", () => moves(Number(this.node.value), this.isHeld));
        this.node.addEventListener("change", () => {
            this.isHeld = false;
            moves(Number(this.node.value), false);
        });
        for (const end of ["pointerup", "pointercancel"]) {
            this.node.addEventListener(end, () => (this.isHeld = false));
        }
    }

    set(value: number, words: string): void {
        setAttribute(this.node, "aria-valuetext", words);
        if (!this.isHeld && Math.abs(Number(this.node.value) - value) > 1e-6) {
            this.node.value = String(value);
        }
        const share = (Number(this.node.value) - Number(this.node.min)) / (Number(this.node.max) - Number(this.node.min));
        setStyle(this.node, "--share", share.toFixed(4));
    }
}

class Speed {
    readonly node = el("div", "speed");
    private readonly slider: Handle;
    private readonly words: HTMLButtonElement;
    private readonly typed = el("input", "typed");
    private readonly most: HTMLButtonElement;
    private speed = 1;

    constructor(send: Send) {
        this.slider = new Handle("Speed of the world's time", 0, 1, "0.001", (place, isHeld) => send({ do: "speed", place, held: isHeld }));
        this.words = button("plain value", "", () => this.type());
        this.most = button("", "max", () => send({ do: "set_speed", speed: this.speed <= 0 ? 1 : 0 }));
        this.typed.inputMode = "decimal";
        this.typed.hidden = true;
        this.typed.setAttribute("aria-label", "Speed, times its own rate");
        this.slider.node.addEventListener("contextmenu", (event) => {
            event.preventDefault();
            if (!this.slider.node.disabled) {
                send({ do: "set_speed", speed: 1 });
            }
        });
        this.slider.node.addEventListener("dblclick", () => this.type());
        const end = (takes: boolean) => {
            const speed = Number(this.typed.value.replace(",", "."));
            if (!this.typed.hidden && takes && this.typed.value.trim() !== "" && Number.isFinite(speed) && speed > 0) {
                send({ do: "set_speed", speed });
            }
            show(this.typed, false);
            show(this.words, true);
        };
        this.typed.addEventListener("blur", () => end(true));
        this.typed.addEventListener("keydown", (event) => {
            if (event.key === "Enter" || event.key === "Escape") {
                end(event.key === "Enter");
                this.words.focus();
                event.preventDefault();
                event.stopPropagation();
            }
        });
        this.node.append(this.slider.node, this.words, this.typed, this.most);
    }

    private type(): void {
        if (!isOff(this.words)) {
            this.typed.value = this.speed > 0 ? String(this.speed) : "";
            show(this.typed, true);
            show(this.words, false);
            this.typed.focus();
            this.typed.select();
        }
    }

    set(timeline: Timeline): void {
        const help = "How fast the time of the world goes, times its own rate: - slower, = faster, 0 as usual. A double click types it; a right click: as usual.";
        this.speed = timeline.speed;
        this.slider.set(timeline.speed_place, timeline.speed_words);
        this.slider.node.disabled = timeline.no_speed !== "";
        setStyle(this.slider.node, "--one", timeline.speed_one.toFixed(4));
        setTip(this.slider.node, timeline.no_speed !== "" ? timeline.no_speed : help);
        setText(this.words, timeline.speed_words);
        setAttribute(this.words, "aria-label", `Speed ${timeline.speed_words}: type a value`);
        setWhyNot(this.words, timeline.no_speed, "Types a speed.");
        setWhyNot(this.most, timeline.no_speed, "As fast as the server can; again: as usual.");
        setAttribute(this.most, "aria-pressed", String(timeline.speed <= 0));
    }
}

/** The place of a tick on the line, 0 to 1. */
function placeOf(bends: [number, number][], tick: number): number {
    let i = 1;
    while (i < bends.length - 1 && tick > bends[i][0]) {
        i++;
    }
    const [[tick0, share0], [tick1, share1]] = [bends[i - 1], bends[i]];
    return Math.min(Math.max(share0 + (tick - tick0) / (tick1 - tick0) * (share1 - share0), 0), 1);
}

/** The timeline of a live world: its handle; over it marks and what was done; below it the branches that were left. */
class PastLine {
    readonly scrub: Handle;
    readonly node: HTMLElement;
    private readonly lanes: List<Past["lanes"][number]>;
    private readonly marks: List<Moment>;
    private readonly changes: List<Moment>;
    private past: Past | null = null;
    private bends: [number, number][] = [[0, 0], [1, 1]];

    constructor(private readonly send: Send) {
        this.scrub = new Handle("The world's past", 0, 1, "0.001", (share, held) => send({ do: "scrub", share, held }));
        const lanes = el("div", "lanes"), changes = el("div", "moments"), marks = el("div", "moments");
        this.lanes = new List(lanes, () => this.lane());
        this.marks = new List(marks, () => this.moment("flag"));
        this.changes = new List(changes, () => this.moment("stroke"));
        this.node = el("div", "past-line", lanes, this.scrub.node, changes, marks);
    }

    private place(node: HTMLElement, name: string, tick: number): number {
        const share = placeOf(this.bends, tick);
        setStyle(node, name, share.toFixed(4));
        return share;
    }

    private moment(className: string) {
        const node = el("i", className);
        let tick = 0;
        node.addEventListener("click", () => this.send({ do: "scrub", share: placeOf(this.bends, tick), held: false }));
        return {
            node,
            set: (moment: Moment) => {
                tick = moment.tick;
                this.place(node, "--x", tick);
                setStyle(node, "--lane", String(moment.lane));
                node.classList.toggle("on-lane", moment.lane >= 0);
                setTip(node, moment.words);
            },
        };
    }

    private lane() {
        const go = button("plain branch", "", () => this.send({ do: "branch", name: go.textContent ?? "" }));
        const node = el("div", "lane", go);
        return {
            node,
            set: (lane: Past["lanes"][number], index: number) => {
                this.place(node, "--x", lane.from);
                const end = this.place(node, "--end", lane.to);
                node.classList.toggle("at-end", end > 0.9);
                setStyle(node, "--lane", String(index));
                setStyle(node, "--parent", String(lane.parent));
                setText(go, lane.name);
                setWhyNot(go, this.past?.no_go_on ?? "", lane.words);
            },
        };
    }

    setPast(past: Past | null): void {
        this.past = past;
        this.lanes.set(past?.lanes ?? []);
        this.marks.set(past?.marks ?? []);
        this.changes.set(past?.changes ?? []);
    }

    set(timeline: Timeline): void {
        if (this.past !== null && String(this.bends) !== String(timeline.bends)) {
            this.bends = timeline.bends;
            this.setPast(this.past);
        }
        this.bends = timeline.bends;
        this.scrub.set(timeline.at, timeline.moment);
        const kept = this.past === null ? timeline.seen : timeline.kept, from = timeline.at < timeline.seen ? kept : timeline.seen;
        for (const [name, share] of [["--now", timeline.now], ["--from", from], ["--kept", kept]] as const) {
            setStyle(this.node, name, share.toFixed(4));
        }
        this.scrub.node.classList.toggle("past", !timeline.live);
    }
}

export class TimePart {
    readonly node = el("section", "timeline");
    private readonly pause: HTMLButtonElement;
    private readonly pauseIcon = icon("pause");
    private readonly step: HTMLButtonElement;
    private readonly restart: HTMLButtonElement;
    private readonly live: HTMLButtonElement;
    private readonly takeOver: HTMLButtonElement;
    private readonly speed: Speed;
    private readonly back = el("span", "back");
    private readonly line: PastLine;
    private readonly moment: HTMLButtonElement;
    private readonly momentLong = el("span", "long");
    private readonly momentShort = el("span", "short");
    private readonly whatIf: HTMLButtonElement;
    private readonly branch = el("span", "dim branch-name");
    private readonly seek: Handle;
    private readonly marks = el("div", "marks");
    private readonly wrong = el("i", "wrong");
    private readonly seekBox: HTMLElement;
    private readonly hint = el("output", "hint-over");
    private readonly worlds = el("span", "dim worlds");
    private readonly word = el("strong", "replay-word", "REPLAY");
    private readonly time = el("span", "time");
    private actions: Actions | null = null;
    private timeline: Timeline | null = null;

    constructor(private readonly send: Send) {
        const does = (name: keyof Actions) => () => this.actions !== null && send({ do: "shortcut", row: this.actions[name].row });
        const iconButton = (name: keyof Actions, words: string, picture: SVGElement) => {
            const node = button("plain icon-button", "", does(name));
            node.setAttribute("aria-label", words);
            node.append(picture);
            return node;
        };
        this.pause = iconButton("pause", "Pause", this.pauseIcon);
        this.step = iconButton("step", "One tick", icon("step"));
        this.restart = iconButton("restart", "Restart", icon("restart"));
        this.live = button("plain live", "LIVE", does("live"));
        this.takeOver = button("", "take over", does("take_over"));
        this.speed = new Speed(send);
        this.line = new PastLine(send);
        this.moment = button("moment-button", "", () => this.actions !== null
            && send({ do: "shortcut", row: this.actions[this.timeline?.live === false ? "take_over" : "mark"].row }));
        this.moment.append(this.momentLong, this.momentShort);
        this.whatIf = button("what-if", "what if", does("what_if"));
        this.moment.hidden = this.whatIf.hidden = true;
        this.seek = new Handle("The recording", 0, 1, "any", (share, isHeld) => send({ do: "seek", share, held: isHeld }));
        this.seekBox = el("div", "seek", this.seek.node, this.wrong, this.marks, this.hint);
        this.seekBox.addEventListener("pointermove", (event) => this.point(event));
        this.seekBox.addEventListener("pointerleave", () => send({ do: "point", share: -1 }));
        this.hint.id = newId();
        this.node.setAttribute("aria-label", "Time");
        this.node.append(el("div", "time-buttons", this.pause, this.step, this.restart), this.speed.node, this.back, this.line.node, this.whatIf, this.moment, this.live, this.branch,
            this.seekBox, this.worlds, this.word, this.time, this.takeOver);
    }

    private point(event: PointerEvent): void {
        const box = this.seek.node.getBoundingClientRect(), share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
        this.send({ do: "point", share });
        setStyle(this.hint, "left", `${(100 * share).toFixed(1)}%`);
    }

    setActions(actions: Actions): void {
        this.actions = actions;
        for (const [node, name] of [[this.pause, "pause"], [this.step, "step"], [this.restart, "restart"], [this.live, "live"],
            [this.takeOver, "take_over"]] as const) {
            setWhyNot(node, actions[name].why ?? "", `${actions[name].key}: ${actions[name].words}`);
        }
    }

    setReplaying(isReplay: boolean): void {
        for (const node of [this.back, this.line.node, this.live]) {
            show(node, !isReplay);
        }
        for (const node of [this.seekBox, this.worlds, this.word, this.time, this.takeOver]) {
            show(node, isReplay);
        }
        this.node.classList.toggle("replaying", isReplay);
    }

    /* What the world can do at this moment: get a mark, or go on from here; get a twin, or lose it. */
    private setMoment(): void {
        const isPast = this.timeline?.live === false, action = this.actions?.[isPast ? "take_over" : "mark"], twin = this.actions?.what_if;
        const words = isPast ? "go on from here" : "set a mark";
        setText(this.momentLong, words);
        setText(this.momentShort, isPast ? "go on" : "mark");
        setAttribute(this.moment, "aria-label", words);
        this.moment.classList.toggle("goes-on", isPast);
        if (action !== undefined) {
            setWhyNot(this.moment, action.why ?? "", `${action.key}: ${action.words}`);
        }
        if (twin !== undefined) {
            setWhyNot(this.whatIf, twin.why ?? "", `${twin.key}: ${twin.words}`);
        }
        setAttribute(this.whatIf, "aria-pressed", String(this.timeline?.twin === true));
    }

    setPast(past: Past | null): void {
        this.line.setPast(past);
        show(this.moment, past !== null);
        show(this.whatIf, past !== null);
        show(this.branch, past !== null && past.lanes.length > 0);
        setText(this.branch, past?.branch ?? "");
    }

    set(timeline: Timeline): void {
        this.timeline = timeline;
        setIcon(this.pauseIcon, timeline.play ? "play" : "pause");
        setAttribute(this.pause, "aria-label", timeline.play ? "Play" : "Pause");
        this.speed.set(timeline);
        setText(this.back, timeline.back);
        this.line.set(timeline);
        this.setMoment();
        this.live.classList.toggle("on", timeline.live && timeline.has_live);
        setAttribute(this.live, "aria-pressed", String(timeline.live));
    }

    setReplay(replay: Replay | null): void {
        if (replay === null) {
            return;
        }
        this.seek.set(replay.share, replay.time);
        setText(this.time, replay.time);
        setText(this.worlds, replay.worlds);
        setText(this.hint, replay.hint);
        show(this.hint, replay.hint !== "");
        this.word.classList.toggle("other", replay.other);
        while (this.marks.childElementCount < replay.marks.length) {
            this.marks.append(el("i"));
        }
        while (this.marks.childElementCount > replay.marks.length) {
            this.marks.lastElementChild?.remove();
        }
        replay.marks.forEach((share, i) => setStyle(this.marks.children[i] as HTMLElement, "left", `${100 * share}%`));
        show(this.wrong, replay.wrong !== undefined);
        if (replay.wrong !== undefined) {
            setStyle(this.wrong, "left", `${100 * replay.wrong[0]}%`);
            setStyle(this.wrong, "width", `${100 * (replay.wrong[1] - replay.wrong[0])}%`);
            setTip(this.word, replay.wrong_words);
        }
    }
}
