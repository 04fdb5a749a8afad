"""Dates out of clues: from "Friday" and "next week" to a span of local days. Pure arithmetic."""

# ruff: noqa: PLR2004 - 12 hours and months, 28 to 31 days are the calendar's own numbers

from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date, timedelta

from moss_memory.language.times.clue import DateClue
from moss_memory.language.times.mention import Flag, Grain

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class DaySpan:
    """Local days ``[start, end)``; ``other`` is a second reading for a question."""

    start: date
    end: date
    grain: Grain = "day"
    flags: frozenset[Flag] = frozenset()
    other: tuple[date, date] | None = None


def add_months(day: date, months: int) -> date:
    """Move by whole months; the 31st becomes the last day of a shorter month."""
    years, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(years, month + 1, min(day.day, monthrange(years, month + 1)[1]))


def monday_of(day: date) -> date:
    """Name the Monday of the ISO week of ``day``."""
    return day - timedelta(days=day.weekday())


def settle(clue: DateClue, today: date, *, past: bool = False) -> DaySpan | None:
    """Resolve what a clue says; None where no calendar has such a date.

    ``past`` says that the sentence speaks of what has been: then a bare weekday or date is the
    last one, not the coming one.
    """
    try:
        span = _settle(clue, today, past=past)
        return _week_of(span) if clue.around is not None else span
    except (ValueError, OverflowError):
        return None


def _week_of(span: DaySpan | None) -> DaySpan | None:
    if span is None:
        return None
    monday = monday_of(span.start)
    return DaySpan(monday, monday + 7 * _DAY, "week", span.flags)


def _settle(clue: DateClue, today: date, *, past: bool) -> DaySpan | None:
    if clue.span is not None:
        return DaySpan(*clue.span)
    if clue.days is not None:
        return _checked(clue, today + clue.days * _DAY, today)
    if clue.weekday is not None and not clue.weekend and (clue.nth or clue.nth_week):
        return _nth_weekday(replace(clue, nth=clue.nth or clue.nth_week, nth_week=None), today)
    if clue.nth_week is not None:
        return _nth_week(clue, today)
    return _plain(clue, today, past=past)


def _plain(clue: DateClue, today: date, *, past: bool) -> DaySpan | None:
    if clue.day is not None:
        return _numbered(clue, today, past=past)
    if clue.weekend:
        return _weekend(clue, today)
    if clue.weekday is not None:
        return _weekday(clue, today, past=past)
    return _unit(clue, today, past=past)


def _one(day: date, *flags: Flag, other: date | None = None) -> DaySpan:
    span = None if other is None else (other, other + _DAY)
    return DaySpan(day, day + _DAY, "day", frozenset(flags), span)


def _checked(clue: DateClue, day: date, today: date) -> DaySpan:
    """Hold a day against the weekday and the numbers said beside it ("tomorrow, Friday (7/17)")."""
    if clue.day is not None:
        month = clue.month if clue.month is not None else day.month
        if (month, clue.day) != (day.month, day.day):
            numbered = _numbered(replace(clue, days=None, weekday=None), today, past=False)
            return _one(day, "weekday_mismatch", other=numbered.start if numbered else None)
    if clue.weekday is not None and clue.weekday != day.weekday():
        return _one(day, "weekday_mismatch", other=_nearest_weekday(day, clue.weekday, today))
    return _one(day)


def _nearest_weekday(day: date, weekday: int, today: date) -> date:
    ahead = day + ((weekday - day.weekday()) % 7) * _DAY
    behind = ahead - 7 * _DAY
    return behind if behind >= today and day - behind <= ahead - day else ahead


def _base_month(clue: DateClue, today: date) -> tuple[int, int] | None:
    """Name the (year, month) that a clue pins down, None where only a day number is said."""
    if clue.months is not None:
        moved = add_months(today.replace(day=1), clue.months)
        return moved.year, moved.month
    if clue.month is None:
        return None
    return _year_for(clue, today), clue.month


def _year_for(clue: DateClue, today: date) -> int:
    if clue.year is not None:
        return clue.year
    if clue.years is not None:
        return today.year + clue.years
    month = clue.month or today.month
    if clue.mod == "last":
        return today.year - (month >= today.month)
    if clue.mod == "next":
        return today.year + (month <= today.month)
    return today.year


def _numbered(clue: DateClue, today: date, *, past: bool) -> DaySpan | None:
    assert clue.day is not None
    pinned = _base_month(clue, today)
    if pinned is None:
        return _day_of_month(clue, today, past=past)
    fixed = clue.year is not None or clue.years is not None or clue.months is not None
    year, month = pinned
    if fixed or clue.mod in ("this", "last"):
        return _checked(replace(clue, day=None), date(year, month, clue.day), today)
    return _yearless(clue, month, today, past=past)


