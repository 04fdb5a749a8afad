"""English words for times, said on Thursday 16 July 2026 at 14:00 in Seoul."""

from collections.abc import Callable

import pytest

from moss_memory.core.interval import Interval
from moss_memory.core.when import When
from moss_memory.language.times import TimeMention

Times = Callable[..., list[TimeMention]]
Spelled = Callable[[Interval | When | None], str | None]


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ("tomorrow", "07-17 00:00 to 07-18 00:00"),
        ("the day after tomorrow", "07-18 00:00 to 07-19 00:00"),
        ("Thursday", "07-23 00:00 to 07-24 00:00"),
        ("Friday", "07-17 00:00 to 07-18 00:00"),
        ("this Friday", "07-17 00:00 to 07-18 00:00"),
        ("next Friday", "07-24 00:00 to 07-25 00:00"),
        ("last Friday", "07-10 00:00 to 07-11 00:00"),
        ("Friday next week", "07-24 00:00 to 07-25 00:00"),
        ("Monday in two weeks", "07-27 00:00 to 07-28 00:00"),
        ("this weekend", "07-18 00:00 to 07-20 00:00"),
        ("next week", "07-20 00:00 to 07-27 00:00"),
        ("next month", "08-01 00:00 to 09-01 00:00"),
        ("in three days", "07-19 00:00 to 07-20 00:00"),
        ("two days after next Friday", "07-26 00:00 to 07-27 00:00"),
        ("August 9", "08-09 00:00 to 08-10 00:00"),
        ("the 9th of August, 2026", "08-09 00:00 to 08-10 00:00"),
        ("2026-08-09", "08-09 00:00 to 08-10 00:00"),
        ("the 3rd", "08-03 00:00 to 08-04 00:00"),
        ("the first Monday of August", "08-03 00:00 to 08-04 00:00"),
        ("the last Friday of this month", "07-31 00:00 to 08-01 00:00"),
        ("the week of August 12", "08-10 00:00 to 08-17 00:00"),
        ("late August", "08-21 00:00 to 09-01 00:00"),
        ("Christmas", "12-25 00:00 to 12-26 00:00"),
    ],
)
def test_days_are_whole_local_days(times: Times, spelled: Spelled, words: str, window: str) -> None:
    (mention,) = times(words)

    assert spelled(mention.when) == window


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ("at 3", "07-16 15:00 to 07-16 16:00"),
        ("at 9", "07-17 09:00 to 07-17 10:00"),
        ("at 9am", "07-17 09:00 to 07-17 10:00"),
        ("tomorrow at noon", "07-17 12:00 to 07-17 13:00"),
        ("midnight tomorrow", "07-18 00:00 to 07-18 01:00"),
        ("half past four in the afternoon", "07-16 16:30 to 07-16 17:30"),
        ("a quarter to six this evening", "07-16 17:45 to 07-16 18:45"),
        ("tonight at 8", "07-16 20:00 to 07-16 21:00"),
        ("Monday 2-4pm", "07-20 14:00 to 07-20 16:00"),
        ("from 9 to 5 on Monday", "07-20 09:00 to 07-20 17:00"),
        ("between 11 and 1 tomorrow", "07-17 11:00 to 07-17 13:00"),
        ("from 11 pm Friday to 2 am Saturday", "07-17 23:00 to 07-18 02:00"),
        ("tomorrow at 10 for two hours", "07-17 10:00 to 07-17 12:00"),
        ("in 20 minutes", "07-16 14:20 to 07-16 15:20"),
        ("Tuesday morning", "07-21 06:00 to 07-21 12:00"),
        ("after 6pm tomorrow", "07-17 18:00 to 07-18 00:00"),
    ],
)
def test_clock_times_fall_on_the_next_such_hour(
    times: Times, spelled: Spelled, words: str, window: str
) -> None:
    (mention,) = times(words)

    assert spelled(mention.when) == window or spelled(mention.window) == window


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ("July 30 to August 2", "07-30 00:00 to 08-03 00:00"),
        ("Aug 10-14", "08-10 00:00 to 08-15 00:00"),
        ("Monday to Wednesday", "07-20 00:00 to 07-23 00:00"),
        ("Monday and Tuesday", "07-20 00:00 to 07-22 00:00"),
        ("July 13 until July 20", "07-13 00:00 to 07-21 00:00"),
    ],
)
def test_the_last_day_of_a_range_belongs_to_it(
    times: Times, spelled: Spelled, words: str, window: str
) -> None:
    (mention,) = times(words)

    assert spelled(mention.when) == window


