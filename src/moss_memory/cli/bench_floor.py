"""What the bare driver takes for the same: the controls of ``bench http``, durable both.

The governed one does what a governed write cannot do without: lock the slot, look for an overlap,
write the fact, its revision and an audit row, commit; on PostgreSQL in one call.
"""

import itertools
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

Step = Callable[[], object]
_BODY: Final = json.dumps({"text": "x" * 150})
_LENGTH: Final = 10  # seconds of a fact's window; each begins where the one before ends

_TABLES: Final = """
    CREATE TABLE bench_row (principal TEXT, body TEXT);
    CREATE TABLE bench_fact (id {id}, principal TEXT, slot TEXT, value TEXT,
                             valid_from {whole}, valid_until {whole}, source TEXT);
    CREATE INDEX bench_fact_slot ON bench_fact (principal, slot, valid_from);
    CREATE TABLE bench_revision (fact {whole}, operation TEXT, body TEXT);
    CREATE TABLE bench_audit (principal TEXT, decision TEXT, detail TEXT)
"""
_GOVERNED: Final = """
    CREATE FUNCTION bench_write(a bigint) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE
        hit bigint;
    BEGIN
        PERFORM pg_advisory_xact_lock(hashtextextended('me/slot', 0));
        SELECT valid_until INTO hit FROM bench_fact
        WHERE principal = 'me' AND slot = 'slot' AND valid_from < a + 10
        ORDER BY valid_from DESC LIMIT 1;
        IF hit > a THEN
            RETURN 'conflict';
        END IF;
        INSERT INTO bench_fact VALUES (a, 'me', 'slot', 'value', a, a + 10, 'source');
        INSERT INTO bench_revision VALUES (a, 'create', '{}');
        INSERT INTO bench_audit VALUES ('me', 'accept', '{}');
        RETURN 'accept';
    END $$
"""


@dataclass(frozen=True, slots=True)
class Floor:
    """One row inserted and committed, and one governed write, each as a call."""

    insert: Step
    governed: Step


def floor(url: str, folder: Path) -> Floor:
    """Return the controls on the engine of ``url``: in a file of their own, or in its database."""
    return _sqlite(folder / "floor.sqlite3") if url.startswith("sqlite") else _postgres(url)


def _sqlite(path: Path) -> Floor:
    raw = sqlite3.connect(str(path), isolation_level=None)
    for pragma in ("journal_mode=WAL", "synchronous=FULL"):
        raw.execute(f"PRAGMA {pragma}")
    raw.executescript(_TABLES.format(id="INTEGER PRIMARY KEY", whole="INTEGER"))
    starts = itertools.count(0, _LENGTH)

    def governed() -> None:
        start = next(starts)
        raw.execute("BEGIN IMMEDIATE")
        found = raw.execute(
            "SELECT id FROM bench_fact WHERE principal = 'me' AND slot = 'slot' AND valid_from < ?"
            " AND valid_until > ? ORDER BY valid_from DESC LIMIT 1",
            (start + _LENGTH, start),
        ).fetchone()
        assert found is None
        raw.execute(
            "INSERT INTO bench_fact VALUES (?, 'me', 'slot', 'value', ?, ?, 'source')",
            (start, start, start + _LENGTH),
        )
        raw.execute("INSERT INTO bench_revision VALUES (?, 'create', '{}')", (start,))
        raw.execute("INSERT INTO bench_audit VALUES ('me', 'accept', '{}')")
        raw.execute("COMMIT")

    insert = "INSERT INTO bench_row VALUES ('me', ?)"
    return Floor(lambda: raw.execute(insert, (_BODY,)), governed)


def _postgres(url: str) -> Floor:
    import psycopg

    raw: Any = psycopg.connect(url.replace("+psycopg", ""), autocommit=True)
    for table in ("row", "fact", "revision", "audit"):
        raw.execute(f"DROP TABLE IF EXISTS bench_{table}")
    raw.execute("DROP FUNCTION IF EXISTS bench_write")
    for statement in _TABLES.format(id="bigint PRIMARY KEY", whole="bigint").split(";"):
        raw.execute(statement)
    raw.execute(_GOVERNED)
    starts = itertools.count(0, _LENGTH)

    def governed() -> None:
        (said,) = raw.execute("SELECT bench_write(%s::bigint)", (next(starts),)).fetchone()
        assert said == "accept"

    insert = "INSERT INTO bench_row VALUES ('me', %s)"
    return Floor(lambda: raw.execute(insert, (_BODY,)), governed)
