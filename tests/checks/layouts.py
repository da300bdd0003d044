#!/usr/bin/env python3
"""Refuses code that compares a layout of frames with an enumerator: what differs between layouts is in their rows
(common/snapshot/frame_layout.h). An enumerator may choose a layout by name.

usage: layouts.py [ROOT]          prints FILE:LINE: RULE for every comparison; exit code 1 when there is one
       layouts.py --self-test     proves that each form of comparison is found
"""

import re
import sys

import checking

TABLE = "common/snapshot/frame_layout."
ENUMERATOR = r"LAYOUT_(?!COUNT\b)[A-Z]+\b"
COMPARISON = re.compile(rf"[=!]=\s*(?:\(\w+\)\s*)?{ENUMERATOR}|{ENUMERATOR}\s*[=!<>]=|\bcase\s+{ENUMERATOR}|[<>]\s*{ENUMERATOR}")
# Comments and strings are blanked; newlines stay.
NOT_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)


def check(path, text):
    code = NOT_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return [
        f"{path}:{number}: compares a layout with {match[0]}; ask its row (common/snapshot/frame_layout.h) instead"
        for number, line in enumerate(code.split("\n"), 1)
        for match in COMPARISON.finditer(line)
    ]


def check_tree(root):
    complaints = []
    for file in sorted(p for top in ("common", "server", "clients", "viewer") for p in (root / top).rglob("*")):
        path = file.relative_to(root).as_posix()
        if file.suffix in (".c", ".h", ".cpp", ".hpp", ".inl") and not path.startswith(TABLE):
            complaints += check(path, file.read_text(encoding="utf-8"))
    return complaints


# (line, whether it must be refused)
SELF_TEST = [
    ("if (view->layout == LAYOUT_PACKED) {", True),
    ("if (view->layout != (int)LAYOUT_PACKED) {", True),
    ("return LAYOUT_EVENTS == layout;", True),
    ("case LAYOUT_DENSITY:", True),
    ("if (layout < LAYOUT_EVENTS) {", True),
    ("next.layout = LAYOUT_DENSITY;", False),
    ("return has_shares ? wish->agents : LAYOUT_OBJECTS;", False),
    ("assert(layout >= 0 && layout < LAYOUT_COUNT);", False),
    ("/* layout == LAYOUT_PACKED */", False),
]


def self_test():
    wrong = [line for line, refused in SELF_TEST if bool(check("a.c", line)) != refused]
    print("\n".join(f"judged wrongly: {line}" for line in wrong) or f"self-test: {len(SELF_TEST)} lines judged rightly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(checking.run(check_tree, self_test))
