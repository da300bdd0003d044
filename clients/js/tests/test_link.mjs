// The link to the server: lost and found again, refused, silent; other transports.

import { check, drover, endProgram, failure, fails, fakeServer, freePort, HELLO, IS_FULL, IS_SLOW, killServer, lineOf, makeFolder, randomOf, removeFolder, replyTo,
  runTest, same, sleep, startServer, step, until } from "./support.mjs";

const { connect, overPort, overSocket, register } = drover;
const SNAPSHOT = lineOf({ op: "snapshot", tick: 1, time: 0, agents: [], targets: [], clock: 0 });

// The fake server hangs up at random moments: before an answer, in the middle of one, after it.
async function testNothingIsRepeated(over) {
  const random = randomOf(7), done = new Set(), lost = new Set();
  const server = await fakeServer({
    over,
    answer: (_, line) => {
      const whole = replyTo(line), chance = random();
      if (chance < 0.04) return null;
      if (chance < 0.08) return [over === "tcp" ? whole.slice(0, random() * whole.length) : Buffer.from([0x81, 100, 123]), null];
      return chance < 0.12 ? [whole, null] : whole;
    },
  });
  const world = await connect(server.address);
  const one = async (mark) => {
    try {
      await world.ask("spawn", { mark });
      done.add(mark);
    } catch (error) {
      same(error.code, "lost");
      lost.add(mark);
    }
  };
  for (let mark = 0; mark < (IS_SLOW ? 600 : 60); mark++) await one(mark);
  for (let mark = 1000; mark < (IS_SLOW ? 2000 : 1100); mark += 10) await Promise.all(Array.from({ length: 10 }, (_, i) => one(mark + i)));
  const came = server.lines.map(([, line]) => JSON.parse(line)).filter(({ op }) => op === "spawn").map(({ mark }) => mark);
  same(came.length, new Set(came).size, "a request came twice");
  for (const mark of done) check(came.includes(mark), `${mark} has an answer, and never came`);
  check(lost.size > 3 && server.connections > 5, `${lost.size} lost on ${server.connections} connections`);
  await world.close();
  await server.close();
}

// A world that is kept on disk: each spawn that was answered is there once, each that was lost at most once. A loop over frames goes on.
async function testKilledAgainAndAgain(over) {
  const folder = makeFolder("js-killed"), web = await freePort(), port = await freePort();
  const start = () => startServer(["seek", "--paused", "--state", folder, "--sync", "always"], { web, port });
  let server = await start(), done = 0, lost = 0, frames = 0;
  const world = await connect(over === "tcp" ? `tcp://127.0.0.1:${port}` : `ws://127.0.0.1:${web}/ws`), links = [];
  world.on("link", (link) => links.push(link));
  const before = (await world.list({ what: "kinds" })).kinds[0].count;
  const watching = (async () => {
    for await (const frame of world.watch({ hz: 30 })) frames += frame.n > 0 ? 1 : 0;
  })();
  watching.catch(() => {});
  const rounds = IS_FULL ? 40 : IS_SLOW ? 15 : 4;
  for (let round = 0; round < rounds; round++) {
    const asked = Array.from({ length: 5 }, () => world.spawn("seeker", {}, { timeoutMs: 60000 }));
    const settled = Promise.allSettled(asked);
    if (round % 2 === 0) await asked[0];
    await killServer(server);
    for (const { status, reason } of await settled) {
      if (status === "fulfilled") done++;
      else if (reason.code === "lost") lost++;
      else throw reason;
    }
    await until("the link is gone", () => !world.isUp);
    const had = frames, next = world.ping({}, { timeoutMs: 60000 }); // waits for the next server
    server = await start();
    await next;
    await until("frames again", () => frames > had);
  }
  const count = (await world.list({ what: "kinds" })).kinds[0].count - before;
  check(count >= done && count <= done + lost, `${count} are there, of ${done} answered and ${lost} lost`);
  same([links.filter(({ up }) => up).length, links.filter(({ up }) => !up).length], [rounds, rounds]);
  check(links.every((link) => !link.up || link.again && link.subscribed), "subscribed again");
  await world.close();
  await fails("closed", watching);
  await endProgram(server.started);
  removeFolder(folder);
}

