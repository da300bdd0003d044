#!/usr/bin/env python3
"""The options of a program's manual page are those of its --help; those of a command, in the page's section of its name,
are those of PROGRAM COMMAND --help.

usage: man_pages.py [--write] PROGRAM...     the page of PROGRAM is docs/NAME.1

--write puts the options that a section of a command lacks at its end, with their help, and takes those away that are no more.
"""

import pathlib
import re
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def shown(*command):
    return subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout


def flags_shown(said):
    return set(re.findall(r"^  (--[a-z-]+)", said, re.MULTILINE))


def flags_written(page):
    return {flag for head in re.findall(r"^\.B[IR]? .*$", page, re.MULTILINE)
            for flag in re.findall(r"--[a-z-]+", head.replace(r"\-", "-"))}


def section(page, head):
    """What stands between a heading and the next one like it, or a higher one."""
    start = re.search(rf"^{re.escape(head)}$", page, re.MULTILINE)
    if start is None:
        sys.exit(f"a page has no line {head}")
    end = r"^\.SH" if head.startswith(".SH") else r"^\.S[HS]"
    return re.split(end, page[start.end():], maxsplit=1, flags=re.MULTILINE)[0]


def texts_shown(said):
    """Flag -> (its value's name, its help), of --help."""
    rows = re.findall(r"^  (--[a-z-]+)(?: (\S+))?(?:\n? {2,})((?:.+\n?)(?:^ {26}\S.*\n)*)", said, re.MULTILINE)
    return {flag: (value, " ".join(text.split())) for flag, value, text in rows}


def roff(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def entry(flag, value, text):
    head = f'.BI {roff(flag)} " {value}"' if value else f".B {roff(flag)}"
    return f".TP\n{head}\n{roff(text)}\n"


def rewrite(page, name, said, everywhere):
    """The page with the options of a command's section brought up to --help."""
    old = section(page, f".SS {name}")
    texts = texts_shown(said)
    wanted, written = flags_shown(said) - everywhere, flags_written(old) - everywhere
    parts = re.split(r"(?=^\.TP$)", old, flags=re.MULTILINE)
    kept = [part for part in parts if not flags_written(part) & (written - wanted)]
    added = [entry(flag, *texts[flag]) for flag in texts if flag in wanted - written]
    return page.replace(f".SS {name}{old}", f".SS {name}{''.join(kept + added)}")


def compare(where, said, written):
    for flag in sorted(said ^ written):
        print(f"{flag} is {'not ' if flag in said else ''}in {where} and {'not ' if flag in written else ''}in --help")
    return said != written


def main():
    failed = False
    writes = sys.argv[1:2] == ["--write"]
    for program in map(pathlib.Path, sys.argv[1 + writes:]):
        said = shown(program)
        page = (DOCS / f"{program.name}.1").read_text(encoding="utf-8")
        everywhere = flags_shown(said)
        if not everywhere:
            sys.exit(f"{program} --help shows no option")
        failed |= compare(f"docs/{program.name}.1", everywhere, flags_written(section(page, ".SH OPTIONS")))
        commands = re.findall(r"^  (\w+) ", said, re.MULTILINE) if "Usage: drover COMMAND" in said else []
        for name in commands:
            said = shown(program, name)
            if f".SS {name}\n" not in page:
                print(f"docs/{program.name}.1 has no line .SS {name}")
                failed = True
                continue
            if writes:
                page = rewrite(page, name, said, everywhere)
            failed |= compare(f"docs/{program.name}.1, {name},", flags_shown(said) - everywhere,
                              flags_written(section(page, f".SS {name}")) - everywhere)
        if writes:
            (DOCS / f"{program.name}.1").write_text(page, encoding="utf-8")
    sys.exit(failed)


if __name__ == "__main__":
    main()
