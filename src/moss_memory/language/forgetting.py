"""What people want forgotten about themselves: a liking, a home, a name; not the calendar.

Said as the whole sentence that it takes back ("Forget that I love jazz"), as a noun ("my coffee
preference", "재즈 취향"), or as the thing alone ("Forget about jazz").
"""

import re
from typing import Final

from moss_memory.language.claims import target_predicate
from moss_memory.language.preferences import preference_facts
from moss_memory.language.proposal import Parsed, ProposedFact, Target
from moss_memory.language.said import Said

_TASTES: Final = ("prefers", "dislikes")
_LONGEST: Final = 40  # characters of a thing; more is a sentence
_EN: Final = re.compile(
    r"^(?:(?:please|hey|ok(?:ay)?|actually|sorry|no|now|and|well|also)[,!.\s]+)*"
    r"(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?|you\s+can\s+|"
    r"i(?:\s+want|\s+need|'d\s+like)\s+you\s+to\s+)?"
    r"(?P<verb>forget|stop\s+remembering|delete|remove|erase|clear|cancel|drop)\s+"
    r"(?P<rest>.+?)(?:,?\s+please)?[.!?~\s]*$",
    re.IGNORECASE,
)
_EN_WHENCE: Final = re.compile(
    r"\s+(?:(?:from|in)\s+(?:your|the|my)\s+(?:memory|records?|notes|profile)|any\s?more|now)$",
    re.IGNORECASE,
)
_EN_SENTENCE: Final = re.compile(
    r"^(?:about\s+)?(?:(?:the\s+fact|the\s+note|the\s+memory)\s+)?(?:that\s+)?"
    r"(?:i\s+(?:said|told\s+you|mentioned)\s+(?:that\s+)?)?(?P<told>(?:i\b|i'm\b|my\s+name)\s*.+)$",
    re.IGNORECASE,
)
_EN_TASTE: Final = re.compile(
    r"^(?:about\s+)?my\s+(?:(?P<a>.+?)\s+)?(?P<kind>preferences?|likings?|tastes?|likes|"
    r"dislikes?|love|hatred)(?:\s+(?:for|of|in|about)\s+(?P<b>.+))?$",
    re.IGNORECASE,
)
_EN_LISTED: Final = re.compile(
    r"^(?P<a>.+?)\s+from\s+my\s+(?:list\s+of\s+)?(?P<kind>likes|dislikes|preferences|tastes)$",
    re.IGNORECASE,
)
_EN_OWN: Final = (
    ("name", r"my\s+(?:full\s+|first\s+)?name|what\s+my\s+name\s+is|what\s+i(?:'m|\s+am)\s+called"),
    ("lives_in", r"where\s+i\s+live|my\s+(?:home\s+)?address|my\s+home(?:\s?town)?"),
    ("works_at", r"where\s+i\s+work|my\s+(?:job|employer|workplace|company)"),
    ("speaks", r"(?:what|which)\s+languages?\s+i\s+speak|my\s+languages?"),
    ("prefers", r"what\s+i\s+(?:like|love)"),
    ("dislikes", r"what\s+i\s+(?:don'?t\s+like|dislike|hate)"),
)
_EN_THING: Final = re.compile(
    r"^(?:about\s+)?(?!(?:it|that|this|th[eo]se|them|every\w*|any\w*|all|both|me|you|him|her|us|"
    r"what|who|where|when|why|how|to|the|an?|my|our|your|i|about|last|next|previous|past)\b)"
    r"(?P<a>[\w'-]+(?:\s+[\w'-]+){0,2})$",
    re.IGNORECASE,
)
_FORGETS: Final = re.compile(r"forget|stop|잊", re.IGNORECASE)
_ERASES: Final = re.compile(r"forget|stop|erase|delete|잊|지|삭제", re.IGNORECASE)

_KO: Final = re.compile(
    r"^(?:(?:아|음|그냥|이제|그럼|혹시|제발|미안)[,\s]+)*(?P<rest>.+?)\s*(?:좀\s*)?"
    r"(?P<verb>잊어|지워|삭제|없애|취소|빼)\s?(?:해\s?)?(?:버려\s?)?"
    r"(?:줘요?|주세요|줄래요?|주라|라|해요?|요|부탁해요?)?[.!~?\s]*$"
)
_KO_NOUN: Final = r"(?:거|것|걸|건|사실|정보|내용|말|얘기|기억|기록)(?:을|를|은|는|도)?"
_KO_QUOTED: Final = re.compile(
    r"^(?P<told>.+?)(?P<q>다|라)(?:는|고)\s?(?:(?:한|했던|말한|말했던|얘기한)\s?)?" + _KO_NOUN + "$"
)
_KO_DOING: Final = re.compile(r"^(?P<told>.+(?:하|사|니|먹|기))(?:는)\s?" + _KO_NOUN + "$")
_KO_TASTE: Final = re.compile(
    r"^(?:(?:내|제|나의|저의)\s)?(?:(?P<a>.+?)(?:에\s?대한|의)?\s)?(?:취향|선호도?|기호|입맛)"
    r"(?:\s?(?:정보|기록|기억))?(?:을|를|은|도)?$"
)
_KO_OWN: Final = tuple(
    (predicate, rf"(?:(?:내|제|나의|저의)\s?)(?:{names})(?:\s?(?:정보|기록))?(?:을|를|은|도)?")
    for predicate, names in (
        ("name", "이름"),
        ("lives_in", r"주소|집|거주지|사는\s?곳"),
        ("works_at", r"직장|회사|일하는\s?곳"),
        ("speaks", r"언어|사용\s?언어"),
    )
)
_KO_THING: Final = re.compile(
    r"^(?!(?:다|전부|모두|싹|그|이|저|그거|이거|저거|그것|이것|그걸|이걸|방금|아까|내|제|네|너|나)"
    r"(?:\s|$))(?P<a>[가-힣A-Za-z0-9]+(?:\s[가-힣A-Za-z0-9]+){0,2}?)(?:을|를|은|는|에\s?대해서?)?$"
)
# "... 한다는 거" back into the sentence that was said
_KO_PLAIN: Final = (
    (r"지\s?않는다$", "지 않아"), (r"산다$|살다$", "살아"), (r"싫다$", "싫어"), (r"좋다$", "좋아"),
    (r"안다$", "알아"), (r"다닌다$", "다녀"), (r"먹는다$", "먹어"), (r"즐긴다$", "즐겨"),
    (r"한다$", "해"), (r"하다$", "해"),
)  # fmt: skip
_KO_STEMS: Final = {"하": "해", "사": "살아", "니": "녀", "먹": "먹어", "기": "겨"}


