"""``moss-memory migrate``: bring the database to the newest schema, or to a named one.

Each step is told on standard error as it is taken; all of them are one transaction.
"""

import argparse
import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from moss_memory.app import revealed
from moss_memory.settings import SettingsError, load_settings


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("migrate", description=__doc__)
    parser.add_argument("--revision", default="head", help="a revision, or base (takes all down)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Migrate MOSS_DATABASE_URL, as the owner that MOSS_MIGRATION_DATABASE_URL names.

    Raises:
        SettingsError: the URL is none, or there is no such revision.
    """
    from alembic.util import CommandError
    from sqlalchemy.exc import DBAPIError, OperationalError

    from moss_memory.adapters.sql_faults import Fault, fault_of

    settings = load_settings()
    service = revealed(settings.database_url)
    owner = revealed(settings.migration_database_url) or service
    try:
        with _told():
            before, after = _migrate(service, owner, args.revision)
    except ValueError as error:
        raise SettingsError(f"The database's URL: {error}.") from None
    except CommandError as error:
        raise SettingsError(f"The schema's history: {error}.") from None
    except DBAPIError as error:
        if not isinstance(error, OperationalError) and fault_of(error) is not Fault.AWAY:
            raise
        told = "the database does not answer, refuses the login, or is none."
        print(f"moss-memory: {told}", file=sys.stderr)
        return 1
    _say(_shown(owner), before, after, as_json=args.json)
    return 0


def _migrate(service: str, owner: str, revision: str) -> tuple[str | None, str | None]:
    """Return the revisions before and after."""
    from sqlalchemy.engine import make_url

    from moss_memory.adapters import sql_migrate

    before = sql_migrate.current(owner)
    login = make_url(service).username if owner != service else None
    sql_migrate.migrate(owner, revision, grant_to=login)
    return before, sql_migrate.current(owner)


def _shown(url: str) -> str:
    from sqlalchemy.engine import make_url

    return make_url(url).render_as_string(hide_password=True)


def _say(named: str, before: str | None, after: str | None, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"database": named, "before": before, "after": after}))
    elif before == after:
        print(f"{named} is at {after or 'no revision'}: nothing to do")
    else:
        print(f"{named}: {before or 'empty'} -> {after or 'empty'}")


@contextmanager
def _told() -> Iterator[None]:
    """Show what Alembic says of each step."""
    log = logging.getLogger("alembic.runtime.migration")
    shown = logging.StreamHandler()
    shown.addFilter(lambda record: record.getMessage().startswith("Running"))
    level = log.level
    log.addHandler(shown)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(shown)
        log.setLevel(level)
