// Requests, frames and events, against a real server over TCP and over WebSocket.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { check, drover, ENTRY, fails, failure, makeFolder, PACKAGE, removeFolder, ROOT, runTest, same, skip, step, until, withServer } from "./support.mjs";

const { connect, DroverError, Names } = drover;
const FIELDS = ["pos", "vel", "heading", "state", "kind", "stamina", "force", "desired"];

async function testMethods(address) {
  const ops = JSON.parse(readFileSync(join(ROOT, "protocol.schema.json"), "utf8")).$defs.op.enum;
  const world = await connect(address);
  const known = (await world.help()).ops.map(({ op }) => op);
  same([...known].sort(), [...ops].sort(), "the ops of the server");
  for (const op of ops) check(typeof world[op] === "function", `no method ${op}`);
  const wire = await import(`file://${PACKAGE}/dist/wire.js`);
  for (const [op, positional] of Object.entries(wire.POSITIONAL)) {
    const fields = await world.fields(op);
    for (const name of positional) check(name in fields, `${op} has no ${name}`);
  }
  await world.close();
}

async function testRequests(address) {
  const world = await connect(address, { name: "Ann" });
  same([world.isUp, world.greeting.protocol, world.scenario.name], [true, 1, "hunters_and_prey"]);
  await world.pause();
  const { tick, hash, frame } = await world.step(6, { return: "packed", fields: ["pos"] });
  check(hash.length === 16 && frame.tick === tick && frame.x.length === frame.n, "a step with its frame");
  const made = await world.spawn("prey", { count: 3, x: 100, y: 100 });
  same(made.last_id - made.first_id, 2);
  same((await world.remove([made.first_id])).removed, 1);
  same((await world.remove(made.last_id)).removed, 1);
  same((await world.remove({ agent: made.first_id + 1 })).removed, 1);
  const before = (await world.params("prey")).max_speed;
  check(before.unit === "px/s" && before.max > before.value, "a parameter");
  same((await world.set_param("prey", "max_speed", before.value / 2)).value, before.value / 2);
  same((await world.params()).prey.max_speed.value, before.value / 2);
  const error = await fails("no_param", world.set_param("prey", "max_sped", 1));
  check(error.field === "param" && error.message.includes("did you mean") && error.line.op === "error", "an error as it came");
  same((await fails("unknown_op", world.ask("fly"))).field, "op");
  same((await world.batch([{ op: "spawn", kind: "prey" }, { op: "spawn", kind: "hunter" }])).replies.length, 2);
  same((await fails("no_kind", world.batch([{ op: "spawn", kind: "prey" }, { op: "spawn", kind: "whale" }]))).line.index, 1);
  const later = world.spawn("prey", { at: (await world.ping()).tick + 5 }, { timeoutMs: Infinity });
  const end = await world.step(10);
  same((await later).tick, end.tick - 5);
  check((await failure(world.spawn("prey", { x: NaN, y: 1 }))) instanceof TypeError, "NaN is no number of the protocol");
  let mistake;
  try {
    world.pause(1);
  } catch (caught) {
    mistake = caught;
  }
  check(mistake instanceof TypeError, "too many members by position");
  const warned = [];
  world.on("warning", (warning) => warned.push(warning));
  same((await world.spawn("prey", { cuont: 2 })).unknown, ["cuont"]);
  await until("the warning", () => warned.length > 0);
  check(warned[0].hint.includes("count"), "the hint");
  const errors = [];
  world.on("error", (one) => errors.push(one));
  await world.set_target({ name: "nobody", x: 1, y: 1 }, { reply: false });
  await until("the error without an id", () => errors[0]?.code === "no_target");
  const { document, scenario, seed } = await world.export();
  same([document.name, scenario, seed], [world.scenario.title, world.scenario.name, world.scenario.seed]);
  const loaded = await world.load({ document, name: "mine", seed });
  same([loaded.scenario, (await world.load(scenario, { seed })).hash], ["mine", loaded.hash]);
  check((await fails("bad_scenario", world.load({ document: { ...document, kinds: {} } }))).field === "document", "a document with a mistake");
  await world.close();
  await fails("closed", world.ping());
}

