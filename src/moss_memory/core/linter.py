"""The linter: what is proposed, against what is known, under the rules. Pure and total.

Gates look at each new fact alone, then every pair that shares a slot and an instant is judged by
the rule table. The decision is the maximum, so no order of facts or memories can matter; an exact
duplicate ends the matter first, unless something blocks.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import combinations
from typing import Final, Literal

from moss_memory.core.fact import Fact, Known, Memory, Pair, Proposal
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.interval import Relation as TimeRelation
from moss_memory.core.ontology import Predicate, Slot, slot_key
from moss_memory.core.pairing import Encounter, Side, band, judge
from moss_memory.core.rules import Mode, Policy, Severity
from moss_memory.core.text import mixed_script

Status = Literal["SUCCESS", "SUCCESS_WITH_OVERWRITE", "NO_CHANGE", "CONFIRM_REQUIRED", "BLOCKED"]
Relation = Literal["same", "supersedes", "conflicts", "coexists"]
ActionName = Literal["approve", "replace_old", "keep_both", "cancel"]

TRUNCATED: Final = "TRUNCATED"
STORED_SOFT: Final = "STORED_SOFT"
MIXED_SCRIPT: Final = "MIXED_SCRIPT"  # look-alike letters in one word: no refusal, and said
HIDDEN_CONFLICT: Final = "HIDDEN_CONFLICT"
SOURCE_NOT_ALLOWED: Final = "SOURCE_NOT_ALLOWED"

_STATUS: Final[dict[Severity, Status]] = {
    "NO_CHANGE": "NO_CHANGE", "ALLOW": "SUCCESS", "SUPERSEDE": "SUCCESS_WITH_OVERWRITE",
    "CONFIRM": "CONFIRM_REQUIRED", "BLOCK": "BLOCKED",
}  # fmt: skip
_SEVERE: Final[dict[Status, int]] = {status: rank for rank, status in enumerate(_STATUS.values())}
_ORDER: Final[tuple[ActionName, ...]] = ("approve", "replace_old", "keep_both", "cancel")
_BUFFER: Final = timedelta(days=1)  # no buffer reaches further than this


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One overlapping memory (or one gate, or another fact of the request) and its rule.

    ``memory_id`` is None for a gate, for another fact of the request (``other_fact_index``) and
    for what the caller may not see. ``mode`` says what becomes of a superseded memory.
    ``occurrence`` is the window of the new fact at which the rule decides, None for a gate.
    ``unwritable`` says that replace_old would be offered, could the caller write the memory.
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
    occurrence: Interval | None = None
    unwritable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The maximum over all findings; ``actions`` is what may be answered, cancel last.

    ``placed`` are the proposals as they would be stored: ended where the next value begins, and
    soft where they may not be hard.
    """

    status: Status
    conflict_type: str
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    actions: tuple[ActionName, ...] = ()
    rules_version: str = ""
    placed: tuple[Proposal, ...] = ()


def lint(
    proposals: Sequence[Proposal],
    known: Sequence[Known],
    policy: Policy,
    *,
    waived: frozenset[Pair] = frozenset(),
    exclude: str | None = None,
    now: datetime | None = None,
) -> Verdict:
    """Judge ``proposals`` against ``known`` and against each other.

    Args:
        proposals: the facts of one request, placed; values as their predicates keep them.
        known: memories that may matter; others change nothing.
        policy: the ontology and the rules.
        waived: pairs of revisions whose conflict a person has allowed.
        exclude: the memory that the one proposal is to replace, never a conflict of its own.
        now: UTC; what has expired by then counts as inactive. None: nothing has expired.

    Raises:
        UnknownPredicateError: a proposal's predicate is not in the ontology.
    """
    placed = [_softened(p, policy) for p in close_late(proposals, known, policy, exclude, now)]
    sides = [Side.of(p.fact, policy.ontology.of(p.fact), p.windows) for p in placed]
    findings: list[Finding] = []
    allowed = _waived_with(exclude, waived)
    for index, (proposal, side) in enumerate(zip(placed, sides, strict=True)):
        findings += _gates(index, proposal.fact, side.predicate, policy)
        near = [k for k in _near(side, known) if _is_live(k.memory, exclude, now)]
        findings += _against_known(index, (proposal, side), near, policy, allowed)
    findings += _against_each_other(placed, sides, policy)
    return _verdict(findings, placed, policy)


