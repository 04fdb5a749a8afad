"""Placing a time in UTC: days, wall clocks and series become half-open windows.

Zones follow the IANA database, clock changes RFC 5545 3.3.5, series RFC 5545 3.8.5. A series is
walked in its own zone and converted occurrence by occurrence, never further than asked.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from moss_memory.core import recurrence
from moss_memory.core.errors import EmptyWindowError, InvalidValueError, UnboundedRecurrenceError
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.recurrence import Rule
from moss_memory.core.when import Days, Instant, Placement, RecurrenceId, Series, WallClock, When
from moss_memory.core.zones import GAP, day_start, to_utc, zone

YEARS: Final = range(1900, 2201)  # what a time may name; keeps all arithmetic far from overflow
LINTED_UNTIL: Final = "LINTED_UNTIL"
SERIES_AHEAD: Final = timedelta(days=731)  # a series is placed this far on from its start
FIRST_WITHIN: Final = timedelta(days=3653)
MAX_OCCURRENCES: Final = 10_000

_LAST_DAY: Final = date(YEARS[-1] - 1, 12, 31)  # the last occurrence may still last a year
_MAX_MINUTES: Final = 400 * 366 * 1440  # more than the years allow, and safe to add


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """What a time needs besides its own words; ``notes`` are collected on the way."""

    tz: ZoneInfo
    default_minutes: int | None
    whole_day: bool
    longest: timedelta | None
    notes: set[str] = field(default_factory=set)


def place(
    when: When,
    *,
    owner_zone: str,
    default_minutes: int | None,
    horizon: datetime,
    whole_day: bool = False,
    longest: timedelta | None = None,
) -> Placement:
    """Place ``when`` in UTC.

    Args:
        when: the time as said.
        owner_zone: IANA name; for floating times, and for the recurrence of an instant.
        default_minutes: the length where no end is said; None is an open end.
        horizon: a series is placed up to here (UTC), and two years on from its start at least;
            where it goes on, the notes say LINTED_UNTIL.
        whole_day: where no end is said, up to the end of the local day instead; so is an
            occurrence of a series for which neither an end nor a default is known.
        longest: what one occurrence may last at most; None is any length.

    Raises:
        UnknownZoneError, EmptyWindowError: as they say.
        InvalidValueError: longer than ``longest``, or outside the years 1900 to 2200.
        UnboundedRecurrenceError: finer than daily, more than 10,000 occurrences before the
            horizon, or none within ten years of the start.
    """
    named = None if isinstance(when, Instant) else when.zone
    frame = _Frame(
        tz=zone(named or owner_zone),
        default_minutes=default_minutes,
        whole_day=whole_day,
        longest=longest,
    )
    if when.series is not None:
        return _place_series(when, when.series, frame, horizon)
    window = _single(when, frame)
    return Placement((window,), window.start, window.end, tuple(sorted(frame.notes)))


def _single(when: When, frame: _Frame) -> Interval:
    """Place one occurrence."""
    _check_years(when.start)
    if when.end is not None:
        _check_years(when.end)
    if isinstance(when, Days):
        start, end = _days(when, frame)
    elif isinstance(when, WallClock):
        start, end = _wall(when, frame)
    else:
        start, end = when.start, when.end or _default_end(when.start, frame)
    if start >= end:
        raise EmptyWindowError
    _check_years(start)
    if end != FOREVER:
        _check_years(end)
    if frame.longest is not None and end - start > frame.longest:
        raise InvalidValueError("One occurrence lasts longer than this predicate allows.")
    return Interval(start, end)


def _check_years(moment: date) -> None:
    if moment.year not in YEARS:
        raise InvalidValueError("A time lies outside the years 1900 to 2200.")


def _days(when: Days, frame: _Frame) -> tuple[datetime, datetime]:
    end = when.end or when.start + timedelta(days=1)
    return day_start(when.start, frame.tz), day_start(end, frame.tz)


def _wall(when: WallClock, frame: _Frame) -> tuple[datetime, datetime]:
    start = _instant(when.start, when.fold, frame)
    if when.minutes is not None:
        return start, start + timedelta(minutes=min(when.minutes, _MAX_MINUTES))
    if when.end is None:
        return start, _default_end(start, frame)
    if when.end <= when.start:
        raise EmptyWindowError
    end = _instant(when.end, when.fold, frame)
    # A clock change between the two can turn them round: then the length as said counts.
    return start, end if end > start else start + (when.end - when.start)


def _instant(wall: datetime, fold: int | None, frame: _Frame) -> datetime:
    instant, note = to_utc(wall, frame.tz, fold)
    if note:
        frame.notes.add(note)
    return instant


def _default_end(start: datetime, frame: _Frame) -> datetime:
    if frame.whole_day:
        return day_start(start.astimezone(frame.tz).date() + timedelta(days=1), frame.tz)
    if frame.default_minutes is None:
        return FOREVER
    return start + timedelta(minutes=frame.default_minutes)


@dataclass(slots=True)
class _Found:
    """The windows of a series up to its reach, and its last start of those beyond."""

    windows: list[Interval] = field(default_factory=list)
    beyond: datetime | None = None

    def add(self, window: Interval) -> None:
        self.windows.append(window)
        if len(self.windows) > MAX_OCCURRENCES:
            raise UnboundedRecurrenceError("The recurrence has too many occurrences to judge.")


def _place_series(when: When, series: Series, frame: _Frame, horizon: datetime) -> Placement:
    _check_years(when.start)
    rule, first = recurrence.parse(series.rrule), _naive(when.start, frame.tz)
    if next(recurrence.starts(rule, first, frame.tz, (first + FIRST_WITHIN).date()), None) is None:
        raise UnboundedRecurrenceError
    if frame.default_minutes is None:
        frame = replace(frame, whole_day=True)
    endless = rule.count is None and (rule.until is None or rule.until.year > YEARS[-1])
    reach = max(_naive(min(horizon, FOREVER), frame.tz), first + SERIES_AHEAD)
    found = _walk(when, series, frame, _Range(rule, first, reach, endless=endless))
    if not found.windows:
        raise UnboundedRecurrenceError("The recurrence has no occurrence left.")
    windows = tuple(sorted(found.windows))
    until = max(window.end for window in windows)
    if found.beyond is not None:
        until = max(until, _single(_shifted(when, first, frame)(found.beyond), frame).end)
        frame.notes.add(LINTED_UNTIL)
    notes = tuple(sorted(frame.notes | ({LINTED_UNTIL} if endless else set())))
    return Placement(windows, windows[0].start, FOREVER if endless else until, notes)


@dataclass(frozen=True, slots=True)
class _Range:
    """Which starts to walk: naive local times from ``first``; those after ``reach`` are beyond."""

    rule: Rule
    first: datetime
    reach: datetime
    endless: bool

    def starts(self, tz: ZoneInfo, moved: list[datetime]) -> Iterator[datetime]:
        last = max([self.reach, *moved]).date() if self.endless else _LAST_DAY
        return recurrence.starts(self.rule, self.first, tz, min(last, _LAST_DAY))


def _walk(when: When, series: Series, frame: _Frame, walked: _Range) -> _Found:
    removed = {_naive(x, frame.tz) for x in series.exdates}
    moved = {_naive(x, frame.tz): to for x, to in series.overrides}
    shifted = _shifted(when, walked.first, frame)
    found = _Found()
    for start in walked.starts(frame.tz, list(moved)):
        if start in removed:
            continue
        if start in moved:
            replacement = moved[start]
            if replacement is not None:
                found.add(_single(replacement, _framed(replacement, frame)))
        elif start > walked.reach:
            found.beyond = start
        else:
            _add_shifted(found, shifted(start), frame)
    return found


def _add_shifted(found: _Found, when: When, frame: _Frame) -> None:
    try:
        found.add(_single(when, frame))
    except EmptyWindowError:
        if not isinstance(when, Days) or (when.end is not None and when.end <= when.start):
            raise
        frame.notes.add(GAP)  # a day that the zone skipped whole: no occurrence, and said so


def _shifted(when: When, first: datetime, frame: _Frame) -> Callable[[datetime], When]:
    """Return how the occurrence at a naive local start reads."""
    if isinstance(when, Days):
        days = (when.end or when.start + timedelta(days=1)) - when.start
        return lambda start: Days(start.date(), start.date() + days)
    if isinstance(when, WallClock):
        length = when.end - first if when.end is not None else None
        return lambda start: WallClock(
            start, start + length if length is not None else None, when.minutes, None, when.fold
        )
    exact, fold = when.end - when.start if when.end else None, when.start.astimezone(frame.tz).fold

    def at(start: datetime) -> Instant:
        instant = _instant(start, fold, frame)
        return Instant(instant, instant + exact if exact is not None else None)

    return at


def skipping(
    when: When, owner_zone: str, gone: Collection[datetime], *, before: datetime = FOREVER
) -> When:
    """Return a series without the occurrences that begin at these instants, or from ``before`` on.

    An occurrence of the rule becomes an EXDATE, spelled like the start; a moved one is deleted;
    an end becomes the rule's UNTIL. What does not repeat is returned as it is.

    Raises:
        UnknownZoneError: ``owner_zone`` is no zone.
    """
    series = when.series
    if series is None:
        return when
    named = None if isinstance(when, Instant) else when.zone
    frame = _Frame(tz=zone(named or owner_zone), default_minutes=1, whole_day=False, longest=None)

    def stays(to: When) -> bool:
        start = _single(to, _framed(to, frame)).start
        return start not in gone and start < before

    overrides = tuple(
        (at, to if to is not None and stays(to) else None) for at, to in series.overrides
    )
    exdates = tuple(_spelled(when, start, frame) for start in _begun(when, series, frame, gone))
    rrule = series.rrule if before == FOREVER else recurrence.ended(series.rrule, before)
    return replace(when, series=Series(rrule, (*series.exdates, *exdates), overrides))


def _begun(
    when: When, series: Series, frame: _Frame, gone: Collection[datetime]
) -> Iterator[datetime]:
    """Yield the naive starts of the rule's own occurrences that begin at these instants."""
    if not gone:
        return
    rule, first = recurrence.parse(series.rrule), _naive(when.start, frame.tz)
    at = _shifted(when, first, frame)
    apart = {_naive(x, frame.tz) for x in (*series.exdates, *(at for at, _ in series.overrides))}
    last = max(gone).astimezone(frame.tz).date() + timedelta(days=1)
    for start in recurrence.starts(rule, first, frame.tz, last):
        if start not in apart and _single(at(start), frame).start in gone:
            yield start


def _spelled(when: When, start: datetime, frame: _Frame) -> RecurrenceId:
    if isinstance(when, Days):
        return start.date()
    if isinstance(when, WallClock):
        return start
    return _instant(start, when.start.astimezone(frame.tz).fold, frame)


def _framed(replacement: When, frame: _Frame) -> _Frame:
    """Let a replacement that names a zone of its own be placed there."""
    named = None if isinstance(replacement, Instant) else replacement.zone
    return frame if named is None else replace(frame, tz=zone(named))


def _naive(moment: RecurrenceId, tz: ZoneInfo) -> datetime:
    """Spell an occurrence's start, an instant or a day too, as the series' wall clock does."""
    if not isinstance(moment, datetime):
        return datetime(moment.year, moment.month, moment.day)  # noqa: DTZ001  a wall time
    if moment.tzinfo is None:
        return moment
    return moment.astimezone(UTC).astimezone(tz).replace(tzinfo=None)
