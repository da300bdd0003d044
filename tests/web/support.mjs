// What the tests of the page share: checks, waits that end, programs that are ended by their id, folders that are removed.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const SKIPPED = 77; // CTest counts this exit code as a skipped test
export const IS_SLOW = process.env.DROVER_SLOW === "1", IS_FULL = process.env.DROVER_FULL === "1";
// Time limit for whatever must happen; long, because sanitizers, software graphics and a busy machine are slow.
export const PATIENCE_MS = 1000 * Number(process.env.DROVER_PATIENCE_S ?? 60);

export function step(words) {
  console.log(words);
}

export function skip(why) {
  console.log(`SKIP: ${why}`);
  process.exit(SKIPPED);
}

export function check(holds, words) {
  if (!holds) throw new Error(typeof words === "function" ? words() : words);
}

export function sleep(ms) {
  return new Promise((done) => setTimeout(done, ms));
}

// The first value of ask() that is true, not 0 or empty; an error with these words when none comes in time.
export async function until(words, ask, limitMs = PATIENCE_MS, everyMs = 50) {
  const end = performance.now() + limitMs;
  for (;;) {
    const value = await ask();
    if (value) return value;
    if (performance.now() > end) throw new Error(`not within ${limitMs / 1000} s: ${words}`);
    await sleep(everyMs);
  }
}

// The promise's value, or an error with these words when it does not come in time.
export async function within(words, promise, limitMs = PATIENCE_MS) {
  let timer;
  const late = new Promise((_, refuse) => {
    timer = setTimeout(() => refuse(new Error(`not within ${limitMs / 1000} s: ${words}`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// --- folders and programs -----------------------------------------------------------------------------------------

const folders = new Set();
const running = new Set(); // process groups, by the id of their first process

export function makeFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `drover-${name}-`));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder) {
  folders.delete(folder);
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch (error) {
    console.log(`left behind: ${folder} (${error.message})`);
  }
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false; // no process of the group is left
  }
}

// A program in a process group of its own, which ends with this process at the latest.
export function startProgram(program, words, options = {}) {
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"], ...options, detached: true });
  const started = { child, pid: child.pid, stdout: "", stderr: "", isOver: false };
  started.over = once(child, "exit").then(([code, signal]) => {
    started.isOver = true;
    return { code, signal };
  });
  started.over.catch(() => {});
  child.on("error", (error) => {
    started.stderr += String(error);
    started.isOver = true;
  });
  child.stdout?.setEncoding("utf8").on("data", (text) => (started.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text) => (started.stderr += text));
  if (child.pid) running.add(child.pid);
  return started;
}

// Asks the program to end; kills its group when it takes longer than this.
export async function endProgram(started, patienceMs = 5000) {
  if (!started.pid) return;
  if (!started.isOver) started.child.kill("SIGTERM");
  await Promise.race([started.over.catch(() => {}), sleep(patienceMs)]);
  signalGroup(started.pid, "SIGKILL");
  running.delete(started.pid);
}

process.on("exit", () => {
  for (const pid of running) signalGroup(pid, "SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

// --- what npm brought ---------------------------------------------------------------------------------------------

// A module of web/package-lock.json; without it the test is skipped.
export function requireModule(name) {
  const folder = process.env.DROVER_NODE_MODULES ?? join(ROOT, "build/web-tests/node_modules");
  if (!existsSync(join(folder, name))) skip(`not installed: ${name} (./dev test installs it where npm reaches its registry)`);
  return createRequire(join(folder, "of-the-tests.js"))(name);
}

// Runs the test; an error ends it with exit code 1 after everything was cleaned up.
export async function runTest(test) {
  try {
    await test();
    console.log("ok");
    process.exit(0);
  } catch (error) {
    console.log(`FAILED: ${error.stack ?? error}`);
    process.exit(1);
  }
}
