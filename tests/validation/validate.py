#!/usr/bin/env python3
"""Runs what docs/validation.md is about, and keeps its tables, figures and CSVs.

usage: validate.py PROGRAM [--full] [CASE...]   runs the cases (all of them; without --full one seed and few points), puts their rows into
                                                docs/validation/CASE.csv and makes the figures and the tables of docs/validation.md anew
       validate.py PROGRAM --check [--full]     writes nothing: every row must be in its CSV as it is, every published tolerance that
                                                the page says is kept must be, and page and figures must be those of the CSVs; of the
                                                cases that take many minutes --full runs the cut, unless DROVER_FULL is 1
PROGRAM is drover-validation, or a folder where it is built first, as people have it: optimized, without sanitizers. A run is exact: on every machine its row is the same text.
"""

import csv
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import figures  # noqa: E402
import verdicts  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONG = {"crossing", "rimea_09", "rimea_13", "rimea_15", "rimea_15_turn", "zipper"}  # whole: in ./dev test --slow, not in its --cut
FOLDER, PAGE = ROOT / "docs/validation", ROOT / "docs/validation.md"


def built(folder):
    for words in (["-S", ROOT, "--preset", "server-only", "-B", folder, "-DDROVER_WEB=OFF"], ["--build", folder, "--target", "drover-validation", "-j", "2"]):
        done = subprocess.run(["cmake", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{done.stdout}{done.stderr}")
    return f"{folder}/bin/drover-validation"


def run(program, case, is_full):
    """The header and the rows of a case, as text."""
    words = [program, *([] if is_full else ["--cut"]), case]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{case}: {done.stderr.strip()}")
    return done.stdout


def keyed(text, case):
    """The rows by what they are about: the columns up to the seed."""
    header, *rows = text.splitlines()
    columns = header.split(",").index("seed") + 1 if "seed" in header.split(",") else 1
    return header, {tuple(row.split(",")[:columns]): row for row in rows}


def merged(old, new, case):
    """The CSV with the new rows in place of its own; the rows keep their order."""
    header, rows = keyed(new, case)
    if old and old.splitlines()[0] == header:
        rows = {**keyed(old, case)[1], **rows}
    return "\n".join([header, *rows.values(), ""])


class Cases(dict):
    """{case: [{column: text}]} of the CSVs there are."""

    def __missing__(self, case):
        sys.exit(f"docs/validation/{case}.csv, which a verdict or a figure needs, does not exist yet; ./dev validate --full {case} makes it")


def load():
    return Cases({path.stem: list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))) for path in sorted(FOLDER.glob("*.csv"))})


def filled(page, parts):
    """The page with each part between its markers."""
    for name, text in parts.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.S)
        if not pattern.search(page):
            sys.exit(f"docs/validation.md has no place for {name}: <!-- {name} --> ... <!-- end -->")
        page = pattern.sub(lambda match, text=text: match[1] + text + match[2], page)
    return page


def runs_table(cases):
    lines = ["| CSV | runs | its SHA-256 begins with |", "|---|---|---|"]
    for case in cases:
        text = (FOLDER / f"{case}.csv").read_bytes()
        lines.append(f"| [{case}](validation/{case}.csv) | {len({row['hash'] for row in cases[case]})} | `{hashlib.sha256(text).hexdigest()[:16]}` |")
    return "\n".join(lines) + "\n"


def made(data):
    """{path: text} of the page and its figures, from the data alone."""
    parts = {**verdicts.tables(data), "runs": runs_table(data)}
    texts = {FOLDER / f"{name}.svg": text for name, text in figures.all_of(data).items()}
    return {**texts, PAGE: filled(PAGE.read_text(encoding="utf-8"), parts)}


def check(program, cases, is_full):
    wrong = []
    for case in cases:
        is_whole = is_full and (case not in LONG or os.environ.get("DROVER_FULL") == "1")
        header, rows = keyed(run(program, case, is_whole), case)
        path = FOLDER / f"{case}.csv"
        known = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        wrong += [f"{case}: not in its CSV: {row}" for row in [header, *rows.values()] if row not in known]
        if is_whole and len(known) != len(rows) + 1:
            wrong.append(f"{case}: its CSV has {len(known) - 1} rows, and there are {len(rows)}")
    data = load()
    wrong += verdicts.surprises(data)
    wrong += [f"{path.relative_to(ROOT)} is not what the CSVs say: ./dev validate makes it anew"
              for path, text in made(data).items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    print("\n".join(wrong) or f"{len(cases)} cases: rows, tolerances, page and figures agree")
    return 1 if wrong else 0


def main():
    words = sys.argv[1:]
    if "--help" in words or "-h" in words:
        print(__doc__.strip())
        return 0
    options, names = [word for word in words if word.startswith("--")], [word for word in words if not word.startswith("--")]
    if not names or set(options) - {"--full", "--check"}:
        sys.exit(__doc__)
    if not os.path.isfile(names[0]):
        names[0] = built(names[0])
    known = subprocess.run([names[0]], capture_output=True, text=True, check=True).stdout.split()
    cases = names[1:] or known
    if set(cases) - set(known):
        sys.exit(f"no case {' '.join(sorted(set(cases) - set(known)))}; there are {' '.join(known)}")
    if "--check" in options:
        return check(names[0], cases, "--full" in options)
    FOLDER.mkdir(exist_ok=True)
    for case in cases:
        path = FOLDER / f"{case}.csv"
        text = run(names[0], case, "--full" in options)
        path.write_text(merged("" if "--full" in options or not path.is_file() else path.read_text(encoding="utf-8"), text, case), encoding="utf-8")
        print(f"{case}: {len(text.splitlines()) - 1} rows", flush=True)
    data = load()
    for path, text in made(data).items():
        path.write_text(text, encoding="utf-8")
    print("\n".join(verdicts.surprises(data)) or "every tolerance that is said to be kept is kept")
    return 0


if __name__ == "__main__":
    sys.exit(main())
