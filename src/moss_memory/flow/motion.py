"""One proposed change on its way through load, decide, write.

A ``Motion`` is a value; ``carry`` runs it through the store. The two functions that the store
calls inside its transaction (``frame`` and ``decide``) are pure but for ids, and may run again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from moss_memory.core import revise
from moss_memory.core.access import Access, access_of
from moss_memory.core.errors import MemoryInactiveError, NotFoundError
from moss_memory.core.fact import Known, Memory, Pair, Proposal
from moss_memory.core.linter import ActionName, Verdict, lint
from moss_memory.flow import answers
from moss_memory.flow.drafting import Draft, Motion, keeps_its_time
from moss_memory.flow.framing import admit, foreseen, frame_of, known_of, place_all, spaces
from moss_memory.flow.ports import (
    Change,
    Decision,
    Entry,
    Frame,
    House,
    IdempotencyKey,
    Loaded,
    Opened,
    Outcome,
    Receipt,
    Reference,
    Space,
    Standing,
    Step,
)
from moss_memory.flow.precondition import check_revision
from moss_memory.flow.provenance import decision_of, settled_events, written_event
from moss_memory.flow.reference import Cached, is_fresh, read_again, recall_spaces, write_through
from moss_memory.flow.replays import first_answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What came of a motion.

    ``receipt`` is set where it was written (or settled before: ``replayed``). ``verdict`` alone
    means nothing was written: refused, the same already, or to be asked.
    """

    access: Access
    recorded_at: datetime
    standing: Standing = field(default_factory=Standing)
    target_revision: int = 0  # of the memory that a revise or restore starts from
    verdict: Verdict | None = None
    proposals: tuple[Proposal, ...] = ()
    known: tuple[Known, ...] = ()
    receipt: Receipt | None = None
    memories: Mapping[Reference, Memory] = field(default_factory=dict)
    outcome: Outcome | None = None
    replayed: bool = False
    effects: Mapping[str, Any] = field(default_factory=dict)


