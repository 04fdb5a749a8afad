"""Korean words for dates."""

# Every reader takes what the lexer hands it; 12, 24, 31 and 59 are the calendar's own numbers.
# ruff: noqa: ARG001, ARG005, PLR2004

import re
from datetime import date, timedelta
from typing import Final

from moss_memory.language.times.clue import At, DateClue, Mod, Section
from moss_memory.language.times.feasts import NAMES, feast
from moss_memory.language.times.lexer import Rule, Scene, rule
from moss_memory.language.times.numerals import korean

WEEKDAYS: Final = "월화수목금토일"
WEEKDAY: Final = "[월화수목금토일](?:요일|욜)"
_MONTH_WORDS: Final = {
    "일월": 1,
    "이월": 2,
    "삼월": 3,
    "사월": 4,
    "오월": 5,
    "유월": 6,
    "육월": 6,
    "칠월": 7,
    "팔월": 8,
    "구월": 9,
    "시월": 10,
    "십월": 10,
    "십일월": 11,
    "십이월": 12,
}
MONTH: Final = (
    r"(?:(?:1[0-2]|0?[1-9])\s*월|십이월|십일월|(?<![가-힣])(?:일월|이월|삼월|사월|"
    r"오월|유월|육월|칠월|팔월|구월|시월|십월))"
    r"(?:달)?(?!요일|욜|급|세(?!\s*번)|간지|드컵|경)"
)
_SINO_DAY: Final = r"(?:[이삼]?십[일이삼사오육칠팔구]?|[일이삼사오육칠팔구])"
_AFTER_DAY: Final = (
    r"\s*일(?!정(?!도)|간|본|상|찍|부터\s*일|기|반|단|주일|등|째|차(?!에)|곱|요일|욜)"
)
_YEAR: Final = r"(?:(?P<year>(?:19|20)\d\d|\d\d|이천[가-힣]{1,4}?)\s*년)"
_NTH: Final = (
    r"(?:첫\s*(?:번\s*째|째)?|둘\s*째|셋\s*째|넷\s*째|다섯\s*째|두\s*번\s*째|"
    r"세\s*번\s*째|네\s*번\s*째|다섯\s*번\s*째|"
    r"[1-5]\s*번\s*째|마지막)"
)
_MODS: Final[dict[str, Mod]] = {
    "이번": "this",
    "이": "this",
    "금": "this",
    "다음": "next",
    "담": "next",
    "차": "next",
    "내": "next",
    "다다음": "after_next",
    "다담": "after_next",
    "저번": "last",
    "지난": "last",
    "전": "last",
    "오는": "coming",
    "다가오는": "coming",
    "돌아오는": "coming",
    "지지난": "last",
    "저저번": "last",
    "요번": "this",
    "그다음": "coming",
    "그 다음": "coming",
}
_OFFSETS: Final = {
    "이번": 0,
    "요번": 0,
    "이": 0,
    "금": 0,
    "다음": 1,
    "담": 1,
    "차": 1,
    "내": 1,
    "오는": 1,
    "다가오는": 1,
    "돌아오는": 1,
    "다다음": 2,
    "다담": 2,
    "저번": -1,
    "지난": -1,
    "전": -1,
    "지지난": -2,
    "저저번": -2,
}
_MOD: Final = r"(?:다다음|다담|다음|담|이번|요번|저저번|저번|지지난|지난|다가오는|돌아오는|오는)"
_RELATIVE: Final = {
    "오늘": 0,
    "금일": 0,
    "당일": 0,
    "내일": 1,
    "낼": 1,
    "명일": 1,
    "익일": 1,
    "모레": 2,
    "모래": 2,
    "내일모레": 2,
    "낼모레": 2,
    "글피": 3,
    "그글피": 4,
    "어제": -1,
    "어저께": -1,
    "작일": -1,
    "그제": -2,
    "그저께": -2,
    "엊그제": -2,
    "엊그저께": -2,
    "그끄저께": -3,
    "그끄제": -3,
    "그그저께": -3,
}


