"""Korean words for times, said on Thursday 16 July 2026 at 14:00 in Seoul."""

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
        ("내일", "07-17 00:00 to 07-18 00:00"),
        ("모레", "07-18 00:00 to 07-19 00:00"),
        ("글피", "07-19 00:00 to 07-20 00:00"),
        ("그저께", "07-14 00:00 to 07-15 00:00"),
        ("금요일", "07-17 00:00 to 07-18 00:00"),
        ("이번 주 월요일", "07-13 00:00 to 07-14 00:00"),
        ("다음 주 금요일", "07-24 00:00 to 07-25 00:00"),
        ("다음 금요일", "07-24 00:00 to 07-25 00:00"),
        ("다다음 주 화요일", "07-28 00:00 to 07-29 00:00"),
        ("지난 월요일", "07-13 00:00 to 07-14 00:00"),
        ("다음 주", "07-20 00:00 to 07-27 00:00"),
        ("이번 주말", "07-18 00:00 to 07-20 00:00"),
        ("다음 달 3일", "08-03 00:00 to 08-04 00:00"),
        ("8월 9일", "08-09 00:00 to 08-10 00:00"),
        ("팔월 구일", "08-09 00:00 to 08-10 00:00"),
        ("이십일일", "07-21 00:00 to 07-22 00:00"),
        ("사흘 뒤", "07-19 00:00 to 07-20 00:00"),
        ("오늘부터 일주일 뒤", "07-23 00:00 to 07-24 00:00"),
        ("다음 달 첫째 주 월요일", "08-03 00:00 to 08-04 00:00"),
        ("이번 달 말일", "07-31 00:00 to 08-01 00:00"),
        ("8월 초", "08-01 00:00 to 08-11 00:00"),
        ("8월 12일이 있는 주", "08-10 00:00 to 08-17 00:00"),
        ("광복절", "08-15 00:00 to 08-16 00:00"),
        ("추석", "09-25 00:00 to 09-26 00:00"),
    ],
)
def test_days_are_whole_local_days(times: Times, spelled: Spelled, words: str, window: str) -> None:
    (mention,) = times(words)

    assert spelled(mention.when) == window


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ("3시", "07-16 15:00 to 07-16 16:00"),
        ("내일 9시", "07-17 09:00 to 07-17 10:00"),
        ("내일 새벽 2시", "07-17 02:00 to 07-17 03:00"),
        ("내일 자정까지", "07-18 00:00 to 07-18 01:00"),
        ("오늘 밤 12시", "07-17 00:00 to 07-17 01:00"),
        ("오전 열한시 반", "07-17 11:30 to 07-17 12:30"),
        ("낮 열두시", "07-17 12:00 to 07-17 13:00"),
        ("다섯시 십분 전", "07-16 16:50 to 07-16 17:50"),
        ("저녁 7시부터 9시까지", "07-16 19:00 to 07-16 21:00"),
        ("오늘 밤 11시부터 새벽 2시까지", "07-16 23:00 to 07-17 02:00"),
        ("월요일 오후 2시~4시", "07-20 14:00 to 07-20 16:00"),
        ("내일 오전 10시부터 두 시간 동안", "07-17 10:00 to 07-17 12:00"),
        ("30분 뒤", "07-16 14:30 to 07-16 15:30"),
        ("내일 저녁 6시 이후", "07-17 18:00 to 07-18 00:00"),
    ],
)
def test_clock_times_follow_the_part_of_the_day(
    times: Times, spelled: Spelled, words: str, window: str
) -> None:
    (mention,) = times(words)

    assert spelled(mention.when) == window or spelled(mention.window) == window


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ("7월 30일부터 8월 2일까지", "07-30 00:00 to 08-03 00:00"),
        ("8월 10일부터 14일까지", "08-10 00:00 to 08-15 00:00"),
        ("일요일부터 3박 4일", "07-19 00:00 to 07-23 00:00"),
        ("내일부터 일주일간", "07-17 00:00 to 07-24 00:00"),
        ("다음 주 월요일 화요일", "07-20 00:00 to 07-22 00:00"),
    ],
)
def test_the_last_day_of_a_range_belongs_to_it(
    times: Times, spelled: Spelled, words: str, window: str
) -> None:
    (mention,) = times(words)

    assert spelled(mention.when) == window


@pytest.mark.parametrize(
    ("words", "rrule", "first"),
    [
        ("매주 월요일 오전 9시 반", "FREQ=WEEKLY;BYDAY=MO", "07-20 09:30 to 07-20 10:30"),
        ("격주 금요일", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "07-17 00:00 to 07-18 00:00"),
        ("2주마다 금요일", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "07-17 00:00 to 07-18 00:00"),
        ("매일 오후 9시", "FREQ=DAILY", "07-16 21:00 to 07-16 22:00"),
        ("매월 25일", "FREQ=MONTHLY;BYMONTHDAY=25", "07-25 00:00 to 07-26 00:00"),
        ("매달 첫째 주 수요일마다", "FREQ=MONTHLY;BYDAY=1WE", "08-05 00:00 to 08-06 00:00"),
        (
            "매주 화요일 저녁 7시 8월 31일까지",
            "FREQ=WEEKLY;BYDAY=TU;UNTIL=20260831",
            "07-21 19:00 to 07-21 20:00",
        ),
    ],
)
def test_a_repetition_becomes_an_rrule_from_its_first_occurrence(
    times: Times, spelled: Spelled, words: str, rrule: str, first: str
) -> None:
    (mention,) = times(words)

    assert mention.rrule == rrule
    assert spelled(mention.window) == first


@pytest.mark.parametrize("words", ["화요일에 쉬어, 아니 수요일", "화요일 말고 수요일"])
def test_a_correction_keeps_the_last_word(times: Times, spelled: Spelled, words: str) -> None:
    (mention,) = times(words)

    assert spelled(mention.when) == "07-22 00:00 to 07-23 00:00"


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        ("7/8", "past"),
        ("7월 18일 금요일 회의", "weekday_mismatch"),
        ("내일 반차", "half_day"),
        ("내일 오후 반차", "policy_half"),
        ("내일까지 제출", "deadline"),
        ("어제 회의", "past_instant"),
    ],
)
def test_what_a_reader_must_know_is_flagged(times: Times, words: str, flag: str) -> None:
    (mention,) = times(words, locale="ko")

    assert flag in mention.flags


@pytest.mark.parametrize(
    "words", ["일을 시작했다", "시간이 없다", "삼촌이 왔다", "학교까지 걸었다", "화가 났다"]
)
def test_words_that_only_look_like_times_name_none(times: Times, words: str) -> None:
    assert times(words) == []
