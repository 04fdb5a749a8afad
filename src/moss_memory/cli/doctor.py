"""``moss-memory doctor``: check settings, database, Redis and model, and say what is wrong."""

import argparse
import os
from collections.abc import Iterator
from typing import Any, Final

from moss_memory.app import build_house, revealed
from moss_memory.settings import Settings, SettingsError, check, is_loopback, load_settings, unknown

_SHORT_SECRET: Final = 32  # characters


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    subparsers.add_parser("doctor", description=__doc__)


def run(_args: argparse.Namespace) -> int:
    """Print one line a finding; 1 where the service would not start or not be ready."""
    settings = load_settings()
    for line in _advice(settings):
        print(f"note  {line}")
    try:
        check(settings, host=settings.host, workers=1)
    except SettingsError as error:
        print(f"wrong {error}")
        return 1
    return _examine(settings)


def _advice(settings: Settings) -> Iterator[str]:
    """Say what works but was perhaps not meant."""
    for name in unknown(os.environ):
        yield f"{name} is no setting: it is ignored"
    if settings.auth == "dev":
        yield "MOSS_AUTH=dev: anyone on this machine is anyone"
    elif len(revealed(settings.secret_key)) < _SHORT_SECRET:
        yield f"MOSS_SECRET_KEY has fewer than {_SHORT_SECRET} characters"
    if settings.redis_url is None:
        yield "MOSS_REDIS_URL is not set: open questions live in this process alone"
    if not is_loopback(settings.host):
        yield f"MOSS_HOST={settings.host}: put a TLS proxy in front"


def _examine(settings: Settings) -> int:
    from moss_memory.api.health import OK, examine

    built = build_house(settings)
    try:
        health = examine(built.house, draining=False)
    finally:
        for close in built.close:
            close()
    for name, state in health["checks"].items():
        print(f"{'ok   ' if state == OK else 'wrong'} {name}: {state}")
    print(health["status"])
    return 1 if health["status"] == "unready" else 0
