"""Callbacks of a client."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

from .protocol import Session


class Listeners:
    """Calls back with what a session noticed."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._callbacks: Dict[str, List[Callable[[Any], Any]]] = {}

    def add(self, what: str, callback: Callable[[Any], Any]) -> Callable[[], None]:
        callbacks = self._callbacks.setdefault(what, [])
        callbacks.append(callback)
        self._session.tap = bool(self._callbacks.get("line"))

        def end() -> None:
            if callback in callbacks:
                callbacks.remove(callback)
            self._session.tap = bool(self._callbacks.get("line"))

        return end

    def dispatch(self, call: Callable[[Callable[[Any], Any], Any], Any] = lambda callback, payload: callback(payload)) -> None:
        """A callback may send requests, whose notices come in their turn."""
        notices = self._session.notices
        while notices:
            what, payload = notices.popleft()
            names = [what]
            if what == "event":
                names.append(payload.get("event"))
            for name in names:
                for callback in tuple(self._callbacks.get(name, ())) if isinstance(name, str) else ():
                    call(callback, payload)
