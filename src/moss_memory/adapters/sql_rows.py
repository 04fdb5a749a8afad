"""Rows and values: a memory as a revision row, a payload row and a head row, and back."""

import json
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import ColumnElement, case, func, select

from moss_memory.adapters.sql_call import Row
from moss_memory.adapters.sql_seal import Words, chained, fresh_salt, mac
from moss_memory.adapters.sql_slots import space_id
from moss_memory.adapters.sql_tables import erasure, memory_head, memory_revision, payload
from moss_memory.adapters.sql_types import canonical, instant, micros
from moss_memory.adapters.sql_when import dump_when, load_when
from moss_memory.core.fact import Fact, Memory, Provenance
from moss_memory.core.interval import Interval

ERASED: Final = "erased"  # the writer of what stays in shared scopes

# What both tables know, in the order in which ``memory_of`` reads a row.
FIELDS: Final = (
    "memory_id", "revision", "principal_id", "owner", "scope_id", "domain", "predicate",
    "time_spec", "zone", "windows", "valid_from", "valid_until", "open_ended", "event_status",
    "transparency", "buffer_before", "buffer_after", "source", "confidence", "observed_at",
    "expires_at", "hard", "active", "inactive_reason", "epoch", "recorded_at", "created_at",
    "derived_from", "decision_id", "created_by_chat_id", "invalidated_by_chat_id", "parser",
    "model", "hash",
)  # fmt: skip


def writer(table: Any) -> ColumnElement[Any]:
    """Return who wrote a row, as readers are told: nobody by name who was erased."""
    gone = select(erasure.c.erasure_id).where(
        erasure.c.tenant_id == table.c.tenant_id, erasure.c.principal_id == table.c.principal_id
    )
    return case((gone.exists(), ERASED), else_=table.c.principal_id).label("principal_id")


def _fields(table: Any) -> list[ColumnElement[Any]]:
    return [writer(table) if name == "principal_id" else table.c[name] for name in FIELDS]


