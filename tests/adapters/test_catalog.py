"""What the catalog must say, so that pooling, sharding and replicas stay possible."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Engine, Inspector, inspect

from moss_memory.adapters.sql_engine import connect
from moss_memory.adapters.sql_tables import metadata

TABLES = sorted(metadata.tables)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """An engine on a migrated database."""
    made = connect(database_url)
    yield made
    made.dispose()


@pytest.fixture
def catalog(engine: Engine) -> Inspector:
    """What the engine says of its tables."""
    return inspect(engine)


def test_moss_m50_tenant_leads_every_key(catalog: Inspector):
    keys: list[list[Any]] = []
    for table in TABLES:
        keys.append(catalog.get_pk_constraint(table)["constrained_columns"])
        keys += [list(each["column_names"]) for each in catalog.get_unique_constraints(table)]
        keys += [each["column_names"] for each in catalog.get_indexes(table) if each["unique"]]
        for each in catalog.get_foreign_keys(table):
            keys += [each["constrained_columns"], each["referred_columns"]]

    assert {key[0] for key in keys} == {"tenant_id"}


def test_every_table_of_the_code_is_there_and_no_other(catalog: Inspector):
    assert sorted(catalog.get_table_names()) == sorted([*TABLES, "alembic_version"])


def test_words_are_columns_of_no_history(catalog: Inspector):
    words = {"object_value", "source_ref", "masked", "tokens"}
    for table in ("memory_revision", "commit_log", "decision", "decision_memory", "event"):
        assert words.isdisjoint(each["name"] for each in catalog.get_columns(table))


def test_history_refers_to_no_words(catalog: Inspector):
    referred = {
        each["referred_table"]
        for table in ("memory_revision", "commit_log", "decision")
        for each in catalog.get_foreign_keys(table)
    }

    assert referred.isdisjoint({"payload", "chat_history"})


def test_probe_has_no_plain_rival_index(catalog: Inspector):
    columns = [each["column_names"] for each in catalog.get_indexes("occurrence")]

    assert [each for each in columns if "slot" in each] == [
        ["tenant_id", "space_id", "slot", "span", "lint_from", "lint_until"]
    ]
    assert not [each for each in columns if "lint_from" in each[:4]]


def query(engine: Engine, statement: str) -> list[Any]:
    with engine.connect() as connection:
        return [row[0] for row in connection.exec_driver_sql(statement)]


def test_postgresql_has_no_sequence(postgres_url: str):
    engine = connect(postgres_url)
    found = query(engine, "SELECT relname FROM pg_class WHERE relkind = 'S'")
    engine.dispose()

    assert found == []


def test_every_sqlite_table_is_strict(sqlite_url: str):
    engine = connect(sqlite_url)
    loose = query(engine, "SELECT name FROM pragma_table_list WHERE NOT strict AND type = 'table'")
    engine.dispose()

    assert {each for each in loose if not each.startswith("sqlite_")} == {"alembic_version"}


@pytest.mark.parametrize(
    ("pragma", "promised"),
    [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("busy_timeout", 5000)],
)
def test_sqlite_connection_keeps_its_promises(pragma: str, promised: Any, sqlite_url: str):
    engine = connect(sqlite_url)
    found = query(engine, f"PRAGMA {pragma}")
    engine.dispose()

    assert found == [promised]


@pytest.mark.parametrize("url", ["mysql://localhost/x", "sqlite://", "postgresql://localhost/x"])
def test_other_database_is_refused(url: str):
    with pytest.raises(ValueError, match=r"(?i)sqlite"):
        connect(url)
