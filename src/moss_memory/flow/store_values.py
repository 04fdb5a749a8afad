"""What the Memory port takes and gives: values of one write, one list, one record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from moss_memory.core.access import Grant
from moss_memory.core.fact import Memory, Pair
from moss_memory.core.interval import Interval

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
    ``pending_id`` are looked up under that claim. ``expected_at`` is what the caller's clock says:
    a store may ask for the frame at it, to read with the claim what will be needed. None: not.
    """

    tenant_id: str
    principal_id: str
    request_id: str
    writes: frozenset[Space]
    memory_ids: tuple[str, ...] = ()
    pending_id: str | None = None
    idempotency: IdempotencyKey | None = None
    expected_at: datetime | None = None


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
