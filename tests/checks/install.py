#!/usr/bin/env python3
"""Installs an optimized build, moves it, and uses it without the source tree.

No file may be missing, no program may contain a path of the tree it was built in, and scenarios are found in the order that
--help prints.

usage: install.py SOURCE_DIR BUILD_DIR      BUILD_DIR: that of server_only.py, which has everything but the viewer
"""

import json
import os
import pathlib
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
            "include/drover/drover.h", "share/drover/protocol.schema.json", "share/doc/drover/README.md", "share/doc/drover/protocol.md",
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
    run("cmake", "--fresh", "--preset", "server-only", "-S", SOURCE, "-B", BUILD, "-DDROVER_VIEWER=ON", "-DDROVER_BENCH=OFF", "-DDROVER_WEB=OFF",
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
    for program in (prefix / "bin").iterdir():
        content = program.read_bytes()
        at = content.find(os.fsencode(SOURCE))
        check(at < 0, f"{program.name} knows where it was built: {content[max(at, 0):at + 100]!r}")


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

        (scratch / "bin").mkdir()
        alone = shutil.copy(server, scratch / "bin/drover-server")
        said = run(alone, "--port", "0", code=2, env=elsewhere, cwd="/", timeout=PATIENCE_S)
        for place in (scratch / "empty/drover/scenarios", scratch / "bin/../share/drover/scenarios", "/usr/local/share/drover/scenarios",
                      "/usr/share/drover/scenarios", "--scenarios"):
            check(str(place) in said, f"a program without scenarios does not say that it looked in {place}: {said}")
        print(f"installed, moved and run: {len(all_names)} scenarios, {len(EXPECTED)} other files")


if __name__ == "__main__":
    main()
