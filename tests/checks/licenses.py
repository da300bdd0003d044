#!/usr/bin/env python3
"""Who owns what: every file of the tree is under the license that REUSE.toml names, none says otherwise, and every library that a program is
linked with stands in docs/licenses.md.

usage: licenses.py PROGRAM...
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = "2026 The Drover authors"
SPEAKS_OF_LICENSES = {"LICENSE", "LICENSES/MIT.txt", "REUSE.toml", "debian/copyright", "docs/licenses.md", "tests/checks/licenses.py"}
# A notice of another owner or license, as files have it at their head.
FOREIGN = re.compile(r"SPDX-License-Identifier|Copyright \(c\)|\(C\) (19|20)\d\d|All rights reserved|GNU (Lesser )?General Public License", re.I)
HEAD_BYTES = 2000
SANITIZERS = re.compile(r"lib(asan|ubsan|tsan)\.so")
TREES = ("common", "server", "clients", "viewer", "web", "tests", "cmake", "docs", "packaging", "scenarios", "debian")


def texts():
    for path in [*ROOT.glob("*"), *(path for tree in TREES for path in (ROOT / tree).rglob("*"))]:
        if path.is_file() and path.suffix not in {".png", ".gif", ".pyc", ".zst"}:
            yield str(path.relative_to(ROOT)), path.read_bytes()[:HEAD_BYTES].decode("utf-8", "replace")


def check_tree():
    wrong = []
    reuse, text = (ROOT / "REUSE.toml").read_text(), (ROOT / "LICENSE").read_text()
    if 'path = "**"' not in reuse or f'"{OWN}"' not in reuse or '"MIT"' not in reuse:
        wrong.append("REUSE.toml does not put every file under the MIT license")
    if (ROOT / "LICENSES/MIT.txt").read_text() != text or OWN not in text:
        wrong.append("LICENSES/MIT.txt is not LICENSE")
    debian = (ROOT / "debian/copyright").read_text()
    if f"Files: *\nCopyright: {OWN}\nLicense: Expat\n" not in debian:
        wrong.append("debian/copyright does not say the same of all files")
    wrong += [f"{name}: a notice of its own: {FOREIGN.search(head)[0]!r}" for name, head in texts()
              if name not in SPEAKS_OF_LICENSES and FOREIGN.search(head)]
    return wrong


def libraries_of(program):
    said = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    return {name for name in re.findall(r"\(NEEDED\).*\[(.*)\]", said) if not SANITIZERS.match(name) and not name.startswith("libdrover")}


def check_libraries(programs):
    page = (ROOT / "docs/licenses.md").read_text(encoding="utf-8")
    return [f"{pathlib.Path(program).name} is linked with {name}, and docs/licenses.md does not know it"
            for program in programs for name in sorted(libraries_of(program)) if f"`{name}`" not in page]


def main():
    wrong = check_tree() + check_libraries(sys.argv[1:])
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
