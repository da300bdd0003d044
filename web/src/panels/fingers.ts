/* Words for hands that have no mouse and no keys: what is clicked is tapped, what a key does is in the panel or in a menu. */

/** Whether the pointer is a finger. */
export function hasFingers(): boolean {
    return matchMedia("(pointer: coarse)").matches;
}

/* Where fingers find what "press K" says. */
const KEYS: Record<string, string> = {
    K: "open the sliders", C: "change \"color by\"", A: "choose Add", X: "choose Remove", L: "choose Follow", F: "choose Forces", Home: "choose Whole world",
};

/** A sentence about mouse and keys as one about fingers; what has no gesture stays. */
export function forFingers(words: string): string {
    return words
        .replace(/\b([Pp])ress (Home|[ACFKLX])\b/g, (_, press: string, key: string) => (press === "P" ? KEYS[key][0].toUpperCase() + KEYS[key].slice(1) : KEYS[key]))
        .replace(/\b(Double |double |)([Cc])lick(?=s?\b)/g, (_, twice: string, letter: string) => `${twice}${letter === "C" ? "T" : "t"}ap`)
        .replace(/\bwith the (mouse|wheel)\b/g, (_, what: string) => (what === "mouse" ? "with a finger" : "with two fingers"))
        .replace(/\b([Mm]ove|[Jj]erk|[Hh]ide) the mouse\b/g, "$1 your finger")
        .replace(/\bthe wheel zooms\b/, "two fingers zoom")
        .replace(/\. [A-Z]: [^.:]+$/, "")
        .replace(/\s*\([^()]*\bEsc\b[^()]*\)$/, "");
}

/** The words as they are said here. */
export function said(words: string): string {
    return hasFingers() ? forFingers(words) : words;
}

/* What mouse and wheel do, done by fingers. */
const GESTURES: Record<string, string> = { Mouse: "Drag", Drag: "Drag", Click: "Tap", Wheel: "Two fingers" };

/** Rows of keys without those that only a keyboard has. "" goes on from the row before it. */
export function gestures<T extends { key: string; words: string }>(rows: readonly T[]): T[] {
    return rows.filter(({ key }) => key === "" || GESTURES[key] !== undefined)
        .map((row) => ({ ...row, key: GESTURES[row.key] ?? "", words: forFingers(row.words) }));
}

/** What of a row of the help fingers do: "Two fingers"; "" for nothing. */
export function gestureOf(way: string): string {
    return /^(drag|tap|double tap|pinch|two fingers|long press)\b/.test(way) ? way[0].toUpperCase() + way.slice(1) : "";
}
