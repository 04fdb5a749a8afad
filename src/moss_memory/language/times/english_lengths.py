"""English words for lengths, shifts from now, and repetitions."""

# Every reader takes what the lexer hands it; 12, 24, 31 and 59 are the calendar's own numbers.
# ruff: noqa: ARG001

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from moss_memory.language.times.clue import (
    At,
    DayPart,
    Every,
    Half,
    HalfDay,
    Length,
    Shift,
    Unit,
    Value,
)  # fmt: skip
from moss_memory.language.times.english_names import WEEKDAY, weekday_number
from moss_memory.language.times.lexer import Rule, Scene, rule
from moss_memory.language.times.numerals import ENGLISH_CARDINAL, english
from moss_memory.language.times.policy import ENGLISH_PARTS

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
    part = next((ENGLISH_PARTS[key] for key in ENGLISH_PARTS if key in words), None)
    return None if part is None else (Every(freq="DAILY", interval=interval), DayPart(part))


def _half_day(match: "re.Match[str]", scene: Scene) -> Value:
    words = match.group().lower()
    half: Half | None = "am" if "morning" in words else "pm" if "afternoon" in words else None
    return HalfDay(half)


_EVERY_UNITS: Final = (
    (r"weekday|work ?day|business day", Every(freq="WEEKLY", byday=(0, 1, 2, 3, 4))),
    (r"weekend", Every(freq="WEEKLY", byday=(5, 6))),
    (r"week|fortnight", Every(freq="WEEKLY")),
    (r"day|daily", Every(freq="DAILY")),
    (r"month", Every(freq="MONTHLY")),
    (r"quarter", Every(freq="MONTHLY", interval=3)),
    (r"year|annual", Every(freq="YEARLY")),
)

_NEEDS_UNIT: Final = r"sec|min|h(?:ou)?rs?|day|night|week|wk|month|mons?\b|year|yr|\d\s?[hmd]"
LENGTH_RULES: Final[tuple[Rule, ...]] = (
    rule(
        r"\bhalf[- ]?(?:a\s+)?day\b(?:\s+(?:in\s+the\s+|of\s+)?(?:morning|afternoon))?|"
        r"\b(?:morning|afternoon)\s+half[- ]day\b",
        _half_day,
    ),
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
    rule(
        r"\bin\s+(?P<all>(?:\d+\s*(?:d(?:ays?)?|h(?:ou)?rs?|h|m(?:in(?:ute)?s?)?)"
        r"\b(?:\s*,?\s*(?:and\s+)?)?){2,})",
        _compact_shift,
        _NEEDS_UNIT,
    ),
    rule(
        rf"\b{_AMOUNT}\s+(?P<way>ago|from\s+(?:right\s+)?now|from\s+today|later|hence|"
        r"earlier|back|out)\b",
        _shift,
        _NEEDS_UNIT,
    ),
    rule(
        r"\b(?:for|lasting|takes?|lasts)\s+(?:about\s+|around\s+|"
        rf"the\s+)?{_AMOUNT}(?!\s+(?:from\s+now|after|before|ago|later)\b)",
        _length,
        _NEEDS_UNIT,
    ),
    rule(
        rf"\b{_AMOUNT}\s+(?P<way>from|after|before|prior\s+to)"
        rf"\b(?=\s+(?:the\s+)?(?:tomorrow|today|next|last|this|yesterday|{WEEKDAY}|\d|noon|"
        r"midnight|\w+\s+\d))",
        _anchored,
        _NEEDS_UNIT,
    ),
    rule(
        rf"\b(?:in\s+|within\s+|over\s+|during\s+|for\s+)?(?:the\s+)?(?P<count>{_COUNT})"
        r"\s+(?P<way>next|upcoming|coming|past|last|previous)(?P<plus>)(?P<half>)"
        rf"\s+(?P<unit>{_UNIT})",
        _span_ahead,
        _NEEDS_UNIT,
    ),
    rule(
        r"\b(?:in|within|over|during)\s+the\s+(?P<way>next|coming|last|past|previous)"
        rf"\s+{_AMOUNT}",
        _span_ahead,
        _NEEDS_UNIT,
    ),
    rule(
        rf"\b(?:in|within)\s+(?:about\s+)?{_AMOUNT}(?:['’]s?\s+time)?\b(?!\s+(?:of|from|"
        r"after|before))",
        _shift,
        _NEEDS_UNIT,
    ),
    rule(
        r"\b(?:the\s+)?(?P<way>next|following|coming|last|past|previous)\s+(?!week\b|"
        rf"month\b|year\b){_AMOUNT}",
        _span_ahead,
        _NEEDS_UNIT,
    ),
    rule(rf"\b{_AMOUNT}\s+(?=long\b)", _length, _NEEDS_UNIT),
)
