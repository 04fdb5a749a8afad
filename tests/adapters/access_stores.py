"""Key and scope stores in a dict, loaded by path: what the SQL ones are held against."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime

from moss_memory.core.access import Grant, Scope
from moss_memory.core.errors import IdempotencyKeyReusedError
from moss_memory.flow.ports import Replay
from moss_memory.flow.ports_access import Added, Claim, KeyRecord


class MemoryKeys:
    """A KeyStore; ``found`` counts look-ups."""

    def __init__(self) -> None:
        self.records: dict[str, KeyRecord] = {}
        self.claims: dict[tuple[str, str, str, str], Replay] = {}
        self.found = 0
        self._lock = threading.Lock()

    def find(self, key_id: str) -> KeyRecord | None:
        self.found += 1
        return self.records.get(key_id)

    def add(
        self, record: KeyRecord, *, live_limit: int, now: datetime, claim: Claim | None = None
    ) -> Added:
        with self._lock:
            place = claim and (
                record.tenant_id,
                claim.principal_id,
                claim.idempotency.route,
                claim.idempotency.key,
            )
            if place in self.claims:
                return Added(replay=self.claims[place])
            held = [
                known
                for known in self.records.values()
                if (known.tenant_id, known.principal_id) == (record.tenant_id, record.principal_id)
                and known.live(now)
            ]
            if len(held) >= live_limit:
                return Added(full=True)
            self.records[record.key_id] = record
            if claim and place:
                self.claims[place] = Replay(claim.idempotency.request_hash, claim.receipt)
            return Added()

    def keys(
        self, tenant_id: str, *, before: tuple[datetime, str] | None = None, limit: int = 50
    ) -> tuple[KeyRecord, ...]:
        def place(record: KeyRecord) -> tuple[datetime, str]:
            return record.created_at, record.key_id

        mine = [r for r in self.records.values() if r.tenant_id == tenant_id]
        after = [r for r in mine if before is None or place(r) < before]
        return tuple(sorted(after, key=place, reverse=True)[:limit])

    def revoke(
        self, tenant_id: str, key_id: str, *, now: datetime, claim: Claim | None = None
    ) -> bool:
        place = claim and (
            tenant_id,
            claim.principal_id,
            claim.idempotency.route,
            claim.idempotency.key,
        )
        known = self.claims.get(place) if place else None
        if claim and known and known.request_hash != claim.idempotency.request_hash:
            raise IdempotencyKeyReusedError
        if claim and place and (tenant_id, key_id) in self._named():
            self.claims[place] = Replay(claim.idempotency.request_hash, claim.receipt)
        return self._change(tenant_id, key_id, lambda r: replace(r, revoked_at=r.revoked_at or now))

    def _named(self) -> set[tuple[str, str]]:
        return {(one.tenant_id, one.key_id) for one in self.records.values()}

    def note_use(self, tenant_id: str, key_id: str, day: date) -> None:
        def used(record: KeyRecord) -> KeyRecord:
            return replace(record, last_used_day=max(record.last_used_day or day, day))

        self._change(tenant_id, key_id, used)

    def _change(
        self, tenant_id: str, key_id: str, change: Callable[[KeyRecord], KeyRecord]
    ) -> bool:
        record = self.records.get(key_id)
        if record is None or record.tenant_id != tenant_id:
            return False
        self.records[key_id] = change(record)
        return True


class MemoryScopes:
    """A ScopeStore; ``principals`` are those known otherwise."""

    def __init__(self) -> None:
        self.put: dict[tuple[str, str], Scope] = {}
        self.grants: dict[tuple[str, str, str], Grant] = {}
        self.principals: set[tuple[str, str]] = set()

    def scope(self, tenant_id: str, scope_id: str) -> Scope | None:
        return self.put.get((tenant_id, scope_id))

    def principal_exists(self, tenant_id: str, principal_id: str) -> bool:
        return (tenant_id, principal_id) in self.principals

    def put_scope(self, tenant_id: str, scope: Scope) -> None:
        self.put[tenant_id, scope.scope_id] = scope

    def scopes(
        self, tenant_id: str, *, after: str | None = None, limit: int = 50
    ) -> tuple[Scope, ...]:
        mine = sorted(scope for tenant, scope in self.put if tenant == tenant_id)
        following = [scope for scope in mine if after is None or scope > after]
        return tuple(self.put[tenant_id, scope] for scope in following[:limit])

    def put_grant(self, tenant_id: str, principal_id: str, grant: Grant) -> None:
        self.grants[tenant_id, principal_id, grant.scope.scope_id] = grant

    def delete_grant(
        self, tenant_id: str, principal_id: str, scope_id: str, *, claim: Claim | None = None
    ) -> bool:
        return self.grants.pop((tenant_id, principal_id, scope_id), None) is not None
