// Fingers on the page, as a phone has them: tap, drag, pinch, long press. Chromium alone: its driver has fingers.
//
//     node test_touch.mjs chromium

import { withBrowser } from "./browser.mjs";
import { needPage, withClient, withServer } from "./drover.mjs";
import { PHONE, settled, Visit } from "./drover_page.mjs";
import { check, runTest, sleep, step, until } from "./support.mjs";

const [engine] = process.argv.slice(2);
const near = (a, b, most) => Math.hypot(a.x - b.x, a.y - b.y) <= most;

class Hand {
  static async on(page) {
    const hand = new Hand();
    hand.session = await page.createCDPSession();
    return hand;
  }
  send(type, fingers) {
    return this.session.send("Input.dispatchTouchEvent", { type, touchPoints: fingers.map(({ x, y }, id) => ({ x, y, id })) });
  }
  async tap(place) {
    await this.send("touchStart", [place]);
    await this.send("touchEnd", []);
  }
  // One finger or two, each from its first place to its last.
  async move(ways, { steps = 8, release = true } = {}) {
    const at = (part) => ways.map(([a, b]) => ({ x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part }));
    await this.send("touchStart", at(0));
    for (let i = 1; i <= steps; i++) await this.send("touchMove", at(i / steps));
    if (release) await this.send("touchEnd", []);
  }
}

// Where the picture has the world: from two drags, whose ends the client over TCP sees.
async function cameraOf(hand, client) {
  const places = [{ x: 100, y: 300 }, { x: 300, y: 500 }], seen = [];
  for (const place of places) {
    const before = await settled(client);
    seen.push(await until("the finger leads the target", async () => { // a page that has just begun may miss the first drag
      await hand.move([[{ x: place.x - 30, y: place.y }, place]], { release: false });
      const now = await settled(client);
      await hand.send("touchEnd", []);
      return near(now, before, 1) ? undefined : now;
    }));
  }
  const scale = (places[1].x - places[0].x) / (seen[1].x - seen[0].x);
  return { scale, toPage: ({ x, y }) => ({ x: places[0].x + (x - seen[0].x) * scale, y: places[0].y + (y - seen[0].y) * scale }) };
}

const SCREENS = {
  "a phone": PHONE, "a phone on its side": { ...PHONE, width: 844, height: 390 },
  "a tablet": { ...PHONE, width: 820, height: 1180, ratio: 1 }, "a tablet on its side": { ...PHONE, width: 1180, height: 820, ratio: 1 },
};

// What is read and reached on a screen for fingers of any size, with no panel open.
async function lookAt(newPage, server, client, name) {
  const visit = await Visit.open(newPage, server, SCREENS[name]), { page } = visit, hand = await Hand.on(page), isPhone = name === "a phone";
  const placeOf = (one, words) => visit.until(`${name}: ${words ?? one}`, () => page.evaluate((selector, text) => {
    const node = [...document.querySelectorAll(selector)].find((each) => each.checkVisibility() && (text === null || (each.getAttribute("aria-label") ?? each.textContent) === text));
    const box = node?.getBoundingClientRect();
    return box && box.height > 0 && { x: box.left + box.width / 2, y: box.top + box.height / 2, top: box.top, bottom: box.bottom };
  }, one, words ?? null));
  const tap = async (one, words) => hand.tap(await placeOf(one, words));
  const about = async () => {
    if (isPhone) await tap(".menu-button");
    await tap(isPhone ? ".sheet-menu button" : ".bar button", "About");
  };
  const caption = await visit.until(`${name}: a caption`, () => visit.text(".caption"));
  check(caption.includes("with a finger; tap a hunter"), `${name}: ${caption}`);

  if (isPhone) {
    await tap(".side .handle");
    await visit.until("no caption over the open sheet", async () => (await visit.count(".sheet-open .timeline")) > 0 && (await visit.count(".caption")) === 0);
    await tap(".side .handle");
  } else {
    if ((await visit.count(".side")) > 0) await tap(".bar button", "Panel");
    await visit.until(`${name}: the panel is closed`, async () => (await visit.count(".side")) === 0);
    const line = await placeOf(".timeline"), world = await placeOf("#world");
    check(world.bottom <= line.top, `${name}: the world ends at ${world.bottom}, the timeline begins at ${line.top}`);
  }
  const isPaused = async () => (await client.stats()).paused;
  await tap(isPhone ? ".bar button" : ".timeline button", "Pause");
  await until(`${name}: a tap pauses`, isPaused);
  await tap(isPhone ? ".bar button" : ".timeline button", "Play");
  await until(`${name}: and goes on`, async () => !(await isPaused()));

  const seen = (await client.stats()).tick;
  await until(`${name}: a past that this page has seen`, async () => (await client.stats()).tick > seen + 120);
  await page.evaluate(() => {
    const line = document.querySelector('.past-line > input.track');
    line.value = String(Number(line.value) - 1 / 60);
    line.dispatchEvent(new Event("change", { bubbles: true }));
  });
  const ago = await visit.until(`${name}: how long ago it was`, () => visit.text(".ago"));
  check(/^[\d.]+ s ago$/.test(ago), `${name}: "${ago}" names keys`);
  await about();
  const card = await placeOf(".card"), banner = await placeOf(".ago");
  check(card.top >= banner.bottom, `${name}: About begins at ${card.top}, the banner ends at ${banner.bottom}`);
  const words = await visit.text(".card");
  check(!/mouse;|[Cc]lick|Keys/.test(words), `${name}: ${words}`);
  check((await visit.count(".tip")) === 0, `${name}: a finger brings "${await visit.text(".tip")}"`);
  await tap(".card .close");

  await tap(isPhone ? ".menu-button" : ".bar button", isPhone ? "Menu" : "Help");
  if (isPhone) await tap(".sheet-menu button", "Help");
  await visit.until(`${name}: the help begins with what fingers do`, async () => /^Drag.*Two fingers/s.test(await visit.text("dialog[open] .keys")));
  await sleep(300);
  check((await visit.count(".tip")) === 0, `${name}: help that opens brings "${await visit.text(".tip")}"`);
  await visit.expectWell();
  await page.close();
}

