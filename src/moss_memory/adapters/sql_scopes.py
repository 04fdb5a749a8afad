"""The ScopeStore port on SQLite and PostgreSQL: scopes, and grants that end what was cached."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, bindparam, delete, literal_column, or_, select, text

from moss_memory.adapters.sql_call import Call, Row, Statement
from moss_memory.adapters.sql_database import Database, opened
from moss_memory.adapters.sql_open import PRINCIPAL, RESERVE, TENANT
from moss_memory.adapters.sql_seal import uuid7
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_slots import Slots
from moss_memory.adapters.sql_tables import api_key, grant, memory_head, principal, scope, space
from moss_memory.adapters.sql_transact import Transactor
from moss_memory.adapters.sql_types import Flag, Whole, Words
from moss_memory.adapters.sql_write import ANSWERED, receipt_text
from moss_memory.core.access import Grant, Scope
from moss_memory.core.ontology import Ontology
from moss_memory.flow.ports import Change, Decision, Entry, Frame, Loaded, Opened, Step
from moss_memory.flow.ports_access import Claim

_SCOPE: Final = bindparam("scope_id", type_=Words)
_COLUMNS: Final = (scope.c.scope_id, scope.c.kind, scope.c.approver_must_differ)

ONE: Final = Statement(
    select(*_COLUMNS).where(scope.c.tenant_id == TENANT, scope.c.scope_id == _SCOPE)
)
PAGE: Final = Statement(
    select(*_COLUMNS)
    .where(scope.c.tenant_id == TENANT, scope.c.scope_id > bindparam("after", type_=Words))
    .order_by(scope.c.scope_id)
    .limit(bindparam("limit", type_=Whole))
)
PUT: Final = Statement(
    text("""
        INSERT INTO scope (tenant_id, scope_id, kind, approver_must_differ)
        VALUES (:tenant_id, :scope_id, :kind, :differ)
        ON CONFLICT (tenant_id, scope_id) DO UPDATE
        SET kind = excluded.kind, approver_must_differ = excluded.approver_must_differ
    """).bindparams(
        TENANT, _SCOPE, bindparam("kind", type_=Words), bindparam("differ", type_=Flag())
    )
)
GRANT: Final = Statement(
    text("""
        INSERT INTO "grant" (tenant_id, scope_id, principal_id, visible, writable)
        VALUES (:tenant_id, :scope_id, :principal_id, :visible, :writable)
        ON CONFLICT (tenant_id, scope_id, principal_id) DO UPDATE
        SET visible = excluded.visible, writable = excluded.writable
    """).bindparams(
        TENANT, _SCOPE, PRINCIPAL,
        bindparam("visible", type_=Flag()), bindparam("writable", type_=Flag()),
    )
)  # fmt: skip
_GRANTED: Final = (
    grant.c.tenant_id == TENANT, grant.c.scope_id == _SCOPE, grant.c.principal_id == PRINCIPAL
)  # fmt: skip
GRANTED: Final = Statement(select(grant.c.visible).where(*_GRANTED))
UNGRANT: Final = Statement(delete(grant).where(*_GRANTED))
SPACES: Final = Statement(
    select(space.c.owner, space.c.domain).where(
        space.c.tenant_id == TENANT, space.c.owner == PRINCIPAL, space.c.domain != ""
    )
)
_one: Final[ColumnElement[Any]] = literal_column("1")
EXISTS: Final = Statement(
    select(_one).where(
        or_(
            select(_one)
            .where(api_key.c.tenant_id == TENANT, api_key.c.principal_id == PRINCIPAL)
            .exists(),
            select(_one)
            .where(principal.c.tenant_id == TENANT, principal.c.principal_id == PRINCIPAL)
            .exists(),
            select(_one)
            .where(
                memory_head.c.tenant_id == TENANT,
                memory_head.c.scope_id == PRINCIPAL,
                memory_head.c.principal_id == PRINCIPAL,
            )
            .exists(),
        )
    )
)


class SqlScopes:
    """Scopes and grants, behind a URL or on a store's database."""

    def __init__(
        self,
        where: str | Database,
        *,
        pgbouncer: bool = False,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self._database = opened(where, pgbouncer=pgbouncer)
        self._transactor = Transactor(self._database, Slots(Ontology()), clock=clock)

    def scope(self, tenant_id: str, scope_id: str) -> Scope | None:
        """Return a scope that was put, None for one that never was."""
        call = Call(ONE, {"tenant_id": tenant_id, "scope_id": scope_id})
        return next(iter(_scopes(self._database.rows(tenant_id, call))), None)

    def principal_exists(self, tenant_id: str, principal_id: str) -> bool:
        """Tell whether this principal holds a key, a setting or a memory of its own."""
        call = Call(EXISTS, {"tenant_id": tenant_id, "principal_id": principal_id})
        return bool(self._database.rows(tenant_id, call))

    def put_scope(self, tenant_id: str, scope: Scope) -> None:
        """Make or change a scope."""
        params = {"scope_id": scope.scope_id, "kind": scope.kind}
        call = Call(PUT, {"tenant_id": tenant_id, "differ": scope.approver_must_differ, **params})
        self._database.write(tenant_id, lambda session: session.run(call, commit=True))

    def scopes(
        self, tenant_id: str, *, after: str | None = None, limit: int = 50
    ) -> tuple[Scope, ...]:
        """Return scopes by id, those after ``after`` in code point order."""
        params = {"tenant_id": tenant_id, "after": after or "", "limit": limit}
        return _scopes(self._database.rows(tenant_id, Call(PAGE, params)))

    def put_grant(self, tenant_id: str, principal_id: str, grant: Grant) -> None:
        """Make or change what a principal may do in an existing scope.

        The epochs of the principal's spaces are raised with it, which no cached fact outlives.
        """
        may = {"visible": grant.visible, "writable": grant.writable}
        whose = _whose(tenant_id, principal_id, grant.scope.scope_id)
        self._record(tenant_id, principal_id, "GRANTED", Call(GRANT, {**whose, **may}))

    def delete_grant(
        self, tenant_id: str, principal_id: str, scope_id: str, *, claim: Claim | None = None
    ) -> bool:
        """Remove a grant, with the same effect on caches and its claim; see the port."""
        whose = _whose(tenant_id, principal_id, scope_id)
        if not self._database.rows(tenant_id, Call(GRANTED, whose)):
            return False
        self._record(tenant_id, principal_id, "GRANT_REVOKED", Call(UNGRANT, whose), claim)
        return True

    def _record(
        self,
        tenant_id: str,
        principal_id: str,
        outcome: str,
        call: Call,
        claim: Claim | None = None,
    ) -> None:
        whose = {"tenant_id": tenant_id, "principal_id": principal_id}
        spaces = self._database.rows(tenant_id, Call(SPACES, whose))
        entry = Entry(
            tenant_id=tenant_id,
            principal_id=principal_id,
            request_id="",
            writes=frozenset((owner, domain) for owner, domain in spaces),
        )

        def decide(opened: Opened, _loaded: Loaded) -> Step[None]:
            decision = Decision(
                decision_id=uuid7(opened.recorded_at), outcome=outcome, actor="scope:admin"
            )
            return Step(None, Change(operation="grant", decision=decision))

        def also(_session: Session, opened: Opened) -> list[Call]:
            return [call, *_claimed(tenant_id, claim, opened.recorded_at)]

        self._transactor.transact(entry, lambda _: Frame(), decide, also=also)

    def close(self) -> None:
        """Give back every connection."""
        self._database.close()


def _claimed(tenant_id: str, claim: Claim | None, at: datetime) -> list[Call]:
    """Return what keeps the claim's answer."""
    if claim is None:
        return []
    key = claim.idempotency
    whose = {"tenant_id": tenant_id, "principal_id": claim.principal_id}
    place = {**whose, "route": key.route, "key": key.key}
    answer = {"receipt": receipt_text(claim.receipt), "recorded_at": at}
    reserve = Call(RESERVE, {**place, "request_hash": key.request_hash})
    return [reserve, Call(ANSWERED, {**place, **answer})]


def _whose(tenant_id: str, principal_id: str, scope_id: str) -> dict[str, Any]:
    return {"tenant_id": tenant_id, "principal_id": principal_id, "scope_id": scope_id}


def _scopes(rows: Sequence[Row]) -> tuple[Scope, ...]:
    return tuple(
        Scope(scope_id=scope_id, kind=kind, approver_must_differ=differ)
        for scope_id, kind, differ in rows
    )
