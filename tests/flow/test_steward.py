"""Erasure: what one principal said is gone from store, Desk and answers, and stays gone."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from moss_memory.adapters.sql_erasure import SqlErasures
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.access import Caller
from moss_memory.core.errors import (
    IdempotencyKeyReusedError,
    InvalidValueError,
    NotFoundError,
    PrincipalErasedError,
    RightMissingError,
)
from moss_memory.core.when import Instant
from moss_memory.flow import reading, record, settle, steward
from moss_memory.flow.ports import House, IdempotencyKey
from moss_memory.flow.requests import Answer, Circumstances, FactIn, ListRequest, ProposeRequest

AROUND = Circumstances(request_id="r")


@pytest.fixture
def store(house: House, clock: object) -> SqlErasures:
    assert isinstance(house.memory, SqlMemory)
    return SqlErasures(house.memory.database, clock=house.clock)


@pytest.fixture
def admin() -> Caller:
    return Caller(
        tenant_id="default",
        principal_id="admin",
        rights=frozenset({"erasure:admin", "audit:read"}),
    )


def book(house: House, who: Caller, title: str, hour: int = 1) -> Answer:
    stated = FactIn(
        domain="Schedule",
        subject="Calendar",
        predicate="meeting",
        object_value=title,
        when=Instant(datetime(2026, 7, 17, hour, tzinfo=UTC)),
    )
    return record.propose(house, who, ProposeRequest(facts=(stated,)), AROUND)


def keyed(key: str) -> Circumstances:
    return Circumstances(request_id="r", key=IdempotencyKey("POST /erasures", key, "hash"))


def test_memories_and_open_questions_go_and_are_counted(
    house: House, store: SqlErasures, ann: Caller
) -> None:
    book(house, ann, "first")
    book(house, ann, "second")

    done = steward.erase(house, store, ann, "ann", AROUND)

    assert (done.counts["memories"], done.counts["payloads"]) == (1, 1)
    assert done.counts["pendings"] == 1
    assert reading.listing(house, ann, ListRequest(status="all")).items == ()
    assert settle.open_questions(house, ann, AROUND) == ()


def test_erased_memory_is_not_found_by_its_id(
    house: House, store: SqlErasures, ann: Caller
) -> None:
    (memory,) = book(house, ann, "first").facts
    steward.erase(house, store, ann, "ann", AROUND)

    with pytest.raises(NotFoundError):
        reading.get(house, ann, memory.memory_id)


def test_later_write_of_an_erased_principal_is_refused(
    house: House, store: SqlErasures, ann: Caller
) -> None:
    steward.erase(house, store, ann, "ann", AROUND)

    with pytest.raises(PrincipalErasedError):
        book(house, ann, "again")


def test_chains_still_verify_after_an_erasure(
    house: House, store: SqlErasures, ann: Caller, bob: Caller, admin: Caller
) -> None:
    book(house, ann, "first")
    book(house, bob, "other")
    steward.erase(house, store, ann, "ann", AROUND)

    report = steward.verify(house, admin)
    assert (report.ok, report.first_bad) == (True, None)


def test_somebody_else_is_erased_by_right_only(
    house: House, store: SqlErasures, ann: Caller, admin: Caller
) -> None:
    with pytest.raises(RightMissingError):
        steward.erase(house, store, ann, "bob", AROUND)

    assert steward.erase(house, store, admin, "bob", AROUND).principal_id == "bob"


def test_second_erasure_finds_nothing(
    house: House, store: SqlErasures, ann: Caller, admin: Caller
) -> None:
    book(house, ann, "first")
    steward.erase(house, store, ann, "ann", AROUND)

    again = steward.erase(house, store, admin, "ann", AROUND)

    assert set(again.counts.values()) == {0}


def test_repeat_under_a_key_gives_the_first_counts(
    house: House, store: SqlErasures, admin: Caller, ann: Caller
) -> None:
    book(house, ann, "first")
    first = steward.erase(house, store, admin, "ann", keyed("k"))

    again = steward.erase(house, store, admin, "ann", keyed("k"))

    assert again == replace(first, replayed=True)


def test_key_that_erased_somebody_else_is_refused(
    house: House, store: SqlErasures, admin: Caller
) -> None:
    steward.erase(house, store, admin, "ann", keyed("k"))

    with pytest.raises(IdempotencyKeyReusedError):
        steward.erase(house, store, admin, "bob", keyed("k"))


def test_malformed_principal_is_refused(house: House, store: SqlErasures, admin: Caller) -> None:
    with pytest.raises(InvalidValueError):
        steward.erase(house, store, admin, "a b", AROUND)


def test_audit_needs_its_right(house: House, ann: Caller) -> None:
    with pytest.raises(RightMissingError):
        steward.verify(house, ann)