const onScreens = () =>
  withServer(["hunters_and_prey"], async (server) => {
    needPage(server);
    await withClient(server, (client) => withBrowser(engine, async ({ newPage }) => {
      for (const name of Object.keys(SCREENS)) {
        step(`words and controls on ${name}`);
        await lookAt(newPage, server, client, name);
      }
    }));
  });

const withGestures = () =>
  withServer(["hunters_and_prey", "--paused"], async (server) => {
    needPage(server);
    await withClient(server, async (client) => {
      await client.request("step", { count: 120 });
      await withBrowser(engine, async ({ newPage }) => {
        const visit = await Visit.open(newPage, server, PHONE);
        const hand = await Hand.on(visit.page);
        await sleep(500);
        step("a finger that drags leads the target named mouse");
        const camera = await cameraOf(hand, client);
        check(camera.scale > 0.1 && camera.scale < 2, `a scale of ${camera.scale}`);

        step("a tap selects an agent");
        const { agents } = await client.snapshot();
        const alone = agents.find((one) => {
          const at = camera.toPage(one);
          return at.x > 20 && at.x < 370 && at.y > 200 && at.y < 600 && agents.every((other) => other === one || !near(camera.toPage(one), camera.toPage(other), 14));
        });
        check(alone !== undefined, "no agent stands alone");
        await visit.until("the sheet says which", async () => {
          // A busy machine may hold the finger for longer than a tap lasts: then it is a long press, and once more.
          if (await visit.count(".menu [role=menuitem]")) await visit.page.keyboard.press("Escape");
          else await hand.tap(camera.toPage(alone));
          await sleep(1500);
          return (await visit.text(".side .handle")).includes(`Agent ${alone.id}`);
        });

        step("the sheet opens, and has the equations");
        const handle = await visit.page.evaluate(() => {
          const box = document.querySelector(".side .handle").getBoundingClientRect();
          return { x: box.left + box.width / 2, y: box.top + box.height / 2, height: box.height };
        });
        check(handle.height >= 44, `the handle is ${handle.height} px high: too little for a finger`);
        await hand.tap(handle);
        await visit.until("equations", () => visit.count(".equations .term"));
        await sleep(400);
        await visit.page.evaluate(() => document.querySelector(".side .handle").click());
        await sleep(400);

        step("two fingers zoom");
        const middle = { x: 195, y: 400 };
        const way = (dx, to) => [{ x: middle.x + dx, y: middle.y }, { x: middle.x + to, y: middle.y }];
        await hand.move([way(-40, -120), way(40, 120)]);
        await sleep(300);
        const zoomed = await cameraOf(hand, client);
        check(zoomed.scale > 2 * camera.scale && zoomed.scale < 4 * camera.scale, `three times as far apart: ${zoomed.scale / camera.scale} times as near`);

        step("a long press opens the menu");
        await hand.send("touchStart", [middle]);
        await visit.until("the menu", () => visit.count(".menu [role=menuitem]"));
        await hand.send("touchEnd", []);
        const low = await visit.page.evaluate(() => Math.min(...[...document.querySelectorAll(".menu [role=menuitem]")].map((node) => node.getBoundingClientRect().height)));
        check(low >= 44, `a row of the menu is ${low} px high: too little for a finger`);
        await visit.page.evaluate(() => [...document.querySelectorAll(".menu [role=menuitem]")].find((node) => /whole world/.test(node.textContent)).click());
        await sleep(500);
        const whole = await cameraOf(hand, client);
        check(Math.abs(whole.scale / camera.scale - 1) < 0.05, "the menu's row shows the whole world");
        await visit.expectWell();
      });
    });
  });

await runTest(async () => {
  await onScreens();
  await withGestures();
});
