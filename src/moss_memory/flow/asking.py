"""What a conversation asks back, and how a change that was described becomes a whole fact."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from moss_memory.core.access import Access
from moss_memory.core.fact import Fact, Known, Memory
from moss_memory.core.interval import FOREVER
from moss_memory.core.linter import Finding, Verdict
from moss_memory.core.when import Days, Instant, WallClock, When
from moss_memory.flow import answers
from moss_memory.flow.motion import Ruling
from moss_memory.flow.ports import House, Reference
from moss_memory.flow.requests import Answer, ChatAnswer, VerdictView
from moss_memory.language import wording
from moss_memory.language.proposal import Parsed, ProposedFact

RETIRE_MANY = "RETIRE_MANY"


def blocked(
    verdict: Verdict,
    facts: tuple[Fact, ...],
    memories: Mapping[Reference, Memory],
    tongue: answers.Tongue,
) -> Answer:
    """Say that the rules refuse it, and why."""
    view = answers.verdict_view(answers.verdict_data(verdict), memories, facts, tongue)
    news = wording.News(
        status="BLOCKED",
        facts=facts,
        old=answers.objecting(view, memories),
        reason=verdict.conflict_type,
    )
    return Answer(
        http_status=200,
        status="BLOCKED",
        verdict=view,
        reply=wording.reply(news, tongue.zone, tongue.locale),
    )


def many(house: House, access: Access, found: Sequence[Memory]) -> Ruling:
    """Ask before several memories are retired by one utterance."""
    findings = tuple(
        Finding(
            fact_index=0,
            verdict="CONFIRM_REQUIRED",
            rule_id=RETIRE_MANY,
            reason=RETIRE_MANY,
            relation=None,
            time_relation=None,
            actions=("approve", "cancel"),
            memory_id=memory.memory_id,
            revision=memory.revision,
        )
        for memory in found
    )
    verdict = Verdict(
        status="CONFIRM_REQUIRED",
        conflict_type=RETIRE_MANY,
        findings=findings,
        actions=("approve", "cancel"),
        rules_version=house.policy.rules_version,
    )
    retires = [memory.memory_id for memory in found]
    offered = [
        {"action": "approve", "writes": 0, "retires": retires},
        {"action": "cancel", "writes": 0, "retires": []},
    ]
    return Ruling(
        access=access,
        recorded_at=house.clock(),
        verdict=verdict,
        known=tuple(Known(memory) for memory in found),
        effects={"actions": offered},
    )


def moved(current: Memory, proposed: ProposedFact, when: When | None) -> dict[str, Any]:
    """Return the fields that a described change gives to a memory: its time, its words, or both."""
    given: dict[str, Any] = {}
    if proposed.shift_minutes is not None:
        given["when"] = _shifted(current, timedelta(minutes=proposed.shift_minutes))
    elif when is not None:
        given["when"] = _kept_length(current, _kept_part(current, when, proposed.keep))
    if proposed.object_value is not None:
        given["object_value"] = proposed.object_value
    return given


def _shifted(current: Memory, by: timedelta) -> When:
    """Move a memory's window as it is, in the way its time was said."""
    match current.fact.when:
        case Days(start=day, end=end) as said:
            return replace(said, start=day + by, end=end + by if end else None)
        case WallClock(start=start, end=end) | Instant(start=start, end=end) as said:
            return replace(said, start=start + by, end=end + by if end else None)
        case None:
            return Instant(current.valid_from + by)


def _kept_part(current: Memory, when: When, keep: str | None) -> When:
    """Complete what was said from the memory: a bare hour stays on its day, a day keeps hours."""
    zone = ZoneInfo((when.zone if isinstance(when, WallClock | Days) else None) or current.zone)
    start = current.valid_from.astimezone(zone).replace(tzinfo=None)
    if keep == "date" and isinstance(when, WallClock):
        by = start.date() - when.start.date()
        return replace(when, start=when.start + by, end=when.end + by if when.end else None)
    if keep == "clock" and isinstance(when, Days) and not isinstance(current.fact.when, Days):
        return WallClock(
            start=datetime.combine(when.start, start.time()), zone=when.zone, series=when.series
        )
    return when


def _kept_length(current: Memory, when: When) -> When:
    """Give a move that names no end the length that the memory has."""
    if not isinstance(when, WallClock) or when.end is not None or when.minutes is not None:
        return when
    length = current.valid_until - current.valid_from
    if current.valid_until == FOREVER or not _single(current.fact.when) or length.days:
        return when
    return replace(when, minutes=round(length.total_seconds()) // 60)


def _single(when: When | None) -> bool:
    return when is not None and when.series is None


def trace(
    parsed: Parsed,
    said_at: datetime,
    tongue: answers.Tongue,
    answer: ChatAnswer,
    ends: Sequence[datetime],
) -> tuple[Mapping[str, Any], ...]:
    """Say step by step what went in and what came out, times as they were resolved.

    ``ends`` are four instants: before parsing, behind it, behind judging and writing, and when
    all was done. Without a verdict the last two are one step.
    """
    heard, understood, judged, done = ends
    steps: list[Mapping[str, Any]] = [_understanding(parsed, said_at, tongue)]
    between = [_judging(answer.verdict)] if answer.verdict else list(answer.trace or ())
    steps += between
    steps.append(
        {
            "step": "answer",
            "in": {"status": answer.status},
            "out": {"decision_id": answer.decision_id, "reply_source": answer.reply_source},
        }
    )
    bounds = [(heard, understood), *((understood, judged) for _ in between)]
    bounds.append((judged if between else understood, done))
    return tuple(
        {**step, "milliseconds": _lasted(*bound)} for step, bound in zip(steps, bounds, strict=True)
    )


def _understanding(parsed: Parsed, said_at: datetime, tongue: answers.Tongue) -> dict[str, Any]:
    return {
        "step": "parse",
        "in": {
            "reference_time": said_at.astimezone(UTC).isoformat(),
            "timezone": tongue.zone,
            "locale": tongue.locale,
        },
        "out": {
            "parser": parsed.parser,
            "model": parsed.model,
            "intent": parsed.intent,
            "operation": parsed.operation,
            "notes": list(parsed.notes),
            "facts": [_fact(one) for one in parsed.facts],
            "window": _window(parsed),
        },
    }


def _judging(verdict: VerdictView) -> dict[str, Any]:
    return {
        "step": "lint",
        "in": {"rules_version": verdict.rules_version},
        "out": {
            "status": verdict.status,
            "rule_ids": [finding.rule_id for finding in verdict.findings],
            "notes": list(verdict.notes),
        },
    }


def _lasted(start: datetime, end: datetime) -> float:
    """Return milliseconds; none where the clock was set back in between."""
    return max(0.0, round((end - start).total_seconds() * 1000, 3))


def _fact(proposed: ProposedFact) -> dict[str, Any]:
    return {
        "domain": proposed.domain,
        "predicate": proposed.predicate,
        "time_text": proposed.time_text,
        "when": _spelled(proposed.when),
    }


def _spelled(when: When | None) -> str | None:
    if when is None:
        return None
    end = when.end.isoformat() if when.end else None
    kind = "instant" if isinstance(when, Instant) else type(when).__name__.lower()
    return f"{kind} {when.start.isoformat()}/{end or '..'}"


def _window(parsed: Parsed) -> list[str] | None:
    if parsed.window is None:
        return None
    return [parsed.window.start.isoformat(), parsed.window.end.isoformat()]
