"""The Korean grammar of times: all rules in order, particles, and the words between times."""

import re
from typing import Final

from moss_memory.language.times.clue import Mark
from moss_memory.language.times.draft import Grammar
from moss_memory.language.times.korean_clock import CLOCK_RULES, EARLY_RULES
from moss_memory.language.times.korean_dates import DATE_RULES
from moss_memory.language.times.korean_repeats import REPEAT_RULES

_PARTICLES: Final = re.compile(
    r"\s*(?:(?:에는|에도|에다가?|에|의|은|는|이|가|을|를|로|으로|엔|날|쯤(?:에)?|경|"
    r"정각|께|정도|때|자|달|하루|시간|이고|이라|"
    r"그\s?다음|기준|사이(?:에|로)?|딱|약|한|오직|까지는|부터는|무렵|안|중|당일|동안)"
    r"(?=\s|$|[,(])\s*|[\s,()\[\]'\"·:]+)+\Z",
)
_MARKS: Final = (
    (re.compile(r"부터|에서(?!는)|~|∼|–|—|-|로부터"), Mark("to")),
    (re.compile(r"까지"), Mark("by")),
    (re.compile(r"이후|이후에|후에|지나서|넘어서"), Mark("after")),
    (re.compile(r"이전|전까지|전에"), Mark("before")),
    (re.compile(r"과|와|하고|이랑|랑|및|그리고|이나|나|,"), Mark("and")),
)
_TOKEN: Final = re.compile(
    r"로부터|부터|에서|까지|이후에?|이전에?|전까지|전에|후에|지나서|[~∼–—-]|그리고|"
    r"하고|이랑|이나|및|과(?=\s)|와(?=\s)|랑(?=\s)|나(?=\s)|,",
)
_CORRECTION: Final = re.compile(
    r"(?:아니(?:다|야|라|지|요|에요)?|아냐|아뇨|아\s?참|정정(?:할게|합니다)?|말고|"
    r"미안|앗|참|아니고|"
    r"다시)[\s,.!…~]*(?:아니|그게\s*아니라|정정)?[\s,.!]*\Z",
)
_TAIL: Final = (
    (re.compile(r"\s*까지"), Mark("by")),
    (re.compile(r"\s*부터"), Mark("since")),
    (re.compile(r"\s*(?:또는|혹은|그리고)\s*그\s*이후"), Mark("since")),
    (re.compile(r"\s*(?:이후|지나서)"), Mark("after")),
    (re.compile(r"\s*(?:이전|전(?:까지|에))"), Mark("before")),
)


def _gap(words: str) -> list[Mark] | None:
    if re.search(r"[.!?;]\s|\n", words):
        return None
    marks: list[Mark] = []
    rest = words
    for found in _TOKEN.findall(words):
        mark = next((mark for pattern, mark in _MARKS if pattern.fullmatch(found)), None)
        if mark is not None:
            marks.append(mark)
    rest = _TOKEN.sub(" ", words)
    if rest.strip() and not _PARTICLES.fullmatch(rest):
        return None
    return marks


def _head(_: str) -> list[Mark]:
    return []  # Korean marks a time behind it


def _tail(words: str) -> list[Mark]:
    rest = re.sub(r"\A(?:에|\))+", "", words)
    return [mark for pattern, mark in _TAIL if pattern.match(rest)]


KOREAN: Final = Grammar(
    rules=(*EARLY_RULES, *REPEAT_RULES, *DATE_RULES, *CLOCK_RULES),
    gap=_gap,
    head=_head,
    tail=_tail,
    correction=_CORRECTION,
)
