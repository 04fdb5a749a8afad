"""The record of a decision: the rules that made it, what spoke for and against it, and who."""

from datetime import datetime

from moss_memory.core.fact import Memory
from moss_memory.core.linter import Verdict
from moss_memory.flow import answers
from moss_memory.flow.drafting import Motion
from moss_memory.flow.ports import Decision, Event, Pending, Receipt


def settled_events(pending: Pending | None, receipt: Receipt) -> tuple[Event, ...]:
    """Tell the readers of ``/events`` how a question was settled, if there was one.

    The status is what ``/confirm`` answered, or REPLACED where a fresh question took its place.
    """
    if pending is None:
        return ()
    status = "REPLACED" if receipt.pending_id else str(receipt.data["outcome"])
    return tuple(
        Event(
            kind="pending.settled",
            scope_id=scope,
            ids=(pending.pending_id,),
            status=status,
            principal_id=pending.principal_id,
        )
        for scope in pending.scope_ids
    )


def opened_events(held: Pending) -> tuple[Event, ...]:
    """Tell the readers of ``/events`` that a question is open."""
    return tuple(
        Event(
            kind="pending.opened",
            scope_id=scope,
            ids=(held.pending_id,),
            status="CONFIRM_REQUIRED",
            principal_id=held.principal_id,
        )
        for scope in held.scope_ids
    )


def decision_of(
    motion: Motion,
    verdict: Verdict,
    *,
    decision_id: str,
    outcome: str,
    revisions: tuple[Memory, ...],
    recorded_at: datetime,
    pending_id: str | None = None,
) -> Decision:
    """Record why: the rules, what spoke for it and against it, who and through which words."""
    chat_id = motion.chat.chat_id if motion.chat else None
    if chat_id is None and motion.pending:
        chat_id = motion.pending.chat_id
    said = [f"chat:{chat_id}"] if chat_id else []
    confirmed = [f"pending:{motion.pending.pending_id}"] if motion.pending else []
    against = [
        f"memory:{finding.memory_id}@{finding.revision}"
        for finding in verdict.findings
        if finding.memory_id and finding.relation in {"conflicts", "supersedes"}
    ]
    return Decision(
        decision_id=decision_id,
        outcome=outcome,
        rule_ids=tuple(dict.fromkeys(finding.rule_id for finding in verdict.findings)),
        rules_version=verdict.rules_version,
        supports=(*said, *confirmed),
        contradicts=tuple(against),
        actor=motion.caller.principal_id,
        chat_id=chat_id,
        pending_id=pending_id or (motion.pending.pending_id if motion.pending else None),
        memories=tuple(answers.reference(memory) for memory in revisions),
        findings=tuple(answers.finding_data(finding) for finding in verdict.findings),
        recorded_at=recorded_at,
    )


def written_event(memory: Memory) -> Event:
    """Tell the readers of ``/events`` of a new revision."""
    return Event(
        kind="memory.written" if memory.active else "memory.retired",
        scope_id=memory.owner,
        ids=(memory.memory_id,),
        revision=memory.revision,
        status="active" if memory.active else "inactive",
    )
