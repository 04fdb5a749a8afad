"""Rows and records: a memory as lists tell it, straight from the columns, no object in between."""

from datetime import datetime
from functools import lru_cache
from typing import Any, Final

import orjson
from sqlalchemy import ColumnElement, func, type_coerce

from moss_memory.adapters.sql_call import Row
from moss_memory.adapters.sql_rows import load_windows, writer
from moss_memory.adapters.sql_tables import memory_head, memory_revision, payload
from moss_memory.adapters.sql_types import Micros, Whole, instant
from moss_memory.adapters.sql_when import load_when
from moss_memory.core.interval import Interval
from moss_memory.core.when import to_json
from moss_memory.flow.records import Record

_TENANT: Final = Record._fields.index("tenant_id")
_NAMES: Final = tuple(name for name in Record._fields if name != "tenant_id")
_WHEN, _FROM, _UNTIL, _RECORDED, _ID = map(
    _NAMES.index, ("when", "valid_from", "valid_until", "recorded_at", "memory_id")
)
_WORDS: Final = frozenset({"subject", "object_value", "source_ref"})
_SERIES: Final = '"series":'  # no word holds it: a quote within one is escaped
# What a time is stored as and told as, key by key: all but series, which are rare and large.
_TOLD: Final = {
    "instant": (("start", "start"), ("end", "end")),
    "wall": (
        ("local_start", "start"), ("local_end", "end"), ("minutes", "minutes"),
        ("timezone", "zone"), ("fold", "fold"),
    ),
    "days": (("date", "start"), ("end_date", "end"), ("timezone", "zone")),
}  # fmt: skip


def _column(table: Any, name: str) -> ColumnElement[Any]:
    """Return a column of a record; instants stay the numbers that they are stored as."""
    if name == "principal_id":
        return writer(table)
    found = table.c["time_spec" if name == "when" else name]
    return type_coerce(found, Whole).label(name) if isinstance(found.type, Micros) else found


def _words(name: str) -> ColumnElement[Any]:
    if name == "subject":
        return func.coalesce(memory_revision.c.subject, payload.c.subject).label(name)
    found: ColumnElement[Any] = payload.c[name]
    return found


# In the order of a record, the windows behind it.
HEAD: Final = [_column(memory_head, name) for name in (*_NAMES, "windows")]
REVISION: Final = [
    _words(name) if name in _WORDS else _column(memory_revision, name)
    for name in (*_NAMES, "windows")
]


def record_of(row: Row, tenant_id: str) -> Record:
    """Read a record off a row of ``HEAD`` or ``REVISION``.

    The same row gives the same record, as long as it is remembered: what was read decides it
    whole. A series is read anew: its exceptions are many, and would be held with it.
    """
    when = row[_WHEN]
    anew = when is not None and _SERIES in when
    return _read(row, tenant_id) if anew else _remembered(row, tenant_id)


def forget() -> None:
    """Let go of every row read: after an erasure its words are not to stay in this process."""
    _remembered.cache_clear()


def _read(row: Row, tenant_id: str) -> Record:
    values = [*row]
    del values[-1]
    values[_WHEN] = told_when(values[_WHEN])
    values.insert(_TENANT, tenant_id)
    return Record._make(values)


_remembered: Final = lru_cache(maxsize=4096)(_read)


def place_of(row: Row) -> tuple[datetime, str]:
    """Return where in a list a row of ``HEAD`` or ``REVISION`` stands."""
    return instant(row[_RECORDED]), row[_ID]


def windows_of(row: Row) -> tuple[Interval, ...]:
    """Return the windows of a row of ``HEAD`` or ``REVISION``."""
    if stored := row[-1]:
        return load_windows(stored)
    return (Interval(instant(row[_FROM]), instant(row[_UNTIL])),)


def told_when(stored: str | None) -> dict[str, Any] | None:
    """Spell a stored time as ``core.when.to_json`` does."""
    if stored is None:
        return None
    found = orjson.loads(stored)
    if "series" in found:
        when = load_when(stored)
        return None if when is None else to_json(when)
    told = {name: found[key] for name, key in _TOLD[found["kind"]] if key in found}
    if found["kind"] == "instant":
        for name, at in told.items():
            told[name] = at.removesuffix("+00:00") + "Z"
    return told
