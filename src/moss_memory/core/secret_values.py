"""What can be a password beside its keyword, and what is only talk about one.

The value decides what the keyword leaves open: not a placeholder, not a time or a count, not all
Hangul, not one of the words that follow "password" in a calendar.
"""

from typing import Final

from moss_memory.core.late import late
from moss_memory.core.text import TIME_OR_COUNT, placeholder

_ASCII_WORD: Final = late(r"[A-Za-z0-9]")
_DRAWN: Final = late(r"(?=.*[a-z])(?=.*\d)[!-~]{6,}")
_SHORT: Final = late(r".{0,2}|\d{1,3}")
_ACRONYM: Final = late(r"[A-Z]{1,5}")  # a subject: "password is SSO"
_DIGITS_ONLY: Final = late(r"\d{4,16}")
_MIXED: Final = late(r"(?=.*\d)(?=.*\D)(?:[!-~]{4,}|[가-힣]{1,8}\d{3,}[!-~]*)")
_YEAR: Final = late(r"(?:19|20)\d\d")
_ROOM_OR_TICKET: Final = late(r"[A-Z]{2,10}-\d+|[A-Z]?\d{1,3}[A-Z]?")
_HANGUL_TAIL: Final = late(r"[가-힣ㄱ-ㅣ]+[.,!?~…]*$")
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


def trimmed(value: str) -> str:
    """Cut the Korean particle or ending that is glued to a value, and closing punctuation."""
    cut = _HANGUL_TAIL.sub("", value)
    return (cut or value).rstrip(".,;:)]」")


def is_value(value: str) -> bool:
    """Tell whether ``value`` can be a secret at all: not a placeholder, a time, a count, Hangul."""
    if placeholder(value) or TIME_OR_COUNT.fullmatch(value):
        return False
    return _ASCII_WORD.search(value) is not None and not _SHORT.fullmatch(value)


def is_said(value: str) -> bool:
    """Judge a value that "is" or a sign joins to the keyword: any word but those of talk."""
    if not is_value(value):
        return False
    return value.lower().strip("!?'") not in _TALK and not _ACRONYM.fullmatch(value)


def is_drawn(value: str) -> bool:
    """Judge a value with words between it and the keyword: letters and digits, long enough."""
    return is_value(value) and _DRAWN.fullmatch(value) is not None


def is_plain(value: str) -> bool:
    """Judge a value that merely follows the keyword: digits, or digits mixed with more."""
    if not is_value(value) or _ROOM_OR_TICKET.fullmatch(value) or _YEAR.fullmatch(value):
        return False
    return _DIGITS_ONLY.fullmatch(value) is not None or _MIXED.fullmatch(value) is not None


def is_code_like(value: str) -> bool:
    """Judge a one-time code of letters and digits: no version, count, ticket or room."""
    return is_value(value) and not _ROOM_OR_TICKET.fullmatch(value)
