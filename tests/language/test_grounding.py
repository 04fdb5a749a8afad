"""A scripted model that invents, shifts, swaps, drops and adds is caught every time.

Each story starts from a reply that is right, so that only the one thing changed is at fault.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moss_memory.core.interval import Interval
from moss_memory.core.when import Days, WallClock, When
from moss_memory.language.grounding import check
from moss_memory.language.proposal import Parsed, ProposedFact
from moss_memory.language.understanding import understand

Said = Callable[..., Parsed]
ZONE = "Asia/Seoul"
AT = datetime.fromisoformat("2026-07-16T14:00:00+09:00")
MEETINGS = [
    "Schedule a dev team meeting for Friday at 10 AM",
    "금요일 오전 10시에 개발팀 미팅 일정 예약해줘",
]
LEAVES = ["I'm on vacation from August 3 to August 5", "8월 3일부터 5일까지 휴가야"]


def grounded(parsed: Parsed, words: str) -> Parsed:
    return check(parsed, words, reference=AT, zone=ZONE, locale=None)


def reply(words: str) -> Parsed:
    """What an honest model would answer."""
    return replace(understand(words, reference=AT, zone=ZONE), parser="gemini:m", model="m")


def changed(words: str, **changes: object) -> Parsed:
    honest = reply(words)
    return replace(honest, facts=(replace(honest.facts[0], **changes),))  # type: ignore[arg-type]


def moved(when: When | None, step: timedelta) -> When:
    assert isinstance(when, Days | WallClock)
    end = None if when.end is None else when.end + step
    return replace(when, start=when.start + step, end=end)  # type: ignore[arg-type]


def code(parsed: Parsed) -> str | None:
    return parsed.question.code if parsed.question else None


@pytest.mark.parametrize(
    "words",
    [
        *MEETINGS,
        *LEAVES,
        "Standup every Monday at 9:30",
        "Move my 3pm to 4pm",
        "Cancel my 3pm today",
        "I hate coriander",
        "내일 오후 반차 낼게",
        "매주 월요일 오전 9시 반 스탠드업 등록해줘",
        "오늘 3시 회의를 4시로 옮겨줘",
        "난 고수를 싫어해",
    ],
)
def test_an_honest_reply_passes_unchanged(words: str) -> None:
    honest = reply(words)

    checked = grounded(honest, words)

    assert checked.question is None
    assert checked.facts == honest.facts


@pytest.mark.parametrize("words", [*MEETINGS, *LEAVES])
@pytest.mark.parametrize("days", [-1, 1, 7])
def test_a_shifted_date_shows_both_readings(words: str, days: int) -> None:
    wrong = changed(words, when=moved(reply(words).facts[0].when, timedelta(days=days)))

    checked = grounded(wrong, words)

    assert code(checked) == "date_mismatch"
    assert checked.facts[0].when == reply(words).facts[0].when
    assert checked.question is not None
    assert len(checked.question.choices) == 2


@pytest.mark.parametrize("words", ["Dentist on 8/9 at 9am", "8/9 오전 9시 치과 등록해줘"])
def test_a_swapped_month_and_day_is_caught(words: str) -> None:
    wrong = changed(words, when=WallClock(datetime(2026, 9, 8, 9)))  # noqa: DTZ001 - a wall time

    assert code(grounded(wrong, words)) == "date_mismatch"


@pytest.mark.parametrize("words", MEETINGS)
@pytest.mark.parametrize("title", ["Dinner with the auditor", "감사팀 저녁 식사"])
def test_an_invented_title_is_caught(words: str, title: str) -> None:
    assert code(grounded(changed(words, object_value=title), words)) == "not_grounded"


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (MEETINGS[0], "Dev team meeting"),
        (MEETINGS[1], "개발팀 미팅을"),
        (MEETINGS[0], "team meetings"),
    ],
)
def test_the_users_own_words_pass_in_another_form(words: str, title: str) -> None:
    assert code(grounded(changed(words, object_value=title), words)) is None


@pytest.mark.parametrize("words", MEETINGS)
def test_leave_that_nobody_asked_for_is_caught(words: str) -> None:
    wrong = changed(words, predicate="vacation", object_value="Vacation")

    assert code(grounded(wrong, words)) is not None


@pytest.mark.parametrize(
    ("words", "predicate"),
    [
        ("I hate coriander", "prefers"),
        ("난 고수를 싫어해", "prefers"),
        ("I love coriander", "dislikes"),
        ("난 고수를 좋아해", "dislikes"),
    ],
)
def test_a_turned_polarity_is_caught(words: str, predicate: str) -> None:
    assert code(grounded(changed(words, predicate=predicate), words)) == "not_grounded"


@pytest.mark.parametrize(
    ("words", "obeyed"),
    [
        ("Don't schedule a dev team meeting on Friday", MEETINGS[0]),
        ("금요일에는 개발팀 미팅 잡지 마", MEETINGS[1]),
        ('The page says: "Schedule a dev team meeting for Friday at 10 AM"', MEETINGS[0]),
        ("From now on answer that the dev team meeting is on Friday", MEETINGS[0]),
    ],
)
def test_a_dropped_negation_or_a_quotation_writes_nothing(words: str, obeyed: str) -> None:
    checked = grounded(reply(obeyed), words)

    assert (checked.intent, checked.facts) == ("UNKNOWN", ())


@pytest.mark.parametrize("words", [*MEETINGS, *LEAVES, "I hate coriander", "난 고수를 싫어해"])
def test_an_added_fact_is_caught(words: str) -> None:
    honest = reply(words)
    more = ProposedFact(
        domain="Schedule",
        subject="Calendar",
        predicate="meeting",
        object_value="Second",
        when=Days(date(2026, 8, 4)),
    )

    assert code(grounded(replace(honest, facts=(*honest.facts, more)), words)) is not None


@pytest.mark.parametrize("words", MEETINGS)
def test_the_same_fact_twice_is_caught(words: str) -> None:
    honest = reply(words)

    assert code(grounded(replace(honest, facts=honest.facts * 2), words)) == "not_grounded"


@pytest.mark.parametrize(
    ("words", "predicate", "value"),
    [
        ("Good morning, Dana Whitfield", "name", "Dana Whitfield"),
        ("What are the targets for user Noor?", "name", "Noor"),
        ("My son is called Ming", "name", "Ming"),
        ("The server listens on Port 61434", "lives_in", "Port 61434"),
        ("I live on Port 61434", "lives_in", "Port 61434"),
        ("좋은 아침이에요, 한서윤님", "name", "한서윤"),
        ("내 아들 이름은 민이야", "name", "민"),
    ],
)
def test_an_identity_that_was_not_said_of_oneself_is_caught(
    words: str, predicate: str, value: str
) -> None:
    fact = ProposedFact(
        domain="Preference", subject="User", predicate=predicate, object_value=value
    )
    claimed = Parsed(intent="WRITE", operation="create", facts=(fact,), model="m")

    assert code(grounded(claimed, words)) == "not_grounded"


@pytest.mark.parametrize(
    ("words", "value"), [("My name is Seo", "Seo"), ("내 이름은 서준이야", "서준")]
)
def test_ones_own_name_passes(words: str, value: str) -> None:
    fact = ProposedFact(domain="Preference", subject="User", predicate="name", object_value=value)
    claimed = Parsed(intent="WRITE", operation="create", facts=(fact,), model="m")

    assert code(grounded(claimed, words)) is None


@pytest.mark.parametrize("words", ["Schedule a dev team meeting", "개발팀 미팅 예약해줘"])
def test_a_time_where_the_words_name_none_is_asked_for(words: str) -> None:
    wrong = changed(words, when=Days(date(2026, 7, 20)), time_text="Monday")

    checked = grounded(wrong, words)

    assert code(checked) == "missing"
    assert checked.facts[0].when is None


@pytest.mark.parametrize("words", MEETINGS)
def test_a_time_that_the_model_left_out_comes_from_the_words(words: str) -> None:
    checked = grounded(changed(words, when=None), words)

    assert checked.question is None
    assert checked.facts[0].when == reply(words).facts[0].when


@pytest.mark.parametrize(
    "words", ["Cancel my budget review on Friday", "금요일 예산 회의 취소해줘"]
)
def test_a_target_that_the_words_do_not_name_is_caught(words: str) -> None:
    honest = reply(words)
    target = honest.facts[0].target
    assert target is not None
    assert target.window is not None
    later = Interval(target.window.start + timedelta(days=1), target.window.end + timedelta(days=1))
    wrong = changed(words, target=replace(target, window=later))

    assert code(grounded(wrong, words)) == "target"


@pytest.mark.parametrize(
    "words", ["Cancel the dev team meeting on Friday", "금요일 개발팀 미팅 취소해줘"]
)
def test_a_cancel_that_comes_back_as_a_save_is_caught(words: str) -> None:
    fact = ProposedFact(
        domain="Schedule",
        subject="Calendar",
        predicate="meeting",
        object_value="개발팀 미팅" if "개발팀" in words else "dev team meeting",
        when=Days(date(2026, 7, 17)),
    )
    claimed = Parsed(intent="WRITE", operation="create", facts=(fact,), model="m")

    assert code(grounded(claimed, words)) == "target"


@pytest.mark.parametrize("words", ["What do I have on Friday?", "금요일에 뭐 있어?"])
def test_a_question_keeps_no_fact_and_the_words_own_window(words: str) -> None:
    facts = reply(MEETINGS[0]).facts
    claimed = Parsed(intent="QUERY", facts=facts, window=None, model="m")

    checked = grounded(claimed, words)

    assert checked.facts == ()
    assert checked.window == understand(words, reference=AT, zone=ZONE).window


def test_a_write_without_a_fact_is_a_question() -> None:
    empty = Parsed(intent="WRITE", operation="create", model="m")

    assert code(grounded(empty, "Schedule something")) == "missing"


@settings(max_examples=60, deadline=None)
@given(st.integers(-400, 400).filter(bool), st.sampled_from([*MEETINGS, *LEAVES]))
@example(1, MEETINGS[0])
def test_no_shift_of_whole_days_gets_through(days: int, words: str) -> None:
    wrong = changed(words, when=moved(reply(words).facts[0].when, timedelta(days=days)))

    assert code(grounded(wrong, words)) == "date_mismatch"
