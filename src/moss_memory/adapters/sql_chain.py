"""Walking the hash chains: every commit of every space, with its decision and its revisions.

What is checked: epochs without a gap up to the space's own; each commit's hash over its row, its
decision (with the memories it names and the waivers it gave) and its revisions; each revision's
hash and its place behind the one before; the words against their MAC, where they are still kept;
and that a head says what its newest revision says. A row that nothing refers to is found as well.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Table, select

from moss_memory.adapters.sql_call import Call, Statement
from moss_memory.adapters.sql_open import TENANT
from moss_memory.adapters.sql_seal import (
    GENESIS,
    commit_hash,
    decision_hash,
    mac,
    plain,
    revision_hash,
)
from moss_memory.adapters.sql_session import Session
from moss_memory.adapters.sql_tables import (
    commit_log,
    decision,
    decision_memory,
    memory_head,
    memory_revision,
    payload,
    space,
    waiver,
)
from moss_memory.flow.ports import ChainReport

Row = Mapping[str, Any]
Place = tuple[str, int]  # space id, epoch
VERIFY_SECONDS: Final = 60


def _all(table: Table, *order: str) -> Statement:
    ordered = select(table).where(table.c.tenant_id == TENANT)
    return Statement(ordered.order_by(*(table.c[name] for name in order)))


_TABLES: Final = (
    space, commit_log, memory_revision, payload, memory_head, decision, decision_memory, waiver,
)  # fmt: skip
_STATEMENTS: Final = {
    space: _all(space, "space_id"),
    commit_log: _all(commit_log, "space_id", "epoch"),
    memory_revision: _all(memory_revision, "memory_id", "revision"),
    payload: _all(payload, "payload_id"),
    memory_head: _all(memory_head, "memory_id"),
    decision: _all(decision, "decision_id"),
    decision_memory: _all(decision_memory, "memory_id"),
    waiver: _all(waiver, "a", "b"),
}


@dataclass(frozen=True, slots=True)
class History:
    """All that a tenant's chains are made of, as stored."""

    rows: Mapping[str, Sequence[Row]]

    def by(self, table: Table, *names: str) -> Mapping[Any, list[Row]]:
        """Group a table's rows by columns."""
        grouped: dict[Any, list[Row]] = defaultdict(list)
        for row in self.rows[table.name]:
            grouped[tuple(row[n] for n in names) if len(names) > 1 else row[names[0]]].append(row)
        return grouped


def verify_chains(session: Session, tenant_id: str) -> ChainReport:
    """Walk every chain of a tenant; ``first_bad`` is the least bad place by space and epoch."""
    session.take_time(VERIFY_SECONDS)
    calls = [Call(_STATEMENTS[table], {"tenant_id": tenant_id}) for table in _TABLES]
    results = session.run(*calls)
    history = History({
        table.name: [dict(zip(table.c.keys(), row, strict=True)) for row in result.rows]
        for table, result in zip(_TABLES, results, strict=True)
    })  # fmt: skip
    bad = {
        *_bad_commits(history),
        *_bad_revisions(history),
        *_bad_heads(history),
        *_strays(history),
    }
    first = min(bad, default=None)
    return ChainReport(ok=first is None, checked=len(history.rows["commit_log"]), first_bad=first)


def _without(row: Row, *names: str) -> dict[str, Any]:
    return {k: v for k, v in row.items() if k not in {"tenant_id", *names}}


def _bad_commits(history: History) -> Iterator[Place]:
    decided = _decided(history)
    revisions = history.by(memory_revision, "space_id", "epoch")
    commits = history.by(commit_log, "space_id")
    for row in history.rows["space"]:
        yield from _bad_chain(row, commits.get(row["space_id"], []), decided, revisions)


