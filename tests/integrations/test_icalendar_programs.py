"""Files as other programs write them, each in the form that its maker documents.

Outlook and Exchange (MS-OXCICAL: Windows' zone names, X-MICROSOFT-CDO-BUSYSTATUS, a VTIMEZONE that
starts in 1601), Google Calendar (X-WR-TIMEZONE, floating whole days, overrides after their series),
Apple Calendar (overrides before it, TRANSP beside X-APPLE), Thunderbird (a prefix before the zone's
name), Notes (a zone of its own name), and lines folded, in CRLF and in LF. Written for these tests.
"""

from datetime import UTC, datetime
from typing import Any

import pytest

from moss_memory.core.placing import place
from moss_memory.core.when import from_json
from moss_memory.integrations.icalendar import from_ics, to_ics

HORIZON = datetime(2028, 1, 1, tzinfo=UTC)

OUTLOOK_ZONE = """BEGIN:VTIMEZONE
TZID:{name}
BEGIN:STANDARD
DTSTART:16010101T020000
TZOFFSETFROM:-0400
TZOFFSETTO:-0500
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=1SU;BYMONTH=11
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:-0500
TZOFFSETTO:-0400
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=2SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
"""
FIXED_ZONE = """BEGIN:VTIMEZONE
TZID:{name}
BEGIN:STANDARD
DTSTART:16010101T000000
TZOFFSETFROM:+0900
TZOFFSETTO:+0900
END:STANDARD
END:VTIMEZONE
"""


def event(lines: str, uid: str = "040000008200E00074C5B7101A82E008") -> str:
    return f"BEGIN:VEVENT\nUID:{uid}\nDTSTAMP:20260701T000000Z\n{lines.strip()}\nEND:VEVENT\n"


def read(*parts: str, breaks: str = "\r\n", mark: bytes = b"") -> list[Any]:
    body = "BEGIN:VCALENDAR\nPRODID:-//test//EN\nVERSION:2.0\nMETHOD:PUBLISH\n" + "".join(parts)
    return from_ics(mark + f"{body}END:VCALENDAR\n".replace("\n", breaks).encode())


def fact(*parts: str) -> Any:
    """The one fact of a file."""
    (entry,) = read(*parts)
    assert entry.fault is None
    (told,) = entry.facts
    return told


def weekly(zone: str) -> str:
    return event(
        f"SUMMARY:Standup\nDTSTART;TZID={zone}:20261030T100000\n"
        f"DTEND;TZID={zone}:20261030T103000\nRRULE:FREQ=WEEKLY;COUNT=3"
    )


def starts(when: Any) -> list[str]:
    placed = place(from_json(when), owner_zone="UTC", default_minutes=60, horizon=HORIZON)
    return [f"{window.start.astimezone(UTC):%m-%dT%H:%M}" for window in placed.windows]


EAST = ["10-30T14:00", "11-06T15:00", "11-13T15:00"]  # daylight saving ends between the first two
SEOUL = ["10-30T01:00", "11-06T01:00", "11-13T01:00"]


@pytest.mark.parametrize(
    ("file", "zone", "expected"),
    [
        ((OUTLOOK_ZONE.format(name="Eastern Standard Time"), weekly("Eastern Standard Time")),
         "America/New_York", EAST),
        ((weekly("Eastern Standard Time"),), "America/New_York", EAST),
        ((FIXED_ZONE.format(name="Korea Standard Time"), weekly("Korea Standard Time")),
         "Asia/Seoul", SEOUL),
        ((weekly("Korea Standard Time"),), "Asia/Seoul", SEOUL),
        ((OUTLOOK_ZONE.format(name="Customized Time Zone"), weekly("Customized Time Zone")),
         "America/New_York", EAST),
        ((FIXED_ZONE.format(name="(UTC+09:00) Seoul"), weekly('"(UTC+09:00) Seoul"')),
         "Etc/GMT-9", SEOUL),
        ((FIXED_ZONE.format(name="Korea"), weekly("Korea")), "Etc/GMT-9", SEOUL),
        ((weekly("/mozilla.org/20050126_1/America/New_York"),), "America/New_York", EAST),
        ((weekly("/freeassociation.sourceforge.net/America/New_York"),), "America/New_York", EAST),
        ((weekly("America/New_York"),), "America/New_York", EAST),
    ],
    ids=["Outlook", "Outlook undescribed", "Outlook Korea", "Korea undescribed", "Customized",
         "Exchange display name", "Notes", "Thunderbird", "Evolution", "Google"],
)  # fmt: skip
def test_series_keeps_the_clock_of_its_zone(
    file: tuple[str, ...], zone: str, expected: list[str]
) -> None:
    when = fact(*file)["when"]

    assert when["timezone"] == zone
    assert starts(when) == expected


def test_zone_that_nobody_describes_is_a_fault_and_not_taken_for_floating() -> None:
    (entry,) = read(weekly("Site Local"))

    assert "zone" in (entry.fault or "")
    assert entry.facts == ()


