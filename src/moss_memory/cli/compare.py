"""``moss-memory compare``: the control experiment, a growing chat log against governed memory.

One scripted conversation runs twice. The control sends the whole log with every turn. The
governed side runs through this service, a person answering its questions, and sends its context.
Both payloads are measured the same way: their tokens, and how many pairs of facts in them cannot
both be true, found by reading the facts off the payload and linting them. Where MOSS_MODEL names a
model, it answers each question twice: from the log as it is, and on the governed side as this
service answers, its words checked against the context. Without a model this measures payloads only.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from moss_memory.adapters.offline import OfflineParser
from moss_memory.adapters.sql_migrate import migrate
from moss_memory.app import build_house
from moss_memory.cli.compare_chart import Answers, Measured, svg, table
from moss_memory.cli.compare_payload import Log, contradictions, facts_of_context
from moss_memory.cli.compare_script import ZONE, Turn, conversation
from moss_memory.core.access import Caller
from moss_memory.core.budget import estimate
from moss_memory.core.errors import MossError
from moss_memory.core.linter import ActionName
from moss_memory.flow import converse, recall, settle
from moss_memory.flow.ports import House
from moss_memory.flow.requests import ChatAnswer, ChatRequest, Circumstances, ContextRequest
from moss_memory.settings import load

PERSON: Final = Caller(tenant_id="default", principal_id="person")
_CHOICES: Final[tuple[ActionName, ...]] = ("replace_old", "cancel")  # the first one on offer


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``compare --turns N``."""
    parser = subparsers.add_parser("compare", description=__doc__)
    parser.add_argument("--turns", type=_turns, default=30, help="how long the conversation is")
    parser.add_argument("--budget", type=int, default=1024, help="tokens of a governed context")
    parser.add_argument("--language", choices=("en", "ko"), default="en")
    parser.add_argument("--svg", type=Path, help="write the chart to a file")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, no more")


def run(args: argparse.Namespace) -> int:
    """Print table and chart; 0 whatever the figures are."""
    with tempfile.TemporaryDirectory(prefix="moss-memory-compare-") as folder:
        url = f"sqlite:///{Path(folder) / 'compare.sqlite3'}"
        migrate(url)
        built = build_house(load({**_model_only(os.environ), "MOSS_DATABASE_URL": url}))
        try:
            rows = asyncio.run(measure(built.house, args.turns, args.language, budget=args.budget))
        finally:
            for close in built.close:
                close()
    model = built.house.writer is not None
    if args.svg is not None:
        args.svg.write_text(svg(rows), encoding="utf-8")
    if args.json:
        told = {"turns": args.turns, "model": model, "rows": [asdict(row) for row in rows]}
        print(json.dumps(told, ensure_ascii=False))
    else:
        print(table(rows, model=model))
    return 0


async def measure(house: House, turns: int, locale: str, *, budget: int) -> list[Measured]:
    """Run the conversation, and measure every turn.

    Words are always read by rule, so that payloads are the same whatever model answers.
    """
    house = replace(house, parser=OfflineParser())
    log = Log(house.policy, ZONE, locale)
    around = Circumstances(request_id="compare", timezone=ZONE, locale=locale)
    rows = []
    for number, turn in enumerate(conversation(turns, locale), 1):
        log.hear(turn)
        reply = await _governed_turn(house, turn, around)
        request = ContextRequest(query=turn.text, token_budget=budget, reference_time=turn.at)
        context = recall.context(house, PERSON, request, around).text
        governed = f"{context}\nuser: {turn.text}"
        facts = facts_of_context(house.policy, governed, ZONE, turn.at)
        rows.append(
            Measured(
                turn=number,
                log_tokens=estimate(log.payload()),
                governed_tokens=estimate(governed),
                log_contradictions=log.contradictions,
                governed_contradictions=contradictions(house.policy, facts),
                answers=await _answers(house, turn, log.payload(), locale, reply),
            )
        )
    return rows


async def _governed_turn(house: House, turn: Turn, around: Circumstances) -> ChatAnswer:
    """Say a turn to the service; where it asks, a person takes the newer statement if offered."""
    request = ChatRequest(text=turn.text, reference_time=turn.at)
    answer: ChatAnswer = await converse.chat(house, PERSON, request, around)
    if answer.pending is not None:
        offered = {each.action for each in answer.actions}
        chosen = next(each for each in _CHOICES if each in offered)
        settle.confirm(house, PERSON, answer.pending.pending_id, chosen, around)
    return answer


async def _answers(
    house: House, turn: Turn, log: str, locale: str, reply: ChatAnswer
) -> Answers | None:
    """Let the model answer a question from the log; the service has answered it already."""
    if house.writer is None or reply.intent != "QUERY":
        return None
    try:
        written = await house.writer.write(turn.text, log, locale=locale)
    except MossError as error:  # one failing call must not end the experiment
        return Answers(turn.text, f"({error.code})", reply.reply, reply.reply_source)
    said = written.text if written else "(no answer)"
    return Answers(turn.text, said, reply.reply, reply.reply_source)


def _model_only(environ: Mapping[str, str]) -> dict[str, str]:
    """Keep of the environment what configures a model: the experiment has its own store."""
    names = ("MOSS_MODEL", "GEMINI", "MOSS_GEMINI", "OPENAI", "MOSS_OPENAI")
    return {name: value for name, value in environ.items() if name.startswith(names)}


def _turns(spelled: str) -> int:
    turns = int(spelled)
    if turns < 1:
        raise argparse.ArgumentTypeError("at least one turn")
    return turns
