#!/usr/bin/env python3
"""The same bits on another processor, with another C library, on Windows: golden hashes, recordings and frames.

    cross.py --source DIR --build DIR --native DIR [--server PROGRAM] [--cut] s390x|aarch64|riscv64|i686|musl|mingw

Builds the programs of tests/cross for that target (the folder --build is kept, so the next run is quick), compares hashes with
tests/golden/hashes.txt, plays the recordings of this core, compares frames with those of golden_frames in --native, a build for this
machine, and prints how many were compared. Scenarios take part as far as a budget of agents times ticks allows.

Other processors are emulated by qemu-user, and build tests/cross alone. musl and mingw are this processor: they build the libraries as people
do (DROVER_LIBRARIES_ONLY), run each SIMD width, compare what libdrover-sim says with cross_sim_hashes in --native, and let a
program with libdrover talk to --server, which runs here. musl's programs are static but for those with shared libraries; mingw's
run under wine. --cut: less of it.

Missing packages (packages.txt, group cross) are named in a line that begins with SKIP, exit code 77. Without wine everything is built
and linked before that line.
"""
import argparse
import contextlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("golden", "checks")]
from exported_symbols import listed  # noqa: E402
from golden_matrix import ALL, TICKS, agents_of, parse, ticks_within  # noqa: E402
from golden_matrix import hashes as hashes_of  # noqa: E402

COMPILERS = {"musl": "musl-gcc", "mingw": "x86_64-w64-mingw32-gcc"}  # where it is not TARGET-linux-gnu-gcc
RUNNERS = {"musl": [], "mingw": ["wine"], "i686": ["qemu-i386"]}  # where it is not qemu-TARGET
LIBRARIES = {
    "musl": ["-DDROVER_LIBRARIES_ONLY=ON", "-DCMAKE_C_COMPILER=musl-gcc"],
    "mingw": ["-DCMAKE_TOOLCHAIN_FILE=cmake/toolchain-mingw.cmake"],
}
PLAIN_FLOATS_REFUSED = ("s390x", "i686")  # strict ISO C computes with more than floats there
FRAME_BUDGET, FRAME_TICKS = 60_000, 60
# Of hashes: emulated; on this processor with the widest vectors, and with the others; of a cut.
EMULATED_BUDGET, WIDEST_BUDGET, BUDGET, CUT_BUDGET = 200_000, 10**7, 2 * 10**6, 10**5
SKIPPED, PATIENCE_S = 77, 600


def run(*command, expected=0):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            timeout=PATIENCE_S)
    if (result.returncode == 0) != (expected == 0):
        sys.exit(f"{' '.join(map(str, command))}\nended with {result.returncode}:\n{result.stdout}")
    return result.stdout


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(SKIPPED)


def tools(target):
    """Compiler, and the words that run a program; without a compiler or qemu the test ends."""
    compiler, runner = COMPILERS.get(target, f"{target}-linux-gnu-gcc"), RUNNERS.get(target, [f"qemu-{target}"])
    missing = [tool for tool in (compiler, *runner) if tool != "wine" and not shutil.which(tool)]
    if not missing:
        probe = subprocess.run([compiler, "-x", "c", "-E", "-"], input="#include <stdio.h>\n", capture_output=True, text=True)
        missing = [f"the C library for {compiler}"] if probe.returncode else []
    if missing:
        skip(f"{' and '.join(missing)} not installed (packages.txt, group cross)")
    return compiler, runner


def build(source, folder, target, compiler):
    """Returns the folder of the programs."""
    if target in LIBRARIES:
        if not (source / "build/sources/cjson/cJSON.c").exists():
            skip("the source of cJSON is not in build/sources/cjson (./dev test fetches it)")
        run("cmake", "-G", "Ninja", "-S", source, "-B", folder, *LIBRARIES[target], "-DDROVER_WERROR=ON", "-DDROVER_TESTS=ON")
    else:
        run("cmake", "-G", "Ninja", "-S", source / "tests/cross", "-B", folder, "-DCMAKE_SYSTEM_NAME=Linux",
            f"-DCMAKE_SYSTEM_PROCESSOR={target}", f"-DCMAKE_C_COMPILER={compiler}")
    run("cmake", "--build", folder, "-j", "2")
    return folder / "bin" if target in LIBRARIES else folder


def prepare_wine(folder):
    """A folder for wine that has its libraries by a link: the usual one is a copy of 700 MB."""
    if not shutil.which("wine"):
        skip("built and linked, but not run: wine not installed (packages.txt, group cross)")
    system = folder / "drive_c/windows/system32"
    libraries = next(pathlib.Path("/usr/lib").glob("*/wine/x86_64-windows"), None)
    if libraries and not system.is_symlink():
        system.parent.mkdir(parents=True, exist_ok=True)
        system.symlink_to(libraries)
        (folder / ".update-timestamp").write_text("disable\n")
    os.environ.update(WINEPREFIX=str(folder), WINEDEBUG="-all")


