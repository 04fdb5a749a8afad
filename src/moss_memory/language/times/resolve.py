"""The deterministic resolver: which times do these words name?"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.when import Days, Series, WallClock, When
from moss_memory.language import english_words as w_en
from moss_memory.language import korean_words as w_ko
from moss_memory.language.times.clue import DateClue
from moss_memory.language.times.draft import Draft, Side, compose
from moss_memory.language.times.english import ENGLISH
from moss_memory.language.times.korean import KOREAN
from moss_memory.language.times.lexer import Scene, scan
from moss_memory.language.times.local import Context, Local
from moss_memory.language.times.mention import Flag, TimeMention
from moss_memory.language.times.place import DAY, HOUR, local_of, place
from moss_memory.language.times.reading import read
from moss_memory.language.times.repeats import rrule_of

_HANGUL = re.compile("[가-힣ㄱ-ㅎ]")
_KOREAN_LOCALE = re.compile(r"ko\b", re.IGNORECASE)
_DAY_FIRST = re.compile(r"en[-_](?!us|ph|ca)[a-z]{2}\b", re.IGNORECASE)

_NEAR = 6  # characters: " and ", ", "
_PAIR = 2


def is_korean(text: str) -> bool:
    """Whether the words are read by the Korean grammar: any Hangul at all."""
    return _HANGUL.search(text) is not None


def resolve(
    text: str,
    *,
    reference: datetime,
    zone: str,
    locale: str | None,
    past: bool = False,
    split: bool = False,
) -> list[TimeMention]:
    """Name every time that the words of ``text`` name, in the order of the words.

    ``reference`` is the aware instant of speaking, ``zone`` the owner's IANA zone. ``locale``
    decides whether 7/8 is July or August. ``past`` says that the sentence speaks of what has
    been: then a bare weekday or date is the last one. ``split`` keeps the two ends of a range as
    two mentions, as "from 3 to 4" is meant when something is moved.

    Raises:
        ValueError: ``reference`` is naive, or ``zone`` is no zone (ZoneInfoNotFoundError).
    """
    if reference.tzinfo is None:
        raise ValueError("the reference instant needs an offset")
    now = local_of(reference, zone)
    korean = is_korean(text) or (
        _KOREAN_LOCALE.match(locale or "") and not re.search("[A-Za-z]", text)
    )
    grammar = KOREAN if korean else ENGLISH
    scene = Scene(now, day_first=bool(locale and _DAY_FIRST.match(locale)))
    drafts = compose(text, scan(text, grammar.rules, scene), grammar)
    drafts = _apart(text, drafts) if split else _together(text, drafts)
    if split:
        drafts = [half for draft in drafts for half in _halves(draft)]
    context = Context(now, past=past)
    found = [_mention(text, draft, context, zone) for draft in drafts]
    return _runs([one for one in found if one is not None])


def _halves(draft: Draft) -> list[Draft]:
    """Part a range into its ends, each complete: the date said once holds for both."""
    if draft.last is None:
        return [draft]
    first, last = draft.first, draft.last
    if not last.dated and first.date is not None:
        last = replace(last, date=first.date)
    if not first.dated and last.date is not None and first.clock is not None:
        first = replace(first, date=last.date)
    if first.part is not None and last.part is None and last.clock is not None:
        last = replace(last, part=first.part)
    stop, begin = draft.turn or (draft.end, draft.start)
    here, there = ((draft.start, stop),), ((begin, draft.end),)
    whole = replace(draft, last=None, every=None, turn=None)
    return [
        replace(whole, first=first, end=stop, spans=here),
        replace(whole, first=last, start=begin, spans=there),
    ]


def _together(text: str, drafts: Sequence[Draft]) -> list[Draft]:
    """Let times said apart complete each other: a date here, a clock time there."""
    kept = [d for d in drafts if not _just_now(d)] or list(drafts)
    kept = _lists(kept)
    kept = _repeats(kept)
    return _dates_and_clocks(text, kept)


_NEW_TIME = re.compile(r"\b(?:to|until|into)\s+(?:(?:be|start|the|at|on)\s+)*\Z", re.IGNORECASE)
_NEW_TIME_KO = re.compile(r"\s*(?:으로|로)(?![가-힣])")


def _apart(text: str, drafts: list[Draft]) -> list[Draft]:
    """In a move the new time completes itself from the old one later, and not the old from it."""
    new = [
        draft
        for draft in drafts
        if draft.last is None
        and (_NEW_TIME.search(text[: draft.start]) or _NEW_TIME_KO.match(text[draft.end :]))
    ]
    old = _together(text, [draft for draft in drafts if draft not in new])
    return sorted([*old, *new], key=lambda draft: draft.start)


def _just_now(draft: Draft) -> bool:
    """Read "now", which beside another time only fills the sentence."""
    at = draft.first.at
    return at is not None and at.grain == "second" and draft.last is None


def _lists(drafts: list[Draft]) -> list[Draft]:
    """In a list the later items take what the first says once: "next Monday and Tuesday at 3"."""
    for index in range(1, len(drafts)):
        before, here = drafts[index - 1], drafts[index]
        if here.joined and before.first.date and here.first.date and here.last is None:
            clue = _inherit(before.first.date, here.first.date)
            drafts[index] = replace(here, first=replace(here.first, date=clue))
    for index in range(len(drafts) - 2, -1, -1):
        here, after = drafts[index], drafts[index + 1]
        if after.joined and here.dated and not here.timed and after.timed and after.first.date:
            first = replace(here.first, clock=after.first.clock, part=after.first.part)
            last = after.last if after.last is None or not after.last.dated else None
            drafts[index] = replace(here, first=first, last=here.last or last)
    return drafts


def _inherit(a: DateClue, b: DateClue) -> DateClue:
    """Fill a bare weekday or day number from the item before it."""
    if b.weekday is not None and a.weekday is not None and b.day is None and b.mod is None:
        return b if b.week is not None else replace(b, week=a.week, mod=a.mod)
    if b.day is not None and b.month is None and b.months is None and b.days is None:
        return replace(b, month=a.month, months=a.months, year=a.year)
    return b


def _repeats(drafts: list[Draft]) -> list[Draft]:
    """Join a repetition with the time it repeats and with its end, wherever they stand."""
    drafts = _stopped(drafts)
    bare = [d for d in drafts if d.every is not None and d.first.empty and d.last is None]
    others = [d for d in drafts if d not in bare]
    if len(bare) != 1 or len(others) != 1 or others[0].every is not None:
        return drafts if len(bare) != _PAIR or others else _one_repeat(drafts, bare)
    return [_with(others[0], bare[0], every=bare[0].every, until=bare[0].until)]


def _stopped(drafts: list[Draft]) -> list[Draft]:
    """Read "... every Monday ... until the end of August": the end belongs to the repetition."""
    every = [d for d in drafts if d.every is not None]
    ends = [d for d in drafts if d.bound == "by" and d.dated and not d.timed and d.every is None]
    if len(every) != 1 or len(ends) != 1 or every[0].until is not None:
        return _begun(drafts, every)
    stop = ends[0].last or ends[0].first
    joined = _with(every[0], ends[0], until=stop)
    return [joined if d is every[0] else d for d in drafts if d is not ends[0]]


def _begun(drafts: list[Draft], every: list[Draft]) -> list[Draft]:
    """Read "... every Monday at 9 ... from August 3": the date is where it begins."""
    starts = [d for d in drafts if d.bound == "since" and d.dated and not d.timed and not d.every]
    if len(every) != 1 or len(starts) != 1 or every[0].first.dated:
        return drafts
    first = replace(every[0].first, date=starts[0].first.date)
    joined = _with(every[0], starts[0], first=first)
    return [joined if d is every[0] else d for d in drafts if d is not starts[0]]


def _with(draft: Draft, other: Draft, **changes: object) -> Draft:
    """Take over another draft's words, and what it says."""
    spans = tuple(sorted((*draft.spans, *other.spans)))
    start, end = min(draft.start, other.start), max(draft.end, other.end)
    return replace(draft, start=start, end=end, spans=spans, **changes)  # type: ignore[arg-type]


