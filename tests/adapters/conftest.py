"""A store to test: one fresh database a test, on each engine."""

import tomllib
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.ontology import Ontology


@pytest.fixture(scope="session")
def ontology() -> Ontology:
    """The ontology as shipped."""
    text = files("moss_memory").joinpath("policy", "ontology.toml").read_text()
    return Ontology.from_data(tomllib.loads(text))


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> Any:
    """The URL of a migrated database of each engine."""
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture
def open_memory(database_url: str, ontology: Ontology) -> Iterator[Callable[..., SqlMemory]]:
    """Opens stores on the test's database, with any settings; closed at its end."""
    opened: list[SqlMemory] = []

    def open_one(**settings: Any) -> SqlMemory:
        opened.append(SqlMemory(database_url, ontology=ontology, **settings))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


@pytest.fixture
def memory(open_memory: Callable[..., SqlMemory]) -> SqlMemory:
    """A store on a fresh database."""
    return open_memory()
