"""``moss-memory eval understanding``: measure a parser against labelled sentences."""

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from moss_memory.adapters.offline import OfflineParser
from moss_memory.cli import eval_context
from moss_memory.cli.scoring import Row, Score, judge, rows_of, summary, table
from moss_memory.core.errors import MossError
from moss_memory.flow.ports import Parser, Utterance
from moss_memory.language.proposal import Parsed
from moss_memory.settings import SettingsError, load

_PROGRESS_EVERY: Final = 100


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``eval understanding --data FILE`` and ``eval context``."""
    parser = subparsers.add_parser("eval", help="measure understanding against labelled sentences")
    commands = parser.add_subparsers(dest="eval_command", required=True)
    command = commands.add_parser("understanding", help="intents, times, first facts and speed")
    command.add_argument("--data", type=Path, required=True, help="one JSON object a line")
    command.add_argument("--parser", choices=("offline", "gemini", "openai"), default="offline")
    command.add_argument("--json", action="store_true", help="one JSON object on stdout, no more")
    command.add_argument("--failures", type=Path, help="write the rows that went wrong to a file")
    command.add_argument("--group", help="measure the rows of one group only")
    eval_context.add_parser(commands)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the figures; 0 whatever they are, 2 where there is nothing to measure."""
    if args.eval_command == "context":
        return eval_context.run(args)
    try:
        rows = rows_of(args.data.read_text(encoding="utf-8"), group=args.group)
    except (OSError, ValueError, KeyError) as error:
        print(f"cannot measure {args.data}: {error}", file=sys.stderr)
        return 2
    if not rows:
        print("no rows to measure", file=sys.stderr)
        return 2
    scores = asyncio.run(_measure(_parser(args.parser), rows))
    if args.failures is not None:
        _write_failures(args.failures, scores)
    figures = summary(scores)
    print(json.dumps(figures, ensure_ascii=False) if args.json else table(scores, figures))
    return 0


def _parser(name: str) -> Parser:
    if name == "offline":
        return OfflineParser()
    from moss_memory.app import build_house  # the offline parser needs no house

    settings = load(os.environ)
    if not settings.model.startswith(f"{name}:"):
        raise SettingsError(f"--parser {name} needs MOSS_MODEL={name}:<id> and its settings.")
    return build_house(settings).house.parser


async def _measure(parser: Parser, rows: Iterable[Row]) -> list[Score]:
    scores = []
    for count, row in enumerate(rows, 1):
        began = time.perf_counter()
        parsed = await _parse(parser, row)
        scores.append(judge(row, parsed, (time.perf_counter() - began) * 1000))
        if count % _PROGRESS_EVERY == 0:
            print(f"{count} rows", file=sys.stderr)
    return scores


async def _parse(parser: Parser, row: Row) -> Parsed:
    """Ask the parser; a model that fails has understood nothing."""
    said = Utterance(text=row.text, reference=row.reference, zone=row.zone, locale=row.locale)
    try:
        return await parser.parse(said)
    except MossError as error:
        print(f"{error.code}: a row counts as UNKNOWN", file=sys.stderr)
        return Parsed(intent="UNKNOWN")


def _write_failures(path: Path, scores: Iterable[Score]) -> None:
    wrong: list[dict[str, Any]] = [score.failure for score in scores if score.failure is not None]
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in wrong)
    path.write_text(lines, encoding="utf-8")
