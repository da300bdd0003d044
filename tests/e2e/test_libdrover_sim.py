"""libdrover-sim as its users have it: installed, found by pkg-config and CMake, in the programs of its page and the game.

DROVER_BUILD: the build whose library is installed; DROVER_SANITIZE: the sanitizers that it was built with, or nothing.
"""

import os
import re
import unittest

from drover_client import ROOT, Case, Server
from staging import Staged, blocks, run

SANITIZE = [f"-fsanitize={os.environ['DROVER_SANITIZE']}"] if os.environ.get("DROVER_SANITIZE") else []
HEADER = ROOT / "server/embed/include/drover/sim.h"
PAGE = "docs/libdrover-sim.md"


class InstalledTest(Case):
    @classmethod
    def setUpClass(cls):
        cls.staged = Staged(os.environ["DROVER_BUILD"], "libdrover-sim.so.0", "libdrover-sim", "libdrover-sim-dev")

    @classmethod
    def tearDownClass(cls):
        cls.staged.close()

    def compiled(self, source, *modules):
        program = self.staged.scratch / source.stem
        run("cc", "-std=c17", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", *SANITIZE, source,
            *self.staged.flags("drover-sim", *modules), "-lm", "-o", program)
        return program

    def program_of_the_page(self, name):
        source = self.staged.scratch / f"{name}.c"
        source.write_text(blocks(PAGE, "c")[0], encoding="utf-8")
        return source

    def test_the_program_of_the_page_has_the_hash_of_a_server(self):
        said = run(self.compiled(self.program_of_the_page("flee")), ROOT / "scenarios/seek.json", env=self.staged.environment)
        with Server("--paused", "seek") as server, server.connect() as client:
            self.assert_reply(client.request("set_target", name="mouse", x=100, y=50), "set_target")
            step = client.request("step", count=60)
        self.assertRegex(said, r"(?m)^agent 1 \(seeker\) at \d+\.\d, \d+\.\d$")
        self.assertEqual(said.splitlines()[-1], f"tick 60, hash {step['hash']}")

    def test_the_game(self):
        game = self.compiled(ROOT / "examples/escape/escape.c", "sdl2")
        environment = {**self.staged.environment, "SDL_VIDEODRIVER": "dummy", "ASAN_OPTIONS": "detect_leaks=0"}
        first, second = (run(game, ROOT / "examples/escape/escape.json", 400, env=environment) for _ in range(2))
        self.assertEqual(first, second)
        self.assertRegex(first, r"^tick \d+, hash [0-9a-f]{16}\n$")
        self.assertLessEqual(len((ROOT / "examples/escape/escape.c").read_text(encoding="utf-8").splitlines()), 100)

    def test_cmake_finds_it(self):
        project = self.staged.scratch / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(blocks(PAGE, "cmake")[0], encoding="utf-8")
        self.program_of_the_page("first").rename(project / "first.c")
        run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.staged.prefix}", f"-DCMAKE_C_FLAGS={' '.join(SANITIZE)}")
        run("cmake", "--build", project / "build")
        self.assertIn("libdrover-sim.so.0", run("ldd", project / "build/first"))

    def test_c_and_cpp_take_the_header(self):
        text = "#include <drover/sim.h>\nint main(void) { struct drover_sim_options options = DROVER_SIM_OPTIONS; return options.tick_hz != 0; }\n"
        for command in (["cc", "-std=c99", "-x", "c"], ["c++", "-std=c++11", "-x", "c++"]):
            run(*command, "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{HEADER.parents[1]}", "-fsyntax-only", "-", input=text)

    def test_versions_agree(self):
        version = run("pkg-config", "--modversion", "drover-sim", env=self.staged.environment).strip()
        text = HEADER.read_text(encoding="utf-8")
        parts = [re.search(rf"DROVER_SIM_VERSION_{part}\s+(\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH")]
        self.assertEqual(version, ".".join(parts))

    def test_nothing_knows_where_it_was_built(self):
        for file in self.staged.prefix.rglob("*"):
            if file.suffix in (".pc", ".cmake"):
                self.assertNotIn(os.fsencode(ROOT), file.read_bytes(), file)


if __name__ == "__main__":
    unittest.main()
