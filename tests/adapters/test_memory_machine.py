"""The store against a model of forty lines: any sequence of writes, read at any epoch.

Two principals write meetings into five days. The model keeps every revision in a list; what the
store says now, and what it says of every earlier epoch, has to be what the list says.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.fact import Memory, Pair, pair
from moss_memory.core.interval import Interval, overlap
from moss_memory.flow.ports import Query

START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
OWNERS = ("ana", "bo")
TENANTS = itertools.count()

windows = st.builds(
    lambda start, hours: Interval(START + start * HOUR, START + (start + hours) * HOUR),
    st.integers(0, 5),
    st.integers(1, 2),
)
owners = st.sampled_from(OWNERS)
picks = st.integers(0, 10_000)


@dataclass
class Model:
    """Every revision ever written, in order, and the waivers given."""

    written: list[Memory] = field(default_factory=list)
    waived: set[Pair] = field(default_factory=set)

    def newest(self, owner: str, epoch: int | None = None) -> list[Memory]:
        known = {
            each.memory_id: each
            for each in self.written
            if each.owner == owner and (epoch is None or each.epoch <= epoch)
        }
        return sorted(known.values(), key=lambda m: (m.recorded_at, m.memory_id), reverse=True)

    def active(self, owner: str) -> list[Memory]:
        return [each for each in self.newest(owner) if each.active]

    def in_the_way(self, draft: Memory) -> set[str]:
        return {
            each.memory_id
            for each in self.active(draft.owner)
            if each.memory_id != draft.memory_id and overlap(each.windows[0], draft.windows[0])
        }

    def epoch(self, owner: str) -> int:
        return max((each.epoch for each in self.written if each.owner == owner), default=0)


class StoreMachine(RuleBasedStateMachine):
    """Writes to store and model alike; each run has a tenant of its own."""

    def __init__(self, memory: SqlMemory, scribe: Any) -> None:
        super().__init__()
        self.tenant = f"t{next(TENANTS)}"
        self.memory, self.scribe, self.model = memory, scribe, Model()

    def page(self, owner: str, **fields: Any) -> list[Memory]:
        asked = Query(scopes=(owner,), now=START, **({"state": "all", "limit": 100} | fields))
        return list(self.memory.page(self.tenant, asked).items)

    def keep(self, came: Any, draft: Memory) -> None:
        blocked = self.model.in_the_way(draft) if draft.active else set()
        if blocked:
            assert {each.memory_id for each in came} == blocked
        else:
            self.model.written.append(came)

    def pick(self, number: int, *, active: bool | None = None) -> Memory:
        memories = [
            each
            for owner in OWNERS
            for each in self.model.newest(owner)
            if active is None or each.active == active
        ]
        return memories[number % len(memories)]

    @rule(owner=owners, window=windows)
    def create(self, owner: str, window: Interval) -> None:
        draft = self.scribe.draft(self.scribe.fact(scope=owner), window, tenant=self.tenant)
        self.keep(self.scribe.create(draft), draft)

    @rule(owner=owners, window=windows)
    def create_beside(self, owner: str, window: Interval) -> None:
        draft = self.scribe.draft(self.scribe.fact(scope=owner), window, tenant=self.tenant)
        beside = self.model.in_the_way(draft)
        came = self.scribe.create(draft, waive=True)
        others = [each for each in self.model.active(owner) if each.memory_id in beside]
        self.model.waived |= {pair(came, each) for each in others}
        self.model.written.append(came)

    @precondition(lambda self: any(map(self.model.active, OWNERS)))
    @rule(number=picks)
    def retire(self, number: int) -> None:
        self.model.written.append(self.scribe.retire(self.pick(number, active=True)))

    @precondition(lambda self: any(map(self.model.active, OWNERS)))
    @rule(number=picks, window=windows)
    def move(self, number: int, window: Interval) -> None:
        moved = replace(
            self.pick(number, active=True),
            windows=(window,), valid_from=window.start, valid_until=window.end,
        )  # fmt: skip
        self.keep(self.scribe.revise(moved), moved)

    @precondition(lambda self: self.model.written)
    @rule(number=picks)
    def restore(self, number: int) -> None:
        newest = self.pick(number)
        revisions = self.memory.revisions(self.tenant, newest.memory_id)
        old = revisions[number % len(revisions)]
        again = replace(old, revision=newest.revision, active=True, inactive_reason=None)
        self.keep(self.scribe.revise(again), again)

    @precondition(lambda self: self.model.written)
    @rule(number=picks)
    def write_over_an_old_revision(self, number: int) -> None:
        newest = self.pick(number)
        with pytest.raises(ValueError, match="follow"):
            self.scribe.retire(replace(newest, revision=newest.revision - 1))

    @rule(owner=owners, back=st.integers(0, 20))
    def remember(self, owner: str, back: int) -> None:
        epoch = max(self.model.epoch(owner) - back, 0)
        known = self.page(owner, known_epoch={(owner, "Schedule"): epoch})

        assert known == self.model.newest(owner, epoch)

    @precondition(lambda self: self.model.written)
    @rule(number=picks)
    def remember_an_instant(self, number: int) -> None:
        then = self.model.written[number % len(self.model.written)]
        known = self.page(then.owner, known_at=then.recorded_at)

        assert known == self.model.newest(then.owner, then.epoch)

    @rule(owner=owners, window=windows)
    def look_through_a_window(self, owner: str, window: Interval) -> None:
        seen = self.page(owner, state="active", overlaps=window)

        assert seen == [m for m in self.model.active(owner) if overlap(m.windows[0], window)]

    @invariant()
    def now_is_the_end_of_history(self) -> None:
        for owner in OWNERS:
            assert self.page(owner) == self.model.newest(owner)

    @invariant()
    def no_two_overlap_unasked(self) -> None:
        for owner in OWNERS:
            for a, b in itertools.combinations(self.model.active(owner), 2):
                if overlap(a.windows[0], b.windows[0]):
                    assert pair(a, b) in self.model.waived

    def teardown(self) -> None:
        assert self.memory.verify(self.tenant).ok


def play(memory: SqlMemory, scribe: Any, examples: int, steps: int) -> None:
    run_state_machine_as_test(
        lambda: StoreMachine(memory, scribe),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_store_says_what_the_model_says(memory: SqlMemory, scribe: Any):
    play(memory, scribe, 8, 15)


@pytest.mark.campaign
def test_store_says_what_the_model_says_at_length(
    open_memory: Callable[..., SqlMemory], scribe_on: Any
):
    memory = open_memory()

    play(memory, scribe_on(memory), 300, 40)
