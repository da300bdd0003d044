// Makes the pictures of the page in docs/images: page.png, a laptop with a selected agent, and page-phone.png, a phone.
//
//     node docs/page_pictures.mjs BIN_DIRECTORY    (with node_modules in build/web-tests, as ./dev test makes them)

import { statSync } from "node:fs";
import { join, resolve } from "node:path";

process.env.DROVER_SERVER = join(resolve(process.argv[2]), "drover-server");
const { withBrowser } = await import("../tests/web/browser.mjs");
const { needPage, withClient, withServer } = await import("../tests/web/drover.mjs");
const { Visit } = await import("../tests/web/drover_page.mjs");
const { ROOT, runTest, sleep, step } = await import("../tests/web/support.mjs");

const TICK = 905; // the caption is gone, a hunter pursues
const PICTURES = {
  "page.png": { width: 1280, height: 800, ratio: 1 },
  "page-phone.png": { width: 390, height: 780, ratio: 2, touch: true },
};

async function take(newPage, server, client, name, view) {
  const visit = await Visit.open(newPage, server, { ...view, hash: "#select=1" });
  await visit.until(`tick ${TICK}`, async () => (await client.stats()).tick >= TICK);
  if (view.touch) await (await visit.page.$(".handle")).tap();
  await client.request("pause");
  await sleep(6500); // the picture makes room for what has opened, and the notice of the pause goes
  const path = join(ROOT, "docs/images", name);
  await visit.page.screenshot({ path });
  step(`${name}: ${statSync(path).size} bytes`);
}

await runTest(() =>
  withBrowser("chromium", async ({ newPage }) => {
    for (const [name, view] of Object.entries(PICTURES)) {
      await withServer(["hunters_and_prey"], async (server) => {
        needPage(server);
        await withClient(server, (client) => take(newPage, server, client, name, view));
      });
    }
  }));
