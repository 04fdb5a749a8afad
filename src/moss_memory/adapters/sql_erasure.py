"""Forgetting a principal: the words go, tombstones and a verifiable chain stay, the ledger knows.

What is the principal's own loses its payloads, its words in heads, its windows and tokens; chats,
stored answers, settings and grants go as well. In shared scopes the memory stays, and readers
name its writer ``erased``. The ledger is what a restore from backup re-applies.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Table,
    delete,
    func,
    not_,
    or_,
    select,
    text,
    update,
)

from moss_memory.adapters import sql_records, sql_rows, sql_slots
from moss_memory.adapters.sql_call import Call, Statement
from moss_memory.adapters.sql_database import Database
from moss_memory.adapters.sql_engine import SQLITE
from moss_memory.adapters.sql_open import PRINCIPAL, TENANT
from moss_memory.adapters.sql_scopes import SPACES
from moss_memory.adapters.sql_seal import uuid7
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_slots import Slots
from moss_memory.adapters.sql_tables import (
    chat_history,
    erasure,
    grant,
    idempotency,
    memory_head,
    memory_revision,
    occurrence,
    payload,
    principal,
    scope,
    search,
)
from moss_memory.adapters.sql_transact import Transactor
from moss_memory.adapters.sql_types import canonical
from moss_memory.adapters.sql_write import inserting
from moss_memory.core.ontology import Ontology
from moss_memory.flow.ports import Change, Decision, Entry, Frame, Loaded, Opened, Standing, Step
from moss_memory.flow.ports_steward import Erasure

COUNTED: Final = ("memories", "revisions", "payloads", "chats", "search_rows")

_own: Final = select(memory_head.c.memory_id).where(
    memory_head.c.tenant_id == TENANT, memory_head.c.owner == PRINCIPAL
)
_living: Final = _own.where(not_(memory_head.c.erased))


def _of(table: Table, ids: Any = _own) -> tuple[ColumnElement[bool], ...]:
    return table.c.tenant_id == TENANT, table.c.memory_id.in_(ids)


def _by(table: Table) -> Statement:
    return Statement(
        delete(table).where(table.c.tenant_id == TENANT, table.c.principal_id == PRINCIPAL)
    )


REVISIONS: Final = Statement(
    select(func.count()).select_from(memory_revision).where(*_of(memory_revision, _living))
)
PAYLOADS: Final = Statement(delete(payload).where(*_of(payload)))
OCCURRENCES: Final = Statement(delete(occurrence).where(*_of(occurrence)))
TOKENS: Final = Statement(delete(search).where(*_of(search)))
HEADS: Final = Statement(
    update(memory_head)
    .where(
        memory_head.c.tenant_id == TENANT,
        memory_head.c.owner == PRINCIPAL,
        not_(memory_head.c.erased),
    )
    .values(
        subject="",
        object_value="",
        source_ref=None,
        active=False,
        inactive_reason="retired",
        erased=True,
    )
)
CHATS: Final = _by(chat_history)
ANSWERS: Final = _by(idempotency)
SETTINGS: Final = _by(principal)
# What others hold in the principal's own scope goes with it; a shared one may bear the same name.
GRANTS: Final = Statement(
    delete(grant).where(
        grant.c.tenant_id == TENANT,
        or_(
            grant.c.principal_id == PRINCIPAL,
            grant.c.scope_id.in_(
                select(scope.c.scope_id).where(
                    scope.c.tenant_id == TENANT,
                    scope.c.scope_id == PRINCIPAL,
                    scope.c.kind == "personal",
                )
            ),
        ),
    )
)
HOLD_BACK: Final = Statement(
    postgresql=text("""
        SELECT pg_advisory_xact_lock(hashtextextended(:tenant_id || '/' || :principal_id, 0))
    """).bindparams(TENANT, PRINCIPAL)
)
LEDGER: Final = inserting(erasure)
ENTRIES: Final = Statement(
    select(
        erasure.c.erasure_id,
        erasure.c.principal_id,
        erasure.c.requested_by,
        erasure.c.recorded_at,
        erasure.c.counts,
    )
    .where(erasure.c.tenant_id == TENANT)
    .order_by(erasure.c.recorded_at, erasure.c.erasure_id)
)


class SqlErasures:
    """Erasures on a store's database."""

    def __init__(self, database: Database, *, clock: Callable[[], datetime] | None = None) -> None:
        self._database = database
        self._transactor = Transactor(database, Slots(Ontology()), clock=clock)

    def erase(
        self,
        tenant_id: str,
        principal_id: str,
        *,
        erasure_id: str,
        by: str,
        request_id: str = "",
        desk: Mapping[str, int] | None = None,
    ) -> Mapping[str, int]:
        """Erase a principal in one transaction; how many of each kind went, zero the second time.

        Every space of the principal gets a commit, so that its chain tells of the erasure and
        nothing cached outlives it. ``desk`` is what went from there: the ledger keeps it too.
        Who writes into a first space of the principal meanwhile is waited for, or waits.
        """
        whose = {"tenant_id": tenant_id, "principal_id": principal_id}
        row = {"erasure_id": erasure_id, "requested_by": by}
        while True:  # the spaces that there may be are few: domains
            found = self._database.rows(tenant_id, Call(SPACES, whose))
            entry = Entry(
                tenant_id=tenant_id,
                principal_id=principal_id,
                request_id=request_id,
                writes=frozenset((owner, domain) for owner, domain in found),
            )
            with suppress(_SpaceCameError):
                counts = self._erase(entry, whose, row, desk or {})
                self._forget(tenant_id, principal_id)
                return counts

    def _erase(
        self,
        entry: Entry,
        whose: Mapping[str, Any],
        row: Mapping[str, Any],
        desk: Mapping[str, int],
    ) -> Mapping[str, int]:
        counts: dict[str, int] = {}

        def decide(opened: Opened, _loaded: Loaded) -> Step[dict[str, int]]:
            decision = Decision(
                decision_id=uuid7(opened.recorded_at), outcome="ERASED", actor=row["requested_by"]
            )
            return Step(counts, Change(operation="erase", decision=decision))

        def also(session: Session, opened: Opened) -> Sequence[Call]:
            _hold_back(session, entry, whose)
            counts.update({**_destroy(session, whose), **desk})
            entered = {"counts": canonical(counts), "recorded_at": opened.recorded_at}
            return [Call(LEDGER, {**whose, **row, **entered})]

        return self._transactor.transact(entry, lambda _: Frame(), decide, also)

    def _forget(self, tenant_id: str, principal_id: str) -> None:
        """Let go of what this process remembers: the words of all, and who this one was."""
        for remembering in (sql_rows, sql_records, sql_slots):
            remembering.forget()
        self._database.standings.keep(tenant_id, principal_id, Standing())

    def ledger(self, tenant_id: str) -> tuple[Erasure, ...]:
        """Return the erasures of a tenant, oldest first: keep a copy where backups do not reach."""
        rows = self._database.rows(tenant_id, Call(ENTRIES, {"tenant_id": tenant_id}))
        return tuple(_entry(*row) for row in rows)

    def apply_again(self, tenant_id: str, entries: Sequence[Erasure]) -> Mapping[str, int]:
        """Erase what a restored backup has brought back; to be run before it serves."""
        total = dict.fromkeys(COUNTED, 0)
        known = {each.erasure_id for each in self.ledger(tenant_id)}
        for each in entries:
            if each.erasure_id in known:
                counts = self._destroy_again(tenant_id, each.principal_id)
            else:
                counts = self.erase(
                    tenant_id, each.principal_id, erasure_id=each.erasure_id, by=each.requested_by
                )
            total = {name: total[name] + counts[name] for name in COUNTED}
        return total

    def _destroy_again(self, tenant_id: str, principal_id: str) -> Mapping[str, int]:
        whose = {"tenant_id": tenant_id, "principal_id": principal_id}

        def write(session: Session) -> Mapping[str, int]:
            counts = _destroy(session, whose)
            session.run(commit=True)
            return counts

        return self._database.write(tenant_id, write)


