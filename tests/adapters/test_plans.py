"""A write finds by the right index what it needs, whatever the planner knows of the rows.

On PostgreSQL a database is young at first: its tables look small and have no statistics, and what
is planned then serves until somebody analyzes them. Later it is full of other people's windows.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.interval import Interval

START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
PREPARED = 8  # writes until every statement has its plan
SCOPES = """
    INSERT INTO scope (tenant_id, scope_id, kind, approver_must_differ)
    SELECT 'default', 'team-' || number, 'team', false FROM generate_series(1, 2000) AS number
"""
OTHERS = """
    INSERT INTO occurrence (tenant_id, memory_id, starts_at, ends_at, revision, recorded_at,
        space_id, slot, span, lint_from, lint_until, alone)
    SELECT 'default', 'm' || number, at, at + 3600000000, 1, number,
        'p' || number % 100 || '/Schedule', 'slot' || number % 100, 6, at, at + 3600000000, false
    FROM (SELECT number, number * 7200000000 AS at FROM generate_series(1::bigint, 20000) AS number)
"""
TELL = (
    "LOAD 'auto_explain'",
    "SET auto_explain.log_min_duration = 0",
    "SET auto_explain.log_nested_statements = on",
    "SET auto_explain.log_level = notice",
)


@pytest.fixture(params=["young", "grown"])
def plans(request: pytest.FixtureRequest, postgres_url: str, ontology: Any, scribe_on: Any) -> Any:
    """The plans of one write of many into a slot; nobody has analyzed the young database."""
    if request.param == "grown":
        run(postgres_url, "SET session_replication_role = replica", OTHERS, "ANALYZE")
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


def run(url: str, *statements: str) -> None:
    """Run statements as the owner of the database, whom neither keys nor policies bind."""
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


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
    run(postgres_url, SCOPES, "ANALYZE scope")
    listen(memory, told)
    memory.standing("default", "ana")
    memory.close()
    conditions = re.findall(r"on scope .*?Index Cond: (.*?)$", told[-1], re.DOTALL | re.MULTILINE)

    assert conditions
    assert all("scope_id" in each for each in conditions)


def test_nothing_is_read_whole(plans: list[str]) -> None:
    assert "Seq Scan" not in "\n".join(plans)


def test_guard_of_sqlite_finds_windows_by_the_index_made_for_it(
    sqlite_url: str, ontology: Any
) -> None:
    memory = SqlMemory(sqlite_url, ontology=ontology)
    with memory.database.engine.connect() as connection:
        named = "SELECT sql FROM sqlite_master WHERE name LIKE 'occurrence_guard_%'"
        triggers = connection.exec_driver_sql(named).scalars().all()
        plans = [
            connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {looks_for(each)}", (1,)).all()
            for each in triggers
        ]
    memory.close()
    windows = [line for plan in plans for *_, line in plan if line.startswith("SEARCH o ")]

    assert len(windows) == 2  # at an insert, and at an update
    assert all("ix_occurrence_probe" in line and "lint_from" in line for line in windows)


def looks_for(trigger: str) -> str:
    """Return a trigger's own query; SQLite explains a trigger to nobody."""
    (query,) = re.findall(r"SELECT RAISE.*?WHERE (EXISTS .*);\s*END", trigger, re.DOTALL)
    return "SELECT " + re.sub(r"NEW\.\w+", "?1", query)
