"""Who migrates and who serves: one login that owns the tables, or two, neither a superuser."""

from typing import Any

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_migrate import current, head, migrate
from moss_memory.core.ontology import Ontology


@pytest.fixture
def owned(other_postgres: Any) -> Any:
    """A fresh server whose database belongs to an ordinary login that may make roles."""
    other_postgres.execute("CREATE ROLE owner_login LOGIN CREATEROLE")
    other_postgres.execute("CREATE ROLE service_login LOGIN")
    other_postgres.execute("CREATE DATABASE moss OWNER owner_login TEMPLATE template0")
    return lambda login: other_postgres.url("moss").replace("postgres@", f"{login}@")


def faults(url: str) -> tuple[str, ...]:
    memory = SqlMemory(url, ontology=Ontology())
    try:
        memory.standing("default", "ana")  # works at all
        return memory.self_check()
    finally:
        memory.close()


def test_one_login_that_owns_the_tables_serves_safely(owned: Any):
    migrate(owned("owner_login"))

    assert faults(owned("owner_login")) == ()


def test_second_login_serves_safely(owned: Any):
    migrate(owned("owner_login"), grant_to="service_login")

    assert faults(owned("service_login")) == ()


def test_second_login_sees_the_revision(owned: Any):
    migrate(owned("owner_login"), grant_to="service_login")

    assert current(owned("service_login")) == head()
