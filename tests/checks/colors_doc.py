#!/usr/bin/env python3
"""The colors in docs/viewer.md are those of the program.

    tests/checks/colors_doc.py [--write] [ROOT]

The table of the behaviors has the rows of viewer/explain/behavior_colors.c, in their order, in its four palettes; that of the arrows has
the colors of viewer/explain/theme.c. With --write both tables are replaced.
"""
import pathlib
import re
import sys

ARROWS = {"VELOCITY": "velocity", "DESIRED": "desired velocity", "STEERING": "steering force", "NEIGHBOR": "neighbors that count",
          "RADIUS": "radii of no behavior", "TARGET": "targets"}
PAGE = "docs/viewer.md"
BEHAVIORS = ("| behavior or state | safe | classic | safe, light ground | classic, light ground |", 4)
OTHERS = ("| what | dark ground | light ground |", 2)


def hex_codes(numbers):
    return " | ".join(f"`#{number}`" for number in re.findall(r"0xff([0-9a-f]{6})u", numbers))


def rows_of(root):
    """For the head of each table the rows that it must have."""
    behaviors = re.findall(r'^    \{"(\w+)", \{([^}]*)\}\},$', (root / "viewer/explain/behavior_colors.c").read_text(), re.MULTILINE)
    theme = (root / "viewer/explain/theme.c").read_text()
    arrows = [(name, re.search(rf"\[THEME_{part}\] = \{{([^}}]*)\}}", theme)) for part, name in ARROWS.items()]
    return {BEHAVIORS: [f"| `{name}` | {hex_codes(numbers)} |" for name, numbers in behaviors],
            OTHERS: [f"| {name} | {hex_codes(match[1])} |" for name, match in arrows if match]}


def table_of(text, head, columns):
    """The rows under a head, and where they begin and end in the text; None without the head."""
    match = re.search(rf"^{re.escape(head)}\n\|(?:---\|){{{columns + 1}}}\n((?:\|.*\n)*)", text, re.MULTILINE)
    return match and (match[1].splitlines(), match.span(1))


def complaints(root, is_writing):
    found = []
    for (head, columns), rows in rows_of(root).items():
        text = (root / PAGE).read_text()
        table = table_of(text, head, columns)
        if table is None:
            found.append(f"{PAGE} has no table \"{head}\"")
        elif len(rows) < len(ARROWS) or any(row.count("`#") != columns for row in rows):
            found.append(f"{PAGE}: the program's colors could not be read")
        elif is_writing:
            (root / PAGE).write_text(text[:table[1][0]] + "".join(row + "\n" for row in rows) + text[table[1][1]:])
        elif table[0] != rows:
            found += [f"{PAGE}: missing or different: {row}" for row in rows if row not in table[0]]
            found += [f"{PAGE}: not of the program: {row}" for row in table[0] if row not in rows]
            found = found or [f"{PAGE}: the rows are in another order"]
    return found


def main():
    names = [name for name in sys.argv[1:] if name != "--write"]
    found = complaints(pathlib.Path(names[0] if names else "."), "--write" in sys.argv)
    print("\n".join(found) or "the page has the program's colors")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
