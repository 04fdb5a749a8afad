"""English words for clock times, parts of the day, lengths, repetitions and zones."""

# Every reader takes what the lexer hands it; 12, 24, 31 and 59 are the calendar's own numbers.
# ruff: noqa: ARG001, PLR2004

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from moss_memory.language.times.clue import (
    At,
    Clock,
    DateClue,
    DayPart,
    DayPartName,
    Every,
    Half,
    HalfDay,
    Length,
    Mark,
    Shift,
    Unit,
    Value,
    Zone,
)  # fmt: skip
from moss_memory.language.times.english_dates import WEEKDAY, weekday_number
from moss_memory.language.times.lexer import Rule, Scene, rule
from moss_memory.language.times.numerals import ENGLISH_CARDINAL, english

_AMPM: Final = r"(?P<half>a\.?\s?m\b\.?|p\.?\s?m\b\.?)"
_OCLOCK: Final = r"(?:o\s?['’\"]?\s?clocks?|hrs?\b|hours\b(?=$|[,.]))"
_HOUR_WORD: Final = "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_MINUTE_WORD: Final = (
    r"(?:oh?[ -](?:one|two|three|four|five|six|seven|eight|nine)|(?:twenty|thirty|"
    r"forty|fifty)[ -](?:one|two|three|four|five|six|seven|eight|nine)|five|ten|"
    r"fifteen|twenty|"
    r"thirty|forty|fifty|eleven|twelve|thirteen|fourteen|sixteen|seventeen|eighteen|nineteen)"
)
_PART: Final = r"(?:early\s+|late\s+|mid-?)?(?:morning|afternoon|evening|night|dawn)s?"
_PARTS: Final[dict[str, DayPartName]] = {
    "morning": "morning", "afternoon": "afternoon", "evening": "evening", "night": "night",
    "dawn": "dawn", "lunch": "lunch",
}  # fmt: skip
_UNITS: Final[tuple[tuple[str, Unit], ...]] = (
    ("sec", "second"), ("mon", "month"), ("mo", "month"), ("min", "minute"), ("h", "hour"),
    ("d", "day"), ("night", "day"), ("w", "week"), ("fortnight", "week"), ("y", "year"),
    ("m", "minute"), ("s", "second"),
)  # fmt: skip
_UNIT: Final = (
    r"(?:sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?|hours?|(?<=\d)h|(?<=\d)m|(?<=\d\s)h|"
    r"days?|nights?|fortnights?|weeks?|wks?|months?|mons?|years?|yrs?)\b"
)
_COUNT: Final = (
    r"(?:1/2|half(?!\s+an?\b)|a\s+half|a\s+quarter\s+of\s+an|\d+(?:\.\d+)?|"
    rf"(?:a\s+)?couple(?:\s+of)?|a\s+few|few|several|half\s+an?|an?|{ENGLISH_CARDINAL})"
)
_AMOUNT: Final = (
    rf"(?P<count>{_COUNT})(?P<plus>\s+and\s+a\s+half)?\s*-?\s*(?:more\s+)?(?P<unit>{_UNIT})"
    r"(?P<half>\s+and\s+a\s+half)?"
)
_ZONES: Final = {
    r"(?:new york|nyc|us eastern|eastern)(?:\s+(?:standard|daylight))?\s+time|"
        r"(?-i:E[SD]?T)": "America/New_York",
    r"(?:us central|central|chicago)(?:\s+(?:standard|daylight))?\s+time|(?-i:C[SD]T)":
        "America/Chicago",
    r"(?:us mountain|mountain|denver)(?:\s+(?:standard|daylight))?\s+time|(?-i:M[SD]T)":
        "America/Denver",
    r"(?:us pacific|pacific|los angeles|la|california|san francisco|seattle)"
        r"(?:\s+(?:standard|daylight))?\s+time|(?-i:P[SD]?T)":
        "America/Los_Angeles",
    r"(?:uk|london|british(?:\s+summer)?|united kingdom)\s+time|(?-i:BST)": "Europe/London",
    r"(?:paris|french)\s+time": "Europe/Paris",
    r"(?:berlin|german)\s+time": "Europe/Berlin",
    r"central european(?:\s+summer)?\s+time|(?-i:CES?T)": "Europe/Paris",
    r"(?:seoul|korean?)(?:\s+standard)?\s+time|(?-i:KST)": "Asia/Seoul",
    r"(?:tokyo|japan(?:ese)?)(?:\s+standard)?\s+time|(?-i:JST)": "Asia/Tokyo",
    r"(?:beijing|shanghai|chinese|china)(?:\s+standard)?\s+time": "Asia/Shanghai",
    r"(?:singapore)\s+time|(?-i:SGT)": "Asia/Singapore",
    r"(?:india|indian)(?:\s+standard)?\s+time|(?-i:IST)": "Asia/Kolkata",
    r"(?:sydney)\s+time|(?-i:AE[SD]T)": "Australia/Sydney",
    r"(?:dubai)\s+time": "Asia/Dubai",
    r"UTC|GMT|zulu|coordinated universal time|greenwich mean time": "UTC",
}  # fmt: skip


