"""VEVENTs of any program as facts to propose.

All events of one UID are one entry: the series, the occurrences moved or renamed, further dates
(RDATE). What cannot be said as a fact makes the entry faulty, with the reason; nothing is guessed.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from icalendar import Calendar, Event
from icalendar.error import GloballyUniqueTZIDGuessed
from icalendar.timezone import tzid_from_dt

from moss_memory.core.errors import MossError
from moss_memory.core.fact import EventStatus
from moss_memory.core.when import RecurrenceId, from_json
from moss_memory.core.zones import zone
from moss_memory.integrations.client_values import FactIn
from moss_memory.integrations.entries import Entry
from moss_memory.integrations.icalendar_write import MADE_HERE
from moss_memory.integrations.icalendar_zones import iana

VACATION_WORDS: Final = frozenset({"vacation", "holiday leave", "annual leave", "휴가", "연차"})
_LEFT_OUT: Final = ("LOCATION", "DESCRIPTION", "ATTENDEE", "ORGANIZER", "URL", "ATTACH", "GEO")
_LONGEST_UID: Final = 480
_STATUS: Final[Mapping[str, EventStatus]] = {"TENTATIVE": "tentative", "CANCELLED": "cancelled"}
_OUTLOOK: Final = "X-MICROSOFT-CDO-BUSYSTATUS"  # what Outlook says besides STATUS and TRANSP
_MINUTE: Final = timedelta(minutes=1)


class NotACalendarError(ValueError):
    """The bytes are no iCalendar file."""


class _Unsaid(Exception):  # noqa: N818 - the reason of a faulty entry, never raised out of here
    """Something that no fact can say."""


def from_ics(
    content: bytes, *, scope_id: str | None = None, predicate: str | None = None
) -> list[Entry]:
    """Read a file into entries, in the order of their first events.

    Args:
        content: the file.
        scope_id: where to; None is the caller's own scope.
        predicate: vacation, meeting or note for all of them. None decides by event: what an
            export of this service says; a title or category "Vacation" ("휴가"); of the rest
            whole days are notes and all others meetings.

    Raises:
        NotACalendarError: it is no iCalendar file, or a broken one.
    """
    grouped: dict[str, list[Event]] = {}
    events = (event for each in _calendars(content) for event in each.walk("VEVENT"))
    for number, event in enumerate(events, 1):
        assert isinstance(event, Event)
        grouped.setdefault(str(event.get("UID") or f"event {number}"), []).append(event)
    return [_entry(uid, events, scope_id, predicate) for uid, events in grouped.items()]


def _calendars(content: bytes) -> list[Any]:
    try:
        with warnings.catch_warnings():  # a vendor's prefix before a zone's name is no surprise
            warnings.simplefilter("ignore", GloballyUniqueTZIDGuessed)
            calendars = Calendar.from_ical(content, multiple=True)
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise NotACalendarError("the file is not iCalendar (RFC 5545)") from error
    if not calendars or any(calendar.name != "VCALENDAR" for calendar in calendars):
        raise NotACalendarError("the file is not iCalendar (RFC 5545)")
    return list(calendars)


def _entry(uid: str, events: Sequence[Event], scope_id: str | None, predicate: str | None) -> Entry:
    title = _title(events[0])
    left_out = tuple(name for name in _LEFT_OUT if any(name in event for event in events))
    if any(event.errors for event in events):
        return Entry(uid, title, fault="an event is malformed", left_out=left_out)
    try:
        facts = tuple(_facts(uid, events, scope_id, predicate))
        for fact in facts:
            from_json(fact["when"] or {})
    except _Unsaid as reason:
        return Entry(uid, title, fault=str(reason), left_out=left_out)
    except MossError as error:
        return Entry(uid, title, fault=f"{error.code}: {error}", left_out=left_out)
    return Entry(uid, title, facts, left_out=left_out)


def _facts(
    uid: str, events: Sequence[Event], scope_id: str | None, predicate: str | None
) -> Iterator[FactIn]:
    """Yield the facts of one UID: the main event, then what stands beside it."""
    main = next((event for event in events if "RECURRENCE-ID" not in event), None)
    moved = [event for event in events if "RECURRENCE-ID" in event]
    if main is None:  # single occurrences, without the series that they are from
        yield from (_fact(uid, event, _when(event), scope_id, predicate) for event in moved)
        return
    when = _when(main)
    beside: list[FactIn] = []
    if "RRULE" in main:
        when |= _series(main)
        overrides: dict[str, Any] = {}
        for event in moved:
            to = None if _word(event, "STATUS") == "CANCELLED" else _when(event)
            if to is not None and _title(event) != _title(main):
                beside.append(_fact(uid, event, to, scope_id, predicate))
                to = None
            overrides[_spelled(_moment(event, "RECURRENCE-ID"), main)] = to
        if overrides:
            when["overrides"] = overrides
    else:
        beside += [_fact(uid, event, _when(event), scope_id, predicate) for event in moved]
    yield _fact(uid, main, when, scope_id, predicate)
    yield from beside
    yield from (_fact(uid, main, each, scope_id, predicate) for each in _further(main))


def _fact(
    uid: str, event: Event, when: dict[str, Any], scope_id: str | None, predicate: str | None
) -> FactIn:
    chosen = predicate or _predicate(event)
    title = _title(event)
    if not title and chosen != "vacation":
        raise _Unsaid("the event has no title")
    fact: FactIn = {
        "domain": "Schedule",
        "subject": "Calendar",
        "predicate": chosen,
        "object_value": "Vacation" if chosen == "vacation" else title,
        "when": when,
        "source_ref": f"{MADE_HERE}{uid[:_LONGEST_UID]}",
    }
    if scope_id is not None:
        fact["scope_id"] = scope_id
    if status := _STATUS.get(_word(event, "STATUS") or _word(event, _OUTLOOK)):
        fact["status"] = status
    if "TRANSPARENT" in (transparency := _word(event, "TRANSP")) or (
        not transparency and _word(event, _OUTLOOK) == "FREE"
    ):
        fact["transparency"] = "free"
    if before := _number(event, "X-MOSS-BUFFER-BEFORE"):
        fact["buffer_before"] = before
    if after := _number(event, "X-MOSS-BUFFER-AFTER"):
        fact["buffer_after"] = after
    return fact


def _predicate(event: Event) -> str:
    told = str(event.get("X-MOSS-PREDICATE") or "").lower()
    if told in {"vacation", "meeting", "note"}:
        return told
    words = {_title(event).lower(), *(str(each).lower() for each in event.categories)}
    if words & VACATION_WORDS:
        return "vacation"
    return "meeting" if isinstance(_moment(event, "DTSTART"), datetime) else "note"


def _when(event: Event) -> dict[str, Any]:
    """Say when one occurrence is, as the contract's ``when``."""
    start = _moment(event, "DTSTART")
    end = _end(event, start)
    if not isinstance(start, datetime):
        when = {"date": start.isoformat(), "end_date": end.isoformat()}
        return when | _given(timezone=str(event.get("X-MOSS-TIMEZONE") or "") or None)
    named = _zone_of(start, event)
    if named == "UTC" and "RRULE" not in event:  # a series goes by the wall clock, in UTC too
        return {"start": _utc(start), "end": _utc(_aware(end))}
    when = {"local_start": _wall(start)} | _given(timezone=named)
    when |= _given(fold=_number(event, "X-MOSS-FOLD"))
    minutes, rest = divmod(
        event.get("DURATION").dt if "DURATION" in event else timedelta(0), _MINUTE
    )
    if minutes and not rest:
        return when | {"minutes": minutes}
    return when | {"local_end": _wall(end)}


