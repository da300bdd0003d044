/* Tools of the two builds of the page: build.mjs, for the server, and gallery.mjs, for any web server. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";

export const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

/* Runs a tool; what it says is shown when it fails. */
export function run(program, args) {
    try {
        return execFileSync(program, args, { encoding: "utf8", maxBuffer: 1 << 26, stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
        process.stderr.write(`${error.stdout ?? ""}${error.stderr ?? ""}`);
        console.error(`${program} failed: ${error.message.split("\n")[0]}`);
        process.exit(1);
    }
}

/* A script of web/src with all that it imports. defines: constants (web/src/browser.d.ts). */
export function bundle(esbuild, source, entry, defines) {
    return Buffer.from(run(esbuild, [
        join(source, "src", entry), "--bundle", "--minify", "--format=iife", "--target=es2020", "--charset=utf8",
        "--legal-comments=none", "--log-level=warning",
        ...Object.entries(defines).map(([name, value]) => `--define:${name}=${JSON.stringify(value)}`),
    ]));
}

export const bundleStyle = (esbuild, path) => Buffer.from(run(esbuild, [path, "--minify", "--charset=utf8", "--target=es2020"]));

/* NAME-HASH.EXT: browsers cache such a file without limit. */
export function hashedName(name, bytes) {
    const dot = name.lastIndexOf(".");
    return `${name.slice(0, dot)}-${digest(bytes).slice(0, 10)}${name.slice(dot)}`;
}

/* The page's document with the names of its files, which it has as /assets/NAME. */
export const documentOf = (html, named) => Buffer.from(html.replace(/\/assets\/([\w.]+)/g, (_, name) => named[name] ?? name));
