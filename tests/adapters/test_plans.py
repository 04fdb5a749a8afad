"""On PostgreSQL a write finds by index what it needs, however little is known of the rows.

A database is young at first: its tables look small and have no statistics, and what is planned
then serves until somebody analyzes them.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.interval import Interval

START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
PREPARED = 8  # writes until every statement has its plan
SCOPES = """
    INSERT INTO scope (tenant_id, scope_id, kind, approver_must_differ)
    SELECT 'default', 'team-' || number, 'team', false FROM generate_series(1, 2000) AS number
"""
TELL = (
    "LOAD 'auto_explain'",
    "SET auto_explain.log_min_duration = 0",
    "SET auto_explain.log_nested_statements = on",
    "SET auto_explain.log_level = notice",
)


@pytest.fixture
def plans(postgres_url: str, ontology: Any, scribe_on: Any) -> Any:
    """The plans of one write of many into a slot of a database that nobody has analyzed."""
    memory = SqlMemory(postgres_url, ontology=ontology, pool_size=1)
    scribe, told = scribe_on(memory), list[str]()

    def write(number: int) -> None:
        at = START + 2 * number * HOUR
        scribe.create(scribe.draft(scribe.fact(f"n{number}"), Interval(at, at + HOUR)))

    for number in range(PREPARED):
        write(number)
    listen(memory, told)
    write(PREPARED)
    yield told
    memory.close()


def listen(memory: SqlMemory, told: list[str]) -> None:
    held = memory.database.engine.raw_connection()
    driver: Any = held.driver_connection
    driver.add_notice_handler(lambda notice: told.append(notice.message_primary))
    for statement in TELL:
        driver.execute(statement)
    driver.commit()
    held.close()


def scans(plans: list[str], table: str) -> set[str]:
    """Return how the plans read a table: the names of indexes, or that all of it is read."""
    read = set(re.findall(rf"using (\w+) on {table}\b", "\n".join(plans)))
    whole = re.search(rf"Seq Scan on {table}\b", "\n".join(plans))
    return read | ({"all of it"} if whole else set())


def test_windows_are_found_by_the_index_made_for_it(plans: list[str]) -> None:
    assert scans(plans, "occurrence") == {"ix_occurrence_probe", "pk_occurrence"}


def test_last_commit_is_found_by_its_key(plans: list[str]) -> None:
    (chain,) = (plan for plan in plans if "commit_log.hash" in plan)

    assert scans([chain], "commit_log") == {"pk_commit_log"}


def test_standing_is_found_by_the_grants_and_not_among_all_scopes(
    postgres_url: str, ontology: Any
) -> None:
    memory, told = SqlMemory(postgres_url, ontology=ontology, pool_size=1), list[str]()
    with memory.database.engine.connect() as connection:
        for statement in SCOPES, "ANALYZE scope":
            connection.execute(text(statement))
        connection.commit()
    listen(memory, told)
    memory.standing("default", "ana")
    memory.close()
    conditions = re.findall(r"on scope .*?Index Cond: (.*?)$", told[-1], re.DOTALL | re.MULTILINE)

    assert conditions
    assert all("scope_id" in each for each in conditions)


def test_nothing_is_read_whole(plans: list[str]) -> None:
    assert "Seq Scan" not in "\n".join(plans)
