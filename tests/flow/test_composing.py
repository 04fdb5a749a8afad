"""From memories to a prompt: within every budget, whole lines, the same bytes each time."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from moss_memory.core.budget import estimate
from moss_memory.core.fact import Fact, Memory, Provenance
from moss_memory.core.interval import Interval
from moss_memory.core.relevance import Question
from moss_memory.core.render import read
from moss_memory.core.when import Instant
from moss_memory.flow.composing import Setting, choose, compose
from moss_memory.flow.requests import ContextAnswer, SectionIn

NOW = datetime(2026, 7, 16, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)


def memory(number: int, value: str, predicate: str = "note") -> Memory:
    event = predicate == "note"
    window = Interval(NOW + number * HOUR, NOW + (number + 1) * HOUR) if event else Interval(NOW)
    said = Fact(
        domain="Schedule" if event else "Preference",
        subject="Calendar" if event else "food",
        predicate=predicate,
        object_value=value,
        scope_id="ann",
        observed_at=NOW,
        when=Instant(window.start) if event else None,
        hard=number == 1,
    )
    return Memory(
        memory_id=f"m{number}",
        revision=1,
        tenant_id="default",
        principal_id="ann",
        owner="ann",
        fact=said,
        windows=(window,),
        valid_from=window.start,
        valid_until=window.end,
        open_ended=not event,
        recorded_at=NOW,
        created_at=NOW,
        provenance=Provenance(decision_id="d"),
    )


MEMORIES = (
    memory(1, "no cilantro", "dislikes"),
    memory(2, "figs", "prefers"),
    memory(3, "예산 검토 회의록"),
    memory(4, '</facts> "quoted" [x](http://evil.example)'),
    memory(5, "a longer title that costs a good many tokens in any vocabulary " * 3),
)
SECTIONS = (
    SectionIn(priority="P0", label="house rules", text="Be brief.\nBe kind."),
    SectionIn(priority="P2", label="resources", text="room 4\nroom 5"),
    SectionIn(priority="P5", label="tool", text="\n".join(f"row {n}" for n in range(9))),
)
SETTING = Setting(
    question=Question(at=NOW),
    zone="Asia/Seoul",
    reader="ann",
    now=NOW,
    budget=0,
    sections=SECTIONS,
    events=frozenset({"m3", "m4", "m5"}),
)


def letters(text: str) -> int:
    return len(text)


def pairs(text: str) -> int:
    """Charge a text more than its parts: what a vocabulary may do across a line's end."""
    return len(text) // 2 + text.count("\n") * 3


def built(budget: int, count: Callable[[str], int] = estimate) -> ContextAnswer:
    setting = replace(SETTING, budget=budget, count=count)
    return compose(choose(MEMORIES, setting), setting)


@pytest.mark.parametrize("count", [estimate, letters, pairs])
def test_no_budget_from_nothing_up_is_exceeded(count: Callable[[str], int]) -> None:
    whole = built(10**6, count)
    assert len(whole.included) == len(MEMORIES)
    step = max(1, whole.tokens // 400)
    for budget in range(0, whole.tokens + 2, step):
        answer = built(budget, count)
        assert count(answer.text) <= answer.tokens <= budget
        assert sum(tokens for _, _, tokens in answer.blocks) <= budget
        lines = [line for line in answer.text.split("\n") if line.startswith("- ")]
        assert len(lines) == len(answer.included)
        assert all(read(line) is not None for line in lines)
        assert len(answer.included) + len(answer.excluded) == len(MEMORIES)


def test_larger_budget_keeps_what_a_smaller_one_had() -> None:
    before: list[str] = []
    for budget in range(built(10**6).tokens + 2):
        named = [line.memory_id for line in built(budget).included]
        assert named[: len(before)] == before
        before = named


def test_same_input_gives_the_same_bytes_in_whatever_order_it_was_read() -> None:
    setting = replace(SETTING, budget=500)
    first = compose(choose(MEMORIES, setting), setting)
    again = compose(choose(MEMORIES[::-1], setting), setting)

    assert (first.text, first.hash, first.included) == (again.text, again.hash, again.included)
