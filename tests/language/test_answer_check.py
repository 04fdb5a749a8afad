"""A model's answer passes only if it says what the context says."""

from datetime import UTC, datetime

import pytest

from moss_memory.core.fact import Fact, Memory, Provenance
from moss_memory.core.interval import Interval
from moss_memory.core.when import Instant
from moss_memory.language.answer_check import agrees

SEOUL = "Asia/Seoul"
THURSDAY = datetime(2026, 7, 16, 5, tzinfo=UTC)  # 14:00 in Seoul
FRIDAY = Interval(datetime(2026, 7, 16, 15, tzinfo=UTC), datetime(2026, 7, 17, 15, tzinfo=UTC))
TEN = Interval(datetime(2026, 7, 17, 1, tzinfo=UTC), datetime(2026, 7, 17, 2, tzinfo=UTC))
ASKED = "Summarize my schedule for Friday at 10 AM"


def memory(predicate: str, value: str, window: Interval) -> Memory:
    said = Fact(
        domain="Schedule",
        subject="Calendar",
        predicate=predicate,
        object_value=value,
        scope_id="ann",
        observed_at=THURSDAY,
        when=Instant(window.start, window.end),
    )
    return Memory(
        memory_id=value,
        revision=1,
        tenant_id="default",
        principal_id="ann",
        owner="ann",
        fact=said,
        windows=(window,),
        valid_from=window.start,
        valid_until=window.end,
        recorded_at=THURSDAY,
        created_at=THURSDAY,
        provenance=Provenance(decision_id="d"),
    )


VACATION = memory("vacation", "Vacation", FRIDAY)
MEETING = memory("meeting", "dev team meeting", TEN)
KOREAN = memory("meeting", "개발팀 미팅", TEN)


def judged(text: str, *memories: Memory, said: str = ASKED) -> bool:
    return agrees(text, said, memories, window=TEN, at=THURSDAY, zone=SEOUL, locale="en")


@pytest.mark.parametrize(
    "text",
    [
        "You have no scheduled meetings at that time because you are on annual leave.",
        "해당 시간은 연차 휴가 기간이므로 예정된 회의가 없습니다.",
        "You are on vacation all day on Friday, July 17.",
        "No meetings on Friday at 10 AM: you are on leave.",
    ],
)
def test_answer_passes_when_it_says_that_leave_is_stored(text: str) -> None:
    assert judged(text, VACATION)


@pytest.mark.parametrize(
    "text",
    [
        "You have the dev team meeting on Friday at 10:00 AM.",
        "Your dev team meeting is on Friday, July 17 from 10 AM to 11 AM.",
    ],
)
def test_answer_passes_when_it_names_the_stored_meeting(text: str) -> None:
    assert judged(text, MEETING)


def test_korean_answer_passes_when_it_names_the_stored_meeting() -> None:
    assert judged("금요일 오전 10시에 개발팀 미팅이 예정되어 있습니다.", KOREAN)


@pytest.mark.parametrize(
    "text",
    [
        "You have a dev team meeting on Friday at 10:00 AM.",
        "You are on leave, and you have a budget review at 10 AM.",
        "금요일에는 연차 휴가이시며, 오전 10시에 개발팀 미팅이 잡혀 있습니다.",
        "On Friday you have the dev team meeting at 10 AM.",
    ],
)
def test_answer_fails_when_it_invents_a_meeting(text: str) -> None:
    assert not judged(text, VACATION)


@pytest.mark.parametrize(
    "text",
    [
        "Your dev team meeting is on Saturday at 10:00 AM.",
        "Your dev team meeting is on Friday at 11:30 AM.",
        "Your dev team meeting is on July 18.",
        "개발팀 미팅은 토요일 오전 10시입니다.",
    ],
)
def test_answer_fails_when_it_moves_the_time(text: str) -> None:
    assert not judged(text, MEETING, KOREAN)


@pytest.mark.parametrize(
    "text", ["You have no meetings on Friday at 10 AM.", "You are free at that time."]
)
def test_answer_fails_when_it_denies_what_is_stored(text: str) -> None:
    assert not judged(text, MEETING)


@pytest.mark.parametrize("text", ["You are free on Friday at 10 AM.", "그 시간은 비어 있습니다."])
def test_answer_fails_when_it_calls_a_day_off_free_and_says_no_more(text: str) -> None:
    assert not judged(text, VACATION)


@pytest.mark.parametrize(
    "text",
    ["You are free on Friday: you are on leave.", "휴가이므로 그 시간은 비어 있습니다."],
)
def test_answer_passes_when_it_says_why_the_time_is_free(text: str) -> None:
    assert judged(text, VACATION)


def test_answer_passes_when_it_calls_an_empty_calendar_free() -> None:
    assert judged("You are free on Friday at 10 AM.")


def test_answer_fails_when_it_cites_a_title_that_is_not_in_the_context() -> None:
    assert not judged("You have the dev team meeting and lunch with Kim at 10 AM.", MEETING)


def test_answer_may_deny_what_the_question_named() -> None:
    said = "Do I have a budget review on Friday?"

    assert judged("You have no budget review on Friday.", VACATION, said=said)
    assert not judged("You have a budget review on Friday.", VACATION, said=said)
