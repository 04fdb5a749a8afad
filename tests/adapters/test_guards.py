"""What the database refuses by itself, also to a writer that knows no rules."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DatabaseError

from moss_memory.adapters.sql_faults import Fault, fault_of
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_tables import IMMUTABLE
from moss_memory.core.fact import Memory
from moss_memory.core.interval import FOREVER, Interval

TENANT = "default"
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def owner(memory: SqlMemory) -> Any:
    """The owner's connection, whom no policy and no grant binds."""
    with memory.database.engine.connect() as connection:
        yield connection


def refused(connection: Connection, statement: str) -> str:
    """Return why a statement was refused."""
    with pytest.raises(DatabaseError) as caught:
        connection.execute(text(statement))
    return str(caught.value.orig)


@pytest.mark.parametrize("table", IMMUTABLE)
@pytest.mark.parametrize("change", ["UPDATE {} SET tenant_id = tenant_id", "DELETE FROM {}"])
def test_history_is_only_added_to(table: str, change: str, scribe: Any, owner: Connection):
    """Property 22."""

    scribe.create()

    assert "moss_history" in refused(owner, change.format(table))


@pytest.mark.parametrize("table", IMMUTABLE)
def test_history_is_not_truncated(table: str, postgres_url: str, ontology: Any):
    memory = SqlMemory(postgres_url, ontology=ontology)
    with memory.database.engine.connect() as connection:
        why = refused(connection, f"TRUNCATE {table} CASCADE")
    memory.close()

    assert "moss_history" in why


@pytest.mark.parametrize(
    "change",
    [
        "valid_until = valid_from",
        "confidence = 1.5",
        "confidence = -0.5",
        "source = 'hearsay'",
        "event_status = 'maybe'",
        "transparency = 'glass'",
        "inactive_reason = 'bored'",
        "revision = 0",
        "epoch = 0",
        "buffer_before = -1",
    ],
)
def test_value_outside_its_range_is_refused(change: str, scribe: Any, owner: Connection):
    scribe.create()

    assert "ck_memory_head" in refused(owner, f"UPDATE memory_head SET {change}").replace(
        "CHECK constraint failed: ", ""
    )


def meeting(scribe: Any, hour: float = 0, **fields: Any) -> Memory:
    start = START + hour * HOUR
    return scribe.draft(scribe.fact(**fields), Interval(start, start + HOUR))


def test_unlinted_overlap_is_refused_by_the_database(scribe: Any):
    """Property 19, for a writer that never lints."""

    scribe.create()

    with pytest.raises(Exception, match="moss_guard") as caught:
        scribe.create(lint=False)
    assert fault_of(caught.value) is Fault.GUARDED


def test_refused_overlap_leaves_nothing(scribe: Any, memory: SqlMemory):
    first = scribe.create()
    with pytest.raises(Exception, match="moss_guard"):
        scribe.create(lint=False)

    assert memory.candidates(TENANT, scribe.probes([first]))[0] == (first,)
    assert memory.verify(TENANT).ok


def test_windows_that_meet_are_let_stand(scribe: Any):
    scribe.create()

    assert scribe.create(meeting(scribe, 1), lint=False).active


@pytest.mark.parametrize(
    "fields",
    [
        {"transparency": "free"},
        {"status": "cancelled"},
        {"predicate": "note"},
        {"predicate": "vacation", "value": "Vacation", "transparency": "free"},
        {"predicate": "vacation", "value": "Vacation", "status": "cancelled"},
        {"scope": "bo"},
    ],
)
def test_what_excludes_nothing_is_let_stand(fields: Any, scribe: Any):
    scribe.create()

    assert scribe.create(meeting(scribe, **fields), lint=False).active


VACATION = {"predicate": "vacation", "value": "Vacation"}


@pytest.mark.parametrize(("first", "second"), [(VACATION, {}), ({}, VACATION)])
def test_meeting_and_vacation_are_kept_apart_whichever_came_first(
    first: Any, second: Any, scribe: Any
):
    scribe.create(meeting(scribe, **first))

    with pytest.raises(Exception, match="moss_guard"):
        scribe.create(meeting(scribe, **second), lint=False)


def test_meeting_and_vacation_that_a_person_allowed_are_let_stand(scribe: Any):
    scribe.create(meeting(scribe, **VACATION))

    assert scribe.create(waive=True).active


def test_vacations_are_let_stand_over_each_other(scribe: Any):
    scribe.create(meeting(scribe, **VACATION))

    assert scribe.create(meeting(scribe, 0.5, **VACATION), lint=False).active


def test_overlap_in_the_buffers_alone_is_let_stand(scribe: Any):
    scribe.create(meeting(scribe, buffer_after=30))

    assert scribe.create(meeting(scribe, 1), lint=False).active


def test_expired_memory_is_in_nobodys_way(scribe: Any):
    scribe.create(meeting(scribe, expires_at=datetime(2026, 1, 1, tzinfo=UTC)))

    assert scribe.create(lint=False).active


def test_waived_pair_is_let_stand(scribe: Any):
    scribe.create()

    assert scribe.create(waive=True).active


def test_waiver_ends_with_the_revision_it_was_given_for(scribe: Any):
    scribe.create()
    second = scribe.create(waive=True)

    with pytest.raises(Exception, match="moss_guard"):
        scribe.revise(second, lint=False)


def test_waiver_of_two_says_nothing_of_a_third(scribe: Any):
    scribe.create()
    scribe.create(waive=True)

    with pytest.raises(Exception, match="moss_guard"):
        scribe.create(lint=False)


def light(scribe: Any, value: str, subject: str = "lamp") -> Memory:
    fact = scribe.fact(value, domain="SmartHome", subject=subject, predicate="light_status")
    return scribe.draft(fact, Interval(START, FOREVER))


def test_single_state_has_one_value_at_a_time(scribe: Any):
    scribe.create(light(scribe, "on"))

    with pytest.raises(Exception, match="moss_guard"):
        scribe.create(light(scribe, "off"), lint=False)


@pytest.mark.parametrize(("value", "subject"), [("on", "lamp"), ("ON", "lamp"), ("off", "desk")])
def test_same_value_and_other_device_are_let_stand(value: str, subject: str, scribe: Any):
    scribe.create(light(scribe, "on"))

    assert scribe.create(light(scribe, value, subject), lint=False).active


def taste(scribe: Any, predicate: str, value: str) -> Memory:
    fact = scribe.fact(value, domain="Preference", subject="drinks", predicate=predicate)
    return scribe.draft(fact, Interval(START, FOREVER))


def test_liking_and_disliking_one_thing_exclude_each_other(scribe: Any):
    scribe.create(taste(scribe, "dislikes", "Coffee"))

    with pytest.raises(Exception, match="moss_guard"):
        scribe.create(taste(scribe, "prefers", "coffee"), lint=False)


@pytest.mark.parametrize(("predicate", "value"), [("dislikes", "milk"), ("prefers", "tea")])
def test_set_holds_several_values(predicate: str, value: str, scribe: Any):
    scribe.create(taste(scribe, "dislikes", "coffee"))

    assert scribe.create(taste(scribe, predicate, value), lint=False).active


def test_long_series_is_guarded_at_each_occurrence(scribe: Any):
    week = timedelta(days=7)
    windows = tuple(Interval(START + n * week, START + n * week + HOUR) for n in range(104))
    scribe.create(scribe.draft(scribe.fact(), *windows))
    late = scribe.draft(scribe.fact(), Interval(windows[-1].start, windows[-1].end))

    with pytest.raises(Exception, match="moss_guard"):
        scribe.create(late, lint=False)
