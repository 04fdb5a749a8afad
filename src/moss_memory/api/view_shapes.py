"""The shapes of what goes out, for mypy and for OpenAPI alike: field by field the contract's.

They are typed dictionaries and not models: a model per row of a list costs three times the
list. Instants are RFC 3339 text in UTC.
"""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from moss_memory.core.fact import EventStatus, InactiveReason, MemoryType, Source, Transparency
from moss_memory.core.interval import Relation as TimeRelation
from moss_memory.core.linter import ActionName, Relation, Status
from moss_memory.language.proposal import Intent, Operation, QuestionCode


class FactShape(TypedDict):
    """A fact as proposed."""

    domain: str
    subject: str
    predicate: str
    object_value: str
    scope_id: str
    when: dict[str, Any] | None
    status: EventStatus
    transparency: Transparency
    buffer_before: int
    buffer_after: int
    source: Source
    confidence: float
    source_ref: str | None
    observed_at: str
    expires_at: str | None
    hard: bool


class NamespaceShape(TypedDict):
    """Where a memory lives."""

    tenant_id: str
    principal_id: str
    domain: str
    scope_id: str


class ProvenanceShape(TypedDict):
    """Where a revision comes from."""

    source: Source
    source_ref: str | None
    created_by_chat_id: str | None
    invalidated_by_chat_id: str | None
    decision_id: str
    parser: str | None
    model: str | None


class MemoryShape(TypedDict):
    """One revision of a kept fact."""

    memory_id: str
    revision: int
    memory_type: MemoryType
    namespace: NamespaceShape
    domain: str
    subject: str
    predicate: str
    object_value: str
    scope_id: str
    when: dict[str, Any] | None
    event_status: EventStatus
    transparency: Transparency
    buffer_before: int
    buffer_after: int
    source: Source
    confidence: float
    source_ref: str | None
    observed_at: str
    expires_at: str | None
    hard: bool
    status: Literal["active", "inactive"]
    inactive_reason: InactiveReason | None
    valid_from: str
    valid_until: str | None
    recorded_at: str
    created_at: str
    updated_at: str
    derived_from: str | None
    provenance: ProvenanceShape


class FindingShape(TypedDict):
    """One overlapping memory, or another fact of the request, and its rule."""

    memory_id: str | None
    revision: int | None
    fact_index: int
    other_fact_index: int | None
    relation: Relation | None
    time_relation: TimeRelation | None
    verdict: Status
    rule_id: str
    reason: str | None
    actions: list[ActionName]
    summary: str


class VerdictShape(TypedDict):
    """What the rules say."""

    status: str
    conflict_type: str
    findings: list[FindingShape]
    notes: list[str]
    rules_version: str


class LintShape(VerdictShape):
    """What the rules would say; ``verdicts`` is one status per fact."""

    verdicts: list[Status]


class EffectShape(TypedDict):
    """What a button does: how many facts it writes, which memories it retires."""

    writes: int
    retires: list[str]


class ActionShape(TypedDict):
    """A button."""

    action: ActionName
    label: str
    effect: EffectShape


class PendingShape(TypedDict):
    """An open question."""

    pending_id: str
    expires_at: str
    facts: list[FactShape]


class OpenQuestionShape(PendingShape):
    """An open question with what was asked, as ``GET /pending`` shows it."""

    actions: list[ActionShape]
    verdict: VerdictShape | None


class AnswerShape(VerdictShape):
    """The answer of a write."""

    facts: list[MemoryShape]
    superseded: list[MemoryShape]
    pending: PendingShape | None
    actions: list[ActionShape]
    decision_id: str | None


class SettledShape(TypedDict):
    """How a question was settled."""

    status: str
    action: str
    facts: list[MemoryShape]
    superseded: list[MemoryShape]
    decision_id: str | None
    rules_version: str
    reply: str


class ChoiceShape(TypedDict):
    """One reading of the words; ``text`` goes back to ``/chat``."""

    label: str
    text: str


