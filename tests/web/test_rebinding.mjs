// DNS rebinding: a page of another site whose name points here by the time it asks. Its origin has the name and the port of a door.
//
//     node test_rebinding.mjs chromium|firefox

import { createServer } from "node:http";

import { withBrowser } from "./browser.mjs";
import { Client, freePort, startServer, stopServer } from "./drover.mjs";
import { check, runTest, step, within } from "./support.mjs";

const [engine] = process.argv.slice(2);
const NAME = "evil.test";
const LINES = '{"op":"pause"}\n{"op":"load","scenario":"flock"}\n'.repeat(20);

// A page that was loaded from NAME before a server took its port. door: "web" or "port".
async function withPage(newPage, door, test) {
  const port = await freePort();
  const site = createServer((_, answer) => answer.writeHead(200, { "content-type": "text/html", connection: "close" }).end("<title>site</title>"));
  await new Promise((done) => site.listen(port, "127.0.0.1", done));
  const page = await newPage(`http://${NAME}:${port}/`);
  check((await page.title()) === "site", "the other site is there");
  site.closeAllConnections();
  await new Promise((done) => site.close(done));
  const server = await startServer(["seek"], { [door]: port });
  try {
    await test(page, server);
  } finally {
    await page.close();
    await stopServer(server);
  }
}

await runTest(() =>
  withBrowser(engine, async ({ newPage }) => {
    await withPage(newPage, "web", async (page) => {
      const found = await within("the door's answers", page.evaluate(async () => {
        const statuses = [];
        for (const path of ["/", "/metrics", "/protocol.schema.json"]) statuses.push((await fetch(path)).status);
        const socket = await new Promise((done) => {
          const one = new WebSocket(`ws://${location.host}/ws`, "drover.v1");
          one.onopen = () => done("open");
          one.onerror = () => done("refused");
        });
        return `${statuses} ${socket}`;
      }));
      step(`the door for browsers: ${found}`);
      check(found === "421,421,421 refused", "a name of another site is misdirected");
    });
    await withPage(newPage, "port", async (page, server) => {
      const answers = await within("the port's answers", page.evaluate(async (body) => {
        const all = [];
        for (const method of ["POST", "PUT", "patch", "FOO"]) {
          const asked = { method, body: new Blob([body]), referrerPolicy: "no-referrer" };
          all.push(`${method}: ${await fetch("/", asked).then(async (answer) => `${answer.status} ${(await answer.text()).slice(0, 40)}`, (error) => error.message)}`);
        }
        return all;
      }, LINES));
      for (const answer of answers) step(`  ${answer}`);
      const client = await Client.connect(server.port), stats = await client.stats();
      client.close();
      check(!stats.paused && client.hello.scenario.name === "seek", () => `lines of the page took effect: ${JSON.stringify(stats)}`);
      check(!/change \d/.test(server.started.stderr), () => server.started.stderr);
    });
  }, { here: NAME }));
