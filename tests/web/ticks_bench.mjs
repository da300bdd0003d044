// How many ticks of the scenario flock a second of the processor does, with more and more agents in as much room for each: natively with one
// thread, and in a page's own server in Node.js, Chromium and Firefox.
//
//     DROVER_SERVER=drover-server node ticks_bench.mjs GALLERY PACKAGE [COUNT...]
//
// GALLERY: the folder of ./dev gallery; PACKAGE: @drover/client. Counted is the time of all threads of the server's process, or of the browser's
// processes, so that a busy machine changes it little.

import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { ENGINES, withBrowser } from "./browser.mjs";
import { withServer } from "./drover.mjs";
import { startPageServer } from "./page_server.mjs";
import { makeFolder, removeFolder, ROOT, runTest } from "./support.mjs";

const [GALLERY, PACKAGE] = process.argv.slice(2, 4).map((path) => resolve(path));
const COUNTS = process.argv.length > 4 ? process.argv.slice(4).map(Number) : [1000, 10_000, 20_000, 100_000];
const ROUND_MS = 300, ROUNDS = 2, MS_PER_CLOCK_TICK = 10;

// The flock of the catalog, with so many birds.
function textOf(count) {
  const scenario = JSON.parse(readFileSync(join(ROOT, "scenarios/flock.json"), "utf8")), [birds] = scenario.agents;
  const scale = Math.sqrt(count / birds.count), size = scenario.world.size.map((length) => Math.round(length * scale));
  scenario.world.size = size;
  scenario.agents = [{ ...birds, count, in: { rect: [0, 0, ...size] } }];
  scenario.warmup = 0;
  return JSON.stringify({ ...scenario, name: "grown" });
}

// Time of the processor of a process and all below it, ms.
function processorMs(root) {
  const parents = new Map(), times = new Map();
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
      parents.set(Number(name), Number(fields[1]));
      times.set(Number(name), (Number(fields[11]) + Number(fields[12])) * MS_PER_CLOCK_TICK);
    } catch {
      // it has ended
    }
  }
  const isBelow = (id) => id === root || (parents.has(id) && id > 1 && isBelow(parents.get(id)));
  return [...times].reduce((sum, [id, ms]) => sum + (isBelow(id) ? ms : 0), 0);
}

// Ticks a second: the best of some rounds, after the engine has compiled what is hot.
async function ticksASecond(step, root) {
  let best = 0, count = 8;
  await step(20);
  for (let round = 0; round < ROUNDS + 1; round++) {
    const start = processorMs(root);
    let done = 0;
    for (; processorMs(root) - start < ROUND_MS; done += count) await step(count);
    const rate = (1000 * done) / (processorMs(root) - start);
    best = round === 0 ? 0 : Math.max(best, rate); // the first one: see above
    count = Math.max(2, Math.round(rate / 4));
  }
  return best;
}

const steps = (world) => (count) => world.step(count, {}, { timeoutMs: Infinity });

async function native({ connect }, folder) {
  return withServer([join(folder, "grown.json"), "--paused", "--threads", "1"], async ({ port, started }) => {
    const world = await connect(`tcp://127.0.0.1:${port}`), rate = await ticksASecond(steps(world), started.pid);
    await world.close();
    return rate;
  });
}

async function inNode({ connect, useGallery }, folder) {
  useGallery(folder);
  const world = await connect("wasm:grown?paused"), rate = await ticksASecond(steps(world), process.pid);
  await world.close();
  return rate;
}

async function inBrowser(engine, folder) {
  const script = 'import { connect, useGallery } from "/client/index.js";\nuseGallery("/gallery");\nwindow.world = connect("wasm:grown?paused");';
  const files = { "/gallery/": folder, "/client/": join(PACKAGE, "dist"), "/page.mjs": Buffer.from(script),
    "/page.html": Buffer.from('<!doctype html><title>-</title><script type="module" src="/page.mjs"></script>') };
  const server = await startPageServer(files, () => {});
  try {
    return await withBrowser(engine, async ({ browser, newPage }) => {
      const page = await newPage(`${server.origin}/page.html`);
      await page.waitForFunction(() => window.world !== undefined);
      const step = (count) => page.evaluate(async (n) => void (await (await window.world).step(n, {}, { timeoutMs: Infinity })), count);
      return await ticksASecond(step, browser.process().pid);
    });
  } finally {
    server.close();
  }
}

// The folder of the gallery, as far as the package reads it, with one scenario.
function ownGallery() {
  const folder = makeFolder("ticks"), names = JSON.parse(readFileSync(join(GALLERY, "server.json"), "utf8"));
  for (const name of ["server.json", ...Object.values(names)]) copyFileSync(join(GALLERY, name), join(folder, name));
  return folder;
}

await runTest(async () => {
  const client = await import(pathToFileURL(join(PACKAGE, "dist/node.js"))), folder = ownGallery();
  const engines = Object.keys(ENGINES).filter((engine) => existsSync(ENGINES[engine].program));
  console.log(`load of the machine: ${readFileSync("/proc/loadavg", "utf8").split(" ").slice(0, 2).join(" ")}`);
  console.log(`ticks a second of the processor\n| agents | native, one thread | node | ${engines.join(" | ")} |`);
  for (const count of COUNTS) {
    const text = textOf(count);
    writeFileSync(join(folder, "grown.json"), text);
    writeFileSync(join(folder, "scenarios.json"), JSON.stringify({ grown: text }));
    const rates = [await native(client, folder), await inNode(client, folder)];
    for (const engine of engines) rates.push(await inBrowser(engine, folder));
    console.log(`| ${count} | ${rates.map((rate) => rate.toPrecision(3)).join(" | ")} |`);
  }
  removeFolder(folder);
});
