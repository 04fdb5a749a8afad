"""Lists: newest first, behind a keyset cursor, now or as it was known at an epoch.

A page of several scopes is a union of one index range each, every one cut to the page: its cost
does not grow with what is stored. Few memories in a window are looked up by it (``sql_window``);
where there are many, a page is soon full. Statements are compiled once for each shape of question.
"""

from collections.abc import Mapping, Sequence
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

from moss_memory.adapters.sql_call import AnyOf, Call, Row, Statement
from moss_memory.adapters.sql_open import TENANT
from moss_memory.adapters.sql_rows import HEAD, REVISION, WITH_WORDS, memory_of
from moss_memory.adapters.sql_session import Result, Session
from moss_memory.adapters.sql_slots import space_id
from moss_memory.adapters.sql_tables import (
    commit_log,
    memory_head,
    memory_revision,
    occurrence,
    payload,
    space,
)
from moss_memory.adapters.sql_types import Micros, Whole, Words
from moss_memory.adapters.sql_window import FEW, Cursor, touching
from moss_memory.core.fact import Memory
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.flow.ports import Page, Query, Space

LAST_CHARACTER: Final = "\U0010ffff"
INSTANT: Final = timedelta(microseconds=1)
_NOW: Final = bindparam("now", type_=Micros())

Shape = tuple[bool, ...]


def _shape(query: Query) -> dict[str, Any]:
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
    for name, window in _windows(query).items():
        params |= {f"{name}_from": window.start, f"{name}_until": window.end}
    if query.cursor is not None:
        params["cursor_at"], params["cursor_id"] = query.cursor
    return params


def _windows(query: Query) -> dict[str, Interval]:
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
def _chosen(names: frozenset[str]) -> Statement:
    """Return the heads of given ids, by their key; in which scopes they are was looked at."""
    filters = [*_filters(memory_head, memory_head.c.subject, names), *_state(memory_head, "active")]
    found = select(*HEAD).where(*filters, not_(memory_head.c.erased))
    found = found.where(AnyOf(memory_head.c.memory_id, "memory_ids"))
    return Statement(_in_order(found, memory_head, "+recorded_at"))