def _half(word: str | None) -> Half | None:
    if not word:
        return None
    return "am" if word.lower().startswith("a") else "pm"


def _clock(match: "re.Match[str]", scene: Scene) -> Clock | None:
    group = match.groupdict()
    hour = english(group["hour"])
    minute = _minute(group.get("minute"))
    if hour is None or minute is None or not (0 <= hour <= 24 and 0 <= minute <= 59):
        return None
    half = _half(group.get("half"))
    written = group["hour"]
    if half and hour > 12:
        half = None
    military = written.isdigit() and (hour > 12 or hour == 0 or (len(written) == 2 and hour < 10))
    if hour == 24 and minute:
        return None
    second = int(group.get("second") or 0)
    return Clock(
        hour=hour,
        minute=minute,
        second=second,
        half=half,
        exact=half is None and military,
    )


def _minute(word: str | None) -> int | None:
    if not word:
        return 0
    plain = re.sub(r"^oh?[ -]", "", word.lower())
    return english(plain)


def _short_half(match: "re.Match[str]", scene: Scene) -> Clock | None:
    """Read "9p" and "9a"; "9 a" is a number and an article."""
    apart = match.string[match.end() - 2].isspace()
    return None if apart and match["half"] in "aA" else _clock(match, scene)


def _half_hour(match: "re.Match[str]", scene: Scene) -> Clock:
    """Read "half three", as in Britain."""
    return Clock(hour=english(match["hour"]) or 0, minute=30)


def _hours(match: "re.Match[str]", scene: Scene) -> Clock | None:
    hour = int(match["hour"])
    return Clock(hour=hour, exact=True) if hour <= 24 else None


def _lunch_or_end(match: "re.Match[str]", scene: Scene) -> Clock | DayPart:
    """Read "over lunch", and the end of a working day."""
    return DayPart("lunch") if "lunch" in match.group().lower() else Clock(hour=18, exact=True)


def _is_past(match: "re.Match[str]") -> bool:
    """Whether "10 to 5" is a clock time and not a range."""
    sure = match["amount"].lower() in ("half", "quarter") or match["way"].lower() in (
        "past",
        "till",
    )
    return sure or "minute" in match.group() or match["hour"].lower() == "noon"


