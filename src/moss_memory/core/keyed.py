"""Secrets without a form of their own, beside a word such as "key" or "token".

A strong word (API key, client secret, 시크릿) needs a value of letters and digits that looks drawn;
a weak one (key, token, 키) needs more of it, because calendars say "token" too. Reads folded text.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from moss_memory.core.late import late
from moss_memory.core.text import TIME_OR_COUNT, Span, placeholder

_SECRET: Final = late(
    r"(?i)(?P<strong>(?:(?<![a-z0-9_])[a-z0-9_]{0,40}_|(?<![a-z]))(?:api|app|access|secret|private|signing|encryption"
    r"|master|client|service|license|auth|deploy|webhook|bot|hmac|shared|consumer|session|rest"
    r"|refresh|bearer|personal)[\s_-]?(?:api[\s_-]?)?(?:key|secret|token|키|토큰|시크릿)(?![a-z])"
    r"|(?<![a-z])client[\s_-]?secret|(?<![a-z])credentials?(?![a-z])"
    r"|(?:비밀|인증|액세스|접근|개인|서비스|암호화|서명)\s?(?:키|토큰)|시크릿(?:\s?키)?)"
    r"|(?P<weak>(?<![a-z])(?:key|secret|token)(?![a-z])|(?<![가-힣])(?:키|토큰)(?![가-힣]{2}))"
)
_AFTER: Final = late(
    r"[\"']?\s?(?P<join>[:=]+>?|[-=]>|→|은|는|이|가|을|를|\bis\b|\bwas\b)?\s*[\"'`“‘\[(]?"
    r"(?P<value>[A-Za-z0-9_\-+/.~]{8,512}={0,2})"
)
_NEAR_SECRET: Final = late(r"(?i)key|secret|token|credential|[키큰릿]")

_BITS: Final = 3.0  # of entropy a character; a short value cannot reach it and needs its share
_BITS_SHARE: Final = 0.75
_MIXED: Final = late(r"(?=.*\d)(?=.*[A-Za-z]).{8,}")
_LONG: Final = late(r"(?=.*[a-z])(?=.*[A-Z]).+|.{12,}")
_LONG_BARE: Final = late(r"(?=.*[a-z])(?=.*[A-Z]).{10,}|.{16,}")
_ALGORITHM: Final = late(r"(?i)(?:ssh|ecdsa|sha|rsa|ed25519|aes|utf|https?|hmac)-?\d*\b")
_NAME_PART: Final = late(r"[a-z]{2,}\d{0,2}|[A-Z][a-z]+\d{0,2}|[A-Z]{2,}|[Vv]?\d{1,4}")
_SHORT_NAME: Final = late(r".{1,10}")


def generic_secrets(text: str) -> Iterator[Span]:
    """Yield values beside "key", "secret" or "token" that look drawn by a machine."""
    if not _NEAR_SECRET.search(text):
        return
    for keyword in _SECRET.finditer(text):
        match = _AFTER.match(text, keyword.end())
        if match and _is_secret(
            match["value"].rstrip(".,="), weak=keyword["strong"] is None, bare=not match["join"]
        ):
            yield Span("generic_secret", *match.span("value"))


def entropy(value: str) -> float:
    """Return Shannon's entropy of the characters of ``value`` in bits a character; 0 if empty."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())


def _is_secret(value: str, *, weak: bool, bare: bool) -> bool:
    if not _MIXED.fullmatch(value) or placeholder(value) or _is_identifier(value):
        return False
    if entropy(value) < min(_BITS, _BITS_SHARE * math.log2(len(value))):
        return False
    if weak:
        return (_LONG_BARE if bare else _LONG).fullmatch(value) is not None
    return True


def _is_identifier(value: str) -> bool:
    """Tell names made of words and numbers (PROJ-123, calendar_event_2026, ssh-ed25519, dates)."""
    if _ALGORITHM.match(value) or TIME_OR_COUNT.fullmatch(value):
        return True
    parts = [part for part in re.split(r"[_\-./+=~]", value) if part]
    return all(_NAME_PART.fullmatch(part) for part in parts) and (
        len(parts) > 1 or _SHORT_NAME.fullmatch(value) is not None
    )
