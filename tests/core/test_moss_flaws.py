"""Flaws of the reference implementation in time and conflict logic: none of them is ours.

Those that need a store (transactions, races, revisions) have their tests beside the store; here
is what the pure core must hold for them.
"""

import inspect
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from moss_memory.core import linter, pairing, placing, revise, rules
from moss_memory.core.errors import (
    EmptyWindowError,
    InvalidRequestError,
    MossError,
    NaiveTimestampError,
)
from moss_memory.core.fact import Fact, Known, Proposal
from moss_memory.core.linter import Verdict, lint
from moss_memory.core.revise import Plan, plan
from moss_memory.core.rules import Policy
from moss_memory.core.when import Days, from_json

Make = Callable[..., Any]
FRIDAY = {"date": "2026-07-17"}


@pytest.fixture
def judge(policy: Policy, propose: Make) -> Callable[..., Verdict]:
    def run(*facts: Fact, known: tuple[Known, ...] = ()) -> Verdict:
        return lint([propose(fact, "Asia/Seoul") for fact in facts], known, policy)

    return run


@pytest.fixture
def vacation(remember: Make, fact: Make) -> Known:
    """A Friday off, in Seoul."""
    known: Known = remember("v", fact("vacation", "Vacation", FRIDAY), "Asia/Seoul")
    return known


@pytest.mark.parametrize("year", [2024, 2025, 2026])
@pytest.mark.parametrize("day", [1, 90, 180, 270, 360])
def test_moss_m15_no_date_is_built_in(
    policy: Policy, fact: Make, propose: Make, remember: Make, year: int, day: int
) -> None:
    when = Days(date(year, 1, 1) + timedelta(days=day))
    meeting = fact("meeting", "Review", when, observed_at=datetime(year, 1, 1, tzinfo=UTC))
    off = remember("v", fact("vacation", "Vacation", when), "Asia/Seoul")

    assert lint([propose(meeting, "Asia/Seoul")], [off], policy).status == "CONFIRM_REQUIRED"


@pytest.mark.parametrize("module", [linter, pairing, placing, revise, rules])
def test_moss_m15_no_clock_is_read(module: Any) -> None:
    source = inspect.getsource(module)

    assert not any(clock in source for clock in (".now(", ".today(", ".utcnow(", "import time"))


@pytest.mark.parametrize(
    "start",
    ["2026-07-17T10:00:00+09:00", "2026-07-17 10:00:00+09:00", "2026-07-17T01:00:00Z",
     "2026-07-17t01:00z", "2026-07-16T18:00:00-07:00", "2026-07-17T01:00:00.000+00:00"],
)  # fmt: skip
def test_moss_m16_spelling_of_an_instant_does_not_matter(
    judge: Make, fact: Make, vacation: Known, start: str
) -> None:
    assert (
        judge(fact("meeting", "Review", {"start": start}), known=(vacation,)).status
        == "CONFIRM_REQUIRED"
    )


def test_moss_m17_two_zones_at_one_instant_clash(judge: Make, fact: Make, remember: Make) -> None:
    seoul = remember("m", fact("meeting", "A", {"start": "2026-07-17T10:00:00+09:00"}))
    berlin = {"local_start": "2026-07-17T03:00", "timezone": "Europe/Berlin"}

    assert judge(fact("meeting", "B", berlin), known=(seoul,)).findings[0].time_relation == "equals"


@pytest.mark.parametrize(
    "when",
    [{"start": "2026-07-17T11:00Z", "end": "2026-07-17T10:00Z"},
     {"local_start": "2026-07-17T11:00", "local_end": "2026-07-17T10:00"},
     {"date": "2026-07-17", "end_date": "2026-07-16"}],
)  # fmt: skip
def test_moss_m18_window_that_ends_before_it_starts_is_refused(when: dict[str, Any]) -> None:
    with pytest.raises(EmptyWindowError):
        from_json(when)


@pytest.mark.parametrize(
    "text", ["2026-7-17 9:00:00", "2026-07-17T9:00Z", "next Friday", "", "2026-07-17T25:00:00Z"]
)
@pytest.mark.parametrize("key", ["start", "local_start"])
def test_moss_m19_text_that_is_no_time_is_refused(key: str, text: str) -> None:
    with pytest.raises(InvalidRequestError):
        from_json({key: text})


def test_moss_m20_time_without_a_zone_is_refused_where_an_instant_is_meant() -> None:
    with pytest.raises(NaiveTimestampError):
        from_json({"start": "2026-07-17T10:00:00"})


def test_moss_m20_tomorrow_at_half_past_eight_in_seoul_is_the_day_of_seoul(
    policy: Policy, fact: Make, propose: Make
) -> None:
    half_past_eight = datetime(2026, 7, 16, 23, 30, tzinfo=UTC)  # 08:30 on the 17th in Seoul
    tomorrow = fact("vacation", "Vacation", {"date": "2026-07-18"}, observed_at=half_past_eight)

    assert propose(tomorrow, "Asia/Seoul").valid_from == datetime(2026, 7, 17, 15, tzinfo=UTC)


