"""A memory as the contract's JSON object: the one place that says how a revision is told.

Instants are UTC and end in ``Z``; ``FOREVER`` is null.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

import orjson

from moss_memory.api.view_shapes import MemoryShape, ProvenanceShape
from moss_memory.core.fact import MemoryType
from moss_memory.core.interval import FOREVER
from moss_memory.flow.records import Micros, Record, micros

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FOREVER: Final = micros(FOREVER)
_EXACT: Final = 2**32 * 1_000_000  # up to here a float of seconds tells microseconds apart


@lru_cache(maxsize=16384)  # a memory tells most of its instants twice, and a list over and over
def spelled(at: Micros) -> str:
    """Write an instant as RFC 3339."""
    if -_EXACT < at < _EXACT:  # a third of the time that the sum takes
        return instant(datetime.fromtimestamp(at / 1_000_000, UTC))
    return instant(_EPOCH + timedelta(microseconds=at))


def instant(at: datetime) -> str:
    """Write an aware instant as RFC 3339, a fraction of its second only where there is one."""
    moment = at if at.tzinfo is UTC else at.astimezone(UTC)
    return orjson.dumps(moment, None, orjson.OPT_UTC_Z)[1:-1].decode()


def optional(at: Micros | None) -> str | None:
    """Write an instant, null where there is none or it is never."""
    return None if at is None or at >= _FOREVER else spelled(at)


def is_expired(kept: Record, now: Micros) -> bool:
    """Tell whether an active memory has expired and only waits to be swept."""
    return kept.active and kept.expires_at is not None and kept.expires_at <= now


def shown(kept: Record, kind: MemoryType, now: Micros) -> MemoryShape:
    """Show one revision; what expired by ``now`` is inactive, whatever the store says."""
    (
        memory_id, revision, tenant_id, principal_id, scope_id, domain, predicate, subject,
        object_value, when, event_status, transparency, buffer_before, buffer_after, source,
        confidence, source_ref, observed_at, expires_at, hard, active, inactive_reason,
        valid_from, valid_until, recorded_at, created_at, derived_from, *_,
    ) = kept  # fmt: skip
    expired = is_expired(kept, now)
    recorded = spelled(recorded_at)
    return {
        "memory_id": memory_id,
        "revision": revision,
        "memory_type": kind,
        "namespace": {
            "tenant_id": tenant_id,
            "principal_id": principal_id,
            "domain": domain,
            "scope_id": scope_id,
        },
        "domain": domain,
        "subject": subject,
        "predicate": predicate,
        "object_value": object_value,
        "scope_id": scope_id,
        "when": when,
        "event_status": event_status,
        "transparency": transparency,
        "buffer_before": buffer_before,
        "buffer_after": buffer_after,
        "source": source,
        "confidence": confidence,
        "source_ref": source_ref,
        "observed_at": spelled(observed_at),
        "expires_at": optional(expires_at),
        "hard": hard,
        "status": "active" if active and not expired else "inactive",
        "inactive_reason": "expired" if expired else inactive_reason,
        "valid_from": spelled(valid_from),
        "valid_until": optional(valid_until),
        "recorded_at": recorded,
        "created_at": recorded if created_at == recorded_at else spelled(created_at),
        "updated_at": recorded,
        "derived_from": derived_from,
        "provenance": _provenance(kept),
    }


def _provenance(kept: Record) -> ProvenanceShape:
    return {
        "source": kept.source,
        "source_ref": kept.source_ref,
        "created_by_chat_id": kept.created_by_chat_id,
        "invalidated_by_chat_id": kept.invalidated_by_chat_id,
        "decision_id": kept.decision_id,
        "parser": kept.parser,
        "model": kept.model,
    }
