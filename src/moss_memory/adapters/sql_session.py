"""One transaction on one connection; what can go together goes in one flight.

On PostgreSQL a flight is a pipeline: everything is sent, then everything is read. Each
transaction binds its tenant, role and timeouts to itself, so that a pooled connection (PgBouncer's
too) carries nothing over.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

import psycopg
from psycopg.pq import ExecStatus
from sqlalchemy import Engine, bindparam, text

from moss_memory.adapters.sql_call import Call, Row, Statement
from moss_memory.adapters.sql_engine import SQLITE
from moss_memory.adapters.sql_types import Words
from moss_memory.adapters.sql_watch import Watch

APP_ROLE: Final = "moss_app"
STATEMENT_MS: Final = 1500
LOCK_MS: Final = 500
IDLE_MS: Final = 5000

_WRITE: Final = Statement(
    sqlite=text("BEGIN IMMEDIATE"),
    postgresql=text("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
)
# One snapshot for every statement of a read, and no way to write.
_READ: Final = Statement(
    sqlite=text("BEGIN DEFERRED"),
    postgresql=text("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
)
_COMMIT: Final = Call(Statement(text("COMMIT")))
_BIND: Final = Statement(
    text(f"""
        SELECT set_config('role', '{APP_ROLE}', true),
               set_config('moss.tenant_id', :tenant_id, true),
               set_config('statement_timeout', '{STATEMENT_MS}', true),
               set_config('lock_timeout', '{LOCK_MS}', true),
               set_config('idle_in_transaction_session_timeout', '{IDLE_MS}', true)
    """).bindparams(bindparam("tenant_id", type_=Words))
)


@dataclass(slots=True)
class Result:
    """Rows of one call; ``touched`` is how many rows a write met."""

    rows: list[Row]
    touched: int


class Session:
    """A transaction of one tenant; leaving it without a commit rolls back."""

    def __init__(
        self,
        engine: Engine,
        watch: Watch,
        tenant_id: str,
        *,
        write: bool,
        passing: Callable[[str], None],
    ) -> None:
        self.engine_name = engine.dialect.name
        self.lost = False
        self.failed: Statement | None = None  # of the flight that raised
        self._watch = watch
        self._passing = passing
        self._proxy = engine.raw_connection()
        self._driver: Any = self._proxy.driver_connection
        self._opening: list[Call] = [Call(_WRITE if write else _READ)]
        if self.engine_name != SQLITE:
            self._opening.append(Call(_BIND, {"tenant_id": tenant_id}))
        self._open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _: TracebackType | None,
    ) -> None:
        if self._open and not self.lost:
            self._roll_back()
        if self.lost:
            self._proxy.invalidate()
        self._proxy.close()

    def run(self, *calls: Call, commit: bool = False) -> list[Result]:
        """Run ``calls`` in one flight, the first with BEGIN before it; COMMIT after if asked."""
        opening = [] if self._open else self._opening
        self._open = True
        flight = [*opening, *calls, *([_COMMIT] if commit else [])]
        results = self._sequence(flight) if self.engine_name == SQLITE else self._pipeline(flight)
        self._open = not commit
        return results[len(opening) : len(opening) + len(calls)]

    def _sequence(self, calls: Sequence[Call]) -> list[Result]:
        return [self._fetch(call, self._execute(call)) for call in calls]

    def _pipeline(self, calls: Sequence[Call]) -> list[Result]:
        cursors: list[Any] = []
        descriptor = self._driver.fileno()
        self._watch.start(descriptor)
        try:
            with self._driver.pipeline():
                cursors.extend(self._execute(call) for call in calls)
        except psycopg.Error:
            done = sum(_went(cursor) for cursor in cursors)
            self.failed = calls[done].statement if done < len(calls) else None
            raise
        finally:
            self._watch.stop(descriptor)
        return [self._fetch(call, cursor) for call, cursor in zip(calls, cursors, strict=True)]

    def _execute(self, call: Call) -> Any:
        self._passing("statement")
        compiled = call.statement.on(self.engine_name)
        cursor = self._driver.cursor()
        if call.many is not None:
            cursor.executemany(compiled.text, [compiled.bind(params) for params in call.many])
        elif call.params is None and not compiled.ingoing:
            cursor.execute(compiled.text)
        else:
            cursor.execute(compiled.text, compiled.bind(call.params or {}))
        return cursor

    def _fetch(self, call: Call, cursor: Any) -> Result:
        returns_rows = cursor.description is not None and call.many is None
        rows = cursor.fetchall() if returns_rows else []
        result = Result(call.statement.on(self.engine_name).rows(rows), cursor.rowcount)
        cursor.close()
        return result

    def _roll_back(self) -> None:
        with suppress(Exception):  # a connection that cannot even do that is thrown away
            self._driver.execute("ROLLBACK").close()
            return
        self.lost = True


def _went(cursor: Any) -> bool:
    """Tell whether a cursor of a pipeline has its answer."""
    result = cursor.pgresult
    return result is not None and result.status in {ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK}