async function testFrames(address) {
  const world = await connect(address);
  await world.pause();
  await world.step(30);
  const packed = await world.snapshot({ fields: FIELDS }), objects = await world.snapshot({ layout: "objects", fields: FIELDS });
  same(packed.agents(), objects.agents, "packed and objects");
  same(packed.targets, objects.targets);
  check(packed.x instanceof Int32Array && packed.id instanceof Uint32Array && packed.kind instanceof Names, "columns");
  same([...packed.px.x].slice(0, 3), [...packed.x].slice(0, 3).map((x) => x / 100));
  packed.x.fill(7);
  check((await world.snapshot()).x[0] !== 7 && packed.x[1] === 7, "a column is the frame's own");
  let mistake;
  try {
    (await world.snapshot({ fields: ["pos"] })).vx;
  } catch (caught) {
    mistake = caught;
  }
  check(mistake.code === "no_column" && mistake.message.includes('"vel"'), "a column that was not asked for");
  const near = await world.snapshot({ nearest: 2 });
  same(near.nearest.length, 2 * near.n);
  for await (const cells of world.watch({ layout: "density", grid: [4, 3], by_kind: true, mean_speed: true })) {
    same([cells.count.reduce((sum, one) => sum + one, 0), cells.count.length, cells.vx.length, cells.mean_speed.length], [packed.n, 12, 12, 12]);
    same(Object.values(cells.by_kind).flatMap((column) => [...column]).reduce((sum, one) => sum + one, 0), packed.n);
    break;
  }
  for (const layout of ["packed", "objects"]) {
    for await (const sample of world.watch({ layout, most: 1 })) {
      check(sample.oneIn >= packed.n && sample.of === packed.n, "a sample says of how many agents it is");
      break;
    }
  }
  await world.close();
}

// Each frame of a subscription whose keys come as changes is the world that `get` has; agents come and go.
async function testKeyChanges(address) {
  const world = await connect(address), other = await connect(address);
  await world.pause();
  const watch = world.watch({ fields: FIELDS, key_changes: true, hz: 60 });
  await watch.next();
  const lines = [];
  world.on("line", (line) => lines.push(line));
  for (let i = 0; i < 20; i++) {
    if (i % 3 === 0) await other.spawn("prey", { count: 1 + i });
    if (i % 4 === 1) await other.remove((await other.snapshot()).id[i]);
    const { tick } = await other.step(1 + (i % 7) * 5);
    const objects = await other.snapshot({ layout: "objects", fields: FIELDS });
    let frame;
    do frame = (await watch.next()).value;
    while (frame.tick < tick);
    same(frame.agents(), objects.agents, `frame ${i}`);
  }
  check(lines.some((line) => line.startsWith('{"op":"key"') && line.includes('"from":')), "no key came as a change");
  await watch.return();
  await Promise.all([world.close(), other.close()]);
}

async function testWatch(address) {
  const world = await connect(address);
  await world.resume();
  let last = -1, missed = 0, count = 0;
  for await (const frame of world.watch({ hz: 60, fields: ["pos"] })) {
    check(frame.tick > last, "frames go forward");
    last = frame.tick;
    missed += frame.missed;
    if (++count === 3) await new Promise((done) => setTimeout(done, 300)); // a slow reader
    if (count > 5) break;
  }
  check(missed > 3, `the slow reader missed ${missed}`);
  same((await fails("not_subscribed", world.resync())).code, "not_subscribed"); // break has unsubscribed
  const first = world.watch({ hz: 60, fields: ["pos"] }), second = world.watch({ hz: 10, fields: ["vel"] });
  await first.next();
  await new Promise((done) => setTimeout(done, 100)); // a frame of the first waits
  same((await second.next()).value.names, ["id", "vx", "vy"]);
  await fails("replaced", first.next());
  same([(await second.next()).done, second.granted.hz], [false, 10]);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 200);
  const error = await failure((async () => {
    for await (const frame of world.watch({}, { signal: stop.signal })) check(frame.n > 0, "agents");
  })());
  same([error.name, stop.signal.aborted], ["AbortError", true]);
  await fails("not_subscribed", world.resync());
  await world.pause();
  const still = world.watch({}, { timeoutMs: 200 });
  await still.next();
  await fails("timeout", still.next());
  same(await still.next(), { done: true });
  await world.close();
}

