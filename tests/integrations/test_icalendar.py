"""Calendars out and in again, and calendars of other programs in."""

import importlib.util
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from icalendar import Calendar

from moss_memory.core.errors import MossError
from moss_memory.core.placing import place
from moss_memory.core.when import from_json
from moss_memory.integrations.icalendar import Entry, NotACalendarError, from_ics, to_ics

OWNER = "Asia/Seoul"
ZONES = ["Asia/Seoul", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "UTC"]
HORIZON = datetime(2028, 1, 1, tzinfo=UTC)


def memory(when: Mapping[str, Any], **said: Any) -> dict[str, Any]:
    plain = {
        "memory_id": "019f0000-0000-7000-8000-000000000001",
        "revision": 1,
        "memory_type": "event",
        "predicate": "meeting",
        "object_value": "Budget",
        "event_status": "confirmed",
        "transparency": "busy",
        "buffer_before": 0,
        "buffer_after": 0,
        "source_ref": None,
    }
    times = dict.fromkeys(("recorded_at", "created_at", "updated_at"), "2026-07-01T00:00:00.5Z")
    return plain | times | {"when": dict(when)} | said


def again(when: Mapping[str, Any], **said: Any) -> Entry:
    (entry,) = from_ics(to_ics([memory(when, **said)], timezone=OWNER))
    return entry


def windows(when: Any, *, whole_day: bool = False) -> Any:
    placed = place(
        from_json(when), owner_zone=OWNER, default_minutes=60, horizon=HORIZON, whole_day=whole_day
    )
    return placed.windows


def file(*lines: str) -> bytes:
    body = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", *lines, "END:VCALENDAR", ""]
    return "\r\n".join(body).encode()


def event(*lines: str, uid: str = "u-1", title: str = "SUMMARY:Budget") -> list[str]:
    return ["BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20260701T000000Z", title, *lines, "END:VEVENT"]


SAID = [
    {"start": "2026-07-17T01:00:00Z", "end": "2026-07-17T02:30:00Z"},
    {"start": "2026-07-17T01:00:00Z"},
    {"local_start": "2026-07-17T10:00:00", "local_end": "2026-07-17T11:00:00"},
    {"local_start": "2026-07-17T10:00:00", "minutes": 45, "timezone": "Europe/Berlin"},
    {"local_start": "2026-07-17T10:00:00", "timezone": "America/New_York"},
    {"local_start": "2026-11-01T01:30:00", "timezone": "America/New_York", "fold": 1},
    {"date": "2026-07-17"},
    {"date": "2026-07-14", "end_date": "2026-07-19", "timezone": "Europe/Berlin"},
    {"date": "2026-07-17", "rrule": "FREQ=YEARLY"},
    {"date": "2026-07-17", "rrule": "FREQ=DAILY;UNTIL=20260720", "exdates": ["2026-07-18"]},
    {"start": "2026-10-25T00:30:00Z", "end": "2026-10-25T01:00:00Z", "rrule": "FREQ=DAILY;COUNT=3"},
    {
        "local_start": "2026-10-24T10:00:00",
        "minutes": 60,
        "timezone": "Europe/Berlin",
        "rrule": "FREQ=WEEKLY;BYDAY=SA,SU;UNTIL=20261107T100000",
        "exdates": ["2026-10-31T10:00:00"],
        "overrides": {
            "2026-10-25T10:00:00": {"local_start": "2026-10-25T12:00:00", "minutes": 30},
            "2026-11-01T10:00:00": None,
        },
    },
    {
        "local_start": "2026-07-17T10:00:00",
        "local_end": "2026-07-17T11:00:00",
        "rrule": "FREQ=MONTHLY;BYDAY=-1FR;COUNT=4",
        "overrides": {"2026-07-31T10:00:00": {"date": "2026-08-01"}},
    },
]  # fmt: skip


@pytest.mark.parametrize("when", SAID)
def test_time_comes_back_as_it_went(when: dict[str, Any]):
    entry = again(when)

    assert entry.fault is None
    assert windows(entry.facts[0]["when"]) == windows(when)


MIDNIGHT = datetime(2026, 1, 1)  # noqa: DTZ001 - a wall time
MINUTES = st.integers(0, 520 * 1440)


