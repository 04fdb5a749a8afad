"""What a context chooses from: the memories a caller may see that may bear on a question."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from moss_memory.core.access import Access
from moss_memory.core.fact import Memory, Pair
from moss_memory.core.interval import Interval
from moss_memory.core.ontology import slot_key
from moss_memory.core.relevance import Question
from moss_memory.flow.ports import Found, House, Probe, Query, Search, Space, Standing

PAGE: Final = 500  # memories at a time, where all are read
WORDS: Final = 12  # of a question, the longest: what a search looks for
GONE: Final = 200  # inactive memories looked at where there is no finder, newest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Then:
    """As of when the memory is read: None and None is now. ``now`` decides what has expired."""

    now: datetime
    known_at: datetime | None = None
    known_epoch: Mapping[Space, int] | None = None

    @property
    def past(self) -> bool:
        """Whether the memory is read as it was, for which nothing is indexed by its words."""
        return self.known_at is not None or self.known_epoch is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Memories to choose from, active or not; ``unread`` active ones were not looked at.

    ``denied`` counts active memories of scopes that the caller knows of and may not see.
    ``waived`` pairs were allowed to overlap; None was not looked up.
    """

    memories: tuple[Memory, ...]
    waived: frozenset[Pair] | None = None
    unread: int = 0
    denied: int = 0
    known_epoch: Mapping[Space, int] = field(default_factory=dict)


def gather(
    house: House,
    reach: Access,
    standing: Standing,
    then: Then,
    domains: tuple[str, ...] = (),
) -> Gathered:
    """Read all of the visible scopes, narrowed to ``domains``: for the past, or without a finder.

    10,000 memories take about 1.3 s of processor time.
    """
    tenant = reach.caller.tenant_id
    denied = _denied(house, reach, standing, then, domains)
    if not reach.visible:
        return Gathered(memories=(), denied=denied)
    return replace(_all(house, tenant, _query(reach.visible, then, domains)), denied=denied)


def search_of(
    house: House,
    reach: Access,
    question: Question,
    then: Then,
    domains: tuple[str, ...] = (),
    limit: int = 50,
) -> Search | None:
    """Return what a finder looks for: from several sides, at most ``limit`` memories from each.

    None where the caller sees nothing.
    """
    if not reach.visible:
        return None
    return Search(
        scopes=reach.visible,
        now=then.now,
        at=question.at,
        probes=tuple(_probes(house, reach, question, domains)),
        words=tuple(sorted(question.words, key=len, reverse=True)[:WORDS]),
        predicates=_kinds(house, question),
        domains=domains,
        limit=limit,
        newest=limit if question.open else limit // 4,  # what is asked for is found otherwise
    )


def gathered(
    house: House,
    reach: Access,
    standing: Standing,
    then: Then,
    domains: tuple[str, ...],
    found: Found | None,
) -> Gathered:
    """Return what a finder found, None for a caller who sees nothing, and count what is denied."""
    denied = _denied(house, reach, standing, then, domains)
    if found is None:
        return Gathered(memories=(), denied=denied)
    active = sum(1 for memory in found.memories if memory.active)
    return Gathered(
        memories=found.memories,
        waived=found.waived,
        unread=max(found.total - active, 0),
        denied=denied,
        known_epoch=found.known_epoch,
    )


def _kinds(house: House, question: Question) -> tuple[str, ...]:
    """Name the kinds to look for; of events, none where their time is asked about."""
    events = _events(house) if question.window is not None else frozenset()
    return tuple(sorted(question.predicates - events))


def _events(house: House) -> frozenset[str]:
    return frozenset(p.name for p in house.policy.ontology.predicates.values() if p.is_event)


def _probes(
    house: House, reach: Access, question: Question, domains: tuple[str, ...]
) -> Iterator[Probe]:
    """Name the calendars to look into: for the window asked about, else what is to come."""
    window = question.window
    if window is None:
        if not question.open and not question.predicates & _events(house):
            return
        window = Interval(question.at)
    events = {p.domain: p for p in house.policy.ontology.predicates.values() if p.is_event}
    for domain, predicate in events.items():
        if domains and domain not in domains:
            continue
        slot = slot_key(predicate, next(iter(predicate.subjects), ""))
        for scope in reach.visible:
            yield Probe(space=(scope, domain), slot=(scope, *slot), windows=(window,))


def _hidden(reach: Access, standing: Standing) -> tuple[str, ...]:
    known = {reach.caller.principal_id, *(grant.scope.scope_id for grant in standing.grants)}
    return tuple(sorted(known - set(reach.visible)))


def _query(scopes: tuple[str, ...], then: Then, domains: tuple[str, ...]) -> Query:
    return Query(
        scopes=scopes,
        now=then.now,
        domains=domains,
        known_at=then.known_at,
        known_epoch=then.known_epoch,
        limit=PAGE,
    )


def _all(house: House, tenant: str, query: Query) -> Gathered:
    """Page through every active memory, and through the newest of those that are not."""
    epochs: dict[Space, int] = {}
    active = list(_pages(house, tenant, query, epochs))
    gone = replace(query, state="inactive")
    inactive = []
    for memory in _pages(house, tenant, gone, epochs):
        inactive.append(memory)
        if len(inactive) == GONE:
            break
    return Gathered(memories=(*active, *inactive), known_epoch=epochs)


def _denied(
    house: House, reach: Access, standing: Standing, then: Then, domains: tuple[str, ...]
) -> int:
    """Count what the caller knows of and may not see, without reading it where it can be."""
    tenant, hidden = reach.caller.tenant_id, _hidden(reach, standing)
    if not hidden:
        return 0
    if house.finder is not None and not then.past:
        return house.finder.count(tenant, Search(scopes=hidden, now=then.now, domains=domains))
    return sum(1 for _ in _pages(house, tenant, _query(hidden, then, domains), {}))


def _pages(house: House, tenant: str, query: Query, epochs: dict[Space, int]) -> Iterator[Memory]:
    """Yield every memory of a list; ``epochs`` takes up where it was read."""
    while True:
        page = house.memory.page(tenant, query)
        epochs.update(page.known_epoch or {})
        yield from page.items
        if not page.more:
            return
        last = page.items[-1]
        query = replace(query, cursor=(last.recorded_at, last.memory_id))
