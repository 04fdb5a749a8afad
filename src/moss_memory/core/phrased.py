"""Secrets whose sentence puts words between the keyword and the value.

"The PIN for my debit card is 7391", "password changed to ...", "use ... as the password",
"비번 바꿨다, 새로운 건 ...". The more words between, the more the value has to look drawn. All
of it reads folded text and yields the span of the value.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from moss_memory.core.late import late
from moss_memory.core.secret_values import is_code_like, is_drawn, is_plain, trimmed
from moss_memory.core.secret_words import CODE, DIGITS, DOOR, JOIN, OPEN, VALUE, WORD
from moss_memory.core.text import TIME_OR_COUNT, Span

_PIN: Final = r"(?<![A-Za-z])pin(?![A-Za-z])"
_PLACE: Final = (  # what the secret opens, or how long it is
    r"(?:\s?\([^)]{1,20}\)|\s?\d\s?자리(?:\s?숫자)?"
    r"|\s(?:at|in|for|of|on|to|from|with|by)\s[^:=.\n]{1,40}?)?"
)
_LINK: Final = (
    rf"(?:{JOIN}|'s\s|\s?[–—]\s?|\s-\s|\s(?:will|should|must|has\sto)\sbe\s"
    r"|\s(?:(?:was|is|got|has\sbeen|been)\s)?(?:changed|set|reset|updated|rotated|switched)\s"
    r"(?:from\s\S+\s)?(?:to|as)\s)"
)
_CODE_WORD: Final = (
    r"(?:(?<![A-Za-z])(?:backup|recovery|verification|security|auth(?:entication)?|log-?in|sign-?in"
    r"|sms|two-factor|2fa|mfa|otp|access|one-time|reset)\scode|(?:인증|보안|확인|백업|복구|접속)\s?코드)"
)
_ALNUM_CODE: Final = (
    r"((?=[A-Za-z0-9-]*\d)(?=[A-Za-z0-9-]*[A-Za-z])"
    r"[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){0,4})(?![\w-])"
)

_LINKED: Final = late(rf"(?i)(?:{WORD}|{DOOR}|{_PIN}){_PLACE}{_LINK}{OPEN}{VALUE}")
_COMBINATION: Final = late(
    rf"(?i)(?:{WORD}|{DOOR}|{_PIN}|(?<![A-Za-z])(?:lock|safe|padlock|locker)\scomb(?:o|ination))"
    rf"{_PLACE}(?:{JOIN}|\s+){OPEN}(\d\d?-\d\d?-\d\d?)(?![\d-])"
)
_COMBO_DIGITS: Final = late(
    rf"(?i)(?<![A-Za-z])comb(?:o|ination){_PLACE}(?:{JOIN}|\s+){OPEN}(\d{{4,8}})(?![\d-])"
)
_USED_AS: Final = late(
    rf"(?i)(?<![\w:/.-])({DIGITS[1:-1]}|(?=\S*\d)(?=\S*[a-z])[!-~]{{6,64}})\sas\s"
    rf"(?:(?:the|my|your|our|a|its)\s)?(?:[a-z]+\s){{0,2}}(?:{WORD}|{CODE}|{_PIN})"
    r"(?!\s(?:manager|reset|policy|hint|training|workshop|rule|test))"
)
_LISTED_PASS: Final = late(
    r"(?i)(?:[/,;|]|(?<![A-Za-z])(?:user(?:name)?|log-?in|id|admin|계정|아이디)\W{1,3}\S{1,30}[\s/,;|]{1,3})"
    rf"\s*pass\s{OPEN}{VALUE}"
)
_CHANGED: Final = late(
    rf"(?i){WORD}[을를은는이가도]?\s?(?:[가-힣]{{1,5}}\s){{0,2}}?"
    r"(?:바꿨|바꾸|바꿈|바뀌|바뀐|변경|새로|설정|정했|통일|갱신)[가-힣]*[,.]?\s"
    rf"(?:[가-힣]{{1,6}}\s){{0,3}}(?::\s?)?{OPEN}{VALUE}"
)
_ACCOUNT: Final = late(
    r"(?i)(?:(?<![A-Za-z])(?:creds?|credentials|log-?in)|로그인(?:\s?정보)?|(?:계정|접속)(?:\s?정보)?)"
    rf"\s?(?:[:=]|\bis\b|\bare\b|[은는])\s?[\w.@+-]{{2,64}}\s?[/:|,]\s?{OPEN}{VALUE}"
)
_FROM_TO: Final = late(rf"(?i){WORD}\sfrom\s\S{{3,64}}\sto\s{OPEN}{VALUE}")
_COLON: Final = late(rf"(?i){WORD}\s[^:=.\n]{{1,40}}[:=]\s?{OPEN}{VALUE}")
_RECALLED: Final = late(  # "비번이 뭐였지? 아 ...였다": its ending shows that a value was said
    rf"(?i){WORD}[^\n]{{1,25}}?\s{OPEN}((?=[!-~]*\d)(?=[!-~]*[a-z])[!-~]{{6,64}})"
    r"(?=이?였|이?었|이?야|임|입니|이?에요|예요|으?로\s?(?:했|해|바)|이?래)"
)
_SPACED: Final = late(
    rf"(?i)(?:{WORD}|{DOOR}|{CODE}|{_PIN}){JOIN}{OPEN}(\d(?:[\s.,-]\d){{3,7}})(?![\d:/])"
)
_CODE_SAID: Final = late(rf"(?i){_CODE_WORD}s?{_PLACE}{JOIN}{OPEN}{_ALNUM_CODE}")
_CODE_BARE: Final = late(
    rf"(?i){_CODE_WORD}\s+{OPEN}(?-i:(?=[A-Z0-9-]+(?![\w-]))|(?=\w+-\w)){_ALNUM_CODE}"
)
_CODE_DIGITS: Final = late(rf"(?i){CODE}{_PLACE}{_LINK}{OPEN}(\d{{4,8}})(?![\d:/-])")
_THE_CODE: Final = late(
    r"(?i)(?:^|[.!?,;]\s*|(?<![A-Za-z])(?:the|my|your|our|temporary|temp|digit)\s)code"
    rf"(?:\sis\s|\s?[:=]\s?){OPEN}(\d{{4,8}}|\d{{3}}[\s-]\d{{3}})(?![\d:/-])"
)
_TOLD_CODE: Final = late(
    r"(?i)(?<![A-Za-z])(?:a|the|my|your)\scode[^.\n\d]{1,24}?(?:it'?s|it\sis|:)\s(\d{4,8})(?![\d:/-])"
)
_THATS_CODE: Final = late(
    r"(?i)(?<![\d:/.-])(\d{4,8})(?![\d:/-])[^\d\n]{0,12}(?:that'?s|that\sis|is)\s(?:the|my|your|our)\s"
    r"(?:code|pin|password)(?![a-z])"
)
_ENTERED: Final = late(
    r"(?i)(?<![A-Za-z])(?:enter|use|type)\s(\d{4,8}|\d{3}[\s-]\d{3})\s"
    r"(?:to\s(?:verify|log|sign|confirm|unlock|authenticate)|for\s(?:verification|log-?in))"
)
_LETTERED: Final = late(r"(?i)(?:code|코드|번호)\W{1,3}(G-\d{4,8})(?![\w-])")
_CARD_CODE: Final = late(
    rf"(?i)(?<![A-Za-z])(?:cvc|cvv)2?(?![A-Za-z])(?:\s?(?:번호|code|number))?(?:{JOIN}|\s*)(\d{{3,4}})(?!\d)"
)
_NEAR: Final = late(
    r"(?i)pass|pwd|p/?w|pin|code|verif|otp|2fa|인증|cred|log-?in|cvc|cvv|comb[oi]|[비암패핀]|번호|코드|도어|로그인|계정|접속"
)


def _always(_: str) -> bool:
    return True


_FORMS: Final[tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...]] = (
    ("password_assignment", _LINKED, is_plain),
    ("password_assignment", _COMBINATION, _always),
    ("password_assignment", _COMBO_DIGITS, is_plain),
    ("password_assignment", _USED_AS, lambda value: not TIME_OR_COUNT.fullmatch(value)),
    ("password_assignment", _LISTED_PASS, is_drawn),
    ("password_assignment", _CHANGED, is_drawn),
    ("password_assignment", _ACCOUNT, is_drawn),
    ("password_assignment", _FROM_TO, is_drawn),
    ("password_assignment", _COLON, is_drawn),
    ("password_assignment", _RECALLED, is_drawn),
    ("password_assignment", _SPACED, _always),
    ("otp_code", _CODE_SAID, is_code_like),
    ("otp_code", _CODE_BARE, is_code_like),
    ("otp_code", _CODE_DIGITS, is_plain),
    ("otp_code", _THE_CODE, _always),
    ("otp_code", _TOLD_CODE, _always),
    ("otp_code", _THATS_CODE, is_plain),
    ("otp_code", _ENTERED, _always),
    ("otp_code", _LETTERED, _always),
    ("card_code", _CARD_CODE, _always),
)


def phrased_secrets(text: str) -> Iterator[Span]:
    """Yield passwords, PINs and codes that folded ``text`` names in a sentence."""
    if not _NEAR.search(text):
        return
    for kind, form, fits in _FORMS:
        for match in form.finditer(text):
            if fits(trimmed(match.group(1))):
                yield Span(kind, *match.span(1))
