"""Naive wall-clock times, and where words are read from."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from moss_memory.language.times.mention import Flag, Grain


@dataclass(frozen=True, slots=True)
class Local:
    """A naive wall-clock time ``[start, end)``; ``end`` None where none is named.

    ``days`` says that it is whole local days. ``other`` is a second reading.
    ``until`` is the last day on which it may repeat.
    """

    start: datetime
    end: datetime | None
    grain: Grain
    days: bool = False
    flags: frozenset[Flag] = frozenset()
    other: tuple[datetime, datetime | None] | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """Where words are read from: the owner's wall clock, and whether they speak of the past."""

    now: datetime
    past: bool = False

    @property
    def today(self) -> date:
        """The local day of the reference instant."""
        return self.now.date()


def midnight(day: date) -> datetime:
    """Name the instant a local day begins."""
    return datetime.combine(day, time())


def delta(amount: float, unit: str) -> timedelta:
    """Name an exact length of seconds, minutes or hours."""
    return timedelta(**{f"{unit}s": amount})
