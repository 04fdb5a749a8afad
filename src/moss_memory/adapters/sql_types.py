"""Column types that mean the same on both engines; STRICT SQLite knows four of them."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    TEXT,
    BigInteger,
    Boolean,
    Dialect,
    Double,
    LargeBinary,
    Text,
    TypeDecorator,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.types import TypeEngine

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND: Final = timedelta(microseconds=1)


def micros(at: datetime) -> int:
    """Return an aware instant as microseconds since 1970-01-01 UTC.

    Raises:
        ValueError: the instant is naive.
    """
    if at.tzinfo is None:
        raise ValueError("a stored instant needs an offset from UTC")
    return (at - EPOCH) // MICROSECOND


@lru_cache(maxsize=16384)  # of a page of rows, most instants are told more than once
def instant(stored: int) -> datetime:
    """Return stored microseconds as an aware UTC instant."""
    return EPOCH + timedelta(microseconds=stored)


def speller(default: Callable[[Any], Any] | None = None) -> Callable[[object], str]:
    """Return what spells a JSON value in one way only: keys sorted, no spaces, UTF-8 as it is.

    ``default`` says what JSON has no word for. Made once, and of the encoder in C itself:
    ``json`` makes that one anew at every call, which takes longer than a short list does.
    """
    encoder = json.JSONEncoder(
        sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=default
    )
    made = c_make_encoder
    if made is None:  # an interpreter without it
        return encoder.encode
    spell = made(None, encoder.default, encode_basestring, None, ":", ",", True, False, True)
    return lambda value: "".join(spell(value, 0))


canonical: Final = speller()


class Micros(TypeDecorator[datetime]):
    """An instant as UTC microseconds: SQLite drops offsets, and integers compare alike."""

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return BIGINT, or SQLite's INTEGER."""
        kind = sqlite.INTEGER() if dialect.name == "sqlite" else BigInteger()
        return dialect.type_descriptor(kind)

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:  # noqa: ARG002
        """Refuse a naive datetime, store microseconds."""
        return None if value is None else micros(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Return an aware UTC instant."""
        return None if value is None else instant(value)


class Flag(TypeDecorator[bool]):
    """A boolean; 0 or 1 on SQLite."""

    impl = Boolean
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return BOOLEAN, or SQLite's INTEGER."""
        kind = sqlite.INTEGER() if dialect.name == "sqlite" else Boolean()
        return dialect.type_descriptor(kind)

    def process_bind_param(self, value: bool | None, dialect: Dialect) -> Any:  # noqa: FBT001
        """Store what the engine calls a boolean."""
        return int(value) if value is not None and dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> bool | None:  # noqa: ARG002
        """Return a boolean."""
        return None if value is None else bool(value)


class Listed(TypeDecorator[Sequence[str]]):
    """Texts as one parameter: an array, or a JSON array on SQLite."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return TEXT[], or SQLite's TEXT."""
        return sqlite.TEXT() if dialect.name == "sqlite" else ARRAY(TEXT())

    def process_bind_param(self, value: Sequence[str] | None, dialect: Dialect) -> Any:
        """Spell the list as the engine reads it."""
        assert value is not None
        return canonical(list(value)) if dialect.name == "sqlite" else list(value)


def _stored(at: datetime | int | None) -> int | None:
    """Return an instant as stored; a row that was hashed has them so already."""
    return micros(at) if isinstance(at, datetime) else at


@lru_cache(maxsize=16384)  # by itself: a call less for each of a row's eight
def _read(stored: int | None) -> datetime | None:
    return None if stored is None else EPOCH + timedelta(microseconds=stored)


def _truth(stored: int | None) -> bool | None:
    return None if stored is None else bool(stored)


def straight(kind: TypeEngine[Any], engine: str) -> tuple[Any, Any] | None:
    """Return what values of our own types go through on the way in and out, None for other types.

    The same as the decorators do, without SQLAlchemy's layers: a row passes through dozens.
    """
    if isinstance(kind, Micros):
        return _stored, _read
    if isinstance(kind, Flag):  # both drivers bind a bool; SQLite gives back a number
        return None, _truth if engine == "sqlite" else None
    return None


# Bytes order on both engines: ids compare alike, and a prefix is a range of the index.
Words: Final = Text(collation="C").with_variant(sqlite.TEXT(), "sqlite")
Whole: Final = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
Real: Final[TypeEngine[Any]] = Double().with_variant(sqlite.REAL(), "sqlite")
Bytes: Final = LargeBinary().with_variant(sqlite.BLOB(), "sqlite")