def nth_of(word: str) -> int | None:
    """Read an ordinal: "첫째" is 1, "마지막" is -1."""
    plain = re.sub(r"\s+|번|째", "", word)
    if plain == "마지막":
        return -1
    return korean(plain)


def _month(word: str | None) -> int | None:
    if not word:
        return None
    plain = re.sub(r"\s+|달$", "", word)
    return _MONTH_WORDS.get(plain) or korean(plain.removesuffix("월"))


def _year(word: str | None) -> int | None:
    if not word:
        return None
    number = korean(word)
    if number is None:
        return None
    return number + (2000 if number < 70 else 1900) if number < 100 else number


def _full(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    group = match.groupdict()
    day = korean(group["day"])
    if day is None or not 1 <= day <= 31:
        return None
    return DateClue(year=_year(group.get("year")), month=_month(group["month"]), day=day)


def _month_only(match: "re.Match[str]", scene: Scene) -> DateClue:
    mod = match["mod"]
    return DateClue(
        year=_year(match["year"]),
        month=_month(match["month"]),
        mod=_MODS[mod] if mod else None,
    )


def _numeric(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    month, day = int(match["a"]), int(match["b"])
    year = _year(match["y"]) if match["y"] else None
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return DateClue(year=year, month=month, day=day)


def _iso(match: "re.Match[str]", scene: Scene) -> DateClue:
    found = date(_year(match["y"]) or 0, int(match["m"]), int(match["d"]))
    return DateClue(year=found.year, month=found.month, day=found.day)


def _compact(match: "re.Match[str]", scene: Scene) -> DateClue:
    word = match.group()
    found = date(int(word[:4]), int(word[4:6]), int(word[6:]))
    return DateClue(span=(found, found + timedelta(days=1)))


def _weekday(match: "re.Match[str]", scene: Scene) -> DateClue:
    mod = match["mod"]
    return DateClue(weekday=WEEKDAYS.index(match["name"][0]), mod=_MODS[mod] if mod else None)


def _relative(match: "re.Match[str]", scene: Scene) -> DateClue:
    return DateClue(days=_RELATIVE[re.sub(r"\s", "", match.group())])


def _week(match: "re.Match[str]", scene: Scene) -> DateClue:
    return DateClue(week=_OFFSETS[match["mod"]])


def _weekend(match: "re.Match[str]", scene: Scene) -> DateClue:
    mod = match["mod"]
    return DateClue(weekend=True, mod=_MODS[mod] if mod else None)


def _months(match: "re.Match[str]", scene: Scene) -> DateClue:
    return DateClue(months=_OFFSETS[match["mod"]])


def _years(match: "re.Match[str]", scene: Scene) -> DateClue:
    return DateClue(years=_YEARS[re.sub(r"\s", "", match.group("w"))])


_YEARS: Final = {
    "올해": 0,
    "금년": 0,
    "이번해": 0,
    "내년": 1,
    "다음해": 1,
    "명년": 1,
    "내후년": 2,
    "작년": -1,
    "지난해": -1,
    "재작년": -2,
    "저작년": -2,
}


def _section(match: "re.Match[str]", scene: Scene) -> DateClue:
    return DateClue(section=_SECTIONS[re.sub(r"\s", "", match["where"])])


_SECTIONS: Final[dict[str, Section]] = {
    "초": "early",
    "초순": "early",
    "상순": "early",
    "중순": "mid",
    "중": "mid",
    "말": "late",
    "하순": "late",
    "후반": "late",
    "초반": "early",
    "중반": "mid",
    "말일": "last_day",
    "마지막날": "last_day",
    "첫날": "first_day",
    "마지막일": "last_day",
    "말경": "late",
}


def _month_end(match: "re.Match[str]", scene: Scene) -> DateClue:
    word = match.group()
    section: Section = "early" if word.endswith("초") else "late"
    if word.startswith("월"):
        return DateClue(section=section, months=0)
    return DateClue(section=section, years=0)


def _nth_week(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    nth = nth_of(match["nth"])
    bare = match["nth"].isdigit() and "차" not in match.group()  # "2주" is a length
    return None if nth is None or bare else DateClue(nth_week=nth)


def _nth_weekday(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    nth = nth_of(match["nth"])
    return None if nth is None else DateClue(nth=nth, weekday=WEEKDAYS.index(match["name"][0]))


def _quarter(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    number = korean(match["n"])
    return DateClue(quarter=number) if number in (1, 2, 3, 4) else None


def _next_quarter(match: "re.Match[str]", scene: Scene) -> DateClue:
    month = scene.now.month
    return DateClue(quarter=((month - 1) // 3 + 1) % 4 + 1, years=int(month > 9))


def _whole_year(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    """Read "2026년"; a bare "3년" is a length."""
    return DateClue(year=_year(match["year"])) if (korean(match["year"]) or 0) > 1900 else None


def _half_year(match: "re.Match[str]", scene: Scene) -> DateClue:
    return DateClue(half_year=1 if match.group().startswith("상") else 2)


def _season(match: "re.Match[str]", scene: Scene) -> DateClue:
    months = {"봄": 3, "여름": 6, "가을": 9, "겨울": 12}[match["s"]]
    year = scene.now.year + _OFFSETS.get(match["mod"] or "", 0)
    if match["w"]:
        year = scene.now.year + _YEARS.get(re.sub(r"\s", "", match["w"]), 0)
    start = date(year, months, 1)
    end = date(year + (months == 12), (months + 2) % 12 + 1, 1)
    return DateClue(span=(start, end))


def _feast(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    year = _year(match["year"])
    if match["w"]:
        year = scene.now.year + _YEARS[match["w"]]
    return feast(match["name"], scene.now.date(), year, last=match["mod"] == "지난")


def _day_only(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    day = korean(match["day"])
    if day is None or not 1 <= day <= 31:
        return None
    mod = match["mod"]
    if mod is not None:
        return DateClue(day=day, mod=None)
    return DateClue(day=day)


DATE_RULES: Final[tuple[Rule, ...]] = (
    rule(
        r"(?<!\d)(?P<y>\d{4}|\d{2})\s?[.\-/년]\s?(?P<m>\d{1,2})\s?[.\-/]\s?(?P<d>\d{1,2})"
        r"(?:\.(?!\d))?(?![\d])",
        _iso,
    ),
    rule(r"(?<!\d)(?:19|20)\d{6}(?!\d)", _compact),
    rule(
        rf"(?:{_YEAR}\s*)?(?P<month>{MONTH})의?\s*(?P<day>\d{{1,2}}|"
        rf"{_SINO_DAY}){_AFTER_DAY}",
        _full,
    ),
    rule(r"(?<![\d/.:-])(?P<a>\d{1,2})\s?/\s?(?P<b>\d{1,2})(?P<y>)(?![\d/%])", _numeric),
    rule(r"(?<![\d/.:-])(?P<a>0\d|1[0-2])-(?P<b>\d{2})(?P<y>)(?![\d-])", _numeric),
    rule(
        r"내일\s?모레|낼\s?모레|그끄저께|그끄제|그그저께|엊그저께|엊그제|그저께|어저께|"
        r"그글피|글피|오늘|금일|당일(?=\s|에|$)|"
        r"(?<![가-힣])(?:내일|낼(?=\s|$)|명일|익일|모레|모래|어제|작일|그제)|내일",
        _relative,
    ),
    rule(
        rf"(?:(?:{_YEAR}|(?P<w>올해|금년|내년|작년|지난해))\s*)?(?:(?P<mod>{_MOD})\s*|"
        r"(?<![가-힣]))"
        r"(?P<s>여름|겨울|가을)(?=\s|에|철|방학|$)",
        _season,
    ),
    rule(
        rf"(?:(?:{_YEAR}|(?P<w>올해|금년|내년|작년|지난해)|(?P<mod>지난|다음))"
        rf"\s*)?(?P<name>{NAMES})"
        r"(?:\s?연휴|\s?당일)?",
        _feast,
        NAMES,
    ),
    rule(
        r"(?<=일)이?\s*(?:있는|포함된|낀|들어\s?있는)\s*주(?=\s|에|$|의)",
        lambda m, s: DateClue(around="week"),
    ),
    rule(rf"(?P<nth>{_NTH})\s*(?P<name>{WEEKDAY})", _nth_weekday),
    rule(rf"(?P<nth>{_NTH}|[1-5])\s*주(?:차)?(?!일|년|말|간)", _nth_week),
    rule(
        r"(?<![가-힣])(?P<mod>다다음|다담|다음|담|이번|요번|저저번|저번|지지난|지난|오는|"
        r"다가오는|돌아오는|금|차|이)"
        r"\s?주(?!일(?!정)|년|문|민|소|식|인|말|간(?!근))",
        _week,
    ),
    rule(r"(?<![가-힣])(?P<mod>내)주(?=\s|에)", _week),
    rule(rf"(?:(?P<mod>{_MOD})\s*)?(?<!매)주말(?!농장)", _weekend),
    rule(r"주중|평일", lambda m, s: DateClue(weekdays=True)),
    rule(rf"(?:(?P<mod>{_MOD}|그\s?다음)\s*)?(?P<name>{WEEKDAY})", _weekday),
    rule(
        r"(?<![가-힣])(?P<mod>다다음|다담|다음|담|이번|요번|저저번|저번|지지난|지난|오는|"
        r"이)\s?(?:달|월)(?!라|력|콤|성|리|"
        r"요일)",
        _months,
    ),
    rule(
        r"(?<![가-힣])(?P<w>올해|금년|내년|작년|지난해|내후년|재작년|이번\s?해|다음\s?해)",
        _years,
    ),
    rule(r"(?P<n>[1-4]|[일이삼사])\s*사?\s*분기", _quarter),
    rule(r"(?<![가-힣])다음\s?분기", _next_quarter),
    rule(r"상반기|하반기", _half_year),
    rule(r"(?<![가-힣])(?:월말|월초|연말|연초)", _month_end),
    rule(rf"(?:{_YEAR}\s*)(?P<month>{MONTH})(?P<mod>)", _month_only),
    rule(rf"(?:(?P<mod>{_MOD})\s*)?(?P<month>{MONTH})(?P<year>)", _month_only),
    rule(r"(?P<where>중순|초순|상순|하순|말일|마지막\s?날|첫\s?날|후반|초반)", _section),
    rule(r"(?<=[월달주년해])의?\s*(?P<where>초|말|중순)(?=\s|에|쯤|까지|부터|$|경)", _section),
    rule(rf"{_YEAR}(?!\s*(?:전|후|뒤|간|동안|내|안|만))", _whole_year),
    rule(
        r"(?:(?P<mod>다가오는|오는)\s*)?(?<![가-힣\d])(?P<day>[0-3]?\d|"
        r"[이삼]?십[일이삼사오육칠팔구]?|"
        r"[삼사육칠팔구](?=\s*일(?:에|까지|부터|날)))\s*일(?!정(?!도)|간|본|상|후|뒤|전|동안|내|"
        r"안(?!에\s*[가-힣]+[을를])|이내|째|차|만에|기|반|주일|등|곱|\s*(?:후|뒤|전|"
        r"동안|이내|안에|내에|간))",
        _day_only,
    ),
    rule(r"방금(?:\s?전)?|지금(?:\s?당장)?", lambda m, s: At(s.now, "second")),
)
