"""What people read: buttons, replies, answers and reasons, in English and Korean."""

from datetime import UTC, date, datetime, timedelta
from itertools import product
from typing import get_args

import pytest

from moss_memory.core.fact import Fact, Memory, Provenance
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.linter import ActionName, Status
from moss_memory.core.when import Days, Instant, Series, WallClock
from moss_memory.language.wording import (
    Chapter,
    News,
    answer,
    ask_target,
    inert,
    label,
    locale_of,
    nothing_found,
    reply,
    small_talk,
    summary,
    why_sentences,
)

SEOUL = "Asia/Seoul"
TODAY = date(2026, 7, 16)
THURSDAY = datetime(2026, 7, 16, 5, tzinfo=UTC)  # 14:00 in Seoul
FRIDAY = Interval(datetime(2026, 7, 16, 15, tzinfo=UTC), datetime(2026, 7, 17, 15, tzinfo=UTC))
TEN = Interval(datetime(2026, 7, 17, 1, tzinfo=UTC), datetime(2026, 7, 17, 2, tzinfo=UTC))
WALL_TEN = datetime(2026, 7, 17, 10)  # noqa: DTZ001  # a wall clock reading has no zone


def fact(predicate: str, value: str, **more: object) -> Fact:
    subject = "Calendar" if predicate in {"vacation", "meeting", "note"} else "User"
    fields = {"domain": "Schedule", "subject": subject, "scope_id": "ann", **more}
    return Fact(predicate=predicate, object_value=value, observed_at=THURSDAY, **fields)  # type: ignore[arg-type]


def memory(predicate: str, value: str, window: Interval, **more: object) -> Memory:
    return Memory(
        memory_id=f"m-{predicate}-{value}",
        revision=1,
        tenant_id="default",
        principal_id="ann",
        owner="ann",
        fact=fact(predicate, value, **more),
        windows=(window,),
        valid_from=window.start,
        valid_until=window.end,
        recorded_at=THURSDAY,
        created_at=THURSDAY,
        provenance=Provenance(decision_id="d1"),
    )


VACATION = memory("vacation", "Vacation", FRIDAY)
MEETING = memory("meeting", "dev team meeting", TEN)
NOTE = memory("note", "bring cake", TEN)


@pytest.mark.parametrize(
    ("action", "locale", "words"),
    [
        ("keep_both", "en", "Schedule Meeting During Vacation"),
        ("cancel", "en", "Cancel"),
        ("keep_both", "ko", "휴가 중 회의 추가 등록"),
        ("cancel", "ko-KR", "등록 취소"),
        ("cancel", "fr", "Cancel"),
    ],
)
def test_button_reads_as_the_contract_says_when_a_meeting_meets_a_vacation(
    action: ActionName, locale: str, words: str
) -> None:
    assert label(action, "VACATION_OVERLAP", locale) == words


@pytest.mark.parametrize(
    ("action", "reason"),
    list(product(get_args(ActionName), ["MEETING_OVERLAP", "RETIRE_MANY", "USERS_OWN"])),
)
def test_button_has_words_in_both_languages_for_any_reason(action: ActionName, reason: str) -> None:
    assert label(action, reason, "en").isascii()
    assert locale_of(label(action, reason, "ko")) == "ko"


@pytest.mark.parametrize(
    ("text", "default", "locale"),
    [("내일 휴가", "en", "ko"), ("day off", "en", "en"), ("dev 팀", "en", "ko"), ("", "ko", "ko")],
)
def test_hangul_in_the_words_decides_the_language(text: str, default: str, locale: str) -> None:
    assert locale_of(text, default) == locale


@pytest.mark.parametrize(
    ("named", "locale", "line"),
    [
        (VACATION, "en", "vacation on Friday, July 17 (all day)"),
        (VACATION, "ko", "휴가, 7월 17일(금) 하루 종일"),
        (MEETING, "en", 'meeting "dev team meeting" on Friday, July 17, 10:00 AM to 11:00 AM'),
        (MEETING, "ko", '회의 "dev team meeting", 7월 17일(금) 오전 10시~오전 11시'),
    ],
)
def test_summary_names_a_memory_with_its_local_time(named: Memory, locale: str, line: str) -> None:
    assert summary(named, SEOUL, locale, today=TODAY) == line


