"""A change to one memory, said as a whole utterance that means this memory and no other."""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from moss_memory.core.fact import Memory
from moss_memory.core.when import Days, WallClock
from moss_memory.language.proposal import Operation, ProposedFact
from moss_memory.language.questions import say_english, say_korean
from moss_memory.language.wording_facts import noun
from moss_memory.language.wording_language import language

_FIRST_HANGUL: Final = 0xAC00
_ENDINGS: Final = 28  # final consonants of a Hangul syllable, none among them
_RIEUL: Final = 8  # the one after which "로" stays
_FORGOTTEN: Final = {
    "prefers": ("Forget that I like {v}", "내가 {v} 좋아한다는 거 잊어줘"),
    "dislikes": ("Forget that I hate {v}", "내가 {v} 싫어한다는 거 잊어줘"),
    "lives_in": ("Forget that I live in {v}", "내가 {v}에 산다는 거 잊어줘"),
    "works_at": ("Forget that I work at {v}", "내가 {v}에서 일한다는 거 잊어줘"),
    "name": ("Forget that my name is {v}", "내 이름이 {v}라는 거 잊어줘"),
    "speaks": ("Forget that I speak {v}", "내가 {v} 할 줄 안다는 거 잊어줘"),
}


def respoken(
    memory: Memory, operation: Operation, proposed: ProposedFact, *, zone: str, locale: str
) -> str | None:
    """Say what ``proposed`` changes as if this memory had been named; None where no words do.

    ``zone`` is the IANA zone in which the times of the utterance will be read.
    """
    korean = language(locale) == "ko"
    if operation == "retire" and memory.fact.predicate in _FORGOTTEN:
        return _FORGOTTEN[memory.fact.predicate][korean].format(v=memory.fact.object_value)
    if memory.fact.domain != "Schedule":
        return None
    named = _korean_event(memory, zone) if korean else _english_event(memory, zone)
    if operation == "retire":
        return f"{named} 취소해줘" if korean else f"Cancel {named}"
    return _moved(named, proposed, korean=korean)


def _moved(named: str, proposed: ProposedFact, *, korean: bool) -> str | None:
    by = proposed.shift_minutes
    if by is not None and korean:
        return f"{named} {abs(by)}분 {'뒤로 미뤄줘' if by > 0 else '앞당겨줘'}"
    if by is not None:
        return f"Move {named} {'back' if by > 0 else 'forward'} by {abs(by)} minutes"
    if proposed.time_text is None:
        return None
    to = proposed.time_text
    return f"{named} {to}{_towards(to)} 옮겨줘" if korean else f"Move {named} to {to}"


def _english_event(memory: Memory, zone: str) -> str:
    kind, value = noun(memory.fact.predicate, "en"), memory.fact.object_value
    said = say_english(_begins(memory, zone))
    if memory.fact.predicate == "vacation":
        return f"my vacation on {said}"
    if memory.fact.predicate == "meeting":
        return f"the {value if kind in value.lower() else f'{value} {kind}'} on {said}"
    return f"the {kind} {value} on {said}"


def _korean_event(memory: Memory, zone: str) -> str:
    kind, value = noun(memory.fact.predicate, "ko"), memory.fact.object_value
    said = say_korean(_begins(memory, zone))
    if memory.fact.predicate == "vacation":
        return f"{said} {kind}"
    return f"{said} {value}" if kind in value else f"{said} {value} {kind}"


def _begins(memory: Memory, zone: str) -> Days | WallClock:
    """Return where a memory begins, as a day or to the minute: enough to name it by."""
    first = memory.windows[0].start if memory.windows else memory.valid_from
    local: datetime = first.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    return Days(local.date()) if isinstance(memory.fact.when, Days) else WallClock(local)


def _towards(words: str) -> str:
    """Return the particle of direction that words of Hangul take: "시로", "분으로"."""
    end = (ord(words[-1]) - _FIRST_HANGUL) % _ENDINGS if "가" <= words[-1] <= "힣" else 0
    return "로" if end in (0, _RIEUL) else "으로"
