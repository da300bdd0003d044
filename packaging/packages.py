#!/usr/bin/env python3
"""Debian packages of this tree, in build/packages.

usage: packages.py build     builds them from a copy of the tree, and looks through them with lintian: an error of its is one of ours
       packages.py again     builds them once more, elsewhere and in another environment, and compares: they are the same to the byte;
                             as a slow test only with DROVER_FULL=1 in the environment
       packages.py try       installs, uses, upgrades and removes them in an empty system (debootstrap), with the tests of debian/tests;
                             ends with 77 and a line where that cannot be done: not root, no mirror

Each needs what the one before it left.
"""

import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys

from empty_system import ROOT, System, copy_tree, skip

OUT = ROOT / "build/packages"
KEPT = ("HOME", "CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER", "CCACHE_DIR", "CCACHE_BASEDIR", "CCACHE_NOHASHDIR")


def run(*command, log=None, **options):
    """Runs it; its output goes to a log, whose end is shown when it fails."""
    command = [str(word) for word in command]
    if log is None:
        subprocess.run(command, check=True, **options)
        return
    with open(log, "w", encoding="utf-8") as output:
        code = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False, **options).returncode
    if code != 0:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        sys.exit("\n".join([*(line[:300] for line in lines[-30:]), f"{' '.join(command[:4])} ended with {code}; all of it: {log}"]))


def packages(folder):
    return sorted(folder.glob("*.deb"))


# --- building

def copy_sources(to):
    """The tree, and the source of cJSON if it was fetched: the page needs it."""
    copy_tree(to)
    if (ROOT / "build/sources/cjson").exists():
        shutil.copytree(ROOT / "build/sources/cjson", to / "build/sources/cjson")


def build(work, out, **environment):
    """Builds in the folder work, and moves what comes of it to out."""
    shutil.rmtree(work, ignore_errors=True)
    tree = work / "drover"
    tree.mkdir(parents=True)
    copy_sources(tree)
    own = {name: os.environ[name] for name in KEPT if name in os.environ}
    own.update({"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEB_BUILD_OPTIONS": "parallel=2", **environment})
    print(f"building in {tree} (the log is {work}.log)", flush=True)
    run("dpkg-buildpackage", "-b", "-us", "-uc", "-d", cwd=tree, env=own, log=pathlib.Path(f"{work}.log"))
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for path in work.glob("drover_*"):
        shutil.move(path, out)
    for path in packages(work):
        shutil.move(path, out)
    shutil.rmtree(work)


def look_through():
    """lintian's errors are ours; its warnings are shown."""
    changes = next(OUT.glob("*.changes"))
    done = subprocess.run(["lintian", "--no-cfg", "--allow-root", "--fail-on", "error", changes], capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr, end="")
    if done.returncode != 0:
        sys.exit("lintian found errors")


def build_first():
    build(ROOT / "build/package-work", OUT)
    for path in packages(OUT):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} KB")
    look_through()


def build_again():
    """Another path, another time zone, another language, another umask."""
    again = ROOT / "build/packages-again"
    mask = os.umask(0o027)
    try:
        build(ROOT / "build/package work of a longer name".replace(" ", "-"), again, TZ="Pacific/Auckland", LC_ALL="de_DE.UTF-8",
              DEB_BUILD_OPTIONS="parallel=1")
    finally:
        os.umask(mask)
    first, second = packages(OUT), packages(again)
    if [path.name for path in first] != [path.name for path in second] or not first:
        sys.exit(f"there are other packages: {first}, {second}")
    differing = [a.name for a, b in zip(first, second) if not filecmp.cmp(a, b, shallow=False)]
    if differing:
        sys.exit(f"built again they differ: {', '.join(differing)}; diffoscope {OUT} {again} says where")
    print(f"{len(first)} packages, built twice in different paths: equal to the byte")
    shutil.rmtree(again)


# --- trying

