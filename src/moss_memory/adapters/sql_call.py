"""Core statements compiled once and run on the driver's own connection.

SQLAlchemy's execution layer cannot run inside a psycopg pipeline, and costs more than the
database does; its compiler and its types are what is used here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Dialect,
    TypeDecorator,
    bindparam,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ClauseElement
from sqlalchemy.types import TypeEngine

from moss_memory.adapters.sql_dumps import dump_of, formats_of
from moss_memory.adapters.sql_types import Listed, straight

FLIGHT_SECONDS: Final = 2.5  # nothing answers: the server's own timeouts are all shorter

Params = Mapping[str, Any]
Row = tuple[Any, ...]
Process = Callable[[Any], Any] | None
Ingoing = tuple[str, str, Any, Any]  # name, key of the parameters, default, processor or dump
Outgoing = tuple[int, Callable[[Any], Any]]  # place of a column, processor


class AnyOf(ColumnElement[bool]):
    """``column IN`` a list that is one parameter, so that one compiled statement serves all."""

    inherit_cache = False

    def __init__(self, column: ColumnElement[Any], name: str) -> None:
        self.column = column
        self.listed: BindParameter[Any] = bindparam(name, type_=Listed())


@compiles(AnyOf, "postgresql")
def _any_of(element: AnyOf, compiler: SQLCompiler, **kw: Any) -> str:
    column, listed = compiler.process(element.column, **kw), compiler.process(element.listed, **kw)
    return f"{column} = ANY({listed})"


@compiles(AnyOf, "sqlite")
def _any_of_json(element: AnyOf, compiler: SQLCompiler, **kw: Any) -> str:
    column, listed = compiler.process(element.column, **kw), compiler.process(element.listed, **kw)
    return f"{column} IN (SELECT value FROM json_each({listed}))"


@cache
def _dialect(engine: str) -> Dialect:
    if engine == "sqlite":
        return sqlite.dialect(paramstyle="qmark")  # a name is looked up for each value bound
    from sqlalchemy.dialects.postgresql.psycopg import (  # noqa: PLC0415 - no part of SQLite's start
        dialect,
    )

    # PostgreSQL's own numbering: psycopg would parse a long statement's names anew each time.
    return dialect(paramstyle="numeric_dollar")  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A statement as the driver takes it, with what its values go through on either way.

    ``formats`` are those of PostgreSQL's parameters, None where all are text. Of a ``silent`` one
    nobody reads what it answers, but that it did not fail.
    """

    text: str
    ingoing: tuple[Ingoing, ...] = ()
    outgoing: tuple[Outgoing, ...] = ()
    formats: list[int] | None = None
    silent: bool = False

    def bind(self, params: Params) -> list[Any]:
        """Return what SQLite's driver binds, by place."""
        find = params.get
        return [
            find(key, default) if process is None else process(find(key, default))
            for _, key, default, process in self.ingoing
        ]

    def dumped(self, params: Params) -> list[bytes | None]:
        """Return what PostgreSQL is sent, by place."""
        find = params.get
        return [
            None if (value := find(key, default)) is None else dump(value)
            for _, key, default, dump in self.ingoing
        ]

    def rows(self, fetched: list[Row]) -> list[Row]:
        """Return rows in Python's types."""
        if not self.outgoing:
            return fetched
        return [_processed(row, self.outgoing) for row in fetched]


def _processed(row: Row, places: Sequence[Outgoing]) -> Row:
    """Return a row with the few values changed that need it: most columns are as they came."""
    values = list(row)
    for place, process in places:
        values[place] = process(values[place])
    return tuple(values)


class Statement:
    """A Core statement, or a text of each engine's own, compiled when first run on an engine.

    ``adds`` says that it only inserts one row, so that others like it may join it; ``silent``
    that nobody reads what it answers.
    """

    def __init__(
        self,
        clause: ClauseElement | None = None,
        *,
        adds: bool = False,
        silent: bool = False,
        **by_engine: ClauseElement,
    ) -> None:
        self.adds = adds
        self._silent = silent
        self._clauses = by_engine
        self._clause = clause
        self._compiled: dict[str, Compiled] = {}

    @classmethod
    def of(cls, **compiled: Compiled) -> "Statement":
        """Return a statement that is compiled already."""
        made = cls()
        made._compiled.update(compiled)
        return made

    def on(self, engine: str) -> Compiled:
        """Return the statement for ``sqlite`` or ``postgresql``."""
        found = self._compiled.get(engine)
        if found is None:
            made = _compile(self.clause(engine), _dialect(engine), silent=self._silent)
            found = self._compiled[engine] = made
        return found

    def clause(self, engine: str) -> ClauseElement:
        """Return what is compiled for an engine, as a migration runs it."""
        clause = self._clauses.get(engine, self._clause)
        assert clause is not None
        return clause


def _compile(clause: ClauseElement, dialect: Dialect, *, silent: bool) -> Compiled:
    made = clause.compile(dialect=dialect)
    assert isinstance(made, SQLCompiler)
    binds = {name: bind for bind, name in made.bind_names.items()}
    ordered = [(name, binds[name]) for name in (made.positiontup or binds)]
    ingoing = [(name, bind.key, bind.value, _way_in(bind.type, dialect)) for name, bind in ordered]
    outgoing = [_outgoing(entry.type, dialect) for entry in made._result_columns]  # noqa: SLF001
    return Compiled(
        made.string,
        tuple(ingoing),
        tuple((place, process) for place, process in enumerate(outgoing) if process),
        formats_of([dump for *_, dump in ingoing]) if dialect.name == "postgresql" else None,
        silent,
    )


def _way_in(kind: TypeEngine[Any], dialect: Dialect) -> Any:
    process = _incoming(kind, dialect)
    return dump_of(kind, process) if dialect.name == "postgresql" else process


def _incoming(kind: TypeEngine[Any], dialect: Dialect) -> Process:
    ways = straight(kind, dialect.name)
    return ways[0] if ways else kind._cached_bind_processor(dialect)  # noqa: SLF001


def _outgoing(kind: TypeEngine[Any], dialect: Dialect) -> Process:
    """Return what our own types make of a value; the drivers know all others."""
    if ways := straight(kind, dialect.name):
        return ways[1]  # type: ignore[no-any-return]
    if not isinstance(kind, TypeDecorator):
        return None
    return kind._cached_result_processor(dialect, None)  # noqa: SLF001


@dataclass(slots=True)
class Call:
    """One statement to run: once, or once for each of ``many``."""

    statement: Statement
    params: Params | None = None
    many: Sequence[Params] | None = None


@dataclass(slots=True)
class Result:
    """Rows of one call; ``touched`` is how many rows a write met."""

    rows: list[Row]
    touched: int


class FlightError(Exception):
    """A statement of several failed: ``index`` says which, ``error`` is the driver's."""

    def __init__(self, index: int, error: Exception) -> None:
        super().__init__()
        self.index = index
        self.error = error
