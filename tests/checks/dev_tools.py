#!/usr/bin/env python3
"""The helpers of ./dev and .ci/run: the report of a test run, the needs of tests, and the installation of packages.

usage: dev_tools.py
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = """Test project /somewhere
        Start  1: unit.good
        Start  2: unit.bad
1/3 Test  #1: unit.good ........................   Passed    0.06 sec
2/3 Test  #2: unit.bad .........................***Failed    0.07 sec
[  ERROR   ] the reason
        Start  3: e2e.none
3/3 Test  #3: e2e.none .........................***Skipped   0.01 sec
50% tests passed, 1 tests failed out of 2
"""
RESULTS = """<testsuite>
<testcase name="unit.good" time="1" status="run"><system-out>fine
NOTICE: server: +9 files</system-out></testcase>
<testcase name="unit.bad" time="9" status="fail"><failure message=""/><system-out>no</system-out></testcase>
<testcase name="e2e.gone" time="0" status="notrun"><skipped message="Unable to find executable"/></testcase>
<testcase name="e2e.none" time="0" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
<system-out>SKIP: not installed: xdotool
</system-out></testcase>
</testsuite>"""
CUT = """Test project /somewhere
    Start 1: e2e.done
1/3 Test #1: e2e.done ........................   Passed    4.01 sec
2/3 Test #2: e2e.cut .........................***Timeout  13.66 sec

