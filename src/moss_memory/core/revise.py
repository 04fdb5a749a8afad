"""What a verdict, and a person's answer to it, change: facts written, memories ended.

Pure: a plan holds no ids of new memories (the flow gives them), so a new fact is named by its
index. The remainders are those of Allen's relations: where the new window begins inside the old,
the part before stays; where it ends inside, the part after becomes a memory of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from moss_memory.core.errors import ActionNotOfferedError
from moss_memory.core.fact import Fact, Known, Memory, Proposal
from moss_memory.core.interval import FOREVER, Interval, overlap
from moss_memory.core.linter import ActionName, Finding, Verdict, unchanged
from moss_memory.core.pairing import widened
from moss_memory.core.placing import skipping
from moss_memory.core.when import Instant


@dataclass(frozen=True, slots=True)
class Write:
    """A fact to be kept: what of it was allowed to be hard, and its windows after all cuts."""

    fact_index: int
    fact: Fact
    windows: tuple[Interval, ...]
    valid_from: datetime
    valid_until: datetime


@dataclass(frozen=True, slots=True)
class Truncate:
    """A memory that stays active with less time; ``fact`` is the old one with that time.

    ``valid_from`` moves only where a series loses its first occurrence.
    """

    memory_id: str
    windows: tuple[Interval, ...]
    valid_until: datetime
    fact: Fact
    valid_from: datetime


@dataclass(frozen=True, slots=True)
class Split:
    """The later piece of a memory that was interrupted: a new one, derived from it."""

    memory_id: str
    windows: tuple[Interval, ...]
    valid_from: datetime
    valid_until: datetime
    fact: Fact


@dataclass(frozen=True, slots=True)
class Waive:
    """A conflict that a person allowed, with a memory or with another fact of the request."""

    fact_index: int
    memory_id: str | None = None
    other_fact_index: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that one decision changes, or nothing of it; ids in the order of the verdict."""

    writes: tuple[Write, ...] = ()
    retires: tuple[str, ...] = ()
    truncates: tuple[Truncate, ...] = ()
    splits: tuple[Split, ...] = ()
    waives: tuple[Waive, ...] = ()


def plan(
    verdict: Verdict,
    proposals: Sequence[Proposal],
    known: Sequence[Known],
    action: ActionName | None = None,
) -> Plan:
    """Say what a verdict changes, with the person's answer where it asked.

    Args:
        verdict: of ``lint`` over these proposals and memories.
        proposals: the facts of the request; ``verdict.placed`` holds them as judged.
        known: the memories that were judged against.
        action: one of the verdict's; ``cancel`` changes nothing.

    Raises:
        ActionNotOfferedError: the verdict asks and does not offer this action, or none is given.
    """
    if action == "cancel" or verdict.status in {"BLOCKED", "NO_CHANGE"}:
        return Plan()
    if verdict.status == "CONFIRM_REQUIRED" and action not in verdict.actions:
        raise ActionNotOfferedError
    assert len(verdict.placed) == len(proposals)
    settled = unchanged(verdict.findings, len(proposals))
    counting = [f for f in verdict.findings if f.fact_index not in settled]
    ended = [f for f in counting if _ends(f, action)]
    dropped = settled | {f.other_fact_index for f in ended if f.other_fact_index is not None}
    remains = _remains([f for f in ended if f.fact_index not in dropped], verdict.placed, known)
    return Plan(
        writes=tuple(
            Write(index, placed.fact, placed.windows, placed.valid_from, placed.valid_until)
            for index, placed in enumerate(verdict.placed)
            if index not in dropped
        ),
        waives=tuple(
            Waive(f.fact_index, f.memory_id, f.other_fact_index)
            for f in counting
            if f not in ended
            and _is_allowed(f)
            and not {f.fact_index, f.other_fact_index} & dropped
        ),
        retires=remains.retires,
        truncates=remains.truncates,
        splits=remains.splits,
    )


def _ends(finding: Finding, action: ActionName | None) -> bool:
    """Tell whether the old one of a pair gives way, by the rules or by the person's answer."""
    if finding.verdict == "CONFIRM_REQUIRED":
        return action == "replace_old" and "replace_old" in finding.actions
    return finding.verdict == "SUCCESS_WITH_OVERWRITE"


