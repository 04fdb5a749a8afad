"""``moss-memory sweep``: what the settings bound is gone afterwards, and the chains still hold."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from moss_memory.app import Built, build_house
from moss_memory.cli.main import main
from moss_memory.core.access import Caller
from moss_memory.core.when import Instant
from moss_memory.flow import reading, record
from moss_memory.flow.requests import (
    Circumstances,
    FactIn,
    ProposeRequest,
    ReviseRequest,
    RevisionCheck,
)
from moss_memory.settings import load_settings

ANN = Caller(tenant_id="default", principal_id="ann")
AROUND = Circumstances(request_id="r")


@pytest.fixture(params=["sqlite", "postgres"])
def built(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A service's house on each engine, which keeps two revisions of a memory."""
    monkeypatch.setenv("MOSS_DATABASE_URL", request.getfixturevalue(f"{request.param}_url"))
    monkeypatch.setenv("MOSS_HISTORY_REVISIONS", "2")
    made = build_house(load_settings())
    yield made
    for close in made.close:
        close()


@pytest.fixture
def revised(built: Built) -> str:
    """A memory of five revisions."""
    stated = FactIn(
        domain="Schedule",
        subject="Calendar",
        predicate="meeting",
        object_value="Review 1",
        when=Instant(datetime(2030, 7, 17, 1, tzinfo=UTC)),
    )
    house = built.house
    (memory,) = record.propose(house, ANN, ProposeRequest(facts=(stated,)), AROUND).facts
    for number in range(1, 5):
        change = ReviseRequest(
            memory_id=memory.memory_id,
            fields={"object_value": f"Review {number + 1}"},
            check=RevisionCheck(expected=number),
        )
        record.revise(house, ANN, change, AROUND)
    return memory.memory_id


Told = Callable[[], dict[str, Any]]


@pytest.fixture
def swept(capsys: pytest.CaptureFixture[str]) -> Told:
    """Runs the command, and returns what it counted."""

    def run() -> dict[str, Any]:
        assert main(["sweep", "--tenant", "default", "--json"]) == 0
        counts: dict[str, Any] = json.loads(capsys.readouterr().out)
        return counts

    return run


def test_words_of_all_but_the_newest_revisions_go(built: Built, revised: str, swept: Told) -> None:
    assert swept()["payloads"] == 3
    kept = reading.revisions(built.house, ANN, revised)
    assert [memory.fact.object_value for memory in kept] == ["Review 4", "Review 5"]
    assert swept()["payloads"] == 0


def test_chains_hold_after_a_sweep(
    revised: str, swept: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    swept()

    assert main(["audit", "verify", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["checked"] == 5
