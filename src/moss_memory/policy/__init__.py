"""The shipped ontology and rule table, and the one place that reads policy files."""

import tomllib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from moss_memory.core.errors import PolicyError
from moss_memory.core.fingerprint import differences
from moss_memory.core.rules import Policy
from moss_memory.core.verify import prove


def shipped(name: str) -> Traversable:
    """Name a file that travels with the package: ontology.toml, rules.toml, rules.lock."""
    return files(__name__) / name


def read_toml(source: Traversable | Path) -> dict[str, Any]:
    """Read a policy file.

    Raises:
        PolicyError: it cannot be read, or is not TOML.
    """
    try:
        return tomllib.loads(source.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise PolicyError(f"{source.name}: {error}") from error


def load(*, ontology: Path | None = None, rules: Path | None = None) -> Policy:
    """Read the policy: the files named, the shipped ones where None.

    What decides exactly as the shipped rules.lock says was proved when that was written, and is
    not proved again at each start; anything else is.

    Raises:
        PolicyError: a file cannot be read, is malformed, or the rules do not prove.
    """
    policy = Policy.from_data(
        read_toml(ontology or shipped("ontology.toml")), read_toml(rules or shipped("rules.toml"))
    )
    if ontology or rules or differences(read_toml(shipped("rules.lock")), policy.rules):
        prove(policy)
    return policy
