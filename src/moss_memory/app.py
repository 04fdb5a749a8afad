"""The composition root: settings in, a running application out; the only owner of clock and ids.

``create_app`` is what uvicorn calls in every worker. Adapters are imported where they are
chosen, so that a service on SQLite never loads a Redis client or Google's.
"""

import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, TextIO

from fastapi import FastAPI
from pydantic import SecretStr

from moss_memory.api.assembly import Surroundings, assemble
from moss_memory.api.caller import DEFAULT_TENANT, Authenticator, Bearer, Credentials, DevNames
from moss_memory.api.exchange import Calendar
from moss_memory.api.lines import JsonLines
from moss_memory.api.metrics import Reading
from moss_memory.api.offices import Offices
from moss_memory.core.ontology import Ontology
from moss_memory.core.rules import Policy
from moss_memory.flow.keys import Keyring
from moss_memory.flow.ports import Defaults, Desk, House, MemoryStore, Parser, Writer
from moss_memory.integrations import tracing
from moss_memory.integrations.mcp_lazy import mount_lazily
from moss_memory.policy import load as load_policy
from moss_memory.settings import Settings, SettingsError, check, load_settings

if TYPE_CHECKING:
    from moss_memory.adapters.chat_rate import ChatRate
    from moss_memory.adapters.model_call import Model, ModelCalls
    from moss_memory.adapters.sql_memory import SqlMemory

_ON_LOOPBACK: Final = "moss-memory on loopback"  # in dev mode alone: keys mode asks for a secret


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
    """A house with its offices, what gives back what they hold, in order, and what to watch."""

    house: House
    offices: Offices
    close: tuple[Callable[[], None], ...]
    readings: tuple[Reading, ...] = ()


def build_house(settings: Settings) -> Built:
    """Put the adapters that ``settings`` name together.

    Raises:
        SettingsError: a setting names something that there is not.
        PolicyError: the rule table or the ontology does not hold.
    """
    from moss_memory.adapters.sql_search import SqlFinder

    policy = load_policy(ontology=settings.ontology, rules=settings.rules)
    memory = _memory(settings, policy)
    desk = _desk(settings)
    calls: list[ModelCalls] = []
    parser, writer = language_of(settings, policy.ontology, calls)
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
            lint_from=settings.lint_from,
        ),
        finder=SqlFinder(memory.database),
    )
    readings = tuple(_readings(memory, desk, calls))
    return Built(house, _offices(settings, memory), (desk.close, memory.close), readings)


def _readings(memory: "SqlMemory", desk: Desk, calls: "list[ModelCalls]") -> Iterator[Reading]:
    """Yield what is counted below the wire."""
    pool: Any = memory.database.engine.pool
    yield Reading(
        "moss_pool_connections",
        "Connections to the database.",
        "state",
        lambda: {"in_use": pool.checkedout(), "idle": pool.checkedin()},
    )
    resting = {"desk": getattr(desk, "resting", lambda: 0.0)}
    resting |= {"model": lambda: max(each.resting() for each in calls)} if calls else {}
    yield Reading(
        "moss_breaker_open",
        "1 while a part that failed is left alone.",
        "part",
        lambda: {part: float(left() > 0) for part, left in resting.items()},
    )
    yield Reading(
        "moss_model_calls",
        "Calls of models, by outcome.",
        "outcome",
        lambda: sum((each.outcomes for each in calls), Counter[str]()),
        counter=True,
    )


def _memory(settings: Settings, policy: Policy) -> "SqlMemory":
    from moss_memory.adapters.sql_memory import SqlMemory

    url = revealed(settings.database_url)
    try:
        return SqlMemory(url, ontology=policy.ontology, pgbouncer=settings.pgbouncer)
    except ValueError as error:
        raise SettingsError(f"MOSS_DATABASE_URL: {error}.") from None


def _offices(settings: Settings, memory: "SqlMemory") -> Offices:
    """Return the stores of administration, on the connections of the memory."""
    from moss_memory.adapters.sql_erasure import SqlErasures
    from moss_memory.adapters.sql_keys import SqlKeys
    from moss_memory.adapters.sql_scopes import SqlScopes

    pepper = revealed(settings.secret_key) or ("" if settings.auth == "keys" else _ON_LOOPBACK)
    ring = None
    if pepper:
        ring = Keyring(SqlKeys(memory.database), pepper, secrets.token_bytes)
    return Offices(
        scopes=SqlScopes(memory.database),
        steward=SqlErasures(memory.database, clock=clock),
        keyring=ring,
    )


def _desk(settings: Settings) -> Desk:
    if settings.redis_url is None:
        from moss_memory.adapters.local_desk import LocalDesk

        return LocalDesk(reference_seconds=settings.session_ttl)
    from moss_memory.adapters.redis_desk import RedisDesk

    pepper = revealed(settings.secret_key) or _ON_LOOPBACK
    try:
        return RedisDesk(
            revealed(settings.redis_url), secret=pepper, reference_seconds=settings.session_ttl
        )
    except ValueError:
        raise SettingsError(
            "MOSS_REDIS_URL is redis://, rediss://, redis+cluster:// or rediss+cluster://."
        ) from None


def language_of(
    settings: Settings, ontology: Ontology, made: "list[ModelCalls] | None" = None
) -> tuple[Parser, Writer | None]:
    """Return the parser and the writer that MOSS_MODEL names; no writer: templates alone.

    ``made`` is given the calls of each model, to be watched.

    MOSS_MODEL_FALLBACK parses while the first cannot answer; answers then come from templates.

    Raises:
        SettingsError: there is no such model, or its key is missing.
    """
    made = [] if made is None else made
    parser, writer = _model(settings, settings.model, ontology, made)
    if settings.model_fallback is None or settings.model_fallback == "none":
        return parser, writer
    from moss_memory.adapters.model_ports import FallingBack

    second, _ = _model(settings, settings.model_fallback, ontology, made)
    return FallingBack(parser, second), writer


