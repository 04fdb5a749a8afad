"""Drafts into naive local times: policies and the calendar, but no zone yet."""

from dataclasses import replace
from datetime import datetime

from moss_memory.language.times.clue import Length, Shift
from moss_memory.language.times.draft import Draft
from moss_memory.language.times.local import Context, Local, delta, midnight
from moss_memory.language.times.place import DAY
from moss_memory.language.times.ranges import shared, stretch
from moss_memory.language.times.repeats import bounded, first_occurrence, repeated
from moss_memory.language.times.single import moved, single


def read(draft: Draft, context: Context) -> Local | None:
    """Resolve a draft; None where its date does not exist."""
    draft = shared(draft)
    if draft.every is not None:
        draft = first_occurrence(bounded(draft), context)
    local = stretch(draft, context) if draft.last is not None else single(draft, context)
    if local is None:
        return None
    if draft.every is not None:
        local = repeated(draft, local, context)
    return _finish(draft, local, context)


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
        return local, midnight(local.start.date()) + DAY
    if draft.bound == "after" and local.end is not None:
        return replace(local, start=local.end), None
    return local, None


def _lengthened(local: Local, length: Length) -> Local:
    if length.unit in ("second", "minute", "hour"):
        return (
            replace(local, end=local.start + delta(length.amount, length.unit), days=False)
            if not local.days
            else local
        )
    end = moved(local.start.date(), Shift(length.amount, length.unit))
    if local.days:
        return replace(local, end=midnight(end))
    return replace(local, end=datetime.combine(end, local.start.time()))