def _is_live(memory: Memory, exclude: str | None, now: datetime | None) -> bool:
    if not memory.active or memory.memory_id == exclude or memory.fact.status == "cancelled":
        return False
    expires_at = memory.fact.expires_at
    return now is None or expires_at is None or expires_at > now


def close_late(
    proposals: Sequence[Proposal],
    known: Sequence[Known],
    policy: Policy,
    exclude: str | None = None,
    now: datetime | None = None,
) -> list[Proposal]:
    """End what has no stated end where the next value of its slot begins.

    A late fact about an earlier time does not replace what came after. Only what the caller may
    see counts: an end must not tell of a hidden memory.
    """
    open_ = {
        index
        for index, p in enumerate(proposals)
        if p.open_ended and policy.ontology.of(p.fact).ends_with_next
    }
    if not open_:
        return list(proposals)
    live = [k.memory for k in known if k.visible and _is_live(k.memory, exclude, now)]
    stored = [(memory.fact, memory.owner, memory.valid_from) for memory in live]
    said = [(p.fact, p.owner, p.valid_from) for p in proposals]
    return [
        _closed(p, stored + said[:index] + said[index + 1 :], policy) if index in open_ else p
        for index, p in enumerate(proposals)
    ]


def _closed(
    proposal: Proposal, others: Sequence[tuple[Fact, str, datetime]], policy: Policy
) -> Proposal:
    slot = _slot(proposal.fact, policy)
    starts = [
        start
        for fact, owner, start in others
        if proposal.valid_from < start < proposal.valid_until
        and _may_meet(proposal, owner)
        and _slot(fact, policy) == slot
    ]
    if not starts:
        return proposal
    end = min(starts)
    return replace(
        proposal,
        windows=(Interval(proposal.valid_from, end),),
        valid_until=end,
        open_ended=False,
        notes=(*proposal.notes, TRUNCATED),
    )


def _slot(fact: Fact, policy: Policy) -> Slot | None:
    predicate = policy.ontology.predicates.get((fact.domain, fact.predicate))
    return slot_key(predicate, fact.subject) if predicate else None


def _may_meet(proposal: Proposal, owner: str) -> bool:
    """A shared fact meets its own scope only; a personal one all that it is linted with."""
    return owner == proposal.owner or not proposal.shared


def _gates(index: int, fact: Fact, predicate: Predicate, policy: Policy) -> Iterable[Finding]:
    if predicate.sources and fact.source not in predicate.sources:
        yield Finding(
            fact_index=index, verdict="BLOCKED", rule_id="WRITE-01", reason=SOURCE_NOT_ALLOWED,
            relation=None, time_relation=None,
        )  # fmt: skip
    for gate in policy.rules.gates_for(fact.source, band(fact.confidence)):
        yield Finding(
            fact_index=index, verdict=_STATUS[gate.verdict], rule_id=gate.rule_id,
            reason=gate.reason, relation=None, time_relation=None,
            actions=gate.options,
        )  # fmt: skip


def _near(side: Side, known: Sequence[Known]) -> list[Known]:
    """Return the memories that could touch a fact, by their outer ends alone: cheap and first."""
    start, end = side.spans[0].start, max(span.end for span in side.spans)
    lowest, highest = start - _BUFFER, end if end == FOREVER else end + _BUFFER
    return [
        k
        for k in known
        if (m := k.memory).valid_until > lowest
        and m.valid_from < highest
        and ((m.valid_until > start and m.valid_from < end) or _has_buffers(m.fact))
    ]


def _has_buffers(fact: Fact) -> bool:
    return fact.buffer_before > 0 or fact.buffer_after > 0


