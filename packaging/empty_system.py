"""Empty Debian systems in folders under build/, made by debootstrap, to try there what a user does who has nothing yet.

A command in one runs in namespaces of its own for mounts and processes: what it mounts and what it leaves running end with it.
"""

import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BASES = ROOT / "build/debootstrap"  # SUITE/root: a base system, and SUITE/debs: what apt-get downloads; kept from one run to the next
DEBIAN = "http://deb.debian.org/debian"
SKIPPED = 77
CERTIFICATES = "NODE_EXTRA_CA_CERTS"  # of a network that npm does not know by itself; as proxies, the system has them too
# The new root is a mount of its own, so that a process of it can make namespaces, as on a machine; /dev/shm and /tmp are its own too.
ENTER = """set -e
mount --bind "$1" "$1" && cd "$1"
mount --bind "$2" var/cache/apt/archives
mount -t proc proc proc
mount --rbind /sys sys
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
mkdir -p dev/shm && mount -t tmpfs tmpfs dev/shm
shift 2
pivot_root . . && umount -l . && cd "$1"
shift
set +e
"$@"
"""


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(SKIPPED)


def copy_tree(to):
    """The files of the tree, with changes that are not committed, but for what .gitignore names."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
                                check=True).stdout.decode().split("\0")
        names = [name for name in listed if name and (ROOT / name).is_file()]
    else:
        names = [str(path.relative_to(ROOT)) for top in ROOT.iterdir() if top.name != "build"
                 for path in [top, *top.rglob("*")] if path.is_file()]
    for name in names:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        is_changed = (to / name).is_file() and not filecmp.cmp(ROOT / name, to / name, shallow=False)
        shutil.copy2(ROOT / name, to / name, follow_symlinks=False)
        if is_changed:
            (to / name).touch()  # newer than what was built of the file before


def mirror():
    """The archive of Debian that apt has here, or DROVER_MIRROR."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in [pathlib.Path("/etc/apt/sources.list"),
                     *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*.list")),
                     *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*.sources"))] if path.exists())
    listed = re.findall(r"^(?:deb\s+(?:\[[^]]*\]\s*)?|URIs:\s*)(\S+/debian)/?\s", text, re.MULTILINE)
    return os.environ.get("DROVER_MIRROR") or (listed or [DEBIAN])[0]


def make_base(suite):
    """An empty system of this suite; without root, debootstrap or the mirror it cannot be had, and the test ends as skipped."""
    base = BASES / suite
    if os.geteuid() != 0:
        skip("an empty system is made by root alone")
    if not shutil.which("debootstrap"):
        skip("debootstrap is not installed")
    (base / "debs").mkdir(parents=True, exist_ok=True)
    if not (base / "done").exists():
        shutil.rmtree(base / "root", ignore_errors=True)
        log, is_made = ROOT / f"build/debootstrap-{suite}.log", False
        with open(log, "w", encoding="utf-8") as output:
            try:
                is_made = subprocess.run(["debootstrap", "--variant=minbase", f"--cache-dir={base}/debs", suite, base / "root", mirror()],
                                         stdout=output, stderr=subprocess.STDOUT, check=False, timeout=1200).returncode == 0
            except subprocess.TimeoutExpired:
                print("debootstrap took over 20 minutes")
        if not is_made:
            shutil.rmtree(base / "root", ignore_errors=True)
            skip(f"debootstrap could not make an empty system of {suite} from {mirror()} ({log})")
        (base / "done").touch()
    return base


class System:
    """A system in a folder, an own copy of the empty one. Leaving it removes the folder, unless it is to be kept."""

    def __init__(self, suite, root, is_kept=False):
        self.base, self.root, self.is_kept = make_base(suite), root, is_kept
        if is_kept and root.exists():
            return
        shutil.rmtree(root, ignore_errors=True)
        root.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", self.base / "root", root], check=True)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        for path in pathlib.Path("/etc/apt/apt.conf.d").glob("*prox*"):
            shutil.copy(path, root / "etc/apt/apt.conf.d")
        if CERTIFICATES in os.environ:
            shutil.copy(os.environ[CERTIFICATES], root / "etc/certificates.pem")
        (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
        (root / "usr/sbin/policy-rc.d").chmod(0o755)
        (root / "etc/apt/apt.conf.d/mirror").write_text('Acquire::Check-Valid-Until "false";\n', encoding="utf-8")  # a mirror may stand still
        (root / "etc/dpkg/dpkg.cfg.d/quick").write_text("force-unsafe-io\n", encoding="utf-8")  # it need not outlast a power cut

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.is_kept:
            shutil.rmtree(self.root)

    def command(self, *words, at="/"):
        """The words of this command, run in the system's folder `at`, and its environment."""
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
        environment.update({name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")})
        if CERTIFICATES in os.environ:
            environment[CERTIFICATES] = "/etc/certificates.pem"
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh", self.root, self.base / "debs", at,
                *map(str, words)], environment

    def run(self, *words, **options):
        command, environment = self.command(*words)
        environment.update({"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"})
        return subprocess.run(command, env=environment, text=True, **{"check": True, "timeout": 900, **options})
