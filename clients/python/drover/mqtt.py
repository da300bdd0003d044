"""A world at a broker of MQTT as an ordinary connection: mqtt://[USER[:PASSWORD]@]HOST[:PORT]/NAME, with paho-mqtt.

`open_socket` gives one end of a pair of sockets. A thread has the other end and the broker: what drover-mqtt publishes becomes the
server's lines, and requests become messages (docs/deploy.md has the topics). hello, ping and what concerns the subscription is answered
here. The thread ends with either end of the pair.
"""

from __future__ import annotations

import importlib
import json
import re
import select
import socket
import threading
import time
import uuid
from typing import Any, Dict, List, NamedTuple, Optional

PREFIX = "mqtt://"
GREETING_S = 3.0  # until a broker that has the world has said so
WAITING_MOST = 1 << 20  # bytes for a slow reader: frames are left out beyond, since each is whole with its key


class Broker(NamedTuple):
    """Where a world is published."""

    host: str
    port: int
    world: str
    user: Optional[str] = None
    password: Optional[str] = None


def parse_broker(text: str) -> Broker:
    """The parts of mqtt://[USER[:PASSWORD]@]HOST[:PORT]/NAME."""
    match = re.fullmatch(PREFIX + r"(?:([^:@/+#]+)(?::(.*))?@)?(\[[^]@/]+\]|[^:@/]+)(?::(\d{1,5}))?/([^/+#]+)", text)
    if not match or not 1 <= int(match[4] or 1883) <= 65535:
        raise ValueError(f"no address of a broker; expected {PREFIX}HOST/NAME or {PREFIX}USER:PASSWORD@HOST:PORT/NAME")
    return Broker(match[3].strip("[]"), int(match[4] or 1883), match[5], match[1], match[2])


def open_socket(text: str, timeout: Optional[float]) -> socket.socket:
    """Connects to the broker. Raises OSError."""
    try:
        paho = importlib.import_module("paho.mqtt.client")
    except ImportError:
        raise OSError("mqtt:// needs paho-mqtt, which is not installed: apt install python3-paho-mqtt, or pip install paho-mqtt") from None
    carrier = Carrier(parse_broker(text), paho)
    carrier.connect(timeout)
    return carrier.theirs


