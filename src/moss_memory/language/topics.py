"""What a question is about: its words without those that only ask, and the kinds it names.

A small lexicon of English and Korean words leads to predicates of the shipped ontology, so that
"휴가" finds a vacation and "where do I live" a home. A predicate that a user added is found by
its own name. No time is read here; that is the resolver's work.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from moss_memory.core.relevance import terms

_EVENTS: Final = ("vacation", "meeting", "note")
_ENGLISH: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (r"vacations?|leave|holidays?|days? off|time off|pto", ("vacation",)),
    (r"meetings?|appointments?|calls?|interviews?|reviews?|syncs?", ("meeting",)),
    (r"notes?|memos?|reminders?|reminded?", ("note",)),
    (r"schedules?d?|calendar|agenda|plans?|planned|free|busy|available", _EVENTS),
    (r"lights?|lamps?", ("light_status",)),
    (r"temperature|thermostat|degrees|warm|cold", ("target_temp",)),
    (r"locks?|locked|unlocked|doors?", ("lock",)),
    (r"heaters?|heating", ("heater",)),
    (r"likes?|love|prefer(?:s|red|ences?)?|favou?rites?|enjoy|hobby|hobbies|taste", ("prefers",)),
    (r"dislikes?|hates?|avoid|allergic|allergy|allergies|cannot stand|can't stand", ("dislikes",)),
    (r"live|home|address|city|reside", ("lives_in",)),
    (r"works?|working|job|employer|company", ("works_at",)),
    (r"names?|called", ("name",)),
    (r"speaks?|languages?", ("speaks",)),
    (r"recommend(?:ed|ations?)?|chose|chosen|choices?|picked|accepted", ("accepted_choice",)),
    (r"tasks?|finished|completed|outcomes?|results?", ("task_summary",)),
    (r"services?|subscriptions?|accounts?", ("service_context",)),
)  # fmt: skip
_KOREAN: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (r"휴가|연차|월차|반차|휴무|쉬는|쉴", ("vacation",)),
    (r"회의|미팅|면담|면접|통화|약속", ("meeting",)),
    (r"메모|노트", ("note",)),
    (r"일정|스케줄|캘린더|달력|예정|바쁜|바빠|한가|비어", _EVENTS),
    (r"조명|전등|불이|불을|불은", ("light_status",)),
    (r"온도|몇 도", ("target_temp",)),
    (r"잠금|잠갔|잠겨|도어락|문이|문을|현관", ("lock",)),
    (r"난방|히터|보일러", ("heater",)),
    (r"좋아하|좋아해|선호|취미|취향", ("prefers",)),
    (r"싫어하|싫어해|싫은|못 먹|알레르기|피하", ("dislikes",)),
    (r"사는 곳|살아|살고|살지|거주|집이|주소", ("lives_in",)),
    (r"직장|회사|다니|다녀|근무|(?<![가-힣])일(?:하|해|한)", ("works_at",)),
    (r"이름|성함", ("name",)),
    (r"언어|말할 수|구사", ("speaks",)),
    (r"추천|골랐|고른|선택", ("accepted_choice",)),
    (r"작업|결과|끝낸|마친|완료", ("task_summary",)),
    (r"서비스|구독|계정", ("service_context",)),
)  # fmt: skip
_KINDS_OF_THING: Final[tuple[tuple[str, str], ...]] = (
    (r"(?i)\b(?:eat(?:ing)?|foods?|dish(?:es)?|cuisine|lunch|dinner)\b|음식|먹|식사|메뉴", "food"),
    (r"(?i)\b(?:drinks?|coffee|tea|beverages?)\b|음료|마시|커피", "drink"),
    (r"(?i)\b(?:music|songs?|listen)\b|음악|노래", "music"),
    (r"(?i)\b(?:hobby|hobbies|pastimes?)\b|취미", "hobby"),
)  # fmt: skip
_ASKING_EN: Final = re.compile(
    r"(?i)\b(?:i'?d like(?: to)?|would like(?: to)?|please|tell|show|list|give|summari[sz]e|"
    r"what'?s?|when|where|which|who|how|why|is|are|am|was|were|do|does|did|has|have|had|can|could|should|"
    r"will|would|i|me|my|mine|you|your|we|our|us|the|a|an|of|on|in|at|to|for|from|by|with|about|and|or|"
    r"any|anything|some|there|that|this|these|it|if|be|been|so|know|remember|again|then|get)\b"
)  # fmt: skip
_ASKING_KO: Final = re.compile(
    r"(?:알려|말해|보여|요약해|정리해)\s?(?:줘|주세요|줄래|봐)?|언제\S*|무엇\S*|뭐\S*|어디\S*|누구\S*|어떤|어떻게|"
    r"있(?:어|나|니|는지|나요|어요|습니까|을까)\S*|인가요?|이야\??|(?<!\S)(?:내가|나는|나의|내|나|제가|제|저는|저|이|그|좀|또)(?!\S)"
)  # fmt: skip
_PARTICLES: Final = re.compile(
    r"(?<=[\uac00-\ud7a3]{2})(?:에서는|에서|에는|으로|이랑|하고|에게|부터|까지|은|는|이|가|을|를|에|의|도|로|와|과|랑|야)(?![\uac00-\ud7a3])"
)

_TIME: Final = re.compile(
    r"(?i)\d+(?:st|nd|rd|th)?|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\b|"
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b|"
    r"\b(?:[ap]\.?m|noon|midnight|today|tonight|tomorrow|yesterday|morning|afternoon|evening|night|"
    r"next|last|week|weekend|month|year|o'clock|half|quarter|past|every|each)\b|"
    r"[월화수목금토일]요일|오늘|내일|모레|글피|어제|이번|다음|지난|주말?|새벽|아침|점심|저녁|밤|정오|자정|매[일주월]|년|월|일|시|분|반"
)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a question shares with the facts that answer it: terms, and predicates it names."""

    words: frozenset[str]
    predicates: frozenset[str]


def topic(text: str, predicates: frozenset[str] = frozenset()) -> Topic:
    """Read off a question what it is about; ``predicates`` are further names of the ontology."""
    bare = _ASKING_KO.sub(" ", _ASKING_EN.sub(" ", text))
    bare = _PARTICLES.sub(" ", bare)
    kinds = [kind for pattern, kind in _KINDS_OF_THING if re.search(pattern, text)]
    return Topic(
        words=frozenset(terms(" ".join([bare, *kinds]))),
        predicates=frozenset(_named(text)) | frozenset(_own(text, predicates)),
    )


def without_times(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Cut the words of times out of ``spans`` of a text, not those that stand between them."""
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {_TIME.sub(' ', text[start:end])} {text[end:]}"
    return text


def _named(text: str) -> set[str]:
    asked = re.sub(r"(?i)i'?d like|would like", " ", text)
    found: set[str] = set()
    for pattern, predicates in _ENGLISH:
        if re.search(rf"(?i)\b(?:{pattern})\b", asked):
            found.update(predicates)
    for pattern, predicates in _KOREAN:
        if re.search(pattern, asked):
            found.update(predicates)
    return found


def _own(text: str, predicates: frozenset[str]) -> set[str]:
    """Find predicates by their own names, underscores read as blanks."""
    said = f" {' '.join(re.findall(r'[a-z0-9]+', text.casefold()))} "
    return {name for name in predicates if f" {name.replace('_', ' ')} " in said}
