"""Looking memories up for a context: from the sides of time, words and kind, in one snapshot.

Words are looked for as parts of the stored ones, which is what stems and Hangul bigrams are. One
pass over the heads of the scopes finds them, counts the active memories and names the newest of
those that are no more; the other sides are ranges of an index.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Select,
    Text,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    not_,
    or_,
    select,
    union_all,
)

from moss_memory.adapters.sql_call import AnyOf, Call, Row, Statement
from moss_memory.adapters.sql_database import Database
from moss_memory.adapters.sql_load import probe_call, waivers
from moss_memory.adapters.sql_open import NEWEST, TENANT
from moss_memory.adapters.sql_page import read_page
from moss_memory.adapters.sql_rows import memory_of
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_tables import memory_head
from moss_memory.adapters.sql_types import Micros, Whole, Words
from moss_memory.core.fact import Memory
from moss_memory.flow.ports import Found, Page, Query, Search

_LIVING: Final = and_(
    memory_head.c.active,
    or_(
        memory_head.c.expires_at.is_(None),
        memory_head.c.expires_at > bindparam("now", type_=Micros()),
    ),
)
_WORDED: Final = "worded"
_GONE: Final = "gone"
_TOTAL: Final = "total"
_TEXTS: Final = (memory_head.c.object_value, memory_head.c.subject)


class SqlFinder:
    """The Finder port on a store's database, on either engine."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def search(self, tenant_id: str, search: Search) -> Found:
        """Return the memories that may bear on a question, each once, in no meant order.

        Raises:
            StorageUnavailableError: the database is away.
        """
        return self._database.read(tenant_id, lambda session: _search(session, tenant_id, search))


def _search(session: Session, tenant_id: str, search: Search) -> Found:
    probes = [probe_call(tenant_id, probe) for probe in search.probes]
    *touching, scanned = (r.rows for r in session.run(*probes, _scan_call(tenant_id, search)))
    legs: dict[str, list[str]] = {_WORDED: [], _GONE: [], _TOTAL: []}
    for leg, value in scanned:
        legs[leg].append(value)
    pages = list(_pages(session, tenant_id, search))
    known = {memory.memory_id: memory for page in pages for memory in page.items}
    known |= {memory.memory_id: memory for memory in _memories(touching, tenant_id)}
    missing = [each for each in (*legs[_WORDED], *legs[_GONE]) if each not in known]
    if missing:
        named = {"tenant_id": tenant_id, "memory_ids": missing}
        rows = session.run(Call(NEWEST, named))[0].rows
        known |= {memory.memory_id: memory for memory in _memories([rows], tenant_id)}
    return Found(
        memories=tuple(known.values()),
        waived=waivers(session, tenant_id, list(known)),
        total=int(legs[_TOTAL][0]),
        known_epoch=pages[0].known_epoch or {},
    )


def _memories(results: Iterable[list[Row]], tenant_id: str) -> Iterator[Memory]:
    return (memory_of(row, tenant_id) for rows in results for row in rows)


def _pages(session: Session, tenant_id: str, search: Search) -> Iterator[Page]:
    """Read the newest of all, and of each kind asked about."""
    newest = Query(
        scopes=search.scopes, now=search.now, domains=search.domains, limit=search.newest
    )
    yield read_page(session, tenant_id, newest)
    for predicate in search.predicates:
        kind = replace(newest, predicate=predicate, limit=search.limit)
        yield read_page(session, tenant_id, kind)


def _scan_call(tenant_id: str, search: Search) -> Call:
    params: dict[str, Any] = {
        "tenant_id": tenant_id,
        "scopes": list(search.scopes),
        "now": search.now,
        "limit": search.limit,
        **{f"word_{number}": f"%{word}%" for number, word in enumerate(search.words)},
    }
    if search.domains:
        params["domains"] = list(search.domains)
    return Call(_scan(len(search.words), narrowed=bool(search.domains)), params)


@lru_cache(maxsize=64)
def _scan(words: int, *, narrowed: bool) -> Statement:
    """Return the scan for so many words; SQLite's LIKE knows no case, PostgreSQL has ILIKE."""
    return Statement(
        sqlite=_legs(words, ColumnElement.like, narrowed=narrowed),
        postgresql=_legs(words, ColumnElement.ilike, narrowed=narrowed),
    )


def _legs(words: int, like: Callable[..., Any], *, narrowed: bool) -> Any:
    scan = _heads(words, like, narrowed=narrowed).cte("scan")
    most = bindparam("limit", type_=Whole)
    worded = (
        select(scan.c.memory_id)
        .where(scan.c.living, scan.c.hits > 0)
        .order_by(scan.c.hits.desc(), scan.c.recorded_at.desc(), scan.c.memory_id)
        .limit(most)
        .subquery()
    )
    gone = (
        select(scan.c.memory_id)
        .where(not_(scan.c.living))
        .order_by(scan.c.recorded_at.desc(), scan.c.memory_id)
        .limit(most)
        .subquery()
    )
    return union_all(
        select(literal_column(f"'{_WORDED}'"), worded.c.memory_id),
        select(literal_column(f"'{_GONE}'"), gone.c.memory_id),
        select(literal_column(f"'{_TOTAL}'"), cast(func.count(), Text))
        .select_from(scan)
        .where(scan.c.living),
    )


def _heads(words: int, like: Callable[..., Any], *, narrowed: bool) -> Select[Any]:
    """Look every head of the scopes over: is it living, how many of the words does it hold?"""
    held = [
        case((or_(*(like(column, bindparam(f"word_{n}", type_=Words)) for column in _TEXTS)), 1),
             else_=0)
        for n in range(words)
    ]  # fmt: skip
    hits = sum(held[1:], held[0]) if held else literal_column("0")
    domains = [AnyOf(memory_head.c.domain, "domains")] if narrowed else []
    return select(
        memory_head.c.memory_id,
        memory_head.c.recorded_at,
        _LIVING.label("living"),
        hits.label("hits"),
    ).where(
        memory_head.c.tenant_id == TENANT,
        AnyOf(memory_head.c.scope_id, "scopes"),
        not_(memory_head.c.erased),
        *domains,
    )
