"""A time that words name, placed in the owner's calendar and in UTC."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from moss_memory.core.interval import Interval
from moss_memory.core.when import When

Grain = Literal["second", "minute", "hour", "part", "day", "week", "month", "year"]
Flag = Literal[
    "past",  # a bare date that has gone by this year: ``alternatives`` hold this year's
    "past_instant",  # the window named lies wholly before the reference
    "half_day",  # a half day without a half
    "weekday_mismatch",  # a weekday and a date that disagree: ``alternatives`` hold the weekday's
    "gap",  # a clock change skips this wall time
    "fold",  # a clock change repeats this wall time: ``alternatives`` hold the second one
    "working_hours",  # an hour without am or pm, read by working-hours policy
    "policy_half",  # a half day, read as the hours that policy gives it
    "correction",  # a later word replaced an earlier one
    "deadline",  # "by", "until", "까지": the end of a time, not its start
    "after",  # "after", "이후": open towards the end of its day
    "before",  # "before", "전": open towards the start of its day
    "impossible",  # a date that no calendar has, such as 30 February
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeMention:
    """Words ``text[start:end]`` and the time they name.

    ``when`` is the time as said, in the owner's wall clock or the zone named in the words, with
    its ``Series`` where it repeats. ``window`` is its first occurrence in UTC: a day is a whole
    local day, a clock time without an end lasts an hour. ``local_start`` and ``local_end`` are
    naive, in the owner's zone; ``local_end`` is None where the words name no end.
    ``alternatives`` are other readings, for a question. ``spans`` are the stretches of the words
    that speak of the time, where other words stand between them.
    """

    text: str
    start: int
    end: int
    when: When
    window: Interval
    local_start: datetime
    local_end: datetime | None
    grain: Grain
    has_date: bool
    has_clock: bool
    flags: frozenset[str] = frozenset()
    rrule: str | None = None
    zone: str | None = None
    alternatives: tuple[When, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
