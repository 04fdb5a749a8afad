"""What a clause about the calendar claims: which predicate, which title."""

import re
from typing import Final

from moss_memory.language import english_words, korean_words
from moss_memory.language.titles import english_title, korean_title

VACATION: Final = "Vacation"  # the one value that a vacation may have

_EN_LEAVE: Final = re.compile(
    rf"\b{english_words.LEAVE}\b|\b(?:i|we)(?:'m|'ll|'re|\s+am|\s+are|\s+was|\s+were|"
    rf"\s+will)?\s+(?:\w+\s+){{0,2}}?(?:be\s+)?(?:off|away|out)\b(?!\s+(?:to|with|for)"
    r"\b)|"
    r"\b(?:taking|take|took|have|having|need|get|want)\b.{0,40}?\boff\b(?!\s+(?:of\s+)?(?:my|the|our)\b)|\bnot\s+(?:working|coming\s+in)\b|"
    r"\bwon'?t\s+be\s+(?:working|in|at\s+work|available)\b",
    re.IGNORECASE,
)
_EN_MEETING: Final = re.compile(
    r"\b(?:meetings?|mtg|calls?|reviews?|sync|stand-?ups?|interviews?|workshops?|"
    r"planning|discussions?|party|policy)\b",
    re.IGNORECASE,
)
_EN_NOTE: Final = re.compile(
    r"\b(?:remind(?:er|ers)?|notes?|remember|deadlines?|due|birthdays?|b-?days?|"
    r"anniversar(?:y|ies)|bills?|expires?|renew(?:al)?|submit|holiday)\b",
    re.IGNORECASE,
)
_KO_NOTE: Final = re.compile(
    r"메모|알람|알림|리마인드|마감|기한|생일|생신|기념일|제출|납부|반납|반품|월급|"
    r"공휴일|기일|제사|만기|적어|기억해|여행",
)
_KO_MEETING: Final = re.compile(
    r"회의|미팅|약속|면담|면접|회식|통화|콜|리뷰|스탠드업|인터뷰|워크숍|워크샵|세미나|계획|준비",
)
_EN_MOVED: Final = re.compile(rf"\b{english_words.EVENT}\b", re.IGNORECASE)


def vacation_said(words: str, *, hangul: bool) -> bool:
    """Whether the words claim leave, and not a meeting about leave."""
    if hangul:
        found = list(korean_words.LEAVE_WORD.finditer(words))
        return bool(found) and not _KO_MEETING.search(
            words[found[-1].end() :].split("등록", maxsplit=1)[0],
        )
    found = list(_EN_LEAVE.finditer(words))
    return bool(found) and not _EN_MEETING.search(words)


def predicate_of(words: str, *, hangul: bool, clocked: bool, deadline: bool = False) -> str:
    """Name the predicate that the words claim: vacation, meeting or note.

    ``clocked`` says that a time of day is named, ``deadline`` that it is an end ("by Friday").
    """
    if vacation_said(words, hangul=hangul):
        return "vacation"
    if hangul:
        if _KO_MEETING.search(words) and not re.search(r"메모|알람|알림|리마인드", words):
            return "meeting"
        if deadline or _KO_NOTE.search(words):
            return "note"
        return "meeting" if clocked or korean_words.EVENT_WORD.search(words) else "note"
    if deadline or _EN_NOTE.search(words):
        return "note"
    return "meeting" if clocked or _EN_MOVED.search(words) else "note"


def target_predicate(words: str, *, hangul: bool) -> str | None:
    """Name the predicate of the memory that is meant; None where the words leave it open."""
    if vacation_said(words, hangul=hangul):
        return "vacation"
    if hangul:
        if re.search(r"메모|알람|알림|리마인더", words):
            return "note"
        return (
            "meeting"
            if re.search(
                r"회의|미팅|약속|면담|면접|회식|통화|리뷰|스탠드업|인터뷰|진료|치과|예약",
                words,
            )
            else None
        )
    if re.search(r"\b(?:reminders?|notes?|deadlines?|birthdays?)\b", words, re.IGNORECASE):
        return "note"
    return (
        "meeting"
        if re.search(
            r"\b(?:meetings?|calls?|reviews?|sync|stand-?ups?|interviews?|"
            r"appointments?|lunch|dinner|breakfast|1:1|one-on-one)\b",
            words,
            re.IGNORECASE,
        )
        else None
    )


def title_of(words: str, *, hangul: bool) -> str | None:
    """Clean the words to a title; None where nothing is left."""
    title = korean_title(words) if hangul else english_title(words)
    return title[:200] or None


_EN_DULL: Final = frozenset(
    """
    a an the my our your all any every everything anything some of for with to from on in at
    by about and or what when where who which how why is are am was were do does did have has
    had got i me we us you it its this that these those there be been can could will would
    should please show tell list give find check see look know let get me many much time times
    day date dates calendar calender schedule scheduled agenda diary events event plans plan
    planned meeting meetings appointment appointments reminder reminders booked free busy
    available availability going happening coming up next upcoming today tomorrow yesterday
    week month year morning afternoon evening tonight night still left out not no summarize
    summary summarise info information details detail need want like off vacation leave pto
    holiday holidays work working live name day's s m re ve d ll o'clock whats currently more
    other else long soon start end first last set list remind
    """.split(),  # noqa: SIM905 - words read best as words
)
_KO_DULL: Final = re.compile(
    r"^(?:나|내|저|제|난|전|우리|뭐|뭔|무엇|무슨|언제|언젠|어디|어딘|몇|개|누구|어떤|"
    r"어떻게|왜|얼마|혹시|좀|다|모두|전부|모든|그|"
    r"그거|이거|거|것|게|건|중|중에|일정|스케줄|스케쥴|캘린더|달력|약속|회의|미팅|"
    r"계획|알려|보여|말해|요약|확인|찾아|있|없|휴가|연차|쉬|"
    r"쉰|쉴|"
    r"싹|시간|예정|잡|등록|추가|비어|비|바쁘|바빠|해|하|줘|줄|되|돼|수|날|언제까지|"
    r"현재|남은|오늘|내일|살|이름|뭘|좋아|싫어|둔|해야)",
)
_KO_ENDING: Final = re.compile(
    r"(?:이랑|에서|에게|한테|까지|부터|으로|이나|에는|에도|에|을|를|은|는|이|가|과|와|"
    r"랑|하고|의|로|도|만|이지|지|니|야|인지|인가|"
    r"이야|죠|나|요|이었|였|인데|꺼|거)+$",
)


def topics(words: str, *, hangul: bool) -> tuple[str, ...]:
    """Name the words of a question that narrow it: neither grammar nor calendar talk."""
    if hangul:
        cut = (_KO_ENDING.sub("", word) or word for word in re.findall(r"[가-힣A-Za-z0-9]+", words))
        return tuple(
            dict.fromkeys(word for word in cut if len(word) > 1 and not _KO_DULL.match(word)),
        )
    found = re.findall(r"[A-Za-z0-9][\w'-]*", words.lower())
    plain = (word.removesuffix("'s") for word in found)
    return tuple(dict.fromkeys(w for w in plain if w not in _EN_DULL and len(w) > 1))
