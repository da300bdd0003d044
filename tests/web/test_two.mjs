// Chromium, Firefox and the SDL2 viewer with one world: the same tick, the same pixels; a pointer that moves in one is seen in all.
//
//     node test_two.mjs chromium

import { withBrowser } from "./browser.mjs";
import { needPage, withClient, withServer } from "./drover.mjs";
import { nativePicture, settled, Visit, world } from "./drover_page.mjs";
import { difference, middleOf } from "./png.mjs";
import { check, makeFolder, removeFolder, runTest, sleep, step } from "./support.mjs";

const SIZE = { width: 800, height: 600, ratio: 1 };
const TARGET = [0xff, 0x6b, 0x6b]; // viewer/explain/theme.c
const RASTER = { ...SIZE, hash: "#renderer=raster" };
const near = (a, b, most) => Math.hypot(a.x - b.x, a.y - b.y) <= most;

async function expectSame(words, visit, native, folder) {
  const share = await visit.until(words, async () => {
    const found = difference(world(await visit.picture()), world(native), 0);
    visit.share = found;
    return found === 0 ? "equal" : null;
  }, 15_000).catch(() => visit.share);
  step(`  ${words}: ${share === "equal" ? "every pixel is the viewer's" : `${(100 * share).toFixed(3)} % of the pixels differ`}`);
  check(share === "equal", `${words}: another picture than the viewer's (${folder})`);
}

await runTest(() =>
  withServer(["hunters_and_prey", "--paused"], async (server) => {
    needPage(server);
    const folder = makeFolder("two");
    await withClient(server, async (client) => {
      await client.request("step", { count: 240 });
      await withBrowser("chromium", (chromium) =>
        withBrowser("firefox", async (firefox) => {
          const pages = [await Visit.open(chromium.newPage, server, RASTER), await Visit.open(firefox.newPage, server, RASTER)];
          step("the same tick, the same pixels");
          for (const visit of pages) await visit.until("tick 240", async () => (await visit.tick()) === 240);
          await sleep(500);
          const native = await nativePicture(server, SIZE, folder);
          await expectSame("Chromium", pages[0], native, folder);
          await expectSame("Firefox", pages[1], native, folder);

          step("a pointer that moves in one is seen in all");
          for (const [mover, watcher] of [pages, [...pages].reverse()]) {
            const place = mover === pages[0] ? { x: 300, y: 480 } : { x: 560, y: 200 };
            await mover.page.mouse.move(place.x - 4, place.y);
            await mover.page.mouse.move(place.x, place.y);
            await settled(client);
            const isThere = (picture) => { // the other's cursor lies over a part of it
              const box = [place.x - 20, place.y - 20, place.x + 20, place.y + 20];
              const found = middleOf(picture, TARGET, box);
              return found !== null && near(found, place, 6);
            };
            await watcher.until("the target in the other browser", async () => isThere(await watcher.picture()));
            check(isThere(await nativePicture(server, SIZE, folder)), "the target in the viewer");
          }

          step("a running world: ticks no further apart than what is on the way");
          await client.request("resume");
          await sleep(1000);
          await client.request("pause");
          const { tick } = await client.stats();
          for (const visit of pages) {
            await visit.until(`tick ${tick}`, async () => (await visit.tick()) === tick);
            await visit.expectWell();
          }
        }));
    });
    removeFolder(folder);
  }));