def _past(match: "re.Match[str]", scene: Scene) -> Clock | None:
    """Read "half past 10", "quarter to five", "ten past 5", "20 after 3"."""
    named = {"noon": 12, "midnight": 12}.get(match["hour"].lower())
    hour = named or english(match["hour"])
    minutes = {"half": 30, "quarter": 15, "a quarter": 15}.get(match["amount"].lower())
    minutes = minutes if minutes is not None else english(match["amount"])
    if hour is None or minutes is None or not 1 <= hour <= 12 or minutes > 59:
        return None
    half = _half(match["half"])
    if named:
        half = "pm" if match["hour"].lower() == "noon" else "am"
    if match["way"].lower() in ("to", "of", "till", "before"):
        hour, minutes = (hour - 1 or 12), 60 - minutes
        if hour == 11 and half:
            half = "pm" if half == "am" else "am"
    return Clock(hour=hour, minute=minutes, half=half)


def _named_clock(match: "re.Match[str]", scene: Scene) -> Clock:
    if re.search(r"noon|mid-?\s?day", match.group(), re.IGNORECASE):
        return Clock(hour=12, exact=True)
    return Clock(hour=24, exact=True)


def _hour_part(match: "re.Match[str]", scene: Scene) -> Sequence[Value] | None:
    """A part of the day with its hour: "10 in the morning", "afternoon 2:45", "5 this evening"."""
    clock = _clock(match, scene)
    if clock is None or clock.hour > 12:
        return None
    words = match["part"].lower()
    name = next(_PARTS[key] for key in _PARTS if key in words)
    today = "this " in words and "in the" not in words
    values: list[Value] = [clock, DayPart(name)]
    return [*values, DateClue(days=0)] if today else values


def _day_part(match: "re.Match[str]", scene: Scene) -> Value | Sequence[Value]:
    words = match.group().lower()
    name = next(_PARTS[key] for key in _PARTS if key in words)
    if re.match(r"this\b", words):
        return DayPart(name), DateClue(days=0)
    return DayPart(name)


def _amount(match: "re.Match[str]") -> tuple[float, Unit]:
    word = re.sub(r"\s+", " ", match["count"].lower())
    fixed = {
        "a": 1.0,
        "an": 1.0,
        "half a": 0.5,
        "half an": 0.5,
        "half": 0.5,
        "a half": 0.5,
        "1/2": 0.5,
        "a quarter of an": 0.25,
        "a few": 3.0,
        "few": 3.0,
        "several": 3.0,
    }
    if "couple" in word:
        amount = 2.0
    elif word in fixed:
        amount = fixed[word]
    elif re.fullmatch(r"\d+(?:\.\d+)?", word):
        amount = float(word)
    else:
        amount = float(english(word) or 0)
    if match["plus"] or match["half"]:
        amount += 0.5
    written = match["unit"].lower()
    unit = next(unit for prefix, unit in _UNITS if written.startswith(prefix))
    return (amount * 2 if written.startswith("fortnight") else amount), unit


def _shift(match: "re.Match[str]", scene: Scene) -> Value:
    amount, unit = _amount(match)
    words = match.group().lower()
    way = (match.groupdict().get("way") or "").lower()
    sign = -1 if way in ("ago", "earlier", "back") else 1
    return Shift(sign * amount, unit, bound=words.startswith("within"))


def _anchored(match: "re.Match[str]", scene: Scene) -> Value:
    amount, unit = _amount(match)
    return Shift(
        -amount if match["way"].lower() in ("before", "prior to") else amount,
        unit,
        anchored=True,
    )


def _span_ahead(match: "re.Match[str]", scene: Scene) -> Value:
    amount, unit = _amount(match)
    back = match["way"].lower() in ("last", "past", "previous")
    return Shift(-amount if back else amount, unit, window=True)


def _length(match: "re.Match[str]", scene: Scene) -> Value:
    return Length(*_amount(match))


def _compact_shift(match: "re.Match[str]", scene: Scene) -> Value | None:
    """Read "in 1d, 2hr, and 5min"."""
    step = timedelta()
    for count, unit in re.findall(r"(\d+)\s*(d|h|m)", match["all"].lower()):
        step += (
            int(count)
            * {"d": timedelta(days=1), "h": timedelta(hours=1), "m": timedelta(minutes=1)}[unit]
        )
    return At(scene.now + step, "minute")