def _one_repeat(drafts: list[Draft], bare: list[Draft]) -> list[Draft]:
    a, b = bare
    assert a.every is not None
    assert b.every is not None
    if a.every.freq == b.every.freq and bool(a.every.byday) != bool(b.every.byday):
        every = b.every if b.every.byday else a.every
        return [replace(a, every=every, end=b.end, spans=(*a.spans, *b.spans))]
    return drafts


def _dates_and_clocks(text: str, drafts: list[Draft]) -> list[Draft]:
    """Give each lone clock time the date it belongs to, and drop a date that was only for it."""
    result = list(drafts)
    for index, draft in enumerate(drafts):
        if not _lone_clock(draft):
            continue
        mate = _mate(text, index, drafts, result)
        if mate is not None and _events_apart(text, drafts[mate], draft):
            first = replace(draft.first, date=drafts[mate].first.date)
            result[index] = replace(draft, first=first)
        elif mate is not None:
            result[index] = _married(drafts[mate], draft)
            if _lone_date(drafts[mate]):
                result[mate] = replace(drafts[mate], first=Side(), last=None, length=None)
        elif index and drafts[index - 1].first.date is not None:
            first = replace(draft.first, date=drafts[index - 1].first.date)
            if not re.search(r"[.!?]", text[drafts[index - 1].end : draft.start]):
                result[index] = replace(draft, first=first)
    return [draft for draft in result if not _spent(draft)]


