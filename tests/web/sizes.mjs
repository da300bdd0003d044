// Holds the page's files to tests/web/sizes.txt. usage: sizes.mjs sizes.json (which web/build.mjs wrote)

import { existsSync, readFileSync } from "node:fs";

import { check, ROOT, runTest, skip, step } from "./support.mjs";

const PARTS = { scripts: ["page.js", "worker.js"], view: ["page.wasm"], style: ["style.css"], document: ["index.html", "favicon.svg"] };

await runTest(async () => {
  const [path] = process.argv.slice(2);
  if (!existsSync(path)) skip(`not built: ${path}`);
  const sizes = JSON.parse(readFileSync(path, "utf8"));
  const rows = readFileSync(`${ROOT}/tests/web/sizes.txt`, "utf8").split("\n").filter((row) => row !== "" && !row.startsWith("#"));
  const counted = new Set(Object.values(PARTS).flat());
  for (const name of Object.keys(sizes)) check(counted.has(name), `${name} is in no part of sizes.mjs`);
  for (const row of rows) {
    const [part, most] = row.split(" ");
    const bytes = PARTS[part].reduce((sum, name) => sum + sizes[name].gzip, 0);
    step(`${part}: ${(bytes / 1000).toFixed(1)} kB of ${most}`);
    check(bytes <= 1000 * Number(most), `${part} is larger than ${most} kB`);
  }
});
