"""Korean words for repetitions."""

# Every reader takes what the lexer hands it; 12, 24, 31 and 59 are the calendar's own numbers.
# ruff: noqa: ARG001

import re
from collections.abc import Sequence
from typing import Final

from moss_memory.language.times.clue import Every, Value
from moss_memory.language.times.korean_dates import WEEKDAY, WEEKDAYS
from moss_memory.language.times.lexer import Rule, Scene, rule
from moss_memory.language.times.numerals import korean

_LIST: Final = rf"(?:{WEEKDAY}(?:(?:\s*(?:,|·|/|과|와|하고|이랑|랑|및))?\s*{WEEKDAY}){{0,6}})"


def _every(match: "re.Match[str]", scene: Scene) -> Value | Sequence[Value]:
    word = re.sub(r"\s", "", match["w"])
    named = re.sub("요일|욜", " ", match["d"] or "")
    days = tuple(WEEKDAYS.index(sign) for sign in re.findall(f"[{WEEKDAYS}]", named))
    interval = 2 if word.startswith("격") else 1
    if word.endswith("주"):
        return Every(freq="WEEKLY", interval=interval, byday=tuple(dict.fromkeys(days)))
    if word.endswith(("달", "월")):
        return Every(freq="MONTHLY", interval=interval)
    if word.endswith(("년", "해")):
        return Every(freq="YEARLY", interval=interval)
    return Every(freq="DAILY", interval=interval)


def _each(match: "re.Match[str]", scene: Scene) -> Value | None:
    """Read "월요일마다", "2주마다", "평일마다"."""
    words = match.group()
    days = tuple(dict.fromkeys(WEEKDAYS.index(name[0]) for name in re.findall(WEEKDAY, words)))
    if days:
        return Every(freq="WEEKLY", byday=days)
    if words.startswith(("평일", "주중")):
        return Every(freq="WEEKLY", byday=(0, 1, 2, 3, 4))
    if words.startswith("주말"):
        return Every(freq="WEEKLY", byday=(5, 6))
    number = re.match(r"(\d+|[일이삼사오육]|두|한|세|네)\s*(주|일|달|개월|년)", words)
    if not number:
        return None
    freq = {"주": "WEEKLY", "일": "DAILY", "달": "MONTHLY", "개월": "MONTHLY", "년": "YEARLY"}[
        number[2]
    ]
    return Every(freq=freq, interval=korean(number[1]) or 1)  # type: ignore[arg-type]


REPEAT_RULES: Final[tuple[Rule, ...]] = (
    rule(
        rf"{_LIST}(?:에)?\s*마다|(?<!\d)(?:\d{{1,3}}|[일이삼사오육]|"
        r"두|한|세|네)\s*(?:주|일|달|개월|년)"
        r"(?:일)?\s*(?:마다|"
        r"에\s*한\s*번)|(?:평일|주말|주중)\s*마다",
        _each,
    ),
    rule(
        rf"(?P<w>매주|격주|격일|매일|날마다|매월|매달|매년|매해)(?:로|에)?\s*(?P<d>{_LIST}|"
        rf"[월화수목금토일](?:[\s,·/]*[월화수목금토일]){{1,6}}(?=\s|마다|"
        r"에))?(?:에|마다)?(?=\D|$)",
        _every,
    ),
)
