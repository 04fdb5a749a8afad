"""What people say about themselves: likes and dislikes, home, employer, name, languages."""

import re
from dataclasses import dataclass
from typing import Final

from moss_memory.language.proposal import ProposedFact


@dataclass(frozen=True, slots=True)
class _Stated:
    """A predicate and the words that state it; the group ``v`` is the value."""

    predicate: str
    pattern: str


_LONGEST: Final = 30  # characters of a thing liked; more is a sentence
_FOOD: Final = re.compile(
    r"\b(?:food|cuisine|cilantro|coriander|coffee|tea|pizza|sushi|rice|noodles?|ramen|"
    r"bread|cheese|beef|pork|chicken|fish|seafood|spicy|sweet|fruit|vegetables?|"
    r"chocolate|wine|beer|soup|salad|pasta|curry|kimchi|onions?|garlic|eggs?|meat|"
    r"dessert|mint|mushrooms?|olives?|tofu)\b|"
    r"음식|요리|고수|커피|차$|피자|초밥|스시|밥|면$|국수|라면|빵|치즈|고기|소고기|"
    r"돼지고기|닭|생선|회$|해산물|매운|과일|야채|채소|초콜릿|"
    r"와인|맥주|국$|샐러드|파스타|카레|김치|양파|마늘|계란|디저트|민트|버섯|오이|두부|떡볶이|냉면",
    re.IGNORECASE,
)
_EN_LIKES: Final = re.compile(
    r"^(?:(?:actually|honestly|well|oh|btw|by\s+the\s+way|also|and|but|note\s+that|"
    r"remember\s+that|remember:?|please\s+remember\s+that|"
    r"for\s+the\s+record)[\s,]+)*i\s+(?:(?:really|absolutely|truly|also|just|actually|"
    r"now|kind\s+of|still|always)\s+)*"
    r"(?P<verb>love|like|enjoy|adore|prefer|hate|dislike|detest|loathe|can'?t\s+stand|"
    r"cannot\s+stand|don'?t\s+(?:really\s+)?like|do\s+not\s+like|"
    r"don'?t\s+(?:really\s+)?enjoy|am\s+allergic\s+to|'m\s+allergic\s+to)"
    r"\s+(?P<what>.+)$",
    re.IGNORECASE,
)
_EN_FACTS: Final[tuple[_Stated, ...]] = (
    _Stated(
        "name",
        r"^(?:hi[,!. ]+|hello[,!. ]+)?(?:my\s+name\s+is|my\s+name's|call\s+me|"
        r"please\s+call\s+me)\s+(?P<v>[A-Z][\w'-]*(?:\s+[A-Z][\w'-]*){0,2})",
    ),
    _Stated(
        "lives_in",
        r"^(?:i|we)(?:'m|\s+am)?\s+(?:now\s+|currently\s+)?(?:live|living|moved|relocated|"
        r"based)\s+(?:in|to)\s+(?P<v>[\w .'-]+?)(?:\s+(?:now|these\s+days|currently|"
        r"since\b.*|last\b.*|this\b.*|and\b.*))?$",
    ),
    _Stated(
        "works_at",
        r"^i(?:'m|\s+am)?\s+(?:now\s+|currently\s+)?(?:work|working|employed)\s+(?:at|for)"
        r"\s+(?P<v>[\w .&'-]+?)(?:\s+(?:now|these\s+days|currently|since\b.*|as\b.*|"
        r"and\b.*))?$",
    ),
    _Stated(
        "works_at",
        r"^i\s+(?:just\s+)?(?:joined|started\s+(?:working\s+)?at)"
        r"\s+(?P<v>[A-Z][\w .&'-]+?)(?:\s+(?:now|last\b.*|this\b.*|as\b.*|and\b.*))?$",
    ),
    _Stated(
        "speaks",
        r"^i\s+(?:can\s+)?(?:also\s+)?speak\s+(?:fluent\s+|some\s+|"
        r"a\s+little\s+)?(?P<v>[A-Z]\w+(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)[A-Z]\w+)*)",
    ),
)
_KO_LIKES: Final = re.compile(
    r"^(?:참고로\s|근데\s|사실\s|아\s|그리고\s|이제\s)*(?:(?:나|난|나는|내가|저|전|"
    r"저는|제가|나도|저도)"
    r"\s+)?(?:(?:이제|요즘|원래|정말|진짜|너무|매우|아주|꽤)\s+)*(?P<what>[^?]+?)"
    r"(?:을|를|은|는|이|가|"
    r"도)?\s*(?:(?:(?<=\s)|(?<=[을를은는도]))(?:정말|진짜|너무|아주|매우|제일|가장|별로|그다지|이제|요즘|더)\s*)*"
    r"(?P<verb>좋아해|좋아합니다|좋아해요|좋아한다|좋아함|사랑해|즐겨|선호해|"
    r"선호합니다|싫어해|싫어합니다|싫어해요|싫어한다|싫어함|"
    r"안\s?좋아해|안\s?좋아해요|좋아하지\s?않아|좋아하지\s?않아요|좋아하지\s?않습니다|"
    r"못\s?먹어|못\s?먹어요|질색이야|싫어|좋아|싫어요|"
    r"좋아요|싫어졌어|좋아졌어)\s*[.!~]*$",
)
_KO_FACTS: Final[tuple[_Stated, ...]] = (
    _Stated(
        "name",
        r"^(?:안녕\S*\s+)?(?:내|제|나의|저의)\s?이름은\s?(?P<v>[가-힣A-Za-z]+?)(?:이야|야|"
        r"입니다|이에요|예요|"
        r"이라고\s?(?:해|합니다)|라고\s?(?:해|합니다)|이고|고)(?=[\s,.!]|$)",
    ),
    _Stated(
        "name",
        r"^(?:나는|저는|난|전)\s?(?P<v>[가-힣]{2,4})(?:이라고|라고)\s?(?:해|합니다|불러)",
    ),
    _Stated(
        "lives_in",
        r"^(?:(?:나|난|나는|저|전|저는|제가|내가)\s+)?(?:(?:이제|지금|요즘|현재)"
        r"\s+)*(?P<v>[가-힣A-Za-z ]+?)"
        r"(?:에서|에)\s?(?:(?:이제|지금)\s?)?(?:살아|살아요|삽니다|살고\s?있어|"
        r"살고\s?있어요|살고\s?있습니다|산다)"
        r"\s*[.!~]*$",
    ),
    _Stated(
        "lives_in",
        r"^(?:(?:나|난|나는|저|전|저는|제가|내가)\s+)?(?:(?:이제|지금|최근에|얼마\s?전)"
        r"\s+)*(?P<v>[가-힣A-Za-z ]+?)(?:으로|로)\s?이사(?:했어|했어요|했습니다|왔어|"
        r"왔어요|왔습니다|갔어)\s*[.!~]*$",
    ),
    _Stated(
        "works_at",
        r"^(?:(?:나|난|나는|저|전|저는|제가|내가)\s+)?(?:(?:이제|지금|요즘|현재)"
        r"\s+)*(?P<v>[가-힣A-Za-z&. ]+?)"
        r"(?:에서|에)\s?(?:일해|일해요|일합니다|일하고\s?있어|일하고\s?있어요|근무해|"
        r"근무해요|근무합니다|근무하고\s?있어|다녀|다녀요|"
        r"다닙니다|다니고\s?있어)\s*[.!~]*$",
    ),
    _Stated(
        "speaks",
        r"^(?:(?:나|난|나는|저|전|저는)\s+)?(?P<v>[가-힣]+어(?:(?:\s?(?:와|랑|하고|,)"
        r"\s?)[가-힣]+어)*)(?:를|"
        r"도|을)?\s?(?:할\s?줄\s?(?:알아|압니다|알아요)|할\s?수\s?있어|해|합니다|"
        r"구사해)\s*[.!~]*$",
    ),
)
NEGATIVE: Final = re.compile(
    r"hate|dislike|detest|loathe|stand|n'?t\b|not\b|allergic|싫|안\s?좋|않|못\s?먹|질색",
    re.IGNORECASE,
)
_EN_NOT_LIKING: Final = re.compile(
    r"^(?:to\s+(?:know|see|book|add|schedule|have|make|go|cancel|put|set|be|get|find|"
    r"hear|listen|watch|request|check|move|visit|change)|it|that|this|you|"
    r"the\s+(?:idea|sound)|how|what|your|one\b|for\b|an?\s+(?:appointment|reminder|"
    r"meeting)|the\s+(?:1|2|3|4|5|6|7|8|9|time))\b",
    re.IGNORECASE,
)
_DROP: Final = re.compile(
    r"\s+(?:now|very\s+much|a\s+lot|so\s+much|these\s+days|anymore|any\s+more|"
    r"at\s+all|too|the\s+most|these)$",
    re.IGNORECASE,
)


