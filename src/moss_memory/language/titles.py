"""What is left of an utterance when its command and its times are taken away: the title."""

import re
from collections.abc import Sequence
from typing import Final

_EDGE: Final = " \t\n,.;:!?~-–—·\"'“”‘’()[]<>…"
_EN_HEAD: Final = re.compile(
    r"^(?:(?:don'?t|do\s+not)\s+(?:let\s+me\s+)?forget\s+(?:to\s+|about\s+)?|"
    r"(?:please|kindly|and|then|so|also|now|but|ok(?:ay)?|hey|hi|hello|yes|no|sure|"
    r"well|actually|just|maybe|oh|great|thanks)\b[\s,.!:]*|"
    r"(?:can|could|would|will)\s+(?:you|we|i)\s+|(?:i|we)(?:'d|\s+would)"
    r"\s+like\s+(?:you\s+)?(?:to\s+)?|(?:i|we)\s+(?:want|need)"
    r"\s+(?:you\s+)?to\s+(?=\w)|let'?s\s+|go\s+ahead\s+and\s+|"
    r"i(?:'ve|\s+have)?\s+got\s+to\s+|i\s+(?:gotta|must|have\s+to|need\s+to)\s+|(?:i|"
    r"we)(?:'m|\s+am|'re|\s+are)\s+(?:going\s+to\s+)?(?:having|have|going\s+to|in|at|"
    r"attending|meeting\s+up\s+for)\s+|"
    r"(?:i|we)(?:'ve|'ll|\s+will|\s+have|\s+had)?\s*(?:got|have|had|need)\s+(?=an?\b|"
    r"my\b|our\b|the\b|to\b|\w)|(?:have|has|having|got)\s+(?=an?\b|my\b|the\b)|there(?:'s|\s+is|\s+will\s+be|\s+was)\s+|"
    r"(?:schedule|book|add|put|set(?:\s*up)?|create|make|arrange|plan|mark|reserve|"
    r"block(?:\s+off)?|hold|save|enter|insert|record|pencil\s+in|pencil|log|register|"
    r"request|submit|organi[sz]e|place|include|"
    r"note(?:\s+down)?|remember|remind|alert|notify|give|send|move|reschedule|"
    r"re-schedule|push(?:\s+back)?|postpone|shift|change|bring\s+forward|delay|bump|"
    r"swap|update|extend|shorten|"
    r"cancel|delete|remove|erase|clear|drop|scrap|call\s+off|get\s+rid\s+of|take|wipe|"
    r"fix|keep|file|jot(?:\s+down)?|write(?:\s+down)?)\b\s*|"
    r"(?:me|us|it|that|this|everything|all|out|down|in)\b\s*(?=(?:to|of|about|that|on|"
    r"for|from|my|a|an|the|with|$))|"
    r"(?:a|an|the|my|our|any|another|some|this|that|(?-i:new(?=\s+[a-z]))|your|all|of|more)\b\s+|"
    r"(?:reminders?|notifications?|alerts?|notes?|invites?)\s+(?:to|for|of|about|that|"
    r"on)\s+|(?:calendar\s+)?(?:entry|event)\s+(?:called|named|titled|for)\s+|(?:on|"
    r"to|in|into)\s+(?:my|the|our)\s+(?:work\s+|personal\s+)?cal[ea]nd[ea]r\s*(?:for|"
    r"that|to|:)?\s*|"
    r"(?:to|of|about|that|for|on|at|in|from|by|with(?!\s+\w)|until|till|and|titled|"
    r"called|named|is|as|back|up|starting|between)\b\s*)+",
    re.IGNORECASE,
)
_EN_TAIL: Final = re.compile(
    r"(?:[\s,.;:!?]*(?:\b(?:to|on|in|into|onto|from|at|for|of|by|with|and|then|is|"
    r"are|was|will\s+be|starting|between|until|till|after|before|around|about|the|a|"
    r"an|my|it|that|this|back|up|forward|later|earlier|so|but|or|as|"
    r"please|thanks|thank\s+you|for\s+me|too|as\s+well|instead|anymore|now|ok(?:ay)?|"
    r"due|scheduled|(?:please\s+)?(?:set|save|add|book|schedule|note|remember|"
    r"register|file)\s+(?:it|this|that)(?:\s+(?:down|up|in))?|can\s+you\s+remind\s+me|"
    r"remind\s+me)|"
    r"(?:to|on|in|into|onto|from|off)\s+(?:my|the|our|house)\s+(?:(?:work|personal|"
    r"house)\s+)?(?:cal[ea]nd[ea]r|schedule|agenda|diary|planner)s?|every|each|"
    r"recurring|weekly|daily|monthly)(?=[\s,.;:!?]*$))+[\s,.;:!?]*$",
    re.IGNORECASE,
)
_KO_TAIL: Final = re.compile(
    r"(?:\s*(?:(?:해|돼|가|내|사)야\s?(?:해|돼|됨|함|합니다|됩니다|해요|돼요)|(?:캘린더|달력|일정|스케줄|스케쥴|플래너)(?:에|에다가?|에도|표에)|좀|"
    r"하나만|하나|한\s?번|꼭|미리|다시|혹시|그것|"
    r"그거|이거|부탁(?:해|해요|드려요|드립니다|드릴게요|합니다|할게|드려도\s?될까요|해도\s?될까)?|"
    r"(?:등록|추가|저장|기록|입력|설정|표시|메모|작성|예약|생성|세팅|공지|신청|변경|"
    r"연기|조정|수정|취소|삭제|제거|기억|알람|알림)(?:을|"
    r"를|도|만)?\s*(?:좀\s*)?(?:해|하|할|가능|부탁)(?:[가-힣]*)(?:\s*(?:줘|주세요|"
    r"주라|줄래|줄래요|주시겠어요|"
    r"주시겠습니까|주실\s?수\s?있(?:나요|으신가요|을까요)|줄\s?수\s?있(?:니|어|냐|나|"
    r"나요|을까)|주면\s?좋겠어요?|놔|둬|달라|라|"
    r"요))?|"
    r"(?:등록|추가|저장|기록|입력|설정|표시|메모|작성|예약|알람|알림)(?=\s*$)(?<=\s..)|"
    r"(?:넣|잡|적|세우|세워|올리|올려|옮기|옮겨|미루|미뤄|당기|당겨|바꾸|바꿔|지우|"
    r"지워|없애|빼|비우|비워|만들|맞춰|기억|알려|깨워|남겨|"
    r"잊지|적어|잡아|넣어|늦춰|앞당겨)[가-힣]*(?:\s*(?:줘|주세요|주라|줄래|줄래요|놔|"
    r"둬|달라|주시겠어요|주시겠습니까|"
    r"주실\s?수\s?있나요|줄\s?수\s?있(?:니|어|나|나요|을까)|말고|말라고|말아줘|말아|"
    r"마(?:라|세요)?|않(?:게|도록)(?:\s?해\s?(?:줘|주세요)?)?))?|"
    r"있(?:어|어요|습니다|음|다|는\s?(?:거|것|걸)|고|는데|으니까|거든|다고|다)|"
    r"잡혔(?:어|어요|음|다)|생겼(?:어|어요|음|다)|"
    r"할\s?(?:거야|예정이야|예정|게|거)|하는\s?(?:거|것|걸)|가는\s?(?:거|것)|"
    r"갈\s?(?:거야|게|예정이야|예정)|예정(?:이야|"
    r"입니다|이에요)?|"
    r"(?:이)?(?:라고|라는\s?거)|(?:이)?(?:야|에요|예요|입니다|임)|(?:으로|로)|(?:일정|"
    r"스케줄|스케쥴)(?:을|를|으로|로|"
    r"이|하나|은|도)?|줘|주세요|해줘|가능해|가능할까요?|돼|될까|요|이야|야|(?:(?<=\s)"
    r"(?:건|거|것|게|고|해|임|로|자|네))|"
    r"하기로\s?했(?:어|다))\s*[.,!?~]*\s*)+$",
)
_KO_HEAD: Final = re.compile(
    r"^(?:\s*(?:나|저|난|나는|저는|내가|제가|우리|내|제|나도|저도|혹시|야|그|그거|"
    r"있잖아|그리고|그럼|이제|참|아|저기|안녕|네|응|"
    r"음|좀|그게|다시|하루\s?종일|온종일|종일|매번|새로운|새|에|은|는|에는|까지|부터|"
    r"쯤|로|으로|의|이|가|,|에다가|(?:캘린더|달력|"
    r"일정|스케줄)(?:에|에다가?|에서|에는)(?=\s)|앞으로|정각에?|잊지\s?(?:마(?:라|세요)?|말고|말아(?:줘|\s줘|요)?))(?=[\s,.!]|$)[\s,.!]*)+",
)
_KO_STRAY: Final = re.compile(  # particles whose time has been taken away
    r"(?:(?<=\s)|^)(?:까지로|까지|부터|에서|에는|에도|에|의|로|으로|은|는|이|가|엔|쯤|"
    r"경|마다)(?=\s|$)",
)
_KO_JOSA: Final = re.compile(
    r"(?<=[가-힣A-Za-z0-9)])(?:을|를|은|는|이랑|에서|에게|한테|에|으로|까지|부터|이라고|라고)$",
)


