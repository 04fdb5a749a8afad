"""Keeping and destroying: the erasure of a principal, and the audit of the chains."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from moss_memory.core import budget, relevance
from moss_memory.core.access import Caller, is_id
from moss_memory.core.errors import (
    IdempotencyKeyReusedError,
    InvalidValueError,
    RightMissingError,
)
from moss_memory.flow.ports import ChainReport, House, IdempotencyKey
from moss_memory.flow.ports_steward import Erasure, StewardStore
from moss_memory.flow.requests import Circumstances

KINDS = ("memories", "revisions", "payloads", "chats", "pendings", "cache_keys", "search_rows")


@dataclass(frozen=True, slots=True)
class Erased:
    """An entry of the ledger as the wire shows it; ``counts`` has every kind, zero or more."""

    erasure_id: str
    principal_id: str
    counts: Mapping[str, int]
    replayed: bool = False


def erase(
    house: House, store: StewardStore, caller: Caller, principal_id: str, around: Circumstances
) -> Erased:
    """Destroy what a principal said, in the store and on the Desk.

    The Desk goes first and last: first so that no open question of an erased principal can be
    confirmed, last because one may have been opened meanwhile. Under an Idempotency-Key the
    ledger itself is the memory of the first answer, since stored answers are destroyed too.

    Raises:
        RightMissingError: another principal, and the caller lacks ``erasure:admin``.
        InvalidValueError: the id is malformed.
        IdempotencyKeyReusedError: the key erased somebody else before.
        PendingStoreUnavailableError: the Desk cannot be emptied now; nothing was erased.
    """
    if principal_id != caller.principal_id and "erasure:admin" not in caller.rights:
        raise RightMissingError
    if not is_id(principal_id):
        raise InvalidValueError("principal_id is 1 to 128 letters, digits or ._%@+-.")
    erasure_id = house.ids() if around.key is None else _id_under(caller, around.key)
    if around.key is not None:
        before = _entry(store, caller, erasure_id)
        if before is not None:
            return _again(before, principal_id)
    desk = house.desk.forget(caller.tenant_id, principal_id)
    counts = store.erase(
        caller.tenant_id,
        principal_id,
        erasure_id=erasure_id,
        by=caller.principal_id,
        request_id=around.request_id,
        desk=desk,
    )
    house.desk.forget(caller.tenant_id, principal_id)
    for remembering in (budget, relevance):
        remembering.forget()
    return Erased(erasure_id, principal_id, _all_kinds(counts))


def _id_under(caller: Caller, key: IdempotencyKey) -> str:
    """Name the erasure that this caller asks for under this key, the same one each time."""
    named = f"{caller.tenant_id}\x1f{caller.principal_id}\x1f{key.route}\x1f{key.key}"
    digits = hashlib.sha256(named.encode()).hexdigest()[:32]
    digits = f"{digits[:12]}8{digits[13:16]}8{digits[17:]}"  # RFC 9562, version 8: made by us
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _entry(store: StewardStore, caller: Caller, erasure_id: str) -> Erasure | None:
    ledger = store.ledger(caller.tenant_id)
    return next((each for each in ledger if each.erasure_id == erasure_id), None)


def _again(entry: Erasure, principal_id: str) -> Erased:
    if entry.principal_id != principal_id:
        raise IdempotencyKeyReusedError
    return Erased(entry.erasure_id, principal_id, _all_kinds(entry.counts), replayed=True)


def _all_kinds(counts: Mapping[str, int]) -> dict[str, int]:
    return {kind: counts.get(kind, 0) for kind in KINDS}


def verify(house: House, caller: Caller) -> ChainReport:
    """Walk the hash chain of every space of the caller's tenant.

    Raises:
        RightMissingError: the caller lacks ``audit:read``.
    """
    if "audit:read" not in caller.rights:
        raise RightMissingError
    return house.memory.verify(caller.tenant_id)
