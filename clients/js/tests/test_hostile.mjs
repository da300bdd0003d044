// Servers that are none, or mean harm: an error each time, in bounded time, and nothing hangs.

import { check, drover, failure, fails, fakeServer, frameOf, HELLO, IS_FULL, IS_SLOW, lineOf, randomOf, replyTo, runTest, same, step, until, withServer } from "./support.mjs";

const { connect, DroverError } = drover;
const LINES = ["{", "[1]", "7", "null", "{}", '{"op":1}', '{"op":"reply","id":1,', '{"op":"hello"', "\u0000", "GET / HTTP/1.1"];
const column = (type, ...values) => Buffer.from(type.from(values).buffer).toString("base64");
const KEY = {
  op: "key", tick: 0, key: 1, n: 2, scale: 100, kinds: ["bird"], states: ["fly", "rest"], id: column(Uint32Array, 1, 5), kind: column(Uint8Array, 0, 0),
  state: column(Uint16Array, 0, 1), x: column(Int32Array, 100, 200), heading: column(Uint16Array, 35990, 10),
};
const DELTA = { op: "delta", tick: 3, time: 0.05, key: 1, n: 2, x: column(Int16Array, -1, 1), heading: column(Int16Array, 20, -20), targets: [], clock: 1 };

// A line instead of an answer: the request is lost, with the reason, and the next connection serves.
async function testBrokenLines(over) {
  for (const line of LINES) {
    const server = await fakeServer({ over, answer: (number, text) => (number === 1 ? `${line}\n` : replyTo(text)) });
    const world = await connect(server.address);
    check((await fails("lost", world.ask("spawn"))).message.includes("no drover-server"), `the reason of ${line}`);
    await world.ping();
    same(server.connections, 2);
    await world.close();
    await server.close();
    const greeter = await fakeServer({ over, greet: () => `${line}\n` });
    await fails("protocol", connect(greeter.address));
    await greeter.close();
  }
}

async function testBytes() {
  const bytes = Buffer.from(lineOf(HELLO).trim()), middle = bytes.length >> 1;
  const pieces = Buffer.concat([frameOf(bytes.subarray(0, 5), 0x01), frameOf("", 0x00), frameOf("hi", 0x89), frameOf(bytes.subarray(5, middle), 0x00),
    frameOf(bytes.subarray(middle), 0x80)]);
  const good = await fakeServer({ over: "ws", greet: () => pieces }); // fragments with a ping between them
  const world = await connect(good.address);
  await world.ping();
  await world.close();
  await good.close();
  const latin = Buffer.from(lineOf({ ...HELLO, server: "é" }), "latin1");
  for (const [over, greet] of [
    ["tcp", latin], ["ws", frameOf(latin)], ["ws", frameOf(bytes, 0x82)], ["ws", frameOf(bytes, 0xc1)], ["ws", frameOf(bytes, 0x80)], ["ws", frameOf(bytes, 0x83)],
    ...[frameOf("x".repeat(126), 0x89), frameOf("{}", 0x09), Buffer.from([0x81, 0x82, 1, 2, 3, 4, 5, 6])].map((frame) => ["ws", Buffer.concat([frame, frameOf(bytes)])]),
    ["ws", Buffer.from([0x81, 127, 255, 255, 255, 255, 255, 255, 255, 255])],
  ]) {
    const server = await fakeServer({ over, greet: () => greet });
    await fails("protocol", connect(server.address));
    await until("the connection is closed", () => server.open.size === 0);
    await server.close();
  }
  const closing = await fakeServer({ over: "ws", greet: () => frameOf([3, 232], 0x88) });
  await fails("lost", connect(closing.address));
  await closing.close();
  const plain = await fakeServer({ greet: () => "", answer: () => "" }); // no HTTP at all
  const error = await failure(connect(plain.address.replace("tcp", "ws"), { timeoutMs: 300 }));
  check(error instanceof DroverError && ["unreachable", "timeout"].includes(error.code), () => `no HTTP: ${error.stack}`);
  await plain.close();
}

