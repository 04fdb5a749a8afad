"""An open question is answered: linted again under today's rules, written once, or dropped."""

from dataclasses import replace

from moss_memory.core.access import Access, Caller, access_of
from moss_memory.core.errors import (
    ActionNotOfferedError,
    AlreadySettledError,
    ApproverMustDifferError,
    NotAdmittedError,
    NotFoundError,
    PendingGoneError,
    PendingStoreUnavailableError,
    PrincipalErasedError,
    VerdictChangedError,
)
from moss_memory.core.fact import Memory
from moss_memory.core.linter import HIDDEN_CONFLICT, ActionName
from moss_memory.flow import answers, holding, retiring
from moss_memory.flow.drafting import Motion
from moss_memory.flow.framing import spaces
from moss_memory.flow.motion import Ruling, carry
from moss_memory.flow.ports import (
    Change,
    Decision,
    Entry,
    Frame,
    House,
    Loaded,
    Opened,
    Outcome,
    Pending,
    Receipt,
    Reference,
    Step,
)
from moss_memory.flow.provenance import settled_events
from moss_memory.flow.replays import first_answer, under_key
from moss_memory.flow.requests import Answer, Circumstances, PendingView, RevisionCheck


def confirm(
    house: House, caller: Caller, pending_id: str, action: ActionName, around: Circumstances
) -> Answer:
    """Settle a question as the person answered it.

    Raises:
        NotFoundError: never asked, or somebody else's.
        PendingGoneError: it expired or was lost, and it was this principal's.
        AlreadySettledError: it was settled another way.
        ActionNotOfferedError: the question has no such button; it stays open.
        ApproverMustDifferError: the proposer may only cancel here.
        VerdictChangedError: something that was not shown conflicts now; a fresh question is open.
        NotAdmittedError: the rules refuse it now.
        PrincipalErasedError: the caller was erased.
        StaleRevisionError: the memory that it would change has another revision by now.
    """
    standing = house.memory.standing(caller.tenant_id, caller.principal_id)
    access = access_of(caller, standing.grants)
    held = _on_desk(house, caller, pending_id)  # before the outcome: settling writes it, then drops
    outcome = house.memory.outcome(caller.tenant_id, pending_id)
    first = under_key(house, caller, around)
    if outcome and isinstance(held, Pending):  # who settled it died before it was dropped
        holding.let_go(house, held)
    if first:
        return answers.replay(house, access, first, _as_asked(first, around))
    if outcome:
        return _again(house, access, outcome, action, around)
    if standing.erased:
        raise PrincipalErasedError
    pending = _open(house, access, pending_id, held)
    tongue = _tongue(pending, around)
    _may_answer(access, pending, action)
    if action == "cancel":
        return _cancel(house, access, pending, around, tongue)
    if action not in pending.actions:
        raise ActionNotOfferedError
    if pending.operation == "retire":
        ruling = retiring.retire_held(house, caller, pending, around)
    else:
        ruling = carry(house, _motion(caller, _going_on(house, pending), action, around))
    return _answer(house, pending, ruling, action, around, tongue)


def _as_asked(receipt: Receipt, around: Circumstances) -> answers.Tongue:
    """Word a settled question's answer in the zone and language in which it was asked."""
    return answers.Tongue(
        around.timezone or receipt.data["timezone"], around.locale or receipt.data["locale"]
    )


def question(house: House, caller: Caller, pending_id: str, around: Circumstances) -> PendingView:
    """Return one open question.

    Raises:
        NotFoundError, PendingGoneError: as ``confirm``.
    """
    access = _access(house, caller)
    pending = _open(house, access, pending_id, _on_desk(house, caller, pending_id))
    return _view(house, access, pending, _tongue(pending, around))


def open_questions(house: House, caller: Caller, around: Circumstances) -> tuple[PendingView, ...]:
    """Return the open questions that the caller asked or may approve, oldest first."""
    access = _access(house, caller)
    approving = [s.scope_id for s in access.scopes if s.approver_must_differ]
    pendings = house.desk.pendings(
        caller.tenant_id,
        caller.principal_id,
        scope_ids=[scope for scope in approving if scope in access.writable],
        now=house.clock(),
    )
    return tuple(_view(house, access, one, _tongue(one, around)) for one in pendings)


