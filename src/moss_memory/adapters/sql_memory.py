"""The Memory port on SQLite and PostgreSQL: one write path, reads of one flight."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from moss_memory.adapters import sql_open, sql_read
from moss_memory.adapters.sql_call import Call, Row
from moss_memory.adapters.sql_chain import verify_chains
from moss_memory.adapters.sql_database import Database
from moss_memory.adapters.sql_events import last_event, read_events
from moss_memory.adapters.sql_load import candidates_of, probe_call, waivers
from moss_memory.adapters.sql_page import read_known, read_page
from moss_memory.adapters.sql_rebuild import rebuild_projections
from moss_memory.adapters.sql_retry import running
from moss_memory.adapters.sql_revision import is_behind, revision_of
from moss_memory.adapters.sql_roles import faults_of
from moss_memory.adapters.sql_rows import memory_of
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_slots import Slots
from moss_memory.adapters.sql_standing import read_newest, read_records, standing_call
from moss_memory.adapters.sql_transact import Transactor
from moss_memory.core.errors import StorageUnavailableError
from moss_memory.core.fact import Memory, Pair
from moss_memory.core.ontology import Ontology
from moss_memory.flow.ports import (
    ChainReport,
    Chat,
    Decision,
    Entry,
    Event,
    Frame,
    IdempotencyKey,
    Loaded,
    Opened,
    Outcome,
    Page,
    Probe,
    Query,
    Records,
    Reference,
    Replay,
    Standing,
    Step,
)

T = TypeVar("T")


class SqlMemory:
    """The store behind one database URL.

    Args:
        url: ``sqlite:///<path>`` or ``postgresql+psycopg://...``; migrated already.
        ontology: for slots, for which subjects are open, for what the database guards itself.
        clock: the instant of recording, UTC; None takes the database's. Either way it moves on
            by a microsecond at least with every commit of a space.
        pool_size: connections kept, and as many again in a burst; then one waits a second.
        pgbouncer: one in transaction mode stands between: no prepared statements.
        passing: called with a name at each step of a write and before each statement; for tests
            that break there.
    """

    def __init__(
        self,
        url: str,
        *,
        ontology: Ontology,
        clock: Callable[[], datetime] | None = None,
        pool_size: int = 10,
        pgbouncer: bool = False,
        passing: Callable[[str], None] | None = None,
    ) -> None:
        self.database = Database(url, pool_size=pool_size, pgbouncer=pgbouncer, passing=passing)
        self.slots = Slots(ontology)
        self._safe = False
        self._transactor = Transactor(self.database, self.slots, clock=clock)

    def transact(
        self,
        entry: Entry,
        frame: Callable[[Opened], Frame],
        decide: Callable[[Opened, Loaded], Step[T]],
    ) -> T:
        """Claim the spaces, load the frame, decide, write, commit; all of it again on conflict."""
        return self._transactor.transact(entry, frame, decide)

    def replay(self, tenant_id: str, principal_id: str, key: IdempotencyKey) -> Replay | None:
        """Return the first answer kept under a key, before anything costly is repeated."""
        params = {
            "tenant_id": tenant_id,
            "principal_id": principal_id,
            "route": key.route,
            "key": key.key,
        }
        return sql_open.replay_of(self.database.rows(tenant_id, Call(sql_open.REPLAY, params)))

    def standing(self, tenant_id: str, principal_id: str) -> Standing:
        """Return zone, locale and grants of a principal; defaults for one never seen."""
        rows = self.database.rows(tenant_id, standing_call(tenant_id, principal_id))
        return sql_open.standing_of(rows)

    def newest(self, tenant_id: str, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        """Return the newest revision of each id that exists."""
        if not memory_ids:
            return {}
        params = {"tenant_id": tenant_id, "memory_ids": list(memory_ids)}
        rows = self.database.rows(tenant_id, Call(sql_open.NEWEST, params))
        return {memory.memory_id: memory for memory in _memories(rows, tenant_id)}

    def exact(self, tenant_id: str, references: Sequence[Reference]) -> Mapping[Reference, Memory]:
        """Return the revisions named; absent where the words are gone."""
        if not references:
            return {}
        params = {
            "tenant_id": tenant_id,
            "memory_ids": [memory_id for memory_id, _ in references],
            "payload_ids": [f"{memory_id}.{revision}" for memory_id, revision in references],
        }
        rows = self.database.rows(tenant_id, Call(sql_read.EXACT, params))
        return {(each.memory_id, each.revision): each for each in _memories(rows, tenant_id)}

    def revisions(self, tenant_id: str, memory_id: str) -> tuple[Memory, ...]:
        """Return all revisions whose words are kept, oldest first; empty for an unknown id."""
        params = {"tenant_id": tenant_id, "memory_id": memory_id}
        return _memories(self.database.rows(tenant_id, Call(sql_read.REVISIONS, params)), tenant_id)

    def page(self, tenant_id: str, query: Query) -> Page:
        """Return one page of a list, with the epochs of the spaces read."""
        return self.database.read(tenant_id, lambda session: read_page(session, tenant_id, query))

    def records(
        self, tenant_id: str, principal_id: str, asked: Callable[[Standing], Query]
    ) -> Records:
        """Return one page of a list, flat, of the query that a principal's standing leads to."""
        return read_records(self.database, tenant_id, principal_id, asked)

    def seen(
        self, tenant_id: str, principal_id: str, memory_ids: Sequence[str]
    ) -> tuple[Standing, Mapping[str, Memory]]:
        """Return ``standing`` and ``newest`` of one snapshot, in one flight."""
        return read_newest(self.database, tenant_id, principal_id, memory_ids)

    def known(self, tenant_id: str, memory_id: str, query: Query) -> Memory | None:
        """Return the revision of one memory that ``query.known_at`` or ``known_epoch`` knew."""
        return self.database.read(
            tenant_id, lambda session: read_known(session, tenant_id, memory_id, query)
        )

    def candidates(
        self, tenant_id: str, probes: Sequence[Probe]
    ) -> tuple[tuple[Memory, ...], frozenset[Pair]]:
        """Return what a frame would load, without claiming anything (``/lint``, dry runs)."""

        def read(session: Session) -> tuple[tuple[Memory, ...], frozenset[Pair]]:
            results = session.run(*(probe_call(tenant_id, probe) for probe in probes))
            found = candidates_of([row for each in results for row in each.rows], tenant_id)
            waived = waivers(session, tenant_id, list(found))
            return tuple(stored.memory for stored in found.values()), waived

        return self.database.read(tenant_id, read) if probes else ((), frozenset())

    def decisions(self, tenant_id: str, *, memory_id: str) -> tuple[Decision, ...]:
        """Return the decisions that name a memory, oldest first."""
        params = {"tenant_id": tenant_id, "memory_id": memory_id}
        return sql_read.decisions_of(
            self.database.rows(tenant_id, Call(sql_read.DECISIONS, params))
        )

    def decision(
        self, tenant_id: str, *, decision_id: str | None = None, pending_id: str | None = None
    ) -> Decision | None:
        """Return a decision by its id, or the one that held a question."""
        params = {"tenant_id": tenant_id, "decision_id": decision_id, "pending_id": pending_id}
        statement = sql_read.HELD if decision_id is None else sql_read.DECISION
        return next(
            iter(sql_read.decisions_of(self.database.rows(tenant_id, Call(statement, params)))),
            None,
        )

    def outcome(self, tenant_id: str, pending_id: str) -> Outcome | None:
        """Return how a question was settled, None while it is open or unknown."""
        params = {"tenant_id": tenant_id, "pending_id": pending_id}
        rows = self.database.rows(tenant_id, Call(sql_open.OUTCOME, params))
        return sql_open.outcome_of(rows, pending_id)

    def chats(self, tenant_id: str, chat_ids: Sequence[str]) -> Mapping[str, Chat]:
        """Return the chat rows that are still kept."""
        if not chat_ids:
            return {}
        params = {"tenant_id": tenant_id, "chat_ids": list(chat_ids)}
        chats = map(sql_read.chat_of, self.database.rows(tenant_id, Call(sql_read.CHATS, params)))
        return {chat.chat_id: chat for chat in chats}

    def last_event(self, tenant_id: str) -> str:
        """Return the cursor behind the newest committed event, empty where there is none."""
        return self.database.read(tenant_id, lambda session: last_event(session, tenant_id))

    def events(self, tenant_id: str, *, after: str, limit: int) -> tuple[Event, ...]:
        """Return committed events after a cursor, in order; empty is the beginning."""
        return self.database.read(
            tenant_id, lambda session: read_events(session, tenant_id, after, limit)
        )

    def verify(self, tenant_id: str) -> ChainReport:
        """Walk every hash chain of the tenant and name the first row that does not fit."""
        return self.database.read(tenant_id, lambda session: verify_chains(session, tenant_id))

    def rebuild_projections(self, tenant_id: str) -> int:
        """Make heads and occurrences again from revisions; how many memories there are."""
        return rebuild_projections(self.database, self.slots, tenant_id)

    def check(self) -> Mapping[str, str]:
        """Return the state of the database by check name: ok, or a code.

        ``isolation`` is the first fault of ``self_check``; once it was ok it is not asked again.
        """
        try:
            found = running(lambda: revision_of(self.database.engine))
            if is_behind(found):
                return {"database": "ok", "migrations": "not_at_head"}
            faults = () if self._safe else self.self_check()
        except StorageUnavailableError:
            return {"database": "storage_unavailable", "migrations": "unknown"}
        self._safe = not faults
        return {"database": "ok", "migrations": "ok", "isolation": next(iter(faults), "ok")}

    def self_check(self) -> tuple[str, ...]:
        """Return what is unsafe about the database, by name; empty where nothing is."""
        return faults_of(self.database.engine)

    def close(self) -> None:
        """Give back every connection."""
        self.database.close()


def _memories(rows: Sequence[Row], tenant_id: str) -> tuple[Memory, ...]:
    return tuple(memory_of(row, tenant_id) for row in rows)