@st.composite
def rules(draw: st.DrawFn, start: datetime) -> str:
    frequency = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]))
    parts = [f"FREQ={frequency}", f"INTERVAL={draw(st.integers(1, 3))}"]
    if frequency == "WEEKLY" and draw(st.booleans()):
        days = draw(st.lists(st.sampled_from(["MO", "TU", "FR", "SU"]), min_size=1, unique=True))
        parts.append(f"BYDAY={','.join(days)}")
    if draw(st.booleans()):
        parts.append(f"COUNT={draw(st.integers(1, 9))}")
    elif draw(st.booleans()):
        parts.append(f"UNTIL={start + timedelta(days=draw(st.integers(0, 400))):%Y%m%dT%H%M%S}")
    return ";".join(parts)


@st.composite
def whens(draw: st.DrawFn) -> dict[str, Any]:
    start = MIDNIGHT + timedelta(minutes=draw(MINUTES))
    length = timedelta(minutes=draw(st.integers(1, 3000)))
    named = draw(st.sampled_from([None, *ZONES]))
    zone = {} if named is None else {"timezone": named}
    kind = draw(st.sampled_from(["instant", "wall", "minutes", "days"]))
    if kind == "instant":
        when = {"start": f"{start.isoformat()}Z", "end": f"{(start + length).isoformat()}Z"}
    elif kind == "wall":
        when = {"local_start": start.isoformat(), "local_end": (start + length).isoformat()} | zone
    elif kind == "minutes":
        minutes = length // timedelta(minutes=1)
        when = {"local_start": start.isoformat(), "minutes": minutes} | zone
    else:
        last = start.date() + timedelta(days=draw(st.integers(1, 9)))
        when = {"date": start.date().isoformat(), "end_date": last.isoformat()} | zone
    return when | (draw(series(start, kind)) if draw(st.booleans()) else {})


@st.composite
def series(draw: st.DrawFn, start: datetime, kind: str) -> dict[str, Any]:
    def spelled(moment: datetime) -> str:
        if kind == "days":
            return moment.date().isoformat()
        return moment.isoformat() + ("Z" if kind == "instant" else "")

    later = st.integers(0, 30).map(lambda days: spelled(start + timedelta(days=days)))

    def moved(day: int) -> dict[str, Any]:
        to = start + timedelta(days=day, hours=3)
        if kind == "days":
            return {"date": spelled(to), "end_date": spelled(to + timedelta(days=1))}
        if kind == "instant":
            return {"start": spelled(to), "end": spelled(to + timedelta(minutes=30))}
        return {"local_start": spelled(to), "minutes": 30}

    elsewhere = st.none() | st.integers(0, 40).map(moved)
    return {
        "rrule": draw(rules(start)),
        "exdates": draw(st.lists(later, max_size=3, unique=True)),
        "overrides": draw(st.dictionaries(later, elsewhere, max_size=2)),
    }


@settings(max_examples=150, deadline=None)
@given(whens())
def test_any_time_comes_back_as_it_went(when: dict[str, Any]):
    try:
        before = windows(when)
    except MossError:
        return  # no occurrence is left, or none within ten years: never stored

    entry = again(when)

    assert entry.fault is None
    assert windows(entry.facts[0]["when"]) == before


@pytest.mark.parametrize(
    "said",
    [
        {"predicate": "vacation", "object_value": "Vacation"},
        {"predicate": "note", "object_value": "Bin; day, \\ really"},
        {"object_value": "회의, 예산: 3분기"},
        {"event_status": "tentative"},
        {"event_status": "cancelled"},
        {"transparency": "free"},
        {"buffer_before": 10, "buffer_after": 15},
    ],
)
def test_event_comes_back_as_it_went(said: dict[str, Any]):
    (fact,) = again(SAID[0], **said).facts
    told = memory(SAID[0], **said)

    for name in ("predicate", "object_value"):
        assert fact[name] == told[name]
    assert fact.get("status", "confirmed") == told["event_status"]
    assert fact.get("transparency", "busy") == told["transparency"]
    assert fact.get("buffer_before", 0) == told["buffer_before"]
    assert fact.get("buffer_after", 0) == told["buffer_after"]


def test_uid_of_another_program_is_kept_on_the_way_out():
    (entry,) = from_ics(file(*event("DTSTART:20260717T010000Z", "DTEND:20260717T020000Z")))
    (fact,) = entry.facts

    assert again(fact["when"] or {}, source_ref=fact["source_ref"]).name == "u-1"


