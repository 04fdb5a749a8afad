"""Indexes of windows: the series that a sweep moves on, and what touches a window at all.

The probe of ``ix_occurrence_probe`` is within one slot; a list asks for every slot of a space.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006_reach"
down_revision = "0005_search"
branch_labels = None
depends_on = None

REPEATS = "active AND windows IS NOT NULL"
REPEATS_SQLITE = "active = 1 AND windows IS NOT NULL"


def upgrade() -> None:
    """Create them."""
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
        ["tenant_id", "space_id", "span", "starts_at", "ends_at", "memory_id"],
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_index("ix_occurrence_window", "occurrence")
    op.drop_index("ix_memory_head_series", "memory_head")
