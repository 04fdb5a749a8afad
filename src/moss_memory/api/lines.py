"""The log: one JSON object a line, so that no value can break one or forge another.

Fields are codes, ids, numbers and places in the code; nobody hands words in. Should any slip in
all the same, what screening refuses or masks is taken out of every string before it is written
(``clean_field``). Lines are written by a thread of their own: a sink that takes no more loses
lines and never holds up a request.
"""

import json
import logging
import re
import threading
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from math import isfinite
from typing import Final, TextIO

from moss_memory.core.screening import redact

WAITING: Final = 10_000  # lines that may wait for a slow sink
PAUSE: Final = 0.1  # seconds between two looks at what waits: no request wakes the writer
CLOSE_SECONDS: Final = 1.0

_OWN: Final = "moss_memory"
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_REMEMBERED: Final = 64  # characters of a string whose screening may be remembered
_PLACES: Final = 6


class JsonLines:
    """Lines to a stream, stamped by ``clock`` (UTC); ``dropped`` counts those that were lost.

    Until ``close``, warnings of libraries become lines as well (``LibraryLines``).
    """

    def __init__(
        self, stream: TextIO, clock: Callable[[], datetime], *, waiting: int = WAITING
    ) -> None:
        self.dropped = 0
        self._stream = stream
        self._clock = clock
        self._waiting: deque[tuple[datetime, str, str, Mapping[str, object]]] = deque()
        self._most = waiting
        self._closing = threading.Event()
        self._libraries = LibraryLines(self)
        _attach(self._libraries)
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
        logging.getLogger().removeHandler(self._libraries)
        self._closing.set()
        self._thread.join(CLOSE_SECONDS)

    def _put(self, level: str, event: str, fields: Mapping[str, object]) -> None:
        if len(self._waiting) < self._most:
            self._waiting.append((self._clock(), level, event, fields))
        else:
            self.dropped += 1

    def _work(self) -> None:
        while not self._closing.wait(PAUSE):
            self._drain()
        self._drain()

    def _drain(self) -> None:
        lines: list[str] = []
        while self._waiting:
            at, level, event, fields = self._waiting.popleft()
            stamp = at.isoformat(timespec="milliseconds")
            lines.append(line_of(stamp, level, event, fields))
        if not lines:
            return
        try:
            self._stream.write("\n".join(lines) + "\n")
            self._stream.flush()
        except (OSError, ValueError):  # gone or closed
            self.dropped += len(lines)


class LibraryLines(logging.Handler):
    """Warnings of Python's ``logging`` as lines: who, where and what kind of error.

    A library's message may hold what a user said, so it stays out, and so does an error's text;
    the service's own messages are closed words.
    """

    def __init__(self, lines: JsonLines) -> None:
        super().__init__(logging.WARNING)
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record; one that cannot be read is written without what is wrong with it."""
        error = record.exc_info[1] if record.exc_info else None
        self._lines.error(
            "library",
            logger=record.name,
            message=_own_message(record),
            place=f"{record.filename}:{record.lineno}",
            kind=kind_of(error) if error else None,
            at=places_of(error) if error else None,
        )


def line_of(at: str, level: str, event: str, fields: Mapping[str, object]) -> str:
    """Return one line of ASCII JSON without its line break, every string handed in cleaned."""
    stamp = {"at": at, "level": level, "event": _clean(event)}
    return json.dumps(stamp | {name: clean_field(value) for name, value in fields.items()})


def clean_field(value: object) -> object:
    """Return ``value`` as JSON can hold it, without what screening refuses or masks.

    Never raises: a log line must not end a request. What is no JSON value is named by its type.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [clean_field(one) for one in value]
    if isinstance(value, Mapping):
        return {_clean(str(name)): clean_field(one) for name, one in value.items()}
    return f"<{type(value).__name__}>"


def kind_of(error: BaseException) -> str:
    """Return the full name of an error's class."""
    return f"{type(error).__module__}.{type(error).__qualname__}"


def places_of(error: BaseException) -> list[str]:
    """Return file:line of the innermost frames, without the values in them."""
    frames = traceback.extract_tb(error.__traceback__)[-_PLACES:]
    return [f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in frames]


def _clean(text: str) -> str:
    if _UUID.fullmatch(text):
        return text
    return _remembered(text) if len(text) <= _REMEMBERED else _redacted(text)


@lru_cache(maxsize=512)
def _remembered(text: str) -> str:
    """Redact what comes again and again: routes, codes, methods."""
    return _redacted(text)


def _redacted(text: str) -> str:
    try:
        return redact(text)
    except Exception:  # noqa: BLE001 - the boundary: unreadable text is left out, the line stays
        return "[unreadable]"


def _own_message(record: logging.LogRecord) -> str | None:
    if record.name.partition(".")[0] != _OWN:
        return None
    try:
        return record.getMessage()
    except (TypeError, ValueError):  # its arguments do not fit its template
        return str(record.msg)


def _attach(handler: LibraryLines) -> None:
    """Let one log of the process hear the libraries: the last one made."""
    root = logging.getLogger()
    for other in [known for known in root.handlers if isinstance(known, LibraryLines)]:
        root.removeHandler(other)
    root.addHandler(handler)
