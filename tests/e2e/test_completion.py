"""Completion of `drover` in bash, zsh and fish themselves, with a live server and without one."""

import os
import pathlib
import socket
import subprocess
import tempfile
import time
import unittest

from drover_client import ROOT, Server

TOOL = pathlib.Path(os.environ.get("DROVER_TOOL", str(ROOT / "build/asan/bin/drover")))
PATIENCE_S = 60

BASH = """source <(drover completion bash)
COMP_LINE=$LINE; COMP_POINT=${#COMP_LINE}
compopt() { :; }
_drover
printf '%s\\n' "${COMPREPLY[@]}"
"""
# The functions of zsh's own completion are replaced: they want a terminal.
ZSH = """compdef() { :; }
_describe() { local -a rows; rows=("${(@P)3}"); print -rl -- "${(@)rows%%:*}"; }
_files() { print -r -- FILES; }
source <(drover completion zsh)
words=(${(z)LINE}); [[ $LINE == *' ' ]] && words+=('')
CURRENT=${#words}
_drover
"""
FISH = "drover completion fish | source; complete -C \"$LINE\" | string replace -r '\\t.*' ''"
SHELLS = {"bash": ["bash", "--norc", "-c", BASH], "zsh": ["zsh", "-f", "-c", ZSH], "fish": ["fish", "--no-config", "-c", FISH]}


class Shells(unittest.TestCase):
    def complete(self, shell, line, port=1):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "a.drover").touch()
            ended = subprocess.run(SHELLS[shell], capture_output=True, text=True, timeout=PATIENCE_S, check=False, cwd=folder,
                                   env={**os.environ, "PATH": f"{TOOL.parent}:{os.environ['PATH']}", "LINE": line, "HOME": folder,
                                        "DROVER_SERVER": f"127.0.0.1:{port}"})
        self.assertEqual(ended.stderr, "", f"{shell}: {line}")
        return ended.stdout.split()

    def test_what_the_program_knows(self):
        for shell in SHELLS:
            with self.subTest(shell=shell):
                self.assertEqual(self.complete(shell, "drover wa"), ["watch"])
                self.assertEqual(self.complete(shell, "drover watch --rec"), ["--reconnect"])
                self.assertEqual(self.complete(shell, "drover list sa"), ["saves"])
                self.assertIn("avx2", self.complete(shell, "drover verify --simd "))

    def test_what_a_server_knows(self):
        """--timeout: a second is little for a program with sanitizers on a loaded machine."""
        with Server("seek", "--paused") as server:
            for shell in SHELLS:
                with self.subTest(shell=shell):
                    self.assertEqual(self.complete(shell, f"drover load --timeout {PATIENCE_S} boi", server.port), ["boids", "boids_target"])
                    self.assertEqual(self.complete(shell, f"drover spawn --timeout={PATIENCE_S} ", server.port), ["seeker"])
                    self.assertIn("seeker.max_speed", self.complete(shell, f"drover set --timeout {PATIENCE_S} seeker.max", server.port))
                    self.assertEqual(self.complete(shell, f"drover target --timeout {PATIENCE_S} m", server.port), ["mouse"])
                    self.assertEqual(self.complete(shell, f"drover list --server 127.0.0.1:{server.port} ki"), ["kinds"])
            self.assertEqual(self.complete("bash", f"drover spawn --server 127.0.0.1:{server.port} --timeout {PATIENCE_S} "), ["seeker"])

    def test_a_server_that_does_not_answer_is_left_alone(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            for words, least in (("", 1), ("--timeout 2 ", 2), ("--timeout 1e9 ", 1)):
                with self.subTest(words=words):
                    started = time.monotonic()
                    self.assertEqual(self.complete("bash", f"drover load {words}boi", port), [])
                    self.assertGreaterEqual(time.monotonic() - started, least)

    def test_no_server_is_no_error(self):
        self.assertEqual(self.complete("bash", "drover load "), [])

    def test_files_are_left_to_the_shell(self):
        self.assertEqual(self.complete("zsh", "drover info "), ["FILES"])
        self.assertIn("a.drover", self.complete("fish", "drover info "))


if __name__ == "__main__":
    unittest.main()
