"""Words to look for: a row for each token of every active memory, made by the writer.

The heads clear them: whatever moves a head (a write, a rebuild, a sweep, an erasure) removes its
rows, so that no words outlive their memory. Looked up by equality alone, which row-level security
lets an index do; ``@@`` of a tsvector is not leakproof, and read every row under the policy.
"""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

# Rows are a projection, so they are made by the code that will look them up, not by a copy of it.
from moss_memory.adapters.sql_tokens import TOKENS, token_rows
from moss_memory.adapters.sql_types import Words, canonical

revision = "0005_search"
down_revision = "0004_row_security"
branch_labels = None
depends_on = None

BATCH = 500
BOUND = "tenant_id = nullif(current_setting('moss.tenant_id', true), '')"
REMOVE = "DELETE FROM search WHERE tenant_id = OLD.tenant_id AND memory_id = OLD.memory_id"
PG_FUNCTION = f"""
    CREATE FUNCTION moss_search() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        {REMOVE};
        RETURN NULL;
    END $$
"""
HEADS = sa.text("""
    SELECT tenant_id, memory_id, scope_id, domain, predicate, subject, object_value
    FROM memory_head
    WHERE tenant_id = :tenant_id AND active AND NOT erased AND memory_id > :after
    ORDER BY memory_id LIMIT :batch
""")


def upgrade() -> None:
    """Create the rows' table, what clears it, and the rows of what is there."""
    op.drop_table("search")
    tokens()
    indexes()
    if op.get_bind().dialect.name == "sqlite":
        for event in ("UPDATE", "DELETE"):
            name = f"search_{event.lower()}"
            op.execute(f"CREATE TRIGGER {name} AFTER {event} ON memory_head BEGIN {REMOVE}; END")
    else:
        secure()
        op.execute(PG_FUNCTION)
        op.execute(
            "CREATE TRIGGER search_follows AFTER UPDATE OR DELETE ON memory_head"
            " FOR EACH ROW EXECUTE FUNCTION moss_search()"
        )
    fill(op.get_bind())


def downgrade() -> None:
    """Drop the triggers and the rows; an empty table takes their place, as it was."""
    sqlite = op.get_bind().dialect.name == "sqlite"
    if sqlite:
        op.execute("DROP TRIGGER search_update")
        op.execute("DROP TRIGGER search_delete")
    else:
        op.execute("DROP TRIGGER search_follows ON memory_head")
        op.execute("DROP FUNCTION moss_search()")
    op.drop_index(op.f("ix_memory_head_gone"), "memory_head")
    op.drop_index(op.f("ix_memory_head_due"), "memory_head")
    op.drop_table("search")
    op.create_table(
        "search",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("memory_id", Words, nullable=False),
        sa.Column("scope_id", Words, nullable=False),
        sa.Column("tokens", Words, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "memory_id", name=op.f("pk_search")),
        sqlite_strict=True,
    )
    if not sqlite:
        secure()


def tokens() -> None:
    op.create_table(
        "search",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("scope_id", Words, nullable=False),
        sa.Column("token", Words, nullable=False),
        sa.Column("memory_id", Words, nullable=False),
        sa.Column("domain", Words, nullable=False),
        sa.PrimaryKeyConstraint(
            "tenant_id", "scope_id", "token", "memory_id", name=op.f("pk_search")
        ),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_search_tenant_id_memory_id"), "search", ["tenant_id", "memory_id"])


def indexes() -> None:
    """Find a scope's memories that have expired or are no more, the newest first."""
    op.create_index(
        op.f("ix_memory_head_due"),
        "memory_head",
        ["tenant_id", "scope_id", "expires_at"],
        sqlite_where=sa.text("active = 1 AND expires_at IS NOT NULL"),
        postgresql_where=sa.text("active AND expires_at IS NOT NULL"),
    )
    op.create_index(
        op.f("ix_memory_head_gone"),
        "memory_head",
        ["tenant_id", "scope_id", "recorded_at", "memory_id"],
        sqlite_where=sa.text("active = 0"),
        postgresql_where=sa.text("NOT active"),
    )


def secure() -> None:
    """Give the table what 0004 gave the one before it."""
    op.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON search TO moss_app")
    op.execute("ALTER TABLE search ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE search FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON search USING ({BOUND}) WITH CHECK ({BOUND})")


def fill(connection: sa.Connection) -> None:
    """Write the rows of every tenant's heads: its policy holds for the owner of the tables too."""
    insert = TOKENS.clause(connection.dialect.name)
    for tenant in connection.execute(sa.text("SELECT DISTINCT tenant_id FROM space")).scalars():
        bind(connection, tenant)
        for heads in batches(connection, tenant):
            rows = canonical([row for head in heads for row in token_rows(head)])
            connection.execute(insert, {"tenant_id": tenant, "rows": rows})
        bind(connection, "")


def bind(connection: sa.Connection, tenant: str) -> None:
    if connection.dialect.name != "sqlite":
        bound = sa.text("SELECT set_config('moss.tenant_id', :tenant_id, true)")
        connection.execute(bound, {"tenant_id": tenant})


def batches(connection: sa.Connection, tenant: str) -> Iterator[list[Any]]:
    params = {"tenant_id": tenant, "after": "", "batch": BATCH}
    while heads := connection.execute(HEADS, params).mappings().all():
        yield list(heads)
        params["after"] = heads[-1]["memory_id"]
