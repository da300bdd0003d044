// The server of a page without a browser: server.wasm beside the native drover-server. The same requests have the same answers;
// a recording of either is simulated by the other with the same hashes; a link makes the same world again.
//
//     node server_alone.mjs server.wasm drover-server drover [full]

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { spawnSync } from "node:child_process";

import { Client } from "./drover.mjs";
import { bundleScripts, OwnServer } from "./server_host.mjs";
import { check, endProgram, IS_SLOW, makeFolder, PATIENCE_MS, ROOT, runTest, startProgram, step, until } from "./support.mjs";

const [MODULE, SERVER, DROVER] = process.argv.slice(2, 5).map((path) => resolve(path));
const compiled = new WebAssembly.Module(readFileSync(MODULE)), folder = makeFolder("server");
const scripts = await bundleScripts(folder, ["server_core", "share", "world_link"]);
const own = (words, files) => new OwnServer(scripts.ServerCore, compiled, words, files);
const SCENARIOS = ["flock", "hunters_and_prey", "station", "guard", "labyrinth", ...(IS_SLOW ? ["herd", "pedestrians", "capture_the_flag", "walk", "figure_of_eight"] : [])];

async function native(words) {
  const server = startProgram(SERVER, ["--port", "0", "--scenarios", join(ROOT, "scenarios"), "--recordings", folder, ...words], { cwd: folder });
  const found = await until("the server listens", () => /listening on \S+:(\d+)/.exec(server.stdout));
  const client = await Client.connect(Number(found[1]));
  return { client, async end() {
    client.close();
    await endProgram(server, PATIENCE_MS);
  } };
}

const same = (words, found, wanted) =>
  check(JSON.stringify(found) === JSON.stringify(wanted), () => `${words}: in the page ${JSON.stringify(found).slice(0, 600)}, elsewhere ${JSON.stringify(wanted).slice(0, 600)}`);

// Requests of each kind; what is answered by a clock is left out.
function requestsFor(scenario) {
  return [
    ["get_params", {}], ["step", { count: 60 }], ["inspect", { agent: 1 }], ["spawn", { count: 3 }], ["step", { count: 20 }], ["list", { what: "targets" }],
    ["list", { what: "scenarios" }], ["set_param", { name: "max_speed", value: 90.5 }], ["set_param", { name: "max_sped", value: 1 }], ["step", { count: 1 }],
    ["add_obstacle", { circle: [-0.0, 100, 10.25] }], ["step", { count: 40 }], ["batch", { requests: [{ op: "spawn", count: 1 }, { op: "nosuch" }] }],
    ["save", { name: "here" }], ["step", { count: 30 }], ["load", { save: "here" }], ["step", { count: 30 }], ["load", { scenario }], ["step", { count: 10 }],
    ["load", { scenario: "nosuch" }], ["seek", { tick: 3 }], ["help", {}], ["pause", {}], ["speed", { value: 2 }], ["remove", { ids: [2] }], ["step", { count: 5 }],
  ];
}

async function answers() {
  for (const scenario of SCENARIOS) {
    step(`${scenario}: the same answers`);
    const words = [scenario, "--seed=7", "--paused"], page = own(words), server = await native(words);
    same("hello", { ...page.hello, session: 0 }, { ...server.client.hello, session: 0 });
    for (const [op, fields] of requestsFor(scenario)) {
      const found = page.request(op, fields), wanted = await server.client.request(op, fields);
      for (const answer of [found, wanted]) ["id", "line", "bytes"].forEach((name) => delete answer[name]); // the id differs, and what depends on it
      same(`${scenario}: ${op} ${JSON.stringify(fields)}`, found, wanted);
    }
    await server.end();
  }
}