def forget(said: Said) -> Parsed | None:
    """Read what is to be forgotten about the speaker; None where the words mean anything else.

    Words that name a time or something of the calendar are left to a cancel.
    """
    text = said.text.replace("’", "'").strip()
    found = (_KO if said.hangul else _EN).match(text)
    if found is None or said.times():
        return None
    read = _korean if said.hangul else _english
    facts = read(found["rest"].strip(), found["verb"])
    if not facts:
        return None
    return Parsed(intent="WRITE", operation="retire", facts=facts, notes=("forget",))


def cancelled(said: Said) -> str | None:
    """Return "금요일 회의 잊어줘" as the cancel that it is; None for every other wish."""
    found = _KO.match(said.text.strip()) if said.hangul else None
    if found is None or found["verb"] != "잊어" or re.match(r"(?:다|전부|모두|싹)$", found["rest"]):
        return None
    return f"{found['rest']} 취소해줘"


def _english(rest: str, verb: str) -> tuple[ProposedFact, ...]:
    rest = _EN_WHENCE.sub("", rest)
    told = _EN_SENTENCE.match(rest)
    if told:
        return _taken_back(preference_facts(told["told"], hangul=False))
    listed = _EN_TASTE.match(rest) or _EN_LISTED.match(rest)
    if listed:
        named = listed.groupdict()
        return _tastes(named.get("b") or named.get("a"), _kinds(listed["kind"]))
    return _own(rest, verb, _EN_OWN) or _thing(rest, verb, _EN_THING, hangul=False)


def _korean(rest: str, verb: str) -> tuple[ProposedFact, ...]:
    sentence = _sentence(rest)
    if sentence is not None:
        return _taken_back(preference_facts(sentence, hangul=True))
    taste = _KO_TASTE.match(rest)
    if taste:
        return _tastes(taste["a"], _TASTES)
    return _own(rest, verb, _KO_OWN) or _thing(rest, verb, _KO_THING, hangul=True)


def _sentence(rest: str) -> str | None:
    """Put "재즈를 좋아한다는 거" back into "재즈를 좋아해"; None where nothing is quoted."""
    quoted = _KO_QUOTED.match(rest)
    if quoted and quoted["q"] == "라":
        name = re.sub(r"^(?:(?:내|제)\s?)?이름이\s", "내 이름은 ", quoted["told"])
        return name.removesuffix("이") + "야"
    if quoted:
        told = quoted["told"] + "다"
        for pattern, plain in _KO_PLAIN:
            told = re.sub(pattern, plain, told)
        return told
    doing = _KO_DOING.match(rest)
    return None if doing is None else doing["told"][:-1] + _KO_STEMS[doing["told"][-1]]


def _taken_back(facts: tuple[ProposedFact, ...]) -> tuple[ProposedFact, ...]:
    return tuple(_retired(each.predicate, each.object_value, each.subject) for each in facts)


def _kinds(word: str) -> tuple[str, ...]:
    lower = word.lower()
    if lower.startswith(("dislike", "hatred")):
        return ("dislikes",)
    return _TASTES if lower.startswith(("preference", "taste")) else ("prefers",)


def _tastes(thing: str | None, kinds: tuple[str, ...]) -> tuple[ProposedFact, ...]:
    if thing is not None and len(thing) > _LONGEST:
        return ()
    return tuple(_retired(kind, thing, "general") for kind in kinds)


def _own(rest: str, verb: str, table: tuple[tuple[str, str], ...]) -> tuple[ProposedFact, ...]:
    """Name what is known of the person by its kind alone: "where I live"."""
    if not _ERASES.match(verb):
        return ()
    said = re.sub(r"^about\s+", "", rest, flags=re.IGNORECASE)
    found = (name for name, words in table if re.fullmatch(words, said, re.IGNORECASE))
    return tuple(_retired(name, None, "User") for name in found)


def _thing(
    rest: str, verb: str, pattern: "re.Pattern[str]", *, hangul: bool
) -> tuple[ProposedFact, ...]:
    """Read the thing alone, which only "forget" makes a matter of memory."""
    found = pattern.match(rest) if _FORGETS.match(verb) else None
    if found is None or target_predicate(rest, hangul=hangul) or _CALENDAR.search(rest):
        return ()
    return _tastes(found["a"], _TASTES)


_CALENDAR: Final = re.compile(
    r"\b(?:events?|calendar|schedule|plans?|alarms?|timers?|party|trip)\b|일정|스케줄|캘린더|예약",
    re.IGNORECASE,
)


def _retired(predicate: str, value: str | None, subject: str) -> ProposedFact:
    words = () if value is None else (value,)
    return ProposedFact(
        domain="Preference",
        subject=subject,
        predicate=predicate,
        target=Target(predicate=predicate, words=words),
    )
