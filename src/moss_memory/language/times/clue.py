"""What single words say about a time, before they are put together.

A clue is a partial statement: "Friday", "next week", "the 18th", "10", "오전". Clues about one
time are merged field by field, and a field that two of them claim differently keeps them apart.
"""

from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from typing import Literal

Half = Literal["am", "pm"]
DayPartName = Literal[
    "dawn",
    "morning",
    "noon",
    "afternoon",
    "evening",
    "night",
    "tonight",
    "lunch",
]
Mod = Literal["this", "next", "last", "coming", "after_next"]
Section = Literal["early", "mid", "late", "first_day", "last_day"]
Unit = Literal["second", "minute", "hour", "day", "week", "month", "year"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DateClue:
    """Constraints on a local date or a span of dates; None where nothing is said.

    ``days`` counts from today; ``week``, ``months`` and ``years`` are whole units away from the
    current one. ``nth`` is the nth ``weekday`` of its month and ``nth_week`` the nth week, -1 the
    last. ``section`` is a third or an end of the unit. ``span`` is already resolved.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    mod: Mod | None = None
    days: int | None = None
    week: int | None = None
    months: int | None = None
    years: int | None = None
    weekend: bool | None = None
    weekdays: bool | None = None
    nth: int | None = None
    nth_week: int | None = None
    section: Section | None = None
    quarter: int | None = None
    half_year: int | None = None
    span: tuple[date, date] | None = None
    around: Literal["week"] | None = None  # the whole unit that holds the date
    swapped: tuple[int, int] | None = None  # (month, day) if the numbers were read the other way


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """A wall time; ``half`` None where the words leave am or pm open (and ``hour`` is 1..12).

    ``hour`` 24 is the midnight that ends the day.
    """

    hour: int
    minute: int = 0
    second: int = 0
    half: Half | None = None
    exact: bool = False  # a 24-hour clock, noon, midnight: no policy applies


@dataclass(frozen=True, slots=True)
class DayPart:
    """A part of the day: a window when it stands alone, am or pm beside a clock time."""

    name: DayPartName


@dataclass(frozen=True, slots=True)
class Shift:
    """An amount of time from now or from the date beside it; negative is earlier.

    ``anchored`` says that the words ask for another time to count from ("2 days after ...").
    """

    amount: float
    unit: Unit
    anchored: bool = False
    window: bool = False  # "the next 3 days": the span up to there, not the day itself
    bound: bool = False  # "within 3 days"


@dataclass(frozen=True, slots=True)
class Length:
    """How long something lasts."""

    amount: float
    unit: Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Every:
    """A repetition: an RFC 5545 FREQ, its interval and the weekdays it names (Monday 0)."""

    freq: Literal["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]
    interval: int = 1
    byday: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Zone:
    """An IANA zone that words name."""

    name: str


@dataclass(frozen=True, slots=True)
class HalfDay:
    """Half a day of leave; ``half`` None where the words do not say which."""

    half: Half | None


@dataclass(frozen=True, slots=True)
class At:
    """An instant of the owner's wall clock that words name by itself: "now", "in 5 minutes"."""

    moment: datetime
    grain: Literal["second", "minute", "hour"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A word that orders the times around it."""

    kind: Literal["from", "to", "and", "after", "before", "by", "between", "correct", "since"]


Value = DateClue | Clock | DayPart | Shift | Length | Every | Zone | HalfDay | At | Mark


@dataclass(frozen=True, slots=True)
class Part:
    """A clue and the words ``text[start:end]`` that gave it."""

    start: int
    end: int
    value: Value


def merge(a: DateClue, b: DateClue) -> DateClue | None:
    """Put two clues about one date together; None where they claim different things.

    A weekday, a date and a day counted from today may stand side by side: whether they agree is
    known only once they are resolved. "next" on a weekday and "next week" say the same.
    """
    changes: dict[str, object] = {}
    for field in fields(DateClue):
        mine, yours = getattr(a, field.name), getattr(b, field.name)
        if mine is not None and yours is not None and mine != yours:
            return None
        if mine is None and yours is not None:
            changes[field.name] = yours
    return replace(a, **changes)  # type: ignore[arg-type]


def override(a: DateClue, b: DateClue) -> DateClue:
    """Let a correction replace what it contradicts: "the 3rd, sorry, the 4th"."""
    both = merge(a, b)
    return b if both is None or _same_kind(a, b) else both


def _same_kind(a: DateClue, b: DateClue) -> bool:
    pointing = ("day", "weekday", "days", "span")
    return any(getattr(a, name) is not None for name in pointing) and any(
        getattr(b, name) is not None for name in pointing
    )
