"""The Memory port, the same on SQLite and on PostgreSQL: writing, reading now, reading the past."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.fact import Memory, pair
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.when import Days, Instant, Series, WallClock, When
from moss_memory.flow.ports import (
    Chat,
    Event,
    IdempotencyKey,
    Outcome,
    Query,
    Receipt,
    Standing,
)

TENANT = "default"
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
KEY = IdempotencyKey("POST /memories", "key-1", "hash-1")


def window(day: int, hours: float = 1) -> Interval:
    start = START + day * DAY
    return Interval(start, start + hours * HOUR)


def query(*scopes: str, **fields: Any) -> Query:
    return Query(**({"scopes": scopes or ("ana",), "now": START} | fields))


def ids(memories: Any) -> list[str]:
    return [memory.memory_id for memory in memories]


@pytest.fixture
def made(scribe: Any) -> list[Memory]:
    """Three meetings on three days, in the order of writing."""
    return [scribe.create(scribe.draft(scribe.fact(f"m{n}"), window(n))) for n in range(3)]


def test_what_was_written_is_read_back_equal(scribe: Any, memory: SqlMemory):
    written = scribe.create()

    assert memory.newest(TENANT, [written.memory_id]) == {written.memory_id: written}


@pytest.mark.parametrize(
    "when",
    [
        Instant(START),
        Instant(START, START + HOUR, Series("FREQ=DAILY;COUNT=3", exdates=(START,))),
        WallClock(datetime(2026, 11, 1, 1, 30), zone="America/New_York", fold=1),  # noqa: DTZ001
        WallClock(datetime(2026, 7, 17, 9), minutes=30),  # noqa: DTZ001
        Days(date(2026, 7, 17)),
        Days(
            date(2026, 7, 17),
            date(2026, 7, 19),
            "Asia/Seoul",
            Series(
                "FREQ=WEEKLY",
                overrides=((date(2026, 7, 24), None), (date(2026, 7, 31), Days(date(2026, 8, 1)))),
            ),
        ),
    ],
)
def test_time_comes_back_as_it_was_said(when: When, scribe: Any, memory: SqlMemory):
    written = scribe.create(scribe.draft(scribe.fact(when=when), window(0)))

    assert memory.newest(TENANT, [written.memory_id])[written.memory_id].fact.when == when


def test_every_occurrence_of_a_series_comes_back(scribe: Any, memory: SqlMemory):
    windows = tuple(window(7 * n) for n in range(5))
    written = scribe.create(scribe.draft(scribe.fact(), *windows))

    assert memory.newest(TENANT, [written.memory_id])[written.memory_id].windows == windows


def test_all_fields_of_a_fact_come_back(scribe: Any, memory: SqlMemory):
    fact = scribe.fact(
        status="tentative",
        transparency="free",
        buffer_before=5,
        buffer_after=10,
        source="vision",
        confidence=0.75,
        source_ref="photo 7",
        expires_at=START + DAY,
        hard=True,
    )
    written = scribe.create(scribe.draft(fact, window(0)))

    assert memory.newest(TENANT, [written.memory_id])[written.memory_id].fact == fact


def test_unknown_memory_is_absent(memory: SqlMemory):
    assert memory.newest(TENANT, ["nothing"]) == {}


def test_memory_of_another_tenant_is_absent(scribe: Any, memory: SqlMemory):
    written = scribe.create()

    assert memory.newest("other", [written.memory_id]) == {}


def test_overlapping_window_of_a_slot_is_loaded(scribe: Any):
    first = scribe.create(scribe.draft(scribe.fact(), window(0, 2)))

    assert scribe.create(scribe.draft(scribe.fact(), window(0))) == [first]


@pytest.mark.parametrize("hours", [-1, 1])
def test_window_that_only_meets_another_is_not_loaded(hours: int, scribe: Any):
    scribe.create(scribe.draft(scribe.fact(), Interval(START, START + HOUR)))
    beside = Interval(START + hours * HOUR, START + (hours + 1) * HOUR)

    assert scribe.create(scribe.draft(scribe.fact(), beside)).active


def test_long_window_that_began_earlier_is_loaded(scribe: Any):
    vacation = scribe.fact("Vacation", predicate="vacation")
    long = scribe.create(scribe.draft(vacation, Interval(START - 200 * DAY, START + DAY)))

    assert scribe.create(scribe.draft(scribe.fact(), window(0))) == [long]


def test_window_without_end_is_loaded_by_a_later_one(scribe: Any):
    open_ended = scribe.create(scribe.draft(scribe.fact(), Interval(START, FOREVER)))

    assert scribe.create(scribe.draft(scribe.fact(), window(400))) == [open_ended]


def test_buffers_widen_what_is_loaded(scribe: Any):
    fact = scribe.fact(buffer_before=30, buffer_after=30)
    wide = scribe.create(scribe.draft(fact, window(0)))
    beside = Interval(START + HOUR, START + 2 * HOUR)

    assert scribe.create(scribe.draft(scribe.fact(), beside)) == [wide]


def test_retired_memory_is_no_longer_loaded(scribe: Any):
    scribe.retire(scribe.create())

    assert scribe.create().active


def test_other_owner_is_not_loaded(scribe: Any):
    scribe.create()

    assert scribe.create(scribe.draft(scribe.fact(scope="bo"))).active


def test_retired_memory_stays_readable(scribe: Any, memory: SqlMemory):
    retired = scribe.retire(scribe.create())

    assert memory.newest(TENANT, [retired.memory_id])[retired.memory_id] == retired


def test_revisions_are_kept_oldest_first(scribe: Any, memory: SqlMemory):
    first = scribe.create()
    second = scribe.retire(first)

    assert memory.revisions(TENANT, first.memory_id) == (first, second)


def test_named_revision_is_returned_alone(scribe: Any, memory: SqlMemory):
    first = scribe.create()
    scribe.retire(first)
    reference = (first.memory_id, 1)

    assert memory.exact(TENANT, [reference]) == {reference: first}


def test_epochs_of_a_space_count_its_commits(scribe: Any, made: list[Memory]):
    assert [memory.epoch for memory in made] == [1, 2, 3]


def test_refusal_leaves_no_epoch_behind(scribe: Any):
    scribe.create()
    scribe.create()  # refused: the slot is taken

    assert scribe.create(scribe.draft(scribe.fact(), window(1))).epoch == 2


def test_recorded_instants_increase_though_the_clock_goes_back(open_memory: Any, scribe_on: Any):
    """Property 23."""

    clock = iter([START, START - DAY, START - 2 * DAY])
    scribe = scribe_on(open_memory(clock=lambda: next(clock)))
    recorded = [scribe.create(scribe.draft(scribe.fact(), window(n))).recorded_at for n in range(3)]

    assert recorded == [START + n * timedelta(microseconds=1) for n in range(3)]


def test_commit_of_two_spaces_is_recorded_once_after_both(scribe: Any, memory: SqlMemory):
    scribe.create(scribe.draft(scribe.fact(), window(0)))
    both = [scribe.draft(scribe.fact(scope=owner), window(1)) for owner in ("ana", "bo")]
    scribe.write(both)
    later = scribe.create(scribe.draft(scribe.fact(scope="bo"), window(2)))
    written = memory.newest(TENANT, ids(both)).values()

    assert len({each.recorded_at for each in written}) == 1
    assert all(each.recorded_at < later.recorded_at for each in written)


def test_revision_outside_the_claimed_spaces_is_a_bug(scribe: Any):
    with pytest.raises(ValueError, match="claimed"):
        scribe.create(writes=frozenset({("bo", "Schedule")}))


def test_revision_that_skips_one_is_a_bug(scribe: Any):
    written = scribe.create()

    with pytest.raises(ValueError, match="follow"):
        scribe.revise(replace(written, revision=2))


def test_same_key_gives_the_first_receipt_again(scribe: Any):
    first = scribe.create(idempotency=KEY)
    replay = scribe.create(idempotency=KEY)

    assert (replay.request_hash, replay.receipt.facts) == ("hash-1", ((first.memory_id, 1),))


def test_key_of_another_principal_is_another_key(scribe: Any):
    scribe.create(idempotency=KEY)

    assert scribe.create(scribe.draft(scribe.fact(scope="bo")), idempotency=KEY).active


def test_refusal_does_not_use_the_key_up(scribe: Any):
    scribe.create()
    scribe.create(idempotency=KEY)  # refused: the slot is taken

    assert scribe.create(scribe.draft(scribe.fact(), window(1)), idempotency=KEY).active


def test_waived_pair_is_told_with_its_candidates(scribe: Any, memory: SqlMemory):
    first = scribe.create()
    second = scribe.create(waive=True)
    _, waived = memory.candidates(TENANT, scribe.probes([first]))

    assert waived == {pair(first, second)}


def test_candidates_without_a_claim_are_those_of_a_frame(scribe: Any, memory: SqlMemory):
    written = scribe.create()

    assert memory.candidates(TENANT, scribe.probes([written])) == ((written,), frozenset())


def test_outcome_of_a_question_is_kept(scribe: Any, memory: SqlMemory):
    receipt = Receipt(kind="confirm", http_status=200, data={"action": "cancel"})
    outcome = Outcome(pending_id="p", principal_id="ana", action="cancel", receipt=receipt)
    scribe.create(change={"outcome": outcome}, pending_id="p")

    assert memory.outcome(TENANT, "p") == outcome


def test_question_that_was_never_settled_has_no_outcome(memory: SqlMemory):
    assert memory.outcome(TENANT, "p") is None


def test_decision_names_its_memories(scribe: Any, memory: SqlMemory):
    written = scribe.create()
    decision = memory.decision(TENANT, decision_id=written.provenance.decision_id)

    assert decision is not None
    assert (decision.memories, decision.recorded_at) == (
        ((written.memory_id, 1),),
        written.recorded_at,
    )


def test_decisions_of_a_memory_come_oldest_first(scribe: Any, memory: SqlMemory):
    first = scribe.create()
    second = scribe.retire(first)
    found = memory.decisions(TENANT, memory_id=first.memory_id)

    assert [each.decision_id for each in found] == [
        first.provenance.decision_id,
        second.provenance.decision_id,
    ]


def test_kept_chat_comes_back(scribe: Any, memory: SqlMemory):
    chat = Chat(
        chat_id="c", principal_id="ana", said_at=START, length=12, locale="en",
        words_hash="00", masked="meet [phone#1]",
    )  # fmt: skip
    scribe.create(change={"chat": chat})

    assert memory.chats(TENANT, ["c", "unknown"]) == {"c": chat}


def test_zone_and_locale_of_a_principal_are_kept(scribe: Any, memory: SqlMemory):
    scribe.create(change={"standing": Standing(timezone="Asia/Seoul", locale="ko")})

    assert memory.standing(TENANT, "ana") == Standing(timezone="Asia/Seoul", locale="ko")


def test_principal_never_seen_stands_with_defaults(memory: SqlMemory):
    assert memory.standing(TENANT, "nobody") == Standing()


def test_events_come_in_the_order_of_their_commits(scribe: Any, memory: SqlMemory):
    for day, kind in enumerate(("memory.written", "memory.retired")):
        event = Event(kind=kind, scope_id="ana", ids=(kind,), revision=day + 1)
        scribe.create(scribe.draft(scribe.fact(), window(day)), change={"events": (event,)})

    assert [each.ids for each in memory.events(TENANT, after="", limit=9)] == [
        ("memory.written",),
        ("memory.retired",),
    ]


def test_events_go_on_behind_a_cursor(scribe: Any, memory: SqlMemory):
    events = tuple(Event(kind="memory.written", scope_id="ana", ids=(n,)) for n in "abc")
    scribe.create(change={"events": events})
    first, *rest = memory.events(TENANT, after="", limit=9)

    assert list(memory.events(TENANT, after=first.event_id, limit=9)) == rest


def test_fresh_database_is_healthy(memory: SqlMemory):
    assert memory.check() == {"database": "ok", "migrations": "ok", "isolation": "ok"}


def test_words_are_in_no_row_of_history(scribe: Any, memory: SqlMemory):
    fact = scribe.fact("pistachio", domain="Preference", subject="gelato", predicate="prefers")
    scribe.create(scribe.draft(fact, Interval(START, FOREVER)))
    with memory.database.engine.connect() as connection:
        rows = [
            str(connection.exec_driver_sql(f"SELECT * FROM {table}").all())
            for table in ("memory_revision", "commit_log", "decision", "event", "occurrence")
        ]

    assert not [row for row in rows if "pistachio" in row or "gelato" in row]