async function testEnds() {
  const server = await fakeServer({ answer: (_, line) => (line.includes("last") ? [replyTo(line), null] : replyTo(line)) });
  const world = await connect(server.address, { reconnect: false });
  await world.ask("last");
  await until("the end", () => !world.isUp);
  await fails("lost", world.ping());
  await server.close();
  const refused = await fails("unreachable", connect(server.address));
  check(refused.message.includes(server.address), "the address is named");
  const unknown = await fails("unreachable", connect("http://127.0.0.1/"));
  check(/tcp:.*ws:|ws:.*tcp:/.test(unknown.message), "the schemes are named");
}

// A server that refuses the subscription of the second connection ends the loop with its own error.
async function testRefusedAgain() {
  const server = await fakeServer({
    answer: (number, line) => (!line.includes('"subscribe"') ? replyTo(line) : number > 1
      ? lineOf({ op: "error", id: JSON.parse(line).id, code: "full", message: "no view is left" }) : replyTo(line) + SNAPSHOT),
  });
  const world = await connect(server.address), watch = world.watch({ layout: "objects" }, { timeoutMs: 30000 });
  await watch.next();
  server.hangUp();
  same((await fails("full", watch.next())).message, "no view is left");
  await world.close();
  await server.close();
}

// Lost again while it says hello and subscribes: the loop goes on with the connection after.
async function testLostWhileOpening() {
  const server = await fakeServer({
    answer: (number, line) => (line.includes('"hello"') ? (number === 2 ? null : replyTo(line)) : number === 3 ? null
      : replyTo(line) + (line.includes('"subscribe"') ? SNAPSHOT : "")),
  });
  const world = await connect(server.address, { name: "Ann" }), watch = world.watch({ layout: "objects" }, { timeoutMs: 60000 });
  await watch.next();
  server.hangUp();
  same((await watch.next()).value.tick, 1);
  same(server.connections, 4);
  await world.close();
  await server.close();
}

async function testGreetings() {
  for (const [line, code] of [
    [{ ...HELLO, protocol: 2 }, "version"], [{ op: "bye", reason: "full", message: "too many sessions", retry_s: 1 }, "full"],
    [{ op: "bye", reason: "auth", message: "no token" }, "auth"], [{ op: "event" }, "protocol"],
  ]) {
    const server = await fakeServer({ greet: () => [lineOf(line), null] });
    await fails(code, connect(server.address));
    await server.close();
  }
  // The greeting and the end of the connection at once.
  const hasty = await fakeServer({ over: "ws", greet: (number) => lineOf(HELLO) + (number === 1 ? "{\n" : "") });
  const world = await connect(hasty.address);
  await world.ping();
  same(hasty.connections, 2);
  await world.close();
  await hasty.close();
  const silent = await fakeServer({ greet: () => "" });
  await fails("timeout", connect(silent.address, { timeoutMs: 200 }));
  await until("the attempt is given up", () => silent.open.size === 0);
  await silent.close();
}

// Attempts become rare; a request that waits for a connection ends when its time is over, and is not sent later.
async function testPauses() {
  const server = await fakeServer({ greet: (number) => (number === 1 || number > 4 ? lineOf(HELLO) : [lineOf({ op: "bye", reason: "full" }), null]) });
  const world = await connect(server.address);
  server.hangUp();
  await until("the link is gone", () => !world.isUp);
  await fails("unreachable", world.ask("spawn", { mark: 1 }, { timeoutMs: 600 }));
  check(server.connections <= 3, `${server.connections} connections in 0.6 s`);
  await world.ask("spawn", { mark: 2 }, { timeoutMs: 60000 });
  same(server.lines.map(([, line]) => JSON.parse(line).mark), [2]);
  server.hangUp();
  await until("the link is gone", () => !world.isUp);
  await world.close();
  await sleep(500);
  same(server.connections, 5, "none after close");
  await server.close();
}

// A connection on which nothing comes any more, although something is due, is given up; one on which nothing is due stays.
async function testSilence() {
  let isDeaf = false;
  const server = await fakeServer({ answer: (number, line) => (isDeaf && number === 1 ? "" : replyTo(line)) });
  const world = await connect(server.address, { silenceMs: 300 });
  await sleep(900);
  same([server.connections, server.lines.length], [1, 0]);
  isDeaf = true;
  check((await fails("lost", world.ask("spawn"))).message.includes("silent"), "the reason");
  check(server.lines.some(([, line]) => line.includes('"ping"')), "a ping came before");
  await world.ping();
  same(server.connections, 2);
  await world.close();
  await server.close();
}

