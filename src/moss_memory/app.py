"""The composition root: settings in, a running application out; the only owner of clock and ids.

``create_app`` is what uvicorn calls in every worker. Adapters are imported where they are
chosen, so that a service on SQLite never loads a Redis client or Google's.
"""

import os
import secrets
import sys
import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import structlog
from fastapi import FastAPI
from pydantic import SecretStr

from moss_memory.api.assembly import Authenticator, Rate, Surroundings, assemble
from moss_memory.core.access import Caller
from moss_memory.core.rules import Policy
from moss_memory.flow.ports import Defaults, Desk, House, MemoryStore, Parser, Writer
from moss_memory.settings import Settings, SettingsError, check, load


def clock() -> datetime:
    """Return the instant, UTC."""
    return datetime.now(UTC)


def uuid7() -> str:
    """Return a fresh UUIDv7 (RFC 9562): 48 bits of milliseconds, 74 random bits."""
    milliseconds = time.time_ns() // 1_000_000
    bits = (milliseconds << 80) | secrets.randbits(80)
    bits = (bits & ~(0xF << 76)) | (0x7 << 76)
    bits = (bits & ~(0x3 << 62)) | (0x2 << 62)
    digits = f"{bits:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def secret() -> str:
    """Return 128 random bits as text, for an id that must not be guessed."""
    return secrets.token_urlsafe(16)


@dataclass(frozen=True, slots=True)
class Built:
    """A house, and what gives back what it holds, in order."""

    house: House
    close: tuple[Callable[[], None], ...]


def build_house(settings: Settings) -> Built:
    """Put the adapters that ``settings`` name together.

    Raises:
        SettingsError: a setting names something that there is not.
        PolicyError: the rule table or the ontology does not hold.
    """
    policy = build_policy(settings)
    memory = _memory(settings)
    desk = _desk(settings)
    parser, writer = _language(settings)
    house = House(
        memory=memory,
        desk=desk,
        parser=parser,
        writer=writer,
        policy=policy,
        clock=clock,
        ids=uuid7,
        secret=secret,
        defaults=Defaults(
            timezone=settings.timezone,
            locale=settings.locale,
            pending_seconds=settings.pending_ttl,
            session_seconds=settings.session_ttl,
            chat_history=settings.chat_history,
        ),
    )
    return Built(house, (desk.close, memory.close))


def build_policy(settings: Settings) -> Policy:
    """Read the ontology and the rule table, the package's own or those that are named."""
    ontology = _toml(settings.ontology, "ontology.toml")
    return Policy.from_data(ontology, _toml(settings.rules, "rules.toml"))


def _toml(named: Path | None, shipped: str) -> Mapping[str, Any]:
    source = resources.files("moss_memory") / "policy" / shipped if named is None else named
    try:
        return tomllib.loads(source.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{shipped}: cannot be read ({type(error).__name__}).") from error


def _memory(settings: Settings) -> MemoryStore:
    from moss_memory.adapters.sql_memory import SqlMemory

    return SqlMemory(
        revealed(settings.database_url),
        pgbouncer=settings.pgbouncer,
        multitenant=settings.sqlite_multitenant,
    )


def _desk(settings: Settings) -> Desk:
    if settings.redis_url is None:
        from moss_memory.adapters.local_desk import LocalDesk

        return LocalDesk(reference_seconds=settings.session_ttl)
    from moss_memory.adapters.redis_desk import RedisDesk

    return RedisDesk(
        revealed(settings.redis_url),
        secret=revealed(settings.secret_key) or "moss-memory on loopback",
        reference_seconds=settings.session_ttl,
    )


def _language(settings: Settings) -> tuple[Parser, Writer | None]:
    kind, _, rest = settings.model.partition(":")
    if kind == "offline" and not rest:
        from moss_memory.adapters.offline import OfflineParser

        return OfflineParser(), None
    raise SettingsError("MOSS_MODEL is offline, gemini:<id> or openai:<id>@<base-url>.")


class _Unlimited:
    def admit(self, caller: Caller) -> None:
        """Let everybody in."""


def _authenticator(settings: Settings) -> Authenticator:
    from moss_memory.api.dev_caller import DevAuthenticator

    return DevAuthenticator()


def _chat_rate(settings: Settings) -> Rate:
    return _Unlimited()


def revealed(held: SecretStr | None) -> str:
    """Return the value of a secret, empty where there is none."""
    return held.get_secret_value() if held else ""


def logger() -> Any:
    """Return where lines go: standard output, one JSON object a line, values never in the text."""
    return structlog.wrap_logger(
        structlog.PrintLogger(sys.stdout),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
    )


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the application over the environment, or over ``settings`` where they are given."""
    if settings is None:
        settings = load(os.environ)
    check(settings, host="127.0.0.1", workers=1)
    built = build_house(settings)
    around = Surroundings(
        authenticator=_authenticator(settings),
        chat_rate=_chat_rate(settings),
        log=logger(),
        origins=settings.cors_origins,
        close=built.close,
    )
    return assemble(built.house, around)
