"""The rule of a slow link: frames get sparse before they get old. clients/c/handle.h describes it. Nothing in here reads a clock."""

from __future__ import annotations

import math

LATE_HZ = 0.1  # while frames are late
LEAST_HZ = 0.5
LATE_MS, CALM_MS, RISE_MS, DARE_MS = 300.0, 150.0, 3000.0, 30000.0
SHARE, GROWTH, NEARLY, MOST_FRAME_MS = 0.7, 1.25, 0.9, 500.0


class Pace:
    """See the head of this file. One for each connection."""

    def __init__(self) -> None:
        self.limit_hz = math.inf
        self.frames = 0  # that came since `_since_ms`
        self._is_late = False
        self._least_ms = math.inf  # the shortest trip
        self._frame_ms = 0.0  # how long the link takes for one frame
        self._late_hz = math.inf  # what is too much, as far as is known
        self._since_ms = 0.0

    def hz(self, wish_hz: float) -> float:
        """Frames a second to ask for."""
        return min(wish_hz, LATE_HZ if self._is_late else self.limit_hz)

    def ping(self, wish_hz: float, now_ms: float, trip_ms: float, is_back: bool) -> None:
        """What a ping tells that took so long, or has taken so far. wish_hz: of the subscription."""
        if is_back:
            self._least_ms = min(self._least_ms, trip_ms)
        lag_ms = trip_ms - (self._least_ms if self._least_ms < math.inf else 0.0)
        calm_ms = CALM_MS + self._frame_ms
        if self._is_late:
            if is_back and lag_ms < calm_ms:
                self._settle(wish_hz, now_ms)
        elif lag_ms > LATE_MS + self._frame_ms / 2:
            self._late_hz = self.hz(wish_hz)
            self._is_late = True
            self._set_limit(wish_hz, LEAST_HZ, now_ms)
        elif lag_ms >= calm_ms:
            self._since_ms = now_ms
        elif is_back and self.limit_hz < math.inf:
            self._rise(wish_hz, now_ms)

    def _set_limit(self, wish_hz: float, hz: float, now_ms: float) -> None:
        self.limit_hz = math.inf if hz >= wish_hz else max(round(hz, 2), LEAST_HZ)
        self._since_ms = now_ms
        self.frames = 0

    def _settle(self, wish_hz: float, now_ms: float) -> None:
        came_hz = self.frames * 1000.0 / max(now_ms - self._since_ms, 1.0)
        self._is_late = False
        if self.frames == 0:
            self._set_limit(wish_hz, self._late_hz, now_ms)
            return
        self._frame_ms = min(1000.0 / came_hz, MOST_FRAME_MS)
        self._late_hz = min(self._late_hz, came_hz)
        self._set_limit(wish_hz, SHARE * came_hz, now_ms)

    def _rise(self, wish_hz: float, now_ms: float) -> None:
        next_hz = GROWTH * self.limit_hz
        is_daring = next_hz >= NEARLY * self._late_hz
        if now_ms - self._since_ms >= (DARE_MS if is_daring else RISE_MS):
            self._late_hz = math.inf if is_daring else self._late_hz
            self._set_limit(wish_hz, next_hz, now_ms)
