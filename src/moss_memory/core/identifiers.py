r"""Numbers that identify a person or open an account: refused, with the checks their issuers use.

Korean resident and foreigner numbers drop their check digit from October 2020 on, so a checksum
may confirm a number and never clears it. Digits are bounded by digits, not by ``\b``, which does
not see the border between a digit and a Korean particle. Everything reads folded text.
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from moss_memory.core.late import late
from moss_memory.core.text import Span

_RRN: Final = late(r"(?<!\d)(?<!\d[-.])(\d{6})(?:[\s\-–—.]{0,3}|\s?뒷?자?리?\s)([1-8]\d{6})(?!\d)")
_RRN_WORDS: Final = late(
    r"(?i)주민|민증|등록\s?번호|외국인|(?<![a-z])(?:rrn|arc)(?![a-z])|resident"
)
_RRN_CHECKLESS: Final = date(2020, 10, 5)
_RRN_LAST_YEAR: Final = 2049  # a birth later than this is a number of something else
_RRN_WEIGHTS: Final = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)

_PASSPORT_WORD: Final = late(r"(?i)여권|passport")
_PASSPORT: Final = late(
    r"(?<![A-Za-z0-9])(?:[A-Za-z]{1,2}\d{7,8}|[A-Za-z]\d{3}[A-Za-z]\d{4}|\d{9})(?![A-Za-z0-9])"
)
_LICENSE_WORD: Final = late(
    r"(?i)면허|(?<![a-z])driv(?:er'?s?|ing)[\s-]licen[cs]e|(?<![a-z])dl\s?(?:no|number|#)"
)
_LICENSE: Final = late(
    r"(?<!\d)(?<!\d-)(?:1[1-9]|2[0-8]|[가-힣]{2})[\s-]?\d{2}[\s-]?\d{6}[\s-]?\d{2}(?![\d-])"
)
_LICENSE_HYPHENED: Final = late(r"(?<!\d)(?<!\d-)(?:1[1-9]|2[0-8])-\d{2}-\d{6}-\d{2}(?![\d-])")
_LICENSE_US: Final = late(r"(?<![A-Za-z0-9])[A-Za-z]\d{6,14}(?![A-Za-z0-9])")

_CARD_RUN: Final = late(r"(?<![\d+])\d(?:[\s\-.·]{0,2}\d){12,40}(?!\d)")
_CARD_GROUPS: Final = late(  # with signs that a date has as well: only as four fours
    r"(?<![\d+/])\d{4}(\s?[/_,|–—]\s?|\s-\s)\d{4}\1\d{4}\1\d{4}(?![\d/])"
)
_CARD_NETWORKS: Final = (
    (late(r"4"), {13, 16, 19}),
    (late(r"5[0-9]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)"), {16}),
    (late(r"3[47]"), {15}),
    (late(r"3(?:0[0-5]|09|[689])"), {14}),
    (late(r"35"), {16}),
    (late(r"6"), {16, 17, 18, 19}),
    (late(r"9"), {16}),  # Korean domestic cards
)
_CARD_DIGITS: Final = range(13, 20)
_SSN: Final = late(r"(?<![\d-])(?!000|666|9)\d{3}([-–])(?!00)\d{2}\1(?!0000)\d{4}(?![\d-])")
_SSN_WORD: Final = late(r"(?i)(?<![a-z])ssn(?![a-z])|social\ssecurity|사회\s?보장")
_SSN_LOOSE: Final = late(
    r"(?<![\d-])(?!000|666|9)\d{3}[\s.]?(?!00)\d{2}[\s.]?(?!0000)\d{4}(?![\d-])"
)
_ALONE: Final = ((_SSN, "us_ssn"), (_LICENSE_HYPHENED, "kr_driver_license"))
_BESIDE: Final = (  # a form that counts only near a word
    (_SSN_WORD, _SSN_LOOSE, "us_ssn"),
    (_PASSPORT_WORD, _PASSPORT, "kr_passport"),
    (_LICENSE_WORD, _LICENSE, "kr_driver_license"),
    (_LICENSE_WORD, _LICENSE_US, "driver_license"),
)
_SIX_DIGITS: Final = late(r"\d(?:\D{0,5}\d){5}")
_NEAR: Final = 40  # characters between a context word and its number


def identifiers(text: str) -> Iterator[Span]:
    """Yield numbers that must not be kept: cards, SSN, RRN, passport, driver's licence."""
    if not _SIX_DIGITS.search(text):
        return
    yield from _cards(text)
    for match in _RRN.finditer(text):
        if _judge_rrn(match, text) == "kr_rrn":
            yield Span("kr_rrn", *match.span())
    for form, kind in _ALONE:
        yield from (Span(kind, *match.span()) for match in form.finditer(text))
    for word, form, kind in _BESIDE:
        for found in word.finditer(text):
            yield from _near(text, found, form, kind)


