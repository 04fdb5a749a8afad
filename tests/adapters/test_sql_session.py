"""What each transaction binds to itself on PostgreSQL, and gives back."""

from contextlib import suppress
from typing import Any

import psycopg
import pytest
from psycopg.pq import TransactionStatus
from sqlalchemy import text

from moss_memory.adapters.sql_call import Call, Statement
from moss_memory.adapters.sql_memory import SqlMemory

SETTINGS = {
    "role": "moss_app",
    "moss.tenant_id": "acme",
    "statement_timeout": "1500ms",
    "lock_timeout": "500ms",
    "idle_in_transaction_session_timeout": "5s",
}
ASK = Statement(
    text("SELECT " + ", ".join(f"current_setting('{name}', true)" for name in SETTINGS))
)
PLANNING = Statement(
    text("SELECT current_setting('plan_cache_mode'), current_setting('enable_seqscan')")
)
ISOLATION = Statement(text("SELECT current_setting('transaction_isolation')"))


@pytest.fixture
def server_memory(postgres_url: str, ontology: Any) -> Any:
    """A store on PostgreSQL with a single connection."""
    memory = SqlMemory(postgres_url, ontology=ontology, pool_size=1)
    yield memory
    memory.close()


def test_read_cannot_write(server_memory: SqlMemory):
    writing = Call(Statement(text("DELETE FROM payload")))

    with (
        pytest.raises(psycopg.errors.ReadOnlySqlTransaction),
        server_memory.database.session("acme") as session,
    ):
        session.run(writing)


@pytest.mark.parametrize(("write", "level"), [(False, "repeatable read"), (True, "read committed")])
def test_isolation_is_set_whatever_the_default(write: Any, level: str, server_memory: SqlMemory):
    with server_memory.database.engine.connect() as connection:
        connection.execute(
            text("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET"
                 " default_transaction_isolation = serializable', current_database()); END $$")
        )  # fmt: skip
    server_memory.database.engine.dispose()
    with server_memory.database.session("acme", write=write) as session:
        (result,) = session.run(Call(ISOLATION))

    assert result.rows == [(level,)]


def test_transaction_binds_its_role_tenant_and_timeouts(server_memory: SqlMemory):
    with server_memory.database.session("acme") as session:
        (result,) = session.run(Call(ASK))

    assert dict(zip(SETTINGS, result.rows[0], strict=True)) == SETTINGS


@pytest.mark.parametrize("write", [False, True])
def test_transaction_plans_once_and_by_index(write: Any, server_memory: SqlMemory):
    with server_memory.database.session("acme", write=write) as session:
        (result,) = session.run(Call(PLANNING))

    assert result.rows == [("force_generic_plan", "off")]


def test_connection_keeps_nothing_of_a_transaction(server_memory: SqlMemory):
    for write in (False, True):
        with server_memory.database.session("acme", write=write) as session:
            session.run(Call(ASK), commit=True)
    with server_memory.database.engine.connect() as connection:
        row = connection.exec_driver_sql(
            "SELECT current_setting('moss.tenant_id', true), current_setting('role'),"
            " current_setting('plan_cache_mode')"
        ).one()

    assert tuple(row) == ("", "none", "auto")


READ = Call(ASK)
REFUSED = Call(Statement(text("SELECT 1 / 0")))


def leave_unused(_: Any) -> None:
    """Ask nothing."""


def leave_uncommitted(session: Any) -> None:
    session.run(READ)


def leave_committed(session: Any) -> None:
    session.run(READ, commit=True)


def leave_begun_again(session: Any) -> None:
    session.run(READ, commit=True)
    session.run(READ)


def leave_refused(session: Any) -> None:
    session.run(READ, REFUSED, READ)


def leave_refused_at_commit(session: Any) -> None:
    session.run(REFUSED, commit=True)


def leave_by_an_error(session: Any) -> None:
    session.run(READ)
    raise ValueError


def leave_by_the_keyboard(session: Any) -> None:
    session.run(READ)
    raise KeyboardInterrupt


def leave_with_answers_due(session: Any) -> None:
    session.send(READ)


def leave_by_an_error_with_answers_due(session: Any) -> None:
    session.send(READ)
    raise ValueError


def leave_on_a_spoiled_line(session: Any) -> None:
    session.run(READ)
    session._driver.pgconn.enter_pipeline_mode()  # no ROLLBACK comes through


WAYS = [made for name, made in sorted(globals().items()) if name.startswith("leave_")]


def is_clean(driver: Any) -> bool:
    """Tell whether a connection may be lent out again, or is none any more."""
    return driver.closed or driver.info.transaction_status == TransactionStatus.IDLE


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("leave", WAYS, ids=lambda way: way.__name__)
def test_connection_given_back_is_in_no_transaction(
    leave: Any, write: Any, server_memory: SqlMemory
):
    with (
        suppress(ValueError, KeyboardInterrupt, psycopg.Error),
        server_memory.database.session("acme", write=write) as session,
    ):
        driver = session._driver
        leave(session)

    assert is_clean(driver)


def test_generator_given_up_leaves_no_transaction(server_memory: SqlMemory):
    def reading() -> Any:
        with server_memory.database.session("acme") as session:
            session.run(READ)
            yield session._driver

    going = reading()
    driver = next(going)
    going.close()

    assert is_clean(driver)


class Interrupting:
    """A driver's connection at whose ROLLBACK somebody presses Ctrl-C."""

    def execute(self, _: str) -> Any:
        raise KeyboardInterrupt


def test_interrupted_rollback_leaves_no_transaction_in_the_pool(server_memory: SqlMemory):
    with suppress(KeyboardInterrupt), server_memory.database.session("acme") as session:
        session.run(READ)
        driver, session._driver = session._driver, Interrupting()

    assert is_clean(driver)
