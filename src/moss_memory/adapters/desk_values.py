"""Desk values as JSON and back, whole: pendings, sessions, reference facts.

What is written follows from the types alone, so a field added to a fact travels without a word
here. ``SCHEMA`` is a digest of those types: a value of another release is told by it, and absent.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from functools import cache
from hashlib import sha256
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from moss_memory.flow.ports import Pending, ReferenceFacts, Session

Value = TypeVar("Value", Pending, Session, ReferenceFacts)
Read = Callable[[Any], Any]


def dump(value: Pending | Session | ReferenceFacts) -> str:
    """Spell a value as compact JSON; instants keep their offset and their microseconds."""
    return json.dumps(value, default=_spell, ensure_ascii=False, separators=(",", ":"))


def load(kind: type[Value], spelled: str) -> Value:
    """Read what ``dump`` wrote for ``kind``; tuples are tuples again, free mappings plain JSON.

    Raises:
        ValueError: the text is not JSON, or not such a value.
    """
    hint: Any = kind
    try:
        read: Value = _reader(hint)(json.loads(spelled))
    except (KeyError, TypeError, AttributeError, RecursionError) as exc:
        raise ValueError(f"not a {kind.__name__}") from exc
    return read


def _spell(value: Any) -> Any:
    """Spell what JSON has no word for; a dataclass names its type under ``@``."""
    if is_dataclass(value):
        named = {field.name: getattr(value, field.name) for field in fields(value)}
        return {"@": type(value).__name__} | named
    if isinstance(value, date):  # a datetime too
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a desk value holds a {type(value).__name__}")


@cache
def _reader(hint: Any) -> Read:
    """Make the function that reads a value of one type back."""
    origin = get_origin(hint)
    if isinstance(hint, type) and is_dataclass(hint):
        return _dataclass_reader(hint)
    if origin in (Union, UnionType):
        return _union_reader(get_args(hint))
    if origin is tuple:
        return _tuple_reader(get_args(hint))
    if hint in (datetime, date):
        return _iso_reader(hint)
    return _as_is


def _as_is(spelled: Any) -> Any:
    return spelled


def _iso_reader(kind: type[date]) -> Read:
    """Read ISO 8601, as ``isoformat`` of that type writes it."""
    return kind.fromisoformat


def _dataclass_reader(kind: type) -> Read:
    readers: list[tuple[str, Read]] = []

    def read(spelled: Any) -> Any:
        if not readers:  # made at first use: a When holds a Series, which holds Whens
            readers.extend((name, _reader(hint)) for name, hint in _hints(kind))
        return kind(**{name: reader(spelled[name]) for name, reader in readers})

    return read


def _union_reader(members: tuple[Any, ...]) -> Read:
    kinds = {
        kind.__name__: kind for kind in members if isinstance(kind, type) and is_dataclass(kind)
    }
    rest = [member for member in members if not is_dataclass(member) and member is not NoneType]

    def read(spelled: Any) -> Any:
        if spelled is None:
            return None
        if kinds:
            return _reader(kinds[spelled["@"]])(spelled)
        if date in rest and "T" not in spelled:
            return date.fromisoformat(spelled)
        return _reader(rest[0])(spelled)

    return read


def _tuple_reader(members: tuple[Any, ...]) -> Read:
    if members[-1] is Ellipsis:
        each = _reader(members[0])
        return lambda spelled: tuple(map(each, spelled))
    readers = tuple(map(_reader, members))
    return lambda spelled: tuple(r(s) for r, s in zip(readers, spelled, strict=True))


def _hints(kind: type) -> tuple[tuple[str, Any], ...]:
    hints = get_type_hints(kind)
    return tuple((field.name, hints[field.name]) for field in fields(kind))


def _types(hint: Any, seen: set[Any]) -> Iterator[str]:
    """Describe a type and, once each, every dataclass that it can hold."""
    if isinstance(hint, type) and is_dataclass(hint):
        if hint not in seen:
            seen.add(hint)
            for name, inner in _hints(hint):
                yield f"{hint.__name__}.{name}: {inner}"
                yield from _types(inner, seen)
    elif get_origin(hint) is not Literal:
        for inner in get_args(hint):
            yield from _types(inner, seen)


def _digest() -> str:
    seen: set[Any] = set()
    lines = [line for kind in (Pending, Session, ReferenceFacts) for line in _types(kind, seen)]
    return sha256("\n".join(sorted(lines)).encode()).hexdigest()[:12]


SCHEMA: Final = _digest()