def _model(
    settings: Settings, named: str, ontology: Ontology, made: "list[ModelCalls]"
) -> tuple[Parser, Writer | None]:
    kind, _, rest = named.partition(":")
    if named == "offline":
        from moss_memory.adapters.offline import OfflineParser

        return OfflineParser(), None
    model: Model
    if kind == "gemini" and rest:
        model = _gemini(settings, rest)
    elif kind == "openai" and all(rest.partition("@")):
        from moss_memory.adapters.openai_compatible import OpenAICompatible

        model_id, _, base_url = rest.partition("@")
        key = revealed(settings.openai_api_key) or None
        model = OpenAICompatible(model_id, base_url=base_url, api_key=key)
    else:
        raise SettingsError("MOSS_MODEL is offline, gemini:<id> or openai:<id>@<base-url>.")
    from moss_memory.adapters.model_call import ModelCalls
    from moss_memory.adapters.model_ports import ModelParser, ModelWriter

    calls = ModelCalls()
    made.append(calls)
    return ModelParser(model, ontology, calls), ModelWriter(model, calls)


def _gemini(settings: Settings, model_id: str) -> "Model":
    if settings.gemini_api_key is None:
        raise SettingsError("MOSS_MODEL=gemini:<id> needs GEMINI_API_KEY.")
    from moss_memory.adapters.gemini import Gemini

    key = revealed(settings.gemini_api_key)
    return Gemini(model_id, api_key=key, base_url=settings.gemini_base_url)


def _authenticator(settings: Settings, offices: Offices) -> Authenticator:
    """Return who credentials are: dev names, or static keys, stored keys and JWTs."""
    sqlite = revealed(settings.database_url).startswith("sqlite")
    tenant = DEFAULT_TENANT if sqlite and not settings.sqlite_multitenant else None
    if settings.auth == "dev":
        return Bearer(DevNames(), *_stored(offices), tenant=tenant)
    try:
        return Bearer(*_keys(settings, offices), tenant=tenant)
    except ValueError as error:
        raise SettingsError(str(error)) from None


def _keys(settings: Settings, offices: Offices) -> Iterator[Credentials]:
    from moss_memory.api.static_keys import StaticKeys

    yield StaticKeys(revealed(settings.static_keys))
    yield from _stored(offices)
    if settings.jwt_issuers is not None:
        from moss_memory.api.jwt_issuers import JwtIssuers

        yield JwtIssuers(revealed(settings.jwt_issuers))


def _stored(offices: Offices) -> Iterator[Credentials]:
    from moss_memory.api.stored_keys import StoredKeys

    if offices.keyring is not None:
        yield StoredKeys(offices.keyring.store, [offices.keyring.pepper])


def _chat_rate(settings: Settings) -> "ChatRate | None":
    if settings.chat_rate == 0:
        return None
    from moss_memory.adapters.chat_rate import ChatRate

    redis_url = revealed(settings.redis_url) or None
    return ChatRate(settings.chat_rate, redis_url=redis_url, clock=clock)


def revealed(held: SecretStr | None) -> str:
    """Return the value of a secret, empty where there is none."""
    return held.get_secret_value() if held else ""


def create_app(settings: Settings | None = None, *, lines: TextIO | None = None) -> FastAPI:
    """Return the application over ``settings`` (None: the environment).

    ``lines`` is where the log goes, standard output by default.
    """
    if settings is None:
        settings = load_settings()
    check(settings, host="127.0.0.1", workers=1)
    built = build_house(settings)
    _refuse_unsafe(built.house.memory)
    log = JsonLines(lines or sys.stdout, clock)
    rate = _chat_rate(settings)
    around = Surroundings(
        authenticator=_authenticator(settings, built.offices),
        chat_rate=rate,
        offices=built.offices,
        calendar=_calendar(),
        immediate=settings.auth == "dev",
        log=log,
        origins=settings.cors_origins,
        close=(*built.close, *([rate.close] if rate else []), log.close),
        drain_seconds=settings.drain_seconds,
        readings=(*built.readings, _dropped(log)),
    )
    app = assemble(built.house, around)
    if find_spec("mcp") is not None:
        mount_lazily(app, origins=settings.cors_origins)
    tracer = tracing.provider()
    if tracer is not None:
        app.add_middleware(tracing.Traced, provider=tracer)
    return app


def _dropped(log: JsonLines) -> Reading:
    told = "Log lines that the sink did not take."
    return Reading("moss_log_lines", told, "fate", lambda: {"dropped": log.dropped}, counter=True)


def _refuse_unsafe(memory: MemoryStore) -> None:
    """Do not serve from a database whose tenants could see each other.

    One that is away or not migrated yet is not ready, which ``/readyz`` says: it may come.

    Raises:
        SettingsError: the login is too strong, or a policy or trigger is not as it should be.
    """
    fault = memory.check().get("isolation", "ok")
    if fault != "ok":
        raise SettingsError(f"The database is not safe to serve from: {fault}.")


def _calendar() -> Calendar | None:
    """Return how events become a file, None without the calendar extra."""
    if find_spec("icalendar") is None:
        return None

    def spell(memories: Sequence[Mapping[str, Any]], zone: str) -> bytes:
        from moss_memory.integrations.icalendar import to_ics

        return to_ics(memories, timezone=zone)

    return spell
