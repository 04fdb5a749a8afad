"""The one Alembic history, found in the installed package or in the source tree, and run."""

import time
from functools import cache
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from moss_memory.adapters.sql_engine import SQLITE, connect
from moss_memory.adapters.sql_revision import migrations_path, revision_of

MIGRATION_LOCK: Final = 0x6D6F7373  # "moss": two migrations of one database go one by one
LOCK_MS: Final = 1000  # whoever serves waits behind a migration that waits, and gives up after 3 s
PAUSE_SECONDS: Final = 0.5
PATIENCE_SECONDS: Final = 60.0
_WAITED: Final = {"55P03", "40P01"}


def configuration(scripts: Path | None = None) -> Config:
    """Return what Alembic needs to know; the caller hands it a connection.

    ``scripts`` is a folder with another history than this code's own.
    """
    config = Config()
    folder = scripts or migrations_path()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
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


def migrate(
    url: str,
    revision: str = "head",
    *,
    grant_to: str | None = None,
    scripts: Path | None = None,
) -> None:
    """Bring a database to ``revision``, in one transaction; ``base`` takes everything down.

    It may be served meanwhile: a lock that does not come within a second is given up, so that
    nobody stands behind it for long, and all of it is tried again for a minute.

    Args:
        url: of the owner of the tables.
        revision: ``head``, a name, ``-1`` for the one before, or ``base``.
        grant_to: the login of the service where it is not the one that migrates.
        scripts: as for ``configuration``.
    """
    config = configuration(scripts)
    config.attributes["grant_to"] = grant_to
    until = time.monotonic() + PATIENCE_SECONDS
    engine = connect(url, pool_size=1)
    try:
        while not _tried(engine, config, revision, last=time.monotonic() > until):
            time.sleep(PAUSE_SECONDS)
    finally:
        engine.dispose()


def _tried(engine: Engine, config: Config, revision: str, *, last: bool) -> bool:
    """Migrate; False where a lock was waited for in vain and this was not the last try."""
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        try:
            _run(connection, config, revision)
        except DBAPIError as error:
            if last or getattr(error.orig, "sqlstate", None) not in _WAITED:
                raise
            return False
    return True


def _run(connection: Connection, config: Config, revision: str) -> None:
    sqlite = connection.dialect.name == SQLITE
    connection.exec_driver_sql("BEGIN IMMEDIATE" if sqlite else "BEGIN")
    try:
        if not sqlite:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {LOCK_MS}")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
        down = revision == "base" or revision.startswith("-")
        (command.downgrade if down else command.upgrade)(config, revision)
    except BaseException:
        connection.exec_driver_sql("ROLLBACK")
        raise
    connection.exec_driver_sql("COMMIT")
