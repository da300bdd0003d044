// A crowd that the graphics card moves by itself, and the same one as triangles: one picture of a paused world; and while the world
// runs, rows go to the card with snapshots, not with pictures.
//
//     node test_crowd.mjs chromium [SCENARIO ...]
//
// DROVER_PICTURES=FOLDER keeps the pictures.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { withBrowser } from "./browser.mjs";
import { needPage, withClient, withServer } from "./drover.mjs";
import { Visit } from "./drover_page.mjs";
import { difference, readPng } from "./png.mjs";
import { check, runTest, sleep, step } from "./support.mjs";

const [engine, ...named] = process.argv.slice(2);
const KEPT = process.env.DROVER_PICTURES;

async function figures(visit) {
  return visit.page.evaluate(async () => {
    delete document.documentElement.dataset.figures;
    document.dispatchEvent(new Event("drover-figures"));
    while (document.documentElement.dataset.figures === undefined) await new Promise((done) => setTimeout(done, 5));
    return JSON.parse(document.documentElement.dataset.figures);
  });
}

// Without the panels.
async function pictureOf(visit, name) {
  await visit.page.evaluate(() => (document.getElementById("panels").style.visibility = "hidden"));
  const bytes = await visit.page.screenshot({ type: "png" });
  if (KEPT) writeFileSync(join(KEPT, `${name}.png`), bytes);
  return readPng(bytes);
}

// As agents, not as heat; the picture has come to rest. Waits for figures that are as is() wants them.
async function asAgents(visit, words, is) {
  await visit.focusWorld();
  await visit.key("h");
  await visit.key("h");
  await visit.until(words, async () => is(await figures(visit)));
  await sleep(1500);
  await visit.expectWell();
}

async function open(newPage, server, renderer) {
  return Visit.open(newPage, server, { hash: `#renderer=${renderer}&panel=off`, width: 800, height: 560 });
}

// The next visit begins with the settings of a first one.
async function leave(visit) {
  await visit.page.evaluate(() => localStorage.clear());
  await visit.page.close();
}

async function comparePictures(newPage, server, name) {
  const pictures = {};
  for (const renderer of ["card", "mesh"]) {
    const visit = await open(newPage, server, renderer);
    await asAgents(visit, `pictures of ${renderer}`, ({ frames, crowds }) => frames > 3 && (crowds > 0 || renderer === "mesh"));
    const { crowds } = await figures(visit);
    check((crowds > 0) === (renderer === "card"), `${renderer}: ${crowds} pictures with rows`);
    pictures[renderer] = await pictureOf(visit, `${name}-${renderer}`);
    await leave(visit);
  }
  const share = difference(pictures.card, pictures.mesh), colors = new Set(pictures.card.data).size;
  console.log(`${name}: ${(100 * share).toFixed(3)} % of the pixels differ`);
  check(colors > 30, `${name}: nothing is drawn`);
  check(share < 0.01, `${name}: the pictures differ`);
}

// While the world runs.
async function compareRunning(newPage, server, client, name) {
  const visit = await open(newPage, server, "card");
  await asAgents(visit, "rows", ({ crowds }) => crowds > 0);
  await client.request("resume");
  const before = await figures(visit);
  await visit.until("ten pictures and three snapshots more", async () => {
    const now = await figures(visit);
    return now.crowds > before.crowds + 10 && now.messages > before.messages + 3;
  });
  const now = await figures(visit);
  const [pictures, rows, messages] = [now.crowds - before.crowds, now.rows - before.rows, now.messages - before.messages];
  console.log(`${name}: ${pictures} pictures, ${messages} messages, rows changed ${rows} times`);
  check(rows > 0, "rows change while the world runs");
  check(rows <= 3 * messages + 3, "rows change with snapshots alone"); // a snapshot begins a stretch, ends one, and may come late
  await visit.expectWell();
  await pictureOf(visit, `${name}-running`);
  await leave(visit);
}

await runTest(async () => {
  if (KEPT) mkdirSync(KEPT, { recursive: true });
  await withBrowser(engine, async ({ newPage }) => {
    for (const name of named.length > 0 ? named : ["murmuration_10k"]) {
      step(name);
      await withServer([name, "--paused"], async (server) => {
        needPage(server);
        await withClient(server, async (client) => {
          await client.request("step", { count: 60 });
          await comparePictures(newPage, server, name);
          if (named.length === 0) await compareRunning(newPage, server, client, name); // software graphics cannot follow larger ones
        });
      });
    }
  });
});
