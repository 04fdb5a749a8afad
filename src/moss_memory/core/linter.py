"""The linter: what is proposed, against what is known, under the rules. Pure and total."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from moss_memory.core.fact import Known, Pair, Proposal
from moss_memory.core.interval import Relation as TimeRelation

Status = Literal["SUCCESS", "SUCCESS_WITH_OVERWRITE", "NO_CHANGE", "CONFIRM_REQUIRED", "BLOCKED"]
Relation = Literal["same", "supersedes", "conflicts", "coexists"]
ActionName = Literal["approve", "replace_old", "keep_both", "cancel"]
Mode = Literal["invalidate", "truncate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One overlapping memory (or one gate, or another fact of the request) and its rule.

    ``memory_id`` is None for a gate, for another fact of the request (``other_fact_index``) and
    for what the caller may not see. ``mode`` says what becomes of a superseded memory.
    """

    fact_index: int
    verdict: Status
    rule_id: str
    reason: str | None
    relation: Relation | None
    time_relation: TimeRelation | None
    actions: tuple[ActionName, ...] = ()
    memory_id: str | None = None
    revision: int | None = None
    other_fact_index: int | None = None
    mode: Mode | None = None
    prio: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The maximum over all findings; ``actions`` is what may be answered, cancel last."""

    status: Status
    conflict_type: str
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    actions: tuple[ActionName, ...] = ()
    rules_version: str = ""


def lint(
    proposals: Sequence[Proposal],
    known: Sequence[Known],
    policy: "object",
    *,
    waived: frozenset[Pair] = frozenset(),
    exclude: str | None = None,
) -> Verdict:
    """Judge ``proposals`` against ``known`` and against each other."""
    raise NotImplementedError