def _every(match: "re.Match[str]", scene: Scene) -> Value | Sequence[Value] | None:
    words = re.sub(r"\s+", " ", match.group().lower())
    other = 2 if re.search(r"\b(?:other|second|alternate)\b|bi-?weekly|fortnight", words) else 1
    counted = re.search(rf"every (\d+|{ENGLISH_CARDINAL})\b", words)
    interval = (english(counted.group(1)) or 1) if counted else other
    days = tuple(
        dict.fromkeys(
            number
            for word in re.findall(WEEKDAY, match.group(), re.IGNORECASE)
            if (number := weekday_number(word)) is not None
        ),
    )
    if days:
        return Every(freq="WEEKLY", interval=interval, byday=days)
    for pattern, every in _EVERY_UNITS:
        if re.search(pattern, words):
            return Every(freq=every.freq, interval=interval * every.interval, byday=every.byday)
    part = next((_PARTS[key] for key in _PARTS if key in words), None)
    return None if part is None else (Every(freq="DAILY", interval=interval), DayPart(part))


_EVERY_UNITS: Final = (
    (r"weekday|work ?day|business day", Every(freq="WEEKLY", byday=(0, 1, 2, 3, 4))),
    (r"weekend", Every(freq="WEEKLY", byday=(5, 6))),
    (r"week|fortnight", Every(freq="WEEKLY")),
    (r"day|daily", Every(freq="DAILY")),
    (r"month", Every(freq="MONTHLY")),
    (r"quarter", Every(freq="MONTHLY", interval=3)),
    (r"year|annual", Every(freq="YEARLY")),
)


def _zone(match: "re.Match[str]", scene: Scene) -> Value | None:
    word = re.sub(r"^in\s+", "", match.group().strip(), flags=re.IGNORECASE)
    for pattern, name in _ZONES.items():
        if re.fullmatch(pattern, word, re.IGNORECASE):
            return Zone(name)
    return None


def _half_day(match: "re.Match[str]", scene: Scene) -> Value:
    words = match.group().lower()
    half: Half | None = "am" if "morning" in words else "pm" if "afternoon" in words else None
    return HalfDay(half)


_WORD_TIME: Final = rf"(?P<hour>{_HOUR_WORD})(?:[\s-]+(?P<minute>{_MINUTE_WORD}))?"
_DIGIT_TIME: Final = (
    r"(?P<hour>[01]?\d|2[0-4])(?:\s?[:.h]\s?(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?)?"
)
_IN_PART: Final = (
    rf"(?P<part>(?:,?\s*(?:in|at|on|of|during)\s+(?:the\s+)?|\s+this\s+|\s+){_PART})\b"
)
_NOT_COUNTED: Final = (
    r"(?!\s*(?:[%$€°:/]|\.\d|people|persons?|days?|weeks?|months?|years?|minutes?|"
    r"mins?|hours?|hrs?|times?|"
    r"of\b|degrees?|percent|items?|guests?|events?|meetings?|things?|more\b|other\b|"
    r"st\b|nd\b|rd\b|th\b))"
)
_ZONE_WORDS: Final = r"\b(?:in\s+)?(?:" + "|".join(p for p in _ZONES if "time" in p) + r")"

