"""Half-open UTC intervals and the way two of them lie to each other.

Instants are timezone-aware UTC ``datetime`` values, to the microsecond. An interval is
``[start, end)``, the period convention of SQL:2011, and an end of ``FOREVER`` reads "until
further notice". Nothing here reads a clock: every instant is handed in.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

FOREVER: Final = datetime(9999, 1, 1, tzinfo=UTC)  # datetime.max overflows on a zone shift

Relation = Literal[  # in Allen's order: read backwards, the list gives each one's inverse
    "before", "meets", "overlaps", "finished-by", "contains", "starts", "equals",
    "started-by", "during", "finishes", "overlapped-by", "met-by", "after",
]  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """The instants from ``start`` up to, not including, ``end``; ordered by start, then end.

    Raises:
        ValueError: an end is not UTC, or the interval would be empty.
    """

    start: datetime
    end: datetime = FOREVER

    def __post_init__(self) -> None:
        if not (_is_utc(self.start) and _is_utc(self.end)):
            raise ValueError(f"interval ends must be UTC: {self.start!r}, {self.end!r}")
        if self.start >= self.end:
            raise ValueError(f"empty interval: [{self.start}, {self.end})")


def _is_utc(at: datetime) -> bool:
    return at.tzinfo is UTC or at.utcoffset() == timedelta(0)


def relate(a: Interval, b: Interval) -> Relation:
    """Name the one relation that holds from ``a`` to ``b``.

    The thirteen relations exclude each other and leave no case out (Allen, "Maintaining
    Knowledge about Temporal Intervals", CACM 26(11), 1983), so there is no error to raise.
    Because ends are exclusive, two intervals that meet share no instant and leave no gap.
    """
    if a.end <= b.start:
        return "meets" if a.end == b.start else "before"
    if b.end <= a.start:
        return "met-by" if b.end == a.start else "after"
    starts = (a.start > b.start) - (a.start < b.start)
    ends = (a.end > b.end) - (a.end < b.end)
    return _SHARING[starts, ends]


def overlap(a: Interval, b: Interval) -> Interval | None:
    """Return the instants that both contain, or None where they share none."""
    start, end = max(a.start, b.start), min(a.end, b.end)
    return Interval(start, end) if start < end else None


_SHARING: Final[dict[tuple[int, int], Relation]] = {  # the two have instants in common
    (-1, -1): "overlaps", (-1, 0): "finished-by", (-1, 1): "contains",
    (0, -1): "starts", (0, 0): "equals", (0, 1): "started-by",
    (1, -1): "during", (1, 0): "finishes", (1, 1): "overlapped-by",
}  # fmt: skip
