"""Memories: spaces, revisions, words, heads, occurrences."""

import sqlalchemy as sa
from alembic import op

from moss_memory.adapters.sql_types import Bytes, Flag, Micros, Real, Whole, Words

revision = "0001_memory"
down_revision = None
branch_labels = None
depends_on = None

SOURCES = (
    "'user_explicit', 'user_selection', 'user_feedback', 'vision', 'task_result', 'model_inferred'"
)
TABLES = (
    "space",
    "commit_log",
    "memory_revision",
    "payload",
    "memory_head",
    "occurrence",
    "search",
)


def upgrade() -> None:
    """Create the tables."""
    space()
    commit_log()
    memory_revision()
    payload()
    memory_head()
    occurrence()
    search()


def downgrade() -> None:
    """Drop them, the newest first."""
    for table in reversed(TABLES):
        op.drop_table(table)


def space() -> None:
    op.create_table(
        "space",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("space_id", Words, nullable=False),
        sa.Column("owner", Words, nullable=False),
        sa.Column("domain", Words, nullable=False),
        sa.Column("epoch", Whole, nullable=False),
        sa.Column("recorded_at", Micros(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "space_id", name=op.f("pk_space")),
        sa.CheckConstraint("epoch >= 1", name=op.f("ck_space_epoch")),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_space_tenant_id_owner_domain"), "space", ["tenant_id", "owner", "domain"]
    )


def commit_log() -> None:
    op.create_table(
        "commit_log",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("space_id", Words, nullable=False),
        sa.Column("epoch", Whole, nullable=False),
        sa.Column("recorded_at", Micros(), nullable=False),
        sa.Column("operation", Words, nullable=False),
        sa.Column("decision_id", Words, nullable=False),
        sa.Column("actor", Words, nullable=False),
        sa.Column("request_id", Words, nullable=False),
        sa.Column("prev_hash", Bytes, nullable=False),
        sa.Column("hash", Bytes, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "space_id", "epoch", name=op.f("pk_commit_log")),
        sa.CheckConstraint("epoch >= 1", name=op.f("ck_commit_log_epoch")),
        sa.ForeignKeyConstraint(
            ["tenant_id", "space_id"],
            ["space.tenant_id", "space.space_id"],
            name=op.f("fk_commit_log_space"),
        ),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_commit_log_tenant_id_decision_id"), "commit_log", ["tenant_id", "decision_id"]
    )
    op.create_index(
        op.f("ix_commit_log_tenant_id_space_id_recorded_at"),
        "commit_log",
        ["tenant_id", "space_id", "recorded_at"],
    )


def memory_revision() -> None:
    op.create_table(
        "memory_revision",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("memory_id", Words, nullable=False),
        sa.Column("revision", Whole, nullable=False),
        sa.Column("space_id", Words, nullable=False),
        sa.Column("epoch", Whole, nullable=False),
        sa.Column("recorded_at", Micros(), nullable=False),
        sa.Column("created_at", Micros(), nullable=False),
        sa.Column("principal_id", Words, nullable=False),
        sa.Column("owner", Words, nullable=False),
        sa.Column("scope_id", Words, nullable=False),
        sa.Column("domain", Words, nullable=False),
        sa.Column("predicate", Words, nullable=False),
        sa.Column("time_spec", Words, nullable=True),
        sa.Column("zone", Words, nullable=False),
        sa.Column("windows", Words, nullable=True),
        sa.Column("valid_from", Micros(), nullable=False),
        sa.Column("valid_until", Micros(), nullable=False),
        sa.Column("open_ended", Flag(), nullable=False),
        sa.Column("event_status", Words, nullable=False),
        sa.Column("transparency", Words, nullable=False),
        sa.Column("buffer_before", Whole, nullable=False),
        sa.Column("buffer_after", Whole, nullable=False),
        sa.Column("source", Words, nullable=False),
        sa.Column("confidence", Real, nullable=False),
        sa.Column("observed_at", Micros(), nullable=False),
        sa.Column("expires_at", Micros(), nullable=True),
        sa.Column("hard", Flag(), nullable=False),
        sa.Column("active", Flag(), nullable=False),
        sa.Column("inactive_reason", Words, nullable=True),
        sa.Column("derived_from", Words, nullable=True),
        sa.Column("decision_id", Words, nullable=False),
        sa.Column("created_by_chat_id", Words, nullable=True),
        sa.Column("invalidated_by_chat_id", Words, nullable=True),
        sa.Column("parser", Words, nullable=True),
        sa.Column("model", Words, nullable=True),
        sa.Column("payload_id", Words, nullable=False),
        sa.Column("payload_mac", Bytes, nullable=False),
        sa.Column("hash", Bytes, nullable=False),
        sa.Column("subject", Words, nullable=True),
        sa.Column("slot_mac", Bytes, nullable=True),
        sa.Column("prev_hash", Bytes, nullable=False),
        sa.PrimaryKeyConstraint(
            "tenant_id", "memory_id", "revision", name=op.f("pk_memory_revision")
        ),
        sa.CheckConstraint(
            "buffer_before >= 0 AND buffer_after >= 0", name=op.f("ck_memory_revision_buffers")
        ),
        sa.CheckConstraint(
            "confidence >= 0 AND confidence <= 1", name=op.f("ck_memory_revision_confidence")
        ),
        sa.CheckConstraint("epoch >= 1", name=op.f("ck_memory_revision_epoch")),
        sa.CheckConstraint(
            "event_status IN ('confirmed', 'tentative', 'cancelled')",
            name=op.f("ck_memory_revision_event_status"),
        ),
        sa.CheckConstraint(
            "inactive_reason IN ('superseded', 'retired', 'expired')",
            name=op.f("ck_memory_revision_inactive_reason"),
        ),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_memory_revision_revision")),
        sa.CheckConstraint(
            f"source IN ({SOURCES})",
            name=op.f("ck_memory_revision_source"),
        ),
        sa.CheckConstraint(
            "(subject IS NULL) <> (slot_mac IS NULL)", name=op.f("ck_memory_revision_subject")
        ),
        sa.CheckConstraint(
            "transparency IN ('busy', 'free')", name=op.f("ck_memory_revision_transparency")
        ),
        sa.CheckConstraint("valid_from < valid_until", name=op.f("ck_memory_revision_window")),
        sa.ForeignKeyConstraint(
            ["tenant_id", "space_id", "epoch"],
            ["commit_log.tenant_id", "commit_log.space_id", "commit_log.epoch"],
            name=op.f("fk_memory_revision_commit_log"),
        ),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_memory_revision_epoch"),
        "memory_revision",
        ["tenant_id", "space_id", "epoch", "memory_id"],
    )


def payload() -> None:
    op.create_table(
        "payload",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("payload_id", Words, nullable=False),
        sa.Column("memory_id", Words, nullable=False),
        sa.Column("salt", Bytes, nullable=False),
        sa.Column("subject", Words, nullable=True),
        sa.Column("object_value", Words, nullable=False),
        sa.Column("source_ref", Words, nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "payload_id", name=op.f("pk_payload")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_payload_tenant_id_memory_id"), "payload", ["tenant_id", "memory_id"])


def memory_head() -> None:
    op.create_table(
        "memory_head",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("memory_id", Words, nullable=False),
        sa.Column("revision", Whole, nullable=False),
        sa.Column("space_id", Words, nullable=False),
        sa.Column("epoch", Whole, nullable=False),
        sa.Column("recorded_at", Micros(), nullable=False),
        sa.Column("created_at", Micros(), nullable=False),
        sa.Column("principal_id", Words, nullable=False),
        sa.Column("owner", Words, nullable=False),
        sa.Column("scope_id", Words, nullable=False),
        sa.Column("domain", Words, nullable=False),
        sa.Column("predicate", Words, nullable=False),
        sa.Column("time_spec", Words, nullable=True),
        sa.Column("zone", Words, nullable=False),
        sa.Column("windows", Words, nullable=True),
        sa.Column("valid_from", Micros(), nullable=False),
        sa.Column("valid_until", Micros(), nullable=False),
        sa.Column("open_ended", Flag(), nullable=False),
        sa.Column("event_status", Words, nullable=False),
        sa.Column("transparency", Words, nullable=False),
        sa.Column("buffer_before", Whole, nullable=False),
        sa.Column("buffer_after", Whole, nullable=False),
        sa.Column("source", Words, nullable=False),
        sa.Column("confidence", Real, nullable=False),
        sa.Column("observed_at", Micros(), nullable=False),
        sa.Column("expires_at", Micros(), nullable=True),
        sa.Column("hard", Flag(), nullable=False),
        sa.Column("active", Flag(), nullable=False),
        sa.Column("inactive_reason", Words, nullable=True),
        sa.Column("derived_from", Words, nullable=True),
        sa.Column("decision_id", Words, nullable=False),
        sa.Column("created_by_chat_id", Words, nullable=True),
        sa.Column("invalidated_by_chat_id", Words, nullable=True),
        sa.Column("parser", Words, nullable=True),
        sa.Column("model", Words, nullable=True),
        sa.Column("payload_id", Words, nullable=False),
        sa.Column("payload_mac", Bytes, nullable=False),
        sa.Column("hash", Bytes, nullable=False),
        sa.Column("subject", Words, nullable=False),
        sa.Column("object_value", Words, nullable=False),
        sa.Column("source_ref", Words, nullable=True),
        sa.Column("erased", Flag(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "memory_id", name=op.f("pk_memory_head")),
        sa.CheckConstraint(
            "buffer_before >= 0 AND buffer_after >= 0", name=op.f("ck_memory_head_buffers")
        ),
        sa.CheckConstraint(
            "confidence >= 0 AND confidence <= 1", name=op.f("ck_memory_head_confidence")
        ),
        sa.CheckConstraint("epoch >= 1", name=op.f("ck_memory_head_epoch")),
        sa.CheckConstraint(
            "event_status IN ('confirmed', 'tentative', 'cancelled')",
            name=op.f("ck_memory_head_event_status"),
        ),
        sa.CheckConstraint(
            "inactive_reason IN ('superseded', 'retired', 'expired')",
            name=op.f("ck_memory_head_inactive_reason"),
        ),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_memory_head_revision")),
        sa.CheckConstraint(
            f"source IN ({SOURCES})",
            name=op.f("ck_memory_head_source"),
        ),
        sa.CheckConstraint(
            "transparency IN ('busy', 'free')", name=op.f("ck_memory_head_transparency")
        ),
        sa.CheckConstraint("valid_from < valid_until", name=op.f("ck_memory_head_window")),
        sa.ForeignKeyConstraint(
            ["tenant_id", "memory_id", "revision"],
            ["memory_revision.tenant_id", "memory_revision.memory_id", "memory_revision.revision"],
            name=op.f("fk_memory_head_memory_revision"),
        ),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_memory_head_expiry"),
        "memory_head",
        ["tenant_id", "expires_at"],
        sqlite_where=sa.text("expires_at IS NOT NULL"),
        postgresql_where=sa.text("expires_at IS NOT NULL"),
    )
    op.create_index(
        op.f("ix_memory_head_page"),
        "memory_head",
        ["tenant_id", "scope_id", "recorded_at", "memory_id"],
    )
    op.create_index(
        op.f("ix_memory_head_subject"),
        "memory_head",
        ["tenant_id", "scope_id", "subject"],
    )


def occurrence() -> None:
    op.create_table(
        "occurrence",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("memory_id", Words, nullable=False),
        sa.Column("starts_at", Micros(), nullable=False),
        sa.Column("ends_at", Micros(), nullable=False),
        sa.Column("revision", Whole, nullable=False),
        sa.Column("space_id", Words, nullable=False),
        sa.Column("slot", Words, nullable=False),
        sa.Column("span", Whole, nullable=False),
        sa.Column("lint_from", Micros(), nullable=False),
        sa.Column("lint_until", Micros(), nullable=False),
        sa.Column("guard", Words, nullable=True),
        sa.Column("lane", Words, nullable=True),
        sa.Column("alone", Flag(), nullable=False),
        sa.Column("expires_at", Micros(), nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "memory_id", "starts_at", name=op.f("pk_occurrence")),
        sa.CheckConstraint("(guard IS NULL) = (lane IS NULL)", name=op.f("ck_occurrence_guard")),
        sa.CheckConstraint(
            "lint_from <= starts_at AND ends_at <= lint_until", name=op.f("ck_occurrence_lint")
        ),
        sa.CheckConstraint("starts_at < ends_at", name=op.f("ck_occurrence_window")),
        sa.ForeignKeyConstraint(
            ["tenant_id", "memory_id"],
            ["memory_head.tenant_id", "memory_head.memory_id"],
            name=op.f("fk_occurrence_memory_head"),
        ),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_occurrence_probe"),
        "occurrence",
        ["tenant_id", "space_id", "slot", "span", "lint_from", "lint_until"],
    )


def search() -> None:
    op.create_table(
        "search",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("memory_id", Words, nullable=False),
        sa.Column("scope_id", Words, nullable=False),
        sa.Column("tokens", Words, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "memory_id", name=op.f("pk_search")),
        sqlite_strict=True,
    )
