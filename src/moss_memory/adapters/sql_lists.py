"""Statements of lists, compiled once for each shape of question: now, by ids, or as it was known.

A page of several scopes is a union of one index range each, every one cut to the page: its cost
does not grow with what is stored.
"""

from collections.abc import Mapping
from datetime import timedelta
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    func,
    literal_column,
    not_,
    or_,
    select,
    tuple_,
    union_all,
)

from moss_memory.adapters.sql_call import AnyOf, Call, Statement
from moss_memory.adapters.sql_forms import Cursor, Form
from moss_memory.adapters.sql_open import TENANT
from moss_memory.adapters.sql_rows import WITH_WORDS
from moss_memory.adapters.sql_slots import space_id
from moss_memory.adapters.sql_tables import memory_head, memory_revision, occurrence, payload
from moss_memory.adapters.sql_types import Micros, Whole, Words
from moss_memory.core.interval import Interval
from moss_memory.flow.ports import Query, Space

LAST_CHARACTER: Final = "\U0010ffff"
INSTANT: Final = timedelta(microseconds=1)
_NOW: Final = bindparam("now", type_=Micros())


def shape_of(query: Query) -> dict[str, Any]:
    """Return the parameters that a query has, by name; which are there is its shape."""
    params: dict[str, Any] = {"now": query.now, "limit": query.limit + 1}
    if query.domains:
        params["domains"] = list(query.domains)
    for name in ("predicate", "subject"):
        if (value := getattr(query, name)) is not None:
            params[name] = value
    if query.subject_prefix is not None:
        params["subject_prefix"] = query.subject_prefix
        params["subject_last"] = query.subject_prefix + LAST_CHARACTER
    for name, window in windows_asked(query).items():
        params |= {f"{name}_from": window.start, f"{name}_until": window.end}
    if query.cursor is not None:
        params["cursor_at"], params["cursor_id"] = query.cursor
    return params


def windows_asked(query: Query) -> dict[str, Interval]:
    """Return the windows that a memory has to touch, by name."""
    windows = {"overlaps": query.overlaps} if query.overlaps else {}
    if query.valid_at is not None:
        windows["valid"] = Interval(query.valid_at, query.valid_at + INSTANT)
    return windows


def _filters(table: Any, subject: ColumnElement[Any], names: frozenset[str]) -> list[Any]:
    """Return the conditions of a shape; series are looked at again in Python."""
    made: list[Any] = [table.c.tenant_id == TENANT]
    if "domains" in names:
        made.append(AnyOf(table.c.domain, "domains"))
    if "predicate" in names:
        made.append(table.c.predicate == bindparam("predicate", type_=Words))
    if "subject" in names:
        made.append(subject == bindparam("subject", type_=Words))
    if "subject_prefix" in names:
        made.append(subject >= bindparam("subject_prefix", type_=Words))
        made.append(subject <= bindparam("subject_last", type_=Words))
    for name in ("overlaps", "valid"):
        if f"{name}_from" in names:
            made.append(table.c.valid_from < bindparam(f"{name}_until", type_=Micros()))
            made.append(table.c.valid_until > bindparam(f"{name}_from", type_=Micros()))
    if "cursor_at" in names:
        seen = (bindparam("cursor_at", type_=Micros()), bindparam("cursor_id", type_=Words))
        made.append(tuple_(table.c.recorded_at, table.c.memory_id) < tuple_(*seen))
    return made


def _state(table: Any, state: str) -> list[Any]:
    living = and_(table.c.active, or_(table.c.expires_at.is_(None), table.c.expires_at > _NOW))
    return {"active": [living], "inactive": [not_(living)], "all": []}[state]


def _in_order(statement: Select[Any], table: Any, first: str = "recorded_at") -> Select[Any]:
    ordered = statement.order_by(_first(table, first).desc(), table.c.memory_id.desc())
    return ordered.limit(bindparam("limit", type_=Whole))


def _first(table: Any, name: str) -> ColumnElement[Any]:
    """Return what a part is cut by; with a plus sign no index gives that order.

    A subject is found by its own index: walking all of a scope in order looks cheap to a planner
    that sees a LIMIT.
    """
    if name == "+recorded_at":
        return literal_column("+memory_head.recorded_at")
    found: ColumnElement[Any] = table.c[name]
    return found


@lru_cache(maxsize=256)
def _chosen(form: Form[Any], names: frozenset[str]) -> Statement:
    """Return the heads of given ids, by their key; in which scopes they are was looked at."""
    filters = [*_filters(memory_head, memory_head.c.subject, names), *_state(memory_head, "active")]
    found = select(*form.head).where(*filters, not_(memory_head.c.erased))
    found = found.where(AnyOf(memory_head.c.memory_id, "memory_ids"))
    return Statement(_in_order(found, memory_head, "+recorded_at"))