class Tried(System):
    """The system in which packages are tried."""

    def apt(self, *words):
        print(f"  apt-get {' '.join(str(word) for word in words)[:100]}", flush=True)
        done = self.run("apt-get", "-q", "-y", "--no-install-recommends", *words, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(f"{done.stdout[-3000:]}apt-get ended with {done.returncode}")

    def files(self):
        """All that is there but for what packages of Debian leave behind in caches and logs."""
        quiet = re.compile(r"(proc|sys|dev|tmp|run|root|var/(cache|log|lib/(apt|dpkg|systemd|ucf|pam))|etc/ld\.so\.cache|"
                           r"usr/share/(mime|icons/hicolor/icon-theme\.cache))(/|$)")
        found = set()
        for folder, folders, names in os.walk(self.root):
            place = os.path.relpath(folder, self.root)
            paths = {name: os.path.normpath(f"{place}/{name}") for name in folders + names}
            folders[:] = [name for name in folders if not quiet.match(paths[name])]
            found |= {path for path in paths.values() if not quiet.match(path)}
        return found


def tests_of(names):
    """The tests of debian/tests whose packages are here, with what else they need of Debian."""
    for block in (ROOT / "debian/tests/control").read_text(encoding="utf-8").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.strip().splitlines())
        needed = fields["Depends"].split(", ")
        own = [name for name in needed if "drover" in name]
        if set(own) <= names:
            yield fields["Tests"], [name for name in needed if name not in own]


def try_all():
    debs = packages(OUT)
    if not debs:
        sys.exit(f"there is no package in {OUT}: packages.py build makes them")
    with Tried("bookworm", ROOT / "build/package-try") as system:
        use(system, debs)


def use(system, debs):
    if system.run("apt-get", "-q", "-o", "APT::Update::Error-Mode=any", "update", check=False, stdout=subprocess.DEVNULL,
                  stderr=subprocess.DEVNULL).returncode != 0:
        skip("the lists of packages cannot be fetched")
    names = {path.name.split("_")[0] for path in debs}
    tests = list(tests_of(names))
    # What the packages need, and the tests: so that afterwards only ours come and go.
    (system.root / "debs").mkdir()
    local = []
    for path in debs:
        if "dbgsym" not in path.name:
            shutil.copy(path, system.root / "debs")
            local.append(f"/debs/{path.name}")
    system.apt("install", *local, *{name for _, needed in tests for name in needed})
    system.apt("remove", "--purge", *names_of(local))
    before = system.files()
    system.apt("install", *make_older(system, local))
    (system.root / "var/lib/drover/world").mkdir(parents=True)
    state = system.root / "var/lib/drover/world/scenario"
    state.write_text("boids\n", encoding="utf-8")
    system.apt("install", *local)
    for name, _ in tests:
        test = system.root / "debs/test"
        shutil.copy(ROOT / "debian/tests" / name, test)
        test.chmod(0o755)
        done = system.run("/debs/test", check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}debian/tests/{name} ended with {done.returncode}")
        print(f"  debian/tests/{name}: passed", flush=True)
    system.apt("remove", *names_of(local))
    left = {path for path in system.files() - before if not path.startswith("debs/")}
    expected = {"var/lib/drover", "var/lib/drover/world", "var/lib/drover/world/scenario"}
    if left != expected:
        sys.exit(f"removal leaves {sorted(left - expected)}, and not {sorted(expected - left)}")
    system.run("dpkg", "--purge", *names_of(local), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not state.exists():
        sys.exit("the state did not survive")
    print(f"{len(local)} packages were installed, used, upgraded and removed; what is left is the state")


def make_older(system, local):
    """The same packages with an older version, to be upgraded."""
    older = []
    for path in local:
        unpacked, made = system.root / "debs/unpacked", path.replace("/debs/", "/debs/older-")
        run("dpkg-deb", "-R", f"{system.root}{path}", unpacked)
        control = unpacked / "DEBIAN/control"
        text = control.read_text(encoding="utf-8")
        version = re.search(r"^Version: (.*)$", text, re.MULTILINE)[1]
        control.write_text(re.sub(rf"(^Version: |\(= ){re.escape(version)}", rf"\g<1>{version}~", text, flags=re.MULTILINE), encoding="utf-8")
        run("dpkg-deb", "-b", "-Znone", unpacked, f"{system.root}{made}", log=ROOT / "build/dpkg-deb.log")
        shutil.rmtree(unpacked)
        older.append(made)
    return older


def names_of(local):
    return [pathlib.Path(path).name.split("_")[0] for path in local]


def main():
    jobs = {"build": build_first, "again": build_again, "try": try_all}
    if sys.argv[1:] == ["again"] and "DROVER_SLOW" in os.environ and os.environ.get("DROVER_FULL") != "1":
        skip("a second build of all packages; ./dev test --slow has it")
    if len(sys.argv) < 2 or not set(sys.argv[1:]) <= set(jobs):
        sys.exit(__doc__)
    os.chdir(ROOT)
    for name in sys.argv[1:]:
        jobs[name]()


if __name__ == "__main__":
    main()
