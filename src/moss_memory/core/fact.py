"""Facts as proposed and memories as kept: the values that every layer hands on.

A ``Fact`` is what somebody claims, its time as it was said. A ``Memory`` is one revision of a
kept fact, with its window in UTC and its provenance. Both are immutable.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from moss_memory.core.interval import Interval
from moss_memory.core.when import When

Source = Literal[
    "user_explicit", "user_selection", "user_feedback", "vision", "task_result", "model_inferred"
]
EventStatus = Literal["confirmed", "tentative", "cancelled"]
Transparency = Literal["busy", "free"]
InactiveReason = Literal["superseded", "retired", "expired"]
MemoryType = Literal[
    "event", "state", "preference", "negative_preference", "accepted_choice", "task_summary",
    "service_context", "item",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What somebody claims.

    ``when`` None is "from now on" for all but events. ``confidence`` is 0..1. ``observed_at`` is
    UTC. ``expires_at`` None never expires. Buffers are minutes and widen what is linted only.
    """

    domain: str
    subject: str
    predicate: str
    object_value: str
    scope_id: str
    observed_at: datetime
    when: When | None = None
    status: EventStatus = "confirmed"
    transparency: Transparency = "busy"
    buffer_before: int = 0
    buffer_after: int = 0
    source: Source = "user_explicit"
    confidence: float = 1.0
    source_ref: str | None = None
    expires_at: datetime | None = None
    hard: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """A fact placed in time, ready to be linted.

    ``owner`` is the principal of a personal scope, or the shared scope itself. ``windows`` are
    the occurrences in UTC up to the horizon; ``valid_until`` is FOREVER where there is no end.
    ``open_ended`` says that no end was stated (a later value of its slot then ends it).
    ``zone`` is the owner's when it was placed. ``shared`` is a team's or tenant's fact, which is
    never linted against what is personal; a personal one meets everything it is linted with.
    """

    fact: Fact
    owner: str
    windows: tuple[Interval, ...]
    valid_from: datetime
    valid_until: datetime
    open_ended: bool = False
    notes: tuple[str, ...] = ()
    shared: bool = False
    zone: str = "UTC"  # the owner's, in which the windows were placed


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a revision comes from; ids only, None where there was no chat, parser or model."""

    decision_id: str
    created_by_chat_id: str | None = None
    invalidated_by_chat_id: str | None = None
    parser: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One revision of a kept fact: ``fact`` as said, ``windows`` and window ends in UTC.

    ``windows`` holds the occurrences up to the stored horizon (those near the question where a
    reader asked for less). ``principal_id`` is the writer, ``owner`` whose calendar it is in.
    ``epoch`` is the recorded time as a coordinate of its space ``(owner, domain)``.
    """

    memory_id: str
    revision: int
    tenant_id: str
    principal_id: str
    owner: str
    fact: Fact
    windows: tuple[Interval, ...]
    valid_from: datetime
    valid_until: datetime
    open_ended: bool = False
    active: bool = True
    inactive_reason: InactiveReason | None = None
    epoch: int = 0
    recorded_at: datetime
    created_at: datetime
    derived_from: str | None = None
    provenance: Provenance
    zone: str = "UTC"  # the owner's zone when the windows were placed


@dataclass(frozen=True, slots=True)
class Known:
    """A memory as the linter sees it: with what the caller may do with it."""

    memory: Memory
    writable: bool = True
    visible: bool = True


Pair = tuple[str, int, str, int]  # (memory_id, revision, memory_id, revision), smaller id first


def pair(a: Memory, b: Memory) -> Pair:
    """Name the unordered pair of two revisions, as waivers do."""
    first, second = sorted([(a.memory_id, a.revision), (b.memory_id, b.revision)])
    return (*first, *second)
