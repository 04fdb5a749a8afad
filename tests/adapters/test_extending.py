"""Series that go on, on both engines: found by index, written once, never over a new meeting."""

import itertools
import tomllib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

import pytest

from moss_memory.adapters.local_desk import LocalDesk
from moss_memory.adapters.offline import OfflineParser
from moss_memory.adapters.sql_audit import INVARIANTS, audit
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_sweep import SqlSweep
from moss_memory.core.access import Caller
from moss_memory.core.fact import Memory
from moss_memory.core.interval import Interval
from moss_memory.core.rules import Policy
from moss_memory.core.when import Instant, Series
from moss_memory.flow import record, settle
from moss_memory.flow.extending import extend_all
from moss_memory.flow.ports import House, Query
from moss_memory.flow.requests import Answer, Circumstances, FactIn, ProposeRequest

TENANT = "default"
ANN = Caller(tenant_id=TENANT, principal_id="ann")
AROUND = Circumstances(request_id="r")
FIRST = datetime(2026, 7, 17, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
WEEK = 7 * DAY
BEYOND = FIRST + 106 * WEEK
LATER = FIRST + 60 * DAY


@pytest.fixture
def house_at(open_memory: Callable[..., SqlMemory]) -> Callable[..., House]:
    """Makes a house on the test's database whose clock stands still."""
    policy = Policy.from_data(
        *(
            tomllib.loads(files("moss_memory").joinpath("policy", name).read_text())
            for name in ("ontology.toml", "rules.toml")
        )
    )
    numbers, desk = itertools.count(1), LocalDesk()

    def make(now: datetime, **settings: Any) -> House:
        return House(
            memory=open_memory(clock=lambda: now, **settings),
            desk=desk,
            parser=OfflineParser(),
            writer=None,
            policy=policy,
            clock=lambda: now,
            ids=lambda: f"00000000-0000-7000-8000-{next(numbers):012d}",
            secret=lambda: f"secret-{next(numbers)}",
        )

    return make


def book(house: House, title: str, when: Instant) -> Answer:
    stated = FactIn(
        domain="Schedule",
        subject="Calendar",
        predicate="meeting",
        object_value=title,
        when=when,
    )
    return record.propose(house, ANN, ProposeRequest(facts=(stated,)), AROUND)


@pytest.fixture
def standup(house_at: Callable[..., House]) -> Memory:
    """A weekly meeting, said on its first day."""
    series = Instant(FIRST, series=Series("FREQ=WEEKLY"))
    (memory,) = book(house_at(FIRST), "Stand-up", series).facts
    return memory


def extended(house: House) -> Mapping[str, int]:
    assert isinstance(house.memory, SqlMemory)
    counts = extend_all(house, SqlSweep(house.memory.database), TENANT)
    return {name: count for name, count in counts.items() if count}


def at(house: House, start: datetime) -> list[str]:
    query = Query(scopes=("ann",), now=LATER, overlaps=Interval(start, start + HOUR))
    return [each.fact.object_value for each in house.memory.page(TENANT, query).items]


def occurrences(memory: SqlMemory) -> list[Any]:
    with memory.database.engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM occurrence ORDER BY memory_id, starts_at")
        return [tuple(row) for row in rows]


def test_extension_is_stored_found_and_chained(standup: Memory, house_at: Any, memory: SqlMemory):
    house = house_at(LATER)

    assert extended(house) == {"extended": 1}
    assert at(house, BEYOND) == ["Stand-up"]
    assert memory.verify(TENANT).ok
    assert audit(memory.database, TENANT) == dict.fromkeys(INVARIANTS, 0)


def test_rebuilt_rows_are_those_of_the_extension(standup: Memory, house_at: Any, memory: SqlMemory):
    extended(house_at(LATER))
    before = occurrences(memory)
    memory.rebuild_projections(TENANT)

    assert occurrences(memory) == before


def test_two_sweeps_at_once_extend_once(standup: Memory, house_at: Any, memory: SqlMemory):
    other = house_at(LATER)
    went: list[Mapping[str, int]] = []

    def meanwhile(step: str) -> None:
        if step == "begin" and not went:
            went.append({})
            went[0] = extended(other)

    assert extended(house_at(LATER, passing=meanwhile)) == {"postponed": 1}
    assert went == [{"extended": 1}]
    assert memory.newest(TENANT, [standup.memory_id])[standup.memory_id].revision == 2


def test_meeting_booked_during_the_sweep_is_never_run_over(
    standup: Memory, house_at: Any, memory: SqlMemory
):
    other = house_at(LATER)
    booked: list[str] = []

    def meanwhile(step: str) -> None:
        if step == "begin" and not booked:
            booked.append("")
            booked[0] = book(other, "Review", Instant(BEYOND)).status

    house = house_at(LATER, passing=meanwhile)

    assert extended(house) == {"postponed": 1}
    assert (booked, at(house, BEYOND)) == (["SUCCESS"], ["Review"])
    assert extended(house) == {"asked": 1}


def test_question_is_settled_after_a_restart(standup: Memory, house_at: Any, memory: SqlMemory):
    book(house_at(FIRST), "Review", Instant(BEYOND))
    extended(house_at(LATER))
    restarted = house_at(LATER + HOUR)
    (question,) = settle.open_questions(restarted, ANN, AROUND)
    settle.confirm(restarted, ANN, question.pending_id, "keep_both", AROUND)

    assert at(restarted, BEYOND) == ["Stand-up", "Review"]
    assert memory.verify(TENANT).ok
    assert audit(memory.database, TENANT) == dict.fromkeys(INVARIANTS, 0)
