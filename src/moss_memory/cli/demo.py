"""``moss-memory demo``: play the story of the vacation and the meeting against a real server.

The server is this program's own, on a free port, over a SQLite file that goes away again. It is
Thursday, 2026-07-16, 14:00 in Seoul.
"""

import argparse
import io
import json
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from moss_memory.cli.story import ENGLISH, KOREAN, Press, Say, Step
from moss_memory.settings import Settings

ZONE: Final = "Asia/Seoul"
REFERENCE: Final = "2026-07-16T14:00:00+09:00"
STORIES: Final[Mapping[str, tuple[Step, ...]]] = {"en": ENGLISH, "ko": KOREAN}
Post = Callable[[str, Mapping[str, Any]], dict[str, Any]]


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("demo", description=__doc__)
    parser.add_argument("--language", choices=[*STORIES, "both"], default="both")
    parser.add_argument("--json", action="store_true", help="print each answer as one JSON object")


def run(args: argparse.Namespace) -> int:
    """Play and print; 1 where an answer is not the one that the story needs."""
    from moss_memory.adapters.sql_migrate import migrate
    from moss_memory.app import create_app
    from moss_memory.cli.listening import in_background

    chosen = [*STORIES] if args.language == "both" else [args.language]
    with tempfile.TemporaryDirectory(prefix="moss-memory-demo-") as folder:
        url = f"sqlite:///{Path(folder) / 'demo.sqlite3'}"
        migrate(url)
        app = create_app(Settings(database_url=SecretStr(url)), lines=io.StringIO())
        with in_background(app) as base:
            if not args.json:
                print(f"A server on {base}. It is Thursday, 2026-07-16, 14:00 in {ZONE}.")
            tell = list_ if args.json else play
            went = [tell(STORIES[name], poster(base, f"person-{name}")) for name in chosen]
    return 0 if all(went) else 1


def poster(base: str, principal: str) -> Post:
    """Return how to post as ``principal``; it raises where an answer is no success."""
    import httpx2

    def post(path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        credential = {"Authorization": f"Bearer dev:{principal}"}
        answer = httpx2.post(base + path, json=body, headers=credential, timeout=30)
        answer.raise_for_status()
        told: dict[str, Any] = answer.json()
        return told

    return post


def play(story: tuple[Step, ...], post: Post) -> bool:
    """Say and press what the story has, print what comes back; False where it went otherwise."""
    went, shown = True, 0
    for number, step, asked, told in _taken(story, post):
        if number != shown:
            print(f"\n{number:>2}. {step.heading}")
        shown = number
        print(f"    POST {asked}")
        _show(told)
        went = went and told["status"] == step.status
    print("\nAs it should be." if went else "\nNOT as it should be.")
    return went


def list_(story: tuple[Step, ...], post: Post) -> bool:
    """Do the same and print one JSON object an answer."""
    went = True
    for number, step, asked, told in _taken(story, post):
        as_told = told["status"] == step.status
        head = {"step": number, "asked": asked, "as_it_should_be": as_told}
        print(json.dumps(head | {"answer": told}, ensure_ascii=False))
        went = went and as_told
    return went


def _taken(story: tuple[Step, ...], post: Post) -> Iterator[tuple[int, Step, str, dict[str, Any]]]:
    """Yield each step by number with what was asked and answered; a double click gives two."""
    pending_id = ""
    for number, step in enumerate(story, 1):
        for asked, told in _take(step, pending_id, post):
            pending_id = (told.get("pending") or {}).get("pending_id", pending_id)
            yield number, step, asked, told


def _take(step: Step, pending_id: str, post: Post) -> Iterator[tuple[str, dict[str, Any]]]:
    match step:
        case Say(text=text):
            body = {"text": text, "timezone": ZONE, "reference_time": REFERENCE}
            yield f"/chat     {text}", post("/chat", body)
        case Press(action=action, times=times):
            for _ in range(times):
                body = {"pending_id": pending_id, "action": action}
                yield f"/confirm  {action}", post("/confirm", body)


def _show(told: Mapping[str, Any]) -> None:
    reason = told.get("conflict_type", "NONE")
    _print(f"{told['status']}{'' if reason == 'NONE' else f' ({reason})'}")
    _print(told["reply"])
    for finding in told.get("findings", ()):
        if finding["reason"]:
            _print(f"{finding['rule_id']}: {finding['summary']}")
    for memory in told["facts"]:
        _print(f"+ {_line(memory)}")
    for memory in told["superseded"]:
        _print(f"- {_line(memory)}")
    if told.get("actions"):
        _print("  ".join(f"[{button['label']}]" for button in told["actions"]))


def _print(text: str) -> None:
    for line in text.splitlines():
        print(textwrap.fill(line, 100, initial_indent=" " * 6, subsequent_indent=" " * 6))


def _line(memory: Mapping[str, Any]) -> str:
    path = " - ".join(memory[part] for part in ("subject", "predicate", "object_value"))
    start, end = (_local(memory[end]) for end in ("valid_from", "valid_until"))
    return f"{path} ({memory['status']}), from {start} to {end}"


def _local(instant: str) -> str:
    return f"{datetime.fromisoformat(instant).astimezone(ZoneInfo(ZONE)):%Y-%m-%d %H:%M}"
