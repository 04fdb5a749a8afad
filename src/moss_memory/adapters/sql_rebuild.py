"""Heads, occurrences and tokens, dropped and made again from revisions and payloads: the same rows.

That projections can be lost is what makes history the truth. Each batch of memories is one
transaction that holds their spaces, so writers may go on meanwhile.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from sqlalchemy import and_, bindparam, delete, func, select, text

from moss_memory.adapters.sql_call import AnyOf, Call, Row, Statement
from moss_memory.adapters.sql_database import Database
from moss_memory.adapters.sql_engine import SQLITE
from moss_memory.adapters.sql_open import TENANT
from moss_memory.adapters.sql_rows import REVISION, WITH_WORDS, memory_of
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_slots import Slots
from moss_memory.adapters.sql_tables import memory_head, memory_revision, occurrence, payload
from moss_memory.adapters.sql_tokens import token_calls
from moss_memory.adapters.sql_types import Whole, Words
from moss_memory.adapters.sql_write import HEAD, OCCURRENCE, many

BATCH: Final = 500

IDS: Final = Statement(
    select(memory_revision.c.memory_id, func.max(memory_revision.c.revision))
    .where(
        memory_revision.c.tenant_id == TENANT,
        memory_revision.c.memory_id > bindparam("after", type_=Words),
    )
    .group_by(memory_revision.c.memory_id)
    .order_by(memory_revision.c.memory_id)
    .limit(bindparam("limit", type_=Whole))
)
HOLD: Final = Statement(
    postgresql=text("""
        SELECT space_id FROM space WHERE tenant_id = :tenant_id AND space_id IN (
            SELECT space_id FROM memory_revision
            WHERE tenant_id = :tenant_id AND memory_id = ANY(:memory_ids)
        ) ORDER BY space_id FOR UPDATE
    """).bindparams(TENANT)
)
_mine: Final = memory_revision.c.tenant_id == TENANT
_last: Final = memory_revision.alias("last")
_newest: Final = (
    select(func.max(_last.c.revision))
    .where(
        _last.c.tenant_id == memory_revision.c.tenant_id,
        _last.c.memory_id == memory_revision.c.memory_id,
    )
    .scalar_subquery()
)
ROWS: Final = Statement(
    select(memory_revision, payload.c.subject, payload.c.object_value, payload.c.source_ref)
    .select_from(
        memory_revision.outerjoin(
            payload,
            and_(
                payload.c.tenant_id == memory_revision.c.tenant_id,
                payload.c.payload_id == memory_revision.c.payload_id,
            ),
        )
    )
    .where(
        _mine,
        AnyOf(memory_revision.c.memory_id, "memory_ids"),
        memory_revision.c.revision == _newest,
    )
)
MEMORIES: Final = Statement(
    select(*REVISION)
    .select_from(WITH_WORDS)
    .where(
        _mine,
        AnyOf(memory_revision.c.memory_id, "memory_ids"),
        memory_revision.c.revision == _newest,
    )
)
DROP_WINDOWS: Final = Statement(
    delete(occurrence).where(
        occurrence.c.tenant_id == TENANT, AnyOf(occurrence.c.memory_id, "memory_ids")
    )
)
DROP_HEADS: Final = Statement(
    delete(memory_head).where(
        memory_head.c.tenant_id == TENANT, AnyOf(memory_head.c.memory_id, "memory_ids")
    )
)


def rebuild_projections(database: Database, slots: Slots, tenant_id: str) -> int:
    """Make all heads, occurrences and tokens of a tenant again; how many memories there are."""
    after, total = "", 0
    while ids := _batch(database, tenant_id, after):
        params = {"tenant_id": tenant_id, "memory_ids": ids}
        database.write(tenant_id, partial(_again, slots=slots, params=params))
        after, total = ids[-1], total + len(ids)
    return total


def _batch(database: Database, tenant_id: str, after: str) -> list[str]:
    params = {"tenant_id": tenant_id, "after": after, "limit": BATCH}
    return [memory_id for memory_id, _ in database.rows(tenant_id, Call(IDS, params))]


def _again(session: Session, *, slots: Slots, params: Mapping[str, Any]) -> None:
    hold = [] if session.engine_name == SQLITE else [Call(HOLD, params)]
    session.run(*hold, Call(DROP_WINDOWS, params), Call(DROP_HEADS, params))
    rows, memories = session.run(Call(ROWS, params), Call(MEMORIES, params))
    tenant = {"tenant_id": params["tenant_id"]}
    windows = [
        tenant | window
        for row in memories.rows
        for window in slots.occurrences(memory_of(row, tenant["tenant_id"]))
    ]
    heads = [_head(row) for row in rows.rows]
    tokens = token_calls(params["tenant_id"], heads)
    session.run(*many(HEAD, heads), *many(OCCURRENCE, windows), *tokens, commit=True)


def _head(row: Row) -> dict[str, Any]:
    """Return the head of a revision; one whose words are gone was erased."""
    *stored, subject, object_value, source_ref = row
    head = dict(zip(memory_revision.c.keys(), stored, strict=True))
    closed = head.pop("subject")
    del head["slot_mac"], head["prev_hash"]
    if object_value is None:
        gone = {"active": False, "inactive_reason": "retired", "erased": True}
        return head | gone | {"subject": "", "object_value": "", "source_ref": None}
    words = {"subject": subject if closed is None else closed, "object_value": object_value}
    return head | words | {"source_ref": source_ref, "erased": False}
