// The gallery as a visitor has it, from a folder that any web server can serve: its pages, their links and controls, the worlds that come to
// life when they are seen, the buttons of the lessons, the editor, and the page of hashes.
//
//     node test_gallery.mjs chromium|firefox GALLERY [PART ...]

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { withBrowser } from "./browser.mjs";
import { startPageServer } from "./page_server.mjs";
import { check, IS_SLOW, runTest, sleep, step, until } from "./support.mjs";

const [engine, gallery, ...asked] = process.argv.slice(2);
const LAPTOP = { width: 1366, height: 768, ratio: 1 }, PHONE = { width: 390, height: 844, ratio: 1, touch: true };
const PAGES = readdirSync(gallery).filter((name) => name.endsWith(".html") && name !== "world.html");
const A_FEW = ["index.html", "lesson-1-seek.html", "behavior-arrive.html", "doc-scenarios.html"];
const LESSONS = PAGES.filter((name) => name.startsWith("lesson-"));

// What is wrong with the links of a page: other pages, files and places in them.
function brokenLinks(name) {
  const text = readFileSync(join(gallery, name), "utf8");
  return [...text.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, href]) => href).filter((href) => {
    const [file, place] = href.replace(/&#38;/g, "&").split("#");
    if (/^https?:/.test(file) || file === "world.html") return false;
    if (file !== "" && !existsSync(join(gallery, file))) return true;
    const other = file === "" ? text : place !== undefined ? readFileSync(join(gallery, file), "utf8") : "";
    return place !== undefined && !other.includes(` id="${place}"`);
  });
}

const frameOf = (page) => until("a world is live", () => page.frames().find((frame) => frame.url().includes("/world.html")));
const textIn = (frame, selector) => frame.evaluate((one) => document.querySelector(one)?.textContent ?? "", selector).catch(() => "");
const tickIn = async (frame) => Number((await textIn(frame, ".bar .item.numbers .value")).replace(/\D/g, ""));

async function moving(page) {
  const frame = await frameOf(page);
  await until("the world has begun", async () => (await tickIn(frame)) > 0);
  const before = await tickIn(frame);
  await until("its tick moves", async () => (await tickIn(frame)) > before);
  return frame;
}

// Controls without a name, by the browser's accessibility tree where it gives one (Chromium), or else by what names them.
async function namelessControls(page) {
  if (engine === "chromium") {
    const found = [];
    const walk = (node) => {
      if (/^(button|link|textbox|checkbox|slider|combobox|switch|Iframe)$/.test(node.role) && (node.name ?? "").trim() === "") found.push(node.role);
      (node.children ?? []).forEach(walk);
    };
    walk(await page.accessibility.snapshot({ interestingOnly: false }));
    return found;
  }
  return page.evaluate(() => [...document.querySelectorAll("a[href], button, input, textarea, select, summary, iframe")]
    .filter((node) => `${node.getAttribute("aria-label") ?? ""}${node.title}${node.textContent}${[...(node.labels ?? [])].map((label) => label.textContent).join("")}`.trim() === "")
    .map((node) => node.outerHTML.slice(0, 120)));
}

async function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

const isLive = (page, n) => page.evaluate((at) => document.querySelectorAll(".step")[at].querySelector("drover-world") !== null, n);

// The part of a page with the nth world, in view, and live.
async function stepOf(page, n) {
  await page.evaluate((at) => document.querySelectorAll(".step")[at].scrollIntoView(), n);
  await until(`world ${n} is live`, () => isLive(page, n));
  return moving(page);
}

const said = (page, n) => page.evaluate((at) => document.querySelectorAll(".step")[at].querySelector(".world .said").textContent, n);

