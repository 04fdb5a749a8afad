"""Tenants are kept apart below the application: row-level security, table by table.

Every table is probed for what a bound tenant sees and may do to its own row, another's, and with
no tenant bound. Each policy is then broken in turn, and the probe has to notice.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from sqlalchemy import Column, Table

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_roles import TENANT_TABLES
from moss_memory.adapters.sql_tables import IMMUTABLE, metadata
from moss_memory.adapters.sql_types import Bytes, Flag, Micros, Whole

CHECKED: Mapping[str, Any] = {  # what a CHECK asks of a column
    "epoch": 1,
    "revision": 1,
    "confidence": 1.0,
    "event_status": "confirmed",
    "transparency": "busy",
    "source": "user_explicit",
    "source_ceiling": "user_explicit",
    "read_mode": "off",
    "write_mode": "off",
    "valid_until": 2,
    "ends_at": 2,
    "lint_until": 2,
    "b": "z",
}
KINDS = {"event": "memory.written", "scope": "team"}


def value(table: Table, column: Column[Any], tenant: str) -> Any:
    known = CHECKED | {"tenant_id": tenant, "kind": KINDS.get(table.name)}
    if column.name in known:
        return known[column.name]
    if column.nullable and column.name != "subject":
        return None
    if isinstance(column.type, Flag):
        return False
    if isinstance(column.type, Micros) or column.type is Whole:
        return 1
    return b"" if column.type is Bytes else "same"


def insert(connection: Any, table: Table, tenant: str) -> None:
    columns = list(table.c)
    names = ", ".join(f'"{column.name}"' for column in columns)
    marks = ", ".join(["%s"] * len(columns))
    row = [value(table, column, tenant) for column in columns]
    connection.execute(f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})', row)


@pytest.fixture(scope="module")
def shared_url(postgres: Any, postgres_template: str) -> Iterator[str]:
    """One migrated database: each probe rolls back what it did."""
    postgres.execute(f"CREATE DATABASE row_security TEMPLATE {postgres_template}")
    yield postgres.url("row_security").replace("+psycopg", "")
    postgres.execute("DROP DATABASE row_security WITH (FORCE)")


@pytest.fixture
def owner(shared_url: str) -> Iterator[Any]:
    """The owner's connection in a transaction, keys and triggers out of the way."""
    with psycopg.connect(shared_url) as connection:
        connection.execute("SET LOCAL session_replication_role = replica")
        yield connection
        connection.rollback()


def bind(connection: Any, tenant: str | None) -> None:
    connection.execute("SELECT set_config('role', 'moss_app', true)")
    connection.execute("SELECT set_config('moss.tenant_id', %s, true)", (tenant or "",))


def refused(connection: Any, tenant: str | None, work: Callable[[Any], object]) -> bool:
    bind(connection, tenant)
    try:
        with connection.transaction():
            work(connection)
    except psycopg.errors.InsufficientPrivilege:
        return True
    return False


def touched(connection: Any, tenant: str | None, statement: str) -> int:
    bind(connection, tenant)
    return int(connection.execute(statement).rowcount)


def leaks(connection: Any, table: Table) -> list[str]:
    """Return what is not as it has to be, with one row of tenant a and one of tenant b."""
    name = f'"{table.name}"'
    seen = {t: touched(connection, t, f"SELECT 1 FROM {name}") for t in ("a", "b", "c", None)}
    written = {
        t: refused(connection, t, lambda service, t=t: insert(service, table, f"not {t}"))
        for t in ("c", None)
    }
    found = [f"{t} sees {n}" for t, n in seen.items() if n != (t in {"a", "b"})]
    return found + [f"{t} writes for another" for t, no in written.items() if not no]


def changes(connection: Any, table: Table) -> list[str]:
    """Return which changes across tenants are not refused."""
    if table.name in IMMUTABLE:
        return []
    name = f'"{table.name}"'
    moving = f"UPDATE {name} SET tenant_id = 'f'"
    moved = not refused(connection, "a", lambda service: service.execute(moving))
    met = [touched(connection, "c", f"UPDATE {name} SET tenant_id = tenant_id")]
    met.append(touched(connection, "c", f"DELETE FROM {name}"))
    return ["a moves its row to f"] * moved + [f"c changes {met}"] * any(met)


