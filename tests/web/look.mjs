// Pictures to look at: the page on a laptop, a phone and a 4K screen, beside the window with the same world.
//
//     DROVER_SERVER=... DROVER_VIEWER=... node look.mjs FOLDER [SCENARIO...]

import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { withBrowser } from "./browser.mjs";
import { needPage, programPath, withClient, withServer } from "./drover.mjs";
import { check, endProgram, runTest, sleep, startProgram, step } from "./support.mjs";

const [folder, ...scenarios] = process.argv.slice(2);
const SCREENS = {
  laptop: { width: 1366, height: 768, ratio: 1 },
  phone: { width: 390, height: 844, ratio: 3, touch: true },
  "4k": { width: 3840, height: 2160, ratio: 1 },
};

async function takeWindow(server, name, { width, height, ratio }) {
  const [w, h] = [width * ratio, height * ratio];
  const program = programPath("DROVER_VIEWER", "drover-viewer");
  const viewer = startProgram(program, [`127.0.0.1:${server.port}`, "--headless", "--size", `${w}x${h}`, "--frames", "30", "--screenshot", join(folder, name)]);
  const { code } = await viewer.over;
  await endProgram(viewer);
  check(code === 0, () => `the viewer ended with ${code}: ${viewer.stderr}`);
}

async function takePage(engine, server, name, view) {
  await withBrowser(engine, async ({ newPage }) => {
    const page = await newPage(server.address, view);
    await sleep(4000);
    await page.screenshot({ path: join(folder, name) });
    for (const error of page.errors) console.log(`  ${name}: ${error}`);
  });
}

await runTest(async () => {
  mkdirSync(folder, { recursive: true });
  for (const scenario of scenarios.length > 0 ? scenarios : ["flock", "hunters_and_prey"]) {
    await withServer([scenario, "--paused"], async (server) => {
      needPage(server);
      await withClient(server, (client) => client.request("step", { count: 240 }));
      for (const [screen, view] of Object.entries(SCREENS)) {
        step(`${scenario}, ${screen}`);
        await takePage("chromium", server, `${scenario}-${screen}-chromium.png`, view);
        if (screen === "laptop") await takePage("firefox", server, `${scenario}-${screen}-firefox.png`, view);
        await takeWindow(server, `${scenario}-${screen}-window.png`, view);
      }
    });
  }
});
