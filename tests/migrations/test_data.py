"""Upgrades of a database that is in use: what is derived is filled in, as a write would have it."""

import tomllib
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

import pytest

from moss_memory.adapters.sql_engine import connect
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_migrate import current, migrate
from moss_memory.core.fact import Fact, Memory, Provenance
from moss_memory.core.interval import Interval
from moss_memory.core.ontology import Ontology
from moss_memory.flow.ports import Change, Decision, Entry, Frame, Step

START = datetime(2026, 7, 17, 10, tzinfo=UTC)
SPACE = ("ana", "Schedule")


def event(number: int, predicate: str, **fields: Any) -> Memory:
    start = START + timedelta(days=number)
    fact = Fact(
        domain="Schedule",
        subject="Calendar",
        predicate=predicate,
        object_value="Vacation",
        scope_id="ana",
        observed_at=START,
        **fields,
    )
    return Memory(
        memory_id=f"m{number}",
        revision=1,
        tenant_id="default",
        principal_id="ana",
        owner="ana",
        fact=fact,
        windows=(Interval(start, start + timedelta(hours=1)),),
        valid_from=start,
        valid_until=start + timedelta(hours=1),
        recorded_at=START,
        created_at=START,
        provenance=Provenance(decision_id="d"),
    )


@pytest.fixture(params=["sqlite", "postgres"])
def used_url(request: pytest.FixtureRequest) -> str:
    """A database with events of each kind."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    ontology = files("moss_memory").joinpath("policy", "ontology.toml").read_text()
    store = SqlMemory(url, ontology=Ontology.from_data(tomllib.loads(ontology)))
    made = (
        event(0, "meeting"),
        event(1, "vacation"),
        event(2, "vacation", transparency="free"),
        event(3, "vacation", status="cancelled"),
        event(4, "note"),
    )
    decision = Decision(decision_id="d", outcome="SUCCESS", actor="ana")
    change = Change(operation="create", decision=decision, revisions=made)
    entry = Entry(
        tenant_id="default", principal_id="ana", request_id="r", writes=frozenset({SPACE})
    )
    store.transact(entry, lambda _: Frame(), lambda _, __: Step(None, change))
    store.close()
    return url


def windows(url: str) -> list[Any]:
    engine = connect(url)
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM occurrence ORDER BY memory_id")
        found = [dict(row) for row in rows.mappings()]
    engine.dispose()
    return found


def test_upgraded_windows_are_as_newly_written(used_url: str):
    written = windows(used_url)
    while current(used_url) != "0005_search":
        migrate(used_url, "-1")
    migrate(used_url)

    assert windows(used_url) == written
