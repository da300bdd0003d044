/* Makes a folder that any web server can serve: the page with its server inside (world.html), <drover-world> to embed it
 * (drover-world.js), the scenarios with their previews, and the pages of the gallery.
 *
 * usage: node gallery.mjs --source WEB --out FOLDER --page page.wasm --server server.wasm --scenarios FOLDER
 *            [--docs FOLDER] [--golden hashes.txt] [--tsc tsc] [--esbuild esbuild] [--marked FOLDER]
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { writePages } from "./gallery_pages.mjs";
import { bundle, bundleStyle, documentOf, hashedName, run } from "./bundle.mjs";

const { values: given } = parseArgs({
    options: {
        source: { type: "string" },
        out: { type: "string" },
        page: { type: "string" },
        server: { type: "string" },
        scenarios: { type: "string" },
        docs: { type: "string" },
        golden: { type: "string" },
        marked: { type: "string", default: "/usr/share/nodejs/marked" },
        tsc: { type: "string", default: "tsc" },
        esbuild: { type: "string", default: "esbuild" },
    },
});
const source = resolve(given.source), out = resolve(given.out);

/* What a world's document may do: its own files, WebAssembly, and static seconds of another site. */
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' https:; img-src 'self' blob: data:; " +
    "style-src 'self'; base-uri 'none'; form-action 'none'";

function add(name, bytes, hashed = false) {
    const full = hashed ? hashedName(name, bytes) : name;
    writeFileSync(join(out, full), bytes);
    return full;
}

run(given.tsc, ["--noEmit", "-p", source]);
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "scenarios"), { recursive: true });
mkdirSync(join(out, "previews"));

const page = readFileSync(given.page), server = readFileSync(given.server);
const pageName = add("page.wasm", page, true), serverName = add("server.wasm", server, true);
const scriptOf = (entry, defines) => bundle(given.esbuild, source, entry, { IN_PAGE: true, ASSETS: "", ...defines });
const worker = add("worker.js", scriptOf("worker.ts", {}), true);
const serverWorker = add("server_worker.js", scriptOf("server_worker.ts", {}), true);
const script = add("page.js", scriptOf("main.ts", {
    WORKER_URL: worker, SERVER_WORKER_URL: serverWorker, WASM_URL: pageName, WASM_BYTES: page.length, SERVER_URL: serverName, SERVER_BYTES: server.length,
}), true);
const style = add("style.css", bundleStyle(given.esbuild, join(source, "style.css")), true);
add("server.json", JSON.stringify({ worker: serverWorker, server: serverName })); // for scripts: @drover/client
add("favicon.svg", readFileSync(join(source, "favicon.svg")));
const html = readFileSync(join(source, "index.html"), "utf8")
    .replace('<meta charset="utf-8">', `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${POLICY}">`)
    .replace("as WebAssembly from the same server", "as WebAssembly");
add("world.html", documentOf(html, {
    "page.js": script, "style.css": style, "favicon.svg": "favicon.svg", "page.wasm": pageName, "server.wasm": serverName,
}));
add("drover-world.js", scriptOf("element.ts", {}));

const texts = {};
for (const file of readdirSync(given.scenarios).filter((name) => name.endsWith(".json")).sort()) {
    const name = file.slice(0, -".json".length);
    texts[name] = readFileSync(join(given.scenarios, file), "utf8");
    copyFileSync(join(given.scenarios, file), join(out, "scenarios", file));
    copyFileSync(join(given.scenarios, "previews", `${name}.png`), join(out, "previews", `${name}.png`));
}
add("scenarios.json", JSON.stringify(texts));

if (!existsSync(given.marked)) {
    console.error(`The gallery has no pages but world.html: ${given.marked} is missing (Debian's node-marked; --marked FOLDER)`);
    process.exit(0);
}
const galleryWorker = add("gallery_worker.js", scriptOf("gallery_worker.ts", { SERVER_URL: serverName, SERVER_BYTES: server.length }), true);
writePages({
    out,
    add,
    texts,
    docs: given.docs ?? join(source, "../docs"),
    lessons: join(source, "lessons"),
    marked: given.marked,
    golden: readFileSync(given.golden ?? join(source, "../tests/golden/hashes.txt"), "utf8"),
    script: add("gallery.js", scriptOf("gallery.ts", { GALLERY_WORKER_URL: galleryWorker }), true),
    style: add("gallery.css", bundleStyle(given.esbuild, join(source, "gallery.css")), true),
});
