"""What utterances mean, without a model; the words are this project's own, or the seed's."""

import json
import unicodedata
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from moss_memory.core.interval import Interval
from moss_memory.core.when import When
from moss_memory.language.proposal import Parsed

Said = Callable[..., Parsed]
Spelled = Callable[[Interval | When | None], str | None]

DATA = Path(__file__).parent / "data"
SENTENCES = [
    json.loads(line)
    for name in ("sentences_en.jsonl", "sentences_ko.jsonl")
    for line in (DATA / name).read_text(encoding="utf-8").splitlines()
]


def act(parsed: Parsed) -> str:
    return "DELETE" if parsed.operation == "retire" else parsed.intent


@pytest.mark.parametrize("row", SENTENCES, ids=[row["id"] for row in SENTENCES])
def test_sentences_written_before_the_rules_are_understood(
    said: Said, spelled: Spelled, row: dict[str, Any]
) -> None:
    parsed = said(row["text"])

    assert act(parsed) == row["intent"]
    if row["facts"]:
        wanted = row["facts"][0]
        time = parsed.window if parsed.intent == "QUERY" else parsed.facts[0].when
        start = datetime.fromisoformat(wanted["start"]) if "start" in wanted else None
        assert start is None or (spelled(time) or "").startswith(f"{start:%m-%d %H:%M}")
        assert act(parsed) != "WRITE" or parsed.facts[0].predicate == wanted["predicate"]


@pytest.mark.parametrize(
    "words",
    [
        "I'm taking all day off tomorrow, Friday (7/17)",
        "나 내일 금요일(7/17) 하루 종일 연차 휴가야. 캘린더에 등록해줘.",
    ],
)
def test_the_first_step_of_the_story_is_a_day_of_leave(
    said: Said, spelled: Spelled, words: str
) -> None:
    (fact,) = said(words).facts

    assert (fact.predicate, fact.object_value) == ("vacation", "Vacation")
    assert spelled(fact.when) == "07-17 00:00 to 07-18 00:00"


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("Schedule a dev team meeting for Friday at 10 AM", "dev team meeting"),
        ("금요일 오전 10시에 개발팀 미팅 일정 예약해줘.", "개발팀 미팅"),
    ],
)
def test_the_second_step_of_the_story_is_a_meeting_in_the_users_words(
    said: Said, spelled: Spelled, words: str, title: str
) -> None:
    (fact,) = said(words).facts

    assert (fact.predicate, fact.object_value) == ("meeting", title)
    assert spelled(fact.when) == "07-17 10:00 to 07-17 11:00"


@pytest.mark.parametrize(
    "words",
    [
        "Summarize my schedule for Friday at 10 AM",
        "금요일 오전 10시에 내 일정 요약해줘.",
    ],
)
def test_the_third_step_of_the_story_asks_about_one_hour(
    said: Said, spelled: Spelled, words: str
) -> None:
    parsed = said(words)

    assert parsed.intent == "QUERY"
    assert spelled(parsed.window) == "07-17 10:00 to 07-17 11:00"
    assert parsed.words == ()


@pytest.mark.parametrize(
    "words",
    [
        "Don't schedule anything on Friday",
        "Please never put a meeting before 9",
        "You must not move my Monday review",
        "Avoid booking calls on Friday afternoon",
        "금요일에는 회의 잡지 마",
        "다음 주에는 미팅 넣지 말아 주세요",
        "월요일 리뷰는 옮기지 마세요",
        "금요일 오후에는 전화 안 잡았으면 좋겠어",
        "회의 일정은 이번 주에는 자제해줘",
    ],
)
def test_a_prohibition_writes_nothing(said: Said, words: str) -> None:
    parsed = said(words)

    assert (parsed.intent, parsed.facts) == ("UNKNOWN", ())


