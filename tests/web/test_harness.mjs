// The harness itself: a page posts its value from each engine, an error in a page is an error here, a page without an end ends.
//
//     node test_harness.mjs chromium|firefox

import { runInPage } from "./browser.mjs";
import { check, runTest, step } from "./support.mjs";

const engine = process.argv[2];

function page(text) {
  return { module: "/test.mjs", files: { "/test.mjs": Buffer.from(text) }, asked: { a: [1, "ü"] } };
}

async function failureOf(text, limitMs) {
  try {
    await runInPage(engine, { ...page(text), limitMs });
  } catch (error) {
    return error.message;
  }
  return "";
}

await runTest(async () => {
  step("an exception, an error line and a script against the policy are failures");
  const thrown = await failureOf("export const run = () => { console.error('said'); setTimeout(() => { throw new Error('late'); }); " +
    "return new Promise((done) => setTimeout(() => { try { eval('1'); } catch {} done(1); }, 200)); };");
  for (const word of ["said", "late", "policy: script-src"]) check(thrown.includes(word), `"${word}" is missing in: ${thrown}`);
  if (engine === "firefox") return; // what follows is the same there, and it starts slowly
  step("a value goes in and comes back");
  const value = await runInPage(engine, page("export const run = ({ asked }) => ({ got: asked.a, agent: navigator.userAgent });"));
  check(value.got[0] === 1 && value.got[1] === "ü", () => JSON.stringify(value));
  check(value.agent.includes("Chrome"), value.agent);
  step("a page without an end is ended");
  check((await failureOf("export const run = () => new Promise(() => {});", 4000)).includes("not within 4 s"), "no end was missed");
});
