"""Which memories of some spaces touch a window, whatever their slots; unless they are many.

As ``sql_load`` does within a slot: for each span in use, only those can reach past ``s`` that
start after ``s - 2^k`` minutes, one range of ``ix_occurrence_window``.
"""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import TextClause, bindparam, text

from moss_memory.adapters.sql_call import Call, Listed, Statement
from moss_memory.adapters.sql_open import TENANT
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_slots import OPEN_SPAN
from moss_memory.adapters.sql_types import Micros, Whole
from moss_memory.core.interval import Interval

FEW: Final = 1000  # memories that are read and sorted for one page
_MOST: Final = 4 * FEW  # windows looked at: a series may have many

_HERE: Final = "occurrence.tenant_id = :tenant_id AND occurrence.space_id"
_USED: Final = f"""
    WITH RECURSIVE used(space_id, span) AS (
        SELECT asked.value, (SELECT min(span) FROM occurrence WHERE {_HERE} = asked.value)
        FROM {{asked}}
        UNION ALL
        SELECT used.space_id,
               (SELECT min(span) FROM occurrence WHERE {_HERE} = used.space_id
                AND occurrence.span > used.span)
        FROM used WHERE used.span IS NOT NULL
    )
"""
_INSIDE: Final = f"""
    {_HERE} = used.space_id AND occurrence.span = used.span
    AND starts_at > CASE WHEN used.span = {OPEN_SPAN} THEN {-(2**62)}
                         ELSE :start - ({{one}} << {{shift}}) * 60000000 END
    AND starts_at < :until AND ends_at > :start
"""
_PG: Final = f"""{_USED.format(asked="unnest(:spaces) AS asked(value)")}
    SELECT memory_id, count(*) FROM (
        SELECT hit.memory_id FROM used CROSS JOIN LATERAL (
            SELECT memory_id FROM occurrence
            WHERE {_INSIDE.format(one="1::bigint", shift="used.span::int")} OFFSET 0
        ) AS hit
        WHERE used.span IS NOT NULL LIMIT :most
    ) AS found GROUP BY memory_id
"""
_SQLITE: Final = f"""{_USED.format(asked="json_each(:spaces) AS asked")}
    SELECT memory_id, count(*) FROM (
        SELECT occurrence.memory_id
        FROM used CROSS JOIN occurrence INDEXED BY ix_occurrence_window
        WHERE used.span IS NOT NULL AND {_INSIDE.format(one="1", shift="used.span")} LIMIT :most
    ) GROUP BY memory_id
"""


def _asking(statement: str) -> TextClause:
    return text(statement).bindparams(
        TENANT,
        bindparam("spaces", type_=Listed()),
        bindparam("start", type_=Micros()),
        bindparam("until", type_=Micros()),
        bindparam("most", type_=Whole),
    )


TOUCHING: Final = Statement(sqlite=_asking(_SQLITE), postgresql=_asking(_PG))


def touching_call(tenant_id: str, spaces: Sequence[str], window: Interval) -> Call:
    """Return the look-up of a window in some spaces."""
    placed = {"spaces": list(spaces), "start": window.start, "until": window.end}
    return Call(TOUCHING, {"tenant_id": tenant_id, "most": _MOST} | placed)


def touching(
    session: Session, tenant_id: str, spaces: Sequence[str], window: Interval
) -> list[str] | None:
    """Return the ids of active memories with an occurrence in a window; None where many have."""
    rows = session.run(touching_call(tenant_id, spaces, window))[0].rows
    if len(rows) > FEW or sum(count for _, count in rows) == _MOST:
        return None
    return [memory_id for memory_id, _ in rows]
