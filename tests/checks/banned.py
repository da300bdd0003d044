#!/usr/bin/env python3
"""Refuses functions that cannot be used safely, or that depend on the locale or on hidden state; and a second spelling of words that the
protocol and the documentation use: American English.

usage: banned.py [ROOT]          prints FILE:LINE: NAME: WHY; exit code 1 when there is one
       banned.py --self-test
"""

import re
import sys

import checking

BANNED = {
    "strcpy": "no bound; use snprintf or memcpy",
    "strcat": "no bound; use struct buffer",
    "sprintf": "no bound; use snprintf",
    "vsprintf": "no bound; use vsnprintf",
    "gets": "no bound",
    "strtok": "hidden state",
    "atoi": "no errors; use the option and field tables",
    "atol": "no errors; use the option and field tables",
    "atof": "no errors, and the locale's decimal point",
    "rand": "hidden state; use the world's own generator",
    "srand": "hidden state; use the world's own generator",
    "alloca": "unbounded stack",
    "setlocale": "numbers on the wire never depend on the locale",
}
CALL = re.compile(r"(?<![A-Za-z0-9_.>])(" + "|".join(BANNED) + r")\s*\(")
# Comments, strings and character constants are blanked so that only code is checked; newlines stay.
NOT_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)

# Words that are spelled in one way; what came before, or comes from elsewhere, stays as it was written.
SPELLINGS = {"behaviour": "behavior", "neighbour": "neighbor", "colour": "color", "centre": "center", "favour": "favor", "honour": "honor",
             "metre": "meter", "labelled": "labeled", "travelled": "traveled", "signalled": "signaled", "modelled": "modeled", "defence": "defense",
             "programme": "program", "analyse": "analyze"}
STEMS = ("initial", "optim", "summar", "normal", "organ", "recogn", "serial", "synchron", "minim", "maxim", "general", "visual", "util", "random",
         "linear", "discret")
SPELLED = re.compile(rf"(?:{'|'.join(SPELLINGS)})(?!by|r)|(?<![a-z])(?:(?:un|re|de)?(?:{'|'.join(STEMS)})is(?:e[ds]?|ing|ation|er)(?![a-z]))", re.I)
HINTS = (*SPELLINGS, *(f"{stem}is" for stem in STEMS))  # a text without these, in small letters, has none; they are found quickly
OLD = ("CHANGELOG.md", "LICENSES/", "tests/fuzz/corpus/", "tests/e2e/protocol_1/", "web/package-lock.json", "tests/checks/banned.py")
TOPS = ("common", "server", "clients", "viewer", "web", "tests", "docs", "scenarios", "examples", "packaging", "debian", "cmake")


def code_only(text):
    return NOT_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def check(root):
    complaints = []
    for file in sorted(p for top in ("common", "server", "clients", "viewer", "tests") for p in (root / top).rglob("*")):
        if file.suffix not in (".c", ".h", ".cpp", ".inl"):
            continue
        path = file.relative_to(root).as_posix()
        for number, line in enumerate(code_only(file.read_text(encoding="utf-8")).split("\n"), 1):
            for match in CALL.finditer(line):
                # A test may set a locale to show that nothing changes.
                if match[1] != "setlocale" or not path.startswith("tests/"):
                    complaints.append(f"{path}:{number}: {match[1]}: {BANNED[match[1]]}")
    return complaints + check_spelling(root)


def texts(root):
    """The texts of the tree, without what is built or installed there."""
    for file in sorted([*root.glob("*"), *(p for top in TOPS for p in (root / top).rglob("*"))]):
        path = file.relative_to(root).as_posix()
        if file.is_file() and not path.startswith(OLD) and not {"node_modules", "__pycache__"} & set(file.parts):
            try:
                yield path, file.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                pass  # a picture, a recording


def check_spelling(root):
    complaints = []
    for path, text in texts(root):
        small = text.lower()
        for match in SPELLED.finditer(text) if any(hint in small for hint in HINTS) else ():
            word = match[0].lower()
            complaints.append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}: spelled {SPELLINGS.get(word) or 'with z'}")
    return complaints


# (text of common/a.c, the line that must be refused or None)
SELF_TEST = [
    ("int f(void)\n{\n    strcpy(a, b);\n}\n", 3),
    ("x = 1; sprintf (a, b);\n", 1),
    ("/* 'it''s' */\nsetlocale(LC_ALL, \"\");\n", 2),
    ("if (rand() > 1) {\n", 1),
    ("snprintf(a, 1, b); strncat(a, b, 1); my_rand(); world->rand();\n", None),
    ("/* strcpy(a, b)\n atoi(x) */\n// gets(s)\nputs(\"rand()\");\n", None),
    ("/* Sums of\n * Neighbours. */\n", 2),
    ("#define HELP \"Factor on this behaviour's force.\"\n", 1),
    ("int a;\nint put_labelled(int a);\n", 2),
    ("/* initialised */\n", 1),
    ("/* behavior, optimist, parameter, aria-labelledby, programmer, promise, precise, raise, otherwise, likewise */\n", None),
]


def self_test():
    mistakes = 0
    for text, line in SELF_TEST:
        complaints = checking.judged(check, {"common/a.c": text})
        right = len(complaints) == 1 and complaints[0].startswith(f"common/a.c:{line}: ") if line else not complaints
        if not right:
            mistakes += 1
            print(f"self-test: {text!r}: expected line {line}, got {complaints}")
    print(f"self-test: {len(SELF_TEST)} texts, {mistakes} judged wrongly")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(checking.run(check, self_test))
