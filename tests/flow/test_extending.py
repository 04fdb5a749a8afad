"""Series go on: two years ahead at any time, and nothing new in their way without a yes."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from moss_memory.adapters.local_desk import LocalDesk
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_sweep import SqlSweep
from moss_memory.core.access import Caller
from moss_memory.core.errors import MemoryInactiveError, PendingStoreUnavailableError
from moss_memory.core.fact import Memory
from moss_memory.core.interval import Interval
from moss_memory.core.when import Days, Instant, Series, WallClock
from moss_memory.flow import explain, reading, record, retiring, settle
from moss_memory.flow.ports import House, Pending
from moss_memory.flow.requests import (
    Answer,
    Circumstances,
    FactIn,
    ListRequest,
    ProposeRequest,
    ReviseRequest,
    RevisionCheck,
)
from moss_memory.flow.sweeping import Retention, sweep

AROUND = Circumstances(request_id="r")
HOUR = timedelta(hours=1)
WEEK = timedelta(days=7)
FIRST = datetime(2026, 7, 17, 1, tzinfo=UTC)  # Friday, 10:00 in Seoul
BEYOND = FIRST + 106 * WEEK  # not placed at first: 731 days are 104 weeks
WEEKLY = Instant(FIRST, series=Series("FREQ=WEEKLY"))


class AwayDesk(LocalDesk):
    """A Desk that takes no question."""

    def hold(self, pending: Pending, *, cap: int, now: datetime) -> Pending:
        raise PendingStoreUnavailableError


@pytest.fixture
def store(house: House) -> SqlSweep:
    assert isinstance(house.memory, SqlMemory)
    return SqlSweep(house.memory.database)


def book(house: House, who: Caller, title: str, when: Any, **fields: Any) -> Answer:
    stated = FactIn(
        **{"domain": "Schedule", "subject": "Calendar", "predicate": "meeting"}
        | {"object_value": title, "when": when}
        | fields
    )
    return record.propose(house, who, ProposeRequest(facts=(stated,)), AROUND)


def weekly(house: House, who: Caller) -> Memory:
    (memory,) = book(house, who, "Stand-up", WEEKLY).facts
    return memory


def swept(house: House, store: SqlSweep, **more: Any) -> Mapping[str, int]:
    found = sweep(house, store, Retention(), tenant_id="default", **more)
    kinds = ("extended", "asked", "held_back", "postponed")
    return {name: found[name] for name in kinds if found[name]}


def now(house: House, memory: Memory) -> Memory:
    return house.memory.newest("default", [memory.memory_id])[memory.memory_id]


def listed(house: House, who: Caller, start: datetime) -> list[str]:
    request = ListRequest(overlaps=Interval(start, start + HOUR))
    return [each.fact.object_value for each in reading.listing(house, who, request).items]


def asked(house: House, who: Caller) -> Any:
    (question,) = settle.open_questions(house, who, AROUND)
    return question


def test_series_is_extended_to_two_years_from_the_sweep(
    house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    before = weekly(house, ann)
    clock.forward(days=60)

    counts = swept(house, store)

    after = now(house, before)
    assert counts == {"extended": 1}
    assert after.windows[: len(before.windows)] == before.windows
    assert clock.now + timedelta(days=724) < after.windows[-1].start
    assert (after.revision, after.fact, after.valid_until) == (2, before.fact, before.valid_until)


def test_extended_series_is_linted_against(
    house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    weekly(house, ann)
    clock.forward(days=60)
    swept(house, store)

    assert book(house, ann, "Review", Instant(BEYOND)).status == "CONFIRM_REQUIRED"


@pytest.mark.parametrize("days", [0, 20])
def test_horizon_that_is_far_enough_stays(
    days: int, house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    memory = weekly(house, ann)
    clock.forward(days=days)

    assert swept(house, store) == {}
    assert now(house, memory) == memory


@pytest.mark.parametrize(
    "when",
    [
        Instant(FIRST),
        Instant(FIRST, series=Series("FREQ=WEEKLY;COUNT=20")),
        Instant(FIRST, series=Series("FREQ=WEEKLY;UNTIL=20270101T000000Z")),
    ],
)
def test_what_ends_within_the_horizon_stays(
    when: Instant, house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    book(house, ann, "Stand-up", when)
    clock.forward(days=60)

    assert swept(house, store) == {}


@pytest.mark.parametrize(
    "when",
    [
        WallClock(datetime.fromisoformat("2026-07-17T10:00"), series=Series("FREQ=DAILY")),
        Days(date(2026, 7, 17), series=Series("FREQ=MONTHLY")),
        Instant(FIRST, series=Series("FREQ=WEEKLY;UNTIL=20400101T000000Z")),
        Instant(FIRST, series=Series("FREQ=WEEKLY;COUNT=500")),
        Instant(FIRST, series=Series("FREQ=WEEKLY", overrides=((BEYOND + 90 * WEEK, None),))),
    ],
)
def test_every_long_series_is_what_it_would_be_if_said_now(
    when: Any, house: House, store: SqlSweep, ann: Caller, bob: Caller, clock: Any
) -> None:
    (memory,) = book(house, ann, "Stand-up", when).facts
    clock.forward(days=60)
    swept(house, store)
    (fresh,) = book(house, bob, "Stand-up", when).facts

    assert now(house, memory).windows == fresh.windows


def test_series_that_never_occurs_in_reach_is_left(
    house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    rare = Instant(FIRST, series=Series("FREQ=YEARLY;INTERVAL=5"))
    (memory,) = book(house, ann, "Jubilee", rare).facts
    clock.forward(days=60)

    assert (swept(house, store), now(house, memory).revision) == ({}, 1)


def test_second_sweep_adds_nothing(house: House, store: SqlSweep, ann: Caller, clock: Any) -> None:
    weekly(house, ann)
    clock.forward(days=60)
    swept(house, store)

    assert swept(house, store) == {}


def test_extension_is_a_decision_of_the_sweep_in_the_chain(
    house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    memory = weekly(house, ann)
    clock.forward(days=60)
    swept(house, store)

    *_, last = house.memory.decisions("default", memory_id=memory.memory_id)
    assert (last.outcome, last.actor, last.memories) == (
        "EXTENDED",
        "sweep",
        ((memory.memory_id, 2),),
    )
    assert house.memory.verify("default").ok


def test_rebuild_gives_the_extended_windows(
    house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    memory = weekly(house, ann)
    clock.forward(days=60)
    swept(house, store)
    before = now(house, memory)
    assert isinstance(house.memory, SqlMemory)
    house.memory.rebuild_projections("default")

    assert now(house, memory) == before
    assert listed(house, ann, BEYOND) == ["Stand-up"]


def test_past_is_known_with_its_own_horizon(
    house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    memory = weekly(house, ann)
    then = clock.now + HOUR
    clock.forward(days=60)
    swept(house, store)

    assert reading.get(house, ann, memory.memory_id, known_at=then) == memory


def test_why_does_not_tell_of_an_extension(
    house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    memory = weekly(house, ann)
    before = explain.why(house, ann, memory.memory_id, AROUND).sentences
    for _ in range(2):
        clock.forward(days=60)
        swept(house, store)

    assert explain.why(house, ann, memory.memory_id, AROUND).sentences == before


@pytest.fixture
def met(house: House, store: SqlSweep, ann: Caller, clock: Any) -> Memory:
    """A weekly meeting, 60 days old, that a later meeting waits for beyond its horizon."""
    memory = weekly(house, ann)
    book(house, ann, "Review", Instant(BEYOND))
    clock.forward(days=60)
    return memory


def test_new_overlap_opens_a_question_for_the_owner(
    met: Memory, house: House, store: SqlSweep, ann: Caller
) -> None:
    assert swept(house, store) == {"asked": 1}
    question = asked(house, ann)
    assert [each.action for each in question.actions] == ["replace_old", "keep_both", "cancel"]
    assert [each.reason for each in question.verdict.findings] == ["MEETING_OVERLAP"]


def test_all_but_the_new_overlap_is_added(
    met: Memory, house: House, store: SqlSweep, ann: Caller
) -> None:
    swept(house, store)

    assert listed(house, ann, BEYOND - WEEK) == ["Stand-up"]
    assert listed(house, ann, BEYOND) == ["Review"]
    assert listed(house, ann, BEYOND + WEEK) == ["Stand-up"]
    assert house.memory.verify("default").ok


def test_next_sweeps_ask_no_second_question(
    met: Memory, house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    swept(house, store)
    first = asked(house, ann).pending_id
    clock.forward(days=1)

    assert swept(house, store) == {}
    assert asked(house, ann).pending_id == first


def test_keep_both_adds_the_occurrence_and_waives_the_pair(
    met: Memory, house: House, store: SqlSweep, ann: Caller
) -> None:
    swept(house, store)
    answer = settle.confirm(house, ann, asked(house, ann).pending_id, "keep_both", AROUND)

    assert answer.status == "SUCCESS"
    assert listed(house, ann, BEYOND) == ["Stand-up", "Review"]
    assert swept(house, store) == {}
    assert house.memory.verify("default").ok


def test_replace_old_retires_what_was_in_the_way(
    met: Memory, house: House, store: SqlSweep, ann: Caller
) -> None:
    swept(house, store)
    answer = settle.confirm(house, ann, asked(house, ann).pending_id, "replace_old", AROUND)

    assert answer.status == "SUCCESS_WITH_OVERWRITE"
    assert listed(house, ann, BEYOND) == ["Stand-up"]


def test_cancelled_occurrence_stays_out_and_is_not_asked_about_again(
    met: Memory, house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    swept(house, store)
    settle.confirm(house, ann, asked(house, ann).pending_id, "cancel", AROUND)
    clock.forward(days=60)

    assert swept(house, store) == {"held_back": 1}
    assert settle.open_questions(house, ann, AROUND) == ()
    assert listed(house, ann, BEYOND) == ["Review"]


def test_question_that_expired_is_asked_again(
    met: Memory, house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    swept(house, store)
    first = asked(house, ann).pending_id
    clock.forward(days=40)

    assert swept(house, store) == {"asked": 1}
    assert asked(house, ann).pending_id != first


def test_series_changed_meanwhile_keeps_its_change(
    met: Memory, house: House, store: SqlSweep, ann: Caller
) -> None:
    swept(house, store)
    question = asked(house, ann)
    review = question.verdict.findings[0].memory_id
    retiring.retire(house, ann, review, RevisionCheck(expected=1), AROUND)
    renamed = ReviseRequest(
        memory_id=met.memory_id,
        fields={"object_value": "Daily"},
        check=RevisionCheck(expected=2),
    )
    record.revise(house, ann, renamed, AROUND)
    settle.confirm(house, ann, question.pending_id, "keep_both", AROUND)

    assert now(house, met).fact.object_value == "Daily"


def test_series_retired_meanwhile_stays_retired(
    met: Memory, house: House, store: SqlSweep, ann: Caller
) -> None:
    swept(house, store)
    retiring.retire(house, ann, met.memory_id, RevisionCheck(expected=2), AROUND)
    with pytest.raises(MemoryInactiveError):
        settle.confirm(house, ann, asked(house, ann).pending_id, "keep_both", AROUND)

    assert not now(house, met).active


def test_desk_that_is_away_leaves_the_series_as_it_was(
    make_house: Callable[..., House], met: Memory, store: SqlSweep
) -> None:
    away = make_house(desk=AwayDesk())

    assert swept(away, store) == {"postponed": 1}
    assert now(away, met) == met


def test_next_sweep_after_the_desk_came_back_asks(
    make_house: Callable[..., House], house: House, met: Memory, store: SqlSweep
) -> None:
    swept(make_house(desk=AwayDesk()), store)

    assert swept(house, store) == {"asked": 1}


def test_sweep_that_may_not_ask_adds_what_is_clear(
    met: Memory, house: House, store: SqlSweep, ann: Caller
) -> None:
    assert swept(house, store, asks=False) == {"held_back": 1}
    assert listed(house, ann, BEYOND) == ["Review"]
    assert listed(house, ann, BEYOND + WEEK) == ["Stand-up"]
    assert settle.open_questions(house, ann, AROUND) == ()


def test_meeting_allowed_beside_a_series_stays_allowed(
    house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    memory = weekly(house, ann)
    held = book(house, ann, "Weekly review", WEEKLY)
    assert held.pending is not None
    settle.confirm(house, ann, held.pending.pending_id, "keep_both", AROUND)
    clock.forward(days=60)

    assert swept(house, store) == {"extended": 2}
    assert listed(house, ann, BEYOND) == ["Weekly review", "Stand-up"]
    assert now(house, memory).revision == 2


def test_vacation_series_does_not_silently_replace_an_older_meeting(
    house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    book(house, ann, "Review", Instant(BEYOND))
    clock.forward(hours=1)
    day = Days(date(2026, 7, 17), series=Series("FREQ=WEEKLY"))
    book(house, ann, "Vacation", day, predicate="vacation")
    clock.forward(days=60)

    assert swept(house, store) == {"asked": 1}
    question = asked(house, ann)
    assert [each.action for each in question.actions] == ["approve", "cancel"]
    assert listed(house, ann, BEYOND) == ["Review"]
    answer = settle.confirm(house, ann, question.pending_id, "approve", AROUND)
    assert answer.status == "SUCCESS_WITH_OVERWRITE"
    assert listed(house, ann, BEYOND) == ["Vacation"]
