"""What access needs from outside: where API keys are kept, and scopes with their grants.

Every implementation passes one contract suite (tests/adapters). Both ports raise
StorageUnavailableError when the database cannot be reached and nothing was written.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from moss_memory.core.access import Grant, ReadMode, Scope, WriteMode
from moss_memory.core.fact import Source
from moss_memory.flow.ports import IdempotencyKey, Receipt, Replay


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRecord:
    """What is kept of an API key: never its secret, only an HMAC of it under the pepper.

    ``key_id`` is public. Instants are UTC; ``expires_at`` None does not expire, ``revoked_at``
    None is not revoked, ``last_used_day`` None was never used, and is coarse on purpose.
    """

    key_id: str
    tenant_id: str
    principal_id: str
    digest: str
    created_at: datetime
    rights: frozenset[str] = frozenset()
    source_ceiling: Source = "user_explicit"
    read_mode: ReadMode = "visible_scopes"
    write_mode: WriteMode = "writable_scopes"
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_day: date | None = None

    def live(self, now: datetime) -> bool:
        """Tell whether the key is good at ``now``: neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The idempotency row to write with an effect: whose key, for which request, which answer."""

    principal_id: str
    idempotency: IdempotencyKey
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Added:
    """What adding a key did: nothing where ``replay`` is the first answer or ``full`` is true."""

    replay: Replay | None = None
    full: bool = False


class KeyStore(Protocol):
    """The KeyStore port: API keys by their public id."""

    def find(self, key_id: str) -> KeyRecord | None:
        """Return the key with this id, of whatever tenant: the credential is all there is yet."""
        ...

    def add(
        self, record: KeyRecord, *, live_limit: int, now: datetime, claim: Claim | None = None
    ) -> Added:
        """Keep a new key with its claim, in one transaction.

        Nothing is written where the claim's key was used before, or where the principal has
        ``live_limit`` keys that are live at ``now``; two adds at once never exceed it.
        """
        ...

    def keys(
        self, tenant_id: str, *, before: tuple[datetime, str] | None = None, limit: int = 50
    ) -> tuple[KeyRecord, ...]:
        """Return keys newest first by (created_at, key_id), revoked ones too, after a cursor."""
        ...

    def revoke(
        self, tenant_id: str, key_id: str, *, now: datetime, claim: Claim | None = None
    ) -> bool:
        """Revoke a key; True where the tenant has it. The first revocation's instant stays.

        The claim is kept in the same transaction, and not where there is no such key.
        """
        ...

    def note_use(self, tenant_id: str, key_id: str, day: date) -> None:
        """Record the day of the last use; an earlier day or an unknown key changes nothing."""
        ...


class ScopeStore(Protocol):
    """The ScopeStore port: shared scopes, personal scopes that were named, and grants."""

    def scope(self, tenant_id: str, scope_id: str) -> Scope | None:
        """Return a scope that was put, None for one that never was."""
        ...

    def principal_exists(self, tenant_id: str, principal_id: str) -> bool:
        """Tell whether this principal holds a key, a setting or a memory of its own."""
        ...

    def put_scope(self, tenant_id: str, scope: Scope) -> None:
        """Make or change a scope."""
        ...

    def scopes(
        self, tenant_id: str, *, after: str | None = None, limit: int = 50
    ) -> tuple[Scope, ...]:
        """Return scopes by id, those after ``after`` in code point order."""
        ...

    def put_grant(self, tenant_id: str, principal_id: str, grant: Grant) -> None:
        """Make or change what a principal may do in an existing scope.

        In the same transaction everything cached under the principal's old grants goes stale.
        """
        ...

    def delete_grant(
        self, tenant_id: str, principal_id: str, scope_id: str, *, claim: Claim | None = None
    ) -> bool:
        """Remove a grant, with the same effect on caches; True where there was one.

        The claim is kept in the same transaction, and not where there is no such grant.
        """
        ...
