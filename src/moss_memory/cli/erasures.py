"""``moss-memory erasures list | apply FILE``: copy the ledger, apply it after a restore.

A backup still holds what was erased after it was taken. Keep what ``list`` prints where backups
do not reach; after a restore, and before the service starts, ``apply`` erases once more whatever
came back. Applying a ledger twice changes nothing.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from pydantic import AwareDatetime, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from moss_memory.adapters.sql_database import Database
from moss_memory.adapters.sql_erasure import SqlErasures
from moss_memory.api.caller import DEFAULT_TENANT
from moss_memory.app import revealed
from moss_memory.flow.ports_steward import Erasure
from moss_memory.settings import SettingsError, load_settings


@dataclass(frozen=True)
class Entry:
    """A line of a ledger's copy."""

    erasure_id: str
    principal_id: str
    requested_by: str
    recorded_at: AwareDatetime


_ENTRY: Final = TypeAdapter(Entry)


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("erasures", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    shown = actions.add_parser("list", help="print the ledger, one JSON object a line")
    apply = actions.add_parser("apply", help="erase again what a restored backup brought back")
    apply.add_argument("file", metavar="FILE", help="a copy of the ledger; - is standard input")
    for each in (shown, apply):
        each.add_argument("--tenant", default=DEFAULT_TENANT)
    shown.add_argument("--json", action="store_true", help="print one JSON array instead")
    apply.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """List or apply; what was destroyed again is counted by kind.

    Raises:
        SettingsError: FILE cannot be read, or a line of it is no entry of a ledger.
    """
    entries = _read(args.file) if args.action == "apply" else ()
    with _erasures() as erasures:
        if args.action == "list":
            _print(erasures.ledger(args.tenant), whole=args.json)
            return 0
        counts = erasures.apply_again(args.tenant, entries)
    told = ", ".join(f"{name} {count}" for name, count in counts.items())
    plain = f"{len(entries)} erasures applied; destroyed again: {told}"
    print(json.dumps({"applied": len(entries), "counts": dict(counts)}) if args.json else plain)
    return 0


@contextmanager
def _erasures() -> Iterator[SqlErasures]:
    settings = load_settings()
    database = Database(revealed(settings.database_url), pgbouncer=settings.pgbouncer)
    try:
        yield SqlErasures(database)
    finally:
        database.close()


def _print(ledger: Iterable[Erasure], *, whole: bool) -> None:
    shapes = [
        {
            "erasure_id": each.erasure_id,
            "principal_id": each.principal_id,
            "requested_by": each.requested_by,
            "recorded_at": each.recorded_at.isoformat(),
            "counts": dict(each.counts),
        }
        for each in ledger
    ]
    print(json.dumps(shapes) if whole else "\n".join(map(json.dumps, shapes)))


def _read(path: str) -> tuple[Erasure, ...]:
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"The ledger cannot be read: {error.strerror}.") from None
    lines = enumerate(text.splitlines(), 1)
    return tuple(_entry(number, line) for number, line in lines if line.strip())


def _entry(number: int, line: str) -> Erasure:
    try:
        read = _ENTRY.validate_json(line)
    except ValidationError:
        raise SettingsError(f"Line {number} is no entry of a ledger.") from None
    return Erasure(read.erasure_id, read.principal_id, read.requested_by, read.recorded_at)