EARLY_CLOCK_RULES: Final[tuple[Rule, ...]] = (
    rule(r"\bhalf[- ]?(?:a\s+)?day\b(?:\s+(?:in\s+the\s+|of\s+)?(?:morning|afternoon))?|"
        r"\b(?:morning|afternoon)\s+half[- ]day\b", _half_day),
    rule(
        r"\b(?:(?:every|each)\s+(?:other\s+|second\s+|"
            rf"alternate\s+)?(?:(?:single\s+)?{WEEKDAY}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|"
            rf"\s*/\s*|\s*&\s*){WEEKDAY})*|"
        r"weekdays?|work ?days?|business days?|weekends?|weeks?|days?|months?|"
            r"quarters?|years?|fortnight|mornings?|afternoons?|evenings?|nights?)|"
        rf"every\s+(?:\d+|{ENGLISH_CARDINAL})\s+(?:weeks?|days?|months?|years?)|"
        r"bi-?weekly|weekly|daily|monthly|annually|yearly|on weekdays|"
        r"(?:on\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)days(?:(?:\s*,\s*|"
            r"\s+and\s+)(?:mon|tues|wednes|thurs|fri|satur|sun)days)*(?!'))\b",
        _every,
    ),
    rule(r"\bin\s+(?P<all>(?:\d+\s*(?:d(?:ays?)?|h(?:ou)?rs?|h|m(?:in(?:ute)?s?)?)"
        r"\b(?:\s*,?\s*(?:and\s+)?)?){2,})", _compact_shift),
    rule(rf"\b{_AMOUNT}\s+(?P<way>ago|from\s+(?:right\s+)?now|from\s+today|later|hence|"
        r"earlier|back|out)\b", _shift),
    rule(r"\b(?:for|lasting|takes?|lasts)\s+(?:about\s+|around\s+|"
        rf"the\s+)?{_AMOUNT}(?!\s+(?:from\s+now|after|before|ago|later)\b)", _length),
    rule(rf"\b{_AMOUNT}\s+(?P<way>from|after|before|prior\s+to)"
        rf"\b(?=\s+(?:the\s+)?(?:tomorrow|today|next|last|this|yesterday|{WEEKDAY}|\d|noon|"
        r"midnight|\w+\s+\d))", _anchored),
    rule(rf"\b(?:in\s+|within\s+|over\s+|during\s+|for\s+)?(?:the\s+)?(?P<count>{_COUNT})"
        r"\s+(?P<way>next|upcoming|coming|past|last|previous)(?P<plus>)(?P<half>)"
        rf"\s+(?P<unit>{_UNIT})", _span_ahead),
    rule(r"\b(?:in|within|over|during)\s+the\s+(?P<way>next|coming|last|past|previous)"
        rf"\s+{_AMOUNT}", _span_ahead),
    rule(rf"\b(?:in|within)\s+(?:about\s+)?{_AMOUNT}(?:['’]s?\s+time)?\b(?!\s+(?:of|from|"
        r"after|before))", _shift),
    rule(r"\b(?:the\s+)?(?P<way>next|following|coming|last|past|previous)\s+(?!week\b|"
        rf"month\b|year\b){_AMOUNT}", _span_ahead),
    rule(rf"\b{_AMOUNT}\s+(?=long\b)", _length),
    rule(_ZONE_WORDS + r"\b", _zone),
)  # fmt: skip

