"""Which memories of some spaces touch a window, whatever their slots; unless they are many.

As ``sql_load`` does within a slot: for each span in use, only those can reach past ``s`` that
start after ``s - 2^k`` minutes, one range of ``ix_occurrence_window``. It holds when each was
recorded, too, so that the newest are chosen without a look at any memory.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import TextualSelect, bindparam, column, text

from moss_memory.adapters.sql_call import Call, Statement
from moss_memory.adapters.sql_open import TENANT
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_slots import OPEN_SPAN
from moss_memory.adapters.sql_types import Listed, Micros, Whole, Words, instant
from moss_memory.core.interval import Interval

FEW: Final = 6000  # windows: of more, a walk in the order of recording soon meets a page of them

Cursor = tuple[datetime, str]

_LEAST: Final = -(2**62)
# All that is compared comes from ``used``: where a condition is of the windows alone, SQLite may
# put a Bloom filter before them, which it fills from all there is.
_USED: Final = """
    WITH RECURSIVE used(tenant_id, space_id, start, until, span) AS (
        SELECT {tenant}, asked.value, {start}, {until}, (
            SELECT min(span) FROM occurrence AS o
            WHERE o.tenant_id = :tenant_id AND o.space_id = asked.value
        )
        FROM {asked}
        UNION ALL
        SELECT used.tenant_id, used.space_id, used.start, used.until, (
            SELECT min(span) FROM occurrence AS o
            WHERE o.tenant_id = used.tenant_id AND o.space_id = used.space_id AND o.span > used.span
        )
        FROM used WHERE used.span IS NOT NULL
    )
"""
# ``+ 0``: see ``sql_load``.
_INSIDE: Final = f"""
    o.tenant_id = used.tenant_id AND o.space_id = used.space_id AND o.span = used.span
    AND o.starts_at > CASE WHEN used.span = {OPEN_SPAN} THEN {_LEAST}
                           ELSE used.start - ({{one}} << {{shift}}) * 60000000 END
    AND o.starts_at < used.until AND o.ends_at + 0 > used.start
"""
_PG_HITS: Final = f"""
    SELECT hit.memory_id, hit.recorded_at FROM used CROSS JOIN LATERAL (
        SELECT o.memory_id, o.recorded_at FROM occurrence AS o
        WHERE {_INSIDE.format(one="1::bigint", shift="used.span::int")} OFFSET 0
    ) AS hit
    WHERE used.span IS NOT NULL LIMIT :few
"""
_SQLITE_HITS: Final = f"""
    SELECT o.memory_id, o.recorded_at
    FROM used CROSS JOIN occurrence AS o INDEXED BY ix_occurrence_window
    WHERE used.span IS NOT NULL AND {_INSIDE.format(one="1", shift="used.span")} LIMIT :few
"""
_NEWEST: Final = """
    SELECT NULL AS memory_id, count(*) AS found FROM hits
    UNION ALL
    SELECT memory_id, recorded_at FROM (
        SELECT DISTINCT memory_id, recorded_at FROM hits
        WHERE (recorded_at, memory_id) < (:cursor_at, :cursor_id)
        ORDER BY recorded_at DESC, memory_id DESC LIMIT :enough
    ) AS chosen
"""


def _asking(asked: str, hits: str, **params: str) -> TextualSelect:
    used = _USED.format(asked=asked, **params)
    made = text(f"{used}, hits(memory_id, recorded_at) AS MATERIALIZED ({hits}) {_NEWEST}")
    made = made.bindparams(
        TENANT,
        bindparam("spaces", type_=Listed()),
        bindparam("start", type_=Micros()),
        bindparam("until", type_=Micros()),
        bindparam("cursor_at", type_=Micros()),
        bindparam("cursor_id", type_=Words),
        *(bindparam(name, type_=Whole) for name in ("few", "enough")),
    )
    return made.columns(column("memory_id", Words), column("found", Whole))


TOUCHING: Final = Statement(
    sqlite=_asking(
        "json_each(:spaces) AS asked", _SQLITE_HITS,
        tenant=":tenant_id", start=":start", until=":until",
    ),
    postgresql=_asking(
        "unnest(:spaces) AS asked(value)", _PG_HITS,
        tenant="CAST(:tenant_id AS text)",
        start="CAST(:start AS bigint)", until="CAST(:until AS bigint)",
    ),
)  # fmt: skip


def touching_call(
    tenant_id: str, spaces: Sequence[str], window: Interval, after: Cursor, enough: int
) -> Call:
    """Return the look-up of a window in some spaces; ``touching`` says what of."""
    params = {"tenant_id": tenant_id, "spaces": list(spaces), "few": FEW, "enough": enough}
    placed = {"start": window.start, "until": window.end}
    return Call(TOUCHING, params | placed | {"cursor_at": after[0], "cursor_id": after[1]})


def touching(
    session: Session,
    tenant_id: str,
    spaces: Sequence[str],
    window: Interval,
    *,
    after: Cursor,
    enough: int,
) -> list[Cursor] | None:
    """Return the newest active memories with an occurrence in a window; None where many have.

    As ``(recorded_at, memory_id)``, newest first.

    Args:
        session: a read that is open.
        tenant_id: whose.
        spaces: ids of the spaces to look into.
        window: UTC.
        after: only what was recorded before, and of the same instant the ids below.
        enough: how many to return at most.
    """
    rows = session.run(touching_call(tenant_id, spaces, window, after, enough))[0].rows
    count = next(found for memory_id, found in rows if memory_id is None)
    if count >= FEW:
        return None
    chosen = ((instant(at), memory_id) for memory_id, at in rows if memory_id is not None)
    return sorted(chosen, reverse=True)
