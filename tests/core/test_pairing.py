"""Pairs of facts: what is true of two of them, and at which occurrence."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import combinations, product
from typing import Any

import pytest

from moss_memory.core.fact import Fact
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.pairing import Encounter, Side, band, judge, widened
from moss_memory.core.rules import Policy

BASE = datetime(2026, 7, 17, tzinfo=UTC)
SPANS = [(start, end) for start, end in combinations(range(5), 2)]
SETS = [set(), *({s} for s in SPANS), {(0, 1), (2, 3)}, {(0, 1), (3, 4)}, {(1, 2), (3, 4)},
        {(0, 2), (1, 3)}, {(0, 4), (1, 2)}]  # fmt: skip


def spans(ticks: set[tuple[int, int]]) -> list[Interval]:
    """Return hours of a day as windows, in order."""
    return sorted(Interval(BASE + timedelta(hours=s), BASE + timedelta(hours=e)) for s, e in ticks)


@pytest.fixture
def met(policy: Policy, fact: Callable[..., Fact]) -> Callable[..., Encounter | None]:
    """Judge a new liking over an old one of the same thing, on the given hours."""
    predicate = policy.ontology.predicate("Preference", "prefers")

    def run(new: Any, old: Any, value: str = "tea") -> Encounter | None:
        first = Side.of(fact("prefers", value), predicate, new)
        second = Side.of(fact("prefers", "tea"), predicate, old)
        return judge(first, second, policy.rules, writable=True, equal_is_newer=True)

    return run


@pytest.mark.parametrize(("new", "old"), list(product(SETS[1:], repeat=2)))
def test_two_sets_of_windows_meet_where_any_of_them_overlap(
    met: Any, new: set[tuple[int, int]], old: set[tuple[int, int]]
) -> None:
    share = any(s < f and e < g for (s, g), (e, f) in product(new, old))

    assert (met(spans(new), spans(old)) is not None) == share


@pytest.mark.parametrize(("new", "old"), list(product(SETS[1:], repeat=2)))
def test_series_is_the_same_as_another_only_where_all_of_it_lies_inside(
    met: Any, new: set[tuple[int, int]], old: set[tuple[int, int]]
) -> None:
    found = met(spans(new), spans(old))
    inside = all(any(s <= a and b <= e for s, e in old) for a, b in new)

    longer = any(a < s < b or a < e < b for (a, b), (s, e) in product(new, old))
    if found is not None and not longer:
        assert (found.rule.verdict == "NO_CHANGE") == inside


def test_encounter_names_the_first_occurrence_of_its_kind(met: Any) -> None:
    found = met(spans({(0, 1), (1, 2), (3, 4)}), spans({(1, 2), (3, 4)}))

    assert found.occurrence.start == BASE + timedelta(hours=1)


@pytest.mark.parametrize(
    ("confidence", "name"),
    [(0.0, "low"), (0.59, "low"), (0.6, "mid"), (0.89, "mid"), (0.9, "high"), (1.0, "high")],
)
def test_confidence_falls_into_its_band(confidence: float, name: str) -> None:
    assert band(confidence) == name


def test_windows_without_buffers_are_as_they_were() -> None:
    windows = spans({(0, 1)})

    assert widened(windows, 0, 0) is windows


def test_buffers_widen_both_ends_but_not_an_open_one() -> None:
    closed, open_ = widened([*spans({(1, 2)}), Interval(BASE, FOREVER)], 30, 15)

    assert closed == Interval(BASE + timedelta(minutes=30), BASE + timedelta(minutes=135))
    assert open_ == Interval(BASE - timedelta(minutes=30), FOREVER)
