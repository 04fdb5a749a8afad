"""Retiring memories: one by its id, one or several that an utterance means."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from moss_memory.core.access import Access, Caller, access_of
from moss_memory.core.errors import NotFoundError, PrincipalErasedError, ScopeNotWritableError
from moss_memory.core.fact import Memory
from moss_memory.core.linter import Verdict
from moss_memory.flow import answers
from moss_memory.flow.drafting import Kind
from moss_memory.flow.motion import Ruling, settled_before
from moss_memory.flow.ports import (
    Change,
    Chat,
    Decision,
    Entry,
    Event,
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
from moss_memory.flow.precondition import check_revision, inactive, require_revision
from moss_memory.flow.provenance import settled_events
from moss_memory.flow.replays import answered_before
from moss_memory.flow.requests import Answer, Circumstances, RevisionCheck


def retire(
    house: House, caller: Caller, memory_id: str, check: RevisionCheck, around: Circumstances
) -> Answer:
    """Retire one memory; one that is retired already is answered as it is.

    Raises:
        NotFoundError, ScopeNotWritableError, RevisionRequiredError, StaleRevisionError.
    """
    before = answered_before(house, caller, around)
    if before:
        return before
    standing = house.memory.standing(caller.tenant_id, caller.principal_id)
    access = access_of(caller, standing.grants)
    memory = house.memory.newest(caller.tenant_id, [memory_id]).get(memory_id)
    if memory is None or memory.owner not in access.visible:
        raise NotFoundError
    tongue = answers.tongue_of(house, standing, around)
    ruling = _carry(
        house,
        caller,
        [memory],
        _Retirement(kind="memory", around=around, check=check),
    )
    return _answer(house, ruling, tongue)


class _Retirement:
    """How memories are retired: by whom is the entry's matter, through which words is here."""

    def __init__(
        self,
        *,
        kind: Kind,
        around: Circumstances,
        check: RevisionCheck | None = None,
        pending: Pending | None = None,
        chat: Chat | None = None,
        hints: dict[str, Any] | None = None,
    ) -> None:
        self.kind = kind
        self.around = around
        self.check = check
        self.pending = pending
        self.chat = chat
        self.hints = hints or {}


def retire_said(
    house: House,
    caller: Caller,
    memories: Sequence[Memory],
    *,
    around: Circumstances,
    chat: Chat,
    hints: dict[str, Any],
) -> Ruling:
    """Retire the one memory that an utterance means."""
    way = _Retirement(kind="chat", around=around, chat=chat, hints=hints)
    return _carry(house, caller, memories, way)


def retire_held(house: House, caller: Caller, pending: Pending, around: Circumstances) -> Ruling:
    """Retire what a confirmed RETIRE_MANY named, as far as it is unchanged and still active."""
    found = house.memory.newest(caller.tenant_id, [name for name, _ in pending.targets])
    memories = [found[name] for name, _ in pending.targets if name in found]
    way = _Retirement(kind="confirm", around=around, pending=pending)
    return _carry(house, caller, memories, way)


def _carry(house: House, caller: Caller, memories: Sequence[Memory], way: _Retirement) -> Ruling:
    entry = Entry(
        tenant_id=caller.tenant_id,
        principal_id=caller.principal_id,
        request_id=way.around.request_id,
        writes=frozenset((memory.owner, memory.fact.domain) for memory in memories),
        memory_ids=tuple(memory.memory_id for memory in memories),
        pending_id=way.pending.pending_id if way.pending else None,
        idempotency=way.around.key,
    )

    def decide(opened: Opened, _loaded: Loaded) -> Step[Ruling]:
        access = access_of(caller, opened.standing.grants)
        before = settled_before(opened, access, entry.idempotency)
        if before:
            return Step(before)
        return _decide(house, access, opened, entry.memory_ids, way)

    return house.memory.transact(entry, lambda _opened: Frame(), decide)


