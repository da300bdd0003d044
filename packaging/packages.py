#!/usr/bin/env python3
"""Debian packages of this tree, in build/packages.

usage: packages.py build     builds the source package from a copy of the tree, of it the others, and looks through them with lintian: an error
                             of its is one of ours
       packages.py again     builds them of the source package once more, in an empty system that has what Build-Depends names and no network,
                             and compares: they are the same to the byte; as a slow test only with DROVER_FULL=1 in the environment
       packages.py try       installs, uses, upgrades and removes them in an empty system, with the tests of debian/tests

Each needs what the one before it left. again and try end with 77 and a line where there can be no empty system: not root, no debootstrap, no
mirror.
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
AGAIN = """set -e
ip link set lo up # as everywhere that packages are built
cd /build
dpkg-source -x "$1" "packages-of-another-path" >/dev/null
umask 027
cd "packages-of-another-path"
TZ=Pacific/Auckland LC_ALL=de_DE.UTF-8 DEB_BUILD_OPTIONS=parallel=3 dpkg-buildpackage -b -us -uc
"""
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


def run_for(*command, **options):
    """What it prints."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def packages(folder):
    return sorted(folder.glob("*.deb"))


# --- building

def make_tarball(path, folder, epoch):
    """The folder, as the same bytes each time."""
    run("tar", "--sort=name", f"--mtime=@{epoch}", "--owner=0", "--group=0", "--numeric-owner", "--mode=go=rX,u+rw", "-C", folder.parent, "-caf", path,
        folder.name)


def build(work, out):
    """Builds in the folder work, and moves what comes of it to out. cJSON, for the page, is a tarball of its own of the source package."""
    shutil.rmtree(work, ignore_errors=True)
    sources = ROOT / "build/sources/cjson"
    if not sources.exists():
        sys.exit("there is no source of cJSON in build/sources; ./dev package fetches it")
    latest = dict(re.findall(r"^(\w+): (.*)$", run_for("dpkg-parsechangelog", cwd=ROOT), re.MULTILINE))
    name, epoch = f"drover-{latest['Version'].rsplit('-', 1)[0]}", latest["Timestamp"]
    tree = work / name
    tree.mkdir(parents=True)
    copy_tree(tree)
    (tree / "debian").rename(work / "debian")
    make_tarball(work / f"{name.replace('-', '_')}.orig.tar.xz", tree, epoch)
    shutil.copytree(sources, tree / "cjson")
    make_tarball(work / f"{name.replace('-', '_')}.orig-cjson.tar.xz", tree / "cjson", epoch)
    (work / "debian").rename(tree / "debian")
    own = {name: os.environ[name] for name in KEPT if name in os.environ}
    own.update({"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEB_BUILD_OPTIONS": "parallel=2"})
    print(f"building in {tree} (the log is {work}.log)", flush=True)
    run("dpkg-buildpackage", "-us", "-uc", cwd=tree, env=own, log=pathlib.Path(f"{work}.log"))
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for path in [*work.glob("drover_*"), *(path for path in packages(work) if not path.name.startswith("drover_"))]:
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


# --- trying

class Tried(System):
    """The system in which packages are tried."""

    def update(self):
        if self.run("apt-get", "-q", "-o", "APT::Update::Error-Mode=any", "update", check=False, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL).returncode != 0:
            skip("the lists of packages cannot be fetched")

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
    system.update()
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


def build_again():
    """In an empty system, another path, another time zone, another language, another umask, and without a network."""
    with Tried("bookworm", ROOT / "build/package-again") as system:
        system.update()
        work = system.root / "build"
        work.mkdir()
        for path in [*OUT.glob("*.dsc"), *OUT.glob("*.tar.*")]:
            shutil.copy(path, work)
        source = next(work.glob("*.dsc")).name
        system.apt("install", "dpkg-dev", "iproute2")
        system.apt("build-dep", f"/build/{source}")
        print(f"building in {work}", flush=True)
        done = system.run("unshare", "--net", "sh", "-c", AGAIN, "sh", source, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=2400)
        if done.returncode != 0:
            sys.exit(f"{done.stdout[-3000:]}the packages cannot be built of the source package alone")
        compare(packages(OUT), packages(work))


def compare(first, second):
    if [path.name for path in first] != [path.name for path in second] or not first:
        sys.exit(f"there are other packages: {first}, {second}")
    differing = [a.name for a, b in zip(first, second) if not filecmp.cmp(a, b, shallow=False)]
    if differing:
        kept = ROOT / "build/packages-again"
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir()
        for path in second:
            shutil.copy(path, kept)
        sys.exit(f"built again they differ: {', '.join(differing)}; diffoscope {OUT} {kept} says where")
    print(f"{len(first)} packages, built again of the source package in an empty system: equal to the byte")


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
