// wasm:NAME in Node.js: a server of one's own in a Worker, beside a native one.

import { check, drover, fails, runTest, same, step, withServer } from "./support.mjs";

const GALLERY = process.env.DROVER_GALLERY;

async function hashOf(world) {
  const { tick, hash } = await world.step(60);
  await world.spawn(world.scenario.kinds[0].name, { count: 3, x: 100, y: 100 });
  return [tick, hash, (await world.step(60)).hash];
}

await runTest(async () => {
  step("before the folder is known");
  await fails("unreachable", drover.connect("wasm:boids"));
  drover.useGallery(GALLERY);
  step("the world of a native server, and frames");
  const world = await drover.connect("wasm:boids?seed=5&paused");
  await withServer(["boids", "--seed", "5", "--paused"], async ({ port }) => {
    const native = await drover.connect(`tcp://127.0.0.1:${port}`);
    same(await hashOf(world), await hashOf(native), "hashes");
    await native.close();
  });
  await world.resume();
  let last = 119, frames = 0;
  for await (const frame of world.watch({ hz: 30 })) {
    check(frame.tick > last && frame.n === 203, () => `${frame.n} agents at tick ${frame.tick}`);
    last = frame.tick;
    if (++frames === 5) break;
  }
  await world.load("seek");
  check((await world.snapshot()).n < 50, "another world");
  step("two at a time");
  const other = await drover.connect("wasm:seek");
  same([other.scenario.name, other.greeting.role], ["seek", "admin"]);
  await other.close();
  check((await world.ping()).tick >= 0, "the first one goes on");
  await world.close();
  step("what is not there");
  check((await fails("unreachable", drover.connect("wasm:boid"))).message.includes("boids"), "did you mean");
  for (const address of ["wasm:", "wasm:boids?sed=3", "wasm:boids?seed=x"]) await fails("unreachable", drover.connect(address));
  drover.useGallery("/no/such/folder");
  check((await fails("unreachable", drover.connect("wasm:boids"))).message.includes("server.json"), "the file that is missing");
});
