"""``moss-memory export``: what a key may see, as JSON lines with history or as a calendar."""

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, Final

from moss_memory.cli.reaching import add_service, reached, service_of
from moss_memory.settings import SettingsError

_PROGRESS: Final = 500  # memories between two lines of progress


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "export", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--jsonl", action="store_true", help="every memory with its history")
    kind.add_argument("--ics", action="store_true", help="what is in the calendar now")
    parser.add_argument("-o", "--output", type=Path, help="a file; default standard output")
    parser.add_argument("--as-of", help="what was known at this instant (RFC 3339); --jsonl")
    parser.add_argument("--resume", action="store_true", help="go on with OUTPUT.part; --jsonl")
    parser.add_argument("--json", action="store_true", help="say what was written; with --output")
    add_service(parser)


def run(args: argparse.Namespace) -> int:
    """Export; 0 done, 1 the service did not answer or refused, 2 asked wrongly."""
    if args.resume and (args.output is None or args.ics):
        raise SettingsError("--resume goes with --jsonl and --output.")
    if args.as_of and args.ics:
        raise SettingsError("--as-of goes with --jsonl.")
    if args.json and args.output is None:
        raise SettingsError("--json goes with --output: the export itself is JSON lines.")
    return reached(lambda: _calendar(args) if args.ics else _lines(args))


def _calendar(args: argparse.Namespace) -> int:
    from moss_memory.integrations.client import MossClient
    from moss_memory.integrations.icalendar import to_ics

    with MossClient(*service_of(args)) as client:
        zone = client.me()["timezone"]
        content = to_ics(client.memories(domain="Schedule", limit=100), timezone=zone)
    if args.output is None:
        sys.stdout.buffer.write(content)
    else:
        part = _part(args.output)
        part.write_bytes(content)
        part.replace(args.output)
        _say(args)
    return 0


def _lines(args: argparse.Namespace) -> int:
    from moss_memory.app import clock
    from moss_memory.integrations.client import MossClient
    from moss_memory.integrations.jsonl_export import export, last_mark

    with MossClient(*service_of(args)) as client:
        if args.output is None:
            _write(export(client, args.as_of or clock()), sys.stdout)
            return 0
        part = _part(args.output)
        mark, as_of = last_mark(part) if args.resume and part.exists() else (None, None)
        with part.open("r+" if mark else "w", encoding="utf-8", newline="\n") as file:
            if mark:
                file.seek(mark.size)
                file.truncate()
            _write(export(client, as_of or args.as_of or clock(), mark), file)
        part.replace(args.output)
        _say(args)
    return 0


def _say(args: argparse.Namespace) -> None:
    if args.json:
        told = {"output": str(args.output), "bytes": args.output.stat().st_size}
        print(json.dumps(told, ensure_ascii=False))


def _part(output: Path) -> Path:
    return output.with_name(f"{output.name}.part")


def _write(lines: Iterable[str], file: IO[str]) -> None:
    for number, line in enumerate(lines, 1):
        file.write(f"{line}\n")
        if number % _PROGRESS == 0:
            file.flush()
            print(f"{number} lines", file=sys.stderr)
    print("done", file=sys.stderr)