def preference_facts(text: str, *, hangul: bool) -> tuple[ProposedFact, ...]:
    """Read what the speaker says about themselves; other people's facts are not read."""
    facts: list[ProposedFact] = []
    for clause in re.split(
        r"(?<=[.!])\s+|,\s+(?=(?:i|my|we|내|제|나)\b)|,\s+(?=[가-힣])"
        if not hangul
        else r"(?<=[.!])\s+",
        text.strip(),
    ):
        piece = clause.strip().rstrip(".!~ ")
        if not piece or "?" in piece:
            continue
        facts.extend(_liked(piece, hangul=hangul) or _stated(piece, hangul=hangul))
    return tuple(facts[:10])


def _liked(piece: str, *, hangul: bool) -> list[ProposedFact]:
    found = (_KO_LIKES if hangul else _EN_LIKES).match(piece.replace("’", "'"))
    if not found:
        return []
    what = found["what"].strip(" .,!'\"")
    if not hangul and _EN_NOT_LIKING.match(what):
        return []
    if hangul and _not_a_thing(what):
        return []
    negative = bool(NEGATIVE.search(found["verb"]))
    what = _DROP.sub("", what)
    subject = "food" if _FOOD.search(what) else "general"
    return [_fact("dislikes" if negative else "prefers", what, subject)] if what else []


