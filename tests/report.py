#!/usr/bin/env python3
"""The progress and the sum of a ctest run.

    ctest ... --output-on-failure | report.py follow    failures as they come, whole; for other tests one line that moves on
                                                         (where there is no terminal, a line every 25 tests or every minute)
    report.py summary XML...                             the sum of --output-junit files: lines of tests that begin with "NOTICE:",
                                                         failed tests, skipped tests and why; the last line is "N passed, N failed, N skipped"
    report.py times XML...                               how long each test took, the longest first
    report.py skips LIST XML...                          the skipped tests that no line "TEST REASON" of LIST allows; exit code 1
                                                         when there is one. TEST and REASON are regular expressions
    report.py complete XML LOG < NAMES                   after ctest --stop-time: adds the tests that it had no time for to its
                                                         --output-junit file, as skipped ones. LOG: what it printed; NAMES: lines
                                                         "NAME SECONDS", the tests it was to run and their limits. Exit code 1
                                                         when a test has failed
"""

import pathlib
import re
import sys
import time
import xml.etree.ElementTree as tree

RESULT = re.compile(r"^\s*(\d+)/(\d+) Test\s+#\d+: (\S+) [.*]*\s*(.*)$")
SILENT_TESTS, SILENT_S = 25, 60  # between two lines where there is no terminal


def follow(lines, is_terminal):
    failed, is_shown, width, said_at = 0, False, 0, time.monotonic()
    for line in lines:
        result = RESULT.match(line)
        if re.match(r"^\s+Start\s+\d+: ", line):
            is_shown = False
            continue
        if not result:
            if re.match(r"^\d+% tests passed", line) or line.startswith("Label Time Summary"):
                is_shown = False
            if is_shown:
                print(line, end="")
            continue
        number, total, name, rest = result.groups()
        is_shown = not rest.startswith(("Passed", "Skipped"))
        failed += is_shown
        if is_terminal:
            print("\r" + " " * width + "\r", end="")
        if is_shown:
            print(line.strip())
        state = f"{number} of {total} tests, {failed} failed"
        if is_terminal:
            shown = f"{state}: {name}"[:78]
            width = len(shown)
            print(shown, end="", flush=True)
        elif int(number) % SILENT_TESTS == 0 or number == total or time.monotonic() - said_at > SILENT_S:
            print(state, flush=True)
            said_at = time.monotonic()
    if is_terminal and width:
        print("\r" + " " * width + "\r", end="", flush=True)


def cases_of(path):
    try:
        return list(tree.parse(path).getroot().iter("testcase"))
    except (OSError, tree.ParseError):
        return []


def is_skipped(case):
    """The test itself reported a missing need (exit code 77). A missing program does not count."""
    note = case.find("skipped")
    return note is not None and note.get("message", "").startswith("SKIP_")


def reason_of(case):
    said = case.findtext("system-out") or ""
    return next((line[5:].strip() for line in said.splitlines() if line.startswith("SKIP:")), "it does not say why")


def is_failed(case):
    return not is_skipped(case) and (case.get("status") != "run" or case.find("failure") is not None)


def results_of(log):
    """The last that ctest printed about each test: "Passed", "***Failed", "***Timeout" and others, and the seconds that it took."""
    found = (re.match(r"^\s*(?:\d+/\d+)?\s*Test\s+#\d+: (\S+) [.*]*?\s*((?:\*\*\*)?[A-Za-z]\S*.*?)\s+([\d.]+) sec", line)
             for line in log.splitlines())
    return {result[1]: (result[2], float(result[3])) for result in found if result}


def is_cut_off(result, limit_s):
    """Ended by ctest before its own limit."""
    said, took_s = result
    return said == "***Timeout" and (limit_s == 0 or took_s < limit_s - 1.0)


def complete(path, log, names):
    """A test of which ctest reports nothing had no time."""
    results = results_of(log)
    root = tree.parse(path).getroot()
    done = {case.get("name"): case for case in root.iter("testcase")}
    for name, limit_s in names:
        result = results.get(name)
        was_cut_off = result is not None and is_cut_off(result, limit_s)
        is_unfinished = result is None or was_cut_off
        if name in done and not was_cut_off:
            continue
        if name in done:
            root.remove(done[name])
        case = tree.SubElement(root, "testcase", name=name, classname=name, time=str(result[1] if result else 0),
                               status="notrun" if is_unfinished else "fail")
        if is_unfinished:
            tree.SubElement(case, "skipped", message="SKIP_WANT_OF_TIME")
            started = f" (ended after {result[1]:.0f} s)" if result else ""
            tree.SubElement(case, "system-out").text = f"SKIP: not run for want of time{started}\n"
        else:
            tree.SubElement(case, "failure", message=result[0])
    tree.ElementTree(root).write(path, encoding="UTF-8", xml_declaration=True)
    return not any(is_failed(case) for case in root.iter("testcase"))


def summary(paths):
    """A test that reports neither success nor a skip has failed."""
    cases = [case for path in paths for case in cases_of(path)]
    skipped = [case for case in cases if is_skipped(case)]
    failed = [case for case in cases if is_failed(case)]
    slowest = sorted(cases, key=lambda case: -float(case.get("time") or 0))[:3]
    if slowest:
        print("longest:", ", ".join(f"{case.get('name')} {float(case.get('time') or 0):.0f} s" for case in slowest))
    for case in cases:
        for line in (case.findtext("system-out") or "").splitlines():
            if line.startswith("NOTICE: "):
                print(f"notice: {line[8:]}")
    for case in skipped:
        print(f"skipped: {case.get('name')}: {reason_of(case)}")
    for case in failed:
        print(f"not passed: {case.get('name')}")
    print(f"{len(cases) - len(failed) - len(skipped)} passed, {len(failed)} failed, {len(skipped)} skipped")


def times(paths):
    for case in sorted((case for path in paths for case in cases_of(path)), key=lambda case: -float(case.get("time") or 0)):
        print(f"{float(case.get('time') or 0):6.0f} s  {case.get('name')}")


def skips(allowed, paths):
    lines = (line.strip() for line in pathlib.Path(allowed).read_text(encoding="utf-8").splitlines())
    rows = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    wrong = [case for path in paths for case in cases_of(path) if is_skipped(case) and
             not any(re.fullmatch(name, case.get("name")) and re.fullmatch(reason, reason_of(case)) for name, reason in rows)]
    for case in wrong:
        print(f"skipped, and not on the list of {allowed}: {case.get('name')}: {reason_of(case)}")
    return not wrong


if __name__ == "__main__":
    if sys.argv[1] == "follow":
        follow(sys.stdin, sys.stdout.isatty())
    elif sys.argv[1] == "complete":
        limits = [(name, float(limit_s)) for name, limit_s in (line.split() for line in sys.stdin)]
        sys.exit(0 if complete(sys.argv[2], pathlib.Path(sys.argv[3]).read_text(errors="replace"), limits) else 1)
    elif sys.argv[1] == "times":
        times(sys.argv[2:])
    elif sys.argv[1] == "skips":
        sys.exit(0 if skips(sys.argv[2], sys.argv[3:]) else 1)
    else:
        summary(sys.argv[2:])