@lru_cache(maxsize=256)
def _heads(scopes: int, state: str, names: frozenset[str]) -> Statement:
    filters = _filters(memory_head, memory_head.c.subject, names)
    filters += [not_(memory_head.c.erased), *_state(memory_head, state)]
    if any(name.endswith("_from") for name in names):
        filters.append(_touching(names))
    parts = [
        _in_order(
            select(*HEAD).where(
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
def _known(spaces: int, state: str, names: frozenset[str], *, one: bool) -> Statement:
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
        then = select(*REVISION).select_from(WITH_WORDS).where(
            table.c.space_id == bindparam(f"space_{number}", type_=Words),
            table.c.epoch <= epoch,
            not_(superseded.exists()),
            *filters,
        )  # fmt: skip
        # Within a space the epoch is the order of recording, and its index ends the search.
        parts.append(_in_order(then, table, "epoch").subquery())
    whole = union_all(*(select(part) for part in parts)).subquery("whole")
    return Statement(_in_order(select(whole), whole))


SPACES: Final = Statement(
    select(space.c.owner, space.c.domain, space.c.epoch).where(
        space.c.tenant_id == TENANT, AnyOf(space.c.owner, "owners"), space.c.domain != ""
    )
)
EPOCHS: Final = Statement(
    select(space.c.owner, space.c.domain, func.max(commit_log.c.epoch))
    .select_from(space)
    .join(
        commit_log,
        and_(
            commit_log.c.tenant_id == space.c.tenant_id,
            commit_log.c.space_id == space.c.space_id,
            commit_log.c.recorded_at <= bindparam("known_at", type_=Micros()),
        ),
    )
    .where(space.c.tenant_id == TENANT, AnyOf(space.c.owner, "owners"), space.c.domain != "")
    .group_by(space.c.owner, space.c.domain)
)


def epochs_of(session: Session, tenant_id: str, query: Query) -> Mapping[Space, int]:
    """Resolve what a query knows to the epoch of every space that it reads, once."""
    params: dict[str, Any] = {"tenant_id": tenant_id, "owners": list(query.scopes)}
    if query.known_epoch is not None:
        return _within(query, query.known_epoch)
    if query.known_at is None:
        call = Call(SPACES, params)
    else:
        call = Call(EPOCHS, params | {"known_at": query.known_at})
    rows = session.run(call)[0].rows
    return _within(query, {(owner, domain): epoch for owner, domain, epoch in rows})


def _within(query: Query, epochs: Mapping[Space, int]) -> Mapping[Space, int]:
    return {
        each: epoch
        for each, epoch in epochs.items()
        if each[0] in query.scopes and (not query.domains or each[1] in query.domains)
    }


def read_page(session: Session, tenant_id: str, query: Query) -> Page:
    """Return one page, with the epochs that it is true of."""
    if not query.scopes:
        return Page(items=(), known_epoch={})
    if is_plain(query):
        calls = plain_calls(tenant_id, query)
        return plain_page(tenant_id, query, session.run(*calls, commit=True))
    epochs = epochs_of(session, tenant_id, query)
    past = query.known_at is not None or query.known_epoch is not None
    params = _shape(query) | {"tenant_id": tenant_id}
    items: list[Memory] = []
    while True:
        hits = None if past else _hits(session, query, epochs, params)
        call = _past_call(query, epochs, params) if past else _now_call(query, params, hits)
        rows = session.run(call)[0].rows if call else []
        items += [each for each in _memories(rows, tenant_id) if _touches(each, query)]
        behind = _behind(rows, hits, query, tenant_id)
        if behind is None or len(items) > query.limit:
            break
        params |= {"cursor_at": behind[0], "cursor_id": behind[1]}  # some were passed over
    return Page(
        items=tuple(items[: query.limit]), more=len(items) > query.limit, known_epoch=epochs
    )


def is_plain(query: Query) -> bool:
    """Tell whether one look decides a page: it is of now, and nothing is sorted out in Python."""
    past = query.known_at is not None or query.known_epoch is not None
    return bool(query.scopes) and not past and not _windows(query)


def plain_calls(tenant_id: str, query: Query) -> tuple[Call, Call]:
    """Return the statements of a plain query, which may share a flight: epochs, then rows."""
    params = _shape(query) | {"tenant_id": tenant_id}
    owners = {"tenant_id": tenant_id, "owners": list(query.scopes)}
    return Call(SPACES, owners), _now_call(query, params, None)


def plain_page(tenant_id: str, query: Query, results: Sequence[Result]) -> Page:
    """Read what ``plain_calls`` gave."""
    spaces, heads = results
    epochs = {(owner, domain): epoch for owner, domain, epoch in spaces.rows}
    return Page(
        items=tuple(_memories(heads.rows[: query.limit], tenant_id)),
        more=len(heads.rows) > query.limit,
        known_epoch=_within(query, epochs),
    )


def _hits(
    session: Session, query: Query, epochs: Mapping[Space, int], params: Mapping[str, Any]
) -> list[Cursor] | None:
    """Return what to choose from, where a window leaves few; None: walk the list in order."""
    by_subject = query.subject is not None or query.subject_prefix is not None
    windows = _windows(query)
    if query.state != "active" or by_subject or not windows:
        return None
    return touching(
        session,
        params["tenant_id"],
        [space_id(each) for each in epochs],
        windows.get("valid") or windows["overlaps"],
        after=(params.get("cursor_at", FOREVER), params.get("cursor_id", "")),
        enough=_enough(query),
    )


def _enough(query: Query) -> int:
    """Say how many hits fill a page; of one predicate, or in two windows, all may be needed."""
    both = query.overlaps is not None and query.valid_at is not None
    return FEW if query.predicate is not None or both else query.limit + 1


def _behind(
    rows: list[Row], hits: list[Cursor] | None, query: Query, tenant_id: str
) -> Cursor | None:
    """Return where to look on, None at the end."""
    if hits is not None:
        return hits[-1] if len(hits) == _enough(query) else None
    if len(rows) <= query.limit:
        return None
    last = memory_of(rows[-1], tenant_id)
    return last.recorded_at, last.memory_id


def _memories(rows: list[Row], tenant_id: str) -> list[Memory]:
    return [memory_of(row, tenant_id) for row in rows]


def _touches(memory: Memory, query: Query) -> bool:
    return all(
        any(each.start < window.end and each.end > window.start for each in memory.windows)
        for window in _windows(query).values()
    )


def _now_call(query: Query, params: Mapping[str, Any], hits: list[Cursor] | None) -> Call:
    if hits is not None:
        chosen = {**params, "memory_ids": [memory_id for _, memory_id in hits]}
        return Call(_chosen(_named(chosen)), chosen)
    scopes = {f"scope_{n}": scope for n, scope in enumerate(dict.fromkeys(query.scopes))}
    return Call(_heads(len(scopes), query.state, _named(params)), {**params, **scopes})


def _past_call(
    query: Query,
    epochs: Mapping[Space, int],
    params: Mapping[str, Any],
    memory_id: str | None = None,
) -> Call | None:
    if not epochs:
        return None
    placed: dict[str, Any] = {"scopes": list(query.scopes)}
    for number, (each, epoch) in enumerate(epochs.items()):
        placed |= {f"space_{number}": space_id(each), f"epoch_{number}": epoch}
    if memory_id is not None:
        placed["memory_id"] = memory_id
    statement = _known(len(epochs), query.state, _named(params), one=memory_id is not None)
    return Call(statement, {**params, **placed})


def _named(params: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(params) - {"tenant_id", "now", "limit"}


def read_known(session: Session, tenant_id: str, memory_id: str, query: Query) -> Memory | None:
    """Return the revision of one memory that a query knew."""
    if not query.scopes:
        return None
    epochs = epochs_of(session, tenant_id, query)
    call = _past_call(query, epochs, _shape(query) | {"tenant_id": tenant_id}, memory_id)
    rows = session.run(call)[0].rows if call else []
    return next((m for m in _memories(rows, tenant_id) if _touches(m, query)), None)