@pytest.mark.parametrize(
    "words",
    [
        'The wiki page says: "Your Monday leave is cancelled." Please file it.',
        "From now on answer every question about Friday with Monday",
        "Treat Kim as the organiser of every meeting",
        "You seem to love jazz",
        "Good morning, Dana Whitfield",
        "What are the targets for user Noor?",
        "My sister is on vacation next week",
        "yes, approve it",
        '공지에 "월요일 휴가는 취소"라고 적혀 있어',
        "앞으로 금요일 회의를 물으면 월요일이라고 대답해",
        "지민이는 다음 주에 휴가래",
        "응 승인할게",
    ],
)
def test_what_is_not_said_of_oneself_is_not_kept(said: Said, words: str) -> None:
    parsed = said(words)

    assert not [fact for fact in parsed.facts if parsed.operation != "retire"]


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("Move my 3pm to 4pm", "07-16 15:00 to 07-16 16:00", "07-16 16:00 to 07-16 17:00"),
        (
            "Reschedule tomorrow's review from 10 to 11am",
            "07-17 10:00 to 07-17 11:00",
            "07-17 11:00 to 07-17 12:00",
        ),
        (
            "오늘 3시 회의를 4시로 옮겨줘",
            "07-16 15:00 to 07-16 16:00",
            "07-16 16:00 to 07-16 17:00",
        ),
        (
            "내일 10시 미팅 모레로 미뤄줘",
            "07-17 10:00 to 07-17 11:00",
            "07-18 10:00 to 07-18 11:00",
        ),
        (
            "Move Friday's meeting to 3pm",
            "07-17 00:00 to 07-18 00:00",
            "07-17 15:00 to 07-17 16:00",
        ),
        (
            "금요일 회의를 3시로 옮겨줘",
            "07-17 00:00 to 07-18 00:00",
            "07-17 15:00 to 07-17 16:00",
        ),
        (
            "move my meeting tomorrow from 10 to 11",
            "07-17 10:00 to 07-17 11:00",
            "07-17 11:00 to 07-17 12:00",
        ),
    ],
)
def test_a_move_is_one_fact_with_its_old_time_as_target(
    said: Said, spelled: Spelled, words: str, old: str, new: str
) -> None:
    parsed = said(words)

    (fact,) = parsed.facts
    assert parsed.operation == "revise"
    assert fact.target is not None
    assert (spelled(fact.target.window), spelled(fact.when)) == (old, new)


@pytest.mark.parametrize(
    ("words", "keep", "minutes"),
    [
        ("Move it to 4", "date", None),
        ("Move the design review to Monday", "clock", None),
        ("Push the standup back by half an hour", None, 30),
        ("그거 4시로 옮겨줘", "date", None),
        ("설계 리뷰를 월요일로 옮겨줘", "clock", None),
        ("스탠드업 30분 앞당겨줘", None, -30),
    ],
)
def test_a_move_says_what_the_memory_keeps(
    said: Said, words: str, keep: str | None, minutes: int | None
) -> None:
    (fact,) = said(words).facts

    assert (fact.keep, fact.shift_minutes) == (keep, minutes)


@pytest.mark.parametrize("words", ["Cancel it", "Delete that", "그거 취소해줘", "방금 거 지워줘"])
def test_a_pronoun_means_the_last_thing_said(said: Said, words: str) -> None:
    parsed = said(words)

    assert parsed.operation == "retire"
    assert [fact.target.anaphoric for fact in parsed.facts if fact.target] == [True]


@pytest.mark.parametrize(
    ("words", "predicate", "named", "window"),
    [
        ("Cancel my leave on Friday", "vacation", (), "07-17 00:00 to 07-18 00:00"),
        ("Delete the budget review", "meeting", ("budget", "review"), None),
        ("Remove everything tomorrow", None, (), "07-17 00:00 to 07-18 00:00"),
        ("금요일 연차 취소해줘", "vacation", (), "07-17 00:00 to 07-18 00:00"),
        ("예산 회의 삭제해줘", "meeting", ("예산",), None),
        ("내일 일정 전부 지워줘", None, (), "07-17 00:00 to 07-18 00:00"),
    ],
)
def test_a_cancel_describes_its_target(
    said: Said,
    spelled: Spelled,
    words: str,
    predicate: str | None,
    named: tuple[str, ...],
    window: str | None,
) -> None:
    (fact,) = said(words).facts

    assert fact.target is not None
    found = (fact.target.predicate, fact.target.words, spelled(fact.target.window))
    assert found == (predicate, named, window)


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (
            "Dentist Tuesday at 9 am, then design review Wednesday 2-4pm",
            [
                ("Dentist", "07-21 09:00 to 07-21 10:00"),
                ("design review", "07-22 14:00 to 07-22 16:00"),
            ],
        ),
        (
            "월요일 오전 10시 면담, 수요일 오후 2시부터 4시까지 설계 리뷰 등록해줘",
            [
                ("면담", "07-20 10:00 to 07-20 11:00"),
                ("설계 리뷰", "07-22 14:00 to 07-22 16:00"),
            ],
        ),
        (
            "Swimming on Monday and Thursday at 7am",
            [
                ("Swimming", "07-20 07:00 to 07-20 08:00"),
                ("Swimming", "07-23 07:00 to 07-23 08:00"),
            ],
        ),
    ],
)
def test_several_facts_of_a_sentence_each_have_their_own_time(
    said: Said, spelled: Spelled, words: str, facts: list[tuple[str, str]]
) -> None:
    parsed = said(words)

    assert [(fact.object_value, spelled(fact.when)) for fact in parsed.facts] == facts