The stop time has been passed. Stopping all tests.
"""
CUT_RESULTS = """<testsuite><testcase name="e2e.done" time="4" status="run"/></testsuite>"""


def run(*command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=50, **options)


class Report(unittest.TestCase):
    def test_failures_are_shown_whole_and_the_rest_is_counted(self):
        said = run(sys.executable, ROOT / "tests/report.py", "follow", input=RUN).stdout
        self.assertIn("[  ERROR   ] the reason", said)
        self.assertIn("3 of 3 tests, 1 failed", said)
        for noise in ("unit.good", "Start", "e2e.none", "tests passed"):
            self.assertNotIn(noise, said)

    def test_what_was_skipped_says_why_and_what_did_not_run_has_failed(self):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(RESULTS)
            file.flush()
            said = run(sys.executable, ROOT / "tests/report.py", "summary", file.name, "/no/such/file").stdout.splitlines()
        self.assertIn("skipped: e2e.none: not installed: xdotool", said)
        self.assertIn("notice: server: +9 files", said)
        self.assertIn("not passed: unit.bad", said)
        self.assertIn("not passed: e2e.gone", said)
        self.assertEqual(said[-1], "1 passed, 2 failed, 1 skipped")

    def test_a_skip_needs_a_line_on_the_list(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "xml").write_text(RESULTS)
            for listed, code in (("", 1), ("# e2e.none not.*\n", 1), ("e2e[.]none  not installed: xvfb\n", 1), ("e2e not.*\n", 1),
                                 ("e2e[.]none  not installed: x.*\n", 0)):
                (pathlib.Path(folder) / "list").write_text(listed)
                done = run(sys.executable, ROOT / "tests/report.py", "skips", f"{folder}/list", f"{folder}/xml")
                self.assertEqual((done.returncode, "e2e.none: not installed: xdotool" in done.stdout), (code, code == 1), listed)

    def test_times_begin_with_the_longest(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "xml").write_text(RESULTS)
            said = run(sys.executable, ROOT / "tests/report.py", "times", f"{folder}/xml").stdout.split()
        self.assertEqual(said[:6], ["9", "s", "unit.bad", "1", "s", "unit.good"])

    def complete(self, log, results, names):
        """What the summary says of it, and the exit code."""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "log").write_text(log)
            (pathlib.Path(folder) / "xml").write_text(results)
            done = run(sys.executable, ROOT / "tests/report.py", "complete", f"{folder}/xml", f"{folder}/log", input=names)
            self.assertEqual(done.stderr, "")
            return run(sys.executable, ROOT / "tests/report.py", "summary", f"{folder}/xml").stdout.splitlines(), done.returncode

    def test_what_had_no_time_is_skipped_and_named(self):
        said, code = self.complete(CUT, CUT_RESULTS, "e2e.done 300\ne2e.cut 300\ne2e.never 300\n")
        self.assertIn("skipped: e2e.cut: not run for want of time (ended after 14 s)", said)
        self.assertIn("skipped: e2e.never: not run for want of time", said)
        self.assertEqual((said[-1], code), ("1 passed, 0 failed, 2 skipped", 0))

    def test_want_of_time_hides_no_failure(self):
        """Failed; over its own limit; failed in the results."""
        said, code = self.complete(CUT.replace("***Timeout", "***Failed "), CUT_RESULTS, "e2e.done 300\ne2e.cut 300\n")
        self.assertEqual((said[-2:], code), (["not passed: e2e.cut", "1 passed, 1 failed, 0 skipped"], 1))
        said, code = self.complete(CUT, CUT_RESULTS, "e2e.done 300\ne2e.cut 14\n")
        self.assertEqual((said[-1], code), ("1 passed, 1 failed, 0 skipped", 1))
        said, code = self.complete("", RESULTS, "unit.good 1\nunit.bad 1\n")
        self.assertIn("not passed: unit.bad", said)
        self.assertEqual(code, 1)


class Parts(unittest.TestCase):
    def test_parts_are_all_tests_and_take_about_as_long(self):
        sys.path.insert(0, str(ROOT / "tests"))
        import selection
        tests = [{"name": f"test.{i}", "properties": [{"name": "COST", "value": 10.0 * i}]} for i in range(1, 40)] + [{"name": "none"}]
        for parts in (1, 2, 4, 7):
            chosen = [selection.part_of(tests[::1 - 2 * (part % 2)], part, parts) for part in range(1, parts + 1)]
            names = sorted(test["name"] for part in chosen for test in part)
            self.assertEqual(names, sorted(test["name"] for test in tests))
            sums = [sum(map(selection.cost_of, part)) for part in chosen]
            self.assertLess(max(sums) - min(sums), 0.1 * max(sums))


class Needs(unittest.TestCase):
    def needs(self, what):
        return run(ROOT / "tests/needs.sh", what, sys.executable, "-c", "print('was run')")

    def test_what_is_there_runs(self):
        done = self.needs("sh /etc/passwd python3:json")
        self.assertEqual((done.returncode, done.stdout), (0, "was run\n"))

    def test_what_is_not_there_is_named(self):
        done = self.needs("sh no-such-program /no/such/file python3:no_such_module")
        self.assertEqual(done.returncode, 77)
        self.assertEqual(done.stdout, "SKIP: not installed: no-such-program /no/such/file python3-no_such_module\n")


class Packages(unittest.TestCase):
    def test_groups(self):
        rows = [line.split() for line in (ROOT / "packages.txt").read_text().splitlines() if line and line[0] != "#"]
        self.assertTrue(all(len(row) % 2 == 0 and set(row[2::2]) <= {"|"} for row in rows), rows)
        groups = {group: {row[1] for row in rows if row[0] == group} for group in {row[0] for row in rows}}
        self.assertEqual(set(groups) - {"build", "viewer", "test", "lint", "fuzzer", "npm"},
                         {"golden", "e2e", "window", "browser", "cross", "proxy", "web", "package", "cluster", "checks", "fresh", "slow"})
        for_all = groups["build"] | groups["viewer"] | groups["test"]
        for package in ("xvfb", "xdotool", "jq", "clang", "chromium", "qemu-user"):
            self.assertNotIn(package, for_all)

    def test_each_has_its_name_elsewhere(self):
        """docs/install.md, a row for each package that is needed to build, with a name for each of its systems."""
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in (ROOT / "docs/install.md").read_text().splitlines()
                if re.match(r"\| `[^`]+` \| \S+ \|.* \|", line)]
        named = {row[0].strip("`"): row for row in rows if len(row) == 4 and all(row)}
        needed = {words[1] for words in map(str.split, (ROOT / "packages.txt").read_text().splitlines())
                  if words and words[0] in ("build", "viewer", "web", "test")}
        self.assertEqual(set(named), needed)

    def dev(self, folder, listed, apt_get, *words, packages=None):
        """./dev WORDS in a copy, on a system whose apt has these packages and nothing installed. apt-get writes its words to LOG."""
        folder = pathlib.Path(folder)
        shutil.copy(ROOT / "dev", folder)
        (folder / "packages.txt").write_text(packages or (ROOT / "packages.txt").read_text())
        (folder / "tools").mkdir()
        for name, text in {
            "dpkg-query": "exit 1", "clang-format": "exit 0", "sleep": "exit 0", "sudo": 'exec "$@"',
            "apt-cache": f"""shift; for name; do case " base-files {listed} " in *" $name "*) echo "$name | 1 | somewhere" ;; esac; done""",
            "apt-get": f"LOG={folder}/log; echo \"$@\" >>$LOG\n{apt_get}",
        }.items():
            path = folder / "tools" / name
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)
        for name in ("common", "server", "clients", "viewer", "web", "tests"):
            (folder / name).mkdir()
        done = run(folder / "dev", *words, env={**os.environ, "PATH": f"{folder}/tools:{os.environ['PATH']}"})
        log = folder / "log"
        return done, log.read_text().splitlines() if log.exists() else []

    def test_another_apt_get_is_waited_for(self):
        """The lists are locked twice; then it installs."""
        with tempfile.TemporaryDirectory() as folder:
            done, calls = self.dev(folder, "tool", """case "$*" in
                *update*) [ "$(grep -c update $LOG)" -gt 2 ] || { echo "E: Could not get lock /lists/lock"; exit 100; } ;;
                *) grep -q update $LOG ;;
                esac""", "format", packages="lint tool\n")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("waits for it up to 5 minutes", done.stdout)
            self.assertEqual(sum(" update" in call for call in calls), 3, calls)
            self.assertIn("DPkg::Lock::Timeout=300", calls[-1])
            self.assertIn("install -y --no-install-recommends tool", calls[-1])

    def test_a_missing_package_does_not_take_the_others_with_it(self):
        with tempfile.TemporaryDirectory() as folder:
            done, calls = self.dev(folder, "one two-new broken", 'case "$*" in *broken*) exit 100 ;; esac', "format",
                                   packages="lint one\nlint two-old | two-new\nlint gone\nlint broken\n")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertTrue(calls[-1].endswith(" one two-new") and " -s " not in calls[-1], calls)
            for package in ("gone", "broken"):
                self.assertIn(f"this system has no package {package}; without it", done.stdout)
            self.assertNotIn("two-old;", done.stdout)

    def test_what_can_never_be_installed_needs_no_root(self):
        with tempfile.TemporaryDirectory() as folder:
            done, calls = self.dev(folder, "", "exit 100", "format", packages="lint gone\n")
            self.assertEqual((done.returncode, calls), (0, []), done.stdout + done.stderr)
            self.assertIn("no package gone", done.stdout)


class Warnings(unittest.TestCase):
    def test_they_are_errors_for_developers_alone(self):
        """A newer compiler warns of more; a user who only wants to run the program gets a build all the same."""
        presets = {one["name"]: one for one in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
        self.assertTrue(all(one.get("inherits", "base") == "base" for one in presets.values()))
        said = {name: one["cacheVariables"].get("DROVER_WERROR", "OFF") for name, one in presets.items()}
        self.assertEqual({name for name, value in said.items() if value == "ON"}, {"asan", "tsan", "clang", "fuzz"})
        self.assertRegex((ROOT / "CMakeLists.txt").read_text(), r"option\(DROVER_WERROR .* OFF\)")
        self.assertIn("-DDROVER_WERROR=OFF", (ROOT / "debian/rules").read_text())
        tops = ("common", "server", "clients", "viewer", "web", "packaging", "tests", "cmake")
        files = [ROOT / "CMakeLists.txt", *(path for top in tops for pattern in ("CMakeLists.txt", "*.cmake") for path in (ROOT / top).rglob(pattern))]
        written = [path for path in files if "-Werror" in path.read_text()]
        self.assertEqual(written, [ROOT / "cmake/DroverOptions.cmake"])


class Help(unittest.TestCase):
    def test_every_command_has_it_before_anything_is_installed(self):
        listed = {line.split()[0] for line in run(ROOT / "dev", "help").stdout.splitlines() if re.match(r"  [a-z]", line)}
        taken = set(re.findall(r"^([a-z|\s]+)\) *(?:[a-z_]+ \"\$@\" ;;)?$", (ROOT / "dev").read_text().split("\ncommand=")[1], re.M))
        self.assertEqual(listed, {name for words in taken for name in words.replace("|", " ").split()})
        for command in sorted(listed):
            for words in ((command, "--help"), ("help", command), (command, "-h", "x")):
                with self.subTest(words=words), tempfile.TemporaryDirectory() as folder:
                    shutil.copy(ROOT / "dev", folder)  # without packages.txt and sources it can do nothing else
                    done = run(f"{folder}/dev", *words)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertIn(f"\n  {command} ", done.stdout)
                    self.assertEqual(os.listdir(folder), ["dev"])

    def test_what_is_not_known_is_refused_before_anything_is_installed(self):
        for words in ("nonsense", "help nonsense", "demo --nonsense", "demo nonsense", "demo seek flock", "cluster x flock", "cluster 2 nonsense",
                      "test --nonsense", "test nonsense", "test --part 3/2", "test --part 1/2", "test --cut", "test --slow --part 3/2", "test --slow --part 0/2", "build x", "wasm x", "web x", "package --x", "lint x",
                      "format x", "bench nonsense", "fuzz x", "fuzz 1 2", "soak x", "soak --hours", "soak --hours x", "clean x", "help build x"):
            with self.subTest(words=words), tempfile.TemporaryDirectory() as folder:
                shutil.copy(ROOT / "dev", folder)
                (pathlib.Path(folder) / "scenarios").symlink_to(ROOT / "scenarios")
                done = run(f"{folder}/dev", *words.split())
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("dev: ", done.stderr)
                self.assertEqual(sorted(os.listdir(folder)), ["dev", "scenarios"])


if __name__ == "__main__":
    unittest.main()
