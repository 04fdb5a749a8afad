"""The tables of the store, for SQLite and PostgreSQL alike.

``tenant_id`` leads every primary, unique and foreign key; ids are made outside, there is no
sequence. History (``memory_revision``, ``commit_log``, ``decision``) is only ever inserted and
holds no words: those live in ``payload`` and, projected for reading, in ``memory_head``.
"""

from typing import Any, Final

from sqlalchemy import CheckConstraint, Column, ForeignKeyConstraint, Index, MetaData, Table, text

from moss_memory.adapters.sql_types import Bytes, Flag, Micros, Real, Whole, Words

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def _key(name: str, kind: Any = Words) -> Column[Any]:
    return Column(name, kind, primary_key=True, nullable=False)


def _must(name: str, kind: Any = Words) -> Column[Any]:
    return Column(name, kind, nullable=False)


def _may(name: str, kind: Any = Words) -> Column[Any]:
    return Column(name, kind, nullable=True)


def _one_of(column: str, *values: str) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def _index(name: str, *columns: str, sqlite: str, postgresql: str) -> Index:
    """An index of some rows: those for which the condition holds, as each engine spells it."""
    return Index(name, *columns, sqlite_where=text(sqlite), postgresql_where=text(postgresql))


def _table(name: str, *parts: Any, **options: Any) -> Table:
    return Table(name, metadata, *parts, sqlite_strict=True, **options)


SOURCES: Final = (
    "user_explicit", "user_selection", "user_feedback", "vision", "task_result", "model_inferred",
)  # fmt: skip


def _remembered() -> list[Any]:
    """What a revision and its head have in common: everything but the words and the chain."""
    return [
        _must("space_id"),
        _must("epoch", Whole),
        _must("recorded_at", Micros),
        _must("created_at", Micros),
        _must("principal_id"),
        _must("owner"),
        _must("scope_id"),
        _must("domain"),
        _must("predicate"),
        _may("time_spec"),
        _must("zone"),
        _may("windows"),  # None: the one window [valid_from, valid_until)
        _must("valid_from", Micros),
        _must("valid_until", Micros),
        _must("open_ended", Flag),
        _must("event_status"),
        _must("transparency"),
        _must("buffer_before", Whole),
        _must("buffer_after", Whole),
        _must("source"),
        _must("confidence", Real),
        _must("observed_at", Micros),
        _may("expires_at", Micros),
        _must("hard", Flag),
        _must("active", Flag),
        _may("inactive_reason"),
        _may("derived_from"),
        _must("decision_id"),
        _may("created_by_chat_id"),
        _may("invalidated_by_chat_id"),
        _may("parser"),
        _may("model"),
        _must("payload_id"),
        _must("payload_mac", Bytes),
        _must("hash", Bytes),
        CheckConstraint("valid_from < valid_until", name="window"),
        CheckConstraint("revision >= 1", name="revision"),
        CheckConstraint("epoch >= 1", name="epoch"),
        CheckConstraint("confidence >= 0 AND confidence <= 1", name="confidence"),
        CheckConstraint("buffer_before >= 0 AND buffer_after >= 0", name="buffers"),
        _one_of("event_status", "confirmed", "tentative", "cancelled"),
        _one_of("transparency", "busy", "free"),
        _one_of("source", *SOURCES),
        _one_of("inactive_reason", "superseded", "retired", "expired"),
    ]


space = _table(
    "space",
    _key("tenant_id"),
    _key("space_id"),
    _must("owner"),
    _must("domain"),
    _must("epoch", Whole),
    _must("recorded_at", Micros),
    CheckConstraint("epoch >= 1", name="epoch"),
    Index(None, "tenant_id", "owner", "domain"),
)

commit_log = _table(
    "commit_log",
    _key("tenant_id"),
    _key("space_id"),
    _key("epoch", Whole),
    _must("recorded_at", Micros),
    _must("operation"),
    _must("decision_id"),
    _must("actor"),
    _must("request_id"),
    _must("prev_hash", Bytes),
    _must("hash", Bytes),
    CheckConstraint("epoch >= 1", name="epoch"),
    ForeignKeyConstraint(["tenant_id", "space_id"], ["space.tenant_id", "space.space_id"]),
    Index(None, "tenant_id", "space_id", "recorded_at"),
    Index(None, "tenant_id", "decision_id"),
)