CLOCK_RULES: Final[tuple[Rule, ...]] = (
    rule(
        r"\b(?:a\s+)?(?P<amount>half|quarter|[0-5]?\d|five|ten|fifteen|"
            r"twenty(?:[ -]five)?)(?:\s+(?:minutes?|mins?))?\s+(?P<way>past|to|of|till|"
            r"before|after)\s+"
        rf"(?P<hour>{_HOUR_WORD}|1[0-2]|[1-9]|noon|midnight)(?![\d:/a-oq-z])"
            rf"(?!\s*(?:of\b|st\b|nd\b|rd\b|th\b))(?:\s*{_OCLOCK})?(?:\s*{_AMPM})?",
        lambda m, s: _past(m, s) if _is_past(m) else None,
    ),
    rule(rf"\b(?<![\d/:.]){_DIGIT_TIME}(?:\s?-?ish|\s*o'?\s?clock)?\s*{_AMPM}", _clock),
    rule(r"\b(?<![\d/:.])(?P<hour>[01]?\d)(?P<minute>[0-5]\d)\s*(?P<half>a\.?\s?m\b\.?|"
        r"p\.?\s?m\b\.?)", _clock),
    rule(r"\b(?<![\d/:.])(?P<hour>1[0-2]|0?[1-9])(?::(?P<minute>[0-5]\d))?\s?(?P<half>[ap])"
        r"(?=$|\s|[.,?!-])(?!\s+(?:few|lot|couple|new|quick|meeting|call)\b)", _short_half),
    rule(r"(?<=\bat )(?P<hour>[01]?\d|2[0-3])[. ](?P<minute>[0-5]\d)\b(?!\s*(?:am|pm|%|"
        r"people|degrees))", _clock),
    rule(r"(?:(?<=\bat )|(?<=\baround )|(?<=\bapproximately )|(?<=\bbetween )|(?<=\d-)|"
        r"(?<=\bfrom ))(?P<hour>0?\d|1\d|2[0-3])(?P<minute>[0-5]\d)\b(?!\s*(?:am|pm|%|"
        r"\w+s\b))", _clock),
    rule(r"\b(?P<hour>\d{1,2})\s+in\s+the\s+(?P<half>am|pm)\b", _clock),
    rule(rf"\bhalf\s+(?P<hour>{_HOUR_WORD})\b", _half_hour),
    rule(rf"\b{_WORD_TIME}\s*{_AMPM}", _clock),
    rule(rf"\b(?<![\d/:]){_DIGIT_TIME}\s*(?:{_OCLOCK})?(?:\s*{_IN_PART})", _hour_part),
    rule(rf"\b{_WORD_TIME}\s*(?:{_OCLOCK})?(?:\s*{_IN_PART})", _hour_part),
    rule(rf"\b(?P<part>{_PART})\s+(?:at\s+|"
        rf"around\s+)?{_DIGIT_TIME}\b{_NOT_COUNTED}(?!\s*{_AMPM})", _hour_part),
    rule(rf"\b(?P<part>{_PART})\s+(?:at\s+|"
        rf"around\s+)?{_WORD_TIME}\b{_NOT_COUNTED}(?!\s*{_AMPM})", _hour_part),
    rule(r"\b(?<![\d/:.])(?P<hour>[01]?\d|2[0-4])[:hH](?P<minute>[0-5]\d)"
        r"(?::(?P<second>[0-5]\d))?(?![\d:])", _clock),
    rule(rf"\b(?P<hour>\d{{1,2}}|{_HOUR_WORD})\s*{_OCLOCK}", _clock),
    rule(r"\b(?P<hour>\d{1,2})h\b", _hours),
    rule(rf"\b(?P<hour>1[0-2]|[1-9]|{_HOUR_WORD})(?:\s?-?ish)\b", _clock),
    rule(r"(?:^|(?<=\bat )|(?<=\bfor )|(?<=\bby )|(?<=\bto )|(?<=\bmeeting )|(?<=\bcall ))"
        r"(?P<hour>1[0-2]|[1-9])(?=\s+(?:tonight|tomorrow|today)\b)", _clock),
    rule(r"(?:(?<=day )|(?<=tomorrow )|(?<=tonight )|(?<=\d(?:st|nd|rd|th) ))"
        r"(?P<hour>1[0-2]|[1-9])(?=\s?[-–]\s?(?:1[0-2]|[1-9])(?::\d\d)?(?:$|[\s.,?!ap]))", _clock),
    rule(r"\b(?:12\s+)?(?:at\s+)?(?:high\s+|12\s+)?(?:noon|mid-?\s?day|midnight)\b", _named_clock),
    rule(
        rf"(?<=\bat )(?P<hour>[01]?\d|2[0-4]|{_HOUR_WORD})"
            rf"(?:[\s-]+(?P<minute>{_MINUTE_WORD}))?\b{_NOT_COUNTED}(?!\s+(?:\w+\s+)?(?:street|"
            r"road|avenue|main)\b)",
        _clock,
    ),
    rule(rf"\b(?:this\s+|in\s+the\s+|during\s+the\s+)?{_PART}\b", _day_part),
    rule(r"\b(?:lunch\s?time|over lunch|at lunch|(?:the )?end of (?:the )?(?:work\s?)?day|"
        r"eod|cob)\b",
         _lunch_or_end),
    rule(rf"(?<=\bbetween )(?P<hour>[01]?\d|2[0-4]|{_HOUR_WORD})(?P<minute>)"
        rf"\b{_NOT_COUNTED}(?=\s*(?:and|-|to)\s)", _clock),
    rule(rf"(?<=\bfrom )(?P<hour>[01]?\d|2[0-4]|{_HOUR_WORD})(?P<minute>)"
        rf"\b{_NOT_COUNTED}(?=\s*(?:-|–|to|till|until)\s)", _clock),
    rule(r"\b(?P<hour>[01]?\d|2[0-4])(?P<minute>)(?=\s*(?:-|–|to|till|until)"
        rf"\s*(?:\d{{1,2}}(?::\d\d)?|{_HOUR_WORD})\s*(?:am|pm|a\.m|p\.m|in the)|\s*(?:-|–|"
        rf"to)\s*\d{{1,2}}(?::\d\d)\b)", _clock),
    rule(
        r"(?:(?<=\bto )|(?<=\btill )|(?<=\buntil )|(?<=\bby )|(?<=\baround )|"
            r"(?<=\babout )|(?<=\bafter )|(?<=\bbefore )|(?<=\bpast )|(?<=\bsince )|"
            r"(?<=\band )|(?<=\d-)|(?<=\d - )|(?<=\d–)|(?<=@ )|(?<=@))"
        rf"(?P<hour>[01]?\d|2[0-4]|{_HOUR_WORD})(?P<minute>)\b{_NOT_COUNTED}(?![\d-]|"
            r"\s+[a-z]+s\b|\s+(?:new|different|separate)\b)",
        lambda m, s: _clock(m, s) if _clocky(m) else None,
    ),
    rule(r"\b(?-i:UTC|GMT|E[SD]T|C[SD]T|M[SD]T|P[SD]T|KST|JST|BST|CES?T|SGT|IST|AE[SD]T)\b", _zone),
    rule(r"(?<=[\dmM.] )(?-i:ET|PT)\b", _zone),
)  # fmt: skip


