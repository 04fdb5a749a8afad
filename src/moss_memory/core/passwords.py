"""Secrets that only their keyword gives away: passwords, PINs, one-time codes.

A password of four digits has no entropy worth measuring, so the keyword decides, English or
Korean, with what joins it to the value: a sign, "is", or a Korean particle. The value decides the
rest (``secret_values``). Here the two stand side by side; ``phrased`` reads sentences that put
words between them. Everything reads folded text and yields the span of the value.
"""

import re
from collections.abc import Iterator
from typing import Final

from moss_memory.core.late import late
from moss_memory.core.secret_values import is_drawn, is_plain, is_said, trimmed
from moss_memory.core.secret_words import CODE, DIGITS, DOOR, JOIN, OPEN, VALUE, WORD
from moss_memory.core.text import TIME_OR_COUNT, Span, placeholder

_JOINED: Final = late(
    rf"(?i){WORD}(?:\s?\([^)]{{1,20}}\)|\s(?:for|of|on|to)\s[^:=\n]{{1,30}}?)?{JOIN}{OPEN}{VALUE}"
)
_BARE: Final = late(rf"(?i){WORD}(?:\s(?:to|as))?\s+{OPEN}{VALUE}")
_BARE_DOOR: Final = late(rf"(?i){DOOR}(?:\s(?:to|as))?\s+{OPEN}(?=\S*\d{{3}}){VALUE}")
_CHANGED: Final = late(rf"(?i){WORD}(?:\s?[가-힣]{{1,6}}){{1,2}}(?:\s*[:=]\s*|\s){OPEN}{VALUE}")
_FAR_PIN: Final = late(
    r"(?:비밀\s?번호|비번|핀\s?번호)[은는이가]?(?:\s[가-힣0-9]{1,6}){1,5}?\s(?<!\d)(\d{4,6})(?![\d가-힣:/.-])"
)
_CLOCK_OR_YEAR: Final = late(r"(?:[01]\d|2[0-4])[0-5]\d|(?:19|20)\d\d")
_DOOR_CODE: Final = late(
    rf"(?i){DOOR}(?:{JOIN}|\s+){OPEN}([\d*#]{{4,12}}|\d\d?-\d\d?-\d\d?)(?!\d)"
    rf"|현관\s?([*#]\d{{3,8}}[*#]?)"
)
_ONE_TIME: Final = late(rf"(?i){CODE}(?:\s?\([^)]{{1,20}}\))?(?:{JOIN}|\s+|\s*){OPEN}{DIGITS}")
_REVERSED: Final = late(
    rf"(?i)(?<![\w:/.-])({DIGITS[1:-1]}|(?=\S*\d)(?=\S*[a-z])[!-~]{{6,64}}?)\s*"
    rf"(?:\bis\s(?:(?:my|your|our|the)\s)?(?:[a-z]+\s){{0,2}}?|[이가은는]\s(?:\w{{1,8}}\s)?)"
    rf"(?:{CODE}|{WORD}|{DOOR})"
)
_LOGIN: Final = late(
    rf"(?i)(?<![A-Za-z])(?:id|user|login|아이디|계정)\s?/\s?(?:pw|pass\w*|비번|비밀번호)"
    rf"{JOIN}?\s*\S+?\s*/\s*{VALUE}"
)
_TRAILING: Final = late(rf"(?i)(?<!\S)((?=\S*\d)[!-~]{{4,64}})\s?\(\s?{WORD}\s?\)")
_PASS: Final = late(  # the short word means a ticket as often: the value has to look drawn
    rf"(?i)(?<![A-Za-z])(?<!boarding\s)(?<!parking\s)(?<!day\s)(?<!bus\s)pass{JOIN}{OPEN}{VALUE}"
)
_APP_PASSWORD: Final = late(r"(?i)app\spassword\W{1,3}((?:[a-z]{4}\s){3}[a-z]{4})(?![a-z])")
_NEAR: Final = late(
    r"(?i)pass|pwd|pw|pin|code|verif|otp|2fa|mfa|tan\b|인증|[비암번패핀드락]|현관|출입"
)
_CODE_LENGTH: Final = range(4, 9)  # digits of a one-time code


def passwords(text: str) -> Iterator[Span]:
    """Yield passwords, PINs and one-time codes named as such in folded ``text``."""
    if not _NEAR.search(text):
        return
    for pattern, fits in _JUDGED:
        for match in pattern.finditer(text):
            if fits(trimmed(match.group(1))):
                yield Span("password_assignment", *match.span(1))
    yield from _fixed_forms(text)
    yield from _one_time_codes(text)


def _fixed_forms(text: str) -> Iterator[Span]:
    for pattern in (_LOGIN, _DOOR_CODE, _FAR_PIN, _APP_PASSWORD):
        for match in pattern.finditer(text):
            group = match.lastindex or 0
            value = match.group(group)
            clock = pattern is _FAR_PIN and _CLOCK_OR_YEAR.fullmatch(value)
            if not clock and not placeholder(value):
                yield Span("password_assignment", *match.span(group))


def _one_time_codes(text: str) -> Iterator[Span]:
    for match in _ONE_TIME.finditer(text):
        if sum(map(str.isdigit, match.group(1))) in _CODE_LENGTH and _is_code(text, match):
            yield Span("otp_code", *match.span(1))
    for match in _REVERSED.finditer(text):
        if not TIME_OR_COUNT.fullmatch(match.group(1)):
            yield Span("otp_code", *match.span(1))


def _is_code(text: str, match: re.Match[str]) -> bool:
    """Tell a code from a date or a count that follows the word: "인증코드 2026년", "code 10:30"."""
    rest = text[match.end(1) :]
    return not re.match(r"[:/]\d|-\d{2}-|\s?(?:자리|년|월|일|시|분|명|건|회|원|am\b|pm\b)", rest)


_JUDGED: Final = (  # what stands between keyword and value, and what the value must then be
    (_JOINED, is_said),
    (_BARE, is_plain),
    (_BARE_DOOR, is_plain),
    (_CHANGED, is_drawn),
    (_PASS, is_drawn),
    (_TRAILING, is_plain),
)
