"""Steady guard: it looks through the index made for it, whatever a planner thinks of the rows.

SQLite took the index of lists, since one more of its columns is compared, and each write read all
earlier windows of its space. So did PostgreSQL: without statistics all indexes of ``occurrence``
seem alike, and with those of a large table it fears to skip through the better one. An order that
one index alone has, and ``+ 0`` on what another would offer itself for, leave no choice.
"""

from alembic import op

revision = "0008_steady"
down_revision = "0007_belts"
branch_labels = None
depends_on = None

HERE = "FROM occurrence WHERE tenant_id = NEW.tenant_id AND space_id = NEW.space_id"
HERE += " AND slot = NEW.slot"
ORDER = "ORDER BY span, lint_from LIMIT 1"
CLASH = """
    o.tenant_id = NEW.tenant_id AND o.space_id = NEW.space_id AND o.slot = NEW.slot
    AND o.span = used.k
    AND o.lint_from > CASE WHEN used.k = 40 THEN -4611686018427387904
                           ELSE NEW.lint_from - ({one} << {shift}) * 60000000 END
    AND o.lint_from < NEW.lint_until AND o.lint_until{apart} > NEW.lint_from
    AND o.guard = NEW.guard AND o.memory_id <> NEW.memory_id
    AND o.starts_at{apart} < NEW.ends_at AND o.ends_at{apart} > NEW.starts_at
    AND (o.lane <> NEW.lane OR NEW.alone)
    AND (o.expires_at IS NULL OR o.expires_at > {now})
    AND NOT EXISTS (
        SELECT 1 FROM waiver w
        WHERE w.tenant_id = NEW.tenant_id
        AND w.a = {low}(o.memory_id, NEW.memory_id) AND w.b = {high}(o.memory_id, NEW.memory_id)
        AND (w.a_revision, w.b_revision) = (
            CASE WHEN o.memory_id < NEW.memory_id THEN o.revision ELSE NEW.revision END,
            CASE WHEN o.memory_id < NEW.memory_id THEN NEW.revision ELSE o.revision END
        )
    )
"""
PG_GUARD = """
    CREATE OR REPLACE FUNCTION moss_guard() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE now_at bigint;
    BEGIN
        PERFORM 1 FROM occurrence o
        WHERE o.tenant_id = NEW.tenant_id AND o.memory_id = NEW.memory_id
        AND {same} AND o.revision = NEW.revision {by_start};
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
                SELECT ({first})
                UNION ALL
                SELECT ({next}) FROM used WHERE used.k IS NOT NULL
            ) SELECT k FROM used WHERE k IS NOT NULL
        ) used
        CROSS JOIN LATERAL (
            SELECT 1 FROM occurrence o WHERE {clash} {order} LIMIT 1
        ) AS found;
        IF FOUND THEN
            RAISE EXCEPTION 'moss_guard: an exclusive window is taken'
            USING ERRCODE = 'exclusion_violation';
        END IF;
        RETURN NULL;
    END $$
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
    """Replace the function, or the triggers."""
    if op.get_bind().dialect.name == "sqlite":
        sqlite_guards(" + 0")
        return
    pg_guard(
        first=f"SELECT span {HERE} {ORDER}",
        next=f"SELECT span {HERE} AND span > used.k {ORDER}",
        same="o.starts_at >= NEW.starts_at AND o.starts_at <= NEW.starts_at",
        by_start="ORDER BY o.starts_at LIMIT 1",
        apart=" + 0",
        order="ORDER BY o.lint_from",
    )


def downgrade() -> None:
    """Put back what was there."""
    if op.get_bind().dialect.name == "sqlite":
        sqlite_guards("")
        return
    first = f"SELECT min(span) {HERE}"
    pg_guard(
        first=first,
        next=f"{first} AND span > used.k",
        same="o.starts_at = NEW.starts_at",
        by_start="",
        apart="",
        order="",
    )


def pg_guard(*, apart: str, **parts: str) -> None:
    clash = CLASH.format(
        one="1::bigint", shift="used.k::int", now="now_at", low="least", high="greatest",
        apart=apart,
    )  # fmt: skip
    op.execute(PG_GUARD.format(clash=clash, **parts))


def sqlite_guards(apart: str) -> None:
    clash = CLASH.format(
        one="1", shift="used.k", now=SQLITE_NOW, low="min", high="max", apart=apart
    )
    for event in ("insert", "update"):
        op.execute(f"DROP TRIGGER occurrence_guard_{event}")
        op.execute(SQLITE_GUARD.format(event=event, spans=SPANS, clash=clash, now=SQLITE_NOW))
