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
    first = _offset(wall, tz, 0)
    second = _offset(wall, tz, 1)
    if first == second:
        return (wall - first).replace(tzinfo=UTC), None
    if first < second:  # PEP 495: in a gap, fold=0 has the offset before it
        return (wall - first).replace(tzinfo=UTC), GAP
    return (
        (wall - (second if fold else first)).replace(tzinfo=UTC),
        AMBIGUOUS if fold is None else None,
    )


def day_start(day: date, tz: ZoneInfo) -> datetime:
    """Return the first instant of a local day, also where midnight does not exist.

    A day that a zone skipped whole (Samoa, 2011-12-30) starts where the next one does.
    """
    midnight = datetime(day.year, day.month, day.day)  # noqa: DTZ001  a wall time
    before, after = _offset(midnight, tz, 0), _offset(midnight, tz, 1)
    start = (midnight - before).replace(tzinfo=UTC)
    return (
        start if before >= after else _transition((midnight - after).replace(tzinfo=UTC), start, tz)
    )


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


def _offset(wall: datetime, tz: ZoneInfo, fold: int) -> timedelta:
    offset = wall.replace(tzinfo=tz, fold=fold).utcoffset()
    assert offset is not None
    return offset
