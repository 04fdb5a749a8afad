"""The second flight: active memories that touch a window of a slot, in O(log n) on both engines.

An index on the start alone reads every earlier window. Each window has a span k, its length
rounded up to 2^k minutes; for each span in use only those can reach past ``s`` that start after
``s - 2^k``, one range of the index (storage.md measures it).
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import bindparam, select, text

from moss_memory.adapters.sql_call import AnyOf, Call, Row, Statement
from moss_memory.adapters.sql_engine import SQLITE
from moss_memory.adapters.sql_open import TENANT, Claimed
from moss_memory.adapters.sql_rows import HEAD, Stored, stored_of
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_slots import OPEN_SPAN, slot_text, space_id
from moss_memory.adapters.sql_tables import memory_head, waiver
from moss_memory.adapters.sql_types import Words, canonical, micros
from moss_memory.core.fact import Pair
from moss_memory.flow.ports import Frame, Loaded, Probe, Space

_HERE: Final = "tenant_id = :tenant_id AND space_id = :space_id AND slot = :slot"
# The second column is for PostgreSQL: an order that one index alone has, whatever it believes of
# the rows; without statistics it would read a whole space by another.
_FIRST: Final = "ORDER BY span, lint_from LIMIT 1"
USED: Final = f"""
    WITH RECURSIVE used(span) AS (
        SELECT (SELECT span FROM occurrence WHERE {_HERE} {_FIRST})
        UNION ALL
        SELECT (SELECT span FROM occurrence WHERE {_HERE} AND span > used.span {_FIRST})
        FROM used WHERE used.span IS NOT NULL
    )
"""
# ``+ 0``: PostgreSQL fears to skip through an index over what it could compare there, the more the
# larger the table, and would take the index of lists.
_REACHING: Final = f"""
    {_HERE} AND occurrence.span = used.span
    AND lint_from > CASE WHEN used.span = {OPEN_SPAN} THEN {{least}}
                         ELSE asked.s - ({{one}} << {{shift}}) * 60000000 END
    AND lint_from < asked.e AND lint_until + 0 > asked.s
"""
_LEAST: Final = -(2**62)
# OFFSET 0 keeps the planner from flattening: of the windows, it would read their JSON again for
# each row met; of the probe, it would make one scan of everything. The order is the index's own.
_PG_HITS: Final = f"""{USED}
    SELECT DISTINCT hit.memory_id
    FROM used
    CROSS JOIN (
        SELECT (pair->>0)::bigint AS s, (pair->>1)::bigint AS e
        FROM json_array_elements(CAST(:windows AS json)) AS pair OFFSET 0
    ) AS asked
    CROSS JOIN LATERAL (
        SELECT memory_id FROM occurrence
        WHERE {_REACHING.format(least=_LEAST, one="1::bigint", shift="used.span::int")}
        ORDER BY lint_from OFFSET 0
    ) AS hit
    WHERE used.span IS NOT NULL
"""
# A scalar subquery per probe: as a join, SQLite may put a Bloom filter before it, which it fills
# from all of the index.
_SQLITE_HITS: Final = f"""{USED}
    SELECT DISTINCT found.value
    FROM (
        SELECT (
            SELECT json_group_array(memory_id) FROM occurrence
            WHERE {_REACHING.format(least=_LEAST, one="1", shift="used.span")}
        ) AS ids
        FROM used
        CROSS JOIN (
            SELECT json_extract(value, '$[0]') AS s, json_extract(value, '$[1]') AS e
            FROM json_each(:windows)
        ) AS asked
        WHERE used.span IS NOT NULL
    ) AS hit
    CROSS JOIN json_each(hit.ids) AS found
