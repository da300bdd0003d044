"""A server with a script of answers: for what a real one never does. One thread, ended by close()."""

import json
import select
import socket
import threading

HELLO = {"op": "hello", "protocol": 1, "server": "fake", "session": 1, "tick": 0, "time": 0, "paused": True, "role": "admin",
         "scenario": {"name": "fake", "title": "", "description": "", "size": [1, 1], "edge": "open", "seed": 1, "tick_hz": 60,
                      "kinds": [], "targets": []}}


class FakeServer:
    """greet(connection number) -> bytes to begin with; answer(connection number, line) -> bytes, or None to hang up. Each of
    them may return a pair, bytes and "close", to send them and hang up. lines: (connection number, line) of all that came."""

    def __init__(self, answer=None, greet=None):
        self._answer = answer or (lambda _, line: reply_to(line))
        self._greet = greet or (lambda _: line_of(HELLO))
        self.lines = []
        self.connections = 0
        self._stop = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open = {}  # socket: [number, bytes]
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._stop = True
        self._thread.join()
        self._listener.close()
        for made in self._open:
            made.close()

    def hang_up_all(self):
        for made in list(self._open):
            try:
                made.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _run(self):
        while not self._stop:
            for ready in select.select([self._listener, *self._open], [], [], 0.02)[0]:
                if ready is self._listener:
                    made, _ = ready.accept()
                    self.connections += 1
                    self._open[made] = [self.connections, b""]
                    self._say(made, self._greet(self.connections))
                else:
                    self._read(ready)

    def _read(self, made):
        try:
            data = made.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            self._hang_up(made)
            return
        state = self._open[made]
        *lines, state[1] = (state[1] + data).split(b"\n")
        for line in lines:
            self.lines.append((state[0], line))
            if made in self._open:
                self._say(made, self._answer(state[0], line))

    def _say(self, made, said):
        close = said is None
        if isinstance(said, tuple):
            said, close = said[0], True
        try:
            if said:
                made.sendall(said)
        except OSError:
            close = True
        if close:
            self._hang_up(made)

    def _hang_up(self, made):
        self._open.pop(made, None)
        made.close()


def line_of(message):
    return json.dumps(message).encode() + b"\n"


def reply_to(line, **members):
    request = json.loads(line)
    return line_of({"op": "reply", "to": request["op"], "tick": 0, **({"id": request["id"]} if "id" in request else {}), **members})


def refuses_again(number, line):
    """Grants a subscription, with a frame, on the first connection alone."""
    if b'"subscribe"' not in line:
        return reply_to(line)
    if number > 1:
        return line_of({"op": "error", "id": json.loads(line)["id"], "code": "out_of_range", "message": "no"})
    return reply_to(line) + line_of({"op": "snapshot", "tick": 1, "time": 0, "agents": [], "targets": [], "clock": 0})
