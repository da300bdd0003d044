"""The golden hashes: the same bits from gcc and clang, -O0 to -O3, every SIMD width, 1 to 7 threads, for every scenario.

    golden_matrix.py --source DIR --build DIR --link "LIBS AND FLAGS" --cc COMPILER [--float-flags FLAGS] [--cut] [--write]
                     [--column]

Compiles server/sim and golden_hashes.c with each compiler and optimization level (objects stay in --build: what has not changed is not
compiled again), links them with the scenario loader and
the common layer of this build, and compares the output of each program with tests/golden/hashes.txt. --write replaces the
file with the output of the first program (say in the commit why the bits changed).

Worlds with very many agents stop earlier: BUDGETS says how many agents times ticks each may take. The first program, which --write
takes the hashes of, and what people run (WHOLE_PROGRAM) go further than the rest. With DROVER_FULL=1 in the environment the first one
computes all, and up to 10 000 agents worlds have all their ticks in every program.
--cut leaves the programs in CUT, and CUT_BUDGET for each. --column is one program with a further column of agents in which all
have the initial value: the hashes are the same.
"""
import argparse
import itertools
import json
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

LEVELS = ["-O2", "-O0", "-O3"]
WHOLE_PROGRAM = "-O3 -flto"  # as the release preset has it; objects of gcc, linked by gcc
# The contract's flags (cmake/DroverOptions.cmake) without warnings and sanitizers.
FLAGS = ["-std=c17", "-D_POSIX_C_SOURCE=200809L", "-ffp-contract=off", "-fno-math-errno"]
# As server/sim/CMakeLists.txt has them, by how the name of a source ends.
WIDE_FLAGS = {
    "avx2": ["-mavx2"],
    "avx512": ["-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx512bw"],
}
TICKS = (1, 60, 600)
IS_FULL = os.environ.get("DROVER_FULL") == "1"
# Agents times ticks a scenario may take: in the first program, in the released one, in those without optimization, in the rest.
BUDGETS = {"first": 6 * 10**7, WHOLE_PROGRAM: 10**7, "-O0": 2 * 10**5, "rest": 2 * 10**6}
FULL_BUDGETS = {"first": 10**12, WHOLE_PROGRAM: 6 * 10**7, "-O0": 10**6, "rest": 10**7}
# SIMD widths of each program: the widest alone; for the released configurations all the others too.
ALONE = [("", 1)]
ALL = [("", 2), ("plain", 1), ("sse2", 2), ("avx2", 3), ("avx512", 7)]
UNSUPPORTED = 77
# The cut for every change: each compiler, each width, more threads than one, in half a minute.
CUT = {("gcc", "-O2", "", 2), ("gcc", "-O2", "plain", 1), ("gcc", "-O2", "sse2", 2), ("gcc", "-O2", "avx2", 3),
       ("gcc", "-O2", "avx512", 7), ("clang", "-O3", "", 1)}
CUT_BUDGET = 10**6
COLUMN = "-O1 '-DWORLD_COLUMNS_MORE(X)=X(15, uint8_t, spare_column, 0, true, hash_byte, BY_ROW, true)'"


def wide(file):
    return WIDE_FLAGS.get(file.stem.rpartition("_")[2], []) if platform.machine() in ("x86_64", "AMD64") else []


def agents_of(scenario):
    return sum(placement.get("count", 1) for placement in json.loads(scenario.read_text()).get("agents", []))


def ticks_within(scenario, budget):
    """The first tick always, the others as far as the budget goes."""
    return [tick for tick in TICKS if tick == TICKS[0] or tick * agents_of(scenario) <= budget]


def hashes(command, scenarios, simd, threads, budget, is_slow_to_begin=False):
    """{(scenario, tick): hash} of golden_hashes, the words that run it; None when this processor cannot run it so. One that is slow to begin
    is run once for many scenarios."""
    environment = {**os.environ, "DROVER_THREADS": str(threads)}
    environment.pop("DROVER_SIMD", None)
    if simd:
        environment["DROVER_SIMD"] = simd

    def run(scenarios):
        ticks = ",".join(map(str, ticks_within(scenarios[0], budget)))
        return subprocess.run([*command, ticks, *scenarios], capture_output=True, text=True, env=environment)

    ordered = sorted(scenarios, key=agents_of, reverse=True)
    groups = [list(group) for _, group in itertools.groupby(ordered, lambda scenario: ticks_within(scenario, budget))]
    if not is_slow_to_begin:
        groups = [[scenario] for scenario in ordered]
    # Programs with threads use all processors already. The largest first: the rest fills up the time.
    with ThreadPoolExecutor(2 if threads == 1 else 1) as pool:
        runs = list(pool.map(run, groups))
    if simd and any(one.returncode == UNSUPPORTED for one in runs):
        return None
    for one in runs:
        one.check_returncode()
    return parse("".join(one.stdout for one in runs))


