/* The pages of the gallery, from what the project has: docs/behaviors.md, what the scenarios say of themselves, and web/lessons. Nothing is
 * written twice: here are only the words around.
 *
 * In a lesson, ![Title](<world:NAME?view>) is a world, for the text from its heading to the next; [words](<do:REQUESTS>) is a button that
 * sends them to it: a request of protocol.md, or a list.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src 'self'; " +
    "style-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'";
const LARGE = 20000; // agents; such a world begins when it is asked for
const GROUPS = [
    ["crowds", "Crowds", "People in rooms, streets and doors."],
    ["flocks", "Flocks", "Birds and others that fly together, from two hundred to a million."],
    ["hunts", "Hunts", "Those that chase, and those that get away."],
];
const FLOCKS = ["boids", "flock", "starlings", "murmuration_10k", "murmuration_100k", "million"];
const HUNTS = ["hunters_and_prey", "pursue_and_evade", "multiple_pursuit", "guard", "hunt", "capture_the_flag", "shepherds", "herd", "great_hunt"];

const escaped = (text) => String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const slug = (words) => words.toLowerCase().replace(/[^\w]+/g, "-").replace(/^-|-$/g, "");

/* The Markdown reader; raw HTML in it is shown as text. handlers: { link, image } for addresses of ours. */
function markdownReader(folder, handlers) {
    const { marked } = createRequire(import.meta.url)(folder);
    marked.use({
        mangle: false,
        renderer: {
            html: (html) => escaped(html),
            link: (href, _title, words) => handlers.link(href, words),
            image: (href, _title, words) => handlers.image(href, words),
            table: (head, body) => `<div class="table" tabindex="0" role="region" aria-label="Table"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>\n`,
        },
    });
    return (text) => marked.parse(text);
}

