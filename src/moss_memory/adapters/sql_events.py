"""Events: rows written with their effect, read behind a cursor by whoever streams them.

The order is that of transactions. On PostgreSQL an id begins with the transaction's own number,
and a reader stops before the oldest transaction that still runs, so nothing that commits late is
ever passed over. SQLite has one writer, whose next number it is.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import bindparam, column, text

from moss_memory.adapters.sql_call import Call, Row, Statement
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_types import Micros, Whole, Words, canonical
from moss_memory.flow.ports import Event

_COLUMNS: Final = "kind, scope_id, ids, revision, status, principal_id, recorded_at"
_VALUES: Final = ":kind, :scope_id, :ids, :revision, :status, :principal_id, :recorded_at"
_PG_ID: Final = "lpad(to_hex(pg_current_xact_id()::text::bigint), 16, '0') || :tail"
_SQLITE_ID: Final = """
    printf('%016d', 1 + coalesce((
        SELECT CAST(substr(event_id, 1, 16) AS INTEGER) FROM event
        WHERE tenant_id = :tenant_id ORDER BY event_id DESC LIMIT 1), 0)) || :tail
"""
_PG_HORIZON: Final = """
    lpad(to_hex(pg_snapshot_xmin(pg_current_snapshot())::text::bigint), 16, '0')
"""


def _typed(clause: str) -> Any:
    types: dict[str, Any] = {"revision": Whole, "recorded_at": Micros(), "limit": Whole}
    names = [n for n in _NAMES if f":{n}" in clause]
    return text(clause).bindparams(*(bindparam(n, type_=types.get(n, Words)) for n in names))


_NAMES: Final = (
    "tenant_id", "tail", "kind", "scope_id", "ids", "revision", "status", "principal_id",
    "recorded_at", "after", "limit",
)  # fmt: skip
_INSERT: Final = f"INSERT INTO event (tenant_id, event_id, {_COLUMNS}) VALUES"
WRITE: Final = Statement(
    adds=True,
    postgresql=_typed(f"{_INSERT} (:tenant_id, {_PG_ID}, {_VALUES})"),
    sqlite=_typed(f"{_INSERT} (:tenant_id, {_SQLITE_ID}, {_VALUES})"),
)


def _reading(horizon: str) -> Any:
    clause = _typed(f"""
        SELECT event_id, {_COLUMNS} FROM event
        WHERE tenant_id = :tenant_id AND event_id > :after {horizon}
        ORDER BY event_id LIMIT :limit
    """)
    return clause.columns(
        column("event_id"), column("kind"), column("scope_id"), column("ids"),
        column("revision"), column("status"), column("principal_id"),
        column("recorded_at", Micros()),
    )  # fmt: skip


READ: Final = Statement(postgresql=_reading(f"AND event_id < {_PG_HORIZON}"), sqlite=_reading(""))


def _last(horizon: str) -> Any:
    return _typed(f"""
        SELECT coalesce(max(event_id), '') FROM event WHERE tenant_id = :tenant_id {horizon}
    """)


LAST: Final = Statement(postgresql=_last(f"AND event_id < {_PG_HORIZON}"), sqlite=_last(""))


def event_calls(
    tenant: Mapping[str, Any], events: Sequence[Event], recorded_at: datetime | int
) -> list[Call]:
    """Return the inserts of one transaction's events."""
    return [
        Call(
            WRITE,
            {
                **tenant,
                "tail": f"-{number:04x}",
                "kind": event.kind,
                "scope_id": event.scope_id,
                "ids": canonical(list(event.ids)),
                "revision": event.revision,
                "status": event.status,
                "principal_id": event.principal_id,
                "recorded_at": recorded_at,
            },
        )
        for number, event in enumerate(events)
    ]


def read_events(session: Session, tenant_id: str, after: str, limit: int) -> tuple[Event, ...]:
    """Return events after a cursor, in order; empty is the beginning."""
    params = {"tenant_id": tenant_id, "after": after, "limit": limit}
    return tuple(_event(row) for row in session.run(Call(READ, params))[0].rows)


def last_event(session: Session, tenant_id: str) -> str:
    """Return the id of the newest event that no running transaction may still precede."""
    return str(session.run(Call(LAST, {"tenant_id": tenant_id}))[0].rows[0][0])


def _event(row: Row) -> Event:
    event_id, kind, scope_id, ids, revision, status, principal_id, recorded_at = row
    return Event(
        kind=kind,
        scope_id=scope_id,
        ids=tuple(json.loads(ids)),
        revision=revision,
        status=status,
        principal_id=principal_id,
        event_id=event_id,
        recorded_at=recorded_at,
    )
