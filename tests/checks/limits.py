#!/usr/bin/env python3
"""Keeps protocol.md and the headers consistent: the limits of common/base/limits.h and the codes of common/base/failure.h.

Every LIMIT_ constant must be listed here, either with the sentences of protocol.md that quote it, or as one that the
page does not quote. So the check finds a new limit, a changed value and a reworded sentence.

usage: limits.py     prints the differences; exit code 1 if there is one
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# constant: the places in protocol.md (white space folded to one blank) that have its value, as a group
QUOTED = {
    "LIMIT_LINE_BYTES": [r"has at most (\d+) bytes, nests", r"the line is longer than (\d+) bytes"],
    "LIMIT_ADMIN_LINE_BYTES": [r"one from an admin at most (\d+) bytes", r"an admin's: (\d+)\); it was skipped", r"one from an admin (\d+) \(it may"],
    "LIMIT_ADMIN_JSON_TOKENS": [r"at most \d+ bytes and (\d+) keys and values"],
    "LIMIT_JSON_DEPTH": [r"nests at most (\d+) deep"],
    "LIMIT_JSON_TOKENS": [r"at most (\d+) keys and values"],
    "LIMIT_JSON_NUMBER_CHARS": [r"a number has at most (\d+) characters"],
    "LIMIT_ID_CHARS": [r"a string of at most (\d+) characters"],
    "LIMIT_ID_INTEGER": [r"an integer from 0 to (2\^\d+-1)"],
    "LIMIT_BAD_LINES": [r"\((\d+) unreadable lines in a row\)"],
    "LIMIT_NAME_CHARS": [r"have 1 to (\d+) characters of"],
    "LIMIT_CONTROL_BYTES": [r"half of (\d+) bytes of replies and events wait", r"no room in the (\d+) bytes", r"(\d+) bytes of replies and events and"],
    "LIMIT_DIVERGED_AGENTS": [r"the ids of the first (\d+) of them"],
    "LIMIT_STALL_SECONDS": [r"no byte accepted for (\d+) s\b", r"one with pending bytes after (\d+) s"],
    "LIMIT_CLIENTS": [r"At most (\d+) sessions \(`--max-clients`\)"],
    "LIMIT_ADDRESS_CLIENTS": [r"(\d+) from one address that is not loopback"],
    "LIMIT_NEAREST": [r"`nearest` \| 1 to (\d+) \|"],
    "LIMIT_RAYS": [r"`number`, 1 to (\d+)"],
    "LIMIT_RAY_RANGE": [r"`range`, 1 to (\d+) px"],
    "LIMIT_REQUEST_RATE": [r"may send (\d+) a second \(`--rate`\)", r"faster than (\d+) requests a second"],
    "LIMIT_RATE_SECONDS": [r"after (\d+) s without a pause the session"],
    "LIMIT_IDLE_SECONDS": [r"sends nothing for (\d+) s \(`--idle`\)"],
    "LIMIT_AUTH_SECONDS": [r"shows no token within (\d+) s"],
    "LIMIT_TOKEN_FREE": [r"After (\d+) wrong tokens from one address", r"After (\d+) wrong tokens from an address"],
    "LIMIT_WEB_HEADER_BYTES": [r"head of a request has at most (\d+) bytes"],
    "LIMIT_WEB_HEADERS": [r"bytes and (\d+) header fields"],
    "LIMIT_WEB_CONNECTIONS": [r"There are at most (\d+) connections"],
    "LIMIT_WEB_ADDRESS": [r"connections, (\d+) from one address"],
    "LIMIT_WEB_HEAD_SECONDS": [r"complete within (\d+) s"],
    "LIMIT_WEB_ANSWER_SECONDS": [r"answer is read within (\d+) s"],
    "LIMIT_WEB_PING_SECONDS": [r"pings every (\d+) s"],
    "LIMIT_WEB_SILENT_SECONDS": [r"hears nothing for (\d+) s"],
    "LIMIT_AUTH_TRIES": [r"or (\d+) wrong ones"],
    "LIMIT_TOKEN_FREE": [r"After (\d+) wrong tokens from one address", r"After (\d+) wrong tokens from an address"],
    "LIMIT_TOKEN_CHARS": [r"a token has 8 to (\d+) printable"],
    "LIMIT_PERSON_BYTES": [r"at most (\d+) bytes; a name in the token file"],
    "LIMIT_CURSOR_HZ": [r"when something changed, at most (\d+) times a second"],
    "LIMIT_AGENTS_USUAL": [r"A world has at most (\d+) agents"],
    "LIMIT_AGENTS": [r"`--max-agents` allows up to (\d+),", r"the same length, at most (\d+) rows"],
    "LIMIT_DRIVE": [r"each from -(\d+)\b", r"each from -\d+ to (\d+);"],
    "LIMIT_SPAWN": [r"\| `count` \| 1 to (\d+) \|"],
    "LIMIT_SEATS": [r"`of` \| integer \| 1 \| 1 to (\d+):", r"A session has one seat, a world at most (\d+)"],
    "LIMIT_SEAT_WAIT_MS": [r"`wait_ms` \| integer \| 1000 \| 1 to (\d+):"],
    "LIMIT_SEATS_WAIT_S": [r"The wait for `of` ends after (\d+) s"],
    "LIMIT_WAITING": [r"(\d+) requests of a session may wait so"],
    "LIMIT_BATCH": [r"`requests`: an array of 1 to (\d+) requests"],
    "LIMIT_REMOVE_IDS": [r"`agents` \(an array of at most (\d+) ids\) or `kind`"],
    "LIMIT_GRID_CELLS": [r"1 to \d+ each, at most (\d+) cells", r"when that would pass (\d+)\)"],
    "LIMIT_COMPARE_AGENTS": [r"At most (\d+) agents are compared"],
    "LIMIT_STRIPES_AGENTS": [r"come to show more than (\d+) agents"],
    "LIMIT_GRID_SIDE": [r"1 to (\d+) each, at most"],
    "LIMIT_FORMS": [r"There may be (\d+) different things to look at"],
    "LIMIT_INSPECT_IDS": [r"array of at most (\d+) ids\), without sending"],
    "LIMIT_INSPECT_NEIGHBORS": [r"at most (\d+), the nearest first"],
    "LIMIT_GET_BYTES": [r"a frame of at most (\d+) bytes"],
    "LIMIT_STEP": [r"`count` ticks \(1 to (\d+),"],
    "LIMIT_WAYS": [r"rounded down to whole percent, at most (\d+) entries"],
    "LIMIT_WORLD_SIZE": [r"\| `radius` \| px, 0 to (\d+) \|"],
    "LIMIT_COORDINATE": [r"never exceed (\d+)\.", r"beyond ±(\d+) is refused"],
    "LIMIT_SMALLEST": [r"nearer to 0 than ([0-9e-]+) is 0"],
    "LIMIT_SPEED": [r"px/s, -(\d+) to \d+ \|", r"px/s, -\d+ to (\d+) \|"],
    "LIMIT_OBSTACLE_POINTS": [r"`polygon`, 3 to (\d+) corners", r"a polygon has 3 to (\d+) corners in order", r"has up to (\d+) corners; before"],
    "LIMIT_PIECES": [r"of which a world has at most (\d+) \("],
    "LIMIT_FLOW_ARROWS": [r"for drawing: at most (\d+) cells"],
    "LIMIT_REGIONS": [r"for drawing: the first (\d+)\)"],
    "LIMIT_VIEW_OVERLAYS": [r"`overlays` \(at most (\d+) names"],
    "LIMIT_CAPTION_BYTES": [r"`caption` \(one sentence, at most (\d+) bytes"],
    "LIMIT_TRY_BYTES": [r"`try` \(what a person can do, (\d+)\)"],
    "LIMIT_LOOK_FOR_BYTES": [r"`look_for` \((\d+)\)"],
    "LIMIT_SOURCE_BYTES": [r"`source` \((\d+)\)"],
    "LIMIT_SAVES": [r"At most (\d+) saved worlds are kept"],
    "LIMIT_SAVE_BYTES": [r"saved worlds are kept, of (\d+) bytes together"],
    "LIMIT_WARMUP": [r"has a `warmup` \(at most (\d+) s,"],
    "LIMIT_TICK_HZ": [r"\| `hz` \| number, 0\.01 to (\d+) \|"],
}
NOT_QUOTED = {
    "LIMIT_KINDS", "LIMIT_STATES", "LIMIT_BEHAVIORS", "LIMIT_TARGETS",
    "LIMIT_PLACEMENTS", "LIMIT_SCENARIO_BYTES", "LIMIT_CONDITIONS", "LIMIT_OBSTACLES", "LIMIT_MOVERS", "LIMIT_MOVER_SPEED", "LIMIT_MOVER_TIME", "LIMIT_PIECE_POINTS", "LIMIT_TIMERS", "LIMIT_WALLS", "LIMIT_PATHS", "LIMIT_PATH_POINTS", "LIMIT_AREAS", "LIMIT_FLOW_FIELDS", "LIMIT_FLOW_CELLS", "LIMIT_GATES", "LIMIT_WAY_CELLS", "LIMIT_WAY_GOALS", "LIMIT_SOURCES", "LIMIT_SINKS", "LIMIT_SOURCE_RATE", "LIMIT_SOURCE_TIME", "LIMIT_FORMATIONS", "LIMIT_FORMATION_PLACES",
    "LIMIT_CHECKPOINT_BYTES", "LIMIT_HOLD", "LIMIT_STROLL_AFTER", "LIMIT_METER_LEAST",
}


def defined_limits(text):
    rows = re.findall(r"^#define[ \t]+(LIMIT_\w+)[ \t]+([0-9.]+(?:e-[0-9]+)?)", text, re.M)
    return {name: float(value) for name, value in rows}


def value_of(quoted):
    power = re.fullmatch(r"2\^(\d+)-1", quoted)
    return float(2 ** int(power[1]) - 1) if power else float(quoted)


def check_limits(limits, page):
    complaints = []
    for name in sorted(set(limits) - set(QUOTED) - NOT_QUOTED):
        complaints.append(f"common/base/limits.h: {name} is new: say in tests/checks/limits.py where protocol.md quotes it")
    for name in sorted((set(QUOTED) | NOT_QUOTED) - set(limits)):
        complaints.append(f"common/base/limits.h: {name} is gone, but tests/checks/limits.py lists it")
    for name, patterns in QUOTED.items():
        for pattern in patterns if name in limits else []:
            found = re.findall(pattern, page)
            if not found:
                complaints.append(f"protocol.md: no sentence like /{pattern}/ quotes {name}")
            for quoted in found:
                if value_of(quoted) != limits[name]:
                    complaints.append(f"protocol.md: /{pattern}/ says {quoted}, {name} is {limits[name]:.0f}")
    return complaints


def check_codes(header, page):
    in_header = re.findall(r'^\s*X\(\w+, "(\w+)", "([^"]*)"\)', re.sub(r"\s*\\\n\s*(?=\")", " ", header), re.M)
    table = re.search(r"^\| code \| when \|\n\|[-|]+\|\n((?:\|.*\n)+)", page, re.M)
    in_page = re.findall(r"^\| `(\w+)` \| (.*) \|$", table[1], re.M) if table else []
    if not in_header or not in_page:
        return ["the table of codes was not found in common/base/failure.h or protocol.md"]
    complaints = [f"protocol.md has {row}, which common/base/failure.h has not" for row in in_page if row not in in_header]
    complaints += [f"common/base/failure.h has {row}, which protocol.md has not" for row in in_header if row not in in_page]
    if not complaints and in_header != in_page:
        complaints.append("protocol.md and common/base/failure.h list the codes in a different order")
    return complaints


def main():
    page = (ROOT / "protocol.md").read_text(encoding="utf-8")
    limits = defined_limits((ROOT / "common/base/limits.h").read_text(encoding="utf-8"))
    complaints = check_limits(limits, re.sub(r"\s+", " ", page))
    complaints += check_codes((ROOT / "common/base/failure.h").read_text(encoding="utf-8"), page)
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
