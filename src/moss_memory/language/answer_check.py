"""Whether an answer that a model worded says only what the context says.

Every date and clock time has to be one of the memories' or of the time asked about, every title
and name a stored one, and nothing that is stored may be denied. The check is stricter than a
reader would be: what it does not understand it does not pass, and the template speaks instead.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final

from moss_memory.core.fact import Memory
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.relevance import dated, terms
from moss_memory.core.zones import zone as named_zone
from moss_memory.language.times import TimeMention, resolve
from moss_memory.language.topics import without_times

_LONGEST_RUN: Final = 370  # days of one window that are named one by one
_CLAUSES: Final = re.compile(
    r"(?<!\d)[.!?;,:](?!\d)|\n|\b(?:because|since|so|but|although|while|as)\b"
    r"|(?<=므로)|(?<=때문)|(?<=지만)|(?<=는데)|(?<=라서)|(?<=이며)|(?<=이고)|(?<=하며)"
)
_DENIES: Final = re.compile(r"(?i)\bno\b|\bnot\b|n't\b|\bnone\b|\bnothing\b|없|않|아니|못")
_FREE: Final = re.compile(r"(?i)\b(?:free|available|nothing|empty|clear)\b|비어|한가|빈 시간")
_KINDS: Final[dict[str, re.Pattern[str]]] = {
    "vacation": re.compile(
        r"(?i)\b(?:(?:annual |paid )?leave|vacations?|days? off|time off|off)\b|연차|휴가|휴무|쉬는"
    ),
    "meeting": re.compile(r"(?i)\b(?:meetings?|appointments?|events?)\b|회의|미팅|약속"),
    "note": re.compile(r"(?i)\b(?:notes?|memos?|reminders?)\b|메모|노트"),
    "lives_in": re.compile(r"(?i)\b(?:live|lives|living|home)\b|살고|거주|사는|사시"),
    "works_at": re.compile(r"(?i)\b(?:works?|working|employer|job)\b|직장|회사|다니|근무"),
    "name": re.compile(r"(?i)\bnames?\b|이름"),
    "speaks": re.compile(r"(?i)\b(?:speaks?|languages?)\b|언어|구사"),
    "prefers": re.compile(r"(?i)\b(?:likes?|loves?|prefers?|enjoys?|favou?rites?)\b|좋아|선호"),
    "dislikes": re.compile(r"(?i)\b(?:dislikes?|hates?|avoids?)\b|싫어"),
    "light_status": re.compile(r"(?i)\blights?\b|조명|전등"),
    "target_temp": re.compile(r"(?i)\b(?:target )?temperatures?\b|온도"),
    "lock": re.compile(r"(?i)\b(?:locks?|locked|unlocked|doors?)\b|잠금|도어락|문"),
    "heater": re.compile(r"(?i)\b(?:heaters?|heating)\b|난방|히터|보일러"),
}
_PLAIN_EN: Final = re.compile(
    r"(?i)\b(?:i|you|your|yours|we|it|its|they|he|she|a|an|the|this|that|these|those|there|here|"
    r"is|are|am|was|were|be|been|being|have|has|had|do|does|did|will|would|can|could|may|and|or|"
    r"also|both|only|just|on|in|at|of|to|for|from|by|with|during|until|till|between|after|before|"
    r"about|as|then|when|which|who|what|so|because|since|but|no|not|none|nothing|any|other|else|"
    r"yes|all|whole|entire|one|two|three|time|times|day|days|day's|period|window|hour|hours|"
    r"schedule|scheduled|schedules|calendar|plan|plans|planned|set|booked|stored|saved|listed|"
    r"called|named|titled|currently|active|free|available|busy|empty|clear|according|"
    r"don't|doesn't|isn't|aren't|haven't|hasn't|you're|there's|it's|you've|s|re|ve|t)\b"
)
_PLAIN_KO: Final = re.compile(
    r"해당|(?<![\uac00-\ud7a3])그(?=\s)|시간대?|기간|하루\s?종일|종일|예정(?:된|되어|이|은|되)?|일정|등록(?:된|되어)?|저장(?:된|되어)?|"
    r"캘린더|현재|그때|그날|당일|동안|오전|오후|부터|까지|이므로|므로|때문|이며|이고|하며|그리고|또한|다른|"
    r"모두|있(?:습니다|어요|으며|고|는|음)?|없(?:습니다|어요|으며|고|는|음)?|입니다|이에요|예요|합니다|"
    r"됩니다|됐습니다|되었습니다|않(?:습니다|아요)?|아닙니다|아니|비어|한가|바쁘|님|고객|사용자|내용|항목"
)
_PARTICLES: Final = re.compile(
    r"(?:이라는|라는|에서|에는|에|은|는|이|가|을|를|의|도|으로|로|와|과|랑|만|인)(?![\uac00-\ud7a3])"
)


def agrees(
    text: str,
    said: str,
    memories: Sequence[Memory],
    *,
    window: Interval | None,
    at: datetime,
    zone: str,
    locale: str,
) -> bool:
    """Whether ``text`` answers ``said`` from ``memories`` alone.

    ``window`` is the time asked about, ``at`` the reference instant, ``zone`` the reader's.
    """
    spans = [span for memory in memories for span in _spans(memory)]
    asked = [window] if window is not None else []
    mentions = resolve(text, reference=at, zone=zone, locale=locale)
    if not all(_known_time(each, spans, asked, at, zone) for each in mentions):
        return False
    if _FREE.search(text) and not _free(text, memories):
        return False
    bare = without_times(text, [(each.start, each.end) for each in mentions])
    return all(_known_words(clause, said, memories) for clause in _CLAUSES.split(bare) if clause)


def _known_time(
    mention: TimeMention,
    spans: Sequence[Interval],
    asked: Sequence[Interval],
    at: datetime,
    zone: str,
) -> bool:
    """Whether a time that the answer names is one of the context's."""
    ends = {end for span in (*spans, *asked) for end in (span.start, span.end)}
    named = [mention.local_start, *([mention.local_end] if mention.local_end else [])]
    days = set(_days((*spans, *asked), zone)) | {_local(at, zone).date()}
    if mention.has_date and mention.local_start.date() not in days:
        return False
    if not mention.has_clock:
        return True
    if mention.has_date:
        return all(reading in {_local(end, zone) for end in ends} for reading in named)
    clocks = {_local(end, zone).time() for end in (*ends, at)}
    return all(reading.time() in clocks for reading in named)


