"""The last flight of a write: everything that one decision changes, and COMMIT.

The order suits SQLite, where keys and the guard are checked at once: the commit before its
revisions, revisions before heads, waivers before windows, old windows before new ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Table, bindparam, delete, insert, text, update

from moss_memory.adapters.sql_call import Call, Statement
from moss_memory.adapters.sql_events import event_calls
from moss_memory.adapters.sql_open import TENANT, Claimed
from moss_memory.adapters.sql_rows import Stored, row_of
from moss_memory.adapters.sql_seal import GENESIS, commit_hash, decision_hash
from moss_memory.adapters.sql_slots import Slots, space_id
from moss_memory.adapters.sql_tables import (
    chat_history,
    commit_log,
    decision,
    decision_memory,
    idempotency,
    memory_head,
    memory_revision,
    occurrence,
    payload,
    pending_outcome,
    space,
    waiver,
)
from moss_memory.adapters.sql_tokens import token_calls
from moss_memory.adapters.sql_types import Micros, Words, canonical, micros
from moss_memory.core.fact import Memory
from moss_memory.flow.ports import Change, Decision, Entry, Receipt


def inserting(table: Table, **renamed: str) -> Statement:
    """Return an insert that binds each column by its name, or by the one given."""
    values = {c.name: bindparam(renamed.get(c.name, c.name), type_=c.type) for c in table.c}
    return Statement(insert(table).values(values), adds=True)


COMMIT_LOG: Final = inserting(commit_log)
REVISION: Final = inserting(memory_revision, subject="closed_subject")
PAYLOAD: Final = inserting(payload, subject="open_subject")
HEAD: Final = inserting(memory_head)
OCCURRENCE: Final = inserting(occurrence)
WAIVER: Final = inserting(waiver)
DECISION: Final = inserting(decision)
DECISION_MEMORY: Final = inserting(decision_memory)
CHAT: Final = inserting(chat_history)
OUTCOME: Final = inserting(pending_outcome)

_KEY: Final = {"tenant_id", "memory_id"}
MOVE_HEAD: Final = Statement(
    update(memory_head)
    .where(
        memory_head.c.tenant_id == TENANT,
        memory_head.c.memory_id == bindparam("memory_id", type_=Words),
    )
    .values({
        c.name: bindparam(c.name, type_=c.type) for c in memory_head.c if c.name not in _KEY
    })
)  # fmt: skip
CLEAR: Final = Statement(
    delete(occurrence).where(
        occurrence.c.tenant_id == TENANT,
        occurrence.c.memory_id == bindparam("memory_id", type_=Words),
    )
)
LATE: Final = Statement(
    update(space)
    .where(
        space.c.tenant_id == TENANT, space.c.space_id == bindparam("space_id", type_=Words)
    )
    .values(recorded_at=bindparam("recorded_at", type_=Micros()))
)  # fmt: skip
ANSWERED: Final = Statement(
    update(idempotency)
    .where(
        idempotency.c.tenant_id == TENANT,
        idempotency.c.principal_id == bindparam("principal_id", type_=Words),
        idempotency.c.route == bindparam("route", type_=Words),
        idempotency.c.key == bindparam("key", type_=Words),
    )
    .values(
        receipt=bindparam("receipt", type_=Words),
        recorded_at=bindparam("recorded_at", type_=Micros()),
    )
)
UNANSWERED: Final = Statement(
    delete(idempotency).where(
        idempotency.c.tenant_id == TENANT,
        idempotency.c.principal_id == bindparam("principal_id", type_=Words),
        idempotency.c.route == bindparam("route", type_=Words),
        idempotency.c.key == bindparam("key", type_=Words),
    )
)
STANDING: Final = Statement(
    text("""
        INSERT INTO principal (tenant_id, principal_id, timezone, locale)
        VALUES (:tenant_id, :principal_id, :timezone, :locale)
        ON CONFLICT (tenant_id, principal_id)
        DO UPDATE SET timezone = excluded.timezone, locale = excluded.locale
    """).bindparams(
        *(
            bindparam(name, type_=Words)
            for name in ("tenant_id", "principal_id", "timezone", "locale")
        )
    )
)


class Draft:
    """The rows of one change, made from what the claim found."""

    def __init__(self, entry: Entry, claimed: Claimed, change: Change, slots: Slots) -> None:
        self._entry = entry
        self._claimed = claimed
        self._change = change
        self._slots = slots
        self._tenant = {"tenant_id": entry.tenant_id}
        self._at = micros(claimed.opened.recorded_at)
        self._epochs = {space_id(s): e for s, e in claimed.epochs.items()}
        self._decision = decision_row(change.decision, next(iter(self._epochs.items())), self._at)

    def calls(self) -> list[Call]:
        """Return everything to run before COMMIT, in order."""
        memories = [self._placed(memory) for memory in self._change.revisions]
        rows = [self._row(memory) for memory in memories]
        moved = [row for row in rows if row["revision"] > 1]
        return [
            *self._log(rows),
            *many(PAYLOAD, rows),
            *many(REVISION, rows),
            *many(HEAD, [row for row in rows if row["revision"] == 1]),
            *many(MOVE_HEAD, moved),
            *many(CLEAR, moved),
            *token_calls(self._entry.tenant_id, rows),
            *many(WAIVER, self._waivers()),
            *many(OCCURRENCE, self._occurrences(memories)),
            *self._decided(),
            *event_calls(self._tenant, self._change.events, self._at),
            *self._answered(),
        ]

    def _placed(self, memory: Memory) -> Memory:
        """Stamp a revision with the coordinate that its space was claimed at.

        Raises:
            ValueError: the flow wrote into a space that its entry did not claim.
        """
        opened = self._claimed.opened
        epoch = opened.epochs.get((memory.owner, memory.fact.domain))
        if epoch is None:
            raise ValueError("a revision is outside the spaces that were claimed")
        if memory.epoch == epoch and memory.recorded_at == opened.recorded_at:
            return memory
        return replace(memory, epoch=epoch, recorded_at=opened.recorded_at)

    def _row(self, memory: Memory) -> dict[str, Any]:
        before = self._before(memory)
        return row_of(memory, before, open_subject=self._slots.open_subject(memory.fact))

    def _before(self, memory: Memory) -> Stored | None:
        before = self._claimed.seen.get(memory.memory_id)
        if memory.revision != (before.memory.revision + 1 if before else 1):
            raise ValueError("a revision does not follow on from the one that was read")
        return before

    def _occurrences(self, memories: Sequence[Memory]) -> list[dict[str, Any]]:
        return [
            self._tenant | row for memory in memories for row in self._slots.occurrences(memory)
        ]

    def _waivers(self) -> list[dict[str, Any]]:
        names = ("a", "a_revision", "b", "b_revision")
        decided = self._tenant | {"decision_id": self._change.decision.decision_id}
        return [
            decided | dict(zip(names, pair, strict=True))
            for pair in dict.fromkeys(self._change.waivers)
        ]

    def _log(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[Call]:
        """One commit a claimed space, each chained to its last."""
        decided = decision_hash(self._decision, self._memories(), self._change_waivers())
        commits = []
        for identity, epoch in self._epochs.items():
            hashes = [row["hash"] for row in rows if row["space_id"] == identity]
            commit = self._commit(identity, epoch)
            commit["hash"] = commit_hash(commit, decided, hashes)
            commits.append(commit)
        yield from many(COMMIT_LOG, commits)
        late = [
            {"space_id": space_id(each), "recorded_at": self._at} for each in self._claimed.late
        ]
        yield from many(LATE, [self._tenant | each for each in late])

    def _commit(self, identity: str, epoch: int) -> dict[str, Any]:
        return self._tenant | {
            "space_id": identity,
            "epoch": epoch,
            "recorded_at": self._at,
            "operation": self._change.operation,
            "decision_id": self._change.decision.decision_id,
            "actor": self._change.decision.actor,
            "request_id": self._entry.request_id,
            "prev_hash": self._claimed.chain.get(identity, GENESIS),
        }

    def _memories(self) -> list[tuple[str, int]]:
        return list(dict.fromkeys(self._change.decision.memories))

    def _change_waivers(self) -> list[Sequence[Any]]:
        return [list(pair) for pair in dict.fromkeys(self._change.waivers)]

    def _decided(self) -> Iterator[Call]:
        decided = self._change.decision
        yield Call(DECISION, self._tenant | self._decision)
        named = [
            {"memory_id": memory_id, "revision": revision, "decision_id": decided.decision_id}
            for memory_id, revision in dict(self._memories()).items()
        ]
        yield from many(DECISION_MEMORY, [self._tenant | each for each in named])

    def _answered(self) -> Iterator[Call]:
        """What lets the same question be answered again: chat, outcome, receipt, standing."""
        change, whose = self._change, {"principal_id": self._entry.principal_id}
        if change.chat:
            yield Call(CHAT, self._tenant | self._chat())
        if change.outcome:
            yield Call(OUTCOME, self._tenant | self._outcome())
        if self._entry.idempotency:
            key = {"route": self._entry.idempotency.route, "key": self._entry.idempotency.key}
            params = self._tenant | whose | key
            if change.receipt:
                stored = {"receipt": receipt_text(change.receipt), "recorded_at": self._at}
                yield Call(ANSWERED, params | stored)
            else:
                yield Call(UNANSWERED, params)
        if change.standing:
            placed = {"timezone": change.standing.timezone, "locale": change.standing.locale}
            yield Call(STANDING, self._tenant | whose | placed)

    def _chat(self) -> dict[str, Any]:
        chat = self._change.chat
        assert chat is not None
        return {
            "chat_id": chat.chat_id,
            "principal_id": chat.principal_id,
            "said_at": chat.said_at,
            "recorded_at": self._at,
            "length": chat.length,
            "locale": chat.locale,
            "words_hash": chat.words_hash,
            "masked": chat.masked,
        }

    def _outcome(self) -> dict[str, Any]:
        outcome = self._change.outcome
        assert outcome is not None
        return {
            "pending_id": outcome.pending_id,
            "principal_id": outcome.principal_id,
            "action": outcome.action,
            "receipt": receipt_text(outcome.receipt),
            "successor": outcome.successor,
            "recorded_at": self._at,
        }


def many(statement: Statement, rows: Sequence[Mapping[str, Any]]) -> list[Call]:
    """Return the call for these rows, none for no row."""
    if not rows:
        return []
    return [Call(statement, rows[0]) if len(rows) == 1 else Call(statement, many=rows)]


def decision_row(decided: Decision, where: tuple[str, int], at: Any) -> dict[str, Any]:
    """Return a decision's row, without tenant and memories."""
    return {
        "decision_id": decided.decision_id,
        "outcome": decided.outcome,
        "rule_ids": _listed(decided.rule_ids),
        "rules_version": decided.rules_version,
        "supports": _listed(decided.supports),
        "contradicts": _listed(decided.contradicts),
        "findings": _listed([dict(finding) for finding in decided.findings]),
        "actor": decided.actor,
        "chat_id": decided.chat_id,
        "pending_id": decided.pending_id,
        "space_id": where[0],
        "epoch": where[1],
        "recorded_at": at,
    }


def _listed(values: Sequence[Any]) -> str:
    return canonical(list(values)) if values else "[]"  # most are empty


def receipt_text(receipt: Receipt) -> str:
    """Spell a receipt: ids, revisions and codes as JSON."""
    return canonical({
        "kind": receipt.kind,
        "http_status": receipt.http_status,
        "decision_id": receipt.decision_id,
        "facts": [list(each) for each in receipt.facts],
        "superseded": [list(each) for each in receipt.superseded],
        "pending_id": receipt.pending_id,
        "data": dict(receipt.data),
    })  # fmt: skip
