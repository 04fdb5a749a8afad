"""This turn's own facts against memory: who is believed where both cannot be true."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from moss_memory.core.access import Access
from moss_memory.core.errors import NotFoundError
from moss_memory.core.fact import Fact, Memory, Proposal, Source
from moss_memory.core.linter import Finding, lint
from moss_memory.core.render import SURE
from moss_memory.flow.framing import frame_of, known_of, place_all
from moss_memory.flow.intake import facts_of
from moss_memory.flow.ports import House, Loaded, Standing
from moss_memory.flow.requests import FactIn

_MEMORY: Final = 2  # between high-confidence vision and low-confidence inference
_RANKS: Final[dict[Source, int]] = {
    "user_explicit": 5, "user_selection": 4, "user_feedback": 4, "vision": 3, "task_result": 3,
    "model_inferred": 1,
}  # fmt: skip
_APART: Final = frozenset({"conflicts", "supersedes"})


@dataclass(frozen=True, slots=True)
class Turn:
    """Facts of this turn that are believed, the memories they beat, and how many lost."""

    facts: tuple[Proposal, ...] = ()
    overridden: frozenset[str] = frozenset()
    outdone: int = 0


def rank(fact: Fact) -> int:
    """Rank a fact of this turn by the seed's order; memory ranks 2.

    Explicit words beat a selection, a selection beats what was seen or done with high confidence,
    that beats memory, and memory beats what is inferred or unsure.
    """
    ranked = _RANKS[fact.source]
    return ranked if fact.source.startswith("user_") or fact.confidence >= SURE else 1


def settle_turn(
    house: House,
    reach: Access,
    standing: Standing,
    stated: Sequence[FactIn],
    memories: Sequence[Memory],
    *,
    at: datetime,
    now: datetime,
) -> Turn:
    """Decide between what this turn states and what is remembered, under the rules.

    Two cannot both be true where the rules relate them as conflicting or superseding. ``at`` is
    the reference instant, ``now`` decides what has expired. Besides ``memories`` those count that
    a write of the facts would meet, whether or not the question bears on them.

    Raises:
        NotFoundError: a fact names a scope that the caller may not see.
        MossError: a fact is malformed, by its own code.
    """
    facts = facts_of(house.policy, reach.caller, tuple(stated), now=at)
    if not facts:
        return Turn()
    if not {fact.scope_id for fact in facts} <= {*reach.visible, *reach.writable}:
        raise NotFoundError
    proposals = place_all(house, reach, standing, facts, at)
    probes = frame_of(house, reach, proposals).probes
    met, _ = house.memory.candidates(reach.caller.tenant_id, probes)
    active = {each.memory_id: each for each in (*met, *memories) if each.active}
    loaded = Loaded(candidates=tuple(active.values()))
    verdict = lint(proposals, known_of(reach, loaded, now), house.policy)
    apart = [finding for finding in verdict.findings if finding.relation in _APART]
    lost = {loser for finding in apart if (loser := _loser(facts, finding)) is not None}
    return Turn(
        facts=tuple(each for index, each in enumerate(proposals) if index not in lost),
        overridden=frozenset(_beaten(apart, lost)),
        outdone=len(lost),
    )


def _loser(facts: Sequence[Fact], finding: Finding) -> int | None:
    """Return the index of the fact that gives way to a memory or to another fact of the turn."""
    mine = rank(facts[finding.fact_index])
    if finding.memory_id is not None:
        return finding.fact_index if mine < _MEMORY else None
    other = finding.other_fact_index
    if other is None or mine == rank(facts[other]):
        return None
    return finding.fact_index if mine < rank(facts[other]) else other


def _beaten(apart: Sequence[Finding], lost: set[int]) -> set[str]:
    return {
        finding.memory_id
        for finding in apart
        if finding.memory_id is not None and finding.fact_index not in lost
    }
