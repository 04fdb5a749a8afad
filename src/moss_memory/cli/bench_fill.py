"""Memories by the hundred thousand, as that many writes would have left them.

Each is a write of its own: an epoch of its space, a commit chained to the one before, a decision,
an event, words and windows, all of them made by the store's own ``Draft``. What is spared is the
judging, and a transaction and a flight for each.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import cache
from typing import Any, Final

from sqlalchemy import Insert, Table, bindparam, text

from moss_memory.adapters.sql_call import Call, Statement
from moss_memory.adapters.sql_engine import SQLITE
from moss_memory.adapters.sql_events import WRITE as EVENT
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_open import Claimed
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_slots import space_id
from moss_memory.adapters.sql_tokens import TOKENS
from moss_memory.adapters.sql_types import MICROSECOND, Micros, Whole, Words, micros
from moss_memory.adapters.sql_write import COMMIT_LOG, Draft
from moss_memory.cli.bench_facts import remembered
from moss_memory.core.fact import Fact, Memory, Provenance
from moss_memory.flow.placing import place
from moss_memory.flow.ports import Change, Decision, Entry, House, Opened, Space, Standing
from moss_memory.flow.provenance import written_event

TENANT_ID: Final = "default"
BATCH: Final = 500  # writes of one transaction
SECONDS: Final = 60  # that it may take

Make = Callable[[int, str, datetime], Fact]  # from a number, a principal and now

_SPACE: Final = Statement(
    text("""
        INSERT INTO space (tenant_id, space_id, owner, domain, epoch, recorded_at)
        VALUES (:tenant_id, :space_id, :owner, :domain, :epoch, :recorded_at)
        ON CONFLICT (tenant_id, space_id)
        DO UPDATE SET epoch = excluded.epoch, recorded_at = excluded.recorded_at
    """).bindparams(
        *(bindparam(name, type_=Words) for name in ("tenant_id", "space_id", "owner", "domain")),
        bindparam("epoch", type_=Whole),
        bindparam("recorded_at", type_=Micros()),
    )
)


def fill(house: House, principal_id: str, size: int, make: Make = remembered) -> None:
    """Write ``size`` memories of a new principal; what ``make`` gives must not conflict."""
    filling = Filling(house)
    filling.fill(principal_id, size, make)
    filling.settle()


class Filling:
    """Fills the database of a house, of which it is the only writer meanwhile."""

    def __init__(self, house: House) -> None:
        assert isinstance(house.memory, SqlMemory)
        self._house = house
        self._store = house.memory
        self._embedded = house.memory.database.engine.dialect.name == SQLITE
        self._stored = 0
        self._settled = 0

    def fill(self, principal_id: str, size: int, make: Make = remembered) -> None:
        """Write ``size`` memories of a new principal; what ``make`` gives must not conflict."""
        writer = _Writer(self._house, self._store, principal_id)
        now = self._house.clock()
        with ThreadPoolExecutor(1) as beside:  # a server works while the next rows are made
            running = None
            for first in range(0, size, BATCH):
                numbers = range(first, min(first + BATCH, size))
                calls = writer.calls([make(number, principal_id, now) for number in numbers])
                if running:
                    running.result()
                running = beside.submit(self._run, calls, len(numbers))
                if self._embedded:  # in this very process, the two would wait for each other
                    running.result()
            if running:
                running.result()

    def settle(self) -> None:
        """Do on PostgreSQL what autovacuum does within a minute of a table's growth.

        A fresh database has no statistics, and plans look-ups that read a whole space.
        """
        self._settled = self._stored
        if not self._embedded:
            engine = self._store.database.engine
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(text("VACUUM (ANALYZE)"))

    def _run(self, calls: Sequence[Call], size: int) -> None:
        def once(session: Session) -> None:
            session.take_time(SECONDS)
            session.run(*together(calls, session.engine_name), commit=True)

        self._store.database.write(TENANT_ID, once)
        self._stored += size
        if self._stored >= 4 * self._settled + BATCH:  # its own look-ups are planned, too
            self.settle()


class _Writer:
    """One principal's writes, one after another, each at an epoch and an instant of its own."""

    def __init__(self, house: House, store: SqlMemory, principal_id: str) -> None:
        self._house = house
        self._slots = store.slots
        self._principal_id = principal_id
        self._at = house.clock()
        self._epochs: dict[Space, int] = {}
        self._chain: dict[str, bytes] = {}

    def calls(self, facts: Iterable[Fact]) -> list[Call]:
        """Return what one transaction runs for all of these facts before its COMMIT."""
        written = [call for fact in facts for call in self._write(fact)]
        return [*(self._space(where, epoch) for where, epoch in self._epochs.items()), *written]

    def _space(self, where: Space, epoch: int) -> Call:
        owner, domain = where
        named = {"tenant_id": TENANT_ID, "space_id": space_id(where)}
        stands = {"owner": owner, "domain": domain, "epoch": epoch, "recorded_at": self._at}
        return Call(_SPACE, named | stands)

    def _write(self, fact: Fact) -> list[Call]:
        where = (fact.scope_id, fact.domain)
        self._at += MICROSECOND
        self._epochs[where] = self._epochs.get(where, 0) + 1
        epochs = {where: self._epochs[where]}
        opened = Opened(recorded_at=self._at, epochs=epochs, standing=Standing())
        claimed = Claimed(opened=opened, epochs=epochs, chain=self._chain, late=frozenset())
        entry = Entry(
            tenant_id=TENANT_ID,
            principal_id=self._principal_id,
            request_id="bench",
            writes=frozenset(epochs),
        )
        calls = Draft(entry, claimed, self._change(fact, opened), self._slots).calls()
        (logged,) = [call.params for call in calls if call.statement is COMMIT_LOG]
        assert logged is not None
        self._chain[logged["space_id"]] = logged["hash"]
        return calls

    def _change(self, fact: Fact, opened: Opened) -> Change:
        """Return what ``flow.motion`` makes of a fact that nothing speaks against."""
        decision_id = self._house.ids()
        memory = self._memory(fact, opened, decision_id)
        decision = Decision(
            decision_id=decision_id,
            outcome="SUCCESS",
            rules_version=self._house.policy.rules_version,
            actor=self._principal_id,
            memories=((memory.memory_id, memory.revision),),
        )
        return Change(
            operation="create",
            decision=decision,
            revisions=(memory,),
            events=(written_event(memory),),
        )

    def _memory(self, fact: Fact, opened: Opened, decision_id: str) -> Memory:
        zone = self._house.defaults.timezone
        placed = place(self._house.policy, fact, zone=zone, now=opened.recorded_at)
        return Memory(
            memory_id=self._house.ids(),
            revision=1,
            tenant_id=TENANT_ID,
            principal_id=self._principal_id,
            owner=placed.owner,
            fact=placed.fact,
            windows=placed.windows,
            valid_from=placed.valid_from,
            valid_until=placed.valid_until,
            open_ended=placed.open_ended,
            recorded_at=opened.recorded_at,
            created_at=opened.recorded_at,
            provenance=Provenance(decision_id=decision_id),
            zone=zone,
        )


