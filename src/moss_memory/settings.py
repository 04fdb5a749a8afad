"""The environment, parsed once into one frozen value, and what may not be started with it.

Every setting is an environment variable; each may also be given as ``<NAME>_FILE``, the path of
a file that holds the value (for container secrets). ``.env.example`` documents them all.
"""

import ipaddress
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from moss_memory.core.errors import UnknownZoneError
from moss_memory.core.zones import zone

Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0)]
Seconds = Annotated[int, Field(ge=1, le=7 * 24 * 3600)]
FOREIGN: Final = {  # the names that their makers gave
    "gemini_api_key": "GEMINI_API_KEY",
    "openai_api_key": "OPENAI_API_KEY",
}
OF_CLIENTS: Final = ("MOSS_URL", "MOSS_API_KEY")  # how commands reach a running service


class SettingsError(Exception):
    """The service must not start like this; the message names settings, never their values."""


class Settings(BaseModel):
    """Everything that the environment decides, checked; ``variables`` names each in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    database_url: SecretStr = SecretStr("sqlite:///moss-memory.sqlite3")
    migration_database_url: SecretStr | None = None
    pgbouncer: bool = False
    sqlite_multitenant: bool = False
    redis_url: SecretStr | None = None
    auth: Literal["dev", "keys"] = "dev"
    static_keys: SecretStr | None = None
    secret_key: SecretStr | None = None
    jwt_issuers: SecretStr | None = None
    model: Text = "offline"
    model_fallback: Text | None = None
    gemini_api_key: SecretStr | None = None
    gemini_base_url: Text | None = None
    openai_api_key: SecretStr | None = None
    timezone: Text = "UTC"
    locale: Text = "en"
    pending_ttl: Seconds = 1800
    session_ttl: Seconds = 1800
    ontology: Path | None = None
    rules: Path | None = None
    host: Text = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    drain_seconds: Annotated[float, Field(ge=0, le=60)] = 1.0
    cors_origins: tuple[str, ...] = ()
    lint_from: Literal["sql", "cache"] = "sql"
    chat_history: Literal["off", "masked"] = "masked"
    chat_history_days: Annotated[int, Field(ge=1)] = 90
    history_revisions: Annotated[int, Field(ge=1)] = 100
    rate_chat_per_minute: Count | None = None

    @field_validator("cors_origins", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            zone(value)
        except UnknownZoneError as error:
            raise ValueError("not a zone of the IANA database") from error
        return value

    @property
    def chat_rate(self) -> int:
        """Utterances a minute and principal; 0 is unlimited, the default in dev mode."""
        if self.rate_chat_per_minute is not None:
            return self.rate_chat_per_minute
        return 0 if self.auth == "dev" else 60

    def __repr__(self) -> str:
        """Name the settings, never their values: a repr ends up in logs."""
        return f"Settings({', '.join(sorted(self.model_fields_set))})"

    __str__ = __repr__


def variables() -> dict[str, str]:
    """Return the environment variable of every setting by field name."""
    return {name: FOREIGN.get(name, f"MOSS_{name.upper()}") for name in Settings.model_fields}


def load(environ: Mapping[str, str]) -> Settings:
    """Parse ``environ`` and the files that its ``_FILE`` variables name.

    Raises:
        SettingsError: a value does not parse, is given twice, or its file cannot be read.
    """
    named = variables()
    read = {field: _value(name, environ) for field, name in named.items()}
    try:
        return Settings.model_validate({k: v for k, v in read.items() if v is not None})
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False)
        told = "; ".join(f"{named[str(fault['loc'][0])]}: {fault['msg']}" for fault in faults)
        raise SettingsError(f"Not a valid setting. {told}.") from None


def load_settings() -> Settings:
    """Parse the process's environment; see ``load``."""
    return load(os.environ)


def _value(name: str, environ: Mapping[str, str]) -> str | None:
    direct, path = environ.get(name) or None, environ.get(f"{name}_FILE") or None
    if path is None:
        return direct
    if direct is not None:
        raise SettingsError(f"Both {name} and {name}_FILE are set: give one.")
    try:
        return Path(path).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{name}_FILE cannot be read ({type(error).__name__}).") from None


def unknown(environ: Iterable[str]) -> list[str]:
    """Return the names that start with MOSS_ and are no setting: most likely a slip."""
    names = (*variables().values(), *OF_CLIENTS)
    known = {text for name in names for text in (name, f"{name}_FILE")}
    return sorted(name for name in environ if name.startswith("MOSS_") and name not in known)


def check(settings: Settings, *, host: str, workers: int) -> None:
    """Refuse what is unsafe to serve on ``host`` with ``workers`` processes.

    Raises:
        SettingsError: dev mode off loopback, keys mode without a secret, any origin allowed, or
            several workers without a Redis (and a secret) to share.
    """
    if settings.auth == "dev" and not is_loopback(host):
        raise SettingsError(
            "MOSS_AUTH=dev lets anyone be anyone: it serves loopback addresses only. "
            "Set MOSS_AUTH=keys to listen elsewhere."
        )
    if settings.auth == "keys" and not _secret(settings.secret_key):
        raise SettingsError("MOSS_AUTH=keys needs MOSS_SECRET_KEY, the same for all workers.")
    if any("*" in origin for origin in settings.cors_origins):
        raise SettingsError("MOSS_CORS_ORIGINS lists origins one by one; * is refused.")
    if workers > 1 and not _secret(settings.redis_url):
        raise SettingsError("More than one worker needs MOSS_REDIS_URL: they share questions.")
    if workers > 1 and not _secret(settings.secret_key):
        raise SettingsError("More than one worker needs MOSS_SECRET_KEY, the same for all.")


def _secret(held: SecretStr | None) -> str:
    return held.get_secret_value() if held else ""


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach ``host``: 127.0.0.0/8, ::1, localhost."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
