"""Structured writes: propose, revise, restore; and linting without writing."""

from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from moss_memory.core.access import Access, Caller, access_of
from moss_memory.core.errors import (
    InvalidRequestError,
    MemoryInactiveError,
    NotAdmittedError,
    NotFoundError,
    UnknownRevisionError,
)
from moss_memory.core.fact import Fact, Memory
from moss_memory.core.linter import lint
from moss_memory.flow import answers, holding
from moss_memory.flow.drafting import Motion
from moss_memory.flow.framing import admit, frame_of, known_of, place_all
from moss_memory.flow.intake import fact_of, facts_of, restated
from moss_memory.flow.motion import Ruling, carry, effects
from moss_memory.flow.ports import House, Loaded, Standing
from moss_memory.flow.precondition import check_revision, inactive
from moss_memory.flow.replays import answered_before
from moss_memory.flow.requests import (
    Answer,
    Circumstances,
    FactIn,
    ProposeRequest,
    ReviseRequest,
    RevisionCheck,
    VerdictView,
)

FIXED: Final = frozenset({"domain", "subject", "predicate", "scope_id"})


def propose(house: House, caller: Caller, request: ProposeRequest, around: Circumstances) -> Answer:
    """Write facts, or hold them as one question, or refuse them: all or nothing.

    Raises:
        NotAdmittedError: the rules refuse one of them; ``verdict`` says which rule.
        MossError: a fact is malformed, or may not be written there.
    """
    named = frozenset(fact.scope_id for fact in request.facts if fact.scope_id is not None)
    if named - {caller.principal_id}:  # a scope that may not be written is said before a fault
        before = answered_before(house, caller, around)
        if before:
            return before
        standing, access = _standing(house, caller)
        admit(access, standing, named)
    facts = facts_of(house.policy, caller, request.facts, now=house.clock())
    if request.dry_run:
        return _rehearse(house, caller, facts, around)
    motion = Motion(
        kind="memories",
        caller=caller,
        facts=facts,
        request_id=around.request_id,
        key=around.key,
    )
    return conclude(house, motion, carry(house, motion), around)


def conclude(house: House, motion: Motion, ruling: Ruling, around: Circumstances) -> Answer:
    """Turn a ruling into an answer: written, the same, held, or refused.

    Raises:
        NotAdmittedError: refused.
    """
    tongue = answers.tongue_of(house, ruling.standing, around)
    if ruling.replayed:
        assert ruling.receipt is not None
        return answers.replay(house, ruling.access, ruling.receipt, tongue)
    if ruling.receipt:
        return answers.answer(ruling.receipt, ruling.memories, tongue)
    assert ruling.verdict is not None
    memories = holding.visible(ruling)
    if ruling.verdict.status == "BLOCKED":
        data = answers.verdict_data(ruling.verdict)
        raise NotAdmittedError(verdict=answers.verdict_view(data, memories, motion.facts, tongue))
    pending, receipt = holding.hold(house, motion, ruling, tongue)
    if receipt.pending_id != pending.pending_id:
        return answers.replay(house, ruling.access, receipt, tongue)
    return answers.answer(receipt, memories, tongue, pending=pending)


def lint_only(
    house: House, caller: Caller, stated: tuple[FactIn, ...], around: Circumstances
) -> VerdictView:
    """Judge facts and write nothing; a scope that is only visible may be asked about."""
    now = house.clock()
    facts = facts_of(house.policy, caller, stated, now=now)
    standing, access = _standing(house, caller)
    if not {fact.scope_id for fact in facts} <= set(access.visible) | set(access.writable):
        raise NotFoundError
    ruling = _judge(house, access, standing, facts, now)
    assert ruling.verdict is not None
    data = answers.verdict_data(ruling.verdict) | {
        "verdicts": [_alone(house, ruling, number) for number in range(len(facts))]
    }
    tongue = answers.tongue_of(house, standing, around)
    return answers.verdict_view(data, holding.visible(ruling), facts, tongue)


def _standing(house: House, caller: Caller) -> tuple[Standing, Access]:
    standing = house.memory.standing(caller.tenant_id, caller.principal_id)
    return standing, access_of(caller, standing.grants)


def _judge(
    house: House, access: Access, standing: Standing, facts: tuple[Fact, ...], now: datetime
) -> Ruling:
    proposals = place_all(house, access, standing, facts, now)
    frame = frame_of(house, access, proposals)
    candidates, waived = house.memory.candidates(access.caller.tenant_id, frame.probes)
    known = known_of(access, Loaded(candidates=candidates, waived=waived), now, proposals)
    verdict = lint(proposals, known, house.policy, waived=waived)
    return Ruling(access=access, recorded_at=now, verdict=verdict, proposals=proposals, known=known)


