"""Connections: one engine a URL, its drivers left in autocommit so that every BEGIN is ours."""

from typing import Any, Final

from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

SQLITE: Final = "sqlite"
BUSY_MS: Final = 5000
CONNECT_SECONDS: Final = 2  # libpq knows no shorter wait


def parsed(url: str) -> URL:
    """Read a database URL.

    Raises:
        ValueError: it is neither ``sqlite:///path`` nor ``postgresql+psycopg://...``.
    """
    try:
        made = make_url(url)
    except ArgumentError as error:
        raise ValueError("the database is no URL") from error
    if made.drivername not in {"sqlite", "sqlite+pysqlite", "postgresql+psycopg"}:
        raise ValueError("the database is sqlite:///<path> or postgresql+psycopg://...")
    if made.get_backend_name() == SQLITE and made.database in {None, "", ":memory:"}:
        raise ValueError("SQLite needs a file")
    return made


def connect(url: str, *, pool_size: int = 10, pgbouncer: bool = False) -> Engine:
    """Return an engine whose connections are in driver autocommit.

    ``pgbouncer`` says that one in transaction mode stands between: no prepared statements.
    """
    made = parsed(url)
    if made.get_backend_name() == SQLITE:
        engine = create_engine(
            made,
            isolation_level="AUTOCOMMIT",
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=BUSY_MS / 1000,
            connect_args={"check_same_thread": False, "timeout": BUSY_MS / 1000},
        )
        event.listen(engine, "connect", _promise)
        return engine
    return create_engine(
        made,
        isolation_level="AUTOCOMMIT",
        pool_size=pool_size,
        max_overflow=pool_size,  # for a burst that waits for one space
        pool_timeout=1,
        pool_use_lifo=True,
        pool_reset_on_return=None,  # a session ends what it began, whatever came of it
        connect_args={
            "connect_timeout": CONNECT_SECONDS,
            "prepare_threshold": None if pgbouncer else 3,
            "tcp_user_timeout": 3000,
            "application_name": "moss-memory",
        },
    )


def _promise(connection: Any, _record: object) -> None:
    """Set what an SQLite connection promises: durable at COMMIT, foreign keys, no remains."""
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
        "secure_delete = ON",  # erased words are zeroed in the file; not every build's default
        f"busy_timeout = {BUSY_MS}",
    ):
        connection.execute(f"PRAGMA {pragma}").close()
