"""Words that can be read in two ways are asked about, and every choice settles the question."""

from collections.abc import Callable
from datetime import datetime

import pytest

from moss_memory.core.interval import Interval
from moss_memory.core.when import When
from moss_memory.language.proposal import Parsed

Said = Callable[..., Parsed]
Spelled = Callable[[Interval | When | None], str | None]

SEOUL, NEW_YORK = "Asia/Seoul", "America/New_York"
AMBIGUOUS = [
    ("Team lunch on Friday 7/18 at noon", "date_mismatch", SEOUL),
    ("7월 18일 금요일 12시에 팀 점심 등록해줘", "date_mismatch", SEOUL),
    ("I'm out half day tomorrow", "half_day", SEOUL),
    ("내일 반차 쓸게", "half_day", SEOUL),
    ("Budget meeting on 7/8 at 2pm", "past_date", SEOUL),
    ("7월 8일 오후 2시 예산 회의 등록해줘", "past_date", SEOUL),
    ("I'm on vacation on July 3", "past_date", SEOUL),
    ("Release call on November 1 at 1:30 AM", "wall_time", NEW_YORK),
    ("Release call on March 14, 2027 at 2:30am", "wall_time", NEW_YORK),
    ("11월 1일 오전 1시 30분에 배포 회의 등록해줘", "wall_time", NEW_YORK),
    ("Move the budget review to Friday 7/18 at 3pm", "date_mismatch", SEOUL),
]


@pytest.mark.parametrize(("words", "code", "zone"), AMBIGUOUS)
def test_an_ambiguity_is_asked_about_and_holds_the_first_reading(
    said: Said, words: str, code: str, zone: str
) -> None:
    parsed = said(words, zone=zone)

    assert parsed.question is not None
    assert parsed.question.code == code
    assert len(parsed.question.choices) == 2
    assert parsed.facts[0].when is not None


@pytest.mark.parametrize(("words", "code", "zone"), AMBIGUOUS)
def test_each_choice_is_an_utterance_that_asks_nothing_more(
    said: Said, words: str, code: str, zone: str
) -> None:
    first = said(words, zone=zone)
    assert first.question is not None

    answers = [said(choice.text, zone=zone) for choice in first.question.choices]

    assert [answer.question for answer in answers] == [None, None]
    kinds = {(a.operation, a.facts[0].predicate, a.facts[0].object_value) for a in answers}
    assert kinds == {(first.operation, first.facts[0].predicate, first.facts[0].object_value)}
    assert answers[0].facts[0].when != answers[1].facts[0].when


@pytest.mark.parametrize(
    "words",
    ["Meeting tomorrow at 3", "next Friday", "내일 3시 회의 등록해줘", "다음 주 금요일 회의"],
)
def test_a_policy_is_applied_without_a_question(said: Said, words: str) -> None:
    assert said(words).question is None


def test_the_question_of_a_korean_utterance_is_korean(said: Said) -> None:
    question = said("내일 반차 쓸게").question

    assert question is not None
    assert [choice.label for choice in question.choices] == ["오전", "오후"]


def test_the_repeated_hour_is_offered_as_two_instants(said: Said, spelled: Spelled) -> None:
    at = datetime.fromisoformat("2026-07-16T14:00:00+09:00")
    question = said("Release call on November 1 at 1:30 AM", at=at, zone=NEW_YORK).question
    assert question is not None

    chosen = [said(c.text, at=at, zone=NEW_YORK).facts[0].when for c in question.choices]

    assert [spelled(when) for when in chosen] == [
        "11-01 14:30 to 11-01 15:30",
        "11-01 15:30 to 11-01 16:30",
    ]
