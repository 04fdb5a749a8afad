"""Drafts into naive local times: policies and the calendar, but no zone yet."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from moss_memory.language.times.almanac import DaySpan, add_months, settle
from moss_memory.language.times.clue import Clock, DateClue, DayPart, Every, Length, Shift
from moss_memory.language.times.draft import Draft, Side
from moss_memory.language.times.mention import Flag, Grain
from moss_memory.language.times.place import DAY
from moss_memory.language.times.policy import (
    HALF_DAYS, WINDOWS, clock_after, clock_before, hours_of,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Local:
    """A naive wall-clock time ``[start, end)``; ``end`` None where none is named.

    ``days`` says that it is whole local days. ``other`` is a second reading of the start.
    """

    start: datetime
    end: datetime | None
    grain: Grain
    days: bool = False
    flags: frozenset[Flag] = frozenset()
    other: tuple[datetime, datetime | None] | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """Where words are read from: the owner's wall clock, and whether they speak of the past."""

    now: datetime
    past: bool = False

    @property
    def today(self) -> date:
        return self.now.date()


def read(draft: Draft, context: Context) -> Local | None:
    """Resolve a draft; None where its date does not exist."""
    draft = _fill(draft)
    if draft.every is not None:
        draft = _first_occurrence(draft, context)
    local = _range(draft, context) if draft.last is not None else _single(draft, context)
    if local is None:
        return None
    return _finish(draft, local, context)


def _fill(draft: Draft) -> Draft:
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
    """A month, year or week said once holds for both ends."""
    a, b = first.date, last.date
    assert a is not None
    assert b is not None
    if b.day is not None and b.month is None and b.months is None and b.days is None:
        b = replace(b, month=a.month, months=a.months) if a.day is not None and _later(a, b) else b
    elif a.day is not None and a.month is None and b.month is not None and a.days is None:
        a = replace(a, month=b.month, year=b.year)
    if a.year is None and b.year is not None and a.month is not None and a.years is None:
        back = b.month is not None and (a.month, a.day or 0) > (b.month, b.day or 31)
        a = replace(a, year=b.year - back)
    elif b.year is None and a.year is not None and b.month is not None and b.years is None:
        ahead = a.month is not None and (b.month, b.day or 31) < (a.month, a.day or 0)
        b = replace(b, year=a.year + ahead)
    if a.weekday is not None and b.weekday is not None and b.week is None and b.mod is None:
        b = replace(b, week=a.week, mod=None if a.week is not None else a.mod)
        if a.weekday >= b.weekday and a.week is not None:
            b = replace(b, week=a.week + 1)
    return replace(first, date=a), replace(last, date=b)


def _later(a: DateClue, b: DateClue) -> bool:
    return a.day is None or b.day is None or b.day >= a.day


def _days(side: Side, context: Context) -> DaySpan | None:
    """Resolve the date of a side, today where it names none."""
    shift = side.shift
    if side.date is not None:
        if shift is not None and not shift.anchored and side.date.weekday is not None:
            there = _moved(context.today, shift)
            found = there + timedelta(days=side.date.weekday - there.weekday())
            return DaySpan(found, found + DAY)
        span = settle(side.date, context.today, past=context.past)
        if span is None or shift is None:
            return span
        moved = _moved(span.start, shift)
        return DaySpan(moved, moved + DAY)
    if shift is not None:
        moved = _moved(context.today, shift)
        return DaySpan(moved, moved + DAY)
    return None


def _moved(day: date, shift: Shift) -> date:
    if shift.unit in ("month", "year"):
        return add_months(day, round(shift.amount * (12 if shift.unit == "year" else 1)))
    return day + timedelta(days=round(shift.amount * (7 if shift.unit == "week" else 1)))


def _delta(amount: float, unit: str) -> timedelta:
    return timedelta(**{f"{unit}s": amount})


def _short(shift: Shift | None) -> bool:
    return shift is not None and shift.unit in ("second", "minute", "hour")


def _single(draft: Draft, context: Context) -> Local | None:
    side = draft.first
    if side.at is not None:
        return Local(side.at.moment, None, side.at.grain)
    if side.shift is not None and side.shift.window:
        return _ahead(side.shift, context)
    if _short(side.shift):
        return _shifted(side, context)
    span = _days(side, context)
    if side.dated and span is None:
        return None
    if side.clock is not None:
        return _clocked(side, side.clock, span, context)
    half = draft.half_day
    if half is not None:
        return _half(draft, span or _today(context))
    if side.part is not None:
        return _parted(side.part, span, context)
    if span is None:
        return _lasting(draft, context)
    return _whole(span)


def _today(context: Context) -> DaySpan:
    return DaySpan(context.today, context.today + DAY)


def _whole(span: DaySpan) -> Local:
    other = None
    if span.other is not None:
        other = (_midnight(span.other[0]), _midnight(span.other[1]))
    return Local(_midnight(span.start), _midnight(span.end), span.grain, True, span.flags, other)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time())


