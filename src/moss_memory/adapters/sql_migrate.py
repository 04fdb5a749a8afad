"""The one Alembic history, found in the installed package or in the source tree, and run."""

from functools import cache
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from moss_memory.adapters.sql_engine import SQLITE, connect
from moss_memory.adapters.sql_revision import migrations_path, revision_of

MIGRATION_LOCK: Final = 0x6D6F7373  # "moss": two migrations of one database go one by one


def configuration() -> Config:
    """Return what Alembic needs to know; the caller hands it a connection."""
    config = Config()
    config.set_main_option("script_location", str(migrations_path()).replace("%", "%%"))
    return config


@cache
def _head() -> str | None:
    return ScriptDirectory.from_config(configuration()).get_current_head()


def head() -> str | None:
    """Return the newest revision that this code knows."""
    return _head()


def current(url: str) -> str | None:
    """Return the revision of a database, None where it was never migrated."""
    engine = connect(url, pool_size=1)
    try:
        return revision_of(engine)
    finally:
        engine.dispose()


def migrate(url: str, revision: str = "head", *, grant_to: str | None = None) -> None:
    """Bring a database to ``revision``, in one transaction; ``base`` takes everything down.

    ``grant_to`` is the login of the service where it is not the one that migrates.
    """
    engine = connect(url, pool_size=1)
    try:
        with engine.connect() as connection:
            _run(connection, revision, grant_to)
    finally:
        engine.dispose()


def _run(connection: Connection, revision: str, grant_to: str | None) -> None:
    sqlite = connection.dialect.name == SQLITE
    connection.exec_driver_sql("BEGIN IMMEDIATE" if sqlite else "BEGIN")
    try:
        if not sqlite:
            connection.exec_driver_sql("SET LOCAL lock_timeout = '10s'")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
        config = configuration()
        config.attributes["connection"] = connection
        config.attributes["grant_to"] = grant_to
        down = revision == "base" or revision.startswith("-")
        (command.downgrade if down else command.upgrade)(config, revision)
    except BaseException:
        connection.exec_driver_sql("ROLLBACK")
        raise
    connection.exec_driver_sql("COMMIT")
