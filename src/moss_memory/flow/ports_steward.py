"""What keeping and destroying needs from outside: the erasure of a principal, and its ledger.

Raises StorageUnavailableError when the database cannot be reached and nothing was written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Erasure:
    """An entry of the ledger; ``recorded_at`` is UTC, ``counts`` are rows destroyed by kind."""

    erasure_id: str
    principal_id: str
    requested_by: str
    recorded_at: datetime
    counts: Mapping[str, int] = field(default_factory=dict)


class StewardStore(Protocol):
    """The StewardStore port: destroying what must go, in one transaction each time."""

    def erase(
        self,
        tenant_id: str,
        principal_id: str,
        *,
        erasure_id: str,
        by: str,
        request_id: str = "",
        desk: Mapping[str, int] | None = None,
    ) -> Mapping[str, int]:
        """Destroy a principal's words and enter it in the ledger; how many of each kind went.

        What is the principal's own goes, chats and stored answers too; in shared scopes the
        memory stays and its writer becomes ``erased``. The chains still verify. ``desk`` is what
        went from the Desk, which the ledger keeps as well. The second time everything is zero.
        """
        ...

    def ledger(self, tenant_id: str) -> tuple[Erasure, ...]:
        """Return the erasures of a tenant, oldest first."""
        ...

    def apply_again(self, tenant_id: str, entries: Sequence[Erasure]) -> Mapping[str, int]:
        """Erase what a restored backup has brought back; to be run before it serves."""
        ...