// What a Worker with a server will be: a port. Lines alone, several in a message, several in an array.
function portServer(name) {
  const { port1, port2 } = new MessageChannel(), lines = [];
  port2.onmessage = ({ data }) => {
    lines.push(data);
    const { op } = JSON.parse(data);
    port2.postMessage(op === "subscribe" ? replyTo(data) + SNAPSHOT : op === "load" ? [replyTo(data), '{"op":"scenario","name":"other"}'] : replyTo(data).trim());
  };
  port2.postMessage(lineOf({ ...HELLO, scenario: { ...HELLO.scenario, name } }));
  return { port1, port2, lines };
}

async function testPorts() {
  const made = portServer("boids"), world = await connect(made.port1);
  same(world.scenario.name, "boids");
  for await (const frame of world.watch({ layout: "objects" })) {
    same(frame.n, 0);
    break;
  }
  await world.load("other");
  await world.ping();
  same(world.scenario.name, "other");
  made.port2.close();
  await until("the port's end", () => !world.isUp);
  await fails("lost", world.ping());

  await fails("unreachable", connect("wasm:boids"));
  const servers = [];
  register("wasm", async (address) => {
    servers.push(portServer(address.slice(5)));
    return overPort(servers.at(-1).port1);
  });
  const again = await connect("wasm:flock");
  same(again.scenario.name, "flock");
  servers[0].port2.close();
  await until("the link is gone", () => !again.isUp);
  await again.ping();
  same([servers.length, servers[1].lines.length], [2, 1]);
  await again.close();

  // A server in the page with a WebSocket's manner.
  register("wasm", () => {
    const socket = { onopen: null, onmessage: null, onclose: null, close: () => {}, send: (line) => setTimeout(() => socket.onmessage({ data: replyTo(line).trim() }), 0) };
    setTimeout(() => socket.onopen({}), 0);
    setTimeout(() => socket.onmessage({ data: JSON.stringify(HELLO) }), 1);
    return overSocket(socket);
  });
  const socketed = await connect("wasm:flock");
  same((await socketed.ping()).to, "ping");
  await socketed.close();

  // The least that a port can be, and a transport of one's own.
  const plain = { onmessage: null, said: [], postMessage: (line) => plain.said.push(line) };
  setTimeout(() => plain.onmessage({ data: lineOf(HELLO) }), 0);
  const third = await connect(plain);
  await third.mouse(1, 2, {}, { reply: false });
  same(plain.said, ['{"x":1,"y":2,"op":"mouse"}']);
  await third.close();
  same(plain.onmessage, null);
  const own = { send: (line) => setTimeout(() => own.onlines([replyTo(line)]), 0), close: () => (own.isClosed = true), onlines: null, onclose: null };
  setTimeout(() => own.onlines([lineOf(HELLO)]), 0);
  const fourth = await connect(own);
  await fourth.ping();
  await fourth.close();
  same(own.isClosed, true);
}

// A loop that is given up before its subscription is granted leaves no subscription behind.
async function testGivenUp() {
  const server = await fakeServer({ answer: (_, line) => (line.includes('"subscribe"') ? "" : replyTo(line)) });
  const world = await connect(server.address), stop = new AbortController();
  const next = world.watch({}, { signal: stop.signal }).next();
  await until("the request", () => server.lines.length > 0);
  stop.abort();
  same((await failure(next)).name, "AbortError");
  await world.ping();
  same(server.lines.map(([, line]) => JSON.parse(line).op), ["subscribe", "unsubscribe", "ping"]);
  await world.close();
  await server.close();
}

// bye, and the end of the process: a client keeps no Node.js alive once it is closed.
async function testBye() {
  const server = await fakeServer({
    answer: (_, line) => (line.includes('"bye"') ? [replyTo(line) + lineOf({ op: "bye", reason: "client" }), null] : replyTo(line)),
  });
  const world = await connect(server.address);
  await world.bye();
  await until("the end", () => !world.isUp);
  await fails("closed", world.ping());
  await sleep(400);
  same(server.connections, 1, "no connection after bye");
  await failure(world.watch().next());
  await server.close();
}

await runTest(async () => {
  for (const over of ["tcp", "ws"]) {
    for (const test of [testNothingIsRepeated, testKilledAgainAndAgain]) {
      step(`${over}: ${test.name}`);
      await test(over);
    }
  }
  for (const test of [testEnds, testRefusedAgain, testLostWhileOpening, testGreetings, testPauses, testSilence, testPorts, testGivenUp, testBye]) {
    step(test.name);
    await test();
  }
});
