"""Looking memories up for a context: from the sides of time, words and kind, in one snapshot.

Each side is a range of an index, cut where a context could not hold more: what it costs grows
with the question, not with what is stored. Words are looked up as own tokens (``sql_tokens``).
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from heapq import nlargest
from typing import Any, Final

from sqlalchemy import BindParameter, Table, bindparam, func, not_, select, text, union_all

from moss_memory.adapters.sql_call import AnyOf, Call, Result, Row, Statement
from moss_memory.adapters.sql_database import Database
from moss_memory.adapters.sql_guess import Asking
from moss_memory.adapters.sql_load import WAIVED
from moss_memory.adapters.sql_near import near_calls, nearest
from moss_memory.adapters.sql_open import NEWEST, TENANT
from moss_memory.adapters.sql_page import plain_calls, plain_page
from moss_memory.adapters.sql_rows import memory_of
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_standing import standing_call, standing_in
from moss_memory.adapters.sql_tables import memory_head
from moss_memory.adapters.sql_tables import search as token_table
from moss_memory.adapters.sql_tokens import ANY, cut, kind
from moss_memory.adapters.sql_types import Listed, Micros, Whole, Words
from moss_memory.core.fact import Memory
from moss_memory.core.relevance import rarity
from moss_memory.flow.ports import Found, Page, Query, Search, Standing

COMMON: Final = 1000  # the newest memories of a word that are looked at: what more have says little

_HELD: Final = """
    SELECT asked.token, (
        SELECT CAST({listed}(memory_id) AS text) FROM (
            SELECT memory_id FROM search
            WHERE tenant_id = :tenant_id AND scope_id = scope AND search.token = asked.token
            {within}
            ORDER BY memory_id DESC LIMIT :most
        ) AS found
    )
    FROM {scopes} CROSS JOIN {tokens}
