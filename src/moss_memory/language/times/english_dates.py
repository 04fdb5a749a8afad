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
    DayPartName,
    Mark,
    Mod,
    Section,
    Value,
)  # fmt: skip
from moss_memory.language.times.feasts import NAMES, feast
from moss_memory.language.times.lexer import Rule, Scene, rule
from moss_memory.language.times.numerals import ENGLISH_CARDINAL, ENGLISH_ORDINAL, english

_MONTH_NAMES: Final = (
    "jan(?:uary)?", "feb(?:ruary)?", "mar(?:ch)?", "apr(?:il)?", "may", "june?", "july?",
    "aug(?:ust)?", "sept?(?:ember)?", "oct(?:ober)?", "nov(?:ember)?", "dec(?:ember)?",
)  # fmt: skip
MONTH: Final = "(?:" + "|".join(_MONTH_NAMES) + r")\b\.?"
_WEEKDAY_NAMES: Final = (
    "mon(?:days?)?", "tues?(?:days?)?", "wed(?:nesdays?)?|weds", "thu(?:rsdays?)?|thurs?",
    "fri(?:days?)?", "sat(?:urdays?)?", "sun(?:days?)?",
)  # fmt: skip
WEEKDAY: Final = "(?:" + "|".join(_WEEKDAY_NAMES) + r")\b\.?"
_DAY: Final = rf"(?:[0-3]?\d(?:st|nd|rd|th)?|{ENGLISH_ORDINAL})(?![\d:]|\s*(?:am|pm|a\.m|p\.m)\b)"
_YEAR: Final = r"(?:[12]\d{3}|'\d\d)"
_MODS: Final[dict[str, Mod]] = {
    "this": "this", "next": "next", "last": "last", "past": "last", "previous": "last",
    "coming": "coming", "upcoming": "coming", "this coming": "coming", "following": "next",
    "this past": "last", "current": "this",
}  # fmt: skip
_MOD: Final = (
    r"(?:this\s+coming|this\s+past|this|next|last|past|previous|coming|upcoming|following|current)"
)
_PARTS: Final[dict[str, DayPartName]] = {
    "morning": "morning", "afternoon": "afternoon", "evening": "evening", "night": "night",
}  # fmt: skip
_OFFSET: Final = {"this": 0, "next": 1, "last": -1, "coming": 1}


def month_number(word: str) -> int | None:
    """Name the month 1..12 of an English month name or its abbreviation."""
    plain = word.lower().rstrip(". ")
    for number, pattern in enumerate(_MONTH_NAMES, 1):
        if re.fullmatch(pattern, plain):
            return number
    return None


def weekday_number(word: str) -> int | None:
    """Name the weekday (Monday 0) of an English name, its abbreviation or its plural."""
    plain = word.lower().rstrip(". ")
    for number, pattern in enumerate(_WEEKDAY_NAMES):
        if re.fullmatch(pattern, plain):
            return number
    return None


def _year(word: str | None) -> int | None:
    if not word:
        return None
    plain = word.strip(" ,'")
    if len(plain) == 2:  # POSIX: 69-99 are of the last century
        return int(plain) + (1900 if int(plain) >= 69 else 2000)
    return int(plain)


def _mod(word: str | None) -> Mod | None:
    return _MODS.get(re.sub(r"\s+", " ", word.lower())) if word else None


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
    return DateClue(month=month, day=day, year=_year(group.get("year")), weekday=weekday)


def _day_pair(match: "re.Match[str]", scene: Scene) -> Sequence[Value] | None:
    """Two day numbers of one month: "Feb 22-27", "20 to 25 June", "March 2 and 3"."""
    group = match.groupdict()
    first, last = english(group["day"]), english(group["last"])
    if first is None or last is None or not (1 <= first <= 31 and 1 <= last <= 31):
        return None
    month, year = month_number(group["month"]), _year(group.get("year"))
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
    year = _year(match["y"]) if match["y"] else None
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
    mod, year = _mod(match["mod"]), _year(match["year"])
    bare = mod is None and year is None and not match["lead"]
    if word.lower().rstrip(".") in ("may", "march", "mar", "sun", "sat", "dec") and bare:
        capital = word[0].isupper() and match.start() > 0
        alone = match.group().strip() == match.string.strip()
        if not (capital or alone):
            return None
    return DateClue(month=month_number(word), mod=mod, year=year)


