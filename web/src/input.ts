/* What the visitor does with mouse, pen, wheel and keyboard over the canvas, as messages for the Worker. Fingers: touch.ts. */
import { Button, Modifier, PointerEventType, type ToWorker } from "./messages";
import { Touch } from "./touch";

export type Send = (message: ToWorker) => void;

/** What stands around the canvas. */
export interface Surroundings {
    /** Whether the panels' control that has the focus uses this key itself. */
    panelsOwn(event: KeyboardEvent): boolean;
    /** The canvas was pressed: the keyboard belongs to the world again. */
    leavePanels(): void;
    /** Whether a finger that drags leads the target named mouse; else it moves the picture. */
    leadsMouse(): boolean;
    /** The menu of a long press. */
    openMenu(x: number, y: number): void;
}

const NOTCH_PX = 100, NOTCH_LINES = 3, PINCH_PX = 10;
const F1 = 0x4000003a;

/* enum key_code of viewer/model/input.h, where it is not the character. */
const CODES: Record<string, number> = {
    Backspace: 8,
    Tab: 9,
    Enter: 13,
    Escape: 27,
    Delete: 127,
    " ": 32,
    Home: 0x4000004a,
    PageUp: 0x4000004b,
    End: 0x4000004d,
    PageDown: 0x4000004e,
    ArrowRight: 0x4000004f,
    ArrowLeft: 0x40000050,
    ArrowDown: 0x40000051,
    ArrowUp: 0x40000052,
};
/* A key has one code, whether Shift is held or not. */
const UNSHIFTED: Record<string, string> = { "+": "=", _: "-", "{": "[", "}": "]", "<": ",", ">": "." };
/* Characters of other keyboards, by the place of the key. */
const PLACES: Record<string, string> = {
    Minus: "-", Equal: "=", BracketLeft: "[", BracketRight: "]", Comma: ",", Period: ".", NumpadSubtract: "-", NumpadAdd: "=",
};

/** The code of a key; 0 for one that the viewer does not know. */
export function keyCode(event: Pick<KeyboardEvent, "key" | "code">): number {
    const { key, code } = event;
    if (CODES[key] !== undefined) {
        return CODES[key];
    }
    if (/^F([1-9]|1[0-2])$/.test(key)) {
        return F1 + Number(key.slice(1)) - 1;
    }
    let character = key.length === 1 ? UNSHIFTED[key] ?? key.toLowerCase() : "";
    if (!/^[ -~]$/.test(character)) { // not a Latin keyboard
        character = /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : /^Digit\d$/.test(code) ? code.slice(5) : PLACES[code] ?? "";
    }
    return character === "" ? 0 : character.charCodeAt(0);
}

/** Keys that stay the browser's: to load the page again (F5, Ctrl+R: buttons restart the world), full screen (F11), and what the viewer has no action for. The
 * world takes Tab while it has the focus; Shift+Tab and F6 lead out of it. */
export function isBrowsers(event: Pick<KeyboardEvent, "key" | "metaKey" | "altKey" | "ctrlKey" | "shiftKey">, hasFocus: boolean): boolean {
    const { key } = event;
    if (event.metaKey || event.altKey || key === "F5" || key === "F11" || (key === "Tab" && (!hasFocus || event.shiftKey))) {
        return true;
    }
    return event.ctrlKey && !/^[abelopsuyz]$/i.test(key) && key !== "Home"; // Ctrl + - 0 zoom the page
}

/** Notches of a wheel, > 0 away from the person; a trackpad gives parts of them. */
export function notches(event: Pick<WheelEvent, "deltaY" | "deltaMode" | "ctrlKey">): number {
    const px = event.ctrlKey ? PINCH_PX : NOTCH_PX; // ctrlKey: two fingers on a trackpad pinch
    const count = -event.deltaY / (event.deltaMode === 0 ? px : event.deltaMode === 1 ? NOTCH_LINES : 1);
    return Math.max(-4, Math.min(4, count));
}

function buttonOf(button: number): number {
    return button === 0 ? Button.Left : button === 2 ? Button.Right : button === 1 ? Button.Middle : 0;
}

export class Input {
    private readonly touch: Touch;
    private readonly held = new Set<number>();

