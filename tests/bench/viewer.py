#!/usr/bin/env python3
"""How fast the viewer is: the real program on real servers, under Xvfb, without a card and without OpenGL.

    viewer.py BIN_DIRECTORY [--frames N]

For each crowd: the time of a frame from its begin to the screen, and its cost to the drawing thread. The server, the
X server and other processes work on the same cores: compare processor times, and see the printed load.
Medians over the frames of one run; every run is bounded, all of it takes about two minutes.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# agents: which of the runs below
CROWDS = {1000: (0, 1, 2), 10_000: (0, 1, 2), 30_000: (0, 2)}


def scenario(count):
    side = max(800, int((count * 900) ** 0.5))
    return {"name": f"{count} wanderers", "seed": 1, "tick_hz": 30,
            "world": {"size": [int(side * 1.6), side], "edge": "wrap"},
            "kinds": {"wanderer": {"max_speed": 60, "max_force": 120, "radius": 5, "behaviors": [{"wander": {}}]}},
            "agents": [{"kind": "wanderer", "count": count, "in": {"rect": [0, 0, int(side * 1.6), side]}}]}


def display():
    reader, writer = os.pipe()
    process = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x800x24", "-nolisten", "tcp",
                                "-noreset"], pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writer)
    number = b""
    while not number.endswith(b"\n"):  # it may come in pieces
        piece = os.read(reader, 16)
        if not piece:
            sys.exit("Xvfb does not start")
        number += piece
    os.close(reader)
    return process, f":{number.decode().strip()}"


def run(folder, address, name, frames, environment, arguments):
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([folder / "drover-viewer", address, "--no-config", "--stats", "--frames", str(frames),
                           "--panel", "on", *arguments], env={**os.environ, **environment}, capture_output=True,
                          text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stderr}")
    lasted, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = done.stdout.splitlines()
    cpu_ms = 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / frames
    first_s = float(re.search(r"after (\d+) ms", lines[0]).group(1)) / 1000
    lines.append(f"all threads  {cpu_ms:.2f} ms of processor time a frame, start and end included; "
                 f"{(frames - 1) / (lasted - first_s):.0f} frames/s")
    print(f"  {name:28s} {lines[0]}")
    for line in lines[1:]:
        print(f"  {'':28s} {line}")


def ticks(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def idle_and_echo(folder, screen):
    """The processor time of a viewer of a paused world, and the time from a motion of the mouse to its echo."""
    if shutil.which("xdotool") is None:
        print("xdotool is not installed: no figures of idleness and of the mouse")
        return
    environment = {**os.environ, "DISPLAY": screen, "SDL_VIDEODRIVER": "x11"}
    for flags, what in ((["--paused"], "paused"), ([], "running")):
        server = subprocess.Popen([folder / "drover-server", "seek", "--port", "0", "--log", "error", *flags],
                                  stdout=subprocess.PIPE, text=True)
        try:
            address = server.stdout.readline().split()[-1]
            viewer = subprocess.Popen([folder / "drover-viewer", address, "--no-config", "--stats"], env=environment,
                                      stdout=subprocess.PIPE, text=True)
            time.sleep(3)
            before = ticks(viewer)
            time.sleep(5)
            share = 100 * (ticks(viewer) - before) / os.sysconf("SC_CLK_TCK") / 5
            print(f"1 agent, {what}, without input: {share:.1f} % of a processor")
            for i in range(60):
                subprocess.run(["xdotool", "mousemove", str(200 + 5 * i), str(200 + 3 * i)], env=environment, timeout=10)
                time.sleep(0.05)
            subprocess.run(["xdotool", "key", "Escape"], env=environment, timeout=10)
            out = viewer.communicate(timeout=20)[0]
            print("".join(f"  {line}\n" for line in out.splitlines() if "first" in line or "echo" in line), end="")
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(10)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--frames", type=int, default=300)
    options = parser.parse_args()
    print("load averages before: %.1f %.1f %.1f, %d processors" % (*os.getloadavg(), os.cpu_count()))
    x, screen = display()
    window = {"DISPLAY": screen, "SDL_VIDEODRIVER": "x11"}
    runs = (("no card: auto", window, []), ("OpenGL (llvmpipe): card", window, ["--renderer", "card"]),
            ("no display: headless", {}, ["--headless"]))
    try:
        idle_and_echo(options.bin, screen)
        with tempfile.TemporaryDirectory() as place:
            for count, chosen in CROWDS.items():
                path = pathlib.Path(place) / f"crowd_{count}.json"
                path.write_text(json.dumps(scenario(count)))
                server = subprocess.Popen([options.bin / "drover-server", path, "--port", "0", "--log", "error"],
                                          stdout=subprocess.PIPE, text=True)
                try:
                    address = server.stdout.readline().split()[-1]
                    print(f"{count} agents, 1280x800, a running world")
                    for name, environment, arguments in (runs[i] for i in chosen):
                        run(options.bin, address, name, options.frames, environment, arguments)
                finally:
                    server.send_signal(signal.SIGTERM)
                    server.wait(10)
    finally:
        x.terminate()
        x.wait(10)


if __name__ == "__main__":
    main()
