"""Utterances end to end below the wire: the seed's story and what surrounds it."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from moss_memory.adapters.offline import OfflineParser
from moss_memory.core.access import Caller
from moss_memory.core.errors import (
    IdempotencyKeyReusedError,
    RightMissingError,
    TextRefusedError,
    TextTooLongError,
)
from moss_memory.flow import converse, reading, settle
from moss_memory.flow.ports import House, IdempotencyKey
from moss_memory.flow.requests import ChatAnswer, ChatRequest, Circumstances, ListRequest

THURSDAY = datetime(2026, 7, 16, 5, tzinfo=UTC)  # 14:00 in Seoul
DAY_OFF = {
    "en": "I'm taking all day off tomorrow, Friday (7/17). Add it to my calendar.",
    "ko": "나 내일 금요일(7/17) 하루 종일 연차 휴가야. 캘린더에 등록해줘.",
}
MEETING = {
    "en": "Schedule a dev team meeting for Friday at 10 AM.",
    "ko": "금요일 오전 10시에 개발팀 미팅 일정 예약해줘.",
}
SUMMARY = {
    "en": "Summarize my schedule for Friday at 10 AM.",
    "ko": "금요일 오전 10시에 내 일정 요약해줘.",
}
ON_LEAVE = {
    "en": "You have no scheduled meetings at that time because you are on annual leave.",
    "ko": "해당 시간은 연차 휴가 기간이므로 예정된 회의가 없습니다.",
}
BOTH = pytest.mark.parametrize("tongue", ["en", "ko"])


@pytest.fixture
def house(make_house: Callable[..., House]) -> House:
    return make_house(parser=OfflineParser())


def say(house: House, who: Caller, text: str, **given: Any) -> ChatAnswer:
    key = given.pop("key", None)
    around = Circumstances(request_id="r", key=key)
    request = ChatRequest(text=text, reference_time=THURSDAY, **given)
    return asyncio.run(converse.chat(house, who, request, around))


def settled(house: House, who: Caller, asked: ChatAnswer, action: Any) -> str:
    assert asked.pending is not None
    around = Circumstances(request_id="r")
    return settle.confirm(house, who, asked.pending.pending_id, action, around).status


def kept(house: House, who: Caller) -> list[tuple[str, str]]:
    found = reading.listing(house, who, ListRequest()).items
    return sorted((memory.fact.predicate, memory.fact.object_value) for memory in found)


@BOTH
def test_day_off_is_saved_as_the_whole_local_day(house: House, ann: Caller, tongue: str) -> None:
    answer = say(house, ann, DAY_OFF[tongue])

    (memory,) = answer.facts
    assert (answer.intent, answer.operation, answer.status) == ("WRITE", "create", "SUCCESS")
    assert memory.valid_from == datetime(2026, 7, 16, 15, tzinfo=UTC)
    assert memory.valid_until == datetime(2026, 7, 17, 15, tzinfo=UTC)


@BOTH
def test_meeting_on_the_day_off_asks_with_two_buttons(
    house: House, ann: Caller, tongue: str
) -> None:
    say(house, ann, DAY_OFF[tongue])

    asked = say(house, ann, MEETING[tongue])

    labels = {
        "en": ["Schedule Meeting During Vacation", "Cancel"],
        "ko": ["휴가 중 회의 추가 등록", "등록 취소"],
    }
    assert asked.verdict is not None
    assert (asked.status, asked.verdict.conflict_type) == ("CONFIRM_REQUIRED", "VACATION_OVERLAP")
    assert [button.label for button in asked.actions] == labels[tongue]
    assert kept(house, ann) == [("vacation", "Vacation")]


@BOTH
def test_summary_after_cancel_says_on_leave_and_no_meeting(
    house: House, ann: Caller, tongue: str
) -> None:
    say(house, ann, DAY_OFF[tongue])
    assert settled(house, ann, say(house, ann, MEETING[tongue]), "cancel") == "CANCELLED"

    answer = say(house, ann, SUMMARY[tongue])

    assert (answer.intent, answer.status, answer.reply) == ("QUERY", "ANSWERED", ON_LEAVE[tongue])


@BOTH
def test_summary_after_keep_both_names_the_meeting(house: House, ann: Caller, tongue: str) -> None:
    say(house, ann, DAY_OFF[tongue])
    settled(house, ann, say(house, ann, MEETING[tongue]), "keep_both")

    answer = say(house, ann, SUMMARY[tongue])

    title = {"en": "dev team meeting", "ko": "개발팀 미팅"}[tongue]
    assert title in answer.reply


def test_day_off_over_two_meetings_retires_both_and_names_each(house: House, ann: Caller) -> None:
    say(house, ann, "Schedule a sync on Monday at 10am")
    say(house, ann, "Schedule a retro on Monday at 3pm")

    answer = say(house, ann, "I'm off on Monday")

    assert answer.status == "SUCCESS_WITH_OVERWRITE"
    assert [gone.fact.object_value for gone in answer.superseded] == ["sync", "retro"]
    assert "sync" in answer.reply
    assert "retro" in answer.reply


@pytest.mark.parametrize(
    "words",
    ["Don't schedule anything on Friday", "금요일에는 회의 잡지 마", "thanks a lot!", "고마워"],
)
def test_prohibition_and_small_talk_write_nothing(house: House, ann: Caller, words: str) -> None:
    answer = say(house, ann, words)

    assert (answer.intent, answer.status) == ("UNKNOWN", "ANSWERED")
    assert kept(house, ann) == []


@BOTH
def test_cancel_retires_the_one_meeting_that_it_means(
    house: House, ann: Caller, tongue: str
) -> None:
    say(house, ann, MEETING[tongue])
    words = {"en": "Cancel the dev team meeting on Friday", "ko": "금요일 개발팀 미팅 취소해줘"}

    answer = say(house, ann, words[tongue])

    assert (answer.operation, answer.status) == ("retire", "SUCCESS")
    assert kept(house, ann) == []
    assert "{" not in answer.reply


def test_cancel_of_several_asks_before_any_of_them_goes(house: House, ann: Caller) -> None:
    say(house, ann, "Schedule a sync on Monday at 10am")
    say(house, ann, "Schedule a retro on Monday at 3pm")

    asked = say(house, ann, "Cancel my meetings on Monday")

    assert asked.verdict is not None
    assert (asked.status, asked.verdict.conflict_type) == ("CONFIRM_REQUIRED", "RETIRE_MANY")
    assert [button.action for button in asked.actions] == ["approve", "cancel"]
    assert len(kept(house, ann)) == 2
    assert settled(house, ann, asked, "approve") == "SUCCESS"
    assert kept(house, ann) == []


def test_cancel_of_what_is_not_there_asks_back(house: House, ann: Caller) -> None:
    answer = say(house, ann, "Cancel the board meeting on Friday")

    assert answer.status == "CLARIFY"
    assert answer.question is not None
    assert answer.question.code == "target"


def test_move_gives_the_meeting_a_new_revision_and_keeps_its_length(
    house: House, ann: Caller
) -> None:
    (before,) = say(house, ann, "Schedule a sync on Monday from 10am to 10:30am").facts

    answer = say(house, ann, "Move the sync on Monday to 4pm")

    (after,) = answer.facts
    assert (answer.operation, after.memory_id, after.revision) == ("revise", before.memory_id, 2)
    assert after.valid_from == datetime(2026, 7, 20, 7, tzinfo=UTC)
    assert after.valid_until - after.valid_from == before.valid_until - before.valid_from


def test_it_means_the_last_fact_of_the_session(house: House, ann: Caller) -> None:
    first = say(house, ann, "Schedule a sync on Monday at 10am")

    answer = say(house, ann, "move it to 4pm", session_id=first.session_id)

    assert (answer.operation, answer.status) == ("revise", "SUCCESS")
    assert answer.facts[0].valid_from == datetime(2026, 7, 20, 7, tzinfo=UTC)


def test_it_means_nothing_in_a_session_that_wrote_nothing(house: House, ann: Caller) -> None:
    say(house, ann, "Schedule a sync on Monday at 10am")

    answer = say(house, ann, "move it to 4pm", session_id="another")

    assert answer.status == "CLARIFY"


def test_half_day_without_a_half_asks_and_writes_nothing(house: House, ann: Caller) -> None:
    answer = say(house, ann, "내일 반차 쓸게")

    assert answer.status == "CLARIFY"
    assert answer.question is not None
    assert answer.question.code == "half_day"
    for choice in answer.question.choices:
        assert say(house, ann, choice.text).status != "CLARIFY"


def test_chat_under_a_key_writes_once_and_says_the_same(house: House, ann: Caller) -> None:
    key = IdempotencyKey("/chat", "k1", "hash")

    first = say(house, ann, MEETING["en"], key=key)
    second = say(house, ann, MEETING["en"], key=key)

    assert (first.replayed, second.replayed) == (False, True)
    assert (second.chat_id, second.facts, second.reply) == (
        first.chat_id,
        first.facts,
        first.reply,
    )


def test_key_that_was_used_with_other_words_is_refused(house: House, ann: Caller) -> None:
    say(house, ann, MEETING["en"], key=IdempotencyKey("/chat", "k1", "hash"))

    with pytest.raises(IdempotencyKeyReusedError):
        say(house, ann, DAY_OFF["en"], key=IdempotencyKey("/chat", "k1", "other"))


def test_credential_in_the_words_is_refused_before_anything_reads_them(
    house: House, ann: Caller
) -> None:
    with pytest.raises(TextRefusedError):
        say(house, ann, "remember that my pass" + "word is hunter2xyz")


def test_words_beyond_the_limit_are_refused(house: House, ann: Caller) -> None:
    with pytest.raises(TextTooLongError):
        say(house, ann, "a" * 4001)


def test_trace_is_given_only_where_it_is_asked_for(house: House, ann: Caller) -> None:
    curious = replace(ann, rights=frozenset({"debug"}))

    assert say(house, curious, MEETING["en"]).trace is None
    traced = say(house, curious, DAY_OFF["en"], debug=True).trace
    assert traced is not None
    assert [step["step"] for step in traced] == ["parse", "lint", "answer"]
    asked = say(house, curious, SUMMARY["en"], debug=True).trace
    assert asked is not None
    assert [step["step"] for step in asked] == ["parse", "recall", "answer"]
    assert say(house, curious, SUMMARY["en"]).trace is None


def test_trace_without_its_right_is_refused_before_the_words_are_read(
    house: House, ann: Caller
) -> None:
    with pytest.raises(RightMissingError):
        say(house, ann, MEETING["en"], debug=True)


@BOTH
def test_why_says_who_said_it_and_when(house: House, ann: Caller, tongue: str) -> None:
    say(house, ann, DAY_OFF[tongue])
    words = {"en": "Why is my Friday off?", "ko": "금요일에 왜 쉬어?"}

    answer = say(house, ann, words[tongue])

    assert DAY_OFF[tongue] in answer.reply