def _is_allowed(finding: Finding) -> bool:
    """Tell whether a conflict stands because a person allows it, now or by an earlier waiver."""
    return finding.relation == "conflicts" and finding.verdict in {"CONFIRM_REQUIRED", "SUCCESS"}


@dataclass(frozen=True, slots=True)
class _Remains:
    """What is left of the memories that give way."""

    retires: tuple[str, ...]
    truncates: tuple[Truncate, ...]
    splits: tuple[Split, ...]


def _remains(
    ended: Sequence[Finding], placed: Sequence[Proposal], known: Sequence[Known]
) -> _Remains:
    """Give each memory that gives way its remainder; where nothing is left, it is retired."""
    memories = {each.memory.memory_id: each.memory for each in known}
    retires, truncates, splits = [], [], []
    for memory_id in dict.fromkeys(f.memory_id for f in ended if f.memory_id is not None):
        memory = memories[memory_id]
        over = [f for f in ended if f.memory_id == memory_id]
        by = [placed[f.fact_index] for f in over]
        whole = any(f.mode != "truncate" for f in over)
        repeats = memory.fact.when is not None and memory.fact.when.series is not None
        stays, pieces = (_thinned if repeats else _cut)(memory, by)
        if stays is not None and (repeats or not whole):
            truncates.append(stays)
        else:
            retires.append(memory_id)
        splits += [] if whole else pieces
    return _Remains(tuple(retires), tuple(truncates), tuple(splits))


Left = tuple[Truncate | None, list[Split]]


def _cut(memory: Memory, by: Sequence[Proposal]) -> Left:
    """Take the new windows out of one: what lies before them stays, the rest are new pieces."""
    new = [window for p in by for window in p.windows]
    left = _without(memory.windows, new)
    first = min(window.start for window in new)
    stays = [span for span in left if span.start < first]
    pieces = [_piece(memory, span) for span in left if span.start >= first]
    return (_shorter(memory, stays[0]) if stays else None), pieces


def _thinned(memory: Memory, by: Sequence[Proposal]) -> Left:
    """Take the occurrences that are met out of a series: a day off does not end a weekly meeting.

    What is left of an occurrence that is met in part is a piece of its own.
    """
    when = memory.fact.when
    assert when is not None
    new = [window for p in by for window in _spans(p.fact, p.windows)]
    met = {
        window
        for window, span in zip(memory.windows, _spans(memory.fact, memory.windows), strict=True)
        if any(overlap(span, other) for other in new)
    }
    stays = tuple(window for window in memory.windows if window not in met)
    cuts = [window for p in by for window in p.windows]
    pieces = [_piece(memory, span) for span in _without(sorted(met), cuts)]
    if not stays:
        return None, pieces
    end = min((w.start for w in new if w.end == FOREVER), default=FOREVER)
    left = skipping(when, memory.zone, {w.start for w in met if w.start < end}, before=end)
    goes_on = end == FOREVER and memory.valid_until > _end(memory.windows)
    until = memory.valid_until if goes_on else _end(stays)
    fact = replace(memory.fact, when=left)
    return Truncate(memory.memory_id, stays, until, fact, stays[0].start), pieces


def _spans(fact: Fact, windows: Sequence[Interval]) -> Sequence[Interval]:
    return widened(windows, fact.buffer_before, fact.buffer_after)


def _shorter(memory: Memory, span: Interval) -> Truncate:
    return Truncate(memory.memory_id, (span,), span.end, _timed(memory, span), span.start)


def _piece(memory: Memory, span: Interval) -> Split:
    return Split(memory.memory_id, (span,), span.start, span.end, _timed(memory, span))


def _timed(memory: Memory, span: Interval) -> Fact:
    """Say the time of a remainder as the instants that it is."""
    end = None if span.end == FOREVER else span.end
    return replace(memory.fact, when=Instant(span.start, end))


def _without(old: Sequence[Interval], new: Sequence[Interval]) -> list[Interval]:
    left = list(old)
    for window in new:
        left = [piece for span in left for piece in _minus(span, window)]
    return left


def _minus(span: Interval, window: Interval) -> list[Interval]:
    if window.end <= span.start or span.end <= window.start:
        return [span]
    pieces = []
    if span.start < window.start:
        pieces.append(Interval(span.start, window.start))
    if window.end < span.end:
        pieces.append(Interval(window.end, span.end))
    return pieces


def _end(windows: Sequence[Interval]) -> datetime:
    return max(window.end for window in windows)
