"""What keeping and destroying needs from outside: erasure, retention, rebuilt projections.

Raises StorageUnavailableError when the database cannot be reached and nothing was written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from moss_memory.flow.ports_access import Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """One entry of the erasure ledger. ``counts`` are rows destroyed, by kind, true ones.

    Kinds: memories, revisions, payloads, chats, search_rows (the Desk adds pendings and
    cache_keys). ``by`` is the principal who asked for it.
    """

    erasure_id: str
    tenant_id: str
    principal_id: str
    by: str
    erased_at: datetime
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long things are kept: None keeps them."""

    chats: timedelta | None = timedelta(days=90)
    answers: timedelta = timedelta(days=2)  # idempotency rows; at least a day
    revisions: int | None = 100  # whose words are kept of one memory, the newest first


class StewardStore(Protocol):
    """The StewardStore port: destroying what must go, in one transaction each time."""

    def erase(self, erasure: Erasure, *, claim: Claim | None = None) -> Erasure:
        """Destroy a principal's words and enter it in the ledger; its own counts join those given.

        Personal memories (every revision's payload, the head's words), chats, search rows and
        idempotency rows go; in shared scopes the memory stays and its writer becomes ``erased``.
        The chains still verify. A principal erased before: zeros, and no second entry.
        """
        ...

    def erasures(self, tenant_id: str) -> tuple[Erasure, ...]:
        """Return the ledger, oldest first."""
        ...

    def reapply(self, ledger: tuple[Erasure, ...]) -> int:
        """Erase again what a restored backup brought back; how many principals that were."""
        ...

    def sweep(self, retention: Retention, *, now: datetime) -> Mapping[str, int]:
        """Remove what has outlived its retention, over all tenants: chats, answers, payloads."""
        ...

    def rebuild(self) -> Mapping[str, int]:
        """Drop heads and occurrences and make them again from revisions: rows of each."""
        ...
