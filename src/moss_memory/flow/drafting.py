"""New revisions made of a plan: who wrote them, through which words, when; ids are given here."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from moss_memory.core import revise
from moss_memory.core.access import Caller
from moss_memory.core.fact import Fact, Known, Memory, Pair, Proposal, Provenance
from moss_memory.core.linter import ActionName
from moss_memory.flow import answers
from moss_memory.flow.ports import Chat, House, IdempotencyKey, Opened, Pending, Reference
from moss_memory.flow.requests import RevisionCheck

Kind = Literal["memories", "memory", "chat", "confirm"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """What is to change and who moves it.

    ``target`` is the memory that a revise or restore gives a new revision, ``targets`` are those
    that a retirement asks about. ``pending`` and
    ``action`` are set where a held motion is confirmed. ``check`` guards the target's revision.
    ``hints`` go into the receipt as they are: ids and codes of the route, no words.
    """

    kind: Kind
    caller: Caller
    operation: Literal["create", "revise", "retire", "restore"] = "create"
    facts: tuple[Fact, ...]
    request_id: str
    key: IdempotencyKey | None = None
    target: str | None = None
    targets: tuple[Reference, ...] = ()
    check: RevisionCheck | None = None
    pending: Pending | None = None
    action: ActionName | None = None
    chat: Chat | None = None
    parser: str | None = None
    model: str | None = None
    hints: Mapping[str, Any] = field(default_factory=dict)


def keeps_its_time(memory: Memory, placed: Proposal) -> bool:
    """Tell whether a memory is placed where it was; a series may reach further than before."""
    said = memory.fact.when
    if said is not None and said.series is not None and said == placed.fact.when:
        return set(memory.windows) <= set(placed.windows)
    return memory.windows == placed.windows


def _still_ends_with_next(target: Memory | None, write: revise.Write) -> bool:
    """Tell whether a memory keeps the end that a later value of its slot gave it.

    Nobody stated that end, so another revision of the rest makes it no time of its own.
    """
    return target is not None and target.open_ended and target.valid_until == write.valid_until


class Draft:
    """New revisions made of a plan; ids are given here, in the order of the plan."""

    def __init__(self, house: House, motion: Motion, opened: Opened, decision_id: str) -> None:
        self._house = house
        self._motion = motion
        self._opened = opened
        self._provenance = Provenance(
            decision_id=decision_id,
            created_by_chat_id=self._chat_id(),
            parser=motion.parser,
            model=motion.model,
        )

    def _chat_id(self) -> str | None:
        if self._motion.chat:
            return self._motion.chat.chat_id
        return self._motion.pending.chat_id if self._motion.pending else None

    def _writer(self) -> str:
        """The proposer writes, also where somebody else approved it."""
        pending = self._motion.pending
        return pending.principal_id if pending else self._motion.caller.principal_id

    def written(self, plan: revise.Plan, proposals: tuple[Proposal, ...]) -> tuple[Memory, ...]:
        """Return the facts of the plan as new memories, or as the target's next revision."""
        return tuple(self._memory(write, proposals[write.fact_index]) for write in plan.writes)

    def _memory(self, write: revise.Write, proposal: Proposal) -> Memory:
        target = self._opened.memories.get(self._motion.target or "")
        at = self._opened.recorded_at
        fact = self._retained(write.fact, at)
        return Memory(
            memory_id=target.memory_id if target else self._house.ids(),
            revision=target.revision + 1 if target else 1,
            tenant_id=self._motion.caller.tenant_id,
            principal_id=self._writer(),
            owner=proposal.owner,
            fact=fact,
            windows=write.windows,
            valid_from=write.valid_from,
            valid_until=write.valid_until,
            open_ended=proposal.open_ended or _still_ends_with_next(target, write),
            epoch=self._opened.epochs[(proposal.owner, fact.domain)],
            recorded_at=at,
            created_at=target.created_at if target else at,
            derived_from=target.derived_from if target else None,
            provenance=self._provenance,
            zone=proposal.zone,
        )

    def _retained(self, fact: Fact, at: datetime) -> Fact:
        """Let a fact expire where its predicate is kept for a time only, and it says no sooner."""
        days = self._house.policy.ontology.of(fact).retention_days
        if days is None:
            return fact
        latest = at + timedelta(days=days)
        return replace(fact, expires_at=min(fact.expires_at or latest, latest))

    def superseded(
        self, plan: revise.Plan, known: tuple[Known, ...]
    ) -> tuple[tuple[Memory, ...], tuple[Memory, ...]]:
        """Return the retired and cut memories, and the new second pieces of split ones."""
        by_id = {each.memory.memory_id: each.memory for each in known}
        gone = [self._retired(by_id[memory_id]) for memory_id in plan.retires]
        cut = [self._cut(by_id[cut.memory_id], cut) for cut in plan.truncates]
        pieces = [self._piece(by_id[split.memory_id], split) for split in plan.splits]
        return (*gone, *cut), tuple(pieces)

    def _next(self, memory: Memory) -> Memory:
        return replace(
            memory,
            revision=memory.revision + 1,
            epoch=self._opened.epochs[(memory.owner, memory.fact.domain)],
            recorded_at=self._opened.recorded_at,
            provenance=replace(
                memory.provenance,
                decision_id=self._provenance.decision_id,
                invalidated_by_chat_id=self._chat_id(),
            ),
        )

    def _retired(self, memory: Memory) -> Memory:
        return replace(self._next(memory), active=False, inactive_reason="superseded", windows=())

    def _cut(self, memory: Memory, cut: revise.Truncate) -> Memory:
        return replace(
            self._next(memory),
            fact=cut.fact,
            windows=cut.windows,
            valid_from=cut.valid_from,
            valid_until=cut.valid_until,
        )

    def _piece(self, memory: Memory, split: revise.Split) -> Memory:
        return replace(
            self._next(memory),
            memory_id=self._house.ids(),
            revision=1,
            fact=split.fact,
            windows=split.windows,
            valid_from=split.valid_from,
            valid_until=split.valid_until,
            created_at=self._opened.recorded_at,
            derived_from=memory.memory_id,
        )

    def waivers(
        self,
        plan: revise.Plan,
        written: tuple[Memory, ...],
        superseded: tuple[Memory, ...],
        known: tuple[Known, ...],
    ) -> tuple[Pair, ...]:
        """Name the allowed pairs by the revisions that stand after this change."""
        standing = {each.memory.memory_id: each.memory.revision for each in known}
        standing |= {memory.memory_id: memory.revision for memory in superseded}
        by_index = {
            write.fact_index: memory for write, memory in zip(plan.writes, written, strict=True)
        }
        pairs: list[Pair] = []
        for waive in plan.waives:
            new = by_index[waive.fact_index]
            if waive.memory_id is not None:
                other = (waive.memory_id, standing[waive.memory_id])
            else:
                assert waive.other_fact_index is not None
                other = answers.reference(by_index[waive.other_fact_index])
            first, second = sorted([answers.reference(new), other])
            pairs.append((*first, *second))
        return tuple(pairs)

    def carried(self, waived: frozenset[Pair], written: tuple[Memory, ...]) -> tuple[Pair, ...]:
        """Give the target's new revision the waivers of the one before; its time is the same."""
        target = self._opened.memories.get(self._motion.target or "")
        if target is None:
            return ()
        before = answers.reference(target)
        pairs: list[Pair] = []
        for a, a_revision, b, b_revision in sorted(waived):
            ends = {(a, a_revision), (b, b_revision)}
            if before in ends:
                (other,) = ends - {before}
                first, second = sorted([answers.reference(written[0]), other])
                pairs.append((*first, *second))
        return tuple(pairs)
