#!/usr/bin/env python3
"""Builds the server and libdrover as the preset release has them, with link-time optimization, and lets the server check every scenario.

usage: release.py SOURCE_DIR BUILD_DIR      BUILD_DIR is kept, so the next run is quick
"""

import pathlib
import subprocess
import sys


def run(*command):
    result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {result.returncode}:\n{result.stdout}")
    return result.stdout


def main(source, build):
    # The page for browsers is no part of what is linked so; the viewer is built by install.py.
    run("cmake", "-S", source, "--preset", "release", "-B", build, "-DDROVER_WEB=OFF", "-DDROVER_VIEWER=OFF", "-DDROVER_BENCH=OFF",
        "-DDROVER_WERROR=ON")
    run("cmake", "--build", build, "-j", "2", "--target", "drover-server", "libdrover")
    scenarios = sorted(pathlib.Path(source, "scenarios").glob("*.json"))
    run(pathlib.Path(build) / "bin/drover-server", "--check", *scenarios)
    print(f"a server with link-time optimization takes {len(scenarios)} scenarios")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
