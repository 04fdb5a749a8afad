"""A principal's own settings, and what a new zone does to floating times."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from moss_memory.core.access import Caller
from moss_memory.core.errors import StorageUnavailableError, UnknownZoneError, VerdictChangedError
from moss_memory.core.fact import Memory
from moss_memory.core.when import Days, Instant, WallClock
from moss_memory.flow import profile, reading, record, settle
from moss_memory.flow.ports import House, MemoryStore
from moss_memory.flow.requests import Answer, Circumstances, FactIn, ListRequest, ProposeRequest

AROUND = Circumstances(request_id="r")


def keep(house: House, who: Caller, predicate: str, title: str, when: Any) -> Answer:
    stated = FactIn(
        domain="Schedule",
        subject="Calendar",
        predicate=predicate,
        object_value=title,
        when=when,
    )
    return record.propose(house, who, ProposeRequest(facts=(stated,)), AROUND)


def move(house: House, who: Caller, zone: str) -> profile.Profile:
    return profile.settle_in(house, who, given={"timezone": zone}, around=AROUND)


def test_profile_says_the_services_zone_until_one_is_set(house: House, ann: Caller) -> None:
    assert profile.me(house, ann).timezone == "Asia/Seoul"


def test_set_zone_and_language_are_kept(house: House, ann: Caller) -> None:
    wanted = {"timezone": "Europe/Berlin", "locale": "ko"}
    profile.settle_in(house, ann, given=wanted, around=AROUND)

    told = profile.me(house, ann)
    assert (told.timezone, told.locale) == ("Europe/Berlin", "ko")


def test_unknown_zone_is_refused(house: House, ann: Caller) -> None:
    with pytest.raises(UnknownZoneError):
        move(house, ann, "Mars/Olympus")


def test_floating_day_follows_the_new_zone(house: House, ann: Caller) -> None:
    (day,) = keep(house, ann, "vacation", "Vacation", Days(date(2026, 7, 17))).facts

    move(house, ann, "Europe/Berlin")

    moved = reading.get(house, ann, day.memory_id)
    assert (moved.revision, moved.valid_from) == (2, datetime(2026, 7, 16, 22, tzinfo=UTC))


def test_time_in_a_named_zone_stays(house: House, ann: Caller) -> None:
    (fixed,) = keep(
        house, ann, "vacation", "Vacation", Days(date(2026, 7, 17), zone="Asia/Seoul")
    ).facts

    move(house, ann, "Europe/Berlin")

    assert reading.get(house, ann, fixed.memory_id) == fixed


class Interposed:
    """A store in which others write before a transaction, as often as it is told."""

    def __init__(self, store: MemoryStore, writes: Iterable[Callable[[], object]]) -> None:
        self._store = store
        self._writes = iter(writes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def transact(self, entry: Any, frame: Any, decide: Any) -> Any:
        for write in self._writes:
            write()
            break
        return self._store.transact(entry, frame, decide)


def test_time_that_comes_while_what_floats_is_listed_follows_the_new_zone(
    house: House, ann: Caller
) -> None:
    keep(house, ann, "vacation", "Vacation", Days(date(2026, 7, 17)))
    late: list[Memory] = []

    def come() -> None:
        late.extend(keep(house, ann, "vacation", "Vacation", Days(date(2026, 7, 27))).facts)

    move(replace(house, memory=Interposed(house.memory, [come])), ann, "Europe/Berlin")

    moved = reading.get(house, ann, late[0].memory_id)
    assert (moved.revision, moved.valid_from) == (2, datetime(2026, 7, 26, 22, tzinfo=UTC))


@pytest.mark.parametrize("given", [{"locale": "ko"}, {"timezone": "Asia/Seoul"}])
def test_zone_that_another_request_sets_meanwhile_is_not_lost(
    house: House, ann: Caller, given: dict[str, str | None]
) -> None:
    (day,) = keep(house, ann, "vacation", "Vacation", Days(date(2026, 7, 17))).facts
    between = Interposed(house.memory, [partial(move, house, ann, "Europe/Berlin")])
    profile.settle_in(replace(house, memory=between), ann, given=given, around=AROUND)

    moved = reading.get(house, ann, day.memory_id)
    zone = profile.me(house, ann).timezone
    assert zone == given.get("timezone", "Europe/Berlin")
    assert moved.valid_from == datetime(2026, 7, 17, tzinfo=ZoneInfo(zone))


def test_language_that_another_request_sets_meanwhile_is_not_lost(
    house: House, ann: Caller
) -> None:
    korean = partial(profile.settle_in, house, ann, given={"locale": "ko"}, around=AROUND)
    move(replace(house, memory=Interposed(house.memory, [korean])), ann, "Europe/Berlin")

    told = profile.me(house, ann)
    assert (told.timezone, told.locale) == ("Europe/Berlin", "ko")


def test_zone_stays_where_others_never_stop_writing(house: House, ann: Caller) -> None:
    days = (Days(date(2026, 8, day)) for day in range(1, 31))
    writes = (partial(keep, house, ann, "vacation", "Vacation", day) for day in days)

    with pytest.raises(StorageUnavailableError):
        move(replace(house, memory=Interposed(house.memory, writes)), ann, "Europe/Berlin")

    assert profile.me(house, ann).timezone == "Asia/Seoul"
    assert {m.revision for m in reading.listing(house, ann, ListRequest()).items} == {1}


def test_new_conflict_in_the_new_zone_changes_nothing(house: House, ann: Caller) -> None:
    floating = WallClock(datetime.fromisoformat("2026-07-17T10:00"))
    keep(house, ann, "meeting", "floating", floating)
    keep(house, ann, "meeting", "fixed", Instant(datetime(2026, 7, 17, 8, tzinfo=UTC)))
    before = reading.listing(house, ann, ListRequest()).items

    with pytest.raises(VerdictChangedError):
        move(house, ann, "Europe/Berlin")

    assert reading.listing(house, ann, ListRequest()).items == before
    assert profile.me(house, ann).timezone == "Asia/Seoul"


def test_allowed_pair_that_moves_together_stays_allowed(house: House, ann: Caller) -> None:
    keep(house, ann, "vacation", "Vacation", Days(date(2026, 7, 17)))
    asked = keep(
        house, ann, "meeting", "sync", WallClock(datetime.fromisoformat("2026-07-17T10:00"))
    )
    assert asked.pending is not None
    settle.confirm(house, ann, asked.pending.pending_id, "keep_both", AROUND)

    move(house, ann, "Europe/Berlin")

    found = reading.listing(house, ann, ListRequest()).items
    assert {memory.revision for memory in found} == {2}


@pytest.mark.parametrize("fixed_first", [False, True])
def test_what_becomes_the_same_in_the_new_zone_stands_beside_it(
    house: House, ann: Caller, *, fixed_first: bool
) -> None:
    """Ten floating in Berlin is the fixed one's eight UTC, of the same words."""
    whens = [
        WallClock(datetime.fromisoformat("2026-07-17T10:00")),
        Instant(datetime(2026, 7, 17, 8, tzinfo=UTC)),
    ]
    for when in reversed(whens) if fixed_first else whens:
        keep(house, ann, "meeting", "review", when)

    move(house, ann, "Europe/Berlin")

    both = reading.listing(house, ann, ListRequest()).items
    assert {each.valid_from for each in both} == {datetime(2026, 7, 17, 8, tzinfo=UTC)}
    assert len(both) == 2