def check_exports(library, names):
    """A DLL shows the names of the list alone."""
    listing = run("x86_64-w64-mingw32-objdump", "-p", library).partition("[Ordinal/Name Pointer] Table")[2]
    shown = set(re.findall(r"^\s+\[ *\d+\](?: \+base\[ *\d+\] +[0-9a-f]+)? (\w+)$", listing, re.MULTILINE))
    expected = listed(names.read_text())
    if shown != expected:
        sys.exit(f"{library} shows other names than {names}: {sorted(shown ^ expected)}")


def check_refusal(source, compiler):
    """Without its flags the core does not compile."""
    said = run(compiler, "-std=c17", "-D_POSIX_C_SOURCE=200809L", "-I", source, "-fsyntax-only", source / "server/sim/world/world.c",
               expected=1)
    if "-fexcess-precision=fast" not in said:
        sys.exit(f"the core was refused, but without the flags that help:\n{said}")


def check_hashes(target, command, source, is_cut):
    scenarios = sorted((source / "scenarios").glob("*.json"))
    expected, failed = parse((source / "tests/golden/hashes.txt").read_text()), False
    for simd, threads in ALL if target in LIBRARIES else [("", 1)]:
        budget = CUT_BUDGET if is_cut else BUDGET if simd else WIDEST_BUDGET if target in LIBRARIES else EMULATED_BUDGET
        chosen = [scenario for scenario in scenarios if target in LIBRARIES or agents_of(scenario) <= budget]
        got = hashes_of(command, chosen, simd, threads, budget, target == "mingw")
        if got is None:
            print(f"{target} {simd}: this processor cannot")
        else:
            wanted = sum(len(ticks_within(scenario, budget)) for scenario in chosen)
            failed |= report(f"{target} hashes, {simd or 'widest'}, {threads} threads", got, expected) or len(got) != wanted
    return failed


def rows(output):
    """{the first two words: the others} of lines."""
    lines = [line.split() for line in output.splitlines()]
    return {tuple(words[:2]): " ".join(words[2:]) for words in lines}


@contextlib.contextmanager
def serving(server):
    """The port of a server with the scenario seek, and what stops it."""
    with subprocess.Popen([server, "--scenarios", "scenarios", "--port", "0", "seek"], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip().rpartition(":")[2], process.terminate
        finally:
            process.kill()


def check_client(command, server):
    """libdrover: a server that goes, and a port on which nothing listens."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        refused = run(*command, f"127.0.0.1:{reserved.getsockname()[1]}", "-").split(maxsplit=1)
    said = []
    with serving(server) as (port, stop), subprocess.Popen([*command, f"127.0.0.1:{port}"], stdout=subprocess.PIPE, text=True) as client:
        for line in client.stdout:
            said.append(line.strip())
            if line.startswith("target"):
                stop()
    print(f"libdrover: {', '.join(said)}; {' '.join(refused).strip()}")
    words = [line.split()[0] for line in said]
    return words != ["hello", "target", "gone"] or client.returncode != 0 or refused != ["refused", "1: Connection refused\n"]


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
    parser.add_argument("--native", type=pathlib.Path, required=True)
    parser.add_argument("--server", type=pathlib.Path)
    parser.add_argument("--cut", action="store_true")
    parser.add_argument("target")
    arguments = parser.parse_args()
    source, folder, start = arguments.source.resolve(), arguments.build.resolve(), time.monotonic()
    target, (compiler, runner) = arguments.target, tools(arguments.target)
    if target in PLAIN_FLOATS_REFUSED:
        check_refusal(source, compiler)
    programs = build(source, folder, target, compiler)
    print(f"built in {time.monotonic() - start:.0f} s")
    suffix = ".exe" if target == "mingw" else ""
    if target == "mingw":
        for library in ("libdrover", "libdrover-sim"):
            check_exports(programs / f"{library}.dll", source / f"debian/{library}0.symbols")
        prepare_wine(folder / "wine")

    def command(name):
        return [*runner, programs / f"{name}{suffix}"]

    failed = check_hashes(target, command("golden_hashes"), source, arguments.cut)

    core = re.search(r"CORE_NUMBER = (\d+)", (source / "server/sim/core.h").read_text())[1]
    print(run(*command("golden_recording"), source / f"tests/golden/recordings/core-{core}.drover"), end="")

    small = [scenario for scenario in sorted((source / "scenarios").glob("*.json")) if agents_of(scenario) * FRAME_TICKS <= FRAME_BUDGET]
    kinds = {"golden_frames": "frames", "cross_sim_hashes": "answers and saves of libdrover-sim, numbers"}
    for program in kinds if target in LIBRARIES else ["golden_frames"]:
        ours, theirs = (rows(run(*words, *small)) for words in (command(program), [arguments.native / program]))
        failed |= report(f"{target} {kinds[program]}", ours, theirs) or len(ours) != len(theirs)
    if target in LIBRARIES:
        failed |= check_client(command("cross_client"), arguments.server)
    print(f"{time.monotonic() - start:.0f} s")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
