"""A page of a list that is short enough to be read whole: open questions, a memory's history."""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Annotated, Final, TypeVar

from fastapi import Query

from moss_memory.core.errors import InvalidCursorError

T = TypeVar("T")

PAGE: Final = 50
CursorQuery = Annotated[str, Query(max_length=4096)]


def sliced(
    found: Sequence[T], name: Callable[[T], str], *, limit: int, cursor: str | None
) -> tuple[Sequence[T], str | None]:
    """Return at most ``limit`` items behind the one that ``cursor`` names, and the next cursor.

    Raises:
        InvalidCursorError: it was not made here, or what it names is not in the list.
    """
    first = 0
    if cursor is not None:
        last = _unspelled(cursor)
        at = next((number for number, item in enumerate(found) if name(item) == last), None)
        if at is None:
            raise InvalidCursorError
        first = at + 1
    items = found[first : first + limit]
    more = len(found) > first + limit
    return items, _spelled(name(items[-1])) if more else None


def _spelled(word: str) -> str:
    return base64.urlsafe_b64encode(word.encode()).decode().rstrip("=")


def _unspelled(cursor: str) -> str:
    try:
        return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, UnicodeError, ValueError) as error:
        raise InvalidCursorError from error
