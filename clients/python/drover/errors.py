"""Errors and warnings of the package."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class DroverError(Exception):
    """A request was refused, or the link to the server failed.

    code     for programs: one of the server's codes (protocol.md lists them), or one of this package's: `lost`, `timeout`,
             `unreachable`, `protocol`, `version`, `closed`, `replaced`, `serve`, `run`
    message  for people
    field    the member of the request that is wrong, or None
    reply    the server's whole line, or an empty dict
    """

    def __init__(self, code: str, message: str, field: Optional[str] = None, reply: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(code, message, field)
        self.code = code
        self.message = message
        self.field = field
        self.reply: Mapping[str, Any] = reply if reply is not None else {}

    def __str__(self) -> str:
        where = f" ({self.field})" if self.field else ""
        return f"{self.code}{where}: {self.message}"

    @classmethod
    def from_line(cls, line: Mapping[str, Any]) -> "DroverError":
        """The error that a line of the server describes. Members of unexpected types are shown as they came."""
        field = line.get("field")
        message = str(line.get("message", "the server gave no reason"))
        if "hint" in line:
            message += f"; {line['hint']}"
        return cls(str(line.get("code", "internal")), message, None if field is None else str(field), line)


class DroverWarning(UserWarning):
    """The server did a request without a member that it does not know, or no event has the name that was asked for."""


def nonsense(what: str) -> DroverError:
    """The error for bytes that no server of Drover sends."""
    return DroverError("protocol", f"{what}; the other side is no drover-server, or the connection is damaged")
