"""What time removes, on both engines."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_sweep import SqlSweep
from moss_memory.core.fact import Memory
from moss_memory.core.interval import Interval
from moss_memory.flow.ports import Chat, Event, IdempotencyKey

TENANT = "default"
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@pytest.fixture
def sweep(memory: SqlMemory) -> SqlSweep:
    """The removals of the test's store."""
    return SqlSweep(memory.database)


@pytest.fixture
def dated(open_memory: Callable[..., SqlMemory], scribe_on: Any) -> Any:
    """A scribe whose writes are a day apart."""
    days = iter(range(100))
    return scribe_on(open_memory(clock=lambda: START + next(days) * DAY), "d")


def revised(scribe: Any, times: int) -> Memory:
    written: Memory = scribe.create()
    for _ in range(times):
        written = scribe.revise(written)
    return written


@pytest.mark.parametrize(("kept", "left"), [(0, 1), (1, 1), (2, 2), (4, 4), (9, 4)])
def test_newest_words_of_a_memory_are_kept(
    kept: int, left: int, scribe: Any, sweep: SqlSweep, memory: SqlMemory
):
    newest = revised(scribe, 3)
    removed = sweep.history(TENANT, kept=kept)
    found = memory.revisions(TENANT, newest.memory_id)

    assert (removed, len(found), found[-1]) == (4 - left, left, newest)


def test_chain_holds_without_old_words(scribe: Any, sweep: SqlSweep, memory: SqlMemory):
    revised(scribe, 3)
    sweep.history(TENANT, kept=1)

    assert memory.verify(TENANT).ok


def test_projections_come_back_without_old_words(scribe: Any, sweep: SqlSweep, memory: SqlMemory):
    newest = revised(scribe, 3)
    sweep.history(TENANT, kept=1)
    memory.rebuild_projections(TENANT)

    assert memory.newest(TENANT, [newest.memory_id]) == {newest.memory_id: newest}


def chat(number: int) -> Chat:
    return Chat(
        chat_id=f"c{number}", principal_id="ana", said_at=START, length=1, locale="en",
        words_hash="",
    )  # fmt: skip


def test_chats_before_the_instant_go(dated: Any, sweep: SqlSweep, memory: SqlMemory):
    for number in range(3):
        window = Interval(START + number * HOUR, START + (number + 1) * HOUR)
        dated.create(dated.draft(dated.fact(), window), change={"chat": chat(number)})

    assert sweep.chats(TENANT, before=START + 2 * DAY) == 2
    assert list(memory.chats(TENANT, ["c0", "c1", "c2"])) == ["c2"]


def test_answers_before_the_instant_go(dated: Any, sweep: SqlSweep, memory: SqlMemory):
    keys = [IdempotencyKey("POST /memories", f"k{number}", "h") for number in range(2)]
    for number, key in enumerate(keys):
        window = Interval(START + number * HOUR, START + (number + 1) * HOUR)
        dated.create(dated.draft(dated.fact(), window), idempotency=key)

    assert sweep.answers(TENANT, before=START + DAY) == 1
    assert [memory.replay(TENANT, "ana", key) is None for key in keys] == [True, False]


def test_last_event_stays_so_that_cursors_go_on(dated: Any, sweep: SqlSweep, memory: SqlMemory):
    event = Event(kind="memory.written", scope_id="ana", ids=("m",))
    for number in range(3):
        window = Interval(START + number * HOUR, START + (number + 1) * HOUR)
        dated.create(dated.draft(dated.fact(), window), change={"events": (event,)})

    assert sweep.events(TENANT, before=START + 90 * DAY) == 2
    assert len(memory.events(TENANT, after="", limit=9)) == 1


def test_what_has_expired_is_due_at_its_instant(scribe: Any, sweep: SqlSweep):
    due = scribe.create(scribe.draft(scribe.fact(expires_at=START)))
    scribe.create(scribe.draft(scribe.fact(scope="bo", expires_at=START + HOUR)))
    scribe.create(scribe.draft(scribe.fact(scope="eve")))

    assert sweep.due(TENANT, now=START) == (due,)


def test_owner_counts_the_tenants(scribe: Any, sweep: SqlSweep):
    for tenant in ("b", "a"):
        scribe.create(scribe.draft(scribe.fact(), tenant=tenant))

    assert sweep.tenants() == ("a", "b")
