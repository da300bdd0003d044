#!/usr/bin/env python3
"""docs/behaviors.md, docs/scenarios.md, the scenarios and their pictures belong together.

    tests/checks/behaviors_doc.py [ROOT]

Every behavior of the table in behavior_list.h is described in docs/scenarios.md and used by a scenario; every scenario has a name, a
description and a mention in docs/behaviors.md; every picture there exists and every picture in docs/images is shown in it; no heading
occurs twice.
"""
import collections
import json
import pathlib
import re
import sys

UNPICTURED = {"million", "throng", "great_hunt"}  # no picture: docs/pictures.py leaves them out


def complaints(root):
    found = []
    code = (root / "server/sim/steering/behavior_list.h").read_text()
    behaviors = re.findall(r"^    X\([A-Z_]+, +(\w+),", code, re.MULTILINE)
    if len(behaviors) < 20:
        return [f"only {len(behaviors)} behaviors found in behavior_list.h"]
    manual = (root / "docs/scenarios.md").read_text()
    text = (root / "docs/behaviors.md").read_text()
    scenarios = {path.stem: path.read_text() for path in (root / "scenarios").glob("*.json")}
    for behavior in behaviors:
        if not re.search(rf"^\|[^|]*`{behavior}`", manual, re.MULTILINE):
            found.append(f"docs/scenarios.md has no row for {behavior}")
        if not any(f'"{behavior}":' in scenario for scenario in scenarios.values()):
            found.append(f"no scenario has {behavior}")
    shown = re.findall(r"\]\(images/(\w+)\.png\)", text)
    for name, scenario in scenarios.items():
        found += [f"scenarios/{name}.json has no {key}" for key in ("name", "description") if not json.loads(scenario).get(key)]
        if f"`{name}`" not in text:
            found.append(f"docs/behaviors.md does not name the scenario {name}")
        if name not in UNPICTURED and name not in shown:
            found.append(f"docs/behaviors.md does not show images/{name}.png")
    found += [f"docs/images/{name}.png does not exist" for name in shown if not (root / f"docs/images/{name}.png").is_file()]
    for what, names in (("the picture", shown), ("the heading", re.findall(r"^#+ (.*)$", text, re.MULTILINE))):
        found += [f"docs/behaviors.md has {what} {name} twice" for name, n in collections.Counter(names).items() if n > 1]
    return found


def main():
    found = complaints(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    print("\n".join(found) or "behaviors, scenarios and pictures belong together")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
