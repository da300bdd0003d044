"""A WebSocket client and raw HTTP for the end-to-end tests of --web, with Python's standard library alone.

Written against RFC 6455 and protocol.md. WebClient is drover_client.Client over WebSocket: one line is one text message.
"""

import base64
import contextlib
import hashlib
import os
import re
import select
import socket
import struct
import time

from drover_client import PATIENCE_S, Client, Closed, Server

TEXT, BINARY, CLOSE, PING, PONG = 0x1, 0x2, 0x8, 0x9, 0xA
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def frame(payload=b"", opcode=TEXT, final=True, reserved=0, mask=b"\x11\x22\x33\x44", length=None, short=None):
    """A frame as a client sends it. mask=None: unmasked; length: what the head says instead of the truth; short: the form
    of the length (7, 16 or 64 bits), the shortest one when None."""
    said = len(payload) if length is None else length
    form = short or (7 if said < 126 else 16 if said < 65536 else 64)
    masked = 0x80 if mask else 0
    head = bytes([(0x80 if final else 0) | reserved << 4 | opcode, masked | {7: said, 16: 126, 64: 127}[form]])
    head += {7: b"", 16: struct.pack(">H", said & 0xFFFF), 64: struct.pack(">Q", said)}[form]
    if not mask:
        return head + payload
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))


def close_frame(code=1000, reason=b""):
    return frame(struct.pack(">H", code) + reason, CLOSE)


class Handshake(Exception):
    """The server answered the handshake with something else than 101."""

    def __init__(self, status, head, body):
        super().__init__(f"{status}: {head!r} {body!r}")
        self.status, self.head, self.body = status, head, body


def connect_to(where, timeout=PATIENCE_S, receive_buffer=None):
    """where: a port of 127.0.0.1, an address of IPv6 and its port, or the path of a Unix socket."""
    family, address = ((socket.AF_UNIX, where) if isinstance(where, str) else (socket.AF_INET6, where) if isinstance(where, tuple)
                       else (socket.AF_INET, ("127.0.0.1", where)))
    connection = socket.socket(family, socket.SOCK_STREAM)
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.settimeout(timeout)
    connection.connect(address)
    return connection


def host_of(where):
    """The header Host of requests to it."""
    return "localhost" if isinstance(where, str) else "[{}]:{}".format(*where) if isinstance(where, tuple) else f"127.0.0.1:{where}"


def read_until_closed(connection, timeout=PATIENCE_S):
    """All bytes until the server closes; a reset counts as closing."""
    data = b""
    deadline = time.monotonic() + timeout
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([connection], [], [], left)[0]:
            raise TimeoutError(f"not closed within {timeout} s; so far {data[:300]!r}")
        try:
            more = connection.recv(1 << 16)
        except ConnectionResetError:
            return data
        if not more:
            return data
        data += more


def parse_answer(data):
    """(status, {header: value}, body) of the bytes of an answer; (0, {}, b"") of none."""
    if not data:
        return 0, {}, b""
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    return int(lines[0].split()[1]), headers, body


