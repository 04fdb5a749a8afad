"""Questions for words that can be read in two ways, each choice a whole utterance of its own."""

# ruff: noqa: PLR2004 - 12 hours and months, 28 to 31 days are the calendar's own numbers

from datetime import date, datetime, timedelta
from typing import Final

from moss_memory.core.when import Days, Instant, WallClock, When
from moss_memory.language.proposal import Choice, Question, QuestionCode
from moss_memory.language.times.mention import TimeMention
from moss_memory.language.times.place import local_of, place

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_WEEKDAYS: Final = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip
_KO_WEEKDAYS: Final = "월화수목금토일"
_TEXTS: Final[dict[QuestionCode, tuple[str, str]]] = {
    "date_mismatch": (
        "The weekday and the date disagree. Which day do you mean?",
        "요일과 날짜가 맞지 않아요. 어느 날인가요?",
    ),
    "half_day": ("Morning or afternoon?", "오전 반차인가요, 오후 반차인가요?"),
    "wall_time": (
        "The clocks change then. Which time do you mean?",
        "그 시각에는 시계가 바뀌어요. 어느 시각인가요?",
    ),
    "past_date": (
        "That date has gone by this year. Which one do you mean?",
        "올해 그 날짜는 이미 지났어요. 어느 날짜인가요?",
    ),
    "not_grounded": (
        "I could not find that in your words. What should I remember?",
        "말씀에서 찾을 수 없는 내용이에요. 무엇을 기억할까요?",
    ),
    "target": ("Which one do you mean?", "어느 것을 말씀하시나요?"),
    "missing": ("What is it, and when?", "무엇을 언제로 기억할까요?"),
}


def ask(
    code: QuestionCode,
    *,
    korean: bool,
    choices: tuple[Choice, ...] = (),
    text: str | None = None,
) -> Question:
    """Word a question; ``text`` replaces the usual sentence."""
    return Question(code, text or _TEXTS[code][korean], choices)


def about_time(text: str, mention: TimeMention, zone: str, *, korean: bool) -> Question | None:
    """Ask about a mention that can be read in two ways; None where it is clear."""
    for flag, code in _FLAG_CODES:
        if flag in mention.flags:
            if code == "half_day":
                return ask(code, korean=korean, choices=_halves(text, mention, korean=korean))
            readings = _readings(mention, zone, flag)
            choices = tuple(choice(text, mention, one, korean=korean) for one in readings)
            return ask(code, korean=korean, choices=choices)
    return None


_FLAG_CODES: Final[tuple[tuple[str, QuestionCode], ...]] = (
    ("weekday_mismatch", "date_mismatch"),
    ("half_day", "half_day"),
    ("past", "past_date"),
    ("gap", "wall_time"),
    ("fold", "wall_time"),
)


def _readings(mention: TimeMention, zone: str, flag: str) -> tuple[When, ...]:
    if flag == "fold" and isinstance(mention.when, WallClock):
        where = mention.when.zone or zone
        return tuple(
            Instant(place(mention.when.start, where, fold=fold).instant) for fold in (0, 1)
        )
    if flag == "gap" and isinstance(mention.when, WallClock):
        where = mention.when.zone or zone
        after = local_of(place(mention.when.start, where).instant, where)
        hour = timedelta(hours=1)
        return tuple(
            WallClock(start, zone=mention.when.zone) for start in (after - 2 * hour, after)
        )
    return (mention.when, *mention.alternatives)


def respelled(text: str, mention: TimeMention, label: str) -> str:
    """Put other words for a time into an utterance, in place of all that spoke of it."""
    spans = mention.spans or ((mention.start, mention.end),)
    pieces, at = [], 0
    for index, (start, end) in enumerate(spans):
        said = text[start:end].rstrip()
        stop = start + len(said)
        if said.count("(") > said.count(")") and text[stop : stop + 1] == ")":
            stop += 1
        pieces += [text[at:start], label if index == 0 else ""]
        at = stop
    return "".join([*pieces, text[at:]]).strip()


def _with_half(label: str, when: When, mention: TimeMention, *, korean: bool) -> str:
    """Half a day keeps its name: the hours alone would no longer speak of leave."""
    if "policy_half" not in mention.flags or not isinstance(when, WallClock):
        return label
    day = Days(when.start.date())
    morning = when.start.hour < 12
    if korean:
        return f"{say_korean(day)} {'오전' if morning else '오후'} 반차"
    return f"{say_english(day)}, half day in the {'morning' if morning else 'afternoon'}"


