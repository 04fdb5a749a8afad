"""RFC 5545 recurrence rules over local days: read, then walked lazily and within bounds.

A rule picks days; the time of day is the start's. Rules finer than DAILY are refused, and the
walk never goes beyond a given day, so that a rule which never fires (30 February) costs ten
years of days and not eight thousand: dateutil's ``rrule`` walks on to year 9999, which is why
it is only the oracle of the tests. A start that does not match its rule is no occurrence.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, time, timedelta
from itertools import count as integers
from typing import Final, Literal
from zoneinfo import ZoneInfo

from moss_memory.core.errors import InvalidRequestError, UnboundedRecurrenceError

Frequency = Literal["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]

MAX_COUNT: Final = 10_000

_WEEKDAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_FINER: Final = frozenset({"HOURLY", "MINUTELY", "SECONDLY"})
_BOUNDS: Final = {  # part of the rule: (smallest, largest, may be negative)
    "INTERVAL": (1, 10_000, False), "COUNT": (1, 9_999_999, False),
    "BYMONTH": (1, 12, False), "BYMONTHDAY": (1, 31, True), "BYYEARDAY": (1, 366, True),
    "BYWEEKNO": (1, 53, True), "BYSETPOS": (1, 366, True),
    "BYHOUR": (0, 23, False), "BYMINUTE": (0, 59, False), "BYSECOND": (0, 59, False),
}  # fmt: skip
_LONGEST: Final = 500  # characters
_WEEKS: Final = 53  # in a year, at most
_PARTS: Final = frozenset({"FREQ", "UNTIL", "WKST", "BYDAY", *_BOUNDS})
_UNTIL: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?")
_BYDAY: Final = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule as written. ``until`` is aware (UTC), naive (local) or a date, and inclusive.

    ``weekdays`` are (nth or None, 0 for Monday); the other lists hold RFC 5545 numbers,
    negative ones counted from the end. ``at`` holds BYHOUR, BYMINUTE and BYSECOND.
    """

    frequency: Frequency
    interval: int = 1
    count: int | None = None
    until: datetime | date | None = None
    week_start: int = 0
    weekdays: tuple[tuple[int | None, int], ...] = ()
    months: tuple[int, ...] = ()
    month_days: tuple[int, ...] = ()
    year_days: tuple[int, ...] = ()
    weeks: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()
    at: tuple[int | None, int | None, int | None] = (None, None, None)


def parse(text: str) -> Rule:
    """Read ``FREQ=...;...``, with or without ``RRULE:`` before it.

    Raises:
        UnboundedRecurrenceError: finer than daily, or a COUNT over 10,000.
        InvalidRequestError: not an RFC 5545 rule, or one with COUNT and UNTIL both.
    """
    parts = _parts(text)
    if parts.get("FREQ") in _FINER or any("," in parts.get(k, "") for k in _TIMES):
        raise UnboundedRecurrenceError
    if any(count > MAX_COUNT for count in _numbers(parts, "COUNT")):
        raise UnboundedRecurrenceError("The recurrence counts too many occurrences.")
    if {"COUNT", "UNTIL"} <= parts.keys():
        raise InvalidRequestError("A recurrence has COUNT or UNTIL, not both.")
    return Rule(
        frequency=_frequency(parts.get("FREQ")),
        interval=(_numbers(parts, "INTERVAL") or (1,))[0],
        count=(_numbers(parts, "COUNT") or (None,))[0],
        until=_until(parts["UNTIL"]) if "UNTIL" in parts else None,
        week_start=_weekday(parts.get("WKST", "MO")),
        weekdays=_weekdays(parts),
        months=_numbers(parts, "BYMONTH"),
        month_days=_numbers(parts, "BYMONTHDAY"),
        year_days=_numbers(parts, "BYYEARDAY"),
        weeks=_numbers(parts, "BYWEEKNO"),
        positions=_numbers(parts, "BYSETPOS"),
        at=_at(parts),
    )


def ended(text: str, before: datetime) -> str:
    """Return a rule that has no start at or after an instant (UTC), in place of its own end."""
    parts = [part for part in text.split(";") if part.upper()[:6] not in {"COUNT=", "UNTIL="}]
    last = before - timedelta(seconds=1)
    return ";".join([*parts, f"UNTIL={last:%Y%m%dT%H%M%SZ}"])


