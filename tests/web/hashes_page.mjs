// In the page: the golden hashes of the scenarios that were asked for, by core.wasm.

import { goldenHashes, loadCore } from "/core.mjs";

export async function run({ say, asked }) {
  const core = await loadCore(await (await fetch("/core.wasm")).arrayBuffer());
  const lines = [];
  for (const { name, ticks } of asked.scenarios) {
    const found = goldenHashes(core, name, await (await fetch(`/scenarios/${name}.json`)).text(), ticks, asked.simd);
    if (found === null) throw new Error(`core.wasm cannot compute with ${asked.simd}`);
    lines.push(...found);
    await say(`${asked.simd}: ${name}`); // and the page is not one long task
  }
  return lines;
}
