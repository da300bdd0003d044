#!/usr/bin/env python3
"""Every program and every script of measurements says what it is called with: --help is answered at once, on standard output, with exit code 0,
and an option that there is none of is refused, with 1 or 2 and a line on standard error.

usage: usage.py PROGRAM...      and the scripts of SCRIPTS
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = sorted([*(ROOT / "tests/load").glob("*.py"), *(ROOT / "tests/bench").glob("*.py"), ROOT / "docs/pictures.py"])
SECONDS = 50


def mistakes(words):
    """What is wrong with the answers of the program that is called like this."""
    name = pathlib.Path(words[-1]).name
    for option in ("--help", "-h"):
        done = subprocess.run([*words, option], capture_output=True, text=True, check=False, timeout=SECONDS, stdin=subprocess.DEVNULL)
        if option == "--help" and done.returncode != 0 or not done.returncode and not done.stdout.strip():
            yield f"{name} {option}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
        if not done.returncode and (pathlib.Path(name).stem not in done.stdout or done.stderr):
            yield f"{name} {option}: it does not say how {name} is called\n{done.stdout}{done.stderr}"
    done = subprocess.run([*words, "--nonsense"], capture_output=True, text=True, check=False, timeout=SECONDS, stdin=subprocess.DEVNULL)
    if done.returncode not in (1, 2) or not done.stderr.strip() or "Traceback" in done.stderr:
        yield f"{name} --nonsense: exit code {done.returncode}\n{done.stdout}{done.stderr}"


def main():
    programs = sys.argv[1:]
    if not programs or not all(pathlib.Path(program).is_file() for program in programs):
        sys.exit(__doc__)
    found = [text for words in [*([program] for program in programs), *([sys.executable, str(path)] for path in SCRIPTS)] for text in mistakes(words)]
    print("\n".join(found) or f"{len(programs)} programs and {len(SCRIPTS)} scripts say how they are called")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