def english_title(words: str) -> str:
    """Cut command words, articles and dangling joints from both ends; what remains is the title."""
    title = _settle(words, _EN_HEAD, _EN_TAIL)
    title = re.sub(
        r"\s+(?:on|to|in|into|onto|from)\s+(?:my|the|our)\s+(?:\w+\s+)?cal[ea]nd[ea]r\b",
        "",
        title,
        flags=re.IGNORECASE,
    )
    return _settle(title, _EN_HEAD, _EN_TAIL)


def korean_title(words: str) -> str:
    """The same for Korean: particles, command endings and fillers go, the name stays."""
    words = _KO_STRAY.sub(" ", words)
    title = _settle(words, _KO_HEAD, _KO_TAIL)
    shorter = _KO_JOSA.sub("", title)
    return shorter if len(shorter) > 1 else title


def _settle(words: str, head: "re.Pattern[str]", tail: "re.Pattern[str]") -> str:
    before, title = None, re.sub(r"\s+", " ", words).strip(_EDGE)
    while before != title:
        before = title
        title = tail.sub("", head.sub("", title)).strip(_EDGE)
    return _relabelled(title, words)


def _relabelled(title: str, words: str) -> str:
    """Give the labels of masks at the edges their brackets back: ``call [phone#1]``."""
    for label in set(re.findall(r"\[[a-z_]+#\d+\]", words)):
        name = re.escape(label[1:-1])
        title = re.sub(rf"\[?\b{name}\b\]?", label, title)
    return title


def without(
    text: str,
    spans: Sequence[tuple[int, int]],
    start: int = 0,
    end: int | None = None,
) -> str:
    """Return ``text[start:end]`` without the given spans of ``text``."""
    stop = len(text) if end is None else end
    pieces, at = [], start
    for a, b in sorted(spans):
        if b <= at or a >= stop:
            continue
        pieces.append(text[at : max(at, a)])
        at = max(at, b)
    pieces.append(text[at:stop])
    return " ".join(pieces)


_JOINTS: Final = re.compile(
    r"(?:\b(?:at|on|in|for|from|by|until|till|starting|beginning|between|around|about|of|the|every)"
    r"\s*){1,6}\Z",
    re.IGNORECASE,
)
_REACH: Final = 60  # characters before a time in which its prepositions stand


def widened(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Take the prepositions before a time away with it ("dinner at 7 at Luigi's")."""
    return [(_before_joints(text, start), end) for start, end in spans]


def _before_joints(text: str, start: int) -> int:
    begin = max(0, start - _REACH)
    joints = _JOINTS.search(text[begin:start])
    return start if joints is None else begin + joints.start()
