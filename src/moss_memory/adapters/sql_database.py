"""A database to work on: sessions of a tenant, reads that heal, one writer at a time on SQLite."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from sqlalchemy import Engine

from moss_memory.adapters.sql_call import Call, Row
from moss_memory.adapters.sql_engine import BUSY_MS, SQLITE, connect
from moss_memory.adapters.sql_faults import Fault, fault_of
from moss_memory.adapters.sql_guess import Standings
from moss_memory.adapters.sql_open import RESERVE
from moss_memory.adapters.sql_retry import running
from moss_memory.adapters.sql_session import Session
from moss_memory.core.errors import IdempotencyInProgressError, StorageUnavailableError

T = TypeVar("T")


class _Sorting(Session):
    """A session that knows what went wrong, and gives back its ``turn`` to write when it is left.

    It tells a lost connection from a refused statement, and who waited for its own key.
    """

    def __init__(
        self, engine: Engine, tenant_id: str, *, turn: "threading.Lock | None", **how: Any
    ) -> None:
        super().__init__(engine, tenant_id, **how)
        self._turn = turn

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        fault = fault_of(error) if isinstance(error, Exception) else None
        try:
            if fault is Fault.LOST:
                self.lost = True
                self._engine.dispose()  # what idles in the pool is hardly better
            super().__exit__(kind, error, trace)
        finally:
            if self._turn:
                self._turn.release()
        if self.failed is RESERVE and fault is Fault.CONFLICT:
            raise IdempotencyInProgressError from error


class Database:
    """The connections of one URL, shared by every store on it.

    Args:
        url: ``sqlite:///<path>`` or ``postgresql+psycopg://...``.
        pool_size: connections kept, and as many again in a burst; then one waits a second.
        pgbouncer: one in transaction mode stands between: no prepared statements.
        passing: called with a name at each step of a write and before each statement; for tests
            that break there.
    """

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 10,
        pgbouncer: bool = False,
        passing: Callable[[str], None] | None = None,
    ) -> None:
        self.engine = connect(url, pool_size=pool_size, pgbouncer=pgbouncer)
        self.passing = passing or (lambda _step: None)
        self.standings = Standings()
        self._prepare = not pgbouncer
        # SQLite's own lock is not fair and sleeps: within a process writers queue here.
        self._writers = threading.Lock() if self.engine.dialect.name == SQLITE else None

    def session(self, tenant_id: str, *, write: bool = False) -> Session:
        """Open a transaction's session; its connection is thrown away where it was lost."""
        writers = self._writers if write else None
        if writers and not writers.acquire(timeout=BUSY_MS / 1000):
            raise StorageUnavailableError
        try:
            return _Sorting(
                self.engine,
                tenant_id,
                write=write,
                prepare=self._prepare,
                passing=self.passing,
                turn=writers,
            )
        except BaseException:
            if writers:
                writers.release()
            raise

    def rows(self, tenant_id: str, call: Call) -> list[Row]:
        """Run one read in one flight."""

        def read() -> list[Row]:
            with self.session(tenant_id) as session:
                return session.run(call, commit=True)[0].rows

        return running(read)

    def read(self, tenant_id: str, read: Callable[[Session], T]) -> T:
        """Run a read of several statements over one snapshot."""

        def once() -> T:
            with self.session(tenant_id) as session:
                return read(session)

        return running(once)

    def write(self, tenant_id: str, write: Callable[[Session], T]) -> T:
        """Run a small write that may safely run twice; it commits by itself."""

        def once() -> T:
            with self.session(tenant_id, write=True) as session:
                return write(session)

        return running(once)

    def close(self) -> None:
        """Give back every connection."""
        self.engine.dispose()


def opened(where: str | Database, *, pgbouncer: bool = False) -> Database:
    """Return the database given, or one opened on a URL."""
    return where if isinstance(where, Database) else Database(where, pgbouncer=pgbouncer)
