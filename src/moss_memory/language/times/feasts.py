"""Days with a name: feasts of a fixed date, of an nth weekday, and the Korean lunar ones."""

import re
from datetime import date, timedelta
from typing import Final

from moss_memory.language.times.clue import DateClue

_FIXED: Final[tuple[tuple[str, int, int], ...]] = (
    (r"(?:christmas|xmas)\s+eve|크리스마스\s?이브|성탄\s?전야", 12, 24),
    (r"christmas(?:\s+day)?|x-?mas(?:\s+day)?|크리스마스|성탄절", 12, 25),
    (r"new\s+year'?s?\s+eve", 12, 31),
    (r"new\s+year'?s?(?:\s+day)|신정|새해\s?첫날", 1, 1),
    (r"halloween|할로윈|핼러윈", 10, 31),
    (r"valentine'?s?(?:\s+day)?|밸런타인\s?데이|발렌타인\s?데이", 2, 14),
    (r"(?:us\s+)?independence\s+day|(?:the\s+)?fourth\s+of\s+july", 7, 4),
    (r"st\.?\s+patrick'?s?(?:\s+day)?|saint\s+patrick'?s?(?:\s+day)?", 3, 17),
    (r"삼일절|3\.1절", 3, 1),
    (r"어린이날", 5, 5),
    (r"어버이날", 5, 8),
    (r"스승의\s?날", 5, 15),
    (r"현충일", 6, 6),
    (r"제헌절", 7, 17),
    (r"광복절", 8, 15),
    (r"개천절", 10, 3),
    (r"한글날", 10, 9),
)
_FLOATING: Final[tuple[tuple[str, int, int, int, int], ...]] = (  # month, nth, weekday, days after
    (r"thanksgiving(?:\s+day)?|추수감사절", 11, 4, 3, 0),
    (r"black\s+friday|블랙\s?프라이데이", 11, 4, 3, 1),
    (r"labor\s+day", 9, 1, 0, 0),
    (r"memorial\s+day", 5, -1, 0, 0),
    (r"martin\s+luther\s+king(?:,?\s+jr\.?)?(?:'?s)?\s+day|mlk(?:\s+jr\.?)?\s+day", 1, 3, 0, 0),
    (r"presidents'?\s+day", 2, 3, 0, 0),
    (r"mother'?s\s+day", 5, 2, 6, 0),
    (r"father'?s\s+day", 6, 3, 6, 0),
)
# Korean Astronomy and Space Science Institute's almanac, the day itself
_LUNAR: Final[dict[str, tuple[date, ...]]] = {
    r"설날|구정": (
        date(2024, 2, 10), date(2025, 1, 29), date(2026, 2, 17), date(2027, 2, 7),
        date(2028, 1, 27),
        date(2029, 2, 13), date(2030, 2, 3),
    ),
    r"추석|한가위": (
        date(2024, 9, 17), date(2025, 10, 6), date(2026, 9, 25), date(2027, 9, 15),
        date(2028, 10, 3),
        date(2029, 9, 22), date(2030, 9, 12),
    ),
}  # fmt: skip
NAMES: Final = (
    "(?:"
    + "|".join(
        [one[0] for one in _FIXED]
        + [one[0] for one in _FLOATING]
        + list(_LUNAR)
        + [r"easter(?:\s+(?:sunday|monday))?"],
    )
    + ")"
)


def feast(name: str, today: date, year: int | None, *, last: bool) -> DateClue | None:
    """Name a feast's day: in ``year``, else the coming one, or with ``last`` the one before."""
    plain = re.sub(r"\s+", " ", name.lower()).strip()
    years = [year] if year is not None else range(today.year - 1, today.year + 2)
    days = [day for one in years if (day := _in_year(plain, one)) is not None]
    if year is None:
        days = [day for day in days if (day < today if last else day >= today)]
    if not days:
        return None
    found = days[-1] if last else days[0]
    return DateClue(span=(found, found + timedelta(days=1)))


def _in_year(name: str, year: int) -> date | None:
    for pattern, month, day in _FIXED:
        if re.fullmatch(pattern, name):
            return date(year, month, day)
    for pattern, month, nth, weekday, after in _FLOATING:
        if re.fullmatch(pattern, name):
            return _nth(year, month, nth, weekday) + timedelta(days=after)
    for pattern, days in _LUNAR.items():
        if re.fullmatch(pattern, name):
            return next((day for day in days if day.year == year), None)
    if name.startswith("easter"):
        return _easter(year) + timedelta(days=1 if name.endswith("monday") else 0)
    return None


def _nth(year: int, month: int, nth: int, weekday: int) -> date:
    if nth > 0:
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))
    last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
    return last - timedelta(days=(last.weekday() - weekday) % 7)


def _easter(year: int) -> date:
    """Western Easter (the anonymous Gregorian algorithm; Meeus, Astronomical Algorithms)."""
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    m = (32 + 2 * e + 2 * i - h - k) % 7
    n = (a + 11 * h + 22 * m) // 451
    month, day = divmod(h + m - 7 * n + 114, 31)
    return date(year, month, day + 1)
