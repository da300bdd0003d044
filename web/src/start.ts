/* What the page's address says: #token=SECRET&name=Ann&renderer=raster&theme=light ... */
import type { Renderer } from "./messages";

export interface Fragment {
    token: string;
    renderer: Renderer;
    isOnMainThread: boolean; // draws without OffscreenCanvas, for tests
    options: [string, string][]; // of the viewer's command line
}

/* Members of the fragment that are options of the viewer. */
const OPTIONS = ["name", "overlays", "color", "palette", "theme", "ui-scale", "select", "kiosk", "panel", "sliders", "seconds"];

/** Reads a fragment. place: of the page; ?seconds=URL may stand in its query as well, and may be relative. */
export function fragmentOf(hash: string, place = "", search = ""): Fragment {
    const values = new URLSearchParams(hash.replace(/^#/, ""));
    const seconds = values.get("seconds") ?? new URLSearchParams(search).get("seconds");
    if (seconds !== null && place !== "") {
        values.set("seconds", new URL(seconds, place).href);
    }
    const renderer = values.get("renderer");
    return {
        token: values.get("token") ?? "",
        renderer: renderer === "raster" || renderer === "card" || renderer === "mesh" ? renderer : "auto",
        isOnMainThread: values.get("thread") === "main",
        options: OPTIONS.filter((name) => values.has(name)).map((name) => [name, values.get(name)!]),
    };
}

/** Reads the page's fragment, and takes a token out of the address, so that it is neither seen nor copied nor kept in the
 * history. */
export function takeFragment(place: Location, past: History): Fragment {
    const fragment = fragmentOf(place.hash, place.href, place.search);
    if (fragment.token !== "") {
        const rest = new URLSearchParams(place.hash.slice(1));
        rest.delete("token");
        const words = rest.toString();
        past.replaceState(null, "", place.pathname + place.search + (words === "" ? "" : `#${words}`));
    }
    return fragment;
}

/** A fragment with this token besides what it has. */
export function fragmentWith(hash: string, token: string): string {
    const values = new URLSearchParams(hash.replace(/^#/, ""));
    values.set("token", token);
    return `#${values}`;
}

/** HOST:PORT of the server, to be shown. */
export function addressOf(place: { protocol: string; hostname: string; port: string }): string {
    return `${place.hostname}:${place.port !== "" ? place.port : place.protocol === "https:" ? "443" : "80"}`;
}

/** On a first visit the theme is the system's, unless the address names one. */
export function withTheme(fragment: Fragment, isFirst: boolean, isLight: boolean): Fragment {
    const hasTheme = fragment.options.some(([name]) => name === "theme");
    return isFirst && isLight && !hasTheme ? { ...fragment, options: [...fragment.options, ["theme", "light"]] } : fragment;
}

/** The options for page.wasm. address: HOST:PORT of the server. */
export function optionsOf(fragment: Fragment, token: string, address: string): string[] {
    return [
        address,
        ...fragment.options.map(([name, value]) => (value === "" ? `--${name}` : `--${name}=${value}`)),
        ...(token === "" ? [] : [`--token=${token}`]),
    ];
}