def test_moss_m21_fact_without_an_instant_is_an_error_and_no_success(
    policy: Policy, fact: Make, propose: Make
) -> None:
    placed = propose(fact("meeting", "Review", {"start": "2026-07-17T10:00Z"}))
    nowhere = replace(placed, windows=())

    with pytest.raises((MossError, ValueError, IndexError)):
        lint([nowhere], [], policy)


@pytest.mark.parametrize(
    ("when", "minutes"),
    [({"start": "2026-07-17T10:00Z"}, 60), ({"local_start": "2026-07-17T10:00"}, 60),
     ({"local_start": "2026-07-17T10:00", "minutes": 25}, 25)],
)  # fmt: skip
def test_moss_m22_missing_end_is_the_length_of_the_predicate(
    fact: Make, propose: Make, when: dict[str, Any], minutes: int
) -> None:
    (window,) = propose(fact("meeting", "Review", when)).windows

    assert window.end - window.start == timedelta(minutes=minutes)


def test_moss_m23_every_fact_of_a_request_is_judged(
    judge: Make, fact: Make, vacation: Known
) -> None:
    facts = [
        fact("meeting", "Review", {"local_start": f"2026-07-17T{hour}:00"}) for hour in (10, 12, 14)
    ]

    assert [f.fact_index for f in judge(*facts, known=(vacation,)).findings] == [0, 1, 2]


def test_moss_m24_three_overlapping_meetings_are_listed_and_replaced_together(
    policy: Policy, fact: Make, propose: Make, remember: Make
) -> None:
    known = tuple(
        remember(name, fact("meeting", name, {"start": "2026-07-17T10:00Z"})) for name in "abc"
    )
    proposal: Proposal = propose(fact("meeting", "New", {"start": "2026-07-17T10:30Z"}))
    verdict = lint([proposal], known, policy)

    assert [f.memory_id for f in verdict.findings] == ["a", "b", "c"]
    assert plan(verdict, [proposal], known, "replace_old").retires == ("a", "b", "c")


def test_moss_m25_vacation_leaves_other_domains_and_other_vacations_alone(
    judge: Make, fact: Make, remember: Make
) -> None:
    known = (
        remember("light", fact("light_status", "on", {"start": "2026-07-01T00:00Z"})),
        remember("fortnight", fact("vacation", "Vacation", FRIDAY | {"end_date": "2026-07-31"})),
        remember("note", fact("note", "Water the plants", FRIDAY)),
    )
    verdict = judge(fact("vacation", "Vacation", {"date": "2026-07-20"}), known=known)

    assert verdict.status == "SUCCESS"
    assert [f.memory_id for f in verdict.findings] == ["fortnight"]


def test_moss_m26_every_memory_that_goes_is_named(
    policy: Policy, fact: Make, propose: Make, remember: Make
) -> None:
    known = tuple(
        remember(f"m{hour}", fact("meeting", "Call", {"start": f"2026-07-17T{hour}:00Z"}))
        for hour in range(10, 15)
    )
    proposal = propose(fact("vacation", "Vacation", FRIDAY))
    verdict = lint([proposal], known, policy)

    named = [f.memory_id for f in verdict.findings if f.verdict == "SUCCESS_WITH_OVERWRITE"]
    assert sorted(named) == sorted(plan(verdict, [proposal], known).retires)
    assert len(named) == 5


def test_moss_m27_replacing_and_writing_are_one_plan(
    policy: Policy, fact: Make, propose: Make, remember: Make
) -> None:
    known = (remember("m", fact("meeting", "Call", {"start": "2026-07-17T10:00Z"})),)
    proposal = propose(fact("vacation", "Vacation", FRIDAY))
    done: Plan = plan(lint([proposal], known, policy), [proposal], known)

    assert (done.retires, len(done.writes)) == (("m",), 1)


def test_moss_m28_second_of_two_writers_is_judged_against_the_first(
    policy: Policy, fact: Make, propose: Make, remember: Make
) -> None:
    slot = fact("meeting", "First", {"start": "2026-07-17T10:00Z"})
    second = propose(replace(slot, object_value="Second"))

    assert lint([second], [], policy).status == "SUCCESS"
    assert lint([second], [remember("m", slot)], policy).status == "CONFIRM_REQUIRED"


@pytest.mark.parametrize("day", ["06", "10", "17", "19"])
def test_moss_m29_window_that_began_earlier_is_still_met_on_its_last_day(
    judge: Make, fact: Make, remember: Make, day: str
) -> None:
    weeks = fact("vacation", "Vacation", {"date": "2026-07-06", "end_date": "2026-07-20"})
    meeting = fact("meeting", "Review", {"local_start": f"2026-07-{day}T16:00"})

    assert judge(meeting, known=(remember("v", weeks, "Asia/Seoul"),)).status == "CONFIRM_REQUIRED"


def test_moss_m30_finding_names_the_revision_that_was_judged(
    judge: Make, fact: Make, remember: Make
) -> None:
    old = remember("v", fact("vacation", "Vacation", FRIDAY), "Asia/Seoul", revision=7)
    verdict = judge(fact("meeting", "Review", {"local_start": "2026-07-17T10:00"}), known=(old,))

    assert verdict.findings[0].revision == 7
