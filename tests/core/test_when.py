"""The wire's ``when`` objects: three kinds, read strictly, spelled back as they were."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss_memory.core.errors import (
    EmptyWindowError,
    InvalidRequestError,
    InvalidValueError,
    MossError,
    NaiveTimestampError,
    UnboundedRecurrenceError,
    UnknownZoneError,
)
from moss_memory.core.when import (
    Days,
    Instant,
    Series,
    WallClock,
    When,
    from_json,
    has_end,
    to_json,
)

NINE = datetime(2026, 7, 17, 9, 0)  # noqa: DTZ001  a wall time
TEN = datetime(2026, 7, 17, 10, 0)  # noqa: DTZ001
WEEKLY = "FREQ=WEEKLY;COUNT=4"


@pytest.mark.parametrize(
    ("spelled", "when"),
    [
        ({"start": "2026-07-17T10:00:00+09:00"}, Instant(datetime(2026, 7, 17, 1, tzinfo=UTC))),
        ({"start": "2026-07-17t01:00:00.5z", "end": None},
         Instant(datetime(2026, 7, 17, 1, microsecond=500000, tzinfo=UTC))),
        ({"start": "2026-07-17T01:00Z", "end": "2026-07-17T02:00Z"},
         Instant(datetime(2026, 7, 17, 1, tzinfo=UTC), datetime(2026, 7, 17, 2, tzinfo=UTC))),
        ({"local_start": "2026-07-17T09:00", "local_end": "2026-07-17T10:00"},
         WallClock(NINE, TEN)),
        ({"local_start": "2026-07-17T09:00:00", "minutes": 45, "timezone": "Asia/Seoul", "fold": 1},
         WallClock(NINE, minutes=45, zone="Asia/Seoul", fold=1)),
        ({"date": "2026-07-17"}, Days(date(2026, 7, 17))),
        ({"date": "2026-07-17", "end_date": "2026-07-20", "timezone": "Europe/Berlin"},
         Days(date(2026, 7, 17), date(2026, 7, 20), "Europe/Berlin")),
        ({"date": "2026-07-17", "rrule": WEEKLY, "exdates": ["2026-07-24"],
          "overrides": {"2026-07-31": {"date": "2026-08-01"}, "2026-08-07": None}},
         Days(date(2026, 7, 17), series=Series(
             WEEKLY, (date(2026, 7, 24),),
             ((date(2026, 7, 31), Days(date(2026, 8, 1))), (date(2026, 8, 7), None))))),
    ],
)  # fmt: skip
def test_wire_object_is_read(spelled: dict[str, Any], when: When) -> None:
    assert from_json(spelled) == when


@pytest.mark.parametrize(
    "spelled",
    [
        {"start": "2026-07-17T01:00:00Z", "end": "2026-07-17T02:00:00Z"},
        {"local_start": "2026-07-17T09:00:00", "minutes": 45, "timezone": "Asia/Seoul"},
        {"date": "2026-07-17", "end_date": "2026-07-20"},
        {"start": "2026-07-17T01:00:00Z", "rrule": WEEKLY, "exdates": ["2026-07-24T01:00:00Z"],
         "overrides": {"2026-07-31T01:00:00Z": {"local_start": "2026-07-31T12:00:00"}}},
    ],
)  # fmt: skip
def test_canonical_object_is_spelled_as_it_was_read(spelled: dict[str, Any]) -> None:
    assert to_json(from_json(spelled)) == spelled


MOMENTS = st.datetimes(datetime(1950, 1, 1), datetime(2150, 1, 1))  # noqa: DTZ001
ZONE_NAMES = st.sampled_from([None, "Asia/Seoul", "America/New_York"])
RULES = st.sampled_from(["FREQ=DAILY", WEEKLY, "FREQ=MONTHLY;UNTIL=20400101T000000Z"])
INSTANTS = st.builds(
    Instant,
    MOMENTS.map(lambda m: m.replace(tzinfo=UTC)),
    st.none(),
    st.none() | st.builds(Series, RULES),
)
WALLS = st.builds(
    WallClock, MOMENTS, st.none(), st.none() | st.integers(1, 10_000), ZONE_NAMES,
    st.sampled_from([None, 0, 1]), st.none() | st.builds(Series, RULES),
)  # fmt: skip
DAYS = st.builds(
    Days, st.dates(date(1950, 1, 1), date(2150, 1, 1)), st.none(), ZONE_NAMES,
    st.none() | st.builds(Series, RULES),
)  # fmt: skip


@settings(deadline=None, max_examples=150)
@given(when=st.one_of(INSTANTS, WALLS, DAYS))
def test_every_time_survives_the_wire(when: When) -> None:
    assert from_json(to_json(when)) == when


def test_one_drawn_time_survives_the_wire() -> None:
    when = WallClock(NINE, TEN, zone="Asia/Seoul", series=Series(WEEKLY, (TEN,)))

    assert from_json(to_json(when)) == when


@pytest.mark.parametrize(
    "spelled",
    [{"start": "2026-07-17T10:00:00"}, {"start": "2026-07-17"}, {"start": "2026-07-17 10:00"},
     {"start": "2026-07-17T10:00Z", "end": "2026-07-17T11:00"},
     {"start": "2026-07-17T10:00Z", "rrule": WEEKLY, "exdates": ["2026-07-24T10:00"]}],
)  # fmt: skip
def test_instant_without_an_offset_is_refused_by_name(spelled: dict[str, Any]) -> None:
    with pytest.raises(NaiveTimestampError):
        from_json(spelled)


@pytest.mark.parametrize(
    "spelled",
    [{"start": "2026-07-17T11:00Z", "end": "2026-07-17T10:00Z"},
     {"start": "2026-07-17T11:00Z", "end": "2026-07-17T20:00+09:00"},
     {"local_start": "2026-07-17T11:00", "local_end": "2026-07-17T11:00"},
     {"local_start": "2026-07-17T11:00", "minutes": 0},
     {"local_start": "2026-07-17T11:00", "minutes": -5},
     {"date": "2026-07-17", "end_date": "2026-07-17"}],
)  # fmt: skip
def test_window_that_holds_nothing_is_refused_by_name(spelled: dict[str, Any]) -> None:
    with pytest.raises(EmptyWindowError):
        from_json(spelled)


@pytest.mark.parametrize("name", ["Mars/Phobos", "", "Asia/Seoul "])
def test_unknown_zone_is_refused_by_name(name: str) -> None:
    with pytest.raises(UnknownZoneError):
        from_json({"date": "2026-07-17", "timezone": name})


def test_rule_finer_than_daily_is_refused_by_name() -> None:
    with pytest.raises(UnboundedRecurrenceError):
        from_json({"date": "2026-07-17", "rrule": "FREQ=HOURLY"})


@pytest.mark.parametrize(
    "spelled",
    [
        {}, {"end": "2026-07-17T10:00Z"}, {"kind": "date"}, {"date": None},
        {"start": "2026-07-17T10:00Z", "date": "2026-07-17"},
        {"start": "2026-07-17T10:00Z", "timezone": "Asia/Seoul"},
        {"start": "2026-07-17T10:00Z", "minutes": 30},
        {"local_start": "2026-07-17T10:00Z"}, {"local_start": "2026-07-17"},
        {"local_start": "2026-07-17T10:00", "end": "2026-07-17T11:00Z"},
        {"local_start": "2026-07-17T10:00", "local_end": "2026-07-17T11:00", "minutes": 60},
        {"local_start": "2026-07-17T10:00", "fold": 2},
        {"local_start": "2026-07-17T10:00", "minutes": True},
        {"local_start": "2026-07-17T10:00", "minutes": "30"},
        {"local_start": "2026-07-17T10:00", "minutes": 30.0},
        {"date": "2026-7-17"}, {"date": "2026-02-30"}, {"date": "20260717"}, {"date": 20260717},
        {"date": "2026-07-17T00:00"}, {"date": "2026-W29-5"}, {"date": "२०२६-०७-१७"},
        {"date": "2026-07-17", "timezone": 9}, {"date": "2026-07-17", "fold": 0},
        {"start": "2026-07-17T24:00:00Z"}, {"start": "2026-07-17T10:00:60Z"}, {"start": 1784253600},
        {"start": "2026-07-17T10:00:00+9"}, {"start": "2026-07-17T10:00:00+25:00"},
        {"start": "17 July 2026 10:00Z"}, {"start": "2026-07-17T10Z"}, {"start": ["2026"]},
        {"date": "2026-07-17", "exdates": ["2026-07-24"]},
        {"date": "2026-07-17", "overrides": {}},
        {"date": "2026-07-17", "rrule": 7}, {"date": "2026-07-17", "rrule": "every week"},
        {"date": "2026-07-17", "rrule": WEEKLY, "exdates": "2026-07-24"},
        {"date": "2026-07-17", "rrule": WEEKLY, "exdates": [None]},
        {"date": "2026-07-17", "rrule": WEEKLY, "exdates": ["2026-07-24T10:00"]},
        {"date": "2026-07-17", "rrule": WEEKLY, "exdates": ["2026-07-24"] * 1001},
        {"date": "2026-07-17", "rrule": WEEKLY, "overrides": ["2026-07-24"]},
        {"date": "2026-07-17", "rrule": WEEKLY, "overrides": {"2026-07-24": "2026-07-25"}},
        {"date": "2026-07-17", "rrule": WEEKLY,
         "overrides": {"2026-07-24": {"date": "2026-07-25", "rrule": WEEKLY}}},
    ],
)  # fmt: skip
def test_malformed_time_is_refused(spelled: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        from_json(spelled)
    assert type(refused.value) in {InvalidRequestError, EmptyWindowError}


@pytest.mark.parametrize("spelled", [None, [], "2026-07-17", 7])
def test_time_that_is_no_object_is_refused(spelled: Any) -> None:
    with pytest.raises(InvalidRequestError):
        from_json(spelled)


@pytest.mark.parametrize(
    "spelled",
    [{"start": "0001-01-01T00:00:00+14:00"}, {"start": "9999-12-31T23:59:59-12:00"},
     {"local_start": "2026-07-17T10:00", "minutes": 10**12}],
)  # fmt: skip
def test_time_beyond_all_calendars_is_refused(spelled: dict[str, Any]) -> None:
    with pytest.raises(InvalidValueError):
        from_json(spelled)


KEYS = ["start", "end", "local_start", "local_end", "date", "minutes", "rrule", "exdates", "x"]
TEXTS = ["2026-07-17", "2026-07-17T10:00", "2026-07-17T10:00Z", "9999-12-31T23:59Z", WEEKLY]
NONSENSE = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=30), st.sampled_from(TEXTS),
    st.just([1]),
)  # fmt: skip


@settings(deadline=None, max_examples=200)
@given(spelled=st.dictionaries(st.sampled_from(KEYS), NONSENSE))
def test_nonsense_is_refused_or_reads_as_it_is_spelled(spelled: dict[str, Any]) -> None:
    try:
        when = from_json(spelled)
    except MossError:
        return
    assert from_json(to_json(when)) == when


@pytest.mark.parametrize(
    ("spelled", "ended"),
    [({"start": "2026-07-17T10:00Z"}, False),
     ({"start": "2026-07-17T10:00Z", "end": "2026-07-18T10:00Z"}, True),
     ({"start": "2026-07-17T10:00Z", "rrule": WEEKLY}, True),
     ({"local_start": "2026-07-17T10:00"}, False),
     ({"local_start": "2026-07-17T10:00", "minutes": 5}, True),
     ({"local_start": "2026-07-17T10:00", "local_end": "2026-07-17T11:00"}, True),
     ({"date": "2026-07-17"}, True)],
)  # fmt: skip
def test_time_knows_whether_an_end_was_said(spelled: dict[str, Any], *, ended: bool) -> None:
    assert has_end(from_json(spelled)) == ended