def starts(rule: Rule, first: datetime, tz: ZoneInfo, last: date) -> Iterator[datetime]:
    """Yield the naive local starts from ``first`` on, in order, none on a day after ``last``."""
    until = _local(rule.until, tz)
    hour, minute, second = (
        told if told is not None else own for told, own in zip(rule.at, _hms(first), strict=True)
    )
    at = time(hour, minute, second, first.microsecond)
    produced = 0
    for day in _days(_filled(rule, first.date()), first.date(), last):
        start = datetime.combine(day, at)
        if start < first:
            continue
        if until is not None and start > until:
            return
        yield start
        produced += 1
        if produced == rule.count:
            return


def _days(rule: Rule, first: date, last: date) -> Iterator[date]:
    keep = _filters(rule)
    period = _PERIODS[rule.frequency]
    for number in integers():
        days = period(rule, first, number * rule.interval, last)
        if days is None:
            return
        for test in keep:
            days = [day for day in days if test(day)]
        if rule.positions:
            days = _positioned(days, rule.positions)
        for day in days:
            if day > last:
                return
            yield day


def _positioned(days: list[date], positions: Sequence[int]) -> list[date]:
    indexes = {p - 1 if p > 0 else len(days) + p for p in positions}
    return [days[i] for i in sorted(indexes) if 0 <= i < len(days)]


def _filled(rule: Rule, first: date) -> Rule:
    """Add what RFC 5545 takes from the start where the rule names no day."""
    if rule.weekdays or rule.month_days or rule.year_days or rule.weeks:
        return rule
    months, month_days, weekdays = rule.months, rule.month_days, rule.weekdays
    if rule.frequency == "YEARLY":
        months, month_days = months or (first.month,), (first.day,)
    elif rule.frequency == "MONTHLY":
        month_days = (first.day,)
    elif rule.frequency == "WEEKLY":
        weekdays = ((None, first.weekday()),)
    return Rule(
        frequency=rule.frequency, interval=rule.interval, week_start=rule.week_start,
        weekdays=weekdays, months=months, month_days=month_days, positions=rule.positions,
    )  # fmt: skip


def _filters(rule: Rule) -> list[Callable[[date], bool]]:
    months, month_days, year_days = {*rule.months}, {*rule.month_days}, {*rule.year_days}
    plain = {weekday for nth, weekday in rule.weekdays if nth is None}
    numbered = [(nth, weekday) for nth, weekday in rule.weekdays if nth is not None]
    tests: list[tuple[bool, Callable[[date], bool]]] = [
        (bool(months), lambda day: day.month in months),
        (bool(plain) and not numbered, lambda day: day.weekday() in plain),
        (bool(numbered), lambda day: any(_falls(day, nth, wd, rule) for nth, wd in rule.weekdays)),
        (bool(month_days), lambda d: d.day in month_days or d.day - _month(d) - 1 in month_days),
        (bool(year_days), lambda d: bool({_yday(d), _yday(d) - _year(d) - 1} & year_days)),
        (bool(rule.weeks), lambda day: bool({*_week(day, rule.week_start)} & {*rule.weeks})),
    ]
    return [test for wanted, test in tests if wanted]