class Carrier:
    """The two functions that the store calls for one motion, and what they share.

    ``frame`` runs first in every try and ``decide`` after it, so what ``frame`` leaves on the
    instance belongs to the same try.
    """

    def __init__(self, house: House, motion: Motion, cached: Cached) -> None:
        self._house = house
        self._motion = motion
        self._cached = cached
        self._proposals: tuple[Proposal, ...] = ()
        self._remembered: tuple[Memory, ...] = ()  # what is judged without being read again
        self.fresh: Cached = {}  # what the last try's claim proved of the cached facts
        self._framed: tuple[Standing, Frame] | None = None  # the last frame, and for whom
        # placed alike at any instant: a series reaches as far as its horizon, none begins at it
        self._dated = all(fact.when and fact.when.series is None for fact in motion.facts)

    def frame(self, opened: Opened) -> Frame:
        """Check the right to write and the precondition, place the facts, name what to load."""
        if opened.replay or opened.outcome:
            return Frame()
        motion, house = self._motion, self._house
        access = access_of(motion.caller, opened.standing.grants)
        admit(access, opened.standing, frozenset(fact.scope_id for fact in motion.facts))
        self._check_target(opened, access)
        if self._dated and self._framed and self._framed[0] == opened.standing:
            return self._without_fresh(opened, access, self._framed[1])
        self._proposals = place_all(
            house, access, opened.standing, motion.facts, opened.recorded_at
        )
        frame = frame_of(house, access, self._proposals)
        self._framed = opened.standing, frame
        return self._without_fresh(opened, access, frame)

    def _without_fresh(self, opened: Opened, access: Access, frame: Frame) -> Frame:
        """Leave out the probes that working memory answers, proven fresh by the epoch.

        Only where nothing is in the way: what a write changes has to be read under its claim.
        """
        if not self._cached:
            return frame
        self.fresh = {
            space: facts
            for space, facts in self._cached.items()
            if is_fresh(self._house, access, facts, opened)
        }
        self._remembered = tuple(m for facts in self.fresh.values() for m in facts.memories)
        held = Loaded(candidates=self._remembered)
        known = known_of(access, held, opened.recorded_at, self._proposals)
        verdict = lint(self._proposals, known, self._house.policy)
        if verdict.status != "SUCCESS":
            self._remembered = ()
            return frame
        probes = tuple(probe for probe in frame.probes if probe.space not in self.fresh)
        return replace(frame, probes=probes)

    def decide(self, opened: Opened, loaded: Loaded) -> Step[Ruling]:
        """Lint, and write what the rules and the person's answer allow."""
        motion = self._motion
        access = access_of(motion.caller, opened.standing.grants)
        settled = settled_before(opened, access, motion.key)
        if settled:
            return Step(settled)
        read = loaded
        if self._remembered:
            read = replace(loaded, candidates=(*self._remembered, *loaded.candidates))
        known = known_of(access, read, opened.recorded_at, self._proposals)
        verdict = lint(
            self._proposals,
            known,
            self._house.policy,
            waived=loaded.waived if self._stays(opened) else frozenset(),
            exclude=motion.target,
        )
        ruling = Ruling(
            access=access,
            recorded_at=opened.recorded_at,
            standing=opened.standing,
            target_revision=self._target_revision(opened),
            verdict=verdict,
            proposals=self._proposals,
            known=known,
        )
        action = self._action(verdict)
        if verdict.status == "NO_CHANGE":
            return self._same(ruling)
        if verdict.status == "BLOCKED" or (verdict.status == "CONFIRM_REQUIRED" and not action):
            return Step(replace(ruling, effects=effects(ruling)))
        return self._write(ruling, opened, action, loaded.waived)

    def _check_target(self, opened: Opened, access: Access) -> None:
        motion = self._motion
        if motion.target is None:
            return
        target = opened.memories.get(motion.target)
        if target is None or target.owner not in access.visible:
            raise NotFoundError
        if motion.check:
            check_revision(motion.check, target)
        if motion.operation == "revise" and not target.active:
            raise MemoryInactiveError

    def _stays(self, opened: Opened) -> bool:
        """Tell whether the target keeps its time: then what was allowed beside it still is."""
        target = opened.memories.get(self._motion.target or "")
        return target is not None and keeps_its_time(target, self._proposals[0])

    def _target_revision(self, opened: Opened) -> int:
        target = opened.memories.get(self._motion.target or "")
        return target.revision if target else 0

    def _action(self, verdict: Verdict) -> ActionName | None:
        """Return the person's answer where it covers exactly what conflicts now."""
        pending, action = self._motion.pending, self._motion.action
        if pending is None or action is None or action not in verdict.actions:
            return None
        asked = {
            (finding.memory_id, finding.revision)
            for finding in verdict.findings
            if finding.verdict == "CONFIRM_REQUIRED" and finding.memory_id is not None
        }
        return action if asked <= set(pending.shown) else None

    def _same(self, ruling: Ruling) -> Step[Ruling]:
        """Answer that it is stored already; a question that asked for it is settled by that."""
        assert ruling.verdict is not None
        same = [
            known.memory
            for known in ruling.known
            if any(
                finding.memory_id == known.memory.memory_id and finding.verdict == "NO_CHANGE"
                for finding in ruling.verdict.findings
            )
        ]
        receipt = self._receipt(ruling, facts=tuple(same), superseded=(), decision_id=None)
        ruled = replace(ruling, receipt=receipt, memories=self._index(ruling, tuple(same)))
        if self._motion.pending is None:
            return Step(ruled)
        decision = self._decision(ruling, (), self._house.ids(), "NO_CHANGE")
        change = Change(
            operation="confirm",
            decision=decision,
            receipt=receipt,
            outcome=self._outcome(receipt),
            events=settled_events(self._motion.pending, receipt),
        )
        return Step(ruled, change)

    def _write(
        self,
        ruling: Ruling,
        opened: Opened,
        action: ActionName | None,
        waived: frozenset[Pair],
    ) -> Step[Ruling]:
        assert ruling.verdict is not None
        plan = revise.plan(ruling.verdict, ruling.proposals, ruling.known, action)
        decision_id = self._house.ids()
        draft = Draft(self._house, self._motion, opened, decision_id)
        written = draft.written(plan, ruling.proposals)
        superseded, pieces = draft.superseded(plan, ruling.known)
        revisions = (*written, *superseded, *pieces)
        unchanged = self._unchanged(opened, written)
        if unchanged is not None and not superseded:
            receipt = self._receipt(ruling, (unchanged,), (), None)
            return Step(replace(ruling, receipt=receipt, memories=answers.index([unchanged])))
        receipt = self._receipt(ruling, written, superseded, decision_id)
        change = Change(
            operation="confirm" if self._motion.pending else self._motion.operation,
            decision=self._decision(ruling, revisions, decision_id, ruling.verdict.status, action),
            revisions=revisions,
            waivers=(
                *draft.waivers(plan, written, superseded, ruling.known),
                *(draft.carried(waived, written) if self._stays(opened) else ()),
            ),
            receipt=receipt,
            outcome=self._outcome(receipt) if self._motion.pending else None,
            chat=self._motion.chat,
            events=(
                *(written_event(memory) for memory in revisions),
                *settled_events(self._motion.pending, receipt),
            ),
        )
        memories = self._index(ruling, written) | answers.index((*superseded, *pieces))
        return Step(replace(ruling, receipt=receipt, memories=memories), change)

    def _unchanged(self, opened: Opened, written: tuple[Memory, ...]) -> Memory | None:
        """Return the target where a revise says nothing new."""
        if self._motion.operation != "revise" or self._motion.target is None:
            return None
        target = opened.memories[self._motion.target]
        if self._motion.pending and target.windows != written[0].windows:
            return None  # what was asked about is the time that is not stored yet
        same = (target.fact, target.valid_from, target.valid_until) == (
            written[0].fact,
            written[0].valid_from,
            written[0].valid_until,
        )
        return target if same else None

    def _receipt(
        self,
        ruling: Ruling,
        facts: tuple[Memory, ...],
        superseded: tuple[Memory, ...],
        decision_id: str | None,
    ) -> Receipt:
        assert ruling.verdict is not None
        motion = self._motion
        status = ruling.verdict.status
        outcome = status
        if decision_id is not None:  # what a person allowed has succeeded
            outcome = "SUCCESS_WITH_OVERWRITE" if superseded else "SUCCESS"
        created = motion.kind == "memories" and decision_id is not None
        return Receipt(
            kind=motion.kind,
            http_status=201 if created else 200,
            decision_id=decision_id,
            facts=tuple(answers.reference(memory) for memory in facts),
            superseded=tuple(answers.reference(memory) for memory in superseded),
            data={
                **answers.verdict_data(ruling.verdict),
                "outcome": outcome,
                "operation": motion.operation,
                "actions": [],
                **answers.spoken(
                    self._house, ruling.standing
                ),  # a conversation's own is in its hints
                **self._settling(),
                **motion.hints,
            },
        )

    def _settling(self) -> dict[str, Any]:
        pending = self._motion.pending
        if pending is None:
            return {}
        return {"action": self._motion.action, **answers.asked_in(pending)}

    def _decision(
        self,
        ruling: Ruling,
        revisions: tuple[Memory, ...],
        decision_id: str,
        outcome: str,
        action: ActionName | None = None,
    ) -> Decision:
        assert ruling.verdict is not None
        return decision_of(
            self._motion,
            ruling.verdict,
            decision_id=decision_id,
            outcome=f"{outcome}:{action}" if action else outcome,
            revisions=revisions,
            recorded_at=ruling.recorded_at,
        )

    def _outcome(self, receipt: Receipt) -> Outcome:
        motion = self._motion
        assert motion.pending is not None
        return Outcome(
            pending_id=motion.pending.pending_id,
            principal_id=motion.pending.principal_id,
            action=motion.action or "approve",
            receipt=receipt,
        )

    def _index(self, ruling: Ruling, facts: tuple[Memory, ...]) -> dict[Reference, Memory]:
        seen = (known.memory for known in ruling.known if known.visible)
        return {**answers.index(seen), **answers.index(facts)}


