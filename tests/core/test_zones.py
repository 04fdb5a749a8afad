"""Wall time and local days, in zones whose clocks do odd things."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss_memory.core.errors import UnknownZoneError
from moss_memory.core.zones import AMBIGUOUS, GAP, day_start, to_utc, zone

ZONES = [
    "UTC", "Asia/Seoul", "Europe/Berlin", "America/New_York", "America/Sao_Paulo",
    "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "America/St_Johns",
    "Africa/Casablanca",
]  # fmt: skip


def wall(text: str) -> datetime:
    return datetime.fromisoformat(text)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("local", "name", "fold", "instant", "note"),
    [
        ("2026-07-17T10:00", "Asia/Seoul", None, "2026-07-17T01:00", None),
        ("2026-01-01T00:00", "America/St_Johns", None, "2026-01-01T03:30", None),
        # the two examples of RFC 5545, section 3.3.5
        ("2007-03-11T02:30", "America/New_York", None, "2007-03-11T07:30", GAP),
        ("2007-11-04T01:30", "America/New_York", None, "2007-11-04T05:30", AMBIGUOUS),
        ("2007-11-04T01:30", "America/New_York", 0, "2007-11-04T05:30", None),
        ("2007-11-04T01:30", "America/New_York", 1, "2007-11-04T06:30", None),
        ("2007-03-11T02:30", "America/New_York", 1, "2007-03-11T07:30", GAP),
        # half an hour is repeated where the clock moves by half an hour
        ("2026-04-05T01:45", "Australia/Lord_Howe", 1, "2026-04-04T15:15", None),
    ],
)
def test_wall_time_names_one_instant(
    local: str, name: str, fold: int | None, instant: str, note: str | None
) -> None:
    """F34."""
    assert to_utc(wall(local), zone(name), fold) == (utc(instant), note)


@pytest.mark.parametrize(
    ("day", "name", "start"),
    [
        ("2026-07-17", "Asia/Seoul", "2026-07-16T15:00"),
        ("2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00"),  # begins at 01:00
        ("2019-03-31", "Asia/Beirut", "2019-03-30T22:00"),
        ("2011-12-30", "Pacific/Apia", "2011-12-30T10:00"),  # a day that never was
        ("2011-12-31", "Pacific/Apia", "2011-12-30T10:00"),
        ("2010-11-07", "America/St_Johns", "2010-11-07T02:30"),  # 00:00 came twice
    ],
)
def test_day_begins_with_its_first_instant(day: str, name: str, start: str) -> None:
    assert day_start(date.fromisoformat(day), zone(name)) == utc(start)


@settings(deadline=None, max_examples=200)
@given(day=st.dates(date(1950, 1, 1), date(2100, 1, 1)), name=st.sampled_from(ZONES))
def test_days_tile_the_time_line(day: date, name: str) -> None:
    """Property 16."""

    tz = zone(name)
    start, end = day_start(day, tz), day_start(day + timedelta(days=1), tz)

    assert start <= end
    assert start == end or start.astimezone(tz).date() == day
    assert (start - timedelta(microseconds=1)).astimezone(tz).date() < day


@settings(deadline=None, max_examples=200)
@given(
    local=st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)),  # noqa: DTZ001
    name=st.sampled_from(ZONES),
)
def test_wall_time_outside_a_gap_reads_the_same_again(local: datetime, name: str) -> None:
    """Property 17."""

    instant, note = to_utc(local, zone(name))

    assert note == GAP or instant.astimezone(zone(name)).replace(tzinfo=None) == local


def test_wall_time_in_a_gap_reads_later_by_the_gap() -> None:
    instant, _ = to_utc(wall("2024-03-31T02:30"), zone("Europe/Berlin"))

    assert instant.astimezone(zone("Europe/Berlin")).replace(tzinfo=None) == wall(
        "2024-03-31T03:30"
    )


@pytest.mark.parametrize(
    "name",
    ["", "Mars/Olympus", "America", "localtime", "posixrules", "Factory", "right/UTC", "posix/UTC",
     "../etc/passwd", "/etc/passwd", "Asia/Seoul\n", "Asia//Seoul", "A" * 65, "서울", "UTC\x00"],
)  # fmt: skip
def test_name_of_no_zone_is_refused(name: str) -> None:
    with pytest.raises(UnknownZoneError):
        zone(name)
