// The page and its server: a tab that is hidden, a server that goes and comes back, tokens, a graphics card that is lost, a visitor
// who prefers less motion.
//
//     node test_link.mjs chromium|firefox [PART ...]

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { withBrowser } from "./browser.mjs";
import { killServer, needPage, startServer, withClient, withServer } from "./drover.mjs";
import { Visit } from "./drover_page.mjs";
import { difference } from "./png.mjs";
import { startSlowLink } from "./slow_link.mjs";
import { check, endProgram, IS_SLOW, makeFolder, PATIENCE_MS, removeFolder, runTest, sleep, step, until } from "./support.mjs";

const [engine, ...asked] = process.argv.slice(2);
const SMALL = { width: 800, height: 500, ratio: 1 }; // what is drawn by the processor costs little
const RECONNECTS = IS_SLOW ? 100 : 5;
const HIDDEN_MS = 5000;
const BACK_MS = 2000; // beyond what the viewer waits between two tries, 5 s at most
const WAIT_MS = 5000;

async function framesSent(client) {
  return (await client.stats()).frames_sent;
}

const PARTS = {
  // No frame is sent to a hidden tab; shown again it goes on at once.
  async hidden({ newPage, browser }) {
    await withServer(["seek"], (server) =>
      withClient(server, async (client) => {
        const visit = await Visit.open(newPage, server, SMALL);
        await until("frames are sent", async () => (await framesSent(client)) > 10);
        const other = await browser.newPage();
        await other.bringToFront();
        const isHidden = await until("the tab is hidden", () => visit.page.evaluate(() => document.hidden), 5000).catch(() => false);
        if (!isHidden) { // a browser without a window tells all its tabs that they are shown
          await visit.page.evaluate(() => {
            Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
            document.dispatchEvent(new Event("visibilitychange"));
          });
        }
        step(`  hidden ${isHidden ? "by another tab" : "by a script"}`);
        await until("the session is not subscribed any more", async () => (await client.stats()).sessions.subscribed === 0);
        const before = await framesSent(client);
        await sleep(HIDDEN_MS);
        const sent = (await framesSent(client)) - before;
        check(sent === 0, `${sent} frames were sent to a hidden tab`);
        const { tick } = await client.stats();
        if (isHidden) await visit.page.bringToFront();
        else {
          await visit.page.evaluate(() => {
            delete document.hidden;
            document.dispatchEvent(new Event("visibilitychange"));
          });
        }
        await visit.until("the world of now", async () => (await visit.tick()) > tick, 10_000);
        await visit.expectWell();
        await other.close();
        await visit.page.close();
      }));
  },

  // The server is killed and comes back at the same address: the page goes on without being loaded again.
  async reconnect({ newPage }) {
    let server = await startServer(["seek"]);
    try {
      const visit = await Visit.open(newPage, server, SMALL);
      await visit.page.evaluate(() => (window.wasLoadedOnce = true));
      let worst = 0;
      for (let i = 1; i <= RECONNECTS; i++) {
        await killServer(server);
        await visit.until("the banner says that the server is gone", () => visit.text(".banner h2"));
        server = await startServer(["seek"], server);
        const start = performance.now();
        await visit.until("the world again", async () => (await visit.text(".banner h2")) === "" && (await visit.runs()), WAIT_MS + BACK_MS + 20_000);
        const took = performance.now() - start;
        worst = Math.max(worst, took);
        check(took < WAIT_MS + BACK_MS + 3000, `the page was back after ${Math.round(took)} ms`); // busy machines
        const tick = await visit.tick();
        await visit.until("it moves", async () => (await visit.tick()) > tick);
      }
      check(await visit.page.evaluate(() => window.wasLoadedOnce === true), "the page was loaded again");
      // What the browser itself says of a connection that is refused is no error of the page.
      visit.page.errors = visit.errors.filter((text) => !/WebSocket|ERR_CONNECTION|establish a connection|interrupted/.test(text));
      await visit.expectWell();
      step(`  ${RECONNECTS} times; ${Math.round(worst)} ms at most`);
      await visit.page.close();
    } finally {
      await endProgram(server.started);
    }
  },

  // A link with a token gives its role, and the token does not stay in the address.
  async token({ newPage }) {
    const folder = makeFolder("tokens");
    const file = join(folder, "tokens");
    writeFileSync(file, "viewer looks-only\noperator leads-it\n", { mode: 0o600 });
    await withServer(["hunters_and_prey", "--token-file", file], async (server) => {
      for (const [token, role] of [["leads-it", "operator"], ["looks-only", "viewer"]]) {
        const visit = await Visit.open(newPage, server, { ...SMALL, hash: `#token=${token}&name=Ann` });
        await visit.until(`the role ${role} in the bar`, async () => (await visit.text(".bar")).includes(role));
        const address = await visit.page.evaluate(() => location.href);
        check(!address.includes(token) && address.includes("name=Ann"), `the address: ${address}`);
        await visit.page.mouse.move(500, 300);
        await visit.page.mouse.move(520, 320);
        await sleep(300);
        await visit.page.reload({ waitUntil: "load" });
        await visit.until("the role after the page was loaded again", async () => (await visit.text(".bar")).includes(role));
        await visit.expectWell();
        await visit.page.close();
      }
      const page = await newPage(`${server.address}/#name=Ann`, SMALL);
      const says = (words) => until(`the page says "${words}"`, () => page.evaluate((one) => document.body.innerText.includes(one), words).catch(() => false)); // it may be loading
      const has = (role) => until(`the role ${role} in the bar`, () => page.evaluate((one) => document.querySelector(".bar")?.textContent.includes(one), role).catch(() => false));
      await says("This server wants a token");
      await page.evaluate(() => (location.hash = "#token=wrong&name=Ann")); // as a visitor types it behind the address
      await says("The token was refused");
      check(await page.evaluate(() => location.hash === "#name=Ann"), "the wrong token stays in the address");
      await page.evaluate(() => (location.hash = "#token=looks-only"));
      await has("viewer");
      check(await page.evaluate(() => location.hash === ""), "the token stays in the address");
      await page.evaluate(() => sessionStorage.clear());
      await page.reload({ waitUntil: "load" });
      await says("This server wants a token");
      await until("the field has the keyboard", () => page.evaluate(() => document.activeElement.getAttribute("aria-label") === "Token").catch(() => false));
      await page.keyboard.type("leads-it");
      check(!(await page.evaluate(() => document.body.innerText)).includes("leads-it"), "the token is seen");
      await page.keyboard.press("Enter");
      await has("operator");
      check(await page.evaluate(() => !location.href.includes("leads-it") && localStorage.length >= 0 && !JSON.stringify(localStorage).includes("leads-it")), "the token is kept");
      await page.close();
    });
    removeFolder(folder);
  },

  // On a narrow link, behind a proxy that takes what comes, the picture gets sparse and not old; it is as usual when the link is wide again.
  async slow({ newPage }) {
    await withServer(["hunters_and_prey"], (server) =>
      withClient(server, async (client) => {
        const link = await startSlowLink(server.web, 1e9);
        const visit = await Visit.open(newPage, { address: `http://127.0.0.1:${link.port}` }, SMALL);
        await visit.until("the world runs", () => visit.runs());
        link.bytesPerSecond = 16000;
        const state = () => visit.text(".bar .state");
        await visit.until("the state says that the link is slow", async () => /^slow link: \d+ frames a second$/.test(await state()));
        const sent = await framesSent(client), { tick } = await client.stats();
        await visit.until("the picture is at most a second old, for 10 pictures", async () => {
          for (let i = 0; i < 10; i++) {
            const shown = await visit.tick(), now = (await client.stats()).tick;
            if (now - shown > 60) return false;
            await visit.until("the next picture", async () => (await visit.tick()) !== shown);
          }
          return true;
        });
        check((await framesSent(client)) - sent < ((await client.stats()).tick - tick) / 4, "as many frames are sent as on a fast link");
        if (IS_SLOW) { // more is asked for after 30 s, as much as before after 55 s (clients/c/handle.h, the pace of frames; unit.decoder has it on a clock of numbers)
          link.bytesPerSecond = 1e9;
          await visit.until("the world runs as usual again", async () => (await state()).startsWith("running"), 2 * PATIENCE_MS);
        }
        await visit.expectWell();
        await visit.page.close();
        await link.stop();
      }));
  },

  // The card is lost and comes back: the same picture. Drawn in the main thread, where a test can reach the context.
  async context({ newPage }) {
    await withServer(["seek", "--paused"], async (server) => {
      const visit = await Visit.open(newPage, server, { ...SMALL, hash: "#renderer=card&thread=main" });
      const renderer = await visit.page.evaluate(() => document.documentElement.dataset.renderer);
      if (renderer !== "card") {
        step(`  left out: this browser has no WebGL2 here (${renderer})`);
        await visit.page.close();
        return;
      }
      await sleep(1000);
      const before = await visit.picture();
      await visit.page.evaluate(() => (window.lost = document.getElementById("world").getContext("webgl2").getExtension("WEBGL_lose_context")).loseContext());
      await sleep(500);
      await visit.page.evaluate(() => window.lost.restoreContext());
      await visit.until("the same picture again", async () => difference(before, await visit.picture()) < 0.01, 15_000);
      visit.page.errors = visit.errors.filter((text) => !/CONTEXT_LOST/.test(text));
      await visit.expectWell();
      await visit.page.close();
    });
  },

  // A visitor who prefers less motion: nothing of the page itself moves by itself, and the world can be looked at all the same.
  async less_motion({ newPage }) {
    await withServer(["seek"], async (server) => {
      const visit = await Visit.open(newPage, server, { ...SMALL, media: [{ name: "prefers-reduced-motion", value: "reduce" }] });
      const moving = await visit.page.evaluate(() => document.getAnimations().filter((one) => one.effect.getComputedTiming().duration > 10).length);
      check(moving === 0, `${moving} animations`);
      const tick = await visit.tick();
      await visit.until("the world runs", async () => (await visit.tick()) > tick);
      await visit.expectWell();
      await visit.page.close();
    });
  },
};

await runTest(async () => {
  await withServer(["seek"], async (server) => needPage(server));
  await withBrowser(engine, async ({ newPage, browser }) => {
    const failed = [];
    for (const part of asked.length > 0 ? asked : Object.keys(PARTS)) {
      if (part === "less_motion" && engine === "firefox") continue; // its driver cannot ask for it
      try {
        await PARTS[part]({ newPage, browser });
        step(part);
      } catch (error) {
        failed.push(part);
        step(`${part} FAILED: ${error.stack}`);
      }
    }
    check(failed.length === 0, `failed: ${failed.join(", ")}`);
  });
});
