"""The windows of a slot nearest to an instant: what a context takes of a calendar.

As ``sql_load`` does for the linter, one range of the index a span; but where that needs all that
touches a window, each range is cut here, so that a year costs no more than a day.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final, Literal

from sqlalchemy import bindparam, text

from moss_memory.adapters.sql_call import Call, Row, Statement
from moss_memory.adapters.sql_load import USED
from moss_memory.adapters.sql_open import TENANT
from moss_memory.adapters.sql_slots import OPEN_SPAN, slot_text, space_id
from moss_memory.adapters.sql_types import Micros, Whole, Words, micros
from moss_memory.core.interval import Interval
from moss_memory.flow.ports import Probe

Way = Literal["ahead", "behind"]

ROWS_A_MEMORY: Final = 4  # occurrences read for each memory wanted: a series fills many
_LEAST: Final = -(2**62)
_ORDER: Final = {"ahead": "ASC", "behind": "DESC"}
_BINDS: Final = (
    TENANT,
    bindparam("space_id", type_=Words),
    bindparam("slot", type_=Words),
    bindparam("start", type_=Micros()),
    bindparam("until", type_=Micros()),
    bindparam("most", type_=Whole),
)


def _nearest(way: Way, *, listed: str, one: str, shift: str) -> Any:
    """Return a row a span: its windows from one end on, as lists of start, end and memory.

    Span and start are compared as one: of two conditions PostgreSQL, planning without the values,
    looks the span up in another index, and sorts all that it holds.
    """
    return text(f"""{USED}
        SELECT (
            SELECT CAST({listed} AS text) FROM (
                SELECT lint_from, lint_until, memory_id FROM occurrence
                WHERE tenant_id = :tenant_id AND space_id = :space_id AND slot = :slot
                AND (occurrence.span, lint_from) > (used.span,
                    CASE WHEN used.span = {OPEN_SPAN} THEN {_LEAST}
                    ELSE :start - ({one} << {shift}) * 60000000 END)
                AND (occurrence.span, lint_from) < (used.span, :until) AND lint_until > :start
                ORDER BY occurrence.span {_ORDER[way]}, lint_from {_ORDER[way]} LIMIT :most
            ) AS hit
        )
        FROM used WHERE used.span IS NOT NULL
    """).bindparams(*_BINDS)


def _statement(way: Way) -> Statement:
    return Statement(
        sqlite=_nearest(
            way,
            listed="json_group_array(json_array(lint_from, lint_until, memory_id))",
            one="1",
            shift="used.span",
        ),
        postgresql=_nearest(
            way,
            listed="json_agg(json_build_array(lint_from, lint_until, memory_id))",
            one="1::bigint",
            shift="used.span::int",
        ),
    )


NEAREST: Final = {way: _statement(way) for way in ("ahead", "behind")}


def near_calls(tenant_id: str, probe: Probe, at: datetime, limit: int) -> Iterator[Call]:
    """Look into a probe's windows from ``at`` on, and back from there; see ``nearest``."""
    params = {
        "tenant_id": tenant_id,
        "space_id": space_id(probe.space),
        "slot": slot_text(probe.slot),
        "most": limit * ROWS_A_MEMORY,
    }
    for window in probe.windows:
        for way, part in _parts(window, at):
            yield Call(NEAREST[way], params | {"start": part.start, "until": part.end})


def nearest(results: Iterable[list[Row]], at: datetime, limit: int) -> list[str]:
    """Name at most ``limit`` memories that ``near_calls`` found, those nearest to ``at`` first."""
    here = micros(at)
    away: dict[str, int] = {}
    for rows in results:
        for (found,) in rows:
            for start, until, memory_id in json.loads(found or "[]"):
                gap = max(start - here, here - until, 0)
                away[memory_id] = min(gap, away.get(memory_id, gap))
    ordered = sorted((gap, memory_id) for memory_id, gap in away.items())
    return [memory_id for _, memory_id in ordered[:limit]]


def _parts(window: Interval, at: datetime) -> Iterator[tuple[Way, Interval]]:
    if at < window.end:
        yield "ahead", Interval(max(window.start, at), window.end)
    if window.start < at:
        yield "behind", Interval(window.start, min(window.end, at))
