"""A house on a real SQLite file and the in-process Desk, with a clock and ids that tests hold."""

import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib import resources
from itertools import count
from typing import Any

import pytest

from moss_memory.adapters.local_desk import LocalDesk
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.access import Caller
from moss_memory.core.rules import Policy
from moss_memory.flow.ports import Defaults, House, Utterance
from moss_memory.language.proposal import Parsed


@dataclass
class Clock:
    """An instant that moves when a test says so."""

    now: datetime = datetime(2026, 7, 16, 5, tzinfo=UTC)  # Thursday, 14:00 in Seoul

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **by: float) -> None:
        self.now += timedelta(**by)


@dataclass
class ScriptedParser:
    """A parser that returns what a test wrote down for an utterance, small talk otherwise."""

    script: dict[str, Parsed] = field(default_factory=dict)
    name: str = "scripted"

    async def parse(self, utterance: Utterance) -> Parsed:
        return self.script.get(utterance.text, Parsed(intent="UNKNOWN"))


@pytest.fixture(scope="session")
def policy() -> Policy:
    """The shipped ontology and rule table."""
    shipped = resources.files("moss_memory") / "policy"
    read = [
        tomllib.loads((shipped / name).read_text(encoding="utf-8"))
        for name in ("ontology.toml", "rules.toml")
    ]
    return Policy.from_data(*read)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make_house(sqlite_url: str, policy: Policy, clock: Clock) -> Iterator[Callable[..., House]]:
    """Make a house; keywords replace its parts. Every house of a test shares one database."""
    numbers = count(1)
    with ExitStack() as stack:

        def make(**parts: Any) -> House:
            memory = SqlMemory(sqlite_url, ontology=policy.ontology, clock=clock)
            stack.callback(memory.close)
            made: dict[str, Any] = {
                "memory": memory,
                "desk": LocalDesk(),
                "parser": ScriptedParser(),
                "writer": None,
                "policy": policy,
                "clock": clock,
                "ids": lambda: f"00000000-0000-7000-8000-{next(numbers):012d}",
                "secret": lambda: f"secret-{next(numbers)}",
                "defaults": Defaults(timezone="Asia/Seoul"),
            }
            return House(**(made | parts))

        yield make


@pytest.fixture
def house(make_house: Callable[..., House]) -> House:
    return make_house()


@pytest.fixture
def ann() -> Caller:
    return Caller(tenant_id="default", principal_id="ann")


@pytest.fixture
def bob() -> Caller:
    return Caller(tenant_id="default", principal_id="bob")
