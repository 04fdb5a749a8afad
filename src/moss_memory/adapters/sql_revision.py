"""Which revision a database has and which this code knows, without Alembic.

A service asks both at its start and at every ``/readyz``; Alembic and its templates would be a
tenth of a start, and only ``migrate`` needs them.
"""

import re
from functools import cache
from pathlib import Path
from typing import Final

from sqlalchemy import Engine, inspect, text

_TABLE: Final = "alembic_version"
_NAMED: Final = re.compile(r'^(revision|down_revision) = "([^"]+)"$', re.MULTILINE)


def migrations_path() -> Path:
    """Return the folder of ``env.py``: beside the package's modules, else the source tree's."""
    here = Path(__file__).resolve()
    installed = here.parents[1] / "migrations"
    return installed if (installed / "env.py").exists() else here.parents[3] / "migrations"


@cache
def _history() -> tuple[frozenset[str], frozenset[str]]:
    """Return the revisions that this code knows, and those of them that another follows."""
    named: dict[str, set[str]] = {"revision": set(), "down_revision": set()}
    for each in (migrations_path() / "versions").glob("*.py"):
        for name, revision in _NAMED.findall(each.read_text(encoding="utf-8")):
            named[name].add(revision)
    return frozenset(named["revision"]), frozenset(named["down_revision"])


def head() -> str | None:
    """Return the newest revision that this code knows: the one that no other follows."""
    known, followed = _history()
    return next(iter(known - followed), None)


def is_behind(found: str | None) -> bool:
    """Say whether a database lacks what this code needs: empty, or at an older revision.

    One that this code does not know is newer: migrations run before the code that needs them,
    and what served until then goes on.
    """
    _, followed = _history()
    return found is None or found in followed


def revision_of(engine: Engine) -> str | None:
    """Return the revision of a connected database, None where it was never migrated."""
    with engine.connect() as connection:
        if not inspect(connection).has_table(_TABLE):
            return None
        found: str | None = connection.execute(
            text("SELECT version_num FROM alembic_version")
        ).scalar()
        return found
