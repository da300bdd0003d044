#!/usr/bin/env python3
"""Builds the preset server-only in a place where SDL2, ImGui and a C++ compiler do not exist.

A script without sdl2 replaces pkg-config, find_package is kept from searching for it, and the C++
compiler is /bin/false. Then the server must not have read an SDL header nor be linked with SDL.

usage: server_only.py SOURCE_DIR BUILD_DIR      BUILD_DIR is kept, so the next run is quick
"""

import pathlib
import shutil
import subprocess
import sys

PKG_CONFIG = """#!/bin/sh
for word in "$@"; do
    case $word in *[sS][dD][lL]* | *imgui* | *stb*) echo "asked for $word" >>"{log}"; exit 1 ;; esac
done
exec "{real}" "$@"
"""


def run(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {result.returncode}:\n{result.stdout}")
    return result.stdout


def main(source, build):
    build = pathlib.Path(build)
    build.mkdir(parents=True, exist_ok=True)
    log, wrapper = build / "asked-for-sdl", build / "pkg-config"
    log.unlink(missing_ok=True)
    wrapper.write_text(PKG_CONFIG.format(log=log, real=shutil.which("pkg-config")))
    wrapper.chmod(0o755)

    # Without the benchmarks and the page for browsers, which other builds have. install.py adds the viewer afterwards.
    (build / "bin/drover-viewer").unlink(missing_ok=True)
    run("cmake", "--fresh", "-S", source, "--preset", "server-only", "-B", str(build), f"-DPKG_CONFIG_EXECUTABLE={wrapper}",
        "-DCMAKE_DISABLE_FIND_PACKAGE_SDL2=ON", "-DCMAKE_CXX_COMPILER=/bin/false", "-DDROVER_BENCH=OFF", "-DDROVER_WEB=OFF",
        "-DDROVER_WERROR=ON")
    run("cmake", "--build", str(build), "-j", "2")

    server = build / "bin/drover-server"
    if log.exists():
        sys.exit(f"the server's build looked for SDL: {log.read_text()}")
    if (build / "bin/drover-viewer").exists():
        sys.exit("the viewer was built although DROVER_VIEWER is OFF")
    headers = [line for line in run("ninja", "-C", str(build), "-t", "deps").splitlines() if "SDL" in line or "imgui" in line]
    if headers:
        sys.exit("the server reads these headers:\n" + "\n".join(headers))
    needed = [line for line in run("readelf", "-d", str(server)).splitlines() if "NEEDED" in line]
    if not any("libuv" in line for line in needed):
        sys.exit("readelf shows no libuv: the check looks at the wrong thing\n" + "\n".join(needed))
    if any("SDL" in line or "libstdc++" in line or "libGL" in line for line in needed):
        sys.exit("the server is linked with:\n" + "\n".join(needed))
    print(run(str(server), "--version").strip(), "built without SDL2 and without a C++ compiler")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
