"""Numbers in words, English and Korean (Sino-Korean and native)."""

# ruff: noqa: SIM905 - words read best as words

import re
from typing import Final

_ONES: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS: Final = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
_ORDINALS: Final = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
).split()
_TENTHS: Final = {"twentieth": 20, "thirtieth": 30}

ENGLISH_CARDINAL: Final = (
    r"(?:(?:twenty|thirty|forty|fifty)[ -](?:one|two|three|four|five|six|seven|eight|nine)|"
    + "|".join(sorted([*_ONES[1:], *_TENS], key=len, reverse=True))
    + r")"
)
ENGLISH_ORDINAL: Final = (
    r"(?:(?:twenty|thirty)[ -](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|"
    + "|".join(sorted([*_ORDINALS[1:], *_TENTHS], key=len, reverse=True))
    + r")"
)

_SINO: Final = {"일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "칠": 7, "팔": 8, "구": 9}
_SINO_UNITS: Final = {"십": 10, "백": 100, "천": 1000}
_SINO_ZERO: Final = {"영": 0, "공": 0}
_NATIVE: Final = {
    "하나": 1, "한": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "석": 3, "넷": 4, "네": 4, "넉": 4,
    "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9, "열": 10, "열하나": 11, "열한": 11,
    "열둘": 12, "열두": 12, "열세": 13, "열네": 14, "열다섯": 15, "스무": 20, "스물": 20,
    "스물네": 24, "첫": 1,
}  # fmt: skip
KOREAN_NATIVE: Final = "(?:" + "|".join(sorted(_NATIVE, key=len, reverse=True)) + ")"
KOREAN_SINO: Final = r"(?:[일이삼사오육칠팔구십백천영공]+)"


def english(word: str) -> int | None:
    """Read "22", "22nd", "twenty-two" or "twenty second"; None where it is no number."""
    plain = word.strip().lower().replace("-", " ")
    digits = re.match(r"\d+", plain)
    if digits:
        return int(digits.group())
    total = 0
    for piece in plain.split():
        value = _english_piece(piece)
        if value is None:
            return None
        total += value
    return total


def _english_piece(piece: str) -> int | None:
    for table in (_ONES, _ORDINALS):
        if piece in table:
            return table.index(piece)
    return _TENS.get(piece, _TENTHS.get(piece))


def korean(word: str) -> int | None:
    """Read "22", "이십이" or "열두"; None where it is no number."""
    plain = word.replace(" ", "")
    if plain.isascii() and plain.isdigit():
        return int(plain)
    if plain in _NATIVE:
        return _NATIVE[plain]
    if plain in ("유월", "시월"):
        return None
    return _sino(plain)


def _sino(plain: str) -> int | None:
    total, digit = 0, None
    for sign in plain:
        if sign in _SINO_UNITS:
            total += (1 if digit is None else digit) * _SINO_UNITS[sign]
            digit = None
        elif sign in _SINO or sign in _SINO_ZERO:
            value = _SINO.get(sign, 0)
            digit = value if digit is None else digit * 10 + value
        else:
            return None
    if digit is None:
        return total or None
    return total + digit
