"""The set of the context evaluation, in a real store and through the finder: nothing is lost."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_search import SqlFinder
from moss_memory.cli.eval_context import AT_BUDGET, TARGET, Case, cases, memories_of
from moss_memory.cli.eval_context_set import AT, ZONE
from moss_memory.core.access import Caller
from moss_memory.core.fact import Memory
from moss_memory.core.rules import Policy
from moss_memory.flow import recall
from moss_memory.flow.ports import Change, Decision, Entry, Frame, House, Opened, Step
from moss_memory.flow.requests import Circumstances, ContextRequest

BATCH = 50
READER = Caller(tenant_id="default", principal_id="jiwoo")


def store(house: House, memories: Sequence[Memory], number: int) -> None:
    entry = Entry(
        tenant_id="default",
        principal_id="jiwoo",
        request_id="r",
        writes=frozenset(("jiwoo", memory.fact.domain) for memory in memories),
    )

    def decide(opened: Opened, _loaded: Any) -> Step[None]:
        decision = Decision(decision_id=f"d{number}", outcome="SUCCESS", actor="jiwoo")
        made = tuple(
            replace(
                memory,
                recorded_at=opened.recorded_at,
                created_at=opened.recorded_at,
                provenance=replace(memory.provenance, decision_id=decision.decision_id),
            )
            for memory in memories
        )
        return Step(None, Change(operation="create", decision=decision, revisions=made))

    house.memory.transact(entry, lambda _opened: Frame(), decide)


def unguard(memory: SqlMemory) -> None:
    """Let the store take meetings at one time: the set is about words, and has a few."""
    with memory.database.engine.connect() as connection:
        listed = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'occurrence'"
        for (name,) in connection.exec_driver_sql(listed).all():
            connection.exec_driver_sql(f"DROP TRIGGER {name}")


@pytest.fixture
def kept(make_house: Callable[..., House], policy: Policy, clock: Any) -> House:
    """A house that knows the whole set, in an order of recording that says nothing."""
    clock.now = AT - timedelta(hours=len(memories_of(policy)))
    house = make_house()
    assert isinstance(house.memory, SqlMemory)
    unguard(house.memory)
    shuffled = sorted(memories_of(policy), key=lambda memory: memory.recorded_at)
    for start in range(0, len(shuffled), BATCH):
        store(house, shuffled[start : start + BATCH], start)
        clock.forward(hours=1)
    clock.now = AT
    return replace(house, finder=SqlFinder(house.memory.database))


def recalled(house: House, case: Case) -> float:
    around = Circumstances(request_id="r", timezone=ZONE, locale=case.language)
    asked = ContextRequest(query=case.text, token_budget=AT_BUDGET, reference_time=AT)
    built = recall.context(house, READER, asked, around)
    return len(case.needed & {line.memory_id for line in built.included}) / len(case.needed)


def test_finder_keeps_the_recall_of_the_set(kept: House, policy: Policy) -> None:
    asked = [case for case in cases(memories_of(policy)) if not case.shut]

    found = [recalled(kept, case) for case in asked]

    assert sum(found) / len(found) >= TARGET