def _access(house: House, caller: Caller) -> Access:
    standing = house.memory.standing(caller.tenant_id, caller.principal_id)
    return access_of(caller, standing.grants)


def _tongue(pending: Pending, around: Circumstances) -> answers.Tongue:
    """Word an answer as the question was worded, unless this request says otherwise."""
    return answers.Tongue(around.timezone or pending.timezone, around.locale or pending.locale)


def _view(house: House, access: Access, pending: Pending, tongue: answers.Tongue) -> PendingView:
    sighted, memories = _in_sight(house, access, pending)
    return answers.pending_view(sighted, memories, tongue)


def _in_sight(
    house: House, access: Access, pending: Pending
) -> tuple[Pending, dict[Reference, Memory]]:
    """Return a question as its reader may see it now: what became invisible refuses it."""
    memories, seen = answers.in_sight(house, access, pending.data)
    data = answers.masked(pending.data, seen)
    if data["findings"] != pending.data["findings"]:
        data |= {"status": "BLOCKED", "conflict_type": HIDDEN_CONFLICT}
    return replace(pending, data=data), memories


def _on_desk(
    house: House, caller: Caller, pending_id: str
) -> Pending | PendingStoreUnavailableError | None:
    """Look a question up; a Desk that is away is told only where its answer is needed."""
    try:
        return house.desk.pending(caller.tenant_id, pending_id, now=house.clock())
    except PendingStoreUnavailableError as error:
        return error


def _open(
    house: House,
    access: Access,
    pending_id: str,
    held: Pending | PendingStoreUnavailableError | None,
) -> Pending:
    """Return a question that is open and that the caller may know of."""
    if isinstance(held, PendingStoreUnavailableError):
        raise held
    if held is not None and _concerns(access, held):
        return held
    if held is None:
        asked = house.memory.decision(access.caller.tenant_id, pending_id=pending_id)
        if asked and asked.actor == access.caller.principal_id:
            raise PendingGoneError
    raise NotFoundError


def _concerns(access: Access, pending: Pending) -> bool:
    if pending.principal_id == access.caller.principal_id:
        return True
    approving = {scope.scope_id for scope in access.scopes if scope.approver_must_differ}
    mine = set(pending.scope_ids)
    return bool(mine & approving) and mine <= set(access.writable)


def _may_answer(access: Access, pending: Pending, action: ActionName) -> None:
    proposer = pending.principal_id == access.caller.principal_id
    guarded = {scope.scope_id for scope in access.scopes if scope.approver_must_differ}
    if proposer and action != "cancel" and guarded & set(pending.scope_ids):
        raise ApproverMustDifferError


def _unmoved(pending: Pending) -> RevisionCheck | None:
    """Guard what is to change: the person allowed a change of the revision that was there then."""
    return RevisionCheck(expected=pending.targets[0][1]) if pending.targets else None


def _going_on(house: House, pending: Pending) -> Pending:
    """Let a series that asked to go on do so as it is now: the question was not about its words."""
    if not pending.data.get(holding.EXTENDS):
        return pending
    found = house.memory.newest(pending.tenant_id, [name for name, _ in pending.targets])
    if not found:
        return pending
    newest = tuple(found.values())
    return replace(
        pending,
        facts=tuple(memory.fact for memory in newest),
        targets=tuple(answers.reference(memory) for memory in newest),
    )


def _motion(caller: Caller, pending: Pending, action: ActionName, around: Circumstances) -> Motion:
    assert pending.operation != "retire"
    return Motion(
        kind="confirm",
        caller=caller,
        operation=pending.operation,
        facts=pending.facts,
        request_id=around.request_id,
        key=around.key,
        target=pending.targets[0][0] if pending.targets else None,
        check=_unmoved(pending),
        pending=pending,
        action=action,
        parser=pending.parser,
        model=pending.model,
    )


