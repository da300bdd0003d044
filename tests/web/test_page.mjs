// The page as a visitor has it, in a browser with a mouse and a keyboard, with a real server: what is shown, what a hand does, and
// what a client over TCP sees of it.
//
//     node test_page.mjs chromium|firefox [PART ...]

import { createServer, request } from "node:http";
import { connect } from "node:net";

import { withBrowser } from "./browser.mjs";
import { needPage, withClient, withServer } from "./drover.mjs";
import { LAPTOP, settled, Visit } from "./drover_page.mjs";
import { difference } from "./png.mjs";
import { check, IS_SLOW, runTest, sleep, step, until } from "./support.mjs";

const [engine, ...asked] = process.argv.slice(2);
const near = (a, b, most) => Math.hypot(a.x - b.x, a.y - b.y) <= most;

// Something that is kept back until it is told to go.
function gate() {
  const kept = {};
  kept.isOpen = new Promise((done) => (kept.open = done));
  return kept;
}

// A door to the server that keeps half of the module and the socket back until their gates are open. module: the status of its answer
// in place of the server's; hidesOrigin: whether the server takes a page of this door for its own.
async function withDoor(server, { module, hidesOrigin = true } = {}, test) {
  const there = new URL(server.address);
  const asIfDirect = (headers) => ({ ...headers, host: there.host, ...(headers.origin === undefined || !hidesOrigin ? {} : { origin: there.origin }) });
  const program = gate(), link = gate();
  const sockets = new Set();
  const door = createServer(async (asked, answer) => {
    const isProgram = asked.url.endsWith(".wasm");
    if (isProgram && module !== undefined) {
      answer.writeHead(module).end();
      return;
    }
    const to = request({ host: there.hostname, port: there.port, path: asked.url, method: asked.method, headers: asIfDirect(asked.headers) }, async (from) => {
      answer.writeHead(from.statusCode, from.headers);
      const parts = [];
      for await (const part of from) parts.push(part);
      const body = Buffer.concat(parts), half = isProgram ? body.length >> 1 : body.length;
      answer.write(body.subarray(0, half));
      if (isProgram) await program.isOpen;
      answer.end(body.subarray(half));
    });
    to.on("error", () => answer.destroy());
    to.end();
  });
  door.on("connection", (socket) => sockets.add(socket));
  door.on("upgrade", async (asked, socket) => {
    await link.isOpen;
    const headers = Object.entries(asIfDirect(asked.headers)).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const to = connect(Number(there.port), there.hostname, () => to.write(`GET ${asked.url} HTTP/1.1\r\n${headers}\r\n`));
    sockets.add(to);
    for (const [one, other] of [[to, socket], [socket, to]]) one.on("error", () => other.destroy()).pipe(other);
  });
  await new Promise((done) => door.listen(0, "127.0.0.1", done));
  try {
    await test({ address: `http://127.0.0.1:${door.address().port}`, program, link });
  } finally {
    program.open();
    link.open();
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => door.close(done));
  }
}

// The words of the page that are seen, with | between.
function shown(page) {
  return page.evaluate(() => {
    const words = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      if (data.trim() !== "" && parentElement.checkVisibility({ visibilityProperty: true })) words.push(data.trim());
    }
    return words.join("|");
  });
}