def _ahead(shift: Shift, context: Context) -> Local:
    """ "The next 3 days" begin tomorrow, "the last 3 days" end today; hours run from now."""
    if _short(shift):
        step = _delta(abs(shift.amount), shift.unit)
        ends = (context.now, context.now + step) if shift.amount > 0 else (context.now - step, context.now)
        return Local(*ends, "minute")
    if shift.amount > 0:
        start = context.today + DAY
        end = _moved(start, shift)
    else:
        end = context.today
        start = _moved(end, shift)
    return Local(_midnight(start), _midnight(end), "day", days=True)


def _shifted(side: Side, context: Context) -> Local | None:
    shift = side.shift
    assert shift is not None
    base = context.now
    if side.clock is not None:
        clocked = _single(Draft(0, 0, replace(side, shift=None)), context)
        if clocked is None:
            return None
        base = clocked.start
    elif side.date is not None and shift.anchored:
        span = settle(side.date, context.today, past=context.past)
        if span is None:
            return None
        base = _midnight(span.start)
    return Local(base + _delta(shift.amount, shift.unit), None, "minute")


def _lasting(draft: Draft, context: Context) -> Local | None:
    """A length and nothing else ("for three days") begins now."""
    if draft.length is None:
        return None
    if draft.length.unit in ("second", "minute", "hour"):
        return Local(context.now, None, "minute")
    return _whole(_today(context))


def _half(draft: Draft, span: DaySpan) -> Local:
    assert draft.half_day is not None
    part = draft.first.part.name if draft.first.part is not None else None
    half = draft.half_day.half
    if half is None and part is not None:
        half = "am" if part in ("morning", "dawn") else "pm"
    if half is None:
        whole = _whole(span)
        return replace(whole, flags=whole.flags | {"half_day"})
    start, end = HALF_DAYS[half]
    base = _midnight(span.start)
    flags = span.flags | {"policy_half"}
    other = _other(span, timedelta(hours=start), timedelta(hours=end))
    return Local(
        base + timedelta(hours=start), base + timedelta(hours=end), "part", False, flags, other
    )


def _other(
    span: DaySpan, start: timedelta, end: timedelta | None
) -> tuple[datetime, datetime | None] | None:
    if span.other is None:
        return None
    base = _midnight(span.other[0])
    return base + start, None if end is None else base + end


def _parted(part: DayPart, span: DaySpan | None, context: Context) -> Local:
    start, end = WINDOWS[part.name]
    span = span or _today(context)
    base = _midnight(span.start)
    a, b = timedelta(hours=start), timedelta(hours=end)
    if base + b <= context.now and span.start == context.today and not span.flags:
        base += DAY if not context.past else timedelta()
    return Local(base + a, base + b, "part", False, span.flags, _other(span, a, b))


def _clocked(side: Side, clock: Clock, span: DaySpan | None, context: Context) -> Local:
    hour, policy = hours_of(clock, side.part.name if side.part else None)
    offset = timedelta(hours=hour, minutes=clock.minute, seconds=clock.second)
    flags: frozenset[Flag] = frozenset({"working_hours"} if policy else ())
    if span is None:
        base = _midnight(context.today)
        if not context.past and base + offset < context.now.replace(second=0, microsecond=0):
            base += DAY
        if base + offset - DAY > context.now:  # an hour past midnight may be tonight's
            base -= DAY
        return Local(base + offset, None, "minute", False, flags)
    base = _midnight(span.start)
    return Local(base + offset, None, "minute", False, flags | span.flags, _other(span, offset, None))


def _range(draft: Draft, context: Context) -> Local | None:
    assert draft.last is not None
    first, last = _agree(draft.first, draft.last)
    if last.at is not None:
        context = replace(context, past=True)
    first = _open_month(first, last, context)
    if first.empty:
        return _single(replace(draft, first=last, last=None), context)
    start = _single(replace(draft, first=first, last=None, length=None), context)
    if start is None:
        return None
    start = _running(start, last, context)
    if last.at is not None:
        return replace(start, end=last.at.moment) if last.at.moment > start.start else start
    if last.clock is not None and not start.days:
        return _until_clock(start, last, last.clock, context)
    if last.shift is not None and _short(last.shift):
        return replace(start, end=start.start + _delta(last.shift.amount, last.shift.unit))
    span = _last_days(first, last, start, context)
    if span is None:
        return None
    flags = start.flags | (span.flags - {"past"} if "past" in start.flags else span.flags)
    if last.clock is not None:
        hour, _ = hours_of(last.clock, last.part.name if last.part else None)
        end = _midnight(span.start) + timedelta(hours=hour, minutes=last.clock.minute)
        return replace(start, end=end, days=False, grain="minute", flags=flags)
    end = _midnight(span.end)
    if last.part is not None:
        end = _midnight(span.start) + timedelta(hours=WINDOWS[last.part.name][1])
    days = start.days and last.part is None
    other = None if start.other is None else (start.other[0], start.other[0] + (end - start.start))
    return replace(start, end=end, days=days, flags=flags - {"past"} if not other else flags, other=other)


