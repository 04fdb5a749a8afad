"""The first flight of a write: claim the spaces, then read what the decision rests on.

The spaces' epochs are raised before anything else is read, at READ COMMITTED, so each read
sees all that was committed before the claim, and the rows are ours until the end.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    Column,
    ColumnElement,
    bindparam,
    column,
    func,
    literal_column,
    not_,
    select,
    text,
    union_all,
)

from moss_memory.adapters.sql_call import AnyOf, Call, Result, Row, Statement
from moss_memory.adapters.sql_rows import HEAD, Stored, stored_of
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_slots import space_id
from moss_memory.adapters.sql_tables import (
    commit_log,
    decision,
    erasure,
    grant,
    idempotency,
    memory_head,
    pending_outcome,
    principal,
    scope,
    space,
)
from moss_memory.adapters.sql_types import Micros, Whole, Words
from moss_memory.core.access import Grant, Scope
from moss_memory.flow.ports import (
    Entry,
    Opened,
    Outcome,
    Receipt,
    Replay,
    Space,
    Standing,
)

TENANT: Final = bindparam("tenant_id", type_=Words)
PRINCIPAL: Final = bindparam("principal_id", type_=Words)

_CLAIM: Final = """
    INSERT INTO space (tenant_id, space_id, owner, domain, epoch, recorded_at)
    VALUES (:tenant_id, :space_id, :owner, :domain, 1, coalesce(:now, {clock}))
    ON CONFLICT (tenant_id, space_id) DO UPDATE
    SET epoch = space.epoch + 1,
        recorded_at = {greatest}(space.recorded_at + 1, coalesce(:now, {clock}))
    RETURNING epoch, recorded_at
