"""Looking memories up for a context: from the sides of time, words and kind, in one snapshot.

Words are looked for as parts of the stored ones, which is what stems and Hangul bigrams are, in
the narrow rows of ``search``, one range of an index a scope; so are all other sides.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import (
    Select,
    Subquery,
    Text,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    not_,
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
from moss_memory.adapters.sql_tables import search as word_rows
from moss_memory.adapters.sql_types import Micros, Whole, Words
from moss_memory.core.fact import Memory
from moss_memory.flow.ports import Found, Query, Search

_WANTED: Final = "wanted"
_TOTAL: Final = "total"
_STALE: Final = "stale"


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
    scan, gone = _scan_call(tenant_id, search), _retired_call(tenant_id, search)
    *touching, scanned, retired = (r.rows for r in session.run(*probes, scan, gone))
    legs: dict[str, list[str]] = {leg: [] for leg in (_WANTED, _TOTAL, _STALE)}
    for leg, value in scanned:
        legs[leg].append(value)
    page = read_page(session, tenant_id, _newest(search))
    known = {memory.memory_id: memory for memory in page.items}
    known |= {memory.memory_id: memory for memory in _memories(touching, tenant_id)}
    wanted = dict.fromkeys([*legs[_WANTED], *(row[0] for row in retired)])
    missing = [memory_id for memory_id in wanted if memory_id not in known]
    if missing:
        named = {"tenant_id": tenant_id, "memory_ids": missing}
        rows = session.run(Call(NEWEST, named))[0].rows
        known |= {memory.memory_id: memory for memory in _memories([rows], tenant_id)}
    return Found(
        memories=tuple(known.values()),
        total=int(legs[_TOTAL][0]) - int(legs[_STALE][0]),
        waived=waivers(session, tenant_id, list(known)),
        known_epoch=page.known_epoch or {},
    )


def _newest(search: Search) -> Query:
    return Query(scopes=search.scopes, now=search.now, domains=search.domains, limit=search.newest)


def _memories(results: Iterable[list[Row]], tenant_id: str) -> Iterator[Memory]:
    return (memory_of(row, tenant_id) for rows in results for row in rows)


def _scan_call(tenant_id: str, search: Search) -> Call:
    params: dict[str, Any] = {
        "tenant_id": tenant_id,
        "scopes": list(search.scopes),
        "now": search.now,
        "limit": search.limit,
        **{f"word_{number}": f"%{word}%" for number, word in enumerate(search.words)},
        **{f"kind_{number}": f"{kind} %" for number, kind in enumerate(search.predicates)},
    }
    if search.domains:
        params["domains"] = list(search.domains)
    statement = _scan(len(search.words), len(search.predicates), narrowed=bool(search.domains))
    return Call(statement, params)


@lru_cache(maxsize=256)
def _scan(words: int, kinds: int, *, narrowed: bool) -> Statement:
    """Return the scan for so many words and kinds.

    The rows of ``search`` do not know of expiry: what has expired and is not yet swept counts off.
    """
    heads = select(memory_head.c.memory_id).where(*_within(memory_head, narrowed=narrowed))
    stale = heads.where(
        memory_head.c.active, memory_head.c.expires_at <= bindparam("now", type_=Micros())
    )
    wanted = [stale.order_by(memory_head.c.expires_at.desc())]
    sides = (("word", words), ("kind", kinds))
    wanted += [_most(name, parts, narrowed=narrowed) for name, parts in sides if parts]
    total = select(func.count()).where(*_within(word_rows, narrowed=narrowed)).scalar_subquery()
    old = select(func.count()).select_from(stale.subquery()).scalar_subquery()
    return Statement(
        union_all(
            *(select(literal_column(f"'{_WANTED}'"), _first(leg).c.memory_id) for leg in wanted),
            select(literal_column(f"'{_TOTAL}'"), cast(total, Text)),
            select(literal_column(f"'{_STALE}'"), cast(old, Text)),
        )
    )


def _retired_call(tenant_id: str, search: Search) -> Call:
    scopes = {f"scope_{number}": scope for number, scope in enumerate(search.scopes)}
    params: dict[str, Any] = {"tenant_id": tenant_id, "limit": search.limit, **scopes}
    if search.domains:
        params["domains"] = list(search.domains)
    return Call(_retired(len(scopes), narrowed=bool(search.domains)), params)


@lru_cache(maxsize=64)
def _retired(scopes: int, *, narrowed: bool) -> Statement:
    """Return the newest that are no more, by scope: of a list, SQLite would miss the index."""
    domains = [AnyOf(memory_head.c.domain, "domains")] if narrowed else []
    parts = [
        _first(
            select(memory_head.c.memory_id)
            .where(
                memory_head.c.tenant_id == TENANT,
                memory_head.c.scope_id == bindparam(f"scope_{number}", type_=Words),
                not_(memory_head.c.active),
                not_(memory_head.c.erased),
                *domains,
            )
            .order_by(memory_head.c.recorded_at.desc(), memory_head.c.memory_id.desc())
        )
        for number in range(scopes)
    ]
    return Statement(union_all(*(select(part.c.memory_id) for part in parts)))


def _most(prefix: str, parts: int, *, narrowed: bool) -> Select[Any]:
    """Look over the rows of the scopes for the most of so many parts, the newest first."""
    held = [
        case((word_rows.c.tokens.like(bindparam(f"{prefix}_{n}", type_=Words)), 1), else_=0)
        for n in range(parts)
    ]
    hits = sum(held[1:], held[0]).label("hits")
    rows = (
        select(word_rows.c.memory_id, hits).where(*_within(word_rows, narrowed=narrowed)).subquery()
    )
    return (
        select(rows.c.memory_id)
        .where(rows.c.hits > 0)
        .order_by(rows.c.hits.desc(), rows.c.memory_id.desc())
    )


def _first(leg: Select[Any]) -> Subquery:
    return leg.limit(bindparam("limit", type_=Whole)).subquery()


def _within(table: Any, *, narrowed: bool) -> list[Any]:
    made = [table.c.tenant_id == TENANT, AnyOf(table.c.scope_id, "scopes")]
    return [*made, AnyOf(table.c.domain, "domains")] if narrowed else made
