"""JSON as this service reads it: RFC 8259, UTF-8, one meaning for every body, or a refusal.

Python's own reader takes more than the standard (NaN, duplicate keys, lone surrogates) and
FastAPI's answers some of it with a 500. Every oddity that two parsers might read differently
is refused here, before anything looks at the content.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from moss_memory.core.errors import MossError

MAX_DEPTH: Final = 16
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")  # NUL, and halves of surrogate pairs
_INT_DIGITS: Final = 19  # no field holds more; CPython refuses to read 4,301 digits at all


class MalformedBodyError(MossError):
    """The body is not JSON that this service reads."""

    code = "malformed_body"


def parse(body: bytes) -> Any:
    """Return the JSON value of ``body``.

    A number that no field could hold becomes an infinite float, which no schema admits.

    Raises:
        MalformedBodyError: not UTF-8 JSON, a byte order mark, a duplicate key, NaN or Infinity,
            a NUL or a lone surrogate in a string, deeper than ``MAX_DEPTH``.
    """
    try:
        text = body.decode("utf-8")  # never by json itself, which would detect UTF-16 and -32
        value = _READER.decode(text)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise MalformedBodyError from error
    if not _is_harmless(text):
        for depth, found in _walk(value):
            if depth > MAX_DEPTH or _UNSTORABLE.search(found):
                raise MalformedBodyError
    return value


def _is_harmless(text: str) -> bool:
    """Say whether JSON cannot be too deep, and has no escape that could spell the unstorable."""
    return "\\u" not in text and text.count("{") + text.count("[") <= MAX_DEPTH


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise MalformedBodyError
    return read


def _refuse(_constant: str) -> NoReturn:
    raise MalformedBodyError


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _INT_DIGITS else float(digits)


def _walk(value: Any) -> Iterator[tuple[int, str]]:
    """Yield every key and string with its depth, and every container with an empty text."""
    stack = [(0, value)]
    while stack:
        depth, item = stack.pop()
        match item:
            case str():
                yield depth, item
            case dict():
                yield depth + 1, "".join(item)
                stack.extend((depth + 1, held) for held in item.values())
            case list():
                yield depth + 1, ""
                stack.extend((depth + 1, held) for held in item)
            case _:
                pass


_READER: Final = json.JSONDecoder(
    object_pairs_hook=_distinct, parse_constant=_refuse, parse_int=_integer
)
