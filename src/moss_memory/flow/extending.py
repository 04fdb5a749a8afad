"""Series that go on beyond their horizon: placed further, linted again, asked about.

A series is stored for two years ahead. What comes into reach later is judged by the rules of
that moment, as a new revision under the space's row. What nothing stands in the way of is added;
what meets something waits for the owner's answer, and is in no window, list or prompt until then.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, Literal, Protocol

from moss_memory.core.access import Access, Caller, access_of
from moss_memory.core.errors import (
    MossError,
    PendingStoreUnavailableError,
    TooManyPendingsError,
)
from moss_memory.core.fact import Memory, Pair, Proposal
from moss_memory.flow import answers, holding
from moss_memory.flow.drafting import Motion
from moss_memory.flow.framing import frame_of
from moss_memory.flow.motion import Ruling, effects
from moss_memory.flow.onward import Sight, fresh, judge
from moss_memory.flow.placing import AHEAD, place
from moss_memory.flow.ports import (
    Change,
    Decision,
    Entry,
    Frame,
    House,
    Loaded,
    Opened,
    Pending,
    Reference,
    Standing,
    Step,
)
from moss_memory.flow.provenance import decision_of, opened_events, written_event
from moss_memory.flow.requests import Circumstances

SWEEPER: Final = "sweep"  # the actor of its decisions; no principal has a right by this name
SLACK: Final = timedelta(days=30)  # a horizon nearer than two years by this is moved on
ASKED_FOR: Final = timedelta(days=7)  # nobody waits before a screen for this question
MOST_ASKED: Final = 5  # of a principal's twenty: a person's own conflicts need the rest

Came = Literal["extended", "asked", "held_back", "postponed", "as_it_was"]


class SeriesStore(Protocol):
    """Where series whose horizon has come near are found."""

    def series(
        self, tenant_id: str, *, until: datetime, before: datetime, after: str, limit: int = 1000
    ) -> Sequence[Memory]:
        """Return active series that go on past ``until`` and may not be placed that far.

        In the order of their ids, those behind ``after``. One recorded since ``before`` is left
        out, unless nothing of it lies beyond ``until``.
        """
        ...


def extend_all(
    house: House, store: SeriesStore, tenant_id: str, *, asks: bool = True
) -> Mapping[str, int]:
    """Move every horizon of a tenant on; how many series were extended, asked about, or not.

    ``asks`` False opens no question: what meets something is left out, and found again the next
    time. ``held_back`` counts series of which something is left out without an open question,
    ``postponed`` those of which nothing was changed: the Desk is away, or holds enough already.
    """
    now = house.clock()
    counts: Counter[str] = Counter(dict.fromkeys(("extended", "asked", "held_back"), 0))
    counts["postponed"], after = 0, ""
    until, before = now + AHEAD - SLACK, now - SLACK
    while found := store.series(tenant_id, until=until, before=before, after=after):
        for memory in found:
            came = _Extension(house, memory).run(asks=asks)
            if came != "as_it_was":
                counts[came] += 1
        after = found[-1].memory_id
    return dict(counts)


class _Extension:
    """One series, moved on: read first, asked about on the Desk, then written under its space."""

    def __init__(self, house: House, memory: Memory) -> None:
        self._house = house
        self._memory = memory
        self._tenant = memory.tenant_id
        self._access, self._standing = self._whom()
        self._placed: Proposal | None = None

    def _whom(self) -> tuple[Access, Standing]:
        """Choose who is asked: whose scope it is, else who wrote it."""
        found = []
        for principal in (self._memory.owner, self._memory.principal_id):
            standing = self._house.memory.standing(self._tenant, principal)
            access = access_of(
                Caller(tenant_id=self._tenant, principal_id=principal), standing.grants
            )
            found.append((access, standing))
        return next((each for each in found if self._may_answer(*each)), found[0])

    def _may_answer(self, access: Access, standing: Standing) -> bool:
        return self._memory.owner in access.writable and not standing.erased

    def run(self, *, asks: bool) -> Came:
        """Extend the series as far as may be, and say what came of it.

        Raises:
            StorageUnavailableError, OutcomeUnknownError: the next sweep does what is left.
        """
        try:
            sight = self._look()
        except MossError as error:
            if error.code != "unbounded_recurrence":
                raise
            return "held_back"  # more occurrences than are ever judged
        if sight is None:
            return "as_it_was"
        if not sight.barred:
            return self._write(sight, None)
        if not asks or not self._is_askable(sight):
            return "held_back" if self._write(sight, None) != "postponed" else "postponed"
        return self._ask(sight)

    def _look(self) -> Sight | None:
        placed = self._place(self._memory, self._house.clock())
        if not fresh(self._memory, placed, self._house.clock()):
            return None
        probes = self._frame(placed).probes
        candidates, waived = self._house.memory.candidates(self._tenant, probes)
        loaded = Loaded(candidates=candidates, waived=waived)
        return judge(
            self._house.policy, self._access, self._memory, placed, loaded, self._house.clock()
        )

    def _place(self, memory: Memory, now: datetime) -> Proposal:
        kinds = {scope.scope_id: scope.kind for scope in self._access.scopes}
        shared = kinds.get(memory.owner, "personal") != "personal"
        return place(self._house.policy, memory.fact, zone=memory.zone, now=now, shared=shared)

    def _frame(self, placed: Proposal) -> Frame:
        """Name all that the series meets, old windows too: waivers of the past are carried on."""
        return frame_of(self._house, self._access, (placed,))

    def _is_askable(self, sight: Sight) -> bool:
        """Tell whether somebody could allow it, and has not said no to it already."""
        if sight.verdict.status in {"BLOCKED", "NO_CHANGE"} or not sight.met:
            return False
        return self._may_answer(self._access, self._standing) and not self._declined(sight.met)

    def _declined(self, met: Sequence[Reference]) -> bool:
        """Tell whether the same was asked before, and cancelled."""
        asked = {f"memory:{memory_id}@{revision}" for memory_id, revision in met}
        for decision in self._house.memory.decisions(
            self._tenant, memory_id=self._memory.memory_id
        ):
            if decision.outcome != "CONFIRM_REQUIRED" or decision.pending_id is None:
                continue
            if asked <= set(decision.contradicts):
                outcome = self._house.memory.outcome(self._tenant, decision.pending_id)
                if outcome is not None and outcome.action == "cancel":
                    return True
        return False

    def _ask(self, sight: Sight) -> Came:
        """Put the question on the Desk, then record it with what was extended."""
        asked = self._draft(sight)
        try:
            held = self._house.desk.hold(asked, cap=MOST_ASKED, now=self._house.clock())
        except (PendingStoreUnavailableError, TooManyPendingsError):
            return "postponed"
        if held.pending_id != asked.pending_id:  # it is open since an earlier sweep
            return self._write(sight, None) if sight.clear else "as_it_was"
        try:
            came = self._write(sight, held)
        except MossError:
            self._house.desk.drop(held)
            raise
        if came == "postponed":
            self._house.desk.drop(held)
        return came

    def _draft(self, sight: Sight) -> Pending:
        ruling = self._ruling(sight)
        tongue = answers.tongue_of(self._house, self._standing, Circumstances(request_id=SWEEPER))
        drafted = holding.draft(self._house, self._motion(), ruling, tongue)
        facts = drafted.facts
        return replace(
            drafted,
            shown=sight.met,
            expires_at=self._house.clock() + ASKED_FOR,
            fingerprint=holding.fingerprint(facts, sight.met, f"extend:{self._memory.memory_id}"),
            chat_id=self._memory.provenance.created_by_chat_id,
            data={**drafted.data, holding.EXTENDS: True},
        )

    def _motion(self) -> Motion:
        return Motion(
            kind="confirm",
            caller=self._access.caller,
            operation="revise",
            facts=(self._memory.fact,),
            request_id=SWEEPER,
            target=self._memory.memory_id,
            parser=self._memory.provenance.parser,
            model=self._memory.provenance.model,
        )

    def _ruling(self, sight: Sight) -> Ruling:
        """Make a question of the verdict, also where the rules would replace without asking."""
        ruling = Ruling(
            access=self._access,
            recorded_at=self._house.clock(),
            standing=self._standing,
            target_revision=self._memory.revision,
            verdict=sight.verdict,
            proposals=(sight.judged,),
            known=sight.known,
        )
        if sight.verdict.status == "SUCCESS_WITH_OVERWRITE":
            asking = replace(
                sight.verdict, status="CONFIRM_REQUIRED", actions=("approve", "cancel")
            )
            told = replace(ruling, verdict=replace(sight.verdict, actions=asking.actions))
            return replace(ruling, verdict=asking, effects=effects(told))
        return replace(ruling, effects=effects(ruling))

    def _write(self, sight: Sight, held: Pending | None) -> Came:
        """Write what is clear, with the question; nothing where the store has moved on since."""
        memory = self._memory
        entry = Entry(
            tenant_id=self._tenant,
            principal_id=SWEEPER,
            request_id=SWEEPER,
            writes=frozenset({(memory.owner, memory.fact.domain)}),
            memory_ids=(memory.memory_id,),
        )
        again: list[Proposal] = []

        def frame(opened: Opened) -> Frame:
            again[:] = []
            newest = opened.memories.get(memory.memory_id)
            if newest is None or not newest.active or newest.revision != memory.revision:
                return Frame()
            again.append(self._place(newest, opened.recorded_at))
            return self._frame(again[0])

        def decide(opened: Opened, loaded: Loaded) -> Step[Came]:
            if not again:
                return Step("postponed")
            now = judge(
                self._house.policy, self._access, memory, again[0], loaded, opened.recorded_at
            )
            if now.met != sight.met or not (now.clear or held):
                return Step("postponed" if now.met != sight.met else "as_it_was")
            return Step("asked" if held else "extended", self._change(now, opened, held))

        return self._house.memory.transact(entry, frame, decide)

    def _change(self, sight: Sight, opened: Opened, held: Pending | None) -> Change:
        decision_id = held.decision_id if held else self._house.ids()
        revisions = self._revisions(sight, opened, decision_id)
        decision = (
            self._asking(sight, opened, held, revisions)
            if held
            else self._deciding(sight, opened, decision_id, revisions)
        )
        return Change(
            operation="extend",
            decision=decision,
            revisions=revisions,
            waivers=self._carried(sight.waived, revisions),
            events=(
                *(written_event(each) for each in revisions),
                *(opened_events(held) if held else ()),
            ),
        )

    def _revisions(self, sight: Sight, opened: Opened, decision_id: str) -> tuple[Memory, ...]:
        memory = self._memory
        if not sight.clear:
            return ()
        return (
            replace(
                memory,
                revision=memory.revision + 1,
                windows=tuple(sorted({*sight.kept, *sight.clear})),
                epoch=opened.epochs[(memory.owner, memory.fact.domain)],
                recorded_at=opened.recorded_at,
                provenance=replace(memory.provenance, decision_id=decision_id),
            ),
        )

    def _carried(self, waived: frozenset[Pair], written: Sequence[Memory]) -> tuple[Pair, ...]:
        """Give the new revision the waivers of the one before: what was said has not moved."""
        before = answers.reference(self._memory)
        pairs: list[Pair] = []
        for a, a_revision, b, b_revision in sorted(waived) if written else ():
            ends = {(a, a_revision), (b, b_revision)}
            if before in ends:
                (other,) = ends - {before}
                first, second = sorted([answers.reference(written[0]), other])
                pairs.append((*first, *second))
        return tuple(pairs)

    def _asking(
        self, sight: Sight, opened: Opened, held: Pending, revisions: tuple[Memory, ...]
    ) -> Decision:
        decision = decision_of(
            self._motion(),
            sight.verdict,
            decision_id=held.decision_id,
            outcome="CONFIRM_REQUIRED",
            revisions=revisions or (self._memory,),
            recorded_at=opened.recorded_at,
            pending_id=held.pending_id,
        )
        return replace(decision, chat_id=None, supports=())

    def _deciding(
        self, sight: Sight, opened: Opened, decision_id: str, revisions: tuple[Memory, ...]
    ) -> Decision:
        return Decision(
            decision_id=decision_id,
            outcome="EXTENDED",
            rule_ids=tuple(dict.fromkeys(each.rule_id for each in sight.verdict.findings)),
            rules_version=self._house.policy.rules_version,
            actor=SWEEPER,
            memories=tuple(answers.reference(each) for each in revisions),
            recorded_at=opened.recorded_at,
        )
