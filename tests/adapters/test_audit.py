"""The invariants as SQL: zero in a sound store, counted where somebody broke them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from moss_memory.adapters.sql_audit import INVARIANTS, audit
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.interval import Interval

TENANT = "default"
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)

BREAKS = {
    "unwaived_overlaps": "DELETE FROM waiver",
    "stale_heads": "UPDATE memory_head SET revision = 1 WHERE revision = 2",
    "epoch_gaps": "DELETE FROM commit_log WHERE epoch = 2",
    "undecided_revisions": "DELETE FROM decision WHERE epoch = 2",
    "unanswered_keys": "INSERT INTO idempotency"
    " (tenant_id, principal_id, route, key, request_hash, recorded_at)"
    " VALUES ('default', 'ana', 'r', 'k', 'h', 0)",
}


@pytest.fixture
def lived(scribe: Any) -> None:
    """A waived pair, and a memory of two revisions."""
    scribe.create()
    scribe.create(waive=True)
    aside = Interval(START + 2 * HOUR, START + 3 * HOUR)
    scribe.retire(scribe.create(scribe.draft(scribe.fact(), aside)))


def test_sound_store_breaks_nothing(lived: None, memory: SqlMemory):
    assert audit(memory.database, TENANT) == dict.fromkeys(INVARIANTS, 0)


@pytest.mark.parametrize("name", BREAKS)
def test_broken_invariant_is_counted(name: str, lived: None, memory: SqlMemory):
    with memory.database.engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            for table in ("commit_log", "decision"):
                connection.execute(text(f"DROP TRIGGER {table}_delete"))
            connection.execute(text("PRAGMA foreign_keys = OFF"))
        else:
            connection.execute(text("SET session_replication_role = replica"))
        connection.execute(text(BREAKS[name]))

    assert audit(memory.database, TENANT)[name] == 1
