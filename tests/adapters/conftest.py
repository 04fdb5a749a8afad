"""A store to test: one fresh database a test, on each engine."""

import itertools
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.fact import Fact, Memory, Pair, Provenance, pair
from moss_memory.core.interval import Interval
from moss_memory.core.ontology import Ontology
from moss_memory.flow.ports import (
    Change,
    Decision,
    Entry,
    Frame,
    IdempotencyKey,
    Loaded,
    Opened,
    Outcome,
    Probe,
    Receipt,
    Step,
)


@pytest.fixture(scope="session")
def ontology() -> Ontology:
    """The ontology as shipped."""
    text = files("moss_memory").joinpath("policy", "ontology.toml").read_text()
    return Ontology.from_data(tomllib.loads(text))


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> Any:
    """The URL of a migrated database of each engine."""
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture
def open_memory(database_url: str, ontology: Ontology) -> Iterator[Callable[..., SqlMemory]]:
    """Opens stores on the test's database, with any settings; closed at its end."""
    opened: list[SqlMemory] = []

    def open_one(**settings: Any) -> SqlMemory:
        opened.append(SqlMemory(database_url, ontology=ontology, **settings))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


@pytest.fixture
def memory(open_memory: Callable[..., SqlMemory]) -> SqlMemory:
    """A store on a fresh database."""
    return open_memory()


TENANT = "default"
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Scribe:
    """Writes as a flow does: linted by overlap alone, ids from a counter.

    ``create`` and ``revise`` return the revision, or the memories that stand in its way.
    """

    def __init__(self, memory: SqlMemory, ontology: Ontology, prefix: str = "") -> None:
        self.memory = memory
        self.ontology = ontology
        self._prefix = prefix
        self._numbers = itertools.count(1)

    def fresh(self, kind: str) -> str:
        return f"{self._prefix}{kind}{next(self._numbers):06d}"

    def fact(self, value: str = "Budget review", *, scope: str = "ana", **fields: Any) -> Fact:
        kinds = {"domain": "Schedule", "subject": "Calendar", "predicate": "meeting"}
        return Fact(object_value=value, scope_id=scope, observed_at=START, **(kinds | fields))

    def draft(
        self, fact: Fact, *windows: Interval, tenant: str = TENANT, writer: str | None = None
    ) -> Memory:
        placed = windows or (Interval(START, START + HOUR),)
        return Memory(
            memory_id=self.fresh("m"),
            revision=1,
            tenant_id=tenant,
            principal_id=writer or fact.scope_id,
            owner=fact.scope_id,
            fact=fact,
            windows=placed,
            valid_from=placed[0].start,
            valid_until=placed[-1].end,
            recorded_at=START,
            created_at=START,
            provenance=Provenance(decision_id=""),
        )

    def create(self, draft: Memory | None = None, **more: Any) -> Any:
        return self.write([draft or self.draft(self.fact())], **more)

    def retire(self, memory: Memory, **more: Any) -> Memory:
        gone = replace(memory, active=False, inactive_reason="retired")
        return self.revise(gone, **more)

    def revise(self, memory: Memory, **more: Any) -> Any:
        more.setdefault("memory_ids", (memory.memory_id,))
        return self.write([replace(memory, revision=memory.revision + 1)], **more)

    def entry(self, drafts: Sequence[Memory], **fields: Any) -> Entry:
        first = drafts[0]
        return Entry(
            **{
                "tenant_id": first.tenant_id,
                "principal_id": first.principal_id,
                "request_id": "request",
                "writes": frozenset((each.owner, each.fact.domain) for each in drafts),
                "expected_at": START,
            }
            | fields
        )

    def probes(self, drafts: Sequence[Memory]) -> tuple[Probe, ...]:
        return tuple(
            Probe(
                space=(each.owner, each.fact.domain),
                slot=self.ontology.slot(each.fact, each.owner),
                windows=each.windows,
            )
            for each in drafts
            if each.active
        )

    def write(
        self,
        drafts: Sequence[Memory],
        *,
        change: Mapping[str, Any] | None = None,
        waive: bool = False,
        lint: bool = True,
        **fields: Any,
    ) -> Any:
        """Return the first revision written, or the candidates that were in its way."""
        probes = self.probes(drafts) if lint else ()
        mine = {each.memory_id for each in drafts}

        def decide(opened: Opened, loaded: Loaded) -> Step[Any]:
            if opened.replay:
                return Step(opened.replay)
            others = [each for each in loaded.candidates if each.memory_id not in mine]
            if others and not waive:
                return Step(others)
            decision_id = self.fresh("d")
            written = tuple(self.stamped(each, opened, decision_id) for each in drafts)
            waivers = tuple(pair(each, other) for each in written for other in others)
            return Step(written[0], self.change(written, waivers, decision_id, change or {}))

        return self.memory.transact(
            self.entry(drafts, **fields), lambda _: Frame(probes=probes), decide
        )

    def stamped(self, each: Memory, opened: Opened, decision_id: str) -> Memory:
        epoch = opened.epochs.get((each.owner, each.fact.domain), 0)
        created = opened.recorded_at if each.revision == 1 else each.created_at
        provenance = replace(each.provenance, decision_id=decision_id)
        return replace(
            each,
            epoch=epoch,
            recorded_at=opened.recorded_at,
            created_at=created,
            provenance=provenance,
        )

    def change(
        self,
        written: tuple[Memory, ...],
        waivers: tuple[Pair, ...],
        decision_id: str,
        fields: Mapping[str, Any],
    ) -> Change:
        references = tuple((each.memory_id, each.revision) for each in written)
        decision = Decision(
            decision_id=decision_id,
            outcome="SUCCESS",
            actor=written[0].principal_id,
            memories=references,
        )
        receipt = Receipt(
            kind="memories", http_status=201, decision_id=decision_id, facts=references
        )
        made: dict[str, Any] = {
            "operation": "create",
            "decision": decision,
            "revisions": written,
            "waivers": waivers,
            "receipt": receipt,
        }
        return Change(**(made | dict(fields)))