def _open_month(first: Side, last: Side, context: Context) -> Side:
    """ "From May to September", said in June, is this year's."""
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
        start, start=start.other[0], end=start.other[1], flags=start.flags - {"past"}, other=None
    )
    span = _last_days(Side(), last, earlier, context)
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
        span = _last_days(Side(), last, start, context)
        if span is None:
            return None
        end = _midnight(span.start) + offset
    else:
        end = _midnight(start.start.date()) + offset
    while end <= start.start:
        end += DAY if last.date is None else 7 * DAY
    other = start.other and (start.other[0], start.other[0] + (end - start.start))
    return replace(start, end=end, other=other)


def _last_days(first: Side, last: Side, start: Local, context: Context) -> DaySpan | None:
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
        moved = _moved(begun, last.shift)
        return DaySpan(moved, moved + DAY)
    return _days(last, context)


def _finish(draft: Draft, local: Local, context: Context) -> Local:
    """Add a stated length and the bounds of "by", "after" and "before"."""
    flags = set(local.flags)
    end = local.end
    if draft.length is not None and draft.last is None:
        local = _lengthened(local, draft.length)
        end = local.end
    if draft.corrected:
        flags.add("correction")
    if draft.bound == "by":
        flags.add("deadline")
    elif draft.bound in ("after", "since"):
        flags.add("after")
        local, end = _after(local, draft)
    elif draft.bound == "before":
        flags.add("before")
    if (end or local.start) <= context.now and local.start < context.now:
        flags.add("past_instant")
    return replace(local, end=end, flags=frozenset(flags))


def _after(local: Local, draft: Draft) -> tuple[Local, datetime | None]:
    if local.end is not None and not local.days:
        return local, local.end
    if not local.days:  # "after 6 pm": up to the end of that day
        return local, _midnight(local.start.date()) + DAY
    if draft.bound == "after" and local.end is not None:
        return replace(local, start=local.end), None
    return local, None


def _lengthened(local: Local, length: Length) -> Local:
    if length.unit in ("second", "minute", "hour"):
        return replace(local, end=local.start + _delta(length.amount, length.unit), days=False) if not local.days else local
    end = _moved(local.start.date(), Shift(length.amount, length.unit))
    if local.days:
        return replace(local, end=_midnight(end))
    return replace(local, end=datetime.combine(end, local.start.time()))


def _first_occurrence(draft: Draft, context: Context) -> Draft:
    """Give a repetition the date of its first occurrence, where the words name no other."""
    every = draft.every
    assert every is not None
    if draft.first.date is not None or draft.first.shift is not None:
        return draft
    if every.byday:
        days = [_next_weekday(day, draft, context) for day in every.byday]
        return replace(draft, first=replace(draft.first, date=DateClue(days=min(days))))
    if draft.first.timed:
        return draft
    return replace(draft, first=replace(draft.first, date=DateClue(days=0)))


def _next_weekday(day: int, draft: Draft, context: Context) -> int:
    ahead = (day - context.today.weekday()) % 7
    if ahead:
        return ahead
    clock = draft.first.clock
    if clock is None:
        return 7
    hour, _ = hours_of(clock, draft.first.part.name if draft.first.part else None)
    later = (hour, clock.minute) > (context.now.hour, context.now.minute)
    return 0 if later else 7


def rrule_of(draft: Draft, local: Local) -> str | None:
    """Spell the repetition as an RFC 5545 RRULE; None where nothing repeats."""
    every = draft.every
    if every is None:
        return None
    pieces = [f"FREQ={every.freq}"]
    if every.interval > 1:
        pieces.append(f"INTERVAL={every.interval}")
    names = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
    date_clue = draft.first.date
    if every.byday:
        pieces.append("BYDAY=" + ",".join(names[day] for day in every.byday))
    elif every.freq == "WEEKLY" and date_clue is not None and date_clue.weekday is not None:
        pieces.append(f"BYDAY={names[date_clue.weekday]}")
    elif every.freq == "MONTHLY" and date_clue is not None:
        pieces.extend(_monthly(date_clue, local, names))
    return ";".join(pieces)


def _monthly(clue: DateClue, local: Local, names: tuple[str, ...]) -> list[str]:
    if clue.weekday is not None and clue.nth is not None:
        return [f"BYDAY={clue.nth}{names[clue.weekday]}"]
    if clue.weekday is not None and clue.nth_week is not None:
        return [f"BYDAY={clue.nth_week}{names[clue.weekday]}"]
    if clue.section == "last_day":
        return ["BYMONTHDAY=-1"]
    return [f"BYMONTHDAY={local.start.day}"] if clue.day is not None else []


def weekly(every: Every) -> bool:
    """Whether a repetition names its weekdays."""
    return every.freq == "WEEKLY" and bool(every.byday)
