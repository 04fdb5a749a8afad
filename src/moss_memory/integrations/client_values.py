"""What the service is told and what it answers, field by field: typed dictionaries.

They describe the JSON as it travels, so a newer service's additional members do no harm. Instants
come out as RFC 3339 text in UTC; an open end is None. Words are those of the HTTP contract.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Generic, Literal, NotRequired, TypeAlias, TypeVar

from typing_extensions import TypedDict, TypeIs

from moss_memory.core.fact import EventStatus, InactiveReason, MemoryType, Source, Transparency
from moss_memory.core.linter import ActionName

T = TypeVar("T")
Instant: TypeAlias = datetime | str
"""An aware datetime, or RFC 3339 text with an offset; a naive one is refused by the service."""
When: TypeAlias = Mapping[str, Any]
"""One of start, local_start and date, as the contract has it."""
VerdictStatus: TypeAlias = Literal[
    "SUCCESS", "SUCCESS_WITH_OVERWRITE", "NO_CHANGE", "CONFIRM_REQUIRED", "BLOCKED"
]


class FactDetails(TypedDict, total=False):
    """What a fact may say beside its four words; a revision may change these."""

    when: When | None
    status: EventStatus
    transparency: Transparency
    buffer_before: int
    buffer_after: int
    source: Source
    confidence: float
    source_ref: str | None
    observed_at: Instant
    expires_at: Instant | None
    hard: bool


class FactIn(FactDetails):
    """A fact to propose."""

    domain: str
    subject: str
    predicate: str
    object_value: str
    scope_id: NotRequired[str]


class FactChanges(FactDetails, total=False):
    """What a revision changes: absent stays, None clears, ``when`` is replaced whole."""

    object_value: str


class Fact(TypedDict):
    """A fact as the service holds it in an open question."""

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


class Namespace(TypedDict):
    """Where a memory lives; ``principal_id`` is its writer."""

    tenant_id: str
    principal_id: str
    domain: str
    scope_id: str


class Provenance(TypedDict):
    """Where a revision comes from."""

    source: Source
    source_ref: str | None
    created_by_chat_id: str | None
    invalidated_by_chat_id: str | None
    decision_id: str
    parser: str | None
    model: str | None


class Memory(TypedDict):
    """One revision of a kept fact."""

    memory_id: str
    revision: int
    memory_type: MemoryType
    namespace: Namespace
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
    derived_from: NotRequired[str | None]
    provenance: Provenance


class Finding(TypedDict):
    """One overlapping memory, or another fact of the request, and the rule that judged it."""

    memory_id: str | None
    revision: int | None
    fact_index: int
    other_fact_index: NotRequired[int | None]
    relation: Literal["same", "supersedes", "conflicts", "coexists"] | None
    time_relation: str | None
    verdict: VerdictStatus
    rule_id: str
    reason: str | None
    actions: list[ActionName]
    summary: str


class Verdict(TypedDict):
    """What the rules say."""

    status: VerdictStatus
    conflict_type: str
    findings: list[Finding]
    notes: list[str]
    rules_version: str


class Lint(Verdict):
    """What the rules would say; ``verdicts`` has one status for each fact."""

    verdicts: list[VerdictStatus]


class Effect(TypedDict):
    """What an action does."""

    writes: int
    retires: list[str]


class Action(TypedDict):
    """A button of an open question."""

    action: ActionName
    label: str
    effect: Effect


class Pending(TypedDict):
    """An open question."""

    pending_id: str
    expires_at: str
    facts: list[Fact]


class OpenQuestion(Pending):
    """An open question with what was asked and what may be answered."""

    actions: list[Action]
    verdict: Verdict | None


class Answer(Verdict):
    """What became of a write; where ``pending`` is set it is held, nothing is written."""

    facts: list[Memory]
    superseded: list[Memory]
    pending: Pending | None
    actions: list[Action]
    decision_id: str | None


class Settled(TypedDict):
    """How a question was settled."""

    status: Literal["SUCCESS", "SUCCESS_WITH_OVERWRITE", "NO_CHANGE", "CANCELLED"]
    action: ActionName
    facts: list[Memory]
    superseded: list[Memory]
    decision_id: str | None
    rules_version: str
    reply: str


class Choice(TypedDict):
    """One reading of unclear words; ``text`` goes back to ``chat``."""

    label: str
    text: str


class Question(TypedDict):
    """What is unclear."""

    code: str
    text: str
    choices: list[Choice]


class Usage(TypedDict):
    """What the model was paid for."""

    prompt_tokens: int
    completion_tokens: int


class Chat(TypedDict):
    """The answer to an utterance; while ``confirm_required``, offer ``actions`` and ``confirm``."""

    chat_id: str
    session_id: str
    intent: Literal["WRITE", "QUERY", "UNKNOWN"]
    operation: Literal["create", "revise", "retire"] | None
    status: str
    confirm_required: bool
    conflict_type: str
    reply: str
    reply_source: Literal["model", "template"]
    facts: list[Memory]
    superseded: list[Memory]
    findings: list[Finding]
    notes: list[str]
    pending: Pending | None
    actions: list[Action]
    question: Question | None
    decision_id: str | None
    rules_version: str
    usage: Usage
    trace: NotRequired[list[dict[str, Any]]]


class Page(TypedDict, Generic[T]):
    """One page of a list; ``known_epoch`` where the past was asked for."""

    items: list[T]
    next_cursor: str | None
    known_epoch: NotRequired[str]


def is_held(result: Memory | Answer) -> TypeIs[Answer]:
    """Tell whether a revise or restore now conflicts and waits for ``confirm``."""
    return "pending" in result