def _events_apart(text: str, dated: Draft, clock: Draft) -> bool:
    """Two events of one day: "lunch tomorrow, and a call at 4", not "lunch tomorrow, and at 4"."""
    between = text[dated.end : clock.start]
    apart = re.search(r"[,;]|\band\b|고\s|그리고", between)
    if apart is None or dated.start > clock.start:
        return False
    named = (w_en.EVENT_WORD, w_ko.EVENT_WORD)
    here, there = text[: dated.start], between[apart.end() :]
    if not (is_korean(text) or re.match(r"\s*(?:and\s+)?(?:then\s+)?(?:an?|my|our|the)\s", there)):
        return False  # "... and book me an appointment" is the same one
    return any(one.search(here) for one in named) and any(one.search(there) for one in named)


def _spent(draft: Draft) -> bool:
    return (
        draft.first.empty
        and draft.every is None
        and draft.half_day is None
        and draft.length is None
    )


def _lone_clock(draft: Draft) -> bool:
    half = draft.half_day is not None and draft.first.empty
    if draft.dated or draft.first.at is not None:
        return False
    return draft.first.timed or half or draft.length is not None


def _lone_date(draft: Draft) -> bool:
    return draft.dated and not draft.timed and draft.last is None and draft.first.at is None


def _mate(text: str, index: int, drafts: list[Draft], result: list[Draft]) -> int | None:
    """Find the date for a clock time: the nearest in its sentence, else the only one."""
    free = [n for n, d in enumerate(drafts) if _lone_date(d) and not _spent(result[n])]
    if not free:
        return None
    here = drafts[index]

    def distance(n: int) -> tuple[int, int]:
        a, b = sorted((drafts[n], here), key=lambda d: d.start)
        between = text[a.end : b.start]
        return len(re.findall(r"[.!?](?=\s)", between)), len(between)

    best = min(free, key=distance)
    clocks = sum(_lone_clock(d) for d in drafts)
    return best if distance(best)[0] == 0 or (len(free) == 1 and clocks == 1) else None


def _married(dated: Draft, clock: Draft) -> Draft:
    first = replace(clock.first, date=dated.first.date, shift=dated.first.shift)
    zone = clock.first.zone or dated.first.zone
    return replace(
        clock,
        start=min(dated.start, clock.start),
        end=max(dated.end, clock.end),
        first=replace(first, zone=zone),
        every=clock.every or dated.every,
        half_day=clock.half_day or dated.half_day,
        corrected=clock.corrected or dated.corrected,
        joined=dated.joined,
        spans=tuple(sorted((*dated.spans, *clock.spans))),
    )


