"""A row read again is the memory that it was; a row that says anything else is another."""

from datetime import UTC, datetime
from typing import Any

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.interval import Interval

TENANT = "default"
WINDOW = Interval(datetime(2026, 7, 17, 10, tzinfo=UTC), datetime(2026, 7, 17, 11, tzinfo=UTC))


def newest(memory: SqlMemory, memory_id: str) -> Any:
    return memory.newest(TENANT, [memory_id])[memory_id]


def test_a_row_read_twice_is_one_object(memory: SqlMemory, scribe: Any):
    kept = scribe.create(scribe.draft(scribe.fact("pistachio"), WINDOW))
    assert newest(memory, kept.memory_id) is newest(memory, kept.memory_id)


def test_a_memory_read_before_it_was_retired_is_read_as_retired_afterwards(
    memory: SqlMemory, scribe: Any
):
    kept = scribe.create(scribe.draft(scribe.fact("pistachio"), WINDOW))
    before = newest(memory, kept.memory_id)
    scribe.retire(kept)
    after = newest(memory, kept.memory_id)
    assert (before.revision, before.active, after.revision, after.active) == (1, True, 2, False)


def test_two_series_read_alike_are_equal(memory: SqlMemory, scribe: Any):
    later = Interval(WINDOW.end, datetime(2026, 7, 17, 12, tzinfo=UTC))
    kept = scribe.create(scribe.draft(scribe.fact("pistachio"), WINDOW, later))
    assert newest(memory, kept.memory_id) == newest(memory, kept.memory_id)
