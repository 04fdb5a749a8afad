"""Linting from working memory: a space's facts read once, proven fresh by its epoch at commit.

The cache is never the authority. What is judged from it stands only where the epoch that the
claim raised is the one after the cached one; otherwise the store is read as ever.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from moss_memory.core.access import Access
from moss_memory.core.errors import PendingStoreUnavailableError
from moss_memory.core.fact import Memory
from moss_memory.flow.ports import House, Opened, Query, ReferenceFacts, Space

MOST: Final = 1000  # memories of a space worth carrying about; a larger one is read by index
_AHEAD: Final = timedelta(days=1)  # recorded time may run before the clock; the newest is meant
Cached = Mapping[Space, ReferenceFacts]


def recall_spaces(house: House, access: Access, spaces: Sequence[Space]) -> Cached:
    """Return what working memory holds of the caller's own spaces, reading through once."""
    if house.defaults.lint_from != "cache":
        return {}
    own = [space for space in spaces if space[0] == access.caller.principal_id]
    try:
        found = {space: _one(house, access, space) for space in own}
    except PendingStoreUnavailableError:
        return {}
    return {space: facts for space, facts in found.items() if facts is not None}


def _one(house: House, access: Access, space: Space) -> ReferenceFacts | None:
    caller = access.caller
    now = house.clock()
    cached = house.desk.reference(caller.tenant_id, caller.principal_id, space, now=now)
    return cached if cached is not None else _read_through(house, access, space)


def _read_through(house: House, access: Access, space: Space) -> ReferenceFacts | None:
    caller = access.caller
    now = house.clock()
    query = Query(
        scopes=(space[0],),
        now=now,
        domains=(space[1],),
        known_at=now + _AHEAD,
        limit=MOST,
    )
    page = house.memory.page(caller.tenant_id, query)
    if page.more:
        return None
    facts = ReferenceFacts(
        space=space,
        epoch=(page.known_epoch or {}).get(space, 0),
        rules_version=house.policy.rules_version,
        grants_hash=grants_hash(access),
        read_at=now,
        memories=page.items,
    )
    house.desk.keep_reference(caller.tenant_id, caller.principal_id, facts, now=now)
    return facts


def is_fresh(house: House, access: Access, facts: ReferenceFacts, opened: Opened) -> bool:
    """Tell whether nothing was committed in the space since the facts were read."""
    return (
        facts.epoch + 1 == opened.epochs.get(facts.space)
        and facts.rules_version == house.policy.rules_version
        and facts.grants_hash == grants_hash(access)
    )


def write_through(house: House, access: Access, fresh: Cached, revisions: Sequence[Memory]) -> None:
    """Carry a commit over to working memory, best effort: a newer epoch there wins.

    ``fresh`` are the facts that this very commit proved; any others would be built on sand.
    """
    for space, facts in fresh.items():
        written = [m for m in revisions if (m.owner, m.fact.domain) == space]
        if not written:
            continue
        standing = {memory.memory_id: memory for memory in facts.memories}
        standing |= {memory.memory_id: memory for memory in written}
        renewed = ReferenceFacts(
            space=space,
            epoch=max(memory.epoch for memory in written),
            rules_version=facts.rules_version,
            grants_hash=facts.grants_hash,
            read_at=house.clock(),
            memories=tuple(m for m in standing.values() if m.active)[:MOST],
        )
        caller = access.caller
        try:
            house.desk.keep_reference(
                caller.tenant_id, caller.principal_id, renewed, now=house.clock()
            )
        except PendingStoreUnavailableError:
            return


def read_again(house: House, access: Access, stale: Sequence[Space]) -> None:
    """Read what had moved on once more, so that the next write may lint from memory."""
    try:
        for space in stale:
            _read_through(house, access, space)
    except PendingStoreUnavailableError:
        return


def grants_hash(access: Access) -> str:
    """Hash what the caller may reach, so that facts cached under other grants are not used."""
    spelled = "|".join([*access.visible, "/", *access.writable])
    return hashlib.sha256(spelled.encode()).hexdigest()
