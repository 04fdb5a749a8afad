"""The Alembic history on both engines: one head, upgrade equals metadata, down and up again."""

from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from moss_memory.adapters.sql_engine import connect
from moss_memory.adapters.sql_migrate import configuration, current, head, migrate
from moss_memory.adapters.sql_tables import metadata


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(f"empty_{request.param}_url")


@pytest.fixture(params=["sqlite", "postgres"])
def migrated_url(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(f"{request.param}_url")


def differences(connection: Connection) -> list[Any]:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return compare_metadata(context, metadata)


def test_history_has_one_head():
    assert len(ScriptDirectory.from_config(configuration()).get_heads()) == 1


def test_empty_database_has_no_revision(empty_url: str):
    assert current(empty_url) is None


def test_migrating_reaches_the_head(migrated_url: str):
    assert current(migrated_url) == head()


def test_upgrade_gives_what_the_code_describes(migrated_url: str):
    engine = connect(migrated_url)
    with engine.connect() as connection:
        found = differences(connection)
    engine.dispose()

    assert found == []


def test_migrating_twice_changes_nothing(migrated_url: str):
    migrate(migrated_url)

    assert current(migrated_url) == head()


def test_going_down_leaves_no_table(migrated_url: str):
    migrate(migrated_url, "base")
    engine = connect(migrated_url)
    left = inspect(engine).get_table_names()
    engine.dispose()

    assert left == ["alembic_version"]


def test_up_again_after_down_gives_what_the_code_describes(migrated_url: str):
    migrate(migrated_url, "base")
    migrate(migrated_url)
    engine = connect(migrated_url)
    with engine.connect() as connection:
        found = differences(connection)
    engine.dispose()

    assert found == []