@lru_cache(maxsize=256)
def _heads(form: Form[Any], scopes: int, state: str, names: frozenset[str]) -> Statement:
    filters = _filters(memory_head, memory_head.c.subject, names)
    filters += [not_(memory_head.c.erased), *_state(memory_head, state)]
    if any(name.endswith("_from") for name in names):
        filters.append(_touching(names))
    parts = [
        _in_order(
            select(*form.head).where(
                memory_head.c.scope_id == bindparam(f"scope_{number}", type_=Words), *filters
            ),
            memory_head,
            "+recorded_at" if names & {"subject", "subject_prefix"} else "recorded_at",
        ).subquery()
        for number in range(scopes)
    ]
    if len(parts) == 1:
        return Statement(select(parts[0]))
    whole = union_all(*(select(part) for part in parts)).subquery("whole")
    return Statement(_in_order(select(whole), whole))


def _touching(names: frozenset[str]) -> ColumnElement[bool]:
    """Look up a series' occurrences; what has none stored (one window, inactive) passes."""
    inside = [
        and_(
            occurrence.c.starts_at < bindparam(f"{name}_until", type_=Micros()),
            occurrence.c.ends_at > bindparam(f"{name}_from", type_=Micros()),
        )
        for name in ("overlaps", "valid")
        if f"{name}_from" in names
    ]
    found = [
        select(literal_column("1"))
        .where(
            occurrence.c.tenant_id == memory_head.c.tenant_id,
            occurrence.c.memory_id == memory_head.c.memory_id,
            each,
        )
        .exists()
        for each in inside
    ]
    return or_(memory_head.c.windows.is_(None), not_(memory_head.c.active), and_(*found))


@lru_cache(maxsize=256)
def _known(
    form: Form[Any], spaces: int, state: str, names: frozenset[str], *, one: bool
) -> Statement:
    """Return the newest revision of each memory at or before the epoch of its space."""
    table = memory_revision
    subject = func.coalesce(table.c.subject, payload.c.subject)
    later = memory_revision.alias("later")
    filters = [*_filters(table, subject, names), *_state(table, state)]
    filters.append(AnyOf(table.c.scope_id, "scopes"))
    if one:
        filters.append(table.c.memory_id == bindparam("memory_id", type_=Words))
    parts = []
    for number in range(spaces):
        epoch = bindparam(f"epoch_{number}", type_=Whole)
        superseded: Select[Any] = select(literal_column("1")).where(
            later.c.tenant_id == table.c.tenant_id,
            later.c.memory_id == table.c.memory_id,
            later.c.revision > table.c.revision,
            later.c.epoch <= epoch,
        )
        then = select(*form.revision).select_from(WITH_WORDS).where(
            table.c.space_id == bindparam(f"space_{number}", type_=Words),
            table.c.epoch <= epoch,
            not_(superseded.exists()),
            *filters,
        )  # fmt: skip
        # Within a space the epoch is the order of recording, and its index ends the search.
        parts.append(_in_order(then, table, "epoch").subquery())
    whole = union_all(*(select(part) for part in parts)).subquery("whole")
    return Statement(_in_order(select(whole), whole))


def now_call(
    form: Form[Any], query: Query, params: Mapping[str, Any], hits: list[Cursor] | None
) -> Call:
    """Return the look at a page as it is now: of ``hits``, None for all there are."""
    if hits is not None:
        chosen = {**params, "memory_ids": [memory_id for _, memory_id in hits]}
        return Call(_chosen(form, _named(chosen)), chosen)
    scopes = {f"scope_{n}": scope for n, scope in enumerate(dict.fromkeys(query.scopes))}
    return Call(_heads(form, len(scopes), query.state, _named(params)), {**params, **scopes})


def past_call(
    form: Form[Any],
    query: Query,
    epochs: Mapping[Space, int],
    params: Mapping[str, Any],
    memory_id: str | None = None,
) -> Call | None:
    """Return the look at a page, or at one memory, as it was known; None where nothing was."""
    if not epochs:
        return None
    placed: dict[str, Any] = {"scopes": list(query.scopes)}
    for number, (each, epoch) in enumerate(epochs.items()):
        placed |= {f"space_{number}": space_id(each), f"epoch_{number}": epoch}
    if memory_id is not None:
        placed["memory_id"] = memory_id
    statement = _known(form, len(epochs), query.state, _named(params), one=memory_id is not None)
    return Call(statement, {**params, **placed})


def _named(params: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(params) - {"tenant_id", "now", "limit"}
