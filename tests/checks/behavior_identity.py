#!/usr/bin/env python3
"""No module tests which behavior it has in hand: what differs between behaviors is a row of behavior_list.h.

    behavior_identity.py [ROOT]       prints FILE:LINE for every enumerator BEHAVIOR_NAME outside the table and the behaviors' files
    behavior_identity.py --self-test  proves that the rule catches what it should

Tests may name behaviors; so may server/sim/steering/behavior*.[ch].
"""
import re
import sys

import checking

ALLOWED = re.compile(r"^server/sim/steering/behavior\w*\.[ch]$")
LISTED = re.compile(r"^ +X\(([A-Z_]+), *(\w+),", re.MULTILINE)
LIST = "server/sim/steering/behavior_list.h"


def complaints(root):
    behaviors = LISTED.findall((root / LIST).read_text(encoding="utf-8"))
    if not behaviors:
        return [f"{LIST}: no behaviors found"]
    found = [f"{LIST}: {name} has the enumerator {enumerator}; expected {name.upper()}"
             for enumerator, name in behaviors if enumerator != name.upper()]
    names = re.compile(r"\bBEHAVIOR_(%s|TYPE_COUNT)\b" % "|".join(enumerator for enumerator, _ in behaviors))
    for file in sorted(p for folder in ("common", "server", "clients", "viewer") for p in (root / folder).rglob("*")):
        path = file.relative_to(root).as_posix()
        if file.suffix not in (".c", ".h", ".cpp", ".hpp", ".inl") or ALLOWED.match(path):
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = names.search(line)
            if match:
                found.append(f"{path}:{number}: {match[0]} is a test of identity; read a trait of the behavior's row")
    return found


# (file, its only line, whether it must be refused)
SELF_TEST = [
    ("server/sim/world/a.c", "if (type == BEHAVIOR_SEEK) {", True),
    ("server/sim/world/a.c", "for (int i = 0; i < BEHAVIOR_TYPE_COUNT; i++) {", True),
    ("server/scenario/a.c", "behavior_def_default(BEHAVIOR_FLEE)", True),
    ("viewer/app/a.c", "case BEHAVIOR_SEEK:", True),
    ("server/sim/kernels/kernels.c", "BEHAVIOR_SEEK", True),
    ("server/sim/world/a.c", "#ifndef DROVER_BEHAVIOR_TABLE_H", False),
    ("server/sim/world/a.c", "AIM_BEHAVIOR_SEEK", False),
    ("server/sim/steering/behavior.c", "BEHAVIOR_SEEK", False),
    ("tests/unit/a.c", "BEHAVIOR_SEEK", False),
]


def self_test():
    mistakes = 0
    for path, line, refused in SELF_TEST:
        found = checking.judged(complaints, {LIST: "    X(SEEK, seek, 1)\n    X(FLEE,  flee, 1)\n", path: "\n" + line + "\n"})
        if (len(found) == 1 and found[0].startswith(f"{path}:2: ")) != refused or (found and not refused):
            mistakes += 1
            print(f"self-test: {path}: {line}: should {'be' if refused else 'not be'} refused, got {found}")
    print(f"self-test: {len(SELF_TEST)} lines, {mistakes} judged wrongly")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(checking.run(complaints, self_test))
