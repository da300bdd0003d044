// server.wasm in node: the page's own scripts around it (web/src), bundled, and a peer that asks and waits.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { check, PATIENCE_MS, ROOT, skip } from "./support.mjs";

// What scripts of web/src export, as one module of this folder.
export async function bundleScripts(folder, names) {
  const out = join(folder, "scripts.mjs"), source = names.map((name) => `export * from "${join(ROOT, "web/src", name)}";`).join("\n");
  const made = spawnSync("esbuild", ["--bundle", "--format=esm", "--target=es2020", `--outfile=${out}`, "--log-level=warning"], { input: source, cwd: join(ROOT, "web") });
  if (made.error) skip("not installed: esbuild");
  check(made.status === 0, () => String(made.stderr));
  return import(out);
}

// A server in this process, and one peer. All is done by turns: nothing happens between two calls.
export class OwnServer {
  constructor(ServerCore, compiled, words, files = {}) {
    this.log = [];
    this.core = new ServerCore(compiled, (line) => this.log.push(line), () => performance.now());
    for (const file of readdirSync(join(ROOT, "scenarios")).filter((name) => name.endsWith(".json"))) {
      this.core.files.put(`/scenarios/${file}`, readFileSync(join(ROOT, "scenarios", file)));
    }
    for (const [path, text] of Object.entries(files)) this.core.files.put(path, text);
    this.core.start(words);
    this.port = this.core.connect();
    this.lines = [];
    this.next = 1;
    this.hello = JSON.parse(this.until("hello", () => this.lines.shift()));
  }

  turn() {
    this.core.turn();
    this.lines.push(...this.core.hear(this.port).split("\n").filter((line) => line !== ""));
  }

  until(words, ask, limitMs = PATIENCE_MS) {
    const end = performance.now() + limitMs;
    for (;;) {
      this.turn();
      const value = ask();
      if (value) return value;
      check(performance.now() < end, () => `not within ${limitMs / 1000} s: ${words}`);
    }
  }

  // The first line for which is(line); it is taken out.
  take(words, is) {
    return this.until(words, () => {
      const at = this.lines.findIndex(is);
      return at >= 0 && this.lines.splice(at, 1)[0];
    });
  }

  // The reply to a line, as text.
  say(line) {
    this.core.say(this.port, line);
    return this.take(`a reply to ${line}`, (text) => /^\{"op":"(reply|error)"/.test(text));
  }

  request(op, fields = {}) {
    return JSON.parse(this.say(JSON.stringify({ op, id: this.next++, ...fields })));
  }
}