def _answer(
    house: House,
    pending: Pending,
    ruling: Ruling,
    action: ActionName,
    around: Circumstances,
    tongue: answers.Tongue,
) -> Answer:
    if ruling.outcome:
        return _again(house, ruling.access, ruling.outcome, action, around)
    if ruling.replayed:
        assert ruling.receipt is not None
        return answers.replay(house, ruling.access, ruling.receipt, tongue)
    if ruling.receipt:
        holding.let_go(house, pending)
        return answers.answer(ruling.receipt, ruling.memories, tongue)
    assert ruling.verdict is not None
    if ruling.verdict.status == "BLOCKED":
        data = answers.verdict_data(ruling.verdict)
        view = answers.verdict_view(data, holding.visible(ruling), pending.facts, tongue)
        raise NotAdmittedError(verdict=view)
    motion = _motion(ruling.access.caller, pending, action, around)
    raise holding.replace_question(house, motion, ruling, tongue)


def _again(
    house: House, access: Access, outcome: Outcome, action: ActionName, around: Circumstances
) -> Answer:
    """Give the answer of a settled question again, or say how it was settled."""
    if outcome.principal_id != access.caller.principal_id and not _witness(access, outcome):
        raise NotFoundError
    if outcome.successor:
        successor = house.desk.pending(
            access.caller.tenant_id, outcome.successor, now=house.clock()
        )
        if successor is None:  # settled itself, or gone: its own id tells which
            raise VerdictChangedError(successor=outcome.successor)
        sighted, memories = _in_sight(house, access, successor)
        raise holding.changed(sighted, memories, _tongue(successor, around))
    if outcome.action != action:
        raise AlreadySettledError(action=outcome.action)
    tongue = _as_asked(outcome.receipt, around)
    return replace(answers.replay(house, access, outcome.receipt, tongue), replayed=False)


def _witness(access: Access, outcome: Outcome) -> bool:
    """Tell whether the caller may approve in the scope in which a question was settled."""
    scopes = set(outcome.receipt.data.get("scope_ids", ()))
    return bool(scopes) and scopes <= set(access.writable)


def _cancel(
    house: House,
    access: Access,
    pending: Pending,
    around: Circumstances,
    tongue: answers.Tongue,
) -> Answer:
    caller = access.caller
    receipt = _cancelled(house, pending)

    def decide(opened: Opened, _loaded: Loaded) -> Step[Outcome | Receipt]:
        if opened.outcome:
            return Step(opened.outcome)
        first = first_answer(opened.replay, around.key)
        if first:
            return Step(first)
        return Step(receipt, _cancellation(caller, pending, receipt, opened))

    entry = Entry(
        tenant_id=caller.tenant_id,
        principal_id=caller.principal_id,
        request_id=around.request_id,
        writes=spaces(pending.facts),
        pending_id=pending.pending_id,
        idempotency=around.key,
    )
    came = house.memory.transact(entry, lambda _opened: Frame(), decide)
    if isinstance(came, Outcome):
        return _again(house, access, came, "cancel", around)
    holding.let_go(house, pending)
    return answers.answer(came, {}, tongue, replayed=came is not receipt)


def _cancelled(house: House, pending: Pending) -> Receipt:
    return Receipt(
        kind="confirm",
        http_status=200,
        decision_id=house.ids(),
        data={
            **pending.data,
            "outcome": "CANCELLED",
            "operation": pending.operation,
            "action": "cancel",
            "actions": [],
            **answers.asked_in(pending),
        },
    )


def _cancellation(caller: Caller, pending: Pending, receipt: Receipt, opened: Opened) -> Change:
    outcome = Outcome(
        pending_id=pending.pending_id,
        principal_id=pending.principal_id,
        action="cancel",
        receipt=receipt,
    )
    decision = Decision(
        decision_id=receipt.decision_id or "",
        outcome="CANCELLED",
        rules_version=pending.rules_version,
        supports=(f"pending:{pending.pending_id}",),
        actor=caller.principal_id,
        pending_id=pending.pending_id,
        recorded_at=opened.recorded_at,
    )
    return Change(
        operation="cancel",
        decision=decision,
        receipt=receipt,
        outcome=outcome,
        events=settled_events(pending, receipt),
    )
