"""What goes over the wire in one flight, whatever its texts hold and whatever else is open."""

import os
import resource
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from sqlalchemy import text

from moss_memory.adapters.sql_call import Call, Statement
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_open import NEWEST

TENANT = "default"
MANY = 1100  # more than ``select`` can count to


@pytest.fixture
def crowded() -> Iterator[None]:
    """A process that has more files open than a set of ``select`` holds, as with many clients."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    first = os.open(os.devnull, os.O_RDONLY)
    files = [first, *(os.dup(first) for _ in range(MANY))]
    yield
    for each in files:
        os.close(each)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("crowded")
def test_database_answers_where_a_thousand_files_are_open(
    postgres_url: str, ontology: Any, scribe_on: Any
) -> None:
    memory = SqlMemory(postgres_url, ontology=ontology)
    kept = scribe_on(memory).create()
    found = memory.newest(TENANT, [kept.memory_id])
    memory.close()

    assert set(found) == {kept.memory_id}


@pytest.mark.parametrize("odd", ["", '"', "\\", '","', '\\"', "a,b", "{}", "NULL", "회의"])
def test_a_memory_is_found_among_any_other_texts(odd: str, memory: SqlMemory, scribe: Any):
    kept = scribe.create(scribe.draft(scribe.fact("pistachio")))
    assert set(memory.newest(TENANT, [odd, kept.memory_id, odd])) == {kept.memory_id}


def test_idle_connection_holds_no_rows_after_a_refused_statement(
    postgres_url: str, ontology: Any, scribe_on: Any
):
    memory = SqlMemory(postgres_url, ontology=ontology, pool_size=1)
    kept = scribe_on(memory).create()
    looked = Call(NEWEST, {"tenant_id": TENANT, "memory_ids": [kept.memory_id]})
    with suppress(psycopg.Error), memory.database.session(TENANT) as session:
        session.run(looked, Call(Statement(text("SELECT 1 / 0"))))
    held = memory.database.engine.raw_connection().info["line"].loading.pgresult
    memory.close()

    assert held is None
