"""Is the database as safe as the code believes? Every fault by name; none means yes.

Asked once at start-up: as the role that transactions switch to, and with no tenant bound.
"""

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Engine

from moss_memory.adapters.sql_engine import SQLITE
from moss_memory.adapters.sql_faults import Fault, fault_of
from moss_memory.adapters.sql_session import APP_ROLE
from moss_memory.adapters.sql_tables import IMMUTABLE, metadata
from moss_memory.core.errors import StorageUnavailableError

TENANT_TABLES: Final = tuple(table.name for table in metadata.sorted_tables)
ALLOWED: Final = {
    ("api_key", "key_lookup"),  # shows the one key whose id is bound
    ("space", "owner_lists"),  # for the owner, which the service is not
}
_ROLE: Final = "SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
_TABLES: Final = """
    SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity, c.relowner = current_user::regrole
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND n.nspname = current_schema()
    AND EXISTS (SELECT 1 FROM pg_attribute a
                WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
"""
_POLICIES: Final = """
    SELECT tablename, policyname, cmd, permissive, coalesce(qual, ''), coalesce(with_check, '')
    FROM pg_policies WHERE schemaname = current_schema()
"""
_TRIGGERS: Final = """
    SELECT c.relname, count(*) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') GROUP BY c.relname
"""
GUARDED: Final = {"occurrence": 1} | dict.fromkeys(IMMUTABLE, 2)
SQLITE_GUARDED: Final = dict.fromkeys(("occurrence", *IMMUTABLE), 2)


def faults_of(engine: Engine) -> tuple[str, ...]:
    """Return what is unsafe, as codes with the table they are about.

    Raises:
        StorageUnavailableError: the database is away.
    """
    proxy = engine.raw_connection()
    try:
        connection: Any = proxy.driver_connection
        check = _sqlite_faults if engine.dialect.name == SQLITE else _postgresql_faults
        return tuple(check(connection))
    except Exception as error:
        if fault_of(error) in {Fault.LOST, Fault.AWAY}:
            raise StorageUnavailableError from error
        raise
    finally:
        proxy.close()


def _sqlite_faults(connection: Any) -> Iterator[str]:
    found = connection.execute(
        "SELECT tbl_name, count(*) FROM sqlite_master WHERE type = 'trigger' GROUP BY tbl_name"
    )
    counts = dict(found.fetchall())
    yield from (f"trigger_missing:{t}" for t, n in SQLITE_GUARDED.items() if counts.get(t, 0) < n)


def _postgresql_faults(connection: Any) -> list[str]:
    import psycopg  # noqa: PLC0415 - a service on SQLite never loads it

    with connection.transaction(force_rollback=True):
        try:
            with connection.transaction():
                connection.execute(
                    "SELECT set_config('role', %s, true), set_config('moss.tenant_id', '', true)",
                    (APP_ROLE,),
                )
        except (psycopg.errors.InvalidParameterValue, psycopg.errors.InsufficientPrivilege):
            return ["role_switch_refused"]
        return [
            *_role_faults(connection),
            *_table_faults(connection),
            *_policy_faults(connection),
            *_history_faults(connection),
        ]


def _role_faults(connection: Any) -> Iterator[str]:
    row = connection.execute(_ROLE).fetchone()
    assert row is not None
    yield from (
        fault
        for fault, is_so in zip(("role_is_superuser", "role_bypasses_rls"), row, strict=True)
        if is_so
    )


def _table_faults(connection: Any) -> Iterator[str]:
    for name, enabled, forced, owned in connection.execute(_TABLES).fetchall():
        if not (enabled and forced):
            yield f"row_security_off:{name}"
        if owned:
            yield f"table_owned:{name}"
        rows = connection.execute(f'SELECT EXISTS (SELECT 1 FROM "{name}")').fetchone()
        if rows != (False,):
            yield f"rows_without_tenant:{name}"


def _policy_faults(connection: Any) -> Iterator[str]:
    bound = set()
    for table, name, command, permissive, qual, check in connection.execute(_POLICIES).fetchall():
        if name == "tenant" and (command, permissive) == ("ALL", "PERMISSIVE"):
            if all("moss.tenant_id" in str(each) for each in (qual, check)):
                bound.add(table)
        elif (table, name) not in ALLOWED:
            yield f"policy_unexpected:{table}"
    yield from (f"policy_missing:{table}" for table in TENANT_TABLES if table not in bound)


def _history_faults(connection: Any) -> Iterator[str]:
    for table in IMMUTABLE:
        row = connection.execute(
            "SELECT has_table_privilege(%s, 'UPDATE, DELETE, TRUNCATE')", (table,)
        ).fetchone()
        if row != (False,):
            yield f"history_writable:{table}"
    counts = dict(connection.execute(_TRIGGERS).fetchall())
    yield from (
        f"trigger_missing:{table}"
        for table, due in GUARDED.items()
        if int(str(counts.get(table, 0))) < due
    )
