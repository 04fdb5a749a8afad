"""Which memories a cancel or a change means: by kind, window and words, or the last one said."""

from collections.abc import Sequence
from typing import Any

from moss_memory.core.access import Access
from moss_memory.core.fact import Memory
from moss_memory.core.interval import Interval, overlap
from moss_memory.core.text import match_form
from moss_memory.flow.ports import House, Query, Session
from moss_memory.language.proposal import ProposedFact, Target

_MOST = 100


def find(
    house: House,
    access: Access,
    session: Session | None,
    scope_id: str,
    proposed: ProposedFact,
) -> tuple[Memory, ...]:
    """Return the active memories of one scope that a described change may mean, earliest first.

    Several are returned where the words fit several; none where they fit none.
    """
    target = proposed.target or Target(window=None)
    if target.anaphoric:
        return _last_said(house, access, session)
    window = target.window
    query = Query(
        scopes=(scope_id,),
        now=house.clock(),
        domains=(proposed.domain,),
        predicate=target.predicate,
        overlaps=window,
        limit=_MOST,
    )
    found = house.memory.page(access.caller.tenant_id, query).items
    named = (_by_value if proposed.domain == "Preference" else _by_words)(found, target.words)
    return tuple(sorted(_closest(named, window), key=lambda m: (m.valid_from, m.memory_id)))


def _last_said(house: House, access: Access, session: Session | None) -> tuple[Memory, ...]:
    """Return what the session wrote last, as far as it is still active and in reach."""
    state: dict[str, Any] = dict(session.dialog_state) if session else {}
    names = [str(name) for name in state.get("last", ())]
    newest = house.memory.newest(access.caller.tenant_id, names)
    return tuple(
        newest[name]
        for name in names
        if name in newest and newest[name].active and newest[name].owner in access.visible
    )


def _by_words(found: Sequence[Memory], words: Sequence[str]) -> Sequence[Memory]:
    """Keep the memories whose words hold all that were said, else any, else all of them."""
    said = [match_form(word) for word in words if word.strip()]
    if not said:
        return found
    hits = [(sum(word in match_form(m.fact.object_value) for word in said), m) for m in found]
    most = max((count for count, _ in hits), default=0)
    return [memory for count, memory in hits if count == most] if most else []


def _by_value(found: Sequence[Memory], words: Sequence[str]) -> Sequence[Memory]:
    """Keep the memories of that very thing, else of what holds it: jazz, else acid jazz.

    A word in common is not enough to forget something: black tea is not black coffee.
    """
    said = [match_form(word) for word in words if word.strip()]
    if not said:
        return found
    exact = [m for m in found if match_form(m.fact.object_value) in said]
    return exact or [m for m in found if all(one in _spoken_of(m) for one in said)]


def _spoken_of(memory: Memory) -> str:
    return f"{match_form(memory.fact.object_value)} ({match_form(memory.fact.subject)})"


def _closest(found: Sequence[Memory], window: Interval | None) -> Sequence[Memory]:
    """Prefer what begins in the window over what only reaches into it.

    "Cancel my 3 pm" means the meeting at three, not the vacation that covers the day.
    """
    if window is None:
        return found
    begins = [
        memory
        for memory in found
        if any(window.start <= each.start < window.end for each in memory.windows)
    ]
    touches = [m for m in found if any(overlap(each, window) for each in m.windows)]
    return begins or touches or found
