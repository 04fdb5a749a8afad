"""Wall time against UTC, in the zones of the IANA database.

A wall time that a clock change skips or repeats still names one instant, by RFC 5545 3.3.5:
in a gap the offset before it counts, of a repeated hour the first pass (unless told: fold=1).
"""

import re
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from moss_memory.core.errors import UnknownZoneError

GAP: Final = "LOCAL_TIME_GAP"
AMBIGUOUS: Final = "LOCAL_TIME_AMBIGUOUS"

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*")
_LONGEST: Final = 64
_OF_THE_MACHINE: Final = frozenset({"localtime", "posixrules", "Factory"})
_TICK: Final = timedelta(microseconds=1)


@lru_cache(maxsize=1024)
def zone(name: str) -> ZoneInfo:
    """Look a zone up by its IANA name.

    Raises:
        UnknownZoneError: there is none of that name (names of this machine's files count as none).
    """
    plain = (
        len(name) <= _LONGEST
        and _NAME.fullmatch(name)
        and not name.startswith(("posix/", "right/"))
    )
    if not plain or name in _OF_THE_MACHINE:
        raise UnknownZoneError
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # OSError: a folder, "America"
        raise UnknownZoneError from error


def to_utc(wall: datetime, tz: ZoneInfo, fold: int | None = None) -> tuple[datetime, str | None]:
    """Return the instant of a naive ``wall`` time, and a note where a clock change touches it.

    ``fold`` chooses between the two passes of a repeated hour; None takes the first and says so.
    """
    first, second = _offsets(wall, tz)
    if first == second:
        return _minus(wall, first), None
    if first < second:  # PEP 495: in a gap, fold=0 has the offset before it
        return _minus(wall, first), GAP
    return _minus(wall, second if fold else first), AMBIGUOUS if fold is None else None


def day_start(day: date, tz: ZoneInfo) -> datetime:
    """Return the first instant of a local day, also where midnight does not exist.

    A day that a zone skipped whole (Samoa, 2011-12-30) starts where the next one does.
    """
    midnight = datetime(day.year, day.month, day.day)  # noqa: DTZ001  a wall time
    before, after = _offsets(midnight, tz)
    start = _minus(midnight, before)
    return start if before >= after else _transition(_minus(midnight, after), start, tz)


def _transition(low: datetime, high: datetime, tz: ZoneInfo) -> datetime:
    """Find, between two instants, the first one with the offset of the later."""
    offset = high.astimezone(tz).utcoffset()
    while high - low > _TICK:
        middle = low + (high - low) / 2
        if middle.astimezone(tz).utcoffset() == offset:
            high = middle
        else:
            low = middle
    return high


def _offsets(wall: datetime, tz: ZoneInfo) -> tuple[timedelta, timedelta]:
    """Return the offsets of the two passes of a wall time: equal, but around a clock change."""
    fields = (wall.year, wall.month, wall.day, wall.hour, wall.minute, wall.second)
    first = datetime(*fields, tzinfo=tz, fold=0).utcoffset()
    second = datetime(*fields, tzinfo=tz, fold=1).utcoffset()
    assert first is not None
    assert second is not None
    return first, second


def _minus(wall: datetime, offset: timedelta) -> datetime:
    return datetime.combine(wall.date(), wall.time(), UTC) - offset
