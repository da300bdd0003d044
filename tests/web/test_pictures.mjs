// Pictures of the page in a browser and of the SDL2 viewer, of the same worlds: equal byte for byte where the viewer has no words (its bar
// and its legend; the page's words are HTML). viewer_pictures.py holds the viewer to tests/golden/pictures.
//
//     node test_pictures.mjs chromium|firefox [SCENARIO ...]

import { withBrowser } from "./browser.mjs";
import { needPage, withClient, withServer } from "./drover.mjs";
import { nativePicture, Visit, world } from "./drover_page.mjs";
import { difference } from "./png.mjs";
import { check, makeFolder, removeFolder, runTest, step } from "./support.mjs";

const [engine, ...asked] = process.argv.slice(2);
const SIZE = { width: 800, height: 600, ratio: 1 };
// Of worlds without names of targets, which the viewer draws as words.
const SCENARIOS = ["boids", "hunters_and_prey", "containment", "alignment", "avoid_obstacles", "cohesion", "corridor",
  "crossing_crowds", "flock", "follow_flow", "pedestrians", "separation", "stay_on_path"];
const TICKS = 150;

async function compare(newPage, name, folder) {
  return withServer([name, "--paused", "--log", "error"], async (server) => {
    needPage(server);
    await withClient(server, (client) => client.request("step", { count: TICKS }));
    const native = world(await nativePicture(server, SIZE, folder));
    const visit = await Visit.open(newPage, server, { ...SIZE, hash: "#renderer=raster" });
    let share = 1;
    await visit.until("the viewer's picture", async () => (share = difference(world(await visit.picture()), native, 0)) === 0, 20000).catch(() => {});
    step(`${name}: ${share === 0 ? "equal" : `${(100 * share).toFixed(3)} % of the pixels differ`}`);
    await visit.expectWell();
    await visit.page.close();
    return share === 0;
  });
}

await runTest(() =>
  withBrowser(engine, async ({ newPage }) => {
    const folder = makeFolder("pictures"), wrong = [];
    for (const name of asked.length > 0 ? asked : SCENARIOS) if (!(await compare(newPage, name, folder))) wrong.push(name);
    removeFolder(folder);
    check(wrong.length === 0, `other pictures than the viewer's: ${wrong.join(", ")}`);
  }));
