"""A circuit breaker: what keeps failing is left alone for a while, and then tried by one caller.

Nygard, "Release It!", 2nd ed., section 5.2, with one addition: a failure that cost a whole
timeout pauses the circuit at once, so that a frozen peer slows one caller and not five.
"""

import time
from collections.abc import Callable
from threading import Lock
from typing import Final

FAILURES: Final = 5
REST: Final = 10.0
PAUSE: Final = 1.0


class Breaker:
    """Closed until ``failures`` in a row, then open for ``rest`` seconds; thread-safe.

    A slow failure opens it for ``pause`` seconds by itself. When the time is over one caller
    is let through: its success closes the circuit, its failure opens it again.
    """

    def __init__(
        self,
        *,
        failures: int = FAILURES,
        rest: float = REST,
        pause: float = PAUSE,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit, self._rest, self._pause, self._monotonic = failures, rest, pause, monotonic
        self._lock = Lock()
        self._failures = 0
        self._closed_from: float | None = None  # None: closed; else when the next trial may go

    def allow(self) -> bool:
        """Say whether to try; of several callers after the rest, one at a time may."""
        with self._lock:
            if self._closed_from is None:
                return True
            now = self._monotonic()
            if now < self._closed_from:
                return False
            self._closed_from = now + self._pause  # the trial's own time; a lost one is replaced
            return True

    def succeed(self) -> None:
        """Close the circuit."""
        with self._lock:
            self._failures, self._closed_from = 0, None

    def fail(self, *, slow: bool = False) -> None:
        """Count a failure; ``slow`` says that it cost a whole timeout."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._limit:
                self._closed_from = self._monotonic() + self._rest
            elif slow:
                self._closed_from = self._monotonic() + self._pause

    def wait(self) -> float:
        """Return the seconds until the next trial; 0 while the circuit is closed."""
        with self._lock:
            return 0.0 if self._closed_from is None else self._left(self._closed_from)

    def _left(self, instant: float) -> float:
        return max(0.0, instant - self._monotonic())