def ask(where, path="/", method="GET", headers=None, raw=None):
    """One HTTP request; (status, headers, body). raw: the bytes of the request."""
    with connect_to(where) as connection:
        fields = {"Host": host_of(where), **(headers or {})}
        request = raw or (f"{method} {path} HTTP/1.1\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in fields.items() if value is not None) + "\r\n").encode("latin-1")
        connection.sendall(request)
        return parse_answer(read_until_closed(connection))


def handshake_fields(where, **changes):
    """The headers of a handshake; a change of None leaves one out. Names have _ for -."""
    fields = {"Host": host_of(where), "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
              "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), "Sec-WebSocket-Protocol": "drover.v1"}
    for name, value in changes.items():
        fields[name.replace("_", "-")] = value
    return {name: value for name, value in fields.items() if value is not None}


class WebClient(Client):
    """drover_client.Client over WebSocket. After the end close_code and close_reason are what the server sent."""

    def __init__(self, where, hello=True, receive_buffer=None, path="/ws", early=b"", **changes):  # pylint: disable=super-init-not-called
        self._bytes = bytearray()
        self._waiting = []
        self._next_id = 1
        self._messages = []
        self.last_line = b""
        self.close_code, self.close_reason = None, b""
        self.pings, self.pongs = [], []
        self.socket = connect_to(where, receive_buffer=receive_buffer)
        try:
            self._shake(where, path, early, changes)
            self.hello = self.receive() if hello else None
        except BaseException:
            self.socket.close()
            raise

    def _shake(self, where, path, early, changes):
        fields = handshake_fields(where, **changes)
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.socket.sendall(f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + early)
        data = b""
        while b"\r\n\r\n" not in data:
            more = self.socket.recv(65536)
            if not more:
                raise Handshake(*parse_answer(data))
            data += more
        status, headers, body = parse_answer(data)
        if status != 101:
            raise Handshake(status, headers, body)
        expected = base64.b64encode(hashlib.sha1(fields["Sec-WebSocket-Key"].encode() + GUID).digest()).decode()
        if headers.get("sec-websocket-accept") != expected or headers.get("sec-websocket-protocol") != "drover.v1":
            raise AssertionError(f"a bad answer to the handshake: {headers}")
        self._bytes += body

    # --- out

    def send_raw(self, data):
        """Lines; each becomes a text message without its newline."""
        for line in (data if isinstance(data, bytes) else data.encode()).removesuffix(b"\n").split(b"\n"):
            self.socket.sendall(frame(line))

    def send_frames(self, *frames):
        self.socket.sendall(b"".join(frames))

    # --- in

    def _take_frame(self):
        """(opcode, payload) of a whole frame that was received, or None."""
        data = self._bytes
        if len(data) < 2:
            return None
        if data[0] & 0x70 or data[1] & 0x80:
            raise AssertionError(f"a server's frame is unmasked and has no reserved bit: {bytes(data[:16])!r}")
        length, at = data[1], 2
        if length >= 126:
            size = 2 if length == 126 else 8
            if len(data) < 2 + size:
                return None
            length, at = int.from_bytes(data[2:2 + size], "big"), 2 + size
        if len(data) < at + length:
            return None
        opcode, is_final = data[0] & 0xF, data[0] & 0x80
        payload = bytes(data[at:at + length])
        del data[:at + length]
        if not is_final or opcode not in (TEXT, CLOSE, PING, PONG):
            raise AssertionError(f"a frame of opcode {opcode}, final {bool(is_final)}")
        return opcode, payload

    def _handle(self, opcode, payload):
        if self.close_code is not None:
            raise AssertionError("a frame after the close frame")
        if opcode == TEXT:
            if b"\n" in payload:
                raise AssertionError(f"a message of several lines: {payload[:200]!r}")
            self._messages.append(payload)
        elif opcode == PING:
            self.pings.append(payload)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # what was sent before the end is still read
                self.socket.sendall(frame(payload, PONG))
        elif opcode == PONG:
            self.pongs.append(payload)
        else:
            self.close_code = struct.unpack(">H", payload[:2])[0] if payload else 1005
            self.close_reason = payload[2:]

    def pump(self, timeout=PATIENCE_S):
        """Reads at least once, and handles what is whole. Raises Closed, or TimeoutError."""
        if not select.select([self.socket], [], [], timeout)[0]:
            raise TimeoutError(f"no frame within {timeout} s; so far {bytes(self._bytes[:200])!r}")
        try:
            data = self.socket.recv(1 << 18)
        except ConnectionResetError as error:
            raise Closed("reset") from error
        if not data:
            raise Closed("end of stream")
        self._bytes += data
        self._handle_whole()

    def _handle_whole(self):
        found = self._take_frame()
        while found is not None:
            self._handle(*found)
            found = self._take_frame()

    def read_line(self, timeout=PATIENCE_S):
        deadline = time.monotonic() + timeout
        self._handle_whole()
        while not self._messages:
            self.pump(max(0.0, deadline - time.monotonic()))
        return self._messages.pop(0)


class WebServer(Server):
    """A server with --web on a free port; connect() is a WebSocket. web: a place other than that."""

    def __init__(self, *arguments, web="0", **options):
        super().__init__("--web", web, *arguments, **options)

    def _read_first_line(self):
        lines = b""
        deadline = time.monotonic() + PATIENCE_S
        while lines.count(b"\n") < 2:
            if not select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the server printed no two lines")
            data = os.read(self.process.stdout.fileno(), 4096)
            if not data:
                raise AssertionError(f"the server ended with {self.process.wait(PATIENCE_S)}: {self.stderr()}")
            lines += data
        first, second = lines.decode().splitlines()
        match = re.fullmatch(r"drover-server page at (?:http://[0-9a-fA-F.:\[\]]+:(\d+)/|unix:(.+))", second)
        if not match:
            raise AssertionError(f"second line on stdout: {second!r}")
        self.web = int(match[1]) if match[1] else match[2]
        return first

    def connect(self, **options):
        return WebClient(self.web, **options)

    def connect_tcp(self, **options):
        return Client(self.port, **options)


class OneServer:
    """For cases whose tests share a server with a page; its world stands still."""

    @classmethod
    def setUpClass(cls):
        cls.server = WebServer("--paused", "seek").__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None, None, None)
