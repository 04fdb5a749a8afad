"""Inserts of one flight as one statement: each part costs a tenth of a statement of its own.

PostgreSQL runs the parts of a WITH in one snapshot and checks keys at its end, so inserts into
different tables may refer to each other. What changes or deletes rows stays a statement.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from moss_memory.adapters.sql_call import Call, Compiled, Params, Statement
from moss_memory.adapters.sql_dumps import TEXT

_PARTS: Final = "parts"
_PLACE: Final = re.compile(r"\$(\d+)")


def bundled(calls: Sequence[Call], engine: str) -> list[Call]:
    """Return the same work in fewer statements; the order of all others is kept."""
    if engine != "postgresql":
        return list(calls)
    return [_bundle(group) if len(group) > 1 else group[0] for group in _groups(calls)]


def _groups(calls: Sequence[Call]) -> Iterator[list[Call]]:
    """Yield runs of one-row inserts, no statement twice in one, and every other call alone."""
    group: list[Call] = []
    held: set[Statement] = set()
    for call in calls:
        adds = call.statement.adds and call.many is None
        if group and (not adds or call.statement in held):
            yield group
            group, held = [], set()
        if adds:
            group.append(call)
            held.add(call.statement)
        else:
            yield [call]
    if group:
        yield group


def _bundle(group: Sequence[Call]) -> Call:
    statement = _statement(tuple(call.statement for call in group))
    return Call(statement, {_PARTS: [call.params or {} for call in group]})


@dataclass(frozen=True, slots=True)
class _Joined(Compiled):
    """Statements as one; each part binds the parameters of its own call."""

    parts: tuple[Compiled, ...] = ()

    def dumped(self, params: Params) -> list[bytes | None]:
        """Return what PostgreSQL is sent, part by part."""
        values: list[bytes | None] = []
        for part, own in zip(self.parts, params[_PARTS], strict=True):
            values += part.dumped(own)
        return values


@lru_cache(maxsize=256)
def _statement(parts: tuple[Statement, ...]) -> Statement:
    compiled = tuple(part.on("postgresql") for part in parts)
    texts: list[str] = []
    formats: list[int] = []
    for number, part in enumerate(compiled):
        texts.append(f"b{number} AS ({_shifted(part.text, len(formats))})")
        formats += part.formats or [TEXT] * len(part.ingoing)
    text = f"WITH {', '.join(texts)} SELECT 1"
    return Statement.of(postgresql=_Joined(text, formats=formats, parts=compiled))


def _shifted(text: str, offset: int) -> str:
    return _PLACE.sub(lambda found: f"${int(found[1]) + offset}", text)
