"""How a command reaches a running service: --url and a key from the environment."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from moss_memory.settings import SettingsError

DEFAULT_URL = "http://127.0.0.1:8000"


def add_service(parser: Any) -> None:
    """Add what names the service."""
    parser.add_argument("--url", help=f"the service; default MOSS_URL, else {DEFAULT_URL}")
    parser.add_argument(
        "--key-file", type=Path, help="a file that holds the key; default MOSS_API_KEY"
    )


def service_of(args: argparse.Namespace) -> tuple[str, str]:
    """Return the service's URL and the key; a key is never an argument, which others can list.

    Raises:
        SettingsError: there is no key, or its file cannot be read.
    """
    url = args.url or os.environ.get("MOSS_URL") or DEFAULT_URL
    named = args.key_file or os.environ.get("MOSS_API_KEY_FILE")
    if named:
        try:
            return url, Path(named).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"the key's file: {type(error).__name__}") from None
    if key := os.environ.get("MOSS_API_KEY"):
        return url, key
    raise SettingsError("Set MOSS_API_KEY (or MOSS_API_KEY_FILE, --key-file) to a key.")


def reached(work: Callable[[], int]) -> int:
    """Return the exit code of ``work``; 1 where the service refuses or does not answer.

    Raises:
        SettingsError: what the work needs is not installed.
    """
    from moss_memory.integrations.client import MossClientError

    try:
        return work()
    except MossClientError as error:
        print(f"moss-memory: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if error.name != "icalendar":
            raise
        raise SettingsError("calendars need: pip install 'moss-memory[calendar]'") from error
