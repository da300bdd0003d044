// The golden hashes in a browser: core.wasm has the bits of tests/golden/hashes.txt there as well.
//
//     node test_hashes.mjs chromium|firefox CORE_WASM
//
// Worlds with very many agents stop earlier, as in golden_matrix.py; golden_wasm.py goes further, in node. The slow run has all ticks of the
// other worlds, and the first ones of most large worlds, and computes without vectors too; with DROVER_FULL=1 in the environment Firefox,
// whose engine node does not have, goes further than Chromium, which has node's.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { runInPage } from "./browser.mjs";
import { check, IS_FULL, IS_SLOW, ROOT, runTest, step } from "./support.mjs";

const [engine, wasm] = process.argv.slice(2);
const TICKS = [1, 60, 600];
// Agents times ticks that a world may take; the first tick is computed of every world that has not more agents than `most`.
const RUNS = IS_SLOW
  ? [{ simd: "simd128", budget: engine === "firefox" && IS_FULL ? 1e7 : 1e6, most: 1e5 }, { simd: "plain", budget: 1e6, most: 2e4 }]
  : [{ simd: "simd128", budget: 1e5, most: 2e4 }];

function agentsOf(name) {
  const { agents = [] } = JSON.parse(readFileSync(join(ROOT, "scenarios", `${name}.json`), "utf8"));
  return agents.reduce((sum, { count = 1 }) => sum + count, 0);
}

function plan({ budget, most }) {
  const names = readdirSync(join(ROOT, "scenarios")).filter((file) => file.endsWith(".json")).map((file) => file.slice(0, -5)).sort();
  return names
    .map((name) => ({ name, agents: agentsOf(name) }))
    .filter(({ agents }) => agents <= most)
    .map(({ name, agents }) => ({ name, ticks: TICKS.filter((tick) => tick === 1 || tick * agents <= budget) }));
}

await runTest(async () => {
  const expected = new Set(readFileSync(join(ROOT, "tests/golden/hashes.txt"), "utf8").trim().split("\n"));
  for (const one of RUNS) {
    const scenarios = plan(one);
    const files = {
      "/test.mjs": join(ROOT, "tests/web/hashes_page.mjs"),
      "/core.mjs": join(ROOT, "tests/web/core.mjs"),
      "/core.wasm": wasm,
      "/scenarios/": join(ROOT, "scenarios"),
    };
    const lines = await runInPage(engine, { module: "/test.mjs", files, asked: { scenarios, simd: one.simd }, limitMs: 1_200_000, onSay: () => {} });
    const wanted = scenarios.reduce((sum, { ticks }) => sum + ticks.length, 0);
    const wrong = lines.filter((line) => !expected.has(line));
    check(wrong.length === 0, () => `${one.simd}: not in hashes.txt:\n${wrong.join("\n")}`);
    check(lines.length === wanted && wanted >= 50, `${lines.length} hashes, ${wanted} were asked for`);
    step(`${engine}, ${one.simd}: ${lines.length} hashes agree`);
  }
});
