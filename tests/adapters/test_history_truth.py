"""History is the truth: projections come back from it, and an edit of it does not go unseen."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, select, text

from moss_memory.adapters.sql_chain import verify_chains
from moss_memory.adapters.sql_erasure import SqlErasures
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_tables import memory_head, metadata, occurrence
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.flow.ports import ChainReport

TENANT = "default"
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def window(day: int) -> Interval:
    return Interval(START + day * DAY, START + day * DAY + HOUR)


@pytest.fixture
def lives(scribe: Any, memory: SqlMemory) -> None:
    """A store with some of everything: series, states, waivers, retired, revised and erased."""
    taste = scribe.fact("tea", domain="Preference", subject="drinks", predicate="prefers")
    scribe.create(scribe.draft(scribe.fact(), window(0), window(7), window(14)))
    scribe.create(scribe.draft(scribe.fact(), window(0)), waive=True)
    scribe.create(scribe.draft(taste, Interval(START, FOREVER)))
    scribe.revise(scribe.create(scribe.draft(scribe.fact("x", source_ref="mail"), window(1))))
    scribe.retire(scribe.create(scribe.draft(scribe.fact(), window(2))))
    scribe.create(scribe.draft(scribe.fact(scope="bo"), window(3)))
    scribe.create(scribe.draft(scribe.fact(scope="bo"), window(4)))
    gone = scribe.draft(scribe.fact(scope="eve"), window(5))
    scribe.create(gone)
    SqlErasures(memory.database).erase(TENANT, "eve", erasure_id="e", by="admin")


def projected(connection: Connection) -> list[Any]:
    return [
        connection.execute(select(table).order_by(*table.primary_key)).all()
        for table in (memory_head, occurrence)
    ]


def test_projections_come_back_the_same(lives: None, memory: SqlMemory):
    """Property 21."""

    with memory.database.engine.connect() as connection:
        before = projected(connection)
        connection.execute(occurrence.delete())
        connection.execute(memory_head.delete())
        rebuilt = memory.rebuild_projections(TENANT)

        assert (rebuilt, projected(connection)) == (8, before)


def test_rebuilding_what_is_whole_changes_nothing(lives: None, memory: SqlMemory):
    with memory.database.engine.connect() as connection:
        before = projected(connection)
        memory.rebuild_projections(TENANT)

        assert projected(connection) == before


def test_untouched_history_holds(lives: None, memory: SqlMemory):
    assert memory.verify(TENANT) == ChainReport(ok=True, checked=11)


@pytest.mark.parametrize("stretch", [1, 2, 3])
def test_history_holds_however_little_of_it_is_read_at_a_time(
    stretch: int, lives: None, memory: SqlMemory
):
    def read(session: Session) -> ChainReport:
        return verify_chains(session, TENANT, stretch=stretch)

    assert memory.database.read(TENANT, read) == ChainReport(ok=True, checked=11)


@pytest.mark.parametrize("epoch", [1, 3, 5])
def test_edit_is_found_however_little_is_read_at_a_time(epoch: int, lives: None, memory: SqlMemory):
    with memory.database.engine.connect() as connection:
        disarm(connection)
        connection.execute(
            text("UPDATE memory_revision SET zone = 'Mars' WHERE space_id = 'ana/Schedule'"
                 " AND epoch = :epoch"), {"epoch": epoch},
        )  # fmt: skip

    def read(session: Session) -> ChainReport:
        return verify_chains(session, TENANT, stretch=2)

    assert memory.database.read(TENANT, read).first_bad == ("ana/Schedule", epoch)


def test_empty_tenant_holds(memory: SqlMemory):
    assert memory.verify(TENANT) == ChainReport(ok=True, checked=0)


def disarm(connection: Connection) -> None:
    """Take away what keeps an ordinary writer out, as somebody with all rights would."""
    if connection.dialect.name == "sqlite":
        for (name,) in connection.execute(
            text("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        ).all():
            connection.execute(text(f"DROP TRIGGER {name}"))
        connection.execute(text("PRAGMA foreign_keys = OFF"))
    else:
        connection.execute(text("SET session_replication_role = replica"))


CHAINED = ("commit_log", "memory_revision", "decision", "decision_memory", "waiver", "payload")
KEPT = {"tenant_id", "memory_id", "payload_id", "salt"}  # a payload is known by its revision


Place = tuple[str, int]


def whose(connection: Connection, table: str, row: dict[str, Any]) -> Place:
    """Say which commit a row belongs to, the least where it is one of several spaces."""
    if table in {"commit_log", "memory_revision"}:
        return row["space_id"], row["epoch"]
    if table == "payload":
        memory_id, _, revision = row["payload_id"].rpartition(".")
        found = connection.execute(
            text("SELECT space_id, epoch FROM memory_revision"
                 " WHERE memory_id = :memory_id AND revision = :revision"),
            {"memory_id": memory_id, "revision": int(revision)},
        ).one()  # fmt: skip
        return found[0], found[1]
    found = connection.execute(
        text("SELECT space_id, epoch FROM commit_log WHERE decision_id = :decision_id"
             " ORDER BY space_id, epoch LIMIT 1"), {"decision_id": row["decision_id"]},
    ).one()  # fmt: skip
    return found[0], found[1]


def change(connection: Connection, dice: random.Random, table: str) -> Place:
    """Change one value of one row, keys included; return the commit that it belonged to."""
    columns = [c for c in metadata.tables[table].c if not _untouchable(table, c.name)]
    column = dice.choice(columns)
    row = chosen(connection, dice, table)
    place = whose(connection, table, row)
    value = row[column.name]
    other = _other(value)
    where = " AND ".join(f'"{key}" = :{key}' for key in row["_keys"])
    connection.execute(
        text(f'UPDATE "{table}" SET "{column.name}" = :other WHERE {where}'),
        {"other": other} | {key: row[key] for key in row["_keys"]},
    )
    return place


def _untouchable(table: str, column: str) -> bool:
    return column == "tenant_id" or (table == "payload" and column in KEPT)


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        return value / 2
    if isinstance(value, int):
        return value + 1000  # no other row's key
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:] if value else b"\x01"
    return f"{value or ''}x"


def delete(connection: Connection, dice: random.Random, table: str) -> Place:
    row = chosen(connection, dice, table)
    place = whose(connection, table, row)
    where = " AND ".join(f'"{key}" = :{key}' for key in row["_keys"])
    connection.execute(
        text(f'DELETE FROM "{table}" WHERE {where}'), {key: row[key] for key in row["_keys"]}
    )
    return place


def chosen(connection: Connection, dice: random.Random, table: str) -> dict[str, Any]:
    keys = [column.name for column in metadata.tables[table].primary_key]
    order = ", ".join(f'"{key}"' for key in keys)
    rows = connection.execute(text(f'SELECT * FROM "{table}" ORDER BY {order}')).mappings().all()
    return dict(dice.choice(rows)) | {"_keys": keys}


def place(memory: SqlMemory) -> tuple[str, int] | None:
    return memory.verify(TENANT).first_bad


SEEDS = [
    *range(12),
    *(pytest.param(seed, marks=pytest.mark.campaign) for seed in range(12, 50)),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("edit", [change, delete], ids=["change", "delete"])
def test_edit_of_history_is_found_where_it_was_made(
    edit: Callable[..., Place], seed: int, lives: None, memory: SqlMemory
):
    dice = random.Random(seed)
    # A payload that is deleted alone was swept or erased: that is allowed to stay unseen.
    table = dice.choice(CHAINED if edit is change else CHAINED[:-1])
    with memory.database.engine.connect() as connection:
        disarm(connection)
        made = edit(connection, dice, table)

    assert place(memory) == made, (seed, table)


@pytest.mark.parametrize("epoch", [1, 2, 5])
def test_first_bad_commit_is_named(epoch: int, lives: None, memory: SqlMemory):
    with memory.database.engine.connect() as connection:
        disarm(connection)
        connection.execute(
            text("UPDATE commit_log SET actor = 'x' WHERE space_id = 'ana/Schedule'"
                 " AND epoch >= :epoch"), {"epoch": epoch},
        )  # fmt: skip

    assert place(memory) == ("ana/Schedule", epoch)


def test_cut_tail_is_named_by_what_is_missing(lives: None, memory: SqlMemory):
    with memory.database.engine.connect() as connection:
        disarm(connection)
        connection.execute(
            text("DELETE FROM commit_log WHERE space_id = 'bo/Schedule' AND epoch = 2")
        )

    assert place(memory) == ("bo/Schedule", 2)


def test_swapped_instants_are_found(lives: None, memory: SqlMemory):
    with memory.database.engine.connect() as connection:
        disarm(connection)
        connection.execute(
            text("UPDATE commit_log SET recorded_at = 2 * (SELECT max(recorded_at) FROM commit_log)"
                 " - recorded_at WHERE space_id = 'ana/Schedule'")
        )  # fmt: skip

    assert place(memory) == ("ana/Schedule", 1)


def test_head_that_says_otherwise_is_found(lives: None, memory: SqlMemory):
    with memory.database.engine.connect() as connection:
        connection.execute(
            text("UPDATE memory_head SET object_value = 'forged' WHERE object_value = 'tea'")
        )

    assert place(memory) == ("ana/Preference", 1)


def test_decision_that_nothing_carries_is_found(lives: None, memory: SqlMemory):
    with memory.database.engine.connect() as connection:
        disarm(connection)
        columns = ", ".join(
            c.name for c in metadata.tables["decision"].c if c.name != "decision_id"
        )
        connection.execute(
            text(f"INSERT INTO decision (decision_id, {columns})"
                 f" SELECT 'forged', {columns} FROM decision WHERE epoch = 2"
                 " AND space_id = 'bo/Schedule'")
        )  # fmt: skip

    assert place(memory) == ("bo/Schedule", 2)


def test_waiver_that_nobody_gave_is_found_with_the_later_of_its_revisions(
    lives: None, memory: SqlMemory
):
    with memory.database.engine.connect() as connection:
        disarm(connection)
        connection.execute(
            text("INSERT INTO waiver (tenant_id, a, a_revision, b, b_revision, decision_id)"
                 " SELECT a.tenant_id, a.memory_id, 1, b.memory_id, 1, 'forged'"
                 " FROM memory_head a JOIN memory_head b ON b.space_id = a.space_id"
                 " WHERE a.space_id = 'bo/Schedule' AND a.epoch = 1 AND b.epoch = 2")
        )  # fmt: skip

    assert place(memory) == ("bo/Schedule", 2)
