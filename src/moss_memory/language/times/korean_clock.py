"""Korean words for clock times, parts of the day, lengths and zones."""

# Every reader takes what the lexer hands it; 12, 24, 31 and 59 are the calendar's own numbers.
# ruff: noqa: ARG001, PLR2004

import re
from collections.abc import Sequence
from typing import Final

from moss_memory.language.times.clue import (
    Clock,
    DateClue,
    DayPart,
    DayPartName,
    Half,
    HalfDay,
    Length,
    Shift,
    Unit,
    Value,
    Zone,
)  # fmt: skip
from moss_memory.language.times.lexer import Rule, Scene, rule
from moss_memory.language.times.numerals import KOREAN_NATIVE, korean

_PARTS: Final[dict[str, DayPartName]] = {
    "오전": "morning",
    "아침": "morning",
    "오후": "afternoon",
    "저녁": "evening",
    "밤": "night",
    "새벽": "dawn",
    "낮": "noon",
    "점심": "lunch",
    "대낮": "noon",
    "한낮": "noon",
    "심야": "night",
}
_HOUR: Final = (
    r"(?P<hour>[01]?\d|2[0-4]|열한|열두|열하나|열둘|열|한|두|세|네|다섯|여섯|일곱|"
    r"여덟|아홉|(?:이십[일이삼사]?|"
    r"십[일이삼사오육칠팔구]?)(?=\s*시))"
)
_SINO60: Final = r"(?:[이삼사오]?십[일이삼사오육칠팔구]?|[일이삼사오육칠팔구])"
_SI: Final = (
    r"\s*시(?!간(?!\s*에)|작|험|장|내|청|외|즌|도|스|리|설|댁|대로|세|민|식|동|력|음|켜|키|골)"
)
_DAYS: Final = {
    "하루": 1,
    "이틀": 2,
    "사흘": 3,
    "나흘": 4,
    "닷새": 5,
    "엿새": 6,
    "이레": 7,
    "여드레": 8,
    "아흐레": 9,
    "열흘": 10,
    "보름": 15,
}
_COUNT: Final = rf"(?:\d+(?:\.\d+)?|몇|{KOREAN_NATIVE}|[일이삼사오육칠팔구십백]+)"
_AMOUNT: Final = (
    r"(?:(?P<native>하루|이틀|사흘|나흘|닷새|엿새|이레|여드레|아흐레|열흘|보름)|"
    rf"(?P<count>{_COUNT})\s*"
    r"(?P<unit>시간|분|초|주일|주|개월|달|년|해|일)|(?P<halfmonth>반나절))(?P<half>\s*반)?"
)
_UNITS: Final[dict[str, Unit]] = {
    "시간": "hour",
    "분": "minute",
    "초": "second",
    "주일": "week",
    "주": "week",
    "개월": "month",
    "달": "month",
    "년": "year",
    "해": "year",
    "일": "day",
}
_ZONES: Final[dict[str, str]] = {
    "America/New_York": r"(?:미국\s*)?동부(?:\s*표준)?\s*시간?|뉴욕(?:\s*현지)?\s*시간|ET|EST|EDT",
    "America/Los_Angeles": (
        r"(?:미국\s*)?서부(?:\s*표준)?\s*시간?|태평양\s*표준시|샌프란시스코\s*시간|"
        r"로스앤젤레스\s*시간|엘에이\s*시간|LA\s*시간|PT|PST|PDT"
    ),
    "America/Chicago": r"(?:미국\s*)?중부(?:\s*표준)?\s*시간?|시카고\s*시간|CST|CDT",
    "Europe/London": r"(?:런던|영국)(?:\s*현지)?\s*시간|BST",
    "Europe/Paris": r"(?:파리|프랑스)(?:\s*현지)?\s*시간|CET|CEST",
    "Europe/Berlin": r"(?:베를린|독일)(?:\s*현지)?\s*시간",
    "Asia/Seoul": r"(?:한국|서울)(?:\s*표준)?\s*시간?|KST",
    "Asia/Tokyo": r"(?:일본|도쿄)(?:\s*현지|\s*표준)?\s*시간|JST",
    "Asia/Shanghai": r"(?:중국|베이징|상하이)(?:\s*현지|\s*표준)?\s*시간",
    "Asia/Singapore": r"싱가포르(?:\s*현지)?\s*시간",
    "Asia/Kolkata": r"인도(?:\s*현지)?\s*시간",
    "Australia/Sydney": r"시드니(?:\s*현지)?\s*시간",
    "UTC": r"UTC|GMT|협정\s*세계시|그리니치\s*표준시",
}
_ZONE: Final = "(?:" + "|".join(_ZONES.values()) + r")(?:\s*기준)?(?:으로|로)?(?![A-Za-z])"


