#!/usr/bin/env python3
"""Builds the server of the preset tsan and runs scripts of this folder against it: a race ends the server, and so the script.

usage: thread_sanitizer.py SOURCE_DIR      DROVER_FULL=1 in the environment: MORE scripts
"""

import os
import pathlib
import subprocess
import sys

# What threads do beside each other: sessions that come and go during steps, loads and the end; requests into ticks; frames out of
# them; recordings, journals and saves that a thread writes; worlds that are read while another one runs.
SCRIPTS = ["test_sessions.Leaving", "test_live_changes", "test_snapshots", "test_recording", "test_journal", "test_replay", "test_saves",
           "test_order"]
# These have the same threads do the same with other requests, and wait for clients to be thrown out.
MORE = ["test_sessions", "test_roles", "test_layouts", "test_speed"]


def main():
    source = pathlib.Path(sys.argv[1])
    for command in (["cmake", "--preset", "tsan", "-DDROVER_VIEWER=OFF", "-DDROVER_BENCH=OFF", "-DDROVER_WEB=OFF"],
                    ["cmake", "--build", "--preset", "tsan", "-j", "2", "--target", "drover-server"]):
        done = subprocess.run(command, cwd=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout}")
    environment = {**os.environ, "DROVER_SERVER": str(source / "build/tsan/bin/drover-server"),
                   "TSAN_OPTIONS": f"suppressions={source}/tests/tsan.supp"}
    environment.pop("DROVER_SLOW", None)  # the short runs of these scripts meet each thread
    scripts = SCRIPTS + (MORE if os.environ.get("DROVER_FULL") == "1" else [])
    sys.exit(subprocess.run([sys.executable, "-m", "unittest", "-v", *scripts], cwd=source / "tests/e2e", env=environment).returncode)


if __name__ == "__main__":
    main()
