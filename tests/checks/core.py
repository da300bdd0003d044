#!/usr/bin/env python3
"""Holds the number of the core (server/sim/core.h): it is raised exactly when a line of tests/golden/hashes.txt changes.

The hashes say which bits a scenario gives; recordings carry the number of the core whose bits they need. Reads the history
of git: since the commit that set the number no line of hashes.txt may have changed (lines may come and go), unless the
scenario's file describes another world: recordings carry its text, so what they need is as it was. Every number
from 2 on needs a row in core_changes (server/recording/core_changes.c). Without git, or in a shallow clone, the check is
skipped.

usage: core.py [ROOT]        prints what is wrong; exit code 1 if something is, 77 when it was skipped
       core.py --self-test   proves that each mistake is found
"""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBER, HASHES, CHANGES = "server/sim/core.h", "tests/golden/hashes.txt", "server/recording/core_changes.c"
SCENARIOS = "scenarios"
WORDS = {"name", "description", "about", "view", "warmup"}  # of a scenario; the rest describes its world


class Skipped(Exception):
    pass


def git(root, *arguments):
    """What git prints, or None when it fails."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        run = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False, env=environment)
    except FileNotFoundError as error:
        raise Skipped("git is not installed") from error
    return run.stdout if run.returncode == 0 else None


def number_of(text):
    match = re.search(r"\bCORE_NUMBER\s*=\s*(\d+)", text or "")
    return int(match[1]) if match else None


def hashes_of(text):
    """(scenario, tick) -> hash"""
    rows = [line.split() for line in (text or "").splitlines() if line.strip() and not line.startswith("#")]
    return {tuple(row[:-1]): row[-1] for row in rows}


def at(root, commit, path):
    return git(root, "show", f"{commit}:{path}")


def begin_of(root, number):
    """The oldest commit of the last row of commits that have this number."""
    begin = None
    for commit in (git(root, "log", "--format=%H", "--", NUMBER) or "").split():
        if number_of(at(root, commit, NUMBER)) != number:
            break
        begin = commit
    return begin


def world_of(text):
    """What a scenario's text says about its world: all but the words for people and for programs that draw."""
    try:
        scenario = json.loads(text or "null")
    except json.JSONDecodeError:
        return text
    return json.dumps({key: value for key, value in (scenario or {}).items() if key not in WORDS})


def version_at(root, commit):
    """(name, hashes, the world of a scenario by its name)"""
    return commit[:10], hashes_of(at(root, commit, HASHES)), functools.cache(lambda name: world_of(at(root, commit, f"{SCENARIOS}/{name}.json")))


def version_now(root):
    def world(name):
        path = root / SCENARIOS / f"{name}.json"
        return world_of(path.read_text(encoding="utf-8") if path.exists() else None)

    return "the file now", hashes_of((root / HASHES).read_text(encoding="utf-8")), functools.cache(world)


def versions(root, begin):
    """Every version since a commit, the files as they are now last."""
    yield version_at(root, begin)
    for commit in (git(root, "log", "--reverse", "--format=%H", f"{begin}..HEAD", "--", HASHES) or "").split():
        yield version_at(root, commit)
    yield version_now(root)


def changed(rows):
    """One complaint for each line that is not as it was first, of a world that is as it was."""
    first = {}
    for name, hashes, world in rows:
        for key, value in hashes.items():
            place = key, world(key[0])
            if first.setdefault(place, (name, value))[1] != value:
                yield f"{' '.join(key)}: {first[place][1]} in {first[place][0]}, {value} in {name}"
                first[place] = (name, value)


def wrong_rows(root, number):
    path = root / CHANGES
    rows = re.findall(r"^\s*\{\s*(\d+),", path.read_text(encoding="utf-8") if path.exists() else "", re.M)
    for missing in sorted(set(range(2, number + 1)) - {int(row) for row in rows}):
        yield f"{CHANGES}: no row of core_changes says what core {missing} changed"


def check(root):
    if git(root, "rev-parse", "--is-inside-work-tree") is None or git(root, "rev-parse", "HEAD") is None:
        raise Skipped("there is no git history here")
    if git(root, "rev-parse", "--is-shallow-repository").strip() == "true":
        raise Skipped("the clone is shallow: its history does not say when the number was set")
    number = number_of((root / NUMBER).read_text(encoding="utf-8"))
    if number is None:
        return [f"{NUMBER}: no CORE_NUMBER"]
    complaints = list(wrong_rows(root, number))
    head = number_of(at(root, "HEAD", NUMBER))
    if head == number:
        begin = begin_of(root, number)
        complaints += [
            f"{HASHES}: {line}; lines may change only together with CORE_NUMBER ({NUMBER})" for line in changed(versions(root, begin))
        ]
    elif head is not None:
        if number != head + 1:
            complaints.append(f"{NUMBER}: CORE_NUMBER is {number}; after {head} comes {head + 1}")
        if not list(changed([version_at(root, "HEAD"), version_now(root)])):
            complaints.append(f"{NUMBER}: CORE_NUMBER was raised, and no line of {HASHES} changed")
    return complaints


