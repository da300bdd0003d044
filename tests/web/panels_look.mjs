/* Pictures of the page's panels without a server: the sections of a file, shown by the page's own scripts and style under its
 * content security policy, in Chromium without a window.
 *
 * usage: node tests/web/panels_look.mjs SECTIONS.json OUT.png [--size 1280x800] [--ratio 1] [--world PICTURE.png]
 *        [--then SCRIPT] [--light]
 * SECTIONS.json: what page_panels wrote (tests/web/panels_sections.json is one). --then: a script that runs in the page before
 * the picture is taken; `panels` is the instance, `sent` the messages so far. Prints the messages, and what the console says.
 */
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const { values: given, positionals } = parseArgs({
    allowPositionals: true,
    options: {
        size: { type: "string", default: "1280x800" },
        ratio: { type: "string", default: "1" },
        world: { type: "string", default: "" },
        then: { type: "string", default: "" },
    },
});
const [sections, out] = positionals, folder = mkdtempSync(join(tmpdir(), "panels-look-"));
const [width, height] = given.size.split("x").map(Number);

const entry = `
import { Panels } from ${JSON.stringify(join(root, "web/src/panels/panels.ts"))};
const sent = [];
const panels = new Panels(document.getElementById("panels"), (message) => sent.push(message), (token) => sent.push({ do: "token", token }));
document.getElementById("panels").classList.remove("waiting");
const canvas = document.getElementById("world"), picture = new Image();
picture.onload = () => {
    canvas.width = picture.naturalWidth, canvas.height = picture.naturalHeight;
    canvas.getContext("2d").drawImage(picture, 0, 0);
};
${given.world === "" ? "" : 'picture.src = "world.png";'}
panels.update(${readFileSync(sections, "utf8")});
${given.then}
console.log("sent " + JSON.stringify(sent.filter(({ do: what }) => what !== "font")));
`;
const policy = "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file:";
writeFileSync(join(folder, "entry.js"), entry);
execFileSync("esbuild", [join(folder, "entry.js"), "--bundle", "--format=iife", "--target=es2020", '--define:ASSETS="/"', `--outfile=${join(folder, "page.js")}`, "--log-level=warning"], { stdio: "inherit" });
copyFileSync(join(root, "web/style.css"), join(folder, "style.css"));
if (given.world !== "") {
    copyFileSync(given.world, join(folder, "world.png"));
}
writeFileSync(join(folder, "index.html"), readFileSync(join(root, "web/index.html"), "utf8")
    .replace(/\/assets\//g, "").replace('<meta charset="utf-8">', `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace(/<link rel="(icon|preload)"[^>]*>/g, ""));

const browser = spawn("chromium", ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--enable-logging=stderr", "--v=0",
    `--user-data-dir=${join(folder, "profile")}`, `--window-size=${width},${height}`, `--force-device-scale-factor=${given.ratio}`,
    `--screenshot=${resolve(out)}`, "--virtual-time-budget=2000", `file://${join(folder, "index.html")}`], { stdio: ["ignore", "ignore", "pipe"] });
const limit = setTimeout(() => browser.kill(), 60000);
let log = "";
browser.stderr.on("data", (bytes) => (log += bytes));
browser.on("exit", (code) => {
    clearTimeout(limit);
    rmSync(folder, { recursive: true, force: true });
    for (const line of log.split("\n").filter((words) => words.includes("CONSOLE"))) {
        console.log(line.replace(/^.*?CONSOLE[^"]*/, ""));
    }
    process.exit(code ?? 1);
});
