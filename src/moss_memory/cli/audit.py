"""``moss-memory audit verify``: walk the hash chains and count broken invariants.

Every committed change of a space is chained to the one before. A row of history that was
edited, removed, swapped or added by hand breaks the chain at its epoch. What only a copy kept
elsewhere can show is a tail that was cut off: keep the head that this prints.
"""

import argparse
import json
from collections.abc import Mapping
from typing import Any

from moss_memory.api.caller import DEFAULT_TENANT
from moss_memory.app import build_house, revealed
from moss_memory.flow.ports import ChainReport
from moss_memory.settings import load_settings


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("audit", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    verify = actions.add_parser("verify", help="check every chain; exit code 1 where one breaks")
    verify.add_argument("--tenant", default=DEFAULT_TENANT)
    verify.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Return 0 where every chain and invariant holds, 1 where one does not."""
    from moss_memory.adapters.sql_audit import audit
    from moss_memory.adapters.sql_database import Database

    settings = load_settings()
    built = build_house(settings)
    database = Database(revealed(settings.database_url), pgbouncer=settings.pgbouncer)
    try:
        report = built.house.memory.verify(args.tenant)
        counts = audit(database, args.tenant)
    finally:
        database.close()
        for close in built.close:
            close()
    broken = {name: count for name, count in counts.items() if count}
    print(json.dumps(_shape(report, broken)) if args.json else _told(report, broken))
    return 0 if report.ok and not broken else 1


def _shape(report: ChainReport, broken: Mapping[str, int]) -> dict[str, Any]:
    bad = None
    if report.first_bad:
        bad = {"space": report.first_bad[0], "epoch": report.first_bad[1]}
    return {
        "ok": report.ok and not broken,
        "checked": report.checked,
        "first_bad": bad,
        "broken_invariants": dict(broken),
    }


def _told(report: ChainReport, broken: Mapping[str, int]) -> str:
    lines = [f"BROKEN invariant {name}: {count} times" for name, count in broken.items()]
    if report.first_bad is not None:
        space, epoch = report.first_bad
        lines.append(f"BROKEN at epoch {epoch} of space {space}")
    held = "every chain and invariant holds" if not lines else "see above"
    return "\n".join([*lines, f"{report.checked} commits checked: {held}"])
