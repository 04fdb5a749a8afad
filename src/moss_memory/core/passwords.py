"""Secrets that only their keyword gives away: passwords, PINs, one-time codes.

A password of four digits has no entropy worth measuring, so the keyword decides, English or
Korean, with what joins it to the value: a sign, "is", or a Korean particle. The value decides the
rest: not a placeholder, not a time or a count, not all Hangul, not one of the words that follow
"password" in a calendar. Everything reads folded text and yields the span of the value.
"""

import re
from collections.abc import Iterator
from typing import Final

from moss_memory.core.text import TIME_OR_COUNT, Span, placeholder

_WORD: Final = (
    r"(?:(?<![A-Za-z])(?:[A-Za-z0-9_]*_)?(?:passw(?:or)?ds?|passphrase|passcode|pass\s?code|pwd|pw)"
    r"(?![A-Za-z])|비밀\s?번호|비번|패스워드|패스코드|암호(?!화|학)|핀\s?번호|잠금\s?번호)"
)
_DOOR: Final = (
    r"(?:(?<![A-Za-z])(?:door|gate|entry|entrance|alarm|safe|locker|lock|garage|lobby|access"
    r"|unlock|building)\s(?:code|pin)(?![A-Za-z])|(?<![A-Za-z])pin\s?(?:code|number|no\.?)"
    r"|(?<![A-Za-z])(?-i:PIN)(?![A-Za-z])|도어락(?:\s?번호)?|현관\s?(?:번호|코드)|출입\s?코드)"
)
_CODE: Final = (
    r"(?:(?<![A-Za-z])(?:(?:otp|2fa|mfa|totp|tan)(?:\scode)?|one[\s-]?time\s(?:pass)?(?:word|code)"
    r"|(?:verification|security|auth(?:entication|orization)?|confirmation|login|log-in|sign-in"
    r"|sms|two-factor|backup|recovery|access|your)\scode|verification(?=\s?[:=]))(?![A-Za-z])"
    r"|인증\s?(?:번호|코드)|보안\s?(?:번호|코드)|일회용\s?(?:비밀번호|번호|코드)|확인\s?코드|로그인\s?코드)"
)
_JOIN: Final = (
    r"[\"']?\s*(?:[:=]+>?|[-=]>|→|은|는|이|가|을|를|\bis\b|\bwas\b|\bare\b)\s*(?:now\s|지금\s)?"
)
_OPEN: Final = r"(?!\[[a-z_ ]+(?:#\d+)?\])[\"'`“‘「\[(]?"  # a label of a mask is no value
_VALUE: Final = r"([^\s\"'`”’」]{3,128})"
_DIGITS: Final = r"((?<!\d)(?:[A-Z]-)?\d{3,4}[\s-]?\d{1,4}(?!\d)[*#]?)"

_JOINED: Final = re.compile(
    rf"(?i){_WORD}(?:\s?\([^)]{{1,20}}\)|\s(?:for|of|on|to)\s[^:=\n]{{1,30}}?)?{_JOIN}{_OPEN}{_VALUE}"
)
_BARE: Final = re.compile(rf"(?i)(?:{_WORD}|{_DOOR})(?:\s(?:to|as))?\s+{_OPEN}{_VALUE}")
_CHANGED: Final = re.compile(
    rf"(?i){_WORD}(?:\s?[가-힣]{{1,6}}){{1,2}}(?:\s*[:=]\s*|\s){_OPEN}{_VALUE}"
)
_FAR_PIN: Final = re.compile(
    r"(?:비밀\s?번호|비번|핀\s?번호)(?:\s[가-힣0-9]{1,6}){1,5}?\s(?<!\d)(\d{4,6})(?![\d가-힣:/.-])"
)
_DRAWN: Final = re.compile(r"(?=.*[a-z])(?=.*\d)[!-~]{6,}")
_CLOCK_OR_YEAR: Final = re.compile(r"(?:[01]\d|2[0-4])[0-5]\d|(?:19|20)\d\d")
_DOOR_CODE: Final = re.compile(
    rf"(?i){_DOOR}(?:{_JOIN}|\s+){_OPEN}([\d*#]{{4,12}}|\d\d?-\d\d?-\d\d?)(?!\d)"
    rf"|현관\s?([*#]\d{{3,8}}[*#]?)"
)
_ONE_TIME: Final = re.compile(
    rf"(?i){_CODE}(?:\s?\([^)]{{1,20}}\))?(?:{_JOIN}|\s+|\s*){_OPEN}{_DIGITS}"
)
_REVERSED: Final = re.compile(
    rf"(?i)(?<![\w:/.-])({_DIGITS[1:-1]}|(?=\S*\d)(?=\S*[a-z])[!-~]{{6,64}}?)\s*"
    rf"(?:\bis\s(?:(?:my|your|our|the)\s)?(?:[a-z]+\s){{0,2}}?|[이가은는]\s(?:\w{{1,8}}\s)?)"
    rf"(?:{_CODE}|{_WORD}|{_DOOR})"
)
_LOGIN: Final = re.compile(
    rf"(?i)(?<![A-Za-z])(?:id|user|login|아이디|계정)\s?/\s?(?:pw|pass\w*|비번|비밀번호)"
    rf"{_JOIN}?\s*\S+?\s*/\s*{_VALUE}"
)
_TRAILING: Final = re.compile(rf"(?i)(?<!\S)((?=\S*\d)[!-~]{{4,64}})\s?\(\s?{_WORD}\s?\)")
_PASS: Final = re.compile(  # the short word means a ticket as often: the value has to look drawn
    rf"(?i)(?<![A-Za-z])(?<!boarding\s)(?<!parking\s)(?<!day\s)(?<!bus\s)pass{_JOIN}{_OPEN}{_VALUE}"
)
_APP_PASSWORD: Final = re.compile(r"(?i)app\spassword\W{1,3}((?:[a-z]{4}\s){3}[a-z]{4})(?![a-z])")
_NEAR: Final = re.compile(
    r"(?i)pass|pwd|pw|pin|code|verif|otp|2fa|mfa|tan\b|[비암번패핀드락]|현관|출입"
)