// A line without an end is refused when it is too long, whatever its pieces; one just short of that is taken.
async function testHugeLines(over) {
  const most = 200000, piece = "x".repeat(most >> 2);
  let sent = 0;
  const server = await fakeServer({
    over,
    answer: (number, line, socket) => {
      const { id, op } = JSON.parse(line);
      if (op === "ping") return lineOf({ op: "reply", to: "ping", id, tick: 0, padding: "x".repeat(most - 100) });
      const pour = () => {
        sent += piece.length;
        if (!socket.destroyed && socket.write(over === "tcp" ? piece : frameOf(piece, sent === piece.length ? 0x01 : 0x00))) setTimeout(pour, 1);
      };
      pour();
      socket.on("drain", pour);
      return "";
    },
  });
  const world = await connect(server.address, { maxLine: most });
  check((await world.ping()).padding.length === most - 100, "a long line");
  check((await fails("lost", world.ask("spawn"))).message.includes(`longer than ${most} bytes`), "the reason");
  await until("the connection is closed", () => server.open.size < 2);
  await world.close();
  await server.close();
}

// What a loop over frames or a column is when a line is damaged: a DroverError, or right.
async function frameFrom(...lines) {
  const server = await fakeServer({ answer: (_, line) => replyTo(line) + lines.map(lineOf).join("") });
  const world = await connect(server.address, { reconnect: false });
  try {
    const { value } = await world.watch({}, { timeoutMs: 20000 }).next();
    return value.names ? Object.fromEntries(value.names.map((name) => [name, [...value[name]]])) : value;
  } finally {
    await world.close();
    await server.close();
  }
}

async function testColumns() {
  same(await frameFrom(KEY, DELTA), { id: [1, 5], kind: ["bird", "bird"], state: ["fly", "rest"], x: [99, 201], heading: [10, 35990] });
  const far = { ...DELTA, x_far: column(Int32Array, 1, -7), state_far: column(Int32Array, 0, 1) };
  const { x, state } = await frameFrom(KEY, far);
  same([x, state], [[99, -7], ["rest", "rest"]]);
  const change = { op: "key", tick: 1, key: 2, from: 1, n: 1, scale: 100, kinds: ["bird"], states: ["fly", "rest"], id: column(Uint32Array, 3), kind: column(Uint8Array, 0),
    state: column(Uint16Array, 1), x: column(Int32Array, 150), heading: column(Uint16Array, 7), gone: column(Uint32Array, 0) };
  same((await frameFrom(KEY, change, { ...DELTA, key: 2 })).id, [3, 5]);
  for (const [what, ...lines] of [
    ["no key", DELTA], ["another key", KEY, { ...DELTA, key: 2 }], ["another number", KEY, { ...DELTA, n: 3 }], ["no number", { ...KEY, n: -1 }, DELTA],
    ["a huge number", { ...KEY, n: 2 ** 31 }, { ...DELTA, n: 2 ** 31 }], ["a short column", { ...KEY, x: column(Int32Array, 1) }, DELTA],
    ["a half entry", { ...KEY, x: "AAAA" }, DELTA], ["no base64", { ...KEY, x: "AAAAAAAAAA*=" }, DELTA], ["base64 of another length", { ...KEY, x: "AAAAA" }, DELTA],
    ["padding inside", { ...KEY, x: "AA==AAAAAAA=" }, DELTA], ["letters beyond ASCII", { ...KEY, x: "AAAAAAAAAAé=" }, DELTA], ["no text", { ...KEY, x: 7 }, DELTA],
    ["no id", { ...KEY, id: undefined }, DELTA], ["short differences", KEY, { ...DELTA, x: column(Int16Array, 1) }],
    ["far beyond", KEY, { ...DELTA, x_far: column(Int32Array, 2, 1) }], ["far below", KEY, { ...DELTA, x_far: column(Int32Array, -1, 1) }],
    ["half a far", KEY, { ...DELTA, x_far: column(Int32Array, 1) }], ["a state without a name", KEY, { ...DELTA, state_far: column(Int32Array, 0, 2) }],
    ["a state beyond its type", KEY, { ...DELTA, state_far: column(Int32Array, 0, 65536) }], ["no names", { ...KEY, kinds: "bird" }, DELTA],
    ["a change of another key", KEY, { ...change, from: 7 }, { ...DELTA, key: 2 }], ["a change of nothing", change, { ...DELTA, key: 2 }],
    ["gone that is not there", KEY, { ...change, gone: column(Uint32Array, 2) }, { ...DELTA, key: 2 }],
    ["other columns", KEY, { ...change, x: undefined }, { ...DELTA, key: 2 }], ["no scale", { ...KEY, scale: "x" }, DELTA],
    ["a time that is none", KEY, { ...DELTA, time: "now" }], ["no targets", KEY, { ...DELTA, targets: 1 }],
    ["no agents", { op: "snapshot", tick: 1, time: 0, targets: [], clock: 0, agents: {} }],
    ["no grid", { op: "density", tick: 1, time: 0, targets: [], clock: 0, grid: [0, 1], count: "", vx: "", vy: "" }],
    ["a large grid", { op: "density", tick: 1, time: 0, targets: [], clock: 0, grid: [1e9, 1e9], count: "", vx: "", vy: "" }],
  ]) {
    const error = await failure(frameFrom(...lines), what);
    check(error instanceof DroverError && ["protocol", "lost"].includes(error.code), () => `${what}: ${error.stack}`);
  }
}

