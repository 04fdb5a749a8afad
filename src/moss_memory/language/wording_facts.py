"""One line that names a fact: what it is, its value, and its time on the reader's wall clock."""

import re
from datetime import date
from typing import Final

from moss_memory.core.fact import Fact, Memory
from moss_memory.core.interval import Interval
from moss_memory.language.wording_language import Phrase, language, say
from moss_memory.language.wording_time import period, said, span

_TASTES: Final = frozenset({"prefers", "dislikes"})
_EVENTS: Final = frozenset({"vacation", "meeting", "note"})
_NOUNS: Final[dict[str, Phrase]] = {
    "vacation": ("vacation", "휴가"),
    "meeting": ("meeting", "회의"),
    "note": ("note", "메모"),
    "light_status": ("light", "조명"),
    "target_temp": ("target temperature", "설정 온도"),
    "lock": ("lock", "잠금"),
    "heater": ("heater", "난방"),
    "prefers": ("likes", "좋아하는 것"),
    "dislikes": ("dislikes", "싫어하는 것"),
    "lives_in": ("home", "거주지"),
    "works_at": ("employer", "직장"),
    "name": ("name", "이름"),
    "speaks": ("language", "사용 언어"),
    "accepted_choice": ("accepted choice", "선택한 추천"),
    "task_summary": ("task summary", "작업 요약"),
    "service_context": ("service context", "서비스 정보"),
    "item": ("item", "항목"),
}
_FIXED_SUBJECTS: Final = frozenset({"Calendar", "User"})
_LIVE: Final = re.compile(
    r"(?i)(?P<link>://)|(?P<host>\bwww\.)|(?P<mark>\]\()|(?P<tag><(?=[a-z/!?]))"
)
_INERT: Final = {"link": "[:]//", "host": "www[.]", "mark": "] (", "tag": "‹"}


def inert(value: str) -> str:
    """Return a stored value so that no client makes a link, an image or a tag of it.

    Ordinary values come back unchanged. Line breaks cannot be in a stored value.
    """
    return _LIVE.sub(lambda found: _INERT[found.lastgroup or "tag"], value)


def noun(predicate: str, locale: str) -> str:
    """Name a predicate; one that a user added reads as it is spelled."""
    plain = predicate.replace("_", " ")
    return say(_NOUNS.get(predicate, (plain, plain)), locale)


def title(fact: Fact, locale: str) -> str:
    """Name a fact without its time: ``meeting "Design review"``, ``living room light: "off"``."""
    name, value = noun(fact.predicate, locale), inert(fact.object_value)
    if fact.predicate == "vacation":
        return name
    if fact.predicate in _EVENTS:
        return f'{name} "{value}"'
    if fact.predicate in _TASTES:
        kind = "" if fact.subject == "general" else f" ({inert(fact.subject)})"
        return f'{name} "{value}"{kind}'
    about = "" if fact.subject in _FIXED_SUBJECTS else inert(fact.subject) + " "
    return f'{about}{name}: "{value}"'


def summary(
    named: Memory | Fact,
    zone: str,
    locale: str,
    *,
    today: date | None = None,
    window: Interval | None = None,
) -> str:
    """Name a fact on one line, with its local date and time.

    Of a series the occurrence in ``window`` is named where one is given, else the first one.
    ``today`` leaves out its own year. States and preferences read "since" or "from ... to".
    """
    fact = named if isinstance(named, Fact) else named.fact
    text = title(fact, locale)
    time = _time(named, zone, locale, today, window)
    if not time:
        return text
    return f"{text} on {time}" if _takes_on(fact, locale) else f"{text}, {time}"


def _takes_on(fact: Fact, locale: str) -> bool:
    return language(locale) == "en" and fact.predicate in _EVENTS


def _time(
    named: Memory | Fact, zone: str, locale: str, today: date | None, window: Interval | None
) -> str:
    """Word the time of a fact, empty where it is simply from now on."""
    if isinstance(named, Fact):
        return said(named.when, zone, locale, today) if named.when else ""
    if named.fact.predicate not in _EVENTS and not _is_event(named):
        return period(Interval(named.valid_from, named.valid_until), zone, locale, today)
    shown = _shown(named, window)
    text = span(shown, zone, locale, today)
    if window is None and named.fact.when is not None and named.fact.when.series is not None:
        return f"{text} (반복)" if language(locale) == "ko" else f"{text} (repeating)"
    return text


def _is_event(memory: Memory) -> bool:
    """Whether a user's own predicate is placed like an event: it has a stated, bounded time."""
    return memory.fact.when is not None and not memory.open_ended


def _shown(memory: Memory, window: Interval | None) -> Interval:
    for one in memory.windows:
        if window is None or (one.start < window.end and window.start < one.end):
            return one
    return memory.windows[0] if memory.windows else Interval(memory.valid_from, memory.valid_until)