def _bad_chain(
    its_space: Row,
    commits: Sequence[Row],
    decided: Mapping[str, bytes],
    revisions: Mapping[Any, Sequence[Row]],
) -> Iterator[Place]:
    """Yield the first commit of a space that does not follow on, or the one that is missing."""
    identity, before, due, last = its_space["space_id"], GENESIS, 1, None
    for row in commits:
        inside = [each["hash"] for each in revisions.get((identity, due), [])]
        fits = (
            row["epoch"] == due
            and bytes(row["prev_hash"]) == before
            and (last is None or row["recorded_at"] > last)
            and row["hash"]
            == commit_hash(row, decided.get(row["decision_id"], b""), [bytes(h) for h in inside])
        )
        if not fits:
            yield identity, due
            return
        before, due, last = bytes(row["hash"]), due + 1, row["recorded_at"]
    if due != its_space["epoch"] + 1:
        yield identity, due


def _decided(history: History) -> Mapping[str, bytes]:
    named = history.by(decision_memory, "decision_id")
    waived = history.by(waiver, "decision_id")
    return {
        row["decision_id"]: decision_hash(
            _without(row),
            [(each["memory_id"], each["revision"]) for each in named.get(row["decision_id"], [])],
            [
                (each["a"], each["a_revision"], each["b"], each["b_revision"])
                for each in waived.get(row["decision_id"], [])
            ],
        )
        for row in history.rows["decision"]
    }


def _bad_revisions(history: History) -> Iterator[Place]:
    words = {row["payload_id"]: row for row in history.rows["payload"]}
    for rows in history.by(memory_revision, "memory_id").values():
        before = GENESIS
        for due, row in enumerate(rows, start=1):
            sealed = (
                row["revision"] == due
                and bytes(row["prev_hash"]) == before
                and bytes(row["hash"]) == revision_hash(row)
                and _words_fit(row, words.get(row["payload_id"]))
            )
            if not sealed:
                yield row["space_id"], row["epoch"]
            before = bytes(row["hash"])


def _words_fit(row: Row, kept: Row | None) -> bool:
    if kept is None:  # erased, or swept as old: nothing to compare
        return True
    spoken = [kept["subject"], kept["object_value"], kept["source_ref"]]
    salt = bytes(kept["salt"])
    slot = None if row["slot_mac"] is None else mac(salt, [kept["subject"]])
    stored = None if row["slot_mac"] is None else bytes(row["slot_mac"])
    return mac(salt, spoken) == bytes(row["payload_mac"]) and slot == stored


def _bad_heads(history: History) -> Iterator[Place]:
    newest = {row["memory_id"]: row for row in history.rows["memory_revision"]}
    words = {row["payload_id"]: row for row in history.rows["payload"]}
    for head in history.rows["memory_head"]:
        row = newest.pop(head["memory_id"], None)
        if row is None or not _head_fits(head, row, words.get(row["payload_id"])):
            yield head["space_id"], head["epoch"]
    yield from ((row["space_id"], row["epoch"]) for row in newest.values())  # the head is gone


def _head_fits(head: Row, row: Row, kept: Row | None) -> bool:
    if kept is None or head["erased"]:
        return kept is None and bool(head["erased"])
    spoken = {
        "subject": row["subject"] if row["subject"] is not None else kept["subject"],
        "object_value": kept["object_value"],
        "source_ref": kept["source_ref"],
    }
    shared = _without(row, "slot_mac", "prev_hash") | spoken
    return all(plain(head[name]) == plain(value) for name, value in shared.items())


def _strays(history: History) -> Iterator[Place]:
    """Yield decisions that no commit carries, and waivers that no decision gave."""
    carried = {row["decision_id"] for row in history.rows["commit_log"]}
    known = {row["decision_id"]: row for row in history.rows["decision"]}
    for row in known.values():
        if row["decision_id"] not in carried:
            yield row["space_id"], row["epoch"]
    places = {
        (row["memory_id"], row["revision"]): (row["space_id"], row["epoch"])
        for row in history.rows["memory_revision"]
    }
    for row in history.rows["waiver"]:
        if row["decision_id"] in known or row["decision_id"] in carried:
            continue  # its commit's hash is over it
        pair = [
            places.get((row["a"], row["a_revision"])),
            places.get((row["b"], row["b_revision"])),
        ]
        yield from sorted(filter(None, pair), key=itemgetter(1))[-1:]  # allowed with the later one
