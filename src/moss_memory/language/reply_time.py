"""The windows of a model's reply: aware, in order, within the years and the length allowed."""

import re
from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from moss_memory.core.errors import (
    EmptyWindowError,
    InvalidRequestError,
    InvalidValueError,
    UnboundedRecurrenceError,
)
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.ontology import EVENT_DAYS, Predicate
from moss_memory.core.placing import place
from moss_memory.core.when import Days, Instant, Series, WallClock, When
from moss_memory.language.reply_json import Fields, refuse

YEARS: Final = range(1970, 2101)
MAX_RULE: Final = 200
_NAIVE: Final = re.compile(r"\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?", re.ASCII)
_AWARE: Final = re.compile(_NAIVE.pattern.removesuffix("?") + r"([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def read_window(window: Fields | None, zone: ZoneInfo) -> tuple[When, Interval] | None:
    """Read a window as a time and as its first span in UTC; None where null.

    Whole local days are days, a time spelled in the owner's own offset is the owner's wall clock:
    both move with the owner, as the same words do without a model. The rest are instants.

    Raises:
        ModelBadOutputError: naive_time, window (reversed, empty), year, range, rrule.
    """
    if window is None:
        return None
    window.only("start", "end", "rrule")
    start = _instant(window, "start")
    end = _instant(window, "end")
    if start is None:
        refuse("missing_key")
    if end is not None and end <= start:
        refuse("window")
    rule = window.text("rrule", MAX_RULE)
    series = None if rule is None else Series(rule)
    span = Interval(start.astimezone(UTC), FOREVER if end is None else end.astimezone(UTC))
    return _when(start, end, zone, series), span


def check_placed(when: When | None, zone: str, predicate: Predicate) -> None:
    """Refuse a time that could not be stored for a predicate.

    Raises:
        ModelBadOutputError: window, range, rrule.
    """
    if when is None:
        return
    year, month, day, *_ = when.start.timetuple()
    try:
        place(
            when,
            owner_zone=zone,
            default_minutes=predicate.minutes,
            horizon=datetime(year, month, day, tzinfo=UTC),
            whole_day=predicate.whole_day,
            longest=timedelta(days=EVENT_DAYS) if predicate.is_event else None,
        )
    except EmptyWindowError:
        refuse("window")
    except UnboundedRecurrenceError:
        refuse("rrule")
    except InvalidValueError:
        refuse("range")
    except InvalidRequestError:
        refuse("rrule")


def _instant(window: Fields, name: str) -> datetime | None:
    text = window.text(name, 40)
    if text is None:
        return None
    if not _AWARE.fullmatch(text):
        refuse("naive_time" if _NAIVE.fullmatch(text) else "not_a_time")
    try:
        instant = datetime.fromisoformat(text.upper())
        year = instant.astimezone(UTC).year
    except (ValueError, OverflowError):
        refuse("not_a_time")
    if year not in YEARS:
        refuse("year")
    return instant


def _when(start: datetime, end: datetime | None, zone: ZoneInfo, series: Series | None) -> When:
    first, last = start.astimezone(zone), None if end is None else end.astimezone(zone)
    if last is not None and first.time() == last.time() == time(0) and first.date() < last.date():
        return Days(first.date(), last.date(), series=series)
    ends = [(start, first)] if end is None or last is None else [(start, first), (end, last)]
    if all(said.utcoffset() == local.utcoffset() and not local.fold for said, local in ends):
        wall_end = None if last is None else last.replace(tzinfo=None)
        return WallClock(first.replace(tzinfo=None), wall_end, series=series)
    return Instant(start.astimezone(UTC), None if end is None else end.astimezone(UTC), series)