async function testEvents(address) {
  const world = await connect(address), other = await connect(address, { name: "Bob" });
  const spawned = [], stop = new AbortController();
  world.on("spawned", (event) => spawned.push(event.count), { signal: stop.signal });
  const events = world.events("spawned", { timeoutMs: 20000 }), first = events.next();
  await world.ping();
  await other.spawn("prey", { count: 2 });
  same([(await first).value.count, (await first).value.name], [2, "Bob"]);
  stop.abort();
  await other.spawn("prey", { count: 4 });
  same((await events.next()).value.count, 4);
  same(spawned, [2]);
  await events.return();
  const thrown = new Promise((done) => process.once("uncaughtException", done));
  world.on("spawned", () => {
    throw new Error("mine");
  });
  await other.spawn("prey");
  same([(await thrown).message, (await world.ping()).op], ["mine", "reply"], "what a callback throws");
  await Promise.all([world.close(), other[Symbol.asyncDispose]()]);
}

async function testPatience(address) {
  const world = await connect(address);
  await world.pause();
  await fails("timeout", world.spawn("prey", { at: 1e9 }, { timeoutMs: 50 }));
  const stop = new AbortController(), waiting = world.spawn("prey", { at: 1e9 }, { signal: stop.signal });
  stop.abort(new Error("enough"));
  same((await failure(waiting)).message, "enough");
  same((await failure(world.ping({}, { signal: stop.signal }))).message, "enough");
  same((await failure(connect(address, { signal: stop.signal }))).message, "enough");
  await world.close();
}

// Typed arrays travel as base64: what is driven goes where it was driven.
async function testColumns(address) {
  const world = await connect(address);
  await world.pause();
  const { id } = await world.snapshot({ kinds: ["drone"] });
  const reply = await world.drive({ agents: id, vx: new Float64Array(id.length).fill(40), vy: Array.from(id, () => 0) });
  same(reply.driven, id.length);
  await world.place({ agents: id.slice(0, 2), x: Float32Array.of(11, 22), y: [33, 44] });
  const { px } = await world.snapshot({ agents: id.slice(0, 2) });
  same([...px.x, ...px.y], [11, 22, 33, 44]);
  await world.close();
}

async function testTokens(address) {
  const error = await fails("denied", (async () => {
    const world = await connect(address);
    try {
      same([world.greeting.role, world.greeting.scenario], ["none", undefined]);
      await world.pause();
    } finally {
      await world.close();
    }
  })());
  check(error instanceof DroverError, "an error of the package");
  const world = await connect(address, { token: "open-sesame-please", name: "Ann" });
  same([world.greeting.role, world.scenario.name], ["admin", "seek"]);
  await world.pause();
  await world.close();
  const refused = await failure(connect(address, { token: "wrong-wrong-wrong" }));
  check(refused instanceof DroverError && refused.code === "denied", () => `a wrong token: ${refused.stack}`);
}

const addressesOf = ({ port, web }) => ({ ...(ENTRY === "node.js" ? { tcp: `tcp://127.0.0.1:${port}` } : {}), ws: `ws://127.0.0.1:${web}/ws` });

await runTest(async () => {
  if (ENTRY !== "node.js" && typeof WebSocket === "undefined") skip("a Node.js without WebSocket");
  await withServer(["hunters_and_prey", "--seed", "3"], async (server) => {
    for (const [name, address] of Object.entries(addressesOf(server))) {
      for (const test of [testMethods, testRequests, testFrames, testKeyChanges, testWatch, testEvents, testPatience]) {
        step(`${name}: ${test.name}`);
        await test(address);
      }
    }
  });
  step("columns");
  await withServer(["driven"], (server) => testColumns(addressesOf(server).ws));
  step("tokens");
  const folder = makeFolder("js-tokens"), file = join(folder, "tokens");
  writeFileSync(file, "admin open-sesame-please\n", { mode: 0o600 });
  await withServer(["seek", "--token-file", file], async (server) => {
    for (const address of Object.values(addressesOf(server))) await testTokens(address);
  });
  removeFolder(folder);
});
