"""What time changes: what expired becomes inactive, series go on, old words and rows go.

Nothing waits for a sweep to be correct: an expired memory is in no list, verdict or prompt from
its instant on. The sweep makes it part of history, and removes what is kept for a time only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from moss_memory.core.fact import Memory
from moss_memory.flow import answers
from moss_memory.flow.extending import SWEEPER, SeriesStore, extend_all
from moss_memory.flow.ports import Change, Decision, Entry, Event, Frame, House, Opened, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long things are kept beyond their use."""

    chats: timedelta = timedelta(days=90)
    answers: timedelta = timedelta(days=2)  # at least the day that a key is promised for
    events: timedelta = timedelta(days=7)
    revisions: int = 100  # of one memory, whose words are kept


class SweepStore(SeriesStore, Protocol):
    """The SweepStore port: removals in small batches, each a transaction of its own."""

    def tenants(self) -> Sequence[str]:
        """Return the tenants that have memories."""
        ...

    def due(self, tenant_id: str, *, now: datetime, limit: int = 1000) -> Sequence[Memory]:
        """Return active memories whose ``expires_at`` has come, the longest overdue first."""
        ...

    def history(self, tenant_id: str, *, kept: int) -> int:
        """Remove the words of all but the newest revisions of each memory."""
        ...

    def chats(self, tenant_id: str, *, before: datetime) -> int:
        """Remove chats recorded before an instant."""
        ...

    def answers(self, tenant_id: str, *, before: datetime) -> int:
        """Remove first answers kept under an Idempotency-Key before an instant."""
        ...

    def events(self, tenant_id: str, *, before: datetime) -> int:
        """Remove events before an instant."""
        ...


def sweep(
    house: House, store: SweepStore, retention: Retention, *, tenant_id: str, asks: bool = True
) -> Mapping[str, int]:
    """Sweep one tenant; how many of each kind went, and how many series went on.

    ``asks`` False opens no question about a series: the Desk of this process outlives it not.
    """
    now = house.clock()
    return {
        "expired": _expire_all(house, store, tenant_id),
        **extend_all(house, store, tenant_id, asks=asks),
        "payloads": store.history(tenant_id, kept=retention.revisions),
        "chats": store.chats(tenant_id, before=now - retention.chats),
        "answers": store.answers(tenant_id, before=now - retention.answers),
        "events": store.events(tenant_id, before=now - retention.events),
    }


def _expire_all(house: House, store: SweepStore, tenant_id: str) -> int:
    total = 0
    while due := store.due(tenant_id, now=house.clock()):
        gone = sum(_expire(house, tenant_id, memory) for memory in due)
        total += gone
        if not gone:  # somebody else is sweeping the same ones
            break
    return total


def _expire(house: House, tenant_id: str, memory: Memory) -> bool:
    """Make one expired memory inactive, unless a revision has come between."""
    entry = Entry(
        tenant_id=tenant_id,
        principal_id=SWEEPER,
        request_id=SWEEPER,
        writes=frozenset({(memory.owner, memory.fact.domain)}),
        memory_ids=(memory.memory_id,),
    )

    def decide(opened: Opened, _loaded: object) -> Step[bool]:
        newest = opened.memories.get(memory.memory_id)
        if newest is None or not newest.active or newest.revision != memory.revision:
            return Step(False)
        return Step(True, _change(house, newest, opened))

    return house.memory.transact(entry, lambda _opened: Frame(), decide)


def _change(house: House, memory: Memory, opened: Opened) -> Change:
    decision_id = house.ids()
    gone = replace(
        memory,
        revision=memory.revision + 1,
        active=False,
        inactive_reason="expired",
        windows=(),
        epoch=opened.epochs[(memory.owner, memory.fact.domain)],
        recorded_at=opened.recorded_at,
        provenance=replace(memory.provenance, decision_id=decision_id),
    )
    return Change(
        operation="expire",
        decision=Decision(
            decision_id=decision_id,
            outcome="EXPIRED",
            rules_version=house.policy.rules_version,
            actor=SWEEPER,
            memories=(answers.reference(gone),),
            recorded_at=opened.recorded_at,
        ),
        revisions=(gone,),
        events=(
            Event(
                kind="memory.retired",
                scope_id=gone.owner,
                ids=(gone.memory_id,),
                revision=gone.revision,
                status="inactive",
            ),
        ),
    )
