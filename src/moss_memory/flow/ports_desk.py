"""The Desk port: what may be lost. Open questions, sessions, cached facts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from moss_memory.core.fact import Fact, Memory
from moss_memory.core.linter import ActionName
from moss_memory.flow.store_values import Reference, Space
from moss_memory.language.proposal import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """An open question: what the server will write, and what the person was shown.

    ``facts`` are whole, after screening. ``operation`` and ``target`` say what a revise, retire
    or restore would change; ``shown`` are the revisions named in the question, with their rules.
    ``fingerprint`` is equal for the same fact proposed again over the same conflicts.
    """

    pending_id: str
    tenant_id: str
    principal_id: str
    scope_ids: tuple[str, ...]
    operation: Operation | Literal["restore"]
    facts: tuple[Fact, ...]
    targets: tuple[Reference, ...] = ()
    shown: tuple[Reference, ...]
    actions: tuple[ActionName, ...]
    decision_id: str
    expires_at: datetime
    fingerprint: str
    rules_version: str
    timezone: str
    locale: str
    chat_id: str | None = None
    session_id: str | None = None
    parser: str | None = None
    model: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Working memory of one conversation: ids and codes of the last turns, never raw words."""

    session_id: str
    tenant_id: str
    principal_id: str
    dialog_state: Mapping[str, Any] = field(default_factory=dict)
    pending_ids: tuple[str, ...] = ()
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceFacts:
    """Active memories of a space as read at ``epoch``: proven fresh by the epoch at commit."""

    space: Space
    epoch: int
    rules_version: str
    grants_hash: str
    read_at: datetime
    memories: tuple[Memory, ...]


class Desk(Protocol):
    """The Desk port: what may be lost. Every method may raise PendingStoreUnavailableError.

    A value of another tenant or principal, of another schema or past its own expiry is absent.
    """

    def hold(self, pending: Pending, *, cap: int, now: datetime) -> Pending:
        """Keep a question until it expires; the open one with its fingerprint wins over it.

        Raises:
            TooManyPendingsError: the principal has ``cap`` open questions.
        """
        ...

    def pending(self, tenant_id: str, pending_id: str, *, now: datetime) -> Pending | None:
        """Return an open question."""
        ...

    def pendings(
        self, tenant_id: str, principal_id: str, *, scope_ids: Sequence[str] = (), now: datetime
    ) -> tuple[Pending, ...]:
        """Return the open questions of a principal, and those of the scopes, oldest first."""
        ...

    def drop(self, pending: Pending) -> None:
        """Forget a question that was settled; absent is fine."""
        ...

    def session(
        self, tenant_id: str, principal_id: str, session_id: str, *, now: datetime
    ) -> Session | None:
        """Return a session that has not expired."""
        ...

    def keep_session(self, session: Session, *, now: datetime) -> None:
        """Keep a session until it expires."""
        ...

    def end_session(self, tenant_id: str, principal_id: str, session_id: str) -> None:
        """Forget a session."""
        ...

    def reference(
        self, tenant_id: str, principal_id: str, space: Space, *, now: datetime
    ) -> ReferenceFacts | None:
        """Return the cached facts of a space."""
        ...

    def keep_reference(
        self, tenant_id: str, principal_id: str, facts: ReferenceFacts, *, now: datetime
    ) -> None:
        """Cache the facts of a space, unless a newer epoch is cached already."""
        ...

    def forget(self, tenant_id: str, principal_id: str) -> Mapping[str, int]:
        """Erase all of a principal: how many pendings and cache_keys went."""
        ...

    def check(self) -> str:
        """Return ok, or a code that says why the Desk cannot be used now."""
        ...

    def close(self) -> None:
        """Give back every connection."""
        ...
