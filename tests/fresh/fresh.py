#!/usr/bin/env python3
"""This tree in an empty Debian system, as on a machine that was never seen before: ./dev installs, builds, runs and tests.

usage: fresh.py SUITE [--demo] [--test] [--slow] [--ci] [--limit MINUTES] [--keep] [-L LABEL] [-R NAME]

SUITE is one that debootstrap knows: bookworm, trixie, sid. Without --demo, --test, --slow and --ci, the demo and the tests. The system has nothing
but what `debootstrap --variant=minbase` puts there; the tree is a clone with what is not committed. What apt-get downloads is kept in build/debootstrap.
--ci       .ci/run: the tests, the lint and a cut of the slow tests
--limit    minutes that each of the commands may take, its installation with it (90)
--keep     keeps the system, build/fresh/SUITE, and goes on in one that was kept, with its packages and its build/
-L, -R     go to ./dev test
Ends with 77 and a line where there can be no such system: not root, no debootstrap, no mirror.
"""

import argparse
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))

from empty_system import ROOT, System, copy_tree, mirror, skip  # noqa: E402

TREE = "/root/drover"
SHOWN = 12  # last lines of a command


class Command:
    """PROGRAM WORDS in the system, in a process group of its own. Its output goes to a log and, line by line, to the caller."""

    def __init__(self, system, suite, *words):
        self.log, self.lines, self.words = ROOT / f"build/fresh-{suite}-{words[1] if len(words) > 1 else 'ci'}.log", [], words
        command, environment = system.command(*words, at=TREE)
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, errors="replace", start_new_session=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        with open(self.log, "w", encoding="utf-8") as log:
            for line in self.process.stdout:
                log.write(line)
                log.flush()
                self.lines.append(line.rstrip("\n"))

    def line(self, pattern, until=0.0):
        """The first line with it, or None if the command ended or the time is over."""
        while True:
            has_ended = self.process.poll() is not None and not self.reader.is_alive() or time.monotonic() >= until
            for line in list(self.lines):
                if re.search(pattern, line):
                    return line
            if has_ended:
                return None
            time.sleep(0.2)

    def wait(self, seconds):
        """The exit code, or None when it had to be killed."""
        try:
            self.process.wait(timeout=max(seconds, 1))
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            return None
        finally:
            self.reader.join(timeout=10)
        return self.process.returncode

    def fail(self, reason):
        self.wait(0)
        sys.exit("\n".join([*self.lines[-40:], f"{' '.join(self.words)}: {reason} (all of it: {self.log})"]))


def check_mirror(suite):
    """Without it, what fails says nothing about the tree."""
    place = f"{mirror()}/dists/{suite}/InRelease"
    try:
        urllib.request.urlopen(place, timeout=30).close()
    except OSError as error:
        skip(f"{place} cannot be read: {error}")


def show(lines):
    for line in lines:
        print(f"  | {line[:200]}", flush=True)


def try_demo(system, suite, limit_s):
    """The server alone; what it prints to connect is typed in another shell, and Ctrl-C ends it."""
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", 7717)) == 0:
            skip("something listens on 127.0.0.1:7717, where the demo would")
    command, until = Command(system, suite, "./dev", "demo"), time.monotonic() + limit_s
    if command.line(r"^  stop ", until) is None:
        command.fail("did not come so far as to say how it is stopped")
    if command.line("^drover-server page at") is None:
        command.fail("serves no page")
    typed = command.line(r"^  connect ").split(maxsplit=1)[1]
    answer = system.run("bash", "-c", typed, stdout=subprocess.PIPE, timeout=60, check=False).stdout
    if not re.match(r'{"op":"hello",.*\n{"op":"reply","to":"list",.*"flock"', answer):
        command.fail(f"`{typed}` was answered {answer[:200]!r}")
    os.killpg(command.process.pid, signal.SIGINT)
    code = command.wait(60)
    show(command.lines[-SHOWN:])
    show(answer.splitlines())
    if code != 130:
        command.fail(f"ended with {code} after Ctrl-C, and not with 130")


def try_tests(system, suite, words, limit_s):
    command = Command(system, suite, *words)
    code = command.wait(limit_s)
    failures = [line for line in command.lines if line.startswith(("skipped: ", "dev: "))]
    show(failures)
    show(command.lines[-SHOWN:])
    if code != 0:
        command.fail("took too long" if code is None else f"ended with {code}")


def main():
    parser = argparse.ArgumentParser(usage="fresh.py SUITE [OPTION...]; -h explains", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite")
    for name in ("--demo", "--test", "--slow", "--ci", "--keep"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--limit", type=float, default=90)
    parser.add_argument("-L", action="append", default=[])
    parser.add_argument("-R", action="append", default=[])
    given = parser.parse_args()
    if "DROVER_SLOW" in os.environ and os.environ.get("DROVER_FULL") != "1":
        skip("an empty system of Debian; ./dev test --slow has it")
    are_all = not (given.demo or given.test or given.slow or given.ci)
    words = [word for option in ("L", "R") for value in getattr(given, option) for word in (f"-{option}", value)]
    limit_s = given.limit * 60
    check_mirror(given.suite)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts it with & has programs ignore Ctrl-C
    with System(given.suite, ROOT / f"build/fresh/{given.suite}", given.keep) as system:
        if (ROOT / ".git").exists() and not (system.root / TREE[1:]).exists():
            subprocess.run(["git", "clone", "-q", "--no-hardlinks", ROOT, system.root / TREE[1:]], check=True)
        copy_tree(system.root / TREE[1:])
        for is_wanted, name, attempt in (
            (given.demo or are_all, "./dev demo", lambda: try_demo(system, given.suite, limit_s)),
            (given.test or are_all, "./dev test", lambda: try_tests(system, given.suite, ["./dev", "test", *words], limit_s)),
            (given.slow, "./dev test --slow", lambda: try_tests(system, given.suite, ["./dev", "test", *words, "--slow"], limit_s)),
            (given.ci, ".ci/run", lambda: try_tests(system, given.suite, [".ci/run"], limit_s)),
        ):
            if is_wanted:
                started = time.monotonic()
                print(f"{given.suite}: {name}", flush=True)
                attempt()
                print(f"{given.suite}: {name} passed after {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
