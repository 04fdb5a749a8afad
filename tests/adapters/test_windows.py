"""Lists of a window: the same memories as by looking at each, and never by looking at each."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from moss_memory.adapters.sql_call import Call, Statement
from moss_memory.adapters.sql_forms import MEMORIES
from moss_memory.adapters.sql_lists import _chosen
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_window import FEW, touching, touching_call
from moss_memory.core.fact import Memory
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.flow.ports import Query

TENANT = "default"
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
NOW = START + timedelta(days=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
HOME = {"domain": "SmartHome", "subject": "lamp", "predicate": "light_status"}


def span(start: float, hours: float) -> Interval:
    at = START + start * HOUR
    return Interval(at, at + hours * HOUR)


def of_all_kinds(scribe: Any) -> None:
    """Moments and months, a series, what never ends, what is over, and what others may see."""
    note = {"predicate": "note"}
    for start, hours in ((0, 0.01), (0, 1), (1, 1), (5, 4), (-700, 900), (30, 24), (80, 0.5)):
        scribe.create(scribe.draft(scribe.fact(**note), span(start, hours)), lint=False)
    weekly = [span(168 * n, 1) for n in range(30)]
    scribe.create(scribe.draft(scribe.fact("weekly", **note), *weekly), lint=False)
    scribe.create(
        scribe.draft(scribe.fact("on", **HOME), Interval(START - DAY, FOREVER)), lint=False
    )
    scribe.create(scribe.draft(scribe.fact(expires_at=START, **note), span(0, 2)), lint=False)
    scribe.create(scribe.draft(scribe.fact(scope="bo", **note), span(0, 2)), lint=False)
    scribe.retire(scribe.create(scribe.draft(scribe.fact("gone", **note), span(0, 2)), lint=False))


EDGES = (-800, -25, -1, 0, 0.005, 0.5, 1, 2, 5, 31, 54, 80.5, 168, 168.5, 400, 9000)


def asked(**fields: Any) -> Query:
    return Query(**({"scopes": ("ana", "eve"), "now": NOW} | fields))


def touches(memory: Memory, window: Interval) -> bool:
    return any(each.start < window.end and each.end > window.start for each in memory.windows)


@pytest.mark.parametrize("more", [{}, {"domains": ("Schedule",)}, {"predicate": "light_status"}])
def test_list_of_a_window_is_what_touches_it(more: Any, scribe: Any, memory: SqlMemory):
    of_all_kinds(scribe)
    everything = memory.page(TENANT, asked(**more)).items
    windows = [Interval(START + a * HOUR, START + b * HOUR) for a, b in pairwise(EDGES)]
    windows += [Interval(START + a * HOUR, START + EDGES[-1] * HOUR) for a in EDGES[:-1]]

    for window in windows:
        found = memory.page(TENANT, asked(overlaps=window, **more)).items
        assert found == tuple(each for each in everything if touches(each, window)), window


def test_list_of_an_instant_is_what_holds_then(scribe: Any, memory: SqlMemory):
    of_all_kinds(scribe)
    everything = memory.page(TENANT, asked()).items

    for hour in EDGES:
        at = START + hour * HOUR
        moment = Interval(at, at + timedelta(microseconds=1))
        found = memory.page(TENANT, asked(valid_at=at)).items
        assert found == tuple(each for each in everything if touches(each, moment)), hour


def test_window_and_instant_together_are_what_touches_both(scribe: Any, memory: SqlMemory):
    of_all_kinds(scribe)
    both = asked(valid_at=START, overlaps=span(168, 1))

    assert [each.fact.object_value for each in memory.page(TENANT, both).items] == [
        "on",
        "weekly",
        "Budget review",
    ]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_pages_of_a_window_give_each_memory_once(limit: int, scribe: Any, memory: SqlMemory):
    of_all_kinds(scribe)
    query = asked(overlaps=span(-1, 40))
    whole, found = memory.page(TENANT, query).items, list[Memory]()
    while True:
        page = memory.page(TENANT, replace(query, limit=limit))
        found += page.items
        if not page.more:
            break
        query = replace(query, cursor=(page.items[-1].recorded_at, page.items[-1].memory_id))

    assert tuple(found) == whole


def crowd(scribe: Any, count: int) -> Sequence[Memory]:
    """Write so many notes of one minute each, a minute apart."""
    drafts = [
        scribe.draft(scribe.fact(f"n{n}", predicate="note"), span(n / 60, 1 / 60))
        for n in range(count)
    ]
    for first in range(0, count, 250):
        scribe.write(drafts[first : first + 250], lint=False)
    return drafts


def test_window_that_touches_many_is_walked_in_order(scribe: Any, memory: SqlMemory):
    daily = [span(24 * n, 1) for n in range(750)]
    note = scribe.fact(predicate="note")
    made = [scribe.create(scribe.draft(note, *daily), lint=False) for _ in range(FEW // 750 + 1)]
    with memory.database.session(TENANT) as session:
        newest = {"after": (FOREVER, ""), "enough": 9}
        assert touching(session, TENANT, ["ana/Schedule"], span(0, 24 * 800), **newest) is None
    found = memory.page(TENANT, asked(overlaps=span(0, 24 * 800), limit=3)).items

    assert list(found) == made[:-4:-1]


def plan(memory: SqlMemory, call: Call) -> str:
    """Return how the engine would run a statement, as it says it."""
    engine = memory.database.engine.dialect.name
    how = "EXPLAIN QUERY PLAN" if engine == "sqlite" else "EXPLAIN"
    compiled = call.statement.on(engine)
    explained = replace(compiled, text=f"{how} {compiled.text}", outgoing=())
    with memory.database.session(TENANT) as session:
        rows = session.run(Call(Statement.of(**{engine: explained}), call.params))[0].rows
    return "\n".join(str(row[-1]) for row in rows)


@pytest.fixture
def crowded(scribe: Any, memory: SqlMemory) -> SqlMemory:
    """A store whose planner has seen some hundred windows."""
    crowd(scribe, 750)
    with memory.database.engine.connect() as connection:
        connection.exec_driver_sql("ANALYZE")
        connection.commit()
    return memory


def test_window_and_its_memories_are_looked_up_by_index(crowded: SqlMemory):
    window = {"overlaps_from": START, "overlaps_until": START + HOUR}
    params = {"tenant_id": TENANT, "now": NOW, "limit": 51, "memory_ids": ["m000001"], **window}
    touched = plan(crowded, touching_call(TENANT, ["ana/Schedule"], span(0, 1), (FOREVER, ""), 51))
    chosen = plan(crowded, Call(_chosen(MEMORIES, frozenset({"memory_ids", *window})), params))

    assert "ix_occurrence_window" in touched
    assert not any(whole in touched for whole in ("Seq Scan on occurrence", "SCAN occurrence"))
    assert "BLOOM" not in touched
    assert not any(whole in chosen for whole in ("Seq Scan on memory_head", "SCAN memory_head"))
