"""Questions: a fact that needs a person's yes is held, first on the Desk, then in the record."""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from moss_memory.core import when as time
from moss_memory.core.errors import (
    MossError,
    PendingStoreUnavailableError,
    VerdictChangedError,
)
from moss_memory.core.fact import Fact
from moss_memory.flow import answers
from moss_memory.flow.drafting import Motion
from moss_memory.flow.framing import spaces
from moss_memory.flow.motion import Ruling
from moss_memory.flow.ports import (
    Change,
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
from moss_memory.flow.provenance import decision_of, opened_events, settled_events
from moss_memory.flow.replays import first_answer

EXTENDS: Final = "extends"  # of a pending's data: a series goes on, nothing of it was changed


def fingerprint(facts: tuple[Fact, ...], shown: tuple[Reference, ...], what: str) -> str:
    """Hash what a question is about, so that asking it twice is one question."""
    told = [
        [
            fact.domain,
            fact.subject,
            fact.predicate,
            fact.object_value,
            fact.scope_id,
            time.to_json(fact.when) if fact.when else None,
            fact.status,
            fact.transparency,
            fact.source,
            fact.hard,
        ]
        for fact in facts
    ]
    spelled = json.dumps([what, told, sorted(shown)], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(spelled.encode()).hexdigest()


def draft(house: House, motion: Motion, ruling: Ruling, tongue: answers.Tongue) -> Pending:
    """Make the question that a verdict asks."""
    assert ruling.verdict is not None
    shown = tuple(
        dict.fromkeys(
            (finding.memory_id, finding.revision)
            for finding in ruling.verdict.findings
            if finding.verdict == "CONFIRM_REQUIRED"
            and finding.memory_id is not None
            and finding.revision is not None
        )
    )
    target = motion.target or ""
    return Pending(
        pending_id=house.secret(),
        tenant_id=motion.caller.tenant_id,
        principal_id=motion.pending.principal_id if motion.pending else motion.caller.principal_id,
        scope_ids=tuple(sorted({fact.scope_id for fact in motion.facts})),
        operation=motion.operation,
        facts=motion.facts,
        targets=((target, ruling.target_revision),) if target else motion.targets,
        shown=shown,
        actions=ruling.verdict.actions,
        decision_id=house.ids(),
        expires_at=house.clock() + timedelta(seconds=house.defaults.pending_seconds),
        fingerprint=fingerprint(
            motion.facts, shown, f"{motion.operation}:{target}:{ruling.target_revision}"
        ),
        rules_version=ruling.verdict.rules_version,
        timezone=tongue.zone,
        locale=tongue.locale,
        chat_id=motion.chat.chat_id if motion.chat else None,
        session_id=motion.hints.get("session_id"),
        parser=motion.parser,
        model=motion.model,
        data={**answers.verdict_data(ruling.verdict), **ruling.effects},
    )


def hold(
    house: House, motion: Motion, ruling: Ruling, tongue: answers.Tongue
) -> tuple[Pending, Receipt]:
    """Keep the question, then record that it was asked.

    The Desk comes first: no answer may promise a question that was lost.

    Raises:
        TooManyPendingsError, PendingStoreUnavailableError: nothing was written or held.
    """
    asked = draft(house, motion, ruling, tongue)
    held = house.desk.hold(asked, cap=house.defaults.pending_cap, now=house.clock())
    receipt = _receipt(motion, held)
    if held.pending_id != asked.pending_id:  # the same question is open already
        return held, _recorded_too(house, motion, ruling, held, receipt)
    try:
        recorded = house.memory.transact(
            _entry(motion), lambda _opened: Frame(), _recording(motion, ruling, held, receipt)
        )
    except MossError:
        let_go(house, held)
        raise
    if recorded is not receipt:  # an equal request with the same key was first
        let_go(house, held)
    return held, recorded


def _recorded_too(
    house: House, motion: Motion, ruling: Ruling, held: Pending, receipt: Receipt
) -> Receipt:
    """Record a question that is on the Desk alone: who asked it first died before recording it."""
    if _is_recorded(house, held):
        return receipt
    record = _recording(motion, ruling, held, receipt)

    def decide(opened: Opened, loaded: Loaded) -> Step[Receipt]:
        if _is_recorded(house, held):  # they were only slower: the claim waited for them
            return Step(receipt)
        return record(opened, loaded)

    return house.memory.transact(_entry(motion), lambda _opened: Frame(), decide)


def _is_recorded(house: House, held: Pending) -> bool:
    return house.memory.decision(held.tenant_id, pending_id=held.pending_id) is not None


def let_go(house: House, pending: Pending) -> None:
    """Drop a question that is settled or was never recorded; the answer does not hang on it.

    Where the Desk is away the question stays there until it expires, and the outcome row guards
    against a second effect.
    """
    with suppress(PendingStoreUnavailableError):
        house.desk.drop(pending)


def _entry(motion: Motion, pending_id: str | None = None) -> Entry:
    return Entry(
        tenant_id=motion.caller.tenant_id,
        principal_id=motion.caller.principal_id,
        request_id=motion.request_id,
        writes=spaces(motion.facts),
        idempotency=motion.key,
        pending_id=pending_id,
    )


def _receipt(motion: Motion, held: Pending) -> Receipt:
    return Receipt(
        kind=motion.kind,
        http_status=200 if motion.kind == "chat" else 202,
        decision_id=held.decision_id,
        pending_id=held.pending_id,
        data={
            **held.data,
            "operation": held.operation,
            "timezone": held.timezone,
            "locale": held.locale,
            "expires_at": held.expires_at.isoformat(),
            **motion.hints,
        },
    )


def _recording(
    motion: Motion, ruling: Ruling, held: Pending, receipt: Receipt
) -> Callable[[Opened, Loaded], Step[Receipt]]:
    def decide(opened: Opened, _loaded: Loaded) -> Step[Receipt]:
        first = first_answer(opened.replay, motion.key)
        if first:
            return Step(first)
        return Step(receipt, _held(motion, ruling, held, opened, receipt=receipt))

    return decide


def _held(
    motion: Motion,
    ruling: Ruling,
    held: Pending,
    opened: Opened,
    *,
    receipt: Receipt | None = None,
    outcome: Outcome | None = None,
    told: bool = False,
) -> Change:
    assert ruling.verdict is not None
    decision = decision_of(
        motion,
        ruling.verdict,
        decision_id=held.decision_id,
        outcome="CONFIRM_REQUIRED",
        revisions=(),
        recorded_at=opened.recorded_at,
        pending_id=held.pending_id,
    )
    return Change(
        operation="hold",
        decision=replace(decision, actor=held.principal_id),
        receipt=receipt,
        outcome=outcome,
        chat=motion.chat,
        events=(
            *(() if told else opened_events(held)),
            *(settled_events(motion.pending, outcome.receipt) if outcome else ()),
        ),
    )


def replace_question(
    house: House, motion: Motion, ruling: Ruling, tongue: answers.Tongue
) -> VerdictChangedError:
    """Ask afresh where what conflicts now was not all shown; the old question names the new."""
    assert motion.pending is not None
    asked = draft(house, motion, ruling, tongue)
    house.desk.drop(motion.pending)  # its place under the cap is the successor's
    held = house.desk.hold(asked, cap=house.defaults.pending_cap + 1, now=house.clock())
    receipt = _receipt(motion, held)
    fresh = held.pending_id == asked.pending_id
    recorded = held if fresh else replace(held, decision_id=house.ids())  # its own is taken
    outcome = Outcome(
        pending_id=motion.pending.pending_id,
        principal_id=motion.pending.principal_id,
        action="replaced",
        receipt=receipt,
        successor=held.pending_id,
    )

    def decide(opened: Opened, _loaded: Loaded) -> Step[Outcome]:
        if opened.outcome:
            return Step(opened.outcome)
        told = not fresh and _is_recorded(house, held)  # of its opening, when it was asked
        return Step(outcome, _held(motion, ruling, recorded, opened, outcome=outcome, told=told))

    house.memory.transact(
        replace(_entry(motion, motion.pending.pending_id), idempotency=None),
        lambda _opened: Frame(),
        decide,
    )
    return changed(held, visible(ruling), tongue)


def visible(ruling: Ruling) -> dict[Reference, Any]:
    """Return the memories of a ruling that its caller may see, by revision."""
    return answers.index(known.memory for known in ruling.known if known.visible)


def changed(
    held: Pending, memories: Mapping[Reference, Any], tongue: answers.Tongue
) -> VerdictChangedError:
    """Say that the question changed, and carry the one that is open now."""
    view = answers.pending_view(held, memories, tongue)
    return VerdictChangedError(
        verdict=view.verdict, pending=view, actions=view.actions, successor=held.pending_id
    )
