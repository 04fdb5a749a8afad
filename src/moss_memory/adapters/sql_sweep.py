"""What time removes: old words, chats, answers and events; in small batches, each a transaction.

The skeleton of history stays, and its chain holds without the words. What expires is only found
here: taking it out is a change like any other, with a decision, and the flow's to make.
"""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Select, Table, bindparam, delete, func, not_, or_, select, text, tuple_

from moss_memory.adapters.sql_call import Call, Statement
from moss_memory.adapters.sql_database import Database
from moss_memory.adapters.sql_open import TENANT
from moss_memory.adapters.sql_retry import running
from moss_memory.adapters.sql_rows import HEAD, memory_of
from moss_memory.adapters.sql_tables import (
    chat_history,
    event,
    idempotency,
    memory_head,
    memory_revision,
    occurrence,
    payload,
)
from moss_memory.adapters.sql_types import Micros, Whole, Words
from moss_memory.core.fact import Memory

BATCH: Final = 1000

_BEFORE: Final = bindparam("before", type_=Micros())
_LIMIT: Final = bindparam("limit", type_=Whole)


def _removing(table: Table, chosen: Select[Any]) -> Statement:
    """Return the removal of one batch of the rows whose keys are chosen."""
    keys = tuple_(*table.primary_key)
    return Statement(delete(table).where(table.c.tenant_id == TENANT, keys.in_(chosen)))


def _older(table: Table) -> Statement:
    chosen = select(*table.primary_key).where(
        table.c.tenant_id == TENANT, table.c.recorded_at < _BEFORE
    )
    return _removing(table, chosen.limit(_LIMIT))


CHATS: Final = _older(chat_history)
ANSWERS: Final = _older(idempotency)
_last: Final = select(func.max(event.c.event_id)).where(event.c.tenant_id == TENANT)
EVENTS: Final = _removing(
    event,
    select(event.c.tenant_id, event.c.event_id)
    .where(
        event.c.tenant_id == TENANT,
        event.c.recorded_at < _BEFORE,
        event.c.event_id < _last.scalar_subquery(),  # the last one is where numbering goes on
    )
    .limit(_LIMIT),
)
PAYLOADS: Final = _removing(
    payload,
    select(payload.c.tenant_id, payload.c.payload_id)
    .select_from(payload)
    .join(
        memory_head,
        (memory_head.c.tenant_id == payload.c.tenant_id)
        & (memory_head.c.memory_id == payload.c.memory_id),
    )
    .join(
        memory_revision,
        (memory_revision.c.tenant_id == payload.c.tenant_id)
        & (memory_revision.c.memory_id == payload.c.memory_id)
        & (memory_revision.c.payload_id == payload.c.payload_id),
    )
    .where(
        payload.c.tenant_id == TENANT,
        memory_head.c.revision > bindparam("kept", type_=Whole),
        memory_revision.c.revision <= memory_head.c.revision - bindparam("kept", type_=Whole),
    )
    .limit(_LIMIT),
)
DUE: Final = Statement(
    select(*HEAD)
    .where(
        memory_head.c.tenant_id == TENANT,
        memory_head.c.expires_at <= bindparam("now", type_=Micros()),
        memory_head.c.active,
        not_(memory_head.c.erased),
    )
    .order_by(memory_head.c.expires_at, memory_head.c.memory_id)
    .limit(_LIMIT)
)
_until: Final = bindparam("until", type_=Micros())
_reaches: Final = (
    select(occurrence.c.memory_id)
    .where(
        occurrence.c.tenant_id == memory_head.c.tenant_id,
        occurrence.c.memory_id == memory_head.c.memory_id,
        occurrence.c.starts_at >= _until,
    )
    .exists()
)
SERIES: Final = Statement(
    select(*HEAD)
    .where(
        memory_head.c.tenant_id == TENANT,
        memory_head.c.memory_id > bindparam("after", type_=Words),
        memory_head.c.windows.is_not(None),  # by its own index: few memories repeat
        memory_head.c.active,
        memory_head.c.valid_until > _until,
        or_(memory_head.c.recorded_at <= bindparam("before", type_=Micros()), not_(_reaches)),
    )
    .order_by(memory_head.c.memory_id)
    .limit(_LIMIT)
)
TENANTS: Final = text("SELECT DISTINCT tenant_id FROM space ORDER BY tenant_id")


class SqlSweep:
    """The removals of a store's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def tenants(self) -> tuple[str, ...]:
        """Return the tenants that have memories; on PostgreSQL only the owner's login sees them."""

        def read() -> tuple[str, ...]:
            with self._database.engine.connect() as connection:
                return tuple(row[0] for row in connection.execute(TENANTS))

        return running(read)

    def due(self, tenant_id: str, *, now: datetime, limit: int = BATCH) -> tuple[Memory, ...]:
        """Return active memories whose ``expires_at`` has come, the longest overdue first."""
        params = {"tenant_id": tenant_id, "now": now, "limit": limit}
        rows = self._database.rows(tenant_id, Call(DUE, params))
        return tuple(memory_of(row, tenant_id) for row in rows)

    def series(
        self, tenant_id: str, *, until: datetime, before: datetime, after: str, limit: int = BATCH
    ) -> tuple[Memory, ...]:
        """Return active series that go on past ``until`` and may not be placed that far.

        In the order of their ids, those behind ``after``. One recorded since ``before`` is left
        out, unless nothing of it lies beyond ``until``.
        """
        params = {"tenant_id": tenant_id, "until": until, "before": before, "after": after}
        rows = self._database.rows(tenant_id, Call(SERIES, params | {"limit": limit}))
        return tuple(memory_of(row, tenant_id) for row in rows)

    def history(self, tenant_id: str, *, kept: int) -> int:
        """Remove the words of all but the newest ``kept`` revisions of a memory (at least one)."""
        return self._batches(tenant_id, PAYLOADS, {"kept": max(kept, 1)})

    def chats(self, tenant_id: str, *, before: datetime) -> int:
        """Remove chats recorded before an instant."""
        return self._batches(tenant_id, CHATS, {"before": before})

    def answers(self, tenant_id: str, *, before: datetime) -> int:
        """Remove first answers kept under an Idempotency-Key before an instant."""
        return self._batches(tenant_id, ANSWERS, {"before": before})

    def events(self, tenant_id: str, *, before: datetime) -> int:
        """Remove events before an instant, but for the last."""
        return self._batches(tenant_id, EVENTS, {"before": before})

    def _batches(self, tenant_id: str, statement: Statement, params: dict[str, Any]) -> int:
        call = Call(statement, params | {"tenant_id": tenant_id, "limit": BATCH})
        total = 0
        while True:
            removed = self._database.write(
                tenant_id, lambda session: session.run(call, commit=True)[0].touched
            )
            total += removed
            if removed < BATCH:
                return total
