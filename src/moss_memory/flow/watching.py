"""What a reader of ``/events`` may see of what was committed."""

from collections.abc import Sequence
from dataclasses import dataclass

from moss_memory.core.access import Access, Caller
from moss_memory.flow.ports import Event, House
from moss_memory.flow.reading import access


@dataclass(frozen=True, slots=True)
class Watched:
    """Events that the caller may see, in order, and the cursor behind the last one read.

    The cursor moves on over hidden events too, so that it says nothing about their number.
    """

    events: tuple[Event, ...]
    cursor: str


def start(house: House, caller: Caller) -> str:
    """Return the cursor of a reader that has none: what comes next."""
    return house.memory.last_event(caller.tenant_id)


def since(house: House, caller: Caller, cursor: str, *, limit: int = 100) -> Watched:
    """Return what was committed after ``cursor``.

    Access is looked up anew each time: a grant that was taken away ends what is seen.
    """
    found = house.memory.events(caller.tenant_id, after=cursor, limit=limit)
    reach = access(house, caller)
    last = found[-1].event_id if found else cursor
    return Watched(_visible(reach, found), last)


def _visible(reach: Access, found: Sequence[Event]) -> tuple[Event, ...]:
    return tuple(event for event in found if _may_see(reach, event))


def _may_see(reach: Access, event: Event) -> bool:
    if event.kind.startswith("memory."):
        return event.scope_id in reach.visible
    if event.principal_id == reach.caller.principal_id:
        return True
    approving = {scope.scope_id for scope in reach.scopes if scope.approver_must_differ}
    return event.scope_id in approving and event.scope_id in reach.writable
