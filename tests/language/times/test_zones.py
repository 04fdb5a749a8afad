"""Zones named in words, clock changes, and whose day it is."""

# ruff: noqa: DTZ001 - wall times are naive: that is what is placed here

from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moss_memory.core.interval import Interval
from moss_memory.core.when import When
from moss_memory.language.times import TimeMention, resolve
from moss_memory.language.times.place import place

Times = Callable[..., list[TimeMention]]
Spelled = Callable[[Interval | When | None], str | None]
NEW_YORK, SEOUL = "America/New_York", "Asia/Seoul"


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ("Friday at 9am ET", "07-17 22:00 to 07-17 23:00"),
        ("tomorrow at 9 UK time", "07-17 17:00 to 07-17 18:00"),
        ("November 2 at 10am London time", "11-02 19:00 to 11-02 20:00"),
        ("tomorrow at 08:00 UTC", "07-17 17:00 to 07-17 18:00"),
        ("내일 런던 시간 오전 9시", "07-17 17:00 to 07-17 18:00"),
        ("금요일 뉴욕 시간 오전 9시", "07-17 22:00 to 07-17 23:00"),
    ],
)
def test_a_zone_in_the_words_converts(
    times: Times, spelled: Spelled, words: str, window: str
) -> None:
    (mention,) = times(words)

    assert spelled(mention.when) == window


@pytest.mark.parametrize(
    ("words", "flag"),
    [("March 14, 2027 at 2:30am", "gap"), ("November 1 at 1:30am", "fold"), ("11/1 12:30am", None)],
)
def test_a_wall_time_that_a_clock_change_skips_or_repeats_is_flagged(
    times: Times, words: str, flag: str | None
) -> None:
    """F34."""
    (mention,) = times(words, zone=NEW_YORK)

    assert {"gap", "fold"} & mention.flags == ({flag} if flag else set())


def test_the_repeated_hour_keeps_both_readings(times: Times) -> None:
    (mention,) = times("November 1 at 1:30am", zone=NEW_YORK)

    (second,) = mention.alternatives

    assert second.fold == 1
    assert mention.window.start.hour == 5  # the first 1:30, still in summer time


@pytest.mark.parametrize(
    ("zone", "day"),
    [("America/Los_Angeles", 17), (SEOUL, 18), ("UTC", 18), ("Pacific/Kiritimati", 18)],
)
def test_tomorrow_is_counted_in_the_owners_zone(times: Times, zone: str, day: int) -> None:
    late = datetime.fromisoformat("2026-07-16T23:50:00-07:00")  # 06:50 on the 17th in UTC

    (mention,) = times("I leave tomorrow", at=late, zone=zone)

    assert mention.local_start.day == day


def test_a_naive_reference_is_refused(times: Times) -> None:
    with pytest.raises(ValueError, match="offset"):
        times("tomorrow", at=datetime(2026, 7, 16))


ZONES = st.sampled_from([SEOUL, NEW_YORK, "Europe/London", "Australia/Lord_Howe", "Asia/Kolkata"])


@settings(max_examples=100, deadline=None)
@given(st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)), ZONES)
@example(datetime(2026, 11, 1, 1, 30), NEW_YORK)
def test_a_placed_wall_time_reads_the_same_in_its_zone_unless_it_is_skipped(
    local: datetime, zone: str
) -> None:
    placed = place(local, zone)

    back = placed.instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    assert (back == local) == (placed.flag != "gap")


def test_the_first_reading_is_placed_where_the_hour_repeats() -> None:
    first = place(datetime(2026, 11, 1, 1, 30), NEW_YORK)
    second = place(datetime(2026, 11, 1, 1, 30), NEW_YORK, fold=1)

    assert second.instant - first.instant == timedelta(hours=1)


@settings(max_examples=100, deadline=None)
@given(st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)), ZONES)
@example(datetime(2026, 7, 16, 14), SEOUL)
def test_the_coming_friday_is_within_a_week_whenever_it_is_said(local: datetime, zone: str) -> None:
    reference = place(local, zone).instant

    (mention,) = resolve("Friday", reference=reference, zone=zone, locale=None)

    ahead = mention.local_start.date() - reference.astimezone(ZoneInfo(zone)).date()
    assert timedelta(0) < ahead <= timedelta(days=7)
    assert mention.local_start.weekday() == 4
