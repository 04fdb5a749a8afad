"""What the use cases are asked and what they answer: values between the wire and the flows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from moss_memory.core.fact import EventStatus, Fact, Memory, Source, Transparency
from moss_memory.core.interval import Interval
from moss_memory.core.interval import Relation as TimeRelation
from moss_memory.core.linter import ActionName, Relation, Status
from moss_memory.core.when import When
from moss_memory.flow.ports import IdempotencyKey, Record, Space
from moss_memory.language.proposal import Intent, Operation, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class FactIn:
    """A fact as a client states it; None takes the default of the HTTP contract."""

    domain: str
    subject: str
    predicate: str
    object_value: str
    scope_id: str | None = None
    when: When | None = None
    status: EventStatus = "confirmed"
    transparency: Transparency = "busy"
    buffer_before: int = 0
    buffer_after: int = 0
    source: Source | None = None
    confidence: float | None = None
    source_ref: str | None = None
    observed_at: datetime | None = None
    expires_at: datetime | None = None
    hard: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What every request carries besides its body. Zone and locale None: the principal's."""

    request_id: str
    key: IdempotencyKey | None = None
    timezone: str | None = None
    locale: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionCheck:
    """The revision that the caller has seen, from If-Match or from the body or query.

    Neither given, or ``*``: RevisionRequiredError; both and different: PreconditionMismatchError.
    """

    if_match: int | Literal["*"] | None = None
    expected: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposeRequest:
    """``POST /memories``."""

    facts: tuple[FactIn, ...]
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviseRequest:
    """``PATCH /memories/{id}``: ``fields`` holds the given ones only, None clears."""

    memory_id: str
    fields: Mapping[str, Any]  # keys of FactIn; `when` as a When
    check: RevisionCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """``GET /memories``; ``known_epoch`` and ``cursor`` are the opaque words given earlier."""

    domain: str | None = None
    predicate: str | None = None
    subject: str | None = None
    scope_id: str | None = None
    status: Literal["active", "inactive", "all"] = "active"
    overlaps: Interval | None = None
    valid_at: datetime | None = None
    known_at: datetime | None = None
    known_epoch: str | None = None
    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAnswer:
    """One page; ``known_epoch`` where the past was asked for."""

    items: tuple[Memory, ...]
    next_cursor: str | None
    known_epoch: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordAnswer:
    """One page, flat; ``known_epoch`` where the past was asked for."""

    items: tuple[Record, ...]
    next_cursor: str | None
    known_epoch: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionView:
    """A button: what it does, in words and in effect."""

    action: ActionName
    label: str
    writes: int
    retires: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingView:
    """A finding as the wire shows it; ``memory_id`` None for another fact or a hidden memory."""

    memory_id: str | None
    revision: int | None
    fact_index: int
    other_fact_index: int | None
    relation: Relation | None
    time_relation: TimeRelation | None
    verdict: Status
    rule_id: str
    reason: str | None
    actions: tuple[ActionName, ...]
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictView:
    """A verdict as the wire shows it; ``verdicts`` one per fact (``/lint``)."""

    status: Status
    conflict_type: str
    findings: tuple[FindingView, ...]
    notes: tuple[str, ...]
    rules_version: str
    verdicts: tuple[Status, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingView:
    """An open question as the wire shows it."""

    pending_id: str
    expires_at: datetime
    facts: tuple[Fact, ...]
    actions: tuple[ActionView, ...] = ()
    verdict: VerdictView | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a write, a hold, a refusal or a confirm comes to.

    ``status`` is a Verdict's, or CANCELLED. ``facts`` are those written (or the existing ones),
    ``superseded`` those retired or replaced. ``action`` is set by ``/confirm`` only.
    """

    http_status: int
    status: str
    verdict: VerdictView
    facts: tuple[Memory, ...] = ()
    superseded: tuple[Memory, ...] = ()
    pending: PendingView | None = None
    actions: tuple[ActionView, ...] = ()
    decision_id: str | None = None
    action: str | None = None
    reply: str = ""
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """``POST /chat``; ``reference_time`` None is now."""

    text: str
    session_id: str | None = None
    reference_time: datetime | None = None
    scope_id: str | None = None
    debug: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAnswer:
    """What an utterance comes to. ``verdict`` None where nothing was proposed.

    ``status`` is a Verdict's, or ANSWERED, or CLARIFY (then ``question`` says what is unclear).
    ``refused``: a model's words did not agree with the context, and the template spoke.
    """

    chat_id: str
    session_id: str
    intent: Intent
    operation: Operation | None
    status: str
    verdict: VerdictView | None
    reply: str
    reply_source: Literal["model", "template"]
    rules_version: str
    facts: tuple[Memory, ...] = ()
    superseded: tuple[Memory, ...] = ()
    pending: PendingView | None = None
    actions: tuple[ActionView, ...] = ()
    question: Question | None = None
    decision_id: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    trace: tuple[Mapping[str, Any], ...] | None = None
    refused: bool = False
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionIn:
    """A caller's own block of a context: counted, cut by priority, never stored."""

    priority: Literal["P0", "P1", "P2", "P4", "P5"]
    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    """``POST /context``."""

    query: str | None = None
    token_budget: int = 1024
    window: Interval | None = None
    domains: tuple[str, ...] = ()
    current: tuple[FactIn, ...] = ()
    sections: tuple[SectionIn, ...] = ()
    session_id: str | None = None
    reference_time: datetime | None = None
    known_at: datetime | None = None
    known_epoch: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IncludedLine:
    """Why one memory stands in the context; ``parts`` are what its relevance is the sum of."""

    memory_id: str
    revision: int
    scope_id: str
    source: Source
    confidence: float
    relevance: float
    tokens: int
    priority: str
    hard: bool
    decision_id: str
    related: tuple[str, ...] = ()
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextAnswer:
    """A context within its budget, and the reason for every line in it and left out of it."""

    text: str
    tokens: int
    token_budget: int
    blocks: tuple[tuple[str, str, int], ...]  # priority, label, tokens
    included: tuple[IncludedLine, ...]
    excluded: tuple[tuple[str, str], ...]  # memory_id, reason
    excluded_by_reason: Mapping[str, int] = field(default_factory=dict)
    denied: int = 0
    known_epoch: Mapping[Space, int] = field(default_factory=dict)
    hash: str = ""