def _clocky(match: "re.Match[str]") -> bool:
    """A bare number is an hour only behind a word that asks for a time, not in "to 5 people"."""
    after = match.string[match.end() : match.end() + 2]
    before = match.string[: match.start()].lower().rstrip()
    if before.endswith("and"):
        return bool(re.search(r"\bbetween\s+[\w:.]+(?:\s*[ap]\.?m\.?)?\s+and$", before))
    if before.endswith("to"):
        return bool(
            re.search(
                r"\b(?:from|move\w*|push\w*|change\w*|shift\w*|reschedule\w*|make|it|"
                r"meeting|\d|am|pm|o'clock)\b.*\bto$|\d\s*to$",
                before,
            ),
        )
    return not after.startswith("'")


MARK_WORDS: Final[tuple[tuple[str, str], ...]] = (
    (r"(?:until|till|til|up\s+to|through|thru|to|-|–|—|~)", "to"),
    (r"(?:from|starting(?:\s+(?:on|from|at))?|beginning)", "from"),
    (r"since", "since"),
    (r"between", "between"),
    (r"(?:and|&)", "and"),
    (r"(?:after|past|later\s+than)", "after"),
    (r"(?:before|earlier\s+than|prior\s+to)", "before"),
    (r"(?:by|no\s+later\s+than)", "by"),
)


def mark_of(words: str) -> Mark | None:
    """Name what a joining word does; None where it joins nothing."""
    plain = words.strip().lower()
    for pattern, kind in MARK_WORDS:
        if re.fullmatch(pattern, plain):
            return Mark(kind)  # type: ignore[arg-type]
    return None
