"""What a change of the rules would have asked about: stored memories, judged again in pairs.

A dry run. Of each pair the later recorded memory is the new one, as it was when it came. Pairs
that a person allowed were asked about before the change, too, and are no news.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from moss_memory.core.fact import Known, Memory, Proposal
from moss_memory.core.linter import Finding, Status, lint
from moss_memory.core.rules import Policy

_MILDER: dict[Status, int] = {
    "NO_CHANGE": 0, "SUCCESS": 0, "SUCCESS_WITH_OVERWRITE": 1, "CONFIRM_REQUIRED": 2, "BLOCKED": 3,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Contest:
    """Two stored memories that the new rules judge more severely than the old ones did.

    ``before`` is None where the old rules saw nothing between them.
    """

    newer: str
    older: str
    before: Finding | None
    after: Finding


def contests(memories: Sequence[Memory], before: Policy, after: Policy) -> list[Contest]:
    """Return what ``after`` would ask about, refuse or replace that ``before`` did not.

    In the order in which the newer memories were recorded; inactive memories do not count.
    """
    ordered = sorted((m for m in memories if m.active), key=lambda m: (m.recorded_at, m.memory_id))
    known = [Known(memory) for memory in ordered]
    return [
        contest
        for number, memory in enumerate(ordered)
        for contest in _worse(memory, known[:number], before, after)
    ]


def _worse(memory: Memory, older: Sequence[Known], before: Policy, after: Policy) -> list[Contest]:
    then, now = (_findings(memory, older, policy) for policy in (before, after))
    return [
        Contest(memory.memory_id, older_id, then.get(older_id), finding)
        for older_id, finding in now.items()
        if _MILDER[finding.verdict] > _severity(then.get(older_id))
    ]


def _severity(finding: Finding | None) -> int:
    return _MILDER[finding.verdict] if finding else 0


def _findings(memory: Memory, older: Sequence[Known], policy: Policy) -> dict[str, Finding]:
    """Judge a memory as it is stored, its windows as they are."""
    proposal = Proposal(
        memory.fact, memory.owner, memory.windows, memory.valid_from, memory.valid_until
    )
    found = lint([proposal], [k for k in older if k.memory.owner == memory.owner], policy).findings
    return {f.memory_id: f for f in found if f.memory_id is not None}
