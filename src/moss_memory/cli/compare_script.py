"""The conversation of the control experiment: the seed's three steps, then ever more of the same.

Every ten turns book a day off, put a meeting on it, book a time twice, move house and ask about
each. It is computed, so a thousand turns are as easy as ten, and the same every time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

START: Final = datetime(2026, 7, 16, 5, tzinfo=UTC)  # Thursday, 14:00 in Seoul
ZONE: Final = "Asia/Seoul"
STEP: Final = timedelta(hours=1)
_TOPICS: Final = ("budget", "design", "hiring", "release", "pricing", "support", "research")
_TOPICS_KO: Final = ("예산", "디자인", "채용", "배포", "가격", "지원", "연구")
_CITIES: Final = ("Oslo", "Lisbon", "Osaka", "Lima", "Tartu", "Quito")
_CITIES_KO: Final = ("서울", "부산", "오사카", "오슬로", "리마", "타르투")
_SEED: Final = {
    "en": (
        "I'm taking all day off tomorrow, Friday (7/17). Add it to my calendar.",
        "Schedule a dev team meeting for Friday at 10 AM.",
        "Summarize my schedule for Friday at 10 AM.",
    ),
    "ko": (
        "나 내일 금요일(7/17) 하루 종일 연차 휴가야. 캘린더에 등록해줘.",
        "금요일 오전 10시에 개발팀 미팅 일정 예약해줘.",
        "금요일 오전 10시에 내 일정 요약해줘.",
    ),
}
_ROUND: Final = {
    "en": (
        "I'm taking all day off on {off}.",
        "Schedule a {one} meeting on {off} at 10 AM.",
        "Summarize my schedule for {off}.",
        "Schedule a {two} meeting on {busy} at 3 PM.",
        "Schedule a {three} review on {busy} at 3 PM.",
        "What is on my calendar on {busy}?",
        "I live in {city}.",
        "Where do I live?",
        "Thanks, that helps.",
        "Am I free on {off} at 10 AM?",
    ),
    "ko": (
        "{off} 하루 종일 연차야.",
        "{off} 오전 10시에 {one} 회의 잡아줘.",
        "{off} 일정 요약해줘.",
        "{busy} 오후 3시에 {two} 회의 잡아줘.",
        "{busy} 오후 3시에 {three} 미팅 예약해줘.",
        "{busy} 일정 뭐 있어?",
        "나는 {city}에 살아.",
        "나 어디 살아?",
        "고마워, 도움이 됐어.",
        "{off} 오전 10시에 시간 비어?",
    ),
}


@dataclass(frozen=True, slots=True)
class Turn:
    """What is said at an instant, UTC."""

    text: str
    at: datetime


def conversation(turns: int, locale: str) -> Iterator[Turn]:
    """Yield the first ``turns`` turns, in English (``en``) or Korean (``ko``)."""
    for number in range(turns):
        yield Turn(_line(number, locale), START + number * STEP)


def _line(number: int, locale: str) -> str:
    seed, lines = _SEED[locale], _ROUND[locale]
    if number < len(seed):
        return seed[number]
    turn, place = divmod(number - len(seed), len(lines))
    topics, cities = (_TOPICS, _CITIES) if locale == "en" else (_TOPICS_KO, _CITIES_KO)
    off = date(2026, 7, 20) + timedelta(days=2 * turn)
    return lines[place].format(
        off=_day(off, locale),
        busy=_day(off + timedelta(days=1), locale),
        one=topics[turn % len(topics)],
        two=topics[(turn + 2) % len(topics)],
        three=topics[(turn + 4) % len(topics)],
        city=cities[turn % len(cities)],
    )


def _day(on: date, locale: str) -> str:
    if locale == "ko":
        return f"{on.year}년 {on.month}월 {on.day}일"
    return f"{on:%B} {on.day}, {on.year}"
