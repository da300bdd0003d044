#!/usr/bin/env python3
"""Static seconds in the viewer: a web server hands out what --seconds wrote, and the viewer shows the same world as one that is connected
to the server.

    viewer_seconds.py DROVER_SERVER DROVER_VIEWER
"""

import functools
import http.server
import json
import pathlib
import subprocess
import tempfile
import threading

from drover_client import PATIENCE_S, Server, wait_for
import viewer_support as support
from viewer_support import Picture, check, step

VIEWER = support.viewer_program(__doc__)
TICK = 120


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def view(where, picture, *more):
    """Draws the world alone; what the viewer said."""
    result = subprocess.run([VIEWER, str(where), "--headless", "--bare", "--own-view", "--fixed-dt", "16", "--frames", "150", "--size", "640x480",
                             "--log", "info", "--screenshot", str(picture), *more], capture_output=True, text=True,
                            timeout=PATIENCE_S, check=False)
    check(result.returncode == 0, f"the viewer of {where} ended with {result.returncode}: {result.stderr}")
    return result.stderr


def index_of(folder):
    path = folder / "index.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"latest": 0}


def has_tick(folder):
    last = folder / f"{index_of(folder)['latest']}.ndjson"
    return last.exists() and f'"op":"delta","tick":{TICK},' in last.read_text(encoding="utf-8")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        folder = scratch / "seconds"
        folder.mkdir()
        web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=scratch))
        threading.Thread(target=web.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{web.server_port}"
        with Server("--seconds", str(folder), "--paused", "boids") as server, server.connect() as client:
            client.request("step", count=TICK)
            wait_for(lambda: has_tick(folder), "the second with the tick")
            latest = index_of(folder)["latest"]
            client.request("add_obstacle", circle=[300, 300, 60])  # and a second that has this tick alone
            wait_for(lambda: index_of(folder)["latest"] > latest and has_tick(folder), "the second with the obstacle")
            view(f"127.0.0.1:{server.port}", scratch / "direct.png")
            said = view(f"{address}/seconds/index.json", scratch / "http.png")
            check("connected to http://" in said, f"the viewer named no address: {said}")
            view(folder, scratch / "folder.png")
            direct = Picture(scratch / "direct.png").rows
            for name in ("http", "folder"):
                check(Picture(scratch / f"{name}.png").rows == direct, f"{name}.png is another picture than direct.png")
            step("the same picture of the same tick, directly, over http and from the folder")
        # The server has gone, and says so in the index.
        result = subprocess.run([VIEWER, f"{address}/seconds/index.json", "--headless", "--frames", "2000", "--no-reconnect"],
                                capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        check(result.returncode == 1 and "these were its last seconds" in result.stderr, f"an end without a word: {result}")
        result = subprocess.run([VIEWER, f"{address}/nothing/index.json", "--headless", "--no-reconnect"],
                                capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        check(result.returncode == 1 and "404 (not found)" in result.stderr, f"a missing index without a word: {result}")
        last = result.stderr.strip().splitlines()[-1]
        check(f"{address}/nothing/index.json" in last, f"the sentence names another address: {last}")
        result = subprocess.run([VIEWER, f"{address}/", "--headless", "--no-reconnect"],
                                capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        check(result.returncode == 1, f"no index: {result}")
        step("what is wrong is a sentence")
        web.shutdown()


if __name__ == "__main__":
    main()