def test_described_zone_that_keeps_no_known_rule_keeps_the_instant_of_a_single_event() -> None:
    odd = FIXED_ZONE.format(name="Sun").replace("+0900", "+0907")
    single = "SUMMARY:Noon\nDTSTART;TZID=Sun:20270717T120000\nDURATION:PT1H"

    assert fact(odd, event(single))["when"] == {
        "start": "2027-07-17T02:53:00Z", "end": "2027-07-17T03:53:00Z",
    }  # fmt: skip


MOVED = event(
    "SUMMARY:Standup\nRECURRENCE-ID;TZID=Korea Standard Time:20261106T100000\n"
    "DTSTART;TZID=Korea Standard Time:20261106T150000\n"
    "DTEND;TZID=Korea Standard Time:20261106T153000"
)
SERIES = weekly("Korea Standard Time").replace(
    "RRULE", "EXDATE;TZID=Korea Standard Time:20261113T100000\nRRULE"
)


@pytest.mark.parametrize("order", [(SERIES, MOVED), (MOVED, SERIES)], ids=["Google", "Apple"])
def test_moved_occurrence_is_found_on_either_side_of_its_series(order: tuple[str, str]) -> None:
    when = fact(FIXED_ZONE.format(name="Korea Standard Time"), *order)["when"]

    assert when["exdates"] == ["2026-11-13T10:00:00"]
    assert starts(when) == ["10-30T01:00", "11-06T06:00"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("TRANSP:TRANSPARENT\nX-MICROSOFT-CDO-BUSYSTATUS:FREE", {"transparency": "free"}),
        ("X-MICROSOFT-CDO-BUSYSTATUS:FREE", {"transparency": "free"}),
        ("TRANSP:OPAQUE\nX-MICROSOFT-CDO-BUSYSTATUS:FREE", {}),
        ("X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE", {"status": "tentative"}),
        ("STATUS:CONFIRMED\nX-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE", {}),
        ("X-MICROSOFT-CDO-BUSYSTATUS:OOF", {}),
        ("STATUS:CANCELLED", {"status": "cancelled"}),
    ],
)
def test_what_outlook_says_of_being_busy_is_understood(
    lines: str, expected: dict[str, str]
) -> None:
    times = "SUMMARY:Talk\nDTSTART:20270717T100000Z\nDTEND:20270717T110000Z\n"
    told = fact(event(times + lines))

    assert {name: told[name] for name in ("status", "transparency") if name in told} == expected


@pytest.mark.parametrize(
    ("lines", "when"),
    [
        ("DTSTART;VALUE=DATE:20270717\nDTEND;VALUE=DATE:20270717",
         {"date": "2027-07-17", "end_date": "2027-07-18"}),
        ("DTSTART;VALUE=DATE:20270717\nDURATION:P2D",
         {"date": "2027-07-17", "end_date": "2027-07-19"}),
        ("DTSTART:20270717T100000\nDTEND:20270717T110000",
         {"local_start": "2027-07-17T10:00:00", "local_end": "2027-07-17T11:00:00"}),
        ("DTSTART:20270717T100000Z\nDURATION:P1W",
         {"start": "2027-07-17T10:00:00Z", "end": "2027-07-24T10:00:00Z"}),
    ],
)  # fmt: skip
def test_end_is_read_as_its_program_meant_it(lines: str, when: dict[str, str]) -> None:
    assert fact(event(f"SUMMARY:Trip\n{lines}"))["when"] == when


FOLDED = event(
    "SUMMARY:분기 예산\n  검토\\, 그리고\\n다음 회의\nDTSTART:20270717T100000Z\nDURATION:PT1H"
)


@pytest.mark.parametrize("breaks", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", [b"", "\ufeff".encode()], ids=["plain", "byte order mark"])
def test_folded_title_is_one_line(breaks: str, mark: bytes) -> None:
    (entry,) = read(FOLDED, breaks=breaks, mark=mark)

    assert [each["object_value"] for each in entry.facts] == ["분기 예산 검토, 그리고 다음 회의"]


def test_events_without_a_uid_are_entries_of_their_own_over_several_calendars() -> None:
    plain = FOLDED.replace("UID:040000008200E00074C5B7101A82E008\n", "")
    body = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n{plain}END:VCALENDAR\n"

    entries = from_ics((body * 2).replace("\n", "\r\n").encode())

    assert [len(entry.facts) for entry in entries] == [1, 1]


def test_series_of_outlook_goes_out_and_comes_back() -> None:
    told = fact(FIXED_ZONE.format(name="Korea Standard Time"), SERIES, MOVED)
    memory = dict.fromkeys(("recorded_at", "created_at", "updated_at"), "2026-07-01T00:00:00Z")
    memory |= {"memory_id": "m", "revision": 1, "memory_type": "event", "event_status": "confirmed"}
    memory |= {"transparency": "busy", "buffer_before": 0, "buffer_after": 0, **told}

    (entry,) = from_ics(to_ics([memory], timezone="Europe/Berlin"))

    assert starts(entry.facts[0]["when"]) == starts(told["when"])
    assert entry.name == "040000008200E00074C5B7101A82E008"
