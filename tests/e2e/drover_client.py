"""An independent client of the Drover protocol and a fixture that runs a real server, for the end-to-end tests.

Written against protocol.md alone, with Python's standard library, so that it can disagree with the C code. Reads
strictly: a duplicate key, NaN, Infinity, a missing "op" or invalid UTF-8 from the server fails the test.
Every wait has a deadline; every server is stopped by its process id.
"""

import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

try:
    import jsonschema  # for schema_check  # pylint: disable=unused-import
except ImportError:
    print("SKIP: not installed: python3-jsonschema", flush=True)
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKED_BYTES = 8192  # every line up to this length is checked against the schema
PATIENCE_S = 30.0  # time limit for whatever must happen; long, because sanitizers and a busy machine are slow
# For a server whose memory is measured. AddressSanitizer holds freed memory back: in a quarantine, in one more for each thread,
# and in its allocator for some seconds. Without these the memory of the process is what the server has.
MEASURED_MEMORY = {"ASAN_OPTIONS": "quarantine_size_mb=0:thread_local_quarantine_size_kb=0:"
                                   "allocator_release_to_os_interval_ms=0", "MALLOC_ARENA_MAX": "2"}


def server_binary():
    binary = os.environ.get("DROVER_SERVER") or str(ROOT / "build/release/bin/drover-server")
    if not os.access(binary, os.X_OK):
        raise FileNotFoundError(f"no server at {binary}")
    return binary


def worlds_to_try(usual):
    """(scenario, threads, SIMD) of a property test: these, or with DROVER_FULL=1 all scenarios that are not large."""
    if os.environ.get("DROVER_FULL") != "1":
        return usual
    return [(path.stem, str(1 + i % 3), ["plain", "sse2", ""][i % 3])
            for i, path in enumerate(sorted((ROOT / "scenarios").glob("*.json"))) if path.stat().st_size < 100000]


def _no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key stands twice: {keys}")
    return dict(pairs)


def _no_constant(name):
    raise ValueError(f"{name} is not JSON")


