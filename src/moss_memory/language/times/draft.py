"""Clues put together into one time each, still without a calendar: the grammar of time phrases."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from moss_memory.language.times.clue import (
    At,
    Clock,
    DateClue,
    DayPart,
    Every,
    HalfDay,
    Length,
    Mark,
    Part,
    Shift,
    Value,
    Zone,
    merge,
    override,
)  # fmt: skip
from moss_memory.language.times.lexer import Rule


@dataclass(frozen=True, slots=True)
class Side:
    """One end of a time, or the whole of it where it has only one."""

    date: DateClue | None = None
    clock: Clock | None = None
    part: DayPart | None = None
    shift: Shift | None = None
    at: At | None = None
    zone: Zone | None = None

    @property
    def empty(self) -> bool:
        """Whether it says nothing of a time."""
        return all(one is None for one in (self.date, self.clock, self.part, self.shift, self.at))

    @property
    def timed(self) -> bool:
        """Whether it names a time of day."""
        return self.clock is not None or self.part is not None or self.at is not None

    @property
    def dated(self) -> bool:
        """Whether it names a date."""
        return self.date is not None or self.shift is not None or self.at is not None


@dataclass(frozen=True, slots=True)
class Draft:
    """A time as the words compose it: ``first`` and, for a range, ``last``."""

    start: int
    end: int
    first: Side = field(default_factory=Side)
    last: Side | None = None
    length: Length | None = None
    every: Every | None = None
    half_day: HalfDay | None = None
    bound: str | None = None  # after, before, by, since
    corrected: bool = False
    joined: bool = False  # stands beside the draft before it, as in a list
    spans: tuple[tuple[int, int], ...] = ()
    until: Side | None = None  # where a repetition ends
    turn: tuple[int, int] | None = None  # where a range's first end stops and its last begins

    @property
    def dated(self) -> bool:
        """Whether any part of it names a date."""
        last = self.last is not None and self.last.dated
        return self.first.dated or last or self.every is not None

    @property
    def timed(self) -> bool:
        """Whether it names a time of day."""
        return self.first.timed or self.half_day is not None


@dataclass(frozen=True, slots=True)
class Grammar:
    """What differs between languages: rules for clues, and how words between clues join them.

    ``gap`` reads the words between two clues: the marks in them, or None where they part the
    clues. ``head`` reads the words before a clue, ``tail`` those after it.
    """

    rules: tuple[Rule, ...]
    gap: Callable[[str], list[Mark] | None]
    head: Callable[[str], list[Mark]]
    tail: Callable[[str], list[Mark]]
    correction: "re.Pattern[str]"


def compose(text: str, parts: Sequence[Part], grammar: Grammar) -> list[Draft]:
    """Put clues together; drafts come in the order of their words."""
    drafts: list[Draft] = []
    builder: _Builder | None = None
    for index, part in enumerate(parts):
        previous = parts[index - 1] if index else None
        same = previous is not None and previous.start == part.start
        gap = text[previous.end : part.start] if previous and not same else ""
        marks = [] if same else grammar.gap(gap)
        fixing = grammar.correction.search(gap) if previous is not None else None
        if fixing is None and previous is not None and _denied(text[: previous.start], gap):
            fixing = _BUT.search(gap)
        if builder is not None and previous is not None and fixing is not None:
            builder.correct(part, previous.end + fixing.start())
            continue
        if builder is None or marks is None or previous is None:
            if builder is not None and previous is not None:
                drafts.extend(builder.close(grammar.tail(text[previous.end :])))
            builder = _Builder(grammar.head(text[: part.start]))
        else:
            for mark in marks:
                builder.mark(mark)
        builder.take(part)
    if builder is not None:
        drafts.extend(builder.close(grammar.tail(text[parts[-1].end :])))
    return drafts


_BUT = re.compile(r"\bbut\b(?:\s+(?:on|at|rather))*\s*\Z", re.IGNORECASE)


def _denied(before: str, gap: str) -> bool:
    """Read "Not Tuesday but Wednesday"."""
    denied = re.search(r"\bnot\s+(?:(?:on|at|for|until|this|next)\s+)*\Z", before, re.IGNORECASE)
    return denied is not None and _BUT.search(gap) is not None


class _Builder:
    """Reads the clues of one phrase from left to right; starts a new draft where they clash."""

    def __init__(self, head: Sequence[Mark]) -> None:
        self.done: list[Draft] = []
        self.draft: Draft | None = None
        self.in_last = False
        self.pair = False  # "between ... and": the "and" means "to"
        self.pending: str | None = None
        self.joined = False
        self.opened = False  # a "from" stands before the next clue
        for mark in head:
            self.mark(mark)

    def mark(self, mark: Mark) -> None:
        if mark.kind in ("between", "from"):
            self.pair = self.pair or mark.kind == "between"
            self.opened = mark.kind == "from"
            self.pending = mark.kind if self.draft is None else self.pending
        elif mark.kind == "to" or (mark.kind == "and" and self.pair):
            self._to()
        elif mark.kind in ("after", "before", "by", "since"):
            self._bound(mark.kind)

    def _to(self) -> None:
        if self.draft is None:
            self.pending = "by"
        elif self.draft.last is None:
            self.in_last = True
            self.pair = False

    def _bound(self, kind: str) -> None:
        if self.draft is None or self.in_last:
            self.pending = kind
        elif self.draft.first.shift is not None and self.draft.first.shift.anchored:
            return
        else:
            self.pending = kind

    def take(self, part: Part) -> None:
        value = part.value
        if isinstance(value, Mark):
            if value.kind == "correct":
                return
            self.mark(value)
            return
        if self.draft is None:
            bound = self.pending if self.pending in ("after", "before", "by", "since") else None
            here = ((part.start, part.end),)
            self.draft = Draft(
                part.start,
                part.end,
                bound=bound,
                joined=bool(self.done),
                spans=here,
            )
            self.pending = None if bound else self.pending
        if isinstance(value, Shift) and value.anchored and self.draft.last is None:
            self.in_last = False  # "오늘부터 한 달 뒤" is one day, not a stretch
        begun = self.opened or self.in_last
        self.opened = False
        apart = isinstance(value, DateClue) and not begun and _complete(self.draft)
        grown = None if apart else _absorb(self.draft, value, last=self.in_last)
        if grown is None:
            self._flush()
            self.take(part)
            return
        bound = grown.bound
        if self.pending in ("after", "before", "by", "since") and not self.in_last:
            bound = bound or self.pending
            self.pending = None
        turn = grown.turn
        if turn is None and grown.last is not None:
            turn = (self.draft.end, part.start)
        spans = (*grown.spans[:-1], (grown.spans[-1][0], max(part.end, grown.spans[-1][1])))
        self.draft = replace(
            grown,
            end=max(part.end, grown.end),
            bound=bound,
            spans=spans,
            turn=turn,
        )

    def correct(self, part: Part, start: int) -> None:
        """Let the clue replace what it contradicts; the correcting words begin at ``start``."""
        self.pending = None
        if self.draft is None:
            self.take(part)
            return
        spans = (*self.draft.spans, (start, part.end))
        draft = replace(self.draft, end=part.end, corrected=True, spans=spans)
        side = draft.first if draft.last is None else draft.last
        value = part.value
        if isinstance(value, DateClue):
            side = replace(side, date=override(side.date or DateClue(), value), shift=None, at=None)
        elif isinstance(value, Clock):
            side = replace(side, clock=value, part=None)
        elif isinstance(value, DayPart):
            side = replace(side, part=value)
        elif isinstance(value, HalfDay):
            draft = replace(draft, half_day=value)
        named = {"first": side} if draft.last is None else {"last": side}
        self.draft = replace(draft, **named)  # type: ignore[arg-type]

    def _flush(self) -> None:
        if self.draft is not None:
            self.done.append(self.draft)
        self.draft, self.in_last = None, False

    def close(self, tail: Sequence[Mark]) -> list[Draft]:
        for mark in tail:
            whole = self.draft is not None and self.draft.last is None
            if self.draft is not None and whole and mark.kind in ("after", "before", "by", "since"):
                self.draft = replace(self.draft, bound=self.draft.bound or mark.kind)
        self._flush()
        return [draft for draft in self.done if not _hollow(draft)]


def _complete(draft: Draft) -> bool:
    """A repetition with its weekday and hour takes no date: what follows is where it ends."""
    every = draft.every
    weekly = every is not None and bool(every.byday)
    return weekly and draft.first.timed and not draft.first.dated


def _hollow(draft: Draft) -> bool:
    nothing = draft.first.empty and draft.every is None and draft.half_day is None
    return nothing and draft.length is None


def _absorb(draft: Draft, value: Value, *, last: bool) -> Draft | None:
    """Add a clue to a draft; None where the draft already says otherwise."""
    if isinstance(value, Length):
        return None if draft.length else replace(draft, length=value)
    if isinstance(value, Every):
        return _repeat(draft, value)
    if isinstance(value, HalfDay):
        return None if draft.half_day else replace(draft, half_day=value)
    side = (draft.last or Side()) if last else draft.first
    grown = _join(side, value)
    if grown is None:
        return None
    return replace(draft, last=grown) if last else replace(draft, first=grown)


def _repeat(draft: Draft, value: Every) -> Draft | None:
    if draft.every is None:
        return replace(draft, every=value)
    monthly = _weekday_of_month(draft, value)
    if monthly is not None:
        return monthly
    a, b = sorted((draft.every, value), key=lambda every: bool(every.byday))
    if a.freq == b.freq and not (a.byday and b.byday):
        return replace(draft, every=replace(b, interval=max(a.interval, b.interval)))
    return None


def _weekday_of_month(draft: Draft, value: Every) -> Draft | None:
    """Read "매달 첫째 주 수요일마다": the month repeats, the weekday only says which day."""
    assert draft.every is not None
    if draft.every.freq != "MONTHLY" or value.freq != "WEEKLY" or len(value.byday) != 1:
        return None
    side = _join(draft.first, DateClue(weekday=value.byday[0]))
    return None if side is None else replace(draft, first=side)


def _join(side: Side, value: Value) -> Side | None:
    for kind, joined in _JOINERS:
        if isinstance(value, kind):
            return joined(side, value)
    return None


def _dated_by(side: Side, value: DateClue) -> Side | None:
    if side.at is not None or not _shift_allows(side.shift, value):
        return None
    both = value if side.date is None else merge(side.date, value)
    return None if both is None else replace(side, date=both)


def _clocked_by(side: Side, value: Clock) -> Side | None:
    return None if side.clock or side.at else replace(side, clock=value)


def _zoned_by(side: Side, value: Zone) -> Side | None:
    return None if side.zone else replace(side, zone=value)


def _set_at(side: Side, value: At) -> Side | None:
    return replace(side, at=value) if side.empty else None


def _with_part(side: Side, value: DayPart) -> Side | None:
    if side.part is None or side.part == value:
        return replace(side, part=value)
    if side.clock is None and "tonight" in (side.part.name, value.name):
        return replace(side, part=value)
    return None


def _shifted(side: Side, value: Shift) -> Side | None:
    if side.shift is not None or side.at is not None:
        return None
    if side.empty or value.anchored or (side.date and _shift_allows(value, side.date)):
        return replace(side, shift=value)
    return None


def _shift_allows(shift: Shift | None, clue: DateClue) -> bool:
    """A shift stands alone, but for "Monday in two weeks" and "today in an hour"."""
    if shift is None or shift.anchored:
        return True
    bare = clue == DateClue(weekday=clue.weekday)
    if clue.weekday is not None and bare:
        return shift.unit == "week" and not shift.window
    return clue.days == 0 and shift.unit in ("minute", "hour")


_JOINERS: Final[tuple[tuple[type, Callable[..., Side | None]], ...]] = (
    (DateClue, _dated_by),
    (Clock, _clocked_by),
    (DayPart, _with_part),
    (Zone, _zoned_by),
    (Shift, _shifted),
    (At, _set_at),
)