memory_revision = _table(
    "memory_revision",
    _key("tenant_id"),
    _key("memory_id"),
    _key("revision", Whole),
    *_remembered(),
    _may("subject"),  # None where the domain's subjects are open: then slot_mac stands for it
    _may("slot_mac", Bytes),
    _must("prev_hash", Bytes),
    CheckConstraint("(subject IS NULL) <> (slot_mac IS NULL)", name="subject"),
    ForeignKeyConstraint(
        ["tenant_id", "space_id", "epoch"],
        ["commit_log.tenant_id", "commit_log.space_id", "commit_log.epoch"],
    ),
    Index("ix_memory_revision_epoch", "tenant_id", "space_id", "epoch", "memory_id"),
)

payload = _table(
    "payload",
    _key("tenant_id"),
    _key("payload_id"),
    _must("memory_id"),
    _must("salt", Bytes),
    _may("subject"),
    _must("object_value"),
    _may("source_ref"),
    Index(None, "tenant_id", "memory_id"),
)

memory_head = _table(
    "memory_head",
    _key("tenant_id"),
    _key("memory_id"),
    _must("revision", Whole),
    *_remembered(),
    _must("subject"),
    _must("object_value"),
    _may("source_ref"),
    _must("erased", Flag),
    ForeignKeyConstraint(
        ["tenant_id", "memory_id", "revision"],
        [f"memory_revision.{name}" for name in ("tenant_id", "memory_id", "revision")],
    ),
    Index(
        "ix_memory_head_page",
        "tenant_id", "scope_id", "recorded_at", "memory_id", "valid_from", "valid_until",
    ),
    Index("ix_memory_head_subject", "tenant_id", "scope_id", "subject"),
    _index(
        "ix_memory_head_expiry", "tenant_id", "expires_at",
        sqlite="expires_at IS NOT NULL", postgresql="expires_at IS NOT NULL",
    ),
    _index(
        "ix_memory_head_due", "tenant_id", "scope_id", "expires_at",
        sqlite="active = 1 AND expires_at IS NOT NULL",
        postgresql="active AND expires_at IS NOT NULL",
    ),
    _index(
        "ix_memory_head_series", "tenant_id", "memory_id",
        sqlite="active = 1 AND windows IS NOT NULL", postgresql="active AND windows IS NOT NULL",
    ),
    _index(
        "ix_memory_head_gone", "tenant_id", "scope_id", "recorded_at", "memory_id",
        sqlite="active = 0", postgresql="NOT active",
    ),
)  # fmt: skip

occurrence = _table(
    "occurrence",
    _key("tenant_id"), _key("memory_id"), _key("starts_at", Micros),
    _must("ends_at", Micros),
    _must("revision", Whole),
    _must("recorded_at", Micros),  # of the revision
    _must("space_id"),
    _must("slot"),
    _must("span", Whole),
    _must("lint_from", Micros),  # starts_at and ends_at, widened by the buffers
    _must("lint_until", Micros),
    _may("guard"),  # windows of one guard exclude each other; None: they never do
    _may("lane"),  # ... except within one lane
    _must("alone", Flag),  # ... unless the lane excludes its own as well
    _may("expires_at", Micros),
    CheckConstraint("starts_at < ends_at", name="window"),
    CheckConstraint("lint_from <= starts_at AND ends_at <= lint_until", name="lint"),
    CheckConstraint("(guard IS NULL) = (lane IS NULL)", name="guard"),
    ForeignKeyConstraint(
        ["tenant_id", "memory_id"], ["memory_head.tenant_id", "memory_head.memory_id"]
    ),
    Index(  # and no plain (space, slot, lint_from) beside it: the planner would take that one
        "ix_occurrence_probe",
        "tenant_id", "space_id", "slot", "span", "lint_from", "lint_until",
    ),
    Index(
        "ix_occurrence_window",
        "tenant_id", "space_id", "span", "starts_at", "ends_at", "recorded_at", "memory_id",
    ),
)  # fmt: skip

search = _table(
    "search",
    _key("tenant_id"),
    _key("scope_id"),
    _key("token"),  # of active memories only; see sql_tokens
    _key("memory_id"),
    _must("domain"),
    Index(None, "tenant_id", "memory_id"),
    sqlite_with_rowid=False,
)

