// Prints "SCENARIO TICK HASH" as golden_hashes does, from core.wasm in node:
//
//     node core_hashes.mjs core.wasm 1,60,600 scenarios/seek.json ...
//
// DROVER_SIMD=plain|simd128; without it the widest. Exit code 77: the module lacks the instructions.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

import { goldenHashes, loadCore } from "./core.mjs";

const [file, ticks, ...scenarios] = process.argv.slice(2);
const core = await loadCore(readFileSync(file));
for (const path of scenarios) {
  const lines = goldenHashes(core, basename(path, ".json"), readFileSync(path, "utf8"), ticks.split(",").map(Number), process.env.DROVER_SIMD ?? "simd128");
  if (lines === null) {
    process.exit(77);
  }
  console.log(lines.join("\n"));
}