class QuestionShape(TypedDict):
    """What is unclear."""

    code: QuestionCode
    text: str
    choices: list[ChoiceShape]


class UsageShape(TypedDict):
    """What the model was paid for."""

    prompt_tokens: int
    completion_tokens: int


class ChatShape(TypedDict):
    """The answer to an utterance."""

    chat_id: str
    session_id: str
    intent: Intent
    operation: Operation | None
    status: str
    confirm_required: bool
    conflict_type: str
    reply: str
    reply_source: Literal["model", "template"]
    facts: list[MemoryShape]
    superseded: list[MemoryShape]
    findings: list[FindingShape]
    notes: list[str]
    pending: PendingShape | None
    actions: list[ActionShape]
    question: QuestionShape | None
    decision_id: str | None
    rules_version: str
    usage: UsageShape
    trace: NotRequired[list[dict[str, Any]]]


class PageShape(TypedDict):
    """One page of memories; ``known_epoch`` where the past was asked for."""

    items: list[MemoryShape]
    next_cursor: str | None
    known_epoch: NotRequired[str]


class RevisionsShape(TypedDict):
    """Every revision of a memory, oldest first."""

    items: list[MemoryShape]
    next_cursor: str | None


class QuestionsShape(TypedDict):
    """The open questions of a caller."""

    items: list[OpenQuestionShape]
    next_cursor: str | None


class BlockShape(TypedDict):
    """A block of a context."""

    priority: str
    label: str
    tokens: int


class IncludedShape(TypedDict):
    """Why a memory stands in a context."""

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
    related: list[str]


class ExcludedShape(TypedDict):
    """Why a memory does not."""

    memory_id: str
    reason: str


class CountsShape(TypedDict):
    """How many memories went in, stayed out and may not be seen."""

    included: int
    excluded_by_reason: dict[str, int]
    denied: int


class ContextShape(TypedDict):
    """A context within its budget."""

    text: str
    tokens: int
    token_budget: int
    blocks: list[BlockShape]
    included: list[IncludedShape]
    excluded: list[ExcludedShape]
    counts: CountsShape
    known_epoch: str
    hash: str


class WhyShape(TypedDict):
    """Where a memory comes from, in sentences."""

    sentences: list[str]
    decision_ids: list[str]


class HealthShape(TypedDict):
    """Whether the service can answer."""

    status: Literal["ready", "degraded", "unready"]
    checks: dict[str, str]


class ProfileShape(TypedDict):
    """Who the caller is and what it may do."""

    tenant_id: str
    principal_id: str
    timezone: str
    locale: str
    visible_scope_ids: list[str]
    writable_scope_ids: list[str]
    read_mode: str
    write_mode: str
    rights: list[str]


class ReferenceFactsShape(TypedDict):
    """The cached active memories of a session's caller; null where none are cached."""

    count: int
    epoch: int | None
    age_seconds: int | None


class SessionShape(TypedDict):
    """The working memory of a conversation."""

    session_id: str
    dialog_state: dict[str, Any]
    pending_facts: list[OpenQuestionShape]
    reference_facts: ReferenceFactsShape
    ttl_seconds: int


class EvidenceShape(TypedDict):
    """What spoke for and against: ``chat:<id>``, ``memory:<id>@<revision>``."""

    supports: list[str]
    contradicts: list[str]


class ReferenceShape(TypedDict):
    """One revision, by name."""

    memory_id: str
    revision: int


class DecisionShape(TypedDict):
    """Why something was written, held, refused or dropped; no model's thoughts."""

    decision_id: str
    outcome: str
    rule_ids: list[str]
    rules_version: str
    evidence: EvidenceShape
    actor: str
    chat_id: str | None
    memories: list[ReferenceShape]
    recorded_at: str | None


class DecisionsShape(TypedDict):
    """The decisions that name a memory, oldest first."""

    items: list[DecisionShape]
    next_cursor: str | None