event = _table(
    "event",
    _key("tenant_id"),
    _key("event_id"),
    _must("kind"),
    _must("scope_id"),
    _must("ids"),
    _may("revision", Whole),
    _must("status"),
    _may("principal_id"),
    _must("recorded_at", Micros),
    _one_of("kind", "memory.written", "memory.retired", "pending.opened", "pending.settled"),
)

waiver = _table(
    "waiver",
    _key("tenant_id"),
    _key("a"),
    _key("a_revision", Whole),
    _key("b"),
    _key("b_revision", Whole),
    _must("decision_id"),
    CheckConstraint("a < b", name="pair"),
    Index(None, "tenant_id", "b"),
    Index(None, "tenant_id", "decision_id"),
)

decision = _table(
    "decision",
    _key("tenant_id"),
    _key("decision_id"),
    _must("outcome"),
    _must("rule_ids"),
    _must("rules_version"),
    _must("supports"),
    _must("contradicts"),
    _must("findings"),
    _must("actor"),
    _may("chat_id"),
    _may("pending_id"),
    _must("space_id"),
    _must("epoch", Whole),
    _must("recorded_at", Micros),
    Index(None, "tenant_id", "pending_id"),
)

decision_memory = _table(
    "decision_memory",
    _key("tenant_id"),
    _key("memory_id"),
    _key("decision_id"),
    _key("revision", Whole),
    ForeignKeyConstraint(
        ["tenant_id", "decision_id"], ["decision.tenant_id", "decision.decision_id"]
    ),
    Index(None, "tenant_id", "decision_id"),
)

pending_outcome = _table(
    "pending_outcome",
    _key("tenant_id"),
    _key("pending_id"),
    _must("principal_id"),
    _must("action"),
    _must("receipt"),
    _may("successor"),
    _must("recorded_at", Micros),
)

idempotency = _table(
    "idempotency",
    _key("tenant_id"),
    _key("principal_id"),
    _key("route"),
    _key("key"),
    _must("request_hash"),
    _may("receipt"),  # None only inside the transaction that is still running
    _must("recorded_at", Micros),
    Index(None, "tenant_id", "recorded_at"),
)

chat_history = _table(
    "chat_history",
    _key("tenant_id"),
    _key("chat_id"),
    _must("principal_id"),
    _must("said_at", Micros),
    _must("recorded_at", Micros),
    _must("length", Whole),
    _must("locale"),
    _must("words_hash"),
    _may("masked"),
    CheckConstraint("length >= 0", name="length"),
    Index(None, "tenant_id", "recorded_at"),
)

scope = _table(
    "scope",
    _key("tenant_id"),
    _key("scope_id"),
    _must("kind"),
    _must("approver_must_differ", Flag),
    _one_of("kind", "personal", "team", "tenant"),
)

grant = _table(
    "grant",
    _key("tenant_id"),
    _key("scope_id"),
    _key("principal_id"),
    _must("visible", Flag),
    _must("writable", Flag),
    ForeignKeyConstraint(["tenant_id", "scope_id"], ["scope.tenant_id", "scope.scope_id"]),
    Index(None, "tenant_id", "principal_id"),
)

principal = _table(
    "principal",
    _key("tenant_id"),
    _key("principal_id"),
    _may("timezone"),
    _may("locale"),
)

api_key = _table(
    "api_key",
    _key("tenant_id"),
    _key("key_id"),
    _must("principal_id"),
    _must("digest"),
    _must("rights"),
    _must("source_ceiling"),
    _must("read_mode"),
    _must("write_mode"),
    _must("created_at", Micros),
    _may("expires_at", Micros),
    _may("revoked_at", Micros),
    _may("last_used_day"),
    _one_of("source_ceiling", *SOURCES),
    _one_of("read_mode", "off", "writable_scopes", "visible_scopes"),
    _one_of("write_mode", "off", "writable_scopes"),
    Index(None, "key_id"),  # the tenant is unknown before the look-up
    Index(None, "tenant_id", "principal_id"),
)

erasure = _table(
    "erasure",
    _key("tenant_id"),
    _key("erasure_id"),
    _must("principal_id"),
    _must("requested_by"),
    _must("recorded_at", Micros),
    _must("counts"),
    Index(None, "tenant_id", "principal_id"),
)

IMMUTABLE: Final = ("memory_revision", "commit_log", "decision")
