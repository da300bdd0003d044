// The page with its server inside, in a browser: from nothing to a moving world, files, links, a hidden tab.
//
//     node test_world.mjs ENGINE GALLERY [start hidden share files links flat]

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { withBrowser } from "./browser.mjs";
import { startPageServer } from "./page_server.mjs";
import { check, IS_SLOW, makeFolder, runTest, sleep, step, until } from "./support.mjs";

const [engine, place, ...wanted] = process.argv.slice(2), gallery = resolve(place);

const HIDDEN_MS = 16000; // half of it is for pictures that come late: a page that begins shows an old tick for seconds

const tickOf = (page) => page.evaluate(() => Number(document.querySelector(".item.numbers .value")?.textContent.replace(/\D/g, "") || 0));
const status = (page) => page.evaluate(() => document.querySelector(".share [role=status]").textContent);
const failure = (page) => page.evaluate(() => document.querySelector("#failure").textContent);
const press = (page, words) => page.evaluate((text) => [...document.querySelectorAll("button")].find((one) => one.textContent.startsWith(text)).click(), words);
const moves = async (page, from = 0) => until(`the world moves on from tick ${from}`, () => tickOf(page).then((tick) => tick > from + 20, () => false)); // false: the page loads again

async function start({ open }) {
  step("the world moves, and lists the others");
  const began = performance.now(), page = await open("scenario=hunters_and_prey&seed=5");
  await moves(page);
  console.log(`  moving after ${Math.round(performance.now() - began)} ms`);
  check((await page.evaluate(() => document.querySelector(".title").textContent)) === "Hunters and prey", "its title");
  const rows = await until("the list of scenarios", async () => {
    await press(page, "Scenarios"); // before the page knows its actions a button does nothing
    await sleep(1000);
    const count = await page.evaluate(() => document.querySelectorAll("[role=option]").length);
    return count > 40 && count;
  });
  console.log(`  ${rows} scenarios`);
  return page;
}

async function hidden({ open, browser }) {
  step("a hidden tab stands still, and goes on without a jump");
  const page = await open("scenario=flock");
  await moves(page);
  await sleep(3000);
  const began = performance.now(), before = await tickOf(page), other = await browser.newPage();
  await other.bringToFront();
  await until("the page is hidden", () => page.evaluate(() => document.hidden));
  await sleep(HIDDEN_MS);
  await page.bringToFront();
  await until("the page is seen", () => page.evaluate(() => !document.hidden));
  await sleep(300);
  const after = await tickOf(page), seenMs = performance.now() - began - HIDDEN_MS;
  check(after - before < 0.06 * (seenMs + HIDDEN_MS / 2), () => `the world stood still: ${before} to ${after}, seen for ${Math.round(seenMs)} ms`);
  await moves(page, after);
  await other.close();
  return page;
}

async function share({ open, browser }) {
  step("a link makes the same world again");
  const page = await open("scenario=hunters_and_prey&seed=5");
  await moves(page);
  await press(page, "Share");
  await press(page, "Copy a link");
  await until("the link", async () => (await status(page)).includes("characters"));
  const link = await page.evaluate(() => document.querySelector(".share input[readonly]").value);
  check(link.length < 400 && /#w=[\w-]+$/.test(link), `a short link: ${link}`);
  const other = await open(link.slice(link.indexOf("#") + 1));
  await moves(other, (await tickOf(page)) > 60 ? 20 : 0);
  check(other.errors.length === 0, () => other.errors.join("\n"));
  await page.bringToFront();
  if (engine === "chromium") {
    step("a clip");
    await press(page, "Record a clip");
    await until("the clip runs", async () => (await status(page)) === "Recording.");
    await sleep(500);
    await press(page, "Stop and save");
    await until("the clip is saved", async () => (await status(page)).startsWith("Saved as"));
  }
  return page;
}

async function files({ open, folder }) {
  step("files become the world; a wrong one changes nothing");
  const page = await open("scenario=flock");
  await moves(page);
  await press(page, "Share");
  const input = await page.$(".share input[type=file]");
  const bad = join(folder, "bad.json"), good = join(folder, "good.json"), play = join(folder, "play.drover");
  writeFileSync(bad, '{"name": "x", "worlds": {}}');
  await input.uploadFile(bad);
  await until("what is wrong with it", async () => (await status(page)).includes("bad.json:1:"));
  await moves(page, await tickOf(page));
  writeFileSync(good, readFileSync(join(gallery, "scenarios/guard.json")));
  await input.uploadFile(good);
  await until("the other world", () => page.evaluate(() => document.querySelector(".title").textContent.includes("uard")));
  await moves(page);
  writeFileSync(play, "nothing");
  await input.uploadFile(play);
  await until("what is wrong with it", async () => (await status(page)).includes("play.drover"));
  writeFileSync(`${play}.zst`, Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x00]));
  await input.uploadFile(`${play}.zst`);
  await until("a compressed one", async () => (await status(page)).includes("zstd -d play.drover.zst"));
  return page;
}

