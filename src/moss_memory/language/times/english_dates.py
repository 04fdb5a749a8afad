"""English words for dates."""

# Every reader takes what the lexer hands it; 12, 24, 31 and 59 are the calendar's own numbers.
# ruff: noqa: ARG001, ARG005, PLR2004

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from moss_memory.language.times.clue import (
    At,
    Clock,
    DateClue,
    DayPart,
    Mark,
    Value,
)  # fmt: skip
from moss_memory.language.times.english_names import (
    MOD,
    MODS,
    MONTH,
    OFFSET,
    WEEKDAY,
    mod_of,
    month_number,
    weekday_number,
    year_of,
)  # fmt: skip
from moss_memory.language.times.english_units import (
    end_of_said,
    nth_said,
    quarter_said,
    rest_said,
    section_said,
    unit_said,
    week_number_said,
)  # fmt: skip
from moss_memory.language.times.feasts import NAMES, feast
from moss_memory.language.times.lexer import Rule, Scene, rule
from moss_memory.language.times.numerals import ENGLISH_CARDINAL, ENGLISH_ORDINAL, english

_DAY: Final = rf"(?:[0-3]?\d(?:st|nd|rd|th)?|{ENGLISH_ORDINAL})(?!\d|:\d|\s*(?:am|pm|a\.m|p\.m)\b)"
_YEAR: Final = r"(?:[12]\d{3}|'\d\d)"