def _clock(match: "re.Match[str]", scene: Scene) -> Value | Sequence[Value] | None:
    group = match.groupdict()
    written = group["hour"]
    hour = korean(written)
    minute = 30 if group.get("thirty") else 0
    if group.get("minute"):
        minute = korean(group["minute"]) or 0
    if hour is None or hour > 24 or minute > 59:
        return None
    if group.get("back"):
        hour, minute = _back(hour, minute)
    second = korean(group["second"]) or 0 if group.get("second") else 0
    half = _latin_half(group.get("ampm"))
    exact = half is None and (hour > 12 or hour == 0)
    clock = Clock(hour=hour, minute=minute, second=second, half=half, exact=exact)
    part = group.get("part")
    return [DayPart(_PARTS[part]), clock] if part else clock


def _back(hour: int, minute: int) -> tuple[int, int]:
    """Read "다섯시 십분 전" is 4:50."""
    return (hour, 0) if minute == 0 else ((hour - 1) or 12, 60 - minute)


def _latin_half(word: str | None) -> Half | None:
    if not word:
        return None
    return "am" if word[0] in "aA" else "pm"


def _part(match: "re.Match[str]", scene: Scene) -> Value | Sequence[Value]:
    name = _PARTS[match["part"]]
    return DayPart(name)


def _amount(match: "re.Match[str]") -> tuple[float, Unit] | None:
    if match["native"]:
        return float(_DAYS[match["native"]]), "day"
    if match["halfmonth"]:
        return 6.0, "hour"
    word = match["count"]
    amount = (
        3.0
        if word == "몇"
        else float(word)
        if re.fullmatch(r"\d+(?:\.\d+)?", word)
        else korean(word)
    )
    if not amount:
        return None
    return float(amount) + (0.5 if match["half"] else 0), _UNITS[match["unit"]]


def _ahead(match: "re.Match[str]", scene: Scene) -> Value | None:
    amount = _amount(match)
    if amount is None or amount[0] > _LONGEST:
        return None
    return Shift(*amount, anchored=_anchored(match))


def _ago(match: "re.Match[str]", scene: Scene) -> Value | None:
    amount = _amount(match)
    if amount is None or amount[0] > _LONGEST:
        return None
    return Shift(-amount[0], amount[1], anchored=_anchored(match))


def _anchored(match: "re.Match[str]") -> bool:
    """Read "금요일에서 이틀 뒤": the words before name what to count from."""
    before = match.string[: match.start()].rstrip()
    bounded = match.string[match.end() :].startswith("까지")
    return bool(re.search(r"(?:에서|로부터|부터|의)$", before)) and not bounded


_LONGEST: Final = 1000  # "2018년 이후" is a year, not a length


def _bound(match: "re.Match[str]", scene: Scene) -> Value | None:
    amount = _amount(match)
    return None if amount is None else Shift(*amount, bound=True)


