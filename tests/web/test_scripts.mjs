// The parts of the page's scripts that need no browser: keys, the wheel, fingers, the address, the socket's address.

import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { check, makeFolder, ROOT, runTest, skip, sleep, step } from "./support.mjs";

const same = (found, wanted) =>
  check(JSON.stringify(found) === JSON.stringify(wanted), () => `${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);

async function load(folder, name) {
  const out = join(folder, `${name.replace("/", "-")}.mjs`);
  const made = spawnSync("esbuild", [join(ROOT, "web/src", `${name}.ts`), "--bundle", "--format=esm", "--target=es2020", `--outfile=${out}`, "--log-level=warning"]);
  if (made.error) skip("not installed: esbuild");
  check(made.status === 0, () => String(made.stderr));
  return import(out);
}

function testKeys({ keyCode, isBrowsers, notches }) {
  same(keyCode({ key: "f", code: "KeyF" }), 102);
  same(keyCode({ key: "F", code: "KeyF" }), 102);
  same(keyCode({ key: "+", code: "Equal" }), 61); // Shift does not make another key of it
  same(keyCode({ key: "а", code: "KeyF" }), 102); // a Cyrillic keyboard: the place of the key
  same(keyCode({ key: "F6", code: "F6" }), 0x4000003f);
  same(keyCode({ key: "Home", code: "Home" }), 0x4000004a);
  same(keyCode({ key: "Dead", code: "Quote" }), 0);
  const browsers = (key, words = {}, hasFocus = true) => isBrowsers({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...words }, hasFocus);
  check(browsers("F5") && browsers("r", { ctrlKey: true }) && browsers("w", { ctrlKey: true }) && browsers("+", { ctrlKey: true }), "load again, tabs and zoom are the browser's");
  check(!browsers("z", { ctrlKey: true }) && !browsers("f") && !browsers("Tab"), "undo, forces and the next agent are the viewer's");
  check(browsers("Tab", { shiftKey: true }) && browsers("Tab", {}, false), "the keyboard finds a way out of the world, and through the panels");
  same(notches({ deltaY: -100, deltaMode: 0 }), 1);
  same(notches({ deltaY: 3, deltaMode: 1 }), -1);
  same(notches({ deltaY: 1e6, deltaMode: 0 }), -4);
}

// Files of a module in a page: what it writes has an end, as on a full disk, and goes on when a file is gone.
function testFiles({ Files }) {
  const memory = new ArrayBuffer(4096), view = new DataView(memory), NO_SPACE = 51;
  const wasi = new Files(() => memory, () => {}, () => 0, 1000).functions();
  const name = (text) => new Uint8Array(memory).set(new TextEncoder().encode(text), 64);
  const open = (text) => (name(text), same(wasi.path_open(3, 0, 64, text.length, 1, 0n, 0n, 0, 0), 0), view.getUint32(0, true));
  const write = (descriptor, length) => {
    view.setUint32(16, 2048, true);
    view.setUint32(20, length, true);
    return [wasi.fd_write(descriptor, 16, 1, 8), view.getUint32(8, true)];
  };
  const first = open("a"), second = open("b");
  same(write(first, 600), [0, 600]);
  same(write(second, 300), [0, 300]);
  same(write(second, 200), [NO_SPACE, 0]);
  same(wasi.fd_filestat_set_size(second, 500n), NO_SPACE);
  same(write(second, 50), [0, 50]); // nothing of what was refused is there
  name("a");
  same(wasi.path_unlink_file(3, 64, 1), 0);
  same(write(second, 600), [0, 600]);
}

function testLoading({ awaited, bytesWords }) {
  same(bytesWords(0, 540_321), "0 of 540 kB");
  same(bytesWords(540_321, 540_321), "540 of 540 kB");
  const bar = (scenario, tick) => ({ scenario, tick });
  same(awaited({}), { share: 0.8, words: "Connecting" });
  same(awaited({ bar: bar("", ""), banner: { title: "Connecting in 2 s", words: "" } }), { share: 0.8, words: "" }); // the banner says it
  same(awaited({ bar: bar("Flock", ""), banner: { title: "", words: "" } }), { share: 0.95, words: "Waiting for the first picture" });
  same(awaited({ bar: bar("Flock", "12") }).share, 1);
}

function testAddress({ addressOf, fragmentOf, fragmentWith, optionsOf, takeFragment, withTheme }, { socketUrl }) {
  const fragment = fragmentOf("#token=secret&name=Ann%20B&renderer=raster&evil=--config");
  same(optionsOf(fragment, "secret", "h:80"), ["h:80", "--name=Ann B", "--token=secret"]);
  same(fragment.renderer, "raster");
  const themes = (hash, isFirst, isLight) => withTheme(fragmentOf(hash), isFirst, isLight).options;
  same(themes("", true, true), [["theme", "light"]]);
  same([...themes("", false, true), ...themes("", true, false)], []);
  same(themes("#theme=dark", true, true), [["theme", "dark"]]);
  same(fragmentOf(fragmentWith("#name=Ann&token=old", "a b&c")), { ...fragmentOf("#name=Ann"), token: "a b&c" });
  same(optionsOf(fragmentOf(""), "", "h:80"), ["h:80"]);
  same(addressOf({ protocol: "https:", hostname: "sim.example.org", port: "" }), "sim.example.org:443");
  const seen = [];
  takeFragment({ hash: "#token=secret&name=Ann", pathname: "/", search: "" }, { replaceState: (...words) => seen.push(words[2]) });
  takeFragment({ hash: "#name=Ann", pathname: "/", search: "" }, { replaceState: (...words) => seen.push(words[2]) });
  same(seen, ["/#name=Ann"]);
  same(socketUrl({ protocol: "https:", host: "sim.example.org" }), "wss://sim.example.org/ws");
  same(socketUrl({ protocol: "http:", host: "127.0.0.1:7718" }), "ws://127.0.0.1:7718/ws");
}

async function testFingers({ Touch }) {
  const MOVE = 0, DOWN = 1, UP = 2, LEAVE = 3, CANCEL = 4;
  let sent = [], leads = true, menus = 0;
  const touch = new Touch((message) => sent.push(message), { leadsMouse: () => leads, openMenu: () => menus++ });
  const pointers = () => sent.splice(0).map(({ type, event }) => (type === "pointer" ? event : type));
  touch.handle("pointerdown", 1, 50, 50, 0);
  same(pointers(), []); // nothing is clicked before the finger is up
  touch.handle("pointerup", 1, 50, 50, 80);
  same(pointers(), [MOVE, DOWN, UP, LEAVE]);
  touch.handle("pointerdown", 1, 52, 50, 200);
  touch.handle("pointerup", 1, 52, 50, 260);
  same(sent.splice(0).map(({ clicks }) => clicks), [0, 2, 2, 0]); // the second tap
  touch.handle("pointerdown", 1, 50, 50, 1000);
  touch.handle("pointermove", 1, 80, 50, 1020);
  touch.handle("pointerup", 1, 80, 50, 1040);
  same(pointers(), [MOVE, DOWN, MOVE, UP, LEAVE]);
  leads = false;
  touch.handle("pointerdown", 1, 50, 50, 2000);
  touch.handle("pointermove", 1, 80, 55, 2020);
  touch.handle("pointerup", 1, 80, 55, 2040);
  same(sent.splice(0), [{ type: "gesture", x: 80, y: 55, dx: 30, dy: 5, factor: 1 }]); // a viewer moves the picture
  leads = true;
  touch.handle("pointerdown", 1, 50, 50, 3000);
  touch.handle("pointermove", 1, 70, 50, 3010);
  touch.handle("pointerdown", 2, 170, 50, 3020); // a second finger: the drag ends without a click
  same(pointers(), [MOVE, DOWN, MOVE, CANCEL]);
  touch.handle("pointermove", 2, 270, 50, 3030);
  same(sent.splice(0), [{ type: "gesture", x: 170, y: 50, dx: 50, dy: 0, factor: 2 }]);
  touch.handle("pointerup", 2, 270, 50, 3040);
  touch.handle("pointermove", 1, 90, 90, 3050);
  touch.handle("pointerup", 1, 90, 90, 3060);
  same(pointers(), []); // the finger that is left over does nothing
  touch.handle("pointerdown", 1, 50, 50, 4000);
  await sleep(700);
  touch.handle("pointerup", 1, 50, 50, 4700);
  same([menus, pointers()], [1, []]);
}

function testWords({ forFingers, gestureOf, gestures }) {
  const rows = [
    ["Lead the herd with the mouse; click a hunter and watch its stamina.", "Lead the herd with a finger; tap a hunter and watch its stamina."],
    ["No agent here. F: forces of all agents", "No agent here"], ["No single agents here: the wheel zooms in to them", "No single agents here: two fingers zoom in to them"],
    ["Zoom in with the wheel; click one and press L to follow it.", "Zoom in with two fingers; tap one and choose Follow to follow it."],
    ["Press K and raise it; press A and click to add.", "Open the sliders and raise it; choose Add and tap to add."],
    ["Press C until the color shows the speed.", "Change \"color by\" until the color shows the speed."],
    ["Jerk the mouse from side to side. Click it.", "Jerk your finger from side to side. Tap it."],
    ["Click adds: prey  (A: another kind, Shift: 10, Esc: done)", "Tap adds: prey"],
    ["the target named mouse (in a world of one)", "the target named mouse (in a world of one)"],
  ];
  for (const [words, wanted] of rows) same(forFingers(words), wanted);
  const keys = [{ key: "Mouse", words: "a" }, { key: "M", words: "b" }, { key: "Drag", words: "c" }, { key: "", words: "d" }, { key: "Click", words: "e" }];
  same(gestures(keys).map(({ key, words }) => key + words), ["Draga", "Dragc", "d", "Tape"]);
  same([gestureOf("two fingers"), gestureOf("a button beside the timeline"), gestureOf("")], ["Two fingers", "", ""]);
}

await runTest(async () => {
  const folder = makeFolder("scripts");
  step("keys and wheel");
  testKeys(await load(folder, "input"));
  step("the address");
  testLoading(await load(folder, "loading"));
  testAddress(await load(folder, "start"), await load(folder, "link"));
  step("files in memory");
  testFiles(await load(folder, "files"));
  step("fingers");
  await testFingers(await load(folder, "touch"));
  testWords(await load(folder, "panels/fingers"));
});
