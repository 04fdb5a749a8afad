"""API keys are made, listed and revoked: the key is shown once, its HMAC is kept.

A principal holds at most two live keys, so that one can be rotated while the other serves. A
revoked key stays in the list; every worker refuses it within five seconds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from moss_memory.core.access import (
    RIGHTS,
    Caller,
    ReadMode,
    Resource,
    WriteMode,
    decide,
    enforce,
    is_id,
)
from moss_memory.core.errors import (
    IdempotencyKeyReusedError,
    InvalidRequestError,
    InvalidValueError,
    NotFoundError,
    RightMissingError,
)
from moss_memory.core.fact import Source
from moss_memory.core.screening import screen
from moss_memory.flow.key_form import digest_of, draw_key
from moss_memory.flow.ports import IdempotencyKey, Receipt
from moss_memory.flow.ports_access import Claim, KeyRecord, KeyStore

LIVE_KEYS: Final = 2  # a principal, at one time


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """What a key is asked to be; ``expires_at`` UTC, None does not expire."""

    principal_id: str
    rights: frozenset[str] = frozenset()
    source_ceiling: Source = "user_explicit"
    read_mode: ReadMode = "visible_scopes"
    write_mode: WriteMode = "writable_scopes"
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class MadeKey:
    """A key that was made: ``key`` is shown once and None when the answer is given again."""

    key_id: str
    key: str | None
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Keyring:
    """The tools of making keys: the store, the pepper, and a source of unpredictable bytes."""

    store: KeyStore
    pepper: str
    draw: Callable[[int], bytes]


def create_key(
    ring: Keyring,
    caller: Caller,
    asked: NewKey,
    *,
    now: datetime,
    idempotency: IdempotencyKey | None = None,
) -> MadeKey:
    """Make a key for a principal of the caller's tenant.

    A caller hands on no right that it lacks itself.

    Raises:
        RightMissingError: the caller lacks ``key:admin``, or a right that it would hand on.
        InvalidRequestError: the principal has two live keys already.
        InvalidValueError: a malformed id, an unknown right, or an expiry that is past.
        IdempotencyKeyReusedError: the Idempotency-Key came with another request before.
    """
    _administer(caller)
    _refuse_malformed(asked, now)
    if not asked.rights <= caller.rights:
        raise RightMissingError
    return _add(ring, caller, asked, now, idempotency)


def first_key(ring: Keyring, tenant_id: str, asked: NewKey, *, now: datetime) -> MadeKey:
    """Make a key without a caller, for the operator at the machine; see ``create_key``."""
    if not is_id(tenant_id):
        raise InvalidValueError("A tenant id has 1 to 128 of A-Z a-z 0-9 . _ % @ + -.")
    operator = Caller(tenant_id=tenant_id, principal_id="operator", rights=RIGHTS)
    return create_key(ring, operator, asked, now=now)


def list_keys(
    store: KeyStore, caller: Caller, *, before: tuple[datetime, str] | None = None, limit: int = 50
) -> tuple[KeyRecord, ...]:
    """Return the tenant's keys, newest first, after the cursor ``before``.

    Raises:
        RightMissingError: the caller lacks ``key:admin``.
    """
    _administer(caller)
    return store.keys(caller.tenant_id, before=before, limit=limit)


def revoke_key(
    store: KeyStore, caller: Caller, key_id: str, *, now: datetime, claim: Claim | None = None
) -> None:
    """Revoke a key of the caller's tenant; revoking it again changes nothing.

    ``claim`` keeps the answer for a repeat, in the transaction of the revocation.

    Raises:
        RightMissingError: the caller lacks ``key:admin``.
        NotFoundError: the tenant has no such key.
    """
    _administer(caller)
    if not store.revoke(caller.tenant_id, key_id, now=now, claim=claim):
        raise NotFoundError


def _administer(caller: Caller) -> None:
    enforce(decide(caller, "administer_keys", Resource(tenant_id=caller.tenant_id), ()))


def _refuse_malformed(asked: NewKey, now: datetime) -> None:
    if not is_id(asked.principal_id):
        raise InvalidValueError("A principal id has 1 to 128 of A-Z a-z 0-9 . _ % @ + -.")
    screen(asked.principal_id, field="principal_id")  # a credential is no name
    if not asked.rights <= RIGHTS:
        raise InvalidValueError("There is no such right.")
    if asked.expires_at is not None and asked.expires_at <= now:
        raise InvalidValueError("A key cannot expire before it is made.")


def _add(
    ring: Keyring, caller: Caller, asked: NewKey, now: datetime, idempotency: IdempotencyKey | None
) -> MadeKey:
    text = draw_key(ring.draw)
    record = KeyRecord(
        key_id=text.key_id,
        tenant_id=caller.tenant_id,
        principal_id=asked.principal_id,
        digest=digest_of(text.secret, ring.pepper),
        created_at=now,
        rights=asked.rights,
        source_ceiling=asked.source_ceiling,
        read_mode=asked.read_mode,
        write_mode=asked.write_mode,
        expires_at=asked.expires_at,
    )
    claim = _claim(caller, text.key_id, idempotency)
    added = ring.store.add(record, live_limit=LIVE_KEYS, now=now, claim=claim)
    if added.replay is not None:
        if idempotency is None or added.replay.request_hash != idempotency.request_hash:
            raise IdempotencyKeyReusedError
        return MadeKey(str(added.replay.receipt.data["key_id"]), None, replayed=True)
    if added.full:
        raise InvalidRequestError("A principal has at most two live keys: revoke one first.")
    return MadeKey(text.key_id, str(text))


def _claim(caller: Caller, key_id: str, idempotency: IdempotencyKey | None) -> Claim | None:
    if idempotency is None:
        return None
    receipt = Receipt(kind="key", http_status=201, data={"key_id": key_id})
    return Claim(principal_id=caller.principal_id, idempotency=idempotency, receipt=receipt)