def _entry(
    erasure_id: str, principal_id: str, requested_by: str, recorded_at: datetime, counts: str
) -> Erasure:
    return Erasure(erasure_id, principal_id, requested_by, recorded_at, json.loads(counts))


class _SpaceCameError(Exception):
    """Somebody made a space between the look and the claim: begin again with it."""


def _hold_back(session: Session, entry: Entry, whose: Mapping[str, Any]) -> None:
    """Keep new spaces of the principal from coming until the erasure has ended.

    A space that is there is claimed already. Making one takes the lock below, shared, in a
    trigger: whoever holds it has committed when it is ours, and whoever comes later finds the
    principal erased. SQLite has one writer anyway.

    Raises:
        _SpaceCameError: there is a space that was not claimed.
    """
    lock = [] if session.engine_name == SQLITE else [Call(HOLD_BACK, whose)]
    found = session.run(*lock, Call(SPACES, whose))[-1].rows
    if not {(owner, domain) for owner, domain in found} <= entry.writes:
        raise _SpaceCameError


def _destroy(session: Session, whose: Mapping[str, Any]) -> dict[str, int]:
    """Delete the words; heads last, they say whose all the rest is."""
    calls = (REVISIONS, PAYLOADS, OCCURRENCES, TOKENS, CHATS, ANSWERS, SETTINGS, GRANTS, HEADS)
    revisions, payloads, _, tokens, chats, _, _, _, heads = session.run(
        *(Call(statement, whose) for statement in calls)
    )
    return {
        "memories": heads.touched,
        "revisions": revisions.rows[0][0],
        "payloads": payloads.touched,
        "chats": chats.touched,
        "search_rows": tokens.touched,
    }
