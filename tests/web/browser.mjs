// Debian's Chromium and Firefox without a display: plainly, for a page that posts what it found (needs nothing from npm), and by
// puppeteer, for a page that is clicked, typed into and looked at. Each has an empty profile and is ended by its process id.

import { accessSync, constants, writeFileSync } from "node:fs";
import { join } from "node:path";

import { startPageServer } from "./page_server.mjs";
import { check, endProgram, makeFolder, PATIENCE_MS, removeFolder, requireModule, skip, startProgram, within } from "./support.mjs";

const START_MS = 90_000; // a cold Firefox on a busy machine
const CHROMIUM_WORDS = [
  "--no-sandbox",
  "--blink-settings=preferredColorScheme=0", // the system is dark, as the window is
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-breakpad",
  "--disable-component-update",
  "--disable-crash-reporter",
  "--disable-default-apps",
  "--disable-extensions",
  "--disable-sync",
  "--password-store=basic",
  "--use-mock-keychain",
];
// Firefox asks no server of its maker for anything.
const FIREFOX_SETTINGS = {
  "layout.css.prefers-color-scheme.content-override": 0, // dark
  "app.normandy.enabled": false,
  "app.update.enabled": false,
  "browser.aboutwelcome.enabled": false,
  "browser.newtabpage.enabled": false,
  "browser.region.network.url": "",
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "browser.safebrowsing.downloads.enabled": false,
  "browser.search.update": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.homepage_override.mstone": "ignore",
  "datareporting.policy.dataSubmissionEnabled": false,
  "datareporting.healthreport.uploadEnabled": false,
  "dom.push.connection.enabled": false,
  "extensions.getAddons.cache.enabled": false,
  "extensions.update.enabled": false,
  "media.gmp-manager.updateEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "",
  "toolkit.telemetry.enabled": false,
  "toolkit.telemetry.server": "",
  "toolkit.startup.max_resumed_crashes": -1,
};

export const ENGINES = {
  chromium: { program: process.env.DROVER_CHROMIUM ?? "/usr/bin/chromium" },
  firefox: { program: process.env.DROVER_FIREFOX ?? "/usr/bin/firefox-esr" },
};

export function engineProgram(engine) {
  const { program } = ENGINES[engine];
  try {
    accessSync(program, constants.X_OK);
  } catch {
    skip(`not installed: ${program}`);
  }
  return program;
}

function firefoxProfile(folder) {
  const lines = Object.entries(FIREFOX_SETTINGS).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  writeFileSync(join(folder, "user.js"), `${lines.join("\n")}\n`);
  return folder;
}

function plainWords(engine, folder, address) {
  if (engine === "firefox") return ["--headless", "--no-remote", "--profile", firefoxProfile(folder), address];
  return ["--headless=new", ...CHROMIUM_WORDS, `--user-data-dir=${folder}`, address];
}

function environmentFor(folder) {
  return { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder, DISPLAY: "", MOZ_CRASHREPORTER_DISABLE: "1" };
}

// Runs run() of a module in the engine and returns its value. files: what the page may read, by its address (page_server.mjs);
// asked: a JSON value that run() gets; socketsTo: see there. An error in the page is an error here.
export async function runInPage(engine, { module, files, asked = {}, socketsTo, limitMs = 2 * PATIENCE_MS, onSay = console.log }) {
  const program = engineProgram(engine);
  const folder = makeFolder(engine);
  const errors = [];
  let give;
  const given = new Promise((resolve) => (give = resolve));
  const take = ({ kind, value }) => {
    if (kind === "say") onSay(value);
    else if (kind === "error") errors.push(value);
    else give(value);
  };
  const own = { "/in_page.html": new URL("in_page.html", import.meta.url).pathname, "/in_page.mjs": new URL("in_page.mjs", import.meta.url).pathname };
  const server = await startPageServer({ ...own, ...files }, take, { socketsTo });
  const address = `${server.origin}/in_page.html?${new URLSearchParams({ module, asked: JSON.stringify(asked) })}`;
  const browser = startProgram(program, plainWords(engine, folder, address), { env: environmentFor(folder), stdio: ["ignore", "ignore", "pipe"] });
  try {
    const ended = browser.over.then(({ code, signal }) => {
      throw new Error(`${engine} ended early (${code ?? signal}): ${browser.stderr.slice(-2000)}`);
    });
    const value = await within("the page posts its result", Promise.race([given, ended]), limitMs).catch((error) => {
      throw new Error(`${engine}: ${error.message}; errors in the page: ${errors.join("\n") || "none"}`);
    });
    check(errors.length === 0, () => `errors in the page (${engine}):\n${errors.join("\n")}`);
    return value;
  } finally {
    await endProgram(browser);
    server.close();
    removeFolder(folder);
  }
}

// --- with a driver ------------------------------------------------------------------------------------------------

// An engine driven by puppeteer, with an empty profile. Gives the test { browser, engine, newPage }; newPage(address, options)
// opens a page and keeps its errors in page.errors. words: of the command line; here: a name that is this machine for it.
export async function withBrowser(engine, test, { words = [], here } = {}) {
  const puppeteer = requireModule("puppeteer-core");
  const executablePath = engineProgram(engine);
  const folder = makeFolder(engine);
  const common = { executablePath, headless: true, userDataDir: folder, env: environmentFor(folder), protocolTimeout: 3 * PATIENCE_MS };
  const options =
    engine === "firefox"
      ? { ...common, browser: "firefox", extraPrefsFirefox: { ...FIREFOX_SETTINGS, ...(here && { "network.dns.localDomains": here }) }, args: words }
      : { ...common, args: [...CHROMIUM_WORDS, ...(here ? [`--host-resolver-rules=MAP ${here} 127.0.0.1`] : []), ...words] };
  const browser = await within(`${engine} starts`, (puppeteer.default ?? puppeteer).launch(options), START_MS);
  const first = browser.process();
  try {
    return await test({ browser, engine, newPage: (address, view) => openPage(browser, address, view) });
  } finally {
    await Promise.race([browser.close().catch(() => {}), new Promise((done) => setTimeout(done, 5000))]);
    if (first && first.exitCode === null && first.signalCode === null) first.kill("SIGKILL");
    removeFolder(folder);
  }
}

async function openPage(browser, address, { width = 1366, height = 768, ratio = 1, touch = false, media = [], load = true } = {}) {
  const page = await browser.newPage();
  await page.bringToFront(); // a page behind another one is hidden, and draws nothing
  page.errors = [];
  page.on("pageerror", (error) => page.errors.push(`page: ${error.stack ?? error.message ?? error}`));
  page.on("console", (message) => {
    if (message.type() === "error") page.errors.push(`console: ${message.text()}`);
  });
  page.on("error", (error) => page.errors.push(`the page ended: ${error.message}`));
  await page.setViewport({ width, height, deviceScaleFactor: ratio, isMobile: touch, hasTouch: touch }).catch((error) => {
    if (!error.message.includes("unknown command")) throw error; // Firefox 140 turns no screens; the size is set beside that
  });
  if (media.length > 0) await page.emulateMediaFeatures(media);
  if (load) await page.goto(address, { waitUntil: "load", timeout: PATIENCE_MS });
  return page;
}
