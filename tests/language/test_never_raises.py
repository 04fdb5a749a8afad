"""No text makes the parser raise, and the same text means the same every time."""

from datetime import datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moss_memory.language.grounding import check
from moss_memory.language.understanding import understand

AT = datetime.fromisoformat("2026-07-16T14:00:00+09:00")
WORDS = st.sampled_from(
    """
    Friday 7/17 2/30 99:99 at 10 pm next last every until from to and , . ? cancel move it to
    meeting vacation half day ET 10000000000 days ago week of the 31st February 금요일 오전 10시
    부터 까지 매주 반차 취소 옮겨줘 내일 2월 30일 삼박 사일 99999999 년 후 아니 말고 에서
    이십오시 0시 24시 다음 달 마지막 주
    """.split()  # noqa: SIM905 - words read best as words
)
SENTENCES = st.lists(st.one_of(WORDS, st.text(max_size=6)), max_size=12).map(" ".join)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
@example("\ud800 meeting tomorrow")
@example("ﷺ" * 40)
def test_any_unicode_text_is_understood_or_left_alone(text: str) -> None:
    assert understand(text, reference=AT, zone="Asia/Seoul").intent in ("WRITE", "QUERY", "UNKNOWN")


@settings(max_examples=200, deadline=None)
@given(SENTENCES, st.sampled_from(["Asia/Seoul", "America/New_York", "UTC"]))
@example("in 10000000000 days", "UTC")
@example("2월 30일 회의", "Asia/Seoul")
def test_words_of_time_in_any_order_never_raise_and_mean_the_same_again(
    text: str, zone: str
) -> None:
    first = understand(text, reference=AT, zone=zone)

    assert understand(text, reference=AT, zone=zone) == first
    assert check(first, text, reference=AT, zone=zone, locale=None).intent in (
        "WRITE",
        "QUERY",
        "UNKNOWN",
    )


@pytest.mark.campaign
@settings(max_examples=10_000, deadline=None)
@given(st.one_of(SENTENCES, st.text(max_size=200)))
@example("Friday " * 40)
def test_ten_thousand_texts_do_not_raise(text: str) -> None:
    understand(text, reference=AT, zone="America/New_York")


@pytest.mark.parametrize("year", [1, 9998])
def test_the_ends_of_the_calendar_do_not_raise(year: int) -> None:
    edge = AT.replace(year=year, tzinfo=AT.tzinfo)

    for words in ("next year", "last month", "in 40 days", "작년", "다음 주 금요일 3시 회의"):
        assert understand(words, reference=edge, zone="UTC") is not None


@pytest.mark.parametrize(
    "words",
    ["금요일 ", "at 3 ", "1", "가", "\n", " ", "every Monday and ", "July 1, ", "사흘 뒤 ", "the "],
)
def test_a_text_of_four_thousand_signs_is_read_in_one_pass(words: str) -> None:
    text = (words * 4000)[:3980] + "meeting tomorrow"

    assert understand(text, reference=AT, zone="Asia/Seoul") is not None
