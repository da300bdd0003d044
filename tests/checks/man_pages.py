#!/usr/bin/env python3
"""The options of a program's manual page are those of its --help.

usage: man_pages.py PROGRAM...     the page of PROGRAM is docs/NAME.1
"""

import pathlib
import re
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def main():
    failed = False
    for program in map(pathlib.Path, sys.argv[1:]):
        said = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
        page = (DOCS / f"{program.name}.1").read_text(encoding="utf-8").split(".SH OPTIONS")[1].split(".SH")[0]
        shown = set(re.findall(r"^  (--[a-z-]+)", said, re.MULTILINE))
        written = {flag for head in re.findall(r"^\.B[IR]? .*$", page, re.MULTILINE)
                   for flag in re.findall(r"--[a-z-]+", head.replace(r"\-", "-"))}
        for flag in sorted(shown ^ written):
            print(f"{flag} is {'not ' if flag in shown else ''}in docs/{program.name}.1"
                  f" and {'not ' if flag in written else ''}in --help")
            failed = True
        if not shown:
            sys.exit(f"{program} --help shows no option")
    sys.exit(failed)


if __name__ == "__main__":
    main()
