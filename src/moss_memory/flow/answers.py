"""Receipts into answers: what was decided, shown again from ids and revisions alone.

The first answer and every replay take this one way, so a repeat says what the first time said.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from moss_memory.core.access import Access
from moss_memory.core.errors import NotFoundError
from moss_memory.core.fact import Fact, Memory
from moss_memory.core.interval import Interval
from moss_memory.core.linter import HIDDEN, Finding, Verdict
from moss_memory.flow.ports import House, Pending, Receipt, Reference, Standing
from moss_memory.flow.requests import (
    ActionView,
    Answer,
    Circumstances,
    FindingView,
    PendingView,
    VerdictView,
)
from moss_memory.language import wording


@dataclass(frozen=True, slots=True)
class Tongue:
    """In which zone and language an answer is worded."""

    zone: str
    locale: str


def reference(memory: Memory) -> Reference:
    """Name one revision."""
    return memory.memory_id, memory.revision


def index(memories: Iterable[Memory]) -> dict[Reference, Memory]:
    """Look revisions up by their name."""
    return {reference(memory): memory for memory in memories}


def finding_data(finding: Finding) -> dict[str, Any]:
    """Keep a finding without words."""
    return {
        "memory_id": finding.memory_id,
        "revision": finding.revision,
        "fact_index": finding.fact_index,
        "other_fact_index": finding.other_fact_index,
        "relation": finding.relation,
        "time_relation": finding.time_relation,
        "verdict": finding.verdict,
        "rule_id": finding.rule_id,
        "reason": finding.reason,
        "actions": list(finding.actions),
        "occurrence": _spelled(finding.occurrence),
    }


def _spelled(window: Interval | None) -> list[str] | None:
    return None if window is None else [window.start.isoformat(), window.end.isoformat()]


def _window(spelled: Sequence[str] | None) -> Interval | None:
    if spelled is None:
        return None
    start, end = map(datetime.fromisoformat, spelled)
    return Interval(start, end)


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """Keep a verdict without words."""
    return {
        "status": verdict.status,
        "conflict_type": verdict.conflict_type,
        "findings": [finding_data(finding) for finding in verdict.findings],
        "notes": list(verdict.notes),
        "rules_version": verdict.rules_version,
    }


def verdict_view(
    data: Mapping[str, Any],
    memories: Mapping[Reference, Memory],
    facts: tuple[Fact, ...],
    tongue: Tongue,
) -> VerdictView:
    """Show a verdict, each finding with one line that names what it found."""
    return VerdictView(
        status=data["status"],
        conflict_type=data["conflict_type"],
        findings=tuple(_finding(each, memories, facts, tongue) for each in data["findings"]),
        notes=tuple(data["notes"]),
        rules_version=data["rules_version"],
        verdicts=tuple(data.get("verdicts", ())),
    )


def _finding(
    data: Mapping[str, Any],
    memories: Mapping[Reference, Memory],
    facts: tuple[Fact, ...],
    tongue: Tongue,
) -> FindingView:
    named: Memory | Fact | None = None
    if data["memory_id"] is not None:
        named = memories.get((data["memory_id"], data["revision"]))
    elif data["other_fact_index"] is not None and data["other_fact_index"] < len(facts):
        named = facts[data["other_fact_index"]]
    shown = {name: value for name, value in data.items() if name != "occurrence"}
    summary = ""
    if named is not None:
        window = _window(data.get("occurrence"))
        summary = wording.summary(named, tongue.zone, tongue.locale, window=window)
    return FindingView(summary=summary, **{**shown, "actions": tuple(data["actions"])})


def in_sight(
    house: House, access: Access, data: Mapping[str, Any]
) -> tuple[dict[Reference, Memory], frozenset[str]]:
    """Return the memories that kept findings name, as far as the caller sees them now.

    By revision, and all their ids: also of those whose old words are swept.
    """
    tenant, visible = access.caller.tenant_id, set(access.visible)
    named = {(f["memory_id"], f["revision"]) for f in data["findings"] if f["memory_id"]}
    exact = house.memory.exact(tenant, sorted(named))
    newest = house.memory.newest(tenant, sorted({name for name, _ in named - exact.keys()}))
    memories = {ref: each for ref, each in exact.items() if each.owner in visible}
    others = (name for name, each in newest.items() if each.owner in visible)
    return memories, frozenset((*(name for name, _ in memories), *others))


def masked(data: Mapping[str, Any], seen: frozenset[str]) -> dict[str, Any]:
    """Say of findings of what is out of sight only that there is a conflict, and of actions cancel.

    Out of sight is every memory that ``seen`` does not name.
    """
    hidden = [f for f in data["findings"] if f["memory_id"] and f["memory_id"] not in seen]
    if not hidden:
        return dict(data)
    kept = [each for each in data["findings"] if each not in hidden]
    told = dict.fromkeys(each["fact_index"] for each in hidden)
    cancel = [{"action": "cancel", "writes": 0, "retires": []}]
    return {
        **data,
        "findings": [*(finding_data(replace(HIDDEN, fact_index=index)) for index in told), *kept],
        "actions": cancel if data.get("actions") else [],
    }


def action_views(data: Mapping[str, Any], locale: str) -> tuple[ActionView, ...]:
    """Show the buttons that were offered, each with its label and its effect."""
    return tuple(
        ActionView(
            action=each["action"],
            label=wording.label(each["action"], data["conflict_type"], locale),
            writes=each["writes"],
            retires=tuple(each["retires"]),
        )
        for each in data["actions"]
    )


def pending_view(
    pending: Pending, memories: Mapping[Reference, Memory], tongue: Tongue
) -> PendingView:
    """Show an open question with its buttons and the verdict that made it."""
    return PendingView(
        pending_id=pending.pending_id,
        expires_at=pending.expires_at,
        facts=pending.facts,
        actions=action_views(pending.data, tongue.locale),
        verdict=verdict_view(pending.data, memories, pending.facts, tongue),
    )


def answer(
    receipt: Receipt,
    memories: Mapping[Reference, Memory],
    tongue: Tongue,
    *,
    pending: Pending | None = None,
    replayed: bool = False,
) -> Answer:
    """Word a receipt. Memories that are absent from ``memories`` are no longer visible.

    Raises:
        NotFoundError: a fact that the answer names is no longer visible.
    """
    gone = [named for named in (*receipt.facts, *receipt.superseded) if named not in memories]
    if gone:
        raise NotFoundError
    facts = tuple(memories[named] for named in receipt.facts)
    superseded = tuple(memories[named] for named in receipt.superseded)
    stated = pending.facts if pending else tuple(memory.fact for memory in facts)
    view = verdict_view(receipt.data, memories, stated, tongue)
    return Answer(
        http_status=receipt.http_status,
        status=receipt.data.get("outcome", view.status),
        verdict=view,
        facts=facts,
        superseded=superseded,
        pending=pending_view(pending, memories, tongue) if pending else _closed(receipt, view),
        actions=action_views(receipt.data, tongue.locale),
        decision_id=receipt.decision_id,
        action=receipt.data.get("action"),
        reply=_reply(receipt, view, facts, superseded, memories, tongue, stated),
        replayed=replayed,
    )


def _closed(receipt: Receipt, view: VerdictView) -> PendingView | None:
    """Name a question that was settled or is gone, without what it held."""
    if receipt.pending_id is None or "expires_at" not in receipt.data:
        return None
    return PendingView(
        pending_id=receipt.pending_id,
        expires_at=datetime.fromisoformat(receipt.data["expires_at"]),
        facts=(),
        verdict=view,
    )


def replay(house: House, access: Access, receipt: Receipt, tongue: Tongue) -> Answer:
    """Give a first answer again, from the store and the Desk, in the words of the first time.

    A question that is no longer open is named by its id; what it held is nowhere kept.
    """
    tenant = access.caller.tenant_id
    tongue = Tongue(
        receipt.data.get("timezone", tongue.zone), receipt.data.get("locale", tongue.locale)
    )
    memories, seen = in_sight(house, access, receipt.data)
    written = house.memory.exact(tenant, [*receipt.facts, *receipt.superseded])
    memories |= {ref: each for ref, each in written.items() if each.owner in access.visible}
    receipt = replace(receipt, data=masked(receipt.data, seen))
    pending = None
    if receipt.pending_id:
        pending = house.desk.pending(tenant, receipt.pending_id, now=house.clock())
    if pending:
        pending = replace(pending, data=masked(pending.data, seen))
    return answer(receipt, memories, tongue, pending=pending, replayed=True)


def _reply(
    receipt: Receipt,
    view: VerdictView,
    facts: tuple[Memory, ...],
    superseded: tuple[Memory, ...],
    memories: Mapping[Reference, Memory],
    tongue: Tongue,
    stated: tuple[Fact, ...],
) -> str:
    operation = receipt.data.get("operation", "create")
    named: Sequence[Memory | Fact] = facts or stated
    if operation == "retire":  # what was retired is the news, not something it replaced
        named, superseded = superseded or named, ()
    status = receipt.data.get("outcome", view.status)
    open_still = status in {"CONFIRM_REQUIRED", "BLOCKED"}
    news = wording.News(
        status=status,
        operation=operation,
        reason=view.conflict_type,
        facts=named,
        old=superseded or (objecting(view, memories) if open_still else ()),
    )
    return wording.reply(news, tongue.zone, tongue.locale)


def objecting(view: VerdictView, memories: Mapping[Reference, Memory]) -> tuple[Memory, ...]:
    """Name what asks or refuses, as far as the caller may see it."""
    if view.status not in {"CONFIRM_REQUIRED", "BLOCKED"}:
        return ()
    named = dict.fromkeys(
        (each.memory_id, each.revision)
        for each in view.findings
        if each.verdict == view.status and each.memory_id is not None and each.revision is not None
    )
    return tuple(memories[ref] for ref in named if ref in memories)


def tongue_of(house: House, standing: Standing, around: Circumstances) -> Tongue:
    """Choose zone and language: the request's, else the principal's, else the service's."""
    return Tongue(
        around.timezone or standing.timezone or house.defaults.timezone,
        around.locale or standing.locale or house.defaults.locale,
    )


def spoken(house: House, standing: Standing) -> dict[str, str]:
    """Keep in which zone and language a principal is answered where the request names none."""
    return {
        "timezone": standing.timezone or house.defaults.timezone,
        "locale": standing.locale or house.defaults.locale,
    }


def asked_in(pending: Pending) -> dict[str, Any]:
    """Keep of a settled question in which scopes, zone and language it was asked."""
    return {
        "scope_ids": list(pending.scope_ids),
        "timezone": pending.timezone,
        "locale": pending.locale,
    }