def test_zones_are_described_in_the_file():
    content = to_ics([memory(SAID[3])], timezone=OWNER)

    zones = Calendar.from_ical(content).walk("VTIMEZONE")
    assert [str(zone["TZID"]) for zone in zones] == ["Europe/Berlin"]


def test_what_is_no_event_is_left_out():
    content = to_ics([memory(SAID[0], memory_type="preference")])

    assert Calendar.from_ical(content).walk("VEVENT") == []


def test_repetition_of_an_instant_follows_the_owners_clock():
    when = {"start": "2026-03-01T14:00:00Z", "end": "2026-03-01T15:00:00Z", "rrule": "FREQ=WEEKLY"}

    content = to_ics([memory(when)], timezone="America/New_York")

    assert b"DTSTART;TZID=America/New_York:20260301T090000" in content


@pytest.mark.parametrize(
    ("lines", "when"),
    [
        (
            ["DTSTART;VALUE=DATE:20260717"],
            {"date": "2026-07-17", "end_date": "2026-07-18"},
        ),
        (
            ["DTSTART:20260717T100000", "DURATION:PT90M"],
            {"local_start": "2026-07-17T10:00:00", "minutes": 90},
        ),
        (
            ["DTSTART:20260717T010000Z", "DURATION:PT1H"],
            {"start": "2026-07-17T01:00:00Z", "end": "2026-07-17T02:00:00Z"},
        ),
        (
            ["DTSTART;TZID=Asia/Seoul:20260717T100000", "DTEND;TZID=Asia/Seoul:20260717T110000"],
            {
                "local_start": "2026-07-17T10:00:00",
                "local_end": "2026-07-17T11:00:00",
                "timezone": "Asia/Seoul",
            },
        ),
        (
            [
                "DTSTART;TZID=Europe/Paris:20260717T100000",
                "DTEND;TZID=Europe/London:20260717T100000",
            ],
            {
                "local_start": "2026-07-17T10:00:00",
                "local_end": "2026-07-17T11:00:00",
                "timezone": "Europe/Paris",
            },
        ),
        (
            ["DTSTART:20260717T010000Z", "DTEND:20260717T020000Z", "RRULE:FREQ=DAILY;COUNT=2"],
            {
                "local_start": "2026-07-17T01:00:00",
                "local_end": "2026-07-17T02:00:00",
                "timezone": "UTC",
                "rrule": "FREQ=DAILY;COUNT=2",
            },
        ),
        (
            [
                "DTSTART;TZID=Asia/Seoul:20260717T100000",
                "DURATION:PT1H",
                "RRULE:FREQ=DAILY;COUNT=3",
                "EXDATE:20260718T010000Z",
            ],
            {
                "local_start": "2026-07-17T10:00:00",
                "minutes": 60,
                "timezone": "Asia/Seoul",
                "rrule": "FREQ=DAILY;COUNT=3",
                "exdates": ["2026-07-18T10:00:00"],
            },
        ),
    ],
)  # fmt: skip
def test_time_of_another_program_is_understood(lines: list[str], when: dict[str, Any]):
    (entry,) = from_ics(file(*event(*lines)))

    assert (entry.fault, entry.facts[0]["when"]) == (None, when)


