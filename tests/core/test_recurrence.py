"""Recurrence rules: against dateutil where it ends, and bounded where it would not."""

from datetime import UTC, date, datetime, timedelta
from itertools import islice

import pytest
from dateutil.rrule import rrulestr
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from moss_memory.core.errors import InvalidRequestError, UnboundedRecurrenceError
from moss_memory.core.recurrence import parse, starts
from moss_memory.core.zones import zone

START = datetime(2026, 7, 15, 9, 30)  # noqa: DTZ001  a Wednesday
LAST = date(2046, 7, 15)
SEOUL = zone("Asia/Seoul")
WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


def walk(rule: str, *, start: datetime = START, count: int = 30, last: date = LAST) -> list[str]:
    found = islice(starts(parse(rule), start, SEOUL, last), count)
    return [f"{moment:%Y-%m-%d %H:%M}" for moment in found]


def numbers(low: int, high: int) -> st.SearchStrategy[str]:
    values = st.integers(low, high).flatmap(lambda n: st.sampled_from([n, -n]))
    return st.lists(values, min_size=1, max_size=3).map(lambda ns: ",".join(map(str, ns)))


def listed(values: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True).map(",".join)


NUMBERED = st.builds("{}{}".format, st.sampled_from([1, 2, 4, -1, -2]), st.sampled_from(WEEKDAYS))
BY_DAY = st.one_of(st.none(), listed(WEEKDAYS).map("BYDAY={}".format))
BY_MONTH_DAY = numbers(1, 31).map("BYMONTHDAY={}".format)
PARTS = {  # which days a rule of each frequency may name, in ways that both read alike
    "DAILY": st.one_of(BY_DAY, BY_MONTH_DAY),
    "WEEKLY": BY_DAY,
    "MONTHLY": st.one_of(BY_DAY, BY_MONTH_DAY, NUMBERED.map("BYDAY={}".format)),
    "YEARLY": st.one_of(
        BY_DAY,
        BY_MONTH_DAY,
        NUMBERED.map("BYDAY={}".format),
        numbers(1, 366).map("BYYEARDAY={}".format),
        # dateutil does not count the last days of a year to week -52 of the next, as it does to 1
        st.integers(-40, 53).filter(bool).map("BYWEEKNO={}".format),
    ),
}


@st.composite
def rules(draw: st.DrawFn) -> str:
    frequency = draw(st.sampled_from(list(PARTS)))
    by = draw(PARTS[frequency])
    months = st.integers(1, 12).map(str)
    parts = [f"FREQ={frequency}", f"INTERVAL={draw(st.integers(1, 4))}", by]
    parts += [f"BYMONTH={draw(months)},{draw(months)}"] if draw(st.booleans()) else []
    parts += [f"WKST={draw(st.sampled_from(WEEKDAYS))}"] if draw(st.booleans()) else []
    if by and draw(st.booleans()):
        parts.append(f"BYSETPOS={draw(st.sampled_from([1, 2, -1]))}")
    return ";".join(part for part in parts if part)


@settings(deadline=None, max_examples=40)
@given(rule=rules(), day=st.dates(date(1999, 12, 20), date(2032, 3, 1)))
def test_walk_finds_what_dateutil_finds(rule: str, day: date) -> None:
    start = datetime.combine(day, START.time())
    horizon = start + timedelta(days=3 * 366)
    found = list(starts(parse(rule), start, SEOUL, horizon.date() + timedelta(days=12 * 366)))
    assume(found and found[-1] > horizon)  # dateutil walks a rule that has ended to year 9999

    expected = rrulestr(f"{rule};UNTIL={horizon:%Y%m%dT%H%M%S}", dtstart=start)

    assert [moment for moment in found if moment <= horizon] == list(expected)


