"""Strict JSON: no key twice, no unknown key, no number that is none, each value of its type."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from moss_memory.core.errors import ModelBadOutputError, TextRefusedError, TextTooLongError
from moss_memory.core.text import clean_text

MAX_REPLY: Final = 65_536  # characters; ten full facts need a tenth of it


def refuse(reason: str) -> NoReturn:
    """Refuse a reply for a reason that is a code of ours.

    Raises:
        ModelBadOutputError: always, with ``reason`` as its member.
    """
    raise ModelBadOutputError(reason=reason)


def strict_object(text: str) -> "Fields":
    """Read the one JSON object that ``text`` is; raises as ``refuse``."""
    if len(text) > MAX_REPLY:
        refuse("too_long")
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError):
        refuse("not_json")
    return fields(value)


def fields(value: object) -> "Fields":
    """Take a JSON value as an object."""
    if not isinstance(value, dict):
        refuse("wrong_type")
    return Fields(value)


@dataclass(frozen=True, slots=True)
class Fields:
    """A JSON object whose values are asked for by type; every reader raises as ``refuse``.

    An absent key is null: a server without a grammar leaves out what has nothing to say.
    """

    values: Mapping[str, Any]

    def only(self, *names: str) -> "Fields":
        """Refuse any key that is none of ``names``."""
        if not self.values.keys() <= set(names):
            refuse("unknown_key")
        return self

    def text(self, name: str, cap: int) -> str | None:
        """Return a text as it may be stored, at most ``cap`` characters; None where null."""
        value = self.values.get(name)
        return None if value is None else clean(value, cap)

    def words(self, name: str, most: int, cap: int) -> tuple[str, ...]:
        """Return a list of at most ``most`` texts."""
        return tuple(clean(value, cap) for value in self.items(name, most, "too_many_words"))

    def items(self, name: str, most: int, too_many: str) -> Sequence[Any]:
        """Return a list of at most ``most`` values, empty where null."""
        value = self.values.get(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            refuse("wrong_type")
        if len(value) > most:
            refuse(too_many)
        return value

    def one_of(self, name: str, allowed: Collection[Any], reason: str) -> Any:
        """Return a value of a closed list, to the byte."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, str):
            refuse("wrong_type")
        if value not in allowed:
            refuse(reason)
        return value

    def inner(self, name: str) -> "Fields | None":
        """Return an object, None where null."""
        value = self.values.get(name)
        return None if value is None else fields(value)

    def flag(self, name: str) -> bool:
        """Return true or false, false where null."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, bool):
            refuse("wrong_type")
        return bool(value)


def clean(value: object, cap: int) -> str:
    """Return one text as it may be stored; raises as ``refuse``."""
    if not isinstance(value, str):
        refuse("wrong_type")
    try:
        return clean_text(value, cap=cap, field="reply")
    except (TextRefusedError, TextTooLongError):
        refuse("text")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        refuse("duplicate_key")
    return dict(pairs)


def _no_number(_name: str) -> NoReturn:
    refuse("not_json")