def _end(event: Event, start: date) -> Any:
    end = _stated_end(event, start)
    if end == start and not isinstance(start, datetime):  # none, or a program's last day
        end = start + timedelta(days=1)
    if isinstance(end, datetime) != isinstance(start, datetime):
        raise _Unsaid("the event starts on a day and ends at a time, or the other way round")
    if isinstance(start, datetime) and isinstance(end, datetime):
        if (start.tzinfo is None) != (end.tzinfo is None):
            raise _Unsaid("one end of the event floats and the other does not")
        if start.tzinfo is not None and tzid_from_dt(start) != tzid_from_dt(end):
            return end.astimezone(start.tzinfo)
    return end


def _stated_end(event: Event, start: date) -> Any:
    if "DTEND" in event:
        return _moment(event, "DTEND")
    if "DURATION" in event:
        return start + event.get("DURATION").dt
    if isinstance(start, datetime):
        raise _Unsaid("the event has no end: it is a moment, not a time that is taken up")
    return start


def _series(event: Event) -> dict[str, Any]:
    rules = event.get("RRULE")
    if isinstance(rules, list):
        raise _Unsaid("the event has more than one RRULE")
    excluded = [_spelled(moment, event) for moment in _dates(event, "EXDATE")]
    told = {"rrule": rules.to_ical().decode()}
    return told | ({"exdates": excluded} if excluded else {})


