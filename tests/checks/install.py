#!/usr/bin/env python3
"""Installs an optimized build, moves it, and uses it without the source tree.

No file may be missing, no document may have a link to a file that is not there, no program may contain a path of the tree it was built in, and scenarios are found in the order that
--help prints.

usage: install.py SOURCE_DIR BUILD_DIR      BUILD_DIR: that of server_only.py, which has everything but the viewer
"""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

SOURCE, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
PATIENCE_S = 60
EXPECTED = ["bin/drover", "bin/drover-server", "bin/drover-viewer", "share/man/man1/drover.1", "share/man/man1/drover-server.1", "share/man/man1/drover-viewer.1",
            "lib/systemd/system/drover.service", "lib/systemd/system/drover@.service", "share/applications/org.drover.Viewer.desktop",
            "share/icons/hicolor/scalable/apps/org.drover.Viewer.svg", "share/metainfo/org.drover.Viewer.metainfo.xml",
            "share/bash-completion/completions/drover", "share/zsh/site-functions/_drover", "share/fish/vendor_completions.d/drover.fish",
            "include/drover/drover.h", "share/drover/protocol.schema.json", "share/drover/scenario.schema.json", "share/doc/drover/README.md", "share/doc/drover/protocol.md",
            "share/doc/drover/LICENSE", "share/doc/drover/CHANGELOG.md", "share/doc/drover/docs/scenarios.md",
            "share/doc/drover/docs/licenses.md", "share/doc/drover/docs/images/seek.png"]


def run(*command, code=0, **options):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if result.returncode != code:
        sys.exit(f"{' '.join(map(str, command))}\nended with {result.returncode}, not {code}:\n{result.stdout}")
    return result.stdout


def check(is_right, what):
    if not is_right:
        sys.exit(what)


def install(scratch):
    """The prefix, moved away from where it was installed."""
    run("cmake", "--fresh", "--preset", "server-only", "-S", SOURCE, "-B", BUILD, "-DDROVER_VIEWER=ON", "-DDROVER_BENCH=OFF", "-DDROVER_WEB=OFF", "-DDROVER_STATIC=ON",
        cwd=SOURCE)
    run("cmake", "--build", BUILD, "-j", "2")
    run("cmake", "--install", BUILD, "--prefix", "/usr", env={**os.environ, "DESTDIR": str(scratch / "staged")})
    shutil.move(scratch / "staged/usr", scratch / "moved")
    return scratch / "moved"


def check_files(prefix):
    scenarios = [f"share/drover/scenarios/{path.name}" for path in (SOURCE / "scenarios").glob("*.json")]
    check(list(prefix.glob("lib/**/libdrover.so.0")) and list(prefix.glob("lib/**/pkgconfig/drover.pc")), "libdrover is not installed")
    missing = [name for name in EXPECTED + scenarios if not (prefix / name).is_file()]
    check(not missing, f"not installed: {missing}")
    check_links(prefix / "share/doc/drover")
    unit = (prefix / "lib/systemd/system/drover.service").read_text(encoding="utf-8")
    check("\nExecStart=/usr/bin/drover-server " in unit, f"the unit starts another program than the one that is installed:\n{unit}")
    for program in (prefix / "bin").iterdir():
        content = program.read_bytes()
        at = content.find(os.fsencode(SOURCE))
        check(at < 0, f"{program.name} knows where it was built: {content[max(at, 0):at + 100]!r}")


