"""A weekly meeting goes on for years, and the sweep asks where something new is in its way."""

import io
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_sweep import SqlSweep
from moss_memory.app import build_house, create_app, revealed
from moss_memory.cli.listening import in_background
from moss_memory.flow.extending import extend_all
from moss_memory.settings import Settings

DAY = timedelta(days=1)


@pytest.fixture(params=["sqlite", "postgres"])
def chosen(request: pytest.FixtureRequest) -> Settings:
    """Settings of a service of this test's own, with a shared Desk on PostgreSQL."""
    url = SecretStr(request.getfixturevalue(f"{request.param}_url"))
    if request.param == "sqlite":
        return Settings(database_url=url)
    return Settings(database_url=url, redis_url=SecretStr(request.getfixturevalue("valkey")))


@pytest.fixture
def service(chosen: Settings) -> Iterator[str]:
    with in_background(create_app(chosen, lines=io.StringIO())) as base:
        yield base


def swept(settings: Settings, now: datetime) -> Mapping[str, int]:
    """Sweep as the command does, in a process whose clock is ahead."""
    built = build_house(settings)
    url = revealed(settings.database_url)
    memory = SqlMemory(url, ontology=built.house.policy.ontology, clock=lambda: now)
    house = replace(built.house, memory=memory, clock=lambda: now)
    asks = settings.redis_url is not None
    counts = extend_all(house, SqlSweep(memory.database), "default", asks=asks)
    for close in (*built.close, memory.close):
        close()
    return counts


def meeting(title: str, start: datetime, **when: str) -> dict[str, Any]:
    spelled = {"start": start.isoformat(), "end": (start + timedelta(hours=1)).isoformat()}
    kind = {"domain": "Schedule", "subject": "Calendar", "predicate": "meeting"}
    return kind | {"object_value": title, "when": spelled | when}


def at(person: Any, start: datetime) -> list[str]:
    window = {"from": start.isoformat(), "to": (start + timedelta(hours=1)).isoformat()}
    return sorted(each["object_value"] for each in person.memories(**window))


def test_overlap_beyond_the_horizon_is_asked_about_and_settled(chosen: Settings, alice: Any):
    first = datetime(2030, 1, 4, 10, tzinfo=UTC)
    beyond = first + 120 * 7 * DAY
    alice.stored(meeting("Stand-up", first, rrule="FREQ=WEEKLY"))
    alice.stored(meeting("Review", beyond))

    counts = swept(chosen, beyond - 500 * DAY)

    assert at(alice, beyond - 7 * DAY) == ["Stand-up"]
    assert at(alice, beyond) == ["Review"]
    if chosen.redis_url is None:  # the Desk of a process alone ends with it: asked about later
        assert counts["held_back"] == 1
        return
    (question,) = alice.told(alice.http.get("/pending"))["items"]
    assert question["verdict"]["conflict_type"] == "MEETING_OVERLAP"
    assert alice.confirm(question["pending_id"], "keep_both")["status"] == "SUCCESS"
    assert at(alice, beyond) == ["Review", "Stand-up"]
