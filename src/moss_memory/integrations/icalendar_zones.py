"""Which zone of the IANA database a time of another program is in.

Programs name zones by IANA's names, by those behind a prefix of their own, by Windows' names, or by
any name that a VTIMEZONE in the file describes. The last are told by their rule: a zone that keeps
the same offsets week by week for years is the same zone for a calendar.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from moss_memory.core.errors import MossError
from moss_memory.core.zones import zone

_WEEK: Final = timedelta(weeks=1)
_WEEKS: Final = 3 * 53  # how long a described zone has to agree with one of IANA's
_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)
_FURTHEST: Final = 14  # hours for which there is an Etc/GMT zone
_Rule = tuple[tuple[timedelta | None, ...], tuple[datetime, ...]]


def iana(named: str, moment: datetime) -> ZoneInfo | None:
    """Return the zone that ``named`` means at ``moment``; None where IANA has none.

    Args:
        named: the TZID, however it was made.
        moment: a time in it, aware where the file describes the zone, else naive.
    """
    for candidate in _readings(named):
        try:
            found = zone(candidate)
        except MossError:
            continue
        if moment.tzinfo is None or _agree(found, moment):
            return found
    if moment.tzinfo is None:
        return None
    return _alike(_rule(moment.tzinfo, moment.year), moment.year)


def _readings(named: str) -> Iterator[str]:
    """Yield the IANA names that a TZID may stand for: itself, without a prefix, of Windows."""
    yield named
    parts = named.split("/")
    yield from ("/".join(parts[-count:]) for count in (3, 2) if len(parts) > count)
    if named in WINDOWS_TO_OLSON:
        yield WINDOWS_TO_OLSON[named]


def _agree(found: ZoneInfo, moment: datetime) -> bool:
    return moment.replace(tzinfo=found).utcoffset() == moment.utcoffset()


def _rule(told: tzinfo, year: int) -> _Rule:
    """Return the offsets of a zone week by week, and to the minute when they change."""
    first = datetime(year, 1, 1, 12, tzinfo=UTC)
    weeks = [first + number * _WEEK for number in range(_WEEKS)]
    offsets = [week.astimezone(told).utcoffset() for week in weeks]
    turns = [
        _turn(told, week)
        for week, (before, after) in zip(weeks, pairwise(offsets), strict=False)
        if before != after
    ]
    return tuple(offsets), tuple(turns)


def _turn(told: tzinfo, week: datetime) -> datetime:
    """Return when the offset changes within a week, by halves."""
    start, length = week, _WEEK
    offset = week.astimezone(told).utcoffset()
    while length > _MINUTE:
        length /= 2
        if (start + length).astimezone(told).utcoffset() == offset:
            start += length
    return (start + _MINUTE).replace(second=0, microsecond=0)


@lru_cache(maxsize=64)
def _alike(rule: _Rule, year: int) -> ZoneInfo | None:
    """Return the zone of this rule; a fixed one is named by its offset and no city."""
    offset, *others = dict.fromkeys(rule[0])
    if not others and offset:
        hours, rest = divmod(offset, _HOUR)
        if not rest and abs(hours) <= _FURTHEST:
            return _fixed(hours)
    usual = [WINDOWS_TO_OLSON[name] for name in sorted(WINDOWS_TO_OLSON)]
    names = dict.fromkeys([*usual, *sorted(available_timezones())])
    zones = (each for each in map(ZoneInfo, names) if _may_be(each, rule, year))
    return next((each for each in zones if _rule(each, year) == rule), None)


def _may_be(found: ZoneInfo, rule: _Rule, year: int) -> bool:
    """Look at a winter's and a summer's week before at all of them."""
    first = datetime(year, 1, 1, 12, tzinfo=UTC)
    return all(
        (first + week * _WEEK).astimezone(found).utcoffset() == rule[0][week] for week in (0, 26)
    )


def _fixed(hours: int) -> ZoneInfo | None:
    """Return Etc/GMT-9 for nine hours east: POSIX counts the other way round."""
    named = f"Etc/GMT{-hours:+d}"
    return ZoneInfo(named) if named in available_timezones() else None