def _against_known(
    index: int,
    new: tuple[Proposal, Side],
    known: Sequence[Known],
    policy: Policy,
    allowed: frozenset[tuple[str, int]],
) -> list[Finding]:
    proposal, side = new
    if side.fact.status == "cancelled":
        return []
    slot = slot_key(side.predicate, side.fact.subject)
    found: list[Finding] = []
    for each in known:
        memory = each.memory
        if _slot(memory.fact, policy) != slot or not _may_meet(proposal, memory.owner):
            continue
        old = Side.of(memory.fact, policy.ontology.of(memory.fact), memory.windows)
        met = judge(side, old, policy.rules, writable=each.writable, equal_is_newer=True)
        finding = _finding(index, met, each, allowed) if met is not None else None
        if finding is not None:
            found.append(finding)
    return found


def _finding(
    index: int, met: Encounter, each: Known, allowed: frozenset[tuple[str, int]]
) -> Finding | None:
    rule, memory = met.rule, each.memory
    if not each.visible:
        return None if rule.verdict == "ALLOW" else replace(HIDDEN, fact_index=index)
    verdict, actions, unwritable = _STATUS[rule.verdict], rule.options, False
    relation = rule.relation
    if not each.writable and "replace_old" in actions:
        actions, unwritable = tuple(a for a in actions if a != "replace_old"), True
    if (memory.memory_id, memory.revision) in allowed and verdict in _LIFTED:
        verdict, actions, relation = "SUCCESS", (), "conflicts"
    elif actions == ("cancel",):
        verdict = "BLOCKED"
    return Finding(
        fact_index=index, verdict=verdict, rule_id=rule.rule_id, reason=rule.reason,
        relation=relation, time_relation=met.relation, actions=actions,
        memory_id=memory.memory_id, revision=memory.revision, mode=rule.mode, prio=rule.prio,
        occurrence=met.occurrence, unwritable=unwritable,
    )  # fmt: skip


# what a person has allowed is neither asked about again nor retired by a correction
_LIFTED: Final = {"CONFIRM_REQUIRED", "SUCCESS_WITH_OVERWRITE"}


HIDDEN: Final = Finding(
    fact_index=0, verdict="BLOCKED", rule_id="HIDDEN", reason=HIDDEN_CONFLICT,
    relation="conflicts", time_relation=None, actions=("cancel",),
)  # fmt: skip


def _waived_with(exclude: str | None, waived: frozenset[Pair]) -> frozenset[tuple[str, int]]:
    """Return the revisions that the replaced memory has a waiver with."""
    if not waived:
        return frozenset()
    pairs = [((a, ra), (b, rb)) for a, ra, b, rb in waived]
    pairs += [(b, a) for a, b in pairs]
    return frozenset(b for a, b in pairs if a[0] == exclude)


def _against_each_other(
    placed: Sequence[Proposal], sides: Sequence[Side], policy: Policy
) -> list[Finding]:
    """Judge the facts of one request in pairs, each way round: neither is older than the other."""
    found = []
    for i, j in combinations(range(len(placed)), 2):
        if _do_meet(placed[i], placed[j], policy):
            later, earlier = _judged(sides, j, i, policy), _judged(sides, i, j, policy)
            if later is not None and earlier is not None:
                found.append(_contradiction((i, j), later, earlier))
    return found


def _do_meet(a: Proposal, b: Proposal, policy: Policy) -> bool:
    if "cancelled" in {a.fact.status, b.fact.status} or _slot(a.fact, policy) != _slot(
        b.fact, policy
    ):
        return False
    return a.owner == b.owner or not (a.shared and b.shared)


def _judged(sides: Sequence[Side], new: int, old: int, policy: Policy) -> Encounter | None:
    return judge(sides[new], sides[old], policy.rules, writable=True, equal_is_newer=False)


