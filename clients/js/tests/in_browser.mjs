// In the page of test_browser.mjs: the package over the browser's own WebSocket and MessagePort.
import { connect, overPort, register, useGallery } from "/client/index.js";

export async function run({ asked }) {
  const world = await connect(`ws://${location.host}/ws`), seen = { role: world.greeting.role, ticks: [], links: [] };
  world.on("link", ({ up }) => seen.links.push(up));
  await world.pause();
  seen.hash = (await world.step(60)).hash;
  const packed = await world.snapshot(), objects = await world.snapshot({ layout: "objects" });
  seen.isSame = JSON.stringify(packed.agents()) === JSON.stringify(objects.agents) && packed.n > 0;
  await world.resume();
  for await (const { tick } of world.watch({ hz: 30 })) {
    seen.ticks.push(tick);
    if (seen.ticks.length === 3) await fetch("/post", { method: "POST", body: JSON.stringify({ kind: "say", value: asked.cut }) });
    if (seen.ticks.length > 5 && seen.links.length === 2) break; // lost, and back
  }
  await world.close();
  register("wasm", () => {
    const worker = new Worker("/worker.js");
    return overPort(worker);
  });
  const other = await connect("wasm:mine");
  seen.worker = [other.scenario.name, (await other.ping()).tick];
  await other.close();
  useGallery("/gallery"); // a server of one's own instead
  const own = await connect("wasm:boids?seed=5&paused"), { tick, hash } = await own.step(60);
  seen.own = [tick, hash];
  await own.close();
  return seen;
}
