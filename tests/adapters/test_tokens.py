"""Search rows, on each engine: made with every write, gone with whatever they are words of."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url, text

from moss_memory.adapters.sql_erasure import SqlErasures
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_migrate import current, migrate
from moss_memory.core.ontology import Ontology

TENANT = "default"
WORD = "pistachio"


@pytest.fixture
def rows(memory: SqlMemory) -> Callable[[], list[tuple[str, str, str]]]:
    """Reads token, memory and domain of all search rows, past row-level security."""

    def read() -> list[tuple[str, str, str]]:
        with memory.database.engine.connect() as connection:
            found = connection.execute(
                text("SELECT token, memory_id, domain FROM search ORDER BY token, memory_id")
            ).all()
        return [(row.token, row.memory_id, row.domain) for row in found]

    return read


def tokens(read: Callable[[], list[tuple[str, str, str]]]) -> list[str]:
    return [token for token, _, _ in read()]


def test_memory_has_a_row_for_itself_its_kind_and_each_word(scribe: Any, rows: Any) -> None:
    made = scribe.create(scribe.draft(scribe.fact("Budget reviews 예산안 17")))

    wanted = ["", "17", ":meeting", "budget", "review", "산안", "예산"]
    assert rows() == [(token, made.memory_id, "Schedule") for token in sorted(wanted)]


def test_subject_is_a_word_where_it_tells_something(scribe: Any, rows: Any) -> None:
    kinds = {"domain": "Preference", "subject": "food", "predicate": "prefers"}
    scribe.create(scribe.draft(scribe.fact("figs", **kinds)))

    assert "food" in tokens(rows)
    assert "calendar" not in tokens(rows)


def test_long_value_keeps_its_first_tokens_cut(scribe: Any, rows: Any) -> None:
    words = ["x" * 3000, *(f"w{n}q" for n in range(400))]
    scribe.create(scribe.draft(scribe.fact(" ".join(words))))

    assert len(tokens(rows)) <= 202
    assert max(map(len, tokens(rows))) == 64


def test_revised_memory_has_the_rows_of_its_new_words_only(scribe: Any, rows: Any) -> None:
    made = scribe.create(scribe.draft(scribe.fact(WORD)))
    scribe.revise(replace(made, fact=replace(made.fact, object_value="figs")))

    assert tokens(rows) == ["", ":meeting", "fig"]


def test_retired_memory_has_none_and_a_restored_one_has_them_again(scribe: Any, rows: Any) -> None:
    gone = scribe.retire(scribe.create(scribe.draft(scribe.fact(WORD))))
    without = rows()
    scribe.revise(replace(gone, active=True, inactive_reason=None))

    assert (without, tokens(rows)) == ([], ["", ":meeting", WORD])


def test_rebuilding_makes_the_same_rows(scribe: Any, rows: Any, memory: SqlMemory) -> None:
    scribe.create(scribe.draft(scribe.fact(f"{WORD} 예산")))
    scribe.retire(scribe.create(scribe.draft(scribe.fact("gone", scope="bo"))))
    before = rows()
    memory.rebuild_projections(TENANT)

    assert rows() == before


def test_head_that_is_moved_by_hand_loses_its_rows(
    scribe: Any, rows: Any, memory: SqlMemory
) -> None:
    scribe.create(scribe.draft(scribe.fact(WORD)))
    with memory.database.engine.connect() as connection:
        connection.execute(text("UPDATE memory_head SET object_value = 'other'"))

    assert rows() == []


def test_erased_words_are_in_no_row(scribe: Any, rows: Any, memory: SqlMemory) -> None:
    scribe.create(scribe.draft(scribe.fact(WORD)))
    scribe.create(scribe.draft(scribe.fact("kept", scope="bo")))
    SqlErasures(memory.database).erase(TENANT, "ana", erasure_id="e", by="ana")

    assert tokens(rows) == ["", ":meeting", "kept"]


def test_erased_token_is_in_no_byte_of_the_file(
    sqlite_url: str, scribe_on: Any, ontology: Ontology
) -> None:
    path = Path(str(make_url(sqlite_url).database))
    memory = SqlMemory(sqlite_url, ontology=ontology)
    scribe = scribe_on(memory)
    for number in range(50):  # several pages, so that whole ones are freed
        note = scribe.fact(f"{WORD}{number}x", predicate="note")
        scribe.create(scribe.draft(note), lint=False)
    written = WORD.encode() in _bytes_on_disk(path)
    SqlErasures(memory.database).erase(TENANT, "ana", erasure_id="e", by="ana")
    with memory.database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").all()
    left = WORD.encode() in _bytes_on_disk(path)
    memory.close()

    assert (written, left) == (True, False)


def _bytes_on_disk(path: Path) -> bytes:
    return b"".join(each.read_bytes() for each in path.parent.glob(f"{path.name}*"))


def test_memories_of_before_get_their_rows_when_migrating(
    database_url: str, scribe: Any, rows: Any
) -> None:
    scribe.create(scribe.draft(scribe.fact(WORD)))
    scribe.retire(scribe.create(scribe.draft(scribe.fact("gone", scope="bo"))))
    before = rows()
    _down(database_url)
    migrate(database_url)

    assert rows() == before


def _down(url: str) -> None:
    """Take a database back to before there were tokens."""
    while (current(url) or "") >= "0005":
        migrate(url, "-1")


def test_owner_that_is_no_superuser_fills_the_rows_of_every_tenant(
    other_postgres: Any, ontology: Ontology, scribe_on: Any
) -> None:
    other_postgres.execute("CREATE ROLE plain_owner LOGIN CREATEROLE")
    other_postgres.execute("CREATE DATABASE filled OWNER plain_owner TEMPLATE template0")
    url = other_postgres.url("filled").replace("postgres@", "plain_owner@")
    migrate(url)
    memory = SqlMemory(url, ontology=ontology)
    scribe = scribe_on(memory)
    for tenant in ("default", "second"):
        scribe.create(scribe.draft(scribe.fact(WORD), tenant=tenant))
    memory.close()
    _down(url)
    migrate(url)

    with psycopg.connect(other_postgres.url("filled").replace("+psycopg", "")) as connection:
        found = connection.execute("SELECT tenant_id, token FROM search ORDER BY 1, 2").fetchall()
    wanted = ("", ":meeting", WORD)
    assert found == [(each, token) for each in ("default", "second") for token in wanted]
