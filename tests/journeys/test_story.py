"""The story of the vacation and the meeting, told over HTTP in both languages."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

import pytest


@dataclass(frozen=True)
class Words:
    """What is said, and what must be said back."""

    vacation: str
    meeting: str
    summary: str
    third: str
    two: tuple[str, str]
    long_vacation: str
    on_leave: str
    both: str
    cancel: str
    replace: str


ENGLISH = Words(
    vacation="I'm taking all day off tomorrow, Friday (7/17). Add it to my calendar.",
    meeting="Schedule a dev team meeting for Friday at 10 AM.",
    summary="Summarize my schedule for Friday at 10 AM.",
    third="Schedule a budget review for Friday at 10:30 AM.",
    two=(
        "Schedule a design review for Monday at 10 AM.",
        "Schedule a sales call for Monday at 3 PM.",
    ),
    long_vacation="I'm on vacation all day next Monday, July 20.",
    on_leave="You have no scheduled meetings at that time because you are on annual leave.",
    both="Schedule Meeting During Vacation",
    cancel="Cancel",
    replace="Replace Existing Meeting",
)
KOREAN = Words(
    vacation="나 내일 금요일(7/17) 하루 종일 연차 휴가야. 캘린더에 등록해줘.",
    meeting="금요일 오전 10시에 개발팀 미팅 일정 예약해줘.",
    summary="금요일 오전 10시에 내 일정 요약해줘.",
    third="금요일 오전 10시 30분에 예산 회의 잡아줘.",
    two=(
        "다음 주 월요일 오전 10시에 디자인 회의 잡아줘.",
        "다음 주 월요일 오후 3시에 영업 회의 잡아줘.",
    ),
    long_vacation="다음 주 월요일 7월 20일 하루 종일 휴가야. 등록해줘.",
    on_leave="해당 시간은 연차 휴가 기간이므로 예정된 회의가 없습니다.",
    both="휴가 중 회의 추가 등록",
    cancel="등록 취소",
    replace="기존 회의를 새 회의로 교체",
)


@pytest.fixture(params=[ENGLISH, KOREAN], ids=["en", "ko"])
def words(request: pytest.FixtureRequest) -> Words:
    return request.param


def labels(told: dict[str, Any]) -> list[tuple[str, str]]:
    return [(button["action"], button["label"]) for button in told["actions"]]


def test_vacation_is_saved_active_for_the_whole_day_in_seoul(alice: Any, words: Words) -> None:
    told = alice.chat(words.vacation)

    (vacation,) = told["facts"]
    assert (told["status"], told["intent"], told["operation"]) == ("SUCCESS", "WRITE", "create")
    assert (vacation["subject"], vacation["predicate"], vacation["object_value"]) == (
        "Calendar", "vacation", "Vacation",
    )  # fmt: skip
    assert (vacation["valid_from"], vacation["valid_until"]) == (
        "2026-07-16T15:00:00Z", "2026-07-17T15:00:00Z",
    )  # fmt: skip
    assert alice.memories() == [vacation]


def test_meeting_in_the_vacation_is_asked_about_and_not_written(alice: Any, words: Words) -> None:
    (vacation,) = alice.chat(words.vacation)["facts"]
    told = alice.chat(words.meeting)

    assert (told["status"], told["confirm_required"]) == ("CONFIRM_REQUIRED", True)
    assert told["conflict_type"] == "VACATION_OVERLAP"
    assert labels(told) == [("keep_both", words.both), ("cancel", words.cancel)]
    assert [finding["memory_id"] for finding in told["findings"]] == [vacation["memory_id"]]
    assert told["facts"] == []
    assert alice.memories() == [vacation]


def test_question_lives_for_half_an_hour(alice: Any, words: Words) -> None:
    alice.chat(words.vacation)
    asked = alice.chat(words.meeting)
    (listed,) = alice.told(alice.http.get("/pending"))["items"]
    answer = alice.http.get(f"/pending/{asked['pending']['pending_id']}")
    left = datetime.fromisoformat(asked["pending"]["expires_at"]) - parsedate_to_datetime(
        answer.headers["date"]
    )

    assert listed == answer.json()
    assert listed["pending_id"] == asked["pending"]["pending_id"]
    assert 29 <= left.total_seconds() // 60 <= 30


def test_cancel_writes_nothing_and_the_summary_says_on_leave(alice: Any, words: Words) -> None:
    (vacation,) = alice.chat(words.vacation)["facts"]
    asked = alice.chat(words.meeting)
    cancelled = alice.confirm(asked["pending"]["pending_id"], "cancel")
    told = alice.chat(words.summary)

    assert (cancelled["status"], cancelled["facts"]) == ("CANCELLED", [])
    assert (told["intent"], told["status"]) == ("QUERY", "ANSWERED")
    assert told["reply"] == words.on_leave
    assert alice.memories() == [vacation]
    assert alice.told(alice.http.get("/pending"))["items"] == []


def test_both_are_kept_and_the_waiver_holds(alice: Any, words: Words) -> None:
    alice.chat(words.vacation)
    asked = alice.chat(words.meeting)
    settled = alice.confirm(asked["pending"]["pending_id"], "keep_both")
    again = alice.chat(words.meeting)

    assert settled["status"] == "SUCCESS"
    assert sorted(memory["predicate"] for memory in alice.memories()) == ["meeting", "vacation"]
    assert (again["status"], again["facts"]) == ("NO_CHANGE", settled["facts"])


def test_third_meeting_asks_about_both_and_names_both(alice: Any, words: Words) -> None:
    alice.chat(words.vacation)
    alice.confirm(alice.chat(words.meeting)["pending"]["pending_id"], "keep_both")
    known = {memory["memory_id"] for memory in alice.memories()}
    told = alice.chat(words.third)

    assert told["status"] == "CONFIRM_REQUIRED"
    assert {finding["memory_id"] for finding in told["findings"]} == known
    assert labels(told) == [
        ("replace_old", words.replace), ("keep_both", words.both), ("cancel", words.cancel),
    ]  # fmt: skip
    assert all(finding["summary"] for finding in told["findings"])


def test_replacing_retires_the_meeting_and_leaves_the_vacation(alice: Any, words: Words) -> None:
    alice.chat(words.vacation)
    settled = alice.confirm(alice.chat(words.meeting)["pending"]["pending_id"], "keep_both")
    third = alice.chat(words.third)
    replaced = alice.confirm(third["pending"]["pending_id"], "replace_old")

    assert replaced["status"] == "SUCCESS_WITH_OVERWRITE"
    assert [memory["memory_id"] for memory in replaced["superseded"]] == [
        settled["facts"][0]["memory_id"]
    ]
    assert sorted(memory["predicate"] for memory in alice.memories()) == ["meeting", "vacation"]


def test_vacation_retires_both_meetings_and_names_each(alice: Any, words: Words) -> None:
    meetings = [alice.chat(text)["facts"][0] for text in words.two]
    told = alice.chat(words.long_vacation)

    assert told["status"] == "SUCCESS_WITH_OVERWRITE"
    assert {memory["memory_id"] for memory in told["superseded"]} == {
        memory["memory_id"] for memory in meetings
    }
    assert all(memory["object_value"] in told["reply"] for memory in meetings)
    assert all(memory["status"] == "inactive" for memory in told["superseded"])
    assert [memory["predicate"] for memory in alice.memories()] == ["vacation"]


def test_double_click_gives_one_meeting_and_the_same_answer(alice: Any, words: Words) -> None:
    alice.chat(words.vacation)
    pending_id = alice.chat(words.meeting)["pending"]["pending_id"]
    with ThreadPoolExecutor(8) as pool:
        clicks = [pool.submit(alice.confirm, pending_id, "keep_both") for _ in range(8)]
        answers = [click.result() for click in clicks]

    assert all(answer == answers[0] for answer in answers)
    assert len(alice.memories(predicate="meeting")) == 1


def test_other_person_sees_nothing_of_it(alice: Any, bob: Any, words: Words) -> None:
    alice.chat(words.vacation)
    told = bob.chat(words.meeting)

    assert told["status"] == "SUCCESS"
    assert [memory["predicate"] for memory in bob.memories()] == ["meeting"]
