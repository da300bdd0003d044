"""Every member of a world that decides the future is in the hash, in clones and in images, and a test says so when one is not.

    hash_mutants.py --source DIR --test WHOLE_STATE_C --cc COMPILER --link "LIBS AND FLAGS" [--cut]

1. docs/architecture.md, "What decides the future", has a row for every member of the structs of a world.
2. A mutant of the source for each: the member left out of the hash (HASH in world_hash*.c, the columns of agents), out of
clones, out of images (what is written down), or out of what goes along when an agent changes its row. whole_state.c must
fail with each of them.

--cut takes every twelfth mutant; without it they are every third, and with DROVER_FULL=1 in the environment all.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

FLAGS = ["-std=c17", "-D_POSIX_C_SOURCE=200809L", "-ffp-contract=off", "-fno-math-errno", "-O0", "-w"]
# Struct, and what the names of its members begin with in the table.
STRUCTS = {
    "world": "", "kind": "kind.", "state_runtime": "state.", "behavior_runtime": "behavior.", "memory": "memory.",
    "body": "own_body.", "aim": "aim.", "drive": "drive.", "timers": "timers.", "grid": "grid.", "grid_axis": "axis.", "grid_lookup": "lookup.", "scenery": "scenery.",
    "solid_grid": "solid_grid.", "solid_lists": "solid_lists.", "geometry_def": "geometry.", "obstacle_def": "obstacle.", "move_def": "move.", "door_def": "door.",
    "wall_def": "wall.", "path_def": "path.", "flow_def": "flow.", "area_def": "area.", "gate_def": "gate.", "target_def": "target.", "state_def": "state.",
    "condition_def": "condition.", "kind_def": "kind.", "turnover": "turnover.", "source_def": "source.", "sink_def": "sink.",
    "formation": "formation.", "formation_def": "formation.", "formation_place": "place.", "formation_state": "formed.",
}
CLASSES = ("hashed", "derived", "no influence")
RECOMPUTED = {"kind_begin", "kind_row", "has_blocks"}  # by world_clone itself


def find(source, name):
    """The file of this name, in whichever folder it is."""
    found = [*(source / "server").rglob(name), *(source / "common").rglob(name)]
    if len(found) != 1:
        sys.exit(f"{name}: {len(found)} files of this name")
    return found[0]


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def members_of(text, struct):
    """The names of the members of a struct."""
    body = re.search(rf"^struct {struct} {{\n(.*?)^}};", text, re.MULTILINE | re.DOTALL).group(1)
    body = re.sub(r"^#.*\n|^\s+\w+\(\w+\)\n", "", without_comments(body), flags=re.MULTILINE)
    names = []
    for declaration in body.split(";"):
        declaration = re.sub(r"\[[^\]]*\]", "", declaration).strip()
        names += [part.split()[-1].lstrip("*") for part in declaration.split(",") if part.strip()]
    return names


def columns_of(text, macro):
    """The rows of a list of columns: (whole row, [arguments])."""
    body = re.search(rf"#define {macro}\(X\)(.*?)\n\n", text, re.DOTALL).group(1)
    rows = re.findall(r"X\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", body)
    return [(row, [word.strip() for word in re.split(r",(?![^({]*[)}])", row[2:-1])]) for row in rows]


def table_of(architecture):
    """{member: class} of the table."""
    section = architecture.split("## What decides the future", 1)[1].split("\n## ", 1)[0]
    table = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 3:
            if not cells[1].startswith(CLASSES):
                sys.exit(f"docs/architecture.md: {cells[1]!r} is none of {', '.join(CLASSES)}")
            for member in re.findall(r"`([\w.]+)`", cells[0]):
                table[member] = next(one for one in CLASSES if cells[1].startswith(one))
    return table


def check_table(source, table):
    """What the table lacks, or has too many of."""
    headers = {path: path.read_text() for path in
               [*(source / "server").rglob("*.h"), *(source / "common").rglob("*.h")]}
    known = set()
    for struct, prefix in STRUCTS.items():
        text = next(text for text in headers.values() if f"\nstruct {struct} {{" in text)
        known |= {prefix + member for member in members_of(text, struct)}
    for _, words in columns_of(find(source, "world_columns.h").read_text(), "WORLD_COLUMNS"):
        known |= {words[2], "next_" + words[2]} if words[6] == "BY_SLOT" else {words[2]}
    known |= {"grid." + words[1] for _, words in columns_of(find(source, "grid.h").read_text(), "GRID_COLUMNS")}
    for member in sorted(known - table.keys()):
        yield f"{member} has no row"
    for member in sorted(table.keys() - known):
        yield f"{member} has a row, and is no member"


def replaced(text, old, new):
    assert text.count(old) == 1, old
    return text.replace(old, new)


def hash_mutants(source):
    path = find(source, "world_hash.c")
    text = path.read_text()
    for match in re.finditer(r"^ +HASH\(([\w.]+),.*?\);$", text, re.MULTILINE | re.DOTALL):
        if match.group(1) != "name":
            yield f"hash without {match.group(1)}", path, text[:match.start()] + text[match.end():], None, None


def column_mutants(source):
    header = find(source, "world_columns.h")
    text = header.read_text()
    for row, words in columns_of(text, "WORLD_COLUMNS"):
        number, _, name, _, _, hashed, _, copied = words
        if hashed not in ("hash_none", "hash_id"):
            path = find(source, "world_hash.c")
            yield f"hash without column {name}", path, path.read_text(), header, replaced(text, row, row.replace(hashed, "hash_none"))
        if copied == "true":
            mutated = replaced(text, row, re.sub(r"true\)$", "false)", row))
            for file, what in (("world_clone.c", "clone"), ("world_commands.c", "moved row")):
                path = find(source, file)
                yield f"{what} without column {name}", path, path.read_text(), header, mutated
    header = find(source, "grid.h")
    text, path = header.read_text(), find(source, "grid.c")
    for row, words in columns_of(text, "GRID_COLUMNS"):
        if words[2] == "true":
            mutated = replaced(text, row, row.replace("true)", "false)"))
            yield f"clone without grid.{words[1]}", path, path.read_text(), header, mutated


def clone_mutants(source, table):
    path = find(source, "world_clone.c")
    text = path.read_text()
    for member in members_of(find(source, "world_internal.h").read_text(), "world"):
        # What is behind a pointer, or has a function of its own, comes below.
        if member in RECOMPUTED | {"kinds", "scenery", "grid"} or table[member] == "no influence":
            continue
        line = f"*to = *from;\n    memset(&to->{member}, 0, sizeof to->{member});"
        yield f"clone without {member}", path, replaced(text, "*to = *from;", line), None, None
    for statement in ("memcpy(to->kinds, from->kinds, sizeof *to->kinds * (size_t)from->kind_count);",
                      "scenery_clone(&to->scenery, &from->scenery);", "grid_clone(&to->grid, &from->grid);",
                      "world_group_kinds(to);"):
        yield f"clone without {statement}", path, replaced(text, statement, ";"), None, None
    path = find(source, "scenery.c")
    text = path.read_text()
    for match in re.finditer(r"^ +(?:(\w+(?:\.|->)[\w.>-]+) = pack\(|pack_\w+\().*?;$", text, re.MULTILINE | re.DOTALL):
        yield f"clone without {match.group().split(' = ')[0].strip()}", path, text[:match.start()] + text[match.end():], None, None


def image_mutants(source):
    path, header = find(source, "world_image.c"), find(source, "world_columns.h")
    text, columns = path.read_text(), header.read_text()
    for match in re.finditer(r"^    MEMBER\((\w+), (\w+),.*?\),\n", text, re.MULTILINE | re.DOTALL):
        yield f"image without {match.group(1)}.{match.group(2)}", path, text[:match.start()] + text[match.end():], None, None
    for row, words in columns_of(columns, "WORLD_COLUMNS"):
        if words[4] == "true" and words[2] != "id":
            mutated = replaced(columns, row, row.replace("true, hash", "false, hash"))
            yield f"image without column {words[2]}", path, text, header, mutated
    path = find(source, "world_restore.c")
    text = path.read_text()
    for match in re.finditer(r"^ +(?:world|kind)->(\w+(?:\.\w+)?) = (?:image|world->has_sent|world->has_driven|aim|is_tireless|def)\b.*?;\n", text, re.MULTILINE):
        yield f"image without {match.group(1)}", path, text[:match.start()] + text[match.end():], None, None


class Builder:
    def __init__(self, arguments, folder):
        self.cc, self.source, self.folder = arguments.cc, arguments.source, folder
        self.link = shlex.split(arguments.link)
        self.test = folder / "whole_state.o"
        self.compile(arguments.test, self.test, [])

    def compile(self, file, output, includes):
        subprocess.run([self.cc, *FLAGS, *includes, "-I", self.source, "-c", file, "-o", output], check=True)

    def survives(self, index, mutant):
        """Whether the test passes with the mutant; None for the source as it is."""
        scratch = self.folder / str(index)
        scratch.mkdir()
        objects = [self.test]
        if mutant is not None:
            _, path, text, header, header_text = mutant
            includes = []
            if header is not None:
                copy = scratch / header.relative_to(self.source)
                copy.parent.mkdir(parents=True)
                copy.write_text(header_text)
                includes = ["-I", scratch]
            (scratch / path.name).write_text(text)
            objects.append(scratch / "mutant.o")
            self.compile(scratch / path.name, objects[-1], includes)
        program = scratch / "test"
        # Objects come first, so the library's own copy of the file is never pulled in.
        subprocess.run([self.cc, *objects, *self.link, "-lm", "-o", program], check=True)
        run = subprocess.run([program], capture_output=True, timeout=60)
        program.unlink()
        return run.returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--test", type=pathlib.Path, required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--link", required=True)
    parser.add_argument("--cut", action="store_true")
    arguments = parser.parse_args()
    source = arguments.source
    table = table_of((source / "docs/architecture.md").read_text())
    problems = [f"docs/architecture.md: {problem}" for problem in check_table(source, table)]
    if problems:
        sys.exit("\n".join(problems))
    mutants = [*hash_mutants(source), *column_mutants(source), *clone_mutants(source, table),
               *image_mutants(source)]
    mutants = mutants[::12 if arguments.cut else 1 if os.environ.get("DROVER_FULL") == "1" else 3]
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        builder = Builder(arguments, pathlib.Path(scratch))
        if not builder.survives("none", None):
            sys.exit("the test fails without a mutant")
        survived = list(pool.map(builder.survives, range(len(mutants)), mutants))
    left = [mutant[0] for mutant, alive in zip(mutants, survived) if alive]
    print("\n".join(f"no test notices: {what}" for what in left))
    print(f"{len(mutants) - len(left)} of {len(mutants)} mutants are noticed")
    sys.exit(1 if left else 0)


if __name__ == "__main__":
    main()
