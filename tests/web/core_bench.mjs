// What a tick of the core costs in WebAssembly: ms of the processor, the least of five rounds:
//
//     node core_bench.mjs core.wasm scenarios/boids.json ...
import { readFileSync } from "node:fs";
import { basename } from "node:path";

import { loadCore } from "./core.mjs";

const ROUND_MS = 300;
const ROUNDS = 5;
const WARM_UP_TICKS = 60; // the engine compiles again what is called often

const processorMs = () => process.cpuUsage().user / 1000;

function millisecondsATick(core, tick) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = processorMs();
    let ticks = 0;
    while (processorMs() - start < ROUND_MS) {
      core.run((tick += 1));
      ticks++;
    }
    rounds.push((processorMs() - start) / ticks);
  }
  return Math.min(...rounds);
}

const [file, ...scenarios] = process.argv.slice(2);
const core = await loadCore(readFileSync(file));
console.log("scenario               agents   plain  simd128  ms a tick");
for (const path of scenarios) {
  const row = [];
  for (const simd of ["plain", "simd128"]) {
    core.open(readFileSync(path, "utf8"));
    core.use(simd);
    core.run(WARM_UP_TICKS);
    row.push(millisecondsATick(core, WARM_UP_TICKS).toFixed(3).padStart(8));
  }
  console.log(basename(path, ".json").padEnd(20), String(core.agents()).padStart(8), ...row);
}
