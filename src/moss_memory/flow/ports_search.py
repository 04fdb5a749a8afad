"""The Finder port: memories that may bear on a question, without reading all of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from moss_memory.core.fact import Memory, Pair
from moss_memory.flow.store_values import Probe, Space, Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a context looks for, from several sides; each gives at most ``limit`` memories.

    ``probes`` find what touches the time asked about, nearest to ``at`` first (None: to ``now``);
    ``words`` what shares the most, and the rarest, tokens of ``core.relevance.terms``;
    ``predicates`` the newest of those kinds; the ``newest`` of any kind join them, and the newest
    that are inactive. ``scopes``, ``domains`` and ``now`` are as in ``Query``.
    """

    scopes: tuple[str, ...]
    now: datetime
    at: datetime | None = None
    probes: tuple[Probe, ...] = ()
    words: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    limit: int = 50
    newest: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found of one snapshot, each memory once; ``total`` counts all active ones.

    ``waived`` pairs among them were allowed to overlap. ``known_epoch`` is the newest epoch of
    every space read.
    """

    memories: tuple[Memory, ...]
    total: int
    waived: frozenset[Pair] = frozenset()
    known_epoch: Mapping[Space, int] = field(default_factory=dict)


class Finder(Protocol):
    """Looks memories up for a context without reading all of them; errors as MemoryStore."""

    def search(self, tenant_id: str, search: Search) -> Found:
        """Return the memories that may bear on a question."""
        ...

    def sought(
        self, tenant_id: str, principal_id: str, asked: Callable[[Standing], Search | None]
    ) -> Found | None:
        """Search for what ``asked`` makes of a principal's standing, None where that is nothing.

        ``asked`` may be called with standings that are no more; the last one holds.
        """
        ...

    def count(self, tenant_id: str, search: Search) -> int:
        """Count the active memories of the scopes and domains of a search, reading none."""
        ...