@pytest.mark.parametrize(
    ("when", "time"),
    [
        (
            Days(date(2026, 7, 17), date(2026, 7, 20)),
            "Friday, July 17 to Sunday, July 19 (all day)",
        ),
        (WallClock(WALL_TEN, minutes=30), "Friday, July 17, 10:00 AM to 10:30 AM"),
        (
            WallClock(WALL_TEN, WALL_TEN + timedelta(days=1), zone="Asia/Tokyo"),
            "Friday, July 17, 10:00 AM to Saturday, July 18, 10:00 AM (Asia/Tokyo)",
        ),
        (Instant(TEN.start), "Friday, July 17, 10:00 AM"),
        (
            Days(date(2026, 7, 17), series=Series("FREQ=WEEKLY")),
            "Friday, July 17 (all day) (repeating)",
        ),
    ],
)
def test_summary_names_a_proposed_time_as_it_was_said(when: object, time: str) -> None:
    line = summary(fact("note", "x", when=when), SEOUL, "en", today=TODAY)

    assert line == f'note "x" on {time}'


def test_summary_names_the_year_when_today_is_not_known() -> None:
    assert summary(VACATION, SEOUL, "en") == "vacation on Friday, July 17, 2026 (all day)"


def test_summary_of_a_state_says_since_when() -> None:
    home = memory("lives_in", "Oslo", Interval(THURSDAY, FOREVER))

    assert summary(home, SEOUL, "en", today=TODAY) == 'home: "Oslo", since July 16 at 2:00 PM'


@pytest.mark.parametrize(
    ("subject", "locale", "line"),
    [
        ("food", "en", 'dislikes "cilantro" (food)'),
        ("general", "en", 'dislikes "cilantro"'),
        ("food", "ko", '싫어하는 것 "cilantro" (food)'),
    ],
)
def test_summary_of_a_taste_says_of_what_kind(subject: str, locale: str, line: str) -> None:
    taste = fact("dislikes", "cilantro", domain="Preference", subject=subject)

    assert summary(taste, SEOUL, locale) == line


@pytest.mark.parametrize("status", get_args(Status))
@pytest.mark.parametrize("locale", ["en", "ko", "de"])
def test_reply_has_words_for_every_status(status: Status, locale: str) -> None:
    assert reply(News(status=status, facts=[MEETING]), SEOUL, locale)


@pytest.mark.parametrize("locale", ["en", "ko"])
@pytest.mark.parametrize("status", ["SUCCESS_WITH_OVERWRITE", "CONFIRM_REQUIRED"])
def test_reply_names_every_memory_that_is_replaced_or_in_conflict(
    status: Status, locale: str
) -> None:
    said = reply(News(status=status, facts=[VACATION], old=[MEETING, NOTE]), SEOUL, locale)

    assert all(summary(one, SEOUL, locale) in said for one in (VACATION, MEETING, NOTE))


def test_reply_says_why_when_the_rules_refuse() -> None:
    said = reply(News(status="BLOCKED", reason="LOW_CONFIDENCE_INFERENCE"), SEOUL, "en")

    assert said == "Not saved: a guess this uncertain is not remembered."


@pytest.mark.parametrize(
    ("operation", "first"), [("retire", "Removed"), ("revise", "Changed"), ("restore", "Restored")]
)
def test_reply_says_what_was_done(operation: str, first: str) -> None:
    news = News(status="SUCCESS", operation=operation, facts=[MEETING])  # type: ignore[arg-type]

    assert reply(news, SEOUL, "en").startswith(first)


def test_question_names_every_candidate_when_a_cancel_is_ambiguous() -> None:
    asked = ask_target([VACATION, MEETING], SEOUL, "en", today=TODAY)

    assert "vacation on" in asked
    assert "dev team meeting" in asked


@pytest.mark.parametrize("words", [small_talk, nothing_found])
def test_plain_answers_exist_in_both_languages(words: object) -> None:
    english, korean = words("en"), words("ko")  # type: ignore[operator]

    assert english.isascii()
    assert locale_of(korean) == "ko"


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("en", "You have no scheduled meetings at that time because you are on annual leave."),
        ("ko", "해당 시간은 연차 휴가 기간이므로 예정된 회의가 없습니다."),
    ],
)
@pytest.mark.parametrize("window", [TEN, FRIDAY])
def test_answer_is_the_seeds_own_when_leave_covers_the_time(
    window: Interval, locale: str, words: str
) -> None:
    assert answer([VACATION], window, SEOUL, locale) == words


def test_answer_lists_both_when_a_meeting_was_kept_during_leave() -> None:
    said = answer([MEETING, VACATION], TEN, SEOUL, "en", today=TODAY)

    assert said.splitlines()[1:] == [
        "- vacation on Friday, July 17 (all day)",
        '- meeting "dev team meeting" on Friday, July 17, 10:00 AM to 11:00 AM',
    ]


