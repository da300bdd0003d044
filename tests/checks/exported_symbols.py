#!/usr/bin/env python3
"""Compares what a shared library exports, what its header declares, and the list of names that programs may rely on.

The list is that of the Debian package, debian/*.symbols, a line each: NAME@NODE and the version that first had it. A name that is gone from the
library or its header breaks programs: it stays, or SOVERSION rises. A new one is added to the list, with the version to come.

usage: exported_symbols.py LIBRARY HEADER LIST
       exported_symbols.py --self-test
"""

import pathlib
import re
import subprocess
import sys

FUNCTION = re.compile(r"^DROVER_(?:SIM_)?API [^;{]*?\b(\w+)\(", re.MULTILINE | re.DOTALL)


def declared(text):
    return set(FUNCTION.findall(text))


def undocumented(text):
    """The first function of each group that stands without a comment before it."""
    return [match.group(1) for match in re.finditer(r"\n\nDROVER_(?:SIM_)?API [^;{]*?\b(\w+)\(", text)]


def exported(library):
    listing = subprocess.run(["nm", "--dynamic", "--defined-only", "--format=posix", library], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in listing.splitlines()]
    return {row[0].split("@")[0] for row in rows if row[1] != "A"}  # A: the version's own name


def listed(text):
    """The functions of a list; a line whose name is its node is the node's own."""
    return {name for name, node in re.findall(r"^ (\w+)@(\w+) \d", text, re.MULTILINE) if name != node}


def complaints(header, library, names):
    for what, found in (("the header does not declare", header), ("the library does not export", library)):
        yield from (f"{what} {name}" for name in sorted(names - found))
    for what, found in (("the header declares", header), ("the library exports", library)):
        yield from (f"{what} {name}, which is not on the list" for name in sorted(found - names))


def self_test():
    text = "/** Doc. */\nDROVER_API int drover_a(int a);\nDROVER_API struct drover *\ndrover_b(void);\n\nDROVER_SIM_API int drover_sim_c(void);\n"
    names = declared(text)
    lines = "libdrover.so.0 libdrover0 #MINVER#\n* Build-Depends-Package: libdrover-dev\n DROVER_0@DROVER_0 0.1.0\n drover_a@DROVER_0 0.1.0\n"
    right = (listed(lines) == {"drover_a"} and names == {"drover_a", "drover_b", "drover_sim_c"} and undocumented(text) == ["drover_sim_c"]
             and len(list(complaints(names, names | {"leak"}, names | {"gone"}))) == 3 and not list(complaints(names, names, names)))
    print(f"self-test: {'a leak, a gone name and a function without a comment are found' if right else 'judged wrongly'}")
    return 0 if right else 1


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    library, header, names = arguments
    text = pathlib.Path(header).read_text(encoding="utf-8")
    found = list(complaints(declared(text), exported(library), listed(pathlib.Path(names).read_text(encoding="utf-8"))))
    found += [f"{name} has no comment" for name in undocumented(text)]
    print("\n".join(found) if found else f"{len(declared(text))} functions are declared, documented, exported and on the list, no other name is")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
