"""Completion of `drover` in bash, zsh and fish themselves, with a live server and without one."""

import os
import pathlib
import subprocess
import tempfile
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

    def complete_of_server(self, shell, line, expected, port=1):
        """The server is given a second, in which a loaded machine may have other things to do."""
        found = []
        for _ in range(20):
            found = self.complete(shell, line, port)
            if set(expected) <= set(found):
                break
        return found

    def test_what_the_program_knows(self):
        for shell in SHELLS:
            with self.subTest(shell=shell):
                self.assertEqual(self.complete(shell, "drover wa"), ["watch"])
                self.assertEqual(self.complete(shell, "drover watch --rec"), ["--reconnect"])
                self.assertEqual(self.complete(shell, "drover list sa"), ["saves"])
                self.assertIn("avx2", self.complete(shell, "drover verify --simd "))

    def test_what_a_server_knows(self):
        with Server("seek", "--paused") as server:
            for shell in SHELLS:
                with self.subTest(shell=shell):
                    self.assertEqual(self.complete_of_server(shell, "drover load boi", ["boids"], server.port), ["boids", "boids_target"])
                    self.assertEqual(self.complete_of_server(shell, "drover spawn ", ["seeker"], server.port), ["seeker"])
                    self.assertIn("seeker.max_speed",
                                  self.complete_of_server(shell, "drover set seeker.max", ["seeker.max_speed"], server.port))
                    self.assertEqual(self.complete_of_server(shell, "drover target m", ["mouse"], server.port), ["mouse"])
                    self.assertEqual(self.complete(shell, f"drover list --server 127.0.0.1:{server.port} ki"), ["kinds"])
            self.assertEqual(self.complete_of_server("bash", f"drover spawn --server 127.0.0.1:{server.port} ", ["seeker"]), ["seeker"])

    def test_no_server_is_no_error(self):
        self.assertEqual(self.complete("bash", "drover load "), [])

    def test_files_are_left_to_the_shell(self):
        self.assertEqual(self.complete("zsh", "drover info "), ["FILES"])
        self.assertIn("a.drover", self.complete("fish", "drover info "))


if __name__ == "__main__":
    unittest.main()