def together(calls: Iterable[Call], engine: str) -> list[Call]:
    """Return the calls of many writes as one for each statement, in the order of the first."""
    rows: dict[Statement, list[Any]] = {}
    for call in calls:
        rows.setdefault(call.statement, []).extend(call.many or [call.params])
    if engine == SQLITE:
        return [Call(statement, many=mine) for statement, mine in rows.items()]
    return [_at_once(statement, mine) for statement, mine in rows.items()]


def _at_once(statement: Statement, rows: Sequence[Any]) -> Call:
    """Return the rows of a PostgreSQL table in one statement: one for each costs as much again."""
    if statement is TOKENS:
        joined = ",".join(row["rows"][1:-1] for row in rows)
        return Call(TOKENS, {"tenant_id": TENANT_ID, "rows": f"[{joined}]"})
    if statement is EVENT:  # those of one transaction are told apart by their tails
        return Call(EVENT, many=[{**row, "tail": f"-{n:04x}"} for n, row in enumerate(rows)])
    clause = statement.clause("postgresql")
    if not isinstance(clause, Insert):
        return Call(statement, many=rows)
    table = clause.table
    assert isinstance(table, Table)
    columns = _columns(statement, table)
    listed = [{name: row.get(key) for name, key in columns} for row in rows]
    return Call(_inserting(table), {"rows": _ROWS.encode(listed)})


def _columns(statement: Statement, table: Table) -> list[tuple[str, str]]:
    """Return a table's columns, each with what its row calls it, as its insert binds them."""
    keys = [key for _, key, *_ in statement.on("postgresql").ingoing]
    return list(zip(table.c.keys(), keys, strict=True))


@cache
def _inserting(table: Table) -> Statement:
    clause = text(f"""
        INSERT INTO {table.name}
        SELECT * FROM json_populate_recordset(NULL::{table.name}, CAST(:rows AS json))
    """)  # noqa: S608 - a table of ours
    return Statement(postgresql=clause.bindparams(bindparam("rows", type_=Words)))


def _plain(value: datetime | bytes) -> int | str:
    return micros(value) if isinstance(value, datetime) else f"\\x{value.hex()}"


_ROWS: Final = json.JSONEncoder(ensure_ascii=False, default=_plain)
