"""Lists and as-of reads of the Memory port, the same on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.fact import Memory
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.flow.ports import Page, Query

TENANT = "default"
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def window(day: int, hours: float = 1) -> Interval:
    start = START + day * DAY
    return Interval(start, start + hours * HOUR)


def query(*scopes: str, **fields: Any) -> Query:
    return Query(**({"scopes": scopes or ("ana",), "now": START} | fields))


def ids(memories: Any) -> list[str]:
    return [memory.memory_id for memory in memories]


@pytest.fixture
def made(scribe: Any) -> list[Memory]:
    """Five meetings on five days, in the order of writing."""
    return [scribe.create(scribe.draft(scribe.fact(f"m{n}"), window(n))) for n in range(5)]


def test_list_is_newest_first(made: list[Memory], memory: SqlMemory):
    assert list(memory.page(TENANT, query()).items) == made[::-1]


def test_list_of_no_scope_is_empty(made: list[Memory], memory: SqlMemory):
    assert memory.page(TENANT, Query(scopes=(), now=START)).items == ()


def test_list_holds_the_scopes_asked_for(scribe: Any, memory: SqlMemory):
    for owner in ("ana", "bo", "eve"):
        scribe.create(scribe.draft(scribe.fact(scope=owner)))

    assert [each.owner for each in memory.page(TENANT, query("ana", "bo")).items] == ["bo", "ana"]


def test_list_of_another_tenant_is_empty(made: list[Memory], memory: SqlMemory):
    assert memory.page("other", query()).items == ()


def pages(memory: SqlMemory, asked: Query) -> Iterator[Page]:
    while True:
        page = memory.page(TENANT, asked)
        yield page
        if not page.more:
            return
        last = page.items[-1]
        asked = replace(asked, cursor=(last.recorded_at, last.memory_id))


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("past", [False, True])
def test_pages_give_each_memory_once_in_order(
    limit: int, *, past: bool, made: list[Memory], memory: SqlMemory
):
    known = {("ana", "Schedule"): 5} if past else None
    asked = query(limit=limit, known_epoch=known)

    assert [m for page in pages(memory, asked) for m in page.items] == made[::-1]


def test_memory_written_between_pages_shifts_none(
    scribe: Any, made: list[Memory], memory: SqlMemory
):
    last = memory.page(TENANT, query(limit=2)).items[-1]
    scribe.create(scribe.draft(scribe.fact(), window(9)))
    rest = memory.page(TENANT, query(cursor=(last.recorded_at, last.memory_id)))

    assert list(rest.items) == made[2::-1]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"domains": ("Schedule",)}, ["meeting", "vacation"]),
        ({"domains": ("SmartHome", "Preference")}, ["light", "likes"]),
        ({"predicate": "vacation"}, ["vacation"]),
        ({"subject": "lamp"}, ["light"]),
        ({"subject_prefix": "la"}, ["light"]),
        ({"subject_prefix": "l_"}, []),
        ({"domains": ("Preference",), "subject_prefix": "dr"}, ["likes"]),
    ],
)
@pytest.mark.parametrize("past", [False, True])
def test_filter_leaves_what_it_names(
    fields: dict[str, Any], expected: list[str], *, past: bool, scribe: Any, memory: SqlMemory
):
    forever = Interval(START, FOREVER)
    facts = {
        "meeting": (scribe.fact(), window(0)),
        "vacation": (scribe.fact("Vacation", predicate="vacation"), window(1, 24)),
        "light": (
            scribe.fact("on", domain="SmartHome", subject="lamp", predicate="light_status"),
            forever,
        ),
        "likes": (
            scribe.fact("tea", domain="Preference", subject="drinks", predicate="prefers"),
            forever,
        ),
    }
    names = {scribe.create(scribe.draft(*drawn)).memory_id: name for name, drawn in facts.items()}
    known = {("ana", domain): 9 for domain in ("Schedule", "SmartHome", "Preference")}
    page = memory.page(TENANT, query(known_epoch=known if past else None, **fields))

    assert sorted(names[each] for each in ids(page.items)) == expected


@pytest.mark.parametrize(
    ("state", "expected"),
    [("active", ["open", "later"]), ("inactive", ["retired", "expired"]), ("all", None)],
)
@pytest.mark.parametrize("past", [False, True])
def test_state_is_computed_at_the_instant_asked(
    state: Any, expected: list[str] | None, *, past: bool, scribe: Any, memory: SqlMemory
):
    made = {
        "open": scribe.create(scribe.draft(scribe.fact(), window(0))),
        "expired": scribe.create(scribe.draft(scribe.fact(expires_at=START), window(1))),
        "later": scribe.create(scribe.draft(scribe.fact(expires_at=START + HOUR), window(2))),
        "retired": scribe.retire(scribe.create(scribe.draft(scribe.fact(), window(3)))),
    }
    names = {each.memory_id: name for name, each in made.items()}
    known = {("ana", "Schedule"): 9} if past else None
    page = memory.page(TENANT, query(state=state, known_epoch=known))

    assert {names[each] for each in ids(page.items)} == set(expected or made)


SERIES = tuple(window(7 * n) for n in range(4))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"overlaps": window(0)}, ["single", "series"]),
        ({"overlaps": Interval(START + HOUR, START + 2 * HOUR)}, []),
        ({"overlaps": Interval(START - HOUR, START)}, []),
        ({"overlaps": window(7)}, ["series"]),
        ({"overlaps": window(8)}, []),
        ({"valid_at": START}, ["single", "series"]),
        ({"valid_at": START + HOUR}, []),
        ({"valid_at": START + 21 * DAY}, ["series"]),
        ({"valid_at": START + 3 * DAY}, []),
    ],
)
@pytest.mark.parametrize("path", ["now", "past", "retired"])
def test_window_asked_for_meets_occurrences_not_their_hull(
    asked: dict[str, Any], expected: list[str], path: str, scribe: Any, memory: SqlMemory
):
    made = {
        "single": scribe.create(scribe.draft(scribe.fact(), window(0))),
        "series": scribe.create(scribe.draft(scribe.fact(), *SERIES), waive=True),
    }
    if path == "retired":
        for each in made.values():
            scribe.retire(each)
    names = {each.memory_id: name for name, each in made.items()}
    known = {("ana", "Schedule"): 2} if path == "past" else None
    page = memory.page(TENANT, query(state="all", known_epoch=known, **asked))

    assert {names[each] for each in ids(page.items)} == set(expected)


def test_series_passed_over_does_not_shorten_a_page(scribe: Any, memory: SqlMemory):
    single = scribe.create(scribe.draft(scribe.fact(), window(3)))
    for _ in range(5):
        scribe.retire(scribe.create(scribe.draft(scribe.fact(), *SERIES)))
    page = memory.page(TENANT, query(state="all", limit=2, overlaps=window(3)))

    assert page.items == (single,)


def test_past_is_what_was_known_then(scribe: Any, memory: SqlMemory):
    first = scribe.create()
    second = scribe.retire(first)
    past = [
        memory.page(TENANT, query(state="all", known_at=at)).items
        for at in (
            first.recorded_at - timedelta(microseconds=1),
            first.recorded_at,
            second.recorded_at - timedelta(microseconds=1),
            second.recorded_at,
            second.recorded_at + DAY,
        )
    ]

    assert past == [(), (first,), (first,), (second,), (second,)]


def test_instant_is_resolved_to_the_epochs_of_all_spaces_read(scribe: Any, memory: SqlMemory):
    scribe.create(scribe.draft(scribe.fact(), window(0)))
    last = scribe.create(scribe.draft(scribe.fact(), window(1)))
    scribe.create(scribe.draft(scribe.fact(scope="bo"), window(0)))
    page = memory.page(TENANT, query("ana", "bo", known_at=last.recorded_at))

    assert page.known_epoch == {("ana", "Schedule"): 2}


def test_answer_of_an_epoch_never_changes(scribe: Any, made: list[Memory], memory: SqlMemory):
    page = memory.page(TENANT, query(state="all"))
    for each in made:
        scribe.retire(each)
    scribe.create()

    assert memory.page(TENANT, query(state="all", known_epoch=page.known_epoch)) == page


def test_every_read_path_knows_the_same_past(scribe: Any, memory: SqlMemory):
    first = scribe.create()
    second = scribe.retire(first)
    for at in (first.recorded_at, second.recorded_at):
        asked = query(state="all", known_at=at)
        (listed,) = memory.page(TENANT, asked).items
        known = memory.known(TENANT, first.memory_id, asked)
        newest = [r for r in memory.revisions(TENANT, first.memory_id) if r.recorded_at <= at][-1]

        assert listed == known == newest


def test_memory_in_no_scope_asked_for_is_not_known(scribe: Any, memory: SqlMemory):
    written = scribe.create()
    asked = query("bo", state="all", known_at=written.recorded_at)

    assert memory.known(TENANT, written.memory_id, asked) is None


def test_first_page_names_the_epochs_it_is_true_of(made: list[Memory], memory: SqlMemory):
    assert memory.page(TENANT, query(limit=1)).known_epoch == {("ana", "Schedule"): 5}
