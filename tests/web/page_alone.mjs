// The page without a browser: page.wasm in node, a real server, a hand that points, clicks and types.
//
//     node page_alone.mjs page.wasm drover-server

import { resolve } from "node:path";

import { Client } from "./drover.mjs";
import { HAS_CARD, Page, POINTER, TAKES_CROWD, WISH } from "./page_host.mjs";
import { check, endProgram, PATIENCE_MS, ROOT, runTest, sleep, startProgram, step, until } from "./support.mjs";

const [MODULE, SERVER] = process.argv.slice(2).map((path) => resolve(path));
const [WIDTH, HEIGHT] = [640, 480];
const FRAME_MS = 16, CONTROL = 2;
const KEY = { tab: 9, escape: 27, space: 32, follow: 108, velocity: 118, quit: 113, ground: 98, clip: 0x40000042, picture: 0x40000045, csv: 101, heat: 104 };
// What bar, margins and panels leave of the picture, without side panel and legend: its middle is where a followed agent is.
const MIDDLE = [WIDTH / 2, (48 + HEIGHT - 16) / 2];

async function start(scenario, port = 0) {
  const server = startProgram(SERVER, ["--port", `${port}`, "--scenarios", `${ROOT}/scenarios`, scenario], { cwd: ROOT });
  const found = await until(`${scenario} listens`, () => /listening on \S+:(\d+)/.exec(server.stdout));
  return { ...server, port: Number(found[1]), end: () => endProgram(server, PATIENCE_MS) };
}

// Frames until ask() has a value.
async function frames(page, port, words, ask) {
  return until(words, () => {
    const wish = page.frame(port);
    check((wish & WISH.ENDED) === 0, () => `the page ended: ${page.failure()}`);
    return Boolean(ask(wish)); // an empty text is no value
  }, PATIENCE_MS, FRAME_MS);
}

// For so long, and so many frames: a busy machine draws few.
async function run(page, port, ms, least = 0) {
  const end = performance.now() + ms;
  let count = 0;
  await frames(page, port, "frames", () => ++count > least && performance.now() > end);
}

function open(options = {}) {
  return new Page(MODULE, { width: WIDTH, height: HEIGHT, options: ["--panel=off", "--name=Ann"], ...options });
}

async function pictures(port) {
  step("pixels, and a mesh where there is a card");
  const raster = open(), card = open({ flags: HAS_CARD });
  await frames(raster, port, "a picture with agents", (wish) => (wish & WISH.PIXELS) !== 0 && raster.sections.legend !== undefined);
  await frames(raster, port, "a picture of many colors", () => new Set(raster.pixels()?.pixels).size > 20); // agents appear in some time
  const { width, height } = raster.pixels();
  check(width === WIDTH && height === HEIGHT, `a picture of ${width} x ${height}`);
  await frames(card, port, "a mesh", (wish) => (wish & WISH.MESH) !== 0 && card.mesh().vertexCount > 100);
  const mesh = card.mesh();
  check(mesh.batchCount > 0 && mesh.batches.length === 9 * mesh.batchCount, "a mesh has batches");
  for (let i = 0; i < mesh.batchCount; i++) {
    const [texture, x0, y0, x1, y1, first, count, firstIndex, indexCount] = new Int32Array(mesh.batches.slice(9 * i, 9 * i + 9));
    check(texture >= 0 && texture < 3 && x0 <= x1 && y0 <= y1 && first + count <= mesh.vertexCount && firstIndex + indexCount <= mesh.indexCount,
          `batch ${i} lies in the mesh`);
    check(card.exports.page_texture(texture) !== 0, `batch ${i} has its texture`);
  }
  raster.close();
  card.close();
}

