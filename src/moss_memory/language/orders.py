"""Words that want to steer the assistant instead of telling a fact, and signs that a fact is told.

Only what a model claims is held against these: a model that obeys a pasted page finds its orders
in the very words, so that grounding alone would let them through. Orders come as rules for
answering, as triggers ("if anyone asks ..."), as new meanings of words, as roles, and as
somebody else's sentence to be kept.
"""

import re
from typing import Final

# What the speaker does or did is no order, nor is what they like others to do.
_OWN_DOING: Final = re.compile(
    r"\b(?:remind\s+me\s+to|(?:i|we)\s+(?:(?:already|always|usually|often|never|just)\s+)?"
    r"(?:(?:need|have|want|ought|plan)\s+to\s+|(?:must|should|will|can)\s+)?|"
    r"i'll|we'll|(?:i'm|i\s+am|we're|we\s+are)\s+going\s+to)\s*"
    r"(?:answer|reply|respond|tell|recommend|mention|promote|suggest|trust|praise|send|forward|mail|"
    r"post|upload|share|approved?|copy|told|asked|said|say)\b|"
    r"\b(?:love|like|prefer|hate|can'?t\s+stand)(?:\s+it)?\s+when\s+(?:you|people|they|some\w+)"
    r"\s+\w+\b(?!\s+(?:that|with)\b)|\b(?:if|when)\s+(?:any|some)?(?:one|body|people)\s+asks?,?\s+(?=i\s+(?!want|need|expect))|"
    r"(?:나는|난|저는|전)\s+\S{1,10}라고\s?(?:해|합니다)",
    re.IGNORECASE,
)
_OF_ONESELF: Final = (  # behind a colon: what is the speaker's own, or has a time
    r"\b(?:i|i'm|my|we|our)\b|\d|\bnoon\b|\b(?:to(?:day|morrow|night)|(?:mon|tues|wednes|thurs|fri|"
    r"satur|sun)days?)\b"
)
_EN_ORDER: Final = re.compile(
    r"\b(?:if|when|whenever|once|as\s+soon\s+as|every\s+time|each\s+time)\s+(?:any(?:one|body)|"
    r"some(?:one|body)|people|they|the\s+(?:reader|user)|i|you)\s+(?:\w+\s+){0,2}?"
    r"(?:asks?|says?|wants?|mentions?|thanks?|repl(?:y|ies)|writes?|types?|see|answer)\b|"
    r"\b(?:answer|reply|respond|tell\s+(?:them|him|her|everyone|people|users?))\b.{0,40}\bthat\b|"
    r"\b(?:as|is)\s+a\s+(?:standing\s+)?(?:rule|policy|instruction)\b"
    r"(?!,?\s+i\s+(?!want\b|need\b|expect\b|ask\b))|"
    r"\b(?:means|now\s+mean|stands\s+for|refers\s+to)\b|"
    r"\b(?:word|term|name)\s+\S+\s+(?:now\s+)?(?:is|means)\b|"
    r"\byou\s+are\s+(?:now|an?|the)\b|\b(?:admin|developer|god|root)\s+mode\b|"
    r"\b(?:ignore|forget|disregard|override|bypass|skip)\s+(?:\w+\s+){0,3}"
    r"(?:rules?|instructions?|prompts?|polic(?:y|ies)|checks?|guidelines?|conflicts?)\b|"
    r"^\W*(?:system|assistant|developer)\b\s*[:>\]]|\ball\s+assistants?\b|"
    r"\b(?:translate|repeat|memori[sz]e|copy|store|save|remember|keep)\b[^.]{0,40}"
    r"(?:\bverbatim\b|\bword\s+for\s+word\b|\bas\s+a\s+rule\b)|"
    r"\b(?:translate|repeat|memori[sz]e|copy)\b[^.:]{0,40}(?::(?!\d)|\bfollowing\b)|"
    rf"\b(?:store|save|remember|keep)\b[^.:]{{0,40}}:\s*(?!\d)(?:[\"'“‘«]|(?!.*(?:{_OF_ONESELF})))|"
    r"\b(?:always|never)\s+(?:recommend|mention|promote|suggest|praise|trust|answer|reply|respond|"
    r"say|tell)\b|"
    r"\b(?:recommend|mention|promote|suggest|trust|praise)\b.{0,30}"
    r"\b(?:first|always|each|every|most|best|over)\b|\bin\s+(?:each|every|all)\s+"
    r"(?:answer|repl|response|topic|calendar)|"
    r"\b(?:send|forward|mail|post|upload|share)\b.{0,60}(?:@|://|\[email#|\bcopy\b)|"
    r"\bapproved?\b.{0,30}\b(?:all|every|open|pending|requests?|questions?)\b|"
    r"\b(?:told|asked|wants|says|said)\s+(?:me\s+)?(?:that\s+)?(?:you|the\s+assistant)\b",
    re.IGNORECASE,
)
_KO_ORDER: Final = re.compile(
    r"(?:라고|다고|냐고|자고|달라고|이라고)\s?(?:하면|말하면|물으면|물어보면|하거든|답하|대답|말해|해라|해\b)|"
    r"(?:물어보면|물으면|질문하면|언급되면|(?:말|얘기|이름|주제)(?:이|가)?\s?나오면|말하면|고마워하면|인사하면)|"
    r"(?:뜻하|의미하|뜻이야|의미야|가리키)|(?:규칙|원칙)(?:이야|이다|이니|이에요|입니다|으로|처럼)|"
    r"(?:이제|지금)부터\s?(?:너|넌|네가|당신|모든)|(?:너|넌|당신)(?:는|은)?\s.{0,12}(?:관리자|비서|모드)|"
    r"관리자\s?모드|^\W*(?:시스템|어시스턴트|개발자)\s*[:>\]]|지시(?:를|대로|사항(?:을|대로|이))|무시하(?:고|라|세요)|"
    r"(?:다음|아래|위)\s?(?:문장|내용|글|말)(?:을|를)?.{0,20}"
    r"(?:외워|번역|따라|(?:기억|저장)(?!\S{0,5}\s?:\s*[^\s\"'“‘「『]))|"
    r"(?<![가-힣])(?:제일|가장|항상|먼저|매번|늘)(?=\s).{0,20}(?:추천|언급|답(?:해|하)|대답|말해)|"
    r"(?:추천|언급)(?:해|하도록|하라)|(?:로|에게|한테)\s?(?:보내|전송|전달|공유)(?:도록|하라|해라|게)|"
    r"(?:모두|전부|모든|다)\s?승인|승인(?:된|한)\s?(?:것으로|걸로)|(?:따르면|에\s?의하면)",
)
_LIKING: Final = re.compile(
    r"\b(?:lik(?:e[sd]?|ing)|lov(?:e[sd]?|ing)|prefer\w*|favou?r\w*|enjoy\w*|into|fan|fond|adore\w*|"
    r"rather|better|best|usually|crav\w+|keen|hate[sd]?|dislike\w*|detest|loathe|can'?t\s+stand|allergic|go-to|"
    r"(?:not|n'?t|never)\s+(?:\w+\s+){0,2}(?:eat|drink|want|touch|care|do|use|take|have|go))\b|"
    r"\w+n'?t\s+(?:\w+\s+)?(?:eat|drink|want|touch)\b|\bno\s[\w\s]+\bfor\s+me\b|\bmy\s+thing\b|"
    r"\bi\s+(?:always|only|often|never)\s+(?:eat|drink|order|have|take|pick|choose|listen|watch|read)\b|"
    r"\bfor\s+me\b.{0,40}\bbeats\b|알레르기|(?:항상|늘|매일|자주)\s.{0,20}(?:마셔|먹어|들어|봐|골라|타|입어|마신다|먹는다)|"
    r"좋|선호|사랑|즐기|즐겨|최고|취향|낫|나아|원해|끌려|꽂|자주|주로|싫|별로|질색|못\s?먹|않|안\s",
    re.IGNORECASE,
)
_TOLD: Final = {  # how people say it of themselves
    "name": r"\bname\b|\bcall(?:ed)?\b|\b(?:i'm|i\s+am|this\s+is)\b"
    r"|이름|불러|라고\s?해|(?:나는|난|저는|전)\s",
    "works_at": r"\bwork|\bjob\b|\bemploy|\bjoin|\bcompany\b"
    r"|\bi'?m\s+(?:now\s+)?(?:at|with)\b|일하|일해|다니|다녀|근무|회사|직장|입사|이직",
    "lives_in": r"\bliv(?:e|es|ed|ing)\b|\bbased\b|\bhome\b|\bmov|\bresid|\bstay|살|거주|이사|집",
    "speaks": r"\bspeak|\blanguage|\bfluent|\bnative\b|\btalk|말|구사|언어|할\s?줄|하는|써",
}
_SENTENCE: Final = 8  # words of a title; what is longer is a sentence, and has to be read as one


def orders_the_assistant(text: str, *, hangul: bool) -> bool:
    """Tell whether ``text`` wants to steer what the assistant does or says."""
    order = _KO_ORDER if hangul else _EN_ORDER
    return order.search(_OWN_DOING.sub(" ", text)) is not None


def tells_liking(text: str) -> bool:
    """Tell whether ``text`` says that somebody likes or dislikes something."""
    return _LIKING.search(text) is not None


def tells_of_oneself(predicate: str, text: str) -> bool:
    """Tell whether ``text`` has a word that goes with ``predicate`` (name, works_at ...)."""
    return re.search(_TOLD[predicate], text, re.IGNORECASE) is not None


def too_long_a_title(value: str) -> bool:
    """Tell whether ``value`` has more words than a title has."""
    return len(value.split()) > _SENTENCE