def _falls(day: date, nth: int | None, weekday: int, rule: Rule) -> bool:
    if day.weekday() != weekday:
        return False
    if nth is None:
        return True
    by_year = rule.frequency == "YEARLY" and not rule.months
    index, size = (_yday(day), _year(day)) if by_year else (day.day, _month(day))
    return nth == ((index - 1) // 7 + 1 if nth > 0 else -((size - index) // 7 + 1))


def _day(_rule: Rule, first: date, step: int, last: date) -> list[date] | None:
    ordinal = first.toordinal() + step
    return [date.fromordinal(ordinal)] if ordinal <= last.toordinal() else None


def _weekly(rule: Rule, first: date, step: int, last: date) -> list[date] | None:
    monday = first.toordinal() - (first.weekday() - rule.week_start) % 7 + 7 * step
    return [date.fromordinal(monday + i) for i in range(7)] if monday <= last.toordinal() else None


def _monthly(_rule: Rule, first: date, step: int, last: date) -> list[date] | None:
    year, month = divmod(first.year * 12 + first.month - 1 + step, 12)
    if (year, month + 1) > (last.year, last.month):
        return None
    return [date(year, month + 1, day + 1) for day in range(monthrange(year, month + 1)[1])]


def _yearly(_rule: Rule, first: date, step: int, last: date) -> list[date] | None:
    year = first.year + step
    if year > last.year:
        return None
    start = date(year, 1, 1)
    return [start + timedelta(days=i) for i in range(_year(start))]


_PERIODS: Final[dict[Frequency, Callable[[Rule, date, int, date], list[date] | None]]] = {
    "DAILY": _day, "WEEKLY": _weekly, "MONTHLY": _monthly, "YEARLY": _yearly,
}  # fmt: skip


def _month(day: date) -> int:
    return monthrange(day.year, day.month)[1]


def _year(day: date) -> int:
    return date(day.year, 12, 31).timetuple().tm_yday


def _yday(day: date) -> int:
    return day.timetuple().tm_yday


def _week(day: date, week_start: int) -> tuple[int, int]:
    """Number the week of ``day`` from the front and, negative, from the back of its year.

    A week belongs to the year that holds four of its days or more (RFC 5545, ISO 8601).
    """
    fourth = day + timedelta(days=3 - (day.weekday() - week_start) % 7)
    weeks = (_year(fourth) - _yday(fourth)) // 7
    return (_yday(fourth) - 1) // 7 + 1, -(weeks + 1)


def _local(until: datetime | date | None, tz: ZoneInfo) -> datetime | None:
    if until is None:
        return None
    if not isinstance(until, datetime):  # a day: all of it, whatever the time of the start
        return datetime.combine(until, time.max)
    if until.tzinfo is None or until.year in {MINYEAR, MAXYEAR}:  # no zone fits beside these
        return until.replace(tzinfo=None)
    return until.astimezone(tz).replace(tzinfo=None)


_TIMES: Final = ("BYHOUR", "BYMINUTE", "BYSECOND")


def _hms(moment: datetime) -> tuple[int, int, int]:
    return moment.hour, moment.minute, moment.second


def _at(parts: dict[str, str]) -> tuple[int | None, int | None, int | None]:
    hour, minute, second = ((_numbers(parts, part) or (None,))[0] for part in _TIMES)
    return hour, minute, second


def _parts(text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.upper().removeprefix("RRULE:").split(";")]
    parts = {name: value for name, _, value in pairs}
    if len(text) > _LONGEST or len(parts) < len(pairs) or not parts.keys() <= _PARTS:
        raise InvalidRequestError("The recurrence is no RFC 5545 rule.")
    return parts


def _frequency(name: str | None) -> Frequency:
    for known in _PERIODS:
        if name == known:
            return known
    raise InvalidRequestError("The recurrence names no frequency.")


def _numbers(parts: dict[str, str], name: str) -> tuple[int, ...]:
    if name not in parts:
        return ()
    low, high, negative = _BOUNDS[name]
    found = []
    for text in parts[name].split(","):
        if not re.fullmatch(r"[+-]?\d{1,7}", text, re.ASCII):
            raise InvalidRequestError("The recurrence holds a malformed number.")
        number = int(text)
        if not low <= (abs(number) if negative else number) <= high:
            raise InvalidRequestError("The recurrence holds a number out of range.")
        found.append(number)
    return tuple(found)


def _weekdays(parts: dict[str, str]) -> tuple[tuple[int | None, int], ...]:
    if "BYDAY" not in parts:
        return ()
    found = [_BYDAY.fullmatch(text) for text in parts["BYDAY"].split(",")]
    days = [(int(m[1]) if m[1] else None, _weekday(m[2])) for m in found if m]
    numbered = any(nth is not None for nth, _ in days)
    if len(days) < len(found) or any(nth == 0 or abs(nth or 1) > _WEEKS for nth, _ in days):
        raise InvalidRequestError("The recurrence holds a malformed weekday.")
    if numbered and parts.get("FREQ") not in {"MONTHLY", "YEARLY"}:
        raise InvalidRequestError("Only monthly and yearly recurrences number their weekdays.")
    return tuple(days)


def _weekday(name: str) -> int:
    if name not in _WEEKDAYS:
        raise InvalidRequestError("The recurrence holds a malformed weekday.")
    return _WEEKDAYS.index(name)


def _until(text: str) -> datetime | date:
    match = _UNTIL.fullmatch(text)
    try:
        if match and match[4]:
            moment = datetime(*(int(match[i]) for i in range(1, 7)))  # type: ignore[arg-type]  # noqa: DTZ001
            return moment.replace(tzinfo=UTC) if match[7] else moment
        if match:
            return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        pass
    raise InvalidRequestError("The recurrence has a malformed UNTIL.")