def budget_of(level, is_first, is_cut, is_full):
    budgets = FULL_BUDGETS if is_full else BUDGETS
    budget = budgets["first"] if is_first else budgets.get(level, budgets["rest"])
    return min(budget, CUT_BUDGET) if is_cut else budget


def parse(text):
    """{(scenario, tick): hash} of lines as the program prints them."""
    lines = [line.split() for line in text.splitlines()]
    return {(name, int(tick)): digest for name, tick, digest in lines}


def is_fresh(output, command):
    """Whether an object was made by this command of files that are older than it is."""
    noted, needed = output.with_suffix(".command"), output.with_suffix(".d")
    if not all(path.exists() for path in (output, noted, needed)) or noted.read_text() != command:
        return False
    files = map(pathlib.Path, shlex.split(needed.read_text().replace("\\\n", " "))[1:])
    return all(file.exists() and file.stat().st_mtime_ns < output.stat().st_mtime_ns for file in files)


def build(compiler, level, source, link, linker, float_flags, folder):
    files = sorted((source / "server/sim").rglob("*.c")) + [source / "tests/golden/golden_hashes.c"]
    folder.mkdir(parents=True, exist_ok=True)

    def compile_one(file):
        output = folder / (file.stem + ".o")
        command = [compiler, *FLAGS, *float_flags, *wide(file), *shlex.split(level), "-I", source, "-MD", "-c", file, "-o", output]
        line = shlex.join(map(str, command))
        if not is_fresh(output, line):
            output.with_suffix(".command").unlink(missing_ok=True)
            subprocess.run(command, check=True)
            output.with_suffix(".command").write_text(line)
        return output

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, files))
    program = folder / "golden_hashes"
    # These objects come first, so the library's own copy of server/sim is never linked.
    subprocess.run([linker, *shlex.split(level), *objects, *link, "-lm", "-o", program], check=True)
    return program


def differences(output, expected, scenarios, budget):
    """The differences, line by line."""
    wanted = {(scenario.stem, tick) for scenario in scenarios for tick in ticks_within(scenario, budget)}
    for key in sorted(wanted | output.keys()):
        ours, theirs = output.get(key, "nothing"), expected.get(key, "nothing: run with --write and commit the file")
        if ours != theirs:
            yield f"  {key[0]} at tick {key[1]}: got {ours}, expected {theirs}"
    for name in sorted({name for name, _ in expected} - {scenario.stem for scenario in scenarios}):
        yield f"  {name} is no scenario any more: run with --write and commit the file"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--link", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--float-flags", default="", help="what this processor needs (DROVER_FLOAT_FLAGS)")
    parser.add_argument("--cut", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--column", action="store_true")
    arguments = parser.parse_args()
    golden = arguments.source / "tests/golden/hashes.txt"
    scenarios = sorted((arguments.source / "scenarios").glob("*.json"))
    arguments.cut = arguments.cut or arguments.column
    if arguments.cut and arguments.write:
        parser.error("--write needs every hash: leave --cut out")
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    if len(compilers) < 2:
        sys.exit("this test needs gcc and clang; ./dev test installs both")
    if arguments.column:
        compilers = ["gcc"]
    expected, failures, is_first = parse(golden.read_text() if golden.exists() else ""), 0, True
    new = [scenario.stem for scenario in scenarios if (scenario.stem, TICKS[0]) not in expected]
    if new and not arguments.write:
        sys.exit(f"no hashes of {', '.join(new)} in {golden.name}: run with --write and commit the file")
    for compiler in compilers:
        levels = LEVELS + [WHOLE_PROGRAM] if compiler == "gcc" and "clang" not in arguments.cc else LEVELS
        for level in [COLUMN] if arguments.column else levels:
            ways = [way for way in (ALL if level == "-O2" else ALONE)
                    if not arguments.cut or arguments.column or (compiler, level, *way) in CUT]
            if not ways:
                continue
            program = build(compiler, level, arguments.source, shlex.split(arguments.link), arguments.cc,
                            shlex.split(arguments.float_flags), arguments.build / f"{compiler}{level}".split("'")[0].replace(" ", ""))
            for simd, threads in ways:
                how = f"{compiler} {level} {simd or 'widest'}, {threads} threads"
                budget = budget_of(level, is_first, arguments.cut, IS_FULL or arguments.write)
                output = hashes([program], scenarios, simd, threads, budget)
                if output is None:
                    print(f"{how}: this processor cannot")
                    continue
                if arguments.write:
                    golden.write_text("".join(f"{name} {tick} {output[name, tick]}\n" for name, tick in sorted(output)))
                    expected, arguments.write = output, False
                wrong = list(differences(output, expected, scenarios, budget))
                print(f"{how}: " + (f"differs from {golden.name}" if wrong else f"{len(output)} hashes agree"))
                print("\n".join(wrong), end="\n" if wrong else "", flush=True)
                failures += bool(wrong)
                is_first = False
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