def settled_before(opened: Opened, access: Access, key: IdempotencyKey | None) -> Ruling | None:
    """Return the earlier answer to the same request, or to the same question."""
    receipt = first_answer(opened.replay, key)
    if receipt:
        return Ruling(
            access=access,
            recorded_at=opened.recorded_at,
            standing=opened.standing,
            receipt=receipt,
            replayed=True,
        )
    if opened.outcome:
        return Ruling(access=access, recorded_at=opened.recorded_at, outcome=opened.outcome)
    return None


def effects(ruling: Ruling) -> dict[str, Any]:
    """Say of each offered action how many facts it writes and which memories it retires."""
    assert ruling.verdict is not None
    offered = []
    for action in ruling.verdict.actions:
        writes, retires = 0, []
        if action != "cancel":
            plan = revise.plan(ruling.verdict, ruling.proposals, ruling.known, action)
            writes = len(plan.writes)
            retires = [*plan.retires, *(cut.memory_id for cut in plan.truncates)]
        offered.append({"action": action, "writes": writes, "retires": retires})
    return {"actions": offered}


def carry(house: House, motion: Motion) -> Ruling:
    """Run a motion through the store; a pending's single use is guarded by its outcome row."""
    written = spaces(motion.facts)
    cached = _cached(house, motion, written)
    carrier = Carrier(house, motion, cached)
    entry = Entry(
        tenant_id=motion.caller.tenant_id,
        principal_id=motion.caller.principal_id,
        request_id=motion.request_id,
        writes=written,
        memory_ids=(motion.target,) if motion.target else (),
        pending_id=motion.pending.pending_id if motion.pending else None,
        idempotency=motion.key,
        expected_at=None if motion.target or cached else foreseen(house, motion.facts),
    )
    ruling = house.memory.transact(entry, carrier.frame, carrier.decide)
    if cached:
        if ruling.receipt and not ruling.replayed:
            write_through(house, ruling.access, carrier.fresh, tuple(ruling.memories.values()))
        read_again(house, ruling.access, sorted(cached.keys() - carrier.fresh.keys()))
    return ruling


def _cached(house: House, motion: Motion, written: frozenset[Space]) -> Cached:
    """Look into working memory for a new fact; a revision needs the waivers, so the store."""
    if motion.operation != "create" or house.defaults.lint_from != "cache":
        return {}
    standing = house.memory.standing(motion.caller.tenant_id, motion.caller.principal_id)
    access = access_of(motion.caller, standing.grants)
    return recall_spaces(house, access, sorted(written))
