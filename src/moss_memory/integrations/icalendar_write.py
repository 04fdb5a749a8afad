"""Memories as VEVENTs, so that any calendar shows what the service knows.

What RFC 5545 has no word for goes along as X-MOSS properties, which other programs keep or drop:
the predicate, the buffers, the zone of whole days, the second pass of a repeated hour.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from icalendar import Event, vRecur, vText

from moss_memory.core import recurrence
from moss_memory.core.when import Days, Instant, RecurrenceId, Series, WallClock, When, from_json
from moss_memory.core.zones import to_utc, zone

MADE_HERE: Final = "icalendar:"  # a source_ref that names the UID of another program
_LENGTH: Final = timedelta(hours=1)  # of a meeting or a note whose end was not said


class Written:
    """The VEVENTs of one memory: itself, and one more for each occurrence that was moved."""

    def __init__(self, memory: Mapping[str, Any], owner_zone: str) -> None:
        """Read a memory that has a ``when``; ``owner_zone`` is that of floating times."""
        self._memory = memory
        self._when = from_json(memory["when"])
        self._owner = zone(owner_zone)

    def events(self) -> list[Event]:
        """Return the components, the series itself first."""
        series = self._when.series
        main = self._event(self._when, series)
        if series is None:
            return [main]
        main.add("RRULE", self._rule(series))
        gone = [*series.exdates, *(moment for moment, to in series.overrides if to is None)]
        for moment in gone:
            main.add("EXDATE", self._moment(moment))
        return [main, *(self._moved(at, to) for at, to in series.overrides if to is not None)]

    def _moved(self, moment: RecurrenceId, to: When) -> Event:
        event = self._event(to, None)
        event.add("RECURRENCE-ID", self._moment(moment))
        return event

    def _event(self, when: When, series: Series | None) -> Event:
        memory, event = self._memory, Event()
        event.add("UID", _uid(memory))
        event.add("DTSTAMP", _instant(memory["recorded_at"]))
        event.add("CREATED", _instant(memory["created_at"]))
        event.add("LAST-MODIFIED", _instant(memory["updated_at"]))
        event.add("SEQUENCE", memory["revision"] - 1)
        event.add("SUMMARY", memory["object_value"])
        event.add("STATUS", memory["event_status"].upper())
        event.add("TRANSP", "TRANSPARENT" if memory["transparency"] == "free" else "OPAQUE")
        event.add("CATEGORIES", [memory["predicate"].upper()])
        event.add("X-MOSS-PREDICATE", vText(memory["predicate"]))
        for buffer in ("buffer_before", "buffer_after"):
            if memory.get(buffer):
                event.add(f"X-MOSS-{buffer.upper().replace('_', '-')}", vText(str(memory[buffer])))
        self._time(event, when, repeats=series is not None)
        return event

    def _time(self, event: Event, when: When, *, repeats: bool) -> None:
        if isinstance(when, Days):
            event.add("DTSTART", when.start)
            event.add("DTEND", when.end or when.start + timedelta(days=1))
            if when.zone is not None:
                event.add("X-MOSS-TIMEZONE", vText(when.zone))
        elif isinstance(when, WallClock):
            self._wall(event, when, repeats=repeats)
        elif repeats:  # an instant repeats in its owner's zone, and lasts exactly as long
            event.add("DTSTART", when.start.astimezone(self._owner))
            event.add("DURATION", (when.end or when.start + _LENGTH) - when.start)
        else:
            event.add("DTSTART", when.start)
            event.add("DTEND", when.end or self._default_end(when.start))

    def _wall(self, event: Event, when: WallClock, *, repeats: bool) -> None:
        if when.fold and not repeats and when.zone is not None:
            start, _ = to_utc(when.start, zone(when.zone), when.fold)  # RFC 5545 has no fold
            event.add("DTSTART", start)
            event.add("DURATION", self._wall_length(when))
            return
        event.add("DTSTART", self._local(when.start, when.zone))
        if when.end is not None:
            event.add("DTEND", self._local(when.end, when.zone))
        else:
            event.add("DURATION", self._wall_length(when))
        if when.fold is not None:
            event.add("X-MOSS-FOLD", vText(str(when.fold)))

    def _wall_length(self, when: WallClock) -> timedelta:
        if when.minutes is not None:
            return timedelta(minutes=when.minutes)
        if when.end is not None:
            return when.end - when.start
        if self._memory["predicate"] == "vacation":
            return _midnight_after(when.start) - when.start
        return _LENGTH

    def _default_end(self, start: datetime) -> datetime:
        if self._memory["predicate"] != "vacation":
            return start + _LENGTH
        return _midnight_after(start.astimezone(self._owner)).astimezone(UTC)

    def _local(self, moment: datetime, named: str | None) -> datetime:
        return moment if named is None else moment.replace(tzinfo=ZoneInfo(named))

    def _moment(self, moment: RecurrenceId) -> RecurrenceId:
        """Spell an occurrence's start like DTSTART."""
        if not isinstance(moment, datetime):
            return moment
        if moment.tzinfo is not None:
            return moment.astimezone(self._owner)
        named = self._when.zone if isinstance(self._when, WallClock) else None
        return self._local(moment, named)

    def _rule(self, series: Series) -> vRecur:
        """Return the rule, its UNTIL of the kind that RFC 5545 wants beside this DTSTART."""
        rule: vRecur = vRecur.from_ical(series.rrule.upper().removeprefix("RRULE:"))
        until = recurrence.parse(series.rrule).until
        if until is not None:
            rule["UNTIL"] = [self._until(until)]
        return rule

    def _until(self, until: date) -> date:
        if isinstance(self._when, Days):
            return until.date() if isinstance(until, datetime) else until
        if not isinstance(until, datetime):  # the whole day counts
            until = datetime(until.year, until.month, until.day, 23, 59, 59)  # noqa: DTZ001
        if until.tzinfo is not None:
            return until.astimezone(UTC)
        if isinstance(self._when, Instant):
            return until.replace(tzinfo=self._owner).astimezone(UTC)
        named = self._when.zone
        return until if named is None else until.replace(tzinfo=zone(named)).astimezone(UTC)


def _uid(memory: Mapping[str, Any]) -> str:
    """Return the UID that the event came with, else the memory's id."""
    named = memory.get("source_ref") or ""
    if named.startswith(MADE_HERE):
        return str(named.removeprefix(MADE_HERE))
    return str(memory["memory_id"])


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC).replace(microsecond=0)


def _midnight_after(moment: datetime) -> datetime:
    return (moment + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
