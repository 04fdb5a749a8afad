"""Times that repeat: their first occurrence and their RRULE."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from moss_memory.language.times.clue import DateClue
from moss_memory.language.times.draft import Draft
from moss_memory.language.times.local import Context, Local
from moss_memory.language.times.place import DAY
from moss_memory.language.times.policy import hours_of
from moss_memory.language.times.ranges import last_days


def bounded(draft: Draft) -> Draft:
    """A date at the far end of a repetition is where it stops, not where one time ends."""
    last = draft.last
    if last is None or not last.dated:
        return draft
    if last.timed:
        if draft.first.timed or not draft.first.dated:
            return draft
        first = replace(draft.first, clock=last.clock, part=last.part)
        last = replace(last, clock=None, part=None)
        draft = replace(draft, first=first)
    return replace(draft, last=None, until=draft.until or last)


def repeated(draft: Draft, local: Local, context: Context) -> Local:
    """Begin on the first day that the rule names, and know the last one."""
    every = draft.every
    assert every is not None
    if every.byday and draft.first.dated:
        ahead = min((day - local.start.weekday()) % 7 for day in every.byday)
        step = timedelta(days=ahead)
        end = local.end
        if local.days and end is not None and end - local.start > DAY:
            end = local.start + DAY
        local = replace(local, start=local.start + step, end=None if end is None else end + step)
    if draft.until is None:
        return local
    span = last_days(draft.until, local, context)
    return local if span is None else replace(local, until=span.end - DAY)


def first_occurrence(draft: Draft, context: Context) -> Draft:
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
    date_clue = draft.first.date
    if every.byday:
        pieces.append("BYDAY=" + ",".join(_NAMES[day] for day in every.byday))
    elif every.freq == "WEEKLY" and date_clue is not None and date_clue.weekday is not None:
        pieces.append(f"BYDAY={_NAMES[date_clue.weekday]}")
    elif every.freq == "MONTHLY" and date_clue is not None:
        pieces.extend(_monthly(date_clue, local))
    if local.until is not None:
        pieces.append(f"UNTIL={local.until:%Y%m%d}")
    return ";".join(pieces)


_NAMES: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def _monthly(clue: DateClue, local: Local) -> list[str]:
    if clue.weekday is not None and clue.nth is not None:
        return [f"BYDAY={clue.nth}{_NAMES[clue.weekday]}"]
    if clue.weekday is not None and clue.nth_week is not None:
        return [f"BYDAY={clue.nth_week}{_NAMES[clue.weekday]}"]
    if clue.section == "last_day":
        return ["BYMONTHDAY=-1"]
    return [f"BYMONTHDAY={local.start.day}"] if clue.day is not None else []