def _weekday_day(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    """Read "Friday 23", "Mon 13th"."""
    day = int(match["day"])
    return DateClue(weekday=weekday_number(match["name"]), day=day) if 1 <= day <= 31 else None


def _weekdays_away(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    """Read "2 Thursdays ago", "4 Tuesdays from now"."""
    count, weekday = english(match["count"]) or 1, weekday_number(match["name"])
    if weekday is None:
        return None
    ahead = (weekday - scene.now.weekday()) % 7 or 7
    if match["way"].lower() in ("ago", "back"):
        return DateClue(days=(ahead if ahead < 7 else 0) - 7 * count)
    return DateClue(days=ahead + 7 * (count - 1))


def _named(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    """A month name beside a day number, either order, with or without a year."""
    group = match.groupdict()
    day = english(group["day"])
    if day is None or not 1 <= day <= 31:
        return None
    month = month_number(group["month"])
    weekday = weekday_number(group["weekday"]) if group.get("weekday") else None
    return DateClue(month=month, day=day, year=year_of(group.get("year")), weekday=weekday)


def _day_pair(match: "re.Match[str]", scene: Scene) -> Sequence[Value] | None:
    """Two day numbers of one month: "Feb 22-27", "20 to 25 June", "March 2 and 3"."""
    group = match.groupdict()
    first, last = english(group["day"]), english(group["last"])
    if first is None or last is None or not (1 <= first <= 31 and 1 <= last <= 31):
        return None
    month, year = month_number(group["month"]), year_of(group.get("year"))
    joined = group["join"].strip().lower()
    apart = joined in ("and", "&", ",") and last != first + 1
    kind = Mark("and" if apart else "to")
    return (
        DateClue(month=month, day=first, year=year),
        kind,
        DateClue(month=month, day=last, year=year),
    )


def _day_list(match: "re.Match[str]", scene: Scene) -> Sequence[Value] | None:
    """Three day numbers of one month and more: "July 20, 22 and 24"."""
    month = month_number(match["month"])
    days = [english(word) for word in re.findall(rf"{ENGLISH_ORDINAL}|\d+", match["days"])]
    values: list[Value] = []
    for day in days:
        if day is None or not 1 <= day <= 31:
            return None
        values += [DateClue(month=month, day=day), Mark("and")]
    return values[:-1]


def _numeric(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    first, second = int(match["a"]), int(match["b"])
    year = year_of(match["y"]) if match["y"] else None
    day_first = scene.day_first
    month, day = (second, first) if day_first else (first, second)
    if month > 12 >= day:
        month, day = day, month
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    swapped = (day, month) if day <= 12 and day != month else None
    return DateClue(month=month, day=day, year=year, swapped=swapped)


def _iso(match: "re.Match[str]", scene: Scene) -> Value | Sequence[Value]:
    word = match["m"]
    month = int(word) if word.isdigit() else month_number(word)
    found = date(int(match["y"]), month or 0, int(match["d"]))
    clue = DateClue(year=found.year, month=found.month, day=found.day)
    if match["H"] is None:
        return clue
    return clue, Clock(hour=int(match["H"]), minute=int(match["M"]), exact=True)


def _month_only(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    word = match["month"]
    mod, year = mod_of(match["mod"]), year_of(match["year"])
    bare = mod is None and year is None and not match["lead"]
    if word.lower().rstrip(".") in ("may", "march", "mar", "sun", "sat", "dec") and bare:
        capital = word[0].isupper() and match.start() > 0
        alone = match.group().strip() == match.string.strip()
        if not (capital or alone):
            return None
    return DateClue(month=month_number(word), mod=mod, year=year)


def _weekday(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    mod = mod_of(match["mod"])
    word = match["name"].lower()
    if word in ("sun", "sat", "mon", "wed", "fri", "thu", "tue") and mod is None:
        following = match.string[match.end() : match.end() + 14].strip().lower()
        if word in ("sun", "sat") and not re.match(r"$|,|at\b|\d|and\b|morning|to\b|-", following):
            return None
    number = weekday_number(match["name"])
    if match["after"]:
        return DateClue(weekday=number, week=1 if (number or 0) > scene.now.weekday() else 2)
    if match["week"]:
        week = re.sub(r"\s+", " ", match["week"].lower()).split()
        offset = 2 if "after" in week else OFFSET[_mod_of_week(week)]
        return DateClue(weekday=number, week=offset)
    return DateClue(weekday=number, mod=mod)


def _mod_of_week(words: list[str]) -> str:
    return next((MODS.get(word, "next") for word in words if word in MODS), "this")


def _relative(match: "re.Match[str]", scene: Scene) -> Value | Sequence[Value]:
    word = re.sub(r"\s+", " ", match.group().lower()).strip()
    for pattern, days in _RELATIVE_DAYS:
        if re.fullmatch(pattern, word):
            return DateClue(days=days)
    if word.startswith(("tonight", "this evening")):
        return DateClue(days=0), DayPart("tonight" if "night" in word else "evening")
    return DateClue(days=-1), DayPart("night")


_RELATIVE_DAYS: Final = (
    (r"(?:the )?day after (?:tomorrow|tmrw)", 2),
    (r"(?:the )?day before yesterday", -2),
    (r"tom+or+ows?|tmrw|tmr|tomorow|tommorow|2morrow", 1),
    (r"yesterday", -1),
    (r"(?:later |earlier )?to ?day|later on today|the (?:rest|remainder) of (?:the|to) ?day", 0),
)


def _ordinal_day(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    day = english(match["day"])
    if day is None or not 1 <= day <= 31:
        return None
    if match["unit"]:
        return DateClue(day=day, months=OFFSET[mod_of(match["mod"]) or "this"])
    return DateClue(day=day)


def _feast(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    year = year_of(match["y"])
    if match["mod2"]:
        year = scene.now.year + OFFSET[match["mod2"].lower()]
    return feast(match["name"], scene.now.date(), year, last=mod_of(match["mod"]) == "last")


def _decade(match: "re.Match[str]", scene: Scene) -> DateClue:
    start = int(match["decade"])
    return DateClue(span=(date(start, 1, 1), date(start + 10, 1, 1)))


def _year_only(match: "re.Match[str]", scene: Scene) -> DateClue:
    return DateClue(year=int(match["y"]))


def _now(match: "re.Match[str]", scene: Scene) -> At:
    return At(scene.now, "second")


def _compact(match: "re.Match[str]", scene: Scene) -> DateClue:
    word = match.group()
    found = date(int(word[:4]), int(word[4:6]), int(word[6:]))
    return DateClue(span=(found, found + timedelta(days=1)))


DATE_RULES: Final[tuple[Rule, ...]] = (
    rule(
        rf"\b(?P<y>[12]\d{{3}})(?:[-/]|\.\s?)(?P<m>\d{{1,2}}|{MONTH})(?:[-/]|\.\s?)"
        rf"(?P<d>\d{{1,2}})(?!\d)(?:T(?P<H>[01]\d|2[0-3]):(?P<M>[0-5]\d))?",
        _iso,
    ),
    rule(r"\b(?:19|20)\d{6}\b", _compact),
    rule(
        rf"\b(?:(?P<mod>{MOD})\s+)?(?P<name>{NAMES})\b(?:,?\s*(?:of\s+|"
        rf"in\s+)?(?:(?P<y>[12]\d{{3}})\b|(?P<mod2>this|next|last)\s+year))?(?!\s+(?:party|"
        r"dinner|shopping|tree|gift|cards?|decorations))",
        _feast,
    ),
    rule(
        rf"\b(?P<month>{MONTH})"
        rf"\s*(?P<days>{_DAY}(?:\s*,\s*(?:and\s+)?{_DAY})*(?:\s*,\s*(?:and\s+)?|"
        rf"\s+and\s+|\s*&\s*){_DAY})(?<=\d)(?![\d:])",
        lambda m, s: _day_list(m, s) if len(re.findall(r"\d+", m["days"])) > 2 else None,
    ),
    rule(
        rf"\b(?P<month>{MONTH})\s*(?P<day>{_DAY})\s*(?P<join>-|–|to|through|thru|until|"
        r"till|and|&|,)"
        rf"\s*(?:the\s+)?(?P<last>{_DAY})(?:,?\s*(?P<year>[12]\d{{3}})\b)?(?!\s*(?:of\s+)?{MONTH})",
        _day_pair,
    ),
    rule(
        rf"\b(?P<day>{_DAY})\s*(?P<join>-|–|to|through|thru|until|till|and|&)\s*(?:the\s+)?"
        rf"(?P<last>{_DAY})\s*(?:of\s+)?(?P<month>{MONTH})(?:,?\s*(?P<year>[12]\d{{3}})\b)?",
        _day_pair,
    ),
    rule(
        rf"\b(?P<month>{MONTH})(?:\s*|[/-])(?:the\s+)?(?P<day>{_DAY})(?!\s*(?:days?|"
        r"weeks?|months?|hours?)\b)"
        rf"(?:(?:\s?,?\s*(?:of\s+)?|[/-])(?P<year>[12]\d{{3}}|'\d\d)\b(?!:))?",
        _named,
    ),
    rule(
        rf"\b(?P<month>{MONTH})\s+(?P<day>{ENGLISH_CARDINAL})(?P<year>)\b(?=$|"
        r"\s*[,.?!]|\s+(?:at|from|to|in|for|and|with|through|until)\b)",
        _named,
    ),
    rule(
        rf"\b(?P<day>{_DAY})\s*(?:day\s+)?(?:of\s+|/|-)?\s*(?P<month>{MONTH})"
        rf"(?:(?:,?\s*(?:of\s+)?|[/-])(?P<year>[12]\d{{3}}|'\d\d|(?<=[/-])\d\d)\b(?!:))?",
        _named,
    ),
    rule(
        r"(?<![\d/.:])(?!24/7\b)(?P<a>\d{1,2})\s?/\s?(?P<b>\d{1,2})(?:(?:\s?/\s?|,\s?(?=20))"
        r"(?P<y>\d{4}|\d{2}))?(?![\d/%]|\s*h(?:ou)?r?s?\b)",
        _numeric,
    ),
    rule(
        r"(?<![\d/.:])(?P<a>\d{1,2})(?P<s>[.-])(?P<b>\d{1,2})(?P=s)(?P<y>\d{4}|\d{2})"
        r"(?![\d])",
        _numeric,
    ),
    rule(
        r"\b(?P<a>0?[1-9]|1[0-2])\s?[/-]\s?(?P<y>[12]\d{3})\b",
        lambda m, s: DateClue(month=int(m["a"]), year=int(m["y"])),
    ),
    rule(r"\bon (?P<a>\d{1,2})-(?P<b>\d{1,2})(?P<y>)(?![\d-]|\s*(?:am|pm))", _numeric),
    rule(
        rf"\b(?:the\s+)?(?P<nth>{ENGLISH_ORDINAL}|\d(?:st|nd|rd|th)|last)"
        rf"\s+(?P<name>{WEEKDAY}|week\b|day\b)(?:\s+(?P<part>morning|afternoon|evening|"
        r"night))?"
        rf"\s*(?:of|in)\s+(?:(?P<month>{MONTH})(?:,?\s*(?P<year>[12]\d{{3}})\b)?|"
        rf"(?:the\s+)?(?:the|(?P<mod>{MOD}))\s+(?P<unit>month|year)|"
        rf"(?P<whole>[12]\d{{3}})\b)",
        nth_said,
    ),
    rule(
        rf"\bweek\s+(?P<n>[1-5]?\d)\b(?:\s+of\s+(?:(?P<y>[12]\d{{3}})|(?P<mod>{MOD})"
        r"\s+year))?",
        week_number_said,
    ),
    rule(
        r"\b(?:the\s+)?week\s+(?:of|starting(?:\s+on)?|beginning(?:\s+on)?|commencing)"
        r"(?=\s+(?:the\s+)?[\w/]+)",
        lambda m, s: DateClue(around="week"),
    ),
    rule(
        rf"\b(?:the\s+)?(?:(?P<y0>[12]\d{{3}})\s+)?(?P<q>q[1-4]|(?:first|second|third|"
        r"fourth|1st|2nd|3rd|4th)\s+(?:quarter|qtr))"
        rf"\b(?:\s*(?:of\s+)?(?:the\s+)?(?:(?P<y>[12]\d{{3}})\b|(?P<mod>{MOD})"
        r"\s+year))?",
        quarter_said,
    ),
    rule(
        r"\b(?:the\s+)?(?:(?:rest|remainder|remaining)\s+(?:of\s+)?(?:the|this)|"
        r"later\s+this)\s+(?P<unit>week|month|year)\b",
        rest_said,
    ),
    rule(r"\ball\s+week(?:\s+long)?\b", lambda m, s: DateClue(week=0)),
    rule(r"\b(?:by\s+|at\s+)?(?:the\s+)?(?-i:EO(?P<u>[WMY])|eo(?P<v>[wmy]))\b", end_of_said),
    rule(
        r"\b(?:the\s+)?(?P<where>early|mid(?:dle)?|late|beginning|start|end)"
        r"(?:\s+(?:of|in)|-)?\s*(?:the\s+)?"
        rf"(?:(?P<month>{MONTH})(?:,?\s*(?P<year>[12]\d{{3}})\b)?|"
        rf"(?P<mod>{MOD})?\s*(?P<unit>week|month|year)\b|(?P<whole>(?:19|20)\d\d)\b)",
        section_said,
    ),
    rule(
        rf"\b(?:the\s+)?(?P<day>[0-3]?\d(?:st|nd|rd|th)?|{ENGLISH_ORDINAL})\s+(?:day\s+)?of\s+"
        rf"(?:the\s+)?(?:the|(?P<mod>{MOD}))\s+(?P<unit>month)\b",
        _ordinal_day,
    ),
    rule(
        r"\b(?:(?:the )?day after (?:tomorrow|tmrw)|(?:the )?day before yesterday|"
        r"tom+or+ow|tmrw|tmr|"
        r"tomorow|2morrow|tomorrows|yesterday|later on today|later today|earlier today|"
        r"the (?:rest|remainder) of (?:the|to) ?day|today|tonight|this evening|last night)\b",
        _relative,
    ),
    rule(r"\b(?:right now|at the moment|just now|now)\b(?! on\b)", _now),
    rule(
        rf"\b(?P<count>\d|two|three|four)\s+(?P<name>{WEEKDAY})\s+(?P<way>ago|back|"
        r"from\s+now|from\s+today)\b",
        _weekdays_away,
    ),
    rule(
        rf"\b(?P<core>(?P<name>{WEEKDAY})(?:,?\s+(?:the\s+)?)(?P<day>[0-3]?\d)(?:st|nd|rd|"
        r"th)?)\b(?!\s*(?:[-–:/.]\s?\d|am\b|pm\b|a\.m|p\.m|o'?clock|to\s+\d|in\s+the|"
        r"hours?|people))",
        _weekday_day,
    ),
    rule(
        rf"\b(?:(?P<mod>{MOD})\s+)?(?P<name>{WEEKDAY})(?:\s+(?:of\s+)?(?:the\s+)?"
        r"(?P<week>(?:this|next|last|following)\s+week|"
        r"week\s+after\s+next))?(?P<after>\s+after\s+next\b)?",
        _weekday,
    ),
    rule(r"\b(?:the\s+)?week\s+after\s+next\b", lambda m, s: DateClue(week=2)),
    rule(r"\b(?:the\s+)?month\s+after\s+next\b", lambda m, s: DateClue(months=2)),
    rule(
        r"\b(?P<y>(?:19|20)\d\d)-(?P<m>0[1-9]|1[0-2])\b(?![-\d])",
        lambda m, s: DateClue(year=int(m["y"]), month=int(m["m"])),
    ),
    rule(
        rf"\b(?P<mod>{MOD}|the)\s+(?P<unit>week-?\s?end|wkend|week|month|quarter|qtr|"
        r"year|yr)s?\b(?!\s+(?:of|from|after|before)\b)",
        lambda m, s: unit_said(m, s) if m["mod"].lower() != "the" or "end" in m["unit"] else None,
    ),
    rule(rf"\b(?P<mod>{MOD})?\s*\bweekend\b", lambda m, s: DateClue(weekend=True)),
    rule(
        r"\b(?P<lead>(?:in|for|during|of|by|until|since|from|to|through|late|early|"
        rf"between|and|before|after)\s+)?(?P<core>(?:(?P<mod>{MOD})\s+)?"
        rf"(?P<month>{MONTH})(?:,?\s*(?:of\s+)?(?P<year>[12]\d{{3}})\b)?)",
        _month_only,
    ),
    rule(
        r"\b(?:on|for)\s+(?P<core>the\s+(?P<day>[0-3]?\d))\b(?P<unit>)(?P<mod>)(?=\s*(?:$|"
        r"[,.?!]|between|at\b|from\b|in\s+the))",
        _ordinal_day,
    ),
    rule(
        r"\bthe\s+(?P<day>[0-3]?\d(?:st|nd|rd|th)|" + ENGLISH_ORDINAL + r")\b(?P<unit>)(?P<mod>)"
        r"(?!\s+(?:one|time|thing|century|of(?!\s+(?:every|each)\b)|floor|quarter|half|week|person|item|"
        r"meeting|event|place)\b)",
        _ordinal_day,
    ),
    rule(
        r"\b(?P<day>[0-3]?\d(?:st|nd|rd|th))\b(?P<unit>)(?P<mod>)(?!\s+(?:birthday|"
        r"century|floor|street|st|ave|avenue|anniversary|quarter|time|grade|place|of(?!\s+(?:every|each)))"
        r"\b)",
        _ordinal_day,
    ),
    rule(
        r"(?:\b(?:in|year|of|since|during|until|from|to|between|and|before|after|through)"
        r"\s+|\b(?:19|20)\d\d\s?[-–]\s?)(?P<core>(?:the\s+year\s+)?(?P<y>(?:19|20)\d\d))"
        r"\b(?!:)",
        _year_only,
    ),
    rule(r"\b(?P<y>(?:19|20)\d\d)(?=\s?(?:[-–]|to|through)\s?(?:19|20)\d\d\b)", _year_only),
    rule(r"\b(?:the\s+)?(?P<decade>(?:19|20)\d0)'?s\b", _decade),
)
