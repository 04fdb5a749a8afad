"""Working memory of a conversation, as its owner may look at it or end it."""

from dataclasses import dataclass

from moss_memory.core.access import Caller
from moss_memory.core.errors import NotFoundError
from moss_memory.flow import settle
from moss_memory.flow.ports import House, ReferenceFacts, Session
from moss_memory.flow.replays import once
from moss_memory.flow.requests import Circumstances, PendingView


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """A session, its open questions, and how fresh its reference facts are.

    ``age_seconds`` is None where no facts are cached for the principal.
    """

    session: Session
    pendings: tuple[PendingView, ...]
    facts: int
    epoch: int | None
    age_seconds: int | None
    ttl_seconds: int


def look(house: House, caller: Caller, session_id: str, around: Circumstances) -> SessionView:
    """Return a session of the caller's.

    Raises:
        NotFoundError: unknown, expired, or somebody else's.
        PendingStoreUnavailableError: the Desk cannot be reached.
    """
    now = house.clock()
    session = house.desk.session(caller.tenant_id, caller.principal_id, session_id, now=now)
    if session is None:
        raise NotFoundError
    mine = settle.open_questions(house, caller, around)
    cached = _reference(house, caller)
    return SessionView(
        session=session,
        pendings=tuple(one for one in mine if one.pending_id in session.pending_ids),
        facts=len(cached.memories) if cached else 0,
        epoch=cached.epoch if cached else None,
        age_seconds=max(0, int((now - cached.read_at).total_seconds())) if cached else None,
        ttl_seconds=max(0, int((session.expires_at - now).total_seconds())),
    )


def _reference(house: House, caller: Caller) -> ReferenceFacts | None:
    """Return the cached facts of the caller's own calendar, the first domain that is cached."""
    for domain in house.policy.ontology.domains:
        cached = house.desk.reference(
            caller.tenant_id,
            caller.principal_id,
            (caller.principal_id, domain),
            now=house.clock(),
        )
        if cached is not None:
            return cached
    return None


def end(house: House, caller: Caller, session_id: str, around: Circumstances) -> bool:
    """Forget a session; True where the same request did so before.

    One that is not there is forgotten already.
    """

    def forget() -> None:
        house.desk.end_session(caller.tenant_id, caller.principal_id, session_id)

    return once(house, caller, around, forget, outcome="SESSION_ENDED")