// A page that has come late: the server shows it what it has not seen, under the handle and by keys, and it plays on.
async function looksBack({ server, client, newPage, tick }) {
  const late = await Visit.open(newPage, server);
  await late.until("the present", async () => (await late.tick()) === tick);
  if ((await late.count(".timeline")) === 0) await late.key("p");
  await late.until("what the server keeps", async () => (await late.count(".moments i.flag")) === 1);
  const { left, right, y } = await late.page.evaluate(() => {
    const box = document.querySelector(".past-line input.track").getBoundingClientRect();
    return { left: box.left, right: box.right, y: (box.top + box.bottom) / 2 };
  });
  await late.page.mouse.move(right - 7, y);
  await late.page.mouse.down();
  await late.page.mouse.move(right - 12, y);
  await late.page.mouse.move(right - 7 - (right - left - 14) / 20, y); // of a minute
  await late.until("the moment below the handle", async () => (await late.tick()) < tick - 60 && / s ago/.test(await late.text(".past-frame")) && !/now, not/.test(await late.text(".past-frame")));
  await late.page.mouse.up();
  let earlier = await late.tick(), looks = 0; // of a place on the way of the handle, perhaps
  await late.until("it stands", async () => {
    const now = await late.tick(), told = await late.page.$eval(".past-line input.track", (node) => node.getAttribute("aria-valuetext"));
    looks = now === earlier && told.endsWith(`tick ${now}`) ? looks + 1 : 0;
    earlier = now;
    return looks === 5;
  });
  await late.key(",");
  await late.until("a tick before", async () => (await late.tick()) === earlier - 1);
  await late.key(" ");
  await late.until("it plays on", async () => (await late.tick()) > earlier + 10);
  await late.key(" ");
  check((await client.stats()).tick === tick, "the world stands");
  await late.key("End");
  await late.until("now", async () => (await late.tick()) === tick && (await late.text(".past-frame")) === "");
  await late.expectWell();
  await late.page.close();
}

