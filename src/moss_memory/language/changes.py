"""Moves and cancels: which memory is meant, and what becomes of it."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Final, Literal

from moss_memory.core.when import Days, WallClock, When
from moss_memory.language.claims import VACATION, target_predicate, title_of, topics
from moss_memory.language.proposal import Parsed, ProposedFact, Target
from moss_memory.language.questions import about_time, ask
from moss_memory.language.said import Said
from moss_memory.language.times.mention import TimeMention
from moss_memory.language.titles import without

_EN_IT: Final = re.compile(
    r"\b(?:it|that|this|them|those|that one|this one|the last one)\b(?!\s+(?:week|"
    r"month|year|meeting|event|appointment|call|\w+day|morning|afternoon|evening|is|"
    r"was))",
    re.IGNORECASE,
)
_KO_IT: Final = re.compile(
    r"(?<![가-힣])(?:그거|그것|그걸|그건|이거|이것|이걸|이건|저거|"
    r"방금\s?(?:그\s?)?(?:거|것|건|등록|말한|추가)?|"
    r"아까\s?(?:그\s?)?(?:거|것|건)?|그\s?일정|그\s?회의|그\s?미팅|그\s?약속)",
)
_KO_TO: Final = re.compile(r"^\s*(?:으로|로)(?![가-힣])|^\s*까지")
_LATER: Final = re.compile(
    r"\b(?:push|delay|postpone|later|back|extend)\b|미[뤄루룰뤘]|늦[춰추]|연기|뒤로",
    re.IGNORECASE,
)
_EARLIER: Final = re.compile(r"\b(?:forward|earlier|up|advance)\b|당[겨기]|앞당", re.IGNORECASE)
_BY: Final = re.compile(
    r"\b(?:by|for)\s+(?P<n>\d+|an?|one|two|three|half\s+an?|thirty|fifteen)"
    r"\s+(?P<u>hours?|minutes?|mins?|days?|weeks?)\b|\b(?P<n2>\d+|an?|one|two|three|"
    r"half\s+an?)\s+(?P<u2>hours?|minutes?|mins?|days?|weeks?)\s+(?:later|earlier|"
    r"back|forward)\b|"
    r"(?P<kn>\d+|한|두|세|네|다섯|하루|이틀|사흘|일주일|삼십|십|십오|이십)"
    r"\s*(?P<ku>시간|분|일|주)?\s*(?:만|정도|"
    r"쯤)?\s*(?:뒤로|후로|뒤에|더|늦게|일찍|빨리|앞으로|씩)?\s*(?=미[뤄루룰]|늦[춰추]|"
    r"당[겨기]|앞당|연기|뒤로)",
    re.IGNORECASE,
)


def cancel(said: Said, mentions: list[TimeMention]) -> Parsed:
    """Read which memory is to be retired."""
    spans = [span for one in mentions for span in one.spans]
    rest = without(said.text, spans)
    predicate = target_predicate(rest, hangul=said.hangul)
    title = title_of(rest, hangul=said.hangul) or ""
    words = _target_words(title, said)
    named = bool(words) or predicate is not None
    anaphoric = not mentions and not named and _pronoun(said)
    places: list[TimeMention | None] = [*mentions] or [None]
    facts = tuple(_retired(predicate, words, one, anaphoric=anaphoric) for one in places)
    unclear = not mentions and not named and not anaphoric
    question = ask("target", korean=said.hangul) if unclear and not _ALL.search(rest) else None
    return Parsed(intent="WRITE", operation="retire", facts=facts[:10], question=question)


_ALL: Final = re.compile(
    r"\b(?:all|everything|clear|entire|whole)\b|다|모두|전부|싹",
    re.IGNORECASE,
)


def _retired(
    predicate: str | None,
    words: tuple[str, ...],
    mention: TimeMention | None,
    *,
    anaphoric: bool,
) -> ProposedFact:
    window = None if mention is None else mention.window
    return ProposedFact(
        domain="Schedule",
        subject="Calendar",
        predicate=predicate or "meeting",
        time_text=None if mention is None else mention.text,
        when=None if mention is None else mention.when,
        target=Target(predicate=predicate, words=words, window=window, anaphoric=anaphoric),
    )


def _pronoun(said: Said) -> bool:
    return bool((_KO_IT if said.hangul else _EN_IT).search(said.text))


def _target_words(title: str, said: Said) -> tuple[str, ...]:
    found = topics(title, hangul=said.hangul)
    pronouns = ("it", "that", "this", "one", "them", "those", "bring", "forward", "back", "forget")
    verbs = re.compile(
        r"^(?:취소|삭제|지워|없애|빼|옮|미뤄|변경|바꿔|당겨|방금|아까|안|이제|가니까)",
    )
    return tuple(word for word in found if word not in pronouns and not verbs.match(word))


def move(said: Said, mentions: list[TimeMention]) -> Parsed:
    """Read a move: which memory, and its new time. One fact, never two."""
    spans = [span for one in mentions for span in one.spans]
    amount = _BY.search(said.text)
    if amount is not None:
        spans.append(amount.span())
    rest = without(said.text, spans)
    predicate = target_predicate(rest, hangul=said.hangul)
    words = _target_words(title_of(rest, hangul=said.hangul) or "", said)
    shift = _shift(said.text)
    old, new = (mentions[0] if mentions else None, None) if shift else _old_and_new(said, mentions)
    anaphoric = old is None and not words and (_pronoun(said) or predicate is None)
    target = Target(
        predicate=predicate,
        words=words,
        window=None if old is None else old.window,
        anaphoric=anaphoric,
    )
    fact = ProposedFact(
        domain="Schedule",
        subject="Calendar",
        predicate=predicate or "meeting",
        object_value=VACATION if predicate == "vacation" else None,
        time_text=None if new is None else new.text,
        when=None if new is None else _placed(new, old),
        target=target,
        keep=_kept(new, old),
        shift_minutes=shift,
    )
    question = None if new is None else about_time(said.text, new, said.zone, korean=said.hangul)
    if new is None and shift is None:
        question = ask("missing", korean=said.hangul)
    return Parsed(intent="WRITE", operation="revise", facts=(fact,), question=question)


def _old_and_new(
    said: Said,
    mentions: list[TimeMention],
) -> tuple[TimeMention | None, TimeMention | None]:
    """Tell the time a memory has from the time it shall get."""
    if not mentions:
        return None, None
    marked = [one for one in mentions if _marked_new(said, one)]
    new = marked[-1] if marked else (mentions[-1] if len(mentions) > 1 else None)
    if new is None:
        only = mentions[0]
        bare = re.search(r"\b(?:my|the|our|this|that)\s*$", said.text[: only.start], re.IGNORECASE)
        possessive = re.match(r"\s*(?:'s\b|\w+)", said.text[only.end :]) is not None
        if bare or (possessive and not said.hangul) or said.hangul:
            return only, None
        return None, only
    rest = [one for one in mentions if one is not new]
    old = rest[0] if rest else None
    if len(rest) > 1 and not rest[0].has_clock and not rest[1].has_date:
        old = rest[1]
    return old, new


def _marked_new(said: Said, mention: TimeMention) -> bool:
    if said.hangul:
        return bool(_KO_TO.search(said.text[mention.end :]))
    before = said.text[: mention.start]
    return bool(
        re.search(
            r"\b(?:to|until|into)(?:\s+(?:the|be|at|on|start\s+at))*\s*$",
            before,
            re.IGNORECASE,
        ),
    )


def _placed(new: TimeMention, old: TimeMention | None) -> When:
    """Complete the new time from the old: an hour stays on its day, a day keeps its hour."""
    when = new.when
    if old is None:
        return when
    if isinstance(when, WallClock) and not new.has_date:
        day = old.local_start.date()
        start = datetime.combine(day, when.start.time())
        end = None if when.end is None else start + (when.end - when.start)
        return replace(when, start=start, end=end)
    if isinstance(when, Days) and isinstance(old.when, WallClock) and old.grain != "part":
        start = datetime.combine(when.start, old.when.start.time())
        end = None if old.when.end is None else start + (old.when.end - old.when.start)
        return WallClock(start, end, zone=old.when.zone)
    return when


def _kept(new: TimeMention | None, old: TimeMention | None) -> Literal["date", "clock"] | None:
    """Say what the memory keeps: its date under a bare hour, its hours under a bare day."""
    if new is None:
        return None
    if isinstance(new.when, WallClock) and not new.has_date and (old is None or not old.has_date):
        return "date"
    if isinstance(new.when, Days) and (old is None or isinstance(old.when, Days)):
        return "clock"
    return None


def _shift(text: str) -> int | None:
    """Read "by an hour", "두 시간 미뤄": minutes, negative for earlier; None where none is said."""
    found = _BY.search(text)
    if found is None or not (_LATER.search(text) or _EARLIER.search(text)):
        return None
    amount = _minutes(found)
    if amount is None:
        return None
    earlier = _EARLIER.search(text) and not re.search(
        r"\bpush\b.*\bback\b|later",
        text,
        re.IGNORECASE,
    )
    return -amount if earlier else amount


_NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "half an": 0.5, "half a": 0.5,
    "thirty": 30, "fifteen": 15,
    "한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "삼십": 30, "십": 10, "십오": 15, "이십": 20,
}  # fmt: skip
_WHOLE: Final = {"하루": 1440, "이틀": 2880, "사흘": 4320, "일주일": 10080}
_UNIT_MINUTES: Final = (
    ("hour", 60),
    ("min", 1),
    ("day", 1440),
    ("week", 10080),
    ("시간", 60),
    ("분", 1),
    ("일", 1440),
    ("주", 10080),
)


def _minutes(found: "re.Match[str]") -> int | None:
    word = (found["n"] or found["n2"] or found["kn"] or "").lower()
    unit = (found["u"] or found["u2"] or found["ku"] or "").lower()
    if word in _WHOLE:
        return _WHOLE[word]
    number = float(word) if word.isdigit() else _NUMBERS.get(re.sub(r"\s+", " ", word))
    each = next((minutes for name, minutes in _UNIT_MINUTES if unit.startswith(name)), None)
    return None if number is None or each is None else round(number * each)
