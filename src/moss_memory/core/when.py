"""When a fact holds, as it was said; ``core/placing`` turns it into windows of UTC.

Three ways to say a time, each kept as said and placed anew when the owner's zone changes:
``Instant`` (an offset was given), ``WallClock`` (a wall time, in a named zone or floating) and
``Days`` (whole local days, the end exclusive). Each may carry a ``Series``.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime
from typing import Any, Final, TypeVar, Union, cast

from moss_memory.core import recurrence
from moss_memory.core.errors import (
    EmptyWindowError,
    InvalidRequestError,
    InvalidValueError,
    NaiveTimestampError,
)
from moss_memory.core.interval import Interval
from moss_memory.core.zones import zone

T = TypeVar("T")
RecurrenceId = datetime | date  # written like the start: aware, naive or a date


@dataclass(frozen=True, slots=True)
class Series:
    """How a time repeats: an RFC 5545 RRULE, then EXDATEs, then RECURRENCE-ID overrides.

    ``overrides`` maps an occurrence's original start to its replacement, None to delete it.
    A replacement that names no zone is in the zone of its series.
    """

    rrule: str
    exdates: tuple[RecurrenceId, ...] = ()
    overrides: tuple[tuple[RecurrenceId, Union["When", None]], ...] = ()


@dataclass(frozen=True, slots=True)
class Instant:
    """``start`` and ``end`` are UTC; an ``end`` of None is the predicate's default length."""

    start: datetime
    end: datetime | None = None
    series: Series | None = None


@dataclass(frozen=True, slots=True)
class WallClock:
    """Naive local times; ``zone`` None floats with the owner; ``minutes`` is an exact length."""

    start: datetime
    end: datetime | None = None
    minutes: int | None = None
    zone: str | None = None
    fold: int | None = None
    series: Series | None = None


@dataclass(frozen=True, slots=True)
class Days:
    """Whole local days ``[start, end)``; an ``end`` of None is one day; ``zone`` None floats."""

    start: date
    end: date | None = None
    zone: str | None = None
    series: Series | None = None


When = Instant | WallClock | Days


@dataclass(frozen=True, slots=True)
class Placement:
    """What a ``When`` means in UTC.

    ``windows`` are in order and half-open, up to the horizon; ``valid_until`` is the last end,
    ``FOREVER`` where a series or a state has none; ``notes`` are codes such as LOCAL_TIME_GAP.
    """

    windows: tuple[Interval, ...]
    valid_from: datetime
    valid_until: datetime
    notes: tuple[str, ...] = ()


def has_end(when: When) -> bool:
    """Tell whether an end was said, of one occurrence or of all: else a state is open."""
    if isinstance(when, Days) or when.series is not None or when.end is not None:
        return True
    return isinstance(when, WallClock) and when.minutes is not None


def to_json(when: When) -> dict[str, Any]:
    """Spell a ``When`` as the wire's ``when`` object, keys as in the HTTP contract."""
    spelled: dict[str, Any]
    if isinstance(when, Days):
        spelled = {"date": _say(when.start), "end_date": _say(when.end), "timezone": when.zone}
    elif isinstance(when, WallClock):
        spelled = {
            "local_start": _say(when.start), "local_end": _say(when.end),
            "minutes": when.minutes, "timezone": when.zone, "fold": when.fold,
        }  # fmt: skip
    else:
        spelled = {"start": _say(when.start), "end": _say(when.end)}
    told = {key: value for key, value in spelled.items() if value is not None}
    return told | (_series_to_json(when.series) if when.series is not None else {})


def _series_to_json(series: Series) -> dict[str, Any]:
    spelled: dict[str, Any] = {"rrule": series.rrule}
    if series.exdates:
        spelled["exdates"] = [_say(moment) for moment in series.exdates]
    if series.overrides:
        spelled["overrides"] = {
            cast("str", _say(moment)): to_json(to) if to is not None else None
            for moment, to in series.overrides
        }
    return spelled


def _say(moment: date | None) -> str | None:
    if not isinstance(moment, datetime):
        return None if moment is None else moment.isoformat()
    text = moment.isoformat()
    return text if moment.tzinfo is None else text.removesuffix("+00:00") + "Z"


def from_json(spelled: Mapping[str, Any]) -> When:
    """Read the wire's ``when`` object.

    Raises:
        InvalidRequestError: unknown or contradicting keys, a wrong type, a malformed time.
        NaiveTimestampError: ``start`` or ``end`` without an offset.
        EmptyWindowError: an end at or before its start.
        InvalidValueError: a time or a length beyond what can be placed.
        UnknownZoneError, UnboundedRecurrenceError: as they say.
    """
    if not isinstance(spelled, Mapping):
        raise InvalidRequestError("A when is an object.")
    told = {key: value for key, value in spelled.items() if value is not None}
    kind = [key for key in _READERS if key in told]
    if len(kind) != 1:
        raise InvalidRequestError("A when has one of start, local_start and date.")
    read, allowed = _READERS[kind[0]]
    if not told.keys() <= allowed | _SERIES_KEYS:
        raise InvalidRequestError("A when holds a key that does not belong to its kind.")
    return read(told)