    constructor(private readonly canvas: HTMLCanvasElement, private readonly send: Send, private readonly around: Surroundings) {
        this.touch = new Touch(send, around);
        for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel"] as const) {
            canvas.addEventListener(name, (event) => this.onPointer(name, event));
        }
        canvas.addEventListener("pointerleave", (event) => this.onLeave(event));
        canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
        canvas.addEventListener("contextmenu", (event) => event.preventDefault());
        canvas.addEventListener("mousedown", (event) => {
            if (event.button === 1) {
                event.preventDefault(); // no scrolling by itself
            }
        });
        document.addEventListener("keydown", (event) => this.onKey(event, true));
        document.addEventListener("keyup", (event) => this.onKey(event, false));
        window.addEventListener("blur", () => this.releaseKeys());
    }

    private place(event: MouseEvent): { x: number; y: number } {
        const box = this.canvas.getBoundingClientRect();
        return { x: event.clientX - box.left, y: event.clientY - box.top };
    }

    private onPointer(name: string, event: PointerEvent): void {
        const { x, y } = this.place(event);
        if (name === "pointerdown") {
            this.around.leavePanels();
            this.canvas.focus({ preventScroll: true });
            try {
                this.canvas.setPointerCapture(event.pointerId);
            } catch {
                /* a pointer that tests made up */
            }
        }
        if (event.pointerType === "touch") {
            event.preventDefault();
            this.touch.handle(name, event.pointerId, x, y, event.timeStamp);
            return;
        }
        const message = { type: "pointer", id: 0, x, y, time: event.timeStamp } as const;
        if (name === "pointercancel") {
            this.send({ ...message, event: PointerEventType.Cancel, buttons: Button.Left, clicks: 0 });
        } else if (event.button >= 0) { // a move that presses a second button is a pointermove
            const isDown = (event.buttons & buttonOf(event.button)) !== 0;
            this.send({ ...message, event: PointerEventType.Move, buttons: 0, clicks: 0 });
            this.send({
                ...message,
                event: isDown ? PointerEventType.Down : PointerEventType.Up,
                buttons: buttonOf(event.button),
                clicks: this.clicks(isDown, x, y, event.timeStamp),
            });
        } else {
            this.send({ ...message, event: PointerEventType.Move, buttons: 0, clicks: 0 });
        }
    }

    /* Pointer events do not count clicks. */
    private last = { x: 0, y: 0, time: -1e9, clicks: 0 };
    private clicks(isDown: boolean, x: number, y: number, time: number): number {
        if (isDown) {
            const isNext = time - this.last.time < 500 && Math.hypot(x - this.last.x, y - this.last.y) < 6;
            this.last = { x, y, time, clicks: isNext ? this.last.clicks + 1 : 1 };
        }
        return this.last.clicks;
    }

    private onLeave(event: PointerEvent): void {
        if (event.pointerType !== "touch") {
            const { x, y } = this.place(event);
            this.send({ type: "pointer", event: PointerEventType.Leave, id: 0, x, y, buttons: 0, clicks: 0, time: event.timeStamp });
        }
    }

    private onWheel(event: WheelEvent): void {
        const { x, y } = this.place(event);
        event.preventDefault();
        this.send({ type: "wheel", x, y, notches: notches(event) });
    }

    private onKey(event: KeyboardEvent, isDown: boolean): void {
        const code = keyCode(event);
        if (code === 0 || event.isComposing || (isDown && (this.around.panelsOwn(event) || isBrowsers(event, document.activeElement === this.canvas)))) {
            return;
        }
        if (!isDown && !this.held.has(code)) {
            return;
        }
        if (isDown) {
            event.preventDefault();
            this.held.add(code);
        } else {
            this.held.delete(code);
        }
        const modifiers = (event.shiftKey ? Modifier.Shift : 0) | (event.ctrlKey ? Modifier.Control : 0) | (event.altKey ? Modifier.Alt : 0);
        this.send({ type: "key", code, isDown, isRepeat: event.repeat, modifiers });
    }

    /* The window lost the keyboard: it does not learn that a key went up. */
    private releaseKeys(): void {
        for (const code of this.held) {
            this.send({ type: "key", code, isDown: false, isRepeat: false, modifiers: 0 });
        }
        this.held.clear();
    }
}
