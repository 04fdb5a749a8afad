"""Ways to reach a person: e-mail, phone, IBAN, bank account. Masked, the fact is kept.

Public service numbers (112, 1588-0000, 080-...) are nobody's and stay. Dates, times and windows
are digits with separators too, so each form here is bounded by what a calendar never writes.
Everything reads folded text and yields spans in no order.
"""

import re
from collections.abc import Iterator
from typing import Final

from moss_memory.core.late import late
from moss_memory.core.text import Span

_EMAIL_ASCII: Final = late(
    r"(?i)(?<![a-z0-9.!#$%&*+/=?^_{|}~-])(?!git@[\w.-]+:)[a-z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@"
    r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}"
)
_EMAIL_ANY: Final = late(r"(?!git@[\w.-]+:)[\w.+'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}")
_EMAIL_SPELLED: Final = late(
    r"(?i)[\w.+-]{1,64}\s?[\[({]\s?at\s?[\])}]\s?[\w-]{1,63}"
    r"(?:\s?(?:[\[({]\s?dot\s?[\])}]|\.)\s?[\w-]{2,63}){1,4}"
)
_START: Final = r"(?<![\w+])(?<![\w)][-./:])"  # not inside a date, a window, an address or a code
_END: Final = r"(?![\d])(?![-./:]\d)"
_S: Final = r"[\s.\-·)/]{0,2}"
_AREA: Final = (  # 0-led area codes of Korea, Japan and Britain; 080 is toll-free
    r"(?<!\d)(?<!\d[-./:])(?<!\d{4}\s)\(?0(?!80)\d{1,3}(?:\)\s?|[\s.-])\d{3,4}[\s.-]\d{4}"
    r"(?!\d)(?![\s.-]\d{4}(?!\d))"
)
_PHONES: Final = tuple(
    late(form)
    for form in (
        rf"(?<!\d)(?<!\d[-./:])\(?01[016789]\)?{_S}\d{{3,4}}{_S}\d{{4}}(?!\d)",
        rf"(?<![\d+])\+?82{_S}\(?0?\)?1[016789]{_S}\d{{3,4}}{_S}\d{{4}}(?!\d)",
        _AREA,
        r"(?<!\d)\+(?!0)\d{1,3}(?:[\s.\-]?\(?\d{1,4}\)?){2,5}(?!\d)",
        rf"{_START}(?:1[\s.-])?\(?[2-9]\d{{2}}(?:\)\s?|[\s.-]\s?)\d{{3}}[\s.-]\d{{4}}{_END}",
        rf"{_START}07\d{{3}}[\s-]?\d{{3}}[\s-]?\d{{3}}{_END}",
    )
)
_FEWEST_DIGITS: Final = 7
_PHONE_DIGITS: Final = range(8, 16)
_PHONE_WORD: Final = late(
    r"(?i)전화|연락|휴대폰|핸드폰|폰\s?번호|팩스|(?<![a-z])(?:phone|tel|call|text|fax|mobile|cell"
    r"|whatsapp|number|contact|dial|ring)(?![a-z])"
)
_PHONE_NEAR: Final = late(
    r"\D{0,12}?(?<![\d:/.-])(?!1[568]\d\d[\s-]?\d{4}(?!\d))"
    r"((?:\d{3,4}[\s.\-]\d{4}|0\d{8,10}|\d{8}|[2-9]\d{9}))(?![\d:/.-])(?!-\d)"
)
_CLOCKS: Final = late(r"((?:[01]?\d|2[0-3])[0-5]\d)[\s.\-]((?:[01]\d|2[0-4])[0-5]\d)")
_DAY: Final = late(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")

_IBAN: Final = late(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[\s-]?[A-Za-z0-9]){11,40}")
_IBAN_LENGTHS: Final = dict(
    re.findall(
        r"([A-Z]{2})(\d{2})",
        "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29"
        "ES24FI18FK18FO18FR27GB22GE22GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28"
        "LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25"
        "QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20",
    )
)
_ACCOUNT_WORD: Final = late(
    r"(?i)은행|뱅크|계좌|농협|수협|신협|새마을금고|우체국|입금|송금|이체"
    r"|(?<![a-z])(?:account|acct|a/c|routing|bank|sort\scode)(?![a-z#])"
)
_ACCOUNT: Final = late(
    r"(?<![\d+:/.])(?<!\d-)\d{2,6}(?:[-\s]\d{2,8}){1,4}(?![\d:/.])(?!-\d)|(?<!\d)\d{8,16}(?!\d)"
)
_BANK_THEN_ACCOUNT: Final = late(  # a bank's short name, which is an ordinary word elsewhere
    r"(?i)(?:신한|국민|우리|하나|기업|카카오|토스|케이|제일|씨티|광주|전북|경남|대구|부산|산업|(?<![a-z])(?:kb|nh|ibk|sc))"
    r"\s{0,2}(\d{2,6}-\d{2,6}-\d{3,7}(?:-\d{1,3})?)(?![\d:/.-])"
)
_ACCOUNT_NEAR: Final = 30
_ACCOUNT_DIGITS: Final = range(10, 17)


def contacts(text: str) -> Iterator[Span]:
    """Yield e-mail addresses, phone numbers, IBANs and bank accounts; the surest first."""
    if "@" in text or "(at)" in text or "[at]" in text:
        yield from _emails(text)
    if _digits(text) >= _FEWEST_DIGITS:
        yield from ibans(text)
        yield from _phones(text)
        yield from _accounts(text)


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def _emails(text: str) -> Iterator[Span]:
    for form in (_EMAIL_ASCII, _EMAIL_ANY, _EMAIL_SPELLED):
        for match in form.finditer(text):
            yield Span("email", *match.span())


def _phones(text: str) -> Iterator[Span]:
    for form in _PHONES:
        for match in form.finditer(text):
            if _digits(match.group()) in _PHONE_DIGITS:
                yield Span("phone", *match.span())
    for word in _PHONE_WORD.finditer(text):
        near = _PHONE_NEAR.match(text, word.end())
        if near and not _is_window(near.group(1)) and not _DAY.fullmatch(near.group(1)):
            yield Span("phone", *near.span(1))


def _is_window(text: str) -> bool:
    """Tell two clock times in order ("call 1400-1500") from a local number ("call 555-0142")."""
    clocks = _CLOCKS.fullmatch(text)
    return clocks is not None and int(clocks[1]) < int(clocks[2])


def ibans(text: str) -> Iterator[Span]:
    """Yield IBANs in folded ``text``, by their country's length and mod 97 (ISO 13616)."""
    for match in _IBAN.finditer(text):
        end = _iban_end(match.group())
        if end is not None:
            yield Span("iban", match.start(), match.start() + end)


def _iban_end(run: str) -> int | None:
    """Return where the IBAN that ``run`` starts with ends, by its country's length and mod 97."""
    length = int(_IBAN_LENGTHS.get(run[:2].upper(), 0))
    places = [i for i, char in enumerate(run) if char.isalnum()][:length]
    if not length or len(places) < length:
        return None
    code = "".join(run[i] for i in places).upper()
    return (
        places[-1] + 1
        if int("".join(str(int(c, 36)) for c in code[4:] + code[:4])) % 97 == 1
        else None
    )


def _accounts(text: str) -> Iterator[Span]:
    for match in _ACCOUNT.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if len(digits) not in _ACCOUNT_DIGITS or _DAY.match(digits):
            continue
        low, high = max(0, match.start() - _ACCOUNT_NEAR), match.end() + _ACCOUNT_NEAR
        if _ACCOUNT_WORD.search(text, low, high):
            yield Span("account", *match.span())
    for match in _BANK_THEN_ACCOUNT.finditer(text):
        if len(match.group(1).replace("-", "")) in _ACCOUNT_DIGITS:
            yield Span("account", *match.span(1))