async function links({ open }) {
  step("a hostile link has a sentence, and the page goes on to another world");
  let page = null;
  for (const [fragment, words] of [["w=!!!", "base64"], ["scenario=nosuch", "no scenario"], ["scenario=../x", "names no scenario"], [`w=${"A".repeat(70000)}`, "64 kB"], ["seed=-1", "seed"]]) {
    page = await open(fragment);
    await until(`what is wrong with ${fragment.slice(0, 20)}`, async () => (await failure(page)).includes(words));
  }
  await press(page, "Show another world");
  await moves(page);
  page.errors.length = 0; // the missing scenario's answer 404
  return page;
}

async function flat({ open }) {
  step("the memory stays as it is");
  const page = await open("scenario=flock"), bytes = () => page.evaluate(async () => (await performance.measureUserAgentSpecificMemory?.())?.bytes ?? performance.memory?.usedJSHeapSize ?? 0);
  await moves(page);
  await sleep(5000);
  const before = await bytes();
  await sleep(IS_SLOW ? 60_000 : 10_000);
  const after = await bytes();
  check(after <= before * 1.3 + 4e6, `${before} bytes, later ${after}`);
  return page;
}

// A second of a world with one agent, and a page that embeds it.
const LINES = Array.from({ length: 10 }, (_, i) => JSON.stringify({ op: "snapshot", tick: 70 + i, time: 1 + i / 60, agents: [], targets: [], clock: i * 100 }));
const SCENARIO = { name: "own", title: "Kept", description: "", size: [800, 600], edge: "wrap", seed: 1, tick_hz: 60, kinds: [], targets: [] };
const SECONDS = {
  "index.json": { version: 1, first: 1, latest: 1, layout: "packed", paused: true, speed: 1, clock: 900, written: 1, scenarios: [1] },
  "scenario-1.json": { op: "hello", protocol: 1, server: "static seconds", session: 1, tick: 0, time: 0, paused: false, role: "viewer", scenario: SCENARIO },
};

async function seconds({ newPage, server }) {
  step("<drover-world> plays static seconds, and starts no server for it");
  const page = await newPage(`${server.origin}/embeds.html`, { width: 1280, height: 800 });
  const frame = await until("the world's document", () => page.frames().find((one) => one.url().includes("world.html#seconds=")) ?? false);
  await until("its title", () => frame.evaluate(() => document.querySelector(".title")?.textContent === "Kept"));
  check(!(await frame.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => name.includes("server_worker")))), "it started the server");
  return page;
}

await runTest(async () => {
  const parts = { start, hidden, share, files, links, flat, seconds }, folder = makeFolder("world");
  const server = await startPageServer({ "/scenarios/": join(gallery, "scenarios"), "/previews/": join(gallery, "previews"), "/": gallery,
    "/embeds.html": Buffer.from('<!DOCTYPE html><script src="drover-world.js"></script><drover-world src="live/index.json"></drover-world>'),
    "/live/1.ndjson": Buffer.from(`${LINES.join("\n")}\n`),
    ...Object.fromEntries(Object.entries(SECONDS).map(([name, value]) => [`/live/${name}`, Buffer.from(`${JSON.stringify(value)}\n`)])) }, () => {}, { policy: "" });
  await withBrowser(engine, async ({ browser, newPage }) => {
    const open = (fragment) => newPage(`${server.origin}/world.html#${fragment}`, { width: 1280, height: 800 });
    for (const [name, part] of Object.entries(parts)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      const page = await part({ open, browser, folder, newPage, server });
      check(page.errors.length === 0, () => page.errors.join("\n"));
      await page.close();
    }
  });
  server.close();
});
