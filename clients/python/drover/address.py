"""Where a server listens."""

from __future__ import annotations

import os
from typing import Any, Tuple

from .mqtt import PREFIX, parse_broker

DEFAULT_PORT = 7717
VARIABLE = "DROVER_SERVER"  # the address for scripts that give none


def parse_address(address: Any) -> Tuple[str, int]:
    """Host and port of "127.0.0.1:7717", "host", ":7717", "[::1]:7717", a port, or a pair; of None that of $DROVER_SERVER, otherwise
    127.0.0.1:7717, as for the program `drover`. Of a world at a broker, "mqtt://host/name", the whole text and 0."""
    if address is None:
        address = os.environ.get(VARIABLE) or DEFAULT_PORT
    if isinstance(address, int):
        return "127.0.0.1", address
    if isinstance(address, (tuple, list)):
        host, port = address
        return str(host), int(port)
    text = str(address)
    if text.startswith(PREFIX):
        parse_broker(text)
        return text, 0
    host, colon, port_text = text.rpartition(":")
    if not colon or text.endswith("]") or (":" in host and not host.startswith("[")):
        host, port_text = text, str(DEFAULT_PORT)
    if not port_text.isdigit() or not 1 <= int(port_text) <= 65535:
        raise ValueError(f"{text!r} is no address; expected host:port, such as 127.0.0.1:{DEFAULT_PORT}")
    return host.strip("[]") or "127.0.0.1", int(port_text)


def show_address(address: Tuple[str, int]) -> str:
    """For people: of a broker without user and password."""
    host, port = address
    return f"{host}:{port}" if port else PREFIX + host.rpartition("@" if "@" in host else PREFIX)[2]
