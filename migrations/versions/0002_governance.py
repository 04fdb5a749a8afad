"""Governance: decisions, waivers, questions, access, erasure."""

import sqlalchemy as sa
from alembic import op

from moss_memory.adapters.sql_types import Flag, Micros, Whole, Words

revision = "0002_governance"
down_revision = "0001_memory"
branch_labels = None
depends_on = None

SOURCES = (
    "'user_explicit', 'user_selection', 'user_feedback', 'vision', 'task_result', 'model_inferred'"
)
TABLES = (
    "event",
    "waiver",
    "decision",
    "decision_memory",
    "pending_outcome",
    "idempotency",
    "chat_history",
    "scope",
    "grant",
    "principal",
    "api_key",
    "erasure",
)


def upgrade() -> None:
    """Create the tables."""
    event()
    waiver()
    decision()
    decision_memory()
    pending_outcome()
    idempotency()
    chat_history()
    scope()
    grant()
    principal()
    api_key()
    erasure()


def downgrade() -> None:
    """Drop them, the newest first."""
    for table in reversed(TABLES):
        op.drop_table(table)


def event() -> None:
    op.create_table(
        "event",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("event_id", Words, nullable=False),
        sa.Column("kind", Words, nullable=False),
        sa.Column("scope_id", Words, nullable=False),
        sa.Column("ids", Words, nullable=False),
        sa.Column("revision", Whole, nullable=True),
        sa.Column("status", Words, nullable=False),
        sa.Column("principal_id", Words, nullable=True),
        sa.Column("recorded_at", Micros(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "event_id", name=op.f("pk_event")),
        sa.CheckConstraint(
            "kind IN ('memory.written', 'memory.retired', 'pending.opened', 'pending.settled')",
            name=op.f("ck_event_kind"),
        ),
        sqlite_strict=True,
    )


def waiver() -> None:
    op.create_table(
        "waiver",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("a", Words, nullable=False),
        sa.Column("a_revision", Whole, nullable=False),
        sa.Column("b", Words, nullable=False),
        sa.Column("b_revision", Whole, nullable=False),
        sa.Column("decision_id", Words, nullable=False),
        sa.PrimaryKeyConstraint(
            "tenant_id", "a", "a_revision", "b", "b_revision", name=op.f("pk_waiver")
        ),
        sa.CheckConstraint("a < b", name=op.f("ck_waiver_pair")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_waiver_tenant_id_b"), "waiver", ["tenant_id", "b"])
    op.create_index(op.f("ix_waiver_tenant_id_decision_id"), "waiver", ["tenant_id", "decision_id"])


def decision() -> None:
    op.create_table(
        "decision",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("decision_id", Words, nullable=False),
        sa.Column("outcome", Words, nullable=False),
        sa.Column("rule_ids", Words, nullable=False),
        sa.Column("rules_version", Words, nullable=False),
        sa.Column("supports", Words, nullable=False),
        sa.Column("contradicts", Words, nullable=False),
        sa.Column("findings", Words, nullable=False),
        sa.Column("actor", Words, nullable=False),
        sa.Column("chat_id", Words, nullable=True),
        sa.Column("pending_id", Words, nullable=True),
        sa.Column("space_id", Words, nullable=False),
        sa.Column("epoch", Whole, nullable=False),
        sa.Column("recorded_at", Micros(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "decision_id", name=op.f("pk_decision")),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_decision_tenant_id_pending_id"), "decision", ["tenant_id", "pending_id"]
    )


def decision_memory() -> None:
    op.create_table(
        "decision_memory",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("memory_id", Words, nullable=False),
        sa.Column("decision_id", Words, nullable=False),
        sa.Column("revision", Whole, nullable=False),
        sa.PrimaryKeyConstraint(
            "tenant_id", "memory_id", "decision_id", "revision", name=op.f("pk_decision_memory")
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "decision_id"],
            ["decision.tenant_id", "decision.decision_id"],
            name=op.f("fk_decision_memory_decision"),
        ),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_decision_memory_tenant_id_decision_id"),
        "decision_memory",
        ["tenant_id", "decision_id"],
    )


def pending_outcome() -> None:
    op.create_table(
        "pending_outcome",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("pending_id", Words, nullable=False),
        sa.Column("principal_id", Words, nullable=False),
        sa.Column("action", Words, nullable=False),
        sa.Column("receipt", Words, nullable=False),
        sa.Column("successor", Words, nullable=True),
        sa.Column("recorded_at", Micros(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "pending_id", name=op.f("pk_pending_outcome")),
        sqlite_strict=True,
    )


def idempotency() -> None:
    op.create_table(
        "idempotency",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("principal_id", Words, nullable=False),
        sa.Column("route", Words, nullable=False),
        sa.Column("key", Words, nullable=False),
        sa.Column("request_hash", Words, nullable=False),
        sa.Column("receipt", Words, nullable=True),
        sa.Column("recorded_at", Micros(), nullable=False),
        sa.PrimaryKeyConstraint(
            "tenant_id", "principal_id", "route", "key", name=op.f("pk_idempotency")
        ),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_idempotency_tenant_id_recorded_at"), "idempotency", ["tenant_id", "recorded_at"]
    )


def chat_history() -> None:
    op.create_table(
        "chat_history",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("chat_id", Words, nullable=False),
        sa.Column("principal_id", Words, nullable=False),
        sa.Column("said_at", Micros(), nullable=False),
        sa.Column("recorded_at", Micros(), nullable=False),
        sa.Column("length", Whole, nullable=False),
        sa.Column("locale", Words, nullable=False),
        sa.Column("words_hash", Words, nullable=False),
        sa.Column("masked", Words, nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "chat_id", name=op.f("pk_chat_history")),
        sa.CheckConstraint("length >= 0", name=op.f("ck_chat_history_length")),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_chat_history_tenant_id_recorded_at"), "chat_history", ["tenant_id", "recorded_at"]
    )


def scope() -> None:
    op.create_table(
        "scope",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("scope_id", Words, nullable=False),
        sa.Column("kind", Words, nullable=False),
        sa.Column("approver_must_differ", Flag(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "scope_id", name=op.f("pk_scope")),
        sa.CheckConstraint("kind IN ('personal', 'team', 'tenant')", name=op.f("ck_scope_kind")),
        sqlite_strict=True,
    )


def grant() -> None:
    op.create_table(
        "grant",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("scope_id", Words, nullable=False),
        sa.Column("principal_id", Words, nullable=False),
        sa.Column("visible", Flag(), nullable=False),
        sa.Column("writable", Flag(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "scope_id", "principal_id", name=op.f("pk_grant")),
        sa.ForeignKeyConstraint(
            ["tenant_id", "scope_id"],
            ["scope.tenant_id", "scope.scope_id"],
            name=op.f("fk_grant_scope"),
        ),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_grant_tenant_id_principal_id"), "grant", ["tenant_id", "principal_id"])


def principal() -> None:
    op.create_table(
        "principal",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("principal_id", Words, nullable=False),
        sa.Column("timezone", Words, nullable=True),
        sa.Column("locale", Words, nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "principal_id", name=op.f("pk_principal")),
        sqlite_strict=True,
    )


def api_key() -> None:
    op.create_table(
        "api_key",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("key_id", Words, nullable=False),
        sa.Column("principal_id", Words, nullable=False),
        sa.Column("digest", Words, nullable=False),
        sa.Column("rights", Words, nullable=False),
        sa.Column("source_ceiling", Words, nullable=False),
        sa.Column("read_mode", Words, nullable=False),
        sa.Column("write_mode", Words, nullable=False),
        sa.Column("created_at", Micros(), nullable=False),
        sa.Column("expires_at", Micros(), nullable=True),
        sa.Column("revoked_at", Micros(), nullable=True),
        sa.Column("last_used_day", Words, nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "key_id", name=op.f("pk_api_key")),
        sa.CheckConstraint(
            "read_mode IN ('off', 'writable_scopes', 'visible_scopes')",
            name=op.f("ck_api_key_read_mode"),
        ),
        sa.CheckConstraint(
            f"source_ceiling IN ({SOURCES})",
            name=op.f("ck_api_key_source_ceiling"),
        ),
        sa.CheckConstraint(
            "write_mode IN ('off', 'writable_scopes')", name=op.f("ck_api_key_write_mode")
        ),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_api_key_key_id"), "api_key", ["key_id"])
    op.create_index(
        op.f("ix_api_key_tenant_id_principal_id"), "api_key", ["tenant_id", "principal_id"]
    )


def erasure() -> None:
    op.create_table(
        "erasure",
        sa.Column("tenant_id", Words, nullable=False),
        sa.Column("erasure_id", Words, nullable=False),
        sa.Column("principal_id", Words, nullable=False),
        sa.Column("requested_by", Words, nullable=False),
        sa.Column("recorded_at", Micros(), nullable=False),
        sa.Column("counts", Words, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "erasure_id", name=op.f("pk_erasure")),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_erasure_tenant_id_principal_id"), "erasure", ["tenant_id", "principal_id"]
    )
