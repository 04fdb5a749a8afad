"""The JSON Schemas of values whose reading is not pydantic's: instants and times."""

from typing import Any, Final

INSTANT_SCHEMA: Final[dict[str, Any]] = {
    "type": "string",
    "format": "date-time",
    "description": "RFC 3339 with an offset; a naive one is 422 `naive_timestamp`.",
}
_SERIES: Final[dict[str, Any]] = {
    "rrule": {"type": "string", "description": "RFC 5545 RRULE, DAILY or coarser."},
    "exdates": {"type": "array", "items": {"type": "string"}},
    "overrides": {
        "type": "object",
        "description": "recurrence id (written like the start) -> another time, null: left out.",
        "additionalProperties": {"type": ["object", "null"]},
    },
}
_ZONE: Final[dict[str, Any]] = {
    "type": "string",
    "description": "An IANA name; without one the time floats with its owner.",
}
_LOCAL: Final[dict[str, Any]] = {
    "type": "string",
    "description": "A wall-clock time without an offset.",
    "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$",
}
_DATE: Final[dict[str, Any]] = {"type": "string", "format": "date"}


def _shape(title: str, required: str, properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": title,
        "type": "object",
        "additionalProperties": False,
        "required": [required],
        "properties": {**properties, **_SERIES},
    }


WHEN_SCHEMA: Final[dict[str, Any]] = {
    "title": "When",
    "oneOf": [
        _shape("Instants", "start", {"start": INSTANT_SCHEMA, "end": INSTANT_SCHEMA}),
        _shape(
            "WallClock",
            "local_start",
            {
                "local_start": _LOCAL,
                "local_end": _LOCAL,
                "minutes": {"type": "integer", "minimum": 1},
                "timezone": _ZONE,
                "fold": {"type": "integer", "enum": [0, 1]},
            },
        ),
        _shape("Days", "date", {"date": _DATE, "end_date": _DATE, "timezone": _ZONE}),
    ],
}
