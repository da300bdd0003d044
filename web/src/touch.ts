/* Fingers on the canvas. A tap is a click. A finger that drags leads the target named mouse, or drags what it began on, as
 * the left button does; where the mouse is not ours to lead it moves the picture. Two fingers move and zoom it. A finger
 * that stays opens the menu. */
import { Button, PointerEventType, type ToWorker } from "./messages";

const SLOP_PX = 8, LONG_PRESS_MS = 500, DOUBLE_TAP_MS = 350, DOUBLE_TAP_PX = 30;

export interface TouchSurroundings {
    leadsMouse(): boolean;
    openMenu(x: number, y: number): void;
}

interface Finger { x: number; y: number; startX: number; startY: number }

/* What the fingers do: nothing yet; drag as a mouse; move the picture; pinch; nothing more until all are up. */
type Doing = "waits" | "drags" | "pans" | "pinches" | "rests";

export class Touch {
    private readonly fingers = new Map<number, Finger>();
    private doing: Doing = "waits";
    private timer: ReturnType<typeof setTimeout> | undefined;
    private tap = { x: 0, y: 0, time: -1e9 };
    private middle = { x: 0, y: 0, spread: 1 };

    constructor(private readonly send: (message: ToWorker) => void, private readonly around: TouchSurroundings) {}

    handle(name: string, id: number, x: number, y: number, time: number): void {
        if (name === "pointerdown") {
            this.down(id, x, y);
        } else if (name === "pointermove") {
            this.move(id, x, y, time);
        } else {
            this.up(id, time, name === "pointercancel");
        }
    }

    private down(id: number, x: number, y: number): void {
        this.fingers.set(id, { x, y, startX: x, startY: y });
        clearTimeout(this.timer);
        if (this.fingers.size === 1) {
            this.doing = "waits";
            this.timer = setTimeout(() => {
                this.doing = "rests";
                this.around.openMenu(x, y);
            }, LONG_PRESS_MS);
        } else if (this.fingers.size === 2) {
            if (this.doing === "drags") {
                this.pointer(PointerEventType.Cancel, x, y, Button.Left, 0, 0);
            }
            this.doing = "pinches";
            this.middle = this.measure();
        }
    }

    private move(id: number, x: number, y: number, time: number): void {
        const finger = this.fingers.get(id);
        if (finger === undefined) {
            return;
        }
        const dx = x - finger.x, dy = y - finger.y;
        finger.x = x;
        finger.y = y;
        if (this.doing === "waits" && Math.hypot(x - finger.startX, y - finger.startY) > SLOP_PX) {
            clearTimeout(this.timer);
            this.doing = this.around.leadsMouse() ? "drags" : "pans";
            if (this.doing === "drags") {
                this.press(finger.startX, finger.startY, 1, time);
            }
        }
        if (this.doing === "drags") {
            this.pointer(PointerEventType.Move, x, y, 0, 0, time);
        } else if (this.doing === "pans") {
            this.send({ type: "gesture", x, y, dx, dy, factor: 1 });
        } else if (this.doing === "pinches") {
            this.pinch();
        }
    }

    private up(id: number, time: number, isCancelled: boolean): void {
        const finger = this.fingers.get(id);
        this.fingers.delete(id);
        clearTimeout(this.timer);
        if (finger === undefined) {
            return;
        }
        const { x, y } = finger;
        if (this.doing === "drags") {
            this.pointer(isCancelled ? PointerEventType.Cancel : PointerEventType.Up, x, y, Button.Left, 1, time);
            this.leave(x, y, time);
        } else if (this.doing === "waits" && !isCancelled) {
            const isSecond = time - this.tap.time < DOUBLE_TAP_MS && Math.hypot(x - this.tap.x, y - this.tap.y) < DOUBLE_TAP_PX;
            const clicks = isSecond ? 2 : 1;
            this.press(x, y, clicks, time);
            this.pointer(PointerEventType.Up, x, y, Button.Left, clicks, time);
            this.leave(x, y, time);
            this.tap = { x, y, time: isSecond ? -1e9 : time };
        }
        this.doing = this.fingers.size === 0 ? "waits" : "rests"; // the finger that is left over moves nothing
    }

    private pinch(): void {
        const now = this.measure(), before = this.middle;
        this.middle = now;
        this.send({ type: "gesture", x: now.x, y: now.y, dx: now.x - before.x, dy: now.y - before.y, factor: now.spread / before.spread });
    }

    private measure(): { x: number; y: number; spread: number } {
        const [a, b] = [...this.fingers.values()];
        return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, spread: Math.max(Math.hypot(a.x - b.x, a.y - b.y), 10) };
    }

    private press(x: number, y: number, clicks: number, time: number): void {
        this.pointer(PointerEventType.Move, x, y, 0, 0, time);
        this.pointer(PointerEventType.Down, x, y, Button.Left, clicks, time);
    }

    /* A finger that is up is over nothing. */
    private leave(x: number, y: number, time: number): void {
        this.pointer(PointerEventType.Leave, x, y, 0, 0, time);
    }

    private pointer(event: PointerEventType, x: number, y: number, buttons: number, clicks: number, time: number): void {
        this.send({ type: "pointer", event, id: 1, x, y, buttons, clicks, time });
    }
}
