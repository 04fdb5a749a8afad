"""``moss-memory doctor``: check settings, database, Redis and model, and say what to do.

Asks everything that the service needs once, the model with one short sentence. Nothing is written.
"""

import argparse
import asyncio
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from moss_memory.app import build_house, clock, language_of, revealed
from moss_memory.core.errors import MossError, PolicyError
from moss_memory.settings import Settings, SettingsError, check, is_loopback, load_settings, unknown

_SHORT_SECRET: Final = 32  # characters
_ISOLATION: Final = (
    "tenants could see each other: run moss-memory migrate as the owner, and connect with a login "
    "that is no superuser and owns no table (MOSS_MIGRATION_DATABASE_URL names the owner)"
)
TO_DO: Final = {  # a check's code, or what it starts with -> what to do about it
    "storage_unavailable": "start the database, or correct MOSS_DATABASE_URL: it does not answer",
    "not_at_head": "run: moss-memory migrate",
    "unknown": "see the database",
    "role_": _ISOLATION,
    "row_security_off": _ISOLATION,
    "table_owned": _ISOLATION,
    "rows_without_tenant": _ISOLATION,
    "policy_": _ISOLATION,
    "history_writable": _ISOLATION,
    "trigger_missing": "somebody dropped a trigger: restore the schema from a backup",
    "unavailable": "start Redis, or correct MOSS_REDIS_URL: until then a conflict answers 503",
    "model_unavailable": "start the model's server, or correct MOSS_MODEL and its key",
    "model_timeout": "the model's server takes too long: see whether it is overloaded",
    "model_bad_output": "this model does not keep to a JSON schema: name another in MOSS_MODEL",
}
Level = Literal["ok", "note", "wrong"]


@dataclass(frozen=True, slots=True)
class Line:
    """What was found about a part; ``todo`` is empty where nothing is to be done."""

    level: Level
    part: str
    state: str
    todo: str = ""

    def __str__(self) -> str:
        """Spell it for a person."""
        return f"{self.level:<6}{self.part}: {self.state}{'; ' * bool(self.todo)}{self.todo}"


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("doctor", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print one line a finding; 1 where the service would not start or not be ready."""
    lines = list(_examined())
    status = next((line.state for line in lines if line.part == "service"), "unready")
    if args.json:
        shown = [asdict(line) for line in lines if line.part != "service"]
        print(json.dumps({"status": status, "checks": shown}, ensure_ascii=False))
    else:
        for line in lines:
            print(line.state if line.part == "service" else line)
    return 1 if status == "unready" else 0


def _examined() -> Iterator[Line]:
    try:
        settings = load_settings()
        yield from _advice(settings)
        check(settings, host=settings.host, workers=1)
        yield from _asked(settings)
    except (SettingsError, PolicyError, MossError) as error:
        yield Line("wrong", "settings", str(error))
        yield Line("wrong", "service", "unready")


def _advice(settings: Settings) -> Iterator[Line]:
    """Say what works but was perhaps not meant."""
    for name in unknown(os.environ):
        yield Line("note", name, "no setting: it is ignored", "see .env.example for the names")
    if settings.auth == "dev":
        yield Line("note", "MOSS_AUTH", "dev: anyone on this machine is anyone")
    elif len(revealed(settings.secret_key)) < _SHORT_SECRET:
        yield Line("note", "MOSS_SECRET_KEY", f"fewer than {_SHORT_SECRET} characters",
                   "make one: openssl rand -hex 32")  # fmt: skip
    if settings.redis_url is None:
        yield Line("note", "MOSS_REDIS_URL", "not set: open questions live in this process alone")
    if not is_loopback(settings.host):
        yield Line("note", "MOSS_HOST", settings.host, "put a TLS proxy in front")


def _asked(settings: Settings) -> Iterator[Line]:
    from moss_memory.api.health import OK, examine

    built = build_house(settings)
    try:
        health = examine(built.house, draining=False)
    finally:
        for close in built.close:
            close()
    checks = {name: state for name, state in health["checks"].items() if name != "process"}
    checks["model"] = asyncio.run(_model(settings, built.house.policy.ontology))
    for name, state in checks.items():
        yield Line("ok" if state == OK else "wrong", name, state, _todo(state))
    status = health["status"]
    degraded = status == "ready" and checks["model"] != OK
    yield Line("ok", "service", "degraded" if degraded else status)


def _todo(state: str) -> str:
    return next((todo for code, todo in TO_DO.items() if state.startswith(code)), "")


async def _model(settings: Settings, ontology: Any) -> str:
    """Ask the configured model itself, not its fallback; ok, or the code of its failure."""
    from moss_memory.flow.ports_language import Utterance

    alone = settings.model_copy(update={"model_fallback": None})
    parser, _ = language_of(alone, ontology)
    greeting = Utterance(text="Good morning.", reference=clock(), zone="UTC", locale="en")
    try:
        await parser.parse(greeting)
    except MossError as error:
        reason = error.members.get("reason")
        return f"{error.code} ({reason})" if reason else error.code
    return "ok"