def _read_instant(told: Mapping[str, Any]) -> Instant:
    start, end = _aware(told["start"]), _optional(told, "end", _aware)
    if end is not None and end <= start:
        raise EmptyWindowError
    return Instant(start, end, _read_series(told, _aware))


def _read_wall(told: Mapping[str, Any]) -> WallClock:
    start, end = _local(told["local_start"]), _optional(told, "local_end", _local)
    minutes, fold = _optional(told, "minutes", _integer), _optional(told, "fold", _integer)
    if end is not None and minutes is not None:
        raise InvalidRequestError("A when has local_end or minutes, not both.")
    if (end is not None and end <= start) or (minutes is not None and minutes <= 0):
        raise EmptyWindowError
    if fold not in {None, 0, 1}:
        raise InvalidRequestError("A fold is 0 or 1.")
    return WallClock(start, end, minutes, _zone(told), fold, _read_series(told, _local))


def _read_days(told: Mapping[str, Any]) -> Days:
    start, end = _day(told["date"]), _optional(told, "end_date", _day)
    if end is not None and end <= start:
        raise EmptyWindowError
    return Days(start, end, _zone(told), _read_series(told, _day))


_SERIES_KEYS: Final = frozenset({"rrule", "exdates", "overrides"})
_READERS: Final[dict[str, tuple[Callable[[Mapping[str, Any]], When], frozenset[str]]]] = {
    "start": (_read_instant, frozenset({"start", "end"})),
    "local_start": (
        _read_wall, frozenset({"local_start", "local_end", "minutes", "timezone", "fold"})
    ),
    "date": (_read_days, frozenset({"date", "end_date", "timezone"})),
}  # fmt: skip


def _read_series(told: Mapping[str, Any], moment: Callable[[Any], RecurrenceId]) -> Series | None:
    if "rrule" not in told:
        if told.keys() & _SERIES_KEYS:
            raise InvalidRequestError("Exdates and overrides belong to an rrule.")
        return None
    rrule, exdates = told["rrule"], told.get("exdates", [])
    overrides = told.get("overrides", {})
    shaped = isinstance(rrule, str) and isinstance(exdates, list) and isinstance(overrides, Mapping)
    if not shaped or len(exdates) + len(overrides) > _MAX_EXCEPTIONS:
        raise InvalidRequestError("A recurrence is a text, a list of exdates, and overrides.")
    recurrence.parse(rrule)
    return Series(
        rrule,
        tuple(moment(text) for text in exdates),
        tuple((moment(text), _read_override(to)) for text, to in overrides.items()),
    )


def _read_override(spelled: object) -> When | None:
    if spelled is None:
        return None
    if not isinstance(spelled, Mapping) or spelled.keys() & _SERIES_KEYS:
        raise InvalidRequestError("An override is one occurrence, or null.")
    return from_json(spelled)


_MAX_EXCEPTIONS: Final = 1000
_MAX_MINUTES: Final = 100_000_000
_CLOCK: Final = r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?"
_LOCAL: Final = re.compile(_CLOCK, re.ASCII)
_AWARE: Final = re.compile(rf"{_CLOCK}([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def _optional(told: Mapping[str, Any], key: str, read: Callable[[Any], T]) -> T | None:
    return read(told[key]) if key in told else None


def _aware(text: object) -> datetime:
    if isinstance(text, str) and (_LOCAL.fullmatch(text) or _DAY.fullmatch(text)):
        raise NaiveTimestampError
    if not isinstance(text, str) or not _AWARE.fullmatch(text):
        raise InvalidRequestError("An instant is written as RFC 3339 has it.")
    moment = _parsed(datetime.fromisoformat, text.upper())
    if moment.year in {MINYEAR, MAXYEAR}:  # the offset could carry it out of what a datetime holds
        raise InvalidValueError("A time lies outside the years that can be placed.")
    return moment.astimezone(UTC)


def _local(text: object) -> datetime:
    if not isinstance(text, str) or not _LOCAL.fullmatch(text):
        raise InvalidRequestError("A local time is written without an offset, as 2026-07-17T10:00.")
    return _parsed(datetime.fromisoformat, text.upper())


def _day(text: object) -> date:
    if not isinstance(text, str) or not _DAY.fullmatch(text):
        raise InvalidRequestError("A day is written as 2026-07-17.")
    return _parsed(date.fromisoformat, text)


def _parsed(read: Callable[[str], T], text: str) -> T:
    try:
        return read(text)
    except ValueError as error:
        raise InvalidRequestError("There is no such day or time.") from error


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidRequestError("A length or a fold is a whole number.")
    if abs(value) > _MAX_MINUTES:
        raise InvalidValueError("The length is beyond what can be placed.")
    return value


def _zone(told: Mapping[str, Any]) -> str | None:
    name = told.get("timezone")
    if name is not None and not isinstance(name, str):
        raise InvalidRequestError("A timezone is an IANA name.")
    return zone(name).key if name is not None else None
