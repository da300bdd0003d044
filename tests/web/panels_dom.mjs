/* What hands do in the page's panels, and what they send: scripts in Chromium on the recorded sections. Prints a line a check.
 *
 * usage: node tests/web/panels_dom.mjs       exit code 1 when a check fails, 77 without Chromium or esbuild
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
for (const tool of ["chromium", "esbuild"]) {
    if (spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0) {
        console.log(`skipped: ${tool} is not installed`);
        process.exit(77);
    }
}

/* In the page: `panels`, `sent`. Each check begins with no messages. */
const script = String.raw`
const $ = (selector) => document.querySelector(selector), all = (selector) => [...document.querySelectorAll(selector)];
const said = () => JSON.stringify(sent.splice(0));
const check = (words, is) => console.log((is ? "ok: " : "FAILED: ") + words);
const press = (node, key) => node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const slider = $(".param input[type=range]"), group = $(".param-group"), recorded = PARAMS, actions = ACTIONS;
sent.length = 0; /* measures */

check("a whole document has one h1, a main, an aside, a banner", all("h1").length === 1 && $("main") && $("aside") && $("header.bar"));
check("all controls have names", all("button, input, select").filter((node) => !node.closest("[hidden], dialog:not([open])") &&
    (node.textContent.trim() || node.getAttribute("aria-label") || node.labels?.length || node.placeholder || "") === "").length === 0);
check("no element has a style attribute in the markup it came with", $("[onclick]") === null);

slider.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
slider.value = String(Number(slider.max) / 2);
slider.dispatchEvent(new Event("input", { bubbles: true }));
const held = slider.value;
check("a slider that is held sends held values", said() === JSON.stringify([{ do: "tune", param: recorded.rows[0].index, value: Number(held), held: true }]));
panels.update({ params: { ...recorded, rows: recorded.rows.map((row) => ({ ...row, value: row.first })) } });
check("a section that comes does not move it", slider.value === held);
slider.dispatchEvent(new Event("change", { bubbles: true }));
check("letting go sends the last value", said() === JSON.stringify([{ do: "tune", param: recorded.rows[0].index, value: Number(held), held: false }]));
panels.update({ params: recorded });
check("then it shows what is sent", Number(slider.value) === recorded.rows[0].value);
check("rows stay the same nodes", $(".param input[type=range]") === slider && $(".param-group") === group);
slider.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true }));
check("a right click is the first value", said() === JSON.stringify([{ do: "first", param: recorded.rows[0].index }]));
$(".param .value").click();
const typed = $(".param .typed");
typed.value = "3,5";
press(typed, "Enter");
check("a typed value is sent once", said() === JSON.stringify([{ do: "tune", param: recorded.rows[0].index, value: 3.5, held: false }]));
panels.update({ params: { ...recorded, no_tuning: "set_param needs the role admin" } });
check("sliders that may not move are disabled", slider.disabled);
panels.update({ params: recorded });

$(".setting input").click();
check("a check box is its key", /^\[\{"do":"shortcut","row":\d+\}\]$/.test(said()));
$(".mute").click();
check("an eye mutes", /"do":"mute"/.test(said()));
panels.update({ actions: { ...actions, pause: { ...actions.pause, why: "pause needs the role admin" } } });
$(".timeline .icon-button").click();
check("a button that may not be pressed sends nothing and says why", said() === "[]" &&
    $(".timeline .icon-button").dataset.tip === "pause needs the role admin" && !$(".timeline .icon-button").disabled);
panels.update({ actions });
$(".timeline .icon-button").click();
check("pause", said() === JSON.stringify([{ do: "shortcut", row: actions.pause.row }]));

const open = OPEN;
const tip = $(".tip");
const over = (node) => node.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, pointerType: "mouse" }));
panels.update({ open: { ...open, panel: true, timeline: true } });
over($(".timeline .icon-button"));
check("a tip beside what the pointer rests on", !tip.hidden);
panels.update({ open: { ...open, panel: false, timeline: false } });
check("it goes with its control", tip.hidden);
panels.update({ open: { ...open, panel: true, timeline: true } });
over($(".setting"));
check("a tip in the panel", !tip.hidden);
$(".seen").dispatchEvent(new Event("scroll"));
check("it goes when the panel is scrolled", tip.hidden);
press($("#world"), "v");
const nextAgent = all(".agent-buttons button").find((node) => node.dataset.tip !== undefined);
nextAgent.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, pointerType: "touch" }));
$(".picker input").focus();
nextAgent.focus({ focusVisible: true });
check("a finger brings no tip", tip.hidden);
nextAgent.blur();
press($("#world"), "Tab");
nextAgent.focus({ focusVisible: true });
check("a key does", !tip.hidden);
nextAgent.blur();
sent.length = 0;
panels.update({ open: { ...open, picker: true }, picker: { wanted: "", count_words: "2 of 2", hits: [
    { name: "flock", title: "Flock <b>", description: "d", caption: "c", group: "Behaviors", group_count: 1, save: false },
    { name: "night", title: "flock, tick 3", description: "d", caption: "", group: "Saved worlds", group_count: 1, save: true }] } });
const wanted = $(".picker input");
check("the picker has the keyboard", document.activeElement === wanted);
check("words of a world stay words", $(".hit strong").textContent === "Flock <b>");
press(wanted, "ArrowDown");
press(wanted, "Enter");
check("arrows and Enter pick", said() === JSON.stringify([{ do: "pick", name: "night", save: true }]));
check("what is chosen is told", wanted.getAttribute("aria-activedescendant") === all(".hit")[1].id);
wanted.value = "fl";
wanted.dispatchEvent(new Event("input", { bubbles: true }));
press(wanted, "Enter");
check("Enter waits for the rows that fit", said() === JSON.stringify([{ do: "wanted", text: "fl" }]));
panels.update({ picker: { wanted: "fl", count_words: "1 of 2", hits: [{ name: "flock", title: "Flock", description: "", caption: "", group: "Behaviors", group_count: 1, save: false }] } });
check("then takes the first of them", said() === JSON.stringify([{ do: "pick", name: "flock", save: false }]));
const escape = new KeyboardEvent("keydown", { key: "Escape", cancelable: true });
check("Esc is the app's", panels.ownsKey(escape) === false);
check("letters are the line's", panels.ownsKey(new KeyboardEvent("keydown", { key: "v" })) === true);
panels.update({ open, picker: null });
check("the picker is closed", !$(".picker").open);

panels.update({ open: { ...open, question: 1 }, dialog: { question: 1, title: "Save the world", words: "", note: "", agree: "Save", grave: false, line: true, proposal: "a-1", most: 32 } });
sent.length = 0; /* measures */
const line = $(".question input");
line.value = "my world?";
line.dispatchEvent(new Event("input", { bubbles: true }));
check("names have letters that names may have", line.value === "my-world" && said() === JSON.stringify([{ do: "entered", text: "my-world" }]));
$(".question form").requestSubmit();
check("Enter agrees", said() === JSON.stringify([{ do: "agree", entered: "my-world" }]));
panels.update({ open, dialog: null });

panels.update({ bar: { ...BAR, state: "paused", tick: "77" } });
check("a pause is announced with counts", /^Paused at tick 77, .*\d/.test($("[role=status]").textContent));
panels.update({ toast: { words: "no such thing", kind: "error", alpha: 1 } });
check("an error is announced at once", $(".over [role=alert]").textContent === "no such thing");
panels.update({ banner: { title: "Connecting in 2 s", words: "", token: false } });
check("so is a connection that is gone", $(".over [role=alert]").textContent === "Connecting");
panels.update({ banner: { title: "", words: "", token: false } });
check("and nothing when it is back", $(".over [role=alert]").textContent === "");
check("a picture's name has no comma of nothing", all("[aria-label]").every((node) => !node.getAttribute("aria-label").includes(" ,")));
check("without a cluster there are no ranks", $(".ranks").closest("section").hidden);
panels.update({ bar: BAR, side: [{ name: "ranks", title: "Ranks", key: "", shown: true, rows: [{ name: "ranks", value: "2, stripes", tip: "t" }] },
    { name: "more", title: "More", key: "", shown: true, rows: [{ name: "a", value: "7", tip: "" }] }], ranks: [
    { name: "0", value: "12.0 + 4.0 ms", tip: "a", work: 75, wait: 25, longest: false },
    { name: "1", value: "16.0 + 0.0 ms", tip: "b", work: 100, wait: 0, longest: true }] });
check("a rank has a bar", !$(".ranks").closest("section").hidden && $(".ranks").children.length === 2
    && $(".rank .wait").getBoundingClientRect().right <= $(".rank dd:last-child").getBoundingClientRect().left);
check("a list that no part knows has a section", all("section").some(({ textContent }) => textContent === "Morea7"));
check("the longest is marked", $(".rank.longest dt").textContent === "1");
const f6 = () => panels.ownsKey(new KeyboardEvent("keydown", { key: "F6", cancelable: true })), isIn = (part) => $(part).contains(document.activeElement);
panels.update({ open: { ...open, panel: true, timeline: true } });
$("#world").focus();
check("F6 is the page's", f6());
check("it brings the keyboard to the panel", isIn("aside"));
check("to a control that is shown", document.activeElement.getClientRects().length > 0);
f6();
check("to the timeline", isIn(".timeline"));
f6();
check("to the bar", isIn(".bar"));
f6();
check("and back to the world", document.activeElement === $("#world"));
f6();
check("Esc goes there at once", panels.ownsKey(new KeyboardEvent("keydown", { key: "Escape" })) && document.activeElement === $("#world"));
panels.update({ open: { ...open, panel: false, timeline: false } });
f6();
check("without a panel it goes to the bar", isIn(".bar"));
f6();
check("and back", document.activeElement === $("#world"));
panels.update({ open: { ...open, kiosk: true, panel: false, timeline: false } });
f6();
check("in a kiosk there is the world alone", document.activeElement === $("#world"));
`;

const fixture = join(here, "panels_sections.json"), sections = JSON.parse(readFileSync(fixture, "utf8"));
const filled = script.replace("PARAMS", JSON.stringify(sections.params)).replace("ACTIONS", JSON.stringify(sections.actions))
    .replace("OPEN;", `${JSON.stringify(sections.open)};`).replace("...BAR", `...${JSON.stringify(sections.bar)}`).replace("bar: BAR", `bar: ${JSON.stringify(sections.bar)}`);
const folder = mkdtempSync(join(tmpdir(), "panels-dom-"));
let log = "";
try {
    log = execFileSync("node", [join(here, "panels_look.mjs"), fixture, join(folder, "picture.png"), "--then", filled], { encoding: "utf8" });
} finally {
    rmSync(folder, { recursive: true, force: true });
}
const lines = log.split("\n").map((words) => words.match(/^"((ok|FAILED): .*)", source/)?.[1] ?? words).filter((words) => words !== "" && !words.startsWith('"sent'));
console.log(lines.join("\n"));
const checks = script.match(/^check\(/gm).length, good = lines.filter((words) => words.startsWith("ok: ")).length;
if (good !== checks || lines.length !== checks) {
    console.log(`${good} of ${checks} checks hold`);
    process.exit(1);
}
