#!/usr/bin/env python3
"""Debian packages of this tree, in build/packages.

usage: packages.py build     builds them from a copy of the tree, and looks through them with lintian: an error of its is one of ours
       packages.py again     builds them once more, elsewhere and in another environment, and compares: they are the same to the byte;
                             as a slow test only with DROVER_FULL=1 in the environment
       packages.py try       installs, uses, upgrades and removes them in an empty system (debootstrap), with the tests of debian/tests;
                             ends with 77 and a line where that cannot be done: not root, no mirror

Each needs what the one before it left.
"""

import contextlib
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
OUT = ROOT / "build/packages"
BASE = ROOT / "build/debootstrap"  # an empty system, kept from one try to the next
SUITE, MIRROR = "bookworm", os.environ.get("DROVER_MIRROR", "http://deb.debian.org/debian")
SKIPPED = 77
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

def copy_tree(to):
    """The files of the tree, and the source of cJSON if it was fetched: the page needs it."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
                                check=True).stdout.decode().split("\0")
        names = [name for name in listed if name and (ROOT / name).is_file()]
    else:
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file() and path.parts[len(ROOT.parts)] != "build"]
    for path in (ROOT / "build/sources/cjson").glob("*"):
        names.append(str(path.relative_to(ROOT)))
    for name in names:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, to / name, follow_symlinks=False)


def build(work, out, **environment):
    """Builds in the folder work, and moves what comes of it to out."""
    shutil.rmtree(work, ignore_errors=True)
    tree = work / "drover"
    tree.mkdir(parents=True)
    copy_tree(tree)
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

def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(SKIPPED)


def make_base():
    if (BASE / "done").exists():
        return
    shutil.rmtree(BASE, ignore_errors=True)
    BASE.mkdir(parents=True)
    log, is_made = ROOT / "build/debootstrap.log", False
    with open(log, "w", encoding="utf-8") as output, contextlib.suppress(subprocess.TimeoutExpired):
        done = subprocess.run(["debootstrap", "--variant=minbase", SUITE, BASE / "root", MIRROR], stdout=output, stderr=subprocess.STDOUT,
                              check=False, timeout=900)
        is_made = done.returncode == 0
    if not is_made:
        shutil.rmtree(BASE)
        skip(f"debootstrap could not make an empty system of {MIRROR} ({log})")
    (BASE / "done").touch()


class System:
    """A system in a folder, an own copy of the empty one."""

    def __init__(self, root):
        self.root = root
        shutil.rmtree(root, ignore_errors=True)
        run("cp", "-a", BASE / "root", root)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        for path in pathlib.Path("/etc/apt/apt.conf.d").glob("*prox*"):
            shutil.copy(path, root / "etc/apt/apt.conf.d")
        (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
        (root / "usr/sbin/policy-rc.d").chmod(0o755)

    def __enter__(self):
        subprocess.run(["mount", "-t", "proc", "proc", self.root / "proc"], check=False)
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", self.root / "proc"], check=False)
        shutil.rmtree(self.root)

    def run(self, *command, **options):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        environment.update({name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")})
        return subprocess.run(["chroot", self.root, *map(str, command)], env=environment, timeout=900, text=True, **{"check": True, **options})

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
    if os.geteuid() != 0:
        skip("an empty system is made by root alone")
    if not shutil.which("debootstrap"):
        skip("debootstrap is not installed")
    make_base()
    with System(ROOT / "build/package-try") as system:
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
