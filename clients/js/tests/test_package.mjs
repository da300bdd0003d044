// The package: packed by npm, installed in an empty folder, its page and its types, and its size.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { check, endProgram, makeFolder, PATIENCE_MS, removeFolder, ROOT, runTest, same, startProgram, step, withServer, within } from "./support.mjs";

const SOURCE = join(ROOT, "clients/js"), MOST_BYTES = 12000;

function run(folder, program, ...words) {
  const env = { ...process.env, HOME: folder, npm_config_cache: join(folder, ".npm"), npm_config_update_notifier: "false", npm_config_offline: "true" };
  const done = spawnSync(program, words, { cwd: folder, env, encoding: "utf8", timeout: 4 * PATIENCE_MS });
  check(done.status === 0, () => `${program} ${words.join(" ")}: ${done.error ?? ""}\n${done.stdout}\n${done.stderr}`);
  return done.stdout;
}

// What a build of the package needs of the source tree, and nothing that it made; returns its folder.
function copySource(root) {
  const tree = join(root, "tree"), made = ["dist", "LICENSE", "tests"].map((name) => join(SOURCE, name));
  cpSync(SOURCE, join(tree, "clients/js"), { recursive: true, filter: (path) => !made.includes(path) });
  for (const name of ["protocol.schema.json", "LICENSE"]) cpSync(join(ROOT, name), join(tree, name));
  return join(tree, "clients/js");
}

function pack(root) {
  const packed = join(root, "packed");
  mkdirSync(packed);
  run(packed, "npm", "pack", "--silent", copySource(root));
  const listed = run(packed, "tar", "tzf", "drover-client-0.1.0.tgz").trim().split("\n").map((name) => name.replace("package/", ""));
  const names = ["client", "errors", "frames", "gallery", "index", "node", "session", "transport", "wire"];
  same(listed.sort(), ["LICENSE", "README.md", "package.json", ...names.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`])].sort(), "the files");
  return join(packed, "drover-client-0.1.0.tgz");
}

function testWithoutSchema(root) {
  const tree = copySource(join(root, "poor"));
  rmSync(join(tree, "../../protocol.schema.json"));
  const done = spawnSync("node", ["build.mjs"], { cwd: tree, encoding: "utf8" });
  check(done.status === 1 && done.stderr.includes("protocol.schema.json"), () => `without the schema: ${done.stderr}`);
}

function testTypes(project) {
  writeFileSync(join(project, "usage.ts"), readFileSync(new URL("usage.ts", import.meta.url)));
  const words = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "usage.ts"];
  run(project, "tsc", "--module", "node16", "--moduleResolution", "node16", ...words);
  run(project, "tsc", "--module", "es2022", "--moduleResolution", "node", ...words);
}

function testSizes(project) {
  for (const platform of ["browser", "node"]) {
    writeFileSync(join(project, "all.mjs"), 'export * from "@drover/client";\n');
    const bundle = run(project, "esbuild", "all.mjs", "--bundle", "--minify", "--format=esm", `--platform=${platform}`);
    const bytes = gzipSync(bundle, { level: 9 }).length;
    step(`${platform}: ${bytes} bytes of ${MOST_BYTES}`);
    check(bytes < MOST_BYTES, "the package is too large");
    check(platform === "node" || !bundle.includes("node:"), "Node.js in the bundle of a page");
  }
}

// Each block of the page as it stands, but for the addresses, and that of the tree's page.
async function testPage(project, { port, web }) {
  const blocksOf = (path) => [...readFileSync(path, "utf8").matchAll(/^```js\n(.*?)^```$/gms)].map(([, text]) => text);
  const blocks = [...blocksOf(join(SOURCE, "README.md")), ...blocksOf(join(ROOT, "README.md"))];
  check(blocks.length >= 6, "blocks");
  for (const [i, block] of blocks.entries()) {
    const file = join(project, `block${i}.mjs`);
    writeFileSync(file, block.replaceAll("127.0.0.1:7717", `127.0.0.1:${port}`).replaceAll("127.0.0.1:7718", `127.0.0.1:${web}`).replaceAll("build/release/gallery", process.env.DROVER_GALLERY));
    const started = startProgram("node", [file], { cwd: project });
    const { code } = await within(`block ${i} ends`, started.over);
    await endProgram(started);
    check(code === 0, () => `block ${i}: ${started.stderr}`);
    const wanted = [...block.matchAll(/\/\/> (.*)$/gm)].map(([, text]) => text);
    if (block.includes('"watched"')) check(/^watched \d+ [\d.]+$/m.test(started.stdout), () => `block ${i}: ${started.stdout}`);
    else same(started.stdout.trim().split("\n"), wanted, `block ${i}`);
    check(started.stdout !== "", `block ${i} says nothing`);
  }
}

await runTest(async () => {
  const root = makeFolder("js-package"), project = join(root, "project");
  step("npm pack");
  const archive = pack(root);
  testWithoutSchema(root);
  step("npm install");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "name": "mine", "private": true, "type": "module" }\n');
  run(project, "npm", "install", "--silent", "--no-audit", "--no-fund", archive);
  step("README.md");
  await withServer(["boids"], (server) => testPage(project, server));
  step("types");
  testTypes(project);
  step("sizes");
  testSizes(project);
  removeFolder(root);
});
