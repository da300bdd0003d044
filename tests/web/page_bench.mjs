// What a picture of the page costs the processor, and what a frame of the server costs to decode.
//
//     DROVER_SERVER=drover-server node page_bench.mjs page.wasm [SCENARIO ...]
//
// node: ms of the processor, medians; page_frame alone, crowds as triangles ("mesh") and as rows that the card moves ("crowd"): pictures between two snapshots, and
// those with new rows; decode: a line of the socket. Chromium, where puppeteer is installed: page_frame and the calls of WebGL, means of wall time;
// without a graphics card, so few pictures are drawn a second, and almost every one has new rows.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { ENGINES, withBrowser } from "./browser.mjs";
import { programPath, withServer } from "./drover.mjs";
import { Visit } from "./drover_page.mjs";
import { HAS_CARD, Page, TAKES_CROWD, WISH } from "./page_host.mjs";
import { check, ROOT, sleep, until } from "./support.mjs";

const [file, ...named] = process.argv.slice(2);
const MODULE = resolve(file);
const SCENARIOS = named.length > 0 ? named : ["pedestrians", "murmuration_10k", "murmuration_100k"];
const [WARM_MS, MEASURED_MS, FRAME_MS, LONG_LINE] = [3000, 6000, 16, 2000];
const KEY_HEAT = 104;
const ROWS_VERSION = 2; // of struct page_crowd

const median = (numbers) => (numbers.length === 0 ? NaN : [...numbers].sort((a, b) => a - b)[numbers.length >> 1]);
const processorMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const show = (number) => (Number.isNaN(number) ? "-" : number.toFixed(2)).padStart(8);

// Adds how long each call takes.
function timed(call, times) {
  return (...words) => {
    const start = processorMs(), value = call(...words);
    times.push(processorMs() - start);
    return value;
  };
}

async function inNode(server, flags) {
  const page = new Page(MODULE, { flags, options: ["--panel=off", "--own-view"] });
  const lines = [], kept = [], renewed = [];
  const take = page.line.bind(page);
  page.line = (bytes) => (bytes.length > LONG_LINE ? timed(take, lines)(bytes) : take(bytes));
  await until("a mesh", () => (page.frame(server.port) & WISH.MESH) !== 0 && page.sections.bar !== undefined, undefined, FRAME_MS);
  page.key(KEY_HEAT);
  page.key(KEY_HEAT);
  const start = performance.now();
  let version = 0;
  while (performance.now() - start < WARM_MS + MEASURED_MS) {
    const before = performance.now(), used = processorMs(), wish = page.frame(server.port), ms = processorMs() - used;
    const crowd = page.exports.page_crowd(), now = crowd !== 0 ? page.words(crowd, 5)[ROWS_VERSION] : 0;
    if (before - start > WARM_MS && (wish & WISH.MESH) !== 0) (now === version ? kept : renewed).push(ms);
    version = now;
    await sleep(Math.max(FRAME_MS - (performance.now() - before), 1));
  }
  page.close();
  return { kept: median(kept), renewed: median(renewed), decode: median(lines.slice(lines.length >> 1)), pictures: kept.length + renewed.length };
}

async function figuresOf(visit) {
  return visit.page.evaluate(async () => {
    delete document.documentElement.dataset.figures;
    document.dispatchEvent(new Event("drover-figures"));
    while (document.documentElement.dataset.figures === undefined) await new Promise((done) => setTimeout(done, 5));
    return JSON.parse(document.documentElement.dataset.figures);
  });
}

async function inChromium(newPage, server, renderer) {
  const visit = await Visit.open(newPage, server, { hash: `#renderer=${renderer}&panel=off`, width: 1280, height: 800 });
  await visit.focusWorld();
  await visit.key("h");
  await visit.key("h");
  await sleep(WARM_MS);
  const before = await figuresOf(visit);
  await sleep(MEASURED_MS);
  const after = await figuresOf(visit);
  await visit.page.evaluate(() => localStorage.clear());
  await visit.page.close();
  const less = (name) => after[name] - before[name];
  return { frame: less("frame_ms") / less("frames"), draw: less("draw_ms") / less("frames"), decode: less("message_ms") / less("messages"),
           pictures: less("frames"), rows: less("rows") };
}

process.env.DROVER_SERVER = resolve(programPath("DROVER_SERVER", "drover-server"));
check(existsSync(MODULE), `no ${MODULE}`);
console.log("node, ms                   frame  new rows    decode  pictures");
for (const name of SCENARIOS) {
  for (const [way, flags] of [["mesh", HAS_CARD], ["crowd", HAS_CARD | TAKES_CROWD]]) {
    await withServer([name], async (server) => {
      const { kept, renewed, decode, pictures } = await inNode(server, flags);
      console.log(name.padEnd(17), way.padEnd(5), show(kept), show(renewed).padStart(9), show(decode).padStart(9), String(pictures).padStart(9));
    });
  }
}
const modules = process.env.DROVER_NODE_MODULES ?? join(ROOT, "build/web-tests/node_modules");
if (existsSync(join(modules, "puppeteer-core")) && existsSync(ENGINES.chromium.program)) {
  console.log("\nChromium without a card, ms   frame     calls    decode  pictures  new rows");
  await withBrowser("chromium", async ({ newPage }) => {
    for (const name of SCENARIOS) {
      for (const renderer of ["mesh", "card"]) {
        await withServer([name], async (server) => {
          const { frame, draw, decode, pictures, rows } = await inChromium(newPage, server, renderer);
          console.log(name.padEnd(17), renderer.padEnd(8), show(frame), show(draw).padStart(9), show(decode).padStart(9),
                      String(pictures).padStart(9), String(rows).padStart(9));
        });
      }
    }
  });
} else {
  console.log("Chromium: puppeteer-core or Chromium is not installed");
}
process.exit(0);
