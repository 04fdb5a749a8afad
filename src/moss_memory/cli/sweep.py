"""``moss-memory sweep``: make expired memories history, and remove what has outlived its use.

Run it daily. Nothing waits for it to be correct: what has expired is in no list, verdict or
prompt from its instant on. Series without an end are placed on to two years ahead; where one
then meets something new, its owner is asked, for which the questions have to be shared
(MOSS_REDIS_URL): else that occurrence is left out, and looked at again the next time. On
PostgreSQL it needs the owner's login to see every tenant (MOSS_MIGRATION_DATABASE_URL, where
that differs), or ``--tenant``.
"""

import argparse
import json
import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from moss_memory.app import build_house, revealed
from moss_memory.flow.sweeping import Retention, sweep
from moss_memory.settings import Settings, load_settings

if TYPE_CHECKING:
    from moss_memory.adapters.sql_database import Database


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("sweep", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--tenant", action="append", help="only this one; may be repeated")
    parser.add_argument("--json", action="store_true", help="print one JSON object a tenant")


def run(args: argparse.Namespace) -> int:
    """Sweep, tenant by tenant, and say what went."""
    from moss_memory.adapters.sql_database import Database
    from moss_memory.adapters.sql_sweep import SqlSweep

    settings = load_settings()
    built = build_house(settings)
    owner = settings.migration_database_url or settings.database_url
    database = Database(revealed(owner))
    store = SqlSweep(database)
    try:
        if _is_behind(database):
            print("moss-memory: not migrated; run moss-memory migrate", file=sys.stderr)
            return 1
        for tenant_id in args.tenant or store.tenants():
            counts = sweep(
                built.house,
                store,
                _retention(settings),
                tenant_id=tenant_id,
                asks=settings.redis_url is not None,  # else the Desk ends with this process
            )
            if args.json:
                print(json.dumps({"tenant_id": tenant_id, **counts}))
            else:
                told = ", ".join(f"{name} {count}" for name, count in counts.items())
                print(f"{tenant_id}: {told}", file=sys.stdout)
    finally:
        for close in (*built.close, database.close):
            close()
    return 0


def _is_behind(database: "Database") -> bool:
    """Tell whether the schema is older than what a sweep needs, also where it is empty."""
    from moss_memory.adapters.sql_retry import running
    from moss_memory.adapters.sql_revision import is_behind, revision_of

    return is_behind(running(lambda: revision_of(database.engine)))


def _retention(settings: Settings) -> Retention:
    return Retention(
        chats=timedelta(days=settings.chat_history_days), revisions=settings.history_revisions
    )
