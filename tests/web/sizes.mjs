// Holds the page's files to tests/web/sizes.txt. usage: sizes.mjs sizes.json GALLERY (which web/build.mjs and web/gallery.mjs wrote)

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

import { check, ROOT, runTest, skip, step } from "./support.mjs";

const PARTS = { scripts: ["page.js", "worker.js"], view: ["page.wasm"], style: ["style.css"], document: ["index.html", "favicon.svg"], server: ["server.wasm", "server_worker.js"] };

await runTest(async () => {
  const [path, gallery] = process.argv.slice(2);
  for (const one of [path, gallery]) if (!existsSync(one)) skip(`not built: ${one}`);
  const sizes = JSON.parse(readFileSync(path, "utf8"));
  for (const name of PARTS.server) {
    const [stem, kind] = name.split("."), file = readdirSync(gallery).find((one) => one.startsWith(`${stem}-`) && one.endsWith(`.${kind}`));
    sizes[name] = { gzip: gzipSync(readFileSync(`${gallery}/${file}`), { level: 9 }).length };
  }
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
