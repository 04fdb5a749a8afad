"""Keeping and destroying: erasure of a principal, retention, and the audit of the chains."""

from dataclasses import dataclass, replace

from moss_memory.core.access import Caller, is_id
from moss_memory.core.errors import InvalidValueError, RightMissingError
from moss_memory.flow.ports import ChainReport, House, IdempotencyKey, Receipt
from moss_memory.flow.ports_access import Claim
from moss_memory.flow.ports_steward import Erasure, StewardStore
from moss_memory.flow.replays import first_answer
from moss_memory.flow.requests import Circumstances

KINDS = ("memories", "revisions", "payloads", "chats", "pendings", "cache_keys", "search_rows")


@dataclass(frozen=True, slots=True)
class Erased:
    """An entry of the ledger as the wire shows it; ``counts`` has every kind, zero or more."""

    erasure: Erasure
    replayed: bool = False


def erase(
    house: House, store: StewardStore, caller: Caller, principal_id: str, around: Circumstances
) -> Erased:
    """Destroy what a principal said, in the store and on the Desk.

    The Desk goes first and last: first so that no open question of an erased principal can be
    confirmed, last because one may have been opened meanwhile.

    Raises:
        RightMissingError: another principal, and the caller lacks ``erasure:admin``.
        InvalidValueError: the id is malformed.
        PendingStoreUnavailableError: the Desk cannot be emptied now; nothing was erased.
    """
    if principal_id != caller.principal_id and "erasure:admin" not in caller.rights:
        raise RightMissingError
    if not is_id(principal_id):
        raise InvalidValueError("principal_id is 1 to 128 letters, digits or ._%@+-.")
    before = _earlier(house, store, caller, around.key)
    if before is not None:
        return before
    gone = dict(house.desk.forget(caller.tenant_id, principal_id))
    erasure = Erasure(
        erasure_id=house.ids(),
        tenant_id=caller.tenant_id,
        principal_id=principal_id,
        by=caller.principal_id,
        erased_at=house.clock(),
        counts=gone,
    )
    claim = None
    if around.key is not None:
        claim = Claim(
            principal_id=caller.principal_id,
            idempotency=around.key,
            receipt=Receipt(
                kind="erasure",
                http_status=201,
                data={"erasure_id": erasure.erasure_id, "principal_id": principal_id},
            ),
        )
    done = store.erase(erasure, claim=claim)
    later = house.desk.forget(caller.tenant_id, principal_id)
    counts = {kind: done.counts.get(kind, 0) + later.get(kind, 0) for kind in KINDS}
    return Erased(replace(done, counts=counts))


def _earlier(
    house: House, store: StewardStore, caller: Caller, key: IdempotencyKey | None
) -> Erased | None:
    """Return the entry that this very request made before."""
    if key is None:
        return None
    receipt = first_answer(house.memory.replay(caller.tenant_id, caller.principal_id, key), key)
    if receipt is None:
        return None
    ledger = {each.erasure_id: each for each in store.erasures(caller.tenant_id)}
    entry = ledger.get(receipt.data["erasure_id"])
    if entry is None:  # a second erasure of the same principal: answered, not entered
        entry = Erasure(
            erasure_id=receipt.data["erasure_id"],
            tenant_id=caller.tenant_id,
            principal_id=receipt.data["principal_id"],
            by=caller.principal_id,
            erased_at=house.clock(),
        )
    counts = {kind: entry.counts.get(kind, 0) for kind in KINDS}
    return Erased(replace(entry, counts=counts), replayed=True)


def verify(house: House, caller: Caller) -> ChainReport:
    """Walk the hash chain of every space of the caller's tenant.

    Raises:
        RightMissingError: the caller lacks ``audit:read``.
    """
    if "audit:read" not in caller.rights:
        raise RightMissingError
    return house.memory.verify(caller.tenant_id)
