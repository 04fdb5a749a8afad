"""Linting from working memory: the same verdicts as from the store, whatever the cache holds."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from moss_memory.adapters.local_desk import LocalDesk
from moss_memory.core.access import Caller
from moss_memory.core.errors import PendingStoreUnavailableError
from moss_memory.core.when import Days, Instant
from moss_memory.flow import reading, record, retiring
from moss_memory.flow.ports import Defaults, House, ReferenceFacts
from moss_memory.flow.requests import (
    Answer,
    Circumstances,
    FactIn,
    ListRequest,
    ProposeRequest,
    RevisionCheck,
)

AROUND = Circumstances(request_id="r")
SPACE = ("ann", "Schedule")


class CuttableDesk(LocalDesk):
    """A Desk whose cached facts can be out of reach."""

    down = False

    def reference(self, *args: Any, **given: Any) -> ReferenceFacts | None:
        if self.down:
            raise PendingStoreUnavailableError
        return super().reference(*args, **given)


@pytest.fixture
def desk() -> CuttableDesk:
    return CuttableDesk()


@pytest.fixture
def house(make_house: Callable[..., House], desk: CuttableDesk) -> House:
    return make_house(desk=desk, defaults=Defaults(lint_from="cache"))


def book(house: House, who: Caller, title: str, hour: int, minute: int = 0) -> Answer:
    stated = FactIn(
        domain="Schedule",
        subject="Calendar",
        predicate="meeting",
        object_value=title,
        when=Instant(datetime(2026, 7, 17, hour, minute, tzinfo=UTC)),
    )
    return record.propose(house, who, ProposeRequest(facts=(stated,)), AROUND)


def cached(house: House) -> ReferenceFacts | None:
    return house.desk.reference("default", "ann", SPACE, now=house.clock())


def titles(house: House, who: Caller) -> list[str]:
    found = reading.listing(house, who, ListRequest()).items
    return sorted(memory.fact.object_value for memory in found)


def test_facts_are_read_through_once_and_carried_on_by_each_write(
    house: House, ann: Caller
) -> None:
    for number in range(3):
        book(house, ann, f"m{number}", number)

    held = cached(house)

    assert held is not None
    assert held.epoch == 3
    assert sorted(m.fact.object_value for m in held.memories) == titles(house, ann)


def test_conflict_is_found_from_working_memory(house: House, ann: Caller) -> None:
    book(house, ann, "first", 1)

    assert book(house, ann, "second", 1, 30).status == "CONFIRM_REQUIRED"


def test_write_by_another_way_makes_the_cache_stale_and_the_store_decides(
    house: House, ann: Caller, make_house: Callable[..., House]
) -> None:
    """Property 37."""

    book(house, ann, "first", 1)
    other_worker = make_house(defaults=Defaults(lint_from="sql"))
    book(other_worker, ann, "unseen", 5)

    assert book(house, ann, "clash", 5, 30).status == "CONFIRM_REQUIRED"


def test_stale_cache_is_read_again_and_proves_itself_next_time(
    house: House, ann: Caller, make_house: Callable[..., House]
) -> None:
    book(house, ann, "first", 1)
    book(make_house(), ann, "unseen", 5)
    book(house, ann, "third", 9)

    held = cached(house)

    assert held is not None
    assert sorted(m.fact.object_value for m in held.memories) == titles(house, ann)


def test_retired_memory_conflicts_with_nothing_although_it_is_cached(
    house: House, ann: Caller
) -> None:
    (first,) = book(house, ann, "first", 1).facts
    retiring.retire(house, ann, first.memory_id, RevisionCheck(expected=1), AROUND)

    assert book(house, ann, "second", 1, 30).status == "SUCCESS"


def test_nothing_changes_when_the_desk_is_down(
    house: House, ann: Caller, desk: CuttableDesk
) -> None:
    book(house, ann, "first", 1)
    desk.down = True

    assert book(house, ann, "free", 9).status == "SUCCESS"
    assert titles(house, ann) == ["first", "free"]


@pytest.mark.parametrize(
    "change",
    [
        {"rules_version": "other"},
        {"grants_hash": "other"},
        {"epoch": 7},
        {"epoch": 0},
    ],
)
def test_facts_of_other_rules_grants_or_epochs_are_not_trusted(
    house: House, ann: Caller, desk: CuttableDesk, change: dict[str, Any]
) -> None:
    book(house, ann, "first", 1)
    held = cached(house)
    assert held is not None
    desk.forget("default", "ann")
    lying = replace(held, memories=(), read_at=held.read_at + timedelta(seconds=1), **change)
    desk.keep_reference("default", "ann", lying, now=house.clock())

    assert book(house, ann, "clash", 1, 30).status == "CONFIRM_REQUIRED"


def test_memory_that_gives_way_is_read_under_the_claim(house: House, ann: Caller) -> None:
    book(house, ann, "first", 1)
    day_off = FactIn(
        domain="Schedule",
        subject="Calendar",
        predicate="vacation",
        object_value="Vacation",
        when=Days(date(2026, 7, 17)),
    )

    answer = record.propose(house, ann, ProposeRequest(facts=(day_off,)), AROUND)

    assert answer.status == "SUCCESS_WITH_OVERWRITE"
    assert titles(house, ann) == ["Vacation"]