"""


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

    def sought(
        self, tenant_id: str, principal_id: str, asked: Callable[[Standing], Search | None]
    ) -> Found | None:
        """Search for what a principal's standing leads to; None where that is nothing.

        Raises:
            StorageUnavailableError: the database is away.
        """
        database, asking = self._database, Asking(asked)
        guess = asking.of(database.standings.last(tenant_id, principal_id))

        def read(session: Session) -> Found | None:
            calls = _side_calls(tenant_id, guess) if guess else []
            found, *sides = session.run(standing_call(tenant_id, principal_id), *calls)
            search = asking.of(standing_in(database, tenant_id, principal_id, found))
            if search is None:
                return None
            if search != guess:
                sides = session.run(*_side_calls(tenant_id, search))
            return _found(session, tenant_id, search, sides)

        return database.read(tenant_id, read)

    def count(self, tenant_id: str, search: Search) -> int:
        """Count the active memories of the scopes and domains of a search.

        Raises:
            StorageUnavailableError: the database is away.
        """
        call = _named_call(_total, tenant_id, search)
        counted = self._database.read(tenant_id, lambda session: session.run(call)[0].rows)
        return int(counted[0][0])


def _search(session: Session, tenant_id: str, search: Search) -> Found:
    sides = session.run(*_side_calls(tenant_id, search))
    return _found(session, tenant_id, search, sides)


def _found(session: Session, tenant_id: str, search: Search, sides: Sequence[Result]) -> Found:
    """Read what the sides found, and in one flight more the memories that they name."""
    page, wanted, total = _named(tenant_id, search, sides)
    known = {memory.memory_id: memory for memory in page.items}
    missing = [memory_id for memory_id in dict.fromkeys(wanted) if memory_id not in known]
    looked, allowed = session.run(
        Call(NEWEST, {"tenant_id": tenant_id, "memory_ids": missing}),
        Call(WAIVED, {"tenant_id": tenant_id, "memory_ids": [*known, *missing]}),
        commit=True,
    )
    known |= {memory.memory_id: memory for memory in _memories(looked.rows, tenant_id)}
    return Found(
        memories=tuple(known.values()),
        total=total,
        waived=frozenset(tuple(row) for row in allowed.rows),
        known_epoch=page.known_epoch or {},
    )


def _newest(search: Search) -> Query:
    return Query(scopes=search.scopes, now=search.now, domains=search.domains, limit=search.newest)


def _memories(rows: Iterable[Row], tenant_id: str) -> Iterator[Memory]:
    return (memory_of(row, tenant_id) for row in rows)


def _side_calls(tenant_id: str, search: Search) -> list[Call]:
    """Ask for the newest, for what each side names, and how many active memories there are."""
    at, limit = search.at or search.now, search.limit
    return [
        *plain_calls(tenant_id, _newest(search)),
        _named_call(_total, tenant_id, search),
        _named_call(_expired, tenant_id, search),
        _retired_call(tenant_id, search),
        _held_call(tenant_id, search, [cut(word) for word in search.words], COMMON),
        _held_call(tenant_id, search, [kind(name) for name in search.predicates], limit),
        *(call for probe in search.probes for call in near_calls(tenant_id, probe, at, limit)),
    ]


def _named(tenant_id: str, search: Search, sides: Sequence[Result]) -> tuple[Page, list[str], int]:
    """Read the newest, name what each side found, and say how many are active."""
    at, limit = search.at or search.now, search.limit
    spaces, heads, *asked = sides
    total, expired, retired, worded, of_kind, *touching = (result.rows for result in asked)
    found = [*_best(worded, limit), *_best(of_kind, limit), *nearest(touching, at, limit)]
    named = [*found, *(row[0] for row in (*expired, *retired))]
    return plain_page(tenant_id, _newest(search), (spaces, heads)), named, total[0][0]


def _best(rows: Iterable[Row], limit: int) -> list[str]:
    """Rank memories by the tokens that they share, rare ones first, then the newest."""
    holding: dict[str, list[str]] = defaultdict(list)
    for token, found in rows:
        holding[token] += json.loads(found or "[]")
    every = sum(map(len, holding.values()))
    weights: dict[str, float] = defaultdict(float)
    for memory_ids in holding.values():
        weight = rarity(max(len(memory_ids), 1), every)
        for memory_id in memory_ids:
            weights[memory_id] += weight
    return nlargest(limit, weights, key=lambda memory_id: (weights[memory_id], memory_id))


def _held_call(tenant_id: str, search: Search, tokens: Sequence[str], most: int) -> Call:
    params = _params(tenant_id, search) | {"tokens": list(tokens), "most": most}
    return Call(_held(narrowed=bool(search.domains)), params)


@lru_cache(maxsize=2)
def _held(*, narrowed: bool) -> Statement:
    """Return the newest memories of each scope that hold each of the tokens, as a JSON array."""
    sqlite = _HELD.format(
        listed="json_group_array",
        within="AND domain IN (SELECT value FROM json_each(:domains))" if narrowed else "",
        scopes="(SELECT value AS scope FROM json_each(:scopes))",
        tokens="(SELECT value AS token FROM json_each(:tokens)) AS asked",
    )
    postgresql = _HELD.format(
        listed="json_agg",
        within="AND domain = ANY(CAST(:domains AS text[]))" if narrowed else "",
        scopes="unnest(CAST(:scopes AS text[])) AS scope",
        tokens="(SELECT unnest(CAST(:tokens AS text[])) AS token) AS asked",
    )
    lists = ("scopes", "tokens", *(["domains"] if narrowed else []))
    binds: list[BindParameter[Any]] = [bindparam(name, type_=Listed()) for name in lists]
    binds += [TENANT, bindparam("most", type_=Whole)]
    return Statement(
        sqlite=text(sqlite).bindparams(*binds), postgresql=text(postgresql).bindparams(*binds)
    )


def _named_call(made: Callable[..., Statement], tenant_id: str, search: Search) -> Call:
    params = _params(tenant_id, search) | {"now": search.now, "limit": search.limit}
    return Call(made(narrowed=bool(search.domains)), params)


def _params(tenant_id: str, search: Search) -> dict[str, Any]:
    params: dict[str, Any] = {"tenant_id": tenant_id, "scopes": list(search.scopes)}
    return params | {"domains": list(search.domains)} if search.domains else params


@lru_cache(maxsize=2)
def _total(*, narrowed: bool) -> Statement:
    """Count the memories: tokens know nothing of expiry, so what is not yet swept counts off."""
    held = select(func.count()).where(
        *_within(token_table, narrowed=narrowed), token_table.c.token == ANY
    )
    old = select(func.count()).where(*_overdue(narrowed=narrowed))
    return Statement(select(held.scalar_subquery() - old.scalar_subquery()))


@lru_cache(maxsize=2)
def _expired(*, narrowed: bool) -> Statement:
    overdue = select(memory_head.c.memory_id).where(*_overdue(narrowed=narrowed))
    newest = overdue.order_by(memory_head.c.expires_at.desc(), memory_head.c.memory_id.desc())
    return Statement(newest.limit(bindparam("limit", type_=Whole)))


def _overdue(*, narrowed: bool) -> list[Any]:
    due = memory_head.c.expires_at <= bindparam("now", type_=Micros())
    return [*_within(memory_head, narrowed=narrowed), memory_head.c.active, due]


def _retired_call(tenant_id: str, search: Search) -> Call:
    scopes = {f"scope_{number}": scope for number, scope in enumerate(search.scopes)}
    params = _params(tenant_id, search) | {"limit": search.limit, **scopes}
    return Call(_retired(len(scopes), narrowed=bool(search.domains)), params)


@lru_cache(maxsize=64)
def _retired(scopes: int, *, narrowed: bool) -> Statement:
    """Return the newest that are no more, by scope: of a list, SQLite would miss the index."""
    domains = [AnyOf(memory_head.c.domain, "domains")] if narrowed else []
    parts = [
        select(memory_head.c.memory_id)
        .where(
            memory_head.c.tenant_id == TENANT,
            memory_head.c.scope_id == bindparam(f"scope_{number}", type_=Words),
            not_(memory_head.c.active),
            not_(memory_head.c.erased),
            *domains,
        )
        .order_by(memory_head.c.recorded_at.desc(), memory_head.c.memory_id.desc())
        .limit(bindparam("limit", type_=Whole))
        .subquery()
        for number in range(scopes)
    ]
    return Statement(union_all(*(select(part.c.memory_id) for part in parts)))


def _within(table: Table, *, narrowed: bool) -> list[Any]:
    made = [table.c.tenant_id == TENANT, AnyOf(table.c.scope_id, "scopes")]
    return [*made, AnyOf(table.c.domain, "domains")] if narrowed else made