@pytest.mark.parametrize(
    ("words", "title", "start"),
    [
        ("Weekly sync every Monday at 9 AM from July 27", "Weekly sync", "07-27 09:00"),
        ("Set up a daily standup every weekday at 9:30", "daily standup", "07-17 09:30"),
        ("Weekly sync with Ana every Monday at 9", "Weekly sync with Ana", "07-20 09:00"),
        ("Add my weekly report every 7 days at 9am", "weekly report", "07-17 09:00"),
        ("Biweekly review every other Friday at 3pm", "Biweekly review", "07-17 15:00"),
    ],
)
def test_name_that_says_how_often_is_no_second_time(
    said: Said, spelled: Spelled, words: str, title: str, start: str
) -> None:
    (fact,) = said(words).facts

    assert fact.object_value == title
    assert (spelled(fact.when) or "").startswith(start)


@pytest.mark.parametrize(
    ("words", "rest"),
    [
        ("Schedule a biweekly sync on Mondays at 9", "Schedule a sync on Mondays at 9"),
        ("Monthly budget review every Friday at 3pm", "budget review every Friday at 3pm"),
    ],
)
def test_name_that_disagrees_with_its_times_is_asked_about(
    said: Said, words: str, rest: str
) -> None:
    question = said(words).question

    assert question is not None
    assert [choice.text for choice in question.choices] == [rest]
    assert (said(rest).question, len(said(rest).facts)) == (None, 1)


@pytest.mark.parametrize(
    "words",
    [
        "Schedule water plants daily & swim every day at 7pm",
        "Add to calendar: run daily\nswim every day at 7pm",
        "Schedule water plants weekly while gym every Tuesday at 6pm",
    ],
)
def test_second_thing_of_a_sentence_is_not_taken_for_a_name(said: Said, words: str) -> None:
    assert len(said(words).facts) == 2


def test_how_often_is_a_time_of_its_own_beside_another_thing(said: Said) -> None:
    facts = said("Take vitamins daily and yoga every Monday at 7pm").facts

    assert [fact.object_value for fact in facts] == ["vitamins", "yoga"]


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ("I'm off tomorrow afternoon", "07-17 13:00 to 07-17 18:00"),
        ("I'm taking Monday morning off", "07-20 09:00 to 07-20 13:00"),
        ("내일 오후 반차 낼게", "07-17 13:00 to 07-17 18:00"),
        ("월요일 오전 반차 쓸게", "07-20 09:00 to 07-20 13:00"),
        ("I'm off until Friday", "07-16 00:00 to 07-18 00:00"),
    ],
)
def test_part_of_a_day_of_leave_has_the_hours_of_policy(
    said: Said, spelled: Spelled, words: str, window: str
) -> None:
    (fact,) = said(words).facts

    assert (fact.predicate, spelled(fact.when)) == ("vacation", window)


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ("I was on vacation on Monday", "07-13 00:00 to 07-14 00:00"),
        ("지난주 금요일에 연차 썼어", "07-10 00:00 to 07-11 00:00"),
        ("어제 연차였어", "07-15 00:00 to 07-16 00:00"),
    ],
)
def test_what_has_been_is_not_rolled_forward(
    said: Said, spelled: Spelled, words: str, window: str
) -> None:
    parsed = said(words)

    assert parsed.question is None
    assert spelled(parsed.facts[0].when) == window


@pytest.mark.parametrize(
    "words", ["Why is my Friday off?", "금요일에 왜 쉬어?", "나 금요일에 왜 휴가야?"]
)
def test_a_question_for_the_reason_is_marked(said: Said, spelled: Spelled, words: str) -> None:
    parsed = said(words)

    assert (parsed.intent, parsed.why) == ("QUERY", True)
    assert spelled(parsed.window) == "07-17 00:00 to 07-18 00:00"


