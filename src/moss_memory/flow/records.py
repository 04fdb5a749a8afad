"""Memories as lists tell them: flat and as they are stored, since most of them are only told on."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from moss_memory.core.fact import EventStatus, InactiveReason, Memory, Source, Transparency
from moss_memory.core.when import to_json
from moss_memory.flow.store_values import Space

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

Micros = int  # an instant: microseconds since 1970-01-01 UTC


class Record(NamedTuple):
    """One revision of a kept fact with all that is told of it; what is meant is ``core.fact``'s.

    ``when`` is spelled as ``core.when.to_json`` does. Two records that are equal are told alike.
    """

    memory_id: str
    revision: int
    tenant_id: str
    principal_id: str
    scope_id: str
    domain: str
    predicate: str
    subject: str
    object_value: str
    when: dict[str, Any] | None
    event_status: EventStatus
    transparency: Transparency
    buffer_before: int
    buffer_after: int
    source: Source
    confidence: float
    source_ref: str | None
    observed_at: Micros
    expires_at: Micros | None
    hard: bool
    active: bool
    inactive_reason: InactiveReason | None
    valid_from: Micros
    valid_until: Micros
    recorded_at: Micros
    created_at: Micros
    derived_from: str | None
    decision_id: str
    created_by_chat_id: str | None
    invalidated_by_chat_id: str | None
    parser: str | None
    model: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """A page of records; as ``Page``."""

    items: tuple[Record, ...]
    more: bool = False
    known_epoch: Mapping[Space, int] | None = None


def micros(at: datetime) -> Micros:
    """Return an aware instant as a record has it."""
    return (at - _EPOCH) // _MICROSECOND


def record_of(memory: Memory) -> Record:
    """Return a memory as a list would tell it."""
    fact, origin = memory.fact, memory.provenance
    return Record(
        memory_id=memory.memory_id,
        revision=memory.revision,
        tenant_id=memory.tenant_id,
        principal_id=memory.principal_id,
        scope_id=fact.scope_id,
        domain=fact.domain,
        predicate=fact.predicate,
        subject=fact.subject,
        object_value=fact.object_value,
        when=None if fact.when is None else to_json(fact.when),
        event_status=fact.status,
        transparency=fact.transparency,
        buffer_before=fact.buffer_before,
        buffer_after=fact.buffer_after,
        source=fact.source,
        confidence=fact.confidence,
        source_ref=fact.source_ref,
        observed_at=micros(fact.observed_at),
        expires_at=None if fact.expires_at is None else micros(fact.expires_at),
        hard=fact.hard,
        active=memory.active,
        inactive_reason=memory.inactive_reason,
        valid_from=micros(memory.valid_from),
        valid_until=micros(memory.valid_until),
        recorded_at=micros(memory.recorded_at),
        created_at=micros(memory.created_at),
        derived_from=memory.derived_from,
        decision_id=origin.decision_id,
        created_by_chat_id=origin.created_by_chat_id,
        invalidated_by_chat_id=origin.invalidated_by_chat_id,
        parser=origin.parser,
        model=origin.model,
    )
