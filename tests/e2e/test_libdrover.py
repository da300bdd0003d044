"""libdrover as its users have it: installed, found by pkg-config and CMake, and with a server that comes and goes.

DROVER_BUILD: the build whose libdrover is installed; DROVER_SANITIZE: the sanitizers that it was built with, or nothing.
"""

import contextlib
import os
import random
import re
import socket
import subprocess
import threading
import time
import unittest

from drover_client import PATIENCE_S, ROOT, Case, Server
from staging import Staged, blocks, run

SANITIZE = [f"-fsanitize={os.environ['DROVER_SANITIZE']}"] if os.environ.get("DROVER_SANITIZE") else []
CALLER = os.environ["DROVER_CALLER"]
HEADER = ROOT / "clients/c/include/drover/drover.h"
IS_SLOW = bool(os.environ.get("DROVER_SLOW"))
PAGE = "docs/libdrover.md"


class InstalledTest(Case):
    @classmethod
    def setUpClass(cls):
        cls.staged = Staged(os.environ["DROVER_BUILD"], "libdrover.so.0", "libdrover", "libdrover-dev")

    @classmethod
    def tearDownClass(cls):
        cls.staged.close()

    def compiled(self, number):
        """The program of a block of the documentation."""
        source, program = self.staged.scratch / f"program_{number}.c", self.staged.scratch / f"program_{number}"
        source.write_text(blocks(PAGE, "c")[number], encoding="utf-8")
        run("cc", "-std=c17", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", *SANITIZE, source,
            *self.staged.flags("drover"), "-o", program)
        return program

    def test_the_first_program_of_the_documentation(self):
        program = self.compiled(0)
        with Server("hunters_and_prey") as server, server.connect() as client:
            self.assert_reply(client.request("speed", factor=20), "speed")
            said = run(program, f"127.0.0.1:{server.port}", env=self.staged.environment)
            params = client.request("get_params", kind="prey", param="max_speed")
        self.assertRegex(said, r"(?m)^ *\d+\.\d\d s: \d+ agents around \d+\.\d, \d+\.\d \(\d+ frames missed\)$")
        self.assertGreater(float(said.strip().splitlines()[-1].split()[0]), 59.9)
        self.assertEqual(next(p["value"] for p in params["params"] if p["param"] == "max_speed"), 40)

    def test_a_foreign_loop(self):
        program = self.compiled(1)
        with Server("seek") as server:
            said = run(program, f"127.0.0.1:{server.port}", env=self.staged.environment)
        self.assertRegex(said, r"^\d+ frames, ping \d+\.\d ms\n$")

    def test_a_program_without_a_server_waits(self):
        with socket.socket() as reserved:  # nothing listens there
            reserved.bind(("127.0.0.1", 0))
            with subprocess.Popen([self.compiled(1), f"127.0.0.1:{reserved.getsockname()[1]}"], env=self.staged.environment) as process:
                try:
                    with self.assertRaises(subprocess.TimeoutExpired):
                        process.wait(1)
                finally:
                    process.kill()

    def test_cmake_finds_it(self):
        project = self.staged.scratch / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(blocks(PAGE, "cmake")[0], encoding="utf-8")
        (project / "middle.c").write_text(blocks(PAGE, "c")[0], encoding="utf-8")
        run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.staged.prefix}", f"-DCMAKE_C_FLAGS={' '.join(SANITIZE)}")
        run("cmake", "--build", project / "build")
        self.assertIn("libdrover.so.0", run("ldd", project / "build/middle"))

    def test_c_and_cpp_take_the_header(self):
        flags = run("pkg-config", "--cflags", "drover", env=self.staged.environment).split()
        text = "#include <drover/drover.h>\nint main(void) { struct drover_options options = DROVER_OPTIONS; return options.timeout_ms; }\n"
        for command in (["cc", "-std=c99", "-x", "c"], ["c++", "-std=c++11", "-x", "c++"]):
            run(*command, "-Wall", "-Wextra", "-Wpedantic", "-Werror", *flags, "-fsyntax-only", "-", input=text)

    def test_versions_agree(self):
        version = run("pkg-config", "--modversion", "drover", env=self.staged.environment).strip()
        text = HEADER.read_text(encoding="utf-8")
        parts = [re.search(rf"DROVER_VERSION_{part}\s+(\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH")]
        self.assertEqual(version, ".".join(parts))

    def test_nothing_knows_where_it_was_built(self):
        for file in self.staged.prefix.rglob("*"):
            if file.suffix in (".pc", ".cmake"):
                self.assertNotIn(os.fsencode(ROOT), file.read_bytes(), file)


class Door:
    """A port in front of a server that comes and goes. lines: what every connection sent, whole or not."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.target, self.connections = self.listener.getsockname()[1], None, []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.target), PATIENCE_S)
            except (OSError, TypeError):
                client.close()
                continue
            sent = bytearray()
            self.connections.append(sent)
            threading.Thread(target=self._carry, args=(client, server, sent), daemon=True).start()
            threading.Thread(target=self._carry, args=(server, client, bytearray()), daemon=True).start()

    @staticmethod
    def _carry(source, sink, kept):
        try:
            while data := source.recv(65536):
                kept += data
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        source.close()

    def close(self):
        self.listener.close()


class RestartTest(Case):
    def outcomes(self, door, requests, kills):
        """Kills and restarts the server while the caller asks. -> (NUMBER -> outcomes, last line)"""
        chance = random.Random(17)
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(Server("seek").doomed())
            door.target = server.port
            caller = stack.enter_context(subprocess.Popen([CALLER, f"127.0.0.1:{door.port}", str(requests)], stdout=subprocess.PIPE, text=True))
            for _ in range(kills):
                time.sleep(chance.uniform(0.05, 0.4))
                server.kill()
                time.sleep(chance.uniform(0.0, 0.2))
                server = stack.enter_context(Server("seek").doomed())
                door.target = server.port
            said, _ = caller.communicate(timeout=8 * PATIENCE_S)
            self.assertEqual(caller.returncode, 0)
        found = {}
        for line in said.splitlines()[:-1]:
            found.setdefault(int(line.split()[0]), []).append(line.split()[1])
        return found, said.splitlines()[-1]

    def test_no_request_is_repeated(self):
        requests, kills, door = (6000, 40, Door()) if IS_SLOW else (700, 5, Door())
        try:
            found, last = self.outcomes(door, requests, kills)
        finally:
            door.close()
        sent = [line for connection in door.connections for line in bytes(connection).split(b"\n")]
        times = {}
        for line in sent:
            if match := re.match(rb'{"op":"set_target","id":(\d+),', line):
                times[int(match[1])] = times.get(int(match[1]), 0) + 1
        self.assertEqual(sorted(found), list(range(requests)))
        for number, outcomes in found.items():
            self.assertEqual(len(outcomes), 1, f"request {number}")
            self.assertIn(times.get(number, 0), {"reply": [1], "unsent": [0]}.get(outcomes[0], [0, 1]), f"request {number}: {outcomes}")
            self.assertIn(outcomes[0], ("reply", "lost", "unsent", "timeout"))
        self.assertGreater(sum(outcomes == ["reply"] for outcomes in found.values()), requests // 2)
        self.assertGreater(len(door.connections), 1)
        self.assertTrue(all(b'"id":"~renew"' in connection for connection in door.connections[1:] if b"set_target" in connection))
        print(f"{requests} requests, {len(door.connections)} connections, {last}")


if __name__ == "__main__":
    unittest.main()