// Lines of a real server with damage: each is an error of the package or a frame, never anything else.
async function testDamage() {
  const lines = [];
  await withServer(["hunters_and_prey"], async ({ port }) => {
    const world = await connect(`tcp://127.0.0.1:${port}`);
    world.on("line", (line) => lines.push(line));
    for await (const _ of world.watch({ key_changes: true, fields: ["pos", "vel", "heading", "state", "kind", "force"] })) {
      if (lines.filter((line) => line.startsWith('{"op":"delta"')).length > 8) break;
    }
    await world.close();
  });
  const frames = lines.filter((line) => /^\{"op":"(key|delta)"/.test(line)), random = randomOf(11);
  const damaged = (line) => {
    const at = Math.floor(random() * line.length), bytes = '"{}[]:,09azAZ=+/\\-e. ';
    return [line.slice(0, at) + bytes[Math.floor(random() * bytes.length)] + line.slice(at + 1), line.slice(0, at) + line.slice(at + Math.floor(random() * 9)),
      line.slice(0, at) + line.slice(at, at + 8) + line.slice(at)][Math.floor(random() * 3)];
  };
  let whole = 0, refused = 0;
  const port = { onmessage: null, postMessage: () => {} };
  for (let i = 0; i < (IS_FULL ? 100000 : IS_SLOW ? 20000 : 1500); i++) {
    port.postMessage = (line) => port.onmessage({ data: [replyTo(line), ...frames.map((one) => (random() < 0.2 ? damaged(one) : one))] });
    setTimeout(() => port.onmessage({ data: [lineOf(HELLO)] }), 0);
    try {
      const world = await connect(port), watch = world.watch({}, { timeoutMs: 20000 });
      const { value } = await watch.next();
      value.agents();
      whole++;
      await world.close();
    } catch (error) {
      check(error instanceof DroverError && ["protocol", "lost"].includes(error.code), () => `damage ${i}: ${error.stack}`);
      refused++;
    }
  }
  step(`${whole} frames, ${refused} errors`);
  check(whole > 10 && refused > 10, "both");
}

await runTest(async () => {
  for (const over of ["tcp", "ws"]) {
    for (const test of [testBrokenLines, testHugeLines]) {
      step(`${over}: ${test.name}`);
      await test(over);
    }
  }
  for (const test of [testBytes, testColumns, testDamage]) {
    step(test.name);
    await test();
  }
});