/* { title, text } of each "## " part of a document; the first, without a title, is what stands before. */
function partsOf(text) {
    return text.split(/^## /m).map((part, i) => i === 0 ? { title: "", text: part } : { title: part.split("\n")[0].trim(), text: part.slice(part.indexOf("\n") + 1) });
}

export function writePages({ out, add, texts, docs, lessons, marked, golden, script, style }) {
    const scenarios = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, { name, about: {}, ...JSON.parse(text), title: JSON.parse(text).name ?? name }]));
    const agentsOf = ({ agents = [] }) => agents.reduce((sum, { count = 1 }) => sum + count, 0);
    mkdirSync(join(out, "images"));

    /* A picture of the docs, copied; the name of its file here, or null. */
    function picture(name) {
        const from = join(docs, "images", name);
        if (!existsSync(from)) {
            return null;
        }
        copyFileSync(from, join(out, "images", name));
        return `images/${name}`;
    }

    let worlds = 0; // on the page

    function world(name, view = "") {
        const scenario = scenarios[name];
        if (scenario === undefined) {
            throw new Error(`there is no scenario ${name}`);
        }
        const title = escaped(scenario.title), number = ++worlds, count = agentsOf(scenario);
        const large = count >= LARGE ? ` data-large="${count}"` : "";
        const words = large === "" ? `Run “${title}”` : `Run “${title}”: ${count.toLocaleString("en")} agents, for a fast machine`;
        return {
            figure: `<figure class="world" id="world-${number}" data-scenario="${name}" data-title="${title}" data-view="${escaped(view)}"${large}>
<a class="skip" href="#after-${number}">Skip the world ${title}</a>
<div class="stage"><img src="${picture(`${name}.png`) ?? `previews/${name}.png`}" alt="" loading="lazy"><button type="button" class="run">${words}</button></div>
<figcaption>${escaped(scenario.about.caption ?? scenario.description ?? "")}</figcaption>
<div class="tools"><button type="button" class="again" aria-label="Begin ${title} again">Begin again</button><a href="world.html#scenario=${name}" aria-label="${title} in a page of its own">In a page of its own</a></div>
<p class="said" role="status"></p>
<span class="after" id="after-${number}" tabindex="-1"></span>
</figure>`,
            editor: `<details class="editor" data-scenario="${name}" data-title="${title}" data-number="${number}"><summary>The text of ${title}, to change</summary>
<p>What you write is looked at as the server does it, and runs here with Ctrl+Enter. Nothing leaves this page. <a href="scenarios/${name}.json">The file</a>; <a href="doc-scenarios.html">every key</a>.</p></details>`,
        };
    }

    /* A world with words beside it. */
    function step(name, words, view, heading = "", kind = "step") {
        const { figure, editor } = world(name, view);
        return `<section class="${kind}" id="${escaped(name)}">${heading}<div class="beside">${figure}<div class="words">${words}</div>${editor}</div></section>\n`;
    }

    /* formula: what stands before the scenario's own words. */
    function scenarioStep(name, formula = "") {
        const { about, title, description } = scenarios[name];
        const row = (head, words) => words === undefined ? "" : `<h3>${head}</h3><p>${escaped(words)}</p>`;
        const words = row("What it is", description) + row("Try", about.try) + row("Look for", about.look_for) + row("From", about.source);
        return formula === "" ? step(name, words, "panel=on", `<h2>${escaped(title)}</h2>`)
            : step(name, `${formula}<h2>${escaped(title)}</h2>${words}`, "panel=on", "", "step first");
    }

    const docNames = new Set(["scenarios"]); // those that the pages link to; they are made last
    let isDoc = false;
    const docPath = (name) => name === "protocol" ? join(docs, "..", "protocol.md") : join(docs, `${name}.md`);
    const parse = markdownReader(marked, {
        link(href, words) {
            const doc = /^(?:\.\.\/)?(?:docs\/)?([\w-]+)\.md(#.*)?$/.exec(href), name = doc?.[1];
            if (href.startsWith("do:")) {
                JSON.parse(href.slice(3)); // or the build ends
                return `<button type="button" class="do" data-do="${escaped(href.slice(3))}">${words}</button>`;
            }
            if (name === "behaviors") {
                const part = behaviors.find(({ title }) => `#${slug(title)}` === doc[2]);
                return `<a href="${part?.file ?? `behaviors.html${escaped(doc[2] ?? "")}`}">${words}</a>`;
            }
            if (doc !== null && existsSync(docPath(name)) && (!isDoc || docNames.has(name))) {
                docNames.add(name);
                return `<a href="doc-${name}.html${escaped(doc[2] ?? "")}">${words}</a>`;
            }
            return /^(https?:|#|[\w-]+\.html)/.test(href) ? `<a href="${escaped(href)}">${words}</a>` : words;
        },
        image(href, words) {
            const path = href.startsWith("images/") ? picture(basename(href)) : null;
            return path === null ? "" : `<img src="${path}" alt="${escaped(words)}" loading="lazy">`;
        },
    });

    /* ---- what there is ---- */

    const lessonPages = readdirSync(lessons).filter((file) => file.endsWith(".md")).sort().map((file) => {
        const text = readFileSync(join(lessons, file), "utf8"), [title, ...rest] = text.split("\n");
        return { file: `lesson-${file.slice(0, -3)}.html`, title: title.replace(/^# /, ""), text: rest.join("\n") };
    });
    const parts = partsOf(readFileSync(join(docs, "behaviors.md"), "utf8"));
    const taken = new Set();
    for (const part of parts) { // a world belongs to the part that has its picture, or else to the first that names it
        part.worlds = [...part.text.matchAll(/\(images\/(\w+)\.png\)/g)].map(([, name]) => name).filter((name) => name in scenarios && !taken.has(name));
        part.worlds.forEach((name) => taken.add(name));
    }
    for (const part of parts.filter(({ worlds: some }) => some.length > 0)) {
        const named = [...part.text.matchAll(/`(\w+)`/g)].map(([, name]) => name).filter((name) => name in scenarios && !taken.has(name) && agentsOf(scenarios[name]) >= 1000);
        new Set(named).forEach((name) => {
            part.worlds.push(name);
            taken.add(name);
        });
    }
    const behaviors = parts.filter(({ worlds: some }) => some.length > 0).map((part) => ({ ...part, file: `behavior-${slug(part.title)}.html` }));
    const rest = parts.filter(({ worlds: some }) => some.length === 0);
    const namesIn = { crowds: Object.keys(scenarios).filter((name) => ["crowds", "large"].includes(scenarios[name].about.group) && !FLOCKS.includes(name) && !HUNTS.includes(name)), flocks: FLOCKS, hunts: HUNTS };
    const groups = GROUPS.map(([id, title, words]) => ({ file: `${id}.html`, title, words, worlds: namesIn[id].filter((name) => name in scenarios) }));
    const homeOf = (name) => `${[...behaviors, ...groups].find(({ worlds: some }) => some.includes(name))?.file ?? "index.html"}#${name}`;

    /* ---- the pages ---- */

    const sections = [["index.html", "Gallery"], [lessonPages[0]?.file ?? "index.html", "Lessons"], ["behaviors.html", "Behaviors"], ...groups.map(({ file, title }) => [file, title]), ["same-hash.html", "The same hash"]];
    function page(file, title, body, { section = file, description = "" } = {}) {
        const links = sections.map(([to, words]) => `<li><a href="${to}"${to === section ? ' aria-current="page"' : ""}>${words}</a></li>`).join("");
        add(file, Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escaped(title)} – Drover</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<meta name="referrer" content="no-referrer">${description === "" ? "" : `\n<meta name="description" content="${escaped(description)}">`}
<link rel="icon" href="favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
<script src="${script}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><a class="home" href="index.html">Drover</a><nav aria-label="Pages"><ul>${links}</ul></nav></header>
<main id="main">
<h1>${escaped(title)}</h1>
${body}
</main>
<noscript><p class="no-script">The worlds of this page need scripts: they run here, as WebAssembly. Without them you see pictures.</p></noscript>
<footer><p>Each world is computed in your browser by the same program as on a server, drover-server. Nothing is sent anywhere.</p></footer>
</body>
</html>
`));
        worlds = 0;
    }
    const card = (file, title, words, image) => `<li class="card"><a href="${file}">${image === undefined ? "" : `<img src="previews/${image}.png" alt="" loading="lazy" width="240" height="150">`}<b>${escaped(title)}</b></a><p>${escaped(words)}</p></li>`;
    const cards = (items) => `<ul class="cards">${items.join("")}</ul>`;
    const scenarioCards = (names) => cards(names.map((name) => card(homeOf(name), scenarios[name].title, scenarios[name].about.caption ?? "", name)));

    lessonPages.forEach((lesson, i) => {
        const [intro, ...steps] = partsOf(lesson.text);
        const body = steps.map(({ title, text }) => {
            const found = /^!\[([^\]]*)\]\(<world:([\w-]+)\??([^>]*)>\)$/m.exec(text), heading = `<h2 id="${slug(title)}">${escaped(title)}</h2>`;
            return found === null ? `<section>${heading}${parse(text)}</section>` : step(found[2], parse(text.replace(found[0], "")), found[3], heading);
        }).join("\n");
        const beside = [[i - 1, "Before: "], [i + 1, "Next: "]].filter(([at]) => lessonPages[at] !== undefined)
            .map(([at, words]) => `<a href="${lessonPages[at].file}">${words}${escaped(lessonPages[at].title)}</a>`).join(" ");
        const list = `<nav class="lessons" aria-label="Lessons"><ol>${lessonPages.map(({ file, title }) => `<li><a href="${file}"${file === lesson.file ? ' aria-current="page"' : ""}>${escaped(title)}</a></li>`).join("")}</ol></nav>`;
        page(lesson.file, lesson.title, `${list}<div class="prose">${parse(intro.text)}</div>${body}<nav class="beside-links" aria-label="Other lessons">${beside}</nav>`, { section: lessonPages[0].file });
    });
    for (const { file, title, text, worlds: some } of behaviors) {
        const words = parse(text.replace(/^!\[.*\)$/gm, ""));
        page(file, title, some.map((name, i) => scenarioStep(name, i === 0 ? words : "")).join(""), { section: "behaviors.html" });
    }
    const about = rest.map(({ title, text }) => title === "" ? parse(text.replace(/^# .*$/m, "")) : `<h2 id="${slug(title)}">${escaped(title)}</h2>${parse(text)}`).join("\n");
    page("behaviors.html", "The behaviors", cards(behaviors.map(({ file, title, worlds: [first] }) => card(file, title, scenarios[first].about.caption ?? "", first))) + `<div class="prose">${about}</div>`);
    for (const { file, title, words, worlds: some } of groups) {
        page(file, title, `<p>${words}</p>${some.map((name) => scenarioStep(name)).join("")}`);
    }

    const wanted = {};
    for (const [name, tick, hash] of golden.trim().split("\n").map((line) => line.split(" "))) {
        const isDriven = /"external"/.test(texts[name] ?? '"external"'); // requests in each tick: not here
        if (!isDriven) {
            (wanted[name] ??= []).push([Number(tick), hash]);
        }
    }
    const ticks = [...new Set(Object.values(wanted).flat().map(([tick]) => tick))].sort((a, b) => a - b);
    const rows = Object.entries(wanted).map(([name, some]) => `<tr data-name="${name}" data-agents="${agentsOf(scenarios[name])}"><th scope="row"><a href="${homeOf(name)}">${escaped(scenarios[name].title)}</a></th><td>${agentsOf(scenarios[name]).toLocaleString("en")}</td>${ticks.map((tick) => {
        const hash = some.find(([at]) => at === tick)?.[1];
        return hash === undefined ? "<td></td>" : `<td data-tick="${tick}" data-hash="${hash}"><code>${hash}</code> <span class="result"></span></td>`;
    }).join("")}</tr>`).join("\n");
    page("same-hash.html", "The same hash on your machine", `<div class="prose">
<p>A world of Drover is the same on every machine, bit for bit: with gcc and clang, on Intel and ARM, on one thread or sixteen, and in a browser. After
a tick a hash is made of all that the world is, so that two worlds are equal if their hashes are. The hashes in this table are those that
the project's tests expect of every build. Your browser computes the same worlds now, with the same requests on the way: the first target is moved,
agents come and go, and a speed changes.</p>
<p>Engine: <b id="engine"></b></p></div>
<div class="tools"><button type="button" id="compare">Compare</button><label><input type="checkbox" id="large"> also worlds with more than a thousand agents, which take minutes</label></div>
<p id="verdict" role="status"></p>
<div class="table" tabindex="0" role="region" aria-label="Hashes"><table id="hashes"><thead><tr><th scope="col">World</th><th scope="col">Agents</th>${ticks.map((tick) => `<th scope="col">Tick ${tick}</th>`).join("")}</tr></thead><tbody>
${rows}
</tbody></table></div>`);

    const { figure } = world("flock", "");
    page("index.html", "Drover: worlds of steering agents", `<div class="beside"><div class="words"><p>Drover moves agents by Reynolds’ steering behaviors: each looks at its
neighbors, wants a velocity, and gets it as far as its force goes. Out of that come flocks, crowds and hunts.</p>
<p>The worlds in these pages are alive. They are computed in your browser by the server itself; drag things, move the sliders, look at the forces, and
change the text of a world and run it.</p><p><a class="go" href="${lessonPages[0].file}">Begin with the first lesson</a></p></div>${figure}</div>
<section><h2>Five lessons</h2>${`<ol class="cards">${lessonPages.map(({ file, title, text }) => card(file, title, text.trim().split("\n\n")[0].replace(/\n/g, " "), /world:(\w+)/.exec(text)?.[1])).join("")}</ol>`}</section>
<section><h2>The behaviors</h2>${cards(behaviors.map(({ file, title, worlds: [first] }) => card(file, title, scenarios[first].about.caption ?? "", first)))}</section>
${groups.map(({ file, title, words, worlds: some }) => `<section><h2><a href="${file}">${title}</a></h2><p>${words}</p>${scenarioCards(some)}</section>`).join("\n")}
<section><h2><a href="same-hash.html">The same hash on your machine</a></h2><p>Your browser computes these worlds bit for bit as every other machine does. See for yourself.</p></section>`,
    { description: "Steering behaviors, flocks, crowds and hunts, alive in your browser, with their formulas and five lessons." });

    isDoc = true;
    for (const name of docNames) {
        const text = readFileSync(docPath(name), "utf8"), title = /^# (.*)$/m.exec(text)?.[1] ?? name;
        page(`doc-${name}.html`, title, `<div class="prose">${parse(text.replace(/^# .*$/m, ""))}</div>`, { section: "" });
    }
}