def _alone(house: House, ruling: Ruling, number: int) -> str:
    """Judge one fact of several against the store alone."""
    if len(ruling.proposals) == 1:
        assert ruling.verdict is not None
        return ruling.verdict.status
    return lint([ruling.proposals[number]], ruling.known, house.policy).status


def _rehearse(
    house: House, caller: Caller, facts: tuple[Fact, ...], around: Circumstances
) -> Answer:
    """Say what a write would come to: the verdict and the buttons, nothing written or held."""
    now = house.clock()
    standing, access = _standing(house, caller)
    admit(access, standing, frozenset(fact.scope_id for fact in facts))
    ruling = _judge(house, access, standing, facts, now)
    assert ruling.verdict is not None
    tongue = answers.tongue_of(house, standing, around)
    data = answers.verdict_data(ruling.verdict)
    return Answer(
        http_status=200,
        status=ruling.verdict.status,
        verdict=answers.verdict_view(data, holding.visible(ruling), facts, tongue),
        actions=answers.action_views({**data, **effects(ruling)}, tongue.locale),
    )


def revise(house: House, caller: Caller, request: ReviseRequest, around: Circumstances) -> Answer:
    """Give a memory a new revision with the given fields changed.

    Raises:
        NotFoundError, ScopeNotWritableError, StaleRevisionError, MemoryInactiveError.
        InvalidRequestError: a field that cannot change.
        NotAdmittedError: the rules refuse it, or it would be a copy of another memory.
    """
    if FIXED & request.fields.keys():
        raise InvalidRequestError("domain, subject, predicate and scope_id cannot change.")
    before = answered_before(house, caller, around)
    if before:
        return before
    current = _changeable(house, caller, request.memory_id, request.check)
    if inactive(current, house.clock()):
        raise MemoryInactiveError
    fact = fact_of(house.policy, caller, restated(current.fact, request.fields), now=house.clock())
    if "observed_at" not in request.fields and fact == replace(
        current.fact, observed_at=fact.observed_at
    ):
        fact = current.fact
    return _renew(house, caller, current, fact, request.check, around, "revise")


def restore(
    house: House,
    caller: Caller,
    memory_id: str,
    revision: int,
    check: RevisionCheck,
    around: Circumstances,
) -> Answer:
    """Make an old revision current again, as a new one, linted under today's rules.

    Raises:
        UnknownRevisionError: the memory has no such revision, or its words were removed.
        NotFoundError, ScopeNotWritableError, StaleRevisionError, NotAdmittedError.
    """
    before = answered_before(house, caller, around)
    if before:
        return before
    current = _changeable(house, caller, memory_id, check)
    found = house.memory.exact(caller.tenant_id, [(memory_id, revision)])
    old = found.get((memory_id, revision))
    if old is None or not old.fact.object_value:
        raise UnknownRevisionError
    stated = restated(old.fact, {})
    fact = fact_of(
        house.policy,
        replace(caller, source_ceiling="user_explicit"),  # it was admitted under its own source
        replace(stated, observed_at=old.fact.observed_at),
        now=house.clock(),
    )
    return _renew(house, caller, current, fact, check, around, "restore")


def _changeable(house: House, caller: Caller, memory_id: str, check: RevisionCheck) -> Memory:
    """Return a memory that the caller may change at the revision it names.

    The transaction checks all of this again: here it is said in the contract's order, before
    what the change means is looked at.
    """
    standing, access = _standing(house, caller)
    memory = house.memory.newest(caller.tenant_id, [memory_id]).get(memory_id)
    if memory is None or memory.owner not in access.visible:
        raise NotFoundError
    admit(access, standing, frozenset({memory.owner}))
    check_revision(check, memory)
    return memory


def _renew(
    house: House,
    caller: Caller,
    current: Memory,
    fact: Fact,
    check: RevisionCheck,
    around: Circumstances,
    operation: Any,
) -> Answer:
    motion = Motion(
        kind="memory",
        caller=caller,
        operation=operation,
        facts=(fact,),
        request_id=around.request_id,
        key=around.key,
        target=current.memory_id,
        check=check,
    )
    ruling = carry(house, motion)
    if ruling.verdict and ruling.verdict.status == "NO_CHANGE" and _another(ruling, current):
        data = answers.verdict_data(ruling.verdict)
        tongue = answers.tongue_of(house, ruling.standing, around)
        view = answers.verdict_view(data, holding.visible(ruling), motion.facts, tongue)
        raise NotAdmittedError("Another memory says the same.", verdict=view)
    return conclude(house, motion, ruling, around)


def _another(ruling: Ruling, current: Memory) -> bool:
    return any(memory.memory_id != current.memory_id for memory in _same(ruling))


def _same(ruling: Ruling) -> list[Memory]:
    assert ruling.receipt is not None
    return [ruling.memories[named] for named in ruling.receipt.facts]
