#!/usr/bin/env python3
"""The texts of scenarios/*.json have the words and the keys that the viewer speaks of.

Each word of the picker's placeholder begins a word of some scenario's texts, so that a search for it finds one. A key
that a text says to press is a row of the viewer's table of keys, and the sentence is about what that key does.

usage: scenario_texts.py [--self-test]     prints the differences; exit code 1 if there is one
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# key: what the rest of the clause must speak of
SUBJECTS = {
    "A": r"\bclick",
    "X": r"\bclick",
    "C": r"\bcolor\b",
    "F": r"\bforces?\b",
    "K": r"\b(change|raise|shrink|set|sliders?)\b",
    "J": r"\binstruments\b",
    "L": r"\bfollow\b",
    "M": r"\bhold\b",
    "Home": r"\bsee all\b",
    "Tab": r"\b(next|select)\b",
}


def sought_words(picker):
    """The words that the placeholder proposes: "... or a word: predator, ORCA, tunnel"."""
    match = re.search(r'a word: ([^"]+)"', picker)
    return re.split(r",\s*", match[1]) if match else []


def key_names(table):
    names = re.findall(r'(?:true|false), "([^"]+)", "', re.sub(r"\s+", " ", table))
    return set(names + re.findall(r'(?:OVERLAY|TOGGLE)\(\w+, "([^"]+)"', table))


def texts_of(scenario):
    about = scenario.get("about", {})
    return [scenario.get("name", ""), scenario.get("description", "")] + [about.get(name, "") for name in ("caption", "try", "look_for")]


def key_complaints(text, keys):
    for clause in re.split(r"[;.]", text):
        for match in re.finditer(r"\b[Pp]ress ([A-Z][A-Za-z0-9+]*)", clause):
            key = match[1]
            if key not in keys:
                yield f"no key {key}: \"{clause.strip()}\""
            elif not re.search(SUBJECTS.get(key, r"$^"), clause[match.end():]):
                yield f"not what {key} does, or SUBJECTS needs a row: \"{clause.strip()}\""


def complaints(scenarios, words, keys):
    """scenarios: file name -> its object."""
    found = [] if words and keys else ["the placeholder's words or the keys could not be read"]
    for word in words:
        pattern = re.compile(r"\b" + re.escape(word), re.IGNORECASE)
        if not any(pattern.search(text) for scenario in scenarios.values() for text in texts_of(scenario)):
            found.append(f"no scenario is found by the placeholder's word \"{word}\"")
    for name, scenario in scenarios.items():
        found += [f"{name}: {said}" for text in texts_of(scenario) for said in key_complaints(text, keys)]
    return found


def self_test():
    keys = key_names('{.action = X,\n KEY_L,\n false,\n false,\n "L", "follow it"},\n OVERLAY(KEY_T, "T", "trails"')
    assert keys == {"L", "T"}, keys
    wrong = {"a": {"description": "Boids.", "about": {"try": "Zoom in; press F to follow one. Press T and look."}}}
    assert len(complaints(wrong, ["boid", "tunnel"], keys)) == 3
    right = {"a": {"description": "A tunnel.", "about": {"try": "Click one and press L to follow it."}}}
    assert complaints(right, ["tunnel"], keys) == []


def main():
    if "--self-test" in sys.argv:
        self_test()
        return 0
    scenarios = {path.name: json.loads(path.read_text()) for path in sorted((ROOT / "scenarios").glob("*.json"))}
    words = sought_words((ROOT / "viewer/panels/panels_picker.cpp").read_text())
    found = complaints(scenarios, words, key_names((ROOT / "viewer/model/shortcuts.c").read_text()))
    print("\n".join(found) or "the scenarios' texts have the placeholder's words and the viewer's keys")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
