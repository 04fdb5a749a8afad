"""Expiry: out of everything at its instant, and part of history after a sweep."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_sweep import SqlSweep
from moss_memory.core.access import Caller
from moss_memory.core.when import Instant
from moss_memory.flow import reading, record
from moss_memory.flow.ports import House
from moss_memory.flow.requests import Answer, Circumstances, FactIn, ListRequest, ProposeRequest
from moss_memory.flow.sweeping import Retention, sweep

AROUND = Circumstances(request_id="r")


@pytest.fixture
def store(house: House) -> SqlSweep:
    assert isinstance(house.memory, SqlMemory)
    return SqlSweep(house.memory.database)


def book(house: House, who: Caller, title: str, expires_at: datetime | None = None) -> Answer:
    stated = FactIn(
        domain="Schedule",
        subject="Calendar",
        predicate="meeting",
        object_value=title,
        when=Instant(datetime(2026, 7, 17, 1, tzinfo=UTC)),
        expires_at=expires_at,
    )
    return record.propose(house, who, ProposeRequest(facts=(stated,)), AROUND)


def test_expired_memory_conflicts_with_nothing_before_any_sweep(
    house: House, ann: Caller, clock: Any
) -> None:
    book(house, ann, "first", clock.now + timedelta(hours=1))
    clock.forward(hours=1)

    assert book(house, ann, "second").status == "SUCCESS"
    found = reading.listing(house, ann, ListRequest()).items
    assert [memory.fact.object_value for memory in found] == ["second"]


def test_memory_is_active_up_to_its_expiry(house: House, ann: Caller, clock: Any) -> None:
    book(house, ann, "first", clock.now + timedelta(hours=1))
    clock.forward(minutes=59)

    assert book(house, ann, "second").status == "CONFIRM_REQUIRED"


def test_sweep_makes_what_expired_a_revision_of_its_own(
    house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    (memory,) = book(house, ann, "first", clock.now + timedelta(hours=1)).facts
    clock.forward(hours=2)

    counts = sweep(house, store, Retention(), tenant_id="default")

    gone = reading.get(house, ann, memory.memory_id)
    assert counts["expired"] == 1
    assert (gone.revision, gone.active, gone.inactive_reason) == (2, False, "expired")
    assert house.memory.verify("default").ok


def test_second_sweep_finds_nothing(house: House, store: SqlSweep, ann: Caller, clock: Any) -> None:
    book(house, ann, "first", clock.now + timedelta(hours=1))
    clock.forward(hours=2)
    sweep(house, store, Retention(), tenant_id="default")

    assert set(sweep(house, store, Retention(), tenant_id="default").values()) == {0}


def test_past_is_still_known_as_it_was(
    house: House, store: SqlSweep, ann: Caller, clock: Any
) -> None:
    (memory,) = book(house, ann, "first", clock.now + timedelta(hours=1)).facts
    then = clock.now + timedelta(minutes=1)
    clock.forward(hours=2)
    sweep(house, store, Retention(), tenant_id="default")

    assert reading.get(house, ann, memory.memory_id, known_at=then) == memory