def choice(text: str, mention: TimeMention, when: When, *, korean: bool) -> Choice:
    """Offer a reading: its label, and the utterance with that time in it."""
    label = say_korean(when) if korean else say_english(when)
    return Choice(label, respelled(text, mention, _with_half(label, when, mention, korean=korean)))


def _halves(text: str, mention: TimeMention, *, korean: bool) -> tuple[Choice, ...]:
    choices = []
    for half in ("오전", "오후") if korean else ("morning", "afternoon"):
        said = text[mention.start : mention.end]
        spelled = f"{half} {said}" if korean else f"{said} {half}"
        if korean:
            spelled = said.replace("반차", f"{half} 반차").replace("반일", f"{half} 반일")
        else:
            spelled = _english_half(said, half)
        choices.append(Choice(half, f"{text[: mention.start]}{spelled}{text[mention.end :]}"))
    return tuple(choices)


def _english_half(said: str, half: str) -> str:
    for word in ("half day", "half-day", "half a day", "Half day", "Half-day", "Half a day"):
        if word in said:
            return said.replace(word, f"{word} in the {half}")
    return f"{said} {half}"


def say_english(when: When) -> str:
    """Spell a time so that it can be read in one way only."""
    if isinstance(when, Days):
        return _english_days(when)
    start, end, suffix = _ends(when)
    day = _english_day(start)
    if end is None:
        return f"{day} at {_clock(start)}{suffix}"
    if end.date() == start.date():
        return f"{day} from {_clock(start)} to {_clock(end)}{suffix}"
    return f"{day} at {_clock(start)} to {_english_day(end)} at {_clock(end)}{suffix}"


def _english_days(when: Days) -> str:
    last = _last_day(when)
    if last == when.start:
        return f"{_WEEKDAYS[last.weekday()]}, {_english_day(last)}"
    return f"{_english_day(when.start)} to {_english_day(last)}"


def _english_day(day: date) -> str:
    return f"{_MONTHS[day.month - 1]} {day.day}, {day.year}"


def _last_day(when: Days) -> date:
    return when.start if when.end is None else when.end - timedelta(days=1)


def say_korean(when: When) -> str:
    """Spell the same in Korean."""
    if isinstance(when, Days):
        last = _last_day(when)
        if last == when.start:
            return f"{_korean_day(last)} {_KO_WEEKDAYS[last.weekday()]}요일"
        return f"{_korean_day(when.start)}부터 {_korean_day(last)}까지"
    start, end, suffix = _ends(when)
    said = f"{suffix} 기준 " if suffix else ""
    begins = f"{said}{_korean_day(start)} {_korean_clock(start)}"
    if end is None:
        return begins
    ends = "" if end.date() == start.date() else f"{_korean_day(end)} "
    return f"{begins}부터 {ends}{_korean_clock(end)}까지"


def _korean_day(day: date) -> str:
    return f"{day.year}년 {day.month}월 {day.day}일"


def _ends(when: Instant | WallClock) -> tuple[datetime, datetime | None, str]:
    if isinstance(when, Instant):
        return when.start, when.end, " UTC"
    return when.start, when.end, f" {_ZONE_WORDS.get(when.zone, '')}".rstrip() if when.zone else ""


_ZONE_WORDS: Final = {
    "America/New_York": "ET", "America/Chicago": "CST", "America/Denver": "MST",
    "America/Los_Angeles": "PT", "Europe/London": "UK time", "Europe/Paris": "CET",
    "Europe/Berlin": "Berlin time", "Asia/Seoul": "KST", "Asia/Tokyo": "JST",
    "Asia/Shanghai": "China time", "Asia/Singapore": "SGT", "Asia/Kolkata": "IST",
    "Australia/Sydney": "Sydney time", "Asia/Dubai": "Dubai time", "UTC": "UTC",
}  # fmt: skip


def _clock(at: datetime) -> str:
    half = "AM" if at.hour < 12 else "PM"
    minute = f":{at.minute:02}" if at.minute else ""
    return f"{at.hour % 12 or 12}{minute} {half}"


def _korean_clock(at: datetime) -> str:
    half = "오전" if at.hour < 12 else "오후"
    minute = f" {at.minute}분" if at.minute else ""
    return f"{half} {at.hour % 12 or 12}시{minute}"
