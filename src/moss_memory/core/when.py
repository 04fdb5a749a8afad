"""When a fact holds, as it was said, and the windows of UTC that follow from it.

Three ways to say a time, each kept as said and placed anew when the owner's zone changes:
``Instant`` (an offset was given), ``WallClock`` (a wall time, in a named zone or floating) and
``Days`` (whole local days, the end exclusive). Each may carry a ``Series``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Union

from moss_memory.core.interval import Interval

RecurrenceId = datetime | date  # written like the start: aware, naive or a date


@dataclass(frozen=True, slots=True)
class Series:
    """How a time repeats: an RFC 5545 RRULE, then EXDATEs, then RECURRENCE-ID overrides.

    ``overrides`` maps an occurrence's original start to its replacement, None to delete it.
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


def to_json(when: When) -> dict[str, Any]:
    """Spell a ``When`` as the wire's ``when`` object, keys as in the HTTP contract."""
    raise NotImplementedError


def from_json(spelled: Mapping[str, Any]) -> When:
    """Read the wire's ``when`` object, refusing what is malformed with its own error."""
    raise NotImplementedError
