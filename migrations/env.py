"""Alembic's entry: on the connection that ``moss_memory`` hands over, else on the environment's."""

import os

from alembic import context
from sqlalchemy import Connection

from moss_memory.adapters.sql_engine import connect
from moss_memory.adapters.sql_tables import metadata


def run(connection: Connection) -> None:
    """Run what was asked for; BEGIN and COMMIT are the caller's."""
    context.configure(connection=connection, target_metadata=metadata, compare_type=True)
    with context.begin_transaction():
        context.run_migrations()


def run_from_shell() -> None:
    """Serve the ``alembic`` command, in one transaction."""
    url = os.environ.get("MOSS_MIGRATION_DATABASE_URL") or os.environ.get("MOSS_DATABASE_URL")
    if not url:
        raise SystemExit("set MOSS_DATABASE_URL, or use: moss-memory migrate")
    with connect(url, pool_size=1).connect() as connection:
        connection.exec_driver_sql("BEGIN")
        run(connection)
        connection.exec_driver_sql("COMMIT")


if (handed := context.config.attributes.get("connection")) is not None:
    run(handed)
else:
    run_from_shell()