def test_answer_lists_leave_when_it_covers_a_part_of_the_time_only() -> None:
    week = Interval(FRIDAY.start, FRIDAY.end + timedelta(days=7))

    assert "- vacation" in answer([VACATION], week, SEOUL, "en")


def test_answer_adds_a_note_when_it_lies_within_the_leave() -> None:
    said = answer([VACATION, NOTE], TEN, SEOUL, "en", today=TODAY)

    assert said.startswith("You have no scheduled meetings at that time")
    assert 'note "bring cake"' in said


def test_answer_is_about_the_time_asked_only() -> None:
    monday = Interval(FRIDAY.start + timedelta(days=3), FRIDAY.end + timedelta(days=3))

    assert answer([MEETING], monday, SEOUL, "en") == "You have nothing scheduled at that time."


@pytest.mark.parametrize(
    ("domains", "locale", "words"),
    [
        ((), "en", "Your calendar is empty."),
        (("Schedule",), "ko", "등록된 일정이 없습니다."),
        (("Preference",), "en", "I have nothing stored about that."),
    ],
)
def test_empty_answer_says_so(domains: tuple[str, ...], locale: str, words: str) -> None:
    assert answer([], None, SEOUL, locale, domains=domains) == words


def test_calendar_is_not_called_empty_when_something_else_is_in_it() -> None:
    assert answer([], None, SEOUL, "en", others=True) == "I have nothing stored about that."


def test_answer_counts_what_it_leaves_out_when_there_is_too_much() -> None:
    many = [memory("note", f"n{i:02}", TEN) for i in range(25)]

    assert answer(many, TEN, SEOUL, "en").endswith("... and 5 more")


def test_answer_is_a_sentence_when_one_thing_is_known() -> None:
    home = memory("lives_in", "Oslo", Interval(THURSDAY, FOREVER))

    assert answer([home], None, SEOUL, "en") == "You live in Oslo."


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("Design review", "Design review"),
        ("a < b and c > d", "a < b and c > d"),
        ("Notes ![s](https://x.example/p.png)", "Notes ![s] (https[:]//x.example/p.png)"),
        ("<img src=x>", "‹img src=x>"),
        ("www.x.example", "www[.]x.example"),
    ],
)
def test_value_makes_no_link_or_tag_when_it_is_shown(value: str, shown: str) -> None:
    assert inert(value) == shown


def told(**more: object) -> Chapter:
    fields = {"memory": VACATION, "deed": "registered", "actor": "ann", "at": THURSDAY, **more}
    return Chapter(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("locale", "sentence"),
    [
        ("en", 'Registered because you said "I\'m off tomorrow" on July 16 at 2:00 PM.'),
        ("ko", '7월 16일 오후 2시에 "I\'m off tomorrow"라고 말씀하셔서 등록되었습니다.'),
    ],
)
def test_why_quotes_the_words_when_they_are_kept(locale: str, sentence: str) -> None:
    chapter = told(said_at=THURSDAY, words="I'm off tomorrow")

    assert why_sentences([chapter], "ann", SEOUL, locale, today=TODAY)[0] == sentence


def test_why_leaves_the_words_out_when_they_are_not_kept() -> None:
    first = why_sentences([told(said_at=THURSDAY)], "ann", SEOUL, "en", today=TODAY)[0]

    assert first == "Registered because of what you said on July 16 at 2:00 PM."


def test_why_names_the_writer_when_it_was_somebody_else() -> None:
    first = why_sentences([told(actor="bob")], "ann", SEOUL, "en", today=TODAY)[0]

    assert first == ("Registered by a request of bob on July 16 at 2:00 PM (explicit words).")


def test_why_names_what_it_replaced_who_confirmed_and_the_rule() -> None:
    chapter = told(
        said_at=THURSDAY,
        replaced=(MEETING,),
        confirmed_by="ann",
        confirmed_label="Keep Both",
        rules=("SCH-40",),
    )

    story = why_sentences([chapter], "ann", SEOUL, "en", today=TODAY)

    assert story[1:] == (
        "It says: vacation on Friday, July 17 (all day).",
        'It replaced: meeting "dev team meeting" on Friday, July 17, 10:00 AM to 11:00 AM.',
        'You confirmed it with "Keep Both".',
        "Deciding rules: SCH-40.",
    )


def test_why_names_what_replaced_it_and_that_it_expired() -> None:
    gone = told(memory=MEETING, deed="superseded", replaced_by=(VACATION,))

    story = why_sentences([gone], "ann", SEOUL, "ko", today=TODAY, expired_at=THURSDAY)

    assert any("휴가, 7월 17일(금) 하루 종일" in line for line in story)
    assert story[-1] == "7월 16일 오후 2시에 만료되었습니다."
