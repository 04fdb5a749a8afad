"""What the use cases need from outside, as Protocols: Memory, Desk, Parser, Writer.

Every implementation of a port passes one contract suite (tests/adapters). Flows hand values in
and take values out; a write is *load, decide, write*: ``Memory.transact`` opens the transaction,
calls the flow's two pure functions and commits what they return, and may run all of it again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Literal, Protocol, TypeVar

from moss_memory.core.access import Grant
from moss_memory.core.fact import Fact, Memory, Pair
from moss_memory.core.interval import Interval
from moss_memory.core.linter import ActionName
from moss_memory.core.rules import Policy
from moss_memory.language.proposal import Operation, Parsed

T = TypeVar("T")

Space = tuple[str, str]  # (owner, domain); the owner is the scope's id, see core/access
Reference = tuple[str, int]  # (memory_id, revision)
EventKind = Literal["memory.written", "memory.retired", "pending.opened", "pending.settled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the store says of a principal: zone and locale (None: the service's), grants."""

    timezone: str | None = None
    locale: str | None = None
    grants: tuple[Grant, ...] = ()
    erased: bool = False


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """The caller's key for one route, and the hash of the canonical request."""

    route: str
    key: str
    request_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """An answer without its words: ids, revisions, codes. What it says is rendered from these.

    ``kind`` names the route's answer; ``data`` holds JSON values only, never what a user said.
    """

    kind: str
    http_status: int
    decision_id: str | None = None
    facts: tuple[Reference, ...] = ()
    superseded: tuple[Reference, ...] = ()
    pending_id: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Replay:
    """A stored first answer: ``request_hash`` tells whether it was the same request."""

    request_hash: str
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A settled question: the single-use guard and the answer to give again.

    ``successor`` names the fresh question where this one was replaced (verdict_changed).
    """

    pending_id: str
    principal_id: str
    action: str
    receipt: Receipt
    successor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Why something was written, held, refused or dropped: ids and codes, never words."""

    decision_id: str
    outcome: str
    rule_ids: tuple[str, ...] = ()
    rules_version: str = ""
    supports: tuple[str, ...] = ()  # evidence: "chat:<id>", "memory:<id>@<revision>"
    contradicts: tuple[str, ...] = ()
    actor: str
    chat_id: str | None = None
    pending_id: str | None = None
    memories: tuple[Reference, ...] = ()
    findings: tuple[Mapping[str, Any], ...] = ()
    recorded_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """What is kept of an utterance: never the raw words; ``masked`` None where history is off."""

    chat_id: str
    principal_id: str
    said_at: datetime
    length: int
    locale: str
    words_hash: str
    masked: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What ``/events`` streams of a change: ids, revision and status, no words."""

    kind: EventKind
    scope_id: str
    ids: tuple[str, ...]
    revision: int | None = None
    status: str = ""
    principal_id: str | None = None  # for pendings: who may see it besides the scope's writers
    event_id: str = ""  # given by the store, ordered within the tenant
    recorded_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """How a write transaction opens: who writes which spaces, and what to look up first.

    ``writes`` are claimed (their epoch raised) before anything is read. ``memory_ids`` and
    ``pending_id`` are looked up under that claim.
    """

    tenant_id: str
    principal_id: str
    request_id: str
    writes: frozenset[Space]
    memory_ids: tuple[str, ...] = ()
    pending_id: str | None = None
    idempotency: IdempotencyKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What the claim found. ``recorded_at`` is UTC and after every earlier commit of the spaces.

    ``epochs`` are those that this commit will carry. ``memories`` are the newest revisions of
    the entry's ids, active or not. ``replay`` and ``outcome`` end the matter where present.
    """

    recorded_at: datetime
    epochs: Mapping[Space, int]
    standing: Standing
    memories: Mapping[str, Memory] = field(default_factory=dict)
    outcome: Outcome | None = None
    replay: Replay | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """Active memories of a space and slot that touch any of the windows (buffers included)."""

    space: Space
    slot: tuple[str, ...]
    windows: tuple[Interval, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What the decision needs to see. ``reads`` are spaces only read: locked FOR SHARE first."""

    probes: tuple[Probe, ...] = ()
    reads: frozenset[Space] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What the frame showed: candidates by memory_id, and the waivers between them."""

    candidates: tuple[Memory, ...] = ()
    waived: frozenset[Pair] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """All that one transaction writes, or nothing of it.

    ``revisions`` are whole: revision 1 is a new memory, any other moves its head from the one
    before. ``receipt`` is stored under the entry's idempotency key, ``outcome`` under its
    pending. ``standing`` replaces the principal's zone and locale where given.
    """

    operation: str
    decision: Decision
    revisions: tuple[Memory, ...] = ()
    waivers: tuple[Pair, ...] = ()
    receipt: Receipt | None = None
    outcome: Outcome | None = None
    chat: Chat | None = None
    events: tuple[Event, ...] = ()
    standing: Standing | None = None


@dataclass(frozen=True, slots=True)
class Step(Generic[T]):
    """A decision: what to answer, and what to write first (None: roll back)."""

    answer: T
    change: Change | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a list asks for. None and empty are "any"; ``scopes`` is never wider than visible.

    ``state`` filters on the computed status at ``now`` (an expired memory is inactive).
    ``known_at`` is resolved once to ``known_epoch``, the newest epoch at or before it in every
    space read. ``cursor`` is ``(recorded_at, memory_id)`` of the last row given.
    """

    scopes: tuple[str, ...]
    now: datetime
    domains: tuple[str, ...] = ()
    predicate: str | None = None
    subject: str | None = None
    subject_prefix: str | None = None
    state: Literal["active", "inactive", "all"] = "active"
    overlaps: Interval | None = None
    valid_at: datetime | None = None
    known_at: datetime | None = None
    known_epoch: Mapping[Space, int] | None = None
    cursor: tuple[datetime, str] | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Memories newest first by recorded_at, then memory_id; ``more`` says whether any follow."""

    items: tuple[Memory, ...]
    more: bool = False
    known_epoch: Mapping[Space, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainReport:
    """The hash chains of a tenant: ``first_bad`` is ``(space id, epoch)``, None where all hold."""

    ok: bool
    checked: int
    first_bad: tuple[str, int] | None = None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a context looks for, from several sides; each gives at most ``limit`` memories.

    ``probes`` find what touches the time asked about (all of it), ``words`` what shares the most
    tokens of ``core.relevance.terms``, ``predicates`` the newest of those kinds; the ``newest`` of
    any kind join them, and the newest that are inactive. ``scopes``, ``domains`` and ``now`` are
    as in ``Query``.
    """

    scopes: tuple[str, ...]
    now: datetime
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What was said: ``reference`` is aware and resolves relative words, in ``zone``."""

    text: str
    reference: datetime
    zone: str
    locale: str
    principal_id: str = ""


class Parser(Protocol):
    """The Parser port: words -> an untrusted proposal.

    Raises ModelBadOutputError, ModelUnavailableError or ModelTimeoutError; nothing else.
    """

    @property
    def name(self) -> str:
        """The provenance word: offline, or gemini:<model id>."""
        ...

    async def parse(self, utterance: Utterance) -> Parsed:
        """Say what an utterance means."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A worded answer and what it cost in tokens."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Writer(Protocol):
    """The Writer port: words an answer from a context alone; errors as for the Parser."""

    async def write(self, question: str, context: str, *, locale: str) -> Written | None:
        """Word an answer; None leaves it to the template."""
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
