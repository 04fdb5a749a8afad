"""Indexes of windows: the series that a sweep moves on, and what touches a window at all.

The probe of ``ix_occurrence_probe`` is within one slot; a list asks for every slot of a space,
and for the newest: the index alone says which those are.
"""

import sqlalchemy as sa
from alembic import op

from moss_memory.adapters.sql_types import Micros

revision = "0006_reach"
down_revision = "0005_search"
branch_labels = None
depends_on = None

FILL = """
    UPDATE occurrence SET recorded_at = (
        SELECT head.recorded_at FROM memory_head AS head
        WHERE head.tenant_id = occurrence.tenant_id AND head.memory_id = occurrence.memory_id
    )
"""
REPEATS = "active AND windows IS NOT NULL"
REPEATS_SQLITE = "active = 1 AND windows IS NOT NULL"


def upgrade() -> None:
    """Create them."""
    add_recorded_at()
    replace_page("valid_from", "valid_until")  # what lies outside a window is passed over there
    op.create_index(
        "ix_memory_head_series",
        "memory_head",
        ["tenant_id", "memory_id"],
        sqlite_where=sa.text(REPEATS_SQLITE),
        postgresql_where=sa.text(REPEATS),
    )
    op.create_index(
        "ix_occurrence_window",
        "occurrence",
        ["tenant_id", "space_id", "span", "starts_at", "ends_at", "recorded_at", "memory_id"],
    )


def replace_page(*more: str) -> None:
    op.drop_index("ix_memory_head_page", "memory_head")
    columns = ["tenant_id", "scope_id", "recorded_at", "memory_id", *more]
    op.create_index("ix_memory_head_page", "memory_head", columns)


def add_recorded_at() -> None:
    """Give windows the instant of their revision.

    The default stays: what served before goes on writing windows without it, which are listed as
    the oldest until a rebuild.
    """
    op.add_column(
        "occurrence", sa.Column("recorded_at", Micros(), nullable=False, server_default="0")
    )
    if op.get_bind().dialect.name == "sqlite":
        op.execute(FILL)
        return
    # As the owner of the tables, for every tenant; the guard has seen these windows.
    op.execute("ALTER TABLE occurrence DISABLE TRIGGER occurrence_guard")
    for table in ("occurrence", "memory_head"):
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    op.execute(FILL)
    for table in ("occurrence", "memory_head"):
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE occurrence ENABLE TRIGGER occurrence_guard")


def downgrade() -> None:
    """Drop them."""
    op.drop_index("ix_occurrence_window", "occurrence")
    op.drop_index("ix_memory_head_series", "memory_head")
    replace_page()
    op.drop_column("occurrence", "recorded_at")
