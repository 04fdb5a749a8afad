"""What is remembered of a memory is its spelling, and nothing that may change."""

from datetime import UTC, datetime

import orjson
import pytest

from moss_memory.api.record_view import shown
from moss_memory.api.told import MOST, forget, told
from moss_memory.core.interval import FOREVER
from moss_memory.flow.records import Record, micros

START = datetime(2026, 7, 17, 1, tzinfo=UTC)
NOW = micros(START)
HOUR = 3600 * 1_000_000
KEPT = Record(
    memory_id="0198c5a2-0000-7000-8000-000000000001",
    revision=1,
    tenant_id="default",
    principal_id="me",
    scope_id="me",
    domain="Preference",
    predicate="prefers",
    subject="food",
    object_value="산채비빔밥 — bibimbap",
    when=None,
    event_status="confirmed",
    transparency="busy",
    buffer_before=0,
    buffer_after=0,
    source="user_explicit",
    confidence=1.0,
    source_ref=None,
    observed_at=NOW,
    expires_at=NOW + HOUR,
    hard=False,
    active=True,
    inactive_reason=None,
    valid_from=NOW,
    valid_until=micros(FOREVER),
    recorded_at=NOW,
    created_at=NOW,
    derived_from=None,
    decision_id="d",
    created_by_chat_id=None,
    invalidated_by_chat_id=None,
    parser=None,
    model=None,
)


def read(kept: Record, at: int) -> object:
    return orjson.loads(orjson.dumps(told(kept, "preference", at)))


@pytest.fixture(autouse=True)
def _fresh() -> None:
    forget()


def test_a_memory_is_told_as_its_view_the_first_time_and_the_second() -> None:
    view = shown(KEPT, "preference", NOW)
    assert [read(KEPT, NOW), read(KEPT, NOW)] == [view, view]


def test_the_bytes_are_those_of_its_view() -> None:
    told(KEPT, "preference", NOW)
    again = orjson.dumps([told(KEPT, "preference", NOW)])
    assert again == orjson.dumps([shown(KEPT, "preference", NOW)])


def test_what_expires_between_two_readings_is_told_as_expired() -> None:
    read(KEPT, NOW)
    later = NOW + HOUR
    assert read(KEPT, later) == shown(KEPT, "preference", later)


def test_another_memory_of_the_same_id_and_revision_is_told_by_itself() -> None:
    """As after an erasure: its writer is named ``erased`` and nothing else has changed."""
    read(KEPT, NOW)
    erased = KEPT._replace(principal_id="erased")
    assert read(erased, NOW) == shown(erased, "preference", NOW)


def test_every_memory_is_told_rightly_when_there_are_more_than_are_remembered() -> None:
    many = [KEPT._replace(revision=number) for number in range(MOST + 2)]
    for each in many:
        told(each, "preference", NOW)
    assert [read(each, NOW) for each in (many[0], many[-1])] == [
        shown(each, "preference", NOW) for each in (many[0], many[-1])
    ]


def test_text_that_is_no_unicode_is_refused() -> None:
    broken = KEPT._replace(object_value="\ud800")
    with pytest.raises(TypeError):
        told(broken, "preference", NOW)
