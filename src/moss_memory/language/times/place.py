"""Wall times into UTC, and what clock changes do to them."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from moss_memory.language.times.mention import Flag


@dataclass(frozen=True, slots=True)
class Placed:
    """An instant in UTC; ``flag`` says that a clock change skips or repeats the wall time."""

    instant: datetime
    flag: Flag | None = None


@lru_cache(maxsize=64)
def zone_named(name: str) -> ZoneInfo:
    """Load a zone; raises ZoneInfoNotFoundError or ValueError for a name that is none."""
    return ZoneInfo(name)


def place(local: datetime, zone: str, *, fold: int = 0) -> Placed:
    """Place a naive wall time. In a gap the offset before it counts (RFC 5545 3.3.5)."""
    info = zone_named(zone)
    try:
        first = local.replace(tzinfo=info, fold=0).astimezone(UTC)
        second = local.replace(tzinfo=info, fold=1).astimezone(UTC)
    except (OverflowError, ValueError):
        return Placed(local.replace(tzinfo=UTC))
    if first == second:
        return Placed(first)
    back = first.astimezone(info).replace(tzinfo=None)
    if back != local.replace(fold=0):
        return Placed(first, "gap")
    return Placed(second if fold else first, "fold")


def local_of(instant: datetime, zone: str) -> datetime:
    """Name the naive wall time of an aware instant in a zone."""
    return instant.astimezone(zone_named(zone)).replace(tzinfo=None, fold=0)


MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
