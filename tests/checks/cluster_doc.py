#!/usr/bin/env python3
"""docs/cluster.md says of every request what ranks do of it that have copies of a world, and ranks that share it in stripes; and of
every behavior which other agents it sees, which is what stripes must find.

    tests/checks/cluster_doc.py CLUSTER_TABLE [--write]

The rows are those of common/protocol/request_table.c and server/sim/steering/behavior_list.h, which the program CLUSTER_TABLE
prints; with --write the tables of the document are replaced.
"""
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "cluster.md"


def tables(text):
    """The head and the rows of each table of the program."""
    for table in text.strip().split("\n\n"):
        lines = table.splitlines(keepends=True)
        yield "".join(lines[:2]), "".join(line if line.endswith("\n") else line + "\n" for line in lines[2:])


def differences(head, rows, text):
    match = re.search(re.escape(head) + r"((?:\|.*\n)*)", text)
    if match is None:
        return [f"docs/cluster.md: no table {head!r}"]
    wanted, has = rows.splitlines(), match[1].splitlines()
    found = [f"docs/cluster.md: missing or different: {row}" for row in wanted if row not in has]
    found += [f"docs/cluster.md: not of the program: {row}" for row in has if row not in wanted]
    return found or ([] if wanted == has else [f"docs/cluster.md: the rows are in another order: {head!r}"])


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else sys.exit(__doc__)
    text = PAGE.read_text()
    found, count = [], 0
    for head, rows in tables(subprocess.run([program], capture_output=True, text=True, check=True).stdout):
        if sys.argv[2:] == ["--write"]:
            text = re.sub(re.escape(head) + r"(?:\|.*\n)*", lambda match, new=head + rows: new, text)
        found += differences(head, rows, text)
        count += rows.count("\n")
    if sys.argv[2:] == ["--write"]:
        PAGE.write_text(text)
    if found:
        sys.exit("\n".join(found) + "\ncluster_doc.py CLUSTER_TABLE --write writes the tables")
    print(f"{count} rows, as in the program")


if __name__ == "__main__":
    main()