HEAD: Final = [
    *_fields(memory_head),
    memory_head.c.subject,
    memory_head.c.object_value,
    memory_head.c.source_ref,
]
# Only with its words is a revision a memory: an inner join, so erased ones are nowhere.
REVISION: Final = [
    *_fields(memory_revision),
    func.coalesce(memory_revision.c.subject, payload.c.subject).label("subject"),
    payload.c.object_value,
    payload.c.source_ref,
]
WITH_WORDS: Final = memory_revision.join(
    payload,
    (payload.c.tenant_id == memory_revision.c.tenant_id)
    & (payload.c.payload_id == memory_revision.c.payload_id),
)


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory as read, with what its next revision follows on from."""

    memory: Memory
    hash: bytes


def memory_of(row: Row, tenant_id: str) -> Memory:
    """Read a memory off a row of ``HEAD`` or ``REVISION``."""
    return stored_of(row, tenant_id).memory


def stored_of(row: Row, tenant_id: str) -> Stored:
    """Read a memory and its chain off a row of ``HEAD`` or ``REVISION``.

    The same row gives the same object, as long as it is remembered. What was read decides it
    whole, its words and whoever wrote it among them: nothing remembered can be out of date.
    A series is read anew: its windows are many, and would be held with it.
    """
    return _remembered(row, tenant_id) if row[_WINDOWS] is None else _read(row, tenant_id)


def windows_of(row: Row) -> tuple[Interval, ...]:
    """Return the windows of a row of ``HEAD`` or ``REVISION``."""
    stored = row[_WINDOWS]
    return load_windows(stored) if stored else (Interval(row[_FROM], row[_UNTIL]),)


def place_of(row: Row) -> tuple[datetime, str]:
    """Return where in a list a row of ``HEAD`` or ``REVISION`` stands."""
    return row[_RECORDED], row[_ID]


def forget() -> None:
    """Let go of every row read: after an erasure its words are not to stay in this process."""
    _remembered.cache_clear()


def _read(row: Row, tenant_id: str) -> Stored:
    (
        memory_id, revision, principal_id, owner, scope_id, domain, predicate,
        time_spec, zone, windows, valid_from, valid_until, open_ended, event_status,
        transparency, buffer_before, buffer_after, source, confidence, observed_at,
        expires_at, hard, active, inactive_reason, epoch, recorded_at, created_at,
        derived_from, decision_id, created_by, invalidated_by, parser,
        model, hash_, subject, object_value, source_ref,
    ) = row  # fmt: skip
    fact = Fact(
        domain=domain, subject=subject, predicate=predicate, object_value=object_value,
        scope_id=scope_id, observed_at=observed_at, when=load_when(time_spec),
        status=event_status, transparency=transparency, buffer_before=buffer_before,
        buffer_after=buffer_after, source=source, confidence=confidence, source_ref=source_ref,
        expires_at=expires_at, hard=hard,
    )  # fmt: skip
    provenance = Provenance(
        decision_id=decision_id, created_by_chat_id=created_by,
        invalidated_by_chat_id=invalidated_by, parser=parser, model=model,
    )  # fmt: skip
    placed = load_windows(windows) if windows else (Interval(valid_from, valid_until),)
    memory = Memory(
        memory_id=memory_id, revision=revision, tenant_id=tenant_id, principal_id=principal_id,
        owner=owner, fact=fact, windows=placed, valid_from=valid_from, valid_until=valid_until,
        open_ended=open_ended, active=active, inactive_reason=inactive_reason, epoch=epoch,
        recorded_at=recorded_at, created_at=created_at, derived_from=derived_from,
        provenance=provenance, zone=zone,
    )  # fmt: skip
    return Stored(memory, bytes(hash_))


# A row becomes a memory in 22 us, and is found again in one: contexts read the same ones.
_remembered: Final = lru_cache(maxsize=4096)(_read)
_WINDOWS, _FROM, _UNTIL, _RECORDED, _ID = map(
    FIELDS.index, ("windows", "valid_from", "valid_until", "recorded_at", "memory_id")
)


@lru_cache(maxsize=512)
def load_windows(stored: str) -> tuple[Interval, ...]:
    """Read the windows of a series back."""
    ends = [instant(each) for each in json.loads(stored)]
    return tuple(Interval(*pair) for pair in zip(ends[::2], ends[1::2], strict=True))


def _dump_windows(memory: Memory) -> str | None:
    if memory.windows == (Interval(memory.valid_from, memory.valid_until),):
        return None
    return canonical([micros(at) for w in memory.windows for at in (w.start, w.end)])


def _shared(memory: Memory) -> dict[str, Any]:
    """Return what a revision row and a head row have in common, but for payload and chain."""
    fact, origin = memory.fact, memory.provenance
    return {
        "tenant_id": memory.tenant_id,
        "memory_id": memory.memory_id,
        "revision": memory.revision,
        "space_id": space_id((memory.owner, fact.domain)),
        "epoch": memory.epoch,
        "recorded_at": micros(memory.recorded_at),
        "created_at": micros(memory.created_at),
        "principal_id": memory.principal_id,
        "owner": memory.owner,
        "scope_id": fact.scope_id,
        "domain": fact.domain,
        "predicate": fact.predicate,
        "time_spec": dump_when(fact.when),
        "zone": memory.zone,
        "windows": _dump_windows(memory),
        "valid_from": micros(memory.valid_from),
        "valid_until": micros(memory.valid_until),
        "open_ended": memory.open_ended,
        "event_status": fact.status,
        "transparency": fact.transparency,
        "buffer_before": fact.buffer_before,
        "buffer_after": fact.buffer_after,
        "source": fact.source,
        "confidence": float(fact.confidence),
        "observed_at": micros(fact.observed_at),
        "expires_at": None if fact.expires_at is None else micros(fact.expires_at),
        "hard": fact.hard,
        "active": memory.active,
        "inactive_reason": memory.inactive_reason,
        "derived_from": memory.derived_from,
        "decision_id": origin.decision_id,
        "created_by_chat_id": origin.created_by_chat_id,
        "invalidated_by_chat_id": origin.invalidated_by_chat_id,
        "parser": origin.parser,
        "model": origin.model,
    }


def words_of(fact: Fact, *, open_subject: bool) -> Words:
    """Return what belongs in the payload."""
    return fact.subject if open_subject else None, fact.object_value, fact.source_ref


def row_of(memory: Memory, before: Stored | None, *, open_subject: bool) -> dict[str, Any]:
    """Return what a revision, its payload and its head hold, chained to the one ``before``.

    One row for all three, by column: what they share is sent once. Instants are as stored. Of
    the subject each has its own: the revision's is ``closed_subject``, the payload's
    ``open_subject``.
    """
    fact, salt = memory.fact, fresh_salt()
    words = words_of(fact, open_subject=open_subject)
    row = _shared(memory)
    row["payload_id"] = f"{memory.memory_id}.{memory.revision}"
    row["payload_mac"] = mac(salt, words)
    row["subject"] = closed = None if open_subject else fact.subject
    row["slot_mac"] = mac(salt, [fact.subject]) if open_subject else None
    prev_hash = before.hash if before else b""
    row["hash"] = chained(prev_hash, row)  # of all that a revision holds, and nothing else
    row |= {
        "prev_hash": prev_hash,
        "closed_subject": closed,
        "open_subject": words[0],
        "subject": fact.subject,
        "object_value": fact.object_value,
        "source_ref": fact.source_ref,
        "salt": salt,
        "erased": False,
    }
    return row