def test_days_that_are_apart_stay_apart(times: Times, spelled: Spelled) -> None:
    found = [spelled(one.when) for one in times("July 20, 22 and 24")]

    assert found == [
        "07-20 00:00 to 07-21 00:00",
        "07-22 00:00 to 07-23 00:00",
        "07-24 00:00 to 07-25 00:00",
    ]


@pytest.mark.parametrize(
    ("words", "rrule", "first"),
    [
        ("every Monday at 9:30", "FREQ=WEEKLY;BYDAY=MO", "07-20 09:30 to 07-20 10:30"),
        ("every other Friday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "07-17 00:00 to 07-18 00:00"),
        ("every weekday at 8am", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "07-17 08:00 to 07-17 09:00"),
        ("daily at 7pm", "FREQ=DAILY", "07-16 19:00 to 07-16 20:00"),
        ("the 5th of every month", "FREQ=MONTHLY;BYMONTHDAY=5", "08-05 00:00 to 08-06 00:00"),
        (
            "every Tuesday at 6pm until September 1",
            "FREQ=WEEKLY;BYDAY=TU;UNTIL=20260901",
            "07-21 18:00 to 07-21 19:00",
        ),
    ],
)
def test_a_repetition_becomes_an_rrule_from_its_first_occurrence(
    times: Times, spelled: Spelled, words: str, rrule: str, first: str
) -> None:
    (mention,) = times(words)

    assert mention.rrule == rrule
    assert spelled(mention.window) == first


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("Tuesday, sorry, I mean Wednesday", "07-22 00:00 to 07-23 00:00"),
        ("on Tuesday, no wait, Wednesday", "07-22 00:00 to 07-23 00:00"),
        ("not Tuesday but Wednesday", "07-22 00:00 to 07-23 00:00"),
        ("at 3, I mean at 4", "07-16 16:00 to 07-16 17:00"),
    ],
)
def test_a_correction_keeps_the_last_word(
    times: Times, spelled: Spelled, words: str, day: str
) -> None:
    (mention,) = times(words)

    assert spelled(mention.when) == day


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        ("7/8", "past"),
        ("Friday 7/18", "weekday_mismatch"),
        ("half a day tomorrow", "half_day"),
        ("tomorrow morning, half day", "policy_half"),
        ("tomorrow at 3", "working_hours"),
        ("by Friday", "deadline"),
        ("yesterday", "past_instant"),
    ],
)
def test_what_a_reader_must_know_is_flagged(times: Times, words: str, flag: str) -> None:
    (mention,) = times(words)

    assert flag in mention.flags


def test_a_bare_date_gone_by_is_next_years_and_keeps_this_years_reading(
    times: Times, spelled: Spelled
) -> None:
    (mention,) = times("July 8")

    assert mention.local_start.year == 2027
    assert [spelled(one) for one in mention.alternatives] == ["07-08 00:00 to 07-09 00:00"]


@pytest.mark.parametrize(("locale", "month"), [("en-GB", 9), ("en-US", 8), (None, 8)])
def test_numbers_alone_are_read_by_the_locale(times: Times, locale: str | None, month: int) -> None:
    (mention,) = times("8/9", locale=locale)

    assert mention.local_start.month == month


@pytest.mark.parametrize(
    "words", ["I may come", "the march goes on", "page 12", "to 5 people", "sat down", "24/7"]
)
def test_words_that_only_look_like_times_name_none(times: Times, words: str) -> None:
    assert times(words) == []


def test_a_date_and_a_clock_time_said_apart_are_one_time(times: Times, spelled: Spelled) -> None:
    (mention,) = times("Book it for the 22nd. Is there an opening at 3:30 in the afternoon?")

    assert spelled(mention.when) == "07-22 15:30 to 07-22 16:30"