// The text of the editor of the nth world; change(text) is what is typed. Returns its field.
async function edit(page, n, change) {
  await page.evaluate((at) => (document.querySelectorAll(".step")[at].querySelector("details.editor").open = true), n);
  const value = () => page.evaluate((at) => document.querySelectorAll(".step")[at].querySelector("textarea")?.value ?? "", n);
  const text = await until("the text has come", value);
  await page.evaluate((at, other) => {
    const field = document.querySelectorAll(".step")[at].querySelector("textarea");
    field.value = other;
    field.dispatchEvent(new Event("input"));
    field.focus();
  }, n, change(text));
}
const mistakes = (page) => page.evaluate(() => [...document.querySelectorAll(".mistake")].map((node) => node.textContent));

const PARTS = {
  // Each page opens without an error or a violation of its policy, has no broken link and no nameless control; its world moves.
  async pages({ newPage, address }) {
    const broken = PAGES.flatMap((name) => brokenLinks(name).map((href) => `${name}: ${href}`));
    check(broken.length === 0, () => `broken links:\n${broken.join("\n")}`);
    for (const name of IS_SLOW ? PAGES : A_FEW) {
      const page = await newPage(`${address}/${name}`, LAPTOP);
      const policy = await page.evaluate(() => document.querySelector('meta[http-equiv="Content-Security-Policy"]').content);
      check(!policy.includes("unsafe-inline") && !policy.includes("'unsafe-eval'"), policy);
      if (await page.evaluate(() => document.querySelector(".world:not([data-large])") !== null)) {
        await page.evaluate(() => document.querySelector(".world:not([data-large]) .stage").scrollIntoView({ block: "center", behavior: "instant" }));
        await moving(page);
      }
      const nameless = await namelessControls(page);
      check(nameless.length === 0, () => `${name}: controls without a name: ${nameless.join(", ")}`);
      check(page.errors.length === 0, () => `${name}: ${page.errors.join("\n")}`);
      await page.setViewport({ width: 390, height: 844 });
      check((await overflow(page)) <= 0, `${name} is wider than a phone`);
      await page.close();
    }
  },

  // One world is live; it stands still out of view, and what was begun later takes its place.
  async live({ newPage, address }) {
    const page = await newPage(`${address}/lesson-1-seek.html`, LAPTOP);
    const frame = await stepOf(page, 0);
    await page.evaluate(() => document.querySelector("footer").scrollIntoView({ behavior: "instant" }));
    await until("one world is live, another one", () => page.evaluate(() =>
      document.querySelectorAll("drover-world").length === 1 && document.querySelectorAll(".step")[0].querySelector("drover-world") === null));
    check(!page.frames().includes(frame), "the first world has ended");
    await page.goto(`${address}/behavior-arrive.html`);
    const other = await stepOf(page, 0);
    await page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));
    await page.evaluate(() => document.querySelector(".step").style.setProperty("margin-top", "3000px"));
    await until("the world stands still", async () => {
      const before = await tickIn(other);
      await sleep(700);
      return (await tickIn(other)) === before;
    });
  },

  // A busy browser reports in one call what it saw in several pictures: what is in view after the last one counts.
  async late({ newPage, address }) {
    const page = await newPage("about:blank", LAPTOP);
    await page.evaluateOnNewDocument(() => {
      const late = (window.late = { isHeld: false, held: [], report: () => late.held.splice(0).forEach(([call, entries]) => call(entries)) });
      window.IntersectionObserver = class extends IntersectionObserver {
        constructor(call, options) {
          super((entries) => {
            const of = late.held.find(([one]) => one === call);
            of === undefined ? late.held.push([call, entries]) : of[1].push(...entries);
            if (!late.isHeld) late.report();
          }, options);
        }
      };
    });
    await page.goto(`${address}/lesson-1-seek.html`, { waitUntil: "load" });
    const pass = async (...steps) => {
      await page.evaluate(() => (window.late.isHeld = true));
      for (const n of steps) {
        await page.evaluate((at) => document.querySelectorAll(".step")[at].scrollIntoView({ behavior: "instant" }), n);
        await until(`world ${n} is in view`, () => page.evaluate((at) => {
          const stage = document.querySelectorAll(".step")[at].querySelector(".stage");
          return window.late.held.some(([, entries]) => entries.some(({ target, intersectionRatio }) => target === stage && intersectionRatio > 0.6));
        }, n));
      }
      await page.evaluate(() => ((window.late.isHeld = false), window.late.report()));
    };
    await stepOf(page, 0);
    await pass(1, 2);
    check(await isLive(page, 2), "the world that is in view is live");
    const frame = await moving(page);
    await pass(0, 2);
    const before = await tickIn(frame);
    await until("the world that is in view again moves on", async () => (await tickIn(frame)) > before + 30);
    // On a tall screen two are in view: the upper one begins, and the other one when that has gone.
    await page.close();
    const tall = await newPage(`${address}/lesson-1-seek.html`, { ...LAPTOP, height: 1800 });
    await until("the upper world is live", () => isLive(tall, 0));
    await tall.evaluate(() => document.querySelectorAll(".step")[1].scrollIntoView({ behavior: "instant" }));
    await until("the next world is live", () => isLive(tall, 1));
    await tall.close();
  },

  // Without motion nothing begins by itself; a button does it, by the keyboard.
  async still({ newPage, address }) {
    const page = await newPage(`${address}/behavior-arrive.html`, { ...LAPTOP, media: [{ name: "prefers-reduced-motion", value: "reduce" }] });
    await page.evaluate(() => document.querySelector(".stage").scrollIntoView());
    await sleep(1000);
    check((await page.evaluate(() => document.querySelector("drover-world"))) === null, "no world has begun");
    await page.focus(".run");
    await page.keyboard.press("Enter");
    await moving(page);
  },

  // Every button of the lessons does what it says: the server refuses none of its requests.
  async lessons({ newPage, address }) {
    const page = await newPage(`${address}/lesson-1-seek.html`, LAPTOP);
    const frame = await stepOf(page, 1);
    await until("its sliders are open", () => frame.evaluate(() => document.querySelector(".sliders input[type=range]")?.checkVisibility() === true));
    await page.evaluate(() => document.querySelector("button.do").click());
    await until("half of the force", async () => (await textIn(frame, ".side")).includes("of 180"));
    for (const name of IS_SLOW ? LESSONS : []) {
      await page.goto(`${address}/${name}`);
      for (let n = 0; n < await page.evaluate(() => document.querySelectorAll(".step").length); n++) {
        await stepOf(page, n);
        const words = await page.evaluate((at) => [...document.querySelectorAll(".step")[at].querySelectorAll("button.do")].map((button) => (button.click(), button.textContent)), n);
        await sleep(1500);
        check(words.length === 0 || (await said(page, n)).startsWith("Done"), async () => `${name}: ${await said(page, n)}`);
      }
    }
    check(page.errors.length === 0, () => page.errors.join("\n"));
  },

  // A message stands at its line; a text that is right runs.
  async editor({ newPage, address }) {
    const page = await newPage(`${address}/lesson-1-seek.html`, LAPTOP);
    const frame = await stepOf(page, 2);
    await edit(page, 2, (text) => text.replace('"edge": "open"', '"edge": "opn"'));
    const [message] = await until("a message", async () => { const all = await mistakes(page); return all.length > 0 && all; });
    check(/^Line 12, column \d+: world\.edge: "opn" is not one of .*did you mean "open"/.test(message), message);
    const tops = await page.evaluate(() => [".mistake", ".numbers .wrong"].map((one) => document.querySelector(one).getBoundingClientRect().top));
    check(Math.abs(tops[0] - tops[1]) < 8, `the message is at ${tops[0]}, its line at ${tops[1]}`);
    await page.evaluate(() => document.querySelector(".mistake button").click());
    check((await page.evaluate(() => document.activeElement.value.slice(document.activeElement.selectionStart).startsWith('"edge"'))), "the button leads to the place");
    await edit(page, 2, (text) => text.replace('"opn"', '"wrap"').replace('"name": "Seek"', '"name": "<b>Mine</b>"').replace('"seek": {', '"flee": {'));
    await page.keyboard.down("Control");
    await page.keyboard.press("Enter");
    await page.keyboard.up("Control");
    await until("the world of this text, its name as text", async () => (await textIn(frame, ".bar .title")) === "<b>Mine</b>");
    await until("the agent flees", async () => (await textIn(frame, ".side")).includes("flee"));
    check((await mistakes(page)).length === 0, "no message is left");
    check(page.errors.length === 0, () => page.errors.join("\n"));
  },

  // A world that is in no frame heeds no messages.
  async strangers({ newPage, address }) {
    const page = await newPage(`${address}/world.html#scenario=seek`, LAPTOP);
    await until("the world has begun", async () => (await tickIn(page.mainFrame())) > 0);
    await page.evaluate(() => window.postMessage({ drover: "ask", lines: ['{"op":"load","scenario":"boids"}'] }, "*"));
    await sleep(1500);
    check((await textIn(page.mainFrame(), ".bar .title")) === "Seek", "a page that is in no frame heeds no message");
  },

  // Paper gets the picture and the words.
  async print({ newPage, address }) {
    const page = await newPage(`${address}/lesson-1-seek.html`, LAPTOP);
    await stepOf(page, 0);
    await page.emulateMediaType("print");
    const shown = await page.evaluate(() => ["drover-world", ".stage img", ".words", "header nav"].map((one) => document.querySelector(one).checkVisibility()));
    check(JSON.stringify(shown) === "[false,true,true,false]", JSON.stringify(shown));
    check((await page.evaluate(() => getComputedStyle(document.body).color)) === "rgb(0, 0, 0)", "black on white");
  },

  // The hashes of this engine are the project's.
  async hashes({ newPage, address }) {
    const page = await newPage(`${address}/same-hash.html`, LAPTOP);
    const verdict = await until("all are compared", async () => {
      const words = await page.evaluate(() => document.querySelector("#verdict").textContent);
      return !words.startsWith("Computing") && words;
    }, 300_000);
    check(/^All \d{3} hashes are equal\.$/.test(verdict), verdict);
    step(verdict);
  },

  // A finger on a phone: the world stays in view beside its text.
  async phone({ newPage, address }) {
    const page = await newPage(`${address}/lesson-2-mass.html`, PHONE);
    await stepOf(page, 1);
    const last = '.step[data-at="1"] .words > :last-child > :last-child';
    await page.evaluate(() => (document.querySelectorAll(".step")[1].dataset.at = "1"));
    await page.evaluate((one) => document.querySelector(one).scrollIntoView({ block: "end", behavior: "instant" }), last);
    const [world, words] = await page.evaluate((one) => ['.step[data-at="1"] .world', one].map((each) => document.querySelector(each).getBoundingClientRect().toJSON()), last);
    check(world.top >= -1 && world.bottom <= words.top && words.bottom <= 845, JSON.stringify([world, words]));
    const small = await page.evaluate(() => [...document.querySelectorAll("button, .tools a, header a")].filter((node) => node.checkVisibility())
      .filter((node) => node.getBoundingClientRect().height < 40 && !node.matches(".home")).map((node) => node.textContent));
    check(engine !== "chromium" || small.length === 0, () => `too small for a finger: ${small.join(", ")}`);
  },
};

await runTest(async () => {
  const folders = { "/images/": join(gallery, "images"), "/previews/": join(gallery, "previews"), "/scenarios/": join(gallery, "scenarios"), "/": gallery };
  const server = await startPageServer(folders, () => {}, { policy: "" });
  try {
    await withBrowser(engine, async ({ newPage }) => {
      for (const part of asked.length > 0 ? asked : Object.keys(PARTS)) {
        if (engine === "firefox" && ["print", "still"].includes(part)) continue; // its driver sets no media
        await PARTS[part]({ newPage, address: server.origin });
        step(part);
      }
    });
  } finally {
    server.close();
  }
});