def _contradiction(pair: tuple[int, int], later: Encounter, earlier: Encounter) -> Finding:
    """Take the severer way round; what would supersede asks, since both were said at once."""
    (old, new), met = pair, later
    same = later.rule.verdict == "NO_CHANGE", earlier.rule.verdict == "NO_CHANGE"
    if (any(same) and same[1] and not same[0]) or (
        not any(same)
        and _SEVERE[_STATUS[earlier.rule.verdict]] > _SEVERE[_STATUS[later.rule.verdict]]
    ):
        (new, old), met = pair, earlier
    rule = met.rule
    asks = rule.verdict == "SUPERSEDE"
    return Finding(
        fact_index=new, other_fact_index=old,
        verdict="CONFIRM_REQUIRED" if asks else _STATUS[rule.verdict],
        rule_id=rule.rule_id, reason=rule.reason,
        relation="conflicts" if asks else rule.relation, time_relation=met.relation,
        actions=("replace_old", "cancel") if asks else rule.options,
        mode=rule.mode, prio=rule.prio, occurrence=met.occurrence,
    )  # fmt: skip


def _verdict(findings: list[Finding], placed: Sequence[Proposal], policy: Policy) -> Verdict:
    hidden = [f for f in findings if f.rule_id == HIDDEN.rule_id]
    if len(hidden) > 1:  # not even how many there are
        findings = [f for f in findings if f not in hidden] + list(dict.fromkeys(hidden))
    shown = tuple(sorted(findings, key=_rank))
    settled = unchanged(shown, len(placed))
    counting = [f for f in shown if f.fact_index not in settled]
    status: Status = max((f.verdict for f in counting), key=_SEVERE.__getitem__, default="SUCCESS")
    if len(settled) == len(placed) and settled:
        status = "NO_CHANGE"
    actions = offered(counting) if status == "CONFIRM_REQUIRED" else ()
    if actions == ("cancel",):
        status, actions = "BLOCKED", ()
    told = [f.reason for f in counting if f.reason and f.verdict != "SUCCESS"]
    return Verdict(
        status=status,
        conflict_type=told[0] if told and status != "NO_CHANGE" else "NONE",
        findings=shown,
        notes=tuple(sorted({note for p in placed for note in (*p.notes, *_noted(p.fact))})),
        actions=actions,
        rules_version=policy.rules_version,
        placed=tuple(placed),
    )


def _noted(fact: Fact) -> tuple[str, ...]:
    alike = mixed_script(fact.object_value) or mixed_script(fact.subject)
    return (MIXED_SCRIPT,) if alike else ()


def _rank(finding: Finding) -> tuple[int, int, str, int, str, int]:
    """Severest first, then lowest prio, then rule id: the first one with a reason decides."""
    return (
        -_SEVERE[finding.verdict], finding.prio, finding.rule_id, finding.fact_index,
        finding.memory_id or "", finding.other_fact_index or 0,
    )  # fmt: skip


def unchanged(findings: Iterable[Finding], count: int) -> frozenset[int]:
    """Return the facts that are stored already (or said twice): nothing more is asked of them."""
    same = {f.fact_index for f in findings if f.verdict == "NO_CHANGE"}
    if not same:
        return frozenset()
    blocked = {f.fact_index for f in findings if f.verdict == "BLOCKED"}
    return frozenset(same - blocked) & frozenset(range(count))


def offered(findings: Sequence[Finding]) -> tuple[ActionName, ...]:
    """Return the answers that settle every question at once, cancel last.

    ``replace_old`` needs one that offers it, and of the others that they offer it or keep_both;
    a question whose rule offers it, for a memory that may not be written, stands in its way.
    """
    asking = [f for f in findings if f.verdict == "CONFIRM_REQUIRED"]
    common = [a for a in ("approve", "keep_both") if all(a in f.actions for f in asking)]
    if any("replace_old" in f.actions for f in asking) and all(map(_gives_way, asking)):
        common.append("replace_old")
    return tuple(name for name in _ORDER if name in common or name == "cancel")


def _gives_way(finding: Finding) -> bool:
    if finding.unwritable:
        return False
    return "replace_old" in finding.actions or "keep_both" in finding.actions


def _softened(proposal: Proposal, policy: Policy) -> Proposal:
    """Store soft what its source and confidence may not make a hard constraint, and say so."""
    fact = proposal.fact
    if not fact.hard or policy.rules.may_be_hard(fact.source, band(fact.confidence)):
        return proposal
    return replace(proposal, fact=replace(fact, hard=False), notes=(*proposal.notes, STORED_SOFT))
