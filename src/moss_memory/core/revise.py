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
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.linter import ActionName, Finding, Verdict, unchanged
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
    """A memory that stays active and ends earlier; ``fact`` is the old one with that time."""

    memory_id: str
    windows: tuple[Interval, ...]
    valid_until: datetime
    fact: Fact


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
        new = sorted(w for f in over for w in placed[f.fact_index].windows)
        whole = any(f.mode != "truncate" for f in over)
        before, after = ((), ()) if whole else _cut(memory.windows, new)
        if before:
            truncates.append(Truncate(memory_id, before, _end(before), _timed(memory, before)))
        else:
            retires.append(memory_id)
        if after:
            piece = Split(memory_id, after, after[0].start, _end(after), _timed(memory, after))
            splits.append(piece)
    return _Remains(tuple(retires), tuple(truncates), tuple(splits))


def _cut(
    old: Sequence[Interval], new: Sequence[Interval]
) -> tuple[tuple[Interval, ...], tuple[Interval, ...]]:
    """Take ``new`` out of ``old``: what lies before its first start, and all that lies after."""
    left = list(old)
    for window in new:
        left = [piece for span in left for piece in _minus(span, window)]
    first = min(window.start for window in new)
    before = tuple(span for span in left if span.start < first)
    return before, tuple(span for span in left if span.start >= first)


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


def _timed(memory: Memory, windows: Sequence[Interval]) -> Fact:
    """Say the time of a remainder as the instants that it is; a series keeps its words."""
    if len(windows) != 1:
        return memory.fact
    end = windows[0].end
    return replace(memory.fact, when=Instant(windows[0].start, None if end == FOREVER else end))
