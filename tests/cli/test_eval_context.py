"""The context evaluation: its set, and that a good and a bad order are told apart."""

from collections.abc import Sequence

import pytest

from moss_memory.cli import eval_context
from moss_memory.cli.eval_context import Case, Mark, cases, measure, memories_of, summary
from moss_memory.core.fact import Memory
from moss_memory.core.rules import Policy
from moss_memory.policy import load


@pytest.fixture(scope="module")
def policy() -> Policy:
    return load()


@pytest.fixture(scope="module")
def memories(policy: Policy) -> tuple[Memory, ...]:
    return memories_of(policy)


@pytest.fixture(scope="module")
def questions(memories: tuple[Memory, ...]) -> tuple[Case, ...]:
    return cases(memories)


def test_set_has_five_hundred_facts_with_names_of_their_own(memories: Sequence[Memory]) -> None:
    assert len({memory.memory_id for memory in memories}) >= 500


def test_set_is_the_same_every_time(policy: Policy, memories: Sequence[Memory]) -> None:
    assert memories_of(policy) == memories


def test_questions_come_in_two_languages_and_two_halves(questions: Sequence[Case]) -> None:
    assert len(questions) >= 60
    for language in ("en", "ko"):
        halves = [case.shut for case in questions if case.language == language]
        assert halves.count(True) == halves.count(False) >= 15


def test_every_question_needs_something(questions: Sequence[Case]) -> None:
    assert all(case.needed for case in questions)


def test_relevance_holds_its_target_on_the_open_half(
    policy: Policy, memories: Sequence[Memory], questions: Sequence[Case]
) -> None:
    marks = list(measure(policy, [case for case in questions if not case.shut], memories))

    assert summary(marks, facts=len(memories))["holds"]


def test_target_is_missed_when_relevance_does_no_better_than_newest_first() -> None:
    case = Case("?", frozenset({"a"}), shut=False)
    marks = [Mark(case, budget, 1.0, 1.0) for budget in eval_context.BUDGETS]

    assert not summary(marks, facts=1)["holds"]
