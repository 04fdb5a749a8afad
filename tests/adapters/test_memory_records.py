"""Lists as records: what the list of memories holds, told flat, for what a standing allows."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_records import told_when
from moss_memory.adapters.sql_scopes import SqlScopes
from moss_memory.adapters.sql_when import dump_when
from moss_memory.core.access import Grant, Scope
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.when import Days, Instant, Series, WallClock, When, to_json
from moss_memory.flow.ports import Query, Standing
from moss_memory.flow.records import record_of

TENANT = "default"
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
WALL = datetime(2026, 7, 17, 19)  # noqa: DTZ001 - on a wall, that is what it is
WEEKLY = Series("FREQ=WEEKLY;COUNT=2", exdates=(date(2026, 7, 24),))
WHENS = [
    None,
    Instant(START),
    Instant(START + timedelta(microseconds=1), START + HOUR),
    WallClock(WALL),
    WallClock(WALL, WALL + HOUR, zone="Asia/Seoul", fold=0),
    WallClock(WALL, minutes=45),
    Days(date(2026, 7, 17)),
    Days(date(2026, 7, 17), date(2026, 7, 20), "Europe/Berlin"),
    Days(date(2026, 7, 17), series=WEEKLY),
]
QUERIES: dict[str, dict[str, Any]] = {
    "all": {},
    "one domain": {"domains": ("Schedule",)},
    "a subject": {"subject": "drinks"},
    "inactive": {"state": "inactive"},
    "whatever state": {"state": "all"},
    "a window": {"overlaps": Interval(START, START + HOUR)},
    "a window between the windows of a series": {
        "overlaps": Interval(START + DAY, START + 2 * DAY)
    },
    "an instant": {"valid_at": START + timedelta(minutes=30)},
    "both": {"overlaps": Interval(START, START + 9 * DAY), "valid_at": START + 7 * DAY},
    "then": {"known_epoch": {("ana", "Schedule"): 2, ("ana", "Preference"): 1}},
    "at an instant": {"known_at": FOREVER},
    "in a past window": {"known_at": FOREVER, "overlaps": Interval(START, START + HOUR)},
    "the first page": {"limit": 2},
    "of two scopes": {"scopes": ("ana", "bo")},
    "of none": {"scopes": ()},
}


def hour(day: int) -> Interval:
    return Interval(START + day * DAY, START + day * DAY + HOUR)


@pytest.fixture
def filled(scribe: Any) -> None:
    """Memories of every kind of time, a series, one of another owner, one that is retired."""
    for number, when in enumerate(WHENS[1:-1]):
        fact = scribe.fact(f"m{number} — 회의", when=when, source_ref=f"r{number}", confidence=0.9)
        scribe.create(scribe.draft(fact, hour(number)))
    kind = {"domain": "Preference", "subject": "drinks", "predicate": "prefers"}
    likes = scribe.fact("tea", hard=True, expires_at=START + DAY, **kind)
    scribe.create(scribe.draft(likes, Interval(START, FOREVER)))
    scribe.create(scribe.draft(scribe.fact("series", when=WHENS[-1]), hour(30), hour(37)))
    scribe.create(scribe.draft(scribe.fact("his", scope="bo")))
    scribe.retire(scribe.create(scribe.draft(scribe.fact(), Interval(START + 99 * DAY, FOREVER))))


@pytest.mark.parametrize("name", QUERIES)
def test_records_are_the_memories_of_the_same_list(name: str, filled: None, memory: SqlMemory):
    query = Query(**({"scopes": ("ana",), "now": START} | QUERIES[name]))
    page = memory.page(TENANT, query)
    records = memory.records(TENANT, "ana", lambda _: query)

    assert records.items == tuple(map(record_of, page.items))
    assert records.more == page.more


@pytest.mark.parametrize("when", WHENS)
def test_a_stored_time_is_told_as_the_wire_spells_it(when: When | None):
    told = told_when(dump_when(when))

    assert told == (None if when is None else to_json(when))
    assert list(told or {}) == list(to_json(when) if when else {})  # and in its order


def visible(standing: Standing) -> Query:
    shared = [grant.scope.scope_id for grant in standing.grants if grant.visible]
    return Query(scopes=("ana", *shared), now=START)


def told(memory: SqlMemory) -> list[str]:
    return [record.object_value for record in memory.records(TENANT, "ana", visible).items]


@pytest.fixture
def team(memory: SqlMemory, scribe: Any) -> SqlScopes:
    """A team's fact beside one of Ana's."""
    scribe.create(scribe.draft(scribe.fact("mine")))
    scribe.create(scribe.draft(scribe.fact("ours", scope="team"), writer="bo"))
    scopes = SqlScopes(memory.database)
    scopes.put_scope(TENANT, Scope(scope_id="team", kind="team"))
    return scopes


def test_what_a_grant_opens_is_read_at_once_and_what_it_closes_is_not(
    team: SqlScopes, memory: SqlMemory
):
    grant = Grant(scope=Scope(scope_id="team", kind="team"))
    before = told(memory)
    team.put_grant(TENANT, "ana", grant)
    granted = [told(memory), told(memory)]
    team.put_grant(TENANT, "ana", replace(grant, visible=False))

    assert (before, granted, told(memory)) == (["mine"], [["ours", "mine"]] * 2, ["mine"])


def test_a_standing_is_read_with_the_newest_revision(team: SqlScopes, memory: SqlMemory):
    team.put_grant(TENANT, "ana", Grant(scope=Scope(scope_id="team", kind="team")))
    (mine,) = memory.records(TENANT, "ana", lambda _: Query(scopes=("ana",), now=START)).items
    standing, found = memory.seen(TENANT, "ana", [mine.memory_id, "unknown"])

    assert standing == memory.standing(TENANT, "ana")
    assert found == memory.newest(TENANT, [mine.memory_id])
