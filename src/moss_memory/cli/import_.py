"""``moss-memory import``: bring memories in, judged by the rules before anything is written.

Reads iCalendar files, this service's own JSON lines, LangGraph's items, and mem0's and OpenMemory's
memories. First every entry is judged; if all pass, they are written, and taken back should one of
them fail after all: nothing is half imported. Where the import itself is cut off (kill, power), run
it again: what is there already is passed over, and the rest is written.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import compress
from pathlib import Path
from typing import Any, Final

from moss_memory.cli.reaching import add_service, reached, service_of
from moss_memory.settings import SettingsError

_PROGRESS: Final = 100


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "import", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--ics", type=Path, metavar="FILE", help="an iCalendar file")
    kind.add_argument("--jsonl", type=Path, metavar="FILE", help="JSON or JSON lines, gzip, zip")
    parser.add_argument("--dry-run", action="store_true", help="judge, and write nothing")
    parser.add_argument("--history", action="store_true", help="every revision, not the last one")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--skip-conflicts", action="store_true", help="write what passes")
    what.add_argument("--hold-conflicts", action="store_true", help="ask later: open questions")
    what.add_argument(
        "--as-confirmed", action="store_true",
        help="answer questions as the export shows that they were answered; --jsonl",
    )  # fmt: skip
    parser.add_argument(
        "--overwrite", action="store_true", help="let the rules replace what is old"
    )
    parser.add_argument("--as", dest="predicate", choices=("vacation", "meeting", "note"))
    parser.add_argument("--scope", help="a shared scope; default the key's own")
    parser.add_argument("--json", action="store_true", help="one JSON object an entry")
    add_service(parser)


def run(args: argparse.Namespace) -> int:
    """Import; 0 done, 1 something did not pass and nothing was written, 2 asked wrongly."""
    if args.history and (args.ics or args.dry_run):
        raise SettingsError("--history goes with --jsonl, and without --dry-run.")
    if args.as_confirmed and args.ics:
        raise SettingsError("--as-confirmed goes with --jsonl.")
    if args.history and (args.skip_conflicts or args.hold_conflicts):
        raise SettingsError("--history writes what passes, and asks nothing later.")
    if args.jsonl and (args.scope or args.predicate):
        raise SettingsError("--scope and --as go with --ics.")
    return reached(lambda: _replay(args) if args.history else _import(args))


def _import(args: argparse.Namespace) -> int:
    """Judge all, then write all: two readings of the file, of which only the verdicts are kept."""
    from moss_memory.integrations.client import MossClient
    from moss_memory.integrations.entries import Writing, rehearse

    with MossClient(*service_of(args)) as client:
        judged = _told(rehearse(client, _entries(args)), args, "judged")
        wanted = [each.clean or _allowed(each, args) for each in judged]
        failing = wanted.count(False)
        if args.dry_run or (failing and not args.skip_conflicts):
            return _stop(failing, args)
        writing = Writing(client, hold=args.hold_conflicts, keep=args.as_confirmed)
        return _write(writing, compress(_entries(args), wanted), args)


def _entries(args: argparse.Namespace) -> Iterator[Any]:
    if args.ics is None:
        from moss_memory.integrations.foreign import UnknownShapeError, entries

        try:
            yield from entries(args.jsonl)
        except (OSError, UnknownShapeError) as error:
            raise SettingsError(f"{args.jsonl}: {error}") from None
        return
    from moss_memory.integrations.icalendar import NotACalendarError, from_ics

    try:
        content = args.ics.read_bytes()
        yield from from_ics(content, scope_id=args.scope, predicate=args.predicate)
    except (OSError, NotACalendarError) as error:
        raise SettingsError(f"{args.ics}: {error}") from None


def _allowed(judged: Any, args: argparse.Namespace) -> bool:
    if judged.status == "SUCCESS_WITH_OVERWRITE":
        return bool(args.overwrite)
    asked_later = args.hold_conflicts or args.as_confirmed
    return bool(asked_later) and judged.status == "CONFIRM_REQUIRED"


def _stop(failing: int, args: argparse.Namespace) -> int:
    if failing:
        print(f"{failing} do not pass; nothing was written.", file=sys.stderr)
        return 1
    if args.dry_run:
        print("All pass; nothing was written.", file=sys.stderr)
    return 0


def _write(writing: Any, wanted: Iterable[Any], args: argparse.Namespace) -> int:
    from moss_memory.integrations.client import MossClientError
    from moss_memory.integrations.entries import ImportStoppedError

    try:
        for _ in _told((writing.write(entry) for entry in wanted), args, "written"):
            pass
    except (ImportStoppedError, MossClientError, KeyboardInterrupt) as error:
        gone = writing.take_back()
        print(f"stopped: {error}. Taken back: {gone}; nothing was written.", file=sys.stderr)
        return 1
    return 0


def _replay(args: argparse.Namespace) -> int:
    from moss_memory.integrations.client import MossClient
    from moss_memory.integrations.foreign import UnknownShapeError
    from moss_memory.integrations.replay import Replay

    with MossClient(*service_of(args)) as client:
        try:
            replay = Replay(client, args.jsonl, as_confirmed=args.as_confirmed)
            found = {each.status for each in _told(replay.run(), args, "replayed")}
        except (OSError, UnknownShapeError) as error:
            raise SettingsError(f"{args.jsonl}: {error}") from None
    return 0 if found <= {"SUCCESS", "SUCCESS_WITH_OVERWRITE", "NO_CHANGE"} else 1


def _told(judged: Iterable[Any], args: argparse.Namespace, done: str) -> Iterator[Any]:
    """Print what becomes of each entry as it does, then how many of each kind there were."""
    counted: Counter[str] = Counter()
    for number, each in enumerate(judged, 1):
        counted[each.status] += 1
        print(_line(each, done, as_json=args.json), flush=True)
        if number % _PROGRESS == 0:
            print(f"{number} {done}", file=sys.stderr)
        yield each
    summary = ", ".join(f"{count} {status}" for status, count in sorted(counted.items()))
    print(f"{done}: {summary or 'nothing'}", file=sys.stderr)


def _line(each: Any, done: str, *, as_json: bool) -> str:
    if as_json:
        told = {"step": done, "name": each.entry.name, "title": each.entry.title}
        told |= {"status": each.status, "reason": each.reason}
        told |= {"left_out": each.entry.left_out}
        return json.dumps(told, ensure_ascii=False)
    left = f" (without {', '.join(each.entry.left_out)})" if each.entry.left_out else ""
    reason = f": {each.reason}" if each.reason else ""
    return f"{each.status:<24}{each.entry.title}{left}{reason}"
