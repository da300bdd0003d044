"""A program at a terminal of its own, for the end-to-end tests."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

PATIENCE_S = 60.0
# What drover itself writes: another screen, the cursor, bold. Whatever else begins with ESC came from elsewhere.
OWN_SEQUENCES = re.compile(r"\x1b\[\?1049[hl]|\x1b\[\?25[hl]|\x1b\[H\x1b\[2J|\x1b\[0?1?m")


class Terminal:
    """Runs a program with a pseudo terminal as its standard input and output; its standard error too."""

    def __init__(self, *command, size=(30, 110), environment=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.process = subprocess.Popen([str(word) for word in command], stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                        env={**os.environ, "TERM": "xterm", **(environment or {})})
        self.seen = ""

    def read(self, timeout=0.1):
        if select.select([self.master], [], [], timeout)[0]:
            self.seen += os.read(self.master, 1 << 16).decode("utf-8", "replace")

    def wait_for(self, words):
        deadline = time.monotonic() + PATIENCE_S
        while words not in self.seen:
            if time.monotonic() > deadline:
                raise AssertionError(f"{words!r} was not shown: {self.seen!r}")
            self.read()

    def press(self, keys):
        os.write(self.master, keys.encode())

    def end(self):
        """Waits for the program and returns its exit code; all that it wrote is in `seen`."""
        deadline = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"the program did not end: {self.seen!r}")
            self.read(0.02)
        while select.select([self.master], [], [], 0)[0]:
            self.read(0)
        return self.process.returncode

    def is_as_before(self):
        return termios.tcgetattr(self.slave) == self.before

    def plain(self):
        """What was shown, without drover's own sequences; \\r\\n is \\n."""
        return OWN_SEQUENCES.sub("", self.seen).replace("\r\n", "\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.slave)
        os.close(self.master)


def shown(*command, code=0, **options):
    """What a program shows at a terminal until it ends by itself."""
    with Terminal(*command, **options) as terminal:
        ended = terminal.end()
        if ended != code:
            raise AssertionError(f"{command} ended with {ended}, not {code}: {terminal.seen}")
        return terminal