def _decide(
    house: House, access: Access, opened: Opened, wanted: Sequence[str], way: _Retirement
) -> Step[Ruling]:
    memories = [opened.memories[name] for name in wanted if name in opened.memories]
    _admit(access, opened, memories)
    if way.check:
        require_revision(way.check)
        if not inactive(memories[0], opened.recorded_at):
            check_revision(way.check, memories[0])
    shown = dict(way.pending.targets) if way.pending else {}
    going = [
        memory
        for memory in memories
        if not inactive(memory, opened.recorded_at)
        and shown.get(memory.memory_id, memory.revision) == memory.revision
    ]
    decision_id = house.ids()
    chat_id = _chat_id(way)
    gone = [_retired(memory, opened, decision_id, chat_id) for memory in going]
    told = gone or [memory for memory in memories if inactive(memory, opened.recorded_at)]
    receipt = _receipt(way, told if way.kind == "memory" else (), gone, decision_id)
    ruling = Ruling(
        access=access,
        recorded_at=opened.recorded_at,
        receipt=receipt,
        memories=answers.index([*told, *gone]),
    )
    if not gone and way.pending is None:
        return Step(ruling)
    return Step(ruling, _change(house, access, way, opened, gone, receipt))


def _admit(access: Access, opened: Opened, memories: Sequence[Memory]) -> None:
    if opened.standing.erased:
        raise PrincipalErasedError
    if not memories or any(memory.owner not in access.visible for memory in memories):
        raise NotFoundError
    if any(memory.owner not in access.writable for memory in memories):
        raise ScopeNotWritableError


def _chat_id(way: _Retirement) -> str | None:
    if way.chat:
        return way.chat.chat_id
    return way.pending.chat_id if way.pending else None


def _retired(memory: Memory, opened: Opened, decision_id: str, chat_id: str | None) -> Memory:
    return replace(
        memory,
        revision=memory.revision + 1,
        active=False,
        inactive_reason="retired",
        windows=(),
        epoch=opened.epochs[(memory.owner, memory.fact.domain)],
        recorded_at=opened.recorded_at,
        provenance=replace(
            memory.provenance, decision_id=decision_id, invalidated_by_chat_id=chat_id
        ),
    )


def _receipt(
    way: _Retirement, facts: Sequence[Memory], gone: Sequence[Memory], decision_id: str
) -> Receipt:
    verdict = Verdict(status="SUCCESS" if gone else "NO_CHANGE", conflict_type="NONE")
    references: tuple[Reference, ...] = tuple(answers.reference(memory) for memory in gone)
    return Receipt(
        kind=way.kind,
        http_status=200,
        decision_id=decision_id if gone else None,
        facts=tuple(answers.reference(memory) for memory in facts),
        superseded=() if way.kind == "memory" else references,
        data={
            **answers.verdict_data(verdict),
            "outcome": verdict.status,
            "operation": "retire",
            "actions": [],
            **({"action": "approve", **answers.asked_in(way.pending)} if way.pending else {}),
            **way.hints,
        },
    )


def _change(
    house: House,
    access: Access,
    way: _Retirement,
    opened: Opened,
    gone: Sequence[Memory],
    receipt: Receipt,
) -> Change:
    caller = access.caller
    chat_id = _chat_id(way)
    outcome = None
    if way.pending:
        outcome = Outcome(
            pending_id=way.pending.pending_id,
            principal_id=way.pending.principal_id,
            action="approve",
            receipt=receipt,
        )
    return Change(
        operation="retire",
        decision=Decision(
            decision_id=receipt.decision_id or house.ids(),
            outcome="RETIRED" if gone else "NO_CHANGE",
            rules_version=house.policy.rules_version,
            supports=(f"chat:{chat_id}",) if chat_id else (),
            actor=caller.principal_id,
            chat_id=chat_id,
            pending_id=way.pending.pending_id if way.pending else None,
            memories=tuple(answers.reference(memory) for memory in gone),
            recorded_at=opened.recorded_at,
        ),
        revisions=tuple(gone),
        receipt=receipt,
        outcome=outcome,
        chat=way.chat,
        events=(
            *(
                Event(
                    kind="memory.retired",
                    scope_id=memory.owner,
                    ids=(memory.memory_id,),
                    revision=memory.revision,
                    status="inactive",
                )
                for memory in gone
            ),
            *settled_events(way.pending, receipt),
        ),
    )


def _answer(house: House, ruling: Ruling, tongue: answers.Tongue) -> Answer:
    assert ruling.receipt is not None
    if ruling.replayed:
        return answers.replay(house, ruling.access, ruling.receipt, tongue)
    return answers.answer(ruling.receipt, ruling.memories, tongue)