"""


def _found(hits: str) -> Any:
    """Return the heads of the hits, by their key whatever the planner thinks of their number."""
    chosen = text(f"memory_head.memory_id {hits}").bindparams(
        bindparam("space_id", type_=Words),
        bindparam("slot", type_=Words),
        bindparam("windows", type_=Words),
    )
    return (
        select(*HEAD)
        .where(memory_head.c.tenant_id == TENANT, memory_head.c.active, chosen)
        .order_by(memory_head.c.recorded_at, memory_head.c.memory_id)
    )


PROBE: Final = Statement(
    sqlite=_found(f"IN ({_SQLITE_HITS})"), postgresql=_found(f"= ANY(ARRAY({_PG_HITS}))")
)
SHARE: Final = Statement(
    postgresql=text("""
        SELECT space_id FROM space WHERE tenant_id = :tenant_id AND space_id = ANY(:space_ids)
        ORDER BY space_id FOR SHARE
    """).bindparams(TENANT)
)
WAIVED: Final = Statement(
    select(waiver.c.a, waiver.c.a_revision, waiver.c.b, waiver.c.b_revision).where(
        waiver.c.tenant_id == TENANT,
        AnyOf(waiver.c.a, "memory_ids"),
        AnyOf(waiver.c.b, "memory_ids"),
    )
)


def probe_call(tenant_id: str, probe: Probe) -> Call:
    """Return the look-up of one probe."""
    windows = [[micros(window.start), micros(window.end)] for window in probe.windows]
    return Call(
        PROBE,
        {
            "tenant_id": tenant_id,
            "space_id": space_id(probe.space),
            "slot": slot_text(probe.slot),
            "windows": canonical(windows),
        },
    )


@dataclass(frozen=True, slots=True)
class Ahead:
    """What was read with the claim, under its locks: rows by probe, and the spaces locked."""

    rows: Mapping[Probe, Sequence[Row]] = field(default_factory=dict)
    locked: frozenset[Space] = frozenset()


def frame_calls(engine: str, tenant_id: str, frame: Frame, held: Container[Space]) -> list[Call]:
    """Return what reads a frame: the lock of what is only read and not held, then the probes."""
    reads = frozenset(space for space in frame.reads if space not in held)
    return [*_share(engine, tenant_id, reads), *(probe_call(tenant_id, p) for p in frame.probes)]


def load(
    session: Session, tenant_id: str, frame: Frame, claimed: Claimed, ahead: Ahead | None = None
) -> Loaded:
    """Lock what is only read, then load what the frame asks for.

    No flight for an empty frame, nor for one that was read ahead.
    """
    ahead = ahead or Ahead()
    rows, reads = dict(ahead.rows), frame.reads - ahead.locked
    probes = tuple([probe for probe in frame.probes if probe not in rows])
    if probes or reads:
        left = Frame(probes=probes, reads=reads)
        calls = frame_calls(session.engine_name, tenant_id, left, claimed.epochs)
        results = session.run(*calls)[len(calls) - len(probes) :] if calls else []
        rows |= {probe: result.rows for probe, result in zip(probes, results, strict=True)}
    found = candidates_of([row for probe in frame.probes for row in rows[probe]], tenant_id)
    if not found:
        return Loaded()
    claimed.seen.update(found)
    waived = waivers(session, tenant_id, [*found, *claimed.opened.memories])
    candidates = tuple(stored.memory for stored in found.values())
    return Loaded(candidates=candidates, waived=frozenset(waived))


def candidates_of(rows: Sequence[Any], tenant_id: str) -> dict[str, Stored]:
    """Return what probes found, each memory once."""
    stored = (stored_of(row, tenant_id) for row in rows)
    return {each.memory.memory_id: each for each in stored}


def waivers(session: Session, tenant_id: str, memory_ids: Sequence[str]) -> frozenset[Pair]:
    """Return the waivers between memories, of whatever revisions."""
    if len(memory_ids) < 2:  # noqa: PLR2004 - a pair takes two
        return frozenset()
    params = {"tenant_id": tenant_id, "memory_ids": list(memory_ids)}
    return frozenset(tuple(row) for row in session.run(Call(WAIVED, params))[0].rows)


def _share(engine: str, tenant_id: str, reads: frozenset[Space]) -> list[Call]:
    if not reads or engine == SQLITE:  # one writer: what is read stays as it is
        return []
    ids = sorted(space_id(each) for each in reads)
    return [Call(SHARE, {"tenant_id": tenant_id, "space_ids": ids})]