_KO_FILLER: Final = re.compile(
    r"^(?:네|응|그래|아|너|그거|이거|그게|이게|그것|다|기분|날씨|오늘|내일|"
    r"그렇게|더|참|느낌|목소리|도와|말)(?=\s|$)"
)
_KO_CLAUSE: Final = re.compile(
    r"(?:면|게|서|지|[하가보먹쓰치타]기|는\s?게|는\s?것이|으니|니까|은데|는데|건|해도|어도|아도)$"
)
_KO_ANOTHER: Final = re.compile(
    r"^(?:(?:내|우리|제|그)\s?[가-힣]{1,6}(?:은|는|이|가)|[가-힣]{2,4}(?:은|는))\s"
)


def _not_a_thing(what: str) -> bool:
    """A filler, a clause, or somebody else's taste."""
    patterns = (_KO_FILLER, _KO_CLAUSE, _KO_ANOTHER)
    return len(what) > _LONGEST or any(one.search(what) for one in patterns)


def _stated(piece: str, *, hangul: bool) -> list[ProposedFact]:
    for stated in _KO_FACTS if hangul else _EN_FACTS:
        predicate, pattern = stated.predicate, stated.pattern
        cased = predicate in ("name", "speaks") and not hangul
        found = _cased(pattern, piece) if cased else re.match(pattern, piece, re.IGNORECASE)
        if found is None:
            continue
        value = found["v"].strip(" .,!'\"")
        if not value:
            continue
        if predicate == "speaks":
            names = re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s?(?:와|랑|하고)\s?", value)
            return [_fact("speaks", name, "User") for name in names if name]
        return [_fact(predicate, value, "User")]
    return []


def _cased(pattern: str, piece: str) -> "re.Match[str] | None":
    """Names and languages begin with a capital; the words around them may be written any way."""
    head, value = pattern.split("(?P<v>", 1)
    return re.match(f"(?i:{head})(?P<v>{value}", piece)


def _fact(predicate: str, value: str, subject: str) -> ProposedFact:
    return ProposedFact(
        domain="Preference",
        subject=subject,
        predicate=predicate,
        object_value=value,
    )
