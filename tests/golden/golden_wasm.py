"""The golden hashes in WebAssembly: core.wasm in node has the bits of tests/golden/hashes.txt, with and without vectors.

    golden_wasm.py --source DIR --wasm DIR --cjson DIR [--cut]

The module of this build (--wasm is its wasm build, --cjson the folder of cJSON's header) computes with each of its instruction sets. Without --cut the core is also
compiled without vectors, and with DROVER_FULL=1 in the environment with less and with more optimization, and linked with the libraries of that build.
Worlds with very many agents stop earlier, as in golden_matrix.py.
"""
import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import golden_matrix

TARGET = "--target=wasm32-wasi --sysroot={wasm}/sysroot"
LINK = "-mexec-model=reactor -Wl,--gc-sections -Wl,-z,stack-size=1048576"
# (flags, instructions, agents times ticks a scenario may take); the flags of the build's own module are not repeated here.
OWN = [("simd128", 6 * 10**7 if golden_matrix.IS_FULL else 10**7), ("plain", 10**6)]
OTHERS = [("-O2", "plain", 10**6)]
if golden_matrix.IS_FULL:
    OTHERS += [("-O1 -msimd128", "simd128", 10**6), ("-O3 -msimd128", "simd128", 10**6)]
OWN_CUT = [("simd128", 10**6), ("plain", 10**5)]


def build(flags, source, wasm, cjson, folder):
    """The core compiled with these flags, and the rest from the libraries of the wasm build."""
    target = shlex.split(TARGET.format(wasm=wasm))
    files = sorted((source / "server/sim").rglob("*.c")) + [source / "tests/web/core.c"]
    folder.mkdir()

    def compile_one(file):
        output = folder / (file.stem + ".o")
        subprocess.run(["clang", *target, *golden_matrix.FLAGS, *shlex.split(flags), "-I", source, "-isystem", cjson.parent, "-c", file, "-o", output], check=True)
        return output

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, files))
    libraries = [wasm / "server/libdrover_world.a", wasm / "common/libdrover_common.a", wasm / "libdrover_cjson.a"]
    module = folder / "core.wasm"
    subprocess.run(["clang", *target, *shlex.split(LINK), *objects, *libraries, "-lm", "-o", module], check=True)
    return module


def hashes(module, source, scenarios, simd, budget):
    """{(scenario, tick): hash}; a process for those that go equally far."""
    groups = {}
    for scenario in sorted(scenarios, key=golden_matrix.agents_of):
        groups.setdefault(tuple(golden_matrix.ticks_within(scenario, budget)), []).append(scenario)

    def run(ticks):
        return subprocess.run(["node", source / "tests/web/core_hashes.mjs", module, ",".join(map(str, ticks)), *groups[ticks]],
                              stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, "DROVER_SIMD": simd}).stdout

    with ThreadPoolExecutor(2) as pool:
        return golden_matrix.parse("".join(pool.map(run, groups)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--wasm", type=pathlib.Path, required=True)
    parser.add_argument("--cjson", type=pathlib.Path, required=True)
    parser.add_argument("--cut", action="store_true")
    arguments = parser.parse_args()
    source, wasm = arguments.source, arguments.wasm
    expected = golden_matrix.parse((source / "tests/golden/hashes.txt").read_text())
    scenarios = sorted((source / "scenarios").glob("*.json"))
    failures = 0

    def compare(how, module, simd, budget):
        nonlocal failures
        output = hashes(module, source, scenarios, simd, budget)
        wrong = list(golden_matrix.differences(output, expected, scenarios, budget))
        print(f"{how}, {simd}: " + ("differs from hashes.txt" if wrong else f"{len(output)} hashes agree"), *wrong, sep="\n", flush=True)
        failures += bool(wrong)

    for simd, budget in OWN_CUT if arguments.cut else OWN:
        compare("core.wasm", wasm / "bin/core.wasm", simd, budget)
    with tempfile.TemporaryDirectory() as scratch:
        for flags, simd, budget in [] if arguments.cut else OTHERS:
            module = build(flags, source, wasm, arguments.cjson, pathlib.Path(scratch) / flags.replace(" ", ""))
            compare(f"clang {flags}", module, simd, budget)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
