#!/usr/bin/env python3
"""The packages and targets that `./dev test` needs for the tests that ctest would run with these arguments.

    selection.py BUILD_DIR [CTEST ARGUMENTS]

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


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *sys.argv[2:]], capture_output=True, text=True,
                           check=True).stdout
    built = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
    can_be_built = {line.rpartition(": ")[0] for line in built.splitlines()}
    labels, targets = set(), set()
    tests = json.loads(shown)["tests"]
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
