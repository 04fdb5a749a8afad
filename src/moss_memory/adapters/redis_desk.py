"""The Desk on Redis or Valkey, shared by all workers; whatever lies there may be lost."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from moss_memory.adapters import redis_keys as keys
from moss_memory.adapters.desk_values import Value
from moss_memory.adapters.redis_keys import Place
from moss_memory.adapters.redis_link import RedisLink, WrongTypeError
from moss_memory.adapters.redis_scripts import DROP, END, HOLD, KEEP, LIST, Script
from moss_memory.adapters.redis_seal import Seal, micros
from moss_memory.core.errors import PendingStoreUnavailableError, TooManyPendingsError
from moss_memory.flow.ports import Pending, ReferenceFacts, Session, Space

HOLD_ATTEMPTS: Final = 3
EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)  # as "now": nothing has expired


class RedisDesk:
    """A Desk for any number of workers, at a URL as ``RedisLink`` takes it.

    ``secret`` makes the HMAC of every value and must be the same in all workers.
    ``reference_seconds`` bounds how long cached facts are kept; the epoch proves them fresh.
    """

    def __init__(
        self,
        url: str,
        *,
        secret: str | bytes,
        reference_seconds: int = 1800,
        link: RedisLink | None = None,
    ) -> None:
        self._seal = Seal(secret)
        self._link = RedisLink(url) if link is None else link
        self._reference_life = timedelta(seconds=reference_seconds)

    def hold(self, pending: Pending, *, cap: int, now: datetime) -> Pending:
        """Keep a question, or return the open one that asks the same."""
        tenant, principal = pending.tenant_id, pending.principal_id
        gone: set[str] = set()
        for _ in range(HOLD_ATTEMPTS):  # again only where a listed question turns out to be lost
            said, other = self._try_to_hold(pending, cap, now, gone)
            if said == b"held":
                return pending
            if said == b"open":
                found = self._open(keys.pending_place(tenant, principal, other), Pending, now)
                if found is not None and found.fingerprint == pending.fingerprint:
                    return found
            lost = self._lost(tenant, principal, now)
            if said == b"full" and lost <= gone:
                raise TooManyPendingsError(limit=cap)
            gone |= lost
        raise PendingStoreUnavailableError

    def pending(self, tenant_id: str, pending_id: str, *, now: datetime) -> Pending | None:
        """Return an open question."""
        principal = self._get(keys.asked(tenant_id, pending_id))
        if principal is None:
            return None
        place = keys.pending_place(tenant_id, keys.first(principal), pending_id)
        return self._open(place, Pending, now)

    def pendings(
        self, tenant_id: str, principal_id: str, *, scope_ids: Sequence[str] = (), now: datetime
    ) -> tuple[Pending, ...]:
        """Return the open questions of a principal and of the scopes, first to expire first."""
        scopes = [keys.scope_list(tenant_id, scope) for scope in scope_ids]
        own, *shared = self._list([keys.own_list(tenant_id, principal_id), *scopes], now)
        asked = {(principal_id, keys.first(member)) for member in own}
        asked |= {(keys.first(each), keys.second(each)) for members in shared for each in members}
        places = [keys.pending_place(tenant_id, *who_and_which) for who_and_which in asked]
        seen = [
            each for each in self._open_all(places, now) if _concerns(each, principal_id, scope_ids)
        ]
        return tuple(sorted(seen, key=lambda pending: (pending.expires_at, pending.pending_id)))

    def drop(self, pending: Pending) -> None:
        """Forget a question."""
        self._unlist(pending)

    def session(
        self, tenant_id: str, principal_id: str, session_id: str, *, now: datetime
    ) -> Session | None:
        """Return a session that has not expired."""
        return self._open(keys.session_place(tenant_id, principal_id, session_id), Session, now)

    def keep_session(self, session: Session, *, now: datetime) -> None:
        """Keep a session until it expires."""
        place = keys.session_place(session.tenant_id, session.principal_id, session.session_id)
        self._keep(place, session, (now, session.expires_at))

    def end_session(self, tenant_id: str, principal_id: str, session_id: str) -> None:
        """Forget a session."""
        place = keys.session_place(tenant_id, principal_id, session_id)
        self._run(END, [place.key, keys.kept_list(tenant_id, principal_id)])

    def reference(
        self, tenant_id: str, principal_id: str, space: Space, *, now: datetime
    ) -> ReferenceFacts | None:
        """Return the cached facts of a space."""
        place = keys.reference_place(tenant_id, principal_id, space)
        return self._open(place, ReferenceFacts, now)

    def keep_reference(
        self, tenant_id: str, principal_id: str, facts: ReferenceFacts, *, now: datetime
    ) -> None:
        """Cache the facts of a space, unless a newer epoch is cached already."""
        place = keys.reference_place(tenant_id, principal_id, facts.space)
        self._keep(place, facts, (now, now + self._reference_life), epoch=facts.epoch)

    def forget(self, tenant_id: str, principal_id: str) -> Mapping[str, int]:
        """Erase all of a principal: ``pendings``, and sessions and references as ``cache_keys``."""
        own, kept = keys.own_list(tenant_id, principal_id), keys.kept_list(tenant_id, principal_id)
        asked, cached = self._list([own, kept], EVER)
        ids = [keys.first(member) for member in asked]
        places = [keys.pending_place(tenant_id, principal_id, each) for each in ids]
        opened = self._open_all(places, EVER)
        for pending in opened:
            self._unlist(pending)
        prefix = keys.place(tenant_id, principal_id, "").key
        mine = [key for key in (each.decode() for each in cached) if key.startswith(prefix)]
        counts = {
            "pendings": len(opened) + self._link.delete([place.key for place in places]),
            "cache_keys": self._link.delete(mine),
        }
        self._link.delete([own, kept, *(keys.asked(tenant_id, each) for each in ids)])
        return counts

    def check(self) -> str:
        """Return ok, or ``unavailable``."""
        try:
            self._link.ping()
        except PendingStoreUnavailableError:
            return "unavailable"
        return "ok"

    def resting(self) -> float:
        """Return the seconds for which Redis is left alone; 0 while it is asked."""
        return self._link.resting()

    def close(self) -> None:
        """Give back every connection."""
        self._link.close()

    def _try_to_hold(
        self, pending: Pending, cap: int, now: datetime, gone: set[str]
    ) -> tuple[bytes, str]:
        """Return held, open and the id that asks the same, or full."""
        tenant, principal = pending.tenant_id, pending.principal_id
        place = keys.pending_place(tenant, principal, pending.pending_id)
        said, other = self._run(
            HOLD,
            keys.pending_keys(pending),
            *_term(now, pending.expires_at),
            cap,
            keys.own_member(pending),
            keys.scope_member(pending),
            self._seal.close(place, pending, pending.expires_at),
            " ".join(map(keys.part, gone)),
        )
        return said, keys.first(other)

    def _lost(self, tenant_id: str, principal_id: str, now: datetime) -> set[str]:
        """Return the ids that are listed as open and cannot be read: evicted, or not ours."""
        [members] = self._list([keys.own_list(tenant_id, principal_id)], now)
        ids = {keys.first(member) for member in members}
        places = [keys.pending_place(tenant_id, principal_id, each) for each in ids]
        return ids - {pending.pending_id for pending in self._open_all(places, now)}

    def _unlist(self, pending: Pending) -> None:
        """Delete a question and take it out of every list."""
        members = keys.own_member(pending), keys.scope_member(pending)
        self._run(DROP, keys.pending_keys(pending), *members)

    def _keep(
        self, place: Place, value: Value, term: tuple[datetime, datetime], *, epoch: int = 0
    ) -> None:
        kept = keys.kept_list(place.tenant_id, place.principal_id)
        sealed = self._seal.close(place, value, term[1], epoch=epoch)
        self._run(KEEP, [place.key, kept], *_term(*term), epoch, sealed)

    def _open(self, place: Place, kind: type[Value], now: datetime) -> Value | None:
        return self._seal.open(place, kind, self._get(place.key), now)

    def _open_all(self, places: Sequence[Place], now: datetime) -> list[Pending]:
        sealed = self._link.get_all([place.key for place in places])
        pairs = zip(places, sealed, strict=True)
        opened = (self._seal.open(place, Pending, value, now) for place, value in pairs)
        return [pending for pending in opened if pending is not None]

    def _list(self, lists: Sequence[str], now: datetime) -> list[list[bytes]]:
        members: list[list[bytes]] = self._run(LIST, lists, micros(now))
        return members

    def _get(self, key: str) -> bytes | None:
        try:
            return self._link.get(key)
        except WrongTypeError:  # no value of ours: absent
            return None

    def _run(self, script: Script, at: Sequence[str], *args: str | int) -> Any:
        try:
            return self._link.run(script, at, *args)
        except WrongTypeError as exc:  # a list of ours is something else: until somebody deletes it
            raise PendingStoreUnavailableError from exc


def _term(now: datetime, expires_at: datetime) -> tuple[int, int, int]:
    """Return now and the expiry in microseconds, and the life in milliseconds, for a key's TTL.

    A life, not an instant: the server's clock need not be ours.
    """
    return micros(now), micros(expires_at), max(1, -(-(micros(expires_at) - micros(now)) // 1000))


def _concerns(pending: Pending, principal_id: str, scope_ids: Sequence[str]) -> bool:
    """Say whether a listed question is the principal's or a scope's: lists are not sealed."""
    return pending.principal_id == principal_id or not set(scope_ids).isdisjoint(pending.scope_ids)
