#!/usr/bin/env python3
"""Shows that drover_world needs no thread, socket, file, clock or output: what it takes from outside is a short list.

Follows the undefined symbols of libdrover_world.a through the other libraries given, member by member as a linker does, and
refuses every symbol that none of them defines and that is not on the list. (An optimized build without sanitizers: those
call into their run-time library.) What drover_common has beside that, and drover_world does not reach, plays no part.

usage: world_symbols.py LIBDROVER_WORLD LIBRARY...    prints the symbols that are not allowed; exit code 1 when there is one
       world_symbols.py --self-test
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# Memory, text in memory, numbers; rounding and roots, which some processors have as functions. No sin, no file, no clock.
ALLOWED = set(
    "malloc calloc realloc free memcpy memmove memset memcmp memchr strcmp strncmp strlen strnlen strchr strrchr strstr strcspn "
    "strspn strtod strtof snprintf vsnprintf qsort abort __assert_fail __stack_chk_fail _GLOBAL_OFFSET_TABLE_ __cpu_model "
    "sqrt sqrtf floor floorf ceil ceilf round roundf rint rintf lrint lrintf lround lroundf fmin fmax fminf fmaxf".split()
)
# A parser of text in memory: the part of it that tests/cross has for processors without a libcjson.
CJSON_SOURCE = pathlib.Path(__file__).resolve().parents[1] / "cross/cjson.c"
CJSON = set(re.findall(r"^(?:CJSON_PUBLIC\([^)]*\) )?(cJSON_\w+)\(", CJSON_SOURCE.read_text(encoding="utf-8"), re.MULTILINE))


def members(library):
    """One (defined, used) pair of sets for every member of the archive."""
    listing = subprocess.run(["nm", "--format=posix", library], check=True, capture_output=True, text=True).stdout
    found = []
    for line in listing.splitlines():
        words = line.split()
        if line.endswith("]:") or (len(words) == 1 and line.endswith(":")):
            found.append((set(), set()))
        elif len(words) >= 2 and len(words[1]) == 1:
            if not found:
                found.append((set(), set()))
            is_used = words[1] in "UwW" and len(words) < 3
            if is_used or words[1].isupper() or words[1] in "ui":
                found[-1][1 if is_used else 0].add(words[0].split("@")[0])
    if not any(defined for defined, _ in found):
        raise SystemExit(f"{library}: nothing is defined in it")
    return found


def check(library, others):
    """The symbols that the library needs, itself or through the others, and that are not allowed."""
    reached = members(library)
    rest = [member for other in others for member in members(other)]
    while True:
        defined = set().union(*(names for names, _ in reached))
        needed = set().union(*(names for _, names in reached)) - defined
        more = [member for member in rest if member[0] & needed]
        if not more:
            return sorted(needed - ALLOWED - CJSON)
        reached += more
        rest = [member for member in rest if member not in more]


def self_test():
    sources = {
        "world": "int helper(void); int cJSON_IsTrue(const void *item); int world(void); "
                 "int world(void) { return helper() + cJSON_IsTrue(0); }",
        "helper": "#include <string.h>\n#include <time.h>\nint helper(void); int cJSON_Other(void); "
                  "int helper(void) { return (int)time(NULL) + (int)strlen(\"a\") + cJSON_Other(); }",
        "unused": "#include <pthread.h>\npthread_t unused(void); pthread_t unused(void) { return pthread_self(); }",
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in sources.items():
            source = pathlib.Path(folder, f"{name}.c")
            source.write_text(text + "\n", encoding="utf-8")
            subprocess.run(["cc", "-O0", "-fno-builtin", "-c", str(source), "-o", str(source.with_suffix(".o"))], check=True)
        for library, parts in (("libworld.a", ["world"]), ("libcommon.a", ["helper", "unused"])):
            subprocess.run(["ar", "rcs", f"{folder}/{library}", *(f"{folder}/{part}.o" for part in parts)], check=True)
        found = check(f"{folder}/libworld.a", [f"{folder}/libcommon.a"])
        alone = check(f"{folder}/libworld.a", [])
    print(f"self-test: time and a function that tests/cross/cjson.c lacks are refused through another library, what is not"
          f" reached is not: {found}; alone: {alone}")
    return 0 if found == ["cJSON_Other", "time"] and alone == ["helper"] else 1


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    refused = check(arguments[0], arguments[1:])
    for name in refused:
        print(f"{arguments[0]}: needs {name}; allowed: {', '.join(sorted(ALLOWED | CJSON))}"
              " (a function of cJSON: add it to tests/cross/cjson.c)")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