def _window(match: "re.Match[str]", scene: Scene) -> Value | None:
    amount = _amount(match)
    if amount is None:
        return None
    if (
        match["unit"] == "일"
        and match["way"] in ("다음", "다가오는")
        and not re.search(r"[간안내]에?$|동안$", match.group())
    ):
        return None  # "다가오는 31일" is a date
    back = match["way"].startswith(("지난", "최근"))
    return Shift(-amount[0] if back else amount[0], amount[1], window=True)


def _length(match: "re.Match[str]", scene: Scene) -> Value | None:
    amount = _amount(match)
    return None if amount is None else Length(*amount)


def _nights(match: "re.Match[str]", scene: Scene) -> Value | None:
    days = korean(match["days"])
    return None if days is None else Length(float(days), "day")


def _half_day(match: "re.Match[str]", scene: Scene) -> Value:
    word = match.group()
    return HalfDay("am" if "오전" in word else "pm" if "오후" in word else None)


def _named(match: "re.Match[str]", scene: Scene) -> Value:
    return Clock(hour=24 if "자정" in match.group() else 12, exact=True)


def _zone(match: "re.Match[str]", scene: Scene) -> Value | None:
    word = re.sub(r"\s*기준|(?:으로|로)$", "", match.group()).strip()
    return next(
        (
            Zone(name)
            for name, pattern in _ZONES.items()
            if re.fullmatch(pattern, word, re.IGNORECASE)
        ),
        None,
    )


def _neighbour(match: "re.Match[str]", scene: Scene) -> Value:
    """Read "...의 다음 날", "...의 전날"."""
    return Shift(-1 if "전" in match.group() else 1, "day", anchored=True)


def _leaving_work(match: "re.Match[str]", scene: Scene) -> Value:
    return Clock(hour=18, exact=True)


def _tonight(match: "re.Match[str]", scene: Scene) -> Sequence[Value]:
    word = match.group()
    if "어" in word:
        return DateClue(days=-1), DayPart("night")
    return DateClue(days=0), DayPart("evening" if "저녁" in word else "night")


def _soon(match: "re.Match[str]", scene: Scene) -> Value:
    """Read "이따가": some time today."""
    return DateClue(days=0)


def _lone_part(match: "re.Match[str]", scene: Scene) -> DayPart | None:
    return DayPart(_PARTS[match["part"].removesuffix("시간")]) if _standing(match) else None


def _standing(match: "re.Match[str]") -> bool:
    """A part of the day, not the first half of a compound such as "밤낮"."""
    after = match.string[match.end() : match.end() + 1]
    if match["part"] in ("밤", "낮"):
        return not after or not ("가" <= after <= "힣") or after in "에엔은이까부"
    return True


EARLY_RULES: Final[tuple[Rule, ...]] = (
    rule(
        r"(?:오전|오후)\s*반차|반차|반일\s*(?:휴가|연차)|(?:오전|오후)\s*반일\s*(?:휴가|"
        r"연차)?",
        _half_day,
    ),
    rule(
        r"(?<!\d)(?P<nights>\d{1,3}|[일이삼사오육칠팔구십]+)\s*박\s*(?P<days>\d+|"
        r"[일이삼사오육칠팔구십]+)\s*일",
        _nights,
    ),
    rule(r"어젯\s?밤|간밤", _tonight),
    rule(r"(?<=[일주달년말초날])의?\s*(?:다음\s*날|이튿날|전날)", _neighbour),
    rule(
        r"(?P<part>오전|오후|아침|저녁|밤|새벽|낮|점심|"
        rf"대낮)?(?:에)?\s*(?<![가-힣\d]){_HOUR}{_SI}\s*(?P<minute>[0-5]?\d|{_SINO60})"
        r"\s*분\s*(?P<back>전)",
        _clock,
    ),
    rule(
        rf"(?P<way>앞으로|다가오는|향후|지난|최근|다음)\s+{_AMOUNT}(?:\s*(?:동안|간|내에|"
        r"안에|이내에?))?(?!째|"
        r"\s*(?:뒤|후|전))",
        _window,
    ),
    rule(
        rf"(?<![가-힣\d]){_AMOUNT}\s*(?:있다가|있다|이따가|이후(?=에|로|$|\s)|후|뒤)(?!보|"
        r"반|기)(?:에|로|쯤)?",
        _ahead,
    ),
    rule(
        rf"(?<![가-힣\d]){_AMOUNT}\s*(?:이전|전)(?!부|체|화|문|략|자|시|달|주|통|원|등|망|"
        r"공)(?:에|쯤|으로)?",
        _ago,
    ),
    rule(rf"(?<![가-힣\d]){_AMOUNT}\s*(?:이내|안|내)(?:에|로)?(?=\s|$|[.,])", _bound),
    rule(rf"(?<![가-힣\d]){_AMOUNT}\s*(?:동안|간(?!식|호|담|격|단|다|절|부|사|편))", _length),
    rule(_ZONE, _zone, r"시간?|(?-i:[A-Z]{2})"),
)

