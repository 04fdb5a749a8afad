"""What is remembered of a memory is its spelling, and nothing that may change."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import orjson
import pytest

from moss_memory.api import views
from moss_memory.api.told import MOST, forget, told
from moss_memory.core.fact import Fact, Memory, Provenance
from moss_memory.core.interval import Interval

NOW = datetime(2026, 7, 17, 1, tzinfo=UTC)
FACT = Fact(
    domain="Preference",
    subject="food",
    predicate="prefers",
    object_value="산채비빔밥 — bibimbap",
    scope_id="me",
    observed_at=NOW,
    expires_at=NOW + timedelta(hours=1),
)
KEPT = Memory(
    memory_id="0198c5a2-0000-7000-8000-000000000001",
    revision=1,
    tenant_id="default",
    principal_id="me",
    owner="me",
    fact=FACT,
    windows=(Interval(NOW),),
    valid_from=NOW,
    valid_until=Interval(NOW).end,
    recorded_at=NOW,
    created_at=NOW,
    provenance=Provenance(decision_id="d"),
)


def read(kept: Memory, at: datetime) -> object:
    return orjson.loads(orjson.dumps(told(kept, "preference", at)))


@pytest.fixture(autouse=True)
def _fresh() -> None:
    forget()


def test_a_memory_is_told_as_its_view_the_first_time_and_the_second() -> None:
    view = views.memory(KEPT, "preference", NOW)
    assert [read(KEPT, NOW), read(KEPT, NOW)] == [view, view]


def test_the_bytes_are_those_of_its_view() -> None:
    told(KEPT, "preference", NOW)
    again = orjson.dumps([told(KEPT, "preference", NOW)])
    assert again == orjson.dumps([views.memory(KEPT, "preference", NOW)])


def test_what_expires_between_two_readings_is_told_as_expired() -> None:
    read(KEPT, NOW)
    later = NOW + timedelta(hours=1)
    assert read(KEPT, later) == views.memory(KEPT, "preference", later)


def test_another_memory_of_the_same_id_and_revision_is_told_by_itself() -> None:
    """As after an erasure: its writer is named ``erased`` and nothing else has changed."""
    read(KEPT, NOW)
    erased = replace(KEPT, principal_id="erased")
    assert read(erased, NOW) == views.memory(erased, "preference", NOW)


def test_every_memory_is_told_rightly_when_there_are_more_than_are_remembered() -> None:
    many = [replace(KEPT, revision=number) for number in range(MOST + 2)]
    for each in many:
        told(each, "preference", NOW)
    assert [read(each, NOW) for each in (many[0], many[-1])] == [
        views.memory(each, "preference", NOW) for each in (many[0], many[-1])
    ]


def test_text_that_is_no_unicode_is_refused() -> None:
    broken = replace(KEPT, fact=replace(FACT, object_value="\ud800"))
    with pytest.raises(TypeError):
        told(broken, "preference", NOW)
