"""A database without our tables: work is refused as with one that is away, and said so."""

from collections.abc import Iterator
from typing import Any

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.errors import StorageUnavailableError
from moss_memory.policy import load


@pytest.fixture(params=["empty_sqlite_url", "empty_postgres_url"])
def memory(request: pytest.FixtureRequest) -> Iterator[SqlMemory]:
    store = SqlMemory(request.getfixturevalue(request.param), ontology=load().ontology)
    yield store
    store.close()


@pytest.mark.parametrize(
    "read",
    [
        lambda store: store.standing("t", "p"),
        lambda store: store.newest("t", ["m"]),
        lambda store: store.revisions("t", "m"),
        lambda store: store.last_event("t"),
    ],
)
def test_work_is_refused_and_not_taken_for_a_bug(memory: SqlMemory, read: Any):
    with pytest.raises(StorageUnavailableError):
        read(memory)


def test_check_says_what_is_missing(memory: SqlMemory):
    assert memory.check() == {"database": "ok", "migrations": "not_at_head"}
