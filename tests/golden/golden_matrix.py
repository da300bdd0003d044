"""The golden hashes: the same bits from gcc and clang, -O0 to -O3, for every scenario.

    golden_matrix.py --source DIR --link "LIBS AND FLAGS" --cc COMPILER [--write]

Compiles server/sim and golden_hashes.c with each compiler and optimisation level, links them with the scenario loader and
the common layer of this build, and compares what each program prints with tests/golden/hashes.txt. --write replaces the
file with what the first program prints (say in the commit why the bits changed).
"""
import argparse
import pathlib
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
TICKS = "1,60,600"


def build(compiler, level, source, link, linker, folder):
    files = sorted((source / "server/sim").glob("*.c")) + [source / "tests/golden/golden_hashes.c"]
    folder.mkdir()

    def compile_one(file):
        output = folder / (file.stem + ".o")
        subprocess.run([compiler, *FLAGS, *level.split(), "-I", source, "-c", file, "-o", output], check=True)
        return output

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, files))
    program = folder / "golden_hashes"
    # Our objects come first, so the library's own copy of server/sim is never pulled in.
    subprocess.run([linker, *level.split(), *objects, *link, "-lm", "-o", program], check=True)
    return program


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--link", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    golden = arguments.source / "tests/golden/hashes.txt"
    scenarios = sorted((arguments.source / "scenarios").glob("*.json"))
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
                output = subprocess.run([program, TICKS, *scenarios], check=True, capture_output=True, text=True).stdout
                if arguments.write:
                    golden.write_text(output)
                    expected, arguments.write = output, False
                if output == expected and output:
                    print(f"{compiler} {level}: {len(output.splitlines())} hashes agree")
                    continue
                failures += 1
                print(f"{compiler} {level}: differs from {golden.name}")
                for ours, theirs in zip(output.splitlines(), expected.splitlines()):
                    if ours != theirs:
                        print(f"  got {ours}   expected {theirs}")
                if len(output.splitlines()) != len(expected.splitlines()):
                    print("  a scenario was added or removed: run with --write and commit the file")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
