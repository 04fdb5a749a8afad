"""Two ends of one time: what is said once holds for both, and the end follows the start."""

from dataclasses import replace
from datetime import timedelta

from moss_memory.language.times.almanac import DaySpan, settle
from moss_memory.language.times.clue import Clock, DateClue
from moss_memory.language.times.draft import Draft, Side
from moss_memory.language.times.local import Context, Local, delta, midnight
from moss_memory.language.times.place import DAY
from moss_memory.language.times.policy import WINDOWS, clock_after, clock_before, hours_of
from moss_memory.language.times.single import days_of, moved, short, single


def shared(draft: Draft) -> Draft:
    """Share a date or a part of the day between the ends of a range."""
    if draft.last is None:
        return draft
    first, last = draft.first, draft.last
    if first.date is None and first.shift is None and first.at is None and last.date is not None:
        if first.clock is not None and last.clock is not None:
            first = replace(first, date=last.date)
            last = replace(last, date=None)
        elif first.clock is not None and last.clock is None and first.part is None:
            pass
    if first.date is not None and last.date is not None:
        first, last = _share(first, last)
    if first.zone is None and last.zone is not None:
        first = replace(first, zone=last.zone)
    return replace(draft, first=first, last=last)


def _share(first: Side, last: Side) -> tuple[Side, Side]:
    """Let a month, year or week that is said once hold for both ends."""
    assert first.date is not None
    assert last.date is not None
    a, b = _one_month(first.date, last.date)
    a, b = _one_year(a, b)
    return replace(first, date=a), replace(last, date=_one_week(a, b))


def _one_month(a: DateClue, b: DateClue) -> tuple[DateClue, DateClue]:
    bare = b.day is not None and b.month is None and b.months is None and b.days is None
    if bare and a.day is not None and b.day is not None:
        return a, replace(b, month=a.month, months=a.months) if b.day >= a.day else b
    if a.day is not None and a.month is None and b.month is not None and a.days is None:
        return replace(a, month=b.month, year=b.year), b
    return a, b


def _one_year(a: DateClue, b: DateClue) -> tuple[DateClue, DateClue]:
    starts, ends = (a.month, a.day or 0), (b.month, b.day or 31)
    turns = a.month is not None and b.month is not None and starts > ends
    if a.year is None and b.year is not None and a.month is not None and a.years is None:
        return replace(a, year=b.year - turns), b
    if b.year is None and a.year is not None and b.month is not None and b.years is None:
        return a, replace(b, year=a.year + turns)
    return a, b


def _one_week(a: DateClue, b: DateClue) -> DateClue:
    if a.weekday is None or b.weekday is None or b.week is not None or b.mod is not None:
        return b
    if a.week is None:
        return replace(b, mod=a.mod)
    return replace(b, week=a.week + (a.weekday >= b.weekday))


def stretch(draft: Draft, context: Context) -> Local | None:
    """Resolve a draft with two ends; None where a date does not exist."""
    assert draft.last is not None
    first, last = _agree(draft.first, draft.last)
    if last.at is not None:
        context = replace(context, past=True)
    first = _open_month(first, last, context)
    if first.empty:
        return single(replace(draft, first=last, last=None), context)
    start = single(replace(draft, first=first, last=None, length=None), context)
    return None if start is None else _ended(_running(start, last, context), last, context)


def _ended(start: Local, last: Side, context: Context) -> Local | None:
    """Give a start its end, read from where it begins."""
    if last.at is not None:
        return replace(start, end=last.at.moment) if last.at.moment > start.start else start
    if last.clock is not None and not start.days:
        return _until_clock(start, last, last.clock, context)
    if last.shift is not None and short(last.shift):
        return replace(start, end=start.start + delta(last.shift.amount, last.shift.unit))
    span = last_days(last, start, context)
    return None if span is None else _until_day(start, last, span)


def _until_day(start: Local, last: Side, span: DaySpan) -> Local:
    flags = start.flags | (span.flags - {"past"})
    if last.clock is not None:
        hour, _ = hours_of(last.clock, last.part.name if last.part else None)
        end = midnight(span.start) + timedelta(hours=hour, minutes=last.clock.minute)
        return replace(start, end=end, days=False, grain="minute", flags=flags)
    end = midnight(span.end)
    if last.part is not None:
        end = midnight(span.start) + timedelta(hours=WINDOWS[last.part.name][1])
    other = None if start.other is None else (start.other[0], start.other[0] + (end - start.start))
    flags = flags if other else flags - {"past"}
    days = start.days and last.part is None
    return replace(start, end=end, days=days, flags=flags, other=other)


def _open_month(first: Side, last: Side, context: Context) -> Side:
    """Read "From May to September", said in June, is this year's."""
    a, b = first.date, last.date
    if a is None or b is None or a.month is None or b.month is None or a.day is not None:
        return first
    loose = a == DateClue(month=a.month) and b == DateClue(month=b.month)
    if loose and a.month <= context.today.month <= b.month:
        return replace(first, date=replace(a, mod="this"))
    return first


def _running(start: Local, last: Side, context: Context) -> Local:
    """A stretch that began and has not ended is this year's, not the next one's."""
    if "past" not in start.flags or start.other is None or last.date is None:
        return start
    earlier = replace(
        start,
        start=start.other[0],
        end=start.other[1],
        flags=start.flags - {"past"},
        other=None,
    )
    span = last_days(last, earlier, context)
    return earlier if span is not None and span.end > context.today else start


def _agree(first: Side, last: Side) -> tuple[Side, Side]:
    """Read am and pm of a range's ends by each other."""
    if first.clock is None or last.clock is None:
        return first, last
    part = last.part or (first.part if not last.dated else None)
    if first.part is None and first.clock.half is None and not first.clock.exact:
        settled = last.part is not None or last.clock.half is not None or last.clock.exact
        if settled and not (first.dated and last.dated):
            hour, _ = hours_of(last.clock, last.part.name if last.part else None)
            return replace(first, clock=clock_before(first.clock, hour, last.clock.minute)), last
    if last.part is None and part is not None and last.clock.half is None:
        return first, last
    return first, last


def _until_clock(start: Local, last: Side, clock: Clock, context: Context) -> Local | None:
    part = last.part.name if last.part else None
    if part is None and not last.dated:
        clock = clock_after(clock, start.start.time())
    hour, _ = hours_of(clock, part)
    offset = timedelta(hours=hour, minutes=clock.minute, seconds=clock.second)
    if last.date is not None or last.shift is not None:
        span = last_days(last, start, context)
        if span is None:
            return None
        end = midnight(span.start) + offset
    else:
        end = midnight(start.start.date()) + offset
    while end <= start.start:
        end += DAY if last.date is None else 7 * DAY
    other = start.other and (start.other[0], start.other[0] + (end - start.start))
    return replace(start, end=end, other=other)


def last_days(last: Side, start: Local, context: Context) -> DaySpan | None:
    """Resolve the last day of a range, counted from where the range begins."""
    begun = start.start.date()
    clue = last.date
    if clue is not None and clue.days is None and clue.week is None and clue.months is None:
        anchor = begun - DAY if clue.weekday is not None and clue.day is None else begun
        mod = None if clue.mod in ("coming", "this") else clue.mod
        clue = clue if mod == "next" else replace(clue, mod=mod)
        base = context.today if mod is not None else anchor
        span = settle(clue, base)
        return span and replace(span, flags=span.flags - {"past"}, other=None)
    if last.shift is not None and clue is None:
        until = moved(begun, last.shift)
        return DaySpan(until, until + DAY)
    return days_of(last, context)
