"""Calendars: ``to_ics`` writes what the service knows, ``from_ics`` reads what others wrote."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from icalendar import Calendar

from moss_memory.integrations.icalendar_read import Entry, NotACalendarError, from_ics
from moss_memory.integrations.icalendar_write import Written

__all__ = ["MEDIA_TYPE", "Entry", "NotACalendarError", "from_ics", "to_ics"]

MEDIA_TYPE: Final = "text/calendar; charset=utf-8"


def to_ics(
    memories: Iterable[Mapping[str, Any]], *, timezone: str = "UTC", name: str = "moss-memory"
) -> bytes:
    """Return an iCalendar file (RFC 5545) of the events among ``memories``, zones included.

    Args:
        memories: as the HTTP contract shows them; what is no event is left out.
        timezone: the owner's IANA zone, in which an instant repeats; floating times stay floating.
        name: what a calendar program calls it.

    Raises:
        UnknownZoneError: there is no such zone.
    """
    calendar = Calendar()
    calendar.add("PRODID", "-//moss-memory//EN")
    calendar.add("VERSION", "2.0")
    calendar.add("CALSCALE", "GREGORIAN")
    calendar.add("METHOD", "PUBLISH")
    calendar.add("X-WR-CALNAME", name)
    for memory in memories:
        if memory["memory_type"] == "event" and memory["when"] is not None:
            for event in Written(memory, timezone).events():
                calendar.add_component(event)
    calendar.add_missing_timezones()
    return bytes(calendar.to_ical())
