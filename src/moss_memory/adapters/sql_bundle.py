"""Inserts of one flight as one statement: each part costs a tenth of a statement of its own.

PostgreSQL runs the parts of a WITH in one snapshot and checks keys at its end, so inserts into
different tables may refer to each other. What changes or deletes rows stays a statement.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from moss_memory.adapters.sql_call import Call, Compiled, Params, Statement

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
    for call in calls:
        adds = call.statement.adds and call.many is None
        if group and not (adds and all(call.statement is not each.statement for each in group)):
            yield group
            group = []
        group.append(call)
        if not adds:
            yield group
            group = []
    if group:
        yield group


def _bundle(group: Sequence[Call]) -> Call:
    statement = _statement(tuple(call.statement for call in group))
    return Call(statement, {_PARTS: [call.params or {} for call in group]})


@dataclass(frozen=True, slots=True)
class _Joined(Compiled):
    """Statements as one; each part binds the parameters of its own call."""

    parts: tuple[Compiled, ...] = ()

    def bind(self, params: Params) -> list[Any]:
        """Return what the driver binds, part by part."""
        return [
            value
            for part, own in zip(self.parts, params[_PARTS], strict=True)
            for value in part.bind(own)
        ]


@lru_cache(maxsize=256)
def _statement(parts: tuple[Statement, ...]) -> Statement:
    texts: list[str] = []
    offset = 0
    for number, part in enumerate(parts):
        compiled = part.on("postgresql")
        texts.append(f"b{number} AS ({_shifted(compiled.text, offset)})")
        offset += len(compiled.ingoing)
    text = f"WITH {', '.join(texts)} SELECT 1"
    compiled_parts = tuple(part.on("postgresql") for part in parts)
    return Statement.of(postgresql=_Joined(text, (), (None,), numbered=True, parts=compiled_parts))


def _shifted(text: str, offset: int) -> str:
    return _PLACE.sub(lambda found: f"${int(found[1]) + offset}", text)
