"""The golden hashes: the same bits from gcc and clang, -O0 to -O3, every SIMD width, 1 to 7 threads, for every scenario.

    golden_matrix.py --source DIR --link "LIBS AND FLAGS" --cc COMPILER [--write]

Compiles server/sim and golden_hashes.c with each compiler and optimisation level, links them with the scenario loader and
the common layer of this build, and compares what each program prints with tests/golden/hashes.txt. --write replaces the
file with what the first program prints (say in the commit why the bits changed).
"""
import argparse
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

LEVELS = ["-O0", "-O2", "-O3"]
WHOLE_PROGRAM = "-O3 -flto"  # as the release preset has it; objects of gcc, linked by gcc
# The contract's flags (cmake/DroverOptions.cmake) without warnings and sanitizers.
FLAGS = ["-std=c17", "-D_POSIX_C_SOURCE=200809L", "-ffp-contract=off", "-fno-math-errno"]
# As server/sim/CMakeLists.txt has them.
WIDE_FLAGS = {
    "neighbor_kernel_avx2.c": ["-mavx2"],
    "neighbor_kernel_avx512.c": ["-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx512bw"],
}
TICKS = "1,60,600"
# What each program runs with: the widest SIMD alone, and for the programs people get all the others.
ALONE = [("", 1)]
ALL = [("", 1), ("plain", 1), ("sse2", 2), ("avx2", 3), ("avx512", 7)]
UNSUPPORTED = 77


def wide(file):
    return WIDE_FLAGS.get(file.name, []) if platform.machine() in ("x86_64", "AMD64") else []


def hashes(program, scenarios, simd, threads):
    """What the program prints; None when this processor cannot run it so."""
    environment = {**os.environ, "DROVER_THREADS": str(threads)}
    environment.pop("DROVER_SIMD", None)
    if simd:
        environment["DROVER_SIMD"] = simd
    # Two at a time, each with every other scenario; what uses threads has both processors already.
    parts = [scenarios[0::2], scenarios[1::2]] if threads == 1 else [scenarios]

    def run(part):
        return subprocess.run([program, TICKS, *part], capture_output=True, text=True, env=environment)

    with ThreadPoolExecutor(len(parts)) as pool:
        runs = list(pool.map(run, parts))
    if simd and any(one.returncode == UNSUPPORTED for one in runs):
        return None
    for one in runs:
        one.check_returncode()
    lines = [line for one in runs for line in one.stdout.splitlines()]
    order = {path.stem: place for place, path in enumerate(scenarios)}
    return "".join(line + "\n" for line in sorted(lines, key=lambda line: (order[line.split()[0]], int(line.split()[1]))))


def build(compiler, level, source, link, linker, folder):
    files = sorted((source / "server/sim").glob("*.c")) + [source / "tests/golden/golden_hashes.c"]
    folder.mkdir()

    def compile_one(file):
        output = folder / (file.stem + ".o")
        subprocess.run([compiler, *FLAGS, *wide(file), *level.split(), "-I", source, "-c", file, "-o", output], check=True)
        return output

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, files))
    program = folder / "golden_hashes"
    # Our objects come first, so the library's own copy of server/sim is never pulled in.
    subprocess.run([linker, *level.split(), *objects, *link, "-lm", "-o", program], check=True)
    return program


def complain(how, golden, output, expected):
    print(f"{how}: differs from {golden.name}")
    for ours, theirs in zip(output.splitlines(), expected.splitlines()):
        if ours != theirs:
            print(f"  got {ours}   expected {theirs}")
    if len(output.splitlines()) != len(expected.splitlines()):
        print("  a scenario was added or removed: run with --write and commit the file")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--link", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    golden = arguments.source / "tests/golden/hashes.txt"
    # Too many agents for 600 ticks of every variant; murmuration_10k goes the same ways through the code.
    giants = ("murmuration_100k", "million")
    scenarios = sorted(path for path in (arguments.source / "scenarios").glob("*.json") if path.stem not in giants)
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    if len(compilers) < 2:
        sys.exit("this test needs gcc and clang; ./dev test installs both")
    expected = golden.read_text() if golden.exists() else ""
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        for compiler in compilers:
            levels = LEVELS + [WHOLE_PROGRAM] if compiler == "gcc" and "clang" not in arguments.cc else LEVELS
            for level in levels:
                program = build(compiler, level, arguments.source, shlex.split(arguments.link), arguments.cc,
                                pathlib.Path(scratch) / f"{compiler}{level}".replace(" ", ""))
                for simd, threads in ALL if level == "-O2" else ALONE:
                    how = f"{compiler} {level} {simd or 'widest'}, {threads} threads"
                    output = hashes(program, scenarios, simd, threads)
                    if output is None:
                        print(f"{how}: this processor cannot")
                        continue
                    if arguments.write:
                        golden.write_text(output)
                        expected, arguments.write = output, False
                    if output == expected and output:
                        print(f"{how}: {len(output.splitlines())} hashes agree")
                        continue
                    failures += 1
                    complain(how, golden, output, expected)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
