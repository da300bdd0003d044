#!/usr/bin/env python3
"""Builds the server of the preset tsan and runs scripts of this folder against it: a race ends the server, and so the script.

usage: thread_sanitizer.py SOURCE_DIR
"""

import os
import pathlib
import subprocess
import sys

SCRIPTS = ["test_sessions", "test_live_changes", "test_roles", "test_snapshots", "test_layouts"]


def main():
    source = pathlib.Path(sys.argv[1])
    for command in (["cmake", "--preset", "tsan", "-DDROVER_VIEWER=OFF", "-DDROVER_BENCH=OFF"],
                    ["cmake", "--build", "--preset", "tsan", "-j", "2", "--target", "drover-server"]):
        done = subprocess.run(command, cwd=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout}")
    environment = {**os.environ, "DROVER_SERVER": str(source / "build/tsan/bin/drover-server"),
                   "TSAN_OPTIONS": f"suppressions={source}/tests/tsan.supp"}
    sys.exit(subprocess.run([sys.executable, "-m", "unittest", "-v", *SCRIPTS], cwd=source / "tests/e2e", env=environment).returncode)


if __name__ == "__main__":
    main()
