"""How PostgreSQL is sent a parameter: as text, and bytes as they are.

The type of a bind decides, once for a statement: a write has a hundred of them. What a server
makes of the text is in the statement's casts.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import BigInteger, LargeBinary, Text
from sqlalchemy.types import TypeEngine

from moss_memory.adapters.sql_types import Flag, Listed, Micros, micros

Dump = Callable[[Any], bytes]  # never of None, which is sent as NULL

TEXT: Final = 0  # the wire's two formats
BINARY: Final = 1


def dump_of(kind: TypeEngine[Any], process: Callable[[Any], Any] | None) -> Dump:
    """Return what spells the values of a type; ``process`` is what others go through before."""
    for known, dump in _DUMPS:
        if isinstance(kind, known):
            return dump
    return dumped if process is None else lambda value: dumped(process(value))


def formats_of(dumps: Sequence[Dump]) -> list[int] | None:
    """Return the wire's formats of parameters, None where all are text."""
    formats = [BINARY if dump is bytes else TEXT for dump in dumps]
    return formats if BINARY in formats else None


@lru_cache(maxsize=1024)  # most are a minute, a revision, a span: small and the same
def _whole(value: int) -> bytes:
    return b"%d" % value


def _instant(at: datetime | int) -> bytes:
    return b"%d" % (at if isinstance(at, int) else micros(at))


def dumped(value: Any) -> bytes:
    """Spell a value by its own type."""
    if isinstance(value, bool):
        return b"t" if value else b"f"
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, list):
        return _listed(value)
    return repr(value).encode()


def _listed(texts: Sequence[str]) -> bytes:
    if not texts:
        return b"{}"
    joined = '","'.join(texts)
    if "\\" not in joined and joined.count('"') == 2 * (len(texts) - 1):  # only those just put in
        return f'{{"{joined}"}}'.encode()
    return b"{%s}" % b",".join(_quoted(each) for each in texts)


def _quoted(text: str) -> bytes:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'.encode()


_DUMPS: Final[tuple[tuple[type[TypeEngine[Any]], Dump], ...]] = (
    (Micros, _instant),
    (Flag, {True: b"t", False: b"f"}.__getitem__),
    (Listed, _listed),
    (BigInteger, _whole),
    (Text, str.encode),
    (LargeBinary, bytes),
)
