"""The items that the service holds: found by name, listed, searched and ranked."""

from collections.abc import Iterator
from typing import Any, Final

from langgraph.store.base import ListNamespacesOp, SearchOp

from moss_memory.integrations.client_sync import MossClient
from moss_memory.integrations.client_values import Instant, Memory
from moss_memory.integrations.langgraph_item import DOMAIN, PREDICATE, MossItem
from moss_memory.integrations.langgraph_names import (
    admits,
    begins,
    known_prefix,
    matches,
    name_of,
    prefix_of,
)

_PAGE: Final = 100
_LONGEST_PREFIX: Final = 512  # characters that the service takes; what is found is looked at here
_FEW: Final = 25  # items that are fetched one by one rather than by reading the whole domain
_WHOLE: Final = 1_000_000  # tokens: everything is ranked, nothing is cut


class KeptItems:
    """The items of one scope; None is the scope of the client's principal."""

    def __init__(self, client: MossClient, scope_id: str | None) -> None:
        self._client = client
        self._scope_id = scope_id

    @property
    def scope_id(self) -> str:
        """The scope's id, asked of the service once where it is the principal's own."""
        if self._scope_id is None:
            self._scope_id = self._client.me()["principal_id"]
        return self._scope_id

    def search(self, op: SearchOp, as_of: Instant | None) -> list[MossItem]:
        """Return the page of items that a search asks for, the last written or fittest first."""
        items = [
            item
            for memory in self._below(op.namespace_prefix, as_of)
            if admits(op.filter, (item := MossItem(memory)).value)
        ]
        items.sort(key=lambda item: item.updated_at, reverse=True)
        if op.query:
            items = self._ranked(items, op.query, as_of)
        return items[op.offset : op.offset + op.limit]

    def namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        """Return the namespaces that hold an item, cut to ``max_depth``, in order."""
        conditions = op.match_conditions or ()
        named = (name_of(each) for each in self._subjects(known_prefix(conditions)))
        found = {
            name[0][: op.max_depth]
            for name in named
            if name and all(matches(name[0], condition) for condition in conditions)
        }
        return sorted(found)[op.offset : op.offset + op.limit]

    def current(self, subject: str, as_of: Instant | None = None) -> Memory | None:
        """Return the active memory of a subject, or the one known to be active then."""
        return next(self.memories(subject=subject, known_at=as_of), None)

    def memories(self, **narrowed: Any) -> Iterator[Memory]:
        """Yield the items' memories, newest first, narrowed as ``MossClient.memories`` does."""
        return self._client.memories(
            domain=DOMAIN, predicate=PREDICATE, scope_id=self.scope_id, limit=_PAGE, **narrowed
        )

    def _below(self, prefix: tuple[str, ...], as_of: Instant | None) -> Iterator[Memory]:
        """Yield the memories in and below a namespace: few by name, many by reading the domain."""
        if prefix and as_of is None:
            subjects = list(self._few(prefix_of(prefix), prefix))
            if len(subjects) <= _FEW:
                found = (self.current(subject) for subject in subjects)
                yield from (memory for memory in found if memory is not None)
                return
        for memory in self.memories(known_at=as_of):
            name = name_of(memory["subject"])
            if name and begins(name[0], prefix):
                yield memory

    def _few(self, spelled: str, prefix: tuple[str, ...]) -> Iterator[str]:
        count = 0
        for subject in self._subjects(spelled):
            name = name_of(subject)
            if name and begins(name[0], prefix):
                yield subject
                count += 1
                if count > _FEW:
                    return

    def _subjects(self, spelled: str) -> Iterator[str]:
        return self._client.namespaces(prefix=spelled[:_LONGEST_PREFIX] or None, limit=_PAGE)

    def _ranked(self, items: list[MossItem], query: str, as_of: Instant | None) -> list[MossItem]:
        context = self._client.context(query, domains=[DOMAIN], token_budget=_WHOLE, known_at=as_of)
        scores = {line["memory_id"]: line["relevance"] for line in context["included"]}
        for item in items:
            item.score = scores.get(item.memory_id) or None
        return sorted(items, key=lambda item: item.score or 0.0, reverse=True)
