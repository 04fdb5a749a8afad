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
from moss_memory.adapters.sql_dumps import formats_of

_ROWS: Final = "rows"
_PLACE: Final = re.compile(r"\$(\d+)")

Asked = tuple[str, Any, Any]  # a row's key, what stands where it lacks it, its dump


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
    """Join calls; those that are given the very same row share what it holds."""
    rows: list[Params] = []
    owners: list[int] = []
    known: dict[int, int] = {}
    for call in group:
        row = call.params or {}
        owner = known.setdefault(id(row), len(rows))
        if owner == len(rows):
            rows.append(row)  # and held, or another row might come by its id
        owners.append(owner)
    statement = _statement(tuple([call.statement for call in group]), tuple(owners))
    return Call(statement, {_ROWS: rows})


@dataclass(frozen=True, slots=True)
class _Joined(Compiled):
    """Statements as one; ``rows_in`` says what each row is asked for."""

    rows_in: tuple[Compiled, ...] = ()

    def dumped(self, params: Params) -> list[bytes | None]:
        """Return what PostgreSQL is sent, row by row."""
        values: list[bytes | None] = []
        for asked, row in zip(self.rows_in, params[_ROWS], strict=True):
            values += asked.dumped(row)
        return values


@lru_cache(maxsize=256)
def _statement(parts: tuple[Statement, ...], owners: tuple[int, ...]) -> Statement:
    """Join statements; ``owners`` says which row each is given."""
    compiled = [part.on("postgresql") for part in parts]
    asked: list[dict[Asked, None]] = [{} for _ in range(max(owners) + 1)]
    for part, owner in zip(compiled, owners, strict=True):
        asked[owner].update(dict.fromkeys(each[1:] for each in part.ingoing))
    order = [(owner, each) for owner, wanted in enumerate(asked) for each in wanted]
    places = {each: place for place, each in enumerate(order, 1)}
    texts = []
    for number, (part, owner) in enumerate(zip(compiled, owners, strict=True)):
        own = [places[owner, each[1:]] for each in part.ingoing]
        texts.append(f"b{number} AS ({_renumbered(part.text, own)})")
    return Statement.of(
        postgresql=_Joined(
            f"WITH {', '.join(texts)} SELECT 1",
            formats=formats_of([each[2] for _, each in order]),
            silent=True,
            rows_in=tuple(Compiled("", tuple(("", *each) for each in row)) for row in asked),
        )
    )


def _renumbered(text: str, places: Sequence[int]) -> str:
    return _PLACE.sub(lambda found: f"${places[int(found[1]) - 1]}", text)
