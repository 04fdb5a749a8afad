"""What has to be seen before a fact may be judged, and what the caller may do with it."""

from collections.abc import Sequence
from datetime import datetime

from moss_memory.core.access import Access
from moss_memory.core.errors import NotFoundError, PrincipalErasedError, ScopeNotWritableError
from moss_memory.core.fact import Fact, Known, Proposal
from moss_memory.core.pairing import widened
from moss_memory.flow.placing import place
from moss_memory.flow.ports import Frame, House, Loaded, Probe, Space, Standing


def spaces(facts: tuple[Fact, ...]) -> frozenset[Space]:
    """Name the spaces that facts are written to."""
    return frozenset((fact.scope_id, fact.domain) for fact in facts)


def admit(access: Access, standing: Standing, scope_ids: frozenset[str]) -> None:
    """Refuse a write to scopes that the caller may not see, or may see only.

    Raises:
        PrincipalErasedError, NotFoundError, ScopeNotWritableError: in this order.
    """
    if standing.erased:
        raise PrincipalErasedError
    if not scope_ids <= set(access.visible) | set(access.writable):
        raise NotFoundError
    if not scope_ids <= set(access.writable):
        raise ScopeNotWritableError


def place_all(
    house: House, access: Access, standing: Standing, facts: tuple[Fact, ...], now: datetime
) -> tuple[Proposal, ...]:
    """Place facts in the zone of their owners: the caller's own zone, or the service's."""
    own = standing.timezone or house.defaults.timezone
    shared = {scope.scope_id for scope in access.scopes if scope.kind != "personal"}
    return tuple(
        place(
            house.policy,
            fact,
            zone=own if fact.scope_id == access.caller.principal_id else house.defaults.timezone,
            now=now,
            shared=fact.scope_id in shared,
        )
        for fact in facts
    )


def frame_of(house: House, access: Access, proposals: tuple[Proposal, ...]) -> Frame:
    """Name what has to be seen: each fact's slot, a personal one's also in shared scopes."""
    probes: list[Probe] = []
    own = access.caller.principal_id
    for proposal in proposals:
        fact = proposal.fact
        owners = [proposal.owner]
        if proposal.owner == own:
            owners += [scope for scope in access.visible if scope != own]
        probes += [
            Probe(
                space=(owner, fact.domain),
                slot=house.policy.ontology.slot(fact, owner),
                windows=tuple(widened(proposal.windows, fact.buffer_before, fact.buffer_after)),
            )
            for owner in owners
        ]
    written = spaces(tuple(proposal.fact for proposal in proposals))
    reads = frozenset(probe.space for probe in probes) - written
    return Frame(probes=tuple(probes), reads=reads)


def foreseen(house: House, facts: tuple[Fact, ...]) -> datetime | None:
    """Return when facts will be judged, near enough to say what has to be seen for it.

    None: a fact without a time begins at its claim, and nobody knows that instant before.
    """
    return house.clock() if all(fact.when for fact in facts) else None


def known_of(
    access: Access, loaded: Loaded, now: datetime, proposals: Sequence[Proposal] | None = None
) -> tuple[Known, ...]:
    """Say of each candidate what the caller may do with it; what has expired is not there.

    Of ``proposals``, the facts to be written, only the owners' spaces are claimed and all others
    but read: so what is somebody's own never changes what is shared. None: nothing is written.
    """
    owners = None if proposals is None else {proposal.owner for proposal in proposals}
    return tuple(
        Known(
            memory=memory,
            writable=memory.owner in access.writable and (owners is None or memory.owner in owners),
            visible=memory.owner in access.visible,
        )
        for memory in loaded.candidates
        if memory.fact.expires_at is None or memory.fact.expires_at > now
    )
