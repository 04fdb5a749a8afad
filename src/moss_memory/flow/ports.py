"""What the use cases need from outside, as Protocols: Memory, Desk, Parser, Writer.

Every implementation of a port passes one contract suite (tests/adapters). Flows hand values in
and take values out; a write is *load, decide, write*: ``Memory.transact`` opens the transaction,
calls the flow's two pure functions and commits what they return, and may run all of it again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, TypeVar

from moss_memory.core.fact import Memory, Pair
from moss_memory.core.rules import Policy
from moss_memory.flow.ports_desk import (
    Desk,
    Pending,
    ReferenceFacts,
    Session,
)
from moss_memory.flow.ports_language import (
    Parser,
    Utterance,
    Writer,
    Written,
)
from moss_memory.flow.ports_search import (
    Finder,
    Found,
    Search,
)
from moss_memory.flow.records import Record, Records
from moss_memory.flow.store_values import (
    ChainReport,
    Change,
    Chat,
    Decision,
    Entry,
    Event,
    EventKind,
    Frame,
    IdempotencyKey,
    Loaded,
    Opened,
    Outcome,
    Page,
    Probe,
    Query,
    Receipt,
    Reference,
    Replay,
    Space,
    Standing,
    Step,
)

__all__ = [
    "ChainReport",
    "Change",
    "Chat",
    "Decision",
    "Defaults",
    "Desk",
    "Entry",
    "Event",
    "EventKind",
    "Finder",
    "Found",
    "Frame",
    "House",
    "IdempotencyKey",
    "Loaded",
    "MemoryStore",
    "Opened",
    "Outcome",
    "Page",
    "Parser",
    "Pending",
    "Probe",
    "Query",
    "Receipt",
    "Record",
    "Records",
    "Reference",
    "ReferenceFacts",
    "Replay",
    "Search",
    "Session",
    "Space",
    "Standing",
    "Step",
    "Utterance",
    "Writer",
    "Written",
]

T = TypeVar("T")


class MemoryStore(Protocol):
    """The Memory port: bi-temporal revisions, and one guarantee under concurrency.

    Raises StorageUnavailableError when the database cannot be reached in time and nothing was
    written, OutcomeUnknownError when the reply to COMMIT was lost.
    """

    def transact(
        self,
        entry: Entry,
        frame: Callable[[Opened], Frame],
        decide: Callable[[Opened, Loaded], Step[T]],
    ) -> T:
        """Claim the spaces, load the frame, decide, write, commit; all of it again on conflict."""
        ...

    def replay(self, tenant_id: str, principal_id: str, key: IdempotencyKey) -> Replay | None:
        """Return the first answer kept under a key, before anything costly is repeated."""
        ...

    def standing(self, tenant_id: str, principal_id: str) -> Standing:
        """Return zone, locale and grants of a principal; defaults for one never seen."""
        ...

    def newest(self, tenant_id: str, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        """Return the newest revision of each id that exists."""
        ...

    def exact(self, tenant_id: str, references: Sequence[Reference]) -> Mapping[Reference, Memory]:
        """Return the revisions named."""
        ...

    def revisions(self, tenant_id: str, memory_id: str) -> tuple[Memory, ...]:
        """Return all revisions, oldest first; empty for an unknown id."""
        ...

    def page(self, tenant_id: str, query: Query) -> Page:
        """Return one page of a list."""
        ...

    def records(
        self, tenant_id: str, principal_id: str, asked: Callable[[Standing], Query]
    ) -> Records:
        """Return one page of a list, flat, of the query that a principal's standing leads to.

        ``asked`` may be called with standings that are no more; the last one holds.
        """
        ...

    def seen(
        self, tenant_id: str, principal_id: str, memory_ids: Sequence[str]
    ) -> tuple[Standing, Mapping[str, Memory]]:
        """Return ``standing`` and ``newest`` of one snapshot."""
        ...

    def known(self, tenant_id: str, memory_id: str, query: Query) -> Memory | None:
        """Return the revision of one memory that ``query.known_at`` or ``known_epoch`` knew."""
        ...

    def candidates(
        self, tenant_id: str, probes: Sequence[Probe]
    ) -> tuple[tuple[Memory, ...], frozenset[Pair]]:
        """Return what a frame would load, without claiming anything (``/lint``, dry runs)."""
        ...

    def decisions(self, tenant_id: str, *, memory_id: str) -> tuple[Decision, ...]:
        """Return the decisions that name a memory, oldest first."""
        ...

    def decision(
        self, tenant_id: str, *, decision_id: str | None = None, pending_id: str | None = None
    ) -> Decision | None:
        """Return a decision by its id, or the one that held a question."""
        ...

    def outcome(self, tenant_id: str, pending_id: str) -> Outcome | None:
        """Return how a question was settled, None while it is open or unknown."""
        ...

    def chats(self, tenant_id: str, chat_ids: Sequence[str]) -> Mapping[str, Chat]:
        """Return the chat rows that are still kept."""
        ...

    def last_event(self, tenant_id: str) -> str:
        """Return the cursor behind the newest committed event, empty where there is none."""
        ...

    def events(self, tenant_id: str, *, after: str, limit: int) -> tuple[Event, ...]:
        """Return committed events after a cursor, in order; empty is the beginning."""
        ...

    def verify(self, tenant_id: str) -> ChainReport:
        """Walk every hash chain of the tenant and name the first row that does not fit."""
        ...

    def check(self) -> Mapping[str, str]:
        """Return the state of the database and its migrations by check name: ok, or a code."""
        ...

    def close(self) -> None:
        """Give back every connection."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What a request falls back to: zone and locale, and how long questions and sessions live."""

    timezone: str = "UTC"
    locale: str = "en"
    pending_seconds: int = 1800
    session_seconds: int = 1800
    pending_cap: int = 20
    chat_history: Literal["off", "masked"] = "masked"
    lint_from: Literal["sql", "cache"] = "sql"


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """Everything that a use case may reach, put together once by the composition root.

    ``clock`` returns an aware UTC instant, ``ids`` a fresh UUIDv7, ``secret`` 128 random bits as
    text for ids that must not be guessed.
    """

    memory: MemoryStore
    desk: Desk
    parser: Parser
    writer: Writer | None
    policy: Policy
    clock: Callable[[], datetime]
    ids: Callable[[], str]
    secret: Callable[[], str]
    defaults: Defaults = field(default_factory=Defaults)
    finder: Finder | None = None  # None: contexts read every visible memory
