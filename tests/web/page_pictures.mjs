// Pictures of page.wasm in node and of drover-viewer, of the same worlds with the same options: equal byte for byte.
//
//     node page_pictures.mjs page.wasm drover-server drover-viewer [SCENARIO ...]
//
// Without names: a few scenarios, with DROVER_SLOW=1 all but the largest, with DROVER_FULL=1 as well all. The panels are left out (--bare): the page's are HTML. Between them the
// pictures have every layer: arrows, rings, trails, heat, grids.

import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

import { Client } from "./drover.mjs";
import { Page, WISH } from "./page_host.mjs";
import { readPng } from "./png.mjs";
import { check, endProgram, IS_FULL, IS_SLOW, makeFolder, PATIENCE_MS, removeFolder, ROOT, runTest, sleep, startProgram, step, until } from "./support.mjs";

const [MODULE, SERVER, VIEWER] = process.argv.slice(2, 5).map((path) => resolve(path));
const NAMED = process.argv.slice(5);
const [WIDTH, HEIGHT] = [480, 300];
const FRAMES = 40; // until the replies about parameters, forces and densities are there
const CUT = ["seek", "capture_the_flag", "hunters_and_prey", "flock", "murmuration_10k"];
const TICKS = { seek: 50, capture_the_flag: 240, hunters_and_prey: 160, flock: 400, murmuration_10k: 4, murmuration_100k: 1, million: 0, throng: 1, great_hunt: 4 };
const LARGEST = ["murmuration_100k", "million", "throng"];
const FLAGS = {
  seek: ["--forces"],
  capture_the_flag: ["--palette=classic"],
  hunters_and_prey: ["--select=2", "--overlays=velocity,steering,behaviors,radii,grid"],
  flock: ["--select=50", "--overlays=velocity,steering,radii,neighbors,places"],
  murmuration_100k: ["--own-view"],
  million: ["--own-view"],
  throng: ["--own-view"],
  great_hunt: ["--own-view"],
};

async function native(port, options, path) {
  const viewer = startProgram(VIEWER, [`127.0.0.1:${port}`, ...options, `--size=${WIDTH}x${HEIGHT}`, `--screenshot=${path}`],
                              { env: { ...process.env, HOME: path, SDL_VIDEODRIVER: "dummy" } });
  const { code } = await viewer.over;
  await endProgram(viewer);
  check(code === 0, () => `drover-viewer: ${viewer.stderr}`);
  return readPng(readFileSync(path));
}

async function paged(port, options) {
  const page = new Page(MODULE, { width: WIDTH, height: HEIGHT, options: [...options, "--screenshot=picture.png"] });
  await until("the page has drawn its frames", () => (page.frame(port) & WISH.ENDED) !== 0, PATIENCE_MS, 16);
  check(page.failure() === "" && page.saved.length === 1, () => `a picture: ${page.failure()}`);
  page.close();
  return page.saved[0];
}

function compare(name, png, picture) {
  check(png.width === picture.width && png.height === picture.height, `${name}: sizes`);
  const { data, channels } = png;
  let wrong = 0;
  picture.pixels.forEach((pixel, i) => {
    const [r, g, b] = data.subarray(channels * i, channels * i + 3);
    wrong += pixel !== ((0xff000000 | (r << 16) | (g << 8) | b) >>> 0) ? 1 : 0;
  });
  const colors = new Set(picture.pixels).size;
  console.log(`${name}: ${wrong === 0 ? "equal" : `${wrong} pixels differ`}, ${colors} colors`);
  check(colors > 10, `${name}: nothing is drawn`);
  return wrong === 0;
}

async function test(name, folder) {
  const server = startProgram(SERVER, ["--port", "0", "--paused", "--log", "error", "--scenarios", join(ROOT, "scenarios"), name], { cwd: ROOT });
  try {
    const port = Number((await until(`${name} listens`, () => /listening on \S+:(\d+)/.exec(server.stdout)))[1]);
    const client = await Client.connect(port);
    const ticks = TICKS[name] ?? 150;
    if (ticks > 0) await client.request("step", { count: ticks });
    client.close();
    await sleep(50);
    const options = ["--headless", "--bare", "--fixed-dt=16", `--frames=${FRAMES}`, ...(FLAGS[name] ?? [])];
    return compare(name, await native(port, options, join(folder, `${name}.png`)), await paged(port, options));
  } finally {
    await endProgram(server, PATIENCE_MS);
  }
}

await runTest(async () => {
  const all = readdirSync(join(ROOT, "scenarios")).filter((file) => file.endsWith(".json")).map((file) => basename(file, ".json"));
  const names = NAMED.length > 0 ? NAMED : IS_FULL && IS_SLOW ? all : IS_SLOW ? all.filter((name) => !LARGEST.includes(name)) : CUT;
  const folder = makeFolder("page-pictures");
  step(`${names.length} scenarios`);
  const wrong = [];
  for (const name of names) {
    if (!(await test(name, folder))) wrong.push(name);
  }
  removeFolder(folder);
  check(wrong.length === 0, `pictures that differ: ${wrong.join(", ")}`);
});
