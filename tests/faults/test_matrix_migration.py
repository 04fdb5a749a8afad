"""Migrations while the service answers: nobody meets a 5xx, and it stays ready throughout.

What is served goes on over a schema that is newer than its code, since the migration comes first.
"""

import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import inspect

from broken_servers import until
from moss_memory.adapters.sql_engine import connect
from moss_memory.adapters.sql_migrate import configuration, current, head, migrate
from moss_memory.adapters.sql_revision import migrations_path
from moss_memory.cli.main import main

# What a release may bring while the one before it still serves: it adds, and takes nothing away.
NEXT = '''
"""A column, its values and an index on the table that every request reads."""
import sqlalchemy as sa
from alembic import op

revision = "9999_next"
down_revision = "{head}"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("memory_head", sa.Column("later", sa.Text(), nullable=True))
    op.execute("UPDATE memory_head SET later = predicate")
    op.create_index("ix_memory_head_later", "memory_head", ["tenant_id", "later"])
    op.add_column("space", sa.Column("later", sa.Text(), nullable=True))


def downgrade():
    op.drop_column("space", "later")
    op.drop_index("ix_memory_head_later", "memory_head")
    op.drop_column("memory_head", "later")
'''
CLIENTS = 4
SERVED = "0005_search"  # what came before it was never served from


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found


@pytest.fixture
def service(url: str, serve: Any) -> Any:
    return serve(url)


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """A folder with this code's history and one revision more."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrations_path(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "9999_next.py").write_text(NEXT.format(head=head()))
    return folder


class Load:
    """Clients that write, ask, confirm and read, and the statuses that they were answered."""

    def __init__(self, service: Any, facts: Any) -> None:
        self.service, self.facts = service, facts
        self.statuses: Counter[tuple[str, int]] = Counter()
        self.told: set[str] = set()
        self.over = threading.Event()

    def ask(self, method: str, path: str, body: Any, who: str) -> Any:
        named = {"Authorization": f"Bearer dev:{who}"}
        answer = self.service.http.request(method, path, json=body, headers=named)
        self.statuses[path, answer.status_code] += 1
        said = answer.json()
        if answer.is_success and path in {"/memories", "/confirm", "/chat"} and body:
            self.told |= {each["memory_id"] for each in said["facts"]}
        return said

    def go_on(self, who: str) -> None:
        n = 0
        while not self.over.is_set():
            n += 1
            self.ask("POST", "/memories", {"facts": [self.facts["day_off"](24 * n)]}, who)
            rival = {"facts": [self.facts["meeting"](24 * n + 10)]}
            held = self.ask("POST", "/memories", rival, who).get("pending")
            if held:
                press = {"pending_id": held["pending_id"], "action": "keep_both"}
                self.ask("POST", "/confirm", press, who)
            self.ask("GET", "/memories", None, who)
            self.ask("POST", "/context", {"query": "talk"}, who)
            self.ask("GET", "/readyz", None, who)

    def refused(self) -> dict[tuple[str, int], int]:
        return {each: count for each, count in self.statuses.items() if each[1] >= 400}


@contextmanager
def under_load(service: Any, facts: Any) -> Iterator[Load]:
    """Ask without end while the body runs, a while before it and a while after."""
    load = Load(service, facts)
    threads = [threading.Thread(target=load.go_on, args=(f"c{n}",)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        let_pass(load, 40)
        yield load
        let_pass(load, 40)
    finally:
        load.over.set()
        for thread in threads:
            thread.join()


def let_pass(load: Load, answers: int) -> None:
    before = load.statuses.total()
    until(lambda: load.statuses.total() >= before + answers)


def test_f62_migrating_again_while_serving_refuses_nobody(
    service: Any, url: str, facts: Any, sound: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSS_DATABASE_URL", url)
    with under_load(service, facts) as load:
        codes = [main(["migrate"]) for _ in range(2)]

    assert (codes, load.refused()) == ([0, 0], {})
    sound(url, ids=load.told, alone=True)


def test_f62_next_schema_comes_while_this_one_is_served(
    service: Any, url: str, facts: Any, sound: Any, newer: Path
) -> None:
    with under_load(service, facts) as load:
        migrate(url, scripts=newer)

    assert (current(url), load.refused()) == ("9999_next", {})
    sound(url, ids=load.told, alone=True)


@contextmanager
def reading(url: str) -> Iterator[None]:
    """Hold what a long report holds: the table is read, in a transaction that goes on."""
    with psycopg.connect(url.replace("+psycopg", "")) as reader:
        reader.execute("SELECT count(*) FROM memory_head")
        yield


def test_f62_migration_that_waits_for_a_long_reader_keeps_nobody_waiting_behind_it(
    postgres_url: str, serve: Any, facts: Any, sound: Any, newer: Path
) -> None:
    service = serve(postgres_url)
    with under_load(service, facts) as load:
        migrating = threading.Thread(target=lambda: migrate(postgres_url, scripts=newer))
        with reading(postgres_url):
            migrating.start()
            time.sleep(3.5)  # longer than any request may take
            waiting = current(postgres_url)
        migrating.join()

    assert (waiting, current(postgres_url)) == (head(), "9999_next")
    assert load.refused() == {}
    sound(postgres_url, ids=load.told, alone=True)


def test_f62_database_that_is_behind_the_code_is_not_ready(service: Any, url: str) -> None:
    migrate(url, "-1")
    behind = service.http.get("/readyz")
    migrate(url)
    ready = service.http.get("/readyz")

    assert (behind.status_code, behind.json()["checks"]["migrations"]) == (503, "not_at_head")
    assert ready.status_code == 200


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(f"empty_{request.param}_url")
    return found


def columns(url: str) -> dict[tuple[str, str], bool]:
    """Return every column, and whether a row may come without it."""
    engine = connect(url)
    looked = inspect(engine)
    found = {
        (table, each["name"]): bool(each["nullable"] or each["default"])
        for table in looked.get_table_names()
        for each in looked.get_columns(table)
    }
    engine.dispose()
    return found


def test_f62_no_revision_takes_away_or_demands_what_the_one_before_does_not_know(
    empty_url: str,
) -> None:
    scripts = ScriptDirectory.from_config(configuration())
    served = [each.revision for each in scripts.walk_revisions()]
    migrate(empty_url, SERVED)
    before = columns(empty_url)
    for revision in reversed(served[: served.index(SERVED)]):
        migrate(empty_url, revision)
        after = columns(empty_url)
        tables = {table for table, _ in before}
        fresh = [name for name in after if name[0] in tables and name not in before]
        assert set(before) <= set(after), revision
        assert [name for name in fresh if not after[name]] == [], revision
        before = after