def identifier_likes(text: str) -> Iterator[Span]:
    """Yield numbers with the form and a possible date of an RRN that nothing else confirms."""
    if not _SIX_DIGITS.search(text):
        return
    for match in _RRN.finditer(text):
        if _judge_rrn(match, text) == "kr_rrn_like":
            yield Span("kr_rrn_like", *match.span())


def luhn(digits: str) -> bool:
    """Tell whether the last of ``digits`` is the Luhn check digit of the others (ISO 7812-1)."""
    doubled = (int(d) * (2 if i % 2 else 1) for i, d in enumerate(reversed(digits)))
    return sum(sum(divmod(d, 10)) for d in doubled) % 10 == 0


def _cards(text: str) -> Iterator[Span]:
    for match in _CARD_GROUPS.finditer(text):
        if _is_card(re.sub(r"\D", "", match.group())):
            yield Span("credit_card", *match.span())
    for run in _CARD_RUN.finditer(text):
        groups = [(m.start() + run.start(), m.group()) for m in re.finditer(r"\d+", run.group())]
        for first in range(len(groups)):
            span = _card_from(groups[first:])
            if span:
                yield span
                break


def _card_from(groups: list[tuple[int, str]]) -> Span | None:
    digits = ""
    for start, group in groups:
        digits += group
        if len(digits) in _CARD_DIGITS and _is_card(digits):
            return Span("credit_card", groups[0][0], start + len(group))
        if len(digits) >= _CARD_DIGITS.stop:
            break
    return None


def _is_card(digits: str) -> bool:
    fits = any(net.match(digits) and len(digits) in lengths for net, lengths in _CARD_NETWORKS)
    return fits and len(set(digits)) > 1 and luhn(digits)


def _judge_rrn(match: re.Match[str], text: str) -> str | None:
    digits = match.group(1) + match.group(2)
    born = _birth(digits)
    if born is None:
        return None
    total = sum(int(d) * w for d, w in zip(digits, _RRN_WEIGHTS, strict=False))
    checks = {(11 - total % 11) % 10, (13 - total % 11) % 10}
    if int(digits[12]) in checks or born >= _RRN_CHECKLESS or _RRN_WORDS.search(text):
        return "kr_rrn"
    return "kr_rrn_like"


def _birth(digits: str) -> date | None:
    """Return the date of birth that the first seven digits state, None where there is none."""
    year = (1900 if digits[6] in "1256" else 2000) + int(digits[:2])
    try:
        born = date(year, int(digits[2:4]), int(digits[4:6]))
    except ValueError:
        return None
    return born if year <= _RRN_LAST_YEAR else None


def _near(text: str, word: re.Match[str], form: re.Pattern[str], kind: str) -> Iterator[Span]:
    low, high = max(0, word.start() - _NEAR), word.end() + _NEAR
    for match in form.finditer(text, low, high + _NEAR):
        yield Span(kind, *match.span())
