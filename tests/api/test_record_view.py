"""Instants as a list spells them: exactly, whatever way leads there."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from moss_memory.api.record_view import instant, optional, spelled
from moss_memory.core.interval import FOREVER
from moss_memory.flow.records import micros

EDGES = [
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(2026, 7, 17, 10, 0, 0, 120000, tzinfo=UTC),
    datetime(2106, 2, 7, 6, 28, 15, 999999, tzinfo=UTC),
    datetime(2106, 2, 7, 6, 28, 16, 1, tzinfo=UTC),
    datetime(9998, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
]


def written(at: datetime) -> str:
    return at.isoformat().removesuffix("+00:00") + "Z"


@pytest.mark.parametrize("at", EDGES)
def test_an_instant_is_spelled_to_the_microsecond(at: datetime) -> None:
    assert spelled(micros(at)) == instant(at) == written(at)


@given(st.datetimes(timezones=st.just(UTC)))
@example(datetime(2026, 7, 17, 10, 30, 0, 1, tzinfo=UTC))
def test_every_instant_is_spelled_as_the_standard_library_does(at: datetime) -> None:
    assert spelled(micros(at)) == instant(at) == written(at)


def test_an_instant_of_another_offset_is_spelled_in_utc() -> None:
    seoul = datetime(2026, 7, 17, 10, tzinfo=timezone(timedelta(hours=9)))
    assert instant(seoul) == "2026-07-17T01:00:00Z"


@pytest.mark.parametrize("at", [None, micros(FOREVER)])
def test_never_is_null(at: int | None) -> None:
    assert optional(at) is None