@pytest.fixture(params=TENANT_TABLES)
def table(request: pytest.FixtureRequest, owner: Any) -> Table:
    """A table with one row of tenant a and one of tenant b, alike but for the tenant."""
    chosen = metadata.tables[request.param]
    for tenant in ("a", "b"):
        insert(owner, chosen, tenant)
    return chosen


def test_tenant_meets_its_own_rows_alone(table: Table, owner: Any):
    assert leaks(owner, table) + changes(owner, table) == []


def test_dropped_policy_is_noticed(table: Table, owner: Any):
    owner.execute(f'DROP POLICY tenant ON "{table.name}"')

    assert leaks(owner, table) != []


def test_policy_that_lets_all_through_is_noticed(table: Table, owner: Any):
    owner.execute(f'ALTER POLICY tenant ON "{table.name}" USING (true) WITH CHECK (true)')

    assert leaks(owner, table) != []


@pytest.fixture
def breaker(postgres_url: str) -> Iterator[Any]:
    """The owner's connection to a database that may be broken for good."""
    with psycopg.connect(postgres_url.replace("+psycopg", ""), autocommit=True) as connection:
        yield connection


def test_unsafe_database_is_not_healthy(breaker: Any, postgres_url: str, ontology: Any):
    breaker.execute("DROP POLICY tenant ON payload")
    memory = SqlMemory(postgres_url, ontology=ontology)
    state = memory.check()["isolation"]
    memory.close()

    assert state == "policy_missing:payload"


def check(url: str, ontology: Any) -> tuple[str, ...]:
    memory = SqlMemory(url, ontology=ontology)
    try:
        return memory.self_check()
    finally:
        memory.close()


def test_migrated_database_has_no_fault(database_url: str, ontology: Any):
    assert check(database_url, ontology) == ()


BREAKS = {
    'ALTER TABLE "{table}" NO FORCE ROW LEVEL SECURITY': "row_security_off",
    'ALTER TABLE "{table}" DISABLE ROW LEVEL SECURITY': "row_security_off",
    'DROP POLICY tenant ON "{table}"': "policy_missing",
    'CREATE POLICY wide ON "{table}" USING (true)': "policy_unexpected",
    'ALTER TABLE "{table}" OWNER TO moss_app': "table_owned",
}


@pytest.mark.parametrize("broken", BREAKS)
def test_start_up_names_what_is_broken(broken: str, breaker: Any, postgres_url: str, ontology: Any):
    breaker.execute(broken.format(table="memory_head"))

    assert f"{BREAKS[broken]}:memory_head" in check(postgres_url, ontology)


@pytest.mark.parametrize("name", IMMUTABLE)
def test_right_to_change_history_is_named(
    name: str, breaker: Any, postgres_url: str, ontology: Any
):
    breaker.execute(f"GRANT UPDATE ON {name} TO moss_app")

    assert check(postgres_url, ontology) == (f"history_writable:{name}",)


@pytest.mark.parametrize("name", [*IMMUTABLE, "occurrence"])
def test_disabled_trigger_is_named(name: str, breaker: Any, postgres_url: str, ontology: Any):
    breaker.execute(f"ALTER TABLE {name} DISABLE TRIGGER USER")

    assert check(postgres_url, ontology) == (f"trigger_missing:{name}",)


def test_login_without_the_role_is_named(
    breaker: Any, postgres_url: str, ontology: Any, lone_login: str
):
    url = postgres_url.replace("postgres@", f"{lone_login}@")

    assert check(url, ontology) == ("role_switch_refused",)


@pytest.fixture
def lone_login(breaker: Any) -> Iterator[str]:
    """A login that is no member of the service's role."""
    breaker.execute("CREATE ROLE lone_login LOGIN")
    yield "lone_login"
    breaker.execute("DROP ROLE lone_login")


def test_tenants_share_ids_without_meeting(scribe: Any, memory: SqlMemory):
    mine = scribe.create()
    theirs = scribe.draft(scribe.fact(), tenant="other")
    written = scribe.create(replace(theirs, memory_id=mine.memory_id))

    assert memory.newest("other", [mine.memory_id]) == {mine.memory_id: written}
    assert memory.newest("default", [mine.memory_id]) == {mine.memory_id: mine}
