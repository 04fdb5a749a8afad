"""Inserts of one flight as one statement: each part costs a tenth of a statement of its own.

PostgreSQL runs the parts of a WITH in one snapshot and checks keys at its end, so inserts into
different tables may refer to each other. What changes or deletes rows stays a statement.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from moss_memory.adapters.sql_call import Call, Compiled, Ingoing, Statement

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
    params = {
        f"b{number}_{name}": value
        for number, call in enumerate(group)
        for name, value in (call.params or {}).items()
    }
    return Call(_statement(tuple(call.statement for call in group)), params)


@lru_cache(maxsize=256)
def _statement(parts: tuple[Statement, ...]) -> Statement:
    texts: list[str] = []
    ingoing: list[Ingoing] = []
    for number, part in enumerate(parts):
        compiled, offset = part.on("postgresql"), len(ingoing)
        texts.append(f"b{number} AS ({_shifted(compiled.text, offset)})")
        ingoing += [
            (name, f"b{number}_{key}", default, process)
            for name, key, default, process in compiled.ingoing
        ]
    text = f"WITH {', '.join(texts)} SELECT 1"
    return Statement.of(postgresql=Compiled(text, tuple(ingoing), (None,), numbered=True))


def _shifted(text: str, offset: int) -> str:
    return _PLACE.sub(lambda found: f"${int(found[1]) + offset}", text)