async function acting(port, client) {
  step("keys, clicks, selection, pause: seen in the panels and by another client");
  const page = open();
  await frames(page, port, "the bar says that the world runs", () => page.sections.bar?.state.startsWith("running"));
  check(page.title.includes("unters"), `the title names the world: ${page.title}`);
  await run(page, port, 1000); // agents that appear cannot be selected yet
  check(page.key(KEY.tab) === 1, "Tab is the page's");
  await frames(page, port, "an agent is selected", () => page.sections.agent?.title || (page.key(KEY.tab), false));
  await run(page, port, 300);
  const selected = page.sections.agent.title;
  page.key(KEY.follow);
  page.key(KEY.space);
  await frames(page, port, "the bar says paused", () => page.sections.bar.state.startsWith("paused"));
  check((await client.request("stats")).paused === true, "the world is paused for other clients too");
  await run(page, port, 1500, 10); // the picture comes to rest
  page.key(KEY.escape);
  await frames(page, port, "nothing is selected", () => !page.sections.agent?.title);
  page.click(...MIDDLE);
  await frames(page, port, "the click selects the followed agent again", () => page.sections.agent?.title === selected);
  await frames(page, port, "its equations come", () => page.sections.equations);
  step("settings are kept, files are downloads, some keys are the browser's");
  page.key(KEY.velocity);
  await frames(page, port, "the overlay is kept", () => page.kept.some((text) => JSON.parse(text).overlays.includes("velocity")));
  page.key(KEY.ground, CONTROL);
  await frames(page, port, "a light ground", () => page.sections.theme.light);
  check(page.key(KEY.quit, CONTROL) === 0 && page.key(KEY.clip) === 0, "Ctrl+Q and F9 are left to the browser");
  check(page.key(KEY.picture) === 1 && page.key(KEY.csv, CONTROL) === 1, "F12 and Ctrl+E are the page's");
  await frames(page, port, "two files", () => page.saved.length === 2);
  check(page.saved.some((one) => one.name.endsWith(".png") && one.width > 0) && page.saved.some((one) => one.text?.startsWith("t")), "a picture and a table");
  page.key(KEY.space);
  await frames(page, port, "the world runs again", () => page.sections.bar.state.startsWith("running"));
  const kept = page.kept.at(-1);
  page.close();
  const next = open({ settings: kept });
  await frames(next, port, "the settings of the earlier visit", () => next.sections.theme?.light);
  next.close();
}

async function pointing(port, client) {
  step("a hand over the picture moves the target of the world");
  const page = open();
  await frames(page, port, "the world", () => page.sections.bar?.tick);
  const { size } = client.hello.scenario;
  const before = await client.target("mouse");
  for (let i = 0; i < 20; i++) {
    page.exports.page_pointer(POINTER.MOVE, 0, MIDDLE[0] + 3 * i, MIDDLE[1], 0, 0, 0);
    await run(page, port, 30);
  }
  const after = await until("the target moves", async () => {
    await run(page, port, 30);
    const at = await client.target("mouse");
    return at.x !== before.x && at;
  });
  check(after.x > 0 && after.x < size[0], `the target moved: ${before.x} to ${after.x}`);
  check(page.mesh() === null, "a raster page has no mesh");
  page.exports.page_gesture(...MIDDLE, 40, 0, 2);
  page.exports.page_wheel(...MIDDLE, 1);
  page.exports.page_pointer(POINTER.DOWN, 0, ...MIDDLE, 2, 1, 0);
  page.exports.page_pointer(POINTER.CANCEL, 0, ...MIDDLE, 0, 0, 0);
  page.exports.page_resize(2 * WIDTH, 2 * HEIGHT, 2);
  await frames(page, port, "a picture of twice the size", () => page.pixels()?.width === 2 * WIDTH);
  page.close();
}

async function hidden(port) {
  step("a hidden page gets no frames, and comes back at once");
  const page = open();
  await frames(page, port, "the world", () => page.sections.bar?.tick);
  page.exports.page_hide(1);
  await sleep(1000);
  page.frame(port);
  await sleep(1000);
  let bytes = 0;
  const count = (chunk) => (bytes += chunk.length);
  page.socket.on("data", count);
  const lines = page.sent.length;
  for (let i = 0; i < 4; i++) {
    await sleep(500);
    check((page.frame(port) & (WISH.PIXELS | WISH.PANELS)) === 0, "a hidden page draws nothing");
  }
  page.socket.off("data", count);
  check(bytes < 4000 && !page.sent.slice(lines).some((line) => line.includes("subscribe")), `while it was hidden ${bytes} bytes came, ${page.sent.length - lines} lines went`);
  const tick = page.sections.bar.tick;
  const before = performance.now();
  page.exports.page_hide(0);
  await frames(page, port, "another tick", () => page.sections.bar.tick !== tick);
  console.log(`back after ${Math.round(performance.now() - before)} ms`);
  page.close();
}

