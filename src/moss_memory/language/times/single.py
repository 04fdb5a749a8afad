"""One time by itself: a day, a clock time, a part of the day, a shift from now."""

from dataclasses import replace
from datetime import date, datetime, timedelta

from moss_memory.language.times.almanac import DaySpan, add_months, settle
from moss_memory.language.times.clue import Clock, DayPart, Shift
from moss_memory.language.times.draft import Draft, Side
from moss_memory.language.times.local import Context, Local, delta, midnight
from moss_memory.language.times.mention import Flag
from moss_memory.language.times.place import DAY
from moss_memory.language.times.policy import HALF_DAYS, WINDOWS, hours_of


def days_of(side: Side, context: Context) -> DaySpan | None:
    """Resolve the date of a side; None where it names none, or none that exists."""
    shift = side.shift
    if side.date is not None:
        if shift is not None and not shift.anchored and side.date.weekday is not None:
            there = moved(context.today, shift)
            found = there + timedelta(days=side.date.weekday - there.weekday())
            return DaySpan(found, found + DAY)
        span = settle(side.date, context.today, past=context.past)
        if span is None or shift is None:
            return span
        day = moved(span.start, shift)
        return DaySpan(day, day + DAY)
    if shift is not None:
        day = moved(context.today, shift)
        return DaySpan(day, day + DAY)
    return None


def moved(day: date, shift: Shift) -> date:
    """Shift a day by days, weeks, months or years."""
    if shift.unit in ("month", "year"):
        return add_months(day, round(shift.amount * (12 if shift.unit == "year" else 1)))
    return day + timedelta(days=round(shift.amount * (7 if shift.unit == "week" else 1)))


def short(shift: Shift | None) -> bool:
    """Whether a shift is of hours or less, so that it counts from the clock."""
    return shift is not None and shift.unit in ("second", "minute", "hour")


def single(draft: Draft, context: Context) -> Local | None:
    """Resolve a draft that has one end; None where its date does not exist."""
    side = draft.first
    if side.at is not None:
        return Local(side.at.moment, None, side.at.grain)
    if side.shift is not None and side.shift.window:
        return _ahead(side.shift, context)
    if short(side.shift):
        return _shifted(side, context)
    span = days_of(side, context)
    if side.dated and span is None:
        return None
    return _of_day(draft, span, context)


def _of_day(draft: Draft, span: DaySpan | None, context: Context) -> Local | None:
    """Place a clock time, half a day or a part of it on its day; ``span`` None is no day said."""
    side = draft.first
    if side.clock is not None:
        return _clocked(side, side.clock, span, context)
    if draft.half_day is not None:
        return _half(draft, span or _today(context))
    if side.part is not None:
        return _parted(side.part, span, context)
    return _lasting(draft, context) if span is None else _whole(span)


def _today(context: Context) -> DaySpan:
    return DaySpan(context.today, context.today + DAY)


def _whole(span: DaySpan) -> Local:
    other = None
    if span.other is not None:
        other = (midnight(span.other[0]), midnight(span.other[1]))
    return Local(midnight(span.start), midnight(span.end), span.grain, True, span.flags, other)


def _ahead(shift: Shift, context: Context) -> Local:
    """Read "The next 3 days" begin tomorrow, "the last 3 days" end today; hours run from now."""
    if short(shift):
        step = delta(abs(shift.amount), shift.unit)
        ends = (
            (context.now, context.now + step)
            if shift.amount > 0
            else (context.now - step, context.now)
        )
        return Local(*ends, "minute")
    if shift.amount > 0:
        start = context.today + DAY
        end = moved(start, shift)
    else:
        end = context.today
        start = moved(end, shift)
    return Local(midnight(start), midnight(end), "day", days=True)


def _shifted(side: Side, context: Context) -> Local | None:
    shift = side.shift
    assert shift is not None
    base = context.now
    if side.clock is not None:
        clocked = single(Draft(0, 0, replace(side, shift=None)), context)
        if clocked is None:
            return None
        base = clocked.start
    elif side.date is not None and shift.anchored:
        span = settle(side.date, context.today, past=context.past)
        if span is None:
            return None
        base = midnight(span.start)
    return Local(base + delta(shift.amount, shift.unit), None, "minute")


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
    base = midnight(span.start)
    flags: frozenset[Flag] = span.flags | frozenset({"policy_half"})
    other = _other(span, timedelta(hours=start), timedelta(hours=end))
    return Local(
        base + timedelta(hours=start),
        base + timedelta(hours=end),
        "part",
        False,
        flags,
        other,
    )


def _other(
    span: DaySpan,
    start: timedelta,
    end: timedelta | None,
) -> tuple[datetime, datetime | None] | None:
    if span.other is None:
        return None
    base = midnight(span.other[0])
    return base + start, None if end is None else base + end


def _parted(part: DayPart, span: DaySpan | None, context: Context) -> Local:
    start, end = WINDOWS[part.name]
    span = span or _today(context)
    base = midnight(span.start)
    a, b = timedelta(hours=start), timedelta(hours=end)
    if base + b <= context.now and span.start == context.today and not span.flags:
        base += DAY if not context.past else timedelta()
    return Local(base + a, base + b, "part", False, span.flags, _other(span, a, b))


def _clocked(side: Side, clock: Clock, span: DaySpan | None, context: Context) -> Local:
    hour, policy = hours_of(clock, side.part.name if side.part else None)
    offset = timedelta(hours=hour, minutes=clock.minute, seconds=clock.second)
    flags: frozenset[Flag] = frozenset({"working_hours"} if policy else ())
    if span is None:
        base = midnight(context.today)
        if not context.past and base + offset < context.now.replace(second=0, microsecond=0):
            base += DAY
        if base + offset - DAY > context.now:  # an hour past midnight may be tonight's
            base -= DAY
        return Local(base + offset, None, "minute", False, flags)
    base = midnight(span.start)
    return Local(
        base + offset,
        None,
        "minute",
        False,
        flags | span.flags,
        _other(span, offset, None),
    )
