"""Lists: newest first, behind a keyset cursor, now or as it was known at an epoch.

Few memories in a window are looked up by it (``sql_window``); where there are many, a page is
soon full. The statements are those of ``sql_lists``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import bindparam, literal_column, select

from moss_memory.adapters.sql_call import AnyOf, Call, Result, Row, Statement
from moss_memory.adapters.sql_forms import MEMORIES, Cursor, Form
from moss_memory.adapters.sql_lists import now_call, past_call, shape_of, windows_asked
from moss_memory.adapters.sql_open import TENANT
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_slots import space_id
from moss_memory.adapters.sql_tables import commit_log, space
from moss_memory.adapters.sql_types import Micros
from moss_memory.adapters.sql_window import FEW, touching
from moss_memory.core.fact import Memory
from moss_memory.core.interval import FOREVER
from moss_memory.flow.ports import Page, Query, Space

T = TypeVar("T")

SPACES: Final = Statement(
    select(space.c.owner, space.c.domain, space.c.epoch).where(
        space.c.tenant_id == TENANT, AnyOf(space.c.owner, "owners"), space.c.domain != ""
    )
)
# The last commit before an instant, by one look into the index: in a space, recorded time and
# epochs grow together. As a maximum, both engines read every commit.
_known: Final = (
    select(commit_log.c.epoch)
    .where(
        commit_log.c.tenant_id == space.c.tenant_id,
        commit_log.c.space_id == space.c.space_id,
        commit_log.c.recorded_at <= bindparam("known_at", type_=Micros()),
    )
    .order_by(commit_log.c.recorded_at.desc())
    .limit(literal_column("1"))
    .scalar_subquery()
)
EPOCHS: Final = Statement(
    select(space.c.owner, space.c.domain, _known).where(
        space.c.tenant_id == TENANT, AnyOf(space.c.owner, "owners"), space.c.domain != ""
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines(Generic[T]):
    """What a page holds, read in one form."""

    items: tuple[T, ...] = ()
    more: bool = False
    known_epoch: Mapping[Space, int] | None = None


def epochs_call(tenant_id: str, query: Query) -> Call:
    """Return the look-up of the epochs that a query is to be true of, if it does not name them."""
    params: dict[str, Any] = {"tenant_id": tenant_id, "owners": list(query.scopes)}
    if query.known_at is None:
        return Call(SPACES, params)
    return Call(EPOCHS, params | {"known_at": query.known_at})


def epochs_in(query: Query, rows: Sequence[Row]) -> Mapping[Space, int]:
    """Read what ``epochs_call`` gave: the epoch of every space that a query reads."""
    return _within(
        query, {(owner, domain): epoch for owner, domain, epoch in rows if epoch is not None}
    )


def _epochs_of(session: Session, tenant_id: str, query: Query) -> Mapping[Space, int]:
    if query.known_epoch is not None:
        return _within(query, query.known_epoch)
    return epochs_in(query, session.run(epochs_call(tenant_id, query))[0].rows)


def _within(query: Query, epochs: Mapping[Space, int]) -> Mapping[Space, int]:
    return {
        each: epoch
        for each, epoch in epochs.items()
        if each[0] in query.scopes and (not query.domains or each[1] in query.domains)
    }


def read_page(session: Session, tenant_id: str, query: Query) -> Page:
    """Return one page of memories, with the epochs that it is true of."""
    if is_plain(query):
        results = session.run(*plain_calls(tenant_id, query), commit=True)
        return plain_page(tenant_id, query, results)
    lines = read_lines(session, MEMORIES, tenant_id, query)
    return Page(items=lines.items, more=lines.more, known_epoch=lines.known_epoch)


def read_lines(
    session: Session,
    form: Form[T],
    tenant_id: str,
    query: Query,
    epochs: Mapping[Space, int] | None = None,
) -> Lines[T]:
    """Return one page in a form, with the epochs that it is true of; looks on until it is full.

    ``epochs`` are those of the query where they were looked up already.
    """
    if not query.scopes:
        return Lines(known_epoch={})
    if epochs is None:
        epochs = _epochs_of(session, tenant_id, query)
    past = query.known_at is not None or query.known_epoch is not None
    params = shape_of(query) | {"tenant_id": tenant_id}
    items: list[T] = []
    while True:
        hits = None if past else _hits(session, query, epochs, params)
        call = (
            past_call(form, query, epochs, params) if past else now_call(form, query, params, hits)
        )
        last = hits is not None and len(hits) < _enough(query)
        rows = session.run(call, commit=last)[0].rows if call else []
        items += _read(form, rows, tenant_id, query)
        behind = _behind(form, rows, hits, query)
        if behind is None or len(items) > query.limit:
            break
        params |= {"cursor_at": behind[0], "cursor_id": behind[1]}  # some were passed over
    return Lines(
        items=tuple(items[: query.limit]), more=len(items) > query.limit, known_epoch=epochs
    )


def is_plain(query: Query) -> bool:
    """Tell whether one look decides a page: it is of now, and nothing is sorted out in Python."""
    past = query.known_at is not None or query.known_epoch is not None
    return bool(query.scopes) and not past and not windows_asked(query)


def plain_call(form: Form[Any], tenant_id: str, query: Query) -> Call:
    """Return the statement of a plain query."""
    return now_call(form, query, shape_of(query) | {"tenant_id": tenant_id}, None)


def plain_lines(form: Form[T], tenant_id: str, query: Query, rows: Sequence[Row]) -> Lines[T]:
    """Read what ``plain_call`` gave."""
    read = form.read
    items = tuple([read(row, tenant_id) for row in rows[: query.limit]])
    return Lines(items=items, more=len(rows) > query.limit)


def plain_calls(tenant_id: str, query: Query) -> tuple[Call, Call]:
    """Return the statements of a plain query, which may share a flight: epochs, then rows."""
    return epochs_call(tenant_id, query), plain_call(MEMORIES, tenant_id, query)


def plain_page(tenant_id: str, query: Query, results: Sequence[Result]) -> Page:
    """Read what ``plain_calls`` gave."""
    spaces, heads = results
    lines = plain_lines(MEMORIES, tenant_id, query, heads.rows)
    return Page(items=lines.items, more=lines.more, known_epoch=epochs_in(query, spaces.rows))


def read_known(session: Session, tenant_id: str, memory_id: str, query: Query) -> Memory | None:
    """Return the revision of one memory that a query knew."""
    if not query.scopes:
        return None
    epochs = _epochs_of(session, tenant_id, query)
    params = shape_of(query) | {"tenant_id": tenant_id}
    call = past_call(MEMORIES, query, epochs, params, memory_id)
    rows = session.run(call)[0].rows if call else []
    return next(_read(MEMORIES, rows, tenant_id, query), None)


def _hits(
    session: Session, query: Query, epochs: Mapping[Space, int], params: Mapping[str, Any]
) -> list[Cursor] | None:
    """Return what to choose from, where a window leaves few; None: walk the list in order."""
    by_subject = query.subject is not None or query.subject_prefix is not None
    windows = windows_asked(query)
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
    form: Form[Any], rows: Sequence[Row], hits: list[Cursor] | None, query: Query
) -> Cursor | None:
    """Return where to look on, None at the end."""
    if hits is not None:
        return hits[-1] if len(hits) == _enough(query) else None
    return form.place(rows[-1]) if len(rows) > query.limit else None


def _read(form: Form[T], rows: Sequence[Row], tenant_id: str, query: Query) -> Iterator[T]:
    """Read the rows that touch the windows asked about: of a series, the ends say too little."""
    asked = windows_asked(query).values()
    for row in rows:
        windows = form.windows(row) if asked else ()
        if all(any(w.start < a.end and w.end > a.start for w in windows) for a in asked):
            yield form.read(row, tenant_id)
