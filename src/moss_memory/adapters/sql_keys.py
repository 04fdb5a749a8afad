"""The KeyStore port on SQLite and PostgreSQL.

A key is looked up before its tenant is known: on PostgreSQL a second policy shows the one row
whose id the transaction bound.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import and_, bindparam, func, or_, select, text, tuple_, update

from moss_memory.adapters.sql_call import Call, Row, Statement
from moss_memory.adapters.sql_database import Database, opened
from moss_memory.adapters.sql_engine import SQLITE
from moss_memory.adapters.sql_open import (
    PRINCIPAL,
    REPLAY,
    RESERVE,
    TENANT,
    replay_of,
)
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_tables import api_key
from moss_memory.adapters.sql_types import Micros, Whole, Words, canonical
from moss_memory.adapters.sql_write import ANSWERED, inserting, receipt_text
from moss_memory.core.errors import IdempotencyKeyReusedError
from moss_memory.flow.ports import Replay
from moss_memory.flow.ports_access import Added, Claim, KeyRecord

_KEY: Final = bindparam("key_id", type_=Words)
_NOW: Final = bindparam("now", type_=Micros())
_COLUMNS: Final = tuple(api_key.c)
_LIVE: Final = and_(
    api_key.c.revoked_at.is_(None),
    or_(api_key.c.expires_at.is_(None), api_key.c.expires_at > _NOW),
)

BIND_KEY: Final = Statement(
    text("SELECT set_config('moss.key_id', :key_id, true)").bindparams(_KEY)
)
FIND: Final = Statement(select(*_COLUMNS).where(api_key.c.key_id == _KEY))
INSERT: Final = inserting(api_key)
# The row of the principal stands for all of its keys: whoever counts them holds it.
LOCK: Final = Statement(
    text("""
        INSERT INTO principal (tenant_id, principal_id) VALUES (:tenant_id, :principal_id)
        ON CONFLICT (tenant_id, principal_id) DO UPDATE SET locale = principal.locale
    """).bindparams(TENANT, PRINCIPAL)
)
COUNT: Final = Statement(
    select(func.count())
    .select_from(api_key)
    .where(api_key.c.tenant_id == TENANT, api_key.c.principal_id == PRINCIPAL, _LIVE)
)
_IN_ORDER: Final = (api_key.c.created_at.desc(), api_key.c.key_id.desc())
_PAGE: Final = (
    select(*_COLUMNS)
    .where(api_key.c.tenant_id == TENANT)
    .order_by(*_IN_ORDER)
    .limit(bindparam("limit", type_=Whole))
)
FIRST: Final = Statement(_PAGE)
NEXT: Final = Statement(
    _PAGE.where(
        tuple_(api_key.c.created_at, api_key.c.key_id)
        < tuple_(bindparam("before_at", type_=Micros()), bindparam("before_id", type_=Words))
    )
)
_MINE: Final = and_(api_key.c.tenant_id == TENANT, api_key.c.key_id == _KEY)
REVOKE: Final = Statement(
    update(api_key).where(_MINE).values(revoked_at=func.coalesce(api_key.c.revoked_at, _NOW))
)
_DAY: Final = bindparam("day", type_=Words)
USED: Final = Statement(
    update(api_key)
    .where(_MINE, or_(api_key.c.last_used_day.is_(None), api_key.c.last_used_day < _DAY))
    .values(last_used_day=_DAY)
)


class SqlKeys:
    """API keys by their public id, behind a URL or on a store's database."""

    def __init__(self, where: str | Database, *, pgbouncer: bool = False) -> None:
        self._database = opened(where, pgbouncer=pgbouncer)

    def find(self, key_id: str) -> KeyRecord | None:
        """Return the key with this id, of whatever tenant."""
        params = {"key_id": key_id}

        def read(session: Session) -> list[Row]:
            bind = [] if session.engine_name == SQLITE else [Call(BIND_KEY, params)]
            return session.run(*bind, Call(FIND, params), commit=True)[-1].rows

        return next(iter(_records(self._database.read("", read))), None)

    def add(
        self, record: KeyRecord, *, live_limit: int, now: datetime, claim: Claim | None = None
    ) -> Added:
        """Keep a new key with its claim, in one transaction; see the port."""
        whose = {"tenant_id": record.tenant_id, "principal_id": record.principal_id}
        counting = (Call(LOCK, whose), Call(COUNT, whose | {"now": now}))

        def write(session: Session) -> Added:
            replay, before = _reserve(session, record.tenant_id, claim)
            if replay:
                return Added(replay=replay)
            if session.run(*counting)[1].rows[0][0] >= live_limit:
                return Added(full=True)
            answer = [Call(ANSWERED, {**before, **_answer(claim, now)})] if claim else []
            session.run(Call(INSERT, _row(record)), *answer, commit=True)
            return Added()

        return self._database.write(record.tenant_id, write)

    def keys(
        self, tenant_id: str, *, before: tuple[datetime, str] | None = None, limit: int = 50
    ) -> tuple[KeyRecord, ...]:
        """Return keys newest first by (created_at, key_id), revoked ones too, after a cursor."""
        params: dict[str, Any] = {"tenant_id": tenant_id, "limit": limit}
        if before:
            params |= {"before_at": before[0], "before_id": before[1]}
        call = Call(NEXT if before else FIRST, params)
        return _records(self._database.rows(tenant_id, call))

    def revoke(
        self, tenant_id: str, key_id: str, *, now: datetime, claim: Claim | None = None
    ) -> bool:
        """Revoke a key, and keep its claim in the same transaction; see the port."""
        call = Call(REVOKE, {"tenant_id": tenant_id, "key_id": key_id, "now": now})
        if claim is None:
            return self._touch(tenant_id, call)

        def write(session: Session) -> bool:
            replay, before = _reserve(session, tenant_id, claim)
            if replay:
                return _same_request(replay, claim)
            if not session.run(call)[0].touched:
                return False
            session.run(Call(ANSWERED, {**before, **_answer(claim, now)}), commit=True)
            return True

        return self._database.write(tenant_id, write)

    def note_use(self, tenant_id: str, key_id: str, day: date) -> None:
        """Record the day of the last use; an earlier day or an unknown key changes nothing."""
        params = {"tenant_id": tenant_id, "key_id": key_id, "day": day.isoformat()}
        self._touch(tenant_id, Call(USED, params))

    def _touch(self, tenant_id: str, call: Call) -> bool:
        return self._database.write(
            tenant_id, lambda session: session.run(call, commit=True)[0].touched > 0
        )

    def close(self) -> None:
        """Give back every connection."""
        self._database.close()


