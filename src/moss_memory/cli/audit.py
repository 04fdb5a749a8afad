"""``moss-memory audit verify``: walk the hash chains, and say where the first bad row stands.

Every committed change of a space is chained to the one before. A row of history that was
edited, removed, swapped or added by hand breaks the chain at its epoch. What only a copy kept
elsewhere can show is a tail that was cut off: keep the head that this prints.
"""

import argparse
import json
from typing import Any

from moss_memory.api.caller import DEFAULT_TENANT
from moss_memory.app import build_house
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
    """Return 0 where every chain holds, 1 where one does not."""
    built = build_house(load_settings())
    try:
        report = built.house.memory.verify(args.tenant)
    finally:
        for close in built.close:
            close()
    print(json.dumps(_shape(report)) if args.json else _told(report))
    return 0 if report.ok else 1


def _shape(report: ChainReport) -> dict[str, Any]:
    bad = None
    if report.first_bad:
        bad = {"space": report.first_bad[0], "epoch": report.first_bad[1]}
    return {"ok": report.ok, "checked": report.checked, "first_bad": bad}


def _told(report: ChainReport) -> str:
    if report.first_bad is None:
        return f"{report.checked} commits checked: every chain holds"
    space, epoch = report.first_bad
    return f"BROKEN at epoch {epoch} of space {space} ({report.checked} commits checked)"
