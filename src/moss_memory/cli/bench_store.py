"""How long one fact takes against 10,000 stored memories: window index, waivers and linter."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_migrate import migrate
from moss_memory.core.fact import Known, Memory, Proposal
from moss_memory.core.linter import Verdict, lint
from moss_memory.core.rules import Policy
from moss_memory.flow.ports import Change, Decision, Entry, Frame, Loaded, Opened, Probe, Step

STORED: Final = 10_000
BATCH: Final = 1_000
SPACE: Final = ("me", "Schedule")


@contextmanager
def filled(policy: Policy, memories: Sequence[Memory], now: datetime) -> Iterator[SqlMemory]:
    """Yield a store on a fresh SQLite file with these memories of one space, gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'bench.db'}"
        migrate(url)
        store = SqlMemory(url, ontology=policy.ontology, clock=lambda: now)
        try:
            for first in range(0, len(memories), BATCH):
                _write(store, memories[first : first + BATCH], now)
            yield store
        finally:
            store.close()


def judging(store: SqlMemory, proposal: Proposal, policy: Policy) -> Callable[[], Verdict]:
    """Return one lint from the database: what ``POST /lint`` does beneath the wire."""
    slot = policy.ontology.slot(proposal.fact, proposal.owner)
    probes = (Probe(space=SPACE, slot=slot, windows=proposal.windows),)

    def once() -> Verdict:
        memories, waived = store.candidates("default", probes)
        return lint([proposal], [Known(m) for m in memories], policy, waived=waived)

    return once


def _write(store: SqlMemory, memories: Sequence[Memory], now: datetime) -> None:
    decision = Decision(decision_id=f"d{memories[0].memory_id}", outcome="SUCCESS", actor="me",
                        recorded_at=now)  # fmt: skip
    entry = Entry(tenant_id="default", principal_id="me", request_id="bench",
                  writes=frozenset({SPACE}))  # fmt: skip

    def frame(_opened: Opened) -> Frame:
        return Frame()

    def decide(_opened: Opened, _loaded: Loaded) -> Step[None]:
        return Step(None, Change(operation="create", decision=decision, revisions=tuple(memories)))

    store.transact(entry, frame, decide)
