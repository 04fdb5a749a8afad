"""The English grammar of times: all rules in order, and the words between them."""

import re
from typing import Final

from moss_memory.language.times.clue import Mark
from moss_memory.language.times.draft import Grammar
from moss_memory.language.times.english_clock import CLOCK_RULES, mark_of
from moss_memory.language.times.english_dates import DATE_RULES
from moss_memory.language.times.english_lengths import LENGTH_RULES
from moss_memory.language.times.english_zones import NAMED_ZONE_RULES, SHORT_ZONE_RULES

_JOIN: Final = re.compile(
    r"up to|no later than|later than|earlier than|prior to|[a-z]+|[-–—~&@]",
    re.IGNORECASE,
)
_GLUE: Final = frozenset(
    """
    at on in the of for around about approximately by is it this a which time date day preferably
    say starting beginning both either or just exactly sharp ok please i its it's s every and
    """.split(),  # noqa: SIM905 - words read best as words
) | {"@"}
_MARKS_BEFORE: Final = re.compile(
    r"\b(?P<mark>until|till|up to|through|from|starting(?: on| from| at)?|since|"
    r"between|after|before|by|"
    r"no later than|prior to|later than|past)(?:\s+(?:the|about|around|on|at))*\s*['\"(]*\Z",
    re.IGNORECASE,
)
_CORRECTION: Final = re.compile(
    r"\b(?:(?:i'?m\s+)?sorry|i\s+mean|i\s+meant|scratch\s+that|correction|no,?\s+wait|"
    r"wait,?\s+no|rather|make\s+(?:it|that)|"
    r"or\s+rather|oops|my\s+bad|actually(?:,?\s+no)?|no,?\s+actually|"
    r"no)[\s,.:!-]*(?:(?:i\s+mean|i\s+meant|make\s+(?:it|that)|let's\s+say|"
    r"on|at|the|for|it's|by)\s*,?\s*)*\Z",
    re.IGNORECASE,
)


def _gap(words: str) -> list[Mark] | None:
    if re.search(r"[.;:!?]\s|\n", words) and words.strip():
        return None
    marks: list[Mark] = []
    for found in _JOIN.findall(words):
        mark = mark_of(found)
        if mark is not None:
            marks.append(mark)
        elif found.lower() not in _GLUE:
            return None
    if "," in words and not marks:
        marks.append(Mark("and"))
    return marks


def _head(words: str) -> list[Mark]:
    found = _MARKS_BEFORE.search(words[-40:])
    if not found:
        return []
    mark = mark_of(found["mark"])
    return [] if mark is None else [mark]


def _tail(words: str) -> list[Mark]:
    if re.match(r"\s*(?:or|and)\s+(?:later|after|onwards?)\b|\s+onwards?\b", words, re.IGNORECASE):
        return [Mark("since")]
    return []


ENGLISH: Final = Grammar(
    rules=(
        *LENGTH_RULES,
        *NAMED_ZONE_RULES,
        *DATE_RULES,
        *CLOCK_RULES,
        *SHORT_ZONE_RULES,
    ),
    gap=_gap,
    head=_head,
    tail=_tail,
    correction=_CORRECTION,
)
