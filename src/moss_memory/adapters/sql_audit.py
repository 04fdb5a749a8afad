"""The store's invariants asked of the database itself, for a nightly run and after every fault.

Each is a query for what must not be; the chains are ``sql_chain``'s.
"""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import and_, func, or_, select

from moss_memory.adapters.sql_call import Call, Result, Statement
from moss_memory.adapters.sql_database import Database
from moss_memory.adapters.sql_open import TENANT
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_tables import (
    commit_log,
    decision,
    idempotency,
    memory_head,
    memory_revision,
    occurrence,
    space,
    waiver,
)

AUDIT_SECONDS: Final = 600
_a: Final = occurrence.alias("a")
_b: Final = occurrence.alias("b")
_waived: Final = (
    select(waiver.c.a)
    .where(
        waiver.c.tenant_id == _a.c.tenant_id,
        waiver.c.a == _a.c.memory_id,
        waiver.c.a_revision == _a.c.revision,
        waiver.c.b == _b.c.memory_id,
        waiver.c.b_revision == _b.c.revision,
    )
    .exists()
)
_living: Final = and_(
    *(
        or_(each.c.expires_at.is_(None), each.c.expires_at > space.c.recorded_at)
        for each in (_a, _b)
    )
)
OVERLAPS: Final = Statement(
    select(func.count())
    .select_from(_a)
    .join(
        _b,
        and_(
            _b.c.tenant_id == _a.c.tenant_id,
            _b.c.space_id == _a.c.space_id,
            _b.c.slot == _a.c.slot,
            _b.c.guard == _a.c.guard,
            _b.c.memory_id > _a.c.memory_id,
            _b.c.starts_at < _a.c.ends_at,
            _b.c.ends_at > _a.c.starts_at,
        ),
    )
    .join(space, and_(space.c.tenant_id == _a.c.tenant_id, space.c.space_id == _a.c.space_id))
    .where(_a.c.tenant_id == TENANT, or_(_a.c.lane != _b.c.lane, _a.c.alone), _living, ~_waived)
)


def _newest(column: Any, *same: Any) -> Any:
    return select(func.max(column)).where(*same).scalar_subquery()


STALE_HEADS: Final = Statement(
    select(func.count())
    .select_from(memory_head)
    .where(
        memory_head.c.tenant_id == TENANT,
        memory_head.c.revision
        != _newest(
            memory_revision.c.revision,
            memory_revision.c.tenant_id == memory_head.c.tenant_id,
            memory_revision.c.memory_id == memory_head.c.memory_id,
        ),
    )
)
GAPS: Final = Statement(
    select(func.count())
    .select_from(space)
    .where(
        space.c.tenant_id == TENANT,
        space.c.epoch
        != select(func.count())
        .select_from(commit_log)
        .where(
            commit_log.c.tenant_id == space.c.tenant_id,
            commit_log.c.space_id == space.c.space_id,
        )
        .scalar_subquery(),
    )
)
UNDECIDED: Final = Statement(
    select(func.count())
    .select_from(
        memory_revision.outerjoin(
            decision,
            and_(
                decision.c.tenant_id == memory_revision.c.tenant_id,
                decision.c.decision_id == memory_revision.c.decision_id,
            ),
        )
    )
    .where(memory_revision.c.tenant_id == TENANT, decision.c.decision_id.is_(None))
)
UNANSWERED: Final = Statement(
    select(func.count())
    .select_from(idempotency)
    .where(idempotency.c.tenant_id == TENANT, idempotency.c.receipt.is_(None))
)
INVARIANTS: Final[Mapping[str, Statement]] = {
    "unwaived_overlaps": OVERLAPS,
    "stale_heads": STALE_HEADS,
    "epoch_gaps": GAPS,
    "undecided_revisions": UNDECIDED,
    "unanswered_keys": UNANSWERED,
}


def audit(database: Database, tenant_id: str) -> Mapping[str, int]:
    """Return how often each invariant is broken, by its name; all zero in a sound store."""
    calls = [Call(each, {"tenant_id": tenant_id}) for each in INVARIANTS.values()]

    def count(session: Session) -> list[Result]:
        session.take_time(AUDIT_SECONDS)
        return session.run(*calls)

    results = database.read(tenant_id, count)
    return {name: each.rows[0][0] for name, each in zip(INVARIANTS, results, strict=True)}
