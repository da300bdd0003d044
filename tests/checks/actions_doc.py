#!/usr/bin/env python3
"""Every action of the viewer stands in docs/viewer.md, with where it is: in the window, in the page of a browser, or why not.

    tests/checks/actions_doc.py ACTIONS_TABLE [--write]

The rows are those of viewer/model/shortcuts.c and viewer/panels/panel_controls.c, which the program ACTIONS_TABLE prints; with
--write the table of the document is replaced. And the controls are all that struct panels_result has: each member is set by the
window's panels (viewer/panels/*.cpp) and by the page's (web/page_panels*.c) unless its row says why not.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "viewer.md"
HEAD = "| action | what it does | window | page |\n|---|---|---|---|\n"
# What of struct panels_result is no action: how the panels take the input, and the values that belong to an action.
NO_ACTIONS = {"wants_mouse", "wants_keys", "wants_text", "has_focus", "is_speed_held", "speed", "scrub_to_s", "seek_to", "hit", "is_sliding",
              "param", "value", "legend_right", "legend_bottom", "kind", "choice", "own_kind", "own_name", "takes_escape", "holds_toast", "has_more",
              "takes_click", "takes_press", "shortcut"}


def members():
    body = re.search(r"struct panels_result \{(.*?)^\};", (ROOT / "viewer/panels/panels.h").read_text(), re.DOTALL | re.MULTILINE)[1]
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL)
    words = [re.sub(r"^\s*(const\s+)?(struct\s+)?\w+\s+", "", one.strip()) for one in body.split(";")]
    return {re.sub(r"\[.*?\]|\*|\s", "", name) for one in words for name in one.split(",") if name.strip()}


def sets(pattern, member):
    return any(re.search(rf"(->|\.){member}\b", path.read_text()) for path in ROOT.glob(pattern))


def control_complaints(program):
    lines = [line.split() for line in subprocess.run([program, "controls"], capture_output=True, text=True, check=True).stdout.splitlines()]
    listed = {member for member, _, _ in lines}
    found = [f"panels.h: {name} has no row in panel_controls.c" for name in sorted(members() - NO_ACTIONS - listed)]
    found += [f"panel_controls.c: struct panels_result has no {name}" for name in sorted(listed - members())]
    for member, window, page in lines:
        if (window == "window") != sets("viewer/panels/*.cpp", member):
            found.append(f"panel_controls.c: the window's panels {'never set' if window == 'window' else 'set'} {member}")
        if (page == "page") != sets("web/page_panels*.c", member):
            found.append(f"panel_controls.c: the page's panels {'never set' if page == 'page' else 'set'} {member}")
    return found


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else sys.exit(__doc__)
    rows = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    text = PAGE.read_text()
    match = re.search(re.escape(HEAD) + r"((?:\|.*\n)*)", text)
    if match is None:
        sys.exit(f"{PAGE} has no table {HEAD!r}")
    if sys.argv[2:] == ["--write"]:
        PAGE.write_text(text[:match.start(1)] + rows + text[match.end(1):])
        return
    found = control_complaints(program)
    wanted, has = rows.splitlines(), match[1].splitlines()
    found += [f"docs/viewer.md: missing or different: {row}" for row in wanted if row not in has]
    found += [f"docs/viewer.md: not of the program: {row}" for row in has if row not in wanted]
    if not found and wanted != has:
        found = ["docs/viewer.md: the rows are in another order"]
    if found:
        sys.exit("\n".join(found) + "\nactions_doc.py ACTIONS_TABLE --write writes the table")
    print(f"{len(wanted)} actions, as in the programs")


if __name__ == "__main__":
    main()