WEEKLY = ["DTSTART:20260717T100000", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;COUNT=3"]


def test_moved_occurrence_belongs_to_its_series():
    moved = event("RECURRENCE-ID:20260724T100000", "DTSTART:20260724T140000", "DURATION:PT1H")

    (entry,) = from_ics(file(*event(*WEEKLY), *moved))

    (fact,) = entry.facts
    assert fact["when"]["overrides"] == {
        "2026-07-24T10:00:00": {"local_start": "2026-07-24T14:00:00", "minutes": 60}
    }


def test_cancelled_occurrence_leaves_the_series():
    gone = event("RECURRENCE-ID:20260724T100000", "STATUS:CANCELLED", "DTSTART:20260724T100000")

    (entry,) = from_ics(file(*event(*WEEKLY), *gone))

    assert entry.facts[0]["when"]["overrides"] == {"2026-07-24T10:00:00": None}


def test_renamed_occurrence_is_a_fact_of_its_own():
    other = event(
        "RECURRENCE-ID:20260724T100000",
        "DTSTART:20260724T100000",
        "DURATION:PT1H",
        title="SUMMARY:Budget, with Kim",
    )

    (entry,) = from_ics(file(*event(*WEEKLY), *other))

    assert [fact["object_value"] for fact in entry.facts] == ["Budget", "Budget, with Kim"]
    assert entry.facts[0]["when"]["overrides"] == {"2026-07-24T10:00:00": None}


def test_further_dates_are_facts_of_their_own():
    lines = ["DTSTART:20260717T010000Z", "DTEND:20260717T020000Z", "RDATE:20260720T050000Z"]

    (entry,) = from_ics(file(*event(*lines)))

    assert [fact["when"]["start"] for fact in entry.facts] == [
        "2026-07-17T01:00:00Z",
        "2026-07-20T05:00:00Z",
    ]


@pytest.mark.parametrize(
    ("lines", "predicate"),
    [
        (["SUMMARY:Standup", "DTSTART:20260717T100000", "DURATION:PT1H"], "meeting"),
        (["SUMMARY:Ann's birthday", "DTSTART;VALUE=DATE:20260717"], "note"),
        (["SUMMARY:Vacation", "DTSTART;VALUE=DATE:20260717"], "vacation"),
        (["SUMMARY:휴가", "DTSTART;VALUE=DATE:20260717"], "vacation"),
        (["SUMMARY:Jeju", "CATEGORIES:VACATION", "DTSTART;VALUE=DATE:20260717"], "vacation"),
    ],
)
def test_kind_of_an_event_is_read_off_it(lines: list[str], predicate: str):
    title, *rest = lines

    (entry,) = from_ics(file(*event(*rest, title=title)))

    assert entry.facts[0]["predicate"] == predicate


@pytest.mark.parametrize(
    "lines",
    [
        ["DTSTART:20260717T100000"],
        ["DTEND:20260717T100000"],
        ["DTSTART;VALUE=DATE:20260717", "DTEND:20260717T100000Z"],
        ["DTSTART:20260717T100000", "DURATION:PT1H", "RRULE:FREQ=HOURLY"],
        ["DTSTART:20260717T100000", "DURATION:PT1H", "RRULE:FREQ=DAILY", "RRULE:FREQ=YEARLY"],
        ["DTSTART:20260717T100000", "DTEND:20260717T090000"],
        ["DTSTART:20260717T100000", "DTEND:20260717T110000Z"],
        ["DTSTART:2026071T100000", "DURATION:PT1H"],
    ],
)
def test_event_that_no_fact_can_say_has_a_fault(lines: list[str]):
    (entry,) = from_ics(file(*event(*lines)))

    assert entry.fault
    assert entry.facts == ()


def test_event_without_a_title_has_a_fault():
    lines = ["DTSTART:20260717T010000Z", "DTEND:20260717T020000Z"]

    (entry,) = from_ics(file(*event(*lines, title="SUMMARY:")))

    assert entry.fault


def test_what_a_memory_has_no_place_for_is_named():
    lines = ["DTSTART:20260717T010000Z", "DTEND:20260717T020000Z", "LOCATION:Room 3"]

    (entry,) = from_ics(file(*event(*lines)))

    assert entry.left_out == ("LOCATION",)


@pytest.mark.parametrize("content", [b"", b"hello", b"BEGIN:VCALENDAR\r\n", b"\xff\xfe"])
def test_what_is_no_calendar_is_refused(content: bytes):
    with pytest.raises(NotACalendarError):
        from_ics(content)


def samples() -> list[Path]:
    """Files that other programs wrote, as the icalendar package collects them for its own tests."""
    found = importlib.util.find_spec("icalendar")
    assert found is not None
    assert found.origin is not None
    folder = Path(found.origin).parent / "tests" / "calendars"
    return sorted(folder.glob("*.ics"))


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.stem)
def test_file_of_another_program_is_read_or_refused_and_never_half(path: Path):
    try:
        entries = from_ics(path.read_bytes())
    except NotACalendarError:
        return

    for entry in entries:
        assert bool(entry.facts) != bool(entry.fault)
        for fact in entry.facts:
            assert from_json(fact["when"] or {})