"""
# Read after the row lock was waited for: now() would be when the transaction began.
_PG_CLOCK: Final = "(extract(epoch from clock_timestamp()) * 1000000)::bigint"
_SQLITE_CLOCK: Final = "CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)"


def _claiming(clock: str, greatest: str) -> Any:
    made = text(_CLAIM.format(clock=clock, greatest=greatest))
    made = made.bindparams(
        TENANT,
        bindparam("space_id", type_=Words),
        bindparam("owner", type_=Words),
        bindparam("domain", type_=Words),
        bindparam("now", type_=Micros()),
    )
    return made.columns(column("epoch", Whole), column("recorded_at", Micros()))


CLAIM: Final = Statement(
    sqlite=_claiming(_SQLITE_CLOCK, "max"), postgresql=_claiming(_PG_CLOCK, "greatest")
)

# A scalar look-up by the whole key: as a join, SQLite reads every commit of the space instead.
# As a range in the key's order, or PostgreSQL may, before it has statistics, do so as well.
_last: Final = (
    select(commit_log.c.hash)
    .where(
        commit_log.c.tenant_id == space.c.tenant_id,
        commit_log.c.space_id == space.c.space_id,
        commit_log.c.epoch >= literal_column("space.epoch - 1"),
        commit_log.c.epoch < literal_column("space.epoch"),
    )
    .order_by(commit_log.c.epoch)
    .limit(literal_column("1"))
    .scalar_subquery()
)
CHAIN: Final = Statement(
    select(space.c.space_id, _last).where(
        space.c.tenant_id == TENANT, AnyOf(space.c.space_id, "space_ids")
    )
)


def _unknown(like: Column[bool], name: str) -> ColumnElement[bool]:
    return literal_column("NULL", like.type).label(name)


# From the grants to their scopes: as a condition on the scopes, both engines read all of a tenant.
# A scope that bears the principal's own id counts without any grant.
_reached: Final = union_all(
    select(grant.c.scope_id, grant.c.visible, grant.c.writable)
    .where(grant.c.tenant_id == TENANT, grant.c.principal_id == PRINCIPAL),
    select(
        PRINCIPAL.label("scope_id"),
        _unknown(grant.c.visible, "visible"),
        _unknown(grant.c.writable, "writable"),
    ),
).subquery("reached")  # fmt: skip
STANDING: Final = Statement(
    select(
        principal.c.timezone,
        principal.c.locale,
        select(func.count()).select_from(erasure)
        .where(erasure.c.tenant_id == TENANT, erasure.c.principal_id == PRINCIPAL)
        .scalar_subquery(),
        scope.c.scope_id,
        scope.c.kind,
        scope.c.approver_must_differ,
        _reached.c.visible,
        _reached.c.writable,
    )
    .select_from(_reached)
    .outerjoin(
        principal, (principal.c.tenant_id == TENANT) & (principal.c.principal_id == PRINCIPAL)
    )
    .outerjoin(
        scope, (scope.c.tenant_id == TENANT) & (scope.c.scope_id == _reached.c.scope_id)
    )
    .order_by(scope.c.scope_id)
)  # fmt: skip

NEWEST: Final = Statement(
    select(*HEAD).where(
        memory_head.c.tenant_id == TENANT,
        AnyOf(memory_head.c.memory_id, "memory_ids"),
        not_(memory_head.c.erased),
    )
)

OUTCOME: Final = Statement(
    select(
        pending_outcome.c.principal_id,
        pending_outcome.c.action,
        pending_outcome.c.receipt,
        pending_outcome.c.successor,
    ).where(
        pending_outcome.c.tenant_id == TENANT,
        pending_outcome.c.pending_id == bindparam("pending_id", type_=Words),
    )
)

_same_key: Final = (
    (idempotency.c.tenant_id == TENANT)
    & (idempotency.c.principal_id == PRINCIPAL)
    & (idempotency.c.route == bindparam("route", type_=Words))
    & (idempotency.c.key == bindparam("key", type_=Words))
)
REPLAY: Final = Statement(
    select(idempotency.c.request_hash, idempotency.c.receipt).where(_same_key)
)
# Waits for a running transaction with the same key, up to the lock timeout.
RESERVE: Final = Statement(
    text("""
        INSERT INTO idempotency (tenant_id, principal_id, route, key, request_hash, recorded_at)
        VALUES (:tenant_id, :principal_id, :route, :key, :request_hash, 0)
        ON CONFLICT DO NOTHING
    """).bindparams(
        *(
            bindparam(name, type_=Words)
            for name in ("tenant_id", "principal_id", "route", "key", "request_hash")
        )
    )
)
COMMITTED: Final = Statement(
    select(decision.c.decision_id).where(
        decision.c.tenant_id == TENANT,
        decision.c.decision_id == bindparam("decision_id", type_=Words),
    )
)


@dataclass(slots=True)
class Claimed:
    """What the claim found, with what the write will follow on from."""

    opened: Opened
    epochs: Mapping[Space, int]  # of all claimed spaces, in the order of the claim
    chain: Mapping[str, bytes]  # space id -> hash of its last commit
    late: frozenset[Space]  # spaces whose own instant is before ``opened.recorded_at``
    committed: bool = False  # the decision asked for is there
    seen: dict[str, Stored] = field(default_factory=dict)


def spaces_of(entry: Entry) -> tuple[Space, ...]:
    """Return the spaces to claim, in the one order that all writers keep, whoever they are.

    A change without a space (a zone, a grant) is recorded in the principal's own, unnamed domain.
    An order by the writer (the own space first) let two principals wait for each other.
    """
    return tuple(sorted(entry.writes or {(entry.principal_id, "")}, key=space_id))


def claim(
    session: Session,
    entry: Entry,
    *,
    now: datetime | None,
    decision_id: str | None,
    meanwhile: Callable[[], Sequence[Call]] = tuple,
) -> tuple[Claimed, list[Result]]:
    """Claim the entry's spaces and look up what it names, in one flight.

    Args:
        session: a write that has not begun.
        entry: as the flow made it.
        now: the instant of recording, before monotony; None asks the database.
        decision_id: of an earlier try whose COMMIT was not answered.
        meanwhile: makes calls to run under the claim while the server is at work on it.

    Returns:
        What the claim found, and the results of the calls that ``meanwhile`` made.
    """
    order = spaces_of(entry)
    calls = _lookups(entry, order, decision_id)
    claims = [_claim_call(entry.tenant_id, each, now) for each in order]
    reserve = [Call(RESERVE, _key_params(entry))] if entry.idempotency else []
    session.send(*reserve, *claims, *calls.values())
    results = session.run(*meanwhile())[len(reserve) :]
    epochs = [result.rows[0] for result in results[: len(claims)]]
    looked_up, more = results[len(claims) :][: len(calls)], results[len(claims) + len(calls) :]
    return _claimed(entry, order, epochs, dict(zip(calls, looked_up, strict=True))), more


def _claim_call(tenant_id: str, each: Space, now: datetime | None) -> Call:
    owner, domain = each
    params = {"tenant_id": tenant_id, "space_id": space_id(each), "now": now}
    return Call(CLAIM, params | {"owner": owner, "domain": domain})


def _key_params(entry: Entry) -> dict[str, Any]:
    key = entry.idempotency
    assert key is not None
    whose = {"tenant_id": entry.tenant_id, "principal_id": entry.principal_id}
    return whose | {"route": key.route, "key": key.key, "request_hash": key.request_hash}


def _lookups(entry: Entry, order: tuple[Space, ...], decision_id: str | None) -> dict[str, Call]:
    tenant = {"tenant_id": entry.tenant_id}
    calls = {
        "chain": Call(CHAIN, tenant | {"space_ids": [space_id(each) for each in order]}),
        "standing": Call(STANDING, tenant | {"principal_id": entry.principal_id}),
    }
    if entry.idempotency:
        calls["replay"] = Call(REPLAY, _key_params(entry))
    if entry.memory_ids:
        calls["memories"] = Call(NEWEST, tenant | {"memory_ids": entry.memory_ids})
    if entry.pending_id:
        calls["outcome"] = Call(OUTCOME, tenant | {"pending_id": entry.pending_id})
    if decision_id:
        calls["committed"] = Call(COMMITTED, tenant | {"decision_id": decision_id})
    return calls


def _claimed(
    entry: Entry, order: tuple[Space, ...], epochs: list[Row], found: Mapping[str, Result]
) -> Claimed:
    recorded_at = max(at for _, at in epochs)
    rows = {name: result.rows for name, result in found.items()}
    seen = {
        stored.memory.memory_id: stored
        for stored in (stored_of(row, entry.tenant_id) for row in rows.get("memories", ()))
    }
    numbered = {each: epoch for each, (epoch, _) in zip(order, epochs, strict=True)}
    opened = Opened(
        recorded_at=recorded_at,
        epochs={each: epoch for each, epoch in numbered.items() if each[1]},
        standing=standing_of(rows["standing"]),
        memories={memory_id: stored.memory for memory_id, stored in seen.items()},
        outcome=outcome_of(rows.get("outcome", ()), entry.pending_id or ""),
        replay=replay_of(rows.get("replay", ())),
    )
    return Claimed(
        opened=opened,
        epochs=numbered,
        chain={identity: bytes(hash_) for identity, hash_ in rows["chain"] if hash_ is not None},
        late=frozenset(s for s, (_, at) in zip(order, epochs, strict=True) if at < recorded_at),
        committed=bool(rows.get("committed")),
        seen=seen,
    )


def standing_of(rows: Sequence[Row]) -> Standing:
    """Read ``STANDING``: one row a grant, and one of the scope of the principal's own id.

    That scope may have no row, and no grant: as a personal scope it is the principal's, as a
    shared one it is not, whoever came by that name first.
    """
    timezone, locale, erasures = rows[0][:3]
    grants: dict[str, Grant] = {}
    for _, _, _, scope_id, kind, differ, visible, writable in rows:
        if scope_id is None or (visible is None and scope_id in grants):
            continue
        grants[scope_id] = Grant(
            scope=Scope(scope_id=scope_id, kind=kind, approver_must_differ=differ),
            visible=kind == "personal" if visible is None else visible,
            writable=kind == "personal" if writable is None else writable,
        )
    return Standing(
        timezone=timezone, locale=locale, grants=tuple(grants.values()), erased=erasures > 0
    )


def outcome_of(rows: Sequence[Row], pending_id: str) -> Outcome | None:
    """Read ``OUTCOME``."""
    for principal_id, action, receipt, successor in rows:
        return Outcome(
            pending_id=pending_id,
            principal_id=principal_id,
            action=action,
            receipt=receipt_of(receipt),
            successor=successor,
        )
    return None


def replay_of(rows: Sequence[Row]) -> Replay | None:
    """Read ``REPLAY``."""
    for request_hash, receipt in rows:
        if receipt is not None:  # None: reserved by this very transaction
            return Replay(request_hash, receipt_of(receipt))
    return None


def receipt_of(stored: str) -> Receipt:
    """Read a receipt back."""
    data = json.loads(stored)
    return Receipt(
        kind=data["kind"],
        http_status=data["http_status"],
        decision_id=data["decision_id"],
        facts=tuple(map(tuple, data["facts"])),
        superseded=tuple(map(tuple, data["superseded"])),
        pending_id=data["pending_id"],
        data=data["data"],
    )