def _further(event: Event) -> Iterator[dict[str, Any]]:
    """Yield the times of an event's RDATEs, each as long as the event itself."""
    start = _moment(event, "DTSTART")
    length = _end(event, start) - start
    for moment in _dates(event, "RDATE"):
        first, last = moment if isinstance(moment, tuple) else (moment, moment + length)
        other = Event()
        other.add("DTSTART", first)
        other.add("DTEND", last)
        yield _when(other)


def _dates(event: Event, name: str) -> Iterator[Any]:
    held = event.get(name, [])
    for part in held if isinstance(held, list) else [held]:
        for each in part.dts:
            named = part.params.get("TZID")
            if isinstance(each.dt, tuple):
                first, last = each.dt
                length = last if isinstance(last, timedelta) else last - first
                first = _zoned(first, named)
                yield first, first + length
            else:
                yield _zoned(each.dt, named)


def _moment(event: Event, name: str) -> Any:
    held = event.get(name)
    if held is None or isinstance(held, list):
        raise _Unsaid(f"the event has no {name}, or several")
    if str(held.params.get("RANGE", "")).upper() == "THISANDFUTURE":
        raise _Unsaid("the event changes all occurrences from one on (RANGE)")
    return _zoned(held.dt, held.params.get("TZID"))


def _zoned(moment: Any, named: str | None) -> Any:
    """Put a time into the IANA zone that its TZID means; one without a TZID stays as it is."""
    if named is None or not isinstance(moment, datetime):
        return moment
    found = iana(named, moment)
    if found is not None:
        return moment.replace(tzinfo=found)
    if moment.tzinfo is None:
        raise _Unsaid("a time is in a zone that neither IANA nor the file itself describes")
    return moment


def _spelled(moment: RecurrenceId, main: Event) -> str:
    """Spell an occurrence's start as the main event's own start is spelled."""
    start = _moment(main, "DTSTART")
    if not isinstance(start, datetime):
        day = moment.date() if isinstance(moment, datetime) else moment
        return day.isoformat()
    if not isinstance(moment, datetime):
        return _wall(datetime.combine(moment, start.time()))
    if moment.tzinfo is not None and start.tzinfo is not None:
        moment = moment.astimezone(start.tzinfo)
    return _wall(moment)


def _zone_of(moment: datetime, event: Event) -> str | None:
    """Name the IANA zone of a time; None where it floats."""
    if moment.tzinfo is None:
        return None
    try:
        return zone(tzid_from_dt(moment) or "").key
    except MossError:
        if "RRULE" in event:
            raise _Unsaid("the series is in a time zone that IANA does not have") from None
        return "UTC"  # a single event keeps its instant


def _title(event: Event) -> str:
    return " ".join(str(event.get("SUMMARY") or "").split())


def _word(event: Event, name: str) -> str:
    return str(event.get(name) or "").strip().upper()


def _number(event: Event, name: str) -> int | None:
    text = str(event.get(name) or "")
    return int(text) if text.isdecimal() else None


def _given(**told: Any) -> dict[str, Any]:
    return {name: value for name, value in told.items() if value is not None}


def _wall(moment: datetime) -> str:
    return moment.replace(tzinfo=None, fold=0).isoformat()


def _aware(moment: datetime) -> datetime:
    assert moment.tzinfo is not None
    return moment


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


__all__ = ["Entry", "NotACalendarError", "from_ics"]
