"""Inserts joined into one statement: each row is sent once, each column keeps its own value."""

from typing import Any

from sqlalchemy import Column, MetaData, Table

from moss_memory.adapters.sql_bundle import bundled
from moss_memory.adapters.sql_call import Call
from moss_memory.adapters.sql_types import Bytes, Micros, Whole, Words
from moss_memory.adapters.sql_write import inserting

_HELD = MetaData()
ONE = inserting(Table("one", _HELD, Column("name", Words), Column("size", Whole)))
TWO = inserting(Table("two", _HELD, Column("name", Words), Column("body", Bytes)))
TIMED = inserting(Table("three", _HELD, Column("size", Micros())))
RENAMED = inserting(Table("four", _HELD, Column("name", Words)), name="other")


def sent(*calls: Call) -> tuple[str, list[Any], list[int] | None]:
    (joined,) = bundled(calls, "postgresql")
    made = joined.statement.on("postgresql")
    return made.text, made.dumped(joined.params or {}), made.formats


def test_row_given_to_two_inserts_is_sent_once():
    row = {"name": "a", "size": 1, "body": b"\x00"}
    text, values, formats = sent(Call(ONE, row), Call(TWO, row))
    assert values == [b"a", b"1", b"\x00"]
    assert formats == [0, 0, 1]
    assert text.index("$1") < text.index("$2") < text.rindex("$1") < text.index("$3")


def test_rows_that_are_but_equal_are_sent_apart():
    _, values, _ = sent(Call(ONE, {"name": "a", "size": 1}), Call(TWO, {"name": "a", "body": None}))
    assert values == [b"a", b"1", b"a", None]


def test_key_that_two_columns_read_by_other_types_is_sent_for_each():
    row = {"name": "a", "size": 7}
    _, values, _ = sent(Call(ONE, row), Call(TIMED, row))
    assert values == [b"a", b"7", b"7"]


def test_column_bound_by_another_name_has_that_value():
    row = {"name": "a", "size": 1, "other": "b"}
    _, values, _ = sent(Call(ONE, row), Call(RENAMED, row))
    assert values == [b"a", b"1", b"b"]


def test_statement_is_not_joined_with_itself():
    row = {"name": "a", "size": 1}
    assert len(bundled([Call(ONE, row), Call(ONE, row)], "postgresql")) == 2


def test_nothing_is_joined_on_sqlite():
    calls = [Call(ONE, {"name": "a", "size": 1}), Call(TWO, {"name": "a"})]
    assert bundled(calls, "sqlite") == calls