@pytest.fixture
def scribe(memory: SqlMemory, ontology: Ontology) -> Scribe:
    """Writes memories into the test's store."""
    return Scribe(memory, ontology)


@pytest.fixture
def scribe_on(ontology: Ontology) -> Callable[..., Scribe]:
    """Makes a scribe of another store, with ids of its own."""
    return lambda memory, prefix="x": Scribe(memory, ontology, prefix)


def key_of(kind: str, point: int) -> IdempotencyKey:
    """The Idempotency-Key of one write that may be killed."""
    return IdempotencyKey("POST /memories", f"{kind}-{point}", "hash")


def slot_of(point: int) -> Interval:
    start = START + point * timedelta(days=1)
    return Interval(start, start + HOUR)


def write_create(scribe: Scribe, point: int) -> Any:
    """Write a memory as a request with a key does."""
    draft = scribe.draft(scribe.fact("fresh", scope="cat"), slot_of(point))
    return scribe.create(draft, idempotency=key_of("create", point))


def write_confirm(scribe: Scribe, point: int) -> Any:
    """Settle a question as ``replace_old``: the old memory retires, the new one stands."""
    draft = scribe.draft(scribe.fact("new", scope="dan"), slot_of(point))
    probes = scribe.probes([draft])
    pending = f"p{point}"

    def decide(opened: Opened, loaded: Loaded) -> Step[Any]:
        if opened.outcome or opened.replay:
            return Step(opened.outcome or opened.replay)
        (old,) = loaded.candidates
        gone = replace(old, revision=old.revision + 1, active=False, inactive_reason="superseded")
        decision_id = scribe.fresh("d")
        written = tuple(scribe.stamped(each, opened, decision_id) for each in (draft, gone))
        receipt = Receipt(kind="confirm", http_status=200, decision_id=decision_id)
        outcome = Outcome(
            pending_id=pending, principal_id="dan", action="replace_old", receipt=receipt
        )
        fields = {"outcome": outcome, "receipt": receipt, "operation": "confirm"}
        return Step(written[0], scribe.change(written, (), decision_id, fields))

    entry = scribe.entry([draft], pending_id=pending, idempotency=key_of("confirm", point))
    return scribe.memory.transact(entry, lambda _: Frame(probes=probes), decide)


WRITES = {"create": write_create, "confirm": write_confirm}


@pytest.fixture(scope="session")
def writes() -> Mapping[str, Callable[[Scribe, int], Any]]:
    """The writes that are killed, by kind; each may be repeated."""
    return WRITES
