"""What goes out: the flows' answers as the contract's JSON objects, one function an object.

Instants are UTC and end in ``Z``; ``FOREVER`` is null. The shapes themselves are in
``view_shapes``, which also describes them to OpenAPI.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from moss_memory.api import record_view
from moss_memory.api.record_view import instant
from moss_memory.api.view_shapes import (
    ActionShape,
    AnswerShape,
    ChatShape,
    ContextShape,
    DecisionShape,
    FactShape,
    FindingShape,
    IncludedShape,
    LintShape,
    MemoryShape,
    OpenQuestionShape,
    PendingShape,
    QuestionShape,
    SessionShape,
    SettledShape,
    VerdictShape,
)
from moss_memory.core.fact import Fact, Memory, MemoryType
from moss_memory.core.interval import FOREVER
from moss_memory.core.when import to_json
from moss_memory.flow.ports import Decision
from moss_memory.flow.reading import spell_epoch
from moss_memory.flow.records import micros, record_of
from moss_memory.flow.requests import (
    ActionView,
    Answer,
    ChatAnswer,
    ContextAnswer,
    FindingView,
    IncludedLine,
    PendingView,
    VerdictView,
)
from moss_memory.flow.sessions import SessionView
from moss_memory.language.proposal import Question


def optional_instant(at: datetime | None) -> str | None:
    """Write an instant, null where there is none or it is never."""
    return None if at is None or at >= FOREVER else instant(at)


def fact(stated: Fact) -> FactShape:
    """Show a fact that is not kept yet, in the words of the request that would propose it."""
    return {
        "domain": stated.domain,
        "subject": stated.subject,
        "predicate": stated.predicate,
        "object_value": stated.object_value,
        "scope_id": stated.scope_id,
        "when": None if stated.when is None else to_json(stated.when),
        "status": stated.status,
        "transparency": stated.transparency,
        "buffer_before": stated.buffer_before,
        "buffer_after": stated.buffer_after,
        "source": stated.source,
        "confidence": stated.confidence,
        "source_ref": stated.source_ref,
        "observed_at": instant(stated.observed_at),
        "expires_at": optional_instant(stated.expires_at),
        "hard": stated.hard,
    }


def memory(kept: Memory, kind: MemoryType, now: datetime) -> MemoryShape:
    """Show one revision; what expired by ``now`` is inactive, whatever the store says."""
    return record_view.shown(record_of(kept), kind, micros(now))


def finding(found: FindingView) -> FindingShape:
    """Show a finding."""
    return {
        "memory_id": found.memory_id,
        "revision": found.revision,
        "fact_index": found.fact_index,
        "other_fact_index": found.other_fact_index,
        "relation": found.relation,
        "time_relation": found.time_relation,
        "verdict": found.verdict,
        "rule_id": found.rule_id,
        "reason": found.reason,
        "actions": list(found.actions),
        "summary": found.summary,
    }


def verdict(judged: VerdictView) -> VerdictShape:
    """Show a verdict."""
    return {
        "status": judged.status,
        "conflict_type": judged.conflict_type,
        "findings": [finding(found) for found in judged.findings],
        "notes": list(judged.notes),
        "rules_version": judged.rules_version,
    }


def lint(judged: VerdictView) -> LintShape:
    """Show the answer of ``/lint``."""
    return {**verdict(judged), "verdicts": list(judged.verdicts)}


def action(button: ActionView) -> ActionShape:
    """Show a button."""
    return {
        "action": button.action,
        "label": button.label,
        "effect": {"writes": button.writes, "retires": list(button.retires)},
    }


def pending(question: PendingView | None) -> PendingShape | None:
    """Show an open question as an answer carries it."""
    if question is None:
        return None
    return {
        "pending_id": question.pending_id,
        "expires_at": instant(question.expires_at),
        "facts": [fact(stated) for stated in question.facts],
    }


def clarification(asked: Question | None) -> QuestionShape | None:
    """Show what is unclear, and the readings to choose from."""
    if asked is None:
        return None
    return {
        "code": asked.code,
        "text": asked.text,
        "choices": [{"label": choice.label, "text": choice.text} for choice in asked.choices],
    }


def answer(given: Answer, shown: Sequence[MemoryShape], gone: Sequence[MemoryShape]) -> AnswerShape:
    """Show the answer of a write; ``shown`` and ``gone`` are its memories as views."""
    return {
        **verdict(given.verdict),
        "facts": list(shown),
        "superseded": list(gone),
        "pending": pending(given.pending),
        "actions": [action(button) for button in given.actions],
        "decision_id": given.decision_id,
    }


def settled(
    given: Answer, shown: Sequence[MemoryShape], gone: Sequence[MemoryShape]
) -> SettledShape:
    """Show how a question was settled."""
    return {
        "status": given.status,
        "action": given.action or "",
        "facts": list(shown),
        "superseded": list(gone),
        "decision_id": given.decision_id,
        "rules_version": given.verdict.rules_version,
        "reply": given.reply,
    }


def open_question(question: PendingView) -> OpenQuestionShape:
    """Show an open question with what was asked and what may be answered."""
    return {
        "pending_id": question.pending_id,
        "expires_at": instant(question.expires_at),
        "facts": [fact(stated) for stated in question.facts],
        "actions": [action(button) for button in question.actions],
        "verdict": None if question.verdict is None else verdict(question.verdict),
    }


def session(kept: SessionView) -> SessionShape:
    """Show the working memory of a conversation."""
    return {
        "session_id": kept.session.session_id,
        "dialog_state": dict(kept.session.dialog_state),
        "pending_facts": [open_question(question) for question in kept.pendings],
        "reference_facts": {
            "count": kept.facts,
            "epoch": kept.epoch,
            "age_seconds": kept.age_seconds,
        },
        "ttl_seconds": kept.ttl_seconds,
    }


def context(built: ContextAnswer) -> ContextShape:
    """Show a context and the reason for each line."""
    return {
        "text": built.text,
        "tokens": built.tokens,
        "token_budget": built.token_budget,
        "blocks": [
            {"priority": priority, "label": label, "tokens": tokens}
            for priority, label, tokens in built.blocks
        ],
        "included": [_included(line) for line in built.included],
        "excluded": [{"memory_id": left, "reason": reason} for left, reason in built.excluded],
        "counts": {
            "included": len(built.included),
            "excluded_by_reason": dict(built.excluded_by_reason),
            "denied": built.denied,
        },
        "known_epoch": spell_epoch(built.known_epoch),
        "hash": built.hash,
    }


def _included(line: IncludedLine) -> IncludedShape:
    return {
        "memory_id": line.memory_id,
        "revision": line.revision,
        "scope_id": line.scope_id,
        "source": line.source,
        "confidence": line.confidence,
        "relevance": line.relevance,
        "tokens": line.tokens,
        "priority": line.priority,
        "hard": line.hard,
        "decision_id": line.decision_id,
        "related": list(line.related),
    }


def decision(made: Decision) -> DecisionShape:
    """Show a decision."""
    return {
        "decision_id": made.decision_id,
        "outcome": made.outcome,
        "rule_ids": list(made.rule_ids),
        "rules_version": made.rules_version,
        "evidence": {"supports": list(made.supports), "contradicts": list(made.contradicts)},
        "actor": made.actor,
        "chat_id": made.chat_id,
        "memories": [
            {"memory_id": memory_id, "revision": revision} for memory_id, revision in made.memories
        ],
        "recorded_at": optional_instant(made.recorded_at),
    }


def chat(said: ChatAnswer, shown: Sequence[MemoryShape], gone: Sequence[MemoryShape]) -> ChatShape:
    """Show the answer to an utterance."""
    judged = said.verdict
    view: ChatShape = {
        "chat_id": said.chat_id,
        "session_id": said.session_id,
        "intent": said.intent,
        "operation": said.operation,
        "status": said.status,
        "confirm_required": said.status == "CONFIRM_REQUIRED",
        "conflict_type": judged.conflict_type if judged else "NONE",
        "reply": said.reply,
        "reply_source": said.reply_source,
        "facts": list(shown),
        "superseded": list(gone),
        "findings": [finding(found) for found in judged.findings] if judged else [],
        "notes": list(judged.notes) if judged else [],
        "pending": pending(said.pending),
        "actions": [action(button) for button in said.actions],
        "question": clarification(said.question),
        "decision_id": said.decision_id,
        "rules_version": said.rules_version,
        "usage": {
            "prompt_tokens": said.prompt_tokens,
            "completion_tokens": said.completion_tokens,
        },
    }
    if said.trace is not None:
        view["trace"] = [dict(step) for step in said.trace]
    return view


_MEMBERS: Final[Mapping[type, Callable[[Any], Any]]] = {
    VerdictView: verdict,
    PendingView: pending,
    ActionView: action,
    FindingView: finding,
    datetime: instant,
}


def member(value: object) -> Any:
    """Show an extension member of a problem document: views and JSON values, nothing else.

    Raises:
        TypeError: it is neither, so nobody has decided how it may be shown.
    """
    if view := _MEMBERS.get(type(value)):
        return view(value)
    if isinstance(value, Mapping):
        return {str(name): member(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [member(held) for held in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"not for a problem document: {type(value).__name__}")