def check_links(documents):
    """Every relative link of a document leads to a file that is installed beside it."""
    links = [(page, target) for page in documents.rglob("*.md")
             for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")) if not re.match(r"[a-z]+:", target)]
    broken = sorted({f"{page.relative_to(documents)}: {target}" for page, target in links if not (page.parent / target).exists()})
    check(len(links) > 100, f"only {len(links)} links were found")
    check(not broken, "links of installed documents that lead nowhere: " + ", ".join(broken))


class Running:
    """The installed server for a while, in an environment of its own."""

    def __init__(self, program, environment, *arguments):
        self.process = subprocess.Popen([program, "--port", "0", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, env=environment, cwd="/")
        line = self.process.stdout.readline().split()
        self.address = line[-1] if line else None

    def __enter__(self):
        check(self.address, f"the server did not start: it ended with {self.process.poll()}")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        self.process.stdout.close()

    def names(self):
        """The reply to `list`."""
        host, port = self.address.split(":")
        with socket.create_connection((host, int(port)), PATIENCE_S) as connection:
            lines = connection.makefile("r", encoding="utf-8")
            connection.sendall(b'{"op":"list","id":1}\n')
            return sorted(row["name"] for row in next(m for m in map(json.loads, lines) if m.get("id") == 1)["scenarios"])


def check_static(scratch, prefix):
    """A program that is linked with libdrover-sim.a has the tick that the library's page promises, and needs no libdrover-sim.so."""
    source, program = scratch / "embeds.c", scratch / "embeds"
    page = (SOURCE / "docs/libdrover-sim.md").read_text(encoding="utf-8")
    source.write_text(re.search(r"```c\n(.*?)```", page, re.DOTALL)[1], encoding="utf-8")
    package, = prefix.glob("lib/**/pkgconfig/drover-sim.pc")
    flags = run("pkg-config", "--static", "--cflags", "--libs", "drover-sim", env={**os.environ, "PKG_CONFIG_PATH": str(package.parent)})
    run("cc", "-o", program, source, *flags.replace("-ldrover-sim", "-l:libdrover-sim.a").split())
    project = scratch / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(embeds C)\nfind_package(DroverSim REQUIRED)\n"
        "add_executable(embeds ../embeds.c)\ntarget_link_libraries(embeds Drover::sim_static)\n", encoding="utf-8")
    run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", project / "build")
    for built in (program, project / "build/embeds"):
        check("libdrover-sim" not in run("ldd", built), f"{built}, which is linked statically, needs the shared library")
        said = run(built, SOURCE / "scenarios/seek.json")
        check(re.search(r"^tick 60, hash [0-9a-f]{16}$", said, re.MULTILINE), f"{built}, which is linked statically, prints {said}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        prefix = install(scratch)
        check_files(prefix)
        home = scratch / "home"
        home.mkdir()
        environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
        server, all_names = prefix / "bin/drover-server", sorted(path.stem for path in (SOURCE / "scenarios").glob("*.json"))

        with Running(server, environment, "flock") as running:
            check(running.names() == all_names, f"list has {running.names()}")
            picture = scratch / "picture.png"
            run(prefix / "bin/drover-viewer", running.address, "--headless", "--frames", "5", "--screenshot", picture,
                env=environment, cwd="/", timeout=PATIENCE_S)
            check(picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 5000, "the viewer takes no picture")

        own = home / ".local/share/drover/scenarios"
        own.mkdir(parents=True)
        shutil.copy(SOURCE / "scenarios/seek.json", own / "mine.json")
        with Running(server, environment, "mine") as running:
            check(running.names() == ["mine"], f"the folder in the home directory is not the first: {running.names()}")
        elsewhere = {**environment, "XDG_DATA_HOME": str(scratch / "empty")}
        with Running(server, elsewhere) as running:
            check(running.names() == all_names, "XDG_DATA_HOME does not win over the home directory")
        said = run(server, "--help", env=environment)
        check(f"Now that is {own}" in said, f"--help does not say which folder it is:\n{said}")

        check_static(scratch, prefix)
        (scratch / "bin").mkdir()
        alone = shutil.copy(server, scratch / "bin/drover-server")
        said = run(alone, "--port", "0", code=2, env=elsewhere, cwd="/", timeout=PATIENCE_S)
        for place in (scratch / "empty/drover/scenarios", scratch / "bin/../share/drover/scenarios", "/usr/local/share/drover/scenarios",
                      "/usr/share/drover/scenarios", "--scenarios"):
            check(str(place) in said, f"a program without scenarios does not say that it looked in {place}: {said}")
        print(f"installed, moved and run: {len(all_names)} scenarios, {len(EXPECTED)} other files")


if __name__ == "__main__":
    main()
