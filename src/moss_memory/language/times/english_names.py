"""The English names of months and weekdays, and the words that point to one of them."""

# ruff: noqa: PLR2004 - two-digit years, as POSIX reads them

import re
from typing import Final

from moss_memory.language.times.clue import Mod

_MONTH_NAMES: Final = (
    "jan(?:uary)?", "feb(?:ruary)?", "mar(?:ch)?", "apr(?:il)?", "may", "june?", "july?",
    "aug(?:ust)?", "sept?(?:ember)?", "oct(?:ober)?", "nov(?:ember)?", "dec(?:ember)?",
)  # fmt: skip
MONTH: Final = "(?:" + "|".join(_MONTH_NAMES) + r")\b\.?"
_WEEKDAY_NAMES: Final = (
    "mon(?:days?)?", "tues?(?:days?)?", "wed(?:nesdays?)?|weds", "thu(?:rsdays?)?|thurs?",
    "fri(?:days?)?", "sat(?:urdays?)?", "sun(?:days?)?",
)  # fmt: skip
WEEKDAY: Final = "(?:" + "|".join(_WEEKDAY_NAMES) + r")\b\.?"
MODS: Final[dict[str, Mod]] = {
    "this": "this", "next": "next", "last": "last", "past": "last", "previous": "last",
    "coming": "coming", "upcoming": "coming", "this coming": "coming", "following": "next",
    "this past": "last", "current": "this",
}  # fmt: skip
MOD: Final = (
    r"(?:this\s+coming|this\s+past|this|next|last|past|previous|coming|upcoming|following|current)"
)
OFFSET: Final = {"this": 0, "next": 1, "last": -1, "coming": 1}


def month_number(word: str) -> int | None:
    """Name the month 1..12 of an English month name or its abbreviation."""
    plain = word.lower().rstrip(". ")
    for number, pattern in enumerate(_MONTH_NAMES, 1):
        if re.fullmatch(pattern, plain):
            return number
    return None


def weekday_number(word: str) -> int | None:
    """Name the weekday (Monday 0) of an English name, its abbreviation or its plural."""
    plain = word.lower().rstrip(". ")
    for number, pattern in enumerate(_WEEKDAY_NAMES):
        if re.fullmatch(pattern, plain):
            return number
    return None


def year_of(word: str | None) -> int | None:
    """Read a year of four digits or two; None where there is none."""
    if not word:
        return None
    plain = word.strip(" ,'")
    if len(plain) == 2:  # POSIX: 69-99 are of the last century
        return int(plain) + (1900 if int(plain) >= 69 else 2000)
    return int(plain)


def mod_of(word: str | None) -> Mod | None:
    """Read "next", "this coming"; None where there is none."""
    return MODS.get(re.sub(r"\s+", " ", word.lower())) if word else None