@pytest.mark.parametrize(
    ("rule", "first"),
    [
        ("FREQ=DAILY;INTERVAL=2;COUNT=3", ["2026-07-15", "2026-07-17", "2026-07-19"]),
        ("RRULE:FREQ=WEEKLY;COUNT=2", ["2026-07-15", "2026-07-22"]),
        ("freq=weekly;byday=mo,fr;count=3", ["2026-07-17", "2026-07-20", "2026-07-24"]),
        ("FREQ=MONTHLY;BYDAY=-1FR;COUNT=2", ["2026-07-31", "2026-08-28"]),
        # a numbered and a plain weekday add up, as RFC 5545 has it (dateutil finds none)
        ("FREQ=MONTHLY;BYDAY=MO,3TU;COUNT=3", ["2026-07-20", "2026-07-21", "2026-07-27"]),
        ("FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3", ["2026-07-31", "2026-08-31", "2026-10-31"]),
        ("FREQ=YEARLY;COUNT=2", ["2026-07-15", "2027-07-15"]),
        ("FREQ=YEARLY;BYWEEKNO=1;BYDAY=TH;COUNT=2", ["2027-01-07", "2028-01-06"]),
        ("FREQ=DAILY;UNTIL=20260717", ["2026-07-15", "2026-07-16", "2026-07-17"]),
        ("FREQ=DAILY;UNTIL=20260717T093000", ["2026-07-15", "2026-07-16", "2026-07-17"]),
        ("FREQ=DAILY;UNTIL=20260717T092959", ["2026-07-15", "2026-07-16"]),
        # UTC is compared in the zone of the start: 00:30Z is 09:30 in Seoul
        ("FREQ=DAILY;UNTIL=20260717T003000Z", ["2026-07-15", "2026-07-16", "2026-07-17"]),
        ("FREQ=DAILY;UNTIL=20260717T002959Z", ["2026-07-15", "2026-07-16"]),
    ],
)
def test_rule_picks_its_days(rule: str, first: list[str]) -> None:
    assert [text[:10] for text in walk(rule)] == first


def test_start_that_does_not_match_its_rule_is_no_occurrence() -> None:
    assert walk("FREQ=WEEKLY;BYDAY=TH", count=1) == ["2026-07-16 09:30"]


def test_one_hour_of_the_day_may_be_named() -> None:
    assert walk("FREQ=DAILY;BYHOUR=8;BYMINUTE=5", count=1) == ["2026-07-16 08:05"]


@pytest.mark.parametrize(
    "rule",
    ["FREQ=SECONDLY", "FREQ=MINUTELY;INTERVAL=90", "FREQ=HOURLY;COUNT=3", "FREQ=DAILY;BYHOUR=8,9",
     "FREQ=DAILY;BYMINUTE=0,30", "FREQ=DAILY;COUNT=10001"],
)  # fmt: skip
def test_rule_that_would_not_stay_bounded_is_refused(rule: str) -> None:
    with pytest.raises(UnboundedRecurrenceError):
        parse(rule)


@pytest.mark.parametrize(
    "rule",
    ["", "WEEKLY", "FREQ=", "FREQ=FORTNIGHTLY", "FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY;INTERVAL=0",
     "FREQ=DAILY;INTERVAL=-1", "FREQ=DAILY;INTERVAL=1.5", "FREQ=DAILY;COUNT=0",
     "FREQ=DAILY;COUNT=x",
     "FREQ=DAILY;COUNT=2;UNTIL=20270101", "FREQ=DAILY;UNTIL=tomorrow", "FREQ=DAILY;UNTIL=20270230",
     "FREQ=DAILY;UNTIL=20270101T250000", "FREQ=DAILY;BYMONTH=13", "FREQ=DAILY;BYMONTH=-1",
     "FREQ=MONTHLY;BYMONTHDAY=0", "FREQ=MONTHLY;BYDAY=0MO", "FREQ=MONTHLY;BYDAY=54MO",
     "FREQ=WEEKLY;BYDAY=1MO", "FREQ=WEEKLY;BYDAY=XX", "FREQ=WEEKLY;WKST=1",
     "FREQ=YEARLY;BYEASTER=0",
     "FREQ=MONTHLY;BYSETPOS=0", "FREQ=DAILY;", "FREQ=DAILY;COUNT=٣",
     f"FREQ=DAILY;BYMONTH={'1,' * 300}1"],
)  # fmt: skip
def test_text_that_is_no_rule_is_refused(rule: str) -> None:
    with pytest.raises(InvalidRequestError):
        parse(rule)


@pytest.mark.parametrize(
    "rule",
    ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
     "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6", "FREQ=WEEKLY;BYMONTH=2;BYMONTHDAY=31"],
)  # fmt: skip
def test_rule_that_never_fires_ends_at_the_last_day(rule: str) -> None:
    assert walk(rule) == []


def test_walk_stops_at_the_last_day() -> None:
    assert walk("FREQ=DAILY", last=date(2026, 7, 17)) == [
        "2026-07-15 09:30", "2026-07-16 09:30", "2026-07-17 09:30",
    ]  # fmt: skip


def test_until_is_read_as_it_is_written() -> None:
    assert parse("FREQ=DAILY;UNTIL=20270101T000000Z").until == datetime(2027, 1, 1, tzinfo=UTC)