def _weekday(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    mod = _mod(match["mod"])
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
        offset = 2 if "after" in week else _OFFSET[_mod_of_week(week)]
        return DateClue(weekday=number, week=offset)
    return DateClue(weekday=number, mod=mod)


def _mod_of_week(words: list[str]) -> str:
    return next((_MODS.get(word, "next") for word in words if word in _MODS), "this")


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


def _unit(match: "re.Match[str]", scene: Scene) -> DateClue:
    mod = _mod(match["mod"]) or "this"
    offset = _OFFSET[mod]
    unit = match["unit"].lower()
    if "end" in unit:
        return DateClue(weekend=True, week=offset if mod != "coming" else 0)
    if unit.startswith("week"):
        return DateClue(week=offset)
    if unit.startswith("month"):
        return DateClue(months=offset)
    if unit.startswith("q"):
        quarter, year = divmod((scene.now.month - 1) // 3 + offset, 4)[::-1]
        return DateClue(quarter=quarter + 1, years=year)
    return DateClue(years=offset)


def _section(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    """Early, middle and late parts: "early next week", "mid-August", "the end of the month"."""
    word = match["where"].lower()
    section: Section = "mid"
    if re.match("early|begin|start|first", word):
        section = "early"
    elif re.match("late|end", word):
        section = "late"
    if match["month"]:
        return DateClue(
            section=section,
            month=month_number(match["month"]),
            year=_year(match["year"]),
        )
    if match["whole"]:
        return DateClue(section=section, year=int(match["whole"]))
    unit, offset = match["unit"].lower(), _OFFSET[_mod(match["mod"]) or "this"]
    field = {"week": "week", "month": "months", "year": "years"}[unit]
    return DateClue(section=section, **{field: offset})  # type: ignore[arg-type]


def _nth(match: "re.Match[str]", scene: Scene) -> Value | Sequence[Value] | None:
    word = match["nth"].lower()
    nth = -1 if word == "last" else english(word)
    if nth is None or nth > 5:
        return None
    named = match["name"].lower()
    month = month_number(match["month"]) if match["month"] else None
    months = None
    if match["month"] is None:
        months = _OFFSET[_mod(match["mod"]) or "this"] if match["unit"] else None
    fields = {"month": month, "months": months, "year": _year(match["year"] or match["whole"])}
    if match["unit"] and match["unit"].lower() == "year":
        fields |= {"months": None, "years": months}
    if named.startswith("week"):
        return DateClue(nth_week=nth, **fields)  # type: ignore[arg-type]
    if named == "day":
        section = "last_day" if nth == -1 else "first_day"
        return DateClue(section=section, **fields) if nth in (-1, 1) else None  # type: ignore[arg-type]
    clue = DateClue(nth=nth, weekday=weekday_number(named), **fields)  # type: ignore[arg-type]
    if not match["part"]:
        return clue
    return [clue, DayPart(_PARTS[match["part"].lower()])]


def _week_number(match: "re.Match[str]", scene: Scene) -> DateClue:
    years = _OFFSET[_mod(match["mod"]) or "this"]
    year = int(match["y"]) if match["y"] else scene.now.year + years
    return DateClue(nth_week=int(match["n"]), year=year)


def _quarter(match: "re.Match[str]", scene: Scene) -> DateClue:
    word = match["q"].lower()
    number = int(word[1]) if word[0] == "q" else english(word.split()[0])
    years = _OFFSET[_mod(match["mod"]) or "this"] if match["mod"] else None
    return DateClue(quarter=number, year=_year(match["y"] or match["y0"]), years=years)


def _rest(match: "re.Match[str]", scene: Scene) -> DateClue:
    """From today to the end of the unit."""
    today = scene.now.date()
    ends = {
        "week": today + timedelta(days=7 - today.weekday()),
        "month": date(today.year + today.month // 12, today.month % 12 + 1, 1),
        "year": date(today.year + 1, 1, 1),
    }
    return DateClue(span=(today, ends[match["unit"].lower()]))


def _end_of(match: "re.Match[str]", scene: Scene) -> DateClue:
    unit = (match["u"] or match["v"]).lower()
    field = {"w": "week", "m": "months", "y": "years"}[unit]
    return DateClue(section="late", **{field: 0})  # type: ignore[arg-type]


def _ordinal_day(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    day = english(match["day"])
    if day is None or not 1 <= day <= 31:
        return None
    if match["unit"]:
        return DateClue(day=day, months=_OFFSET[_mod(match["mod"]) or "this"])
    return DateClue(day=day)


def _feast(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    year = _year(match["y"])
    if match["mod2"]:
        year = scene.now.year + _OFFSET[match["mod2"].lower()]
    return feast(match["name"], scene.now.date(), year, last=_mod(match["mod"]) == "last")


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
    rule(rf"\b(?P<y>[12]\d{{3}})(?:[-/]|\.\s?)(?P<m>\d{{1,2}}|{MONTH})(?:[-/]|\.\s?)"
        rf"(?P<d>\d{{1,2}})(?!\d)(?:T(?P<H>[01]\d|2[0-3]):(?P<M>[0-5]\d))?", _iso),
    rule(r"\b(?:19|20)\d{6}\b", _compact),
    rule(rf"\b(?:(?P<mod>{_MOD})\s+)?(?P<name>{NAMES})\b(?:,?\s*(?:of\s+|"
        rf"in\s+)?(?:(?P<y>[12]\d{{3}})\b|(?P<mod2>this|next|last)\s+year))?(?!\s+(?:party|"
        r"dinner|shopping|tree|gift|cards?|decorations))", _feast),
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
        r"(?<![\d/.:])(?P<a>\d{1,2})\s?/\s?(?P<b>\d{1,2})(?:(?:\s?/\s?|,\s?(?=20))"
            r"(?P<y>\d{4}|\d{2}))?(?![\d/%]|\s*h(?:ou)?r?s?\b)",
        _numeric,
    ),
    rule(r"(?<![\d/.:])(?P<a>\d{1,2})(?P<s>[.-])(?P<b>\d{1,2})(?P=s)(?P<y>\d{4}|\d{2})"
        r"(?![\d])", _numeric),
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
            rf"(?:the\s+)?(?:the|(?P<mod>{_MOD}))\s+(?P<unit>month|year)|"
            rf"(?P<whole>[12]\d{{3}})\b)",
        _nth,
    ),
    rule(rf"\bweek\s+(?P<n>[1-5]?\d)\b(?:\s+of\s+(?:(?P<y>[12]\d{{3}})|(?P<mod>{_MOD})"
        r"\s+year))?", _week_number),
    rule(r"\b(?:the\s+)?week\s+(?:of|starting(?:\s+on)?|beginning(?:\s+on)?|commencing)"
        r"(?=\s+(?:the\s+)?[\w/]+)", lambda m, s: DateClue(around="week")),
    rule(rf"\b(?:the\s+)?(?:(?P<y0>[12]\d{{3}})\s+)?(?P<q>q[1-4]|(?:first|second|third|"
        r"fourth|1st|2nd|3rd|4th)\s+(?:quarter|qtr))"
        rf"\b(?:\s*(?:of\s+)?(?:the\s+)?(?:(?P<y>[12]\d{{3}})\b|(?P<mod>{_MOD})"
            r"\s+year))?", _quarter),
    rule(r"\b(?:the\s+)?(?:(?:rest|remainder|remaining)\s+(?:of\s+)?(?:the|this)|"
        r"later\s+this)\s+(?P<unit>week|month|year)\b", _rest),
    rule(r"\ball\s+week(?:\s+long)?\b", lambda m, s: DateClue(week=0)),
    rule(r"\b(?:by\s+|at\s+)?(?:the\s+)?(?-i:EO(?P<u>[WMY])|eo(?P<v>[wmy]))\b", _end_of),
    rule(
        r"\b(?:the\s+)?(?P<where>early|mid(?:dle)?|late|beginning|start|end)"
            r"(?:\s+(?:of|in)|-)?\s*(?:the\s+)?"
        rf"(?:(?P<month>{MONTH})(?:,?\s*(?P<year>[12]\d{{3}})\b)?|"
            rf"(?P<mod>{_MOD})?\s*(?P<unit>week|month|year)\b|(?P<whole>(?:19|20)\d\d)\b)",
        _section,
    ),
    rule(
        rf"\b(?:the\s+)?(?P<day>[0-3]?\d(?:st|nd|rd|th)?|{ENGLISH_ORDINAL})\s+(?:day\s+)?of\s+"
        rf"(?:the\s+)?(?:the|(?P<mod>{_MOD}))\s+(?P<unit>month)\b",
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
    rule(rf"\b(?P<count>\d|two|three|four)\s+(?P<name>{WEEKDAY})\s+(?P<way>ago|back|"
        r"from\s+now|from\s+today)\b", _weekdays_away),
    rule(rf"\b(?P<core>(?P<name>{WEEKDAY})(?:,?\s+(?:the\s+)?)(?P<day>[0-3]?\d)(?:st|nd|rd|"
        r"th)?)\b(?!\s*(?:[-–:/.]\s?\d|am\b|pm\b|a\.m|p\.m|o'?clock|to\s+\d|in\s+the|"
        r"hours?|people))", _weekday_day),
    rule(
        rf"\b(?:(?P<mod>{_MOD})\s+)?(?P<name>{WEEKDAY})(?:\s+(?:of\s+)?(?:the\s+)?"
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
        rf"\b(?P<mod>{_MOD}|the)\s+(?P<unit>week-?\s?end|wkend|week|month|quarter|qtr|"
            r"year|yr)s?\b(?!\s+(?:of|from|after|before)\b)",
        lambda m, s: _unit(m, s) if m["mod"].lower() != "the" or "end" in m["unit"] else None,
    ),
    rule(rf"\b(?P<mod>{_MOD})?\s*\bweekend\b", lambda m, s: DateClue(weekend=True)),
    rule(
        r"\b(?P<lead>(?:in|for|during|of|by|until|since|from|to|through|late|early|"
            rf"between|and|before|after)\s+)?(?P<core>(?:(?P<mod>{_MOD})\s+)?"
        rf"(?P<month>{MONTH})(?:,?\s*(?:of\s+)?(?P<year>[12]\d{{3}})\b)?)",
        _month_only,
    ),
    rule(r"\b(?:on|for)\s+(?P<core>the\s+(?P<day>[0-3]?\d))\b(?P<unit>)(?P<mod>)(?=\s*(?:$|"
        r"[,.?!]|between|at\b|from\b|in\s+the))", _ordinal_day),
    rule(r"\bthe\s+(?P<day>[0-3]?\d(?:st|nd|rd|th)|" + ENGLISH_ORDINAL + r")\b(?P<unit>)(?P<mod>)"
         r"(?!\s+(?:one|time|thing|century|of|floor|quarter|half|week|person|item|"
             r"meeting|event|place)\b)", _ordinal_day),
    rule(r"\b(?P<day>[0-3]?\d(?:st|nd|rd|th))\b(?P<unit>)(?P<mod>)(?!\s+(?:birthday|"
        r"century|floor|street|st|ave|avenue|anniversary|quarter|time|grade|place|of)"
            r"\b)", _ordinal_day),
    rule(r"(?:\b(?:in|year|of|since|during|until|from|to|between|and|before|after|through)"
        r"\s+|\b(?:19|20)\d\d\s?[-–]\s?)(?P<core>(?:the\s+year\s+)?(?P<y>(?:19|20)\d\d))"
        r"\b(?!:)", _year_only),
    rule(r"\b(?P<y>(?:19|20)\d\d)(?=\s?(?:[-–]|to|through)\s?(?:19|20)\d\d\b)", _year_only),
    rule(r"\b(?:the\s+)?(?P<decade>(?:19|20)\d0)'?s\b", _decade),
)  # fmt: skip