def _reserve(
    session: Session, tenant_id: str, claim: Claim | None
) -> tuple[Replay | None, Mapping[str, Any]]:
    if claim is None:
        return None, {}
    key = claim.idempotency
    params = {
        "tenant_id": tenant_id,
        "principal_id": claim.principal_id,
        "route": key.route,
        "key": key.key,
        "request_hash": key.request_hash,
    }
    rows = session.run(Call(RESERVE, params), Call(REPLAY, params))[1].rows
    return replay_of(rows), params


def _same_request(replay: Replay, claim: Claim) -> bool:
    """Return True where the first answer under the claim's key is this very request's.

    Raises:
        IdempotencyKeyReusedError: it is another's.
    """
    if replay.request_hash != claim.idempotency.request_hash:
        raise IdempotencyKeyReusedError
    return True


def _answer(claim: Claim, now: datetime) -> dict[str, Any]:
    return {"receipt": receipt_text(claim.receipt), "recorded_at": now}


def _row(record: KeyRecord) -> dict[str, Any]:
    row = {column.name: getattr(record, column.name) for column in _COLUMNS}
    day = record.last_used_day.isoformat() if record.last_used_day else None
    return row | {"rights": canonical(sorted(record.rights)), "last_used_day": day}


def _records(rows: Sequence[Row]) -> tuple[KeyRecord, ...]:
    return tuple(_record(dict(zip(api_key.c.keys(), row, strict=True))) for row in rows)


def _record(row: dict[str, Any]) -> KeyRecord:
    day = row.pop("last_used_day")
    rights = frozenset(json.loads(row.pop("rights")))
    return KeyRecord(**row, rights=rights, last_used_day=date.fromisoformat(day) if day else None)
