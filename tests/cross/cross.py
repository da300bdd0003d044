#!/usr/bin/env python3
"""The same bits on another processor: golden hashes, recordings and frames under qemu-user.

    cross.py --source DIR --build DIR --frames PROGRAM s390x|aarch64|riscv64|i686

Builds tests/cross for that processor (DIR is kept, so the next run is quick), compares its hashes with
tests/golden/hashes.txt, plays the recordings of this core, and compares its frames with those of PROGRAM (golden_frames of this machine), and prints how many were
compared. Scenarios take part as far as BUDGET agents times ticks allow. Missing packages (packages.txt, group cross)
are named in a line that begins with SKIP, exit code 77.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
from golden_matrix import TICKS, agents_of, parse  # noqa: E402

QEMU = {"i686": "qemu-i386"}  # where it is not qemu-TARGET
PLAIN_FLOATS_REFUSED = ("s390x", "i686")  # strict ISO C computes with more than floats there
BUDGET, FRAME_BUDGET, FRAME_TICKS = 200_000, 60_000, 60
SKIPPED, PATIENCE_S = 77, 600


def run(*command, expected=0):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            timeout=PATIENCE_S)
    if (result.returncode == 0) != (expected == 0):
        sys.exit(f"{' '.join(map(str, command))}\nended with {result.returncode}:\n{result.stdout}")
    return result.stdout


def tools(target):
    """Compiler and emulator; without them the test ends."""
    compiler, emulator = f"{target}-linux-gnu-gcc", QEMU.get(target, f"qemu-{target}")
    missing = [tool for tool in (compiler, emulator) if not shutil.which(tool)]
    if not missing:
        probe = subprocess.run([compiler, "-x", "c", "-E", "-"], input="#include <stdio.h>\n", capture_output=True, text=True)
        missing = [f"the C library for {compiler}"] if probe.returncode else []
    if missing:
        print(f"SKIP: {' and '.join(missing)} not installed (packages.txt, group cross)")
        sys.exit(SKIPPED)
    return compiler, emulator


def build(source, folder, target, compiler):
    run("cmake", "-G", "Ninja", "-S", source / "tests/cross", "-B", folder, "-DCMAKE_SYSTEM_NAME=Linux",
        f"-DCMAKE_SYSTEM_PROCESSOR={target}", f"-DCMAKE_C_COMPILER={compiler}")
    run("cmake", "--build", folder, "-j", "2")


def check_refusal(source, compiler):
    """Without its flags the core does not compile."""
    said = run(compiler, "-std=c17", "-D_POSIX_C_SOURCE=200809L", "-I", source, "-fsyntax-only", source / "server/sim/world/world.c",
               expected=1)
    if "-fexcess-precision=fast" not in said:
        sys.exit(f"the core was refused, but without the flags that help:\n{said}")


def ticks_within(scenario, budget):
    return [tick for tick in TICKS if tick * agents_of(scenario) <= budget]


def hashes(emulator, program, scenarios):
    def one(scenario):
        ticks = ",".join(map(str, ticks_within(scenario, BUDGET)))
        return run(emulator, program, ticks, scenario) if ticks else ""

    with ThreadPoolExecutor(2) as pool:
        return parse("".join(pool.map(one, sorted(scenarios, key=agents_of, reverse=True))))


def report(what, got, expected):
    wrong = sorted(key for key in got if got[key] != expected.get(key))
    print(f"{what}: {len(got) - len(wrong)} of {len(got)} agree")
    for key in wrong:
        print(f"  {' '.join(map(str, key))}: got {got[key]}, expected {expected.get(key, 'nothing')}")
    return bool(wrong) or not got


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--frames", required=True)
    parser.add_argument("target")
    arguments = parser.parse_args()
    source, folder, start = arguments.source, arguments.build, time.monotonic()
    compiler, emulator = tools(arguments.target)
    if arguments.target in PLAIN_FLOATS_REFUSED:
        check_refusal(source, compiler)
    build(source, folder, arguments.target, compiler)

    scenarios = sorted((source / "scenarios").glob("*.json"))
    expected = parse((source / "tests/golden/hashes.txt").read_text())
    failed = report(f"{arguments.target} hashes", hashes(emulator, folder / "golden_hashes", scenarios), expected)

    core = re.search(r"CORE_NUMBER = (\d+)", (source / "server/sim/core.h").read_text())[1]
    print(run(emulator, folder / "golden_recording", source / f"tests/golden/recordings/core-{core}.drover"), end="")

    small = [scenario for scenario in scenarios if agents_of(scenario) * FRAME_TICKS <= FRAME_BUDGET]
    ours, theirs = (
        {tuple(line.split()[:2]): line.split()[2] for line in run(*command, *small).splitlines()}
        for command in ([emulator, folder / "golden_frames"], [arguments.frames]))
    failed |= report(f"{arguments.target} frames", ours, theirs)
    print(f"{time.monotonic() - start:.0f} s")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