async function reconnecting() {
  step("the server goes and comes back: the page finds it again");
  const first = await start("seek");
  const page = open();
  await frames(page, first.port, "the world", () => page.sections.bar?.state.startsWith("running"));
  await first.end();
  await frames(page, first.port, "the page says so", () => JSON.stringify(page.sections.banner ?? "").includes("server"));
  const second = await start("seek", first.port);
  await frames(page, first.port, "the world again", () => page.sections.bar.state.startsWith("running"));
  page.close();
  await second.end();
}

async function tooLarge(port) {
  step("a message that there is no room for ends the connection, and the page says why");
  const page = open();
  await frames(page, port, "the world", () => page.sections.bar?.tick);
  check(page.exports.page_reserve(64 * 1024 * 1024) === 0, "there is no room");
  const { closures } = page;
  await frames(page, port, "the socket is closed", () => page.closures > closures);
  await frames(page, port, "the page says why", () => JSON.stringify(page.sections.banner ?? "").includes("64 MiB"));
  await frames(page, port, "the world again", () => page.sections.bar.state.startsWith("running"));
  page.close();
}

function refusals() {
  step("options that cannot be used, and settings of another program");
  for (const options of [["--size=1x1"], ["--nonsense"], ["--help"]]) {
    let words = "";
    try {
      open({ options });
    } catch (error) {
      words = error.message;
    }
    check(words !== "", `${options} is refused`);
  }
  check(open({ settings: "{nonsense" }).log.some((line) => line.includes("settings")), "settings that cannot be read are reported");
  const rows = open().shortcuts();
  check(rows.length > 50 && rows.some((row) => row.key === "Space") && rows.some((row) => row.no_page), "the table of shortcuts");
}

// The rows of a page that takes them; null while its crowd is drawn otherwise.
function crowdOf(page) {
  const at = page.exports.page_crowd();
  if (at === 0) return null;
  const [, count, version, , batch] = page.words(at, 5);
  return { count, version, batch };
}

async function crowd() {
  step("a large crowd: rows for the card, the same for many pictures; a click finds an agent");
  const server = await start("murmuration_10k");
  const client = await Client.connect(server.port);
  try {
    const page = open({ flags: HAS_CARD | TAKES_CROWD }), triangles = open({ flags: HAS_CARD });
    for (const one of [page, triangles]) {
      await frames(one, server.port, "the bar", () => one.sections.bar !== undefined);
      one.key(KEY.heat);
      one.key(KEY.heat);
    }
    await frames(page, server.port, "rows", () => crowdOf(page)?.count > 10000);
    check(page.mesh().vertexCount < 20000 && crowdOf(page).batch <= page.mesh().batchCount, "no triangles for agents");
    await frames(triangles, server.port, "triangles for agents", () => triangles.mesh().vertexCount > 20000);
    check(crowdOf(triangles) === null, "no rows for a page that takes none");
    triangles.close();
    await client.request("pause");
    await frames(page, server.port, "the bar says paused", () => page.sections.bar.state.startsWith("paused"));
    await run(page, server.port, 1500, 10);
    const { version } = crowdOf(page);
    let pictures = 0;
    await frames(page, server.port, "pictures", (wish) => {
      page.exports.page_pointer(POINTER.MOVE, 0, 300 + (pictures % 7), 200, 0, 0, 0);
      pictures += (wish & WISH.MESH) !== 0 ? 1 : 0;
      return pictures > 20;
    });
    check(crowdOf(page).version === version, "rows stay as they are without snapshots");
    for (let x = 200; x < 460 && !page.sections.agent?.title; x += 4) {
      page.click(x, 250);
      await run(page, server.port, 40);
    }
    check(Boolean(page.sections.agent?.title), "a click selects an agent");
    await client.request("step", { count: 1 });
    await frames(page, server.port, "other rows with a snapshot", () => crowdOf(page).version > version);
    page.close();
  } finally {
    client.close();
    await server.end();
  }
}

await runTest(async () => {
  refusals();
  const server = await start("hunters_and_prey");
  const client = await Client.connect(server.port);
  try {
    await pictures(server.port);
    await acting(server.port, client);
    await pointing(server.port, client);
    await hidden(server.port);
    await tooLarge(server.port);
  } finally {
    client.close();
    await server.end();
  }
  await reconnecting();
  await crowd();
});