_ASCII_WORD: Final = re.compile(r"[A-Za-z0-9]")
_SHORT: Final = re.compile(r".{0,2}|\d{1,3}")
_ACRONYM: Final = re.compile(r"[A-Z]{1,5}")  # a subject: "password is SSO"
_DIGITS_ONLY: Final = re.compile(r"\d{4,16}")
_MIXED: Final = re.compile(r"(?=.*\d)(?=.*\D)(?:[!-~]{4,}|[가-힣]{1,8}\d{3,}[!-~]*)")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_ROOM_OR_TICKET: Final = re.compile(r"[A-Z]{2,10}-\d+|[A-Z]?\d{1,3}[A-Z]?")
_CODE_LENGTH: Final = range(4, 9)  # digits of a one-time code
_HANGUL_TAIL: Final = re.compile(r"[가-힣ㄱ-ㅣ]+[.,!?~…]*$")
_TALK: Final = frozenset(
    """a about access after again against all also always an and any are as at audit back bad be
    because been before being best both breach but by can change changed changes changing check
    complexity compromised confirmed day days default demo different discussion due each
    easy email empty encrypted enforced enough entry every exactly expired expires expiry expiring
    failed fields for forgotten form from generator go going gone good guidelines guide handling
    hard hash hashing have here hidden how if in incorrect info invalid is it issue issues just
    kept known last leak length less limited locked long lost made management manager managers
    mandatory meeting missing more must my needed never new next no not now obsolete of off ok
    old on one only optional or our out over page please policy private prompt protected
    protection provided ready recovery removed required reset resets resetting review right
    rotated rotation rules safe same saved screen security sent session set setup shared short
    should simple so some soon still stored strength strong stuck stuff supposed sync talk team
    temporary the their then there this to today together tomorrow too training under until
    unknown up update updated updates upgrade used vault very via visible was weak what when where
    which will with without working workshop wrong yet you your""".split()  # noqa: SIM905
)


def passwords(text: str) -> Iterator[Span]:
    """Yield passwords, PINs and one-time codes named as such in folded ``text``."""
    if not _NEAR.search(text):
        return
    for pattern, fits in _JUDGED:
        for match in pattern.finditer(text):
            if fits(_trimmed(match.group(1))):
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


def _trimmed(value: str) -> str:
    """Cut the Korean particle or ending that is glued to a value, and closing punctuation."""
    cut = _HANGUL_TAIL.sub("", value)
    return (cut or value).rstrip(".,;:)]」")


def _is_value(value: str) -> bool:
    """Tell whether ``value`` can be a secret at all: not a placeholder, a time, a count, Hangul."""
    if placeholder(value) or TIME_OR_COUNT.fullmatch(value):
        return False
    return _ASCII_WORD.search(value) is not None and not _SHORT.fullmatch(value)


def _is_said(value: str) -> bool:
    """Judge a value that "is" or a sign joins to the keyword: any word but those of talk."""
    if not _is_value(value):
        return False
    return value.lower().strip("!?'") not in _TALK and not _ACRONYM.fullmatch(value)


def _is_drawn(value: str) -> bool:
    """Judge a value with words between it and the keyword: letters and digits, long enough."""
    return _is_value(value) and _DRAWN.fullmatch(value) is not None


def _is_plain(value: str) -> bool:
    """Judge a value that merely follows the keyword: digits, or digits mixed with more."""
    if not _is_value(value) or _ROOM_OR_TICKET.fullmatch(value) or _YEAR.fullmatch(value):
        return False
    return _DIGITS_ONLY.fullmatch(value) is not None or _MIXED.fullmatch(value) is not None


_JUDGED: Final = (  # what stands between keyword and value, and what the value must then be
    (_JOINED, _is_said),
    (_BARE, _is_plain),
    (_CHANGED, _is_drawn),
    (_PASS, _is_drawn),
    (_TRAILING, _is_plain),
)
