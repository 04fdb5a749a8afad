"""What a series would go on with: its new windows, and what the rules see in their way."""

from dataclasses import dataclass, replace
from datetime import datetime

from moss_memory.core.access import Access
from moss_memory.core.fact import Known, Memory, Pair, Proposal
from moss_memory.core.interval import Interval
from moss_memory.core.linter import Finding, Verdict, lint
from moss_memory.core.rules import Policy
from moss_memory.flow.framing import known_of
from moss_memory.flow.ports import Loaded, Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """The new windows of a series: ``clear`` ones, and ``barred`` ones that meet something.

    ``judged`` is the proposal of all new windows and ``verdict`` what the rules say of it;
    ``kept`` are the windows that stay.
    """

    judged: Proposal
    known: tuple[Known, ...]
    kept: tuple[Interval, ...]
    clear: tuple[Interval, ...]
    barred: tuple[Interval, ...]
    verdict: Verdict
    waived: frozenset[Pair]

    @property
    def met(self) -> tuple[Reference, ...]:
        """The revisions that are in the way."""
        named = (
            (finding.memory_id, finding.revision or 0)
            for finding in self.verdict.findings
            if _bars(finding) and finding.memory_id is not None
        )
        return tuple(sorted(dict.fromkeys(named)))


def judge(
    policy: Policy, access: Access, memory: Memory, placed: Proposal, loaded: Loaded, now: datetime
) -> Sight:
    """Judge what is new of a series against what is there, as the rules are now.

    Args:
        policy: the ontology and the rules.
        access: what may be done with the memories that are met.
        memory: the series as it is stored.
        placed: the same series, placed as far as it goes now.
        loaded: what lies in any of its windows; the waivers of ``memory`` among it.
        now: UTC; what has passed is left as it was.
    """
    new = fresh(memory, placed, now)
    judged, known = replace(placed, windows=new), known_of(access, loaded, now, [placed])

    def verdict(windows: tuple[Interval, ...]) -> Verdict:
        part = replace(judged, windows=windows)
        return lint([part], known, policy, waived=loaded.waived, exclude=memory.memory_id)

    whole, clear = verdict(new), new
    if any(map(_bars, whole.findings)):
        clear = tuple(w for w in new if not any(map(_bars, verdict((w,)).findings)))
    reached, free = set(placed.windows), set(clear)
    return Sight(
        judged=judged,
        known=known,
        kept=tuple(w for w in memory.windows if w in reached or w.start <= now),
        clear=clear,
        barred=tuple(w for w in new if w not in free),
        verdict=whole,
        waived=loaded.waived,
    )


def fresh(memory: Memory, placed: Proposal, now: datetime) -> tuple[Interval, ...]:
    """Return the windows to come that the series has and the store does not."""
    stored = set(memory.windows)
    return tuple(w for w in placed.windows if w not in stored and w.start > now)


def _bars(finding: Finding) -> bool:
    """Tell whether a finding is of something in the way; a gate judged the fact when it was new."""
    return finding.relation is not None and finding.verdict != "SUCCESS"
