// Static seconds in the page: a web server hands out page and seconds, and knows nothing of worlds.
//
//     node test_seconds.mjs chromium|firefox

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join } from "node:path";

import { withBrowser } from "./browser.mjs";
import { killServer, needPage, startServer, withClient } from "./drover.mjs";
import { Visit } from "./drover_page.mjs";
import { check, endProgram, makeFolder, removeFolder, runTest, step } from "./support.mjs";

const [engine] = process.argv.slice(2);
const SMALL = { width: 800, height: 500, ratio: 1 };

// The seconds under /live/, the page as the server has it; nothing else, no WebSocket.
async function startSite(server, folder) {
  const site = createServer(async (request, response) => {
    try {
      const path = new URL(request.url, "http://site").pathname;
      if (path.startsWith("/live/")) {
        const body = await readFile(join(folder, basename(path)));
        response.writeHead(200, { "Cache-Control": path.endsWith("index.json") ? "max-age=1" : "max-age=31536000, immutable" });
        response.end(body);
        return;
      }
      const answer = await fetch(server.address + path);
      const head = Object.fromEntries(["content-type", "content-security-policy"].map((name) => [name, answer.headers.get(name) ?? ""]));
      response.writeHead(answer.status, head);
      response.end(Buffer.from(await answer.arrayBuffer()));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => site.listen(0, "127.0.0.1", done));
  return { site, address: `http://127.0.0.1:${site.address().port}` };
}

// The timeline reaches as far as the index, goes there, and comes back by its button.
async function goesBack(visit) {
  await visit.until("some seconds in the index", async () => -parseInt(await visit.text(".timeline .back"), 10) > 6);
  const before = await visit.tick();
  await visit.page.evaluate(() => {
    const track = document.querySelector(".past-line input.track");
    track.value = track.min;
    for (const type of ["input", "change"]) track.dispatchEvent(new Event(type));
  });
  await visit.until("an earlier moment", async () => (await visit.tick()) < before - 60);
  await visit.until("how long ago that is", async () => /^-\d/.test(await visit.text(".timeline .back")));
  await visit.page.evaluate(() => document.querySelector(".timeline button.live").click());
  await visit.until("now again", async () => (await visit.tick()) > before);
  step(`  back from tick ${before}, and live again`);
}

await runTest(async () => {
  await withBrowser(engine, async ({ newPage }) => {
    const folder = makeFolder("seconds");
    const server = await startServer(["--seconds", folder, "seek"]);
    needPage(server);
    const { site, address } = await startSite(server, folder);
    try {
      const visit = await Visit.open(newPage, { ...server, address }, { hash: "?seconds=live/index.json#panel=on", ...SMALL });
      await visit.until("how far it is behind", async () => / \d\.\d s behind$/.test(await visit.text(".bar .state")));
      const words = await visit.text(".bar .state"), behind = Number(/([\d.]+) s behind/.exec(words)[1]);
      check(behind > 1.0 && behind < 30, `the page is ${behind} s behind, and a second has to end before it can be had`);
      step(`  ${words}`);
      await withClient(server, async (client) => {
        const { tick } = await client.stats();
        await visit.until("a later moment", async () => (await visit.tick()) > tick);
        check((await client.stats()).sessions.web === undefined || (await client.stats()).sessions.subscribed === 1, "the page has a session");
        await goesBack(visit);
        await client.request("load", { scenario: "wander" });
        await visit.until("the other world", async () => (await visit.text(".bar .title")) === "Wander");
        await client.request("pause");
        await visit.until("that it is paused", async () => (await visit.text(".bar .state")).startsWith("paused"));
        await client.request("resume");
        await visit.until("that it runs", async () => (await visit.text(".bar .state")).startsWith("running"));
      });
      await visit.expectWell();
      await killServer(server);
      await visit.until("that no second comes", async () => (await visit.text(".banner")).includes("no new second"));
      await visit.page.close();
    } finally {
      await endProgram(server.started);
      site.closeAllConnections();
      site.close();
      removeFolder(folder);
    }
  });
});
