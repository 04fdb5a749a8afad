"""The log: one JSON object a line, so that no value can break one or forge another.

Fields are codes, ids, numbers and places in the code; nobody hands words in. Lines are written
by a thread of their own: a sink that takes no more loses lines and never holds up a request.
"""

import json
import threading
from collections import deque
from collections.abc import Callable
from datetime import datetime
from typing import Final, TextIO

WAITING: Final = 10_000  # lines that may wait for a slow sink
PAUSE: Final = 0.1  # seconds between two looks at what waits: no request wakes the writer
CLOSE_SECONDS: Final = 1.0


class JsonLines:
    """Lines to a stream, stamped by ``clock`` (UTC); ``dropped`` counts those that were lost."""

    def __init__(
        self, stream: TextIO, clock: Callable[[], datetime], *, waiting: int = WAITING
    ) -> None:
        self.dropped = 0
        self._stream = stream
        self._clock = clock
        self._waiting: deque[str] = deque()
        self._most = waiting
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="log", daemon=True)
        self._thread.start()

    def info(self, event: str, **fields: object) -> None:
        """Write what happened."""
        self._put("info", event, fields)

    def error(self, event: str, **fields: object) -> None:
        """Write what went wrong."""
        self._put("error", event, fields)

    def close(self) -> None:
        """Write what waits, as far as the sink takes it within a second."""
        self._closing.set()
        self._thread.join(CLOSE_SECONDS)

    def _put(self, level: str, event: str, fields: dict[str, object]) -> None:
        at = self._clock().isoformat(timespec="milliseconds")
        line = json.dumps({"at": at, "level": level, "event": event, **fields}, ensure_ascii=False)
        if len(self._waiting) < self._most:
            self._waiting.append(line)
        else:
            self.dropped += 1

    def _work(self) -> None:
        while not self._closing.wait(PAUSE):
            self._drain()
        self._drain()

    def _drain(self) -> None:
        lines: list[str] = []
        while self._waiting:
            lines.append(self._waiting.popleft())
        if not lines:
            return
        try:
            self._stream.write("\n".join(lines) + "\n")
            self._stream.flush()
        except (OSError, ValueError):  # gone or closed
            self.dropped += len(lines)
