"""A server of one's own, which ends with the script that started it."""

from __future__ import annotations

import ctypes
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, List, Optional, Sequence

from .errors import DroverError

START_S = 30.0
END_S = 10.0
PR_SET_PDEATHSIG = 1


def is_program(path: str) -> bool:
    return os.access(path, os.X_OK) and not os.path.isdir(path)


def find_program(name: str, variable: str, given: Optional[str] = None, beside: Optional[str] = None) -> str:
    """The path of a program: the given one, that of an environment variable, beside another one, on the PATH, or in a build of
    the source tree that the package lies in. DroverError `serve`, or `run`, when there is none, or the variable names none."""
    if given:
        return given
    code = "serve" if name == "drover-server" else "run"
    named = os.environ.get(variable)
    if named and not is_program(named):
        raise DroverError(code, f"${variable} names {named}, which is no program; it is the path of {name}")
    candidates: List[Optional[str]] = [named, str(pathlib.Path(beside).with_name(name)) if beside else None, shutil.which(name)]
    root = pathlib.Path(__file__).resolve().parents[3]
    if (root / "protocol.md").is_file():
        candidates += [str(root / "build" / build / "bin" / name) for build in ("release", "relwithdebinfo", "debug", "asan")]
    for candidate in candidates:
        if candidate and is_program(candidate):
            return candidate
    raise DroverError(code, f"{name} was found neither on the PATH nor in ${variable}; install the Debian package of this name, or give its path")


def dies_with_parent() -> Optional[Callable[[], None]]:
    """What a child does between fork and exec so that the system ends it with its parent; None where there is no such thing."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        prctl = ctypes.CDLL(None, use_errno=True).prctl
    except (OSError, AttributeError):
        return None
    parent = os.getpid()

    def before_exec() -> None:
        prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return before_exec


class ServerProcess:
    """A drover-server on a free port of 127.0.0.1. `port`, `pid`, `program`; `end()` stops it."""

    def __init__(self, scenario: Optional[str] = None, *, seed: Optional[int] = None, paused: bool = False,
                 server: Optional[str] = None, arguments: Sequence[str] = ()) -> None:
        self.program = find_program("drover-server", "DROVER_SERVER_PROGRAM", server)
        command = [self.program, "--listen", "127.0.0.1", "--port", "0"]
        command += ["--seed", str(seed)] if seed is not None else []
        command += ["--paused"] if paused else []
        command += ["--log", "warn"] if "--log" not in arguments else []  # the log is kept in a temporary file
        command += [str(argument) for argument in arguments]
        command += ["--", str(scenario)] if scenario is not None else []
        self.port = 0
        self._output = b""
        self._log = tempfile.TemporaryFile()
        try:
            # A session of its own: Ctrl-C in the terminal is the script's alone.
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log,
                                            start_new_session=True, preexec_fn=dies_with_parent())
        except OSError as error:
            self._log.close()
            raise DroverError("serve", f"{self.program} cannot be started ({error})") from None

    def wait_until_listening(self, timeout: float = START_S) -> None:
        assert self.process.stdout is not None
        deadline = time.monotonic() + timeout
        while not self.port:
            if not select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
                self.end()
                raise DroverError("serve", f"{self.program} printed no address within {timeout:g} s")
            self.read_output()

    def read_output(self) -> None:
        """Reads what the server printed; `port` is there after its first line. DroverError `serve` when it ended instead."""
        assert self.process.stdout is not None
        data = os.read(self.process.stdout.fileno(), 4096)
        if not data:
            self.process.wait()
            why = self.why_ended()
            self.end()
            raise DroverError("serve", why)
        self._output += data
        found = re.search(rb"listening on \S*:(\d+)\n", self._output)
        if found:
            self.port = int(found[1])

    @property
    def pid(self) -> int:
        return self.process.pid

    def log(self) -> str:
        """What the server wrote to its log so far."""
        if self._log.closed:
            return ""
        self._log.seek(0)
        return self._log.read().decode("utf-8", "replace")

    def why_ended(self) -> str:
        """Why the server is no more; empty while it runs."""
        code = self.process.poll()
        if code is None:
            return ""
        last = [line for line in self.log().splitlines() if line.strip()][-3:]
        how = f"was ended by signal {-code}" if code < 0 else f"ended with {code}"
        return f"the server {how}" + (": " + " / ".join(last) if last else "")

    def end(self) -> None:
        """Asks the server to stop, and kills it when it does not."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(END_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._log.close()

    def __del__(self) -> None:
        process: Any = getattr(self, "process", None)
        if process is not None and process.returncode is None:
            process.terminate()
