"""One transaction on one connection; what can go together goes in one flight.

On PostgreSQL a transaction binds its tenant, role and timeouts to itself, so that a pooled
connection (PgBouncer's too) carries nothing over.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self

from sqlalchemy import Engine, bindparam, text

from moss_memory.adapters.sql_call import FLIGHT_SECONDS, Call, FlightError, Result, Statement
from moss_memory.adapters.sql_engine import SQLITE
from moss_memory.adapters.sql_types import Words

APP_ROLE: Final = "moss_app"
STATEMENT_MS: Final = 1500
LOCK_MS: Final = 500
IDLE_MS: Final = 5000

_WRITE: Final = Statement(
    silent=True,
    sqlite=text("BEGIN IMMEDIATE"),
    postgresql=text("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
)
# One snapshot for every statement of a read, and no way to write.
_READ: Final = Statement(
    silent=True,
    sqlite=text("BEGIN DEFERRED"),
    postgresql=text("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
)
_COMMIT: Final = Call(Statement(text("COMMIT"), silent=True))
# Each statement has one good plan, by index. Left to itself PostgreSQL thinks that one for the very
# values might be cheaper, and spends a quarter of a write's time, a third of a context's, on making
# it; or it finds a young table small, and reads all of it until its statistics are renewed.
_BIND: Final = Statement(
    text(f"""
        SELECT set_config('role', '{APP_ROLE}', true),
               set_config('moss.tenant_id', :tenant_id, true),
               set_config('statement_timeout', '{STATEMENT_MS}', true),
               set_config('lock_timeout', '{LOCK_MS}', true),
               set_config('idle_in_transaction_session_timeout', '{IDLE_MS}', true),
               set_config('plan_cache_mode', 'force_generic_plan', true),
               set_config('enable_seqscan', 'off', true)
    """).bindparams(bindparam("tenant_id", type_=Words)),
    silent=True,
)
_PATIENT: Final = Statement(
    text("SELECT set_config('statement_timeout', :milliseconds, true)").bindparams(
        bindparam("milliseconds", type_=Words)
    )
)


class Session:
    """A transaction of one tenant; leaving it without a commit rolls back."""

    def __init__(
        self,
        engine: Engine,
        tenant_id: str,
        *,
        write: bool,
        prepare: bool,
        passing: Callable[[str], None],
    ) -> None:
        self.engine_name = engine.dialect.name
        self.lost = False
        self.failed: Statement | None = None  # of the flight that raised
        self._passing = passing
        self._seconds = FLIGHT_SECONDS
        self._engine, self._pool = engine, engine.pool
        self._proxy = engine.raw_connection()
        self._driver: Any = self._proxy.driver_connection
        self._prepare = prepare
        self._opening: list[Call] = [Call(_WRITE if write else _READ)]
        if self.engine_name != SQLITE:
            self._opening.append(Call(_BIND, {"tenant_id": tenant_id}))
        self._open = False
        self._ahead: list[Call] = []  # sent, and not asked for yet
        self._flight: Any = None  # that carries them

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _: TracebackType | None,
    ) -> None:
        try:
            self.lost = self.lost or self._flight is not None  # its answers nobody reads
            if self._open and not self.lost:
                self._roll_back()
        finally:  # a pool that is given up, nobody looks into; of itself it rolls nothing back
            if self._open or self.lost or self._pool is not self._engine.pool:
                self._proxy.invalidate()
            self._proxy.close()

    def send(self, *calls: Call) -> None:
        """Let the server begin on the first calls: what is made of them is got ready meanwhile.

        ``run`` returns their results before those of its own.
        """
        self._ahead = list(calls)
        if self.engine_name != SQLITE:
            self._flight = self._departing()
            self._flight.send([*self._opening, *calls], self._passing)

    def run(self, *calls: Call, commit: bool = False) -> list[Result]:
        """Run ``calls`` in one flight, the first with BEGIN before it; COMMIT after if asked."""
        opening = [] if self._open else self._opening
        flight = [*opening, *self._ahead, *calls, *([_COMMIT] if commit else [])]
        self._open, self._ahead = True, []
        sqlite = self.engine_name == SQLITE
        results = [self._execute(call) for call in flight] if sqlite else self._fly(flight)
        self._open = not commit
        return results[len(opening) : len(flight) - commit]

    def take_time(self, seconds: int) -> None:
        """Let this transaction's statements run longer than a request's may: for whole tables."""
        self._seconds = seconds
        if self.engine_name != SQLITE:
            self.run(Call(_PATIENT, {"milliseconds": str(1000 * seconds)}))

    def _departing(self) -> Any:
        line = self._proxy.info.get("line")  # lives as long as the connection
        if line is None:
            from moss_memory.adapters.sql_flight import Line  # noqa: PLC0415 - and psycopg

            line = self._proxy.info["line"] = Line(self._driver, prepare=self._prepare)
        return line.flight(self._seconds)

    def _fly(self, calls: Sequence[Call]) -> list[Result]:
        flight, self._flight = self._flight or self._departing(), None
        try:
            return flight.run(calls[flight.sent :], self._passing)  # type: ignore[no-any-return]
        except FlightError as failed:
            self.failed = calls[failed.index].statement
            raise failed.error from None

    def _execute(self, call: Call) -> Result:
        self._passing("statement")
        compiled = call.statement.on(self.engine_name)
        if call.many is not None:
            many = [compiled.bind(params) for params in call.many]
            return Result([], self._driver.executemany(compiled.text, many).rowcount)
        cursor = self._driver.execute(compiled.text, compiled.bind(call.params or {}))
        rows = cursor.fetchall() if cursor.description is not None else []
        result = Result(compiled.rows(rows), cursor.rowcount)
        cursor.close()
        return result

    def _roll_back(self) -> None:
        with suppress(Exception):  # a connection that cannot even do that is thrown away
            self._driver.execute("ROLLBACK").close()
            self._open = False
