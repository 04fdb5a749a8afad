"""Erasing a principal on both engines: words gone, counts true, tombstones and chain left."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from moss_memory.adapters.sql_erasure import COUNTED, SqlErasures
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.errors import PrincipalErasedError
from moss_memory.core.interval import Interval
from moss_memory.flow.ports import Chat, IdempotencyKey, Query, Standing

TENANT = "default"
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
DAY = timedelta(days=1)
KEY = IdempotencyKey("POST /memories", "key-1", "hash-1")


@pytest.fixture
def erasures(memory: SqlMemory) -> SqlErasures:
    """Erasures on the test's store."""
    return SqlErasures(memory.database)


def erase(erasures: SqlErasures, principal: str = "ana", erasure_id: str = "e1") -> Any:
    return erasures.erase(TENANT, principal, erasure_id=erasure_id, by="admin")


@pytest.fixture
def life(scribe: Any) -> dict[str, Any]:
    """Two memories of ana, one retired; one of hers in a team; one of bo's."""
    chat = Chat(
        chat_id="c1", principal_id="ana", said_at=START, length=5, locale="en",
        words_hash="00", masked="pistachio",
    )  # fmt: skip
    kept = scribe.create(scribe.draft(scribe.fact("pistachio"), Interval(START, START + DAY)))
    gone = scribe.draft(scribe.fact("pistachio again"), Interval(START + DAY, START + 2 * DAY))
    return {
        "kept": kept,
        "retired": scribe.retire(scribe.create(gone, change={"chat": chat}, idempotency=KEY)),
        "shared": scribe.create(scribe.draft(scribe.fact(scope="team"), writer="ana")),
        "other": scribe.create(scribe.draft(scribe.fact(scope="bo"))),
    }


def test_counts_are_true(life: Any, erasures: SqlErasures):
    assert erase(erasures) == {
        "memories": 2,
        "revisions": 3,
        "payloads": 3,
        "chats": 1,
        "search_rows": 3,  # of the active one: itself, its kind, its word
    }


def test_second_erasure_finds_nothing_left(life: Any, erasures: SqlErasures):
    erase(erasures)

    assert erase(erasures, erasure_id="e2") == dict.fromkeys(COUNTED, 0)


def test_erasing_a_stranger_counts_nothing(erasures: SqlErasures):
    assert erase(erasures, "nobody") == dict.fromkeys(COUNTED, 0)


READS: dict[str, Callable[[SqlMemory, Any], Any]] = {
    "newest": lambda memory, one: memory.newest(TENANT, [one.memory_id]),
    "exact": lambda memory, one: memory.exact(TENANT, [(one.memory_id, 1)]),
    "revisions": lambda memory, one: memory.revisions(TENANT, one.memory_id),
    "page": lambda memory, one: memory.page(TENANT, asked()).items,
    "past": lambda memory, one: memory.page(TENANT, asked(known_at=one.recorded_at)).items,
    "known": lambda memory, one: memory.known(
        TENANT, one.memory_id, asked(known_at=one.recorded_at)
    ),
    "chats": lambda memory, one: memory.chats(TENANT, ["c1"]),
}


def asked(**fields: Any) -> Query:
    return Query(scopes=("ana",), now=START, state="all", **fields)


@pytest.mark.parametrize("read", READS)
def test_nothing_erased_is_read_again(read: str, life: Any, erasures: SqlErasures, memory: Any):
    """Property 38, the words."""

    erase(erasures)

    assert not READS[read](memory, life["kept"])


def test_erased_window_is_free(life: Any, erasures: SqlErasures, scribe: Any, memory: Any):
    erase(erasures)

    assert memory.candidates(TENANT, scribe.probes([life["kept"]])) == ((), frozenset())


def test_words_are_in_no_table(life: Any, erasures: SqlErasures, memory: SqlMemory):
    erase(erasures)
    with memory.database.engine.connect() as connection:
        tables = ("payload", "memory_head", "memory_revision", "decision", "idempotency",
                  "chat_history", "event", "occurrence", "commit_log", "search")  # fmt: skip
        rows = [connection.exec_driver_sql(f"SELECT * FROM {name}").all() for name in tables]

    assert "pistachio" not in str(rows)


def test_others_keep_what_is_theirs(life: Any, erasures: SqlErasures, memory: SqlMemory):
    erase(erasures)
    other = life["other"]

    assert memory.newest(TENANT, [other.memory_id]) == {other.memory_id: other}


def test_shared_memory_stays_with_its_writer_unnamed(
    life: Any, erasures: SqlErasures, memory: SqlMemory
):
    erase(erasures)
    shared = life["shared"].memory_id

    assert memory.newest(TENANT, [shared])[shared].principal_id == "erased"
    assert memory.revisions(TENANT, shared)[0].principal_id == "erased"
    assert memory.decisions(TENANT, memory_id=shared)[0].actor == "erased"


def test_chain_still_holds(life: Any, erasures: SqlErasures, memory: SqlMemory):
    """Property 38, the skeleton."""

    erase(erasures)

    assert memory.verify(TENANT).ok


def test_erasure_raises_the_epochs_of_the_spaces(
    life: Any, erasures: SqlErasures, memory: SqlMemory
):
    before = memory.page(TENANT, asked()).known_epoch[("ana", "Schedule")]
    erase(erasures)

    assert memory.page(TENANT, asked()).known_epoch[("ana", "Schedule")] == before + 1


def test_principal_stands_as_erased_without_settings(
    life: Any, scribe: Any, erasures: SqlErasures, memory: SqlMemory
):
    window = Interval(START + 9 * DAY, START + 10 * DAY)
    scribe.create(scribe.draft(scribe.fact(), window), change={"standing": Standing(locale="ko")})
    erase(erasures)

    assert memory.standing(TENANT, "ana") == Standing(erased=True)


def test_erased_principal_writes_nothing_more(
    scribe: Any, erasures: SqlErasures, memory: SqlMemory
):
    erase(erasures)

    with pytest.raises(PrincipalErasedError):
        scribe.create()
    assert memory.page(TENANT, asked()).items == ()


def test_ledger_names_who_was_erased_by_whom(erasures: SqlErasures):
    erase(erasures)
    (entry,) = erasures.ledger(TENANT)

    assert (entry.erasure_id, entry.principal_id, entry.requested_by) == ("e1", "ana", "admin")


def test_ledger_erases_again_what_a_backup_brought_back(
    life: Any, erasures: SqlErasures, memory: SqlMemory
):
    erase(erasures)
    ledger = list(erasures.ledger(TENANT))
    with memory.database.engine.connect() as connection:  # as if restored from before
        connection.exec_driver_sql("DELETE FROM erasure")
        connection.exec_driver_sql("UPDATE memory_head SET erased = (1 = 0) WHERE owner = 'ana'")
    counts = erasures.apply_again(TENANT, ledger)

    assert counts["memories"] == 2
    assert memory.newest(TENANT, [life["kept"].memory_id]) == {}
