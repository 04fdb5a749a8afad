"""Guards: history is only added to, and no unwaived overlap of an exclusive class is stored.

The guard is the belt behind the linter: it holds for a writer that never lints as well. On
PostgreSQL it is checked at COMMIT and itself updates the space row, which makes two such writers
wait for each other (or fail with 40001 under REPEATABLE READ); SQLite has one writer anyway.
"""

from alembic import op

revision = "0003_guards"
down_revision = "0002_governance"
branch_labels = None
depends_on = None

IMMUTABLE = ("memory_revision", "commit_log", "decision")

# :new is what was written, :k a span. Both engines share what "may not stand beside" means.
CLASH = """
    o.tenant_id = NEW.tenant_id AND o.space_id = NEW.space_id AND o.slot = NEW.slot
    AND o.span = used.k
    AND o.lint_from > CASE WHEN used.k = 40 THEN -4611686018427387904
                           ELSE NEW.lint_from - ({one} << {shift}) * 60000000 END
    AND o.lint_from < NEW.lint_until AND o.lint_until > NEW.lint_from
    AND o.guard = NEW.guard AND o.memory_id <> NEW.memory_id
    AND o.starts_at < NEW.ends_at AND o.ends_at > NEW.starts_at
    AND (o.lane <> NEW.lane OR NEW.alone)
    AND (o.expires_at IS NULL OR o.expires_at > {now})
    AND NOT EXISTS (
        SELECT 1 FROM waiver w
        WHERE w.tenant_id = NEW.tenant_id
        AND w.a = {low} AND w.b = {high}
        AND (w.a_revision, w.b_revision) = (
            CASE WHEN o.memory_id < NEW.memory_id THEN o.revision ELSE NEW.revision END,
            CASE WHEN o.memory_id < NEW.memory_id THEN NEW.revision ELSE o.revision END
        )
    )
"""

PG_REFUSE = """
    CREATE FUNCTION moss_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'moss_history: % is only added to', TG_TABLE_NAME
        USING ERRCODE = 'modifying_sql_data_not_permitted';
    END $$
"""
PG_GUARD = """
    CREATE FUNCTION moss_guard() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE now_at bigint;
    BEGIN
        PERFORM 1 FROM occurrence o
        WHERE o.tenant_id = NEW.tenant_id AND o.memory_id = NEW.memory_id
        AND o.starts_at = NEW.starts_at AND o.revision = NEW.revision;
        IF NOT FOUND THEN  -- taken back within the transaction
            RETURN NULL;
        END IF;
        -- A writer that claimed the space has just written this row; any other waits here.
        UPDATE space SET recorded_at = recorded_at
        WHERE tenant_id = NEW.tenant_id AND space_id = NEW.space_id
        AND xmin <> pg_current_xact_id()::xid;
        SELECT recorded_at INTO now_at FROM space
        WHERE tenant_id = NEW.tenant_id AND space_id = NEW.space_id;
        IF NEW.expires_at <= now_at THEN
            RETURN NULL;
        END IF;
        PERFORM 1 FROM (
            WITH RECURSIVE used(k) AS (
                SELECT min(span) FROM occurrence
                WHERE tenant_id = NEW.tenant_id AND space_id = NEW.space_id AND slot = NEW.slot
                UNION ALL
                SELECT (SELECT min(span) FROM occurrence
                        WHERE tenant_id = NEW.tenant_id AND space_id = NEW.space_id
                        AND slot = NEW.slot AND span > used.k)
                FROM used WHERE used.k IS NOT NULL
            ) SELECT k FROM used WHERE k IS NOT NULL
        ) used
        CROSS JOIN LATERAL (SELECT 1 FROM occurrence o WHERE {clash} LIMIT 1) AS found;
        IF FOUND THEN
            RAISE EXCEPTION 'moss_guard: an exclusive window is taken'
            USING ERRCODE = 'exclusion_violation';
        END IF;
        RETURN NULL;
    END $$
""".replace(
    "{clash}",
    CLASH.format(
        one="1::bigint",
        shift="used.k::int",
        now="now_at",
        low="least(o.memory_id, NEW.memory_id)",
        high="greatest(o.memory_id, NEW.memory_id)",
    ),
)
PG_GUARDED = """
    CREATE CONSTRAINT TRIGGER occurrence_guard AFTER INSERT OR UPDATE ON occurrence
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.guard IS NOT NULL)
    EXECUTE FUNCTION moss_guard()
"""

SPANS = " UNION ALL ".join(f"SELECT {k} AS k" for k in (*range(31), 40))
SQLITE_GUARD = """
    CREATE TRIGGER occurrence_guard_{event} AFTER {event} ON occurrence
    WHEN NEW.guard IS NOT NULL AND (
        NEW.expires_at IS NULL OR NEW.expires_at > coalesce({now}, 0)
    )
    BEGIN
        SELECT RAISE(ABORT, 'moss_guard: an exclusive window is taken')
        WHERE EXISTS (SELECT 1 FROM ({spans}) AS used
                      WHERE EXISTS (SELECT 1 FROM occurrence o WHERE {clash}));
    END
"""
SQLITE_NOW = (
    "(SELECT recorded_at FROM space WHERE tenant_id = NEW.tenant_id AND space_id = NEW.space_id)"
)


def upgrade() -> None:
    """Create the triggers."""
    if op.get_bind().dialect.name == "sqlite":
        _upgrade_sqlite()
    else:
        _upgrade_postgresql()


def _upgrade_sqlite() -> None:
    for table in IMMUTABLE:
        for event in ("UPDATE", "DELETE"):
            op.execute(f"""
                CREATE TRIGGER {table}_{event.lower()} BEFORE {event} ON {table}
                BEGIN SELECT RAISE(ABORT, 'moss_history: {table} is only added to'); END
            """)
    low, high = (f"{pick}(o.memory_id, NEW.memory_id)" for pick in ("min", "max"))
    clash = CLASH.format(one="1", shift="used.k", now=SQLITE_NOW, low=low, high=high)
    for event in ("insert", "update"):
        op.execute(SQLITE_GUARD.format(event=event, spans=SPANS, clash=clash, now=SQLITE_NOW))


def _upgrade_postgresql() -> None:
    op.execute(PG_REFUSE)
    for table in IMMUTABLE:
        op.execute(f"""
            CREATE TRIGGER {table}_only_added BEFORE UPDATE OR DELETE ON {table}
            FOR EACH ROW EXECUTE FUNCTION moss_refuse()
        """)
        op.execute(f"""
            CREATE TRIGGER {table}_kept BEFORE TRUNCATE ON {table}
            FOR EACH STATEMENT EXECUTE FUNCTION moss_refuse()
        """)
    op.execute(PG_GUARD)
    op.execute(PG_GUARDED)


def downgrade() -> None:
    """Drop the triggers."""
    if op.get_bind().dialect.name == "sqlite":
        for event in ("insert", "update"):
            op.execute(f"DROP TRIGGER occurrence_guard_{event}")
        for table in IMMUTABLE:
            for event in ("update", "delete"):
                op.execute(f"DROP TRIGGER {table}_{event}")
        return
    op.execute("DROP TRIGGER occurrence_guard ON occurrence")
    op.execute("DROP FUNCTION moss_guard()")
    for table in IMMUTABLE:
        op.execute(f"DROP TRIGGER {table}_only_added ON {table}")
        op.execute(f"DROP TRIGGER {table}_kept ON {table}")
    op.execute("DROP FUNCTION moss_refuse()")