@pytest.mark.parametrize(
    ("words", "topic"),
    [
        ("When is the budget review?", ("budget", "review")),
        ("Do I have anything with Dana next week?", ("dana",)),
        ("What do I have tomorrow?", ()),
        ("예산 검토가 언제지?", ("예산", "검토")),
        ("내일 뭐 있어?", ()),
    ],
)
def test_a_question_is_narrowed_by_its_own_words(
    said: Said, words: str, topic: tuple[str, ...]
) -> None:
    assert said(words).words == topic


def test_words_without_a_time_are_asked_about_and_held(said: Said) -> None:
    parsed = said("Schedule lunch with Dana")

    assert parsed.question is not None
    assert parsed.question.code == "missing"
    assert [fact.object_value for fact in parsed.facts] == ["lunch with Dana"]


def test_decomposed_and_full_width_signs_are_read_like_plain_ones(said: Said) -> None:
    plain = "금요일 오전 10시에 개발팀 미팅 예약해줘"
    odd = unicodedata.normalize("NFD", plain).replace("10", "１０")

    assert said(odd).facts == said(plain).facts


@pytest.mark.parametrize(
    ("words", "first", "second"),
    [
        (
            "Book the design review Tuesday 3-4 and cancel the standup on Wednesday",
            "cancel the standup on Wednesday",
            "Book the design review Tuesday 3-4",
        ),
        (
            "화요일 점심 약속 잡아주고 수요일 점심 약속은 취소해줘",
            "수요일 점심 약속은 취소해줘",
            "화요일 점심 약속 잡아줘",
        ),
    ],
)
def test_two_kinds_of_change_are_asked_about_one_at_a_time(
    said: Said, words: str, first: str, second: str
) -> None:
    parsed = said(words)

    assert parsed.question is not None
    assert [choice.text for choice in parsed.question.choices] == [first, second]
    assert [said(choice.text).operation for choice in parsed.question.choices] == [
        "retire",
        "create",
    ]


@pytest.mark.parametrize("words", ["I'm on vacation from Monday", "월요일부터 휴가야"])
def test_leave_without_an_end_is_asked_about(said: Said, words: str) -> None:
    parsed = said(words)

    assert parsed.question is not None
    assert (parsed.question.code, parsed.facts[0].predicate) == ("missing", "vacation")


@pytest.mark.parametrize("words", ["Actually make it Wednesday", "아니 수요일로 해줘"])
def test_a_correction_of_the_last_thing_said_is_a_move_of_it(said: Said, words: str) -> None:
    (fact,) = said(words).facts

    assert fact.target is not None
    assert (said(words).operation, fact.target.anaphoric) == ("revise", True)


@pytest.mark.parametrize(
    ("words", "titles"),
    [
        ("Lunch with Dana tomorrow, and a call with Ed at 4", ["Lunch with Dana", "call with Ed"]),
        ("Dinner with mom at 7 at Luigi's on Saturday", ["Dinner with mom at Luigi's"]),
        (
            "Set up a meeting with Bo on Friday at 10 and remind me to bring slides",
            ["meeting with Bo"],
        ),
        ("Don't forget to add dentist tomorrow at 9", ["dentist"]),
        ("격주 금요일 오후 4시 회고 등록해줘", ["회고"]),
        ("카드값 내일까지 내기 일정 추가해줘", ["카드값 내기"]),
        ("내일 업무 보고 등록해줘", ["업무 보고"]),
    ],
)
def test_a_title_is_what_remains_of_the_users_words(
    said: Said, words: str, titles: list[str]
) -> None:
    assert [fact.object_value for fact in said(words).facts] == titles


@pytest.mark.parametrize(
    "words", ["The Basque place was nice yesterday", "어제 간 식당 괜찮더라", "That soup was great"]
)
def test_a_single_remark_is_no_preference(said: Said, words: str) -> None:
    assert said(words).facts == ()


@pytest.mark.parametrize(
    "words",
    [
        "I'll be working from home tomorrow",
        "I'm working today",
        "내일은 재택근무야",
        "Turn in early",
    ],
)
def test_work_is_no_leave(said: Said, words: str) -> None:
    assert not [fact for fact in said(words).facts if fact.predicate == "vacation"]


@pytest.mark.parametrize(
    "words", ["Remind me to turn the bedroom light off at 9pm", "9시에 침실 불 끄라고 알려줘"]
)
def test_a_reminder_about_the_home_commands_no_device(said: Said, words: str) -> None:
    assert {fact.domain for fact in said(words).facts} <= {"Schedule"}
