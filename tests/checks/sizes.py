#!/usr/bin/env python3
"""How large each folder is, beside sizes.txt: a notice of what has grown by more than one change may bring. Never fails for that.

usage: sizes.py             prints "NOTICE: FOLDER: ..." for each
       sizes.py --write     takes the sizes of now into sizes.txt
"""

import collections
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests/checks/sizes.txt"
TOPS = ("clients", "common", "server", "tests", "viewer", "web")
CODE = (".c", ".cpp", ".css", ".h", ".mjs", ".py", ".sh", ".ts")
FILES, LINES = 2, 100  # what one change may bring to a folder
HEAD = f"# FOLDER FILES LINES (of code files; blank lines do not count), by sizes.py --write. A change may add {FILES} files and {LINES} lines.\n"


def sizes():
    found = collections.defaultdict(lambda: [0, 0])
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "--", *TOPS],
                           check=False, capture_output=True, text=True).stdout.splitlines()
    if not names:
        print("SKIP: no git checkout, which tells what a build generates")
        sys.exit(77)
    for file in (ROOT / name for name in names):
        if file.suffix in CODE and file.is_file():
            row = found["/".join(file.relative_to(ROOT).parts[:-1][:2])]
            row[0] += 1
            row[1] += sum(1 for line in file.read_text(encoding="utf-8").split("\n") if line.strip())
    return found


def main():
    found = sizes()
    if sys.argv[1:] == ["--write"]:
        TABLE.write_text(HEAD + "".join(f"{folder} {files} {lines}\n" for folder, (files, lines) in sorted(found.items())), encoding="utf-8")
        return
    rows = (line.split() for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    before = {folder: (int(files), int(lines)) for folder, files, lines in rows}
    for folder, (files, lines) in sorted(found.items()):
        more = files - before.get(folder, (0, 0))[0], lines - before.get(folder, (0, 0))[1]
        if more[0] > FILES or more[1] > LINES:
            print(f"NOTICE: {folder}: {more[0]:+d} files, {more[1]:+d} lines since tests/checks/sizes.txt was written")


if __name__ == "__main__":
    main()