CLOCK_RULES: Final[tuple[Rule, ...]] = (
    rule(
        rf"(?P<part>오전|오후|아침|저녁|밤|새벽|낮|점심|대낮)(?:에)?\s*{_HOUR}{_SI}\s*"
        rf"(?:(?P<minute>[0-5]?\d|{_SINO60})\s*분(?!위|식|야|기)(?:\s*(?P<second>[0-5]?\d|"
        rf"{_SINO60})\s*초)?|(?P<thirty>반(?!차|드|상|장|찬)))?",
        _clock,
    ),
    rule(
        rf"(?<![\d:])(?<![가-힣]){_HOUR}{_SI}\s*"
        rf"(?:(?P<minute>[0-5]?\d|{_SINO60})\s*분(?!위|식|야|기)(?:\s*(?P<second>[0-5]?\d|"
        rf"{_SINO60})\s*초)?|(?P<thirty>반(?!차|드|상|장|찬)))?",
        _clock,
    ),
    rule(
        r"(?P<part>오전|오후|아침|저녁|밤|새벽|낮|점심)?\s*(?<![\d:])(?P<hour>[01]?\d|"
        r"2[0-4]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?!\d)"
        r"(?:\s?(?P<ampm>[AaPp]\.?[Mm]\b))?",
        _clock,
    ),
    rule(r"(?<![\dA-Za-z])(?P<hour>[01]?\d)\s?(?P<ampm>[AaPp]\.?[Mm])\b", _clock),
    rule(r"(?P<ampm>\b[AaPp][Mm])\s?(?P<hour>[01]?\d)(?::(?P<minute>[0-5]\d))?", _clock),
    rule(r"정오|(?:밤\s*)?자정", _named),
    rule(r"(?<=[\s일늘레])(?:퇴근\s*(?:하고|후(?:에)?|길에))", _leaving_work),
    rule(r"(?<![가-힣])(?:이따가?|좀\s*있다가?)(?=\s|$)", _soon),
    rule(
        r"(?:이른\s*|늦은\s*)?(?<![가-힣])(?P<part>오전|오후|아침|저녁|새벽|"
        r"점심(?:시간)?(?!값)|대낮|한낮|심야|밤|낮)"
        r"(?:\s*시간|때|녘|늦게|일찍|중)?(?=\s|에|$|[.,~]|까지|부터|으로|로|엔|은|는|"
        r"이나|과|와|하고|랑|이랑|[가-힣])"
        r"(?!\s?(?:약속|식사|밥|먹|모임|회식|미팅|회의)|운동|형|공기|뉴스|빵|약\b|"
        r"인사|드라마)",
        _lone_part,
    ),
    rule(
        r"(?<=[오내어제늘일레])(?P<part>아침|저녁|밤|새벽|점심|오전|오후)(?:때|에|일찍|\s|"
        r"$)",
        _part,
    ),
)