class Carrier:
    """What lies between the two ends."""

    def __init__(self, broker: Broker, paho: Any) -> None:
        self.broker = broker
        self.own, self.theirs = socket.socketpair()
        self.own.setblocking(False)
        self._name = "drover" + uuid.uuid4().hex[:16]
        versions = () if not hasattr(paho, "CallbackAPIVersion") else (paho.CallbackAPIVersion.VERSION1,)
        self._client = paho.Client(*versions, client_id=self._name, protocol=paho.MQTTv5)
        if broker.user is not None:
            self._client.username_pw_set(broker.user, broker.password)
        self._client.on_connect, self._client.on_message = self._on_connect, self._on_message
        self._prefix = f"drover/{broker.world}/"
        self._sender = f"{broker.user or 'anonymous'}/{self._name}"
        self._in, self._out = bytearray(), bytearray()
        self._hello: Dict[str, Any] = {}
        self._form = ""
        self._is_subscribed = self._is_over = False
        self._greeted_by = time.monotonic() + GREETING_S

    # --- the broker

    def connect(self, timeout: Optional[float]) -> None:
        """Connects, and starts the thread."""
        if timeout is not None and hasattr(self._client, "connect_timeout"):
            self._client.connect_timeout = max(timeout, 0.001)
        try:
            self._client.connect(self.broker.host, self.broker.port, keepalive=30)
        except OSError:
            self.own.close()
            self.theirs.close()
            raise
        threading.Thread(target=self._run, name="drover-mqtt", daemon=True).start()

    def _on_connect(self, client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any = None) -> None:
        if int(getattr(reason, "value", reason)) != 0:
            self._bye("auth", f"the broker refuses the connection: {reason}")
            return
        names = (f"reply/{self._sender}", "status", "event", "scenario", "hello")
        client.subscribe([(self._prefix + name, 0) for name in names])

    def _on_message(self, _client: Any, _data: Any, message: Any) -> None:
        topic, payload = message.topic[len(self._prefix):], bytes(message.payload)
        if topic == "status":
            if payload != b"online":
                self._bye("shutdown", "the world is offline: drover-mqtt or its server has gone")
        elif topic == "hello":
            if not self._hello:
                self._hello = json.loads(payload)
                self._say(payload)
        elif not self._hello:
            return
        elif topic == "scenario":
            if not message.retain:  # hello has what is retained
                self._say(payload)
        elif topic.startswith("reply/") or topic == "event" and self._is_subscribed:
            self._say(payload)
        elif self._form and topic in (f"key/{self._form}", f"delta/{self._form}"):
            if topic.startswith("key/") or len(self._out) < WAITING_MOST:
                self._say(payload)

    def _choose(self, form: str) -> None:
        topics = [[f"{self._prefix}{kind}/{name}" for kind in ("key", "delta")] for name in (self._form, form)]
        if self._form:
            self._client.unsubscribe(topics[0])
        if form:
            self._client.subscribe([(topic, 0) for topic in topics[1]])
        self._form = form

    # --- the client

    def _say(self, line: bytes) -> None:
        self._out += line + b"\n"

    def _bye(self, reason: str, message: str) -> None:
        self._say(json.dumps({"op": "bye", "reason": reason, "message": message}).encode())
        self._is_over = True

    def _reply(self, request: Dict[str, Any], **members: Any) -> None:
        id_ = {"id": request["id"]} if "id" in request else {}
        self._say(json.dumps({"op": "reply", "to": request["op"], **id_, **members}).encode())

    def _take(self, line: bytes) -> None:
        request = json.loads(line)
        op, about = request.get("op"), self._hello.get("mqtt", {})
        if op == "hello":
            self._reply(request, protocol=1, role=self._hello.get("role"), name=request.get("name", ""))
        elif op == "ping" and "t0" in request:
            self._reply(request, t0=request["t0"])
        elif op == "subscribe":
            layout = request.get("layout", "objects")
            self._is_subscribed = True
            if layout == "objects":
                self._refuse(request, "unsupported", "a broker has no objects; allowed here: packed, density, events")
                return
            self._reply(request, layout=layout, hz=about.get("density_hz" if layout == "density" else "hz"),
                        fields=["pos", "vel", "heading", "state", "kind"])
            self._choose({"packed": "all", "density": "density"}.get(layout, ""))
        elif op in ("unsubscribe", "set_region", "resync"):
            self._reply(request)
            self._is_subscribed = op != "unsubscribe"
            if op != "set_region":
                self._choose("" if op == "unsubscribe" else self._form)
        elif op == "bye":
            self._bye("client", "you said bye")
        else:
            self._client.publish(f"{self._prefix}cmd/{self._sender}", line)

    def _refuse(self, request: Dict[str, Any], code: str, message: str) -> None:
        id_ = {"id": request["id"]} if "id" in request else {}
        self._say(json.dumps({"op": "error", **id_, "code": code, "message": message}).encode())

    # --- the loop

    def _move(self) -> bool:
        """Moves what can be moved now. Whether both ends are still there."""
        broker = self._client.socket()
        if broker is None:
            return False
        writers: List[Any] = [self.own] if self._out else []
        writers += [broker] if self._client.want_write() else []
        readable, writable, _ = select.select([self.own, broker], writers, [], 1.0)
        if broker in readable:
            self._client.loop_read()
        if broker in writable:
            self._client.loop_write()
        self._client.loop_misc()
        if not self._hello and not self._is_over and time.monotonic() > self._greeted_by:
            self._bye("unreachable", f"the broker has no world {self.broker.world!r}: no drover-mqtt publishes it, or an access list hides it")
        if self.own in readable:
            data = self.own.recv(1 << 16)
            if not data:
                return False
            self._in += data
        *lines, rest = bytes(self._in).split(b"\n")
        self._in = bytearray(rest)
        for line in lines:
            self._take(line)
        if self._out:
            del self._out[:self.own.send(self._out)]
        return bool(self._out) or not self._is_over

    def _run(self) -> None:
        try:
            while self._move():
                pass
        except (OSError, ValueError):
            pass
        self.own.close()
        self._client.disconnect()
