"""The first window of UTC that a time as said stands for."""

from datetime import datetime, timedelta

from moss_memory.core.interval import Interval
from moss_memory.core.when import Days, WallClock, When
from moss_memory.language.times.place import DAY, place


def window_of(when: When, zone: str) -> Interval:
    """Place the first occurrence of a time in UTC."""
    if isinstance(when, Days):
        end = when.end or when.start + DAY
        midnight = datetime.min.time()
        where = when.zone or zone
        return Interval(
            place(datetime.combine(when.start, midnight), where).instant,
            place(datetime.combine(end, midnight), where).instant,
        )
    if isinstance(when, WallClock):
        where = when.zone or zone
        start = place(when.start, where, fold=when.fold or 0).instant
        end = place(when.end, where).instant if when.end else start + timedelta(hours=1)
        return Interval(start, max(end, start + timedelta(minutes=1)))
    return Interval(when.start, when.end or when.start + timedelta(hours=1))
