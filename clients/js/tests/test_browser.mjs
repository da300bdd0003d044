// The package in a page, over a WebSocket that is cut once, and over a Worker.
//
//     node test_browser.mjs chromium|firefox

import { connect as connectSocket, createServer } from "node:net";

import { runInPage } from "../../../tests/web/browser.mjs";
import { check, PACKAGE, runTest, same, step, withServer } from "./support.mjs";

const engine = process.argv[2];
const WORKER = `postMessage('{"op":"hello","protocol":1,"server":"mine","session":1,"role":"admin","scenario":{"name":"mine"}}');
onmessage = ({ data }) => postMessage(JSON.stringify({ op: "reply", to: "ping", id: JSON.parse(data).id, tick: 7 }));`;

// A port that passes bytes on, until they are cut.
async function cuttable(port) {
  const open = new Set();
  const server = createServer((from) => {
    const to = connectSocket(port, "127.0.0.1");
    for (const one of [from, to]) {
      open.add(one);
      one.on("error", () => {}).on("close", () => (open.delete(one), from.destroy(), to.destroy()));
    }
    from.pipe(to).pipe(from);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { port: server.address().port, cut: () => open.forEach((one) => one.destroy()), close: () => server.close() };
}

await runTest(async () => {
  await withServer(["boids", "--seed", "5", "--paused"], async ({ web }) => {
    const link = await cuttable(web);
    const files = { "/in_browser.mjs": new URL("in_browser.mjs", import.meta.url).pathname, "/client/": `${PACKAGE}/dist`, "/worker.js": Buffer.from(WORKER), "/gallery/": process.env.DROVER_GALLERY };
    const seen = await runInPage(engine, {
      module: "/in_browser.mjs", files, asked: { cut: "cut" }, socketsTo: link.port, onSay: (word) => (word === "cut" ? link.cut() : step(word)),
    });
    same([seen.role, seen.isSame, seen.links, seen.worker], ["admin", true, [false, true], ["mine", 7]]);
    check(/^[0-9a-f]{16}$/.test(seen.hash) && seen.ticks.every((tick, i) => i === 0 || tick > seen.ticks[i - 1]), () => JSON.stringify(seen));
    same(seen.own, [60, seen.hash], "the server in the page");
    link.cut();
    link.close();
  });
});
