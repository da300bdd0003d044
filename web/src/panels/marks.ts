/* What is drawn, in small: the marks of the legend and of the overlays, the icons of buttons. */
import { setAttribute, svg } from "./dom";

/** 24 x 22, around its middle. */
export class Mark {
    readonly node = svg("svg", { class: "mark", viewBox: "-12 -11 24 22", "aria-hidden": "true" });
    private shown = "";

    set(mark: string, shape: string, fill: string): void {
        const wanted = `${mark} ${shape}`;
        if (wanted !== this.shown) {
            this.shown = wanted;
            this.node.replaceChildren(...nodesOf(mark, shape));
        }
        setAttribute(this.node, "color", fill);
    }
}

function line(x1: number, y1: number, x2: number, y2: number, wide = 1.5, opacity = 1): SVGElement {
    return svg("line", { x1, y1, x2, y2, stroke: "currentColor", "stroke-width": wide, "stroke-opacity": opacity });
}
function ring(cx: number, cy: number, r: number, wide = 1.5): SVGElement {
    return svg("circle", { cx, cy, r, fill: "none", stroke: "currentColor", "stroke-width": wide });
}
function disc(cx: number, cy: number, r: number, opacity = 1): SVGElement {
    return svg("circle", { cx, cy, r, fill: "currentColor", "fill-opacity": opacity });
}

function nodesOf(mark: string, shape: string): SVGElement[] {
    const steps = [0, 1, 2, 3];
    switch (mark) {
    case "":
        return [];
    case "agent":
        return [svg("polygon", { points: shape, fill: "currentColor", class: "shape" })];
    case "vector":
    case "flow":
        return [line(-11, 0, 5, 0, 2), svg("polygon", { points: "11,0 4,-4 4,4", fill: "currentColor" })];
    case "circle":
        return [ring(0, 0, 7)];
    case "cross":
        return [line(-5, -5, 5, 5, 2), line(-5, 5, 5, -5, 2)];
    case "tie":
        return [line(-11, 4, 4, -3), ring(8, -4, 4, 1)];
    case "dashes":
        return steps.map((i) => line(6 * (i - 2), 0, 6 * (i - 2) + 4, 0));
    case "trail":
        return steps.map((i) => line(6 * (i - 2), 0, 6 * (i - 1), 0, 2, 0.25 * (i + 1)));
    case "onion":
        return steps.map((i) => disc(6 * (i - 2) + 3, 0, 3, 0.25 * (i + 1)));
    case "wall":
        return [line(-12, 0, 12, 0, 4)];
    case "target":
        return [ring(0, 0, 5), disc(0, 0, 2)];
    case "flag":
        return [line(-4, -8, -4, 8), svg("polygon", { points: "-4,-8 7,-3.5 -4,1", fill: "currentColor" })];
    case "region":
        return [svg("rect", { x: -8, y: -5, width: 16, height: 10, fill: "currentColor", "fill-opacity": 0.25, stroke: "currentColor",
            "stroke-width": 1.5 })];
    case "path":
        return [line(-11, 0, 11, 0, 1), line(-2, -4, 2, 0), line(-2, 4, 2, 0)];
    default:
        return [disc(0, 0, 5)];
    }
}

const ICONS: Record<string, string> = {
    pause: "M4 3h3v10H4zM9 3h3v10H9z",
    play: "M4 2.5v11l9-5.5z",
    step: "M3 2.5v11l7-5.5zM11 3h2v10h-2z",
    restart: "M13 2.5v11L6 8zM3 2.5h2.2v11H3z",
    menu: "M2 3.5h12v1.6H2zM2 7.2h12v1.6H2zM2 10.9h12v1.6H2z",
    close: "M3.2 2 8 6.8 12.8 2 14 3.2 9.2 8l4.8 4.8-1.2 1.2L8 9.2 3.2 14 2 12.8 6.8 8 2 3.2z",
    up: "M8 5l6 6H2z",
};

/** 16 x 16, in the color of the words around it. */
export function icon(name: string): SVGElement {
    return svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name], fill: "currentColor" }));
}

export function setIcon(node: SVGElement, name: string): void {
    setAttribute(node.firstElementChild as Element, "d", ICONS[name]);
}

/** An eye; muted: crossed out (style). */
export function eye(): SVGElement {
    return svg("svg", { class: "icon eye", viewBox: "-8 -8 16 16", "aria-hidden": "true" },
        svg("path", { d: "M-7 0Q0-9 7 0Q0 9-7 0Z", fill: "none", stroke: "currentColor", "stroke-width": 1.25 }), disc(0, 0, 2),
        svg("line", { class: "crossed", x1: -7, y1: 5, x2: 7, y2: -5, stroke: "currentColor", "stroke-width": 1.5 }));
}
