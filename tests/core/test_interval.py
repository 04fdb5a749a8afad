"""Interval algebra on every pair of intervals over five ticks.

Which relation holds depends only on the order of four ends; five ticks hold every such order.
"""

from datetime import UTC, datetime, timedelta, timezone
from itertools import combinations, product
from typing import get_args

import pytest

from moss_memory.core.interval import FOREVER, Interval, Relation, overlap, relate

TICKS = [datetime(2026, 3, day, tzinfo=UTC) for day in range(1, 6)]
SPANS = [Interval(start, end) for start, end in combinations(TICKS, 2)]
PAIRS = list(product(SPANS, repeat=2))
INVERSE = dict(zip(get_args(Relation), reversed(get_args(Relation)), strict=True))


def ticks(span: Interval) -> set[datetime]:
    """Return the ticks inside a span: the plainest picture of it."""
    return {tick for tick in TICKS if span.start <= tick < span.end}


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_two_spans_overlap_exactly_when_they_share_a_tick(a: Interval, b: Interval) -> None:
    shared = overlap(a, b)

    assert (ticks(shared) if shared else set()) == ticks(a) & ticks(b)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_overlap_is_the_formula_of_the_seed(a: Interval, b: Interval) -> None:
    """Property 14, the formula."""

    assert (overlap(a, b) is not None) == (a.start < b.end and b.start < a.end)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_inverse_relation_holds_the_other_way(a: Interval, b: Interval) -> None:
    """Property 14, the inverse."""

    assert relate(b, a) == INVERSE[relate(a, b)]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_relation_says_which_ticks_are_shared(a: Interval, b: Interval) -> None:
    ours, theirs = ticks(a), ticks(b)
    expected = {
        "equals": ours == theirs,
        "starts": ours < theirs and a.start == b.start,
        "during": ours < theirs and a.start > b.start and a.end < b.end,
        "finishes": ours < theirs and a.end == b.end,
        "started-by": ours > theirs and a.start == b.start,
        "contains": ours > theirs and a.start < b.start and a.end > b.end,
        "finished-by": ours > theirs and a.end == b.end,
        "overlaps": bool(ours & theirs and ours - theirs and theirs - ours and a.start < b.start),
        "overlapped-by": bool(
            ours & theirs and ours - theirs and theirs - ours and a.start > b.start
        ),
        "before": max(ours) < min(theirs) and a.end < b.start,
        "meets": a.end == b.start,
        "met-by": a.start == b.end,
        "after": min(ours) > max(theirs) and a.start > b.end,
    }

    assert [name for name, holds in expected.items() if holds] == [relate(a, b)]


def test_every_relation_of_allen_is_met_on_the_grid() -> None:
    assert {relate(a, b) for a, b in PAIRS} == set(get_args(Relation))


def test_open_end_lasts_longer_than_any_other() -> None:
    assert relate(Interval(TICKS[0]), Interval(TICKS[0], TICKS[4])) == "started-by"


def test_two_open_ends_end_together() -> None:
    assert relate(Interval(TICKS[1], FOREVER), Interval(TICKS[0], FOREVER)) == "finishes"


@pytest.mark.parametrize("end", [TICKS[0], TICKS[1]])
def test_interval_that_holds_no_instant_is_refused(end: datetime) -> None:
    with pytest.raises(ValueError, match="empty"):
        Interval(TICKS[1], end)


@pytest.mark.parametrize("offset", [None, timezone(timedelta(hours=9))])
@pytest.mark.parametrize("which", ["start", "end"])
def test_end_that_is_not_utc_is_refused(offset: timezone | None, which: str) -> None:
    ends = {"start": TICKS[0], "end": TICKS[1]}
    ends[which] = ends[which].replace(tzinfo=offset)

    with pytest.raises(ValueError, match="UTC"):
        Interval(**ends)


def test_offset_of_zero_under_another_name_is_utc() -> None:
    named = timezone(timedelta(0), "GMT")

    assert Interval(TICKS[0].replace(tzinfo=named), TICKS[1]).start == TICKS[0]