# --- self-test ----------------------------------------------------------------------------------------------------------

ONE, TWO, OTHER = "a 1 0f\na 60 aa\n", "a 1 0f\na 60 aa\nb 1 33\n", "a 1 0f\na 60 bb\n"


def core(number):
    return f"enum {{ CORE_NUMBER = {number} }};\n"


def rows(*numbers):
    return "".join(f'    {{{number}, "x", "all"}},\n' for number in numbers)


HERE, THERE, SAID = (json.dumps({"seed": seed, "name": name}) for seed, name in ((1, "a"), (2, "a"), (1, "b")))  # scenarios/a.json

# (what, versions that are committed, the files now, part of the complaint or None)
SELF_TEST = [
    ("nothing changed", [(core(1), ONE, rows())], (core(1), ONE, rows()), None),
    ("a line was added", [(core(1), ONE, rows())], (core(1), TWO, rows()), None),
    ("a line was taken away", [(core(1), TWO, rows())], (core(1), ONE, rows()), None),
    ("a line changed", [(core(1), ONE, rows())], (core(1), OTHER, rows()), "a 60"),
    ("the world of a line changed", [(core(1), ONE, rows(), HERE)], (core(1), OTHER, rows(), THERE), None),
    ("its words changed", [(core(1), ONE, rows(), HERE)], (core(1), OTHER, rows(), SAID), "a 60"),
    ("its world changed and came back", [(core(1), ONE, rows(), HERE), (core(1), OTHER, rows(), THERE)], (core(1), OTHER, rows(), HERE), "a 60"),
    ("raised for another world", [(core(1), ONE, rows(), HERE)], (core(2), OTHER, rows(2), THERE), "no line"),
    ("a line changed in a commit", [(core(1), ONE, rows()), (core(1), OTHER, rows())], (core(1), OTHER, rows()), "a 60"),
    ("an added line changed", [(core(1), ONE, rows()), (core(1), TWO, rows())], (core(1), TWO.replace("33", "44"), rows()), "b 1"),
    ("it was raised", [(core(1), ONE, rows())], (core(2), OTHER, rows(2)), None),
    ("it was raised in a commit", [(core(1), ONE, rows()), (core(2), OTHER, rows(2))], (core(2), OTHER, rows(2)), None),
    ("raised, and changed again", [(core(1), ONE, rows()), (core(2), OTHER, rows(2))], (core(2), ONE, rows(2)), "a 60"),
    ("raised by two", [(core(1), ONE, rows())], (core(3), OTHER, rows(2, 3)), "after 1 comes 2"),
    ("raised without a change", [(core(1), ONE, rows())], (core(2), ONE, rows(2)), "no line"),
    ("raised without a row", [(core(1), ONE, rows())], (core(2), OTHER, rows()), "core 2"),
    ("no history of it", [(None, ONE, rows())], (core(1), ONE, rows()), None),
]


def put(root, files):
    for path, text in zip((NUMBER, HASHES, CHANGES, f"{SCENARIOS}/a.json"), files):
        if text is not None:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")


def commit(root, files):
    put(root, files)
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-q", "--allow-empty", "-m", "a")


def self_test():
    mistakes = 0
    for what, commits, now, wanted in SELF_TEST:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            if git(root, "init", "-q") is None:
                raise Skipped("git cannot make a repository")
            for files in commits:
                commit(root, files)
            put(root, now)
            found = check(root)
            right = not found if wanted is None else len(found) == 1 and wanted in found[0]
            if not right:
                mistakes += 1
                print(f"self-test: {what}: expected {wanted}, got {found}")
    with tempfile.TemporaryDirectory() as folder:
        try:
            check(pathlib.Path(folder))
            mistakes += 1
            print("self-test: a folder without history was not skipped")
        except Skipped:
            pass
    print(f"self-test: {len(SELF_TEST)} histories, {mistakes} judged wrongly")
    return 1 if mistakes else 0


def main(arguments):
    try:
        if arguments == ["--self-test"]:
            return self_test()
        complaints = check(pathlib.Path(arguments[0]) if arguments else ROOT)
    except Skipped as reason:
        print(f"skipped: {reason}")
        return 77
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
