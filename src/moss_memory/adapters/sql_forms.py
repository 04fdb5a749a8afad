"""In what form rows of memories are read: as memories, or as records for who only tells them on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import ColumnElement

from moss_memory.adapters import sql_records, sql_rows
from moss_memory.adapters.sql_call import Row
from moss_memory.core.fact import Memory
from moss_memory.core.interval import Interval
from moss_memory.flow.records import Record

T = TypeVar("T")
Cursor = tuple[datetime, str]


@dataclass(frozen=True, slots=True, eq=False)
class Form(Generic[T]):
    """Which columns are asked for, and what is made of their rows.

    ``head`` are of ``memory_head``, ``revision`` of ``memory_revision`` with its words; the other
    three read a row of either, ``read`` with the tenant, ``place`` as a list is ordered.
    """

    head: Sequence[ColumnElement[Any]]
    revision: Sequence[ColumnElement[Any]]
    read: Callable[[Row, str], T]
    windows: Callable[[Row], tuple[Interval, ...]]
    place: Callable[[Row], Cursor]


MEMORIES: Final[Form[Memory]] = Form(
    sql_rows.HEAD,
    sql_rows.REVISION,
    sql_rows.memory_of,
    sql_rows.windows_of,
    sql_rows.place_of,
)
RECORDS: Final[Form[Record]] = Form(
    sql_records.HEAD,
    sql_records.REVISION,
    sql_records.record_of,
    sql_records.windows_of,
    sql_records.place_of,
)
