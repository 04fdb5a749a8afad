"""The rows that chains are made of, read as they are stored: instants stay numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    Table,
    and_,
    bindparam,
    literal_column,
    select,
    tuple_,
    type_coerce,
)

from moss_memory.adapters.sql_call import AnyOf, Statement
from moss_memory.adapters.sql_open import TENANT
from moss_memory.adapters.sql_tables import (
    commit_log,
    decision,
    decision_memory,
    memory_head,
    memory_revision,
    payload,
    space,
    waiver,
)
from moss_memory.adapters.sql_types import Micros, Whole, Words

_LIMIT: Final = bindparam("limit", type_=Whole)
_SPACE: Final = bindparam("space_id", type_=Words)
_AFTER: Final = bindparam("after", type_=Whole)


@dataclass(frozen=True, slots=True)
class Listing:
    """A statement and the names of what it returns; ``first`` is before every key of its pages."""

    statement: Statement
    names: tuple[str, ...]
    first: Mapping[str, Any] = field(default_factory=dict)


def _stored(table: Any) -> list[ColumnElement[Any]]:
    """Return a table's columns, instants as the numbers that they are."""
    return [
        type_coerce(column, BigInteger).label(column.name)
        if isinstance(column.type, Micros)
        else column
        for column in table.c
    ]


def _without_tenant(table: Any) -> list[ColumnElement[Any]]:
    return [column for column in _stored(table) if column.name != "tenant_id"]


def _listing(chosen: Select[Any], **first: Any) -> Listing:
    names = tuple(str(column.key) for column in chosen.selected_columns)
    return Listing(Statement(chosen), names, first)


def _paged(chosen: Select[Any], table: Table, **first: Any) -> Listing:
    """Return a listing in pages by some columns of a table."""
    keys = [table.c[name] for name in first]
    after = [bindparam(name, type_=table.c[name].type) for name in first]
    return _listing(
        chosen.where(table.c.tenant_id == TENANT, tuple_(*keys) > tuple_(*after))
        .order_by(*keys)
        .limit(_LIMIT),
        **first,
    )


SPACES: Final = _paged(select(space.c.space_id, space.c.epoch), space, space_id="")
COMMITS: Final = _listing(
    select(*_stored(commit_log))
    .where(
        commit_log.c.tenant_id == TENANT,
        commit_log.c.space_id == _SPACE,
        commit_log.c.epoch > _AFTER,
    )
    .order_by(commit_log.c.epoch)
    .limit(_LIMIT)
)
_before: Final = memory_revision.alias("before")
_later: Final = memory_revision.alias("later")
REVISIONS: Final = _listing(
    select(
        *_stored(memory_revision),
        _before.c.hash.label("before"),
        (
            ~select(literal_column("1"))
            .where(
                _later.c.tenant_id == memory_revision.c.tenant_id,
                _later.c.memory_id == memory_revision.c.memory_id,
                _later.c.revision > memory_revision.c.revision,
            )
            .exists()
        ).label("is_newest"),
        payload.c.salt,
        payload.c.subject.label("said"),
        payload.c.object_value,
        payload.c.source_ref,
    )
    .select_from(
        memory_revision.outerjoin(
            payload,
            and_(
                payload.c.tenant_id == memory_revision.c.tenant_id,
                payload.c.payload_id == memory_revision.c.payload_id,
            ),
        ).outerjoin(
            _before,
            and_(
                _before.c.tenant_id == memory_revision.c.tenant_id,
                _before.c.memory_id == memory_revision.c.memory_id,
                _before.c.revision == memory_revision.c.revision - 1,
            ),
        )
    )
    .where(
        memory_revision.c.tenant_id == TENANT,
        memory_revision.c.space_id == _SPACE,
        memory_revision.c.epoch > _AFTER,
        memory_revision.c.epoch <= bindparam("until", type_=Whole),
    )
)


def _of_decisions(table: Table) -> Listing:
    return _listing(
        select(*_without_tenant(table)).where(
            table.c.tenant_id == TENANT, AnyOf(table.c.decision_id, "decision_ids")
        )
    )


DECISIONS: Final = _of_decisions(decision)
NAMED: Final = _of_decisions(decision_memory)
WAIVED: Final = _of_decisions(waiver)
HEADS: Final = _listing(
    select(*_without_tenant(memory_head)).where(
        memory_head.c.tenant_id == TENANT, AnyOf(memory_head.c.memory_id, "memory_ids")
    )
)
PLACES: Final = _listing(
    select(memory_revision.c.space_id, memory_revision.c.epoch).where(
        memory_revision.c.tenant_id == TENANT,
        memory_revision.c.memory_id == bindparam("memory_id", type_=Words),
        memory_revision.c.revision == bindparam("revision", type_=Whole),
    )
)


def _astray(referred: Table, *same: ColumnElement[bool]) -> ColumnElement[bool]:
    found: Select[Any] = select(literal_column("1")).where(referred.c.tenant_id == TENANT, *same)
    return (~found.exists()).label("astray")


STRAY_DECISIONS: Final = _paged(
    select(
        decision.c.decision_id,
        decision.c.space_id,
        decision.c.epoch,
        _astray(commit_log, commit_log.c.decision_id == decision.c.decision_id),
    ),
    decision,
    decision_id="",
)
STRAY_HEADS: Final = _paged(
    select(
        memory_head.c.memory_id,
        memory_head.c.space_id,
        memory_head.c.epoch,
        _astray(memory_revision, memory_revision.c.memory_id == memory_head.c.memory_id),
    ),
    memory_head,
    memory_id="",
)
STRAY_WAIVERS: Final = _paged(
    select(
        waiver.c.a,
        waiver.c.a_revision,
        waiver.c.b,
        waiver.c.b_revision,
        and_(
            _astray(decision, decision.c.decision_id == waiver.c.decision_id),
            _astray(commit_log, commit_log.c.decision_id == waiver.c.decision_id),
        ).label("astray"),  # else the hash of its commit is over it
    ),
    waiver,
    a="",
    a_revision=0,
    b="",
    b_revision=0,
)
