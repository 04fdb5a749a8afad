"""What the service answers beside memories: contexts, sessions, decisions, access, erasure.

Typed dictionaries of the JSON as it travels, as in ``client_values``.
"""

from collections.abc import Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from moss_memory.core.access import ReadMode, Right, ScopeKind, WriteMode
from moss_memory.core.fact import Source
from moss_memory.integrations.client_values import FactIn, Instant, Pending


class Why(TypedDict):
    """Where a memory comes from, in sentences."""

    sentences: list[str]
    decision_ids: list[str]


class Window(TypedDict):
    """A half-open window; an ``end`` of None is open."""

    start: Instant
    end: NotRequired[Instant | None]


class Section(TypedDict):
    """A block of the caller's own for a context."""

    priority: Literal["P0", "P1", "P2", "P4", "P5"]
    label: str
    text: str


class Block(TypedDict):
    """A block of a context."""

    priority: str
    label: str
    tokens: int


class Included(TypedDict):
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


class Excluded(TypedDict):
    """Why a memory does not."""

    memory_id: str
    reason: str


class Counts(TypedDict):
    """How many memories went in, stayed out and may not be seen."""

    included: int
    excluded_by_reason: dict[str, int]
    denied: int


class Context(TypedDict):
    """What a model may be told, within its budget."""

    text: str
    tokens: int
    token_budget: int
    blocks: list[Block]
    included: list[Included]
    excluded: list[Excluded]
    counts: Counts
    known_epoch: str
    hash: str


class ReferenceFacts(TypedDict):
    """The cached memories of a session's caller."""

    count: int
    epoch: int | None
    age_seconds: float | None


class Session(TypedDict):
    """The working memory of a conversation."""

    session_id: str
    dialog_state: dict[str, Any]
    pending_facts: list[Pending]
    reference_facts: ReferenceFacts
    ttl_seconds: int


class Evidence(TypedDict):
    """What spoke for and against."""

    supports: list[str]
    contradicts: list[str]


class NamedRevision(TypedDict):
    """A revision by name."""

    memory_id: str
    revision: int


class Decision(TypedDict):
    """Why something was written, held, refused or dropped."""

    decision_id: str
    outcome: str
    rule_ids: list[str]
    rules_version: str
    evidence: Evidence
    actor: str
    chat_id: str | None
    memories: list[NamedRevision]
    recorded_at: str


class Place(TypedDict):
    """A space and an epoch in it."""

    space: str
    epoch: int


class AuditCheck(TypedDict):
    """Whether every hash chain of the tenant holds."""

    ok: bool
    checked: int
    first_bad: Place | None


class Profile(TypedDict):
    """Who the credential is and what it may do."""

    tenant_id: str
    principal_id: str
    timezone: str
    locale: str
    visible_scope_ids: list[str]
    writable_scope_ids: list[str]
    read_mode: ReadMode
    write_mode: WriteMode
    rights: list[Right]


class Scope(TypedDict):
    """Where facts live."""

    scope_id: str
    kind: ScopeKind
    approver_must_differ: bool


class Grant(TypedDict):
    """What a principal may do in a scope."""

    scope_id: str
    principal_id: str
    visible: bool
    writable: bool


class NewKey(TypedDict):
    """A key, shown this once; None in a replay."""

    key_id: str
    key: str | None


class Key(TypedDict):
    """A key without its secret."""

    key_id: str
    principal_id: str
    rights: list[Right]
    source_ceiling: Source
    read_mode: ReadMode
    write_mode: WriteMode
    expires_at: str | None


class ErasedCounts(TypedDict):
    """What an erasure removed."""

    memories: int
    revisions: int
    payloads: int
    chats: int
    pendings: int
    cache_keys: int
    search_rows: int


class Erasure(TypedDict):
    """An erasure that took place."""

    erasure_id: str
    principal_id: str
    counts: ErasedCounts


class Event(TypedDict):
    """Something that happened; hand ``event_id`` to ``events`` to go on after it."""

    event_id: str
    event: str
    data: dict[str, Any]


class Health(TypedDict):
    """Whether the service can answer, check by check."""

    status: Literal["ready", "degraded", "unready"]
    checks: dict[str, str]


class Circumstances(TypedDict, total=False):
    """Around an utterance or a question: which session, whose zone and language, from when."""

    session_id: str | None
    timezone: str | None
    locale: str | None
    reference_time: Instant | None


class Said(Circumstances, total=False):
    """Around an utterance; ``debug`` (a right) adds a trace."""

    scope_id: str | None
    debug: bool | None


class Asked(Circumstances, total=False):
    """What a context is made for."""

    token_budget: int | None
    window: Window | None
    domains: Sequence[str] | None
    current: Sequence[FactIn] | None
    sections: Sequence[Section] | None
    known_at: Instant | None
    known_epoch: str | None


class Narrowed(TypedDict, total=False):
    """What a list of memories is narrowed by."""

    domain: str | None
    predicate: str | None
    subject: str | None
    scope_id: str | None
    status: Literal["active", "inactive", "all"] | None
    overlaps_from: Instant | None
    overlaps_to: Instant | None
    valid_at: Instant | None
    known_at: Instant | None
    known_epoch: str | None
    limit: int | None
    cursor: str | None


class KeyTerms(TypedDict, total=False):
    """What a key may do; the service's defaults where absent."""

    rights: Sequence[Right] | None
    source_ceiling: Source | None
    read_mode: ReadMode | None
    write_mode: WriteMode | None
    expires_at: Instant | None
