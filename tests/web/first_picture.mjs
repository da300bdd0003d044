// How long a first visit waits until the world moves: Chromium with a processor four times as slow and a line of 10 Mbit/s and 40 ms.
//
//     node first_picture.mjs GALLERY [GALLERY...]       the folders of ./dev gallery, by turns; ms, the least and the median of some visits

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";

import { withBrowser } from "./browser.mjs";
import { runTest, until } from "./support.mjs";

const GALLERIES = process.argv.slice(2).map((path) => resolve(path)), VISITS = 5, SLOWER = 4;
const LINE = { offline: false, latency: 40, downloadThroughput: 10e6 / 8, uploadThroughput: 10e6 / 8 };
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".json": "application/json", ".wasm": "application/wasm", ".css": "text/css", ".svg": "image/svg+xml" };

// As web servers send files: compressed.
async function serve(folder) {
  const kept = new Map();
  const server = createServer(({ url }, answer) => {
    const path = join(folder, new URL(url, "http://here").pathname);
    if (!kept.has(path) && existsSync(path)) kept.set(path, gzipSync(readFileSync(path), { level: 9 }));
    const bytes = kept.get(path);
    if (bytes === undefined) return answer.writeHead(404).end();
    return answer.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream", "Content-Encoding": "gzip", "Content-Length": bytes.length }).end(bytes);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${server.address().port}/world.html#scenario=flock`, close: () => server.close() };
}

// In a browser of its own: nothing is kept from an earlier visit.
async function visit(address) {
  return withBrowser("chromium", async ({ newPage }) => {
    const page = await newPage("about:blank"), session = await page.createCDPSession();
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", LINE);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    const start = performance.now();
    await page.goto(address, { waitUntil: "commit" }).catch(() => page.goto(address));
    await until("the world moves", () => page.evaluate(() => {
      const tick = document.querySelector(".item.numbers .value")?.textContent.replace(/\D/g, "") || 0;
      return Number(tick) > 0 && document.querySelector("#loading").hidden;
    }), undefined, 10);
    return performance.now() - start;
  });
}

await runTest(async () => {
  const times = GALLERIES.map(() => []);
  const servers = await Promise.all(GALLERIES.map(serve));
  for (let turn = 0; turn < VISITS; turn++) for (const [i, { address }] of servers.entries()) times[i].push(await visit(address));
  servers.forEach((server) => server.close());
  for (const [i, folder] of GALLERIES.entries()) {
    const sorted = times[i].sort((a, b) => a - b).map(Math.round);
    console.log(`${folder}: ${sorted[0]} ms, median ${sorted[VISITS >> 1]}`);
  }
});
