"""A ``When`` as stored: every field as said, nothing derived, so that it comes back equal."""

from datetime import date, datetime
from functools import lru_cache
from typing import Any

import orjson

from moss_memory.adapters.sql_types import canonical
from moss_memory.core.when import Days, Instant, RecurrenceId, Series, WallClock, When


def dump_when(when: When | None) -> str | None:
    """Spell a time as JSON."""
    return None if when is None else canonical(_spelled(when))


@lru_cache(maxsize=4096)
def load_when(stored: str | None) -> When | None:
    """Read a time back."""
    return None if stored is None else _read(orjson.loads(stored))


def _spelled(when: When) -> dict[str, Any]:
    if isinstance(when, Instant):
        made = {"kind": "instant", "start": when.start.isoformat(), "end": _iso(when.end)}
    elif isinstance(when, Days):
        made = {"kind": "days", "start": when.start.isoformat(), "end": _iso(when.end)}
        made["zone"] = when.zone
    else:
        made = {"kind": "wall", "start": when.start.isoformat(), "end": _iso(when.end)}
        rest: dict[str, Any] = {"minutes": when.minutes, "zone": when.zone, "fold": when.fold}
        made |= rest
    series = {"series": _series(when.series)} if when.series else {}
    return {key: value for key, value in (made | series).items() if value is not None}


def _iso(at: date | None) -> str | None:
    return None if at is None else at.isoformat()


def _series(series: Series) -> dict[str, Any]:
    return {
        "rrule": series.rrule,
        "exdates": [each.isoformat() for each in series.exdates],
        "overrides": [
            [each.isoformat(), None if instead is None else _spelled(instead)]
            for each, instead in series.overrides
        ],
    }


def _read(stored: dict[str, Any]) -> When:
    series = _read_series(stored["series"]) if "series" in stored else None
    if stored["kind"] == "days":
        end = stored.get("end")
        return Days(
            date.fromisoformat(stored["start"]),
            date.fromisoformat(end) if end else None,
            stored.get("zone"),
            series,
        )
    start, end = datetime.fromisoformat(stored["start"]), _moment(stored.get("end"))
    if stored["kind"] == "instant":
        return Instant(start, end, series)
    return WallClock(
        start,
        end,
        minutes=stored.get("minutes"),
        zone=stored.get("zone"),
        fold=stored.get("fold"),
        series=series,
    )


def _moment(stored: str | None) -> datetime | None:
    return None if stored is None else datetime.fromisoformat(stored)


def _read_series(stored: dict[str, Any]) -> Series:
    return Series(
        stored["rrule"],
        tuple(_identity(each) for each in stored["exdates"]),
        tuple(
            (_identity(each), None if instead is None else _read(instead))
            for each, instead in stored["overrides"]
        ),
    )


def _identity(stored: str) -> RecurrenceId:
    return datetime.fromisoformat(stored) if "T" in stored else date.fromisoformat(stored)
