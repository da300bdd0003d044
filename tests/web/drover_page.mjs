// The viewer in a page, as a visitor has it: what is shown, what is clicked, and where in the picture a place of the world is.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { programPath } from "./drover.mjs";
import { readPng } from "./png.mjs";
import { check, endProgram, PATIENCE_MS, sleep, startProgram, until } from "./support.mjs";

export const LAPTOP = { width: 1366, height: 768, ratio: 1 };
export const PHONE = { width: 390, height: 844, ratio: 3, touch: true };

const [BAR_PX, LEGEND_PX] = [40, 320]; // more than the viewer's are

let pictures = 0; // of failures

export class Visit {
  // hash: the address's fragment, such as "#renderer=raster". view: as of newPage.
  static async open(newPage, server, { hash = "", name, ...view } = LAPTOP) {
    const visit = new Visit();
    visit.server = server;
    visit.page = await newPage(`${server.address}/${hash}`, { ...LAPTOP, ...view });
    await visit.until("the name of the world in the bar", () => visit.text(".bar .title"));
    await visit.until("a picture", () => visit.page.evaluate(() => document.documentElement.dataset.renderer !== undefined));
    return visit;
  }

  get errors() {
    return this.page.errors;
  }

  // No error was said, and the viewer goes on.
  async expectWell() {
    const failure = await this.page.evaluate(() => (document.getElementById("failure").hidden ? "" : document.getElementById("failure").textContent));
    check(failure === "", () => `the viewer has stopped: ${failure}`);
    check(this.errors.length === 0, () => `errors in the page:\n${this.errors.join("\n")}`);
  }

  async until(words, ask, limitMs = PATIENCE_MS) {
    try {
      return await until(words, ask, limitMs);
    } catch (error) {
      await this.page.screenshot({ path: `/tmp/drover-page-failed-${process.pid}-${++pictures}.png` }).catch(() => {});
      throw new Error(`${error.message}; the page is kept as /tmp/drover-page-failed-${process.pid}-${pictures}.png; errors: ${this.errors.join("; ") || "none"}`);
    }
  }

  // The text of what is shown; "" where nothing is.
  text(selector) {
    return this.page.evaluate((one) => {
      const node = document.querySelector(one);
      return node !== null && node.checkVisibility() ? node.textContent.trim() : "";
    }, selector);
  }

  count(selector) {
    return this.page.evaluate((one) => [...document.querySelectorAll(one)].filter((node) => node.checkVisibility()).length, selector);
  }

  // Whether the bar says that the world runs. A busy machine is behind its clock, and its pictures are as late as on a slow link.
  async runs() {
    return /^(running|slow link)/.test(await this.text(".bar .state"));
  }

  async tick() {
    return Number((await this.text(".bar .item.numbers .value")).replace(/\D/g, ""));
  }

  // Clicks the control with these words; a control that moves or comes late is waited for.
  async press(selector, ...words) {
    const at = await this.until(`a control "${words.join(" or ")}"`, () =>
      this.page.evaluate((one, text) => {
        const is = (node) => node.checkVisibility() && text.includes(node.getAttribute("aria-label") ?? node.textContent.trim());
        const node = [...document.querySelectorAll(one)].find(is);
        const box = node?.getBoundingClientRect();
        return box && { x: box.left + box.width / 2, y: box.top + box.height / 2 };
      }, selector, words));
    await this.page.mouse.click(at.x, at.y);
  }

  // The keyboard belongs to the world.
  focusWorld() {
    return this.page.evaluate(() => document.getElementById("world").focus());
  }

  async key(name) {
    await this.page.keyboard.press(name);
  }

  // The picture alone, without the panels.
  async picture() {
    const hide = (how) => this.page.evaluate((value) => (document.getElementById("panels").style.visibility = value), how);
    await hide("hidden");
    const bytes = await this.page.screenshot({ type: "png" });
    await hide("");
    return readPng(bytes);
  }

  // Where in the picture, CSS px, a place of the world is: from two places to which the pointer leads the target named mouse,
  // as the client over TCP sees it.
  async camera(client, [a, b] = [{ x: 500, y: 250 }, { x: 900, y: 600 }]) {
    let seen = [];
    let scale = null;
    await until("the pointer leads the target mouse to two places", async () => {
      seen = [];
      for (const place of [a, b]) {
        await this.page.mouse.move(place.x - 3, place.y);
        await this.page.mouse.move(place.x, place.y);
        seen.push(await settled(client)); // a busy browser may not have sent the place yet
      }
      scale = { x: (b.x - a.x) / (seen[1].x - seen[0].x), y: (b.y - a.y) / (seen[1].y - seen[0].y) };
      return Math.abs(scale.x - scale.y) < 0.02 * scale.x;
    });
    return {
      scale: scale.x,
      toPage: ({ x, y }) => ({ x: a.x + (x - seen[0].x) * scale.x, y: a.y + (y - seen[0].y) * scale.y }),
      toWorld: ({ x, y }) => ({ x: seen[0].x + (x - a.x) / scale.x, y: seen[0].y + (y - a.y) / scale.y }),
    };
  }
}

// Where the target named mouse is when it does not move any more.
export async function settled(client, name = "mouse") {
  let last = null;
  return until(`the target ${name} stays where it is`, async () => {
    const { x, y } = await client.target(name);
    const isSame = last !== null && last.x === x && last.y === y;
    last = { x, y };
    await sleep(100);
    return isSame && last;
  });
}

// The SDL2 viewer's picture of the server's world now, with its bar and its legend.
export async function nativePicture(server, { width, height }, folder) {
  const path = join(folder, "native.png");
  const words = [`127.0.0.1:${server.port}`, "--headless", "--panel", "off", "--frames", "40", "--size", `${width}x${height}`, "--screenshot", path];
  const viewer = startProgram(programPath("DROVER_VIEWER", "drover-viewer"), words, { env: { ...process.env, DISPLAY: "", HOME: folder } });
  const { code } = await viewer.over;
  await endProgram(viewer);
  check(code === 0, () => `the viewer ended with ${code}: ${viewer.stderr}`);
  return readPng(readFileSync(path));
}

// The part of a picture in which the viewer has no words: right of its legend, below its bar.
export function world(picture) {
  const { width, height, channels } = picture, rows = [];
  for (let y = BAR_PX; y < height; y++) rows.push(picture.data.subarray((y * width + LEGEND_PX) * channels, (y + 1) * width * channels));
  return { width: width - LEGEND_PX, height: height - BAR_PX, channels, data: Buffer.concat(rows) };
}