const PARTS = {
  // Until the first picture the page says what it waits for, and nothing else.
  async loads({ newPage, server }) {
    await withDoor(server, {}, async (door) => {
      const page = await newPage(door.address, LAPTOP);
      await until("half of the module has come", async () => /^Drover\|Loading the viewer: \d+ of \d+ kB$/.test(await shown(page)));
      const share = () => page.evaluate(() => document.querySelector("#loading progress").value);
      check((await share()) > 0.2 && (await share()) < 0.7, `the bar is at ${await share()}`);
      if (process.env.DROVER_LOOK !== undefined) await page.screenshot({ path: process.env.DROVER_LOOK });
      door.program.open();
      await until("it connects", async () => /Connecting.*\|Drover$/.test(await shown(page)));
      check((await share()) === 0.8, `the bar is at ${await share()}`);
      door.link.open();
      await until("the world's name", async () => /Hunters and prey/.test(await shown(page)) && (await page.$eval("#loading", (node) => node.hidden)));
      check(page.errors.length === 0, () => page.errors.join("\n"));
      await page.close();
    });
  },

  // What keeps the viewer from coming is said, with what to do.
  async fails({ newPage, server }) {
    const says = async (page, title, words) => {
      await until(`the page says "${title}" and ${words}`, async () => (await shown(page)).includes(title) && words.test(await shown(page))).catch(async (error) => {
        throw new Error(`${error.message}; it says: ${await shown(page)}`);
      });
      await page.close();
    };
    await withDoor(server, { module: 404 }, async (door) => says(await newPage(door.address, LAPTOP), "The viewer cannot start", /404.*Load the page again/));
    await withDoor(server, { hidesOrigin: false }, async (door) => {
      door.program.open();
      door.link.open();
      await says(await newPage(door.address, LAPTOP), "Connecting", new RegExp(`--web-origin ${door.address}`));
    });
    const bare = await newPage("about:blank", { ...LAPTOP, load: false });
    await bare.evaluateOnNewDocument(() => delete globalThis.WebAssembly);
    await bare.goto(server.address);
    await says(bare, "The viewer cannot start", /WebAssembly.*another browser/);
  },

  // The world is there and moves.
  async moves({ visit }) {
    const first = await visit.until("a picture", async () => {
      const picture = await visit.picture();
      return new Set(picture.data).size > 20 && picture;
    });
    const tick = await visit.tick();
    await visit.until("the tick goes on", async () => (await visit.tick()) > tick + 30);
    const share = difference(first, await visit.picture());
    check(share > 0.001 && share < 0.5, `${share} of the picture has changed`);
    check((await visit.page.title()).startsWith("Drover"), "the page's title");
    await visit.until("the bar says that it runs", () => visit.runs());
    const bar = await visit.text(".bar");
    check(bar.includes(new URL(visit.server.address).host), () => `the bar has another address than that of the page: ${bar}`);
  },

  // Space, point, minus and equals; the buttons of the timeline.
  async time({ visit, client }) {
    await visit.focusWorld();
    await visit.key(" ");
    await until("the world is paused", async () => (await client.stats()).paused);
    await visit.until("the bar says so", async () => (await visit.text(".bar .state")) === "paused");
    const { tick } = await client.stats();
    await visit.key(".");
    await until("one tick", async () => (await client.stats()).tick === tick + 1);
    await visit.until("the bar has it", async () => (await visit.tick()) === tick + 1);
    await visit.key("=");
    await until("faster", async () => (await client.stats()).speed > 1);
    await visit.key("0");
    await until("as usual", async () => (await client.stats()).speed === 1);
    if ((await visit.count(".timeline")) === 0) await visit.key("p");
    await visit.press(".timeline button", "One tick");
    await until("one tick by the button", async () => (await client.stats()).tick === tick + 2);
    await visit.press(".timeline button", "Pause", "Play");
    await until("the world runs", async () => !(await client.stats()).paused);
  },

  // An agent is clicked: the panel has its state and its equations.
  async select({ visit, client }) {
    await client.request("pause");
    await visit.until("the bar says paused", async () => (await visit.text(".bar .state")) === "paused");
    if ((await visit.count(".side")) === 0) await visit.key("p");
    await visit.until("the panel", () => visit.count(".side"));
    await sleep(500); // the picture makes room for it
    const camera = await visit.camera(client);
    const { agents } = await client.snapshot();
    const box = await visit.page.evaluate(() => {
      const place = (one) => document.querySelector(one)?.getBoundingClientRect() ?? { left: 0, right: 0, bottom: 0 };
      return { left: place(".legend").right + 20, right: (document.querySelector(".side")?.getBoundingClientRect().left ?? innerWidth) - 30 };
    });
    const agent = agents.find((one) => {
      const at = camera.toPage(one);
      return at.x > box.left && at.x < box.right && at.y > 80 && at.y < 560 && agents.every((other) => other === one || !near(one, other, 30));
    });
    check(agent !== undefined, "no agent stands alone");
    const at = camera.toPage(agent);
    await visit.page.mouse.click(at.x, at.y);
    const named = await visit.until("the agent's name in the panel", async () => {
      const words = await visit.text(".side");
      return words.includes(`Agent ${agent.id} (${agent.kind})`) ? words : null;
    });
    check(named.includes(agent.state), () => `the panel does not say ${agent.state}: ${named.slice(0, 400)}`);
    await visit.until("its equations", async () => (await visit.count(".equations .term")) > 0 && (await visit.count(".equations .line .token")) > 3);
    await client.request("resume");
  },

  // A slider moves a parameter of the running world.
  async slider({ visit, client }) {
    await visit.focusWorld();
    if ((await visit.count(".param input[type=range]")) === 0) await visit.key("k");
    await visit.until("sliders", () => visit.count(".param input[type=range]"));
    await client.request("subscribe", { hz: 1 });
    const label = await visit.until("a slider with the focus", () =>
      visit.page.evaluate(() => {
        const range = [...document.querySelectorAll(".param input[type=range]")].find((node) => node.checkVisibility());
        range?.scrollIntoView({ block: "center" });
        range?.focus();
        return range?.closest(".param").querySelector("label").textContent.trim();
      }));
    await visit.key("ArrowRight");
    const event = await client.take("event", (one) => one.event === "param");
    check(label.includes(event.param), () => `the slider of ${label}, but ${JSON.stringify(event)}`);
    await client.request("unsubscribe");
    await visit.focusWorld();
    await visit.key("k");
  },

  // An obstacle is dragged. (It loads another world.)
  async obstacle({ visit, client }) {
    await client.request("load", { scenario: "avoid_obstacles" });
    const name = "Obstacle avoidance";
    await visit.until(name, async () => (await visit.text(".bar .title")) === name);
    await client.request("pause");
    await visit.until("the bar says paused", async () => (await visit.text(".bar .state")) === "paused");
    await sleep(500);
    const camera = await visit.camera(client);
    await client.request("subscribe", { hz: 1 });
    const [id, circle] = [1, [220, 180, 55]]; // as scenarios/avoid_obstacles.json has it
    const from = camera.toPage({ x: circle[0], y: circle[1] });
    const { mouse } = visit.page;
    await mouse.move(from.x, from.y);
    await settled(client);
    const hash = async () => (await client.request("save", { name: "now", replace: true })).hash, untouched = await hash();
    await mouse.down();
    for (let i = 1; i <= 10; i++) await mouse.move(from.x + 4 * i, from.y + 2 * i);
    await mouse.up();
    const isThere = ([x, y]) => near(camera.toPage({ x, y }), { x: from.x + 40, y: from.y + 20 }, 3);
    await client.take("event", (one) => one.event === "obstacle_moved" && one.obstacle === id && isThere(one.circle));
    await client.request("unsubscribe");
    check((await hash()) !== untouched, "the obstacle is elsewhere");
    await mouse.move(from.x, from.y); // the target named mouse, too, is where it was
    await visit.focusWorld();
    await visit.page.keyboard.down("Control");
    await visit.key("u");
    await visit.page.keyboard.up("Control");
    await until("the world is as if nothing had been dragged", async () => (await hash()) === untouched);
  },

  // Keys: help, F6, Tab; what the panels own stays with them.
  async keyboard({ visit, client }) {
    await visit.focusWorld();
    await visit.key("F1");
    await visit.until("the help", () => visit.count("dialog[open]"));
    await visit.key("Escape");
    await visit.until("the help is closed", async () => (await visit.count("dialog[open]")) === 0);
    await visit.focusWorld();
    await visit.key("Tab");
    await visit.until("Tab selects an agent", () => visit.count(".equations .term"));
    const focused = () => visit.page.evaluate(() => document.activeElement.closest(".side, .timeline, .bar, #world")?.className.split(" ")[0] || document.activeElement.id);
    // By keyboard alone, with the panel and without it, in worlds that open it and that do not: F6 leads around, Tab through a part's controls.
    const { scenarios } = await client.request("list", { what: "scenarios" }), few = ["doorway", "starlings", "hunters_and_prey"];
    for (const { name, title } of scenarios.filter((one) => IS_SLOW || few.includes(one.name))) {
      await client.request("load", { scenario: name });
      await visit.until(`${name}: ${title}`, async () => (await visit.text(".bar .title")) === title);
      for (let state = 0; state < 2; state++) {
        await visit.focusWorld();
        const hasPanel = (await visit.count(".side")) > 0, wanted = hasPanel ? ["side", "timeline", "bar"] : ["bar"];
        for (const part of [...wanted, "world", ...wanted]) {
          await visit.key("F6");
          await visit.until(`${name}: F6 goes to ${part}`, async () => (await focused()) === part);
        }
        await visit.key("Tab");
        check((await focused()) === "bar", `${name}: Tab goes on in the bar`);
        await visit.until(`${name}: Esc, which closes a tip at first, goes back to the world`, async () => {
          await visit.key("Escape");
          return (await focused()) === "world";
        });
        await visit.key("p");
        await visit.until(`${name}: P ${hasPanel ? "closes" : "opens"} the panel`, async () => (await visit.count(".side")) > 0 !== hasPanel);
      }
    }
  },

  // The list of scenarios: typed, chosen, there.
  async picker({ visit, client }) {
    await visit.press(".bar button", "Scenarios");
    await visit.until("the list", () => visit.count("dialog[open] .hit"));
    await visit.page.keyboard.type("containment");
    await visit.until("one is found", async () => (await visit.text("dialog[open] .hit")).toLowerCase().includes("containment"));
    const isShown = await visit.until("its picture", () =>
      visit.page.evaluate(() => [...document.querySelectorAll("dialog[open] img")].some((image) => image.checkVisibility() && image.naturalWidth > 0)));
    check(isShown, "a picture");
    await visit.key("Enter");
    await visit.until("the other world", async () => (await visit.text(".bar .title")).toLowerCase().includes("containment"));
    const scenario = await client.request("list", { what: "scenarios" });
    check(scenario.op === "reply", "the server answers");
    await visit.until("the list is closed", async () => (await visit.count("dialog[open]")) === 0);
  },

  // The pointer leads the target named mouse.
  async mouse({ visit, client }) {
    const camera = await visit.camera(client);
    const place = { x: 640, y: 420 };
    await visit.page.mouse.move(place.x, place.y, { steps: 5 });
    await until("the target is where the pointer is", async () => near(await client.target("mouse"), camera.toWorld(place), 2));
  },

  // A file that is dropped does not take the page's place.
  // The past: a drag of the handle goes back, the world goes on from there in a branch, and a press on the one that was left returns.
  async past({ visit, client, server, newPage }) {
    const branch = async () => (await client.request("list", { what: "branches" })).branches.find(({ current }) => current).name;
    const left = await branch(), names = (one) => visit.page.evaluate((selector) => [...document.querySelectorAll(selector)].map((node) => node.textContent), one);
    const boxOf = (one) => visit.page.evaluate((selector) => {
      const { left, top, right, bottom } = document.querySelector(selector).getBoundingClientRect();
      return { left, top, right, bottom };
    }, one);
    await client.request("resume");
    const begin = (await client.stats()).tick;
    await until("some seconds", async () => (await client.stats()).tick > begin + 300);
    await client.request("pause");
    await visit.until("the bar says paused", async () => (await visit.text(".bar .state")) === "paused");
    if ((await visit.count(".timeline")) === 0) await visit.key("p");
    const { tick } = await client.stats();
    await visit.press(".timeline button", "set a mark");
    await visit.until("its flag", async () => (await visit.count(".moments i.flag")) === 1);
    const { left: low, right, top, bottom } = await boxOf(".past-line input.track"), y = (top + bottom) / 2;
    await visit.page.mouse.move(right - 7, y);
    await visit.page.mouse.down();
    await visit.page.mouse.move(right - 20, y);
    await visit.page.mouse.move(right - 7 - (right - low - 14) / 20, y); // of a minute
    await visit.page.mouse.up();
    await visit.until("some seconds ago", async () => /^-[1-9]/.test(await visit.text(".timeline .back")) && (await visit.tick()) < tick - 60);
    const after = await boxOf(".past-line input.track");
    check(after.left === low && after.right === right, `the line stays where it is: ${low} to ${right}, then ${after.left} to ${after.right}`);
    await visit.press(".timeline button", "go on from here");
    await until("the world goes on in a branch", async () => (await branch()) !== left);
    const earlier = (await client.stats()).tick;
    check(earlier < tick - 60, `it goes on from tick ${earlier}`);
    await visit.until("the page is there", async () => (await visit.tick()) === earlier);
    await visit.until("the branch that was left has a line", async () => (await names("button.branch")).includes(left));
    const lane = await boxOf("button.branch");
    check(lane.bottom <= (await visit.page.evaluate(() => innerHeight)), `its line is in the window, and does not end at ${lane.bottom}`);
    await visit.press(".timeline button", left);
    await until("it is where it was", async () => (await branch()) === left && (await client.stats()).tick === tick);
    await looksBack({ server, client, newPage, tick });
    await visit.press(".timeline button", "what if");
    await visit.until("a twin runs", async () => (await visit.count(".timeline button.what-if[aria-pressed=true]")) === 1);
    await visit.press(".timeline button", "what if");
    await visit.until("none does any more", async () => (await visit.count(".timeline button.what-if[aria-pressed=false]")) === 1);
    await client.request("resume");
  },

  async drops({ visit }) {
    await visit.page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(["x"], "run.drover"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await visit.until("who reads files", async () => (await visit.text(".share [role=status]")).includes("drover-server --replay run.drover"));
  },
};

const ORDER = ["loads", "fails", "moves", "mouse", "time", "select", "slider", "keyboard", "obstacle", "past", "picker", "drops"];

await runTest(() =>
  withServer(["hunters_and_prey"], async (server) => {
    needPage(server);
    await withBrowser(engine, ({ newPage }) =>
      withClient(server, async (client) => {
        const visit = await Visit.open(newPage, server, LAPTOP);
        const renderer = await visit.page.evaluate(() => document.documentElement.dataset.renderer);
        step(`${engine}, drawn by ${renderer}`);
        const failed = [];
        for (const part of asked.length > 0 ? asked : ORDER) {
          try {
            await PARTS[part]({ visit, client, server, newPage });
            await visit.expectWell();
            step(part);
          } catch (error) {
            failed.push(part);
            step(`${part} FAILED: ${error.stack}`);
            visit.errors.length = 0;
          }
        }
        check(failed.length === 0, `failed: ${failed.join(", ")}`);
      }));
  }));