async function recordings() {
  step("a recording of the page is simulated elsewhere, and the other way round");
  const page = own(["hunters_and_prey", "--seed=3"]);
  page.request("record", { on: true, name: "page" });
  page.request("set_target", { name: "mouse", x: 300, y: 200 });
  page.request("spawn", { kind: "prey", count: 5 });
  page.until("two seconds", () => page.request("stats").tick > 120);
  page.request("record", { on: false });
  const file = join(folder, "of-the-page.drover");
  writeFileSync(file, page.core.files.get("/recordings/page.drover"));
  const verified = spawnSync(DROVER, ["verify", file], { encoding: "utf8" });
  check(verified.status === 0 && /all the same/.test(verified.stdout), () => `drover verify: ${verified.stdout}${verified.stderr}`);

  const server = await native(["flock", "--seed=9"]);
  await server.client.request("record", { on: true, name: "native" });
  await server.client.request("set_target", { name: "mouse", x: 30, y: 20 });
  const written = () => readFileSync(join(folder, "native.drover"), "utf8");
  await until("two hashes behind the first checkpoint", () => /"op":"checkpoint"(.*\n)*.*"op":"hash"(.*\n)*.*"op":"hash"/.test(written()));
  await server.client.request("record", { on: false });
  await server.end();
  const text = written();
  const player = own(["--replay=/native.drover"], { "/native.drover": text });
  check(player.hello.replay !== undefined, "the page plays a recording");
  const hashes = text.split("\n").filter((line) => line.includes('"op":"hash"')).map((line) => JSON.parse(line))
    .filter(({ tick }) => tick >= player.hello.replay.first); // one from before the first checkpoint cannot be gone to
  check(hashes.length > 0, "there are hashes");
  for (const { tick, hash } of hashes) same(`the hash at tick ${tick}`, player.request("seek", { tick }).hash, hash);
  player.request("resume");
  player.until("the end of the recording", () => player.request("stats").paused);
  check(player.request("stats").replay.diverged === false, "no hash is another one");
  step("a damaged one ends where its lines are whole");
  const wrong = text.replace(/("op":"hash","tick":\d\d+,"seq":\d+,"hash":")(.)/, (_, before, digit) => `${before}${digit === "0" ? "1" : "0"}`);
  const cut = own(["--replay=/wrong.drover"], { "/wrong.drover": wrong });
  check(cut.hello.replay.last < player.hello.replay.last, () => `the line with a wrong sum ends the file: ${cut.hello.replay.last} of ${player.hello.replay.last}`);
}

async function shares() {
  step("a link makes the same world again");
  const page = own(["hunters_and_prey", "--seed=5", "--paused"]);
  page.request("step", { count: 30 });
  page.request("set_target", { name: "mouse", x: 100, y: 90 });
  page.request("set_param", { kind: "prey", name: "max_speed", value: 111 });
  page.request("step", { count: 40 });
  page.request("spawn", { kind: "prey", count: 2 });
  const { hash } = page.request("step", { count: 30 });
  page.request("record", { last: 86400, name: "share" });
  const recording = Buffer.from(page.core.files.get("/recordings/share.drover")).toString("utf8");
  const share = scripts.shareOf(recording, (name) => readFileSync(join(ROOT, `scenarios/${name}.json`), "utf8"));
  const word = await scripts.packed(JSON.stringify(share.world));
  check(word.length < 400, () => `a short link: ${word.length} characters`);
  const world = { ...scripts.sharedWorldOf(await scripts.unpacked(word)), isPaused: true };
  const other = own(scripts.wordsOf(world, null));
  for (const line of scripts.linesOf(world)) other.core.say(other.port, line);
  other.take("the tick of the link", (line) => line.includes('"to":"step"'));
  same("the world of the link", other.request("step", { count: 1 }).hash, page.request("step", { count: 1 }).hash);
  check(hash !== undefined && share.note === "" && share.world.text === undefined, "a scenario of the catalog goes by its name");

  step("a changed scenario goes along, in 2 kB");
  const changed = readFileSync(join(ROOT, "scenarios/flock.json"), "utf8").replace('"count": 250', '"count": 77');
  const changedWord = await scripts.packed(JSON.stringify({ scenario: "mine", text: changed }));
  check(changedWord.length <= 2048, () => `${changedWord.length} characters`);
  const mine = own(scripts.wordsOf({ scenario: "mine", text: changed, isPaused: true }, "/own.json"), { "/own.json": changed });
  same("its agents", mine.request("stats").agents, 77);

  step("a hostile link has a sentence");
  const bombs = { "deep": `{"scenario":"a","text":${"[".repeat(100000)}`, "long": JSON.stringify({ scenario: "a", text: "x".repeat(5 << 20) }) };
  const words = { "!": "base64", "AAAA": "damaged", [await scripts.packed("[1]")]: "no scenario", [await scripts.packed('{"scenario":"<b>"}')]: "no scenario",
                  [await scripts.packed('{"scenario":"a","seed":-1}')]: "seed", ["A".repeat(70000)]: "64 kB", [await scripts.packed(bombs.deep)]: "JSON", [await scripts.packed(bombs.long)]: "4 MiB" };
  for (const [bad, wanted] of Object.entries(words)) {
    const said = await scripts.wantedWorld(`#w=${bad}`).then(() => "nothing", (error) => error.message);
    check(said.includes(wanted), () => `${bad.slice(0, 40)}: ${said}`);
  }
  const refusal = (files, start) => {
    try {
      own(start, files);
      return "nothing";
    } catch (error) {
      return error.message;
    }
  };
  const many = changed.replace('"count": 77', '"count": 10000000');
  const found = [refusal({ "/own.json": many }, ["/own.json"]), refusal({ "/own.json": "{" }, ["/own.json"]), refusal({}, ["nosuch"]),
                 refusal({ "/r.drover": "no recording" }, ["--replay=/r.drover"])];
  const wanted = [/10000000/, /own\.json:1:2/, /no scenario "nosuch"/, /r\.drover/];
  found.forEach((said, i) => check(wanted[i].test(said), () => `refusal ${i}: ${said}`));
}

await runTest(async () => {
  await answers();
  await recordings();
  await shares();
});