def _mention(text: str, draft: Draft, context: Context, zone: str) -> TimeMention | None:
    try:
        local = read(draft, context)
        return None if local is None else _placed(text, draft, local, zone)
    except (ValueError, OverflowError):  # numbers beyond any calendar
        return None


def _placed(text: str, draft: Draft, local: Local, zone: str) -> TimeMention:
    end = draft.start + len(text[draft.start : draft.end].rstrip())
    named = draft.first.zone or (draft.last.zone if draft.last else None)
    said_zone = named.name if named else None
    rrule = rrule_of(draft, local)
    window, flags, fold_at = _window(local, said_zone or zone)
    shifted = _in_owner_zone(local, said_zone, zone)
    return TimeMention(
        text=text[draft.start : end],
        start=draft.start,
        end=end,
        when=_when(local.start, local.end, local, said_zone, rrule),
        window=window,
        local_start=shifted[0],
        local_end=shifted[1],
        grain=local.grain,
        has_date=draft.dated,
        has_clock=not local.days,
        flags=local.flags | flags,
        rrule=rrule,
        zone=said_zone,
        alternatives=_alternatives(local, said_zone, rrule, fold_at),
        spans=draft.spans,
    )


def _when(
    start: datetime,
    end: datetime | None,
    local: Local,
    zone: str | None,
    rrule: str | None,
) -> When:
    series = None if rrule is None else Series(rrule)
    if local.days:
        last = None if end is None or end == start + DAY else end.date()
        return Days(start.date(), last, zone, series)
    return WallClock(start, end, zone=zone, series=series)


def _alternatives(
    local: Local,
    zone: str | None,
    rrule: str | None,
    folded: When | None,
) -> tuple[When, ...]:
    others = [] if folded is None else [folded]
    if local.other is not None:
        others.append(_when(*local.other, local, zone, rrule))
    return tuple(others)


def _window(local: Local, zone: str) -> tuple[Interval, frozenset[Flag], When | None]:
    """Place a local time in UTC; the third value is the second reading of a repeated hour."""
    start = place(local.start, zone)
    flags: set[Flag] = {start.flag} if start.flag and not local.days else set()
    open_end = local.end is None and local.days
    end = FOREVER if open_end else place(local.end or local.start + HOUR, zone).instant
    if end <= start.instant:
        end = start.instant + timedelta(hours=1)
    folded: When | None = None
    if start.flag == "fold" and not local.days:
        folded = WallClock(local.start, local.end, zone=zone, fold=1)
    return Interval(start.instant, end), frozenset(flags), folded


def _in_owner_zone(local: Local, said: str | None, zone: str) -> tuple[datetime, datetime | None]:
    if said is None or local.days:
        return local.start, local.end
    start = local_of(place(local.start, said).instant, zone)
    end = None if local.end is None else local_of(place(local.end, said).instant, zone)
    return start, end


def _runs(mentions: list[TimeMention]) -> list[TimeMention]:
    """Join whole days that follow each other in a list: "Monday and Tuesday" is one stretch."""
    result: list[TimeMention] = []
    for here in mentions:
        before = result[-1] if result else None
        if before is not None and _follows(before, here):
            result[-1] = _stretch(before, here)
        else:
            result.append(here)
    return result


def _follows(a: TimeMention, b: TimeMention) -> bool:
    near = b.start - a.end <= _NEAR
    plain = isinstance(a.when, Days) and isinstance(b.when, Days) and not a.rrule and not b.rrule
    return near and plain and a.local_end == b.local_start and a.grain == b.grain == "day"


def _stretch(a: TimeMention, b: TimeMention) -> TimeMention:
    assert isinstance(a.when, Days)
    return replace(
        a,
        text=f"{a.text} {b.text}",
        end=b.end,
        spans=(*a.spans, *b.spans),
        when=replace(a.when, end=b.local_end.date() if b.local_end else None),
        window=Interval(a.window.start, b.window.end),
        local_end=b.local_end,
        flags=a.flags | b.flags,
    )
