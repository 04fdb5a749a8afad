"""``moss-memory migrate``: bring the database to the newest schema, or to a named one."""

import argparse
from typing import Any

from moss_memory.app import revealed
from moss_memory.settings import load_settings


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("migrate", description=__doc__)
    parser.add_argument("--revision", default="head", help="a revision, or base (takes all down)")


def run(args: argparse.Namespace) -> int:
    """Migrate MOSS_DATABASE_URL, as the owner that MOSS_MIGRATION_DATABASE_URL names."""
    from sqlalchemy.engine import make_url

    from moss_memory.adapters import sql_migrate

    settings = load_settings()
    service = revealed(settings.database_url)
    owner = revealed(settings.migration_database_url) or service
    login = make_url(service).username if owner != service else None
    before = sql_migrate.current(owner)
    sql_migrate.migrate(owner, args.revision, grant_to=login)
    after = sql_migrate.current(owner)
    named = make_url(owner).render_as_string(hide_password=True)
    if before == after:
        print(f"{named} is at {after or 'no revision'}: nothing to do")
    else:
        print(f"{named}: {before or 'empty'} -> {after or 'empty'}")
    return 0
