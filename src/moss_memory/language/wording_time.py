"""Instants and windows in the words of a language, on the wall clock of a zone.

``today`` is a date of the reader: a year equal to its year is left out, None keeps every year.
"""

from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.when import Days, WallClock, When
from moss_memory.language.wording_language import language

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAYS_KO: Final = "월화수목금토일"


def day(on: date, locale: str, today: date | None = None) -> str:
    """Name a date with its weekday: ``Friday, July 17, 2026``, ``2026년 7월 17일(금)``."""
    same = today is not None and today.year == on.year
    if language(locale) == "ko":
        year = "" if same else f"{on.year}년 "
        return f"{year}{on.month}월 {on.day}일({_DAYS_KO[on.weekday()]})"
    year = "" if same else f", {on.year}"
    return f"{_DAYS[on.weekday()]}, {_MONTHS[on.month - 1]} {on.day}{year}"


def clock(at: time, locale: str) -> str:
    """Name a wall time to the minute: ``10:00 AM``, ``오전 10시``."""
    hour = at.hour % 12 or 12
    if language(locale) == "ko":
        minute = f" {at.minute}분" if at.minute else ""
        return f"{'오전' if at.hour < 12 else '오후'} {hour}시{minute}"  # noqa: PLR2004
    return f"{hour}:{at.minute:02d} {'AM' if at.hour < 12 else 'PM'}"  # noqa: PLR2004


def moment(at: datetime, zone: str, locale: str, today: date | None = None) -> str:
    """Name an aware instant without a weekday: ``July 16 at 2:00 PM``, ``7월 16일 오후 2시``."""
    local = at.astimezone(ZoneInfo(zone))
    same = today is not None and today.year == local.year
    if language(locale) == "ko":
        year = "" if same else f"{local.year}년 "
        return f"{year}{local.month}월 {local.day}일 {clock(local.time(), locale)}"
    year = "" if same else f", {local.year}"
    return f"{_MONTHS[local.month - 1]} {local.day}{year} at {clock(local.time(), locale)}"


def span(window: Interval, zone: str, locale: str, today: date | None = None) -> str:
    """Name a window on the wall clock of ``zone``; whole local days read as days."""
    start, end = _local(window.start, zone), _local(window.end, zone)
    return _between(start, None if window.end >= FOREVER else end, locale, today)


def period(window: Interval, zone: str, locale: str, today: date | None = None) -> str:
    """Name how long a state or preference holds: since when, and until when if it ends."""
    start = moment(window.start, zone, locale, today)
    if window.end >= FOREVER:
        return f"{start}부터" if language(locale) == "ko" else f"since {start}"
    end = moment(window.end, zone, locale, today)
    return f"{start}부터 {end}까지" if language(locale) == "ko" else f"from {start} to {end}"


def said(when: When, zone: str, locale: str, today: date | None = None) -> str:
    """Name a time as it was said, before it is placed; wall clocks of another zone keep it."""
    start, end = _readings(when, zone)
    text = _between(start, end, locale, today)
    if isinstance(when, WallClock) and when.zone not in {None, zone}:
        text += f" ({when.zone})"
    if when.series is None:
        return text
    return f"{text} (반복)" if language(locale) == "ko" else f"{text} (repeating)"


def _between(start: datetime, end: datetime | None, locale: str, today: date | None) -> str:
    """Word two wall clock readings; ``end`` None is open or not said."""
    if end is not None and start.time() == end.time() == time(0):
        return _whole_days(start.date(), end.date() - timedelta(days=1), locale, today)
    glue = ", " if language(locale) == "en" else " "
    first = f"{day(start.date(), locale, today)}{glue}{clock(start.time(), locale)}"
    if end is None:
        return first
    last = clock(end.time(), locale)
    if end.date() != start.date():
        last = f"{day(end.date(), locale, today)}{glue}{last}"
    return f"{first} to {last}" if language(locale) == "en" else f"{first}~{last}"


def _whole_days(first: date, last: date, locale: str, today: date | None) -> str:
    """Word whole local days, both inclusive."""
    if last <= first:
        one = day(first, locale, today)
        return f"{one} 하루 종일" if language(locale) == "ko" else f"{one} (all day)"
    days = day(first, locale, today), day(last, locale, today)
    return (
        "~".join(days) + " 종일" if language(locale) == "ko" else " to ".join(days) + " (all day)"
    )


def _readings(when: When, zone: str) -> tuple[datetime, datetime | None]:
    """Return the wall clock readings between which a time lies as it was said."""
    if isinstance(when, Days):
        return _midnight(when.start), _midnight(when.end or when.start + timedelta(days=1))
    if isinstance(when, WallClock):
        return when.start, _wall_end(when)
    return _local(when.start, zone), _local(when.end, zone) if when.end else None


def _wall_end(when: WallClock) -> datetime | None:
    if when.end is None and when.minutes:
        return when.start + timedelta(minutes=when.minutes)
    return when.end


def _midnight(on: date) -> datetime:
    return datetime.combine(on, time(0))


def _local(at: datetime, zone: str) -> datetime:
    """Return the naive wall clock reading of an instant."""
    if at >= FOREVER:
        return FOREVER.replace(tzinfo=None)
    return at.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