def parse_strict(line):
    """A line from the server, bytes without the newline -> dict."""
    message = json.loads(line.decode("utf-8", "strict"), object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    if not isinstance(message, dict) or not isinstance(message.get("op"), str):
        raise ValueError(f"not a message: {line[:200]!r}")
    return message


def parse_checked(line):
    """parse_strict, and checks the line against protocol.schema.json; long lines (frames of many agents) are checked further by the tests of frames."""
    message = parse_strict(line)
    if len(line) <= CHECKED_BYTES:
        from schema_check import complaint  # which needs ROOT from here  # pylint: disable=import-outside-toplevel,cyclic-import
        wrong = complaint("server", message)
        if wrong:
            raise AssertionError(f"protocol.schema.json does not allow what came: {wrong}\n{line[:600]!r}")
    return message


class Closed(Exception):
    """The server closed the connection."""


class Client:
    """One connection. receive() gives every line in order; request() waits for one reply and keeps the rest.

    hello      the first line, parsed (None when made with hello=False)
    last_line  the bytes of the line that receive() returned last
    """

    def __init__(self, port, hello=True, receive_buffer=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._bytes = bytearray()
        self._waiting = []  # (message, line) pairs that request() skipped
        self._next_id = 1
        self.last_line = b""
        self.hello = self.receive() if hello else None
        if hello and self.hello["op"] != "hello":
            raise AssertionError(f"the first line is no hello: {self.last_line[:200]!r}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    # --- out

    def send_raw(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())

    def send(self, op, **fields):
        self.send_raw(json.dumps({"op": op, **fields}) + "\n")

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def vanish(self):
        """Closes with a reset: no FIN, unread bytes or not."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    # --- in

    def read_line(self, timeout=PATIENCE_S):
        """The next line from the socket, without its newline. Raises Closed, or TimeoutError."""
        deadline = time.monotonic() + timeout
        searched = 0
        while True:
            end = self._bytes.find(b"\n", searched)
            if end >= 0:
                line = bytes(self._bytes[:end])
                del self._bytes[: end + 1]
                return line
            searched = len(self._bytes)
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                raise TimeoutError(f"no line within {timeout} s; so far {bytes(self._bytes[:200])!r}")
            try:
                data = self.socket.recv(1 << 18)
            except ConnectionResetError as error:
                raise Closed("reset") from error
            if not data:
                if self._bytes:
                    raise AssertionError(f"the server closed inside a line: {bytes(self._bytes[:200])!r}")
                raise Closed("end of stream")
            self._bytes += data

    def sip(self, size=4096):
        """Takes at most this many bytes from the socket and keeps them: a slow reader."""
        self._bytes += self.socket.recv(size)

    def receive(self, timeout=PATIENCE_S):
        """The next message that request() did not consume."""
        if self._waiting:
            message, self.last_line = self._waiting.pop(0)
            return message
        self.last_line = self.read_line(timeout)
        return parse_checked(self.last_line)

    def unread(self):
        """The bytes that were received and not yet consumed, for a test that reads the socket itself from here on."""
        data = b"".join(line + b"\n" for _, line in self._waiting) + bytes(self._bytes)
        self._waiting.clear()
        self._bytes.clear()
        return data

    def receive_op(self, op, timeout=PATIENCE_S):
        """The next message of this op; others are discarded."""
        deadline = time.monotonic() + timeout
        while True:
            message = self.receive(max(0.0, deadline - time.monotonic()))
            if message["op"] == op:
                return message

    def request(self, op, **fields):
        """Sends a request with a fresh id and returns its reply or error; other messages are kept for receive()."""
        if "id" not in fields:
            fields["id"] = self._next_id
            self._next_id += 1
        self.send(op, **fields)
        return self.answer_to(fields["id"])

    def answer_to(self, request_id, timeout=PATIENCE_S):
        """The reply or error with this id; it may have arrived already."""
        for index, (message, line) in enumerate(self._waiting):
            if is_answer(message, request_id):
                del self._waiting[index]
                self.last_line = line
                return message
        deadline = time.monotonic() + timeout
        while True:
            line = self.read_line(max(0.0, deadline - time.monotonic()))
            message = parse_checked(line)
            if is_answer(message, request_id):
                self.last_line = line
                return message
            self._waiting.append((message, line))

    def flush(self):
        """All messages of the server until now. `list` is answered in its turn at a tick boundary, after all earlier
        requests (a ping would overtake them)."""
        self.request("list", id="flush", what="targets")
        messages = [message for message, _ in self._waiting]
        self._waiting.clear()
        return messages

    def until_closed(self, timeout=PATIENCE_S):
        """All further messages until the server closes."""
        messages = []
        deadline = time.monotonic() + timeout
        while True:
            try:
                messages.append(self.receive(max(0.0, deadline - time.monotonic())))
            except Closed:
                return messages

    # --- shorthand

    def snapshot(self):
        """The state now, through a subscription of its own (which ends again)."""
        self.request("subscribe")
        found = self.receive_op("snapshot")
        self.request("unsubscribe")
        self._waiting = [(m, line) for m, line in self._waiting if m["op"] not in ("snapshot", "event")]
        return found


def is_answer(message, request_id):
    return message["op"] in ("reply", "error") and "id" in message and message["id"] == request_id


def text_so_far(file):
    """What a program that may still run has written to its file. The program writes at the position of its descriptor, which is
    ours as well: it stays where it is, or the next line would be written over the first one."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode("utf-8", "replace")


class Server:
    """A real server on a free port of 127.0.0.1. Leaving the with-block stops it with SIGTERM and expects this exit code."""

    def __init__(self, *arguments, environment=None, port=0, code=0):
        self._code = code
        self._stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [*self.words(), "--port", str(port), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self._stderr, cwd=ROOT, env={**os.environ, **(environment or {})},
        )
        try:
            self.first_line = self._read_first_line()
            match = re.fullmatch(r"drover-server listening on ([0-9a-fA-F.:\[\]]+):(\d+)", self.first_line)
            if not match:
                raise AssertionError(f"first line on stdout: {self.first_line!r}")
            self.address, self.port = match[1], int(match[2])
        except BaseException:
            self.kill()
            raise

    def words(self):
        """The words of the command before its options."""
        return [server_binary()]

    def _read_first_line(self):
        line = b""
        deadline = time.monotonic() + PATIENCE_S
        while not line.endswith(b"\n"):
            if not select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the server printed no first line")
            data = os.read(self.process.stdout.fileno(), 4096)
            if not data:
                raise AssertionError(f"the server ended with {self.process.wait(PATIENCE_S)}: {self.stderr()}")
            line += data
        return line.decode().rstrip("\n")

    @property
    def pid(self):
        return self.process.pid

    def connect(self, **options):
        return Client(self.port, **options)

    def hello(self):
        """The hello line of a new connection."""
        with self.connect() as client:
            return client.hello

    def stderr(self):
        return text_so_far(self._stderr)

    def rss_bytes(self):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"^VmRSS:\s+(\d+) kB", status, re.M)[1]) * 1024

    def descriptor_count(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def stop(self, number=signal.SIGTERM):
        """Asks the server to stop and returns its exit code. Its output stays in stderr()."""
        if self.process.poll() is None:
            os.kill(self.pid, number)
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the server did not stop within {PATIENCE_S} s\n{self.stderr()}") from None

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    @contextlib.contextmanager
    def doomed(self):
        """A with-block whose end is kill -9."""
        try:
            yield self
        finally:
            self.kill()
            self._stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, error_type, error, trace):
        try:
            code = self.stop()
            if error_type is None and code != self._code:
                raise AssertionError(f"the server ended with {code}\n{self.stderr()}")
            if error_type is not None:
                print(f"--- the server ended with {code}; it said:\n{self.stderr()}---")
        finally:
            self.kill()
            self._stderr.close()


def end_process(process):
    """With SIGTERM, and kill -9 for one that takes too long."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def run_server(*arguments, environment=None):
    """Runs a server that is expected to end by itself; a subprocess.CompletedProcess with text."""
    return subprocess.run([server_binary(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          cwd=ROOT, timeout=PATIENCE_S, env={**os.environ, **(environment or {})})


def sealed(text):
    """The lines of a recording that a test has changed, with sums that are right again; without sums where its first line
    has none. Takes and gives text or bytes."""
    if isinstance(text, str):
        return sealed(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
    *lines, rest = text.split(b"\n")
    if not lines or b',"sum":"' not in lines[0][-18:]:
        return text
    total, out = 0, []
    for line in lines:
        body = re.sub(rb',"sum":"[0-9a-f]{8}"\}$|\}$', b"", line)
        total = zlib.crc32(body, total)
        out.append(b'%s,"sum":"%08x"}' % (body, total))
    return b"\n".join([*out, rest])


def wait_for(condition, what, timeout=PATIENCE_S):
    """Polls until condition() is true."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {what}")
        time.sleep(0.02)


class Case(unittest.TestCase):
    """Common to all test files: messages in failures, and checks of replies."""

    maxDiff = None

    def assert_reply(self, message, to, **members):
        self.assertEqual((message["op"], message.get("to")), ("reply", to), message)
        for name, value in members.items():
            self.assertEqual(message.get(name), value, f"{name} in {message}")

    def assert_logged(self, server, words):
        """The log is written by a thread of its own, so a line may come after the reply."""
        wait_for(lambda: words in server.stderr(), f"{words!r} in the log")

    def assert_error(self, message, code, **members):
        self.assertEqual((message["op"], message.get("code")), ("error", code), message)
        self.assertTrue(message["message"].strip(), message)
        self.assertNotIn("\n", message["message"])
        for name, value in members.items():
            self.assertEqual(message.get(name), value, f"{name} in {message}")


def python_with(module):
    """A Python that has the module, which need not be the one that runs the tests; None: there is none."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.access(python, os.X_OK) and subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0:
            return python
    return None


def tool(name):
    """The path of a program the tests need; a missing one is a failure, not a skip (packages.txt lists it)."""
    found = shutil.which(name)
    if not found:
        raise FileNotFoundError(f"{name} is not installed (see packages.txt)")
    return found
