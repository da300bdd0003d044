#!/usr/bin/env python3
"""The packages and targets that `./dev test` needs for the tests that ctest would run with these arguments.

    selection.py BUILD_DIR I/N [CTEST ARGUMENTS]

I/N: of N parts, which take about as long by the tests' COST, the I-th. Together they are all tests, on every machine.

Prints "test NAME SECONDS" for each of them and its limit, "label NAME" for each of their labels, and "target PATH" for every
file of the build in their commands, environments or REQUIRED_FILES. Exit code 1 when no test is chosen.
"""

import json
import pathlib
import re
import subprocess
import sys


def words_of(test):
    """Every path that a test names, also inside longer words such as NAME=PATH."""
    properties = {one["name"]: one["value"] for one in test.get("properties", [])}
    listed = [*test.get("command", []), *properties.get("ENVIRONMENT", []), *properties.get("REQUIRED_FILES", [])]
    return {word for text in listed for word in re.split(r"[\s;=,]+", text)}, properties


def part_of(tests, number, parts):
    """The longest first, each into the part that has least so far."""
    sums = [0.0] * parts
    chosen = []
    for cost, name, test in sorted(((cost_of(test), test["name"], test) for test in tests), key=lambda row: (-row[0], row[1])):
        part = sums.index(min(sums))
        sums[part] += cost
        if part == number - 1:
            chosen.append(test)
    return chosen


def cost_of(test):
    return next((float(one["value"]) for one in test.get("properties", []) if one["name"] == "COST"), 1.0)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *sys.argv[3:]], capture_output=True, text=True,
                           check=True).stdout
    built = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
    can_be_built = {line.rpartition(": ")[0] for line in built.splitlines()}
    labels, targets = set(), set()
    tests = part_of(json.loads(shown)["tests"], *map(int, sys.argv[2].split("/")))
    for test in tests:
        words, properties = words_of(test)
        labels.update(properties.get("LABELS", []))
        print("test", test["name"], properties.get("TIMEOUT", 0))
        targets.update(word[len(str(build)) + 1:] for word in words if word.startswith(f"{build}/"))
    for label in sorted(labels):
        print("label", label)
    for target in sorted(targets & can_be_built):
        print("target", target)
    sys.exit(0 if tests else 1)


if __name__ == "__main__":
    main()
