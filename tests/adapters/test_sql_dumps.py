"""What PostgreSQL is sent of a value, by the type of its bind."""

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import String
from sqlalchemy.types import NullType, TypeEngine

from moss_memory.adapters.sql_dumps import dump_of, formats_of
from moss_memory.adapters.sql_types import Bytes, Flag, Listed, Micros, Real, Whole, Words

AT = datetime(1970, 1, 1, 0, 0, 1, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "value", "spelled"),
    [
        (Words, "회의", "회의".encode()),
        (String(), "a", b"a"),
        (Whole, 7, b"7"),
        (Whole, -(2**62), b"-4611686018427387904"),
        (Real, 0.1, b"0.1"),
        (Real, 1.0, b"1.0"),
        (Flag(), True, b"t"),
        (Flag(), False, b"f"),
        (Bytes, b"\x00\xff", b"\x00\xff"),
        (Micros(), AT, b"1000005"),
        (Micros(), 1000005, b"1000005"),
        (Listed(), ["a", 'b"'], b'{"a","b\\""}'),
        (Listed(), [], b"{}"),
        (NullType(), ["a"], b'{"a"}'),
        (NullType(), True, b"t"),
    ],
)
def test_value_is_spelled(kind: TypeEngine[Any], value: object, spelled: bytes):
    assert dump_of(kind, None)(value) == spelled


def test_value_goes_through_what_its_type_asks_for_before():
    assert dump_of(NullType(), str.upper)("a") == b"A"


def test_instant_without_an_offset_is_refused():
    with pytest.raises(ValueError, match="offset"):
        dump_of(Micros(), None)(AT.replace(tzinfo=None))


def test_bytes_alone_are_sent_as_they_are():
    words, octets = dump_of(Words, None), dump_of(Bytes, None)
    assert (formats_of([words, octets]), formats_of([words])) == ([0, 1], None)
