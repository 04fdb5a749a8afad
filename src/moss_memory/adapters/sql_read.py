"""Reads by id: one statement each, in a READ ONLY transaction of one flight."""

import json
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import bindparam, select

from moss_memory.adapters.sql_call import AnyOf, Row, Statement
from moss_memory.adapters.sql_open import TENANT
from moss_memory.adapters.sql_rows import ERASED, REVISION, WITH_WORDS
from moss_memory.adapters.sql_tables import (
    chat_history,
    decision,
    decision_memory,
    erasure,
    memory_revision,
    payload,
)
from moss_memory.adapters.sql_types import Words
from moss_memory.flow.ports import Chat, Decision

MEMORY: Final = bindparam("memory_id", type_=Words)

REVISIONS: Final = Statement(
    select(*REVISION)
    .select_from(WITH_WORDS)
    .where(memory_revision.c.tenant_id == TENANT, memory_revision.c.memory_id == MEMORY)
    .order_by(memory_revision.c.revision)
)
EXACT: Final = Statement(
    select(*REVISION)
    .select_from(WITH_WORDS)
    .where(
        memory_revision.c.tenant_id == TENANT,
        AnyOf(memory_revision.c.memory_id, "memory_ids"),
        AnyOf(payload.c.payload_id, "payload_ids"),
    )
)

_gone: Final = select(erasure.c.erasure_id).where(
    erasure.c.tenant_id == decision.c.tenant_id, erasure.c.principal_id == decision.c.actor
)
_DECISION: Final = [
    *(c for c in decision.c if c.name not in {"tenant_id", "space_id", "epoch"}),
    _gone.exists().label("gone"),
    decision_memory.c.memory_id,
    decision_memory.c.revision,
]
_NAMING: Final = decision.outerjoin(
    decision_memory,
    (decision_memory.c.tenant_id == decision.c.tenant_id)
    & (decision_memory.c.decision_id == decision.c.decision_id),
)
_in_order: Final = (decision.c.recorded_at, decision.c.decision_id, decision_memory.c.memory_id)
DECISION: Final = Statement(
    select(*_DECISION)
    .select_from(_NAMING)
    .where(
        decision.c.tenant_id == TENANT,
        decision.c.decision_id == bindparam("decision_id", type_=Words),
    )
    .order_by(*_in_order)
)
HELD: Final = Statement(
    select(*_DECISION)
    .select_from(_NAMING)
    .where(
        decision.c.tenant_id == TENANT,
        decision.c.pending_id == bindparam("pending_id", type_=Words),
    )
    .order_by(*_in_order)
)
_naming: Final = select(decision_memory.c.decision_id).where(
    decision_memory.c.tenant_id == TENANT, decision_memory.c.memory_id == MEMORY
)
DECISIONS: Final = Statement(
    select(*_DECISION)
    .select_from(_NAMING)
    .where(decision.c.tenant_id == TENANT, decision.c.decision_id.in_(_naming))
    .order_by(*_in_order)
)
CHATS: Final = Statement(
    select(*(c for c in chat_history.c if c.name not in {"tenant_id", "recorded_at"})).where(
        chat_history.c.tenant_id == TENANT, AnyOf(chat_history.c.chat_id, "chat_ids")
    )
)


def decisions_of(rows: Sequence[Row]) -> tuple[Decision, ...]:
    """Read decisions off rows that repeat for each memory named; order is kept."""
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row[0], []).append(row)
    return tuple(_decision(group) for group in grouped.values())


def _decision(group: Sequence[Row]) -> Decision:
    (
        decision_id, outcome, rule_ids, rules_version, supports, contradicts, findings,
        actor, chat_id, pending_id, recorded_at, gone, _, _,
    ) = group[0]  # fmt: skip
    named = tuple((row[-2], row[-1]) for row in group if row[-2] is not None)
    return Decision(
        decision_id=decision_id,
        outcome=outcome,
        rule_ids=tuple(json.loads(rule_ids)),
        rules_version=rules_version,
        supports=tuple(json.loads(supports)),
        contradicts=tuple(json.loads(contradicts)),
        actor=ERASED if gone else actor,
        chat_id=chat_id,
        pending_id=pending_id,
        memories=named,
        findings=tuple(json.loads(findings)),
        recorded_at=recorded_at,
    )


def chat_of(row: Row) -> Chat:
    """Read ``CHATS``."""
    fields: dict[str, Any] = dict(zip(_CHAT, row, strict=True))
    return Chat(**fields)


_CHAT: Final = tuple(
    c.name for c in chat_history.c if c.name not in {"tenant_id", "recorded_at"}
)  # fmt: skip
