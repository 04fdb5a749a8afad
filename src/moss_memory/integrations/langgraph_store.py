"""LangGraph's long-term memory over the service: ``MossStore``, a ``BaseStore``.

An item is one memory ``Store/<namespace>/item``, its value JSON text of up to 16 KiB. Putting
another value supersedes the old one, which stays in the history; putting an equal one changes
nothing. What the rules do not let pass unasked raises ``StoreConflictError``. Texts in a value are
screened like any other: a telephone number comes back masked, a password is refused.

``index`` is ignored: a search with a query ranks by the service's own relevance, and what is not
relevant follows unscored. Without a query the items last written come first.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final, Literal, Self

from langgraph.store.base import (
    NOT_PROVIDED,
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    NotProvided,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)
from typing_extensions import TypedDict, Unpack

from moss_memory.core.fact import Source
from moss_memory.integrations.client import MossClient, problems
from moss_memory.integrations.client_values import FactIn, Instant, Memory, Pending, is_held
from moss_memory.integrations.langgraph_item import (
    DOMAIN,
    PREDICATE,
    MossItem,
    StoreConflictError,
    life,
    renewed,
    split_revision,
)
from moss_memory.integrations.langgraph_kept import KeptItems
from moss_memory.integrations.langgraph_names import kept_subject_of, subject_of, text_of

__all__ = ["MossItem", "MossStore", "StoreConflictError", "Terms"]

_TRIES: Final = 8  # of a write that others get in the way of


class Terms(TypedDict, total=False):
    """How a value is put, beyond LangGraph's interface.

    ``expected_revision`` writes only over that revision. ``hard`` keeps other values out until a
    person agrees. ``source``, ``confidence`` and ``observed_at`` say where the value comes from.
    """

    expected_revision: str
    hard: bool
    source: Source
    confidence: float
    observed_at: Instant


def _now() -> datetime:
    return datetime.fromtimestamp(time.time_ns() / 1e9, UTC)


class MossStore(BaseStore):
    """The store; close it, or use it in a ``with`` block. Safe to share between threads.

    Beyond the interface, ``get`` and ``search`` take ``as_of`` (what was known at an instant),
    ``put`` takes ``Terms``, and ``history`` shows every revision of an item.
    """

    supports_ttl = True

    def __init__(
        self,
        base_url: str = "",
        api_key: str = "",
        *,
        scope_id: str | None = None,
        ttl: TTLConfig | None = None,
        client: MossClient | None = None,
        clock: Callable[[], datetime] = _now,
        **terms: Unpack[Terms],
    ) -> None:
        """Open the store of the key's principal, or of a scope that it shares.

        Args:
            base_url: where the service is.
            api_key: whose memory this is.
            scope_id: None is the principal's own.
            ttl: ``default_ttl`` in minutes, and ``refresh_on_read``.
            client: instead of ``base_url`` and ``api_key``.
            clock: the instant, UTC, from which a life is counted.
            terms: of every put that does not say otherwise.
        """
        self.client = client or MossClient(base_url, api_key)
        self.ttl_config = ttl
        self._kept = KeptItems(self.client, scope_id)
        self._clock = clock
        self._terms = terms

    def __enter__(self) -> Self:
        """Return the store; leaving the block closes it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self.client.close()

    # The interface: everything comes down to batches of operations.

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations: all reads see what was there before, then the writes come in order.

        Of several writes to one key the last counts. They are no transaction: where one raises,
        those before it are done.
        """
        listed = list(ops)
        _check(listed)
        results = [self._read(op) for op in listed]
        for put in _last_of_each(listed):
            self._write(put, {})
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations as ``batch`` does, the reads side by side."""
        listed = list(ops)
        _check(listed)
        results = await asyncio.gather(*(asyncio.to_thread(self._read, op) for op in listed))
        for put in _last_of_each(listed):
            await asyncio.to_thread(self._write, put, {})
        return list(results)

    def get(
        self,
        namespace: tuple[str, ...],
        key: str,
        *,
        refresh_ttl: bool | None = None,
        as_of: Instant | None = None,
    ) -> MossItem | None:
        """Return the item; with ``as_of`` the one that was known then."""
        op = GetOp(namespace, str(key), self._refresh(refresh_ttl))
        _check([op])
        return self._get(op, as_of)

    async def aget(
        self,
        namespace: tuple[str, ...],
        key: str,
        *,
        refresh_ttl: bool | None = None,
        as_of: Instant | None = None,
    ) -> MossItem | None:
        """Return the item, as ``get``."""
        return await asyncio.to_thread(
            self.get, namespace, key, refresh_ttl=refresh_ttl, as_of=as_of
        )

    def search(
        self,
        namespace_prefix: tuple[str, ...],
        /,
        *,
        query: str | None = None,
        filter: dict[str, Any] | None = None,  # noqa: A002 - the interface's own
        limit: int = 10,
        offset: int = 0,
        refresh_ttl: bool | None = None,
        as_of: Instant | None = None,
    ) -> list[SearchItem]:
        """Return items in and below a namespace; with ``as_of`` those that were known then."""
        refresh = self._refresh(refresh_ttl)
        op = SearchOp(namespace_prefix, filter, limit, offset, query, refresh)
        _check([op])
        return self._search(op, as_of)

    async def asearch(
        self,
        namespace_prefix: tuple[str, ...],
        /,
        *,
        query: str | None = None,
        filter: dict[str, Any] | None = None,  # noqa: A002 - the interface's own
        limit: int = 10,
        offset: int = 0,
        refresh_ttl: bool | None = None,
        as_of: Instant | None = None,
    ) -> list[SearchItem]:
        """Return items, as ``search``."""
        refresh = self._refresh(refresh_ttl)
        op = SearchOp(namespace_prefix, filter, limit, offset, query, refresh)
        _check([op])
        return await asyncio.to_thread(self._search, op, as_of)

    def put(
        self,
        namespace: tuple[str, ...],
        key: str,
        value: Mapping[str, Any],
        index: Literal[False] | list[str] | None = None,
        *,
        ttl: float | NotProvided | None = NOT_PROVIDED,
        **terms: Unpack[Terms],
    ) -> None:
        """Store a value, which supersedes the one before.

        Raises:
            StoreConflictError: the rules want a person's answer first.
            RevisionConflictError: the item is not at ``expected_revision`` any more.
            NotAdmittedError, TextRefusedError, TextTooLongError: the service refuses the value.
        """
        if not namespace or namespace[0] == "langgraph":
            raise InvalidNamespaceError("A namespace has a first label, and not 'langgraph'.")
        op = PutOp(namespace, str(key), value, index, self._life(ttl))
        _check([op])
        self._write(op, terms)

    async def aput(
        self,
        namespace: tuple[str, ...],
        key: str,
        value: Mapping[str, Any],
        index: Literal[False] | list[str] | None = None,
        *,
        ttl: float | NotProvided | None = NOT_PROVIDED,
        **terms: Unpack[Terms],
    ) -> None:
        """Store a value, as ``put``."""
        await asyncio.to_thread(self.put, namespace, key, value, index, ttl=ttl, **terms)

    def history(self, namespace: tuple[str, ...], key: str) -> list[MossItem]:
        """Return every revision of an item that the service keeps, oldest first."""
        subject = subject_of(namespace, str(key))
        items = [
            MossItem(revision)
            for memory in self._kept.memories(subject=subject, status="all")
            for revision in self.client.revisions(memory["memory_id"])
        ]
        return sorted(items, key=lambda item: (item.updated_at, item.active))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._kept.namespaces(op)
        if isinstance(op, PutOp):
            return None
        raise ValueError(f"Unknown operation type: {type(op)}")

    def _get(self, op: GetOp, as_of: Instant | None = None) -> MossItem | None:
        memory = self._kept.current(subject_of(op.namespace, op.key), as_of)
        if memory is None:
            return None
        item = MossItem(memory)
        if op.refresh_ttl and as_of is None:
            self._renew([item])
        return item

    def _search(self, op: SearchOp, as_of: Instant | None = None) -> list[SearchItem]:
        found = self._kept.search(op, as_of)
        if op.refresh_ttl and as_of is None:
            self._renew(found)
        return list(found)

    def _write(self, op: PutOp, terms: Terms) -> None:
        if op.value is None:
            self._delete(subject_of(op.namespace, op.key))
            return
        terms = {**self._terms, **terms}
        expected = terms.pop("expected_revision", None)
        details = {**terms, **life(op.ttl, self._clock())}
        if expected is None:
            self._propose(op, details)
        else:
            self._revise(op, expected, {**details, "object_value": text_of(op.value)})

    def _propose(self, op: PutOp, details: Mapping[str, Any]) -> None:
        assert op.value is not None
        fact: FactIn = {
            "domain": DOMAIN,
            "subject": kept_subject_of(op.namespace, op.key),
            "predicate": PREDICATE,
            "object_value": text_of(op.value),
            "scope_id": self._kept.scope_id,
            **details,  # type: ignore[typeddict-item]  # terms and a life, as Terms has them
        }
        answer = self.client.remember(fact)
        for _ in range(_TRIES):
            pending = answer["pending"]
            if pending is None or "observed_at" in details or not self._overtaken(pending):
                break
            self.client.confirm(pending["pending_id"], "cancel")
            answer = self.client.remember(fact)
        if answer["pending"] is not None:
            raise StoreConflictError(op.namespace, op.key, answer)
        if answer["status"] == "NO_CHANGE":
            self._relive(answer["facts"], details)

    def _overtaken(self, pending: Pending) -> bool:
        """Tell whether another put, said later and written first, is all that is in the way.

        The interface promises that the last writer wins; only what is older by its own account
        (``observed_at`` in the terms) or meets a hard value has to ask.
        """
        (said,) = pending["facts"]
        there = self._kept.current(said["subject"])
        if there is None or there["hard"]:
            return False
        later = datetime.fromisoformat(there["observed_at"])
        return later > datetime.fromisoformat(said["observed_at"])

    def _relive(self, same: list[Memory], details: Mapping[str, Any]) -> None:
        """Let an equal value live on as long as the put says: its life is no part of the value."""
        new = {name: details[name] for name in ("expires_at", "source_ref")}
        for memory in same:
            if memory["expires_at"] is not None or new["expires_at"] is not None:
                self._change(MossItem(memory), new)

    def _revise(self, op: PutOp, expected: str, changes: Any) -> None:
        memory_id, revision = split_revision(expected)
        answer = self.client.revise(memory_id, changes, expected_revision=revision)
        if is_held(answer):
            raise StoreConflictError(op.namespace, op.key, answer)

    def _delete(self, subject: str) -> None:
        for _ in range(_TRIES):
            memory = self._kept.current(subject)
            if memory is None:
                return
            try:
                self.client.forget(memory["memory_id"], expected_revision=memory["revision"])
            except problems.RevisionConflictError:
                continue  # somebody wrote in between; what is there now goes
            return
        raise TimeoutError("the item was written again each time it was to be deleted")

    def _renew(self, items: Iterable[MossItem]) -> None:
        for item in items:
            changes = renewed(item, self._clock())
            if changes is not None:
                self._change(item, changes)

    def _change(self, item: MossItem, changes: Any) -> None:
        memory_id, revision = split_revision(item.revision)
        try:
            self.client.revise(memory_id, changes, expected_revision=revision)
        except (
            problems.RevisionConflictError,  # written in between: it has a life of its own
            problems.ScopeNotWritableError,  # a reader may read what it may not keep alive
            problems.MemoryInactiveError,
        ):
            return

    def _refresh(self, told: bool | None) -> bool:  # noqa: FBT001 - of the interface
        if told is not None:
            return told
        return (self.ttl_config or {}).get("refresh_on_read", True)

    def _life(self, told: float | NotProvided | None) -> float | None:
        if isinstance(told, NotProvided):
            return (self.ttl_config or {}).get("default_ttl")
        return told


def _check(ops: Iterable[Op]) -> None:
    for op in ops:
        validate_op_namespace(op)


def _last_of_each(ops: Iterable[Op]) -> list[PutOp]:
    return list({(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}.values())
