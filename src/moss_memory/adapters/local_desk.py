"""The Desk in this process: for one worker, for tests, and lost when the process ends.

Values are kept as the JSON that the Desk on Redis keeps, so that what a flow reads back is the
same on both: its own copy, with lists where it put tuples into a free mapping.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Final, Generic, TypeVar

from moss_memory.adapters.desk_values import dump, load
from moss_memory.core.errors import TooManyPendingsError
from moss_memory.flow.ports import Pending, ReferenceFacts, Session, Space

Key = tuple[str, ...]
Kept = TypeVar("Kept")
SWEEP_AT_LEAST: Final = 256


@dataclass(frozen=True, slots=True)
class _Slip(Generic[Kept]):
    """What lies on a shelf until ``expires_at``, under the names that list it."""

    value: Kept
    expires_at: datetime
    lists: tuple[Key, ...]


class _Shelf(Generic[Kept]):
    """Values by key, each listed under names; expired ones are absent, and swept now and then."""

    def __init__(self) -> None:
        self._slips: dict[Key, _Slip[Kept]] = {}
        self._lists: dict[Key, dict[Key, None]] = {}
        self._sweep_at = SWEEP_AT_LEAST

    def put(self, key: Key, slip: _Slip[Kept], now: datetime) -> None:
        self.take(key)
        self._slips[key] = slip
        for name in slip.lists:
            self._lists.setdefault(name, {})[key] = None
        if len(self._slips) >= self._sweep_at:  # a sweep per doubling: constant on average
            self._sweep(now)

    def get(self, key: Key, now: datetime) -> Kept | None:
        slip = self._slips.get(key)
        return slip.value if slip is not None and now < slip.expires_at else None

    def listed(self, name: Key, now: datetime) -> dict[Key, Kept]:
        found = {key: self.get(key, now) for key in self._lists.get(name, ())}
        return {key: value for key, value in found.items() if value is not None}

    def take(self, key: Key) -> None:
        slip = self._slips.pop(key, None)
        for name in slip.lists if slip is not None else ():
            keys = self._lists[name]
            del keys[key]
            if not keys:
                del self._lists[name]

    def clear(self, name: Key) -> int:
        keys = tuple(self._lists.get(name, ()))
        for key in keys:
            self.take(key)
        return len(keys)

    def _sweep(self, now: datetime) -> None:
        for key in [key for key, slip in self._slips.items() if slip.expires_at <= now]:
            self.take(key)
        self._sweep_at = max(SWEEP_AT_LEAST, 2 * len(self._slips))


class LocalDesk:
    """A Desk for the threads of one process; nothing is ever unavailable.

    ``reference_seconds`` bounds how long cached facts are kept; the epoch proves them fresh.
    """

    def __init__(self, *, reference_seconds: int = 1800) -> None:
        self._reference_life = timedelta(seconds=reference_seconds)
        self._lock = Lock()
        self._pendings: _Shelf[str] = _Shelf()
        self._sessions: _Shelf[str] = _Shelf()
        self._references: _Shelf[ReferenceFacts] = _Shelf()  # immutable: no copy needed

    def hold(self, pending: Pending, *, cap: int, now: datetime) -> Pending:
        """Keep a question, or return the open one that asks the same."""
        own = ("principal", pending.tenant_id, pending.principal_id)
        key = (pending.tenant_id, pending.pending_id)
        scopes = tuple(("scope", pending.tenant_id, scope) for scope in pending.scope_ids)
        slip = _Slip(dump(pending), pending.expires_at, (own, *scopes))
        with self._lock:
            others = [load(Pending, text) for text in self._pendings.listed(own, now).values()]
            for other in others:
                if other.fingerprint == pending.fingerprint:
                    return other
            if sum(other.pending_id != pending.pending_id for other in others) >= cap:
                raise TooManyPendingsError(limit=cap)
            self._pendings.put(key, slip, now)
        return pending

    def pending(self, tenant_id: str, pending_id: str, *, now: datetime) -> Pending | None:
        """Return an open question."""
        with self._lock:
            text = self._pendings.get((tenant_id, pending_id), now)
        return None if text is None else load(Pending, text)

    def pendings(
        self, tenant_id: str, principal_id: str, *, scope_ids: Sequence[str] = (), now: datetime
    ) -> tuple[Pending, ...]:
        """Return the open questions of a principal and of the scopes, first to expire first."""
        names = [("principal", tenant_id, principal_id)]
        names += [("scope", tenant_id, scope) for scope in scope_ids]
        found: dict[Key, str] = {}
        with self._lock:
            for name in names:
                found |= self._pendings.listed(name, now)
        loaded = (load(Pending, text) for text in found.values())
        return tuple(sorted(loaded, key=lambda pending: (pending.expires_at, pending.pending_id)))

    def drop(self, pending: Pending) -> None:
        """Forget a question."""
        with self._lock:
            self._pendings.take((pending.tenant_id, pending.pending_id))

    def session(
        self, tenant_id: str, principal_id: str, session_id: str, *, now: datetime
    ) -> Session | None:
        """Return a session that has not expired."""
        with self._lock:
            text = self._sessions.get((tenant_id, principal_id, session_id), now)
        return None if text is None else load(Session, text)

    def keep_session(self, session: Session, *, now: datetime) -> None:
        """Keep a session until it expires."""
        own = (session.tenant_id, session.principal_id)
        slip = _Slip(dump(session), session.expires_at, (own,))
        with self._lock:
            self._sessions.put((*own, session.session_id), slip, now)

    def end_session(self, tenant_id: str, principal_id: str, session_id: str) -> None:
        """Forget a session."""
        with self._lock:
            self._sessions.take((tenant_id, principal_id, session_id))

    def reference(
        self, tenant_id: str, principal_id: str, space: Space, *, now: datetime
    ) -> ReferenceFacts | None:
        """Return the cached facts of a space."""
        with self._lock:
            return self._references.get((tenant_id, principal_id, *space), now)

    def keep_reference(
        self, tenant_id: str, principal_id: str, facts: ReferenceFacts, *, now: datetime
    ) -> None:
        """Cache the facts of a space, unless a newer epoch is cached already."""
        own = (tenant_id, principal_id)
        key = (*own, *facts.space)
        with self._lock:
            cached = self._references.get(key, now)
            if cached is None or cached.epoch <= facts.epoch:
                self._references.put(key, _Slip(facts, now + self._reference_life, (own,)), now)

    def forget(self, tenant_id: str, principal_id: str) -> Mapping[str, int]:
        """Erase all of a principal: ``pendings``, and sessions and references as ``cache_keys``."""
        own = (tenant_id, principal_id)
        with self._lock:
            pendings = self._pendings.clear(("principal", *own))
            cached = self._sessions.clear(own) + self._references.clear(own)
        return {"pendings": pendings, "cache_keys": cached}

    def check(self) -> str:
        """Return ok: a process can always reach itself."""
        return "ok"

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._pendings, self._sessions, self._references = _Shelf(), _Shelf(), _Shelf()
