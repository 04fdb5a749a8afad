"""From a time as said to windows of UTC: days, wall clocks, series, and their bounds."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss_memory.core.errors import (
    EmptyWindowError,
    InvalidValueError,
    MossError,
    UnboundedRecurrenceError,
    UnknownZoneError,
)
from moss_memory.core.interval import FOREVER
from moss_memory.core.placing import LINTED_UNTIL, place, skipping
from moss_memory.core.when import Days, Instant, Placement, Series, WallClock, When, from_json

HORIZON = datetime(2028, 7, 16, tzinfo=UTC)


def placed(when: dict[str, Any] | When, zone: str = "Asia/Seoul", **said: Any) -> Placement:
    read = from_json(when) if isinstance(when, dict) else when
    said = {"default_minutes": 60, "horizon": HORIZON} | said
    return place(read, owner_zone=zone, **said)


def shown(placement: Placement) -> list[str]:
    """Spell windows as ``start/end`` in UTC."""
    return [f"{w.start:%m-%dT%H:%M}/{w.end:%m-%dT%H:%M}" for w in placement.windows]


@pytest.mark.parametrize(
    ("when", "zone", "window"),
    [
        ({"date": "2026-07-17"}, "Asia/Seoul", "07-16T15:00/07-17T15:00"),
        ({"date": "2026-07-17", "timezone": "UTC"}, "Asia/Seoul", "07-17T00:00/07-18T00:00"),
        ({"date": "2026-07-17", "end_date": "2026-07-20"}, "UTC", "07-17T00:00/07-20T00:00"),
        # 25 hours, 23 hours, and a day that begins at one in the morning
        ({"date": "2026-11-01"}, "America/Chicago", "11-01T05:00/11-02T06:00"),
        ({"date": "2026-03-29"}, "Europe/Berlin", "03-28T23:00/03-29T22:00"),
        ({"date": "2018-11-04"}, "America/Sao_Paulo", "11-04T03:00/11-05T02:00"),
        ({"start": "2026-07-17T10:00+09:00"}, "UTC", "07-17T01:00/07-17T02:00"),
        ({"local_start": "2026-07-17T10:00"}, "Asia/Seoul", "07-17T01:00/07-17T02:00"),
        ({"local_start": "2026-07-17T10:00"}, "Europe/Berlin", "07-17T08:00/07-17T09:00"),
        ({"local_start": "2026-07-17T10:00", "timezone": "Europe/Berlin"}, "Asia/Seoul",
         "07-17T08:00/07-17T09:00"),
        # a length in minutes is exact, two wall times are two wall times
        ({"local_start": "2026-03-28T23:00", "minutes": 600}, "Europe/Berlin",
         "03-28T22:00/03-29T08:00"),
        ({"local_start": "2026-03-28T23:00", "local_end": "2026-03-29T09:00"}, "Europe/Berlin",
         "03-28T22:00/03-29T07:00"),
        # fold=1 is the second pass, of both ends
        ({"local_start": "2026-10-25T02:15", "local_end": "2026-10-25T02:45", "fold": 1},
         "Europe/Berlin", "10-25T01:15/10-25T01:45"),
        # half an hour that the clock change turns round keeps its length
        ({"local_start": "2026-03-29T02:30", "local_end": "2026-03-29T03:00"}, "Europe/Berlin",
         "03-29T01:30/03-29T02:00"),
    ],
)  # fmt: skip
def test_time_is_placed_in_its_zone(when: dict[str, Any], zone: str, window: str) -> None:
    assert shown(placed(when, zone)) == [window]


@pytest.mark.parametrize(
    ("start", "fold", "notes"),
    [("2026-03-29T02:30", None, ("LOCAL_TIME_GAP",)),
     ("2026-10-25T02:30", None, ("LOCAL_TIME_AMBIGUOUS",)),
     ("2026-10-25T02:30", 0, ()), ("2026-07-17T02:30", None, ())],
)  # fmt: skip
def test_clock_change_is_said_in_the_notes(start: str, fold: int | None, notes: tuple[str]) -> None:
    when = {"local_start": start, "timezone": "Europe/Berlin", "fold": fold}

    assert placed(when).notes == notes


def test_time_without_an_end_is_open_where_the_predicate_has_no_length() -> None:
    placement = placed({"start": "2026-07-17T10:00Z"}, default_minutes=None)

    assert (placement.valid_until, placement.windows[0].end) == (FOREVER, FOREVER)


def test_time_without_an_end_lasts_to_the_end_of_the_local_day_where_days_are_whole() -> None:
    placement = placed({"start": "2026-07-17T01:00Z"}, default_minutes=None, whole_day=True)

    assert shown(placement) == ["07-17T01:00/07-17T15:00"]


WEEKLY = {"local_start": "2026-07-17T10:00", "minutes": 30, "timezone": "Asia/Seoul"}


def test_series_keeps_its_wall_time_over_a_clock_change() -> None:
    when = {"local_start": "2026-10-23T09:00", "rrule": "FREQ=WEEKLY;COUNT=2"}

    assert shown(placed(when, "Europe/Berlin")) == [
        "10-23T07:00/10-23T08:00", "10-30T08:00/10-30T09:00",
    ]  # fmt: skip


def test_instant_repeats_in_the_zone_of_its_owner() -> None:
    when = {"start": "2026-10-23T07:00Z", "rrule": "FREQ=WEEKLY;COUNT=2"}

    assert shown(placed(when, "Europe/Berlin")) == [
        "10-23T07:00/10-23T08:00", "10-30T08:00/10-30T09:00",
    ]  # fmt: skip


def test_instant_in_the_second_pass_of_an_hour_stays_there() -> None:
    when = {"start": "2026-10-25T01:30Z", "rrule": "FREQ=YEARLY;COUNT=1"}

    assert shown(placed(when, "Europe/Berlin")) == ["10-25T01:30/10-25T02:30"]


def test_exdate_removes_and_override_moves_or_deletes() -> None:
    when = WEEKLY | {
        "rrule": "FREQ=DAILY;COUNT=5",
        "exdates": ["2026-07-18T10:00"],
        "overrides": {
            "2026-07-19T10:00": {"local_start": "2026-07-19T15:00", "minutes": 45},
            "2026-07-20T10:00": None,
        },
    }

    assert shown(placed(when, "Europe/Berlin")) == [
        "07-17T01:00/07-17T01:30", "07-19T06:00/07-19T06:45", "07-21T01:00/07-21T01:30",
    ]  # fmt: skip


def test_override_may_name_a_zone_of_its_own() -> None:
    moved = {"local_start": "2026-07-17T15:00", "timezone": "Europe/Berlin"}
    when = WEEKLY | {"rrule": "FREQ=DAILY;COUNT=1", "overrides": {"2026-07-17T10:00": moved}}

    assert shown(placed(when)) == ["07-17T13:00/07-17T14:00"]


def test_exdate_of_an_instant_is_the_instant_whatever_its_offset() -> None:
    when = {
        "start": "2026-07-17T10:00+09:00", "rrule": "FREQ=DAILY;COUNT=2",
        "exdates": ["2026-07-17T03:00+02:00"],
    }  # fmt: skip

    assert shown(placed(when)) == ["07-18T01:00/07-18T02:00"]


def test_moved_occurrence_keeps_the_windows_in_order() -> None:
    when = WEEKLY | {
        "rrule": "FREQ=DAILY;COUNT=2",
        "overrides": {"2026-07-17T10:00": {"local_start": "2026-07-20T10:00"}},
    }
    placement = placed(when)

    assert placement.windows == tuple(sorted(placement.windows))
    assert placement.valid_from == placement.windows[0].start


def test_until_in_utc_includes_the_occurrence_it_names() -> None:
    when = {"local_start": "2018-11-15T14:00", "timezone": "Europe/Sofia",
            "rrule": "FREQ=DAILY;UNTIL=20181122T120000Z"}  # fmt: skip

    assert shown(placed(when))[-1] == "11-22T12:00/11-22T13:00"


def test_series_with_an_end_ends_with_its_last_occurrence() -> None:
    placement = placed(WEEKLY | {"rrule": "FREQ=WEEKLY;COUNT=3"})

    assert placement.valid_until == placement.windows[-1].end
    assert placement.notes == ()


def test_series_without_an_end_is_placed_up_to_the_horizon() -> None:
    placement = placed(WEEKLY | {"rrule": "FREQ=WEEKLY"})

    assert placement.valid_until == FOREVER
    assert HORIZON - timedelta(days=8) < placement.windows[-1].end <= HORIZON + timedelta(days=2)
    assert placement.notes == (LINTED_UNTIL,)


def test_series_that_begins_late_is_placed_two_years_on_from_its_start() -> None:
    placement = placed({"date": "2031-01-01", "rrule": "FREQ=MONTHLY"}, "UTC")

    assert placement.windows[-1].start.year == 2033


def test_long_series_with_an_end_says_where_it_was_cut_and_when_it_ends() -> None:
    placement = placed({"date": "2026-07-17", "rrule": "FREQ=WEEKLY;UNTIL=20400101"}, "UTC")

    assert placement.valid_until == datetime(2039, 12, 31, tzinfo=UTC)
    assert placement.windows[-1].end < datetime(2029, 1, 1, tzinfo=UTC)
    assert placement.notes == (LINTED_UNTIL,)


def test_occurrence_moved_from_beyond_the_horizon_is_placed() -> None:
    moved = {"date": "2026-08-01"}
    when = {"date": "2026-07-17", "rrule": "FREQ=YEARLY", "overrides": {"2040-07-17": moved}}

    assert "08-01T00:00/08-02T00:00" in shown(placed(when, "UTC"))


def test_day_that_a_zone_skipped_is_no_occurrence_and_is_said() -> None:
    when = {"date": "2011-12-29", "rrule": "FREQ=DAILY;COUNT=3"}
    placement = placed(when, "Pacific/Apia")

    assert len(placement.windows) == 2
    assert placement.notes == ("LOCAL_TIME_GAP",)


def test_until_beyond_the_calendar_is_no_end() -> None:
    when = {"date": "2026-07-17", "rrule": "FREQ=YEARLY;UNTIL=99991231T235959Z"}

    assert placed(when).valid_until == FOREVER


@pytest.mark.parametrize(
    "rule",
    ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
     "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6", "FREQ=DAILY;UNTIL=20200101",
     "FREQ=YEARLY;INTERVAL=40;BYMONTH=1;BYMONTHDAY=1"],
)  # fmt: skip
def test_rule_without_an_occurrence_in_ten_years_is_refused(rule: str) -> None:
    with pytest.raises(UnboundedRecurrenceError):
        placed({"date": "2026-07-17", "rrule": rule})


def test_series_with_every_occurrence_removed_is_refused() -> None:
    when = {"date": "2026-07-17", "rrule": "FREQ=DAILY;COUNT=1", "exdates": ["2026-07-17"]}

    with pytest.raises(UnboundedRecurrenceError):
        placed(when)


def test_century_of_days_before_now_is_refused() -> None:
    with pytest.raises(UnboundedRecurrenceError):
        placed({"date": "1926-07-17", "rrule": "FREQ=DAILY"})


def test_century_of_days_from_now_is_cut_at_the_horizon() -> None:
    placement = placed({"date": "2026-07-17", "rrule": "FREQ=DAILY;UNTIL=21260717"}, "UTC")

    assert len(placement.windows) < 1000
    assert placement.valid_until == datetime(2126, 7, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    "when",
    [{"date": "1899-12-31"}, {"date": "2201-01-01"},
     {"date": "2200-12-31", "end_date": "2201-01-02"},
     {"local_start": "0001-01-01T00:00"}, {"local_start": "9999-12-31T23:59"},
     {"start": "2200-12-31T23:30Z"}, {"start": "1899-12-31T23:59Z"},
     {"start": "2026-07-17T10:00Z", "end": "9000-01-01T00:00Z"},
     {"date": "9999-12-31", "rrule": "FREQ=DAILY"}],
)  # fmt: skip
def test_time_outside_two_centuries_is_refused(when: dict[str, Any]) -> None:
    with pytest.raises(InvalidValueError):
        placed(when)


def test_length_beyond_the_calendar_is_refused() -> None:
    with pytest.raises(InvalidValueError):
        placed(WallClock(datetime(2026, 7, 17), minutes=10**15))  # noqa: DTZ001


@pytest.mark.parametrize(
    "when",
    [{"date": "2026-01-01", "end_date": "2027-01-03"},
     {"date": "2026-01-01", "end_date": "2027-01-03", "rrule": "FREQ=YEARLY;COUNT=2"},
     {"start": "2026-01-01T00:00Z", "end": "2027-01-02T00:00:01Z"}],
)  # fmt: skip
def test_occurrence_longer_than_its_predicate_allows_is_refused(when: dict[str, Any]) -> None:
    with pytest.raises(InvalidValueError):
        placed(when, "UTC", longest=timedelta(days=366))


def test_occurrence_as_long_as_its_predicate_allows_is_placed() -> None:
    when = {"date": "2026-01-01", "end_date": "2027-01-02"}

    assert placed(when, "UTC", longest=timedelta(days=366)).windows


def test_owner_with_an_unknown_zone_is_refused() -> None:
    with pytest.raises(UnknownZoneError):
        placed({"date": "2026-07-17"}, "Mars/Phobos")


def test_reversed_time_that_no_wire_has_read_is_refused() -> None:
    with pytest.raises(EmptyWindowError):
        placed(Days(date(2026, 7, 17), date(2026, 7, 16)))


def test_reversed_days_in_a_series_are_refused_and_not_skipped() -> None:
    days = Days(date(2026, 7, 17), date(2026, 7, 17), series=Series("FREQ=DAILY;COUNT=2"))

    with pytest.raises(EmptyWindowError):
        placed(days)


def skipped(when: dict[str, Any], zone: str, numbers: list[int]) -> tuple[Placement, Placement]:
    """Place a series, and again without the occurrences at these places in it."""
    before = placed(when, zone)
    gone = {before.windows[number].start for number in numbers}
    return before, placed(skipping(from_json(when), zone, gone), zone)


@pytest.mark.parametrize(
    ("when", "zone"),
    [
        (WEEKLY | {"rrule": "FREQ=DAILY;COUNT=6"}, "UTC"),
        ({"start": "2026-10-23T07:00Z", "rrule": "FREQ=DAILY;COUNT=6"}, "Europe/Berlin"),
        ({"date": "2026-10-23", "rrule": "FREQ=DAILY;COUNT=6"}, "Europe/Berlin"),
        ({"local_start": "2026-03-27T02:30", "rrule": "FREQ=DAILY;COUNT=6"}, "Europe/Berlin"),
        ({"local_start": "2026-10-23T02:30", "fold": 1, "rrule": "FREQ=DAILY;COUNT=6"},
         "Europe/Berlin"),
        ({"date": "2026-10-23", "rrule": "FREQ=DAILY;COUNT=7", "exdates": ["2026-10-24"],
          "overrides": {"2026-10-25": {"date": "2026-11-25"},
                        "2026-10-26": {"date": "2026-10-22"}}},
         "UTC"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("numbers", [[0], [2], [1, 3], [5], [0, 1, 2]])
def test_occurrences_taken_out_are_gone_and_all_others_stay(
    when: dict[str, Any], zone: str, numbers: list[int]
) -> None:
    before, after = skipped(when, zone, numbers)

    assert after.windows == tuple(w for i, w in enumerate(before.windows) if i not in numbers)


@pytest.mark.parametrize("rule", ["FREQ=DAILY", "FREQ=DAILY;COUNT=9", "FREQ=DAILY;UNTIL=20260801"])
def test_series_may_be_ended_before_an_instant(rule: str) -> None:
    end = datetime(2026, 7, 20, 1, tzinfo=UTC)
    when = skipping(from_json(WEEKLY | {"rrule": rule}), "UTC", set(), before=end)

    assert [w.start.day for w in placed(when).windows] == [17, 18, 19]


def test_occurrence_moved_beyond_the_end_of_a_series_is_gone() -> None:
    moved = {"2026-07-18T10:00": {"local_start": "2026-08-18T10:00"}}
    when = from_json(WEEKLY | {"rrule": "FREQ=DAILY", "overrides": moved})
    ended = skipping(when, "UTC", set(), before=datetime(2026, 7, 20, 1, tzinfo=UTC))

    assert [w.start.day for w in placed(ended).windows] == [17, 19]


def test_time_that_does_not_repeat_has_nothing_to_skip() -> None:
    when = from_json(WEEKLY)

    assert skipping(when, "UTC", {datetime(2026, 7, 17, 1, tzinfo=UTC)}) == when


def test_open_state_of_a_series_lasts_to_the_end_of_its_day() -> None:
    when = {"local_start": "2026-07-17T18:30", "rrule": "FREQ=DAILY;COUNT=2"}

    assert shown(placed(when, "UTC", default_minutes=None)) == [
        "07-17T18:30/07-18T00:00", "07-18T18:30/07-19T00:00",
    ]  # fmt: skip


ANY_YEAR = st.datetimes()
ANY_RULE = st.builds(
    "FREQ={};INTERVAL={}".format,
    st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]),
    st.integers(1, 10_000),
)
ANY_SERIES = st.none() | st.builds(Series, ANY_RULE)
ANY_TIME = st.one_of(
    st.builds(Instant, ANY_YEAR.map(lambda m: m.replace(tzinfo=UTC)), st.none(), ANY_SERIES),
    st.builds(WallClock, ANY_YEAR, st.none(), st.none() | st.integers(-10, 10**15), st.none(),
              st.sampled_from([None, 0, 1]), ANY_SERIES),
    st.builds(Days, ANY_YEAR.map(datetime.date), st.none(), st.none(), ANY_SERIES),
)  # fmt: skip


@settings(deadline=None, max_examples=150)
@given(when=ANY_TIME, zone=st.sampled_from(["UTC", "Pacific/Apia", "America/Sao_Paulo"]))
def test_any_time_is_placed_in_order_or_refused(when: When, zone: str) -> None:
    try:
        placement = placed(when, zone)
    except MossError:
        return
    assert list(placement.windows) == sorted(placement.windows)
    assert placement.valid_from == placement.windows[0].start
    assert placement.valid_until >= max(w.end for w in placement.windows)
