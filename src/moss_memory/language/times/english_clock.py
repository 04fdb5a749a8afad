"""English words for clock times, parts of the day, lengths, repetitions and zones."""

# Every reader takes what the lexer hands it; 12, 24, 31 and 59 are the calendar's own numbers.
# ruff: noqa: ARG001, PLR2004

import re
from collections.abc import Sequence
from typing import Final

from moss_memory.language.times.clue import (
    Clock,
    DateClue,
    DayPart,
    Half,
    Mark,
    Value,
)  # fmt: skip
from moss_memory.language.times.english_names import WEEKDAY
from moss_memory.language.times.lexer import Rule, Scene, rule
from moss_memory.language.times.numerals import english
from moss_memory.language.times.policy import ENGLISH_PARTS

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
    name = next(ENGLISH_PARTS[key] for key in ENGLISH_PARTS if key in words)
    today = "this " in words and "in the" not in words
    values: list[Value] = [clock, DayPart(name)]
    return [*values, DateClue(days=0)] if today else values


def _day_part(match: "re.Match[str]", scene: Scene) -> Value | Sequence[Value]:
    words = match.group().lower()
    name = next(ENGLISH_PARTS[key] for key in ENGLISH_PARTS if key in words)
    if re.match(r"this\b", words):
        return DayPart(name), DateClue(days=0)
    return DayPart(name)


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
    rule(
        r"\b(?<![\d/:.])(?P<hour>[01]?\d)(?P<minute>[0-5]\d)\s*(?P<half>a\.?\s?m\b\.?|"
        r"p\.?\s?m\b\.?)",
        _clock,
    ),
    rule(
        r"\b(?<![\d/:.])(?P<hour>1[0-2]|0?[1-9])(?::(?P<minute>[0-5]\d))?\s?(?P<half>[ap])"
        r"(?=$|\s|[.,?!-])(?!\s+(?:few|lot|couple|new|quick|meeting|call)\b)",
        _short_half,
    ),
    rule(
        r"(?<=\bat )(?P<hour>[01]?\d|2[0-3])[. ](?P<minute>[0-5]\d)\b(?!\s*(?:am|pm|%|"
        r"people|degrees))",
        _clock,
    ),
    rule(
        r"(?:(?<=\bat )|(?<=\baround )|(?<=\bapproximately )|(?<=\bbetween )|(?<=\d-)|"
        r"(?<=\bfrom ))(?P<hour>0?\d|1\d|2[0-3])(?P<minute>[0-5]\d)\b(?!\s*(?:am|pm|%|"
        r"\w+s\b))",
        _clock,
    ),
    rule(r"\b(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)\s*(?:hours|hrs)\b", _clock),
    rule(
        rf"\b(?P<hour>1[0-2]|[1-9])(?=\s+(?:on\s+)?{WEEKDAY}\s+(?:morning|afternoon|evening|night)\b)",
        _clock,
    ),
    rule(
        rf"\b(?P<hour>{_HOUR_WORD})[\s-]+(?P<minute>(?!five\b|ten\b){_MINUTE_WORD})\b{_NOT_COUNTED}(?!\s*{_AMPM})"
        r"(?!\s*(?:dollars|bucks|pages|miles|in\s+the|this|at\s+night))",
        _clock,
    ),
    rule(r"\b(?P<hour>\d{1,2})\s+in\s+the\s+(?P<half>am|pm)\b", _clock),
    rule(rf"\bhalf\s+(?P<hour>{_HOUR_WORD})\b", _half_hour),
    rule(rf"\b{_WORD_TIME}\s*{_AMPM}", _clock),
    rule(rf"\b(?<![\d/:]){_DIGIT_TIME}\s*(?:{_OCLOCK})?(?:\s*{_IN_PART})", _hour_part),
    rule(rf"\b{_WORD_TIME}\s*(?:{_OCLOCK})?(?:\s*{_IN_PART})", _hour_part),
    rule(
        rf"\b(?P<part>{_PART})\s+(?:at\s+|"
        rf"around\s+)?{_DIGIT_TIME}\b{_NOT_COUNTED}(?!\s*{_AMPM})",
        _hour_part,
    ),
    rule(
        rf"\b(?P<part>{_PART})\s+(?:at\s+|"
        rf"around\s+)?{_WORD_TIME}\b{_NOT_COUNTED}(?!\s*{_AMPM})",
        _hour_part,
    ),
    rule(
        r"\b(?<![\d/:.])(?P<hour>[01]?\d|2[0-4])[:hH](?P<minute>[0-5]\d)"
        r"(?::(?P<second>[0-5]\d))?(?![\d:])",
        _clock,
    ),
    rule(rf"\b(?P<hour>\d{{1,2}}|{_HOUR_WORD})\s*{_OCLOCK}", _clock),
    rule(r"\b(?P<hour>\d{1,2})h\b", _hours),
    rule(rf"\b(?P<hour>1[0-2]|[1-9]|{_HOUR_WORD})(?:\s?-?ish)\b", _clock),
    rule(
        r"(?:^|(?<=\bat )|(?<=\bfor )|(?<=\bby )|(?<=\bto )|(?<=\bmeeting )|(?<=\bcall ))"
        r"(?P<hour>1[0-2]|[1-9])(?=\s+(?:tonight|tomorrow|today)\b)",
        _clock,
    ),
    rule(
        r"(?:(?<=day )|(?<=tomorrow )|(?<=tonight )|(?<=\d(?:st|nd|rd|th) ))"
        r"(?P<hour>1[0-2]|[1-9])(?=\s?[-–]\s?(?:1[0-2]|[1-9])(?::\d\d)?(?:$|[\s.,?!ap]))",
        _clock,
    ),
    rule(r"\b(?:12\s+)?(?:at\s+)?(?:high\s+|12\s+)?(?:noon|mid-?\s?day|midnight)\b", _named_clock),
    rule(
        rf"(?<=\bat )(?P<hour>[01]?\d|2[0-4]|{_HOUR_WORD})"
        rf"(?:[\s-]+(?P<minute>{_MINUTE_WORD}))?\b{_NOT_COUNTED}(?!\s+(?:\w+\s+)?(?:street|"
        r"road|avenue|main)\b)",
        _clock,
    ),
    rule(rf"\b(?:this\s+|in\s+the\s+|during\s+the\s+)?{_PART}\b", _day_part),
    rule(
        r"\b(?:lunch\s?time|over lunch|at lunch|(?:the )?end of (?:the )?(?:work\s?)?day|"
        r"eod|cob)\b",
        _lunch_or_end,
    ),
    rule(
        rf"(?<=\bbetween )(?P<hour>[01]?\d|2[0-4]|{_HOUR_WORD})(?P<minute>)"
        rf"\b{_NOT_COUNTED}(?=\s*(?:and|-|to)\s)",
        _clock,
    ),
    rule(
        rf"(?<=\bfrom )(?P<hour>[01]?\d|2[0-4]|{_HOUR_WORD})(?P<minute>)"
        rf"\b{_NOT_COUNTED}(?=\s*(?:-|–|to|till|until)\s)",
        _clock,
    ),
    rule(
        r"\b(?P<hour>[01]?\d|2[0-4])(?P<minute>)(?=\s*(?:-|–|to|till|until)"
        rf"\s*(?:\d{{1,2}}(?::\d\d)?|{_HOUR_WORD})\s*(?:am|pm|a\.m|p\.m|in the)|\s*(?:-|–|"
        rf"to)\s*\d{{1,2}}(?::\d\d)\b)",
        _clock,
    ),
    rule(
        r"(?:(?<=\bto )|(?<=\btill )|(?<=\buntil )|(?<=\bby )|(?<=\baround )|"
        r"(?<=\babout )|(?<=\bafter )|(?<=\bbefore )|(?<=\bpast )|(?<=\bsince )|"
        r"(?<=\band )|(?<=\d-)|(?<=\d - )|(?<=\d–)|(?<=@ )|(?<=@))"
        rf"(?P<hour>[01]?\d|2[0-4]|{_HOUR_WORD})(?P<minute>)\b{_NOT_COUNTED}(?![\d-]|"
        r"\s+[a-z]+s\b|\s+(?:new|different|separate)\b)",
        lambda m, s: _clock(m, s) if _clocky(m) else None,
    ),
)


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
