#!/usr/bin/env python3
"""Checks that the simulation core needs only memory, strings, a square root and the processor's features from outside.

Reads the undefined symbols of libdrover_sim.a (an optimized build without sanitizers: those call into their run-time
library) and refuses every one that is not on the list: no I/O, no clock, no thread, no libm beyond sqrt.

usage: sim_symbols.py LIBRARY    prints the forbidden symbols; exit code 1 if there is one
       sim_symbols.py --self-test
"""

import pathlib
import subprocess
import sys
import tempfile

ALLOWED = set(
    "malloc calloc realloc free memcpy memmove memset memcmp memchr strcmp strncmp strlen strnlen strchr "
    "sqrt sqrtf qsort abort __assert_fail __stack_chk_fail _GLOBAL_OFFSET_TABLE_ "
    "__cpu_model".split()  # read by __builtin_cpu_supports; part of the compiler's run-time library
)


def foreign_symbols(library):
    """The symbols that the archive uses and none of its members defines."""
    listing = subprocess.run(["nm", "--format=posix", library], check=True, capture_output=True, text=True).stdout
    used, defined = set(), set()
    for line in listing.splitlines():
        words = line.split()
        if len(words) >= 2 and len(words[1]) == 1:
            (used if words[1] in "UwW" and len(words) < 3 else defined).add(words[0].split("@")[0])
    if not defined:
        raise SystemExit(f"{library}: nothing is defined in it")
    return used - defined


def check(library):
    return sorted(foreign_symbols(library) - ALLOWED)


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        source, thing = pathlib.Path(folder, "a.c"), str(pathlib.Path(folder, "a.o"))
        source.write_text(
            "#include <math.h>\n#include <stdlib.h>\n#include <time.h>\nstatic int h(void) { return 1; }\n"
            "double g(double x);\ndouble g(double x) { return sin(x) + (double)time(NULL) + (double)h(); }\n"
            "void *f(void);\nvoid *f(void) { return malloc((size_t)g(1)); }\n"
        )
        subprocess.run(["cc", "-O0", "-c", str(source), "-o", thing], check=True)
        found = check(thing)
    print(f"self-test: sin and time are refused: {found}")
    return 0 if found == ["sin", "time"] else 1


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    refused = check(arguments[0])
    for name in refused:
        print(f"{arguments[0]}: needs {name}; allowed: {', '.join(sorted(ALLOWED))}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
