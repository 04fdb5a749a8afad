"""A change of the rules tried on what is stored: which pairs would now be asked about."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from moss_memory.core.fact import Memory
from moss_memory.core.relint import contests
from moss_memory.core.rules import Policy
from moss_memory.policy import read_toml, shipped

Make = Callable[..., Any]


@pytest.fixture(scope="module")
def stricter() -> Policy:
    """Rules under which two vacations that overlap are asked about."""
    rules = deepcopy(read_toml(shipped("rules.toml")))
    (row,) = [r for r in rules["domains"]["Schedule"]["rules"] if r["id"] == "SCH-31"]
    row.update(verdict="CONFIRM", relation="conflicts", reason="TWICE_OFF",
               options=["keep_both", "cancel"])  # fmt: skip
    return Policy.from_data(read_toml(shipped("ontology.toml")), rules)


@pytest.fixture
def off(fact: Make, remember: Make, now: datetime) -> Callable[..., Memory]:
    def make(name: str, day: int, *, said: int, **fields: Any) -> Memory:
        when = {"date": f"2026-08-{day:02}", "end_date": f"2026-08-{day + 3:02}"}
        memory: Memory = remember(name, fact("vacation", "Vacation", when)).memory
        return replace(memory, recorded_at=now + timedelta(hours=said), **fields)

    return make


def test_pair_that_is_judged_more_severely_is_named_newer_over_older(
    policy: Policy, stricter: Policy, off: Make
) -> None:
    late, early = off("late", 1, said=2), off("early", 2, said=1)
    (contest,) = contests([late, early], policy, stricter)

    assert (contest.newer, contest.older) == ("late", "early")
    assert contest.before is not None
    assert (contest.before.verdict, contest.after.verdict) == ("SUCCESS", "CONFIRM_REQUIRED")
    assert contest.after.reason == "TWICE_OFF"


def test_pair_that_is_judged_as_before_or_more_mildly_is_no_news(
    policy: Policy, stricter: Policy, off: Make, fact: Make, remember: Make
) -> None:
    kept = remember("kept", fact("meeting", "Call", {"start": "2026-08-02T10:00Z"})).memory
    memories = [off("a", 1, said=1), off("b", 2, said=2), kept]

    assert contests([memories[0], kept], policy, stricter) == []
    assert contests(memories, stricter, policy) == []


def test_memory_apart_inactive_or_of_another_owner_is_no_news(
    policy: Policy, stricter: Policy, off: Make
) -> None:
    memories = [
        off("a", 1, said=1), off("apart", 20, said=2), off("gone", 2, said=3, active=False),
        off("theirs", 2, said=4, owner="team"),
    ]  # fmt: skip

    assert contests(memories, policy, stricter) == []