def _known_words(clause: str, said: str, memories: Sequence[Memory]) -> bool:
    """Whether a clause names only kinds and titles of the memories, and denies none of them.

    What the question itself named may be denied, not affirmed.
    """
    denied = _DENIES.search(clause) is not None
    present = {memory.fact.predicate for memory in memories}
    bare = clause
    for predicate, pattern in _KINDS.items():
        if pattern.search(bare) is None:
            continue
        if denied and predicate in present:
            return False
        if not denied and predicate not in present and not _titled(pattern, memories):
            return False
        bare = pattern.sub(" ", bare)
    bare = _PARTICLES.sub(" ", _PLAIN_KO.sub(" ", _PLAIN_EN.sub(" ", bare)))
    values = " ".join(f"{m.fact.subject} {m.fact.object_value} {m.principal_id}" for m in memories)
    allowed = set(terms(values)) | (set(terms(said)) if denied else set())
    return set(terms(bare)) <= allowed


def _free(text: str, memories: Sequence[Memory]) -> bool:
    """Whether time may be called free: beside a meeting never, beside what else is if it is named.

    "You are free" hides a day off; "you are free, since you are on leave" does not.
    """
    kinds = {memory.fact.predicate for memory in memories if dated(memory)}
    named = {kind for kind in kinds if kind in _KINDS and _KINDS[kind].search(text)}
    return "meeting" not in kinds and named == kinds


def _titled(pattern: re.Pattern[str], memories: Sequence[Memory]) -> bool:
    """Whether the word for a kind is a part of some stored title."""
    return any(pattern.search(memory.fact.object_value) for memory in memories)


def _spans(memory: Memory) -> tuple[Interval, ...]:
    return memory.windows or (Interval(memory.valid_from, memory.valid_until),)


def _days(spans: Sequence[Interval], zone: str) -> Iterator[date]:
    for span in spans:
        first = _local(span.start, zone).date()
        if span.end >= FOREVER:
            yield first
            continue
        last = _local(span.end - timedelta(microseconds=1), zone).date()
        length = min((last - first).days, _LONGEST_RUN)
        yield from (first + timedelta(days=n) for n in range(length + 1))


def _local(at: datetime, zone: str) -> datetime:
    if at >= FOREVER:
        return datetime.combine(FOREVER.date(), time(0))
    return at.astimezone(named_zone(zone)).replace(tzinfo=None)