def _yearless(clue: DateClue, month: int, today: date, *, past: bool) -> DaySpan | None:
    """A month and a day without a year: this year's, and next year's where that has gone by."""
    assert clue.day is not None
    years = [year for year in range(today.year, today.year + 9) if _exists(year, month, clue.day)]
    if not years:
        return None
    first = date(years[0], month, clue.day)
    bare = replace(clue, day=None)
    if first >= today or past:
        back = first if first <= today or not past else first.replace(year=first.year - 1)
        return _checked(bare, back, today)
    ahead = next(date(year, month, clue.day) for year in years if year > first.year)
    span = _one(ahead) if clue.weekday == first.weekday() else _checked(bare, ahead, today)
    if first.year != today.year:
        return span
    return replace(span, flags=span.flags | {"past"}, other=(first, first + _DAY))


def _exists(year: int, month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def _day_of_month(clue: DateClue, today: date, *, past: bool) -> DaySpan | None:
    """A bare day number: this month's, else the next month that has it."""
    assert clue.day is not None
    if clue.week is not None:  # "the 18th next week"
        monday = monday_of(today) + 7 * clue.week * _DAY
        days = [monday + n * _DAY for n in range(7)]
        return next((_one(day) for day in days if day.day == clue.day), None)
    step = -1 if past and clue.day > today.day else 0
    for count in range(13):
        first = add_months(today.replace(day=1), step + (count if not past else -count))
        if not _exists(first.year, first.month, clue.day):
            continue
        found = first.replace(day=clue.day)
        if (found >= today or past) and not (count < _AHEAD and _off_weekday(clue, found)):
            return _checked(replace(clue, day=None), found, today)
    return None


_AHEAD = 1  # "Mon 13th": the next month may be meant, a later one is asked about


def _off_weekday(clue: DateClue, found: date) -> bool:
    """Whether this month's day misses its weekday while next month's has it."""
    if clue.weekday is None or found.weekday() == clue.weekday:
        return False
    first = add_months(found.replace(day=1), 1)
    exists = _exists(first.year, first.month, found.day)
    return exists and first.replace(day=found.day).weekday() == clue.weekday


def _nth_weekday(clue: DateClue, today: date) -> DaySpan | None:
    assert clue.nth is not None
    assert clue.weekday is not None
    if clue.year is not None and clue.month is None and clue.months is None:
        return _nth_of(date(clue.year, 1, 1), date(clue.year + 1, 1, 1), clue)
    if clue.years is not None and clue.month is None:
        year = today.year + clue.years
        return _nth_of(date(year, 1, 1), date(year + 1, 1, 1), clue)
    pinned = _base_month(clue, today)
    for ahead in range(13):
        first = add_months(date(*pinned, 1) if pinned else today.replace(day=1), ahead)
        span = _nth_of(first, add_months(first, 1), clue)
        loose = pinned is None or (clue.month is not None and clue.year is None)
        if span and (not loose or clue.years is not None or span.start >= today):
            return span
        if pinned is not None:
            return _nth_of(add_months(first, 12), add_months(first, 13), clue)
    return None


def _nth_of(first: date, after: date, clue: DateClue) -> DaySpan | None:
    assert clue.nth is not None
    assert clue.weekday is not None
    if clue.nth < 0:
        last = after - _DAY
        return _one(last - ((last.weekday() - clue.weekday) % 7 + 7 * (-clue.nth - 1)) * _DAY)
    day = first + ((clue.weekday - first.weekday()) % 7 + 7 * (clue.nth - 1)) * _DAY
    return _one(day) if day < after else None


def _nth_week(clue: DateClue, today: date) -> DaySpan | None:
    """The nth week of a month, the week that holds its first day being the first."""
    assert clue.nth_week is not None
    if clue.month is None and clue.months is None and (clue.year or clue.years is not None):
        year = clue.year or today.year + (clue.years or 0)
        nth = clue.nth_week if clue.nth_week > 0 else date(year, 12, 28).isocalendar().week
        monday = date.fromisocalendar(year, nth, 1)
        return DaySpan(monday, monday + 7 * _DAY, "week")
    pinned = _base_month(clue, today) or (today.year, today.month)
    span = _week_in(date(*pinned, 1), clue)
    bare = clue.year is None and clue.months is None and clue.years is None and clue.mod is None
    if bare and span.end <= today:
        step = 12 if clue.month is not None else 1
        span = _week_in(add_months(date(*pinned, 1), step), clue)
    return span


def _week_in(first: date, clue: DateClue) -> DaySpan:
    assert clue.nth_week is not None
    last = add_months(first, 1) - _DAY
    if clue.nth_week < 0:  # ISO 8601, KS X ISO 8601: a week belongs where its Thursday is
        monday = monday_of(last - (last.weekday() - 3) % 7 * _DAY)
    else:
        monday = (
            monday_of(first + (3 - first.weekday()) % 7 * _DAY) + 7 * (clue.nth_week - 1) * _DAY
        )
    if clue.weekend:
        return DaySpan(monday + 5 * _DAY, monday + 7 * _DAY)
    return DaySpan(monday, monday + 7 * _DAY, "week")


def _weekend(clue: DateClue, today: date) -> DaySpan:
    week = clue.week
    if week is None:
        week = {"next": 1, "last": -1, "after_next": 2}.get(clue.mod or "", 0)
    saturday = monday_of(today) + (5 + 7 * week) * _DAY
    return DaySpan(saturday, saturday + 2 * _DAY)


def _weekday(clue: DateClue, today: date, *, past: bool) -> DaySpan:
    assert clue.weekday is not None
    if clue.week is not None:
        return _one(monday_of(today) + (clue.weekday + 7 * clue.week) * _DAY)
    if clue.mod == "next":
        return _one(monday_of(today) + (clue.weekday + 7) * _DAY)
    if clue.mod == "after_next":
        return _one(monday_of(today) + (clue.weekday + 14) * _DAY)
    ahead = (clue.weekday - today.weekday()) % 7
    if clue.mod == "last" or (past and clue.mod is None):
        return _one(today - (7 - ahead if ahead else 7) * _DAY)
    return _one(today + (ahead or (0 if clue.mod == "this" else 7)) * _DAY)


def _unit(clue: DateClue, today: date, *, past: bool) -> DaySpan | None:
    """Weeks, months, quarters, halves and years, whole or in part."""
    if clue.week is not None:
        start = monday_of(today) + 7 * clue.week * _DAY
        return _sectioned(clue, DaySpan(start, start + (5 if clue.weekdays else 7) * _DAY, "week"))
    year = clue.year if clue.year is not None else today.year + (clue.years or 0)
    if clue.quarter is not None or clue.half_year is not None:
        return _sectioned(clue, _fraction(clue, year, today))
    pinned = _base_month(clue, today)
    if pinned is not None:
        return _sectioned(clue, _month(clue, date(*pinned, 1), today, past=past))
    if clue.year is not None or clue.years is not None:
        return _sectioned(clue, DaySpan(date(year, 1, 1), date(year + 1, 1, 1), "year"))
    if clue.section is not None:  # "월말", "말일" without a month: this one
        first = today.replace(day=1)
        return _sectioned(clue, DaySpan(first, add_months(first, 1), "month"))
    return None


def _fraction(clue: DateClue, year: int, today: date) -> DaySpan:
    size = 3 if clue.quarter is not None else 6
    start = date(year, 1, 1)
    start = add_months(start, size * ((clue.quarter or clue.half_year or 1) - 1))
    span = DaySpan(start, add_months(start, size), "month")
    if span.end <= today and clue.year is None and clue.years is None:
        return DaySpan(add_months(start, 12), add_months(start, 12 + size), "month")
    return span


def _month(clue: DateClue, first: date, today: date, *, past: bool) -> DaySpan:
    span = DaySpan(first, add_months(first, 1), "month")
    loose = clue.year is None and clue.months is None and clue.years is None and clue.mod is None
    if not loose or (span.end > today and not past):
        return span
    if past:
        back = first if first <= today else add_months(first, -12)
        return DaySpan(back, add_months(back, 1), "month")
    ahead = add_months(first, 12)
    return DaySpan(ahead, add_months(ahead, 1), "month")


def _sectioned(clue: DateClue, span: DaySpan) -> DaySpan:
    """Cut a unit to its early, middle or late part; a month by tens of days."""
    if clue.section is None:
        return span
    last = span.end - _DAY
    if clue.section == "first_day":
        return _one(span.start)
    if clue.section == "last_day":
        return _one(last)
    length = (span.end - span.start).days
    if 28 <= length <= 31:
        first, second = span.start + 10 * _DAY, span.start + 20 * _DAY
    elif length in (5, 7):
        first, second = span.start + 3 * _DAY, span.start + 3 * _DAY
    else:
        first, second = (
            add_months(span.start, round(length / 91)),
            add_months(span.start, round(length * 2 / 91)),
        )
    cuts = {"early": (span.start, first), "late": (second, span.end), "mid": (first, second)}
    start, end = cuts[clue.section]
    if start >= end:
        start, end = start - 2 * _DAY, start + _DAY
    return DaySpan(start, end, "part")
